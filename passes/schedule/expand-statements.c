/* expand-statements: the leaves of the tree become statements: the stores that are emitted, in loops of their
 * own.
 *
 *   domain "{ f }" { sequence { filter "{ f }" { … filter "{ f }" { band "f -> y" } … } } }
 *   =>
 *   domain "{ f; f_default }" { sequence {
 *     filter "{ f_default }" { band "f_default -> x, y" }
 *     filter "{ f }" { … filter "{ f }" { expansion "{ f -> f_case0; f -> f_case1 }" { sequence {
 *       filter "{ f_case0 }" { band "f_case0 -> y" }
 *       filter "{ f_case1 }" { band "f_case1 -> y" } } } } … } } }
 *
 * The default values of whole arrays, and of cells outside of a domain, are stored ahead: in the tiles they
 * would split the tile loops into border and interior. Those of an array that shares its memory are stored
 * ahead of the part that computes the stage: before that, others may have the memory. Not those that a case
 * with guards may overwrite: they are as large as the case; nor those of stages that have the cells of an
 * array in turn. The statements of a stage that reads itself share its loops, since they need each other's
 * points in between. */
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/statements.h"
#include "passes/options.h"

#include <stdlib.h>

typedef PM_VEC(const stage_statement *) statement_list;

typedef struct expander {
  pm_pass *pass;
  const stage_graph *graph;
  const stage_statements *statements;
  isl_union_set *domain; /* of the tree as it was found; borrowed */
  pm_map *scattered;     /* pm_string of the stages that are not, or not only, one whole array that the domain
                            fills */
  pm_map *pooled;        /* pm_string of the stages whose whole array shares memory */
  pm_map *first;         /* pm_string of stages -> the first child of the root's sequence that has them */
} expander;

/* --- what is ahead --- */

/* Takes the instances. */
static void add_names(pm_context *ctx, poly_names *names, __isl_take isl_union_set *instances) {
  poly_stage_names(ctx, instances, names);
  isl_union_set_free(instances);
}

static void note_alloc(expander *x, const pm_op *alloc) {
  pm_string stage = pm_sym_at(alloc, poly_alloc_stage);
  bool box = poly_alloc_has_box(alloc);
  if (box || pm_attr_at(alloc, poly_alloc_turn)) pm_map_set(x->scattered, stage, NULL);
  if (!box && pm_attr_at(alloc, poly_alloc_pool)) pm_map_set(x->pooled, stage, NULL);
}

static pm_walk note_op(void *user, pm_op *op) {
  expander *x = user;
  if (pm_is(op, &poly_alloc)) note_alloc(x, op);
  if (!pm_is(op, &poly_extension)) return PM_WALK_ON;
  poly_names names = {0};
  add_names(x->graph->ctx, &names, poly_instances_of(op));
  for (size_t i = 0; i < names.len; i++) pm_map_set(x->scattered, names.data[i], NULL);
  PM_VEC_FREE(names);
  return PM_WALK_ON;
}

static bool is_in_domain(const expander *x, const stage_node *node) {
  isl_set *set = isl_union_set_extract_set(x->domain, isl_set_get_space(node->domain));
  bool some = isl_set_plain_is_empty(set) == isl_bool_false;
  isl_set_free(set);
  return some;
}

static bool is_ahead(const expander *x, const stage_statement *s) {
  if (s->kind == STAGE_OUTSIDE) return true;
  if (s->kind != STAGE_DEFAULT || stage_is_whole_stage(s) || s->overwritten || !s->node->n_dims) return false;
  return !pm_map_has(x->scattered, s->node->name) && is_in_domain(x, s->node);
}

/* --- loops of what is ahead --- */

/* All of them, free of dependences. */
static void add_loops(pm_builder b, const stage_statement *s) {
  isl_multi_aff *all = isl_multi_aff_identity_on_domain_space(isl_set_get_space(s->set));
  all = isl_multi_aff_reset_tuple_id(all, isl_dim_out);
  int64_t *coincident = pm_xmalloc((s->node->n_dims + 1) * sizeof *coincident);
  for (unsigned i = 0; i < s->node->n_dims; i++) coincident[i] = 1;
  b.loc = s->node->op->loc;
  poly_add_band(&b, isl_multi_union_pw_aff_from_multi_aff(all),
                (poly_band_info){.permutable = true, .coincident = coincident});
  free(coincident);
}

static __isl_give isl_union_set *all_instances(const stage_statement *s) {
  return isl_union_set_from_set(isl_set_universe(isl_set_get_space(s->set)));
}

static bool has_name(const poly_names *names, pm_string name) {
  for (size_t i = 0; i < names->len; i++)
    if (names->data[i] == name) return true;
  return false;
}

