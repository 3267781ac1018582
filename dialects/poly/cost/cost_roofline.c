/* The cost of a group as the time that it takes, in ns: of each member in a tile the greater of what
 * computing takes and of what moving its data between caches and memory takes (Williams, Waterman, Patterson,
 * Roofline, CACM 52(4), 2009), times the tiles that one core has, and what it takes to start loops and to get
 * memory. Tile sizes are those for which that is least, by descent along one dimension after the other.
 */
#include "dialects/poly/cost/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A member along a dimension. */
typedef struct stretch {
  bool has;
  double extent, stride, halo; /* the halo of both sides together */
} stretch;

/* What is read across its rows, which follow the dimension `along`, `step` bytes from iteration to iteration.
 */
typedef struct transposed {
  const void *array;
  int along;
  double step;
} transposed;

/* A member, whatever the tile is. */
typedef struct piece {
  const poly_cost_member *member;
  const stretch *along;         /* by dimension */
  const transposed *transposed; /* one of each array and dimension */
  size_t n_transposed;
  double vector_ns, scalar_ns; /* a point in the middle of a row, and at its end */
  double jammed_ns;            /* one in the middle of PM_JAMMED_ROWS rows that a loop computes at once */
  double update_ns;            /* the points of updates that reach a cell, together */
  double points;               /* of the stage */
  double kept_rows;            /* along `first`, when it is computed in steps */
} piece;

/* Bytes that a tile touches before it comes to a member, and those of the member. */
typedef struct place {
  double points, rows, row, bytes, before; /* `row`: the points of one */
} place;

typedef struct model {
  const poly_cost_group *g;
  const pm_machine *m;
  piece *pieces;
  stretch *stretches;
  transposed *transposed;
  double *spans;                                            /* of all members together, by dimension */
  bool streams;                                             /* results may go past the caches */
  double array_ns;                                          /* a byte of an array */
  double op_ns, l2_ns, l3_ns, dram_ns, shared_ns, fresh_ns; /* an operation, and bytes from there */
  double align;                                             /* the greatest stride: tiles are multiples */
  /* The tile that is evaluated. */
  int64_t stepped;        /* the rows of a step; 0: it is computed in one */
  double *size;           /* by dimension, the mean */
  double count, tasks;    /* tiles, and those along `outer` */
  place *places;          /* by member */
  double all;             /* bytes of all members */
  double step;            /* bytes that come between a row of a member and its next use, in steps */
  double *seen;           /* by live-in: what `before` was where it was read last; < 0: not yet */
  double row_pieces;      /* of arrays, in the tile */
  poly_prediction of;     /* of one tile; then of all */
  poly_prediction *parts; /* by member, or NULL */
} model;

static double least(double a, double b) {
  return a < b ? a : b;
}

static double greatest(double a, double b) {
  return a > b ? a : b;
}

static double ns_per(int64_t millions) {
  return 1e3 / (double)millions;
}

/* --- computing --- */

/* Operations on vectors that a point needs its share of, in a loop without calls. */
static double vector_ops(const pm_machine *m, const stage_work *w, double stored) {
  return (w->op_bytes + w->load_bytes + stored) / (double)m->vector_bytes +
         w->divisions * (double)m->divide_ops * (w->ops > 0 ? w->op_bytes / w->ops : 4) /
             (double)m->vector_bytes +
         w->strided * (double)m->strided_ops + w->gathers * (double)m->gather_ops +
         w->calls * (double)m->call_ops;
}

double poly_point_ns(const pm_machine *m, const stage_work *work, double stored) {
  return ns_per(m->vector_mops) * vector_ops(m, work, stored);
}

double poly_keep_ns(const pm_machine *m, double bytes) {
  return ns_per(m->vector_mops) * bytes / (double)m->vector_bytes + bytes * ns_per(m->l2_mbytes);
}

static double scalar_ops(const model *c, const stage_work *w) {
  return 1 + w->ops + w->loads + w->strided + w->uneven + w->gathers +
         w->divisions * (double)c->m->divide_ops + w->calls * (double)c->m->call_ops;
}

/* Of an update: its loop is one of vectors where neighbours change cells that are known to be others, or one
 * cell in any order. */
static bool has_vectors(const stage_work *update) {
  return update->calls <= 0 && update->gathers <= 0 && update->strided <= 0 && update->chained <= 0;
}

