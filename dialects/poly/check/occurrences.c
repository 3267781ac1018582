#include "dialects/poly/check/occurrences.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/tiling/folding.h"
#include "dialects/poly/tree.h"

#include <string.h>

struct poly_iterations {
  const poly_iterations *outer;
  isl_set *set;
};

typedef struct walk {
  poly_occurrences *found;
  pm_map *in_scope; /* pm_string of a stage -> poly_memory */
  size_t n_nodes;   /* with allocations, entered so far */
  poly_marks marks;
  bool ok;
} walk;

/* --- instances that reach a node of the tree --- */

typedef struct reached {
  const stage_node *node;
  const stage_update_info *update;   /* NULL: the stage itself */
  isl_map *brought;                  /* iterations of the loops around what brought it -> instances */
  const poly_iterations *restricted; /* those of these iterations that there are; NULL: all */
  const poly_stage_band *bands;      /* since it was brought */
  bool in_domain;                    /* of the stage, known when it is brought */
} reached;

typedef struct position {
  PM_VEC(reached) stages;
  const poly_place *place;
  unsigned depth;
  const poly_loop_kind *loops;
  const poly_iterations *within; /* of all extensions around: those of every stage here are among them */
  poly_loop_kind next;           /* of the next band, set by a mark */
} position;

static void free_position(position *at) {
  for (size_t i = 0; i < at->stages.len; i++) isl_map_free(at->stages.data[i].brought);
  PM_VEC_FREE(at->stages);
}

/* The same place with no stages. */
static position empty_like(const position *at) {
  position copy = *at;
  memset(&copy.stages, 0, sizeof(copy.stages));
  return copy;
}

static position copy_position(const position *at) {
  position copy = empty_like(at);
  for (size_t i = 0; i < at->stages.len; i++) {
    reached r = at->stages.data[i];
    r.brought = isl_map_copy(r.brought);
    PM_VEC_PUSH(copy.stages, r);
  }
  return copy;
}

/* What stands for a stage or an update in tables. */
static const void *key_of(const reached *r) {
  return r->update ? (const void *)r->update : (const void *)r->node;
}

/* The stage or update that a tuple of the tree names; its node is NULL after a diagnostic. Takes `space`,
 * that of a set. */
static reached reached_of_tuple(walk *w, const pm_op *op, __isl_take isl_space *space) {
  reached r = {0};
  r.node = poly_check_instances(w->found->graph, op, space, &r.update);
  if (!r.node) w->ok = false;
  return r;
}

static void visit(walk *w, pm_op *node, position *at);

/* --- memories in scope --- */

typedef struct shadowed {
  pm_string stage;
  poly_memory *before;
} shadowed;
typedef PM_VEC(shadowed) shadowed_list;

static void enter_allocs(walk *w, const pm_op *node, const poly_place *outside, unsigned depth,
                         shadowed_list *list) {
  w->n_nodes++;
  PM_FOR_OPS(op, pm_region_at(node, 0)) {
    if (!pm_is(op, &poly_alloc)) continue;
    pm_string stage = pm_sym_at(op, poly_alloc_stage);
    if (!poly_check_alloc(w->found->graph, op, depth)) {
      w->ok = false;
      continue;
    }
    poly_memory *m = pm_arena_alloc(w->found->arena, sizeof *m);
    *m = (poly_memory){.alloc = op,
                       .number = w->found->memories.len,
                       .node = w->n_nodes,
                       .depth = depth,
                       .whole = !poly_alloc_has_box(op),
                       .folded = poly_alloc_is_folded(op),
                       .outside = outside};
    PM_VEC_PUSH(w->found->memories, m);
    PM_VEC_PUSH(*list, ((shadowed){stage, pm_map_get(w->in_scope, stage)}));
    pm_map_set(w->in_scope, stage, m);
  }
}

static void leave_allocs(walk *w, shadowed_list *list) {
  while (list->len > 0) {
    shadowed s = PM_VEC_POP(*list);
    pm_map_set(w->in_scope, s.stage, s.before);
  }
  PM_VEC_FREE(*list);
}

