/* Calls a function whose tiles of columns two threads store to one line of the cache, many times: f[x][y] =
 * 10x + y. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "columns.h"

int main(void) {
  long wrong = 0;
  for (long call = 0; call < 300000; call++) {
    int32_t f[9], g[9];
    memset(f, 0, sizeof f);
    columns(f, g);
    for (int i = 0; i < 9; i++) wrong += f[i] != i / 3 * 10 + i % 3;
  }
  printf("%ld wrong\n", wrong);
  return wrong != 0;
}
