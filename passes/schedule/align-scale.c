/* align-scale: one common space for all stages, in which dependences are constant distances where that is
 * possible.
 *
 *   stage.func @up(%x) reads @down[%x floordiv 2]
 *   =>
 *   poly.schedule { poly.domain #isl.union_set<"{ up[x] : …; down[x] : … }"> { poly.sequence {
 *     poly.filter "{ down[x] }" { poly.mark "group" { … poly.band "[{ down[x] -> [(2x)] }]" { } } }
 *     poly.filter "{ up[x] }"   { poly.mark "group" { … poly.band "[{ up[x] -> [(x)] }]" { } } } } } }
 *
 * Alignment and scaling of the PolyMage thesis, section 3.3, from the outputs back to the inputs; every
 * reference is checked against the result, and one that disagrees is a remark (the group pass then keeps the
 * two apart). Of a schedule that is there already nothing is changed: stages that it lacks are added, and
 * filters of one stage outside of all loops get theirs. The outermost sequence has no order of its own; one
 * below it has.
 */
#include "dialects/poly/tiling/footprint.h"
#include "dialects/poly/tiling/units.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "dialects/stage/dependences/update_loops.h"
#include "dialects/stage/inlining.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct ratio {
  int64_t num, den; /* den > 0, lowest terms */
} ratio;

static ratio make_ratio(int64_t num, int64_t den) {
  int64_t g = pm_gcd(num, den);
  if (g == 0) return (ratio){0, 1};
  return den < 0 ? (ratio){-num / g, -den / g} : (ratio){num / g, den / g};
}

/* Scales are products of two numbers up to this one, which fit 64 bits. */
static bool is_moderate(int64_t value) {
  return value >= -INT32_MAX && value <= INT32_MAX;
}

static bool is_moderate_ratio(ratio r) {
  return is_moderate(r.num) && is_moderate(r.den);
}

/* Where a stage's dimensions lie in the common space. */
typedef struct placement {
  int *position; /* common dimension of each own one, -1: not known yet */
  ratio *scale;  /* beside those of its family */
  size_t *family;
  const stage_access **by; /* the reference that places the dimension; NULL: none does */
} placement;

/* Dimensions of stages whose scales belong together, since references relate them: a tree of a forest. */
typedef struct family {
  size_t parent; /* itself: the root */
  int64_t lcm;   /* of the denominators, at the root */
} family;

typedef struct aligner {
  pm_pass *pass;
  const stage_graph *graph;
  unsigned n_common;
  placement *of;    /* by node index */
  bool *is_present; /* by node index: in the tree that the pass found */
  bool *is_taken;   /* by node index: in the group of a demand */
  PM_VEC(family) families;
} aligner;

/* The single operand that an index depends on, and its rational coefficient; false when there is none or
 * several. A floor division counts as a rational one: the rest is smaller than 1. */
typedef struct slope {
  int operand; /* -1: constant */
  ratio coeff;
} slope;

static bool slope_of(pm_affine_expr e, slope *out) {
  slope l, r;
  switch (e->kind) {
  case PM_AFFINE_CONST:
    *out = (slope){-1, {0, 1}};
    return true;
  case PM_AFFINE_DIM:
    *out = (slope){(int)e->value, {1, 1}};
    return true;
  case PM_AFFINE_ADD:
    if (!slope_of(e->lhs, &l) || !slope_of(e->rhs, &r)) return false;
    if (l.operand >= 0 && r.operand >= 0) return false;
    *out = l.operand >= 0 ? l : r;
    return true;
  case PM_AFFINE_MUL:
    if (!slope_of(e->lhs, &l) || e->rhs->kind != PM_AFFINE_CONST || !is_moderate(e->rhs->value)) return false;
    *out = (slope){l.operand, make_ratio(l.coeff.num * e->rhs->value, l.coeff.den)};
    return is_moderate_ratio(out->coeff);
  case PM_AFFINE_FLOORDIV:
  case PM_AFFINE_CEILDIV:
    if (!slope_of(e->lhs, &l) || e->rhs->kind != PM_AFFINE_CONST || !is_moderate(e->rhs->value)) return false;
    *out = (slope){l.operand, make_ratio(l.coeff.num, l.coeff.den * e->rhs->value)};
    return is_moderate_ratio(out->coeff);
  default:
    return false;
  }
}

/* The argument of the reading case that index `k` of a read follows, with its coefficient. Reads of updates
 * say nothing: their points are others than the stage's. */
static bool read_slope(const stage_access *access, unsigned k, unsigned *dim, ratio *coeff) {
  slope s;
  const pm_op *read = access->read;
  if (access->update_index >= 0) return false;
  if (!slope_of(stage_index_map(read)->results[k], &s) || s.operand < 0 || s.coeff.num <= 0) return false;
  const pm_value *v = pm_arg(read, stage_index_operand(read) + (unsigned)s.operand);
  if (!pm_is_arg(v) || pm_value_region(v) != pm_region_at(stage_body_of(read), 0)) return false;
  *dim = pm_value_index(v);
  *coeff = s.coeff;
  return true;
}

