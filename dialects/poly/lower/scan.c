#include "dialects/poly/lower/scan.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/hull.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/lower/scan_parts.h"

#include <stdlib.h>
#include <string.h>

static void free_run(run *r) {
  isl_map_free(r->executed);
  isl_map_list_free(r->exact);
}

static run copy_run(const run *r) {
  run copy = *r;
  copy.executed = isl_map_copy(r->executed);
  copy.exact = isl_map_list_copy(r->exact);
  return copy;
}

static void free_scope(scope *at) {
  for (size_t i = 0; i < at->runs.len; i++) free_run(&at->runs.data[i]);
  PM_VEC_FREE(at->runs);
  isl_basic_set_free(at->known);
}

/* The same place with no instances. */
static scope empty_like(const scope *at) {
  scope copy = *at;
  memset(&copy.runs, 0, sizeof(copy.runs));
  copy.known = isl_basic_set_copy(at->known);
  return copy;
}

static scope copy_scope(const scope *at) {
  scope copy = empty_like(at);
  for (size_t i = 0; i < at->runs.len; i++) PM_VEC_PUSH(copy.runs, copy_run(&at->runs.data[i]));
  return copy;
}

static const run *find_run(const scope *at, pm_string tuple) {
  for (size_t i = 0; i < at->runs.len; i++)
    if (at->runs.data[i].tuple == tuple) return &at->runs.data[i];
  return NULL;
}

poly_scan *poly_scan_add(scanner *s, poly_scan *parent, poly_scan_kind kind) {
  poly_scan *node = pm_arena_alloc(s->arena, sizeof *node);
  node->kind = kind;
  if (parent && parent->last) parent->last->next = node;
  if (parent && !parent->first) parent->first = node;
  if (parent) parent->last = node;
  return node;
}

poly_scan *poly_scan_add_conditions(scanner *s, poly_scan *parent, const poly_nest *nest) {
  if (!nest->n_conditions) return parent;
  poly_scan *node = poly_scan_add(s, parent, POLY_SCAN_IF);
  node->conditions = nest->conditions;
  node->n_conditions = nest->n_conditions;
  return node;
}

poly_scan *poly_scan_add_loop(scanner *s, poly_scan *parent, const poly_level **levels, unsigned n_levels,
                              unsigned depth) {
  poly_scan *node = poly_scan_add(s, parent, POLY_SCAN_LOOP);
  node->levels = levels;
  node->n_levels = n_levels;
  node->depth = depth;
  return node;
}

poly_scan *poly_scan_add_alternatives(scanner *s, poly_scan *parent, const poly_nest *nests, unsigned n) {
  if (!n) return parent;
  if (n == 1) return poly_scan_add_conditions(s, parent, &nests[0]);
  poly_scan *node = poly_scan_add(s, parent, POLY_SCAN_IF);
  node->nests = nests;
  node->n_nests = n;
  return node;
}

static bool is_single(isl_map *map) {
  return isl_map_n_basic_map(map) == 1;
}

/* --- statements of a stage --- */

__isl_give isl_set *poly_scan_params(const scanner *s, __isl_take isl_set *set) {
  if (isl_have_equal_params(isl_set_get_space(set), isl_set_get_space(s->context))) return set;
  return isl_set_align_params(isl_with_used_params(set), isl_set_get_space(s->context));
}

__isl_give isl_map *poly_scan_params_of_map(const scanner *s, __isl_take isl_map *map) {
  if (isl_have_equal_params(isl_map_get_space(map), isl_set_get_space(s->context))) return map;
  return isl_set_unwrap(poly_scan_params(s, isl_map_wrap(map)));
}

typedef struct points_finder {
  const scanner *s;
  const run *of;
  isl_set_list *points;
} points_finder;

static isl_stat add_expanded_points(__isl_take isl_map *map, void *user) {
  points_finder *f = user;
  const char *from = isl_map_get_tuple_name(map, isl_dim_in), *to = isl_map_get_tuple_name(map, isl_dim_out);
  bool of = !strcmp(from, f->of->tuple->text);
  const stage_statement *s =
      of ? stage_find_statement(f->s->statements, pm_get_cstring(f->s->ctx, to)) : NULL;
  if (s) f->points = isl_set_list_add(f->points, stage_statement_points(s));
  isl_map_free(map);
  return isl_stat_ok;
}

static pm_walk find_expanded_points(void *user, pm_op *op) {
  if (pm_is(op, &poly_expansion))
    isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_expansion_map)), add_expanded_points,
                              user);
  return PM_WALK_ON;
}

__isl_give isl_set *poly_scan_points(const scanner *s, const run *r) {
  if (r->statement) return poly_scan_params(s, isl_set_copy(r->statement->set));
  points_finder f = {s, r, isl_set_list_alloc(isl_map_get_ctx(r->executed), 0)};
  pm_walk_pre(s->root, find_expanded_points, &f);
  return poly_scan_params(s, isl_take_union(f.points, isl_space_range(isl_map_get_space(r->executed))));
}

