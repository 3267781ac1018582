/* outline-conversions: what a body converts from integers to wider floats at several points of one stage
 * becomes a stage of its own.
 *
 *   stage.input @img : u8 on {…}                  |  stage.input @img : u8 on {…}
 *                                                 |  stage.func @img_f32 : f32 on {…} {
 *                                                 |    stage.case(%x) on {…} {
 *                                                 |      %0 = stage.read @img[%x] : u8
 *                                                 |      %1 = arith.cast %0 : (u8) -> f32
 *                                                 |      stage.yield %1 : f32
 *                                                 |    }
 *                                                 |  }
 *   stage.func @sum : f32 on {…} {                |  stage.func @sum : f32 on {…} {
 *     stage.case(%x) on {…} {                     |    stage.case(%x) on {…} {
 *       %a = stage.read @img[%x - 1] : u8         |
 *       %b = arith.cast %a : (u8) -> f32          |      %b = stage.read @img_f32[%x - 1] : f32
 *       … the same at %x and %x + 1 …             |      …
 *
 * The lanes of a vector of bytes are those of four vectors of floats, which takes as long as several sums. So
 * a window over a picture of bytes spends most of its time with the same conversions again and again. Whether
 * a tile keeps the converted values is for inline-stages and group to say, by their prices: the former puts
 * back what is cheaper to convert again.
 */
#include "dialects/arith/arith.h"
#include "dialects/arith/call.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/cost/cost.h"
#include "dialects/poly/named_stages.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/analyses/work.h"
#include "dialects/stage/inlining.h"
#include "passes/options.h"

#include <stdlib.h>

/* Of what is read near the point. */
typedef struct conversion {
  pm_op *cast, *read;
  pm_op *choice; /* the select between the read and another value that is converted, or NULL */
  pm_op *body;   /* the case or update */
} conversion;

typedef struct outlining {
  pm_pass *pass;
  const bool *named; /* by node index: the schedule names the stage */
  pm_machine machine;
  int64_t least, share, made;
  pm_map *computed;               /* ops whose results are no index near the point */
  PM_VEC(conversion) conversions; /* of the stage at hand */
  PM_VEC(pm_op *) changed;        /* bodies */
} outlining;

/* --- which conversions --- */

/* In every body, the ops that what is read has a part in, a choice, or a remainder: indices by these may be
 * far from the point, as where a picture is repeated, and a tile would need all that is between. */
static pm_walk find_computed(void *user, pm_op *op) {
  outlining *o = user;
  bool computed = pm_is(op, &stage_read) || pm_is(op, &arith_select) || pm_is(op, &arith_remi) ||
                  pm_is(op, &arith_trunc_rem);
  for (unsigned i = 0; i < op->n_operands && !computed; i++)
    computed = pm_map_has(o->computed, pm_def(pm_arg(op, i)));
  if (computed) pm_map_set(o->computed, op, op);
  return PM_WALK_ON;
}

static bool is_lookup(const outlining *o, const pm_op *read) {
  for (unsigned i = 0; i < read->n_operands; i++)
    if (pm_map_has(o->computed, pm_def(pm_arg(read, i)))) return true;
  return false;
}

static bool is_narrower_integer(pm_type from, pm_type to) {
  return pm_is_int(from) && !pm_is_bool(from) && pm_is_float(to) &&
         pm_element_bytes(from) < pm_element_bytes(to);
}

/* As that of another read, which the choice is between, too. */
static bool is_listed(const outlining *o, const pm_op *cast) {
  for (size_t i = 0; i < o->conversions.len; i++)
    if (o->conversions.data[i].cast == cast) return true;
  return false;
}

/* Of the value, which is the read, or the choice between it and another one. */
static void list_casts(outlining *o, const stage_node *node, pm_op *read, const pm_value *value,
                       pm_op *choice) {
  PM_FOR_USES(use, value)
  if (pm_is(pm_user(use), &arith_cast) && is_narrower_integer(node->type, pm_res(pm_user(use), 0)->type) &&
      !is_listed(o, pm_user(use)))
    PM_VEC_PUSH(o->conversions, ((conversion){pm_user(use), read, choice, stage_body_of(read)}));
}

/* A picture with a border of one value: the border or the pixel is converted. */
static void list_uses(outlining *o, const stage_node *node, pm_op *read, const pm_value *value) {
  list_casts(o, node, read, value, NULL);
  PM_FOR_USES(use, value)
  if (pm_is(pm_user(use), &arith_select) && pm_operand_number(use) != arith_select_condition)
    list_casts(o, node, read, pm_res(pm_user(use), 0), pm_user(use));
}

