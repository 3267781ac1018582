// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: Listing 1 of the paper
// CHECK: :[[#@LINE+1]]:19: error: 'input' is no parameter of 'f', an Image should be
#pragma imcl grid(input)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
