/* lower-poly: a scheduled pipeline becomes a loop.func. The loops are read off the tree where its shape
 * allows that (dialects/poly/lower/scan.h); isl_ast_build makes the others. The bodies of the cases are put
 * in their place, reads and yields becoming loads and stores of the allocated buffers.
 *
 *   stage.pipeline @p { … poly.schedule { poly.domain "{ f[x] : 0 <= x < R }" {
 *     poly.alloc @f : f32 in "output"
 *     poly.band "[{ f[x] -> [(x)] }]" { } } } }
 *   =>
 *   loop.func @p { %R = loop.param @R : i32 … %f = buf.output @f(%n) : memref<?xf32>
 *     loop.for %i0 = %c0 to %n step 1 { … buf.store %v, %f[%i0] : memref<?xf32> } }
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/ast_expr.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/poly/check/check_marks.h"
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/lower/isl_tree.h"
#include "dialects/poly/lower/scan.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"
#include "passes/options.h"

#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/id_to_ast_expr.h>
#include <isl/options.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* Where the values of a stage or input are: buffers whose cells [0, …] are the point `origin`, one for each
 * element of its tuples. Where a dimension is folded, the cell of a point is its coordinate modulo that. */
typedef struct buffer {
  pm_value **memrefs;
  pm_affine_expr *origin; /* over the pool */
  pm_attr fold;           /* integers, 0 where nothing is folded; or NULL */
  pm_attr stage;          /* itself, where it has the cells in turn with others; or NULL */
} buffer;

/* The first point of a scratchpad, at one place in the AST. */
typedef struct placed_alloc {
  pm_op *alloc;
  unsigned n;
  isl_ast_expr **origin;
} placed_alloc;

typedef struct lowering {
  pm_pass *pass;
  pm_context *ctx;
  const stage_graph *graph;
  const poly_statements *statements;
  poly_sites sites;
  pm_arena *arena;
  pm_op *func;
  loop_ast_env env;
  loop_affine_pool pool;
  buffer *buffers; /* by node index */
  PM_VEC(placed_alloc) placed;
  PM_VEC(isl_ast_expr *) conditions; /* of calls that isl makes at too many points */
  pm_map *scratch;                   /* poly.alloc -> the memrefs that were last made for it */
  PM_VEC(isl_id *) iterators;
  pm_affine_expr *params;                /* over the pool, in the order of the context */
  pm_affine_expr loops[POLY_SCAN_DEPTH]; /* over the pool: those around, of a poly_scan */
  bool failed;
} lowering;

/* --- arguments, extents, arrays --- */

static void bind_param(lowering *l, const char *name, pm_value *value) {
  isl_id *id = isl_id_alloc(l->graph->isl, name, NULL);
  pm_map_set(l->env.values, id, value);
  PM_VEC_PUSH(l->iterators, id);
  int at = isl_set_find_dim_by_name(l->graph->context, isl_dim_param, name);
  if (at >= 0) l->params[at] = loop_pool_expr(&l->pool, value);
}

static void add_params(lowering *l, pm_builder *b) {
  for (size_t i = 0; i < l->graph->params.len; i++) {
    pm_op *param = l->graph->params.data[i];
    b->loc = param->loc;
    pm_attr attrs[loop_param_N_ATTRS] = {NULL};
    attrs[loop_param_sym] = param->attrs[stage_param_sym];
    pm_type type = pm_res(param, stage_param_value)->type;
    pm_op *op = pm_build(b, &loop_param, NULL, 0, &type, 1, attrs);
    op->results[0].name = pm_sym_at(param, stage_param_sym);
    if (pm_is_int_or_index(type)) bind_param(l, pm_sym_at(param, stage_param_sym)->text, pm_res(op, 0));
  }
}

/* The value of an expression of the parameters; takes it. */
static pm_value *param_value(lowering *l, pm_builder *b, isl_ast_build *build, __isl_take isl_pw_aff *pa) {
  isl_ast_expr *expr = isl_ast_build_expr_from_pw_aff(build, pa);
  pm_value *v = expr ? loop_build_ast_expr(b, &l->env, expr) : NULL;
  isl_ast_expr_free(expr);
  if (!v) l->failed = true;
  return v;
}

/* The same as an affine expression. */
static pm_affine_expr param_expr(lowering *l, pm_builder *b, isl_ast_build *build,
                                 __isl_take isl_pw_aff *pa) {
  pm_value *v = param_value(l, b, build, pa);
  return v ? loop_pool_expr(&l->pool, v) : NULL;
}

enum { MOST_DIMS = 64 };

typedef struct box {
  pm_value *extents[MOST_DIMS];
  pm_affine_expr lower[MOST_DIMS];
} box;

static void empty_box(lowering *l, pm_builder *b, unsigned n_dims, box *out) {
  for (unsigned d = 0; d < n_dims; d++) {
    out->extents[d] = arith_build_index(b, 0);
    out->lower[d] = pm_affine_const(l->ctx, 0);
  }
}

/* The affine function that it is where it is defined; NULL when there are several. */
static __isl_give isl_aff *only_function(isl_pw_aff *pa) {
  isl_pw_aff *whole = isl_pw_aff_gist(isl_pw_aff_copy(pa), isl_pw_aff_domain(isl_pw_aff_copy(pa)));
  isl_aff *aff =
      isl_pw_aff_isa_aff(whole) == isl_bool_true ? isl_pw_aff_as_aff(isl_pw_aff_copy(whole)) : NULL;
  isl_pw_aff_free(whole);
  return aff;
}

/* Extents of a domain that is empty for some parameters say nothing there. Where they might all be positive,
 * the first becomes 0. */
static void close_extents(const lowering *l, const stage_node *node, isl_pw_aff **extents) {
  isl_set *empty = isl_set_copy(l->graph->context);
  empty = isl_set_subtract(empty, isl_set_params(isl_set_copy(node->domain)));
  isl_set *open = isl_set_copy(empty);
  for (unsigned d = 0; d < node->n_dims; d++) {
    isl_aff *aff = only_function(extents[d]);
    if (aff) open = isl_set_intersect(open, isl_pw_aff_pos_set(isl_pw_aff_from_aff(aff)));
  }
  if (node->n_dims && isl_set_is_empty(open) != isl_bool_true) {
    isl_aff *zero = isl_aff_zero_on_domain_space(isl_set_get_space(empty));
    extents[0] = isl_pw_aff_union_add(extents[0], isl_pw_aff_alloc(isl_set_copy(empty), zero));
  }
  isl_set_free(open);
  isl_set_free(empty);
}

/* Extents and first point of the box of a domain; what is constant becomes part of the affine expressions. */
static bool find_box(lowering *l, pm_builder *b, isl_ast_build *build, const stage_node *node, box *out) {
  if (node->n_dims > MOST_DIMS)
    return pm_op_error(node->op, "has %u dimensions, but at most %d are supported", node->n_dims, MOST_DIMS);
  if (isl_set_is_empty(node->domain) == isl_bool_true) {
    empty_box(l, b, node->n_dims, out);
    return true;
  }
  isl_pw_aff *extents[MOST_DIMS];
  for (unsigned d = 0; d < node->n_dims; d++) {
    isl_pw_aff *lo = isl_set_dim_min(isl_set_copy(node->domain), (int)d);
    extents[d] = isl_pw_aff_sub(isl_set_dim_max(isl_set_copy(node->domain), (int)d), isl_pw_aff_copy(lo));
    extents[d] = isl_pw_aff_add_constant_val(extents[d], isl_val_one(l->graph->isl));
    out->lower[d] =
        node->is_input ? pm_affine_const(l->ctx, 0) : param_expr(l, b, build, isl_pw_aff_copy(lo));
    isl_pw_aff_free(lo);
  }
  close_extents(l, node, extents);
  bool ok = true;
  for (unsigned d = 0; d < node->n_dims; d++) {
    out->extents[d] = param_value(l, b, build, extents[d]);
    if (ok && !(out->lower[d] && out->extents[d]))
      ok = pm_op_error(node->op, "has a domain that is not bounded in dimension %u", d);
  }
  return ok;
}

