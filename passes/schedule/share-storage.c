/* share-storage: allocations that are not alive at the same time share memory.
 *
 *   domain { alloc @a in "heap"          sequence { a; b reads a; c reads b } }
 *          { alloc @b in "heap"
 *          { alloc @c in "heap"
 *   =>
 *   domain { alloc @a in "heap" pool 0   sequence { a; b reads a; c reads b } }
 *          { alloc @b in "heap"
 *          { alloc @c in "heap" pool 0
 *
 * A whole array is alive from the first to the last child of the domain's sequence that computes or reads its
 * stage; a scratchpad the same in the sequence below its extension. Where a serial band stands between, all
 * scratchpads are alive together. The intervals are coloured in the order of their beginnings: each array
 * goes to the free memory that grows least by it, sizes being those at the estimates. Memory is the largest
 * of what shares it, whatever the parameters are.
 *
 * Whole arrays of one domain that are alive together may still be one, where each cell is free when the other
 * stage writes it, in the order of the schedule: steps of a time iteration need two arrays in turn.
 *
 *   domain { alloc @u1 in "heap"          … band "wave" { sequence { u1; u2 reads u1; u3 reads u2 } }
 *          { alloc @u2 in "heap"
 *          { alloc @u3 in "heap"
 *   =>
 *   domain { alloc @u1 in "heap" turn 0   …
 *          { alloc @u2 in "heap"
 *          { alloc @u3 in "heap" turn 0
 */
#include "dialects/isl/budget.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/check/check_turns.h"
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/graph.h"
#include "passes/options.h"

#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* isl's operations for an extent in a remark. */
enum { EXTENT_OPERATIONS = 20000 };

/* Children of a sequence, by number; first > last: in none. */
typedef struct lifetime {
  int first, last;
  int computed; /* the last that computes the stage */
} lifetime;

typedef struct array {
  pm_op *alloc;
  const stage_node *node;
  lifetime alive;
  double cells;
  size_t memory; /* where it is put */
  size_t turn;   /* of the arrays there that are one, its first one + 1; 0: it is alone */
} array;

/* What arrays share: a block for each element of their tuples. */
typedef struct memory {
  int last;      /* the end of the last array in it */
  size_t newest; /* that array, by number */
  unsigned n_blocks;
  double *blocks; /* bytes */
  size_t n_arrays;
  size_t n_apart; /* those in turn count as one */
} memory;

typedef PM_VEC(array) arrays;
typedef PM_VEC(memory) memories;

typedef struct pooling {
  pm_pass *pass;
  const stage_graph *graph;
  lifetime *alive; /* by node index, in the sequence at hand */
  arrays arrays;   /* of the node at hand */
  memories memories;
  pm_op *schedule;
  poly_occurrences *found; /* NULL: not looked for yet */
  bool ok;
  double shared, a_thread; /* bytes: of the call, and of each thread besides */
  pm_buf formula;          /* of `shared` */
  bool changed;
} pooling;

/* --- lifetimes --- */

static void touch(pooling *p, const stage_node *node, int position) {
  lifetime *alive = &p->alive[node->index];
  if (alive->first < 0) alive->first = position;
  alive->last = position;
}

/* The stage, or the update of it with that number; -1: the stage itself. */
static void touch_with_reads(pooling *p, const stage_node *node, int update, int position) {
  touch(p, node, position);
  p->alive[node->index].computed = position;
  for (size_t i = 0; i < node->reads.len; i++)
    if (node->reads.data[i]->update_index == update) touch(p, node->reads.data[i]->producer, position);
}

static void touch_instances(pooling *p, __isl_take isl_union_set *instances, int position) {
  poly_names names = {0};
  poly_stage_names(p->graph->ctx, instances, &names);
  for (size_t i = 0; i < names.len; i++) {
    size_t update;
    const stage_node *node = stage_graph_find(p->graph, names.data[i]);
    if (node) touch_with_reads(p, node, -1, position);
    if (node) continue;
    node = stage_graph_find_update(p->graph, names.data[i], &update);
    if (node) touch_with_reads(p, node, (int)update, position);
  }
  PM_VEC_FREE(names);
  isl_union_set_free(instances);
}

static void touch_child(pooling *p, pm_op *filter, int position) {
  poly_ops extensions = {0};
  touch_instances(p, isl_union_set_copy(isl_peek_union_set(pm_attr_at(filter, poly_filter_instances))),
                  position);
  poly_collect(filter, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len; i++)
    touch_instances(p, poly_instances_of(extensions.data[i]), position);
  PM_VEC_FREE(extensions);
}

