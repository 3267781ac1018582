#include "passes/stage/factor-stencils/sums.h"

#include "dialects/arith/arith.h"
#include "dialects/stage/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_OPS = 128,     /* of an expression that is compared */
  MOST_STENCILS = 64, /* of a sum, each of whose terms is compared with them */
  WEIGHT_BITS = 31    /* products of two are exact in a double */
};

/* --- terms --- */

static bool is_sum(const pm_op *op) {
  return pm_is(op, &arith_addi) || pm_is(op, &arith_subi) || pm_is(op, &arith_addf) || pm_is(op, &arith_subf);
}

/* Sets what the other operand of a product is multiplied by. */
static bool is_multiple(const pm_op *op, unsigned *other, double *by) {
  if (!pm_is(op, &arith_muli) && !pm_is(op, &arith_mulf)) return false;
  for (unsigned i = 0; i < 2; i++) {
    pm_attr constant = pm_constant_value(pm_arg(op, i));
    if (!constant || pm_constant_value(pm_arg(op, 1 - i))) continue;
    *other = 1 - i;
    *by = constant->cls == PM_ATTR_INT ? (double)constant->i : constant->f;
    return true;
  }
  return false;
}

static bool is_weight(double weight, pm_type type) {
  return pm_is_float(type) ? isfinite(weight) : fabs(weight) < ldexp(1, WEIGHT_BITS);
}

typedef PM_VEC(stencil_term) term_stack;

/* Pushes what the term is the sum of, the first part on top; false when it is none. */
static bool push_parts(term_stack *todo, stencil_term term) {
  const pm_op *op = pm_def(term.value);
  unsigned other;
  double by;
  if (op && is_sum(op)) {
    bool subtracts = pm_is(op, &arith_subi) || pm_is(op, &arith_subf);
    PM_VEC_PUSH(*todo, ((stencil_term){pm_arg(op, 1), subtracts ? -term.weight : term.weight}));
    PM_VEC_PUSH(*todo, ((stencil_term){pm_arg(op, 0), term.weight}));
    return true;
  }
  if (!op || !is_multiple(op, &other, &by) || !is_weight(term.weight * by, term.value->type)) return false;
  PM_VEC_PUSH(*todo, ((stencil_term){pm_arg(op, other), term.weight * by}));
  return true;
}

/* --- expressions at several points --- */

typedef struct comparison {
  unsigned ops;
  bool known[PM_MAX_RANK]; /* by argument of the body: an index says how far */
  int64_t shift[PM_MAX_RANK];
} comparison;

/* `expr` is by * argument + c, with params alone beside it. *arg: NULL without an argument. */
static bool index_parts(const pm_op *read, pm_affine_expr expr, const pm_value **arg, int64_t *by) {
  int64_t by_dim[PM_MAX_RANK];
  pm_affine_map map = stage_index_map(read);
  *arg = NULL;
  if (map->n_dims > PM_MAX_RANK || !pm_affine_dim_coeffs(expr, by_dim, map->n_dims)) return false;
  for (uint32_t d = 0; d < map->n_dims; d++) {
    const pm_value *value = pm_arg(read, stage_index_operand(read) + d);
    if (!by_dim[d] || pm_is(pm_def(value), &stage_param)) continue;
    if (!pm_is_arg(value) || *arg) return false;
    *arg = value;
    *by = by_dim[d];
  }
  return true;
}

/* b - a, of the same operands, when it is a number. */
static bool difference(pm_affine_expr a, pm_affine_expr b, int64_t *number) {
  pm_affine_expr minus = pm_affine_mul(a, pm_affine_const(a->ctx, -1));
  pm_affine_expr expr = pm_affine_normalize(pm_affine_add(b, minus));
  *number = expr->value;
  return expr->kind == PM_AFFINE_CONST;
}

static bool same_operands(const pm_op *a, const pm_op *b) {
  if (a->n_operands != b->n_operands) return false;
  for (unsigned i = 0; i < a->n_operands; i++)
    if (pm_arg(a, i) != pm_arg(b, i)) return false;
  return true;
}

static bool compare_reads(comparison *c, const pm_op *a, const pm_op *b) {
  pm_affine_map of_a = stage_index_map(a), of_b = stage_index_map(b);
  if (pm_attr_at(a, stage_read_stage) != pm_attr_at(b, stage_read_stage) || !same_operands(a, b))
    return false;
  if (pm_attr_at(a, stage_read_boundary) || pm_attr_at(b, stage_read_boundary)) return false;
  for (uint32_t i = 0; i < of_a->n_results; i++) {
    const pm_value *arg;
    int64_t by, far;
    if (!index_parts(a, of_a->results[i], &arg, &by) || !difference(of_a->results[i], of_b->results[i], &far))
      return false;
    if (!arg && far) return false;
    if (!arg) continue;
    if (far % by || (c->known[pm_value_index(arg)] && c->shift[pm_value_index(arg)] != far / by))
      return false;
    c->known[pm_value_index(arg)] = true;
    c->shift[pm_value_index(arg)] = far / by;
  }
  return true;
}

