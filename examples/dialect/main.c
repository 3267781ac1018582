#include "product.h"

#include <stdio.h>

int main(void) {
  const float a[2][3] = {{1, 2, 3}, {4, 5, 6}}, x[3] = {1, 10, 100};
  float y[2];
  int code = product(2, 3, &a[0][0], x, y);
  if (code != 0)
    fprintf(stderr, "%s\n", product_strerror(code));
  else
    printf("%g %g\n", (double)y[0], (double)y[1]);
  return code;
}
