/* Pyramids, and what is run at each of their levels. */
#include "frontends/hipacc/hipacc.h"

#include <string.h>

enum { MOST_LEVELS = 30 };

static hp_image *new_level(cx_interp *in, const hp_image *image, unsigned level) {
  static const hp_version zeros = {0};
  hp_image own = *image;
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_%u", image->name->text, level);
  own.name = pm_get_string(in->ctx, (pm_str){name.data, name.len});
  pm_buf_free(&name);
  own.width = hp_over(image->width, (int64_t)1 << level);
  own.height = hp_over(image->height, (int64_t)1 << level);
  own.now = &zeros;
  own.given = NULL;
  hp_image *made = pm_arena_memdup(in->arena, &own, sizeof own);
  CX_PUSH(in->arena, hp_state_of(in)->images, made);
  return made;
}

/* Pyramid<T>(image, depth): level 0 is the image. */
cv hp_make_pyramid(const cx_making *m) {
  hp_pyramid p = {0};
  int64_t depth;
  if (m->n_args == 1 && m->args[0].kind == HP_PYRAMID) return m->args[0];
  if (m->n_args != 2 || m->args[0].kind != HP_IMAGE)
    return cx_fail(m->in, m->loc, "a Pyramid is made from an Image and its depth");
  if (!hp_to_int(m->in, m->locs[1], m->args[1], &depth, "the depth")) return cv_poison;
  if (!hp_is_reached(m->in, m->loc)) return cv_poison;
  hp_image *image = m->args[0].own;
  hp_state *s = hp_state_of(m->in);
  hp_size least = hp_size_of(s, depth < 1 || depth > MOST_LEVELS ? INT32_MAX : (int64_t)1 << (depth - 1));
  if (!hp_require(s, hp_minus(image->width, least)) || !hp_require(s, hp_minus(image->height, least)))
    return cx_fail(m->in, m->locs[1], "the depth is %lld, which an image of %s x %s pixels does not have",
                   (long long)depth, hp_text(s, image->width), hp_text(s, image->height));
  p.depth = (unsigned)depth;
  p.levels = pm_arena_alloc(m->in->arena, p.depth * sizeof *p.levels);
  for (unsigned i = 0; i < p.depth; i++) p.levels[i] = i ? new_level(m->in, image, i) : image;
  return (cv){.kind = HP_PYRAMID, .own = pm_arena_memdup(m->in->arena, &p, sizeof p)};
}

/* p(i): the image `i` levels from the present one. */
cv hp_call_pyramid(const cx_call *c) {
  const hp_pyramid *p = c->self.own;
  int64_t i;
  if (!cx_takes(c, 1, 1) || !hp_to_int(c->in, c->locs[0], c->args[0], &i, "the level")) return cv_poison;
  i += p->level;
  if (i < 0 || i >= p->depth)
    return cx_fail(c->in, c->loc, "level %lld is asked for, the pyramid has %u", (long long)i, p->depth);
  return (cv){.kind = HP_IMAGE, .own = p->levels[i]};
}

static cv do_number(const cx_call *c) {
  const hp_pyramid *p = c->self.own;
  return cv_int(PM_I32, strcmp(c->name->text, "level") == 0 ? p->level : p->depth);
}

static cv do_question(const cx_call *c) {
  const hp_pyramid *p = c->self.own;
  return cv_bool(strcmp(c->name->text, "is_top_level") == 0 ? p->level == 0 : p->level + 1 == p->depth);
}

static cv do_swap(const cx_call *c) {
  hp_pyramid *p = c->self.own,
             *other = c->n_args == 1 && c->args[0].kind == HP_PYRAMID ? c->args[0].own : NULL;
  if (!other || other->depth != p->depth)
    return cx_fail(c->in, c->loc, "a Pyramid is swapped with another one of its depth");
  if (!hp_is_reached(c->in, c->loc)) return cv_poison;
  hp_image **levels = p->levels;
  p->levels = other->levels;
  other->levels = levels;
  return cv_void;
}

const cx_row hp_pyramid_rows[] = {{"level", do_number},
                                  {"depth", do_number},
                                  {"is_top_level", do_question},
                                  {"is_bottom_level", do_question},
                                  {"swap", do_swap},
                                  {NULL, NULL}};

/* --- traverse --- */

static cv run_level(const cx_call *c, hp_traversal *t) {
  for (uint32_t i = 0; i < t->n; i++) t->pyramids[i]->level = t->level;
  return cx_call_with(c, t->run, NULL, 0);
}

/* The next level, if there is one. */
static cv go_deeper(const cx_call *c) {
  hp_traversal *t = hp_state_of(c->in)->traversal;
  if (!t) return cx_fail(c->in, c->loc, "traverse() is for the lambda of another traverse, with pyramids");
  if (t->level + 1 >= t->depth) return cv_void;
  t->level++;
  cv result = run_level(c, t);
  t->level--;
  for (uint32_t i = 0; i < t->n; i++) t->pyramids[i]->level = t->level;
  return result.kind == CV_POISON ? result : cv_void;
}

/* traverse(n, f): the next level n times, f in between. */
static cv go_deeper_often(const cx_call *c) {
  int64_t n;
  if (!hp_to_int(c->in, c->locs[0], c->args[0], &n, "the number of times")) return cv_poison;
  for (int64_t i = 0; i < n && cx_may_go_on(c->in, c->loc); i++) {
    if (i && c->n_args > 1 && cx_call_with(c, c->args[1], NULL, 0).kind == CV_POISON) return cv_poison;
    if (go_deeper(c).kind == CV_POISON) return cv_poison;
  }
  return cv_void;
}

/* The pyramid, or those of a list of pointers; false: it is no such, or there are too many. */
static bool take_pyramids(const cx_interp *in, cv v, hp_traversal *t) {
  if (v.kind == CV_POINTER && v.cell) v = v.cell->value;
  if (v.kind == HP_PYRAMID && t->n < HP_MOST_PYRAMIDS) {
    t->pyramids[t->n++] = v.own;
    return true;
  }
  if (!cx_is_sequence(in, v)) return false;
  for (uint32_t i = 0; i < v.list->items.len; i++)
    if (!take_pyramids(in, v.list->items.data[i]->value, t)) return false;
  return true;
}

/* traverse(p, q, …, f), or with a list of pointers: f at level 0. */
cv hp_traverse(const cx_call *c) {
  hp_state *s = hp_state_of(c->in);
  hp_traversal t = {.outer = s->traversal};
  bool all = true;
  if (!c->n_args) return go_deeper(c);
  if (cv_is_number(c->args[0])) return go_deeper_often(c);
  for (unsigned i = 0; i + 1 < c->n_args && all; i++) all = take_pyramids(c->in, c->args[i], &t);
  if (!all || !t.n) return cx_fail(c->in, c->loc, "traverse has 1 to 5 Pyramids, and then a lambda");
  t.run = c->args[c->n_args - 1];
  if (hp_captures_by_copy(c->in, t.run)) return cv_poison;
  t.depth = t.pyramids[0]->depth;
  for (uint32_t i = 1; i < t.n; i++)
    if (t.pyramids[i]->depth != t.depth)
      return cx_fail(c->in, c->locs[i < c->n_args ? i : 0],
                     "the pyramids have depths of %u and %u, they should be equal", t.depth,
                     t.pyramids[i]->depth);
  s->traversal = &t;
  cv result = run_level(c, &t);
  s->traversal = t.outer;
  return result.kind == CV_POISON ? result : cv_void;
}
