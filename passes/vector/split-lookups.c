/* split-lookups: a vector loop that looks narrow values up in a table becomes two or more, a piece of 256
 * iterations at a time.
 *
 *   loop.for %i = %a to %b step 1 simd {            |  loop.for %0 = %a to %b step 256 {
 *                                                   |    %1 = arith.mini (%0 + 256), %b
 *                                                   |    %2 = buf.alloc() : memref<256xi16, stack>
 *                                                   |    loop.for %i = %0 to %1 step 1 simd {
 *     %k = …(%i) : i16                              |      %k = …(%i) : i16
 *                                                   |      buf.store %k, %2[%i - %0]
 *                                                   |    }
 *                                                   |    loop.for %i = %0 to %1 step 1 {
 *                                                   |      %3 = buf.load %2[%i - %0]
 *     %t = buf.load %table[%k] : memref<?xu8>       |      %t = buf.load %table[%3] : memref<?xu8>
 *     buf.store %t, %out[%i] : memref<?xu8>         |      buf.store %t, %out[%i] : memref<?xu8>
 *   }                                               |    }
 *                                                   |  }
 *
 * Processors gather 32 and 64 bits only, so that a loop with such a look-up stays scalar as a whole.
 * Look-ups that do not need each other are loops of their own, which store to one row each. Some are made at
 * a time, since what is left of them is as short as a loop is by itself; bytes next to each other are
 * gathered in a vector, since each would take a store as any. It is done where there is enough to
 * compute ahead of the look-ups, and every store waits for them. The iterations may be run in any order and
 * at once, and so may these parts of them.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "dialects/loop/vec.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MAX_ROWS = 4, MAX_OPS = 64, MAX_LANES = 64, MAX_PACKED_OPS = 256 };

typedef PM_VEC(pm_value *) value_list;

/* An op that waits, and the greatest number of those that it shares a loop with. */
typedef struct waiting {
  pm_op *op;
  size_t with;
} waiting;

typedef struct splitting {
  pm_op *loop;
  pm_map *loaded;  /* ops whose values come from memory, in this iteration */
  pm_map *late;    /* the look-ups, ops that wait for them, and the buffers that these write */
  value_list rows; /* what the first loop leaves for the others */
  PM_VEC(waiting) waiting;
} splitting;

/* --- what waits --- */

static pm_op *def_in(const splitting *s, const pm_value *value) {
  pm_op *def = pm_def(value);
  return def && pm_parent(def) == s->loop ? def : NULL;
}

static bool is_loaded(const splitting *s, const pm_value *value) {
  const pm_op *def = def_in(s, value);
  return def && pm_map_has(s->loaded, def);
}

static void find_loaded(splitting *s, pm_op *op) {
  bool loaded = pm_has_trait(op, PM_READS);
  for (unsigned i = 0; i < op->n_operands && !loaded; i++) loaded = is_loaded(s, pm_arg(op, i));
  if (loaded) pm_map_set(s->loaded, op, op);
}

static bool is_lookup(const splitting *s, const pm_op *op) {
  if (!pm_is(op, &buf_load) || pm_element_bytes(pm_res(op, 0)->type) > 2) return false;
  for (unsigned i = buf_load_indices; i < op->n_operands; i++)
    if (is_loaded(s, pm_arg(op, i))) return true;
  return false;
}

/* A store that waits comes ahead of the load, in the same buffer. */
static bool follows_late_store(const splitting *s, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands && pm_has_trait(op, PM_READS); i++)
    if (pm_map_has(s->late, pm_arg(op, i))) return true;
  return false;
}

static bool waits(const splitting *s, const pm_op *op) {
  if (is_lookup(s, op) || follows_late_store(s, op)) return true;
  for (unsigned i = 0; i < op->n_operands; i++) {
    const pm_op *def = def_in(s, pm_arg(op, i));
    if (def && pm_map_has(s->late, def)) return true;
  }
  return false;
}

static void add_late(const splitting *s, pm_op *op) {
  pm_map_set(s->late, op, op);
  for (unsigned i = 0; i < op->n_operands && pm_has_trait(op, PM_WRITES); i++)
    if (pm_is_memref(pm_arg(op, i)->type)) pm_map_set(s->late, pm_arg(op, i), op);
}

