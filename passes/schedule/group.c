/* group: which stages are computed tile by tile together.
 *
 *   poly.sequence { filter "{ bx }" { mark "group" { sequence { filter "{ bx }" { band … } } } }
 *                   filter "{ by }" { mark "group" { sequence { filter "{ by }" { band … } } } } }
 *   =>
 *   poly.sequence { filter "{ bx; by }" { mark "group" { sequence { filter "{ bx }" { band … }
 *                                                                   filter "{ by }" { band … } } } } }
 *
 * Stages are taken from the outputs backwards, so that all readers of a stage have their group when it is
 * looked at; it joins the group of its readers or starts one of its own. strategy=greedy is Algorithm 2 of
 * the PolyMage thesis (one consuming group, recomputation below a threshold); strategy=all joins wherever it
 * is legal; strategy=dp takes the partition that costs least (dialects/poly/cost/partition.h), and its groups
 * say in what tiles. Legal is:
 *   - dependences inside a group are constant distances in the common space;
 *   - a stage that is also needed outside its group is computed once: nothing in the group reads it at a
 *     distance;
 *   - the cells that updates reach follow from the places of their points, along some dimensions at least;
 *     along others a tile has all cells, so that their number is bounded and the stage is needed in the group
 *     only;
 *   - the groups stay free of cycles.
 *
 * What the tree decides of groups already stays as it is (dialects/poly/tiling/units.h); of a group that it
 * names without tile sizes, or with 0 for some of them, strategy=dp adds the best ones.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/cost/partition.h"
#include "dialects/poly/cost/pricing.h"
#include "dialects/poly/cost/stage_shape.h"
#include "dialects/poly/tiling/legality.h"
#include "dialects/poly/tiling/units.h"
#include "passes/options.h"
#include "passes/schedule/group/again.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RELATED = 32 }; /* groups ahead that one may be joined with for what both read */

enum strategy { STRATEGY_NONE, STRATEGY_ALL, STRATEGY_GREEDY, STRATEGY_DP, STRATEGY_RANDOM };

typedef struct grouping {
  pm_pass *pass;
  const stage_graph *graph;
  poly_plans *plans;
  const poly_units *units;
  PM_VEC(poly_plan *) groups;
  pm_op **fixed;          /* by group: the filter of a part of the tree that stays; NULL: the group is new */
  poly_named_sizes named; /* option `tile`, for judging overlap */
} grouping;

static const stage_node *node_at(const grouping *g, unsigned index) {
  return g->graph->nodes.data[index];
}

/* --- groups --- */

static poly_plan *start_plan(grouping *g) {
  poly_plan *plan = poly_plan_new(g->plans);
  plan->number = (unsigned)g->groups.len;
  g->fixed[plan->number] = NULL;
  PM_VEC_PUSH(g->groups, plan);
  return plan;
}

static poly_plan *start_group(grouping *g, unsigned node) {
  poly_plan *plan = start_plan(g);
  poly_find_halo(plan, &g->plans->of[node]);
  poly_plan_join(plan, node);
  return plan;
}

/* The stages of a part of the tree that stays, readers first. */
static poly_plan *start_fixed(grouping *g, const poly_unit *unit) {
  poly_plan *plan = start_plan(g);
  g->fixed[plan->number] = unit->fixed;
  for (size_t i = unit->nodes.len; i-- > 0;) {
    poly_find_halo(plan, &g->plans->of[unit->nodes.data[i]]);
    poly_plan_join(plan, unit->nodes.data[i]);
  }
  return plan;
}

static void drop_last_group(grouping *g) {
  poly_plan *plan = PM_VEC_POP(g->groups);
  poly_plan_clear(plan);
  poly_plan_free(plan);
}

/* The mark of a group without tile loops that the schedule names; NULL for other parts, and for new groups.
 */
static pm_op *untiled_mark(const grouping *g, const poly_plan *plan) {
  pm_op *filter = g->fixed[plan->number], *mark = filter ? poly_child(filter) : NULL;
  if (!mark || !poly_is_mark(mark, POLY_MARK_group) || !plan->nodes.len) return NULL;
  poly_ops bands = {0};
  poly_collect(mark, &poly_band, &bands);
  for (size_t i = 0; i < bands.len && mark; i++)
    if (pm_attr_at(bands.data[i], poly_band_tile)) mark = NULL;
  PM_VEC_FREE(bands);
  for (size_t i = 0; i < plan->nodes.len; i++)
    if (!poly_plan_at(plan, i)->at->schedule) return NULL;
  return mark;
}

static const char *why_illegal(const grouping *g, unsigned node, const poly_plan *plan) {
  if (g->fixed[plan->number]) return "the schedule fixes the stages of that group";
  return poly_why_illegal(plan, node, g->named);
}

