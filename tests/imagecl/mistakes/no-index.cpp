// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Image as a number
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
// CHECK: :[[#@LINE+1]]:25: error: the Image 'in' has no index here, it should have two: in[x][y]
    float v = sqrt(0.5f + in);
    out[idx][idy] = in[idx][idy];
}
