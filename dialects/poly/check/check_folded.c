#include "dialects/poly/check/check_folded.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/check_conflicts.h"
#include "dialects/poly/tiling/folding.h"
#include "dialects/poly/check/instance_text.h"
#include "dialects/poly/tree.h"

/* A folded memory, and the serial band right inside of it whose outermost member steps over its writes. */
typedef struct ring {
  const poly_memory *memory;
  const stage_node *node;
  const pm_op *band; /* NULL: there is none */
  isl_map *step;     /* P[p] -> [step] */
  isl_map *later;    /* { p -> p' : at least a turn away, and written in the step of p or later } */
} ring;

/* Instances -> the step in which they run. */
static __isl_give isl_map *step_of(const poly_stage_band *s) {
  return isl_map_project_out(isl_map_copy(s->members), isl_dim_out, 1, poly_band_members(s->band) - 1);
}

/* { a -> b : the step of a is no later than that of b } */
static __isl_give isl_map *no_later(isl_map *of_a, isl_map *of_b) {
  isl_space *step = isl_space_range(isl_map_get_space(of_a));
  isl_map *order = isl_map_apply_range(isl_map_copy(of_a), isl_map_lex_le(step));
  return isl_map_apply_range(order, isl_map_reverse(isl_map_copy(of_b)));
}

/* The steps of the one band in which the memory is written, if there is one. */
static const poly_stage_band *steps_of_writes(const poly_occurrences *all, const ring *r) {
  const poly_occurrence_list *writers = &all->stages[r->node->index];
  const poly_stage_band *found = NULL;
  for (size_t i = 0; i < writers->len; i++) {
    if (writers->data[i]->writes != r->memory) continue;
    const poly_stage_band *s = poly_serial_band_at(writers->data[i], r->memory->depth);
    if (!s || (found && found->band != s->band)) return NULL;
    found = s;
  }
  return found;
}

static void find_ring(const poly_occurrences *all, const poly_memory *m, ring *r) {
  *r = (ring){.memory = m, .node = stage_graph_find(all->graph, pm_sym_at(m->alloc, poly_alloc_stage))};
  const poly_stage_band *s = steps_of_writes(all, r);
  if (!s) return;
  r->band = s->band;
  r->step = step_of(s);
  isl_map *apart = poly_turn_apart(m->alloc, isl_set_get_space(r->node->domain));
  r->later = isl_map_intersect(apart, no_later(r->step, r->step));
}

static void free_ring(ring *r) {
  isl_map_free(r->step);
  isl_map_free(r->later);
}

/* No two points of a cell are written in one step, so loops inside of it may do that in any order. */
static bool is_apart_in_steps(const ring *r) {
  if (!r->band) return false;
  isl_map *same_step = isl_map_apply_range(isl_map_copy(r->step), isl_map_reverse(isl_map_copy(r->step)));
  return stage_take_is_empty(r->node->facts, isl_map_intersect(isl_map_copy(r->later), same_step));
}

/* No point that the read goes to is overwritten until the end of the reader's step, judged by steps alone. */
static bool is_kept_in_steps(const ring *r, const poly_occurrence *reader, const stage_access *access) {
  const poly_stage_band *s = poly_serial_band_at(reader, r->memory->depth);
  if (!r->band || !s || s->band != r->band) return false;
  isl_map *read_from = step_of(s);
  isl_map *by_then = isl_map_reverse(no_later(r->step, read_from));
  isl_map_free(read_from);
  isl_map *overwriting = isl_map_apply_range(isl_map_copy(access->relation), isl_map_copy(r->later));
  return stage_take_is_empty(reader->node->facts, isl_map_intersect(overwriting, by_then));
}

/* { [[o] -> [r -> p]] -> p' }: in iteration o of the loops around the memory, r reads p, `first` writes it,
 * and `second` writes another point p' of its cell, not before the one and not after the other. */
static __isl_give isl_map *overwritten(const ring *ring, const poly_occurrence *first,
                                       const poly_occurrence *second, const poly_occurrence *reader,
                                       const stage_access *access) {
  unsigned depth = ring->memory->depth;
  isl_map *reads = isl_map_reverse(isl_map_domain_map(isl_map_copy(access->relation)));
  reads = isl_map_apply_range(poly_executed(reader), reads);
  reads = isl_map_range_product(poly_first_loops(reader, depth), reads);
  isl_map *writes = isl_map_range_product(poly_first_loops(first, depth), poly_executed(first));
  isl_map *iterations = isl_map_identity(
      isl_space_map_from_set(isl_space_domain(isl_space_unwrap(isl_space_range(isl_map_get_space(reads))))));
  isl_map *point = isl_map_product(iterations, isl_map_range_map(isl_map_copy(access->relation)));
  isl_map *after =
      isl_map_apply_range(isl_map_reverse(writes), isl_map_reverse(poly_not_before(second, first, depth)));
  after = isl_map_apply_range(isl_map_copy(point), isl_map_apply_range(after, poly_executed(second)));
  isl_map *until = isl_map_apply_range(isl_map_reverse(reads), poly_not_before(reader, second, depth));
  until = isl_map_apply_range(until, poly_executed(second));
  isl_map *cell =
      isl_map_range_map(isl_map_universe(isl_space_unwrap(isl_space_range(isl_map_get_space(point)))));
  cell =
      isl_map_apply_range(cell, poly_same_cell(ring->memory->alloc, isl_set_get_space(ring->node->domain)));
  return isl_map_intersect(isl_map_intersect(after, until), isl_map_apply_range(point, cell));
}

