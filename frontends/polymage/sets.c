/* Domains and conditions as isl sets. */
#include "frontends/polymage/lower.h"

#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#include "dialects/isl/isl_dialect.h"

/* An expression is looked through only so far, because shared parts are written out again each time. */
enum { AFFINE_MAX_NODES = 2000, AFFINE_MAX_DEPTH = 300 };

typedef struct affine_text {
  const lowering *l;
  const dsl_domain *domain; /* whose variables may occur, or NULL */
  pm_buf *out;
  unsigned nodes;
  const dsl_expr *culprit; /* what is not affine */
  const char *why;
} affine_text;

static bool put_expr(affine_text *t, const dsl_expr *e, unsigned depth);

static bool refuse(affine_text *t, const dsl_expr *e, const char *why) {
  t->culprit = e;
  t->why = why;
  return false;
}

static bool put_symbol(affine_text *t, const dsl_expr *e) {
  const dsl_symbol *s = e->symbol;
  if (s->kind == DSL_PARAMETER) {
    if (s->type == PM_F32 || s->type == PM_F64) return refuse(t, e, "a parameter that is not an integer");
    pm_buf_puts(t->out, s->name->text);
    return true;
  }
  for (unsigned d = 0; t->domain && d < t->domain->n_dims; d++) {
    if (t->domain->variables[d] != s) continue;
    pm_buf_puts(t->out, t->l->dims[d]->text);
    return true;
  }
  return refuse(t, e, t->domain ? "a variable of another stage" : "a variable");
}

/* The integer that the expression is, without parameters or variables. */
static bool constant(const dsl_expr *e, int64_t *value) {
  bool negative = e->op == DSL_NEG;
  if (negative) e = e->args[0];
  if (e->op != DSL_INT || e->i == INT64_MIN) return false;
  *value = negative ? -e->i : e->i;
  return true;
}

static bool is_compound(const dsl_expr *e) {
  return e->op == DSL_ADD || e->op == DSL_SUB || e->op == DSL_NEG || (e->op == DSL_INT && e->i < 0);
}

static bool put_operand(affine_text *t, const dsl_expr *e, unsigned depth, bool parens) {
  if (parens) pm_buf_putc(t->out, '(');
  if (!put_expr(t, e, depth + 1)) return false;
  if (parens) pm_buf_putc(t->out, ')');
  return true;
}

static bool put_sum(affine_text *t, const dsl_expr *e, unsigned depth) {
  if (!put_operand(t, e->args[0], depth, false)) return false;
  pm_buf_puts(t->out, e->op == DSL_ADD ? " + " : " - ");
  return put_operand(t, e->args[1], depth, is_compound(e->args[1]));
}

static bool put_product(affine_text *t, const dsl_expr *e, unsigned depth) {
  int64_t factor;
  const dsl_expr *other = e->args[1];
  if (!constant(e->args[0], &factor)) {
    other = e->args[0];
    if (!constant(e->args[1], &factor)) return refuse(t, e, "a product of two expressions");
  }
  pm_buf_printf(t->out, factor < 0 ? "(%lld)*" : "%lld*", (long long)factor);
  return put_operand(t, other, depth, true);
}

static bool put_quotient(affine_text *t, const dsl_expr *e, unsigned depth) {
  int64_t divisor;
  if (!constant(e->args[1], &divisor) || divisor == 0)
    return refuse(t, e, "a division by something else than a constant");
  pm_buf_puts(t->out, divisor < 0 ? "floor(-(" : "floor((");
  if (!put_expr(t, e->args[0], depth + 1)) return false;
  pm_buf_printf(t->out, ")/%lld)", (long long)(divisor < 0 ? -divisor : divisor));
  return true;
}

static bool put_remainder(affine_text *t, const dsl_expr *e, unsigned depth) {
  int64_t divisor;
  if (!constant(e->args[1], &divisor) || divisor == 0)
    return refuse(t, e, "a remainder of a division by something else than a constant");
  pm_buf_puts(t->out, "((");
  if (!put_expr(t, e->args[0], depth + 1)) return false;
  pm_buf_printf(t->out, ") mod %lld)", (long long)(divisor < 0 ? -divisor : divisor));
  return true;
}

