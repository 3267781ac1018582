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
  pm_map *atomic;   /* pm_string of updates below marks "atomic" */
  size_t n_nodes;   /* with allocations, entered so far */
  poly_marks marks;
  bool expanded; /* the tree says that it has all statements */
  bool ok;
} walk;

/* --- instances that reach a node of the tree --- */

/* A statement below an expansion: what the expansion gives it, and where it runs. */
typedef struct poly_run {
  const pm_op *expansion;
  const stage_statement *statement;
  isl_map *brought; /* borrowed from the expansion's position */
  const poly_occurrence *together;
  poly_occurrence *at;
  unsigned n; /* leaves */
  bool all;   /* the leaf has all instances that the expansion gives */
} poly_run;

typedef struct reached {
  const stage_node *node;
  const stage_update_info *update;   /* NULL: no update */
  const stage_statement *statement;  /* NULL: an update, or all of the stage */
  poly_run *run;                     /* of the statement, below an expansion; NULL: it is below none */
  isl_map *brought;                  /* iterations of the loops around what brought it -> instances */
  const poly_iterations *restricted; /* those of these iterations that there are; NULL: all */
  const poly_stage_band *bands;      /* since it was brought */
  bool in_domain;                    /* of the stage, known when it is brought */
  isl_map *all; /* of a statement in the domain: what is brought, if it is all; never used as a map */
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

/* What stands for a stage or a statement in tables. */
static const void *key_of(const reached *r) {
  if (r->update) return r->update;
  return r->statement ? (const void *)r->statement : (const void *)r->node;
}

/* The stage or statement that a tuple of the tree names; its node is NULL after a diagnostic. Takes `space`,
 * that of a set. */
static reached reached_of_tuple(walk *w, const pm_op *op, __isl_take isl_space *space) {
  reached r = {0};
  const stage_statement *statement = NULL;
  r.node = poly_check_instances(w->found->statements, op, space, &statement);
  if (!r.node)
    w->ok = false;
  else if (statement && statement->kind == STAGE_UPDATE)
    r.update = &r.node->updates.data[statement->number];
  else
    r.statement = statement;
  return r;
}

/* The name that its instances have in the tree. */
static const char *tuple_of(const reached *r) {
  if (r->update) return r->update->name->text;
  return r->statement ? r->statement->name->text : r->node->name->text;
}

/* The instances of a set or map of the tree as occurrences have them: with the tuple of the stage. */
static __isl_give isl_map *as_points(const reached *r, __isl_take isl_map *brought) {
  return r->statement ? isl_map_set_tuple_name(brought, isl_dim_out, r->node->name->text) : brought;
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

static poly_occurrence *new_occurrence(walk *w, const position *at, const reached *r) {
  poly_occurrence *o = pm_arena_alloc(w->found->arena, sizeof *o);
  const poly_memory **reads = pm_arena_alloc(w->found->arena, (r->node->reads.len + 1) * sizeof *reads);
  for (size_t i = 0; i < r->node->reads.len; i++)
    reads[i] = pm_map_get(w->in_scope, r->node->reads.data[i]->producer->name);
  *o = (poly_occurrence){.node = r->node,
                         .update = r->update,
                         .statement = r->statement,
                         .atomic = r->update && pm_map_has(w->atomic, r->update->name),
                         .complete = r->all && r->all == r->brought,
                         .computed = pm_arena_alloc(w->found->arena, r->node->reads.len + 1),
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
  return o;
}

/* Takes what the expansion gave as the measure of what arrives. */
static void note_leaf(poly_run *run, const reached *r, poly_occurrence *o) {
  run->at = o;
  o->together = run->together;
  run->n++;
  run->all = r->brought == run->brought ||
             stage_is_subset(r->node->facts, isl_map_copy(run->brought), isl_map_copy(r->brought));
}

/* What is outside of the domain computes no point of the stage. */
static bool computes_points(const reached *r) {
  return !r->run && !(r->statement && r->statement->kind == STAGE_OUTSIDE);
}

/* Where every store is to be a statement's, a leaf has no stage that is several of them. */
static bool is_expanded(walk *w, const reached *r) {
  if (!w->expanded || r->update || r->statement || stage_find_statement(w->found->statements, r->node->name))
    return true;
  return pm_op_error(r->node->op,
                     "reaches a leaf of the schedule unexpanded, but should be expanded into its statements");
}

static void add_occurrence(walk *w, const position *at, const reached *r) {
  poly_occurrence *o = new_occurrence(w, at, r);
  w->ok = is_expanded(w, r) && w->ok;
  size_t index = r->node->index;
  PM_VEC_PUSH(w->found->all, o);
  if (r->run) note_leaf(r->run, r, o);
  if (r->update) {
    PM_VEC_PUSH(w->found->updates[index], o);
    PM_VEC_PUSH(w->found->update[index][r->update - r->node->updates.data], o);
  } else {
    PM_VEC_PUSH(w->found->stores[index], o);
  }
  if (!r->update && computes_points(r)) PM_VEC_PUSH(w->found->stages[index], o);
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
  if (inner) map = linear_flat_domain_product(map, isl_map_reverse(isl_map_copy(inner->members)));
  return isl_map_project_out(map, isl_dim_in, n, (unsigned)isl_map_dim(map, isl_dim_in) - n);
}

static __isl_give isl_map *in_loops(isl_map *brought, const poly_iterations *restricted,
                                    const poly_stage_band *inner, unsigned n) {
  isl_map *map = isl_map_copy(brought);
  if (restricted) map = isl_map_intersect_domain(map, isl_set_copy(restricted->set));
  return add_loops(map, inner, n);
}

/* Nowhere defined. */
static __isl_give isl_map *no_members(const reached *r, const pm_op *band) {
  isl_space *space = isl_space_from_domain(isl_space_range(isl_map_get_space(r->brought)));
  space = isl_space_add_dims(space, isl_dim_out, poly_band_members(band));
  return isl_map_empty(isl_space_set_tuple_name(space, isl_dim_in, tuple_of(r)));
}

/* A band loses the instances on which it is not defined. */
static void add_band(walk *w, reached *r, const pm_op *band, unsigned depth) {
  isl_map *members = poly_band_map(band, pm_get_cstring(w->found->graph->ctx, tuple_of(r)));
  if (!members) members = no_members(r, band);
  if (r->statement) members = isl_map_set_tuple_name(members, isl_dim_in, r->node->name->text);
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
  position inner = copy_position(at);
  for (size_t i = 0; i < inner.stages.len; i++) add_band(w, &inner.stages.data[i], band, at->depth);
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
  if (r->statement) set = isl_set_set_tuple_name(set, r->node->name->text);
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
                   .statement = r->statement,
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
  *found = (poly_iterations){at->within, isl_coalesce(all)};
  PM_VEC_PUSH(w->found->iterations, found->set);
  return found;
}

/* All instances are points of the stage's domain, or of the statement. */
static bool brings_domain(const reached *r, isl_map *brought) {
  if (r->update) return false;
  isl_set *loops = isl_set_universe(isl_space_domain(isl_map_get_space(brought)));
  isl_set *points = r->statement ? stage_statement_points(r->statement) : isl_set_copy(r->node->domain);
  return stage_is_subset(r->node->facts, isl_map_copy(brought), isl_map_from_domain_and_range(loops, points));
}

/* A default that cases with guards may store over is only known to come before them in one expansion. */
static bool may_come_alone(walk *w, const pm_op *op, const reached *r) {
  size_t n;
  const stage_statement *all = r->statement ? stage_statements_of(w->found->statements, r->node, &n) : NULL;
  for (size_t i = 0; all && i < n; i++)
    if (all[i].overwritten && r->statement->kind != STAGE_OUTSIDE)
      return pm_op_error(
          op,
          "schedules %s by itself, but the default and the cases of @%s, which have guards, should be in "
          "one 'poly.expansion'",
          r->statement->name->text, r->node->name->text);
  return true;
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
  map = as_points(&what, map);
  e->w->ok = may_come_alone(e->w, e->op, &what) && e->w->ok;
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

/* --- expansions --- */

typedef struct expanding {
  walk *w;
  const pm_op *op;
  const position *from;
  pm_map *index; /* key -> reached of `from` */
  position *to;
  PM_VEC(poly_run *) runs;
  PM_VEC(isl_map *) brought; /* of the runs: owned */
} expanding;

/* The expansion gives each point that it maps to itself, and maps the points of the statement. Takes the map.
 */
static bool gives_points(const expanding *e, const reached *of, const reached *to, __isl_take isl_map *map) {
  isl_map *wanted = to->statement ? isl_set_identity(stage_statement_points(to->statement)) : NULL;
  bool plain = wanted && isl_map_plain_is_equal(map, wanted) == isl_bool_true;
  isl_map_free(wanted);
  if (plain) {
    isl_map_free(map);
    return true;
  }
  isl_map *same = isl_map_identity(isl_map_get_space(map));
  bool identity = isl_take_is_subset(isl_map_copy(map), same);
  isl_set *mapped = isl_map_domain(map);
  isl_set *points = to->statement ? stage_statement_points(to->statement) : isl_set_copy(of->node->domain);
  bool all =
      stage_is_subset(of->node->facts, isl_map_from_range(points), isl_map_from_range(isl_set_copy(mapped)));
  mapped = stage_facts_around(e->w->found->graph->facts, mapped);
  bool only = !to->statement || stage_is_subset(of->node->facts, isl_map_from_range(mapped),
                                                isl_map_from_range(stage_statement_points(to->statement)));
  if (!to->statement) isl_set_free(mapped);
  if (!identity)
    return pm_op_error(e->op, "gives instances of %s at other points than those of @%s", tuple_of(to),
                       of->node->name->text);
  return (all && only) ||
         pm_op_error(e->op, "should give %s all instances of that statement and no others", tuple_of(to));
}

/* An instance of a stage becomes those of a statement, or stays as it is. */
static void add_expanded(expanding *e, const reached *r, reached to) {
  reached passing = *r;
  passing.brought = isl_map_copy(r->brought);
  if (to.statement) {
    passing.statement = to.statement;
    passing.brought = isl_map_intersect_range(passing.brought, stage_statement_points(to.statement));
    passing.run = pm_arena_alloc(e->w->found->arena, sizeof *passing.run);
    *passing.run =
        (poly_run){.expansion = e->op, .statement = to.statement, .brought = isl_map_copy(passing.brought)};
    PM_VEC_PUSH(e->runs, passing.run);
    PM_VEC_PUSH(e->brought, passing.run->brought);
  }
  PM_VEC_PUSH(e->to->stages, passing);
}

static isl_stat expand_map(__isl_take isl_map *map, void *user) {
  expanding *e = user;
  walk *w = e->w;
  reached of = reached_of_tuple(w, e->op, isl_space_domain(isl_map_get_space(map)));
  reached to = reached_of_tuple(w, e->op, isl_space_range(isl_map_get_space(map)));
  bool fits = of.node && of.node == to.node && of.update == to.update && !of.statement;
  if (of.node && to.node && !fits)
    w->ok = pm_op_error(e->op, "makes %s of %s, which should be a statement of that stage", tuple_of(&to),
                        tuple_of(&of));
  const reached *r = fits ? pm_map_get(e->index, key_of(&of)) : NULL;
  if (!r) {
    isl_map_free(map);
    return isl_stat_ok;
  }
  if (!of.update) {
    map = isl_map_set_tuple_name(map, isl_dim_out, of.node->name->text);
    w->ok = gives_points(e, &of, &to, map) && w->ok;
  } else {
    isl_map_free(map);
  }
  add_expanded(e, r, to);
  return isl_stat_ok;
}

static bool lists(const expanding *e, const stage_statement *s) {
  for (size_t i = 0; i < e->runs.len; i++)
    if (e->runs.data[i]->statement == s) return true;
  return false;
}

/* The points of the stage that the listed statements compute; NULL: all. Where cases store over the default,
 * all are listed or none may be. Those that are not listed are what `o` lacks. */
static __isl_give isl_set *points_given(expanding *e, const stage_node *node, poly_occurrence *o) {
  size_t n;
  const stage_statement *all = stage_statements_of(e->w->found->statements, node, &n);
  const stage_statement **lacking = pm_arena_alloc(e->w->found->arena, (n + 1) * sizeof *lacking);
  isl_set_list *points = isl_set_list_alloc(isl_set_get_ctx(node->domain), 0);
  bool overwritten = false;
  o->lacking = lacking;
  for (size_t i = 0; i < n; i++) {
    if (all[i].kind != STAGE_DEFAULT && all[i].kind != STAGE_CASE) continue;
    overwritten = overwritten || all[i].overwritten;
    if (lists(e, &all[i]))
      points = isl_set_list_add(points, stage_statement_points(&all[i]));
    else
      lacking[o->n_lacking++] = &all[i];
  }
  if (overwritten && o->n_lacking)
    e->w->ok = pm_op_error(e->op, "should give all statements of @%s, whose cases store over its default",
                           node->name->text);
  if (o->n_lacking) return isl_take_union(points, isl_set_get_space(node->domain));
  isl_set_list_free(points);
  return NULL;
}

/* What the statements of a stage below the expansion compute together. */
static void add_provider(expanding *e, const reached *r) {
  bool any = false;
  for (size_t i = 0; i < e->runs.len; i++) any = any || e->runs.data[i]->statement->node == r->node;
  if (!any || r->update) return;
  poly_occurrence *o = new_occurrence(e->w, e->from, r);
  isl_set *given = points_given(e, r->node, o);
  if (given) {
    poly_occurrence *whole = new_occurrence(e->w, e->from, r);
    o->whole = whole;
    o->brought = isl_map_intersect_range(o->brought, given);
    o->complete = false;
    PM_VEC_PUSH(e->w->found->providers, whole);
  }
  for (size_t i = 0; i < e->runs.len; i++)
    if (e->runs.data[i]->statement->node == r->node) e->runs.data[i]->together = o;
  PM_VEC_PUSH(e->w->found->providers, o);
  PM_VEC_PUSH(e->w->found->stages[r->node->index], o);
}

/* The default of a stage is stored before the cases that may store over it. */
static bool keeps_order(const expanding *e, const poly_run *first, const poly_run *then) {
  bool over = first->statement->overwritten && then->statement->kind == STAGE_CASE;
  if (!over || first->statement->node != then->statement->node) return true;
  poly_meeting at = poly_meeting_of(first->at, then->at);
  return (at.before && at.depth == e->from->depth) ||
         pm_op_error(e->op, "should run %s before %s, which may store over it", first->statement->name->text,
                     then->statement->name->text);
}

/* Each statement runs at one leaf below the expansion, with all its instances; those of a stage that reads
 * itself in the loops around the expansion, which their order is proven of. */
static bool check_run(const expanding *e, const poly_run *run) {
  const char *name = run->statement->name->text;
  if (run->n != 1 || !run->all)
    return pm_op_error(e->op, "gives instances of %s, which should run once, at one position below it", name);
  if (run->at->writes != pm_map_get(e->w->in_scope, run->statement->node->name))
    return pm_op_error(e->op, "has an allocation of @%s below it, but should be inside of that",
                       run->statement->node->name->text);
  if (run->statement->node->self_reads.len && run->at->depth != e->from->depth)
    return pm_op_error(
        e->op, "has loops around %s below it, but a stage that reads itself should be expanded inside them",
        name);
  return true;
}

static bool check_runs(const expanding *e) {
  for (size_t i = 0; i < e->runs.len; i++)
    if (!check_run(e, e->runs.data[i])) return false;
  for (size_t i = 0; i < e->runs.len; i++)
    for (size_t k = 0; k < e->runs.len; k++)
      if (!keeps_order(e, e->runs.data[i], e->runs.data[k])) return false;
  return true;
}

static void visit_expansion(walk *w, pm_op *op, const position *at) {
  position inner = empty_like(at);
  expanding e = {.w = w, .op = op, .from = at, .index = index_stages(at), .to = &inner};
  isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_expansion_map)), expand_map, &e);
  for (size_t i = 0; i < at->stages.len; i++) add_provider(&e, &at->stages.data[i]);
  if (w->ok) visit_inside(w, op, &inner);
  w->ok = w->ok && check_runs(&e);
  for (size_t i = 0; i < e.brought.len; i++) isl_map_free(e.brought.data[i]);
  PM_VEC_FREE(e.brought);
  PM_VEC_FREE(e.runs);
  pm_map_free(e.index);
  free_position(&inner);
}

static void visit_mark(walk *w, pm_op *op, position *at) {
  poly_loop_kind before = at->next;
  if (poly_is_mark(op, POLY_MARK_jam)) at->next = POLY_LOOP_JAMMED;
  if (poly_is_mark(op, POLY_MARK_vector)) at->next = POLY_LOOP_VECTOR;
  if (poly_is_mark(op, POLY_MARK_parallel) || poly_is_mark(op, POLY_MARK_item)) at->next = POLY_LOOP_PARALLEL;
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
  else if (pm_is(node, &poly_expansion))
    visit_expansion(w, node, at);
  else if (pm_is(node, &poly_filter))
    visit_lone_filter(w, node, at);
  else
    visit_sequence(w, node, at);
}

static bool has_all_points(const reached *r, isl_map *brought) {
  isl_map *points =
      isl_map_from_range(r->statement ? stage_statement_points(r->statement) : isl_set_copy(r->node->domain));
  if (isl_map_plain_is_equal(points, brought) != isl_bool_true)
    return stage_is_subset(r->node->facts, points, isl_map_copy(brought));
  isl_map_free(points);
  return true;
}

static isl_stat add_from_domain(__isl_take isl_set *set, void *user) {
  extending *e = user;
  reached what = reached_of_tuple(e->w, e->op, isl_set_get_space(set));
  if (!what.node) {
    isl_set_free(set);
    return isl_stat_ok;
  }
  set = stage_facts_around(e->w->found->graph->facts, set);
  e->w->ok = may_come_alone(e->w, e->op, &what) && e->w->ok;
  what.brought = as_points(&what, isl_map_from_range(set));
  if (!what.update && has_all_points(&what, what.brought)) what.all = what.brought;
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

bool poly_find_occurrences(pm_arena *arena, const stage_statements *statements, pm_op *schedule,
                           poly_marks marks, poly_occurrences *out) {
  const stage_graph *graph = stage_statements_graph(statements);
  *out = (poly_occurrences){.graph = graph, .statements = statements, .arena = arena};
  out->stores = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *out->stores);
  out->stages = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *out->stages);
  out->updates = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *out->updates);
  out->update = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *out->update);
  for (size_t i = 0; i < graph->nodes.len; i++)
    out->update[i] = pm_arena_alloc(arena, (graph->nodes.data[i]->updates.len + 1) * sizeof **out->update);
  walk w = {.found = out, .in_scope = pm_map_new(), .marks = marks, .ok = true};
  w.atomic = pm_map_new();
  poly_collect_atomic(schedule, w.atomic);
  w.expanded = pm_attr_at(schedule, poly_schedule_expanded) != NULL;
  visit_domain(&w, poly_child(schedule));
  pm_map_free(w.in_scope);
  pm_map_free(w.atomic);
  return w.ok;
}

