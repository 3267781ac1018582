/* rfactor: an update becomes partial results that know nothing of each other, and an update that combines
 * them.
 *
 *   stage.func @hist : i32 on { [v] : 0 <= v < 256 } {
 *     stage.update(%x, %y) on { [x, y] : 0 <= x < R and 0 <= y < C } {
 *       … stage.combine sum, %one into [%value]
 *     }
 *   }
 *   ->
 *   stage.func @hist_part : i32 on { [p, v] : 0 <= p < 16 and 0 <= v < 256 } {
 *     stage.update(%p, %x, %y) on { [p, x, y] : p = x mod 16 and 0 <= x < R and 0 <= y < C } {
 *       … stage.combine sum, %one into [%p, %value]
 *     }
 *   }
 *   stage.func @hist : i32 on { [v] : 0 <= v < 256 } {
 *     stage.update(%p, %v) on { [p, v] : 0 <= p < 16 and 0 <= v < 256 } {
 *       %0 = stage.read @hist_part[%p, %v] : i32
 *       stage.combine sum, %0 into [%v] : i32
 *     }
 *   }
 *
 * The rfactor of Halide (Suriana, Adams, Kamil, CGO 2017, "Parallel associative reductions in Halide"), found
 * by itself. It is done to an update whose contributions to a cell may be combined in any order, which does
 * not read its own stage, and which has too few cells of known place to keep the threads busy. The points of
 * one partial result are those with one remainder of the outermost dimension that is long enough, or of
 * blocks of it when what is inside of it is short: whole rows. Their number is a constant, so the values do
 * not depend on the number of threads. Sizes are judged with the estimates of the params.
 */
#include "dialects/arith/call.h"
#include "dialects/isl/take.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/named_stages.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "dialects/stage/dependences/update_loops.h"
#include "dialects/stage/pieces.h"
#include "passes/options.h"

#include <math.h>
#include <stdlib.h>

enum {
  GRAIN = 1024,     /* points that one partial result takes at a time, at least */
  LEAST_INNER = 64, /* partial results along the innermost dimension */
  GAIN = 4          /* points for each cell of the partial results, at least */
};

enum { ALONG_OUTER, ALONG_INNER }; /* of `along` */

typedef struct factoring {
  pm_pass *pass;
  const stage_graph *graph;
  int64_t partials, size, line; /* options */
  double worth, enough;
  bool inner, atomic;
  int64_t done;
} factoring;

/* What becomes of one update. */
typedef struct plan {
  const stage_node *node;
  const stage_update_info *update;
  size_t number;
  int64_t *coincident; /* its dimensions: 1, points that differ in it may be computed in any order */
  unsigned dim;        /* of the update: whose points go to different partial results */
  int64_t partials;
  int64_t block;  /* of consecutive values of it that stay together */
  isl_set *cells; /* that the update may reach; of the func's dimensions, without a name */
  int64_t spare;  /* more values of the first of these than cells, so that no line has cells of two results */
  double bytes;
} plan;

/* --- sizes, by the estimates of the params --- */

/* Points of the box of dimensions first .. last - 1. */
static double box_size(isl_set *set, unsigned first, unsigned last) {
  double n = 1;
  for (unsigned d = first; d < last; d++) n *= stage_extent(set, d);
  return n;
}

/* --- whether --- */

/* Iterations that the loops over its cells give, or the longest of its dimensions that may run in any order.
 */
static double parallel_iterations(const plan *p, isl_set *points) {
  unsigned n = (unsigned)isl_set_dim(points, isl_dim_set);
  double most = 1;
  for (unsigned d = 0; d < n; d++)
    if (p->coincident[d]) most = fmax(most, stage_extent(points, d));
  isl_multi_union_pw_aff *loops = stage_update_loops(p->node, p->number);
  if (!loops) return most;
  isl_union_map *map = isl_union_map_from_multi_union_pw_aff(loops);
  isl_set *iterations =
      isl_set_from_union_set(isl_union_set_apply(isl_union_set_from_set(isl_set_copy(points)), map));
  most = fmax(most, box_size(iterations, 0, (unsigned)isl_set_dim(iterations, isl_dim_set)));
  isl_set_free(iterations);
  return most;
}

/* Each value of the dimension goes to another of partial results, a power of two of them, or as many as are
 * wanted. */
static bool may_be_next_to(plan *p, double extent) {
  while ((double)p->partials > extent && p->partials >= 2 * LEAST_INNER) p->partials /= 2;
  return (double)p->partials <= extent;
}

/* Finds the outermost dimension with a block for each partial result, or the innermost, of those whose points
 * come to one cell. */
