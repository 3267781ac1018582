// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: memory of Images for an array
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:24: error: 'w' is an array, image_mem has the name of an Image
#pragma imcl image_mem(w)
void f(Image<float> in, Image<float> out, float *w) {
    out[idx][idy] = in[idx][idy];
}
