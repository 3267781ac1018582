/* The checks of the stage dialect. Hooks of single ops look at the op alone; what needs the names of a
 * pipeline or isl is checked once from the pipeline's hook, with results remembered by attribute, since
 * stages often share their sets. */
#include "dialects/arith/call.h"
#include "dialects/isl/budget.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/verify_parts.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"

#include <stdlib.h>
#include <string.h>

enum { NEAREST_NAME_LIMIT = 4, HOLES_OPERATIONS = 1000000 };

/* --- single ops --- */

/* The attribute is an isl.set. */
static bool verify_set(const pm_op *op, pm_attr attr, const char *what) {
  if (isl_peek_set(attr)) return true;
  return pm_op_error(op, "has %pA as its %s; it should be an isl.set", (const void *)attr, what);
}

static bool verify_parent(const pm_op *op, const pm_op_desc *parent) {
  if (pm_is(pm_parent(op), parent)) return true;
  return pm_op_error(op, "is outside a '%s'", parent->name);
}

static bool verify_scalar_type(const pm_op *op, pm_attr type) {
  if (type->t->cls == PM_TYPE_SCALAR) return true;
  return pm_op_error(op, "has values of type %pT; they should be scalars", (const void *)type->t);
}

static bool verify_dims(const pm_op *op, unsigned n) {
  if (n <= PM_MAX_RANK) return true;
  return pm_op_error(op, "has %u dimensions; there should be at most %d", n, PM_MAX_RANK);
}

static bool verify_rank(const pm_op *op, pm_attr domain) {
  return verify_dims(op, (unsigned)isl_set_dim(isl_peek_set(domain), isl_dim_set));
}

/* The boundary, if there is one, fits an array of the rank and type, which is NULL for tuples. */
static bool verify_boundary(const pm_op *op, pm_attr boundary, unsigned rank, pm_type type) {
  return !boundary || stage_boundary_verify(op, boundary, rank, type);
}

bool stage_input_verify(const pm_op *op) {
  pm_attr domain = pm_attr_at(op, stage_input_domain), type = pm_attr_at(op, stage_input_type);
  return verify_parent(op, &stage_pipeline) && verify_scalar_type(op, type) &&
         verify_set(op, domain, "domain") && verify_rank(op, domain) &&
         verify_boundary(op, pm_attr_at(op, stage_input_boundary),
                         (unsigned)isl_set_dim(isl_peek_set(domain), isl_dim_set), type->t);
}

bool stage_constant_verify(const pm_op *op) {
  pm_type extents = pm_attr_at(op, stage_constant_values)->t;
  return verify_parent(op, &stage_pipeline) && verify_dims(op, extents->rank) &&
         verify_boundary(op, pm_attr_at(op, stage_constant_boundary), extents->rank, pm_elem_type(extents));
}

static bool is_number(pm_attr attr, pm_type type) {
  return (attr->cls == PM_ATTR_INT || attr->cls == PM_ATTR_FLOAT) && attr->t == type;
}

/* A number of the type, or one for each element of a tuple. */
static bool verify_default(const pm_op *op) {
  pm_attr value = pm_attr_at(op, stage_func_default);
  pm_type type = stage_type_of(op);
  if (!value || is_number(value, type)) return true;
  if (type->cls != PM_TYPE_TUPLE || value->cls != PM_ATTR_ARRAY)
    return pm_op_error(op, "has the default %pA; it should be of type %pT", (const void *)value,
                       (const void *)type);
  if (value->len != pm_tuple_len(type))
    return pm_op_error(op, "has the default %pA of %u number%s; there should be one for each element of %pT",
                       (const void *)value, value->len, value->len == 1 ? "" : "s", (const void *)type);
  for (unsigned i = 0; i < value->len; i++)
    if (!is_number(value->items[i], pm_tuple_at(type, i)))
      return pm_op_error(op, "has the default %pA for element %u; it should be of type %pT",
                         (const void *)value->items[i], i, (const void *)pm_tuple_at(type, i));
  return true;
}

static bool verify_func_type(const pm_op *op) {
  pm_type type = stage_type_of(op);
  if (type->cls == PM_TYPE_SCALAR || type->cls == PM_TYPE_TUPLE) return true;
  return pm_op_error(op, "has values of type %pT; they should be scalars or tuples", (const void *)type);
}

static bool verify_only_bodies(const pm_op *op) {
  bool ok = true, updated = false;
  PM_FOR_OPS(inner, pm_region_at(op, stage_func_cases)) {
    if (!pm_is(inner, &stage_case) && !pm_is(inner, &stage_update))
      ok = pm_op_error(inner, "is in a 'stage.func', which should hold only 'stage.case' and 'stage.update'");
    if (pm_is(inner, &stage_case) && updated)
      ok = pm_op_error(inner, "is after a 'stage.update', but cases should come first");
    updated = updated || pm_is(inner, &stage_update);
  }
  return ok;
}

bool stage_func_verify(const pm_op *op) {
  pm_attr domain = pm_attr_at(op, stage_func_domain);
  bool ok = verify_parent(op, &stage_pipeline) && verify_func_type(op) && verify_set(op, domain, "domain") &&
            verify_rank(op, domain) && verify_default(op);
  return verify_only_bodies(op) && ok;
}

