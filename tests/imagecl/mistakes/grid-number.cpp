// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a grid of a number
// CHECK: :[[#@LINE+1]]:20: error: 'k' is a number, grid has the name of an Image
#pragma clite grid(k)
void f(Image<float> in, Image<float> out, float k) {
    out[idx][idy] = in[idx][idy];
}
