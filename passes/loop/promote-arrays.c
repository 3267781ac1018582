/* promote-arrays: an array whose cells are told apart by numbers becomes values.
 *
 *   %ring = buf.alloc() : memref<4x1xf32, stack>     |
 *   loop.for %i = %lb to %ub step 1 {                |  %r = loop.for %i = … carry(%1 = %0) : (f32) {
 *     buf.store %v, %ring[%i mod 4, 0]               |
 *     loop.if %c {                                   |    loop.if %c {
 *       %w = buf.load %ring[%i mod 4, 0]             |
 *       %x = buf.load %ring[(%i + 3) mod 4, 0]       |
 *       buf.store (%w + %x), %out[%i]                |      buf.store (%v + %1), %out[%i]
 *     }                                              |    }
 *                                                    |    loop.yield %v : f32
 *   }                                                |  }
 *
 * All accesses to the array have the same indices up to numbers. Where one of them is taken modulo the extent
 * and goes on with the counter of a loop, it is a ring: what is a cell in one iteration is the one before it
 * in the next. The values of cells pass through conditions and loops as those yield and carry (Cytron et al.,
 * TOPLAS 13(4), 1991, for structured control flow: what is live says what is carried). Cells that are read
 * before they are written hold anything; they are 0 here.
 *
 * An array that is used in the regions of one condition only is first made in each of these.
 */
#include "dialects/arith/arith.h"
#include "dialects/arith/call.h"
#include "dialects/loop/analyses/linear.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

typedef PM_VEC(pm_op *) op_list;

/* An array, and where its accesses are: cell number `cell` of `n`. */
typedef struct array {
  pm_op *alloc;
  pm_arena *arena;
  op_list accesses;
  pm_map *cell_of; /* access -> its cell, plus 1 */
  int64_t extent[PM_MAX_RANK], least[PM_MAX_RANK];
  int64_t n;
  int ring;      /* the dimension that is taken modulo its extent and moves; -1: none */
  pm_op *loop;   /* the loop in which it does */
  int64_t moved; /* cells along the ring from one iteration to the next */
  /* op with accesses inside -> bool by cell: read behind it, or from the beginning of an iteration on, before
   * it is written */
  pm_map *live_behind, *live_at_begin;
} array;

/* --- places --- */

/* The op itself, or what it is in, that stands directly in the region; NULL: none. */
static pm_op *in_region(pm_op *op, const pm_region *region) {
  while (op && op->region != region) op = pm_parent(op);
  return op;
}

/* The outermost loop around the value's definition inside of the region of the array, or NULL. */
static pm_op *loop_that_changes(const array *a, const pm_value *value) {
  pm_op *at = pm_value_region(value)->op, *loop = NULL;
  for (; at && at != pm_parent(a->alloc); at = pm_parent(at))
    if (loop_is_loop(at)) loop = at;
  return at ? loop : NULL;
}

static pm_affine_expr without_modulus(pm_affine_expr index, int64_t extent, bool *modulo) {
  *modulo =
      index->kind == PM_AFFINE_MOD && index->rhs->kind == PM_AFFINE_CONST && index->rhs->value == extent;
  return *modulo ? index->lhs : index;
}

/* The terms of the index that change in loops around the accesses: none, or the counter of the loop of a
 * ring. */
static bool find_movement(array *a, const loop_linear *sum, unsigned dim, bool modulo) {
  for (size_t i = 0; i < sum->terms.len; i++) {
    const loop_term *t = &sum->terms.data[i];
    pm_op *loop = loop_that_changes(a, t->value);
    if (!loop) continue;
    bool counts = pm_is(loop, &loop_for) && pm_region_at(loop, loop_for_body)->args[0] == t->value;
    if (!modulo || !counts || a->ring >= 0) return false;
    a->ring = (int)dim;
    a->loop = loop;
    int64_t step = pm_int_at(loop, loop_for_step) % a->extent[dim];
    a->moved = pm_floor_mod(t->factor % a->extent[dim] * step, a->extent[dim]);
  }
  return true;
}

