# Sums of windows that a reduction goes through.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C], boundary="clamp")
x, y, i, j = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "i"), Variable(Int, "j")
row, col, window = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, -1, 1)
windows = Reduction(([x, y], [row, col]), ([x, y, i, j], [row, col, window, window]), Int, "windows")
windows.defn = [Reduce(windows(x, y), img(x + i, y + j), Sum)]
