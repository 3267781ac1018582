#include "tools/lib/utf8.h"

size_t pm_utf8_length(pm_str text) {
  const unsigned char *at = (const unsigned char *)text.ptr;
  unsigned char first = at[0], low = 0x80, high = 0xbf;
  if (first < 0x80) return 1;
  size_t n = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (n == 0 || n > text.len) return 0;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t i = 2; i < n; i++)
    if (at[i] < 0x80 || at[i] > 0xbf) return 0;
  return n;
}
