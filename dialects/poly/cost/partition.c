#include "dialects/poly/cost/partition.h"
#include "dialects/poly/cost/bitsets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The group ahead with which a group gains most, if it gains. */
typedef struct partner {
  bool known;
  unsigned stage; /* the first of that group */
  double gain;
} partner;

/* What a round takes for a single stage: a stage, or a group of the round before. */
typedef struct node {
  poly_indices stages; /* ascending */
  partner partner;
  poly_indices producers, readers;
  uint64_t *ancestors; /* nodes that it depends on */
} node;

/* A set of nodes whose groups are closed, with the cheapest way to it that is known. */
typedef struct reached {
  double cost;
  size_t from;        /* the set before the last group */
  poly_indices group; /* that last group */
} reached;

/* What the problem says of a group, whatever is closed. */
typedef struct verdict {
  double cost;
  bool legal;
} verdict;

/* The open group: its nodes with those of the set that is being continued are a set of the table `grown`. */
typedef struct open_group {
  poly_indices nodes;
  verdict verdict;
} open_group;

typedef struct ranked {
  double cost;
  size_t number; /* in `known` */
} ranked;

typedef struct search {
  const poly_partition_problem *p;
  unsigned n;
  node *nodes;
  uint64_t states, stop; /* explored; and when to */
  bool cut;              /* there were more */
  poly_bit_table known;
  PM_VEC(reached) reached; /* by number in `known` */
  PM_VEC(size_t) *by_size; /* numbers in `known`, by how many nodes they have */
  poly_bit_table grown;
  PM_VEC(open_group) open; /* by number in `grown` */
  poly_bit_table judged;   /* groups that were asked for */
  PM_VEC(verdict) verdicts;
  poly_indices seeds;          /* nodes that can start a group now */
  uint64_t *bits, *group_bits; /* scratch */
} search;

static int ascending(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

static void append(poly_indices *list, const poly_indices *more) {
  for (size_t i = 0; i < more->len; i++) PM_VEC_PUSH(*list, more->data[i]);
}

static void sort(poly_indices *list) {
  if (list->len > 1) qsort(list->data, list->len, sizeof *list->data, ascending);
}

static bool holds(const poly_indices *list, unsigned item) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == item) return true;
  return false;
}

static void push_once(poly_indices *list, unsigned item) {
  if (!holds(list, item)) PM_VEC_PUSH(*list, item);
}

/* --- the graph of a round --- */

static node *new_nodes(unsigned n) {
  node *nodes = pm_xcalloc(n ? n : 1, sizeof *nodes);
  for (unsigned i = 0; i < n; i++) nodes[i].ancestors = pm_xcalloc(n / 64 + 1, sizeof(uint64_t));
  return nodes;
}

static void free_nodes(node *nodes, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    PM_VEC_FREE(nodes[i].stages);
    PM_VEC_FREE(nodes[i].producers);
    PM_VEC_FREE(nodes[i].readers);
    free(nodes[i].ancestors);
  }
  free(nodes);
}

/* Producers have smaller numbers, so that their ancestors are known. */
static void find_ancestors(node *nodes, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    for (size_t k = 0; k < nodes[i].producers.len; k++) {
      unsigned producer = nodes[i].producers.data[k];
      poly_set_bit(nodes[i].ancestors, producer);
      for (size_t w = 0; w < n / 64 + 1; w++) nodes[i].ancestors[w] |= nodes[producer].ancestors[w];
    }
}

/* Of stages whose nodes are numbered: edges between different nodes. */
static void connect(const poly_partition_problem *p, node *nodes, unsigned n) {
  unsigned *node_of = pm_xcalloc(p->n ? p->n : 1, sizeof *node_of);
  for (unsigned i = 0; i < n; i++)
    for (size_t k = 0; k < nodes[i].stages.len; k++) node_of[nodes[i].stages.data[k]] = i;
  for (unsigned stage = 0; stage < p->n; stage++)
    for (size_t k = 0; k < p->readers[stage].len; k++) {
      unsigned from = node_of[stage], to = node_of[p->readers[stage].data[k]];
      if (from == to) continue;
      push_once(&nodes[from].readers, to);
      push_once(&nodes[to].producers, from);
    }
  free(node_of);
  find_ancestors(nodes, n);
}

static verdict judge_stages(const search *s, const poly_indices *group) {
  poly_indices stages = {0};
  for (size_t i = 0; i < group->len; i++) append(&stages, &s->nodes[group->data[i]].stages);
  sort(&stages);
  verdict v = {.cost = HUGE_VAL};
  v.legal = s->p->judge(s->p->user, stages.data, stages.len, &v.cost);
  PM_VEC_FREE(stages);
  return v;
}

