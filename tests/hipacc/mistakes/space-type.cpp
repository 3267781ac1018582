// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an iteration space has the type of its image
#include "hipacc.hpp"
using namespace hipacc;
int main() {
    Image<uchar> result(32, 24);
// CHECK: :[[#@LINE+1]]:32: error: the Image 'result' is of uchar, the IterationSpace should be of its type
    IterationSpace<float> iter(result);
    result.data();
}