/* --- one statement in loops of its own --- */

/* The member of a band that a nest has: a dimension of the stage, with its marks. */
typedef struct member {
  unsigned dim;
  poly_loop_marks marks;
} member;
typedef PM_VEC(member) members;

static unsigned dims_of(isl_map *executed) {
  return (unsigned)isl_map_dim(executed, isl_dim_out);
}

static void add_nest_loops(scanner *s, poly_scan *parent, const poly_nest *nest, const members *m,
                           unsigned depth, const stage_statement *statement, const unsigned *order) {
  poly_scan *at = poly_scan_add_conditions(s, parent, nest);
  for (unsigned k = 0; k < nest->n_levels; k++) {
    const poly_level **level = pm_arena_alloc(s->arena, sizeof(poly_level *));
    level[0] = &nest->levels[k];
    at = poly_scan_add_loop(s, at, level, 1, depth + k);
    at->marks = m->data[k].marks;
  }
  at = poly_scan_add(s, at, POLY_SCAN_STATEMENT);
  at->statement = statement;
  at->depth = depth;
  at->order = order;
}

typedef struct piece_scan {
  scanner *s;
  const scope *at;
  const members *m;
  unsigned n_fixed; /* the first members, which the loops around determine */
  const stage_statement *statement;
} piece_scan;

static bool are_fixed(const poly_nest *nest, unsigned n) {
  for (unsigned k = 0; k < n; k++)
    if (!nest->levels[k].fixed) return false;
  return true;
}

/* The loops over a convex part of the instances of a statement: { [loops] -> statement[…] }, which is taken.
 */
static isl_stat scan_piece(__isl_take isl_basic_map *piece, void *user) {
  piece_scan *p = user;
  unsigned n = (unsigned)p->m->len;
  unsigned *outer = pm_arena_alloc(p->s->arena, (n + 1) * sizeof *outer);
  unsigned *dims = pm_arena_alloc(p->s->arena, (n + 1) * sizeof *dims);
  for (unsigned k = 0; k < n; k++) {
    dims[k] = p->m->data[k].dim;
    outer[k] = p->at->depth + dims[k];
  }
  isl_basic_set *set = isl_basic_set_flatten(isl_basic_map_wrap(piece));
  poly_nest nest;
  if (!poly_find_nest(p->s->ctx, p->s->arena, set, p->at->known, outer, n, &nest))
    p->s->ok = false;
  else if (!nest.empty && !are_fixed(&nest, p->n_fixed))
    p->s->ok = false;
  else if (!nest.empty)
    add_nest_loops(p->s, p->at->parent, &nest, p->m, p->at->depth, p->statement, dims);
  return p->s->ok ? isl_stat_ok : isl_stat_error;
}

/* Takes `executed`. */
static void scan_statement(scanner *s, const scope *at, const members *m, unsigned n_fixed,
                           const stage_statement *statement, __isl_take isl_map *executed) {
  s->ok = s->ok && isl_set_n_basic_set(statement->set) <= 1;
  executed = isl_map_intersect_range(executed, poly_scan_params(s, isl_set_copy(statement->set)));
  if (s->ok) isl_map_foreach_basic_map(executed, scan_piece, &(piece_scan){s, at, m, n_fixed, statement});
  isl_map_free(executed);
}

/* --- the bands of an innermost filter --- */

/* The dimension that a member runs over, up to a positive factor; -1: none, it is one number, -2: several or
 * otherwise. */
static int dimension_of(isl_aff *aff) {
  int dim = -1;
  if (isl_aff_dim(aff, isl_dim_div) > 0) return -2;
  for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_in); i++) {
    isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
    if (isl_val_is_neg(v) == isl_bool_true || (isl_val_is_pos(v) == isl_bool_true && dim >= 0))
      dim = -2;
    else if (isl_val_is_pos(v) == isl_bool_true && dim == -1)
      dim = i;
    isl_val_free(v);
  }
  return dim;
}

static bool has_dim(const members *m, unsigned dim) {
  for (size_t i = 0; i < m->len; i++)
    if (m->data[i].dim == dim) return true;
  return false;
}

/* Member number `k` of the band on the tuple; NULL when it is not one affine function. */
static __isl_give isl_aff *member_function(const pm_op *band, unsigned k, isl_space *instances) {
  isl_union_pw_aff *all =
      isl_multi_union_pw_aff_get_union_pw_aff(isl_peek_mupa(pm_attr_at(band, poly_band_schedule)), (int)k);
  isl_space *space = isl_space_align_params(isl_space_copy(instances), isl_union_pw_aff_get_space(all));
  space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1);
  isl_pw_aff *function = isl_union_pw_aff_extract_pw_aff(all, space);
  isl_union_pw_aff_free(all);
  bool single = isl_pw_aff_isa_aff(function) == isl_bool_true;
  isl_aff *aff = single ? isl_pw_aff_as_aff(isl_pw_aff_copy(function)) : NULL;
  isl_pw_aff_free(function);
  return aff;
}

