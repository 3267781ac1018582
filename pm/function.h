/* What pm_function is, for what makes them. */
#ifndef PM_PM_FUNCTION_H
#define PM_PM_FUNCTION_H

#include "ir/fault.h"
#include "pm/extents.h"
#include "pm/native.h"
#include "pm/pm.h"

/* All that it points to is in its heap, but the struct itself is not. */
struct pm_function {
  pm_heap *heap;
  pm_native *native;
  const char *name;
  pm_parameter *parameters;
  size_t n_scalars, n_arrays;
  pm_extents extents;
  size_t *first_extents; /* of each array: its place among these */
  /* What boxes are given as; without bounds and boxes it has no functions for them. */
  abi_bound *bounds;
  size_t n_bounds;
  int32_t *boxes, *firsts, *ranks; /* of each array, see abi_region; dimensions */
  bool on_openmp;                  /* its loops, if it has any */
};

/* A scalar as functions take it. */
typedef union pm_scalar_cell {
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
} pm_scalar_cell;
/* False: the type does not have the value. */
bool pm_set_integer(pm_scalar_cell *cell, pm_scalar type, int64_t value) PM_MUST_USE;
/* Those of the function, each with its address. False: a type does not have its value. */
bool pm_set_scalars(const pm_function *f, const pm_argument *scalars, pm_scalar_cell *cells,
                    void **values) PM_MUST_USE;

/* A call that has options. Returns 0 or a code. */
typedef struct pm_running {
  const pm_function *f;
  void **values; /* of the arguments, with room for two ahead */
  bool region;
} pm_running;
int pm_run_call(const pm_running *call, const pm_call_options *options) PM_MUST_USE;

/* What a code means that the library returns by itself; NULL: it returns no such code. */
const char *pm_call_code_text(int code);

/* Fills in all but the heap and the native function. `region` is NULL where there is none. All is copied. */
void pm_function_describe(pm_function *f, const stage_signature *sig, const pm_extents *extents,
                          const abi_region *region);

#endif
