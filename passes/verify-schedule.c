/* verify-schedule: the schedule computes what the pipeline means, for all parameter values of the context.
 *
 *   poly.mark "parallel" { poly.band "[{ by[x] -> [(floor((x)/32))] }]" { poly.alloc @bx … size [34]
 *     poly.extension "{ [t] -> bx[x] : 32t <= x < 32t + 32 }" { … by[x] reads bx[x - 1] … } } }
 *   error: 'stage.read' of @bx: by[32] reads bx[31] for R = 33, but it is not computed before in that memory
 *
 * Proven with isl on the instances themselves, from the tree alone: (a) every point of an output is computed;
 * (b) each read comes after a write of the same point to the same memory; (c) no loop marked parallel or
 * vector carries a dependence, private memory aside, and no cell that points share, since a dimension is
 * folded, is overwritten between the write of one and its last read; of allocations that share memory, all
 * uses of one come before the next one; (d) every access is inside its allocation. (b) makes (a) hold for all
 * other stages. Of a stage with updates, the value before them is one write and each point of an update that
 * may reach the cell another: in the memory that is read, all of them come before the read, each once and in
 * their order.
 *
 * (c) of folded memories is decided first by the steps of the one serial loop right inside of the allocation:
 * the points that are at least a turn of the ring away are not written between the step of a point and that
 * of its reads. Only where this does not hold, the whole order is looked at. */
#include "dialects/isl/linear.h"
#include "dialects/isl/witness.h"
#include "dialects/poly/between.h"
#include "dialects/poly/check.h"
#include "dialects/poly/folding.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/graph.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <stdlib.h>
#include <string.h>

typedef enum loop_kind { LOOP_SERIAL, LOOP_VECTOR, LOOP_PARALLEL } loop_kind;

/* A poly.alloc: one memory for each iteration of the first `depth` loops around it. A whole array, which has
 * no box, is one memory for all of them; what an iteration writes is not relied on in others all the same. */
typedef struct memory {
  pm_op *alloc;
  unsigned depth;
  bool whole, folded;
  const struct place *outside; /* where the allocation is */
  struct lifetime *alive;      /* NULL: it shares nothing */
} memory;

/* The way from the root through sequences and sets. */
typedef struct place {
  const struct place *parent;
  const pm_op *sequence;
  unsigned position, level;
  unsigned depth; /* loops outside the sequence */
} place;

/* Children of the sequence below an allocation, the first and last that use it, and what does so. */
typedef struct lifetime {
  const memory *memory;
  size_t node;         /* where the allocation stands: in the order of the tree */
  int64_t first, last; /* INT64_MIN and INT64_MAX: no sequence orders the uses */
  const struct occurrence *opens, *closes;
} lifetime;

/* A band on one stage, inside of others: the stage's instances -> the members, loops from `depth` on. */
typedef struct steps {
  const struct steps *outer;
  const pm_op *band;
  unsigned depth;
  isl_map *members;
} steps;

/* Iterations of the loops around an extension, those that some instance reaches. */
typedef struct iterations {
  const struct iterations *outer;
  isl_set *set;
} iterations;

/* A stage or one of its updates at a leaf of the tree. */
typedef struct occurrence {
  const stage_node *node;
  const stage_update_info *update; /* NULL: the stage itself */
  unsigned depth;
  isl_map *brought; /* here and in the next three: see reached */
  const iterations *restricted;
  const steps *steps;
  bool in_domain;
  const iterations *within; /* see position */
  isl_map **executed;       /* by number of loops, see executed_in */
  const loop_kind *loops;   /* `depth` of them */
  const place *place;
  const memory *writes;       /* NULL: none in scope */
  const memory *const *reads; /* by number of the stage's read */
} occurrence;
typedef PM_VEC(occurrence *) occurrences;

typedef struct checker {
  pm_pass *pass;
  const stage_graph *graph;
  pm_arena *arena;
  occurrences all;
  occurrences *of;      /* by node index: the stages themselves */
  occurrences *updates; /* by node index */
  PM_VEC(memory *) folded;
  PM_VEC(lifetime *) shared;
  size_t n_nodes;               /* with allocations, entered so far */
  pm_map *shared_arrays;        /* pm_string of a stage -> memory of its whole array */
  PM_VEC(isl_map *) members;    /* of all steps, to be freed */
  PM_VEC(isl_set *) iterations; /* of all extensions, to be freed */
  bool **between;               /* by node index: of its reads by number; NULL as long as nobody asked */
  pm_map *in_scope;             /* pm_string of a stage -> memory */
  pm_map *reported;             /* producers of the occurrence at hand whose reads were complained about */
  bool has_memory;              /* false before the pass storage ran: then only the order is checked */
  bool ok;
} checker;

/* --- instances that reach a node of the tree --- */

typedef struct reached {
  const stage_node *node;
  const stage_update_info *update; /* NULL: the stage itself */
  isl_map *brought;                /* iterations of the loops around what brought it -> instances */
  const iterations *restricted;    /* those of these iterations that there are; NULL: all */
  const steps *steps;              /* of the bands since it was brought */
  bool in_domain;                  /* of the stage, known when it is brought */
} reached;

typedef struct position {
  PM_VEC(reached) stages;
  const place *place;
  unsigned depth;
  const loop_kind *loops;
  const iterations *within; /* of all extensions around: those of every stage here are among them */
  loop_kind next;           /* of the next band, set by a mark */
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

static unsigned dims_of(const reached *r) {
  return r->update ? (unsigned)isl_set_dim(r->update->set, isl_dim_set) : r->node->n_dims;
}

/* The stage or update that a tuple of the tree names; its node is NULL after a diagnostic. Takes `space`,
 * that of a set. */
static reached reached_of_tuple(checker *c, const pm_op *op, __isl_take isl_space *space) {
  reached r = {0};
  r.node = poly_check_instances(c->graph, op, space, &r.update);
  if (!r.node) c->ok = false;
  return r;
}

static void visit(checker *c, pm_op *node, position *at);

/* --- memories in scope --- */

typedef struct shadowed {
  pm_string stage;
  memory *before;
} shadowed;
typedef PM_VEC(shadowed) shadowed_list;

/* Begins the lifetime of memory that is shared. */
static void begin_sharing(checker *c, memory *m) {
  lifetime *alive = pm_arena_alloc(c->arena, sizeof *alive);
  *alive = (lifetime){.memory = m, .node = c->n_nodes};
  m->alive = alive;
  PM_VEC_PUSH(c->shared, alive);
  if (m->whole) pm_map_set(c->shared_arrays, pm_sym_at(m->alloc, poly_alloc_stage), m);
}

static void enter_allocs(checker *c, const pm_op *node, const place *outside, unsigned depth,
                         shadowed_list *list) {
  c->n_nodes++;
  PM_FOR_OPS(op, pm_region_at(node, 0)) {
    if (!pm_is(op, &poly_alloc)) continue;
    pm_string stage = pm_sym_at(op, poly_alloc_stage);
    if (!poly_check_alloc(c->graph, op, depth)) {
      c->ok = false;
      continue;
    }
    memory *m = pm_arena_alloc(c->arena, sizeof *m);
    *m = (memory){
        .alloc = op, .depth = depth, .whole = !poly_alloc_has_box(op), .folded = poly_alloc_is_folded(op)};
    m->outside = outside;
    if (pm_attr_at(op, poly_alloc_pool)) begin_sharing(c, m);
    if (m->folded) PM_VEC_PUSH(c->folded, m);
    PM_VEC_PUSH(*list, ((shadowed){stage, pm_map_get(c->in_scope, stage)}));
    pm_map_set(c->in_scope, stage, m);
  }
}

static void leave_allocs(checker *c, shadowed_list *list) {
  while (list->len > 0) {
    shadowed s = PM_VEC_POP(*list);
    pm_map_set(c->in_scope, s.stage, s.before);
  }
  PM_VEC_FREE(*list);
}

/* --- the walk --- */

static void add_occurrence(checker *c, const position *at, const reached *r) {
  occurrence *o = pm_arena_alloc(c->arena, sizeof *o);
  const memory **reads = pm_arena_alloc(c->arena, (r->node->reads.len + 1) * sizeof *reads);
  for (size_t i = 0; i < r->node->reads.len; i++)
    reads[i] = pm_map_get(c->in_scope, r->node->reads.data[i]->producer->name);
  *o = (occurrence){.node = r->node,
                    .update = r->update,
                    .depth = at->depth,
                    .brought = isl_map_copy(r->brought),
                    .restricted = r->restricted,
                    .within = at->within,
                    .executed = pm_arena_alloc(c->arena, (at->depth + 1) * sizeof *o->executed),
                    .in_domain = r->in_domain,
                    .loops = at->loops,
                    .steps = r->steps,
                    .place = at->place,
                    .writes = pm_map_get(c->in_scope, r->node->name),
                    .reads = reads};
  PM_VEC_PUSH(c->all, o);
  if (r->update)
    PM_VEC_PUSH(c->updates[r->node->index], o);
  else
    PM_VEC_PUSH(c->of[r->node->index], o);
}

static void free_occurrence(const occurrence *o) {
  for (unsigned n = 0; n <= o->depth; n++) isl_map_free(o->executed[n]);
  isl_map_free(o->brought);
}

/* What is inside a node: its allocations, then its child, or the end. */
static void visit_inside(checker *c, const pm_op *node, position *at) {
  shadowed_list list = {0};
  enter_allocs(c, node, at->place, at->depth, &list);
  pm_op *child = poly_child(node);
  if (child) visit(c, child, at);
  for (size_t i = 0; !child && i < at->stages.len; i++) add_occurrence(c, at, &at->stages.data[i]);
  leave_allocs(c, &list);
}

/* The instances in terms of the first n loops: those brought, { [t] -> S[x] }, and the members { S[x] -> [m]
 * } of each band that was passed since give { [t, m] -> S[x] }. Takes the map. */
static __isl_give isl_map *add_loops(__isl_take isl_map *brought, const steps *inner, unsigned n) {
  while (inner && inner->depth >= n) inner = inner->outer;
  isl_map *map = inner ? add_loops(brought, inner->outer, inner->depth) : brought;
  if (inner) map = isl_map_flat_domain_product(map, isl_map_reverse(isl_map_copy(inner->members)));
  return isl_map_project_out(map, isl_dim_in, n, (unsigned)isl_map_dim(map, isl_dim_in) - n);
}

static __isl_give isl_map *in_loops(isl_map *brought, const iterations *restricted, const steps *inner,
                                    unsigned n) {
  isl_map *map = isl_map_copy(brought);
  if (restricted) map = isl_map_intersect_domain(map, isl_set_copy(restricted->set));
  return add_loops(map, inner, n);
}

/* A band loses the instances on which it is not defined. */
static void add_steps(checker *c, reached *r, const pm_op *band, unsigned depth, isl_union_map *schedule) {
  isl_space *space = isl_space_from_domain(isl_space_range(isl_map_get_space(r->brought)));
  space = isl_space_align_params(space, isl_union_map_get_space(schedule));
  space = isl_space_add_dims(space, isl_dim_out, poly_band_members(band));
  isl_map *members = isl_union_map_extract_map(schedule, space);
  isl_set *defined = isl_map_domain(isl_map_copy(members));
  if (isl_set_plain_is_universe(defined) == isl_bool_true)
    isl_set_free(defined);
  else
    r->brought = isl_map_intersect_range(r->brought, defined);
  steps *inner = pm_arena_alloc(c->arena, sizeof *inner);
  *inner = (steps){r->steps, band, depth, members};
  PM_VEC_PUSH(c->members, members);
  r->steps = inner;
}

static const loop_kind *more_loops(checker *c, const position *at, unsigned n) {
  loop_kind *loops = pm_arena_alloc(c->arena, (at->depth + n + 1) * sizeof *loops);
  for (unsigned i = 0; i < at->depth; i++) loops[i] = at->loops[i];
  for (unsigned i = 0; i < n; i++) loops[at->depth + i] = at->next;
  return loops;
}

static void visit_band(checker *c, pm_op *band, const position *at) {
  unsigned n = poly_band_members(band);
  isl_multi_union_pw_aff *mupa = isl_peek_mupa(pm_attr_at(band, poly_band_schedule));
  isl_union_map *schedule = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(mupa));
  position inner = copy_position(at);
  for (size_t i = 0; i < inner.stages.len; i++)
    add_steps(c, &inner.stages.data[i], band, at->depth, schedule);
  isl_union_map_free(schedule);
  inner.loops = more_loops(c, at, n);
  inner.depth = at->depth + n;
  inner.next = LOOP_SERIAL;
  visit_inside(c, band, &inner);
  free_position(&inner);
}