/* The values of a stage in memory: a buffer of this shape for each element of its tuples. */
typedef struct shape {
  const stage_node *node;
  int64_t *dims;
  pm_value **extents; /* of dimensions that are PM_DYNAMIC, which all or none are */
  pm_value **memrefs; /* once they are built */
} shape;

typedef PM_VEC(shape) shapes;

static shape new_shape(lowering *l, const stage_node *node) {
  unsigned n = pm_tuple_len(node->type);
  shape s = {.node = node};
  s.dims = pm_arena_alloc(l->arena, (node->n_dims + 1) * sizeof *s.dims);
  s.memrefs = pm_arena_alloc(l->arena, n * sizeof *s.memrefs);
  return s;
}

/* Arrays of the caller. */
static void build_arguments(lowering *l, pm_builder *b, const pm_op_desc *desc, shape *s) {
  unsigned n = pm_tuple_len(s->node->type);
  for (unsigned i = 0; i < n; i++) {
    pm_string name = stage_element_name(s->node->op, i);
    pm_type type =
        pm_get_memref(pm_tuple_at(s->node->type, i), (uint16_t)s->node->n_dims, s->dims, PM_SPACE_NONE);
    pm_attr attrs[buf_output_N_ATTRS] = {pm_get_symbol(l->ctx, name)};
    if (n > 1 && desc == &buf_output) attrs[buf_output_stage] = pm_get_symbol(l->ctx, s->node->name);
    pm_op *op = pm_build(b, desc, s->extents, s->node->n_dims, &type, 1, attrs);
    op->results[0].name = name;
    s->memrefs[i] = pm_res(op, 0);
  }
}

/* Memory for element `i` of all shapes that have it, which share it; false when none has. */
static bool build_element(lowering *l, pm_builder *b, shapes *list, unsigned i, pm_space space) {
  PM_VEC(pm_type) types = {0};
  loop_values extents = {0};
  pm_string name = NULL;
  for (size_t k = 0; k < list->len; k++) {
    const shape *s = &list->data[k];
    if (i >= pm_tuple_len(s->node->type)) continue;
    name = stage_element_name(s->node->op, i);
    PM_VEC_PUSH(types,
                pm_get_memref(pm_tuple_at(s->node->type, i), (uint16_t)s->node->n_dims, s->dims, space));
    for (unsigned d = 0; s->extents && d < s->node->n_dims; d++) PM_VEC_PUSH(extents, s->extents[d]);
  }
  bool any = types.len > 0;
  pm_attr attrs[buf_alloc_N_ATTRS] = {types.len == 1 ? pm_get_symbol(l->ctx, name) : NULL};
  pm_op *op = any ? pm_build(b, &buf_alloc, extents.data, (unsigned)extents.len, types.data,
                             (unsigned)types.len, attrs)
                  : NULL;
  unsigned result = 0;
  for (size_t k = 0; any && k < list->len; k++) {
    shape *s = &list->data[k];
    if (i >= pm_tuple_len(s->node->type)) continue;
    op->results[result].name = stage_element_name(s->node->op, i);
    s->memrefs[i] = pm_res(op, result++);
  }
  PM_VEC_FREE(types);
  PM_VEC_FREE(extents);
  return any;
}

/* Memory that the shapes share. */
static void build_memory(lowering *l, pm_builder *b, shapes *list, pm_space space) {
  unsigned i = 0;
  while (build_element(l, b, list, i, space)) i++;
}

/* Those in the node of `alloc` that share its memory, itself first. */
static void collect_pool(pm_op *alloc, poly_ops *out) {
  pm_attr pool = alloc->attrs[poly_alloc_pool];
  PM_VEC_PUSH(*out, alloc);
  if (!pool) return;
  PM_FOR_OPS(op, alloc->region)
  if (op != alloc && pm_is(op, &poly_alloc) && op->attrs[poly_alloc_pool] == pool) PM_VEC_PUSH(*out, op);
}

/* Finds the extents of the array over the stage's box, and its origin; false after a diagnostic. */
static bool find_array(lowering *l, pm_builder *b, isl_ast_build *build, const stage_node *node, shape *out) {
  box bounds;
  b->loc = node->op->loc;
  if (!find_box(l, b, build, node, &bounds)) {
    l->failed = true;
    return false;
  }
  *out = new_shape(l, node);
  for (unsigned d = 0; d < node->n_dims; d++) out->dims[d] = PM_DYNAMIC;
  out->extents = pm_arena_memdup(l->arena, bounds.extents, node->n_dims * sizeof *bounds.extents);
  l->buffers[node->index] =
      (buffer){.memrefs = out->memrefs,
               .origin = pm_arena_memdup(l->arena, bounds.lower, node->n_dims * sizeof *bounds.lower)};
  return true;
}

static void add_argument(lowering *l, pm_builder *b, isl_ast_build *build, const stage_node *node,
                         const pm_op_desc *desc) {
  shape s;
  if (find_array(l, b, build, node, &s)) build_arguments(l, b, desc, &s);
}

/* The set of parameters as a condition. It is built without the context, which would make it true. */
static void build_requirement(lowering *l, pm_builder *b, isl_set *required) {
  isl_ast_build *build = isl_ast_build_from_context(isl_set_universe(isl_set_get_space(required)));
  isl_ast_expr *expr = isl_ast_build_expr_from_set(build, isl_set_copy(required));
  pm_value *holds = expr ? loop_build_ast_expr(b, &l->env, expr) : NULL;
  isl_ast_expr_free(expr);
  isl_ast_build_free(build);
  if (!holds) {
    l->failed = true;
    return;
  }
  char *text = isl_set_to_str(required);
  pm_attr attrs[] = {pm_get_string_attr(l->ctx, pm_str_of(text))};
  if (pm_is_bool(holds->type)) pm_build(b, &loop_require, &holds, 1, NULL, 0, attrs);
  free(text);
}

/* The context, but for what the types of the params say. */
static void add_requirement(lowering *l, pm_builder *b) {
  isl_set *types = stage_types_of_params(l->graph->pipeline, false);
  types = isl_set_align_params(types, isl_set_get_space(l->graph->context));
  isl_set *required = isl_set_gist(isl_set_copy(l->graph->context), types);
  if (isl_set_plain_is_universe(required) != isl_bool_true) build_requirement(l, b, required);
  isl_set_free(required);
}

/* Inputs, then outputs, in the order of the pipeline: with the params these are the call's arguments. */
static void add_arguments(lowering *l, pm_builder *b, isl_ast_build *build) {
  PM_FOR_OPS(op, pm_region_at(l->graph->pipeline, 0)) {
    if (!pm_is(op, &stage_input)) continue;
    add_argument(l, b, build, stage_graph_find(l->graph, pm_sym_at(op, stage_input_sym)), &buf_input);
  }
  for (size_t i = 0; i < l->graph->outputs.len; i++)
    add_argument(l, b, build, l->graph->outputs.data[i], &buf_output);
}

static const stage_node *stage_of(const lowering *l, const pm_op *alloc) {
  return stage_graph_find(l->graph, pm_sym_at(alloc, poly_alloc_stage));
}

