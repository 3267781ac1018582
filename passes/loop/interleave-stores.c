/* interleave-stores: neighbouring loops over the same points become one loop, where they store to every
 * second cell of one array in turn. Statements that read the same points share loops in the schedule:
 * fuse-bands.
 *
 *   loop.for %k = %a to %b step 1 simd {     |  %0 = arith.mini %b, %c : index
 *     %v = buf.load %x[%k]                   |  loop.for %k = %a to %0 step 1 simd {
 *     buf.store %v, %z[2 * %k]               |    %v = buf.load %x[%k]
 *   }                                        |    %w = buf.load %y[%k]
 *   loop.for %k = %a to %c step 1 simd {     |    buf.store %v, %z[2 * %k]
 *     %w = buf.load %y[%k]                   |    buf.store %w, %z[2 * %k + 1]
 *     buf.store %w, %z[2 * %k + 1]           |  }
 *   }                                        |  %1 = arith.maxi %a, %0 : index
 *                                            |  loop.for %k = %1 to %b step 1 simd { … the first … }
 *                                            |  loop.for %k = %1 to %c step 1 simd { … the second … }
 *
 * Stores that fill whole lines between them are vectors and shuffles, which one of them alone, with gaps, is
 * not; a cell that both load is loaded once. Loops directly in each other are fused together, and
 * conditions on the same value are merged first. No iteration of one loop may touch what one of the other
 * writes: any order is right then, also that of vectors. (Kennedy, Allen, "Optimizing Compilers for Modern
 * Architectures", 2002, 6.2.5; the test for cells is that of the greatest common divisor, 3.3.)
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

typedef PM_VEC(pm_op *) op_list;

/* Loops directly in each other, only the innermost of which accesses memory. */
typedef struct nest {
  op_list loops, loads, stores;
} nest;

/* Two nests of one depth. Subscripts of both are written in the values of `dims`, the first of which are the
 * counters of `first`; those of `second` count as the same. */
typedef struct couple {
  pm_pass *pass;
  nest first, second;
  PM_VEC(const pm_value *) dims;
} couple;

typedef struct visitor {
  pm_pass *pass;
  int64_t fused, merged;
} visitor;

/* --- nests --- */

static bool is_plain_loop(const pm_op *op) {
  return pm_is(op, &loop_for) && op->n_results == 0;
}

static bool is_pure(const pm_op *op) {
  return pm_has_trait(op, PM_PURE) && op->n_regions == 0;
}

/* Takes the op of a loop body into the nest; a loop comes back in `inner`. */
static bool add_op(nest *n, pm_op *op, pm_op **inner) {
  if (pm_is(op, &buf_load))
    PM_VEC_PUSH(n->loads, op);
  else if (pm_is(op, &buf_store))
    PM_VEC_PUSH(n->stores, op);
  else if (is_plain_loop(op) && !*inner)
    *inner = op;
  else
    return is_pure(op) || pm_is(op, &buf_prefetch);
  return true;
}

/* False when the loop is no nest. */
static bool find_nest(pm_op *loop, nest *n) {
  while (loop) {
    pm_op *inner = NULL;
    PM_VEC_PUSH(n->loops, loop);
    PM_FOR_OPS(op, pm_region_at(loop, loop_for_body))
    if (!add_op(n, op, &inner)) return false;
    if (inner && (n->loads.len || n->stores.len)) return false;
    loop = inner;
  }
  return true;
}

/* --- cells --- */

static uint32_t number_of(couple *c, const pm_value *value) {
  for (size_t i = 0; i < c->second.loops.len; i++)
    if (value == loop_counter_of(c->second.loops.data[i])) return (uint32_t)i;
  for (size_t i = 0; i < c->dims.len; i++)
    if (c->dims.data[i] == value) return (uint32_t)i;
  PM_VEC_PUSH(c->dims, value);
  return (uint32_t)c->dims.len - 1;
}

