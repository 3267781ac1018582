#include "dialects/stage/analyses/planes.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/val.h>

enum { MOST_PLANES = 4, MOST_OPS = 128 };

/* The numbers that the dimension has are first to last, whatever the others are. */
static bool is_product(__isl_keep isl_set *set, unsigned dim, isl_val *first, isl_val *last) {
  isl_set *own = isl_set_reset_tuple_id(isl_set_copy(set));
  isl_set *box = isl_set_project_out(isl_set_copy(own), isl_dim_set, dim, 1);
  box = isl_set_insert_dims(box, isl_dim_set, dim, 1);
  box = isl_set_lower_bound_val(box, isl_dim_set, dim, isl_val_copy(first));
  box = isl_set_upper_bound_val(box, isl_dim_set, dim, isl_val_copy(last));
  bool is = isl_set_is_subset(box, own) == isl_bool_true;
  isl_set_free(own);
  isl_set_free(box);
  return is;
}

/* How many there are, 0 for more than a few. */
static int64_t count_planes(__isl_keep isl_set *set, unsigned dim) {
  isl_aff *at = isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(set)), isl_dim_set, dim);
  isl_val *first = isl_set_min_val(set, at), *last = isl_set_max_val(set, at);
  isl_val *count = isl_val_add_ui(isl_val_sub(isl_val_copy(last), isl_val_copy(first)), 1);
  bool few = isl_val_cmp_si(count, 1) > 0 && isl_val_cmp_si(count, MOST_PLANES) <= 0;
  int64_t n = few && is_product(set, dim, first, last) ? isl_val_get_num_si(count) : 0;
  isl_val_free(first);
  isl_val_free(last);
  isl_val_free(count);
  isl_aff_free(at);
  return n;
}

/* The results of the op are among the values when an operand is. */
static void spread(pm_map *values, const pm_op *op) {
  bool any = false;
  for (unsigned i = 0; i < op->n_operands; i++) any = any || pm_map_has(values, pm_arg(op, i));
  for (unsigned i = 0; i < op->n_results && any; i++) pm_map_set(values, pm_res(op, i), (void *)op);
}

/* The place depends on values that are read, and these are the same for all planes. */
static bool is_looked_up_in_common(const pm_op *read, const pm_map *of_plane, const pm_map *of_read) {
  for (unsigned i = 0; i < read->n_operands; i++)
    if (pm_map_has(of_read, pm_arg(read, i)) && !pm_map_has(of_plane, pm_arg(read, i))) return true;
  return false;
}

/* Planes are next to one another in the array: the last index is the plane's number, up to a constant. */
static bool is_interleaved(const pm_op *read, const pm_value *plane) {
  pm_affine_map map = stage_index_map(read);
  pm_affine_expr last = map->n_results ? map->results[map->n_results - 1] : NULL;
  if (last && last->kind == PM_AFFINE_ADD && last->rhs->kind == PM_AFFINE_CONST) last = last->lhs;
  return last && last->kind == PM_AFFINE_DIM &&
         pm_arg(read, stage_index_operand(read) + (unsigned)last->value) == plane;
}

/* Of the rows that a plane reads, or of the places that it computes to look something up, half at least is
 * the same for all; *ops: operations that differ from point to point of a row. */
static bool share_rows(const pm_op *case_op, unsigned dim, int64_t *ops) {
  const pm_region *body = pm_region_at(case_op, stage_case_body);
  pm_value *plane = body->args[dim], *point = body->args[body->n_args - 1];
  pm_map *of_plane = pm_map_new(), *of_row = pm_map_new(), *of_read = pm_map_new(); /* what depends on them */
  unsigned rows = 0, common = 0;
  pm_map_set(of_plane, plane, plane);
  pm_map_set(of_row, point, point);
  *ops = 0;
  PM_FOR_OPS(op, body) {
    spread(of_plane, op);
    spread(of_row, op);
    bool differs = op->n_results && pm_map_has(of_row, pm_res(op, 0));
    bool is_row = differs && pm_is(op, &stage_read);
    bool same = is_row && (!pm_map_has(of_plane, pm_res(op, 0)) || is_interleaved(op, plane));
    rows += is_row;
    common += same || (is_row && is_looked_up_in_common(op, of_plane, of_read));
    *ops += differs;
    spread(of_read, op);
    if (pm_is(op, &stage_read)) pm_map_set(of_read, pm_res(op, 0), op);
  }
  pm_map_free(of_plane);
  pm_map_free(of_row);
  pm_map_free(of_read);
  return common > 0 && 2 * common >= rows;
}

/* Planes of the dimension are stored next to one another: each of them alone fills a part of every line. */
static bool stores_interleaved(const pm_op *case_op, unsigned dim) {
  const pm_op *func = pm_parent((pm_op *)case_op);
  PM_FOR_OPS(op, func->region) {
    if (!pm_is(op, &stage_output) || pm_sym_at(op, stage_output_stage) != stage_name_of(func)) continue;
    pm_attr order = pm_attr_at(op, stage_output_order);
    return order && order->items[order->len - 1]->i == dim;
  }
  return false;
}

int64_t stage_planes_along(const pm_op *case_op, __isl_keep isl_set *set, unsigned dim) {
  int64_t ops = 0;
  const pm_region *body = pm_region_at(case_op, stage_case_body);
  if (dim + 1 >= body->n_args) return 0;
  if (!share_rows(case_op, dim, &ops) && !stores_interleaved(case_op, dim)) return 0;
  int64_t n = count_planes(set, dim);
  return n * ops <= MOST_OPS ? n : 0;
}