static bool put_expr(affine_text *t, const dsl_expr *e, unsigned depth) {
  if (++t->nodes > AFFINE_MAX_NODES || depth > AFFINE_MAX_DEPTH)
    return refuse(t, e, "too long an expression");
  switch (e->op) {
  case DSL_INT:
    pm_buf_printf(t->out, "%lld", (long long)e->i);
    return true;
  case DSL_SYMBOL:
    return put_symbol(t, e);
  case DSL_ADD:
  case DSL_SUB:
    return put_sum(t, e, depth);
  case DSL_NEG:
    pm_buf_putc(t->out, '-');
    return put_operand(t, e->args[0], depth, true);
  case DSL_MUL:
    return put_product(t, e, depth);
  case DSL_DIV:
  case DSL_FLOOR_DIV:
    return put_quotient(t, e, depth);
  case DSL_MOD:
    return put_remainder(t, e, depth);
  case DSL_REAL:
    return refuse(t, e, "a number that is not an integer");
  case DSL_READ:
    return refuse(t, e, "a value of a stage or image");
  default:
    return refuse(t, e, "a function of values");
  }
}

static bool put_condition(affine_text *t, const dsl_expr *e, unsigned depth) {
  static const char *const relations[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  if (e->op == DSL_AND || e->op == DSL_OR) {
    if (++t->nodes > AFFINE_MAX_NODES || depth > AFFINE_MAX_DEPTH)
      return refuse(t, e, "too long a condition");
    pm_buf_putc(t->out, '(');
    if (!put_condition(t, e->args[0], depth + 1)) return false;
    pm_buf_puts(t->out, e->op == DSL_AND ? " and " : " or ");
    if (!put_condition(t, e->args[1], depth + 1)) return false;
    pm_buf_putc(t->out, ')');
    return true;
  }
  if (!put_expr(t, e->args[0], depth + 1)) return false;
  pm_buf_puts(t->out, relations[e->op - DSL_EQ]);
  return put_expr(t, e->args[1], depth + 1);
}

/* --- domains --- */

static bool is_int_param(const dsl_symbol *s) {
  return s->kind == DSL_PARAMETER && s->type != PM_F32 && s->type != PM_F64;
}

void lower_param_tuple(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (is_int_param(s))
      pm_buf_printf(&l->param_tuple, "%s%s", l->param_tuple.len ? ", " : "[", s->name->text);
  }
  if (l->param_tuple.len > 0)
    pm_buf_puts(&l->param_tuple, "] -> ");
  else
    pm_buf_puts(&l->param_tuple, "");
}

static const char *param_tuple(const lowering *l) {
  return l->param_tuple.data ? l->param_tuple.data : "";
}

/* A bound in terms of parameters; false after a diagnostic. */
static bool put_bound(lowering *l, pm_buf *out, const dsl_expr *e, const char *what) {
  affine_text t = {.l = l, .out = out};
  if (put_expr(&t, e, 0)) return true;
  return pm_error(l->ctx, t.culprit->loc, "%s has %s, it should be affine in the parameters", what, t.why);
}

static pm_attr make_set(lowering *l, pm_loc loc, pm_buf *text, bool ok) {
  pm_attr attr = ok ? pm_get_custom(l->ctx, &isl_set_kind, loc, (pm_str){text->data, text->len}) : NULL;
  pm_buf_free(text);
  return attr;
}

static bool is_param_name(const lowering *l, pm_string name) {
  for (size_t i = 0; i < l->program->symbols.len; i++)
    if (l->program->symbols.data[i]->kind == DSL_PARAMETER && l->program->symbols.data[i]->name == name)
      return true;
  return false;
}

static void put_dim_tuple(lowering *l, pm_buf *text, unsigned n) {
  pm_buf_printf(text, "%s{ [", param_tuple(l));
  for (unsigned d = 0; d < n; d++) pm_buf_printf(text, "%s%s", d > 0 ? ", " : "", l->dims[d]->text);
  pm_buf_puts(text, "] : ");
}

/* 0 <= dim < extent for each dimension; false after a diagnostic. */
static bool put_extents(lowering *l, pm_buf *text, const dsl_symbol *image) {
  for (unsigned d = 0; d < image->n_dims; d++) {
    pm_buf_printf(text, "%s0 <= %s < ", d > 0 ? " and " : "", l->dims[d]->text);
    if (!put_bound(l, text, image->extents[d], "the extent of an image")) return false;
  }
  return true;
}

pm_attr lower_image_domain(lowering *l, const dsl_symbol *image) {
  static const char *const names[LOWER_MAX_DIMS] = {"i", "j", "k", "l", "m", "n", "o", "p"};
  pm_buf text = {0};
  for (unsigned d = 0; d < image->n_dims; d++) {
    l->dims[d] = pm_get_cstring(l->ctx, names[d]);
    if (is_param_name(l, l->dims[d])) {
      char padded[16] = "dim_";
      l->dims[d] = pm_get_cstring(l->ctx, strcat(padded, names[d]));
    }
  }
  put_dim_tuple(l, &text, image->n_dims);
  bool ok = put_extents(l, &text, image);
  pm_buf_puts(&text, " }");
  return make_set(l, image->loc, &text, ok);
}

