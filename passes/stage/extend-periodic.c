/* extend-periodic: a stage that repeats is computed beyond its domain, where its readers repeat it.
 *
 *   // @f on { [x] : 0 <= x < R }, @g on the same; @in is an input of R points
 *   stage.func @f { stage.case(%x) { … stage.read @in[%x + 1] boundary repeat … } }
 *   stage.func @g { stage.case(%x) { … stage.read @f[%x - 1] boundary repeat … } }
 *   ->
 *   stage.func @f on { [x] : -1 <= x < R } { stage.case(%x) { … stage.read @in[%x + 1] boundary repeat … } }
 *   stage.func @g { stage.case(%x) { … stage.read @f[%x - 1] … } }
 *
 * What @g reads at its first point is then next to the point, and not on the other side of @f: tiles of both
 * can be computed together.
 *
 * A stage is periodic along a dimension when its one case uses the coordinate only in reads of inputs and
 * periodic stages, as a summand of an index that repeats with the same period, or as an index that does not
 * leave. Then its body gives at any point what it gives one period away. Such a stage gets the points that
 * its readers leave it by, where these are few. Its own reads repeat afterwards, so the last readers come
 * first.
 */
#include "dialects/isl/linear.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/named_stages.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/analyses/work.h"
#include "dialects/stage/boundary.h"
#include "passes/options.h"

#include <isl/aff.h>
#include <isl/val.h>
#include <string.h>

/* Points ahead of and behind a domain. */
typedef struct margin {
  int64_t below, above;
} margin;

/* What is known of a stage, by dimension. */
typedef struct extent {
  bool periodic[PM_MAX_RANK];
  margin added[PM_MAX_RANK];
} extent;

typedef struct extension {
  pm_pass *pass;
  const stage_graph *graph;
  const bool *named; /* by the schedule */
  extent *of;        /* by node index */
} extension;

/* --- indices --- */

/* The coordinates of a case in an index: how often argument number `d` is a summand of result `j`; -1: it is
 * used in some other way. */
static int64_t coefficient(const pm_op *read, unsigned j, const pm_value *argument) {
  pm_affine_map map = stage_index_map(read);
  unsigned first = stage_index_operand(read);
  bool used = false;
  int64_t sum = 0, coefficients[map->n_dims + 1];
  bool linear = pm_affine_dim_coeffs(map->results[j], coefficients, map->n_dims);
  for (unsigned i = 0; i < map->n_dims; i++) {
    if (pm_arg(read, first + i) != argument) continue;
    used = true;
    if (linear) sum += coefficients[i];
  }
  return !used || (linear && sum >= 0) ? sum : -1;
}

/* Index `j` is the argument alone. */
static bool is_own(const pm_op *read, unsigned j, const pm_value *argument) {
  pm_affine_expr index = pm_affine_normalize(stage_index_map(read)->results[j]);
  return index->kind == PM_AFFINE_DIM &&
         pm_arg(read, stage_index_operand(read) + (unsigned)index->value) == argument;
}

static pm_value *coordinate(const pm_op *case_op, unsigned d) {
  return pm_region_at(case_op, 0)->args[d];
}

static stage_boundary modes_of(const stage_access *access) {
  stage_boundary boundary;
  stage_boundary_of_read(access->read, access->producer->op, &boundary);
  return boundary;
}

/* --- what is periodic --- */

static bool is_box(const stage_node *node) {
  isl_set *box = stage_box_around(node->domain);
  isl_set *domain = isl_set_reset_tuple_id(isl_set_copy(node->domain));
  bool is = linear_decide_equal(box, domain);
  isl_set_free(box);
  isl_set_free(domain);
  return is;
}

static bool has_same_interval(const stage_node *a, unsigned d, const stage_node *b, unsigned j) {
  isl_set *one = stage_interval(a->domain, d), *other = stage_interval(b->domain, j);
  bool same = linear_decide_equal(one, other);
  isl_set_free(one);
  isl_set_free(other);
  return same;
}

/* A stage that can have more points. */
static bool may_grow(const extension *x, const stage_node *node) {
  return !node->is_input && !node->is_output && !x->named[node->index] && node->cases.len == 1 &&
         !node->updates.len && !node->self_reads.len && !stage_has_guard(node->cases.data[0].op) &&
         linear_decide_equal(node->cases.data[0].set, node->domain) && is_box(node);
}

