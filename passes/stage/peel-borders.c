/* peel-borders: a case is split into its interior, where computed indices are affine and conditions are
 * decided, and strips around it.
 *
 *   stage.case(%x) on { [x] : 0 <= x < R } {
 *     %0 = arith.constant -2 : index
 *     %1 = arith.addi %x, %0 : index
 *     %2 = arith.constant 0 : index
 *     %3 = arith.maxi %1, %2 : index
 *     %4 = stage.read @img[%3] : f32
 *     stage.yield %4 : f32
 *   }
 *   ->
 *   stage.case(%x) on { [x] : 2 <= x < R } {
 *     %0 = stage.read @img[%x - 2] : f32
 *     stage.yield %0 : f32
 *   }
 *   stage.case(%x) on { [x] : 0 <= x <= 1 and x < R } {
 *     %0 = stage.read @img[0] : f32
 *     stage.yield %0 : f32
 *   }
 *
 * Index set splitting along the pieces of the piecewise quasi-affine functions that the indices and
 * conditions are. Of each function in turn the piece is taken that leaves the largest interior, in points at
 * the estimates of the params, unless less than `least` percent of the case would be left; a piece whose
 * constraints are not bounds of single dimensions (parity, diagonals) is none. Then every part, and every
 * case and update that is not split, is simplified (dialects/stage/analyses/simplify.h). Of an update a part
 * has all points of its cells, of all that it may reach where cells are computed, so that each cell is
 * reached in the order that it was. Stages that read themselves are not split: their points have an order. */
#include "dialects/isl/linear.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/named_stages.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/planes.h"
#include "dialects/stage/analyses/simplify.h"
#include "dialects/stage/analyses/statements.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <math.h>
#include <stdlib.h>

typedef struct peeler {
  pm_pass *pass;
  const stage_graph *graph;
  const bool *named;    /* by node index: the schedule names the stage */
  stage_values *values; /* while it is planned */
  stage_facts *sizes;   /* one value of each param: the estimate or the option `size`, within the context */
  double least;         /* part of a case that an interior has */
  bool split;
} peeler;

/* --- typical sizes --- */

static isl_set *with_size(isl_set *sizes, unsigned i, long size) {
  isl_set *fixed = isl_set_fix_si(isl_set_copy(sizes), isl_dim_param, i, (int)size);
  if (isl_set_is_empty(fixed) == isl_bool_true) {
    isl_set_free(fixed);
    return sizes;
  }
  isl_set_free(sizes);
  return fixed;
}

static long size_of(const stage_graph *graph, size_t param, int64_t usual) {
  int64_t estimate = stage_estimate_of(graph, param, usual);
  return (long)(estimate > 0 && estimate < INT32_MAX ? estimate : usual);
}

/* Params whose typical size the context excludes take what one point of it has. */
static stage_facts *typical_sizes(const stage_graph *graph, int64_t usual) {
  isl_set *sizes = isl_set_copy(graph->context);
  for (size_t i = 0; i < graph->params.len; i++) {
    const char *name = pm_sym_at(graph->params.data[i], stage_param_sym)->text;
    int at = isl_set_find_dim_by_name(sizes, isl_dim_param, name);
    if (at >= 0) sizes = with_size(sizes, (unsigned)at, size_of(graph, i, usual));
  }
  isl_set *sample = isl_set_from_basic_set(isl_set_sample(sizes));
  stage_facts *typical = stage_facts_new(sample);
  isl_set_free(sample);
  return typical;
}

/* Points in the box around the set at the typical sizes. */
static double volume(const peeler *p, isl_set *set) {
  isl_set *at = stage_facts_around(p->sizes, isl_set_copy(set));
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  double points = n == 0 && isl_set_is_empty(at) == isl_bool_true ? 0 : 1;
  for (unsigned d = 0; points > 0 && d < n; d++) points *= stage_extent(at, d);
  isl_set_free(at);
  return points;
}

/* --- the interior --- */

/* Takes the set. */
static isl_set *with_param_types(const peeler *p, isl_set *set) {
  return stage_facts_around(stage_values_params(p->values), set);
}