/* --- the walk --- */

static void add_occurrence(walk *w, const position *at, const reached *r) {
  poly_occurrence *o = pm_arena_alloc(w->found->arena, sizeof *o);
  const poly_memory **reads = pm_arena_alloc(w->found->arena, (r->node->reads.len + 1) * sizeof *reads);
  for (size_t i = 0; i < r->node->reads.len; i++)
    reads[i] = pm_map_get(w->in_scope, r->node->reads.data[i]->producer->name);
  *o = (poly_occurrence){.node = r->node,
                         .update = r->update,
                         .depth = at->depth,
                         .brought = isl_map_copy(r->brought),
                         .restricted = r->restricted,
                         .within = at->within,
                         .executed = pm_arena_alloc(w->found->arena, (at->depth + 1) * sizeof *o->executed),
                         .in_domain = r->in_domain,
                         .loops = at->loops,
                         .bands = r->bands,
                         .place = at->place,
                         .writes = pm_map_get(w->in_scope, r->node->name),
                         .reads = reads};
  PM_VEC_PUSH(w->found->all, o);
  if (r->update)
    PM_VEC_PUSH(w->found->updates[r->node->index], o);
  else
    PM_VEC_PUSH(w->found->stages[r->node->index], o);
}

static void free_occurrence(const poly_occurrence *o) {
  for (unsigned n = 0; n <= o->depth; n++) isl_map_free(o->executed[n]);
  isl_map_free(o->brought);
}

/* What is inside a node: its allocations, then its child, or the end. */
static void visit_inside(walk *w, const pm_op *node, position *at) {
  shadowed_list list = {0};
  enter_allocs(w, node, at->place, at->depth, &list);
  pm_op *child = poly_child(node);
  if (child) visit(w, child, at);
  for (size_t i = 0; !child && i < at->stages.len; i++) add_occurrence(w, at, &at->stages.data[i]);
  leave_allocs(w, &list);
}

/* The instances in terms of the first n loops: those brought, { [t] -> S[x] }, and the members { S[x] -> [m]
 * } of each band that was passed since give { [t, m] -> S[x] }. Takes the map. */
static __isl_give isl_map *add_loops(__isl_take isl_map *brought, const poly_stage_band *inner, unsigned n) {
  while (inner && inner->depth >= n) inner = inner->outer;
  isl_map *map = inner ? add_loops(brought, inner->outer, inner->depth) : brought;
  if (inner) map = isl_map_flat_domain_product(map, isl_map_reverse(isl_map_copy(inner->members)));
  return isl_map_project_out(map, isl_dim_in, n, (unsigned)isl_map_dim(map, isl_dim_in) - n);
}

static __isl_give isl_map *in_loops(isl_map *brought, const poly_iterations *restricted,
                                    const poly_stage_band *inner, unsigned n) {
  isl_map *map = isl_map_copy(brought);
  if (restricted) map = isl_map_intersect_domain(map, isl_set_copy(restricted->set));
  return add_loops(map, inner, n);
}

/* A band loses the instances on which it is not defined. */
static void add_band(walk *w, reached *r, const pm_op *band, unsigned depth, isl_union_map *schedule) {
  isl_space *space = isl_space_from_domain(isl_space_range(isl_map_get_space(r->brought)));
  space = isl_space_align_params(space, isl_union_map_get_space(schedule));
  space = isl_space_add_dims(space, isl_dim_out, poly_band_members(band));
  isl_map *members = isl_union_map_extract_map(schedule, space);
  isl_set *defined = isl_map_domain(isl_map_copy(members));
  if (isl_set_plain_is_universe(defined) == isl_bool_true)
    isl_set_free(defined);
  else
    r->brought = isl_map_intersect_range(r->brought, defined);
  poly_stage_band *inner = pm_arena_alloc(w->found->arena, sizeof *inner);
  *inner = (poly_stage_band){r->bands, band, depth, members};
  PM_VEC_PUSH(w->found->members, members);
  r->bands = inner;
}

