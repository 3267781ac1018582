/* A body becomes a list of steps over slots, each slot holding one value at up to STAGE_CHUNK points.
 * A slot is used again once its value is dead, so that a chunk's values stay in the cache. Slots 0 ..
 * n_dims-1 are the point's coordinates; along a row they are only filled when a step asks for them, since
 * reads at indices that are linear along the row need just the row's first point.
 *
 * A case that reads its own stage is evaluated in chunks too: a read finds out when it would need a point of
 * the chunk itself, and then the chunk is cut before the point that reads. */
#include "dialects/stage/interpreter/body.h"

#include "dialects/arith/arith.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/interpreter/index_expr.h"
#include "dialects/stage/stage.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 3 };

/* The cells that a stage.read reads or a stage.combine changes. */
typedef struct access_code {
  const pm_op *op;
  pm_string name;
  const stage_memory *memory;
  index_expr index[PM_MAX_RANK];
  unsigned rank;
  bool linear; /* all indices are, along a row */
  bool moded;  /* some dimension has a boundary mode */
  stage_boundary boundary;
  pm_lane constants[PM_MAX_RANK]; /* of the boundary */
} access_code;

/* A read, yield or combine of a tuple is a step for each element. */
typedef struct body_step {
  enum { STEP_EVAL, STEP_READ, STEP_GUARD, STEP_YIELD, STEP_COMBINE, STEP_CHOOSE } kind;
  pm_kernel kernel;
  size_t access;           /* in body->accesses */
  unsigned element;        /* of the tuples of the cells */
  unsigned args[MAX_ARGS]; /* slots */
  unsigned n_args, out;
  uint32_t dims; /* coordinates that it needs as lanes */
} body_step;

typedef struct fixed_slot {
  unsigned slot;
  pm_lane lane;
} fixed_slot;

struct stage_body {
  stage_body_env env;
  unsigned n_dims;
  PM_VEC(body_step) steps;
  PM_VEC(access_code) accesses;
  PM_VEC(fixed_slot) fixed;  /* params and constants */
  PM_VEC(bool) is_temporary; /* per slot */
  PM_VEC(unsigned) unused;
  pm_map *slot_of;  /* value -> 1 + slot */
  pm_map *last_use; /* value -> last op of the body that uses it */
  unsigned depth;   /* of index stacks */
  pm_lane *slots;
  int64_t *stack, *offsets;
  uint8_t *constant; /* of a read: per lane 0, or 1 + the dimension whose boundary gives the value */
  void *dense;       /* cells on their way from and to arrays */
  /* the chunk at hand */
  size_t n;
  bool row;
  int64_t origin[PM_MAX_RANK];
  uint32_t have;    /* coordinates that are filled as lanes */
  int64_t first;    /* of a recurrence: cell of the chunk's first point */
  int64_t conflict; /* cell of a point that needs one of the chunk, or -1 */
  size_t limit[2];  /* points in a chunk: scattered, and of a row */
};

static const pm_region *body_region(const stage_body *b) {
  return pm_region_at(b->env.op, 0);
}
static const pm_op *func_of(const stage_body *b) {
  return pm_parent(b->env.op);
}
static pm_lane *slot_at(const stage_body *b, size_t slot) {
  return b->slots + slot * STAGE_CHUNK;
}

/* --- making: slots --- */

static unsigned new_slot(stage_body *b, bool temporary) {
  if (temporary && b->unused.len) return PM_VEC_POP(b->unused);
  PM_VEC_PUSH(b->is_temporary, temporary);
  return (unsigned)b->is_temporary.len - 1;
}

static void set_slot(stage_body *b, const pm_value *value, unsigned slot) {
  pm_map_set(b->slot_of, value, (void *)(uintptr_t)(slot + 1));
}

static unsigned fixed_slot_of(stage_body *b, const pm_value *value, pm_lane lane) {
  unsigned slot = new_slot(b, false);
  PM_VEC_PUSH(b->fixed, ((fixed_slot){slot, lane}));
  set_slot(b, value, slot);
  return slot;
}

