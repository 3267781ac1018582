# A stencil without a kernel, with one that is no numbers, and of too much.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:10 {{Stencil has no kernel, it should be Stencil(f(x, y), factor, kernel, origin)}}
f.defn = Stencil(img(x, y), [[1, 1, 1]])
# expected-error@+1:32 {{the kernel is the string 'box', it should be a list of lists of numbers}}
f.defn = Stencil(img(x, y), 1, "box")
# expected-error@+1:32 {{a weight is the string '2', it should be a number or an expression}}
f.defn = Stencil(img(x, y), 1, [[1, "2"]])
# expected-error@+1:47 {{argument 5 of Stencil is the integer 3; it should be Stencil(f(x, y), factor, kernel, origin)}}
f.defn = Stencil(img(x, y), 1, [[1]], [0, 0], 3)
# expected-error@+1:39 {{the argument size of Stencil is the integer 3; it should be Stencil(f(x, y), factor, kernel, origin)}}
f.defn = Stencil(img(x, y), 1, [[1]], size=3)
# expected-error@+1:29 {{the factor is the string '1/9', it should be a number or an expression}}
f.defn = Stencil(img(x, y), "1/9", [[1]])
