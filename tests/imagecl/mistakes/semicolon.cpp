// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a missing semicolon
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy]
// CHECK: :[[#@LINE+1]]:1: error: '}' is here, ';' should be
}
