/* From text to module: parse, evaluate, find what leaves the pipeline, lower. */
#include "frontends/polymage/polymage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/polymage/arguments.h"
#include "frontends/polymage/build.h"
#include "frontends/polymage/imports.h"
#include "frontends/polymage/lower.h"
#include "frontends/polymage/unknown.h"

static bool has_stages(const dsl_program *dsl) {
  for (size_t i = 0; i < dsl->symbols.len; i++)
    if (dsl->symbols.data[i]->kind == DSL_FUNCTION) return true;
  return false;
}

/* --- what leaves the pipeline --- */

static void add_once(dsl_symbols *symbols, dsl_symbol *symbol) {
  for (size_t i = 0; i < symbols->len; i++)
    if (symbols->data[i] == symbol) return;
  PM_VEC_PUSH(*symbols, symbol);
}

static bool add_live_out(py_interp *py, pm_loc loc, py_value v, dsl_symbols *out) {
  if (py_is_poison(v)) return py_demand(py, v), false;
  if (v.type != VAL_SYMBOL || v.symbol->kind != DSL_FUNCTION)
    return py_fail(py, loc, "the pipeline returns %s, it should return stages", py_describe(py, v)), false;
  add_once(out, v.symbol);
  return true;
}

/* A stage, or a list or tuple of stages. */
static bool add_live_outs(py_interp *py, pm_loc loc, py_value v, dsl_symbols *out) {
  v = py_need(py, loc, v);
  if (!py_is_seq(v)) return add_live_out(py, loc, v, out);
  bool ok = true;
  for (size_t i = 0; i < v.seq->len; i++) ok &= add_live_out(py, loc, v.seq->items[i], out);
  return ok;
}

/* Stages in what the building function returned: one, or a list, tuple or dictionary of stages or of lists of
 * them. */
static bool returned_stages(py_interp *py, pm_loc loc, py_value v, dsl_symbols *out) {
  v = py_need(py, loc, v);
  if (v.type == VAL_NONE) return true;
  if (v.type != VAL_DICT && !py_is_seq(v)) return add_live_out(py, loc, v, out);
  bool ok = true;
  for (size_t i = 0; v.type == VAL_DICT && i < v.dict->len; i++)
    ok &= add_live_outs(py, loc, v.dict->entries[i].value, out);
  for (size_t i = 0; py_is_seq(v) && i < v.seq->len; i++) ok &= add_live_outs(py, loc, v.seq->items[i], out);
  return ok;
}

/* Where what the caller asks for is wrong. */
static pm_loc file_of(pm_loc loc) {
  return (pm_loc){.file = loc.file};
}

static dsl_symbol *find_stage(dsl_program *dsl, const char *name, const char **nearest) {
  unsigned distance = 4;
  *nearest = NULL;
  for (size_t i = 0; i < dsl->symbols.len; i++) {
    dsl_symbol *s = dsl->symbols.data[i];
    if (s->kind != DSL_FUNCTION) continue;
    if (strcmp(s->name->text, name) == 0) return s;
    unsigned d = pm_edit_distance(pm_str_of(name), (pm_str){s->name->text, s->name->len}, distance);
    if (d >= distance) continue;
    distance = d;
    *nearest = s->name->text;
  }
  return NULL;
}

static bool no_such_stage(const dsl_program *dsl, pm_loc loc, const char *name, const char *nearest) {
  for (size_t i = 0; i < dsl->symbols.len; i++) {
    const dsl_symbol *s = dsl->symbols.data[i];
    if (s->values && strcmp(s->name->text, name) == 0)
      return pm_error(dsl->ctx, s->loc, "the table %s cannot leave the pipeline, a stage that reads it can",
                      name);
  }
  if (nearest)
    return pm_error(dsl->ctx, file_of(loc), "--live-out %s: no stage is named '%s', '%s' is the nearest name",
                    name, name, nearest);
  return pm_error(dsl->ctx, file_of(loc),
                  "--live-out %s: no stage is named '%s', it should be a stage of the program", name, name);
}

