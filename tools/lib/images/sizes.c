#include "tools/lib/images/sizes.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/conditions.h"
#include "pm/extents.h"
#include "tools/lib/images/callable.h"
#include "tools/lib/images/matrix_text.h"
#include "tools/lib/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

static isl_set *domain_of(const pm_op *op) {
  return isl_peek_set(pm_array_domain(op));
}

/* --- extents as text --- */

/* Smallest and greatest value of a dimension over all params; false unless both exist. */
static bool dim_range(isl_set *set, unsigned dim, int64_t *low, int64_t *high) {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(set));
  isl_aff *at = isl_aff_var_on_domain(space, isl_dim_set, dim);
  bool ok = pm_take_int(isl_set_min_val(set, at), low) && pm_take_int(isl_set_max_val(set, at), high);
  isl_aff_free(at);
  return ok;
}

bool pm_constant_extent(pm_op *op, unsigned dim, int64_t *extent) {
  int64_t low, high;
  bool ok = dim_range(domain_of(op), dim, &low, &high);
  if (ok) *extent = high - low + 1;
  return ok;
}

bool pm_same_extents(pm_op *a, unsigned dim_a, pm_op *b, unsigned dim_b) {
  isl_pw_aff *first = pm_extent_function(domain_of(a), dim_a),
             *second = pm_extent_function(domain_of(b), dim_b);
  isl_set *both = isl_set_intersect(isl_pw_aff_domain(isl_pw_aff_copy(first)),
                                    isl_pw_aff_domain(isl_pw_aff_copy(second)));
  isl_set *equal = isl_pw_aff_eq_set(first, second);
  bool same = isl_set_is_empty(both) == isl_bool_false && isl_set_is_subset(both, equal) == isl_bool_true;
  isl_set_free(both);
  isl_set_free(equal);
  return same;
}

void pm_put_domain_extents(pm_buf *out, pm_op *op) {
  unsigned rank = (unsigned)isl_set_dim(domain_of(op), isl_dim_set);
  if (rank == 0) pm_buf_puts(out, "a single value");
  for (unsigned d = 0; d < rank; d++) {
    if (d) pm_buf_puts(out, rank == 2 ? " by " : " x ");
    pm_put_extent_text(out, domain_of(op), d);
    if (rank == 2) pm_buf_puts(out, d ? " columns" : " rows");
  }
}

void pm_put_size(pm_buf *out, unsigned rank, const int64_t *extents) {
  if (rank == 2)
    pm_buf_printf(out, "%lld rows by %lld columns", (long long)extents[0], (long long)extents[1]);
  else
    pm_put_extents(out, rank, extents);
}

/* --- the system of equations --- */

/* A parameter set over the integer params; their positions are those of `ids`. */
typedef struct solver {
  pm_op *pipeline;
  const stage_signature *sig;
  isl_ctx *isl;
  isl_set *solutions;
  const pm_size_choice *choice; /* NULL: what nothing determines is an error */
  pm_buf *error;
} solver;

static bool is_integer_param(const stage_arg *arg) {
  return pm_is_int_or_index(arg->type);
}

static int param_position(isl_set *set, const char *name) {
  return isl_set_find_dim_by_name(set, isl_dim_param, name);
}

static __isl_give isl_set *all_params(isl_ctx *isl, const stage_signature *sig) {
  isl_set *set = isl_set_universe(isl_space_params_alloc(isl, 0));
  for (size_t i = 0; i < sig->params.len; i++) {
    if (!is_integer_param(&sig->params.data[i])) continue;
    set = isl_set_add_dims(set, isl_dim_param, 1);
    unsigned last = (unsigned)isl_set_dim(set, isl_dim_param) - 1;
    set = isl_set_set_dim_name(set, isl_dim_param, last, sig->params.data[i].name->text);
  }
  return set;
}

static void keep_only(solver *s, __isl_take isl_set *condition) {
  s->solutions =
      isl_set_intersect(s->solutions, isl_set_align_params(condition, isl_set_get_space(s->solutions)));
}

static bool is_empty(const solver *s) {
  return isl_set_is_empty(s->solutions) != isl_bool_false;
}

/* The params for which dimension `dim` of the domain has that extent. */
static __isl_give isl_set *where_extent_is(isl_set *domain, unsigned dim, int64_t extent) {
  isl_pw_aff *function = pm_extent_function(domain, dim);
  isl_val *value = isl_val_int_from_si(isl_set_get_ctx(domain), extent);
  isl_aff *constant = isl_aff_val_on_domain_space(isl_pw_aff_get_domain_space(function), value);
  return isl_pw_aff_eq_set(function, isl_pw_aff_from_aff(constant));
}

