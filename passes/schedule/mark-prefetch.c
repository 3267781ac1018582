/* mark-prefetch: vector loops prefetch the rows of arrays that an iteration to come of the loop around them
 * will touch.
 *
 *   band "[{ by -> x }]" { mark "vector" { band "[{ by -> y }]" } }
 *   =>
 *   band "[{ by -> x }]" { mark "vector" { mark "prefetch" lines 8
 *     read [{ by[x, y] -> in[x + 2, y] }] write [{ by[x, y] -> by[x + 1, y] }] { band "[{ by -> y }]" } } }
 *
 * (Mowry, Lam, Gupta, ASPLOS 1992, "Design and Evaluation of a Compiler Algorithm for Prefetching".) The rows
 * of a tile are short and far from one another, so that processors, whose own prefetching follows a row and
 * stops at pages, wait for the first lines of each. A row is prefetched when nothing in an iteration of the
 * loop around touches it, but the next iteration will, or, of rows x / d, the one d further on. It is in
 * memory of the caller or in a whole array, not in a scratchpad. A loop further out, from plane to plane, may
 * have come to its plane in the iteration before: then caches have it. A loop over a few planes in between
 * comes back to each of them, so that a row of a plane is prefetched there.
 *
 * A processor waits when it has more lines to bring. So they are prefetched `lines` at a time, and by the
 * vector loop beside that computes most, if it goes over the same points. Short rows are prefetched some
 * iterations ahead (Mowry's prefetch distance).
 */
#include "dialects/isl/take.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/lower/loop_bounds.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/estimates.h"
#include "passes/options.h"
#include "passes/schedule/mark-prefetch/rows.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_PERIOD = 64, NEAR = 64, MAX_PLANES = 4, MAX_MORE = 3 };

/* A row that a vector loop touches in an iteration to come of the loop around. */
typedef struct row {
  const row_access *access;
  const row_statement *asking; /* in whose vector loop it is prefetched */
  int64_t ahead;               /* of the value of the loop around */
  pm_affine_map next;          /* what it is then */
} row;

typedef PM_VEC(row) row_list;

/* A vector loop, and what it has to do. */
typedef struct vector_loop {
  const row_statement *by; /* one of its statements */
  int64_t time;            /* of an iteration */
  double points, bytes;    /* in an iteration of the loop around, and of the rows that are asked for in it */
} vector_loop;

/* The vector loops right inside one loop from row to row. */
typedef struct nest {
  pm_pass *pass;
  row_analysis *rows;
  const row_loop *around;
  PM_VEC(vector_loop) inside;
  row_list asked;
  pm_map *extents; /* row_statement -> those of its dimensions at the estimates */
} nest;

static const row_loop *around_of(const row_statement *s) {
  return s->around < 0 ? NULL : &s->loops[s->around];
}

static const row_loop *vector_of(const row_statement *s) {
  return &s->loops[s->vector];
}

static bool same_loop(const row_loop *a, const row_loop *b) {
  return a && b && a->band == b->band && a->member == b->member;
}

static bool is_in_loop(const row_statement *s, const row_loop *loop) {
  for (unsigned l = 0; l < s->at->depth; l++)
    if (same_loop(&s->loops[l], loop)) return true;
  return false;
}

/* --- rows --- */

static bool is_mentioned(const row_access *a, uint32_t symbol) {
  for (unsigned d = 0; d < a->stage->n_dims; d++)
    if (row_mentions(a->place[d], symbol)) return true;
  return false;
}

/* The place changes with the loops outside, around and over planes, with all of these, and with unrolled
 * ones. */
static bool changes_as_known(const row_access *a) {
  const row_statement *s = a->by;
  for (int l = s->around + 1; l < (int)s->at->depth; l++) {
    const row_loop *loop = &s->loops[l];
    if (l < s->vector && loop->trips != 1 && !is_mentioned(a, loop->symbol)) return false;
    if (l > s->vector && is_mentioned(a, loop->symbol) && !poly_is_inside(loop->band, POLY_MARK_unroll))
      return false;
  }
  return true;
}