/* The numbers of all accesses along the dimension, if they differ by these only. */
static bool find_along(array *a, unsigned dim, int64_t *numbers) {
  loop_linear first = {0};
  bool ok = true, is_modulo = false;
  for (size_t i = 0; i < a->accesses.len && ok; i++) {
    loop_access access;
    loop_linear sum = {0};
    bool modulo = false;
    ok = loop_find_access(a->accesses.data[i], &access) && access.map->n_results == access.buffer->type->rank;
    ok = ok && loop_linear_add_index(&sum, &access,
                                     without_modulus(access.map->results[dim], a->extent[dim], &modulo));
    numbers[i] = sum.number;
    if (ok && i == 0) {
      first = sum;
      is_modulo = modulo;
      ok = find_movement(a, &sum, dim, modulo);
      continue;
    }
    ok = ok && modulo == is_modulo && loop_linear_same_terms(&sum, &first);
    loop_linear_free(&sum);
  }
  for (size_t i = 0; i < a->accesses.len && ok; i++) {
    if (is_modulo) numbers[i] = pm_floor_mod(numbers[i], a->extent[dim]);
    if (i == 0 || numbers[i] < a->least[dim]) a->least[dim] = numbers[i];
  }
  loop_linear_free(&first);
  return ok;
}

/* --- which arrays --- */

/* What is used beside loads and stores of single cells has no cells that are known. */
static bool list_accesses(array *a) {
  const pm_value *buffer = pm_res(a->alloc, 0);
  PM_FOR_USES(use, buffer) {
    bool reads = pm_is(pm_user(use), &buf_load), writes = pm_is(pm_user(use), &buf_store);
    if (!reads && !(writes && pm_arg(pm_user(use), buf_store_buffer) == buffer)) return false;
    PM_VEC_PUSH(a->accesses, pm_user(use));
  }
  return true;
}

/* All ways from the array to the op lead through conditions, and loop.for that are no vectors. */
static bool is_reached(const array *a, const pm_op *op) {
  for (op = pm_parent(op); op && op != pm_parent(a->alloc); op = pm_parent(op))
    if (!pm_is(op, &loop_if) && !(pm_is(op, &loop_for) && !pm_attr_at(op, loop_for_simd))) return false;
  return op != NULL;
}

/* The ring is of a loop that runs once for the array, and all accesses are inside. */
static bool has_ring_alone(const array *a) {
  if (a->ring < 0) return true;
  for (const pm_op *up = pm_parent(a->loop); up != pm_parent(a->alloc); up = pm_parent(up))
    if (!pm_is(up, &loop_if)) return false;
  for (size_t i = 0; i < a->accesses.len; i++)
    if (!pm_is_ancestor(a->loop, a->accesses.data[i])) return false;
  return true;
}

static bool number_cells(array *a, int64_t most) {
  pm_type type = pm_res(a->alloc, 0)->type;
  size_t n = a->accesses.len;
  int64_t *numbers = pm_xcalloc(n + 1, sizeof *numbers), *cells = pm_xcalloc(n + 1, sizeof *cells);
  bool ok = type->rank <= PM_MAX_RANK;
  a->n = 1;
  for (unsigned d = 0; d < type->rank && ok; d++) {
    a->extent[d] = type->dims[d];
    ok = a->extent[d] >= 1 && a->n <= most / a->extent[d] && find_along(a, d, numbers);
    a->n *= a->extent[d];
    for (size_t i = 0; i < n && ok; i++) {
      int64_t at = (int)d == a->ring ? numbers[i] : numbers[i] - a->least[d];
      ok = at < a->extent[d];
      cells[i] = cells[i] * a->extent[d] + at;
    }
  }
  for (size_t i = 0; i < n && ok; i++)
    pm_map_set(a->cell_of, a->accesses.data[i], (void *)(intptr_t)(cells[i] + 1));
  free(numbers);
  free(cells);
  return ok;
}

static int64_t cell_of(const array *a, const pm_op *access) {
  return (int64_t)(intptr_t)pm_map_get(a->cell_of, access) - 1;
}

static bool may_promote(array *a, int64_t most) {
  pm_type type = pm_res(a->alloc, 0)->type;
  if (a->alloc->n_results != 1 || a->alloc->n_operands || !list_accesses(a) || !a->accesses.len) return false;
  for (unsigned d = 0; d < type->rank; d++)
    if (type->dims[d] == PM_DYNAMIC) return false;
  for (size_t i = 0; i < a->accesses.len; i++)
    if (!is_reached(a, a->accesses.data[i])) return false;
  return number_cells(a, most) && has_ring_alone(a);
}

