# The function that builds the pipeline returns an image, a number.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:1 {{the pipeline returns the image img, it should return stages}}
def build():
    img = Image(Float, "img", [4])
    x = Variable(Int, "x")
    f = Function(([x], [Interval(Int, 0, 3)]), Float, "f")
    f.defn = img(x)
    return [f, img, 3]