/* Iterations of the loop around until the row is another by a number of rows; 0: not within some of them. */
static int64_t period_of(const row_access *a) {
  const row_loop *around = around_of(a->by);
  int64_t period = 1, step;
  for (uint32_t k = 0; k < poly_occurrence_dims(a->by->at); k++) {
    pm_affine_expr coord = a->by->coords[k];
    if (!coord || !row_mentions(coord, around->symbol)) continue;
    if (!row_find_distance(coord, row_ahead(coord, around->symbol, around->stride), &step)) return 0;
    for (unsigned d = 0; d + 1 < a->stage->n_dims; d++)
      period = row_joint_period(period, row_period(a->index[d], k, step, MAX_PERIOD), MAX_PERIOD);
  }
  return period;
}

static int64_t element_bytes(const stage_node *stage) {
  int64_t most = 1;
  for (unsigned i = 0; i < pm_tuple_len(stage->type); i++) {
    int64_t bytes = (int64_t)pm_element_bytes(pm_tuple_at(stage->type, i));
    most = bytes > most ? bytes : most;
  }
  return most;
}

/* From a point of the vector loop to the next it goes along a row, less than a line: a quotient of the
 * coordinate after some points. */
static bool goes_along(const row_access *a) {
  unsigned last = a->stage->n_dims - 1;
  uint32_t along = (uint32_t)a->by->along;
  int64_t moved, points = row_period(a->index[last], along, a->by->step, PM_MAX_PERIOD);
  for (unsigned d = 0; d < last; d++)
    if (row_mentions(a->index[d], along) || row_mentions(a->place[d], vector_of(a->by)->symbol)) return false;
  if (!points || row_mentions(a->place[last], around_of(a->by)->symbol)) return false;
  pm_affine_expr next = row_ahead(a->index[last], along, points * a->by->step);
  return row_find_distance(a->index[last], next, &moved) && moved > 0 &&
         moved <= points * PM_LINE_BYTES / element_bytes(a->stage);
}

/* The place of an access, but for the last index, with `more` added to the value of a loop. */
static const pm_affine_expr *place_ahead(const row_analysis *rows, const row_access *a, uint32_t symbol,
                                         int64_t more) {
  unsigned n = a->stage->n_dims;
  pm_affine_expr *place = pm_arena_alloc(rows->arena, (n + 1) * sizeof *place);
  for (unsigned d = 0; d + 1 < n; d++) place[d] = row_ahead(a->place[d], symbol, more);
  return place;
}

/* Whether the access goes along a row of an array that is not of an iteration of the loop around. */
static bool find_row(const row_analysis *rows, const row_access *a, row *r) {
  const row_statement *s = a->by;
  if (s->around < 0 || s->along < 0 || !a->place || a->stage->n_dims < 2) return false;
  if (a->memory && (int)a->memory->depth > s->around) return false;
  *r = (row){a, s, period_of(a) * around_of(s)->stride, NULL};
  if (r->ahead <= 0 || !changes_as_known(a) || !goes_along(a)) return false;
  const pm_affine_expr *next = place_ahead(rows, a, around_of(s)->symbol, r->ahead);
  r->next = row_unique(rows, next, a->stage->n_dims - 1);
  return true;
}

/* An iteration to come has the row, this one does not, and nobody has asked for it. */
static bool is_new(const nest *n, const row *r) {
  const row_access *all = n->rows->accesses.data;
  for (size_t i = row_last_access(n->rows, r->next); i > 0; i = all[i - 1].same_before)
    if (all[i - 1].array == r->access->array && is_in_loop(all[i - 1].by, n->around)) return false;
  for (size_t i = 0; i < n->asked.len; i++) {
    const row *other = &n->asked.data[i];
    if (other->access->array == r->access->array && other->next == r->next) return false;
  }
  return true;
}

