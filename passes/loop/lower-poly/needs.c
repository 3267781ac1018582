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
 * An input is read where the cases of stages say, whose sets have the points alone that the boxes need. Of
 * each access the least and the greatest index are functions of the params, by parametric integer
 * programming; the least of these is found at run time. */
#include "passes/loop/lower-poly/lowering.h"

#include "dialects/isl/budget.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/val.h>
#include <string.h>

enum { NEEDS_OPERATIONS = 2000000, CASE_OPERATIONS = 250000, NEEDS_PIECES = 16 };

/* One end of the indices along one dimension. */
typedef struct extreme {
  PM_VEC(isl_pw_aff *) functions; /* where they are defined something is read */
  bool upper;
} extreme;

typedef struct needs {
  lowering *l;
  pm_builder b;
  isl_ast_build *build;
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

/* Wherever `a` is defined so is `b`, and is as far out. */
static bool is_within(isl_pw_aff *a, isl_pw_aff *b, bool upper) {
  isl_set *here = isl_pw_aff_domain(isl_pw_aff_copy(a)), *there = isl_pw_aff_domain(isl_pw_aff_copy(b));
  bool within = isl_set_is_subset(here, there) == isl_bool_true;
  isl_set_free(here);
  isl_set_free(there);
  if (!within) return false;
  isl_set *beyond = upper ? isl_pw_aff_gt_set(isl_pw_aff_copy(a), isl_pw_aff_copy(b))
                          : isl_pw_aff_lt_set(isl_pw_aff_copy(a), isl_pw_aff_copy(b));
  within = isl_set_is_empty(beyond) == isl_bool_true;
  isl_set_free(beyond);
  return within;
}

/* Takes the function, which goes beside those that it does not replace. */
static void add_function(extreme *x, isl_pw_aff *function) {
  size_t kept = 0;
  bool needed = true;
  for (size_t i = 0; i < x->functions.len; i++) {
    isl_pw_aff *other = x->functions.data[i];
    needed = needed && !is_within(function, other, x->upper);
    if (needed && is_within(other, function, x->upper))
      isl_pw_aff_free(other);
    else
      x->functions.data[kept++] = other;
  }
  x->functions.len = kept;
  if (needed)
    PM_VEC_PUSH(x->functions, function);
  else
    isl_pw_aff_free(function);
}

/* Index `d` of the access as one affine function of the instances; NULL: it is none. */
static isl_aff *index_along(const stage_access *a, unsigned d) {
  if (!a->affine) return NULL;
  isl_pw_multi_aff *point = isl_pw_multi_aff_from_map(isl_map_copy(a->relation));
  isl_pw_aff *index = isl_pw_multi_aff_get_at(point, (int)d);
  index = isl_pw_aff_gist(index, isl_pw_aff_domain(isl_pw_aff_copy(index)));
  isl_pw_multi_aff_free(point);
  isl_aff *one =
      isl_pw_aff_isa_aff(index) == isl_bool_true ? isl_pw_aff_as_aff(isl_pw_aff_copy(index)) : NULL;
  isl_pw_aff_free(index);
  return one;
}

/* The access from the same instances whose index is so much farther out, or as far out and ahead in the list,
 * makes this one needless. */
static bool is_beyond(isl_aff *index, isl_aff *other, bool upper, bool ahead) {
  if (!other) return false;
  isl_aff *farther = upper ? isl_aff_sub(isl_aff_copy(other), isl_aff_copy(index))
                           : isl_aff_sub(isl_aff_copy(index), isl_aff_copy(other));
  isl_val *by = isl_aff_get_constant_val(farther);
  bool is = isl_aff_is_cst(farther) == isl_bool_true &&
            (isl_val_is_pos(by) == isl_bool_true || (ahead && isl_val_is_zero(by) == isl_bool_true));
  isl_val_free(by);
  isl_aff_free(farther);
  return is;
}

static bool is_needless(const stage_node *node, size_t i, isl_aff *const *indices, bool upper) {
  const stage_access *a = node->readers.data[i];
  for (size_t k = 0; indices[i] && k < node->readers.len; k++) {
    const stage_access *other = node->readers.data[k];
    bool same = other->consumer == a->consumer && other->case_index == a->case_index &&
                other->update_index == a->update_index;
    if (k != i && same && is_beyond(indices[i], indices[k], upper, k < i)) return true;
  }
  return false;
}

static void drop_functions(extreme *x) {
  for (size_t i = 0; i < x->functions.len; i++) isl_pw_aff_free(x->functions.data[i]);
  x->functions.len = 0;
}

/* The whole array, where the reader has points: isl does not find out soon what it reads. */
static void add_all(const needs *n, extreme *x, const stage_node *node, unsigned d, const stage_access *a) {
  pm_pass_remark(n->l->pass, a->read->loc, PM_REMARK_MISSED, NULL, 0,
                 "all of dimension %u of @%s is needed here: what is read of it has no simple bounds", d,
                 node->name->text);
  isl_pw_aff *whole = end_along(node->domain, d, x->upper);
  isl_set *somewhere = isl_set_params(isl_set_copy(readers_points(a)));
  PM_VEC_PUSH(x->functions, isl_pw_aff_intersect_params(whole, somewhere));
}

/* False where it takes too long, or has too many pieces. */
static bool add_access(const stage_access *a, const stage_node *node, unsigned d, extreme *x) {
  isl_set *points = isl_set_apply(isl_set_copy(readers_points(a)), isl_map_copy(a->relation));
  if (!a->affine) points = isl_set_intersect(points, isl_set_copy(node->domain));
  isl_pw_aff *function = end_along(points, d, x->upper);
  isl_set_free(points);
  isl_size n = isl_pw_aff_n_piece(function);
  if (n < 0 || n > NEEDS_PIECES) {
    isl_pw_aff_free(function);
    return false;
  }
  if (n > 0)
    add_function(x, isl_pw_aff_coalesce(function));
  else
    isl_pw_aff_free(function);
  return true;
}

/* The accesses from `first` on and before `end`; false, without any, where that takes too long. */
static bool add_accesses(const needs *n, const stage_node *node, unsigned d, extreme *x, size_t first,
                         size_t end, unsigned long operations) {
  bool ok = true;
  isl_aff **indices = pm_arena_alloc(n->l->arena, (node->readers.len + 1) * sizeof *indices);
  memset(indices, 0, (node->readers.len + 1) * sizeof *indices);
  isl_budget_begin(n->l->graph->isl, operations);
  for (size_t i = first; i < end; i++) indices[i] = index_along(node->readers.data[i], d);
  for (size_t i = first; ok && i < end; i++)
    ok = is_needless(node, i, indices, x->upper) || add_access(node->readers.data[i], node, d, x);
  for (size_t i = first; i < end; i++) isl_aff_free(indices[i]);
  ok = !isl_budget_end(n->l->graph->isl) && ok;
  if (!ok) drop_functions(x);
  return ok;
}

/* The set's indices along one dimension. Takes the set. */
static isl_set *only_along(isl_set *set, unsigned d) {
  set = isl_set_project_out(set, isl_dim_set, d + 1, (unsigned)isl_set_dim(set, isl_dim_set) - d - 1);
  return isl_set_project_out(set, isl_dim_set, 0, d);
}

/* The extreme of the convex hull of what the accesses read, as far as that is found soon. */
static bool add_hull(const needs *n, const stage_node *node, unsigned d, extreme *x, size_t first,
                     size_t end) {
  isl_set *all = NULL;
  isl_budget_begin(n->l->graph->isl, CASE_OPERATIONS);
  for (size_t i = first; i < end; i++) {
    const stage_access *a = node->readers.data[i];
    isl_set *points = isl_set_apply(isl_set_copy(readers_points(a)), isl_map_copy(a->relation));
    points = isl_set_from_basic_set(isl_set_simple_hull(isl_set_remove_divs(only_along(points, d))));
    all = all ? isl_set_from_basic_set(isl_set_simple_hull(isl_set_union(all, points))) : points;
  }
  all = isl_set_intersect(all, only_along(isl_set_copy(node->domain), d));
  isl_pw_aff *function = all ? end_along(all, 0, x->upper) : NULL;
  isl_size pieces = isl_pw_aff_n_piece(function);
  isl_set_free(all);
  bool ok = !isl_budget_end(n->l->graph->isl) && pieces > 0 && pieces <= NEEDS_PIECES &&
            isl_pw_aff_involves_nan(function) == isl_bool_false;
  if (ok)
    PM_VEC_PUSH(x->functions, function);
  else
    isl_pw_aff_free(function);
  return ok;
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

/* Of all accesses, or else of each case apart: those at a border may be hard, and not be in the boxes. */
static void find_extreme(const needs *n, const stage_node *node, unsigned d, extreme *x) {
  if (add_accesses(n, node, d, x, 0, node->readers.len, NEEDS_OPERATIONS)) return;
  for (size_t first = 0, end; first < node->readers.len; first = end) {
    extreme one = {.upper = x->upper};
    end = end_of_reader(node, first);
    if (!add_accesses(n, node, d, &one, first, end, CASE_OPERATIONS) &&
        !add_hull(n, node, d, &one, first, end))
      add_all(n, &one, node, d, node->readers.data[first]);
    for (size_t i = 0; i < one.functions.len; i++) PM_VEC_PUSH(x->functions, one.functions.data[i]);
    PM_VEC_FREE(one.functions);
  }
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

/* The least first index, or the greatest last one; `none`: nothing is read. */
static pm_value *build_extreme(needs *n, extreme *x) {
  pm_value *none = arith_build_index(&n->b, x->upper ? INT64_MIN : INT64_MAX), *all = none;
  for (size_t i = 0; i < x->functions.len; i++) {
    pm_value *value = lower_param_value(n->l, &n->b, n->build, isl_pw_aff_copy(x->functions.data[i]));
    if (!value) return NULL;
    value = where_defined(n, x->functions.data[i], value, none);
    all = all == none ? value : pm_build_binary(&n->b, x->upper ? &arith_maxi : &arith_mini, all, value);
  }
  return all;
}

static pm_value *build_end(needs *n, const stage_node *node, unsigned d, bool upper) {
  extreme x = {.upper = upper};
  find_extreme(n, node, d, &x);
  pm_value *value = build_extreme(n, &x);
  for (size_t i = 0; i < x.functions.len; i++) isl_pw_aff_free(x.functions.data[i]);
  PM_VEC_FREE(x.functions);
  return value;
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
  loop_build_yield(&n.b, &n.result, 1);
  return ok;
}
