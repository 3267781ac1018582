/* Operators and indexing on values that are known while the program is read. */
#include "frontends/polymage/unknown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PY_MAX_LENGTH = 10000000 };

const char py_no_loop[] = "; a stage is computed at all points of its intervals without a loop";

static py_value overflow(py_interp *py, pm_loc loc) {
  return py_fail(py, loc, "the result of this does not fit 64 bits, integers should be smaller");
}

/* An item has been complained of. */
static bool has_poison(py_value v) {
  bool is_seq = v.type == VAL_LIST || v.type == VAL_TUPLE;
  for (size_t i = 0; is_seq && i < v.seq->len; i++)
    if (py_is_poison(v.seq->items[i])) return true;
  return false;
}

static py_value mismatch(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  if (has_poison(a) || has_poison(b)) return PY_POISON;
  return py_fail(py, loc, "the operands of %s are %s and %s, two numbers should be", py_tok_text(op),
                 py_describe(py, a), py_describe(py, b));
}

/* --- integers --- */

static bool add(int64_t a, int64_t b, int64_t *out) {
  if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b)) return false;
  *out = a + b;
  return true;
}

static bool subtract(int64_t a, int64_t b, int64_t *out) {
  if ((b < 0 && a > INT64_MAX + b) || (b > 0 && a < INT64_MIN + b)) return false;
  *out = a - b;
  return true;
}

static bool multiply(int64_t a, int64_t b, int64_t *out) {
  *out = 0;
  if (a == 0 || b == 0) return true;
  if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return false;
  int64_t product = (int64_t)((uint64_t)a * (uint64_t)b);
  *out = product;
  return a == -1 || b == -1 || product / b == a;
}

static bool power(int64_t base, int64_t exponent, int64_t *out) {
  int64_t result = 1;
  while (exponent > 0) {
    if (exponent & 1 && !multiply(result, base, &result)) return false;
    exponent >>= 1;
    if (exponent > 0 && !multiply(base, base, &base)) return false;
  }
  *out = result;
  return true;
}

static int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

