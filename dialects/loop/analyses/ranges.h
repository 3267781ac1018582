/* Ranges of the integers in a loop.func: of ops by arith/range.h, of counters by the bounds of their loops.
 * They show which sums need no wrapping and which dividends are not negative. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_RANGES_H
#define PM_DIALECTS_LOOP_ANALYSES_RANGES_H

#include "dialects/arith/range.h"
#include "ir/pass.h"

typedef struct loop_ranges loop_ranges;

/* What is known of a value of the function, or of one that calls it, from elsewhere. */
typedef struct loop_known_range {
  const pm_value *value;
  arith_range range;
} loop_known_range;

/* Of every value in the function; loop_ranges_free frees it. */
loop_ranges *loop_find_ranges(const pm_op *func, const loop_known_range *known, size_t n_known);
/* The same, and of the arguments of a private function what all calls in the module give. */
loop_ranges *loop_find_called_ranges(const pm_op *func, const loop_known_range *known, size_t n_known);
void loop_ranges_free(loop_ranges *ranges);
/* The same as a cached analysis of a loop.func. */
extern const pm_analysis_desc loop_ranges_analysis;

/* What the type holds, for a value that nothing is known of. */
arith_range loop_range_of(const loop_ranges *ranges, const pm_value *value);
/* The result of an op on integers that never wraps. */
bool loop_is_exact(const loop_ranges *ranges, const pm_value *value);
/* Of one node of an affine expression, whose operands have these ranges: unknown where it may leave 64 bits.
 */
arith_range loop_combined_range(pm_affine_kind kind, arith_range a, arith_range b);
/* Of an expression whose dimensions, and after them symbols, are the operands; `n_dims` of the first. */
arith_range loop_affine_range(const loop_ranges *ranges, pm_affine_expr expr, const pm_use *operands,
                              uint32_t n_dims);

#endif