/* What one reference says of dimension k of the producer. */
typedef struct wish {
  int position;
  ratio scale;
  size_t family;
} wish;

static bool wanted(const aligner *a, const stage_access *access, unsigned k, wish *out) {
  unsigned dim;
  ratio coeff;
  if (!read_slope(access, k, &dim, &coeff)) return false;
  const placement *consumer = &a->of[access->consumer->index];
  out->position = consumer->position[dim];
  out->scale = make_ratio(consumer->scale[dim].num * coeff.den, consumer->scale[dim].den * coeff.num);
  out->family = consumer->family[dim];
  return is_moderate_ratio(out->scale);
}

static bool agrees(const placement *p, unsigned k, const wish *w) {
  return w->position == p->position[k] && w->scale.num == p->scale[k].num && w->scale.den == p->scale[k].den;
}

/* --- families --- */

static size_t new_family(aligner *a) {
  size_t number = a->families.len;
  PM_VEC_PUSH(a->families, ((family){number, 1}));
  return number;
}

static size_t root_of(const aligner *a, size_t family) {
  while (a->families.data[family].parent != family) family = a->families.data[family].parent;
  return family;
}

static int64_t least_multiple(int64_t a, int64_t b) {
  return a / pm_gcd(a, b) * b;
}

/* The two are one from now on, unless its scale would be too large. */
static void join_families(aligner *a, size_t one, size_t other) {
  family *to = &a->families.data[root_of(a, one)], *from = &a->families.data[root_of(a, other)];
  int64_t lcm = least_multiple(to->lcm, from->lcm);
  if (to == from || !is_moderate(lcm)) return;
  to->lcm = lcm;
  from->parent = to->parent;
}

/* --- placing --- */

static bool is_taken(const placement *p, unsigned n_dims, int position) {
  for (unsigned k = 0; k < n_dims; k++)
    if (p->position[k] == position) return true;
  return false;
}

static void place_from_readers(aligner *a, const stage_node *node) {
  placement *p = &a->of[node->index];
  for (size_t i = 0; i < node->readers.len; i++)
    for (unsigned k = 0; k < node->n_dims; k++) {
      wish w;
      if (p->position[k] >= 0 || !wanted(a, node->readers.data[i], k, &w)) continue;
      if (is_taken(p, node->n_dims, w.position)) continue;
      p->position[k] = w.position;
      p->scale[k] = w.scale;
      p->family[k] = w.family;
      p->by[k] = node->readers.data[i];
    }
}

/* Dimensions that no reference places go to the rightmost free places, in their order. */
static void place_the_rest(aligner *a, const stage_node *node) {
  placement *p = &a->of[node->index];
  int free_place = (int)a->n_common - 1;
  for (unsigned k = node->n_dims; k-- > 0;) {
    if (p->position[k] >= 0) continue;
    while (is_taken(p, node->n_dims, free_place)) free_place--;
    p->position[k] = free_place;
    p->scale[k] = (ratio){1, 1};
    p->family[k] = new_family(a);
  }
}

static void join_readers(aligner *a, const stage_node *node) {
  const placement *p = &a->of[node->index];
  for (size_t i = 0; i < node->readers.len; i++)
    for (unsigned k = 0; k < node->n_dims; k++) {
      wish w;
      if (wanted(a, node->readers.data[i], k, &w) && agrees(p, k, &w))
        join_families(a, p->family[k], w.family);
    }
}

/* "dimension 1 at scale 1/2": what becomes of dimension number k of a stage. */
static void put_place(pm_buf *out, int position, ratio scale) {
  pm_buf_printf(out, "dimension %d at scale %lld", position, (long long)scale.num);
  if (scale.den != 1) pm_buf_printf(out, "/%lld", (long long)scale.den);
}

static void report_conflict(aligner *a, const stage_access *access, unsigned k, const wish *w) {
  const stage_node *node = access->producer;
  const placement *p = &a->of[node->index];
  pm_buf here = {0}, there = {0};
  put_place(&here, w->position, w->scale);
  put_place(&there, p->position[k], p->scale[k]);
  pm_buf_puts(&there, p->by[k] ? ", as the read by @" : ", which is free");
  if (p->by[k])
    pm_buf_printf(&there, "%s in line %u asks", p->by[k]->consumer->name->text,
                  (unsigned)p->by[k]->read->loc.line);
  pm_pass_remark(
      a->pass, access->read->loc, PM_REMARK_MISSED, NULL, 0,
      "this read of @%pS by @%pS asks for its dimension %u to be %s; it is %s. So the two stages are "
      "not tiled together",
      (const void *)node->name, (const void *)access->consumer->name, k, here.data, there.data);
  pm_buf_free(&here);
  pm_buf_free(&there);
}

