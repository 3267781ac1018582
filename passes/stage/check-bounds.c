/* check-bounds: every read and every target of an update is a point of the stage's domain, and a recurrence
 * reads only what is computed before, for all parameter values of the context.
 *
 *   stage.func @by on { [x] : 0 <= x < R } { stage.case(%x) … { stage.read @bx[%x - 1] … } }
 *   // @bx on { [x] : 0 <= x < R }
 *   error: bx(-1) is read for x = 0, R = 1, but …
 *
 * The image of the body's set under the access is compared with the producer's domain; a computed index
 * counts as all that it may be (stage_value_relation). An index with a boundary mode is inside. Guards are
 * not looked at: a read must stay inside also where a guard before it does not hold, so that it may be
 * evaluated speculatively.
 *
 * Index arithmetic has 64 bits. So that it holds what it should,
 *   - params of 64 bits that sets mention, and of type u64 that the context does, are at most 2^SIZE_BITS in
 *     absolute value: the context gets that, where it does not say so, and with it the emitted function;
 *   - coordinates have at most STAGE_COORDINATE_BITS;
 *   - what bounds and conditions of sets add up has less than ISL_NUMBER_BITS;
 *   - what is divided in an index without a boundary mode and computed values has 64 bits.
 *
 * Of other params the type counts. A context where a proof needs it gets the ranges of the types. */
#include "dialects/isl/conditions.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/isl/magnitude.h"
#include "dialects/isl/witness.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/words.h"
#include "passes/stage/check-bounds/advice.h"
#include "dialects/stage/analyses/certainty.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_BITS = 40 };

/* A stage.read, or the stage.combine of an update. */
typedef struct checked_access {
  pm_op *op, *body;
  const stage_node *consumer, *producer;
  isl_map *relation; /* borrowed */
} checked_access;

/* An access that leaves the producer's domain. */
typedef struct leaving_access {
  checked_access access;
  isl_map *outside;          /* the part that does */
  const pm_value *unbounded; /* what leaves an index without bounds, or NULL */
} leaving_access;

typedef struct bounds_checker {
  pm_pass *pass;
  const stage_graph *graph;
  stage_values *values;
  isl_set *types; /* what the params may be, by types of less than 64 bits */
  stage_facts *type_facts;
  bool need_types; /* some proof */
  PM_VEC(leaving_access) leaving;
} bounds_checker;

/* The set without its name and parameters in front, as it was written. */
static const char *domain_text(const stage_node *node) {
  const char *text = stage_domain_of(node->op)->s->text, *brace = strchr(text, '{');
  return brace ? brace : text;
}

static void note_domain(const stage_node *node) {
  pm_note(pm_op_context(node->op), node->op->loc, "the domain of %s is %s", node->name->text,
          domain_text(node));
}

static bool is_combine(const checked_access *access) {
  return pm_is(access->op, &stage_combine);
}

/* ` for x = 0, y = 0, R = 1` of a witness whose coordinates are the parameters, the body's point and the
 * producer's. */
static void put_instance(pm_buf *out, const checked_access *access, isl_space *space, isl_point *point) {
  pm_region *body = pm_region_at(access->body, 0);
  unsigned n_params = (unsigned)isl_space_dim(space, isl_dim_param);
  pm_buf bindings = {0};
  for (unsigned i = 0; i < body->n_args; i++)
    isl_put_binding(&bindings, body->args[i]->name ? body->args[i]->name->text : NULL, point, n_params + i);
  isl_put_params(&bindings, space, point);
  if (bindings.len > 0) pm_buf_printf(out, " for %s", bindings.data);
  pm_buf_free(&bindings);
}

static bool has_affine_indices(const checked_access *access) {
  bool affine;
  isl_map_free(stage_read_relation(access->op, &affine));
  return affine;
}