/* The read gives the same one period of the node's dimension `d` away. */
static bool reads_the_same(const extension *x, const stage_node *node, const stage_access *access,
                           unsigned d) {
  const pm_value *argument = coordinate(node->cases.data[0].op, d);
  stage_boundary boundary = modes_of(access);
  for (unsigned j = 0; j < access->producer->n_dims; j++) {
    int64_t n = coefficient(access->read, j, argument);
    if (n == 0) continue;
    bool stays = boundary.modes[j] == STAGE_REPEAT || is_own(access->read, j, argument);
    if (n != 1 || !stays || !x->of[access->producer->index].periodic[j] ||
        !has_same_interval(node, d, access->producer, j))
      return false;
  }
  return true;
}

static bool is_periodic(const extension *x, const stage_node *node, unsigned d) {
  PM_FOR_USES(use, coordinate(node->cases.data[0].op, d)) {
    if (!pm_is(pm_user(use), &stage_read)) return false;
  }
  for (size_t i = 0; i < node->reads.len; i++)
    if (!reads_the_same(x, node, node->reads.data[i], d)) return false;
  return true;
}

static void find_periodic(extension *x) {
  for (size_t i = 0; i < x->graph->nodes.len; i++) {
    const stage_node *node = x->graph->nodes.data[i];
    bool grows = may_grow(x, node);
    for (unsigned d = 0; d < node->n_dims; d++)
      x->of[i].periodic[d] = node->is_input || (grows && is_periodic(x, node, d));
  }
}

/* --- how far readers go --- */

/* The greatest value of one dimension less another; INT64_MAX: none is found. */
static int64_t greatest_difference(isl_set *set, unsigned of, unsigned less) {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(set));
  isl_aff *value = isl_aff_var_on_domain(isl_local_space_copy(space), isl_dim_set, of);
  value = isl_aff_sub(value, isl_aff_var_on_domain(space, isl_dim_set, less));
  int64_t low, high;
  if (linear_floor_range(set, value, &low, &high) != LINEAR_FOUND) high = INT64_MAX;
  isl_aff_free(value);
  return high;
}

/* How far index `j` leaves what is read, by the stages as they were; less than 0 where it stays inside. */
static margin reach_of(const extension *x, const stage_access *access, unsigned j) {
  stage_values *values = STAGE_VALUES(x->pass);
  if (stage_index_may_wrap(values, access->read, j)) return (margin){INT64_MAX, INT64_MAX};
  bool affine;
  isl_map *relation = stage_read_relation_in(&values, access->read, &affine);
  relation = isl_map_intersect_domain(relation, isl_set_copy(stage_access_instances(access)));
  isl_set *indices = stage_bounds_and_indices(relation, access->producer->domain, j);
  margin m = {greatest_difference(indices, 0, 2), greatest_difference(indices, 2, 1)};
  isl_set_free(indices);
  isl_map_free(relation);
  return m;
}

/* The points that the reader gets, as far as index `j` moves with them; *moves says whether it does. */
static margin added_to_index(const extension *x, const stage_access *access, unsigned j, bool *moves) {
  margin sum = {0, 0};
  *moves = false;
  if (access->case_index < 0) return sum;
  const stage_node *reader = access->consumer;
  for (unsigned d = 0; d < reader->n_dims; d++) {
    margin m = x->of[reader->index].added[d];
    if (!m.below && !m.above) continue;
    if (!coefficient(access->read, j, coordinate(reader->cases.data[access->case_index].op, d))) continue;
    sum.below += m.below;
    sum.above += m.above;
    *moves = true;
  }
  return sum;
}

/* Points that dimension `j` needs for its readers. False: these are too many, or another mode would see them.
 */
static bool find_margin(const extension *x, const stage_node *node, unsigned j, margin *out) {
  *out = (margin){0, 0};
  for (size_t i = 0; i < node->readers.len; i++) {
    const stage_access *access = node->readers.data[i];
    bool moves;
    margin more = added_to_index(x, access, j, &moves);
    stage_mode mode = moves ? STAGE_REPEAT : modes_of(access).modes[j];
    if (mode == STAGE_NONE) continue;
    margin reach = reach_of(x, access, j);
    if (reach.below == INT64_MAX || reach.above == INT64_MAX) return false;
    reach.below += more.below;
    reach.above += more.above;
    if (mode != STAGE_REPEAT && (reach.below > 0 || reach.above > 0)) return false;
    if (reach.below > out->below) out->below = reach.below;
    if (reach.above > out->above) out->above = reach.above;
  }
  return true;
}