typedef struct filtering {
  checker *c;
  const pm_op *filter;
  const position *from;
  pm_map *index; /* key -> reached of `from` */
  position *to;
} filtering;

static isl_stat add_filtered(__isl_take isl_set *set, void *user) {
  filtering *f = user;
  reached named = reached_of_tuple(f->c, f->filter, isl_set_get_space(set));
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
static void visit_filter(checker *c, pm_op *filter, const position *at, pm_map *index, const place *where) {
  position inner = empty_like(at);
  filtering f = {c, filter, at, index, &inner};
  isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), add_filtered, &f);
  if (where) inner.place = where;
  visit_inside(c, filter, &inner);
  free_position(&inner);
}

static void visit_sequence(checker *c, pm_op *sequence, const position *at) {
  pm_map *index = index_stages(at);
  unsigned n = 0;
  PM_FOR_OPS(filter, pm_region_at(sequence, 0)) {
    place *where = pm_arena_alloc(c->arena, sizeof *where);
    *where = (place){at->place, sequence, n++, at->place ? at->place->level + 1 : 0, at->depth};
    visit_filter(c, filter, at, index, where);
  }
  pm_map_free(index);
}

/* Instances that a domain or an extension brings. */
typedef struct extending {
  checker *c;
  const pm_op *op;
  position *to;
  const iterations *iterations; /* of the loops around an extension */
} extending;

/* Takes what is brought, which may be more instances of a stage that is there already. */
static void add_reached(position *at, reached what) {
  for (size_t i = 0; i < at->stages.len; i++) {
    reached *r = &at->stages.data[i];
    if (key_of(r) != key_of(&what)) continue;
    isl_map *all = in_loops(r->brought, r->restricted, r->steps, at->depth);
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
static const iterations *iterations_of(checker *c, const position *at) {
  isl_space *space = isl_space_set_from_params(isl_set_get_space(c->graph->context));
  isl_set *all = isl_set_empty(isl_space_add_dims(space, isl_dim_set, at->depth));
  for (size_t i = 0; i < at->stages.len; i++) {
    const reached *r = &at->stages.data[i];
    all = isl_set_union(all, isl_map_domain(in_loops(r->brought, r->restricted, r->steps, at->depth)));
  }
  iterations *found = pm_arena_alloc(c->arena, sizeof *found);
  *found = (iterations){at->within, isl_set_coalesce(all)};
  PM_VEC_PUSH(c->iterations, found->set);
  return found;
}

/* All instances are points of the stage's domain. */
static bool brings_domain(const reached *r, isl_map *brought) {
  if (r->update) return false;
  isl_set *loops = isl_set_universe(isl_space_domain(isl_map_get_space(brought)));
  isl_map *all = isl_map_from_domain_and_range(loops, isl_set_copy(r->node->domain));
  bool inside = linear_map_is_subset(brought, all) || isl_map_is_subset(brought, all) == isl_bool_true;
  isl_map_free(all);
  return inside;
}

static isl_stat add_extended(__isl_take isl_map *map, void *user) {
  extending *e = user;
  reached what = reached_of_tuple(e->c, e->op, isl_space_range(isl_map_get_space(map)));
  if (what.node && (unsigned)isl_map_dim(map, isl_dim_in) != e->to->depth) {
    e->c->ok = pm_op_error(e->op, "extends by @%s for %u loops, but there are %u around it",
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

static void visit_extension(checker *c, pm_op *op, const position *at) {
  position inner = copy_position(at);
  inner.within = iterations_of(c, at);
  extending e = {c, op, &inner, inner.within};
  isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_extension_map)), add_extended, &e);
  visit_inside(c, op, &inner);
  free_position(&inner);
}

static void visit_mark(checker *c, pm_op *op, position *at) {
  loop_kind before = at->next;
  if (poly_is_mark(op, "vector")) at->next = LOOP_VECTOR;
  if (poly_is_mark(op, "parallel")) at->next = LOOP_PARALLEL;
  visit_inside(c, op, at);
  at->next = before;
}

static void visit_lone_filter(checker *c, pm_op *op, const position *at) {
  pm_map *index = index_stages(at);
  visit_filter(c, op, at, index, NULL);
  pm_map_free(index);
}

/* Adds what is below `node` to the occurrences. */
static void visit(checker *c, pm_op *node, position *at) {
  if (pm_is(node, &poly_band))
    visit_band(c, node, at);
  else if (pm_is(node, &poly_mark))
    visit_mark(c, node, at);
  else if (pm_is(node, &poly_extension))
    visit_extension(c, node, at);
  else if (pm_is(node, &poly_filter))
    visit_lone_filter(c, node, at);
  else
    visit_sequence(c, node, at);
}

static isl_stat add_from_domain(__isl_take isl_set *set, void *user) {
  extending *e = user;
  reached what = reached_of_tuple(e->c, e->op, isl_set_get_space(set));
  if (!what.node) {
    isl_set_free(set);
    return isl_stat_ok;
  }
  set = isl_set_intersect_params(set, isl_set_copy(e->c->graph->context));
  what.brought = isl_map_from_range(set);
  what.in_domain = brings_domain(&what, what.brought);
  PM_VEC_PUSH(e->to->stages, what);
  return isl_stat_ok;
}

static void visit_domain(checker *c, pm_op *domain) {
  position at = {.next = LOOP_SERIAL};
  extending e = {c, domain, &at, NULL};
  isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)), add_from_domain,
                            &e);
  visit_inside(c, domain, &at);
  free_position(&at);
}

