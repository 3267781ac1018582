// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: no headers: a device, a folder, and what is not there
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:1: error: the header '/dev/zero' cannot be read
#include "/dev/zero"
// CHECK: :[[#@LINE+1]]:1: error: the header '.' cannot be read
#include "."
// CHECK: :[[#@LINE+1]]:1: error: the header '-' cannot be read
#include "-"
// CHECK: :[[#@LINE+1]]:1: error: the header 'nosuch.h' cannot be read
#include "nosuch.h"
out(x, y) = in(x, y);
