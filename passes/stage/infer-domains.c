/* infer-domains: the domain of a stage becomes the points that the outputs need.
 *
 *   stage.func @bx on { [x] : 0 <= x < R } { stage.case(%x) on { [x] : 0 <= x < R } { … } }
 *   stage.func @by on { [x] : 0 <= x < R } {
 *     stage.case(%x) on { [x] : 2 <= x < R } { stage.read @bx[%x - 1] … } }
 *   stage.output @by
 *   =>
 *   stage.func @bx on { [x] : 0 < x <= R - 2 } { stage.case(%x) on { [x] : 0 < x <= R - 2 } { … } }
 *
 * Backwards from the outputs, whose domains stay whole: what a stage needs is the union of the images of its
 * readers' cases under their accesses, exact; of a union that is not convex, and of bounds with divisions,
 * the simple hull is taken. It is taken at once: the images of a stencil's reads make a box, while their
 * exact union lacks its corners. A domain of many params stays as it is where each of its bounds is
 * reached when params are at their estimates: no search for the others then. Cases are cut likewise, cases
 * without points and stages without needed points go, and constants that nobody reads. Inputs and params are
 * arguments of the call and stay. A stage with updates, or one that reads itself, stays whole when anything
 * of it is needed, and all instances of its updates need what they read. Where boxes of the outputs are
 * computed, a stage with updates has the elements that are needed along those of its dimensions whose index
 * is a function of the point, and its updates the points that reach them. One that reads itself has what is
 * needed and all behind it, in the directions of its reads. */
#include "dialects/arith/call.h"
#include "dialects/isl/hull.h"
#include "dialects/isl/linear.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/named_stages.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/mat.h>
#include <isl/val.h>
#include <string.h>

enum { MANY_PARAMS = 6, MOST_BOUNDS = 2 /* on one side of a dimension */, MOST_IMAGES = 12 };

typedef struct inference {
  pm_pass *pass;
  const stage_graph *graph;
  const bool *named;          /* by node index: the schedule names the stage */
  isl_set ***left;            /* by node and case: the instances that are left; NULL: none */
  isl_set ***left_of_updates; /* the same of updates; NULL: those of the node are whole */
  bool *is_gone;              /* by node: nobody needs it */
  bool changed;
} inference;

/* --- few bounds --- */

/* A bound, and its value when params are at their estimates. */
typedef struct bound {
  isl_constraint *constraint; /* NULL: there is none */
  double at;
} bound;

/* One side of a dimension. */
typedef struct side {
  unsigned n;     /* bounds that say nothing of other dimensions */
  bound boxes;    /* of those the closest by ends of boxes, which may be anywhere … */
  bound estimate; /* … and of the others */
} side;

typedef struct bounds {
  const inference *inf;
  isl_set *domain; /* that the set is cut to afterwards */
  isl_set *ends;   /* what it says of its dimensions; it may have the context's params, those of boxes too */
  side below[PM_MAX_RANK], above[PM_MAX_RANK];
  unsigned most;        /* of a side */
  isl_basic_set *other; /* what the other constraints say */
} bounds;

/* The side that a constraint is a bound of, in dimension *dim; NULL: it is none, of one dimension. */
static side *side_of(bounds *b, isl_constraint *c, int *dim) {
  int n = isl_constraint_is_equality(c) || isl_constraint_dim(c, isl_dim_div) > 0
              ? 0
              : (int)isl_constraint_dim(c, isl_dim_set);
  *dim = -1;
  for (int d = 0; d < n; d++) {
    if (!isl_constraint_involves_dims(c, isl_dim_set, (unsigned)d, 1)) continue;
    if (*dim >= 0) return NULL;
    *dim = d;
  }
  if (*dim < 0) return NULL;
  return isl_constraint_is_lower_bound(c, isl_dim_set, (unsigned)*dim) ? &b->below[*dim] : &b->above[*dim];
}

static isl_stat count_bound(isl_constraint *c, void *user) {
  bounds *b = user;
  int dim;
  side *s = side_of(b, c, &dim);
  if (s && ++s->n > b->most) b->most = s->n;
  isl_constraint_free(c);
  return isl_stat_ok;
}

/* The bound at the estimates. */
static double value_of(const inference *inf, isl_constraint *c, int dim, bool below) {
  isl_set *set = isl_set_from_basic_set(isl_basic_set_from_constraint(isl_constraint_copy(c)));
  set = stage_at_estimates(inf->graph, set, pm_usual_size(inf->graph->pipeline));
  isl_val *value = below ? isl_set_dim_min_val(set, dim) : isl_set_dim_max_val(set, dim);
  double at = isl_val_get_d(value);
  isl_val_free(value);
  return at;
}

