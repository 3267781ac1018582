# Adds to each pixel how far it is from the mean of its 25 neighbours.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C], boundary="mirror101")
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, columns = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)

across = Function(([x, y], [Interval(Int, -2, R + 1), columns]), Int, "across")
across.defn = [ img(x, y - 2) + img(x, y - 1) + img(x, y) + img(x, y + 1) + img(x, y + 2) ]

mean = Function(([x, y], [rows, columns]), Float, "mean")
mean.defn = [ (across(x - 2, y) + across(x - 1, y) + across(x, y) + across(x + 1, y) + across(x + 2, y)) / 25.0 ]

sharpen = Function(([x, y], [rows, columns]), UChar, "sharpen")
sharpen.defn = [ Cast(UChar, Min(255, Max(0, 2 * img(x, y) - mean(x, y)))) ]
