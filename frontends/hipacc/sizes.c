/* Sizes of images and regions: numbers, or affine expressions of the macros and constants that are parameters
 * of the call. What a program demands of them becomes the pipeline's context. */
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/stage.h"
#include "frontends/hipacc/hipacc.h"
#include "frontends/kit/kit.h"

#include <string.h>

/* Floats of all sizes below are exact. */
enum { MOST_SIZE = 1 << 20 };

/* --- expressions --- */

bool hp_is_affine(pm_affine_expr e) {
  bool ok = e->kind != PM_AFFINE_MUL || e->rhs->kind == PM_AFFINE_CONST;
  return ok && (!e->lhs || (hp_is_affine(e->lhs) && hp_is_affine(e->rhs)));
}

hp_rect hp_all_of(const hp_image *image) {
  hp_size zero = pm_affine_const(image->width->ctx, 0);
  return (hp_rect){zero, zero, image->width, image->height};
}

hp_size hp_size_of(const hp_state *s, int64_t n) {
  return pm_affine_const(s->ctx, n);
}

bool hp_is_known(hp_size size, int64_t *n) {
  if (size->kind != PM_AFFINE_CONST) return false;
  *n = size->value;
  return true;
}

hp_size hp_plus(hp_size a, hp_size b) {
  return pm_affine_normalize(pm_affine_add(a, b));
}

hp_size hp_minus(hp_size a, hp_size b) {
  return hp_plus(a, pm_affine_mul(b, pm_affine_const(a->ctx, -1)));
}

hp_size hp_times(hp_size a, int64_t n) {
  return pm_affine_normalize(pm_affine_mul(a, pm_affine_const(a->ctx, n)));
}

/* Rounds down. */
hp_size hp_over(hp_size a, int64_t n) {
  return pm_affine_normalize(
      pm_affine_divide_out(pm_affine_binary(PM_AFFINE_FLOORDIV, a, pm_affine_const(a->ctx, n))));
}

bool hp_to_int(cx_interp *in, pm_loc loc, cv v, int64_t *out, const char *what) {
  if (!cx_to_int(in, loc, v, out, what)) return false;
  if (*out == (int32_t)*out) return true;
  cx_fail(in, loc, "%s is %lld, which an int does not hold", what, (long long)*out);
  return false;
}

bool hp_to_size(cx_interp *in, pm_loc loc, cv v, hp_size *out) {
  const px_number *number = v.kind == PX_NUMBER ? v.own : NULL;
  int64_t n;
  if (number && number->affine && !px_has_dims(number->affine) && hp_is_affine(number->affine))
    return *out = number->affine, true;
  if (number) {
    cx_fail(in, loc, "this is %s, a size should be an affine expression of the parameters",
            cv_describe(in, v));
    return false;
  }
  if (!cx_to_int(in, loc, v, &n, "a size")) return false;
  *out = hp_size_of(hp_state_of(in), n);
  if (n >= -HP_MOST_PIXELS && n <= HP_MOST_PIXELS) return true;
  cx_fail(in, loc, "the size is %lld, it should be smaller", (long long)n);
  return false;
}

static void put_size(const hp_state *s, pm_buf *out, hp_size e) {
  static const char *const words[] = {
      [PM_AFFINE_ADD] = " + ", [PM_AFFINE_MUL] = " * ", [PM_AFFINE_MOD] = " mod "};
  switch (e->kind) {
  case PM_AFFINE_CONST:
    pm_buf_printf(out, "%lld", (long long)e->value);
    return;
  case PM_AFFINE_SYM:
    pm_buf_puts(out, s->sizes.data[e->value].name->text);
    return;
  case PM_AFFINE_FLOORDIV:
    pm_buf_puts(out, "floor((");
    put_size(s, out, e->lhs);
    pm_buf_printf(out, ")/%lld)", (long long)e->rhs->value);
    return;
  default:
    pm_buf_puts(out, "(");
    put_size(s, out, e->lhs);
    pm_buf_puts(out, words[e->kind]);
    put_size(s, out, e->rhs);
    pm_buf_puts(out, ")");
  }
}

const char *hp_text(const hp_state *s, hp_size size) {
  pm_buf text = {0};
  put_size(s, &text, size);
  const char *out = pm_get_string(s->ctx, (pm_str){text.data, text.len})->text;
  pm_buf_free(&text);
  return out;
}

/* --- sets --- */

static isl_set *read_set(const hp_state *s, const char *text) {
  pm_buf whole = {0};
  for (uint32_t i = 0; i < s->sizes.len; i++)
    pm_buf_printf(&whole, "%s%s%s", i ? ", " : "[", s->sizes.data[i].name->text,
                  i + 1 == s->sizes.len ? "] -> " : "");
  pm_buf_puts(&whole, text);
  isl_set *set = isl_set_read_from_str(pm_isl_ctx(s->ctx), whole.data);
  pm_buf_free(&whole);
  return set;
}

pm_attr hp_set(const hp_state *s, const char *text) {
  return isl_attr_of_set(s->ctx, read_set(s, text));
}

void hp_put_interval(const hp_state *s, pm_buf *out, const char *dim, hp_size from, hp_size n) {
  pm_buf_printf(out, "%s <= %s < %s", hp_text(s, from), dim, hp_text(s, hp_plus(from, n)));
}

pm_attr hp_box(const hp_state *s, hp_rect box, const char *dims, const char *rest) {
  pm_buf text = {0};
  pm_buf_printf(&text, "{ [y, x%s] : ", dims);
  hp_put_interval(s, &text, "y", box.y, box.height);
  pm_buf_puts(&text, " and ");
  hp_put_interval(s, &text, "x", box.x, box.width);
  pm_buf_printf(&text, "%s }", rest);
  pm_attr set = hp_set(s, text.data);
  pm_buf_free(&text);
  return set;
}