/* --- planes --- */

/* The place changes with a loop inside of `loop`, and not with its own value. */
static bool goes_through(const row_access *a, pm_affine_expr place, const row_loop *loop) {
  bool inside = false, through = false;
  if (row_mentions(place, loop->symbol)) return false;
  for (unsigned l = 0; l < a->by->at->depth; l++) {
    through |= inside && row_mentions(place, a->by->loops[l].symbol);
    inside |= same_loop(&a->by->loops[l], loop);
  }
  return through;
}

/* The access goes through the rows among which the row, at `ahead`, is in the next iteration of the loop. */
static bool came_before(const row *r, const pm_affine_expr *ahead, const row_loop *loop,
                        const row_access *other) {
  const row_access *mine = r->access;
  if (!other->place) return false;
  for (unsigned d = 0; d + 1 < mine->stage->n_dims; d++) {
    bool through = goes_through(mine, mine->place[d], loop) && goes_through(other, other->place[d], loop);
    if (ahead[d] != other->place[d] && !through) return false;
  }
  return true;
}

static bool came_before_in(const nest *n, const row *r, const row_loop *loop) {
  const pm_affine_expr *ahead = place_ahead(n->rows, r->access, loop->symbol, loop->stride);
  const row_access *all = n->rows->accesses.data;
  for (size_t i = row_last_access(n->rows, r->access->array); i > 0; i = all[i - 1].before)
    if (came_before(r, ahead, loop, &all[i - 1]) && is_in_loop(all[i - 1].by, loop)) return true;
  return false;
}

/* A loop around the one that goes from row to row, from plane to plane, has come to the plane an iteration
 * before: a tile is computed in steps so that caches still have it. */
static bool was_reached(const nest *n, const row *r) {
  const row_statement *s = r->access->by;
  for (int l = s->around - 1; l >= 0 && s->at->loops[l] == POLY_LOOP_SERIAL; l--)
    if (is_mentioned(r->access, s->loops[l].symbol) && came_before_in(n, r, &s->loops[l])) return true;
  return false;
}

/* --- which loop asks --- */

/* Operations, of which divisions and calls take the time of several, and constants none. */
static pm_walk add_time(void *user, pm_op *op) {
  int64_t *time = user;
  if (!op->n_operands) return PM_WALK_ON;
  pm_cost cost = op->desc->cost;
  *time += cost == PM_COST_CALL ? 16 : cost == PM_COST_DIVISION || cost == PM_COST_INTEGER_DIVISION ? 8 : 1;
  return PM_WALK_ON;
}

/* Of an iteration of a vector loop, which is one operation itself, with all statements in it. */
static int64_t time_of(const nest *n, const row_statement *vector) {
  int64_t time = 1;
  const row_leaves *leaves = row_leaves_in(n->rows, vector_of(vector));
  for (size_t i = 0; i < leaves->len; i++) {
    const row_statement *s = leaves->data[i];
    bool inside = s->vector >= 0 && same_loop(vector_of(s), vector_of(vector));
    if (inside && s->statement->body) pm_walk_pre(s->statement->body, add_time, &time);
  }
  return time;
}

static bool is_near(double a, double b, double most) {
  return fabs(a - b) <= most;
}

/* The coordinate of `asking` that differs from coordinate `k` of `s` by a number in the same iterations. */
static int matching_coord(const row_statement *asking, const row_statement *s, unsigned k,
                          int64_t *distance) {
  for (unsigned j = 0; s->coords[k] && j < poly_occurrence_dims(asking->at); j++)
    if (asking->coords[j] && row_find_distance(asking->coords[j], s->coords[k], distance)) return (int)j;
  return NO_LOOP;
}