/* --- joining --- */

static poly_plan *group_of_reader(const grouping *g, unsigned node, size_t i) {
  return g->plans->of[g->plans->of[node].at->readers.data[i]->consumer->node->index].in;
}

static size_t n_readers(const grouping *g, unsigned node) {
  return g->plans->of[node].at->readers.len;
}

static void refuse(grouping *g, unsigned node, const poly_plan *plan, const char *reason) {
  const stage_node *stage = node_at(g, node), *last = poly_plan_at(plan, 0)->at->node;
  pm_pass_remark(g->pass, stage->op->loc, PM_REMARK_MISSED, NULL, 0,
                 "@%pS is not computed together with @%pS: %s", (const void *)stage->name,
                 (const void *)last->name, reason);
}

/* The one group of all readers, or NULL. */
static poly_plan *only_reading_group(const grouping *g, unsigned node) {
  poly_plan *plan = NULL;
  for (size_t i = 0; i < n_readers(g, node); i++) {
    poly_plan *other = group_of_reader(g, node, i);
    if (plan && other != plan) return NULL;
    plan = other;
  }
  return plan;
}

static bool join_greedily(grouping *g, unsigned node) {
  poly_plan *plan = only_reading_group(g, node);
  if (!plan) return false;
  const char *reason = why_illegal(g, node, plan);
  if (!reason && plan->nodes.len >= (size_t)pm_opt_int(g->pass, group_opt_max_size))
    reason = "the group has max-size stages already";
  double overlap = reason ? 0 : poly_overlap_with(plan, node, g->named);
  if (!reason && overlap > (double)pm_opt_int(g->pass, group_opt_overlap))
    reason = "too much of a tile would be recomputed";
  if (reason) {
    refuse(g, node, plan, reason);
    return false;
  }
  const stage_node *stage = node_at(g, node), *last = poly_plan_at(plan, 0)->at->node;
  pm_pass_remark(
      g->pass, stage->op->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"overlap_percent", overlap}}, 1,
      "@%pS is computed together with @%pS; neighbouring tiles recompute %.1f %% of the tile's work",
      (const void *)stage->name, (const void *)last->name, overlap);
  poly_plan_join(plan, node);
  return true;
}

static bool join_anywhere(grouping *g, unsigned node) {
  const char *reason = NULL;
  const poly_plan *refused = NULL;
  for (size_t i = 0; i < n_readers(g, node); i++) {
    poly_plan *plan = group_of_reader(g, node, i);
    reason = why_illegal(g, node, plan);
    refused = plan;
    if (reason) continue;
    poly_plan_join(plan, node);
    return true;
  }
  if (refused) refuse(g, node, refused, reason);
  return false;
}

static bool join_randomly(grouping *g, unsigned node);

static bool join(grouping *g, unsigned strategy, unsigned node) {
  return strategy == STRATEGY_GREEDY   ? join_greedily(g, node)
         : strategy == STRATEGY_ALL    ? join_anywhere(g, node)
         : strategy == STRATEGY_RANDOM ? join_randomly(g, node)
                                       : false;
}

static void form_by_steps(grouping *g, unsigned strategy) {
  for (size_t i = g->units->list.len; i-- > 0;) {
    const poly_unit *unit = &g->units->list.data[i];
    if (unit->fixed)
      start_fixed(g, unit);
    else if (!join(g, strategy, unit->nodes.data[0]))
      start_group(g, unit->nodes.data[0]);
  }
}

/* --- the partition that costs least --- */

