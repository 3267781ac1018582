/* fuse-bands: neighbouring statements over the same iterations share their loops, where they read the same
 * points.
 *
 *   sequence {                                  |  sequence {
 *     filter "{ Ix }" { band "[{ Ix -> y }]" }  |    filter "{ Ix; Iy }" { band "[{ Ix -> y; Iy -> y }]" { sequence {
 *     filter "{ Iy }" { band "[{ Iy -> y }]" }  |      filter "{ Ix }" { }
 *   }                                           |      filter "{ Iy }" { } } } } }
 *
 * A point that both read is loaded once then. Neither reads what the other computes, and they do not share
 * memory, so that the order of their instances does not matter; verify-schedule proves it again. Those of
 * updates of one stage that reach different cells, such as the sum and the number of a histogram, are among
 * them: each keeps its own order. Cases of one plane each of a picture are over the same points of it, and
 * share loops without that over planes. (Kennedy, Allen, "Optimizing Compilers for Modern Architectures",
 * 2002, 6.2.5.)
 */
#include "dialects/isl/budget.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/planes.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/dependences/update_schedule.h"
#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

typedef PM_VEC(const stage_statement *) statement_list;

/* What is found once of the cells that a statement stores to: pairs are asked for again after each fusion. */
typedef struct stored {
  isl_set *cells;
  statement_list apart, meeting; /* that store to others, or to some of them */
} stored;

typedef struct fuser {
  pm_pass *pass;
  const stage_graph *graph;
  const stage_statements *statements;
  pm_map *stored; /* by statement */
  PM_VEC(stored *) all;
} fuser;

/* A filter with one band, below which are its statements in their order and nothing else. */
typedef struct nest {
  pm_op *filter, *band;
  statement_list list;
} nest;

/* --- nests --- */

/* The one statement that passes the filter; NULL when that is not all of one. */
static const stage_statement *statement_of(const fuser *f, const pm_op *filter) {
  poly_names names = {0};
  poly_stage_names(f->graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  const stage_statement *s = names.len == 1 ? stage_find_statement(f->statements, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  return s && (s->kind == STAGE_CASE || s->kind == STAGE_UPDATE) && !s->node->self_reads.len ? s : NULL;
}

/* Points of an update may come to one cell, in their order. */
static bool has_order(const nest *n) {
  return n->list.len > 0 && n->list.data[0]->kind == STAGE_UPDATE;
}

static bool add_leaf(const fuser *f, const pm_op *filter, nest *n) {
  const stage_statement *s = poly_holds_only(filter, NULL) ? statement_of(f, filter) : NULL;
  if (s) PM_VEC_PUSH(n->list, s);
  return s;
}

static bool find_statements(const fuser *f, nest *n) {
  pm_op *below = poly_child(n->band);
  if (!poly_holds_only(n->band, below)) return false;
  const stage_statement *only = below ? NULL : statement_of(f, n->filter);
  if (only) PM_VEC_PUSH(n->list, only);
  if (!below || !pm_is(below, &poly_sequence)) return only;
  bool ok = true;
  PM_FOR_OPS(leaf, pm_region_at(below, 0)) ok = ok && add_leaf(f, leaf, n);
  return ok;
}

static bool find_nest(const fuser *f, pm_op *filter, nest *n) {
  *n = (nest){.filter = filter, .band = poly_child(filter)};
  if (!n->band || !pm_is(n->band, &poly_band) || !poly_holds_only(filter, n->band)) return false;
  return !pm_attr_at(n->band, poly_band_tile) && find_statements(f, n) &&
         (has_order(n) || poly_is_coincident(n->band));
}

/* --- the same iterations --- */

/* Takes the maps, which may be NULL; names aside. False, too, where isl does not answer. */
static bool are_equal(__isl_take isl_map *a, __isl_take isl_map *b, enum isl_dim_type named) {
  isl_ctx *isl = a ? isl_map_get_ctx(a) : NULL;
  if (b && a && isl_map_has_tuple_id(a, named))
    b = isl_map_set_tuple_id(b, named, isl_map_get_tuple_id(a, named));
  isl_ask(isl);
  bool equal = (!a && !b) || (a && b && isl_map_dim(a, named) == isl_map_dim(b, named) &&
                              isl_map_is_equal(a, b) == isl_bool_true);
  equal = isl_answered(isl) && equal;
  isl_map_free(a);
  isl_map_free(b);
  return equal;
}

typedef struct search {
  pm_string name;
  isl_map *found;
} search;

static isl_stat take_if_named(__isl_take isl_map *map, void *user) {
  search *s = user;
  bool is = isl_map_has_tuple_name(map, isl_dim_out) &&
            strcmp(isl_map_get_tuple_name(map, isl_dim_out), s->name->text) == 0;
  if (is && !s->found)
    s->found = map;
  else
    isl_map_free(map);
  return isl_stat_ok;
}

/* What the extension or expansion gives of the name; NULL: nothing. */
static __isl_give isl_map *given(const pm_op *op, pm_string name) {
  search s = {name, NULL};
  pm_attr map =
      pm_is(op, &poly_extension) ? pm_attr_at(op, poly_extension_map) : pm_attr_at(op, poly_expansion_map);
  isl_union_map_foreach_map(isl_peek_union_map(map), take_if_named, &s);
  return s.found;
}

/* The instances that an expansion makes the named ones of have the name after it. */
static pm_string name_above(const fuser *f, const pm_op *expansion, pm_string name) {
  isl_map *from = given(expansion, name);
  pm_string above = from ? pm_get_cstring(f->graph->ctx, isl_map_get_tuple_name(from, isl_dim_in)) : name;
  isl_map_free(from);
  return above;
}

static __isl_give isl_map *in_domain(const fuser *f, const pm_op *domain, pm_string name) {
  const stage_statement *s = stage_find_statement(f->statements, name);
  const stage_node *node = s ? s->node : stage_graph_find(f->graph, name);
  isl_space *space = isl_set_get_space(s ? s->set : node->domain);
  return isl_map_from_range(
      isl_union_set_extract_set(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)), space));
}

