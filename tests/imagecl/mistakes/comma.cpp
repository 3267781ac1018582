// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: mandelbrot of the public examples
#pragma imcl grid(in)
// CHECK: :[[#@LINE+1]]:52: error: 'int' is here, ')' should be
void f(Image<float> in, Image<float> out, int step int MAXITER) {
    out[idx][idy] = in[idx][idy];
}
