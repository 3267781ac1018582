/* Loops that are read off the tree. */
#include "passes/loop/lower-poly/lowering.h"

#include <stdlib.h>

static pm_affine_expr in_loops(const lowering *l, pm_affine_expr e) {
  return pm_affine_normalize(pm_affine_substitute(e, l->loops, l->part_params));
}

static pm_value *value_of(lowering *l, pm_builder *b, pm_affine_expr e) {
  return affine_build_value(b, &l->pool, in_loops(l, e));
}

/* The least or greatest of the values, `desc` being mini or maxi. */
static pm_value *extreme_of(lowering *l, pm_builder *b, const pm_op_desc *desc, const pm_affine_expr *exprs,
                            unsigned n) {
  pm_value *v = value_of(l, b, exprs[0]);
  for (unsigned i = 1; i < n; i++) v = pm_build_binary(b, desc, v, value_of(l, b, exprs[i]));
  return v;
}

static pm_value *begin_of(lowering *l, pm_builder *b, const poly_level *level) {
  if (level->fixed) return value_of(l, b, level->fixed);
  return extreme_of(l, b, &arith_maxi, level->lower, level->n_lower);
}

static pm_value *end_of(lowering *l, pm_builder *b, const poly_level *level) {
  pm_affine_expr last = level->fixed ? level->fixed : level->upper[0];
  if (level->fixed || level->n_upper == 1) return value_of(l, b, pm_affine_addc(last, 1));
  pm_value *v = extreme_of(l, b, &arith_mini, level->upper, level->n_upper);
  return pm_build_binary(b, &arith_addi, v, arith_build_index(b, 1));
}

static void scan_children(lowering *l, pm_builder b, const poly_scan *node);

/* What a level is in an iteration of its loop. */
static pm_affine_expr value_in_loop(const lowering *l, const poly_level *level, pm_affine_expr counter) {
  if (!level->first) return counter;
  pm_affine_expr steps = pm_affine_mul(counter, pm_affine_const(l->ctx, level->step));
  return pm_affine_normalize(pm_affine_add(steps, in_loops(l, level->first)));
}

static void scan_loop(lowering *l, pm_builder b, const poly_scan *node) {
  const poly_level *level = node->levels[0];
  if (node->n_levels == 1 && level->fixed) {
    l->loops[node->depth] = in_loops(l, level->fixed);
    scan_children(l, b, node);
    return;
  }
  pm_value *lb = begin_of(l, &b, level), *ub = end_of(l, &b, level);
  for (unsigned i = 1; i < node->n_levels; i++) {
    lb = pm_build_binary(&b, &arith_mini, lb, begin_of(l, &b, node->levels[i]));
    ub = pm_build_binary(&b, &arith_maxi, ub, end_of(l, &b, node->levels[i]));
  }
  char name[16];
  snprintf(name, sizeof name, "i%u", node->depth);
  pm_op *loop = lower_build_loop(l, &b, lb, ub, 1, pm_get_cstring(l->ctx, name), &node->marks);
  pm_value *i = pm_region_at(loop, 0)->args[0];
  l->loops[node->depth] = value_in_loop(l, level, affine_pool_expr(&l->pool, i));
  scan_children(l, pm_builder_at_end(b.module, pm_region_at(loop, 0), b.loc), node);
}

/* All of the conditions, at least one. */
static pm_value *all_of(lowering *l, pm_builder *b, const poly_condition *conditions, unsigned n) {
  pm_value *all = NULL;
  for (unsigned i = 0; i < n; i++) {
    const poly_condition *c = &conditions[i];
    pm_value *left = value_of(l, b, c->left), *right = value_of(l, b, c->right);
    pm_value *holds = arith_build_cmp(b, ARITH_GE, left, right);
    all = all ? pm_build_binary(b, &arith_andi, all, holds) : holds;
  }
  return all;
}

static pm_value *condition_of(lowering *l, pm_builder *b, const poly_scan *node) {
  if (!node->n_nests) return all_of(l, b, node->conditions, node->n_conditions);
  pm_value *any = NULL;
  for (unsigned i = 0; i < node->n_nests; i++) {
    pm_value *all = all_of(l, b, node->nests[i].conditions, node->nests[i].n_conditions);
    any = any ? pm_build_binary(b, &arith_ori, any, all) : all;
  }
  return any;
}

static void scan_if(lowering *l, pm_builder b, const poly_scan *node) {
  pm_value *condition = condition_of(l, &b, node);
  lower_note_value(l, condition);
  pm_op *op = loop_build_if(&b, condition);
  scan_children(l, pm_builder_at_end(b.module, pm_region_begin(pm_region_at(op, loop_if_then)), b.loc), node);
  if (!node->otherwise) return;
  scan_children(l, pm_builder_at_end(b.module, pm_region_begin(pm_region_at(op, loop_if_else)), b.loc),
                node->otherwise);
}

static void scan_allocs(lowering *l, pm_builder b, const poly_scan *node) {
  lower_buffer *outside = pm_xmalloc(node->n_boxes * sizeof *outside);
  for (unsigned i = 0; i < node->n_boxes; i++) {
    const poly_scan_box *box = &node->boxes[i];
    unsigned n = pm_attr_at(box->alloc, poly_alloc_size)->len;
    pm_affine_expr *origin = pm_arena_alloc(l->arena, (n + 1) * sizeof *origin);
    for (unsigned d = 0; d < n; d++) origin[d] = in_loops(l, box->point[d]);
    outside[i] = *lower_buffer_of(l, box->alloc);
    lower_scratchpad(l, b, box->alloc, origin);
  }
  scan_children(l, b, node);
  for (unsigned i = 0; i < node->n_boxes; i++) *lower_buffer_of(l, node->boxes[i].alloc) = outside[i];
  free(outside);
}

static void scan_statement(lowering *l, pm_builder b, const poly_scan *node) {
  unsigned n = (unsigned)isl_set_dim(node->statement->set, isl_dim_set);
  pm_affine_expr *coords = pm_arena_alloc(l->arena, (n + 1) * sizeof *coords);
  for (unsigned k = 0; k < n; k++) coords[node->order[k]] = l->loops[node->depth + k];
  b.loc = node->statement->node->op->loc;
  lower_instance(l, b, node->statement, coords);
}

/* What is inside the node, one after the other. */
static void scan_children(lowering *l, pm_builder b, const poly_scan *node) {
  for (const poly_scan *child = node->first; child && !l->failed; child = child->next) {
    if (child->kind == POLY_SCAN_LOOP)
      scan_loop(l, b, child);
    else if (child->kind == POLY_SCAN_IF)
      scan_if(l, b, child);
    else if (child->kind == POLY_SCAN_ALLOCS)
      scan_allocs(l, b, child);
    else if (child->kind == POLY_SCAN_STATEMENT)
      scan_statement(l, b, child);
    else
      scan_children(l, b, child);
  }
}

void lower_from_tree(lowering *l, pm_builder b, const poly_scan *loops) {
  scan_children(l, b, loops);
}
