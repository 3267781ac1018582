/* Bodies of statements at their points: reads and yields become loads and stores. */
#include "passes/loop/lower-poly/lowering.h"

#include "dialects/poly/check/check_updates.h"
#include "dialects/stage/analyses/values.h"

#include <stdlib.h>
#include <string.h>

/* One statement instance: the coordinates of its point, and what the values of its body became. */
typedef struct instance {
  const stage_statement *statement;
  pm_affine_expr *coords;
  pm_map *values; /* pm_value of the stage -> pm_value of the loops */
} instance;

static pm_value *value_in_loops(lowering *l, pm_builder *b, instance *at, pm_value *v) {
  pm_value *known = pm_map_get(at->values, v);
  if (known) return known;
  if (pm_is_arg(v)) {
    known = affine_build_value(b, &l->pool, pm_affine_normalize(at->coords[pm_value_index(v)]));
    pm_map_set(at->values, v, known);
    return known;
  }
  return pm_map_get(l->param_values, pm_sym_at(pm_def(v), stage_param_sym));
}

/* A value of the stage as an affine expression over the pool. */
static pm_affine_expr coordinate(lowering *l, pm_builder *b, instance *at, pm_value *v) {
  if (pm_is_arg(v)) return at->coords[pm_value_index(v)];
  return affine_pool_expr(&l->pool, value_in_loops(l, b, at, v));
}

/* The index of coordinate `d` of a point. */
static pm_affine_expr index_of(const lowering *l, const lower_buffer *buf, unsigned d,
                               pm_affine_expr coordinate) {
  int64_t fold = buf->fold ? buf->fold->items[d]->i : 0;
  pm_affine_expr minus = pm_affine_mul(buf->origin[d], pm_affine_const(l->ctx, -1));
  if (fold == 0) return pm_affine_normalize(pm_affine_add(coordinate, minus));
  return pm_affine_normalize(pm_affine_binary(PM_AFFINE_MOD, coordinate, pm_affine_const(l->ctx, fold)));
}

/* Indices of a point of a stage in its buffer; `operands` gets their values. */
static pm_affine_map cell_of(lowering *l, const stage_node *node, const pm_affine_expr *point,
                             affine_values *operands) {
  const lower_buffer *buf = &l->buffers[node->index];
  pm_affine_expr indices[64];
  for (unsigned i = 0; i < node->n_dims; i++) {
    unsigned d = stage_dim_of(buf->order, i);
    indices[i] = index_of(l, buf, d, point[d]);
  }
  return affine_pool_map(&l->pool, l->ctx, indices, node->n_dims, operands);
}

/* Element number `i` of the value at the point. */
static pm_value *build_load(lowering *l, pm_builder *b, const stage_node *node, unsigned i,
                            const pm_affine_expr *point) {
  pm_type type = pm_tuple_at(node->type, i);
  affine_values operands = {0}, all = {0};
  const lower_buffer *from = &l->buffers[node->index];
  pm_attr attrs[buf_load_N_ATTRS] = {pm_get_map_attr(cell_of(l, node, point, &operands)), from->stage};
  PM_VEC_PUSH(all, from->memrefs[i]);
  for (size_t k = 0; k < operands.len; k++) PM_VEC_PUSH(all, operands.data[k]);
  pm_op *op = pm_build(b, &buf_load, all.data, (unsigned)all.len, &type, 1, attrs);
  PM_VEC_FREE(operands);
  PM_VEC_FREE(all);
  return pm_res(op, 0);
}

/* The vector loop around stores values of the stage past the caches. */
static bool is_nontemporal(const lowering *l, const pm_builder *b, const stage_node *node) {
  const poly_loop_marks *marks = lower_vector_marks(l, b->region);
  const pm_op *mark = marks ? marks->of[POLY_MARK_nontemporal] : NULL;
  return mark && pm_sym_at(mark, poly_mark_array) == node->name;
}

static void build_store(lowering *l, pm_builder *b, const stage_node *node, unsigned i,
                        const pm_affine_expr *point, pm_value *value) {
  affine_values operands = {0}, all = {0};
  const lower_buffer *to = &l->buffers[node->index];
  pm_attr attrs[buf_store_N_ATTRS] = {pm_get_map_attr(cell_of(l, node, point, &operands)), to->stage};
  if (is_nontemporal(l, b, node)) attrs[buf_store_nontemporal] = pm_get_unit(l->ctx);
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
    if (wraps) point[d] = affine_pool_expr(&l->pool, affine_build_value(b, &l->pool, point[d]));
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
    v->name = pm_res(read, i)->name;
    pm_map_set(at->values, pm_res(read, i), v);
  }
}

