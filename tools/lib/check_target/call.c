#include "tools/lib/check_target/call.h"

#include "tools/lib/check_target/data.h"
#include "tools/lib/images/array.h"
#include "tools/lib/images/compare.h"
#include "tools/lib/semantics/program.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, PATTERN = 0xa5 };

/* --- arrays between guards --- */

static bool is_pattern(const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)bytes[i] != PATTERN) return false;
  return true;
}

/* The element in front of it is one of the guard's, so that the address is a multiple of no more. */
static pm_guarded guarded_new(const pm_array *like) {
  pm_guarded g = {.bytes = (size_t)pm_array_bytes(like)};
  size_t front = GUARD + pm_scalar_bytes(like->scalar);
  g.block = pm_xmalloc(front + g.bytes + GUARD);
  g.data = g.block + front;
  memset(g.block, PATTERN, front + g.bytes + GUARD);
  return g;
}

static bool holds(const pm_guarded *g) {
  return is_pattern(g->block, (size_t)(g->data - g->block)) && is_pattern(g->data + g->bytes, GUARD);
}

/* --- the call --- */

bool pm_check_wrong(pm_check_call *call, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(call->why, fmt, args);
  va_end(args);
  return false;
}

static size_t count_arrays(const pm_check_call *call) {
  return call->trial.sig.inputs.len + call->trial.sig.outputs.len;
}

static const stage_arg *array_at(const pm_check_call *call, size_t i) {
  const stage_signature *sig = &call->trial.sig;
  return i < sig->inputs.len ? &sig->inputs.data[i] : &sig->outputs.data[i - sig->inputs.len];
}

static const char *array_name(const pm_check_call *call, size_t i) {
  return array_at(call, i)->name->text;
}

static const pm_array *array_like(const pm_check_call *call, size_t i) {
  size_t inputs = call->trial.sig.inputs.len;
  return i < inputs ? &call->trial.inputs[i] : &call->trial.outputs[i - inputs];
}

static void give_arguments(pm_check_call *call) {
  const pm_trial *t = &call->trial;
  size_t params = t->sig.params.len, arrays = count_arrays(call);
  call->given = pm_xcalloc(arrays + 1, sizeof *call->given);
  call->scalars = pm_xcalloc(params + 1, sizeof *call->scalars);
  call->pointers = pm_xcalloc(arrays + 1, sizeof *call->pointers);
  call->values = (void **)pm_xcalloc(params + arrays + 4, sizeof *call->values) + 2;
  for (size_t i = 0; i < params; i++) {
    arith_store_lanes((pm_scalar)t->sig.params.data[i].type->scalar, &t->params.lanes[i], &call->scalars[i],
                      1, 1);
    call->values[i] = &call->scalars[i];
  }
  for (size_t i = 0; i < arrays; i++) {
    call->given[i] = guarded_new(array_like(call, i));
    call->pointers[i] = call->given[i].data;
    call->values[params + i] = &call->pointers[i];
    if (i < t->sig.inputs.len) memcpy(call->given[i].data, t->inputs[i].data, call->given[i].bytes);
  }
}

static bool interpret(pm_check_call *call, pm_op *op) {
  if (call->program->is_quiet || pm_trial_run(&call->trial, op, call->trial.outputs, NULL)) return true;
  return pm_check_wrong(call, "the interpreter refuses it");
}

bool pm_check_call_begin(pm_check_call *call, pm_op *op) {
  char *sizes = pm_xstrdup(call->sizes);
  pm_named_list params = {0};
  pm_add_all_named(&params, sizes, NULL);
  bool ok = pm_trial_begin(&call->trial, op, &params, NULL, call->why);
  for (size_t i = 0; ok && i < call->trial.sig.inputs.len; i++)
    pm_check_fill(&call->trial.inputs[i], i, call->program->data);
  ok = ok && interpret(call, op);
  if (ok) give_arguments(call);
  PM_VEC_FREE(params);
  free(sizes);
  return ok;
}

void pm_check_call_end(pm_check_call *call) {
  for (size_t i = 0; call->given && i < count_arrays(call); i++) free(call->given[i].block);
  if (call->values) free(call->values - 2);
  free(call->given);
  free(call->scalars);
  free(call->pointers);
  pm_trial_end(&call->trial);
}

/* --- checks --- */

bool pm_check_code(pm_check_call *call, int code) {
  int given = pm_native_call_at(call->native, call->values);
  const char *text = given ? pm_native_strerror(call->native, given) : NULL;
  if (given == code) return true;
  return pm_check_wrong(call, "with %s it returns %d%s%s%s, but should return %d", call->sizes, given,
                        text ? " (" : "", text ? text : "", text ? ")" : "", code);
}