static double all_points(const poly_stage_shape *s, unsigned n_dims) {
  double points = 1;
  for (unsigned d = 0; d < n_dims; d++) points *= s->extent[d];
  return points;
}

/* --- moving --- */

/* How much of what was touched `distance` bytes ago is no longer in a cache. */
static double missed(double distance, double capacity) {
  if (capacity <= 0) return 1;
  return least(1, greatest(0, distance / capacity - 0.5));
}

static double ns_at(const model *c, double distance) {
  const pm_machine *m = c->m;
  double l1 = missed(distance, (double)m->l1_bytes);
  if (l1 <= 0) return 0;
  double l2 = missed(distance, (double)m->l2_bytes), l3 = missed(distance, (double)m->l3_bytes);
  return l1 * c->l2_ns + l2 * (c->l3_ns - c->l2_ns) + l2 * l3 * (c->dram_ns - c->l3_ns);
}

/* Bytes of all arrays that the group reads and writes. */
static double bytes_of_arrays(const poly_cost_group *g) {
  double bytes = 0;
  for (size_t i = 0; i < g->n_live_ins; i++) bytes += g->live_ins[i]->whole;
  for (size_t i = 0; i < g->n_members; i++) bytes += g->members[i].live_out ? g->members[i].shape->whole : 0;
  return bytes;
}

/* --- the tile --- */

static double span(const model *c, unsigned d) {
  return c->spans[d];
}

/* Points along a dimension that a stretch of it and the halo hold. */
static double points_along(const stretch *s, double size) {
  if (!s->has) return 1;
  return least(s->extent, s->halo > 0 ? (size + s->halo - 1) / s->stride + 1 : size / s->stride);
}

/* Points along the dimension that are kept of those that a tile has. */
static double kept_along(const model *c, const piece *p, unsigned d, double along) {
  if (!c->stepped) return p->member->plane == (int)d ? 1 : along;
  return d == c->g->first && p->along[d].has ? least(along, p->kept_rows + (double)c->stepped - 1) : along;
}

static int innermost_of(const model *c, const poly_stage_shape *s) {
  return s->own_order ? s->row : (int)c->g->n_dims - 1;
}

/* The member in the tile, which in steps keeps of it only some slices along `first`, and of planes one. */
static place place_of(const model *c, const piece *p) {
  double points = 1, kept = 1, row = 1;
  const poly_stage_shape *s = p->member->shape;
  int innermost = innermost_of(c, s);
  for (unsigned d = 0; d < c->g->n_dims; d++) {
    double along = points_along(&p->along[d], c->size[d]);
    points *= along;
    kept *= kept_along(c, p, d, along);
    if ((int)d == innermost) row = along;
  }
  return (place){points, points / row, row, kept * s->bytes, c->all};
}

/* Bytes of an array that belong to as many points of a stage as the tile has. */
static double share_of_array(const model *c, size_t reader, size_t live_in) {
  return c->g->live_ins[live_in]->whole * least(1, c->places[reader].points / c->pieces[reader].points);
}

/* Bytes of arrays that a member is the first to read. */
static double bytes_read_first(model *c, size_t i) {
  const poly_cost_member *m = &c->g->members[i];
  double bytes = 0;
  for (size_t k = 0; k < m->n_reads; k++) {
    size_t live_in = m->reads[k] - c->g->n_members;
    if (m->reads[k] < c->g->n_members || c->seen[live_in] >= 0) continue;
    c->seen[live_in] = 0;
    bytes += share_of_array(c, i, live_in);
  }
  return bytes;
}

/* Whether rows of the member are stored past the caches (mark-nontemporal): those of a result of
 * the group that are long, one a step. */
static bool goes_past_caches(const model *c, size_t i) {
  const piece *p = &c->pieces[i];
  const place *at = &c->places[i];
  if (!c->streams || !p->member->shape->is_external || at->row * p->member->shape->bytes < PM_STREAMED_BYTES)
    return false;
  return at->rows < 1.5 * points_along(&p->along[c->g->first], c->size[c->g->first]);
}

/* All members, and, where rows go past the caches, a row of each array: of what is read that which is
 * prefetched, of the result that which is copied. */
static double bytes_of_step(model *c) {
  if (!c->streams) return c->all;
  double bytes = c->all, rows = 0;
  bool past = false;
  for (size_t i = 0; i < c->g->n_members; i++) {
    const poly_cost_member *m = &c->g->members[i];
    double result = m->live_out ? c->places[i].points * m->shape->bytes : 0;
    past = past || (m->live_out && goes_past_caches(c, i));
    rows += (bytes_read_first(c, i) + result) / c->places[i].rows;
  }
  return past ? bytes + rows : bytes;
}

