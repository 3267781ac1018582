/* Blurs a picture with one bright pixel. */
#include "blur.h"

#include <stdio.h>

enum { ROWS = 4, COLUMNS = 6 };

int main(void) {
  float img[ROWS][COLUMNS] = {{0}}, out[ROWS][COLUMNS];
  img[1][2] = 9;
  int code = blur(ROWS, COLUMNS, &img[0][0], &out[0][0]);
  if (code != 0) {
    fprintf(stderr, "blur: %s\n", blur_strerror(code));
    return 1;
  }
  for (int i = 0; i < ROWS; i++, putchar('\n'))
    for (int k = 0; k < COLUMNS; k++) printf(" %g", (double)out[i][k]);
  return 0;
}
