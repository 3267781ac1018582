/* Schedules to demands: which Funcs are computed together, in what tiles and steps, and which are inlined.
 *
 * A Func that is computed at a loop of another is in one group with it. Along a dimension of the Func around,
 * the tile is what one iteration of the loops outside of the memory's level has of it, and a step what one
 * iteration of the loops outside of the level of computation has. What has no loop there is not decided. */
#include "frontends/halide/lower/lower.h"
#include "frontends/halide/lower/placing.h"

#include "dialects/poly/poly.h"

#include <stdlib.h>
#include <string.h>

typedef h_placing placing;

static const struct h_schedule *schedule_of(const h_symbol *s) {
  return s->schedule;
}

static const h_level nowhere = {.kind = H_NOWHERE}, root = {.kind = H_ROOT};

static const h_level *own_compute_level(const h_symbol *s) {
  if (!s->schedule) return &nowhere;
  return s->schedule->compute_from ? s->schedule->compute_from : &s->schedule->compute;
}

static const h_level *own_store_level(const h_symbol *s) {
  if (!s->schedule) return &nowhere;
  return s->schedule->store_from ? s->schedule->store_from : &s->schedule->store;
}

/* Outside of all loops of a Func (Var::outermost()): where this is computed itself. */
static const h_level *resolved(const h_level *at) {
  for (unsigned i = 0; i < 1000 && at->kind == H_AT && h_is_outermost(at->var); i++) {
    const h_level *around = at->func->is_output ? &root : own_compute_level(at->func);
    if (around->kind != H_ROOT && around->kind != H_AT) return at;
    at = around;
  }
  return at;
}

const h_level *h_compute_level(const h_symbol *s) {
  return resolved(own_compute_level(s));
}

static const h_level *store_of(const h_symbol *s) {
  return resolved(own_store_level(s));
}

/* --- nests --- */

static int find_in(const struct h_nest *nest, const h_var *var) {
  for (uint32_t i = 0; i < nest->loops.len; i++)
    if (nest->loops.data[i].var == var) return (int)i;
  return -1;
}

/* Where a Func without directives has no schedule yet, its loops are those of its Vars. */
int h_loop_of(const h_symbol *s, const h_var *var) {
  const struct h_schedule *schedule = schedule_of(s);
  if (schedule) return h_innermost_fused(&schedule->pure, find_in(&schedule->pure, var));
  for (unsigned d = 0; d < s->n_dims; d++)
    if (s->pure.args[d]->var == var) return (int)d;
  return -1;
}

static bool is_loop_of_update(const h_symbol *s, const h_var *var) {
  const struct h_schedule *schedule = schedule_of(s);
  for (uint32_t i = 0; schedule && i < schedule->updates.len; i++)
    if (find_in(&schedule->updates.data[i], var) >= 0) return true;
  for (uint32_t i = 0; i < s->updates.len; i++)
    if (var->rdom && s->updates.data[i].rdom == var->rdom) return true;
  return false;
}

static void put_loops_of(pm_buf *out, const h_symbol *s) {
  if (s->schedule) {
    h_put_loops(out, &s->schedule->pure);
    return;
  }
  for (unsigned d = s->n_dims; d > 0; d--)
    pm_buf_printf(out, "%s%s", s->pure.args[d - 1]->var->name->text, d > 1 ? ", " : "");
}

/* --- is it possible --- */

static bool check_loop(const placing *l, const h_symbol *s, const h_level *at) {
  if (h_loop_of(at->func, at->var) >= 0 || is_loop_of_update(at->func, at->var)) return true;
  pm_buf loops = {0};
  put_loops_of(&loops, at->func);
  pm_error(l->ctx, at->loc, "%s is placed at the loop %s of %s, whose loops are, from the outside: %s",
           s->name->text, at->var->name->text, at->func->name->text, loops.data ? loops.data : "none");
  pm_buf_free(&loops);
  return false;
}

h_symbol *h_func_around(const h_symbol *s) {
  const h_level *at = h_compute_level(s);
  if (at->kind == H_AT) return at->func;
  const h_symbol *with = s->schedule && s->schedule->with.kind == H_AT ? s->schedule->with.func : NULL;
  bool placed = with && (with->is_output || h_compute_level(with)->kind == H_ROOT ||
                         h_compute_level(with)->kind == H_AT);
  return placed ? s->schedule->with.func : NULL;
}

