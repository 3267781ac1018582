#include "dialects/stage/analyses/values_private.h"

#include "dialects/stage/analyses/graph.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/stage/boundary.h"

#include <isl/ilp.h>

#include <stdlib.h>
#include <string.h>

enum {
  MAX_STAGES = 16,  /* followed from one read to the next */
  MAX_OF_READS = 64 /* values of a body whose relations are kept in pieces, which grow along long chains */
};

/* What one element of the values of a func or constant may be anywhere. */
typedef struct element_state {
  bool known;
  isl_set *integers;
  arith_range span; /* of them, of a constant */
  float_range range;
} element_state;

typedef struct func_state {
  const pm_op *func; /* or constant */
  bool busy;         /* its bodies are being looked at */
  unsigned n;
  element_state elements[];
} func_state;

static bool is_int_param(const pm_op *op) {
  return pm_is(op, &stage_param) && op->n_results == 1 && pm_is_int_or_index(pm_res(op, 0)->type) &&
         pm_sym_at(op, stage_param_sym);
}

/* --- leaves --- */

/* What coordinates and params are assumed to be. */
static arith_range span_of_leaf(const body_state *b, const pm_value *value) {
  const int64_t limit = (int64_t)1 << b->values->coordinate_bits;
  if (pm_is_arg(value)) return (arith_range){true, -limit, limit};
  return arith_range_of_type((pm_scalar)value->type->scalar);
}

static isl_map *coordinate(const body_state *b, enum isl_dim_type type, unsigned at) {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(values_instances_of(b)->around));
  isl_map *relation = isl_map_from_aff(isl_aff_var_on_domain(space, type, at));
  return isl_map_intersect_domain(relation, isl_set_copy(values_instances_of(b)->around));
}

static value_state eval_param(const body_state *b, const pm_op *op) {
  int at = isl_set_find_dim_by_name(values_instances_of(b)->around, isl_dim_param,
                                    pm_sym_at(op, stage_param_sym)->text);
  if (at < 0) return values_any(b, pm_res(op, 0));
  return (value_state){.relation = coordinate(b, isl_dim_param, (unsigned)at),
                       .span = span_of_leaf(b, pm_res(op, 0)),
                       .exact = EXACT};
}

static const element_state *look_at_element(stage_values *v, pm_op *read, unsigned i);

/* Adds the numbers of the read's boundary, which are not of its stage. */
static void add_boundary_values(const body_state *b, const pm_op *read, const pm_op *stage,
                                value_state *state) {
  stage_boundary boundary;
  stage_boundary_of_read(read, stage, &boundary);
  for (unsigned d = 0; d < PM_MAX_RANK; d++) {
    pm_attr value = boundary.values[d];
    if (value && value->cls == PM_ATTR_FLOAT)
      state->range = float_range_union(state->range, values_range_of_number(value->f));
    else if (value) {
      isl_val *number = isl_val_int_from_si(b->values->isl, (long)value->i);
      isl_map *constant = values_everywhere(b, values_between(b->values, number, isl_val_copy(number)));
      state->relation = values_simplify(isl_map_union(state->relation, constant));
      state->span = arith_unknown_range();
    }
  }
}

/* An element of the input that is taken to have values of a range. */
static value_state eval_input(const body_state *b, const pm_op *read, const pm_value *value) {
  float_range range = b->values->input_range;
  value_state state = {.range = range};
  if (pm_is_int_or_index(value->type)) {
    isl_val *low = isl_val_int_from_si(b->values->isl, (long)range.low);
    isl_val *high = isl_val_int_from_si(b->values->isl, (long)range.high);
    state.relation = values_everywhere(b, values_between(b->values, low, high));
  }
  add_boundary_values(b, read, b->values->input, &state);
  return state;
}

