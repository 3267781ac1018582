#include "dialects/stage/analyses/work.h"

#include "dialects/arith/arith.h"
#include "dialects/machine/machine.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/arith/call.h"

#include <isl/point.h>
#include <isl/val.h>
#include <math.h>

static const double most_points = 1e12;

static double greater(double a, double b) {
  return a > b ? a : b;
}

static double value_bytes(const pm_value *value) {
  return greater(1, (double)pm_element_bytes(value->type));
}

static double widest(const pm_op *op) {
  double bytes = op->n_results ? value_bytes(pm_res(op, 0)) : 1;
  for (unsigned i = 0; i < op->n_operands; i++) bytes = greater(bytes, value_bytes(pm_arg(op, i)));
  return bytes;
}

static void add_ops(stage_work *w, double n, double bytes) {
  w->ops += n;
  w->op_bytes += n * bytes;
}

double stage_conversion_ops(pm_type from, pm_type to) {
  double a = fmax(1, (double)pm_element_bytes(from)), b = fmax(1, (double)pm_element_bytes(to)), n = 1;
  if (pm_is_float(from) != pm_is_float(to))
    for (double narrow = fmin(a, b); narrow < fmax(a, b); narrow *= 2) n++;
  return n;
}

static void add_conversion(stage_work *w, const pm_op *op) {
  double bytes = widest(op), n = stage_conversion_ops(pm_arg(op, 0)->type, pm_res((pm_op *)op, 0)->type);
  add_ops(w, n, bytes);
  w->conversions += n > 1 ? n : 0;
  w->conversion_bytes += n > 1 ? n * bytes : 0;
}

/* A quotient by a constant is a product, a shift and a correction. */
static void add_integer_division(stage_work *w, const pm_op *op) {
  static const double ops_by_constant = 4;
  if (pm_constant_value(pm_arg(op, 1)))
    add_ops(w, ops_by_constant, widest(op));
  else
    w->divisions++;
}

/* A quotient by a power of two is a product. */
static void add_division(stage_work *w, const pm_op *op) {
  pm_attr by = op->n_operands > 1 ? pm_constant_value(pm_arg(op, 1)) : NULL;
  int exponent;
  if (by && fabs(frexp(by->f, &exponent)) == 0.5)
    add_ops(w, 1, widest(op));
  else
    w->divisions++;
}

/* --- what changes along a row --- */

/* A body, and which of its values are not the same for all points of a row, in which they are `step` apart.
 */
typedef struct row {
  const pm_op *body;
  int64_t step;
  pm_map *varying;            /* of pm_value */
  PM_VEC(const pm_op *) read; /* reads of points next to one another, or of pixels, one of each row */
  PM_VEC(const pm_op *) near; /* all of points */
} row;

static bool varies(const row *r, const pm_value *value) {
  if (pm_is_arg(value)) return pm_value_index(value) + 1 == pm_region_at(r->body, 0)->n_args;
  return pm_map_has(r->varying, value);
}

static bool any_operand_varies(const row *r, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (varies(r, pm_arg(op, i))) return true;
  return false;
}

/* How an index moves from a point to the next of its row: by `step` each time when it is regular. */
typedef struct movement {
  bool moves, regular, computed;
  int64_t step;
} movement;

static movement movement_of_dim(const row *r, const pm_value *value) {
  bool moves = varies(r, value);
  return (movement){moves, !moves || pm_is_arg(value), moves && !pm_is_arg(value),
                    moves && pm_is_arg(value) ? r->step : 0};
}

/* Of a quotient or remainder by a constant, which is regular when the step is a multiple of that; else the
 * cells are known when those of a few points repeat, and are as if they were computed when not. */
static movement movement_of_division(movement a, pm_affine_expr expr) {
  int64_t by = expr->rhs->kind == PM_AFFINE_CONST ? expr->rhs->value : 0;
  if (!a.moves) return a;
  if (!a.regular || by <= 0) return (movement){.moves = true, .computed = true};
  if (a.step % by != 0) return (movement){.moves = true, .computed = by / pm_gcd(by, a.step) > PM_MAX_PERIOD};
  if (expr->kind == PM_AFFINE_MOD) return (movement){.regular = true};
  return (movement){.moves = true, .regular = true, .step = a.step / by};
}

