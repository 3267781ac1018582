#include "ir/attributes.h"

#include "ir/diag.h"
#include "ir/src/context_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- interning --- */

static bool same_items(pm_attr a, pm_attr b) {
  if (a->len == 0) return true;
  return memcmp(a->items, b->items, a->len * sizeof *a->items) == 0 &&
         (a->cls != PM_ATTR_DICT || memcmp(a->names, b->names, a->len * sizeof *a->names) == 0);
}

static bool attr_equal(const void *item, const void *key) {
  pm_attr a = item, b = key;
  if (a->cls != b->cls || a->t != b->t || a->kind != b->kind || a->len != b->len) return false;
  if (a->cls == PM_ATTR_ARRAY || a->cls == PM_ATTR_DICT) return same_items(a, b);
  if (a->cls == PM_ATTR_DENSE) return memcmp(a->numbers, b->numbers, a->len * sizeof *a->numbers) == 0;
  return a->i == b->i;
}

/* i, f, s and map share their bytes: `i` stands for all of them. */
static uint32_t attr_hash(pm_attr a) {
  bool dense = a->cls == PM_ATTR_DENSE, list = dense || a->cls == PM_ATTR_ARRAY || a->cls == PM_ATTR_DICT;
  size_t item = dense ? sizeof *a->numbers : sizeof *a->items;
  uint64_t head[] = {a->cls, a->len, (uintptr_t)a->t, (uintptr_t)a->kind, list ? 0 : (uint64_t)a->i};
  uint64_t h = pm_hash_bytes(head, sizeof head, 3);
  return (uint32_t)(list && a->len ? pm_hash_bytes(a->items, a->len * item, h) : h);
}

static pm_attr intern_attr(struct pm_attr_storage key) {
  pm_context *ctx = key.ctx;
  uint32_t hash = attr_hash(&key);
  pm_attr found = pm_intern_find(&ctx->attrs, hash, attr_equal, &key);
  if (found) return found;
  struct pm_attr_storage *a = pm_arena_memdup(ctx->arena, &key, sizeof key);
  if (key.cls == PM_ATTR_ARRAY || key.cls == PM_ATTR_DICT)
    a->items = pm_arena_memdup(ctx->arena, key.items, key.len * sizeof *key.items);
  if (key.cls == PM_ATTR_DENSE)
    a->numbers = pm_arena_memdup(ctx->arena, key.numbers, key.len * sizeof *key.numbers);
  if (key.cls == PM_ATTR_DICT) a->names = pm_arena_memdup(ctx->arena, key.names, key.len * sizeof *key.names);
  pm_intern_add(&ctx->attrs, hash, a);
  return a;
}

void pm_attributes_free(pm_context *ctx) {
  for (size_t i = 0; i < ctx->custom_attrs.len; i++) {
    pm_attr attr = ctx->custom_attrs.data[i];
    if (attr->kind->free) attr->kind->free(attr->object);
  }
  PM_VEC_FREE(ctx->custom_attrs);
}

/* --- construction --- */

pm_attr pm_get_unit(pm_context *ctx) {
  return intern_attr((struct pm_attr_storage){.ctx = ctx, .cls = PM_ATTR_UNIT});
}

/* The value as a type of that width would hold it. */
static int64_t wrap(pm_scalar scalar, int64_t value) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  if (info->bits == 64) return value;
  uint64_t mask = (UINT64_C(1) << info->bits) - 1;
  uint64_t low = (uint64_t)value & mask;
  bool negative = info->is_signed && (low >> (info->bits - 1)) & 1;
  return (int64_t)(negative ? low | ~mask : low);
}

pm_attr pm_get_int(pm_type type, int64_t value) {
  return intern_attr((struct pm_attr_storage){
      .ctx = type->ctx, .cls = PM_ATTR_INT, .t = type, .i = wrap(type->scalar, value)});
}