static void report_conflicts(aligner *a, const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    for (unsigned k = 0; k < node->n_dims; k++) {
      wish w;
      const stage_access *access = node->readers.data[i];
      if (!wanted(a, access, k, &w) || agrees(&a->of[node->index], k, &w)) continue;
      report_conflict(a, access, k, &w);
      return;
    }
}

/* The family's part of the common space is scaled so that dimension k of a stage takes integers in it; where
 * that scale would be too large, the dimension is not scaled. */
static void widen_lcm(aligner *a, placement *p, unsigned k) {
  int64_t *lcm = &a->families.data[root_of(a, p->family[k])].lcm;
  int64_t wider = least_multiple(*lcm, p->scale[k].den);
  if (is_moderate(wider))
    *lcm = wider;
  else
    p->scale[k] = (ratio){1, 1};
}

/* The order of its dimensions is of no importance: along one at most it reads itself. */
static bool is_in_any_order(const stage_node *node) {
  unsigned carried = 0;
  for (unsigned k = 0; k < node->n_dims; k++) carried += !stage_is_free(node, k);
  return carried <= 1;
}

/* A stage that reads itself along several dimensions runs in its own order: where its readers want its
 * dimensions does not count. */
static void place_all(aligner *a) {
  for (size_t i = a->graph->nodes.len; i-- > 0;) {
    const stage_node *node = a->graph->nodes.data[i];
    if (node->is_input) continue;
    if (is_in_any_order(node)) place_from_readers(a, node);
    place_the_rest(a, node);
    for (unsigned k = 0; k < node->n_dims; k++) widen_lcm(a, &a->of[i], k);
    join_readers(a, node);
    report_conflicts(a, node);
  }
}

static void init_aligner(aligner *a, pm_pass *pass, const stage_graph *graph) {
  pm_arena *arena = pm_pass_arena(pass);
  *a = (aligner){.pass = pass, .graph = graph};
  a->of = pm_arena_alloc(arena, graph->nodes.len * sizeof *a->of);
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    if (!node->is_input && node->n_dims > a->n_common) a->n_common = node->n_dims;
    a->of[i].position = pm_arena_alloc(arena, node->n_dims * sizeof(int));
    a->of[i].scale = pm_arena_alloc(arena, node->n_dims * sizeof(ratio));
    a->of[i].family = pm_arena_alloc(arena, node->n_dims * sizeof(size_t));
    a->of[i].by = pm_arena_alloc(arena, node->n_dims * sizeof *a->of[i].by);
    for (unsigned k = 0; k < node->n_dims; k++) a->of[i].position[k] = -1;
  }
}

static int64_t scale_of(const aligner *a, const stage_node *node, unsigned k) {
  const placement *p = &a->of[node->index];
  return p->scale[k].num * (a->families.data[root_of(a, p->family[k])].lcm / p->scale[k].den);
}

/* Stage[x, y] -> [scale * x, …], 0 where the stage has no such dimension. */
static __isl_give isl_multi_union_pw_aff *band_of(const aligner *a, const stage_node *node) {
  const placement *p = &a->of[node->index];
  isl_space *domain = isl_set_get_space(node->domain);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(domain));
  isl_space *range = isl_space_set_from_params(isl_space_params(isl_space_copy(domain)));
  range = isl_space_add_dims(range, isl_dim_set, a->n_common);
  isl_multi_aff *ma = isl_multi_aff_zero(isl_space_map_from_domain_and_range(domain, range));
  for (unsigned k = 0; k < node->n_dims; k++) {
    int64_t scale = scale_of(a, node, k);
    isl_aff *aff = isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, k);
    aff = isl_aff_scale_val(aff, isl_val_int_from_si(a->graph->isl, scale));
    ma = isl_multi_aff_set_aff(ma, p->position[k], aff);
  }
  isl_local_space_free(local);
  return isl_multi_union_pw_aff_from_multi_aff(ma);
}

static __isl_give isl_union_set *all_of(isl_set *set) {
  return isl_union_set_from_set(isl_set_universe(isl_set_get_space(set)));
}

/* The stage and its updates. */
static __isl_give isl_union_set *instances_of(const stage_node *node) {
  isl_union_set *all = all_of(node->domain);
  for (size_t i = 0; i < node->updates.len; i++)
    all = isl_union_set_union(all, all_of(node->updates.data[i].set));
  return all;
}

/* 1 for the common dimensions that a stage does not have, or may run over in any order. */
static const int64_t *members_coincidence(const aligner *a, const stage_node *node) {
  pm_arena *arena = pm_pass_arena(a->pass);
  int64_t *own = pm_arena_alloc(arena, (node->n_dims + 1) * sizeof *own);
  int64_t *common = pm_arena_alloc(arena, a->n_common * sizeof *common);
  stage_coincidence(node, own);
  for (unsigned j = 0; j < a->n_common; j++) common[j] = 1;
  for (unsigned k = 0; k < node->n_dims; k++) common[a->of[node->index].position[k]] = own[k];
  return common;
}

/* --- updates --- */

/* The points of the update: what of their dimensions may go in any order does not depend on where the last
 * member stands, in which points of one cell agree. */