static int ascending(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

typedef struct cheapest {
  grouping *g;
  poly_pricing pricing;
} cheapest;

/* The units become the last group, or as many of them as may be one before the reason why not. */
static const char *assemble(grouping *g, const unsigned *units, size_t n) {
  static const char fixed[] = "the schedule fixes the stages of that group";
  const poly_unit *last = &g->units->list.data[units[n - 1]];
  poly_plan *plan = last->fixed ? start_fixed(g, last) : start_group(g, last->nodes.data[0]);
  if (last->fixed) return n == 1 ? NULL : fixed;
  for (size_t i = n - 1; i-- > 0;) {
    const poly_unit *unit = &g->units->list.data[units[i]];
    const char *reason = unit->fixed ? fixed : poly_why_no_group(plan, unit->nodes.data[0], g->named);
    if (reason) return reason;
    poly_plan_join(plan, unit->nodes.data[0]);
  }
  return NULL;
}

/* Parts of the tree that are no group, or have tiles, cost nothing here: they are the same in all partitions.
 */
static bool is_priced(const grouping *g, const poly_plan *plan) {
  return !g->fixed[plan->number] || untiled_mark(g, plan);
}

static bool judge(void *user, const unsigned *units, size_t n, double *cost) {
  cheapest *c = user;
  bool legal = !assemble(c->g, units, n);
  const poly_plan *plan = PM_VEC_LAST(c->g->groups);
  *cost = 0;
  if (legal && is_priced(c->g, plan)) {
    poly_price(&c->pricing, plan, poly_first_sized(plan), NULL);
    *cost = c->pricing.price.cost;
  }
  drop_last_group(c->g);
  return legal;
}

/* The units become a group for good, with its tiles. */
static void settle(cheapest *c, const poly_indices *units) {
  if (assemble(c->g, units->data, units->len))
    pm_panic(pm_pass_root(c->g->pass), "a group that was judged legal is not");
  poly_plan *plan = PM_VEC_LAST(c->g->groups);
  if (!is_priced(c->g, plan)) return;
  poly_price_parts(&c->pricing, plan, poly_first_sized(plan), NULL);
  poly_take_price(&c->pricing, plan);
  poly_explain_group(c->g->pass, &c->pricing, plan);
  poly_explain_members(c->g->pass, &c->pricing, plan);
}

/* --- why groups stay apart --- */

/* The group of each unit; to be freed. */
static unsigned *groups_in(const poly_partition *found, size_t n_units) {
  unsigned *group_of = pm_xcalloc(n_units + 1, sizeof *group_of);
  for (size_t k = 0; k < found->groups.len; k++)
    for (size_t i = 0; i < found->groups.data[k].len; i++)
      group_of[found->groups.data[k].data[i]] = (unsigned)k;
  return group_of;
}

/* The one other group that reads units of the group; NULL: none does, or several. */
static const poly_indices *only_reader(const poly_partition *found, const poly_indices *readers,
                                       const unsigned *group_of, unsigned group) {
  const poly_indices *units = &found->groups.data[group], *only = NULL;
  for (size_t i = 0; i < units->len; i++) {
    const poly_indices *others = &readers[units->data[i]];
    for (size_t k = 0; k < others->len; k++) {
      const poly_indices *other = &found->groups.data[group_of[others->data[k]]];
      if (other == units) continue;
      if (only && other != only) return NULL;
      only = other;
    }
  }
  return only;
}

/* What it takes to store what others read of the group, with first touches; 0: not known. */
static double storing_time(cheapest *c, const poly_indices *units) {
  (void)assemble(c->g, units->data, units->len);
  const poly_plan *plan = PM_VEC_LAST(c->g->groups);
  size_t n = plan->nodes.len;
  double time = 0;
  bool priced = is_priced(c->g, plan);
  if (priced) poly_price_parts(&c->pricing, plan, poly_first_sized(plan), NULL);
  for (size_t i = 0; i < n && priced; i++) {
    const poly_planned *m = poly_plan_at(plan, n - 1 - i);
    const poly_prediction *part = &c->pricing.parts[i];
    if (poly_is_live_out(plan, m) && !m->at->node->is_output) time += part->traffic + part->pages;
  }
  drop_last_group(c->g);
  return time;
}

/* The reason, or what it costs to compute them together and apart. */
static void put_why_apart(cheapest *c, const poly_indices *units, const poly_indices *readers, pm_buf *out) {
  double own, others, together;
  poly_indices both = {0};
  (void)judge(c, units->data, units->len, &own);
  (void)judge(c, readers->data, readers->len, &others);
  for (size_t i = 0; i < units->len + readers->len; i++)
    PM_VEC_PUSH(both, i < units->len ? units->data[i] : readers->data[i - units->len]);
  qsort(both.data, both.len, sizeof *both.data, ascending);
  const char *reason = assemble(c->g, both.data, both.len);
  drop_last_group(c->g);
  if (reason)
    pm_buf_puts(out, reason);
  else if (judge(c, both.data, both.len, &together))
    poly_put_alternative(&c->pricing, own + others, out);
  PM_VEC_FREE(both);
}

static void explain_apart(cheapest *c, const poly_indices *units, const poly_indices *readers) {
  const grouping *g = c->g;
  const stage_node *last = node_at(g, PM_VEC_LAST(g->units->list.data[PM_VEC_LAST(*units)].nodes)),
                   *reader = node_at(g, PM_VEC_LAST(g->units->list.data[PM_VEC_LAST(*readers)].nodes));
  pm_buf why = {0};
  double time = storing_time(c, units);
  put_why_apart(c, units, readers, &why);
  pm_pass_remark(g->pass, last->op->loc, PM_REMARK_MISSED, (pm_remark_arg[]){{"time", time}}, time > 0,
                 "@%pS is not computed together with @%pS: %s", (const void *)last->name,
                 (const void *)reader->name, why.data);
  pm_buf_free(&why);
}

/* Before the groups are settled. */
static void explain_all_apart(cheapest *c, const poly_partition *found, const poly_indices *readers) {
  if (!pm_wants_remarks(c->g->graph->ctx)) return;
  unsigned *group_of = groups_in(found, c->g->units->list.len);
  for (unsigned k = 0; k < found->groups.len; k++) {
    const poly_indices *reader = only_reader(found, readers, group_of, k);
    if (reader) explain_apart(c, &found->groups.data[k], reader);
  }
  free(group_of);
}

/* --- the search --- */

static size_t count_stages(const grouping *g) {
  size_t n = 0;
  for (size_t i = 0; i < g->graph->nodes.len; i++) n += !g->graph->nodes.data[i]->is_input;
  return n;
}

static void explain_search(const cheapest *c, const poly_partition *found) {
  pm_pass *pass = c->g->pass;
  pm_pass_stat(pass, "states", (int64_t)found->states);
  pm_pass_stat(pass, "groups judged", (int64_t)found->judged);
  poly_explain_sum(pass, &c->pricing, count_stages(c->g), found->groups.len, found->cost);
  pm_pass_remark(pass, pm_pass_root(pass)->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"states", (double)found->states}, {"judged", (double)found->judged}}, 2,
                 "%llu states in %u round%s, %llu groups judged", (unsigned long long)found->states,
                 found->rounds, found->rounds == 1 ? "" : "s", (unsigned long long)found->judged);
  if (found->exhausted)
    pm_pass_remark(pass, pm_pass_root(pass)->loc, PM_REMARK_MISSED, NULL, 0,
                   "more than %lld states in a round: the search continued only the cheapest sets of grouped "
                   "stages of each size, and other groups may cost less",
                   (long long)pm_opt_int(pass, group_opt_states));
}