/* The array of the stage is that of the first one of its turn, or of its own, which is added to the list. */
static void add_array(lowering *l, pm_builder *b, isl_ast_build *build, const pm_op *alloc, shapes *list) {
  const stage_node *node = stage_of(l, alloc), *first = stage_of(l, poly_first_of_turn(alloc));
  buffer *own = &l->buffers[node->index];
  shape s;
  if (own->memrefs) return;
  if (first != node) {
    *own = l->buffers[first->index];
  } else {
    if (!find_array(l, b, build, node, &s)) return;
    PM_VEC_PUSH(*list, s);
  }
  if (alloc->attrs[poly_alloc_turn]) own->stage = pm_get_symbol(l->ctx, node->name);
}

/* The whole arrays that share memory with that of `alloc`, and that. */
static void add_shared_arrays(lowering *l, pm_builder *b, isl_ast_build *build, pm_op *alloc) {
  poly_ops sharing = {0};
  shapes list = {0};
  collect_pool(alloc, &sharing);
  for (size_t i = 0; i < sharing.len; i++) add_array(l, b, build, sharing.data[i], &list);
  b->loc = alloc->loc;
  if (list.len) build_memory(l, b, &list, PM_SPACE_HEAP);
  PM_VEC_FREE(sharing);
  PM_VEC_FREE(list);
}

/* Whole arrays: allocations without a box of their own, and not the caller's. */
static void add_whole_arrays(lowering *l, pm_builder *b, isl_ast_build *build, pm_op *schedule) {
  poly_ops allocs = {0};
  poly_collect(schedule, &poly_alloc, &allocs);
  for (size_t i = 0; i < allocs.len; i++) {
    const stage_node *node = stage_of(l, allocs.data[i]);
    if (node && !allocs.data[i]->attrs[poly_alloc_at] && !l->buffers[node->index].memrefs)
      add_shared_arrays(l, b, build, allocs.data[i]);
  }
  PM_VEC_FREE(allocs);
}

/* --- statements --- */

/* One statement instance: the coordinates of its point, and what the values of its body became. */
typedef struct instance {
  const poly_statement *statement;
  pm_affine_expr *coords;
  pm_map *values; /* pm_value of the stage -> pm_value of the loops */
} instance;

static pm_value *value_in_loops(lowering *l, pm_builder *b, instance *at, pm_value *v) {
  pm_value *known = pm_map_get(at->values, v);
  if (known) return known;
  if (v->is_arg) {
    known = loop_build_affine(b, &l->pool, pm_affine_normalize(at->coords[v->index]));
    pm_map_set(at->values, v, known);
    return known;
  }
  pm_op *param = pm_lookup_symbol(pm_region_at(l->func, 0), pm_sym_at(pm_def(v), stage_param_sym));
  return pm_res(param, loop_param_value);
}

/* A value of the stage as an affine expression over the pool. */
static pm_affine_expr coordinate(lowering *l, pm_builder *b, instance *at, pm_value *v) {
  if (v->is_arg) return at->coords[v->index];
  return loop_pool_expr(&l->pool, value_in_loops(l, b, at, v));
}

/* The index of coordinate `d` of a point. */
static pm_affine_expr index_of(const lowering *l, const buffer *buf, unsigned d, pm_affine_expr coordinate) {
  int64_t fold = buf->fold ? buf->fold->items[d]->i : 0;
  pm_affine_expr minus = pm_affine_mul(buf->origin[d], pm_affine_const(l->ctx, -1));
  if (fold == 0) return pm_affine_normalize(pm_affine_add(coordinate, minus));
  return pm_affine_normalize(pm_affine_binary(PM_AFFINE_MOD, coordinate, pm_affine_const(l->ctx, fold)));
}

/* Indices of a point of a stage in its buffer; `operands` gets their values. */
static pm_affine_map cell_of(lowering *l, const stage_node *node, const pm_affine_expr *point,
                             loop_values *operands) {
  const buffer *buf = &l->buffers[node->index];
  pm_affine_expr indices[64];
  for (unsigned d = 0; d < node->n_dims; d++) indices[d] = index_of(l, buf, d, point[d]);
  return loop_pool_map(&l->pool, l->ctx, indices, node->n_dims, operands);
}

/* Element number `i` of the value at the point. */
static pm_value *build_load(lowering *l, pm_builder *b, const stage_node *node, unsigned i,
                            const pm_affine_expr *point) {
  pm_type type = pm_tuple_at(node->type, i);
  loop_values operands = {0}, all = {0};
  const buffer *from = &l->buffers[node->index];
  pm_attr attrs[buf_load_N_ATTRS] = {pm_get_map_attr(cell_of(l, node, point, &operands)), from->stage};
  PM_VEC_PUSH(all, from->memrefs[i]);
  for (size_t k = 0; k < operands.len; k++) PM_VEC_PUSH(all, operands.data[k]);
  pm_op *op = pm_build(b, &buf_load, all.data, (unsigned)all.len, &type, 1, attrs);
  PM_VEC_FREE(operands);
  PM_VEC_FREE(all);
  return pm_res(op, 0);
}

static void build_store(lowering *l, pm_builder *b, const stage_node *node, unsigned i,
                        const pm_affine_expr *point, pm_value *value) {
  loop_values operands = {0}, all = {0};
  const buffer *to = &l->buffers[node->index];
  pm_attr attrs[buf_store_N_ATTRS] = {pm_get_map_attr(cell_of(l, node, point, &operands)), to->stage};
  PM_VEC_PUSH(all, value);
  PM_VEC_PUSH(all, to->memrefs[i]);
  for (size_t k = 0; k < operands.len; k++) PM_VEC_PUSH(all, operands.data[k]);
  pm_build(b, &buf_store, all.data, (unsigned)all.len, NULL, 0, attrs);
  PM_VEC_FREE(operands);
  PM_VEC_FREE(all);
}

/* False after a diagnostic when the values of a stage have no place here. */
static bool has_memory(lowering *l, const stage_node *node) {
  if (l->buffers[node->index].memrefs) return true;
  l->failed = true;
  return pm_op_error(node->op,
                     "is used where no 'poly.alloc' of it is in scope; the pass storage makes allocations");
}

/* A coordinate, and a number added. */
static bool is_coordinate(pm_affine_expr e) {
  if (e->kind == PM_AFFINE_ADD) return is_coordinate(e->lhs) && e->rhs->kind == PM_AFFINE_CONST;
  return e->kind == PM_AFFINE_DIM;
}

/* What is divided in the index does not wrap: coordinates have STAGE_COORDINATE_BITS at most. */
static bool divides_coordinates(pm_affine_expr e) {
  if (!e->lhs) return true;
  if (e->kind >= PM_AFFINE_FLOORDIV) return is_coordinate(e->lhs);
  return divides_coordinates(e->lhs) && divides_coordinates(e->rhs);
}

/* The index with the values of its operands. In loops with steps, quotients of their values become simple. */
static pm_affine_expr index_at(pm_affine_expr index, const pm_affine_expr *operands) {
  pm_affine_expr e = pm_affine_substitute(index, operands, NULL);
  return divides_coordinates(index) ? pm_affine_divide_out(e) : e;
}

/* What is divided in a computed index may wrap. */
static bool divides_wrapped(lowering *l, pm_op *op, unsigned d) {
  if (!stage_has_computed_index(op)) return false;
  const void *values = pm_pass_analysis_of(l->pass, l->graph->pipeline, &stage_values_analysis);
  return stage_dividend_may_wrap((stage_values *)values, op, d);
}