static bool is_coincident(const pm_op *band, unsigned member) {
  pm_attr list = pm_attr_at(band, poly_band_coincident);
  return list && member < list->len && list->items[member]->i;
}

static const poly_loop_kind *more_loops(walk *w, const position *at, const pm_op *band) {
  unsigned n = poly_band_members(band);
  poly_loop_kind *loops = pm_arena_alloc(w->found->arena, (at->depth + n + 1) * sizeof *loops);
  for (unsigned i = 0; i < at->depth; i++) loops[i] = at->loops[i];
  for (unsigned i = 0; i < n; i++) {
    bool may_be = w->marks == POLY_COINCIDENT && at->next == POLY_LOOP_SERIAL && is_coincident(band, i);
    loops[at->depth + i] = may_be ? POLY_LOOP_PARALLEL : at->next;
  }
  return loops;
}

static void visit_band(walk *w, pm_op *band, const position *at) {
  unsigned n = poly_band_members(band);
  isl_multi_union_pw_aff *mupa = isl_peek_mupa(pm_attr_at(band, poly_band_schedule));
  isl_union_map *schedule = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(mupa));
  position inner = copy_position(at);
  for (size_t i = 0; i < inner.stages.len; i++) add_band(w, &inner.stages.data[i], band, at->depth, schedule);
  isl_union_map_free(schedule);
  inner.loops = more_loops(w, at, band);
  inner.depth = at->depth + n;
  inner.next = POLY_LOOP_SERIAL;
  visit_inside(w, band, &inner);
  free_position(&inner);
}

typedef struct filtering {
  walk *w;
  const pm_op *filter;
  const position *from;
  pm_map *index; /* key -> reached of `from` */
  position *to;
} filtering;

static isl_stat add_filtered(__isl_take isl_set *set, void *user) {
  filtering *f = user;
  reached named = reached_of_tuple(f->w, f->filter, isl_set_get_space(set));
  const reached *r = named.node ? pm_map_get(f->index, key_of(&named)) : NULL;
  if (!r) {
    isl_set_free(set);
    return isl_stat_ok;
  }
  reached passing = *r;
  passing.brought = isl_map_copy(r->brought);
  if (isl_set_plain_is_universe(set) == isl_bool_true)
    isl_set_free(set);
  else
    passing.brought = isl_map_intersect_range(passing.brought, set);
  PM_VEC_PUSH(f->to->stages, passing);
  return isl_stat_ok;
}

static pm_map *index_stages(const position *at) {
  pm_map *index = pm_map_new();
  for (size_t i = 0; i < at->stages.len; i++)
    pm_map_set(index, key_of(&at->stages.data[i]), &at->stages.data[i]);
  return index;
}

/* The filter as child number `where->position` of its sequence, or anywhere else with `where` NULL. */
static void visit_filter(walk *w, pm_op *filter, const position *at, pm_map *index, const poly_place *where) {
  position inner = empty_like(at);
  filtering f = {w, filter, at, index, &inner};
  isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), add_filtered, &f);
  if (where) inner.place = where;
  visit_inside(w, filter, &inner);
  free_position(&inner);
}

static void visit_sequence(walk *w, pm_op *sequence, const position *at) {
  pm_map *index = index_stages(at);
  unsigned n = 0;
  PM_FOR_OPS(filter, pm_region_at(sequence, 0)) {
    poly_place *where = pm_arena_alloc(w->found->arena, sizeof *where);
    *where = (poly_place){at->place, sequence, n++, at->place ? at->place->level + 1 : 0, at->depth};
    visit_filter(w, filter, at, index, where);
  }
  pm_map_free(index);
}

/* Instances that a domain or an extension brings. */
typedef struct extending {
  walk *w;
  const pm_op *op;
  position *to;
  const poly_iterations *iterations; /* of the loops around an extension */
} extending;

