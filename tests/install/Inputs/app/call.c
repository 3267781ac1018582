/* Calls two pipelines, which CMake has compiled. */
#include "scale.h"
#include "shift.h"

#include <stdio.h>

int main(void) {
  float img[4] = {0, 1, 2, 3}, a[4], b[4];
  int code = scale(4, img, a);
  if (!code) code = shift(4, img, b);
  if (code)
    fprintf(stderr, "%s\n", shift_strerror(code));
  else
    printf("%g %g\n", a[3], b[3]);
  return code;
}