static bool choose_dim(const factoring *f, plan *p, isl_set *points) {
  unsigned n = (unsigned)isl_set_dim(points, isl_dim_set);
  for (unsigned d = 0; d < n; d++) {
    p->dim = f->inner ? n - 1 - d : d;
    if (p->coincident[p->dim]) continue;
    p->partials = f->partials;
    p->block = 1;
    if (f->inner && may_be_next_to(p, stage_extent(points, p->dim))) return true;
    if (f->inner) continue;
    double inside = box_size(points, p->dim + 1, n);
    p->block = inside >= GRAIN ? 1 : (int64_t)ceil(GRAIN / fmax(inside, 1));
    if (stage_extent(points, p->dim) >= (double)(p->block * f->partials)) return true;
  }
  return false;
}

/* The cells that the update may reach: their hull in the domain. */
static isl_set *reached_cells(const plan *p) {
  isl_set *cells = isl_set_coalesce(isl_set_remove_divs(isl_map_range(isl_map_copy(p->update->target))));
  if (isl_set_n_basic_set(cells) > 1) cells = isl_set_from_basic_set(isl_set_simple_hull(cells));
  cells = isl_set_coalesce(isl_set_intersect(cells, isl_set_copy(p->node->domain)));
  return isl_set_reset_tuple_id(cells);
}

static size_t least_element_bytes(pm_type type) {
  size_t least = SIZE_MAX;
  for (unsigned i = 0; i < pm_tuple_len(type); i++) {
    size_t bytes = pm_element_bytes(pm_tuple_at(type, i));
    if (bytes < least) least = bytes;
  }
  return least;
}

/* Finds the cells, and how many there will be in all. */
static double size_partials(const factoring *f, plan *p) {
  unsigned n = p->node->n_dims;
  p->cells = reached_cells(p);
  isl_set *cells = stage_at_estimates(f->graph, isl_set_copy(p->cells), f->size);
  double row = n ? fmax(box_size(cells, 1, n), 1) : 1;
  if (n) p->spare = (int64_t)ceil((double)f->line / (row * (double)least_element_bytes(p->node->type)));
  double all = (double)p->partials * (box_size(cells, 0, n) + row * (double)p->spare);
  isl_set_free(cells);
  p->bytes = all * (double)pm_element_bytes(p->node->type);
  return all;
}

/* NULL when partial results are right and worth it, with the plan made; else the reason. */
static const char *why_not(const factoring *f, plan *p, isl_set *points) {
  const pm_op *combine = pm_terminator(pm_region_at(p->update->op, stage_update_body));
  double n_points = box_size(points, 0, (unsigned)isl_set_dim(points, isl_dim_set));
  if (isl_set_is_empty(points) == isl_bool_true) return "it has no points";
  if (stage_update_reads_itself(p->node, p->number)) return "it reads the stage";
  if (f->atomic && stage_may_be_atomic(combine)) return "it is atomic";
  if (parallel_iterations(p, points) >= f->enough) return "its loops over elements are parallel already";
  const char *in_order = stage_why_in_order(combine);
  if (in_order) return in_order;
  if (p->node->n_dims + 1 > PM_MAX_RANK || isl_set_dim(points, isl_dim_set) + 2 > PM_MAX_RANK)
    return "there would be too many dimensions";
  if (n_points < f->worth || !choose_dim(f, p, points)) return "it has too few points";
  return size_partials(f, p) * GAIN <= n_points
             ? NULL
             : "it has too few points for the elements of the partial results";
}

/* --- the stage of partial results --- */

/* { [i, …] } -> { [i + k, …] : 0 <= k <= spare }; takes the set. */
static isl_set *with_spare(isl_set *set, int64_t spare) {
  isl_set *more = isl_set_universe(isl_set_get_space(set));
  more = isl_set_lower_bound_si(more, isl_dim_set, 0, 0);
  more = isl_set_upper_bound_si(more, isl_dim_set, 0, (int)spare);
  for (unsigned d = 1; d < (unsigned)isl_set_dim(set, isl_dim_set); d++)
    more = isl_set_fix_si(more, isl_dim_set, d, 0);
  return isl_set_sum(set, more);
}

/* { [p, i, …] : 0 <= p < partials and [i, …] in cells }, with the func's names of dimensions. Takes the
 * cells. */
