// RUN: %python %lib/halide_values.py %s
// A script with ImageParam and Param, whose outputs are told by output().
// in: in = 4x2 u16: 1 2 3 4 / 10 20 30 40
// param: gain = 1.5
// param: last = 2
// extents: bright = 3 2
// extents: count =
// expect: bright = 3x2 u16: 4 7 10 / 45 75 105
// expect: count = i32: 60
ImageParam in(UInt(16), 2, "in");
Param<float> gain("gain");
Param<int> last("last");
Var x("x"), y("y");
Func pairs("pairs"), bright("bright"), count("count");
pairs(x, y) = in(x, y) + in(x + 1, y);
bright(x, y) = cast<uint16_t>(gain * pairs(x, y));
RDom r(0, last + 1);
count() = 0;
count() += cast<int>(in(r, 1));
output(bright, count);
