/* factor-stencils: sums of one expression at several points share partial sums, which become a stage.
 *
 *   stage.func @f : i32 on D {                    |  stage.func @f_sum : i32 on D + {-1 <= x <= 1, y = 0} {
 *     stage.case(%x, %y) on D {                   |    stage.case(%x, %y) on … {
 *       %0 = stage.read @g[%x - 1, %y - 1] : i32  |      … @g[%x, %y - 1] + 2 * @g[%x, %y] + @g[%x, %y + 1]
 *       %1 = stage.read @g[%x - 1, %y] : i32      |    }
 *       %2 = arith.muli %1, %two : i32            |  }
 *       %3 = arith.addi %0, %2 : i32              |  stage.func @f : i32 on D {
 *       …                                         |    stage.case(%x, %y) on D {
 *       … nine terms, by the mask 1 2 1           |      %0 = stage.read @f_sum[%x - 1, %y] : i32
 *                                 2 4 2           |      %1 = stage.read @f_sum[%x, %y] : i32
 *                                 1 2 1           |      %2 = stage.read @f_sum[%x + 1, %y] : i32
 *                                                 |      … %0 + 2 * %1 + %2
 *
 * The terms of a sum that are one expression at points a constant apart are a mask. Along one axis its rows
 * are taken as multiples of one pattern, with single terms left over (stencil_cut): a mask of rank 1 leaves
 * none, and box sums are those of ones. The pattern's sum at a point is what is kept; all that the sums of a
 * case keep is one stage, of tuples. Of the axes the cut is taken that costs least by the cost model, if it
 * costs less than the sums as they are. What is left is cut again, along other axes.
 *
 * Sums of integers wrap, so any order and any factors that are whole numbers give the same; sums of floats
 * are taken apart under fp = "fast" alone. A sum of integers whose value fits 16 bits is computed in these.
 *
 * Array subexpression elimination (Deitz, Chamberlain, Snyder, "Eliminating redundancies in sum-of-product
 * array computations", ICS 2001) and partial sums (Basu et al., "Compiler-directed transformation for
 * higher-order stencils", IPDPS 2015), by whole rows of masks.
 */
#include "dialects/arith/arith.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/cost/cost.h"
#include "dialects/poly/named_stages.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/inlining.h"
#include "passes/options.h"
#include "passes/stage/factor-stencils/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A case, of a stage of the graph or of one that was made here. */
typedef struct stencil_case {
  pm_op *op;
  isl_set *set;           /* owned */
  const stage_node *node; /* NULL: made here */
} stencil_case;

typedef struct factoring {
  pm_pass *pass;
  const stage_graph *graph;
  pm_machine machine;
  bool floats;
  int64_t most, terms, least, size, made;
  PM_VEC(stencil_case) todo;
} factoring;

/* A stage of what is kept at a point: an element for each of its cuts. */
typedef struct partial {
  const stencil_cut *like; /* all have its box of rows */
  unsigned n;
  pm_op *func, *body; /* stage.func and stage.case; NULL: not built yet */
  isl_set *set;
} partial;

typedef struct planned_cut {
  size_t sum, stencil;
  stencil_cut cut;
  size_t partial;   /* number in the trial */
  unsigned element; /* of its tuples */
} planned_cut;

/* The case with cuts along one axis. */
typedef struct trial {
  const stencil_case *of;
  const stencil_sums *sums;
  unsigned axis;
  PM_VEC(planned_cut) cuts;
  PM_VEC(partial) partials;
  pm_op *copy; /* of the case, with the cuts */
  double ns;   /* of all points */
} trial;

static pm_region *body_of(const pm_op *case_op) {
  return pm_region_at(case_op, stage_case_body);
}

/* --- types --- */

static int mantissa_bits(pm_type type) {
  if (!pm_is_float(type)) return 0;
  return pm_element_bytes(type) == 8 ? 53 : pm_element_bytes(type) == 4 ? 24 : 11;
}

