# Types of Python and of C, as words and as strings.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:32 {{argument 2 of Function is the function float, Float is a type; it should be Function(([variables], [intervals]), type, "name")}}
a = Function(([x, y], [r, c]), float, "a")
# expected-error@+1:41 {{argument 3 of Function is the string 'b', the string 'float' is the name already; it should be Function(([variables], [intervals]), type, "name")}}
b = Function(([x, y], [r, c]), "float", "b")
# expected-error@+1:32 {{'Bool' is not part of the language, UChar, with Select(condition, 1, 0), is}}
d = Function(([x, y], [r, c]), Bool, "d")
# expected-error@+1:32 {{'uint8' is not part of the language, UChar is}}
e = Function(([x, y], [r, c]), uint8, "e")
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:15 {{Cast is to the function float, Float is a type; it should be Cast(type, expression)}}
f.defn = Cast(float, x)
# expected-error@+1:15 {{Cast is to the string 'int'; it should be Cast(type, expression)}}
f.defn = Cast("int", img(x, y))
# expected-error@+1:15 {{Cast is to a value of img; it should be Cast(type, expression)}}
f.defn = Cast(img(x, y), Int)
# expected-error@+1:15 {{Cast is to the function int, Int is a type; it should be Cast(type, expression)}}
f.defn = Cast(int, img(x, y))