static void lay_out(model *c) {
  c->all = 0;
  for (size_t i = 0; i < c->g->n_members; i++) {
    c->places[i] = place_of(c, &c->pieces[i]);
    c->all += c->places[i].bytes;
  }
  for (size_t i = 0; i < c->g->n_live_ins; i++) c->seen[i] = -1;
  c->step = c->stepped ? bytes_of_step(c) : 0;
  for (size_t i = 0; i < c->g->n_live_ins; i++) c->seen[i] = -1;
}

/* A member reads another in the tile: it is gone as far as what came in between. */
static double read_inside(const model *c, size_t reader, size_t producer) {
  const place *to = &c->places[reader], *from = &c->places[producer];
  double ns = ns_at(c, c->stepped ? c->step : to->before - from->before + to->bytes);
  return ns > 0 ? 2 * ns * from->points * c->pieces[producer].member->shape->bytes : 0;
}

/* What the points of a tile read beyond what as many points in the middle do: the tiles next to it along
 * `outer` are another core's, or were computed long ago. */
static double read_again(const model *c, const piece *p) {
  unsigned d = c->g->outer;
  if (c->tasks <= 1 || !p->along[d].has) return 0;
  return p->member->shape->spread[d] / points_along(&p->along[d], c->size[d]);
}

static double read_outside(model *c, size_t reader, size_t live_in) {
  const place *to = &c->places[reader];
  double moved = share_of_array(c, reader, live_in);
  moved *= 1 + read_again(c, &c->pieces[reader]);
  double since = c->stepped ? c->step : to->before - c->seen[live_in] + moved;
  bool again = c->seen[live_in] >= 0;
  c->seen[live_in] = to->before;
  if (again) return moved * ns_at(c, since);
  c->of.bytes += moved;
  c->of.least += c->g->live_ins[live_in]->whole * c->shared_ns;
  c->row_pieces += to->rows;
  return moved * c->array_ns;
}

static double read_time(model *c, size_t i) {
  double ns = 0;
  const poly_cost_member *m = &c->g->members[i];
  for (size_t k = 0; k < m->n_reads; k++)
    ns += m->reads[k] < c->g->n_members ? read_inside(c, i, m->reads[k])
                                        : read_outside(c, i, m->reads[k] - c->g->n_members);
  return ns;
}

/* Rows that the row before has read, too, are gone when a row's loop touches more than the cache has. */
static double reread_time(const model *c, size_t i) {
  const stage_work *w = &c->g->members[i].shape->work;
  if (w->repeated_bytes <= 0) return 0;
  double window = c->places[i].row * (w->row_bytes + c->g->members[i].shape->bytes);
  return c->places[i].points * w->repeated_bytes * ns_at(c, window + (c->stepped ? c->step : 0));
}

/* Of an array in the tile: all bytes of what a member computes there, no bound for what comes from outside.
 */
static double bytes_inside(const model *c, const void *array) {
  for (size_t i = 0; i < c->g->n_members; i++)
    if (c->g->members[i].shape->array == array) return c->places[i].bytes;
  return HUGE_VAL;
}

/* What is read across its rows comes to a line of its own for each point, and back to it for the next along
 * the row, when all loops inside of that have been run through: the lines, and the addresses of their pages,
 * may be gone by then. */
static double transposed_time(const model *c, const piece *p, double points) {
  double bytes = p->member->shape->bytes, line = (double)c->m->line_bytes, page = (double)c->m->page_bytes,
         ns = 0;
  for (const transposed *t = p->transposed; t < p->transposed + p->n_transposed; t++) {
    unsigned d = (unsigned)t->along;
    double most = bytes_inside(c, t->array), apart = least(1, t->step / line), times = 1;
    double of_line = least(line / bytes, points_along(&p->along[d], c->size[d]));
    for (unsigned k = d + 1; k < c->g->n_dims; k++) times *= points_along(&p->along[k], c->size[k]);
    double again = apart * (1 - 1 / of_line), pages = least(times * least(1, t->step / page), most / page);
    double unknown = c->m->tlb_pages > 0 ? missed(pages, (double)c->m->tlb_pages) : 1;
    if (most == HUGE_VAL) ns += points * apart * (line / of_line - bytes) * c->array_ns;
    ns += points * again * line * ns_at(c, least(times * apart * line, most));
    ns += points * again * unknown * (double)c->m->page_ns;
  }
  return ns;
}