static isl_stat stop_unless_bound(isl_constraint *c, void *user) {
  unsigned n = (unsigned)isl_constraint_dim(c, isl_dim_set), used = 0;
  (void)user;
  for (unsigned i = 0; i < n; i++)
    used += isl_constraint_involves_dims(c, isl_dim_set, i, 1) == isl_bool_true;
  unsigned n_div = (unsigned)isl_constraint_dim(c, isl_dim_div);
  bool divides = n_div > 0 && isl_constraint_involves_dims(c, isl_dim_div, 0, n_div) != isl_bool_false;
  isl_constraint_free(c);
  return used <= 1 && !divides ? isl_stat_ok : isl_stat_error;
}

/* The constraints of the part (taken) beyond those of the set, when they are bounds of single dimensions;
 * else NULL. */
static isl_set *box_within(isl_basic_set *part, isl_set *set) {
  isl_set *bounds = isl_set_gist(isl_set_from_basic_set(part), isl_set_copy(set));
  isl_basic_set_list *list = isl_set_get_basic_set_list(bounds);
  bool box = isl_basic_set_list_n_basic_set(list) == 1;
  isl_basic_set *only = box ? isl_basic_set_list_get_basic_set(list, 0) : NULL;
  box = box && isl_basic_set_foreach_constraint(only, stop_unless_bound, NULL) == isl_stat_ok;
  isl_basic_set_free(only);
  isl_basic_set_list_free(list);
  if (box) return bounds;
  isl_set_free(bounds);
  return NULL;
}

typedef struct best_part {
  isl_set *set; /* NULL: none yet */
  double points;
} best_part;

/* Takes the candidate, which may be NULL. */
static void take_if_larger(const peeler *p, isl_set *candidate, best_part *best) {
  double points = candidate ? volume(p, candidate) : 0;
  if (points <= best->points) {
    isl_set_free(candidate);
    return;
  }
  isl_set_free(best->set);
  *best = (best_part){candidate, points};
}

/* What a body runs on. */
typedef struct points {
  isl_set *set;
  const stage_update_info *update; /* NULL: a case */
} points;

/* Of the points those with all that may reach their cells `where` (taken). */
static isl_set *whole_cells(const points *of, isl_set *where) {
  if (!of->update) return where;
  isl_map *target = of->update->target;
  isl_set *cells = isl_set_apply(isl_set_subtract(isl_set_copy(of->set), where), isl_map_copy(target));
  isl_set *partly = isl_set_apply(cells, isl_map_reverse(isl_map_copy(target)));
  return isl_set_coalesce(isl_set_subtract(isl_set_copy(of->set), partly));
}

/* Looks at the boxes that the piece consists of, which is inside `known`: the interior, with what is known of
 * the params. */
static void take_larger_box(const peeler *p, isl_set *where, isl_set *interior, isl_set *known,
                            best_part *best) {
  isl_basic_set_list *boxes = isl_set_get_basic_set_list(where);
  for (int i = 0; i < (int)isl_basic_set_list_n_basic_set(boxes); i++) {
    isl_set *bounds = box_within(isl_basic_set_list_get_basic_set(boxes, i), known);
    take_if_larger(p, bounds ? isl_set_intersect(bounds, isl_set_copy(interior)) : NULL, best);
  }
  isl_basic_set_list_free(boxes);
}

/* The number of the piece with the most points, of those with more than `least`; or how many there are. */
static size_t largest_piece(const stage_pieces *pieces, const double *sizes, double least) {
  size_t largest = pieces->len;
  for (size_t i = 0; i < pieces->len; i++)
    if (sizes[i] > (largest < pieces->len ? sizes[largest] : least)) largest = i;
  return largest;
}

/* The largest pieces come first, since what is taken of one has no more points than it. */
static void take_from_pieces(const peeler *p, const points *of, isl_set *interior, isl_set *known,
                             const stage_pieces *pieces, best_part *best) {
  double *sizes = pm_xcalloc(pieces->len + 1, sizeof *sizes);
  for (size_t i = 0; i < pieces->len; i++) sizes[i] = volume(p, pieces->data[i].where);
  size_t next;
  while ((next = largest_piece(pieces, sizes, best->points)) < pieces->len) {
    isl_set *where = whole_cells(of, isl_set_copy(pieces->data[next].where));
    take_larger_box(p, where, interior, known, best);
    isl_set_free(where);
    sizes[next] = 0;
  }
  free(sizes);
}

/* The largest box in the interior where the function has one piece, if it has `enough` points; else the
 * interior. Takes and gives the interior. */
