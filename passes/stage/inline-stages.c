/* inline-stages: a read of a stage becomes the stage's expression.
 *
 *   stage.func @sq { stage.case(%x) on … {
 *     %v = stage.read @img[%x]    %s = arith.mulf %v, %v    stage.yield %s } }
 *   stage.func @by { stage.case(%x) on … { %a = stage.read @sq[%x - 1] … } }
 *   =>
 *   stage.func @by { stage.case(%x) on … { %v = stage.read @img[%x - 1]    %a = arith.mulf %v, %v … } }
 *
 * A stage that is not an output goes when all its reads can be replaced under one of the rules of PolyMage
 * (Mullapudi, Vasista, Bondhugula, ASPLOS 2015, and the thesis): it is point-wise; or its one consumer is,
 * which reads it only at its own point; or it has several cases and each consumer reads one of them, by
 * itself. By these, of an expression that is not point-wise nothing is computed twice. The first rule goes
 * before the others, to a fixed point.
 *
 * All else is a matter of prices, those of the machine that the pass `group` knows, too: what the readers
 * take with the stage inside, operations that their reads have in common once, less what they and the stage
 * take now, against what it takes to keep the stage in a tile. Beyond the rules the stage goes whose price is
 * the least, as long as one may be paid (`recompute`): that of a stage grows when another that it reads, or
 * that reads it, has gone. A point-wise stage stays when its conversions between floats and narrower
 * integers, divisions, roots and calls alone would cost more than that (the papers have no such limit). A
 * stage stays, whatever the price, when reads at remainders or computed indices become more: each is looked
 * up by itself, or the case is split where it is affine (peel-borders) and each part has a body of its own,
 * which the price does not show.
 *
 * max-ops counts arithmetic: not reads, constants and casts. A stage with updates, or one that reads itself,
 * stays, and so does what an update reads. A read of a stage.constant at a point that is known becomes the
 * number.
 */
#include "dialects/arith/arith.h"
#include "dialects/isl/linear.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/cost/cost.h"
#include "dialects/poly/named_stages.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/index_function.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/analyses/work.h"
#include "dialects/stage/inlining.h"
#include "passes/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One read of the stage that may be inlined. */
typedef struct inline_site {
  pm_op *read;
  stage_node *consumer;
  const stage_case_info *into;
  const stage_case_info *source; /* the producer's case that is read; NULL: its default */
} inline_site;
typedef PM_VEC(inline_site) inline_sites;

typedef struct node_state {
  PM_VEC(stage_node *) consumers; /* may name one twice */
  const stage_node *seen_for;
  char *kept_because;
  bool settled; /* it stays by the rules, as long as it and its readers stay as they are */
  double price; /* what computing it again takes, where storing it takes 1; infinite: it stays in any case */
  bool gone;
} node_state;

typedef struct inliner {
  pm_pass *pass;
  const stage_graph *graph;
  const bool *named; /* by node index: the schedule names the stage */
  node_state *states;
  pm_machine machine;
  int64_t max_ops, recompute, size, n_numbers;
  stage_values *values; /* of the pipeline as it is */
} inliner;

static node_state *state_of(inliner *in, const stage_node *node) {
  return &in->states[node->index];
}

/* Notes why the stage stays, in place of an earlier reason. Returns false. */
static bool PM_PRINTF(3, 4) keep(inliner *in, const stage_node *node, const char *fmt, ...) {
  pm_buf why = {0};
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(&why, fmt, args);
  va_end(args);
  free(state_of(in, node)->kept_because);
  state_of(in, node)->kept_because = pm_buf_take(&why);
  return false;
}

/* --- what is read --- */

typedef struct site_collector {
  inline_sites *sites;
  const stage_node *producer;
  stage_node *consumer;
  const stage_case_info *into;
} site_collector;