static arith_range add_multiple(arith_range sum, const pm_value *value, double weight) {
  int64_t by = (int64_t)weight;
  return arith_range_add(sum, arith_range_mul(stencil_range_of(value), (arith_range){true, by, by}));
}

static arith_range range_of_sum(const stencil_sum *sum) {
  arith_range range = {true, 0, 0};
  for (size_t i = 0; i < sum->others.len; i++)
    range = add_multiple(range, sum->others.data[i].value, sum->others.data[i].weight);
  for (size_t i = 0; i < sum->stencils.len; i++)
    for (size_t k = 0; k < sum->stencils.data[i].taps.len; k++)
      range = add_multiple(range, sum->stencils.data[i].leaf, sum->stencils.data[i].taps.data[k].weight);
  return range;
}

/* What the sum is computed in: 16 bits of integers if its value, all terms together, fits these. */
static pm_type type_of_sum(const stencil_sum *sum) {
  pm_type type = sum->root->type;
  arith_range range = pm_is_float(type) ? arith_unknown_range() : range_of_sum(sum);
  if (pm_element_bytes(type) <= 2 || !range.known) return type;
  pm_context *ctx = pm_op_context(pm_def(sum->root));
  if (arith_range_fits(range, PM_I16)) return pm_get_scalar(ctx, PM_I16);
  return arith_range_fits(range, PM_U16) ? pm_get_scalar(ctx, PM_U16) : type;
}

/* The value modulo the size of the type. */
static pm_value *convert(pm_builder *b, pm_value *value, pm_type type) {
  pm_op *op = pm_def(value);
  if (value->type == type) return value;
  pm_attr constant = pm_constant_value(value);
  if (constant) return arith_build_int(b, type, constant->i);
  bool widened = pm_is(op, &arith_cast) && pm_is_int(pm_arg(op, 0)->type) &&
                 pm_element_bytes(pm_arg(op, 0)->type) <= pm_element_bytes(type);
  return arith_build_cast(b, widened ? pm_arg(op, 0) : value, type);
}

/* total + weight * value; the total is NULL at first. */
static pm_value *add_weighted(pm_builder *b, pm_value *total, pm_value *value, double weight) {
  pm_type type = value->type;
  bool is_float = pm_is_float(type), subtracts = total && weight == -1;
  if (weight != 1 && !subtracts) {
    pm_value *by = is_float ? arith_build_float(b, type, weight) : arith_build_int(b, type, (int64_t)weight);
    value = pm_build_binary(b, is_float ? &arith_mulf : &arith_muli, value, by);
  }
  if (!total) return value;
  if (subtracts) return pm_build_binary(b, is_float ? &arith_subf : &arith_subi, total, value);
  return pm_build_binary(b, is_float ? &arith_addf : &arith_addi, total, value);
}

/* Adds the expression at each of the taps. */
static pm_value *add_taps(pm_builder *b, pm_value *total, const stencil *s, const stencil_tap *taps, size_t n,
                          pm_type type, pm_value *const *args) {
  for (size_t i = 0; i < n; i++) {
    pm_value *value = stencil_build(b, s, taps[i].at, args);
    total = add_weighted(b, total, convert(b, value, type), taps[i].weight);
  }
  return total;
}

/* --- what is kept --- */

static const stencil *stencil_of(const trial *t, const planned_cut *c) {
  return &t->sums->data[c->sum].stencils.data[c->stencil];
}

static pm_type type_of_cut(const trial *t, const planned_cut *c) {
  return type_of_sum(&t->sums->data[c->sum]);
}

/* All points that a row of the cut is at. */
static isl_set *points_of(const trial *t, const stencil_cut *cut) {
  isl_set *set = isl_set_reset_tuple_id(isl_set_copy(t->of->set));
  isl_set *box = isl_set_universe(isl_set_get_space(set));
  for (unsigned d = 0; d < body_of(t->of->op)->n_args; d++) {
    box = isl_set_lower_bound_si(box, isl_dim_set, d, (int)cut->low[d]);
    box = isl_set_upper_bound_si(box, isl_dim_set, d, (int)cut->high[d]);
  }
  return isl_set_coalesce(isl_set_sum(set, box));
}