/* The params, which are the first coordinates of the point, are of their types; not where isl found none. */
static bool has_types(const bounds_checker *c, isl_point *point) {
  isl_set *types = isl_set_copy(c->types);
  unsigned n = (unsigned)isl_set_dim(types, isl_dim_param);
  for (unsigned i = 0; i < n; i++)
    types =
        isl_set_fix_val(types, isl_dim_param, i, isl_point_get_coordinate_val(point, isl_dim_set, (int)i));
  bool typed = isl_set_is_empty(types) == isl_bool_false;
  isl_set_free(types);
  return typed;
}

/* A point of the relation (taken) with params of their types, of which it has one. */
static isl_point *typed_witness(const bounds_checker *c, isl_map *relation) {
  isl_point *point = isl_witness(isl_map_copy(relation));
  if (has_types(c, point)) {
    isl_map_free(relation);
    return point;
  }
  isl_point_free(point);
  return isl_witness(isl_map_intersect_params(relation, isl_set_copy(c->types)));
}

/* `f(3, 4) is read for x = 0, R = 1` of one point of the relation (taken); `by` may tell who reads it. */
static void put_witness(pm_buf *out, const bounds_checker *c, const checked_access *access, isl_map *relation,
                        const char *by) {
  relation = isl_map_align_params(relation, isl_set_get_space(c->types));
  isl_space *space = isl_map_get_space(relation);
  isl_point *point = typed_witness(c, relation);
  unsigned first = (unsigned)(isl_space_dim(space, isl_dim_param) + isl_space_dim(space, isl_dim_in));
  bool affine = has_affine_indices(access);
  pm_buf_puts(out, access->producer->name->text);
  isl_put_indices(out, point, first, access->producer->n_dims);
  pm_buf_printf(out, " %s %s%s%s", affine ? "is" : "may be", is_combine(access) ? "updated" : "read", by,
                affine ? "" : " at a computed index,");
  put_instance(out, access, space, point);
  isl_point_free(point);
  isl_space_free(space);
}

/* `f is read at an index with the product i * R`: no point of such bounds need be one that is read. */
static void put_uncertain(pm_buf *out, const checked_access *access, const stage_certainty *certainty) {
  pm_buf_printf(out, "%s is %s at ", access->producer->name->text, is_combine(access) ? "updated" : "read");
  if (certainty->product) {
    pm_buf_puts(out, "an index with the product ");
    stage_put_product(out, certainty->product);
  } else {
    pm_buf_puts(out, "a computed index");
  }
  pm_buf_puts(out, ", which is not known to stay inside");
}

static void report_outside(const bounds_checker *c, const checked_access *access, const isl_map *outside) {
  pm_buf where = {0};
  stage_certainty certainty = stage_find_certainty(access->op);
  if (certainty.exact)
    put_witness(&where, c, access, isl_map_copy((isl_map *)outside), "");
  else
    put_uncertain(&where, access, &certainty);
  const char *producer = access->producer->name->text;
  if (is_combine(access))
    pm_error(pm_op_context(access->op), access->op->loc,
             "%s, but an update should change %s only inside its domain", where.data, producer);
  else
    pm_error(pm_op_context(access->op), access->op->loc, "%s, but %s should read %s only inside its domain",
             where.data, access->consumer->name->text, producer);
  note_domain(access->producer);
  pm_buf_free(&where);
}

static bool uses_dim(pm_affine_expr expr, unsigned dim) {
  if (expr->kind >= PM_AFFINE_ADD) return uses_dim(expr->lhs, dim) || uses_dim(expr->rhs, dim);
  return expr->kind == PM_AFFINE_DIM && expr->value == (int64_t)dim;
}

/* Dimension `dim` of the map is part of an index without a boundary mode. */
static bool should_be_bounded(const checked_access *access, unsigned dim) {
  stage_boundary boundary = {0};
  pm_affine_map map = stage_index_map(access->op);
  if (!is_combine(access)) stage_boundary_of_read(access->op, access->producer->op, &boundary);
  for (unsigned d = 0; d < map->n_results; d++)
    if (boundary.modes[d] == STAGE_NONE && uses_dim(map->results[d], dim)) return true;
  return false;
}

