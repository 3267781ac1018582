// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a pragma without an option
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:19: error: '(' is here, an option should be, as grid(input) is
#pragma imcl      (in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
