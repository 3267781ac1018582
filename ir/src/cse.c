/* Equal ops: merged into the one that dominates the others. */
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

/* An op that others may be merged into, in a chain of its bucket; later ones come first in the chain. */
typedef struct known_op {
  pm_op *op;
  uint64_t hash;
  uint64_t epoch;  /* equal epochs mean the same region, and nothing between that may write any memory */
  uint64_t stores; /* to the memory that it reads: the number of the last one */
  size_t next;     /* number of the next one in the chain + 1, 0 at the end */
} known_op;

/* A region being visited. */
typedef struct scope {
  pm_op *op;
  unsigned region;
  pm_op *next;  /* to visit */
  size_t mark;  /* known ops from outside */
  size_t floor; /* known ops before this one are not seen: they stand outside an isolated op */
  uint64_t epoch;
} scope;

typedef struct cse {
  PM_VEC(known_op) known;
  size_t *buckets; /* n_buckets of them, a power of two */
  size_t n_buckets;
  PM_VEC(scope) scopes;
  pm_map *writers; /* ops that write memory or hold one that does */
  pm_map *
      stores; /* the op that makes an array, or several that share memory -> number of the last store to it */
  bool any_overlap; /* unregistered ops may give arrays that are parts of others */
  uint64_t n_epochs;
  pm_merged_ops merged;
} cse;

static pm_walk mark_writer(void *user, pm_op *op) {
  cse *c = user;
  if (pm_has_trait(op, PM_WRITES)) pm_map_set(c->writers, op, op);
  if (pm_map_has(c->writers, op) && pm_parent(op)) pm_map_set(c->writers, pm_parent(op), op);
  return PM_WALK_ON;
}

/* What makes the one array that the op accesses, or writes; NULL when these may be several. Arrays of
 * different ops do not overlap. */
static const pm_op *memory_of(const cse *c, const pm_op *op, bool written) {
  const pm_op *memory = NULL;
  for (unsigned i = 0; i < op->n_operands && !c->any_overlap; i++) {
    if (!pm_is_memref(pm_arg(op, i)->type) || (written && !pm_writes_operand(op, i))) continue;
    if (memory || pm_is_arg(pm_arg(op, i))) return NULL;
    memory = pm_def(pm_arg(op, i));
  }
  return memory;
}

static uint64_t stores_to(const cse *c, const pm_op *load) {
  const pm_op *memory = pm_has_trait(load, PM_READS) ? memory_of(c, load, false) : NULL;
  return memory ? (uint64_t)(uintptr_t)pm_map_get(c->stores, memory) : 0;
}

/* Memory may have changed: one, or any. */
static void note_store(cse *c, scope *in, const pm_op *store) {
  const pm_op *memory = memory_of(c, store, true);
  ++c->n_epochs;
  if (memory)
    pm_map_set(c->stores, memory, (void *)(uintptr_t)c->n_epochs);
  else
    in->epoch = c->n_epochs;
}

/* --- equality --- */

static uint64_t hash_operands(const pm_op *op, uint64_t seed) {
  uint64_t sum = 0;
  unsigned i = 0;
  for (; pm_has_trait(op, PM_COMMUTES) && i < 2 && i < op->n_operands; i++)
    sum += pm_hash_bytes(&pm_operands(op)[i].value, sizeof(pm_value *), seed);
  for (; i < op->n_operands; i++)
    sum = pm_hash_bytes(&pm_operands(op)[i].value, sizeof(pm_value *), seed + sum);
  return sum;
}

static uint64_t hash_op(const pm_op *op) {
  uint64_t hash = pm_hash_bytes(&op->desc, sizeof op->desc, op->n_operands);
  hash = hash_operands(op, hash);
  if (op->desc->n_attrs) hash = pm_hash_bytes(pm_attrs(op), op->desc->n_attrs * sizeof *pm_attrs(op), hash);
  return pm_hash_bytes(&pm_res(op, 0)->type, sizeof(pm_type), hash);
}

static bool same_operands(const pm_op *a, const pm_op *b) {
  if (a->n_operands != b->n_operands) return false;
  unsigned from = 0;
  if (pm_has_trait(a, PM_COMMUTES) && a->n_operands >= 2) {
    bool crossed = pm_arg(a, 0) == pm_arg(b, 1) && pm_arg(a, 1) == pm_arg(b, 0);
    from = crossed ? 2 : 0;
  }
  for (unsigned i = from; i < a->n_operands; i++)
    if (pm_arg(a, i) != pm_arg(b, i)) return false;
  return true;
}

static bool same_results(const pm_op *a, const pm_op *b) {
  if (a->n_results != b->n_results) return false;
  for (unsigned i = 0; i < a->n_results; i++)
    if (pm_res(a, i)->type != pm_res(b, i)->type) return false;
  return true;
}

static bool same_op(const pm_op *a, const pm_op *b) {
  if (a->desc != b->desc || pm_extra(a) != pm_extra(b) || !same_operands(a, b) || !same_results(a, b))
    return false;
  for (unsigned i = 0; i < a->desc->n_attrs; i++)
    if (pm_attr_at(a, i) != pm_attr_at(b, i)) return false;
  return true;
}

