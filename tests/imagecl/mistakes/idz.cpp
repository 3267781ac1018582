// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a third dimension
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
// CHECK: :[[#@LINE+1]]:21: error: the name 'idz' is not known, 'id{{[xy]}}' is the nearest one
    out[idx][idy] = idz;
    out[idx][idy] = in[idx][idy];
}