/* The bands around are the same functions of both, and what brings them brings the same points of both. */
static bool reach_alike(const fuser *f, const pm_op *node, pm_string a, pm_string b) {
  for (const pm_op *up = pm_parent(node); up; up = pm_parent(up)) {
    if (pm_is(up, &poly_domain)) return are_equal(in_domain(f, up, a), in_domain(f, up, b), isl_dim_out);
    if (pm_is(up, &poly_expansion)) {
      a = name_above(f, up, a);
      b = name_above(f, up, b);
    }
    if (pm_is(up, &poly_band) && !are_equal(poly_band_map(up, a), poly_band_map(up, b), isl_dim_in))
      return false;
    isl_map *brought = pm_is(up, &poly_extension) ? given(up, a) : NULL;
    if (brought) return are_equal(brought, given(up, b), isl_dim_out);
  }
  return false;
}

enum { NO_PLANE = -1 };

/* The dimension of one stage of which both have one point each, of few; NO_PLANE: there is none. */
static int plane_of(const nest *m, const nest *n) {
  const stage_statement *a = m->list.data[0], *b = n->list.data[0];
  if (a->node != b->node || a->kind != STAGE_CASE || b->kind != STAGE_CASE) return NO_PLANE;
  for (unsigned d = 0; d < a->node->n_dims; d++) {
    isl_val *one = isl_set_plain_get_val_if_fixed(a->set, isl_dim_set, d),
            *other = isl_set_plain_get_val_if_fixed(b->set, isl_dim_set, d);
    bool differ = isl_val_is_int(one) == isl_bool_true && isl_val_is_int(other) == isl_bool_true &&
                  isl_val_eq(one, other) == isl_bool_false;
    isl_val_free(one);
    isl_val_free(other);
    if (differ) return stage_is_of_planes(a->node->domain, d) ? (int)d : NO_PLANE;
  }
  return NO_PLANE;
}

/* The member of the band is there for the plane, and has one value in it. */
static bool is_of_plane(const nest *n, unsigned member, int plane) {
  const stage_statement *s = n->list.data[0];
  if (plane == NO_PLANE) return false;
  isl_map *map = poly_band_map(n->band, s->name);
  bool is = stage_schedule_involves(map, member, (unsigned)plane);
  map = isl_map_intersect_domain(map, isl_set_copy(s->set));
  isl_val *number = isl_map_plain_get_val_if_fixed(map, isl_dim_out, member);
  is = is && isl_val_is_int(number) == isl_bool_true;
  isl_val_free(number);
  isl_map_free(map);
  return is;
}

