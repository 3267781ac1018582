/* What a box of the outputs needs of each array: beside the function of a region stands one that gives the
 * first index, or the one behind the last, along a dimension.
 *
 *   loop.func @f_needs_at of @f -> index {
 *     %R = loop.param @R : i32   %by_lo0 = loop.param @by_lo0 : i32 …
 *     %array = loop.param @array : i32   %dimension = …   %end = …
 *     …
 *     loop.yield %n : index
 *   }
 *
 * An input is read where the cases of stages say, whose sets have the points alone that the boxes need. Each
 * dimension is looked at by itself: what is read along it follows from the indices of this dimension, of
 * which a stencil of k x k has k different ones. With all on one side of them these are few convex sets of
 * params and an index, whose ends are functions of the params by parametric integer programming. The least of
 * these is found at run time. */
#include "passes/loop/lower-poly/lowering.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/take.h"
#include "dialects/stage/analyses/values.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/val.h>
#include <string.h>

enum { NEEDS_OPERATIONS = 250000 /* of a case */, NEEDS_PIECES = 16 };

typedef struct needs {
  lowering *l;
  pm_builder b;
  isl_ast_build *build;
  stage_values *values; /* NULL before they are asked for */
  pm_value *array, *dimension, *end, *result;
} needs;

/* --- accesses --- */

static isl_set *readers_points(const stage_access *a) {
  return a->case_index >= 0 ? a->consumer->cases.data[a->case_index].set
                            : a->consumer->updates.data[a->update_index].set;
}

static isl_pw_aff *end_along(isl_set *points, unsigned d, bool upper) {
  return upper ? isl_set_dim_max(isl_set_copy(points), (int)d)
               : isl_set_dim_min(isl_set_copy(points), (int)d);
}

static isl_pw_aff *end_of(isl_basic_set *line, bool upper) {
  isl_set *set = isl_set_from_basic_set(line);
  return upper ? isl_set_dim_max(set, 0) : isl_set_dim_min(set, 0);
}

/* The set's indices along one dimension. Takes the set. */
static isl_set *only_along(isl_set *set, unsigned d) {
  set = isl_set_project_out(set, isl_dim_set, d + 1, (unsigned)isl_set_dim(set, isl_dim_set) - d - 1);
  return isl_set_reset_tuple_id(isl_set_project_out(set, isl_dim_set, 0, d));
}

/* Expressions of two reads' indices that are the same of the same values. */
static bool are_equal(const pm_op *a, pm_affine_expr of_a, const pm_op *b, pm_affine_expr of_b) {
  if (of_a->kind != of_b->kind) return false;
  if (of_a->kind == PM_AFFINE_DIM)
    return pm_arg(a, stage_index_operand(a) + (unsigned)of_a->value) ==
           pm_arg(b, stage_index_operand(b) + (unsigned)of_b->value);
  if (of_a->kind < PM_AFFINE_ADD) return of_a == of_b;
  return are_equal(a, of_a->lhs, b, of_b->lhs) && are_equal(a, of_a->rhs, b, of_b->rhs);
}

/* What one case, or update, reads along a dimension. */
typedef struct reader {
  const stage_node *node; /* that is read */
  size_t first, end;      /* of its accesses */
  PM_VEC(isl_map *) indices;
} reader;

/* Whether one before has the same index along the dimension. */
static bool is_repeated(const reader *r, unsigned d, size_t i) {
  const pm_op *read = r->node->readers.data[i]->read;
  for (size_t k = r->first; k < i; k++) {
    const pm_op *other = r->node->readers.data[k]->read;
    if (are_equal(read, stage_index_map(read)->results[d], other, stage_index_map(other)->results[d]))
      return true;
  }
  return false;
}

/* Each once. */
static void find_indices(needs *n, reader *r, unsigned d) {
  for (size_t i = r->first; i < r->end; i++) {
    const stage_access *a = r->node->readers.data[i];
    if (is_repeated(r, d, i)) continue;
    isl_map *index = stage_index_relation(&n->values, a->read, d);
    if (!a->affine) index = isl_map_intersect_range(index, only_along(isl_set_copy(r->node->domain), d));
    PM_VEC_PUSH(r->indices, index);
  }
}

static void drop_indices(reader *r) {
  for (size_t i = 0; i < r->indices.len; i++) isl_map_free(r->indices.data[i]);
  PM_VEC_FREE(r->indices);
}

static isl_set *hull_of(isl_set *set) {
  return isl_set_from_basic_set(isl_set_simple_hull(isl_set_remove_divs(set)));
}

