// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an option that is misspelt
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:14: error: 'boundary_con' is no option of a pragma, 'boundary_cond' is the nearest one
#pragma imcl boundary_con(in:clamped)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