static void add_points(const aligner *a, pm_builder *b, const stage_node *node, size_t number) {
  unsigned n = (unsigned)isl_set_dim(node->updates.data[number].set, isl_dim_set);
  if (n == 0) return;
  pm_arena *arena = pm_pass_arena(a->pass);
  unsigned *owner = pm_arena_alloc(arena, n * sizeof *owner);
  int64_t *of_dims = pm_arena_alloc(arena, n * sizeof *of_dims);
  int64_t *coincident = pm_arena_alloc(arena, n * sizeof *coincident);
  isl_multi_union_pw_aff *points = stage_update_point_loops(node, number, owner);
  stage_update_coincidence(node, number, of_dims);
  for (unsigned i = 0; i < n; i++) coincident[i] = of_dims[owner[i]];
  poly_add_band(b, points, (poly_band_info){.coincident = coincident});
}

static void add_loops(const aligner *a, pm_builder *at, const stage_node *node, size_t number) {
  const stage_update_info *update = &node->updates.data[number];
  pm_builder b = *at;
  int64_t *coincident = pm_arena_alloc(pm_pass_arena(a->pass), (node->n_dims + 1) * sizeof *coincident);
  isl_multi_union_pw_aff *cells = stage_update_loops(node, number);
  for (unsigned d = 0; d < node->n_dims; d++) coincident[d] = 1;
  if (cells) b = poly_add_band(&b, cells, (poly_band_info){.permutable = true, .coincident = coincident});
  add_points(a, &b, node, number);
  if (!cells)
    pm_pass_remark(a->pass, update->op->loc, PM_REMARK_MISSED, NULL, 0,
                   "the points of this update of @%pS keep their order: their targets are not affine, "
                   "or the update reads elements of other points",
                   (const void *)node->name);
}

static void add_update(const aligner *a, pm_builder *group, const stage_node *node, size_t number) {
  const stage_update_info *update = &node->updates.data[number];
  group->loc = update->op->loc;
  pm_builder b = poly_add_filter(group, all_of(update->set));
  add_loops(a, &b, node, number);
}

static void add_band(const aligner *a, pm_builder *b, const stage_node *node) {
  poly_band_info info = {.permutable = node->self_reads.len == 0, .coincident = members_coincidence(a, node)};
  poly_add_band(b, band_of(a, node), info);
}

static void add_stage(const aligner *a, pm_builder *sequence, const stage_node *node) {
  sequence->loc = node->op->loc;
  pm_builder group = poly_add_filter(sequence, instances_of(node));
  group = poly_add_mark(&group, POLY_MARK_group);
  group = poly_add_sequence(&group);
  pm_builder stage = poly_add_filter(&group, all_of(node->domain));
  add_band(a, &stage, node);
  for (size_t i = 0; i < node->updates.len; i++) add_update(a, &group, node, i);
}

/* Takes and gives the union. */
static isl_union_set *add_instances(isl_union_set *all, const stage_node *node) {
  all = isl_union_set_add_set(all, isl_set_copy(node->domain));
  for (size_t i = 0; i < node->updates.len; i++)
    all = isl_union_set_add_set(all, isl_set_copy(node->updates.data[i].set));
  return all;
}

/* --- a tree that is there --- */

/* Notes the stages of these instances as present; false after a diagnostic when one of them is unknown. */
static bool note_present(aligner *a, isl_union_set *instances, const pm_op *node) {
  poly_names names = {0};
  bool ok = true;
  poly_stage_names(a->graph->ctx, instances, &names);
  for (size_t i = 0; i < names.len && ok; i++) {
    size_t number;
    const stage_node *stage = stage_graph_find(a->graph, names.data[i]);
    const stage_node *updated = stage_graph_find_update(a->graph, names.data[i], &number);
    if (stage) a->is_present[stage->index] = true;
    ok = (stage && !stage->is_input) || updated ||
         pm_op_error(node, "has instances of @%pS, which is no stage of the pipeline",
                     (const void *)names.data[i]);
  }
  PM_VEC_FREE(names);
  return ok;
}

static bool note_brought(aligner *a, pm_op *schedule) {
  poly_ops extensions = {0};
  bool ok = true;
  poly_collect(schedule, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len && ok; i++) {
    isl_union_map *map = isl_peek_union_map(pm_attr_at(extensions.data[i], poly_extension_map));
    isl_union_set *brought = isl_union_map_range(isl_union_map_copy(map));
    ok = note_present(a, brought, extensions.data[i]);
    isl_union_set_free(brought);
  }
  PM_VEC_FREE(extensions);
  return ok;
}

/* Of the outermost sequence, or of the whole tree when that is no sequence. */
static bool find_present(aligner *a, pm_op *schedule) {
  pm_op *domain = poly_child(schedule), *child = poly_child(domain);
  isl_union_set *all = isl_peek_union_set(pm_attr_at(domain, poly_domain_instances));
  bool ok = note_brought(a, schedule);
  if (child && !pm_is(child, &poly_sequence)) return note_present(a, all, domain) && ok;
  if (child) {
    PM_FOR_OPS(filter, pm_region_at(child, 0))
    ok = ok && note_present(a, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), filter);
  }
  return ok;
}