/* The point that a read or combine goes to. Ops wrap, affine expressions should not. */
static void find_point(lowering *l, pm_builder *b, instance *at, pm_op *op, pm_affine_expr *point) {
  pm_affine_map map = stage_index_map(op);
  unsigned first = stage_index_operand(op);
  pm_affine_expr *dims = pm_xmalloc((map->n_dims + 1u) * sizeof *dims);
  for (unsigned i = 0; i < map->n_dims; i++) dims[i] = coordinate(l, b, at, pm_arg(op, first + i));
  for (unsigned d = 0; d < map->n_results; d++) {
    bool wraps = divides_wrapped(l, op, d);
    point[d] = wraps ? pm_affine_substitute(map->results[d], dims, NULL) : index_at(map->results[d], dims);
    if (wraps) point[d] = loop_pool_expr(&l->pool, loop_build_affine(b, &l->pool, point[d]));
  }
  free(dims);
}

static void lower_read(lowering *l, pm_builder *b, instance *at, pm_op *read) {
  const stage_node *producer = stage_graph_find(l->graph, pm_sym_at(read, stage_read_stage));
  if (!has_memory(l, producer)) return;
  pm_affine_expr point[64];
  find_point(l, b, at, read, point);
  for (unsigned i = 0; i < read->n_results; i++) {
    pm_value *v = build_load(l, b, producer, i, point);
    v->name = read->results[i].name;
    pm_map_set(at->values, pm_res(read, i), v);
  }
}

static void lower_combine(lowering *l, pm_builder *b, instance *at, pm_op *combine) {
  const stage_node *node = at->statement->node;
  pm_affine_expr point[64];
  find_point(l, b, at, combine, point);
  for (unsigned i = 0; i < stage_combine_len(combine); i++) {
    const pm_op_desc *desc = stage_combine_desc(combine, i);
    pm_value *value = value_in_loops(l, b, at, pm_arg(combine, i));
    if (desc) value = pm_build_binary(b, desc, build_load(l, b, node, i, point), value);
    build_store(l, b, node, i, point, value);
  }
}

static void lower_yield(lowering *l, pm_builder *b, instance *at, pm_op *yield) {
  for (unsigned i = 0; i < yield->n_operands; i++)
    build_store(l, b, at->statement->node, i, at->coords, value_in_loops(l, b, at, pm_arg(yield, i)));
}

static void lower_other(lowering *l, pm_builder *b, instance *at, pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    pm_map_set(at->values, pm_arg(op, i), value_in_loops(l, b, at, pm_arg(op, i)));
  pm_insert(b->region, b->before, pm_clone(l->func->module, op, at->values));
}

/* What follows a guard goes into the loop.if. */
static void lower_guard(lowering *l, pm_builder *b, instance *at, pm_op *guard) {
  pm_value *condition = value_in_loops(l, b, at, pm_arg(guard, stage_guard_condition));
  pm_op *op = loop_build_if(b, condition);
  *b = pm_builder_at_end(b->module, pm_region_begin(pm_region_at(op, loop_if_then)), b->loc);
}

static void lower_body(lowering *l, pm_builder b, instance *at) {
  PM_FOR_OPS(op, pm_region_at(at->statement->body, 0)) {
    if (l->failed) return;
    b.loc = op->loc;
    if (pm_is(op, &stage_read))
      lower_read(l, &b, at, op);
    else if (pm_is(op, &stage_guard))
      lower_guard(l, &b, at, op);
    else if (pm_is(op, &stage_yield))
      lower_yield(l, &b, at, op);
    else if (pm_is(op, &stage_combine))
      lower_combine(l, &b, at, op);
    else
      lower_other(l, &b, at, op);
  }
}

static void lower_default(lowering *l, pm_builder b, instance *at) {
  const stage_node *node = at->statement->node;
  b.loc = node->op->loc;
  for (unsigned i = 0; i < pm_tuple_len(node->type); i++)
    build_store(l, &b, node, i, at->coords, arith_build_constant(&b, stage_default_at(node->op, i)));
}

/* The coordinates of its point are over the pool. */
static void lower_instance(lowering *l, pm_builder b, const poly_statement *statement,
                           pm_affine_expr *coords) {
  if (!has_memory(l, statement->node)) return;
  instance at = {statement, coords, pm_map_new()};
  if (statement->body)
    lower_body(l, b, &at);
  else
    lower_default(l, b, &at);
  pm_map_free(at.values);
}

static void lower_call(lowering *l, pm_builder b, const poly_statement *statement, isl_ast_expr *call) {
  unsigned n = (unsigned)isl_set_dim(statement->set, isl_dim_set);
  pm_affine_expr *coords = pm_arena_alloc(l->arena, (n + 1) * sizeof *coords);
  for (unsigned d = 0; d < n && !l->failed; d++) {
    isl_ast_expr *arg = isl_ast_expr_get_op_arg(call, (int)d + 1);
    coords[d] = loop_affine_of_ast(&l->pool, &b, &l->env, arg);
    isl_ast_expr_free(arg);
    if (!coords[d]) l->failed = true;
  }
  if (!l->failed) lower_instance(l, b, statement, coords);
}

static const poly_statement *called_statement(const lowering *l, isl_ast_expr *call) {
  isl_ast_expr *callee = isl_ast_expr_get_op_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(callee);
  const poly_statement *statement =
      poly_find_statement(l->statements, pm_get_cstring(l->ctx, isl_id_get_name(id)));
  isl_id_free(id);
  isl_ast_expr_free(callee);
  return statement;
}

/* Where the call is noted to be at too many points, the inside of a loop.if that leaves out what is not in
 * the statement's set. */
static pm_builder at_its_points(lowering *l, pm_builder b, isl_ast_node *node) {
  isl_id *note = isl_ast_node_get_annotation(node);
  if (!note) return b;
  isl_ast_expr *points = l->conditions.data[(size_t)(uintptr_t)isl_id_get_user(note) - 1];
  isl_id_free(note);
  pm_value *condition = loop_build_ast_expr(&b, &l->env, points);
  if (!condition) {
    l->failed = true;
    return b;
  }
  pm_op *op = loop_build_if(&b, condition);
  return pm_builder_at_end(b.module, pm_region_begin(pm_region_at(op, loop_if_then)), b.loc);
}

static void lower_user(lowering *l, pm_builder b, isl_ast_node *node) {
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  const poly_statement *statement = called_statement(l, call);
  b.loc = statement->node->op->loc;
  b = at_its_points(l, b, node);
  if (!l->failed) lower_call(l, b, statement, call);
  isl_ast_expr_free(call);
}

/* --- loops --- */

/* `<word>:<number>` names a site; NULL: it does not. */
static const poly_site *site_named(const lowering *l, const char *name, const char *word) {
  size_t n = strlen(word);
  bool is = strncmp(name, word, n) == 0 && name[n] == ':';
  return is ? &l->sites.data[strtoul(name + n + 1, NULL, 10)] : NULL;
}

static void lower_node(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks);

/* Takes the node. */
static void lower_taken(lowering *l, pm_builder b, __isl_take isl_ast_node *node,
                        const poly_loop_marks *marks) {
  if (node) lower_node(l, b, node, marks);
  isl_ast_node_free(node);
}

/* The first value that a loop does not reach: the condition is `i < e` or `i <= e`. */
static pm_value *upper_bound(lowering *l, pm_builder *b, isl_ast_node *node) {
  isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
  isl_ast_expr *bound = isl_ast_expr_get_op_arg(cond, 1);
  pm_value *v = loop_build_ast_expr(b, &l->env, bound);
  if (v && isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_le)
    v = pm_build_binary(b, &arith_addi, v, arith_build_index(b, 1));
  isl_ast_expr_free(bound);
  isl_ast_expr_free(cond);
  return v;
}