static double extent_of(const nest *n, const row_statement *s, unsigned k) {
  double *extents = pm_map_get(n->extents, s);
  if (!extents) {
    const stage_graph *graph = stage_statements_graph(n->rows->statements);
    unsigned dims = poly_occurrence_dims(s->at);
    isl_set *at =
        stage_at_estimates(graph, isl_set_copy(s->statement->set), pm_usual_size(pm_pass_root(n->pass)));
    extents = pm_arena_alloc(n->rows->arena, (dims + 1) * sizeof *extents);
    for (unsigned d = 0; d < dims; d++) extents[d] = stage_extent(at, d);
    isl_set_free(at);
    pm_map_set(n->extents, s, extents);
  }
  return extents[k];
}

/* Whether the vector loop of `asking` is beside that of `s`, in nearly all iterations in which that runs, at
 * nearly the same points. */
static bool runs_with(const nest *n, const row_statement *s, const row_statement *asking) {
  int64_t distance;
  int around = s->vector - 1, beside = asking->vector - 1;
  while (around > s->around && s->loops[around].trips == 1) around--;
  while (beside > asking->around && asking->loops[beside].trips == 1) beside--;
  if (s->loops[around].symbol != asking->loops[beside].symbol) return false;
  for (unsigned k = 0; k < poly_occurrence_dims(s->at); k++) {
    int j = s->coords[k] ? matching_coord(asking, s, k, &distance) : NO_LOOP;
    if (j < 0 || !is_near(extent_of(n, s, k), extent_of(n, asking, (unsigned)j), NEAR)) return false;
  }
  return true;
}

static bool stores_past_caches(const row_statement *s) {
  return poly_is_inside(vector_of(s)->band, POLY_MARK_nontemporal);
}

/* A loop that computes much waits less for what it asks for than one that goes through memory. Each row is
 * asked for by the loop that has the most to do for each row that it asks for (D'Hondt's method); by the one
 * that comes to it, where no other has more. */
static void choose_asking(nest *n) {
  size_t n_loops = n->inside.len;
  int64_t *asked = pm_xcalloc(n_loops + 1, sizeof *asked);
  for (size_t i = 0; i < n->asked.len; i++) {
    row *r = &n->asked.data[i];
    const row_statement *own = r->access->by;
    size_t best = 0;
    double most = 0;
    for (size_t k = 0; k < n_loops; k++) {
      const row_statement *s = n->inside.data[k].by;
      double share = (double)n->inside.data[k].time / (double)(1 + asked[k]);
      bool comes = same_loop(vector_of(s), vector_of(own));
      if (share < most || (share == most && !comes)) continue;
      if (!comes && (stores_past_caches(s) || !runs_with(n, own, s))) continue;
      most = share;
      best = k;
      r->asking = comes ? own : s;
    }
    asked[best]++;
  }
  free(asked);
}

/* --- how far ahead --- */

/* Points that the loop goes to in an iteration of the loop around; 0 when that is not known. */
static double points_of(const row_statement *s) {
  double points = (double)row_points(s);
  for (int l = s->around + 1; l < s->vector; l++) points *= (double)s->loops[l].trips;
  return points;
}

static bool asks_in(const row *r, const row_statement *s) {
  return same_loop(vector_of(r->asking), vector_of(s));
}

static void add_bytes(const nest *n, vector_loop *loop) {
  for (size_t i = 0; i < n->asked.len; i++)
    if (asks_in(&n->asked.data[i], loop->by))
      loop->bytes += loop->points * (double)element_bytes(n->asked.data[i].access->stage);
}

/* How many iterations of the loop around ahead a row is asked for. One, when what is computed until it is
 * used takes the time that memory needs, or when the loops wait for all that they ask for rather than for the
 * first of it; else as many as take that time. Loops of an unknown number of points count for nothing; a row
 * of unknown length is asked for one ahead. */