static bool is_within(const h_symbol *s, const h_symbol *outer) {
  for (unsigned i = 0; s && i < 1000; i++, s = h_func_around(s))
    if (s == outer) return true;
  return false;
}

/* They share loops. */
static bool is_computed_with(const h_symbol *s, const h_symbol *other) {
  return s->schedule && s->schedule->with.kind == H_AT && s->schedule->with.func == other;
}

pm_string h_stage_of(const h_symbol *s) {
  return s->is_apart ? s->whole_name : s->name;
}

typedef struct read_search {
  pm_string stage;
  pm_loc loc;
  bool found;
} read_search;

static pm_walk look_for_read(void *user, pm_op *op) {
  read_search *search = user;
  if (!pm_is(op, &stage_read) || pm_sym_at(op, stage_read_stage) != search->stage) return PM_WALK_ON;
  search->loc = op->loc;
  search->found = true;
  return PM_WALK_STOP;
}

static bool reads(const placing *l, const h_symbol *reader, const h_symbol *s, pm_loc *loc) {
  read_search search = {.stage = h_stage_of(s)};
  pm_op *func = pm_map_get(l->funcs, h_stage_of(reader));
  if (func) pm_walk_pre(func, look_for_read, &search);
  *loc = search.loc;
  return search.found;
}

bool h_may_be_inlined(const h_symbol *s) {
  h_level_kind kind = h_compute_level(s)->kind;
  return (kind == H_NOWHERE || kind == H_INLINE) && !s->is_output && s->updates.len == 0;
}

/* Nothing says where it is computed: it is a part of its readers, or at their innermost loops where it has
 * updates, as the Funcs of sum(…) and argmin(…). */
static bool is_in_readers(const h_symbol *s) {
  h_level_kind kind = h_compute_level(s)->kind;
  return (kind == H_NOWHERE || kind == H_INLINE) && !s->is_output && !h_func_around(s);
}

/* A reader of what `s` is, or is behind, that is not within `outer`, directly or behind Funcs that are not
 * stored, and does not compute `of` again; NULL: none. */
static const h_symbol *reader_outside(const placing *l, const h_symbol *of, const h_symbol *s,
                                      const h_symbol *outer, unsigned depth, pm_loc *loc) {
  const h_program *p = l->program;
  for (uint32_t i = 0; i < p->funcs.len; i++) {
    h_symbol *reader = p->funcs.data[i];
    if (!reader->needed || reader == s || !reads(l, reader, s, loc)) continue;
    if (is_within(reader, outer) || is_computed_with(reader, outer)) continue;
    if (h_computes_again(p, of, reader)) continue;
    if (!is_in_readers(reader) || depth > 50) return reader;
    pm_loc inner;
    const h_symbol *found = reader_outside(l, of, reader, outer, depth + 1, &inner);
    if (found) return found;
  }
  return NULL;
}

static bool check_readers(const placing *l, const h_symbol *s, const h_level *at) {
  pm_loc loc;
  const h_symbol *outside = reader_outside(l, s, s, at->func, 0, &loc);
  if (!outside) return true;
  pm_buf loops = {0};
  put_loops_of(&loops, at->func);
  pm_error(l->ctx, at->loc,
           "%s is placed at the loop %s of %s (its loops, from the outside: %s), but %s, which is not "
           "computed there, "
           "reads it",
           s->name->text, at->var->name->text, at->func->name->text, loops.data ? loops.data : "none",
           outside->name->text);
  pm_note(l->ctx, loc, "it is read here");
  pm_buf_free(&loops);
  return false;
}

/* The memory is made at the loop in which the Func is computed, or outside of it. */
static bool check_store(const placing *l, const h_symbol *s) {
  const h_level *compute = h_compute_level(s), *store = store_of(s);
  if (store->kind != H_AT) return true;
  if (compute->kind != H_AT)
    return pm_error(l->ctx, store->loc, "%s is stored at a loop of %s, but it is not computed at one",
                    s->name->text, store->func->name->text);
  if (!check_loop(l, s, store)) return false;
  bool outside = store->func == compute->func
                     ? h_loop_of(store->func, store->var) >= h_loop_of(store->func, compute->var)
                     : is_within(compute->func, store->func);
  if (outside) return true;
  pm_error(l->ctx, store->loc,
           "%s is stored at %s of %s, which is not outside of the loop at which it is computed",
           s->name->text, store->var->name->text, store->func->name->text);
  pm_note(l->ctx, compute->loc, "it is computed at %s of %s", compute->var->name->text,
          compute->func->name->text);
  return false;
}