/* Where what is in the cell now is in the next iteration. */
static int64_t next_cell(const array *a, int64_t cell) {
  pm_type type = pm_res(a->alloc, 0)->type;
  int64_t inside = 1;
  for (unsigned d = (unsigned)a->ring + 1; d < type->rank; d++) inside *= a->extent[d];
  int64_t of = a->extent[a->ring], at = cell / inside % of;
  return cell + (pm_floor_mod(at - a->moved, of) - at) * inside;
}

/* --- what is live --- */

static bool has_access(const array *a, const pm_op *op) {
  for (size_t i = 0; i < a->accesses.len; i++)
    if (op == a->accesses.data[i] || pm_is_ancestor(op, a->accesses.data[i])) return true;
  return false;
}

static void find_live(array *a, const pm_region *region, bool *live);

static bool *copy_cells(const array *a, const bool *cells) {
  return pm_arena_memdup(a->arena, cells, (size_t)a->n * sizeof *cells);
}

/* *to gets what is in *from, in the next iteration where `from` is; true: something is new. */
static bool join(const array *a, bool *to, const bool *from, bool next) {
  bool changed = false;
  for (int64_t k = 0; k < a->n; k++) {
    if (!from[next ? next_cell(a, k) : k] || to[k]) continue;
    to[k] = changed = true;
  }
  return changed;
}

/* Live at the beginning of an iteration; `live`, behind the loop, becomes what is live ahead of it. */
static void find_live_of_loop(array *a, const pm_op *loop, bool *live) {
  bool *end = copy_cells(a, live), *begin = copy_cells(a, live);
  do {
    memcpy(begin, end, (size_t)a->n * sizeof *begin);
    find_live(a, pm_region_at(loop, loop_for_body), begin);
  } while (join(a, end, begin, loop == a->loop));
  join(a, live, begin, false);
  pm_map_set(a->live_at_begin, loop, begin);
}

static void find_live_of_if(array *a, const pm_op *op, bool *live) {
  bool *other = copy_cells(a, live);
  find_live(a, pm_region_at(op, loop_if_then), live);
  if (pm_region_at(op, loop_if_else)->present) find_live(a, pm_region_at(op, loop_if_else), other);
  join(a, live, other, false);
}

/* From what is live at the end of the region to what is at its beginning. */
static void find_live(array *a, const pm_region *region, bool *live) {
  for (pm_op *op = region->last; op; op = pm_prev(op)) {
    int64_t cell = cell_of(a, op);
    if (cell >= 0) {
      live[cell] = pm_is(op, &buf_load);
    } else if (op->n_regions && has_access(a, op)) {
      pm_map_set(a->live_behind, op, copy_cells(a, live));
      if (pm_is(op, &loop_if))
        find_live_of_if(a, op, live);
      else
        find_live_of_loop(a, op, live);
    }
  }
}

/* --- rewriting --- */

typedef PM_VEC(int64_t) cell_list;
typedef PM_VEC(pm_value *) value_list;

static void promote(array *a, pm_region *region, pm_value **now);

static pm_value *value_of(const array *a, pm_builder *b, pm_value **now, int64_t cell) {
  pm_type type = pm_elem_type(pm_res(a->alloc, 0)->type);
  if (!now[cell]) now[cell] = pm_is_float(type) ? arith_build_float(b, type, 0) : arith_build_int(b, type, 0);
  return now[cell];
}

static bool is_written_in(const array *a, const pm_op *op, int64_t cell) {
  for (size_t i = 0; i < a->accesses.len; i++) {
    const pm_op *access = a->accesses.data[i];
    if (pm_is(access, &buf_store) && cell_of(a, access) == cell && pm_is_ancestor(op, access)) return true;
  }
  return false;
}

/* Accesses that are gone are no longer asked for. */
static void forget(array *a, pm_op *access) {
  for (size_t i = 0; i < a->accesses.len; i++)
    if (a->accesses.data[i] == access) a->accesses.data[i] = a->accesses.data[--a->accesses.len];
  pm_map_set(a->cell_of, access, NULL);
  pm_op_erase(access);
}

/* What the region yields, and the values of the cells at its end. */
static void yield_cells(const array *a, pm_region *region, const cell_list *cells, pm_value **now) {
  value_list values = {0};
  pm_op *old = pm_terminator(region);
  for (unsigned i = 0; old && i < old->n_operands; i++) PM_VEC_PUSH(values, pm_arg(old, i));
  pm_builder b = pm_builder_at_end(pm_module_of(region->op), region, region->op->loc);
  b.before = old;
  for (size_t i = 0; i < cells->len; i++) PM_VEC_PUSH(values, value_of(a, &b, now, cells->data[i]));
  if (old) pm_op_erase(old);
  b = pm_builder_at_end(pm_module_of(region->op), region, region->op->loc);
  loop_build_yield(&b, values.data, (unsigned)values.len);
  PM_VEC_FREE(values);
}

