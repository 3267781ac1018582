/* The registry of passes, what a running pass may ask for, and the cache of analyses. */
#include "ir/pass.h"
#include "ir/builtin.h"
#include "ir/registry.h"
#include "ir/src/context_private.h"
#include "ir/src/pass_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- registry --- */

bool pm_register_pass(pm_context *ctx, const pm_pass_desc *desc) {
  pm_str name = pm_str_of(desc->name);
  const pm_pass_desc *known = pm_find_pass(ctx, name);
  if (known == desc) return true;
  if (known) return pm_error(ctx, PM_NO_LOC, "there is a pass '%s' already", desc->name);
  if (pm_find_pipeline(ctx, name))
    return pm_error(ctx, PM_NO_LOC, "a pass is called '%s', as is a pipeline", desc->name);
  PM_VEC_PUSH(ctx->passes, desc);
  return true;
}

const pm_pass_desc *pm_find_pass(pm_context *ctx, pm_str name) {
  for (size_t i = 0; i < ctx->passes.len; i++)
    if (pm_str_is(name, ctx->passes.data[i]->name)) return ctx->passes.data[i];
  return NULL;
}

size_t pm_pass_count(const pm_context *ctx) {
  return ctx->passes.len;
}
const pm_pass_desc *pm_pass_at(const pm_context *ctx, size_t i) {
  return ctx->passes.data[i];
}

static const pm_registry_kind pipeline_kind = {"pipeline"};

bool pm_register_pipeline(pm_context *ctx, const pm_named_pipeline *pipeline) {
  if (pm_find_pass(ctx, pm_str_of(pipeline->name)))
    return pm_error(ctx, PM_NO_LOC, "a pipeline is called '%s', as is a pass", pipeline->name);
  return pm_register_entry(ctx, &pipeline_kind, pipeline->name, pipeline);
}

size_t pm_pipeline_count(const pm_context *ctx) {
  return pm_entry_count(ctx, &pipeline_kind);
}

const pm_named_pipeline *pm_pipeline_at(const pm_context *ctx, size_t i) {
  return pm_entry_at(ctx, &pipeline_kind, i);
}

const pm_named_pipeline *pm_find_pipeline(const pm_context *ctx, pm_str name) {
  for (size_t i = 0; i < pm_pipeline_count(ctx); i++)
    if (pm_str_is(name, pm_pipeline_at(ctx, i)->name)) return pm_pipeline_at(ctx, i);
  return NULL;
}

static const pm_registry_kind plugin_kind = {"plugin"};

void pm_note_plugin(pm_context *ctx, const char *path) {
  const char *kept = pm_get_cstring(ctx, path)->text;
  if (!pm_has_plugin(ctx, path) && !pm_register_entry(ctx, &plugin_kind, kept, kept))
    pm_panic(NULL, "the plugin '%s' is registered twice", path);
}

bool pm_has_plugin(const pm_context *ctx, const char *path) {
  return pm_find_entry(ctx, &plugin_kind, path) != NULL;
}

void pm_print_context_options(const pm_context *ctx, pm_buf *out) {
  for (size_t i = 0; i < pm_entry_count(ctx, &plugin_kind); i++)
    pm_buf_printf(out, "--load-plugin='%s' ", (const char *)pm_entry_at(ctx, &plugin_kind, i));
  if (pm_has_unregistered(ctx)) pm_buf_puts(out, "--allow-unregistered ");
  pm_print_debug_counters(ctx, out);
}

/* --- pipelines --- */

pm_pipeline *pm_pipeline_new(pm_pipeline *parent, const pm_op_desc *root) {
  pm_pipeline *pipeline = pm_xcalloc(1, sizeof *pipeline);
  pipeline->parent = parent;
  pipeline->root = root;
  return pipeline;
}

void pm_pass_item_free(pm_pass_item *item) {
  for (size_t i = 0; i < item->n_opts; i++) pm_opt_value_free(&item->opts[i]);
  for (size_t i = 0; i < item->stats.len; i++) free(item->stats.data[i].name);
  PM_VEC_FREE(item->stats);
  free(item->opts);
  free(item);
}

void pm_pipeline_truncate(pm_pipeline *pipeline, size_t from) {
  while (pipeline->entries.len > from) {
    pm_pipeline_entry entry = PM_VEC_POP(pipeline->entries);
    if (entry.pass) {
      pm_pass_item_free(entry.pass);
      continue;
    }
    pm_pipeline_truncate(entry.nested, 0);
    PM_VEC_FREE(entry.nested->entries);
    free(entry.nested);
  }
}

