#include "tools/lib/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 256, CONTEXT = 3 };

typedef struct text_line {
  pm_str text;
  uint64_t hash;
  bool differs; /* from the other text */
} text_line;
typedef PM_VEC(text_line) lines;

/* A part of each text: lines a0 to a1, b0 to b1. */
typedef struct part {
  size_t a0, a1, b0, b1;
} part;

/* How far each diagonal has come, from -MAX_DEPTH - 1 on; -1: it has not. */
typedef struct diagonals {
  int64_t all[2 * MAX_DEPTH + 3];
} diagonals;

typedef struct diff {
  lines a, b;
  PM_VEC(part) parts; /* to look at */
  diagonals forth, back;
} diff;

static void split_lines(pm_str text, lines *out) {
  for (size_t at = 0, n; at < text.len; at += n + 1) {
    const char *end = memchr(text.ptr + at, '\n', text.len - at);
    n = end ? (size_t)(end - text.ptr) - at : text.len - at;
    PM_VEC_PUSH(*out, ((text_line){{text.ptr + at, n}, pm_hash_bytes(text.ptr + at, n, 0), false}));
  }
}

static bool equal(const diff *d, size_t a, size_t b) {
  const text_line *first = &d->a.data[a], *second = &d->b.data[b];
  return first->hash == second->hash && pm_str_eq(first->text, second->text);
}

/* --- the middle of a part --- */

static int64_t *at(diagonals *d, int64_t k) {
  return &d->all[k + MAX_DEPTH + 1];
}

/* Line x of the first text and y of the second, counted from the end of the part for `back`. */
static bool equal_in(const diff *d, part in, int64_t x, int64_t y, bool back) {
  size_t a = back ? in.a1 - 1 - (size_t)x : in.a0 + (size_t)x;
  size_t b = back ? in.b1 - 1 - (size_t)y : in.b0 + (size_t)y;
  return equal(d, a, b);
}

/* The furthest point of diagonal k with one more difference than those beside it, before equal lines; or -1.
 */
static int64_t furthest(diagonals *v, int64_t k, int64_t n, int64_t m) {
  int64_t right = *at(v, k - 1) + 1, down = *at(v, k + 1);
  if (right == 0 || right > n) right = -1;
  if (down >= 0 && down - k > m) down = -1;
  return right > down ? right : down;
}

static void advance(const diff *d, part in, diagonals *v, int64_t depth, bool back) {
  int64_t n = (int64_t)(in.a1 - in.a0), m = (int64_t)(in.b1 - in.b0);
  *at(v, -depth - 1) = *at(v, depth + 1) = -1;
  for (int64_t k = -depth; k <= depth; k += 2) {
    int64_t x = depth ? furthest(v, k, n, m) : 0;
    while (x >= 0 && x < n && x - k < m && equal_in(d, in, x, x - k, back)) x++;
    *at(v, k) = x;
  }
}

/* The diagonal of `v` that meets one of `other`, whose depth is `reach`; false when none does. */
static bool find_meeting(diagonals *v, diagonals *other, int64_t depth, int64_t reach, part in,
                         int64_t *found) {
  int64_t n = (int64_t)(in.a1 - in.a0), delta = n - (int64_t)(in.b1 - in.b0);
  for (int64_t k = -depth; k <= depth; k += 2) {
    int64_t r = delta - k;
    if (r < -reach || r > reach || *at(v, k) < 0 || *at(other, r) < 0) continue;
    *found = k;
    if (*at(v, k) + *at(other, r) >= n) return true;
  }
  return false;
}

static int64_t furthest_of_all(diagonals *v, int64_t depth) {
  int64_t best = depth;
  for (int64_t k = -depth; k <= depth; k += 2)
    if (*at(v, k) >= 0 && 2 * *at(v, k) - k > 2 * *at(v, best) - best) best = k;
  return best;
}

/* Splits a part whose first lines differ, as do its last, into two. */
static void split_part(diff *d, part in, part *first, part *second) {
  bool odd = ((in.a1 - in.a0) ^ (in.b1 - in.b0)) & 1, met = false, back = false;
  int64_t k = 0, depth = 0;
  for (; !met && depth <= MAX_DEPTH; depth++) {
    advance(d, in, &d->forth, depth, false);
    met = odd && find_meeting(&d->forth, &d->back, depth, depth - 1, in, &k);
    if (met) break;
    advance(d, in, &d->back, depth, true);
    met = back = !odd && find_meeting(&d->back, &d->forth, depth, depth, in, &k);
  }
  if (!met) k = furthest_of_all(&d->forth, MAX_DEPTH);
  size_t x = (size_t)*at(back ? &d->back : &d->forth, k), y = (size_t)((int64_t)x - k);
  size_t a = back ? in.a1 - x : in.a0 + x, b = back ? in.b1 - y : in.b0 + y;
  *first = (part){in.a0, a, in.b0, b};
  *second = (part){a, in.a1, b, in.b1};
}

