#include "tools/lib/semantics/verify.h"

#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/interpreter/interp.h"
#include "ir/text.h"
#include "pm/compile.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/images/array.h"
#include "tools/lib/images/compare.h"
#include "tools/lib/semantics/sizes.h"

#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-5;

/* What a state may take to run: FREE_STEPS, and as many for each of FREE_PER_SECOND parts of a second that
 * the program took before any pass. */
#define FREE_STEPS INT64_C(200000000)
enum { FREE_PER_SECOND = 50 };

/* What the interpreter says where it refuses a program. */
typedef struct refusal {
  pm_buf text; /* empty: nothing was refused */
  pm_loc loc;
} refusal;

/* A difference that was found. */
typedef struct finding {
  size_t output; /* SIZE_MAX: the program is refused */
  pm_difference difference;
  refusal refusal;
  bool outside; /* it is refused for an access out of bounds */
} finding;

/* A program of the first state that is called at one size, and what it gives. */
typedef struct test {
  pm_states *states;
  const pm_verify_options *options;
  pm_verified *count;
  pm_string name;
  pm_trial trial;
  pm_array *outputs; /* of the others */
  int64_t max_steps; /* of the others */
  bool exact;
  finding found; /* of the state that was judged last */
} test;

/* --- diagnostics of what is tried --- */

static void keep_first_error(void *user, pm_context *ctx, const pm_diag *diag) {
  refusal *r = user;
  (void)ctx;
  if (diag->severity != PM_ERROR || r->text.len) return;
  pm_buf_puts(&r->text, diag->message);
  r->loc = diag->loc;
}

/* --- running --- */

static pm_op *find_program(pm_module *module, pm_string name) {
  pm_op *op = pm_lookup_symbol(pm_module_body(module), name);
  return op && (pm_is(op, &stage_pipeline) || pm_is(op, &loop_func)) ? op : NULL;
}

/* It is a schedule, which has to be lowered first. */
static bool is_scheduled(const pm_op *op) {
  return op && pm_is(op, &stage_pipeline) && poly_find_schedule(op);
}

/* What is run of a state; NULL: it has no such program, or one that cannot be run. */
static pm_op *program_of(pm_state *at, pm_string name) {
  pm_op *op = find_program(at->module, name);
  if (!is_scheduled(op)) return op;
  pm_module *lowered = pm_lowered_state(at);
  return lowered ? find_program(lowered, name) : NULL;
}

static pm_verdict compare(test *t) {
  for (size_t i = 0; i < t->trial.sig.outputs.len; i++) {
    t->found.difference = pm_compare(&t->outputs[i], &t->trial.outputs[i], t->exact, tolerance);
    t->found.output = i;
    if (t->found.difference.count) return PM_BAD;
  }
  return PM_GOOD;
}

/* It is bad that the program is no more. */
static pm_verdict judge_missing(test *t, const pm_state *at) {
  if (find_program(at->module, t->name)) return PM_SKIPPED;
  pm_buf_printf(&t->found.refusal.text, "it has no @%s any more", t->name->text);
  t->found.refusal.loc = t->trial.op->loc;
  return PM_BAD;
}

static pm_verdict judge_state(void *user, pm_state *at) {
  test *t = user;
  pm_op *op = program_of(at, t->name);
  pm_buf_free(&t->found.refusal.text);
  t->found = (finding){.output = SIZE_MAX};
  if (!op) return judge_missing(t, at);
  pm_diag_scope outer = pm_begin_diag_scope(t->states->ctx, keep_first_error, &t->found.refusal);
  loop_interp_options options = {.max_steps = t->max_steps, .outside = &t->found.outside};
  bool ran = pm_trial_run_again(&t->trial, op, t->outputs, &options);
  pm_end_diag_scope(t->states->ctx, outer);
  t->count->calls++;
  return ran ? compare(t) : PM_BAD;
}

/* --- which op --- */

/* The element that the finding is of. */
static const void *element_of(const test *t) {
  const pm_array *a = &t->outputs[t->found.output];
  int64_t position = pm_array_position(a, t->found.difference.index);
  return (const char *)a->data + (size_t)position * pm_scalar_bytes(a->scalar);
}