/* The band on the points of the first statement, without the plane. */
static __isl_give isl_map *iterations(const nest *n, int plane) {
  const stage_statement *s = n->list.data[0];
  isl_map *map = isl_map_intersect_domain(poly_band_map(n->band, s->name), isl_set_copy(s->set));
  if (plane == NO_PLANE) return map;
  for (unsigned d = (unsigned)isl_map_dim(map, isl_dim_out); d-- > 0;)
    if (is_of_plane(n, d, plane)) map = isl_map_project_out(map, isl_dim_out, d, 1);
  return isl_map_project_out(isl_map_reset_tuple_id(map, isl_dim_in), isl_dim_in, (unsigned)plane, 1);
}

/* The band is not there for the plane alone. */
static bool has_loops(const nest *n, int plane) {
  bool some = false;
  for (unsigned d = 0; d < poly_band_members(n->band); d++) some = some || !is_of_plane(n, d, plane);
  return some;
}

static bool have_same_iterations(const fuser *f, const nest *m, const nest *n) {
  int plane = plane_of(m, n);
  return are_equal(iterations(m, plane), iterations(n, plane), isl_dim_in) && has_loops(m, plane) &&
         reach_alike(f, m->filter, m->list.data[0]->name, n->list.data[0]->name);
}

/* --- dependences --- */

static bool share_memory(const pm_op *node, pm_string a, pm_string b) {
  const pm_op *one = poly_find_alloc(node, a), *two = poly_find_alloc(node, b);
  if (!one || !two || one == two) return one == two && a == b;
  return poly_first_of_pool(one) == poly_first_of_pool(two) ||
         poly_first_of_turn(one) == poly_first_of_turn(two);
}

typedef struct conflict {
  const nest *at;
  pm_string stage; /* is computed by the other */
} conflict;

static pm_walk stop_at_conflict(void *user, pm_op *op) {
  const conflict *c = user;
  if (!pm_is(op, &stage_read)) return PM_WALK_ON;
  pm_string read = pm_sym_at(op, stage_read_stage);
  return read == c->stage || share_memory(c->at->filter, read, c->stage) ? PM_WALK_STOP : PM_WALK_ON;
}

static stored *stored_by(fuser *f, const stage_statement *s) {
  stored *found = pm_map_get(f->stored, s);
  if (found) return found;
  found = pm_xcalloc(1, sizeof *found);
  found->cells = s->kind == STAGE_UPDATE
                     ? isl_map_range(isl_map_copy(s->node->updates.data[s->number].target))
                     : stage_statement_points(s);
  pm_map_set(f->stored, s, found);
  PM_VEC_PUSH(f->all, found);
  return found;
}

static bool is_among(const statement_list *list, const stage_statement *s) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == s) return true;
  return false;
}

/* The two, of one stage, store to different cells. */
static bool are_apart(fuser *f, const stage_statement *a, const stage_statement *b) {
  stored *one = stored_by(f, a), *other = stored_by(f, b);
  if (is_among(&one->apart, b)) return true;
  if (is_among(&one->meeting, b)) return false;
  isl_ask(f->graph->isl);
  bool apart = isl_set_is_disjoint(one->cells, other->cells) == isl_bool_true;
  if (!isl_answered(f->graph->isl)) return false;
  PM_VEC_PUSH(*(apart ? &one->apart : &one->meeting), b);
  return apart;
}

static void forget_stored(fuser *f) {
  for (size_t i = 0; i < f->all.len; i++) {
    isl_set_free(f->all.data[i]->cells);
    PM_VEC_FREE(f->all.data[i]->apart);
    PM_VEC_FREE(f->all.data[i]->meeting);
    free(f->all.data[i]);
  }
  PM_VEC_FREE(f->all);
  pm_map_free(f->stored);
}

/* Whether `a` reads what `b` computes, or what is in that memory. */
static bool reads_of(const nest *at, const stage_statement *a, const stage_statement *b) {
  return !pm_walk_pre(a->body, stop_at_conflict, &(conflict){at, b->node->name});
}

/* Whether one reads what the other computes, or computes it too, or what is in that memory. */
static bool touch(fuser *f, const nest *at, const stage_statement *a, const stage_statement *b) {
  if (reads_of(at, a, b) || reads_of(at, b, a)) return true;
  return a->node == b->node ? !are_apart(f, a, b) : share_memory(at->filter, a->node->name, b->node->name);
}