/* Unit `a` is ahead of `b`; both are free. */
static void relate(const cheapest *c, unsigned a, unsigned b, poly_indices *related) {
  const poly_units *units = c->g->units;
  unsigned first = units->list.data[a].nodes.data[0], second = units->list.data[b].nodes.data[0];
  for (size_t i = 0; i < related[b].len; i++)
    if (related[b].data[i] == a) return;
  if (a == b || !poly_read_together(c->pricing.shape[first], c->pricing.shape[second])) return;
  PM_VEC_PUSH(related[a], b);
  PM_VEC_PUSH(related[b], a);
}

/* Of each free stage those of other units that read an array like it: of those ahead the nearest. Both name
 * each other. */
static void find_related(const cheapest *c, unsigned n, poly_indices *related) {
  size_t n_arrays = c->g->graph->nodes.len;
  poly_indices *readers = pm_xcalloc(n_arrays + 1, sizeof *readers); /* by node index: the units */
  for (unsigned b = 0; b < n; b++) {
    const poly_unit *unit = &c->g->units->list.data[b];
    const poly_stage_shape *shape = unit->fixed ? NULL : c->pricing.shape[unit->nodes.data[0]];
    for (size_t r = 0; shape && r < shape->n_reads; r++) {
      poly_indices *list = &readers[((const stage_node *)shape->reads[r].array)->index];
      for (size_t i = list->len; i-- > 0 && related[b].len < MOST_RELATED;)
        relate(c, list->data[i], b, related);
      if (!list->len || list->data[list->len - 1] != b) PM_VEC_PUSH(*list, b);
    }
  }
  for (size_t i = 0; i < n_arrays; i++) PM_VEC_FREE(readers[i]);
  free(readers);
}

static void partition(cheapest *c) {
  grouping *g = c->g;
  unsigned n = (unsigned)g->units->list.len;
  poly_partition_problem problem = {.n = n, .judge = judge, .user = c};
  problem.limit = (unsigned)pm_opt_int(g->pass, group_opt_max_size);
  problem.budget = (uint64_t)pm_opt_int(g->pass, group_opt_states);
  poly_indices *readers = pm_xcalloc(n + 1, sizeof *readers);
  for (unsigned i = 0; i < n; i++) poly_unit_followers(g->units, i, &readers[i]);
  problem.readers = readers;
  poly_indices *related = pm_xcalloc(n + 1, sizeof *related);
  find_related(c, n, related);
  problem.related = related;
  poly_partition found;
  poly_partition_find(&problem, &found);
  explain_all_apart(c, &found, readers);
  for (size_t i = 0; i < found.groups.len; i++) settle(c, &found.groups.data[i]);
  explain_search(c, &found);
  poly_partition_free(&found);
  for (unsigned i = 0; i < n; i++) PM_VEC_FREE(readers[i]);
  for (unsigned i = 0; i < n; i++) PM_VEC_FREE(related[i]);
  free(readers);
  free(related);
}

