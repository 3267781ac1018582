/* accumulate-in-registers: a reduction combines strips of a row in registers, several rows at a time.
 *
 *   loop.for %y = %a to %b step 1 {            |  loop.for %s = %c to %e step 32 {
 *     loop.for %k = %l to %u step 1 {          |    loop.for %y = %a to %f step 2 {
 *       %w = buf.load %g[%y, %k]               |      %0, … = vec.load %sum[%y, %s], … [%y + 1, %s + 16]
 *       loop.for %x = %c to %d step 1 simd {   |      %4, … = loop.for %k = … carry(%5 = %0, …) {
 *         %v = buf.load %in[%k, %x]            |        %w, … = buf.load %g[%y, %k], … [%y + 1, %k]
 *         %t = arith.mulf %v, %w               |        %v, … = vec.load %in[%k, %s], … [%k, %s + 16]
 *         %s = buf.load %sum[%y, %x]           |        %t, … = arith.mulf %v, %w, …
 *         %n = arith.addf %s, %t               |        %n, … = arith.addf %5, %t, …
 *         buf.store %n, %sum[%y, %x]           |        loop.yield %n, …
 *       }                                      |      }
 *     }                                        |      vec.store %4, %sum[%y, %s], … [%y + 1, %s + 16]
 *   }                                          |    }
 *                                              |    … the same for a row that is left
 *                                              |  }
 *                                              |  … the same for strips of 16, and the loops as they were from there on
 *
 * (Strip-mining of the row, interchange, unroll-and-jam of a loop around, and scalar replacement: register
 * tiling.) Each element is combined with the same in the same order. accumulate-in-registers/nest.c says
 * which loops these are, plan.c how many rows and vectors.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/lanes.h"
#include "passes/loop/accumulate-in-registers/plan.h"
#include "passes/options.h"

#include <stdlib.h>

typedef PM_VEC(pm_value *) value_list;

/* A block of rows and vectors that is being built. */
typedef struct block {
  const reduction_nest *nest;
  const accumulate_plan *plan;
  unsigned rows, vectors;
  loop_phase *phases; /* of the rows */
  pm_value *strip;    /* the first element of the strip; NULL: strips are not begun */
  pm_value *first;    /* of the row */
  pm_value **ends;    /* by halvings of the plan's vectors: of the strips of so many */
  value_list sums;    /* of the accumulators, by row and vector */
} block;

static void build_loops(block *k, pm_builder *in, unsigned depth);

static pm_value **sum_at(block *k, unsigned row, unsigned vector, const accumulator *a) {
  size_t n = (size_t)(a - k->nest->accumulators.data);
  size_t place = k->plan->by_row ? row * k->vectors + vector : vector * k->rows + row;
  return &k->sums.data[place * k->nest->accumulators.len + n];
}

/* --- the vector loop --- */

static loop_lanes lanes_at(const block *k, unsigned row, unsigned vector) {
  return (loop_lanes){.loop = k->nest->row,
                      .phase = &k->phases[row],
                      .base = k->strip,
                      .offset = (int64_t)vector * k->nest->lanes,
                      .lanes = k->nest->lanes};
}

/* What the row prefetches along itself, for one line of the caches each; once for rows that share it. Where
 * strips go around loops that read the same again, that is cached. */
static bool should_prefetch(const block *k, unsigned row, unsigned vector, const pm_op *op) {
  size_t bytes = k->nest->lanes * pm_element_bytes(pm_arg(op, buf_prefetch_buffer)->type);
  if (k->plan->strip < k->nest->n_free) return false;
  if (vector && vector * bytes / PM_LINE_BYTES == (vector - 1) * bytes / PM_LINE_BYTES) return false;
  return row == 0 || nest_changes_with(k->nest, op, k->nest->loops.data[k->plan->jammed]);
}