/* The slot of an operand; params and constants get theirs at first use. */
static unsigned slot_of_value(stage_body *b, const pm_value *value) {
  uintptr_t known = (uintptr_t)pm_map_get(b->slot_of, value);
  if (known) return (unsigned)known - 1;
  const pm_lane *param = pm_map_get(b->env.params, value);
  if (param) return fixed_slot_of(b, value, *param);
  pm_attr constant = pm_constant_value(value);
  if (!constant) pm_panic(b->env.op, "a value that is neither computed in the body nor a param");
  return fixed_slot_of(b, value, pm_lane_of_attr(constant));
}

static void find_last_uses(stage_body *b) {
  PM_FOR_OPS(op, body_region(b))
  for (unsigned i = 0; i < op->n_operands; i++) pm_map_set(b->last_use, pm_arg(op, i), op);
}

/* Gives back the slots of temporaries that `op` is the last to use. */
static void release_operands(stage_body *b, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_value *value = pm_arg(op, i);
    uintptr_t slot = (uintptr_t)pm_map_get(b->slot_of, value);
    if (!slot || !b->is_temporary.data[slot - 1] || pm_map_get(b->last_use, value) != op) continue;
    PM_VEC_PUSH(b->unused, (unsigned)slot - 1);
    pm_map_remove(b->slot_of, value);
  }
}

/* --- making: steps --- */

static index_operand index_operand_of(stage_body *b, const pm_value *value) {
  if (pm_is_arg(value) && pm_value_region(value) == body_region(b))
    return (index_operand){INDEX_DIM, pm_value_index(value)};
  const pm_lane *param = pm_map_get(b->env.params, value);
  if (param) return (index_operand){INDEX_CONSTANT, param->i};
  pm_attr constant = pm_constant_value(value);
  if (constant) return (index_operand){INDEX_CONSTANT, constant->i};
  return (index_operand){INDEX_LANES, slot_of_value(b, value)};
}

static pm_string accessed_stage(const stage_body *b, const pm_op *op) {
  return pm_is(op, &stage_read) ? pm_sym_at(op, stage_read_stage) : pm_sym_at(func_of(b), stage_func_sym);
}

static void init_indices(stage_body *b, access_code *a, pm_affine_map map) {
  unsigned first = stage_index_operand(a->op);
  index_operand *operands = pm_xcalloc(a->op->n_operands + 1u, sizeof *operands);
  for (unsigned i = first; i < a->op->n_operands; i++)
    operands[i - first] = index_operand_of(b, pm_arg(a->op, i));
  for (unsigned d = 0; d < a->rank; d++) {
    index_expr_init(&a->index[d], map->results[d], operands, b->n_dims - 1);
    a->linear = a->linear && a->index[d].linear;
    if (a->index[d].depth > b->depth) b->depth = a->index[d].depth;
  }
  free(operands);
}

static void init_boundary(access_code *a) {
  a->moded = pm_is(a->op, &stage_read) && stage_boundary_of_read(a->op, a->memory->stage, &a->boundary);
  for (unsigned d = 0; d < a->rank; d++)
    if (a->boundary.values[d]) a->constants[d] = pm_lane_of_attr(a->boundary.values[d]);
}

static size_t new_access(stage_body *b, const pm_op *op) {
  pm_affine_map map = stage_index_map(op);
  access_code a = {.op = op, .name = accessed_stage(b, op), .rank = map->n_results, .linear = true};
  a.memory = pm_map_get(b->env.memory, a.name);
  if (!a.memory || a.memory->arrays->rank != a.rank)
    pm_panic(op, "an access to a stage that was not computed");
  init_boundary(&a);
  init_indices(b, &a, map);
  if (pm_is(op, &stage_read) && a.memory == b->env.target && pm_is(b->env.op, &stage_update))
    b->limit[0] = b->limit[1] = 1;
  PM_VEC_PUSH(b->accesses, a);
  return b->accesses.len - 1;
}

/* `n` operands from number `first`. */
static void read_args(stage_body *b, const pm_op *op, unsigned first, unsigned n, body_step *step) {
  step->n_args = n;
  for (unsigned i = 0; i < n; i++) {
    step->args[i] = slot_of_value(b, pm_arg(op, first + i));
    if (step->args[i] < b->n_dims) step->dims |= UINT32_C(1) << step->args[i];
  }
}

static bool init_eval(stage_body *b, const pm_op *op, body_step *step) {
  step->kind = STEP_EVAL;
  step->kernel = op->n_operands >= 1 && op->n_operands <= MAX_ARGS ? pm_find_kernel(op) : NULL;
  if (!step->kernel) return pm_op_error(op, "cannot be interpreted");
  read_args(b, op, 0, op->n_operands, step);
  return true;
}