static pm_walk collect_site(void *user, pm_op *op) {
  site_collector *c = user;
  if (pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == c->producer->name)
    PM_VEC_PUSH(*c->sites, ((inline_site){op, c->consumer, c->into, NULL}));
  return PM_WALK_ON;
}

/* Every read of the stage, those of one case next to each other. */
static void collect_sites(inliner *in, const stage_node *producer, inline_sites *sites) {
  node_state *state = state_of(in, producer);
  for (size_t i = 0; i < state->consumers.len; i++) {
    stage_node *consumer = state->consumers.data[i];
    if (state_of(in, consumer)->gone || state_of(in, consumer)->seen_for == producer) continue;
    state_of(in, consumer)->seen_for = producer;
    for (size_t k = 0; k < consumer->cases.len; k++) {
      site_collector collector = {sites, producer, consumer, &consumer->cases.data[k]};
      pm_walk_pre(consumer->cases.data[k].op, collect_site, &collector);
    }
  }
  for (size_t i = 0; i < sites->len; i++) state_of(in, sites->data[i].consumer)->seen_for = NULL;
}

static pm_walk stop_at_other_point(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &stage_read) && !stage_reads_own_point(op) ? PM_WALK_STOP : PM_WALK_ON;
}

static bool is_point_wise(const stage_node *node) {
  for (size_t i = 0; i < node->cases.len; i++)
    if (!pm_walk_pre(node->cases.data[i].op, stop_at_other_point, NULL)) return false;
  return true;
}

/* A site before number `i` reads the same point in the same case. */
static bool is_repeated(const inline_sites *sites, size_t i) {
  const inline_site *site = &sites->data[i];
  for (size_t k = i; k-- > 0 && sites->data[k].into == site->into;)
    if (stage_same_point(sites->data[k].read, site->read)) return true;
  return false;
}

/* --- is it legal --- */

static bool find_site_source(inliner *in, const stage_node *producer, inline_site *site) {
  bool affine;
  isl_map *relation = stage_read_relation_in(&in->values, site->read, &affine);
  isl_set *image = isl_set_apply(isl_set_copy(site->into->set), relation);
  bool found = affine && stage_find_source(producer, image, &site->source);
  isl_set_free(image);
  if (found) return true;
  if (!affine) return keep(in, producer, "@%s reads it at a computed index", site->consumer->name->text);
  return keep(in, producer, "a case of @%s reads points that are not in one case without guards",
              site->consumer->name->text);
}

static bool find_sources(inliner *in, const stage_node *producer, inline_sites *sites) {
  for (size_t i = 0; i < sites->len; i++)
    if (!find_site_source(in, producer, &sites->data[i])) return false;
  return true;
}

/* --- does it pay --- */

static bool is_arithmetic(const pm_op *op) {
  static const pm_op_desc *const free_ops[] = {&stage_read, &stage_yield, &stage_guard, &arith_constant,
                                               &arith_cast};
  for (size_t i = 0; i < PM_COUNT(free_ops); i++)
    if (pm_is(op, free_ops[i])) return false;
  return true;
}

static int64_t count_ops(const stage_case_info *info) {
  int64_t n = 0;
  if (info) PM_FOR_OPS(op, pm_region_at(info->op, stage_case_body)) n += is_arithmetic(op);
  return n;
}

/* No case grows beyond max-ops; a point that a case reads twice counts once. */
static bool fits_budget(inliner *in, const stage_node *producer, const inline_sites *sites) {
  for (size_t i = 0; i < sites->len;) {
    const inline_site *first = &sites->data[i];
    int64_t before = count_ops(first->into), after = before;
    for (; i < sites->len && sites->data[i].into == first->into; i++)
      if (!is_repeated(sites, i)) after += count_ops(sites->data[i].source);
    if (after > in->max_ops && after > before)
      return keep(in, producer, "a case of @%s would grow from %lld to %lld ops, more than max-ops = %lld",
                  first->consumer->name->text, (long long)before, (long long)after, (long long)in->max_ops);
  }
  return true;
}

