// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Image of two types
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:25: error: 'out' is of another kind or type in an earlier kernel, it should be the same there
void g(Image<float> in, Image<int> out) {
    out[idx][idy] = in[idx][idy];
}
// CHECK: :4:25: note: it is this one
