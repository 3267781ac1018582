#include "tools/lib/page/markup.h"

#include <string.h>

/* The length of the character of UTF-8 that the text begins with, 0 when it begins with none: a stray or
 * missing continuation, an overlong form, a surrogate, above U+10FFFF. RFC 3629, section 4. */
static size_t utf8_length(const unsigned char *at, size_t left) {
  unsigned char first = at[0], low = 0x80, high = 0xbf;
  if (first < 0x80) return 1;
  size_t n = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (n == 0 || n > left) return 0;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t i = 2; i < n; i++)
    if (at[i] < 0x80 || at[i] > 0xbf) return 0;
  return n;
}

static const char *entity_of(unsigned char c) {
  switch (c) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

static bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

void pm_put_markup(pm_buf *out, pm_str text) {
  const unsigned char *at = (const unsigned char *)text.ptr;
  for (size_t i = 0, n; i < text.len; i += n ? n : 1) {
    n = utf8_length(at + i, text.len - i);
    const char *entity = entity_of(at[i]);
    if (entity)
      pm_buf_puts(out, entity);
    else if (n == 0 || is_control(at[i]))
      pm_buf_puts(out, "\xef\xbf\xbd");
    else
      pm_buf_put(out, text.ptr + i, n);
  }
}

void pm_puts_markup(pm_buf *out, const char *text) {
  pm_put_markup(out, pm_str_of(text));
}

void pm_puts_dot_string(pm_buf *out, const char *text) {
  for (const char *next; *text; text = next) {
    next = text + (*text == '\\' ? 1 : strcspn(text, "\\"));
    if (*text == '\\')
      pm_buf_puts(out, "\\\\");
    else
      pm_put_markup(out, (pm_str){text, (size_t)(next - text)});
  }
}
