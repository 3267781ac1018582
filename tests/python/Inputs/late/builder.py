R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)

def blurred(of, name):
    made = Function(([x, y], [rows, cols]), Float, name)
    made.defn = [(of(x, y - 1) +
                  of(x, y) +
                  of(x, y + 1)) / 3]
    return made

b = blurred(img, "b")
c = blurred(b, "c")