/* The value that leaves an index without bounds, or NULL. */
static const pm_value *find_unbounded(stage_values *values, const checked_access *access) {
  const pm_value *found = NULL;
  unsigned first = stage_index_operand(access->op);
  for (unsigned i = first; i < access->op->n_operands && !found; i++) {
    if (!should_be_bounded(access, i - first)) continue;
    stage_value_bounds bounds = stage_value_relation(values, pm_arg(access->op, i), access->body);
    found = bounds.unbounded;
    isl_map_free(bounds.relation);
  }
  return found;
}

static unsigned bits_of(pm_type type) {
  return pm_is_index(type) ? 64 : pm_get_scalar_info((pm_scalar)type->scalar)->bits;
}

static void report_unbounded(const bounds_checker *c, const checked_access *access, const pm_value *value) {
  const pm_op *source = pm_def(value);
  pm_buf advice = {0};
  bounds_put_advice(&advice, access->op, access->relation, access->producer, c->types);
  pm_error(pm_op_context(source), access->op->loc,
           "%s is %s at a computed index without bounds, but it should stay inside the domain: %s",
           access->producer->name->text, is_combine(access) ? "updated" : "read", advice.data);
  pm_note(pm_op_context(source), source->loc, "this may be any integer of %u bits", bits_of(value->type));
  note_domain(access->producer);
  pm_buf_free(&advice);
}

/* The relation (taken), which should be empty, when it has a point by all of the context, with params of
 * their types; else an empty one. */
static isl_map *possible(bounds_checker *c, isl_map *wrong) {
  if (isl_map_is_empty(wrong) == isl_bool_true) return wrong;
  wrong = stage_in_context(c->graph->facts, wrong);
  if (isl_map_is_empty(wrong) == isl_bool_true) return wrong;
  isl_map *typed = isl_map_intersect_params(isl_map_copy(wrong), isl_set_copy(c->types));
  bool none = isl_map_is_empty(typed) == isl_bool_true;
  c->need_types = c->need_types || none;
  isl_map_free(none ? wrong : typed);
  return none ? typed : wrong;
}

static bool stays_inside(bounds_checker *c, const checked_access *access) {
  isl_map *outside = possible(c, stage_subtract_range(c->graph->facts, isl_map_copy(access->relation),
                                                      isl_set_copy(access->producer->domain)));
  bool inside = isl_map_is_empty(outside) == isl_bool_true;
  if (inside) {
    isl_map_free(outside);
    return true;
  }
  leaving_access leaving = {*access, outside, find_unbounded(c->values, access)};
  PM_VEC_PUSH(c->leaving, leaving);
  return false;
}

/* --- what leaves a domain, for each body and producer --- */

static bool is_alike(const checked_access *a, const checked_access *b) {
  return a->body == b->body && a->producer == b->producer && a->op->desc == b->op->desc;
}

static bool is_like(const leaving_access *leaving, const checked_access *like) {
  return !leaving->unbounded && is_alike(&leaving->access, like);
}

static checked_access access_of_read(const stage_access *access) {
  const stage_node *consumer = access->consumer;
  return (checked_access){.op = access->read,
                          .body = access->case_index >= 0 ? consumer->cases.data[access->case_index].op
                                                          : consumer->updates.data[access->update_index].op,
                          .consumer = consumer,
                          .producer = access->producer,
                          .relation = access->relation};
}

static size_t count_alike(const bounds_checker *c, const checked_access *like) {
  size_t n = 0;
  for (size_t i = 0; i < c->graph->accesses.len; i++) {
    checked_access access = access_of_read(c->graph->accesses.data[i]);
    n += is_alike(&access, like);
  }
  return n;
}

/* The points of the body where none of its accesses leaves the producer, without what holds of all of its
 * points. */