/* How many steps an op becomes. */
static unsigned count_steps(const pm_op *op) {
  if (pm_is(op, &stage_combine)) return stage_combine_len(op);
  return pm_is(op, &stage_read) ? op->n_results : pm_is(op, &stage_yield) ? op->n_operands : 1;
}

/* Without a kernel the value replaces the cell's. */
static void init_combine(stage_body *b, const pm_op *op, size_t access, body_step *step) {
  const pm_op_desc *desc = stage_combine_desc(op, step->element);
  step->kind = stage_combine_is_choice(op) ? STEP_CHOOSE : STEP_COMBINE;
  step->kernel = desc ? pm_find_kernel_of(desc, b->env.target->arrays[step->element].scalar) : NULL;
  if (desc && !step->kernel) pm_panic(op, "a combination of values of this type that arith does not have");
  step->access = access;
  read_args(b, op, step->element, 1, step);
}

static bool init_step(stage_body *b, const pm_op *op, size_t access, body_step *step) {
  if (pm_is(op, &stage_read)) {
    step->kind = STEP_READ;
    step->access = access;
  } else if (pm_is(op, &stage_combine))
    init_combine(b, op, access, step);
  else if (pm_is(op, &stage_guard) || pm_is(op, &stage_yield)) {
    step->kind = pm_is(op, &stage_guard) ? STEP_GUARD : STEP_YIELD;
    read_args(b, op, step->element, 1, step);
  } else
    return init_eval(b, op, step);
  return true;
}

/* The results' slots are taken before the operands' are given back: no step writes where it, or a later one
 * of the same op, reads. */
static bool add_op(stage_body *b, const pm_op *op) {
  bool accesses = pm_is(op, &stage_read) || pm_is(op, &stage_combine);
  size_t access = accesses ? new_access(b, op) : 0, first = b->steps.len;
  for (unsigned i = 0; i < count_steps(op); i++) {
    body_step step = {.element = i};
    if (!init_step(b, op, access, &step)) return false;
    if (op->n_results) step.out = new_slot(b, true);
    PM_VEC_PUSH(b->steps, step);
  }
  release_operands(b, op);
  for (unsigned i = 0; i < op->n_results; i++) {
    unsigned out = b->steps.data[first + i].out;
    if (pm_map_has(b->last_use, pm_res(op, i)))
      set_slot(b, pm_res(op, i), out);
    else
      PM_VEC_PUSH(b->unused, out);
  }
  return true;
}

static bool add_steps(stage_body *b) {
  for (unsigned d = 0; d < b->n_dims; d++) set_slot(b, body_region(b)->args[d], new_slot(b, false));
  find_last_uses(b);
  PM_FOR_OPS(op, body_region(b))
  if (!pm_has_trait(op, PM_CONSTANT) && !add_op(b, op)) return false;
  return true;
}

static void make_lanes(stage_body *b) {
  b->slots = pm_xcalloc((b->is_temporary.len + 1) * STAGE_CHUNK, sizeof *b->slots);
  b->stack = pm_xcalloc((b->depth + 1) * (size_t)STAGE_CHUNK, sizeof *b->stack);
  b->offsets = pm_xcalloc(STAGE_CHUNK, sizeof *b->offsets);
  b->constant = pm_xcalloc(STAGE_CHUNK, sizeof *b->constant);
  b->dense = pm_xcalloc(STAGE_CHUNK, sizeof(uint64_t));
  for (size_t i = 0; i < b->fixed.len; i++)
    for (size_t k = 0; k < STAGE_CHUNK; k++) slot_at(b, b->fixed.data[i].slot)[k] = b->fixed.data[i].lane;
}

stage_body *stage_body_new(const stage_body_env *env) {
  stage_body *b = pm_xcalloc(1, sizeof *b);
  b->env = *env;
  b->limit[0] = b->limit[1] = STAGE_CHUNK;
  b->n_dims = pm_region_at(env->op, 0)->n_args;
  b->slot_of = pm_map_new();
  b->last_use = pm_map_new();
  if (!add_steps(b)) {
    stage_body_free(b);
    return NULL;
  }
  make_lanes(b);
  return b;
}

