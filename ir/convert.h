/* Conversion of types and ops, driven by what is legal, as MLIR's dialect conversion. A value may become
 * several: `!complex.number<f32>` two of f32. An op is converted when it is not legal: by a rule, or, where
 * only its types are not, by making it anew with the types that they become, its regions' arguments among
 * them. Ops that rules make are converted, too. */
#ifndef PM_IR_CONVERT_H
#define PM_IR_CONVERT_H

#include "ir/builder.h"

enum { PM_MOST_PARTS = 16 };

typedef struct pm_converter pm_converter;

/* What stands for a value: one of each type that its type becomes. Borrowed, until the conversion ends. */
typedef struct pm_parts {
  pm_value *const *values;
  unsigned n;
} pm_parts;

typedef struct pm_conversion_rule {
  const pm_op_desc *op;
  const char *law;
  /* True when it has called pm_cv_replace; false: it does not apply, and has changed nothing. */
  bool (*apply)(pm_converter *c, pm_op *op);
} pm_conversion_rule;

typedef enum pm_legality {
  PM_LEGAL_TYPES, /* it is legal when all of its types are */
  PM_LEGAL,       /* it stays, with its types */
  PM_ILLEGAL
} pm_legality;

typedef struct pm_conversion {
  const pm_conversion_rule *rules; /* the first that applies is taken; ends with a NULL op */
  /* The types that a value of the type becomes: how many, up to PM_MOST_PARTS. A legal type becomes itself.
   * 0: it cannot be converted. */
  unsigned (*types)(pm_type type, pm_type *parts);
  pm_legality (*legality)(const pm_op *op); /* NULL: PM_LEGAL_TYPES */
  /* For PM_LEGAL ops whose types are not legal; NULL: there are none. A value of the old type, for its
   * operands; and the parts of one of its results. */
  pm_value *(*join)(pm_builder *b, pm_type type, pm_parts parts);
  void (*split)(pm_builder *b, pm_value *value, pm_value **parts);
} pm_conversion;

/* Converts all ops below `root`; `*converted` gets their number. False after a diagnostic, at the first op
 * that no rule converts: the IR is then in between. */
bool pm_convert_ops(pm_op *root, const pm_conversion *how, int64_t *converted) PM_MUST_USE;

/* --- for rules --- */
/* Before the op that is converted. */
pm_builder *pm_cv_builder(pm_converter *c);
/* What stands for a value that is defined ahead of the op. */
pm_parts pm_cv_parts(pm_converter *c, const pm_value *value);
static inline pm_value *pm_cv_part(pm_converter *c, const pm_value *value, unsigned i) {
  return pm_cv_parts(c, value).values[i];
}
/* The op goes; `parts` are those of its results, of one behind those of the other. */
void pm_cv_replace(pm_converter *c, pm_op *op, pm_value *const *parts);

#endif