/* Where a loop over the points of rows is around the tile, it comes to each line once for each of its points.
 */
static double line_time(const model *c, const piece *p, double points) {
  int row = p->member->shape->row;
  if (row < 0 || (unsigned)row >= c->g->first || c->size[row] > p->along[row].stride) return 0;
  double times = least((double)c->m->line_bytes / p->member->shape->bytes, p->along[row].extent);
  double bytes = points * times * p->member->shape->bytes;
  return bytes * (times - 1) / times * ns_at(c, bytes);
}

/* A sum over planes comes back to its cells in each plane, after all that a plane touches. */
static double sum_time(const model *c, size_t i) {
  const poly_cost_member *m = &c->g->members[i];
  double planes = 0;
  for (size_t k = 0; k < m->n_reads && !c->stepped; k++) {
    const piece *from = m->reads[k] < c->g->n_members ? &c->pieces[m->reads[k]] : NULL;
    int d = from ? from->member->plane : -1;
    if (d >= 0 && !c->pieces[i].along[d].has) planes = greatest(planes, from->along[d].extent);
  }
  return planes > 0 ? 2 * planes * c->places[i].points * m->shape->bytes * ns_at(c, c->all) : 0;
}

/* Bytes that a write of a member moves. A line of an array is read before it is written, and goes back; past
 * the caches only the lines at the ends of a row do. */
static double written_bytes(const model *c, size_t i) {
  double bytes = c->places[i].points * c->pieces[i].member->shape->bytes;
  return goes_past_caches(c, i) ? least(2 * bytes, bytes + 4 * (double)c->m->line_bytes * c->places[i].rows)
                                : 2 * bytes;
}

static double write_time(model *c, size_t i) {
  const piece *p = &c->pieces[i];
  if (!p->member->live_out) return 0;
  double moved = written_bytes(c, i);
  c->of.bytes += moved;
  c->of.least += p->member->shape->whole * c->shared_ns;
  c->row_pieces += c->places[i].rows;
  if (!p->member->shape->is_external)
    c->of.pages += c->places[i].points * p->member->shape->bytes * c->fresh_ns;
  return moved * c->array_ns;
}

/* --- a tile's time --- */

/* Loops compute several rows at once (mark-jam). */
static bool is_jammed(const model *c, const piece *p) {
  return p->jammed_ns < p->vector_ns && (!c->stepped || c->stepped >= PM_JAMMED_ROWS);
}

/* The last vector of a row is half full; a row shorter than that has none. */
static double row_ns(const model *c, const piece *p, double length) {
  double half = (double)c->m->vector_bytes / p->member->shape->bytes / 2;
  if (p->vector_ns >= p->scalar_ns) return length * p->scalar_ns;
  double ns = is_jammed(c, p) ? p->jammed_ns : p->vector_ns;
  return length < half ? length * p->scalar_ns : (length + half) * ns;
}

/* Half of the shorter is hidden behind the longer. */
static double not_hidden(double traffic, double compute) {
  return traffic > compute ? traffic - compute / 2 : traffic / 2;
}

static void add_member(model *c, size_t i) {
  const piece *p = &c->pieces[i];
  const place *at = &c->places[i];
  double compute = at->rows * row_ns(c, p, at->row) + at->points * p->update_ns;
  double traffic = read_time(c, i) + reread_time(c, i) + write_time(c, i);
  traffic += line_time(c, p, at->points) + transposed_time(c, p, at->points) + sum_time(c, i);
  c->of.compute += compute;
  c->of.start += at->rows * (double)c->m->loop_ns / (is_jammed(c, p) ? PM_JAMMED_ROWS : 1);
  c->of.traffic += not_hidden(traffic, compute);
}

/* The next tile finds fewer of the addresses of its pages known, the more pieces of rows there are. */
static double translation_time(const model *c) {
  double unknown = c->m->tlb_pages > 0 ? least(1, c->row_pieces / (double)c->m->tlb_pages) : 1;
  return (c->of.bytes / (double)c->m->page_bytes + c->row_pieces * unknown) * (double)c->m->page_ns;
}

/* Tiles of one core, where the others have as many or fewer. */
static double share_of_tiles(const model *c) {
  double cores = (double)c->m->cores;
  return c->count * ceil(c->tasks / cores) / c->tasks;
}

