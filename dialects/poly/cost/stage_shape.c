#include "dialects/poly/cost/stage_shape.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/dependences/distance.h"
#include "dialects/stage/dependences/update_schedule.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/point.h>
#include <isl/val.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_points = 1e12;

static double points_along(isl_set *domain, unsigned d) {
  double n = stage_extent(domain, d);
  return n >= 1 ? fmin(n, most_points) : 1;
}

/* --- which dimension of the stage each common one is, and how far apart its points are --- */

typedef struct axis {
  unsigned n_dims; /* of the stage */
  unsigned dim;
  double stride; /* 0: the stage lacks the common dimension */
} axis;

static isl_stat read_axis(__isl_take isl_set *where, __isl_take isl_aff *aff, void *user) {
  axis *a = user;
  for (unsigned d = 0; d < a->n_dims; d++) {
    isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_in, (int)d);
    if (isl_val_is_zero(factor) != isl_bool_true) {
      a->dim = d;
      a->stride = fabs(isl_val_get_d(factor));
    }
    isl_val_free(factor);
  }
  isl_set_free(where);
  isl_aff_free(aff);
  return isl_stat_ok;
}

static axis axis_of(isl_pw_multi_aff *schedule, unsigned n_dims, unsigned common) {
  axis a = {.n_dims = n_dims};
  isl_pw_aff *one = isl_pw_multi_aff_get_pw_aff(schedule, (int)common);
  isl_pw_aff_foreach_piece(one, read_axis, &a);
  isl_pw_aff_free(one);
  return a;
}

/* --- reuse: the published measure, reads of one point in the middle that are also reads of the next --- */

typedef PM_VEC(int64_t) coordinates;

static __isl_give isl_point *middle(isl_set *domain, unsigned n) {
  isl_point *point = isl_point_zero(isl_set_get_space(domain));
  for (unsigned d = 0; d < n; d++) {
    isl_val *sum = isl_val_add(isl_set_dim_min_val(isl_set_copy(domain), (int)d),
                               isl_set_dim_max_val(isl_set_copy(domain), (int)d));
    point = isl_point_set_coordinate_val(point, isl_dim_set, (int)d, isl_val_floor(isl_val_div_ui(sum, 2)));
  }
  return point;
}

/* The point that is read from one, void where nothing is. */
static __isl_give isl_point *read_from(const stage_graph *graph, const stage_access *access, isl_point *point,
                                       int64_t usual) {
  isl_map *relation = stage_map_at_estimates(graph, isl_map_copy(access->relation), usual);
  relation = isl_map_project_out(relation, isl_dim_param, 0, (unsigned)isl_map_dim(relation, isl_dim_param));
  isl_set *from = isl_set_from_point(isl_point_copy(point));
  from = isl_set_set_tuple_id(from, isl_map_get_tuple_id(relation, isl_dim_in));
  return isl_set_sample_point(isl_set_apply(from, relation));
}

static int64_t coordinate(isl_point *point, unsigned d) {
  isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, (int)d);
  int64_t at = isl_val_get_num_si(value);
  isl_val_free(value);
  return at;
}

/* What the stage reads at a point, one row a read: the producer's number and the coordinates, `width` numbers
 * in all. Reads of whole ranges, and those of updates, are left out. */
static void reads_at(const stage_graph *graph, const stage_node *node, isl_point *point, int64_t usual,
                     unsigned width, coordinates *out) {
  for (size_t i = 0; i < node->reads.len; i++) {
    const stage_access *access = node->reads.data[i];
    if (!access->affine || access->update_index >= 0) continue;
    isl_point *read = read_from(graph, access, point, usual);
    if (isl_point_is_void(read) != isl_bool_true) {
      PM_VEC_PUSH(*out, access->producer->index);
      for (unsigned d = 0; d + 1 < width; d++)
        PM_VEC_PUSH(*out, d < access->producer->n_dims ? coordinate(read, d) : 0);
    }
    isl_point_free(read);
  }
}

static double count_common(const coordinates *a, const coordinates *b, unsigned width) {
  double n = 0;
  for (size_t i = 0; i < a->len; i += width)
    for (size_t k = 0; k < b->len; k += width)
      if (memcmp(a->data + i, b->data + k, width * sizeof *a->data) == 0) {
        n++;
        break;
      }
  return n;
}

static unsigned widest_read(const stage_node *node) {
  unsigned n = 0;
  for (size_t i = 0; i < node->reads.len; i++)
    if (node->reads.data[i]->producer->n_dims > n) n = node->reads.data[i]->producer->n_dims;
  return n + 1;
}