/* What the stage that is read gives anywhere. */
static value_state eval_read(const body_state *b, const pm_value *value) {
  const pm_op *op = pm_def(value);
  pm_op *stage = pm_lookup_symbol(pm_region_at(b->values->pipeline, stage_pipeline_body),
                                  pm_sym_at(op, stage_read_stage));
  if (stage && stage == b->values->input) return eval_input(b, op, value);
  const element_state *e = look_at_element(b->values, stage, pm_value_index(value));
  if (!e) return values_any(b, value);
  value_state state = {.range = e->range, .span = e->span};
  if (e->integers) {
    bool bounded = isl_set_dim_has_lower_bound(e->integers, isl_dim_set, 0) == isl_bool_true &&
                   isl_set_dim_has_upper_bound(e->integers, isl_dim_set, 0) == isl_bool_true;
    state.relation = values_everywhere(b, isl_set_copy(e->integers));
    state.source = bounded ? NULL : value;
    if (!state.span.known) state.span = values_span_of_type(value->type);
  }
  add_boundary_values(b, op, stage, &state);
  return state;
}

/* --- bodies --- */

static value_state eval_value(const body_state *b, const pm_value *value) {
  const pm_op *op = pm_def(value);
  if (pm_is(op, &stage_read)) return eval_read(b, value);
  if (pm_is(op, &stage_param)) return eval_param(b, op);
  if (op) return values_of_op(b, op);
  return (value_state){.relation = coordinate(b, isl_dim_set, pm_value_index(value)),
                       .span = span_of_leaf(b, value),
                       .exact = EXACT};
}

value_state *values_state_of(const body_state *b, const pm_value *value) {
  return pm_map_get(b->states, value);
}

/* A read is looked at as a whole: its indices do not matter. */
static unsigned n_inputs(const pm_value *value) {
  const pm_op *op = pm_def(value);
  return !op || pm_is(op, &stage_read) || pm_is(op, &stage_param) ? 0 : op->n_operands;
}

typedef PM_VEC(pm_value *) value_stack;

/* Pushes the operands of a value that have no state yet; false when there are none. */
static bool push_missing(const body_state *b, value_stack *todo, const pm_value *value) {
  size_t before = todo->len;
  unsigned n = n_inputs(value);
  for (unsigned i = 0; i < n; i++)
    if (!values_state_of(b, pm_arg(pm_def(value), i))) PM_VEC_PUSH(*todo, pm_arg(pm_def(value), i));
  return todo->len > before;
}

static isl_set *with_small_coordinates(const stage_values *v, isl_set *set) {
  isl_val *limit = isl_val_2exp(isl_val_int_from_ui(v->isl, v->coordinate_bits));
  for (unsigned i = 0; i < (unsigned)isl_set_dim(set, isl_dim_set); i++) {
    set = isl_set_upper_bound_val(set, isl_dim_set, i, isl_val_copy(limit));
    set = isl_set_lower_bound_val(set, isl_dim_set, i, isl_val_neg(isl_val_copy(limit)));
  }
  isl_val_free(limit);
  return set;
}

/* What an op makes of values is the same at each instance, so relations need not tell the parts of the
 * instances apart, of which each op would make the product. */
static isl_set *around_of(isl_set *instances) {
  if (isl_set_n_basic_set(instances) <= 1) return isl_set_copy(instances);
  return isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(instances)));
}

/* The relation (taken) at the instances. */
static isl_map *at_instances(const body_state *b, isl_map *relation) {
  if (isl_set_n_basic_set(values_instances_of(b)->all) == 1) return relation;
  return isl_map_intersect_domain(relation, isl_set_copy(values_instances_of(b)->all));
}

static pm_walk add_params_of(void *user, pm_op *op) {
  isl_set **set = user;
  for (unsigned i = 0; i < op->n_operands; i++) {
    const pm_op *param = pm_def(pm_arg(op, i));
    pm_string name = param && is_int_param(param) ? pm_sym_at(param, stage_param_sym) : NULL;
    if (!name || isl_set_find_dim_by_name(*set, isl_dim_param, name->text) >= 0) continue;
    unsigned n = (unsigned)isl_set_dim(*set, isl_dim_param);
    *set = isl_set_set_dim_name(isl_set_add_dims(*set, isl_dim_param, 1), isl_dim_param, n, name->text);
  }
  return PM_WALK_ON;
}

/* The instances of a body, with the params that its set and its ops have alone. */
static isl_set *own_instances(const pm_op *body) {
  isl_set *set = isl_with_used_params(stage_instances(body));
  pm_walk_pre((pm_op *)body, add_params_of, &set);
  return set;
}

