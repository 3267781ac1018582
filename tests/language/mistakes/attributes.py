# Attributes that images, values and stages do not have.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:3 {{the stage f has no attribute 'compute_root', it should be 'defn', 'default', 'boundary', 'varDom' or 'redDom', or a long name of these}}
f.compute_root()
# expected-error@+1:9 {{the image img has no attribute 'shape', the parameters of its extents should be used}}
n = img.shape[0]
# expected-error@+1:20 {{a value of img has no attribute 'sum', what docs/polymage.md lists should do it}}
f.defn = img(x, y).sum()
# expected-error@+1:3 {{the stage f has no attribute 'schedule', it should be 'defn', 'default', 'boundary', 'varDom' or 'redDom', or a long name of these}}
f.schedule = "tile"
# expected-error@+1:5 {{the attribute 'boundary' of the image img is set, it should be that of a stage}}
img.boundary = "clamp"
# expected-error@+1:7 {{the parameter R has no attribute 'value', what docs/polymage.md lists should do it}}
m = R.value
