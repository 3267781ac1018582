/* Buffer<T> whose values the program gives: numbers of the host code, a constant for Funcs that read it. */
#include "frontends/cxx/types/types.h"
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

typedef struct table_making {
  cx_interp *in;
  pm_loc loc;
  h_symbol *symbol;
  cv values; /* a list, or nothing */
} table_making;

static cx_list *peek_list(cv v) {
  return v.kind == CV_LIST ? v.list : NULL;
}

/* --- making --- */

static bool add_extent(const table_making *m, pm_loc loc, cv v) {
  h_symbol *s = m->symbol;
  int64_t n;
  if (!cx_to_int(m->in, loc, v, &n, "the extent")) return false;
  if (s->n_dims == HX_MAX_DIMS) {
    cx_fail(m->in, loc, "the Buffer has more than %d dimensions", HX_MAX_DIMS);
    return false;
  }
  if (n < 1 || n > PM_MAX_DENSE) {
    cx_fail(m->in, loc, "the extent is %lld, it should be 1 to %d", (long long)n, PM_MAX_DENSE);
    return false;
  }
  s->table->extents[s->n_dims++] = n;
  return true;
}

/* The extents of nested arrays: the innermost is x. */
static bool add_extents_of(const table_making *m, cv values) {
  const cx_list *list = peek_list(values);
  if (list && list->items.len > 0 && !add_extents_of(m, list->items.data[0]->value)) return false;
  return !list || add_extent(m, m->loc, cv_int(PM_I32, list->items.len));
}

/* A list of what cannot be extents. */
static bool holds_values(cv v) {
  const cx_list *list = peek_list(v);
  if (!list || list->items.len == 0) return false;
  cv first = list->items.data[0]->value;
  return first.kind != CV_INT || first.scalar != PM_I32;
}

static bool read_extents(table_making *m, const cv *args, const pm_loc *locs, unsigned n_args) {
  unsigned i = n_args > 0 && args[0].kind == HV_TYPE;
  if (i < n_args && args[i].kind == CV_LIST && (n_args - i > 1 || holds_values(args[i]))) {
    m->values = args[i++];
    if (i == n_args) return add_extents_of(m, m->values);
  }
  for (; i < n_args; i++) {
    const cx_list *list = peek_list(args[i]);
    for (uint32_t k = 0; list && k < list->items.len; k++)
      if (!add_extent(m, locs[i], list->items.data[k]->value)) return false;
    if (!list && args[i].kind != CV_STRING && !add_extent(m, locs[i], args[i])) return false;
  }
  return true;
}

static bool set_number(cx_interp *in, pm_loc loc, const h_symbol *s, size_t at, cv value) {
  pm_scalar type = (pm_scalar)s->types[0];
  int64_t whole;
  if (!cv_is_number(value) || (!cx_is_float(type) && !cv_as_int(value, &whole))) {
    cx_fail(in, loc, "this is %s, a number that fits %s should be here", cv_describe(in, value),
            hx_type_name(type));
    return false;
  }
  if (!cx_is_float(type))
    s->table->numbers[at].i = cv_int(type, whole).i;
  else
    s->table->numbers[at].f = cv_float(type, value.kind == CV_FLOAT ? value.f : (double)value.i).f;
  return true;
}

/* The numbers of nested lists one after the other. */
static bool take_values(const table_making *m, cv v, size_t *at) {
  const cx_list *list = peek_list(v);
  for (uint32_t i = 0; list && i < list->items.len; i++)
    if (!take_values(m, list->items.data[i]->value, at)) return false;
  if (list) return true;
  return *at >= m->symbol->table->n || set_number(m->in, m->loc, m->symbol, (*at)++, v);
}

static bool make_numbers(const table_making *m) {
  h_table *t = m->symbol->table;
  size_t at = 0;
  t->n = 1;
  for (unsigned d = 0; d < m->symbol->n_dims; d++) {
    t->n *= (size_t)t->extents[d];
    if (t->n > PM_MAX_DENSE) {
      cx_fail(m->in, m->loc, "the Buffer has more than %d elements, an input should have that many",
              PM_MAX_DENSE);
      return false;
    }
  }
  t->numbers = pm_arena_alloc(m->in->arena, t->n * sizeof(*t->numbers));
  return m->values.kind != CV_LIST || take_values(m, m->values, &at);
}

cv h_new_table(const cx_making *making) {
  cx_interp *in = making->in;
  const cv *args = making->args;
  unsigned n_args = making->n_args;
  pm_scalar scalar;
  bool typed = cx_scalar_of(in, cx_argument_of(making->type, 0), &scalar);
  if (n_args > 0 && args[0].kind == HV_TYPE) {
    scalar = (pm_scalar)args[0].scalar;
    typed = true;
  }
  if (n_args == 0) return cv_void;
  if (!typed)
    return cx_fail(in, making->loc, "the type of the elements of the Buffer is not known, <uint8_t> says it");
  pm_string name = args[n_args - 1].kind == CV_STRING ? args[n_args - 1].text : making->hint;
  h_symbol *s = h_new_symbol(h_program_of(in), H_BUFFER, making->loc, name ? name->text : "table");
  table_making m = {in, making->loc, s, cv_void};
  s->types[0] = (uint8_t)scalar;
  s->is_declared = true;
  s->table = pm_arena_alloc(in->arena, sizeof(*s->table));
  if (!read_extents(&m, args, making->locs, n_args) || !make_numbers(&m)) return cv_poison;
  CX_PUSH(in->arena, h_program_of(in)->tables, s);
  return hv_symbol(s);
}