/* --- order --- */

/* Where the ways to two leaves part: the number of loops around both, and whether the first leaf comes before
 * the other in each iteration of them. */
typedef struct meeting {
  unsigned depth;
  bool before;
} meeting;

static meeting meeting_of(const occurrence *first, const occurrence *then) {
  const place *a = first->place, *b = then->place;
  if (a == b) return (meeting){first->depth, false};
  while (a && b && a->level > b->level) a = a->parent;
  while (a && b && b->level > a->level) b = b->parent;
  while (a && b && a->parent != b->parent) {
    a = a->parent;
    b = b->parent;
  }
  if (!a || !b || a->sequence != b->sequence) return (meeting){0, false};
  return (meeting){a->depth, pm_is(a->sequence, &poly_sequence) && a->position < b->position};
}

/* The number of loops whose iterations have memories of their own. */
static unsigned private_depth(const memory *m) {
  return m ? m->depth : 0;
}

/* The whole arrays of a stage are one, wherever they are allocated. */
static bool may_share(const memory *a, const memory *b) {
  return a == b || (a && b && a->whole && b->whole);
}

/* Iterations of the first n loops around -> instances; the caller's. */
static __isl_give isl_map *executed_in(const occurrence *o, unsigned n) {
  if (!o->executed[n]) o->executed[n] = in_loops(o->brought, o->restricted, o->steps, n);
  return isl_map_copy(o->executed[n]);
}

static __isl_give isl_map *executed(const occurrence *o) {
  return executed_in(o, o->depth);
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

/* Takes from `missing` (iterations of `then` -> points) what `first` computed before, in memory seen by both.
 */
static __isl_give isl_map *subtract_earlier(__isl_take isl_map *missing, const occurrence *first,
                                            const occurrence *then, const memory *m) {
  meeting at = meeting_of(first, then);
  unsigned from = private_depth(m);
  if (at.before && from <= at.depth) {
    isl_map *done = with_free_loops(executed_in(first, at.depth), at.depth, then->depth);
    missing = linear_subtract(missing, done);
  }
  for (unsigned i = from; i < at.depth; i++) {
    if (then->loops[i] != LOOP_SERIAL || linear_map_is_empty(missing)) continue;
    isl_map *done = executed_in(first, i + 1);
    done = isl_map_apply_domain(done, earlier_in_last(isl_map_get_ctx(done), i + 1));
    missing = linear_subtract(missing, with_free_loops(done, i + 1, then->depth));
  }
  return missing;
}

/* --- order by steps: cheap, and enough for what the passes make --- */

/* The band whose members are loops from `depth` on, if they are serial. */
static const steps *steps_at(const occurrence *o, unsigned depth) {
  const steps *s = o->steps;
  while (s && s->depth > depth) s = s->outer;
  return s && s->depth == depth && o->loops[depth] == LOOP_SERIAL ? s : NULL;
}

/* The band that loop number `loop` is a member of. */
static const steps *steps_over(const occurrence *o, unsigned loop) {
  const steps *s = o->steps;
  while (s && s->depth > loop) s = s->outer;
  return s && loop < s->depth + poly_band_members(s->band) ? s : NULL;
}

/* Takes the map. */
static bool is_empty(__isl_take isl_map *map) {
  bool empty = linear_map_is_empty(map);
  isl_map_free(map);
  return empty;
}

/* Takes both. */
static bool is_subset(__isl_take isl_map *a, __isl_take isl_map *b) {
  bool subset = linear_map_is_subset(a, b) || isl_map_is_subset(a, b) == isl_bool_true;
  isl_map_free(a);
  isl_map_free(b);
  return subset;
}

/* In each iteration of the first `from` loops, `then` makes the access after `first` has computed what it
 * goes to, if `first` computes that there: by the sequence that parts them, or by the members of one band. */
static bool is_after(const occurrence *first, const occurrence *then, const stage_access *access,
                     unsigned from) {
  meeting at = meeting_of(first, then);
  if (at.depth == from) return at.before;
  const steps *a = steps_at(first, from), *b = steps_at(then, from);
  if (!a || !b || a->band != b->band || at.depth != from + poly_band_members(a->band)) return false;
  isl_space *members = isl_space_range(isl_map_get_space(a->members));
  isl_map *early = at.before ? isl_map_lex_lt(members) : isl_map_lex_le(members);
  early = isl_map_apply_range(isl_map_copy(b->members), early);
  early = isl_map_apply_range(early, isl_map_reverse(isl_map_copy(a->members)));
  return is_empty(isl_map_intersect(isl_map_copy(access->relation), early));
}

/* Iterations of the first n loops -> instances, and more, but none more in the iterations that `other` has;
 * with fewer constraints than executed_in. */
static __isl_give isl_map *roughly_executed_in(const occurrence *o, unsigned n, const occurrence *other) {
  const iterations *known = other->within;
  while (known && known != o->restricted) known = known->outer;
  bool enough = known && (unsigned)isl_map_dim(o->brought, isl_dim_in) == n;
  return enough ? isl_map_copy(o->brought) : executed_in(o, n);
}

/* The read goes between others at every instance: see poly_find_between. */
static bool is_between(checker *c, const stage_node *node, size_t number) {
  bool **known = &c->between[node->index];
  if (!*known) {
    *known = pm_arena_alloc(c->arena, (node->reads.len + 1) * sizeof **known);
    poly_find_between(c->arena, node, *known);
  }
  return (*known)[number];
}

/* Known to be convex: no union, no division. */
static bool is_convex(isl_map *map) {
  isl_basic_map_list *parts = isl_map_get_basic_map_list(map);
  bool convex = isl_basic_map_list_n_basic_map(parts) == 1;
  isl_basic_map *only = convex ? isl_basic_map_list_get_basic_map(parts, 0) : NULL;
  convex = convex && isl_basic_map_dim(only, isl_dim_div) == 0;
  isl_basic_map_free(only);
  isl_basic_map_list_free(parts);
  return convex;
}

static bool is_convex_set(isl_set *set) {
  isl_map *map = isl_map_from_range(isl_set_copy(set));
  bool convex = is_convex(map);
  isl_map_free(map);
  return convex;
}

/* All that `then` reads from the memory is computed by `first` before, seen from the loops around the memory
 * alone. With no other writer, a read between two others is not looked at: they are. */
static bool is_computed_before(checker *c, const occurrence *first, const occurrence *then, size_t number,
                               bool only_writer) {
  const stage_access *access = then->node->reads.data[number];
  unsigned from = private_depth(then->reads[number]);
  if (!is_after(first, then, access, from)) return false;
  isl_map *done = roughly_executed_in(first, from, then);
  if (only_writer && is_convex(done) && is_between(c, then->node, number)) {
    isl_map_free(done);
    return true;
  }
  isl_map *readers = roughly_executed_in(then, from, then);
  return is_subset(isl_map_apply_range(readers, isl_map_copy(access->relation)), done);
}

/* Each point is computed in one iteration of the loop: a function of the point, the same for both. */
static bool computes_once(const occurrence *a, const occurrence *b, unsigned loop) {
  const steps *of_a = steps_over(a, loop), *of_b = steps_over(b, loop);
  return of_a && of_b && of_a->band == of_b->band && a->node == b->node && a->update == b->update;
}

/* --- reports --- */

/* `for R = 1, C = 1`, nothing without parameters. */
static void put_for_params(pm_buf *out, isl_space *space, isl_point *point) {
  pm_buf params = {0};
  isl_put_params(&params, space, point);
  if (params.len > 0) pm_buf_printf(out, " for %s", params.data);
  pm_buf_free(&params);
}

/* `bx[3, 4]` from the coordinates at `first`. */
static void put_instance(pm_buf *out, const stage_node *node, isl_point *point, unsigned first) {
  pm_buf_puts(out, node->name->text);
  isl_put_tuple(out, point, first, node->n_dims);
}

/* The same of an occurrence, which may be an update. */
static unsigned put_occurrence(pm_buf *out, const occurrence *o, isl_point *point, unsigned first) {
  unsigned n = dims_of(&(reached){.node = o->node, .update = o->update});
  pm_buf_puts(out, o->update ? o->update->name->text : o->node->name->text);
  isl_put_tuple(out, point, first, n);
  return first + n;
}

/* { [t] -> [S[x] -> P[p]] } of the accesses in `missing`, { [t] -> P[p] }, which is taken. */
static __isl_give isl_map *with_consumer(const occurrence *o, const stage_access *access,
                                         __isl_take isl_map *missing) {
  isl_map *pairs = isl_map_reverse(isl_map_domain_map(isl_map_copy(access->relation)));
  pairs = isl_map_apply_range(executed(o), pairs);
  return isl_map_intersect_range_factor_range(pairs, missing);
}

static void report_missing(checker *c, const occurrence *o, const stage_access *access,
                           __isl_take isl_map *missing) {
  isl_map *pairs = with_consumer(o, access, missing);
  isl_space *space = isl_map_get_space(pairs);
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param) + o->depth;
  isl_point *point = isl_witness(pairs);
  pm_buf text = {0};
  first = put_occurrence(&text, o, point, first);
  pm_buf_puts(&text, " reads ");
  put_instance(&text, access->producer, point, first);
  put_for_params(&text, space, point);
  c->ok = pm_op_error(access->read,
                      "of @%s: %s, but the schedule does not compute that before it, in the memory it reads",
                      access->producer->name->text, text.data);
  pm_buf_free(&text);
  isl_point_free(point);
  isl_space_free(space);
}