/* Takes what is brought, which may be more instances of a stage that is there already. */
static void add_reached(position *at, reached what) {
  for (size_t i = 0; i < at->stages.len; i++) {
    reached *r = &at->stages.data[i];
    if (key_of(r) != key_of(&what)) continue;
    isl_map *all = in_loops(r->brought, r->restricted, r->bands, at->depth);
    isl_map *more = in_loops(what.brought, what.restricted, NULL, at->depth);
    isl_map_free(r->brought);
    isl_map_free(what.brought);
    *r = (reached){.node = r->node,
                   .update = r->update,
                   .brought = isl_map_union(all, more),
                   .in_domain = r->in_domain && what.in_domain};
    return;
  }
  PM_VEC_PUSH(at->stages, what);
}

/* Those of the loops around an extension. */
static const poly_iterations *iterations_of(walk *w, const position *at) {
  isl_space *space = isl_space_set_from_params(isl_set_get_space(w->found->graph->context));
  isl_set *all = isl_set_empty(isl_space_add_dims(space, isl_dim_set, at->depth));
  for (size_t i = 0; i < at->stages.len; i++) {
    const reached *r = &at->stages.data[i];
    all = isl_set_union(all, isl_map_domain(in_loops(r->brought, r->restricted, r->bands, at->depth)));
  }
  poly_iterations *found = pm_arena_alloc(w->found->arena, sizeof *found);
  *found = (poly_iterations){at->within, isl_set_coalesce(all)};
  PM_VEC_PUSH(w->found->iterations, found->set);
  return found;
}

/* All instances are points of the stage's domain. */
static bool brings_domain(const reached *r, isl_map *brought) {
  if (r->update) return false;
  isl_set *loops = isl_set_universe(isl_space_domain(isl_map_get_space(brought)));
  isl_map *all = isl_map_from_domain_and_range(loops, isl_set_copy(r->node->domain));
  return isl_take_is_subset(isl_map_copy(brought), all);
}

static isl_stat add_extended(__isl_take isl_map *map, void *user) {
  extending *e = user;
  reached what = reached_of_tuple(e->w, e->op, isl_space_range(isl_map_get_space(map)));
  if (what.node && (unsigned)isl_map_dim(map, isl_dim_in) != e->to->depth) {
    e->w->ok = pm_op_error(e->op, "extends by @%s for %u loops, but there are %u around it",
                           what.node->name->text, (unsigned)isl_map_dim(map, isl_dim_in), e->to->depth);
    what.node = NULL;
  }
  if (!what.node) {
    isl_map_free(map);
    return isl_stat_ok;
  }
  what.in_domain = brings_domain(&what, map);
  what.brought = map;
  what.restricted = e->iterations;
  add_reached(e->to, what);
  return isl_stat_ok;
}

static void visit_extension(walk *w, pm_op *op, const position *at) {
  position inner = copy_position(at);
  inner.within = iterations_of(w, at);
  extending e = {w, op, &inner, inner.within};
  isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_extension_map)), add_extended, &e);
  visit_inside(w, op, &inner);
  free_position(&inner);
}

static void visit_mark(walk *w, pm_op *op, position *at) {
  poly_loop_kind before = at->next;
  if (poly_is_mark(op, "vector")) at->next = POLY_LOOP_VECTOR;
  if (poly_is_mark(op, "parallel")) at->next = POLY_LOOP_PARALLEL;
  visit_inside(w, op, at);
  at->next = before;
}

static void visit_lone_filter(walk *w, pm_op *op, const position *at) {
  pm_map *index = index_stages(at);
  visit_filter(w, op, at, index, NULL);
  pm_map_free(index);
}

/* Adds what is below `node` to the occurrences. */
static void visit(walk *w, pm_op *node, position *at) {
  if (pm_is(node, &poly_band))
    visit_band(w, node, at);
  else if (pm_is(node, &poly_mark))
    visit_mark(w, node, at);
  else if (pm_is(node, &poly_extension))
    visit_extension(w, node, at);
  else if (pm_is(node, &poly_filter))
    visit_lone_filter(w, node, at);
  else
    visit_sequence(w, node, at);
}

