/* split-reductions: one of three programs that compute together what a program does, of a picture that is in
 * memory in tiles alone.
 *
 *   stage.func @hist : i32 on { [v] : 0 <= v < 256 } {
 *     stage.update(%x) on { [x] : 0 <= x < R } { … stage.combine sum, %one into [%value] }
 *   }
 *   => part=partials, the contributions of each tile:
 *   stage.func @hist_tiles : i32 on { [t, v] : 0 <= 256t < R and 0 <= v < 256 } {
 *     stage.update(%t, %x) on { [t, x] : 0 <= x < R and 256t <= x <= 256t + 255 } {
 *       … stage.combine sum, %one into [%t, %value]
 *     }
 *   }
 *   => part=combine, of any number of them; it may be applied to its own results:
 *   stage.input @hist_tiles : i32 on { [n, v] : 0 <= n < hist_count and 0 <= v < 256 }
 *   stage.func @hist_sum : i32 on { [v] : 0 <= v < 256 } {
 *     stage.update(%n, %v) on { [n, v] : … } { … stage.combine sum, %0 into [%v] }
 *   }
 *   => part=rest, the program that is given the result:
 *   stage.input @hist_sum : i32 on { [v] : 0 <= v < 256 }
 *   stage.func @hist : i32 on { [v] : 0 <= v < 256 } {
 *     stage.update(%v) on { [v] : 0 <= v < 256 } { … stage.combine sum, %0 into [%v] }
 *   }
 *
 * Updates are split that reach a number of elements that the params do not change, from points whose number
 * they do change. Their contributions may be combined in any order, as for rfactor. An update that needs the
 * result of another one waits: the rest can be split again. What outputs do not need goes, inputs and params
 * too. */
#include "dialects/arith/call.h"
#include "dialects/isl/hull.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/pieces.h"
#include "passes/options.h"

#include <isl/aff.h>
#include <isl/constraint.h>

enum { PARTIALS, COMBINE, REST }; /* of `part` */
enum { MOST_CELLS = 1 << 20 };

/* An update that is split. */
typedef struct split {
  const stage_node *node;
  const stage_update_info *update;
  size_t number;           /* of the update */
  int64_t *first, *extent; /* of the box of its elements */
  bool tiled[PM_MAX_RANK];
  unsigned rank, n_tiled; /* of its points */
  isl_set *grid;          /* [t, …] of the tiles, one dimension for each that is tiled */
  pm_string tiles, sum;
  pm_string count; /* of an earlier one that has the same tiles, too */
  bool counts;     /* there is none */
} split;

typedef struct splitting {
  pm_pass *pass;
  const stage_graph *graph;
  int64_t tile;
  bool
      *is_bounded; /* by node: the params do not change how many elements there are, which are not too many */
  bool *depends;   /* by node: it needs the result of an update of the whole picture, or has one */
  PM_VEC(split) splits;
} splitting;

/* --- which updates --- */

/* A box around the points for all params, but for what the context says of these. */
static linear_box box_of(const splitting *s, isl_set *points) {
  isl_set *set = isl_set_gist_params(isl_set_copy(points), isl_set_copy(s->graph->context));
  linear_box box = linear_box_of(set);
  isl_set_free(set);
  return box;
}

static bool is_constant(const linear_box *box, unsigned d) {
  return box->low[d] != INT64_MIN && box->high[d] != INT64_MAX;
}

static bool has_few_cells(const splitting *s, const stage_node *node) {
  linear_box box = box_of(s, node->domain);
  double n = 1;
  bool few = true;
  for (unsigned d = 0; d < node->n_dims; d++) {
    few = few && is_constant(&box, d);
    if (few) n *= (double)box.high[d] - (double)box.low[d] + 1;
  }
  linear_box_free(box);
  return few && n >= 1 && n <= MOST_CELLS;
}

