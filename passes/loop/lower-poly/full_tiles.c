/* Full tiles in the loops that isl generates, as dialects/poly/lower/full_tiles.h has them in those that are
 * read off the tree. The loops of a tile are known by their number, in the order in which they are met. */
#include "dialects/loop/analyses/loops.h"
#include "dialects/poly/lower/cuts.h"
#include "passes/loop/lower-poly/lowering.h"

#include <isl/id.h>

typedef struct collector {
  lowering *l;
  pm_builder *b;
  pm_op *tile;  /* the loop over tiles */
  size_t loops; /* met before */
  poly_cuts cuts;
  PM_VEC(isl_id *) inside; /* iterators of the loops around, in the tile */
} collector;

static const void *key_of(size_t number) {
  return (const void *)(uintptr_t)number;
}

/* --- which bounds are cut --- */

static bool mentions_inside(const collector *c, isl_ast_expr *expr) {
  bool mentions = false;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    for (size_t i = 0; i < c->inside.len; i++) mentions = mentions || c->inside.data[i] == id;
    isl_id_free(id);
  }
  if (isl_ast_expr_get_type(expr) != isl_ast_expr_op) return mentions;
  for (int i = 0; i < (int)isl_ast_expr_op_get_n_arg(expr) && !mentions; i++) {
    isl_ast_expr *arg = isl_ast_expr_op_get_arg(expr, i);
    mentions = mentions_inside(c, arg);
    isl_ast_expr_free(arg);
  }
  return mentions;
}

static bool changes_in_tile(const collector *c, pm_affine_expr e) {
  if (!e) return false;
  if (e->kind == PM_AFFINE_DIM) return loop_changes_in(c->l->pool.operands.data[e->value], c->tile);
  return changes_in_tile(c, e->lhs) || changes_in_tile(c, e->rhs);
}

/* Number `i` of what the bound is the least or greatest of, plus `more`; NULL: it is of no use. */
static pm_affine_expr bound_of(collector *c, isl_ast_expr *bound, int i, int64_t more) {
  isl_ast_expr *arg = isl_ast_expr_op_get_arg(bound, i);
  bool usable = !mentions_inside(c, arg);
  pm_affine_expr e = usable ? affine_of_ast(&c->l->pool, c->b, &c->l->env, arg) : NULL;
  isl_ast_expr_free(arg);
  if (usable && !e) c->l->failed = true;
  return e ? pm_affine_normalize(pm_affine_addc(e, more)) : NULL;
}

/* Adds the bound (borrowed), with `more` added the first or last value, if exactly one of those that it is
 * the least or greatest of changes from tile to tile. */
static void add_cut(collector *c, isl_ast_expr *bound, bool upper, int64_t more, int64_t work) {
  enum isl_ast_expr_op_type extreme = upper ? isl_ast_expr_op_min : isl_ast_expr_op_max;
  if (isl_ast_expr_get_type(bound) != isl_ast_expr_op || isl_ast_expr_op_get_type(bound) != extreme) return;
  poly_cut cut = {.loop = key_of(c->loops), .upper = upper, .work = work};
  unsigned n_of_tile = 0, n = (unsigned)isl_ast_expr_op_get_n_arg(bound);
  cut.exprs = pm_arena_alloc(c->l->arena, n * sizeof *cut.exprs);
  for (; cut.n < n; cut.n++) {
    pm_affine_expr e = bound_of(c, bound, (int)cut.n, more);
    if (!e) return;
    bool of_tile = changes_in_tile(c, e);
    if (of_tile) cut.of_tile = cut.n;
    n_of_tile += of_tile;
    cut.exprs[cut.n] = e;
  }
  if (n_of_tile == 1) PM_VEC_PUSH(c->cuts, cut);
}

static isl_bool add_work(isl_ast_node *node, void *user) {
  void *const *of = user;
  if (isl_ast_node_get_type(node) != isl_ast_node_user) return isl_bool_true;
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  const stage_statement *statement = lower_called_statement(of[0], call);
  if (statement->body) *(int64_t *)of[1] += pm_count_ops(statement->body);
  isl_ast_expr_free(call);
  return isl_bool_true;
}

static void add_cuts(collector *c, isl_ast_node *loop) {
  int64_t work = 0;
  isl_ast_node_foreach_descendant_top_down(loop, add_work, (void *[]){c->l, &work});
  isl_ast_expr *init = isl_ast_node_for_get_init(loop), *cond = isl_ast_node_for_get_cond(loop);
  isl_ast_expr *end = isl_ast_expr_op_get_arg(cond, 1);
  add_cut(c, init, false, 0, work);
  add_cut(c, end, true, isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_le ? 0 : -1, work);
  isl_ast_expr_free(end);
  isl_ast_expr_free(cond);
  isl_ast_expr_free(init);
}

static void collect(collector *c, __isl_take isl_ast_node *node, poly_loop_marks marks);

