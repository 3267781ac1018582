"""Texts in PolyMage's language, run by Python with the constructs of pm in place of the language's names."""
import contextlib
import re

from pm import constructs
from pm import recorded as core

NAMES = {name: value for name, value in vars(constructs).items()
         if isinstance(value, (constructs._Name, type)) or hasattr(value, "_pm_name")}
LOCATION = re.compile(r' loc\((?:unknown|"[^"]*":\d+:\d+)\)')


@contextlib.contextmanager
def recorded():
    """The stages, images and parameters that are made meanwhile."""
    made, record = [], constructs.Node._record

    def note(self, *args):
        record(self, *args)
        if isinstance(self, (constructs._Array, constructs.Parameter)):
            made.append(self)

    constructs.Node._record = note
    try:
        yield made
    finally:
        constructs.Node._record = record


def finish(made, space):
    """PMIR without locations; all stages leave it that none reads, as of a text."""
    session = core.Session(constructs._language)
    session.need(made)
    core._named_by(space, session)
    return LOCATION.sub("", session.made.finish([], None, (0, 0, 0)))
