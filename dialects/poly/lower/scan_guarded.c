/* Scanning any tree: each run has a convex set without divisions around its instances, which loops go over,
 * and a list of what holds besides, which is asked of each of them. */
#include "dialects/isl/linear.h"
#include "dialects/isl/budget.h"
#include "dialects/isl/hull.h"
#include "dialects/poly/lower/guards.h"
#include "dialects/isl/take.h"
#include "dialects/poly/lower/scan_parts.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/stride_info.h>

/* isl's operations to find that a convex set has no other iterations than those that are reached. */
enum { OPERATIONS = 200000 };

/* A map as the set of its pairs. */
static __isl_give isl_set *pairs_of(__isl_take isl_map *map) {
  return isl_set_flatten(isl_map_wrap(map));
}

static __isl_give isl_map *plain_map(const scanner *s, __isl_take isl_map *map) {
  return isl_set_unwrap(poly_plain_around(isl_map_wrap(map), s->context));
}

/* Takes what holds of the run, of loops or of none. A plain map is already said by what is executed. */
static void add_exact(run *r, __isl_take isl_map *map) {
  isl_set *pairs = pairs_of(isl_map_copy(map));
  if (poly_is_plain(pairs))
    isl_map_free(map);
  else
    r->exact = isl_map_list_add(r->exact, map);
  isl_set_free(pairs);
}

run poly_guarded_run(const scanner *s, run r, __isl_take isl_map *brought) {
  brought = poly_scan_params_of_map(s, brought);
  r.executed = plain_map(s, isl_map_copy(brought));
  r.exact = isl_map_list_alloc(s->graph->isl, 4);
  add_exact(&r, brought);
  return r;
}

void poly_guarded_filter(const scanner *s, run *r, __isl_take isl_set *filter) {
  isl_map *map = poly_scan_params_of_map(s, isl_map_from_range(filter));
  r->exact = isl_map_list_add(r->exact, map);
}

/* --- strides --- */

enum { MOST_STRIDE = 1 << 20 };

/* A member is at `offset` + a multiple of `stride` for all runs seen; 0: none was. */
typedef struct strides {
  int64_t stride[POLY_SCAN_DEPTH], offset[POLY_SCAN_DEPTH];
} strides;

static void add_stride(strides *all, unsigned k, __isl_take isl_stride_info *info) {
  int64_t stride = 1, offset = 0;
  isl_aff *at = isl_stride_info_get_offset(info);
  bool found = isl_take_int_below(isl_stride_info_get_stride(info), MOST_STRIDE, &stride) &&
               isl_aff_is_cst(at) == isl_bool_true &&
               isl_take_int_below(isl_aff_get_constant_val(at), MOST_STRIDE, &offset);
  offset = found ? pm_floor_mod(offset, stride) : 0;
  if (!found || (all->stride[k] && (all->stride[k] != stride || all->offset[k] != offset))) stride = 1;
  all->stride[k] = stride;
  all->offset[k] = stride > 1 ? offset : 0;
  isl_aff_free(at);
  isl_stride_info_free(info);
}

static pm_walk refers_to_loops(void *root, pm_op *op) {
  return op != root && (pm_is(op, &poly_extension) || pm_is(op, &poly_alloc)) ? PM_WALK_STOP : PM_WALK_ON;
}

/* What is made inside says where by the members as they are. */
__isl_give isl_map *poly_guarded_steps(const scanner *s, const pm_op *band, const scope *at) {
  strides all = {0};
  unsigned n = poly_band_members(band);
  isl_space *space = isl_space_set_alloc(s->graph->isl, 0, n);
  isl_map *steps = isl_map_universe(isl_space_map_from_set(space));
  bool inside = pm_walk_pre((pm_op *)band, refers_to_loops, (void *)band);
  for (size_t i = 0; i < at->runs.len && inside && n <= POLY_SCAN_DEPTH; i++) {
    isl_map *members = poly_band_map(band, at->runs.data[i].tuple);
    isl_set *range = members ? isl_map_range(members) : NULL;
    for (unsigned k = 0; k < n && range; k++) add_stride(&all, k, isl_set_get_stride_info(range, (int)k));
    isl_set_free(range);
  }
  for (unsigned k = 0; k < n; k++) {
    int64_t stride = k < POLY_SCAN_DEPTH && all.stride[k] ? all.stride[k] : 1;
    isl_constraint *c = isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(steps)));
    c = isl_constraint_set_coefficient_si(c, isl_dim_in, (int)k, -1);
    c = isl_constraint_set_coefficient_si(c, isl_dim_out, (int)k, (int)stride);
    c = isl_constraint_set_constant_si(c, stride > 1 ? (int)all.offset[k] : 0);
    steps = isl_map_add_constraint(steps, c);
  }
  return steps;
}