void stage_body_free(stage_body *b) {
  if (!b) return;
  for (size_t i = 0; i < b->accesses.len; i++)
    for (unsigned d = 0; d < b->accesses.data[i].rank; d++) index_expr_free(&b->accesses.data[i].index[d]);
  PM_VEC_FREE(b->steps);
  PM_VEC_FREE(b->accesses);
  PM_VEC_FREE(b->fixed);
  PM_VEC_FREE(b->is_temporary);
  PM_VEC_FREE(b->unused);
  pm_map_free(b->slot_of);
  pm_map_free(b->last_use);
  free(b->slots);
  free(b->stack);
  free(b->offsets);
  free(b->constant);
  free(b->dense);
  free(b);
}

/* --- coordinates --- */

static int64_t coordinate(const stage_body *b, unsigned d, size_t k) {
  if (!b->row) return slot_at(b, d)[k].i;
  return b->origin[d] + (d + 1 == b->n_dims ? (int64_t)k : 0);
}

/* Fills the coordinates in `dims` as lanes. */
static void fill_coordinates(stage_body *b, uint32_t dims) {
  uint32_t missing = dims & ~b->have;
  if (!missing) return;
  for (unsigned d = 0; d < b->n_dims; d++) {
    if (!(missing >> d & 1)) continue;
    pm_lane *lanes = slot_at(b, d);
    int64_t first = b->origin[d], step = d + 1 == b->n_dims;
    for (size_t k = 0; k < b->n; k++) lanes[k].i = first + (int64_t)k * step;
  }
  b->have |= missing;
}

int64_t stage_cell_of(const stage_memory *m, const stage_points *points, size_t k) {
  unsigned rank = m->arrays->rank;
  int64_t cell = points->row && rank ? (int64_t)k * m->strides[rank - 1] : 0;
  for (unsigned d = 0; d < rank; d++) {
    int64_t x = points->row ? points->origin[d] : points->coords[d][k].i;
    cell += (x - m->lower[d]) * m->strides[d];
  }
  return cell;
}

static void begin_chunk(stage_body *b, const stage_points *points) {
  b->n = points->n;
  b->row = points->row;
  b->have = 0;
  b->conflict = -1;
  if (b->env.covered) b->first = stage_cell_of(b->env.target, points, 0);
  if (points->row) {
    memcpy(b->origin, points->origin, sizeof b->origin);
    return;
  }
  for (unsigned d = 0; d < b->n_dims; d++) {
    memcpy(slot_at(b, d), points->coords[d], b->n * sizeof(pm_lane));
    b->have |= UINT32_C(1) << d;
  }
}

/* " (1, 2)" for the point of lane k. */
static void print_point(const stage_body *b, size_t k, pm_buf *out) {
  for (unsigned d = 0; d < b->n_dims; d++)
    pm_buf_printf(out, "%s%lld", d == 0 ? "(" : ", ", (long long)coordinate(b, d, k));
  pm_buf_puts(out, b->n_dims ? ")" : "()");
}

/* --- cells --- */

static bool in_extent(const stage_memory *m, unsigned d, int64_t index) {
  return index >= m->lower[d] && index - m->lower[d] < m->extents[d];
}

static bool row_is_inside(const stage_memory *m, int64_t offset, int64_t step, size_t n) {
  if (!m->inside) return true;
  for (size_t k = 0; k < n; k++)
    if (!m->inside[offset + (int64_t)k * step]) return false;
  return true;
}

static char *cell_at(const pm_array *array, int64_t offset) {
  return (char *)array->data + offset * (int64_t)pm_scalar_bytes(array->scalar);
}

/* The read may need a value of the chunk itself, or of a later point. */
static bool reads_own_stage(const stage_body *b, const access_code *r) {
  return b->env.covered && r->memory == b->env.target;
}

/* All cells along the row come before the chunk. */
static bool precedes_chunk(const stage_body *b, int64_t offset, int64_t step) {
  return offset < b->first && offset + step * (int64_t)(b->n - 1) < b->first;
}

