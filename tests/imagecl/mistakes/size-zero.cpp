// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a grid without points
// CHECK: :[[#@LINE+1]]:24: error: the size is '0', it should be a number from 1 to 1073741824
#pragma imcl grid_size(0, 3)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
