// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a write at the own pixel and at others
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
// CHECK: :[[#@LINE+1]]:17: error: 'out' is written at its own pixel and at others, it should be one of these
    out[idx + 1][idy] = 2;
}