static bool is_bound_of(isl_set *domain, isl_constraint *c) {
  isl_set *beside = isl_set_from_basic_set(isl_basic_set_from_constraint(isl_constraint_copy(c)));
  bool is = isl_set_is_subset(domain, beside) == isl_bool_true;
  isl_set_free(beside);
  return is;
}

/* It has a param that the domain lacks, as ends of boxes are. */
static bool is_of_boxes(const bounds *b, isl_constraint *c) {
  if (!pm_attr_at(b->inf->graph->pipeline, stage_pipeline_boxes)) return false;
  for (unsigned p = 0; p < (unsigned)isl_constraint_dim(c, isl_dim_param); p++) {
    if (!isl_constraint_involves_dims(c, isl_dim_param, p, 1)) continue;
    const char *name = isl_constraint_get_dim_name(c, isl_dim_param, p);
    int at = isl_set_find_dim_by_name(b->ends, isl_dim_param, name);
    if (at < 0 || !isl_set_involves_dims(b->ends, isl_dim_param, (unsigned)at, 1)) return true;
  }
  return false;
}

static isl_stat choose_bound(isl_constraint *c, void *user) {
  bounds *b = user;
  int dim;
  side *s = side_of(b, c, &dim);
  if (!s) {
    b->other = isl_basic_set_add_constraint(b->other, c);
    return isl_stat_ok;
  }
  if (is_bound_of(b->domain, c)) {
    isl_constraint_free(c);
    return isl_stat_ok;
  }
  bool below = s == &b->below[dim];
  bound *chosen = is_of_boxes(b, c) ? &s->boxes : &s->estimate;
  double at = value_of(b->inf, c, dim, below);
  if (chosen->constraint && (below ? at <= chosen->at : at >= chosen->at)) {
    isl_constraint_free(c);
    return isl_stat_ok;
  }
  isl_constraint_free(chosen->constraint);
  *chosen = (bound){c, at};
  return isl_stat_ok;
}

static isl_basic_set *add_side(isl_basic_set *set, const side *s) {
  if (s->boxes.constraint) set = isl_basic_set_add_constraint(set, s->boxes.constraint);
  if (s->estimate.constraint) set = isl_basic_set_add_constraint(set, s->estimate.constraint);
  return set;
}

/* Of a convex set (taken) that has many bounds on some side the closest one on each side, at the estimates,
 * beside those of the domain and the closest one by ends of boxes: what is needed on each level of a pyramid
 * would have as many as there are levels. */
static isl_set *with_few_bounds(const inference *inf, isl_set *set, isl_set *domain) {
  if (isl_set_n_basic_set(set) != 1) return set;
  unsigned rank = (unsigned)isl_set_dim(set, isl_dim_set);
  isl_set *ends = isl_set_drop_constraints_not_involving_dims(isl_set_copy(domain), isl_dim_set, 0, rank);
  bounds b = {.inf = inf, .domain = domain, .ends = ends};
  isl_basic_set *only = isl_set_simple_hull(isl_set_copy(set));
  isl_basic_set_foreach_constraint(only, count_bound, &b);
  if (b.most > MOST_BOUNDS) {
    b.other = isl_basic_set_universe(isl_set_get_space(set));
    isl_basic_set_foreach_constraint(only, choose_bound, &b);
    for (unsigned d = 0; d < rank; d++) {
      b.other = add_side(b.other, &b.below[d]);
      b.other = add_side(b.other, &b.above[d]);
    }
    isl_set_free(set);
    set = isl_set_from_basic_set(b.other);
  }
  isl_basic_set_free(only);
  isl_set_free(ends);
  return set;
}

/* Of boxes, bounds that are moved to hold all parts, too: where a clamped read meets the border, the part
 * there begins ahead of the bound of the others. Takes the set. */
static isl_set *hull_of(const inference *inf, isl_set *set) {
  isl_set *facts = stage_facts_of(inf->graph->facts, set);
  isl_set *hull = isl_set_from_basic_set(isl_hull_within(isl_set_copy(set), facts));
  if (pm_attr_at(inf->graph->pipeline, stage_pipeline_boxes) && isl_set_n_basic_set(set) > 1) {
    unsigned rank = (unsigned)isl_set_dim(set, isl_dim_set);
    set = linear_intersect_params(set, isl_set_copy(facts));
    set = isl_set_from_basic_set(isl_set_simple_hull(set));
    set = isl_set_drop_constraints_not_involving_dims(set, isl_dim_set, 0, rank);
    return isl_set_intersect(hull, set);
  }
  isl_set_free(set);
  return hull;
}