static int64_t iterations_ahead(const nest *n, const row *r) {
  int64_t chosen = pm_opt_int(n->pass, mark_prefetch_opt_ahead);
  double all = 0, between = 0, bytes = 0;
  bool asked = false, used = false;
  if (chosen || r->access->writes) return chosen ? chosen : 1;
  for (size_t k = 0; k < n->inside.len; k++) {
    const vector_loop *loop = &n->inside.data[k];
    bool comes = same_loop(vector_of(loop->by), vector_of(r->access->by));
    asked = asked || asks_in(r, loop->by);
    used = used || comes;
    if (!comes && !runs_with(n, r->access->by, loop->by)) continue;
    double time = loop->points * (double)loop->time;
    if (!time && comes) return 1;
    all += time;
    between += time * (asked + !used);
    bytes += loop->bytes;
  }
  if (between >= PM_MEMORY_OPS || bytes * PM_MEMORY_BYTE_OPS > all) return 1;
  return 1 + (int64_t)fmin(ceil((PM_MEMORY_OPS - between) / all), MAX_MORE);
}

static void choose_ahead(nest *n) {
  int64_t *times = pm_xcalloc(n->asked.len + 1, sizeof *times);
  for (size_t k = 0; k < n->inside.len; k++) add_bytes(n, &n->inside.data[k]);
  for (size_t i = 0; i < n->asked.len; i++) times[i] = iterations_ahead(n, &n->asked.data[i]);
  for (size_t i = 0; i < n->asked.len; i++) {
    int64_t jammed = row_jammed_rows(around_of(n->asked.data[i].access->by));
    n->asked.data[i].ahead *= times[i] > jammed ? times[i] : jammed;
  }
  free(times);
}

/* --- marks --- */

/* Points of the row that the statement comes to ahead of the first one of the asking loop, and that it asks
 * for with that. */
static int64_t points_ahead(const row *r) {
  const row_statement *by = r->access->by, *asking = r->asking;
  int64_t later = 0;
  if (asking == by || !poly_begins_later(by->at, (unsigned)by->vector, asking->at, (unsigned)asking->vector,
                                         asking->values, (unsigned)by->around + 1, &later))
    return 0;
  later /= vector_of(by)->stride;
  return later >= -NEAR && later <= NEAR ? later : 0;
}

/* Instances of the asking statement -> elements of the row; NULL when coordinates do not tell, or no affine
 * function. */
static pm_attr relation_of(const nest *n, const row *r) {
  const row_access *a = r->access;
  const row_statement *by = a->by, *asking = r->asking;
  unsigned n_dims = poly_occurrence_dims(by->at);
  uint32_t symbol = around_of(by)->symbol;
  pm_affine_expr *dims = pm_arena_alloc(n->rows->arena, (n_dims + 1) * sizeof *dims);
  for (unsigned k = 0; k < n_dims; k++) {
    int64_t distance = 0, more = 0;
    int j = asking == by ? (int)k : matching_coord(asking, by, k, &distance);
    if (j < 0) return NULL;
    if (by->coords[k] && !row_find_distance(by->coords[k], row_ahead(by->coords[k], symbol, r->ahead), &more))
      return NULL;
    if ((int)k == by->along) more += points_ahead(r);
    dims[k] = pm_affine_addc(pm_affine_dim(n->rows->ctx, (uint32_t)j), distance + more);
  }
  pm_affine_expr *index = pm_arena_alloc(n->rows->arena, (a->stage->n_dims + 1) * sizeof *index);
  for (unsigned d = 0; d < a->stage->n_dims; d++)
    index[d] = pm_affine_divide_out(pm_affine_substitute(a->index[d], dims, NULL));
  isl_set *context = stage_statements_graph(n->rows->statements)->context;
  isl_space *from = isl_set_get_space(asking->statement->set), *to = isl_set_get_space(a->stage->domain);
  from = isl_space_align_params(from, isl_set_get_space(context));
  to = isl_space_align_params(to, isl_space_copy(from));
  isl_map *relation = poly_map_of_affine(from, to, index);
  if (!poly_affine_of_map(n->rows->ctx, relation, index)) { /* quotients of parameters */
    isl_map_free(relation);
    return NULL;
  }
  return isl_attr_of_map(n->rows->ctx, isl_map_with_used_params(relation));
}

