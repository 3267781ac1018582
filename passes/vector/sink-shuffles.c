/* sink-shuffles: what is computed alike of all channels of pixels is computed before they are taken apart.
 *
 *   %w = vec.load %in[…] : vector<48xf32>    |  %w, %x = …
 *   %x = vec.load %in[…] : vector<48xf32>    |  %a = vec.shuffle %w, %w [0, 1 … 15]    and those of %x
 *   %r = vec.shuffle %w, %w [0, 3, 6 …]      |  %b = vec.shuffle %w, %w [16, 17 … 31]
 *   %g = vec.shuffle %w, %w [1, 4, 7 …]      |  %c = vec.shuffle %w, %w [32, 33 … 47]
 *   %b = vec.shuffle %w, %w [2, 5, 8 …]      |  %p = arith.addf %a, %d   %q = arith.addf %b, %e  …
 *   %s, %h, %c = … three of %x               |  %v = … all 48 lanes of %p, %q and %s
 *   %0 = arith.addf %r, %s                   |  %0 = vec.shuffle %v, %v [0, 3, 6 …]
 *   %1 = arith.addf %g, %h                   |  %1 = vec.shuffle %v, %v [1, 4, 7 …]
 *   %2 = arith.addf %b, %c                   |  %2 = vec.shuffle %v, %v [2, 5, 8 …]
 *
 * There are as many operations as before, and fewer shuffles: those of one sum for those of each operand. In
 * the same way channels are put together before the last operations on them, where that saves the shuffles of
 * another operand. Operations of the channels at one place are a pack, as statements are in superword level
 * parallelism (Larsen and Amarasinghe, PLDI 2000; for interleaved data: Anderson, Malik and Gregg, "Automatic
 * vectorization of interleaved data revisited", TACO 2015).
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLANES = 4, MOST_OPERANDS = 4, MOST_LANES = 256, MOST_PACKS = 256 };

typedef enum pack_kind {
  PACK_SPLIT, /* the planes of a wide vector */
  PACK_SAME,  /* one number for all lanes of all planes */
  PACK_OP,    /* one operation on each plane */
  PACK_OTHER  /* they have nothing in common */
} pack_kind;

/* A value of each plane, of as many lanes. The parts are the same values with the planes interleaved. */
typedef struct pack {
  pack_kind kind;
  pm_value *planes[MOST_PLANES], *parts[MOST_PLANES];
  struct pack *operands[MOST_OPERANDS];
  int64_t cost; /* sets of shuffles, without what is shared */
} pack;

/* The packs that one is computed of. */
typedef struct web {
  unsigned n, lanes;
  const pm_region *body;
  unsigned n_begun;   /* packs, at most MOST_PACKS */
  PM_VEC(pack *) all; /* operands ahead of what uses them; the root is the last */
} web;

/* --- shuffles --- */

static int64_t lane_of(const pm_op *shuffle, unsigned i) {
  return pm_attr_at(shuffle, vec_shuffle_lanes)->items[i]->i;
}

static unsigned n_lanes(const pm_value *vector) {
  return (unsigned)vector->type->lanes;
}

/* The shuffle takes one of several planes out of a vector; its number, -1: it does not. */
static int plane_of(const pm_op *op, unsigned *n) {
  if (!pm_is(op, &vec_shuffle) || pm_arg(op, vec_shuffle_a) != pm_arg(op, vec_shuffle_b)) return -1;
  unsigned lanes = n_lanes(pm_res((pm_op *)op, 0)), all = n_lanes(pm_arg(op, vec_shuffle_a));
  *n = all / lanes;
  if (*n < 2 || *n > MOST_PLANES || all % lanes || lanes < 2) return -1;
  for (unsigned i = 0; i < lanes; i++)
    if (lane_of(op, i) != lane_of(op, 0) + (int64_t)(i * *n)) return -1;
  return lane_of(op, 0) < *n ? (int)lane_of(op, 0) : -1;
}