static bool same_attributes(const pm_op *a, const pm_op *b) {
  for (unsigned i = 0; i < a->desc->n_attrs; i++)
    if (pm_attr_at(a, i) != pm_attr_at(b, i)) return false;
  return pm_extra(a) == pm_extra(b);
}

/* Both compute the same, `b` at a point that lies a constant further. */
static bool compare(comparison *c, const pm_value *a, const pm_value *b) {
  const pm_op *x = pm_def(a), *y = pm_def(b);
  if (pm_is_arg(a) || pm_is_arg(b) || ++c->ops > MOST_OPS) return false;
  if (pm_is(x, &stage_param)) return a == b;
  if (x->desc != y->desc || pm_value_index(a) != pm_value_index(b) || a->type != b->type || x->n_regions)
    return false;
  if (pm_is(x, &stage_read)) return compare_reads(c, x, y);
  if (!pm_has_trait(x, PM_PURE) || !same_attributes(x, y) || x->n_operands != y->n_operands) return false;
  for (unsigned i = 0; i < x->n_operands; i++)
    if (!compare(c, pm_arg(x, i), pm_arg(y, i))) return false;
  return true;
}

/* It reads something near the point, and nothing else of it: `c` is set for the value itself. */
static bool is_leaf(comparison *c, const pm_value *value) {
  *c = (comparison){0};
  if (!compare(c, value, value)) return false;
  for (unsigned d = 0; d < PM_MAX_RANK; d++)
    if (c->known[d]) return true;
  return false;
}

static int order(const void *a, const void *b) {
  const stencil_tap *x = a, *y = b;
  for (unsigned d = 0; d < PM_MAX_RANK; d++)
    if (x->at[d] != y->at[d]) return x->at[d] < y->at[d] ? -1 : 1;
  return 0;
}

/* The first read, in the order of operands, that has an index near the point. */
static const pm_op *first_read(const pm_value *value) {
  const pm_op *op = pm_def(value), *found = pm_is(op, &stage_read) ? op : NULL;
  for (unsigned i = 0; !found && i < op->n_operands && !pm_is(op, &stage_read); i++)
    found = first_read(pm_arg(op, i));
  return found;
}

static void find_origin(stencil *s) {
  const pm_op *read = first_read(s->leaf);
  pm_affine_map map = stage_index_map(read);
  const int64_t nowhere[PM_MAX_RANK] = {0};
  for (uint32_t i = 0; i < map->n_results; i++) {
    const pm_value *arg;
    int64_t by;
    if (index_parts(read, map->results[i], &arg, &by) && arg && by == 1)
      s->origin[pm_value_index(arg)] = pm_affine_eval(map->results[i], nowhere, NULL);
  }
}

static void add_tap(stencil *to, const comparison *c, double weight) {
  stencil_tap tap = {.weight = weight};
  for (unsigned d = 0; d < PM_MAX_RANK; d++) tap.at[d] = to->origin[d] + c->shift[d];
  PM_VEC_PUSH(to->taps, tap);
}

static void add_term(stencil_sum *sum, stencil_term term) {
  comparison c;
  if (!is_leaf(&c, term.value)) {
    PM_VEC_PUSH(sum->others, term);
    return;
  }
  for (size_t i = 0; i < sum->stencils.len; i++) {
    c = (comparison){0};
    if (!compare(&c, sum->stencils.data[i].leaf, term.value)) continue;
    add_tap(&sum->stencils.data[i], &c, term.weight);
    return;
  }
  if (sum->stencils.len == MOST_STENCILS) {
    PM_VEC_PUSH(sum->others, term);
    return;
  }
  PM_VEC_PUSH(sum->stencils, ((stencil){.leaf = term.value}));
  find_origin(&PM_VEC_LAST(sum->stencils));
  add_tap(&PM_VEC_LAST(sum->stencils), &(comparison){0}, term.weight);
}

/* Adds the weights of a place, and leaves out those that are 0 then. */
static void finish_stencil(stencil *s) {
  stencil_tap *taps = s->taps.data;
  size_t left = 0;
  qsort(taps, s->taps.len, sizeof *taps, order);
  for (size_t i = 0; i < s->taps.len; i++)
    if (left && order(&taps[left - 1], &taps[i]) == 0)
      taps[left - 1].weight += taps[i].weight;
    else {
      left -= left && taps[left - 1].weight == 0;
      taps[left++] = taps[i];
    }
  s->taps.len = left - (left && taps[left - 1].weight == 0);
}

/* --- sums --- */

static bool is_summed_type(pm_type type, bool floats) {
  if (type->cls != PM_TYPE_SCALAR) return false;
  return pm_is_float(type) ? floats : pm_is_int(type) && !pm_is_bool(type);
}