static pm_affine_expr subscript(couple *c, const loop_access *access, uint32_t r) {
  pm_context *ctx = access->map->ctx;
  PM_VEC(pm_affine_expr) dims = {0};
  for (uint32_t i = 0; i < loop_n_indices(access); i++)
    PM_VEC_PUSH(dims, pm_affine_dim(ctx, number_of(c, access->indices[i].value)));
  const pm_affine_expr *symbols = dims.data + access->map->n_dims;
  pm_affine_expr expr = pm_affine_substitute(access->map->results[r], dims.data, symbols);
  PM_VEC_FREE(dims);
  return pm_affine_normalize(expr);
}

/* b - a in subscript r, where it is a number for equal iterations. */
static bool find_distance(couple *c, const loop_access *a, const loop_access *b, uint32_t r,
                          int64_t *distance) {
  pm_affine_expr minus = pm_affine_mul(subscript(c, a, r), pm_affine_const(a->map->ctx, -1));
  pm_affine_expr difference = pm_affine_normalize(pm_affine_add(subscript(c, b, r), minus));
  if (difference->kind != PM_AFFINE_CONST) return false;
  *distance = difference->value;
  return true;
}

/* Equal iterations access the same cell up to the last `but` subscripts. */
static bool same_cell(couple *c, const loop_access *a, const loop_access *b, uint32_t but) {
  int64_t distance;
  if (a->buffer != b->buffer) return false;
  for (uint32_t r = 0; r + but < a->map->n_results; r++)
    if (!find_distance(c, a, b, r, &distance) || distance != 0) return false;
  return true;
}

/* The greatest common divisor of what the counters are multiplied by; -1 when other terms differ. */
static int64_t common_stride(const couple *c, const int64_t *a, const int64_t *b) {
  int64_t stride = 0;
  for (size_t i = 0; i < c->dims.len; i++) {
    if (i < c->first.loops.len)
      stride = pm_gcd(pm_gcd(stride, a[i]), b[i]);
    else if (a[i] != b[i])
      return -1;
  }
  return stride;
}

/* The subscripts differ for all iterations of the two, equal ones or not. */
static bool always_differ(couple *c, pm_affine_expr a, pm_affine_expr b) {
  uint32_t n = (uint32_t)c->dims.len;
  int64_t *terms = pm_xcalloc(3 * (size_t)n + 1, sizeof *terms), *zeros = terms + 2 * n;
  bool differ = false;
  if (pm_affine_dim_coeffs(a, terms, n) && pm_affine_dim_coeffs(b, terms + n, n)) {
    int64_t stride = common_stride(c, terms, terms + n);
    int64_t distance = pm_affine_eval(b, zeros, NULL) - pm_affine_eval(a, zeros, NULL);
    differ = stride == 0 ? distance != 0 : stride > 0 && distance % stride != 0;
  }
  free(terms);
  return differ;
}

static bool never_meet(couple *c, const loop_access *a, const loop_access *b) {
  for (uint32_t r = 0; r < a->map->n_results; r++) {
    pm_affine_expr of_a = subscript(c, a, r), of_b = subscript(c, b, r);
    if (always_differ(c, of_a, of_b)) return true;
  }
  return false;
}

/* --- what is gained --- */

/* How far the op's place in its row moves from one iteration of the innermost loop to the next; 0 when that
 * is not a number. */
static int64_t stride_of(couple *c, const loop_access *access) {
  if (!access->map->n_results) return 0;
  pm_affine_expr last = subscript(c, access, access->map->n_results - 1);
  int64_t *terms = pm_xcalloc(c->dims.len + 1, sizeof *terms);
  bool linear = pm_affine_dim_coeffs(last, terms, (uint32_t)c->dims.len);
  int64_t stride = linear ? terms[c->first.loops.len - 1] : 0;
  free(terms);
  return stride < 0 ? -stride : stride;
}