/* The stage, or the update, that is all that an innermost filter outside of loops lets through. */
static const stage_node *only_owner(const aligner *a, pm_op *filter, pm_string *name) {
  poly_names names = {0};
  size_t number;
  for (const pm_op *op = pm_parent(filter); op && !pm_is(op, &poly_schedule); op = pm_parent(op))
    if (pm_is(op, &poly_band) || pm_is(op, &poly_extension)) return NULL;
  poly_stage_names(a->graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  *name = names.len == 1 ? names.data[0] : NULL;
  PM_VEC_FREE(names);
  const stage_node *node = *name ? stage_graph_find(a->graph, *name) : NULL;
  return node || !*name ? node : stage_graph_find_update(a->graph, *name, &number);
}

/* Gives the filter of a stage or update its loops; false when it has them, or is of several. */
static bool complete_filter(aligner *a, pm_op *filter) {
  pm_string name;
  size_t number;
  const stage_node *node = poly_child(filter) ? NULL : only_owner(a, filter, &name);
  if (!node) return false;
  pm_builder b = pm_builder_at_end(pm_module_of(filter), pm_region_at(filter, 0), filter->loc);
  if (node->name == name)
    add_band(a, &b, node);
  else if (stage_graph_find_update(a->graph, name, &number))
    add_loops(a, &b, node, number);
  return true;
}

static bool complete_filters(aligner *a, pm_op *schedule) {
  poly_ops filters = {0};
  bool changed = false;
  poly_collect(schedule, &poly_filter, &filters);
  for (size_t i = 0; i < filters.len; i++) changed |= complete_filter(a, filters.data[i]);
  PM_VEC_FREE(filters);
  return changed;
}

/* The outermost sequence, which is made around a tree that has none. */
static pm_op *need_sequence(pm_op *domain) {
  pm_op *child = poly_child(domain);
  if (child && pm_is(child, &poly_sequence)) return child;
  pm_builder b = pm_builder_at_end(pm_module_of(domain), pm_region_at(domain, 0), domain->loc);
  pm_builder inside = poly_add_sequence(&b);
  pm_op *sequence = pm_region_at(domain, 0)->last;
  if (!child) return sequence;
  isl_union_set *all = isl_union_set_copy(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)));
  inside = poly_add_filter(&inside, isl_union_set_universe(all));
  pm_move_before(child, inside.region, NULL);
  return sequence;
}

/* Stages that the tree lacks come last; sort_tree puts them where they belong. */
static bool add_missing(aligner *a, pm_op *domain) {
  isl_union_set *all = isl_union_set_copy(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)));
  bool changed = false;
  for (size_t i = 0; i < a->graph->nodes.len; i++) {
    const stage_node *node = a->graph->nodes.data[i];
    if (node->is_input || a->is_present[i]) continue;
    pm_op *sequence = need_sequence(domain);
    pm_builder b = pm_builder_at_end(pm_module_of(domain), pm_region_at(sequence, 0), node->op->loc);
    add_stage(a, &b, node);
    all = add_instances(all, node);
    changed = true;
  }
  if (changed)
    pm_set_attr(domain, poly_domain_instances, isl_attr_of_union_set(a->graph->ctx, all));
  else
    isl_union_set_free(all);
  return changed;
}

/* The children of the outermost sequence, producers first; false after a diagnostic: there is no such order.
 */
static bool sort_tree(const aligner *a, pm_op *schedule) {
  pm_op *sequence = poly_child(poly_child(schedule));
  pm_pass_drop_analysis(a->pass, &poly_alignment_analysis);
  const poly_units *units = POLY_UNITS(a->pass);
  for (size_t i = 0; units && i < units->list.len; i++)
    for (size_t k = 0; k < units->tops.len; k++)
      if (units->tops.data[k].unit == (int)i)
        pm_move_before(units->tops.data[k].filter, pm_region_at(sequence, 0), NULL);
  return units != NULL;
}

/* Adds what the tree lacks and keeps what it has. */
static pm_result complete_schedule(aligner *a, pm_op *schedule) {
  a->is_present = pm_arena_alloc(pm_pass_arena(a->pass), (a->graph->nodes.len + 1) * sizeof *a->is_present);
  if (!find_present(a, schedule)) return PM_FAILED;
  bool completed = complete_filters(a, schedule), added = add_missing(a, poly_child(schedule));
  if (added && !sort_tree(a, schedule)) return PM_FAILED;
  return completed || added ? PM_CHANGED : PM_UNCHANGED;
}

/* --- a new tree --- */

