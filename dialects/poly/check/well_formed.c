#include "dialects/poly/check/well_formed.h"

#include "dialects/isl/linear.h"
#include "dialects/poly/tree.h"

#include <string.h>

bool poly_alloc_has_box(const pm_op *alloc) {
  return pm_attr_at(alloc, poly_alloc_at) != NULL;
}

bool poly_alloc_is_output(const pm_op *alloc) {
  return poly_space_of(alloc) == PM_SPACE_NONE;
}

static bool check_box(const stage_node *node, const pm_op *alloc, unsigned depth) {
  isl_map *at = isl_peek_map(pm_attr_at(alloc, poly_alloc_at));
  unsigned n_in = (unsigned)isl_map_dim(at, isl_dim_in), n_out = (unsigned)isl_map_dim(at, isl_dim_out);
  if (n_in != depth || n_out != node->n_dims)
    return pm_op_error(alloc, "of @%s has a box of %u dimensions for %u loops, but should have %u for %u",
                       node->name->text, n_out, n_in, node->n_dims, depth);
  if (isl_map_is_single_valued(at) == isl_bool_true) return true;
  return pm_op_error(alloc, "of @%s has several boxes for an iteration, but should have one",
                     node->name->text);
}

bool poly_have_same_points(const stage_node *a, const stage_node *b) {
  isl_set *of_b = isl_set_set_tuple_id(isl_set_copy(b->domain), isl_set_get_tuple_id(a->domain));
  bool same = linear_decide_equal(a->domain, of_b);
  isl_set_free(of_b);
  return same;
}

/* Stages that take turns in the cells of an array have the same points. */
static bool check_turn(const stage_graph *graph, const stage_node *node, const pm_op *alloc) {
  const pm_op *first = poly_first_of_turn(alloc);
  const stage_node *other = stage_graph_find(graph, pm_sym_at(first, poly_alloc_stage));
  if (first == alloc || !other || poly_have_same_points(node, other)) return true;
  return pm_op_error(alloc, "of @%s shares 'turn' %lld with @%s, but both should have one domain",
                     node->name->text, (long long)pm_int_at(alloc, poly_alloc_turn), other->name->text);
}

bool poly_check_alloc(const stage_graph *graph, const pm_op *alloc, unsigned depth) {
  pm_string name = pm_sym_at(alloc, poly_alloc_stage);
  const stage_node *node = stage_graph_find(graph, name);
  pm_type type = pm_attr_at(alloc, poly_alloc_type)->t;
  if (!node || node->is_input) return pm_op_error(alloc, "is for @%s, which should be a stage", name->text);
  if (type != node->type)
    return pm_op_error(alloc, "of @%s has elements of type %pT, but should have %pT", name->text,
                       (const void *)type, (const void *)node->type);
  if (poly_alloc_is_output(alloc) && !node->is_output)
    return pm_op_error(alloc, "of @%s is in \"output\", but only outputs should be", name->text);
  return check_turn(graph, node, alloc) && (!poly_alloc_has_box(alloc) || check_box(node, alloc, depth));
}

/* The stage, or the stage of the statement, of that name; NULL when there is none. */
static const stage_node *find_instances(const stage_statements *statements, pm_string name,
                                        const stage_statement **statement) {
  const stage_node *node = stage_graph_find(stage_statements_graph(statements), name);
  *statement = node ? NULL : stage_find_statement(statements, name);
  return *statement ? (*statement)->node : node;
}

const stage_node *poly_check_instances(const stage_statements *statements, const pm_op *op,
                                       __isl_take isl_space *space, const stage_statement **statement) {
  pm_context *ctx = stage_statements_graph(statements)->ctx;
  const char *name = isl_space_get_tuple_name(space, isl_dim_set);
  const stage_node *node = name ? find_instances(statements, pm_get_cstring(ctx, name), statement) : NULL;
  unsigned dims = !node        ? 0
                  : *statement ? (unsigned)isl_set_dim((*statement)->set, isl_dim_set)
                               : node->n_dims;
  bool known = node && !node->is_input && (unsigned)isl_space_dim(space, isl_dim_set) == dims;
  if (!known)
    pm_op_error(op, "schedules '%s', which should be a stage or a statement of one, with its dimensions",
                name ? name : "");
  isl_space_free(space);
  return known ? node : NULL;
}

