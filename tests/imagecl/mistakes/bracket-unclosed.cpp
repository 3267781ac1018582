// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a pragma that is not closed
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:33: error: the line ends here, ',' or ')' should be
#pragma imcl constant_mem_cand(w
void f(Image<float> in, Image<float> out, float *w) {
    out[idx][idy] = in[idx][idy];
}
