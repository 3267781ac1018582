// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a kernel without a grid
// CHECK: :[[#@LINE+1]]:6: error: 'f' has no grid, '#pragma imcl grid(…)' should be before it
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
