/* privatize-atomics: the items of a group join values into an array of their own, and that into the one of
 * all.
 *
 *   loop.parallel %g = … {                          |  loop.parallel %g = … {
 *                                                   |    %own = buf.alloc() : memref<256xi32, stack>
 *                                                   |    loop.parallel %k = 0 to 256 step 1 items {
 *                                                   |      buf.store 0, %own[%k]
 *                                                   |    }
 *     loop.parallel %x = … items {                  |    loop.parallel %x = … items {
 *       buf.atomic add, %one, %hist[%v]             |      buf.atomic add, %one, %own[%v]
 *     }                                             |    }
 *                                                   |    loop.parallel %k = 0 to 256 step 1 items {
 *                                                   |      %n = buf.load %own[%k]
 *                                                   |      buf.atomic add, %n, %hist[%k]
 *                                                   |    }
 *   }                                               |  }
 *
 * (Histograms in shared memory: Podlozhnyuk, "Histogram calculation in CUDA", NVIDIA 2007.) Local memory of a
 * GPU's core takes as many such steps a clock as it has banks; those in memory of all cores are far, and wait
 * for each other where many points come to one cell. The array is of a constant size, and nothing else in the
 * loop around touches it. What is joined are integers, so the order does not matter.
 */
#include "dialects/arith/arith.h"
#include "dialects/arith/call.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

typedef PM_VEC(pm_op *) op_list;

/* An array into which the iterations of a loop for groups join values. */
typedef struct joined {
  pm_op *group;
  pm_value *array;
  const pm_op_desc *join;
  op_list ops; /* the buf.atomic ops of the array in the loop */
} joined;

static pm_walk add_atomic(void *user, pm_op *op) {
  op_list *list = user;
  if (pm_is(op, &buf_atomic)) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

/* The loop whose iterations are those of groups of items right around, or NULL. */
static pm_op *group_around(const pm_op *op) {
  pm_op *up = pm_parent(op);
  while (up && (!pm_is(up, &loop_parallel) || loop_is_of_items(up))) up = pm_parent(up);
  return up;
}

/* The type of an array of a group with as many cells, if their number is a constant; else NULL. */
static pm_type own_type(const pm_value *array) {
  pm_type type = array->type;
  const pm_op *def = pm_def(array);
  int64_t extents[PM_MAX_RANK];
  unsigned open = 0;
  if (type->strides || !(pm_is(def, &buf_output) || pm_is(def, &buf_alloc)) || def->n_results != 1)
    return NULL;
  for (unsigned k = 0; k < type->rank; k++) {
    pm_attr known = type->dims[k] == PM_DYNAMIC ? pm_constant_value(pm_arg(def, open++)) : NULL;
    extents[k] = known ? known->i : type->dims[k];
    if (extents[k] == PM_DYNAMIC) return NULL;
  }
  return pm_get_memref(pm_elem_type(type), type->rank, extents, PM_SPACE_STACK);
}

/* Cells of such an array; 0, when there is none, or it takes more bytes. */
static int64_t cells_within(pm_type type, int64_t bytes) {
  int64_t cells;
  bool fits = type && loop_constant_cells(type, &cells);
  return fits && cells <= bytes / (int64_t)pm_element_bytes(pm_elem_type(type)) ? cells : 0;
}

/* The cell is not one that the counters of loops tell. */
static bool is_computed(const pm_op *group, const pm_op *atomic) {
  loop_access access;
  bool computed = false;
  (void)loop_find_access(atomic, &access);
  for (uint32_t i = 0; i < loop_n_indices(&access); i++)
    computed =
        computed || (!pm_is_arg(access.indices[i].value) && loop_changes_in(access.indices[i].value, group));
  return computed;
}

/* Finds all that the loop does to the array; false when that is more than to join values in one way, or
 * to cells that counters tell, so that few of its iterations come to one. */
static bool find_joined(joined *j, pm_op *atomic) {
  *j = (joined){.group = group_around(atomic),
                .array = pm_arg(atomic, buf_atomic_buffer),
                .join = buf_atomic_join(atomic)};
  bool only = j->group && !loop_changes_in(j->array, j->group), computed = false;
  if (!only) return false;
  PM_FOR_USES(use, j->array) {
    if (!pm_is_ancestor(j->group, pm_user(use))) continue;
    only = only && pm_is(pm_user(use), &buf_atomic) && buf_atomic_join(pm_user(use)) == j->join;
    computed = computed || (only && is_computed(j->group, pm_user(use)));
    PM_VEC_PUSH(j->ops, pm_user(use));
  }
  return only && computed;
}

/* --- rewriting --- */

/* (k) -> the indices of cell number k in row-major order. */
static pm_affine_map map_of_cells(pm_context *ctx, pm_type type) {
  pm_affine_expr results[PM_MAX_RANK], rest = pm_affine_dim(ctx, 0);
  for (unsigned d = type->rank; d-- > 0;) {
    pm_affine_expr extent = pm_affine_const(ctx, type->dims[d]);
    results[d] = d ? pm_affine_normalize(pm_affine_binary(PM_AFFINE_MOD, rest, extent)) : rest;
    rest = pm_affine_normalize(pm_affine_binary(PM_AFFINE_FLOORDIV, rest, extent));
  }
  return pm_get_affine_map(ctx, 1, 0, results, type->rank);
}

/* A loop of items over the cells; a builder inside. */
static pm_builder build_cells(pm_builder *b, int64_t cells) {
  pm_op *loop = loop_build_parallel(b, arith_build_index(b, 0), arith_build_index(b, cells), 1, NULL);
  pm_set_attr(loop, loop_parallel_items, pm_get_unit(pm_module_context(b->module)));
  return loop_inside(loop);
}

static void privatize(const joined *j, pm_type type, int64_t cells) {
  pm_region *body = pm_region_at(j->group, 0);
  pm_builder b = pm_builder_before(body->first);
  b.loc = j->ops.data[0]->loc;
  pm_affine_map map = map_of_cells(pm_op_context(j->group), type);
  pm_value *own = buf_build_alloc(&b, type, NULL, NULL);
  own->name = j->array->name;
  pm_builder in = build_cells(&b, cells);
  pm_value *none = arith_build_constant(&in, arith_int_identity(j->join, pm_elem_type(type)));
  buf_build_store(&in, none, own, map, &in.region->args[0]);
  for (size_t i = 0; i < j->ops.len; i++) pm_set_operand(j->ops.data[i], buf_atomic_buffer, own);
  b = pm_builder_at_end(b.module, body, b.loc);
  in = build_cells(&b, cells);
  pm_value *all = buf_build_load(&in, own, map, &in.region->args[0]);
  buf_build_atomic(&in, j->join, all, j->array, map, &in.region->args[0]);
}

pm_result pass_privatize_atomics(pm_pass *pass) {
  op_list atomics = {0};
  int64_t done = 0, most = pm_opt_int(pass, privatize_atomics_opt_bytes);
  pm_walk_pre(pm_pass_root(pass), add_atomic, &atomics);
  for (size_t i = 0; i < atomics.len; i++) {
    joined j = {0};
    pm_type own = own_type(pm_arg(atomics.data[i], buf_atomic_buffer));
    int64_t cells = cells_within(own, most);
    bool may_be = cells > 0 && find_joined(&j, atomics.data[i]);
    if (may_be) privatize(&j, own, cells);
    done += may_be;
    PM_VEC_FREE(j.ops);
  }
  PM_VEC_FREE(atomics);
  pm_pass_stat(pass, "arrays of groups", done);
  return done ? PM_CHANGED : PM_UNCHANGED;
}