/* `needed` inside the node's domain; convex, unless the domain itself is not. Takes `needed`. */
static isl_set *needed_domain(const inference *inf, const stage_node *node, isl_set *needed) {
  needed = isl_set_intersect(with_few_bounds(inf, needed, node->domain), isl_set_copy(node->domain));
  needed = isl_set_coalesce(needed);
  if (isl_set_n_basic_set(needed) <= 1) return needed;
  return isl_set_coalesce(isl_set_intersect(hull_of(inf, needed), isl_set_copy(node->domain)));
}

static const char *braces(pm_attr set) {
  const char *brace = strchr(set->s->text, '{');
  return brace ? brace : set->s->text;
}

/* The attribute of a case that covers the domain, or NULL: one set is written in one way. */
static pm_attr case_attr_of(const stage_node *node, isl_set *domain) {
  for (size_t i = 0; i < node->cases.len; i++)
    if (linear_decide_equal(domain, node->cases.data[i].set))
      return pm_attr_at(node->cases.data[i].op, stage_case_set);
  return NULL;
}

static void set_domain(inference *inf, const stage_node *node, isl_set *domain) {
  if (linear_decide_equal(domain, node->domain)) return;
  pm_attr before = pm_attr_at(node->op, stage_func_domain);
  pm_attr after = case_attr_of(node, domain);
  if (!after) after = stage_set_attr(inf->graph, isl_set_copy(domain), before);
  pm_set_attr(node->op, stage_func_domain, after);
  inf->changed = true;
  pm_pass_stat(inf->pass, "domains-shrunk", 1);
  pm_pass_remark(inf->pass, node->op->loc, PM_REMARK_PASSED, NULL, 0,
                 "the domain of @%s shrinks from %s to %s", node->name->text, braces(before), braces(after));
}

static bool is_zero(isl_mat *matrix, int row, int column) {
  isl_val *v = isl_mat_get_element_val(matrix, row, column);
  bool zero = isl_val_is_zero(v) == isl_bool_true;
  isl_val_free(v);
  return zero;
}

/* One set between bounds without divisions, of all points or those at constant steps. */
static bool is_regular(isl_set *set) {
  if (isl_set_n_basic_set(set) != 1) return false;
  isl_basic_set *only = isl_set_simple_hull(isl_set_copy(set));
  int n_divs = (int)isl_basic_set_dim(only, isl_dim_div);
  isl_mat *bounds =
      isl_basic_set_inequalities_matrix(only, isl_dim_div, isl_dim_cst, isl_dim_param, isl_dim_set);
  bool regular = true;
  for (int i = 0; i < (int)isl_mat_rows(bounds); i++)
    for (int k = 0; k < n_divs; k++) regular = regular && is_zero(bounds, i, k);
  isl_mat_free(bounds);
  isl_basic_set_free(only);
  return regular;
}

/* The hull, without divisions, unless it is points at constant steps. Takes the set. */
static isl_set *simplified(const inference *inf, isl_set *set) {
  bool steps = isl_set_involves_locals(set) == isl_bool_true;
  if (steps) set = isl_set_coalesce(set);
  if (steps && is_regular(set)) return set;
  set = isl_set_remove_divs(set);
  return hull_of(inf, set);
}

/* The instances that make the read, or NULL. */
static isl_set *peek_instances(const inference *inf, const stage_access *access) {
  const stage_node *reader = access->consumer;
  if (inf->is_gone[reader->index]) return NULL;
  if (access->update_index < 0) return inf->left[reader->index][access->case_index];
  isl_set **left = inf->left_of_updates[reader->index];
  return left ? left[access->update_index] : reader->updates.data[access->update_index].set;
}

static bool is_read(const inference *inf, const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    if (peek_instances(inf, node->readers.data[i])) return true;
  return false;
}

/* The hull of few images of boxes is taken later: what one alone has no bound for, another may bound. */
static bool is_few(const inference *inf, isl_set *images) {
  return pm_attr_at(inf->graph->pipeline, stage_pipeline_boxes) &&
         isl_set_n_basic_set(images) <= MOST_IMAGES && isl_set_involves_locals(images) == isl_bool_false;
}

