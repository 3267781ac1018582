// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a write with one index
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
// CHECK: :[[#@LINE+1]]:8: error: the Image 'out' has one index here, it should have two: out[x][y]
    out[idx] = 1;
    out[idx][idy] = in[idx][idy];
}