static bool is_dim_name(const lowering *l, unsigned n_dims, pm_string name) {
  for (unsigned d = 0; d < n_dims; d++)
    if (l->dims[d] == name) return true;
  return false;
}

/* The variables' names; two variables of one name in a stage get different ones. */
static void name_dims(lowering *l, const dsl_domain *domain) {
  for (unsigned d = 0; d < domain->n_dims; d++) {
    pm_string base = domain->variables[d]->name;
    l->dims[d] = base;
    for (unsigned n = 1; is_dim_name(l, d, l->dims[d]) || (n > 1 && is_param_name(l, l->dims[d])); n++) {
      pm_buf text = {0};
      pm_buf_printf(&text, "%s_%u", base->text, n);
      l->dims[d] = pm_get_string(l->ctx, (pm_str){text.data, text.len});
      pm_buf_free(&text);
    }
  }
}

static bool put_interval(lowering *l, pm_buf *text, pm_string dim, const dsl_interval *interval) {
  if (!put_bound(l, text, interval->lower, "the lower bound of an interval")) return false;
  pm_buf_printf(text, " <= %s <= ", dim->text);
  if (!put_bound(l, text, interval->upper, "the upper bound of an interval")) return false;
  if (interval->step == 1) return true;
  pm_buf_printf(text, " and (%s - (", dim->text);
  if (!put_bound(l, text, interval->lower, "the lower bound of an interval")) return false;
  pm_buf_printf(text, ")) mod %lld = 0", (long long)interval->step);
  return true;
}

static bool put_intervals(lowering *l, pm_buf *text, const dsl_domain *domain) {
  for (unsigned d = 0; d < domain->n_dims; d++) {
    if (d > 0) pm_buf_puts(text, " and ");
    if (!put_interval(l, text, l->dims[d], domain->intervals[d])) return false;
  }
  return true;
}

pm_attr lower_domain(lowering *l, pm_loc loc, const dsl_domain *domain) {
  pm_buf text = {0};
  l->domain = domain;
  name_dims(l, domain);
  put_dim_tuple(l, &text, domain->n_dims);
  bool ok = put_intervals(l, &text, domain);
  pm_buf_puts(&text, " }");
  return make_set(l, loc, &text, ok);
}

pm_attr lower_shape(lowering *l, const dsl_symbol *shape) {
  pm_buf text = {0};
  put_dim_tuple(l, &text, shape->n_dims);
  bool ok = shape->kind == DSL_IMAGE ? put_extents(l, &text, shape) : put_intervals(l, &text, &shape->domain);
  pm_buf_puts(&text, " }");
  return make_set(l, shape->loc, &text, ok);
}

/* --- context --- */

/* `R + 2 >= 1` for one extent, unless it is in `seen` already or says nothing. */
static bool put_extent(lowering *l, pm_map *seen, pm_buf *text, const dsl_expr *extent) {
  pm_buf bound = {0};
  int64_t value;
  if (constant(extent, &value) && value >= 1) return true;
  if (constant(extent, &value))
    return pm_error(l->ctx, extent->loc, "the extent of an image is %lld, it should be at least 1",
                    (long long)value);
  if (!put_bound(l, &bound, extent, "the extent of an image")) {
    pm_buf_free(&bound);
    return false;
  }
  pm_string key = pm_get_string(l->ctx, (pm_str){bound.data, bound.len});
  if (!pm_map_has(seen, key)) pm_buf_printf(text, "%s %s >= 1", text->len > 0 ? " and" : "", bound.data);
  pm_map_set(seen, key, NULL);
  pm_buf_free(&bound);
  return true;
}

pm_attr lower_context(lowering *l) {
  pm_map *seen = pm_map_new();
  pm_buf conditions = {0};
  pm_loc loc = PM_NO_LOC;
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind != DSL_IMAGE) continue;
    loc = loc.line ? loc : s->loc;
    for (unsigned d = 0; d < s->n_dims; d++) l->failed |= !put_extent(l, seen, &conditions, s->extents[d]);
  }
  pm_map_free(seen);
  pm_buf text = {0};
  bool wanted = conditions.len > 0 && !l->failed;
  if (wanted) pm_buf_printf(&text, "%s{  :%s }", param_tuple(l), conditions.data);
  pm_buf_free(&conditions);
  return make_set(l, loc, &text, wanted);
}

/* --- cases --- */

