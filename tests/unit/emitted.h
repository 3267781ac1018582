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

#endif
