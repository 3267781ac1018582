// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a string that doubles for ever
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::string s = "ab";
// CHECK: :[[#@LINE+1]]:37: error: the string has more than 65536 characters, it should not grow further
for (int i = 0; i < 100; i++) s = s + s;
out(x, y) = in(x, y);