void poly_free_occurrences(poly_occurrences *all) {
  for (size_t i = 0; i < all->all.len; i++) free_occurrence(all->all.data[i]);
  for (size_t i = 0; i < all->providers.len; i++) free_occurrence(all->providers.data[i]);
  for (size_t i = 0; i < all->graph->nodes.len; i++) {
    PM_VEC_FREE(all->stages[i]);
    PM_VEC_FREE(all->stores[i]);
    PM_VEC_FREE(all->updates[i]);
    for (size_t k = 0; k < all->graph->nodes.data[i]->updates.len; k++) PM_VEC_FREE(all->update[i][k]);
  }
  for (size_t i = 0; i < all->members.len; i++) isl_map_free(all->members.data[i]);
  for (size_t i = 0; i < all->iterations.len; i++) isl_set_free(all->iterations.data[i]);
  PM_VEC_FREE(all->iterations);
  PM_VEC_FREE(all->members);
  PM_VEC_FREE(all->memories);
  PM_VEC_FREE(all->providers);
  PM_VEC_FREE(all->all);
}

/* --- of an occurrence --- */

const char *poly_occurrence_name(const poly_occurrence *o) {
  if (o->update) return o->update->name->text;
  return o->statement ? o->statement->name->text : o->node->name->text;
}