/* Sets `tiled` of each dimension, and returns how many there are to tile. */
static unsigned find_tiled(const splitting *s, const stage_update_info *update, bool *tiled) {
  linear_box box = box_of(s, update->set);
  unsigned n = 0;
  for (unsigned d = 0; d < box.n; d++) n += tiled[d] = !is_constant(&box, d);
  linear_box_free(box);
  return n;
}

static const pm_op *combine_of(const stage_update_info *update) {
  return pm_terminator(pm_region_at(update->op, stage_update_body));
}

static bool is_of_picture(const splitting *s, const stage_node *node, size_t number) {
  bool tiled[PM_MAX_RANK];
  return s->is_bounded[node->index] && find_tiled(s, &node->updates.data[number], tiled) > 0;
}

/* All that it reads was visited. */
static bool depends(const splitting *s, const stage_node *node) {
  for (size_t i = 0; i < node->reads.len; i++)
    if (s->depends[node->reads.data[i]->producer->index]) return true;
  for (size_t i = 0; i < node->updates.len; i++)
    if (is_of_picture(s, node, i)) return true;
  return false;
}

static bool is_of_first_level(const splitting *s, const stage_node *node, size_t number) {
  for (size_t i = 0; i < node->reads.len; i++) {
    const stage_access *access = node->reads.data[i];
    if (access->update_index == (int)number && s->depends[access->producer->index]) return false;
  }
  return true;
}

static const char *why_not(const split *p) {
  if (stage_update_reads_itself(p->node, p->number)) return "it reads the stage";
  const char *in_order = stage_why_in_order(combine_of(p->update));
  if (in_order) return in_order;
  if (p->rank + p->n_tiled > PM_MAX_RANK || p->node->n_dims + p->n_tiled > PM_MAX_RANK)
    return "there would be too many dimensions";
  return NULL;
}

/* --- tiles --- */

/* `tile` * dimension `t` + `plus` */
static isl_pw_aff *place_of(isl_space *space, unsigned t, int64_t tile, int64_t plus) {
  isl_aff *aff = isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)), isl_dim_set, t);
  isl_ctx *isl = isl_space_get_ctx(space);
  aff = isl_aff_scale_val(aff, isl_val_int_from_si(isl, (long)tile));
  return isl_pw_aff_from_aff(isl_aff_add_constant_val(aff, isl_val_int_from_si(isl, (long)plus)));
}

/* A convex set around the points, without divisions. */
static isl_set *around_points(const splitting *s, const split *p) {
  isl_set *set = isl_set_coalesce(isl_set_remove_divs(isl_set_copy(p->update->set)));
  if (isl_set_n_basic_set(set) <= 1) return set;
  isl_set *facts = stage_facts_of(s->graph->facts, set);
  return isl_set_from_basic_set(isl_hull_within(set, facts));
}

/* The tiles along one dimension that meet its values, in dimension `t` of the space. */
static isl_set *tiles_along(const splitting *s, isl_set *points, unsigned d, isl_space *space, unsigned t) {
  isl_pw_aff *low = isl_set_dim_min(isl_set_copy(points), (int)d),
             *high = isl_set_dim_max(isl_set_copy(points), (int)d);
  low = isl_pw_aff_insert_domain(low, isl_space_copy(space));
  high = isl_pw_aff_insert_domain(high, isl_space_copy(space));
  isl_set *from = isl_pw_aff_ge_set(place_of(space, t, s->tile, s->tile - 1), low);
  return isl_set_intersect(from, isl_pw_aff_le_set(place_of(space, t, s->tile, 0), high));
}

/* Those that meet the box around the points. Sizes for which there are no points have tiles without points.
 */
