// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Image with one index
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
// CHECK: :[[#@LINE+1]]:29: error: the Image 'in' has one index here, it should have two: in[x][y]
    out[idx][idy] = in[idx] * 2;
    out[idx][idy] = in[idx][idy];
}
