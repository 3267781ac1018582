/* The buf dialect: see buf.def for its ops. */
#ifndef PM_DIALECTS_BUF_H
#define PM_DIALECTS_BUF_H

#define PM_DIALECT buf
#define PM_DIALECT_DEF "dialects/loop/buf.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#include "ir/builder.h"

/* The number of extents, and then strides, that the type of an array leaves open: operands of its op. */
unsigned buf_open_sizes(pm_type type);

/* --- builders: `extents` has as many as the type leaves open, `indices` the dimensions of the map and its
 * symbols
 * --- */
pm_value *buf_build_input(pm_builder *b, pm_string name, pm_type type, pm_value *const *extents);
pm_value *buf_build_output(pm_builder *b, pm_string name, pm_type type, pm_value *const *extents);
/* How many channels the pixels of an array have, which is interleaved: the extent of its last dimension, if
 * that is a constant of a few; else 0. Windows of such an array have whole pixels, next to one another. */
enum { BUF_MOST_CHANNELS = 4 };
unsigned buf_channels(const pm_value *extent);
unsigned buf_pixel_of(const pm_op *array);
/* `values` are dense numbers. */
pm_value *buf_build_constant(pm_builder *b, pm_string name, pm_attr values);
/* One array; `stage` may be NULL. */
pm_value *buf_build_alloc(pm_builder *b, pm_type type, pm_value *const *extents, pm_string stage);
/* The stage whose value the access reads or stores, in an array that stages overwrite in place; else NULL.
 * Accesses by vectors do not say it, so that such loads and stores stay as they are. */
pm_string buf_stage_of(const pm_op *access);
pm_value *buf_build_load(pm_builder *b, pm_value *buffer, pm_affine_map map, pm_value *const *indices);
pm_op *buf_build_store(pm_builder *b, pm_value *value, pm_value *buffer, pm_affine_map map,
                       pm_value *const *indices);
/* `join` is the op of integers that joins the cell and the value. */
pm_op *buf_build_atomic(pm_builder *b, const pm_op_desc *join, pm_value *value, pm_value *buffer,
                        pm_affine_map map, pm_value *const *indices);
/* (i, c) -> i - c: in memory for a piece of a row that begins at c. */
pm_affine_map buf_offset_map(pm_context *ctx);
pm_op *buf_build_prefetch(pm_builder *b, pm_value *buffer, pm_affine_map map, pm_value *const *indices,
                          bool write);

/* The op of integers that joins the cell and the value of a buf.atomic. */
const pm_op_desc *buf_atomic_join(const pm_op *atomic);

/* The dense numbers that the buffer holds for ever, or NULL. */
pm_attr buf_known_values(const pm_value *buffer);
/* Whether the array is only read. */
bool buf_is_read_only(const pm_op *array);

/* Whether there is memory: i1. */
pm_value *buf_build_nonnull(pm_builder *b, pm_value *buffer);

/* `memref<?xi8, heap>` */
pm_type buf_workspace_type(pm_context *ctx);
/* Memory of the call: see the op. */
pm_value *buf_build_workspace(pm_builder *b, pm_value *bytes);
/* The memory of the buf.alloc, which has no place yet, is in the workspace from byte `offset` on. */
void buf_place(pm_op *alloc, pm_value *workspace, pm_value *offset);

/* The size in bytes that the buf.alloc has behind the extents, or NULL. */
pm_value *buf_alloc_bytes(const pm_op *alloc);
/* The workspace that it is in, and its place there; NULL when its memory is its own. */
pm_value *buf_alloc_workspace(const pm_op *alloc);
pm_value *buf_alloc_offset(const pm_op *alloc);
/* The operand of a buf.alloc with which the extents of its result `i` begin. */
unsigned buf_first_extent(const pm_op *alloc, unsigned i);

#endif
