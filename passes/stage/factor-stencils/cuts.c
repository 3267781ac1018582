#include "passes/stage/factor-stencils/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAPS = 4096 /* the square of which is what a cut takes */ };

/* The taps of one row of the mask: those that differ along the axis alone. */
typedef struct mask_row {
  const stencil_tap **taps; /* in the order of the axis */
  size_t n;
} mask_row;
typedef PM_VEC(mask_row) mask_rows;

typedef struct mask {
  const stencil *stencil;
  unsigned axis;
  int bits; /* of a mantissa; 0: integers */
  const stencil_tap **taps;
  mask_rows rows;
} mask;

/* --- rows --- */

static bool in_one_row(const mask *m, const stencil_tap *a, const stencil_tap *b) {
  for (unsigned d = 0; d < PM_MAX_RANK; d++)
    if (d != m->axis && a->at[d] != b->at[d]) return false;
  return true;
}

/* Taps come in lexicographic order, so each row has its own in the order of the axis. */
static void find_rows(mask *m) {
  const stencil *s = m->stencil;
  size_t n = 0;
  m->taps = pm_xcalloc(s->taps.len + 1, sizeof *m->taps);
  bool *listed = pm_xcalloc(s->taps.len + 1, sizeof *listed);
  for (size_t i = 0; i < s->taps.len; i++) {
    if (listed[i]) continue;
    mask_row row = {m->taps + n, 0};
    for (size_t k = i; k < s->taps.len; k++) {
      if (listed[k] || !in_one_row(m, &s->taps.data[i], &s->taps.data[k])) continue;
      listed[k] = true;
      row.taps[row.n++] = &s->taps.data[k];
    }
    n += row.n;
    PM_VEC_PUSH(m->rows, row);
  }
  free(listed);
}

/* --- one row as a multiple of another --- */

/* What the pattern of a row is multiplied by: the greatest common divisor, or the first weight. */
static double scale_of(const mask *m, const mask_row *row) {
  int64_t gcd = 0;
  if (m->bits) return row->taps[0]->weight;
  for (size_t i = 0; i < row->n; i++) gcd = pm_gcd(gcd, (int64_t)fabs(row->taps[i]->weight));
  return row->taps[0]->weight < 0 ? -(double)gcd : (double)gcd;
}

static bool are_equal(const mask *m, double a, double b) {
  return m->bits ? fabs(a - b) <= ldexp(fabs(a), 3 - m->bits) : a == b;
}

/* Taps of row - factor * pattern, where each tap of the pattern is one of the row; -1: it is not. */
static int64_t taps_left(const mask *m, const mask_row *row, const mask_row *pattern, double scale,
                         double factor) {
  int64_t left = 0;
  size_t k = 0;
  for (size_t i = 0; i < row->n; i++) {
    bool has = k < pattern->n && pattern->taps[k]->at[m->axis] == row->taps[i]->at[m->axis];
    left += !has || !are_equal(m, row->taps[i]->weight, factor * (pattern->taps[k]->weight / scale));
    k += has;
  }
  return k == pattern->n ? left : -1;
}

/* The factor with which the fewest taps of the row are left, and how many; all of them without a factor. */
static size_t best_factor(const mask *m, const mask_row *row, const mask_row *pattern, double scale,
                          double *factor) {
  size_t least = row->n;
  double tried = 0;
  *factor = 0;
  for (size_t i = 0, k = 0; i < row->n && k < pattern->n; i++) {
    if (pattern->taps[k]->at[m->axis] != row->taps[i]->at[m->axis]) continue;
    double by = row->taps[i]->weight / (pattern->taps[k++]->weight / scale);
    if (by == tried || (!m->bits && by != floor(by))) continue;
    tried = by;
    int64_t left = taps_left(m, row, pattern, scale, by);
    if (left < 0 || (size_t)left + 1 >= least) continue;
    least = (size_t)left + 1;
    *factor = by;
  }
  return least;
}

