/* Arrays of Python as buffers of the library: by the buffer protocol, else by DLPack. */
#ifndef PM_PYTHON_ARRAYS_H
#define PM_PYTHON_ARRAYS_H

#include "tools/python/src/module.h"

#include "pm/pm.h"

#include <stdbool.h>

typedef enum pm_array_fault {
  PM_ARRAY_OK,
  PM_ARRAY_RAISED,   /* the object itself has raised an error */
  PM_ARRAY_NO_ARRAY, /* it has neither protocol */
  PM_ARRAY_DEVICE,   /* it is not in memory of the processor */
  PM_ARRAY_TYPE,     /* its elements are of another type */
  PM_ARRAY_RANK,
  PM_ARRAY_READ_ONLY,
  PM_ARRAY_STRIDES, /* it is written to, but elements are not whole elements apart, or lie on each other */
  PM_ARRAY_MEMORY
} pm_array_fault;

/* An array while it is used. */
typedef struct pm_given_array {
  PyObject *object; /* borrowed */
  PyObject *held;   /* a capsule of DLPack, or NULL */
  bool has_view;
  Py_buffer view;
  void *copy;             /* of an input whose elements are where the library does not take them */
  pm_buffer buffer;       /* each min is 0 */
  const char *low, *high; /* its bytes are from here to before there */
} pm_given_array;

/* Begins to use the object as an array of that type and rank, and must be ended also after a fault. */
pm_array_fault pm_array_begin(pm_given_array *a, PyObject *object, const pm_parameter *wanted, bool write);
void pm_array_end(pm_given_array *a);
/* They may have bytes in common. */
bool pm_arrays_meet(const pm_given_array *a, const pm_given_array *b);
/* Bytes of an element; 0 of a type that arrays do not have. */
int64_t pm_type_bytes(int32_t type);
/* As NumPy calls it. */
const char *pm_type_name(int32_t type);

#endif