static isl_set *grid_of(const splitting *s, const split *p) {
  isl_set *points = around_points(s, p);
  isl_space *space = isl_space_set_from_params(isl_space_params(isl_set_get_space(points)));
  space = isl_space_add_dims(space, isl_dim_set, p->n_tiled);
  isl_set *set = isl_set_universe(isl_space_copy(space));
  for (unsigned d = 0, t = 0; d < p->rank; d++)
    if (p->tiled[d]) set = isl_set_intersect(set, tiles_along(s, points, d, space, t++));
  isl_space_free(space);
  isl_set_free(points);
  set = isl_set_gist_params(isl_set_coalesce(set), isl_set_copy(s->graph->context));
  set = isl_set_drop_constraints_not_involving_dims(set, isl_dim_set, 0, p->n_tiled);
  return isl_with_used_params(isl_set_coalesce(set));
}

/* Takes the name of an earlier one's count where both have as many tiles. */
static void name_count(const splitting *s, split *p) {
  for (size_t i = 0; i < s->splits.len; i++) {
    const split *other = &s->splits.data[i];
    p->count = other->count;
    if (other->n_tiled == p->n_tiled && isl_set_is_equal(other->grid, p->grid) == isl_bool_true) return;
  }
  p->counts = true;
}

/* Elements of an array count from 0. */
static void find_cells(splitting *s, split *p) {
  linear_box box = box_of(s, p->node->domain);
  p->first = pm_arena_alloc(pm_pass_arena(s->pass), (box.n + 1) * sizeof *p->first);
  p->extent = pm_arena_alloc(pm_pass_arena(s->pass), (box.n + 1) * sizeof *p->extent);
  for (unsigned d = 0; d < box.n; d++) {
    p->first[d] = box.low[d];
    p->extent[d] = box.high[d] - box.low[d] + 1;
  }
  linear_box_free(box);
}

/* `hist_tiles`, of the stage's second update that is split `hist_tiles2`. */
static pm_string name_of(const split *p, const char *end, unsigned before) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s", end);
  if (before) pm_buf_printf(&text, "%u", before + 1);
  pm_string name = stage_unused_name(p->node->op, text.data);
  pm_buf_free(&text);
  return name;
}

static bool add_split(splitting *s, const stage_node *node, size_t number) {
  split p = {.node = node, .update = &node->updates.data[number], .number = number};
  p.rank = (unsigned)isl_set_dim(p.update->set, isl_dim_set);
  p.n_tiled = find_tiled(s, p.update, p.tiled);
  const char *reason = why_not(&p);
  if (reason)
    return pm_op_error(p.update->op, "of @%s combines the whole picture, and not in pieces: %s",
                       node->name->text, reason);
  unsigned before = 0;
  for (size_t i = 0; i < s->splits.len; i++) before += s->splits.data[i].node == node;
  p.tiles = name_of(&p, "tiles", before);
  p.sum = name_of(&p, "sum", before);
  p.grid = grid_of(s, &p);
  name_count(s, &p);
  if (p.counts) p.count = name_of(&p, "count", before);
  find_cells(s, &p);
  PM_VEC_PUSH(s->splits, p);
  return true;
}

static const char *why_not_of_picture(const splitting *s, const stage_node *node) {
  return s->is_bounded[node->index] ? "has points that the params do not change in number"
                                    : "changes more elements for larger params, or more than 2^20";
}

static bool error_none(const splitting *s) {
  const pm_op *pipeline = s->graph->pipeline;
  pm_error(s->graph->ctx, pipeline->loc, "no update of @%s combines the whole picture",
           pm_sym_at(pipeline, stage_pipeline_sym)->text);
  for (size_t i = 0; i < s->graph->nodes.len; i++) {
    const stage_node *node = s->graph->nodes.data[i];
    for (size_t k = 0; k < node->updates.len; k++)
      pm_note(s->graph->ctx, node->updates.data[k].op->loc, "this update of @%s %s", node->name->text,
              why_not_of_picture(s, node));
  }
  return false;
}

static bool find_splits(splitting *s) {
  bool ok = true;
  for (size_t i = 0; i < s->graph->nodes.len; i++) {
    const stage_node *node = s->graph->nodes.data[i];
    s->is_bounded[i] = !node->is_input && node->updates.len && has_few_cells(s, node);
    s->depends[i] = depends(s, node);
    for (size_t k = 0; k < node->updates.len; k++)
      if (is_of_picture(s, node, k) && is_of_first_level(s, node, k)) ok = add_split(s, node, k) && ok;
  }
  return ok && (s->splits.len || error_none(s));
}

