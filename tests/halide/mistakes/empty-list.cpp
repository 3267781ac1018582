// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the items of a list that has none
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::vector<Expr> v;
// CHECK: :[[#@LINE+1]]:3: error: the list has no items
v.pop_back();
// CHECK: :[[#@LINE+1]]:12: error: the list has no items
Expr a = v.back();
// CHECK: :[[#@LINE+1]]:11: error: the list has no items, number 0 is asked for
Expr b = v[0];
// CHECK: :[[#@LINE+1]]:3: error: the length is -1, it should be 0 to 100000
v.resize(-1);
out(x, y) = in(x, y);
