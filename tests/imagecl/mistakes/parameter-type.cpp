// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a parameter of another type
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:43: error: a parameter of the type 'sampler_t' is not supported, Images, arrays and numbers are
void f(Image<float> in, Image<float> out, sampler_t s) {
    out[idx][idy] = in[idx][idy];
}