/* Integers that hold all of the others. */
static bool widens(const pm_op *op) {
  if (!pm_is(op, &arith_cast)) return false;
  const pm_scalar_info *from = pm_get_scalar_info((pm_scalar)pm_arg(op, 0)->type->scalar),
                       *to = pm_get_scalar_info((pm_scalar)pm_res((pm_op *)op, 0)->type->scalar);
  return !to->is_float && to->bits > from->bits && (to->is_signed || !from->is_signed);
}

static void list_conversions(outlining *o, const stage_node *node) {
  o->conversions.len = 0;
  for (size_t i = 0; i < node->readers.len; i++) {
    pm_op *read = node->readers.data[i]->read;
    if (o->named[node->readers.data[i]->consumer->index] || is_lookup(o, read)) continue;
    list_uses(o, node, read, pm_res(read, 0));
    PM_FOR_USES(use, pm_res(read, 0))
    if (widens(pm_user(use))) list_uses(o, node, read, pm_res(pm_user(use), 0));
  }
}

static pm_type type_of(const conversion *c) {
  return pm_res(c->cast, 0)->type;
}

/* The index of the read in the dimension; NULL when it is no number. */
static pm_affine_expr number_at(const pm_op *read, uint32_t dim) {
  pm_affine_expr index = pm_attr_at(read, stage_read_map)->map->results[dim];
  return index->kind == PM_AFFINE_CONST ? index : NULL;
}

/* Neighbours may convert the same point: both are in one body, to one type, of one plane of the stage. */
static bool may_share(const conversion *a, const conversion *b) {
  if (a->body != b->body || type_of(a) != type_of(b)) return false;
  for (uint32_t d = 0; d < pm_attr_at(a->read, stage_read_map)->map->n_results; d++)
    if (number_at(a->read, d) != number_at(b->read, d)) return false;
  return true;
}

/* Of `n` conversions like this one. */
static stage_work work_of(const conversion *c, double n) {
  double ops = n * stage_conversion_ops(pm_res(c->read, 0)->type, type_of(c));
  return (stage_work){.ops = ops, .op_bytes = ops * (double)pm_element_bytes(type_of(c))};
}

/* What the body computes, without what it loads. */
static stage_work work_in(const pm_op *body) {
  stage_work w = stage_body_work(body, 1);
  return (stage_work){.ops = w.ops, .op_bytes = w.op_bytes, .divisions = w.divisions, .calls = w.calls};
}

/* No earlier conversion is of the same read. */
static bool is_first_of_read(const outlining *o, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (o->conversions.data[k].read == o->conversions.data[i].read) return false;
  return true;
}

/* One of enough points that may be shared, in a body whose computing takes enough of its time for
 * conversions. */
static bool is_worth(const outlining *o, const conversion *c) {
  int64_t n = 0;
  for (size_t i = 0; i < o->conversions.len; i++)
    n += may_share(c, &o->conversions.data[i]) && is_first_of_read(o, i);
  if (n < o->least) return false;
  stage_work conversions = work_of(c, (double)n), all = work_in(c->body);
  return poly_point_ns(&o->machine, &conversions, 0) * 100 >=
         poly_point_ns(&o->machine, &all, 0) * (double)o->share;
}

/* --- the stage --- */

static void build_stage(const stage_node *node, pm_string name, pm_type type, pm_loc loc) {
  pm_context *ctx = pm_op_context(node->op);
  isl_set *domain = isl_peek_set(stage_domain_of(node->op));
  pm_string names[PM_MAX_RANK];
  for (unsigned d = 0; d < node->n_dims; d++) {
    const char *dim = isl_set_get_dim_name(domain, isl_dim_set, d);
    names[d] = dim ? pm_get_cstring(ctx, dim) : NULL;
  }
  pm_builder b = pm_builder_at_end(pm_module_of(node->op), node->op->region, loc);
  b.before = node->op->next;
  pm_op *func = stage_build_func(&b, name, type, stage_domain_of(node->op), NULL);
  pm_op *made = stage_build_case(func, loc, stage_domain_of(node->op));
  pm_region *body = stage_begin_body(made, names, node->n_dims);
  pm_builder in = pm_builder_at_end(pm_module_of(node->op), body, loc);
  pm_value *read =
      stage_build_read(&in, node->name, node->type, stage_own_point(ctx, node->n_dims), body->args, NULL);
  read = arith_build_cast(&in, read, type);
  stage_build_yield(&in, &read, 1);
}

