/* The cost of a group on a device with work-items, as the time that it takes, in ns: the longest of what
 * computing, what loads and stores, and what moving its arrays through memory take, and a part of the others
 * (Williams, Waterman, Patterson, Roofline, CACM 52(4), 2009), longer where there are too few items to hide
 * latencies, and what a launch takes. A tile is computed by one item, which keeps what it computes in
 * registers and reads few values twice, or by a group of items, which keeps it in local memory. Both are
 * priced in all sizes that are powers of two, and the better one is taken.
 */
#include "dialects/poly/cost/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct device {
  const poly_cost_group *g;
  const pm_machine *m;
  double *size;      /* of the tile, by dimension */
  double tiles, row; /* how many there are; the size along the last dimension */
  bool of_items, stepped;
} device;

/* What all tiles do together. */
typedef struct totals {
  double slots, accesses, bytes, least, points, needed;
} totals;

enum {
  GROUP_ITEMS = 256,   /* of a group that shares a tile */
  MOST_CARRIED = 4,    /* rows back that an item keeps of what it reads */
  MOST_UNROLLED = 4096 /* operations of a row of an item */
};

/* Of the times that are not the longest, what the longest does not hide. */
static const double not_hidden = 0.2;
/* Of the items that can run at the same time, those that hide the latencies. */
static const double enough_items = 0.5;
/* Places, conditions of loops, and what else is computed at a point. */
static const double slots_of_point = 2;

/* --- a member in a tile --- */

static double halo(const poly_cost_member *m, unsigned d) {
  return (double)(m->halo_hi[d] - m->halo_lo[d]);
}

static double points_along(const device *c, const poly_cost_member *m, unsigned d) {
  const poly_stage_shape *s = m->shape;
  if (!s->has[d]) return 1;
  double both = halo(m, d);
  return fmin(s->extent[d],
              both > 0 ? (c->size[d] + both - 1) / s->stride[d] + 1 : c->size[d] / s->stride[d]);
}

static double points_of(const device *c, const poly_cost_member *m) {
  double points = 1;
  for (unsigned d = 0; d < c->g->n_dims; d++) points *= points_along(c, m, d);
  return points;
}

/* Points that the tile keeps of the member for those that read it in the tile. */
static double kept_of(const device *c, const poly_cost_member *m) {
  double kept = 1;
  for (unsigned d = 0; d < c->g->n_dims; d++) {
    double along = points_along(c, m, d), rows = 1 + ceil(halo(m, d) / m->shape->stride[d]);
    kept *= c->stepped && d == c->g->first ? fmin(along, rows) : along;
  }
  return kept;
}

static bool is_inside(const device *c, const void *array) {
  for (size_t i = 0; i < c->g->n_members; i++)
    if (c->g->members[i].shape->array == array) return true;
  return false;
}

/* Values that a point reads of what the tile computes, as far as they are known. */
static double loads_inside(const device *c, const poly_stage_shape *s) {
  double n = 0;
  for (size_t i = 0; i < s->n_reads; i++) n += is_inside(c, s->reads[i].array);
  return n;
}

static double loads_of(const poly_stage_shape *s) {
  return s->work.loads + s->work.strided + s->work.uneven + s->work.gathers;
}

/* Rows that one row of an item loads anew of those that it reads: what it has read before it carries. */
static double new_rows(const device *c, const poly_stage_shape *s) {
  double rows = 1 + s->spread[c->g->first];
  return rows - 1 <= MOST_CARRIED ? 1 : rows;
}

/* What an item loads for a row of a member: neighbours share what they read. */
static double row_loads(const device *c, const poly_cost_member *m) {
  const poly_stage_shape *s = m->shape;
  unsigned last = c->g->n_dims - 1;
  double n = fmax(0, loads_of(s) - s->work.gathers - loads_inside(c, s)), row = points_along(c, m, last);
  double rows = 1 + (last ? s->spread[c->g->first] : 0), window = rows * (1 + s->spread[last]);
  double once = n / window * (row + s->spread[last]) * (last ? new_rows(c, s) : 1);
  return fmin(n * row, once) + s->work.gathers * row;
}