/* Adds the members of a band; the first has the marks, which are taken. False when one is no dimension of the
 * stage. */
static bool add_members(const pm_op *band, isl_space *instances, poly_loop_marks *marks, members *out) {
  unsigned n = poly_band_members(band);
  for (unsigned k = 0; k < n; k++) {
    isl_aff *function = member_function(band, k, instances);
    int dim = function ? dimension_of(function) : -2;
    isl_aff_free(function);
    if (dim == -2 || (dim >= 0 && has_dim(out, (unsigned)dim))) return false;
    if (dim >= 0) PM_VEC_PUSH(*out, ((member){(unsigned)dim, *marks}));
    *marks = poly_marks_inside(marks);
  }
  return true;
}

static unsigned count_boxes(const pm_op *node) {
  unsigned n = 0;
  PM_FOR_OPS(op, pm_region_at(node, 0)) n += pm_is(op, &poly_alloc) && poly_alloc_has_box(op);
  return n;
}

/* The loops from a node without filters inside down. False when it has no simple ones. */
static bool find_members(pm_op *node, isl_space *instances, poly_loop_marks marks, members *out) {
  for (pm_op *op = node; op; op = poly_child(op)) {
    if (count_boxes(op)) return false;
    if (pm_is(op, &poly_mark)) poly_take_mark(&marks, op);
    if (pm_is(op, &poly_band) && !add_members(op, instances, &marks, out)) return false;
  }
  return true;
}

/* Puts the dimensions that no band has in front: the number of these. */
static unsigned add_fixed(members *m, unsigned n_dims) {
  members all = {0};
  for (unsigned d = 0; d < n_dims; d++)
    if (!has_dim(m, d)) PM_VEC_PUSH(all, ((member){.dim = d}));
  unsigned n_fixed = (unsigned)all.len;
  for (size_t i = 0; i < m->len; i++) PM_VEC_PUSH(all, m->data[i]);
  PM_VEC_FREE(*m);
  *m = all;
  return n_fixed;
}

/* One statement: it has loops of its own. The points of a recurrence are left to isl. */
static void scan_innermost(scanner *s, pm_op *node, const scope *at) {
  if (!at->runs.len) return;
  const run *r = &at->runs.data[0];
  isl_space *instances = isl_space_range(isl_map_get_space(r->executed));
  members m = {0};
  s->ok = at->runs.len == 1 && r->statement && !r->node->self_reads.len &&
          find_members(node, instances, at->marks, &m);
  isl_space_free(instances);
  unsigned n_fixed = add_fixed(&m, dims_of(r->executed));
  s->ok = s->ok && at->depth + m.len <= POLY_SCAN_DEPTH;
  if (s->ok) scan_statement(s, at, &m, n_fixed, r->statement, isl_map_copy(r->executed));
  PM_VEC_FREE(m);
}

/* --- the tree above --- */

static void scan_node(scanner *s, pm_op *node, scope *at);

/* The corner of a box as affine functions of the loops; NULL when it is none. */
static pm_affine_expr *corner_of(scanner *s, const pm_op *alloc) {
  isl_map *map = isl_map_copy(isl_peek_map(pm_attr_at(alloc, poly_alloc_at)));
  map = poly_scan_params_of_map(s, map);
  isl_pw_multi_aff *corner = isl_pw_multi_aff_from_map(map);
  bool ok = isl_pw_multi_aff_isa_multi_aff(corner) == isl_bool_true;
  isl_multi_aff *affs = ok ? isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_copy(corner)) : NULL;
  isl_pw_multi_aff_free(corner);
  unsigned n = affs ? (unsigned)isl_multi_aff_dim(affs, isl_dim_out) : 0;
  pm_affine_expr *point = pm_arena_alloc(s->arena, (n + 1) * sizeof *point);
  for (unsigned d = 0; d < n && ok; d++) {
    isl_aff *aff = isl_multi_aff_get_aff(affs, (int)d);
    point[d] = poly_affine_of_aff(s->ctx, aff);
    ok = point[d] != NULL;
    isl_aff_free(aff);
  }
  isl_multi_aff_free(affs);
  return ok ? point : NULL;
}

static void scan_boxes(scanner *s, const pm_op *node, scope *at) {
  unsigned n = count_boxes(node);
  if (!n) return;
  poly_scan_box *boxes = pm_arena_alloc(s->arena, n * sizeof *boxes);
  at->parent = poly_scan_add(s, at->parent, POLY_SCAN_ALLOCS);
  at->parent->boxes = boxes;
  PM_FOR_OPS(op, pm_region_at(node, 0)) {
    if (!pm_is(op, &poly_alloc) || !poly_alloc_has_box(op)) continue;
    poly_scan_box *box = &boxes[at->parent->n_boxes++];
    *box = (poly_scan_box){op, corner_of(s, op)};
    s->ok = s->ok && box->point;
  }
}

