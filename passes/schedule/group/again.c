#include "passes/schedule/group/again.h"

#include "dialects/stage/inlining.h"
#include "dialects/stage/stage.h"

/* --- which stages --- */

static bool is_free(const poly_units *units, const stage_node *node) {
  int unit = units->of[node->index];
  return unit >= 0 && !units->list.data[unit].fixed;
}

static bool may_be_made_again(const poly_units *units, const poly_planned *m) {
  const stage_node *node = m->at->node;
  return !node->is_input && !node->is_output && !m->at->is_array && !node->updates.len &&
         !node->self_reads.len && m->at->schedule && m->at->readers.len > 1 && is_free(units, node);
}

/* Bytes of what the stage reads. */
static double bytes_read(const poly_pricing *p, unsigned stage) {
  double bytes = 0;
  for (size_t i = 0; i < p->producers[stage].len; i++) bytes += p->shape[p->producers[stage].data[i]]->whole;
  return bytes;
}

/* On one core, for large stages: what is stored takes a line that is read, written back, and read once more;
 * what is made again is computed, from fewer bytes. */
static bool is_cheaper_again(const poly_pricing *p, unsigned stage, unsigned times) {
  const poly_stage_shape *s = p->shape[stage];
  double byte_ns = 1e3 / (double)p->machine.dram_mbytes, read = bytes_read(p, stage);
  if (s->whole <= (double)p->machine.l2_bytes || read > s->whole || s->work.calls > 0) return false;
  double once = poly_point_ns(&p->machine, &s->work, 0) * s->whole / s->bytes + read * byte_ns;
  return once * times < 3 * s->whole * byte_ns;
}

/* The reader that makes the fewest points of the stage, of those that can and are not taken yet; its number,
 * or the number of readers. */
static size_t cheapest_reader(const poly_planned *m, const unsigned *points, const bool *again) {
  size_t n = m->at->readers.len, least = n;
  for (size_t i = 0; i < n; i++)
    if (points[i] && !again[i] && (least == n || points[i] < points[least])) least = i;
  return least;
}

/* Those that make few points come first, as long as all that do make it again in less time than it is stored.
 */
static void find_made_again(const poly_units *units, const poly_pricing *p, unsigned stage) {
  poly_plans *plans = p->plans;
  poly_planned *m = &plans->of[stage];
  if (m->made_again || !may_be_made_again(units, m) || !is_cheaper_again(p, stage, 1)) return;
  size_t n = m->at->readers.len, next;
  bool *again = pm_arena_alloc(plans->arena, n * sizeof *again);
  unsigned *points = pm_arena_alloc(plans->arena, n * sizeof *points), times = 0;
  for (size_t i = 0; i < n; i++) {
    const stage_node *reader = m->at->readers.data[i]->consumer->node;
    if (is_free(units, reader)) points[i] = stage_points_made_again(m->at->node, reader);
  }
  while ((next = cheapest_reader(m, points, again)) < n && is_cheaper_again(p, stage, times + points[next])) {
    again[next] = true;
    times += points[next];
  }
  if (times) m->made_again = again;
}

void group_find_made_again(const poly_units *units, const poly_pricing *pricing) {
  for (size_t i = 0; i < pricing->plans->alignment->graph->nodes.len; i++)
    find_made_again(units, pricing, (unsigned)i);
}

/* --- which are demanded --- */

static void take_demand(poly_plans *plans, const pm_op *demand, poly_planned *m) {
  size_t n = m->at->readers.len;
  bool *again = pm_arena_alloc(plans->arena, (n + 1) * sizeof *again);
  for (size_t i = 0; i < n; i++) {
    const stage_node *reader = m->at->readers.data[i]->consumer->node;
    again[i] = poly_demand_has_reader(demand, reader->name) && stage_points_made_again(m->at->node, reader);
  }
  m->made_again = again;
}

void group_take_demanded_again(poly_plans *plans) {
  const stage_graph *graph = plans->alignment->graph;
  pm_op *next = NULL;
  for (pm_op *op = pm_region_at(graph->pipeline, stage_pipeline_body)->first; op; op = next) {
    next = op->next;
    if (!poly_demand_is_again(op)) continue;
    pm_attr stages = pm_attr_at(op, poly_demand_stages);
    for (size_t i = 0; i < stages->len; i++) {
      const stage_node *node = stage_graph_find(graph, stages->items[i]->s);
      if (node && plans->of[node->index].at->schedule) take_demand(plans, op, &plans->of[node->index]);
    }
    pm_op_erase(op);
  }
}

/* --- inlining --- */

static void tidy(const stage_node *node) {
  for (size_t i = 0; i < node->cases.len; i++)
    stage_tidy_body(pm_region_at(node->cases.data[i].op, stage_case_body));
}

/* The number of readers that make it again. */
static unsigned make_again(const poly_plans *plans, const poly_planned *m) {
  const stage_node *stage = m->at->node;
  unsigned n = 0;
  for (size_t i = 0; i < m->at->readers.len; i++) {
    const stage_node *reader = m->at->readers.data[i]->consumer->node;
    if (plans->of[reader->index].in == m->in) continue;
    for (size_t k = 0; k < stage->readers.len; k++) {
      const stage_access *access = stage->readers.data[k];
      const stage_case_info *source;
      if (access->consumer != reader) continue;
      if (!stage_source_of(access, &source)) pm_panic(access->read, "this read cannot recompute its stage");
      stage_inline_read(access->read, stage, source);
    }
    tidy(reader);
    n++;
  }
  return n;
}

/* Producers first: what is made again of others is in the expression then. */
bool group_make_again(pm_pass *pass, const poly_plans *plans) {
  const stage_graph *graph = plans->alignment->graph;
  int64_t changed = 0;
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const poly_planned *m = &plans->of[i];
    if (!m->made_again || !m->in || !poly_is_made_again(m->in, m)) continue;
    unsigned n = make_again(plans, m);
    pm_pass_remark(pass, m->at->node->op->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"readers", n}}, 1,
                   "@%pS is not stored for %u reader%s of other groups, which recompute%s it",
                   (const void *)m->at->node->name, n, n == 1 ? "" : "s", n == 1 ? "s" : "");
    changed++;
  }
  pm_pass_stat(pass, "stages recomputed", changed);
  return changed;
}
