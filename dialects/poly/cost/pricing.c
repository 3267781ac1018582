#include "dialects/poly/cost/pricing.h"

#include "dialects/poly/cost/stage_shape.h"
#include "dialects/stage/analyses/estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what a cost function is told --- */

/* The number of what is read among the members or, then, the live-ins, which it may be added to. */
static unsigned number_of_read(poly_pricing *p, unsigned producer, size_t n_members) {
  if (p->listed[producer] != p->prices) {
    p->listed[producer] = p->prices;
    p->number[producer] = (unsigned)(n_members + p->described.live_ins.len);
    PM_VEC_PUSH(p->described.live_ins, p->shape[producer]);
  }
  return p->number[producer];
}

/* Numbers the members from 0, producers first. */
static void number_members(poly_pricing *p, const poly_plan *plan) {
  size_t n = plan->nodes.len;
  p->prices++;
  for (size_t i = 0; i < n; i++) {
    unsigned stage = plan->nodes.data[n - 1 - i];
    p->listed[stage] = p->prices;
    p->number[stage] = (unsigned)i;
  }
}

/* Appends what the member reads, once each; returns how many. */
static size_t list_reads(poly_pricing *p, const poly_plan *plan, unsigned stage) {
  const poly_indices *producers = &p->producers[stage];
  for (size_t k = 0; k < producers->len; k++)
    PM_VEC_PUSH(p->described.reads, number_of_read(p, producers->data[k], plan->nodes.len));
  return producers->len;
}

/* The upper halos as cost functions see them: what is needed whole has one of its whole extent. */
static const int64_t *halo_above(const poly_plan *plan, const poly_planned *m) {
  if (!poly_has_any(m->at, plan->n, m->whole)) return m->halo_hi;
  int64_t *above = pm_arena_alloc(plan->all->arena, plan->n * sizeof *above);
  for (unsigned d = 0; d < plan->n; d++)
    above[d] = m->halo_hi[d] + (m->whole[d] && m->at->has[d] ? poly_span_of(m->at, d) : 0);
  return above;
}

static void describe(poly_pricing *p, const poly_plan *plan) {
  poly_description *of = &p->described;
  size_t n = plan->nodes.len;
  of->members.len = of->live_ins.len = of->reads.len = 0;
  number_members(p, plan);
  const int *planes = poly_find_planes(plan);
  for (size_t i = 0; i < n; i++) {
    unsigned stage = plan->nodes.data[n - 1 - i];
    const poly_planned *m = &plan->all->of[stage];
    PM_VEC_PUSH(of->members, ((poly_cost_member){p->shape[stage], m->halo_lo, halo_above(plan, m),
                                                 poly_is_live_out(plan, m), planes ? planes[n - 1 - i] : -1,
                                                 NULL, list_reads(p, plan, stage)}));
  }
  for (size_t i = 0, first = 0; i < n; first += of->members.data[i++].n_reads)
    if (of->members.data[i].n_reads) of->members.data[i].reads = &of->reads.data[first];
}

/* --- prices --- */

static int64_t most_rows(const poly_pricing *p, const poly_plan *plan, unsigned first) {
  poly_obstacle obstacle;
  bool may = plan->nodes.len >= POLY_LEAST_STEPPED && plan->nodes.len <= POLY_MOST_STEPPED &&
             first < plan->n && poly_may_step(plan, first, first + 1, &obstacle);
  return may ? p->most_rows : 0;
}

void poly_price(poly_pricing *p, const poly_plan *plan, unsigned first, const int64_t *given) {
  describe(p, plan);
  poly_cost_group group = {.n_dims = plan->n,
                           .first = first,
                           .outer = poly_outermost_tiled(plan, first),
                           .is_whole = poly_plan_is_whole(plan),
                           .most_rows = most_rows(p, plan, first),
                           .untiled = plan->untiled,
                           .given = given,
                           .members = p->described.members.data,
                           .n_members = plan->nodes.len,
                           .live_ins = p->described.live_ins.data,
                           .n_live_ins = p->described.live_ins.len};
  p->function->cost(&group, &p->machine, &p->price);
}

void poly_price_parts(poly_pricing *p, const poly_plan *plan, unsigned first, const int64_t *given) {
  p->price.parts = p->parts;
  poly_price(p, plan, first, given);
  p->price.parts = NULL;
}