static pm_type type_of_partial(const trial *t, size_t number) {
  PM_VEC(pm_type) types = {0};
  for (size_t i = 0; i < t->cuts.len; i++)
    if (t->cuts.data[i].partial == number) PM_VEC_PUSH(types, type_of_cut(t, &t->cuts.data[i]));
  pm_type type = types.len > 1 ? pm_get_tuple(types.data, (uint16_t)types.len) : types.data[0];
  PM_VEC_FREE(types);
  return type;
}

static void build_kept_values(const trial *t, size_t number, pm_region *body) {
  pm_builder b = pm_builder_at_end(pm_module_of(t->of->op), body, t->of->op->loc);
  PM_VEC(pm_value *) values = {0};
  for (size_t i = 0; i < t->cuts.len; i++) {
    const planned_cut *c = &t->cuts.data[i];
    if (c->partial != number) continue;
    pm_value *value = add_taps(&b, NULL, stencil_of(t, c), c->cut.pattern.data, c->cut.pattern.len,
                               type_of_cut(t, c), body->args);
    PM_VEC_PUSH(values, value);
  }
  stage_build_yield(&b, values.data, (unsigned)values.len);
  PM_VEC_FREE(values);
  stage_tidy_body(body);
}

/* In front of the stage. */
static void build_partial(const factoring *f, trial *t, size_t number) {
  partial *p = &t->partials.data[number];
  pm_op *stage = pm_parent(t->of->op);
  const pm_region *args = body_of(t->of->op);
  pm_builder b = pm_builder_before(stage);
  p->set = points_of(t, p->like);
  pm_attr set = stage_set_attr(f->graph, isl_set_copy(p->set), pm_attr_at(t->of->op, stage_case_set));
  p->func = stage_build_func(&b, stage_unused_name(stage, "sum"), type_of_partial(t, number), set, NULL);
  p->body = stage_build_case(p->func, t->of->op->loc, set);
  pm_string names[PM_MAX_RANK];
  for (unsigned d = 0; d < args->n_args; d++) names[d] = args->args[d]->name;
  build_kept_values(t, number, stage_begin_body(p->body, names, args->n_args));
}

/* --- the case --- */

static pm_value *read_partial(pm_builder *b, const trial *t, const planned_cut *c, const int64_t *at,
                              const pm_region *body) {
  const pm_op *func = t->partials.data[c->partial].func;
  pm_context *ctx = pm_op_context(func);
  pm_affine_expr results[PM_MAX_RANK];
  for (unsigned d = 0; d < body->n_args; d++) results[d] = pm_affine_addc(pm_affine_dim(ctx, d), at[d]);
  pm_affine_map map = pm_get_affine_map(ctx, body->n_args, 0, results, body->n_args);
  pm_value *first = stage_build_read(b, stage_name_of(func), stage_type_of(func), map, body->args, NULL);
  return pm_res(pm_def(first), c->element);
}

static const planned_cut *cut_of(const trial *t, size_t sum, size_t stencil) {
  for (size_t i = 0; i < t->cuts.len; i++)
    if (t->cuts.data[i].sum == sum && t->cuts.data[i].stencil == stencil) return &t->cuts.data[i];
  return NULL;
}

static pm_value *add_stencil(pm_builder *b, pm_value *total, const trial *t, size_t sum, size_t number,
                             bool with_cuts) {
  const stencil *s = &t->sums->data[sum].stencils.data[number];
  const planned_cut *c = with_cuts ? cut_of(t, sum, number) : NULL;
  pm_type type = type_of_sum(&t->sums->data[sum]);
  const pm_region *body = b->region;
  if (!c) return add_taps(b, total, s, s->taps.data, s->taps.len, type, body->args);
  for (size_t i = 0; i < c->cut.rows.len; i++) {
    pm_value *read = read_partial(b, t, c, c->cut.rows.data[i].at, body);
    total = add_weighted(b, total, read, c->cut.rows.data[i].weight);
  }
  return add_taps(b, total, s, c->cut.rest.data, c->cut.rest.len, type, body->args);
}