static bool named_stages(dsl_program *dsl, const polymage_options *options, pm_loc loc, dsl_symbols *out) {
  bool ok = true;
  for (size_t i = 0; i < options->n_live_outs; i++) {
    const char *nearest;
    dsl_symbol *s = find_stage(dsl, options->live_outs[i], &nearest);
    if (s)
      add_once(out, s);
    else
      ok = no_such_stage(dsl, loc, options->live_outs[i], nearest);
  }
  return ok;
}

/* --- what is read --- */

static bool check_defined(dsl_program *dsl, const dsl_symbol *stage) {
  const void *name = stage->name;
  if (stage->unknown) return pm_error(dsl->ctx, stage->unknown->loc, "%s", stage->unknown->text);
  if (!stage->has_domain)
    return pm_error(dsl->ctx, stage->loc,
                    "the stage %pS has no domain, varDom or variableDomain should give it", name);
  if (stage->updates.len > 0 && stage->reduction.n_dims == 0)
    return pm_error(dsl->ctx, stage->loc,
                    "the reduction %pS has no domain to go through, redDom or reductionDomain should give it",
                    name);
  if (stage->cases.len + stage->updates.len == 0)
    return pm_error(dsl->ctx, stage->loc, "the stage %pS has no definition, defn should give it", name);
  return true;
}

typedef struct stage_reads {
  dsl_symbols *of; /* one list a symbol, by index */
  size_t n;
} stage_reads;

static void free_reads(stage_reads *reads) {
  for (size_t i = 0; i < reads->n; i++) PM_VEC_FREE(reads->of[i]);
  free(reads->of);
}

/* Counts the other stages that read a stage. */
static bool find_reads(dsl_program *dsl, stage_reads *reads) {
  bool ok = true;
  for (size_t i = 0; i < dsl->symbols.len; i++) {
    dsl_symbol *s = dsl->symbols.data[i];
    if (s->kind != DSL_FUNCTION || !s->has_domain) continue;
    ok &= dsl_collect_reads(dsl, s, &reads->of[i]);
    for (size_t k = 0; k < reads->of[i].len; k++)
      reads->of[i].data[k]->n_readers += reads->of[i].data[k] != s;
  }
  return ok;
}

/* --- what no other stage reads --- */

static void push_stages(const dsl_program *dsl, bool if_unread, dsl_symbols *out) {
  for (size_t i = 0; i < dsl->symbols.len; i++) {
    dsl_symbol *s = dsl->symbols.data[i];
    if (s->kind == DSL_FUNCTION && !(if_unread && s->n_readers > 0)) PM_VEC_PUSH(*out, s);
  }
}

/* Where each is read there is a circle: all of them then, and check_circles reports it. */
static bool unread_stages(const dsl_program *dsl, pm_loc loc, dsl_symbols *out) {
  push_stages(dsl, true, out);
  if (out->len == 0) push_stages(dsl, false, out);
  if (out->len > 0) return true;
  return pm_error(dsl->ctx, file_of(loc), "the program makes no stage, a pipeline should have at least one");
}

/* Marks what the live-outs need, directly or not; each must be defined. */
static bool mark_needed(dsl_program *dsl, const stage_reads *reads, const dsl_symbols *live_outs) {
  dsl_symbols stack = {0};
  bool ok = true;
  for (size_t i = 0; i < live_outs->len; i++) PM_VEC_PUSH(stack, live_outs->data[i]);
  while (stack.len > 0) {
    dsl_symbol *s = PM_VEC_POP(stack);
    if (s->needed) continue;
    s->needed = true;
    if (s->kind != DSL_FUNCTION) continue;
    ok &= check_defined(dsl, s);
    for (size_t k = 0; k < reads->of[s->index].len; k++) PM_VEC_PUSH(stack, reads->of[s->index].data[k]);
  }
  PM_VEC_FREE(stack);
  return ok;
}

/* --- circles --- */

