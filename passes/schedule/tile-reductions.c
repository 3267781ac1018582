/* tile-reductions: what a tile needs plane by plane, for a sum over planes, it computes plane by plane.
 *
 *   extension … { sequence {                         |  extension … { sequence {
 *     filter "{ diff }" { band "k, x, y" }           |    filter "{ sum }" { band "x, y" }
 *     filter "{ sum }" { band "x, y" }               |    filter "{ diff; sum_u0 }" {
 *     filter "{ sum_u0 }" { band "k, x, y" } } }     |      band "[{ diff -> k; sum_u0 -> k }]" { sequence {
 *                                                    |        filter "{ diff }" { band "x, y" }
 *                                                    |        filter "{ sum_u0 }" { band "x, y" } } } } } }
 *
 * A tile of non-local means has a plane of differences and of their sums for each offset; in steps of a plane
 * it has room for one (storage makes it a ring of one slice). The planes are those of a dimension over which
 * an update sums, and along which all that is computed for it alone is read in the plane where it is
 * computed; what the planes read from outside is computed ahead of them, what reads the sums behind. It is
 * fusion of the outermost loops of neighbours (Kennedy, Allen, "Optimizing Compilers for Modern
 * Architectures", 2002, 8.6), of a part of their dimensions.
 */
#include "dialects/isl/budget.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/dependences/distance.h"
#include "dialects/stage/dependences/summed_planes.h"
#include "passes/options.h"

/* A filter of the sequence: a stage, or one of its updates. */
typedef struct part {
  pm_op *filter, *band;
  const stage_node *node;
  int update;     /* -1: the points of the stage */
  bool brought;   /* by the extension: the tile's own */
  isl_map *plane; /* instances -> plane; NULL: it does not stand in the planes */
  bool behind;    /* it needs what the planes give */
} part;

typedef struct stepping {
  pm_pass *pass;
  const stage_graph *graph;
  PM_VEC(part) parts; /* in the order of the sequence */
  unsigned member;    /* of the bands of stages, that counts the planes */
} stepping;

/* --- reading the sequence --- */

