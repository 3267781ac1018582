/* The target c: one self-contained C11 file and a header. OpenMP is optional. */
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "ir/builtin.h"
#include "targets/c/c_emit.h"
#include "targets/lib/cc.h"
#include "targets/lib/checks.h"

/* --- the file --- */

/* Loops that these versions take conditions out of may compute something else
 * (tests/pipelines/unswitching.test). Predictive commoning keeps cells in registers that the next iterations
 * store to, and stores them behind the loop even where it had no such iterations: a race with the thread that
 * they belong to (gcc 12.2; tests/pipelines/predictive-commoning.test). */
static const char less_optimization[] =
    "#if defined __GNUC__ && !defined __clang__\n"
    "/* gcc may store to cells that a loop does not reach, which other threads write */\n"
    "#pragma GCC optimize(\"no-predictive-commoning\")\n"
    "#endif\n"
    "#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 12 && !defined PM_NO_UNSWITCHING\n"
    "/* with -O3, gcc 12 and 13 may compile nests of loops and conditions wrongly */\n"
    "#pragma GCC optimize(\"no-unswitch-loops\")\n"
    "#endif\n\n";

/* What comes before the functions: includes, warnings about pragmas, helpers. */
static void put_preamble(c_emitter *e, const char *header_name) {
  const c_program *p = c_program_of(e);
  if (p->uses_alloc || p->pool)
    c_put(e, "#if defined(__linux__) && !defined(_DEFAULT_SOURCE)\n#define _DEFAULT_SOURCE\n#endif\n");
  c_put(e, "#include \"%s\"\n\n", header_name);
  if (e->uses_math) c_put(e, "#include <math.h>\n");
  c_put(e, "#include <stddef.h>\n");
  if (p->uses_workspace) c_put(e, "#include <stdatomic.h>\n");
  if (p->uses_alloc) c_put(e, "#include <stdlib.h>\n");
  if (e->uses_copy) c_put(e, "#include <string.h>\n");
  if (p->uses_alloc) c_put(e, "#ifdef __linux__\n#include <sys/mman.h>\n#endif\n");
  if (!p->pool && (p->uses_threads || p->uses_thread)) c_put(e, "#ifdef _OPENMP\n#include <omp.h>\n#endif\n");
  c_put(e, "\n#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n#endif\n"
           "#ifndef _OPENMP\n#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"\n#endif\n");
  c_emit_vector_functions(e);
  c_put(e, "%s", less_optimization);
  if (p->pool) c_emit_pool(e);
  c_emit_system(e);
  c_emit_helpers(e);
  c_emit_vectors(e);
}

/* --- functions --- */

void c_put_fp_pragma(c_emitter *e, const pm_op *func) {
  pm_string fp = pm_sym_at(func, loop_func_fp);
  if (!fp || strcmp(fp->text, "strict")) return;
  c_put(e, "#ifdef __clang__\n"
           "#pragma STDC FP_CONTRACT OFF\n"
           "#endif\n");
  c_line(e, "/* Floating point is strict: gcc needs -ffp-contract=off, the default with -std=c11. */");
}

static void put_func(c_emitter *e, const pm_op *func) {
  const pm_region *body = pm_region_at(func, loop_func_body);
  const pm_op *workspace = abi_workspace_of(func);
  if (workspace) c_workspace_before(e, func);
  c_begin(e);
  c_put(e, "%sint %s%s", loop_is_private(func) ? "static " : "", abi_func_name(e, func),
        workspace ? "_ws" : "");
  abi_parameters(e, func, ABI_DEFINED | (workspace ? ABI_WITH_WORKSPACE : 0));
  c_end(e);
  c_line(e, "{");
  e->indent++;
  c_put_fp_pragma(e, func);
  c_program_of(e)->frame = (c_frame){.region = body};
  if (c_needs_status(func)) c_line(e, "int status = 0;");
  c_frame_begin(e);
  abi_discard_unused(e, func);
  c_region(e, body);
  c_frame_end(e);
  c_line(e, "return %s;", c_program_of(e)->frame.cleans ? "status" : "0");
  e->indent--;
  c_line(e, "}");
  c_put(e, "\n");
  if (workspace) c_workspace_after(e, func);
}

static void emit_func(c_emitter *e, const pm_op *func, pm_target_output *out, pm_buf *body) {
  pm_buf text = {0}, *functions = &c_program_of(e)->functions;
  size_t scope = c_open_scope(&e->names);
  c_begin_function(e, func);
  c_find_mask_widths(e, func);
  abi_name_arguments(e, func);
  e->out = &text;
  if (!loop_is_private(func)) abi_declare_function(e, func, out, NULL);
  if (loop_result_of(func))
    abi_result_func(e, func);
  else
    put_func(e, func);
  if (!loop_is_private(func) && !loop_result_of(func)) abi_strerror(e, func, NULL);
  c_put(e, "\n");
  c_end_function(e);
  c_close_scope(&e->names, scope);
  pm_buf_put(body, functions->data, functions->len);
  pm_buf_put(body, text.data, text.len);
  functions->len = 0;
  pm_buf_free(&text);
}

static void emit_file(c_emitter *e, const char *header_name, pm_target_output *out) {
  pm_buf body = {0};
  abi_begin_header(&out->header, header_name, abi_program_of(e)->module, c_program_of(e)->pool);
  e->out = &body;
  c_find_called(e);
  c_declare_private(e);
  PM_FOR_OPS(op, pm_module_body(abi_program_of(e)->module))
  if (c_is_emitted(e, op)) emit_func(e, op, out, &body);
  e->out = &out->header;
  abi_buffers(e, abi_program_of(e)->module);
  abi_end_header(&out->header);
  e->out = &out->source;
  put_preamble(e, header_name);
  while (body.len && body.data[body.len - 1] == '\n') body.len--;
  pm_buf_put(&out->source, body.data, body.len);
  pm_buf_putc(&out->source, '\n');
  pm_buf_free(&body);
}

static c_language language(void) {
  c_language c = abi_language;
  c.statements = c_statements_of_c;
  c.vector_op = c_vector_op;
  c.vector_constant = c_vector_constant;
  c.vector_type = c_vector_type;
  c.vector_as = c_vector_as;
  c.threads = c_use_threads;
  c.thread = c_use_thread;
  c.before_loop = c_before_loop;
  c.streaming = c_streaming;
  c.end_region = c_free_region;
  return c;
}

extern const pm_target c_target;

static bool c_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  c_program program = {.abi = {.module = module},
                       .called = pm_map_new(),
                       .vector_names = pm_map_new(),
                       .pool = pm_uses_pool(&c_target, module) && loop_has_threads(pm_module_op(module))};
  const c_language c = language();
  c_emitter e;
  c_emitter_init(&e, pm_module_context(module), &c, &program);
  bool ok = pm_check_emittable(module, "c", abi_has_type) && abi_check_names(&e);
  if (ok) emit_file(&e, header_name, out);
  c_emitter_free(&e);
  pm_map_free(program.called);
  pm_map_free(program.vector_names);
  pm_buf_free(&program.vectors);
  pm_buf_free(&program.functions);
  return ok;
}