/* The params for which the box of the domain has those extents; an empty file asks for an empty domain. */
static __isl_give isl_set *where_size_is(isl_set *domain, unsigned rank, const int64_t *extents) {
  isl_set *where = isl_set_params(isl_set_copy(domain));
  for (unsigned d = 0; d < rank; d++)
    if (extents[d] == 0) return isl_set_complement(where);
  for (unsigned d = 0; d < rank; d++)
    where = isl_set_intersect(where, where_extent_is(domain, d, extents[d]));
  return where;
}

/* The values of a param in a set of params: of one dimension, without params. */
static __isl_give isl_set *values_of(isl_set *solutions, const char *name) {
  int position = param_position(solutions, name);
  isl_set *one = isl_set_from_params(isl_set_copy(solutions));
  one = isl_set_move_dims(one, isl_dim_set, 0, isl_dim_param, (unsigned)position, 1);
  unsigned others = (unsigned)isl_set_dim(one, isl_dim_param);
  return isl_set_project_out(one, isl_dim_param, 0, others);
}

/* The only value of a param in the set, if there is one. */
static bool only_value(isl_set *solutions, const char *name, int64_t *value) {
  isl_set *one = values_of(solutions, name);
  int64_t low, high;
  bool ok = dim_range(one, 0, &low, &high) && low == high;
  isl_set_free(one);
  if (ok) *value = low;
  return ok;
}

/* --- --param --- */

static bool parse_scalar(const char *text, pm_scalar scalar, pm_lane *lane, int64_t *value) {
  if (!pm_parse_number(text, scalar, lane)) return false;
  *value = pm_get_scalar_info(scalar)->is_float ? 0 : lane->i;
  return true;
}

/* The value of the last --param of that name, NULL without one. */
static const char *given_value(const pm_named_list *given, pm_string name) {
  const char *value = NULL;
  for (size_t i = 0; i < given->len; i++)
    if (strcmp(given->data[i].name, name->text) == 0) value = given->data[i].value;
  return value;
}

static bool has_param(const stage_signature *sig, const char *name) {
  for (size_t i = 0; i < sig->params.len; i++)
    if (strcmp(sig->params.data[i].name->text, name) == 0) return true;
  return false;
}

static bool check_names(const solver *s, const pm_named_list *given) {
  for (size_t i = 0; i < given->len; i++) {
    if (has_param(s->sig, given->data[i].name)) continue;
    pm_buf names = {0};
    for (size_t k = 0; k < s->sig->params.len; k++)
      pm_buf_printf(&names, "%s%s", k ? ", " : "", s->sig->params.data[k].name->text);
    pm_failf(s->error, "--param %s: @%s has no such parameter; it has %s", given->data[i].name,
             s->sig->name->text, names.len ? names.data : "none");
    pm_buf_free(&names);
    return false;
  }
  return true;
}

/* --- parameters that nothing depends on --- */

typedef struct mention {
  const char *name;
  bool found;
} mention;

static pm_attr set_of(const pm_op *op) {
  if (stage_is_array(op)) return stage_domain_of(op);
  if (pm_is(op, &stage_case)) return pm_attr_at(op, stage_case_set);
  if (pm_is(op, &stage_update)) return pm_attr_at(op, stage_update_set);
  return pm_is(op, &stage_pipeline) ? pm_attr_at(op, stage_pipeline_context) : NULL;
}

static bool involves(isl_set *set, const char *name) {
  int at = param_position(set, name);
  return at >= 0 && isl_set_involves_dims(set, isl_dim_param, (unsigned)at, 1) != isl_bool_false;
}

static pm_walk find_mention(void *user, pm_op *op) {
  mention *m = user;
  pm_attr attr = set_of(op);
  m->found |= attr && involves(isl_peek_set(attr), m->name);
  return m->found ? PM_WALK_STOP : PM_WALK_ON;
}

static pm_walk find_body(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &stage_case) || pm_is(op, &stage_update) ? PM_WALK_STOP : PM_WALK_ON;
}

bool pm_is_unused(pm_op *pipeline, const stage_arg *param) {
  mention m = {param->name->text, false};
  if (!pm_is(param->op, &stage_param) || pm_uses(pm_res(param->op, 0))) return false;
  if (pm_walk_pre(pipeline, find_body, NULL)) return false;
  pm_walk_pre(pipeline, find_mention, &m);
  return !m.found;
}

