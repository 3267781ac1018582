// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a loop to a parameter by twos
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out, int n) {
    float s = in[idx][idy];
// CHECK: :[[#@LINE+1]]:5: error: the loop has no known end: what bounds it should be one more after each round
    for (int i = 0; i < n; i += 2) s += i;
    out[idx][idy] = in[idx][idy];
}