/* Of a load or store of one value, what it costs: an item has those of a row at once (the pass
 * pack-accesses), in as many registers as they fill. */
static double access_cost(const device *c, double bytes) {
  return c->of_items ? fmax(bytes / PM_ITEM_REGISTER_BYTES, 1 / c->row)
                     : fmax(bytes / PM_ITEM_REGISTER_BYTES, 1);
}

static double updates_of(const poly_stage_shape *s, unsigned n_dims) {
  double points = 1;
  for (unsigned d = 0; d < n_dims; d++) points *= s->extent[d];
  return s->update.points / points;
}

static double slots_of(const device *c, const stage_work *w) {
  return slots_of_point + w->ops + w->divisions * (double)c->m->divide_ops +
         w->calls * (double)c->m->call_ops;
}

/* Of a group that shares a tile all items take part, also where a member has fewer points for them. */
static void add_member(const device *c, const poly_cost_member *m, totals *all) {
  const poly_stage_shape *s = m->shape;
  double points = points_of(c, m), row = points_along(c, m, c->g->n_dims - 1), needed = 1;
  double updates = updates_of(s, c->g->n_dims), turns = c->of_items ? points : fmax(points, GROUP_ITEMS);
  double loads = c->of_items ? points / row * row_loads(c, m) : points * loads_of(s);
  double stores = c->of_items && !m->live_out ? 0 : points;
  for (unsigned d = 0; d < c->g->n_dims; d++) needed *= s->extent[d];
  all->slots += c->tiles * turns * (slots_of(c, &s->work) + updates * slots_of(c, &s->update));
  all->accesses += c->tiles * (loads + stores) * access_cost(c, s->bytes);
  all->accesses += c->tiles * turns * updates * (2 + s->update.loads + s->update.gathers);
  all->points += c->tiles * points;
  all->needed += needed;
}

/* --- arrays of the group --- */

/* What tiles read of an array beyond what is theirs, along rows: other columns are other items' of the same
 * time. */
static double read_again(const device *c, const poly_cost_member *m) {
  unsigned d = c->g->first;
  if (d + 1 >= c->g->n_dims) return 0;
  return (halo(m, d) + m->shape->spread[d]) / c->size[d];
}

static void add_arrays(const device *c, totals *all) {
  const poly_cost_group *g = c->g;
  for (size_t k = 0; k < g->n_live_ins; k++) {
    double again = 0;
    for (size_t i = 0; i < g->n_members; i++)
      for (size_t r = 0; r < g->members[i].n_reads; r++)
        if (g->members[i].reads[r] == g->n_members + k) again = fmax(again, read_again(c, &g->members[i]));
    all->bytes += g->live_ins[k]->whole * (1 + again);
    all->least += g->live_ins[k]->whole;
  }
  for (size_t i = 0; i < g->n_members; i++) {
    if (!g->members[i].live_out) continue;
    all->bytes += g->members[i].shape->whole;
    all->least += g->members[i].shape->whole;
  }
}

/* --- memory of a tile --- */

/* Registers of an item: what it keeps of members, and carries of what it reads. */
static double item_bytes(const device *c) {
  double words = 0;
  for (size_t i = 0; i < c->g->n_members; i++) {
    const poly_cost_member *m = &c->g->members[i];
    if (!m->live_out) words += kept_of(c, m);
    words += row_loads(c, m) * fmin(MOST_CARRIED, m->shape->spread[c->g->first]);
  }
  return words * PM_ITEM_REGISTER_BYTES;
}

static double group_bytes(const device *c) {
  double bytes = 0;
  for (size_t i = 0; i < c->g->n_members; i++)
    if (!c->g->members[i].live_out) bytes += kept_of(c, &c->g->members[i]) * c->g->members[i].shape->bytes;
  return bytes;
}

/* Operations of the rows of one step, which are straight code. */
static double unrolled_ops(const device *c) {
  double ops = 0;
  for (size_t i = 0; i < c->g->n_members; i++) {
    const poly_cost_member *m = &c->g->members[i];
    ops += points_along(c, m, c->g->n_dims - 1) * (m->shape->work.ops + loads_of(m->shape));
  }
  return ops;
}