__isl_give isl_set *poly_occurrence_points(const poly_occurrence *o) {
  if (o->update) return isl_set_copy(o->update->set);
  return o->statement ? stage_statement_points(o->statement) : isl_set_copy(o->node->domain);
}

/* All points of the statement are computed elsewhere before `then`. */
static bool is_done_apart(const poly_occurrence_list *list, const stage_statement *statement,
                          const poly_occurrence *then, const poly_memory *m) {
  for (size_t i = 0; i < list->len; i++) {
    const poly_occurrence *o = list->data[i];
    if (o->statement == statement && o->complete && o->writes == m && poly_is_all_before(o, then))
      return true;
  }
  return false;
}

const poly_occurrence *poly_completed(const poly_occurrences *all, const poly_occurrence *o,
                                      const poly_occurrence *then, const poly_memory *m) {
  for (size_t i = 0; i < o->n_lacking; i++)
    if (!is_done_apart(&all->stages[o->node->index], o->lacking[i], then, m)) return o;
  return o->whole ? o->whole : o;
}

bool poly_may_store_same(const poly_occurrence *a, const poly_occurrence *b) {
  if (!a->statement || !b->statement || a->statement == b->statement) return true;
  return a->statement->overwritten || b->statement->overwritten;
}

unsigned poly_occurrence_dims(const poly_occurrence *o) {
  return o->update ? (unsigned)isl_set_dim(o->update->set, isl_dim_set) : o->node->n_dims;
}

bool poly_makes(const poly_occurrence *o, const stage_access *access) {
  if (access->update_index < 0 && o->statement)
    return o->statement->kind == STAGE_CASE && (unsigned)access->case_index == o->statement->number;
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
    missing = stage_subtract(first->node->facts, missing, done);
  }
  for (unsigned i = from; i < at.depth; i++) {
    if (then->loops[i] != POLY_LOOP_SERIAL || stage_is_empty(first->node->facts, missing)) continue;
    isl_map *done = poly_executed_in(first, i + 1);
    done = isl_map_apply_domain(done, earlier_in_last(isl_map_get_ctx(done), i + 1));
    missing = stage_subtract(first->node->facts, missing, with_free_loops(done, i + 1, then->depth));
  }
  return missing;
}
