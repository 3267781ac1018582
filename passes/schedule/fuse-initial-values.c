/* fuse-initial-values: the cells of an update get their first values in the loops over cells of the update.
 *
 *   sequence {                                     |  sequence {
 *     filter "{ f }" { band "[{ f[x, y] -> x },    |    filter "{ f; f_u0 }" {
 *                             { f[x, y] -> y }]" } |      band "[{ f[x, y] -> x; f_u0[x, y, k] -> x },
 *     filter "{ f_u0 }" {                          |            { f[x, y] -> y; f_u0[x, y, k] -> y }]" {
 *       band "[{ f_u0[x, y, k] -> x },             |        sequence {
 *              { f_u0[x, y, k] -> y }]" {          |          filter "{ f }" { band … }
 *         band "… { f_u0[x, y, k] -> k }" } } }    |          filter "{ f_u0 }" { band … } } } } }
 *
 * An iteration of the loops over cells has all points that come to its cell, so it may store what that begins
 * with: one pass over memory for two, and one launch of a device. Loops that take cells in pieces take them
 * one by one then, as work-items do. It is loop fusion (Kennedy, Allen, "Optimizing Compilers for Modern
 * Architectures", 2002, 6.2.5), whose only dependences go from the first value of a cell to its updates, in
 * one iteration. verify-schedule proves it again.
 */
#include "dialects/isl/budget.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/statements.h"
#include "passes/options.h"

typedef struct fuser {
  pm_pass *pass;
  const stage_graph *graph;
  const stage_statements *statements;
} fuser;

/* A filter of the sequence with all of one statement. */
typedef struct nest {
  pm_op *filter, *band;
  const stage_statement *statement;
} nest;

static bool find_nest(const fuser *f, pm_op *filter, nest *n) {
  poly_names names = {0};
  poly_stage_names(f->graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  *n = (nest){.filter = filter, .band = poly_child(filter)};
  if (names.len == 1) n->statement = stage_find_statement(f->statements, names.data[0]);
  PM_VEC_FREE(names);
  return n->statement && n->band && pm_is(n->band, &poly_band) && poly_holds_only(filter, n->band) &&
         !pm_attr_at(n->band, poly_band_tile);
}

/* Nothing shares memory with the stage, so that only its readers and updates wait for its values. */
static bool has_own_memory(const pm_op *node, pm_string stage) {
  const pm_op *alloc = poly_find_alloc(node, stage);
  if (!alloc) return true;
  PM_FOR_OPS(other, pm_region_at(pm_parent(alloc), 0)) {
    if (!pm_is(other, &poly_alloc) || other == alloc) continue;
    if (poly_first_of_pool(other) == poly_first_of_pool(alloc) ||
        poly_first_of_turn(other) == poly_first_of_turn(alloc))
      return false;
  }
  return true;
}

/* The first values of the cells of `update`, which has loops over them around those over points. */
static bool belong(const nest *first, const nest *update) {
  const stage_statement *a = first->statement, *u = update->statement;
  const pm_op *points = poly_child(update->band);
  return a->node == u->node && a->kind != STAGE_UPDATE && u->kind == STAGE_UPDATE &&
         !u->node->self_reads.len && poly_is_coincident(first->band) && poly_holds_only(first->band, NULL) &&
         poly_is_coincident(update->band) && points && pm_is(points, &poly_band) &&
         poly_holds_only(update->band, points) && poly_holds_only(points, NULL) &&
         has_own_memory(first->filter, a->node->name);
}

typedef struct only_piece {
  isl_multi_aff *function;
  unsigned n;
} only_piece;

static isl_stat take_piece(__isl_take isl_set *where, __isl_take isl_multi_aff *function, void *user) {
  only_piece *piece = user;
  isl_set_free(where);
  isl_multi_aff_free(piece->function);
  piece->function = function;
  piece->n++;
  return isl_stat_ok;
}

/* Cells of the stage -> the iteration of all points that come to them, also where none do; NULL when that is
 * no function, or one in pieces. */
static __isl_give isl_multi_aff *iteration_of_cells(const nest *update) {
  const stage_statement *u = update->statement;
  const stage_update_info *info = &u->node->updates.data[u->number];
  isl_map *of_points = isl_map_intersect_domain(poly_band_map(update->band, u->name), isl_set_copy(u->set));
  isl_map *reach = isl_map_set_tuple_id(isl_map_copy(info->target), isl_dim_in, isl_set_get_tuple_id(u->set));
  isl_map *of_cells =
      isl_map_gist_domain(isl_map_apply_domain(of_points, reach), isl_set_copy(u->node->domain));
  isl_ctx *isl = isl_map_get_ctx(of_cells);
  only_piece piece = {0};
  isl_ask(isl);
  bool is = isl_map_is_single_valued(of_cells) == isl_bool_true;
  isl_pw_multi_aff *function = is ? isl_pw_multi_aff_from_map(isl_map_copy(of_cells)) : NULL;
  if (function) isl_pw_multi_aff_foreach_piece(function, take_piece, &piece);
  isl_pw_multi_aff_free(function);
  isl_map_free(of_cells);
  bool ok = isl_answered(isl) && piece.n == 1;
  return ok ? piece.function : isl_multi_aff_free(piece.function);
}

/* The one dimension that the function depends on; -1: there is none, or are several. */
static int only_dim(isl_aff *function) {
  int only = -1;
  for (int d = 0; d < (int)isl_aff_dim(function, isl_dim_in); d++) {
    if (isl_aff_involves_dims(function, isl_dim_in, (unsigned)d, 1) != isl_bool_true) continue;
    if (only >= 0) return -1;
    only = d;
  }
  return only;
}

/* The index of cells that each member goes through, in order or in pieces; false when one does not. */
static bool find_indices(const nest *update, unsigned *index) {
  isl_multi_aff *function = iteration_of_cells(update);
  bool all = function;
  for (unsigned k = 0; all && k < poly_band_members(update->band); k++) {
    isl_aff *member = isl_multi_aff_get_aff(function, (int)k);
    int dim = only_dim(member);
    index[k] = (unsigned)dim;
    all = dim >= 0 &&
          stage_update_index(&update->statement->node->updates.data[update->statement->number], index[k]);
    isl_aff_free(member);
  }
  isl_multi_aff_free(function);
  return all;
}

/* Functions, which are taken, as the members of a band on the instances. */
static __isl_give isl_multi_union_pw_aff *band_of(const stage_statement *s,
                                                  __isl_take isl_aff_list *functions) {
  isl_space *space = isl_space_from_domain(isl_set_get_space(s->set));
  space = isl_space_add_dims(space, isl_dim_out, (unsigned)isl_aff_list_n_aff(functions));
  return isl_multi_union_pw_aff_from_multi_aff(isl_multi_aff_from_aff_list(space, functions));
}

/* The indices of cells, in which both statements go through them. */
static __isl_give isl_multi_union_pw_aff *through_cells(const nest *first, const nest *update,
                                                        const unsigned *index) {
  const stage_statement *a = first->statement, *u = update->statement;
  unsigned n = poly_band_members(update->band);
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(a->set));
  isl_aff_list *cells = isl_aff_list_alloc(isl_set_get_ctx(u->set), (int)n);
  isl_aff_list *points = isl_aff_list_alloc(isl_set_get_ctx(u->set), (int)n);
  for (unsigned k = 0; k < n; k++) {
    cells =
        isl_aff_list_add(cells, isl_aff_var_on_domain(isl_local_space_copy(space), isl_dim_set, index[k]));
    points = isl_aff_list_add(points,
                              isl_aff_copy(stage_update_index(&u->node->updates.data[u->number], index[k])));
  }
  isl_local_space_free(space);
  return isl_multi_union_pw_aff_union_add(band_of(a, cells), band_of(u, points));
}

