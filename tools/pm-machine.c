/* pm-machine: measures this machine, with the C compiler that pipelines are compiled with, and writes the
 * file that --machine takes. Every time is the least of many short ones, so that other work on the
 * machine matters little. */
#include "dialects/machine/machine.h"
#include "targets/lib/cc.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/hooks.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/images/image.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "pm-machine"

/* --- options --- */

typedef struct options {
  pm_driver_options driver; /* of it, the C compiler */
  const char *output;
  const char *name; /* of --print; NULL: this machine is measured */
  bool list;
} options;

enum { OPT_LIST = 0x400, OPT_PRINT };

static const struct argp_option option_rows[] = {
    {"output", 'o', "FILE", 0, "where the JSON goes (default: -, standard output)", 0},
    {"list", OPT_LIST, 0, 0, "only list the names that --machine takes", 0},
    {"print", OPT_PRINT, "NAME", 0, "measure nothing, and write the file of the machine of that name", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->driver;
    return 0;
  case 'o':
    o->output = arg;
    return 0;
  case OPT_LIST:
    o->list = true;
    return 0;
  case OPT_PRINT:
    o->name = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&pm_cc_argp, 0, NULL, 0}, {0}};
static const struct argp machine_argp = {
    option_rows,
    parse_option,
    0,
    "Measure this machine for the search of groups: a file for --machine. Or write that of another one.",
    children,
    0,
    0};

/* --- kernels --- */

/* Those of tools/machine/kernels.c. */
#define KERNELS(K)                                                                                           \
  K(stencil)                                                                                                 \
  K(product)                                                                                                 \
  K(quotient)                                                                                                \
  K(call)                                                                                                    \
  K(every_second)                                                                                            \
  K(look_up)                                                                                                 \
  K(scale)                                                                                                   \
  K(scale_by_all)                                                                                            \
  K(start)                                                                                                   \
  K(scale_to_new)

#define K(name) KERNEL_##name,
typedef enum kernel { KERNELS(K) N_KERNELS } kernel;
#undef K
#define K(name) #name,
static const char *const kernel_names[] = {KERNELS(K)};
#undef K

typedef void kernel_fn(float *out, const float *in, int64_t rows, int64_t cols, int64_t pitch);

typedef struct session {
  kernel_fn *run[N_KERNELS];
  float *in, *out; /* `floats` and some more of each */
  int64_t floats;
} session;

static bool load(session *s, const char *path, pm_buf *error) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) return pm_failf(error, "cannot load the compiled loops: %s", dlerror());
  for (unsigned k = 0; k < N_KERNELS; k++) {
    void *found = dlsym(library, kernel_names[k]);
    if (!found) return pm_failf(error, "the compiled loops lack '%s': this is a bug", kernel_names[k]);
    memcpy(&s->run[k], &found, sizeof found);
  }
  return true;
}

static pm_outcome compile_kernels(session *s, const pm_driver_options *driver, pm_report *report) {
  extern const char pm_machine_kernels[];
  pm_target_output c = {0};
  pm_build_options build = {
      .base = "kernels", .compiler = driver->cc, .flags = driver->cflags, .fp = "contract"};
  pm_work_dir dir;
  char *path = NULL;
  if (!pm_work_dir_init(&dir, true, &report->error)) return PM_OUTCOME_REFUSED;
  pm_buf_puts(&c.source, pm_machine_kernels);
  pm_outcome outcome = pm_compile_c(&dir, &c, "so", &build, &path, report);
  if (outcome == PM_OUTCOME_OK && !load(s, path, &report->error)) outcome = PM_OUTCOME_BUG;
  free(path);
  pm_target_output_free(&c);
  pm_work_dir_free(&dir, NULL);
  return outcome;
}

/* --- times --- */

typedef struct rows {
  int64_t n, cols, pitch;
} rows;

static double seconds_of(const session *s, kernel k, rows r, int64_t calls) {
  double begin = pm_clock_seconds();
  for (int64_t i = 0; i < calls; i++) s->run[k](s->out, s->in, r.n, r.cols, r.pitch);
  return (pm_clock_seconds() - begin) / (double)calls;
}

