#include "tools/lib/page/html_tile.h"

#include "dialects/poly/tree.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 310, LEAST_HEIGHT = 50, MOST_HEIGHT = 300, CORNER = 130 }; /* pixels */

/* Along columns and rows: from `at` on. */
typedef struct rectangle {
  double x, y, w, h;
} rectangle;

/* What of a stage is drawn. */
typedef struct shape {
  const stage_node *node;
  rectangle box, ring; /* a ring without height: it has none */
  bool leaves;         /* its values are needed outside the tile */
} shape;

typedef struct drawing {
  PM_VEC(shape) shapes; /* the largest first, then those that leave the tile */
  rectangle tile, all;
} drawing;

/* --- boxes --- */

static bool leaves_tile(const pm_groups *groups, const stage_node *node) {
  for (size_t i = 0; i < groups->allocs.len; i++)
    if (pm_sym_at(groups->allocs.data[i], poly_alloc_stage) == node->name)
      return !pm_attr_at(groups->allocs.data[i], poly_alloc_size);
  return true;
}

/* The dimension that is `back` before the last; NULL when the stage lacks it. */
static const pm_tile_stretch *stretch_of(const pm_tile_part *part, size_t back) {
  size_t n = part->along.len;
  const pm_tile_stretch *s = back < n ? &part->along.data[n - 1 - back] : NULL;
  return s && s->has ? s : NULL;
}

static rectangle box_of(const pm_tile_part *part) {
  const pm_tile_stretch *columns = stretch_of(part, 0), *rows = stretch_of(part, 1);
  rectangle r = {0, 0, 1, 1};
  if (columns) {
    r.x = columns->from;
    r.w = fmax(0, columns->to - columns->from + pm_stretch_stride(columns));
  }
  if (rows) {
    r.y = rows->from;
    r.h = fmax(0, rows->to - rows->from + pm_stretch_stride(rows));
  }
  return r;
}

/* The rows that are alive when the step of row `step` of what leaves the tile has been computed. */
static rectangle ring_of(const pm_tile_part *part, const rectangle *box, double step) {
  const pm_tile_stretch *rows = stretch_of(part, 1);
  rectangle r = {box->x, 0, box->w, 0};
  if (!rows || part->alive < 1) return r;
  double stride = pm_stretch_stride(rows);
  r.h = part->alive * stride;
  r.y = rows->from + floor((step + rows->ahead - rows->from) / stride) * stride + stride - r.h;
  return r;
}

static rectangle hull(rectangle a, rectangle b) {
  double right = fmax(a.x + a.w, b.x + b.w), low = fmax(a.y + a.h, b.y + b.h);
  rectangle r = {fmin(a.x, b.x), fmin(a.y, b.y), 0, 0};
  r.w = right - r.x;
  r.h = low - r.y;
  return r;
}

static int by_size(const void *x, const void *y) {
  const shape *a = x, *b = y;
  double first = a->box.w * a->box.h, second = b->box.w * b->box.h;
  if (a->leaves != b->leaves) return a->leaves ? 1 : -1;
  if (first != second) return first > second ? -1 : 1;
  return (a->node->index > b->node->index) - (a->node->index < b->node->index);
}

static void add_shape(drawing *d, const pm_groups *groups, const stage_node *node,
                      const pm_remark_refs *remarks) {
  pm_tile_part part = pm_tile_part_of(remarks);
  shape s = {.node = node, .box = box_of(&part), .leaves = leaves_tile(groups, node)};
  if (part.along.len) {
    s.ring = ring_of(&part, &s.box, 0);
    d->all = d->shapes.len ? hull(d->all, s.box) : s.box;
    if (s.leaves) d->tile = d->tile.w > 0 ? hull(d->tile, s.box) : s.box;
    PM_VEC_PUSH(d->shapes, s);
  }
  pm_tile_part_free(&part);
}

/* The step in the middle of the tile. */
static void move_rings(drawing *d) {
  double middle = floor(d->tile.y + d->tile.h / 2);
  for (size_t i = 0; i < d->shapes.len; i++) d->shapes.data[i].ring.y += middle;
}

static drawing drawing_of(const pm_groups *groups, size_t group, const pm_remark_refs *remarks) {
  drawing d = {0};
  for (size_t i = 0; i < groups->graph->nodes.len; i++)
    if (groups->group_of[i] == (int)group) add_shape(&d, groups, groups->graph->nodes.data[i], &remarks[i]);
  if (d.shapes.len) qsort(d.shapes.data, d.shapes.len, sizeof *d.shapes.data, by_size);
  move_rings(&d);
  return d;
}