/* The body of the vector loop for a vector of a row. */
static void build_vector(block *k, pm_builder *in, unsigned row, unsigned vector) {
  loop_lanes l = lanes_at(k, row, vector);
  l.vectors = pm_map_new();
  PM_FOR_OPS(op, pm_region_at(k->nest->row, loop_for_body)) {
    const accumulator *a = nest_accumulator_of(k->nest, op);
    in->loc = op->loc;
    if (pm_is(op, &buf_prefetch)) {
      if (should_prefetch(k, row, vector, op)) loop_lanes_prefetch(&l, in, op);
    } else if (a && op == a->store) {
      *sum_at(k, row, vector, a) = loop_lanes_value(&l, in, pm_arg(op, buf_store_value));
    } else if (a) {
      pm_map_set(l.vectors, pm_res(op, 0), *sum_at(k, row, vector, a));
    } else if (!nest_is_vector(k->nest, pm_res(op, 0))) {
      loop_phase_copy(&k->phases[row], in, op, op->next);
    } else {
      bool load = pm_is(op, &buf_load);
      pm_map_set(l.vectors, pm_res(op, 0),
                 load ? loop_lanes_load(&l, in, op) : loop_lanes_compute(&l, in, op));
    }
  }
  pm_map_free(l.vectors);
}

typedef void (*visit_vector)(block *k, pm_builder *in, unsigned row, unsigned vector);

static void for_all_vectors(block *k, pm_builder *in, visit_vector visit) {
  if (k->plan->by_row)
    for (unsigned row = 0; row < k->rows; row++)
      for (unsigned vector = 0; vector < k->vectors; vector++) visit(k, in, row, vector);
  else
    for (unsigned vector = 0; vector < k->vectors; vector++)
      for (unsigned row = 0; row < k->rows; row++) visit(k, in, row, vector);
}

/* --- the loops of the reduction --- */

static void load_sums(block *k, pm_builder *in, unsigned row, unsigned vector) {
  loop_lanes l = lanes_at(k, row, vector);
  for (size_t i = 0; i < k->nest->accumulators.len; i++)
    PM_VEC_PUSH(k->sums, loop_lanes_load(&l, in, k->nest->accumulators.data[i].load));
}

static void store_sums(block *k, pm_builder *in, unsigned row, unsigned vector) {
  loop_lanes l = lanes_at(k, row, vector);
  for (size_t i = 0; i < k->nest->accumulators.len; i++) {
    const accumulator *a = &k->nest->accumulators.data[i];
    loop_lanes_store(&l, in, a->store, *sum_at(k, row, vector, a));
  }
}

/* What stands in the loop ahead of the next one, for all rows. */
static void copy_scalars(block *k, pm_builder *in, const pm_op *loop) {
  const pm_region *body = pm_region_at(loop, loop_for_body);
  for (unsigned row = 0; row < k->rows; row++) loop_phase_copy(&k->phases[row], in, body->first, body->last);
}

static void set_counter(block *k, const pm_op *loop, pm_value *counter) {
  for (unsigned row = 0; row < k->rows; row++)
    pm_map_set(k->phases[row].copies, loop_counter_of(loop), counter);
}

static void build_reduction(block *k, pm_builder *in, unsigned depth) {
  const pm_op *old = k->nest->loops.data[depth];
  loop_spec spec = {.like = old,
                    .step = pm_int_at(old, loop_for_step),
                    .counter = loop_counter_of(old)->name,
                    .inits = k->sums.data,
                    .n_inits = (unsigned)k->sums.len};
  pm_op *loop = loop_build_for(in, pm_arg(old, loop_for_lb), pm_arg(old, loop_for_ub), &spec);
  pm_builder inside = loop_inside(loop);
  for (size_t i = 0; i < k->sums.len; i++) k->sums.data[i] = inside.region->args[i + 1];
  set_counter(k, old, inside.region->args[0]);
  copy_scalars(k, &inside, old);
  if (depth + 1 == k->nest->loops.len) {
    pm_set_attr(loop, loop_for_ordered, pm_get_unit(pm_op_context(loop)));
    for_all_vectors(k, &inside, build_vector);
  } else {
    build_reduction(k, &inside, depth + 1);
  }
  loop_build_yield(&inside, k->sums.data, (unsigned)k->sums.len);
  for (size_t i = 0; i < k->sums.len; i++) k->sums.data[i] = pm_res(loop, (unsigned)i);
}