/* Rule (i): one stage reads it, only at its own point. */
static bool has_point_wise_consumer(inliner *in, const stage_node *producer, const inline_sites *sites) {
  for (size_t i = 0; i < sites->len; i++) {
    const stage_node *consumer = sites->data[i].consumer;
    if (consumer != sites->data[0].consumer)
      return keep(in, producer, "it is not point-wise, and both @%s and @%s read it",
                  sites->data[0].consumer->name->text, consumer->name->text);
    if (!stage_reads_own_point(sites->data[i].read))
      return keep(in, producer, "it is not point-wise, and @%s reads it at other points than its own",
                  consumer->name->text);
  }
  return true;
}

/* Two points of the site's case never read one point. */
static bool reads_each_point_once(inliner *in, const inline_site *site) {
  bool affine;
  isl_map *relation = stage_read_relation_in(&in->values, site->read, &affine);
  isl_bool injective = isl_map_is_injective(relation);
  isl_map_free(relation);
  return affine && injective == isl_bool_true;
}

/* The two sites' stages do not share the work of one case. */
static bool are_disjoint(const inline_site *a, const inline_site *b) {
  if (a->consumer != b->consumer) return a->source != b->source;
  if (a->source != b->source) return false;
  return a->into != b->into || stage_same_point(a->read, b->read);
}

/* Rule (iii), after find_sources: several cases, each read by one consumer that reads no other, at one point.
 */
static bool has_disjoint_references(inliner *in, const stage_node *producer, const inline_sites *sites) {
  enum { MAX_SITES = 64 };
  if (producer->cases.len < 2 || sites->len > MAX_SITES) return false;
  for (size_t i = 0; i < sites->len; i++) {
    if (!reads_each_point_once(in, &sites->data[i])) return false;
    for (size_t k = 0; k < i; k++)
      if (!are_disjoint(&sites->data[i], &sites->data[k])) return false;
  }
  return true;
}

/* --- is it cheap --- */

/* In ns, for each point of the stage, of a core of the machine. */
typedef struct inline_price {
  double again; /* what its readers compute more, without what the stage computes */
  double store; /* to store it where a tile keeps it, and to fetch it from there */
} inline_price;

/* Conversions, divisions, roots and calls alone, or all. */
static double point_ns(const inliner *in, const stage_work *w, bool slow_only) {
  stage_work slow = {
      .ops = w->conversions, .op_bytes = w->conversion_bytes, .divisions = w->divisions, .calls = w->calls};
  return poly_point_ns(&in->machine, slow_only ? &slow : w, 0);
}

/* Of the readers' case as it would be, with all its reads of the stage replaced; `*i` goes behind them. */
static stage_work work_after(const stage_node *producer, const inline_sites *sites, size_t *i) {
  const stage_case_info *into = sites->data[*i].into;
  pm_map *copies = pm_map_new();
  pm_op *copy = pm_clone(pm_module_of(into->op), into->op, copies);
  pm_insert(into->op->region, NULL, copy);
  for (; *i < sites->len && sites->data[*i].into == into; ++*i) {
    pm_value *read = pm_map_get(copies, pm_res(sites->data[*i].read, 0));
    stage_inline_read(pm_def(read), producer, sites->data[*i].source);
  }
  stage_tidy_body(pm_region_at(copy, stage_case_body));
  stage_work after = stage_work_in(copy, into->set);
  pm_op_erase(copy);
  pm_map_free(copies);
  return after;
}

static double own_ns(const inliner *in, const stage_node *node, bool slow_only) {
  double most = 0;
  for (size_t i = 0; i < node->cases.len; i++) {
    stage_work w = stage_work_in(node->cases.data[i].op, node->cases.data[i].set);
    most = fmax(most, point_ns(in, &w, slow_only));
  }
  return most;
}

