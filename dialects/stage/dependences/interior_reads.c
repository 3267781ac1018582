#include "dialects/stage/dependences/interior_reads.h"

/* Indices of a read as a base, which reads at other places have too, and the place: a constant by dimension.
 */
typedef struct place {
  const stage_access *access;
  const pm_affine_expr *base; /* NULL: just a constant */
  const int64_t *at;
  size_t kind; /* that of comparable ones is the same */
} place;

static place place_of(pm_arena *arena, const stage_access *access) {
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
  return (place){access, base, at, 0};
}

/* They are made at the same instances, and differ in their places alone. */
static bool is_comparable(const place *a, const place *b) {
  const stage_access *x = a->access, *y = b->access;
  if (x->producer != y->producer || x->case_index != y->case_index || x->update_index != y->update_index ||
      !x->affine || !y->affine || x->read->n_operands != y->read->n_operands)
    return false;
  for (unsigned i = stage_index_operand(x->read); i < x->read->n_operands; i++)
    if (pm_arg(x->read, i) != pm_arg(y->read, i)) return false;
  for (unsigned d = 0; d < x->producer->n_dims; d++)
    if (a->base[d] != b->base[d]) return false;
  return true;
}

/* `p` is on the line from one to the other, and neither of them; all are comparable. Distances too large for
 * the products of two to be exact do not count. */
static bool is_on_line(const place *p, const place *from, const place *to) {
  const double most = 1 << 20;
  double along = 0;
  for (unsigned d = 0; d < p->access->producer->n_dims; d++) {
    double u = (double)p->at[d] - (double)from->at[d], v = (double)to->at[d] - (double)p->at[d];
    if (u > most || u < -most || v > most || v < -most) return false;
    along += u * v;
    for (unsigned e = 0; e < d; e++)
      if (u * (double)(to->at[e] - p->at[e]) != v * (double)(p->at[e] - from->at[e])) return false;
  }
  return along > 0;
}

/* The number of the first that the last of them is comparable to. */
static size_t kind_of_last(const place *all, size_t n) {
  for (size_t i = 0; i + 1 < n; i++)
    if (all[i].kind == i && is_comparable(&all[i], &all[n - 1])) return i;
  return n - 1;
}

static bool is_interior(const place *p, const place *all, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (&all[i] == p || all[i].kind != p->kind) continue;
    for (size_t k = 0; k < n; k++)
      if (all[k].kind == p->kind && is_on_line(p, &all[i], &all[k])) return true;
  }
  return false;
}

static void find_interior(pm_arena *arena, const stage_node *node, bool *interior) {
  size_t n = node->reads.len;
  place *all = pm_arena_alloc(arena, (n + 1) * sizeof *all);
  for (size_t i = 0; i < n; i++) {
    all[i] = place_of(arena, node->reads.data[i]);
    all[i].kind = kind_of_last(all, i + 1);
  }
  for (size_t i = 0; i < n; i++) interior[i] = is_interior(&all[i], all, n);
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
