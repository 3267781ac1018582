/* transpose-in-registers: a vector loop that reads down the columns of an array reads along its rows.
 *
 *   loop.for %x = %a to %b step 1 {          |  loop.for %x = %a to %e step 4 {
 *     loop.for %y = %c to %d step 1 simd {   |    loop.for %y = %c to %f step 4 {
 *                                            |      %0, … = vec.load %in[%y, %x], … [%y + 3, %x]
 *       %v = buf.load %in[%y, %x]            |      %4, … = …vec.shuffle %0, %1 …
 *       buf.store %v, %o[%x, %y]             |      vec.store %4, %o[%x, %y], … [%x + 3, %y]
 *     }                                      |    }
 *   }                                        |    loop.for %y = %f to %d step 1 simd { … }
 *                                            |  }
 *                                            |  … the same for half as many rows, and the loops as they were
 *                                            |    for the rows that are left
 *
 * A block of rows and columns is transposed in registers, in as many rounds of shuffles as its size has bits
 * (Eklundh, "A fast computer method for matrix transposing", 1972). Iterations of both loops store elements
 * of their own, and read nothing that they store.
 */
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/lanes.h"
#include "dialects/loop/vec.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MOST_LANES = 16, LEAST_LANES = 4 };

/* A loop over rows around a vector loop, and a size of blocks. */
typedef struct transposing {
  pm_op *rows, *row;
  unsigned size;
  pm_map *in_lanes; /* ops of the vector loop whose results differ from column to column */
} transposing;

/* --- what is transposed --- */

/* From one iteration of the loop over rows to the next, the load goes to the next element of a row. */
static bool is_transposed(const transposing *t, const pm_op *op) {
  loop_access access;
  if (!pm_is(op, &buf_load) || !loop_find_access(op, &access)) return false;
  for (uint32_t i = 0; i < loop_n_indices(&access); i++) {
    const pm_value *index = access.indices[i].value;
    if (index != loop_counter_of(t->rows) && index != loop_counter_of(t->row) &&
        loop_changes_in(index, t->rows))
      return false;
  }
  bool down = false;
  for (uint32_t r = 0; r < access.map->n_results; r++)
    down |= loop_index_mentions(&access, access.map->results[r], loop_counter_of(t->row));
  return down && loop_goes_along(&access, loop_counter_of(t->rows));
}

/* The first; NULL: there is none. */
static const pm_op *find_transposed(const transposing *t) {
  PM_FOR_OPS(op, pm_region_at(t->row, loop_for_body))
  if (is_transposed(t, op)) return op;
  return NULL;
}

static bool is_in_lanes(const transposing *t, const pm_op *op) {
  return pm_map_has(t->in_lanes, op);
}

static void find_in_lanes(const transposing *t) {
  PM_FOR_OPS(op, pm_region_at(t->row, loop_for_body)) {
    bool in = is_transposed(t, op);
    for (unsigned i = 0; i < op->n_operands && !in; i++) {
      const pm_value *value = pm_arg(op, i);
      in = value == loop_counter_of(t->row) || (pm_def(value) && is_in_lanes(t, pm_def(value)));
    }
    if (in) pm_map_set(t->in_lanes, op, op);
  }
}

/* Another iteration of the loop over rows has other elements. */
static bool stores_other_rows(const transposing *t, const pm_op *store) {
  loop_access place;
  bool other = false;
  if (!loop_find_access(store, &place)) return false;
  for (uint32_t r = 0; r + 1 < place.map->n_results; r++) {
    int64_t factor;
    bool alone = loop_find_factor(&place, place.map->results[r], loop_counter_of(t->rows), &factor) && factor;
    for (uint32_t i = 0; i < loop_n_indices(&place) && alone; i++) {
      const pm_value *index = place.indices[i].value;
      if (index != loop_counter_of(t->rows) && loop_changes_in(index, t->rows))
        alone = !loop_index_mentions(&place, place.map->results[r], index);
    }
    other |= alone;
  }
  return other;
}

