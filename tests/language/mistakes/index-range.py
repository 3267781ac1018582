# An index made of what a picture contains: the message has values of the picture with which it stays inside, and with
# these the program is right.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
# RUN: pm-translate %s --pass-pipeline=schedule --to=html -o %t.html --range photo=0:1 --range bytes=0:254 --range labels=1000:1255 --range shifted=3:28.54 --range counted=0:239 --range square=0:15 --range both=-1:5
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
dom = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
# expected-note@+6:7 {{the domain of lut is { [v] : 0 <= v <= 255 }}}
# expected-note@+5:7 {{the domain of lut is { [v] : 0 <= v <= 255 }}}
# expected-note@+4:7 {{the domain of lut is { [v] : 0 <= v <= 255 }}}
# expected-note@+3:7 {{the domain of lut is { [v] : 0 <= v <= 255 }}}
# expected-note@+2:7 {{the domain of lut is { [v] : 0 <= v <= 255 }}}
# expected-note@+1:7 {{the domain of lut is { [v] : 0 <= v <= 255 }}}
lut = Function(([v], [Interval(Int, 0, 255)]), Float, "lut")
lut.defn = Sqrt(Cast(Float, v) / 255)


def image(type, name):
# expected-note@+1:12 {{this may be any integer of 32 bits}}
    return Image(type, name, [R, C])(x, y)


def stage(name, value):
    f = Function(dom, Float, name)
    f.defn = value


photo, bytes, labels = image(Float, "photo"), image(UChar, "bytes"), image(Int, "labels")
# expected-error@+2:12 {{lut is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 255), or declare what photo contains, --range photo=0:1}}
# expected-note@+1:16 {{this may be any integer of 32 bits}}
stage("a", lut(Cast(Int, photo * 255)))
# expected-error@+2:12 {{lut(256) may be read at a computed index, for x = 0, y = 0, R = 1, C = 1, but b should read lut only inside its domain}}
# expected-note@+1:12 {{clamp it, Min(Max(index, 0), 255), or declare what bytes contains, --range bytes=0:254; a boundary mode of lut, such as boundary="clamp", gives all points outside a value}}
stage("b", lut(bytes + 1))
# expected-error@+1:12 {{lut is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 255), or declare what labels contains, --range labels=1000:1255}}
stage("c", lut(labels - 1000))
shifted, square, both = image(Float, "shifted"), image(Short, "square"), image(Int, "both")
# expected-error@+2:12 {{lut is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 255), or declare what shifted contains, --range shifted=3:28.54}}
# expected-note@+1:16 {{this may be any integer of 32 bits}}
stage("d", lut(Cast(Int, (shifted - 3) * 10 + 0.5)))
# expected-error@+2:12 {{lut is read at an index with the product of two computed values, which is not known to stay inside, but e should read lut only inside its domain}}
# expected-note@+1:12 {{clamp it, Min(Max(index, 0), 255), or declare what square contains, --range square=0:15; a boundary mode of lut, such as boundary="clamp", gives all points outside a value}}
stage("e", lut(square * square))
# Through another stage, in both indices of a table, where the second is the one that leaves.
half = Function(dom, Int, "half")
half.defn = both / 2
# expected-note@+1:9 {{the domain of table is { [i, j] : 0 <= i < 2 and 0 <= j < 3 }}}
table = Table(Int, "table", [[1, 2, 3], [4, 5, 6]])
# expected-error@+4:12 {{table is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 2), or declare what both contains, --range both=-1:5}}
# expected-note@+3:25 {{this may be any integer of 32 bits}}
# expected-error@+2:44 {{lut is read at a computed index without bounds, but it should stay inside the domain: clamp it, Min(Max(index, 0), 255), or declare what both contains, --range both=-1:511}}
# expected-note@+1:25 {{this may be any integer of 32 bits}}
stage("f", table(1, Min(half(x, y), 90)) + lut(half(x, y)))
counted = Image(UChar, "counted", [R, C])
# expected-note@+1:5 {{the domain of h is { [v] : 0 <= v <= 15 }}}
h = Reduction(([v], [Interval(Int, 0, 15)]), dom, Int, "h")
# expected-error@+2:10 {{h(16) may be updated at a computed index, for x = 0, y = 0, R = 1, C = 1, but an update should change h only inside its domain}}
# expected-note@+1:10 {{clamp it, Min(Max(index, 0), 15), or declare what counted contains, --range counted=0:239}}
h.defn = Reduce(h(counted(x, y) / 15), 1, Sum)