static double recomputation_of(const model *c, size_t i) {
  return greatest(1, c->places[i].points * c->count / c->pieces[i].points);
}

static double recomputation(const model *c) {
  double done = 0, needed = 0;
  for (size_t i = 0; i < c->g->n_members; i++) {
    done += c->places[i].points * c->count;
    needed += c->pieces[i].points;
  }
  return greatest(1, done / needed);
}

/* Bytes of a core's scratchpads: of what is in no array. */
static double scratch_bytes(const model *c) {
  double bytes = 0;
  for (size_t i = 0; i < c->g->n_members; i++)
    if (!c->g->members[i].live_out) bytes += c->places[i].bytes;
  return bytes;
}

/* From one tile to all of them. */
static void scale_up(model *c) {
  poly_prediction *of = &c->of;
  double mine = share_of_tiles(c);
  of->compute *= mine;
  of->traffic *= mine;
  of->pages = of->pages * mine + scratch_bytes(c) * c->fresh_ns;
  of->start = (of->start + (double)c->m->tile_ns) * mine + (double)c->m->parallel_ns;
  of->bytes *= c->count;
  of->tasks = c->tasks;
  of->recomputation = recomputation(c);
  of->time = of->compute + of->traffic + of->pages + of->start;
}

static void set_sizes(model *c, const int64_t *sizes) {
  c->count = 1;
  for (unsigned d = 0; d < c->g->n_dims; d++) {
    double n = ceil(span(c, d) / (double)sizes[d]);
    c->size[d] = span(c, d) / n;
    c->count *= n;
    if (d == c->g->outer) c->tasks = n;
  }
}

/* What `after` counts more than `before`, of one tile, as a member's part of all of them. */
static poly_prediction part_of(const model *c, size_t i, poly_prediction before, poly_prediction after) {
  double mine = share_of_tiles(c);
  poly_prediction part = {.compute = (after.compute - before.compute) * mine,
                          .traffic = (after.traffic - before.traffic) * mine,
                          .pages = (after.pages - before.pages) * mine,
                          .start = (after.start - before.start) * mine,
                          .least = after.least - before.least,
                          .bytes = (after.bytes - before.bytes) * c->count,
                          .recomputation = recomputation_of(c, i),
                          .tasks = c->tasks};
  part.time = part.compute + part.traffic + part.pages + part.start;
  return part;
}

static void add_members(model *c) {
  for (size_t i = 0; i < c->g->n_members; i++) {
    poly_prediction before = c->of;
    add_member(c, i);
    if (c->parts) c->parts[i] = part_of(c, i, before, c->of);
  }
}

static double evaluate(model *c, const int64_t *sizes, int64_t stepped) {
  c->of = (poly_prediction){0};
  c->stepped = stepped;
  c->row_pieces = 0;
  set_sizes(c, sizes);
  lay_out(c);
  add_members(c);
  c->of.traffic += translation_time(c);
  scale_up(c);
  return c->of.time;
}

/* --- the best tile --- */

static bool takes_turns(const poly_cost_group *g, unsigned d) {
  for (size_t i = 0; i < g->n_members; i++)
    if (g->members[i].shape->turns == (int)d) return true;
  return false;
}

/* How many parts of a dimension candidate number k stands for: along `outer` enough for the cores and powers
 * of two more, along the last two numbers an octave, 1, 2, 3, 4, 6, 8, … */
static double parts_of(const model *c, unsigned d, unsigned k) {
  if (!k) return 1;
  if (d == c->g->outer) return ldexp((double)c->m->cores, (int)k - 1);
  if (d + 1 == c->g->n_dims) return ldexp(k % 2 ? 2 : 3, (int)(k - 1) / 2);
  return ldexp(1, (int)k);
}

/* Candidate number k of a dimension's size, 0 being the whole of it; 0 when there are no more. Along the last
 * they are whole vectors; rows in turn stay together. */
static int64_t candidate(const model *c, unsigned d, unsigned k) {
  const poly_cost_group *g = c->g;
  if (poly_is_untiled(g, d)) return k == 0 ? (int64_t)span(c, d) : 0;
  bool last = d + 1 == g->n_dims;
  double whole = span(c, d), size = ceil(whole / parts_of(c, d, k));
  double rows = takes_turns(g, d)             ? PM_INTERLEAVED_ROWS
                : d == g->first && c->stepped ? (double)c->stepped
                                              : 1;
  double unit = c->align * (last ? (double)c->m->vector_bytes : rows);
  double shortest = last ? 2 * unit : greatest(4, 2 * unit);
  if (k > 0 && size < shortest) return 0;
  return (int64_t)least(whole, ceil(size / unit) * unit);
}

