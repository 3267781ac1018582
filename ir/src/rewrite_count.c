/* Debug counters, and the count of rewrites, which is one of them. */
#include "ir/src/context_private.h"

#include <stdlib.h>
#include <string.h>

static const char all_rewrites[] = "rewrite";

void pm_begin_rewrites(pm_context *ctx, int64_t limit) {
  ctx->rewrites.last = (pm_rewrite_count){0};
  ctx->rewrites.counters.len = 0;
  ctx->rewrites.count_all = false;
  if (limit)
    pm_add_debug_counter(ctx, (pm_str){all_rewrites, sizeof all_rewrites - 1}, 0, limit < 0 ? 0 : limit);
}

void pm_add_debug_counter(pm_context *ctx, pm_str name, int64_t skip, int64_t count) {
  PM_VEC_PUSH(ctx->rewrites.counters,
              ((pm_debug_counter){pm_get_string(ctx, name)->text, skip, count, 0, 0}));
}

void pm_count_all_rewrites(pm_context *ctx) {
  ctx->rewrites.count_all = true;
}

const pm_debug_counter *pm_debug_counters(const pm_context *ctx, size_t *n) {
  *n = ctx->rewrites.counters.len;
  return ctx->rewrites.counters.data;
}

void pm_print_debug_counters(const pm_context *ctx, pm_buf *out) {
  for (size_t i = 0; i < ctx->rewrites.counters.len; i++) {
    const pm_debug_counter *c = &ctx->rewrites.counters.data[i];
    int64_t skip = c->skip > c->seen ? c->skip - c->seen : 0,
            used = c->seen > c->skip ? c->seen - c->skip : 0;
    if (!skip && c->count < 0) continue;
    pm_buf_printf(out, "--debug-counter='%s=%lld", c->name, (long long)skip);
    if (c->count >= 0) pm_buf_printf(out, ":%lld", (long long)(c->count > used ? c->count - used : 0));
    pm_buf_puts(out, "' ");
  }
}

pm_rewrite_count pm_rewrites_done(const pm_context *ctx) {
  return ctx->rewrites.last;
}

/* `<op>.<rule>` */
static bool is_rule(const pm_rewrite_site *site, const char *name) {
  size_t n = strlen(site->on->name);
  return site->rule && strncmp(name, site->on->name, n) == 0 && name[n] == '.' &&
         strcmp(name + n + 1, site->rule) == 0;
}

static bool counts(const pm_debug_counter *counter, const pm_rewrite_site *site) {
  const char *pass = site->ctx->rewrites.pass;
  return strcmp(counter->name, all_rewrites) == 0 || (pass && strcmp(counter->name, pass) == 0) ||
         is_rule(site, counter->name);
}

bool pm_rewrite_is_let(const pm_rewrite_site *site) {
  const pm_rewrite_state *state = &site->ctx->rewrites;
  for (size_t i = 0; i < state->counters.len; i++) {
    const pm_debug_counter *c = &state->counters.data[i];
    bool let = c->seen >= c->skip && (c->count < 0 || c->seen - c->skip < c->count);
    if (!let && counts(c, site)) return false;
  }
  return true;
}

static void add_once(pm_context *ctx, const char *name) {
  for (size_t i = 0; i < ctx->rewrites.counters.len; i++)
    if (strcmp(ctx->rewrites.counters.data[i].name, name) == 0) return;
  pm_add_debug_counter(ctx, pm_str_of(name), 0, -1);
}

static void add_counters(const pm_rewrite_site *site) {
  pm_buf name = {0};
  add_once(site->ctx, all_rewrites);
  if (site->ctx->rewrites.pass) add_once(site->ctx, site->ctx->rewrites.pass);
  pm_buf_printf(&name, "%s.%s", site->on->name, site->rule ? site->rule : "");
  if (site->rule) add_once(site->ctx, name.data);
  pm_buf_free(&name);
}

void pm_note_rewrite(const pm_rewrite_site *site, bool done) {
  pm_rewrite_state *state = &site->ctx->rewrites;
  if (state->count_all) add_counters(site);
  for (size_t i = 0; i < state->counters.len; i++) {
    pm_debug_counter *c = &state->counters.data[i];
    if (!counts(c, site)) continue;
    c->seen++;
    c->done += done;
  }
  if (done) state->last = (pm_rewrite_count){state->last.done + 1, site->what, site->on, site->loc};
}

bool pm_may_rewrite(const pm_op *op, const char *what) {
  const pm_rewrite_site site = {pm_op_context(op), op->desc, op->loc, NULL, what};
  bool let = pm_rewrite_is_let(&site);
  pm_note_rewrite(&site, let);
  return let;
}