static bool is_scalar_value(const pm_value *value) {
  return value->type->cls == PM_TYPE_SCALAR;
}

/* An op of a body: what it computes is a scalar without effects, or it is one of ours. */
static bool verify_body_op(const pm_op *op) {
  const pm_op *body = pm_parent(op);
  const pm_op_desc *last = pm_is(body, &stage_case) ? &stage_yield : &stage_combine;
  if (pm_is(op, &stage_read) || pm_is(op, &stage_guard) || pm_is(op, last)) return true;
  if (!pm_has_trait(op, PM_PURE) || op->n_regions)
    return pm_op_error(op, "is in a '%s', which should hold only stage.read, stage.guard, %s and pure ops",
                       body->desc->name, last->name);
  for (unsigned i = 0; i < op->n_results; i++)
    if (!is_scalar_value(pm_res(op, i)))
      return pm_op_error(op, "has a result of type %pT in a '%s'; it should be a scalar",
                         (const void *)pm_res(op, i)->type, body->desc->name);
  return true;
}

static bool error_element(const pm_op *op, const char *verb, unsigned i, unsigned n, const pm_op *func) {
  pm_buf number = {0};
  if (n > 1) pm_buf_printf(&number, " as value %u", i);
  pm_op_error(op, "%s %pT%s; %pO has values of type %pT", verb, (const void *)pm_arg(op, i)->type,
              number.data ? number.data : "", (const void *)func, (const void *)stage_type_of(func));
  pm_buf_free(&number);
  return false;
}

/* The first `n` operands are one for each element of the func, of its type. */
static bool verify_elements(const pm_op *op, const char *verb, unsigned n, const pm_op *func) {
  pm_type type = stage_type_of(func);
  if (n != pm_tuple_len(type))
    return pm_op_error(op, "%s %u value%s; %pO has values of type %pT", verb, n, n == 1 ? "" : "s",
                       (const void *)func, (const void *)type);
  for (unsigned i = 0; i < n; i++)
    if (pm_arg(op, i)->type != pm_tuple_at(type, i)) return error_element(op, verb, i, n, func);
  return true;
}

static bool verify_yield(const pm_op *op) {
  const pm_op *yield = pm_terminator(pm_region_at(op, stage_case_body));
  if (!pm_is(yield, &stage_yield)) return pm_op_error(op, "ends without 'stage.yield'");
  return verify_elements(yield, "yields", yield->n_operands, pm_parent(op));
}

static pm_attr body_set(const pm_op *op) {
  return pm_attr_at(op, pm_is(op, &stage_case) ? (unsigned)stage_case_set : (unsigned)stage_update_set);
}

static bool verify_body_args(const pm_op *op) {
  const pm_region *body = pm_region_at(op, 0);
  isl_size n = isl_set_dim(isl_peek_set(body_set(op)), isl_dim_set);
  if ((int64_t)body->n_args != n)
    return pm_op_error(op, "has %u arguments for a set of %d dimension%s; there should be as many",
                       body->n_args, (int)n, n == 1 ? "" : "s");
  for (uint32_t i = 0; i < body->n_args; i++)
    if (!pm_is_index(body->args[i]->type))
      return pm_op_error(op, "has an argument of type %pT; it should be index",
                         (const void *)body->args[i]->type);
  return true;
}

/* What cases and updates have in common. */
static bool verify_body(const pm_op *op) {
  if (!verify_parent(op, &stage_func)) return false;
  if (!verify_set(op, body_set(op), "set")) return false;
  bool ok = verify_body_args(op);
  PM_FOR_OPS(inner, pm_region_at(op, 0)) ok = verify_body_op(inner) && ok;
  return ok;
}

bool stage_case_verify(const pm_op *op) {
  return verify_body(op) && verify_yield(op);
}

static bool verify_combine_type(const pm_op *op) {
  const pm_op *combine = pm_terminator(pm_region_at(op, stage_update_body));
  if (!pm_is(combine, &stage_combine)) return pm_op_error(op, "ends without 'stage.combine'");
  return verify_elements(combine, "combines with", stage_combine_len(combine), pm_parent(op));
}

bool stage_update_verify(const pm_op *op) {
  pm_attr set = pm_attr_at(op, stage_update_set);
  return verify_body(op) && verify_rank(op, set) && verify_combine_type(op);
}

static bool verify_map_dims(const pm_op *op, pm_affine_map map, unsigned n_operands) {
  if (map->n_dims == n_operands && map->n_syms == 0) return true;
  return pm_op_error(
      op, "has a map of %u dimensions and %u symbols for %u operands; each operand should be one dimension",
      map->n_dims, map->n_syms, n_operands);
}

/* The kinds are a string, or an array of two or more. */
static bool verify_kind_count(const pm_op *op, unsigned n) {
  pm_attr kind = pm_attr_at(op, stage_combine_kind);
  unsigned kinds = kind->cls != PM_ATTR_ARRAY ? 1 : kind->len > 1 ? kind->len : 0;
  if (kinds == n && n > 0) return true;
  return pm_op_error(op, "has the kind %pA for %u value%s; there should be one kind for each",
                     (const void *)kind, n, n == 1 ? "" : "s");
}

