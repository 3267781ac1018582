/* version-sizes: a pipeline gets versions of itself for other sizes than its estimates.
 *
 *   version-sizes{sizes="R=160,C=96"}
 *
 *   stage.pipeline @f context #isl.set<"[R, C] -> { : R >= 1 and C >= 1 }"> {
 *     %R = stage.param @R : i32 {estimate = 2560} … }
 *   =>  the same, and behind it
 *   stage.pipeline @f_0 version @f context #isl.set<"[R, C] -> { : 1 <= R <= 640 and 1 <= C <= 384 }"> {
 *     %R = stage.param @R : i32 {estimate = 160} … }
 *
 * The passes that follow choose groups and tiles for each, and dispatch-versions makes one function of them,
 * which runs the first version in whose context the parameters are, and else the pipeline as it was.
 *
 * Versions are ordered by the product of the parameters that `sizes` names: those below that of the estimates
 * from the least on, then those above from the largest on. The context of a version ends, in each parameter
 * that it names, at the geometric mean with the next one, which for the last is that of the estimates.
 * (Function multi-versioning; Halide's Func::specialize gives a condition of its own a schedule.) */
#include "dialects/isl/isl_dialect.h"
#include "dialects/machine/machine.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/stage.h"
#include "passes/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A parameter's size; the name is borrowed from the option. */
typedef struct size {
  pm_str name;
  int64_t value;
} size;

typedef struct sizes {
  PM_VEC(size) list;
  double product; /* of all parameters that some version names */
} sizes;

typedef struct versioning {
  pm_pass *pass;
  PM_VEC(sizes) versions; /* in the order of the option, then in that of the pipelines made */
  sizes own;              /* the estimates, of every parameter that a version names */
} versioning;

/* --- the option --- */

static bool wrong_text(const versioning *v, const char *text, const char *why) {
  pm_error(pm_pass_context(v->pass), pm_pass_root(v->pass)->loc, "version-sizes{sizes=\"%s\"}: %s", text,
           why);
  return false;
}

/* `R=160`, up to a comma, a semicolon or the end. */
static bool read_size(const char **at, size *out) {
  const char *equals = strpbrk(*at, "=,;");
  char *end;
  if (!equals || *equals != '=' || equals == *at) return false;
  errno = 0;
  out->name = (pm_str){*at, (size_t)(equals - *at)};
  out->value = strtoll(equals + 1, &end, 10);
  *at = end;
  return end != equals + 1 && !errno && out->value > 0 && (!*end || *end == ',' || *end == ';');
}

static bool is_named(const sizes *s, pm_str name) {
  for (size_t i = 0; i < s->list.len; i++)
    if (pm_str_eq(s->list.data[i].name, name)) return true;
  return false;
}

/* One version, and what separates it from the next. */
static const char *read_version(const char **at, sizes *out) {
  for (;;) {
    size s;
    if (!read_size(at, &s)) return "it should be as in R=160,C=96;R=640,C=384, with sizes from 1 on";
    if (is_named(out, s.name)) return "a parameter is named twice in a version";
    PM_VEC_PUSH(out->list, s);
    if (**at != ',') break;
    ++*at;
  }
  if (**at) ++*at;
  return NULL;
}

static bool read_versions(versioning *v, const char *text) {
  for (const char *at = text; *at;) {
    PM_VEC_PUSH(v->versions, (sizes){0});
    const char *why = read_version(&at, &PM_VEC_LAST(v->versions));
    if (why) return wrong_text(v, text, why);
  }
  return true;
}

/* --- what they are of a pipeline --- */

static pm_op *find_param(const pm_op *pipeline, pm_str name) {
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_param) && pm_str_eq(pm_str_of(pm_sym_at(op, stage_param_sym)->text), name)) return op;
  return NULL;
}

static bool add_estimate(versioning *v, const pm_op *pipeline, pm_str name) {
  const pm_op *param = find_param(pipeline, name);
  if (!param || !pm_is_int_or_index(pm_res(param, stage_param_value)->type))
    return pm_op_error(pipeline, "has no integer parameter %.*s, which version-sizes gives a size",
                       (int)name.len, name.ptr);
  int64_t estimate = pm_attr_at(param, stage_param_estimate) ? pm_int_at(param, stage_param_estimate)
                                                             : pm_usual_size(pm_pass_root(v->pass));
  if (!is_named(&v->own, name)) PM_VEC_PUSH(v->own.list, ((size){name, estimate > 1 ? estimate : 1}));
  return true;
}