static isl_set *safe_points(const bounds_checker *c, const checked_access *like) {
  isl_set *all = isl_map_domain(isl_map_copy(like->relation)), *safe = isl_set_copy(all);
  for (size_t i = 0; i < c->leaving.len; i++)
    if (is_like(&c->leaving.data[i], like))
      safe = isl_set_subtract(safe, isl_map_domain(isl_map_copy(c->leaving.data[i].outside)));
  safe = isl_set_coalesce(safe);
  if (isl_set_is_empty(safe) != isl_bool_true) safe = isl_set_gist(safe, isl_set_copy(all));
  isl_set_free(all);
  return safe;
}

static bool has_names(const pm_region *body, pm_string *names) {
  for (unsigned d = 0; d < body->n_args; d++)
    if (!(names[d] = body->args[d]->name)) return false;
  return true;
}

static void separate(pm_buf *out) {
  if (out->len) pm_buf_puts(out, "; ");
}

/* `f stays inside where 4 <= y <= C - 5`, if that is one condition. */
static void put_safe_points(pm_buf *out, const bounds_checker *c, const checked_access *like) {
  pm_string names[PM_MAX_RANK];
  isl_set *safe = safe_points(c, like);
  bool one = isl_set_n_basic_set(safe) == 1 && isl_set_is_empty(safe) != isl_bool_true;
  if (one && has_names(pm_region_at(like->body, 0), names)) {
    separate(out);
    pm_buf_printf(out, "%s stays inside where ", like->consumer->name->text);
    isl_put_conditions(out, safe, names);
  }
  isl_set_free(safe);
}

/* How many there are, and what would help. */
static void note_alike(const bounds_checker *c, const checked_access *like, size_t n) {
  pm_buf text = {0};
  if (n > 1)
    pm_buf_printf(&text, "%zu of the %zu reads of %s here leave it", n, count_alike(c, like),
                  like->producer->name->text);
  if (stage_find_certainty(like->op).exact) put_safe_points(&text, c, like);
  if (stage_has_computed_index(like->op)) {
    separate(&text);
    bounds_put_advice(&text, like->op, like->relation, like->producer, c->types);
  }
  if (!is_combine(like)) {
    separate(&text);
    if (like->producer == like->consumer)
      pm_buf_puts(&text, "the other points should have a separate case; ");
    stage_words_of(pm_op_context(like->op))->put_boundary(&text, like->producer->name->text);
    pm_buf_puts(&text, " gives all points outside a value");
  }
  if (text.len) pm_note(pm_op_context(like->op), like->op->loc, "%s", text.data);
  pm_buf_free(&text);
}

static void report_alike(const bounds_checker *c, size_t first) {
  const leaving_access *leaving = &c->leaving.data[first];
  size_t n = 0;
  for (size_t i = first; i < c->leaving.len; i++) n += is_like(&c->leaving.data[i], &leaving->access);
  report_outside(c, &leaving->access, leaving->outside);
  note_alike(c, &leaving->access, n);
}

static void report_leaving(const bounds_checker *c) {
  for (size_t i = 0; i < c->leaving.len; i++) {
    const leaving_access *leaving = &c->leaving.data[i];
    size_t first = 0;
    while (first < i && !is_like(&c->leaving.data[first], &leaving->access)) first++;
    if (leaving->unbounded)
      report_unbounded(c, &leaving->access, leaving->unbounded);
    else if (first == i)
      report_alike(c, i);
  }
}

/* --- recurrences --- */

/* The points of the func that some case covers. */
static isl_set *covered_points(const stage_node *node) {
  isl_set_list *covered = isl_set_list_alloc(isl_set_get_ctx(node->domain), 0);
  for (size_t i = 0; i < node->cases.len; i++)
    covered = isl_set_list_add(covered, isl_set_copy(node->cases.data[i].set));
  return isl_take_union(covered, isl_set_get_space(node->domain));
}

