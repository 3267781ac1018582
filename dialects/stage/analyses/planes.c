#include "dialects/stage/analyses/planes.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/val.h>

/* The most operations of all planes of a point: beside one another in memory they gain more. */
enum { MOST_OPS = 128, MOST_INTERLEAVED_OPS = 1024 };

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
  bool few = isl_val_cmp_si(count, 1) > 0 && isl_val_cmp_si(count, STAGE_MOST_PLANES) <= 0;
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

/* What a plane of a case reads and computes. */
typedef struct plane_work {
  unsigned rows;        /* that it reads, or places that it computes to look something up */
  unsigned common;      /* of these: the same for all planes */
  unsigned interleaved; /* of these: they have all planes next to one another */
  int64_t ops;          /* that differ from point to point of a row */
} plane_work;

static plane_work work_of_plane(const pm_op *case_op, unsigned dim) {
  const pm_region *body = pm_region_at(case_op, stage_case_body);
  pm_value *plane = body->args[dim], *point = body->args[body->n_args - 1];
  pm_map *of_plane = pm_map_new(), *of_row = pm_map_new(), *of_read = pm_map_new(); /* what depends on them */
  plane_work w = {0};
  pm_map_set(of_plane, plane, plane);
  pm_map_set(of_row, point, point);
  PM_FOR_OPS(op, body) {
    spread(of_plane, op);
    spread(of_row, op);
    bool differs = op->n_results && pm_map_has(of_row, pm_res(op, 0));
    bool is_row = differs && pm_is(op, &stage_read);
    bool side_by_side = is_row && is_interleaved(op, plane);
    bool same = is_row && (side_by_side || !pm_map_has(of_plane, pm_res(op, 0)));
    w.rows += is_row;
    w.common += same || (is_row && is_looked_up_in_common(op, of_plane, of_read));
    w.interleaved += side_by_side;
    w.ops += differs;
    spread(of_read, op);
    if (pm_is(op, &stage_read)) pm_map_set(of_read, pm_res(op, 0), op);
  }
  pm_map_free(of_plane);
  pm_map_free(of_row);
  pm_map_free(of_read);
  return w;
}

static bool is_half(unsigned part, unsigned all) {
  return part > 0 && 2 * part >= all;
}

bool stage_is_interleaved_along(const stage_node *node, unsigned dim) {
  return node->order && node->order->items[node->order->len - 1]->i == dim;
}

/* --- cases of a plane each --- */

/* The coordinate of its body that the value is; -1: none. */
static int coordinate_of(const pm_value *v) {
  return pm_is_arg(v) ? (int)pm_value_index(v) : -1;
}

bool stage_reads_alike(const pm_op *a, const pm_op *b) {
  if (pm_attr_at(a, stage_read_stage) != pm_attr_at(b, stage_read_stage) ||
      pm_attr_at(a, stage_read_map) != pm_attr_at(b, stage_read_map))
    return false;
  if (a->n_operands != b->n_operands) return false;
  for (unsigned i = 0; i < a->n_operands; i++) {
    int one = coordinate_of(pm_arg(a, i)), two = coordinate_of(pm_arg(b, i));
    if (one != two || (one < 0 && pm_arg(a, i) != pm_arg(b, i))) return false;
  }
  return true;
}

static bool has_read(const pm_op *case_op, const pm_op *read) {
  PM_FOR_OPS(op, pm_region_at(case_op, stage_case_body))
  if (pm_is(op, &stage_read) && stage_reads_alike(op, read)) return true;
  return false;
}

/* Half of what one reads is what the other reads. */
static bool share_reads(const pm_op *one, const pm_op *other) {
  unsigned n = 0, common = 0;
  PM_FOR_OPS(op, pm_region_at(one, stage_case_body)) {
    if (!pm_is(op, &stage_read)) continue;
    n++;
    common += has_read(other, op);
  }
  return common > 0 && 2 * common >= n;
}

static __isl_give isl_set *without_dim(isl_set *set, unsigned dim) {
  return isl_set_project_out(isl_set_reset_tuple_id(isl_set_copy(set)), isl_dim_set, dim, 1);
}

/* Both have the same points but for the coordinate, of which each has one. */
static bool are_planes(isl_set *one, isl_set *other, unsigned dim) {
  isl_set *a = without_dim(one, dim), *b = without_dim(other, dim);
  bool are = isl_set_is_equal(a, b) == isl_bool_true && isl_set_is_disjoint(one, other) == isl_bool_true;
  isl_set_free(a);
  isl_set_free(b);
  return are;
}

static bool is_of_one_plane(isl_set *set, unsigned dim) {
  isl_val *number = isl_set_plain_get_val_if_fixed(set, isl_dim_set, dim);
  bool is = isl_val_is_int(number) == isl_bool_true;
  isl_val_free(number);
  return is;
}

bool stage_are_plane_cases(const stage_node *node, size_t i, size_t k, unsigned dim) {
  const stage_case_info *a = &node->cases.data[i], *b = &node->cases.data[k];
  return i != k && is_of_one_plane(a->set, dim) && is_of_one_plane(b->set, dim) &&
         stage_is_of_planes(node->domain, dim) &&
         (stage_is_interleaved_along(node, dim) || share_reads(a->op, b->op)) &&
         are_planes(a->set, b->set, dim);
}

bool stage_has_plane_cases(const stage_node *node, unsigned dim) {
  for (size_t i = 0; i < node->cases.len; i++) {
    if (!is_of_one_plane(node->cases.data[i].set, dim)) continue;
    if (!stage_is_of_planes(node->domain, dim)) return false;
    for (size_t k = 0; k < i; k++)
      if (stage_are_plane_cases(node, i, k, dim)) return true;
  }
  return false;
}

/* --- one case of several planes --- */

int64_t stage_planes_along(const stage_node *node, const pm_op *case_op, __isl_keep isl_set *set,
                           unsigned dim) {
  if (dim + 1 >= pm_region_at(case_op, stage_case_body)->n_args) return 0;
  plane_work w = work_of_plane(case_op, dim);
  bool interleaved = stage_is_interleaved_along(node, dim);
  if (!interleaved && !is_half(w.common, w.rows)) return 0;
  interleaved = interleaved || is_half(w.interleaved, w.rows);
  int64_t n = count_planes(set, dim);
  return n * w.ops <= (interleaved ? MOST_INTERLEAVED_OPS : MOST_OPS) ? n : 0;
}