/* --- the loops around it --- */

/* The loops from `depth` on for each strip: strips of the plan's vectors, then of half as many, and so on. */
static void build_strips(block *k, pm_builder *in, unsigned depth) {
  pm_value *begin = k->first;
  unsigned i = 0;
  for (k->vectors = k->plan->vectors; k->vectors; k->vectors /= 2, i++) {
    loop_spec spec = {.step = (int64_t)k->vectors * k->nest->lanes,
                      .counter = loop_counter_of(k->nest->row)->name};
    if (loop_is_empty(begin, k->ends[i])) continue;
    pm_builder inside = loop_inside(loop_build_for(in, begin, k->ends[i], &spec));
    k->strip = inside.region->args[0];
    build_loops(k, &inside, depth);
    begin = k->ends[i];
  }
  k->strip = NULL;
}

/* The body of the jammed loop for rows of which the first is `base`. */
static void build_jammed(block *k, pm_builder *in, unsigned depth, pm_value *base, unsigned rows) {
  const pm_op *old = k->nest->loops.data[depth];
  loop_phase *around = k->phases;
  k->phases = pm_xcalloc(rows, sizeof *k->phases);
  k->rows = rows;
  for (unsigned row = 0; row < rows; row++)
    k->phases[row] = loop_phase_begin(in, loop_counter_of(old), base, 1, row * pm_int_at(old, loop_for_step));
  copy_scalars(k, in, old);
  build_loops(k, in, depth + 1);
  for (unsigned row = 0; row < rows; row++) loop_phase_free(&k->phases[row]);
  free(k->phases);
  k->phases = around;
}

/* The jammed loop: blocks of the plan's rows, then of half as many, and so on. */
static void build_rows(block *k, pm_builder *in, unsigned depth) {
  const pm_op *old = k->nest->loops.data[depth];
  int64_t step = pm_int_at(old, loop_for_step);
  pm_value *begin = pm_arg(old, loop_for_lb), *ub = pm_arg(old, loop_for_ub);
  for (unsigned rows = k->plan->rows; rows && !loop_is_empty(begin, ub); rows /= 2) {
    pm_value *end = loop_end_of_whole(in, begin, ub, step, rows);
    loop_spec spec = {.step = rows * step, .counter = loop_counter_of(old)->name};
    pm_builder inside = loop_inside(loop_build_for(in, begin, end, &spec));
    build_jammed(k, &inside, depth, inside.region->args[0], rows);
    begin = end;
  }
}

/* A loop whose iterations have elements of their own, as it was. */
static void build_free(block *k, pm_builder *in, unsigned depth) {
  const pm_op *old = k->nest->loops.data[depth];
  loop_spec spec = {.like = old, .counter = loop_counter_of(old)->name};
  pm_builder inside =
      loop_inside(loop_build_for(in, pm_arg(old, loop_for_lb), pm_arg(old, loop_for_ub), &spec));
  set_counter(k, old, inside.region->args[0]);
  copy_scalars(k, &inside, old);
  build_loops(k, &inside, depth + 1);
}

/* The loops of the nest from `depth` on. */
static void build_loops(block *k, pm_builder *in, unsigned depth) {
  if (!k->strip && depth == k->plan->strip) {
    build_strips(k, in, depth);
  } else if (depth == k->plan->jammed && k->plan->rows > 1) {
    build_rows(k, in, depth);
  } else if (depth < k->nest->n_free) {
    build_free(k, in, depth);
  } else {
    k->sums.len = 0;
    for_all_vectors(k, in, load_sums);
    build_reduction(k, in, depth);
    for_all_vectors(k, in, store_sums);
  }
}

/* --- the nest --- */

/* Where it is known that the reduction has iterations: at the builder, or in a condition that is made there.
 */
