#include "tools/lib/images/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 1024 };

static void load(const pm_array *a, int64_t at, pm_lane *lanes, size_t n) {
  arith_load_lanes(a->scalar, (const char *)a->data + (size_t)at * pm_scalar_bytes(a->scalar), 1, lanes, n);
}

static double as_double(pm_scalar scalar, pm_lane lane) {
  return scalar == PM_F64 ? lane.d : (double)lane.f;
}

static double greatest_magnitude(const pm_array *a) {
  pm_lane lanes[CHUNK];
  int64_t count = pm_array_count(a);
  double greatest = 0;
  for (int64_t at = 0; at < count; at += CHUNK) {
    size_t n = (size_t)(count - at < CHUNK ? count - at : CHUNK);
    load(a, at, lanes, n);
    for (size_t i = 0; i < n; i++) {
      double magnitude = fabs(as_double(a->scalar, lanes[i]));
      if (isfinite(magnitude) && magnitude > greatest) greatest = magnitude;
    }
  }
  return greatest;
}

/* What a tolerance is a part of; of zeros alone: 1. */
static double scale_of(const pm_array *want) {
  double greatest = greatest_magnitude(want);
  return greatest > 0 ? greatest : 1;
}

/* What equality means for one pair of arrays: limit < 0 asks for equal bits. */
typedef struct rule {
  pm_scalar scalar;
  bool is_float;
  double limit;
} rule;

static bool same_bits(const rule *r, pm_lane a, pm_lane b) {
  return r->scalar == PM_F64 ? memcmp(&a.d, &b.d, sizeof a.d) == 0 : memcmp(&a.f, &b.f, sizeof a.f) == 0;
}

static bool equal(const rule *r, pm_lane a, pm_lane b) {
  if (!r->is_float) return a.i == b.i;
  double x = as_double(r->scalar, a), y = as_double(r->scalar, b);
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  if (r->limit < 0) return same_bits(r, a, b);
  return x == y || fabs(x - y) <= r->limit;
}

static void put_value(const rule *r, pm_lane lane, char *out, size_t size) {
  if (r->is_float)
    snprintf(out, size, "%.*g", r->scalar == PM_F64 ? 17 : 9, as_double(r->scalar, lane));
  else if (r->scalar == PM_U64)
    snprintf(out, size, "%llu", (unsigned long long)lane.i);
  else
    snprintf(out, size, "%lld", (long long)lane.i);
}

static void note_first(const rule *r, const pm_array *a, int64_t at, pm_lane got, pm_lane want,
                       pm_difference *out) {
  for (unsigned d = a->rank; d-- > 0;) {
    out->index[d] = at % a->extents[d];
    at /= a->extents[d];
  }
  put_value(r, got, out->got, sizeof out->got);
  put_value(r, want, out->want, sizeof out->want);
}

pm_difference pm_compare(const pm_array *got, const pm_array *want, bool exact, double tolerance) {
  pm_lane a[CHUNK], b[CHUNK];
  pm_difference result = {0};
  rule r = {.scalar = got->scalar, .is_float = pm_get_scalar_info(got->scalar)->is_float, .limit = -1};
  if (r.is_float && !exact) r.limit = tolerance * scale_of(want);
  int64_t count = pm_array_count(got);
  for (int64_t at = 0; at < count; at += CHUNK) {
    size_t n = (size_t)(count - at < CHUNK ? count - at : CHUNK);
    load(got, at, a, n);
    load(want, at, b, n);
    for (size_t i = 0; i < n; i++) {
      if (equal(&r, a[i], b[i])) continue;
      if (result.count++ == 0) note_first(&r, got, at + (int64_t)i, a[i], b[i], &result);
    }
  }
  return result;
}

void pm_put_comparison(pm_buf *out, const char *name, const pm_array *array, const char *when, bool allowed,
                       const pm_difference *difference) {
  pm_buf_printf(out, "check: @%s", name);
  for (unsigned d = 0; d < array->rank; d++)
    pm_buf_printf(out, "%s%lld", d ? "x" : " ", (long long)array->extents[d]);
  pm_buf_puts(out, when);
  if (difference->count == 0) {
    pm_buf_puts(out, ": equal\n");
    return;
  }
  pm_buf_printf(out, ": %lld of %lld elements differ%s, first [", (long long)difference->count,
                (long long)pm_array_count(array), allowed ? ", as --tolerance allows" : "");
  for (unsigned d = 0; d < array->rank; d++)
    pm_buf_printf(out, "%s%lld", d ? ", " : "", (long long)difference->index[d]);
  pm_buf_printf(out, "]: %s, but the interpreter has %s\n", difference->got, difference->want);
}
