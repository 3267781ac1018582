/* Ops that are written inside the text of others: what printing and parsing share. */
#ifndef PM_IR_SRC_INLINE_H
#define PM_IR_SRC_INLINE_H

#include "ir/ir.h"

/* The printer hides no ops below so many others; the parser takes expressions that are nested further. */
enum { PM_MOST_INLINE = 16, PM_MOST_INLINE_NESTING = 64 };

typedef enum pm_inline_level {
  PM_LEVEL_ANY,
  PM_LEVEL_OR,
  PM_LEVEL_AND,
  PM_LEVEL_COMPARISON,
  PM_LEVEL_SUM,
  PM_LEVEL_PRODUCT,
  PM_LEVEL_PRIMARY
} pm_inline_level;

/* How tightly a kind binds. */
static inline pm_inline_level pm_inline_level_of(pm_inline_kind kind) {
  switch (kind) {
  case PM_INLINE_OR:
    return PM_LEVEL_OR;
  case PM_INLINE_AND:
    return PM_LEVEL_AND;
  case PM_INLINE_COMPARISON:
    return PM_LEVEL_COMPARISON;
  case PM_INLINE_SUM:
    return PM_LEVEL_SUM;
  case PM_INLINE_PRODUCT:
  case PM_INLINE_QUOTIENT:
    return PM_LEVEL_PRODUCT;
  default:
    return PM_LEVEL_PRIMARY;
  }
}

/* Its type, and that of its operands; of a CAST any. */
static inline pm_scalar pm_inline_gives(pm_inline_kind kind) {
  return kind <= PM_INLINE_COMPARISON ? PM_I1 : PM_INDEX;
}
static inline pm_scalar pm_inline_takes(pm_inline_kind kind) {
  return kind < PM_INLINE_COMPARISON ? PM_I1 : PM_INDEX;
}

#endif
