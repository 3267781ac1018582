/* Parsing of types and attributes. */
#include "ir/src/parser.h"
#include "ir/src/context_private.h"
#include "ir/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- types --- */

static bool find_scalar(pm_str word, pm_scalar *scalar) {
  for (int s = 0; s < PM_N_SCALARS; s++) {
    const char *name = pm_get_scalar_info((pm_scalar)s)->name;
    if (word.len && *word.ptr == *name && pm_str_is(word, name)) return *scalar = (pm_scalar)s, true;
  }
  return false;
}

/* `what`, then the types that there are. */
static bool expected_type(pm_parser *p, const char *what, const char *shaped) {
  pm_buf text = {0};
  pm_buf_puts(&text, what);
  for (int s = 0; s < PM_N_SCALARS; s++)
    pm_buf_printf(&text, "%s%s",
                  !s                                ? ": "
                  : s + 1 < PM_N_SCALARS || *shaped ? ", "
                                                    : " or ",
                  pm_get_scalar_info((pm_scalar)s)->name);
  pm_buf_puts(&text, shaped);
  pm_parser_expected(p, text.data);
  pm_buf_free(&text);
  return false;
}

static bool parse_scalar(pm_parser *p, pm_type *type) {
  pm_scalar scalar;
  if (p->tok.kind != PM_TOK_WORD || !find_scalar(p->tok.text, &scalar))
    return expected_type(p, "a scalar type", "");
  *type = pm_get_scalar(p->ctx, scalar);
  pm_parser_advance(p);
  return true;
}

typedef PM_VEC(int64_t) extents;
typedef PM_VEC(pm_type) type_list;

static pm_loc loc_at(const pm_parser *p, const char *at) {
  pm_loc loc = p->tok.loc;
  size_t col = loc.col + (size_t)(at - p->tok.start);
  loc.col = (uint16_t)(col < UINT16_MAX ? col : UINT16_MAX);
  return loc;
}

/* `?x` or `12x` at *at; false after a diagnostic. */
static bool take_extent(pm_parser *p, const char **at, extents *dims) {
  const char *from = *at, *end = p->lexer.end;
  int64_t extent = 0;
  if (*from == '?') {
    extent = PM_DYNAMIC;
    ++*at;
  } else {
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
      int digit = **at - '0';
      if (extent > (INT64_MAX - digit) / 10)
        return pm_q_error(p, loc_at(p, from), "the extent is beyond 64 bits");
      extent = extent * 10 + digit;
    }
  }
  if (*at == end || **at != 'x') return pm_q_error(p, loc_at(p, *at), "expected an 'x' after the extent");
  ++*at;
  PM_VEC_PUSH(*dims, extent);
  return true;
}

/* `4x?xf32`: lexed by hand, because `4x` and `xf32` are tokens of other kinds. */
static bool parse_shape(pm_parser *p, extents *dims, pm_type *elem) {
  const char *at = p->tok.start;
  while (at < p->lexer.end && (*at == '?' || (*at >= '0' && *at <= '9')))
    if (!take_extent(p, &at, dims)) return false;
  p->lexer.cur = at;
  pm_lex(&p->lexer, &p->tok);
  return pm_parser_at_punct(p, '!') ? pm_q_type(p, elem) : parse_scalar(p, elem);
}