/* The domain with what is added; without its name. The caller's. */
static isl_set *grown(const extension *x, const stage_node *node) {
  isl_set *set = isl_set_reset_tuple_id(isl_set_copy(node->domain));
  isl_set *around = isl_set_universe(isl_set_get_space(set));
  for (unsigned d = 0; d < node->n_dims; d++) {
    margin m = x->of[node->index].added[d];
    around = isl_set_lower_bound_val(around, isl_dim_set, d, isl_val_int_from_si(x->graph->isl, -m.below));
    around = isl_set_upper_bound_val(around, isl_dim_set, d, isl_val_int_from_si(x->graph->isl, m.above));
  }
  return isl_set_coalesce(isl_set_sum(set, around));
}

static bool is_extended(const extension *x, const stage_node *node) {
  for (unsigned d = 0; d < node->n_dims; d++)
    if (x->of[node->index].added[d].below || x->of[node->index].added[d].above) return true;
  return false;
}

/* The points that are added are a small part. */
static bool is_small(const extension *x, const stage_node *node) {
  int64_t size = pm_usual_size(pm_pass_root(x->pass)),
          percent = pm_opt_int(x->pass, extend_periodic_opt_percent);
  isl_set *set = grown(x, node);
  double before = stage_points_in(x->graph, node->domain, size), after = stage_points_in(x->graph, set, size);
  isl_set_free(set);
  return (after - before) * 100 <= before * (double)percent;
}

/* All readers have theirs. */
static void find_added(extension *x, const stage_node *node) {
  extent *of = &x->of[node->index];
  if (node->is_input) return;
  for (unsigned j = 0; j < node->n_dims; j++) {
    margin m;
    if (of->periodic[j] && find_margin(x, node, j, &m)) of->added[j] = m;
  }
  if (is_extended(x, node) && !is_small(x, node)) memset(of->added, 0, sizeof of->added);
}

/* --- the change --- */

static void set_modes(const extension *x, const stage_access *access) {
  stage_boundary boundary = modes_of(access);
  bool changed = false;
  for (unsigned j = 0; j < access->producer->n_dims; j++) {
    margin added = x->of[access->producer->index].added[j];
    bool moves, extended = added.below || added.above;
    added_to_index(x, access, j, &moves);
    stage_mode mode = extended ? STAGE_NONE : moves ? STAGE_REPEAT : boundary.modes[j];
    changed = changed || mode != boundary.modes[j];
    boundary.modes[j] = mode;
  }
  if (changed)
    pm_set_attr(access->read, stage_read_boundary,
                stage_boundary_attr(x->graph->ctx, &boundary, access->producer->n_dims));
}

static void extend(const extension *x, const stage_node *node) {
  pm_op *case_op = node->cases.data[0].op;
  isl_set *set = grown(x, node);
  pm_set_attr(case_op, stage_case_set,
              stage_set_attr(x->graph, isl_set_copy(set), pm_attr_at(case_op, stage_case_set)));
  pm_set_attr(node->op, stage_func_domain,
              stage_set_attr(x->graph, set, pm_attr_at(node->op, stage_func_domain)));
  pm_pass_stat(x->pass, "stages extended", 1);
  pm_pass_remark(x->pass, node->op->loc, PM_REMARK_PASSED, NULL, 0,
                 "@%pS repeats as what it reads does; it is computed beyond its domain, where it is read",
                 (const void *)node->name);
}

pm_result pass_extend_periodic(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  extension x = {.pass = pass, .graph = graph, .named = poly_named_stages(pass)};
  x.of = pm_arena_alloc(pm_pass_arena(pass), (graph->nodes.len + 1) * sizeof *x.of);
  find_periodic(&x);
  for (size_t i = graph->nodes.len; i-- > 0;) find_added(&x, graph->nodes.data[i]);
  bool changed = false;
  for (size_t i = 0; i < graph->accesses.len; i++) set_modes(&x, graph->accesses.data[i]);
  for (size_t i = 0; i < graph->nodes.len; i++) {
    if (!is_extended(&x, graph->nodes.data[i])) continue;
    extend(&x, graph->nodes.data[i]);
    changed = true;
  }
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