/* Adds what a read needs to what is needed. Takes both. */
static isl_set *with_image(const inference *inf, isl_set *needed, isl_set *image) {
  if (!needed)
    return isl_set_involves_locals(image) == isl_bool_true ? simplified(inf, image) : isl_set_coalesce(image);
  if (linear_decide_subset(image, needed)) {
    isl_set_free(image);
    return needed;
  }
  needed = isl_set_union(needed, image);
  return is_few(inf, needed) ? isl_set_coalesce(needed) : simplified(inf, needed);
}

/* The last readers first, each with its reads in their order. */
static isl_set *needed_by_readers(const inference *inf, const stage_node *node) {
  isl_set *needed = NULL;
  for (size_t end = node->readers.len, begin; end > 0; end = begin) {
    const stage_node *reader = node->readers.data[end - 1]->consumer;
    for (begin = end; begin > 0 && node->readers.data[begin - 1]->consumer == reader;) begin--;
    for (size_t i = begin; i < end; i++) {
      const stage_access *access = node->readers.data[i];
      isl_set *instances = peek_instances(inf, access);
      if (!instances) continue;
      needed =
          with_image(inf, needed, isl_set_apply(isl_set_copy(instances), isl_map_copy(access->relation)));
    }
  }
  return needed;
}

/* --- at estimates --- */

typedef struct range {
  int64_t low, high;
} range;

/* Adds the box around the set, which is taken, to the ranges; false: it is not known. */
static bool add_ranges(isl_set *set, unsigned n, range *ranges) {
  bool ok = true;
  for (unsigned d = 0; d < n && ok; d++) {
    range one;
    ok = linear_dim_range(set, d, &one.low, &one.high) == LINEAR_FOUND;
    if (!ok) break;
    if (one.low < ranges[d].low) ranges[d].low = one.low;
    if (one.high > ranges[d].high) ranges[d].high = one.high;
  }
  isl_set_free(set);
  return ok;
}

/* The domain is convex, and images of sets of a pipeline with as many params take long. */
static bool is_large(const inference *inf, isl_set *domain) {
  return isl_set_n_basic_set(domain) == 1 && isl_set_involves_locals(domain) == isl_bool_false &&
         (int)isl_set_dim(inf->graph->context, isl_dim_param) > MANY_PARAMS;
}

/* What readers need has the bounds of the domain, a box, when params are at their estimates. Where boxes of
 * the outputs are anywhere, that says nothing. */
static bool is_reached(const inference *inf, const stage_node *node) {
  int64_t usual = pm_usual_size(inf->graph->pipeline);
  range whole[PM_MAX_RANK], needed[PM_MAX_RANK];
  for (unsigned d = 0; d < node->n_dims; d++) needed[d] = whole[d] = (range){INT64_MAX, INT64_MIN};
  if (pm_attr_at(inf->graph->pipeline, stage_pipeline_boxes) || !is_large(inf, node->domain) ||
      !add_ranges(stage_at_estimates(inf->graph, isl_set_copy(node->domain), usual), node->n_dims, whole))
    return false;
  for (size_t i = 0; i < node->readers.len; i++) {
    const stage_access *access = node->readers.data[i];
    isl_set *instances = peek_instances(inf, access);
    if (!instances) continue;
    instances = stage_at_estimates(inf->graph, isl_set_copy(instances), usual);
    isl_map *relation = stage_map_at_estimates(inf->graph, isl_map_copy(access->relation), usual);
    add_ranges(isl_set_apply(instances, relation), node->n_dims, needed);
  }
  for (unsigned d = 0; d < node->n_dims; d++)
    if (needed[d].low > whole[d].low || needed[d].high < whole[d].high) return false;
  return true;
}

/* --- updates, where boxes are computed --- */

/* Elements that nobody needs need no contributions. */
static bool cuts_updates(const inference *inf, const stage_node *node) {
  return pm_attr_at(inf->graph->pipeline, stage_pipeline_boxes) && node->updates.len > 0 &&
         !inf->named[node->index] && !node->is_output && !node->self_reads.len;
}

