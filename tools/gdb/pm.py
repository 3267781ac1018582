"""gdb commands and pretty printers for IR objects: `gdb -x tools/gdb/pm.py --args pm-opt …`.

`print`, `info locals` and `backtrace` show ops, values, types, attributes, strings, affine expressions and maps as
text, by calling the library's own printers in the program; so they need a live process (not a core) and debug
information. What cannot be printed, such as a variable that is not set yet, is shown as a plain address.

  pm-print EXPRESSION   a pm_op *, pm_module *, pm_value *, pm_type or pm_attr, an op with all that is inside it
  pm-parents EXPRESSION the op and the ops around it, innermost first, with their serial numbers
  pm-uses EXPRESSION    the ops that use a pm_value *
"""
import gdb

gdb.execute("set unwindonsignal on")


def pointer_to(value):
    """The name of the struct that `value` points to, or None."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_PTR:
        return None
    target = kind.target().unqualified().strip_typedefs()
    return target.tag if target.code == gdb.TYPE_CODE_STRUCT else None


def zeroed(size):
    """The address of new memory of the program."""
    return int(gdb.parse_and_eval("((void *(*)(unsigned long, unsigned long))calloc)(1, %d)" % size))


def release(address):
    gdb.parse_and_eval("((void (*)(void *))free)((void *)%d)" % address)


def text_from(call):
    """What `call` puts into the pm_buf whose expression it is given."""
    address = zeroed(gdb.lookup_type("pm_buf").sizeof)
    buf = "((pm_buf *)%d)" % address
    try:
        gdb.parse_and_eval(call(buf))
        data = gdb.parse_and_eval(buf + "->data")
        text = data.string("utf-8", "replace") if int(data) else ""
        gdb.parse_and_eval("pm_buf_free(%s)" % buf)
    finally:
        release(address)
    return text


def formatted(directive, value):
    return text_from(lambda buf: 'pm_format(%s, "%s", (void *)%d)' % (buf, directive, int(value)))


def op_line(op):
    return "%s #%d" % (formatted("%pO", op), int(op["serial"]))


def value_line(value):
    return "%s : %s" % (formatted("%pV", value), formatted("%pT", value["type"]))


def affine_expr_text(expr):
    return text_from(
        lambda buf: "pm_print_affine_expr(%s, (pm_affine_expr)%d, (const char *const *)0, (const char *const *)0)"
        % (buf, int(expr)))


def affine_map_text(affine_map):
    return text_from(lambda buf: "pm_print_affine_map(%s, (pm_affine_map)%d)" % (buf, int(affine_map)))


LINES = {
    "pm_op": op_line,
    "pm_value": value_line,
    "pm_type_storage": lambda kind: formatted("%pT", kind),
    "pm_attr_storage": lambda attr: formatted("%pA", attr),
    "pm_string_storage": lambda text: '"%s"' % formatted("%pS", text),
    "pm_affine_expr_storage": affine_expr_text,
    "pm_affine_map_storage": affine_map_text,
}


LINK_BITS = 7  # as PM_LINK_BITS, PM_FAR_OPERAND


def use_at(address):
    return gdb.Value(address & ~LINK_BITS).cast(gdb.lookup_type("pm_use").pointer())


def user_of(use):
    """What pm_user says, which may be inlined everywhere."""
    while int(use["link"]) & LINK_BITS == LINK_BITS:
        use += LINK_BITS
    end = use + (int(use["link"]) & LINK_BITS) + 1
    word = int(end.cast(gdb.lookup_type("unsigned long").pointer()).dereference())
    return gdb.Value(word - 1 if word & 1 else int(end)).cast(gdb.lookup_type("pm_op").pointer())


def module_of(op):
    return op["region"]["module"] if int(op["region"]) else op["home"]


def seems_sound(value, kind):
    """What can be read without calling anything is what it should be: a printer would not survive less."""
    context = module_of(value)["ctx"] if kind == "pm_op" else value["type"]["ctx"] if kind == "pm_value" else None
    if kind == "pm_op":
        value["desc"]["name"].string()
    gdb.selected_inferior().read_memory(int(value if context is None else context), 1)


class IrPrinter:
    """The address of an IR object, and its text behind it; while that is made, addresses alone."""

    busy = False

    def __init__(self, value, line):
        self.value = value
        self.line = line

    def to_string(self):
        address = "0x%x" % int(self.value)
        if not int(self.value):
            return "NULL"
        if IrPrinter.busy:
            return address
        IrPrinter.busy = True
        try:
            seems_sound(self.value, pointer_to(self.value))
            return "%s %s" % (address, self.line(self.value))
        except gdb.error:
            return address
        finally:
            IrPrinter.busy = False


def find_printer(value):
    line = LINES.get(pointer_to(value))
    return IrPrinter(value, line) if line else None


def full_text(value):
    """An op or a module with all that is inside; anything else as a line."""
    kind = pointer_to(value)
    if kind == "pm_module":
        value = gdb.parse_and_eval("pm_module_op((pm_module *)%d)" % int(value))
        kind = "pm_op"
    if kind == "pm_op":
        options = zeroed(gdb.lookup_type("pm_print_options").sizeof)
        try:
            return text_from(lambda buf: "pm_print_op(%s, (pm_op *)%d, *(pm_print_options *)%d)"
                             % (buf, int(value), options))
        finally:
            release(options)
    if kind not in LINES:
        raise gdb.GdbError("this is no IR object, but %s" % value.type)
    return LINES[kind](value)


def argument(text, kind=None):
    if not text:
        raise gdb.GdbError("an expression is needed")
    value = gdb.parse_and_eval(text)
    if kind and pointer_to(value) != kind:
        raise gdb.GdbError("'%s' should be a %s *, but is %s" % (text, kind, value.type))
    return value


class PrintCommand(gdb.Command):
    """pm-print EXPRESSION: the text of an IR object, an op with all that is inside it."""

    def __init__(self):
        super().__init__("pm-print", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text, from_tty):
        print(full_text(argument(text)))


class ParentsCommand(gdb.Command):
    """pm-parents EXPRESSION: a pm_op * and the ops around it, innermost first."""

    def __init__(self):
        super().__init__("pm-parents", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text, from_tty):
        op = argument(text, "pm_op")
        while int(op):
            print(op_line(op))
            op = op["region"]["op"] if int(op["region"]) else gdb.Value(0)


class UsesCommand(gdb.Command):
    """pm-uses EXPRESSION: the ops that use a pm_value *."""

    def __init__(self):
        super().__init__("pm-uses", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text, from_tty):
        use = use_at(int(argument(text, "pm_value")["use_list"]))
        while int(use):
            print(op_line(user_of(use)))
            use = use_at(int(use["next"]))


gdb.pretty_printers.append(find_printer)
PrintCommand()
ParentsCommand()
UsesCommand()