static movement movement_of(const row *r, const pm_op *op, pm_affine_expr expr) {
  if (expr->kind == PM_AFFINE_DIM)
    return movement_of_dim(r, pm_arg(op, stage_index_operand(op) + (unsigned)expr->value));
  if (expr->kind < PM_AFFINE_ADD) return (movement){.regular = true};
  movement a = movement_of(r, op, expr->lhs), b = movement_of(r, op, expr->rhs);
  if (expr->kind != PM_AFFINE_ADD && expr->kind != PM_AFFINE_MUL) return movement_of_division(a, expr);
  bool linear = expr->kind == PM_AFFINE_ADD || expr->rhs->kind == PM_AFFINE_CONST;
  int64_t step = expr->kind == PM_AFFINE_ADD ? a.step + b.step : a.step * expr->rhs->value;
  bool moves = a.moves || b.moves;
  return (movement){moves, !moves || (linear && a.regular && b.regular), a.computed || b.computed,
                    moves && linear ? step : 0};
}

/* What a row's loop does where it reads or changes a cell. */
typedef enum access_kind {
  ACCESS_SAME,
  ACCESS_UNIT,
  ACCESS_SPACED, /* a few cells of the row further */
  ACCESS_PIXEL,  /* the same channel of the next point, where an array has its planes in the last dimension */
  ACCESS_STRIDED,
  ACCESS_UNEVEN,
  ACCESS_GATHER
} access_kind;

typedef struct access {
  access_kind kind;
  int64_t step; /* where spaced; of pixels: their channels */
} access;

static access_kind regular_kind(int64_t step, bool last) {
  if (!last || step < 1 || step > PM_MAX_PERIOD) return ACCESS_STRIDED;
  return step == 1 ? ACCESS_UNIT : ACCESS_SPACED;
}

/* The channels of the pixels that are read, a few in the last dimension; 0: the array has no such. */
static int64_t channels_of(const pm_op *op) {
  const pm_op *pipeline = op;
  while (pipeline && !pm_is(pipeline, &stage_pipeline)) pipeline = pm_parent(pipeline);
  const pm_op *stage = pipeline ? pm_lookup_symbol(pm_region_at(pipeline, stage_pipeline_body),
                                                   pm_sym_at(op, stage_read_stage))
                                : NULL;
  isl_set *domain = stage ? isl_peek_set(stage_domain_of(stage)) : NULL;
  int n = domain ? (int)isl_set_dim(domain, isl_dim_set) : 0;
  return n > 1 && stage_is_of_planes(domain, (unsigned)n - 1) ? (int64_t)stage_extent(domain, (unsigned)n - 1)
                                                              : 0;
}

static access access_of(const row *r, const pm_op *op) {
  pm_affine_map map = stage_index_map(op);
  access a = {ACCESS_SAME, 1};
  movement before = {0};
  for (uint32_t i = 0; i < map->n_results; i++) {
    movement m = movement_of(r, op, map->results[i]);
    access_kind here = !m.moves     ? ACCESS_SAME
                       : m.computed ? ACCESS_GATHER
                       : !m.regular ? ACCESS_UNEVEN
                                    : regular_kind(m.step, i + 1 == map->n_results);
    if (here > a.kind) a = (access){here, m.step};
    if (i + 2 == map->n_results) before = m;
  }
  if (a.kind != ACCESS_STRIDED || !pm_is(op, &stage_read) || before.step != 1) return a;
  for (uint32_t i = 0; i < map->n_results; i++)
    if (i + 2 != map->n_results && movement_of(r, op, map->results[i]).moves) return a;
  int64_t channels = channels_of(op);
  return channels ? (access){ACCESS_PIXEL, channels} : a;
}

/* Of cells that are spaced all between are loaded, and shuffled into one vector. Of pixels, other planes of
 * the loop have the cells between. */
static void add_access(stage_work *w, access a, double bytes) {
  bool spaced = a.kind == ACCESS_SPACED, pixel = a.kind == ACCESS_PIXEL,
       near = spaced || pixel || a.kind == ACCESS_UNIT;
  w->loads += near;
  w->load_bytes += near ? (double)(pixel ? 1 : a.step) * bytes : a.kind == ACCESS_UNEVEN ? bytes / 2 : 0;
  if (spaced) add_ops(w, (double)a.step - 1, bytes);
  w->strided += a.kind == ACCESS_STRIDED;
  w->uneven += a.kind == ACCESS_UNEVEN;
  w->gathers += a.kind == ACCESS_GATHER;
}

