// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a name that is misspelt
// CHECK: :[[#@LINE+1]]:19: error: 'inn' is no parameter of 'f', 'in' is the nearest one
#pragma imcl grid(inn)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
