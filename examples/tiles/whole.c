/* whole ROWS COLUMNS < INPUT > OUTPUT: the same picture in one call, all of it in memory. */
#include "sharpen.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rows = argc == 3 ? atoi(argv[1]) : 0, columns = argc == 3 ? atoi(argv[2]) : 0;
  if (rows < 1 || columns < 1) {
    fprintf(stderr, "usage: whole ROWS COLUMNS < INPUT > OUTPUT\n");
    return 2;
  }
  size_t n = (size_t)rows * (size_t)columns;
  uint8_t *img = malloc(n), *out = malloc(n);
  const char *wrong = NULL;
  if (!img || !out)
    wrong = "no memory";
  else if (fread(img, 1, n, stdin) != n)
    wrong = "the input cannot be read, or is too short";
  else if (sharpen(rows, columns, img, out) != 0)
    wrong = "the picture cannot be sharpened";
  else if (fwrite(out, 1, n, stdout) != n || fflush(stdout) != 0)
    wrong = "the output cannot be written";
  if (wrong) fprintf(stderr, "whole: %s\n", wrong);
  free(img);
  free(out);
  return wrong != NULL;
}