/* `found` (taken) is what `overwritten` gave. */
static void report_overwritten(const ring *ring, const poly_occurrence *reader, __isl_take isl_map *found) {
  found = stage_possible(reader->node->facts, found);
  isl_space *space = isl_map_get_space(found);
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param) + ring->memory->depth;
  isl_point *point = isl_witness(found);
  pm_buf text = {0}, by = {0};
  unsigned kept = poly_put_instance(&by, reader, point, first);
  poly_put_point(&text, ring->node, point, kept + ring->node->n_dims);
  pm_buf_puts(&text, " overwrites the element of ");
  poly_put_point(&text, ring->node, point, kept);
  pm_buf_printf(&text, ", which %s still reads", by.data);
  poly_put_for_params(&text, space, point);
  pm_op_error(ring->memory->alloc, "of @%s: %s", ring->node->name->text, text.data);
  pm_buf_free(&by);
  pm_buf_free(&text);
  isl_point_free(point);
  isl_space_free(space);
}

/* The same for the order of all loops; false after a diagnostic. */
static bool is_kept(const poly_occurrences *all, const ring *ring, const poly_occurrence *reader,
                    const stage_access *access) {
  const poly_occurrence_list *writers = &all->stages[ring->node->index];
  for (size_t i = 0; i < writers->len * writers->len; i++) {
    const poly_occurrence *first = writers->data[i / writers->len], *second = writers->data[i % writers->len];
    if (first->writes != ring->memory || second->writes != ring->memory) continue;
    isl_map *found = overwritten(ring, first, second, reader, access);
    if (!stage_is_empty(ring->node->facts, found)) {
      report_overwritten(ring, reader, found);
      return false;
    }
    isl_map_free(found);
  }
  return true;
}

/* No loop that is parallel or vector carries a dependence between what `o` writes and the other points of
 * the cells that `touched` (taken), iterations of `other`, goes to. */
static bool check_cells(const ring *ring, const poly_occurrence *o, const poly_occurrence *other,
                        __isl_take isl_map *touched) {
  isl_map *cell = poly_same_cell(ring->memory->alloc, isl_set_get_space(ring->node->domain));
  return poly_check_conflicts(o, other, isl_map_apply_range(touched, cell));
}

static bool check_ring_read(const poly_occurrences *all, const ring *ring, const poly_occurrence *reader,
                            const stage_access *access) {
  const poly_occurrence_list *writers = &all->stages[ring->node->index];
  if (is_kept_in_steps(ring, reader, access)) return true;
  bool ok = is_kept(all, ring, reader, access);
  for (size_t i = 0; ok && i < writers->len; i++)
    if (writers->data[i]->writes == ring->memory)
      ok = check_cells(ring, writers->data[i], reader, poly_points_read(reader, access));
  return ok;
}

/* Two writes of one cell in no certain order. */
static bool check_ring_writes(const poly_occurrences *all, const ring *ring) {
  const poly_occurrence_list *writers = &all->stores[ring->node->index];
  bool ok = true;
  for (size_t i = 0; ok && i < writers->len * writers->len; i++) {
    const poly_occurrence *one = writers->data[i / writers->len], *other = writers->data[i % writers->len];
    if (one->writes == ring->memory && other->writes == ring->memory)
      ok = check_cells(ring, one, other, poly_executed(other));
  }
  return ok;
}

static bool check_ring_reads(const poly_occurrences *all, const ring *ring, const poly_occurrence *o) {
  bool ok = true;
  for (size_t i = 0; ok && i < o->node->reads.len; i++)
    if (o->reads[i] == ring->memory && poly_makes(o, o->node->reads.data[i]))
      ok = check_ring_read(all, ring, o, o->node->reads.data[i]);
  return ok;
}

bool poly_check_folded(const poly_occurrences *all, const poly_memory *m) {
  ring r;
  find_ring(all, m, &r);
  bool ok = is_apart_in_steps(&r) || check_ring_writes(all, &r);
  for (size_t i = 0; ok && i < all->all.len; i++) ok = check_ring_reads(all, &r, all->all.data[i]);
  free_ring(&r);
  return ok;
}