/* The choice, between the converted value and what the other one is converted to. */
static pm_value *choose(const conversion *c, pm_value *converted) {
  pm_builder b = pm_builder_before(c->cast);
  pm_value *arms[2];
  for (unsigned i = 0; i < 2; i++) {
    pm_value *arm = pm_arg(c->choice, arith_select_a + i);
    bool reads = arm == pm_res(c->read, 0) ||
                 (pm_is(pm_def(arm), &arith_cast) && pm_arg(pm_def(arm), 0) == pm_res(c->read, 0));
    arms[i] = reads ? converted : arith_build_cast(&b, arm, type_of(c));
  }
  return arith_build_select(&b, pm_arg(c->choice, arith_select_condition), arms[0], arms[1]);
}

/* The conversion is a read of the stage. */
static void read_instead(const conversion *c, pm_string name) {
  pm_attr map = pm_attr_at(c->read, stage_read_map);
  PM_VEC(pm_value *) operands = {0};
  for (unsigned i = 0; i < c->read->n_operands; i++) PM_VEC_PUSH(operands, pm_arg(c->read, i));
  pm_builder b = pm_builder_before(c->read);
  pm_value *read = stage_build_read(&b, name, type_of(c), map->map, operands.data, NULL);
  if (c->choice) read = choose(c, read);
  pm_replace_op(c->cast, &read);
  PM_VEC_FREE(operands);
}

/* Those to the type of the first one, which are taken out of the list. */
static void outline(outlining *o, const stage_node *node) {
  pm_type type = type_of(&o->conversions.data[0]);
  pm_string name = stage_unused_name(node->op, pm_get_scalar_info((pm_scalar)type->scalar)->name);
  pm_loc loc = o->conversions.data[0].cast->loc;
  size_t left = 0, n = 0;
  for (size_t i = 0; i < o->conversions.len; i++) {
    conversion c = o->conversions.data[i];
    if (type_of(&c) != type) {
      o->conversions.data[left++] = c;
      continue;
    }
    read_instead(&c, name);
    if (!n || PM_VEC_LAST(o->changed) != c.body) PM_VEC_PUSH(o->changed, c.body);
    n++;
  }
  o->conversions.len = left;
  build_stage(node, name, type, loc);
  o->made++;
  pm_pass_remark(o->pass, loc, PM_REMARK_ANALYSIS, NULL, 0,
                 "%zu conversions of @%pS to %pT, at neighbouring points, become reads of a stage, @%pS", n,
                 (const void *)node->name, (const void *)type, (const void *)name);
}

static void visit_stage(outlining *o, const stage_node *node) {
  if (o->named[node->index] || pm_is(node->op, &stage_constant) || node->type->cls != PM_TYPE_SCALAR) return;
  list_conversions(o, node);
  PM_VEC(conversion) repeated = {0};
  for (size_t i = 0; i < o->conversions.len; i++)
    if (is_worth(o, &o->conversions.data[i])) PM_VEC_PUSH(repeated, o->conversions.data[i]);
  o->conversions.len = 0;
  for (size_t i = 0; i < repeated.len; i++) PM_VEC_PUSH(o->conversions, repeated.data[i]);
  PM_VEC_FREE(repeated);
  while (o->conversions.len) outline(o, node);
}

pm_result pass_outline_conversions(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  /* The user says where stages are computed, and says nothing of those that would be made here. */
  if (poly_has_demands(graph->pipeline)) return PM_UNCHANGED;
  outlining o = {.pass = pass,
                 .named = poly_named_stages(pass),
                 .least = pm_opt_int(pass, outline_conversions_opt_least),
                 .share = pm_opt_int(pass, outline_conversions_opt_share),
                 .computed = pm_map_new()};
  if (!pm_machine_of(graph->pipeline, &o.machine)) {
    pm_map_free(o.computed);
    return PM_FAILED;
  }
  pm_walk_pre(pm_pass_root(pass), find_computed, &o);
  for (size_t i = 0; i < graph->nodes.len; i++) visit_stage(&o, graph->nodes.data[i]);
  for (size_t i = 0; i < o.changed.len; i++) stage_tidy_body(pm_region_at(o.changed.data[i], 0));
  pm_map_free(o.computed);
  PM_VEC_FREE(o.conversions);
  PM_VEC_FREE(o.changed);
  pm_pass_stat(pass, "stages made", o.made);
  return o.made ? PM_CHANGED : PM_UNCHANGED;
}