static bool check_place(const placing *l, const h_symbol *s) {
  const h_level *at = h_compute_level(s);
  if (at->kind == H_INLINE && s->is_output)
    return pm_error(l->ctx, at->loc, "%s is an output, it cannot be inlined", s->name->text);
  if (at->kind == H_AT && s->is_output)
    return pm_error(l->ctx, at->loc, "%s is an output, it should be computed by itself", s->name->text);
  if (at->kind == H_AT && is_within(at->func, s))
    return pm_error(l->ctx, at->loc, "%s is computed at a loop of %s, which is computed in its own loops",
                    s->name->text, at->func->name->text);
  if (at->kind == H_AT && h_compute_level(at->func)->kind == H_INLINE) {
    pm_error(l->ctx, at->loc, "%s is computed at a loop of %s, which is inlined and has no loops",
             s->name->text, at->func->name->text);
    pm_note(l->ctx, h_compute_level(at->func)->loc, "it is inlined here");
    return false;
  }
  if (at->kind == H_AT && !at->func->needed) return true;
  return (at->kind != H_AT || (check_loop(l, s, at) && check_readers(l, s, at))) && check_store(l, s);
}

/* --- groups --- */

typedef PM_VEC(pm_string) stage_names;

typedef struct level_range {
  int compute, store; /* numbers of loops of the root: the innermost and the outermost; -1: not known */
  unsigned n_members;
} level_range;

/* A loop of the root that the level is at, behind Funcs between; -1: none of its first definition. */
static int level_in(const h_symbol *root, const h_symbol *s, const h_level *at) {
  for (unsigned i = 0; i < 1000 && at->kind == H_AT; i++) {
    if (at->func == root) return h_loop_of(root, at->var);
    s = at->func;
    at = h_compute_level(s);
  }
  return -1;
}

/* A loop whose inner loops of its dimension are vectors or unrolled is that dimension's whole one. */
static bool is_of_vectors(const struct h_nest *nest, int at) {
  const h_loop *loop = &nest->loops.data[at];
  bool any = false;
  for (int i = 0; i < at; i++) {
    const h_loop *inner = &nest->loops.data[i];
    if (inner->dim != loop->dim) continue;
    if (inner->kind != H_VECTOR && inner->kind != H_UNROLLED) return false;
    any = true;
  }
  return any;
}

/* Points of the dimension in an iteration of the loops from `from` on, below `to`; 0: there is none, or it is
 * not known. */
static int64_t points_of(const struct h_nest *nest, unsigned dim, int from, int to) {
  int64_t least = 0;
  for (int i = from < 0 ? 0 : from; i < to && i < (int)nest->loops.len; i++) {
    const h_loop *loop = &nest->loops.data[i];
    if (loop->dim != dim || is_of_vectors(nest, i) || loop->kind == H_VECTOR || loop->kind == H_UNROLLED)
      continue;
    if (loop->step == 0) return 0;
    if (least == 0 || loop->step < least) least = loop->step;
  }
  return least;
}

/* There are loops of the dimension inside. */
static bool is_split(const struct h_nest *nest, int at) {
  for (int i = 0; i < at; i++)
    if (nest->loops.data[i].dim == nest->loops.data[at].dim) return true;
  return false;
}

/* Of a Func in which nothing is computed: the points in an iteration of the loop that a split made outside;
 * 0: none. */
static int64_t outermost_step(const struct h_nest *nest, unsigned dim) {
  for (int i = (int)nest->loops.len - 1; i >= 0; i--) {
    const h_loop *loop = &nest->loops.data[i];
    if (loop->dim == dim) return is_split(nest, i) && !is_of_vectors(nest, i) ? loop->step : 0;
  }
  return 0;
}

/* What is computed with another at the loop `at` has no memory of its own there: the tile is that of the
 * loops around those of which there are others of the same dimension outside, which are steps. */
static int tile_level(const h_symbol *root, int at) {
  const struct h_schedule *schedule = schedule_of(root);
  const struct h_nest *nest = schedule ? &schedule->pure : NULL;
  for (; nest && at >= 0 && at < (int)nest->loops.len; at++) {
    bool is_step = false;
    for (uint32_t i = (uint32_t)at + 1; i < nest->loops.len; i++)
      is_step = is_step || nest->loops.data[i].dim == nest->loops.data[at].dim;
    if (!is_step) break;
  }
  return at;
}

