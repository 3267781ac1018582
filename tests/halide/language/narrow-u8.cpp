// RUN: %python %lib/halide_values.py %s
// Sums, differences, products of u8 wrap at 8 bits; an int literal takes the type of the other operand.
// in: in = 6 u8: 0 1 100 128 200 255
// extents: sum = 6
// extents: difference = 6
// extents: product = 6
// extents: negated = 6
// extents: literal = 6
// expect: sum = 6 u8: 0 2 200 0 144 254
// expect: difference = 6 u8: 155 156 255 27 99 154
// expect: product = 6 u8: 0 1 16 0 64 1
// expect: negated = 6 u8: 0 255 156 128 56 1
// expect: literal = 6 u8: 7 10 51 135 95 4
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<uint8_t, 1>> sum{"sum"}, difference{"difference"}, product{"product"}, negated{"negated"};
Output<Buffer<uint8_t, 1>> literal{"literal"};
Var x("x");
sum(x) = in(x) + in(x);
difference(x) = in(x) - cast<uint8_t>(101);
product(x) = in(x) * in(x);
negated(x) = -in(x);
literal(x) = 3 * in(x) + 7;