/* Builds the sum anew in a copy of the case, whose values `copies` has. */
static void rebuild_sum(const trial *t, size_t number, bool with_cuts, const pm_map *copies) {
  const stencil_sum *sum = &t->sums->data[number];
  pm_type type = type_of_sum(sum);
  pm_value *root = pm_map_get(copies, sum->root), *total = NULL;
  pm_builder b = pm_builder_before(pm_def(root));
  for (size_t i = 0; i < sum->others.len; i++) {
    pm_value *value = pm_map_get(copies, sum->others.data[i].value);
    value = convert(&b, value ? value : sum->others.data[i].value, type);
    total = add_weighted(&b, total, value, sum->others.data[i].weight);
  }
  for (size_t i = 0; i < sum->stencils.len; i++) total = add_stencil(&b, total, t, number, i, with_cuts);
  if (type != root->type) total = arith_build_cast(&b, total, root->type);
  pm_replace_op(pm_def(root), &total);
}

/* A copy of the case, in front of it, where the sums that have cuts are built anew, with these or without. */
static pm_op *copy_case(const trial *t, bool with_cuts) {
  pm_op *op = t->of->op;
  pm_map *copies = pm_map_new();
  pm_op *copy = pm_clone(pm_module_of(op), op, copies);
  pm_insert(op->region, op, copy);
  for (size_t i = 0; i < t->cuts.len; i++)
    if (i == 0 || t->cuts.data[i].sum != t->cuts.data[i - 1].sum)
      rebuild_sum(t, t->cuts.data[i].sum, with_cuts, copies);
  pm_map_free(copies);
  stage_tidy_body(body_of(copy));
  return copy;
}

/* --- what it costs --- */

/* Of all points; rows that are computed together load once what they share. */
static double case_ns(const factoring *f, pm_op *case_op, isl_set *set) {
  stage_work w = stage_work_in(case_op, set);
  if (w.shared_bytes >= PM_LEAST_SHARED * w.load_bytes / 100) w.load_bytes -= w.shared_bytes;
  return stage_points_in(f->graph, set, f->size) * poly_point_ns(&f->machine, &w, 0);
}

static double kept_bytes(const pm_op *func) {
  pm_type type = stage_type_of(func);
  double bytes = 0;
  for (unsigned i = 0; i < pm_tuple_len(type); i++) bytes += (double)pm_element_bytes(pm_tuple_at(type, i));
  return bytes;
}

static double partial_ns(const factoring *f, const partial *p) {
  double keep = poly_keep_ns(&f->machine, kept_bytes(p->func));
  return case_ns(f, p->body, p->set) + stage_points_in(f->graph, p->set, f->size) * keep;
}

/* --- trials --- */

static bool same_box(const stencil_cut *a, const stencil_cut *b) {
  return memcmp(a->low, b->low, sizeof a->low) == 0 && memcmp(a->high, b->high, sizeof a->high) == 0;
}

static void place_cut(trial *t, planned_cut *c) {
  for (c->partial = 0; c->partial < t->partials.len; c->partial++)
    if (same_box(t->partials.data[c->partial].like, &c->cut)) break;
  if (c->partial == t->partials.len) PM_VEC_PUSH(t->partials, ((partial){.like = &c->cut}));
  c->element = t->partials.data[c->partial].n++;
}

/* Notes the op and those that it depends on. */
static void cover(pm_map *covered, const pm_op *op) {
  PM_VEC(const pm_op *) todo = {0};
  PM_VEC_PUSH(todo, op);
  while (todo.len) {
    const pm_op *next = PM_VEC_POP(todo);
    if (!next || pm_map_has(covered, next)) continue;
    pm_map_set(covered, next, (void *)next);
    for (unsigned i = 0; i < next->n_operands; i++) PM_VEC_PUSH(todo, pm_def(pm_arg(next, i)));
  }
  PM_VEC_FREE(todo);
}

