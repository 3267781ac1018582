#include "dialects/poly/lower/full_tiles.h"

#include "dialects/poly/lower/cuts.h"

#include <stdlib.h>

typedef struct separation {
  pm_arena *arena;
  unsigned depth; /* of the isolated loop */
  poly_cuts cuts;
} separation;

typedef struct walker {
  pm_arena *arena;
  pm_affine_expr value[POLY_SCAN_DEPTH]; /* by depth: its only value, or the dimension */
  unsigned separated;
} walker;

/* --- expressions --- */

/* The greatest dimension that the expression has, plus 1; 0: none. */
static unsigned last_dim(pm_affine_expr e) {
  if (!e) return 0;
  if (e->kind == PM_AFFINE_DIM) return (unsigned)e->value + 1;
  unsigned left = last_dim(e->lhs), right = last_dim(e->rhs);
  return left > right ? left : right;
}

/* --- which bounds are cut --- */

static bool may_be_full(const poly_scan *loop) {
  return loop->kind == POLY_SCAN_LOOP && loop->n_levels == 1 && !loop->levels[0]->fixed &&
         poly_may_be_full(&loop->marks);
}

static int64_t work_of(const poly_scan *node) {
  int64_t work = 0;
  if (node->kind == POLY_SCAN_STATEMENT && node->statement->body) work = pm_count_ops(node->statement->body);
  for (const poly_scan *child = node->first; child; child = child->next) work += work_of(child);
  return work;
}

/* Exactly one of the bounds changes in the isolated loop, and none in a loop inside of it. */
static void add_cut(separation *s, const walker *w, const poly_scan *loop, bool upper) {
  const poly_level *level = loop->levels[0];
  poly_cut c = {.loop = loop, .upper = upper, .n = upper ? level->n_upper : level->n_lower};
  const pm_affine_expr *exprs = upper ? level->upper : level->lower;
  unsigned n_of_tile = 0;
  c.exprs = pm_arena_alloc(s->arena, c.n * sizeof *c.exprs);
  for (unsigned i = 0; i < c.n; i++) {
    c.exprs[i] = pm_affine_normalize(pm_affine_substitute(exprs[i], w->value, NULL));
    unsigned last = last_dim(c.exprs[i]);
    if (last > s->depth + 1) return;
    if (last == s->depth + 1) c.of_tile = i;
    n_of_tile += last == s->depth + 1;
  }
  if (c.n < 2 || n_of_tile != 1) return;
  c.work = work_of(loop);
  PM_VEC_PUSH(s->cuts, c);
}

/* The dimension of the loop, for what is inside. */
static void enter_loop(walker *w, const poly_scan *loop) {
  const poly_level *level = loop->levels[0];
  pm_context *ctx = level->fixed ? level->fixed->ctx : level->lower[0]->ctx;
  bool fixed = loop->n_levels == 1 && level->fixed;
  w->value[loop->depth] =
      fixed ? pm_affine_substitute(level->fixed, w->value, NULL) : pm_affine_dim(ctx, loop->depth);
}

static void find_cuts(separation *s, walker *w, const poly_scan *node) {
  if (may_be_full(node)) {
    add_cut(s, w, node, false);
    add_cut(s, w, node, true);
  }
  if (node->kind == POLY_SCAN_LOOP) enter_loop(w, node);
  for (const poly_scan *child = node->first; child; child = child->next) find_cuts(s, w, child);
  if (node->otherwise) find_cuts(s, w, node->otherwise);
}

/* --- the two versions --- */

/* The bound in a full tile, as the level has it: one of the tile, or those of the picture. */
static void take_bound(const separation *s, const poly_cut *c, pm_affine_expr **exprs, unsigned *n) {
  if (!c) return;
  pm_affine_expr *old = *exprs;
  *exprs = pm_arena_alloc(s->arena, c->n * sizeof **exprs);
  *n = 0;
  for (unsigned i = 0; i < c->n; i++)
    if ((i == c->of_tile) != c->never) (*exprs)[(*n)++] = old[i];
}

static const poly_level **full_levels(const separation *s, const poly_scan *loop) {
  poly_level *level = pm_arena_alloc(s->arena, sizeof *level);
  const poly_level **levels = pm_arena_alloc(s->arena, sizeof *levels);
  *level = *loop->levels[0];
  take_bound(s, poly_find_cut(&s->cuts, loop, false), &level->lower, &level->n_lower);
  take_bound(s, poly_find_cut(&s->cuts, loop, true), &level->upper, &level->n_upper);
  levels[0] = level;
  return levels;
}