static void find_lifetimes(pooling *p, const pm_op *sequence) {
  int position = 0;
  for (size_t i = 0; i < p->graph->nodes.len; i++) p->alive[i] = (lifetime){-1, -2, -1};
  PM_FOR_OPS(filter, pm_region_at(sequence, poly_sequence_children)) touch_child(p, filter, position++);
}

/* --- sizes --- */

static double whole_cells(const pooling *p, const stage_node *node) {
  isl_set *set =
      stage_at_estimates(p->graph, isl_set_copy(node->domain), pm_usual_size(pm_pass_root(p->pass)));
  double cells = 1;
  for (unsigned d = 0; d < node->n_dims; d++) cells *= stage_extent(set, d);
  isl_set_free(set);
  return cells;
}

static double box_cells(const pooling *p, const stage_node *node, const pm_op *alloc) {
  pm_attr size = pm_attr_at(alloc, poly_alloc_size);
  isl_set *set =
      stage_at_estimates(p->graph, isl_set_copy(node->domain), pm_usual_size(pm_pass_root(p->pass)));
  double cells = 1;
  for (uint32_t i = 0; i < size->len; i++)
    cells *= size->items[i]->i ? (double)size->items[i]->i : stage_extent(set, i);
  isl_set_free(set);
  return cells;
}

static double block_bytes(const array *a, unsigned block) {
  if (block >= pm_tuple_len(a->node->type)) return 0;
  return a->cells * (double)pm_element_bytes(pm_tuple_at(a->node->type, block));
}

static double array_bytes(const array *a) {
  return a->cells * (double)pm_element_bytes(a->node->type);
}

static double memory_bytes(const memory *m) {
  double bytes = 0;
  for (unsigned i = 0; i < m->n_blocks; i++) bytes += m->blocks[i];
  return bytes;
}

/* --- colouring --- */

/* By beginning; of those that begin together the largest first. */
static int by_beginning(const void *x, const void *y) {
  const array *a = x, *b = y;
  if (a->alive.first != b->alive.first) return a->alive.first < b->alive.first ? -1 : 1;
  if (array_bytes(a) != array_bytes(b)) return array_bytes(a) > array_bytes(b) ? -1 : 1;
  return (a->node->index > b->node->index) - (a->node->index < b->node->index);
}

static memory *add_memory(pooling *p) {
  unsigned most = 0;
  for (size_t i = 0; i < p->arrays.len; i++) {
    unsigned n = pm_tuple_len(p->arrays.data[i].node->type);
    if (n > most) most = n;
  }
  memory m = {.last = -1, .n_blocks = most};
  m.blocks = pm_arena_alloc(pm_pass_arena(p->pass), most * sizeof *m.blocks);
  PM_VEC_PUSH(p->memories, m);
  return &PM_VEC_LAST(p->memories);
}

static double growth(const memory *m, const array *a) {
  double bytes = 0;
  for (unsigned i = 0; i < m->n_blocks; i++)
    if (block_bytes(a, i) > m->blocks[i]) bytes += block_bytes(a, i) - m->blocks[i];
  return bytes;
}

static array *newest_of(const pooling *p, const memory *m) {
  return &p->arrays.data[m->newest];
}

/* The free memory that grows least, and of these the smallest; NULL when there is none. */
static memory *find_free(pooling *p, const array *a) {
  memory *best = NULL;
  for (size_t i = 0; i < p->memories.len; i++) {
    memory *m = &p->memories.data[i];
    bool here = poly_space_of(newest_of(p, m)->alloc) == poly_space_of(a->alloc);
    if (!here || m->last >= a->alive.first) continue;
    if (!best || growth(m, a) < growth(best, a) ||
        (growth(m, a) == growth(best, a) && memory_bytes(m) < memory_bytes(best)))
      best = m;
  }
  return best;
}

/* --- arrays in turn --- */

/* From the first call on, questions have a quota. */
static const poly_occurrences *occurrences(pooling *p) {
  if (p->found) return p->found;
  p->found = pm_arena_alloc(pm_pass_arena(p->pass), sizeof *p->found);
  p->ok = poly_find_occurrences(pm_pass_arena(p->pass), STAGE_STATEMENTS(p->pass), p->schedule,
                                POLY_COINCIDENT, p->found);
  isl_quota_open(p->graph->isl, (unsigned long)pm_opt_int(p->pass, share_storage_opt_operations));
  return p->found;
}

static void free_occurrences(pooling *p) {
  if (!p->found) return;
  if (isl_quota_close(p->graph->isl))
    pm_pass_remark(p->pass, p->graph->pipeline->loc, PM_REMARK_MISSED, NULL, 0,
                   "the search for arrays to overwrite in place is incomplete: it takes more than "
                   "%lld operations of isl",
                   (long long)pm_opt_int(p->pass, share_storage_opt_operations));
  poly_free_occurrences(p->found);
}

