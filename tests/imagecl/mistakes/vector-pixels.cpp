// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: pixels of four
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:14: error: an Image of 'float4' is not supported, one of numbers is, as Image<float>
void f(Image<float4> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
