/* Boundary modes: what a stage.read gives where it goes outside of the domain of what it reads. See
 * docs/boundaries.md. */
#ifndef PM_DIALECTS_STAGE_BOUNDARY_H
#define PM_DIALECTS_STAGE_BOUNDARY_H

#include "dialects/arith/call.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/stage.h"

typedef enum stage_mode {
  STAGE_NONE, /* the index should be inside */
  STAGE_CLAMP,
  STAGE_REPEAT,
  STAGE_MIRROR,    /* the edge is repeated: period 2 n */
  STAGE_MIRROR101, /* it is not: period 2 n - 2 */
  STAGE_CONSTANT   /* of the first such dimension, in their order, whose index is outside */
} stage_mode;

/* One mode a dimension of what is read. */
typedef struct stage_boundary {
  stage_mode modes[PM_MAX_RANK];
  pm_attr values[PM_MAX_RANK]; /* of STAGE_CONSTANT */
} stage_boundary;

/* The attribute of these modes; NULL: each is STAGE_NONE. */
pm_attr stage_boundary_attr(pm_context *ctx, const stage_boundary *boundary, unsigned rank);

/* Its word in the text. */
const char *stage_mode_name(stage_mode mode);

/* As an attribute: a word, or a number for STAGE_CONSTANT, for all dimensions; or an array of these, one a
 * dimension. */

/* False for an attribute that is no boundary of `rank` dimensions. */
bool stage_boundary_of_attr(pm_attr attr, unsigned rank, stage_boundary *out);
/* Reports what is wrong with an attribute of `op` as a boundary of `rank` dimensions and values of the type;
 * NULL for tuples. */
bool stage_boundary_verify(const pm_op *op, pm_attr attr, unsigned rank, pm_type type);
/* The modes of a read of `stage`, which is an array: its own, else those of the input or constant. False when
 * no dimension has one; *out is STAGE_NONE in each then. The read should be a valid one. */
bool stage_boundary_of_read(const pm_op *read, const pm_op *stage, stage_boundary *out);

/* ` boundary mirror`, ` boundary [none, constant(1.5 : f32)]`; nothing without an attribute. */
void stage_boundary_print(struct pm_printer *p, pm_attr attr);
/* What follows the word `boundary`. */
bool stage_boundary_parse(struct pm_parser *p, pm_attr *attr);
/* A bare number, which was read as an i64 or f64, as one of the type where it can be; other attributes as
 * they are. */
pm_attr stage_boundary_typed(pm_attr attr, pm_type type);

/* The index in lower .. lower + extent - 1 that stands for `index`; the nearest one for STAGE_CONSTANT.
 * `index - lower` wraps. The index itself for STAGE_NONE, and where there is no other. */
int64_t stage_boundary_index(stage_mode mode, int64_t index, int64_t lower, int64_t extent);

/* The points that a read goes to: `relation` (taken) is where its indices point, `domain` (borrowed) that of
 * what it reads. Of dimensions with a mode all of the domain's, but for STAGE_CONSTANT only the index itself
 * where it is inside. */
__isl_give isl_map *stage_boundary_relation(__isl_take isl_map *relation, const stage_boundary *boundary,
                                            isl_set *domain);

/* The least and greatest values of dimension `d`, and all between. */
__isl_give isl_set *stage_interval(isl_set *set, unsigned d);
/* { [least, greatest, index] }: bounds of dimension `d` of the domain, and values of that dimension of the
 * relation's range, by params. All arguments are borrowed. */
__isl_give isl_set *stage_bounds_and_indices(isl_map *relation, isl_set *domain, unsigned d);
/* The least box around the set; without its name. */
__isl_give isl_set *stage_box_around(isl_set *set);

#endif