/* `harris[0, 0] for R = 3, C = 3`: an image in `map`, which is taken; to be freed. */
static char *sample_instance(const stage_node *node, __isl_take isl_map *map) {
  isl_space *space = isl_map_get_space(map);
  unsigned first = (unsigned)(isl_space_dim(space, isl_dim_param) + isl_space_dim(space, isl_dim_in));
  isl_point *point = isl_witness(map);
  pm_buf text = {0};
  put_instance(&text, node, point, first);
  put_for_params(&text, space, point);
  isl_point_free(point);
  isl_space_free(space);
  return pm_buf_take(&text);
}

/* True when `map` (taken) is empty; else *instance is an image of it, to be freed, and the check failed. */
static bool is_none(checker *c, const stage_node *node, __isl_take isl_map *map, char **instance) {
  if (linear_map_is_empty(map)) {
    isl_map_free(map);
    return true;
  }
  *instance = sample_instance(node, map);
  return c->ok = false;
}

/* Two iterations of loop number `loop`; `conflict` (taken) is { [t, p] -> [i, j] }. */
static void report_conflict(checker *c, const occurrence *a, const occurrence *b, const stage_node *node,
                            unsigned loop, __isl_take isl_map *conflict) {
  isl_space *space = isl_map_get_space(conflict);
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param);
  isl_point *point = isl_witness(conflict);
  pm_buf text = {0}, iterations = {0};
  put_instance(&text, node, point, first + loop);
  put_for_params(&text, space, point);
  isl_put_coordinate(&iterations, point, first + loop + node->n_dims);
  pm_buf_puts(&iterations, " and ");
  isl_put_coordinate(&iterations, point, first + loop + node->n_dims + 1);
  pm_buf user = {0};
  if (a->node != b->node)
    pm_buf_printf(&user, " by @%s and used by @%s", a->node->name->text, b->node->name->text);
  c->ok = pm_op_error(a->writes->alloc,
                      "of @%s: %s is written%s in iterations %s of one %s loop, which should not share it",
                      node->name->text, text.data, user.data ? user.data : "", iterations.data,
                      a->loops[loop] == LOOP_PARALLEL ? "parallel" : "vector");
  pm_buf_free(&user);
  pm_buf_free(&text);
  pm_buf_free(&iterations);
  isl_point_free(point);
  isl_space_free(space);
}

/* --- what is checked --- */

/* Iterations of `o` -> the points that one of its reads goes to. */
static __isl_give isl_map *points_read(const occurrence *o, const stage_access *access) {
  return isl_map_apply_range(executed(o), isl_map_copy(access->relation));
}

static void check_input(checker *c, const occurrence *o, size_t number) {
  char *instance;
  const stage_access *access = o->node->reads.data[number];
  if (is_between(c, o->node, number) && is_convex_set(access->producer->domain)) return;
  isl_set *all = isl_map_range(isl_map_copy(access->relation));
  bool inside = linear_set_is_subset(all, access->producer->domain) ||
                isl_set_is_subset(all, access->producer->domain) == isl_bool_true;
  isl_set_free(all);
  if (inside) return;
  isl_map *outside = linear_subtract_range(points_read(o, access), isl_set_copy(access->producer->domain));
  if (is_none(c, access->producer, outside, &instance)) return;
  pm_op_error(access->read, "of @%s goes to %s, but should stay inside the input",
              access->producer->name->text, instance);
  free(instance);
}

/* { [t, p] -> [i] }: the iterations i of loop number `loop` that touch point p, for the loops t outside. */
static __isl_give isl_map *touching(__isl_take isl_map *touched, unsigned loop) {
  unsigned all = (unsigned)isl_map_dim(touched, isl_dim_in);
  touched = isl_map_project_out(touched, isl_dim_in, loop + 1, all - loop - 1);
  return isl_map_move_dims(isl_map_reverse(touched), isl_dim_in, 0, isl_dim_out, 0, loop);
}

/* { [t, p] -> [i, j] }: different iterations of one loop around both, in which `a` writes the point and `b`
 * touches it; `touched` (borrowed) is what `b` touches. */
static __isl_give isl_map *conflicts_in_loop(const occurrence *a, const occurrence *b, isl_map *touched,
                                             unsigned loop) {
  isl_map *both = isl_map_range_product(touching(executed(a), loop), touching(isl_map_copy(touched), loop));
  both = isl_map_flatten_range(both);
  isl_map *later = isl_map_order_lt(isl_map_copy(both), isl_dim_out, 0, isl_dim_out, 1);
  if (a == b) {
    isl_map_free(both);
    return later;
  }
  return isl_map_union(later, isl_map_order_gt(both, isl_dim_out, 0, isl_dim_out, 1));
}

/* The first loop whose iterations may use the memory that `o` writes together. */
static unsigned first_shared_loop(const occurrence *o) {
  return o->writes && o->writes->whole ? 0 : private_depth(o->writes);
}

/* Iterations of a loop around both run at the same time and share what `a` writes; loops in which each point
 * is computed once count only when `b` reads. */
static bool may_conflict(const occurrence *a, const occurrence *b, bool reads) {
  unsigned depth = a->writes ? meeting_of(a, b).depth : 0;
  for (unsigned loop = first_shared_loop(a); loop < depth; loop++)
    if (a->loops[loop] != LOOP_SERIAL && (reads || !computes_once(a, b, loop))) return true;
  return false;
}

/* No loop that is parallel or vector carries a dependence from what `a` writes to what `b` touches; false
 * after a diagnostic. Takes `touched`, iterations of `b` -> points of a's stage. */
static bool check_conflicts(checker *c, const occurrence *a, const occurrence *b,
                            __isl_take isl_map *touched) {
  unsigned depth = a->writes ? meeting_of(a, b).depth : 0;
  bool ok = true;
  for (unsigned loop = first_shared_loop(a); ok && loop < depth; loop++) {
    if (a->loops[loop] == LOOP_SERIAL) continue;
    isl_map *conflicts = conflicts_in_loop(a, b, touched, loop);
    ok = linear_map_is_empty(conflicts);
    if (ok)
      isl_map_free(conflicts);
    else
      report_conflict(c, a, b, a->node, loop, conflicts);
  }
  isl_map_free(touched);
  return ok;
}

/* All of `first` is done when `then` begins. */
static bool is_all_before(const occurrence *first, const occurrence *then) {
  meeting at = meeting_of(first, then);
  return at.before && at.depth == 0;
}

/* All updates of the stage are, and no loop is around them. */
static bool are_all_before(const occurrences *updates, const occurrence *then) {
  for (size_t i = 0; i < updates->len; i++)
    if (!is_all_before(updates->data[i], then)) return false;
  return true;
}

/* What is read is computed before; false after a diagnostic. */
static bool check_computed(checker *c, const occurrence *o, size_t number) {
  const stage_access *access = o->node->reads.data[number];
  const memory *m = o->reads[number];
  const occurrences *writers = &c->of[access->producer->index];
  for (size_t i = 0; i < writers->len; i++)
    if (writers->data[i]->writes == m &&
        is_computed_before(c, writers->data[i], o, number, writers->len == 1))
      return true;
  isl_map *missing = points_read(o, access);
  for (size_t i = 0; i < writers->len; i++)
    if (writers->data[i]->writes == m) missing = subtract_earlier(missing, writers->data[i], o, m);
  if (linear_map_is_empty(missing)) {
    isl_map_free(missing);
    return true;
  }
  report_missing(c, o, access, missing);
  return false;
}

/* { [t] -> u[…] }: of the points of the update that may reach a cell in { [t] -> Stage[…] }, which is taken,
 * t being iterations of `then`, those that do not come before it in memory `m`. */
static __isl_give isl_map *points_missing(const checker *c, const stage_node *node,
                                          const stage_update_info *update, const occurrence *then,
                                          const memory *m, __isl_take isl_map *cells) {
  isl_map *missing = isl_map_apply_range(cells, isl_map_reverse(isl_map_copy(update->target)));
  const occurrences *all = &c->updates[node->index];
  for (size_t i = 0; i < all->len; i++)
    if (all->data[i]->update == update && all->data[i]->writes == m)
      missing = subtract_earlier(missing, all->data[i], then, m);
  return missing;
}