/* What the group computes in memories of its tiles, of the dimension, has a number of points along it. */
static bool has_bounded_memory(const poly_plan *plan, unsigned d) {
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    if (m->at->has[d] && !poly_is_live_out(plan, m) && !poly_span_of(m->at, d)) return false;
  }
  return true;
}

static void keep_whole(const poly_plan *plan, int64_t *sizes) {
  const int64_t whole = INT64_C(1) << 30;
  const double *extent = poly_extents(plan->all, plan->nodes.data[0]);
  for (unsigned d = 0; d < plan->n; d++)
    for (size_t i = 0; i < plan->nodes.len; i++) {
      const poly_planned *m = poly_plan_at(plan, i);
      if (m->whole[d] && !m->at->has[d] && (double)sizes[d] >= extent[d] && has_bounded_memory(plan, d))
        sizes[d] = whole;
    }
}

/* Sizes are numbers of points of the last stage. */
static void round_up(const poly_pricing *p, const poly_plan *plan, int64_t *sizes) {
  unsigned last = plan->nodes.data[0];
  for (unsigned d = 0; d < plan->n; d++) {
    int64_t stride = plan->all->of[last].at->has[d] ? (int64_t)p->shape[last]->stride[d] : 1;
    if (stride > 1 && sizes[d] <= INT32_MAX - stride) sizes[d] = (sizes[d] + stride - 1) / stride * stride;
  }
}

void poly_take_price(const poly_pricing *p, poly_plan *plan) {
  pm_arena *arena = plan->all->arena;
  plan->first = poly_first_sized(plan);
  if (p->function->has_items) plan->worker = p->price.of_items ? "item" : "group";
  if (p->price.inner) {
    plan->steps = pm_arena_alloc(arena, plan->n * sizeof *plan->steps);
    plan->steps[plan->first] = p->price.inner;
    plan->n_stepped = 1;
  }
  if (poly_plan_is_whole(plan)) return;
  plan->sizes = pm_arena_memdup(arena, p->price.sizes, plan->n * sizeof *plan->sizes);
  round_up(p, plan, plan->sizes);
  keep_whole(plan, plan->sizes);
  for (unsigned d = 0; d < plan->n; d++)
    if (plan->untiled[d]) plan->sizes[d] = POLY_UNTILED;
}

/* --- remarks --- */

void poly_put_tiles(const poly_plan *plan, pm_buf *out) {
  pm_buf_puts(out, plan->sizes ? ", in tiles of " : "");
  for (unsigned d = plan->first; plan->sizes && d < plan->n; d++) {
    pm_buf_puts(out, d > plan->first ? "x" : "");
    if (plan->untiled[d])
      pm_buf_puts(out, "all");
    else
      pm_buf_printf(out, "%lld", (long long)plan->sizes[d]);
  }
  if (plan->n_stepped) pm_buf_printf(out, " in steps of %lld", (long long)plan->steps[plan->first]);
  if (plan->sizes && plan->worker) pm_buf_printf(out, ", each of one %s", plan->worker);
}

static void put_prediction(const poly_prediction *of, pm_buf *out) {
  if (of->time <= 0) return;
  pm_buf_printf(
      out,
      "; the prediction is %.3g ms (computing %.3g, moving %.3g, new memory %.3g, starting %.3g); that "
      "is %.0f %% of the roofline, %.3g MB moved, %.2f times the points, %.0f tasks",
      of->time / 1e6, of->compute / 1e6, of->traffic / 1e6, of->pages / 1e6, of->start / 1e6,
      100 * of->least / of->time, of->bytes / 1e6, of->recomputation, of->tasks);
}

/* Arithmetic of a stage, each point once: what an intensity is of. */
static double operations_of(const stage_work *work) {
  return work->points * (work->ops + work->divisions + work->calls);
}

static double operations_of_stage(const poly_pricing *p, const stage_node *node) {
  const poly_stage_shape *shape = p->shape[node->index];
  return operations_of(&shape->work) + operations_of(&shape->update);
}

static double operations_of_group(const poly_pricing *p, const poly_plan *plan) {
  double sum = 0;
  for (size_t i = 0; i < plan->nodes.len; i++) sum += operations_of_stage(p, poly_plan_at(plan, i)->at->node);
  return sum;
}

enum { PREDICTED = 9 };

static void put_predicted(const poly_prediction *of, pm_remark_arg *args) {
  const pm_remark_arg all[PREDICTED] = {
      {"time", of->time},   {"compute", of->compute}, {"traffic", of->traffic},
      {"pages", of->pages}, {"start", of->start},     {"least", of->least},
      {"bytes", of->bytes}, {"tasks", of->tasks},     {"recomputation", of->recomputation}};
  memcpy(args, all, sizeof all);
}