static inline_price price_of(const inliner *in, const stage_node *producer, const inline_sites *sites,
                             bool slow_only) {
  double all = fmax(stage_points_in(in->graph, producer->domain, in->size), 1), bytes = 0;
  const pm_op *read = sites->data[0].read;
  for (unsigned i = 0; i < read->n_results; i++) bytes += (double)pm_element_bytes(pm_res(read, i)->type);
  inline_price price = {.again = -own_ns(in, producer, slow_only),
                        .store = poly_keep_ns(&in->machine, bytes)};
  for (size_t i = 0; i < sites->len;) {
    const stage_case_info *into = sites->data[i].into;
    stage_work before = stage_work_in(into->op, into->set), after = work_after(producer, sites, &i);
    double share = stage_points_in(in->graph, into->set, in->size) / all;
    price.again += share * (point_ns(in, &after, slow_only) - point_ns(in, &before, slow_only));
  }
  return price;
}

/* How much may be computed again, where storing takes 1. */
static double most_again(const inliner *in) {
  return (double)in->recompute / 100;
}

/* A point-wise stage whose conversions, divisions, roots and calls are made again for several points that its
 * readers use; all else that it does is published to be worth it. */
static bool repeats_slow_ops(inliner *in, const stage_node *producer, const inline_sites *sites) {
  if (own_ns(in, producer, true) == 0) return false;
  inline_price price = price_of(in, producer, sites, true);
  if (price.again <= price.store * most_again(in)) return false;
  return !keep(in, producer,
               "recomputing its conversions, divisions, roots and calls takes %.2g ns a point, more than "
               "%lld %% of the %.2g for storing it",
               price.again, (long long)in->recompute, price.store);
}

static bool has_remainder(pm_affine_expr expr) {
  if (expr->kind < PM_AFFINE_ADD) return false;
  return expr->kind == PM_AFFINE_MOD || has_remainder(expr->lhs) || has_remainder(expr->rhs);
}

/* The read is at an index with a remainder or a value that is computed, as by a clamp. */
static bool is_lookup(const pm_op *read) {
  pm_affine_map map = pm_attr_at(read, stage_read_map)->map;
  for (uint32_t i = 0; i < map->n_results; i++)
    if (has_remainder(map->results[i])) return true;
  for (unsigned i = 0; i < read->n_operands; i++)
    if (!pm_is_arg(pm_arg(read, i)) && !pm_is(pm_def(pm_arg(read, i)), &stage_param)) return true;
  return false;
}

/* The look-ups of a case; all its reads when it is looked up itself. */
static int64_t count_lookups(const stage_case_info *info, bool looked_up) {
  int64_t n = 0;
  if (info) PM_FOR_OPS(op, pm_region_at(info->op, stage_case_body))
  n += pm_is(op, &stage_read) && (looked_up || is_lookup(op));
  return n;
}

/* Look-ups that there would be more of. */
static int64_t lookups_added(const stage_node *producer, const inline_sites *sites) {
  int64_t n = 0;
  for (size_t i = 0; i < producer->cases.len; i++) n -= count_lookups(&producer->cases.data[i], false);
  for (size_t i = 0; i < sites->len; i++) {
    if (is_repeated(sites, i)) continue;
    bool looked_up = is_lookup(sites->data[i].read);
    n += count_lookups(sites->data[i].source, looked_up) - looked_up;
  }
  return n;
}

/* Adds to the reason of the first rule that did not hold. */
static void PM_PRINTF(3, 4) keep_too(inliner *in, const stage_node *node, const char *fmt, ...) {
  pm_buf why = {0};
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(&why, fmt, args);
  va_end(args);
  char *rule = state_of(in, node)->kept_because;
  state_of(in, node)->kept_because = NULL;
  keep(in, node, "%s; %s", rule, why.data);
  pm_buf_free(&why);
  free(rule);
}

/* Beyond the published rules, after find_sources, with the reason of the first rule that did not hold noted:
 * the price of the stage. */