/* In the order of the reads, whichever the tree puts first: isl keeps the order. */
static isl_union_set *all_instances(const aligner *a) {
  isl_union_set *all = isl_union_set_empty(isl_set_get_space(a->graph->context));
  for (size_t i = 0; i < a->graph->nodes.len; i++)
    if (!a->graph->nodes.data[i]->is_input) all = add_instances(all, a->graph->nodes.data[i]);
  return all;
}

static void build_schedule(const aligner *a) {
  pm_op *pipeline = a->graph->pipeline;
  pm_builder b = pm_builder_at_end(pm_module_of(pipeline), pm_region_at(pipeline, 0), pipeline->loc);
  pm_builder inner = poly_add_schedule(&b);
  inner = poly_add_domain(&inner, all_instances(a));
  inner = poly_add_sequence(&inner);
  for (size_t i = 0; i < a->graph->nodes.len; i++)
    if (!a->graph->nodes.data[i]->is_input) add_stage(a, &inner, a->graph->nodes.data[i]);
}

/* --- demands --- */

/* Whether a node is of the demand, or its producers (readers) lead to one. */
static bool leads_to(const stage_node *node, const bool *found, bool back) {
  size_t n = back ? node->reads.len : node->readers.len;
  for (size_t i = 0; i < n; i++)
    if (found[back ? node->reads.data[i]->producer->index : node->readers.data[i]->consumer->index])
      return true;
  return false;
}

/* The stages that a demand is of, and those between them of which there is no demand, in the order of their
 * reads. */
static size_t demanded_nodes(const aligner *a, const pm_op *demand, const stage_node **out) {
  size_t n = 0, n_nodes = a->graph->nodes.len;
  bool *of = pm_arena_alloc(pm_pass_arena(a->pass), n_nodes + 1);
  bool *behind = pm_arena_alloc(pm_pass_arena(a->pass), n_nodes + 1),
       *before = pm_arena_alloc(pm_pass_arena(a->pass), n_nodes + 1);
  for (size_t i = 0; i < n_nodes; i++) {
    const stage_node *node = a->graph->nodes.data[i];
    of[i] = !node->is_input && poly_find_demand(a->graph->pipeline, node->name) == demand;
    behind[i] = of[i] || leads_to(node, behind, true);
  }
  for (size_t i = n_nodes; i > 0; i--)
    before[i - 1] = of[i - 1] || leads_to(a->graph->nodes.data[i - 1], before, false);
  for (size_t i = 0; i < n_nodes; i++) {
    const stage_node *node = a->graph->nodes.data[i];
    const pm_op *own = node->is_input ? NULL : poly_find_demand(a->graph->pipeline, node->name);
    bool free = !node->is_input && (!own || poly_demand_is_inline(own));
    if (a->is_taken[i] || !(of[i] || (free && behind[i] && before[i]))) continue;
    a->is_taken[i] = true;
    out[n++] = node;
  }
  return n;
}

/* The common dimension of the last dimension but `back` of a stage. */
static unsigned position_of(const aligner *a, const stage_node *node, size_t back) {
  return (unsigned)a->of[node->index].position[node->n_dims - 1 - back];
}

/* A size in points of the stage as one in the common space. */
static int64_t in_common_space(const aligner *a, const stage_node *node, size_t back, int64_t size) {
  int64_t scale = scale_of(a, node, node->n_dims - 1 - (unsigned)back);
  return size > INT32_MAX / (scale ? scale : 1) ? size : size * scale;
}

/* Sizes by common dimension; the first that has one, n_common: none. */
static unsigned place_tile(const aligner *a, const stage_node *node, pm_attr tile, int64_t *sizes) {
  unsigned first = a->n_common;
  size_t n = tile->len < node->n_dims ? tile->len : node->n_dims;
  for (size_t back = 0; back < n; back++) {
    int64_t size = tile->items[tile->len - 1 - back]->i;
    unsigned at = position_of(a, node, back);
    if (size <= 0) continue;
    sizes[at] = in_common_space(a, node, back, size);
    if (at < first) first = at;
  }
  return first;
}

/* Those of steps, by common dimension; steps of one point stay such, and those of a whole tile are none. The
 * number of dimensions that have some, from `first` on. */
static size_t place_steps(const aligner *a, const stage_node *node, const pm_op *demand, unsigned first,
                          const int64_t *sizes, int64_t *steps) {
  pm_attr inner = pm_attr_at(demand, poly_demand_inner);
  size_t n = 0, n_tile = pm_attr_at(demand, poly_demand_tile)->len;
  for (unsigned d = 0; d < a->n_common; d++) steps[d] = INT32_MAX;
  for (size_t i = 0; i < inner->len; i++) {
    size_t back = n_tile - 1 - i;
    unsigned at = back < node->n_dims ? position_of(a, node, back) : 0;
    int64_t size = inner->items[i]->i;
    if (back >= node->n_dims || at < first) continue;
    steps[at] = size > 1 ? in_common_space(a, node, back, size) : 1;
    if (steps[at] < INT32_MAX && (!sizes[at] || steps[at] < sizes[at]) && at + 1 - first > n)
      n = at + 1 - first;
  }
  return n;
}