static pm_builder enter_condition(const reduction_nest *nest, pm_builder *b) {
  pm_value *all = NULL;
  int64_t trips;
  for (size_t i = nest->n_free; i < nest->loops.len; i++) {
    const pm_op *loop = nest->loops.data[i];
    if (loop_find_trips(loop, &trips) && trips > 0) continue;
    pm_value *some = arith_build_cmp(b, ARITH_LT, pm_arg(loop, loop_for_lb), pm_arg(loop, loop_for_ub));
    all = all ? pm_build_binary(b, &arith_andi, all, some) : some;
  }
  if (!all) return *b;
  pm_region *then = pm_region_begin(pm_region_at(loop_build_if(b, all), loop_if_then));
  return pm_builder_at_end(b->module, then, b->loc);
}

/* Puts the loops of strips ahead of the nest, which keeps the elements of the row that no strip has. */
static void accumulate(const reduction_nest *nest, const accumulate_plan *plan) {
  pm_op *top = nest->loops.data[plan->jammed], *row = nest->row;
  pm_builder b = pm_builder_before(top);
  value_list ends = {0};
  pm_value *end = pm_arg(row, loop_for_lb), *ub = pm_arg(row, loop_for_ub);
  for (unsigned n = plan->vectors; n; n /= 2) {
    end = loop_end_of_whole(&b, end, ub, 1, (int64_t)n * nest->lanes);
    PM_VEC_PUSH(ends, end);
  }
  loop_phase phase = {.copies = pm_map_new()};
  block k = {.nest = nest,
             .plan = plan,
             .rows = 1,
             .phases = &phase,
             .first = pm_arg(row, loop_for_lb),
             .ends = ends.data};
  pm_builder in = enter_condition(nest, &b);
  build_loops(&k, &in, plan->jammed);
  PM_VEC_FREE(k.sums);
  PM_VEC_FREE(ends);
  loop_phase_free(&phase);
  pm_set_operand(row, loop_for_lb, end);
  pm_set_attr(row, loop_for_prefetch, NULL);
  loop_drop_prefetches(pm_region_at(row, loop_for_body));
  if (loop_is_empty(end, ub)) pm_op_erase(top);
}

static bool accumulate_row(pm_pass *p, pm_op *row) {
  reduction_nest nest;
  const char *obstacle;
  pm_machine machine;
  accumulate_plan plan = {0};
  if (!pm_code_machine_of(row, &machine)) return false;
  if (nest_find(row, machine.vector_bytes, &nest, &obstacle)) {
    accumulate_limits limits = {.vectors = pm_opt_int(p, accumulate_in_registers_opt_vectors),
                                .rows = pm_opt_int(p, accumulate_in_registers_opt_rows)};
    plan = accumulate_plan_of(&nest, &machine, limits);
    if (!plan.vectors) obstacle = "its rows have less than a vector";
  }
  if (plan.vectors) {
    pm_pass_remark(p, nest.accumulators.data[0].store->loc, PM_REMARK_PASSED,
                   (pm_remark_arg[]){{"rows", plan.rows}, {"vectors", plan.vectors}}, 2,
                   "the reduction accumulates %u row%s of %u vector%s of %u elements in registers", plan.rows,
                   plan.rows > 1 ? "s" : "", plan.vectors, plan.vectors > 1 ? "s" : "", nest.lanes);
    accumulate(&nest, &plan);
  } else if (obstacle) {
    pm_pass_remark(p, nest.accumulators.data[0].store->loc, PM_REMARK_MISSED, NULL, 0,
                   "the reduction loads and stores what it accumulates in each step: %s", obstacle);
  }
  nest_free(&nest);
  return plan.vectors > 0;
}

pm_result pass_accumulate_in_registers(pm_pass *p) {
  loop_list loops = {0};
  int64_t n = 0;
  if (pm_opt_int(p, accumulate_in_registers_opt_vectors) == 0) return PM_UNCHANGED;
  loop_list_vector_loops(pm_pass_root(p), &loops);
  for (size_t i = 0; i < loops.len; i++) n += accumulate_row(p, loops.data[i]);
  PM_VEC_FREE(loops);
  pm_pass_stat(p, "reductions in registers", n);
  return n ? PM_CHANGED : PM_UNCHANGED;
}