/* --- sets --- */

/* factor * dimension `a` + sign * dimension `b` + constant >= 0; takes the set. */
static isl_set *with_bound(isl_set *set, unsigned a, int64_t factor, unsigned b, int sign, int64_t constant) {
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_set_get_space(set)));
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, (int)a, (int)factor);
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, (int)b, sign);
  return isl_set_add_constraint(c ? set : isl_set_free(set),
                                isl_constraint_set_constant_si(c, (int)constant));
}

/* { [t, …, x, …] : [x, …] in the update's set and T t <= x < T t + T, for each t } */
static pm_attr points_of_tiles(const splitting *s, const split *p) {
  isl_set *set = isl_set_copy(isl_peek_set(pm_attr_at(p->update->op, stage_update_set)));
  set = isl_set_insert_dims(set, isl_dim_set, 0, p->n_tiled);
  for (unsigned d = 0, t = 0; d < p->rank; d++) {
    if (!p->tiled[d]) continue;
    set = with_bound(set, t, -s->tile, p->n_tiled + d, 1, 0);
    set = with_bound(set, t, s->tile, p->n_tiled + d, -1, s->tile - 1);
    t++;
  }
  return isl_attr_of_set(s->graph->ctx, set);
}

static isl_set *with_cells(isl_set *set, unsigned at, unsigned n, const int64_t *first,
                           const int64_t *extent) {
  isl_ctx *isl = isl_set_get_ctx(set);
  for (unsigned d = 0; d < n; d++) {
    int64_t low = first ? first[d] : 0;
    set = isl_set_lower_bound_val(set, isl_dim_set, at + d, isl_val_int_from_si(isl, (long)low));
    set = isl_set_upper_bound_val(set, isl_dim_set, at + d,
                                  isl_val_int_from_si(isl, (long)(low + extent[d] - 1)));
  }
  return set;
}

static isl_set *with_names(const split *p, isl_set *set, unsigned at) {
  isl_set *names = isl_peek_set(pm_attr_at(p->node->op, stage_func_domain));
  for (unsigned d = 0; d < p->node->n_dims; d++) {
    const char *name = isl_set_get_dim_name(names, isl_dim_set, d);
    if (name) set = isl_set_set_dim_name(set, isl_dim_set, at + d, name);
  }
  return set;
}

/* { [t, …, v, …] : [t, …] is a tile, and [v, …] in the box of the elements } */
static pm_attr domain_of_tiles(const splitting *s, const split *p) {
  isl_set *set = isl_set_add_dims(isl_set_copy(p->grid), isl_dim_set, p->node->n_dims);
  set = with_names(p, with_cells(set, p->n_tiled, p->node->n_dims, p->first, p->extent), p->n_tiled);
  return isl_attr_of_set(s->graph->ctx, set);
}

/* { [n, v, …] : 0 <= n < count and [v, …] in the box, from 0 on } */
static pm_attr domain_of_counted(const splitting *s, const split *p) {
  isl_space *space = isl_space_set_alloc(s->graph->isl, 1, 1 + p->node->n_dims);
  space = isl_space_set_dim_name(space, isl_dim_param, 0, p->count->text);
  isl_set *set = isl_set_lower_bound_si(isl_set_universe(isl_space_copy(space)), isl_dim_set, 0, 0);
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(space));
  c = isl_constraint_set_coefficient_si(c, isl_dim_param, 0, 1);
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, 0, -1);
  set = isl_set_add_constraint(set, isl_constraint_set_constant_si(c, -1));
  return isl_attr_of_set(s->graph->ctx,
                         with_names(p, with_cells(set, 1, p->node->n_dims, NULL, p->extent), 1));
}

