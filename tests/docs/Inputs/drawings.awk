# Prints the lines that follow an indented line of a block comment at its left edge, and fails when there is one.
FNR == 1 { before = ""; inside = 0 }
/^\/\*/ { inside = 1 }
inside && before ~ /^ \*   +[^ ]/ && /^ \* [^ ]/ { print FILENAME ":" FNR ": the drawing above has been filled"; found = 1 }
{ before = $0 }
/\*\// { inside = 0 }
END { exit found }
