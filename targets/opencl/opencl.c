/* The target opencl: kernels in OpenCL C 1.2, and C that launches them, in one file. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/forms.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "ir/builtin.h"
#include "targets/lib/cc.h"
#include "targets/lib/checks.h"
#include "targets/opencl/opencl_emit.h"

/* runtime.c, runtime_calls.c, runtime_cache.c, targets/lib/cache_folder.h */
extern const char opencl_runtime[], opencl_runtime_calls[], opencl_runtime_cache[], opencl_cache_folder[];

/* --- the file --- */

/* Lines of a text as strings. */
static void put_lines(c_emitter *e, const pm_buf *text) {
  pm_buf line = {0};
  for (size_t i = 0; i < text->len; i++) {
    if (text->data[i] != '\n') {
      pm_buf_putc(&line, text->data[i]);
      continue;
    }
    pm_buf_puts(e->out, "  \"");
    c_string_text(e, line.data ? line.data : "");
    pm_buf_puts(e->out, "\\n\",\n");
    pm_buf_free(&line);
    line = (pm_buf){0};
  }
  pm_buf_free(&line);
}

static const char *options_of(const opencl_program *program) {
  if (program->strict) return "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
  return program->fast ? "-cl-std=CL1.2 -cl-fast-relaxed-math" : "-cl-std=CL1.2";
}

static pm_walk stop_at_vector(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &vec_load) || pm_is(op, &vec_store) ? PM_WALK_STOP : PM_WALK_ON;
}

/* What arrays have to be aligned to. */
static int alignment_of(const opencl_program *program) {
  for (size_t i = 0; i < program->launches.len; i++)
    if (!pm_walk_pre(program->launches.data[i].kernel, stop_at_vector, NULL)) return OPENCL_VECTOR_BYTES;
  return 1;
}

/* What calls OpenCL, behind the arrays of texts that it is for. */
static void put_runtime(pm_buf *out, const char *options, bool waits, int alignment) {
  pm_buf_printf(out, "static const char pm_cl_options[] = \"%s\";\n", options);
  pm_buf_printf(out, "static const int pm_cl_waits = %d; /* items of a group for each other */\n", waits);
  pm_buf_printf(out, "static const size_t pm_cl_align = %d; /* of arrays */\n", alignment);
  pm_buf_printf(out, "enum { PM_CL_SMALL_CELLS = %d }; /* of each array of a small call */\n\n",
                C_SMALL_CELLS);
  pm_buf_printf(out, "%s\n%s\n%s\n%s\n", opencl_cache_folder, opencl_runtime_cache, opencl_runtime,
                opencl_runtime_calls);
}

/* The program of the device, as text, and what calls OpenCL with it. */
static void put_device(c_emitter *e, opencl_program *program, pm_module *module) {
  pm_buf kernels = {0};
  opencl_put_kernels(program, module, &kernels);
  pm_buf_puts(e->out,
              "#include <stddef.h>\n#include <stdint.h>\n\nstatic const char *const pm_cl_source[] = {\n");
  put_lines(e, &kernels);
  pm_buf_puts(e->out, "};\nstatic const char *const pm_cl_kernels[] = {");
  for (size_t i = 0; i < program->launches.len; i++)
    pm_buf_printf(e->out, "%s\"%s\"", i ? ", " : "", opencl_kernel_name(&program->launches.data[i]));
  pm_buf_puts(e->out, "};\n");
  put_runtime(e->out, options_of(program), program->waits, alignment_of(program));
  pm_buf_free(&kernels);
}

static void put_func(c_emitter *e, const pm_op *func) {
  size_t scope = c_open_scope(&e->names);
  c_begin_function(e, func);
  abi_name_arguments(e, func);
  if (loop_result_of(func))
    abi_result_func(e, func);
  else
    opencl_host_func(e, func);
  c_put(e, "\n");
  c_end_function(e);
  c_close_scope(&e->names, scope);
}