static bool has_dimension(const aligner *a, const stage_node *const *nodes, size_t n, unsigned at) {
  for (size_t i = 0; i < n; i++)
    if (is_taken(&a->of[nodes[i]->index], nodes[i]->n_dims, (int)at)) return true;
  return false;
}

/* What no stage has is of size 1, also where the mark of a group would begin without a demand: at the two
 * innermost dimensions. The first dimension that has a size. */
static unsigned fill_tile(const aligner *a, const stage_node *const *nodes, size_t n, unsigned first,
                          int64_t *sizes) {
  while (first > 0 && first + 2 > a->n_common && !has_dimension(a, nodes, n, first - 1)) first--;
  for (unsigned d = first; d < a->n_common; d++)
    if (!has_dimension(a, nodes, n, d)) sizes[d] = 1;
  return first;
}

/* A group of items has all of the dimensions that the stage of the demand lacks. */
static void fill_blocks(const aligner *a, const stage_node *node, int64_t *sizes) {
  for (unsigned d = 0; d < a->n_common; d++)
    if (!is_taken(&a->of[node->index], node->n_dims, (int)d)) sizes[d] = POLY_UNTILED;
}

/* Sizes that are not said are not decided; a stage that is computed whole has none. */
static pm_builder add_demanded_mark(const aligner *a, pm_builder *b, const pm_op *demand,
                                    const stage_node *const *nodes, size_t n_nodes) {
  const stage_node *last = nodes[n_nodes - 1];
  pm_arena *arena = pm_pass_arena(a->pass);
  pm_attr tile = pm_attr_at(demand, poly_demand_tile), inner = pm_attr_at(demand, poly_demand_inner);
  const stage_node *node = stage_graph_find(a->graph, pm_attr_at(demand, poly_demand_stages)->items[0]->s);
  int64_t *sizes = pm_arena_alloc(arena, (a->n_common + 1) * sizeof *sizes);
  int64_t *steps = pm_arena_alloc(arena, (a->n_common + 1) * sizeof *steps);
  bool whole = n_nodes == 1 && (last->updates.len > 0 || last->self_reads.len > 0), decided = true;
  pm_attr items = pm_attr_at(demand, poly_demand_items);
  unsigned first = tile ? place_tile(a, node, tile, sizes) : a->n_common;
  if (items) first = 0;
  if (whole) return poly_add_tiled_group(b, sizes, 0, NULL, 0);
  if (first == a->n_common) first = a->n_common - last->n_dims;
  if (items) fill_blocks(a, node, sizes);
  first = fill_tile(a, nodes, n_nodes, first, sizes);
  for (unsigned d = first; d < a->n_common; d++) decided = decided && sizes[d] > 0;
  pm_builder group = poly_add_tiled_group(b, sizes + first, a->n_common - first, NULL, 0);
  size_t n_steps = inner ? place_steps(a, node, demand, first, sizes, steps) : 0;
  /* one step is what a group has that says nothing of steps */
  if (inner && (n_steps > 0 || !decided))
    pm_set_attr(group.region->op, poly_mark_inner, pm_get_index_array(a->graph->ctx, steps + first, n_steps));
  if (items) poly_set_worker(group.region->op, "group");
  if (items && items->len) pm_set_attr(group.region->op, poly_mark_items, items);
  return group;
}

/* One group for the demand; `all` (taken) with its instances. */
static isl_union_set *add_demanded(const aligner *a, pm_builder *sequence, const pm_op *demand,
                                   isl_union_set *all) {
  const stage_node **nodes =
      pm_arena_alloc(pm_pass_arena(a->pass), (a->graph->nodes.len + 1) * sizeof *nodes);
  size_t n = demanded_nodes(a, demand, nodes);
  isl_union_set *own = isl_union_set_empty(isl_set_get_space(a->graph->context));
  for (size_t i = 0; i < n; i++) {
    own = isl_union_set_union(own, all_of(nodes[i]->domain));
    for (size_t k = 0; k < nodes[i]->updates.len; k++)
      own = isl_union_set_union(own, all_of(nodes[i]->updates.data[k].set));
    all = add_instances(all, nodes[i]);
  }
  sequence->loc = demand->loc;
  pm_builder filter = poly_add_filter(sequence, own);
  pm_builder group = add_demanded_mark(a, &filter, demand, nodes, n);
  group = poly_add_sequence(&group);
  for (size_t i = 0; i < n; i++) {
    group.loc = nodes[i]->op->loc;
    pm_builder stage = poly_add_filter(&group, all_of(nodes[i]->domain));
    add_band(a, &stage, nodes[i]);
    for (size_t k = 0; k < nodes[i]->updates.len; k++) add_update(a, &group, nodes[i], k);
  }
  return all;
}

static void remark_not_inlined(const aligner *a, const pm_op *demand) {
  pm_attr stages = pm_attr_at(demand, poly_demand_stages);
  for (size_t i = 0; i < stages->len; i++)
    pm_pass_remark(a->pass, demand->loc, PM_REMARK_MISSED, NULL, 0,
                   "@%pS should be inlined, but its reads cannot be replaced, or inline-stages has not run",
                   (const void *)stages->items[i]->s);
}