/* --- bodies --- */

static double bytes_read(const pm_op *read) {
  double bytes = 0;
  for (unsigned i = 0; i < read->n_results; i++) bytes += value_bytes(pm_res(read, i));
  return bytes;
}

/* A cell is read and written. */
static void add_combine(stage_work *w, const row *r, const pm_op *op) {
  double bytes = value_bytes(pm_arg(op, 0));
  bool is_float = pm_get_scalar_info((pm_scalar)pm_arg(op, 0)->type->scalar)->is_float;
  access a = access_of(r, op);
  if (a.kind == ACCESS_SPACED) a.kind = ACCESS_STRIDED;
  w->chained += is_float && a.kind == ACCESS_SAME;
  add_ops(w, stage_combine_len(op), bytes);
  add_access(w, a, bytes);
  add_access(w, a, bytes);
}

static void add_computation(stage_work *w, const pm_op *op) {
  switch (op->desc->cost) {
  case PM_COST_CALL:
    w->calls++;
    break;
  case PM_COST_INTEGER_DIVISION:
    add_integer_division(w, op);
    break;
  case PM_COST_DIVISION:
    add_division(w, op);
    break;
  case PM_COST_OP:
  case PM_COST_UNKNOWN:
    if (pm_is(op, &arith_cast))
      add_conversion(w, op);
    else
      add_ops(w, 1, widest(op));
    break;
  }
}

static bool same_stage(const pm_op *a, const pm_op *b) {
  return pm_sym_at(a, stage_read_stage) == pm_sym_at(b, stage_read_stage);
}

/* The two differ in the last index at most, of pixels in the last two. */
static bool same_row(const pm_op *a, const pm_op *b, bool pixels) {
  pm_affine_map x = stage_index_map(a), y = stage_index_map(b);
  uint32_t own = pixels ? 2 : 1;
  if (!same_stage(a, b) || a->n_operands != b->n_operands) return false;
  for (unsigned i = 0; i < a->n_operands; i++)
    if (pm_arg(a, i) != pm_arg(b, i)) return false;
  for (uint32_t i = 0; i + own < x->n_results; i++)
    if (x->results[i] != y->results[i]) return false;
  return true;
}

/* The row of pixels is shuffled into planes, once for what is read of an array: sums of rows are shuffled. */
static void add_row(stage_work *w, row *r, const pm_op *read, access a) {
  bool seen = false, pixels = a.kind == ACCESS_PIXEL;
  for (size_t i = 0; i < r->read.len; i++) {
    if (same_row(r->read.data[i], read, pixels)) return;
    seen = seen || same_stage(r->read.data[i], read);
  }
  PM_VEC_PUSH(r->read, read);
  w->row_bytes += bytes_read(read) * (double)(pixels ? a.step : 1);
  w->repeated_bytes += seen ? bytes_read(read) : 0;
  if (pixels && !seen) add_ops(w, (double)a.step - 1, bytes_read(read));
}

static void add_op(stage_work *w, row *r, const pm_op *op) {
  if (pm_is(op, &stage_combine)) {
    add_combine(w, r, op);
    return;
  }
  bool is_read = pm_is(op, &stage_read);
  access a = is_read ? access_of(r, op) : (access){ACCESS_SAME, 1};
  if (is_read ? a.kind == ACCESS_SAME : !any_operand_varies(r, op)) return;
  for (unsigned i = 0; i < op->n_results; i++) pm_map_set(r->varying, pm_res(op, i), (void *)op);
  if (is_read) add_access(w, a, bytes_read(op));
  if (is_read && (a.kind == ACCESS_UNIT || a.kind == ACCESS_PIXEL)) add_row(w, r, op, a);
  if (is_read && a.kind == ACCESS_UNIT) PM_VEC_PUSH(r->near, op);
  if (!is_read && !pm_is(op, &stage_yield)) add_computation(w, op);
}

/* --- what rows share --- */

enum { MOST_SHARED = 128 };

/* The read of a row that is `ahead` rows further on. */
typedef struct row_read {
  const pm_op *op;
  int64_t ahead;
} row_read;