/* Every point of an update that may reach a cell comes before others read it. */
static bool check_updates_done(checker *c, const occurrence *reader, const stage_access *access,
                               const memory *m) {
  const stage_node *node = access->producer;
  if (are_all_before(&c->updates[node->index], reader)) return true;
  bool ok = true;
  for (size_t i = 0; i < node->updates.len && ok; i++) {
    isl_map *cells = isl_map_coalesce(points_read(reader, access));
    isl_map *missing = points_missing(c, node, &node->updates.data[i], reader, m, cells);
    ok = linear_map_is_empty(missing);
    isl_map_free(missing);
    if (!ok)
      c->ok = pm_op_error(access->read, "of @%s comes before the end of its update %s in the schedule",
                          node->name->text, node->updates.data[i].name->text);
  }
  return ok;
}

/* False after a diagnostic. */
static bool check_read(checker *c, const occurrence *o, size_t number) {
  const stage_access *access = o->node->reads.data[number];
  const memory *m = o->reads[number];
  const occurrences *writers = &c->of[access->producer->index];
  bool ok = true;
  for (size_t i = 0; ok && i < writers->len; i++)
    if (may_share(writers->data[i]->writes, m) && may_conflict(writers->data[i], o, true))
      ok = check_conflicts(c, writers->data[i], o, points_read(o, access));
  return ok && check_updates_done(c, o, access, m) && check_computed(c, o, number);
}

/* The read stands in what occurs here. */
static bool makes(const occurrence *o, const stage_access *access) {
  if (access->update_index < 0) return !o->update;
  return o->update == &o->node->updates.data[access->update_index];
}

/* Of the reads of one producer, the first that fails is reported. */
static void check_reads(checker *c, const occurrence *o) {
  pm_map_clear(c->reported);
  for (size_t i = 0; i < o->node->reads.len; i++) {
    const stage_access *access = o->node->reads.data[i];
    if (!makes(o, access)) continue;
    if (access->producer->is_input)
      check_input(c, o, i);
    else if (!pm_map_has(c->reported, access->producer) && !check_read(c, o, i))
      pm_map_set(c->reported, access->producer, NULL);
  }
}

/* { [o] -> P[p] : o <= p < o + size }, any p where a dimension is folded */
static __isl_give isl_map *box_from_corner(__isl_take isl_space *space, pm_attr size, pm_attr fold) {
  isl_map *box = isl_map_universe(isl_space_copy(space));
  isl_local_space *local = isl_local_space_from_space(space);
  for (unsigned i = 0; i < size->len; i++) {
    if (fold && fold->items[i]->i) continue;
    isl_constraint *low = isl_constraint_alloc_inequality(isl_local_space_copy(local));
    low = isl_constraint_set_coefficient_si(low, isl_dim_out, (int)i, 1);
    box = isl_map_add_constraint(box, isl_constraint_set_coefficient_si(low, isl_dim_in, (int)i, -1));
    isl_constraint *high = isl_constraint_alloc_inequality(isl_local_space_copy(local));
    high = isl_constraint_set_coefficient_si(high, isl_dim_out, (int)i, -1);
    high = isl_constraint_set_coefficient_si(high, isl_dim_in, (int)i, 1);
    isl_val *last = isl_val_int_from_si(isl_local_space_get_ctx(local), (long)(size->items[i]->i - 1));
    box = isl_map_add_constraint(box, isl_constraint_set_constant_val(high, last));
  }
  isl_local_space_free(local);
  return box;
}

/* Iterations of the loops around an allocation -> the points that have a cell. */
static __isl_give isl_map *cells_of(const memory *m, const stage_node *node) {
  isl_map *at = isl_map_copy(isl_peek_map(pm_attr_at(m->alloc, poly_alloc_at)));
  isl_space *space = isl_space_from_domain(isl_space_range(isl_map_get_space(at)));
  space = isl_space_add_dims(space, isl_dim_out, node->n_dims);
  space = isl_space_set_tuple_name(space, isl_dim_out, node->name->text);
  return isl_map_apply_range(at, box_from_corner(space, pm_attr_at(m->alloc, poly_alloc_size),
                                                 pm_attr_at(m->alloc, poly_alloc_fold)));
}

static void check_box(checker *c, const occurrence *o) {
  char *instance;
  unsigned around = o->writes->depth;
  if (o->writes->whole || is_subset(roughly_executed_in(o, around, o), cells_of(o->writes, o->node))) return;
  isl_map *outside = linear_subtract(executed_in(o, around), cells_of(o->writes, o->node));
  if (is_none(c, o->node, outside, &instance)) return;
  pm_op_error(o->writes->alloc, "of @%s has no cell for %s, but the schedule writes it", o->node->name->text,
              instance);
  free(instance);
}

/* --- folded memories: a point keeps its cell until its last read --- */

/* A folded memory, and the serial band right inside of it whose outermost member steps over its writes. */
typedef struct ring {
  const memory *memory;
  const stage_node *node;
  const pm_op *band; /* NULL: there is none */
  isl_map *step;     /* P[p] -> [step] */
  isl_map *later;    /* { p -> p' : at least a turn away, and written in the step of p or later } */
} ring;

/* Instances -> the step in which they run. */
static __isl_give isl_map *step_of(const steps *s) {
  return isl_map_project_out(isl_map_copy(s->members), isl_dim_out, 1, poly_band_members(s->band) - 1);
}

/* { a -> b : the step of a is no later than that of b } */
static __isl_give isl_map *no_later(isl_map *of_a, isl_map *of_b) {
  isl_space *step = isl_space_range(isl_map_get_space(of_a));
  isl_map *order = isl_map_apply_range(isl_map_copy(of_a), isl_map_lex_le(step));
  return isl_map_apply_range(order, isl_map_reverse(isl_map_copy(of_b)));
}

/* The steps of the one band in which the memory is written, if there is one. */
static const steps *steps_of_writes(checker *c, const ring *r) {
  const occurrences *writers = &c->of[r->node->index];
  const steps *found = NULL;
  for (size_t i = 0; i < writers->len; i++) {
    if (writers->data[i]->writes != r->memory) continue;
    const steps *s = steps_at(writers->data[i], r->memory->depth);
    if (!s || (found && found->band != s->band)) return NULL;
    found = s;
  }
  return found;
}

static void find_ring(checker *c, const memory *m, ring *r) {
  *r = (ring){.memory = m, .node = stage_graph_find(c->graph, pm_sym_at(m->alloc, poly_alloc_stage))};
  const steps *s = steps_of_writes(c, r);
  if (!s) return;
  r->band = s->band;
  r->step = step_of(s);
  isl_map *apart = poly_turn_apart(m->alloc, isl_set_get_space(r->node->domain));
  r->later = isl_map_intersect(apart, no_later(r->step, r->step));
}

static void free_ring(ring *r) {
  isl_map_free(r->step);
  isl_map_free(r->later);
}

/* No two points of a cell are written in one step, so loops inside of it may do that in any order. */
static bool is_apart_in_steps(const ring *r) {
  if (!r->band) return false;
  isl_map *same_step = isl_map_apply_range(isl_map_copy(r->step), isl_map_reverse(isl_map_copy(r->step)));
  return is_empty(isl_map_intersect(isl_map_copy(r->later), same_step));
}

/* No point that the read goes to is overwritten until the end of the reader's step, judged by steps alone. */
static bool is_kept_in_steps(const ring *r, const occurrence *reader, const stage_access *access) {
  const steps *s = steps_at(reader, r->memory->depth);
  if (!r->band || !s || s->band != r->band) return false;
  isl_map *read_from = step_of(s);
  isl_map *by_then = isl_map_reverse(no_later(r->step, read_from));
  isl_map_free(read_from);
  isl_map *overwriting = isl_map_apply_range(isl_map_copy(access->relation), isl_map_copy(r->later));
  return is_empty(isl_map_intersect(overwriting, by_then));
}

/* { [t] -> [t'] : the first `from` loops agree, and `a` at t is not sure to run before `b` at t' } */
static __isl_give isl_map *not_before(checker *c, const occurrence *a, const occurrence *b, unsigned from) {
  meeting at = meeting_of(a, b);
  isl_map *same = isl_map_universe(isl_space_alloc(c->graph->isl, 0, a->depth, b->depth));
  isl_map *found = isl_map_empty(isl_map_get_space(same));
  for (unsigned k = 0; k < at.depth; k++) {
    int loop = (int)k;
    if (k >= from) {
      found = isl_map_union(found, isl_map_order_gt(isl_map_copy(same), isl_dim_in, loop, isl_dim_out, loop));
      if (a->loops[k] != LOOP_SERIAL)
        found =
            isl_map_union(found, isl_map_order_lt(isl_map_copy(same), isl_dim_in, loop, isl_dim_out, loop));
    }
    same = isl_map_equate(same, isl_dim_in, loop, isl_dim_out, loop);
  }
  if (!at.before) return isl_map_union(found, same);
  isl_map_free(same);
  return found;
}