/* --- all parts --- */

static void note(lines *in, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) in->data[i].differs = true;
}

static part without_ends(const diff *d, part p) {
  for (; p.a0 < p.a1 && p.b0 < p.b1 && equal(d, p.a0, p.b0); p.a0++) p.b0++;
  for (; p.a0 < p.a1 && p.b0 < p.b1 && equal(d, p.a1 - 1, p.b1 - 1); p.a1--) p.b1--;
  return p;
}

static void compare(diff *d) {
  PM_VEC_PUSH(d->parts, ((part){0, d->a.len, 0, d->b.len}));
  while (d->parts.len) {
    part p = without_ends(d, PM_VEC_POP(d->parts)), first, second;
    if (p.a0 == p.a1 || p.b0 == p.b1) {
      note(&d->a, p.a0, p.a1);
      note(&d->b, p.b0, p.b1);
      continue;
    }
    split_part(d, p, &first, &second);
    PM_VEC_PUSH(d->parts, first);
    PM_VEC_PUSH(d->parts, second);
  }
}

/* --- hunks --- */

/* The next pair of lines from *p on that is not equal; false at the ends of both. */
static bool find_difference(const diff *d, part *p) {
  for (; p->a0 < d->a.len || p->b0 < d->b.len; p->a0++, p->b0++)
    if (p->a0 == d->a.len || p->b0 == d->b.len || d->a.data[p->a0].differs || d->b.data[p->b0].differs)
      return true;
  return false;
}

static void skip_differences(const diff *d, part *p) {
  while (p->a0 < d->a.len && d->a.data[p->a0].differs) p->a0++;
  while (p->b0 < d->b.len && d->b.data[p->b0].differs) p->b0++;
}

/* From the first difference, which *p is at, to the last one that no more than twice the context follows. */
static part hunk_from(const diff *d, part p) {
  size_t before = p.a0 < CONTEXT ? p.a0 : CONTEXT;
  part hunk = {p.a0 - before, 0, p.b0 - before, 0};
  do {
    skip_differences(d, &p);
    hunk.a1 = p.a0;
    hunk.b1 = p.b0;
  } while (find_difference(d, &p) && p.a0 - hunk.a1 <= 2 * CONTEXT);
  size_t left = d->a.len - hunk.a1, after = left < CONTEXT ? left : CONTEXT;
  hunk.a1 += after;
  hunk.b1 += after;
  return hunk;
}

static void put_head(part hunk, pm_diff_put put, void *user) {
  char text[128];
  size_t a = hunk.a1 - hunk.a0, b = hunk.b1 - hunk.b0;
  snprintf(text, sizeof text, "@@ -%zu,%zu +%zu,%zu @@", hunk.a0 + (a > 0), a, hunk.b0 + (b > 0), b);
  put(user, '@', pm_str_of(text));
}

static void put_hunk(const diff *d, part hunk, pm_diff_put put, void *user) {
  put_head(hunk, put, user);
  for (part p = hunk; p.a0 < p.a1 || p.b0 < p.b1; p.a0++, p.b0++) {
    for (; p.a0 < p.a1 && d->a.data[p.a0].differs; p.a0++) put(user, '-', d->a.data[p.a0].text);
    for (; p.b0 < p.b1 && d->b.data[p.b0].differs; p.b0++) put(user, '+', d->b.data[p.b0].text);
    if (p.a0 == p.a1) return;
    put(user, ' ', d->a.data[p.a0].text);
  }
}

void pm_diff(pm_str before, pm_str after, pm_diff_put put, void *user) {
  diff d = {.parts = {0}};
  split_lines(before, &d.a);
  split_lines(after, &d.b);
  compare(&d);
  for (part p = {0}; find_difference(&d, &p);) {
    part hunk = hunk_from(&d, p);
    put_hunk(&d, hunk, put, user);
    p.a0 = hunk.a1;
    p.b0 = hunk.b1;
  }
  PM_VEC_FREE(d.a);
  PM_VEC_FREE(d.b);
  PM_VEC_FREE(d.parts);
}
