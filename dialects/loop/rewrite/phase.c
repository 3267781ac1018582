/* Copies of the ops of an iteration, with another expression for the counter. */
#include "dialects/loop/rewrite/phase.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

loop_phase loop_phase_begin(pm_builder *b, const pm_value *counter, pm_value *base, int64_t factor,
                            int64_t offset) {
  loop_phase phase = {counter, base, factor, offset, pm_map_new()};
  pm_value *value = base;
  if (factor != 1) value = pm_build_binary(b, &arith_muli, value, arith_build_index(b, factor));
  if (offset != 0) value = pm_build_binary(b, &arith_addi, value, arith_build_index(b, offset));
  pm_map_set(phase.copies, counter, value);
  return phase;
}

static pm_affine_expr counter_expr(const loop_phase *phase, pm_affine_expr dim) {
  pm_affine_expr scaled = pm_affine_mul(dim, pm_affine_const(dim->ctx, phase->factor));
  return pm_affine_addc(scaled, phase->offset);
}

/* `copy` of `op` accesses by the base what that accesses by the counter. */
static void rewrite_place(const loop_phase *phase, pm_op *copy, const pm_op *op) {
  loop_access access;
  if (!loop_find_place(op, &access)) return;
  pm_affine_map map = access.map;
  unsigned first = op->n_operands - loop_n_indices(&access);
  PM_VEC(pm_affine_expr) dims = {0}, results = {0};
  for (uint32_t i = 0; i < map->n_dims; i++) {
    pm_affine_expr dim = pm_affine_dim(map->ctx, i);
    bool is_counter = access.indices[i].value == phase->counter;
    PM_VEC_PUSH(dims, is_counter ? counter_expr(phase, dim) : dim);
    if (is_counter) pm_set_operand(copy, first + i, phase->base);
  }
  for (uint32_t r = 0; r < map->n_results; r++)
    PM_VEC_PUSH(results, pm_affine_divide_out(pm_affine_substitute(map->results[r], dims.data, NULL)));
  loop_set_access_map(copy,
                      pm_get_affine_map(map->ctx, map->n_dims, map->n_syms, results.data, map->n_results));
  PM_VEC_FREE(dims);
  PM_VEC_FREE(results);
}

void loop_phase_copy(const loop_phase *phase, pm_builder *b, const pm_op *op, const pm_op *until) {
  for (; op != until; op = op->next) {
    pm_op *copy = pm_clone(b->module, op, phase->copies);
    for (unsigned i = 0; i < copy->n_results; i++) pm_res(copy, i)->name = NULL;
    pm_insert(b->region, b->before, copy);
    rewrite_place(phase, copy, op);
  }
}

void loop_phase_free(loop_phase *phase) {
  pm_map_free(phase->copies);
}

/* The bodies of `times` iterations, the first one at `base`. */
static void copy_iterations(pm_builder *in, pm_value *base, const pm_op *loop, int64_t times) {
  const pm_region *body = pm_region_at(loop, loop_for_body);
  for (int64_t k = 0; k < times; k++) {
    loop_phase phase = loop_phase_begin(in, body->args[0], base, 1, k * pm_int_at(loop, loop_for_step));
    loop_phase_copy(&phase, in, body->first, NULL);
    loop_phase_free(&phase);
  }
}

pm_value *loop_end_of_whole(pm_builder *b, pm_value *lb, pm_value *ub, int64_t step, int64_t times) {
  int64_t length;
  if (loop_find_length(lb, ub, &length)) {
    int64_t trips = length > 0 ? (length - 1) / step + 1 : 0;
    return pm_build_binary(b, &arith_addi, lb, arith_build_index(b, trips / times * times * step));
  }
  pm_value *rest = pm_build_binary(b, &arith_subi, ub, lb);
  rest = pm_build_binary(b, &arith_remi, rest, arith_build_index(b, times * step));
  return pm_build_binary(b, &arith_maxi, pm_build_binary(b, &arith_subi, ub, rest), lb);
}

pm_builder loop_split_whole(pm_op *loop, int64_t times) {
  pm_builder b = pm_builder_before(loop);
  pm_string counter = pm_region_at(loop, loop_for_body)->args[0]->name;
  int64_t step = pm_int_at(loop, loop_for_step);
  loop_spec spec = {.step = times * step, .counter = counter};
  pm_value *end = loop_end_of_whole(&b, pm_arg(loop, loop_for_lb), pm_arg(loop, loop_for_ub), step, times);
  pm_builder in = loop_inside(loop_build_for(&b, pm_arg(loop, loop_for_lb), end, &spec));
  pm_set_operand(loop, loop_for_lb, end);
  return in;
}

void loop_unroll(pm_op *loop, int64_t times) {
  int64_t trips;
  if (loop_find_trips(loop, &trips) && trips == times) {
    pm_builder b = pm_builder_before(loop);
    copy_iterations(&b, pm_arg(loop, loop_for_lb), loop, times);
    pm_op_erase(loop);
    return;
  }
  pm_builder in = loop_split_whole(loop, times);
  copy_iterations(&in, in.region->args[0], loop, times);
}
