# Unsharp mask of three planes. The picture stands in the middle of `img`, inside a ring of two pixels; mask[c][i][j] is
# the pixel img[c][i+2][j+2], sharpened where it differs from its blur by at least the threshold.
R = Parameter(Int, "R")
C = Parameter(Int, "C")
threshold = Parameter(Float, "threshold")
weight = Parameter(Float, "weight")
img = Image(Float, "img", [3, R + 4, C + 4])

c = Variable(Int, "c")
x = Variable(Int, "x")
y = Variable(Int, "y")
planes = Interval(Int, 0, 2)
rows = Interval(Int, 2, R + 1)
cols = Interval(Int, 2, C + 1)
all_cols = Interval(Int, 0, C + 3)

blurx = Function(([c, x, y], [planes, rows, all_cols]), Float, "blurx")
blurx.defn = [(img(c, x - 2, y) + 4 * img(c, x - 1, y) + 6 * img(c, x, y) +
               4 * img(c, x + 1, y) + img(c, x + 2, y)) * 0.0625]

blury = Function(([c, x, y], [planes, rows, cols]), Float, "blury")
blury.defn = [(blurx(c, x, y - 2) + 4 * blurx(c, x, y - 1) + 6 * blurx(c, x, y) +
               4 * blurx(c, x, y + 1) + blurx(c, x, y + 2)) * 0.0625]

sharpen = Function(([c, x, y], [planes, rows, cols]), Float, "sharpen")
sharpen.defn = [img(c, x, y) * (1 + weight) - blury(c, x, y) * weight]

mask = Function(([c, x, y], [planes, rows, cols]), Float, "mask")
mask.defn = [Select(Condition(Abs(img(c, x, y) - blury(c, x, y)), '<', threshold),
                    img(c, x, y), sharpen(c, x, y))]