/* What is inside a node, its allocations around. */
static void scan_inside(scanner *s, pm_op *node, scope *at) {
  scan_boxes(s, node, at);
  pm_op *child = poly_child(node);
  if (s->ok && child)
    scan_node(s, child, at);
  else if (s->guarded && s->ok)
    poly_guarded_leaf(s, at);
  else
    s->ok = s->ok && !at->runs.len;
}

/* { S[x] -> [m] } of a band; NULL when a member is not one affine function on all instances. */
static __isl_give isl_map *schedule_of(const scanner *s, const pm_op *band, __isl_take isl_space *instances) {
  unsigned n = poly_band_members(band);
  isl_aff_list *members = isl_aff_list_alloc(s->graph->isl, (int)n);
  for (unsigned k = 0; k < n; k++) {
    isl_aff *function = member_function(band, k, instances);
    if (function) members = isl_aff_list_add(members, function);
  }
  if (isl_aff_list_n_aff(members) == (isl_size)n) {
    isl_space *space = isl_space_add_dims(isl_space_from_domain(instances), isl_dim_out, n);
    return isl_map_from_multi_aff(isl_multi_aff_from_aff_list(space, members));
  }
  isl_space_free(instances);
  isl_aff_list_free(members);
  return NULL;
}

/* { [t] -> S[x] } and { S[x] -> [m] } give { [t, m] -> S[x] }; NULL without such a schedule. */
static __isl_give isl_map *add_loops(const scanner *s, __isl_take isl_map *executed, const pm_op *band) {
  isl_map *schedule = schedule_of(s, band, isl_space_range(isl_map_get_space(executed)));
  if (schedule)
    return linear_flat_domain_product(executed, isl_map_reverse(poly_scan_params_of_map(s, schedule)));
  isl_map_free(executed);
  return NULL;
}

/* All points of the statements of a run, made convex. */
static __isl_give isl_set *convex_points(const scanner *s, const run *r) {
  isl_set *all = isl_coalesce(poly_scan_points(s, r));
  if (isl_set_n_basic_set(all) < 2) return all;
  return isl_set_from_basic_set(isl_hull_within(all, s->context));
}

/* The iterations of the loops around that have an instance of a statement; NULL where isl does not answer. */
static __isl_give isl_set *iterations_of(const scanner *s, const run *r) {
  if (s->guarded) return poly_guarded_iterations(s, r);
  isl_map *map = isl_map_intersect_range(isl_map_copy(r->executed), convex_points(s, r));
  isl_ask(s->graph->isl);
  isl_set *iterations = isl_set_coalesce(isl_set_remove_divs(isl_map_domain(map)));
  (void)isl_answered(s->graph->isl);
  return poly_scan_params(s, iterations);
}

typedef PM_VEC(isl_basic_set *) basic_sets;

static bool has_set(const basic_sets *sets, isl_basic_set *set) {
  bool found = false;
  for (size_t i = 0; i < sets->len && !found; i++)
    found = linear_is_subset(set, sets->data[i]) && linear_is_subset(sets->data[i], set);
  if (found) return true;
  isl_ask(isl_basic_set_get_ctx(set));
  for (size_t i = 0; i < sets->len && !found; i++)
    found = isl_basic_set_is_equal(set, sets->data[i]) == isl_bool_true;
  return isl_answered(isl_basic_set_get_ctx(set)) && found;
}

/* No iteration of the loops around has one of these. */
static bool is_empty_within(isl_basic_set *iterations, const scope *around) {
  unsigned more =
      (unsigned)(isl_basic_set_dim(iterations, isl_dim_set) - isl_basic_set_dim(around->known, isl_dim_set));
  isl_basic_set *known = isl_basic_set_add_dims(isl_basic_set_copy(around->known), isl_dim_set, more);
  known = isl_basic_set_intersect(known, isl_basic_set_copy(iterations));
  bool empty = isl_basic_set_is_empty(known) == isl_bool_true;
  isl_basic_set_free(known);
  return empty;
}

/* Of a set of iterations, which is taken. */
static bool find_nest(const scanner *s, const scope *at, __isl_take isl_basic_set *set, const unsigned *order,
                      unsigned n, poly_nest *nest) {
  return s->guarded ? poly_find_plain_nest(s->ctx, s->arena, set, at->known, order, n, nest)
                    : poly_find_nest(s->ctx, s->arena, set, at->known, order, n, nest);
}

static bool has_nest(const scanner *s, const scope *at, isl_basic_set *set) {
  unsigned n = (unsigned)isl_basic_set_dim(set, isl_dim_set) - at->depth;
  unsigned *order = pm_arena_alloc(s->arena, (n + 1) * sizeof *order);
  for (unsigned k = 0; k < n; k++) order[k] = at->depth + k;
  poly_nest nest;
  return find_nest(s, at, isl_basic_set_copy(set), order, n, &nest);
}