static void collect_in_loop(collector *c, isl_ast_node *loop, const poly_loop_marks *marks) {
  isl_ast_expr *iterator = isl_ast_node_for_get_iterator(loop);
  c->loops++;
  if (isl_ast_node_for_is_degenerate(loop) != isl_bool_true && poly_may_be_full(marks)) add_cuts(c, loop);
  PM_VEC_PUSH(c->inside, isl_ast_expr_get_id(iterator));
  collect(c, isl_ast_node_for_get_body(loop), poly_marks_inside(marks));
  isl_id_free(PM_VEC_POP(c->inside));
  isl_ast_expr_free(iterator);
}

static void collect_in_block(collector *c, isl_ast_node *block, const poly_loop_marks *marks) {
  isl_ast_node_list *children = isl_ast_node_block_get_children(block);
  for (int i = 0; i < (int)isl_ast_node_list_n_ast_node(children); i++)
    collect(c, isl_ast_node_list_get_ast_node(children, i), *marks);
  isl_ast_node_list_free(children);
}

static void collect(collector *c, __isl_take isl_ast_node *node, poly_loop_marks marks) {
  enum isl_ast_node_type type = isl_ast_node_get_type(node);
  if (type == isl_ast_node_for) {
    collect_in_loop(c, node, &marks);
  } else if (type == isl_ast_node_block) {
    collect_in_block(c, node, &marks);
  } else if (type == isl_ast_node_mark) {
    collect(c, isl_ast_node_mark_get_node(node), lower_marks_at(c->l, node, &marks));
  } else if (type == isl_ast_node_if) {
    collect(c, isl_ast_node_if_get_then_node(node), marks);
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true)
      collect(c, isl_ast_node_if_get_else_node(node), marks);
  }
  isl_ast_node_free(node);
}

/* --- the two versions --- */

static pm_value *value_of(const lowering *l, pm_builder *b, pm_affine_expr e) {
  return affine_build_value(b, &l->pool, e);
}

static pm_value *within_cut(const collector *c, const poly_cut *cut, unsigned k) {
  pm_affine_expr less, more;
  poly_order_of_cut(cut, k, &less, &more);
  pm_value *greater = value_of(c->l, c->b, more), *smaller = value_of(c->l, c->b, less);
  return arith_build_cmp(c->b, ARITH_GE, greater, smaller);
}

/* What holds in a full tile. */
static pm_value *condition_of(const collector *c) {
  pm_value *all = NULL;
  for (size_t i = 0; i < c->cuts.len; i++) {
    const poly_cut *cut = &c->cuts.data[i];
    for (unsigned k = 0; k < cut->n && !cut->never && !cut->implied; k++) {
      if (k == cut->of_tile) continue;
      pm_value *holds = within_cut(c, cut, k);
      all = all ? pm_build_binary(c->b, &arith_andi, all, holds) : holds;
    }
  }
  return all;
}

pm_value *lower_full_bound(lowering *l, pm_builder *b, bool upper) {
  const poly_cut *cut = l->full ? poly_find_cut(l->full, key_of(l->loops_met), upper) : NULL;
  pm_value *v = NULL;
  if (!cut) return NULL;
  for (unsigned i = 0; i < cut->n; i++) {
    if ((i == cut->of_tile) == cut->never) continue;
    pm_value *next = value_of(l, b, pm_affine_addc(cut->exprs[i], upper));
    v = v ? pm_build_binary(b, upper ? &arith_mini : &arith_maxi, v, next) : next;
  }
  return v;
}

static void lower_version(lowering *l, pm_op *choice, unsigned region, pm_loc loc, isl_ast_node *body,
                          const poly_loop_marks *marks) {
  pm_region *inside = pm_region_begin(pm_region_at(choice, region));
  lower_node(l, pm_builder_at_end(pm_module_of(choice), inside, loc), body, marks);
}

static void lower_versions(collector *c, isl_ast_node *body, const poly_loop_marks *marks) {
  lowering *l = c->l;
  size_t before = l->loops_met;
  pm_value *condition = condition_of(c);
  lower_note_value(l, condition);
  pm_op *choice = loop_build_if(c->b, condition);
  l->full = &c->cuts;
  lower_version(l, choice, loop_if_then, c->b->loc, body, marks);
  l->full = NULL;
  l->loops_met = before;
  lower_version(l, choice, loop_if_else, c->b->loc, body, marks);
}

bool lower_full_tiles(lowering *l, pm_builder b, pm_op *tile, isl_ast_node *body,
                      const poly_loop_marks *marks) {
  collector c = {.l = l, .b = &b, .tile = tile, .loops = l->loops_met};
  if (l->full) return false;
  collect(&c, isl_ast_node_copy(body), *marks);
  bool separated = !l->failed && c.cuts.len && poly_decide_cuts(&c.cuts);
  if (separated) lower_versions(&c, body, marks);
  PM_VEC_FREE(c.cuts);
  PM_VEC_FREE(c.inside);
  return separated;
}