/* Each group is judged once. */
static verdict judge(search *s, const poly_indices *group) {
  bool added;
  memset(s->group_bits, 0, s->judged.n_words * sizeof *s->group_bits);
  for (size_t i = 0; i < group->len; i++) poly_set_bit(s->group_bits, group->data[i]);
  size_t number = poly_bit_table_add(&s->judged, s->group_bits, &added);
  if (added) PM_VEC_PUSH(s->verdicts, judge_stages(s, group));
  return s->verdicts.data[number];
}

/* --- growing groups from one closed set --- */

static bool is_ready(const search *s, const uint64_t *set, unsigned v) {
  const poly_indices *readers = &s->nodes[v].readers;
  for (size_t i = 0; i < readers->len; i++)
    if (!poly_bit(set, readers->data[i])) return false;
  return !poly_bit(set, v);
}

static void find_seeds(search *s, const uint64_t *set) {
  s->seeds.len = 0;
  for (unsigned v = s->n; v-- > 0;)
    if (is_ready(s, set, v)) PM_VEC_PUSH(s->seeds, v);
}

/* The open group `number` with v, as a state; NULL as number: v alone. `s->bits` has the nodes without v. One
 * state is made whatever the budget is. */
static void add_state(search *s, const size_t *number, unsigned v) {
  bool added;
  s->cut = s->cut || (s->states >= s->stop && s->open.len);
  if (s->cut) return;
  poly_set_bit(s->bits, v);
  poly_bit_table_add(&s->grown, s->bits, &added);
  s->bits[v / 64] &= ~(UINT64_C(1) << (v % 64));
  if (!added) return;
  s->states++;
  open_group group = {0};
  if (number) append(&group.nodes, &s->open.data[*number].nodes);
  PM_VEC_PUSH(group.nodes, v);
  group.verdict = judge(s, &group.nodes);
  PM_VEC_PUSH(s->open, group);
}

/* The two may be connected by a producer of both, which is in no group yet. */
static bool shares_ancestor(const search *s, const poly_indices *group, unsigned v) {
  for (size_t i = 0; i < group->len; i++)
    if (poly_bits_meet(s->nodes[group->data[i]].ancestors, s->nodes[v].ancestors, s->grown.n_words))
      return true;
  return false;
}

static void extend(search *s, size_t number) {
  poly_indices nodes = s->open.data[number].nodes;
  memcpy(s->bits, poly_bit_table_at(&s->grown, number), s->grown.n_words * sizeof *s->bits);
  for (size_t i = 0; i < nodes.len; i++) {
    const poly_indices *producers = &s->nodes[nodes.data[i]].producers;
    for (size_t k = 0; k < producers->len; k++)
      if (is_ready(s, s->bits, producers->data[k])) add_state(s, &number, producers->data[k]);
  }
  for (size_t i = 0; i < s->seeds.len; i++) {
    unsigned v = s->seeds.data[i];
    if (!poly_bit(s->bits, v) && shares_ancestor(s, &nodes, v)) add_state(s, &number, v);
  }
}

static bool is_connected(const search *s, const poly_indices *group) {
  poly_indices found = {0};
  PM_VEC_PUSH(found, group->data[0]);
  for (size_t i = 0; i < found.len && found.len < group->len; i++)
    for (size_t k = 0; k < group->len; k++) {
      const node *a = &s->nodes[found.data[i]];
      unsigned b = group->data[k];
      if (holds(&a->producers, b) || holds(&a->readers, b)) push_once(&found, b);
    }
  bool all = found.len == group->len;
  PM_VEC_FREE(found);
  return all;
}

static size_t count_bits(const uint64_t *set, size_t n_words) {
  size_t n = 0;
  for (size_t i = 0; i < n_words; i++)
    for (uint64_t word = set[i]; word; word &= word - 1) n++;
  return n;
}

/* A way to the set `bits`: by the group (copied) after set number `from`. Returns the number of the set. */
static size_t relax(search *s, const uint64_t *bits, size_t from, const poly_indices *group, double cost) {
  bool added;
  size_t number = poly_bit_table_add(&s->known, bits, &added);
  if (added) {
    PM_VEC_PUSH(s->reached, ((reached){.cost = HUGE_VAL}));
    PM_VEC_PUSH(s->by_size[count_bits(bits, s->known.n_words)], number);
  }
  reached *r = &s->reached.data[number];
  if (cost >= r->cost) return number;
  r->cost = cost;
  r->from = from;
  r->group.len = 0;
  append(&r->group, group);
  return number;
}

