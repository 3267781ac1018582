/* split-lookups: a vector loop that looks narrow values up in a table becomes two, a piece of 256 iterations
 * at a time.
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
 * Processors gather 32 and 64 bits, so that C compilers leave a loop with such a look-up scalar as a whole.
 * Some look-ups are made at a time, since what is left of them is as short as a loop is by itself.
 * It is done where there is enough to compute ahead of the look-ups, and every store waits for them. The
 * iterations may be run in any order and at once, and so may these parts of them.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/loops.h"
#include "dialects/loop/phase.h"
#include "passes/options.h"

#include <stdlib.h>

enum { PIECE = 256, MAX_ROWS = 4, MAX_OPS = 64 };

typedef PM_VEC(pm_value *) value_list;

typedef struct splitting {
  pm_op *loop;
  pm_map *loaded;  /* ops whose values come from memory, in this iteration */
  pm_map *late;    /* the look-ups, and ops that wait for them */
  value_list rows; /* what the first part leaves for the second */
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
  for (unsigned i = 0; i < op->n_operands && pm_has_trait(op, PM_READS); i++) {
    if (!pm_is_memref(pm_arg(op, i)->type)) continue;
    PM_FOR_USES(use, pm_arg(op, i))
    if (pm_has_trait(use->owner, PM_WRITES) && pm_map_has(s->late, use->owner)) return true;
  }
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

/* False when the loop is not straight, or a store does not wait. */
static bool find_late(splitting *s) {
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body)) {
    if (op->n_regions) return false;
    find_loaded(s, op);
    if (waits(s, op))
      pm_map_set(s->late, op, op);
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
  for (pm_op *op = body->last; op; op = op->prev) {
    bool all_late = op->n_results == 1;
    for (unsigned r = 0; r < op->n_results; r++)
      PM_FOR_USES(use, pm_res(op, r)) all_late &= pm_map_has(s->late, use->owner);
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

/* --- rewriting --- */

static pm_value *build_row(pm_builder *b, pm_type element) {
  int64_t extent = PIECE;
  pm_type type = pm_get_memref(element, 1, &extent, PM_SPACE_STACK);
  return buf_build_alloc(b, type, NULL, NULL);
}

static void store_row(pm_builder *b, pm_value *value, pm_value *row, pm_value *i, pm_value *begin) {
  buf_build_store(b, value, row, loop_offset_map(pm_module_context(b->module)), (pm_value *[]){i, begin});
}

static pm_value *load_row(pm_builder *b, pm_value *row, pm_value *i, pm_value *begin) {
  return buf_build_load(b, row, loop_offset_map(pm_module_context(b->module)), (pm_value *[]){i, begin});
}

/* Copies what does not wait; `map` gives the copies. */
static void fill_first(const splitting *s, pm_op *first, pm_map *map) {
  pm_region *to = pm_region_at(first, loop_for_body);
  pm_map_set(map, pm_region_at(s->loop, loop_for_body)->args[0], to->args[0]);
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body))
  if (is_early(s, op) && !pm_has_trait(op, PM_TERMINATOR))
    pm_insert(to, NULL, pm_clone(first->module, op, map));
}

/* Moves what waits. */
static void fill_second(const splitting *s, pm_op *second) {
  pm_region *from = pm_region_at(s->loop, loop_for_body), *to = pm_region_at(second, loop_for_body);
  PM_FOR_OPS(op, from)
  if (!is_early(s, op)) pm_move_before(op, to, NULL);
}

static void replace_late_uses(const splitting *s, pm_value *value, pm_value *by) {
  PM_FOR_USES(use, value)
  if (pm_map_has(s->late, use->owner)) pm_set_operand(use->owner, pm_operand_number(use), by);
}

/* Look-ups at a time: as many as is asked for, while the body stays short. */
static int64_t unrolled(const pm_op *loop, int64_t asked) {
  int64_t ops = 0;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) ops++;
  while (asked > 1 && asked * ops > MAX_OPS) asked /= 2;
  return asked;
}

static void split(splitting *s, int64_t at_a_time) {
  pm_builder b = pm_builder_before(s->loop);
  pm_value *lb = pm_arg(s->loop, loop_for_lb), *ub = pm_arg(s->loop, loop_for_ub);
  pm_builder in = loop_inside(loop_build_for(&b, lb, ub, &(loop_spec){.step = PIECE}));
  pm_value *begin = in.region->args[0];
  pm_value *end = pm_build_binary(&in, &arith_addi, begin, arith_build_index(&in, PIECE));
  end = pm_build_binary(&in, &arith_mini, end, ub);
  value_list rows = {0};
  for (size_t i = 0; i < s->rows.len; i++) PM_VEC_PUSH(rows, build_row(&in, s->rows.data[i]->type));
  pm_string counter = pm_region_at(s->loop, loop_for_body)->args[0]->name;
  pm_op *first = loop_build_for(&in, begin, end, &(loop_spec){.step = 1, .simd = true, .counter = counter});
  pm_op *second = loop_build_for(&in, begin, end, &(loop_spec){.step = 1, .counter = counter});
  pm_map *map = pm_map_new();
  fill_first(s, first, map);
  pm_builder in_first = loop_inside(first), in_second = loop_inside(second);
  pm_value *i_first = in_first.region->args[0], *i_second = in_second.region->args[0];
  replace_late_uses(s, pm_region_at(s->loop, loop_for_body)->args[0], i_second);
  for (size_t i = 0; i < s->rows.len; i++) {
    pm_value *value = s->rows.data[i];
    store_row(&in_first, pm_map_get(map, value), rows.data[i], i_first, begin);
    replace_late_uses(s, value, load_row(&in_second, rows.data[i], i_second, begin));
  }
  fill_second(s, second);
  at_a_time = unrolled(second, at_a_time);
  if (at_a_time > 1) loop_unroll(second, at_a_time);
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
  if (found) split(&s, pm_opt_int(p, split_lookups_opt_unroll));
  pm_map_free(s.loaded);
  pm_map_free(s.late);
  PM_VEC_FREE(s.rows);
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