/* Rows of other members lie between the rows of one, or they change cells one by one: neither is in
 * registers. */
static bool has_plain_rows(const device *c) {
  const poly_cost_group *g = c->g;
  for (size_t i = 0; i < g->n_members; i++) {
    const poly_stage_shape *s = g->members[i].shape;
    if (g->n_members > 1 && (s->stride[g->first] != 1 || s->update.points > 0 || s->own_order)) return false;
  }
  return true;
}

static bool has_room(const device *c) {
  if (!c->of_items) return group_bytes(c) <= (double)c->m->group_bytes;
  return has_plain_rows(c) && item_bytes(c) <= (double)c->m->item_bytes && unrolled_ops(c) <= MOST_UNROLLED;
}

/* --- a tile's price --- */

static void set_sizes(device *c, const int64_t *sizes) {
  c->tiles = 1;
  for (unsigned d = 0; d < c->g->n_dims; d++) {
    c->size[d] = fmin((double)sizes[d], poly_group_span(c->g, d));
    c->tiles *= ceil(poly_group_span(c->g, d) / c->size[d]);
  }
  c->row = c->g->n_dims ? c->size[c->g->n_dims - 1] : 1;
}

static double busy(const device *c) {
  double items = c->tiles * (c->of_items ? 1 : GROUP_ITEMS);
  return fmin(1, items / (enough_items * (double)(c->m->cores * c->m->items)));
}

/* Groups come to a core one after the other, as many at a time as it has items for. */
static double start_of_groups(const device *c) {
  double at_once = (double)(c->m->cores * c->m->items) / GROUP_ITEMS;
  double groups = c->of_items ? c->tiles / GROUP_ITEMS : c->tiles;
  return groups / at_once * (double)c->m->tile_ns;
}

/* Where the time goes. */
static poly_prediction predict(const device *c, const totals *all) {
  const pm_machine *m = c->m;
  double rate = busy(c), cores = (double)m->cores;
  double compute = 1e3 * all->slots / cores / (double)m->vector_mops;
  double accesses = 1e3 * all->accesses * PM_ITEM_REGISTER_BYTES / cores / (double)m->l2_mbytes;
  double memory = 1e3 * all->bytes / (double)m->shared_mbytes;
  double longest = fmax(compute, fmax(accesses, memory));
  poly_prediction of = {
      .start = (double)m->parallel_ns + start_of_groups(c), .bytes = all->bytes, .tasks = c->tiles};
  double part = (longest + not_hidden * (compute + accesses + memory - longest)) / longest / rate;
  of.compute = longest > memory ? longest * part : compute * not_hidden / rate;
  of.time = longest * part + of.start;
  of.traffic = of.time - of.compute - of.start;
  of.least = 1e3 * all->least / (double)m->shared_mbytes;
  of.recomputation = fmax(1, all->points / all->needed);
  return of;
}

/* What a member takes of the whole: its part of what is computed, and of what is loaded and stored. */
static poly_prediction part_of(const device *c, const totals *all, const poly_prediction *whole, size_t i) {
  totals own = {0};
  add_member(c, &c->g->members[i], &own);
  double computing = own.slots / all->slots, moving = own.accesses / fmax(1, all->accesses);
  poly_prediction part = {.compute = whole->compute * computing,
                          .traffic = whole->traffic * moving,
                          .least = whole->least * moving,
                          .bytes = whole->bytes * moving,
                          .recomputation = fmax(1, own.points / own.needed),
                          .tasks = c->tiles};
  part.time = part.compute + part.traffic;
  return part;
}

/* Keeps the tile when it is better than *out. */
static void try(device *c, const int64_t *sizes, poly_cost *out) {
  totals all = {0};
  set_sizes(c, sizes);
  if (!has_room(c)) return;
  for (size_t i = 0; i < c->g->n_members; i++) add_member(c, &c->g->members[i], &all);
  add_arrays(c, &all);
  poly_prediction of = predict(c, &all);
  if (!(of.time < out->cost)) return;
  out->cost = of.time;
  out->predicted = of;
  out->inner = c->stepped;
  out->of_items = c->of_items;
  memcpy(out->sizes, sizes, c->g->n_dims * sizeof *sizes);
  for (size_t i = 0; out->parts && i < c->g->n_members; i++) out->parts[i] = part_of(c, &all, &of, i);
}

