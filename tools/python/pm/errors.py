"""What goes wrong, one hierarchy: everything that the package raises for a program or its arguments is a pm.Error."""
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler, with its place in the text of the program."""

    kind: str  # error, warning, remark or note
    filename: str | None  # None: the message has no place
    lineno: int  # from 1; 0: unknown
    column: int  # from 1; 0: unknown
    text: str
    source_line: str | None = None
    stage: str | None = None  # the pass that a remark is from
    notes: tuple["Diagnostic", ...] = field(default=())

    @property
    def place(self) -> str:
        if self.filename is None:
            return ""
        numbers = [str(n) for n in (self.lineno, self.column) if n]
        return ":".join([self.filename, *numbers])

    def _lines(self) -> Iterator[str]:
        yield f"{self.place}: {self.kind}: {self.text}" if self.place else f"{self.kind}: {self.text}"
        if self.source_line and self.column:
            yield self.source_line
            # Tabs stay, so that the caret stands below its column.
            before = self.source_line.encode()[: self.column - 1].decode(errors="replace")
            yield "".join(c if c == "\t" else " " for c in before) + "^"
        for note in self.notes:
            yield from note._lines()

    def __str__(self) -> str:
        return "\n".join(self._lines())


class Error(Exception):
    """Of this package."""


class CompileError(Error):
    """The program, or an option of it, is wrong: diagnostics has all errors."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        super().__init__(self.diagnostics)

    @property
    def _first(self) -> Diagnostic:
        return self.diagnostics[0]

    @property
    def filename(self) -> str | None:
        return self._first.filename

    @property
    def lineno(self) -> int | None:
        return self._first.lineno or None

    @property
    def offset(self) -> int | None:
        return self._first.column or None

    @property
    def msg(self) -> str:
        return self._first.text

    @property
    def text(self) -> str | None:
        return self._first.source_line

    def __str__(self) -> str:
        return "\n".join(str(d) for d in self.diagnostics)


class ArgumentError(Error, ValueError):
    """An argument is of the right type, but cannot be used."""


class ShapeError(ArgumentError):
    """Sizes of arrays do not fit the program or each other."""


class DTypeError(Error, TypeError):
    """Elements are of another type than the program's: nothing is converted in silence."""


class ExecutionError(Error, RuntimeError):
    """A call has failed: code is what the function returned."""

    def __init__(self, text: str, code: int = 0) -> None:
        self.code = code
        super().__init__(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.code)


class InternalError(Error):
    """A bug of the compiler: reproducer is the path of a file that repeats it, or None."""

    def __init__(self, text: str, reproducer: str | None = None) -> None:
        self.reproducer = reproducer
        super().__init__(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.reproducer)


class AttributeMissing(CompileError, AttributeError):
    """An object of a pipeline has no such attribute."""


class PipelineWarning(UserWarning):
    """A warning of the compiler, at the user's line."""
