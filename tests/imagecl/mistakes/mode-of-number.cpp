// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a mode for what is no Image
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:28: error: 'k' is a number, boundary_cond has the name of an Image
#pragma imcl boundary_cond(k:clamped)
void f(Image<float> in, Image<float> out, float k) {
    out[idx][idy] = in[idx][idy];
}
