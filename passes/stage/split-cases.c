/* split-cases: a case that reads several cases of a stage becomes one for each of them.
 *
 *   stage.func @rows {                               |  stage.func @rows { … }
 *     stage.case(%x) on { [x] : x mod 2 = 0 } {      |
 *       … stage.read @even[%x floordiv 2] … }        |
 *     stage.case(%x) on { [x] : x mod 2 = 1 } {      |
 *       … stage.read @odd[%x floordiv 2] … } }       |
 *   stage.func @out {                                |  stage.func @out {
 *     stage.case(%x) on { [x] : 0 <= x < R } {       |    stage.case(%x) on { [x] : x mod 2 = 0 and … } {
 *       %v = stage.read @rows[%x] … } }              |      %v = stage.read @rows[%x] … }
 *                                                    |    stage.case(%x) on { [x] : x mod 2 = 1 and … } {
 *                                                    |      %v = stage.read @rows[%x] … } }
 *
 * Then inline-stages finds one expression for each read, and @rows, which only puts two planes together, need
 * not be stored. It is done for a stage that is read by one op, each point once, so that nothing is computed
 * twice, and whose cases are all large parts of what is read: phases, not borders.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/named_stages.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/analyses/work.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct splitter {
  pm_pass *pass;
  const stage_graph *graph;
  const bool *named; /* by the schedule */
} splitter;

typedef PM_VEC(isl_set *) set_list;

static void free_sets(set_list *sets) {
  for (size_t i = 0; i < sets->len; i++) isl_set_free(sets->data[i]);
  PM_VEC_FREE(*sets);
}

/* The stage that is read is read by that alone, which is no update, and has no conditions. */
static bool may_go(const splitter *s, const stage_access *access) {
  const stage_node *producer = access->producer;
  for (size_t i = 0; i < producer->cases.len; i++)
    if (stage_has_guard(producer->cases.data[i].op)) return false;
  return !producer->is_input && !producer->is_output && producer->cases.len > 1 && !producer->updates.len &&
         !producer->self_reads.len && producer->readers.len == 1 && access->case_index >= 0 &&
         access->affine && !s->named[producer->index] && !s->named[access->consumer->index];
}

/* The points of the case that read each of the producer's; false when these are not all of it, or parts are
 * small.
 */
static bool find_parts(const splitter *s, const stage_access *access, set_list *parts) {
  int64_t size = pm_usual_size(pm_pass_root(s->pass)), least = pm_opt_int(s->pass, split_cases_opt_least);
  isl_set *all = access->consumer->cases.data[access->case_index].set, *rest = isl_set_copy(all);
  double points = stage_points_in(s->graph, all, size);
  bool ok = true;
  for (size_t i = 0; i < access->producer->cases.len; i++) {
    isl_set *read = isl_set_copy(access->producer->cases.data[i].set);
    isl_set *part = isl_set_apply(read, isl_map_reverse(isl_map_copy(access->relation)));
    part = isl_set_coalesce(isl_set_intersect(part, isl_set_copy(all)));
    if (isl_set_is_empty(part) == isl_bool_true) {
      isl_set_free(part);
      continue;
    }
    rest = isl_set_subtract(rest, isl_set_copy(part));
    ok = ok && isl_set_n_basic_set(part) == 1 &&
         stage_points_in(s->graph, part, size) * 100 >= points * (double)least;
    PM_VEC_PUSH(*parts, part);
  }
  ok = ok && parts->len > 1 && isl_set_is_empty(rest) == isl_bool_true &&
       isl_map_is_injective(access->relation) == isl_bool_true;
  isl_set_free(rest);
  return ok;
}

static void split(const splitter *s, const stage_access *access, const set_list *parts) {
  pm_op *old = access->consumer->cases.data[access->case_index].op;
  pm_attr like = pm_attr_at(old, stage_case_set);
  pm_pass_remark(s->pass, old->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"cases", (double)parts->len}}, 1,
                 "a case of @%pS becomes %zu, one for each case of @%pS that it reads",
                 (const void *)access->consumer->name, parts->len, (const void *)access->producer->name);
  for (size_t i = 0; i < parts->len; i++) {
    pm_op *part = i + 1 < parts->len ? pm_clone(pm_module_of(old), old, NULL) : old;
    if (part != old) pm_insert(old->region, old, part);
    pm_set_attr(part, stage_case_set, stage_set_attr(s->graph, isl_set_copy(parts->data[i]), like));
  }
}

/* The first read that is worth it of each case; others are, if they still are, the next time. */
pm_result pass_split_cases(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  splitter s = {pass, graph, poly_named_stages(pass)};
  int64_t done = 0;
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    bool *done_to = pm_xcalloc(node->cases.len + 1, sizeof *done_to);
    for (size_t k = 0; k < node->reads.len; k++) {
      const stage_access *access = node->reads.data[k];
      set_list parts = {0};
      if (may_go(&s, access) && !done_to[access->case_index] && find_parts(&s, access, &parts)) {
        split(&s, access, &parts);
        done_to[access->case_index] = true;
        done++;
      }
      free_sets(&parts);
    }
    free(done_to);
  }
  pm_pass_stat(pass, "cases split", done);
  return done ? PM_CHANGED : PM_UNCHANGED;
}
