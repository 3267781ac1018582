// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a write to idx
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
// CHECK: :[[#@LINE+1]]:9: error: what is assigned to is const
    idx = 3;
    out[idx][idy] = in[idx][idy];
}