/* Each stores to cells that the other one skips, between them. */
static bool are_phases(couple *c, const pm_op *first, const pm_op *second) {
  loop_access a, b;
  int64_t distance;
  if (!loop_find_access(first, &a) || !loop_find_access(second, &b) || !same_cell(c, &a, &b, 1)) return false;
  int64_t stride = stride_of(c, &a);
  if (stride < 2 || !find_distance(c, &a, &b, a.map->n_results - 1, &distance)) return false;
  return distance != 0 && distance < stride && -distance < stride;
}

/* The number of ops of `second` that some op of `first` stands in the relation to. */
static int64_t count_related(couple *c, const op_list *first, const op_list *second,
                             bool (*related)(couple *, const pm_op *, const pm_op *)) {
  int64_t n = 0;
  for (size_t i = 0; i < second->len; i++) {
    bool found = false;
    for (size_t k = 0; k < first->len && !found; k++) found = related(c, first->data[k], second->data[i]);
    n += found;
  }
  return n;
}

/* --- what is allowed --- */

static bool may_meet(couple *c, const pm_op *first, const pm_op *second) {
  loop_access a, b;
  if (!loop_find_access(first, &a) || !loop_find_access(second, &b)) return true;
  if (!loop_share_memory(a.buffer, b.buffer)) return false;
  return a.reads || b.reads || a.buffer != b.buffer || !never_meet(c, &a, &b);
}

static bool are_independent(couple *c) {
  return !count_related(c, &c->first.stores, &c->second.stores, may_meet) &&
         !count_related(c, &c->first.stores, &c->second.loads, may_meet) &&
         !count_related(c, &c->first.loads, &c->second.stores, may_meet);
}

static bool same_kind(const pm_op *a, const pm_op *b) {
  return pm_attr_at(a, loop_for_step) == pm_attr_at(b, loop_for_step) &&
         pm_attr_at(a, loop_for_simd) == pm_attr_at(b, loop_for_simd);
}

static bool same_bounds(const pm_op *a, const pm_op *b) {
  return pm_arg(a, loop_for_lb) == pm_arg(b, loop_for_lb) && pm_arg(a, loop_for_ub) == pm_arg(b, loop_for_ub);
}

static bool have_same_kinds(const couple *c) {
  if (c->first.loops.len != c->second.loops.len) return false;
  for (size_t i = 0; i < c->first.loops.len; i++)
    if (!same_kind(c->first.loops.data[i], c->second.loops.data[i])) return false;
  return true;
}

/* The bounds of the innermost loops may differ: the iterations of one alone are done apart. */
static bool have_same_points(const couple *c) {
  size_t depth = c->first.loops.len;
  for (size_t i = 0; i < depth; i++) {
    const pm_op *a = c->first.loops.data[i], *b = c->second.loops.data[i];
    bool may_differ = i + 1 == depth && pm_attr_at(a, loop_for_step)->i == 1;
    if (!same_bounds(a, b) && !may_differ) return false;
  }
  return true;
}

static bool missed(couple *c, const char *why) {
  pm_pass_remark(c->pass, c->second.loops.data[0]->loc, PM_REMARK_MISSED, NULL, 0,
                 "not fused with the loop ahead, between whose stores it fills gaps: %s", why);
  return false;
}

static bool is_allowed(couple *c, int64_t phases) {
  if (!have_same_points(c)) return missed(c, "the bounds differ");
  if (!are_independent(c)) return missed(c, "one writes what the other accesses");
  if ((int64_t)(c->first.loads.len + c->second.loads.len) >
      pm_opt_int(c->pass, interleave_stores_opt_max_loads))
    return missed(c, "together they load more elements than max-loads");
  pm_pass_remark(c->pass, c->second.loops.data[0]->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"phases", (double)phases}}, 1,
                 "fused with the loop ahead: %lld stores fill gaps between others", (long long)phases);
  return true;
}

