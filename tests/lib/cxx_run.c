/* Runs main() of a program in C++ as front ends evaluate it: print(x) prints the type and the value of a
 * number or a string, a line each, as tests/cxx/Inputs/print.h does for a compiler. Usage: cxx-run FILE */
#include "frontends/cxx/program.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static cv do_print(const cx_call *c) {
  for (unsigned i = 0; i < c->n_args; i++) {
    cv v = c->args[i];
    const char *type = cx_type_of_value(c->in, v)->name->text;
    if (v.kind == CV_INT && v.number > 0)
      return cx_fail(c->in, c->loc, "an enumerator should be converted before it is printed");
    else if (v.kind == CV_INT && cx_is_unsigned((pm_scalar)v.scalar))
      printf("%s %" PRIu64 "\n", type, (uint64_t)v.i);
    else if (v.kind == CV_INT)
      printf("%s %" PRId64 "\n", type, v.i);
    else if (v.kind == CV_FLOAT)
      printf("%s %.17g\n", type, v.f);
    else if (v.kind == CV_STRING)
      printf("string %s\n", v.text->text);
    else
      return cx_fail(c->in, c->loc, "this is %s, a number or a string should be here", cv_describe(c->in, v));
  }
  return cv_void;
}

static const cx_row functions[] = {{"print", do_print}, {NULL, NULL}};
static const cx_library library = {.base = &cx_std, .functions = functions};

static void run(cx_interp *in, const char *path, pm_str text) {
  cx_run_text(in, pm_add_source(in->ctx, path, text.ptr, text.len), path, text);
}

int main(int argc, char **argv) {
  size_t len = 0;
  char *text = argc == 2 ? pm_read_file(argv[1], PM_MAX_TEXT, &len) : NULL;
  if (!text) {
    fprintf(stderr, "usage: cxx-run FILE\n");
    return 2;
  }
  pm_context *ctx = pm_context_new();
  cx_interp in;
  cx_begin(&in, ctx, &library, NULL, argv[1]);
  run(&in, argv[1], (pm_str){text, len});
  if (pm_error_count(ctx) == 0) run(&in, "the call of main", pm_str_of("main();"));
  bool failed = pm_error_count(ctx) > 0;
  cx_end(&in);
  pm_context_free(ctx);
  free(text);
  return failed;
}