static isl_set *narrow(const peeler *p, const points *of, isl_set *interior, isl_pw_aff *function,
                       double enough) {
  stage_pieces pieces = {0};
  best_part best = {NULL, 0};
  isl_set *known = stage_facts_around_both(p->graph->facts, isl_set_copy(interior), function);
  known = with_param_types(p, known);
  stage_pieces_on(function, known, &pieces);
  if (!stage_is_one_piece(&pieces, known)) take_from_pieces(p, of, interior, known, &pieces, &best);
  stage_pieces_free(&pieces);
  isl_set_free(known);
  if (!best.set || best.points < enough) {
    isl_set_free(best.set);
    return interior;
  }
  isl_set_free(interior);
  return best.set;
}

/* --- the parts --- */

/* A case on a part of its set; part number 0 is the interior, or the whole. */
typedef struct part {
  isl_set *set;
  stage_decisions decisions;
} part;
typedef PM_VEC(part) parts;

/* The interior and the strips of the set around it, which are disjoint. Takes the interior. */
static void find_parts(isl_set *set, isl_set *interior, parts *out) {
  isl_set *border = isl_set_subtract(isl_set_copy(set), isl_set_copy(interior));
  border = isl_set_make_disjoint(isl_set_coalesce(border));
  isl_basic_set_list *strips = isl_set_get_basic_set_list(border);
  PM_VEC_PUSH(*out, ((part){.set = interior}));
  for (int i = 0; i < (int)isl_basic_set_list_n_basic_set(strips); i++)
    PM_VEC_PUSH(*out, ((part){.set = isl_set_from_basic_set(isl_basic_set_list_get_basic_set(strips, i))}));
  isl_basic_set_list_free(strips);
  isl_set_free(border);
}

static void free_parts(parts *list) {
  for (size_t i = 0; i < list->len; i++) {
    isl_set_free(list->data[i].set);
    PM_VEC_FREE(list->data[i].decisions);
  }
  PM_VEC_FREE(*list);
}

static isl_set *find_interior(const peeler *p, const points *of, const stage_sites *sites) {
  isl_set *interior = isl_set_copy(of->set);
  double enough = sites->functions.len ? p->least * volume(p, of->set) : 0;
  for (size_t i = 0; i < sites->functions.len; i++)
    interior = narrow(p, of, interior, sites->functions.data[i], enough);
  return interior;
}

/* The points of the set, of one plane, whose neighbours in another plane are in the other set (taken). */
static isl_set *in_plane_of(isl_set *set, isl_set *other, unsigned dim) {
  isl_id *name = isl_set_get_tuple_id(set);
  other = isl_set_project_out(isl_set_reset_tuple_id(other), isl_dim_set, dim, 1);
  other = isl_set_insert_dims(other, isl_dim_set, dim, 1);
  return isl_set_intersect(isl_set_set_tuple_id(other, name), isl_set_copy(set));
}

/* Of planes that are computed together: what is interior of all of them, so that their loops are the same. Of
 * interleaved ones no plane is split off: conditions on its number are constant where it is unrolled. */
static isl_set *find_common_interior(const peeler *p, const stage_node *node, size_t number, isl_set *own) {
  for (unsigned d = 0; d < node->n_dims; d++) {
    if (stage_is_interleaved_along(node, d)) own = in_plane_of(node->cases.data[number].set, own, d);
    for (size_t i = 0; i < node->cases.len; i++) {
      if (!stage_are_plane_cases(node, number, i, d)) continue;
      points of = {node->cases.data[i].set, NULL};
      stage_sites sites = {0};
      stage_collect_sites(p->values, node->cases.data[i].op, &sites);
      isl_set *other = find_interior(p, &of, &sites);
      own = isl_set_intersect(own, in_plane_of(node->cases.data[number].set, other, d));
      stage_sites_free(&sites);
    }
  }
  return own;
}

/* --- the change --- */

/* A copy of the case or update, behind it, for every part but the first. Adds all to `bodies`. */
static void copy_body(const peeler *p, pm_op *op, const parts *list, pm_op **bodies) {
  unsigned slot = pm_is(op, &stage_case) ? stage_case_set : stage_update_set;
  pm_attr like = pm_attr_at(op, slot);
  bodies[0] = op;
  for (size_t i = 1; i < list->len; i++) {
    bodies[i] = pm_clone(pm_module_of(op), op, NULL);
    pm_insert(op->region, bodies[i - 1]->next, bodies[i]);
  }
  for (size_t i = 0; i < list->len; i++)
    pm_set_attr(bodies[i], slot, stage_set_attr(p->graph, isl_set_copy(list->data[i].set), like));
}