static void put_file(c_emitter *e, opencl_program *program, pm_module *module, const char *header_name,
                     pm_buf *out) {
  pm_buf functions = {0};
  e->out = &functions;
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &loop_func) && !loop_is_private(op)) put_func(e, op);
  e->out = out;
  c_put(e, "#ifndef _DEFAULT_SOURCE\n#define _DEFAULT_SOURCE /* POSIX, for the run time */\n#endif\n");
  c_put(e, "#include \"%s\"\n\n", header_name);
  if (e->uses_math) c_put(e, "#include <math.h>\n");
  put_device(e, program, module);
  c_emit_helpers(e);
  while (functions.len && functions.data[functions.len - 1] == '\n') functions.len--;
  pm_buf_put(out, functions.data, functions.len);
  pm_buf_putc(out, '\n');
  pm_buf_free(&functions);
}

/* Windows of the caller's arrays have strides, and are not where a device would find them. */
static bool has_no_regions(pm_module *module) {
  bool ok = true;
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &loop_func) && pm_attr_at(op, loop_func_region))
    ok = pm_op_error(op, "computes boxes from windows of arrays, which the target 'opencl' does not");
  return ok;
}

static bool opencl_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  opencl_program program = {.abi = {.module = module}, .arrays = pm_map_new()};
  const c_language language = opencl_host_language();
  c_emitter e;
  bool ok = pm_check_emittable(module, "opencl", abi_has_type) &&
            pm_check_form(module, &loop_groups_form, "opencl") &&
            pm_check_form(module, &loop_barriers_form, "opencl") && has_no_regions(module) &&
            opencl_find_launches(&program, module) &&
            abi_declare_functions(module, header_name, false, out, opencl_declare_device);
  c_emitter_init(&e, pm_module_context(module), &language, &program);
  if (ok) put_file(&e, &program, module, header_name, &out->source);
  c_emitter_free(&e);
  pm_map_free(program.arrays);
  PM_VEC_FREE(program.launches);
  PM_VEC_FREE(program.sizes);
  return ok;
}

/* --- the device --- */

/* A program without kernels, whose one function finds the device and has its name as the text of its code. */
static const char probe_begin[] =
    "static const char *const pm_cl_source[] = {\"\"}, *const pm_cl_kernels[] = {\"\"};\n";
static const char probe_end[] =
    "int pm_device(void) {\n"
    "  static pm_cl_device device;\n"
    "  pm_cl_call c = {0};\n"
    "  char version[256] = \"\";\n"
    "  if (!pm_cl_open_library(&c) || !pm_cl_choose(&c, &device)) return c.status;\n"
    "  pm_cl_ask(&device);\n"
    "  pm_cl.call.clGetDeviceInfo(device.id, CL_DRIVER_VERSION, sizeof version - 1, version, NULL);\n"
    "  snprintf(pm_cl_message, sizeof pm_cl_message, \"%s, driver %s\", device.name, version);\n"
    "  return 0;\n"
    "}\n"
    "const char *pm_device_strerror(int code) { return code == PM_CL_NO_MEMORY ? \"no memory\" : "
    "pm_cl_message; }\n";

/* Programs of this process get one lock for the first calls of OpenCL. */
static pm_outcome opencl_open(const pm_buf *file, const char *entry, const pm_build_options *options,
                              pm_loaded *loaded, pm_report *report) {
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
  pm_outcome outcome = pm_cc_open(file, entry, options, loaded, report);
  pthread_mutex_t **lock = outcome == PM_OUTCOME_OK ? dlsym(loaded->handle, "pm_opencl_lock") : NULL;
  if (lock) *lock = &one;
  return outcome;
}

static pm_outcome ask_device(const pm_loaded *probe, pm_buf *name, pm_report *report) {
  int code = ((int (*)(void))probe->entry)();
  pm_buf_puts(code ? &report->error : name, probe->describe(code));
  return code ? PM_OUTCOME_REFUSED : PM_OUTCOME_OK;
}

/* Asked by the run time itself, so that it is the device that programs will take. */
static pm_outcome opencl_put_device(const pm_build_options *options, pm_buf *name, pm_report *report) {
  pm_target_output text = {0};
  pm_buf file = {0};
  pm_loaded probe;
  pm_buf_printf(&text.source, "#include <stddef.h>\n#include <stdint.h>\n%s%s", opencl_times_type,
                probe_begin);
  put_runtime(&text.source, "", false, 1);
  pm_buf_puts(&text.source, probe_end);
  pm_outcome outcome = pm_cc_compile(&text, "so", options, &file, report);
  if (outcome == PM_OUTCOME_OK) outcome = opencl_open(&file, "pm_device", options, &probe, report);
  if (outcome == PM_OUTCOME_OK) {
    outcome = ask_device(&probe, name, report);
    pm_cc_close(&probe);
  }
  pm_buf_free(&file);
  pm_target_output_free(&text);
  return outcome;
}

