// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an array that is shorter than a row
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out, float w[3]) {
// CHECK: :[[#@LINE+1]]:22: error: w(3) is read for
    out[idx][idy] = w[idx];
}