/* Where a lane of the value comes from, behind vectors that were joined of ones with `lanes` lanes. */
static pm_value *source_of(pm_value *value, unsigned lanes, int64_t *lane) {
  while (n_lanes(value) != lanes) {
    const pm_op *op = pm_def(value);
    if (!pm_is(op, &vec_shuffle)) return NULL;
    int64_t from = lane_of(op, (unsigned)*lane), n = n_lanes(pm_arg(op, vec_shuffle_a));
    value = pm_arg(op, from < n ? vec_shuffle_a : vec_shuffle_b);
    *lane = from < n ? from : from - n;
  }
  return value;
}

/* The op interleaves n values. */
static bool interleaves(pm_op *op, unsigned n, pm_value **planes) {
  pm_value *all = pm_res(op, 0);
  unsigned lanes = n_lanes(all) / n;
  if (n_lanes(all) % n || lanes < 2) return false;
  for (unsigned i = 0; i < n_lanes(all); i++) {
    int64_t lane = i;
    pm_value *from = source_of(all, lanes, &lane);
    if (i < n) planes[i] = from;
    if (!from || from != planes[i % n] || lane != i / n) return false;
  }
  for (unsigned k = 1; k < n; k++)
    if (planes[k] == planes[0]) return false;
  return true;
}

/* All values behind one another. */
static pm_value *join(pm_builder *b, pm_value *const *values, unsigned n) {
  int64_t lanes[MOST_LANES];
  pm_value *all = values[0];
  for (unsigned k = 1; k < n; k++) {
    unsigned len = n_lanes(all) + n_lanes(values[k]);
    for (unsigned i = 0; i < len; i++) lanes[i] = i;
    all = vec_build_shuffle(b, all, values[k], lanes, len);
  }
  return all;
}

/* --- packs --- */

static bool is_lanewise(const pm_op *op) {
  return op && pm_has_trait(op, PM_PURE) && !pm_has_trait(op, PM_CONSTANT) && op->n_results == 1 &&
         !op->n_regions && op->n_operands > 0 && op->n_operands <= MOST_OPERANDS && op->desc->kernel;
}

static bool all_have_lanes(const web *w, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (n_lanes(pm_arg(op, i)) != w->lanes) return false;
  return n_lanes(pm_res((pm_op *)op, 0)) == w->lanes;
}

static bool same_attrs(const pm_op *a, const pm_op *b) {
  for (unsigned i = 0; i < a->desc->n_attrs; i++)
    if (pm_attr_at(a, i) != pm_attr_at(b, i)) return false;
  return true;
}

static bool is_same_op(const pm_op *a, const pm_op *b) {
  bool same = b && a->desc == b->desc && a->n_operands == b->n_operands && same_attrs(a, b) &&
              pm_res((pm_op *)a, 0)->type == pm_res((pm_op *)b, 0)->type;
  for (unsigned i = 0; i < a->n_operands && same; i++) same = pm_arg(a, i)->type == pm_arg(b, i)->type;
  return same;
}

static bool is_number(const pm_value *value) {
  return pm_constant_value(value) || pm_is(pm_def(value), &vec_splat);
}

static pack_kind kind_of(const web *w, pm_value *const *planes) {
  const pm_op *first = pm_def(planes[0]);
  unsigned n;
  bool same = true, split = true, op = is_lanewise(first) && all_have_lanes(w, first);
  for (unsigned k = 0; k < w->n; k++) {
    const pm_op *def = pm_def(planes[k]);
    same = same && planes[k] == planes[0];
    split = split && def && plane_of(def, &n) == (int)k && n == w->n && pm_arg(def, 0) == pm_arg(first, 0);
    op = op && is_same_op(first, def) && def->region == w->body;
  }
  if (same) return is_number(planes[0]) ? PACK_SAME : PACK_OTHER;
  return split ? PACK_SPLIT : op ? PACK_OP : PACK_OTHER;
}

static pack *find_pack(const web *w, pm_value *const *planes) {
  for (size_t i = 0; i < w->all.len; i++)
    if (memcmp(w->all.data[i]->planes, planes, w->n * sizeof *planes) == 0) return w->all.data[i];
  return NULL;
}

