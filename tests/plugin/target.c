/* A plugin with a target: `serial`, C for one thread, and the machine that it is for. The text is what the
 * target c emits; pipeline, forms, files and flags are its own. */
#include "tools/plugin.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/machine/machine.h"
#include "dialects/math/math.h"
#include "ir/builtin.h"
#include "targets/lib/cc.h"

#include <string.h>

static const pm_machine one_core = {.cores = 1,
                                    .vector_bytes = 16,
                                    .l1_bytes = 32768,
                                    .l2_bytes = 262144,
                                    .vector_mops = 1000,
                                    .l2_mbytes = 20000,
                                    .l3_mbytes = 10000,
                                    .dram_mbytes = 5000,
                                    .shared_mbytes = 5000,
                                    .fresh_mbytes = 2000,
                                    .divide_ops = 16,
                                    .call_ops = 16,
                                    .strided_ops = 4,
                                    .gather_ops = 4,
                                    .line_bytes = 64,
                                    .page_bytes = 4096,
                                    .tlb_pages = 64,
                                    .page_ns = 10,
                                    .loop_ns = 2,
                                    .tile_ns = 20,
                                    .parallel_ns = 0};

static bool serial_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  pm_buf_puts(&out->source, "/* for one thread */\n");
  return pm_find_target(pm_module_context(module), "c")->emit(module, header_name, out);
}

/* What the user asks for, else no OpenMP. */
static pm_build_options serial_options(const pm_build_options *given) {
  pm_build_options options = *given;
  if (!options.flags) options.flags = "-O2";
  return options;
}

static pm_outcome serial_compile(const pm_target_output *text, const char *extension,
                                 const pm_build_options *given, pm_buf *file, pm_report *report) {
  const pm_build_options options = serial_options(given);
  return pm_cc_compile(text, strcmp(extension, "so") == 0 ? "so" : "o", &options, file, report);
}

static pm_outcome serial_open(const pm_buf *file, const char *entry, const pm_build_options *options,
                              pm_loaded *loaded, pm_report *report) {
  return pm_cc_open(file, entry, options, loaded, report);
}

static void serial_close(const pm_loaded *loaded) {
  pm_cc_close(loaded);
}

static const pm_target_form forms[] = {{&builtin_module, PM_FORM_SCALAR},
                                       {&loop_func, PM_FORM_SCALAR},
                                       {&loop_param, PM_FORM_SCALAR},
                                       {&loop_require, PM_FORM_SCALAR},
                                       {&loop_for, PM_FORM_SCALAR},
                                       {&loop_parallel, PM_FORM_SCALAR},
                                       {&loop_if, PM_FORM_SCALAR},
                                       {&loop_yield, PM_FORM_SCALAR},
                                       {&buf_input, PM_FORM_SCALAR},
                                       {&buf_output, PM_FORM_SCALAR},
                                       {&buf_alloc, PM_FORM_SCALAR},
                                       {&buf_store, PM_FORM_SCALAR},
#define FORM(op, writer) {&op, PM_FORM_SCALAR},
#define FUNCTION(op, helper) {&op, PM_FORM_SCALAR},
#include "targets/cfamily/forms.def"
                                       {NULL, 0}};

static const pm_target_file files[] = {
    {"serial", PM_FILE_SOURCE, true}, {"serialo", PM_FILE_COMPILED, true}, {NULL, PM_FILE_SOURCE, false}};

static const pm_target serial_target = {
    .name = "serial",
    .doc = "C for one thread",
    .schedule =
        "stage.pipeline(cse,check-bounds,expand-boundaries,inline-stages,infer-domains,peel-borders,rfactor,"
        "align-scale,group{strategy=dp},tile,storage,share-storage,parallelize,expand-statements,verify-"
        "schedule)",
    .lower = "lower-poly,canonicalize,cse,licm,dce",
    .finish = "lower-memref,lower-abi",
    .machine = "one-core",
    .has = PM_TARGET_HEAP | PM_TARGET_STACK | PM_TARGET_THREAD_MEMORY,
    .forms = forms,
    .files = files,
    .emit = serial_emit,
    .compile = serial_compile,
    .opens = "so",
    .open = serial_open,
    .close = serial_close,
};

static void register_serial(pm_context *ctx) {
  bool ok = pm_register_target(ctx, &serial_target);
  ok = ok && pm_register_entry(ctx, &pm_machine_kind, "one-core", &one_core);
  (void)ok;
}

PM_PLUGIN("serial", register_serial)