static bool take_zero(const stage_arg *arg, pm_params *out, size_t i) {
  return parse_scalar("0", (pm_scalar)arg->type->scalar, &out->lanes[i], &out->values[i]);
}

/* A float that is chosen. */
static bool take_half(const stage_arg *arg, pm_params *out, size_t i) {
  return parse_scalar("0.5", (pm_scalar)arg->type->scalar, &out->lanes[i], &out->values[i]);
}

static bool take_given(solver *s, const pm_named_list *given, pm_params *out) {
  if (!check_names(s, given)) return false;
  for (size_t i = 0; i < s->sig->params.len; i++) {
    const stage_arg *arg = &s->sig->params.data[i];
    const char *text = given_value(given, arg->name),
               *type = pm_get_scalar_info((pm_scalar)arg->type->scalar)->name;
    if (!text && is_integer_param(arg)) continue;
    if (!text && pm_is_unused(s->pipeline, arg) && take_zero(arg, out, i)) continue;
    if (!text && s->choice && take_half(arg, out, i)) continue;
    if (!text)
      return pm_failf(s->error, "parameter %s (%s) has no value; give --param %s=NUMBER", arg->name->text,
                      type, arg->name->text);
    if (!parse_scalar(text, (pm_scalar)arg->type->scalar, &out->lanes[i], &out->values[i]))
      return pm_failf(s->error, "--param %s=%s: not a value of type %s", arg->name->text, text, type);
    if (!is_integer_param(arg)) continue;
    unsigned at = (unsigned)param_position(s->solutions, arg->name->text);
    isl_val *value = arg->type->scalar == PM_U64 ? isl_val_int_from_ui(s->isl, (unsigned long)out->values[i])
                                                 : isl_val_int_from_si(s->isl, (long)out->values[i]);
    s->solutions = isl_set_fix_val(s->solutions, isl_dim_param, at, value);
  }
  return true;
}

/* --- solving --- */

/* "`before`R = 480, C = 640": the params that have one value in the set. Their number; nothing is put when
 * none has. */
static unsigned put_known(pm_buf *out, const solver *s, const char *before, isl_set *known) {
  unsigned n = 0;
  for (size_t i = 0; i < s->sig->params.len; i++) {
    int64_t value;
    const char *name = s->sig->params.data[i].name->text;
    if (!is_integer_param(&s->sig->params.data[i]) || !only_value(known, name, &value)) continue;
    pm_buf_printf(out, "%s%s = %lld", n++ ? ", " : before, name, (long long)value);
  }
  return n;
}

static bool no_fit(const solver *s, pm_op *op, pm_string name, const pm_sized_input *input, isl_set *before) {
  pm_buf text = {0};
  pm_buf_printf(&text, "'%s' is ", input->path);
  pm_put_size(&text, input->rank, input->extents);
  pm_buf_printf(&text, ", but @%s is ", name->text);
  pm_put_domain_extents(&text, op);
  put_known(&text, s, ", with ", before);
  pm_failf(s->error, "%s", text.data);
  pm_buf_free(&text);
  return false;
}

static bool add_input(solver *s, const stage_arg *arg, const pm_sized_input *input) {
  if (input->rank != arg->n_dims) return no_fit(s, arg->op, arg->name, input, s->solutions);
  isl_set *before = isl_set_copy(s->solutions);
  keep_only(s, where_size_is(domain_of(arg->op), input->rank, input->extents));
  bool ok = !is_empty(s) || no_fit(s, arg->op, arg->name, input, before);
  isl_set_free(before);
  return ok;
}

/* --- the context --- */

/* isl's operations for one question about the context. */
enum { OPERATIONS = 100000 };

/* Of the params that are passed; to be freed. */
static isl_set *context_of(pm_op *pipeline) {
  pm_attr context = pm_is(pipeline, &stage_pipeline) ? pm_attr_at(pipeline, stage_pipeline_context) : NULL;
  return context ? stage_without_derived(pipeline, isl_set_copy(isl_peek_set(context))) : NULL;
}

static bool sizes_an_input(const solver *s, const stage_arg *arg) {
  PM_FOR_OPS(op, pm_region_at(s->pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_input) && involves(domain_of(op), arg->name->text)) return true;
  return false;
}

/* The context, not an input, says its value: that is neither given nor part of an input's size. */
static bool is_open(const solver *s, const stage_arg *arg, const pm_named_list *given) {
  return pm_is(s->pipeline, &stage_pipeline) && is_integer_param(arg) && !given_value(given, arg->name) &&
         !s->choice && !sizes_an_input(s, arg);
}