void poly_explain_group(pm_pass *pass, poly_pricing *p, const poly_plan *plan) {
  const stage_node *last = poly_plan_at(plan, 0)->at->node;
  const poly_prediction *of = &p->price.predicted;
  size_t n = plan->nodes.len;
  pm_buf tiles = {0}, prediction = {0};
  poly_put_tiles(plan, &tiles);
  put_prediction(of, &prediction);
  p->fresh += of->pages;
  pm_remark_arg args[3 + PREDICTED] = {
      {"stages", (double)n}, {"cost", p->price.cost}, {"operations", operations_of_group(p, plan)}};
  put_predicted(of, args + 3);
  pm_pass_remark(pass, last->op->loc, PM_REMARK_PASSED, args, of->time > 0 ? PM_COUNT(args) : 3,
                 "%zu stage%s one group%s, at a cost of %.6g, the last is @%pS%s", n,
                 n == 1 ? " is" : "s are", tiles.len ? tiles.data : "", p->price.cost,
                 (const void *)last->name, prediction.len ? prediction.data : "");
  pm_buf_free(&tiles);
  pm_buf_free(&prediction);
}

static void note_time(pm_op *func, double time) {
  pm_context *ctx = pm_op_context(func);
  if (pm_wants_remarks(ctx))
    pm_set_attr(func, stage_func_time, pm_get_int(pm_get_scalar(ctx, PM_I64), (int64_t)time));
}

/* What neighbouring tiles compute, too. */
static void explain_overlap(pm_pass *pass, const stage_node *node, const poly_prediction *of) {
  enum { LEAST_PERCENT = 1 };
  double again = of->compute * (1 - 1 / of->recomputation), percent = 100 * (of->recomputation - 1);
  if (percent < LEAST_PERCENT) return;
  pm_pass_remark(pass, node->op->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"time", again}, {"recomputed", percent}}, 2,
                 "%.0f %% of the points of @%pS are recomputed where tiles overlap, in %.3g ms", percent,
                 (const void *)node->name, again / 1e6);
}

void poly_explain_members(pm_pass *pass, const poly_pricing *p, const poly_plan *plan) {
  double all = p->price.predicted.time;
  size_t n = plan->nodes.len;
  for (size_t i = 0; all > 0 && i < n; i++) {
    const stage_node *node = poly_plan_at(plan, n - 1 - i)->at->node;
    const poly_prediction *of = &p->parts[i];
    pm_remark_arg args[PREDICTED + 3];
    put_predicted(of, args);
    args[PREDICTED] = (pm_remark_arg){"share", 100 * of->time / all};
    args[PREDICTED + 1] = (pm_remark_arg){"whole", p->shape[node->index]->whole};
    args[PREDICTED + 2] = (pm_remark_arg){"operations", operations_of_stage(p, node)};
    pm_pass_remark(pass, node->op->loc, PM_REMARK_ANALYSIS, args, PM_COUNT(args),
                   "@%pS takes %.3g ms, %.0f %% of its group: %.3g MB moved, %.2f times its points",
                   (const void *)node->name, of->time / 1e6, 100 * of->time / all, of->bytes / 1e6,
                   of->recomputation);
    note_time(node->op, of->time);
    explain_overlap(pass, node, of);
  }
}

/* A cost, which is a time where one is predicted. */
static void put_cost(const poly_pricing *p, double cost, pm_buf *out) {
  bool is_time = p->price.predicted.time > 0;
  pm_buf_printf(out, is_time ? "%.3g ms" : "%.6g", is_time ? cost / 1e6 : cost);
}

void poly_put_alternative(const poly_pricing *p, double taken, pm_buf *out) {
  if (p->price.cost == HUGE_VAL) {
    pm_buf_puts(out, "no tiles suit both");
    return;
  }
  pm_buf_puts(out, "fused they would cost ");
  put_cost(p, p->price.cost, out);
  pm_buf_puts(out, ", separate they cost ");
  put_cost(p, taken, out);
}

