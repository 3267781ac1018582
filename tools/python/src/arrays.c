#include "tools/python/src/arrays.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 8 };

int64_t pm_type_bytes(int32_t type) {
  static const unsigned char bytes[] = {
      [PM_TYPE_I1] = 1,   [PM_TYPE_I8] = 1,  [PM_TYPE_I16] = 2, [PM_TYPE_I32] = 4,  [PM_TYPE_I64] = 8,
      [PM_TYPE_U8] = 1,   [PM_TYPE_U16] = 2, [PM_TYPE_U32] = 4, [PM_TYPE_U64] = 8,  [PM_TYPE_F16] = 2,
      [PM_TYPE_BF16] = 2, [PM_TYPE_F32] = 4, [PM_TYPE_F64] = 8, [PM_TYPE_INDEX] = 8};
  return type >= 0 && type <= PM_TYPE_INDEX ? bytes[type] : 0;
}

const char *pm_type_name(int32_t type) {
  static const char *const names[] = {
      [PM_TYPE_I1] = "bool",     [PM_TYPE_I8] = "int8",       [PM_TYPE_I16] = "int16",
      [PM_TYPE_I32] = "int32",   [PM_TYPE_I64] = "int64",     [PM_TYPE_U8] = "uint8",
      [PM_TYPE_U16] = "uint16",  [PM_TYPE_U32] = "uint32",    [PM_TYPE_U64] = "uint64",
      [PM_TYPE_F16] = "float16", [PM_TYPE_BF16] = "bfloat16", [PM_TYPE_F32] = "float32",
      [PM_TYPE_F64] = "float64", [PM_TYPE_INDEX] = "int64"};
  return names[type];
}

/* --- types --- */

/* 'b' of a bool, 'i' and 'u' of integers, 'f' and 'g' of floats, the latter with the exponent of f32. */
static char class_of(int32_t type) {
  if (type == PM_TYPE_I1) return 'b';
  if (type == PM_TYPE_BF16) return 'g';
  if (type == PM_TYPE_F16 || type == PM_TYPE_F32 || type == PM_TYPE_F64) return 'f';
  return type >= PM_TYPE_U8 && type <= PM_TYPE_U64 ? 'u' : 'i';
}

/* Of a format of the buffer protocol, in the order of bytes of this processor; 0: of something else. */
static char class_of_format(const char *format) {
  if (!format) return 'u';
  bool is_native = strchr("@=<", format[0]) && format[0];
  const char *letter = format + is_native;
  if (!letter[0] || letter[1]) return 0;
  if (strchr("?", *letter)) return 'b';
  if (strchr("bhilqn", *letter)) return 'i';
  if (strchr("BHILQN", *letter)) return 'u';
  return strchr("efd", *letter) ? 'f' : 0;
}

/* --- the buffer protocol --- */

/* An array of NumPy whose type has no format, as bfloat16, refuses. */
static pm_array_fault get_view(pm_given_array *a) {
  a->has_view = PyObject_GetBuffer(a->object, &a->view, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
  if (a->has_view) return PM_ARRAY_OK;
  if (!PyObject_HasAttrString(a->object, "dtype")) return PM_ARRAY_RAISED;
  PyErr_Clear();
  return PM_ARRAY_TYPE;
}

/* Elements that are not whole elements apart, or not where their type may be. */
static bool is_odd(const Py_buffer *view) {
  Py_ssize_t odd = (Py_ssize_t)((uintptr_t)view->buf % (uintptr_t)view->itemsize);
  for (int d = 0; d < view->ndim; d++) odd |= view->shape[d] > 1 ? view->strides[d] % view->itemsize : 0;
  return odd != 0;
}

static pm_array_fault copy_view(pm_given_array *a) {
  a->copy = malloc((size_t)a->view.len + 1);
  if (!a->copy) return PM_ARRAY_MEMORY;
  if (PyBuffer_ToContiguous(a->copy, &a->view, a->view.len, 'C') != 0) return PM_ARRAY_RAISED;
  a->buffer.host = a->copy;
  int64_t stride = 1;
  for (int d = a->view.ndim - 1; d >= 0; d--) {
    a->buffer.dim[d].stride = stride;
    stride *= a->buffer.dim[d].extent;
  }
  return PM_ARRAY_OK;
}

static pm_array_fault use_view(pm_given_array *a, const pm_parameter *wanted, bool write) {
  const Py_buffer *view = &a->view;
  if (class_of_format(view->format) != class_of(wanted->type) ||
      view->itemsize != pm_type_bytes(wanted->type))
    return PM_ARRAY_TYPE;
  if (view->ndim != wanted->dimensions || view->ndim > MOST_DIMENSIONS) return PM_ARRAY_RANK;
  a->buffer.host = view->buf;
  for (int d = 0; d < view->ndim; d++)
    a->buffer.dim[d] = (pm_dimension){0, view->shape[d], view->strides[d] / view->itemsize};
  if (!is_odd(view)) return PM_ARRAY_OK;
  return write ? PM_ARRAY_STRIDES : copy_view(a);
}

/* Whether it is read-only is asked for here: an error of the protocol does not say so. */
static pm_array_fault begin_view(pm_given_array *a, const pm_parameter *wanted, bool write) {
  pm_array_fault fault = get_view(a);
  if (fault) return fault;
  if (write && a->view.readonly) return PM_ARRAY_READ_ONLY;
  return use_view(a, wanted, write);
}

/* --- DLPack: the struct of its specification, which a capsule "dltensor" has --- */

typedef struct dl_tensor {
  void *data;
  int32_t device, device_number, dimensions;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* in elements; NULL: dense */
  uint64_t offset;          /* in bytes */
} dl_tensor;
enum { DL_CPU = 1, DL_HOST_OF_CUDA = 3, DL_HOST_OF_ROCM = 11 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

static bool is_of_type(const dl_tensor *t, const pm_parameter *wanted) {
  static const struct {
    char class;
    uint8_t code;
  } codes[] = {{'b', DL_BOOL}, {'i', DL_INT}, {'u', DL_UINT}, {'f', DL_FLOAT}, {'g', DL_BFLOAT}};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].class == class_of(wanted->type) && codes[i].code != t->code) return false;
  return t->lanes == 1 && t->bits == 8 * pm_type_bytes(wanted->type);
}