const body_instances *values_instances_of(const body_state *b) {
  stage_values *v = b->values;
  body_instances *at = b->at;
  if (at->all) return at;
  at->all = stage_facts_around(v->facts, own_instances(b->body));
  at->assumed = stage_facts_around(stage_values_params(v), isl_set_copy(at->all));
  at->assumed = with_small_coordinates(v, at->assumed);
  at->around = around_of(at->all);
  return at;
}

isl_set *values_with_params(const body_state *b, isl_set *image) {
  return stage_facts_beside(b->values->typed, stage_facts_beside(b->values->facts, image));
}

isl_set *values_of_relation(const body_state *b, isl_map *relation) {
  return values_with_params(b, isl_set_apply(isl_set_copy(values_instances_of(b)->assumed), relation));
}

static void free_state(void *user) {
  value_state *state = user;
  isl_map_free(state->relation);
  isl_map_free(state->around);
  free(state);
}

/* Of the instances of this body; the copy is the caller's. */
static value_state state_here(const body_state *b, const value_state *other) {
  value_state state = *other;
  state.around = NULL;
  if (!state.relation) return state;
  const char *name = isl_set_get_tuple_name(values_instances_of(b)->all);
  state.relation = isl_map_set_tuple_name(isl_map_copy(state.relation), isl_dim_in, name);
  return state;
}

static bool follows_from_reads(const body_state *b, const pm_value *value) {
  unsigned n = n_inputs(value);
  if (pm_is(pm_def(value), &stage_read)) return true;
  for (unsigned i = 0; i < n; i++)
    if (values_state_of(b, pm_arg(pm_def(value), i))->of_reads) return true;
  return false;
}

/* A basic relation without existential variables, and the least and the greatest of the values. */
static isl_map *without_pieces(__isl_take isl_map *relation) {
  isl_basic_map *hull = isl_map_simple_hull(relation);
  isl_set *values = isl_set_from_basic_set(isl_basic_map_range(isl_basic_map_copy(hull)));
  isl_val *least = isl_set_dim_min_val(isl_set_copy(values), 0), *most = isl_set_dim_max_val(values, 0);
  isl_map *out = values_without_divisions(isl_map_from_basic_map(hull));
  if (least && isl_val_is_int(least) == isl_bool_true)
    out = isl_map_lower_bound_val(out, isl_dim_out, 0, isl_val_copy(least));
  if (most && isl_val_is_int(most) == isl_bool_true)
    out = isl_map_upper_bound_val(out, isl_dim_out, 0, isl_val_copy(most));
  isl_val_free(least);
  isl_val_free(most);
  return out;
}

/* After many values that follow from reads, or many divisions and wraps of one, only a basic relation without
 * divisions is kept of each. Those of coordinates alone, such as clamps to a domain, stay as they are. */
static value_state eval_within_budget(body_state *b, const pm_value *value) {
  value_state state = eval_value(b, value);
  state.of_reads = follows_from_reads(b, value);
  if (!state.of_reads || !state.relation) return state;
  if (b->n_of_reads++ < MAX_OF_READS && !values_is_long(state.relation)) return state;
  state.relation = without_pieces(state.relation);
  state.exact = NOT_ASKED;
  return state;
}

/* The first body for which it is found keeps it for all. One that names a value of its own is not kept, nor
 * what is read: of that the key itself says what is known. */
static value_state *find_state(body_state *b, pm_value *value) {
  pm_context *ctx = pm_op_context(b->body);
  bool read = pm_is(pm_def(value), &stage_read);
  pm_string key = read ? NULL : values_key(b, "value", NULL, &value, 1);
  const value_state *known = key ? isl_find_kept(ctx, key) : NULL;
  value_state *state = pm_xcalloc(1, sizeof *state);
  *state = known ? state_here(b, known) : eval_within_budget(b, value);
  if (!key || known || state->source) return state;
  value_state *kept = pm_xcalloc(1, sizeof *kept);
  *kept = state_here(b, state);
  isl_keep(ctx, key, kept, free_state);
  return state;
}

value_state *values_look_at(body_state *b, pm_value *value) {
  value_stack todo = {0};
  PM_VEC_PUSH(todo, value);
  while (todo.len > 0) {
    pm_value *next = PM_VEC_LAST(todo);
    if (!values_state_of(b, next)) {
      if (push_missing(b, &todo, next)) continue;
      pm_map_set(b->states, next, find_state(b, next));
      PM_VEC_PUSH(b->known, next);
    }
    todo.len--;
  }
  PM_VEC_FREE(todo);
  return values_state_of(b, value);
}