bool poly_guarded_band(const scanner *s, const pm_op *band, isl_map *steps, unsigned depth, run *r) {
  isl_map *members = poly_band_map(band, r->tuple);
  if (!members) return false;
  members = isl_map_apply_range(members, isl_map_copy(steps));
  members = poly_scan_params_of_map(s, members);
  isl_map *around = isl_map_intersect_domain(isl_map_copy(members), isl_map_range(isl_map_copy(r->executed)));
  r->executed = linear_flat_domain_product(r->executed, isl_map_reverse(plain_map(s, around)));
  add_exact(r, isl_map_insert_dims(isl_map_reverse(members), isl_dim_in, 0, depth));
  return isl_map_n_basic_map(r->executed) != 0;
}

/* The pairs of loops around and instances, with the statements' points convex. */
static __isl_give isl_set *instances_of(const scanner *s, const run *r) {
  isl_set *points = poly_plain_around(poly_scan_points(s, r), s->context);
  return pairs_of(poly_scan_params_of_map(s, isl_map_intersect_range(isl_map_copy(r->executed), points)));
}

__isl_give isl_set *poly_guarded_iterations(const scanner *s, const run *r) {
  return poly_first_dims(instances_of(s, r), (unsigned)isl_map_dim(r->executed, isl_dim_in));
}

typedef struct parts_finder {
  const scanner *s;
  const run *of;
  isl_set *all;
} parts_finder;

static isl_stat add_part(__isl_take isl_basic_set *part, void *user) {
  parts_finder *f = user;
  isl_set *points = poly_plain_around(isl_set_from_basic_set(part), f->s->context);
  isl_set *pairs =
      pairs_of(poly_scan_params_of_map(f->s, isl_map_intersect_range(isl_map_copy(f->of->executed), points)));
  f->all = isl_set_union(f->all, poly_first_dims(pairs, (unsigned)isl_map_dim(f->of->executed, isl_dim_in)));
  return isl_stat_ok;
}

__isl_give isl_set *poly_guarded_parts(const scanner *s, const run *r) {
  isl_set *points = isl_set_coalesce(poly_scan_points(s, r));
  parts_finder f = {s, r, isl_set_empty(isl_space_domain(isl_map_get_space(r->executed)))};
  isl_set_foreach_basic_set(points, add_part, &f);
  isl_set_free(points);
  return isl_set_coalesce(f.all);
}

/* --- iterations that are reached --- */

/* What holds of the run, in all loops around. */
static __isl_give isl_map *exact_at(const run *r, int i, unsigned depth) {
  isl_map *map = isl_map_list_get_at(r->exact, i);
  unsigned own = (unsigned)isl_map_dim(map, isl_dim_in);
  map = isl_map_insert_dims(map, isl_dim_in, own, depth - own);
  return isl_map_set_tuple_name(map, isl_dim_out, r->tuple->text);
}

static __isl_give isl_set *exact_iterations(const scanner *s, const run *r, unsigned depth) {
  isl_map *map = isl_map_intersect_range(isl_map_copy(r->executed), poly_scan_points(s, r));
  for (int i = 0; i < (int)isl_map_list_n_map(r->exact); i++)
    map = isl_map_intersect(map, exact_at(r, i, depth));
  return isl_map_domain(map);
}

/* Enters the loops around where they reach an instance; `plain`, borrowed, is around these. Where it is not
 * found that all of them do, they are asked. */