/* A case that reads its own func reads a point that is computed before, or the default. */
static bool reads_earlier(bounds_checker *c, const checked_access *access) {
  isl_map *late = isl_map_lex_le(isl_set_get_space(access->producer->domain));
  late = isl_map_intersect(isl_map_copy(access->relation), late);
  late = possible(c, isl_map_intersect_range(late, covered_points(access->producer)));
  if (isl_map_is_empty(late) == isl_bool_true) {
    isl_map_free(late);
    return true;
  }
  pm_buf where = {0}, by = {0};
  pm_buf_printf(&by, " by %s itself", access->producer->name->text);
  put_witness(&where, c, access, late, by.data);
  pm_error(pm_op_context(access->op), access->op->loc,
           "%s, but points are computed in lexicographic order and a case should read only earlier ones, or "
           "ones that no case covers",
           where.data);
  pm_buf_free(&by);
  pm_buf_free(&where);
  return false;
}

/* --- index arithmetic --- */

/* A sum or product that is divided in an index without a boundary mode may leave 64 bits; `number` of it. */
static bool find_wrapped(const bounds_checker *c, const checked_access *access, unsigned *number) {
  stage_boundary boundary = {0};
  if (!is_combine(access)) stage_boundary_of_read(access->op, access->producer->op, &boundary);
  for (unsigned d = 0; d < access->producer->n_dims; d++)
    if (boundary.modes[d] == STAGE_NONE && stage_dividend_may_wrap(c->values, access->op, d)) {
      *number = d;
      return true;
    }
  return false;
}

/* False after a diagnostic. */
static bool divides_numbers(const bounds_checker *c, const checked_access *access) {
  unsigned number;
  if (stage_has_computed_index(access->op) || !find_wrapped(c, access, &number)) return true;
  return pm_error(pm_op_context(access->op), access->op->loc,
                  "the %s of %s divides in index %u a sum or product that may leave 64 bits, but it should "
                  "not, for all parameter values",
                  is_combine(access) ? "update" : "read", access->producer->name->text, number);
}

static bool check_access(bounds_checker *c, const checked_access *access) {
  return stays_inside(c, access) && divides_numbers(c, access);
}

static bool check_read(bounds_checker *c, const stage_access *access) {
  checked_access checked = access_of_read(access);
  bool recurs = access->case_index >= 0 && access->consumer == access->producer;
  return check_access(c, &checked) && (!recurs || reads_earlier(c, &checked));
}

static bool check_target(bounds_checker *c, const stage_node *node, const stage_update_info *update) {
  checked_access checked = {.op = pm_terminator(pm_region_at(update->op, stage_update_body)),
                            .body = update->op,
                            .consumer = node,
                            .producer = node,
                            .relation = update->target};
  return check_access(c, &checked);
}

/* Counts the targets; `*failed` goes up by those that leave their domains. */
static size_t check_targets(bounds_checker *c, size_t *failed) {
  size_t n = 0;
  for (size_t i = 0; i < c->graph->nodes.len; i++) {
    const stage_node *node = c->graph->nodes.data[i];
    for (size_t k = 0; k < node->updates.len; k++) *failed += !check_target(c, node, &node->updates.data[k]);
    n += node->updates.len;
  }
  return n;
}

/* --- sizes of 64 bits --- */

static bool mentions(pm_attr set, const char *param) {
  int at = isl_set_find_dim_by_name(isl_peek_set(set), isl_dim_param, param);
  return at >= 0 && isl_set_involves_dims(isl_peek_set(set), isl_dim_param, (unsigned)at, 1) == isl_bool_true;
}

/* The set of an array, stage.case or stage.update; else NULL. */
static pm_attr set_of(const pm_op *op) {
  if (stage_is_array(op)) return stage_domain_of(op);
  if (pm_is(op, &stage_case)) return pm_attr_at(op, stage_case_set);
  return pm_is(op, &stage_update) ? pm_attr_at(op, stage_update_set) : NULL;
}

/* A condition of the context on a param of type u64 would be computed of an index. */
static bool is_unsigned_in_context(const pm_op *pipeline, const pm_op *param) {
  pm_attr context = pm_attr_at(pipeline, stage_pipeline_context);
  return context && pm_res(param, 0)->type->scalar == PM_U64 &&
         mentions(context, pm_sym_at(param, stage_param_sym)->text);
}