static body_state *body_of(stage_values *v, const pm_op *body) {
  body_state *b = pm_map_get(v->bodies, body);
  if (b) return b;
  b = pm_xcalloc(1, sizeof(*b));
  b->values = v;
  b->body = body;
  b->at = pm_xcalloc(1, sizeof *b->at);
  b->states = pm_map_new();
  values_begin_keys(b);
  pm_map_set(v->bodies, body, b);
  PM_VEC_PUSH(v->all_bodies, b);
  return b;
}

static void free_body(body_state *b) {
  for (size_t i = 0; i < b->known.len; i++) free_state(pm_map_get(b->states, b->known.data[i]));
  for (size_t i = 0; i < b->tuples.len; i++) {
    isl_map_free(b->tuples.data[i].relation);
    PM_VEC_FREE(b->tuples.data[i].values);
  }
  PM_VEC_FREE(b->tuples);
  PM_VEC_FREE(b->known);
  pm_map_free(b->states);
  pm_map_free(b->keys);
  isl_set_free(b->at->all);
  isl_set_free(b->at->around);
  isl_set_free(b->at->assumed);
  free(b->at);
  free(b);
}

/* --- funcs --- */

static bool is_plain(const pm_op *func) {
  PM_FOR_OPS(body, pm_region_at(func, stage_func_cases)) {
    if (!pm_is(body, &stage_case)) return false;
    PM_FOR_OPS(op, pm_region_at(body, stage_case_body))
    if (pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == pm_sym_at(func, stage_func_sym))
      return false;
  }
  return true;
}

/* The default is a value too, where there are points at all. */
static void start_with_default(const stage_values *v, const pm_op *func, unsigned i, element_state *e) {
  pm_attr value = stage_default_at(func, i);
  if (pm_is_float(value->t)) {
    e->range = values_range_of_number(value->f);
    return;
  }
  isl_val *integer = isl_val_int_from_si(v->isl, (long)value->i);
  isl_set *sizes = isl_set_params(isl_set_copy(isl_peek_set(pm_attr_at(func, stage_func_domain))));
  e->integers = linear_intersect_params(values_between(v, integer, isl_val_copy(integer)), sizes);
  e->integers = stage_facts_around(v->facts, e->integers);
}

static void add_case_values(stage_values *v, const pm_op *case_op, unsigned i, element_state *e) {
  body_state *b = body_of(v, case_op);
  const pm_op *yield = pm_terminator(pm_region_at(case_op, stage_case_body));
  const value_state *state = values_look_at(b, pm_arg(yield, i));
  if (!e->integers) {
    e->range = float_range_union(e->range, state->range);
    return;
  }
  isl_set *image = isl_set_apply(isl_set_copy(values_instances_of(b)->all), isl_map_copy(state->relation));
  image = isl_set_union(e->integers, image);
  e->integers = isl_set_from_basic_set(isl_set_simple_hull(isl_set_coalesce(image)));
}

static void find_element(stage_values *v, pm_op *func, unsigned i, element_state *e) {
  e->known = pm_tuple_at(stage_type_of(func), i)->scalar != PM_U64;
  if (!e->known) return;
  start_with_default(v, func, i, e);
  PM_FOR_OPS(body, pm_region_at(func, stage_func_cases)) add_case_values(v, body, i, e);
}

/* --- constants --- */

static void find_integers(stage_values *v, pm_attr numbers, element_state *e) {
  e->span = arith_range_of_dense(numbers);
  e->known = e->span.known;
  if (e->known)
    e->integers = values_between(v, isl_val_int_from_si(v->isl, (long)e->span.lo),
                                 isl_val_int_from_si(v->isl, (long)e->span.hi));
}

static void find_constant(stage_values *v, pm_op *constant, element_state *e) {
  pm_attr numbers = pm_attr_at(constant, stage_constant_values);
  if (!pm_is_float(pm_elem_type(numbers->t))) {
    find_integers(v, numbers, e);
    return;
  }
  e->known = true;
  e->range = values_range_of_number(numbers->numbers[0].f);
  for (size_t i = 1; i < numbers->len; i++)
    e->range = float_range_union(e->range, values_range_of_number(numbers->numbers[i].f));
}