/* { [t] -> [t'] : t' are the first n loops of t } */
static __isl_give isl_map *first_loops(checker *c, const occurrence *o, unsigned n) {
  isl_map *map = isl_map_universe(isl_space_alloc(c->graph->isl, 0, o->depth, n));
  for (unsigned i = 0; i < n; i++) map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
  return map;
}

/* { [[o] -> [r -> p]] -> p' }: in iteration o of the loops around the memory, r reads p, `first` writes it,
 * and `second` writes another point p' of its cell, not before the one and not after the other. */
static __isl_give isl_map *overwritten(checker *c, const ring *ring, const occurrence *first,
                                       const occurrence *second, const occurrence *reader,
                                       const stage_access *access) {
  unsigned depth = ring->memory->depth;
  isl_map *reads = isl_map_reverse(isl_map_domain_map(isl_map_copy(access->relation)));
  reads = isl_map_apply_range(executed(reader), reads);
  reads = isl_map_range_product(first_loops(c, reader, depth), reads);
  isl_map *writes = isl_map_range_product(first_loops(c, first, depth), executed(first));
  isl_map *iterations = isl_map_identity(
      isl_space_map_from_set(isl_space_domain(isl_space_unwrap(isl_space_range(isl_map_get_space(reads))))));
  isl_map *point = isl_map_product(iterations, isl_map_range_map(isl_map_copy(access->relation)));
  isl_map *after =
      isl_map_apply_range(isl_map_reverse(writes), isl_map_reverse(not_before(c, second, first, depth)));
  after = isl_map_apply_range(isl_map_copy(point), isl_map_apply_range(after, executed(second)));
  isl_map *until = isl_map_apply_range(isl_map_reverse(reads), not_before(c, reader, second, depth));
  until = isl_map_apply_range(until, executed(second));
  isl_map *cell =
      isl_map_range_map(isl_map_universe(isl_space_unwrap(isl_space_range(isl_map_get_space(point)))));
  cell =
      isl_map_apply_range(cell, poly_same_cell(ring->memory->alloc, isl_set_get_space(ring->node->domain)));
  return isl_map_intersect(isl_map_intersect(after, until), isl_map_apply_range(point, cell));
}

/* `found` (taken) is what `overwritten` gave. */
static void report_overwritten(checker *c, const ring *ring, const occurrence *reader,
                               __isl_take isl_map *found) {
  isl_space *space = isl_map_get_space(found);
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param) + ring->memory->depth;
  isl_point *point = isl_witness(found);
  pm_buf text = {0}, by = {0};
  unsigned kept = put_occurrence(&by, reader, point, first);
  put_instance(&text, ring->node, point, kept + ring->node->n_dims);
  pm_buf_puts(&text, " overwrites the cell of ");
  put_instance(&text, ring->node, point, kept);
  pm_buf_printf(&text, ", which %s still reads", by.data);
  put_for_params(&text, space, point);
  c->ok = pm_op_error(ring->memory->alloc, "of @%s: %s", ring->node->name->text, text.data);
  pm_buf_free(&by);
  pm_buf_free(&text);
  isl_point_free(point);
  isl_space_free(space);
}

/* The same for the order of all loops; false after a diagnostic. */
static bool is_kept(checker *c, const ring *ring, const occurrence *reader, const stage_access *access) {
  const occurrences *writers = &c->of[ring->node->index];
  for (size_t i = 0; i < writers->len * writers->len; i++) {
    const occurrence *first = writers->data[i / writers->len], *second = writers->data[i % writers->len];
    if (first->writes != ring->memory || second->writes != ring->memory) continue;
    isl_map *found = overwritten(c, ring, first, second, reader, access);
    if (!linear_map_is_empty(found)) {
      report_overwritten(c, ring, reader, found);
      return false;
    }
    isl_map_free(found);
  }
  return true;
}

/* No loop that is parallel or vector carries a dependence between what `o` writes and the other points of
 * the cells that `touched` (taken), iterations of `other`, goes to. */
static bool check_cells(checker *c, const ring *ring, const occurrence *o, const occurrence *other,
                        __isl_take isl_map *touched) {
  isl_map *cell = poly_same_cell(ring->memory->alloc, isl_set_get_space(ring->node->domain));
  return check_conflicts(c, o, other, isl_map_apply_range(touched, cell));
}

static bool check_ring_read(checker *c, const ring *ring, const occurrence *reader,
                            const stage_access *access) {
  const occurrences *writers = &c->of[ring->node->index];
  if (is_kept_in_steps(ring, reader, access)) return true;
  bool ok = is_kept(c, ring, reader, access);
  for (size_t i = 0; ok && i < writers->len; i++)
    if (writers->data[i]->writes == ring->memory)
      ok = check_cells(c, ring, writers->data[i], reader, points_read(reader, access));
  return ok;
}

/* Two writes of one cell in no certain order. */
static bool check_ring_writes(checker *c, const ring *ring) {
  const occurrences *writers = &c->of[ring->node->index];
  bool ok = true;
  for (size_t i = 0; ok && i < writers->len * writers->len; i++) {
    const occurrence *one = writers->data[i / writers->len], *other = writers->data[i % writers->len];
    if (one->writes == ring->memory && other->writes == ring->memory)
      ok = check_cells(c, ring, one, other, executed(other));
  }
  return ok;
}

static bool check_ring_reads(checker *c, const ring *ring, const occurrence *o) {
  bool ok = true;
  for (size_t i = 0; ok && i < o->node->reads.len; i++)
    if (o->reads[i] == ring->memory && makes(o, o->node->reads.data[i]))
      ok = check_ring_read(c, ring, o, o->node->reads.data[i]);
  return ok;
}

static void check_ring(checker *c, const memory *m) {
  ring r;
  find_ring(c, m, &r);
  bool ok = is_apart_in_steps(&r) || check_ring_writes(c, &r);
  for (size_t i = 0; ok && i < c->all.len; i++) ok = check_ring_reads(c, &r, c->all.data[i]);
  free_ring(&r);
}

/* --- updates and recurrences: every point once, in an order that keeps the dependences --- */

/* The loops around that each have a memory of their own; without allocations yet, those of the extension. */
static unsigned memory_depth(const occurrence *o) {
  return o->writes ? private_depth(o->writes) : (unsigned)isl_map_dim(o->brought, isl_dim_in);
}

/* { [t] -> [t'] : t is before t', and the first loop in which they differ is serial }, for the loops from
 * number `first` on */
static __isl_give isl_map *serial_order(isl_ctx *isl, const occurrence *o, unsigned first) {
  unsigned n = o->depth - first;
  isl_map *order = isl_map_empty(isl_space_alloc(isl, 0, n, n));
  for (unsigned k = 0; k < n; k++) {
    if (o->loops[first + k] != LOOP_SERIAL) continue;
    isl_map *at = isl_map_universe(isl_space_alloc(isl, 0, n, n));
    for (unsigned i = 0; i < k; i++) at = isl_map_equate(at, isl_dim_in, (int)i, isl_dim_out, (int)i);
    order = isl_map_union(order, isl_map_order_lt(at, isl_dim_in, (int)k, isl_dim_out, (int)k));
  }
  return order;
}

/* Those of the dependences that are between points of the set; takes both. */
static __isl_give isl_map *between(__isl_take isl_map *dependences, __isl_take isl_set *points) {
  dependences = isl_map_intersect_domain(dependences, isl_set_copy(points));
  return isl_map_intersect_range(dependences, points);
}

/* Takes the dependences between points of `o`, from the earlier to the later, in each of its memories. The
 * bands inside of a memory give each point one iteration, so in all memories the order is the same. */
static void check_kept(checker *c, const occurrence *o, const pm_op *place, __isl_take isl_map *dependences) {
  unsigned first = memory_depth(o);
  isl_map *inside = isl_map_project_out(executed(o), isl_dim_in, 0, first);
  if (first) dependences = between(dependences, isl_map_range(isl_map_copy(inside)));
  isl_map *kept = isl_map_apply_domain(serial_order(c->graph->isl, o, first), isl_map_copy(inside));
  kept = isl_map_apply_range(kept, inside);
  isl_map *broken = linear_subtract(dependences, kept);
  if (!linear_map_is_empty(broken)) {
    isl_space *space = isl_map_get_space(broken);
    isl_point *point = isl_witness(isl_map_copy(broken));
    pm_buf text = {0};
    unsigned first = put_occurrence(&text, o, point, (unsigned)isl_space_dim(space, isl_dim_param));
    pm_buf_puts(&text, " and ");
    put_occurrence(&text, o, point, first);
    put_for_params(&text, space, point);
    c->ok = pm_op_error(place, "makes %s depend on each other, but the schedule does not keep their order",
                        text.data);
    pm_buf_free(&text);
    isl_point_free(point);
    isl_space_free(space);
  }
  isl_map_free(broken);
}

/* Pairs of points of a body, the first lexicographically earlier, that are related through `to` and then
 * `from`. */
