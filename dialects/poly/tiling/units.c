#include "dialects/poly/tiling/units.h"

#include <stdlib.h>
#include <string.h>

/* --- stages of a part of the tree --- */

/* The stage that the name is of, or that an update of that name belongs to; NULL: none. */
static stage_node *owner_of(const poly_units *u, pm_string name) {
  const stage_graph *graph = u->alignment->graph;
  size_t number;
  stage_node *node = stage_graph_find(graph, name);
  return node ? node : stage_graph_find_update(graph, name, &number);
}

static void add_node(poly_indices *nodes, const stage_node *node) {
  for (size_t i = 0; i < nodes->len; i++)
    if (nodes->data[i] == node->index) return;
  PM_VEC_PUSH(*nodes, node->index);
}

static void add_names(const poly_units *u, isl_union_set *instances, poly_indices *nodes) {
  poly_names names = {0};
  poly_stage_names(u->alignment->graph->ctx, instances, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_node *node = owner_of(u, names.data[i]);
    if (node) add_node(nodes, node);
  }
  PM_VEC_FREE(names);
}

static int ascending(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

/* Those that the filter lets through, and those that extensions below bring. */
static poly_indices stages_of(const poly_units *u, pm_op *filter) {
  poly_indices nodes = {0};
  poly_ops extensions = {0};
  add_names(u, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &nodes);
  poly_collect(filter, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len; i++) {
    isl_union_map *map = isl_peek_union_map(pm_attr_at(extensions.data[i], poly_extension_map));
    isl_union_set *brought = isl_union_map_range(isl_union_map_copy(map));
    add_names(u, brought, &nodes);
    isl_union_set_free(brought);
  }
  PM_VEC_FREE(extensions);
  if (nodes.len) qsort(nodes.data, nodes.len, sizeof *nodes.data, ascending);
  return nodes;
}

/* --- the units of a tree --- */

static bool is_plain_band(const pm_op *op) {
  return !op || (pm_is(op, &poly_band) && !pm_attr_at(op, poly_band_tile) && !poly_child(op));
}

static bool all_have_plain_bands(const pm_op *sequence) {
  bool plain = pm_is(sequence, &poly_sequence);
  if (plain) {
    PM_FOR_OPS(filter, pm_region_at(sequence, 0)) {
      const pm_op *child = poly_child(filter);
      const pm_op *inner = child && pm_is(child, &poly_band) ? poly_child(child) : NULL;
      plain = plain && (is_plain_band(child) || is_plain_band(inner));
    }
  }
  return plain;
}

/* A mark that says nothing but that there is a group. */
static bool is_bare_group(const pm_op *op) {
  if (!op || !poly_is_mark(op, POLY_MARK_group) || !all_have_plain_bands(poly_child(op))) return false;
  for (unsigned i = 0; i < poly_mark_N_ATTRS; i++)
    if (i != poly_mark_name && pm_attr_at(op, i)) return false;
  return true;
}

static int add_unit(poly_units *u, pm_op *fixed, poly_indices nodes, int after) {
  int number = (int)u->list.len;
  for (size_t i = 0; i < nodes.len; i++) u->of[nodes.data[i]] = number;
  u->any_fixed = u->any_fixed || fixed;
  PM_VEC_PUSH(u->list, ((poly_unit){fixed, nodes, after}));
  return number;
}

/* A filter of a free stage, or of an update of one. */
static int add_free(poly_units *u, pm_op *filter, poly_indices nodes) {
  pm_op *child = poly_child(filter);
  unsigned node = nodes.data[0];
  if (child && poly_is_mark(child, POLY_MARK_group)) {
    PM_FOR_OPS(inner, pm_region_at(poly_child(child), 0)) PM_VEC_PUSH(u->filters[node], inner);
  } else {
    PM_VEC_PUSH(u->filters[node], filter);
  }
  if (u->of[node] < 0) return add_unit(u, NULL, nodes, -1);
  PM_VEC_FREE(nodes);
  return u->of[node];
}

/* Of a child of a sequence, which stays in its order when `ordered`; the number of its last unit. */
static int add_filter(poly_units *u, pm_op *filter, bool ordered, int after) {
  pm_op *child = poly_child(filter);
  poly_indices nodes = stages_of(u, filter);
  bool single = nodes.len == 1;
  if (!ordered && single && (is_plain_band(child) || is_bare_group(child))) return add_free(u, filter, nodes);
  if (single || !child || !pm_is(child, &poly_sequence)) return add_unit(u, filter, nodes, after);
  PM_VEC_FREE(nodes);
  PM_FOR_OPS(inner, pm_region_at(child, 0)) after = add_filter(u, inner, true, after);
  return after;
}

/* --- their order --- */

static bool is_listed(const poly_indices *list, unsigned unit) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == unit) return true;
  return false;
}