/* Takes away what has no reader left, again and again. Returns a stage that is left, or NULL. */
static dsl_symbol *take_ordered(const dsl_program *dsl, const stage_reads *reads, bool *left) {
  unsigned *readers = pm_xcalloc(reads->n + 1, sizeof *readers);
  dsl_symbols stack = {0};
  dsl_symbol *last = NULL;
  for (size_t i = 0; i < reads->n; i++) {
    left[i] = dsl->symbols.data[i]->needed;
    for (size_t k = 0; left[i] && k < reads->of[i].len; k++)
      readers[reads->of[i].data[k]->index] += reads->of[i].data[k]->index != i;
  }
  for (size_t i = 0; i < reads->n; i++)
    if (left[i] && readers[i] == 0) PM_VEC_PUSH(stack, dsl->symbols.data[i]);
  while (stack.len > 0) {
    const dsl_symbol *s = PM_VEC_POP(stack);
    left[s->index] = false;
    for (size_t k = 0; k < reads->of[s->index].len; k++) {
      dsl_symbol *read = reads->of[s->index].data[k];
      if (read != s && --readers[read->index] == 0) PM_VEC_PUSH(stack, read);
    }
  }
  for (size_t i = 0; i < reads->n; i++)
    if (left[i] && dsl->symbols.data[i]->kind == DSL_FUNCTION) last = dsl->symbols.data[i];
  PM_VEC_FREE(stack);
  free(readers);
  return last;
}

static dsl_symbol *find_reader(const dsl_program *dsl, const stage_reads *reads, const bool *left,
                               const dsl_symbol *of) {
  for (size_t i = 0; i < reads->n; i++)
    for (size_t k = 0; left[i] && k < reads->of[i].len; k++)
      if (reads->of[i].data[k] == of && dsl->symbols.data[i] != of) return dsl->symbols.data[i];
  return NULL;
}

/* Where each that is left has a reader, the way from reader to reader ends in a circle. */
static void report_circle(const dsl_program *dsl, const stage_reads *reads, const bool *left,
                          dsl_symbol *any) {
  dsl_symbol *first = any;
  for (size_t i = 0; i < dsl->symbols.len; i++) first = find_reader(dsl, reads, left, first);
  pm_buf names = {0};
  dsl_symbol *s = first;
  do {
    s = find_reader(dsl, reads, left, s);
    pm_buf_printf(&names, "%s is read by %s", names.len ? ", which" : first->name->text, s->name->text);
  } while (s != first);
  pm_error(dsl->ctx, first->loc,
           "stages read one another in a circle: %s; a stage may read itself at earlier points, all others "
           "should be read by stages that they do not need",
           names.data);
  for (s = find_reader(dsl, reads, left, first); s != first; s = find_reader(dsl, reads, left, s))
    pm_note(dsl->ctx, s->loc, "%s is one of them", s->name->text);
  pm_buf_free(&names);
}

/* The needed stages have an order. */
static bool check_circles(const dsl_program *dsl, const stage_reads *reads) {
  bool *left = pm_xcalloc(reads->n + 1, sizeof *left);
  dsl_symbol *any = take_ordered(dsl, reads, left);
  if (any) report_circle(dsl, reads, left, any);
  free(left);
  return !any;
}

static bool is_inner_step(const dsl_symbol *s) {
  return s->time_input && !s->is_last_step;
}

static void warn_unused(const dsl_program *dsl) {
  for (size_t i = 0; i < dsl->symbols.len; i++) {
    const dsl_symbol *s = dsl->symbols.data[i];
    bool may_go = (s->kind == DSL_FUNCTION && !is_inner_step(s) && !s->backward) || s->values;
    if (may_go && !s->needed)
      pm_warning(dsl->ctx, s->loc, "the %s %pS is left out, no stage that leaves the pipeline needs it",
                 s->values ? "table" : "stage", (const void *)s->name);
  }
}

/* The scalar type holds both ends. */
static bool holds_range(pm_scalar type, const polymage_range *range) {
  const pm_scalar_info *info = pm_get_scalar_info(type);
  if (info->is_float) return true;
  int bits = (int)info->bits;
  double low = info->is_signed ? -ldexp(1, bits - 1) : 0;
  double end = ldexp(1, info->is_signed ? bits - 1 : bits);
  return range->low >= low && range->high < end && floor(range->low) == range->low &&
         floor(range->high) == range->high;
}

static dsl_symbol *find_image(const dsl_program *dsl, const char *name) {
  for (size_t i = 0; i < dsl->symbols.len; i++) {
    dsl_symbol *s = dsl->symbols.data[i];
    if (dsl_is_input(s) && strcmp(s->name->text, name) == 0) return s;
  }
  return NULL;
}