static level_range find_levels(const placing *l, const h_symbol *root, stage_names *names) {
  level_range r = {.compute = -1, .store = -1};
  const h_program *p = l->program;
  for (uint32_t i = 0; i < p->funcs.len; i++) {
    const h_symbol *s = p->funcs.data[i];
    if (!s->needed || s == root || !is_within(s, root) || h_is_inlined_by_items(s)) continue;
    PM_VEC_PUSH(*names, h_stage_of(s));
    r.n_members++;
    const h_level *at = h_compute_level(s);
    bool with = at->kind != H_AT && s->schedule;
    if (with) at = &s->schedule->with;
    int compute = level_in(root, s, at);
    int store = store_of(s)->kind == H_AT ? level_in(root, s, store_of(s))
                : with                    ? tile_level(root, compute)
                                          : compute;
    if (store_of(s)->kind == H_ROOT) store = INT32_MAX;
    if (h_is_of_item(s)) compute = store = h_innermost_block(root);
    if (compute >= 0 && (r.compute < 0 || compute < r.compute)) r.compute = compute;
    if (store > r.store) r.store = store;
  }
  return r;
}

static void remark_vectors(const placing *l, const h_symbol *root, const struct h_nest *nest, int at) {
  pm_remark(l->ctx, root->loc, PM_REMARK_MISSED, "halide", NULL, 0,
            "what is computed at the loop %s of %s, whose iterations are vectors, is computed at the loop "
            "outside of it",
            nest->loops.data[at].var->name->text, root->name->text);
}

/* Sizes of tiles and of steps, the outermost dimension first, from the first one on that has either; the
 * number of dimensions, 0: none. */
static unsigned find_sizes(const placing *l, const h_symbol *root, level_range r, int64_t *tile,
                           int64_t *inner, int *n_inner) {
  static const struct h_nest none = {0};
  const struct h_nest *nest = root->schedule ? &root->schedule->pure : &none;
  int last = (int)nest->loops.len;
  unsigned n = 0;
  *n_inner = -1;
  if (r.n_members > 0 && r.compute < 0) return 0;
  if (r.compute >= 0 && r.compute < last && is_of_vectors(nest, r.compute)) {
    remark_vectors(l, root, nest, r.compute);
    r.compute++;
  }
  if (r.store < r.compute) r.store = r.compute;
  int store = r.n_members > 0 ? r.store : 0;
  for (unsigned d = root->n_dims; d > 0; d--) {
    int64_t t = r.n_members > 0 ? points_of(nest, d - 1, store, last) : outermost_step(nest, d - 1);
    int64_t step = r.n_members > 0 && store > r.compute ? points_of(nest, d - 1, r.compute, store) : 0;
    if (n == 0 && t == 0 && step == 0) continue;
    tile[n] = t;
    inner[n] = step ? step : t ? t : INT32_MAX;
    if (step) *n_inner = (int)n + 1;
    n++;
  }
  if (r.n_members > 0 && store == r.compute && n > 0) *n_inner = 0;
  return n;
}

/* The same of blocks: a tile is what a block has, a step what a serial loop in it has. */
static unsigned find_block_sizes(const h_symbol *root, level_range r, int64_t *tile, int64_t *inner,
                                 int *n_inner) {
  const struct h_nest *nest = &root->schedule->pure;
  int block = h_innermost_block(root);
  unsigned n = root->n_dims;
  *n_inner = -1;
  for (unsigned i = 0; i < n; i++) {
    unsigned d = n - 1 - i;
    int64_t step = r.compute >= 0 ? points_of(nest, d, r.compute, block) : 0;
    tile[i] = h_points_in_block(root, d);
    inner[i] = step ? step : tile[i] ? tile[i] : INT32_MAX;
    if (step) *n_inner = (int)i + 1;
  }
  if (*n_inner < 0) *n_inner = 0;
  return n;
}

/* Where the target has groups of items, what says nothing of them is for others. */
static void remark_for_others(const placing *l, const h_symbol *root) {
  if (!root->schedule || !root->schedule->has_loops) return;
  pm_remark(l->ctx, root->loc, PM_REMARK_MISSED, "halide", NULL, 0,
            "the loops of %s are not followed: none of them runs over blocks, by which groups of work-items "
            "would have their tiles",
            root->name->text);
}

