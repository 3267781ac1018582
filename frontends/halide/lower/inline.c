/* Funcs that become a part of their readers before there are stages, as Halide inlines what nothing says of:
 * those that compute coordinates, where they are indices, so that the bounds of the index are those of what
 * it is made of; and those that domains.c marks, which have no bounds, or many more points than their readers
 * read. */
#include "frontends/halide/lower/lower.h"
#include "frontends/halide/lower/placing.h"

#include <stdlib.h>

/* Nodes that all inlining may make. */
enum { MAX_NODES = 100000 };

/* One call, while the Func's values become those at its indices. */
typedef struct frame {
  const h_symbol *func; /* NULL: of the reader itself */
  hx *const *args;
  pm_map *known[2]; /* hx -> hx, outside of indices and in them */
} frame;

typedef struct inlining {
  h_program *program;
  bool all;          /* the Funcs that are marked; else those of coordinates, in indices */
  pm_map *computing; /* h_symbol -> whether it computes coordinates, 1 or 2 */
  pm_map *frames;    /* of the definition at work: h_symbol -> its frames, the last first */
  unsigned n_nodes;
  bool failed, changed;
} inlining;

typedef struct frame_list {
  frame frame;
  struct frame_list *next;
} frame_list;

/* --- which Funcs --- */

static bool has_copies(const h_program *p, const h_symbol *s) {
  for (uint32_t i = 0; i < p->copies.len; i++)
    if (p->copies.data[i]->copy->of == s) return true;
  return false;
}

static bool has_members(const h_program *p, const h_symbol *s) {
  for (uint32_t i = 0; i < p->funcs.len; i++)
    if (p->funcs.data[i]->needed && h_func_around(p->funcs.data[i]) == s) return true;
  return false;
}

bool h_is_inlinable(const h_program *p, const h_symbol *s) {
  return s->kind == H_FUNC && s->is_defined && !s->copy && h_may_be_inlined(s) && !has_copies(p, s) &&
         !has_members(p, s);
}

static bool computes_coordinates(inlining *in, const h_symbol *s);

/* A Var is in it, elsewhere than in the indices of a read, and in conditions: what is chosen by the parity of
 * a point is no coordinate. */
static bool has_coordinate(inlining *in, hx *e, uint32_t stamp) {
  if (e->stamp == stamp || e->type == PM_I1) return false;
  e->stamp = stamp;
  if (e->op == HX_VAR) return true;
  if (e->op == HX_CALL) return e->symbol->kind == H_FUNC && computes_coordinates(in, e->symbol);
  for (unsigned i = 0; i < e->n_args; i++)
    if (has_coordinate(in, e->args[i], stamp)) return true;
  return false;
}

static bool computes_coordinates(inlining *in, const h_symbol *s) {
  uintptr_t known = (uintptr_t)pm_map_get(in->computing, s);
  if (known) return known == 2;
  bool does = false;
  pm_map_set(in->computing, s, (void *)(uintptr_t)1);
  for (unsigned i = 0; i < s->n_elements && !does && !s->has_boundary && h_is_inlinable(in->program, s); i++)
    does = has_coordinate(in, s->pure.values[i], ++in->program->next_stamp);
  pm_map_set(in->computing, s, (void *)(uintptr_t)(does ? 2 : 1));
  return does;
}

static bool is_inlined(inlining *in, const h_symbol *s, bool in_index) {
  if (s->kind != H_FUNC || s->has_boundary) return false;
  return in->all ? s->is_inlined : in_index && computes_coordinates(in, s);
}

/* --- expressions --- */

static hx *rewrite(inlining *in, frame *at, hx *e, bool in_index);

static hx *argument_of(const frame *at, const hx *e) {
  for (unsigned d = 0; at->func && d < at->func->n_dims; d++)
    if (at->func->pure.args[d]->var == e->var) return at->args[d];
  return NULL;
}

static bool same_args(const frame *f, hx *const *args, unsigned n) {
  for (unsigned d = 0; d < n; d++)
    if (!hx_same(f->args[d], args[d])) return false;
  return true;
}

/* Calls at the same indices share what they become. */
static frame *frame_of(inlining *in, const h_symbol *s, hx *const *args) {
  frame_list *first = pm_map_get(in->frames, s);
  for (frame_list *f = first; f; f = f->next)
    if (same_args(&f->frame, args, s->n_dims)) return &f->frame;
  frame_list *f = pm_arena_alloc(in->program->arena, sizeof *f);
  f->frame = (frame){.func = s, .args = args, .known = {pm_map_new(), pm_map_new()}};
  f->next = first;
  pm_map_set(in->frames, s, f);
  return &f->frame;
}