/* By dimension of the stage; the domain is one at the estimates, without params. */
static void find_reuse(const stage_graph *graph, const stage_node *node, isl_set *domain, int64_t usual,
                       double *reuse) {
  if (isl_set_is_empty(domain) == isl_bool_true || isl_set_is_bounded(domain) != isl_bool_true) return;
  unsigned width = widest_read(node);
  coordinates here = {0}, next = {0};
  isl_point *point = middle(domain, node->n_dims);
  reads_at(graph, node, point, usual, width, &here);
  for (unsigned d = 0; d < node->n_dims; d++) {
    isl_point *other = isl_point_add_ui(isl_point_copy(point), isl_dim_set, (int)d, 1);
    next.len = 0;
    reads_at(graph, node, other, usual, width, &next);
    reuse[d] = count_common(&here, &next, width);
    isl_point_free(other);
  }
  isl_point_free(point);
  PM_VEC_FREE(here);
  PM_VEC_FREE(next);
}

/* --- spread: how far apart the points are that one point reads of a stage --- */

/* Reads of a producer by a case whose index `k` is factor * dim + a constant, dim being one of the reader. */
typedef struct reads_along {
  const stage_node *producer;
  int case_index;
  uint32_t k;
  unsigned dim;
  int64_t factor, least, most; /* of the constants */
  bool is_number;              /* without a dimension */
} reads_along;

/* Of one read; the factor is 0 for other indices. */
static reads_along index_of(const stage_access *access, uint32_t k) {
  reads_along r = {access->producer, access->case_index, k, 0, 0, 0, 0, false};
  pm_affine_map map = stage_index_map(access->read);
  int64_t *values = pm_xcalloc(map->n_dims + map->n_syms + 1u, sizeof *values);
  unsigned first = stage_index_operand(access->read), found = 0;
  bool linear = pm_affine_dim_coeffs(map->results[k], values, map->n_dims);
  for (uint32_t d = 0; d < map->n_dims && linear; d++) {
    const pm_value *value = pm_arg(access->read, first + d);
    if (!values[d]) continue;
    r.dim = pm_value_index(value);
    r.factor = pm_is_arg(value) ? values[d] : 0;
    found++;
  }
  memset(values, 0, (map->n_dims + map->n_syms + 1u) * sizeof *values);
  r.least = r.most = pm_affine_eval(map->results[k], values, values);
  free(values);
  if (found != 1) r.factor = 0;
  r.is_number = linear && found == 0;
  return r;
}

typedef PM_VEC(reads_along) reads_list;

static void join_reads(reads_list *all, reads_along r) {
  for (size_t i = 0; i < all->len; i++) {
    reads_along *at = &all->data[i];
    if (at->producer != r.producer || at->case_index != r.case_index || at->k != r.k || at->dim != r.dim ||
        at->factor != r.factor)
      continue;
    if (r.least < at->least) at->least = r.least;
    if (r.most > at->most) at->most = r.most;
    return;
  }
  PM_VEC_PUSH(*all, r);
}

/* By dimension of the stage, in its points; 0 where the indices are otherwise. */
static void find_spread(const stage_node *node, double *spread) {
  reads_list all = {0};
  for (size_t i = 0; i < node->reads.len; i++) {
    const stage_access *access = node->reads.data[i];
    for (uint32_t k = 0; access->update_index < 0 && k < stage_index_map(access->read)->n_results; k++) {
      reads_along r = index_of(access, k);
      if (r.factor) join_reads(&all, r);
    }
  }
  for (size_t i = 0; i < all.len; i++) {
    const reads_along *r = &all.data[i];
    spread[r->dim] = fmax(spread[r->dim], (double)(r->most - r->least) / fabs((double)r->factor));
  }
  PM_VEC_FREE(all);
}

/* --- the shape --- */

typedef struct common_arrays {
  bool *has;
  double *extent, *stride, *reuse, *spread;
  int row;
  int *of_dim; /* by dimension of the stage: the common one; -1: none */
} common_arrays;

/* The common dimensions of a stage, of which a domain without params is given. */
static void find_common(const stage_graph *graph, const stage_node *node, isl_map *schedule, isl_set *domain,
                        unsigned n, const poly_shape_options *options, common_arrays *a) {
  int64_t usual = options->usual;
  double *reuse = pm_xcalloc(node->n_dims + 1u, sizeof *reuse);
  double *spread = pm_xcalloc(node->n_dims + 1u, sizeof *spread);
  if (options->reuse) find_reuse(graph, node, domain, usual, reuse);
  find_spread(node, spread);
  isl_pw_multi_aff *axes = isl_pw_multi_aff_from_map(isl_map_copy(schedule));
  for (unsigned d = 0; d < n; d++) {
    axis of = axis_of(axes, node->n_dims, d);
    if (!of.stride) continue;
    a->of_dim[of.dim] = (int)d;
    a->has[d] = true;
    if (of.dim + 1 == node->n_dims) a->row = (int)d;
    a->stride[d] = of.stride;
    a->extent[d] = points_along(domain, of.dim);
    a->reuse[d] = reuse[of.dim];
    a->spread[d] = spread[of.dim];
  }
  isl_pw_multi_aff_free(axes);
  free(reuse);
  free(spread);
}