/* The cell and the value are joined in one step. */
static void build_atomic(lowering *l, pm_builder *b, instance *at, const pm_op *combine,
                         const pm_affine_expr *point) {
  const lower_buffer *to = &l->buffers[at->statement->node->index];
  affine_values operands = {0};
  if (!poly_check_atomic(at->statement->body)) {
    l->failed = true;
    return;
  }
  pm_affine_map map = cell_of(l, at->statement->node, point, &operands);
  pm_value *value = value_in_loops(l, b, at, pm_arg(combine, 0));
  buf_build_atomic(b, stage_combine_desc(combine, 0), value, to->memrefs[0], map, operands.data);
  PM_VEC_FREE(operands);
}

/* Stores what is better, the values or what the cells have. */
static void lower_choice(lowering *l, pm_builder *b, instance *at, pm_op *combine, pm_affine_expr *point) {
  const stage_node *node = at->statement->node;
  unsigned n = stage_combine_len(combine);
  pm_value **values = pm_arena_alloc(l->arena, 2 * n * sizeof *values), **cells = values + n;
  for (unsigned i = 0; i < n; i++) {
    values[i] = value_in_loops(l, b, at, pm_arg(combine, i));
    cells[i] = build_load(l, b, node, i, point);
  }
  pm_value *better = stage_build_better(b, combine, values, cells);
  for (unsigned i = 0; i < n; i++)
    build_store(l, b, node, i, point, arith_build_select(b, better, values[i], cells[i]));
}

static void lower_combine(lowering *l, pm_builder *b, instance *at, pm_op *combine) {
  const stage_node *node = at->statement->node;
  pm_affine_expr point[64];
  find_point(l, b, at, combine, point);
  if (pm_map_has(l->atomic, at->statement->name)) {
    build_atomic(l, b, at, combine, point);
    return;
  }
  if (stage_combine_is_choice(combine)) {
    lower_choice(l, b, at, combine, point);
    return;
  }
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
  pm_insert(b->region, b->before, pm_clone(pm_module_of(l->func), op, at->values));
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

/* --- prefetches --- */

/* Of the element that the relation gives of the instance, in all arrays of its stage. */
static void lower_prefetch(lowering *l, pm_builder *b, const instance *at, isl_map *relation, bool write) {
  pm_affine_expr point[64];
  affine_values operands = {0};
  pm_string name = pm_get_cstring(l->ctx, isl_map_get_tuple_name(relation, isl_dim_out));
  const stage_node *node = stage_graph_find(l->graph, name);
  isl_map *aligned = isl_map_align_params(isl_map_copy(relation), isl_set_get_space(l->graph->context));
  bool found = has_memory(l, node) && poly_affine_of_map(l->ctx, aligned, point);
  isl_map_free(aligned);
  if (!found) return;
  for (unsigned d = 0; d < node->n_dims; d++)
    point[d] = pm_affine_divide_out(pm_affine_substitute(point[d], at->coords, l->params));
  pm_affine_map map = cell_of(l, node, point, &operands);
  for (unsigned i = 0; i < pm_tuple_len(node->type); i++)
    buf_build_prefetch(b, l->buffers[node->index].memrefs[i], map, operands.data, write);
  PM_VEC_FREE(operands);
}

/* Rows of a stage are those of all its statements. */
static bool is_of(const char *tuple, const stage_statement *s) {
  bool of_stage = s->kind != STAGE_UPDATE && strcmp(tuple, s->node->name->text) == 0;
  return of_stage || strcmp(tuple, s->name->text) == 0;
}

static void lower_prefetches(lowering *l, pm_builder *b, const instance *at, const pm_op *mark,
                             unsigned slot) {
  pm_attr list = pm_attr_at(mark, slot);
  for (uint32_t i = 0; list && i < list->len; i++) {
    isl_map *relation = isl_peek_map(list->items[i]);
    if (is_of(isl_map_get_tuple_name(relation, isl_dim_in), at->statement))
      lower_prefetch(l, b, at, relation, slot == poly_mark_write);
  }
}

/* What the mark of the vector loop around says of the statement. */
static void lower_marked_rows(lowering *l, pm_builder *b, const instance *at) {
  const poly_loop_marks *marks = lower_vector_marks(l, b->region);
  const pm_op *mark = marks ? marks->of[POLY_MARK_prefetch] : NULL;
  if (!mark) return;
  lower_prefetches(l, b, at, mark, poly_mark_read);
  lower_prefetches(l, b, at, mark, poly_mark_write);
}

void lower_instance(lowering *l, pm_builder b, const stage_statement *statement, pm_affine_expr *coords) {
  if (!has_memory(l, statement->node)) return;
  instance at = {statement, coords, pm_map_new()};
  lower_note_exprs(l, coords, (unsigned)isl_set_dim(statement->set, isl_dim_set), b.loc);
  lower_marked_rows(l, &b, &at);
  if (statement->body)
    lower_body(l, b, &at);
  else
    lower_default(l, b, &at);
  pm_map_free(at.values);
}