/* --- the row --- */

static const pm_target_form forms[] = {{&builtin_module, PM_FORM_SCALAR},
                                       {&loop_func, PM_FORM_SCALAR},
                                       {&loop_param, PM_FORM_SCALAR},
                                       {&loop_call, PM_FORM_SCALAR},
                                       {&loop_require, PM_FORM_SCALAR},
                                       {&loop_barrier, PM_FORM_SCALAR},
                                       {&loop_for, PM_FORM_SCALAR},
                                       {&loop_parallel, PM_FORM_SCALAR},
                                       {&loop_if, PM_FORM_SCALAR},
                                       {&loop_yield, PM_FORM_SCALAR},
                                       {&buf_input, PM_FORM_SCALAR},
                                       {&buf_output, PM_FORM_SCALAR},
                                       {&buf_argument, PM_FORM_SCALAR},
                                       {&buf_constant, PM_FORM_SCALAR},
                                       {&buf_alloc, PM_FORM_SCALAR},
                                       {&buf_store, PM_FORM_SCALAR},
                                       {&buf_atomic, PM_FORM_SCALAR},
                                       {&arith_constant, PM_FORM_VECTOR},
#define FORM(op, writer) {&op, PM_FORM_SCALAR},
#define FUNCTION(op, helper) {&op, PM_FORM_SCALAR},
#define CALL(op) {&op, PM_FORM_SCALAR | PM_FORM_VECTOR},
#include "targets/cfamily/forms.def"
                                       {&vec_load, PM_FORM_VECTOR},
                                       {&vec_store, PM_FORM_VECTOR},
                                       {&vec_splat, PM_FORM_VECTOR},
                                       {&vec_extract, PM_FORM_VECTOR},
                                       {&vec_insert, PM_FORM_VECTOR},
                                       {&vec_from_elements, PM_FORM_VECTOR},
                                       {NULL, 0}};

static const pm_target_file files[] = {{"c", PM_FILE_SOURCE, true},
                                       {"h", PM_FILE_HEADER, false},
                                       {"o", PM_FILE_COMPILED, true},
                                       {"so", PM_FILE_COMPILED, true},
                                       {NULL, PM_FILE_SOURCE, false}};

#define OPENCL_TARGET(word, text, device, more, passes, loops, last)                                         \
  {                                                                                                          \
    .name = word, .doc = text, .schedule = passes, .lower = loops, .finish = last, .machine = device,        \
    .has = PM_TARGET_HEAP | PM_TARGET_STACK | PM_TARGET_THREAD_MEMORY | (more), .forms = forms,              \
    .files = files, .emit = opencl_emit, .compile = pm_cc_compile, .opens = "so", .open = opencl_open,       \
    .close = pm_cc_close, .put_versions = pm_cc_put_versions, .put_device = opencl_put_device,               \
  }

/* clang-format off */
/* A tile is what one of many items computes, in registers, or a group of them, in local memory. What is as in
 * the pipeline `default` has its reasons in pm/pipelines.def. */