/* NULL when nothing is known but the types. */
static const func_state *look_at_func(stage_values *v, pm_op *func) {
  func_state *f = pm_map_get(v->funcs, func);
  bool constant = pm_is(func, &stage_constant);
  if (f) return f;
  if (!constant && (!pm_is(func, &stage_func) || v->depth >= MAX_STAGES || !is_plain(func))) return NULL;
  unsigned n = pm_tuple_len(stage_type_of(func));
  f = pm_xcalloc(1, sizeof(*f) + n * sizeof(*f->elements));
  *f = (func_state){.func = func, .busy = true, .n = n};
  pm_map_set(v->funcs, func, f);
  PM_VEC_PUSH(v->all_funcs, f);
  v->depth++;
  if (constant) find_constant(v, func, f->elements);
  for (unsigned i = 0; i < n && !constant; i++) find_element(v, func, i, &f->elements[i]);
  v->depth--;
  f->busy = false;
  return f;
}

/* NULL when nothing is known but the type. */
static const element_state *look_at_element(stage_values *v, pm_op *read, unsigned i) {
  const func_state *f = look_at_func(v, read);
  return f && !f->busy && f->elements[i].known ? &f->elements[i] : NULL;
}

/* --- the pipeline --- */

bool stage_is_wide_param(const pm_op *op) {
  return is_int_param(op) && pm_get_scalar_info((pm_scalar)pm_res(op, 0)->type->scalar)->bits == 64;
}

/* `params` (taken) with the param, of any value or of those of its type. */
static isl_set *with_param(isl_set *params, const pm_op *op, bool any) {
  const char *name = pm_sym_at(op, stage_param_sym)->text;
  unsigned n = (unsigned)isl_set_dim(params, isl_dim_param);
  params = isl_set_set_dim_name(isl_set_add_dims(params, isl_dim_param, 1), isl_dim_param, n, name);
  if (any) return params;
  isl_set *numbers =
      isl_set_move_dims(values_of_type(pm_res(op, 0)->type), isl_dim_param, 0, isl_dim_set, 0, 1);
  numbers = isl_set_set_dim_name(isl_set_params(numbers), isl_dim_param, 0, name);
  return isl_set_intersect(params, numbers);
}

__isl_give isl_set *stage_types_of_params(const pm_op *pipeline, bool wide) {
  isl_ctx *isl = pm_isl_ctx(pm_op_context(pipeline));
  isl_set *params = isl_set_universe(isl_space_params_alloc(isl, 0));
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (is_int_param(op)) params = with_param(params, op, !wide && stage_is_wide_param(op));
  return params;
}

static isl_set *context_of(const stage_values *v) {
  isl_set *given = isl_peek_set(pm_attr_at(v->pipeline, stage_pipeline_context));
  if (given) return isl_set_params(isl_set_copy(given));
  return isl_set_universe(isl_space_params_alloc(v->isl, 0));
}

static float_mode mode_of(const pm_op *pipeline) {
  pm_string mode = pm_sym_at(pipeline, stage_pipeline_fp);
  if (mode && strcmp(mode->text, "strict") == 0) return FLOAT_STRICT;
  return mode && strcmp(mode->text, "fast") == 0 ? FLOAT_FAST : FLOAT_CONTRACT;
}

bool values_depend_on_domains(const stage_values *v) {
  PM_FOR_OPS(op, pm_region_at(v->pipeline, stage_pipeline_body))
  if (stage_is_wide_param(op)) return true;
  return false;
}

/* The params (taken) for which no domain has coordinates beyond what stage_box_at allows; only params of 64
 * bits can give such. */
static isl_set *with_small_domains(const stage_values *v, isl_set *params) {
  if (!values_depend_on_domains(v)) return params;
  PM_FOR_OPS(op, pm_region_at(v->pipeline, stage_pipeline_body)) {
    if (!pm_is(op, &stage_func) && !pm_is(op, &stage_input)) continue;
    isl_set *domain = isl_peek_set(pm_attr_named(op, "domain"));
    isl_set *small = with_small_coordinates(v, isl_set_copy(domain));
    isl_set *large = isl_set_subtract(isl_set_copy(domain), small);
    params = isl_set_subtract(params, isl_set_params(large));
  }
  return isl_set_coalesce(params);
}