static void explain_split(const peeler *p, const stage_node *node, const pm_op *op, isl_set *set,
                          const parts *list) {
  double percent = 100 * volume(p, list->data[0].set) / volume(p, set);
  pm_remark_arg args[] = {{"percent", percent}, {"strips", (double)(list->len - 1)}};
  pm_pass_remark(p->pass, op->loc, PM_REMARK_PASSED, args, PM_COUNT(args),
                 "%s of @%s is split into an interior with %.1f%% of its points and %zu strip%s around it",
                 pm_is(op, &stage_case) ? "a case" : "an update", node->name->text, percent, list->len - 1,
                 list->len == 2 ? "" : "s");
  pm_pass_stat(p->pass, "cases-split", 1);
}

static void explain_decisions(const peeler *p, const stage_node *node, const pm_op *op,
                              const stage_decisions *decisions) {
  size_t indices = 0, others = 0;
  for (size_t i = 0; i < decisions->len; i++) {
    indices += decisions->data[i].kind == STAGE_SET_INDEX;
    others += decisions->data[i].kind != STAGE_SET_INDEX;
  }
  if (indices + others == 0) return;
  pm_remark_arg args[] = {{"indices", (double)indices}, {"choices", (double)others}};
  pm_pass_remark(p->pass, op->loc, PM_REMARK_PASSED, args, PM_COUNT(args),
                 "in @%s, %zu computed ind%s affine now and %zu condition%s constant", node->name->text,
                 indices, indices == 1 ? "ex is" : "ices are", others, others == 1 ? " is" : "s are");
  pm_pass_stat(p->pass, "indices-made-affine", (int64_t)indices);
  pm_pass_stat(p->pass, "choices-made", (int64_t)others);
}

/* What is done to one case or update. */
typedef struct peeling {
  const stage_node *node;
  pm_op *op;
  points of;         /* its set is borrowed */
  stage_sites sites; /* in its body */
  parts parts;
} peeling;

typedef struct peelings {
  PM_VEC(peeling) list;
  size_t split; /* one more than the number of the last one that is split; 0: none is */
} peelings;

/* --- bodies that are split alike --- */

static bool have_equal_points(isl_set *a, isl_set *b) {
  isl_set *one = isl_set_reset_tuple_id(isl_set_copy(a)), *other = isl_set_reset_tuple_id(isl_set_copy(b));
  bool equal = isl_set_plain_is_equal(one, other) == isl_bool_true;
  isl_set_free(one);
  isl_set_free(other);
  return equal;
}

/* Pairs of points that may reach one cell. */
static isl_set *pairs_of(const points *of) {
  isl_map *target = isl_map_copy(of->update->target);
  isl_map *pairs = isl_map_apply_range(isl_map_copy(target), isl_map_reverse(target));
  return isl_set_flatten(isl_map_wrap(pairs));
}

/* Points that reach one cell in one body do so in the other. */
static bool share_cells_alike(const points *a, const points *b) {
  if (!a->update || !b->update) return a->update == b->update;
  isl_set *one = pairs_of(a), *other = pairs_of(b);
  bool equal = have_equal_points(one, other);
  isl_set_free(one);
  isl_set_free(other);
  return equal;
}

static bool are_equal_functions(isl_pw_aff *a, isl_pw_aff *b) {
  isl_pw_aff *one = isl_pw_aff_reset_tuple_id(isl_pw_aff_copy(a), isl_dim_in);
  isl_pw_aff *other = isl_pw_aff_reset_tuple_id(isl_pw_aff_copy(b), isl_dim_in);
  bool equal = isl_pw_aff_plain_is_equal(one, other) == isl_bool_true;
  isl_pw_aff_free(one);
  isl_pw_aff_free(other);
  return equal;
}

/* The points of both, and the functions that they are split by, are the same. */
static bool are_alike(const peeling *a, const peeling *b) {
  bool alike = a->sites.functions.len == b->sites.functions.len && have_equal_points(a->of.set, b->of.set);
  for (size_t i = 0; i < a->sites.functions.len && alike; i++)
    alike = are_equal_functions(a->sites.functions.data[i], b->sites.functions.data[i]);
  return alike && share_cells_alike(&a->of, &b->of);
}