/* False when a lane is outside the domain or may not precede the chunk; nothing is read then. */
static bool read_along_row(stage_body *b, const access_code *r, unsigned element, pm_lane *out) {
  const stage_memory *m = r->memory;
  int64_t offset = 0, step = 0;
  for (unsigned d = 0; d < r->rank; d++) {
    int64_t first = index_expr_at(&r->index[d], b->origin, b->stack);
    if (!in_extent(m, d, first) || !in_extent(m, d, first + r->index[d].step * (int64_t)(b->n - 1)))
      return false;
    offset += (first - m->lower[d]) * m->strides[d];
    step += r->index[d].step * m->strides[d];
  }
  if (!row_is_inside(m, offset, step, b->n)) return false;
  if (reads_own_stage(b, r) && !precedes_chunk(b, offset, step)) return false;
  const pm_array *array = &m->arrays[element];
  arith_load_lanes(array->scalar, cell_at(array, offset), step, out, b->n);
  return true;
}

/* The indices of one dimension, as its boundary mode maps them; notes the lanes that become constants. */
static void map_indices(stage_body *b, const access_code *r, unsigned d) {
  const stage_memory *m = r->memory;
  stage_mode mode = r->boundary.modes[d];
  for (size_t k = 0; k < b->n; k++) {
    int64_t index = b->stack[k];
    b->stack[k] = stage_boundary_index(mode, index, m->lower[d], m->extents[d]);
    if (mode == STAGE_CONSTANT && index != b->stack[k] && !b->constant[k]) b->constant[k] = (uint8_t)(d + 1);
  }
}

/* Adds one dimension to the offsets; the first lane outside the box, or b->n. */
static size_t add_index(stage_body *b, const stage_memory *m, unsigned d) {
  for (size_t k = 0; k < b->n; k++) {
    if (!in_extent(m, d, b->stack[k])) return k;
    b->offsets[k] += (b->stack[k] - m->lower[d]) * m->strides[d];
  }
  return b->n;
}

/* Fills the offsets of the cells; the first lane outside the domain, or b->n. */
static size_t find_cells(stage_body *b, const access_code *r) {
  const stage_memory *m = r->memory;
  memset(b->offsets, 0, b->n * sizeof *b->offsets);
  memset(b->constant, 0, b->n * sizeof *b->constant);
  for (unsigned d = 0; d < r->rank; d++) {
    fill_coordinates(b, r->index[d].dims);
    index_expr_lanes(&r->index[d], b->slots, b->n, b->stack);
    if (r->boundary.modes[d] != STAGE_NONE) map_indices(b, r, d);
    size_t outside = add_index(b, m, d);
    if (outside < b->n) return outside;
  }
  for (size_t k = 0; m->inside && k < b->n; k++)
    if (!m->inside[b->offsets[k]]) return k;
  return b->n;
}

/* "1, 2" for the cell of lane k. */
static void print_index(stage_body *b, const access_code *r, size_t k, pm_buf *out) {
  for (unsigned d = 0; d < r->rank; d++) {
    fill_coordinates(b, r->index[d].dims);
    index_expr_lanes(&r->index[d], b->slots, b->n, b->stack);
    pm_buf_printf(out, "%s%lld", d == 0 ? "" : ", ", (long long)b->stack[k]);
  }
}

/* "f(1, 2)", "the update of f at (1, 2)". */
static void print_instance(const stage_body *b, size_t k, pm_buf *out) {
  const char *name = pm_sym_at(func_of(b), stage_func_sym)->text;
  bool update = pm_is(b->env.op, &stage_update);
  pm_buf_printf(out, "%s%s%s", update ? "the update of " : "", name, update ? " at " : "");
  print_point(b, k, out);
}

static const char *verb_of(const access_code *r) {
  return pm_is(r->op, &stage_read) ? "read" : "changed";
}

static void print_box(const stage_memory *m, pm_buf *out) {
  if (pm_array_count(m->arrays) == 0) {
    pm_buf_puts(out, "empty");
    return;
  }
  pm_buf_puts(out, m->inside ? "a part of (" : "(");
  for (unsigned d = 0; d < m->arrays->rank; d++)
    pm_buf_printf(out, "%s%lld..%lld", d == 0 ? "" : ", ", (long long)m->lower[d],
                  (long long)(m->lower[d] + m->extents[d] - 1));
  pm_buf_putc(out, ')');
}

