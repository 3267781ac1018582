/* Parameters, what holds of them, and domains as isl sets. */
#include "frontends/kit/kit.h"

#include "dialects/stage/analyses/facts.h"
#include "dialects/stage/analyses/values.h"
#include "ir/diag.h"

#include <isl/set.h>
#include <stdlib.h>
#include <string.h>

void kit_init(kit *k, pm_context *ctx) {
  *k = (kit){.ctx = ctx, .case_sets = pm_map_new(), .extents = pm_map_new()};
  k->with_points = pm_map_new();
  pm_buf_puts(&k->param_tuple, "");
}

void kit_free(kit *k) {
  PM_VEC_FREE(k->params);
  pm_buf_free(&k->param_tuple);
  pm_buf_free(&k->conditions);
  pm_map_free(k->case_sets);
  pm_map_free(k->extents);
  pm_map_free(k->with_points);
  stage_values_free(k->values);
  stage_facts_free(k->facts);
}

static const char arrow[] = "] -> ";

void kit_add_param(kit *k, pm_string name, pm_type type) {
  pm_buf *tuple = &k->param_tuple;
  PM_VEC_PUSH(k->params, name);
  if (!pm_is_int_or_index(type)) return;
  if (tuple->len) tuple->len -= strlen(arrow);
  pm_buf_printf(tuple, "%s%s%s", tuple->len ? ", " : "[", name->text, arrow);
}

static bool is_param(const kit *k, pm_string name) {
  for (size_t i = 0; i < k->params.len; i++)
    if (k->params.data[i] == name) return true;
  return false;
}

/* A bound in terms of parameters; false after a diagnostic. */
static bool put_bound(kit *k, pm_buf *out, const kit_exprs *x, const void *expr, const char *what) {
  kit_refusal no;
  if (kit_put_affine(x, expr, out, &no)) return true;
  return pm_error(k->ctx, no.loc, "%s has %s, it should be affine in integer parameters, as 2 * R + C - 1 is",
                  what, no.why);
}

static pm_attr make_set(kit *k, pm_loc loc, pm_buf *text, bool ok) {
  pm_attr attr = ok ? pm_get_custom(k->ctx, &isl_set_kind, loc, (pm_str){text->data, text->len}) : NULL;
  pm_buf_free(text);
  return attr;
}

/* --- the context --- */

bool kit_require_extent(kit *k, const kit_exprs *x, const void *extent, const char *what) {
  pm_buf bound = {0};
  int64_t value;
  bool known = kit_constant(x, extent, &value);
  if (known && value >= 1) return true;
  if (known)
    return pm_error(k->ctx, x->show(x->user, extent).loc, "%s is %lld, it should be at least 1", what,
                    (long long)value);
  bool ok = put_bound(k, &bound, x, extent, what);
  if (ok) {
    pm_string key = pm_get_string(k->ctx, (pm_str){bound.data, bound.len});
    if (!pm_map_has(k->extents, key))
      pm_buf_printf(&k->conditions, "%s %s >= 1", k->conditions.len > 0 ? " and" : "", bound.data);
    pm_map_set(k->extents, key, NULL);
  }
  pm_buf_free(&bound);
  return ok;
}

bool kit_require(kit *k, const kit_exprs *x, const void *condition, const char *what) {
  pm_buf text = {0};
  kit_refusal refusal;
  bool ok = kit_put_condition(x, condition, &text, &refusal);
  if (ok)
    pm_buf_printf(&k->conditions, "%s (%s)", k->conditions.len > 0 ? " and" : "", text.data);
  else
    pm_error(k->ctx, refusal.loc,
             "%s has %s, it should be affine in integer parameters, as R >= 2 * C - 1 is", what, refusal.why);
  pm_buf_free(&text);
  return ok;
}

bool kit_end_context(kit *k, pm_loc loc) {
  pm_buf text = {0};
  if (!k->conditions.len) return true;
  pm_buf_printf(&text, "%s{  :%s }", k->param_tuple.data, k->conditions.data);
  k->context = make_set(k, loc, &text, true);
  if (!k->context || isl_set_is_empty(isl_peek_set(k->context)) != isl_bool_true) return k->context != NULL;
  k->context = NULL;
  return pm_error(k->ctx, loc,
                  "what is required of the parameters holds for no values of them, some should be left");
}

/* --- dimensions --- */

static bool is_dim(const kit_dims *dims, pm_string name) {
  for (unsigned d = 0; d < dims->n; d++)
    if (dims->names[d] == name) return true;
  return false;
}

static pm_string numbered(pm_context *ctx, pm_string base, unsigned n) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%u", base->text, n);
  pm_string name = pm_get_string(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return name;
}

kit_dims kit_name_dims(const kit *k, const pm_string *wanted, unsigned n) {
  kit_dims dims = {0};
  for (; dims.n < n; dims.n++) {
    pm_string base = wanted[dims.n], name = base;
    for (unsigned i = 1; is_dim(&dims, name) || is_param(k, name); i++) name = numbered(k->ctx, base, i);
    dims.names[dims.n] = name;
  }
  return dims;
}

kit_dims kit_array_dims(const kit *k, unsigned n) {
  kit_dims dims = {.n = n};
  for (unsigned d = 0; d < n; d++) {
    const char padded[] = {'d', 'i', 'm', '_', (char)('i' + d), '\0'};
    dims.names[d] = pm_get_cstring(k->ctx, padded + 4);
    if (is_param(k, dims.names[d])) dims.names[d] = pm_get_cstring(k->ctx, padded);
  }
  return dims;
}

/* --- sets --- */

void kit_begin_set(const kit *k, pm_buf *text, const kit_dims *dims) {
  pm_buf_printf(text, "%s{ [", k->param_tuple.data);
  for (unsigned d = 0; d < dims->n; d++) pm_buf_printf(text, "%s%s", d > 0 ? ", " : "", dims->names[d]->text);
  pm_buf_puts(text, "] : ");
}

bool kit_put_extent(kit *k, pm_buf *text, pm_string dim, const kit_exprs *x, const void *extent) {
  pm_buf_printf(text, "0 <= %s < ", dim->text);
  return put_bound(k, text, x, extent, "the extent of an image");
}

bool kit_put_interval(kit *k, pm_buf *text, pm_string dim, const kit_exprs *x, const void *lower,
                      const void *upper, int64_t step) {
  if (!put_bound(k, text, x, lower, "the lower bound of an interval")) return false;
  pm_buf_printf(text, " <= %s <= ", dim->text);
  if (!put_bound(k, text, x, upper, "the upper bound of an interval")) return false;
  if (step == 1) return true;
  pm_buf_printf(text, " and (%s - (", dim->text);
  if (!put_bound(k, text, x, lower, "the lower bound of an interval")) return false;
  pm_buf_printf(text, ")) mod %lld = 0", (long long)step);
  return true;
}

pm_attr kit_end_set(kit *k, pm_loc loc, pm_buf *text, bool ok) {
  pm_buf_puts(text, " }");
  return make_set(k, loc, text, ok);
}
