/* Values: equality, dictionaries, text. */
#include "frontends/polymage/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "frontends/polymage/dsl.h"

py_value py_string(pm_arena *arena, const char *text, size_t len) {
  py_str *s = pm_arena_alloc(arena, sizeof(*s) + len + 1);
  s->len = len;
  if (len > 0) memcpy(s->text, text, len);
  return (py_value){.type = VAL_STR, .str = s};
}

py_value py_new_open_dict(pm_arena *arena, const char *path, const char *dotted) {
  py_value v = {.type = VAL_DICT, .dict = pm_arena_alloc(arena, sizeof(py_dict))};
  pm_buf text = {0};
  pm_buf_printf(&text, "'%s' (which has no value)", path);
  v.dict->open = true;
  v.dict->path = pm_arena_strndup(arena, path, strlen(path));
  v.dict->dotted = pm_arena_strndup(arena, dotted, strlen(dotted));
  v.dict->description = pm_arena_strndup(arena, text.data, text.len);
  pm_buf_free(&text);
  return v;
}

py_value py_new_seq(pm_arena *arena, py_type type, size_t cap) {
  py_seq *seq = pm_arena_alloc(arena, sizeof(*seq));
  seq->cap = cap;
  if (cap > 0) seq->items = pm_arena_alloc(arena, cap * sizeof(*seq->items));
  return (py_value){.type = type, .seq = seq};
}

void py_seq_push(pm_arena *arena, py_seq *seq, py_value item) {
  if (seq->len == seq->cap) {
    size_t cap = seq->cap ? 2 * seq->cap : 8;
    py_value *items = pm_arena_alloc(arena, cap * sizeof(*items));
    if (seq->len > 0) memcpy(items, seq->items, seq->len * sizeof(*items));
    seq->items = items;
    seq->cap = cap;
  }
  seq->items[seq->len++] = item;
}

int64_t py_range_len(const py_range *range) {
  uint64_t span, step;
  if (range->step > 0) {
    if (range->start >= range->stop) return 0;
    span = (uint64_t)range->stop - (uint64_t)range->start;
    step = (uint64_t)range->step;
  } else {
    if (range->start <= range->stop) return 0;
    span = (uint64_t)range->start - (uint64_t)range->stop;
    step = 0 - (uint64_t)range->step;
  }
  uint64_t len = (span - 1) / step + 1;
  return len > INT64_MAX ? INT64_MAX : (int64_t)len;
}

/* --- equality --- */

static bool look_at(py_look *look, size_t work, unsigned depth) {
  look->work += work;
  look->too_deep = look->too_deep || depth > PY_MAX_CONTAINED;
  return !look->too_deep && look->work <= PY_MAX_LOOKED_AT;
}

static bool equal(py_value a, py_value b, unsigned depth, py_look *look);

static bool seq_equal(const py_seq *a, const py_seq *b, unsigned depth, py_look *look) {
  if (a == b) return true;
  if (a->len != b->len || !look_at(look, 0, depth)) return false;
  for (size_t i = 0; i < a->len; i++)
    if (!look_at(look, 1, depth) || !equal(a->items[i], b->items[i], depth + 1, look)) return false;
  return true;
}

static bool str_equal(const py_str *a, const py_str *b, py_look *look) {
  return a->len == b->len && look_at(look, a->len / 64, 0) && memcmp(a->text, b->text, a->len) == 0;
}

static const void *identity(py_value v) {
  switch (v.type) {
  case VAL_DICT:
    return v.dict;
  case VAL_RANGE:
    return v.range;
  case VAL_FUNCTION:
    return v.function;
  case VAL_BUILTIN:
    return v.builtin;
  case VAL_METHOD:
    return v.method;
  case VAL_MODULE:
    return v.module;
  case VAL_FILE:
    return v.file;
  case VAL_SYMBOL:
  case VAL_DEFINITION:
    return v.symbol;
  case VAL_EXPR:
  case VAL_COND:
    return v.expr;
  case VAL_INTERVAL:
    return v.interval;
  case VAL_CASE:
    return v.branch;
  default:
    return NULL;
  }
}

static bool equal(py_value a, py_value b, unsigned depth, py_look *look) {
  if (py_is_int(a) && py_is_int(b)) return py_as_int(a) == py_as_int(b);
  if (py_is_number(a) && py_is_number(b)) return py_as_float(a) == py_as_float(b);
  if (a.type != b.type) return false;
  switch (a.type) {
  case VAL_NONE:
    return true;
  case VAL_STR:
    return str_equal(a.str, b.str, look);
  case VAL_LIST:
  case VAL_TUPLE:
    return seq_equal(a.seq, b.seq, depth, look);
  case VAL_TYPE:
    return a.scalar == b.scalar;
  default:
    return identity(a) == identity(b);
  }
}

bool py_equal(py_value a, py_value b, py_look *look) {
  return equal(a, b, 0, look);
}

/* --- dictionaries --- */

static uint64_t hash_int(int64_t i) {
  return pm_hash_bytes(&i, sizeof(i), 1);
}

static bool hash_value(py_value key, uint64_t *hash, unsigned depth, py_look *look);