static bool no_such_image(const dsl_program *dsl, pm_loc loc, const char *name) {
  pm_buf images = {0};
  for (size_t i = 0; i < dsl->symbols.len; i++)
    if (dsl_is_input(dsl->symbols.data[i]))
      pm_buf_printf(&images, "%s'%s'", images.len ? ", " : "", dsl->symbols.data[i]->name->text);
  pm_error(dsl->ctx, file_of(loc), "--range %s: no image is named '%s', the program's images are %s", name,
           name, images.len ? images.data : "none");
  pm_buf_free(&images);
  return false;
}

/* Notes the declared ranges at their images; false after diagnostics. */
static bool declare_ranges(dsl_program *dsl, const polymage_options *options, pm_loc loc) {
  bool ok = true;
  for (size_t i = 0; i < options->n_ranges; i++) {
    const polymage_range *range = &options->ranges[i];
    dsl_symbol *image = find_image(dsl, range->image);
    if (!image)
      ok = no_such_image(dsl, loc, range->image);
    else if (!holds_range(image->type, range))
      ok =
          pm_error(dsl->ctx, image->loc, "the range of %s is declared as %g:%g, it should be of values of %s",
                   range->image, range->low, range->high, dsl_type_name(image->type));
    else
      image->range = range;
  }
  return ok;
}

/* `returned` holds the live-outs that the program names, or nothing. */
static bool choose_live_outs(dsl_program *dsl, const polymage_options *options, pm_loc loc,
                             dsl_symbols *live_outs) {
  if (options->n_live_outs > 0) {
    live_outs->len = 0;
    return named_stages(dsl, options, loc, live_outs);
  }
  return live_outs->len > 0 || unread_stages(dsl, loc, live_outs);
}

static pm_module *lower_read_graph(dsl_program *dsl, const polymage_options *options, pm_loc loc,
                                   dsl_symbols *live_outs) {
  stage_reads reads = {.of = pm_xcalloc(dsl->symbols.len, sizeof(dsl_symbols)), .n = dsl->symbols.len};
  pm_module *module = NULL;
  bool ok = find_reads(dsl, &reads);
  ok &= choose_live_outs(dsl, options, loc, live_outs) && mark_needed(dsl, &reads, live_outs) &&
        check_circles(dsl, &reads);
  if (ok) {
    warn_unused(dsl);
    lower_warn_names(dsl, live_outs);
    module = lower_program(dsl, options, loc, live_outs);
  }
  free_reads(&reads);
  return module;
}

/* --- boundaries --- */

static void check_mode(const dsl_program *dsl, const dsl_symbol *symbol, py_value mode) {
  pm_buf text = {0}, number = {0};
  if (!py_is_number(mode) || symbol->n_elems || dsl_holds(symbol->type, mode)) return;
  dsl_put_symbol(&text, symbol);
  py_put_str(&number, mode);
  pm_warning(dsl->ctx, symbol->loc, "the boundary of %s is %s, it should be a number that the type %s holds",
             text.data, number.data, dsl_type_name(symbol->type));
  pm_buf_free(&text);
  pm_buf_free(&number);
}

static bool check_boundary(const dsl_program *dsl, const dsl_symbol *symbol) {
  py_value given = symbol->boundary;
  if (py_is_poison(given)) return true;
  if (!py_is_seq(given)) return check_mode(dsl, symbol, given), true;
  for (size_t i = 0; i < given.seq->len; i++) check_mode(dsl, symbol, given.seq->items[i]);
  if (given.seq->len == symbol->n_dims) return true;
  pm_buf text = {0};
  dsl_put_symbol(&text, symbol);
  pm_error(dsl->ctx, symbol->loc,
           "the boundary of %s has %zu mode%s, it should have %u, one a dimension, or be one mode", text.data,
           given.seq->len, py_plural(given.seq->len), symbol->n_dims);
  pm_buf_free(&text);
  return false;
}

/* Those of images and of stages that have a domain. */
static bool check_boundaries(const dsl_program *dsl) {
  bool ok = true;
  for (size_t i = 0; i < dsl->symbols.len; i++)
    if (dsl->symbols.data[i]->has_domain) ok &= check_boundary(dsl, dsl->symbols.data[i]);
  return ok;
}