const pm_target opencl_target = OPENCL_TARGET(
    "opencl", "kernels in OpenCL C 1.2 for GPUs, and one C file that launches them", "gpu", PM_TARGET_GROUPS,
    PM_STEPS(
        PM_STEP("stage.pipeline(cse,check-bounds,extend-periodic,expand-boundaries)", "as for processors")
        PM_STEP("stage.pipeline(inline-stages,split-cases,inline-stages)",
                "a case that reads one case of a stage is inlined where one that reads several is not")
        PM_STEP("stage.pipeline(infer-domains,join-reductions)", "as for processors")
        PM_STEP("peel-borders{split=false}", "an item would compare its place with each border")
        PM_STEP("rfactor{partials=4096 along=inner line=0 atomic=true}", "an item for each of many partial results")
        PM_STEP("rfactor{partials=64 enough=131072 worth=1048576 line=0 atomic=true}",
                "where that leaves too few items, groups along the outer dimension, too")
        PM_STEP("rfactor{partials=64 along=inner worth=1024 line=0 atomic=true}", "then the results of a group")
        PM_STEP("align-scale", "as for processors")
        PM_STEP("group{cost=device tile=16x64 blocks=true}", "a group of items computes a tile")
        PM_STEP("tile{sizes=16x64}", "of groups without a size")
        PM_STEP("tile-reductions,storage,expand-statements,fuse-bands",
                "without share-storage: memory of kernels is alive at the same time on a device")
        PM_STEP("fuse-initial-values", "a launch less for each update")
        PM_STEP("map-tiles", "ahead of map-groups, which takes the other loops over tiles")
        PM_STEP("mark-atomic", "its loops may be interchanged then")
        PM_STEP("strip-mine,interchange,skew", "as for processors, without interleave: items hide latencies")
        PM_STEP("map-groups", "outermost loops, and pieces of those that are not over tiles")
        PM_STEP("map-items", "innermost of the loops that are left")
        PM_STEP("unroll-rows", "the last loops of final bands")
        PM_STEP("scratchpads-to-heap", "as for processors")
        PM_STEP("mark-isolate{max-ops=2000}", "conditions cost items more than code")
        PM_STEP("verify-schedule", "last: it trusts no pass")),
    PM_STEPS(
        PM_STEP("stage.pipeline(expand-statements),lower-poly,dispatch-versions,bound-conversions,canonicalize,cse,licm", "as for processors")
        PM_STEP("privatize-atomics", "while arrays have dimensions")
        PM_STEP("unroll-loops,canonicalize,cse", "indices into tiles of registers are numbers then")
        PM_STEP("scalar-replacement{loads=64}", "carries what the next row reads again")
        PM_STEP("promote-arrays", "arrays whose indices are numbers are registers")
        PM_STEP("canonicalize,cse,dce,scalar-replacement,dce", "what is left of their accesses")),
    PM_STEPS(
        PM_STEP("pack-accesses", "while accesses have dimensions")
        PM_STEP("outline-kernels", "what is left in a function is the host's")
        PM_STEP("lower-memref", "OpenCL C has pointers")
        PM_STEP("lower-abi", "what may fail in a call has codes then")
        PM_STEP("lay-out-items", "decides on kernels, whose loops stay as they are from here on")
        PM_STEP("place-barriers", "last: no pass after it moves accesses; it must know which groups have one item")));

/* A tile is what a thread computes, in groups of one item. */
const pm_target opencl_cpu_target = OPENCL_TARGET(
    "opencl-cpu", "the same for processors: groups of one item each", NULL, 0,
    PM_STEPS(
        PM_STEP("stage.pipeline(cse,check-bounds,extend-periodic,expand-boundaries,inline-stages)", "as in C")
        PM_STEP("stage.pipeline(infer-domains,join-reductions,peel-borders,rfactor)", "as in C")
        PM_STEP("align-scale,group,tile,tile-reductions,storage", "as in C, without share-storage: kernels keep their memory")
        PM_STEP("expand-statements,fuse-bands", "as in C")
        PM_STEP("strip-mine,interchange,skew,interleave,unroll-planes,mark-vector,mark-threads", "as in C")
        PM_STEP("scratchpads-to-heap,verify-schedule", "as in C, without what needs its loops")),
    PM_STEPS(
        PM_STEP("stage.pipeline(expand-statements),lower-poly,dispatch-versions,bound-conversions,canonicalize,cse,licm", "as in C")
        PM_STEP("unroll-loops{whole=true},canonicalize,cse,select-lookups,interleave-stores,cse", "as in C")
        PM_STEP("split-lookups{lanes=1}", "vectors of bytes are slow in drivers for processors")
        PM_STEP("pack-calls", "their compilers have vectors of functions, and make none")
        PM_STEP("canonicalize,cse,dce,scalar-replacement,dce", "as in C")),
    PM_STEPS(
        PM_STEP("outline-kernels", "what is left in a function is the host's")
        PM_STEP("lower-memref", "OpenCL C has pointers")
        PM_STEP("lower-abi", "what may fail in a call has codes then")
        PM_STEP("lay-out-items", "decides on kernels, whose loops stay as they are from here on")
        PM_STEP("place-barriers", "last: no pass after it moves accesses; it must know which groups have one item")));
/* clang-format on */
