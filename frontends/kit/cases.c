/* Conditions of cases: their affine part as a set, the rest as guards; and cases that overlap. */
#include "frontends/kit/kit.h"

#include "ir/diag.h"

#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#include <stdlib.h>

/* The conjuncts of a condition from left to right. */
static void split(const kit_exprs *x, const void *condition, kit_guards *conjuncts) {
  kit_guards stack = {0};
  PM_VEC_PUSH(stack, condition);
  while (stack.len > 0) {
    const void *expr = PM_VEC_POP(stack);
    kit_node e = x->show(x->user, expr);
    if (e.kind == KIT_AND) {
      PM_VEC_PUSH(stack, e.args[1]);
      PM_VEC_PUSH(stack, e.args[0]);
    } else {
      PM_VEC_PUSH(*conjuncts, expr);
    }
  }
  PM_VEC_FREE(stack);
}

/* isl's shortest form of the set; sets of equal text are made once. */
static pm_attr simplified(kit *k, pm_loc loc, const pm_buf *text) {
  pm_string key = pm_get_string(k->ctx, (pm_str){text->data, text->len});
  const void *known = pm_map_get(k->case_sets, key);
  if (known) return known;
  isl_set *set = isl_set_read_from_str(pm_isl_ctx(k->ctx), text->data);
  set = isl_set_coalesce(isl_set_remove_redundancies(set));
  if (!set) {
    pm_error(k->ctx, loc, "the condition of the case is not accepted: %s", pm_isl_error(k->ctx));
    return NULL;
  }
  pm_attr attr = isl_attr_of_set(k->ctx, set);
  pm_map_set(k->case_sets, key, (void *)attr);
  return attr;
}

/* Appends " and " with the conjunct, or makes it a guard; whether it was affine. */
static bool add_conjunct(const kit_exprs *x, const void *condition, pm_buf *text, kit_guards *guards) {
  pm_buf conjunct = {0};
  kit_refusal no;
  bool affine = kit_put_condition(x, condition, &conjunct, &no);
  if (affine)
    pm_buf_printf(text, " and %s", conjunct.data);
  else
    PM_VEC_PUSH(*guards, condition);
  pm_buf_free(&conjunct);
  return affine;
}

pm_attr kit_case_set(kit *k, const kit_exprs *x, pm_attr domain, pm_loc loc, const void *condition,
                     kit_guards *guards) {
  if (!condition) return domain;
  kit_guards conjuncts = {0};
  split(x, condition, &conjuncts);
  pm_buf text = {0};
  pm_buf_put(&text, domain->s->text, domain->s->len);
  text.data[text.len -= 2] = '\0';
  bool affine = false;
  for (size_t i = 0; i < conjuncts.len; i++) affine |= add_conjunct(x, conjuncts.data[i], &text, guards);
  pm_buf_puts(&text, " }");
  pm_attr attr = affine ? simplified(k, loc, &text) : domain;
  pm_buf_free(&text);
  PM_VEC_FREE(conjuncts);
  return attr;
}

/* --- overlaps --- */

static void put_coordinates(pm_buf *out, isl_set *set, isl_point *point, enum isl_dim_type type) {
  isl_size n = isl_set_dim(set, type);
  for (int i = 0; i < n; i++) {
    isl_val *v = isl_point_get_coordinate_val(point, type, i);
    const char *name = isl_set_get_dim_name(set, type, (unsigned)i);
    pm_buf_printf(out, "%s%s = %ld", i > 0 ? ", " : "", name ? name : "?", isl_val_get_num_si(v));
    isl_val_free(v);
  }
}

static bool report_overlap(const kit *k, pm_string stage, const kit_case *a, const kit_case *b,
                           isl_set *both) {
  isl_point *point = isl_set_sample_point(isl_set_copy(both));
  pm_buf where = {0};
  put_coordinates(&where, both, point, isl_dim_set);
  if (isl_set_dim(both, isl_dim_param) > 0) {
    pm_buf_puts(&where, " for ");
    put_coordinates(&where, both, point, isl_dim_param);
  }
  isl_point_free(point);
  pm_error(k->ctx, b->loc, "the case overlaps an earlier one of %pS at %s, cases should exclude each other",
           (const void *)stage, where.data);
  pm_note(k->ctx, a->loc, "the earlier case is here");
  pm_buf_free(&where);
  return false;
}

/* The points of both within the context. */
static isl_set *in_both(const kit *k, const kit_case *a, const kit_case *b) {
  isl_set *both = isl_set_intersect(isl_set_copy(isl_peek_set(a->set)), isl_set_copy(isl_peek_set(b->set)));
  if (!k->context) return both;
  return isl_set_intersect_params(both, isl_set_params(isl_set_copy(isl_peek_set(k->context))));
}

bool kit_is_disjoint(const kit *k, const kit_case *a, const kit_case *b) {
  if (!a->set || !b->set) return true;
  isl_set *both = in_both(k, a, b);
  bool disjoint = isl_set_is_empty(both) != isl_bool_false;
  isl_set_free(both);
  return disjoint;
}

bool kit_check_disjoint(kit *k, pm_string stage, const kit_case *a, const kit_case *b) {
  isl_set *both = in_both(k, a, b);
  bool ok =
      kit_narrow(k, b->loc, "the case overlaps an earlier one", both) || report_overlap(k, stage, a, b, both);
  isl_set_free(both);
  return ok;
}