static size_t terms_of(const stencil_cut *cut) {
  return cut->pattern.len + cut->rows.len + cut->rest.len;
}

/* Plans a cut of the stencil that leaves few enough terms. */
static void plan_cut(const factoring *f, trial *t, size_t sum, size_t number) {
  const stencil *s = &t->sums->data[sum].stencils.data[number];
  planned_cut c = {.sum = sum, .stencil = number};
  if (!stencil_find_cut(s, t->axis, mantissa_bits(s->leaf->type), &c.cut)) return;
  if ((int64_t)terms_of(&c.cut) * 100 <= (int64_t)s->taps.len * f->terms)
    PM_VEC_PUSH(t->cuts, c);
  else
    stencil_cut_free(&c.cut);
}

/* Cuts of the stencils along the axis. A sum inside of one that has cuts waits for another round. */
static void plan_cuts(const factoring *f, trial *t) {
  pm_map *covered = pm_map_new();
  for (size_t i = 0; i < t->sums->len; i++) {
    const stencil_sum *sum = &t->sums->data[i];
    size_t before = t->cuts.len;
    if (pm_map_has(covered, pm_def(sum->root))) continue;
    for (size_t k = 0; k < sum->stencils.len; k++) plan_cut(f, t, i, k);
    if (t->cuts.len > before) cover(covered, pm_def(sum->root));
  }
  pm_map_free(covered);
  for (size_t i = 0; i < t->cuts.len; i++) place_cut(t, &t->cuts.data[i]);
}

static void build_trial(const factoring *f, trial *t) {
  t->ns = 0;
  for (size_t i = 0; i < t->partials.len; i++) {
    build_partial(f, t, i);
    t->ns += partial_ns(f, &t->partials.data[i]);
  }
  t->copy = copy_case(t, true);
  t->ns += case_ns(f, t->copy, t->of->set);
}

/* What the sums take in the order of their terms. */
static double ns_without_cuts(const factoring *f, const trial *t) {
  pm_op *copy = copy_case(t, false);
  double ns = case_ns(f, copy, t->of->set);
  pm_op_erase(copy);
  return ns;
}

static void free_trial(trial *t) {
  for (size_t i = 0; i < t->cuts.len; i++) stencil_cut_free(&t->cuts.data[i].cut);
  for (size_t i = 0; i < t->partials.len; i++) isl_set_free(t->partials.data[i].set);
  PM_VEC_FREE(t->cuts);
  PM_VEC_FREE(t->partials);
}

/* Erases what was built. */
static void undo_trial(trial *t) {
  pm_op_erase(t->copy);
  for (size_t i = 0; i < t->partials.len; i++) {
    pm_op_erase(t->partials.data[i].func);
    isl_set_free(t->partials.data[i].set);
    t->partials.data[i].set = NULL;
  }
}

/* --- decisions --- */

static void explain(const factoring *f, const trial *t, double before, bool passed) {
  const pm_value *along = body_of(t->of->op)->args[t->axis];
  double taps = 0, after = 0, pairs[] = {before, t->ns};
  for (size_t i = 0; i < t->cuts.len; i++) {
    taps += (double)stencil_of(t, &t->cuts.data[i])->taps.len;
    after += (double)terms_of(&t->cuts.data[i].cut);
  }
  pm_remark_arg args[] = {{"before", pairs[0]}, {"after", pairs[1]}, {"taps", taps}};
  pm_pass_remark(f->pass, t->of->op->loc, passed ? PM_REMARK_PASSED : PM_REMARK_MISSED, args, PM_COUNT(args),
                 "partial sums along %pV %s @%pS: %.0f terms %s %.0f, and %.2g ms %s %.2g",
                 (const void *)along, passed ? "are kept for" : "would not pay for",
                 (const void *)stage_name_of(pm_parent(t->of->op)), taps, passed ? "became" : "would become",
                 after, before * 1e-6, passed ? "became" : "would become", t->ns * 1e-6);
}