/* What is read along the dimension, or the hull of it. */
static isl_set *read_along(const reader *r, unsigned d, bool hull) {
  isl_set *all = NULL, *points = readers_points(r->node->readers.data[r->first]);
  for (size_t i = 0; i < r->indices.len; i++) {
    isl_set *one = isl_set_apply(isl_set_copy(points), isl_map_copy(r->indices.data[i]));
    if (hull) one = hull_of(one);
    all = all ? isl_set_union(all, one) : one;
  }
  return hull ? isl_set_intersect(hull_of(all), only_along(isl_set_copy(r->node->domain), d)) : all;
}

static isl_stat check_end(isl_basic_set *line, void *user) {
  const bool *upper = user;
  isl_pw_aff *end = end_of(line, *upper);
  isl_size n = isl_pw_aff_n_piece(end);
  bool ok = n >= 0 && n <= NEEDS_PIECES && isl_pw_aff_involves_nan(end) == isl_bool_false;
  isl_pw_aff_free(end);
  return ok ? isl_stat_ok : isl_stat_error;
}

/* What is read, and all on the other side of it: what a stencil reads is not convex where a border bounds its
 * points, but such half-lines together are. NULL where that takes too long, or ends have many pieces. */
static isl_set *lines_of(const needs *n, const reader *r, unsigned d, bool upper, bool hull) {
  isl_budget_begin(n->l->graph->isl, NEEDS_OPERATIONS);
  isl_set *read = read_along(r, d, hull);
  isl_space *space = isl_set_get_space(read);
  isl_set *lines = isl_set_apply(read, upper ? isl_map_lex_ge(space) : isl_map_lex_le(space));
  lines = isl_set_coalesce(lines);
  bool ok = isl_set_foreach_basic_set(lines, check_end, &upper) == isl_stat_ok;
  ok = !isl_budget_end(n->l->graph->isl) && ok;
  return ok ? lines : isl_set_free(lines);
}

/* The whole array, where the reader has points: isl does not find out soon what it reads. */
static isl_set *whole_of(const needs *n, const reader *r, unsigned d) {
  const stage_access *a = r->node->readers.data[r->first];
  pm_pass_remark(n->l->pass, a->read->loc, PM_REMARK_MISSED, NULL, 0,
                 "all of dimension %u of @%s is needed here: what is read of it has no simple bounds", d,
                 r->node->name->text);
  isl_set *whole = only_along(isl_set_copy(r->node->domain), d);
  return isl_set_intersect_params(whole, isl_set_params(isl_set_copy(readers_points(a))));
}

/* Behind the accesses of the same case, or update, as the first. */
static size_t end_of_reader(const stage_node *node, size_t first) {
  const stage_access *a = node->readers.data[first];
  size_t end = first + 1;
  for (; end < node->readers.len; end++) {
    const stage_access *b = node->readers.data[end];
    if (b->consumer != a->consumer || b->case_index != a->case_index || b->update_index != a->update_index)
      break;
  }
  return end;
}

/* Those that others hold go, where that is found soon. Takes the set. */
static isl_set *without_held(const needs *n, isl_set *lines) {
  isl_budget_begin(n->l->graph->isl, NEEDS_OPERATIONS);
  isl_set *fewer = isl_coalesce(isl_set_copy(lines));
  bool ok = !isl_budget_end(n->l->graph->isl) && fewer;
  isl_set_free(ok ? lines : fewer);
  return ok ? fewer : lines;
}

/* Each reader's, whose params say where it has points. */
static isl_set *find_lines(needs *n, const stage_node *node, unsigned d, bool upper) {
  isl_set *all = isl_set_empty(isl_space_set_alloc(n->l->graph->isl, 0, 1));
  for (size_t first = 0, end; first < node->readers.len; first = end) {
    end = end_of_reader(node, first);
    reader r = {.node = node, .first = first, .end = end};
    find_indices(n, &r, d);
    isl_set *lines = lines_of(n, &r, d, upper, false);
    if (!lines) lines = lines_of(n, &r, d, upper, true);
    all = isl_set_union(all, lines ? lines : whole_of(n, &r, d));
    drop_indices(&r);
  }
  return without_held(n, all);
}

/* --- values --- */

static pm_value *where_defined(needs *n, isl_pw_aff *function, pm_value *value, pm_value *none) {
  isl_set *defined =
      isl_set_gist_params(isl_pw_aff_domain(isl_pw_aff_copy(function)), isl_set_copy(n->l->graph->context));
  bool always = isl_set_plain_is_universe(defined) == isl_bool_true;
  isl_ast_expr *expr = always ? NULL : isl_ast_build_expr_from_set(n->build, isl_set_copy(defined));
  isl_set_free(defined);
  pm_value *condition = expr ? ast_build_value(&n->b, &n->l->env, expr) : NULL;
  isl_ast_expr_free(expr);
  if (always || !condition || !pm_is_bool(condition->type)) return value;
  return arith_build_select(&n->b, condition, value, none);
}

