/* Vectors: every lane of an access is an access of its own, checked like a scalar one. Arguments are the
 * operands without the buffer, in the order of the rows. */
#include "dialects/loop/interpreter/interp_private.h"
#include "dialects/loop/vec.h"

/* The cell `places` along the last dimension from `base`. */
static void move_cell(const interp_inst *inst, const int64_t *base, int64_t places, int64_t *cell) {
  unsigned last = inst->n_indices - 1;
  for (unsigned k = 0; k < last; k++) cell[k] = base[k];
  cell[last] = (int64_t)((uint64_t)base[last] + (uint64_t)places);
}

/* Lanes where `mask` (NULL: everywhere) is true, from `run` cells at each of the offsets (NULL: of one, 0);
 * the others stay. */
static bool load_lanes(interp *in, const interp_inst *inst, const pm_lane *offsets, unsigned run,
                       const pm_lane *mask) {
  int64_t base[PM_MAX_RANK], cell[PM_MAX_RANK];
  unsigned n = pm_res(inst->op, 0)->type->lanes;
  interp_find_indices(inst, base);
  for (unsigned i = 0; i < n; i++) {
    if (mask && !mask[i].i) continue;
    move_cell(inst, base, offsets ? offsets[i / run].i + i % run : (int64_t)i, cell);
    const void *data = interp_read_cell(in, inst, cell);
    if (!data || (i == 0 && !interp_check_align(in, inst, cell, data))) return false;
    arith_load_lanes(inst->buffer->scalar, data, 1, &inst->outs[0][i], 1);
  }
  return true;
}

/* Lane i of `value` into the cell at `offsets` (NULL: 0, 1, …), one after the other. */
static bool store_lanes(interp *in, const interp_inst *inst, const pm_lane *value, unsigned n,
                        const pm_lane *offsets, const pm_lane *mask) {
  int64_t base[PM_MAX_RANK], cell[PM_MAX_RANK];
  interp_find_indices(inst, base);
  for (unsigned i = 0; i < n; i++) {
    if (mask && !mask[i].i) continue;
    move_cell(inst, base, offsets ? offsets[i].i : (int64_t)i, cell);
    void *data = interp_write_cell(in, inst, cell);
    if (!data || (i == 0 && !interp_check_align(in, inst, cell, data))) return false;
    arith_store_lanes(inst->buffer->scalar, &value[i], data, 1, 1);
  }
  return true;
}

static void copy_to_result(const interp_inst *inst, const pm_lane *from) {
  for (unsigned i = 0; i < pm_res(inst->op, 0)->type->lanes; i++) inst->outs[0][i] = from[i];
}

static bool run_load(interp *in, const interp_inst *inst) {
  return load_lanes(in, inst, NULL, 1, NULL);
}

static bool run_maskedload(interp *in, const interp_inst *inst) {
  copy_to_result(inst, inst->args[1]);
  return load_lanes(in, inst, NULL, 1, inst->args[0]);
}

static bool run_gather(interp *in, const interp_inst *inst) {
  return load_lanes(in, inst, inst->args[0], vec_gather_run(inst->op), NULL);
}

static bool run_maskedgather(interp *in, const interp_inst *inst) {
  copy_to_result(inst, inst->args[2]);
  return load_lanes(in, inst, inst->args[0], 1, inst->args[1]);
}

static bool run_store(interp *in, const interp_inst *inst) {
  return store_lanes(in, inst, inst->args[0], pm_arg(inst->op, vec_store_value)->type->lanes, NULL, NULL);
}

static bool run_maskedstore(interp *in, const interp_inst *inst) {
  unsigned n = pm_arg(inst->op, vec_maskedstore_value)->type->lanes;
  return store_lanes(in, inst, inst->args[1], n, NULL, inst->args[0]);
}

static bool run_scatter(interp *in, const interp_inst *inst) {
  unsigned n = pm_arg(inst->op, vec_scatter_value)->type->lanes;
  return store_lanes(in, inst, inst->args[1], n, inst->args[0], NULL);
}

static bool run_maskedscatter(interp *in, const interp_inst *inst) {
  unsigned n = pm_arg(inst->op, vec_maskedscatter_value)->type->lanes;
  return store_lanes(in, inst, inst->args[2], n, inst->args[0], inst->args[1]);
}

static bool run_reduce(interp *in, const interp_inst *inst) {
  (void)in;
  vec_reduce_lanes(inst->op, inst->args[0], inst->outs[0]);
  return true;
}

static bool run_splat(interp *in, const interp_inst *inst) {
  (void)in;
  for (unsigned i = 0; i < pm_res(inst->op, 0)->type->lanes; i++) inst->outs[0][i] = inst->args[0][0];
  return true;
}

static bool run_step(interp *in, const interp_inst *inst) {
  (void)in;
  for (unsigned i = 0; i < pm_res(inst->op, 0)->type->lanes; i++) inst->outs[0][i].i = (int64_t)i;
  return true;
}

static bool run_from_elements(interp *in, const interp_inst *inst) {
  (void)in;
  for (unsigned i = 0; i < inst->op->n_operands; i++) inst->outs[0][i] = inst->args[i][0];
  return true;
}

static bool run_shuffle(interp *in, const interp_inst *inst) {
  pm_attr lanes = pm_attr_at(inst->op, vec_shuffle_lanes);
  int64_t n = pm_arg(inst->op, vec_shuffle_a)->type->lanes;
  (void)in;
  for (uint32_t i = 0; i < lanes->len; i++) {
    int64_t from = lanes->items[i]->i;
    inst->outs[0][i] = from < n ? inst->args[0][from] : inst->args[1][from - n];
  }
  return true;
}

static bool run_extract(interp *in, const interp_inst *inst) {
  (void)in;
  inst->outs[0][0] = inst->args[0][pm_int_at(inst->op, vec_extract_lane)];
  return true;
}

static bool run_insert(interp *in, const interp_inst *inst) {
  (void)in;
  copy_to_result(inst, inst->args[1]);
  inst->outs[0][pm_int_at(inst->op, vec_insert_lane)] = inst->args[0][0];
  return true;
}

static const struct run_row {
  const pm_op_desc *desc;
  interp_run run;
} rows[] = {
    {&vec_load, run_load},
    {&vec_maskedload, run_maskedload},
    {&vec_gather, run_gather},
    {&vec_store, run_store},
    {&vec_maskedstore, run_maskedstore},
    {&vec_maskedgather, run_maskedgather},
    {&vec_scatter, run_scatter},
    {&vec_maskedscatter, run_maskedscatter},
    {&vec_reduce, run_reduce},
    {&vec_splat, run_splat},
    {&vec_from_elements, run_from_elements},
    {&vec_step, run_step},
    {&vec_shuffle, run_shuffle},
    {&vec_extract, run_extract},
    {&vec_insert, run_insert},
};

interp_run interp_find_vector_run(const pm_op *op) {
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (rows[i].desc == op->desc) return rows[i].run;
  return NULL;
}