static pm_value *lower_bound(lowering *l, pm_builder *b, isl_ast_node *node) {
  isl_ast_expr *init = isl_ast_node_for_get_init(node);
  pm_value *v = loop_build_ast_expr(b, &l->env, init);
  isl_ast_expr_free(init);
  return v;
}

static int64_t step_of(isl_ast_node *node) {
  isl_ast_expr *inc = isl_ast_node_for_get_inc(node);
  isl_val *v = isl_ast_expr_get_val(inc);
  int64_t step = isl_val_get_num_si(v);
  isl_val_free(v);
  isl_ast_expr_free(inc);
  return step;
}

static bool is_vector(const pm_op *loop) {
  return pm_is(loop, &loop_for) && loop->attrs[loop_for_simd];
}

/* Attributes of loops that say what the marks of the tree said: the value of the mark, or that there is one.
 */
typedef struct carried_mark {
  poly_mark_kind mark;
  unsigned value; /* of poly.mark; its name: that there is one */
  const pm_op_desc *loop;
  unsigned slot;
  bool serial; /* not of a vector loop */
} carried_mark;

static const carried_mark carried[] = {
    {POLY_MARK_parallel, poly_mark_deal, &loop_parallel, loop_parallel_deal, false},
    {POLY_MARK_vector, poly_mark_name, &loop_for, loop_for_simd, false},
    {POLY_MARK_vector, poly_mark_width, &loop_for, loop_for_width, false},
    {POLY_MARK_unroll, poly_mark_times, &loop_for, loop_for_unroll, true},
    {POLY_MARK_isolate, poly_mark_name, &loop_for, loop_for_isolate, true},
    {POLY_MARK_isolate, poly_mark_name, &loop_parallel, loop_parallel_isolate, false},
    {POLY_MARK_prefetch, poly_mark_lines, &loop_for, loop_for_prefetch, true},
};

static pm_attr carried_value(const carried_mark *row, const pm_op *mark) {
  return row->value == poly_mark_name ? pm_get_unit(pm_op_context(mark)) : pm_attr_at(mark, row->value);
}

static pm_op *build_loop(pm_builder *b, pm_value *lb, pm_value *ub, int64_t step, pm_string counter,
                         const poly_loop_marks *marks) {
  pm_op *loop = marks->of[POLY_MARK_parallel]
                    ? loop_build_parallel(b, lb, ub, step, counter)
                    : loop_build_for(b, lb, ub, &(loop_spec){.step = step, .counter = counter});
  for (size_t i = 0; i < PM_COUNT(carried); i++) {
    const pm_op *mark = marks->of[carried[i].mark];
    if (mark && pm_is(loop, carried[i].loop) && !(carried[i].serial && is_vector(loop)))
      pm_set_attr(loop, carried[i].slot, carried_value(&carried[i], mark));
  }
  return loop;
}

/* A loop that isl found to run once. */
static void lower_degenerate(lowering *l, pm_builder b, isl_ast_node *node, isl_id *iterator,
                             const poly_loop_marks *marks) {
  poly_loop_marks inside = poly_marks_inside(marks);
  pm_value *v = lower_bound(l, &b, node);
  if (!v) {
    l->failed = true;
    return;
  }
  pm_map_set(l->env.values, iterator, v);
  lower_taken(l, b, isl_ast_node_for_get_body(node), &inside);
}

static void lower_loop(lowering *l, pm_builder b, isl_ast_node *node, isl_id *iterator,
                       const poly_loop_marks *marks) {
  pm_value *lb = lower_bound(l, &b, node), *ub = upper_bound(l, &b, node);
  if (!lb || !ub) {
    l->failed = true;
    return;
  }
  pm_string name = pm_get_cstring(l->ctx, isl_id_get_name(iterator));
  pm_op *loop = build_loop(&b, lb, ub, step_of(node), name, marks);
  pm_map_set(l->env.values, iterator, pm_region_at(loop, 0)->args[0]);
  poly_loop_marks inside = poly_marks_inside(marks);
  lower_taken(l, pm_builder_at_end(b.module, pm_region_at(loop, 0), b.loc), isl_ast_node_for_get_body(node),
              &inside);
}

static void lower_for(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_ast_expr *expr = isl_ast_node_for_get_iterator(node);
  isl_id *iterator = isl_ast_expr_get_id(expr);
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true)
    lower_degenerate(l, b, node, iterator, marks);
  else
    lower_loop(l, b, node, iterator, marks);
  isl_id_free(iterator);
  isl_ast_expr_free(expr);
}

static void lower_if(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_ast_expr *cond = isl_ast_node_if_get_cond(node);
  pm_value *condition = loop_build_ast_expr(&b, &l->env, cond);
  isl_ast_expr_free(cond);
  if (!condition) {
    l->failed = true;
    return;
  }
  pm_op *op = loop_build_if(&b, condition);
  pm_region *then = pm_region_begin(pm_region_at(op, loop_if_then));
  lower_taken(l, pm_builder_at_end(b.module, then, b.loc), isl_ast_node_if_get_then_node(node), marks);
  if (isl_ast_node_if_has_else_node(node) != isl_bool_true) return;
  pm_region *otherwise = pm_region_begin(pm_region_at(op, loop_if_else));
  lower_taken(l, pm_builder_at_end(b.module, otherwise, b.loc), isl_ast_node_if_get_else_node(node), marks);
}

static void lower_block(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_ast_node_list *children = isl_ast_node_block_get_children(node);
  int n = (int)isl_ast_node_list_n_ast_node(children);
  for (int i = 0; i < n && !l->failed; i++)
    lower_taken(l, b, isl_ast_node_list_get_ast_node(children, i), marks);
  isl_ast_node_list_free(children);
}

/* --- scratchpads --- */

/* The innermost parallel loop around the builder, or NULL. */
static pm_op *parallel_around(const pm_builder *b) {
  pm_op *loop = b->region->op;
  while (loop && !pm_is(loop, &loop_parallel)) loop = pm_parent(loop);
  return loop;
}

static shape shape_of_box(lowering *l, const pm_op *alloc) {
  shape s = new_shape(l, stage_of(l, alloc));
  for (unsigned d = 0; d < s.node->n_dims; d++) s.dims[d] = alloc->attrs[poly_alloc_size]->items[d]->i;
  return s;
}

/* Out of all that is in the loop, or else in the function, to the beginning of the one. */
static void leave_serial_loops(const lowering *l, pm_builder *b, pm_op *loop) {
  if (loop && b->region->op != loop) {
    b->region = pm_region_at(loop, loop_parallel_body);
    b->before = b->region->first;
  }
  while (!loop && b->region->op != l->func) {
    b->before = b->region->op;
    b->region = b->before->region;
  }
}

/* A thread's memory is made directly in the parallel loop; where that runs once, and is no loop, there is one
 * thread. Memory of the heap is made once, outside of all serial loops. */
static void build_scratch_memory(lowering *l, pm_builder b, shapes *list, pm_space space) {
  pm_op *loop = parallel_around(&b);
  if (space == PM_SPACE_THREAD && !loop) space = PM_SPACE_HEAP;
  if (space != PM_SPACE_STACK) leave_serial_loops(l, &b, loop);
  build_memory(l, &b, list, space);
}