pm_attr pm_get_bool(pm_context *ctx, bool value) {
  return pm_get_int(pm_get_i1(ctx), value);
}

/* Rounds to the `keep` highest bits of the fraction of a float (bf16: 7), ties to even. */
static float round_bf16(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (!isnan(f)) bits += 0x7fffu + ((bits >> 16) & 1u);
  bits &= 0xffff0000u;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static double round_f16(double value) {
  if (!isfinite(value) || value == 0) return value;
  int exponent;
  frexp(value, &exponent);
  int lowest = exponent - 11 < -24 ? -24 : exponent - 11;
  double rounded = ldexp(nearbyint(ldexp(value, -lowest)), lowest);
  return fabs(rounded) > 65504.0 ? copysign(INFINITY, value) : rounded;
}

static double round_to(pm_scalar scalar, double value) {
  if (scalar == PM_F32) return (double)(float)value;
  if (scalar == PM_BF16) return (double)round_bf16((float)value);
  if (scalar == PM_F16) return round_f16(value);
  return value;
}

pm_attr pm_get_float(pm_type type, double value) {
  return intern_attr((struct pm_attr_storage){
      .ctx = type->ctx, .cls = PM_ATTR_FLOAT, .t = type, .f = round_to(type->scalar, value)});
}

pm_attr pm_get_string_attr(pm_context *ctx, pm_str text) {
  return intern_attr(
      (struct pm_attr_storage){.ctx = ctx, .cls = PM_ATTR_STRING, .s = pm_get_string(ctx, text)});
}

pm_attr pm_get_symbol(pm_context *ctx, pm_string name) {
  return intern_attr((struct pm_attr_storage){.ctx = ctx, .cls = PM_ATTR_SYMBOL, .s = name});
}

pm_attr pm_get_type_attr(pm_type type) {
  return intern_attr((struct pm_attr_storage){.ctx = type->ctx, .cls = PM_ATTR_TYPE, .t = type});
}

pm_attr pm_get_array(pm_context *ctx, const pm_attr *items, size_t n) {
  return intern_attr(
      (struct pm_attr_storage){.ctx = ctx, .cls = PM_ATTR_ARRAY, .len = (uint32_t)n, .items = items});
}

pm_attr pm_get_index_array(pm_context *ctx, const int64_t *values, size_t n) {
  pm_attr *items = pm_xmalloc(n * sizeof *items);
  for (size_t i = 0; i < n; i++) items[i] = pm_get_index_attr(ctx, values[i]);
  pm_attr array = pm_get_array(ctx, items, n);
  free(items);
  return array;
}

typedef struct dict_entry {
  pm_string name;
  pm_attr item;
} dict_entry;

static int by_name(const void *a, const void *b) {
  return strcmp(((const dict_entry *)a)->name->text, ((const dict_entry *)b)->name->text);
}

pm_attr pm_get_dict(pm_context *ctx, const pm_string *names, const pm_attr *items, size_t n) {
  dict_entry *entries = pm_xmalloc(n * sizeof *entries);
  pm_string *sorted_names = pm_xmalloc(n * sizeof *sorted_names);
  pm_attr *sorted_items = pm_xmalloc(n * sizeof *sorted_items);
  for (size_t i = 0; i < n; i++) entries[i] = (dict_entry){names[i], items[i]};
  if (n) qsort(entries, n, sizeof *entries, by_name);
  for (size_t i = 0; i < n; i++) {
    if (i && entries[i].name == entries[i - 1].name)
      pm_panic(NULL, "attribute '%s' twice", entries[i].name->text);
    sorted_names[i] = entries[i].name;
    sorted_items[i] = entries[i].item;
  }
  pm_attr dict = intern_attr((struct pm_attr_storage){
      .ctx = ctx, .cls = PM_ATTR_DICT, .len = (uint32_t)n, .items = sorted_items, .names = sorted_names});
  free(entries);
  free(sorted_names);
  free(sorted_items);
  return dict;
}

pm_attr pm_dict_get(pm_attr dict, const char *name) {
  for (uint32_t i = 0; dict && i < dict->len; i++)
    if (strcmp(dict->names[i]->text, name) == 0) return dict->items[i];
  return NULL;
}

pm_attr pm_get_map_attr(pm_affine_map map) {
  return intern_attr((struct pm_attr_storage){.ctx = map->ctx, .cls = PM_ATTR_MAP, .map = map});
}

/* --- dense --- */

size_t pm_dense_count(pm_type memref) {
  int64_t count = 1;
  for (unsigned k = 0; k < memref->rank && count; k++)
    count = memref->dims[k] < 1 || memref->dims[k] > PM_MAX_DENSE / count ? 0 : count * memref->dims[k];
  return (size_t)count;
}

pm_attr pm_get_dense(pm_type memref, const pm_number *numbers) {
  size_t n = pm_dense_count(memref);
  bool is_float = pm_is_float(pm_elem_type(memref));
  pm_number *held = pm_xmalloc((n + 1) * sizeof *held);
  for (size_t i = 0; i < n; i++)
    held[i] = is_float ? (pm_number){.f = round_to(memref->scalar, numbers[i].f)}
                       : (pm_number){.i = wrap(memref->scalar, numbers[i].i)};
  pm_attr dense = intern_attr((struct pm_attr_storage){
      .ctx = memref->ctx, .cls = PM_ATTR_DENSE, .t = memref, .len = (uint32_t)n, .numbers = held});
  free(held);
  return dense;
}

pm_attr pm_dense_at(pm_attr dense, size_t i) {
  pm_type type = pm_elem_type(dense->t);
  return pm_is_float(type) ? pm_get_float(type, dense->numbers[i].f) : pm_get_int(type, dense->numbers[i].i);
}

/* The place of the number at the point; false when it is outside. */
static bool find_place(pm_type memref, const int64_t *point, size_t *place) {
  *place = 0;
  for (unsigned k = 0; k < memref->rank; k++) {
    if (point[k] < 0 || point[k] >= memref->dims[k]) return false;
    *place = *place * (size_t)memref->dims[k] + (size_t)point[k];
  }
  return true;
}

pm_attr pm_dense_read(pm_attr dense, pm_affine_map map, const pm_attr *operands) {
  uint32_t n = map->n_dims + map->n_syms;
  bool flat = map->n_results == 1 && dense->t->rank != 1, known = flat || map->n_results == dense->t->rank;
  int64_t *values = pm_xcalloc(n + map->n_results + 1, sizeof *values), *point = values + n;
  for (uint32_t i = 0; i < n && known; i++) {
    known = operands[i] != NULL;
    if (known) values[i] = operands[i]->i;
  }
  for (uint32_t k = 0; k < map->n_results && known; k++)
    point[k] = pm_affine_eval(map->results[k], values, values + map->n_dims);
  size_t place = flat && known && point[0] >= 0 ? (size_t)point[0] : dense->len;
  if (known && !flat) known = find_place(dense->t, point, &place);
  free(values);
  return known && place < dense->len ? pm_dense_at(dense, place) : NULL;
}

/* --- attributes of dialects --- */

static pm_attr find_custom(pm_context *ctx, const pm_attr_kind *kind, pm_string text) {
  struct pm_attr_storage key = {.ctx = ctx, .cls = PM_ATTR_CUSTOM, .kind = kind, .s = text};
  return pm_intern_find(&ctx->attrs, attr_hash(&key), attr_equal, &key);
}

/* The items are those of the list, which is interned: as equal as their addresses. */
pm_attr pm_get_custom_list(const pm_attr_kind *kind, pm_attr params) {
  return intern_attr((struct pm_attr_storage){
      .ctx = params->ctx, .cls = PM_ATTR_CUSTOM, .kind = kind, .len = params->len, .items = params->items});
}

static pm_attr add_custom(pm_context *ctx, const pm_attr_kind *kind, pm_string text, void *object) {
  pm_attr attr = intern_attr(
      (struct pm_attr_storage){.ctx = ctx, .cls = PM_ATTR_CUSTOM, .kind = kind, .s = text, .object = object});
  PM_VEC_PUSH(ctx->custom_attrs, attr);
  return attr;
}

pm_attr pm_get_custom(pm_context *ctx, const pm_attr_kind *kind, pm_loc loc, pm_str text) {
  pm_string interned = pm_get_string(ctx, text);
  pm_attr found = find_custom(ctx, kind, interned);
  if (found) return found;
  void *object = kind->parse(ctx, loc, text);
  return object ? add_custom(ctx, kind, interned, object) : NULL;
}

pm_attr pm_get_custom_object(pm_context *ctx, const pm_attr_kind *kind, pm_str text, void *object) {
  pm_string interned = pm_get_string(ctx, text);
  pm_attr found = find_custom(ctx, kind, interned);
  if (found && kind->free) kind->free(object);
  return found ? found : add_custom(ctx, kind, interned, object);
}

/* --- printing --- */

static bool is_word(pm_string s) {
  if (!s->len || (s->text[0] >= '0' && s->text[0] <= '9')) return false;
  for (const char *c = s->text; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
          *c == '.' || *c == '$'))
      return false;
  return strlen(s->text) == s->len;
}

