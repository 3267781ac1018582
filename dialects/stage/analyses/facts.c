#include "dialects/stage/analyses/facts.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "ir/support.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/lp.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* With which a context is not cut, and with which isl's gist of all of it takes no long time: of parts, its
 * constraints come in another order. */
enum { FEW_PARAMS = 2, FEW_CONSTRAINTS = 6, FEW_PARAMS_OF_GIST = 8, FEW_CONSTRAINTS_OF_GIST = 12 };

typedef struct fact {
  isl_constraint *constraint;
  unsigned *params; /* that it has, `n` of them */
  unsigned n;
} fact;

typedef struct known_facts {
  bool *params;
  isl_set *facts;
} known_facts;

struct stage_facts {
  isl_set *context;
  unsigned n_params;
  PM_VEC(fact) all; /* none: the context is short */
  PM_VEC(known_facts) known;
  /* By param. Params that constraints have together, or with others in turn, are a part, which is named after
   * one of them: what the context says of a part does not depend on the others. */
  unsigned *part;
  bool *bounded; /* the least and the greatest are among the facts */
  bool has_short_gist;
  isl_basic_set **points; /* of a part, as dimensions; NULL: not asked for */
};

static isl_stat add_fact(isl_constraint *c, void *user) {
  stage_facts *f = user;
  fact one = {c, pm_xcalloc(f->n_params + 1, sizeof *one.params), 0};
  for (unsigned i = 0; i < f->n_params; i++) {
    isl_val *by = isl_constraint_get_coefficient_val(c, isl_dim_param, (int)i);
    if (isl_val_is_zero(by) != isl_bool_true) one.params[one.n++] = i;
    isl_val_free(by);
  }
  one.params = pm_xrealloc(one.params, (one.n + 1) * sizeof *one.params);
  PM_VEC_PUSH(f->all, one);
  return isl_stat_ok;
}

static unsigned part_of(const stage_facts *f, unsigned i) {
  while (f->part[i] != i) i = f->part[i] = f->part[f->part[i]];
  return i;
}

static void find_parts(stage_facts *f) {
  for (unsigned i = 0; i < f->n_params; i++) f->part[i] = i;
  for (size_t k = 0; k < f->all.len; k++)
    for (unsigned j = 1; j < f->all.data[k].n; j++)
      f->part[part_of(f, f->all.data[k].params[j])] = part_of(f, f->all.data[k].params[0]);
}

static isl_basic_set *points_of(stage_facts *f, unsigned part) {
  if (f->points[part]) return f->points[part];
  isl_basic_set *all = isl_basic_set_universe(isl_set_get_space(f->context));
  for (size_t k = 0; k < f->all.len; k++)
    if (f->all.data[k].n && part_of(f, f->all.data[k].params[0]) == part)
      all = isl_basic_set_add_constraint(all, isl_constraint_copy(f->all.data[k].constraint));
  isl_set *set = isl_set_from_params(isl_set_from_basic_set(all));
  set = isl_set_move_dims(set, isl_dim_set, 0, isl_dim_param, 0, f->n_params);
  return f->points[part] = isl_set_simple_hull(set);
}

/* A bound of param i on one side, by the rational points of its part. */
static void add_bound(stage_facts *f, unsigned i, bool above) {
  isl_basic_set *points = points_of(f, part_of(f, i));
  isl_aff *param =
      isl_aff_var_on_domain(isl_local_space_from_space(isl_basic_set_get_space(points)), isl_dim_set, i);
  isl_aff *upwards = above ? isl_aff_copy(param) : isl_aff_neg(isl_aff_copy(param));
  isl_val *most = isl_basic_set_max_lp_val(points, upwards);
  if (isl_val_is_rat(most) == isl_bool_true) {
    isl_space *space = isl_set_get_space(f->context);
    isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(space));
    c = isl_constraint_set_coefficient_si(c, isl_dim_param, (int)i, above ? -1 : 1);
    add_fact(isl_constraint_set_constant_val(c, isl_val_floor(isl_val_copy(most))), f);
  }
  isl_val_free(most);
  isl_aff_free(upwards);
  isl_aff_free(param);
}

stage_facts *stage_facts_new(isl_set *context) {
  stage_facts *f = pm_xcalloc(1, sizeof *f);
  f->context = isl_set_copy(context);
  f->n_params = (unsigned)isl_set_dim(context, isl_dim_param);
  f->has_short_gist = f->n_params <= FEW_PARAMS_OF_GIST || isl_set_n_basic_set(context) != 1;
  if (f->n_params <= FEW_PARAMS || isl_set_n_basic_set(context) != 1) return f;
  isl_basic_set *all = isl_set_simple_hull(isl_set_copy(context));
  f->has_short_gist = f->has_short_gist || isl_basic_set_n_constraint(all) <= FEW_CONSTRAINTS_OF_GIST ||
                      isl_basic_set_dim(all, isl_dim_div) > 0;
  if (isl_basic_set_n_constraint(all) > FEW_CONSTRAINTS && isl_basic_set_dim(all, isl_dim_div) == 0) {
    f->part = pm_xcalloc(f->n_params, sizeof *f->part);
    f->bounded = pm_xcalloc(f->n_params, sizeof *f->bounded);
    f->points = pm_xcalloc(f->n_params, sizeof(isl_basic_set *));
    isl_basic_set_foreach_constraint(all, add_fact, f);
    find_parts(f);
  }
  isl_basic_set_free(all);
  return f;
}