/* The conjuncts of a condition from left to right. */
static void split(dsl_expr *condition, lower_guards *conjuncts) {
  lower_guards stack = {0};
  PM_VEC_PUSH(stack, condition);
  while (stack.len > 0) {
    dsl_expr *e = PM_VEC_POP(stack);
    if (e->op == DSL_AND) {
      PM_VEC_PUSH(stack, e->args[1]);
      PM_VEC_PUSH(stack, e->args[0]);
    } else {
      PM_VEC_PUSH(*conjuncts, e);
    }
  }
  PM_VEC_FREE(stack);
}

/* isl's shortest form of the set; sets of equal text are made once. */
static pm_attr simplified(lowering *l, pm_loc loc, const pm_buf *text) {
  pm_string key = pm_get_string(l->ctx, (pm_str){text->data, text->len});
  const void *known = pm_map_get(l->case_sets, key);
  if (known) return known;
  isl_set *set = isl_set_read_from_str(pm_isl_ctx(l->ctx), text->data);
  set = isl_set_coalesce(isl_set_remove_redundancies(set));
  if (!set) {
    pm_error(l->ctx, loc, "the condition of the case is not accepted: %s", pm_isl_error(l->ctx));
    return NULL;
  }
  pm_attr attr = isl_attr_of_set(l->ctx, set);
  pm_map_set(l->case_sets, key, (void *)attr);
  return attr;
}

pm_attr lower_case_set(lowering *l, pm_attr domain, const dsl_case *branch, lower_guards *guards) {
  if (!branch->condition) return domain;
  lower_guards conjuncts = {0};
  split(branch->condition, &conjuncts);
  pm_buf text = {0};
  pm_buf_put(&text, domain->s->text, domain->s->len);
  text.data[text.len -= 2] = '\0';
  bool affine = false;
  for (size_t i = 0; i < conjuncts.len; i++) {
    pm_buf conjunct = {0};
    affine_text t = {.l = l, .domain = l->domain, .out = &conjunct};
    if (put_condition(&t, conjuncts.data[i], 0))
      pm_buf_printf(&text, " and %s", conjunct.data), affine = true;
    else
      PM_VEC_PUSH(*guards, conjuncts.data[i]);
    pm_buf_free(&conjunct);
  }
  pm_buf_puts(&text, " }");
  pm_attr attr = affine ? simplified(l, branch->loc, &text) : domain;
  pm_buf_free(&text);
  PM_VEC_FREE(conjuncts);
  return attr;
}

static void put_coordinates(pm_buf *out, isl_set *set, isl_point *point, enum isl_dim_type type) {
  isl_size n = isl_set_dim(set, type);
  for (int i = 0; i < n; i++) {
    isl_val *v = isl_point_get_coordinate_val(point, type, i);
    const char *name = isl_set_get_dim_name(set, type, (unsigned)i);
    pm_buf_printf(out, "%s%s = %ld", i > 0 ? ", " : "", name ? name : "?", isl_val_get_num_si(v));
    isl_val_free(v);
  }
}

static bool report_overlap(lowering *l, const dsl_case *a, const dsl_case *b, isl_set *both) {
  isl_point *point = isl_set_sample_point(isl_set_copy(both));
  pm_buf where = {0};
  put_coordinates(&where, both, point, isl_dim_set);
  if (isl_set_dim(both, isl_dim_param) > 0) {
    pm_buf_puts(&where, " for ");
    put_coordinates(&where, both, point, isl_dim_param);
  }
  isl_point_free(point);
  pm_error(l->ctx, b->loc, "the case overlaps an earlier one of %pS at %s, cases should exclude each other",
           (const void *)l->stage->name, where.data);
  pm_note(l->ctx, a->loc, "the earlier case is here");
  pm_buf_free(&where);
  return false;
}

/* The points of both within the context. */
static isl_set *in_both(const lowering *l, pm_attr set_a, pm_attr set_b) {
  isl_set *both = isl_set_intersect(isl_set_copy(isl_peek_set(set_a)), isl_set_copy(isl_peek_set(set_b)));
  if (!l->context) return both;
  return isl_set_intersect_params(both, isl_set_params(isl_set_copy(isl_peek_set(l->context))));
}

bool lower_is_disjoint(lowering *l, pm_attr set_a, pm_attr set_b) {
  if (!set_a || !set_b) return true;
  isl_set *both = in_both(l, set_a, set_b);
  bool disjoint = isl_set_is_empty(both) != isl_bool_false;
  isl_set_free(both);
  return disjoint;
}

bool lower_check_disjoint(lowering *l, const dsl_case *a, pm_attr set_a, const dsl_case *b, pm_attr set_b) {
  isl_set *both = in_both(l, set_a, set_b);
  bool ok =
      lower_narrow(l, b->loc, "the case overlaps an earlier one", both) || report_overlap(l, a, b, both);
  isl_set_free(both);
  return ok;
}