/* Of a call, in ns: the least of many samples, each of as many calls as can be timed well. */
static double time_of(const session *s, kernel k, rows r) {
  enum { SAMPLES = 200 };
  const double sample = 1e-4, enough = 1;
  double least = seconds_of(s, k, r, 1), spent = 0;
  for (int i = 0; i < SAMPLES && spent < enough; i++) {
    int64_t calls = (int64_t)fmax(1, sample / fmax(least, 1e-9));
    double seconds = seconds_of(s, k, r, calls);
    spent += seconds * (double)calls;
    least = fmin(least, seconds);
  }
  return 1e9 * least;
}

static const rows in_first_cache = {2, 1024, 1040};

/* Of a point in the middle of a row, where all is in the first cache. */
static double point_ns(const session *s, kernel k) {
  return time_of(s, k, in_first_cache) / (double)(in_first_cache.n * in_first_cache.cols);
}

/* --- rates --- */

static int64_t at_least(double least, double value) {
  return (int64_t)llround(fmax(least, value));
}

/* Rows for the kernels of `scale`, in and out together so many bytes. */
static rows rows_of(double bytes) {
  enum { COLS = 4096 };
  return (rows){(int64_t)fmax(1, bytes / 2 / sizeof(float) / COLS), COLS, COLS};
}

static double points_of(rows r) {
  return (double)r.n * (double)r.cols;
}

/* A value is read, and a line of the result is read and goes back. */
static double millions_a_second(rows r, double ns) {
  return 3e3 * sizeof(float) * points_of(r) / ns;
}

static double rate(const session *s, kernel k, double bytes) {
  rows r = rows_of(bytes);
  return millions_a_second(r, time_of(s, k, r));
}

/* The same, of pieces of the arrays one after the other, round after round: each is in memory again when its
 * turn comes. */
static double rate_of_memory(const session *s, kernel k) {
  enum { ROUNDS = 4 };
  rows r = rows_of(8e6);
  int64_t floats = r.n * r.pitch;
  double least = HUGE_VAL;
  for (int i = 0; i < ROUNDS; i++)
    for (int64_t at = 0; at + floats <= s->floats; at += floats) {
      session piece = *s;
      piece.in += at;
      piece.out += at;
      least = fmin(least, seconds_of(&piece, k, r, 1));
    }
  return millions_a_second(r, 1e9 * least);
}

/* Others may use a shared cache, too: what is left is the most that is nearer to the cache's speed than to
 * memory's. */
static void measure_third_cache(const session *s, pm_machine *m) {
  double size = 4.0 * (double)m->l2_bytes,
         most = fmin(2.0 * sizeof(float) * (double)s->floats, (double)m->l3_bytes);
  double memory = (double)m->dram_mbytes, cache = rate(s, KERNEL_scale, size);
  m->l3_mbytes = at_least(memory, cache);
  if (size > most) return;
  while (2 * size <= most && rate(s, KERNEL_scale, 2 * size) > sqrt(cache * memory)) size *= 2;
  if (2 * size <= most) m->l3_bytes = (int64_t)size;
}

static void measure_memory(const session *s, pm_machine *m) {
  m->dram_mbytes = at_least(1, rate_of_memory(s, KERNEL_scale));
  m->shared_mbytes = at_least((double)m->dram_mbytes, rate_of_memory(s, KERNEL_scale_by_all));
  m->l2_mbytes = at_least(1, rate(s, KERNEL_scale, 0.5 * (double)m->l2_bytes));
  measure_third_cache(s, m);
}

static void measure_new_memory(const session *s, pm_machine *m) {
  rows r = rows_of(16e6);
  double more = time_of(s, KERNEL_scale_to_new, r) - time_of(s, KERNEL_scale, r);
  m->fresh_mbytes = at_least(1, 1e3 * sizeof(float) * points_of(r) / fmax(more, 1));
}

/* Pieces of rows, each in pages of its own, against as many in a row. */
static void measure_pages(const session *s, pm_machine *m) {
  enum { COLS = 256, PITCH = 3 * 1024 + 16 };
  int64_t n = s->floats / PITCH < 8 * m->tlb_pages ? s->floats / PITCH : 8 * m->tlb_pages;
  double apart = time_of(s, KERNEL_scale, (rows){n, COLS, PITCH});
  double together = time_of(s, KERNEL_scale, (rows){n, COLS, COLS});
  m->page_ns = at_least(0, (apart - together) / (double)(2 * n));
}

/* --- operations --- */