/* A reader of the stage that is to compute it again, but cannot; NULL: there is none. */
static const stage_node *unable_reader(const aligner *a, const pm_op *demand, const stage_node *node) {
  const pm_op *own = poly_find_demand(a->graph->pipeline, node->name);
  for (size_t i = 0; i < node->readers.len; i++) {
    const stage_node *reader = node->readers.data[i]->consumer;
    if (!poly_demand_has_reader(demand, reader->name)) continue;
    if (own && poly_find_demand(a->graph->pipeline, reader->name) == own) continue;
    if (!stage_points_made_again(node, reader)) return reader;
  }
  return NULL;
}

/* A stage that a reader in another group cannot compute again has to be stored, which a group that reads it
 * at a distance does not do: the group is left to the pass group. */
static void check_again(const aligner *a, pm_op *demand) {
  pm_string name = pm_attr_at(demand, poly_demand_stages)->items[0]->s;
  const stage_node *node = stage_graph_find(a->graph, name), *reader = unable_reader(a, demand, node);
  pm_op *own = poly_find_demand(a->graph->pipeline, name);
  if (!reader) return;
  pm_pass_remark(a->pass, demand->loc, PM_REMARK_MISSED, NULL, 0,
                 "@%pS cannot recompute @%pS, since it reads several cases at a time: the demand for "
                 "the group of @%pS is ignored",
                 (const void *)reader->name, (const void *)name, (const void *)name);
  if (own) pm_op_erase(own);
  pm_op_erase(demand);
}

/* Those that stages are computed again stay, for the pass group. */
static void check_all_again(const aligner *a) {
  pm_op *next = NULL;
  for (pm_op *op = pm_region_at(a->graph->pipeline, 0)->first; op; op = next) {
    next = op->next;
    if (poly_demand_is_again(op)) check_again(a, op);
  }
}

/* The groups of the demands, which then go; NULL: there are none. */
static pm_op *build_demanded(aligner *a) {
  poly_ops demands = {0};
  pm_op *pipeline = a->graph->pipeline;
  check_all_again(a);
  PM_FOR_OPS(op, pm_region_at(pipeline, 0)) {
    if (poly_demand_is_inline(op)) remark_not_inlined(a, op);
    if (pm_is(op, &poly_demand) && !poly_demand_is_again(op)) PM_VEC_PUSH(demands, op);
  }
  pm_builder b = pm_builder_at_end(pm_module_of(pipeline), pm_region_at(pipeline, 0), pipeline->loc);
  pm_op *schedule = NULL;
  a->is_taken = pm_arena_alloc(pm_pass_arena(a->pass), a->graph->nodes.len + 1);
  if (demands.len > 0) {
    isl_union_set *all = isl_union_set_empty(isl_set_get_space(a->graph->context));
    pm_builder inner = poly_add_schedule(&b);
    schedule = pm_region_at(pipeline, 0)->last;
    pm_builder domain = poly_add_domain(&inner, isl_union_set_copy(all));
    pm_op *root = domain.region->op;
    pm_builder sequence = poly_add_sequence(&domain);
    for (size_t i = 0; i < demands.len; i++)
      if (!poly_demand_is_inline(demands.data[i])) all = add_demanded(a, &sequence, demands.data[i], all);
    pm_set_attr(root, poly_domain_instances, isl_attr_of_union_set(a->graph->ctx, all));
  }
  for (size_t i = 0; i < demands.len; i++) pm_op_erase(demands.data[i]);
  PM_VEC_FREE(demands);
  return schedule;
}

/* Adds the stages of which there is no demand. False after a diagnostic. */
static bool complete_demanded(aligner *a, pm_op *schedule) {
  if (complete_schedule(a, schedule) == PM_FAILED) return false;
  pm_set_attr(poly_child(schedule), poly_domain_instances,
              isl_attr_of_union_set(a->graph->ctx, all_instances(a)));
  return true;
}

static bool has_stages(const stage_graph *graph) {
  for (size_t i = 0; i < graph->nodes.len; i++)
    if (!graph->nodes.data[i]->is_input) return true;
  return false;
}

pm_result pass_align_scale(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *old = poly_find_schedule(pm_pass_root(pass));
  if (!has_stages(graph)) {
    pm_op_error(graph->pipeline, "has no stage, but a schedule should have one at least");
    return PM_FAILED;
  }
  aligner a;
  init_aligner(&a, pass, graph);
  place_all(&a);
  pm_op *demanded = old ? NULL : build_demanded(&a);
  pm_result result = old ? complete_schedule(&a, old) : PM_CHANGED;
  if (demanded && !complete_demanded(&a, demanded)) result = PM_FAILED;
  if (!old && !demanded) build_schedule(&a);
  PM_VEC_FREE(a.families);
  return result;
}