static bool verify_kind(const pm_op *op, unsigned i) {
  stage_combine_op kind;
  pm_attr all = pm_attr_at(op, stage_combine_kind);
  pm_attr one = all->cls == PM_ATTR_ARRAY ? all->items[i] : all;
  if (!stage_combine_op_of(op, i, &kind))
    return pm_op_error(
        op, "has the kind %pA; it should be sum, product, min, max, and, or, assign, argmin, argmax or with",
        (const void *)one);
  if ((kind == STAGE_AND || kind == STAGE_OR) && pm_is_float(pm_arg(op, i)->type))
    return pm_op_error(op, "has the kind %pA with floats; it needs integers", (const void *)one);
  if (kind == STAGE_ASSIGN && pm_attr_at(op, stage_combine_associative))
    return pm_op_error(op, "is associative and has the kind \"assign\", which depends on the order");
  return true;
}

/* The operands after the values. */
static bool verify_index_types(const pm_op *op, unsigned first) {
  for (unsigned i = first; i < op->n_operands; i++)
    if (!is_scalar_value(pm_arg(op, i)) || !pm_is_int_or_index(pm_arg(op, i)->type))
      return pm_op_error(op, "has an index of type %pT; it should be an integer or index",
                         (const void *)pm_arg(op, i)->type);
  return true;
}

/* A tuple that is chosen as a whole: argmin or argmax, and then with for all others. */
static bool verify_choice(const pm_op *op, unsigned n) {
  unsigned choices = 0, others = 0;
  stage_combine_op kind = STAGE_SUM;
  for (unsigned i = 0; i < n; i++) {
    stage_combine_op_of(op, i, &kind);
    choices += kind == STAGE_ARGMIN || kind == STAGE_ARGMAX;
    others += kind == STAGE_WITH;
  }
  if (choices + others == 0 || (n > 1 && stage_combine_is_choice(op) && others == n - 1)) return true;
  return pm_op_error(
      op, "has the kind %pA; the first element of a tuple should have argmin or argmax, all others with",
      (const void *)pm_attr_at(op, stage_combine_kind));
}

bool stage_combine_verify(const pm_op *op) {
  if (!verify_parent(op, &stage_update)) return false;
  unsigned n = stage_combine_len(op);
  if (!verify_map_dims(op, pm_attr_at(op, stage_combine_map)->map, op->n_operands - n)) return false;
  if (!verify_kind_count(op, n)) return false;
  bool ok = true;
  for (unsigned i = 0; i < n; i++) ok = verify_kind(op, i) && ok;
  return verify_index_types(op, n) && ok && verify_choice(op, n);
}

bool stage_read_verify(const pm_op *op) {
  const pm_op *body = pm_parent(op);
  if (!pm_is(body, &stage_case) && !pm_is(body, &stage_update))
    return pm_op_error(op, "is outside a 'stage.case' or 'stage.update'");
  pm_affine_map map = pm_attr_at(op, stage_read_map)->map;
  return verify_map_dims(op, map, op->n_operands) &&
         verify_boundary(op, pm_attr_at(op, stage_read_boundary), map->n_results,
                         op->n_results == 1 ? pm_res(op, 0)->type : NULL);
}

bool stage_output_verify(const pm_op *op) {
  return verify_parent(op, &stage_pipeline);
}

/* --- the pipeline --- */

static bool is_known_op(const pm_op *op) {
  return stage_is_array(op) || pm_is(op, &stage_param) || pm_is(op, &stage_output) ||
         strcmp(op->desc->name, "poly.schedule") == 0 || strcmp(op->desc->name, "poly.demand") == 0;
}