static bool reads(const stage_node *node, const stage_node *producer) {
  for (size_t i = 0; i < node->reads.len; i++)
    if (node->reads.data[i]->producer == producer) return true;
  return false;
}

/* Whole arrays of the same size for all parameters, the first of which the other stage does not read, nor
 * anybody when all of that is computed. */
static bool may_take_turns(const array *a, const array *b) {
  return !poly_alloc_has_box(a->alloc) && a->node->type == b->node->type && a->node->index < b->node->index &&
         a->alive.last <= b->alive.computed && !reads(b->node, a->node) &&
         poly_have_same_points(a->node, b->node);
}

/* That with the oldest newest array, of those with a younger one than `after`, which may be NULL. */
static memory *next_oldest(const pooling *p, const memory *after) {
  memory *next = NULL;
  for (size_t i = 0; i < p->memories.len; i++) {
    memory *m = &p->memories.data[i];
    unsigned index = newest_of(p, m)->node->index;
    bool behind = !after || index > newest_of(p, after)->node->index;
    if (behind && (!next || index < newest_of(p, next)->node->index)) next = m;
  }
  return next;
}

static void explain_alone(const pooling *p, const array *a, size_t tried) {
  pm_pass_remark(
      p->pass, a->node->op->loc, PM_REMARK_MISSED, (pm_remark_arg[]){{"tried", (double)tried}}, 1,
      "@%pS overwrites none of %zu arrays of its size in place: their elements are live when it is written",
      (const void *)a->node->name, tried);
}

/* The memory with the oldest array whose cells, and those of all that had them before, are free when the
 * stage writes them; NULL when there is none. */
static memory *find_turn(pooling *p, array *a) {
  size_t tried = 0;
  for (memory *m = next_oldest(p, NULL); m; m = next_oldest(p, m)) {
    array *newest = newest_of(p, m);
    if (!may_take_turns(newest, a)) continue;
    const poly_occurrences *all = occurrences(p);
    if (!p->ok) return NULL;
    tried++;
    if (!poly_may_follow(all, newest->node, a->node)) continue;
    if (!newest->turn) newest->turn = m->newest + 1;
    a->turn = newest->turn;
    return m;
  }
  if (tried && !isl_quota_is_spent(p->graph->isl)) explain_alone(p, a, tried);
  return NULL;
}

/* Free memory that is large enough, cells in turn, memory that grows by it, or new memory. */
static memory *find_memory(pooling *p, array *a) {
  memory *free = find_free(p, a);
  if (free && growth(free, a) == 0) return free;
  memory *turn = pm_opt_bool(p->pass, share_storage_opt_turn) ? find_turn(p, a) : NULL;
  if (turn) return turn;
  return free ? free : add_memory(p);
}

static void put_array(pooling *p, array *a) {
  memory *m = find_memory(p, a);
  for (unsigned i = 0; i < m->n_blocks; i++)
    if (block_bytes(a, i) > m->blocks[i]) m->blocks[i] = block_bytes(a, i);
  if (a->alive.last > m->last) m->last = a->alive.last;
  m->newest = (size_t)(a - p->arrays.data);
  m->n_arrays++;
  m->n_apart += !a->turn;
  a->memory = (size_t)(m - p->memories.data);
}

/* --- results --- */

/* The array stands for those in turn with it, if there are any. */
static bool is_head(const pooling *p, const array *a) {
  return !a->turn || a->turn == (size_t)(a - p->arrays.data) + 1;
}

static bool shares(const pooling *p, const array *a, size_t number) {
  return a->memory == number && is_head(p, a);
}

static bool takes_turn(const pooling *p, const array *a, size_t number) {
  (void)p;
  return a->turn == number;
}

/* Arrays that stand in a relation to a number, and what memory they have. */
typedef struct together {
  pm_buf names; /* `@a, @b and 3 others` */
  const array *first;
  double alone; /* bytes without sharing */
} together;

static void put_name(together *t, const array *a, size_t k, size_t n) {
  enum { NAMED = 4 };
  if (k < NAMED)
    pm_buf_printf(&t->names, "%s@%s", !k ? "" : k + 1 == n ? " and " : ", ", a->node->name->text);
  else if (k == NAMED)
    pm_buf_printf(&t->names, " and %zu other%s", n - NAMED, n - NAMED == 1 ? "" : "s");
}

