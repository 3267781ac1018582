// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a mode of other languages
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:31: error: the mode is 'mirrored', it should be clamped or constant
#pragma imcl boundary_cond(in:mirrored)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
