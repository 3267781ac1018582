/* Intervals along one dimension of a domain, without divisions and without conditions on params: what readers
 * need is followed in them, so that the work grows like the program (docs/halide.md, Domains). */
#ifndef PM_FRONTENDS_HALIDE_INTERVALS_H
#define PM_FRONTENDS_HALIDE_INTERVALS_H

#include "dialects/stage/analyses/graph.h"

#include <isl/set.h>

enum {
  H_USUAL_EXTENT = 1000, /* of pictures, where some of several bounds are chosen */
  H_MOST_BOUNDS = 4      /* on each side of an interval */
};

struct stage_values;

/* `known`, a union of convex parts or NULL, with the parts of a line that it has not yet; takes both. */
__isl_give isl_set *h_with_parts(__isl_take isl_set *known, __isl_take isl_set *line);
/* What is below some number of the line, or above: half lines, of which none is in another one where params
 * are as said. One alone may have some bounds, several have one each. */
__isl_give isl_set *h_half_lines(__isl_keep isl_set *line, __isl_keep isl_set *params, bool below);
/* The numbers that are at the end of all half lines, each of one bound, or beyond. */
__isl_give isl_set *h_beyond(__isl_keep isl_set *half_lines);
/* isl_set_intersect; of convex sets without a search for a point. */
__isl_give isl_set *h_meet(__isl_take isl_set *a, __isl_take isl_set *b);
/* Params for which the ends of an interval, which may be empty, are both inside of another one: all, if each
 * has one bound on each side. NULL: not known. */
__isl_give isl_set *h_inside(__isl_keep isl_set *line, __isl_keep isl_set *whole);
/* The intervals of what the access reads of its producer at the instances, by dimension of the producer.
 * False: the instances are no box, or an index is no sum of coordinates and params, which quotients may be
 * around. */
bool h_affine_image(const stage_access *access, __isl_keep isl_set *instances, isl_set **lines);
/* What is known of the params; {0}: nothing. */
typedef struct h_facts {
  isl_set *params;
  struct linear_system *system;
} h_facts;

/* Makes them those of the set, which is borrowed, unless they are; false: isl's operations are spent, or the
 * numbers of the set too large. */
bool h_take_facts(h_facts *facts, __isl_keep isl_set *params);
void h_free_facts(h_facts *facts);

/* What was found around the line that has this text, within a context and in some way: Funcs of a level are
 * needed along the same lines. */
typedef struct h_interval {
  pm_string line;
  isl_set *context;
  unsigned way;
  isl_set *around;
} h_interval;

typedef PM_VEC(h_interval) h_intervals;

pm_string h_text_of(pm_context *ctx, __isl_keep isl_set *line);
/* NULL: it is not known. */
__isl_give isl_set *h_find_interval(const h_intervals *known, h_interval of);
/* Copies the sets; nothing where isl gave none. */
void h_keep_interval(h_intervals *known, h_interval found);
void h_free_intervals(h_intervals *known);

/* The same as h_affine_image, of computed indices too: lines that have all that is read where the params are
 * as known, and may have more. They are unions where a bound is the least or greatest of some. */
bool h_image(const stage_access *access, __isl_keep isl_set *instances, struct stage_values *values,
             const h_facts *facts, isl_set **lines);

#endif
