#include "dialects/isl/ast_values.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/take.h"

#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

static pm_context *context_of(const pm_builder *b) {
  return pm_module_context(b->module);
}

static pm_value *unsupported(pm_builder *b, isl_ast_expr *expr) {
  char *text = isl_ast_expr_to_C_str(expr);
  pm_error(context_of(b), b->loc,
           "the expression '%s' of the generated loops has an operation that is not supported",
           text ? text : "?");
  free(text);
  return NULL;
}

static pm_value *too_large(pm_builder *b, isl_ast_expr *expr) {
  char *text = isl_ast_expr_to_C_str(expr);
  pm_error(context_of(b), b->loc, "the generated loops have the number %s, but numbers should fit 64 bits",
           text ? text : "?");
  free(text);
  return NULL;
}

static pm_value *as_index(pm_builder *b, pm_value *v) {
  return v ? arith_build_cast(b, v, pm_get_index(context_of(b))) : NULL;
}

bool ast_find_number(isl_ast_expr *expr, int64_t *out) {
  if (isl_ast_expr_get_type(expr) != isl_ast_expr_int) return false;
  isl_val *v = isl_ast_expr_get_val(expr);
  *out = 0;
  return isl_take_int_below(v, INT64_MAX, out);
}

pm_value *ast_value_of_id(const ast_env *env, isl_ast_expr *expr) {
  isl_id *id = isl_ast_expr_get_id(expr);
  pm_value *v = pm_map_get(env->values, id);
  isl_id_free(id);
  return v;
}

/* isl writes a condition that always or never holds as a number. */
static pm_value *as_condition(pm_builder *b, pm_value *v) {
  return pm_is_bool(v->type) ? v : arith_build_cast(b, v, pm_get_i1(context_of(b)));
}

static bool is_condition(enum isl_ast_expr_op_type type, int arg) {
  switch (type) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return true;
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select:
    return arg == 0;
  default:
    return false;
  }
}

typedef PM_VEC(pm_value *) values;

/* False when an argument failed; `args` is the caller's to free either way. */
static bool build_args(pm_builder *b, const ast_env *env, isl_ast_expr *expr, values *args) {
  int n = (int)isl_ast_expr_get_op_n_arg(expr);
  for (int i = 0; i < n; i++) {
    isl_ast_expr *arg = isl_ast_expr_get_op_arg(expr, i);
    pm_value *v = ast_build_value(b, env, arg);
    isl_ast_expr_free(arg);
    if (!v) return false;
    if (is_condition(isl_ast_expr_op_get_type(expr), i))
      v = as_condition(b, v);
    else if (!pm_is_bool(v->type))
      v = as_index(b, v);
    PM_VEC_PUSH(*args, v);
  }
  return true;
}

/* n-ary max and min of isl as a chain. */
static pm_value *chain(pm_builder *b, const pm_op_desc *desc, const values *args) {
  pm_value *v = args->data[0];
  for (size_t i = 1; i < args->len; i++) v = pm_build_binary(b, desc, v, args->data[i]);
  return v;
}

static const pm_op_desc *binary_desc(enum isl_ast_expr_op_type type) {
  switch (type) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    return &arith_andi;
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return &arith_ori;
  case isl_ast_expr_op_max:
    return &arith_maxi;
  case isl_ast_expr_op_min:
    return &arith_mini;
  case isl_ast_expr_op_add:
    return &arith_addi;
  case isl_ast_expr_op_sub:
    return &arith_subi;
  case isl_ast_expr_op_mul:
    return &arith_muli;
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_fdiv_q:
    return &arith_divi;
  case isl_ast_expr_op_pdiv_q:
    return &arith_trunc_div;
  case isl_ast_expr_op_pdiv_r:
    return &arith_trunc_rem;
  case isl_ast_expr_op_zdiv_r:
    return &arith_remi;
  default:
    return NULL;
  }
}

static bool predicate(enum isl_ast_expr_op_type type, arith_pred *out) {
  switch (type) {
  case isl_ast_expr_op_eq:
    *out = ARITH_EQ;
    return true;
  case isl_ast_expr_op_le:
    *out = ARITH_LE;
    return true;
  case isl_ast_expr_op_lt:
    *out = ARITH_LT;
    return true;
  case isl_ast_expr_op_ge:
    *out = ARITH_GE;
    return true;
  case isl_ast_expr_op_gt:
    *out = ARITH_GT;
    return true;
  default:
    return false;
  }
}

static pm_value *build_op(pm_builder *b, isl_ast_expr *expr, const values *args) {
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  arith_pred pred;
  if (predicate(type, &pred)) return arith_build_cmp(b, pred, args->data[0], args->data[1]);
  if (type == isl_ast_expr_op_minus)
    return pm_build_binary(b, &arith_subi, arith_build_index(b, 0), args->data[0]);
  if (type == isl_ast_expr_op_cond || type == isl_ast_expr_op_select)
    return arith_build_select(b, args->data[0], args->data[1], args->data[2]);
  const pm_op_desc *desc = binary_desc(type);
  return desc ? chain(b, desc, args) : unsupported(b, expr);
}

pm_value *ast_build_value(pm_builder *b, const ast_env *env, isl_ast_expr *expr) {
  int64_t constant;
  if (ast_find_number(expr, &constant)) return arith_build_index(b, constant);
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_int) return too_large(b, expr);
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    pm_value *v = ast_value_of_id(env, expr);
    return v ? as_index(b, v) : unsupported(b, expr);
  }
  if (isl_ast_expr_get_type(expr) != isl_ast_expr_op) return unsupported(b, expr);
  values args = {0};
  pm_value *result = build_args(b, env, expr, &args) ? build_op(b, expr, &args) : NULL;
  PM_VEC_FREE(args);
  return result;
}
