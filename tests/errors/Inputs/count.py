R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
only = Variable(Int, "only")
count = Function(([only], [Interval(Int, 0, 0)]), Int, "count")
count.defn = [ img(0, 0) + 1 ]
