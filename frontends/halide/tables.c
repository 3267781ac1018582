/* Buffer<T> whose values the program gives: numbers of the host code, a constant for Funcs that read it. */
#include "frontends/halide/interp.h"

#include <string.h>

typedef struct table_making {
  h_interp *in;
  pm_loc loc;
  h_symbol *symbol;
  hv values; /* a list, or nothing */
} table_making;

static hv_list *peek_list(hv v) {
  return v.kind == HV_LIST ? v.list : NULL;
}

/* --- making --- */

static bool add_extent(const table_making *m, pm_loc loc, hv v) {
  h_symbol *s = m->symbol;
  int64_t n;
  if (!h_to_int(m->in, loc, v, &n, "the extent")) return false;
  if (s->n_dims == HX_MAX_DIMS) {
    h_fail(m->in, loc, "the Buffer has more than %d dimensions", HX_MAX_DIMS);
    return false;
  }
  if (n < 1 || n > PM_MAX_DENSE) {
    h_fail(m->in, loc, "the extent is %lld, it should be 1 to %d", (long long)n, PM_MAX_DENSE);
    return false;
  }
  s->table->extents[s->n_dims++] = n;
  return true;
}

/* The extents of nested arrays: the innermost is x. */
static bool add_extents_of(const table_making *m, hv values) {
  const hv_list *list = peek_list(values);
  if (list && list->items.len > 0 && !add_extents_of(m, list->items.data[0]->value)) return false;
  return !list || add_extent(m, m->loc, hv_int(PM_I32, list->items.len));
}

/* A list of what cannot be extents. */
static bool holds_values(hv v) {
  const hv_list *list = peek_list(v);
  if (!list || list->items.len == 0) return false;
  hv first = list->items.data[0]->value;
  return first.kind != HV_INT || first.scalar != PM_I32;
}

static bool read_extents(table_making *m, const hv *args, const pm_loc *locs, unsigned n_args) {
  unsigned i = n_args > 0 && args[0].kind == HV_TYPE;
  if (i < n_args && args[i].kind == HV_LIST && (n_args - i > 1 || holds_values(args[i]))) {
    m->values = args[i++];
    if (i == n_args) return add_extents_of(m, m->values);
  }
  for (; i < n_args; i++) {
    const hv_list *list = peek_list(args[i]);
    for (uint32_t k = 0; list && k < list->items.len; k++)
      if (!add_extent(m, locs[i], list->items.data[k]->value)) return false;
    if (!list && args[i].kind != HV_STRING && !add_extent(m, locs[i], args[i])) return false;
  }
  return true;
}

static bool set_number(h_interp *in, pm_loc loc, const h_symbol *s, size_t at, hv value) {
  pm_scalar type = (pm_scalar)s->types[0];
  int64_t whole;
  if (!hv_is_number(value) || (!hx_is_float_type(type) && !hv_as_int(value, &whole))) {
    h_fail(in, loc, "this is %s, a number that fits %s should be here", hv_describe(value),
           hx_type_name(type));
    return false;
  }
  if (!hx_is_float_type(type))
    s->table->numbers[at].i = hv_int(type, whole).i;
  else
    s->table->numbers[at].f = hv_float(type, value.kind == HV_FLOAT ? value.f : (double)value.i).f;
  return true;
}

/* The numbers of nested lists one after the other. */
static bool take_values(const table_making *m, hv v, size_t *at) {
  const hv_list *list = peek_list(v);
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
      h_fail(m->in, m->loc, "the Buffer has more than %d elements, an input should have that many",
             PM_MAX_DENSE);
      return false;
    }
  }
  t->numbers = pm_arena_alloc(m->in->arena, t->n * sizeof(*t->numbers));
  return m->values.kind != HV_LIST || take_values(m, m->values, &at);
}

hv h_new_table(h_interp *in, pm_loc loc, const cx_node *type, const hv *args, const pm_loc *locs,
               unsigned n_args, pm_string hint) {
  pm_scalar scalar;
  bool typed = type->n_items > 0 && h_scalar_of(in, type->items[0], &scalar);
  if (n_args > 0 && args[0].kind == HV_TYPE) {
    scalar = (pm_scalar)args[0].scalar;
    typed = true;
  }
  if (n_args == 0) return hv_void;
  if (!typed)
    return h_fail(in, loc, "the type of the elements of the Buffer is not known, <uint8_t> says it");
  pm_string name = args[n_args - 1].kind == HV_STRING ? args[n_args - 1].text : hint;
  table_making m = {in, loc, h_new_symbol(&in->program, H_BUFFER, loc, name ? name->text : "table"), hv_void};
  m.symbol->types[0] = (uint8_t)scalar;
  m.symbol->is_declared = true;
  m.symbol->table = pm_arena_alloc(in->arena, sizeof(*m.symbol->table));
  if (!read_extents(&m, args, locs, n_args) || !make_numbers(&m)) return hv_poison;
  H_PUSH(in->arena, in->program.tables, m.symbol);
  return hv_symbol(m.symbol);
}

/* --- elements --- */

/* Where the element is; false after a diagnostic. */
static bool find_place(h_interp *in, const hv_ref *ref, size_t *at) {
  const h_symbol *s = ref->symbol;
  size_t stride = 1;
  *at = 0;
  if (ref->n_args != s->n_dims) {
    h_fail(in, ref->loc, "%s is called with %u %s, it has %u", s->name->text, ref->n_args,
           ref->n_args == 1 ? "argument" : "arguments", s->n_dims);
    return false;
  }
  for (unsigned d = 0; d < s->n_dims; d++) {
    int64_t i = ref->args[d]->i;
    if (i < 0 || i >= s->table->extents[d]) {
      h_fail(in, ref->loc, "index %u of %s is %lld, it should be 0 to %lld", d, s->name->text, (long long)i,
             (long long)s->table->extents[d] - 1);
      return false;
    }
    *at += stride * (size_t)i;
    stride *= (size_t)s->table->extents[d];
  }
  return true;
}

hv h_table_value(h_interp *in, const hv_ref *ref) {
  pm_scalar type = (pm_scalar)ref->symbol->types[0];
  size_t at;
  if (!find_place(in, ref, &at)) return hv_poison;
  const pm_number *n = &ref->symbol->table->numbers[at];
  return hx_is_float_type(type) ? hv_float(type, n->f) : hv_int(type, n->i);
}

hv h_set_table_value(h_interp *in, pm_loc loc, const hv_ref *ref, cx_op op, hv value) {
  size_t at;
  if (!find_place(in, ref, &at)) return hv_poison;
  if (op != CX_OP_NONE) value = h_binary(in, loc, op, h_table_value(in, ref), value);
  if (value.kind == HV_POISON) return value;
  return set_number(in, loc, ref->symbol, at, value) ? value : hv_poison;
}

hv h_fill_table(const h_call *c) {
  const h_symbol *s = c->self.symbol;
  if (c->n_args != 1 || !s->table) return h_fail(c->in, c->loc, "fill takes a number, and is of Buffers");
  for (size_t i = 0; i < s->table->n; i++)
    if (!set_number(c->in, c->loc, s, i, c->args[0])) return hv_poison;
  return c->self;
}