/* False when the loop is not straight, or a store does not wait. */
static bool find_late(splitting *s) {
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body)) {
    if (op->n_regions) return false;
    find_loaded(s, op);
    if (waits(s, op))
      add_late(s, op);
    else if (pm_has_trait(op, PM_WRITES))
      return false;
    else if (!pm_has_trait(op, PM_PURE) && !pm_has_trait(op, PM_READS) && !pm_has_trait(op, PM_TERMINATOR))
      return false;
  }
  return true;
}

static bool is_early(const splitting *s, const pm_op *op) {
  return op && !pm_map_has(s->late, op);
}

/* Arithmetic ahead of the look-ups, which vectors make faster. */
static unsigned early_work(const splitting *s) {
  unsigned n = 0;
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body))
  n += is_early(s, op) && pm_has_trait(op, PM_PURE) && !pm_is(op, &arith_cast) &&
       !pm_constant_value(pm_res(op, 0));
  return n;
}

/* --- what the parts hand over --- */

/* A conversion that widens is done again behind the look-up, so that the narrow value is handed over. */
static bool widens(const splitting *s, const pm_op *op) {
  return pm_is(op, &arith_cast) && def_in(s, pm_arg(op, 0)) &&
         pm_element_bytes(pm_arg(op, 0)->type) < pm_element_bytes(pm_res(op, 0)->type);
}

static void delay_conversions(splitting *s) {
  const pm_region *body = pm_region_at(s->loop, loop_for_body);
  for (pm_op *op = body->last; op; op = pm_prev(op)) {
    bool all_late = op->n_results == 1;
    for (unsigned r = 0; r < op->n_results; r++)
      PM_FOR_USES(use, pm_res(op, r)) all_late &= pm_map_has(s->late, pm_user(use));
    if (is_early(s, op) && all_late && widens(s, op)) pm_map_set(s->late, op, op);
  }
}

static void hand_over(splitting *s, pm_value *value) {
  for (size_t i = 0; i < s->rows.len; i++)
    if (s->rows.data[i] == value) return;
  PM_VEC_PUSH(s->rows, value);
}

static void find_rows(splitting *s) {
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body))
  for (unsigned i = 0; i < op->n_operands && !is_early(s, op); i++)
    if (is_early(s, def_in(s, pm_arg(op, i)))) hand_over(s, pm_arg(op, i));
}

/* --- loops of their own --- */

/* Both are done in one loop, and all that either shares one with. */
static void join(splitting *s, size_t a, size_t b) {
  size_t one = s->waiting.data[a].with, other = s->waiting.data[b].with, last = one > other ? one : other;
  for (size_t i = 0; i < s->waiting.len; i++)
    if (s->waiting.data[i].with == one || s->waiting.data[i].with == other) s->waiting.data[i].with = last;
}

static bool has_operand(const pm_op *op, const pm_value *value) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_arg(op, i) == value) return true;
  return false;
}

static bool uses_result(const pm_op *op, const pm_op *of) {
  for (unsigned r = 0; r < of->n_results; r++)
    if (has_operand(op, pm_res((pm_op *)of, r))) return true;
  return false;
}

/* One writes what may be the memory of the other's. */
static bool must_follow(const pm_op *a, const pm_op *b) {
  if (!pm_has_trait(a, PM_WRITES) && !pm_has_trait(b, PM_WRITES)) return false;
  for (unsigned i = 0; i < a->n_operands; i++)
    for (unsigned k = 0; k < b->n_operands && pm_is_memref(pm_arg(a, i)->type); k++)
      if (pm_is_memref(pm_arg(b, k)->type) && loop_share_memory(pm_arg(a, i), pm_arg(b, k))) return true;
  return false;
}

/* Joins the loops of two ops of which the first must come ahead and would not. False: there are none. */
static bool join_disordered(splitting *s) {
  for (size_t k = 0; k < s->waiting.len; k++)
    for (size_t i = 0; i < k; i++)
      if (s->waiting.data[i].with > s->waiting.data[k].with &&
          must_follow(s->waiting.data[i].op, s->waiting.data[k].op)) {
        join(s, i, k);
        return true;
      }
  return false;
}

/* Loops come in the order of their last ops. Other iterations have other memory, so that order is all that
 * two ops of one memory need. */