/* The points that reach elements from one number to another along the dimension are between bounds, too. */
static bool has_simple_points(const stage_update_info *update, unsigned d) {
  isl_map *reach = isl_map_copy(update->target);
  int first = (int)isl_map_dim(reach, isl_dim_param);
  reach = isl_map_add_dims(reach, isl_dim_param, 2);
  reach = isl_map_set_dim_name(reach, isl_dim_param, (unsigned)first, "from number");
  reach = isl_map_set_dim_name(reach, isl_dim_param, (unsigned)first + 1, "to number");
  isl_local_space *space = isl_local_space_from_space(isl_map_get_space(reach));
  for (int side = 0; side < 2; side++) {
    isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_copy(space));
    c = isl_constraint_set_coefficient_si(c, isl_dim_param, first + side, side ? 1 : -1);
    c = isl_constraint_set_coefficient_si(c, isl_dim_out, (int)d, side ? -1 : 1);
    reach = isl_map_add_constraint(reach, c);
  }
  isl_local_space_free(space);
  isl_set *points = isl_set_coalesce(isl_map_domain(reach));
  bool simple = isl_set_involves_locals(points) == isl_set_involves_locals(update->set) &&
                isl_set_n_basic_set(points) <= isl_set_n_basic_set(update->set);
  isl_set_free(points);
  return simple;
}

static bool is_cut_along(const stage_node *node, unsigned d) {
  if (!stage_update_dim_is_affine(node, d)) return false;
  for (size_t i = 0; i < node->updates.len; i++)
    if (!has_simple_points(&node->updates.data[i], d)) return false;
  return true;
}

/* Without what is said of dimensions along which a point of an update may reach any element, or which points
 * reach an element is not said in few words. */
static isl_set *along_known(const stage_node *node, isl_set *cells) {
  for (unsigned d = 0; d < node->n_dims; d++)
    if (!is_cut_along(node, d)) cells = isl_set_eliminate(cells, isl_dim_set, d, 1);
  return cells;
}

/* Cuts the update to the points that reach the elements, which may be whole along other dimensions, or erases
 * it. */
static void cut_update(inference *inf, const stage_node *node, size_t number, isl_set *cells) {
  const stage_update_info *info = &node->updates.data[number];
  isl_map *reach = isl_map_intersect_range(isl_map_copy(info->target), isl_set_copy(cells));
  isl_set *set = isl_set_coalesce(isl_set_intersect(isl_map_domain(reach), isl_set_copy(info->set)));
  if (isl_set_is_empty(set) == isl_bool_true) {
    isl_set_free(set);
    pm_op_erase(info->op);
    inf->changed = true;
    return;
  }
  inf->left_of_updates[node->index][number] = set;
  if (linear_decide_equal(set, info->set)) return;
  pm_attr before = pm_attr_at(info->op, stage_update_set);
  pm_set_attr(info->op, stage_update_set, stage_set_attr(inf->graph, isl_set_copy(set), before));
  inf->changed = true;
}

/* All of them to the domain, which is borrowed. */
static void cut_updates(inference *inf, const stage_node *node, isl_set *domain) {
  isl_set *cells = along_known(node, isl_set_copy(domain));
  inf->left_of_updates[node->index] =
      pm_arena_alloc(pm_pass_arena(inf->pass), (node->updates.len + 1) * sizeof(isl_set *));
  for (size_t i = 0; i < node->updates.len; i++) cut_update(inf, node, i, cells);
  isl_set_free(cells);
}

/* Cuts the case to the domain, or erases it when no point is left. */
static void cut_case(inference *inf, const stage_node *node, unsigned case_index, isl_set *domain) {
  const stage_case_info *info = &node->cases.data[case_index];
  isl_set *set = isl_set_intersect(isl_set_copy(info->set), isl_set_copy(domain));
  if (isl_set_is_empty(set) == isl_bool_true) {
    isl_set_free(set);
    pm_pass_remark(inf->pass, info->op->loc, PM_REMARK_PASSED, NULL, 0,
                   "a case of @%s has no needed point and is removed", node->name->text);
    pm_op_erase(info->op);
    inf->changed = true;
    return;
  }
  inf->left[node->index][case_index] = set;
  if (linear_decide_equal(set, info->set)) return;
  pm_attr before = pm_attr_at(info->op, stage_case_set);
  pm_set_attr(info->op, stage_case_set, stage_set_attr(inf->graph, isl_set_copy(set), before));
  inf->changed = true;
}

static void erase_stage(inference *inf, const stage_node *node) {
  inf->is_gone[node->index] = true;
  pm_pass_remark(inf->pass, node->op->loc, PM_REMARK_PASSED, NULL, 0,
                 "@%s is not needed by any output and is removed", node->name->text);
  pm_pass_stat(inf->pass, "stages-removed", 1);
  poly_forget_stage(inf->graph->pipeline, node->name, NULL, 0);
  pm_op_erase(node->op);
  inf->changed = true;
}