/* Notes a child of the root's sequence as the first one of its stages, which `next` was until then, or none.
 */
static void note_first(expander *x, pm_op *filter, const pm_op *next) {
  poly_names names = {0};
  poly_stage_names(x->graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  for (size_t i = 0; i < names.len; i++)
    if (pm_map_get(x->first, names.data[i]) == next) pm_map_set(x->first, names.data[i], filter);
  PM_VEC_FREE(names);
}

/* The child of the root's sequence that it comes right ahead of. */
static pm_op *place_ahead(const expander *x, pm_op *begin, const stage_statement *s) {
  pm_op *first = pm_map_has(x->pooled, s->node->name) ? pm_map_get(x->first, s->node->name) : NULL;
  return first ? first : begin;
}

/* The sequence below the domain, in which what is ahead has a place; made when there is none. */
static pm_op *root_sequence(const expander *x, pm_op *domain) {
  pm_op *child = poly_child(domain);
  if (child && pm_is(child, &poly_sequence)) return child;
  pm_builder b = pm_builder_at_end(pm_module_of(domain), pm_region_at(domain, 0), domain->loc);
  pm_builder inside = poly_add_sequence(&b);
  inside = poly_add_filter(&inside, isl_union_set_universe(isl_union_set_copy(x->domain)));
  if (child) pm_move_before(child, inside.region, NULL);
  return poly_child(domain);
}

static void add_ahead(expander *x, pm_op *domain, const statement_list *list) {
  if (!list->len) return;
  pm_op *begin = pm_region_at(root_sequence(x, domain), 0)->first;
  isl_union_set *instances = isl_union_set_copy(x->domain);
  for (pm_op *filter = begin; filter; filter = filter->next) note_first(x, filter, NULL);
  for (size_t i = 0; i < list->len; i++) {
    const stage_statement *s = list->data[i];
    pm_op *next = place_ahead(x, begin, s);
    pm_builder b = pm_builder_before(next);
    add_loops(poly_add_filter(&b, all_instances(s)), s);
    if (next != begin) note_first(x, pm_prev(next), next);
    instances = isl_union_set_add_set(instances, isl_set_copy(s->set));
  }
  pm_set_attr(domain, poly_domain_instances, isl_attr_of_union_set(x->graph->ctx, instances));
}

/* --- expansions --- */

/* The statements of a stage that run where the tree has it; none for an update, or a stage that is one
 * statement. */
static void list_in_place(const expander *x, pm_string tuple, statement_list *out) {
  size_t n = 0;
  const stage_node *node = stage_graph_find(x->graph, tuple);
  const stage_statement *all = node ? stage_statements_of(x->statements, node, &n) : NULL;
  for (size_t i = 0; i < n; i++)
    if (all[i].kind != STAGE_UPDATE && !stage_is_whole_stage(&all[i]) && !is_ahead(x, &all[i]))
      PM_VEC_PUSH(*out, &all[i]);
}

static bool is_one_statement(const expander *x, pm_string tuple) {
  const stage_node *node = stage_graph_find(x->graph, tuple);
  size_t n = 0;
  return !node || !stage_statements_of(x->statements, node, &n) || stage_find_statement(x->statements, tuple);
}

/* { f[x] -> s[x] } on the points of the statement, with no constraint that others imply, as which of them isl
 * drops by itself depends on what it has been asked before; what the tree names already stays as it is. */
static __isl_give isl_map *to_statement(const stage_statement *s) {
  if (s->kind == STAGE_UPDATE || stage_is_whole_stage(s))
    return isl_map_identity(isl_space_map_from_set(isl_set_get_space(s->set)));
  isl_set *points = isl_set_remove_redundancies(stage_statement_points(s));
  return isl_map_set_tuple_name(isl_set_identity(points), isl_dim_out, s->name->text);
}

static __isl_give isl_union_map *to_statements(const expander *x, const statement_list *list) {
  isl_union_map *all = isl_union_map_empty(isl_set_get_space(x->graph->context));
  for (size_t i = 0; i < list->len; i++) all = isl_union_map_add_map(all, to_statement(list->data[i]));
  return all;
}

/* The bands below a node, which one stage alone reaches, for one of its statements after the other. */
typedef struct band_maps {
  pm_string stage;
  PM_VEC(isl_map *) of; /* the stage's, by the order of the bands; NULL: a band has none */
  size_t next;
  const stage_statement *statement;
} band_maps;

static pm_walk note_band(void *user, pm_op *op) {
  band_maps *maps = user;
  if (pm_is(op, &poly_band)) PM_VEC_PUSH(maps->of, poly_band_map(op, maps->stage));
  return PM_WALK_ON;
}

static pm_walk rename_band(void *user, pm_op *op) {
  band_maps *maps = user;
  isl_map *map = pm_is(op, &poly_band) ? maps->of.data[maps->next++] : NULL;
  if (!map) return PM_WALK_ON;
  map = isl_map_set_tuple_name(isl_map_copy(map), isl_dim_in, maps->statement->name->text);
  isl_multi_union_pw_aff *schedule = isl_multi_union_pw_aff_from_union_map(isl_union_map_from_map(map));
  pm_set_attr(op, poly_band_schedule, isl_attr_of_mupa(pm_op_context(op), schedule));
  return PM_WALK_ON;
}

/* The bands of a copy, or of the bands themselves, schedule the statement in place of its stage. */
static void rename_stage(pm_op *root, band_maps *maps, const stage_statement *s) {
  maps->next = 0;
  maps->statement = s;
  pm_walk_pre(root, rename_band, maps);
}

static void free_maps(band_maps *maps) {
  for (size_t i = 0; i < maps->of.len; i++) isl_map_free(maps->of.data[i]);
  PM_VEC_FREE(maps->of);
}

/* A copy of what is below a node, NULL for nothing, for each statement; or itself for a single one. */
static void add_statements(pm_builder *b, const statement_list *list, pm_op *below) {
  band_maps maps = {.stage = list->len ? list->data[0]->node->name : NULL};
  if (below && list->len) pm_walk_pre(below, note_band, &maps);
  if (list->len == 1 && below) {
    pm_move_before(below, b->region, NULL);
    rename_stage(below, &maps, list->data[0]);
  }
  pm_builder sequence = list->len < 2 ? *b : poly_add_sequence(b);
  for (size_t i = 0; list->len > 1 && i < list->len; i++) {
    pm_builder inside = poly_add_filter(&sequence, all_instances(list->data[i]));
    pm_op *copy = below ? pm_clone(b->module, below, NULL) : NULL;
    if (copy) pm_insert(inside.region, NULL, copy);
    if (copy) rename_stage(copy, &maps, list->data[i]);
  }
  free_maps(&maps);
}

/* Gives each statement of the stage that alone reaches the node the loops below it. */
static void expand_loops(const expander *x, pm_op *node, pm_string stage) {
  statement_list list = {0};
  list_in_place(x, stage, &list);
  pm_op *below = poly_child(node);
  pm_builder b = pm_builder_at_end(pm_module_of(node), pm_region_at(node, 0), node->loc);
  b = poly_add_expansion(&b, to_statements(x, &list));
  add_statements(&b, &list, below);
  if (below && list.len != 1) pm_op_erase(below);
  PM_VEC_FREE(list);
}

/* The statements of all that reaches a leaf, in the order in which they store: those that the tree names, and
 * the others of stages that it names. */
static void list_at_leaf(const expander *x, const poly_names *names, statement_list *out) {
  size_t n;
  const stage_statement *all = stage_all_statements(x->statements, &n);
  for (size_t i = 0; i < n; i++) {
    const stage_statement *s = &all[i];
    bool part = s->kind != STAGE_UPDATE && has_name(names, s->node->name) && !is_ahead(x, s);
    if (part || has_name(names, s->name)) PM_VEC_PUSH(*out, s);
  }
}

/* Puts the statements of the stages that reach a leaf there, one after the other, inside of its loops. */
static void expand_leaf(const expander *x, pm_op *leaf, const poly_names *names) {
  statement_list list = {0};
  list_at_leaf(x, names, &list);
  pm_builder b = pm_builder_at_end(pm_module_of(leaf), pm_region_at(leaf, 0), leaf->loc);
  b = poly_add_expansion(&b, to_statements(x, &list));
  add_statements(&b, &list, NULL);
  PM_VEC_FREE(list);
}

static pm_walk is_branch(void *root, pm_op *op) {
  bool branch =
      op != root && (pm_is(op, &poly_filter) || pm_is(op, &poly_extension) || pm_is(op, &poly_expansion));
  return branch ? PM_WALK_STOP : PM_WALK_ON;
}

static pm_walk is_inner_alloc(void *root, pm_op *op) {
  return pm_is(op, &poly_alloc) && pm_parent(op) != root ? PM_WALK_STOP : PM_WALK_ON;
}

/* One stage reaches the filter or domain, and the loops below may be copied for each of its statements. */
static bool has_loops_of_its_own(const expander *x, pm_op *node, const poly_names *names) {
  const stage_node *stage = names->len == 1 ? stage_graph_find(x->graph, names->data[0]) : NULL;
  return stage && !stage->self_reads.len && pm_walk_pre(node, is_branch, node) &&
         pm_walk_pre(node, is_inner_alloc, node);
}

static bool all_are_statements(const expander *x, const poly_names *names) {
  bool all = true;
  for (size_t i = 0; i < names->len; i++) all = all && is_one_statement(x, names->data[i]);
  return all;
}

static void expand_below(const expander *x, pm_op *node, const poly_names *names);

/* The names that the filter lets through, of those that reach it. */
static void list_passing(const expander *x, const pm_op *filter, const pm_map *reaching, poly_names *out) {
  poly_names all = {0};
  poly_stage_names(x->graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &all);
  for (size_t i = 0; i < all.len; i++)
    if (pm_map_has(reaching, all.data[i])) PM_VEC_PUSH(*out, all.data[i]);
  PM_VEC_FREE(all);
}

static void expand_filters(const expander *x, pm_op *sequence, const poly_names *reaching) {
  pm_map *all = pm_map_new();
  for (size_t i = 0; i < reaching->len; i++)
    pm_map_set(all, reaching->data[i], (void *)(uintptr_t)reaching->data[i]);
  PM_FOR_OPS(filter, pm_region_at(sequence, 0)) {
    poly_names names = {0};
    list_passing(x, filter, all, &names);
    if (has_loops_of_its_own(x, filter, &names) && !all_are_statements(x, &names))
      expand_loops(x, filter, names.data[0]);
    else
      expand_below(x, filter, &names);
    PM_VEC_FREE(names);
  }
  pm_map_free(all);
}

/* The instances of the named stages and updates reach the node. */
static void expand_below(const expander *x, pm_op *node, const poly_names *names) {
  pm_op *child = poly_child(node);
  if (!child) {
    if (!all_are_statements(x, names)) expand_leaf(x, node, names);
  } else if (poly_has_filters(child)) {
    expand_filters(x, child, names);
  } else if (pm_is(child, &poly_extension)) {
    poly_names more = {0};
    for (size_t i = 0; i < names->len; i++) PM_VEC_PUSH(more, names->data[i]);
    add_names(x->graph->ctx, &more, poly_instances_of(child));
    expand_below(x, child, &more);
    PM_VEC_FREE(more);
  } else if (!pm_is(child, &poly_expansion)) {
    expand_below(x, child, names);
  }
}

static void expand_domain(const expander *x, pm_op *domain) {
  poly_names names = {0};
  poly_stage_names(x->graph->ctx, x->domain, &names);
  if (has_loops_of_its_own(x, domain, &names) && !all_are_statements(x, &names))
    expand_loops(x, domain, names.data[0]);
  else
    expand_below(x, domain, &names);
  PM_VEC_FREE(names);
}

/* --- the pass --- */

static void list_ahead(const expander *x, statement_list *out) {
  size_t n;
  const stage_statement *all = stage_all_statements(x->statements, &n);
  for (size_t i = 0; i < n; i++)
    if (is_ahead(x, &all[i])) PM_VEC_PUSH(*out, &all[i]);
}

static void explain(const expander *x, const statement_list *ahead) {
  size_t n;
  (void)stage_all_statements(x->statements, &n);
  pm_pass_remark(x->pass, x->graph->pipeline->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"statements", (double)n}, {"ahead", (double)ahead->len}}, 2,
                 "the schedule has %zu statement%s, %zu of which store%s default values ahead of the others",
                 n, n == 1 ? "" : "s", ahead->len, ahead->len == 1 ? "s" : "");
}