/* The results of `old` are the first of `made`, the cells those behind. */
static void take_results(pm_op *old, pm_op *made, const cell_list *cells, pm_value **now) {
  unsigned n = old->n_results;
  for (unsigned i = 0; i < n; i++) {
    pm_res(made, i)->name = pm_res(old, i)->name;
    pm_replace_uses(pm_res(old, i), pm_res(made, i));
  }
  for (size_t i = 0; i < cells->len; i++) now[cells->data[i]] = pm_res(made, n + (unsigned)i);
  pm_op_erase(old);
}

/* Cells that the op writes and something behind it reads. */
static void list_written(const array *a, const pm_op *op, const bool *also, cell_list *cells) {
  const bool *live = pm_map_get(a->live_behind, op);
  for (int64_t k = 0; k < a->n; k++)
    if ((live && live[k] && is_written_in(a, op, k)) || (also && also[k])) PM_VEC_PUSH(*cells, k);
}

static void promote_branch(array *a, pm_region *from, pm_region *to, const cell_list *cells,
                           pm_value *const *now) {
  pm_value **inside = pm_xmalloc((size_t)a->n * sizeof *inside);
  memcpy(inside, now, (size_t)a->n * sizeof *inside);
  if (!to->present) pm_region_begin(to);
  if (from->present) pm_splice(to, from);
  promote(a, to, inside);
  if (cells->len || to->op->n_results) yield_cells(a, to, cells, inside);
  free(inside);
}

static void promote_if(array *a, pm_op *old, pm_value **now) {
  cell_list cells = {0};
  list_written(a, old, NULL, &cells);
  pm_type *types = pm_xcalloc(old->n_results + cells.len + 1, sizeof *types);
  for (unsigned i = 0; i < old->n_results; i++) types[i] = pm_res(old, i)->type;
  for (size_t i = 0; i < cells.len; i++) types[old->n_results + i] = pm_elem_type(pm_res(a->alloc, 0)->type);
  pm_builder b = pm_builder_before(old);
  pm_op *made =
      loop_build_if_of(&b, pm_arg(old, loop_if_condition), types, old->n_results + (unsigned)cells.len);
  promote_branch(a, pm_region_at(old, loop_if_then), pm_region_at(made, loop_if_then), &cells, now);
  if (cells.len || pm_region_at(old, loop_if_else)->present)
    promote_branch(a, pm_region_at(old, loop_if_else), pm_region_at(made, loop_if_else), &cells, now);
  take_results(old, made, &cells, now);
  free(types);
  PM_VEC_FREE(cells);
}

/* The cells as the next iteration finds them. */
static void move_on(const array *a, pm_value **now) {
  pm_value **moved = pm_xcalloc((size_t)a->n, sizeof *moved);
  for (int64_t k = 0; k < a->n; k++) moved[next_cell(a, k)] = now[k];
  memcpy(now, moved, (size_t)a->n * sizeof *moved);
  free(moved);
}

static void promote_for(array *a, pm_op *old, pm_value **now) {
  cell_list cells = {0};
  value_list values = {0};
  list_written(a, old, pm_map_get(a->live_at_begin, old), &cells);
  pm_builder b = pm_builder_before(old);
  for (size_t i = 0; i < cells.len; i++) PM_VEC_PUSH(values, value_of(a, &b, now, cells.data[i]));
  pm_op *made = loop_carry(&b, old, values.data, (unsigned)values.len);
  pm_region *to = pm_region_at(made, loop_for_body);
  pm_value **inside = pm_xcalloc((size_t)a->n, sizeof *inside);
  memcpy(inside, now, (size_t)a->n * sizeof *inside);
  for (size_t i = 0; i < cells.len; i++) inside[cells.data[i]] = to->args[1 + old->n_results + i];
  bool is_ring = old == a->loop;
  promote(a, to, inside);
  if (is_ring) move_on(a, inside);
  if (made->n_results) yield_cells(a, to, &cells, inside);
  take_results(old, made, &cells, now);
  free(inside);
  PM_VEC_FREE(values);
  PM_VEC_FREE(cells);
}

