// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an option that is none
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:14: error: 'vectorize' is no option of a pragma: grid, grid_size, boundary_cond, pixel and those of memory are
#pragma imcl vectorize(in)
void f(Image<float> in, Image<float> out) {
    out[idx][idy] = in[idx][idy];
}