/* --- the table --- */

static void chain(cse *c, size_t i) {
  size_t *bucket = &c->buckets[c->known.data[i].hash & (c->n_buckets - 1)];
  c->known.data[i].next = *bucket;
  *bucket = i + 1;
}

static void grow_table(cse *c) {
  free(c->buckets);
  c->n_buckets = c->n_buckets ? c->n_buckets * 2 : 64;
  c->buckets = pm_xcalloc(c->n_buckets, sizeof *c->buckets);
  for (size_t i = 0; i < c->known.len; i++) chain(c, i);
}

static void add_known(cse *c, pm_op *op, uint64_t hash) {
  known_op entry = {op, hash, PM_VEC_LAST(c->scopes).epoch, stores_to(c, op), 0};
  PM_VEC_PUSH(c->known, entry);
  if (c->known.len > c->n_buckets)
    grow_table(c);
  else
    chain(c, c->known.len - 1);
}

static pm_op *find_known(const cse *c, const pm_op *op, uint64_t hash) {
  const scope *in = &PM_VEC_LAST(c->scopes);
  bool reads = pm_has_trait(op, PM_READS);
  uint64_t stores = stores_to(c, op);
  if (!c->n_buckets) return NULL;
  for (size_t i = c->buckets[hash & (c->n_buckets - 1)]; i > in->floor; i = c->known.data[i - 1].next) {
    const known_op *entry = &c->known.data[i - 1];
    if (entry->hash != hash || (reads && (entry->epoch != in->epoch || entry->stores != stores))) continue;
    if (same_op(entry->op, op)) return entry->op;
  }
  return NULL;
}

/* Newest first, which is the order of the chains. */
static void forget_down_to(cse *c, size_t mark) {
  while (c->known.len > mark) {
    known_op entry = PM_VEC_POP(c->known);
    c->buckets[entry.hash & (c->n_buckets - 1)] = entry.next;
  }
}

/* --- visiting --- */

static void merge_into(pm_op *kept, pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++) {
    if (!pm_res(kept, i)->name) pm_res(kept, i)->name = pm_res(op, i)->name;
    pm_replace_uses(pm_res(op, i), pm_res(kept, i));
  }
  pm_op_erase(op);
}

static bool may_merge(const pm_op *op) {
  return op->n_regions == 0 && op->n_results > 0 && pm_has_trait(op, PM_PURE | PM_READS) &&
         !pm_has_trait(op, PM_WRITES | PM_ALLOCATES | PM_SYMBOL);
}

static void visit_op(cse *c, pm_op *op) {
  uint64_t hash = hash_op(op);
  pm_op *kept = find_known(c, op, hash);
  if (!kept) {
    add_known(c, op, hash);
    return;
  }
  if (!pm_may_rewrite(op, "merged with an equal op")) return;
  ++*(pm_has_trait(op, PM_READS) ? &c->merged.loads : &c->merged.pure);
  merge_into(kept, op);
}

static void enter_region(cse *c, pm_op *op, unsigned region) {
  size_t floor = c->scopes.len ? PM_VEC_LAST(c->scopes).floor : 0;
  if (pm_has_trait(op, PM_ISOLATED)) floor = c->known.len;
  scope in = {op, region, pm_region_at(op, region)->first, c->known.len, floor, ++c->n_epochs};
  PM_VEC_PUSH(c->scopes, in);
}

/* On to the op's next region, or back to the region around it, where what was written inside is now seen. */
static void leave_region(cse *c) {
  scope done = PM_VEC_POP(c->scopes);
  forget_down_to(c, done.mark);
  if (done.region + 1 < done.op->n_regions)
    enter_region(c, done.op, done.region + 1);
  else if (c->scopes.len && pm_map_has(c->writers, done.op))
    PM_VEC_LAST(c->scopes).epoch = ++c->n_epochs;
}

static void visit_next(cse *c) {
  scope *in = &PM_VEC_LAST(c->scopes);
  pm_op *op = in->next;
  in->next = op->next;
  if (op->n_regions)
    enter_region(c, op, 0);
  else if (pm_has_trait(op, PM_WRITES))
    note_store(c, in, op);
  else if (may_merge(op))
    visit_op(c, op);
}

static void visit_below(cse *c, pm_op *root) {
  if (!root->n_regions) return;
  enter_region(c, root, 0);
  while (c->scopes.len) {
    if (PM_VEC_LAST(c->scopes).next)
      visit_next(c);
    else
      leave_region(c);
  }
}

pm_merged_ops pm_merge_equal_ops(pm_op *root) {
  cse c = {.writers = pm_map_new(),
           .stores = pm_map_new(),
           .any_overlap = pm_has_unregistered(pm_op_context(root))};
  pm_walk_post(root, mark_writer, &c);
  visit_below(&c, root);
  PM_VEC_FREE(c.known);
  PM_VEC_FREE(c.scopes);
  free(c.buckets);
  pm_map_free(c.writers);
  pm_map_free(c.stores);
  return c.merged;
}