/* Adds to the list of an attribute, which may be absent. */
static void add_relation(pm_op *mark, unsigned slot, pm_attr relation) {
  pm_attr list = pm_attr_at(mark, slot);
  PM_VEC(pm_attr) all = {0};
  for (uint32_t i = 0; list && i < list->len; i++) PM_VEC_PUSH(all, list->items[i]);
  PM_VEC_PUSH(all, relation);
  pm_set_attr(mark, slot, pm_get_array(pm_op_context(mark), all.data, (uint32_t)all.len));
  PM_VEC_FREE(all);
}

/* The mark of the vector loop, which gets it when it has none. */
static pm_op *prefetch_mark(const nest *n, const row_statement *s) {
  pm_op *vector = pm_parent(vector_of(s)->band);
  while (!poly_is_mark(vector, POLY_MARK_vector)) vector = pm_parent(vector);
  pm_op *mark = poly_child(vector);
  if (poly_is_mark(mark, POLY_MARK_prefetch)) return mark;
  mark = poly_mark_below(vector, POLY_MARK_prefetch);
  int64_t lines = pm_opt_int(n->pass, mark_prefetch_opt_lines) / row_jammed_rows(around_of(s));
  if (lines < 1) lines = 1;
  pm_set_attr(mark, poly_mark_lines, pm_get_index_attr(n->rows->ctx, lines));
  return mark;
}

/* `@img (read, 2 ahead), @by (write, 1 ahead)` of the rows that a vector loop prefetches; their number. */
static size_t put_rows(const nest *n, const row_statement *s, pm_buf *out) {
  size_t count = 0;
  for (size_t i = 0; i < n->asked.len; i++) {
    const row *r = &n->asked.data[i];
    if (!asks_in(r, s)) continue;
    int64_t ahead = r->ahead / around_of(r->access->by)->stride;
    pm_buf_printf(out, "%s@%s (%s, %lld ahead)", count ? ", " : "", r->access->stage->name->text,
                  r->access->writes ? "write" : "read", (long long)ahead);
    count++;
  }
  return count;
}

static void remark_rows(const nest *n, const row_statement *s) {
  pm_buf text = {0};
  size_t count = put_rows(n, s, &text);
  if (count)
    pm_pass_remark(n->pass, s->at->node->op->loc, PM_REMARK_PASSED,
                   (pm_remark_arg[]){{"rows", (double)count}}, 1,
                   "a vector loop of @%pS prefetches rows of arrays, in iterations of the loop around: %s",
                   (const void *)s->at->node->name, text.data);
  pm_buf_free(&text);
}

static int64_t mark_rows(const nest *n) {
  int64_t marked = 0;
  for (size_t i = 0; i < n->asked.len; i++) {
    const row *r = &n->asked.data[i];
    pm_attr relation = relation_of(n, r);
    if (!relation) continue;
    add_relation(prefetch_mark(n, r->asking), r->access->writes ? poly_mark_write : poly_mark_read, relation);
    marked++;
  }
  for (size_t k = 0; k < n->inside.len; k++) remark_rows(n, n->inside.data[k].by);
  return marked;
}

/* --- the pass --- */

/* What the vector loop of the statement stores past the caches is in no cache. */
static bool is_stored_past_caches(const row_access *a) {
  return a->writes && stores_past_caches(a->by);
}

/* Its vector loops; false when one has rows that it prefetches, or all store default values, which go on from
 * row to row. */