static void demand_blocks(placing *l, const h_symbol *root, pm_builder *b, const stage_names *names,
                          level_range r) {
  int64_t tile[HX_MAX_DIMS], inner[HX_MAX_DIMS], items[H_MAX_ITEM_DIMS];
  int n_inner = -1;
  unsigned n = find_block_sizes(root, r, tile, inner, &n_inner);
  pm_op *demand = poly_add_demand(b, "together", names->data, names->len, tile, n, inner, (size_t)n_inner);
  pm_set_attr(demand, poly_demand_items, pm_get_index_array(l->ctx, items, h_items_of(root, items)));
}

static void demand_group(placing *l, const h_symbol *root, pm_builder *b) {
  stage_names names = {0};
  int64_t tile[HX_MAX_DIMS], inner[HX_MAX_DIMS];
  int n_inner = -1;
  PM_VEC_PUSH(names, h_stage_of(root));
  level_range r = find_levels(l, root, &names);
  bool said = h_compute_level(root)->kind == H_ROOT, blocks = h_innermost_block(root) >= 0;
  unsigned n = l->program->has_groups ? 0 : find_sizes(l, root, r, tile, inner, &n_inner);
  b->loc = h_compute_level(root)->kind != H_NOWHERE ? h_compute_level(root)->loc : root->loc;
  if (l->program->has_groups && !blocks) remark_for_others(l, root);
  if (blocks)
    demand_blocks(l, root, b, &names, r);
  else if (r.n_members > 0 || said)
    poly_add_demand(b, "together", names.data, names.len, n ? tile : NULL, n,
                    n && n_inner >= 0 ? inner : NULL, n_inner > 0 ? (size_t)n_inner : 0);
  else if (root->schedule && root->schedule->has_loops)
    pm_remark(l->ctx, b->loc, PM_REMARK_MISSED, "halide", NULL, 0,
              "the loops of %s are decided with those of its producers: compute_root() would separate them",
              root->name->text);
  PM_VEC_FREE(names);
}

/* The readers that compute it again. */
static void demand_again(placing *l, const h_symbol *s, pm_builder *b) {
  const h_program *p = l->program;
  stage_names readers = {0};
  for (uint32_t i = 0; i < p->funcs.len; i++)
    if (p->funcs.data[i]->needed && h_computes_again(p, s, p->funcs.data[i]))
      PM_VEC_PUSH(readers, h_stage_of(p->funcs.data[i]));
  if (readers.len > 0) poly_add_demand_again(b, h_stage_of(s), readers.data, readers.len);
  PM_VEC_FREE(readers);
}

/* A Func that others are computed in, that is stored whole, or an output with loops of its own. */
static bool is_root(const h_symbol *s) {
  return h_compute_level(s)->kind != H_INLINE && !h_func_around(s);
}

static bool place_all(placing *l) {
  const h_program *p = l->program;
  pm_builder b = pm_builder_at_end(pm_module_of(l->pipeline), pm_region_at(l->pipeline, 0), l->pipeline->loc);
  bool ok = true;
  for (uint32_t i = 0; i < p->funcs.len; i++)
    if (p->funcs.data[i]->needed)
      ok &= check_place(l, p->funcs.data[i]) && h_check_blocks(l, p->funcs.data[i]);
  for (uint32_t i = 0; i < p->funcs.len && ok; i++) {
    const h_symbol *s = p->funcs.data[i];
    pm_string name = h_stage_of(s);
    if (!s->needed) continue;
    b.loc = h_compute_level(s)->loc;
    if (h_is_mode(s)) continue;
    if (h_compute_level(s)->kind == H_INLINE || h_is_inlined_by_items(s))
      poly_add_demand(&b, "inline", &name, 1, NULL, 0, NULL, 0);
    else if (is_root(s))
      demand_group(l, s, &b);
    demand_again(l, s, &b);
  }
  return ok;
}

bool h_lower_schedules(h_program *p, pm_op *pipeline) {
  placing l = {.ctx = p->ctx, .program = p, .pipeline = pipeline, .funcs = pm_map_new()};
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_func)) pm_map_set(l.funcs, pm_sym_at(op, stage_func_sym), op);
  bool ok = h_place_copies(&l) && place_all(&l);
  pm_map_free(l.funcs);
  return ok;
}
