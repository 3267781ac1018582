/* Types: interned, immutable, compared by pointer, owned by the context. */
#ifndef PM_IR_TYPES_H
#define PM_IR_TYPES_H

#include "ir/context.h"

typedef enum pm_scalar {
  PM_I1,
  PM_I8,
  PM_I16,
  PM_I32,
  PM_I64,
  PM_U8,
  PM_U16,
  PM_U32,
  PM_U64,
  PM_F16,
  PM_BF16,
  PM_F32,
  PM_F64,
  PM_INDEX,
  PM_N_SCALARS
} pm_scalar;

typedef enum pm_type_class {
  PM_TYPE_SCALAR,
  PM_TYPE_VECTOR,
  PM_TYPE_MEMREF,
  PM_TYPE_TUPLE,
  PM_TYPE_CUSTOM /* `!complex.number<f32>`: of a dialect, see pm_type_kind */
} pm_type_class;

/* Where the cells of a memref are: rows of spaces.def. */
typedef enum pm_space {
  PM_SPACE_NONE, /* an array of the caller */
#define SPACE(name, word, flags, doc) PM_SPACE_##name,
#include "ir/spaces.def"
#undef SPACE
  PM_N_SPACES
} pm_space;

enum {
  PM_SPACE_OPEN = 1 << 0,       /* extents may be open */
  PM_SPACE_ARRAYS = 1 << 1,     /* whole arrays of a schedule may live there */
  PM_SPACE_BOXES = 1 << 2,      /* boxes of a schedule may live there */
  PM_SPACE_IN_PARALLEL = 1 << 3 /* stands directly in a loop.parallel */
};

typedef struct pm_space_info {
  const char *name; /* "heap" */
  unsigned flags;
  const char *doc;
} pm_space_info;
const pm_space_info *pm_get_space_info(pm_space space);
/* The space of that name, where `none` (or NULL) is the word for PM_SPACE_NONE; false after a diagnostic at
 * `loc` when there is no such space. */
bool pm_parse_space(pm_context *ctx, pm_loc loc, pm_str name, const char *none, pm_space *space);
/* `heap, stack or thread`: those with one of the flags, each between quotes `quote`. */
void pm_put_spaces(pm_buf *out, unsigned flags, const char *quote);

#define PM_DYNAMIC INT64_MIN /* an extent written '?' */

struct pm_type_storage {
  pm_context *ctx;
  uint8_t cls;            /* pm_type_class */
  uint8_t scalar;         /* pm_scalar: of the type itself or of its elements; PM_N_SCALARS: of a tuple, a
                             custom type, and a memref of custom elements */
  uint16_t rank;          /* memref; tuple: how many elements */
  uint32_t lanes;         /* vector */
  const int64_t *dims;    /* memref: rank extents, PM_DYNAMIC for '?'; tuple: the pm_scalar of each element */
  const int64_t *strides; /* memref: NULL: dense row-major; else rank distances in elements between cells that
                             are next to one another along a dimension, PM_DYNAMIC for '?' */
  uint8_t space;          /* memref: pm_space */
  const struct pm_type_kind *kind;      /* custom */
  const struct pm_attr_storage *params; /* custom: an ARRAY attribute with the kind's parameters */
  const struct pm_type_storage *elem;   /* memref: of custom elements; else NULL */
};
typedef const struct pm_type_storage *pm_type;

/* A kind of type that a dialect brings by rows: TYPE, PARAM, TYPE_HOOK, END_TYPE (ir/op_desc.h). */
typedef struct pm_type_kind {
  const char *name; /* "complex.number" */
  const char *doc;
  const struct pm_row *params; /* attributes, as those of ops; ends with PM_ROW_END */
  /* NULL, or false after a diagnostic at `loc`: parameters of the right kinds do not make a type. */
  bool (*verify)(pm_type type, pm_loc loc);
} pm_type_kind;
/* `params` is an ARRAY attribute that has what the kind's rows say. */
pm_type pm_get_custom_type(const pm_type_kind *kind, const struct pm_attr_storage *params);
static inline bool pm_is_custom(pm_type t, const pm_type_kind *kind) {
  return t->cls == PM_TYPE_CUSTOM && t->kind == kind;
}

pm_type pm_get_scalar(pm_context *ctx, pm_scalar scalar);
static inline pm_type pm_get_index(pm_context *ctx) {
  return pm_get_scalar(ctx, PM_INDEX);
}
static inline pm_type pm_get_i1(pm_context *ctx) {
  return pm_get_scalar(ctx, PM_I1);
}
pm_type pm_get_vector(pm_type elem, uint32_t lanes);
pm_type pm_get_memref(pm_type elem, uint16_t rank, const int64_t *dims, pm_space space);
/* The same with strides, rank of them: `memref<?x64xf32, strided<[?, 1]>, heap>`; NULL: dense. */
pm_type pm_get_strided(pm_type memref, const int64_t *strides);
/* `(f32, i32)`: the type of what has several scalars at each point. Values of ops are no tuples. n >= 2. */
pm_type pm_get_tuple(const pm_type *elems, uint16_t n);
/* A scalar is its own one element. */
static inline unsigned pm_tuple_len(pm_type t) {
  return t->cls == PM_TYPE_TUPLE ? t->rank : 1;
}
pm_type pm_tuple_at(pm_type type, unsigned i);

/* The type of the elements; a scalar or custom type is its own element. */
pm_type pm_elem_type(pm_type type);
/* `like` with its scalar replaced: i1 for vector<8xf32> gives vector<8xi1>. */
pm_type pm_with_scalar(pm_type like, pm_scalar scalar);

typedef struct pm_scalar_info {
  const char *name; /* "u8" */
  uint8_t bits;     /* index: 64 */
  bool is_float, is_signed;
} pm_scalar_info;
const pm_scalar_info *pm_get_scalar_info(pm_scalar scalar);

static inline bool pm_is_float(pm_type t) {
  return t->cls != PM_TYPE_MEMREF && t->scalar >= PM_F16 && t->scalar <= PM_F64;
}
static inline bool pm_is_int(pm_type t) {
  return t->cls != PM_TYPE_MEMREF && t->scalar <= PM_U64;
}
static inline bool pm_is_index(pm_type t) {
  return t->cls == PM_TYPE_SCALAR && t->scalar == PM_INDEX;
}
static inline bool pm_is_int_or_index(pm_type t) {
  return pm_is_int(t) || (t->cls != PM_TYPE_MEMREF && t->scalar == PM_INDEX);
}
static inline bool pm_is_memref(pm_type t) {
  return t->cls == PM_TYPE_MEMREF;
}
static inline bool pm_is_bool(pm_type t) {
  return t->cls != PM_TYPE_MEMREF && t->scalar == PM_I1;
}
static inline size_t pm_scalar_bytes(pm_scalar s) {
  return (pm_get_scalar_info(s)->bits + 7u) / 8u;
}

/* Of a scalar, or of the elements of a vector or memref; of a tuple the sum of its elements. */
size_t pm_element_bytes(pm_type type);

void pm_print_type(pm_buf *out, pm_type type);

#endif
