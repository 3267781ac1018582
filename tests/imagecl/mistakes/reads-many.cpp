// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a window of 100000 pixels
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
    float sum = 0;
    for (int i = 0; i < 100000; i++)
// CHECK: :[[#@LINE+1]]:27: error: the kernel has more than 16384 reads once its loops are unrolled, it should have fewer
        sum += in[idx + i][idy];
    out[idx][idy] = sum;
}
