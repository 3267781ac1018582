"""What goes wrong."""


class Error(Exception):
    """Of all exceptions of the package the base."""


class PipelineWarning(UserWarning):
    """A warning of the compiler, at the user's line."""


class CompileError(Error):
    def __init__(self, messages):
        self.messages = messages
        super().__init__("\n".join(f"{m[1]}:{m[2]}:{m[3]}: {m[0]}: {m[5]}" for m in messages))


class AttributeMissing(CompileError, AttributeError):
    """An object of a pipeline has no such attribute."""


def fail(status, messages, error):
    """Raises what the status of a call of the library stands for."""
    raise CompileError(messages)