static bool open_pricing(grouping *g, poly_pricing *p) {
  int64_t most = pm_opt_bool(g->pass, group_opt_jam) ? PM_JAMMED_ROWS : 1;
  return poly_pricing_open(p, g->plans, pm_opt_str(g->pass, group_opt_cost),
                           pm_opt_bool(g->pass, group_opt_inner) ? most : 0);
}

/* False after a diagnostic. */
static bool form_cheapest(grouping *g) {
  cheapest c = {.g = g};
  if (!open_pricing(g, &c.pricing)) return false;
  if (pm_opt_bool(g->pass, group_opt_again)) group_find_made_again(g->units, &c.pricing);
  partition(&c);
  poly_pricing_close(&c.pricing);
  return true;
}

/* Says what a group costs in the tiles that the pass tile takes of one that says no sizes. */
static void appraise_group(const grouping *g, poly_pricing *p, const poly_plan *plan) {
  poly_plan usual = *plan;
  unsigned first = g->named.n < plan->n ? plan->n - (unsigned)g->named.n : 0;
  usual.first = 0;
  usual.sizes = pm_arena_alloc(pm_pass_arena(g->pass), plan->n * sizeof *usual.sizes);
  poly_usual_sizes(plan, NULL, g->named.sizes, g->named.n, usual.sizes);
  poly_price_parts(p, plan, first, usual.sizes);
  if (poly_plan_is_whole(plan)) usual.sizes = NULL;
  poly_explain_group(g->pass, p, &usual);
  poly_explain_members(g->pass, p, plan);
}

/* Says what the groups cost that were formed by steps. False after a diagnostic. */
static bool appraise(grouping *g) {
  poly_pricing p;
  double cost = 0;
  if (!open_pricing(g, &p)) return false;
  for (size_t i = 0; i < g->groups.len; i++) {
    if (!is_priced(g, g->groups.data[i])) continue;
    appraise_group(g, &p, g->groups.data[i]);
    cost += p.price.cost;
  }
  poly_explain_sum(g->pass, &p, count_stages(g), g->groups.len, cost);
  poly_pricing_close(&p);
  return true;
}

/* --- groups and tiles by lot --- */

/* A number below n that depends on the seed, on the stage and on what it is for. */
static uint64_t lot(const grouping *g, unsigned stage, uint64_t purpose, uint64_t n) {
  uint64_t key[2] = {stage, purpose};
  return pm_hash_bytes(key, sizeof key, (uint64_t)pm_opt_int(g->pass, group_opt_seed)) % n;
}

/* Three of four that may join the group of a reader do; the reader comes by lot too. */
static bool join_randomly(grouping *g, unsigned node) {
  size_t n = n_readers(g, node), first = n ? lot(g, node, 0, n) : 0;
  if (lot(g, node, 1, 4) == 0) return false;
  for (size_t i = 0; i < n; i++) {
    poly_plan *plan = group_of_reader(g, node, (first + i) % n);
    if (why_illegal(g, node, plan)) continue;
    poly_plan_join(plan, node);
    return true;
  }
  return false;
}

static void draw_tiles(const grouping *g, poly_plan *plan) {
  static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 64, 1000};
  unsigned node = plan->nodes.data[0];
  if (g->fixed[plan->number] || poly_plan_is_whole(plan) || lot(g, node, 2, 2)) return;
  plan->first = poly_first_sized(plan);
  plan->sizes = pm_arena_alloc(pm_pass_arena(g->pass), plan->n * sizeof *plan->sizes);
  for (unsigned d = 0; d < plan->n; d++)
    plan->sizes[d] = sizes[lot(g, node, 3 + d, sizeof sizes / sizeof *sizes)];
}

static void explain_drawn(const grouping *g, const poly_plan *plan) {
  const stage_node *last = poly_plan_at(plan, 0)->at->node;
  size_t n = plan->nodes.len;
  pm_buf text = {0};
  poly_put_tiles(plan, &text);
  pm_pass_remark(g->pass, last->op->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"stages", (double)n}}, 1,
                 "%zu stage%s one group%s by lot, the last is @%pS", n, n == 1 ? " is" : "s are", text.data,
                 (const void *)last->name);
  pm_buf_free(&text);
}

static void draw_all_tiles(grouping *g) {
  for (size_t k = 0; k < g->groups.len; k++) {
    draw_tiles(g, g->groups.data[k]);
    if (g->groups.data[k]->nodes.len) explain_drawn(g, g->groups.data[k]);
  }
}