/* Operands are numbers, parameters or coordinates: what rows compute is their own. */
static bool has_known_place(const pm_op *read) {
  for (unsigned i = 0; i < read->n_operands; i++)
    if (!pm_is_arg(pm_arg(read, i))) return false;
  return read->n_operands <= PM_MAX_RANK;
}

/* Index number `i` in terms of the first row. */
static pm_affine_expr index_of(const row *r, row_read read, uint32_t i) {
  pm_affine_map map = stage_index_map(read.op);
  const pm_region *body = pm_region_at(r->body, 0);
  pm_affine_expr dims[PM_MAX_RANK];
  for (uint32_t d = 0; d < map->n_dims; d++) {
    const pm_value *value = pm_arg(read.op, stage_index_operand(read.op) + d);
    bool over_rows = pm_value_index(value) + 2 == body->n_args;
    dims[d] = pm_affine_addc(pm_affine_dim(map->ctx, pm_value_index(value)), over_rows ? read.ahead : 0);
  }
  return pm_affine_divide_out(pm_affine_substitute(map->results[i], dims, NULL));
}

static bool same_cell(const row *r, row_read a, row_read b) {
  pm_affine_map x = stage_index_map(a.op);
  if (!same_stage(a.op, b.op)) return false;
  for (uint32_t i = x->n_results; i > 0; i--)
    if (index_of(r, a, i - 1) != index_of(r, b, i - 1)) return false;
  return true;
}

/* An earlier one of the reads of all rows has the same cell. */
static bool is_loaded(const row *r, const row_read *reads, size_t n, row_read read) {
  for (size_t i = 0; i < n; i++)
    if (same_cell(r, reads[i], read)) return true;
  return false;
}

static double shared_bytes(const row *r) {
  double bytes = 0;
  row_read reads[MOST_SHARED * PM_JAMMED_ROWS];
  size_t n = 0;
  if (r->near.len > MOST_SHARED || pm_region_at(r->body, 0)->n_args < 2) return 0;
  for (size_t i = 0; i < r->near.len; i++) {
    for (int64_t ahead = 0; has_known_place(r->near.data[i]) && ahead < PM_JAMMED_ROWS; ahead++) {
      row_read read = {r->near.data[i], ahead};
      bool shared = is_loaded(r, reads, n, read);
      bytes += shared ? bytes_read(read.op) / PM_JAMMED_ROWS : 0;
      if (!shared) reads[n++] = read;
    }
  }
  return bytes;
}

stage_work stage_body_work(const pm_op *body, int64_t step) {
  stage_work w = {0};
  row r = {.body = body, .step = step, .varying = pm_map_new()};
  PM_FOR_OPS(op, pm_region_at(body, 0)) add_op(&w, &r, op);
  w.shared_bytes = shared_bytes(&r);
  PM_VEC_FREE(r.read);
  PM_VEC_FREE(r.near);
  pm_map_free(r.varying);
  return w;
}

/* --- means over the points --- */

/* The set without the dimensions behind `d`. */
static __isl_give isl_set *up_to(__isl_keep isl_set *set, unsigned d) {
  unsigned behind = (unsigned)isl_set_dim(set, isl_dim_set) - d - 1;
  return isl_set_project_out(isl_set_copy(set), isl_dim_set, d + 1, behind);
}

/* From a point to the next along a dimension, for points that begin as those of `slice` do; all of `extent`
 * for a single one. */
static double stride_along(__isl_keep isl_set *slice, unsigned d, double extent) {
  isl_set *ahead = up_to(slice, d);
  isl_val *stride = isl_set_get_stride(ahead, (int)d);
  double number = stage_extent(ahead, d) <= 1 ? extent : isl_val_get_d(stride);
  isl_set_free(ahead);
  isl_val_free(stride);
  return greater(1, number);
}

/* The widest along a dimension that points which begin alike are: 2 of { [b, x] : b = floor(x/2) }. */
static double width_along(__isl_keep isl_set *set, unsigned d) {
  isl_map *pairs = isl_map_from_domain_and_range(up_to(set, d), up_to(set, d));
  for (unsigned k = 0; k < d; k++) pairs = isl_map_equate(pairs, isl_dim_in, (int)k, isl_dim_out, (int)k);
  isl_set *distances = isl_map_deltas(pairs);
  double width = (stage_extent(distances, d) + 1) / 2;
  isl_set_free(distances);
  return width;
}