void stage_facts_free(stage_facts *f) {
  if (!f) return;
  for (size_t i = 0; i < f->all.len; i++) {
    isl_constraint_free(f->all.data[i].constraint);
    free(f->all.data[i].params);
  }
  for (size_t i = 0; i < f->known.len; i++) {
    isl_set_free(f->known.data[i].facts);
    free(f->known.data[i].params);
  }
  for (unsigned i = 0; f->points && i < f->n_params; i++) isl_basic_set_free(f->points[i]);
  PM_VEC_FREE(f->all);
  PM_VEC_FREE(f->known);
  free(f->part);
  free(f->bounded);
  free(f->points);
  isl_set_free(f->context);
  free(f);
}

isl_space *stage_facts_params(const stage_facts *f) {
  return isl_set_get_space(f->context);
}

static bool has_only(const fact *one, const bool *params) {
  for (unsigned k = 0; k < one->n; k++)
    if (!params[one->params[k]]) return false;
  return true;
}

/* The bounds of params that follow from constraints with others. */
static void add_bounds(stage_facts *f, const bool *params) {
  bool *others = pm_xcalloc(f->n_params, sizeof *others);
  for (unsigned i = 0; i < f->n_params; i++)
    if (!params[i]) others[part_of(f, i)] = true;
  for (unsigned i = 0; i < f->n_params; i++) {
    if (!params[i] || f->bounded[i] || !others[part_of(f, i)]) continue;
    f->bounded[i] = true;
    add_bound(f, i, false);
    add_bound(f, i, true);
  }
  free(others);
}

/* Takes the params; the result is borrowed. */
static isl_set *facts_about(stage_facts *f, bool *params) {
  for (size_t i = 0; i < f->known.len; i++)
    if (memcmp(f->known.data[i].params, params, f->n_params * sizeof *params) == 0) {
      free(params);
      return f->known.data[i].facts;
    }
  add_bounds(f, params);
  isl_basic_set *facts = isl_basic_set_universe(isl_set_get_space(f->context));
  for (size_t i = 0; i < f->all.len; i++)
    if (has_only(&f->all.data[i], params))
      facts = isl_basic_set_add_constraint(facts, isl_constraint_copy(f->all.data[i].constraint));
  known_facts known = {params, isl_with_used_params(isl_set_params(isl_set_from_basic_set(facts)))};
  PM_VEC_PUSH(f->known, known);
  return known.facts;
}

/* Marks the params of the context that the set has. */
static void mark_params(const stage_facts *f, isl_set *set, bool *params) {
  for (unsigned i = 0; i < (unsigned)isl_set_dim(set, isl_dim_param); i++) {
    if (isl_set_involves_dims(set, isl_dim_param, i, 1) != isl_bool_true) continue;
    int at = isl_set_find_dim_by_name(f->context, isl_dim_param, isl_set_get_dim_name(set, isl_dim_param, i));
    if (at >= 0) params[at] = true;
  }
}

static isl_set *facts_of(stage_facts *f, isl_set *set, isl_set *with) {
  if (f->all.len == 0) return f->context;
  bool *params = pm_xcalloc(f->n_params + 1, sizeof *params);
  mark_params(f, set, params);
  if (with) mark_params(f, with, params);
  return facts_about(f, params);
}

isl_set *stage_facts_of_params(stage_facts *f, isl_space *params) {
  if (f->all.len == 0) {
    isl_space_free(params);
    return isl_set_copy(f->context);
  }
  bool *has = pm_xcalloc(f->n_params + 1, sizeof *has);
  isl_space *left = isl_set_get_space(f->context);
  for (unsigned i = f->n_params; i-- > 0;) {
    const char *name = isl_set_get_dim_name(f->context, isl_dim_param, i);
    has[i] = isl_space_find_dim_by_name(params, isl_dim_param, name) >= 0;
    if (!has[i]) left = isl_space_drop_dims(left, isl_dim_param, i, 1);
  }
  isl_space_free(params);
  return isl_set_align_params(isl_set_copy(facts_about(f, has)), left);
}

isl_set *stage_facts_of(stage_facts *f, isl_set *set) {
  return facts_of(f, set, NULL);
}

isl_set *stage_facts_around(stage_facts *f, isl_set *set) {
  isl_set *facts = stage_facts_of(f, set);
  return linear_intersect_params(set, isl_set_copy(facts));
}