static int64_t value_in(const versioning *v, const sizes *s, pm_str name) {
  for (size_t i = 0; i < s->list.len; i++)
    if (pm_str_eq(s->list.data[i].name, name)) return s->list.data[i].value;
  return value_in(v, &v->own, name);
}

static void find_product(const versioning *v, sizes *s) {
  s->product = 1;
  for (size_t i = 0; i < v->own.list.len; i++) s->product *= (double)value_in(v, s, v->own.list.data[i].name);
}

/* Below the estimates from the least on, then above from the largest on: the farthest come first. */
static bool comes_before(const versioning *v, const sizes *a, const sizes *b) {
  bool below = a->product < v->own.product;
  if (below != (b->product < v->own.product)) return below;
  return below ? a->product < b->product : a->product > b->product;
}

static void sort_versions(versioning *v) {
  for (size_t i = 1; i < v->versions.len; i++)
    for (size_t k = i; k > 0 && comes_before(v, &v->versions.data[k], &v->versions.data[k - 1]); k--) {
      sizes other = v->versions.data[k];
      v->versions.data[k] = v->versions.data[k - 1];
      v->versions.data[k - 1] = other;
    }
}

/* The one that takes what is beyond the context of number i. */
static const sizes *next_of(const versioning *v, size_t i) {
  bool below = v->versions.data[i].product < v->own.product, more = i + 1 < v->versions.len;
  return more && (v->versions.data[i + 1].product < v->own.product) == below ? &v->versions.data[i + 1]
                                                                             : &v->own;
}

/* What number i names are the estimates: there is nothing to do. */
static bool is_own(const versioning *v, size_t i) {
  const sizes *s = &v->versions.data[i];
  bool own = true;
  for (size_t k = 0; k < s->list.len && own; k++)
    own = s->list.data[k].value == value_in(v, &v->own, s->list.data[k].name);
  return own;
}

/* False after a diagnostic. */
static bool fit_versions(versioning *v, const pm_op *pipeline) {
  v->own.list.len = 0;
  for (size_t i = 0; i < v->versions.len; i++)
    for (size_t k = 0; k < v->versions.data[i].list.len; k++)
      if (!add_estimate(v, pipeline, v->versions.data[i].list.data[k].name)) return false;
  find_product(v, &v->own);
  for (size_t i = 0; i < v->versions.len; i++) find_product(v, &v->versions.data[i]);
  sort_versions(v);
  for (size_t i = 0; i < v->versions.len; i++)
    if (!is_own(v, i) && (v->versions.data[i].product == next_of(v, i)->product ||
                          v->versions.data[i].product == v->own.product))
      return pm_op_error(pipeline,
                         "has versions that version-sizes cannot distinguish: the products of their "
                         "sizes, or of the estimates, are equal");
  return true;
}

/* --- the versions --- */

/* " and R <= 640": up to the next version that has another value, which may be the pipeline. */
static void put_limit(const versioning *v, size_t i, pm_str name, pm_buf *out) {
  int64_t mine = value_in(v, &v->versions.data[i], name), others = value_in(v, next_of(v, i), name);
  if (others == mine) others = value_in(v, &v->own, name);
  double mean = sqrt((double)mine * (double)others);
  if (mine == others) return;
  pm_buf_printf(out, "%s%.*s %s %.0f", out->len ? " and " : "", (int)name.len, name.ptr,
                mine < others ? "<=" : ">=", mine < others ? floor(mean) : ceil(mean));
}

/* Those of number i, beside what the pipeline requires. */
static __isl_give isl_set *limits_of(const versioning *v, size_t i) {
  pm_buf limits = {0}, text = {0};
  pm_buf_puts(&text, "[");
  const sizes *mine = &v->versions.data[i];
  for (size_t k = 0; k < mine->list.len; k++) {
    pm_str name = mine->list.data[k].name;
    put_limit(v, i, name, &limits);
    pm_buf_printf(&text, "%s%.*s", k ? ", " : "", (int)name.len, name.ptr);
  }
  pm_buf_printf(&text, "] -> { : %s }", limits.data);
  isl_set *set = isl_set_read_from_str(pm_isl_ctx(pm_pass_context(v->pass)), text.data);
  pm_buf_free(&limits);
  pm_buf_free(&text);
  return set;
}