static bool is_size(const pm_op *pipeline, const pm_op *param_op) {
  const char *param = pm_sym_at(param_op, stage_param_sym)->text;
  if (is_unsigned_in_context(pipeline, param_op)) return true;
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    if (set_of(op) && mentions(set_of(op), param)) return true;
    if (!pm_is(op, &stage_func)) continue;
    PM_FOR_OPS(body, pm_region_at(op, stage_func_cases))
    if (set_of(body) && mentions(set_of(body), param)) return true;
  }
  return false;
}

static isl_set *context_of(const pm_op *pipeline) {
  isl_set *given = isl_peek_set(pm_attr_at(pipeline, stage_pipeline_context));
  isl_ctx *isl = pm_isl_ctx(pm_op_context(pipeline));
  return given ? isl_set_copy(given) : isl_set_universe(isl_space_params_alloc(isl, 0));
}

static void set_context(pm_pass *p, isl_set *context) {
  pm_set_attr(pm_pass_root(p), stage_pipeline_context,
              isl_attr_of_set(pm_pass_context(p), isl_set_coalesce(context)));
  pm_pass_invalidate(p);
}

/* The context (taken) with the param at most 2^SIZE_BITS in absolute value. */
static isl_set *bound_param(isl_set *context, const pm_op *param) {
  const char *name = pm_sym_at(param, stage_param_sym)->text;
  isl_val *limit = isl_val_2exp(isl_val_int_from_ui(isl_set_get_ctx(context), SIZE_BITS));
  int at = isl_set_find_dim_by_name(context, isl_dim_param, name);
  if (at < 0) {
    at = (int)isl_set_dim(context, isl_dim_param);
    context = isl_set_add_dims(context, isl_dim_param, 1);
    context = isl_set_set_dim_name(context, isl_dim_param, (unsigned)at, name);
  }
  bool natural = pm_res(param, 0)->type->scalar == PM_U64;
  isl_val *least = natural ? isl_val_zero(isl_set_get_ctx(context)) : isl_val_neg(isl_val_copy(limit));
  context = isl_set_upper_bound_val(context, isl_dim_param, (unsigned)at, limit);
  return isl_set_lower_bound_val(context, isl_dim_param, (unsigned)at, least);
}

/* Takes both. */
static bool implies(isl_set *context, isl_set *bounded) {
  bool subset = linear_decide_subset(context, bounded);
  isl_set_free(context);
  isl_set_free(bounded);
  return subset;
}

/* Bounds the sizes of 64 bits, those for which the context does not. */
static bool bound_sizes(pm_pass *p) {
  pm_op *root = pm_pass_root(p);
  bool changed = false;
  PM_FOR_OPS(op, pm_region_at(root, stage_pipeline_body)) {
    if (!stage_is_wide_param(op) || !is_size(root, op)) continue;
    isl_set *known = isl_set_intersect(context_of(root), stage_types_of_params(root, false));
    if (implies(known, bound_param(context_of(root), op))) continue;
    set_context(p, bound_param(context_of(root), op));
    pm_pass_remark(p, op->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"bits", SIZE_BITS}}, 1,
                   "the size %s is at most 2^%d, so that index arithmetic stays within 64 bits",
                   pm_sym_at(op, stage_param_sym)->text, SIZE_BITS);
    changed = true;
  }
  return changed;
}

/* "the domain of f", "a case of f": what the set of the op is; the caller's. */
static char *set_text(const pm_op *op) {
  const pm_op *stage = pm_is(op, &stage_case) || pm_is(op, &stage_update) ? pm_parent(op) : op;
  const char *set = pm_is(op, &stage_case) ? "a case" : pm_is(op, &stage_update) ? "an update" : "the domain";
  pm_buf text = {0};
  pm_buf_printf(&text, "%s of %s", set, pm_attr_named(stage, "sym")->s->text);
  return pm_buf_take(&text);
}