static bool parse_vector(pm_parser *p, pm_loc loc, pm_type *type) {
  extents dims = {0};
  pm_type elem;
  bool ok = pm_q_punct(p, "<") && parse_shape(p, &dims, &elem) && pm_q_punct(p, ">");
  if (ok && elem->cls == PM_TYPE_CUSTOM) ok = pm_q_error(p, loc, "the elements of a vector are scalars");
  if (ok && (dims.len != 1 || dims.data[0] < 1 || dims.data[0] > UINT16_MAX))
    ok = pm_q_error(p, loc, "a vector has one extent, from 1 to %d", UINT16_MAX);
  if (ok) *type = pm_get_vector(elem, (uint32_t)dims.data[0]);
  PM_VEC_FREE(dims);
  return ok;
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* `?` or an integer at *at, with white space around it, and what follows, ',' or ']', in *end; false after a
 * diagnostic. */
static bool take_stride(pm_parser *p, const char **at, extents *strides, char *end) {
  const char *stop = p->lexer.end;
  int64_t stride = 0;
  while (*at < stop && is_space(**at)) ++*at;
  const char *from = *at;
  if (*at < stop && **at == '?') {
    stride = PM_DYNAMIC;
    ++*at;
  }
  for (; stride != PM_DYNAMIC && *at < stop && **at >= '0' && **at <= '9'; ++*at) {
    if (stride > (INT64_MAX - 9) / 10) return pm_q_error(p, loc_at(p, from), "the stride is beyond 64 bits");
    stride = stride * 10 + (**at - '0');
  }
  if (*at == from) return pm_q_error(p, loc_at(p, from), "expected a stride, which is a number or '?'");
  while (*at < stop && is_space(**at)) ++*at;
  *end = *at < stop ? **at : 0;
  if (*end != ',' && *end != ']')
    return pm_q_error(p, loc_at(p, *at), "expected a ',' or ']' after the stride");
  ++*at;
  PM_VEC_PUSH(*strides, stride);
  return true;
}

/* `<[?, 1]>`, where '?' is lexed by hand. */
static bool parse_strides(pm_parser *p, extents *strides) {
  if (!pm_q_punct(p, "<")) return false;
  if (!pm_parser_at_punct(p, '[')) return pm_parser_expected(p, "'['");
  const char *at = p->tok.start + 1;
  char end = 0;
  do
    if (!take_stride(p, &at, strides, &end)) return false;
  while (end == ',');
  p->lexer.cur = at;
  pm_lex(&p->lexer, &p->tok);
  return pm_q_punct(p, ">");
}

/* `, strided<[…]>` and `, heap`, each if it is there. */
static bool parse_layout(pm_parser *p, extents *strides, pm_space *space) {
  if (!pm_q_opt_punct(p, ",")) return true;
  if (pm_q_opt_word(p, "strided") && (!parse_strides(p, strides) || !pm_q_opt_punct(p, ",")))
    return strides->len > 0 && pm_parser_at_punct(p, '>');
  pm_loc loc = p->tok.loc;
  pm_string name;
  if (!pm_q_name(p, &name)) return false;
  return pm_parse_space(p->ctx, loc, (pm_str){name->text, name->len}, NULL, space);
}

static bool parse_memref(pm_parser *p, pm_loc loc, pm_type *type) {
  extents dims = {0}, strides = {0};
  pm_type elem;
  pm_space space = PM_SPACE_NONE;
  bool ok = pm_q_punct(p, "<") && parse_shape(p, &dims, &elem) && parse_layout(p, &strides, &space) &&
            pm_q_punct(p, ">");
  if (ok && dims.len > UINT16_MAX) ok = pm_q_error(p, loc, "a memref has at most %d extents", UINT16_MAX);
  if (ok && strides.len && strides.len != dims.len)
    ok = pm_q_error(p, loc, "a memref of rank %zu has as many strides, not %zu", dims.len, strides.len);
  if (ok) *type = pm_get_memref(elem, (uint16_t)dims.len, dims.data, space);
  if (ok && strides.len) *type = pm_get_strided(*type, strides.data);
  PM_VEC_FREE(strides);
  PM_VEC_FREE(dims);
  return ok;
}

/* --- types of dialects --- */

/* The kind of that name; `*nearest` gets the name that is most like it, or NULL. */
static const pm_type_kind *find_type_kind(pm_context *ctx, pm_str name, const char **nearest) {
  unsigned best = pm_typo_limit(name.len);
  *nearest = NULL;
  for (size_t i = 0; i < pm_dialect_count(ctx); i++) {
    const pm_type_kind *const *kind = pm_dialect_at(ctx, i)->type_kinds;
    for (; kind && *kind; kind++) {
      if (pm_str_is(name, (*kind)->name)) return *kind;
      unsigned distance = pm_edit_distance(pm_str_of((*kind)->name), name, best);
      if (distance < best) best = distance, *nearest = (*kind)->name;
    }
  }
  return NULL;
}

typedef PM_VEC(pm_attr) attr_items;

/* `<1.5, f32>`, or nothing. */
static bool parse_any_params(pm_parser *p, attr_items *items) {
  if (!pm_q_opt_punct(p, "<")) return true;
  do {
    pm_attr item = NULL;
    if (!pm_q_attr(p, NULL, &item)) return false;
    PM_VEC_PUSH(*items, item);
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, ">");
}

static bool parse_rows(pm_parser *p, const char *name, const pm_row *rows, attr_items *items) {
  bool ok = rows->kind == PM_ROW_END || pm_q_punct(p, "<");
  for (const pm_row *row = rows; ok && row->kind != PM_ROW_END; row++) {
    pm_loc at = p->tok.loc;
    pm_attr item = NULL;
    ok = (row == rows || pm_q_punct(p, ",")) && pm_q_attr(p, NULL, &item);
    if (ok && !pm_attr_fits((pm_attr_constraint)row->constraint, item))
      ok = pm_q_error(p, at, "the %s of '%s' should be %s", row->name, name,
                      pm_attr_words((pm_attr_constraint)row->constraint));
    if (ok) PM_VEC_PUSH(*items, item);
  }
  return ok && (rows->kind == PM_ROW_END || pm_q_punct(p, ">"));
}

/* The parameters that the rows say; NULL after a diagnostic. */
static pm_attr parse_params(pm_parser *p, const char *name, const pm_row *rows) {
  attr_items items = {0};
  bool ok = rows == pm_any_params ? parse_any_params(p, &items) : parse_rows(p, name, rows, &items);
  pm_attr list = ok ? pm_get_array(p->ctx, items.data, items.len) : NULL;
  PM_VEC_FREE(items);
  return list;
}

/* What follows '!'. */
static bool parse_custom_type(pm_parser *p, pm_type *type) {
  pm_loc loc = p->tok.loc;
  pm_str name = p->tok.text;
  const char *nearest;
  if (p->tok.kind != PM_TOK_WORD) return pm_parser_expected(p, "the name of a type");
  const pm_type_kind *kind = find_type_kind(p->ctx, name, &nearest);
  const pm_unregistered_kind *kept = kind ? NULL : pm_get_unregistered_kind(p->ctx, name);
  if (kept) kind = &kept->type;
  if (!kind)
    return pm_q_error(p, loc, "unknown type '!%.*s'%s%s%s", (int)name.len, name.ptr,
                      nearest ? "; did you mean '!" : "", nearest ? nearest : "", nearest ? "'?" : "");
  pm_parser_advance(p);
  pm_attr params = parse_params(p, kind->name, kind->params);
  if (!params) return false;
  *type = pm_get_custom_type(kind, params);
  return !kind->verify || kind->verify(*type, loc);
}

static bool begins_type(const pm_parser *p) {
  pm_scalar scalar;
  if (pm_parser_at_punct(p, '!')) return true;
  return p->tok.kind == PM_TOK_WORD && (find_scalar(p->tok.text, &scalar) ||
                                        pm_str_is(p->tok.text, "vector") || pm_str_is(p->tok.text, "memref"));
}

bool pm_q_type(pm_parser *p, pm_type *type) {
  pm_loc loc = p->tok.loc;
  pm_scalar scalar;
  if (p->tok.kind == PM_TOK_WORD && find_scalar(p->tok.text, &scalar)) return parse_scalar(p, type);
  if (pm_q_opt_word(p, "vector")) return parse_vector(p, loc, type);
  if (pm_q_opt_word(p, "memref")) return parse_memref(p, loc, type);
  if (pm_q_opt_punct(p, "!")) return parse_custom_type(p, type);
  return expected_type(p, "a type", ", vector<8xf32> or memref<?xf32>");
}

/* What follows '('. */
static bool parse_elements(pm_parser *p, type_list *elems) {
  do {
    pm_type elem;
    if (!parse_scalar(p, &elem)) return false;
    PM_VEC_PUSH(*elems, elem);
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, ")");
}

bool pm_q_type_or_tuple(pm_parser *p, pm_type *type) {
  pm_loc loc = p->tok.loc;
  if (!pm_q_opt_punct(p, "(")) return pm_q_type(p, type);
  type_list elems = {0};
  bool ok = parse_elements(p, &elems);
  if (ok && (elems.len < 2 || elems.len > UINT16_MAX))
    ok = pm_q_error(p, loc, "a tuple has from 2 to %d elements", UINT16_MAX);
  if (ok) *type = pm_get_tuple(elems.data, (uint16_t)elems.len);
  PM_VEC_FREE(elems);
  return ok;
}

/* --- numbers --- */

/* The digits of an INT token; false when they are beyond 64 bits. */
static bool read_magnitude(pm_str text, uint64_t *value) {
  char digits[32];
  bool hex = text.len > 2 && (text.ptr[1] | 32) == 'x';
  while (text.len > 1 && *text.ptr == '0' && !hex) text.ptr++, text.len--;
  if (text.len >= sizeof digits) return false;
  memcpy(digits, text.ptr, text.len);
  digits[text.len] = 0;
  errno = 0;
  *value = strtoull(digits, NULL, hex ? 16 : 10);
  return errno == 0;
}

static bool too_big(pm_parser *p, pm_loc loc, pm_str digits, bool negative, const char *type) {
  return pm_q_error(p, loc, "%s%.*s does not fit in %s", negative ? "-" : "",
                    (int)(digits.len < 60 ? digits.len : 60), digits.ptr, type);
}

static bool fits(uint64_t magnitude, bool negative, const pm_scalar_info *info) {
  uint64_t values = UINT64_C(1) << (info->bits - 1);
  if (info->is_signed) return magnitude < values || (negative && magnitude == values);
  return (!negative || !magnitude) && magnitude <= values - 1 + values;
}

bool pm_q_int(pm_parser *p, int64_t *value) {
  pm_loc loc = p->tok.loc;
  bool negative = pm_q_opt_punct(p, "-");
  uint64_t magnitude;
  if (p->tok.kind != PM_TOK_INT) return pm_parser_expected(p, "an integer");
  if (!read_magnitude(p->tok.text, &magnitude) || !fits(magnitude, negative, pm_get_scalar_info(PM_I64)))
    return too_big(p, loc, p->tok.text, negative, "64 bits");
  *value = (int64_t)(negative ? 0 - magnitude : magnitude);
  pm_parser_advance(p);
  return true;
}

/* A number as written, before its type is known. */
typedef struct number {
  pm_loc loc;
  bool negative;
  bool is_float;
  pm_str digits;
} number;

static bool hex_digits(pm_str digits) {
  return digits.len > 2 && (digits.ptr[1] | 32) == 'x';
}

static bool read_decimal(pm_str digits, double *value) {
  char *text = pm_xstrndup(digits.ptr, digits.len);
  *value = strtod(text, NULL);
  free(text);
  return *value <= 1.7976931348623157e308;
}

/* Bits of an f64, or of an f32 for any other type, as pm_print_attr writes what decimals cannot. */
static double from_bits(uint64_t bits, pm_type type) {
  double wide;
  float narrow;
  uint32_t bits32 = (uint32_t)bits;
  memcpy(&wide, &bits, sizeof wide);
  memcpy(&narrow, &bits32, sizeof narrow);
  return type->scalar == PM_F64 ? wide : (double)narrow;
}

static bool read_float(pm_parser *p, const number *n, pm_type type, double *number) {
  double value;
  uint64_t bits;
  if (hex_digits(n->digits)) {
    if (!read_magnitude(n->digits, &bits) || (type->scalar != PM_F64 && bits > UINT32_MAX))
      return too_big(p, n->loc, n->digits, n->negative, pm_get_scalar_info((pm_scalar)type->scalar)->name);
    value = from_bits(bits, type);
  } else if (!read_decimal(n->digits, &value)) {
    return too_big(p, n->loc, n->digits, n->negative, "f64");
  }
  *number = n->negative ? -value : value;
  return true;
}

static bool read_int(pm_parser *p, const number *n, pm_type type, int64_t *number) {
  const pm_scalar_info *info = pm_get_scalar_info((pm_scalar)type->scalar);
  uint64_t magnitude;
  if (n->is_float)
    return pm_q_error(p, n->loc, "%.*s is not an integer, but has type %s", (int)n->digits.len, n->digits.ptr,
                      info->name);
  if (!read_magnitude(n->digits, &magnitude) || !fits(magnitude, n->negative, info))
    return too_big(p, n->loc, n->digits, n->negative, info->name);
  *number = (int64_t)(n->negative ? 0 - magnitude : magnitude);
  return true;
}

/* What the number is in that scalar type. */
static bool read_number(pm_parser *p, const number *n, pm_type type, pm_number *out) {
  return pm_is_float(type) ? read_float(p, n, type, &out->f) : read_int(p, n, type, &out->i);
}

/* The type after ':'; with a hint only one that is the hint, since another may belong to the op. */
static bool parse_number_type(pm_parser *p, const number *n, pm_type hint, pm_type *type) {
  *type = hint ? hint : pm_get_scalar(p->ctx, n->is_float ? PM_F64 : PM_I64);
  if (!pm_parser_at_punct(p, ':')) return true;
  if (!hint) {
    pm_parser_advance(p);
    return parse_scalar(p, type);
  }
  pm_lexer lexer = p->lexer;
  pm_token after;
  pm_lex(&lexer, &after);
  pm_scalar scalar;
  if (after.kind != PM_TOK_WORD || !find_scalar(after.text, &scalar) || pm_get_scalar(p->ctx, scalar) != hint)
    return true;
  pm_parser_advance(p);
  pm_parser_advance(p);
  return true;
}

static bool parse_digits(pm_parser *p, number *n) {
  *n = (number){.loc = p->tok.loc};
  n->negative = pm_q_opt_punct(p, "-");
  if (p->tok.kind != PM_TOK_INT && p->tok.kind != PM_TOK_FLOAT) return pm_parser_expected(p, "a number");
  n->is_float = p->tok.kind == PM_TOK_FLOAT;
  n->digits = p->tok.text;
  pm_parser_advance(p);
  return true;
}

static bool parse_number(pm_parser *p, pm_type hint, pm_attr *attr) {
  number n;
  pm_type type;
  pm_number value;
  if (!parse_digits(p, &n) || !parse_number_type(p, &n, hint, &type)) return false;
  if (type->cls != PM_TYPE_SCALAR)
    return pm_q_error(p, n.loc, "a number has a scalar type, but %pT is not one", (const void *)type);
  if (!read_number(p, &n, type, &value)) return false;
  *attr = pm_is_float(type) ? pm_get_float(type, value.f) : pm_get_int(type, value.i);
  return true;
}

/* --- dense numbers --- */

typedef struct dense_parse {
  pm_parser *p;
  pm_type elem;
  extents dims;
  pm_number *numbers;
  size_t n;
} dense_parse;

static bool parse_element(dense_parse *d) {
  pm_number *out = &d->numbers[d->n++];
  bool yes = pm_is_bool(d->elem) && pm_q_opt_word(d->p, "true");
  number n;
  out->i = yes;
  if (yes || (pm_is_bool(d->elem) && pm_q_opt_word(d->p, "false"))) return true;
  return parse_digits(d->p, &n) && read_number(d->p, &n, d->elem, out);
}

/* The list of dimension `k` has as many items as its extent. */
static bool parse_dense_lists(dense_parse *d, size_t k) {
  if (k == d->dims.len) return parse_element(d);
  pm_loc loc = d->p->tok.loc;
  int64_t extent = d->dims.data[k], n = 0;
  if (!pm_q_punct(d->p, "[")) return false;
  do
    if (n++ < extent && !parse_dense_lists(d, k + 1)) return false;
  while (n <= extent && pm_q_opt_punct(d->p, ","));
  if (n == extent) return pm_q_punct(d->p, "]");
  return pm_q_error(d->p, loc, "the list has %s than the %lld item%s of dimension %zu",
                    n < extent ? "fewer" : "more", (long long)extent, extent == 1 ? "" : "s", k);
}

static bool parse_dense_numbers(dense_parse *d, pm_type memref, size_t n, pm_attr *attr) {
  d->numbers = pm_xmalloc(n * sizeof *d->numbers);
  bool ok = pm_q_punct(d->p, ":") && parse_dense_lists(d, 0) && pm_q_punct(d->p, ">");
  if (ok) *attr = pm_get_dense(memref, d->numbers);
  free(d->numbers);
  return ok;
}

/* What follows `dense`: `<2x3xu8: [[1, 2, 3], [4, 5, 6]]>`. */
static bool parse_dense(pm_parser *p, pm_attr *attr) {
  dense_parse d = {.p = p};
  bool ok = pm_q_punct(p, "<");
  pm_loc loc = p->tok.loc;
  ok = ok && parse_shape(p, &d.dims, &d.elem);
  if (ok && d.dims.len > PM_MAX_NESTING)
    ok = pm_q_error(p, loc, "lists are nested more than %d deep", PM_MAX_NESTING);
  pm_type memref = ok ? pm_get_memref(d.elem, (uint16_t)d.dims.len, d.dims.data, PM_SPACE_NONE) : NULL;
  size_t n = ok ? pm_dense_count(memref) : 0;
  if (ok && n == 0)
    ok = pm_q_error(p, loc, "extents of numbers are from 1, and their product is at most %d", PM_MAX_DENSE);
  ok = ok && parse_dense_numbers(&d, memref, n, attr);
  PM_VEC_FREE(d.dims);
  return ok;
}

/* --- attributes with parts --- */

bool pm_has_duplicate_names(const pm_string *names, size_t n) {
  if (n <= 16) {
    for (size_t i = 1; i < n; i++)
      for (size_t j = 0; j < i; j++)
        if (names[i] == names[j]) return true;
    return false;
  }
  pm_map *seen = pm_map_new();
  bool duplicate = false;
  for (size_t i = 0; i < n && !duplicate; i++) {
    duplicate = pm_map_has(seen, names[i]);
    pm_map_set(seen, names[i], NULL);
  }
  pm_map_free(seen);
  return duplicate;
}

static bool parse_attr_name(pm_parser *p, pm_string *name) {
  if (p->tok.kind != PM_TOK_WORD && p->tok.kind != PM_TOK_STRING)
    return pm_parser_expected(p, "an attribute's name");
  *name = pm_get_string(p->ctx, pm_parser_text(p));
  pm_parser_advance(p);
  return true;
}

static bool parse_dict_item(pm_parser *p, pm_attr_list *list) {
  pm_string name = NULL;
  pm_attr attr = NULL;
  if (!parse_attr_name(p, &name)) return false;
  if (!pm_q_opt_punct(p, "="))
    attr = pm_get_unit(p->ctx);
  else if (!pm_q_attr(p, NULL, &attr))
    return false;
  PM_VEC_PUSH(list->names, name);
  PM_VEC_PUSH(list->items, attr);
  return true;
}

bool pm_parser_attr_dict(pm_parser *p, pm_attr_list *list) {
  pm_loc loc = p->tok.loc;
  if (!pm_q_punct(p, "{")) return false;
  if (pm_q_opt_punct(p, "}")) return true;
  do
    if (!parse_dict_item(p, list)) return false;
  while (pm_q_opt_punct(p, ","));
  if (pm_has_duplicate_names(list->names.data, list->names.len))
    return pm_q_error(p, loc, "a name is twice in the dictionary");
  return pm_q_punct(p, "}");
}

static bool parse_dict(pm_parser *p, pm_attr *attr) {
  pm_attr_list list = {0};
  bool ok = pm_parser_attr_dict(p, &list);
  if (ok) *attr = pm_get_dict(p->ctx, list.names.data, list.items.data, list.names.len);
  PM_VEC_FREE(list.names);
  PM_VEC_FREE(list.items);
  return ok;
}

static bool parse_items(pm_parser *p, pm_type hint, pm_attr_list *list) {
  if (pm_q_opt_punct(p, "]")) return true;
  do {
    pm_attr item;
    if (!pm_q_attr(p, hint, &item)) return false;
    PM_VEC_PUSH(list->items, item);
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, "]");
}

/* What follows '['. */
static bool parse_array(pm_parser *p, pm_type hint, pm_attr *attr) {
  pm_attr_list list = {0};
  bool ok = parse_items(p, hint, &list);
  if (ok) *attr = pm_get_array(p->ctx, list.items.data, list.items.len);
  PM_VEC_FREE(list.items);
  return ok;
}

/* --- attributes with '#' --- */

static const pm_attr_kind *find_kind(pm_context *ctx, pm_str name) {
  for (size_t i = 0; i < pm_dialect_count(ctx); i++) {
    const pm_attr_kind *const *kind = pm_dialect_at(ctx, i)->attr_kinds;
    for (; kind && *kind; kind++)
      if (pm_str_is(name, (*kind)->name)) return *kind;
  }
  return NULL;
}

static bool unknown_kind(pm_parser *p, pm_loc loc, pm_str name) {
  const char *nearest = NULL;
  unsigned best = pm_typo_limit(name.len);
  for (size_t i = 0; i < pm_dialect_count(p->ctx); i++) {
    const pm_attr_kind *const *kind = pm_dialect_at(p->ctx, i)->attr_kinds;
    for (; kind && *kind; kind++) {
      unsigned distance = pm_edit_distance(pm_str_of((*kind)->name), name, best);
      if (distance < best) best = distance, nearest = (*kind)->name;
    }
  }
  if (!nearest) return pm_q_error(p, loc, "unknown attribute '#%.*s'", (int)name.len, name.ptr);
  return pm_q_error(p, loc, "unknown attribute '#%.*s'; did you mean '#%s'?", (int)name.len, name.ptr,
                    nearest);
}

/* What follows `#dialect.kind`. */
static bool parse_custom(pm_parser *p, pm_loc loc, pm_str name, pm_attr *attr) {
  const pm_attr_kind *kind = find_kind(p->ctx, name);
  const pm_unregistered_kind *kept = kind ? NULL : pm_get_unregistered_kind(p->ctx, name);
  if (kept) kind = &kept->attr;
  if (!kind) return unknown_kind(p, loc, name);
  if (kind->params) {
    pm_attr params = parse_params(p, kind->name, kind->params);
    if (params) *attr = pm_get_custom_list(kind, params);
    return params != NULL;
  }
  if (!pm_q_punct(p, "<")) return false;
  pm_loc text_loc = p->tok.loc;
  pm_string text;
  if (!pm_q_string(p, &text)) return false;
  *attr = pm_get_custom(p->ctx, kind, text_loc, (pm_str){text->text, text->len});
  return *attr && pm_q_punct(p, ">");
}

static bool parse_hash(pm_parser *p, pm_attr *attr) {
  pm_loc loc = p->tok.loc;
  pm_str name = p->tok.text;
  pm_parser_advance(p);
  if (memchr(name.ptr, '.', name.len)) return parse_custom(p, loc, name, attr);
  *attr = pm_map_get(p->aliases, pm_get_string(p->ctx, name));
  return *attr || pm_q_error(p, loc, "undefined alias '#%.*s'", (int)name.len, name.ptr);
}

bool pm_parser_alias(pm_parser *p) {
  pm_loc loc = p->tok.loc;
  pm_str text = p->tok.text;
  pm_string name = pm_get_string(p->ctx, text);
  pm_attr attr;
  if (memchr(text.ptr, '.', text.len)) return pm_q_error(p, loc, "the name of an alias has no '.'");
  pm_parser_advance(p);
  if (!pm_q_punct(p, "=") || !pm_q_attr(p, NULL, &attr)) return false;
  if (pm_map_has(p->aliases, name))
    return pm_q_error(p, loc, "the alias '#%.*s' is defined twice", (int)text.len, text.ptr);
  pm_map_set(p->aliases, name, (void *)attr);
  pm_module_add_alias(p->module, name, attr);
  return true;
}

/* --- attributes --- */

static bool parse_word(pm_parser *p, pm_attr *attr) {
  pm_affine_map map;
  pm_type type;
  if (begins_type(p)) {
    if (!pm_q_type(p, &type)) return false;
    *attr = pm_get_type_attr(type);
  } else if (pm_q_opt_word(p, "affine_map")) {
    if (!pm_parser_affine_map(p, &map)) return false;
    *attr = pm_get_map_attr(map);
  } else if (pm_q_opt_word(p, "dense")) {
    return parse_dense(p, attr);
  } else if (pm_q_opt_word(p, "unit")) {
    *attr = pm_get_unit(p->ctx);
  } else if (pm_q_opt_word(p, "true")) {
    *attr = pm_get_bool(p->ctx, true);
  } else if (pm_q_opt_word(p, "false")) {
    *attr = pm_get_bool(p->ctx, false);
  } else {
    return pm_parser_expected(p, "an attribute");
  }
  return true;
}

static bool parse_tuple(pm_parser *p, pm_attr *attr) {
  pm_type type;
  if (!pm_q_type_or_tuple(p, &type)) return false;
  *attr = pm_get_type_attr(type);
  return true;
}

static bool parse_attr(pm_parser *p, pm_type hint, pm_attr *attr) {
  switch (p->tok.kind) {
  case PM_TOK_INT:
  case PM_TOK_FLOAT:
    return parse_number(p, hint, attr);
  case PM_TOK_WORD:
    return parse_word(p, attr);
  case PM_TOK_HASH:
    return parse_hash(p, attr);
  case PM_TOK_STRING:
    *attr = pm_get_string_attr(p->ctx, pm_parser_text(p));
    break;
  case PM_TOK_SYMBOL:
    *attr = pm_get_symbol(p->ctx, pm_get_string(p->ctx, pm_parser_text(p)));
    break;
  default:
    if (pm_parser_at_punct(p, '-')) return parse_number(p, hint, attr);
    if (pm_parser_at_punct(p, '{')) return parse_dict(p, attr);
    if (pm_parser_at_punct(p, '(')) return parse_tuple(p, attr);
    if (pm_q_opt_punct(p, "[")) return parse_array(p, hint, attr);
    return pm_parser_expected(p, "an attribute");
  }
  pm_parser_advance(p);
  return true;
}

bool pm_q_attr(pm_parser *p, pm_type hint, pm_attr *attr) {
  if (!pm_parser_enter(p)) return false;
  bool ok = parse_attr(p, hint, attr);
  pm_parser_leave(p);
  return ok;
}