static pm_string free_name(pm_op *pipeline) {
  pm_context *ctx = pm_op_context(pipeline);
  for (unsigned k = 0;; k++) {
    pm_buf text = {0};
    pm_buf_printf(&text, "%s_%u", pm_sym_at(pipeline, stage_pipeline_sym)->text, k);
    pm_string name = pm_get_string(ctx, (pm_str){text.data, text.len});
    pm_buf_free(&text);
    if (!pm_lookup_symbol(pipeline->region, name)) return name;
  }
}

static void set_estimates(const versioning *v, const sizes *s, pm_op *pipeline) {
  pm_type type = pm_get_scalar(pm_op_context(pipeline), PM_I64);
  for (size_t i = 0; i < v->own.list.len; i++) {
    pm_str name = v->own.list.data[i].name;
    pm_set_attr(find_param(pipeline, name), stage_param_estimate, pm_get_int(type, value_in(v, s, name)));
  }
}

/* Says what calls the version is for. False after a diagnostic. */
static bool check_limits(const versioning *v, size_t i, const pm_op *pipeline, isl_set *limits) {
  isl_set *context = isl_peek_set(pm_attr_at(pipeline, stage_pipeline_context));
  isl_set *calls = stage_types_of_params(pipeline, true);
  if (context) calls = isl_set_intersect(calls, isl_set_copy(context));
  bool none = isl_set_is_disjoint(calls, limits) != isl_bool_false,
       all = isl_set_is_subset(calls, limits) == isl_bool_true;
  isl_set_free(calls);
  char *text = isl_set_to_str(limits);
  pm_pass_remark(v->pass, pipeline->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"size", v->versions.data[i].product}}, 1, "a version is for %s", text);
  if (none)
    pm_op_error(pipeline, "has no calls with %s, which version-sizes would make a version for", text);
  else if (all)
    pm_warning(pm_op_context(pipeline), pipeline->loc,
               "all calls have the version for %s: what the pipeline requires allows no others", text);
  free(text);
  return !none;
}

/* Behind `last`. False after a diagnostic. */
static bool add_version(const versioning *v, size_t i, pm_op *pipeline, pm_op **last) {
  pm_context *ctx = pm_op_context(pipeline);
  isl_set *limits = limits_of(v, i), *context = isl_peek_set(pm_attr_at(pipeline, stage_pipeline_context));
  if (!check_limits(v, i, pipeline, limits)) {
    isl_set_free(limits);
    return false;
  }
  if (context)
    limits =
        isl_set_intersect(isl_set_copy(context), isl_set_align_params(limits, isl_set_get_space(context)));
  pm_op *version = pm_clone(pm_module_of(pipeline), pipeline, NULL);
  pm_set_attr(version, stage_pipeline_sym, pm_get_symbol(ctx, free_name(pipeline)));
  pm_set_attr(version, stage_pipeline_version, pm_attr_at(pipeline, stage_pipeline_sym));
  pm_set_attr(version, stage_pipeline_context, isl_attr_of_set(ctx, limits));
  set_estimates(v, &v->versions.data[i], version);
  pm_insert(pipeline->region, (*last)->next, version);
  *last = version;
  return true;
}

static bool add_versions(versioning *v, pm_op *pipeline) {
  pm_op *last = pipeline;
  if (!fit_versions(v, pipeline)) return false;
  for (size_t i = 0; i < v->versions.len; i++)
    if (!is_own(v, i) && !add_version(v, i, pipeline, &last)) return false;
  return true;
}

static void free_versioning(versioning *v) {
  for (size_t i = 0; i < v->versions.len; i++) PM_VEC_FREE(v->versions.data[i].list);
  PM_VEC_FREE(v->versions);
  PM_VEC_FREE(v->own.list);
}

pm_result pass_version_sizes(pm_pass *pass) {
  versioning v = {.pass = pass};
  bool ok = read_versions(&v, pm_opt_str(pass, version_sizes_opt_sizes)), changed = false;
  PM_FOR_OPS(op, pm_region_at(pm_pass_root(pass), 0)) {
    if (!ok || !v.versions.len || !pm_is(op, &stage_pipeline)) continue;
    if (pm_attr_at(op, stage_pipeline_version)) continue;
    ok = add_versions(&v, op);
    changed = true;
  }
  free_versioning(&v);
  return !ok ? PM_FAILED : changed ? PM_CHANGED : PM_UNCHANGED;
}