static bool find_inside(nest *n) {
  bool computes = false;
  const row_leaves *leaves = row_leaves_in(n->rows, n->around);
  for (size_t i = 0; i < leaves->len; i++) {
    row_statement *s = leaves->data[i];
    if (is_in_loop(s, n->around)) row_locate(n->rows, s);
    bool listed = !same_loop(around_of(s), n->around);
    computes |= !listed && s->statement->body;
    for (size_t k = 0; k < n->inside.len && !listed; k++)
      listed = same_loop(vector_of(n->inside.data[k].by), vector_of(s));
    if (listed) continue;
    if (poly_is_inside(vector_of(s)->band, POLY_MARK_prefetch)) return false;
    vector_loop loop = {.by = s};
    PM_VEC_PUSH(n->inside, loop);
  }
  return computes;
}

static void find_rows_of(nest *n, const row_statement *s) {
  for (size_t i = s->first; i < s->end; i++) {
    const row_access *a = &n->rows->accesses.data[i];
    row r;
    if (is_stored_past_caches(a) || !find_row(n->rows, a, &r)) continue;
    if (is_new(n, &r) && !was_reached(n, &r)) PM_VEC_PUSH(n->asked, r);
  }
}

static void weigh_loops(nest *n) {
  for (size_t k = 0; k < n->inside.len; k++) {
    vector_loop *loop = &n->inside.data[k];
    loop->time = time_of(n, loop->by);
    loop->points = points_of(loop->by);
  }
}

static void find_rows(nest *n) {
  const row_leaves *leaves = row_leaves_in(n->rows, n->around);
  for (size_t i = 0; i < leaves->len; i++)
    if (same_loop(around_of(leaves->data[i]), n->around)) find_rows_of(n, leaves->data[i]);
}

static int64_t mark_nest(pm_pass *pass, row_analysis *rows, const row_loop *around) {
  nest n = {.pass = pass, .rows = rows, .around = around, .extents = pm_map_new()};
  int64_t marked = 0;
  find_rows(&n);
  if (n.asked.len && find_inside(&n)) {
    weigh_loops(&n);
    choose_asking(&n);
    choose_ahead(&n);
    marked = mark_rows(&n);
  }
  PM_VEC_FREE(n.inside);
  PM_VEC_FREE(n.asked);
  pm_map_free(n.extents);
  return marked;
}

/* No statement before it goes from row to row in the same loop. */
static bool is_first_around(const row_analysis *rows, const row_statement *s) {
  const row_leaves *leaves = row_leaves_in(rows, around_of(s));
  size_t i = 0;
  while (!same_loop(around_of(leaves->data[i]), around_of(s))) i++;
  return leaves->data[i] == s;
}

static int64_t mark_nests(pm_pass *pass, row_analysis *rows) {
  int64_t marked = 0;
  for (size_t i = 0; i < rows->leaves.len; i++) {
    const row_loop *around = around_of(rows->leaves.data[i]);
    if (around && is_first_around(rows, rows->leaves.data[i])) marked += mark_nest(pass, rows, around);
  }
  return marked;
}

pm_result pass_mark_prefetch(pm_pass *pass) {
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  const stage_statements *statements = STAGE_STATEMENTS(pass);
  poly_occurrences all;
  row_analysis rows = {.ctx = pm_pass_context(pass),
                       .arena = pm_pass_arena(pass),
                       .statements = statements,
                       .most_planes = MAX_PLANES};
  if (!pm_opt_int(pass, mark_prefetch_opt_lines)) return PM_UNCHANGED;
  bool ok = poly_find_occurrences(rows.arena, statements, schedule, POLY_MARKED, &all);
  if (ok) row_analyse(&rows, &all);
  int64_t marked = ok ? mark_nests(pass, &rows) : 0;
  row_analysis_free(&rows);
  poly_free_occurrences(&all);
  pm_pass_stat(pass, "rows prefetched", marked);
  return !ok ? PM_FAILED : marked ? PM_CHANGED : PM_UNCHANGED;
}