static bool hash_tuple(const py_seq *seq, uint64_t *hash, unsigned depth, py_look *look) {
  *hash = seq->len;
  if (!look_at(look, 0, depth)) return false;
  for (size_t i = 0; i < seq->len; i++) {
    uint64_t item;
    if (!look_at(look, 1, depth) || !hash_value(seq->items[i], &item, depth + 1, look)) return false;
    *hash = *hash * 1000003u ^ item;
  }
  return true;
}

static bool hash_value(py_value key, uint64_t *hash, unsigned depth, py_look *look) {
  switch (key.type) {
  case VAL_NONE:
    *hash = 7;
    return true;
  case VAL_BOOL:
  case VAL_INT:
    *hash = hash_int(py_as_int(key));
    return true;
  case VAL_FLOAT:
    if (key.f >= -9e18 && key.f <= 9e18 && (double)(int64_t)key.f == key.f)
      *hash = hash_int((int64_t)key.f);
    else
      *hash = pm_hash_bytes(&key.f, sizeof(key.f), 2);
    return true;
  case VAL_STR:
    *hash = pm_hash_bytes(key.str->text, key.str->len, 3);
    return look_at(look, key.str->len / 64, 0);
  case VAL_TUPLE:
    return hash_tuple(key.seq, hash, depth, look);
  case VAL_TYPE:
    *hash = hash_int(key.scalar);
    return true;
  case VAL_POISON:
  case VAL_LIST:
  case VAL_DICT:
    return false;
  default: {
    const void *p = identity(key);
    *hash = pm_hash_bytes(&p, sizeof(p), 4);
    return true;
  }
  }
}

bool py_hash(py_value key, uint64_t *hash, py_look *look) {
  return hash_value(key, hash, 0, look);
}

/* A key that has a hash is equal to another after no more work than that took. */
py_value *py_dict_get(const py_dict *dict, py_value key, uint64_t hash) {
  py_look look = {0};
  if (dict->len == 0) return NULL;
  for (size_t at = hash & (dict->n_slots - 1); dict->slots[at]; at = (at + 1) & (dict->n_slots - 1)) {
    struct py_entry *e = &dict->entries[dict->slots[at] - 1];
    if (e->hash == hash && py_equal(e->key, key, &look)) return &e->value;
  }
  return NULL;
}

static void put_slot(py_dict *dict, size_t entry) {
  size_t at = dict->entries[entry].hash & (dict->n_slots - 1);
  while (dict->slots[at]) at = (at + 1) & (dict->n_slots - 1);
  dict->slots[at] = (uint32_t)entry + 1;
}

static void grow_dict(pm_arena *arena, py_dict *dict) {
  dict->cap = dict->cap ? 2 * dict->cap : 4;
  struct py_entry *entries = pm_arena_alloc(arena, dict->cap * sizeof(*entries));
  if (dict->len > 0) memcpy(entries, dict->entries, dict->len * sizeof(*entries));
  dict->entries = entries;
  dict->n_slots = 2 * dict->cap;
  dict->slots = pm_arena_alloc(arena, dict->n_slots * sizeof(*dict->slots));
  for (size_t i = 0; i < dict->len; i++) put_slot(dict, i);
}

void py_dict_set(pm_arena *arena, py_dict *dict, py_value key, uint64_t hash, py_value value) {
  py_value *present = py_dict_get(dict, key, hash);
  if (present) {
    *present = value;
    return;
  }
  if (dict->len == dict->cap) grow_dict(arena, dict);
  dict->entries[dict->len] = (struct py_entry){key, value, hash};
  put_slot(dict, dict->len++);
}

/* Names are interned, so the address says it all. */
static py_value name_key(pm_string name, uint64_t *hash) {
  *hash = name->hash;
  return (py_value){.type = VAL_MODULE, .module = name};
}

py_value *py_dict_get_name(const py_dict *dict, pm_string name) {
  uint64_t hash;
  py_value key = name_key(name, &hash);
  return py_dict_get(dict, key, hash);
}

void py_dict_set_name(pm_arena *arena, py_dict *dict, pm_string name, py_value value) {
  uint64_t hash;
  py_value key = name_key(name, &hash);
  py_dict_set(arena, dict, key, hash, value);
}

/* --- text --- */

void py_put_str(pm_buf *out, py_value v) {
  switch (v.type) {
  case VAL_BOOL:
    pm_buf_puts(out, v.b ? "True" : "False");
    break;
  case VAL_INT:
    pm_buf_printf(out, "%" PRId64, v.i);
    break;
  case VAL_FLOAT:
    if (isfinite(v.f))
      pm_buf_put_double(out, v.f, false);
    else
      pm_buf_puts(out, isnan(v.f) ? "nan" : v.f > 0 ? "inf" : "-inf");
    break;
  case VAL_STR:
    pm_buf_put(out, v.str->text, v.str->len);
    break;
  case VAL_TYPE:
    pm_buf_puts(out, dsl_type_name(v.scalar));
    break;
  case VAL_SYMBOL:
    pm_buf_puts(out, v.symbol->given ? v.symbol->given->text : py_kind_name(v));
    break;
  default:
    pm_buf_puts(out, py_kind_name(v));
    break;
  }
}