/* --- elements --- */

/* Where the element is; false after a diagnostic. */
static bool find_place(cx_interp *in, const h_ref *ref, size_t *at) {
  const h_symbol *s = ref->symbol;
  size_t stride = 1;
  *at = 0;
  if (ref->n_args != s->n_dims) {
    cx_fail(in, ref->loc, "%s is called with %u %s, it has %u", s->name->text, ref->n_args,
            ref->n_args == 1 ? "argument" : "arguments", s->n_dims);
    return false;
  }
  for (unsigned d = 0; d < s->n_dims; d++) {
    int64_t i = ref->args[d]->i, low = s->table->min[d], last = low + s->table->extents[d] - 1;
    if (i < low || i > last) {
      cx_fail(in, ref->loc, "index %u of %s is %lld, it should be %lld to %lld", d, s->name->text,
              (long long)i, (long long)low, (long long)last);
      return false;
    }
    *at += stride * (size_t)(i - low);
    stride *= (size_t)s->table->extents[d];
  }
  return true;
}

cv h_table_value(cx_interp *in, const h_ref *ref) {
  pm_scalar type = (pm_scalar)ref->symbol->types[0];
  size_t at;
  if (!find_place(in, ref, &at)) return cv_poison;
  const pm_number *n = &ref->symbol->table->numbers[at];
  return cx_is_float(type) ? cv_float(type, n->f) : cv_int(type, n->i);
}

cv h_set_table_value(cx_interp *in, pm_loc loc, const h_ref *ref, cx_op op, cv value) {
  size_t at;
  if (!find_place(in, ref, &at)) return cv_poison;
  bool is_element = value.kind == HV_REF && h_ref_of(value)->is_host;
  if (is_element) value = h_table_value(in, h_ref_of(value));
  if (op != CX_OP_NONE) value = cx_binary(in, loc, op, h_table_value(in, ref), value);
  if (value.kind == CV_POISON) return value;
  return set_number(in, loc, ref->symbol, at, value) ? value : cv_poison;
}

cv h_fill_table(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  if (c->n_args != 1 || !s->table)
    return cx_fail(c->in, c->loc, "fill takes a number, and only Buffers have fill");
  for (size_t i = 0; i < s->table->n; i++)
    if (!set_number(c->in, c->loc, s, i, c->args[0])) return cv_poison;
  return c->self;
}

/* --- shape --- */

/* The numbers that the arguments are, or the items of a list that is the only one. */
static bool read_numbers(const cx_call *c, const h_symbol *s, int64_t *out) {
  bool is_list = c->n_args == 1 && c->args[0].kind == CV_LIST;
  unsigned n = is_list ? c->args[0].list->items.len : c->n_args;
  if (n > s->n_dims) {
    cx_fail(c->in, c->loc, "%s has %u numbers, %s has %u dimensions", c->name->text, n, s->name->text,
            s->n_dims);
    return false;
  }
  for (unsigned i = 0; i < n; i++) {
    cv v = is_list ? c->args[0].list->items.data[i]->value : c->args[i];
    if (!cx_to_int(c->in, c->locs[is_list ? 0 : i], v, &out[i], "the number")) return false;
    if (out[i] < INT32_MIN || out[i] > INT32_MAX) {
      cx_fail(c->in, c->loc, "the number is %lld, it should fit 32 bits", (long long)out[i]);
      return false;
    }
  }
  return true;
}

static cv move_mins(const cx_call *c, h_symbol *s, const int64_t *mins) {
  h_table *t = s->table;
  for (unsigned i = 0; i < s->n_dims; i++)
    if (mins[i] < INT32_MIN || mins[i] > INT32_MAX)
      return cx_fail(c->in, c->loc, "dimension %u of %s begins at a number that has more than 32 bits", i,
                     s->name->text);
  if (t->is_read && memcmp(t->min, mins, sizeof(t->min)) != 0)
    return cx_fail(c->in, c->loc, "%s moves %s, which a Func reads already; it should come first",
                   c->name->text, s->name->text);
  memcpy(t->min, mins, sizeof(t->min));
  return c->self;
}

cv h_set_table_mins(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  int64_t mins[HX_MAX_DIMS];
  memcpy(mins, s->table->min, sizeof(mins));
  return read_numbers(c, s, mins) ? move_mins(c, s, mins) : cv_poison;
}

cv h_translate_table(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  int64_t mins[HX_MAX_DIMS], by[HX_MAX_DIMS] = {0}, d = 0;
  if (!s->table)
    return cx_fail(c->in, c->loc, "only Buffers whose elements the program gives are translated");
  memcpy(mins, s->table->min, sizeof(mins));
  if (c->n_args == 2) { /* a dimension, and by how much */
    if (!cx_to_int(c->in, c->locs[0], c->args[0], &d, "the number of a dimension")) return cv_poison;
    if (d < 0 || d >= (int64_t)s->n_dims)
      return cx_fail(c->in, c->locs[0], "%s has %u dimensions, number %lld is asked for", s->name->text,
                     s->n_dims, (long long)d);
    if (!cx_to_int(c->in, c->locs[1], c->args[1], &by[d], "the number")) return cv_poison;
  } else if (!cx_takes(c, 1, 2) || !read_numbers(c, s, by)) {
    return cv_poison;
  }
  for (unsigned i = 0; i < s->n_dims; i++) mins[i] = pm_wrap_add(mins[i], by[i]); /* is large if it wraps */
  return move_mins(c, s, mins);
}
