// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Image with one index as a value
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
// CHECK: :[[#@LINE+1]]:17: error: the Image 'in' has one index here, it should have two: in[x][y]
    float v = in[idx];
    out[idx][idy] = in[idx][idy];
}