/* Takes the root apart; notes the sums inside, which are no roots of others. */
static stencil_sum collect_sum(pm_value *root, pm_map *inside) {
  stencil_sum sum = {.root = root};
  term_stack todo = {0};
  PM_VEC_PUSH(todo, ((stencil_term){root, 1}));
  while (todo.len) {
    stencil_term term = PM_VEC_POP(todo);
    bool own = term.value == root || pm_has_one_use(term.value);
    if (own && push_parts(&todo, term))
      pm_map_set(inside, pm_def(term.value), term.value);
    else
      add_term(&sum, term);
  }
  for (size_t i = 0; i < sum.stencils.len; i++) finish_stencil(&sum.stencils.data[i]);
  PM_VEC_FREE(todo);
  return sum;
}

static void free_sum(stencil_sum *sum) {
  for (size_t i = 0; i < sum->stencils.len; i++) PM_VEC_FREE(sum->stencils.data[i].taps);
  PM_VEC_FREE(sum->stencils);
  PM_VEC_FREE(sum->others);
}

void stencil_collect_sums(pm_region *body, bool floats, stencil_sums *sums) {
  pm_map *inside = pm_map_new();
  for (pm_op *op = body->last; op; op = pm_prev(op))
    if (is_sum(op) && is_summed_type(pm_res(op, 0)->type, floats) && !pm_map_has(inside, op))
      PM_VEC_PUSH(*sums, collect_sum(pm_res(op, 0), inside));
  pm_map_free(inside);
}

void stencil_sums_free(stencil_sums *sums) {
  for (size_t i = 0; i < sums->len; i++) free_sum(&sums->data[i]);
  PM_VEC_FREE(*sums);
}

arith_range stencil_range_of(const pm_value *value) {
  pm_attr constant = pm_constant_value(value);
  if (constant && constant->cls == PM_ATTR_INT) return (arith_range){true, constant->i, constant->i};
  arith_range all = arith_range_of_type((pm_scalar)value->type->scalar);
  if (!pm_is(pm_def(value), &arith_cast) || !pm_is_int(pm_arg(pm_def(value), 0)->type)) return all;
  pm_scalar from = (pm_scalar)pm_arg(pm_def(value), 0)->type->scalar;
  arith_range range = arith_range_of_type(from);
  return arith_range_fits(range, (pm_scalar)value->type->scalar) ? range : all;
}

/* --- at another point --- */

static pm_op *clone_read(pm_builder *b, const pm_op *read, const int64_t *shift, pm_value *const *args) {
  pm_affine_map map = stage_index_map(read);
  pm_map *mapping = pm_map_new();
  pm_affine_expr dims[PM_MAX_RANK], results[PM_MAX_RANK];
  for (uint32_t d = 0; d < map->n_dims; d++) {
    pm_value *value = pm_arg(read, stage_index_operand(read) + d);
    dims[d] = pm_affine_addc(pm_affine_dim(map->ctx, d), pm_is_arg(value) ? shift[pm_value_index(value)] : 0);
    if (pm_is_arg(value)) pm_map_set(mapping, value, args[pm_value_index(value)]);
  }
  for (uint32_t i = 0; i < map->n_results; i++)
    results[i] = pm_affine_normalize(pm_affine_substitute(map->results[i], dims, NULL));
  pm_op *copy = pm_clone(b->module, read, mapping);
  pm_map_free(mapping);
  pm_set_attr(copy, stage_read_map,
              pm_get_map_attr(pm_get_affine_map(map->ctx, map->n_dims, 0, results, map->n_results)));
  pm_insert(b->region, b->before, copy);
  return copy;
}

/* `copies` has what was built for this shift. */
static pm_value *clone_value(pm_builder *b, const pm_value *value, const int64_t *shift,
                             pm_value *const *args, pm_map *copies) {
  pm_value *made = pm_map_get(copies, value);
  pm_op *op = pm_def(value), *copy;
  if (made) return made;
  if (pm_is(op, &stage_param)) return pm_res(op, pm_value_index(value));
  if (pm_is(op, &stage_read)) {
    copy = clone_read(b, op, shift, args);
  } else {
    for (unsigned i = 0; i < op->n_operands; i++)
      pm_map_set(copies, pm_arg(op, i), clone_value(b, pm_arg(op, i), shift, args, copies));
    copy = pm_clone(b->module, op, copies);
    pm_insert(b->region, b->before, copy);
  }
  for (unsigned i = 0; i < op->n_results; i++) pm_map_set(copies, pm_res(op, i), pm_res(copy, i));
  return pm_res(copy, pm_value_index(value));
}

pm_value *stencil_build(pm_builder *b, const stencil *s, const int64_t *at, pm_value *const *args) {
  int64_t shift[PM_MAX_RANK];
  for (unsigned d = 0; d < PM_MAX_RANK; d++) shift[d] = at[d] - s->origin[d];
  pm_map *copies = pm_map_new();
  pm_value *value = clone_value(b, s->leaf, shift, args, copies);
  pm_map_free(copies);
  return value;
}