static void find_parts(splitting *s) {
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body)) {
    size_t n = s->waiting.len;
    if (is_early(s, op) || pm_has_trait(op, PM_TERMINATOR)) continue;
    PM_VEC_PUSH(s->waiting, ((waiting){op, n}));
    for (size_t i = 0; i < n; i++)
      if (uses_result(op, s->waiting.data[i].op)) join(s, i, n);
  }
  while (join_disordered(s)) continue;
}

/* --- rewriting --- */

static pm_value *build_row(pm_builder *b, pm_type element) {
  int64_t extent = PM_NEAR_ROW;
  pm_type type = pm_get_memref(element, 1, &extent, PM_SPACE_STACK);
  return buf_build_alloc(b, type, NULL, NULL);
}

static void store_row(pm_builder *b, pm_value *value, pm_value *row, pm_value *i, pm_value *begin) {
  buf_build_store(b, value, row, buf_offset_map(pm_module_context(b->module)), (pm_value *[]){i, begin});
}

static pm_value *load_row(pm_builder *b, pm_value *row, pm_value *i, pm_value *begin) {
  return buf_build_load(b, row, buf_offset_map(pm_module_context(b->module)), (pm_value *[]){i, begin});
}

/* Copies what does not wait; `map` gives the copies. */
static void fill_first(const splitting *s, pm_op *first, pm_map *map) {
  pm_region *to = pm_region_at(first, loop_for_body);
  pm_map_set(map, pm_region_at(s->loop, loop_for_body)->args[0], to->args[0]);
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body))
  if (is_early(s, op) && !pm_has_trait(op, PM_TERMINATOR))
    pm_insert(to, NULL, pm_clone(pm_module_of(first), op, map));
}

static bool is_used_in(const splitting *s, size_t part, const pm_value *value) {
  for (size_t k = 0; k < s->waiting.len; k++)
    if (s->waiting.data[k].with == part && has_operand(s->waiting.data[k].op, value)) return true;
  return false;
}

/* Moves the ops of a part into the loop, which loads what the first loop has left for them. */
static void fill_part(const splitting *s, size_t part, pm_op *loop, pm_value *const *rows, pm_value *begin) {
  pm_builder in = loop_inside(loop);
  pm_value *i = in.region->args[0];
  pm_map *map = pm_map_new();
  pm_map_set(map, pm_region_at(s->loop, loop_for_body)->args[0], i);
  for (size_t r = 0; r < s->rows.len; r++)
    if (is_used_in(s, part, s->rows.data[r]))
      pm_map_set(map, s->rows.data[r], load_row(&in, rows[r], i, begin));
  for (size_t k = 0; k < s->waiting.len; k++) {
    pm_op *op = s->waiting.data[k].op;
    if (s->waiting.data[k].with != part) continue;
    pm_move_before(op, in.region, NULL);
    for (unsigned n = 0; n < op->n_operands; n++) {
      pm_value *loaded = pm_map_get(map, pm_arg(op, n));
      if (loaded) pm_set_operand(op, n, loaded);
    }
  }
  pm_map_free(map);
}

/* The store of a part that does nothing behind it, of bytes next to each other; else NULL. */
static pm_op *find_row_of_bytes(pm_op *loop) {
  pm_op *store = NULL;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (store) return NULL;
    if (pm_has_trait(op, PM_WRITES)) store = op;
  }
  if (!pm_is(store, &buf_store) || buf_stage_of(store) || pm_attr_at(store, buf_store_nontemporal))
    return NULL;
  pm_type type = pm_arg(store, buf_store_buffer)->type, element = pm_elem_type(type);
  bool bytes = pm_element_bytes(element) == 1 && !pm_is_bool(element) && !type->strides;
  return bytes && loop_goes_along_row(store, loop, loop) ? store : NULL;
}

