#include "pm/extents.h"

#include "dialects/isl/conditions.h"

#include <stdlib.h>
#include <string.h>

__isl_give isl_pw_aff *pm_extent_function(isl_set *domain, unsigned dim) {
  isl_pw_aff *high = isl_set_dim_max(isl_set_copy(domain), (int)dim);
  isl_pw_aff *low = isl_set_dim_min(isl_set_copy(domain), (int)dim);
  isl_pw_aff *span = isl_pw_aff_sub(high, low);
  isl_space *space = isl_pw_aff_get_domain_space(span);
  isl_aff *one = isl_aff_val_on_domain_space(space, isl_val_one(isl_set_get_ctx(domain)));
  return isl_pw_aff_coalesce(isl_pw_aff_add(span, isl_pw_aff_from_aff(one)));
}

/* --- as text --- */

/* As a sum, or the text between "[(" and ")]" of isl's notation. */
static void put_aff(pm_buf *out, __isl_keep isl_aff *aff) {
  size_t len = out->len;
  if (isl_put_sum(out, aff)) return;
  out->len = len;
  char *text = isl_aff_to_str(aff);
  char *begin = text ? strstr(text, "[(") : NULL;
  char *end = begin ? strrchr(begin, ')') : NULL;
  if (end)
    pm_buf_put(out, begin + 2, (size_t)(end - begin - 2));
  else
    pm_buf_puts(out, "?");
  free(text);
}

typedef struct piece_text {
  pm_buf *out;
  unsigned n;
} piece_text;

static isl_stat put_piece(__isl_take isl_set *where, __isl_take isl_aff *aff, void *user) {
  piece_text *text = user;
  if (text->n++) pm_buf_puts(text->out, " or ");
  put_aff(text->out, aff);
  isl_set_free(where);
  isl_aff_free(aff);
  return isl_stat_ok;
}

static void put_function(pm_buf *out, __isl_keep isl_pw_aff *extent) {
  piece_text text = {out, 0};
  isl_pw_aff_foreach_piece(extent, put_piece, &text);
}

void pm_put_extent_text(pm_buf *out, isl_set *domain, unsigned dim) {
  isl_pw_aff *extent = pm_extent_function(domain, dim);
  put_function(out, extent);
  isl_pw_aff_free(extent);
}

/* --- as sums --- */

bool pm_take_int(__isl_take isl_val *val, int64_t *out) {
  bool ok = val && isl_val_is_int(val) == isl_bool_true && isl_val_cmp_si(val, INT64_MIN) >= 0 &&
            isl_val_cmp_si(val, INT64_MAX) <= 0;
  if (ok) *out = isl_val_get_num_si(val);
  isl_val_free(val);
  return ok;
}

static int64_t *factor_of(const stage_signature *sig, int64_t *sum, const char *name) {
  for (size_t i = 0; name && i < sig->params.len; i++)
    if (strcmp(sig->params.data[i].name->text, name) == 0) return &sum[i];
  return NULL;
}

/* Scalars that it does not have, such as derived ones, and quotients are no part of a sum. */
static bool read_sum(__isl_keep isl_aff *aff, const stage_signature *sig, int64_t *sum) {
  isl_size params = isl_aff_dim(aff, isl_dim_param), quotients = isl_aff_dim(aff, isl_dim_div);
  bool ok = pm_take_int(isl_aff_get_constant_val(aff), &sum[sig->params.len]);
  for (isl_size i = 0; ok && i < quotients; i++)
    ok = isl_aff_involves_dims(aff, isl_dim_div, (unsigned)i, 1) == isl_bool_false;
  for (isl_size i = 0; ok && i < params; i++) {
    int64_t factor = 0;
    ok = pm_take_int(isl_aff_get_coefficient_val(aff, isl_dim_param, (int)i), &factor);
    int64_t *at = factor ? factor_of(sig, sum, isl_aff_get_dim_name(aff, isl_dim_param, (unsigned)i)) : NULL;
    ok = ok && (!factor || at);
    if (at) *at = factor;
  }
  return ok;
}

typedef struct one_sum {
  const stage_signature *sig;
  int64_t *sum;
  bool ok;
} one_sum;

static isl_stat take_piece(__isl_take isl_set *where, __isl_take isl_aff *aff, void *user) {
  one_sum *s = user;
  s->ok = read_sum(aff, s->sig, s->sum);
  isl_set_free(where);
  isl_aff_free(aff);
  return isl_stat_ok;
}

static pm_extent extent_of(const stage_signature *sig, const stage_arg *array, unsigned dim) {
  isl_pw_aff *function =
      pm_extent_function(isl_peek_set(stage_domain_of(array->op)), stage_dim_of(array->order, dim));
  one_sum s = {sig, pm_xcalloc(sig->params.len + 1, sizeof *s.sum), false};
  pm_buf text = {0};
  if (isl_pw_aff_n_piece(function) == 1) isl_pw_aff_foreach_piece(function, take_piece, &s);
  put_function(&text, function);
  isl_pw_aff_free(function);
  if (!s.ok) free(s.sum);
  return (pm_extent){s.ok ? s.sum : NULL, pm_buf_take(&text)};
}

static void add_extents(const stage_signature *sig, const stage_arg *arrays, size_t n, pm_extents *out) {
  for (size_t i = 0; i < n; i++)
    for (unsigned d = 0; d < arrays[i].n_dims; d++) PM_VEC_PUSH(*out, extent_of(sig, &arrays[i], d));
}

pm_extents pm_extents_of(const stage_signature *sig) {
  pm_extents extents = {0};
  add_extents(sig, sig->inputs.data, sig->inputs.len, &extents);
  add_extents(sig, sig->outputs.data, sig->outputs.len, &extents);
  return extents;
}

pm_extents pm_extents_copy(const pm_extents *extents, size_t n_scalars) {
  pm_extents copy = {0};
  size_t bytes = (n_scalars + 1) * sizeof(int64_t);
  for (size_t i = 0; i < extents->len; i++) {
    const pm_extent *from = &extents->data[i];
    pm_extent to = {from->sum ? pm_xcalloc(1, bytes) : NULL, pm_xstrdup(from->text)};
    if (to.sum) memcpy(to.sum, from->sum, bytes);
    PM_VEC_PUSH(copy, to);
  }
  return copy;
}

void pm_extents_free(pm_extents *extents) {
  for (size_t i = 0; i < extents->len; i++) {
    free(extents->data[i].sum);
    free(extents->data[i].text);
  }
  PM_VEC_FREE(*extents);
}

bool pm_sum_at(const int64_t *sum, size_t n_scalars, const pm_argument *scalars, int64_t *value) {
  int64_t total = sum[n_scalars];
  for (size_t i = 0; i < n_scalars; i++) {
    int64_t product;
    if (!sum[i]) continue;
    if (__builtin_mul_overflow(sum[i], scalars[i].i, &product) ||
        __builtin_add_overflow(total, product, &total))
      return false;
  }
  *value = total;
  return true;
}
