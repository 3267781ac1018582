// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a negative index
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out, float *w) {
// CHECK: :[[#@LINE+1]]:17: error: the index is -1, it should not be negative
    float v =  w[-1];
    out[idx][idy] = in[idx][idy];
}