/* What so many iterations store becomes a vector; the rest of the loop stays. */
static void pack_bytes(pm_op *loop, pm_op *store, int64_t lanes) {
  pm_builder in = loop_split_whole(loop, lanes);
  in.loc = store->loc;
  pm_value *value = pm_arg(store, buf_store_value), *bytes[MAX_LANES];
  pm_op *first = NULL;
  for (int64_t k = 0; k < lanes; k++) {
    loop_phase phase = loop_phase_begin(&in, loop_counter_of(loop), in.region->args[0], 1, k);
    loop_phase_copy(&phase, &in, pm_region_at(loop, loop_for_body)->first, k ? store : store->next);
    if (k == 0) first = in.region->last;
    pm_value *copy = pm_map_get(phase.copies, value);
    bytes[k] = copy ? copy : value;
    loop_phase_free(&phase);
  }
  loop_access access;
  (void)loop_find_access(first, &access);
  vec_build_store_at(&in, vec_build_from_elements(&in, bytes, (unsigned)lanes), &access, access.map);
  pm_op_erase(first);
}

/* Look-ups at a time: as many as is asked for, while the body has no more ops than `most`. */
static int64_t at_a_time(const pm_op *loop, int64_t asked, int64_t most) {
  int64_t ops = 0;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) ops++;
  while (asked > 1 && asked * ops > most) asked /= 2;
  return asked;
}

static void split(splitting *s, int64_t unroll, int64_t most_lanes) {
  pm_builder b = pm_builder_before(s->loop);
  pm_value *lb = pm_arg(s->loop, loop_for_lb), *ub = pm_arg(s->loop, loop_for_ub);
  pm_builder in = loop_inside(loop_build_for(&b, lb, ub, &(loop_spec){.step = PM_NEAR_ROW}));
  pm_value *begin = in.region->args[0];
  pm_value *end = pm_build_binary(&in, &arith_addi, begin, arith_build_index(&in, PM_NEAR_ROW));
  end = pm_build_binary(&in, &arith_mini, end, ub);
  value_list rows = {0};
  for (size_t i = 0; i < s->rows.len; i++) PM_VEC_PUSH(rows, build_row(&in, s->rows.data[i]->type));
  pm_string counter = pm_region_at(s->loop, loop_for_body)->args[0]->name;
  pm_op *first = loop_build_for(&in, begin, end, &(loop_spec){.step = 1, .simd = true, .counter = counter});
  pm_map *map = pm_map_new();
  fill_first(s, first, map);
  pm_builder in_first = loop_inside(first);
  for (size_t i = 0; i < s->rows.len; i++)
    store_row(&in_first, pm_map_get(map, s->rows.data[i]), rows.data[i], in_first.region->args[0], begin);
  for (size_t part = 0; part < s->waiting.len; part++) {
    if (s->waiting.data[part].with != part) continue;
    pm_op *loop = loop_build_for(&in, begin, end, &(loop_spec){.step = 1, .counter = counter});
    fill_part(s, part, loop, rows.data, begin);
    int64_t times = at_a_time(loop, unroll, MAX_OPS), lanes = at_a_time(loop, most_lanes, MAX_PACKED_OPS);
    pm_op *store = lanes > times ? find_row_of_bytes(loop) : NULL;
    if (store)
      pack_bytes(loop, store, lanes);
    else if (times > 1)
      loop_unroll(loop, times);
  }
  pm_map_free(map);
  PM_VEC_FREE(rows);
  pm_op_erase(s->loop);
}

static bool split_loop(pm_pass *p, pm_op *loop) {
  splitting s = {.loop = loop, .loaded = pm_map_new(), .late = pm_map_new()};
  bool found = find_late(&s);
  if (found) delay_conversions(&s);
  if (found) find_rows(&s);
  found = found && s.rows.len > 0 && s.rows.len <= MAX_ROWS &&
          early_work(&s) >= (unsigned)pm_opt_int(p, split_lookups_opt_least);
  if (found) find_parts(&s);
  if (found) split(&s, pm_opt_int(p, split_lookups_opt_unroll), pm_opt_int(p, split_lookups_opt_lanes));
  pm_map_free(s.loaded);
  pm_map_free(s.late);
  PM_VEC_FREE(s.rows);
  PM_VEC_FREE(s.waiting);
  return found;
}

pm_result pass_split_lookups(pm_pass *p) {
  loop_list loops = {0};
  int64_t n = 0;
  loop_list_vector_loops(pm_pass_root(p), &loops);
  for (size_t i = 0; i < loops.len; i++) n += split_loop(p, loops.data[i]);
  PM_VEC_FREE(loops);
  pm_pass_stat(p, "loops split", n);
  return n ? PM_CHANGED : PM_UNCHANGED;
}