static __isl_give isl_union_set *instances_of(const nest *n) {
  return isl_union_set_copy(isl_peek_union_set(pm_attr_at(n->filter, poly_filter_instances)));
}

/* Puts what the filter's node has below it at the end of the sequence. */
static void move_to(pm_builder *sequence, const nest *n, pm_op *below) {
  pm_builder leaf = poly_add_filter(sequence, instances_of(n));
  pm_move_before(below, leaf.region, NULL);
}

static bool fuse(const fuser *f, const nest *first, const nest *update) {
  if (!belong(first, update)) return false;
  unsigned *index = pm_arena_alloc(pm_pass_arena(f->pass), poly_band_members(update->band) * sizeof *index);
  if (!find_indices(update, index)) return false;
  isl_multi_union_pw_aff *cells = through_cells(first, update, index);
  pm_builder b = pm_builder_before(first->filter);
  b = poly_add_filter(&b, isl_union_set_union(instances_of(first), instances_of(update)));
  b = poly_add_band(&b, poly_as_read(cells), (poly_band_info){.permutable = true});
  pm_set_attr(b.region->op, poly_band_coincident, pm_attr_at(update->band, poly_band_coincident));
  b = poly_add_sequence(&b);
  move_to(&b, first, first->band);
  move_to(&b, update, poly_child(update->band));
  pm_op_erase(first->filter);
  pm_op_erase(update->filter);
  return true;
}

pm_result pass_fuse_initial_values(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(graph->pipeline);
  fuser f = {pass, graph, STAGE_STATEMENTS(pass)};
  int64_t fused = 0;
  poly_ops filters = {0};
  poly_collect(schedule, &poly_filter, &filters);
  isl_quota_open(graph->isl, (unsigned long)pm_opt_int(pass, fuse_initial_values_opt_operations));
  for (size_t i = 0; i < filters.len; i++) {
    nest first, update;
    pm_op *filter = filters.data[i], *next = filter ? filter->next : NULL;
    if (!next || !pm_is(pm_parent(next), &poly_sequence) || !find_nest(&f, filter, &first) ||
        !find_nest(&f, next, &update) || !fuse(&f, &first, &update))
      continue;
    for (size_t k = i; k < filters.len; k++)
      if (filters.data[k] == next) filters.data[k] = NULL;
    fused++;
  }
  (void)isl_quota_close(graph->isl);
  PM_VEC_FREE(filters);
  pm_pass_stat(pass, "first values in the loops of updates", fused);
  return fused ? PM_CHANGED : PM_UNCHANGED;
}