static bool is_gain(couple *c) {
  bool vectors = pm_attr_at(PM_VEC_LAST(c->first.loops), loop_for_simd) != NULL;
  int64_t phases = vectors ? count_related(c, &c->first.stores, &c->second.stores, are_phases) : 0;
  return phases > 0 && is_allowed(c, phases);
}

static bool should_fuse(couple *c, pm_op *first, pm_op *second) {
  if (!find_nest(first, &c->first) || !find_nest(second, &c->second)) return false;
  if (!have_same_kinds(c)) return false;
  for (size_t i = 0; i < c->first.loops.len; i++)
    PM_VEC_PUSH(c->dims, loop_counter_of(c->first.loops.data[i]));
  return is_gain(c);
}

static void free_nest(nest *n) {
  PM_VEC_FREE(n->loops);
  PM_VEC_FREE(n->loads);
  PM_VEC_FREE(n->stores);
}

/* --- rewriting --- */

/* A copy of the loop between other bounds, in front of `before`, or at the end when that is NULL. Vectors
 * would not make its stores, and it is not fused again. */
static void leave_rest(const pm_op *loop, pm_op *before, pm_value *lb, pm_value *ub) {
  pm_op *copy = pm_clone(pm_module_of(loop), loop, NULL);
  pm_set_operand(copy, loop_for_lb, lb);
  pm_set_operand(copy, loop_for_ub, ub);
  pm_insert(loop->region, before, copy);
  loop_make_scalar(copy);
}

/* The points of one of the loops below `begin` and from `end` on are left to copies of it. */
static void cut(pm_builder *b, pm_op *loop, pm_op *behind, pm_value *begin, pm_value *end) {
  pm_value *lb = pm_arg(loop, loop_for_lb), *ub = pm_arg(loop, loop_for_ub);
  if (lb != begin) leave_rest(loop, b->before, lb, pm_build_binary(b, &arith_mini, begin, ub));
  if (ub != end) leave_rest(loop, behind, pm_build_binary(b, &arith_maxi, begin, end), ub);
  pm_set_operand(loop, loop_for_lb, begin);
  pm_set_operand(loop, loop_for_ub, end);
}

/* `first` stands directly in front of `second`. */
static void cut_to_shared(pm_op *first, pm_op *second) {
  pm_builder b = pm_builder_before(first);
  pm_op *behind = second->next;
  pm_value *begin = pm_arg(first, loop_for_lb), *end = pm_arg(first, loop_for_ub);
  pm_value *lb = pm_arg(second, loop_for_lb), *ub = pm_arg(second, loop_for_ub);
  if (begin != lb) begin = pm_build_binary(&b, &arith_maxi, begin, lb);
  if (end != ub) end = pm_build_binary(&b, &arith_mini, end, ub);
  cut(&b, first, behind, begin, end);
  cut(&b, second, behind, begin, end);
}

/* The first of the stores that end the region; NULL when it does not end with one. */
static pm_op *last_stores(const pm_region *region) {
  pm_op *first = NULL;
  for (pm_op *op = region->last; op && pm_is(op, &buf_store); op = pm_prev(op)) first = op;
  return first;
}

static pm_walk clear_names(void *user, pm_op *op) {
  (void)user;
  for (unsigned i = 0; i < op->n_results && !pm_is(op, &buf_alloc); i++) pm_res(op, i)->name = NULL;
  return PM_WALK_ON;
}

/* Its values lose their names, but for buffers: which of two of one name is told apart by a number depends on
 * what has been printed before. */
static void move_without_names(pm_op *op, pm_region *to, pm_op *before) {
  pm_walk_pre(op, clear_names, NULL);
  pm_move_before(op, to, before);
}

/* Puts the ops of `first` in front of those of `second`, the last stores of both behind all others, so that
 * equal loads can be merged. */
static void join_bodies(pm_region *first, pm_region *second) {
  pm_op *stores = last_stores(first), *until = last_stores(second), *op = second->first;
  pm_op *begin = second->first;
  PM_FOR_OPS(moved, first) move_without_names(moved, second, begin);
  while (stores && op != until) {
    pm_op *next = op->next;
    pm_move_before(op, second, stores);
    op = next;
  }
}

