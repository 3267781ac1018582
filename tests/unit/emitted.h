/* What the unit tests share that compile what the C target emits and compare it with the interpreter: include
 * after cmocka.h. */
#ifndef PM_TESTS_UNIT_EMITTED_H
#define PM_TESTS_UNIT_EMITTED_H

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dialects/arith/eval.h"
#include "ir/pass.h"
#include "ir/types.h"
#include "targets/target.h"

/* Number i of values that are hard on operations; of i1 any number, of which the last bit counts. */
static inline pm_lane emitted_sample(pm_scalar scalar, unsigned i) {
  static const double floats[] = {0,   -0.0, 1,     -1,    0.5,   -2.5,   3.75,   127.9, 255.5,
                                  256, -129, 1e-30, 1e30f, -1e9f, 65536., -0.25f, 99.5,  1e10};
  /* clang-format off */
  static const uint64_t ints[] = {0, 1, 2, 3, 7, 8, 31, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
                                  0x80000000, 0xffffffff, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, 0xfffa, 100};
  /* clang-format on */
  if (scalar == PM_F64) return (pm_lane){.d = floats[i % PM_COUNT(floats)]};
  if (pm_get_scalar_info(scalar)->is_float) return (pm_lane){.f = (float)floats[i % PM_COUNT(floats)]};
  return (pm_lane){.i = (int64_t)ints[i % PM_COUNT(ints)]};
}

/* Equal bits, or both NaN. */
static inline bool emitted_same_cell(pm_scalar scalar, const char *a, const char *b) {
  pm_lane x, y;
  if (!memcmp(a, b, pm_scalar_bytes(scalar))) return true;
  if (!pm_get_scalar_info(scalar)->is_float) return false;
  arith_load_lanes(scalar, a, 1, &x, 1);
  arith_load_lanes(scalar, b, 1, &y, 1);
  return scalar == PM_F64 ? isnan(x.d) && isnan(y.d) : isnan(x.f) && isnan(y.f);
}

/* The passes that the C target runs behind any pipeline. */
static inline void emitted_finish(pm_module *module) {
  pm_context *ctx = pm_module_context(module);
  pm_pass_manager *manager = pm_pass_manager_new(ctx);
  pm_run_config config = pm_default_run_config();
  assert_true(pm_parse_pipeline(manager, "test", pm_find_target(ctx, "c")->finish));
  assert_true(pm_run_passes(manager, module, &config));
  pm_pass_manager_free(manager);
}

/* Shared objects of the text, by n compilers at once (`gcc -O1`, each with its flags), loaded; their folder
 * is removed. */
static inline void emitted_compile(const pm_target_output *c, const char *const *commands, size_t n,
                                   void **libraries) {
  char folder[] = P_tmpdir "/pm-unit-XXXXXX", path[64];
  pm_buf script = {0};
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/f.c", folder);
  assert_true(pm_write_file(path, c->source.data, c->source.len));
  snprintf(path, sizeof path, "%s/f.h", folder);
  assert_true(pm_write_file(path, c->header.data, c->header.len));
  for (size_t i = 0; i < n; i++)
    pm_buf_printf(&script, "%s -std=c11 -Werror -Wno-psabi -fPIC -shared -o %s/%zu.so %s/f.c -lm & p%zu=$!; ",
                  commands[i], folder, i, folder, i);
  for (size_t i = 0; i < n; i++) pm_buf_printf(&script, "%swait $p%zu", i ? " && " : "", i);
  assert_int_equal(system(script.data), 0);
  for (size_t i = 0; i < n; i++) {
    snprintf(path, sizeof path, "%s/%zu.so", folder, i);
    libraries[i] = dlopen(path, RTLD_NOW);
    if (!libraries[i]) fail_msg("%s", dlerror());
  }
  script.len = 0;
  pm_buf_printf(&script, "rm -r %s", folder);
  assert_int_equal(system(script.data), 0);
  pm_buf_free(&script);
}

/* A shared object of an object file with a pool of threads, which gets one, and that calls the C library; its
 * folder is removed. */
static inline void *emitted_link(const pm_buf *object) {
  char folder[] = P_tmpdir "/pm-unit-XXXXXX", path[64], command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/f.o", folder);
  assert_true(pm_write_file(path, object->data, object->len));
  snprintf(command, sizeof command, "cc -shared -Wl,-z,defs -o %s/f.so %s/f.o -lm", folder, folder);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/f.so", folder);
  void *library = dlopen(path, RTLD_NOW);
  void (*set_threads)(int);
  if (!library) fail_msg("%s", dlerror());
  *(void **)&set_threads = dlsym(library, "pm_set_threads");
  set_threads(1);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  return library;
}

#endif
