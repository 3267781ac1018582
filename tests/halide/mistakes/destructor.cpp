// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a destructor that does something, where an empty one is taken
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
int n = 0;
struct Empty {
  ~Empty() {}
};
struct Guard {
  // CHECK: :[[#@LINE+1]]:3: error: a destructor that does something is not supported
  ~Guard() { n += 1; }
};
Empty e;
{
  Guard g;
}
out(x) = in(x) + n;
