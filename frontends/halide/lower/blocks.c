/* Groups of work-items: what loops of blocks and of threads say of tiles, of items, and of what is computed
 * in them. Such loops are where the target has groups. */
#include "frontends/halide/lower/lower.h"
#include "frontends/halide/lower/placing.h"

#include <string.h>

enum { MOST_ITEMS = 1024 }; /* of a group: devices have no more */

/* --- nests --- */

/* The innermost loop of the kind, as a number; -1: there is none. */
static int innermost(const struct h_nest *nest, h_loop_kind kind) {
  for (uint32_t i = 0; i < nest->loops.len; i++)
    if (nest->loops.data[i].kind == kind) return (int)i;
  return -1;
}

static const struct h_nest *nest_of(const h_symbol *s) {
  static const struct h_nest none = {0};
  return s->schedule ? &s->schedule->pure : &none;
}

static const char *name_of_loop(const struct h_nest *nest, int at) {
  return nest->loops.data[at].var->name->text;
}

int h_innermost_block(const h_symbol *s) {
  return innermost(nest_of(s), H_BLOCK);
}

int64_t h_points_in_block(const h_symbol *s, unsigned dim) {
  const struct h_nest *nest = nest_of(s);
  for (uint32_t i = 0; i < nest->loops.len; i++)
    if (nest->loops.data[i].kind == H_BLOCK && nest->loops.data[i].dim == dim)
      return nest->loops.data[i].step;
  return INT32_MAX;
}

/* --- places --- */

bool h_is_of_item(const h_symbol *s) {
  for (unsigned i = 0; i < 1000; i++) {
    const h_level *at = h_compute_level(s);
    if (at->kind != H_AT) return false;
    int loop = h_loop_of(at->func, at->var);
    if (loop >= 0 && loop <= innermost(nest_of(at->func), H_THREAD)) return true;
    s = at->func;
  }
  return false;
}

bool h_is_inlined_by_items(const h_symbol *s) {
  return h_is_of_item(s) && s->updates.len == 0 && !s->is_output;
}

/* The Func around, or around that, that has blocks; NULL: none has. */
static const h_symbol *blocks_around(const h_symbol *s) {
  const h_symbol *around = h_func_around(s);
  for (unsigned i = 0; around && i < 1000 && h_innermost_block(around) < 0; i++)
    around = h_func_around(around);
  return around;
}

/* --- items --- */

/* The iterations of a loop in one of the loop outside of it, of the same dimension; 0: not known. */
static int64_t iterations_of(const struct h_nest *nest, uint32_t at) {
  const h_loop *loop = &nest->loops.data[at];
  for (uint32_t i = at + 1; i < nest->loops.len; i++) {
    const h_loop *outer = &nest->loops.data[i];
    if (outer->dim != loop->dim) continue;
    return loop->step && outer->step ? (outer->step + loop->step - 1) / loop->step : 0;
  }
  return 0;
}

unsigned h_items_of(const h_symbol *s, int64_t *sizes) {
  const struct h_nest *nest = nest_of(s);
  int64_t along[H_MAX_ITEM_DIMS] = {1, 1, 1};
  unsigned n = 0;
  for (uint32_t i = 0; i < nest->loops.len; i++) {
    const h_loop *loop = &nest->loops.data[i];
    int64_t iterations = loop->kind == H_THREAD ? iterations_of(nest, i) : 1;
    if (loop->kind != H_THREAD) continue;
    if (iterations == 0 || loop->dim >= H_MAX_ITEM_DIMS) return 0;
    along[loop->dim] = iterations > INT32_MAX / along[loop->dim] ? INT32_MAX : along[loop->dim] * iterations;
    if (loop->dim >= n) n = loop->dim + 1;
  }
  for (unsigned d = 0; d < n; d++) sizes[n - 1 - d] = along[d];
  return n;
}

/* --- is it possible --- */

static bool check_order(const h_placing *l, const h_symbol *s, const struct h_nest *nest, pm_loc loc) {
  int thread = -1;
  for (uint32_t i = nest->loops.len; i > 0; i--) {
    h_loop_kind kind = nest->loops.data[i - 1].kind;
    if (kind == H_THREAD) thread = (int)i - 1;
    if (kind == H_BLOCK && thread >= 0)
      return pm_error(l->ctx, loc,
                      "the loop %s of %s runs over blocks, but the loop %s over threads is outside of it",
                      name_of_loop(nest, (int)i - 1), s->name->text, name_of_loop(nest, thread));
  }
  return true;
}