/* { [v, …] } in the box, from 0 on. */
static pm_attr domain_of_sum(const splitting *s, const split *p) {
  isl_set *set = isl_set_universe(isl_space_set_alloc(s->graph->isl, 0, p->node->n_dims));
  return isl_attr_of_set(s->graph->ctx,
                         with_names(p, with_cells(set, 0, p->node->n_dims, NULL, p->extent), 0));
}

/* { : 0 <= count, … } */
static pm_attr context_of_counts(const splitting *s) {
  isl_set *set = isl_set_universe(isl_space_params_alloc(s->graph->isl, 0));
  for (size_t i = 0; i < s->splits.len; i++) {
    if (!s->splits.data[i].counts) continue;
    isl_space *space = isl_space_params_alloc(s->graph->isl, 1);
    space = isl_space_set_dim_name(space, isl_dim_param, 0, s->splits.data[i].count->text);
    isl_set *one = isl_set_lower_bound_si(isl_set_universe(space), isl_dim_param, 0, 0);
    set = isl_set_intersect(set, one);
  }
  return isl_attr_of_set(s->graph->ctx, set);
}

/* --- the parts --- */

static pm_region *body_of_pipeline(const splitting *s) {
  return pm_region_at(s->graph->pipeline, stage_pipeline_body);
}

static pm_builder before_stages(const splitting *s, pm_loc loc) {
  pm_builder b = pm_builder_at_end(pm_module_of(s->graph->pipeline), body_of_pipeline(s), loc);
  PM_FOR_OPS(op, b.region) {
    if (!pm_is(op, &stage_func)) continue;
    b.before = op;
    break;
  }
  return b;
}

/* An argument for each dimension of the set, called as it is. */
static void add_arguments(pm_region *body, pm_attr set) {
  pm_context *ctx = pm_op_context(body->op);
  isl_set *names = isl_peek_set(set);
  for (unsigned d = 0; d < (unsigned)isl_set_dim(names, isl_dim_set); d++) {
    const char *name = isl_set_get_dim_name(names, isl_dim_set, d);
    pm_add_arg(body, pm_get_index(ctx), pm_get_cstring(ctx, name ? name : "n"));
  }
}

/* The stage of the contributions of each tile takes the body of the update. */
static void build_tiles(const splitting *s, const split *p) {
  pm_builder b = pm_builder_before(p->node->op);
  b.loc = p->update->op->loc;
  pm_op *func = stage_build_func(&b, p->tiles, p->node->type, domain_of_tiles(s, p),
                                 stage_combine_identities(combine_of(p->update)));
  pm_attr points = points_of_tiles(s, p);
  pm_op *update = stage_build_update(func, b.loc, points);
  pm_set_extra(update, pm_extra(p->update->op));
  pm_region *body = pm_region_at(update, stage_update_body),
            *from = pm_region_at(p->update->op, stage_update_body);
  for (unsigned t = 0; t < p->n_tiled; t++)
    pm_add_arg(body, pm_get_index(s->graph->ctx), pm_get_cstring(s->graph->ctx, "t"));
  for (unsigned d = 0; d < from->n_args; d++)
    pm_replace_uses(from->args[d], pm_add_arg(body, pm_get_index(s->graph->ctx), from->args[d]->name));
  pm_splice(body, from);
  stage_prepend_indices(pm_terminator(body), p->n_tiled);
  pm_op_erase(p->update->op);
}

/* Inputs that hold the elements of what would be a stage of that name, of tuples one for each element. */
static void build_inputs(const splitting *s, const split *p, pm_builder *b, pm_string name, pm_attr domain,
                         pm_string *inputs) {
  unsigned n = pm_tuple_len(p->node->type);
  for (unsigned i = 0; i < n; i++) {
    pm_buf text = {0};
    pm_buf_printf(&text, n > 1 ? "%s_%u" : "%s", name->text, i);
    inputs[i] = pm_get_cstring(s->graph->ctx, text.data);
    pm_buf_free(&text);
    stage_build_input(b, inputs[i], pm_tuple_at(p->node->type, i), domain, NULL);
  }
}

