/* Making and reading schedule trees: what the scheduling passes share. */
#ifndef PM_DIALECTS_POLY_TREE_H
#define PM_DIALECTS_POLY_TREE_H

#include "dialects/isl/isl_dialect.h"
#include "dialects/poly/marks.h"
#include "dialects/poly/poly.h"
#include "ir/builder.h"

/* --- making nodes: each inserts at the builder and returns a builder inside the new node. isl objects are
 * taken. --- */
pm_builder poly_add_schedule(pm_builder *b);
pm_builder poly_add_domain(pm_builder *b, __isl_take isl_union_set *instances);
pm_builder poly_add_sequence(pm_builder *b);
pm_builder poly_add_filter(pm_builder *b, __isl_take isl_union_set *instances);
/* The mark of a group that says in what tiles of its n innermost dimensions, and in steps of what size, from
 * the first of these dimensions on; `inner` NULL: it does not say. */
pm_builder poly_add_tiled_group(pm_builder *b, const int64_t *sizes, size_t n, const int64_t *inner,
                                size_t n_inner);
/* Of the mark of a group: what computes a tile on a device, "group" or "item". */
void poly_set_worker(pm_op *mark, const char *worker);
pm_builder poly_add_extension(pm_builder *b, __isl_take isl_union_map *map);
pm_builder poly_add_expansion(pm_builder *b, __isl_take isl_union_map *map);
typedef struct poly_band_info {
  bool permutable;
  const int64_t *coincident; /* one a member, or NULL */
  const int64_t *tile;       /* one a member, or NULL */
} poly_band_info;
/* A schedule as it is when its text is read. Else it may print differently later: isl keeps quotients of
 * numbers in functions, `x + floor(1/2)`, and stages in the order in which they came. */
__isl_give isl_multi_union_pw_aff *poly_as_read(__isl_take isl_multi_union_pw_aff *schedule);
pm_builder poly_add_band(pm_builder *b, __isl_take isl_multi_union_pw_aff *schedule, poly_band_info info);
/* In no space: the caller's array. `at` NULL: the box of the stage's domain; else taken, with n sizes, and n
 * folds or NULL. */
pm_op *poly_add_alloc(pm_builder *b, pm_string stage, pm_type type, pm_space space, __isl_take isl_map *at,
                      const int64_t *size, const int64_t *fold, unsigned n);
/* Of a poly.alloc; PM_SPACE_NONE: the caller's array. */
pm_space poly_space_of(const pm_op *alloc);

/* --- reading --- */
/* The poly.schedule of a stage.pipeline, or NULL. */
pm_op *poly_find_schedule(const pm_op *pipeline);
/* The one child of a node that is no allocation, or NULL for a leaf. */
pm_op *poly_child(const pm_op *node);
/* A sequence or a set: its children are filters. NULL is neither. */
bool poly_has_filters(const pm_op *node);
/* Nothing is in the node but the child, or nothing at all where that is NULL. */
bool poly_holds_only(const pm_op *node, const pm_op *child);
/* A band of which every member is coincident, and that has members. */
bool poly_is_coincident(const pm_op *band);
/* Band members. */
unsigned poly_band_members(const pm_op *band);
/* The last member goes from piece to piece of a dimension, floor(x/32). */
bool poly_goes_over_pieces(const pm_op *band);
/* The mark of a group says that what computes a tile on a device is the worker, "group" or "item". */
bool poly_has_worker(const pm_op *mark, const char *worker);
/* Puts the members of a band in another order: member k becomes the one that was number order[k]. Says
 * nothing of the tiles of a band that has them. */
void poly_permute_band(pm_op *band, const unsigned *order);
/* The schedule of a band on the instances of one stage: a map from Stage[…] to the members. NULL if it has
 * none. */
__isl_give isl_map *poly_band_map(const pm_op *band, pm_string stage);
/* The instances that an extension brings, or that an expansion gives; the caller's. */
__isl_give isl_union_set *poly_instances_of(const pm_op *extension_or_expansion);
/* Puts a mark around what is below the node; NULL: there is nothing, or such a mark somewhere in it. */
pm_op *poly_mark_below(pm_op *node, poly_mark_kind kind);
/* All bands, allocations … below: op of kind `desc` in pre-order; the array is the caller's (free). */
typedef PM_VEC(pm_op *) poly_ops;
void poly_collect(pm_op *root, const pm_op_desc *desc, poly_ops *out);
/* Maps the names of instances that bands and filters below marks "atomic" have to themselves: what is done in
 * one step, if it is an update. */
void poly_collect_atomic(pm_op *schedule, pm_map *names);
/* The allocation of a stage that is in scope at a node; NULL: none. */
pm_op *poly_find_alloc(const pm_op *node, pm_string stage);
/* That of all points, in the domain. */
pm_op *poly_array_of(const pm_op *node, pm_string stage);
/* The first allocation in the same node that shares memory with this one, which may be itself. */
const pm_op *poly_first_of_pool(const pm_op *alloc);
/* The first one in the same node that is one array with this one. */
const pm_op *poly_first_of_turn(const pm_op *alloc);
/* Bytes of a box, for one coordinate of the dimensions of which it has all; -1 of a whole array. */
int64_t poly_box_bytes(const pm_op *alloc);
/* Bytes of the memory of a box, or of all that share it with the first of them; 0 for the others. */
int64_t poly_memory_bytes(const pm_op *alloc);
/* The box has all of its stage along the dimension. */
bool poly_box_is_open(const pm_op *alloc, unsigned dim);
/* Along some dimension; false of a whole array. */
bool poly_box_is_any_open(const pm_op *alloc);
/* The names of the stages in a union set, in isl's order; the array is the caller's. */
typedef PM_VEC(pm_string) poly_names;
void poly_stage_names(pm_context *ctx, isl_union_set *instances, poly_names *out);
/* Those of the instances that a band has functions of. */
void poly_band_names(const pm_op *band, poly_names *out);

#endif