/* False too when isl does not find out. */
static bool is_shown_empty(isl_ctx *isl, isl_set *set) {
  isl_budget_begin(isl, OPERATIONS);
  bool empty = isl_set_is_empty(set) == isl_bool_true;
  return !isl_budget_end(isl) && empty;
}

/* What the context asks of the params that are not open; of all where isl does not find out. */
static __isl_give isl_set *conditions_of_known(const solver *s, isl_set *context,
                                               const pm_named_list *given) {
  isl_set *known = isl_set_copy(context);
  isl_budget_begin(s->isl, OPERATIONS);
  for (size_t i = 0; i < s->sig->params.len; i++) {
    const stage_arg *arg = &s->sig->params.data[i];
    int at = param_position(known, arg->name->text);
    if (at >= 0 && is_open(s, arg, given)) known = isl_set_project_out(known, isl_dim_param, (unsigned)at, 1);
  }
  if (!isl_budget_end(s->isl) && known && !is_shown_empty(s->isl, known)) return known;
  isl_set_free(known);
  return isl_set_copy(context);
}

static void put_open(pm_buf *out, const solver *s, isl_set *context, const pm_named_list *given) {
  unsigned n = 0;
  for (size_t i = 0; i < s->sig->params.len; i++) {
    const stage_arg *arg = &s->sig->params.data[i];
    if (is_open(s, arg, given) && involves(context, arg->name->text))
      pm_buf_printf(out, "%s%s", n++ ? ", " : ", which leaves no value of ", arg->name->text);
  }
}

static bool breaks_context(const solver *s, isl_set *context, const pm_named_list *given, isl_set *before) {
  pm_buf text = {0};
  isl_set *known = conditions_of_known(s, context, given);
  pm_buf_printf(&text, "the parameters of @%s should have ", s->sig->name->text);
  isl_put_conditions(&text, known, NULL);
  if (put_known(&text, s, "; they are ", before)) put_open(&text, s, context, given);
  pm_failf(s->error, "%s", text.data);
  pm_buf_free(&text);
  isl_set_free(known);
  return false;
}

static bool add_context(solver *s, const pm_named_list *given) {
  isl_set *context = context_of(s->pipeline);
  if (!context) return true;
  isl_set *before = isl_set_copy(s->solutions);
  keep_only(s, isl_set_params(isl_set_copy(context)));
  bool ok = !is_shown_empty(s->isl, s->solutions) || breaks_context(s, context, given, before);
  isl_set_free(before);
  isl_set_free(context);
  return ok;
}

typedef enum greatest { IS_BOUNDED, IS_UNBOUNDED, IS_NOT_FOUND } greatest;

/* The greatest value that a param has in the solutions. */
static greatest greatest_value(const solver *s, const char *name, int64_t *value) {
  isl_budget_begin(s->isl, OPERATIONS);
  isl_set *one = values_of(s->solutions, name);
  bool found = pm_take_int(isl_set_dim_max_val(one, 0), value);
  if (isl_budget_end(s->isl)) return IS_NOT_FOUND;
  return found ? IS_BOUNDED : IS_UNBOUNDED;
}

static __isl_give isl_set *with_value(const solver *s, const char *name, int64_t value) {
  unsigned at = (unsigned)param_position(s->solutions, name);
  return isl_set_fix_val(isl_set_copy(s->solutions), isl_dim_param, at,
                         isl_val_int_from_si(s->isl, (long)value));
}

/* How large an output is depends on it. */
static bool sizes_an_output(const solver *s, const stage_arg *arg) {
  for (size_t i = 0; i < s->sig->outputs.len; i++)
    if (involves(domain_of(s->sig->outputs.data[i].op), arg->name->text)) return true;
  return false;
}

/* The estimate of an extent that the context does not bound. That of a value has no part in what is computed.
 */
static bool take_estimate(const solver *s, const stage_arg *arg, int64_t *value) {
  const char *name = arg->name->text;
  pm_buf why = {0};
  if (pm_attr_at(arg->op, stage_param_estimate) && sizes_an_output(s, arg)) {
    *value = pm_int_at(arg->op, stage_param_estimate);
    isl_set *left = with_value(s, name, *value);
    bool allowed = !is_shown_empty(s->isl, left);
    isl_set_free(left);
    if (allowed) return true;
    pm_buf_printf(&why, " and does not have its estimate %lld", (long long)*value);
  }
  pm_failf(s->error,
           "the inputs do not determine parameter %s, and the context does not bound it from above%s; give "
           "--param %s=INTEGER",
           name, why.data ? why.data : "", name);
  pm_buf_free(&why);
  return false;
}

