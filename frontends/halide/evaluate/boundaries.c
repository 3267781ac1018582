/* BoundaryConditions: a Func of the points of another, which reads it at the points inside of given bounds.
 * Over all of a buffer that is a boundary mode of the read (docs/boundaries.md), else arithmetic of the
 * indices. */
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

typedef struct boundary {
  cx_interp *in;
  pm_loc loc;
  h_boundary mode;
  h_symbol *source;
  hx *values[HX_MAX_ELEMENTS]; /* of H_CONSTANT, of each element */
  hx *low[HX_MAX_DIMS];        /* NULL: no bounds along this dimension */
  hx *extent[HX_MAX_DIMS];
  const h_var *vars[HX_MAX_DIMS];
} boundary;

static const struct {
  const char *name;
  h_boundary mode;
} modes[] = {{"repeat_edge", H_CLAMP},
             {"constant_exterior", H_CONSTANT},
             {"repeat_image", H_REPEAT},
             {"mirror_image", H_MIRROR},
             {"mirror_interior", H_MIRROR101}};

static h_boundary mode_of(pm_string name) {
  for (size_t i = 0; i < PM_COUNT(modes); i++)
    if (strstr(name->text, modes[i].name)) return modes[i].mode;
  return H_NONE;
}

/* --- the bounds --- */

static bool set_bound(boundary *b, unsigned d, pm_loc loc, cv low, cv extent) {
  bool open = low.kind == HV_EXPR && !h_expr_of(low) && extent.kind == HV_EXPR && !h_expr_of(extent);
  if (open) return true;
  b->low[d] = h_to_expr(b->in, loc, low);
  b->extent[d] = b->low[d] ? h_to_expr(b->in, loc, extent) : NULL;
  return b->extent[d] != NULL;
}

/* {{min, extent}, …}, or min, extent, … one after the other. */
static bool read_bounds(boundary *b, const cx_call *c, unsigned first) {
  unsigned n = c->n_args - first;
  if (n == 1 && c->args[first].kind == CV_LIST) {
    cv list = c->args[first];
    n = list.list->items.len;
    for (unsigned d = 0; d < n && d < b->source->n_dims; d++) {
      cv pair = list.list->items.data[d]->value;
      if (pair.kind != CV_LIST || pair.list->items.len == 1 || pair.list->items.len > 2) {
        cx_fail(c->in, c->locs[first], "the bounds should be {min, extent} for each dimension");
        return false;
      }
      if (pair.list->items.len == 0) continue;
      if (!set_bound(b, d, c->locs[first], pair.list->items.data[0]->value, pair.list->items.data[1]->value))
        return false;
    }
  } else {
    for (unsigned d = 0; 2 * d + 1 < n && d < b->source->n_dims; d++)
      if (!set_bound(b, d, c->locs[first + 2 * d], c->args[first + 2 * d], c->args[first + 2 * d + 1]))
        return false;
    n = (n + 1) / 2;
  }
  if (n <= b->source->n_dims) return true;
  cx_fail(c->in, c->loc, "%u bounds are given, %s has %u dimensions", n, b->source->name->text,
          b->source->n_dims);
  return false;
}

static void take_all(boundary *b) {
  for (unsigned d = 0; d < b->source->n_dims; d++) {
    b->low[d] = hx_int(h_program_of(b->in), b->loc, PM_I32, h_min(b->source, d));
    b->extent[d] = h_extent(h_program_of(b->in), b->loc, b->source, d);
  }
}

/* All of the buffer along each dimension that has bounds. */
static bool is_whole(const boundary *b) {
  if (b->source->kind != H_BUFFER) return false;
  for (unsigned d = 0; d < b->source->n_dims; d++) {
    if (!b->low[d]) continue;
    bool from_0 = b->low[d]->op == HX_INT && b->low[d]->i == 0;
    bool to_end = b->extent[d]->op == HX_PARAM && b->extent[d]->symbol == b->source->extents[d];
    if (!from_0 || !to_end) return false;
  }
  return true;
}

/* --- arithmetic --- */

static hx *binary(const boundary *b, hx_op op, hx *x, hx *y) {
  return hx_binary(h_program_of(b->in), b->loc, op, x, y);
}

static hx *number(const boundary *b, int64_t i) {
  return hx_int(h_program_of(b->in), b->loc, PM_I32, i);
}

static hx *clamped(const boundary *b, unsigned d, hx *x) {
  hx *last = binary(b, HX_SUB, binary(b, HX_ADD, b->low[d], b->extent[d]), number(b, 1));
  return binary(b, HX_MAX, binary(b, HX_MIN, x, last), b->low[d]);
}

/* The point that is read for x: the formulas of docs/boundaries.md. */
static hx *mapped(const boundary *b, unsigned d, hx *x) {
  if (!b->low[d]) return x;
  hx *from_low = binary(b, HX_SUB, x, b->low[d]), *n = b->extent[d], *m;
  switch (b->mode) {
  case H_REPEAT:
    return binary(b, HX_ADD, b->low[d], binary(b, HX_MOD, from_low, n));
  case H_MIRROR:
    m = binary(b, HX_MOD, from_low, binary(b, HX_MUL, n, number(b, 2)));
    m = binary(b, HX_MIN, m,
               binary(b, HX_SUB, binary(b, HX_MUL, n, number(b, 2)), binary(b, HX_ADD, m, number(b, 1))));
    return clamped(b, d, binary(b, HX_ADD, b->low[d], m)); /* it is inside, and now this is seen */
  case H_MIRROR101: {
    hx *period = binary(b, HX_SUB, binary(b, HX_MUL, n, number(b, 2)), number(b, 2));
    m = binary(b, HX_MOD, from_low, period);
    return binary(b, HX_ADD, b->low[d], binary(b, HX_MIN, m, binary(b, HX_SUB, period, m)));
  }
  default:
    return clamped(b, d, x);
  }
}

