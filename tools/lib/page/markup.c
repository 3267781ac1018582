#include "tools/lib/page/markup.h"

#include "tools/lib/utf8.h"

#include <string.h>

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
  for (size_t i = 0, n; i < text.len; i += n ? n : 1) {
    unsigned char c = (unsigned char)text.ptr[i];
    n = pm_utf8_length((pm_str){text.ptr + i, text.len - i});
    const char *entity = entity_of(c);
    if (entity)
      pm_buf_puts(out, entity);
    else if (n == 0 || is_control(c))
      pm_buf_puts(out, "\xef\xbf\xbd");
    else
      pm_buf_put(out, text.ptr + i, n);
  }
}

void pm_puts_markup(pm_buf *out, const char *text) {
  pm_put_markup(out, pm_str_of(text));
}

void pm_put_ir_markup(pm_buf *out, const pm_word_set *words, pm_str text) {
  for (pm_piece piece; pm_take_piece(words, &text, &piece);) {
    bool plain = piece.blank || piece.class_ == PM_CLASS_PUNCTUATION;
    if (!plain) pm_buf_printf(out, "<span class=\"t-%s\">", pm_class_info_of(piece.class_)->word);
    pm_put_markup(out, piece.text);
    if (!plain) pm_buf_puts(out, "</span>");
  }
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