/* The parts of the other, as sets of instances of this body. */
static void copy_parts(const peeling *from, peeling *plan) {
  for (size_t i = 0; i < from->parts.len; i++) {
    isl_set *set = isl_set_reset_tuple_id(isl_set_copy(from->parts.data[i].set));
    if (isl_set_has_tuple_id(plan->of.set) == isl_bool_true)
      set = isl_set_set_tuple_id(set, isl_set_get_tuple_id(plan->of.set));
    PM_VEC_PUSH(plan->parts, ((part){.set = set}));
  }
}

/* --- plans --- */

/* Splits the case or update when that is allowed and pays, and finds how the parts become simpler. */
static void plan_body(const peeler *p, const stage_node *node, size_t number, pm_op *op, points of,
                      bool may_split, peelings *out) {
  peeling plan = {.node = node, .op = op, .of = of};
  stage_collect_sites(p->values, op, &plan.sites);
  const peeling *last = may_split && out->split ? &out->list.data[out->split - 1] : NULL;
  if (last && are_alike(last, &plan))
    copy_parts(last, &plan);
  else {
    isl_set *interior = may_split ? find_interior(p, &of, &plan.sites) : isl_set_copy(of.set);
    if (may_split && !of.update) interior = find_common_interior(p, node, number, interior);
    find_parts(of.set, interior, &plan.parts);
  }
  for (size_t i = 0; i < plan.parts.len; i++) {
    part *one = &plan.parts.data[i];
    isl_set *known = with_param_types(p, isl_set_copy(one->set));
    stage_decide(p->graph, p->values, &plan.sites, known, pm_pass_arena(p->pass), &one->decisions);
    isl_set_free(known);
  }
  PM_VEC_PUSH(out->list, plan);
  if (plan.parts.len > 1) out->split = out->list.len;
}

/* A stage that a schedule names keeps its statements: its cases are only simplified. */
static void plan_stage(const peeler *p, const stage_node *node, peelings *out) {
  bool named = p->named[node->index], may_split = p->split && !named && !node->self_reads.len;
  if (named && p->split && node->cases.len)
    pm_pass_remark(p->pass, node->op->loc, PM_REMARK_MISSED, NULL, 0,
                   "no case of @%s is split: the schedule names it", node->name->text);
  for (size_t i = 0; i < node->cases.len; i++)
    plan_body(p, node, i, node->cases.data[i].op, (points){node->cases.data[i].set, NULL}, may_split, out);
  for (size_t i = 0; i < node->updates.len; i++) {
    const stage_update_info *update = &node->updates.data[i];
    plan_body(p, node, i, update->op, (points){update->set, update}, may_split, out);
  }
}

/* Does what is planned, and frees it; whether that changed anything. */
static bool carry_out(const peeler *p, peeling *plan) {
  pm_arena *arena = pm_pass_arena(p->pass);
  parts *list = &plan->parts;
  bool changed = list->len > 1 || list->data[0].decisions.len > 0;
  if (list->len > 1) explain_split(p, plan->node, plan->op, plan->of.set, list);
  explain_decisions(p, plan->node, plan->op, &list->data[0].decisions);
  pm_op **bodies = pm_arena_alloc(arena, list->len * sizeof *bodies);
  bodies[0] = plan->op;
  if (list->len > 1) copy_body(p, plan->op, list, bodies);
  for (size_t i = 0; i < list->len; i++) stage_apply(p->graph, bodies[i], arena, &list->data[i].decisions);
  free_parts(list);
  stage_sites_free(&plan->sites);
  return changed;
}

/* All bodies are looked at before the first is changed, since values of one stage follow from the ops of
 * others. */
static bool peel(peeler *p) {
  peelings plans = {0};
  bool changed = false;
  p->values = STAGE_VALUES(p->pass);
  for (size_t i = 0; i < p->graph->nodes.len; i++) plan_stage(p, p->graph->nodes.data[i], &plans);
  for (size_t i = 0; i < plans.list.len; i++) changed |= carry_out(p, &plans.list.data[i]);
  PM_VEC_FREE(plans.list);
  return changed;
}

pm_result pass_peel_borders(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  peeler p = {.pass = pass,
              .graph = graph,
              .named = poly_named_stages(pass),
              .sizes = typical_sizes(graph, pm_usual_size(pm_pass_root(pass))),
              .least = (double)pm_opt_int(pass, peel_borders_opt_least) / 100,
              .split = pm_opt_bool(pass, peel_borders_opt_split)};
  bool changed = peel(&p);
  stage_facts_free(p.sizes);
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