static void note_price(inliner *in, const stage_node *producer, const inline_sites *sites) {
  int64_t lookups = lookups_added(producer, sites);
  if (lookups > 0) {
    keep_too(in, producer, "recomputing it takes %lld read%s more at remainders or computed indices",
             (long long)lookups, lookups == 1 ? "" : "s");
    return;
  }
  inline_price price = price_of(in, producer, sites, false);
  state_of(in, producer)->price = price.again / price.store;
  keep_too(in, producer,
           "recomputing it takes %.2g ns a point more, storing it %.2g, of which %lld %% are allowed",
           price.again, price.store, (long long)in->recompute);
}

/* --- the pass --- */

static void remark_inlined(inliner *in, const stage_node *producer, const inline_sites *sites,
                           const char *rule) {
  int64_t ops = 0;
  for (size_t i = 0; i < producer->cases.len; i++) ops += count_ops(&producer->cases.data[i]);
  pm_remark_arg args[] = {{"reads", (double)sites->len}, {"ops", (double)ops}};
  pm_buf again = {0};
  pm_buf_puts(&again, "");
  if (ops > 0 && sites->len > 1)
    pm_buf_printf(&again, "; it is computed up to %zu times a point", sites->len);
  pm_pass_remark(in->pass, producer->op->loc, PM_REMARK_PASSED, args, PM_COUNT(args),
                 "@%s (%lld op%s) is inlined into %zu read%s, the first in @%s: %s%s", producer->name->text,
                 (long long)ops, ops == 1 ? "" : "s", sites->len, sites->len == 1 ? "" : "s",
                 sites->data[0].consumer->name->text, rule, again.data);
  pm_buf_free(&again);
  pm_pass_stat(in->pass, "stages-inlined", 1);
}

typedef struct reader_update {
  inliner *in;
  stage_node *consumer;
} reader_update;

static pm_walk add_consumer(void *user, pm_op *op) {
  reader_update *update = user;
  if (!pm_is(op, &stage_read)) return PM_WALK_ON;
  stage_node *producer = stage_graph_find(update->in->graph, pm_sym_at(op, stage_read_stage));
  PM_VEC_PUSH(state_of(update->in, producer)->consumers, update->consumer);
  return PM_WALK_ON;
}

/* What the inlined stage read is read by its consumers now. */
static void pass_on_reads(inliner *in, const stage_node *gone, const inline_sites *sites) {
  for (size_t i = 0; i < sites->len; i++) {
    if (i > 0 && sites->data[i].consumer == sites->data[i - 1].consumer) continue;
    reader_update update = {in, sites->data[i].consumer};
    for (size_t k = 0; k < gone->cases.len; k++) pm_walk_pre(gone->cases.data[k].op, add_consumer, &update);
  }
}

/* Reads of constants at points that are known become numbers. */
static void put_numbers(inliner *in, pm_region *body) {
  PM_FOR_OPS(op, body) {
    if (!pm_is(op, &stage_read)) continue;
    const stage_node *node = stage_graph_find(in->graph, pm_sym_at(op, stage_read_stage));
    pm_attr number = pm_is(node->op, &stage_constant) ? stage_constant_read(node->op, op) : NULL;
    if (!number) continue;
    pm_builder b = pm_builder_before(op);
    pm_value *value = arith_build_constant(&b, number);
    pm_replace_op(op, &value);
    in->n_numbers++;
  }
}

static void put_numbers_in_stage(inliner *in, const stage_node *node) {
  int64_t before = in->n_numbers;
  PM_FOR_OPS(body, pm_region_at(node->op, stage_func_cases)) put_numbers(in, pm_region_at(body, 0));
  if (in->n_numbers > before) stage_values_forget(in->values, node->op);
}

