/* Errors and limits of an evaluation, and what all rooms share. */
#include "frontends/cxx/cxx.h"

#include <stdarg.h>
#include <string.h>

const cv cv_poison = {.kind = CV_POISON};
const cv cv_void = {.kind = CV_VOID};

void *cx_grow(pm_arena *arena, const void *data, uint32_t len, uint32_t *cap, size_t item_bytes) {
  *cap = *cap ? 2 * *cap : 8;
  char *more = pm_arena_alloc(arena, *cap * item_bytes);
  if (len > 0) memcpy(more, data, len * item_bytes);
  return more;
}

static bool is_news(cx_reports *reports, pm_loc loc, const char *message) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%u:%u:%u:%s", (unsigned)loc.file, (unsigned)loc.line, (unsigned)loc.col, message);
  pm_string key = pm_get_string(reports->ctx, (pm_str){text.data, text.len});
  bool known = pm_map_has(reports->known, key);
  pm_map_set(reports->known, key, reports);
  pm_buf_free(&text);
  return !known;
}

void cx_report(cx_reports *reports, pm_loc loc, const char *text) {
  if (is_news(reports, loc, text)) pm_error(reports->ctx, loc, "%s", text);
}

cv cx_fail(cx_interp *in, pm_loc loc, const char *fmt, ...) {
  pm_buf text = {0};
  if (in->is_trial) return cv_poison;
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  if (!in->stopped) cx_report(&in->reports, loc, text.data);
  if (++in->failures > CX_MAX_FAILURES) in->stopped = true; /* a loop comes here again and again */
  pm_buf_free(&text);
  return cv_poison;
}

bool cx_may_go_on(cx_interp *in, pm_loc loc) {
  if (in->stopped) return false;
  bool too_long = ++in->steps > CX_MAX_STEPS,
       too_large = pm_arena_bytes(in->arena) + in->text_bytes > CX_MAX_BYTES;
  if (in->is_trial) return !too_long && !too_large;
  if (too_long)
    pm_error(in->ctx, loc, "the host code takes more than %d steps, it should end before", CX_MAX_STEPS);
  else if (too_large)
    pm_error(in->ctx, loc, "the host code takes more than 1 GB, it should take less");
  if (too_long || too_large || in->reports.ended) in->stopped = true;
  return !in->stopped;
}

bool cx_may_nest(cx_interp *in, pm_loc loc, const char *what) {
  if (in->nesting < CX_MAX_NESTING) return true;
  if (in->is_trial) return false;
  pm_error(in->ctx, loc, "the %s is nested more than %d deep", what, CX_MAX_NESTING);
  in->stopped = true;
  return false;
}

/* So many edits may lie between a name and what was meant. */
static unsigned max_edits(pm_string name) {
  return name->len < 3 ? 0 : name->len < 6 ? 1 : 2;
}

cx_nearest cx_begin_nearest(pm_string name) {
  return (cx_nearest){.name = name, .distance = max_edits(name) + 1};
}

void cx_look_at(cx_nearest *n, const char *name) {
  unsigned d = pm_edit_distance((pm_str){n->name->text, n->name->len}, pm_str_of(name), n->distance);
  if (d == 0 || d >= n->distance) return;
  n->distance = d;
  n->best = name;
}