static isl_stat add_from_domain(__isl_take isl_set *set, void *user) {
  extending *e = user;
  reached what = reached_of_tuple(e->w, e->op, isl_set_get_space(set));
  if (!what.node) {
    isl_set_free(set);
    return isl_stat_ok;
  }
  set = isl_set_intersect_params(set, isl_set_copy(e->w->found->graph->context));
  what.brought = isl_map_from_range(set);
  what.in_domain = brings_domain(&what, what.brought);
  PM_VEC_PUSH(e->to->stages, what);
  return isl_stat_ok;
}

static void visit_domain(walk *w, pm_op *domain) {
  position at = {.next = POLY_LOOP_SERIAL};
  extending e = {w, domain, &at, NULL};
  isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)), add_from_domain,
                            &e);
  visit_inside(w, domain, &at);
  free_position(&at);
}

bool poly_find_occurrences(pm_arena *arena, const stage_graph *graph, pm_op *schedule, poly_marks marks,
                           poly_occurrences *out) {
  *out = (poly_occurrences){.graph = graph, .arena = arena};
  out->stages = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *out->stages);
  out->updates = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *out->updates);
  walk w = {.found = out, .in_scope = pm_map_new(), .marks = marks, .ok = true};
  visit_domain(&w, poly_child(schedule));
  pm_map_free(w.in_scope);
  return w.ok;
}

void poly_free_occurrences(poly_occurrences *all) {
  for (size_t i = 0; i < all->all.len; i++) free_occurrence(all->all.data[i]);
  for (size_t i = 0; i < all->graph->nodes.len; i++) {
    PM_VEC_FREE(all->stages[i]);
    PM_VEC_FREE(all->updates[i]);
  }
  for (size_t i = 0; i < all->members.len; i++) isl_map_free(all->members.data[i]);
  for (size_t i = 0; i < all->iterations.len; i++) isl_set_free(all->iterations.data[i]);
  PM_VEC_FREE(all->iterations);
  PM_VEC_FREE(all->members);
  PM_VEC_FREE(all->memories);
  PM_VEC_FREE(all->all);
}

/* --- of an occurrence --- */

const char *poly_occurrence_name(const poly_occurrence *o) {
  return o->update ? o->update->name->text : o->node->name->text;
}

unsigned poly_occurrence_dims(const poly_occurrence *o) {
  return o->update ? (unsigned)isl_set_dim(o->update->set, isl_dim_set) : o->node->n_dims;
}

bool poly_makes(const poly_occurrence *o, const stage_access *access) {
  if (access->update_index < 0) return !o->update;
  return o->update == &o->node->updates.data[access->update_index];
}

__isl_give isl_map *poly_executed_in(const poly_occurrence *o, unsigned n) {
  if (!o->executed[n]) o->executed[n] = in_loops(o->brought, o->restricted, o->bands, n);
  return isl_map_copy(o->executed[n]);
}

__isl_give isl_map *poly_executed(const poly_occurrence *o) {
  return poly_executed_in(o, o->depth);
}

__isl_give isl_map *poly_roughly_executed_in(const poly_occurrence *o, unsigned n,
                                             const poly_occurrence *other) {
  const poly_iterations *known = other->within;
  while (known && known != o->restricted) known = known->outer;
  bool enough = known && (unsigned)isl_map_dim(o->brought, isl_dim_in) == n;
  return enough ? isl_map_copy(o->brought) : poly_executed_in(o, n);
}

__isl_give isl_map *poly_points_read(const poly_occurrence *o, const stage_access *access) {
  return isl_map_apply_range(poly_executed(o), isl_map_copy(access->relation));
}

__isl_give isl_map *poly_first_loops(const poly_occurrence *o, unsigned n) {
  isl_map *map = isl_map_universe(isl_space_alloc(isl_map_get_ctx(o->brought), 0, o->depth, n));
  for (unsigned i = 0; i < n; i++) map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
  return map;
}

const poly_stage_band *poly_serial_band_at(const poly_occurrence *o, unsigned depth) {
  const poly_stage_band *s = o->bands;
  while (s && s->depth > depth) s = s->outer;
  return s && s->depth == depth && o->loops[depth] == POLY_LOOP_SERIAL ? s : NULL;
}