/* False after a diagnostic. */
static bool form_groups(grouping *g) {
  unsigned strategy = pm_opt_enum(g->pass, group_opt_strategy);
  if (strategy == STRATEGY_DP && !form_cheapest(g)) return false;
  if (strategy != STRATEGY_DP) form_by_steps(g, strategy);
  if (strategy == STRATEGY_RANDOM) draw_all_tiles(g);
  return !pm_opt_bool(g->pass, group_opt_appraise) || appraise(g);
}

/* A group that the schedule names has a stage that is needed outside too, but in the group at a distance. */
static bool check_fixed(const grouping *g, const poly_plan *plan) {
  const pm_op *mark = untiled_mark(g, plan);
  if (mark && !poly_check_arrays(plan, mark)) return false;
  for (size_t i = 0; mark && plan->nodes.len > 1 && i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    if (!m->halo_known || poly_stays_inside(plan, m) || !poly_is_live_out(plan, m)) continue;
    pm_op_error(mark, "should not have @%pS, which is needed outside the group too, and in it at a distance",
                (const void *)m->at->node->name);
    pm_note(g->graph->ctx, m->at->node->op->loc, "@%pS is here", (const void *)m->at->node->name);
    return false;
  }
  return true;
}

static bool check_all_fixed(const grouping *g) {
  bool ok = true;
  for (size_t i = 0; i < g->groups.len && ok; i++) ok = check_fixed(g, g->groups.data[i]);
  return ok;
}

/* --- the new tree --- */

/* Adds the groups that read the unit's stages, or of which a part must come after it, once for each unit. */
static void count_followers(const grouping *g, const unsigned *group_of, unsigned unit, unsigned *missing,
                            poly_indices *ready) {
  poly_indices followers = {0};
  poly_unit_followers(g->units, unit, &followers);
  for (size_t i = 0; i < followers.len; i++) {
    unsigned other = group_of[followers.data[i]];
    if (other == group_of[unit]) continue;
    if (!ready)
      missing[other]++;
    else if (--missing[other] == 0)
      PM_VEC_PUSH(*ready, other);
  }
  PM_VEC_FREE(followers);
}

/* The group of each unit; to be freed. */
static unsigned *groups_of_units(const grouping *g) {
  unsigned *group_of = pm_xcalloc(g->units->list.len + 1, sizeof *group_of);
  for (size_t i = 0; i < g->units->list.len; i++) {
    const poly_unit *unit = &g->units->list.data[i];
    for (size_t k = 0; k < g->groups.len; k++)
      if (unit->fixed && g->fixed[k] == unit->fixed) group_of[i] = (unsigned)k;
    if (!unit->fixed) group_of[i] = g->plans->of[unit->nodes.data[0]].in->number;
  }
  return group_of;
}

static unsigned last_node(const poly_plan *plan) {
  unsigned last = 0;
  for (size_t i = 0; i < plan->nodes.len; i++)
    if (plan->nodes.data[i] > last) last = plan->nodes.data[i];
  return last;
}

/* The groups with the first stages come last. */
static void sort_ready(const grouping *g, poly_indices *ready) {
  for (size_t i = 1; i < ready->len; i++)
    for (size_t k = i; k > 0; k--) {
      unsigned *one = &ready->data[k - 1], *other = &ready->data[k], swap = *one;
      if (last_node(g->groups.data[*one]) >= last_node(g->groups.data[*other])) break;
      *one = *other;
      *other = swap;
    }
}

/* Groups in an order in which producers come first (Kahn): of those that are ready the one that became so
 * last, at the beginning that with the first last stage. So the order does not depend on how groups were
 * found. */
static void order_groups(const grouping *g, poly_indices *order) {
  size_t n = g->groups.len;
  unsigned *missing = pm_xcalloc(n + 1, sizeof *missing), *group_of = groups_of_units(g);
  poly_indices ready = {0};
  for (unsigned i = 0; i < g->units->list.len; i++) count_followers(g, group_of, i, missing, NULL);
  for (size_t k = 0; k < n; k++)
    if (!missing[k]) PM_VEC_PUSH(ready, (unsigned)k);
  sort_ready(g, &ready);
  while (ready.len) {
    unsigned group = PM_VEC_POP(ready);
    const poly_plan *plan = g->groups.data[group];
    PM_VEC_PUSH(*order, group);
    for (size_t i = 0; g->fixed[group] && i < g->units->list.len; i++)
      if (group_of[i] == group) count_followers(g, group_of, (unsigned)i, missing, &ready);
    for (size_t m = 0; !g->fixed[group] && m < plan->nodes.len; m++)
      count_followers(g, group_of, (unsigned)g->units->of[plan->nodes.data[m]], missing, &ready);
  }
  PM_VEC_FREE(ready);
  free(group_of);
  free(missing);
}

