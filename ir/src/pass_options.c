/* Values of pass options: from text and to text. */
#include "ir/src/pass_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

size_t pm_opt_count(const pm_pass_desc *desc) {
  size_t n = 0;
  while (desc->opts && desc->opts[n].name) n++;
  return n;
}

void pm_opt_value_free(pm_opt_value *value) {
  free(value->text);
  free(value->items);
  *value = (pm_opt_value){0};
}

/* A decimal number that takes up all of the text. */
static bool read_int(pm_str text, int64_t *value) {
  char digits[24];
  if (!text.len || text.len >= sizeof digits) return false;
  if (text.ptr[0] != '-' && (text.ptr[0] < '0' || text.ptr[0] > '9')) return false;
  memcpy(digits, text.ptr, text.len);
  digits[text.len] = 0;
  char *end;
  errno = 0;
  *value = strtoll(digits, &end, 10);
  return !errno && *end == 0;
}

/* The text before the first `separator` is cut off `rest` and returned. */
static pm_str cut(pm_str *rest, const char *separator) {
  size_t n = 0, width = strlen(separator);
  while (n < rest->len && (n + width > rest->len || memcmp(rest->ptr + n, separator, width) != 0)) n++;
  pm_str head = {rest->ptr, n};
  size_t gone = n < rest->len ? n + width : n;
  rest->ptr += gone;
  rest->len -= gone;
  return head;
}

static bool in_range(const pm_opt_desc *opt, int64_t value) {
  pm_str rest = pm_str_of(opt->values ? opt->values : "");
  if (!rest.len) return true;
  int64_t min, max;
  pm_str low = cut(&rest, "..");
  if (read_int(low, &min) && value < min) return false;
  return !(read_int(rest, &max) && value > max);
}

static bool read_int_option(const pm_opt_desc *opt, pm_str text, pm_opt_value *value, pm_buf *allowed) {
  if (read_int(text, &value->number) && in_range(opt, value->number)) return true;
  pm_buf_puts(allowed, "an integer");
  if (opt->values && *opt->values) pm_buf_printf(allowed, " in %s", opt->values);
  return false;
}

static bool read_bool_option(pm_str text, pm_opt_value *value, pm_buf *allowed) {
  value->number = pm_str_is(text, "true");
  if (value->number || pm_str_is(text, "false")) return true;
  pm_buf_puts(allowed, "true or false");
  return false;
}

static bool read_enum_option(const pm_opt_desc *opt, pm_str text, pm_opt_value *value, pm_buf *allowed) {
  pm_str rest = pm_str_of(opt->values);
  for (value->number = 0; rest.len; value->number++)
    if (pm_str_eq(cut(&rest, "|"), text)) return true;
  pm_buf_printf(allowed, "one of %s", opt->values);
  return false;
}

static bool read_ints_option(const pm_opt_desc *opt, pm_str text, pm_opt_value *value, pm_buf *allowed) {
  PM_VEC(int64_t) items = {0};
  bool ok = text.len == 0 || text.ptr[text.len - 1] != 'x';
  while (ok && text.len) {
    int64_t item = 0;
    ok = read_int(cut(&text, "x"), &item) && in_range(opt, item);
    PM_VEC_PUSH(items, item);
  }
  value->items = items.data;
  value->n_items = items.len;
  if (ok) return true;
  pm_opt_value_free(value);
  pm_buf_puts(allowed, "integers with x between them, as 32x256, or nothing");
  if (opt->values && *opt->values) pm_buf_printf(allowed, ", each in %s", opt->values);
  return false;
}

bool pm_opt_value_read(const pm_opt_desc *opt, pm_str text, pm_opt_value *value, pm_buf *allowed) {
  *value = (pm_opt_value){0};
  switch (opt->kind) {
  case PM_OPT_INT:
    return read_int_option(opt, text, value, allowed);
  case PM_OPT_BOOL:
    return read_bool_option(text, value, allowed);
  case PM_OPT_ENUM:
    return read_enum_option(opt, text, value, allowed);
  case PM_OPT_INTS:
    return read_ints_option(opt, text, value, allowed);
  case PM_OPT_STR:
    break;
  }
  value->text = pm_xstrndup(text.ptr, text.len);
  return true;
}

/* Quotes and escapes what the pipeline parser undoes. */
static void put_quoted(pm_buf *out, const char *text) {
  pm_buf_putc(out, '"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') pm_buf_putc(out, '\\');
    if (*text == '\n')
      pm_buf_puts(out, "\\n");
    else
      pm_buf_putc(out, *text);
  }
  pm_buf_putc(out, '"');
}

static void put_enum_word(pm_buf *out, const pm_opt_desc *opt, int64_t index) {
  pm_str rest = pm_str_of(opt->values), word = {0};
  for (int64_t i = 0; i <= index; i++) word = cut(&rest, "|");
  pm_buf_put(out, word.ptr, word.len);
}

static void put_ints(pm_buf *out, const pm_opt_value *value) {
  for (size_t i = 0; i < value->n_items; i++) pm_buf_printf(out, "%s%" PRId64, i ? "x" : "", value->items[i]);
}

void pm_opt_value_print(pm_buf *out, const pm_opt_desc *opt, const pm_opt_value *value) {
  switch (opt->kind) {
  case PM_OPT_INT:
    pm_buf_printf(out, "%" PRId64, value->number);
    break;
  case PM_OPT_BOOL:
    pm_buf_puts(out, value->number ? "true" : "false");
    break;
  case PM_OPT_ENUM:
    put_enum_word(out, opt, value->number);
    break;
  case PM_OPT_STR:
    put_quoted(out, value->text);
    break;
  case PM_OPT_INTS:
    put_ints(out, value);
    break;
  }
}
