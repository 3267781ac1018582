// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a constructor that counts copies, which C++ may leave out
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
struct Counter {
  int n = 0;
  Counter() {}
  // CHECK: :[[#@LINE+1]]:3: error: a constructor that copies otherwise than each member is not supported
  Counter(const Counter &other) : n(other.n + 1) {}
};
Counter a;
Counter b = a;
out(x) = in(x) + b.n;