typedef struct adding {
  const scanner *s;
  const scope *at;
  basic_sets *sets;
} adding;

static isl_stat add_iterations(__isl_take isl_basic_set *set, void *user) {
  adding *a = user;
  if (!(a->s->guarded && is_empty_within(set, a->at)) && !has_set(a->sets, set))
    PM_VEC_PUSH(*a->sets, set);
  else
    isl_basic_set_free(set);
  return isl_stat_ok;
}

/* The iterations of the runs, each kind once; false when those of a run are not convex. Under guards there
 * are several of a run where those around all of its points have no bounds, as from min(0, p) on. */
static bool find_iterations(const scanner *s, const scope *at, basic_sets *out) {
  for (size_t i = 0; i < at->runs.len; i++) {
    isl_set *set = iterations_of(s, &at->runs.data[i]);
    int n = (int)isl_set_n_basic_set(set);
    isl_basic_set *hull = isl_set_simple_hull(set);
    if (n < 0 || n > 1) {
      isl_basic_set_free(hull);
      return false;
    }
    adding a = {s, at, out};
    if (n == 1 && s->guarded && !has_nest(s, at, hull)) {
      isl_set *parts = poly_guarded_parts(s, &at->runs.data[i]);
      isl_set_foreach_basic_set(parts, add_iterations, &a);
      isl_set_free(parts);
      isl_basic_set_free(hull);
    } else if (n == 1) {
      add_iterations(hull, &a);
    } else {
      isl_basic_set_free(hull);
    }
  }
  return true;
}

/* Puts their hull by constraints of theirs in place of several sets, if that has loops of its own: those go
 * where none of the sets is, but from one bound to one other. */
static void join_iterations(scanner *s, const scope *at, unsigned n, basic_sets *sets) {
  if (sets->len < 2) return;
  isl_set *all = isl_set_from_basic_set(isl_basic_set_copy(sets->data[0]));
  for (size_t i = 1; i < sets->len; i++)
    all = isl_set_union(all, isl_set_from_basic_set(isl_basic_set_copy(sets->data[i])));
  isl_basic_set *hull = isl_hull_within(all, s->context);
  unsigned *order = pm_arena_alloc(s->arena, (n + 1) * sizeof *order);
  for (unsigned k = 0; k < n; k++) order[k] = at->depth + k;
  poly_nest nest;
  if (!find_nest(s, at, isl_basic_set_copy(hull), order, n, &nest) || nest.empty) {
    isl_basic_set_free(hull);
    return;
  }
  for (size_t i = 0; i < sets->len; i++) isl_basic_set_free(sets->data[i]);
  sets->data[0] = hull;
  sets->len = 1;
}

/* What holds in the n more loops around the sets: loops around several may go where none of them is. */
static __isl_give isl_basic_set *known_inside(const scope *at, const basic_sets *sets, unsigned n) {
  isl_basic_set *known = isl_basic_set_add_dims(isl_basic_set_copy(at->known), isl_dim_set, n);
  if (sets->len > 1) return known;
  return isl_basic_set_intersect(known, isl_basic_set_copy(sets->data[0]));
}

/* The n loops around the sets, from the least to the greatest iteration of any of them. */
static bool add_shared_loops(scanner *s, const basic_sets *sets, unsigned n, scope *at) {
  poly_nest *nests = pm_arena_alloc(s->arena, sets->len * sizeof *nests);
  unsigned *order = pm_arena_alloc(s->arena, (n + 1) * sizeof *order);
  for (unsigned k = 0; k < n; k++) order[k] = at->depth + k;
  for (size_t i = 0; i < sets->len; i++) {
    isl_basic_set *set = isl_basic_set_copy(sets->data[i]);
    if (!find_nest(s, at, set, order, n, &nests[i]) || nests[i].empty) return false;
  }
  if (sets->len == 1) at->parent = poly_scan_add_conditions(s, at->parent, &nests[0]);
  for (unsigned k = 0; k < n; k++) {
    const poly_level **levels = pm_arena_alloc(s->arena, sets->len * sizeof *levels);
    for (size_t i = 0; i < sets->len; i++) {
      levels[i] = &nests[i].levels[k];
      if (sets->len > 1 && levels[i]->step != 1) return false;
    }
    at->parent = poly_scan_add_loop(s, at->parent, levels, (unsigned)sets->len, at->depth + k);
    at->parent->marks = k ? poly_marks_inside(&at->marks) : at->marks;
  }
  return true;
}