static together find_together(const pooling *p, bool (*is_one)(const pooling *, const array *, size_t),
                              size_t number, size_t n) {
  together t = {0};
  size_t k = 0;
  for (size_t i = 0; i < p->arrays.len; i++) {
    const array *a = &p->arrays.data[i];
    if (!is_one(p, a, number)) continue;
    if (!t.first) t.first = a;
    t.alone += array_bytes(a);
    put_name(&t, a, k++, n);
  }
  return t;
}

static void explain_memory(const pooling *p, size_t number) {
  const memory *m = &p->memories.data[number];
  double bytes = memory_bytes(m);
  together t = find_together(p, shares, number, m->n_apart);
  pm_pass_remark(p->pass, t.first->node->op->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"bytes", bytes}, {"saved", t.alone - bytes}}, 2,
                 "%s share memory: %.0f bytes instead of %.0f", t.names.data, bytes, t.alone);
  pm_buf_free(&t.names);
}

/* Numbers the memories that arrays share. */
static void set_pools(pooling *p) {
  int64_t next = 0;
  for (size_t number = 0; number < p->memories.len; number++) {
    if (p->memories.data[number].n_apart < 2) continue;
    pm_attr pool = pm_get_index_attr(p->graph->ctx, next++);
    for (size_t i = 0; i < p->arrays.len; i++)
      if (p->arrays.data[i].memory == number) pm_set_attr(p->arrays.data[i].alloc, poly_alloc_pool, pool);
    explain_memory(p, number);
    p->changed = true;
  }
}

static size_t set_turn(pooling *p, size_t number, pm_attr turn) {
  size_t n = 0;
  for (size_t i = 0; i < p->arrays.len; i++) {
    if (p->arrays.data[i].turn != number) continue;
    pm_set_attr(p->arrays.data[i].alloc, poly_alloc_turn, turn);
    n++;
  }
  return n;
}

static void explain_turn(const pooling *p, size_t number, size_t n) {
  together t = find_together(p, takes_turn, number, n);
  double bytes = array_bytes(t.first);
  pm_pass_remark(p->pass, t.first->node->op->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"arrays", (double)n}, {"bytes", bytes}, {"saved", t.alone - bytes}}, 3,
                 "%s overwrite one array in place: %.0f bytes instead of %.0f", t.names.data, bytes, t.alone);
  pm_buf_free(&t.names);
}

/* Numbers the arrays that several stages have in turn. */
static void set_turns(pooling *p) {
  int64_t next = 0;
  for (size_t i = 0; i < p->arrays.len; i++) {
    if (p->arrays.data[i].turn != i + 1) continue;
    explain_turn(p, i + 1, set_turn(p, i + 1, pm_get_index_attr(p->graph->ctx, next++)));
    p->changed = true;
  }
}

/* --- the peak --- */

/* `(R - 2)`: the extent of a dimension of the domain; false when it is no single affine expression, or not
 * found soon. */
static bool put_extent(pm_buf *out, const pooling *p, const stage_node *node, unsigned d) {
  isl_budget_begin(p->graph->isl, EXTENT_OPERATIONS);
  isl_pw_aff *hi = isl_set_dim_max(isl_set_copy(node->domain), (int)d);
  isl_pw_aff *extent = isl_pw_aff_sub(hi, isl_set_dim_min(isl_set_copy(node->domain), (int)d));
  extent = isl_pw_aff_add_constant_val(extent, isl_val_one(p->graph->isl));
  extent = isl_pw_aff_gist_params(isl_pw_aff_coalesce(extent), isl_set_copy(p->graph->context));
  bool found = !isl_budget_end(p->graph->isl);
  char *text = found && extent && isl_pw_aff_n_piece(extent) == 1 ? isl_pw_aff_to_str(extent) : NULL;
  const char *begin = text ? strstr(text, "[(") : NULL, *end = begin ? strstr(begin, ")]") : NULL;
  if (end) pm_buf_printf(out, "%.*s", (int)(end + 1 - begin - 1), begin + 1);
  free(text);
  isl_pw_aff_free(extent);
  return end != NULL;
}

/* `4*(R)*(C)` */
static void put_size(pm_buf *out, const pooling *p, const array *a) {
  pm_buf_printf(out, "%zu", pm_element_bytes(a->node->type));
  for (unsigned d = 0; d < a->node->n_dims; d++) {
    pm_buf_putc(out, '*');
    if (!put_extent(out, p, a->node, d)) pm_buf_printf(out, "extent(@%s, %u)", a->node->name->text, d);
  }
}

