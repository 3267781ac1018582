// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: none of Halide's: stages in C are not supported here
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
std::vector<ExternFuncArgument> args = {in, 3};
// CHECK: :[[#@LINE+1]]:3: error: extern stages are not supported, f is one
f.define_extern("blur_in_c", args, UInt(8), 2, NameMangling::C);
f.compute_root();
out(x, y) = f(x, y);
