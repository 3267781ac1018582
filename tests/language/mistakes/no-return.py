# A function that makes a stage and does not return it.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
def blur(f):
    g = Function(([x, y], [r, c]), Float, "g")
    g.defn = f(x, y)


h = blur(img)
k = Function(([x, y], [r, c]), Float, "k")
# expected-error@+1:10 {{None is called, a stage, an image or a function should be; what a function without 'return' gives is None}}
k.defn = h(x, y) + 1
l = Function(([x, y], [r, c]), Float, "l")
# expected-error@+1:20 {{the operands of '*' are None and the integer 2, two numbers should be}}
l.defn = blur(img) * 2