static void guard_iterations(scanner *s, scope *at, isl_set *plain) {
  isl_ctx *isl = s->graph->isl;
  isl_set *exact = isl_set_empty(isl_set_get_space(plain));
  for (size_t i = 0; i < at->runs.len; i++)
    exact = isl_set_union(exact, exact_iterations(s, &at->runs.data[i], at->depth));
  isl_budget_begin(isl, OPERATIONS);
  bool same = isl_set_is_subset(plain, exact) == isl_bool_true;
  same = !isl_budget_end(isl) && same;
  poly_nest *nests = NULL;
  unsigned n = 0;
  if (s->ok && !same)
    s->ok = poly_find_guard(s->ctx, s->arena, isl_set_coalesce(exact), at->known, &nests, &n);
  else
    isl_set_free(exact);
  at->parent = poly_scan_add_alternatives(s, at->parent, nests, n);
}

__isl_give isl_set *poly_guarded_enter(scanner *s, scope *at) {
  isl_space *space = isl_space_set_from_params(isl_set_get_space(s->context));
  isl_set *all = isl_set_empty(isl_space_add_dims(space, isl_dim_set, at->depth));
  for (size_t i = 0; i < at->runs.len; i++)
    all = isl_set_union(all, poly_guarded_iterations(s, &at->runs.data[i]));
  all = poly_plain_around(all, s->context);
  guard_iterations(s, at, all);
  return all;
}

/* --- leaves --- */

/* What a point of the run's instances is still asked: where `inside` (plain) does not say it. */
static void add_guard(scanner *s, poly_scan **parent, __isl_take isl_set *exact, isl_basic_set *inside) {
  poly_nest *nests = NULL;
  unsigned n = 0;
  exact = isl_set_reset_tuple_id(exact);
  s->ok = poly_find_guard(s->ctx, s->arena, exact, inside, &nests, &n) && s->ok;
  if (s->ok) *parent = poly_scan_add_alternatives(s, *parent, nests, n);
}

static void add_guards(scanner *s, const scope *at, const run *r, poly_scan **parent, isl_basic_set *inside) {
  isl_map *points = isl_map_from_range(isl_set_copy(r->statement->set));
  run all = {.tuple = r->tuple, .exact = isl_map_list_copy(r->exact)};
  add_exact(&all, poly_scan_params_of_map(s, points));
  for (int i = 0; i < (int)isl_map_list_n_map(all.exact) && s->ok; i++)
    add_guard(s, parent, pairs_of(exact_at(&all, i, at->depth)), inside);
  isl_map_list_free(all.exact);
}

static void add_instance(scanner *s, const scope *at, const run *r, const poly_nest *nest,
                         isl_basic_set *inside) {
  unsigned n = nest->n_levels, *order = pm_arena_alloc(s->arena, (n + 1) * sizeof *order);
  poly_scan *parent = poly_scan_add_conditions(s, at->parent, nest);
  for (unsigned k = 0; k < n; k++) {
    const poly_level **level = pm_arena_alloc(s->arena, sizeof(poly_level *));
    level[0] = &nest->levels[k];
    parent = poly_scan_add_loop(s, parent, level, 1, at->depth + k);
    order[k] = k;
  }
  add_guards(s, at, r, &parent, inside);
  parent = poly_scan_add(s, parent, POLY_SCAN_STATEMENT);
  parent->statement = r->statement;
  parent->depth = at->depth;
  parent->order = order;
}

static void scan_run(scanner *s, const scope *at, const run *r) {
  isl_basic_set *set = isl_set_simple_hull(instances_of(s, r));
  unsigned n = (unsigned)isl_map_dim(r->executed, isl_dim_out);
  unsigned *order = pm_arena_alloc(s->arena, (n + 1) * sizeof *order);
  for (unsigned k = 0; k < n; k++) order[k] = at->depth + k;
  poly_nest nest;
  s->ok = s->ok && r->statement && at->depth + n <= POLY_SCAN_DEPTH &&
          poly_find_plain_nest(s->ctx, s->arena, isl_basic_set_copy(set), at->known, order, n, &nest);
  isl_basic_set *inside = isl_basic_set_add_dims(isl_basic_set_copy(at->known), isl_dim_set, n);
  inside = isl_basic_set_intersect(inside, set);
  if (s->ok && !nest.empty) add_instance(s, at, r, &nest, inside);
  isl_basic_set_free(inside);
}

void poly_guarded_leaf(scanner *s, const scope *at) {
  for (size_t i = 0; i < at->runs.len && s->ok; i++) scan_run(s, at, &at->runs.data[i]);
}
