#include "dialects/poly/check/check_sharing.h"

#include "dialects/poly/check/instance_text.h"

#include <stdlib.h>

/* Children of the sequence below an allocation, the first and last that use it, and what does so. */
typedef struct lifetime {
  const poly_memory *memory; /* NULL: it shares nothing */
  int64_t first, last;       /* INT64_MIN and INT64_MAX: no sequence orders the uses */
  const poly_occurrence *opens, *closes;
} lifetime;

typedef struct sharing {
  lifetime *of;    /* by number of the memory */
  lifetime **list; /* those that share, by memory */
  size_t n;
  pm_map *arrays; /* pm_string of a stage -> poly_memory of its whole array */
} sharing;

static void begin_lifetimes(const poly_occurrences *all, sharing *s) {
  s->of = pm_arena_alloc(all->arena, (all->memories.len + 1) * sizeof *s->of);
  s->list = pm_arena_alloc(all->arena, (all->memories.len + 1) * sizeof *s->list);
  for (size_t i = 0; i < all->memories.len; i++) {
    poly_memory *m = all->memories.data[i];
    if (!pm_attr_at(m->alloc, poly_alloc_pool)) continue;
    s->of[i].memory = m;
    s->list[s->n++] = &s->of[i];
    if (m->whole) pm_map_set(s->arrays, pm_sym_at(m->alloc, poly_alloc_stage), m);
  }
}

/* The child of the sequence right below the allocation in which the occurrence is; -1 when no sequence,
 * or one inside of further loops, is there. What stands ahead of the tree for a whole array is stored at the
 * beginning of a child of the domain's sequence, so that only these count. */
static int64_t child_of(const poly_memory *m, const poly_occurrence *o) {
  const poly_place *p = o->place;
  while (p && p->parent != m->outside) p = p->parent;
  if (!p || p->depth != m->depth || !pm_is(p->sequence, &poly_sequence)) return -1;
  return m->whole && !pm_is(pm_parent(p->sequence), &poly_domain) ? -1 : (int64_t)p->position;
}

/* The whole arrays of a stage are one, wherever they are allocated. */
static void note_use(const sharing *s, const poly_occurrence *o, const poly_memory *m) {
  if (m && m->whole) m = pm_map_get(s->arrays, pm_sym_at(m->alloc, poly_alloc_stage));
  lifetime *alive = m ? &s->of[m->number] : NULL;
  if (!alive || !alive->memory) return;
  int64_t child = child_of(m, o), first = child < 0 ? INT64_MIN : child, last = child < 0 ? INT64_MAX : child;
  if (!alive->opens || first < alive->first) {
    alive->first = first;
    alive->opens = o;
  }
  if (!alive->closes || last > alive->last) {
    alive->last = last;
    alive->closes = o;
  }
}

static void find_lifetimes(const poly_occurrences *all, const sharing *s) {
  for (size_t i = 0; i < all->all.len; i++) {
    const poly_occurrence *o = all->all.data[i];
    note_use(s, o, o->writes);
    for (size_t k = 0; k < o->node->reads.len; k++)
      if (poly_makes(o, o->node->reads.data[k])) note_use(s, o, o->reads[k]);
  }
}

/* By node of the tree, number and beginning. */
static int by_memory(const void *x, const void *y) {
  const lifetime *a = *(lifetime *const *)x, *b = *(lifetime *const *)y;
  int64_t m = pm_int_at(a->memory->alloc, poly_alloc_pool), n = pm_int_at(b->memory->alloc, poly_alloc_pool);
  if (a->memory->node != b->memory->node) return a->memory->node < b->memory->node ? -1 : 1;
  if (m != n) return m < n ? -1 : 1;
  return (a->first > b->first) - (a->first < b->first);
}

/* An instance of the occurrence, or its name when it has none; to be freed. */
static char *user_of(const poly_occurrence *o) {
  char *instance = poly_sample_instance(o, poly_executed(o));
  return instance ? instance : pm_xstrdup(poly_occurrence_name(o));
}

static void report_sharing(const lifetime *a, const lifetime *b) {
  const char *other = pm_sym_at(a->memory->alloc, poly_alloc_stage)->text;
  char *user = user_of(a->closes), *next = user_of(b->opens);
  pm_buf text = {0};
  if (a->closes == b->opens)
    pm_buf_printf(&text, "%s uses both", next);
  else
    pm_buf_printf(&text, "%s does not come after %s, which uses @%s", next, user, other);
  pm_op_error(b->memory->alloc, "of @%s has the memory of @%s, but %s",
              pm_sym_at(b->memory->alloc, poly_alloc_stage)->text, other, text.data);
  pm_buf_free(&text);
  free(user);
  free(next);
}

static bool have_one_memory(const lifetime *a, const lifetime *b) {
  return a->memory->node == b->memory->node &&
         pm_attr_at(a->memory->alloc, poly_alloc_pool) == pm_attr_at(b->memory->alloc, poly_alloc_pool);
}

/* They are one array, of which poly_check_turns judges. */
static bool are_in_turn(const lifetime *a, const lifetime *b) {
  pm_attr turn = pm_attr_at(a->memory->alloc, poly_alloc_turn);
  return turn && turn == pm_attr_at(b->memory->alloc, poly_alloc_turn);
}

bool poly_check_sharing(const poly_occurrences *all) {
  sharing s = {.arrays = pm_map_new()};
  const lifetime *before = NULL;
  bool ok = true;
  begin_lifetimes(all, &s);
  find_lifetimes(all, &s);
  qsort(s.list, s.n, sizeof *s.list, by_memory);
  for (size_t i = 0; i < s.n; i++) {
    const lifetime *l = s.list[i];
    if (!l->opens) continue;
    bool same = before && have_one_memory(before, l);
    bool apart = !same || before->last < l->first || are_in_turn(before, l);
    if (!apart) report_sharing(before, l);
    ok = ok && apart;
    if (!same || l->last > before->last) before = l;
  }
  pm_map_free(s.arrays);
  return ok;
}
