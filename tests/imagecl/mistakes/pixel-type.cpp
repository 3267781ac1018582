// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a type of pixels that is none
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:23: error: 'strange' is no type of pixels, a type should be here, as in in:float
#pragma imcl pixel(in:strange)
void f(Image in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