/* The greatest value for which the params that are still open have values, too, or the estimate. `source`
 * gets which of them. */
static bool choose(solver *s, const stage_arg *arg, const char **source, int64_t *value) {
  const char *name = arg->name->text;
  greatest found = greatest_value(s, name, value);
  *source = found == IS_BOUNDED ? "context makes" : "estimate makes";
  if (found == IS_NOT_FOUND)
    return pm_failf(s->error,
                    "the greatest value of parameter %s that the context allows is not found with %d "
                    "operations; give --param %s=INTEGER",
                    name, OPERATIONS, name);
  if (found == IS_UNBOUNDED && !take_estimate(s, arg, value)) return false;
  isl_set *chosen = with_value(s, name, *value);
  isl_set_free(s->solutions);
  s->solutions = chosen;
  return true;
}

/* --- choices --- */

/* What the choice wants of the param with this number. */
static int64_t wanted_value(const solver *s, size_t i) {
  const stage_arg *arg = &s->sig->params.data[i];
  const pm_scalar_info *info = pm_get_scalar_info((pm_scalar)arg->type->scalar);
  int64_t estimate, wanted = s->choice->wanted ? s->choice->wanted[i] : s->choice->usual + (int64_t)i;
  if (!s->choice->wanted && pm_param_estimate(arg->op, &estimate) && estimate <= s->choice->most)
    wanted = estimate;
  int64_t greatest = info->bits >= 63 ? INT64_MAX : ((int64_t)1 << (info->bits - info->is_signed)) - 1;
  return wanted < greatest ? wanted : greatest;
}

/* The greatest value of the param up to the wanted one, else the least. */
static bool nearest_value(const solver *s, const char *name, int64_t wanted, int64_t *value) {
  isl_budget_begin(s->isl, OPERATIONS);
  isl_set *one = values_of(s->solutions, name);
  isl_set *below =
      isl_set_upper_bound_val(isl_set_copy(one), isl_dim_set, 0, isl_val_int_from_si(s->isl, (long)wanted));
  bool found = pm_take_int(isl_set_dim_max_val(below, 0), value) ||
               pm_take_int(isl_set_dim_min_val(isl_set_copy(one), 0), value);
  isl_set_free(one);
  return !isl_budget_end(s->isl) && found;
}

/* Outputs have points, where that can be. */
static void prefer_points(solver *s) {
  for (size_t i = 0; i < s->sig->outputs.len; i++) {
    isl_set *before = isl_set_copy(s->solutions);
    keep_only(s, isl_set_params(isl_set_copy(domain_of(s->sig->outputs.data[i].op))));
    bool none = isl_set_is_empty(s->solutions) != isl_bool_false;
    isl_set_free(none ? s->solutions : before);
    if (none) s->solutions = before;
  }
}

/* --- the values --- */

static bool set_value(const solver *s, size_t i, const char *source, int64_t value, pm_params *out) {
  const stage_arg *arg = &s->sig->params.data[i];
  pm_scalar scalar = (pm_scalar)arg->type->scalar;
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  return parse_scalar(text, scalar, &out->lanes[i], &out->values[i]) ||
         pm_failf(s->error, "the %s parameter %s = %s, which is no value of type %s", source, arg->name->text,
                  text, pm_get_scalar_info(scalar)->name);
}

/* Of the params that are neither given nor open. */
static bool take_determined(solver *s, const pm_named_list *given, pm_params *out) {
  for (size_t i = 0; i < s->sig->params.len; i++) {
    const stage_arg *arg = &s->sig->params.data[i];
    int64_t value;
    if (!is_integer_param(arg) || given_value(given, arg->name) || is_open(s, arg, given)) continue;
    bool found = only_value(s->solutions, arg->name->text, &value);
    if (!found && s->choice) continue;
    if (!found)
      return pm_failf(s->error, "the inputs do not determine parameter %s; give --param %s=INTEGER",
                      arg->name->text, arg->name->text);
    if (!set_value(s, i, "inputs make", value, out)) return false;
  }
  return true;
}

