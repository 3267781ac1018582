"""Programs that are made by calls of Python: what languages share (docs/python.md).

Each call is recorded with its place and evaluated in the compiler's current session at once, so that a mistake is an
exception at its line. What an object was made of stays with it: a session ends with each compilation, and the next one
makes anew what it needs.
"""
import dis
import itertools
import linecache
import sys
import threading
import warnings

from pm import _pm, errors, refusals

lock = threading.RLock()
_orders = itertools.count(1)
_latest = 0


def latest():
    """The order of the node that was recorded last."""
    return _latest


# --- places ---

_known: dict = {}  # id of a code object -> (the object, its positions, names of variables by the calls that are stored in them)


def here(depth):
    """The instruction that a function outside of the package is at, `depth` calls above the caller."""
    frame = sys._getframe(depth + 1)
    return frame.f_code, frame.f_lasti


def outside_of(package, depth):
    """The same of the first function that is not of that package either."""
    frame = sys._getframe(depth + 1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == package:
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def _of_code(code):
    known = _known.get(id(code))
    if known is None:
        steps = list(dis.get_instructions(code))
        names = {a.offset: b.argval for a, b in itertools.pairwise(steps)
                 if a.opname.startswith("CALL") and b.opname in ("STORE_NAME", "STORE_GLOBAL")}
        known = _known[id(code)] = (code, list(code.co_positions()), names)
    return known


def positions(place):
    """(line, last line, column, last column), columns from 0 in bytes; any may be None."""
    code, instruction = place
    return _of_code(code)[1][instruction // 2]


def line_and_column(place):
    line, _, column, _ = positions(place)
    return line or place[0].co_firstlineno, column


def _variable(place):
    """The variable of a module that gets what is called there, or None. Those of functions are often of any stage."""
    code, instruction = place
    return _of_code(code)[2].get(instruction)


# --- sessions ---


class Language:
    """A language of the compiler, and the session in which its objects are made."""

    def __init__(self, name):
        self.name = name
        self._current = None

    def session(self):
        if self._current is None:
            self._current = Session(self)
        return self._current

    def end_session(self):
        self._current = None


class Session:
    """A session of the compiler, and what it has of the files and names of Python."""

    def __init__(self, language, options=()):
        self.made = _pm.Session(language.name, list(options))
        self.files = {}
        self.constants = {}

    def place(self, place):
        if place is None:
            return 0, 0, 0
        name = place[0].co_filename
        number = self.files.get(name)
        if number is None:
            text = "".join(linecache.getlines(name))
            number = self.files[name] = self.made.file(name, text or None)
        line, column = line_and_column(place)
        return number, line, 0 if column is None else column + 1

    def find(self, name, place):
        if name not in self.constants:
            self.constants[name] = self.made.find(name, self.place(place))
        return self.constants[name]

    def resolve(self, value):
        """What the session takes for a frozen value, whose nodes it has made."""
        if isinstance(value, Node):
            return value._value
        if isinstance(value, Constant):
            return value.resolve(self)
        if type(value) in (list, tuple):
            return type(value)(self.resolve(item) for item in value)
        return value

    def make(self, node):
        kind, head, args, named = node._recipe
        where = self.place(node._place)
        if kind == "apply":
            node._value = self.made.apply(head, self.resolve(args), where)
        else:
            callee = self.find(head, node._place) if kind == "call" else self.resolve(head)
            node._value = self.made.call(callee, self.resolve(args),
                                         {name: self.resolve(value) for name, value in named.items()}, where)
        node._session = self
        if node._takes_name and isinstance(node._value, _pm.Item) and node._place and (name := _variable(node._place)):
            self.made.name(node._value, name)

    def set(self, node, name, value, place):
        if name is None:
            return  # the value itself is what is stated
        self.made.set(node._value, name, self.resolve(value), self.place(place))

    def steps(self, values):
        """The nodes in these frozen values that are not made, what they are made of, and what was said of them, in the
        order of the program: (order, node, what is set or None)."""
        steps, seen, rest = [], set(), list(values)
        while rest:
            value = rest.pop()
            if type(value) in (list, tuple):
                rest.extend(value)
            elif isinstance(value, Node) and value._session is not self and id(value) not in seen:
                seen.add(id(value))
                steps.append((value._order, value, None))
                _, head, args, named = value._recipe
                rest += [head, args, *named.values()]
                for order, name, given, place in value._settings:
                    steps.append((order, value, (name, given, place)))
                    rest.append(given)
        return sorted(steps, key=lambda step: step[0])

    def take(self, steps, made=lambda node: None):
        for _, node, setting in steps:
            if setting is None:
                self.make(node)
                made(node)
            else:
                self.set(node, *setting)

    def need(self, values):
        """Makes the nodes in these frozen values, and what they are made of."""
        self.take(self.steps(values))


# --- values ---


class Constant:
    """What a session knows without a node: names of the language."""

    __slots__ = ()


class Name(Constant):
    """A name of the language as a value: a type, an operation."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name

    def resolve(self, session):
        return session.find(self.name, None)


def freeze(value, names=None):
    """The value as it is now, of numbers, texts, lists, tuples, constants and nodes. `names`: what objects of Python
    are in the language."""
    if value is None or isinstance(value, (bool, int, float, str, Node, Constant)):
        return value
    if isinstance(value, list):
        return [freeze(item, names) for item in value]
    if isinstance(value, tuple):
        return tuple([freeze(item, names) for item in value])
    name = getattr(value, "_pm_name", None)
    if name is not None:
        return name
    try:
        if names and value in names:
            return names[value]
    except TypeError:
        pass
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return freeze(value.tolist(), names)
    if hasattr(value, "__index__"):
        return value.__index__()
    if hasattr(value, "__float__"):
        return float(value)
    if isinstance(value, range) or hasattr(value, "__iter__"):
        return [freeze(item, names) for item in value]
    raise TypeError(f"{value!r} is no value of a pipeline")


class Node:
    """What a pipeline is made of."""

    __slots__ = ("_recipe", "_order", "_place", "_settings", "_session", "_value", "__weakref__")
    __array_ufunc__ = None  # numpy leaves operators to us
    _language = None  # of the class
    _takes_name = False  # of the variable that it is assigned to

    def _record(self, recipe, place):
        global _latest
        object.__setattr__(self, "_recipe", recipe)
        object.__setattr__(self, "_order", next(_orders))
        object.__setattr__(self, "_place", place)
        object.__setattr__(self, "_settings", [])
        object.__setattr__(self, "_session", None)
        with lock:
            _latest = self._order
            session = self._language.session()
            session.need([recipe[1], recipe[2], *recipe[3].values()])
            session.make(self)

    def _state(self, name, value, place, order=None):
        """What is said of it from here on: `name` is set to the value, or with None the value is a statement."""
        self._settings.append((next(_orders) if order is None else order, name, value, place))

    def __reduce__(self):
        raise TypeError("objects of a pipeline are not pickled, the function that it is compiled to is")


def mistake(place, text):
    """An error of our own words at that instruction."""
    line, column = line_and_column(place)
    file = place[0].co_filename
    source = linecache.getline(file, line).rstrip("\n") or None
    return errors.CompileError([errors.Diagnostic("error", file, line, (column or 0) + 1, text, source)])


def made(node, recipe, place):
    """The node, or the value of Python that it is."""
    node._record(recipe, place)
    value = node._value
    return node if isinstance(value, _pm.Item) else value


# --- compilation ---


def _is_made(value, session):
    if type(value) in (list, tuple):
        return bool(value) and all(_is_made(item, session) for item in value)
    return isinstance(value, Node) and value._session is session


def _named_by(variables, session):
    """Names nodes after the variables that hold them."""
    for name, value in variables.items():
        try:
            frozen = freeze(value) if isinstance(value, (Node, list, tuple)) else None
        except TypeError:
            continue
        if _is_made(frozen, session):
            session.made.name(session.resolve(frozen), name)


def finish(session, outputs, name, frame, place):
    """The text, in PMIR, of the pipeline with these outputs, which are made. Stages without names are named after the
    variables of the frame."""
    _named_by({**frame.f_globals, **frame.f_locals}, session)
    text = session.made.finish(session.resolve(outputs), name, session.place(place))
    for diagnostic in refusals.diagnostics(session.made.messages()):
        _warn(diagnostic)
    return text


def _warn(diagnostic):
    if diagnostic.kind == "warning":
        warnings.warn_explicit(diagnostic.text, errors.PipelineWarning, diagnostic.filename or "<pipeline>", diagnostic.lineno or 1)