/* The region is inside the other, and no loop between has iterations at the same time. */
static bool runs_in_order_inside(const pm_region *region, const pm_region *outer) {
  while (region && region != outer) {
    const pm_op *op = region->op;
    region = op && !pm_is(op, &loop_parallel) && !is_vector(op) ? op->region : NULL;
  }
  return region != NULL;
}

/* What isl takes apart, since a loop runs once, is one iteration still and shares the memory; so may what
 * runs later. */
static pm_value **find_or_build_memory(lowering *l, pm_builder b, pm_op *alloc) {
  pm_value **made = pm_map_get(l->scratch, alloc);
  if (made && runs_in_order_inside(b.region, pm_def(made[0])->region)) return made;
  poly_ops sharing = {0};
  shapes list = {0};
  collect_pool(alloc, &sharing);
  for (size_t i = 0; i < sharing.len; i++) PM_VEC_PUSH(list, shape_of_box(l, sharing.data[i]));
  build_scratch_memory(l, b, &list, poly_space_of(alloc));
  for (size_t i = 0; i < sharing.len; i++) pm_map_set(l->scratch, sharing.data[i], list.data[i].memrefs);
  made = list.data[0].memrefs;
  PM_VEC_FREE(sharing);
  PM_VEC_FREE(list);
  return made;
}

/* Its first point is over the pool. */
static void build_scratchpad(lowering *l, pm_builder b, pm_op *alloc, pm_affine_expr *origin) {
  b.loc = alloc->loc;
  l->buffers[stage_of(l, alloc)->index] = (buffer){
      .memrefs = find_or_build_memory(l, b, alloc), .origin = origin, .fold = alloc->attrs[poly_alloc_fold]};
}

static pm_affine_expr *origin_of(lowering *l, pm_builder b, const placed_alloc *p) {
  pm_affine_expr *origin = pm_arena_alloc(l->arena, (p->n + 1) * sizeof *origin);
  b.loc = p->alloc->loc;
  for (unsigned d = 0; d < p->n; d++) {
    origin[d] = loop_affine_of_ast(&l->pool, &b, &l->env, p->origin[d]);
    if (!origin[d]) l->failed = true;
  }
  return origin;
}

static buffer *buffer_of(lowering *l, const pm_op *alloc) {
  return &l->buffers[stage_graph_find(l->graph, pm_sym_at(alloc, poly_alloc_stage))->index];
}

/* The scratchpad holds the values of its stage in what is below the mark. */
static void lower_alloc(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_id *note = isl_ast_node_get_annotation(node);
  const placed_alloc *p = &l->placed.data[(size_t)(uintptr_t)isl_id_get_user(note) - 1];
  isl_id_free(note);
  buffer *at = buffer_of(l, p->alloc), outside = *at;
  build_scratchpad(l, b, p->alloc, origin_of(l, b, p));
  if (!l->failed) lower_taken(l, b, isl_ast_node_mark_get_node(node), marks);
  *at = outside;
}

static void lower_mark(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_id *id = isl_ast_node_mark_get_id(node);
  const char *name = isl_id_get_name(id);
  poly_loop_marks inside = strcmp(name, "end") ? *marks : poly_marks_inside(marks);
  const poly_site *mark = site_named(l, name, "mark");
  if (mark) poly_take_mark(&inside, mark->op);
  if (site_named(l, name, "alloc"))
    lower_alloc(l, b, node, marks);
  else
    lower_taken(l, b, isl_ast_node_mark_get_node(node), &inside);
  isl_id_free(id);
}

static void lower_node(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  if (l->failed) return;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    lower_for(l, b, node, marks);
    break;
  case isl_ast_node_if:
    lower_if(l, b, node, marks);
    break;
  case isl_ast_node_block:
    lower_block(l, b, node, marks);
    break;
  case isl_ast_node_mark:
    lower_mark(l, b, node, marks);
    break;
  case isl_ast_node_user:
    lower_user(l, b, node);
    break;
  default:
    l->failed = true;
  }
}

/* --- generating the AST --- */

/* The build's schedule space as the outer dimensions, for instances that all come from an extension. */
static __isl_give isl_map *all_loops(isl_ast_build *build) {
  return isl_map_flatten_range(
      isl_map_identity(isl_space_map_from_set(isl_ast_build_get_schedule_space(build))));
}

/* The first point of a site's box as a function of the build's schedule space. That space leaves out loops
 * that isl found to run once, so the way goes over the instances: space -> instances -> outer dimensions ->
 * point. */
static __isl_give isl_pw_multi_aff *first_point(isl_ast_build *build, const poly_site *site) {
  isl_union_map *outer =
      isl_union_map_apply_domain(isl_union_map_copy(site->prefix), isl_ast_build_get_schedule(build));
  isl_map *map = isl_union_map_is_empty(outer) == isl_bool_true
                     ? all_loops(build)
                     : isl_map_from_union_map(isl_union_map_copy(outer));
  isl_union_map_free(outer);
  map = isl_map_apply_range(map, isl_map_copy(isl_peek_map(site->op->attrs[poly_alloc_at])));
  return isl_pw_multi_aff_coalesce(isl_pw_multi_aff_from_map(isl_map_coalesce(map)));
}

static void report_no_place(lowering *l, const pm_op *alloc) {
  l->failed = true;
  isl_ctx_reset_error(l->graph->isl);
  pm_op_error(
      alloc,
      "of @%s has a box that depends on a loop which runs once, but only instances of an extension are in it",
      pm_sym_at(alloc, poly_alloc_stage)->text);
}

/* The first point of a scratchpad in terms of the loops around it, kept as the annotation of the mark. */
static __isl_give isl_ast_node *note_alloc(__isl_take isl_ast_node *node, __isl_keep isl_ast_build *build,
                                           void *user) {
  lowering *l = user;
  isl_id *id = isl_ast_node_mark_get_id(node);
  const poly_site *site = site_named(l, isl_id_get_name(id), "alloc");
  isl_id_free(id);
  if (!site) return node;
  placed_alloc p = {.alloc = site->op, .n = site->op->attrs[poly_alloc_size]->len};
  p.origin = pm_arena_alloc(l->arena, (p.n + 1) * sizeof *p.origin);
  isl_pw_multi_aff *first = first_point(build, site);
  if (!first) report_no_place(l, site->op);
  for (unsigned d = 0; d < p.n; d++) {
    p.origin[d] = isl_ast_build_expr_from_pw_aff(build, isl_pw_multi_aff_get_pw_aff(first, (int)d));
    if (!p.origin[d]) l->failed = true;
  }
  isl_pw_multi_aff_free(first);
  PM_VEC_PUSH(l->placed, p);
  isl_id *note = isl_id_alloc(l->graph->isl, "alloc", (void *)(uintptr_t)l->placed.len);
  return isl_ast_node_set_annotation(node, note);
}

/* Iterator names of our own: an id with a user pointer cannot be taken for a parameter of the same name. */
static __isl_give isl_id_list *iterator_names(lowering *l) {
  enum { MOST = 64 };
  isl_id_list *list = isl_id_list_alloc(l->graph->isl, MOST);
  for (int i = 0; i < MOST; i++) {
    char name[16];
    snprintf(name, sizeof name, "i%d", i);
    isl_id *id = isl_id_alloc(l->graph->isl, name, l);
    PM_VEC_PUSH(l->iterators, isl_id_copy(id));
    list = isl_id_list_add(list, id);
  }
  return list;
}