/* What it was to compute again is computed by its consumers. */
static void forget_inlined(inliner *in, const stage_node *gone, const inline_sites *sites) {
  PM_VEC(pm_string) into = {0};
  for (size_t i = 0; i < sites->len; i++) PM_VEC_PUSH(into, sites->data[i].consumer->name);
  poly_forget_stage(in->graph->pipeline, gone->name, into.data, into.len);
  PM_VEC_FREE(into);
}

/* Stages whose bodies have changed, and those that they read, may go now by a rule that did not hold. */
static void reconsider(inliner *in, const stage_node *gone, const inline_sites *sites) {
  for (size_t i = 0; i < sites->len; i++) state_of(in, sites->data[i].consumer)->seen_for = gone;
  for (size_t i = 0; i < in->graph->nodes.len; i++) {
    node_state *state = &in->states[i];
    bool changed = state->seen_for == gone;
    for (size_t k = 0; k < state->consumers.len && !changed; k++)
      changed = state_of(in, state->consumers.data[k])->seen_for == gone;
    if (changed) state->settled = false;
  }
  for (size_t i = 0; i < sites->len; i++) state_of(in, sites->data[i].consumer)->seen_for = NULL;
}

static void inline_sites_now(inliner *in, stage_node *producer, const inline_sites *sites, const char *rule) {
  remark_inlined(in, producer, sites, rule);
  pass_on_reads(in, producer, sites);
  for (size_t i = 0; i < sites->len; i++) {
    const inline_site *site = &sites->data[i];
    stage_inline_read(site->read, producer, site->source);
    if (i + 1 < sites->len && sites->data[i + 1].into == site->into) continue;
    stage_values_forget(in->values, site->consumer->op);
    pm_region *body = pm_region_at(site->into->op, stage_case_body);
    put_numbers(in, body);
    stage_tidy_body(body);
  }
  stage_values_forget(in->values, producer->op);
  forget_inlined(in, producer, sites);
  reconsider(in, producer, sites);
  pm_op_erase(producer->op);
  state_of(in, producer)->gone = true;
}

/* The rule that allows it, or NULL. Finds the sources of the sites. */
static const char *find_rule(inliner *in, const stage_node *producer, inline_sites *sites, bool point_wise) {
  if (point_wise)
    return find_sources(in, producer, sites) && !repeats_slow_ops(in, producer, sites) ? "it is point-wise"
                                                                                       : NULL;
  bool own_point = has_point_wise_consumer(in, producer, sites);
  if (!find_sources(in, producer, sites)) return NULL;
  if (own_point) return "its consumer reads it only at its own point";
  if (has_disjoint_references(in, producer, sites)) return "each consumer reads one of its cases";
  note_price(in, producer, sites);
  return NULL;
}

/* The values of the stage are those of its cases, each by itself, and only cases read them. */
static bool has_only_cases(inliner *in, const stage_node *node) {
  if (node->updates.len > 0) return keep(in, node, "it has updates");
  if (node->self_reads.len > 0) return keep(in, node, "it reads itself");
  for (size_t i = 0; i < node->readers.len; i++)
    if (node->readers.data[i]->update_index >= 0)
      return keep(in, node, "an update of @%s reads it", node->readers.data[i]->consumer->name->text);
  return true;
}

static bool try_stage(inliner *in, stage_node *node) {
  if (in->named[node->index]) return keep(in, node, "the schedule names it");
  pm_op *demand = poly_find_demand(in->graph->pipeline, node->name);
  bool wanted = poly_demand_is_inline(demand);
  if (demand && !wanted) return keep(in, node, "the schedule fixes where it is computed");
  if (!has_only_cases(in, node)) return false;
  inline_sites sites = {0};
  collect_sites(in, node, &sites);
  const char *rule = NULL;
  if (sites.len > 0 && wanted)
    rule = find_sources(in, node, &sites) ? "the schedule inlines it" : NULL;
  else if (sites.len > 0)
    rule = find_rule(in, node, &sites, is_point_wise(node));
  bool ok = rule && (wanted || fits_budget(in, node, &sites));
  if (ok) inline_sites_now(in, node, &sites, rule);
  PM_VEC_FREE(sites);
  return ok;
}

