// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Image in two grids of other sizes
#pragma imcl grid_size(3, 4)
void f(Image<float> out) {
    out[idx][idy] = idx;
}
#pragma imcl grid_size(3, 5)
void g(Image<float> out) {
// CHECK: :[[#@LINE+1]]:13: error: this Image has 3 x 5 pixels, and 3 x 4 by another grid
    out[idx][idy] = idy;
}