static pm_attr of_partials(const factoring *f, const plan *p, isl_set *cells) {
  isl_set *names = isl_peek_set(pm_attr_at(p->node->op, stage_func_domain));
  isl_set *set = isl_set_coalesce(isl_set_gist_params(cells, isl_set_copy(f->graph->context)));
  set = isl_set_insert_dims(set, isl_dim_set, 0, 1);
  set = isl_set_lower_bound_si(set, isl_dim_set, 0, 0);
  set = isl_set_upper_bound_si(set, isl_dim_set, 0, (int)p->partials - 1);
  for (unsigned d = 0; d < p->node->n_dims; d++) {
    const char *name = isl_set_get_dim_name(names, isl_dim_set, d);
    if (name) set = isl_set_set_dim_name(set, isl_dim_set, d + 1, name);
  }
  return isl_attr_of_set(f->graph->ctx, isl_with_used_params(set));
}

static pm_op *build_partials(const factoring *f, const plan *p, pm_string name) {
  isl_set *cells = isl_set_copy(p->cells);
  if (p->spare) cells = with_spare(cells, p->spare);
  pm_builder b = pm_builder_before(p->node->op);
  b.loc = p->update->op->loc;
  pm_attr attrs[stage_func_N_ATTRS] = {NULL};
  attrs[stage_func_sym] = pm_get_symbol(f->graph->ctx, name);
  attrs[stage_func_type] = pm_attr_at(p->node->op, stage_func_type);
  attrs[stage_func_domain] = of_partials(f, p, cells);
  attrs[stage_func_default] =
      stage_combine_identities(pm_terminator(pm_region_at(p->update->op, stage_update_body)));
  return pm_build(&b, &stage_func, NULL, 0, NULL, 0, attrs);
}

/* --- the update of the partial results --- */

static isl_aff *coordinate(isl_local_space *space, unsigned d) {
  return isl_aff_var_on_domain(isl_local_space_copy(space), isl_dim_set, d);
}

/* { [p, …, b, x, …] : [… x, …] in the update's set and b = floor(x / block) and p = b mod partials }, without
 * b when the blocks are of size 1. */
static pm_attr partial_points(const factoring *f, const plan *p) {
  isl_set *set = isl_set_copy(isl_peek_set(pm_attr_at(p->update->op, stage_update_set)));
  unsigned at = p->dim + 1;
  set = isl_set_insert_dims(set, isl_dim_set, 0, 1);
  if (p->block > 1) set = isl_set_insert_dims(set, isl_dim_set, at, 1);
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(set));
  if (p->block > 1) {
    isl_val *size = isl_val_int_from_si(f->graph->isl, (long)p->block);
    isl_aff *of_point = isl_aff_floor(isl_aff_scale_down_val(coordinate(space, at + 1), size));
    set =
        isl_set_intersect(set, isl_set_from_basic_set(isl_aff_eq_basic_set(coordinate(space, at), of_point)));
  }
  isl_val *partials = isl_val_int_from_si(f->graph->isl, (long)p->partials);
  isl_aff *rest = isl_aff_mod_val(coordinate(space, at), partials);
  set = isl_set_intersect(set, isl_set_from_basic_set(isl_aff_eq_basic_set(coordinate(space, 0), rest)));
  isl_local_space_free(space);
  return isl_attr_of_set(f->graph->ctx, set);
}

/* Gives the region the arguments of partial_points, and the ops of the update. */
static void take_body(const plan *p, pm_region *to) {
  pm_region *from = pm_region_at(p->update->op, stage_update_body);
  pm_type index = pm_get_index(pm_op_context(p->update->op));
  pm_add_arg(to, index, pm_get_cstring(pm_op_context(p->update->op), "p"));
  for (unsigned d = 0; d < from->n_args; d++) {
    if (d == p->dim && p->block > 1) pm_add_arg(to, index, pm_get_cstring(pm_op_context(p->update->op), "b"));
    pm_replace_uses(from->args[d], pm_add_arg(to, index, from->args[d]->name));
  }
  pm_splice(to, from);
}

/* Moves the body of the update into one of the partial results, which belongs to `partials`. */
static void build_update(const factoring *f, const plan *p, pm_op *partials) {
  pm_region *cases = pm_region_begin(pm_region_at(partials, stage_func_cases));
  pm_builder b = pm_builder_at_end(pm_module_of(partials), cases, p->update->op->loc);
  pm_op *update = pm_build(&b, &stage_update, NULL, 0, NULL, 0, (pm_attr[]){partial_points(f, p)});
  pm_set_extra(update, pm_extra(p->update->op));
  pm_region *body = pm_region_begin(pm_region_at(update, stage_update_body));
  take_body(p, body);
  stage_prepend_indices(pm_terminator(body), 1);
}

/* --- the update that combines them --- */