/* Tries the stages that are point-wise, or those that are not; true when one went. */
static bool sweep(inliner *in, bool point_wise) {
  bool changed = false;
  for (size_t i = 0; i < in->graph->nodes.len; i++) {
    stage_node *node = in->graph->nodes.data[i];
    if (node->is_input || node->is_output || state_of(in, node)->gone) continue;
    if (state_of(in, node)->settled || is_point_wise(node) != point_wise) continue;
    state_of(in, node)->settled = true;
    state_of(in, node)->price = INFINITY;
    changed |= try_stage(in, node);
  }
  return changed;
}

/* The one whose price is the least of those that may be paid, or NULL. */
static stage_node *cheapest(inliner *in) {
  stage_node *least = NULL;
  for (size_t i = 0; i < in->graph->nodes.len; i++) {
    stage_node *node = in->graph->nodes.data[i];
    double price = state_of(in, node)->gone ? INFINITY : state_of(in, node)->price;
    if (price <= (least ? state_of(in, least)->price : most_again(in))) least = node;
  }
  return least;
}

/* Beyond the rules; true when there was one. */
static bool inline_cheapest(inliner *in) {
  stage_node *node;
  bool ok = false;
  while (!ok && (node = cheapest(in))) {
    inline_sites sites = {0};
    collect_sites(in, node, &sites);
    ok = find_sources(in, node, &sites) && fits_budget(in, node, &sites);
    if (ok) inline_sites_now(in, node, &sites, "recomputing it costs hardly more than storing it");
    state_of(in, node)->price = INFINITY;
    PM_VEC_FREE(sites);
  }
  return ok;
}

static void start(inliner *in) {
  for (size_t i = 0; i < in->graph->nodes.len; i++) {
    const stage_node *node = in->graph->nodes.data[i];
    if (!node->is_input) put_numbers_in_stage(in, node);
    in->states[i].price = INFINITY;
    for (size_t k = 0; k < node->readers.len; k++)
      PM_VEC_PUSH(in->states[i].consumers, node->readers.data[k]->consumer);
  }
}

/* Says why stages stayed, and frees the states. */
static void finish(inliner *in) {
  for (size_t i = 0; i < in->graph->nodes.len; i++) {
    const stage_node *node = in->graph->nodes.data[i];
    node_state *state = &in->states[i];
    if (state->kept_because && !state->gone)
      pm_pass_remark(in->pass, node->op->loc, PM_REMARK_MISSED, NULL, 0, "@%s is not inlined: %s",
                     node->name->text, state->kept_because);
    free(state->kept_because);
    PM_VEC_FREE(state->consumers);
  }
  free(in->states);
}

pm_result pass_inline_stages(pm_pass *p) {
  const stage_graph *graph = STAGE_GRAPH(p);
  if (!graph) return PM_FAILED;
  inliner in = {.pass = p,
                .graph = graph,
                .named = poly_named_stages(p),
                .states = pm_xcalloc(graph->nodes.len + 1, sizeof(node_state)),
                .values = STAGE_VALUES(p),
                .max_ops = pm_opt_int(p, inline_stages_opt_max_ops),
                .recompute = pm_opt_int(p, inline_stages_opt_recompute),
                .size = pm_usual_size(graph->pipeline)};
  if (!pm_machine_of(graph->pipeline, &in.machine)) return PM_FAILED;
  start(&in);
  bool changed = false;
  while (sweep(&in, true) || sweep(&in, false) || inline_cheapest(&in)) changed = true;
  finish(&in);
  if (in.n_numbers) pm_pass_stat(p, "reads-of-constants", in.n_numbers);
  return changed || in.n_numbers ? PM_CHANGED : PM_UNCHANGED;
}