/* The runs that the band has a schedule of. */
static scope enter_band(scanner *s, const pm_op *band, const scope *at) {
  scope inner = empty_like(at);
  isl_map *steps = s->guarded ? poly_guarded_steps(s, band, at) : NULL;
  for (size_t i = 0; i < at->runs.len && s->ok; i++) {
    run r = copy_run(&at->runs.data[i]);
    bool scheduled = !s->guarded || poly_guarded_band(s, band, steps, at->depth, &r);
    if (!s->guarded) r.executed = add_loops(s, r.executed, band);
    s->ok = r.executed && (!scheduled || is_single(r.executed));
    if (scheduled)
      PM_VEC_PUSH(inner.runs, r);
    else
      free_run(&r);
  }
  isl_map_free(steps);
  return inner;
}

static void scan_band(scanner *s, pm_op *band, scope *at) {
  unsigned n = poly_band_members(band);
  scope inner = enter_band(s, band, at);
  basic_sets sets = {0};
  s->ok = s->ok && at->depth + n <= POLY_SCAN_DEPTH && find_iterations(s, &inner, &sets);
  if (s->ok) join_iterations(s, at, n, &sets);
  s->ok = s->ok && (!sets.len || add_shared_loops(s, &sets, n, &inner));
  if (s->ok && sets.len) {
    isl_basic_set_free(inner.known);
    inner.known = known_inside(at, &sets, n);
    inner.depth += n;
    inner.marks = poly_marks_inside(&at->marks);
    scan_inside(s, band, &inner);
  }
  for (size_t i = 0; i < sets.len; i++) isl_basic_set_free(sets.data[i]);
  PM_VEC_FREE(sets);
  free_scope(&inner);
}

typedef struct filtering {
  scanner *s;
  const pm_op *op;
  const scope *from;
  scope *to;
  isl_set *iterations; /* for extensions */
} filtering;

static isl_stat pass_run(__isl_take isl_set *set, void *user) {
  filtering *f = user;
  pm_string tuple = pm_get_cstring(f->s->ctx, isl_set_get_tuple_name(set));
  bool whole = isl_set_plain_is_universe(set) == isl_bool_true;
  f->s->ok = f->s->ok && (whole || f->s->guarded);
  for (size_t i = 0; i < f->from->runs.len && f->s->ok; i++) {
    if (f->from->runs.data[i].tuple != tuple) continue;
    run r = copy_run(&f->from->runs.data[i]);
    if (!whole) poly_guarded_filter(f->s, &r, isl_set_copy(set));
    PM_VEC_PUSH(f->to->runs, r);
  }
  isl_set_free(set);
  return isl_stat_ok;
}

static pm_walk is_inner_node(void *root, pm_op *op) {
  bool inner =
      op != root && (pm_is(op, &poly_filter) || pm_is(op, &poly_extension) || pm_is(op, &poly_expansion));
  return inner ? PM_WALK_STOP : PM_WALK_ON;
}

/* From the node down there is one statement, and loops over its dimensions alone. */
static bool is_innermost(const scanner *s, pm_op *node, const scope *at) {
  if (s->guarded || !pm_walk_pre(node, is_inner_node, node)) return false;
  if (!at->runs.len) return true;
  isl_space *instances = isl_space_range(isl_map_get_space(at->runs.data[0].executed));
  members m = {0};
  bool simple = find_members(node, instances, at->marks, &m);
  isl_space_free(instances);
  PM_VEC_FREE(m);
  return simple;
}

/* A filter or an expansion. */
static void scan_below(scanner *s, pm_op *node, scope *at) {
  if (is_innermost(s, node, at))
    scan_innermost(s, node, at);
  else
    scan_inside(s, node, at);
}

static void scan_filter(scanner *s, pm_op *filter, const scope *at) {
  scope inner = empty_like(at);
  filtering f = {s, filter, at, &inner, NULL};
  isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), pass_run, &f);
  if (s->ok) scan_below(s, filter, &inner);
  free_scope(&inner);
}

/* Takes `executed`, the instances that a domain or an extension brings. */
static void add_run(scanner *s, const pm_op *op, scope *at, __isl_take isl_map *executed) {
  const stage_statement *named = NULL;
  executed = poly_scan_params_of_map(s, executed);
  const stage_node *node =
      poly_check_instances(s->statements, op, isl_space_range(isl_map_get_space(executed)), &named);
  pm_string tuple = named ? named->name : node ? node->name : NULL;
  run r = {tuple, node, tuple ? stage_find_statement(s->statements, tuple) : NULL, executed, NULL};
  bool simple = s->guarded || (is_single(executed) && !find_run(at, tuple));
  s->ok = s->ok && node && simple && isl_map_dim(executed, isl_dim_in) == (isl_size)at->depth;
  if (s->ok)
    PM_VEC_PUSH(at->runs, s->guarded ? poly_guarded_run(s, r, executed) : r);
  else
    isl_map_free(executed);
}

/* The set without the divisions that isl cannot name, where what is known of the loops implies what they say:
 * loops are not read off constraints with such. */