/* The op that stores the element last, of loops. */
static const pm_op *find_writer(const test *t, pm_op *op) {
  const pm_op *writer = NULL;
  loop_interp_options options = {.max_steps = t->max_steps, .watched = element_of(t), .writer = &writer};
  if (!pm_is(op, &loop_func) || !pm_trial_run_again(&t->trial, op, t->outputs, &options)) return NULL;
  return writer;
}

/* The values of the stages of a program, one array for each element of the type. */
typedef struct stage_values_kept {
  pm_string name;
  pm_op *func;
  PM_VEC(pm_array) arrays;
} stage_values_kept;
typedef struct watching {
  PM_VEC(stage_values_kept) stages;
} watching;

static void keep_stage(void *user, pm_op *func, const pm_array *values) {
  watching *w = user;
  stage_values_kept kept = {.name = pm_sym_at(func, stage_func_sym), .func = func};
  unsigned n = pm_tuple_len(stage_type_of(func));
  for (unsigned i = 0; i < n; i++) {
    pm_array copy = values[i];
    copy.data = pm_xcalloc(1, (size_t)pm_array_bytes(&values[i]) + 1);
    memcpy(copy.data, values[i].data, (size_t)pm_array_bytes(&values[i]));
    PM_VEC_PUSH(kept.arrays, copy);
  }
  PM_VEC_PUSH(w->stages, kept);
}

static bool watch(const test *t, pm_op *op, watching *w) {
  pm_call call = pm_trial_call(&t->trial, t->outputs);
  return op && pm_is(op, &stage_pipeline) && stage_interpret_watched(op, &call, keep_stage, w);
}

static void free_watching(watching *w) {
  for (size_t i = 0; i < w->stages.len; i++) {
    for (size_t k = 0; k < w->stages.data[i].arrays.len; k++) free(w->stages.data[i].arrays.data[k].data);
    PM_VEC_FREE(w->stages.data[i].arrays);
  }
  PM_VEC_FREE(w->stages);
}