typedef struct large_search {
  const bounds_checker *c;
  isl_set *set;      /* borrowed */
  isl_set *possible; /* its points with params that there may be; NULL: not asked for */
  bool found;
} large_search;

/* The points of the set (taken) with params that there may be. */
static isl_set *possible_set(const bounds_checker *c, isl_set *set) {
  set = isl_set_intersect_params(set, stage_facts_all_of(c->graph->facts, set));
  return isl_set_intersect_params(set, stage_facts_all_of(c->type_facts, set));
}

/* False after a diagnostic: the set (taken) has a coordinate of too many bits for some params. */
static bool has_small_coordinates(const bounds_checker *c, const pm_op *op, isl_set *set) {
  isl_val *limit = isl_val_2exp(isl_val_int_from_ui(isl_set_get_ctx(set), STAGE_COORDINATE_BITS));
  isl_set *small = isl_set_universe(isl_set_get_space(set));
  for (unsigned d = 0; d < (unsigned)isl_set_dim(set, isl_dim_set); d++) {
    small = isl_set_upper_bound_val(small, isl_dim_set, d, isl_val_copy(limit));
    small = isl_set_lower_bound_val(small, isl_dim_set, d, isl_val_neg(isl_val_copy(limit)));
  }
  isl_val_free(limit);
  isl_set *possible = possible_set(c, set);
  bool ok = linear_decide_subset(possible, small);
  isl_set_free(possible);
  isl_set_free(small);
  if (ok) return true;
  char *what = set_text(op);
  pm_error(
      pm_op_context(op), op->loc,
      "%s may have coordinates of more than %d bits, but they should have less, for all parameter values",
      what, STAGE_COORDINATE_BITS);
  free(what);
  return false;
}

/* Borrowed. */
static isl_set *possible_points(large_search *s) {
  if (!s->possible) s->possible = possible_set(s->c, isl_set_copy(s->set));
  return s->possible;
}

/* A constraint of the set is a function that leaves its bits at some point. */
static isl_stat find_too_large(__isl_take isl_constraint *constraint, void *user) {
  large_search *s = user;
  isl_aff *function = isl_constraint_get_aff(constraint);
  if (isl_aff_has_large_numbers(function)) s->found |= isl_is_too_large_on(function, possible_points(s));
  isl_aff_free(function);
  isl_constraint_free(constraint);
  return isl_stat_ok;
}

static isl_stat search_constraints(__isl_take isl_basic_set *part, void *user) {
  isl_basic_set_foreach_constraint(part, find_too_large, user);
  isl_basic_set_free(part);
  return isl_stat_ok;
}

/* False after a diagnostic: a product in a bound or condition of the set (taken) may not fit 64 bits. */
static bool has_small_products(const bounds_checker *c, const pm_op *op, isl_set *set) {
  large_search s = {c, set, NULL, false};
  isl_set_foreach_basic_set(set, search_constraints, &s);
  isl_set_free(s.possible);
  isl_set_free(set);
  if (!s.found) return true;
  char *what = set_text(op);
  pm_error(pm_op_context(op), op->loc,
           "%s has bounds or conditions with products of %d bits or more for some parameter values, but they "
           "should have less; coefficients should be smaller, or the types of parameters",
           what, ISL_NUMBER_BITS);
  free(what);
  return false;
}

/* Of a case or an array. `fine`: domains without large ones, which are those of stages alike. */
static bool has_fine_products(const bounds_checker *c, const stage_node *node, const pm_op *op, isl_set *set,
                              pm_map *fine) {
  bool whole = set_of(op) == set_of(node->op);
  if (whole && pm_map_has(fine, set_of(op))) return true;
  bool ok = has_small_products(c, op, isl_set_copy(set));
  if (ok && whole) pm_map_set(fine, set_of(op), NULL);
  return ok;
}

