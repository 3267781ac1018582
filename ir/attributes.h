/* Attributes: interned, immutable constants attached to ops; compared by pointer, owned by the context. */
#ifndef PM_IR_ATTRIBUTES_H
#define PM_IR_ATTRIBUTES_H

#include "ir/affine.h"
#include "ir/types.h"

typedef enum pm_attr_class {
  PM_ATTR_UNIT,
  PM_ATTR_INT,    /* i of type t (int or index); u64 as its bits; i1 prints true/false */
  PM_ATTR_FLOAT,  /* f of type t */
  PM_ATTR_STRING, /* "s" */
  PM_ATTR_SYMBOL, /* @s */
  PM_ATTR_TYPE,   /* t */
  PM_ATTR_ARRAY,  /* [items] */
  PM_ATTR_DICT,   /* {names = items}, sorted by name */
  PM_ATTR_MAP,    /* affine_map<…> */
  PM_ATTR_DENSE,  /* dense<2x3xu8: [[1, 2, 3], [4, 5, 6]]>: numbers of type t, a memref's, row-major */
  PM_ATTR_CUSTOM  /* #dialect.kind<"text">, #dialect.kind<1.5, f32> */
} pm_attr_class;

typedef const struct pm_attr_storage *pm_attr;

/* A number of a DENSE as INT and FLOAT have theirs. */
typedef union pm_number {
  int64_t i;
  double f;
} pm_number;

enum { PM_MAX_DENSE = 1 << 20 /* numbers in a DENSE */ };

/* A kind of attribute that a dialect brings. `#isl.set<"…">`: a text and an object made from it. The text is
 * printed as it was given, so that printing and parsing are inverse whatever the object's own printer does.
 * Or, by rows ATTRIBUTE, PARAM, END_ATTRIBUTE (ir/op_desc.h), `#complex.polar<1.5, f32>`: a list of
 * attributes.
 */
typedef struct pm_attr_kind {
  const char *name; /* "isl.set" */
  /* Of a text: its object, or NULL after pm_error at `loc`. Owned by the attribute. */
  void *(*parse)(pm_context *ctx, pm_loc loc, pm_str text);
  void (*free)(void *object);
  const char *doc;
  const struct pm_row *params; /* of a list: its attributes, as those of ops; ends with PM_ROW_END */
  const char *alias; /* what its aliases are called: `#set1`; NULL: what follows the '.' of its name */
} pm_attr_kind;

struct pm_attr_storage {
  pm_context *ctx;
  pm_attr_class cls;
  uint32_t len; /* of items and numbers */
  union {
    int64_t i;
    double f;
    pm_string s; /* STRING, SYMBOL, and the text of a CUSTOM */
    pm_affine_map map;
    const pm_attr *items; /* ARRAY, DICT, and a CUSTOM with params */
    const pm_number *numbers;
  };
  pm_type t;                /* INT, FLOAT, TYPE, DENSE */
  const pm_string *names;   /* DICT */
  const pm_attr_kind *kind; /* CUSTOM */
  void *object;             /* CUSTOM: borrowed by readers */
};

pm_attr pm_get_unit(pm_context *ctx);
pm_attr pm_get_int(pm_type type, int64_t value);
static inline pm_attr pm_get_index_attr(pm_context *ctx, int64_t v) {
  return pm_get_int(pm_get_index(ctx), v);
}
pm_attr pm_get_bool(pm_context *ctx, bool value);
/* The value is rounded to the type. */
pm_attr pm_get_float(pm_type type, double value);
pm_attr pm_get_string_attr(pm_context *ctx, pm_str text);
pm_attr pm_get_symbol(pm_context *ctx, pm_string name);
pm_attr pm_get_type_attr(pm_type type);
pm_attr pm_get_array(pm_context *ctx, const pm_attr *items, size_t n);
pm_attr pm_get_index_array(pm_context *ctx, const int64_t *values, size_t n);
/* Sorted and checked for duplicates (a duplicate panics). */
pm_attr pm_get_dict(pm_context *ctx, const pm_string *names, const pm_attr *items, size_t n);
/* The item of that name, or NULL; `dict` may be NULL. */
pm_attr pm_dict_get(pm_attr dict, const char *name);
pm_attr pm_get_map_attr(pm_affine_map map);
/* As many numbers as the extents of the memref say, which are from 1 to PM_MAX_DENSE; each is rounded, or
 * wrapped, to its type. */
pm_attr pm_get_dense(pm_type memref, const pm_number *numbers);
/* Number `i` as an INT or FLOAT. */
pm_attr pm_dense_at(pm_attr dense, size_t i);
/* The number where the map points to: its results are an index a dimension, or the place in row-major order
 * alone. `operands` are its dims, then its symbols; NULL when one is not known (NULL), or the place is
 * outside. */
pm_attr pm_dense_read(pm_attr dense, pm_affine_map map, const pm_attr *operands);
/* How many numbers a memref of these extents has; 0 when an extent is open or less than 1, or there are too
 * many. */
size_t pm_dense_count(pm_type memref);
/* Of a kind with params: `params` is an ARRAY that has what its rows say. */
pm_attr pm_get_custom_list(const pm_attr_kind *kind, pm_attr params);
/* NULL after a diagnostic when the text does not parse. */
pm_attr pm_get_custom(pm_context *ctx, const pm_attr_kind *kind, pm_loc loc, pm_str text);
/* Like pm_get_custom with the object at hand (taken: freed at once when the attribute exists already). */
pm_attr pm_get_custom_object(pm_context *ctx, const pm_attr_kind *kind, pm_str text, void *object);

void pm_print_attr(pm_buf *out, pm_attr attr);
/* `<1.5, f32>`; nothing for none. */
void pm_print_params(pm_buf *out, const pm_attr *params, uint32_t n);

#endif
