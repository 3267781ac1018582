/* What cases should be: inside the domain of their func, and without points in common. */
#include "dialects/stage/verify_parts.h"

#include "dialects/isl/linear.h"

/* Reports the first point of `outside`, the part of a case outside its func's domain; takes it. */
static bool error_outside(const pm_op *op, isl_set *outside) {
  pm_buf where = {0};
  const pm_op *func = pm_parent(op);
  verify_put_sample(&where, outside);
  pm_op_error(op, "has a point outside the domain of @%pS%s", (const void *)pm_sym_at(func, stage_func_sym),
              where.data);
  pm_note(pm_op_context(op), func->loc, "the domain is %pA",
          (const void *)pm_attr_at(func, stage_func_domain));
  pm_buf_free(&where);
  return false;
}

static bool verify_inside(stage_verifier *v, const pm_op *op, pm_attr set, pm_attr domain) {
  isl_fact fact = verify_fact_of(v, "inside", set, domain);
  if (set == domain || verify_is_known(v, fact)) return true;
  isl_set *points = verify_in_context(v, isl_peek_set(set));
  isl_set *within = isl_set_reset_tuple_id(isl_set_copy(isl_peek_set(domain)));
  bool inside = linear_decide_subset(points, within);
  isl_set *outside =
      inside ? NULL : verify_possible(v, isl_set_subtract(isl_set_copy(points), isl_set_copy(within)));
  isl_set_free(points);
  isl_set_free(within);
  if (outside && isl_set_is_empty(outside) != isl_bool_true) return error_outside(op, outside);
  isl_set_free(outside);
  verify_note(v, fact);
  return true;
}

/* Reports a point of `both`, which two cases have in common; takes it. */
static bool error_overlap(const pm_op *op, const pm_op *other, isl_set *both) {
  pm_buf where = {0};
  verify_put_sample(&where, both);
  pm_error(pm_op_context(op), op->loc, "the case overlaps another case of %pS%s",
           (const void *)pm_sym_at(pm_parent(op), stage_func_sym), where.data);
  pm_note(pm_op_context(op), other->loc, "the other case is here");
  pm_buf_free(&where);
  return false;
}

static bool verify_disjoint(const stage_verifier *v, const pm_op *op, const pm_op *other) {
  pm_attr set = pm_attr_at(op, stage_case_set), before = pm_attr_at(other, stage_case_set);
  isl_fact fact = verify_fact_of(v, "disjoint", set, before);
  if (verify_is_known(v, fact)) return true;
  isl_set *both =
      isl_set_intersect(verify_in_context(v, isl_peek_set(set)), verify_in_context(v, isl_peek_set(before)));
  both = verify_possible(v, both);
  if (isl_set_is_empty(both) != isl_bool_true) return error_overlap(op, other, both);
  isl_set_free(both);
  verify_note(v, fact);
  return true;
}

/* The set of a case is fit for isl operations with `domain`. */
static bool verify_case_set(stage_verifier *v, const pm_op *op, pm_attr domain) {
  pm_attr set = pm_attr_at(op, stage_case_set);
  if (!verify_params_of_set(v, op, set)) return false;
  isl_size n = isl_set_dim(isl_peek_set(set), isl_dim_set),
           wanted = isl_set_dim(isl_peek_set(domain), isl_dim_set);
  if (n == wanted) return verify_inside(v, op, set, domain);
  return pm_op_error(op, "has a set of %d dimensions; the domain of @%pS has %d", (int)n,
                     (const void *)pm_sym_at(pm_parent(op), stage_func_sym), (int)wanted);
}

/* A case, and a box around its points. */
typedef struct boxed_case {
  const pm_op *op;
  linear_box box;
} boxed_case;
typedef PM_VEC(boxed_case) boxed_cases;

static boxed_case box_of_case(const stage_verifier *v, const pm_op *op) {
  isl_set *points = verify_in_context(v, isl_peek_set(pm_attr_at(op, stage_case_set)));
  boxed_case boxed = {op, linear_box_of(points)};
  isl_set_free(points);
  return boxed;
}

/* The op is no guarded case, and has no point of those before it. */
static bool verify_disjoint_of(const stage_verifier *v, const pm_op *op, boxed_cases *before) {
  boxed_case boxed = box_of_case(v, op);
  bool good = true;
  for (size_t i = 0; i < before->len && good; i++)
    good = linear_are_apart(&boxed.box, &before->data[i].box) || verify_disjoint(v, op, before->data[i].op);
  PM_VEC_PUSH(*before, boxed);
  return good;
}

/* All unguarded cases of a func: what is found out about them together. */
static pm_attr unguarded_sets(const pm_op *func) {
  PM_VEC(pm_attr) sets = {0};
  PM_FOR_OPS(op, pm_region_at(func, stage_func_cases))
  if (pm_is(op, &stage_case) && !stage_has_guard(op)) PM_VEC_PUSH(sets, pm_attr_at(op, stage_case_set));
  pm_attr all = pm_get_array(pm_op_context(func), sets.data, (uint32_t)sets.len);
  PM_VEC_FREE(sets);
  return all;
}

bool verify_cases(stage_verifier *v, const pm_op *func) {
  pm_attr domain = pm_attr_at(func, stage_func_domain);
  if (!verify_bounded(v, func, domain, "domain")) return false;
  isl_fact disjoint = verify_fact_of(v, "disjoint", unguarded_sets(func), NULL);
  bool ok = true, known = verify_is_known(v, disjoint);
  boxed_cases before = {0};
  PM_FOR_OPS(op, pm_region_at(func, stage_func_cases)) {
    if (!pm_is(op, &stage_case)) continue;
    bool good = verify_case_set(v, op, domain);
    if (good && !known && !stage_has_guard(op)) good = verify_disjoint_of(v, op, &before);
    ok = ok && good;
  }
  for (size_t i = 0; i < before.len; i++) linear_box_free(before.data[i].box);
  PM_VEC_FREE(before);
  if (ok) verify_note(v, disjoint);
  return ok;
}
