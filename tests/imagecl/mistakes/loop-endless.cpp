// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a loop that ends at no known round
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
    float s = in[idx][idy];
// CHECK: :[[#@LINE+1]]:5: error: the loop goes on at some points after {{[0-9]+}} rounds, it should have a known end
    while (true) if (s > (s = s / 2)) break;
    out[idx][idy] = in[idx][idy];
}