const poly_stage_band *poly_band_over(const poly_occurrence *o, unsigned loop) {
  const poly_stage_band *s = o->bands;
  while (s && s->depth > loop) s = s->outer;
  return s && loop < s->depth + poly_band_members(s->band) ? s : NULL;
}

/* --- of memories --- */

unsigned poly_private_depth(const poly_memory *m) {
  return m ? m->depth : 0;
}

bool poly_may_share(const poly_memory *a, const poly_memory *b) {
  return a == b || (a && b && a->whole && b->whole);
}

/* --- order --- */

poly_meeting poly_meeting_of(const poly_occurrence *first, const poly_occurrence *then) {
  const poly_place *a = first->place, *b = then->place;
  if (a == b) return (poly_meeting){first->depth, false};
  while (a && b && a->level > b->level) a = a->parent;
  while (a && b && b->level > a->level) b = b->parent;
  while (a && b && a->parent != b->parent) {
    a = a->parent;
    b = b->parent;
  }
  if (!a || !b || a->sequence != b->sequence) return (poly_meeting){0, false};
  return (poly_meeting){a->depth, pm_is(a->sequence, &poly_sequence) && a->position < b->position};
}

bool poly_is_all_before(const poly_occurrence *first, const poly_occurrence *then) {
  poly_meeting at = poly_meeting_of(first, then);
  return at.before && at.depth == 0;
}

__isl_give isl_map *poly_not_before(const poly_occurrence *a, const poly_occurrence *b, unsigned from) {
  poly_meeting at = poly_meeting_of(a, b);
  isl_map *same = isl_map_universe(isl_space_alloc(isl_map_get_ctx(a->brought), 0, a->depth, b->depth));
  isl_map *found = isl_map_empty(isl_map_get_space(same));
  for (unsigned k = 0; k < at.depth; k++) {
    int loop = (int)k;
    if (k >= from) {
      found = isl_map_union(found, isl_map_order_gt(isl_map_copy(same), isl_dim_in, loop, isl_dim_out, loop));
      if (a->loops[k] != POLY_LOOP_SERIAL)
        found =
            isl_map_union(found, isl_map_order_lt(isl_map_copy(same), isl_dim_in, loop, isl_dim_out, loop));
    }
    same = isl_map_equate(same, isl_dim_in, loop, isl_dim_out, loop);
  }
  if (!at.before) return isl_map_union(found, same);
  isl_map_free(same);
  return found;
}

/* A relation from n loops as one from `all` loops, the inner ones being free. */
static __isl_give isl_map *with_free_loops(__isl_take isl_map *map, unsigned n, unsigned all) {
  return isl_map_insert_dims(map, isl_dim_in, n, all - n);
}

/* { [t'] -> [t] : t' and t agree but for the last of n, where t' is earlier } */
static __isl_give isl_map *earlier_in_last(isl_ctx *isl, unsigned n) {
  isl_map *map = isl_map_universe(isl_space_alloc(isl, 0, n, n));
  for (unsigned i = 0; i + 1 < n; i++) map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
  return isl_map_order_lt(map, isl_dim_in, (int)n - 1, isl_dim_out, (int)n - 1);
}

__isl_give isl_map *poly_subtract_earlier(__isl_take isl_map *missing, const poly_occurrence *first,
                                          const poly_occurrence *then, const poly_memory *m) {
  poly_meeting at = poly_meeting_of(first, then);
  unsigned from = poly_private_depth(m);
  if (at.before && from <= at.depth) {
    isl_map *done = with_free_loops(poly_executed_in(first, at.depth), at.depth, then->depth);
    missing = linear_subtract(missing, done);
  }
  for (unsigned i = from; i < at.depth; i++) {
    if (then->loops[i] != POLY_LOOP_SERIAL || linear_map_is_empty(missing)) continue;
    isl_map *done = poly_executed_in(first, i + 1);
    done = isl_map_apply_domain(done, earlier_in_last(isl_map_get_ctx(done), i + 1));
    missing = linear_subtract(missing, with_free_loops(done, i + 1, then->depth));
  }
  return missing;
}