/* Takes the trial in place of the case, whose op goes. */
static void accept(factoring *f, trial *t, stencil_case *c) {
  pm_op_erase(c->op);
  c->op = t->copy;
  for (size_t i = 0; i < t->partials.len; i++) {
    partial *p = &t->partials.data[i];
    PM_VEC_PUSH(f->todo, ((stencil_case){p->body, isl_set_copy(p->set), NULL}));
    f->made++;
  }
}

/* The case has a part of its stage's points that counts, which borders have not. */
static bool is_large(const factoring *f, const stencil_case *c) {
  if (!c->node) return true;
  double all = stage_points_in(f->graph, c->node->domain, f->size);
  return stage_points_in(f->graph, c->set, f->size) * 100 >= all * (double)f->least;
}

/* The axis whose cuts cost least; it has none where no axis has any, and of borders. */
static trial best_trial(const factoring *f, const stencil_case *c, const stencil_sums *sums) {
  trial best = {.ns = INFINITY};
  for (unsigned axis = 0; axis < body_of(c->op)->n_args; axis++) {
    trial t = {.of = c, .sums = sums, .axis = axis};
    plan_cuts(f, &t);
    bool better = t.cuts.len && is_large(f, c);
    if (better) {
      build_trial(f, &t);
      undo_trial(&t);
      better = t.ns < best.ns;
    }
    free_trial(better ? &best : &t);
    if (better) best = t;
  }
  return best;
}

/* Cuts the sums of the case; false when that does not pay. */
static bool cut_once(factoring *f, stencil_case *c) {
  stencil_sums sums = {0};
  stencil_collect_sums(body_of(c->op), f->floats, &sums);
  trial best = best_trial(f, c, &sums);
  double before = best.cuts.len ? ns_without_cuts(f, &best) : 0;
  bool pays = best.cuts.len && best.ns * 100 <= before * (double)f->most;
  if (best.cuts.len) explain(f, &best, before, pays);
  if (pays) {
    build_trial(f, &best);
    accept(f, &best, c);
  }
  free_trial(&best);
  stencil_sums_free(&sums);
  return pays;
}

static void visit_case(factoring *f, stencil_case c) {
  bool again = !stage_has_guard(c.op);
  while (again) again = cut_once(f, &c);
  isl_set_free(c.set);
}

static bool is_candidate(const stage_node *node, bool named) {
  return !named && !node->is_input && !node->self_reads.len && node->n_dims <= PM_MAX_RANK;
}

static void list_cases(factoring *f, const stage_node *node) {
  for (size_t k = 0; k < node->cases.len; k++) {
    const stage_case_info *info = &node->cases.data[k];
    PM_VEC_PUSH(f->todo, ((stencil_case){info->op, isl_set_copy(info->set), node}));
  }
}

pm_result pass_factor_stencils(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  /* The user says where stages are computed, and says nothing of those that would be made here. */
  if (poly_has_demands(graph->pipeline)) return PM_UNCHANGED;
  pm_string fp = pm_sym_at(graph->pipeline, stage_pipeline_fp);
  factoring f = {.pass = pass,
                 .graph = graph,
                 .floats = fp && strcmp(fp->text, "fast") == 0,
                 .most = pm_opt_int(pass, factor_stencils_opt_most),
                 .terms = pm_opt_int(pass, factor_stencils_opt_terms),
                 .least = pm_opt_int(pass, factor_stencils_opt_least),
                 .size = pm_usual_size(graph->pipeline)};
  if (!pm_machine_of(graph->pipeline, &f.machine)) return PM_FAILED;
  const bool *named = poly_named_stages(pass);
  for (size_t i = 0; i < graph->nodes.len; i++)
    if (is_candidate(graph->nodes.data[i], named[i])) list_cases(&f, graph->nodes.data[i]);
  for (size_t i = 0; i < f.todo.len; i++) visit_case(&f, f.todo.data[i]);
  PM_VEC_FREE(f.todo);
  pm_pass_stat(pass, "stages made", f.made);
  return f.made ? PM_CHANGED : PM_UNCHANGED;
}
