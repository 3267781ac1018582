// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a grid of one dimension
// CHECK: :[[#@LINE+1]]:14: error: grid_size has 1 numbers, it should have a width and a height
#pragma imcl grid_size(3)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
