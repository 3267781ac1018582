#include "dialects/stage/dependences/interior_reads.h"

#include <stdlib.h>

/* Indices of a read as a base, which reads at other places have too, and the place: a constant by dimension.
 */
typedef struct place {
  const stage_access *access;
  const pm_affine_expr *base; /* NULL: just a constant */
  const int64_t *at;
  size_t number;  /* of the read */
  unsigned along; /* the dimension that is compared last */
} place;

static place place_of(pm_arena *arena, const stage_access *access, size_t number) {
  pm_affine_map map = stage_index_map(access->read);
  pm_affine_expr *base = pm_arena_alloc(arena, (map->n_results + 1) * sizeof *base);
  int64_t *at = pm_arena_alloc(arena, (map->n_results + 1) * sizeof *at);
  for (unsigned d = 0; d < map->n_results; d++) {
    pm_affine_expr e = pm_affine_normalize(map->results[d]);
    bool sum = e->kind == PM_AFFINE_ADD && e->rhs->kind == PM_AFFINE_CONST;
    bool constant = e->kind == PM_AFFINE_CONST;
    base[d] = sum ? e->lhs : constant ? NULL : e;
    at[d] = sum ? e->rhs->value : constant ? e->value : 0;
  }
  return (place){access, base, at, number, 0};
}

static int compare_pointers(const void *a, const void *b) {
  return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_numbers(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

/* 0: they are made at the same instances, and differ in their places alone. */
static int compare_kinds(const place *a, const place *b) {
  const stage_access *x = a->access, *y = b->access;
  int order = compare_pointers(x->producer, y->producer);
  if (!order) order = compare_numbers(x->case_index, y->case_index);
  if (!order) order = compare_numbers(x->update_index, y->update_index);
  if (!order) order = compare_numbers(x->read->n_operands, y->read->n_operands);
  for (unsigned i = stage_index_operand(x->read); !order && i < x->read->n_operands; i++)
    order = compare_pointers(pm_arg(x->read, i), pm_arg(y->read, i));
  for (unsigned d = 0; !order && d < x->producer->n_dims; d++)
    order = compare_pointers(a->base[d], b->base[d]);
  return order;
}

/* 0: both are on one line along the dimension. */
static int compare_lines(const place *a, const place *b) {
  int order = compare_kinds(a, b);
  for (unsigned d = 0; !order && d < a->access->producer->n_dims; d++)
    if (d != a->along) order = compare_numbers(a->at[d], b->at[d]);
  return order;
}

static int compare_places(const void *a, const void *b) {
  const place *p = a, *q = b;
  int order = compare_lines(p, q);
  return order ? order : compare_numbers(p->at[p->along], q->at[q->along]);
}

/* Those between the ends of lines along the dimension. */
static void find_along(place *all, size_t n, unsigned along, bool *interior) {
  for (size_t i = 0; i < n; i++) all[i].along = along < all[i].access->producer->n_dims ? along : 0;
  qsort(all, n, sizeof *all, compare_places);
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && !compare_lines(&all[first], &all[end]);) end++;
    int64_t least = all[first].at[all[first].along], greatest = all[end - 1].at[all[first].along];
    for (size_t i = first; i < end; i++) {
      int64_t at = all[i].at[all[i].along];
      if (at > least && at < greatest) interior[all[i].number] = true;
    }
  }
}

static void find_interior(pm_arena *arena, const stage_node *node, bool *interior) {
  place *all = pm_arena_alloc(arena, (node->reads.len + 1) * sizeof *all);
  size_t n = 0;
  unsigned n_dims = 0;
  for (size_t i = 0; i < node->reads.len; i++) {
    const stage_access *access = node->reads.data[i];
    if (!access->affine || !access->producer->n_dims) continue;
    all[n++] = place_of(arena, access, i);
    n_dims = access->producer->n_dims > n_dims ? access->producer->n_dims : n_dims;
  }
  for (unsigned d = 0; d < n_dims; d++) find_along(all, n, d, interior);
}

stage_interior_reads stage_begin_interior_reads(pm_arena *arena, const stage_graph *graph) {
  return (stage_interior_reads){arena, pm_arena_alloc(arena, (graph->nodes.len + 1) * sizeof(bool *))};
}

bool stage_is_interior_read(stage_interior_reads *interior, const stage_node *node, size_t read) {
  bool **known = &interior->known[node->index];
  if (!*known) {
    *known = pm_arena_alloc(interior->arena, (node->reads.len + 1) * sizeof **known);
    find_interior(interior->arena, node, *known);
  }
  return (*known)[read];
}