static void explain_assumptions(pm_pass *pass, const poly_pricing *p) {
  const pm_machine *m = &p->machine;
  const stage_graph *graph = p->plans->alignment->graph;
  pm_buf text = {0};
  for (size_t i = 0; i < graph->params.len; i++) {
    const pm_op *param = graph->params.data[i];
    if (!pm_is_int(pm_res(param, 0)->type)) continue;
    int64_t value = stage_estimate_of(graph, i, p->plans->usual);
    pm_buf_printf(&text, "%s = %lld, ", pm_sym_at(param, stage_param_sym)->text, (long long)value);
  }
  pm_pass_remark(
      pass, pm_pass_root(pass)->loc, PM_REMARK_ANALYSIS,
      (pm_remark_arg[]){{"cores", (double)m->cores},
                        {"vector bytes", (double)m->vector_bytes},
                        {"cache 1", (double)m->l1_bytes},
                        {"cache 2", (double)m->l2_bytes},
                        {"cache 3", (double)m->l3_bytes}},
      5, "groups are judged for %s%lld core%s, vectors of %lld bytes, caches of %lld, %lld and %lld kB",
      text.len ? text.data : "", (long long)m->cores, m->cores == 1 ? "" : "s", (long long)m->vector_bytes,
      (long long)m->l1_bytes / 1024, (long long)m->l2_bytes / 1024, (long long)m->l3_bytes / 1024);
  pm_buf_free(&text);
}

void poly_explain_sum(pm_pass *pass, const poly_pricing *p, size_t n_stages, size_t n_groups, double cost) {
  explain_assumptions(pass, p);
  if (p->fresh > 0)
    pm_pass_remark(pass, pm_pass_root(pass)->loc, PM_REMARK_ANALYSIS, (pm_remark_arg[]){{"time", p->fresh}},
                   1,
                   "the first touch of new memory takes %.3g ms; a call that reuses the memory of an earlier "
                   "one saves it",
                   p->fresh / 1e6);
  pm_pass_remark(pass, pm_pass_root(pass)->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"groups", (double)n_groups}, {"cost", cost}}, 2,
                 "%zu stage%s in %zu group%s cost %.6g", n_stages, n_stages == 1 ? "" : "s", n_groups,
                 n_groups == 1 ? "" : "s", cost);
}

/* --- beginning and end --- */

/* What each stage reads, once each. */
static poly_indices *producers_of_all(const stage_graph *graph) {
  poly_indices *producers = pm_xcalloc(graph->nodes.len, sizeof *producers);
  bool *seen = pm_xcalloc(graph->nodes.len, sizeof *seen);
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    for (size_t k = 0; k < node->reads.len; k++) {
      unsigned producer = node->reads.data[k]->producer->index;
      if (!seen[producer]) PM_VEC_PUSH(producers[i], producer);
      seen[producer] = true;
    }
    for (size_t k = 0; k < producers[i].len; k++) seen[producers[i].data[k]] = false;
  }
  free(seen);
  return producers;
}

bool poly_pricing_open(poly_pricing *p, poly_plans *plans, const char *function, int64_t most_rows) {
  const poly_alignment *alignment = plans->alignment;
  const stage_graph *graph = alignment->graph;
  pm_arena *arena = plans->arena;
  size_t n = graph->nodes.len;
  *p = (poly_pricing){
      .plans = plans, .function = poly_cost_named(graph->ctx, function), .most_rows = most_rows};
  if (!p->function || !pm_machine_of(graph->pipeline, &p->machine)) return false;
  p->shape = pm_arena_alloc(arena, n * sizeof *p->shape);
  p->listed = pm_arena_alloc(arena, n * sizeof *p->listed);
  p->number = pm_arena_alloc(arena, n * sizeof *p->number);
  p->price.sizes = pm_arena_alloc(arena, alignment->n * sizeof *p->price.sizes);
  p->parts = pm_arena_alloc(arena, n * sizeof *p->parts);
  poly_shape_options options = {plans->usual, p->function->wants_reuse};
  for (unsigned i = 0; i < n; i++)
    p->shape[i] =
        poly_stage_shape_of(arena, graph, graph->nodes.data[i], alignment->of[i].schedule, alignment->n,
                            alignment->of[i].together, alignment->of[i].turns, &options);
  p->producers = producers_of_all(graph);
  return true;
}

void poly_pricing_close(poly_pricing *p) {
  for (size_t i = 0; i < p->plans->alignment->graph->nodes.len; i++) PM_VEC_FREE(p->producers[i]);
  free(p->producers);
  PM_VEC_FREE(p->described.members);
  PM_VEC_FREE(p->described.live_ins);
  PM_VEC_FREE(p->described.reads);
}