/* Names come first, because messages have them, and once more after steps and turned stages are made. */
static pm_module *lower_graph(dsl_program *dsl, const polymage_options *options, pm_loc loc,
                              dsl_symbols *live_outs) {
  if (!lower_check_names(dsl) || !check_boundaries(dsl)) return NULL;
  lower_names(dsl);
  if (!dsl_make_time_steps(dsl) || !dsl_turn_recurrences(dsl)) return NULL;
  lower_names(dsl);
  if (!declare_ranges(dsl, options, loc)) return NULL;
  return lower_read_graph(dsl, options, loc, live_outs);
}

/* --- the whole --- */

/* The live-outs that the program itself names. */
static bool run_program(py_interp *py, const py_node *program, dsl_symbols *live_outs) {
  py_run(py, py->globals, program);
  py->files.data[0]->running = false;
  bool by_function = py->options->function || (!py->built && !has_stages(py->dsl));
  py_value result = by_function && !py->failed ? build_by_function(py, program) : PY_NONE;
  py_pipeline *built = &py->pipeline;
  if (!py->built && py_is_poison(result) && !py_is_unknown(result)) return false;
  if (py->built) py->built = py->stopped = false;
  return built->loc.line ? returned_stages(py, built->loc, built->outputs, live_outs)
                         : returned_stages(py, program->loc, result, live_outs);
}

/* What is missing; also a value that is not known and got lost on the way to what depends on it. */
static void report_unknown(py_interp *py, unsigned errors) {
  py_report_missing(py);
  if (pm_error_count(py->ctx) == errors && py->last_unknown)
    pm_error(py->ctx, py->last_unknown->loc, "%s", py->last_unknown->text);
}

pm_module *polymage_finish(py_interp *py, pm_loc loc, py_value outputs) {
  dsl_symbols live_outs = {0};
  unsigned errors = pm_error_count(py->ctx);
  bool ok = returned_stages(py, loc, outputs, &live_outs) && !py->failed;
  pm_module *module = ok ? lower_graph(py->dsl, py->options, loc, &live_outs) : NULL;
  if (!module) report_unknown(py, errors);
  py_warn_unused_consts(py, file_of(loc));
  PM_VEC_FREE(live_outs);
  return module;
}

static pm_module *evaluate(py_interp *py, const py_node *program) {
  dsl_symbols live_outs = {0};
  pm_module *module = NULL;
  polymage_options options = *py->options;
  unsigned errors = pm_error_count(py->ctx);
  bool ok = run_program(py, program, &live_outs);
  if (!options.pipeline_name) options.pipeline_name = py->pipeline.name;
  if (ok && !py->failed) module = lower_graph(py->dsl, &options, program->loc, &live_outs);
  if (!module) report_unknown(py, errors);
  py_warn_unused_consts(py, file_of(program->loc));
  PM_VEC_FREE(py->missing);
  PM_VEC_FREE(py->asked);
  PM_VEC_FREE(live_outs);
  return module;
}

static pm_module *evaluate_in(pm_context *ctx, pm_arena *arena, const char *file, const py_node *program,
                              const polymage_options *options) {
  dsl_program dsl = {.ctx = ctx, .arena = arena};
  py_interp py = {.ctx = ctx, .arena = arena, .options = options, .dsl = &dsl, .reported = pm_map_new()};
  py.const_uses = pm_arena_alloc(arena, (options->n_consts + 1) * sizeof(*py.const_uses));
  py_begin_files(&py, file);
  pm_module *module = evaluate(&py, program);
  py_free_files(&py);
  pm_map_free(py.reported);
  dsl_program_free(&dsl);
  return module;
}

pm_module *polymage_read(pm_context *ctx, const char *file, const char *text, size_t len,
                         const polymage_options *options) {
  static const polymage_options defaults = {0};
  uint16_t source = pm_add_source(ctx, file, text, len);
  pm_arena *arena = pm_arena_new();
  const py_node *program = py_parse(ctx, arena, source, (pm_str){text, len}, false);
  pm_module *module = program ? evaluate_in(ctx, arena, file, program, options ? options : &defaults) : NULL;
  pm_arena_free(arena);
  return module;
}
