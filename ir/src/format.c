#include "ir/diag.h"
#include "ir/ir.h"
#include "ir/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A va_list inside a struct can be handed to functions that advance it, whatever type it is. */
typedef struct format_args {
  va_list list;
} format_args;

typedef enum format_length {
  LEN_NONE,
  LEN_HH,
  LEN_H,
  LEN_L,
  LEN_LL,
  LEN_J,
  LEN_Z,
  LEN_T,
  LEN_BIG_L
} format_length;

/* A directive of printf, its stars replaced by numbers: what stands between '%' and the length. */
typedef struct format_spec {
  char text[80];
  size_t n;
  format_length length;
  char conversion;
} format_spec;

static void put_spec_char(format_spec *spec, char c) {
  if (spec->n + 8 < sizeof spec->text) spec->text[spec->n++] = c;
}

static void put_spec_int(format_spec *spec, int value) {
  char digits[16];
  snprintf(digits, sizeof digits, "%d", value);
  for (const char *d = digits; *d; d++) put_spec_char(spec, *d);
}

static const char *scan_number(const char *at, format_spec *spec, format_args *args) {
  if (*at == '*') {
    put_spec_int(spec, va_arg(args->list, int));
    return at + 1;
  }
  while (*at >= '0' && *at <= '9') put_spec_char(spec, *at++);
  return at;
}

/* A negative precision from a star means none: the dot goes too. */
static const char *scan_precision(const char *at, format_spec *spec, format_args *args) {
  if (*at != '.') return at;
  size_t before = spec->n;
  put_spec_char(spec, '.');
  at = scan_number(at + 1, spec, args);
  if (memchr(spec->text + before, '-', spec->n - before)) spec->n = before;
  return at;
}

static const char *scan_length(const char *at, format_spec *spec) {
  static const struct {
    const char *text;
    format_length length;
  } lengths[] = {{"hh", LEN_HH}, {"h", LEN_H}, {"ll", LEN_LL}, {"l", LEN_L},
                 {"j", LEN_J},   {"z", LEN_Z}, {"t", LEN_T},   {"L", LEN_BIG_L}};
  for (size_t i = 0; i < PM_COUNT(lengths); i++) {
    size_t n = strlen(lengths[i].text);
    if (strncmp(at, lengths[i].text, n) != 0) continue;
    spec->length = lengths[i].length;
    return at + n;
  }
  return at;
}

/* From behind the '%' to behind the conversion letter. */
static const char *scan_spec(const char *at, format_spec *spec, format_args *args) {
  *spec = (format_spec){.text = "%", .n = 1};
  while (*at && strchr("-+ #0", *at)) put_spec_char(spec, *at++);
  at = scan_number(at, spec, args);
  at = scan_precision(at, spec, args);
  at = scan_length(at, spec);
  spec->conversion = *at;
  return *at ? at + 1 : at;
}

static const char *finish_spec(format_spec *spec, const char *length) {
  snprintf(spec->text + spec->n, sizeof spec->text - spec->n, "%s%c", length, spec->conversion);
  return spec->text;
}

static intmax_t next_signed(format_args *args, format_length length) {
  switch (length) {
  case LEN_HH:
    return (signed char)va_arg(args->list, int);
  case LEN_H:
    return (short)va_arg(args->list, int);
  case LEN_L:
    return va_arg(args->list, long);
  case LEN_LL:
    return va_arg(args->list, long long);
  case LEN_J:
    return va_arg(args->list, intmax_t);
  case LEN_Z:
    return (intmax_t)va_arg(args->list, size_t);
  case LEN_T:
    return va_arg(args->list, ptrdiff_t);
  default:
    return va_arg(args->list, int);
  }
}

static uintmax_t next_unsigned(format_args *args, format_length length) {
  switch (length) {
  case LEN_HH:
    return (unsigned char)va_arg(args->list, unsigned);
  case LEN_H:
    return (unsigned short)va_arg(args->list, unsigned);
  case LEN_L:
    return va_arg(args->list, unsigned long);
  case LEN_LL:
    return va_arg(args->list, unsigned long long);
  case LEN_J:
    return va_arg(args->list, uintmax_t);
  case LEN_Z:
    return va_arg(args->list, size_t);
  case LEN_T:
    return (uintmax_t)va_arg(args->list, ptrdiff_t);
  default:
    return va_arg(args->list, unsigned);
  }
}

static void put_float(pm_buf *out, format_spec *spec, format_args *args) {
  if (spec->length == LEN_BIG_L)
    pm_buf_printf(out, finish_spec(spec, "L"), va_arg(args->list, long double));
  else
    pm_buf_printf(out, finish_spec(spec, ""), va_arg(args->list, double));
}

static void put_directive(pm_buf *out, format_spec *spec, format_args *args) {
  switch (spec->conversion) {
  case '%':
    pm_buf_putc(out, '%');
    break;
  case 'd':
  case 'i':
    pm_buf_printf(out, finish_spec(spec, "j"), next_signed(args, spec->length));
    break;
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    pm_buf_printf(out, finish_spec(spec, "j"), next_unsigned(args, spec->length));
    break;
  case 'c':
    pm_buf_printf(out, finish_spec(spec, ""), va_arg(args->list, int));
    break;
  case 's':
    pm_buf_printf(out, finish_spec(spec, ""), va_arg(args->list, const char *));
    break;
  case 'p':
    pm_buf_printf(out, finish_spec(spec, ""), va_arg(args->list, void *));
    break;
  case '\0':
    break;
  default:
    put_float(out, spec, args);
    break;
  }
}

static void put_op(pm_buf *out, const pm_op *op) {
  if (!op) {
    pm_buf_puts(out, "<no op>");
    return;
  }
  pm_buf_printf(out, "'%s'", op->desc->name);
  pm_attr sym = pm_has_trait(op, PM_SYMBOL) ? pm_attr_named(op, "sym") : NULL;
  if (sym && sym->cls == PM_ATTR_SYMBOL) pm_buf_printf(out, " @%s", sym->s->text);
}

static void put_object(pm_buf *out, char kind, const void *object) {
  if (kind == 'O')
    put_op(out, object);
  else if (!object)
    pm_buf_puts(out, "<null>");
  else if (kind == 'V')
    pm_print_value(out, object);
  else if (kind == 'T')
    pm_print_type(out, object);
  else if (kind == 'A')
    pm_print_attr(out, object);
  else
    pm_buf_puts(out, ((pm_string)object)->text);
}

static bool is_object_directive(const char *at) {
  return at[0] == 'p' && at[1] && strchr("OVTAS", at[1]);
}

void pm_vformat(pm_buf *out, const char *fmt, va_list list) {
  format_args args;
  va_copy(args.list, list);
  const char *at = fmt;
  while (*at) {
    size_t plain = strcspn(at, "%");
    pm_buf_put(out, at, plain);
    at += plain;
    if (!*at) break;
    at++;
    if (is_object_directive(at)) {
      put_object(out, at[1], va_arg(args.list, const void *));
      at += 2;
      continue;
    }
    format_spec spec;
    at = scan_spec(at, &spec, &args);
    put_directive(out, &spec, &args);
  }
  va_end(args.list);
}

void pm_format(pm_buf *out, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  pm_vformat(out, fmt, args);
  va_end(args);
}
