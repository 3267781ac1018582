// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a loop that is not bounded
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
    float s = in[idx][idy];
// CHECK: :[[#@LINE+1]]:5: error: the loop has no known end: a conjunct of its condition should be 'n < P', with a number n that is known ahead of it, and P a number or an integer parameter
    while (s < 100) s = s * 2 + 1;
    out[idx][idy] = in[idx][idy];
}
