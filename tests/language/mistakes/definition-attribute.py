# A misspelt attribute, and one of an image.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:3 {{the stage f has no attribute 'defs', it should be 'defn', 'default', 'boundary', 'varDom' or 'redDom', or a long name of these}}
f.defs = img(x, y)
f.defn = img(x, y)
# expected-error@+1:5 {{the attribute 'defn' of the image img is set, it should be that of a stage}}
img.defn = 1
