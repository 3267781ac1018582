// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a pragma behind the kernel
#pragma imcl grid(in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
// CHECK: :[[#@LINE+1]]:14: error: no kernel follows this pragma, it should be before one
#pragma imcl boundary_cond(in:clamped)
