"""What a program should have where Python asks a value of stages for a number or a truth value: by the text at the instruction."""
import ast
import linecache

from pm import recorded

_PARENTHESES = "comparisons that '&' and '|' join should be in parentheses, as in (x > 0) & (y > 0)"
_INSTEAD = {
    ast.And: "'&' should replace 'and', as in (x > 1) & (y > 1)",
    ast.Or: "'|' should replace 'or', as in (x < 1) | (x > 8)",
    ast.Not: "the opposite comparison should be written, x <= 1 for not x > 1",
    ast.Compare: "comparisons in a chain should be joined by '&', as in (0 <= x) & (x < 9)",
    ast.IfExp: "Select(condition, a, b) should test it",
    ast.Assert: "Require(condition) should state what holds in every call",
    None: "Case(condition, value) or Select(condition, a, b) should test it",
}


def _syntax(place):
    """What is in the text, the outer parts first; nothing where there is no text."""
    try:
        return ast.walk(ast.parse("".join(linecache.getlines(place[0].co_filename))))
    except SyntaxError:
        return ()


def _joins(node):
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr))


def instead(place):
    """What should replace the test at that instruction."""
    line, column = recorded.line_and_column(place)
    found = _INSTEAD[None]
    for node in _syntax(place):
        if not hasattr(node, "end_lineno") or not (node.lineno, node.col_offset) <= (line, column or 0) < (
                node.end_lineno, node.end_col_offset):
            continue
        if isinstance(node, ast.BoolOp):
            found = _INSTEAD[type(node.op)]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            found = _INSTEAD[ast.Not]
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            found = _PARENTHESES if _joins(node.comparators[0]) else _INSTEAD[ast.Compare]
        elif isinstance(node, (ast.IfExp, ast.Assert)):
            found = _INSTEAD[type(node)]
    return found


def called(place):
    """The name of the function that is called at that instruction, without its module, or None."""
    where = recorded.positions(place)
    for node in _syntax(place):
        if isinstance(node, ast.Call) and (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == where:
            return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    return None