static pack *add_pack(pm_pass *pass, web *w, pm_value *const *planes) {
  pack *p = find_pack(w, planes);
  if (p) return p;
  p = pm_arena_alloc(pm_pass_arena(pass), sizeof *p);
  memcpy(p->planes, planes, w->n * sizeof *planes);
  p->kind = w->n_begun++ < MOST_PACKS ? kind_of(w, planes) : PACK_OTHER;
  for (unsigned i = 0; p->kind == PACK_OP && i < pm_def(planes[0])->n_operands; i++) {
    pm_value *operands[MOST_PLANES] = {0};
    for (unsigned k = 0; k < w->n; k++) operands[k] = pm_arg(pm_def(planes[k]), i);
    p->operands[i] = add_pack(pass, w, operands);
  }
  PM_VEC_PUSH(w->all, p);
  return p;
}

/* --- what they cost, in shuffles --- */

static bool is_in(const web *w, const pm_op *op) {
  for (size_t i = 0; i < w->all.len; i++)
    for (unsigned k = 0; k < w->n && w->all.data[i]->kind == PACK_OP; k++)
      if (pm_def(w->all.data[i]->planes[k]) == op) return true;
  return false;
}

/* Nothing else uses its planes, which go. */
static bool goes(const web *w, const pack *p) {
  for (unsigned k = 0; k < w->n; k++) PM_FOR_USES(use, p->planes[k])
  if (!is_in(w, pm_user(use))) return false;
  return true;
}

static bool are_constants(const web *w, const pack *p) {
  for (unsigned k = 0; k < w->n; k++)
    if (!pm_constant_value(p->planes[k])) return false;
  return true;
}

static void reach(const web *w, pack *p, pm_map *reached) {
  if (pm_map_has(reached, p)) return;
  pm_map_set(reached, p, p);
  for (unsigned i = 0; p->kind == PACK_OP && i < MOST_OPERANDS && p->operands[i]; i++)
    reach(w, p->operands[i], reached);
}

/* Leaves out packs that no operation uses any more. */
static void drop_unreached(web *w) {
  pm_map *reached = pm_map_new();
  size_t n = 0;
  reach(w, PM_VEC_LAST(w->all), reached);
  for (size_t i = 0; i < w->all.len; i++)
    if (pm_map_has(reached, w->all.data[i])) w->all.data[n++] = w->all.data[i];
  w->all.len = n;
  pm_map_free(reached);
}

/* Operations but the root's whose results are used elsewhere stay on planes. */
static void keep_used(web *w) {
  for (size_t i = 0; i + 1 < w->all.len; i++) {
    pack *p = w->all.data[i];
    if (p->kind != PACK_OP || goes(w, p)) continue;
    p->kind = PACK_OTHER;
    drop_unreached(w);
    i = (size_t)-1;
  }
}

/* So do those for which it costs less to interleave the result than what it is computed of. */
static void keep_cheaper(web *w) {
  for (size_t i = 0; i < w->all.len; i++) {
    pack *p = w->all.data[i];
    p->cost = p->kind == PACK_SPLIT ? -1 : p->kind == PACK_OTHER && !are_constants(w, p);
    for (unsigned k = 0; p->kind == PACK_OP && k < MOST_OPERANDS && p->operands[k]; k++)
      p->cost += p->operands[k]->cost;
    if (p->cost < -MOST_PACKS) p->cost = -MOST_PACKS; /* what is shared counts again and again */
    if (p->kind == PACK_OP && p->cost > 0 && i + 1 < w->all.len) {
      p->kind = PACK_OTHER;
      p->cost = 1;
    }
  }
  drop_unreached(w);
}

/* How many sets of shuffles there are more; `others`: some interleave planes of the loop. */
static int64_t count_shuffles(const web *w, bool *others) {
  int64_t more = 0;
  *others = false;
  for (size_t i = 0; i < w->all.len; i++) {
    const pack *p = w->all.data[i];
    bool other = p->kind == PACK_OTHER && !are_constants(w, p);
    *others = *others || other;
    more += other;
    more -= p->kind == PACK_SPLIT && goes(w, p);
  }
  return more;
}

/* --- parts --- */

static void split(const web *w, pm_builder *b, pack *p) {
  pm_value *all = pm_arg(pm_def(p->planes[0]), 0);
  int64_t lanes[MOST_LANES];
  for (unsigned k = 0; k < w->n; k++) {
    for (unsigned i = 0; i < w->lanes; i++) lanes[i] = k * w->lanes + i;
    p->parts[k] = vec_build_shuffle(b, all, all, lanes, w->lanes);
  }
}