/* The body of an update that combines what the map's point of the inputs has. */
static void fill_combination(const split *p, pm_op *update, const pm_string *inputs, pm_affine_map map,
                             const pm_op *like) {
  pm_region *body = pm_region_at(update, stage_update_body);
  add_arguments(body, pm_attr_at(update, stage_update_set));
  pm_builder b = pm_builder_at_end(pm_module_of(update), body, like->loc);
  PM_VEC(pm_value *) values = {0};
  for (unsigned i = 0; i < pm_tuple_len(p->node->type); i++)
    PM_VEC_PUSH(values,
                stage_build_read(&b, inputs[i], pm_tuple_at(p->node->type, i), map, body->args, NULL));
  stage_build_combine_like(&b, like, values.data, p->node->n_dims);
  PM_VEC_FREE(values);
}

static pm_string *room_for_names(const splitting *s, const split *p) {
  return pm_arena_alloc(pm_pass_arena(s->pass), pm_tuple_len(p->node->type) * sizeof(pm_string));
}

/* A stage that combines results of tiles, or of such a stage. */
static void build_sum(const splitting *s, const split *p, pm_builder *b, const pm_string *inputs) {
  const pm_op *like = combine_of(p->update);
  pm_op *func =
      stage_build_func(b, p->sum, p->node->type, domain_of_sum(s, p), stage_combine_identities(like));
  pm_op *update = stage_build_update(func, b->loc, domain_of_counted(s, p));
  fill_combination(p, update, inputs, stage_own_point(s->graph->ctx, 1 + p->node->n_dims), like);
}

/* [v, …] -> [v - first, …] */
static pm_affine_map from_zero(const splitting *s, const split *p) {
  pm_affine_expr results[PM_MAX_RANK];
  for (unsigned d = 0; d < p->node->n_dims; d++)
    results[d] = pm_affine_addc(pm_affine_dim(s->graph->ctx, d), -p->first[d]);
  return pm_get_affine_map(s->graph->ctx, p->node->n_dims, 0, results, p->node->n_dims);
}

/* The update combines the given result. */
static void build_rest(const splitting *s, const split *p) {
  pm_builder b = before_stages(s, p->update->op->loc);
  pm_string *inputs = room_for_names(s, p);
  build_inputs(s, p, &b, p->sum, domain_of_sum(s, p), inputs);
  b = pm_builder_before(p->update->op);
  pm_op *update =
      pm_build(&b, &stage_update, NULL, 0, NULL, 0, (pm_attr[]){pm_attr_at(p->node->op, stage_func_domain)});
  fill_combination(p, update, inputs, from_zero(s, p), combine_of(p->update));
  pm_op_erase(p->update->op);
}

static void erase_outputs(const splitting *s) {
  PM_FOR_OPS(op, body_of_pipeline(s))
  if (pm_is(op, &stage_output)) pm_op_erase(op);
}

static void add_output(const splitting *s, pm_string name, pm_loc loc) {
  pm_builder b = pm_builder_at_end(pm_module_of(s->graph->pipeline), body_of_pipeline(s), loc);
  stage_build_output(&b, name);
}

static void make_partials(const splitting *s) {
  erase_outputs(s);
  for (size_t i = 0; i < s->splits.len; i++) {
    const split *p = &s->splits.data[i];
    pm_loc loc = p->update->op->loc;
    build_tiles(s, p);
    add_output(s, p->tiles, loc);
  }
}

