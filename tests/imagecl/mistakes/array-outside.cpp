// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an index outside of an array
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out, float w[3]) {
// CHECK: :[[#@LINE+1]]:17: error: the index is 3, the array 'w' has 3 elements there
    float v =  w[3];
    out[idx][idy] = in[idx][idy];
}