/* --- a whole tree --- */

typedef struct tree_check {
  const stage_statements *statements;
  const stage_graph *graph;
  const pm_op *op;
  bool ok;
} tree_check;

/* Takes the space. */
static void check_space(tree_check *c, __isl_take isl_space *space) {
  const stage_statement *statement;
  c->ok = poly_check_instances(c->statements, c->op, space, &statement) && c->ok;
}

static isl_stat check_set(__isl_take isl_set *set, void *user) {
  check_space(user, isl_set_get_space(set));
  isl_set_free(set);
  return isl_stat_ok;
}

static isl_stat check_expanded(__isl_take isl_map *map, void *user) {
  check_space(user, isl_space_domain(isl_map_get_space(map)));
  check_space(user, isl_space_range(isl_map_get_space(map)));
  isl_map_free(map);
  return isl_stat_ok;
}

static isl_stat check_extended(__isl_take isl_map *map, void *user) {
  check_space(user, isl_space_range(isl_map_get_space(map)));
  isl_map_free(map);
  return isl_stat_ok;
}

/* That of the isl object of a tree op; NULL when it has none. */
static __isl_give isl_space *space_of(const pm_op *op) {
  if (pm_is(op, &poly_domain))
    return isl_union_set_get_space(isl_peek_union_set(pm_attr_at(op, poly_domain_instances)));
  if (pm_is(op, &poly_filter))
    return isl_union_set_get_space(isl_peek_union_set(pm_attr_at(op, poly_filter_instances)));
  if (pm_is(op, &poly_extension))
    return isl_union_map_get_space(isl_peek_union_map(pm_attr_at(op, poly_extension_map)));
  if (pm_is(op, &poly_expansion))
    return isl_union_map_get_space(isl_peek_union_map(pm_attr_at(op, poly_expansion_map)));
  if (pm_is(op, &poly_band))
    return isl_multi_union_pw_aff_get_space(isl_peek_mupa(pm_attr_at(op, poly_band_schedule)));
  bool box = pm_is(op, &poly_alloc) && poly_alloc_has_box(op);
  return box ? isl_map_get_space(isl_peek_map(pm_attr_at(op, poly_alloc_at))) : NULL;
}

bool poly_check_params(const stage_graph *graph, const pm_op *op, __isl_take isl_space *space) {
  unsigned n = space ? (unsigned)isl_space_dim(space, isl_dim_param) : 0;
  bool ok = true;
  for (unsigned i = 0; i < n && ok; i++) {
    const char *name = isl_space_get_dim_name(space, isl_dim_param, i);
    if (isl_set_find_dim_by_name(graph->context, isl_dim_param, name) < 0)
      ok = pm_op_error(op, "has the parameter '%s', which should be an integer param of the pipeline", name);
  }
  isl_space_free(space);
  return ok;
}

static unsigned loops_around(const pm_op *op) {
  unsigned n = 0;
  for (op = pm_parent(op); op && !pm_is(op, &poly_schedule); op = pm_parent(op))
    if (pm_is(op, &poly_band)) n += poly_band_members(op);
  return n;
}

static pm_walk check_op(void *user, pm_op *op) {
  tree_check *c = user;
  c->op = op;
  c->ok = poly_check_params(c->graph, op, space_of(op)) && c->ok;
  if (pm_is(op, &poly_alloc)) c->ok = poly_check_alloc(c->graph, op, loops_around(op)) && c->ok;
  if (pm_is(op, &poly_domain))
    isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(op, poly_domain_instances)), check_set, c);
  if (pm_is(op, &poly_filter))
    isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(op, poly_filter_instances)), check_set, c);
  if (pm_is(op, &poly_extension))
    isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_extension_map)), check_extended, c);
  if (pm_is(op, &poly_expansion))
    isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_expansion_map)), check_expanded, c);
  return PM_WALK_ON;
}

bool poly_check_tree(const stage_statements *statements, pm_op *schedule) {
  tree_check c = {statements, stage_statements_graph(statements), NULL, true};
  pm_walk_pre(schedule, check_op, &c);
  return c.ok;
}
