/* select-lookups: in vector loops, look-ups in constants of few values become selects.
 *
 *   %t = buf.constant @t dense<4xu8: [7, 7, 3, 250]>
 *   loop.for %i = %a to %b step 1 simd {            |  loop.for %i = %a to %b step 1 simd {
 *     %k = … : u8                                   |    %k = … : u8
 *                                                   |    %0 = arith.cast %k : (u8) -> i8
 *                                                   |    %1 = arith.cmp lt, %0, 2 : i8
 *                                                   |    %2 = arith.cmp lt, %0, 3 : i8
 *                                                   |    %3 = arith.select %2, 3, 250 : u8
 *     %v = buf.load %t[%k] : memref<4xu8>           |    %v = arith.select %1, 7, %3 : u8
 *     …                                             |    …
 *   }                                               |  }
 *
 * Processors gather no bytes, and of 32 bits hardly faster than one by one, so that a loop with a look-up
 * stays scalar as a whole. Selects are operations of vectors: one fewer than there are runs of equal values,
 * at a comparison each. It is done where that makes all look-ups of the loop go, and the rest becomes vectors
 * in any case. An index is one of the constant, so that it may be computed in any type that holds these: sums
 * wrap.
 */
#include "dialects/arith/arith.h"
#include "dialects/arith/call.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/ranges.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MAX_SELECTS = 64 /* in a loop */, MAX_BITS = 32 /* of values in vectors */ };

typedef struct box {
  int64_t begin[PM_MAX_RANK], end[PM_MAX_RANK];
} box;

typedef struct lookup {
  pm_op *load;
  pm_attr values;
  pm_value *indices[PM_MAX_RANK]; /* in the type of comparisons; NULL: not built yet */
} lookup;

/* --- where values differ --- */

static box whole(const lookup *l) {
  box b = {{0}, {0}};
  for (unsigned d = 0; d < l->values->t->rank; d++) b.end[d] = l->values->t->dims[d];
  return b;
}

static int64_t stride_of(pm_type type, unsigned d) {
  int64_t stride = 1;
  for (unsigned k = d + 1; k < type->rank; k++) stride *= type->dims[k];
  return stride;
}

static size_t first_of(const lookup *l, const box *b) {
  int64_t at = 0;
  for (unsigned d = 0; d < l->values->t->rank; d++) at += b->begin[d] * stride_of(l->values->t, d);
  return (size_t)at;
}

/* Some value of the box from dimension `k` on, at the place `at`, is not the one `offset` places ahead. */
static bool differs(const lookup *l, const box *b, unsigned k, int64_t at, int64_t offset) {
  const pm_number *numbers = l->values->numbers;
  if (k == l->values->t->rank) return numbers[at].i != numbers[at - offset].i;
  int64_t stride = stride_of(l->values->t, k);
  for (int64_t i = b->begin[k]; i < b->end[k]; i++)
    if (differs(l, b, k + 1, at + i * stride, offset)) return true;
  return false;
}

/* The values at index `i` of dimension `d` are not all those at the index before. */
static bool changes_at(const lookup *l, box b, unsigned d, int64_t i) {
  b.begin[d] = i;
  b.end[d] = i + 1;
  return differs(l, &b, 0, 0, stride_of(l->values->t, d));
}

/* The index nearest to the middle where values along the dimension change; -1 for none. */
static int64_t change_along(const lookup *l, const box *b, unsigned d) {
  int64_t middle = b->begin[d] + (b->end[d] - b->begin[d]) / 2;
  for (int64_t k = 0; k < b->end[d] - b->begin[d]; k++) {
    int64_t below = middle - k, above = middle + k;
    if (below > b->begin[d] && changes_at(l, *b, d, below)) return below;
    if (above > b->begin[d] && above < b->end[d] && changes_at(l, *b, d, above)) return above;
  }
  return -1;
}

/* Cuts the box along dimension *d; false when all its values are equal. Dimensions that nothing depends on
 * have one index from then on. */
static bool cut(const lookup *l, box *b, box *low, box *high, unsigned *d) {
  for (*d = 0; *d < l->values->t->rank; ++*d) {
    int64_t at = change_along(l, b, *d);
    if (at < 0) {
      b->end[*d] = b->begin[*d] + 1;
      continue;
    }
    *low = *high = *b;
    low->end[*d] = high->begin[*d] = at;
    return true;
  }
  return false;
}

/* Selects that the box takes; more than `most` when there are more. */
static unsigned count_selects(const lookup *l, box b, unsigned most) {
  box low, high;
  unsigned d;
  if (!cut(l, &b, &low, &high, &d)) return 0;
  unsigned n = 1 + (most ? count_selects(l, low, most - 1) : 0);
  return n > most ? n : n + count_selects(l, high, most - n);
}