static void close_groups(search *s) {
  for (size_t i = 0; i < s->open.len; i++) PM_VEC_FREE(s->open.data[i].nodes);
  s->open.len = 0;
  poly_bit_table_clear(&s->grown);
}

/* All groups that may follow the set. */
static void follow(search *s, size_t from) {
  size_t bytes = s->known.n_words * sizeof *s->bits;
  memcpy(s->bits, poly_bit_table_at(&s->known, from), bytes);
  find_seeds(s, s->bits);
  for (size_t i = 0; i < s->seeds.len; i++) add_state(s, NULL, s->seeds.data[i]);
  for (size_t i = 0; i < s->open.len; i++) {
    open_group group = s->open.data[i];
    if (!group.verdict.legal) continue;
    if (group.verdict.cost < HUGE_VAL && is_connected(s, &group.nodes))
      relax(s, poly_bit_table_at(&s->grown, i), from, &group.nodes,
            s->reached.data[from].cost + group.verdict.cost);
    if (group.nodes.len < s->p->limit) extend(s, i);
  }
  close_groups(s);
}

/* --- rounds --- */

static void open_search(search *s, const poly_partition_problem *p, node *nodes, unsigned n) {
  size_t n_words = n / 64 + 1;
  *s = (search){.p = p, .n = n, .nodes = nodes, .known = {.n_words = n_words}, .grown = {.n_words = n_words}};
  s->judged.n_words = n_words;
  s->by_size = pm_xcalloc(n + 1, sizeof *s->by_size);
  s->bits = pm_xcalloc(n_words, sizeof *s->bits);
  s->group_bits = pm_xcalloc(n_words, sizeof *s->group_bits);
  relax(s, s->bits, 0, &(poly_indices){0}, 0);
}

static void close_search(search *s) {
  for (size_t i = 0; i < s->reached.len; i++) PM_VEC_FREE(s->reached.data[i].group);
  for (unsigned i = 0; i <= s->n; i++) PM_VEC_FREE(s->by_size[i]);
  free(s->by_size);
  free(s->bits);
  free(s->group_bits);
  PM_VEC_FREE(s->reached);
  PM_VEC_FREE(s->verdicts);
  PM_VEC_FREE(s->open);
  PM_VEC_FREE(s->seeds);
  poly_bit_table_free(&s->known);
  poly_bit_table_free(&s->grown);
  poly_bit_table_free(&s->judged);
}

/* Cheapest first, then as they were found. */
static int by_cost(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->cost != y->cost) return x->cost > y->cost ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Continues the sets of one size, the cheapest first, as long as there are states; one at least. */
static void follow_size(search *s, unsigned size) {
  PM_VEC(ranked) sets = {0};
  for (size_t i = 0; i < s->by_size[size].len; i++) {
    size_t number = s->by_size[size].data[i];
    PM_VEC_PUSH(sets, ((ranked){s->reached.data[number].cost, number}));
  }
  qsort(sets.data, sets.len, sizeof *sets.data, by_cost);
  bool cut = false;
  for (size_t i = 0; i < sets.len && !cut; i++) {
    s->cut = false;
    follow(s, sets.data[i].number);
    cut = s->cut || (s->states >= s->stop && i + 1 < sets.len);
  }
  s->cut = cut;
  PM_VEC_FREE(sets);
}

/* Smaller sets first: when a set is continued, its cost is the least. True when nothing was left out.
 * `shared`: each size has its share of the budget, and may leave out some; else what is left out ends the
 * search. */
static bool follow_all(search *s, bool shared) {
  bool all = true;
  s->states = 0;
  s->stop = s->p->budget;
  for (unsigned size = 0; size < s->n && (all || shared); size++) {
    uint64_t left = s->p->budget > s->states ? s->p->budget - s->states : 0;
    if (shared) s->stop = s->states + left / (s->n - size);
    follow_size(s, size);
    all = all && !s->cut;
  }
  return all;
}

/* The groups that lead to the set, the last one, which has the first producers, first: nodes of the next
 * round. */