/* False when an index is of another form. */
static bool add_lattice_read(pm_arena *arena, const stage_access *access, const common_arrays *a,
                             poly_lattice_read *out) {
  unsigned n = stage_index_map(access->read)->n_results;
  int *dim = pm_arena_alloc(arena, n * sizeof *dim);
  double *steps = pm_arena_alloc(arena, n * sizeof *steps);
  for (unsigned k = 0; k < n; k++) {
    reads_along r = index_of(access, k);
    dim[k] = r.factor ? a->of_dim[r.dim] : -1;
    if (r.factor ? dim[k] < 0 : !r.is_number) return false;
    if (r.factor) steps[k] = (double)r.factor / a->stride[dim[k]];
  }
  *out = (poly_lattice_read){access->producer, n, dim, steps};
  return true;
}

static void find_lattice_reads(pm_arena *arena, const stage_node *node, const common_arrays *a,
                               poly_stage_shape *shape) {
  poly_lattice_read *reads = pm_arena_alloc(arena, (node->reads.len + 1) * sizeof *reads);
  shape->reads = reads;
  for (size_t i = 0; i < node->reads.len; i++)
    if (node->reads.data[i]->update_index < 0)
      shape->n_reads += add_lattice_read(arena, node->reads.data[i], a, &reads[shape->n_reads]);
}

/* Both are at the same places of the array, up to a number, for the same common coordinates, of which they
 * depend on one at least. */
static bool go_together(const poly_lattice_read *a, const poly_lattice_read *b) {
  bool some = false;
  if (a->array != b->array) return false;
  for (unsigned k = 0; k < a->n; k++) {
    if (a->dim[k] != b->dim[k] || a->steps[k] != b->steps[k]) return false;
    some = some || a->dim[k] >= 0;
  }
  return some;
}

bool poly_read_together(const poly_stage_shape *a, const poly_stage_shape *b) {
  for (size_t i = 0; i < a->n_reads; i++)
    for (size_t k = 0; k < b->n_reads; k++)
      if (go_together(&a->reads[i], &b->reads[k])) return true;
  return false;
}

/* Cells whose places the points of the updates say; those of a stage that an update reads keep their order.
 */
static double cells_by_place(const stage_node *node, isl_set *domain) {
  double cells = 1;
  if (!node->updates.len || node->self_reads.len) return 1;
  for (unsigned k = 0; k < node->n_dims; k++)
    if (stage_update_dim_is_affine(node, k)) cells *= points_along(domain, k);
  return cells;
}

const poly_stage_shape *poly_stage_shape_of(pm_arena *arena, const stage_graph *graph, const stage_node *node,
                                            isl_map *schedule, unsigned n, const bool *together, int turns,
                                            const poly_shape_options *options) {
  int64_t usual = options->usual;
  poly_stage_shape *shape = pm_arena_alloc(arena, sizeof *shape);
  common_arrays a = {.has = pm_arena_alloc(arena, n * sizeof *a.has),
                     .extent = pm_arena_alloc(arena, n * sizeof *a.extent),
                     .stride = pm_arena_alloc(arena, n * sizeof *a.stride),
                     .reuse = pm_arena_alloc(arena, n * sizeof *a.reuse),
                     .spread = pm_arena_alloc(arena, n * sizeof *a.spread),
                     .row = -1,
                     .of_dim = pm_arena_alloc(arena, (node->n_dims + 1u) * sizeof *a.of_dim)};
  for (unsigned d = 0; d < n; d++) a.extent[d] = a.stride[d] = 1;
  for (unsigned k = 0; k < node->n_dims; k++) a.of_dim[k] = -1;
  isl_set *domain = stage_at_estimates(graph, isl_set_copy(node->domain), usual);
  domain = isl_set_project_out_all_params(domain);
  if (schedule) find_common(graph, node, schedule, domain, n, options, &a);
  *shape = (poly_stage_shape){.array = node,
                              .bytes = (double)pm_element_bytes(node->type),
                              .has = a.has,
                              .together = together,
                              .extent = a.extent,
                              .stride = a.stride,
                              .reuse = a.reuse,
                              .spread = a.spread,
                              .row = a.row,
                              .own_order = node->self_reads.len > 0,
                              .turns = turns,
                              .work = stage_case_work(graph, node, usual),
                              .update = stage_update_work(graph, node, usual),
                              .n_updates = (double)node->updates.len,
                              .cells = cells_by_place(node, domain),
                              .is_external = node->is_input || node->is_output};
  if (schedule) find_lattice_reads(arena, node, &a, shape);
  shape->whole = shape->bytes;
  for (unsigned d = 0; d < node->n_dims; d++) shape->whole *= points_along(domain, d);
  isl_set_free(domain);
  return shape;
}
