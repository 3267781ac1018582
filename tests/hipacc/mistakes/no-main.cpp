// mistake: there is nothing that executes a kernel
// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: :1:1: error: the program has no function 'main'
#include "hipacc.hpp"
using namespace hipacc;
class Zero : public Kernel<uchar> {
  public:
    Zero(IterationSpace<uchar> &iter) : Kernel(iter) {}
    void kernel() { output() = 0; }
};