pm_pass_manager *pm_pass_manager_new(pm_context *ctx) {
  pm_pass_manager *pm = pm_xcalloc(1, sizeof *pm);
  pm->ctx = ctx;
  pm->top = pm_pipeline_new(NULL, &builtin_module);
  pm->arena = pm_arena_new();
  return pm;
}

void pm_pass_manager_free(pm_pass_manager *pm) {
  if (!pm) return;
  pm_drop_analyses(pm);
  PM_VEC_FREE(pm->analyses);
  pm_pipeline_truncate(pm->top, 0);
  PM_VEC_FREE(pm->top->entries);
  free(pm->top);
  pm_arena_free(pm->arena);
  free(pm);
}

/* --- for passes --- */

pm_op *pm_pass_root(pm_pass *p) {
  return p->root;
}
pm_context *pm_pass_context(pm_pass *p) {
  return p->pm->ctx;
}
pm_arena *pm_pass_arena(pm_pass *p) {
  return p->pm->arena;
}

static const pm_opt_value *opt_at(pm_pass *p, unsigned opt, pm_opt_kind kind) {
  const pm_pass_item *item = p->item;
  if (opt >= item->n_opts || item->desc->opts[opt].kind != kind)
    pm_panic(p->root, "pass '%s' asks for an option of another kind, number %u", item->desc->name, opt);
  return &item->opts[opt];
}

int64_t pm_opt_int(pm_pass *p, unsigned opt) {
  return opt_at(p, opt, PM_OPT_INT)->number;
}
bool pm_opt_bool(pm_pass *p, unsigned opt) {
  return opt_at(p, opt, PM_OPT_BOOL)->number != 0;
}
unsigned pm_opt_enum(pm_pass *p, unsigned opt) {
  return (unsigned)opt_at(p, opt, PM_OPT_ENUM)->number;
}
const char *pm_opt_str(pm_pass *p, unsigned opt) {
  return opt_at(p, opt, PM_OPT_STR)->text;
}

const int64_t *pm_opt_ints(pm_pass *p, unsigned opt, size_t *n) {
  const pm_opt_value *value = opt_at(p, opt, PM_OPT_INTS);
  *n = value->n_items;
  return value->items;
}

void pm_pass_stat(pm_pass *p, const char *name, int64_t add) {
  pm_pass_item *item = p->item;
  for (size_t i = 0; i < item->stats.len; i++) {
    if (strcmp(item->stats.data[i].name, name) != 0) continue;
    item->stats.data[i].value += add;
    return;
  }
  pm_stat stat = {pm_xstrdup(name), add};
  PM_VEC_PUSH(item->stats, stat);
}

void pm_pass_remark(pm_pass *p, pm_loc loc, pm_remark_kind kind, const pm_remark_arg *args, size_t n_args,
                    const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  pm_vremark(
      p->pm->ctx,
      &(pm_diag){.loc = loc, .kind = kind, .pass = p->item->desc->name, .args = args, .n_args = n_args}, fmt,
      list);
  va_end(list);
}

/* --- analyses --- */

double pm_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static pm_cached_analysis *find_analysis(pm_pass_manager *pm, const pm_op *op, const pm_analysis_desc *desc) {
  for (size_t i = 0; i < pm->analyses.len; i++)
    if (pm->analyses.data[i].op == op && pm->analyses.data[i].desc == desc) return &pm->analyses.data[i];
  return NULL;
}

/* One of them, or what one of them is computed from. */
static bool is_among(const pm_analysis_desc *const *list, const pm_analysis_desc *desc) {
  for (; list && *list; list++)
    for (const pm_analysis_desc *one = *list; one; one = one->base)
      if (one == desc) return true;
  return false;
}

static const void *analysis_of(pm_pass *p, pm_op *op, const pm_analysis_desc *desc) {
  pm_cached_analysis *known = find_analysis(p->pm, op, desc);
  if (known) return known->result;
  const void *base = desc->base ? analysis_of(p, op, desc->base) : NULL;
  if (desc->base && !base) return NULL;
  double start = pm_seconds();
  void *result = desc->compute(op, base);
  p->item->analysis_seconds += pm_seconds() - start;
  if (!result) return NULL;
  pm_cached_analysis entry = {op, desc, result, op != p->root, false};
  PM_VEC_PUSH(p->pm->analyses, entry);
  return result;
}