static hx *rebuild(inlining *in, hx *e, hx **args) {
  in->failed |= ++in->n_nodes > MAX_NODES || in->program->reports->ended;
  return hx_with_args(in->program, e, args);
}

static hx *rewrite_node(inlining *in, frame *at, hx *e, bool in_index) {
  hx *var = e->op == HX_VAR ? argument_of(at, e) : NULL;
  if (var) return var;
  if (e->n_args == 0 || in->failed) return e;
  bool same = true, of_call = e->op == HX_CALL;
  hx **args = pm_arena_alloc(in->program->arena, e->n_args * sizeof *args);
  for (unsigned i = 0; i < e->n_args; i++) {
    args[i] = rewrite(in, at, e->args[i], in_index || of_call);
    same &= args[i] == e->args[i];
  }
  if (!of_call || !is_inlined(in, e->symbol, in_index)) return same ? e : rebuild(in, e, args);
  in->changed = true;
  return rewrite(in, frame_of(in, e->symbol, args), e->symbol->pure.values[e->element], in_index);
}

static hx *rewrite(inlining *in, frame *at, hx *e, bool in_index) {
  hx *known = pm_map_get(at->known[in_index], e);
  if (known) return known;
  known = rewrite_node(in, at, e, in_index);
  pm_map_set(at->known[in_index], e, known);
  return known;
}

/* --- definitions --- */

static void free_frames(inlining *in) {
  const h_program *p = in->program;
  for (uint32_t i = 0; i < p->funcs.len; i++)
    for (frame_list *f = pm_map_get(in->frames, p->funcs.data[i]); f; f = f->next)
      for (int k = 0; k < 2; k++) pm_map_free(f->frame.known[k]);
  pm_map_free(in->frames);
}

static void rewrite_definition(inlining *in, const h_symbol *s, h_definition *d, bool is_update) {
  frame own = {.known = {pm_map_new(), pm_map_new()}};
  in->frames = pm_map_new();
  for (unsigned i = 0; i < s->n_dims && is_update; i++) d->args[i] = rewrite(in, &own, d->args[i], true);
  for (unsigned i = 0; i < s->n_elements; i++) d->values[i] = rewrite(in, &own, d->values[i], false);
  for (unsigned i = 0; d->rdom && i < d->rdom->n_dims; i++) {
    d->rdom->min[i] = rewrite(in, &own, d->rdom->min[i], false);
    d->rdom->extent[i] = rewrite(in, &own, d->rdom->extent[i], false);
  }
  for (uint32_t i = 0; d->rdom && i < d->rdom->predicates.len; i++)
    d->rdom->predicates.data[i] = rewrite(in, &own, d->rdom->predicates.data[i], false);
  free_frames(in);
  pm_map_free(own.known[0]);
  pm_map_free(own.known[1]);
}

/* The Func itself is what its readers become. */
static bool stays(const inlining *in, const h_symbol *s) {
  return s->needed && !(in->all && s->is_inlined);
}

static bool rewrite_all(h_program *p, bool all, bool *changed) {
  inlining in = {.program = p, .all = all, .computing = pm_map_new()};
  for (uint32_t i = 0; i < p->funcs.len && !in.failed; i++) {
    h_symbol *s = p->funcs.data[i];
    if (!stays(&in, s)) continue;
    rewrite_definition(&in, s, &s->pure, false);
    for (uint32_t k = 0; k < s->updates.len; k++) rewrite_definition(&in, s, &s->updates.data[k], true);
    if (in.failed && !p->reports->ended)
      pm_error(p->ctx, s->loc,
               "%pS has more than %d operations with the Funcs that it reads at indices without bounds; one "
               "of them "
               "should be computed by itself, at indices that clamp(…) gives bounds",
               (const void *)s->name, MAX_NODES);
  }
  pm_map_free(in.computing);
  *changed = in.changed;
  return !in.failed;
}

bool h_inline_coordinates(h_program *p, bool *changed) {
  return rewrite_all(p, false, changed);
}

bool h_inline_marked(h_program *p) {
  bool changed;
  return rewrite_all(p, true, &changed);
}
