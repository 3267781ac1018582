/* Why calls of functions return codes, by the names of their arguments. */
#include "pm/function.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* The arguments of a call, and the text for its code. */
typedef struct call {
  const pm_function *f;
  const pm_argument *scalars;
  const int64_t *box; /* NULL: of whole arrays */
  const pm_buffer *const *arrays;
  char *text;
  size_t size;
} call;

static const pm_parameter *array_of(const call *c, size_t array) {
  return &c->f->parameters[c->f->n_scalars + array];
}

/* True, for what ends a search. */
static bool say(const call *c, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(c->text, c->size, format, arguments);
  va_end(arguments);
  return true;
}

static const char *name_of(int32_t type) {
  bool known = type >= PM_TYPE_I1 && type <= PM_TYPE_INDEX;
  return known ? pm_get_scalar_info((pm_scalar)type)->name : "an unknown type";
}

static bool explain_scalar(const call *c) {
  for (size_t i = 0; i < c->f->n_scalars; i++) {
    const pm_parameter *p = &c->f->parameters[i];
    pm_scalar_cell unused;
    bool is_float = p->type == PM_TYPE_F32 || p->type == PM_TYPE_F64;
    if (!is_float && !pm_set_integer(&unused, (pm_scalar)p->type, c->scalars[i].i))
      return say(c, "scalar '%s' is %" PRId64 ", which %s does not have", p->name, c->scalars[i].i,
                 name_of(p->type));
  }
  return false;
}

static bool explain_null(const call *c) {
  for (size_t i = 0; i < c->f->n_arrays; i++)
    if (!c->arrays[i] || !c->arrays[i]->host)
      return say(c, "array '%s' %s", array_of(c, i)->name,
                 c->arrays[i] ? "has no host" : "is a null pointer");
  return false;
}

static bool explain_type(const call *c) {
  for (size_t i = 0; i < c->f->n_arrays; i++) {
    const pm_parameter *p = array_of(c, i);
    const pm_buffer *b = c->arrays[i];
    if (b->type != p->type)
      return say(c, "array '%s' has elements of %s, but should have %s", p->name, name_of(b->type),
                 name_of(p->type));
    if (b->dimensions != p->dimensions)
      return say(c, "array '%s' has %" PRId32 " dimensions, but should have %" PRId32, p->name, b->dimensions,
                 p->dimensions);
  }
  return false;
}

/* The indices that an array should have. False: they are not known. */
static bool find_indices(const call *c, size_t array, int64_t *lo, int64_t *hi) {
  if (c->box) return pm_function_needs(c->f, c->scalars, c->box, array, lo, hi) == 0;
  for (int32_t d = 0; d < array_of(c, array)->dimensions; d++) {
    lo[d] = 0;
    hi[d] = pm_function_extent(c->f, c->scalars, array, (size_t)d);
  }
  return true;
}

static bool explain_indices(const call *c) {
  for (size_t i = 0; i < c->f->n_arrays; i++) {
    int64_t lo[8], hi[8];
    if (!find_indices(c, i, lo, hi)) return false;
    for (int32_t d = 0; d < array_of(c, i)->dimensions; d++) {
      const pm_dimension *dim = &c->arrays[i]->dim[d];
      if (lo[d] < hi[d] &&
          (dim->min > lo[d] || dim->extent < hi[d] - lo[d] || dim->min < hi[d] - dim->extent))
        return say(c,
                   "dimension %" PRId32 " of array '%s' has the indices %" PRId64 ":%" PRId64
                   ", but should have %" PRId64 ":%" PRId64,
                   d, array_of(c, i)->name, dim->min, dim->min + dim->extent, lo[d], hi[d]);
    }
  }
  return false;
}

static bool explain_box(const call *c) {
  for (size_t i = 0; i < c->f->n_arrays; i++)
    for (int32_t d = 0; c->f->boxes[i] >= 0 && d < array_of(c, i)->dimensions; d++) {
      const int64_t *ends = c->box + c->f->boxes[i] + 2 * d;
      int64_t extent = pm_function_extent(c->f, c->scalars, i, (size_t)d);
      if (ends[0] < 0 || ends[1] < ends[0] || ends[1] > extent)
        return say(c,
                   "dimension %" PRId32 " of the box of '%s' is %" PRId64 ":%" PRId64
                   ", but should be in 0:%" PRId64,
                   d, array_of(c, i)->name, ends[0], ends[1], extent);
    }
  return false;
}

static bool explain(const call *c, int code) {
  switch (code) {
  case PM_CALL_NO_ARRAY:
    return explain_null(c);
  case PM_CALL_BAD_BUFFER:
    return explain_type(c) || explain_indices(c);
  case PM_CALL_SMALL_WINDOW:
    return explain_indices(c);
  case PM_CALL_BAD_BOX:
    return c->box && explain_box(c);
  case PM_CALL_BAD_SCALAR:
    return explain_scalar(c);
  default:
    return false;
  }
}

void pm_function_explain(const pm_function *f, const pm_argument *scalars, size_t n_scalars,
                         const int64_t *box, const pm_buffer *const *arrays, size_t n_arrays, int code,
                         char *text, size_t size) {
  const call c = {f, scalars, box, arrays, text, size};
  const char *general = box ? pm_function_region_strerror(f, code) : pm_function_strerror(f, code);
  if (!text || !size) return;
  if (f && code == PM_CALL_WRONG_COUNT)
    say(&c, "the call has %zu scalars and %zu arrays, but '%s' has %zu and %zu", n_scalars, n_arrays, f->name,
        f->n_scalars, f->n_arrays);
  else if (!f || n_scalars != f->n_scalars || n_arrays != f->n_arrays || (n_scalars && !scalars) ||
           (n_arrays && !arrays) || (box && !f->boxes) || !explain(&c, code))
    say(&c, "%s", general);
}