/* `first` goes into `second`, as everything between them can be computed ahead of it. */
static void fuse(const couple *c) {
  for (size_t i = 0; i < c->first.loops.len; i++) {
    pm_op *first = c->first.loops.data[i], *second = c->second.loops.data[i];
    pm_move_before(first, second->region, second);
    if (!same_bounds(first, second)) cut_to_shared(first, second);
    pm_replace_uses(loop_counter_of(first), loop_counter_of(second));
    if (!pm_attr_at(second, loop_for_prefetch))
      pm_set_attr(second, loop_for_prefetch, pm_attr_at(first, loop_for_prefetch));
    join_bodies(pm_region_at(first, loop_for_body), pm_region_at(second, loop_for_body));
    pm_op_erase(first);
  }
}

static void interleave_stores(visitor *v, pm_op *first, pm_op *second) {
  couple c = {.pass = v->pass};
  bool fused = should_fuse(&c, first, second);
  if (fused) fuse(&c);
  v->fused += fused;
  free_nest(&c.first);
  free_nest(&c.second);
  PM_VEC_FREE(c.dims);
}

/* --- conditions --- */

static bool same_condition(const pm_op *a, const pm_op *b) {
  return pm_arg(a, loop_if_condition) == pm_arg(b, loop_if_condition) && !a->n_results && !b->n_results &&
         pm_region_at(a, loop_if_else)->present == pm_region_at(b, loop_if_else)->present;
}

static void merge_conditions(pm_op *first, pm_op *second) {
  for (unsigned r = 0; r < loop_if_N_REGIONS; r++) {
    pm_region *to = pm_region_at(second, r);
    pm_op *begin = to->first;
    PM_FOR_OPS(op, pm_region_at(first, r)) move_without_names(op, to, begin);
  }
  pm_op_erase(first);
}

/* --- regions --- */

/* The next loop or condition, when nothing with an effect stands between. */
static pm_op *next_sibling(const pm_op *op) {
  for (pm_op *next = op->next; next; next = next->next) {
    if (pm_is(next, &loop_for) || pm_is(next, &loop_if)) return next;
    if (!is_pure(next) && !pm_is(next, &buf_alloc)) return NULL;
  }
  return NULL;
}

static void visit_region(visitor *v, const pm_region *region);

/* `first` goes into `second` when that is right and a gain. */
static void join(visitor *v, pm_op *first, pm_op *second) {
  if (is_plain_loop(first) && is_plain_loop(second)) {
    interleave_stores(v, first, second);
  } else if (pm_is(first, &loop_if) && pm_is(second, &loop_if) && same_condition(first, second)) {
    merge_conditions(first, second);
    v->merged++;
    for (unsigned r = 0; r < loop_if_N_REGIONS; r++) visit_region(v, pm_region_at(second, r));
  }
}

/* Each with the one behind it, which then stands for both. */
static void visit_region(visitor *v, const pm_region *region) {
  PM_FOR_OPS(op, region) {
    pm_op *next = pm_is(op, &loop_for) || pm_is(op, &loop_if) ? next_sibling(op) : NULL;
    if (next) join(v, op, next);
  }
}

static pm_walk visit(void *user, pm_op *op) {
  for (unsigned r = 0; r < op->n_regions; r++) visit_region(user, pm_region_at(op, r));
  return PM_WALK_ON;
}

/* Inner regions first. */
pm_result pass_interleave_stores(pm_pass *p) {
  visitor v = {.pass = p};
  pm_walk_post(pm_pass_root(p), visit, &v);
  pm_pass_stat(p, "loops fused", v.fused);
  pm_pass_stat(p, "conditions merged", v.merged);
  return v.fused || v.merged ? PM_CHANGED : PM_UNCHANGED;
}