/* Blocks around, or its own, but not both; threads only in one of them. */
static bool check_around(const h_placing *l, const h_symbol *s, pm_loc loc) {
  const h_symbol *around = blocks_around(s);
  const struct h_nest *nest = nest_of(s);
  int block = h_innermost_block(s), thread = innermost(nest, H_THREAD);
  if (block >= 0 && around)
    return pm_error(l->ctx, loc, "%s is computed in the blocks of %s, its loop %s cannot run over blocks too",
                    s->name->text, around->name->text, name_of_loop(nest, block));
  if (thread >= 0 && block < 0 && !around)
    return pm_error(l->ctx, loc, "the loop %s of %s runs over threads, but no loop outside of it over blocks",
                    name_of_loop(nest, thread), s->name->text);
  return true;
}

static bool check_items(const h_placing *l, const h_symbol *s, pm_loc loc) {
  const struct h_nest *nest = nest_of(s);
  int64_t sizes[H_MAX_ITEM_DIMS], items = 1;
  for (uint32_t i = 0; i < nest->loops.len; i++)
    if (nest->loops.data[i].kind == H_THREAD && nest->loops.data[i].dim >= H_MAX_ITEM_DIMS)
      return pm_error(l->ctx, loc,
                      "the loop %s of %s runs over threads, but only loops of its first %d dimensions can",
                      name_of_loop(nest, (int)i), s->name->text, H_MAX_ITEM_DIMS);
  unsigned n = h_items_of(s, sizes);
  for (unsigned i = 0; i < n; i++) items = sizes[i] > INT32_MAX / items ? INT32_MAX : items * sizes[i];
  if (items > MOST_ITEMS)
    return pm_error(l->ctx, loc, "the blocks of %s have %lld threads, they should have %d at most",
                    s->name->text, (long long)items, MOST_ITEMS);
  if (n == 0 && innermost(nest, H_THREAD) >= 0 && h_innermost_block(s) >= 0)
    pm_remark(
        l->ctx, loc, PM_REMARK_MISSED, "halide", NULL, 0,
        "how many iterations the threads of %s have is not known: the target chooses the items of its blocks",
        s->name->text);
  return true;
}

/* What is computed outside of the blocks has no launch to be in. */
static bool check_level(const h_placing *l, const h_symbol *s) {
  const h_level *at = h_compute_level(s);
  int loop = at->kind == H_AT ? h_loop_of(at->func, at->var) : -1;
  int block = at->kind == H_AT ? h_innermost_block(at->func) : -1;
  if (block < 0 || loop <= block) return true;
  return pm_error(l->ctx, at->loc,
                  "%s is placed at the loop %s of %s, outside of the loop %s over blocks; it should be at "
                  "that or inside of it",
                  s->name->text, at->var->name->text, at->func->name->text,
                  name_of_loop(nest_of(at->func), block));
}

static void remark_not_followed(const h_placing *l, const h_symbol *s, const char *why) {
  pm_remark(l->ctx, s->schedule->memory_loc, PM_REMARK_MISSED, "halide", NULL, 0,
            "store_in(%s) of %s is not followed: %s", s->schedule->memory, s->name->text, why);
}

static bool check_memory(const h_placing *l, const h_symbol *s) {
  const char *memory = s->schedule ? s->schedule->memory : NULL;
  if (!memory || strcmp(memory, "MemoryType::Auto") == 0) return true;
  bool is_shared = strcmp(memory, "MemoryType::GPUShared") == 0,
       is_heap = strcmp(memory, "MemoryType::Heap") == 0;
  bool is_own = strcmp(memory, "MemoryType::Register") == 0 || strcmp(memory, "MemoryType::Stack") == 0;
  bool item = h_is_of_item(s), group = !item && blocks_around(s);
  if (is_shared && !item && !group)
    return pm_error(l->ctx, s->schedule->memory_loc,
                    "%s is stored in memory of blocks, but it is not computed at a loop of them",
                    s->name->text);
  if (is_shared ? group : is_own ? item : is_heap && !item && !group) return true;
  remark_not_followed(l, s,
                      item    ? "an item computes it for itself"
                      : group ? "the items of a block share it, in local memory where that is enough"
                              : "it is computed in full, on the heap");
  return true;
}

bool h_check_blocks(const h_placing *l, const h_symbol *s) {
  if (!l->program->has_groups) return true;
  pm_loc loc = s->schedule ? s->schedule->groups_loc : PM_NO_LOC;
  bool ok = check_level(l, s) && check_memory(l, s) && check_order(l, s, nest_of(s), loc);
  for (uint32_t i = 0; ok && s->schedule && i < s->schedule->updates.len; i++)
    ok = check_order(l, s, &s->schedule->updates.data[i], loc);
  return ok && check_around(l, s, loc) && check_items(l, s, loc);
}
