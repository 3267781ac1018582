"""The compiler's IR for Pygments, which colours notebooks and documentation: pygmentize -l pmir program.pmir"""
from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


class PmirLexer(RegexLexer):
    """PMIR, the text of the compiler's IR (ir/text.h)."""

    name = "PMIR"
    aliases = ["pmir"]
    filenames = ["*.pmir"]

    tokens = {
        "root": [
            (r"//.*$", Comment.Single),
            (r"\s+", Text),
            (r'(#[\w.]+)(<)(")', bygroups(Name.Decorator, Punctuation, String), "isl"),  # #isl.set<"…">
            (r'"', String, "string"),
            (r"%[\w.$-]+(?:[:#]\d+)?", Name.Variable),
            (r'@[\w.$-]+|@(?=")', Name.Function),
            (r"\^[\w.$-]+", Name.Label),
            (r"#[\w.]+", Name.Decorator),
            (r"-?\d+\.\d*(?:[eE][+-]?\d+)?|-?\d+[eE][+-]?\d+", Number.Float),
            (r"0[xX][0-9a-fA-F]+", Number.Hex),
            (r"(memref|vector|tuple)(<)(\?|\d|[\w?])", bygroups(Keyword.Type, Punctuation, Text), "shape"),
            (r"(?:memref|vector|tuple|index|none)\b", Keyword.Type),
            (r"(?:i|u|f|bf)\d+\b", Keyword.Type),
            (r"(?:true|false|unit|loc|unknown|inf|nan)\b", Keyword.Constant),
            (r"([A-Za-z_]\w*\.)([A-Za-z_][\w.]*)", bygroups(Name.Namespace, Keyword)),
            (r"-?\d+", Number.Integer),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|[-+*/=<>!&|~?]+", Operator),
            (r"[()\[\]{},:;.'`$\\^]", Punctuation),
        ],
        "shape": [  # the rest of ?x64xf32
            (r"[\w?]+", Keyword.Type, "#pop"),
            (r"(?=.)", Text, "#pop"),
        ],
        "string": [
            (r'[^"\\\n]+', String),
            (r"\\(?:.|\n)", String.Escape),
            (r'"', String, "#pop"),
            (r"\n", Text, "#pop"),
        ],
        "isl": [  # a set or map in isl's own text
            (r'"', String, "#pop"),
            (r"\b(?:and|or|exists|mod|floor|not|min|max)\b", Operator.Word),
            (r"\d+", Number.Integer),
            (r"\\.", String.Escape),
            (r"[A-Za-z_][\w']*", Name.Variable),
            (r"\s+", Text),
            (r'[^"\w\s\\]+', Operator),
        ],
    }