/* For no sizes that the context allows. */
static bool is_nowhere(const needs *n, isl_pw_aff *function) {
  isl_set *defined = isl_pw_aff_domain(isl_pw_aff_copy(function));
  bool nowhere = isl_set_is_disjoint(defined, n->l->graph->context) == isl_bool_true;
  isl_set_free(defined);
  return nowhere;
}

/* The least first index, or the greatest last one. */
typedef struct extreme {
  needs *n;
  bool upper;
  pm_value *none; /* nothing is read */
  pm_value *value;
} extreme;

static isl_stat add_line(isl_basic_set *line, void *user) {
  extreme *x = user;
  needs *n = x->n;
  isl_pw_aff *end = end_of(line, x->upper);
  if (is_nowhere(n, end)) {
    isl_pw_aff_free(end);
    return isl_stat_ok;
  }
  pm_value *value = lower_param_value(n->l, &n->b, n->build, isl_pw_aff_copy(end));
  if (value) {
    value = where_defined(n, end, value, x->none);
    x->value = x->value == x->none
                   ? value
                   : pm_build_binary(&n->b, x->upper ? &arith_maxi : &arith_mini, x->value, value);
    pm_pass_stat(n->l->pass, "ends-of-needs", 1);
  }
  isl_pw_aff_free(end);
  return value ? isl_stat_ok : isl_stat_error;
}

static pm_value *build_end(needs *n, const stage_node *node, unsigned d, bool upper) {
  pm_value *none = arith_build_index(&n->b, upper ? INT64_MIN : INT64_MAX);
  extreme x = {n, upper, none, none};
  isl_set *lines = find_lines(n, node, d, upper);
  bool ok = isl_set_foreach_basic_set(lines, add_line, &x) == isl_stat_ok;
  isl_set_free(lines);
  return ok ? x.value : NULL;
}

static pm_value *is_number(needs *n, pm_value *v, int64_t number) {
  return arith_build_cmp(&n->b, ARITH_EQ, v, arith_build_int(&n->b, v->type, number));
}

/* The result where array and dimension are these. */
static void choose(needs *n, int64_t array, unsigned d, pm_value *lo, pm_value *hi) {
  pm_value *here =
      pm_build_binary(&n->b, &arith_andi, is_number(n, n->array, array), is_number(n, n->dimension, d));
  pm_value *one = arith_build_select(&n->b, is_number(n, n->end, 0), lo, hi);
  n->result = arith_build_select(&n->b, here, one, n->result);
}

static bool add_input(needs *n, int64_t array, const stage_node *node) {
  for (unsigned d = 0; d < node->n_dims; d++) {
    pm_value *first = build_end(n, node, d, false), *last = build_end(n, node, d, true);
    if (!first || !last) return false;
    pm_value *zero = arith_build_index(&n->b, 0), *any = arith_build_cmp(&n->b, ARITH_LE, first, last);
    pm_value *behind = pm_build_binary(&n->b, &arith_addi, last, arith_build_index(&n->b, 1));
    choose(n, array, d, arith_build_select(&n->b, any, first, zero),
           arith_build_select(&n->b, any, behind, zero));
  }
  return true;
}

/* Params of its own. */
static size_t count_bounds(const stage_graph *g, const stage_node *output) {
  size_t n = 0;
  if (stage_box_of(g->pipeline, output->name) != output->name) return 0;
  for (unsigned d = 0; d < output->n_dims; d++) n += stage_is_of_planes(output->domain, d) ? 0 : 2;
  return n;
}

static pm_value *bound(needs *n, size_t number) {
  pm_string name = pm_sym_at(n->l->graph->params.data[number], stage_param_sym);
  return arith_build_cast(&n->b, pm_map_get(n->l->param_values, name), pm_get_index(n->l->ctx));
}

/* An output is computed as its box says, whose bounds are the params from that number on; all planes are. */
static void add_output(needs *n, int64_t array, const stage_node *output, size_t number) {
  for (unsigned at = 0; at < output->n_dims; at++) {
    unsigned d = stage_dim_of(output->order, at);
    if (!stage_is_of_planes(output->domain, d)) {
      choose(n, array, at, bound(n, number), bound(n, number + 1));
      number += 2;
      continue;
    }
    isl_val *span = isl_val_sub(isl_set_dim_max_val(isl_set_copy(output->domain), (int)d),
                                isl_set_dim_min_val(isl_set_copy(output->domain), (int)d));
    choose(n, array, at, arith_build_index(&n->b, 0), arith_build_index(&n->b, isl_val_get_num_si(span) + 1));
    isl_val_free(span);
  }
}

