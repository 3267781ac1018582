// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an index that is a float
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
// CHECK: :[[#@LINE+1]]:23: error: the index is a float, it should be an integer
    out[idx][idy] = in[idx * 0.5f][idy];
}
