// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a grid of an array
// CHECK: :[[#@LINE+1]]:23: error: 'mask' is an array, grid has the name of an Image
#pragma imcl grid(in, mask)
void f(Image<float> in, Image<float> out, float *mask) {
    out[idx][idy] = in[idx][idy];
}
