// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a write that is never reached
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:6: error: 'f' never comes to where it writes 'out'
void f(Image<float> in, Image<float> out) {
    if (1 > 2) out[idx][idy] = 1;
}