/* The number of the param that is the first bound of the output. */
static size_t first_bound(const stage_graph *g, pm_string output) {
  size_t number = g->params.len;
  for (size_t i = g->outputs.len; i-- > 0;) {
    number -= count_bounds(g, g->outputs.data[i]);
    if (g->outputs.data[i]->name == output) break;
  }
  return number;
}

static bool add_arrays(needs *n) {
  const stage_graph *g = n->l->graph;
  stage_signature sig;
  stage_signature_get(g->pipeline, &sig);
  int64_t array = 0;
  bool ok = true;
  for (size_t i = 0; ok && i < sig.inputs.len; i++)
    ok = add_input(n, array++, stage_graph_find(g, stage_name_of(sig.inputs.data[i].op)));
  for (size_t i = 0; ok && i < sig.outputs.len; i++) {
    const pm_op *op = sig.outputs.data[i].op;
    const stage_node *output = stage_graph_find(g, stage_name_of(op));
    add_output(n, array++, output, first_bound(g, stage_box_of(g->pipeline, output->name)));
  }
  stage_signature_free(&sig);
  return ok;
}

/* Points of the box around what is computed of a stage. */
static pm_value *points_of(needs *n, const stage_node *node) {
  pm_value *points = arith_build_index(&n->b, 1), *none = arith_build_index(&n->b, 0);
  for (unsigned d = 0; points && d < node->n_dims; d++) {
    pm_value *lo = lower_param_value(n->l, &n->b, n->build, end_along(node->domain, d, false)),
             *hi = lower_param_value(n->l, &n->b, n->build, end_along(node->domain, d, true));
    if (!lo || !hi) return NULL;
    hi = pm_build_binary(&n->b, &arith_addi, hi, arith_build_index(&n->b, 1));
    pm_value *extent = pm_build_binary(&n->b, &arith_maxi, pm_build_binary(&n->b, &arith_subi, hi, lo), none);
    points = pm_build_binary(&n->b, &arith_muli, points, extent);
  }
  return points;
}

/* Of all stages that are stored, as the number of an array that is not there. */
static bool add_points(needs *n) {
  const stage_graph *g = n->l->graph;
  pm_value *all = arith_build_index(&n->b, 0);
  for (size_t i = 0; i < g->nodes.len; i++) {
    const stage_node *node = g->nodes.data[i];
    if (node->is_input || pm_is(node->op, &stage_constant)) continue;
    pm_value *points = points_of(n, node);
    if (!points) return false;
    all = pm_build_binary(&n->b, &arith_addi, all, points);
  }
  choose(n, LOOP_POINTS, 0, all, all);
  return true;
}

static pm_value *add_number(needs *n, const char *wanted) {
  return loop_build_own_param(&n->b, wanted, pm_get_scalar(n->l->ctx, PM_I32));
}

bool lower_build_needs(lowering *l) {
  static const char doc[] =
      "The first index along a dimension of an array that the boxes need, or, where end is 1, the one behind "
      "the last; both are 0 where nothing is needed. Arrays and dimensions are counted from 0, arrays in the "
      "order of a call.";
  pm_op *pipeline = l->graph->pipeline;
  pm_string of = pm_sym_at(pipeline, stage_pipeline_region);
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_needs_at", of->text);
  pm_string name = pm_get_string(l->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  if (pm_lookup_symbol(pipeline->region, name))
    return pm_op_error(pipeline, "has no name for what gives the boxes of inputs: @%s is there already",
                       name->text);
  pm_builder outside = pm_builder_before(pipeline);
  l->func = loop_build_func(&outside, name, NULL);
  pm_set_attr(l->func, loop_func_of, pm_attr_at(pipeline, stage_pipeline_region));
  pm_set_attr(l->func, loop_func_result, pm_get_type_attr(pm_get_index(l->ctx)));
  pm_set_attr(l->func, loop_func_doc, pm_get_string_attr(l->ctx, pm_str_of(doc)));
  needs n = {.l = l, .b = pm_builder_at_end(pm_module_of(pipeline), pm_region_at(l->func, 0), pipeline->loc)};
  lower_params(l, &n.b);
  n.array = add_number(&n, "array");
  n.dimension = add_number(&n, "dimension");
  n.end = add_number(&n, "end");
  n.result = arith_build_index(&n.b, 0);
  n.build = isl_ast_build_from_context(isl_set_copy(l->graph->context));
  bool ok = !l->failed && add_arrays(&n) && (!pm_opt_bool(l->pass, lower_poly_opt_points) || add_points(&n));
  isl_ast_build_free(n.build);
  stage_values_free(n.values);
  loop_build_yield(&n.b, &n.result, 1);
  return ok;
}