/* In a full tile the loop ends before it begins. */
static bool is_empty(const separation *s, const poly_scan *loop) {
  const poly_level *level = loop->levels[0];
  for (unsigned i = 0; i < level->n_upper; i++)
    for (unsigned k = 0; k < level->n_lower; k++)
      if (poly_is_more_in_full(&s->cuts, level->upper[i], level->lower[k])) return true;
  return false;
}

/* In a full tile one of the conditions does not hold, which are of the loops around it. */
static bool is_contradicted(const separation *s, const walker *w, const poly_scan *node) {
  if (node->kind != POLY_SCAN_IF || node->n_nests || node->otherwise) return false;
  for (unsigned k = 0; k < node->n_conditions; k++) {
    const poly_condition *c = &node->conditions[k];
    if (last_dim(c->left) > s->depth + 1 || last_dim(c->right) > s->depth + 1) continue;
    pm_affine_expr left = pm_affine_substitute(c->left, w->value, NULL);
    pm_affine_expr right = pm_affine_substitute(c->right, w->value, NULL);
    if (poly_is_more_in_full(&s->cuts, left, right)) return true;
  }
  return false;
}

static void add_child(poly_scan *parent, poly_scan *child) {
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

/* What is inside `from`, as it is in a full tile, into `to`. */
static void copy_full(const separation *s, const walker *w, const poly_scan *from, poly_scan *to) {
  for (const poly_scan *child = from->first; child; child = child->next) {
    poly_scan *copy = pm_arena_alloc(s->arena, sizeof *copy);
    *copy = *child;
    copy->first = copy->last = copy->next = NULL;
    if (poly_find_cut(&s->cuts, child, false) || poly_find_cut(&s->cuts, child, true))
      copy->levels = full_levels(s, child);
    if ((may_be_full(copy) && is_empty(s, copy)) || is_contradicted(s, w, copy)) continue;
    copy_full(s, w, child, copy);
    add_child(to, copy);
  }
}

static poly_condition condition_of(const poly_cut *c, unsigned other) {
  pm_affine_expr less, more;
  poly_order_of_cut(c, other, &less, &more);
  return (poly_condition){more, less};
}

/* What holds in a full tile. */
static void add_conditions(const separation *s, poly_scan *choice) {
  unsigned most = 0;
  for (size_t i = 0; i < s->cuts.len; i++) most += s->cuts.data[i].n;
  poly_condition *conditions = pm_arena_alloc(s->arena, most * sizeof *conditions);
  for (size_t i = 0; i < s->cuts.len; i++) {
    const poly_cut *c = &s->cuts.data[i];
    for (unsigned k = 0; k < c->n && !c->never && !c->implied; k++)
      if (k != c->of_tile) conditions[choice->n_conditions++] = condition_of(c, k);
  }
  choice->conditions = conditions;
}

/* What is inside of the memory of the tile gets the two versions. */
static void separate(const separation *s, const walker *w, poly_scan *inside) {
  poly_scan *choice = pm_arena_alloc(s->arena, sizeof *choice),
            *other = pm_arena_alloc(s->arena, sizeof *other);
  choice->kind = POLY_SCAN_IF;
  other->kind = POLY_SCAN_BLOCK;
  add_conditions(s, choice);
  copy_full(s, w, inside, choice);
  other->first = inside->first;
  other->last = inside->last;
  choice->otherwise = other;
  inside->first = inside->last = choice;
}

static poly_scan *inside_of_memory(poly_scan *node) {
  while (node->first && !node->first->next && node->first->kind == POLY_SCAN_ALLOCS) node = node->first;
  return node;
}

static void separate_loop(walker *w, poly_scan *loop) {
  separation s = {.arena = w->arena, .depth = loop->depth};
  for (const poly_scan *child = loop->first; child; child = child->next) find_cuts(&s, w, child);
  if (s.cuts.len && poly_decide_cuts(&s.cuts)) {
    separate(&s, w, inside_of_memory(loop));
    w->separated++;
  }
  PM_VEC_FREE(s.cuts);
}

/* Inner loops first. */
static void separate_in(walker *w, poly_scan *node) {
  if (node->kind == POLY_SCAN_LOOP) enter_loop(w, node);
  for (poly_scan *child = node->first; child; child = child->next) separate_in(w, child);
  if (node->otherwise) separate_in(w, node->otherwise);
  if (node->kind == POLY_SCAN_LOOP && node->marks.of[POLY_MARK_isolate]) separate_loop(w, node);
}

unsigned poly_separate_full_tiles(pm_arena *arena, poly_scan *scan) {
  walker w = {.arena = arena};
  separate_in(&w, scan);
  return w.separated;
}