static size_t check_bodies(const bounds_checker *c, const stage_node *node, pm_map *fine) {
  size_t failed = 0;
  for (size_t i = 0; i < node->cases.len; i++)
    failed += !has_fine_products(c, node, node->cases.data[i].op, node->cases.data[i].set, fine);
  for (size_t i = 0; i < node->updates.len; i++)
    failed += !has_small_products(c, node->updates.data[i].op, isl_set_copy(node->updates.data[i].set));
  return failed;
}

/* Counts the stages with coordinates that are too large. */
static size_t check_coordinates(const bounds_checker *c) {
  size_t failed = 0;
  pm_map *seen = pm_map_new(), *fine = pm_map_new();
  for (size_t i = 0; i < c->graph->nodes.len; i++) {
    const stage_node *node = c->graph->nodes.data[i];
    for (size_t k = 0; k < node->updates.len; k++)
      failed += !has_small_coordinates(c, node->updates.data[k].op, isl_set_copy(node->updates.data[k].set));
    failed += check_bodies(c, node, fine);
    if (pm_map_has(seen, set_of(node->op))) continue;
    pm_map_set(seen, set_of(node->op), NULL);
    failed += !has_small_coordinates(c, node->op, isl_set_copy(node->domain)) ||
              !has_fine_products(c, node, node->op, node->domain, fine);
  }
  pm_map_free(seen);
  pm_map_free(fine);
  return failed;
}

/* --- the pass --- */

static void remark_all_inside(pm_pass *p, const stage_graph *graph, size_t reads, size_t targets) {
  pm_remark_arg args[] = {{"reads", (double)reads}, {"targets", (double)targets}};
  pm_buf also = {0};
  if (targets > 0) pm_buf_printf(&also, " and %zu targets of updates", targets);
  pm_pass_remark(p, graph->pipeline->loc, PM_REMARK_ANALYSIS, args, targets > 0 ? 2 : 1,
                 "all %zu reads%s stay inside the domains for all parameter values", reads,
                 targets > 0 ? also.data : "");
  pm_buf_free(&also);
}

static void state_types(const bounds_checker *c) {
  pm_op *root = pm_pass_root(c->pass);
  set_context(c->pass, isl_set_intersect(context_of(root), isl_set_copy(c->types)));
  pm_pass_remark(c->pass, root->loc, PM_REMARK_PASSED, NULL, 0,
                 "the context of @%s states the bounds of the parameters' types, which keep reads inside",
                 pm_sym_at(root, stage_pipeline_sym)->text);
}

/* False when something is wrong. */
static bool check_all(bounds_checker *c) {
  const stage_graph *graph = c->graph;
  size_t failed = check_coordinates(c);
  for (size_t i = 0; i < graph->accesses.len; i++) failed += !check_read(c, graph->accesses.data[i]);
  size_t targets = check_targets(c, &failed);
  report_leaving(c);
  pm_pass_stat(c->pass, "reads-checked", (int64_t)graph->accesses.len);
  if (targets > 0) pm_pass_stat(c->pass, "targets-checked", (int64_t)targets);
  if (failed == 0) remark_all_inside(c->pass, graph, graph->accesses.len, targets);
  return failed == 0;
}

pm_result pass_check_bounds(pm_pass *p) {
  pm_op *root = pm_pass_root(p);
  bool bounded = bound_sizes(p);
  const stage_graph *graph = STAGE_GRAPH(p);
  if (!graph) return PM_FAILED;
  isl_set *types =
      isl_set_align_params(stage_types_of_params(root, false), isl_set_get_space(graph->context));
  bounds_checker c = {.pass = p, .graph = graph, .values = STAGE_VALUES(p), .types = types};
  c.type_facts = stage_facts_new(types);
  bool ok = check_all(&c);
  if (ok && c.need_types) state_types(&c);
  isl_set_free(c.types);
  stage_facts_free(c.type_facts);
  for (size_t i = 0; i < c.leaving.len; i++) isl_map_free(c.leaving.data[i].outside);
  PM_VEC_FREE(c.leaving);
  return !ok ? PM_FAILED : bounded || c.need_types ? PM_CHANGED : PM_UNCHANGED;
}