const void *pm_pass_analysis_of(pm_pass *p, pm_op *op, const pm_analysis_desc *desc) {
  if (!is_among(p->item->desc->needs, desc))
    pm_panic(p->root, "pass '%s' asks for '%s', which it does not declare as needed", p->item->desc->name,
             desc->name);
  return analysis_of(p, op, desc);
}

const void *pm_pass_analysis(pm_pass *p, const pm_analysis_desc *desc) {
  return pm_pass_analysis_of(p, p->root, desc);
}

typedef bool (*analysis_test)(const pm_cached_analysis *entry, const void *user);

/* Its base, which stands before it, is dropped. */
static bool has_lost_base(pm_pass_manager *pm, const pm_cached_analysis *entry) {
  const pm_cached_analysis *base = entry->desc->base ? find_analysis(pm, entry->op, entry->desc->base) : NULL;
  return base && base->dropped;
}

/* Frees the analyses that `drop` names, those computed from them first, and closes the gaps. */
static void drop_analyses_if(pm_pass_manager *pm, analysis_test drop, const void *user) {
  size_t kept = 0;
  for (size_t i = 0; i < pm->analyses.len; i++) {
    pm_cached_analysis *entry = &pm->analyses.data[i];
    entry->dropped = drop(entry, user) || has_lost_base(pm, entry);
  }
  for (size_t i = pm->analyses.len; i-- > 0;) {
    pm_cached_analysis *entry = &pm->analyses.data[i];
    if (entry->dropped) entry->desc->free(entry->result);
  }
  for (size_t i = 0; i < pm->analyses.len; i++)
    if (!pm->analyses.data[i].dropped) pm->analyses.data[kept++] = pm->analyses.data[i];
  pm->analyses.len = kept;
}

static bool drop_any(const pm_cached_analysis *entry, const void *user) {
  (void)entry, (void)user;
  return true;
}

static bool drop_of_op(const pm_cached_analysis *entry, const void *user) {
  return entry->op == user;
}

typedef struct one_analysis {
  const pm_op *op;
  const pm_analysis_desc *desc;
} one_analysis;

static bool drop_one(const pm_cached_analysis *entry, const void *user) {
  const one_analysis *one = user;
  return entry->op == one->op && entry->desc == one->desc;
}

void pm_drop_analyses(pm_pass_manager *pm) {
  drop_analyses_if(pm, drop_any, NULL);
}
void pm_pass_invalidate(pm_pass *p) {
  drop_analyses_if(p->pm, drop_of_op, p->root);
}

void pm_pass_drop_analysis(pm_pass *p, const pm_analysis_desc *desc) {
  drop_analyses_if(p->pm, drop_one, &(one_analysis){p->root, desc});
}

void pm_analyses_before_pass(pm_pass_manager *pm, const pm_op *root) {
  for (size_t i = 0; i < pm->analyses.len; i++) {
    pm_cached_analysis *entry = &pm->analyses.data[i];
    entry->doomed = entry->op != root && pm_is_ancestor(root, entry->op);
  }
}

static bool drop_after_change(const pm_cached_analysis *entry, const void *user) {
  const pm_pass *p = user;
  if (entry->doomed) return true;
  return !is_among(p->item->desc->keeps, entry->desc) && pm_is_ancestor(entry->op, p->root);
}

static void check_still_holds(const pm_pass *p, const pm_cached_analysis *entry) {
  const pm_analysis_desc *desc = entry->desc;
  if (!desc->equal) return;
  const pm_cached_analysis *base = desc->base ? find_analysis(p->pm, entry->op, desc->base) : NULL;
  void *fresh = desc->compute(entry->op, base ? base->result : NULL);
  bool same = fresh && desc->equal(entry->result, fresh);
  if (fresh) desc->free(fresh);
  if (!same)
    pm_panic(p->root, "pass '%s' says that it keeps '%s', which it changed", p->item->desc->name, desc->name);
}

void pm_analyses_after_pass(pm_pass *p, pm_result result, bool check) {
  pm_pass_manager *pm = p->pm;
  if (result == PM_CHANGED) drop_analyses_if(pm, drop_after_change, p);
  for (size_t i = 0; check && i < pm->analyses.len; i++)
    if (pm_is_ancestor(pm->analyses.data[i].op, p->root)) check_still_holds(p, &pm->analyses.data[i]);
}
