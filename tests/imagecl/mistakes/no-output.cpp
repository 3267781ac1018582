// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a kernel that writes nothing
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:6: error: 'f' writes no Image and no array, it should
void f(Image<float> in, Image<float> out) {
    float v = in[idx][idy];
}