/* False: it is more than the points of one stage or update in a band. */
static bool read_part(stepping *s, pm_op *filter, const poly_names *brought) {
  poly_names names = {0};
  poly_stage_names(s->graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  part p = {.filter = filter, .band = poly_child(filter), .update = -1};
  size_t number;
  pm_string name = names.len == 1 ? names.data[0] : NULL;
  p.node = name ? stage_graph_find_update(s->graph, name, &number) : NULL;
  if (p.node)
    p.update = (int)number;
  else
    p.node = name ? stage_graph_find(s->graph, name) : NULL;
  for (size_t i = 0; i < brought->len; i++) p.brought = p.brought || brought->data[i] == name;
  PM_VEC_FREE(names);
  if (p.node) PM_VEC_PUSH(s->parts, p);
  return p.node && (!p.band || (pm_is(p.band, &poly_band) && !poly_child(p.band)));
}

static bool read_sequence(stepping *s, const pm_op *extension, const pm_op *sequence) {
  poly_names brought = {0};
  isl_union_set *instances = poly_instances_of(extension);
  poly_stage_names(s->graph->ctx, instances, &brought);
  isl_union_set_free(instances);
  bool ok = true;
  PM_FOR_OPS(filter, pm_region_at(sequence, 0)) ok = ok && read_part(s, filter, &brought);
  PM_VEC_FREE(brought);
  return ok;
}

static part *find_part(const stepping *s, const stage_node *node, int update) {
  for (size_t i = 0; i < s->parts.len; i++)
    if (s->parts.data[i].node == node && s->parts.data[i].update == update) return &s->parts.data[i];
  return NULL;
}

static __isl_give isl_map *band_map(const part *p) {
  return poly_band_map(p->band, p->update < 0 ? p->node->name : p->node->updates.data[p->update].name);
}

/* --- planes --- */

/* Stages that the tile computes for itself, each point by itself, can stand in planes. */
static bool may_step(const part *p) {
  return p->brought && p->update < 0 && p->band && !p->node->updates.len && !p->node->self_reads.len;
}

/* A member of the band of a stage, other than the last; NULL: it is one number for all points. */
static __isl_give isl_map *member_of(const part *p, unsigned member) {
  isl_map *map = band_map(p);
  unsigned n = map ? (unsigned)isl_map_dim(map, isl_dim_out) : 0;
  if (member + 1 >= n) return isl_map_free(map);
  bool has = stage_has_dimension(map, n, member);
  map = isl_map_project_out(map, isl_dim_out, member + 1, n - member - 1);
  map = isl_map_project_out(map, isl_dim_out, 0, member);
  return has ? map : isl_map_free(map);
}

/* The planes in which the part reads the other. */
static __isl_give isl_map *planes_read(const stage_access *access, isl_map *plane) {
  return isl_map_apply_range(isl_map_copy(access->relation), isl_map_copy(plane));
}

static bool is_of(const stage_access *access, const part *p) {
  return access->consumer == p->node && access->update_index == p->update;
}

/* All reads of `producer` by `reader`, of which the planes are given, are in the plane of the reader. */
static bool reads_in_plane(const part *reader, isl_map *reads_at, const part *producer,
                           isl_map *computed_at) {
  bool same = true;
  for (size_t i = 0; i < reader->node->reads.len && same; i++) {
    const stage_access *access = reader->node->reads.data[i];
    if (!is_of(access, reader) || access->producer != producer->node) continue;
    isl_map *read = planes_read(access, computed_at);
    isl_ask(isl_map_get_ctx(read));
    same = isl_map_is_subset(read, reads_at) == isl_bool_true;
    same = isl_answered(isl_map_get_ctx(read)) && same;
    isl_map_free(read);
  }
  return same;
}

static bool reads(const part *reader, const stage_node *producer) {
  for (size_t i = 0; i < reader->node->reads.len; i++)
    if (is_of(reader->node->reads.data[i], reader) && reader->node->reads.data[i]->producer == producer)
      return true;
  return false;
}

/* In the planes given it would read, and be read, in its own plane alone; and some part of the planes does.
 */
static bool fits(const stepping *s, const part *p, isl_map *plane) {
  bool near = false;
  for (size_t i = 0; i < s->parts.len; i++) {
    const part *other = &s->parts.data[i];
    if (!other->plane) continue;
    near = near || reads(p, other->node) || (p->update < 0 && reads(other, p->node));
    if (other->update < 0 && !reads_in_plane(p, plane, other, other->plane)) return false;
    if (p->update < 0 && !reads_in_plane(other, other->plane, p, plane)) return false;
  }
  return near;
}

/* { i -> i' : both reach one cell, i is of update `a` and i' of `b` } */
static __isl_give isl_map *same_cell(const stage_node *node, int a, int b) {
  return isl_map_apply_range(isl_map_copy(node->updates.data[a].target),
                             isl_map_reverse(isl_map_copy(node->updates.data[b].target)));
}

/* The updates `a` and `b` of one stage, of which `a` comes first or which are one, reach no cell in an order
 * of planes that is not their own. */
static bool keeps_order(const part *a, isl_map *plane_a, const part *b, isl_map *plane_b) {
  isl_map *pairs = same_cell(a->node, a->update, b->update);
  if (a->update == b->update)
    pairs = isl_map_intersect(pairs, isl_map_lex_lt(isl_space_domain(isl_map_get_space(pairs))));
  isl_map *back = isl_map_lex_gt(isl_space_range(isl_map_get_space(plane_a)));
  back = isl_map_apply_range(isl_map_apply_range(isl_map_copy(plane_a), back),
                             isl_map_reverse(isl_map_copy(plane_b)));
  isl_ctx *isl = isl_map_get_ctx(pairs);
  isl_ask(isl);
  pairs = isl_map_intersect(pairs, back);
  bool kept = isl_map_is_empty(pairs) == isl_bool_true;
  kept = isl_answered(isl) && kept;
  isl_map_free(pairs);
  return kept;
}

/* With it in the planes, updates of its stage there still come to each cell in their order. */
static bool keeps_all_orders(const stepping *s, const part *p, isl_map *plane) {
  if (!keeps_order(p, plane, p, plane)) return false;
  for (size_t i = 0; i < s->parts.len; i++) {
    const part *other = &s->parts.data[i];
    if (!other->plane || other->node != p->node) continue;
    bool ahead = other->update < p->update;
    if (!(ahead ? keeps_order(other, other->plane, p, plane) : keeps_order(p, plane, other, other->plane)))
      return false;
  }
  return true;
}

/* The planes that an update sums over; NULL when it reads those of the part in no such way. */
static __isl_give isl_map *planes_of_update(const part *u, const part *producer, isl_map *computed_at) {
  isl_map *plane = NULL;
  for (size_t i = 0; i < u->node->reads.len && !plane; i++) {
    const stage_access *access = u->node->reads.data[i];
    if (is_of(access, u) && access->producer == producer->node)
      plane = stage_summed_planes(access, computed_at);
  }
  return plane;
}

static bool may_sum(const part *p) {
  return p->update >= 0 && p->band && !p->node->self_reads.len;
}

/* The planes in which the part may stand, NULL if it may not. */
static __isl_give isl_map *plane_for(const stepping *s, const part *p) {
  isl_map *plane = NULL;
  if (may_step(p)) plane = member_of(p, s->member);
  for (size_t i = 0; i < s->parts.len && may_sum(p) && !plane; i++)
    if (s->parts.data[i].plane && s->parts.data[i].update < 0)
      plane = planes_of_update(p, &s->parts.data[i], s->parts.data[i].plane);
  bool ok = plane && fits(s, p, plane) && (p->update < 0 || keeps_all_orders(s, p, plane));
  return ok ? plane : isl_map_free(plane);
}

static void grow(stepping *s) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < s->parts.len; i++) {
      part *p = &s->parts.data[i];
      if (p->plane) continue;
      p->plane = plane_for(s, p);
      more = more || p->plane;
    }
  }
}