static void expand_schedule(expander *x, pm_op *schedule) {
  pm_op *domain = poly_child(schedule);
  statement_list ahead = {0};
  isl_union_set *instances =
      isl_union_set_copy(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)));
  x->domain = instances;
  pm_walk_pre(schedule, note_op, x);
  list_ahead(x, &ahead);
  expand_domain(x, domain);
  add_ahead(x, domain, &ahead);
  pm_set_attr(schedule, poly_schedule_expanded, pm_get_unit(x->graph->ctx));
  explain(x, &ahead);
  isl_union_set_free(instances);
  PM_VEC_FREE(ahead);
}

pm_result pass_expand_statements(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(graph->pipeline);
  if (pm_attr_at(schedule, poly_schedule_expanded)) return PM_UNCHANGED;
  expander x = {.pass = pass,
                .graph = graph,
                .statements = STAGE_STATEMENTS(pass),
                .scattered = pm_map_new(),
                .pooled = pm_map_new(),
                .first = pm_map_new()};
  bool ok = poly_check_tree(x.statements, schedule);
  if (ok) expand_schedule(&x, schedule);
  pm_map_free(x.first);
  pm_map_free(x.pooled);
  pm_map_free(x.scattered);
  return ok ? PM_CHANGED : PM_FAILED;
}