/* In the order of the params. */
static bool choose_open(solver *s, const pm_named_list *given, pm_params *out) {
  for (size_t i = 0; i < s->sig->params.len; i++) {
    const stage_arg *arg = &s->sig->params.data[i];
    const char *source;
    int64_t value;
    if (!is_open(s, arg, given) || (pm_is_unused(s->pipeline, arg) && take_zero(arg, out, i))) continue;
    if (!choose(s, arg, &source, &value) || !set_value(s, i, source, value, out)) return false;
  }
  return true;
}

/* The values that nothing determines, in the order of the params. */
static bool choose_rest(solver *s, const pm_named_list *given, pm_params *out) {
  prefer_points(s);
  for (size_t i = 0; i < s->sig->params.len; i++) {
    const stage_arg *arg = &s->sig->params.data[i];
    int64_t value;
    if (!is_integer_param(arg) || given_value(given, arg->name)) continue;
    if (!only_value(s->solutions, arg->name->text, &value) &&
        !nearest_value(s, arg->name->text, wanted_value(s, i), &value))
      return pm_failf(s->error, "no value is found for parameter %s; give --param %s=INTEGER",
                      arg->name->text, arg->name->text);
    isl_set *chosen = with_value(s, arg->name->text, value);
    isl_set_free(s->solutions);
    s->solutions = chosen;
    if (!set_value(s, i, "choice makes", value, out)) return false;
  }
  return true;
}

static bool solve(solver *s, const pm_named_list *given, const pm_sized_input *inputs, pm_params *out) {
  if (!take_given(s, given, out)) return false;
  for (size_t i = 0; i < s->sig->inputs.len; i++)
    if (inputs[i].extents && !add_input(s, &s->sig->inputs.data[i], &inputs[i])) return false;
  return add_context(s, given) && take_determined(s, given, out) && choose_open(s, given, out) &&
         (!s->choice || choose_rest(s, given, out));
}

bool pm_solve_sizes(pm_op *pipeline, const stage_signature *sig, const pm_named_list *given,
                    const pm_sized_input *inputs, const pm_size_choice *choice, pm_params *out,
                    pm_buf *error) {
  solver s = {.pipeline = pipeline,
              .sig = sig,
              .isl = pm_isl_ctx(pm_op_context(pipeline)),
              .choice = choice,
              .error = error};
  s.solutions = all_params(s.isl, sig);
  *out = (pm_params){.lanes = pm_xcalloc(sig->params.len + 1, sizeof *out->lanes),
                     .values = pm_xcalloc(sig->params.len + 1, sizeof *out->values),
                     .n = sig->params.len};
  bool ok = solve(&s, given, inputs, out);
  isl_set_free(s.solutions);
  if (!ok) pm_params_free(out);
  return ok;
}

/* --- outputs without points --- */

void pm_put_no_points(pm_buf *out, pm_op *pipeline, const stage_signature *sig, const stage_arg *output,
                      const pm_params *params) {
  isl_set *sizes = isl_set_params(isl_set_copy(domain_of(output->op))), *context = context_of(pipeline);
  bool ever = isl_set_is_empty(sizes) == isl_bool_false;
  if (ever && context) sizes = isl_set_gist(sizes, isl_set_params(isl_set_copy(context)));
  unsigned n = 0;
  pm_buf_puts(out, "no points");
  for (size_t i = 0; i < sig->params.len; i++) {
    int at = param_position(sizes, sig->params.data[i].name->text);
    if (at < 0 || isl_set_involves_dims(sizes, isl_dim_param, (unsigned)at, 1) != isl_bool_true) continue;
    pm_buf_printf(out, "%s%s = %lld", n++ ? ", " : " for ", sig->params.data[i].name->text,
                  (long long)params->values[i]);
  }
  if (ever) {
    pm_buf_puts(out, "; it has some with ");
    isl_put_conditions(out, sizes, NULL);
  }
  isl_set_free(context);
  isl_set_free(sizes);
}

void pm_params_free(pm_params *params) {
  free(params->lanes);
  free(params->values);
  *params = (pm_params){0};
}

void pm_put_params(pm_buf *out, const stage_signature *sig, const pm_params *params) {
  for (size_t i = 0; i < sig->params.len; i++) {
    const stage_arg *p = &sig->params.data[i];
    double real = p->type->scalar == PM_F64 ? params->lanes[i].d : (double)params->lanes[i].f;
    pm_buf_printf(out, "%s%s=", i ? "," : "", p->name->text);
    if (pm_is_float(p->type))
      pm_buf_printf(out, "%.17g", real);
    else
      pm_buf_printf(out, "%lld", (long long)params->values[i]);
  }
}
