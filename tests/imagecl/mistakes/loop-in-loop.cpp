// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a loop to a parameter in another one
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out, int n) {
    float s = in[idx][idy];
// CHECK: :[[#@LINE+1]]:33: error: a loop whose end is not known is inside of another one
    for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) s += k;
    out[idx][idy] = in[idx][idy];
}