/* The stages and their updates. */
static __isl_give isl_union_set *instances_of(const grouping *g, const poly_plan *plan) {
  isl_union_set *all = isl_union_set_empty(isl_set_get_space(g->graph->context));
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_ops *filters = &g->units->filters[plan->nodes.data[i]];
    for (size_t k = 0; k < filters->len; k++)
      all = isl_union_set_union(
          all, isl_union_set_copy(isl_peek_union_set(pm_attr_at(filters->data[k], poly_filter_instances))));
  }
  return all;
}

/* How the stages of a plan have a common dimension. */
typedef struct dimension_use {
  bool any, leaves;               /* a stage has it, one that leaves the group does */
  int64_t least, most_that_leave; /* strides of the points of stages, and of those that leave */
} dimension_use;

static dimension_use use_of(const grouping *g, const poly_plan *plan, unsigned d) {
  dimension_use use = {.least = INT32_MAX, .most_that_leave = 1};
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    if (!m->at->has[d]) continue;
    int64_t stride = poly_stride_along(g->plans->footprints, m->at->node, d);
    bool leaves = poly_is_live_out(plan, m);
    use.any = true;
    use.leaves = use.leaves || leaves;
    if (stride < use.least) use.least = stride;
    if (leaves && stride > use.most_that_leave) use.most_that_leave = stride;
  }
  return use;
}

/* The usual size is of the points that are the closest, and a tile has a point at least of what leaves the
 * group. What nothing that leaves it has is not tiled. */
static int64_t size_of_block(const grouping *g, const poly_plan *plan, unsigned d, int64_t usual) {
  dimension_use use = use_of(g, plan, d);
  if (!use.any || usual == POLY_UNTILED) return use.any ? usual : 1;
  if (!use.leaves || usual > INT32_MAX / 2 / use.least) return use.leaves ? usual : POLY_UNTILED;
  int64_t step = use.most_that_leave, size = usual * use.least;
  return (size + step - 1) / step * step;
}

/* With `blocks`: sizes where no strategy found any. */
static void find_blocks(const grouping *g, poly_plan *plan) {
  if (plan->sizes || !pm_opt_bool(g->pass, group_opt_blocks) || poly_plan_is_whole(plan)) return;
  plan->sizes = pm_arena_alloc(pm_pass_arena(g->pass), plan->n * sizeof *plan->sizes);
  poly_usual_sizes(plan, NULL, g->named.sizes, g->named.n, plan->sizes);
  for (unsigned d = 0; d < plan->n; d++) plan->sizes[d] = size_of_block(g, plan, d, plan->sizes[d]);
}

/* A strategy may find sizes of half of a domain: what a mark cannot say is not tiled. */
static void decide_sizes(const grouping *g, poly_plan *plan) {
  find_blocks(g, plan);
  for (unsigned d = 0; plan->sizes && d < plan->n; d++)
    if (plan->sizes[d] > POLY_UNTILED) plan->sizes[d] = POLY_UNTILED;
}

/* A tile is what a group of items computes. */
static void say_blocks(const grouping *g, pm_op *mark) {
  pm_attr tile = pm_attr_at(mark, poly_mark_tile);
  if (!pm_opt_bool(g->pass, group_opt_blocks) || pm_attr_at(mark, poly_mark_worker)) return;
  if (tile && tile->len) poly_set_worker(mark, "group");
}

static pm_builder add_mark(const poly_plan *plan, pm_builder *b) {
  if (!plan->sizes) return poly_add_mark(b, POLY_MARK_group);
  const int64_t none = 0, *inner = plan->n_stepped ? &plan->steps[plan->first] : &none;
  pm_builder group = poly_add_tiled_group(b, plan->sizes + plan->first, plan->n - plan->first,
                                          plan->n_stepped ? inner : NULL, plan->n_stepped);
  if (plan->worker) poly_set_worker(group.region->op, plan->worker);
  return group;
}

static void add_group(const grouping *g, pm_builder *sequence, poly_plan *plan) {
  qsort(plan->nodes.data, plan->nodes.len, sizeof *plan->nodes.data, ascending);
  sequence->loc = node_at(g, PM_VEC_LAST(plan->nodes))->op->loc;
  pm_builder b = poly_add_filter(sequence, instances_of(g, plan));
  decide_sizes(g, plan);
  b = add_mark(plan, &b);
  say_blocks(g, b.region->op);
  b = poly_add_sequence(&b);
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_ops *filters = &g->units->filters[plan->nodes.data[i]];
    for (size_t k = 0; k < filters->len; k++)
      pm_insert(b.region, NULL, pm_clone(b.module, filters->data[k], NULL));
  }
}

/* The sizes of the plan where the mark has none. Dimensions outside of those that it names get the size of
 * the first. Where the mark decides that one and leaves others open, they have the sizes of the plan, but for
 * those of 1 at the beginning, and unless there are steps, which begin at the first. With `blocks` all are
 * said. */