static void promote(array *a, pm_region *region, pm_value **now) {
  pm_op *next = region->first;
  for (pm_op *op = next; op; op = next) {
    next = op->next;
    int64_t cell = cell_of(a, op);
    if (cell >= 0 && pm_is(op, &buf_load)) {
      pm_builder b = pm_builder_before(op);
      pm_replace_uses(pm_res(op, 0), value_of(a, &b, now, cell));
      forget(a, op);
    } else if (cell >= 0) {
      now[cell] = pm_arg(op, buf_store_value);
      forget(a, op);
    } else if (op->n_regions && has_access(a, op)) {
      if (pm_is(op, &loop_if))
        promote_if(a, op, now);
      else
        promote_for(a, op, now);
    }
  }
}

static bool promote_array(pm_arena *arena, pm_op *alloc, int64_t most) {
  array a = {.alloc = alloc,
             .arena = arena,
             .ring = -1,
             .cell_of = pm_map_new(),
             .live_behind = pm_map_new(),
             .live_at_begin = pm_map_new()};
  bool may = may_promote(&a, most);
  if (may) {
    bool *live = pm_xcalloc((size_t)a.n, sizeof *live);
    pm_value **now = pm_xcalloc((size_t)a.n, sizeof *now);
    find_live(&a, alloc->region, live);
    promote(&a, alloc->region, now);
    pm_op_erase(alloc);
    free(live);
    free(now);
  }
  PM_VEC_FREE(a.accesses);
  pm_map_free(a.cell_of);
  pm_map_free(a.live_behind);
  pm_map_free(a.live_at_begin);
  return may;
}

/* --- arrays of conditions --- */

/* The condition beside the array in whose regions all its uses are, or NULL. */
static pm_op *condition_of_all(const pm_op *alloc) {
  pm_op *only = NULL;
  for (unsigned i = 0; i < alloc->n_results; i++) PM_FOR_USES(use, pm_res(alloc, i)) {
      pm_op *at = in_region(pm_user(use), alloc->region);
      if (!pm_is(at, &loop_if) || at == pm_user(use) || (only && at != only)) return NULL;
      only = at;
    }
  return only;
}

static void make_inside(pm_op *alloc, pm_region *region, op_list *made) {
  pm_op *copy = NULL;
  for (unsigned i = 0; i < alloc->n_results; i++)
    for (pm_use *use = pm_uses(pm_res(alloc, i)), *next; use; use = next) {
      next = pm_next_use(use);
      if (!in_region(pm_user(use), region)) continue;
      if (!copy) {
        copy = pm_clone(pm_module_of(alloc), alloc, NULL);
        pm_insert(region, region->first, copy);
        PM_VEC_PUSH(*made, copy);
      }
      pm_set_operand(pm_user(use), (unsigned)(use - pm_operands(pm_user(use))), pm_res(copy, i));
    }
}

/* Makes the array in the regions of the one condition that it is used in; those are then in the list. */
static bool sink(pm_op *alloc, op_list *list) {
  bool may = !alloc->n_operands && pm_res(alloc, 0)->type->space == PM_SPACE_STACK;
  pm_op *condition = may ? condition_of_all(alloc) : NULL;
  if (!condition) return false;
  for (unsigned r = 0; r < condition->n_regions; r++)
    if (pm_region_at(condition, r)->present) make_inside(alloc, pm_region_at(condition, r), list);
  pm_op_erase(alloc);
  return true;
}

static pm_walk list_alloc(void *user, pm_op *op) {
  op_list *list = user;
  if (pm_is(op, &buf_alloc)) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

pm_result pass_promote_arrays(pm_pass *pass) {
  op_list list = {0};
  int64_t promoted = 0, sunk = 0, most = pm_opt_int(pass, promote_arrays_opt_cells);
  (void)pm_walk_pre(pm_pass_root(pass), list_alloc, &list);
  for (size_t i = 0; i < list.len; i++) {
    if (promote_array(pm_pass_arena(pass), list.data[i], most))
      promoted++;
    else
      sunk += sink(list.data[i], &list);
  }
  PM_VEC_FREE(list);
  pm_pass_stat(pass, "arrays promoted", promoted);
  pm_pass_stat(pass, "arrays made in conditions", sunk);
  return promoted + sunk ? PM_CHANGED : PM_UNCHANGED;
}
