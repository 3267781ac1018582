int f(int a) {
    return a;
}
// mistake: no kernel
// CHECK: :1:1: error: the program has no kernel, a void function with '#pragma imcl grid(…)'
// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