static void make_combine(const splitting *s) {
  erase_outputs(s);
  pm_type type = pm_get_scalar(s->graph->ctx, PM_I32);
  for (size_t i = 0; i < s->splits.len; i++) {
    if (!s->splits.data[i].counts) continue;
    pm_builder b = before_stages(s, s->graph->pipeline->loc);
    stage_build_param(&b, s->splits.data[i].count, type);
  }
  PM_VEC(pm_string *) inputs = {0};
  for (size_t i = 0; i < s->splits.len; i++) {
    const split *p = &s->splits.data[i];
    pm_builder b = before_stages(s, p->update->op->loc);
    PM_VEC_PUSH(inputs, room_for_names(s, p));
    build_inputs(s, p, &b, p->tiles, domain_of_counted(s, p), inputs.data[i]);
  }
  for (size_t i = 0; i < s->splits.len; i++) {
    const split *p = &s->splits.data[i];
    pm_builder b = pm_builder_before(p->node->op);
    b.loc = p->update->op->loc;
    build_sum(s, p, &b, inputs.data[i]);
    add_output(s, p->sum, b.loc);
  }
  PM_VEC_FREE(inputs);
  pm_set_attr(s->graph->pipeline, stage_pipeline_context, context_of_counts(s));
}

static void make_rest(const splitting *s) {
  for (size_t i = 0; i < s->splits.len; i++) build_rest(s, &s->splits.data[i]);
}

/* --- what is not needed --- */

typedef struct sweep {
  const splitting *s;
  pm_map *needed; /* names of arrays -> their op */
  PM_VEC(pm_op *) to_visit;
  PM_VEC(pm_string) gone; /* params */
} sweep;

static void need(sweep *w, pm_string name) {
  if (pm_map_get(w->needed, name)) return;
  pm_op *op = pm_lookup_symbol(body_of_pipeline(w->s), name);
  pm_map_set(w->needed, name, op);
  PM_VEC_PUSH(w->to_visit, op);
}

static pm_walk need_what_it_reads(void *user, pm_op *op) {
  if (pm_is(op, &stage_read)) need(user, pm_sym_at(op, stage_read_stage));
  return PM_WALK_ON;
}

static void erase_arrays(sweep *w) {
  PM_FOR_OPS(op, body_of_pipeline(w->s))
  if (pm_is(op, &stage_output)) need(w, pm_sym_at(op, stage_output_stage));
  while (w->to_visit.len) pm_walk_pre(w->to_visit.data[--w->to_visit.len], need_what_it_reads, w);
  PM_FOR_OPS(op, body_of_pipeline(w->s))
  if (stage_is_array(op) && !pm_map_get(w->needed, stage_name_of(op))) pm_op_erase(op);
}

static bool involves(isl_set *set, const char *param) {
  int at = isl_set_find_dim_by_name(set, isl_dim_param, param);
  return at >= 0 && isl_set_involves_dims(set, isl_dim_param, (unsigned)at, 1) == isl_bool_true;
}

/* Stops at a set of which the param is a part. */
static pm_walk find_param(void *user, pm_op *op) {
  if (pm_is(op, &stage_pipeline)) return PM_WALK_ON;
  for (unsigned i = 0; i < op->desc->n_attrs; i++) {
    isl_set *set = isl_peek_set(pm_attr_at(op, i));
    if (set && involves(set, user)) return PM_WALK_STOP;
  }
  return PM_WALK_ON;
}

/* Those that no derived param behind them needs: it would have been found before. */
static void erase_params(sweep *w) {
  for (size_t i = w->s->graph->params.len; i-- > 0;) {
    pm_op *op = w->s->graph->params.data[i];
    if (!pm_unused(pm_res(op, 0))) continue;
    pm_string name = pm_sym_at(op, stage_param_sym);
    if (!pm_walk_pre(w->s->graph->pipeline, find_param, (void *)name->text)) continue;
    PM_VEC_PUSH(w->gone, name);
    pm_op_erase(op);
  }
}

