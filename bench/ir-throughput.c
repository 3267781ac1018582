/* How fast the text form is parsed, verified and printed, and how many bytes an op takes.
 *
 *   ir-throughput [N] [--repeat K] [--emit FILE] [--emit-mlir FILE]
 *
 * Makes the text of a function of N integer ops (200000 unless given) and measures with it; or only writes
 * that text, as .pmir or as the same function for mlir-opt, so that the two programs can be timed on equal
 * work.
 */
#include "dialects/dialects.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
  long n, repeat;
  const char *emit, *emit_mlir;
} options;

/* Seconds of processor time: there is one thread and no input or output, and what else runs should not count.
 */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The two values that op `i` reads: the one before it, and one some way back. */
static void operands_of(long i, long *left, long *right) {
  *left = i - 1;
  *right = i < 3 ? 0 : (i * 7919) % (i < 64 ? i - 1 : 63) + (i < 64 ? 0 : i - 64);
}

static void put_ops(pm_buf *text, long n, const char *const *names, size_t n_names) {
  for (long i = 2; i < n; i++) {
    long left, right;
    operands_of(i, &left, &right);
    pm_buf_printf(text, "    %%%ld = arith.%s %%%ld, %%%ld : i32\n", i, names[(size_t)i % n_names], left,
                  right);
  }
}

static void make_pmir(pm_buf *text, long n) {
  static const char *const names[] = {"addi", "subi", "muli", "andi", "ori", "xori", "mini", "maxi"};
  pm_buf_puts(text, "builtin.module {\n  loop.func @f {\n");
  pm_buf_puts(text, "    %0 = loop.param @a : i32\n    %1 = loop.param @b : i32\n");
  put_ops(text, n, names, PM_COUNT(names));
  pm_buf_puts(text, "  }\n}\n");
}

static void make_mlir(pm_buf *text, long n) {
  static const char *const names[] = {"addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi"};
  pm_buf_puts(text, "module {\n  func.func @f(%0: i32, %1: i32) {\n");
  put_ops(text, n, names, PM_COUNT(names));
  pm_buf_puts(text, "    return\n  }\n}\n");
}

static bool write_text(const char *path, const pm_buf *text) {
  if (pm_write_file(path, text->data, text->len)) return true;
  perror(path);
  return false;
}

static bool emit(const options *o) {
  pm_buf text = {0};
  bool ok = true;
  if (o->emit) {
    make_pmir(&text, o->n);
    ok = write_text(o->emit, &text);
  }
  text.len = 0;
  if (ok && o->emit_mlir) {
    make_mlir(&text, o->n);
    ok = write_text(o->emit_mlir, &text);
  }
  pm_buf_free(&text);
  return ok;
}

typedef struct times {
  double start, parse, verify, print;
  size_t bytes;
  bool same; /* what was printed is what was read */
} times;

static bool run_once(const pm_buf *text, times *t) {
  double t0 = now();
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  double t1 = now();
  pm_module *module = pm_parse_module(ctx, "bench", text->data, text->len, false);
  double t2 = now();
  bool ok = module && pm_verify_module(module);
  double t3 = now();
  pm_buf out = {0};
  if (ok) pm_print_module(&out, module, (pm_print_options){0});
  double t4 = now();
  if (ok) pm_drop_source_texts(ctx);
  *t = (times){t1 - t0,
               t2 - t1,
               t3 - t2,
               t4 - t3,
               ok ? pm_module_bytes(module) : 0,
               ok && out.len == text->len && memcmp(out.data, text->data, out.len) == 0};
  pm_buf_free(&out);
  pm_module_free(module);
  pm_context_free(ctx);
  return ok;
}

static double total(const times *t) {
  return t->parse + t->verify + t->print;
}

static void report(const options *o, const times *t) {
  double n = (double)o->n;
  printf("ops            %ld\n", o->n);
  printf("start-up       %.3f ms\n", 1e3 * t->start);
  printf("parse          %.2f M ops/s\n", n / t->parse * 1e-6);
  printf("verify         %.2f M ops/s\n", n / t->verify * 1e-6);
  printf("print          %.2f M ops/s\n", n / t->print * 1e-6);
  printf("together       %.2f M ops/s\n", n / total(t) * 1e-6);
  printf("memory         %.1f bytes an op\n", (double)t->bytes / n);
  printf("round trip     %s\n", t->same ? "same bytes" : "DIFFERS");
}

/* The fastest of the repetitions. */
static int measure(const options *o) {
  pm_buf text = {0};
  times best = {0};
  bool ok = true;
  make_pmir(&text, o->n);
  for (long i = 0; ok && i < o->repeat; i++) {
    times t;
    ok = run_once(&text, &t);
    if (i == 0 || total(&t) < total(&best)) best = t;
  }
  pm_buf_free(&text);
  if (!ok) return 70;
  report(o, &best);
  return best.same ? 0 : 70;
}

static long positive(const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  return *end || value < 3 ? 0 : value;
}

static bool parse_options(options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *next = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--emit") == 0 && next)
      o->emit = argv[++i];
    else if (strcmp(argv[i], "--emit-mlir") == 0 && next)
      o->emit_mlir = argv[++i];
    else if (strcmp(argv[i], "--repeat") == 0 && next)
      o->repeat = positive(argv[++i]);
    else
      o->n = positive(argv[i]);
  }
  return o->n > 0 && o->repeat > 0;
}

int main(int argc, char **argv) {
  options o = {.n = 200000, .repeat = 5};
  if (!parse_options(&o, argc, argv)) {
    fprintf(stderr, "usage: ir-throughput [N >= 3] [--repeat K >= 3] [--emit FILE] [--emit-mlir FILE]\n");
    return 2;
  }
  if (o.emit || o.emit_mlir) return emit(&o) ? 0 : 1;
  return measure(&o);
}