static pm_array_fault use_tensor(pm_given_array *a, const dl_tensor *t, const pm_parameter *wanted) {
  if (!is_of_type(t, wanted)) return PM_ARRAY_TYPE;
  if (t->dimensions != wanted->dimensions || t->dimensions > MOST_DIMENSIONS) return PM_ARRAY_RANK;
  a->buffer.host = (char *)t->data + t->offset;
  int64_t dense = 1;
  for (int32_t d = t->dimensions - 1; d >= 0; d--) {
    a->buffer.dim[d] = (pm_dimension){0, t->shape[d], t->strides ? t->strides[d] : dense};
    dense *= t->shape[d];
  }
  bool is_odd = (uintptr_t)a->buffer.host % (uintptr_t)pm_type_bytes(wanted->type) != 0;
  return is_odd ? PM_ARRAY_STRIDES : PM_ARRAY_OK;
}

/* The device by the object's own word, which costs nothing to ask. */
static bool is_on_device(PyObject *object) {
  long device = DL_CPU;
  PyObject *pair = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  PyObject *number = pair ? PySequence_GetItem(pair, 0) : NULL;
  PyObject *index = number ? PyNumber_Index(number) : NULL;
  if (index) device = PyLong_AsLong(index);
  Py_XDECREF(index);
  Py_XDECREF(number);
  Py_XDECREF(pair);
  PyErr_Clear();
  return device != DL_CPU && device != DL_HOST_OF_CUDA && device != DL_HOST_OF_ROCM;
}

/* The capsule is held, not taken: its own end gives the memory back. */
static pm_array_fault begin_tensor(pm_given_array *a, const pm_parameter *wanted) {
  if (is_on_device(a->object)) return PM_ARRAY_DEVICE;
  a->held = PyObject_CallMethod(a->object, "__dlpack__", NULL);
  if (!a->held) return PM_ARRAY_RAISED;
  if (!PyCapsule_IsValid(a->held, "dltensor")) return PM_ARRAY_NO_ARRAY;
  return use_tensor(a, PyCapsule_GetPointer(a->held, "dltensor"), wanted);
}

/* --- both --- */

/* An element that is written twice has no value. */
static bool lies_on_itself(const pm_buffer *b) {
  bool lies = false;
  for (int32_t d = 0; d < b->dimensions; d++) {
    if (b->dim[d].extent == 0) return false;
    lies |= b->dim[d].extent > 1 && b->dim[d].stride == 0;
  }
  return lies;
}

static void find_bytes(pm_given_array *a, int64_t bytes) {
  int64_t low = 0, high = 1;
  for (int32_t d = 0; d < a->buffer.dimensions; d++) {
    int64_t way = (a->buffer.dim[d].extent - 1) * a->buffer.dim[d].stride;
    if (a->buffer.dim[d].extent == 0) high = low = 0;
    if (a->buffer.dim[d].extent == 0) break;
    *(way < 0 ? &low : &high) += way;
  }
  a->low = (const char *)a->buffer.host + low * bytes;
  a->high = (const char *)a->buffer.host + high * bytes;
}

pm_array_fault pm_array_begin(pm_given_array *a, PyObject *object, const pm_parameter *wanted, bool write) {
  static char nothing[64]; /* where an array without elements is, if it says nowhere */
  a->object = object;
  a->held = NULL;
  a->copy = NULL;
  a->has_view = false;
  a->buffer.type = wanted->type;
  a->buffer.dimensions = wanted->dimensions;
  bool has_buffer = PyObject_CheckBuffer(object);
  if (!has_buffer && !PyObject_HasAttrString(object, "__dlpack__")) return PM_ARRAY_NO_ARRAY;
  pm_array_fault fault = has_buffer ? begin_view(a, wanted, write) : begin_tensor(a, wanted);
  if (fault) return fault;
  if (write && lies_on_itself(&a->buffer)) return PM_ARRAY_STRIDES;
  if (!a->buffer.host) a->buffer.host = nothing;
  find_bytes(a, pm_type_bytes(wanted->type));
  return PM_ARRAY_OK;
}

void pm_array_end(pm_given_array *a) {
  if (a->has_view) PyBuffer_Release(&a->view);
  Py_XDECREF(a->held);
  free(a->copy);
}

bool pm_arrays_meet(const pm_given_array *a, const pm_given_array *b) {
  return a->low < b->high && b->low < a->high;
}