/* As a comparison, where it is the constant 0; NULL, where it is the constant 1. */
static __isl_give isl_ast_expr *as_comparison(__isl_take isl_ast_expr *condition) {
  if (isl_ast_expr_get_type(condition) != isl_ast_expr_int) return condition;
  isl_val *value = isl_ast_expr_get_val(condition);
  bool never = isl_val_is_zero(value) == isl_bool_true;
  isl_ctx *ctx = isl_ast_expr_get_ctx(condition);
  isl_val_free(value);
  if (never) return isl_ast_expr_eq(condition, isl_ast_expr_from_val(isl_val_one(ctx)));
  isl_ast_expr_free(condition);
  return NULL;
}

/* Which of its calls are instances of the statement, kept as the annotation of the call. */
static __isl_give isl_ast_node *note_points(__isl_take isl_ast_node *node, __isl_keep isl_ast_build *build,
                                            void *user) {
  lowering *l = user;
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  isl_union_set *points = isl_union_set_from_set(isl_set_copy(called_statement(l, call)->set));
  isl_ast_expr_free(call);
  points = isl_union_set_apply(points, isl_ast_build_get_schedule(build));
  isl_set *when = isl_union_set_extract_set(points, isl_ast_build_get_schedule_space(build));
  isl_union_set_free(points);
  isl_ast_expr *condition = isl_ast_build_expr_from_set(build, when);
  if (!condition) l->failed = true;
  condition = condition ? as_comparison(condition) : NULL;
  if (!condition) return node;
  PM_VEC_PUSH(l->conditions, condition);
  isl_id *note = isl_id_alloc(l->graph->isl, "points", (void *)(uintptr_t)l->conditions.len);
  return isl_ast_node_set_annotation(node, note);
}

/* The loops of a schedule, which is taken, NULL after a diagnostic; `place` is for messages. `wide` as
 * poly_to_isl_schedule says. */
static void lower_by_isl(lowering *l, pm_builder b, const pm_op *place, __isl_take isl_schedule *tree,
                         bool wide) {
  isl_options_set_ast_build_detect_min_max(l->graph->isl, 1);
  isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(l->graph->context));
  build = isl_ast_build_set_iterators(build, iterator_names(l));
  build = isl_ast_build_set_after_each_mark(build, note_alloc, l);
  if (wide) build = isl_ast_build_set_at_each_domain(build, note_points, l);
  isl_ast_node *loops = tree ? isl_ast_build_node_from_schedule(build, tree) : NULL;
  isl_ast_build_free(build);
  if (tree && !loops) pm_op_error(place, "cannot be turned into loops: %s", pm_isl_error(l->ctx));
  if (!loops) l->failed = true;
  lower_taken(l, b, loops, &(poly_loop_marks){{NULL}});
}

/* --- loops read off the tree --- */

static pm_affine_expr in_loops(const lowering *l, pm_affine_expr e) {
  return pm_affine_normalize(pm_affine_substitute(e, l->loops, l->params));
}

static pm_value *value_of(lowering *l, pm_builder *b, pm_affine_expr e) {
  return loop_build_affine(b, &l->pool, in_loops(l, e));
}

/* The least or greatest of the values, `desc` being mini or maxi. */
static pm_value *extreme_of(lowering *l, pm_builder *b, const pm_op_desc *desc, const pm_affine_expr *exprs,
                            unsigned n) {
  pm_value *v = value_of(l, b, exprs[0]);
  for (unsigned i = 1; i < n; i++) v = pm_build_binary(b, desc, v, value_of(l, b, exprs[i]));
  return v;
}

static pm_value *begin_of(lowering *l, pm_builder *b, const poly_level *level) {
  if (level->fixed) return value_of(l, b, level->fixed);
  return extreme_of(l, b, &arith_maxi, level->lower, level->n_lower);
}

static pm_value *end_of(lowering *l, pm_builder *b, const poly_level *level) {
  pm_affine_expr last = level->fixed ? level->fixed : level->upper[0];
  if (level->fixed || level->n_upper == 1) return value_of(l, b, pm_affine_addc(last, 1));
  pm_value *v = extreme_of(l, b, &arith_mini, level->upper, level->n_upper);
  return pm_build_binary(b, &arith_addi, v, arith_build_index(b, 1));
}

static void scan_children(lowering *l, pm_builder b, const poly_scan *node);

/* What a level is in an iteration of its loop. */
static pm_affine_expr value_in_loop(const lowering *l, const poly_level *level, pm_affine_expr counter) {
  if (!level->first) return counter;
  pm_affine_expr steps = pm_affine_mul(counter, pm_affine_const(l->ctx, level->step));
  return pm_affine_normalize(pm_affine_add(steps, in_loops(l, level->first)));
}

static void scan_loop(lowering *l, pm_builder b, const poly_scan *node) {
  const poly_level *level = node->levels[0];
  if (node->n_levels == 1 && level->fixed) {
    l->loops[node->depth] = in_loops(l, level->fixed);
    scan_children(l, b, node);
    return;
  }
  pm_value *lb = begin_of(l, &b, level), *ub = end_of(l, &b, level);
  for (unsigned i = 1; i < node->n_levels; i++) {
    lb = pm_build_binary(&b, &arith_mini, lb, begin_of(l, &b, node->levels[i]));
    ub = pm_build_binary(&b, &arith_maxi, ub, end_of(l, &b, node->levels[i]));
  }
  char name[16];
  snprintf(name, sizeof name, "i%u", node->depth);
  pm_op *loop = build_loop(&b, lb, ub, 1, pm_get_cstring(l->ctx, name), &node->marks);
  pm_value *i = pm_region_at(loop, 0)->args[0];
  l->loops[node->depth] = value_in_loop(l, level, loop_pool_expr(&l->pool, i));
  scan_children(l, pm_builder_at_end(b.module, pm_region_at(loop, 0), b.loc), node);
}

/* All of the conditions, at least one. */
static pm_value *all_of(lowering *l, pm_builder *b, const poly_condition *conditions, unsigned n) {
  pm_value *all = NULL;
  for (unsigned i = 0; i < n; i++) {
    const poly_condition *c = &conditions[i];
    pm_value *holds = arith_build_cmp(b, ARITH_GE, value_of(l, b, c->left), value_of(l, b, c->right));
    all = all ? pm_build_binary(b, &arith_andi, all, holds) : holds;
  }
  return all;
}

static pm_value *condition_of(lowering *l, pm_builder *b, const poly_scan *node) {
  if (!node->n_nests) return all_of(l, b, node->conditions, node->n_conditions);
  pm_value *any = NULL;
  for (unsigned i = 0; i < node->n_nests; i++) {
    pm_value *all = all_of(l, b, node->nests[i].conditions, node->nests[i].n_conditions);
    any = any ? pm_build_binary(b, &arith_ori, any, all) : all;
  }
  return any;
}

static void scan_if(lowering *l, pm_builder b, const poly_scan *node) {
  pm_op *op = loop_build_if(&b, condition_of(l, &b, node));
  scan_children(l, pm_builder_at_end(b.module, pm_region_begin(pm_region_at(op, loop_if_then)), b.loc), node);
}

static void scan_allocs(lowering *l, pm_builder b, const poly_scan *node) {
  buffer *outside = pm_xmalloc(node->n_boxes * sizeof *outside);
  for (unsigned i = 0; i < node->n_boxes; i++) {
    const poly_scan_box *box = &node->boxes[i];
    unsigned n = box->alloc->attrs[poly_alloc_size]->len;
    pm_affine_expr *origin = pm_arena_alloc(l->arena, (n + 1) * sizeof *origin);
    for (unsigned d = 0; d < n; d++) origin[d] = in_loops(l, box->point[d]);
    outside[i] = *buffer_of(l, box->alloc);
    build_scratchpad(l, b, box->alloc, origin);
  }
  scan_children(l, b, node);
  for (unsigned i = 0; i < node->n_boxes; i++) *buffer_of(l, node->boxes[i].alloc) = outside[i];
  free(outside);
}