static node *take_groups(const search *s, size_t last, unsigned *n) {
  *n = 0;
  for (size_t at = last; at; at = s->reached.data[at].from) ++*n;
  node *nodes = new_nodes(*n);
  unsigned i = 0;
  for (size_t at = last; at; at = s->reached.data[at].from, i++) {
    const poly_indices *group = &s->reached.data[at].group;
    for (size_t k = 0; k < group->len; k++) append(&nodes[i].stages, &s->nodes[group->data[k]].stages);
    sort(&nodes[i].stages);
  }
  connect(s->p, nodes, *n);
  return nodes;
}

/* The number of the set of all nodes, which has the groups. */
static size_t find_least(search *s, poly_partition *out) {
  bool all = follow_all(s, false);
  out->states += s->states;
  if (!all) {
    out->exhausted = true;
    follow_all(s, true);
    out->states += s->states;
  }
  return s->by_size[s->n].data[0];
}

/* Replaces the nodes by the groups of the cheapest partition into groups of at most `limit` nodes. */
static void run_round(const poly_partition_problem *p, node **nodes, unsigned *n, poly_partition *out) {
  search s;
  unsigned n_groups;
  open_search(&s, p, *nodes, *n);
  size_t last = find_least(&s, out);
  out->judged += s.verdicts.len;
  node *groups = take_groups(&s, last, &n_groups);
  out->cost = s.reached.data[last].cost;
  out->rounds++;
  close_search(&s);
  free_nodes(*nodes, *n);
  *nodes = groups;
  *n = n_groups;
}

/* --- groups that read the same --- */

typedef struct joining {
  const poly_partition_problem *p;
  poly_partition *out;
  node *nodes;
  unsigned n;
  unsigned *node_of;     /* by stage */
  unsigned *seen;        /* by node: the last one, counted from 1, that was compared with it */
  poly_bit_table groups; /* of stages, that were judged */
  PM_VEC(double) costs;  /* of these */
  uint64_t *bits;        /* scratch */
} joining;

/* Of a group, or of two as one (b); each is judged once. */
static double cost_of(joining *j, const node *a, const node *b) {
  poly_indices stages = {0};
  bool added;
  append(&stages, &a->stages);
  if (b) append(&stages, &b->stages);
  memset(j->bits, 0, j->groups.n_words * sizeof *j->bits);
  for (size_t i = 0; i < stages.len; i++) poly_set_bit(j->bits, stages.data[i]);
  size_t number = poly_bit_table_add(&j->groups, j->bits, &added);
  if (added) {
    double cost = HUGE_VAL;
    sort(&stages);
    bool legal = (!b || stages.len <= j->p->limit) && j->p->judge(j->p->user, stages.data, stages.len, &cost);
    PM_VEC_PUSH(j->costs, legal ? cost : HUGE_VAL);
    j->out->judged++;
  }
  PM_VEC_FREE(stages);
  return j->costs.data[number];
}

/* Finds the partner of node b ahead of it, on which it does not depend, with which it gains most: of several
 * the first. */
static void find_partner(joining *j, unsigned b) {
  node *second = &j->nodes[b];
  second->partner = (partner){.known = true};
  for (size_t i = 0; i < second->stages.len; i++) {
    const poly_indices *related = &j->p->related[second->stages.data[i]];
    for (size_t k = 0; k < related->len; k++) {
      unsigned a = j->node_of[related->data[k]];
      if (a >= b || j->seen[a] == b + 1 || poly_bit(second->ancestors, a)) continue;
      j->seen[a] = b + 1;
      node *first = &j->nodes[a];
      double gain = cost_of(j, first, NULL) + cost_of(j, second, NULL) - cost_of(j, first, second);
      bool first_of_equal = gain == second->partner.gain && gain > 0 && a < j->node_of[second->partner.stage];
      if (gain > second->partner.gain || first_of_equal)
        second->partner = (partner){true, first->stages.data[0], gain};
    }
  }
}

static bool has_partner(const joining *j, unsigned b) {
  const node *second = &j->nodes[b];
  if (!second->partner.known) return false;
  return second->partner.gain <= 0 || !poly_bit(second->ancestors, j->node_of[second->partner.stage]);
}

/* The second of the two groups that gain most; 0: none do. */
static unsigned find_joint(joining *j) {
  unsigned best = 0;
  memset(j->seen, 0, j->n * sizeof *j->seen);
  for (unsigned i = 0; i < j->n; i++)
    for (size_t k = 0; k < j->nodes[i].stages.len; k++) j->node_of[j->nodes[i].stages.data[k]] = i;
  for (unsigned b = 1; b < j->n; b++) {
    if (!has_partner(j, b)) find_partner(j, b);
    if (j->nodes[b].partner.gain > (best ? j->nodes[best].partner.gain : 0)) best = b;
  }
  return best;
}

