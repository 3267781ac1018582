#include "pm/estimates.h"

#include "dialects/isl/conditions.h"
#include "dialects/isl/take.h"
#include "dialects/stage/stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <isl/constraint.h>
#include <isl/set.h>
#include <isl/val.h>

typedef PM_VEC(pm_op *) param_list;

static int64_t value_of(const char *text) {
  return strtoll(strchr(text, '=') + 1, NULL, 10);
}

/* Behind the first one of a text, or NULL. */
static const char *behind_estimate(const char *text) {
  const char *equals = strpbrk(text, "=,;\\\"");
  char *end;
  if (!equals || *equals != '=' || equals == text) return NULL;
  errno = 0;
  (void)strtoll(equals + 1, &end, 10);
  return end != equals + 1 && !errno ? end : NULL;
}

bool pm_is_estimate(const char *text) {
  const char *end = behind_estimate(text);
  return end && !*end;
}

bool pm_are_estimates(const char *text) {
  const char *end = behind_estimate(text);
  while (end && *end == ',') end = behind_estimate(end + 1);
  return end && !*end;
}

static bool is_of(const char *text, const char *param) {
  size_t n = strlen(param);
  return strncmp(text, param, n) == 0 && text[n] == '=';
}

bool pm_has_estimate(const pm_estimate_list *estimates, const char *param) {
  for (size_t i = 0; i < estimates->len; i++)
    if (is_of(estimates->data[i], param)) return true;
  return false;
}

static param_list params_of(pm_module *module) {
  param_list params = {0};
  PM_FOR_OPS(pipeline, pm_module_body(module)) {
    if (!pm_is(pipeline, &stage_pipeline)) continue;
    PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
    if (pm_is(op, &stage_param)) PM_VEC_PUSH(params, op);
  }
  return params;
}

static bool is_integer(const pm_op *param) {
  return pm_is_int(pm_res(param, stage_param_value)->type);
}

void pm_set_estimate(pm_op *param, int64_t value) {
  pm_type type = pm_get_scalar(pm_op_context(param), PM_I64);
  pm_set_attr(param, stage_param_estimate, pm_get_int(type, value));
}

static bool no_such_param(const char *text, const param_list *params, pm_buf *error) {
  pm_buf names = {0};
  for (size_t i = 0; i < params->len; i++)
    pm_buf_printf(&names, "%s%s", i ? ", " : "; it has ", pm_sym_at(params->data[i], stage_param_sym)->text);
  pm_failf(error, "--estimate %s: the program has no parameter '%.*s'%s", text, (int)strcspn(text, "="), text,
           names.data ? names.data : "");
  pm_buf_free(&names);
  return false;
}

static bool apply(const char *text, const param_list *params, pm_buf *error) {
  bool found = false;
  for (size_t i = 0; i < params->len; i++) {
    pm_op *param = params->data[i];
    const char *name = pm_sym_at(param, stage_param_sym)->text;
    if (!is_of(text, name)) continue;
    if (!is_integer(param))
      return pm_failf(error, "--estimate %s: '%s' is of type %s, only integers have estimates", text, name,
                      pm_get_scalar_info((pm_scalar)pm_res(param, stage_param_value)->type->scalar)->name);
    pm_set_estimate(param, value_of(text));
    found = true;
  }
  return found || no_such_param(text, params, error);
}

static bool not_allowed(const char *text, const isl_set *context, pm_buf *error) {
  pm_buf conditions = {0};
  isl_put_conditions(&conditions, context, NULL);
  pm_failf(error, "--estimate %s: the program requires %s", text, conditions.data);
  pm_buf_free(&conditions);
  return false;
}

/* Some call may have the value. Estimates are rough: together they need fit no call. */
static bool is_allowed(const char *text, isl_set *context, pm_buf *error) {
  char *name = pm_xstrndup(text, strcspn(text, "="));
  int d = isl_set_find_dim_by_name(context, isl_dim_param, name);
  free(name);
  if (d < 0) return true;
  isl_val *value = isl_val_int_from_si(isl_set_get_ctx(context), value_of(text));
  isl_set *left = isl_set_fix_val(isl_set_copy(context), isl_dim_param, (unsigned)d, value);
  bool ok = isl_set_is_empty(left) != isl_bool_true;
  isl_set_free(left);
  return ok || not_allowed(text, context, error);
}