static bool has_shape_of(const pm_array *a, const pm_array *b) {
  return a->scalar == b->scalar && a->rank == b->rank &&
         memcmp(a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}

static bool stages_differ(const test *t, const stage_values_kept *a, const stage_values_kept *b) {
  for (size_t i = 0; i < a->arrays.len && i < b->arrays.len; i++)
    if (has_shape_of(&a->arrays.data[i], &b->arrays.data[i]) &&
        pm_compare(&a->arrays.data[i], &b->arrays.data[i], t->exact, tolerance).count)
      return true;
  return false;
}

/* The first stage, in the order of computing, that has other values than it had. */
static const pm_op *find_stage(const test *t, pm_op *before, pm_op *after) {
  watching was = {0}, is = {0};
  const pm_op *found = NULL;
  bool ok = watch(t, before, &was) && watch(t, after, &is);
  for (size_t i = 0; ok && i < is.stages.len && !found; i++)
    for (size_t k = 0; k < was.stages.len; k++)
      if (was.stages.data[k].name == is.stages.data[i].name &&
          stages_differ(t, &is.stages.data[i], &was.stages.data[k]))
        found = is.stages.data[i].func;
  free_watching(&was);
  free_watching(&is);
  return found;
}

/* What computes the wrong value; NULL: not known. */
static const pm_op *find_op(const test *t, pm_state *good, pm_state *bad) {
  pm_op *op = program_of(bad, t->name);
  if (!op || t->found.output == SIZE_MAX) return NULL;
  if (pm_is(op, &loop_func)) return find_writer(t, op);
  return find_stage(t, find_program(good->module, t->name), op);
}

/* --- what is said --- */

static void put_first_line(pm_buf *out, const pm_op *op) {
  pm_buf text = {0};
  pm_print_op(&text, op, (pm_print_options){0});
  const char *from = text.data ? text.data : "";
  while (*from == ' ') from++;
  pm_buf_printf(out, "%.*s", (int)strcspn(from, "\n"), from);
  pm_buf_free(&text);
}

static void put_point(pm_buf *out, const test *t) {
  const finding *f = &t->found;
  const pm_array *a = &t->trial.outputs[f->output];
  pm_buf_printf(out, "@%s", t->trial.sig.outputs.data[f->output].name->text);
  for (unsigned d = 0; d < a->rank; d++)
    pm_buf_printf(out, "%s%lld", d ? ", " : "[", (long long)f->difference.index[d]);
  if (a->rank) pm_buf_putc(out, ']');
}

static void say_op(const test *t, const pm_op *op) {
  pm_buf line = {0};
  if (!op) {
    pm_note(t->states->ctx, t->trial.op->loc, "no op is known to store it");
    return;
  }
  put_first_line(&line, op);
  pm_note(t->states->ctx, op->loc, "%s: %s",
          pm_is(op, &stage_func) ? "the first stage that has other values" : "the op that stores it",
          line.data);
  pm_buf_free(&line);
}

static void put_sizes(pm_buf *out, const char *before, const test *t) {
  pm_buf sizes = {0};
  pm_put_params(&sizes, &t->trial.sig, &t->trial.params);
  if (sizes.len) pm_buf_printf(out, "%s%s", before, sizes.data);
  pm_buf_free(&sizes);
}

/* `the pass 'x' leaves a program that cannot be run at R=3,C=5: …` */
static void put_finding(pm_buf *out, const test *t, pm_culprit c) {
  const finding *f = &t->found;
  bool runs = f->output != SIZE_MAX;
  pm_put_culprit(out, t->states, c);
  pm_buf_printf(out, " leaves a %s that %s", t->states->all.data[c.bad].lowered ? "schedule" : "program",
                runs ? "computes something else" : "cannot be run");
  put_sizes(out, " at ", t);
  pm_buf_puts(out, ": ");
  if (!runs) {
    pm_buf_puts(out, f->refusal.text.len ? f->refusal.text.data : "its interpreter fails");
    return;
  }
  put_point(out, t);
  pm_buf_printf(out, " is %s, and was %s", f->difference.got, f->difference.want);
}

/* State number `last` is bad. */
static void report(test *t, size_t last) {
  const pm_judge judge = {judge_state, t};
  pm_buf text = {0}, options = {0};
  pm_culprit c = pm_find_bad_state(t->states, &judge, last);
  pm_state *good = &t->states->all.data[c.good], *bad = &t->states->all.data[c.bad];
  (void)judge_state(t, bad);
  const pm_op *op = find_op(t, good, bad);
  bool runs = t->found.output != SIZE_MAX;
  t->count->accesses = t->found.outside;
  put_finding(&text, t, c);
  pm_error(t->states->ctx, op ? op->loc : runs ? t->trial.op->loc : t->found.refusal.loc, "%s", text.data);
  pm_buf_free(&text);
  put_sizes(&options, "", t);
  if (options.len && options.len < sizeof t->count->bad) strcpy(t->count->bad, options.data);
  options.len = 0;
  if (t->options->is_brief) {
    pm_buf_free(&options);
    return;
  }
  if (runs) say_op(t, op);
  pm_note_bad_rewrite(t->states, &judge, c);
  pm_buf_puts(&options, " --verify-semantics");
  put_sizes(&options, "=", t);
  pm_write_culprit(t->states, c, t->options->reproducer, t->options->tool, options.data);
  pm_buf_free(&options);
}

/* --- sizes --- */

/* An element that it does not write is the same as where no other one does. */
static bool run_first(test *t, pm_op *op) {
  double begin = pm_processor_seconds();
  bool ok = pm_trial_run_again(&t->trial, op, t->trial.outputs, NULL);
  t->max_steps = FREE_STEPS * (1 + (int64_t)((pm_processor_seconds() - begin) * FREE_PER_SECOND));
  return ok;
}

/* Begins the call of the first state, and runs it; false: it has none at this size. */
static bool begin(test *t, pm_op *op, const pm_named_list *params, refusal *why) {
  pm_diag_scope outer = pm_begin_diag_scope(t->states->ctx, keep_first_error, why);
  pm_buf error = {0};
  bool ok = pm_trial_begin(&t->trial, op, params, NULL, &error) && run_first(t, op) &&
            pm_trial_new_outputs(&t->trial, &t->outputs, &error);
  if (error.len && !why->text.len) pm_buf_puts(&why->text, error.data);
  pm_buf_free(&error);
  pm_end_diag_scope(t->states->ctx, outer);
  return ok;
}

static void end(test *t) {
  if (t->outputs) pm_arrays_free(t->outputs, t->trial.sig.outputs.len);
  pm_buf_free(&t->found.refusal.text);
  pm_trial_end(&t->trial);
}

static bool is_strict(const pm_op *op) {
  return strcmp(pm_fp_of(op), "strict") == 0;
}

/* What is verified of one program. */
typedef struct verification {
  pm_states *states;
  const pm_verify_options *options;
  pm_verified *count;
  pm_op *op;       /* of the first state */
  refusal refusal; /* at the first size at which it cannot be called */
} verification;

/* The states from number `first` on, at one size; one at which there is no call is left out. Of schedules
 * only the last state is lowered, which takes longest. */
static bool verify_at(verification *v, const pm_named_list *params, size_t first) {
  test t = {.states = v->states,
            .options = v->options,
            .count = v->count,
            .name = pm_callable_name(v->op),
            .exact = is_strict(v->op)};
  refusal why = {0};
  bool ok = true;
  if (begin(&t, v->op, params, &why)) {
    v->count->sizes++;
    for (size_t i = first; ok && i < v->states->all.len; i++) {
      bool is_last = i + 1 == v->states->all.len;
      if (!is_last && is_scheduled(find_program(v->states->all.data[i].module, t.name))) continue;
      ok = judge_state(&t, &v->states->all.data[i]) != PM_BAD;
      if (!ok) report(&t, i);
    }
  } else if (!v->refusal.text.len) {
    v->refusal = why;
    why = (refusal){0};
  }
  pm_buf_free(&why.text);
  end(&t);
  return ok;
}

/* All states at three sizes, since what one pass does wrong, another may hide; the last at all. */
static bool verify_sizes(verification *v, const stage_signature *sig, const pm_sizes *sizes) {
  bool ok = true;
  for (size_t i = 0; ok && i < sizes->all.len; i++) {
    pm_named_list params = {0};
    pm_arena *arena = pm_arena_new();
    pm_name_size(sig, sizes->all.data[i].values, arena, &params);
    bool all_states = !v->options->is_brief && (i == 0 || i == sizes->all.len / 8 || i == sizes->all.len / 4);
    ok = verify_at(v, &params, all_states ? 1 : v->states->all.len - 1);
    PM_VEC_FREE(params);
    pm_arena_free(arena);
  }
  return ok;
}

static bool verify_at_borders(verification *v) {
  stage_signature sig = {0};
  pm_borders borders = {0};
  for (size_t i = 1; i < v->states->all.len; i++) pm_borders_add(&borders, v->states->all.data[i].module);
  pm_callable_signature(v->op, &sig);
  pm_sizes sizes = pm_sizes_at_borders(v->op, &borders, v->options->most_ops);
  bool ok = verify_sizes(v, &sig, &sizes);
  pm_sizes_free(&sizes);
  pm_borders_free(&borders);
  stage_signature_free(&sig);
  return ok;
}

static bool verify_program(pm_states *s, const pm_verify_options *options, pm_verified *count, pm_op *op) {
  verification v = {.states = s, .options = options, .count = count, .op = op};
  int64_t before = count->sizes;
  bool given = options->params && options->params->len;
  size_t first = options->is_brief ? s->all.len - 1 : 1;
  bool ok = given ? verify_at(&v, options->params, first) : verify_at_borders(&v);
  if (count->sizes == before)
    ok = pm_error(s->ctx, op->loc, "no call of %pO can be interpreted: %s", (const void *)op,
                  v.refusal.text.len ? v.refusal.text.data : "it has no size");
  pm_buf_free(&v.refusal.text);
  return ok;
}

bool pm_verify_states(pm_states *s, const pm_verify_options *options, pm_verified *count) {
  bool ok = true;
  *count = (pm_verified){0};
  PM_FOR_OPS(op, pm_module_body(s->all.data[0].module)) {
    bool called = pm_is(op, &stage_pipeline) || (pm_is(op, &loop_func) && !loop_is_private(op));
    ok = ok && (!called || verify_program(s, options, count, op));
  }
  return ok;
}