static __isl_give isl_map *earlier_pairs(isl_map *to, isl_map *from) {
  isl_map *pairs = isl_map_apply_range(isl_map_copy(to), isl_map_reverse(isl_map_copy(from)));
  isl_map *either = isl_map_union(isl_map_copy(pairs), isl_map_reverse(pairs));
  isl_space *space = isl_space_domain(isl_map_get_space(either));
  return isl_map_intersect(either, isl_map_lex_lt(space));
}

static void check_update_order(checker *c, const occurrence *o) {
  const stage_node *node = o->node;
  check_kept(c, o, o->update->op, earlier_pairs(o->update->target, o->update->target));
  for (size_t i = 0; i < node->self_reads.len && c->ok; i++)
    if (makes(o, node->self_reads.data[i]))
      check_kept(c, o, node->self_reads.data[i]->read,
                 earlier_pairs(node->self_reads.data[i]->relation, o->update->target));
}

/* The points that a recurrence reads are computed before. */
static void check_recurrence(checker *c, const occurrence *o) {
  for (size_t i = 0; i < o->node->self_reads.len && c->ok; i++) {
    const stage_access *access = o->node->self_reads.data[i];
    if (!makes(o, access)) continue;
    isl_map *reads = isl_map_intersect_range(isl_map_copy(access->relation), isl_set_copy(o->node->domain));
    isl_space *space = isl_space_domain(isl_map_get_space(reads));
    check_kept(c, o, access->read, isl_map_intersect(isl_map_reverse(reads), isl_map_lex_lt(space)));
  }
}

/* Every instance runs once at most in a memory: { [t, i] -> [[t] -> p] } is injective. */
static bool runs_once(const occurrence *o) {
  unsigned n = memory_depth(o);
  isl_map *outer = isl_map_universe(isl_space_alloc(isl_map_get_ctx(o->brought), 0, o->depth, n));
  for (unsigned i = 0; i < n; i++) outer = isl_map_equate(outer, isl_dim_in, (int)i, isl_dim_out, (int)i);
  isl_map *both = isl_map_range_product(outer, executed(o));
  bool once = isl_map_is_injective(both) == isl_bool_true;
  isl_map_free(both);
  return once;
}

/* Every point of an update runs, where the memory is that of the whole stage, and none twice: it would be
 * counted twice. */
static void check_update_points(checker *c, const occurrence *o) {
  char *instance;
  isl_map *missing =
      isl_map_from_range(isl_set_subtract(isl_set_copy(o->update->set), isl_map_range(executed_in(o, 0))));
  if (memory_depth(o) == 0 && !linear_map_is_empty(missing))
    c->ok = pm_op_error(o->update->op, "has points that the schedule does not run");
  isl_map_free(missing);
  isl_map *outside = linear_subtract_range(executed_in(o, 0), isl_set_copy(o->update->set));
  if (!is_none(c, o->node, outside, &instance)) {
    pm_op_error(o->update->op, "does not have points that the schedule runs");
    free(instance);
  }
  if (!runs_once(o)) c->ok = pm_op_error(o->update->op, "has points that the schedule runs more than once");
}

/* Iterations of the update -> the cells that it may reach. */
static __isl_give isl_map *cells_reached(const occurrence *o) {
  return isl_map_coalesce(isl_map_apply_range(executed(o), isl_map_copy(o->update->target)));
}

/* All points of an update, by number or -1 for the stage itself, come before others begin. */
static bool is_done_before(const checker *c, const occurrence *then, int number) {
  const occurrences *all = number < 0 ? &c->of[then->node->index] : &c->updates[then->node->index];
  const stage_update_info *update = number < 0 ? NULL : &then->node->updates.data[number];
  for (size_t i = 0; i < all->len; i++)
    if (all->data[i]->update == update && !is_all_before(all->data[i], then)) return false;
  return true;
}

/* The cells that the update may reach have their values before all updates. */
static bool has_values_before(const checker *c, const occurrence *o) {
  if (is_done_before(c, o, -1)) return true;
  const occurrences *before = &c->of[o->node->index];
  isl_map *missing = cells_reached(o);
  for (size_t i = 0; i < before->len; i++)
    if (before->data[i]->writes == o->writes)
      missing = subtract_earlier(missing, before->data[i], o, o->writes);
  bool has = linear_map_is_empty(missing);
  isl_map_free(missing);
  return has;
}

/* What an earlier update does to a cell comes before what this one does. */
static bool comes_after(const checker *c, const occurrence *o, int number) {
  if (is_done_before(c, o, number)) return true;
  const stage_update_info *earlier = &o->node->updates.data[number];
  isl_map *missing = points_missing(c, o->node, earlier, o, o->writes, cells_reached(o));
  bool does = linear_map_is_empty(missing);
  isl_map_free(missing);
  return does;
}

/* The name of the instances. */
static const char *name_of(const occurrence *o) {
  return o->update ? o->update->name->text : o->node->name->text;
}

/* An update stands at one place, that of `o`; `other` is another one of it. */
static void report_twice(checker *c, const occurrence *o, const occurrence *other) {
  isl_set *both = isl_set_intersect(isl_map_range(executed_in(o, 0)), isl_map_range(executed_in(other, 0)));
  isl_space *space = isl_set_get_space(both);
  pm_buf text = {0};
  if (isl_set_is_empty(both) == isl_bool_true) {
    isl_set_free(both);
    pm_buf_puts(&text, name_of(o));
  } else {
    isl_point *point = isl_witness(isl_map_from_range(both));
    put_occurrence(&text, o, point, (unsigned)isl_space_dim(space, isl_dim_param));
    put_for_params(&text, space, point);
    isl_point_free(point);
  }
  c->ok = pm_op_error(o->update->op, "runs at two places of the schedule, but should at one: %s", text.data);
  pm_buf_free(&text);
  isl_space_free(space);
}

static void report_before(checker *c, const occurrence *o, const char *other) {
  c->ok = pm_op_error(o->update->op, "is scheduled before the end of %s, but %s should come after it", other,
                      name_of(o));
}

/* The values before the updates are complete, and are not computed again after an update. */
static void check_values_before(checker *c, const occurrence *o) {
  const occurrences *before = &c->of[o->node->index];
  if (!has_values_before(c, o)) report_before(c, o, o->node->name->text);
  for (size_t i = 0; i < before->len && c->ok; i++)
    if (before->data[i]->writes == o->writes && !is_all_before(before->data[i], o) &&
        !runs_once(before->data[i]))
      c->ok = pm_op_error(o->update->op, "starts from values of %s that the schedule computes more than once",
                          o->node->name->text);
}

/* The values before the updates are complete, and the updates run in their order, each at one place for a
 * memory. */
static void check_update_sequence(checker *c, const occurrence *o) {
  const occurrences *updates = &c->updates[o->node->index];
  check_values_before(c, o);
  for (size_t i = 0; i < updates->len && updates->data[i] != o; i++)
    if (updates->data[i]->update == o->update && updates->data[i]->writes == o->writes)
      report_twice(c, o, updates->data[i]);
  for (int i = 0; i < (int)(o->update - o->node->updates.data); i++)
    if (!comes_after(c, o, i)) report_before(c, o, o->node->updates.data[i].name->text);
}

/* The values that an update reads of its stage are known to be there when all of it is in one memory. */
static void check_update_memory(checker *c, const occurrence *o) {
  bool reads = false;
  for (size_t i = 0; i < o->node->self_reads.len; i++) reads = reads || makes(o, o->node->self_reads.data[i]);
  if (!c->has_memory) return;
  if (!o->writes)
    c->ok = pm_op_error(o->update->op, "runs where no 'poly.alloc' of its stage is in scope");
  else if (poly_alloc_is_folded(o->writes->alloc))
    c->ok = pm_op_error(o->update->op, "runs where the memory of its stage is folded, but should not be");
  else if (reads && !o->writes->whole)
    c->ok = pm_op_error(o->update->op, "reads its stage, but runs where no whole array of it is in scope");
}

static void check_update(checker *c, const occurrence *o) {
  check_update_points(c, o);
  check_update_sequence(c, o);
  if (c->ok) check_update_order(c, o);
  check_update_memory(c, o);
}

/* An update without points is in no schedule. */
static size_t count_updates(const stage_node *node) {
  size_t n = 0;
  for (size_t i = 0; i < node->updates.len; i++)
    n += isl_set_is_empty(node->updates.data[i].set) != isl_bool_true;
  return n;
}

/* A stage whose updates are not scheduled at all. */
static void check_updates_present(checker *c, const stage_node *node) {
  size_t n = count_updates(node);
  if (c->of[node->index].len && c->updates[node->index].len < n)
    c->ok =
        pm_op_error(node->op, "has %zu updates, but the schedule runs %zu", n, c->updates[node->index].len);
}