static pm_attr complete_sizes(const grouping *g, const poly_plan *plan, pm_attr own, bool has_steps) {
  int64_t *sizes = pm_arena_memdup(pm_pass_arena(g->pass), plan->sizes, plan->n * sizeof *sizes);
  unsigned named = own ? own->len : 0;
  bool is_open = false;
  if (named > plan->n) return own;
  for (unsigned i = 0; i < named; i++)
    if (own->items[i]->i)
      sizes[plan->n - named + i] = own->items[i]->i;
    else
      is_open = true;
  bool blocks = pm_opt_bool(g->pass, group_opt_blocks);
  bool all = !blocks && is_open && own->items[0]->i && !has_steps;
  unsigned n = all || blocks ? plan->n : named ? named : plan->n - plan->first;
  while (all && n > named && sizes[plan->n - n] == 1) n--;
  return pm_get_index_array(g->graph->ctx, sizes + plan->n - n, n);
}

/* A copy of a part that stays, with the sizes of its tiles that it leaves open. */
static void add_fixed(const grouping *g, const pm_builder *sequence, poly_plan *plan) {
  pm_op *copy = pm_clone(sequence->module, g->fixed[plan->number], NULL);
  pm_insert(sequence->region, NULL, copy);
  if (untiled_mark(g, plan)) decide_sizes(g, plan);
  if (!plan->sizes || !untiled_mark(g, plan)) return;
  pm_op *mark = poly_child(copy);
  pm_attr own = pm_attr_at(mark, poly_mark_tile);
  /* a group whose sizes are decided is computed in one step if it says nothing of steps */
  pm_attr inner = pm_attr_at(mark, poly_mark_inner);
  pm_set_attr(mark, poly_mark_tile, complete_sizes(g, plan, own, inner && inner->len > 0));
  if (inner && inner->len == 0) pm_set_attr(mark, poly_mark_inner, NULL);
  if (!own && !inner && plan->n_stepped)
    pm_set_attr(mark, poly_mark_inner,
                pm_get_index_array(g->graph->ctx, &plan->steps[plan->first], plan->n_stepped));
  if (!own && !inner && plan->worker && !pm_attr_at(mark, poly_mark_worker))
    poly_set_worker(mark, plan->worker);
  say_blocks(g, mark);
}

static void copy_allocs(const pm_op *from, const pm_builder *b) {
  PM_FOR_OPS(op, pm_region_at(from, 0))
  if (pm_is(op, &poly_alloc)) pm_insert(b->region, NULL, pm_clone(b->module, op, NULL));
}

static void rebuild(grouping *g, pm_op *old) {
  pm_op *old_domain = poly_child(old);
  pm_builder b = pm_builder_before(old);
  pm_builder inner = poly_add_schedule(&b);
  inner = poly_add_domain(
      &inner, isl_union_set_copy(isl_peek_union_set(pm_attr_at(old_domain, poly_domain_instances))));
  copy_allocs(old_domain, &inner);
  inner = poly_add_sequence(&inner);
  poly_indices order = {0};
  order_groups(g, &order);
  for (size_t i = 0; i < order.len; i++) {
    poly_plan *plan = g->groups.data[order.data[i]];
    if (g->fixed[plan->number])
      add_fixed(g, &inner, plan);
    else
      add_group(g, &inner, plan);
  }
  PM_VEC_FREE(order);
  pm_op_erase(old);
}

/* False after a diagnostic. */
static bool group_stages(grouping *g, pm_op *schedule) {
  if (!form_groups(g) || !check_all_fixed(g)) return false;
  pm_pass_stat(g->pass, "groups", (int64_t)g->groups.len);
  rebuild(g, schedule);
  return true;
}

static void free_groups(grouping *g) {
  for (size_t i = 0; i < g->groups.len; i++) poly_plan_free(g->groups.data[i]);
  PM_VEC_FREE(g->groups);
}

pm_result pass_group(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  pm_arena *arena = pm_pass_arena(pass);
  grouping g = {.pass = pass, .graph = graph, .units = POLY_UNITS(pass)};
  if (!g.units) return PM_FAILED;
  g.plans = poly_plans_new(POLY_FOOTPRINTS(pass), arena, pm_usual_size(pm_pass_root(pass)));
  g.fixed = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof *g.fixed);
  g.named.sizes = pm_opt_ints(pass, group_opt_tile, &g.named.n);
  group_take_demanded_again(g.plans);
  bool ok = group_stages(&g, schedule);
  stage_count_distances(pass);
  if (ok && group_make_again(pass, g.plans)) pm_pass_invalidate(pass);
  free_groups(&g);
  return ok ? PM_CHANGED : PM_FAILED;
}