static bool are_independent(fuser *f, const nest *m, const nest *n) {
  for (size_t i = 0; i < m->list.len; i++)
    for (size_t k = 0; k < n->list.len; k++)
      if (touch(f, m, m->list.data[i], n->list.data[k])) return false;
  return true;
}

/* --- what is gained --- */

typedef PM_VEC(pm_op *) op_list;

static bool is_in(const op_list *list, const pm_op *read) {
  for (size_t i = 0; i < list->len; i++)
    if (stage_reads_alike(list->data[i], read)) return true;
  return false;
}

static pm_walk add_read(void *user, pm_op *op) {
  op_list *list = user;
  if (pm_is(op, &stage_read) && !is_in(list, op)) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

static void list_reads(const nest *n, op_list *list) {
  for (size_t i = 0; i < n->list.len; i++) pm_walk_pre(n->list.data[i]->body, add_read, list);
}

static bool is_gain(const fuser *f, const op_list *ahead, const op_list *then, int64_t *shared) {
  size_t fewer = ahead->len < then->len ? ahead->len : then->len;
  *shared = 0;
  for (size_t i = 0; i < then->len; i++) *shared += is_in(ahead, then->data[i]);
  return *shared > 0 && *shared * 100 >= (int64_t)fewer * pm_opt_int(f->pass, fuse_bands_opt_least_shared);
}

/* They store to neighbouring elements. */
static bool are_interleaved(const nest *m, const nest *n) {
  int plane = plane_of(m, n);
  return plane != NO_PLANE && stage_is_interleaved_along(n->list.data[0]->node, (unsigned)plane);
}

/* NULL: nothing stands against it. */
static const char *find_obstacle(fuser *f, const nest *m, const nest *n, int64_t reads) {
  if (!are_independent(f, m, n)) return "one reads what the other computes, or its memory";
  if (has_order(m) != has_order(n)) return "one of them is an update, whose points have an order";
  if (!have_same_iterations(f, m, n))
    return isl_quota_is_spent(f->graph->isl)
               ? "the operations of isl do not tell whether the iterations differ"
               : "the iterations differ";
  return reads > pm_opt_int(f->pass, fuse_bands_opt_max_reads)
             ? "together they read more points than max-reads"
             : NULL;
}

/* `next`: nothing is between the two. */
static bool should_fuse(fuser *f, const nest *m, const nest *n, bool next) {
  op_list ahead = {0}, then = {0};
  int64_t shared;
  list_reads(m, &ahead);
  list_reads(n, &then);
  bool gain = is_gain(f, &ahead, &then, &shared) || are_interleaved(m, n);
  int64_t reads = (int64_t)(ahead.len + then.len) - shared;
  PM_VEC_FREE(ahead);
  PM_VEC_FREE(then);
  if (!gain) return false;
  const stage_node *node = n->list.data[0]->node;
  const char *why = find_obstacle(f, m, n, reads);
  if (why && next)
    pm_pass_remark(f->pass, node->op->loc, PM_REMARK_MISSED, NULL, 0,
                   "@%pS does not share loops with the statement ahead, with which it shares reads: %s",
                   (const void *)node->name, why);
  if (!why)
    pm_pass_remark(f->pass, node->op->loc, PM_REMARK_PASSED,
                   (pm_remark_arg[]){{"shared", (double)shared}, {"reads", (double)reads}}, 2,
                   "@%pS shares the loops of the statement ahead: both have %lld of %lld reads",
                   (const void *)node->name, (long long)shared, (long long)reads);
  return !why;
}

/* --- rewriting --- */

static __isl_give isl_union_set *instances_of(const nest *n) {
  return isl_union_set_copy(isl_peek_union_set(pm_attr_at(n->filter, poly_filter_instances)));
}

/* The functions of what the filter passes, which are not all that the band may have. */
static __isl_give isl_multi_union_pw_aff *functions_of(const nest *n, int plane) {
  isl_multi_union_pw_aff *all =
      isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(n->band, poly_band_schedule)));
  for (unsigned d = poly_band_members(n->band); d-- > 0;)
    if (is_of_plane(n, d, plane)) all = isl_multi_union_pw_aff_drop_dims(all, isl_dim_set, d, 1);
  return isl_multi_union_pw_aff_intersect_domain(all, isl_union_set_universe(instances_of(n)));
}