static bool reads_what_is_stored(const transposing *t, const pm_op *load) {
  PM_FOR_OPS(op, pm_region_at(t->row, loop_for_body))
  if (pm_is(op, &buf_store) && loop_share_memory(pm_arg(op, buf_store_buffer), pm_arg(load, buf_load_buffer)))
    return true;
  return false;
}

static const char *obstacle_of_access(const transposing *t, const pm_op *op) {
  loop_access access;
  if (!loop_find_access(op, &access)) return "it accesses memory in another way than by loads and stores";
  if (buf_stage_of(op)) return "it accesses an array that stages overwrite in place";
  pm_type type = access.buffer->type;
  if (type->strides || access.map->n_syms) return "it accesses an array with strides of its own";
  if (pm_is_bool(pm_elem_type(type))) return "it accesses an array of i1";
  bool along = loop_goes_along_row(op, t->row, t->row);
  if (!access.reads)
    return along && stores_other_rows(t, op) ? NULL : "it does not store along rows of its own";
  if (reads_what_is_stored(t, op)) return "it reads what it stores";
  return along || is_transposed(t, op) || !is_in_lanes(t, op) ? NULL : "it also reads in another order";
}

static const char *obstacle_of_op(const transposing *t, const pm_op *op) {
  if (pm_is(op, &buf_prefetch)) return NULL;
  if (pm_is(op, &buf_load) || pm_is(op, &buf_store)) return obstacle_of_access(t, op);
  if (!pm_has_trait(op, PM_PURE) || op->n_regions || op->n_results != 1)
    return "it does more than to compute";
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (pm_arg(op, i) == loop_counter_of(t->row)) return "it computes with the counter of its row";
    if (pm_arg(op, i)->type->cls != PM_TYPE_SCALAR) return "it has vectors already";
  }
  return NULL;
}

static const char *find_obstacle(const transposing *t, int64_t registers) {
  int64_t transposed = 0;
  PM_FOR_OPS(op, pm_region_at(t->row, loop_for_body)) {
    const char *obstacle = obstacle_of_op(t, op);
    if (obstacle) return obstacle;
    transposed += is_transposed(t, op);
  }
  PM_FOR_OPS(op, pm_region_at(t->rows, loop_for_body))
  if (op != t->row && !(pm_has_trait(op, PM_PURE) && !op->n_regions))
    return "its rows do more than that loop";
  if (loop_changes_in(pm_arg(t->row, loop_for_lb), t->rows) ||
      loop_changes_in(pm_arg(t->row, loop_for_ub), t->rows))
    return "its rows do not begin and end at the same columns";
  return transposed * t->size > registers ? "blocks of all that it transposes exceed the registers" : NULL;
}

/* Of a block: as many as fit in a vector of the widest values, but not more than are worth it. */
static unsigned size_of(const transposing *t, int64_t vector_bytes) {
  size_t widest = 1;
  PM_FOR_OPS(op, pm_region_at(t->row, loop_for_body)) {
    if (op->n_results != 1 || !is_in_lanes(t, op)) continue;
    size_t bytes = pm_element_bytes(pm_res(op, 0)->type);
    if (bytes > widest) widest = bytes;
  }
  unsigned size = MOST_LANES;
  while (size * widest > (size_t)vector_bytes) size /= 2;
  return size;
}

/* --- rewriting --- */

/* One half of each pair of lanes that are `apart` changes places: of two vectors the first, or the second. */
static pm_value *swap_lanes(pm_builder *b, pm_value *x, pm_value *y, unsigned size, unsigned apart,
                            bool second) {
  int64_t lanes[MOST_LANES];
  for (unsigned k = 0; k < size; k++) {
    bool from_second = k & apart;
    unsigned lane = second ? (from_second ? k : k + apart) : (from_second ? k - apart : k);
    lanes[k] = lane + (from_second ? size : 0);
  }
  return vec_build_shuffle(b, x, y, lanes, size);
}