static bool error_outside(stage_body *b, const access_code *r, size_t k) {
  pm_buf index = {0}, instance = {0}, box = {0};
  print_index(b, r, k, &index);
  print_instance(b, k, &instance);
  print_box(r->memory, &box);
  pm_error(pm_op_context(r->op), r->op->loc, "%pS(%s) is %s by %s, but the domain of %pS is %s",
           (const void *)r->name, index.data ? index.data : "", verb_of(r), instance.data,
           (const void *)r->name, box.data);
  pm_buf_free(&index);
  pm_buf_free(&instance);
  pm_buf_free(&box);
  return false;
}

static bool error_later(stage_body *b, const access_code *r, size_t k) {
  pm_buf index = {0}, instance = {0};
  print_index(b, r, k, &index);
  print_instance(b, k, &instance);
  pm_error(pm_op_context(r->op), r->op->loc,
           "%pS(%s) is read by %s, but it should read earlier points, or ones that no case computes",
           (const void *)r->name, index.data ? index.data : "", instance.data);
  pm_buf_free(&index);
  pm_buf_free(&instance);
  return false;
}

/* dense[k] = data[offsets[k]] in cells of `bytes` bytes; a constant at each call, so that the copies are
 * single moves. */
static inline void gather_cells(size_t bytes, const char *data, const int64_t *offsets, char *dense,
                                size_t n) {
  for (size_t k = 0; k < n; k++) memcpy(dense + k * bytes, data + offsets[k] * (int64_t)bytes, bytes);
}

static inline void scatter_cells(size_t bytes, char *data, const int64_t *offsets, const char *dense,
                                 size_t n) {
  for (size_t k = 0; k < n; k++) memcpy(data + offsets[k] * (int64_t)bytes, dense + k * bytes, bytes);
}

static void gather(size_t bytes, const void *data, const int64_t *offsets, void *dense, size_t n) {
  if (bytes == 1)
    gather_cells(1, data, offsets, dense, n);
  else if (bytes == 2)
    gather_cells(2, data, offsets, dense, n);
  else if (bytes == 4)
    gather_cells(4, data, offsets, dense, n);
  else
    gather_cells(8, data, offsets, dense, n);
}

static void scatter(size_t bytes, void *data, const int64_t *offsets, const void *dense, size_t n) {
  if (bytes == 1)
    scatter_cells(1, data, offsets, dense, n);
  else if (bytes == 2)
    scatter_cells(2, data, offsets, dense, n);
  else if (bytes == 4)
    scatter_cells(4, data, offsets, dense, n);
  else
    scatter_cells(8, data, offsets, dense, n);
}

/* The cell of the point of lane k. */
static int64_t own_cell(const stage_body *b, size_t k) {
  const stage_memory *m = b->env.target;
  int64_t cell = 0;
  for (unsigned d = 0; d < b->n_dims; d++) cell += (coordinate(b, d, k) - m->lower[d]) * m->strides[d];
  return cell;
}

/* The cells of the offsets have their values; else false with a diagnostic, or with the conflict set. Cells
 * are in the lexicographic order of their points. */
static bool check_order(stage_body *b, const access_code *r) {
  for (size_t k = 0; k < b->n; k++) {
    int64_t cell = b->offsets[k];
    if (cell < b->first || !b->env.covered[cell] || b->constant[k]) continue;
    int64_t own = own_cell(b, k);
    if (cell >= own) return error_later(b, r, k);
    b->conflict = own;
    return false;
  }
  return true;
}

static void put_constants(const stage_body *b, const access_code *r, pm_lane *out) {
  for (size_t k = 0; k < b->n; k++)
    if (b->constant[k]) out[k] = r->constants[b->constant[k] - 1];
}

static bool run_read(stage_body *b, const access_code *r, unsigned element, pm_lane *out) {
  if (b->row && r->linear && b->n && read_along_row(b, r, element, out)) return true;
  const pm_array *array = &r->memory->arrays[element];
  size_t outside = find_cells(b, r);
  if (outside < b->n) return error_outside(b, r, outside);
  if (reads_own_stage(b, r) && !check_order(b, r)) return false;
  gather(pm_scalar_bytes(array->scalar), array->data, b->offsets, b->dense, b->n);
  arith_load_lanes(array->scalar, b->dense, 1, out, b->n);
  if (r->moded) put_constants(b, r, out);
  return true;
}

/* --- guards --- */

/* Moves the lanes whose condition holds to the front. */
static void compress(pm_lane *lanes, const size_t *kept, size_t n) {
  for (size_t k = 0; k < n; k++) lanes[k] = lanes[kept[k]];
}

