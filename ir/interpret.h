/* For HOOK(op, interpret): what an op may ask of the interpreter that runs it, once for each time. */
#ifndef PM_IR_INTERPRET_H
#define PM_IR_INTERPRET_H

#include "ir/ir.h"

typedef struct pm_interpreter pm_interpreter;
struct pm_interpreter {
  pm_lane *(*lanes)(pm_interpreter *in, const pm_value *value);
  bool (*run)(pm_interpreter *in, const pm_region *region);
  bool (*load)(pm_interpreter *in, const pm_op *op, const pm_value *memref, const int64_t *indices,
               pm_lane *out);
  bool (*store)(pm_interpreter *in, const pm_op *op, const pm_value *memref, const int64_t *indices,
                const pm_lane *value);
};

/* The lanes of a value that is no memref, in the form of its type: to read those of operands, to write those
 * of results and of a region's arguments. They stay where they are. */
static inline pm_lane *pm_interp_lanes(pm_interpreter *in, const pm_value *value) {
  return in->lanes(in, value);
}
/* Runs the ops of a region of the op, whose arguments have been written; what its terminator has as operands
 * can be read behind it. False after a diagnostic: the hook gives false, too. */
static inline PM_MUST_USE bool pm_interp_run(pm_interpreter *in, const pm_region *region) {
  return in->run(in, region);
}
/* One element of a memref; false after a diagnostic at the op, as of buf.load and buf.store. */
static inline PM_MUST_USE bool pm_interp_load(pm_interpreter *in, const pm_op *op, const pm_value *memref,
                                              const int64_t *indices, pm_lane *out) {
  return in->load(in, op, memref, indices, out);
}
static inline PM_MUST_USE bool pm_interp_store(pm_interpreter *in, const pm_op *op, const pm_value *memref,
                                               const int64_t *indices, const pm_lane *value) {
  return in->store(in, op, memref, indices, value);
}

#endif