static void check_in_domain(checker *c, const occurrence *o) {
  char *instance;
  isl_map *outside = linear_subtract_range(executed_in(o, 0), isl_set_copy(o->node->domain));
  if (is_none(c, o->node, outside, &instance)) return;
  pm_op_error(o->node->op, "does not have %s in its domain, but the schedule computes it", instance);
  free(instance);
}

static void check_writes(checker *c, const occurrence *o) {
  if (!o->in_domain) check_in_domain(c, o);
  if (!c->has_memory) return;
  if (o->writes)
    check_box(c, o);
  else
    c->ok = pm_op_error(o->node->op, "is computed where no 'poly.alloc' of it is in scope");
}

/* Other writes of the same memory by the same stage. */
static void check_rewrites(checker *c, const occurrence *o) {
  const occurrences *writers = &c->of[o->node->index];
  bool ok = true;
  for (size_t i = 0; ok && i < writers->len && (i == 0 || writers->data[i - 1] != o); i++) {
    const occurrence *other = writers->data[i];
    if (may_share(other->writes, o->writes) && may_conflict(o, other, false))
      ok = check_conflicts(c, o, other, executed(other));
  }
}

static bool leaves(checker *c, const occurrence *o) {
  if (!c->has_memory) return true;
  return o->writes && poly_alloc_is_output(o->writes->alloc);
}

static void check_output(checker *c, const stage_node *node) {
  char *instance;
  isl_set *missing = isl_set_copy(node->domain);
  for (size_t i = 0; i < c->of[node->index].len; i++) {
    const occurrence *o = c->of[node->index].data[i];
    if (leaves(c, o)) missing = isl_set_subtract(missing, isl_map_range(executed_in(o, 0)));
  }
  if (is_none(c, node, isl_map_from_range(missing), &instance)) return;
  pm_op_error(node->op, "is an output with %s, but the schedule does not compute that%s", instance,
              c->has_memory ? " in its output array" : "");
  free(instance);
}

/* --- shared memory: what is in it is done before the next one begins --- */

/* The child of the sequence right below the allocation in which the occurrence is; -1 when no sequence, or
 * one inside of further loops, is there. What stands ahead of the tree for a whole array is stored at the
 * beginning of a child of the domain's sequence, so that only these count. */
static int64_t child_of(const memory *m, const occurrence *o) {
  const place *p = o->place;
  while (p && p->parent != m->outside) p = p->parent;
  if (!p || p->depth != m->depth || !pm_is(p->sequence, &poly_sequence)) return -1;
  return m->whole && !pm_is(pm_parent(p->sequence), &poly_domain) ? -1 : (int64_t)p->position;
}

/* The whole arrays of a stage are one, wherever they are allocated. */
static void note_use(checker *c, const occurrence *o, const memory *m) {
  if (m && m->whole) m = pm_map_get(c->shared_arrays, pm_sym_at(m->alloc, poly_alloc_stage));
  lifetime *alive = m ? m->alive : NULL;
  if (!alive) return;
  int64_t child = child_of(m, o), first = child < 0 ? INT64_MIN : child, last = child < 0 ? INT64_MAX : child;
  if (!alive->opens || first < alive->first) {
    alive->first = first;
    alive->opens = o;
  }
  if (!alive->closes || last > alive->last) {
    alive->last = last;
    alive->closes = o;
  }
}

static void find_lifetimes(checker *c) {
  for (size_t i = 0; i < c->all.len; i++) {
    const occurrence *o = c->all.data[i];
    note_use(c, o, o->writes);
    for (size_t k = 0; k < o->node->reads.len; k++)
      if (makes(o, o->node->reads.data[k])) note_use(c, o, o->reads[k]);
  }
}

/* By node of the tree, number and beginning. */
static int by_memory(const void *x, const void *y) {
  const lifetime *a = *(lifetime *const *)x, *b = *(lifetime *const *)y;
  int64_t m = pm_int_at(a->memory->alloc, poly_alloc_pool), n = pm_int_at(b->memory->alloc, poly_alloc_pool);
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (m != n) return m < n ? -1 : 1;
  return (a->first > b->first) - (a->first < b->first);
}

/* `c[0, 0] for R = 3`: an instance; to be freed. */
static char *sample_occurrence(const occurrence *o) {
  isl_map *all = executed(o);
  isl_space *space = isl_map_get_space(all);
  unsigned first = (unsigned)(isl_space_dim(space, isl_dim_param) + isl_space_dim(space, isl_dim_in));
  isl_point *point = isl_witness(all);
  pm_buf text = {0};
  put_occurrence(&text, o, point, first);
  put_for_params(&text, space, point);
  isl_point_free(point);
  isl_space_free(space);
  return pm_buf_take(&text);
}

static void report_sharing(checker *c, const lifetime *a, const lifetime *b) {
  const char *other = pm_sym_at(a->memory->alloc, poly_alloc_stage)->text;
  char *user = sample_occurrence(a->closes), *next = sample_occurrence(b->opens);
  pm_buf text = {0};
  if (a->closes == b->opens)
    pm_buf_printf(&text, "%s uses both", next);
  else
    pm_buf_printf(&text, "%s does not come after %s, which uses @%s", next, user, other);
  c->ok = pm_op_error(b->memory->alloc, "of @%s has the memory of @%s, but %s",
                      pm_sym_at(b->memory->alloc, poly_alloc_stage)->text, other, text.data);
  pm_buf_free(&text);
  free(user);
  free(next);
}

static void check_sharing(checker *c) {
  const lifetime *before = NULL;
  find_lifetimes(c);
  if (c->shared.len) qsort(c->shared.data, c->shared.len, sizeof *c->shared.data, by_memory);
  for (size_t i = 0; i < c->shared.len; i++) {
    const lifetime *l = c->shared.data[i];
    if (!l->opens) continue;
    bool same =
        before && before->node == l->node &&
        pm_attr_at(before->memory->alloc, poly_alloc_pool) == pm_attr_at(l->memory->alloc, poly_alloc_pool);
    if (same && before->last >= l->first) report_sharing(c, before, l);
    if (!same || l->last > before->last) before = l;
  }
}

static void check_all(checker *c) {
  for (size_t i = 0; i < c->graph->outputs.len; i++) check_output(c, c->graph->outputs.data[i]);
  for (size_t i = 0; i < c->graph->nodes.len; i++) check_updates_present(c, c->graph->nodes.data[i]);
  for (size_t i = 0; i < c->all.len; i++) {
    const occurrence *o = c->all.data[i];
    if (o->update) {
      check_update(c, o);
    } else {
      check_writes(c, o);
      check_rewrites(c, o);
      check_recurrence(c, o);
    }
    check_reads(c, o);
  }
  for (size_t i = 0; i < c->folded.len && c->ok; i++) check_ring(c, c->folded.data[i]);
  check_sharing(c);
}

/* --- the pass --- */

static bool has_allocs(pm_op *schedule) {
  poly_ops allocs = {0};
  poly_collect(schedule, &poly_alloc, &allocs);
  bool any = allocs.len > 0;
  PM_VEC_FREE(allocs);
  return any;
}

static void free_checker(checker *c) {
  for (size_t i = 0; i < c->all.len; i++) free_occurrence(c->all.data[i]);
  for (size_t i = 0; i < c->graph->nodes.len; i++) {
    PM_VEC_FREE(c->of[i]);
    PM_VEC_FREE(c->updates[i]);
  }
  for (size_t i = 0; i < c->members.len; i++) isl_map_free(c->members.data[i]);
  for (size_t i = 0; i < c->iterations.len; i++) isl_set_free(c->iterations.data[i]);
  PM_VEC_FREE(c->iterations);
  PM_VEC_FREE(c->all);
  PM_VEC_FREE(c->members);
  PM_VEC_FREE(c->folded);
  PM_VEC_FREE(c->shared);
  pm_map_free(c->shared_arrays);
  pm_map_free(c->in_scope);
  pm_map_free(c->reported);
}

pm_result pass_verify_schedule(pm_pass *p) {
  const stage_graph *graph = stage_graph_expanded(p);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_need_schedule(graph->pipeline);
  if (!schedule) return PM_FAILED;
  pm_arena *arena = pm_pass_arena(p);
  checker c = {.pass = p,
               .graph = graph,
               .arena = arena,
               .in_scope = pm_map_new(),
               .shared_arrays = pm_map_new(),
               .reported = pm_map_new(),
               .ok = true};
  c.of = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *c.of);
  c.between = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *c.between);
  c.updates = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *c.updates);
  c.has_memory = has_allocs(schedule);
  visit_domain(&c, poly_child(schedule));
  if (c.ok) check_all(&c);
  if (c.ok)
    pm_pass_remark(
        p, graph->pipeline->loc, PM_REMARK_ANALYSIS,
        (pm_remark_arg[]){{"statements", (double)c.all.len}, {"reads", (double)graph->accesses.len}}, 2,
        "the schedule of %zu statements and %zu reads is legal for all parameter values", c.all.len,
        graph->accesses.len);
  bool ok = c.ok;
  free_checker(&c);
  return ok ? PM_UNCHANGED : PM_FAILED;
}