/* --- indices --- */

static const pm_scalar index_types[] = {PM_I8, PM_U8, PM_I16, PM_U16, PM_I32, PM_U32, PM_I64};

static pm_affine_expr index_expr(const lookup *l, unsigned d) {
  return pm_attr_at(l->load, buf_load_map)->map->results[d];
}

/* The value before it was widened. */
static pm_value *narrow(pm_value *value) {
  const pm_op *def = pm_def(value);
  bool widens = pm_is(def, &arith_cast) && pm_is_int(pm_arg(def, 0)->type) &&
                arith_range_fits(arith_range_of_type((pm_scalar)pm_arg(def, 0)->type->scalar),
                                 (pm_scalar)value->type->scalar);
  return widens ? narrow(pm_arg(def, 0)) : value;
}

static pm_value *operand(const lookup *l, pm_affine_expr dim) {
  return narrow(pm_arg(l->load, buf_load_indices + (unsigned)dim->value));
}

static bool is_power_of_two(int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

/* Its lowest bits depend on the lowest bits of its operands alone. */
static bool wraps(pm_affine_expr e) {
  if (e->kind == PM_AFFINE_CONST || e->kind == PM_AFFINE_DIM) return true;
  if (e->kind == PM_AFFINE_ADD || e->kind == PM_AFFINE_MUL) return wraps(e->lhs) && wraps(e->rhs);
  return e->kind == PM_AFFINE_MOD && is_power_of_two(e->rhs->value) && wraps(e->lhs);
}

/* What the expression may be; unknown, too, where a part of it may be a number that the type does not hold.
 */
static arith_range range_in(const lookup *l, pm_affine_expr e, pm_scalar type) {
  arith_range range = arith_unknown_range();
  if (e->kind == PM_AFFINE_CONST) range = (arith_range){true, e->value, e->value};
  if (e->kind == PM_AFFINE_DIM) range = arith_range_of_type((pm_scalar)operand(l, e)->type->scalar);
  if (e->kind == PM_AFFINE_SYM || e->kind == PM_AFFINE_CEILDIV) return range;
  if (e->lhs) {
    arith_range a = range_in(l, e->lhs, type), b = range_in(l, e->rhs, type);
    if (a.known && b.known) range = loop_combined_range(e->kind, a, b);
  }
  return arith_range_fits(range, type) ? range : arith_unknown_range();
}

/* The type holds the index, and it can be computed in it. */
static bool holds_index(const lookup *l, unsigned d, pm_scalar type) {
  const pm_scalar_info *info = pm_get_scalar_info(type);
  int64_t last = l->values->t->dims[d] - 1;
  if (info->bits < pm_get_scalar_info((pm_scalar)l->values->t->scalar)->bits) return false;
  if (!arith_range_fits((arith_range){true, 0, last}, type)) return false;
  return wraps(index_expr(l, d)) || range_in(l, index_expr(l, d), type).known;
}

/* The narrowest that is as wide as the values, since vectors of both have as many lanes; NULL: there is none.
 */
static pm_type index_type(const lookup *l, unsigned d) {
  for (size_t i = 0; i < PM_COUNT(index_types); i++)
    if (holds_index(l, d, index_types[i])) return pm_get_scalar(l->values->t->ctx, index_types[i]);
  return NULL;
}

static pm_value *build_expr(pm_builder *b, const lookup *l, pm_affine_expr e, pm_type type) {
  if (e->kind == PM_AFFINE_CONST) return arith_build_int(b, type, e->value);
  if (e->kind == PM_AFFINE_DIM) return arith_build_cast(b, operand(l, e), type);
  pm_value *x = build_expr(b, l, e->lhs, type);
  if (e->kind == PM_AFFINE_MUL && e->rhs->value == -1)
    return pm_build_binary(b, &arith_subi, arith_build_int(b, type, 0), x);
  if (e->kind == PM_AFFINE_MOD && wraps(e))
    return pm_build_binary(b, &arith_andi, x, arith_build_int(b, type, e->rhs->value - 1));
  const pm_op_desc *desc = e->kind == PM_AFFINE_ADD   ? &arith_addi
                           : e->kind == PM_AFFINE_MUL ? &arith_muli
                           : e->kind == PM_AFFINE_MOD ? &arith_remi
                                                      : &arith_divi;
  return pm_build_binary(b, desc, x, build_expr(b, l, e->rhs, type));
}

/* --- selects --- */

static pm_value *build_value(pm_builder *b, lookup *l, box part) {
  box low, high;
  unsigned d;
  if (!cut(l, &part, &low, &high, &d))
    return arith_build_constant(b, pm_dense_at(l->values, first_of(l, &part)));
  if (!l->indices[d]) l->indices[d] = build_expr(b, l, index_expr(l, d), index_type(l, d));
  pm_value *at = arith_build_int(b, l->indices[d]->type, high.begin[d]);
  pm_value *below = arith_build_cmp(b, ARITH_LT, l->indices[d], at);
  pm_value *x = build_value(b, l, low), *y = build_value(b, l, high);
  return arith_build_select(b, below, x, y);
}

/* --- loops that become vectors --- */

static bool is_narrow(const pm_value *v) {
  return pm_is_memref(v->type) || pm_is_index(v->type) ||
         pm_get_scalar_info((pm_scalar)v->type->scalar)->bits <= MAX_BITS;
}

/* There is an operation of vectors for it. Where there is none, the loop stays scalar, and selects are
 * conditional jumps, which are far slower than a look-up. */
static bool becomes_vector(const pm_op *op) {
  bool narrow_values = true;
  for (unsigned i = 0; i < op->n_operands; i++) narrow_values &= is_narrow(pm_arg(op, i));
  for (unsigned i = 0; i < op->n_results; i++) narrow_values &= is_narrow(pm_res(op, i));
  if (op->desc->cost == PM_COST_INTEGER_DIVISION)
    return narrow_values && pm_constant_value(pm_arg(op, 1)) && !pm_is_index(pm_res(op, 0)->type);
  return narrow_values && !op->n_regions && op->desc->cost != PM_COST_CALL && !pm_is(op, &arith_sat_cast);
}

/* --- look-ups --- */

/* Index operands that are computed in the loop. */
static bool is_lookup(const pm_op *op, const pm_op *loop) {
  for (unsigned i = buf_load_indices; pm_is(op, &buf_load) && i < op->n_operands; i++) {
    const pm_op *def = pm_def(pm_arg(op, i));
    if (def && pm_parent(def) == loop) return true;
  }
  return false;
}

static bool can_build_indices(const lookup *l) {
  unsigned rank = l->values->t->rank;
  if (rank > PM_MAX_RANK || pm_attr_at(l->load, buf_load_map)->map->n_results != rank) return false;
  for (unsigned d = 0; d < rank; d++)
    if (!index_type(l, d)) return false;
  return true;
}

typedef PM_VEC(lookup) lookup_list;

/* The loop's look-ups; false when one of them stays. */
static bool find_lookups(pm_pass *p, pm_op *loop, lookup_list *list) {
  unsigned most = (unsigned)pm_opt_int(p, select_lookups_opt_most), all = 0;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (!becomes_vector(op)) return false;
    if (!is_lookup(op, loop)) continue;
    lookup l = {.load = op, .values = buf_known_values(pm_arg(op, buf_load_buffer))};
    if (!l.values || !can_build_indices(&l)) return false;
    unsigned runs = pm_element_bytes(l.values->t) > 2 ? most / 2 : most;
    unsigned n = count_selects(&l, whole(&l), runs);
    all += n;
    if (n >= runs || all > MAX_SELECTS) return false;
    PM_VEC_PUSH(*list, l);
  }
  return true;
}

static void select_now(lookup *l) {
  pm_builder b = pm_builder_before(l->load);
  pm_value *value = build_value(&b, l, whole(l));
  if (!value->name) value->name = pm_res(l->load, buf_load_value)->name;
  pm_replace_op(l->load, &value);
}

static int64_t visit(pm_pass *p, pm_op *loop) {
  lookup_list list = {0};
  int64_t n = find_lookups(p, loop, &list) ? (int64_t)list.len : 0;
  for (int64_t i = 0; i < n; i++) select_now(&list.data[i]);
  if (n)
    pm_pass_remark(p, loop->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"reads", (double)n}}, 1,
                   "a vector loop replaces %lld table read%s by selects", (long long)n, n == 1 ? "" : "s");
  PM_VEC_FREE(list);
  return n;
}

pm_result pass_select_lookups(pm_pass *p) {
  loop_list loops = {0};
  int64_t n = 0;
  loop_list_vector_loops(pm_pass_root(p), &loops);
  for (size_t i = 0; i < loops.len; i++) n += visit(p, loops.data[i]);
  PM_VEC_FREE(loops);
  pm_pass_stat(p, "table reads replaced", n);
  return n ? PM_CHANGED : PM_UNCHANGED;
}