static void print_quoted(pm_buf *out, pm_string s) {
  pm_buf_putc(out, '"');
  for (uint32_t i = 0; i < s->len; i++) {
    unsigned char c = (unsigned char)s->text[i];
    if (c == '"' || c == '\\')
      pm_buf_printf(out, "\\%c", c);
    else if (c < 32 || c == 127)
      pm_buf_printf(out, "\\%02X", c);
    else
      pm_buf_putc(out, (char)c);
  }
  pm_buf_putc(out, '"');
}

static void print_int(pm_buf *out, pm_scalar scalar, int64_t i) {
  if (scalar == PM_I1)
    pm_buf_puts(out, i ? "true" : "false");
  else if (scalar == PM_U64)
    pm_buf_printf(out, "%llu", (unsigned long long)i);
  else
    pm_buf_printf(out, "%lld", (long long)i);
}

/* Values that decimal text cannot carry are written as the bits of an f64 (of an f32 for f32). */
static void print_float(pm_buf *out, pm_scalar scalar, double value) {
  float f = (float)value;
  uint32_t bits32;
  uint64_t bits64;
  memcpy(&bits32, &f, sizeof bits32);
  memcpy(&bits64, &value, sizeof bits64);
  if (isfinite(value))
    pm_buf_put_double(out, value, scalar == PM_F32);
  else if (scalar == PM_F64)
    pm_buf_printf(out, "0x%016llX", (unsigned long long)bits64);
  else
    pm_buf_printf(out, "0x%08X", bits32);
}