static hx *is_outside(const boundary *b, unsigned d, hx *x) {
  hx *before = binary(b, HX_LT, x, b->low[d]);
  return binary(b, HX_BIT_OR, before, binary(b, HX_GE, x, binary(b, HX_ADD, b->low[d], b->extent[d])));
}

static hx *read_source(const boundary *b, hx *const *args, unsigned element) {
  h_ref ref = {.symbol = b->source, .loc = b->loc, .n_args = b->source->n_dims, .placeholder = -1};
  memcpy(ref.args, args, b->source->n_dims * sizeof(*args));
  return h_read(b->in, b->loc, &ref, element);
}

static cv by_arithmetic(const boundary *b, const char *name) {
  hx *args[HX_MAX_DIMS], *values[HX_MAX_ELEMENTS], *outside = NULL;
  unsigned n = b->source->n_elements;
  for (unsigned d = 0; d < b->source->n_dims; d++) {
    hx *x = hx_var(h_program_of(b->in), b->loc, b->vars[d]);
    args[d] = mapped(b, d, x);
    if (!b->low[d] || b->mode != H_CONSTANT) continue;
    hx *test = is_outside(b, d, x);
    outside = outside ? binary(b, HX_BIT_OR, outside, test) : test;
  }
  for (unsigned i = 0; i < n; i++) {
    values[i] = read_source(b, args, i);
    if (values[i] && outside)
      values[i] = hx_select(h_program_of(b->in), b->loc, outside, b->values[i], values[i]);
    if (!values[i]) return cv_poison;
  }
  return h_new_func(b->in, b->loc, name, b->vars, b->source->n_dims, values, n);
}

/* The Func reads the buffer at its own point; the modes say what that is outside. */
static cv by_mode(const boundary *b, const char *name) {
  hx *args[HX_MAX_DIMS];
  for (unsigned d = 0; d < b->source->n_dims; d++) args[d] = hx_var(h_program_of(b->in), b->loc, b->vars[d]);
  hx *value = read_source(b, args, 0);
  if (!value) return cv_poison;
  cv func = h_new_func(b->in, b->loc, name, b->vars, b->source->n_dims, &value, 1);
  if (func.kind == CV_POISON) return func;
  h_symbol_of(func)->has_boundary = true;
  h_symbol_of(func)->exterior = b->values[0];
  for (unsigned d = 0; d < b->source->n_dims; d++)
    h_symbol_of(func)->boundary[d] = b->low[d] ? b->mode : H_NONE;
  return func;
}

static bool is_number(const hx *e) {
  return e->op == HX_INT || e->op == HX_FLOAT;
}

/* Halide makes a Func of a buffer first, and a constant exterior of a repeated edge. */
static void count_as_halide(cx_interp *in, const boundary *b) {
  h_program_of(in)->n_definitions += (b->source->kind == H_BUFFER) + (b->mode == H_CONSTANT);
}

/* What is outside: one value for all elements, or a Tuple of as many. */
static bool read_values(boundary *b, const cx_call *c) {
  cv given = c->args[1];
  bool is_tuple = given.kind == HV_TUPLE;
  if (is_tuple && given.list->items.len != b->source->n_elements) {
    cx_fail(c->in, c->locs[1], "%u values are here, %s has %u", given.list->items.len, b->source->name->text,
            b->source->n_elements);
    return false;
  }
  for (unsigned i = 0; i < b->source->n_elements; i++) {
    hx *e = h_to_expr(c->in, c->locs[1], is_tuple ? given.list->items.data[i]->value : given);
    if (e && e->op == HX_INT) e = hx_cast(h_program_of(c->in), e->loc, (pm_scalar)b->source->types[i], e);
    if (!(b->values[i] = e)) return false;
  }
  return true;
}

cv h_add_boundary(const cx_call *c) {
  boundary b = {.in = c->in, .loc = c->loc, .mode = mode_of(c->name)};
  unsigned first = b.mode == H_CONSTANT ? 2 : 1;
  if (c->n_args < first)
    return cx_fail(c->in, c->loc, "%s has %u %s, it should have %u or more", c->name->text, c->n_args,
                   c->n_args == 1 ? "argument" : "arguments", first);
  if (c->args[0].kind != HV_FUNC && c->args[0].kind != HV_BUFFER)
    return cx_fail(c->in, c->locs[0], "this is %s, a Func or a buffer should be here",
                   cv_describe(c->in, c->args[0]));
  b.source = h_symbol_of(c->args[0]);
  if (!h_check_ready(c->in, c->locs[0], b.source)) return cv_poison;
  if (b.mode == H_CONSTANT && !read_values(&b, c)) return cv_poison;
  for (unsigned d = 0; d < b.source->n_dims; d++) {
    bool has_own = b.source->kind == H_FUNC && b.source->is_defined;
    b.vars[d] = has_own ? b.source->pure.args[d]->var : h_implicit_var(h_program_of(c->in), d);
  }
  if (c->n_args > first) {
    if (!read_bounds(&b, c, first)) return cv_poison;
  } else if (b.source->kind == H_BUFFER) {
    take_all(&b);
  } else {
    return cx_fail(c->in, c->loc, "%s is a Func, which has no bounds; {{min, extent}, …} should follow",
                   b.source->name->text);
  }
  const char *last = strrchr(c->name->text, ':');
  const char *name = last ? last + 1 : c->name->text;
  count_as_halide(c->in, &b);
  bool by_modes = is_whole(&b) && (b.mode != H_CONSTANT || is_number(b.values[0]));
  return by_modes ? by_mode(&b, name) : by_arithmetic(&b, name);
}
