"""How calls run: their threads, and a trace of what these do."""
import json
import os

from pm import _pm


class threads:
    """Calls have at most n threads from now on, in all threads of the process; None: all that there are. In a with
    statement what was before holds again at its end; of two such statements one should be inside the other. threads= of
    a call goes before it."""

    __slots__ = ("_n", "_before", "_holds")

    @_pm.boundary
    def __init__(self, n):
        self._before = _pm.limit_threads(n)
        self._n, self._holds = n, True

    def __enter__(self):
        if not self._holds:
            self._before = _pm.limit_threads(self._n)
        return self

    def __exit__(self, *error):
        self._holds = False
        _pm.limit_threads(self._before)


# --- traces ---


def _named(kind, name, thread, begin, end, origin, **args):
    """A complete event of Chrome's traces, whose times are microseconds."""
    return {"name": name, "cat": kind, "ph": "X", "pid": os.getpid(), "tid": thread, "ts": (begin - origin) / 1000,
            "dur": (end - begin) / 1000, "args": args}


def _event(function, origin, event):
    stages, loop, iterations, first, end, begin, done, whole, thread = event
    names = stages.split(", ") if stages else [f"loop {loop}"]
    what = {"function": function, "stages": names, "loop": loop, "iterations": iterations}
    if not whole:
        what.update(first=first, last=end - 1)
    return _named("loop" if whole else "chunk", names[-1], thread, begin, done, origin, **what)


def write_trace(file, function, events, begin, end, caller):
    """The file that chrome://tracing and ui.perfetto.dev open: the call, its parallel loops, and their chunks."""
    made = [_named("call", function, caller, begin, end, begin, function=function)]
    made += [_event(function, begin, event) for event in events]
    made.sort(key=lambda e: (e["ts"], -e["dur"]))
    names = [{"name": "thread_name", "ph": "M", "pid": os.getpid(), "tid": tid, "args": {"name": f"{word} {tid}"}}
             for tid, word in {e["tid"]: "caller" if e["tid"] == caller else "worker" for e in made}.items()]
    with open(file, "w") as opened:
        json.dump({"traceEvents": names + made, "displayTimeUnit": "ms"}, opened)