void poly_unit_followers(const poly_units *u, unsigned unit, poly_indices *out) {
  const poly_unit *from = &u->list.data[unit];
  for (size_t i = 0; i < from->nodes.len; i++) {
    const poly_aligned *at = &u->alignment->of[from->nodes.data[i]];
    for (size_t k = 0; k < at->readers.len; k++) {
      unsigned reader = (unsigned)u->of[at->readers.data[k]->consumer->node->index];
      if (reader != unit && !is_listed(out, reader)) PM_VEC_PUSH(*out, reader);
    }
  }
  for (unsigned i = 0; u->any_fixed && i < u->list.len; i++)
    if (u->list.data[i].after == (int)unit && !is_listed(out, i)) PM_VEC_PUSH(*out, i);
}

static unsigned last_node(const poly_unit *unit) {
  return unit->nodes.len ? PM_VEC_LAST(unit->nodes) : 0;
}

static const stage_node *last_stage(const poly_units *u, unsigned unit) {
  return u->alignment->graph->nodes.data[last_node(&u->list.data[unit])];
}

/* Some stage of the one reads some stage of the other. */
static bool reads(const poly_units *u, unsigned reader, unsigned producer, const stage_access **access) {
  const poly_unit *from = &u->list.data[reader];
  for (size_t i = 0; i < from->nodes.len; i++) {
    const stage_node *node = u->alignment->graph->nodes.data[from->nodes.data[i]];
    for (size_t k = 0; k < node->reads.len; k++) {
      *access = node->reads.data[k];
      if (u->of[(*access)->producer->index] == (int)producer) return true;
    }
  }
  return false;
}

/* A unit that stands before one that it reads, by the order of a sequence, if there is one. */
static bool report_order(const poly_units *u) {
  const stage_access *access;
  for (unsigned i = 0; i < u->list.len; i++)
    for (int k = u->list.data[i].after; k >= 0; k = u->list.data[k].after) {
      if (!reads(u, (unsigned)k, i, &access)) continue;
      pm_error(u->alignment->graph->ctx, u->list.data[k].fixed->loc,
               "the schedule puts @%pS before @%pS, which it reads", (const void *)access->consumer->name,
               (const void *)access->producer->name);
      pm_note(u->alignment->graph->ctx, u->list.data[i].fixed->loc, "@%pS is here",
              (const void *)access->producer->name);
      return true;
    }
  return false;
}

/* A unit that must come before the unit and has no place yet. */
static int unplaced_before(const poly_units *u, unsigned unit, const unsigned *missing) {
  const stage_access *access;
  for (unsigned i = 0; i < u->list.len; i++)
    if (i != unit && missing[i] && (u->list.data[unit].after == (int)i || reads(u, unit, i, &access)))
      return (int)i;
  return -1;
}

/* Of units without an order: goes back until one comes again, and names it and one that must be before it. */
static void report_cycle(const poly_units *u, const unsigned *missing) {
  if (report_order(u)) return;
  bool *seen = pm_xcalloc(u->list.len, sizeof *seen);
  unsigned at = 0;
  while (!missing[at]) at++;
  for (; !seen[at] || !u->list.data[at].fixed; at = (unsigned)unplaced_before(u, at, missing))
    seen[at] = true;
  unsigned before = (unsigned)unplaced_before(u, at, missing);
  pm_error(u->alignment->graph->ctx, u->list.data[at].fixed->loc,
           "the group of @%pS in the schedule needs @%pS and is needed by it: neither can come first",
           (const void *)last_stage(u, at)->name, (const void *)last_stage(u, before)->name);
  pm_note(u->alignment->graph->ctx, last_stage(u, before)->op->loc, "@%pS is here",
          (const void *)last_stage(u, before)->name);
  free(seen);
}

/* The unit without predecessors whose last stage is the first, or -1. */
static int next_unit(const poly_units *u, const unsigned *missing) {
  int best = -1;
  for (unsigned i = 0; i < u->list.len; i++)
    if (missing[i] == 1 && (best < 0 || last_node(&u->list.data[i]) < last_node(&u->list.data[best])))
      best = (int)i;
  return best;
}

/* Numbers the units anew: order[i] becomes number i. */
static void renumber(poly_units *u, const unsigned *order) {
  size_t n = u->list.len;
  poly_unit *old = pm_xmalloc((n + 1) * sizeof *old);
  int *number = pm_xmalloc((n + 1) * sizeof *number);
  for (size_t i = 0; i < n; i++) {
    old[i] = u->list.data[i];
    number[order[i]] = (int)i;
  }
  for (size_t i = 0; i < n; i++) {
    poly_unit *unit = &u->list.data[i];
    *unit = old[order[i]];
    if (unit->after >= 0) unit->after = number[unit->after];
  }
  for (size_t i = 0; i < u->alignment->graph->nodes.len; i++)
    if (u->of[i] >= 0) u->of[i] = number[u->of[i]];
  for (size_t i = 0; i < u->tops.len; i++)
    if (u->tops.data[i].unit >= 0) u->tops.data[i].unit = number[u->tops.data[i].unit];
  free(number);
  free(old);
}

