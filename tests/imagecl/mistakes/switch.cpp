// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a switch by a pixel
#pragma imcl grid(in)
void f(Image<int> in, Image<int> out) {
// CHECK: :[[#@LINE+1]]:5: error: a switch differs from point to point, which is not supported; 'if' is
    switch (in[idx][idy]) { case 1: out[idx][idy] = 1; }
    out[idx][idy] = in[idx][idy];
}