bool pm_check_kept(pm_check_call *call) {
  for (size_t i = 0; i < count_arrays(call); i++) {
    bool is_input = i < call->trial.sig.inputs.len;
    if (!holds(&call->given[i]))
      return pm_check_wrong(call, "with %s it writes outside of @%s", call->sizes, array_name(call, i));
    if (is_input && memcmp(call->given[i].data, call->trial.inputs[i].data, call->given[i].bytes) != 0)
      return pm_check_wrong(call, "with %s it writes to the input @%s", call->sizes, array_name(call, i));
  }
  return true;
}

bool pm_check_untouched(pm_check_call *call) {
  if (!pm_check_kept(call)) return false;
  for (size_t i = call->trial.sig.inputs.len; i < count_arrays(call); i++)
    if (!is_pattern(call->given[i].data, call->given[i].bytes))
      return pm_check_wrong(call, "with %s it writes to @%s before it fails", call->sizes,
                            array_name(call, i));
  return true;
}

static void put_value(pm_buf *out, const pm_array *array, int64_t at) {
  const pm_scalar_info *info = pm_get_scalar_info(array->scalar);
  pm_lane lane;
  arith_load_lanes(array->scalar, (const char *)array->data + (size_t)at * pm_scalar_bytes(array->scalar), 1,
                   &lane, 1);
  if (info->is_float)
    pm_buf_printf(out, "%.17g", array->scalar == PM_F64 ? lane.d : (double)lane.f);
  else if (info->is_signed)
    pm_buf_printf(out, "%lld", (long long)lane.i);
  else
    pm_buf_printf(out, "%llu", (unsigned long long)lane.i);
}

/* What inputs of the same shape hold there, where operations take the elements one by one. */
static void put_arguments(pm_check_call *call, const pm_array *output, int64_t at) {
  const char *before = "; for ";
  if (call->program->data == PM_DATA_PLAIN) return;
  for (size_t i = 0; i < call->trial.sig.inputs.len; i++) {
    const pm_array *input = &call->trial.inputs[i];
    if (pm_array_count(input) != pm_array_count(output)) continue;
    pm_buf_printf(call->why, "%s%s = ", before, array_name(call, i));
    put_value(call->why, input, at);
    before = ", ";
  }
}

static bool put_difference(pm_check_call *call, size_t i, const pm_difference *d) {
  const pm_array *want = &call->trial.outputs[i];
  pm_buf_printf(call->why, "with %s %lld of %lld elements differ, first %s[", call->sizes,
                (long long)d->count, (long long)pm_array_count(want),
                call->trial.sig.outputs.data[i].name->text);
  for (unsigned k = 0; k < want->rank; k++)
    pm_buf_printf(call->why, "%s%lld", k ? ", " : "", (long long)d->index[k]);
  pm_buf_printf(call->why, "] is %s, but should be %s", d->got, d->want);
  put_arguments(call, want, pm_array_position(want, d->index));
  return false;
}

/* The place of a float among all of its type, by which neighbours differ by 1. */
static int64_t rank_of(pm_scalar scalar, pm_lane lane) {
  int32_t single;
  int64_t whole;
  memcpy(&single, &lane.f, sizeof single);
  memcpy(&whole, &lane.d, sizeof whole);
  if (scalar != PM_F64) return single < 0 ? INT32_MIN - (int64_t)single : single;
  return whole < 0 ? INT64_MIN - whole : whole;
}

/* Elements of `got` that are as near as they may be get the number that is wanted. */
static void forgive(const pm_array *got, const pm_array *want, unsigned ulps) {
  size_t bytes = pm_scalar_bytes(got->scalar);
  for (int64_t i = 0; i < pm_array_count(got); i++) {
    char *a = (char *)got->data + (size_t)i * bytes, *b = (char *)want->data + (size_t)i * bytes;
    pm_lane x, y;
    arith_load_lanes(got->scalar, a, 1, &x, 1);
    arith_load_lanes(got->scalar, b, 1, &y, 1);
    uint64_t distance = (uint64_t)rank_of(got->scalar, x) - (uint64_t)rank_of(got->scalar, y);
    if (distance + ulps <= 2 * (uint64_t)ulps) memcpy(a, b, bytes);
  }
}

bool pm_check_outputs(pm_check_call *call) {
  for (size_t i = 0; i < call->trial.sig.outputs.len; i++) {
    pm_array got = call->trial.outputs[i];
    got.data = call->given[call->trial.sig.inputs.len + i].data;
    if (call->program->ulps && pm_get_scalar_info(got.scalar)->is_float)
      forgive(&got, &call->trial.outputs[i], call->program->ulps);
    pm_difference d = pm_compare(&got, &call->trial.outputs[i], true, 0);
    if (d.count) return put_difference(call, i, &d);
  }
  return true;
}

void pm_check_again(pm_check_call *call) {
  for (size_t i = call->trial.sig.inputs.len; i < count_arrays(call); i++)
    memset(call->given[i].data, PATTERN, call->given[i].bytes);
}

bool pm_check_same(pm_check_call *call) {
  return pm_check_code(call, 0) && pm_check_kept(call) && pm_check_outputs(call);
}