/* Lane k of vector i becomes lane i of vector k. */
static void transpose(pm_builder *b, pm_value **vectors, unsigned size) {
  for (unsigned apart = 1; apart < size; apart *= 2)
    for (unsigned i = 0; i < size; i++) {
      if (i & apart) continue;
      pm_value *x = vectors[i], *y = vectors[i + apart];
      vectors[i] = swap_lanes(b, x, y, size, apart, false);
      vectors[i + apart] = swap_lanes(b, x, y, size, apart, true);
    }
}

/* The load in all rows of the block, from vectors along the array's own rows. */
static void load_transposed(const transposing *t, pm_builder *in, const pm_op *load, pm_value *x, pm_value *y,
                            pm_value **rows) {
  for (unsigned k = 0; k < t->size; k++) {
    loop_phase column = loop_phase_begin(in, loop_counter_of(t->row), y, 1, k);
    loop_lanes l = {.loop = t->rows, .phase = &column, .base = x, .lanes = t->size};
    rows[k] = loop_lanes_load(&l, in, load);
    loop_phase_free(&column);
  }
  transpose(in, rows, t->size);
}

static void build_op(const transposing *t, pm_builder *in, loop_lanes *l, const pm_op *op) {
  in->loc = op->loc;
  if (pm_is(op, &buf_prefetch)) return;
  if (pm_is(op, &buf_store)) {
    loop_lanes_store(l, in, op, loop_lanes_value(l, in, pm_arg(op, buf_store_value)));
  } else if (!is_in_lanes(t, op)) {
    loop_phase_copy(l->phase, in, op, op->next);
  } else {
    pm_map_set(l->vectors, pm_res(op, 0),
               pm_is(op, &buf_load) ? loop_lanes_load(l, in, op) : loop_lanes_compute(l, in, op));
  }
}

/* The block whose first row is `x` and first column `y`. */
static void build_block(const transposing *t, pm_builder *in, pm_value *x, pm_value *y) {
  loop_phase phases[MOST_LANES];
  pm_map *vectors[MOST_LANES];
  const pm_region *body = pm_region_at(t->row, loop_for_body), *around = pm_region_at(t->rows, loop_for_body);
  for (unsigned k = 0; k < t->size; k++) {
    phases[k] = loop_phase_begin(in, loop_counter_of(t->rows), x, 1, k);
    vectors[k] = pm_map_new();
    loop_phase_copy(&phases[k], in, around->first, t->row);
  }
  PM_FOR_OPS(op, body) {
    pm_value *rows[MOST_LANES];
    if (!is_transposed(t, op)) continue;
    load_transposed(t, in, op, x, y, rows);
    for (unsigned k = 0; k < t->size; k++) pm_map_set(vectors[k], pm_res(op, 0), rows[k]);
  }
  for (unsigned k = 0; k < t->size; k++) {
    loop_lanes l = {t->row, &phases[k], y, 0, t->size, vectors[k]};
    PM_FOR_OPS(op, body)
    if (!is_transposed(t, op)) build_op(t, in, &l, op);
    pm_map_free(vectors[k]);
    loop_phase_free(&phases[k]);
  }
}

/* The loops as they were, for some rows and columns. */
static void copy_nest(const transposing *t, pm_builder *b, pm_value *end_row, pm_value *first_column) {
  pm_map *copies = pm_map_new();
  pm_op *copy = pm_clone(b->module, t->rows, copies);
  pm_insert(b->region, b->before, copy);
  pm_set_operand(copy, loop_for_ub, end_row);
  pm_set_operand(pm_region_at(copy, loop_for_body)->last, loop_for_lb, first_column);
  pm_map_free(copies);
}

