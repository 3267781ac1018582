"""A program for mypy --strict: it finds each line that is marked wrong, and no other. Without these lines it runs."""
import numpy as np
import numpy.typing as npt

import pm
import pm.halide as hl
from pm import Case, Cast, Float, Function, Image, Int, Interval, Max, Op, Parameter, Reduce, Reduction, Select, Stencil, Sum, UChar, Variable

R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C], boundary="mirror")
x, y, b = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "b")
rows, columns = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)

blur = Function(([x, y], [rows, columns]), Float, "blur")
blur.defn = [Stencil(img(x, y), 1.0 / 9, np.ones((3, 3), "int"))]
sharp = Function(([x, y], [rows, columns]), np.float32, "sharp")
sharp.defn = [Case((x > 0) & (y > 0), Max(img(x, y) + 2 * (img(x, y) - blur(x, y)), 0.5)), Case((x <= 0) | (y <= 0), img(x, y))]
sharp.boundary = "clamp"
bins = Reduction(([b], [Interval(Int, 0, 255)]), ([x, y], [rows, columns]), Int, "bins")
bins.defn = Reduce(bins(Cast(UChar, img(x, y))), Select(x > 3, 1, 2), Op.Sum)

f = pm.compile([blur, sharp], fp="strict", threads=2, estimates={"R": 480}, range={"img": (0, 1)})
photo: npt.NDArray[np.float32] = np.zeros((6, 8), np.float32)
first: npt.NDArray[np.float32] = f(photo)[0]
total: float = float(first.sum())
shapes: dict[str, tuple[int, ...]] = f.shapes(img=photo)
low, high = f.needs(blur=np.s_[0:2, 0:2], sharp=((0, 2), (0, 2)), img=photo)["img"][0]
names: list[str] = [p.name for p in f.outputs]
timing: float = f.build().time(photo).best
text: str = f.signature + f.source + f.ir("")
page: str = f.page

u, v = hl.vars("u v")
edges = hl.Func("edges")
edges[u, v] = hl.absd(hl.Buffer(photo)[u, v], 1) + hl.cast(hl.Float(32), u)
edges.compute_root().vectorize(u, 8).parallel(v)
result = np.asarray(edges.realize([8, 6]))
print(result.shape)
size: int = hl.get_host_target().natural_vector_size(hl.Float(32))
try:
    f(photo)
except pm.CompileError as error:
    line: int | None = error.lineno
    print(error.diagnostics[0].text.upper())

pm.compile(blur, threads="two")  # wrong
pm.compile(blur, fp="loose")  # wrong
pm.compile(blur, thread=2)  # wrong
pm.compile(img)  # wrong
pm.compile("blur")  # wrong
pm.load("blur.py", const=3)  # wrong
Image(Float, "img", [R, "C"])  # wrong
Function(([x, y], [rows, 3]), Float, "f")  # wrong
blur.defn = "blur"  # wrong
img("x", y)  # wrong
img + 1 + "text"  # wrong
f.shape(img=photo)  # wrong
f.signature()  # wrong
error_line: str = pm.CompileError([]).lineno  # wrong
hl.sqrt("u")  # wrong
edges[u, v] + "text"  # wrong
edges.realise([8, 6])  # wrong
hl.UInt("8")  # wrong