/* Stands in front of the update. */
static void build_combination(const factoring *f, const plan *p, pm_string name) {
  pm_context *ctx = f->graph->ctx;
  pm_attr points = of_partials(f, p, isl_set_copy(p->cells));
  unsigned n = p->node->n_dims;
  const pm_op *old = pm_terminator(pm_region_at(p->update->op, stage_update_body));
  isl_set *set = isl_peek_set(points);
  pm_builder b = pm_builder_before(p->update->op);
  pm_op *update = pm_build(&b, &stage_update, NULL, 0, NULL, 0, (pm_attr[]){points});
  pm_region *body = pm_region_begin(pm_region_at(update, stage_update_body));
  for (unsigned d = 0; d <= n; d++) {
    const char *text = d ? isl_set_get_dim_name(set, isl_dim_set, d) : "p";
    pm_add_arg(body, pm_get_index(ctx), text ? pm_get_cstring(ctx, text) : NULL);
  }
  b = pm_builder_at_end(pm_module_of(update), body, old->loc);
  pm_value *first = stage_build_read(&b, name, p->node->type, stage_own_point(ctx, n + 1), body->args, NULL);
  pm_op *read = pm_def(first);
  PM_VEC(pm_value *) values = {0};
  for (unsigned i = 0; i < read->n_results; i++) PM_VEC_PUSH(values, pm_res(read, i));
  stage_build_combine_like(&b, old, values.data, n);
  PM_VEC_FREE(values);
}

static void factor(factoring *f, const plan *p) {
  pm_string name = stage_unused_name(p->node->op, "part");
  pm_remark_arg args[] = {{"partials", (double)p->partials}, {"bytes", p->bytes}};
  const pm_region *body = pm_region_at(p->update->op, stage_update_body);
  pm_pass_remark(f->pass, p->update->op->loc, PM_REMARK_PASSED, args, PM_COUNT(args),
                 "this update of @%pS becomes %lld partial results, @%pS, of %.0f bytes at the "
                 "estimates: each takes a block of %lld in %pV",
                 (const void *)p->node->name, (long long)p->partials, (const void *)name, p->bytes,
                 (long long)p->block, (const void *)body->args[p->dim]);
  pm_op *partials = build_partials(f, p, name);
  build_combination(f, p, name);
  build_update(f, p, partials);
  pm_op_erase(p->update->op);
  f->done++;
}

static void explain_missed(const factoring *f, const stage_node *node, size_t number, const char *reason) {
  pm_pass_remark(f->pass, node->updates.data[number].op->loc, PM_REMARK_MISSED, NULL, 0,
                 "this update of @%pS has no partial results: %s", (const void *)node->name, reason);
}

static void visit_update(factoring *f, const stage_node *node, size_t number) {
  plan p = {.node = node, .update = &node->updates.data[number], .number = number};
  isl_set *points = stage_at_estimates(f->graph, isl_set_copy(p.update->set), f->size);
  p.coincident = pm_xcalloc(isl_set_dim(points, isl_dim_set) + 1u, sizeof *p.coincident);
  stage_update_coincidence(node, number, p.coincident);
  const char *reason = why_not(f, &p, points);
  if (reason)
    explain_missed(f, node, number, reason);
  else
    factor(f, &p);
  free(p.coincident);
  isl_set_free(p.cells);
  isl_set_free(points);
}

pm_result pass_rfactor(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  const bool *named = poly_named_stages(pass);
  factoring f = {.pass = pass,
                 .graph = graph,
                 .partials = pm_opt_int(pass, rfactor_opt_partials),
                 .size = pm_usual_size(pm_pass_root(pass)),
                 .worth = (double)pm_opt_int(pass, rfactor_opt_worth),
                 .line = pm_opt_int(pass, rfactor_opt_line),
                 .enough = (double)pm_opt_int(pass, rfactor_opt_enough),
                 .inner = pm_opt_enum(pass, rfactor_opt_along) == ALONG_INNER,
                 .atomic = pm_opt_bool(pass, rfactor_opt_atomic)};
  if (f.enough == 0) f.enough = (double)f.partials;
  for (size_t i = 0; i < graph->nodes.len; i++)
    for (size_t k = 0; k < graph->nodes.data[i]->updates.len; k++)
      if (named[i])
        explain_missed(&f, graph->nodes.data[i], k, "the schedule names the stage");
      else
        visit_update(&f, graph->nodes.data[i], k);
  pm_pass_stat(pass, "updates with partial results", f.done);
  return f.done ? PM_CHANGED : PM_UNCHANGED;
}