static __isl_give isl_set *without_unnamed(const scope *at, __isl_take isl_set *set) {
  isl_set *known = isl_set_from_basic_set(isl_basic_set_copy(at->known));
  isl_set *wider = isl_set_remove_unknown_divs(isl_set_copy(set));
  known = isl_set_intersect(known, isl_set_copy(wider));
  bool same = linear_decide_subset(known, set);
  isl_set_free(known);
  isl_set_free(same ? set : wider);
  return same ? wider : set;
}

/* The iterations of the loops around that have an instance: the loops may go where none is. */
static __isl_give isl_set *reached_iterations(const scanner *s, const scope *at) {
  isl_space *space = isl_space_set_from_params(isl_set_get_space(s->context));
  isl_set *all = isl_set_empty(isl_space_add_dims(space, isl_dim_set, at->depth));
  for (size_t i = 0; i < at->runs.len; i++)
    all = isl_set_union(all, isl_map_domain(isl_map_copy(at->runs.data[i].executed)));
  return without_unnamed(at, isl_coalesce(all));
}

typedef struct alternatives {
  scanner *s;
  const scope *at;
  poly_nest *nests;
  unsigned n;
} alternatives;

/* False when it always holds, or is not one that can be said so simply. */
static isl_stat add_alternative(__isl_take isl_basic_set *part, void *user) {
  alternatives *a = user;
  poly_nest *nest = &a->nests[a->n];
  if (!poly_find_nest(a->s->ctx, a->s->arena, part, a->at->known, NULL, 0, nest)) return isl_stat_error;
  if (!nest->empty && !nest->n_conditions) return isl_stat_error;
  a->n += !nest->empty;
  return isl_stat_ok;
}

/* What follows runs in these iterations (taken), where they are not convex: under a condition. Gives their
 * hull, or the iterations as they are when the condition is not found. */
static __isl_give isl_set *enter_iterations(scanner *s, scope *at, __isl_take isl_set *iterations) {
  unsigned n = (unsigned)isl_set_n_basic_set(iterations);
  if (n < 2) return iterations;
  alternatives a = {s, at, pm_arena_alloc(s->arena, n * sizeof(poly_nest)), 0};
  if (isl_set_foreach_basic_set(iterations, add_alternative, &a) != isl_stat_ok || !a.n) return iterations;
  at->parent = poly_scan_add(s, at->parent, POLY_SCAN_IF);
  at->parent->nests = a.nests;
  at->parent->n_nests = a.n;
  return isl_set_from_basic_set(isl_set_simple_hull(iterations));
}

static isl_stat add_extended(__isl_take isl_map *map, void *user) {
  filtering *f = user;
  if (isl_map_dim(map, isl_dim_in) == (isl_size)f->to->depth)
    map = isl_map_intersect_domain(map, isl_set_copy(f->iterations));
  add_run(f->s, f->op, f->to, map);
  return isl_stat_ok;
}

static void scan_extension(scanner *s, pm_op *op, const scope *at) {
  scope inner = copy_scope(at);
  filtering f = {s, op, at, &inner, NULL};
  f.iterations =
      s->guarded ? poly_guarded_enter(s, &inner) : enter_iterations(s, &inner, reached_iterations(s, at));
  isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_extension_map)), add_extended, &f);
  isl_set_free(f.iterations);
  if (s->ok) scan_inside(s, op, &inner);
  free_scope(&inner);
}

/* The instances of a stage become those of a statement, or stay as they are. */
static isl_stat expand_run(__isl_take isl_map *map, void *user) {
  filtering *f = user;
  pm_string to = pm_get_cstring(f->s->ctx, isl_map_get_tuple_name(map, isl_dim_out));
  pm_string from = pm_get_cstring(f->s->ctx, isl_map_get_tuple_name(map, isl_dim_in));
  isl_map_free(map);
  for (size_t i = 0; i < f->from->runs.len; i++) {
    if (f->from->runs.data[i].tuple != from) continue;
    run r = copy_run(&f->from->runs.data[i]);
    r.tuple = to;
    r.statement = stage_find_statement(f->s->statements, to);
    r.executed = isl_map_set_tuple_name(r.executed, isl_dim_out, to->text);
    PM_VEC_PUSH(f->to->runs, r);
  }
  return isl_stat_ok;
}

static void scan_expansion(scanner *s, pm_op *op, const scope *at) {
  scope inner = empty_like(at);
  filtering f = {s, op, at, &inner, NULL};
  isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_expansion_map)), expand_run, &f);
  scan_below(s, op, &inner);
  free_scope(&inner);
}

static void scan_mark(scanner *s, pm_op *op, scope *at) {
  poly_loop_marks before = at->marks;
  poly_take_mark(&at->marks, op);
  scan_inside(s, op, at);
  at->marks = before;
}

