// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: constant memory for an Image
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:27: error: 'in' is an Image, constant_mem has the name of an array
#pragma imcl constant_mem(in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
