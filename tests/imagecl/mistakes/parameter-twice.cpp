// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: two parameters of one name
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:25: error: 'f' has two parameters 'in'
void f(Image<float> in, Image<float> in) {
    out[idx][idy] = in[idx][idy];
}