static void set_outer(const model *c, int64_t *sizes) {
  const poly_cost_group *g = c->g;
  for (unsigned d = 0; d < g->first; d++) {
    double size = poly_is_untiled(g, d) ? span(c, d) : poly_all_are_cut(g, d) ? 1 : (double)sizes[g->first];
    sizes[d] = (int64_t)least(span(c, d), size);
  }
}

typedef struct descent {
  model *c;
  int64_t *sizes; /* scratch */
  unsigned *at;   /* by dimension: the number of the candidate */
  poly_cost *best;
} descent;

/* Evaluates the sizes, and keeps them when they are better. */
static bool take(descent *s, int64_t stepped) {
  const poly_cost_group *g = s->c->g;
  double time = evaluate(s->c, s->sizes, stepped);
  if (!(time < s->best->cost)) return false;
  s->best->cost = time;
  s->best->inner = stepped;
  s->best->predicted = s->c->of;
  memcpy(s->best->sizes, s->sizes, g->n_dims * sizeof *s->sizes);
  return true;
}

static bool try(descent *s, int64_t stepped) {
  set_outer(s->c, s->sizes);
  return take(s, stepped);
}

/* Moves on from the best tile along a dimension until it becomes no better for an octave, two candidates. */
static bool descend_along(descent *s, unsigned d, int64_t stepped, int step) {
  bool better = false;
  int64_t last = s->best->sizes[d];
  memcpy(s->sizes, s->best->sizes, s->c->g->n_dims * sizeof *s->sizes);
  int worse = 0;
  for (int k = (int)s->at[d] + step; k >= 0 && worse < 2; k += step) {
    int64_t size = candidate(s->c, d, (unsigned)k);
    if (!size) break;
    if (size == last) continue;
    s->sizes[d] = last = size;
    bool is_better = try(s, stepped);
    worse = is_better ? 0 : worse + 1;
    better = better || is_better;
    if (is_better) s->at[d] = (unsigned)k;
  }
  return better;
}

/* The first candidate that is at most 64, or 512 along rows, or else the last. */
static void start_along(descent *s, unsigned d) {
  int64_t most = d + 1 == s->c->g->n_dims ? 512 : 64, size = candidate(s->c, d, 0);
  for (unsigned k = 0; size; k++) {
    s->sizes[d] = size;
    s->at[d] = k;
    size = size > most ? candidate(s->c, d, k + 1) : 0;
  }
}

/* The best tile of one step, or of steps, found from a middle size on. What is best along a dimension stays
 * so until it becomes better along another. */
static void descend(descent *s, int64_t stepped) {
  const poly_cost_group *g = s->c->g;
  s->best->cost = HUGE_VAL;
  s->c->stepped = stepped;
  for (unsigned d = 0; d < g->n_dims; d++) start_along(s, d);
  if (!try(s, stepped)) return;
  unsigned best_along = 0, d = g->n_dims;
  while (best_along < g->n_dims - g->first) {
    d = (d > g->first ? d : g->n_dims) - 1;
    bool better = descend_along(s, d, stepped, -1) || descend_along(s, d, stepped, 1);
    best_along = better ? 1 : best_along + 1;
  }
}

static bool has_jammed(const model *c) {
  for (size_t i = 0; i < c->g->n_members; i++)
    if (c->pieces[i].jammed_ns < c->pieces[i].vector_ns) return true;
  return false;
}

/* Steps have other tiles than none, so that either has a descent of its own. */
static void find_tiles(descent *s, poly_cost *out) {
  const poly_cost_group *g = s->c->g;
  poly_cost *of_mode = s->best;
  const int64_t rows[] = {0, 1, PM_JAMMED_ROWS};
  for (size_t i = 0; i < PM_COUNT(rows) && rows[i] <= g->most_rows; i++) {
    if (rows[i] > 1 && !has_jammed(s->c)) break;
    descend(s, rows[i]);
    if (!(of_mode->cost < out->cost)) continue;
    out->cost = of_mode->cost;
    out->inner = of_mode->inner;
    out->predicted = of_mode->predicted;
    memcpy(out->sizes, of_mode->sizes, g->n_dims * sizeof *out->sizes);
  }
}