/* Sets name params that they say nothing of; the context may say something. */
static pm_walk forget_params(void *user, pm_op *op) {
  const sweep *w = user;
  for (unsigned i = 0; i < op->desc->n_attrs; i++) {
    isl_set *old = isl_peek_set(pm_attr_at(op, i)), *set = isl_set_copy(old);
    for (size_t k = 0; set && k < w->gone.len; k++) {
      int at = isl_set_find_dim_by_name(set, isl_dim_param, w->gone.data[k]->text);
      if (at >= 0) set = isl_set_project_out(set, isl_dim_param, (unsigned)at, 1);
    }
    if (set && isl_set_dim(set, isl_dim_param) != isl_set_dim(old, isl_dim_param))
      pm_set_attr(op, i, isl_attr_of_set(w->s->graph->ctx, isl_set_copy(set)));
    isl_set_free(set);
  }
  return PM_WALK_ON;
}

/* A schedule is that of the whole program. */
static void drop_schedule(const splitting *s) {
  PM_FOR_OPS(op, body_of_pipeline(s)) {
    if (!pm_is(op, &poly_schedule) && !pm_is(op, &poly_demand)) continue;
    pm_pass_remark(s->pass, op->loc, PM_REMARK_MISSED, NULL, 0,
                   "the schedule of @%s is not that of its parts, which have one of their own",
                   pm_sym_at(s->graph->pipeline, stage_pipeline_sym)->text);
    pm_op_erase(op);
  }
}

static void erase_unneeded(const splitting *s) {
  sweep w = {.s = s, .needed = pm_map_new()};
  drop_schedule(s);
  erase_arrays(&w);
  erase_params(&w);
  if (w.gone.len) pm_walk_pre(s->graph->pipeline, forget_params, &w);
  PM_VEC_FREE(w.to_visit);
  PM_VEC_FREE(w.gone);
  pm_map_free(w.needed);
}

static void rename_pipeline(const splitting *s, const char *end) {
  pm_op *pipeline = s->graph->pipeline;
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s", pm_sym_at(pipeline, stage_pipeline_sym)->text, end);
  pm_set_attr(pipeline, stage_pipeline_sym,
              pm_get_symbol(s->graph->ctx, pm_get_cstring(s->graph->ctx, text.data)));
  pm_buf_free(&text);
}

static void explain(const splitting *s) {
  for (size_t i = 0; i < s->splits.len; i++) {
    const split *p = &s->splits.data[i];
    pm_remark_arg args[] = {{"tile", (double)s->tile}, {"dims", p->n_tiled}};
    pm_pass_remark(s->pass, p->update->op->loc, PM_REMARK_PASSED, args, PM_COUNT(args),
                   "this update of @%s is split: tiles of %lld along %u of its %u dimensions make @%s, which "
                   "are combined to @%s",
                   p->node->name->text, (long long)s->tile, p->n_tiled, p->rank, p->tiles->text,
                   p->sum->text);
  }
  pm_pass_stat(s->pass, "updates split", (int64_t)s->splits.len);
}

pm_result pass_split_reductions(pm_pass *pass) {
  static void (*const make[])(const splitting *) = {make_partials, make_combine, make_rest};
  static const char *const ends[] = {"_partials", "_combine", ""};
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  if (pm_attr_at(graph->pipeline, stage_pipeline_boxes) ||
      pm_attr_at(graph->pipeline, stage_pipeline_version)) {
    pm_op_error(graph->pipeline,
                "is one of several for one function; it should be split before these are made");
    return PM_FAILED;
  }
  splitting s = {.pass = pass, .graph = graph, .tile = pm_opt_int(pass, split_reductions_opt_tile)};
  s.is_bounded = pm_arena_alloc(pm_pass_arena(pass), graph->nodes.len + 1);
  s.depends = pm_arena_alloc(pm_pass_arena(pass), graph->nodes.len + 1);
  unsigned part = pm_opt_enum(pass, split_reductions_opt_part);
  bool ok = find_splits(&s);
  if (ok) {
    explain(&s);
    make[part](&s);
    erase_unneeded(&s);
    rename_pipeline(&s, ends[part]);
  }
  for (size_t i = 0; i < s.splits.len; i++) isl_set_free(s.splits.data[i].grid);
  PM_VEC_FREE(s.splits);
  return ok ? PM_CHANGED : PM_FAILED;
}
