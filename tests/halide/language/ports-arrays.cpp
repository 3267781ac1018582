// RUN: %python %lib/halide_values.py %s
// Arrays of inputs, parameters and outputs have the names name_0, name_1 …
// in: in_0 = 3x1 u8: 1 2 3
// in: in_1 = 3x1 u8: 10 20 30
// param: gain_0 = 2
// param: gain_1 = 3
// extents: out_0 = 3 1
// extents: out_1 = 3 1
// extents: pair = 3 1
// expect: out_0 = 3x1 i32: 2 4 6
// expect: out_1 = 3x1 i32: 30 60 90
// expect: pair.0 = 3x1 i32: 32 64 96
// expect: pair.1 = 3x1 f32: 16 32 48
class Arrays : public Generator<Arrays> {
public:
  Input<Buffer<uint8_t, 2>[2]> in{"in"};
  Input<int[2]> gain{"gain"};
  Output<Buffer<int, 2>[2]> out{"out"};
  Output<Func> pair{"pair", {Int(32), Float(32)}, 2};
  void generate() {
    Var x("x"), y("y");
    Expr total = cast<int>(0);
    for (size_t i = 0; i < in.size(); i++) {
      out[i](x, y) = in[i](x, y) * gain[i];
      total += out[i](x, y);
    }
    pair(x, y) = {total, cast<float>(total) / 2};
  }
};
HALIDE_REGISTER_GENERATOR(Arrays, arrays)
