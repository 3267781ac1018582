// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a pragma without its bracket
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:20: error: 'i' is here, '(' should follow 'pixel'
#pragma imcl pixel in:float
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