/* Producers first (Kahn); among equals by their last stages. missing[i] is 1 more than the units that must
 * come before, 0 for those that have their place. */
static bool sort_units(poly_units *u) {
  size_t n = u->list.len, placed = 0;
  unsigned *missing = pm_xmalloc((n + 1) * sizeof *missing), *order = pm_xmalloc((n + 1) * sizeof *order);
  poly_indices *followers = pm_xcalloc(n + 1, sizeof *followers);
  for (size_t i = 0; i < n; i++) missing[i] = 1;
  for (unsigned i = 0; i < n; i++) {
    poly_unit_followers(u, i, &followers[i]);
    for (size_t k = 0; k < followers[i].len; k++) missing[followers[i].data[k]]++;
  }
  for (int next; (next = next_unit(u, missing)) >= 0; missing[next] = 0) {
    order[placed++] = (unsigned)next;
    for (size_t k = 0; k < followers[next].len; k++) missing[followers[next].data[k]]--;
  }
  if (placed == n)
    renumber(u, order);
  else
    report_cycle(u, missing);
  for (size_t i = 0; i < n; i++) PM_VEC_FREE(followers[i]);
  free(followers);
  free(order);
  free(missing);
  return placed == n;
}

static bool sort_if_fixed(poly_units *u) {
  if (u->any_fixed) return sort_units(u);
  unsigned *order = pm_xmalloc((u->list.len + 1) * sizeof *order);
  size_t n = 0;
  for (size_t i = 0; i < u->alignment->graph->nodes.len; i++)
    if (u->of[i] >= 0) order[n++] = (unsigned)u->of[i];
  renumber(u, order);
  free(order);
  return true;
}

/* --- all --- */

static bool report_missing(const poly_units *u, const stage_node *node) {
  return pm_error(u->alignment->graph->ctx, node->op->loc,
                  "@%pS has no separate band in the schedule; the pass align-scale gives each stage one",
                  (const void *)node->name);
}

static bool have_bands(const poly_units *u) {
  const stage_graph *graph = u->alignment->graph;
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    isl_map *schedule = u->alignment->of[i].schedule;
    if (node->is_input) continue;
    if (u->of[i] < 0) return report_missing(u, node);
    if (u->list.data[u->of[i]].fixed) continue;
    if (!schedule || isl_map_dim(schedule, isl_dim_out) != (isl_size)u->alignment->n)
      return report_missing(u, node);
  }
  return true;
}

static poly_units *empty_units(const poly_alignment *alignment) {
  size_t n = alignment->graph->nodes.len;
  poly_units *u = pm_xcalloc(1, sizeof *u);
  u->alignment = alignment;
  u->of = pm_xmalloc((n + 1) * sizeof *u->of);
  u->filters = pm_xcalloc(n + 1, sizeof *u->filters);
  for (size_t i = 0; i < n; i++) u->of[i] = -1;
  return u;
}

static bool read_units(poly_units *u, pm_op *schedule) {
  pm_op *sequence = poly_child(poly_child(schedule));
  if (!sequence || !pm_is(sequence, &poly_sequence))
    return pm_op_error(schedule, "has no sequence of stages or groups below its domain, which group needs");
  PM_FOR_OPS(filter, pm_region_at(sequence, 0)) {
    int unit = add_filter(u, filter, false, -1);
    PM_VEC_PUSH(u->tops, ((poly_top){filter, unit}));
  }
  return have_bands(u) && sort_if_fixed(u);
}

/* --- as an analysis --- */

static void free_units(void *result) {
  poly_units *u = result;
  for (size_t i = 0; i < u->list.len; i++) PM_VEC_FREE(u->list.data[i].nodes);
  for (size_t i = 0; i < u->alignment->graph->nodes.len; i++) PM_VEC_FREE(u->filters[i]);
  PM_VEC_FREE(u->list);
  PM_VEC_FREE(u->tops);
  free(u->filters);
  free(u->of);
  free(u);
}

static void *find_units(pm_op *root, const void *alignment) {
  pm_op *schedule = poly_find_schedule(root);
  if (!schedule) pm_panic(root, "has no poly.schedule: passes that ask for its units want it");
  poly_units *u = empty_units(alignment);
  if (read_units(u, schedule)) return u;
  free_units(u);
  return NULL;
}

const pm_analysis_desc poly_units_analysis = {"units", find_units, free_units, NULL,
                                              &poly_alignment_analysis};