static void price_given(descent *s, poly_cost *out) {
  s->best = out;
  memcpy(s->sizes, s->c->g->given, s->c->g->n_dims * sizeof *s->sizes);
  take(s, false);
}

static void price_tiles(model *c, poly_cost *out) {
  unsigned n = c->g->n_dims;
  int64_t *sizes = pm_xcalloc(2 * (size_t)n, sizeof *sizes);
  unsigned *at = pm_xcalloc(n, sizeof *at);
  poly_cost of_mode = {.sizes = sizes + n};
  descent s = {c, sizes, at, &of_mode};
  if (c->g->given)
    price_given(&s, out);
  else
    find_tiles(&s, out);
  c->parts = out->parts;
  if (c->parts) evaluate(c, out->sizes, out->inner);
  free(at);
  free(sizes);
}

/* --- groups --- */

/* Of the arrays that a group of one stage reads. */
static double read_whole(const model *c) {
  double bytes = 0;
  for (size_t i = 0; i < c->g->n_live_ins; i++) bytes += c->g->live_ins[i]->whole;
  return bytes;
}

/* What a core computes of a stage that is computed whole: its cases are shared by all, its updates by as many
 * as they have cells. */
static double compute_whole(const model *c) {
  const piece *p = &c->pieces[0];
  double cores = (double)c->m->cores;
  return p->member->shape->work.points * p->vector_ns / cores +
         p->points * p->update_ns / least(cores, p->member->shape->cells);
}

/* Each update passes over what the stage reads, and all over what is stored before. */
static void price_whole(model *c, poly_cost *out) {
  const poly_stage_shape *s = c->g->members[0].shape;
  double read = read_whole(c), written = c->g->members[0].live_out ? s->whole : 0;
  double passes = greatest(1, s->n_updates);
  poly_prediction of = {.compute = compute_whole(c), .start = (double)c->m->parallel_ns, .recomputation = 1};
  of.bytes = passes * read + (s->n_updates > 0 ? 4 : 2) * written;
  of.traffic = not_hidden(of.bytes * c->array_ns / (double)c->m->cores, of.compute);
  of.pages = s->is_external ? 0 : s->whole * c->fresh_ns / (double)c->m->cores;
  of.least = (read + written) * c->shared_ns;
  of.tasks = greatest(1, s->cells);
  of.time = of.compute + of.traffic + of.pages + of.start;
  out->predicted = of;
  out->cost = of.time;
  if (out->parts) out->parts[0] = of;
}

static void set_stretches(const model *c, const poly_cost_member *m, stretch *out) {
  for (unsigned d = 0; d < c->g->n_dims; d++)
    out[d] = (stretch){m->shape->has[d], m->shape->extent[d], m->shape->stride[d],
                       (double)(m->halo_hi[d] - m->halo_lo[d])};
}

static piece piece_of(const model *c, const poly_cost_member *member, const stretch *along) {
  const stage_work *w = &member->shape->work;
  piece p = {.member = member, .along = along, .points = all_points(member->shape, c->g->n_dims)};
  p.scalar_ns = c->op_ns * scalar_ops(c, w);
  p.vector_ns = c->op_ns * vector_ops(c->m, w, member->shape->bytes);
  bool waits = member->shape->turns >= 0;
  if (w->calls > 0 || waits || p.vector_ns > p.scalar_ns) p.vector_ns = p.scalar_ns;
  bool shares = p.vector_ns < p.scalar_ns && w->shared_bytes >= PM_LEAST_SHARED * w->load_bytes / 100;
  p.jammed_ns = p.vector_ns - (shares ? c->op_ns * w->shared_bytes / (double)c->m->vector_bytes : 0);
  const stage_work *u = &member->shape->update;
  p.update_ns =
      u->points / p.points * c->op_ns * (has_vectors(u) ? vector_ops(c->m, u, 0) : scalar_ops(c, u));
  p.kept_rows = c->g->n_dims ? 1 + ceil(along[c->g->first].halo / along[c->g->first].stride) : 1;
  return p;
}

/* The common dimension that rows of what is read follow, where the innermost loop goes from row to row; -1:
 * it goes along them, or stays. */
static int transposed_along(const model *c, const poly_stage_shape *s, const poly_lattice_read *read) {
  int innermost = innermost_of(c, s), along = read->n > 0 ? read->dim[read->n - 1] : -1;
  bool steps = false;
  for (unsigned k = 0; k + 1 < read->n; k++) steps = steps || (innermost >= 0 && read->dim[k] == innermost);
  return steps && along != innermost ? along : -1;
}