static bool are_allowed(const pm_op *pipeline, const pm_estimate_list *estimates, pm_buf *error) {
  pm_attr stated = pm_attr_at(pipeline, stage_pipeline_context);
  bool ok = true;
  for (size_t i = 0; stated && ok && i < estimates->len; i++)
    ok = is_allowed(estimates->data[i], isl_peek_set(stated), error);
  return ok;
}

bool pm_set_estimates(pm_module *module, const pm_estimate_list *estimates, pm_buf *error) {
  param_list params = params_of(module);
  bool ok = true;
  for (size_t i = 0; ok && i < estimates->len; i++) ok = apply(estimates->data[i], &params, error);
  PM_VEC_FREE(params);
  PM_FOR_OPS(op, pm_module_body(module))
  if (ok && pm_is(op, &stage_pipeline)) ok = are_allowed(op, estimates, error);
  return ok;
}

/* --- sizes that are not given --- */

/* A value of a param, moved into what constraints on it alone leave. */
typedef struct clamped {
  unsigned param;
  int64_t value;
} clamped;

static isl_stat clamp(__isl_take isl_constraint *constraint, void *user) {
  clamped *c = user;
  int n = (int)isl_constraint_dim(constraint, isl_dim_param);
  bool own = isl_constraint_involves_dims(constraint, isl_dim_param, c->param, 1) == isl_bool_true &&
             isl_constraint_involves_dims(constraint, isl_dim_param, 0, c->param) != isl_bool_true &&
             isl_constraint_involves_dims(constraint, isl_dim_param, c->param + 1,
                                          (unsigned)n - c->param - 1) != isl_bool_true &&
             !isl_constraint_dim(constraint, isl_dim_div);
  isl_val *factor = isl_constraint_get_coefficient_val(constraint, isl_dim_param, (int)c->param);
  isl_val *number = isl_constraint_get_constant_val(constraint);
  int64_t a = 0, b = 0;
  own = isl_take_int_below(factor, INT64_C(1) << 40, &a) &&
        isl_take_int_below(number, INT64_C(1) << 40, &b) && own;
  bool equal = isl_constraint_is_equality(constraint) == isl_bool_true;
  for (int turn = 0; own && turn <= equal; turn++) {
    int64_t bound = a > 0 ? pm_floor_div(-b + a - 1, a) : pm_floor_div(b, -a);
    if (a > 0 ? c->value < bound : c->value > bound) c->value = bound;
    a = -a;
    b = -b;
  }
  isl_constraint_free(constraint);
  return isl_stat_ok;
}

static isl_stat clamp_in(__isl_take isl_basic_set *part, void *user) {
  isl_basic_set_foreach_constraint(part, clamp, user);
  isl_basic_set_free(part);
  return isl_stat_ok;
}

/* The size, or the number next to it that the context allows. */
static int64_t usual_of(const pm_op *param, int64_t size) {
  pm_attr stated = pm_attr_at(pm_parent(param), stage_pipeline_context);
  isl_set *context = stated ? isl_peek_set(stated) : NULL;
  int at = context ? isl_set_find_dim_by_name(context, isl_dim_param, pm_sym_at(param, stage_param_sym)->text)
                   : -1;
  clamped c = {(unsigned)at, size};
  if (at >= 0 && isl_set_n_basic_set(context) == 1) isl_set_foreach_basic_set(context, clamp_in, &c);
  return c.value;
}

void pm_set_usual_estimates(pm_module *module, int64_t size) {
  param_list params = params_of(module);
  for (size_t i = 0; i < params.len; i++) {
    pm_op *param = params.data[i];
    if (is_integer(param) && !pm_attr_at(param, stage_param_estimate))
      pm_set_estimate(param, usual_of(param, size));
  }
  PM_VEC_FREE(params);
}
