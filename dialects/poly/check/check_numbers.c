#include "dialects/poly/check/check_numbers.h"

#include "dialects/isl/magnitude.h"
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/values.h"

#include <isl/id.h>

typedef struct number_check {
  const stage_graph *graph;
  const stage_statements *statements;
  isl_set *types; /* of the params, within the context */
  pm_op *band;
  unsigned member;
  bool ok;
} number_check;

/* The points of a stage, or of one statement of it, as a set of that name; NULL when there is none. */
static isl_set *points_named(const number_check *c, pm_string name) {
  const stage_statement *statement = stage_find_statement(c->statements, name);
  const stage_node *node = statement ? NULL : stage_graph_find(c->graph, name);
  isl_set *points = statement ? statement->set : node ? node->domain : NULL;
  return points ? isl_set_set_tuple_name(isl_set_copy(points), name->text) : NULL;
}

static pm_string name_of(const number_check *c, isl_pw_aff *function) {
  if (isl_pw_aff_has_tuple_id(function, isl_dim_in) != isl_bool_true) return NULL;
  isl_id *id = isl_pw_aff_get_tuple_id(function, isl_dim_in);
  pm_string name = pm_get_cstring(c->graph->ctx, isl_id_get_name(id));
  isl_id_free(id);
  return name;
}

static isl_stat check_function(__isl_take isl_pw_aff *function, void *user) {
  number_check *c = user;
  pm_string name = isl_has_large_numbers(function) ? name_of(c, function) : NULL;
  isl_set *points = name ? points_named(c, name) : NULL;
  if (!points) {
    isl_pw_aff_free(function);
    return isl_stat_ok;
  }
  points = isl_set_intersect_params(points, isl_set_copy(c->types));
  if (isl_take_is_too_large(isl_pw_aff_intersect_domain(function, points)))
    c->ok =
        pm_op_error(c->band,
                    "counts in dimension %u with numbers of %d bits or more for @%pS, but they should have "
                    "less, for all parameter values; offsets and strides should be smaller",
                    c->member, ISL_NUMBER_BITS, (const void *)name);
  return isl_stat_ok;
}

static void check_band(number_check *c, pm_op *op) {
  isl_multi_union_pw_aff *schedule = isl_peek_mupa(pm_attr_at(op, poly_band_schedule));
  c->band = op;
  for (c->member = 0; c->member < (unsigned)isl_multi_union_pw_aff_size(schedule); c->member++) {
    isl_union_pw_aff *functions = isl_multi_union_pw_aff_get_union_pw_aff(schedule, (int)c->member);
    isl_union_pw_aff_foreach_pw_aff(functions, check_function, c);
    isl_union_pw_aff_free(functions);
  }
}

/* Boxes begin at functions whose numbers are small, so that loops of any form find them. */
static bool check_box(const pm_op *alloc) {
  enum { BITS = 31 };
  isl_map *at = isl_map_copy(isl_peek_map(pm_attr_at(alloc, poly_alloc_at)));
  isl_pw_multi_aff *corner = isl_pw_multi_aff_from_map(at);
  bool large = false;
  for (int d = 0; !large && d < (int)isl_pw_multi_aff_dim(corner, isl_dim_out); d++) {
    isl_pw_aff *function = isl_pw_multi_aff_get_pw_aff(corner, d);
    large = isl_has_numbers(function, BITS);
    isl_pw_aff_free(function);
  }
  isl_pw_multi_aff_free(corner);
  return !large || pm_op_error(alloc,
                               "of @%pS has a box that begins at a function with numbers of %d bits or more, "
                               "but they should have less",
                               (const void *)pm_sym_at(alloc, poly_alloc_stage), BITS);
}

static pm_walk check_op(void *user, pm_op *op) {
  number_check *c = user;
  if (pm_is(op, &poly_band)) check_band(c, op);
  if (pm_is(op, &poly_alloc) && poly_alloc_has_box(op)) c->ok = check_box(op) && c->ok;
  return PM_WALK_ON;
}

bool poly_check_numbers(const stage_graph *graph, const stage_statements *statements, pm_op *schedule) {
  isl_set *types = stage_types_of_params(graph->pipeline, false);
  number_check c = {graph, statements, isl_set_intersect(types, isl_set_copy(graph->context)), NULL, 0, true};
  pm_walk_pre(schedule, check_op, &c);
  isl_set_free(c.types);
  return c.ok;
}
