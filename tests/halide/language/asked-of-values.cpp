// RUN: %python %lib/halide_values.py %s
// What is asked of types, of updates, and of Vars by their numbers.
// in: in = 3 i32: 1 2 3
// extents: out = 3
// extents: known = 9
// expect: out = 3 i32: 23 25 27
// expect: known = 9 i32: 1 1 0 1 0 1 1 32 1
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Output<Buffer<int, 1>> known{"known"};
Var x("x"), i("i");
Func f("f");
f(x) = in(x);
f(x) += 10;
f(x) = f(x) * 2;
Expr second = f.update_value(1);
int facts[9] = {UInt(16).lanes(), UInt(16).is_scalar(), Int(8).is_vector(), Int(16).can_represent(UInt(8)), Int(8).can_represent(UInt(8)),
                Float(32).can_represent(Int(16)), (int)f.update_args(1).size(), second.type().bits(), UInt(8).with_code(Int(8).code()).is_int()};
Buffer<int> all(9);
for (int k = 0; k < 9; k++) {
    all(k) = facts[k];
}
known(i) = all(i);
Func g;
g(Var::implicit(0)) = f(_0) + 1;
out(x) = g(x);