/* `3 : i32`; booleans without their type. */
static void print_number(pm_buf *out, pm_attr a) {
  if (a->cls == PM_ATTR_FLOAT)
    print_float(out, a->t->scalar, a->f);
  else
    print_int(out, a->t->scalar, a->i);
  if (a->t->scalar == PM_I1) return;
  pm_buf_puts(out, " : ");
  pm_print_type(out, a->t);
}

enum { MAX_COLUMN = 100, DENSE_INDENT = 8 };

typedef struct dense_text {
  pm_buf *out;
  pm_attr dense;
  size_t line; /* where it begins */
  size_t next; /* number */
} dense_text;

/* Between two items of a list; a line that is long enough ends there. */
static void separate(dense_text *t) {
  if (t->out->len - t->line < MAX_COLUMN) {
    pm_buf_puts(t->out, ", ");
    return;
  }
  pm_buf_printf(t->out, ",\n%*s", DENSE_INDENT, "");
  t->line = t->out->len - DENSE_INDENT;
}

/* The lists of dimension `k` and those inside. */
static void print_lists(dense_text *t, unsigned k) {
  pm_type type = t->dense->t;
  if (k == type->rank) {
    pm_number number = t->dense->numbers[t->next++];
    if (pm_is_float(pm_elem_type(type)))
      print_float(t->out, type->scalar, number.f);
    else
      print_int(t->out, type->scalar, number.i);
    return;
  }
  pm_buf_putc(t->out, '[');
  for (int64_t i = 0; i < type->dims[k]; i++) {
    if (i) separate(t);
    print_lists(t, k + 1);
  }
  pm_buf_putc(t->out, ']');
}