stage_values *stage_values_new(pm_op *pipeline) {
  stage_values *v = pm_xcalloc(1, sizeof(*v));
  v->pipeline = pipeline;
  v->isl = pm_isl_ctx(pm_op_context(pipeline));
  v->mode = mode_of(pipeline);
  v->coordinate_bits = STAGE_COORDINATE_BITS;
  v->bodies = pm_map_new();
  v->funcs = pm_map_new();
  isl_set *context = context_of(v);
  v->facts = stage_facts_new(context);
  isl_set_free(context);
  return v;
}

void stage_values_assume(stage_values *v, const pm_op *input, double low, double high) {
  v->input = input;
  v->input_range = float_range_of(low, high);
}

void stage_values_assume_coordinates(stage_values *v, unsigned bits) {
  v->coordinate_bits = bits;
}

stage_facts *stage_values_params(stage_values *v) {
  if (v->typed) return v->typed;
  isl_set *params = with_small_domains(v, stage_types_of_params(v->pipeline, true));
  v->typed = stage_facts_new(params);
  isl_set_free(params);
  return v->typed;
}

static void free_func(func_state *f) {
  for (unsigned k = 0; k < f->n; k++) isl_set_free(f->elements[k].integers);
  free(f);
}

/* What is known of the bodies of the func, or of all when it is NULL. */
static void drop_bodies(stage_values *v, const pm_op *func) {
  for (size_t i = v->all_bodies.len; i-- > 0;) {
    body_state *b = v->all_bodies.data[i];
    if (func && pm_parent_of(b->body, &stage_func) != func) continue;
    v->all_bodies.data[i] = PM_VEC_POP(v->all_bodies);
    pm_map_remove(v->bodies, b->body);
    free_body(b);
  }
}

static void drop_funcs(stage_values *v, const pm_op *func) {
  for (size_t i = v->all_funcs.len; i-- > 0;) {
    func_state *f = v->all_funcs.data[i];
    if (func && f->func != func) continue;
    v->all_funcs.data[i] = PM_VEC_POP(v->all_funcs);
    pm_map_remove(v->funcs, f->func);
    free_func(f);
  }
}

void stage_values_forget(stage_values *v, const pm_op *func) {
  bool all = values_depend_on_domains(v); /* its bounds are those of the domains of all funcs */
  drop_bodies(v, all ? NULL : func);
  drop_funcs(v, all ? NULL : func);
  if (!all) return;
  stage_facts_free(v->typed);
  v->typed = NULL;
}

void stage_values_free(stage_values *v) {
  if (!v) return;
  drop_bodies(v, NULL);
  drop_funcs(v, NULL);
  PM_VEC_FREE(v->all_bodies);
  PM_VEC_FREE(v->all_funcs);
  pm_map_free(v->bodies);
  pm_map_free(v->funcs);
  stage_facts_free(v->typed);
  stage_facts_free(v->facts);
  free(v);
}

static void *compute_values(pm_op *root, const void *base) {
  (void)base;
  return stage_values_new(root);
}

static void free_values(void *values) {
  stage_values_free(values);
}

const pm_analysis_desc stage_values_analysis = {"stage-values", compute_values, free_values, NULL, NULL};

isl_set *stage_values_instances(stage_values *values, const pm_op *body) {
  body_state *b = body_of(values, body);
  return values_instances_of(b)->assumed;
}

/* --- the question --- */

static bool is_bounded(isl_map *relation) {
  isl_set *image = isl_map_range(isl_map_copy(relation));
  bool bounded = isl_set_is_empty(image) == isl_bool_true ||
                 (isl_set_dim_has_lower_bound(image, isl_dim_set, 0) == isl_bool_true &&
                  isl_set_dim_has_upper_bound(image, isl_dim_set, 0) == isl_bool_true);
  isl_set_free(image);
  return bounded;
}