static int64_t floor_mod(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static py_value divide_ints(py_interp *py, pm_loc loc, py_tok op, int64_t a, int64_t b) {
  if (b == 0) return py_fail(py, loc, "the divisor is 0, it should not be");
  if (a == INT64_MIN && b == -1) return op == TOK_PERCENT ? py_int(0) : overflow(py, loc);
  return py_int(op == TOK_PERCENT ? floor_mod(a, b) : floor_div(a, b));
}

static py_value shift_ints(py_interp *py, pm_loc loc, py_tok op, int64_t a, int64_t b) {
  if (b < 0) return py_fail(py, loc, "the amount of a shift is negative, it should not be");
  if (op == TOK_SHR) return py_int(b > 62 ? (a < 0 ? -1 : 0) : floor_div(a, (int64_t)1 << b));
  int64_t result;
  if (a == 0) return py_int(0);
  if (b > 62 || !multiply(a, (int64_t)1 << b, &result)) return overflow(py, loc);
  return py_int(result);
}

static py_value binary_floats(py_interp *py, pm_loc loc, py_tok op, double a, double b);

static py_value power_ints(py_interp *py, pm_loc loc, int64_t a, int64_t b) {
  int64_t result;
  if (b < 0) return binary_floats(py, loc, TOK_POWER, (double)a, (double)b);
  if (a == 0 || a == 1) return py_int(b == 0 ? 1 : a);
  return power(a, b, &result) ? py_int(result) : overflow(py, loc);
}

static py_value binary_ints(py_interp *py, pm_loc loc, py_tok op, int64_t a, int64_t b) {
  int64_t result;
  switch (op) {
  case TOK_PLUS:
    return add(a, b, &result) ? py_int(result) : overflow(py, loc);
  case TOK_MINUS:
    return subtract(a, b, &result) ? py_int(result) : overflow(py, loc);
  case TOK_STAR:
    return multiply(a, b, &result) ? py_int(result) : overflow(py, loc);
  case TOK_SLASH:
  case TOK_FLOOR:
  case TOK_PERCENT:
    return divide_ints(py, loc, op, a, b);
  case TOK_POWER:
    return power_ints(py, loc, a, b);
  case TOK_SHL:
  case TOK_SHR:
    return shift_ints(py, loc, op, a, b);
  case TOK_AMP:
    return py_int(a & b);
  case TOK_BAR:
    return py_int(a | b);
  case TOK_CARET:
    return py_int(a ^ b);
  default:
    return mismatch(py, loc, op, py_int(a), py_int(b));
  }
}

/* --- floats --- */

/* The remainder has the sign of the divisor. */
static double float_mod(double a, double b) {
  double r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* By the remainder, which is exact, as in Python: a / b may round up to an integer. */
static double float_floor_div(double a, double b) {
  double quotient = (a - float_mod(a, b)) / b, low = floor(quotient);
  return quotient - low > 0.5 ? low + 1 : low;
}

static py_value binary_floats(py_interp *py, pm_loc loc, py_tok op, double a, double b) {
  if ((op == TOK_SLASH || op == TOK_FLOOR || op == TOK_PERCENT) && b == 0)
    return py_fail(py, loc, "the divisor is 0, it should not be");
  switch (op) {
  case TOK_PLUS:
    return py_float(a + b);
  case TOK_MINUS:
    return py_float(a - b);
  case TOK_STAR:
    return py_float(a * b);
  case TOK_SLASH:
    return py_float(a / b);
  case TOK_FLOOR:
    return py_float(float_floor_div(a, b));
  case TOK_PERCENT:
    return py_float(float_mod(a, b));
  case TOK_POWER:
    return py_float(pow(a, b));
  default:
    return mismatch(py, loc, op, py_float(a), py_float(b));
  }
}

/* --- strings and lists --- */

static py_value join_strings(py_interp *py, pm_loc loc, const py_str *a, const py_str *b) {
  if (a->len + b->len > PY_MAX_LENGTH) return py_fail(py, loc, "the string is too long");
  if (!py_steps(py, loc, (a->len + b->len) / 64)) return PY_POISON;
  pm_buf text = {0};
  pm_buf_put(&text, a->text, a->len);
  pm_buf_put(&text, b->text, b->len);
  py_value joined = py_string(py->arena, text.data ? text.data : "", text.len);
  pm_buf_free(&text);
  return joined;
}

static py_value join_lists(py_interp *py, pm_loc loc, py_value a, py_value b) {
  if (a.seq->len + b.seq->len > PY_MAX_LENGTH) return py_fail(py, loc, "the list is too long");
  if (!py_steps(py, loc, (a.seq->len + b.seq->len) / 8)) return PY_POISON;
  py_value joined = py_new_seq(py->arena, a.type, a.seq->len + b.seq->len);
  for (size_t i = 0; i < a.seq->len; i++) py_seq_push(py->arena, joined.seq, a.seq->items[i]);
  for (size_t i = 0; i < b.seq->len; i++) py_seq_push(py->arena, joined.seq, b.seq->items[i]);
  return joined;
}

static py_value repeat_list(py_interp *py, pm_loc loc, py_value list, int64_t count) {
  if (count < 0) count = 0;
  if (list.seq->len > 0 && count > (int64_t)(PY_MAX_LENGTH / list.seq->len))
    return py_fail(py, loc, "the list is too long");
  if (!py_steps(py, loc, list.seq->len * (size_t)count / 8)) return PY_POISON;
  py_value result = py_new_seq(py->arena, list.type, list.seq->len * (size_t)count);
  for (int64_t k = 0; k < count && list.seq->len > 0; k++)
    for (size_t i = 0; i < list.seq->len; i++) py_seq_push(py->arena, result.seq, list.seq->items[i]);
  return result;
}

static py_value repeat_string(py_interp *py, pm_loc loc, const py_str *s, int64_t count) {
  if (s->len > 0 && count > (int64_t)(PY_MAX_LENGTH / s->len))
    return py_fail(py, loc, "the string is too long");
  if (count > 0 && !py_steps(py, loc, s->len * (size_t)count / 64)) return PY_POISON;
  pm_buf text = {0};
  for (int64_t i = 0; i < count && s->len > 0; i++) pm_buf_put(&text, s->text, s->len);
  py_value result = py_string(py->arena, text.data ? text.data : "", text.len);
  pm_buf_free(&text);
  return result;
}

/* "%d" and "%s", the only directives. */
static py_value format_string(py_interp *py, pm_loc loc, const py_str *format, py_value values) {
  pm_buf text = {0};
  size_t next = 0, n = values.type == VAL_TUPLE ? values.seq->len : 1;
  bool ok = true;
  if (!py_steps(py, loc, format->len / 64)) return PY_POISON;
  for (size_t i = 0; i < format->len && ok; i++) {
    char c = format->text[i], directive = i + 1 < format->len ? format->text[i + 1] : '\0';
    if (c != '%')
      pm_buf_putc(&text, c);
    else if (directive == '%')
      pm_buf_putc(&text, '%'), i++;
    else if ((directive == 'd' || directive == 's') && next < n)
      py_put_str(&text, values.type == VAL_TUPLE ? values.seq->items[next] : values), next++, i++;
    else
      ok = false;
  }
  py_value result = PY_POISON;
  if (ok && next == n)
    result = py_string(py->arena, text.data ? text.data : "", text.len);
  else
    py_fail(py, loc, "the format does not fit its values, there should be one %%d or %%s for each");
  pm_buf_free(&text);
  return result;
}

static py_value binary_sequences(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  if (a.type == VAL_RANGE && b.type != VAL_INT) a = py_iterable(py, loc, a);
  if (op == TOK_PLUS && a.type == VAL_STR && b.type == VAL_STR) return join_strings(py, loc, a.str, b.str);
  if (op == TOK_PLUS && py_is_seq(a) && a.type == b.type) return join_lists(py, loc, a, b);
  if (op == TOK_STAR && py_is_seq(a) && py_is_int(b)) return repeat_list(py, loc, a, py_as_int(b));
  if (op == TOK_STAR && a.type == VAL_STR && py_is_int(b)) return repeat_string(py, loc, a.str, py_as_int(b));
  if (op == TOK_PERCENT && a.type == VAL_STR) return format_string(py, loc, a.str, b);
  if (op == TOK_PLUS && (a.type == VAL_STR || b.type == VAL_STR))
    return py_fail(py, loc, "%s is added to %s, str() should make it a string",
                   py_describe(py, a.type == VAL_STR ? b : a), py_describe(py, a.type == VAL_STR ? a : b));
  return mismatch(py, loc, op, a, b);
}

py_value py_binary(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  a = py_need(py, loc, a);
  b = py_need(py, loc, b);
  if (py_is_poison(a) || py_is_poison(b)) return py_is_poison(a) ? a : b;
  bool is_true_division = op == TOK_TRUE_SLASH;
  if (is_true_division) op = TOK_SLASH;
  if (dsl_is_operand(a) || dsl_is_operand(b)) return dsl_binary(py, loc, op, a, b);
  if (py_is_int(a) && py_is_int(b) && !is_true_division)
    return binary_ints(py, loc, op, py_as_int(a), py_as_int(b));
  if (py_is_number(a) && py_is_number(b)) return binary_floats(py, loc, op, py_as_float(a), py_as_float(b));
  return binary_sequences(py, loc, op, a, b);
}

/* --- comparison --- */

static bool ordered(py_tok op, int sign) {
  switch (op) {
  case TOK_LT:
    return sign < 0;
  case TOK_LE:
    return sign <= 0;
  case TOK_GT:
    return sign > 0;
  default:
    return sign >= 0;
  }
}

static int sign_of(py_value a, py_value b) {
  if (a.type == VAL_STR) return strcmp(a.str->text, b.str->text);
  if (py_is_int(a) && py_is_int(b)) return (py_as_int(a) > py_as_int(b)) - (py_as_int(a) < py_as_int(b));
  return (py_as_float(a) > py_as_float(b)) - (py_as_float(a) < py_as_float(b));
}

/* The same, or the opposite; POISON when there is too much to look at. */
static py_value equality(py_interp *py, pm_loc loc, py_value a, py_value b, bool wanted) {
  py_look look = {0};
  bool same = py_equal(a, b, &look);
  return py_looked(py, loc, &look) ? py_bool(same == wanted) : PY_POISON;
}

static py_value contains_text(py_interp *py, pm_loc loc, const py_str *part, const py_str *text) {
  if (!py_steps(py, loc, text->len / 64)) return PY_POISON;
  return py_bool(strstr(text->text, part->text) != NULL);
}

/* The hash of a key of a dictionary; false after an error. `wanted`: it must be able to be one. */
static bool hash_key(py_interp *py, pm_loc loc, py_value key, bool wanted, bool *is_key, uint64_t *hash) {
  py_look look = {0};
  *is_key = py_hash(key, hash, &look);
  if (!py_looked(py, loc, &look)) return false;
  if (*is_key || !wanted) return true;
  py_fail(py, loc, "the key is %s, it should be a number, a string or a tuple", py_describe(py, key));
  return false;
}

static py_value contains_key(py_interp *py, pm_loc loc, py_value item, const py_dict *dict) {
  uint64_t hash;
  bool is_key;
  if (!hash_key(py, loc, item, false, &is_key, &hash)) return PY_POISON;
  return py_bool(is_key && py_dict_get(dict, item, hash));
}

static py_value contains(py_interp *py, pm_loc loc, py_value item, py_value container) {
  if (container.type == VAL_STR && item.type == VAL_STR)
    return contains_text(py, loc, item.str, container.str);
  if (container.type == VAL_DICT) return contains_key(py, loc, item, container.dict);
  py_value items = py_iterable(py, loc, container);
  if (py_is_poison(items)) return items;
  for (size_t i = 0; i < py_iterable_len(items); i++) {
    py_value found = py_step(py, loc) ? equality(py, loc, py_iterable_at(items, i), item, true) : PY_POISON;
    if (py_is_poison(found) || found.b) return found;
  }
  return py_bool(false);
}

py_value py_compare(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  if (op == TOK_IS && !py_is_poison(a) && !py_is_poison(b)) return equality(py, loc, a, b, true);
  a = py_first_unknown(py, loc, a);
  b = py_first_unknown(py, loc, b);
  if (py_is_poison(a) || py_is_poison(b)) return py_is_poison(a) ? a : b;
  if (op == TOK_IN) return contains(py, loc, a, b);
  if ((dsl_is_operand(a) && (dsl_is_operand(b) || py_is_number(b))) || (py_is_number(a) && dsl_is_operand(b)))
    return dsl_compare(py, loc, op, a, b);
  if (op == TOK_EQ || op == TOK_NE) return equality(py, loc, a, b, op == TOK_EQ);
  bool texts = a.type == VAL_STR && b.type == VAL_STR;
  if (texts && !py_steps(py, loc, a.str->len / 64)) return PY_POISON;
  if (texts || (py_is_number(a) && py_is_number(b))) return py_bool(ordered(op, sign_of(a, b)));
  return mismatch(py, loc, op, a, b);
}

py_value py_truth(py_interp *py, pm_loc loc, py_value v, const char *instead) {
  v = py_need(py, loc, v);
  if (v.type == VAL_EXPR || v.type == VAL_COND || (v.type == VAL_SYMBOL && dsl_is_scalar(v.symbol)))
    return py_fail(py, loc, "%s is tested while the program is read: %s", py_describe(py, v), instead);
  switch (v.type) {
  case VAL_POISON:
    return v;
  case VAL_NONE:
    return py_bool(false);
  case VAL_BOOL:
    return v;
  case VAL_INT:
    return py_bool(v.i != 0);
  case VAL_FLOAT:
    return py_bool(v.f != 0);
  case VAL_STR:
    return py_bool(v.str->len > 0);
  case VAL_LIST:
  case VAL_TUPLE:
    return py_bool(v.seq->len > 0);
  case VAL_DICT:
    return py_bool(v.dict->len > 0);
  case VAL_RANGE:
    return py_bool(py_range_len(v.range) > 0);
  default:
    return py_bool(true);
  }
}

/* --- indexing --- */

static py_value new_open_item(py_interp *py, const py_dict *dict, py_value key) {
  pm_buf path = {0}, dotted = {0};
  pm_buf_printf(&path, key.type == VAL_STR ? "%s[\"" : "%s[", dict->path);
  py_put_str(&path, key);
  pm_buf_puts(&path, key.type == VAL_STR ? "\"]" : "]");
  pm_buf_printf(&dotted, "%s.", dict->dotted);
  py_put_str(&dotted, key);
  py_value inner = py_new_open_dict(py->arena, path.data, dotted.data);
  pm_buf_free(&path);
  pm_buf_free(&dotted);
  return inner;
}

/* A --const of the whole name, which counts whatever the program sets. */
static bool find_open_const(py_interp *py, const py_dict *dict, py_value key, py_value *value) {
  if (py->options->n_consts == 0) return false;
  pm_buf dotted = {0};
  pm_buf_printf(&dotted, "%s.", dict->dotted);
  py_put_str(&dotted, key);
  bool found = py_find_const(py, dotted.data, value);
  pm_buf_free(&dotted);
  return found;
}

static py_value open_item(py_interp *py, py_dict *dict, py_value key, uint64_t hash) {
  py_value value;
  if (find_open_const(py, dict, key, &value)) return value;
  py_value *set = py_dict_get(dict, key, hash);
  bool is_set = set && !(set->type == VAL_DICT && set->dict->open && set->dict->len == 0);
  if (is_set || (key.type == VAL_STR && py_find_const(py, key.str->text, &value)))
    return is_set ? *set : value;
  if (!set) py_dict_set(py->arena, dict, key, hash, new_open_item(py, dict, key));
  return *py_dict_get(dict, key, hash);
}

static py_value missing_key(py_interp *py, pm_loc loc, py_value key) {
  if (py->lost) return PY_POISON;
  pm_buf text = {0};
  py_put_str(&text, key);
  py_value result = py_fail(py, loc, "the dictionary has no key %s, an assignment should set it",
                            text.data ? text.data : "");
  pm_buf_free(&text);
  return result;
}

static py_value dict_item(py_interp *py, pm_loc loc, py_dict *dict, py_value key) {
  uint64_t hash;
  bool is_key;
  if (!hash_key(py, loc, key, true, &is_key, &hash)) return PY_POISON;
  if (dict->open) return open_item(py, dict, key, hash);
  py_value *found = py_dict_get(dict, key, hash);
  if (found) return *found;
  return dict->unknown ? (py_value){.type = VAL_POISON, .unknown = dict->unknown} : missing_key(py, loc, key);
}

static bool out_of_range(py_interp *py, pm_loc loc, int64_t index, size_t len) {
  long long i = index;
  if (len == 0)
    py_fail(py, loc, "the index is %lld, but there are no items, append() should make some", i);
  else if (len == 1)
    py_fail(py, loc, "the index is %lld, it should be 0: there is one item", i);
  else
    py_fail(py, loc, "the index is %lld, it should be 0 to %zu: there are %zu items", i, len - 1, len);
  return false;
}

/* Counts a negative index from the end; false after an error. */
static bool check_index(py_interp *py, pm_loc loc, py_value key, size_t len, size_t *at) {
  if (dsl_is_operand(key))
    return py_fail(py, loc, "the index of a list is %s, Table(type, values) should make what is read there",
                   py_describe(py, key)),
           false;
  if (!py_is_int(key))
    return py_fail(py, loc, "the index is %s, it should be an integer", py_describe(py, key)), false;
  int64_t i = py_as_int(key) < 0 ? py_as_int(key) + (int64_t)len : py_as_int(key);
  if (py->lost && (i < 0 || i >= (int64_t)len)) return false;
  if (i < 0 || i >= (int64_t)len) return out_of_range(py, loc, py_as_int(key), len);
  *at = (size_t)i;
  return true;
}

py_value py_index(py_interp *py, pm_loc loc, py_value base, py_value key) {
  size_t at;
  base = base.type == VAL_LIST ? py_need(py, loc, base) : base;
  key = py_need(py, loc, key);
  if (py_is_poison(base) || py_is_poison(key)) return py_is_poison(base) ? base : key;
  if (dsl_is_tuple_read(base)) return dsl_element(py, loc, base, key);
  if (base.type == VAL_DICT) return dict_item(py, loc, base.dict, key);
  if (base.type == VAL_STR)
    return check_index(py, loc, key, base.str->len, &at) ? py_string(py->arena, base.str->text + at, 1)
                                                         : PY_POISON;
  if (base.type == VAL_RANGE || py_is_seq(base))
    return check_index(py, loc, key, py_iterable_len(base), &at) ? py_iterable_at(base, at) : PY_POISON;
  if (base.type == VAL_SYMBOL && base.symbol->kind >= DSL_IMAGE)
    return py_fail(py, loc, "%s is indexed by brackets, parentheses should read it: %s(…)",
                   py_describe(py, base), base.symbol->given ? base.symbol->given->text : "f");
  return py_fail(py, loc, "%s is indexed, a list, a tuple or a dictionary should be", py_describe(py, base));
}

bool py_set_item(py_interp *py, pm_loc loc, py_value base, py_value key, py_value value) {
  uint64_t hash;
  bool is_key;
  size_t at;
  if (base.type == VAL_DICT) {
    if (!hash_key(py, loc, key, true, &is_key, &hash)) return false;
    /* What is not known is left to --const. */
    if (base.dict->open && py_is_unknown(value)) value = new_open_item(py, base.dict, key);
    py_dict_set(py->arena, base.dict, key, hash, value);
    return true;
  }
  if (base.type == VAL_SYMBOL || base.type == VAL_DEFINITION)
    return py_fail(py, loc, "a point of %s is set, the definition of all points should be: f.defn = …",
                   py_describe(py, base)),
           false;
  if (base.type != VAL_LIST)
    return py_fail(py, loc, "an item of %s is set, a list or a dictionary should be changed",
                   py_describe(py, base)),
           false;
  if (base.seq->unknown) return true;
  if (!check_index(py, loc, key, base.seq->len, &at)) return false;
  base.seq->items[at] = value;
  return true;
}

/* --- iteration --- */

static py_value dict_keys(py_interp *py, pm_loc loc, const py_dict *dict) {
  if (!py_steps(py, loc, dict->len / 8)) return PY_POISON;
  py_value keys = py_new_seq(py->arena, VAL_LIST, dict->len);
  for (size_t i = 0; i < dict->len; i++) py_seq_push(py->arena, keys.seq, dict->entries[i].key);
  return keys;
}

static py_value characters(py_interp *py, pm_loc loc, const py_str *s) {
  if (!py_steps(py, loc, s->len)) return PY_POISON;
  py_value list = py_new_seq(py->arena, VAL_LIST, s->len);
  for (size_t i = 0; i < s->len; i++) py_seq_push(py->arena, list.seq, py_string(py->arena, s->text + i, 1));
  return list;
}

py_value py_iterable(py_interp *py, pm_loc loc, py_value v) {
  if (v.type == VAL_LIST) v = py_need(py, loc, v);
  if (dsl_is_tuple_read(v)) return dsl_elements(py, loc, v);
  switch (v.type) {
  case VAL_POISON:
  case VAL_LIST:
  case VAL_TUPLE:
  case VAL_RANGE:
    return v;
  case VAL_DICT:
    v = py_need(py, loc, v);
    if (py_is_poison(v)) return v;
    return v.dict->unknown ? (py_value){.type = VAL_POISON, .unknown = v.dict->unknown}
                           : dict_keys(py, loc, v.dict);
  case VAL_STR:
    return characters(py, loc, v.str);
  default:
    return py_fail(py, loc,
                   "%s is gone through item by item, a list, a tuple, a dictionary or a range should be%s",
                   py_describe(py, v), dsl_is_operand(v) ? py_no_loop : "");
  }
}

size_t py_iterable_len(py_value v) {
  return v.type == VAL_RANGE ? (size_t)py_range_len(v.range) : v.seq->len;
}

py_value py_iterable_at(py_value v, size_t i) {
  if (v.type != VAL_RANGE) return v.seq->items[i];
  return py_int((int64_t)((uint64_t)v.range->start + (uint64_t)v.range->step * (uint64_t)i));
}