static double points_along(double extent, double stride) {
  double points = extent >= 1 ? floor((extent - 1) / stride) + 1 : 0;
  return points <= most_points ? points : most_points;
}

/* Of a set with congruences, as { [i, x] : (x - i) mod 16 = 0 }: strides are those at a point of it. */
static double sparse_points(__isl_keep isl_set *set) {
  isl_point *sample = isl_set_sample_point(isl_set_copy(set));
  isl_set *slice = isl_set_copy(set);
  unsigned n = isl_point_is_void(sample) ? 0 : (unsigned)isl_set_dim(set, isl_dim_set);
  double points = n ? 1 : 0;
  for (unsigned d = 0; d < n; d++) {
    double width = width_along(set, d);
    points *= points_along(width, stride_along(slice, d, width));
    slice = isl_set_fix_val(slice, isl_dim_set, d, isl_point_get_coordinate_val(sample, isl_dim_set, (int)d));
  }
  isl_set_free(slice);
  isl_point_free(sample);
  return points;
}

static double box_points(__isl_keep isl_set *set) {
  double points = 1;
  for (unsigned d = 0; d < (unsigned)isl_set_dim(set, isl_dim_set); d++)
    points *= points_along(stage_extent(set, d), 1);
  return points;
}

double stage_points_in(const stage_graph *graph, isl_set *set, int64_t usual) {
  isl_set *at = isl_set_project_out_all_params(stage_at_estimates(graph, isl_set_copy(set), usual));
  bool sparse = isl_set_involves_locals(at) == isl_bool_true;
  double points = sparse ? sparse_points(at) : box_points(at);
  isl_set_free(at);
  return points;
}

/* Adds `times` what the other is, field by field. */
static void accumulate(stage_work *sum, const stage_work *w, double times) {
  sum->ops += times * w->ops;
  sum->op_bytes += times * w->op_bytes;
  sum->conversions += times * w->conversions;
  sum->conversion_bytes += times * w->conversion_bytes;
  sum->divisions += times * w->divisions;
  sum->calls += times * w->calls;
  sum->loads += times * w->loads;
  sum->load_bytes += times * w->load_bytes;
  sum->shared_bytes += times * w->shared_bytes;
  sum->row_bytes += times * w->row_bytes;
  sum->repeated_bytes += times * w->repeated_bytes;
  sum->strided += times * w->strided;
  sum->uneven += times * w->uneven;
  sum->gathers += times * w->gathers;
  sum->chained += times * w->chained;
}

/* From a point to the next of its row. */
static int64_t step_in_row(isl_set *set) {
  int n = (int)isl_set_dim(set, isl_dim_set);
  if (!n) return 1;
  isl_val *stride = isl_set_get_stride(set, n - 1);
  int64_t step = isl_val_is_pos(stride) == isl_bool_true ? isl_val_get_num_si(stride) : 1;
  isl_val_free(stride);
  return step;
}

stage_work stage_work_in(const pm_op *body, isl_set *set) {
  int64_t step = step_in_row(set);
  stage_work w = stage_body_work(body, step);
  w.strided += step != 1;
  return w;
}

static void add_body(stage_work *sum, const stage_graph *graph, const pm_op *body, isl_set *set,
                     int64_t usual) {
  stage_work w = stage_work_in(body, set);
  double points = stage_points_in(graph, set, usual);
  accumulate(sum, &w, points);
  sum->points += points;
}

static stage_work mean(const stage_work *sum) {
  stage_work w = {.points = sum->points};
  if (sum->points > 0) accumulate(&w, sum, 1 / sum->points);
  return w;
}

stage_work stage_case_work(const stage_graph *graph, const stage_node *node, int64_t usual) {
  stage_work sum = {0};
  for (size_t i = 0; i < node->cases.len; i++)
    add_body(&sum, graph, node->cases.data[i].op, node->cases.data[i].set, usual);
  return mean(&sum);
}

stage_work stage_update_work(const stage_graph *graph, const stage_node *node, int64_t usual) {
  stage_work sum = {0};
  for (size_t i = 0; i < node->updates.len; i++)
    add_body(&sum, graph, node->updates.data[i].op, node->updates.data[i].set, usual);
  return mean(&sum);
}