/* Keeps the points where the condition holds. */
static void run_guard(stage_body *b, const pm_lane *condition) {
  size_t kept[STAGE_CHUNK], n = 0;
  for (size_t k = 0; k < b->n; k++)
    if (condition[k].i) kept[n++] = k;
  if (n == b->n) return;
  fill_coordinates(b, (UINT32_C(1) << b->n_dims) - 1);
  for (size_t slot = 0; slot < b->is_temporary.len; slot++)
    if (slot < b->n_dims || b->is_temporary.data[slot]) compress(slot_at(b, slot), kept, n);
  b->row = false;
  b->n = n;
}

/* --- writes --- */

static void find_own_cells(stage_body *b) {
  const stage_memory *m = b->env.target;
  memset(b->offsets, 0, b->n * sizeof *b->offsets);
  fill_coordinates(b, (UINT32_C(1) << b->n_dims) - 1);
  for (unsigned d = 0; d < b->n_dims; d++)
    for (size_t k = 0; k < b->n; k++) b->offsets[k] += (slot_at(b, d)[k].i - m->lower[d]) * m->strides[d];
}

static bool error_overlap(stage_body *b, size_t k) {
  pm_buf point = {0};
  unsigned other = b->env.writer[b->offsets[k]] - 1u;
  print_point(b, k, &point);
  pm_error(pm_op_context(b->env.op), b->env.op->loc,
           "the case applies to %pS%s, where another case applies too: cases should exclude each other",
           (const void *)pm_sym_at(func_of(b), stage_func_sym), point.data);
  pm_note(pm_op_context(b->env.op), b->env.cases[other]->loc, "the other case is here");
  pm_buf_free(&point);
  return false;
}

static bool claim_cells(stage_body *b) {
  for (size_t k = 0; k < b->n; k++) {
    uint16_t *writer = &b->env.writer[b->offsets[k]];
    if (*writer && *writer != b->env.case_index + 1) return error_overlap(b, k);
    *writer = (uint16_t)(b->env.case_index + 1);
  }
  return true;
}

static void write_row(stage_body *b, unsigned element, const pm_lane *lanes) {
  const stage_memory *m = b->env.target;
  const pm_array *array = &m->arrays[element];
  int64_t offset = 0;
  for (unsigned d = 0; d < b->n_dims; d++) offset += (b->origin[d] - m->lower[d]) * m->strides[d];
  int64_t step = b->n_dims ? m->strides[b->n_dims - 1] : 1;
  arith_store_lanes(array->scalar, lanes, cell_at(array, offset), step, b->n);
}

static bool run_yield(stage_body *b, unsigned element, const pm_lane *lanes) {
  const pm_array *array = &b->env.target->arrays[element];
  if (b->row && !b->env.writer) {
    write_row(b, element, lanes);
    return true;
  }
  find_own_cells(b);
  if (b->env.writer && !claim_cells(b)) return false;
  arith_store_lanes(array->scalar, lanes, b->dense, 1, b->n);
  scatter(pm_scalar_bytes(array->scalar), array->data, b->offsets, b->dense, b->n);
  return true;
}

/* cell := op(cell, value), lane by lane, since lanes may have one cell. */
static bool run_combine(stage_body *b, const body_step *step, const pm_lane *lanes) {
  const access_code *target = &b->accesses.data[step->access];
  const pm_array *array = &target->memory->arrays[step->element];
  size_t outside = find_cells(b, target);
  if (outside < b->n) return error_outside(b, target, outside);
  for (size_t k = 0; k < b->n; k++) {
    char *cell = cell_at(array, b->offsets[k]);
    pm_lane value = lanes[k];
    if (step->kernel) {
      arith_load_lanes(array->scalar, cell, 1, &value, 1);
      step->kernel((const pm_lane *const[]){&value, &lanes[k]}, &value, 1);
    }
    arith_store_lanes(array->scalar, &value, cell, 1, 1);
  }
  return true;
}

typedef enum ordering { LESS, EQUAL, GREATER, UNORDERED } ordering;