/* Puts blocks ahead of the loops, which keep the rows that are in no block. */
static void build_blocks(const transposing *t) {
  pm_builder b = pm_builder_before(t->rows);
  pm_value *lb = pm_arg(t->rows, loop_for_lb), *ub = pm_arg(t->rows, loop_for_ub);
  pm_value *first = pm_arg(t->row, loop_for_lb), *last = pm_arg(t->row, loop_for_ub);
  pm_value *end = loop_end_of_whole(&b, lb, ub, 1, t->size);
  pm_value *end_column = loop_end_of_whole(&b, first, last, 1, t->size);
  loop_spec rows = {.step = t->size, .counter = loop_counter_of(t->rows)->name},
            columns = {.step = t->size, .counter = loop_counter_of(t->row)->name};
  pm_builder outer = loop_inside(loop_build_for(&b, lb, end, &rows));
  pm_builder inner = loop_inside(loop_build_for(&outer, first, end_column, &columns));
  build_block(t, &inner, outer.region->args[0], inner.region->args[0]);
  if (!loop_is_empty(end_column, last)) copy_nest(t, &b, end, end_column);
  pm_set_operand(t->rows, loop_for_lb, end);
}

/* The loop over rows of a vector loop that transposes; NULL: it is none. */
static pm_op *find_rows(const pm_op *row) {
  pm_op *rows = pm_parent(row);
  if (!pm_is(rows, &loop_for) || rows->n_results || pm_int_at(rows, loop_for_step) != 1) return NULL;
  transposing t = {.rows = rows, .row = (pm_op *)row};
  return pm_region_at(rows, loop_for_body)->last == row && find_transposed(&t) ? rows : NULL;
}

/* Not even the smallest block fits. */
static bool has_few_rows(const transposing *t) {
  int64_t most;
  return loop_find_most_trips(t->rows, &most) && most < LEAST_LANES;
}

static bool transpose_rows(pm_pass *p, transposing *t, const pm_machine *machine) {
  t->size = size_of(t, machine->vector_bytes);
  pm_loc at = find_transposed(t)->loc;
  const char *obstacle = find_obstacle(t, machine->vector_registers);
  if (!obstacle && t->size < LEAST_LANES) obstacle = "a vector has few elements";
  if (!obstacle && has_few_rows(t)) obstacle = "it has few columns";
  if (obstacle) {
    pm_pass_remark(p, at, PM_REMARK_MISSED, NULL, 0, "the loop reads down columns, element by element: %s",
                   obstacle);
    return false;
  }
  pm_pass_remark(p, at, PM_REMARK_PASSED, (pm_remark_arg[]){{"size", t->size}}, 1,
                 "the loop transposes blocks of %ux%u elements in registers", t->size, t->size);
  loop_drop_prefetches(pm_region_at(t->row, loop_for_body));
  pm_set_attr(t->row, loop_for_prefetch, NULL);
  for (; t->size >= LEAST_LANES && !loop_is_empty(pm_arg(t->rows, loop_for_lb), pm_arg(t->rows, loop_for_ub));
       t->size /= 2)
    build_blocks(t);
  if (loop_is_empty(pm_arg(t->rows, loop_for_lb), pm_arg(t->rows, loop_for_ub))) pm_op_erase(t->rows);
  return true;
}

static bool transpose_loop(pm_pass *p, pm_op *row) {
  transposing t = {.rows = find_rows(row), .row = row};
  pm_machine machine;
  if (!t.rows || !pm_code_machine_of(row, &machine)) return false;
  t.in_lanes = pm_map_new();
  find_in_lanes(&t);
  bool done = transpose_rows(p, &t, &machine);
  pm_map_free(t.in_lanes);
  return done;
}

pm_result pass_transpose_in_registers(pm_pass *p) {
  loop_list loops = {0};
  int64_t n = 0;
  loop_list_vector_loops(pm_pass_root(p), &loops);
  for (size_t i = 0; i < loops.len; i++) n += transpose_loop(p, loops.data[i]);
  PM_VEC_FREE(loops);
  pm_pass_stat(p, "loops transposed", n);
  return n ? PM_CHANGED : PM_UNCHANGED;
}
