# A misspelt stage, a misspelt function of the language, and one behind a module's name.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
import dsl
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+2:10 {{'imgg' is not defined, 'img' is the nearest name}}
# expected-error@+1:23 {{'Sqr' is not defined, 'Sqrt' is the nearest name}}
f.defn = imgg(x, y) + Sqr(img(x, y))
# expected-error@+1:9 {{'Funktion' is not part of the language, 'Function' is}}
g = dsl.Funktion(([x, y], [r, c]), Float, "g")