static size_t line_start(const pm_buf *out) {
  size_t at = out->len;
  while (at && out->data[at - 1] != '\n') at--;
  return at;
}

static void print_dense(pm_buf *out, pm_attr a) {
  dense_text t = {out, a, line_start(out), 0};
  pm_buf_puts(out, "dense<");
  for (unsigned k = 0; k < a->t->rank; k++) pm_buf_printf(out, "%lldx", (long long)a->t->dims[k]);
  pm_print_type(out, pm_elem_type(a->t));
  pm_buf_puts(out, ": ");
  print_lists(&t, 0);
  pm_buf_putc(out, '>');
}

static void print_array(pm_buf *out, pm_attr a) {
  pm_buf_putc(out, '[');
  for (uint32_t i = 0; i < a->len; i++) {
    if (i) pm_buf_puts(out, ", ");
    pm_print_attr(out, a->items[i]);
  }
  pm_buf_putc(out, ']');
}

static void print_dict(pm_buf *out, pm_attr a) {
  pm_buf_putc(out, '{');
  for (uint32_t i = 0; i < a->len; i++) {
    if (i) pm_buf_puts(out, ", ");
    if (is_word(a->names[i]))
      pm_buf_puts(out, a->names[i]->text);
    else
      print_quoted(out, a->names[i]);
    if (a->items[i]->cls == PM_ATTR_UNIT) continue;
    pm_buf_puts(out, " = ");
    pm_print_attr(out, a->items[i]);
  }
  pm_buf_putc(out, '}');
}

static void print_symbol(pm_buf *out, pm_string name) {
  pm_buf_putc(out, '@');
  if (is_word(name))
    pm_buf_puts(out, name->text);
  else
    print_quoted(out, name);
}

void pm_print_params(pm_buf *out, const pm_attr *params, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    pm_buf_puts(out, i ? ", " : "<");
    pm_print_attr(out, params[i]);
  }
  if (n) pm_buf_putc(out, '>');
}

void pm_print_attr(pm_buf *out, pm_attr a) {
  switch (a->cls) {
  case PM_ATTR_UNIT:
    pm_buf_puts(out, "unit");
    break;
  case PM_ATTR_INT:
  case PM_ATTR_FLOAT:
    print_number(out, a);
    break;
  case PM_ATTR_STRING:
    print_quoted(out, a->s);
    break;
  case PM_ATTR_SYMBOL:
    print_symbol(out, a->s);
    break;
  case PM_ATTR_TYPE:
    pm_print_type(out, a->t);
    break;
  case PM_ATTR_ARRAY:
    print_array(out, a);
    break;
  case PM_ATTR_DICT:
    print_dict(out, a);
    break;
  case PM_ATTR_MAP:
    pm_print_affine_map(out, a->map);
    break;
  case PM_ATTR_DENSE:
    print_dense(out, a);
    break;
  case PM_ATTR_CUSTOM:
    if (a->kind->params) {
      pm_buf_printf(out, "#%s", a->kind->name);
      pm_print_params(out, a->items, a->len);
      break;
    }
    pm_buf_printf(out, "#%s<", a->kind->name);
    print_quoted(out, a->s);
    pm_buf_putc(out, '>');
    break;
  }
}