static void forget_planes(stepping *s) {
  for (size_t i = 0; i < s->parts.len; i++) {
    s->parts.data[i].plane = isl_map_free(s->parts.data[i].plane);
    s->parts.data[i].behind = false;
  }
}

/* --- the order --- */

static bool sums_in_planes(const stepping *s, const stage_node *node) {
  for (size_t i = 0; i < s->parts.len; i++)
    if (s->parts.data[i].node == node && s->parts.data[i].update >= 0 && s->parts.data[i].plane) return true;
  return false;
}

/* It has to come after `ahead`, which stands before it. */
static bool depends_on(const part *p, const part *ahead) {
  return p->node == ahead->node || reads(p, ahead->node);
}

/* What needs the planes goes behind them, all else ahead. False: the planes need what goes behind. */
static bool find_order(stepping *s) {
  for (size_t i = 0; i < s->parts.len; i++) {
    part *p = &s->parts.data[i];
    for (size_t k = 0; k < i; k++) {
      const part *ahead = &s->parts.data[k];
      bool after = (ahead->behind || (ahead->plane && !p->plane)) && depends_on(p, ahead);
      if (after && p->plane) return false;
      p->behind = p->behind || after;
    }
    for (size_t k = 0; p->plane && k < p->node->reads.len; k++) {
      const stage_access *access = p->node->reads.data[k];
      if (is_of(access, p) && sums_in_planes(s, access->producer)) return false;
    }
  }
  return true;
}

/* Nothing but the planes reads the stage. */
static bool is_read_in_planes(const stepping *s, const part *p) {
  for (size_t i = 0; i < p->node->readers.len; i++) {
    const stage_access *access = p->node->readers.data[i];
    const part *reader = find_part(s, access->consumer, access->update_index);
    if (!reader || !reader->plane) return false;
  }
  return p->node->readers.len > 0;
}

static unsigned count_rings(const stepping *s) {
  unsigned n = 0;
  for (size_t i = 0; i < s->parts.len; i++) {
    const part *p = &s->parts.data[i];
    n += p->plane && p->update < 0 && is_read_in_planes(s, p);
  }
  return n;
}

/* The planes of the stage that an update reads, along a member of its band: all that stands in them, or
 * nothing.
 */
static bool find_planes(stepping *s, part *producer, part *update, unsigned member) {
  s->member = member;
  producer->plane = member_of(producer, member);
  update->plane = producer->plane ? planes_of_update(update, producer, producer->plane) : NULL;
  bool ok = update->plane && reads_in_plane(update, update->plane, producer, producer->plane) &&
            keeps_all_orders(s, update, update->plane);
  if (ok) grow(s);
  ok = ok && find_order(s) && count_rings(s) > 0;
  if (!ok) forget_planes(s);
  return ok;
}

static bool find_some_planes(stepping *s) {
  for (size_t i = 0; i < s->parts.len; i++) {
    part *u = &s->parts.data[i];
    for (size_t k = 0; may_sum(u) && k < i; k++) {
      part *p = &s->parts.data[k];
      unsigned n = may_step(p) && reads(u, p->node) ? poly_band_members(p->band) : 0;
      for (unsigned member = 0; member + 1 < n; member++)
        if (find_planes(s, p, u, member)) return true;
    }
  }
  return false;
}

/* --- rewriting --- */