/* --- the best tile --- */

/* Dimensions before the last two have single points where all members have them, else they have the size of
 * the first. */
static void set_outer(const poly_cost_group *g, int64_t rows, int64_t row, int64_t *sizes) {
  unsigned last = g->n_dims - 1;
  for (unsigned d = 0; d < last; d++) {
    bool single = d < g->first || d + 1 < last;
    double size = single && poly_all_are_cut(g, d) ? 1 : (double)rows;
    sizes[d] = (int64_t)fmin(poly_group_span(g, d), size);
  }
  sizes[last] = (int64_t)fmin(poly_group_span(g, last), (double)row);
}

static void try_sizes(device *c, bool of_items, poly_cost *out, int64_t *sizes) {
  const poly_cost_group *g = c->g;
  int64_t align = (int64_t)poly_greatest_stride(g);
  int64_t least_rows = of_items ? 1 : 8, most_rows = of_items ? 256 : 64;
  int64_t least_row = of_items ? 1 : 16, most_row = of_items ? 16 : 256;
  c->of_items = of_items;
  c->stepped = of_items && g->most_rows;
  for (int64_t rows = least_rows; rows <= most_rows; rows *= 2)
    for (int64_t row = least_row; row <= most_row; row *= 2) {
      set_outer(g, rows * (of_items ? 1 : align), row * align, sizes);
      try(c, sizes, out);
    }
}

static void price_given(device *c, poly_cost *out) {
  for (int of_items = 0; of_items <= 1; of_items++) {
    c->of_items = of_items;
    c->stepped = of_items && c->g->most_rows;
    try(c, c->g->given, out);
  }
}

static bool leaves_dimensions_whole(const poly_cost_group *g) {
  for (unsigned d = 0; d < g->n_dims; d++)
    if (poly_is_untiled(g, d)) return true;
  return false;
}

/* A stage that is computed whole is dealt out by points. */
static void price_whole(device *c, poly_cost *out) {
  const poly_stage_shape *s = c->g->members[0].shape;
  double items = (double)(c->m->cores * c->m->items) * enough_items, cells = fmax(1, s->cells);
  double one = 1e3 * (double)c->m->items / (double)c->m->vector_mops;
  double points = s->work.points * slots_of(c, &s->work) / items;
  double updates = s->update.points * slots_of(c, &s->update) / fmin(items, cells);
  double bytes = c->g->members[0].live_out ? s->whole : 0;
  for (size_t i = 0; i < c->g->n_live_ins; i++) bytes += c->g->live_ins[i]->whole;
  poly_prediction of = {
      .start = (double)c->m->parallel_ns, .bytes = bytes, .recomputation = 1, .tasks = cells};
  of.least = 1e3 * bytes / (double)c->m->shared_mbytes;
  of.compute = one * (points + updates);
  of.traffic = of.least;
  of.time = of.compute + of.traffic + of.start;
  out->cost = of.time;
  out->predicted = of;
  if (out->parts) out->parts[0] = of;
}

void poly_cost_device(const poly_cost_group *g, const pm_machine *machine, poly_cost *out) {
  *out = (poly_cost){.cost = HUGE_VAL, .sizes = out->sizes, .parts = out->parts};
  double *size = pm_xcalloc(g->n_dims + 1, sizeof *size);
  int64_t *sizes = pm_xcalloc(g->n_dims + 1, sizeof *sizes);
  device c = {.g = g, .m = machine, .size = size};
  if (g->is_whole) {
    price_whole(&c, out);
  } else if (!leaves_dimensions_whole(g)) {
    if (g->given)
      price_given(&c, out);
    else
      for (int of_items = 0; of_items <= 1; of_items++) try_sizes(&c, of_items, out, sizes);
  }
  free(size);
  free(sizes);
}