/* A memory as a term of the formula: the size of its array, or the greatest of the different ones. */
static void put_memory(pooling *p, size_t number) {
  pm_buf terms = {0}, one = {0};
  pm_map *seen = pm_map_new();
  size_t n = 0;
  for (size_t i = 0; i < p->arrays.len; i++) {
    if (p->arrays.data[i].memory != number) continue;
    one.len = 0;
    put_size(&one, p, &p->arrays.data[i]);
    pm_string term = pm_get_string(p->graph->ctx, (pm_str){one.data, one.len});
    if (pm_map_has(seen, term)) continue;
    pm_map_set(seen, term, NULL);
    pm_buf_printf(&terms, "%s%s", n++ ? ", " : "", one.data);
  }
  pm_buf_printf(&p->formula, "%s%s%s%s", p->formula.len ? " + " : "", n > 1 ? "max(" : "", terms.data,
                n > 1 ? ")" : "");
  pm_map_free(seen);
  pm_buf_free(&terms);
  pm_buf_free(&one);
}

static double total_bytes(const pooling *p) {
  double bytes = 0;
  for (size_t i = 0; i < p->memories.len; i++) bytes += memory_bytes(&p->memories.data[i]);
  return bytes;
}

static void explain_peak(const pooling *p) {
  pm_buf text = {0};
  if (p->formula.len) pm_buf_printf(&text, "%.0f bytes at the estimates, %s", p->shared, p->formula.data);
  if (p->a_thread > 0 || !text.len)
    pm_buf_printf(&text, "%s%.0f bytes for each thread", text.len ? ", and " : "", p->a_thread);
  pm_pass_remark(p->pass, p->graph->pipeline->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"bytes", p->shared}, {"bytes a thread", p->a_thread}}, 2,
                 "intermediates take %s", text.data);
  pm_buf_free(&text);
}

/* --- nodes with allocations --- */

/* The sequence whose children are what is alive one after the other; NULL when there is none. */
static pm_op *sequence_below(const pm_op *node) {
  pm_op *child = poly_child(node);
  if (pm_is(child, &poly_extension)) child = poly_child(child);
  return pm_is(child, &poly_sequence) ? child : NULL;
}

static void collect_arrays(pooling *p, const pm_op *node, bool ordered) {
  p->arrays.len = p->memories.len = 0;
  PM_FOR_OPS(op, pm_region_at(node, 0)) {
    const stage_node *stage =
        pm_is(op, &poly_alloc) ? stage_graph_find(p->graph, pm_sym_at(op, poly_alloc_stage)) : NULL;
    if (!stage || poly_alloc_is_output(op)) continue;
    lifetime all = {0, 0, 0};
    array a = {.alloc = op, .node = stage, .alive = ordered ? p->alive[stage->index] : all};
    a.cells = poly_alloc_has_box(op) ? box_cells(p, stage, op) : whole_cells(p, stage);
    PM_VEC_PUSH(p->arrays, a);
  }
}

/* Shares the memory of the allocations in the node; true when there are any. */
static bool pool_node(pooling *p, const pm_op *node) {
  pm_op *sequence = sequence_below(node);
  if (sequence) find_lifetimes(p, sequence);
  collect_arrays(p, node, sequence != NULL);
  if (!p->arrays.len) return false;
  qsort(p->arrays.data, p->arrays.len, sizeof *p->arrays.data, by_beginning);
  for (size_t i = 0; i < p->arrays.len; i++) put_array(p, &p->arrays.data[i]);
  set_turns(p);
  set_pools(p);
  return true;
}

static void pool_arrays(pooling *p, const pm_op *domain) {
  if (!pool_node(p, domain)) return;
  p->shared = total_bytes(p);
  for (size_t i = 0; i < p->memories.len && pm_wants_remarks(p->graph->ctx); i++) put_memory(p, i);
}

static void pool_scratchpads(pooling *p, const pm_op *node) {
  if (pool_node(p, node) && total_bytes(p) > p->a_thread) p->a_thread = total_bytes(p);
}

pm_result pass_share_storage(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  pooling p = {.pass = pass, .graph = graph, .schedule = schedule, .ok = true};
  p.alive = pm_arena_alloc(pm_pass_arena(pass), graph->nodes.len * sizeof *p.alive);
  pool_arrays(&p, poly_child(schedule));
  poly_ops extensions = {0};
  poly_collect(schedule, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len; i++) pool_scratchpads(&p, pm_parent(extensions.data[i]));
  explain_peak(&p);
  free_occurrences(&p);
  PM_VEC_FREE(extensions);
  PM_VEC_FREE(p.arrays);
  PM_VEC_FREE(p.memories);
  pm_buf_free(&p.formula);
  return !p.ok ? PM_FAILED : p.changed ? PM_CHANGED : PM_UNCHANGED;
}