/* The members of a band but those that are the plane. */
static void drop_plane(const stepping *s, const part *p) {
  isl_map *whole = band_map(p);
  unsigned n = (unsigned)isl_map_dim(whole, isl_dim_out), kept = 0;
  isl_multi_union_pw_aff *rest =
      isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(p->band, poly_band_schedule)));
  pm_attr list = pm_attr_at(p->band, poly_band_coincident);
  int64_t *coincident = pm_arena_alloc(pm_pass_arena(s->pass), (n + 1) * sizeof *coincident);
  for (unsigned d = 0; d < n; d++) {
    isl_map *one = isl_map_project_out(isl_map_copy(whole), isl_dim_out, d + 1, n - d - 1);
    one = isl_map_project_out(one, isl_dim_out, 0, d);
    bool is_plane = isl_map_plain_is_equal(one, p->plane) == isl_bool_true;
    isl_map_free(one);
    if (is_plane)
      rest = isl_multi_union_pw_aff_drop_dims(rest, isl_dim_set, kept, 1);
    else
      coincident[kept++] = list && list->items[d]->i;
  }
  isl_map_free(whole);
  pm_builder b = pm_builder_before(p->band);
  poly_band_info info = {pm_attr_at(p->band, poly_band_permutable) != NULL, list ? coincident : NULL, NULL};
  if (kept)
    poly_add_band(&b, rest, info);
  else
    isl_multi_union_pw_aff_free(rest);
  pm_op_erase(p->band);
}

/* The filter of all parts in planes, with their band. */
static pm_builder add_planes(const stepping *s, pm_builder *b) {
  isl_union_set *all = NULL;
  isl_multi_union_pw_aff *planes = NULL;
  for (size_t i = 0; i < s->parts.len; i++) {
    const part *p = &s->parts.data[i];
    if (!p->plane) continue;
    isl_union_set *passed =
        isl_union_set_copy(isl_peek_union_set(pm_attr_at(p->filter, poly_filter_instances)));
    isl_union_map *map = isl_union_map_from_map(isl_map_copy(p->plane));
    isl_multi_union_pw_aff *one = isl_multi_union_pw_aff_from_union_map(map);
    all = all ? isl_union_set_union(all, passed) : passed;
    planes = planes ? isl_multi_union_pw_aff_union_add(planes, one) : one;
  }
  pm_builder inside = poly_add_filter(b, all);
  static const int64_t serial[] = {0};
  inside = poly_add_band(&inside, poly_as_read(planes),
                         (poly_band_info){.permutable = true, .coincident = serial});
  return poly_add_sequence(&inside);
}

static void explain(const stepping *s) {
  const stage_node *last = NULL;
  unsigned n = 0;
  for (size_t i = 0; i < s->parts.len; i++) {
    if (!s->parts.data[i].plane) continue;
    last = s->parts.data[i].node;
    n++;
  }
  pm_pass_remark(s->pass, last->op->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"rings", (double)count_rings(s)}}, 1,
                 "a tile computes the terms of @%pS plane by plane: %u statements, and of %u stages only one "
                 "plane is stored",
                 (const void *)last->name, n, count_rings(s));
}

static void rewrite(const stepping *s, pm_op *sequence) {
  explain(s);
  pm_region *all = pm_region_at(sequence, 0);
  pm_builder b = pm_builder_at_end(pm_module_of(sequence), all, sequence->loc);
  pm_builder planes = add_planes(s, &b);
  pm_op *at = b.region->last;
  for (size_t i = 0; i < s->parts.len; i++) {
    const part *p = &s->parts.data[i];
    if (p->plane) {
      drop_plane(s, p);
      pm_move_before(p->filter, planes.region, NULL);
    } else {
      pm_move_before(p->filter, all, p->behind ? NULL : at);
    }
  }
}

pm_result pass_tile_reductions(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(graph->pipeline);
  poly_ops extensions = {0};
  poly_collect(schedule, &poly_extension, &extensions);
  int64_t changed = 0;
  isl_quota_open(graph->isl, (unsigned long)pm_opt_int(pass, tile_reductions_opt_operations));
  for (size_t i = 0; i < extensions.len; i++) {
    pm_op *sequence = poly_child(extensions.data[i]);
    stepping s = {.pass = pass, .graph = graph};
    if (sequence && pm_is(sequence, &poly_sequence) && read_sequence(&s, extensions.data[i], sequence) &&
        find_some_planes(&s)) {
      rewrite(&s, sequence);
      changed++;
    }
    forget_planes(&s);
    PM_VEC_FREE(s.parts);
  }
  (void)isl_quota_close(graph->isl);
  PM_VEC_FREE(extensions);
  pm_pass_stat(pass, "tiles in planes", changed);
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