static void interleave(const web *w, pm_builder *b, pack *p) {
  pm_value *all = join(b, p->planes, w->n);
  int64_t lanes[MOST_LANES];
  for (unsigned k = 0; k < w->n; k++) {
    for (unsigned i = 0; i < w->lanes; i++) {
      unsigned at = k * w->lanes + i;
      lanes[i] = at % w->n * w->lanes + at / w->n;
    }
    p->parts[k] = vec_build_shuffle(b, all, all, lanes, w->lanes);
  }
}

static void compute(const web *w, pm_builder *b, pack *p) {
  pm_op *of = pm_def(p->planes[0]);
  for (unsigned k = 0; k < w->n; k++) {
    pm_value *operands[MOST_OPERANDS];
    for (unsigned i = 0; i < of->n_operands; i++) operands[i] = p->operands[i]->parts[k];
    pm_op *made = pm_build(b, of->desc, operands, of->n_operands, &p->planes[0]->type, 1, pm_attrs(of));
    made->loc = of->loc;
    p->parts[k] = pm_res(made, 0);
  }
}

static void build(const web *w, pm_builder *b) {
  for (size_t i = 0; i < w->all.len; i++) {
    pack *p = w->all.data[i];
    if (p->kind == PACK_SPLIT) split(w, b, p);
    if (p->kind == PACK_OTHER) interleave(w, b, p);
    if (p->kind == PACK_OP) compute(w, b, p);
    for (unsigned k = 0; p->kind == PACK_SAME && k < w->n; k++) p->parts[k] = p->planes[0];
  }
}

/* --- roots --- */

static web new_web(const pm_op *at, unsigned n, pm_value *const *planes) {
  return (web){.n = n, .lanes = n_lanes(planes[0]), .body = at->region};
}

static bool are_only_joined(unsigned n, pm_value *const *planes) {
  for (unsigned k = 0; k < n; k++)
    if (!pm_has_one_use(planes[k]) || !pm_is(pm_user(pm_uses(planes[k])), &vec_shuffle)) return false;
  return true;
}

/* The op interleaves what is computed of planes. */
static bool raise_interleaving(pm_pass *pass, pm_op *op) {
  pm_value *planes[MOST_PLANES];
  unsigned n = 2;
  bool others, done = false;
  if (!pm_is(op, &vec_shuffle)) return false;
  while (n <= MOST_PLANES && !interleaves(op, n, planes)) n++;
  if (n > MOST_PLANES || !are_only_joined(n, planes)) return false;
  web w = new_web(op, n, planes);
  add_pack(pass, &w, planes);
  if (PM_VEC_LAST(w.all)->kind == PACK_OP) {
    keep_used(&w);
    keep_cheaper(&w);
    if (count_shuffles(&w, &others) < 1) {
      pm_builder b = pm_builder_before(op);
      build(&w, &b);
      pm_value *all = join(&b, PM_VEC_LAST(w.all)->parts, n);
      pm_replace_op(op, &all);
      done = true;
    }
  }
  PM_VEC_FREE(w.all);
  return done;
}

/* The other planes of the vector that the op takes plane 0 of. */
static bool find_planes(pm_op *op, unsigned *n, pm_value **planes) {
  if (plane_of(op, n) != 0) return false;
  memset(planes, 0, MOST_PLANES * sizeof *planes);
  PM_FOR_USES(use, pm_arg(op, 0)) {
    unsigned other_n;
    int k = plane_of(pm_user(use), &other_n);
    if (k >= 0 && other_n == *n && pm_user(use)->region == op->region) planes[k] = pm_res(pm_user(use), 0);
  }
  for (unsigned k = 0; k < *n; k++)
    if (!planes[k]) return false;
  return true;
}

/* What is computed of the planes alike, and of nothing else; false: nothing is. */
static bool climb(unsigned n, pm_value **planes) {
  pm_value *next[MOST_PLANES];
  for (unsigned k = 0; k < n; k++) {
    if (!pm_has_one_use(planes[k])) return false;
    const pm_use *use = pm_uses(planes[k]);
    if (!is_lanewise(pm_user(use)) || pm_user(use)->region != pm_def(planes[0])->region) return false;
    if (k && pm_operand_number(use) != pm_operand_number(pm_uses(planes[0]))) return false;
    next[k] = pm_res(pm_user(use), 0);
    if (k && !is_same_op(pm_def(next[0]), pm_user(use))) return false;
    for (unsigned j = 0; j < k; j++)
      if (next[j] == next[k]) return false;
  }
  memcpy(planes, next, n * sizeof *planes);
  return true;
}