isl_set *stage_facts_beside(stage_facts *f, isl_set *set) {
  return f->all.len == 0 ? set : stage_facts_around(f, set);
}

isl_map *stage_facts_between(stage_facts *f, isl_map *map, isl_set *range) {
  if (f->all.len == 0) return map;
  isl_set *wrapped = isl_map_wrap(isl_map_copy(map)), *facts = facts_of(f, wrapped, range);
  isl_set_free(wrapped);
  return isl_set_unwrap(linear_intersect_params(isl_map_wrap(map), isl_set_copy(facts)));
}

isl_set *stage_facts_around_both(stage_facts *f, isl_set *set, isl_pw_aff *function) {
  if (f->all.len == 0) return set;
  isl_set *domain = isl_pw_aff_domain(isl_pw_aff_copy(function)), *facts = facts_of(f, set, domain);
  isl_set_free(domain);
  return linear_intersect_params(set, isl_set_copy(facts));
}

/* --- questions --- */

/* Within the facts about the params of both; `b` is borrowed, or NULL. */
static isl_map *with_facts(stage_facts *f, isl_map *a, isl_map *b) {
  if (f->all.len == 0) return a;
  isl_set *other = b ? isl_map_wrap(isl_map_copy(b)) : NULL;
  a = stage_facts_between(f, a, other);
  isl_set_free(other);
  return a;
}

isl_map *stage_subtract(stage_facts *f, isl_map *a, isl_map *b) {
  return linear_subtract(with_facts(f, a, b), b);
}

isl_map *stage_subtract_range(stage_facts *f, isl_map *a, isl_set *range) {
  return linear_subtract_range(stage_facts_between(f, a, range), range);
}

/* What the context says of the parts that the set, which is taken, has params of; borrowed. */
static isl_set *facts_of_parts(stage_facts *f, isl_set *set) {
  bool *params = pm_xcalloc(f->n_params + 1, sizeof *params), *parts = pm_xcalloc(f->n_params, sizeof *parts);
  mark_params(f, set, params);
  isl_set_free(set);
  for (unsigned i = 0; i < f->n_params; i++)
    if (params[i]) parts[part_of(f, i)] = true;
  for (unsigned i = 0; i < f->n_params; i++) params[i] = parts[part_of(f, i)];
  free(parts);
  return facts_about(f, params);
}

isl_set *stage_facts_all_of(stage_facts *f, isl_set *set) {
  if (f->all.len == 0) return isl_set_copy(f->context);
  return isl_with_used_params(isl_set_copy(facts_of_parts(f, isl_set_copy(set))));
}

isl_set *stage_facts_gist(stage_facts *f, stage_facts *known) {
  if (f->has_short_gist) return isl_set_gist(isl_set_copy(f->context), isl_set_copy(known->context));
  isl_set *left = isl_set_universe(isl_set_get_space(f->context));
  for (unsigned i = 0; i < f->n_params; i++) {
    if (f->part[i] != i) continue;
    bool *params = pm_xcalloc(f->n_params + 1, sizeof *params);
    for (unsigned k = 0; k < f->n_params; k++) params[k] = part_of(f, k) == i;
    isl_set *part = facts_about(f, params);
    left = isl_set_intersect(left, isl_set_gist(isl_set_copy(part), stage_facts_all_of(known, part)));
  }
  return left;
}

isl_map *stage_in_context(stage_facts *f, isl_map *map) {
  if (f->all.len == 0) return map;
  isl_set *facts = facts_of_parts(f, isl_map_wrap(isl_map_copy(map)));
  return isl_map_intersect_params(map, isl_set_copy(facts));
}

isl_map *stage_possible(stage_facts *f, isl_map *map) {
  map = stage_in_context(f, map);
  return f->all.len == 0 ? map : isl_map_with_used_params(map);
}

bool stage_is_subset(stage_facts *f, isl_map *a, isl_map *b) {
  if (f->all.len == 0) return isl_take_is_subset(a, b);
  if (isl_take_is_subset(with_facts(f, isl_map_copy(a), b), isl_map_copy(b))) {
    isl_map_free(a);
    isl_map_free(b);
    return true;
  }
  return isl_take_is_subset(stage_in_context(f, a), b);
}

bool stage_is_empty(stage_facts *f, isl_map *map) {
  if (f->all.len == 0 || linear_map_is_empty(map)) return linear_map_is_empty(map);
  isl_map *known = with_facts(f, isl_map_copy(map), NULL);
  bool empty = linear_map_is_empty(known);
  if (!empty) known = stage_in_context(f, known);
  empty = empty || linear_map_is_empty(known);
  isl_map_free(known);
  return empty;
}

bool stage_take_is_empty(stage_facts *f, isl_map *map) {
  if (f->all.len == 0) return isl_take_is_empty(map);
  bool empty = stage_is_empty(f, map);
  isl_map_free(map);
  return empty;
}