static pm_attr coincident_of(const nest *n, int plane) {
  pm_attr all = pm_attr_at(n->band, poly_band_coincident);
  PM_VEC(pm_attr) left = {0};
  for (unsigned d = 0; all && d < poly_band_members(n->band); d++)
    if (!is_of_plane(n, d, plane)) PM_VEC_PUSH(left, all->items[d]);
  if (all) all = pm_get_array(pm_op_context(n->band), left.data, left.len);
  PM_VEC_FREE(left);
  return all;
}

/* Leaves that are there already may pass part of their instances. */
static void add_leaves(pm_builder *sequence, const nest *n) {
  const pm_op *below = poly_child(n->band);
  if (!below) {
    isl_space *space = isl_set_get_space(n->list.data[0]->set);
    poly_add_filter(sequence, isl_union_set_from_set(isl_set_universe(space)));
    return;
  }
  PM_FOR_OPS(leaf, pm_region_at(below, 0))
  poly_add_filter(sequence, isl_union_set_copy(isl_peek_union_set(pm_attr_at(leaf, poly_filter_instances))));
}

/* The statements of `n` go behind those of `m`. */
static void fuse(const nest *m, const nest *n) {
  int plane = plane_of(m, n);
  isl_multi_union_pw_aff *schedule =
      isl_multi_union_pw_aff_union_add(functions_of(m, plane), functions_of(n, plane));
  pm_builder b = pm_builder_before(m->filter);
  b = poly_add_filter(&b, isl_union_set_union(instances_of(m), instances_of(n)));
  b = poly_add_band(&b, poly_as_read(schedule),
                    (poly_band_info){.permutable = pm_attr_at(m->band, poly_band_permutable)});
  pm_set_attr(b.region->op, poly_band_coincident, coincident_of(m, plane));
  b = poly_add_sequence(&b);
  add_leaves(&b, m);
  add_leaves(&b, n);
  pm_op_erase(m->filter);
  pm_op_erase(n->filter);
}

/* It may go ahead of others, to join `m`: those of updates, and of cases of one plane each. */
static bool may_move(const nest *m, const nest *n) {
  return (has_order(m) && has_order(n)) || plane_of(m, n) != NO_PLANE;
}

/* The nest behind `from` that joins `m`: the next one, or one that may go ahead of all between, since it
 * touches none of them. In `n`, to be freed. */
static bool find_partner(fuser *f, const nest *m, nest *n) {
  enum { FURTHEST = 16 };
  PM_VEC(nest) between = {0};
  bool found = false;
  for (pm_op *next = m->filter->next; next && !found && between.len < FURTHEST; next = next->next) {
    *n = (nest){0};
    bool is_nest = find_nest(f, next, n), first = !between.len;
    found = is_nest && (first || may_move(m, n));
    for (size_t i = 0; i < between.len && found; i++) found = are_independent(f, &between.data[i], n);
    found = found && should_fuse(f, m, n, first);
    if (!found) PM_VEC_PUSH(between, *n);
    if (!is_nest) break;
  }
  for (size_t i = 0; i < between.len; i++) PM_VEC_FREE(between.data[i].list);
  PM_VEC_FREE(between);
  return found;
}

/* The first two that should share loops do; false when there are none. */
static bool fuse_some(fuser *f, pm_op *sequence) {
  bool fused = false;
  PM_FOR_OPS(filter, pm_region_at(sequence, 0)) {
    nest m = {0}, n = {0};
    fused = find_nest(f, filter, &m) && find_partner(f, &m, &n);
    if (fused) fuse(&m, &n);
    if (fused) PM_VEC_FREE(n.list);
    PM_VEC_FREE(m.list);
    if (fused) return true;
  }
  return false;
}

/* Inner sequences first: fusion may erase them. */
pm_result pass_fuse_bands(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(graph->pipeline);
  fuser f = {.pass = pass, .graph = graph, .statements = STAGE_STATEMENTS(pass), .stored = pm_map_new()};
  int64_t fused = 0;
  poly_ops sequences = {0};
  poly_collect(schedule, &poly_sequence, &sequences);
  isl_quota_open(graph->isl, (unsigned long)pm_opt_int(pass, fuse_bands_opt_operations));
  for (size_t i = sequences.len; i-- > 0;)
    while (fuse_some(&f, sequences.data[i])) fused++;
  (void)isl_quota_close(graph->isl);
  PM_VEC_FREE(sequences);
  forget_stored(&f);
  pm_pass_stat(pass, "bands fused", fused);
  return fused ? PM_CHANGED : PM_UNCHANGED;
}