/* --- drawing --- */

static void put_rectangle(pm_buf *out, const char *kind, const rectangle *r) {
  pm_buf_printf(out, "<rect class=\"%s\" x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"/>", kind, r->x,
                r->y, r->w, r->h);
}

static void put_shape(pm_buf *out, const shape *s) {
  pm_buf_printf(
      out, "<a href=\"#s%u\" class=\"part%s\"><title>%s: rows %.0f to %.0f, columns %.0f to %.0f</title>",
      s->node->index, s->leaves ? " leaves" : "", s->node->name->text, s->box.y, s->box.y + s->box.h - 1,
      s->box.x, s->box.x + s->box.w - 1);
  put_rectangle(out, "box", &s->box);
  if (s->ring.h > 0) put_rectangle(out, "ring", &s->ring);
  pm_buf_puts(out, "</a>\n");
}

static void put_view(pm_buf *out, const drawing *d, const char *what, rectangle view, double w, double h) {
  pm_buf_printf(out,
                "<svg class=\"tile\" role=\"img\" aria-label=\"%s\" style=\"--stages:%zu\" width=\"%.0f\" "
                "height=\"%.0f\" viewBox=\"%.6g "
                "%.6g %.6g %.6g\" preserveAspectRatio=\"none\">\n",
                what, d->shapes.len, w, h, view.x, view.y, view.w, view.h);
  for (size_t i = 0; i < d->shapes.len; i++) put_shape(out, &d->shapes.data[i]);
  pm_buf_puts(out, "</svg>\n");
}

/* The farthest that a box goes beyond the tile at its upper left corner. */
static double depth_at_corner(const drawing *d) {
  return fmax(d->tile.x - d->all.x, d->tile.y - d->all.y);
}

static double height_of(const drawing *d) {
  double h = WIDTH * d->all.h / d->all.w;
  return fmin(MOST_HEIGHT, fmax(LEAST_HEIGHT, h));
}

static bool wants_corner(const drawing *d) {
  enum { PLAIN = 8 };
  double depth = depth_at_corner(d);
  return depth > 0 && depth * WIDTH / d->all.w < PLAIN && d->tile.h > 1;
}

/* A square around the corner of the tile. */
static double side_of_corner(const drawing *d) {
  return 2.5 * depth_at_corner(d);
}

static void put_corner(pm_buf *out, const drawing *d) {
  double before = 1.2 * depth_at_corner(d), side = side_of_corner(d);
  rectangle view = {d->tile.x - before, d->tile.y - before, side, side};
  put_view(out, d, "its upper left corner", view, CORNER, CORNER);
}

static void put_caption(pm_buf *out, const drawing *d, double h) {
  double stretch = h / d->all.h * d->all.w / WIDTH;
  bool rings = false;
  for (size_t i = 0; i < d->shapes.len; i++) rings = rings || d->shapes.data[i].ring.h > 0;
  pm_buf_printf(out,
                "<figcaption>A tile, %.0f row%s by %.0f columns (orange), and what it computes of other "
                "stages for itself "
                "(blue), to scale",
                d->tile.h, d->tile.h == 1 ? "" : "s", d->tile.w);
  if (stretch > 1.01 || stretch < 0.99) pm_buf_printf(out, ", heights %.3g times as large", stretch);
  if (wants_corner(d))
    pm_buf_printf(out, "; then its upper left corner, %.0f times as large",
                  CORNER / side_of_corner(d) / (WIDTH / d->all.w));
  pm_buf_puts(out, rings ? ". Dark: the rows that are kept in the middle of the tile." : ".");
  pm_buf_puts(out, "</figcaption>\n");
}

void pm_put_html_tile(pm_buf *out, const pm_groups *groups, size_t group, const pm_remark_refs *remarks) {
  drawing d = drawing_of(groups, group, remarks);
  if (d.shapes.len && d.tile.w > 0) {
    double h = height_of(&d);
    pm_buf_puts(out, "<figure>\n");
    put_view(out, &d, "a tile and its stages", d.all, WIDTH, h);
    if (wants_corner(&d)) put_corner(out, &d);
    put_caption(out, &d, h);
    pm_buf_puts(out, "</figure>\n");
  }
  PM_VEC_FREE(d.shapes);
}