/* isl must read the name back in sets and schedules. */
static bool verify_name(const pm_op *op, pm_string name) {
  size_t n = strspn(name->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  bool digit = name->text[0] >= '0' && name->text[0] <= '9';
  if (name->len > 0 && n == name->len && !digit) return true;
  return pm_op_error(
      op, "is named \"%pS\"; a name should consist of letters, digits and _, and not begin with a digit",
      (const void *)name);
}

static bool collect(stage_verifier *v) {
  bool ok = true, scheduled = false;
  PM_FOR_OPS(op, pm_region_at(v->pipeline, stage_pipeline_body)) {
    bool schedule = strcmp(op->desc->name, "poly.schedule") == 0;
    if (!is_known_op(op))
      ok = pm_op_error(op, "is in a 'stage.pipeline', which should hold only stages and a poly.schedule");
    if (schedule && scheduled)
      ok = pm_op_error(op, "is the second schedule of its pipeline; there should be one at most");
    scheduled = scheduled || schedule;
    pm_attr sym = pm_has_trait(op, PM_SYMBOL) ? pm_attr_named(op, "sym") : NULL;
    if (sym && sym->cls == PM_ATTR_SYMBOL) {
      ok = verify_name(op, sym->s) && ok;
      pm_map_set(v->symbols, sym->s, op);
    }
    if (pm_is(op, &stage_param)) ok = stage_check_derived(op, v->symbols) && ok;
    if (pm_is(op, &stage_func)) PM_VEC_PUSH(v->funcs, op);
  }
  return ok;
}

static bool is_param(const pm_op *op) {
  return pm_is(op, &stage_param);
}

static bool is_func(const pm_op *op) {
  return pm_is(op, &stage_func);
}

/* The symbol that is nearest among the ops that are wanted, or NULL; linear: only for diagnostics. */
static pm_string nearest_symbol(const stage_verifier *v, pm_str name, bool (*is_wanted)(const pm_op *op)) {
  pm_string best = NULL;
  unsigned best_distance = NEAREST_NAME_LIMIT;
  PM_FOR_OPS(op, pm_region_at(v->pipeline, stage_pipeline_body)) {
    if (!is_wanted(op)) continue;
    pm_string other = pm_attr_named(op, "sym")->s;
    unsigned distance = pm_edit_distance(name, (pm_str){other->text, other->len}, best_distance);
    if (distance >= best_distance || distance >= name.len) continue;
    best = other;
    best_distance = distance;
  }
  return best;
}

static bool error_unknown_stage(const stage_verifier *v, const pm_op *op, const char *verb, pm_string name,
                                bool (*is_wanted)(const pm_op *op)) {
  pm_string near = nearest_symbol(v, (pm_str){name->text, name->len}, is_wanted);
  if (near)
    return pm_op_error(op, "%s @%pS, which does not exist; did you mean @%pS?", verb, (const void *)name,
                       (const void *)near);
  return pm_op_error(op, "%s @%pS, which does not exist", verb, (const void *)name);
}

static bool error_unknown_param(const stage_verifier *v, const pm_op *op, const char *name) {
  pm_string near = nearest_symbol(v, pm_str_of(name), is_param);
  if (near)
    return pm_op_error(op, "has a set with the parameter %s, which is no stage.param; did you mean %pS?",
                       name, (const void *)near);
  return pm_op_error(op, "has a set with the parameter %s, which is no stage.param", name);
}

/* --- sets and their parameters --- */

static bool verify_set_param(const stage_verifier *v, const pm_op *op, const char *name) {
  const pm_op *param = pm_map_get(v->symbols, pm_get_cstring(v->ctx, name));
  if (!pm_is(param, &stage_param)) return error_unknown_param(v, op, name);
  if (param->n_results != 1 || pm_is_int_or_index(pm_res(param, 0)->type)) return true;
  return pm_op_error(op, "has a set with the parameter %s of type %pT; it should be an integer", name,
                     (const void *)pm_res(param, 0)->type);
}

bool verify_params_of_set(stage_verifier *v, const pm_op *op, pm_attr attr) {
  if (!attr || pm_map_has(v->good_sets, attr)) return attr != NULL;
  isl_set *set = isl_peek_set(attr);
  if (!set) return false;
  isl_size n = isl_set_dim(set, isl_dim_param);
  for (isl_size i = 0; i < n; i++)
    if (!verify_set_param(v, op, isl_set_get_dim_name(set, isl_dim_param, (unsigned)i))) return false;
  pm_map_set(v->good_sets, attr, NULL);
  return true;
}

static bool verify_context(stage_verifier *v) {
  pm_attr attr = pm_attr_at(v->pipeline, stage_pipeline_context);
  if (!attr) return true;
  if (!verify_set(v->pipeline, attr, "context")) return false;
  isl_set *context = isl_peek_set(attr);
  if (!isl_set_is_params(context))
    return pm_op_error(v->pipeline,
                       "has a context with dimensions; it should constrain the parameters alone");
  if (!verify_params_of_set(v, v->pipeline, attr)) return false;
  v->context = context;
  v->facts = stage_facts_new(context);
  return true;
}

isl_set *verify_in_context(const stage_verifier *v, isl_set *set) {
  set = isl_set_reset_tuple_id(isl_set_copy(set));
  return v->facts ? stage_facts_around(v->facts, set) : set;
}

/* What the parameters of the set may be, by their types. */
static isl_set *types_for(const stage_verifier *v, isl_set *set) {
  isl_set *types = stage_types_of_params(v->pipeline, true);
  for (unsigned i = (unsigned)isl_set_dim(types, isl_dim_param); i-- > 0;)
    if (isl_set_find_dim_by_name(set, isl_dim_param, isl_set_get_dim_name(types, isl_dim_param, i)) < 0)
      types = isl_set_project_out(types, isl_dim_param, i, 1);
  return isl_set_align_params(types, isl_set_get_space(set));
}

/* The set (taken) with parameters of their types. */
static isl_set *typed(const stage_verifier *v, isl_set *set) {
  return linear_intersect_params(set, types_for(v, set));
}

isl_set *verify_possible(const stage_verifier *v, isl_set *set) {
  if (v->context && !isl_set_is_empty(set)) set = linear_intersect_params(set, isl_set_copy(v->context));
  if (isl_set_is_empty(set) == isl_bool_true) return set;
  isl_set *one = typed(v, isl_set_from_basic_set(isl_set_sample(isl_set_copy(set))));
  if (isl_set_is_empty(one) == isl_bool_true) {
    isl_set_free(one);
    return typed(v, set);
  }
  isl_set_free(set);
  return one;
}

void verify_put_sample(pm_buf *out, isl_set *set) {
  isl_point *point = isl_set_sample_point(set);
  isl_space *space = isl_point_get_space(point);
  isl_size n = isl_space_dim(space, isl_dim_set), n_params = isl_space_dim(space, isl_dim_param);
  for (isl_size i = 0; i < n + n_params; i++) {
    enum isl_dim_type type = i < n ? isl_dim_set : isl_dim_param;
    isl_size at = i < n ? i : i - n;
    isl_val *value = isl_point_get_coordinate_val(point, type, (int)at);
    if (type == isl_dim_set)
      pm_buf_puts(out, at == 0 ? " at (" : ", ");
    else
      pm_buf_printf(out, "%s%s = ", at == 0 ? " when " : ", ",
                    isl_space_get_dim_name(space, type, (unsigned)at));
    pm_buf_printf(out, "%ld", isl_val_get_num_si(value));
    if (i == n - 1) pm_buf_putc(out, ')');
    isl_val_free(value);
  }
  isl_space_free(space);
  isl_point_free(point);
}

/* --- facts --- */

isl_fact verify_fact_of(const stage_verifier *v, const char *what, pm_attr a, pm_attr b) {
  return (isl_fact){what, a, b, v->context ? pm_attr_at(v->pipeline, stage_pipeline_context) : NULL};
}

bool verify_is_known(const stage_verifier *v, isl_fact fact) {
  return isl_fact_is_known(pm_op_context(v->pipeline), fact);
}

void verify_note(const stage_verifier *v, isl_fact fact) {
  isl_fact_note(pm_op_context(v->pipeline), fact);
}

/* --- domains of inputs --- */

/* The values that dimension `d` takes, as a set of one dimension. */
static isl_set *shadow(isl_set *set, unsigned d, unsigned n) {
  set = isl_set_project_out(isl_set_copy(set), isl_dim_set, d + 1, n - d - 1);
  return isl_set_project_out(set, isl_dim_set, 0, d);
}

/* A set of one dimension is { 0 .. k } for some k, or empty: nothing is negative, and below each point but 0
 * is one. */
static bool is_initial_interval(isl_set *values) {
  isl_map *down = isl_map_read_from_str(isl_set_get_ctx(values), "{ [i] -> [i - 1] }");
  isl_set *negative = isl_set_upper_bound_si(isl_set_copy(values), isl_dim_set, 0, -1);
  isl_set *below = isl_set_lower_bound_si(isl_set_apply(isl_set_copy(values), down), isl_dim_set, 0, 0);
  bool ok = isl_set_is_empty(negative) == isl_bool_true && isl_set_is_subset(below, values) == isl_bool_true;
  isl_set_free(below);
  isl_set_free(negative);
  return ok;
}

/* { [i, j] : 0 <= i < m and 0 <= j < n }; takes the set. */
static bool is_box_from_zero(isl_set *set) {
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  isl_set *box = isl_set_params(isl_set_copy(set));
  box = isl_set_add_dims(isl_set_from_params(box), isl_dim_set, 0);
  bool ok = true;
  for (unsigned d = 0; d < n && ok; d++) {
    isl_set *values = shadow(set, d, n);
    ok = is_initial_interval(values);
    box = isl_set_flat_product(box, values);
  }
  ok = ok && isl_set_is_subset(box, set) == isl_bool_true;
  isl_set_free(box);
  isl_set_free(set);
  return ok;
}

static bool verify_input_box(stage_verifier *v, const pm_op *op) {
  pm_attr domain = pm_attr_at(op, stage_input_domain);
  if (!verify_params_of_set(v, op, domain)) return false;
  isl_fact fact = verify_fact_of(v, "box from 0", domain, NULL);
  if (verify_is_known(v, fact)) return true;
  if (is_box_from_zero(verify_in_context(v, isl_peek_set(domain)))) {
    verify_note(v, fact);
    return true;
  }
  return is_box_from_zero(typed(v, verify_in_context(v, isl_peek_set(domain)))) ||
         pm_op_error(op, "has the domain %pA; it should be a box that starts at 0 in each dimension",
                     (const void *)domain);
}

bool verify_bounded(stage_verifier *v, const pm_op *op, pm_attr attr, const char *what) {
  if (!verify_params_of_set(v, op, attr)) return false;
  if (verify_is_known(v, verify_fact_of(v, "bounded", attr, NULL))) return true;
  isl_set *points = verify_in_context(v, isl_peek_set(attr));
  bool bounded = isl_set_is_bounded(points) == isl_bool_true;
  isl_set_free(points);
  if (!bounded)
    return pm_op_error(op, "has the %s %pA; it should be bounded in each dimension", what,
                       (const void *)attr);
  verify_note(v, verify_fact_of(v, "bounded", attr, NULL));
  return true;
}

/* --- updates --- */

static bool verify_target_rank(const pm_op *update) {
  const pm_op *func = pm_parent(update), *combine = pm_terminator(pm_region_at(update, stage_update_body));
  isl_set *domain = isl_peek_set(pm_attr_at(func, stage_func_domain));
  if (!pm_is(combine, &stage_combine) || !domain) return false;
  pm_affine_map map = pm_attr_at(combine, stage_combine_map)->map;
  isl_size rank = isl_set_dim(domain, isl_dim_set);
  if ((int64_t)map->n_results == rank) return true;
  return pm_op_error(combine, "has %u ind%s; %pO has %d dimension%s", map->n_results,
                     map->n_results == 1 ? "ex" : "ices", (const void *)func, (int)rank,
                     rank == 1 ? "" : "s");
}

static bool verify_updates(stage_verifier *v, const pm_op *func) {
  bool ok = true;
  PM_FOR_OPS(op, pm_region_at(func, stage_func_cases))
  if (pm_is(op, &stage_update))
    ok = verify_bounded(v, op, pm_attr_at(op, stage_update_set), "set") && verify_target_rank(op) && ok;
  return ok;
}

/* --- boundary modes --- */

static void note_domain(const stage_verifier *v, const pm_op *stage) {
  const char *text = stage_domain_of(stage)->s->text, *brace = strchr(text, '{');
  pm_note(v->ctx, stage->loc, "the domain of %pS is %s", (const void *)pm_attr_named(stage, "sym")->s,
          brace ? brace : text);
}

/* The domain of what is read with a mode is a box for all parameter values. */
static bool verify_box(stage_verifier *v, const pm_op *read, const pm_op *stage) {
  pm_attr attr = stage_domain_of(stage);
  if (pm_map_has(v->boxes, attr)) return true;
  isl_set *domain = verify_in_context(v, isl_peek_set(attr));
  isl_set *missing = verify_possible(v, isl_set_subtract(stage_box_around(domain), domain));
  if (isl_set_is_empty(missing) == isl_bool_true) {
    isl_set_free(missing);
    pm_map_set(v->boxes, attr, NULL);
    return true;
  }
  pm_buf where = {0};
  verify_put_sample(&where, missing);
  pm_error(v->ctx, read->loc,
           "%pS is read with a boundary mode, so its domain should be a box, but it has no point%s",
           (const void *)pm_attr_named(stage, "sym")->s, where.data);
  note_domain(v, stage);
  pm_buf_free(&where);
  return false;
}

/* Wherever the body has instances, the domain of what it reads with a mode has a point. */
static bool verify_not_empty(stage_verifier *v, const pm_op *read, const pm_op *stage) {
  pm_attr attr = stage_domain_of(stage);
  isl_set *asked = isl_set_params(verify_in_context(v, isl_peek_set(body_set(pm_parent(read)))));
  isl_set *there = isl_set_params(isl_set_copy(isl_peek_set(attr)));
  isl_set *empty = isl_set_from_params(verify_possible(v, isl_set_subtract(asked, there)));
  if (isl_set_is_empty(empty) == isl_bool_true) {
    isl_set_free(empty);
    return true;
  }
  pm_buf where = {0};
  verify_put_sample(&where, empty);
  pm_error(v->ctx, read->loc,
           "%pS is read with a boundary mode, so its domain should have points, but it has none%s",
           (const void *)pm_attr_named(stage, "sym")->s, where.len ? where.data : "");
  note_domain(v, stage);
  pm_buf_free(&where);
  return false;
}

/* What is read is known, and so are the parameters of its domain. */
static bool verify_boundary_of_read(stage_verifier *v, const pm_op *read, const pm_op *stage) {
  stage_boundary boundary;
  if (!stage_boundary_of_read(read, stage, &boundary)) return true;
  return verify_params_of_set(v, stage, stage_domain_of(stage)) && verify_box(v, read, stage) &&
         verify_not_empty(v, read, stage);
}

/* --- reads and outputs --- */

/* One result for each element of the stage, of its type. */
static bool verify_results(const pm_op *read, const pm_op *stage) {
  pm_type type = stage_type_of(stage);
  if (read->n_results != pm_tuple_len(type))
    return pm_op_error(read, "has %u result%s; %pO has values of type %pT", read->n_results,
                       read->n_results == 1 ? "" : "s", (const void *)stage, (const void *)type);
  for (unsigned i = 0; i < read->n_results; i++)
    if (pm_res(read, i)->type != pm_tuple_at(type, i))
      return pm_op_error(read, "has a result of type %pT; %pO has values of type %pT",
                         (const void *)pm_res(read, i)->type, (const void *)stage, (const void *)type);
  return true;
}

static bool verify_read_shape(const pm_op *read, const pm_op *stage) {
  isl_set *domain = isl_peek_set(stage_domain_of(stage));
  pm_attr map = pm_attr_at(read, stage_read_map);
  if (!domain || !map) return false;
  isl_size rank = isl_set_dim(domain, isl_dim_set);
  if ((int64_t)map->map->n_results != rank)
    return pm_op_error(read, "has %u ind%s; %pO has %d dimension%s", map->map->n_results,
                       map->map->n_results == 1 ? "ex" : "ices", (const void *)stage, (int)rank,
                       rank == 1 ? "" : "s");
  return verify_results(read, stage);
}

static bool verify_read(stage_verifier *v, const pm_op *read) {
  pm_string name = pm_sym_at(read, stage_read_stage);
  if (!name) return false;
  const pm_op *stage = pm_map_get(v->symbols, name);
  if (!stage) return error_unknown_stage(v, read, "reads", name, stage_is_array);
  if (!stage_is_array(stage))
    return pm_op_error(read, "reads %pO; it should read a stage, an input or a constant",
                       (const void *)stage);
  return verify_read_shape(read, stage) && verify_boundary_of_read(v, read, stage);
}

static bool verify_reads(stage_verifier *v, const pm_op *func) {
  bool ok = true;
  PM_FOR_OPS(body, pm_region_at(func, stage_func_cases))
  if (body->n_regions) PM_FOR_OPS(op, pm_region_at(body, 0))
  if (pm_is(op, &stage_read)) ok = verify_read(v, op) && ok;
  return ok;
}

/* Elements of the array that are no points of the domain get a value, too: isl tells which these are, in
 * bounded time. */
static bool verify_holes(stage_verifier *v, const pm_op *op, const pm_op *stage) {
  pm_attr domain = pm_attr_at(stage, stage_func_domain);
  isl_fact fact = verify_fact_of(v, "holes", domain, NULL);
  if (isl_set_involves_locals(isl_peek_set(domain)) != isl_bool_true || verify_is_known(v, fact)) return true;
  isl_set *set = isl_set_reset_tuple_id(isl_set_copy(isl_peek_set(domain)));
  isl_budget_begin(pm_isl_ctx(v->ctx), HOLES_OPERATIONS);
  isl_set_free(isl_set_coalesce(isl_set_subtract(stage_box_around(set), isl_set_copy(set))));
  isl_set_free(set);
  if (isl_budget_end(pm_isl_ctx(v->ctx)))
    return pm_op_error(
        op,
        "names @%pS, whose domain leaves out elements of its box in a way that takes too much work; a "
        "domain that is a box, with cases and a default, says the same",
        (const void *)pm_sym_at(stage, stage_func_sym));
  verify_note(v, fact);
  return true;
}

static pm_walk find_self_read(void *user, pm_op *op) {
  const pm_op **stage = user;
  if (!pm_is(op, &stage_read) || pm_sym_at(op, stage_read_stage) != pm_sym_at(*stage, stage_func_sym))
    return PM_WALK_ON;
  *stage = NULL;
  return PM_WALK_STOP;
}

static bool reads_itself(const pm_op *stage) {
  const pm_op *found = stage;
  pm_walk_pre((pm_op *)stage, find_self_read, &found);
  return !found;
}

/* It has each dimension of the stage once. */
static bool verify_order(const pm_op *op, const pm_op *stage) {
  pm_attr order = pm_attr_at(op, stage_output_order);
  uint64_t seen = 0;
  if (!order) return true;
  unsigned n = (unsigned)isl_set_dim(isl_peek_set(stage_domain_of(stage)), isl_dim_set);
  bool ok = order->len == n;
  for (size_t i = 0; ok && i < n; i++) {
    int64_t d = order->items[i]->i;
    ok = d >= 0 && d < n && !(seen >> d & 1);
    if (ok) seen |= UINT64_C(1) << d;
  }
  if (!ok)
    return pm_op_error(op,
                       "has an order that should name each of the %u dimensions of @%pS once, as [1, 2, 0]",
                       n, (const void *)pm_sym_at(stage, stage_func_sym));
  return !reads_itself(stage) ||
         pm_op_error(op, "has an order, but @%pS reads itself; such a stage should keep its own",
                     (const void *)pm_sym_at(stage, stage_func_sym));
}

static bool verify_output(stage_verifier *v, const pm_op *op, pm_map *seen) {
  pm_string name = pm_sym_at(op, stage_output_stage);
  if (!name) return false;
  const pm_op *stage = pm_map_get(v->symbols, name);
  if (!stage) return error_unknown_stage(v, op, "names", name, is_func);
  if (!pm_is(stage, &stage_func))
    return pm_op_error(op, "names %pO; an output should be a 'stage.func'", (const void *)stage);
  const pm_op *first = pm_map_get(seen, stage);
  pm_map_set(seen, stage, (void *)(uintptr_t)op);
  if (!verify_order(op, stage)) return false;
  if (!first) return verify_holes(v, op, stage);
  pm_op_error(op, "names @%pS a second time; a stage should be output once", (const void *)name);
  pm_note(v->ctx, first->loc, "the first time is here");
  return false;
}

static bool verify_outputs(stage_verifier *v) {
  bool ok = true;
  pm_map *seen = pm_map_new();
  PM_FOR_OPS(op, pm_region_at(v->pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_output)) ok = verify_output(v, op, seen) && ok;
  pm_map_free(seen);
  return ok;
}

/* --- cycles: depth-first search with a stack of its own --- */

/* A func on the path of the search, and the next of its reads to follow. */
typedef struct path_step {
  const pm_op *func, *body, *read;
} path_step;
typedef PM_VEC(path_step) path;

static const pm_op *first_of_body(const pm_op *body) {
  return body && body->n_regions ? pm_region_at(body, 0)->first : NULL;
}

/* Moves to the step's next read of a func; false at the end. */
static bool next_read(path_step *step) {
  const pm_op *op = step->read ? step->read->next : first_of_body(step->body);
  for (;;) {
    for (; op; op = op->next)
      if (pm_is(op, &stage_read)) {
        step->read = op;
        return true;
      }
    if (!step->body) return false;
    step->body = step->body->next;
    op = first_of_body(step->body);
  }
}

/* The funcs from `first` on, which is read by the last. */
static void error_cycle(const stage_verifier *v, const path *steps, const pm_op *first) {
  size_t start = steps->len;
  while (steps->data[start - 1].func != first) start--;
  pm_buf names = {0};
  for (size_t i = start - 1; i < steps->len; i++)
    pm_format(&names, "@%pS -> ", (const void *)pm_sym_at(steps->data[i].func, stage_func_sym));
  pm_op_error(first, "is in a cycle of reads; stages should not depend on themselves: %s@%pS", names.data,
              (const void *)pm_sym_at(first, stage_func_sym));
  for (size_t i = start - 1; i < steps->len; i++)
    pm_note(v->ctx, steps->data[i].read->loc, "@%pS reads @%pS here",
            (const void *)pm_sym_at(steps->data[i].func, stage_func_sym),
            (const void *)pm_sym_at(steps->data[i].read, stage_read_stage));
  pm_buf_free(&names);
}

static void enter(path *steps, pm_map *on_path, const pm_op *func) {
  PM_VEC_PUSH(*steps, ((path_step){func, pm_region_at(func, stage_func_cases)->first, NULL}));
  pm_map_set(on_path, func, (void *)(uintptr_t)func);
}

/* Follows every read below `root`. In `state` a func on the path has itself as value, one that is finished
 * NULL. False after reporting a cycle. */
static bool search_from(const stage_verifier *v, const pm_op *root, pm_map *state, path *steps) {
  enter(steps, state, root);
  while (steps->len) {
    path_step *step = &PM_VEC_LAST(*steps);
    if (!next_read(step)) {
      pm_map_set(state, PM_VEC_POP(*steps).func, NULL);
      continue;
    }
    pm_string name = pm_sym_at(step->read, stage_read_stage);
    const pm_op *stage = name ? pm_map_get(v->symbols, name) : NULL;
    if (!pm_is(stage, &stage_func) || stage == step->func) continue;
    if (!pm_map_has(state, stage))
      enter(steps, state, stage);
    else if (pm_map_get(state, stage)) {
      error_cycle(v, steps, stage);
      return false;
    }
  }
  return true;
}

static bool verify_acyclic(const stage_verifier *v) {
  bool ok = true;
  pm_map *state = pm_map_new();
  path steps = {0};
  for (size_t i = 0; i < v->funcs.len && ok; i++)
    if (!pm_map_has(state, v->funcs.data[i])) ok = search_from(v, v->funcs.data[i], state, &steps);
  PM_VEC_FREE(steps);
  pm_map_free(state);
  return ok;
}

static bool verify_fp(const pm_op *op) {
  static const char *const modes[] = {"strict", "contract", "fast"};
  pm_string mode = pm_sym_at(op, stage_pipeline_fp);
  for (size_t i = 0; mode && i < PM_COUNT(modes); i++)
    if (strcmp(mode->text, modes[i]) == 0) return true;
  return !mode || pm_op_error(op, "has the fp mode \"%pS\"; it should be strict, contract or fast",
                              (const void *)mode);
}

/* What one pipeline means as a whole. `v` has its tables. */
static bool verify_whole(stage_verifier *v) {
  bool ok = verify_fp(v->pipeline);
  ok = collect(v) && ok;
  ok = verify_context(v) && ok;
  PM_FOR_OPS(op, pm_region_at(v->pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_input)) ok = verify_input_box(v, op) && ok;
  for (size_t i = 0; i < v->funcs.len; i++) {
    ok = verify_cases(v, v->funcs.data[i]) && ok;
    ok = verify_updates(v, v->funcs.data[i]) && ok;
    ok = verify_reads(v, v->funcs.data[i]) && ok;
  }
  ok = verify_outputs(v) && ok;
  return verify_acyclic(v) && ok;
}

bool stage_pipeline_verify(const pm_op *op) {
  stage_verifier v = {
      .pipeline = op, .ctx = pm_op_context(op), .symbols = pm_map_new(), .good_sets = pm_map_new()};
  v.boxes = pm_map_new();
  bool ok = verify_whole(&v);
  pm_map_free(v.symbols);
  pm_map_free(v.good_sets);
  pm_map_free(v.boxes);
  stage_facts_free(v.facts);
  PM_VEC_FREE(v.funcs);
  return ok;
}
