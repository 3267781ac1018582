// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a loop to a parameter with a break
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out, int n) {
    float s = in[idx][idy];
// CHECK: :[[#@LINE+1]]:5: error: a loop that ends by its condition at each pixel has 'break' or 'return', too
    for (int i = 0; i < n; i++) { s += i; if (s > 9) break; }
    out[idx][idy] = in[idx][idy];
}
