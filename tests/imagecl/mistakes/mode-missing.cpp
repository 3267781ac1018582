// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a boundary condition without a mode
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:28: error: 'in' has no mode, clamped or constant should follow it, as in in:clamped
#pragma imcl boundary_cond(in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