/* Takes the stages of the other, and its partner. */
static void move(node *to, node *from) {
  to->stages = from->stages;
  to->partner = from->partner;
  from->stages = (poly_indices){0};
}

/* Partners that are no longer the best ones are forgotten: of groups that are related to the joint one, and
 * of all whose order has changed. */
static void forget_partners(joining *j, unsigned joint, unsigned a_stage, unsigned b_stage, bool moved) {
  for (unsigned i = 0; i < j->n; i++) {
    partner *of = &j->nodes[i].partner;
    if (moved || (of->gain > 0 && (of->stage == a_stage || of->stage == b_stage))) of->known = false;
    for (size_t k = 0; k < j->nodes[i].stages.len; k++) j->node_of[j->nodes[i].stages.data[k]] = i;
  }
  const poly_indices *stages = &j->nodes[joint].stages;
  j->nodes[joint].partner.known = false;
  for (size_t i = 0; i < stages->len; i++) {
    const poly_indices *related = &j->p->related[stages->data[i]];
    for (size_t k = 0; k < related->len; k++) j->nodes[j->node_of[related->data[k]]].partner.known = false;
  }
}

/* Makes b and its partner one group. What stands between them and depends on the first comes behind it. */
static void join_two(joining *j, unsigned b) {
  unsigned a = j->node_of[j->nodes[b].partner.stage], at = 0, joint;
  unsigned a_stage = j->nodes[a].stages.data[0], b_stage = j->nodes[b].stages.data[0];
  node *all = new_nodes(j->n - 1);
  bool moved = false;
  for (unsigned i = 0; i < b; i++)
    if (i != a && !poly_bit(j->nodes[i].ancestors, a)) move(&all[at++], &j->nodes[i]);
  joint = at;
  append(&all[at].stages, &j->nodes[a].stages);
  append(&all[at].stages, &j->nodes[b].stages);
  sort(&all[at++].stages);
  for (unsigned i = a + 1; i < j->n; i++) {
    if (i == b || !j->nodes[i].stages.len) continue;
    moved = moved || i < b;
    move(&all[at++], &j->nodes[i]);
  }
  free_nodes(j->nodes, j->n);
  j->nodes = all;
  connect(j->p, all, --j->n);
  forget_partners(j, joint, a_stage, b_stage, moved);
}

static bool are_any_related(const poly_partition_problem *p) {
  bool any = false;
  for (unsigned i = 0; i < p->n && p->related; i++) any = any || p->related[i].len;
  return any;
}

static void join_related(const poly_partition_problem *p, node **nodes, unsigned *n, poly_partition *out) {
  joining j = {.p = p, .out = out, .nodes = *nodes, .n = *n, .groups = {.n_words = p->n / 64 + 1}};
  j.node_of = pm_xcalloc(p->n + 1, sizeof *j.node_of);
  j.seen = pm_xcalloc(p->n + 1, sizeof *j.seen);
  j.bits = pm_xcalloc(j.groups.n_words, sizeof *j.bits);
  for (unsigned b; (b = find_joint(&j)) != 0;) {
    out->cost -= j.nodes[b].partner.gain;
    join_two(&j, b);
  }
  poly_bit_table_free(&j.groups);
  PM_VEC_FREE(j.costs);
  free(j.node_of);
  free(j.seen);
  free(j.bits);
  *nodes = j.nodes;
  *n = j.n;
}

void poly_partition_find(const poly_partition_problem *p, poly_partition *out) {
  *out = (poly_partition){0};
  unsigned n = p->n, before;
  node *nodes = new_nodes(n);
  for (unsigned i = 0; i < n; i++) PM_VEC_PUSH(nodes[i].stages, i);
  connect(p, nodes, n);
  do {
    before = n;
    run_round(p, &nodes, &n, out);
  } while (n < before && (before > p->limit || out->exhausted));
  if (are_any_related(p)) join_related(p, &nodes, &n, out);
  for (unsigned i = 0; i < n; i++) {
    PM_VEC_PUSH(out->groups, nodes[i].stages);
    nodes[i].stages = (poly_indices){0};
  }
  free_nodes(nodes, n);
}

void poly_partition_free(poly_partition *partition) {
  for (size_t i = 0; i < partition->groups.len; i++) PM_VEC_FREE(partition->groups.data[i]);
  PM_VEC_FREE(partition->groups);
}
