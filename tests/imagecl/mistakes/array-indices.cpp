// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: too few indices of an array
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out, float w[2][3]) {
// CHECK: :[[#@LINE+1]]:24: error: the array 'w' has 1 index here, it should have 2
    float v =     w[0] + 1;
    out[idx][idy] = in[idx][idy];
}