static ordering compare(pm_scalar scalar, pm_lane a, pm_lane b) {
  bool is_float = pm_get_scalar_info(scalar)->is_float;
  if (!is_float && scalar == PM_U64)
    return (uint64_t)a.i < (uint64_t)b.i ? LESS : a.i == b.i ? EQUAL : GREATER;
  if (!is_float) return a.i < b.i ? LESS : a.i == b.i ? EQUAL : GREATER;
  double x = scalar == PM_F64 ? a.d : (double)a.f, y = scalar == PM_F64 ? b.d : (double)b.f;
  return x < y ? LESS : x == y ? EQUAL : x > y ? GREATER : UNORDERED;
}

/* The tuple of lane k, of the `n` steps of a choice, is better than that of the cell. */
static bool is_better(const stage_body *b, const body_step *steps, unsigned n, size_t k) {
  const access_code *target = &b->accesses.data[steps->access];
  stage_combine_op op = STAGE_ARGMIN;
  for (unsigned i = 0; i < n; i++) {
    const pm_array *array = &target->memory->arrays[i];
    pm_lane cell;
    arith_load_lanes(array->scalar, cell_at(array, b->offsets[k]), 1, &cell, 1);
    ordering order = compare(array->scalar, slot_at(b, steps[i].args[0])[k], cell);
    stage_combine_op_of(target->op, i, &op);
    if (order != EQUAL) return order == (op == STAGE_ARGMAX ? GREATER : LESS);
  }
  return false;
}

/* By the last of the steps; lane by lane, since lanes may have one cell. */
static bool run_choose(stage_body *b, const body_step *last) {
  const access_code *target = &b->accesses.data[last->access];
  const body_step *steps = last - last->element;
  unsigned n = last->element + 1;
  if (n < stage_combine_len(target->op)) return true;
  size_t outside = find_cells(b, target);
  if (outside < b->n) return error_outside(b, target, outside);
  for (size_t k = 0; k < b->n; k++) {
    bool better = is_better(b, steps, n, k);
    for (unsigned i = 0; better && i < n; i++) {
      const pm_array *array = &target->memory->arrays[i];
      arith_store_lanes(array->scalar, &slot_at(b, steps[i].args[0])[k], cell_at(array, b->offsets[k]), 1, 1);
    }
  }
  return true;
}

/* --- running --- */

static bool run_step(stage_body *b, const body_step *step) {
  fill_coordinates(b, step->dims);
  const pm_lane *args[MAX_ARGS];
  for (unsigned i = 0; i < step->n_args; i++) args[i] = slot_at(b, step->args[i]);
  switch (step->kind) {
  case STEP_EVAL:
    step->kernel(args, slot_at(b, step->out), b->n);
    return true;
  case STEP_READ:
    return run_read(b, &b->accesses.data[step->access], step->element, slot_at(b, step->out));
  case STEP_GUARD:
    run_guard(b, args[0]);
    return true;
  case STEP_COMBINE:
    return run_combine(b, step, args[0]);
  case STEP_CHOOSE:
    return run_choose(b, step);
  default:
    return run_yield(b, step->element, args[0]);
  }
}

static bool run_chunk(stage_body *b, const stage_points *points) {
  begin_chunk(b, points);
  for (size_t i = 0; i < b->steps.len && b->n; i++)
    if (!run_step(b, &b->steps.data[i])) return false;
  return true;
}

/* n of the points from number `from`. */
static stage_points part_of(const stage_body *b, const stage_points *points, size_t from, size_t n) {
  stage_points part = *points;
  part.n = n;
  for (unsigned d = 0; d < b->n_dims; d++)
    if (part.row)
      part.origin[d] += d + 1 == b->n_dims ? (int64_t)from : 0;
    else
      part.coords[d] += from;
  return part;
}

/* How many of the points come before that of the cell. */
static size_t points_before(const stage_body *b, const stage_points *points, int64_t cell) {
  size_t n = 0;
  while (n < points->n && stage_cell_of(b->env.target, points, n) < cell) n++;
  return n;
}

bool stage_body_run(void *body, const stage_points *points) {
  stage_body *b = body;
  size_t *limit = &b->limit[points->row], done = 0;
  while (done < points->n) {
    stage_points part = part_of(b, points, done, points->n - done < *limit ? points->n - done : *limit);
    if (run_chunk(b, &part))
      done += part.n;
    else if (b->conflict >= 0)
      *limit = points_before(b, &part, b->conflict);
    else
      return false;
  }
  return true;
}
