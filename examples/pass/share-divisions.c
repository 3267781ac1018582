/* share-divisions: several divisions by one number become one, and products.
 *
 *   %0 = arith.divf %a, %s : f32     |  %0 = arith.divf %one, %s : f32
 *   %1 = arith.divf %b, %s : f32     |  %1 = arith.mulf %a, %0 : f32
 *                                    |  %2 = arith.mulf %b, %0 : f32
 *
 * The results are rounded otherwise, so it changes functions of `fp fast` alone. */
#include <pm/tools/plugin.h>

#include <stdlib.h>
#include <string.h>

/* --- the analysis: for each divisor, the divisions by it --- */

typedef struct divisor {
  pm_value *value;
  PM_VEC(pm_op *) divisions;
} divisor;

typedef struct divisors {
  pm_map *found; /* value -> divisor */
  PM_VEC(divisor *) list;
} divisors;

static pm_walk find_division(void *user, pm_op *op) {
  divisors *all = user;
  if (!pm_is(op, &arith_divf)) return PM_WALK_ON;
  pm_value *value = pm_arg(op, arith_divf_rhs);
  divisor *d = pm_map_get(all->found, value);
  if (!d) {
    d = pm_xcalloc(1, sizeof *d);
    d->value = value;
    pm_map_set(all->found, value, d);
    PM_VEC_PUSH(all->list, d);
  }
  PM_VEC_PUSH(d->divisions, op);
  return PM_WALK_ON;
}

static void *compute_divisors(pm_op *root, const void *base) {
  (void)base;
  divisors *all = pm_xcalloc(1, sizeof *all);
  all->found = pm_map_new();
  pm_walk_pre(root, find_division, all);
  return all;
}

static void free_divisors(void *result) {
  divisors *all = result;
  for (size_t i = 0; i < all->list.len; i++) {
    PM_VEC_FREE(all->list.data[i]->divisions);
    free(all->list.data[i]);
  }
  PM_VEC_FREE(all->list);
  pm_map_free(all->found);
  free(all);
}

static const pm_analysis_desc divisors_analysis = {
    .name = "divisors", .compute = compute_divisors, .free = free_divisors};

/* --- the pass --- */

enum { AT_LEAST };
static const pm_opt_desc options[] = {
    [AT_LEAST] = {"at-least", PM_OPT_INT, "2", "2..1000", "changes divisors of at least that many divisions"},
    {0}};

/* Behind the definition of a value, so that it dominates all uses. */
static pm_builder builder_behind(pm_module *module, pm_value *value, pm_loc loc) {
  pm_region *region = pm_value_region(value);
  pm_op *def = pm_def(value);
  return (pm_builder){module, region, def ? def->next : region->first, loc};
}

static void share(const divisor *d) {
  pm_op *first = d->divisions.data[0];
  pm_builder b = builder_behind(pm_module_of(first), d->value, first->loc);
  pm_value *one = arith_build_float(&b, d->value->type, 1);
  pm_value *inverse = pm_build_binary(&b, &arith_divf, one, d->value);
  for (size_t i = 0; i < d->divisions.len; i++) {
    pm_op *division = d->divisions.data[i];
    pm_builder at = pm_builder_before(division);
    pm_value *product = pm_build_binary(&at, &arith_mulf, pm_arg(division, arith_divf_lhs), inverse);
    pm_replace_op(division, &product);
  }
}

static bool is_fast(const pm_op *func) {
  pm_string fp = pm_sym_at(func, loop_func_fp);
  return fp && strcmp(fp->text, "fast") == 0;
}

static pm_result run_share_divisions(pm_pass *p) {
  pm_op *func = pm_pass_root(p);
  const divisors *all = pm_pass_analysis(p, &divisors_analysis);
  if (!all) return PM_FAILED;
  int64_t shared = 0;
  for (size_t i = 0; i < all->list.len; i++) {
    const divisor *d = all->list.data[i];
    if ((int64_t)d->divisions.len < pm_opt_int(p, AT_LEAST)) continue;
    pm_remark_arg n = {"divisions", (double)d->divisions.len};
    pm_loc loc = d->divisions.data[0]->loc;
    if (is_fast(func)) {
      pm_pass_remark(p, loc, PM_REMARK_PASSED, &n, 1, "%d divisions become one", (int)n.value);
      share(d);
      shared++;
    } else {
      pm_pass_remark(p, loc, PM_REMARK_MISSED, &n, 1, "%d divisions stay: the function is not 'fp fast'",
                     (int)n.value);
    }
  }
  pm_pass_stat(p, "divisors shared", shared);
  return shared ? PM_CHANGED : PM_UNCHANGED;
}

static const pm_analysis_desc *const needs[] = {&divisors_analysis, NULL};
static const pm_pass_desc share_divisions = {.name = "share-divisions",
                                             .anchor = "loop.func",
                                             .doc = "several divisions by one number become one",
                                             .opts = options,
                                             .needs = needs,
                                             .run = run_share_divisions};

static const pm_named_pipeline sharing = {"sharing", "default,share-divisions",
                                          "default, then share-divisions"};

static void register_divisions(pm_context *ctx) {
  pm_register_pass(ctx, &share_divisions);
  pm_register_pipeline(ctx, &sharing);
}

PM_PLUGIN("divisions", register_divisions)