static void scan_statement(lowering *l, pm_builder b, const poly_scan *node) {
  unsigned n = (unsigned)isl_set_dim(node->statement->set, isl_dim_set);
  pm_affine_expr *coords = pm_arena_alloc(l->arena, (n + 1) * sizeof *coords);
  for (unsigned k = 0; k < n; k++) coords[node->order[k]] = l->loops[node->depth + k];
  b.loc = node->statement->node->op->loc;
  lower_instance(l, b, node->statement, coords);
}

/* What is inside the node, one after the other. */
static void scan_children(lowering *l, pm_builder b, const poly_scan *node) {
  for (const poly_scan *child = node->first; child && !l->failed; child = child->next) {
    if (child->kind == POLY_SCAN_LOOP)
      scan_loop(l, b, child);
    else if (child->kind == POLY_SCAN_IF)
      scan_if(l, b, child);
    else if (child->kind == POLY_SCAN_ALLOCS)
      scan_allocs(l, b, child);
    else if (child->kind == POLY_SCAN_STATEMENT)
      scan_statement(l, b, child);
    else
      scan_children(l, b, child);
  }
}

/* --- the parts of the tree, one after the other --- */

/* Statistics: how many parts needed the AST generation. */
static void count_part(lowering *l, bool by_isl) {
  pm_pass_stat(l->pass, "parts read off", !by_isl);
  pm_pass_stat(l->pass, "parts by isl", by_isl);
}

static void lower_part_by_isl(lowering *l, pm_builder b, pm_op *node, isl_union_set *domain) {
  bool wide;
  isl_schedule *tree = poly_to_isl_schedule(node, domain, l->statements, &l->sites, &wide);
  if (wide) pm_pass_stat(l->pass, "parts without strides", 1);
  lower_by_isl(l, b, node, tree, wide);
}

static void lower_part(lowering *l, pm_builder b, pm_op *node, isl_union_set *domain) {
  const poly_scan *loops = poly_scan_tree(l->arena, l->statements, domain, node);
  count_part(l, !loops);
  if (loops)
    scan_children(l, b, loops);
  else
    lower_part_by_isl(l, b, node, domain);
}

typedef struct restriction {
  isl_union_set *domain, *part;
} restriction;

static isl_stat restrict_set(__isl_take isl_set *set, void *user) {
  restriction *r = user;
  isl_set *all = isl_union_set_extract_set(r->domain, isl_set_get_space(set));
  r->part = isl_union_set_add_set(r->part, isl_set_intersect(all, set));
  return isl_stat_ok;
}

/* What of the domain passes the filter. */
static __isl_give isl_union_set *passing(isl_union_set *domain, const pm_op *filter) {
  restriction r = {domain, isl_union_set_empty(isl_union_set_get_space(domain))};
  isl_union_set_foreach_set(isl_peek_union_set(filter->attrs[poly_filter_instances]), restrict_set, &r);
  return r.part;
}

static bool has_boxes(const pm_op *node) {
  PM_FOR_OPS(op, pm_region_at(node, 0))
  if (pm_is(op, &poly_alloc) && poly_alloc_has_box(op)) return true;
  return false;
}

static void lower_schedule(lowering *l, pm_builder b, pm_op *schedule) {
  pm_op *domain = poly_child(schedule), *child = poly_child(domain);
  isl_union_set *instances = isl_peek_union_set(domain->attrs[poly_domain_instances]);
  if (has_boxes(domain) || !poly_has_filters(child)) {
    lower_part(l, b, domain, instances);
    return;
  }
  PM_FOR_OPS(filter, pm_region_at(child, 0)) {
    if (l->failed) return;
    isl_union_set *part = passing(instances, filter);
    lower_part(l, b, filter, part);
    isl_union_set_free(part);
  }
}

/* --- the function --- */

static pm_op *new_func(lowering *l) {
  pm_builder b = pm_builder_before(l->graph->pipeline);
  pm_attr attrs[loop_func_N_ATTRS] = {NULL};
  attrs[loop_func_sym] = l->graph->pipeline->attrs[stage_pipeline_sym];
  attrs[loop_func_fp] = l->graph->pipeline->attrs[stage_pipeline_fp];
  return pm_build(&b, &loop_func, NULL, 0, NULL, 0, attrs);
}

static void fill_func(lowering *l, pm_op *schedule) {
  pm_builder b = pm_builder_at_end(l->func->module, pm_region_at(l->func, 0), l->func->loc);
  isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(l->graph->context));
  add_params(l, &b);
  add_requirement(l, &b);
  add_arguments(l, &b, build);
  if (!l->failed) add_whole_arrays(l, &b, build, schedule);
  isl_ast_build_free(build);
  if (!l->failed) lower_schedule(l, b, schedule);
}

static void free_lowering(lowering *l) {
  for (size_t i = 0; i < l->placed.len; i++)
    for (unsigned d = 0; d < l->placed.data[i].n; d++) isl_ast_expr_free(l->placed.data[i].origin[d]);
  for (size_t i = 0; i < l->conditions.len; i++) isl_ast_expr_free(l->conditions.data[i]);
  PM_VEC_FREE(l->conditions);
  for (size_t i = 0; i < l->iterators.len; i++) isl_id_free(l->iterators.data[i]);
  PM_VEC_FREE(l->placed);
  PM_VEC_FREE(l->iterators);
  poly_sites_free(&l->sites);
  loop_pool_free(&l->pool);
  pm_map_free(l->env.values);
  pm_map_free(l->scratch);
}

static bool lower_pipeline(pm_pass *pass, pm_op *pipeline, pm_op *schedule) {
  const stage_graph *graph = pm_pass_analysis_of(pass, pipeline, &stage_graph_analysis);
  if (!graph || !stage_graph_is_expanded(graph)) return false;
  lowering l = {.pass = pass, .ctx = graph->ctx, .graph = graph, .arena = pm_pass_arena(pass)};
  l.statements = pm_pass_analysis_of(pass, pipeline, &poly_statements_analysis);
  l.env.values = pm_map_new();
  l.scratch = pm_map_new();
  loop_pool_init(&l.pool);
  l.buffers = pm_arena_alloc(l.arena, graph->nodes.len * sizeof *l.buffers);
  l.params =
      pm_arena_alloc(l.arena, ((size_t)isl_set_dim(graph->context, isl_dim_param) + 1) * sizeof *l.params);
  bool ok = poly_check_tree(l.statements, schedule) && poly_check_marks(schedule);
  if (ok && !pm_attr_at(schedule, poly_schedule_expanded))
    ok = pm_op_error(
        schedule, "has stages that are not expanded into statements; the pass expand-statements does that");
  if (ok) {
    l.func = new_func(&l);
    fill_func(&l, schedule);
    ok = !l.failed;
    if (!ok && pm_error_count(l.ctx) == 0)
      pm_op_error(pipeline, "cannot be lowered: %s", pm_isl_error(l.ctx));
  }
  free_lowering(&l);
  if (ok) pm_op_erase(pipeline);
  return ok;
}

pm_result pass_lower_poly(pm_pass *pass) {
  bool changed = false;
  PM_FOR_OPS(op, pm_region_at(pm_pass_root(pass), 0)) {
    pm_op *schedule = pm_is(op, &stage_pipeline) ? poly_find_schedule(op) : NULL;
    if (!schedule) continue;
    if (!lower_pipeline(pass, op, schedule)) return PM_FAILED;
    changed = true;
  }
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