static void scan_node(scanner *s, pm_op *node, scope *at) {
  if (pm_is(node, &poly_band) && is_innermost(s, node, at)) {
    scan_innermost(s, node, at);
  } else if (pm_is(node, &poly_band)) {
    scan_band(s, node, at);
  } else if (pm_is(node, &poly_filter)) {
    scan_filter(s, node, at);
  } else if (pm_is(node, &poly_extension)) {
    scan_extension(s, node, at);
  } else if (pm_is(node, &poly_expansion)) {
    scan_expansion(s, node, at);
  } else if (pm_is(node, &poly_mark)) {
    scan_mark(s, node, at);
  } else {
    PM_FOR_OPS(filter, pm_region_at(node, 0))
    if (s->ok) scan_filter(s, filter, at);
  }
}

static isl_stat add_from_domain(__isl_take isl_set *set, void *user) {
  filtering *f = user;
  add_run(f->s, f->op, f->to, isl_map_from_range(isl_set_coalesce(set)));
  return isl_stat_ok;
}

/* At the root, with the context known. */
static scope root_scope(scanner *s) {
  isl_set *context = isl_set_from_params(isl_set_copy(s->context));
  return (scope){.known = isl_set_simple_hull(context), .parent = poly_scan_add(s, NULL, POLY_SCAN_BLOCK)};
}

static poly_scan *scan_tree(scanner *s, isl_union_set *domain) {
  scope at = root_scope(s);
  poly_scan *root = at.parent;
  isl_union_set_foreach_set(domain, add_from_domain, &(filtering){s, s->root, NULL, &at, NULL});
  if (s->ok && pm_is(s->root, &poly_filter))
    scan_filter(s, s->root, &at);
  else if (s->ok)
    scan_inside(s, s->root, &at);
  free_scope(&at);
  return s->ok ? root : NULL;
}

/* --- params --- */

typedef struct param_finder {
  const stage_statements *statements;
  isl_space *params;
} param_finder;

static void add_params(param_finder *f, __isl_take isl_set *set) {
  set = isl_with_used_params(set);
  f->params = isl_space_align_params(f->params, isl_set_get_space(set));
  isl_set_free(set);
}

/* Those of the statement, too, of which the tuple has instances. */
static isl_stat add_params_of_set(__isl_take isl_set *set, void *user) {
  param_finder *f = user;
  const char *name = isl_set_get_tuple_name(set);
  pm_context *ctx = stage_statements_graph(f->statements)->ctx;
  const stage_statement *s = name ? stage_find_statement(f->statements, pm_get_cstring(ctx, name)) : NULL;
  if (s) add_params(f, isl_set_copy(s->set));
  add_params(f, set);
  return isl_stat_ok;
}

static isl_stat add_params_of_map(__isl_take isl_map *map, void *user) {
  add_params_of_set(isl_map_range(isl_map_copy(map)), user);
  add_params(user, isl_map_wrap(map));
  return isl_stat_ok;
}

static pm_walk add_params_of_op(void *user, pm_op *op) {
  if (pm_is(op, &poly_filter))
    isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(op, poly_filter_instances)), add_params_of_set,
                              user);
  if (pm_is(op, &poly_extension))
    isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_extension_map)), add_params_of_map,
                              user);
  if (pm_is(op, &poly_expansion))
    isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_expansion_map)), add_params_of_map,
                              user);
  if (pm_is(op, &poly_band)) {
    isl_union_map *schedule = isl_union_map_from_multi_union_pw_aff(
        isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(op, poly_band_schedule))));
    isl_union_map_foreach_map(schedule, add_params_of_map, user);
    isl_union_map_free(schedule);
  }
  if (pm_is(op, &poly_alloc) && poly_alloc_has_box(op))
    add_params_of_map(isl_map_copy(isl_peek_map(pm_attr_at(op, poly_alloc_at))), user);
  return PM_WALK_ON;
}

__isl_give isl_set *poly_scan_context(const stage_statements *statements, isl_union_set *domain,
                                      pm_op *node) {
  const stage_graph *graph = stage_statements_graph(statements);
  param_finder f = {statements, isl_space_params_alloc(graph->isl, 0)};
  isl_union_set_foreach_set(domain, add_params_of_set, &f);
  pm_walk_pre(node, add_params_of_op, &f);
  return stage_facts_of_params(graph->facts, f.params);
}

poly_scan *poly_scan_tree(pm_arena *arena, const stage_statements *statements, isl_set *context,
                          isl_union_set *domain, pm_op *node) {
  const stage_graph *graph = stage_statements_graph(statements);
  return scan_tree(&(scanner){graph->ctx, arena, statements, graph, context, node, false, true}, domain);
}

poly_scan *poly_scan_guarded(pm_arena *arena, const stage_statements *statements, isl_set *context,
                             isl_union_set *domain, pm_op *node) {
  const stage_graph *graph = stage_statements_graph(statements);
  return scan_tree(&(scanner){graph->ctx, arena, statements, graph, context, node, true, true}, domain);
}