/* Bytes from a point that is read to that of the next iteration of the innermost loop, which steps over rows.
 */
static double step_over_rows(const model *c, const poly_stage_shape *s, const stretch *along,
                             const poly_lattice_read *read) {
  int innermost = innermost_of(c, s);
  double bytes = s->bytes;
  for (unsigned k = read->n; k > 0 && read->dim[k - 1] != innermost; k--)
    if (read->dim[k - 1] >= 0) bytes *= along[read->dim[k - 1]].extent;
  return bytes;
}

/* Reads of one array whose rows follow one dimension share their lines. */
static bool is_first(const piece *p, const void *array, int along) {
  for (size_t k = 0; k < p->n_transposed; k++)
    if (p->transposed[k].array == array && p->transposed[k].along == along) return false;
  return true;
}

/* Of a member; `out` has room for all its reads. */
static void find_transposed(const model *c, piece *p, transposed *out) {
  const poly_stage_shape *s = p->member->shape;
  p->transposed = out;
  for (size_t i = 0; i < s->n_reads; i++) {
    int along = transposed_along(c, s, &s->reads[i]);
    if (along >= 0 && is_first(p, s->reads[i].array, along))
      out[p->n_transposed++] =
          (transposed){s->reads[i].array, along, step_over_rows(c, s, p->along, &s->reads[i])};
  }
}

static void set_rates(model *c) {
  c->op_ns = ns_per(c->m->vector_mops);
  c->l2_ns = ns_per(c->m->l2_mbytes);
  c->l3_ns = greatest(c->l2_ns, ns_per(c->m->l3_mbytes));
  c->shared_ns = ns_per(c->m->shared_mbytes);
  c->dram_ns = greatest(ns_per(c->m->dram_mbytes), c->shared_ns * (double)c->m->cores);
  c->dram_ns = greatest(c->l3_ns, c->dram_ns);
  c->fresh_ns = ns_per(c->m->fresh_mbytes);
}

static size_t n_results(const poly_cost_group *g) {
  size_t n = 0;
  for (size_t i = 0; i < g->n_members; i++) n += g->members[i].live_out && g->members[i].shape->is_external;
  return n;
}

/* Two results, or one that is computed by phases, are stored in turn, through the caches. */
static void prepare(model *c) {
  const poly_cost_group *g = c->g;
  set_rates(c);
  c->align = poly_greatest_stride(g);
  for (unsigned d = 0; d < g->n_dims; d++) c->spans[d] = poly_group_span(g, d);
  transposed *next = c->transposed;
  for (size_t i = 0; i < g->n_members; i++) {
    set_stretches(c, &g->members[i], &c->stretches[i * g->n_dims]);
    c->pieces[i] = piece_of(c, &g->members[i], &c->stretches[i * g->n_dims]);
    find_transposed(c, &c->pieces[i], next);
    next += c->pieces[i].n_transposed;
  }
  double bytes = bytes_of_arrays(g);
  c->array_ns = ns_at(c, bytes);
  c->streams = bytes > (double)pm_last_cache(c->m) && c->align <= 1 && n_results(g) == 1;
}

void poly_cost_roofline(const poly_cost_group *g, const pm_machine *machine, poly_cost *out) {
  *out = (poly_cost){.cost = HUGE_VAL, .sizes = out->sizes, .parts = out->parts};
  double *numbers = pm_xcalloc(2 * g->n_dims + g->n_live_ins + 1, sizeof *numbers);
  model c = {.g = g, .m = machine, .spans = numbers, .size = numbers + g->n_dims};
  c.seen = numbers + 2 * g->n_dims;
  c.pieces = pm_xmalloc(g->n_members * sizeof *c.pieces);
  c.places = pm_xmalloc(g->n_members * sizeof *c.places);
  c.stretches = pm_xmalloc((g->n_members * g->n_dims + 1) * sizeof *c.stretches);
  size_t n_reads = 1;
  for (size_t i = 0; i < g->n_members; i++) n_reads += g->members[i].shape->n_reads;
  c.transposed = pm_xmalloc(n_reads * sizeof *c.transposed);
  prepare(&c);
  if (g->is_whole)
    price_whole(&c, out);
  else
    price_tiles(&c, out);
  free(c.transposed);
  free(c.stretches);
  free(c.places);
  free(c.pieces);
  free(numbers);
}