/* The relation may have instances that the body has not. */
static stage_value_bounds bounds_around(stage_values *values, pm_value *value, const pm_op *body) {
  body_state *b = body_of(values, body);
  value_state *state = values_look_at(b, value);
  stage_value_bounds bounds = {.relation = isl_map_copy(state->relation)};
  if (state->exact == NOT_ASKED) {
    isl_map *here = at_instances(b, isl_map_copy(state->relation));
    state->exact = isl_map_is_single_valued(here) == isl_bool_true ? EXACT : INEXACT;
    isl_map_free(here);
  }
  bounds.exact = state->exact == EXACT;
  if (state->source && !is_bounded(bounds.relation)) bounds.unbounded = state->source;
  return bounds;
}

stage_value_bounds stage_value_relation(stage_values *values, pm_value *value, const pm_op *body) {
  stage_value_bounds bounds = bounds_around(values, value, body);
  bounds.relation = at_instances(body_of(values, body), bounds.relation);
  return bounds;
}

/* What a value is as an index: a u64 beyond the numbers of 64 bits with sign is negative. */
static stage_value_bounds index_bounds(stage_values *values, pm_value *value, const pm_op *body) {
  stage_value_bounds bounds = bounds_around(values, value, body);
  if (value->type->scalar != PM_U64) return bounds;
  isl_set *instances = isl_set_copy(stage_values_instances(values, body));
  isl_set *large = isl_set_read_from_str(isl_set_get_ctx(instances), "{ [v] : v > 9223372036854775807 }");
  large = isl_set_intersect(isl_set_apply(instances, isl_map_copy(bounds.relation)), large);
  if (isl_set_is_empty(large) != isl_bool_true) {
    bounds.relation = isl_map_eliminate(bounds.relation, isl_dim_out, 0, 1);
    bounds.exact = false;
  }
  isl_set_free(large);
  return bounds;
}

static bool is_tuple_of(const tuple_state *t, pm_value *const *tuple, unsigned n) {
  if (t->values.len != n) return false;
  for (unsigned i = 0; i < n; i++)
    if (t->values.data[i] != tuple[i]) return false;
  return true;
}

static tuple_state tuple_of(stage_values *values, pm_value *const *tuple, unsigned n, const pm_op *body) {
  body_state *b = body_of(values, body);
  tuple_state t = {.exact = true};
  if (n == 0) t.relation = isl_map_from_domain(isl_set_copy(values_instances_of(b)->around));
  for (unsigned i = 0; i < n; i++) {
    stage_value_bounds bounds = index_bounds(values, tuple[i], body);
    t.relation = t.relation ? linear_flat_range_product(t.relation, bounds.relation) : bounds.relation;
    t.exact = t.exact && bounds.exact;
    PM_VEC_PUSH(t.values, tuple[i]);
  }
  t.relation = at_instances(b, t.relation);
  return t;
}

isl_map *stage_tuple_relation(stage_values *values, pm_value *const *tuple, unsigned n, const pm_op *body,
                              bool *exact) {
  body_state *b = body_of(values, body);
  size_t k = 0;
  while (k < b->tuples.len && !is_tuple_of(&b->tuples.data[k], tuple, n)) k++;
  if (k == b->tuples.len) PM_VEC_PUSH(b->tuples, tuple_of(values, tuple, n, body));
  *exact = b->tuples.data[k].exact;
  return isl_map_copy(b->tuples.data[k].relation);
}

pm_string stage_key_of_tuple(stage_values *values, const char *what, const void *which,
                             pm_value *const *tuple, unsigned n, const pm_op *body) {
  return values_key(body_of(values, body), what, which, tuple, n);
}

pm_string stage_key_of_operands(stage_values *values, const char *what, const void *which, const pm_op *op,
                                unsigned first, const pm_op *body) {
  PM_VEC(pm_value *) operands = {0};
  for (unsigned i = first; i < op->n_operands; i++) PM_VEC_PUSH(operands, pm_arg(op, i));
  pm_string key = stage_key_of_tuple(values, what, which, operands.data, (unsigned)operands.len, body);
  PM_VEC_FREE(operands);
  return key;
}

bool stage_value_span(stage_values *values, pm_value *value, const pm_op *body, int64_t *low, int64_t *high) {
  arith_range span = values_look_at(body_of(values, body), value)->span;
  *low = span.lo;
  *high = span.hi;
  return span.known;
}