static void measure_operations(const session *s, pm_machine *m) {
  double share = sizeof(float) / (double)m->vector_bytes;
  double op = point_ns(s, KERNEL_stencil) / (27 * share);
  double product = point_ns(s, KERNEL_product);
  m->vector_mops = at_least(1, 1e3 / op);
  m->divide_ops = at_least(1, 1 + (point_ns(s, KERNEL_quotient) - product) / (op * share));
  m->call_ops = at_least(1, point_ns(s, KERNEL_call) / op - 2);
  m->strided_ops = at_least(1, (point_ns(s, KERNEL_every_second) / op - 2 * share) / 2);
  m->gather_ops = at_least(1, point_ns(s, KERNEL_look_up) / op - 5 * share);
}

/* --- what it takes to start --- */

/* A row that is short beside one that is long, whose last vector is half full. */
static void measure_rows(const session *s, pm_machine *m) {
  enum { SHORT = 61, ROWS = 16 };
  double half = (double)m->vector_bytes / sizeof(float) / 2;
  double row = time_of(s, KERNEL_stencil, (rows){ROWS, SHORT, 1040}) / ROWS;
  m->loop_ns = at_least(0, row - (SHORT + half) * point_ns(s, KERNEL_stencil));
}

/* A parallel loop with an iteration a thread, and one with many. */
static void measure_starts(const session *s, pm_machine *m) {
  enum { MANY = 128 };
  double one = time_of(s, KERNEL_start, (rows){1, 1, 1}), many = time_of(s, KERNEL_start, (rows){MANY, 1, 1});
  m->parallel_ns = at_least(0, one);
  m->tile_ns = at_least(0, (many - one) / (MANY - 1));
  measure_rows(s, m);
}

/* --- the whole --- */

/* Twice the third cache in both arrays together, and not too much. */
static bool allocate(session *s, const pm_machine *m, pm_buf *error) {
  const double least = 64e6, most = 512e6, beyond = 1 << 16;
  double bytes = fmin(most, fmax(least, 2.0 * (double)m->l3_bytes));
  s->floats = (int64_t)(bytes / 2 / sizeof(float));
  size_t n = (size_t)s->floats + (size_t)beyond;
  s->in = malloc(n * sizeof *s->in);
  s->out = malloc(n * sizeof *s->out);
  if (!s->in || !s->out) return pm_failf(error, "there is no memory for %.0f bytes", bytes);
  for (size_t i = 0; i < n; i++) s->in[i] = s->out[i] = 1.0f + (float)(i % 64) / 64.0f;
  return true;
}

static int write_machine(const char *path, const pm_machine *m) {
  pm_buf text = {0}, error = {0};
  pm_put_machine(m, &text);
  bool ok = pm_write_bytes(path, &text, &error);
  pm_buf_free(&text);
  if (!ok) pm_print_error(TOOL, &error);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}

static int measure(session *s, const options *o) {
  pm_buf error = {0};
  pm_machine m = pm_host_machine();
  if (!allocate(s, &m, &error)) {
    pm_print_error(TOOL, &error);
    return PM_EXIT_INPUT;
  }
  measure_operations(s, &m);
  measure_starts(s, &m);
  measure_memory(s, &m);
  measure_new_memory(s, &m);
  measure_pages(s, &m);
  return write_machine(o->output, &m);
}

static int list_names(void) {
  pm_buf text = {0};
  pm_put_machine_names(&text);
  fputs(text.data, stdout);
  pm_buf_free(&text);
  return fflush(stdout) == 0 ? PM_EXIT_OK : PM_EXIT_INPUT;
}

static int print_named(const options *o) {
  pm_machine m;
  pm_context *ctx = pm_driver_context();
  int code = pm_machine_named(ctx, o->name, &m) ? write_machine(o->output, &m) : PM_EXIT_INPUT;
  pm_context_free(ctx);
  return code;
}

static int measure_here(const options *o) {
  session s = {0};
  pm_report report = {0};
  pm_outcome outcome = compile_kernels(&s, &o->driver, &report);
  int code = pm_finish_hook(outcome, &report, TOOL);
  if (code == PM_EXIT_OK) code = measure(&s, o);
  free(s.in);
  free(s.out);
  return code;
}

int main(int argc, char **argv) {
  options o = {.driver.tool = TOOL, .output = "-"};
  pm_tool_begin();
  pm_argp_parse(TOOL, &machine_argp, argc, argv, 0, &o);
  int code = o.list ? list_names() : o.name ? print_named(&o) : measure_here(&o);
  pm_driver_options_free(&o.driver);
  return code;
}