/* Its values depend on more of it than the points where they are read, or a schedule has its points. */
static bool stays_whole(const inference *inf, const stage_node *node) {
  bool boxes = pm_attr_at(inf->graph->pipeline, stage_pipeline_boxes);
  return inf->named[node->index] || node->is_output ||
         (node->self_reads.len > 0 && (!boxes || node->updates.len > 0)) ||
         (node->updates.len > 0 && !cuts_updates(inf, node));
}

static isl_map *compare_dim(isl_map *map, unsigned d, bool back, bool ahead) {
  if (back && ahead) return map;
  if (!back && !ahead) return isl_map_equate(map, isl_dim_in, (int)d, isl_dim_out, (int)d);
  return ahead ? isl_map_order_le(map, isl_dim_in, (int)d, isl_dim_out, (int)d)
               : isl_map_order_ge(map, isl_dim_in, (int)d, isl_dim_out, (int)d);
}

/* The values of the stage that its values at these points are computed of, in any number of steps, at most:
 * a running sum along x needs all before x, at the same y. Takes the points. */
static isl_set *with_what_it_reads(const stage_node *node, isl_set *points) {
  isl_map *reach = isl_map_universe(isl_space_map_from_set(isl_set_get_space(points)));
  for (unsigned d = 0; d < node->n_dims; d++) {
    bool back = false, ahead = false;
    for (size_t i = 0; i < node->self_reads.len; i++) {
      isl_set *steps = isl_map_deltas(isl_map_copy(node->self_reads.data[i]->relation));
      isl_val *least = isl_set_dim_min_val(isl_set_copy(steps), (int)d),
              *most = isl_set_dim_max_val(steps, (int)d);
      back = back || isl_val_is_neg(least) == isl_bool_true;
      ahead = ahead || isl_val_is_pos(most) == isl_bool_true;
      isl_val_free(least);
      isl_val_free(most);
    }
    reach = compare_dim(reach, d, back, ahead);
  }
  return isl_set_apply(points, reach);
}

static isl_set *needed_of(const inference *inf, const stage_node *node) {
  if (stays_whole(inf, node) || is_reached(inf, node)) return isl_set_copy(node->domain);
  isl_set *needed = needed_by_readers(inf, node);
  if (node->self_reads.len > 0) needed = with_what_it_reads(node, needed);
  return needed_domain(inf, node, node->updates.len ? along_known(node, needed) : needed);
}

/* All readers were visited before. */
static void visit_stage(inference *inf, const stage_node *node) {
  if (!node->is_output && !inf->named[node->index] && !is_read(inf, node)) {
    erase_stage(inf, node);
    return;
  }
  isl_set *domain = needed_of(inf, node);
  if (isl_set_is_empty(domain) == isl_bool_true) {
    isl_set_free(domain);
    domain = isl_set_copy(node->domain);
  }
  set_domain(inf, node, domain);
  inf->left[node->index] =
      pm_arena_alloc(pm_pass_arena(inf->pass), (node->cases.len + 1) * sizeof(isl_set *));
  for (unsigned i = 0; i < node->cases.len; i++) cut_case(inf, node, i, domain);
  if (cuts_updates(inf, node)) cut_updates(inf, node, domain);
  isl_set_free(domain);
}

pm_result pass_infer_domains(pm_pass *p) {
  const stage_graph *graph = STAGE_GRAPH(p);
  if (!graph) return PM_FAILED;
  pm_arena *arena = pm_pass_arena(p);
  inference inf = {.pass = p, .graph = graph, .named = poly_named_stages(p)};
  inf.left = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof(isl_set **));
  inf.left_of_updates = pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof(isl_set **));
  inf.is_gone = pm_arena_alloc(arena, graph->nodes.len + 1);
  for (size_t i = graph->nodes.len; i-- > 0;) {
    const stage_node *node = graph->nodes.data[i];
    if (!node->is_input) visit_stage(&inf, node);
    if (pm_is(node->op, &stage_constant) && !is_read(&inf, node)) erase_stage(&inf, node);
  }
  for (size_t i = 0; i < graph->nodes.len; i++)
    for (size_t k = 0; inf.left[i] && k < graph->nodes.data[i]->cases.len; k++) isl_set_free(inf.left[i][k]);
  for (size_t i = 0; i < graph->nodes.len; i++)
    for (size_t k = 0; inf.left_of_updates[i] && k < graph->nodes.data[i]->updates.len; k++)
      isl_set_free(inf.left_of_updates[i][k]);
  return inf.changed ? PM_CHANGED : PM_UNCHANGED;
}