static pm_op *first_of(unsigned n, pm_value *const *planes) {
  pm_op *first = pm_def(planes[0]);
  for (unsigned k = 1; k < n; k++)
    if (pm_op_is_before(pm_def(planes[k]), first)) first = pm_def(planes[k]);
  return first;
}

static void take_apart(const web *w, pm_builder *b) {
  const pack *root = PM_VEC_LAST(w->all);
  pm_value *all = join(b, root->parts, w->n);
  int64_t lanes[MOST_LANES];
  for (unsigned k = 0; k < w->n; k++) {
    for (unsigned i = 0; i < w->lanes; i++) lanes[i] = i * w->n + k;
    pm_value *plane = vec_build_shuffle(b, all, all, lanes, w->lanes);
    pm_replace_uses(root->planes[k], plane);
  }
}

/* All wide vectors stand before the first of the operations. */
static bool are_ahead(const web *w, const pm_op *at) {
  for (size_t i = 0; i < w->all.len; i++) {
    const pack *p = w->all.data[i];
    const pm_value *needed = p->kind == PACK_SPLIT  ? pm_arg(pm_def(p->planes[0]), 0)
                             : p->kind == PACK_SAME ? p->planes[0]
                                                    : NULL;
    if (needed && !pm_dominates(needed, at)) return false;
    for (unsigned k = 0; p->kind == PACK_OTHER && k < w->n; k++)
      if (!pm_dominates(p->planes[k], at)) return false;
  }
  return true;
}

/* The op takes a vector apart: what is computed of the planes, as far as it is alike. */
static bool sink_splitting(pm_pass *pass, pm_op *op) {
  pm_value *planes[MOST_PLANES];
  unsigned n;
  bool others, done = false;
  if (!find_planes(op, &n, planes)) return false;
  pm_value *first = planes[0];
  while (climb(n, planes)) continue;
  if (planes[0] == first) return false;
  web w = new_web(op, n, planes);
  add_pack(pass, &w, planes);
  if (PM_VEC_LAST(w.all)->kind == PACK_OP) {
    keep_used(&w);
    keep_cheaper(&w);
    pm_op *at = first_of(n, planes);
    if (count_shuffles(&w, &others) < -1 && !others && are_ahead(&w, at)) {
      pm_builder b = pm_builder_before(at);
      build(&w, &b);
      take_apart(&w, &b);
      done = true;
    }
  }
  PM_VEC_FREE(w.all);
  return done;
}

static void erase_unused(pm_region *body) {
  for (pm_op *op = body->last, *before; op; op = before) {
    before = pm_prev(op);
    bool used = !pm_has_trait(op, PM_PURE) || op->n_regions || !op->n_results;
    for (unsigned i = 0; i < op->n_results && !used; i++) used = !pm_unused(pm_res(op, i));
    if (!used) pm_op_erase(op);
  }
}

typedef struct visitor {
  pm_pass *pass;
  int64_t raised, sunk;
} visitor;

static pm_walk visit(void *user, pm_op *loop) {
  visitor *v = user;
  if (!pm_is(loop, &loop_for)) return PM_WALK_ON;
  pm_region *body = pm_region_at(loop, loop_for_body);
  int64_t before = v->raised + v->sunk;
  PM_FOR_OPS(op, body) v->raised += raise_interleaving(v->pass, op);
  PM_FOR_OPS(op, body) v->sunk += sink_splitting(v->pass, op);
  if (v->raised + v->sunk > before) erase_unused(body);
  return PM_WALK_ON;
}

pm_result pass_sink_shuffles(pm_pass *pass) {
  visitor v = {.pass = pass};
  pm_walk_post(pm_pass_root(pass), visit, &v);
  pm_pass_stat(pass, "interleavings raised", v.raised);
  pm_pass_stat(pass, "splittings sunk", v.sunk);
  return v.raised + v.sunk ? PM_CHANGED : PM_UNCHANGED;
}