/* --- the row --- */

static const pm_target_form forms[] = {{&builtin_module, PM_FORM_SCALAR},
                                       {&loop_func, PM_FORM_SCALAR},
                                       {&loop_param, PM_FORM_SCALAR},
                                       {&loop_call, PM_FORM_SCALAR},
                                       {&buf_argument, PM_FORM_SCALAR},
                                       {&loop_require, PM_FORM_SCALAR},
                                       {&loop_for, PM_FORM_ANY},
                                       {&loop_parallel, PM_FORM_SCALAR},
                                       {&loop_if, PM_FORM_ANY},
                                       {&loop_yield, PM_FORM_ANY},
                                       {&buf_input, PM_FORM_SCALAR},
                                       {&buf_output, PM_FORM_SCALAR},
                                       {&buf_constant, PM_FORM_SCALAR},
                                       {&buf_alloc, PM_FORM_SCALAR},
                                       {&buf_workspace, PM_FORM_SCALAR},
                                       {&buf_store, PM_FORM_SCALAR},
                                       {&buf_atomic, PM_FORM_SCALAR},
                                       {&buf_prefetch, PM_FORM_SCALAR},
                                       {&buf_fence, PM_FORM_SCALAR},
                                       {&vec_store, PM_FORM_VECTOR | PM_FORM_MASK},
                                       {&vec_maskedstore, PM_FORM_VECTOR | PM_FORM_MASK},
                                       {&vec_scatter, PM_FORM_VECTOR | PM_FORM_MASK},
                                       {&vec_maskedscatter, PM_FORM_VECTOR | PM_FORM_MASK},
#define FORM(op, writer) {&op, PM_FORM_SCALAR},
#define CALL(op) {&op, PM_FORM_SCALAR | PM_FORM_VECTOR},
#define FUNCTION(op, helper) {&op, PM_FORM_ANY},
#include "targets/cfamily/forms.def"
#define BINARY(op, ...) {&op, PM_FORM_VECTOR},
#define LOGIC(op, name, native, lane) {&op, PM_FORM_MASK},
#define DIVISION(op, helper) {&op, PM_FORM_VECTOR},
#define VECTOR(op, writer) {&op, PM_FORM_VECTOR},
#define MASK(op, writer) {&op, PM_FORM_MASK},
#include "targets/c/vectors.def"
                                       {NULL, 0}};

static const pm_target_file files[] = {{"c", PM_FILE_SOURCE, true},    {"h", PM_FILE_HEADER, false},
                                       {"o", PM_FILE_COMPILED, true},  {"so", PM_FILE_COMPILED, true},
                                       {"s", PM_FILE_COMPILED, false}, {NULL, PM_FILE_SOURCE, false}};

const pm_target c_target = {
    .name = "c",
    .doc = "one self-contained C11 file with OpenMP pragmas or a pool of threads, and a header",
    .schedule = "schedule",
    .lower = "lower",
    /* clang-format off */
    .finish = PM_STEPS(
      PM_STEP("narrow-integers{all=false}", "C's compilers narrow what has no halves by themselves")
      PM_STEP("lower-memref", "C has pointers")
      PM_STEP("narrow-lookups", "the one index is what is narrowed")
      PM_STEP("list-schedule", "statements keep the order of ops, so it is the last that changes them")
      PM_STEP("place-memory", "memory is one workspace of a call")
      PM_STEP("lower-abi", "what may fail in a call has codes then")),
    /* clang-format on */
    .machine = NULL,
    .has = PM_TARGET_THREADS | PM_TARGET_HEAP | PM_TARGET_STACK | PM_TARGET_THREAD_MEMORY,
    .parallel = "openmp",
    .forms = forms,
    .files = files,
    .emit = c_emit,
    .compile = pm_cc_compile,
    .opens = "so",
    .open = pm_cc_open,
    .close = pm_cc_close,
    .put_versions = pm_cc_put_versions,
};
