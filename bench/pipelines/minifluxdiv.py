# Finite-volume flux difference on a box of N^3 cells of five components with two layers of ghosts around.
# box[c][z][y][x] has the ghosts; the velocities along x, y and z are the components 2, 3 and 4.
N = Parameter(Int, "N")
box = Image(Double, "box", [5, N + 4, N + 4, N + 4])

c, z, y, x = Variable(Int, "c"), Variable(Int, "z"), Variable(Int, "y"), Variable(Int, "x")
variables = [c, z, y, x]
components, cells, faces = Interval(Int, 0, 4), Interval(Int, 0, N - 1), Interval(Int, 0, N)


def stage(name, intervals, value):
    f = Function((variables, [components] + intervals), Double, name)
    f.defn = [value]
    return f


# The point with `shift` added to the dimension `along` (1 is z, 3 is x).
def at(f, along, shift):
    point = [c, z, y, x]
    point[along] = point[along] + shift
    return f(point[0], point[1], point[2], point[3])


def cell(along, shift):
    point = [z + 2, y + 2, x + 2]
    point[along - 1] = point[along - 1] + shift
    return box(c, point[0], point[1], point[2])


def difference(name, along, velocity):
    on_faces = [faces if d == along else cells for d in range(1, 4)]
    f1 = stage("f1" + name, on_faces, 1.0 / 12 * (cell(along, -2) + 7 * (cell(along, -1) + cell(along, 0)) +
                                                  cell(along, 1)))
    f2 = stage("f2" + name, on_faces, 2 * (f1(c, z, y, x) * f1(velocity, z, y, x)))
    return stage("diff" + name, [cells, cells, cells], at(f2, along, 1) - f2(c, z, y, x))


diffx = difference("x", 3, 2)
diffy = difference("y", 2, 3)
diffz = difference("z", 1, 4)
sums = stage("sums", [cells, cells, cells],
             diffz(c, z, y, x) + diffy(c, z, y, x) + diffx(c, z, y, x) + box(c, z + 2, y + 2, x + 2))