static size_t taps_of_pattern(const mask *m, const mask_row *pattern) {
  size_t taps = pattern->n;
  double scale = scale_of(m, pattern), factor;
  for (size_t i = 0; i < m->rows.len; i++) taps += best_factor(m, &m->rows.data[i], pattern, scale, &factor);
  return taps;
}

/* --- the cut --- */

static void extend_box(stencil_cut *cut, const stencil_tap *row) {
  for (unsigned d = 0; d < PM_MAX_RANK; d++) {
    if (cut->rows.len == 1 || row->at[d] < cut->low[d]) cut->low[d] = row->at[d];
    if (cut->rows.len == 1 || row->at[d] > cut->high[d]) cut->high[d] = row->at[d];
  }
}

static void add_rest(const mask *m, const mask_row *row, const mask_row *pattern, double scale, double factor,
                     stencil_cut *cut) {
  size_t k = 0;
  for (size_t i = 0; i < row->n; i++) {
    stencil_tap tap = *row->taps[i];
    bool has = factor != 0 && k < pattern->n && pattern->taps[k]->at[m->axis] == tap.at[m->axis];
    double part = has ? factor * (pattern->taps[k++]->weight / scale) : 0;
    if (are_equal(m, tap.weight, part)) continue;
    tap.weight -= part;
    PM_VEC_PUSH(cut->rest, tap);
  }
}

static void make_cut(const mask *m, const mask_row *pattern, stencil_cut *cut) {
  double scale = scale_of(m, pattern);
  for (size_t i = 0; i < pattern->n; i++) {
    stencil_tap tap = {.weight = pattern->taps[i]->weight / scale};
    tap.at[m->axis] = pattern->taps[i]->at[m->axis];
    PM_VEC_PUSH(cut->pattern, tap);
  }
  for (size_t i = 0; i < m->rows.len; i++) {
    const mask_row *row = &m->rows.data[i];
    double factor;
    best_factor(m, row, pattern, scale, &factor);
    add_rest(m, row, pattern, scale, factor, cut);
    if (factor == 0) continue;
    stencil_tap at = *row->taps[0];
    at.at[m->axis] = 0;
    at.weight = factor;
    PM_VEC_PUSH(cut->rows, at);
    extend_box(cut, &at);
  }
}

/* The pattern is needed at the points between its rows, too, where it need not be defined. */
static bool fills_box(const stencil_cut *cut) {
  double points = 1;
  for (unsigned d = 0; d < PM_MAX_RANK; d++) points *= (double)(cut->high[d] - cut->low[d]) + 1;
  return points == (double)cut->rows.len;
}

static bool are_small(const stencil *s) {
  for (size_t i = 0; i < s->taps.len; i++)
    if (fabs(s->taps.data[i].weight) >= ldexp(1, 31)) return false;
  return true;
}

bool stencil_find_cut(const stencil *s, unsigned axis, int bits, stencil_cut *cut) {
  mask m = {.stencil = s, .axis = axis, .bits = bits};
  const mask_row *best = NULL;
  size_t least = s->taps.len;
  *cut = (stencil_cut){.axis = axis};
  if (s->taps.len > MOST_TAPS || (!bits && !are_small(s))) return false;
  find_rows(&m);
  for (size_t i = 0; i < m.rows.len; i++) {
    size_t taps = m.rows.data[i].n > 1 ? taps_of_pattern(&m, &m.rows.data[i]) : least;
    if (taps >= least) continue;
    least = taps;
    best = &m.rows.data[i];
  }
  if (best) make_cut(&m, best, cut);
  PM_VEC_FREE(m.rows);
  free(m.taps);
  if (best && fills_box(cut)) return true;
  stencil_cut_free(cut);
  return false;
}

void stencil_cut_free(stencil_cut *cut) {
  PM_VEC_FREE(cut->pattern);
  PM_VEC_FREE(cut->rows);
  PM_VEC_FREE(cut->rest);
  *cut = (stencil_cut){0};
}