/* --- the context --- */

/* Sizes of the context of which `e op limit` holds. */
static isl_set *where(const hp_state *s, hp_size e, const char *op, const char *limit) {
  pm_buf text = {0};
  pm_buf_printf(&text, "{ : %s %s %s }", hp_text(s, e), op, limit);
  isl_set *set = read_set(s, text.data);
  pm_buf_free(&text);
  return isl_set_intersect(set, isl_set_copy(s->context));
}

static bool never(const hp_state *s, hp_size e, const char *op, const char *limit) {
  isl_set *set = where(s, e, op, limit);
  bool is_empty = isl_set_is_empty(set) == isl_bool_true;
  isl_set_free(set);
  return is_empty;
}

bool hp_is_same(const hp_state *s, hp_size a, hp_size b) {
  hp_size difference = hp_minus(a, b);
  int64_t n;
  return hp_is_known(difference, &n) ? n == 0 : never(s, difference, "!=", "0");
}

bool hp_is_same_region(const hp_state *s, hp_rect a, hp_rect b) {
  return hp_is_same(s, a.x, b.x) && hp_is_same(s, a.y, b.y) && hp_is_same_size(s, a, b);
}

bool hp_is_same_size(const hp_state *s, hp_rect a, hp_rect b) {
  return hp_is_same(s, a.width, b.width) && hp_is_same(s, a.height, b.height);
}

static bool fits(cx_interp *in, pm_affine_expr e, pm_scalar type) {
  static const char *const limits[][2] = {[PM_I32] = {"-2147483648", "2147483647"},
                                          [PM_U32] = {"0", "4294967295"},
                                          [PM_I64] = {"-9223372036854775808", "9223372036854775807"},
                                          [PM_U64] = {"0", "18446744073709551615"}};
  const hp_state *s = hp_state_of(in);
  bool has_limits = type < PM_COUNT(limits) && limits[type][0];
  return has_limits && hp_is_affine(e) && never(s, e, "<", limits[type][0]) &&
         never(s, e, ">", limits[type][1]);
}

bool hp_require(hp_state *s, hp_size at_least_zero) {
  int64_t n;
  if (hp_is_known(at_least_zero, &n)) return n >= 0;
  isl_set *set = where(s, at_least_zero, ">=", "0");
  if (isl_set_is_empty(set) == isl_bool_true) {
    isl_set_free(set);
    return false;
  }
  isl_set_free(s->context);
  s->context = set;
  return true;
}

bool hp_require_exact(hp_state *s, hp_size size) {
  return hp_require(s, hp_minus(hp_size_of(s, MOST_SIZE - 1), size));
}

/* --- what the call decides --- */

void hp_begin_sizes(cx_interp *in, const cx_given *given, size_t n) {
  static const char *const dims[] = {"y", "x", "c", "i", "n"};
  hp_state *s = hp_state_of(in);
  kit_names names;
  kit_names_init(&names, s->ctx);
  for (size_t i = 0; i < PM_COUNT(dims); i++) kit_names_take(&names, pm_get_cstring(s->ctx, dims[i]));
  for (size_t i = 0; i < n; i++) {
    if (given[i].text) continue;
    hp_parameter p = {.given = pm_get_cstring(s->ctx, given[i].name),
                      .name = kit_names_find(&names, given[i].name)};
    kit_names_take(&names, p.name);
    CX_PUSH(in->arena, s->sizes, p);
    pm_value *value = stage_build_param(&s->b, p.name, pm_get_scalar(s->ctx, PM_I32));
    CX_PUSH(in->arena, s->values, value);
  }
  kit_names_free(&names);
  s->px.params = s->values.data;
  s->px.fits = fits;
  s->context = stage_types_of_params(s->pipeline, true);
  for (uint32_t i = 0; i < s->sizes.len; i++)
    (void)hp_require(s, pm_affine_addc(pm_affine_sym(s->ctx, i), -1));
}

bool hp_find_parameter(cx_interp *in, pm_string name, cv *out) {
  const hp_state *s = hp_state_of(in);
  for (uint32_t i = 0; i < s->sizes.len; i++)
    if (s->sizes.data[i].given == name) return *out = px_affine(in, pm_affine_sym(s->ctx, i)), true;
  return false;
}

void hp_end_sizes(hp_state *s, const cx_given *given, size_t n) {
  uint32_t at = 0;
  for (size_t i = 0; i < n && at < s->sizes.len; i++) {
    if (given[i].text) continue;
    pm_attr estimate = pm_get_int(pm_get_scalar(s->ctx, PM_I64), given[i].in_place_of);
    if (given[i].in_place_of > 0 && given[i].in_place_of <= INT32_MAX)
      pm_set_attr(pm_def(s->values.data[at]), stage_param_estimate, estimate);
    at++;
  }
  isl_set *all = read_set(s, "{ : }"); /* for the order of the parameters */
  s->context = isl_set_gist(s->context, stage_types_of_params(s->pipeline, true));
  s->context = isl_set_align_params(s->context, isl_set_get_space(all));
  isl_set_free(all);
  if (s->sizes.len)
    pm_set_attr(s->pipeline, stage_pipeline_context,
                isl_attr_of_set(s->ctx, isl_set_remove_redundancies(isl_set_copy(s->context))));
  s->context = isl_set_free(s->context);
}

bool hp_is_reached(cx_interp *in, pm_loc loc) {
  bool is = hp_state_of(in)->run || (in->path.kind == CV_INT && in->path.i);
  if (!is)
    cx_fail(in, loc, "the host does this under a condition that the call decides, it should do it always");
  return is;
}
