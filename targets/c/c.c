/* The target c: one self-contained C11 file and a header. OpenMP is optional. */
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "ir/builtin.h"
#include "targets/c/c.h"
#include "targets/c/c_emit.h"
#include "targets/c/cc.h"
#include "targets/lib/checks.h"

/* --- checks --- */

static bool has_type(pm_scalar scalar) {
  return c_language_of_c.types[scalar];
}

/* Two functions whose symbols give the same identifier cannot be in one file. */
static bool check_names(c_emitter *e) {
  pm_map *seen = pm_map_new();
  bool ok = true;
  PM_FOR_OPS(op, pm_module_body(c_program_of(e)->module)) {
    if (!pm_is(op, &loop_func)) continue;
    const char *name = c_func_name(e, op);
    if (pm_map_has(seen, name))
      ok = pm_op_error(op, "has the name %s in C, which another function has", name);
    pm_map_set(seen, name, NULL);
  }
  pm_map_free(seen);
  return ok;
}

/* --- the file --- */

static void put_guard(pm_buf *out, const char *header_name) {
  pm_buf_puts(out, "PM_");
  for (const char *c = header_name; *c; c++) {
    bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    pm_buf_putc(out, !letter ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
  }
}

static void begin_header(pm_buf *out, const char *header_name, pm_module *module) {
  pm_buf_puts(out, "#ifndef ");
  put_guard(out, header_name);
  pm_buf_puts(out, "\n#define ");
  put_guard(out, header_name);
  pm_buf_puts(out, "\n\n#include <stdbool.h>\n#include <stdint.h>\n");
  if (c_has_buffers(module)) pm_buf_puts(out, "#include <stdlib.h>\n#include <string.h>\n");
  pm_buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
}

static void end_header(pm_buf *out) {
  pm_buf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

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
  if (p->uses_alloc)
    c_put(e, "#if defined(__linux__) && !defined(_DEFAULT_SOURCE)\n#define _DEFAULT_SOURCE\n#endif\n");
  c_put(e, "#include \"%s\"\n\n", header_name);
  if (e->uses_math) c_put(e, "#include <math.h>\n");
  c_put(e, "#include <stddef.h>\n");
  if (p->uses_workspace) c_put(e, "#include <stdatomic.h>\n");
  if (p->uses_alloc) c_put(e, "#include <stdlib.h>\n");
  if (e->uses_copy) c_put(e, "#include <string.h>\n");
  if (p->uses_alloc) c_put(e, "#ifdef __linux__\n#include <sys/mman.h>\n#endif\n");
  if (p->uses_threads || p->uses_thread) c_put(e, "#ifdef _OPENMP\n#include <omp.h>\n#endif\n");
  c_put(e, "\n#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n#endif\n"
           "#ifndef _OPENMP\n#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"\n#endif\n");
  c_emit_vector_functions(e);
  c_put(e, "%s", less_optimization);
  c_emit_system(e);
  c_emit_helpers(e);
  c_emit_vectors(e);
}

/* With what callers outside need. */
static void emit_public(c_emitter *e, const pm_op *func, pm_target_output *out) {
  pm_buf *body = e->out;
  if (!out->entry.len) pm_buf_puts(&out->entry, c_func_name(e, func));
  e->out = &out->header;
  c_prototypes(e, func);
  c_remark_names(e, func);
  e->out = body;
  c_func(e, func);
  c_strerror(e, func, NULL);
}

static void emit_result_func(c_emitter *e, const pm_op *func, pm_target_output *out) {
  pm_buf *body = e->out;
  e->out = &out->header;
  c_result_prototype(e, func);
  e->out = body;
  c_result_func(e, func);
}

static void emit_func(c_emitter *e, const pm_op *func, pm_target_output *out, pm_buf *body) {
  size_t scope = c_open_scope(&e->names);
  c_begin_function(e, func);
  c_find_mask_widths(e, func);
  c_name_arguments(e, func);
  e->out = body;
  if (loop_is_private(func))
    c_func(e, func);
  else if (loop_result_of(func))
    emit_result_func(e, func, out);
  else
    emit_public(e, func, out);
  c_put(e, "\n");
  c_end_function(e);
  c_close_scope(&e->names, scope);
}

static void emit_file(c_emitter *e, const char *header_name, pm_target_output *out) {
  pm_buf body = {0};
  begin_header(&out->header, header_name, c_program_of(e)->module);
  e->out = &body;
  c_find_called(e);
  c_declare_private(e);
  PM_FOR_OPS(op, pm_module_body(c_program_of(e)->module))
  if (c_is_emitted(e, op)) emit_func(e, op, out, &body);
  e->out = &out->header;
  c_buffers(e, c_program_of(e)->module);
  end_header(&out->header);
  e->out = &out->source;
  put_preamble(e, header_name);
  while (body.len && body.data[body.len - 1] == '\n') body.len--;
  pm_buf_put(&out->source, body.data, body.len);
  pm_buf_putc(&out->source, '\n');
  pm_buf_free(&body);
}

static bool c_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  c_program program = {.module = module, .called = pm_map_new(), .vector_names = pm_map_new()};
  c_emitter e;
  c_emitter_init(&e, pm_module_context(module), &c_language_of_c, &program);
  bool ok = pm_check_emittable(module, "c", has_type) && check_names(&e);
  if (ok) emit_file(&e, header_name, out);
  c_emitter_free(&e);
  pm_map_free(program.called);
  pm_map_free(program.vector_names);
  pm_buf_free(&program.vectors);
  return ok;
}

/* --- for other targets --- */

static void declare(c_emitter *e, const pm_op *func, pm_target_output *out,
                    void (*more)(c_emitter *e, const pm_op *func)) {
  size_t scope = c_open_scope(&e->names);
  c_begin_function(e, func);
  c_name_arguments(e, func);
  if (loop_result_of(func)) {
    c_result_prototype(e, func);
  } else {
    if (!out->entry.len) pm_buf_puts(&out->entry, c_func_name(e, func));
    c_prototypes(e, func);
    if (more) more(e, func);
    c_remark_names(e, func);
  }
  c_end_function(e);
  c_close_scope(&e->names, scope);
}

bool c_declare_functions(pm_module *module, const char *header_name, pm_target_output *out,
                         void (*more)(c_emitter *e, const pm_op *func)) {
  c_program program = {.module = module, .called = pm_map_new(), .vector_names = pm_map_new()};
  c_emitter e;
  c_emitter_init(&e, pm_module_context(module), &c_language_of_c, &program);
  e.out = &out->header;
  bool ok = check_names(&e);
  if (ok) begin_header(&out->header, header_name, module);
  PM_FOR_OPS(op, pm_module_body(module))
  if (ok && pm_is(op, &loop_func) && !loop_is_private(op)) declare(&e, op, out, more);
  if (ok) c_buffers(&e, module);
  if (ok) end_header(&out->header);
  c_emitter_free(&e);
  pm_map_free(program.called);
  pm_map_free(program.vector_names);
  return ok;
}

const char *c_symbol_of(const pm_op *func) {
  c_program program = {0};
  c_emitter e;
  c_emitter_init(&e, pm_op_context(func), &c_language_of_c, &program);
  const char *name = c_func_name(&e, func);
  c_emitter_free(&e);
  return name;
}

/* --- the row --- */

static const char *const types[PM_N_SCALARS] = {
    [PM_I1] = "bool",      [PM_I8] = "int8_t",  [PM_I16] = "int16_t",  [PM_I32] = "int32_t",
    [PM_I64] = "int64_t",  [PM_U8] = "uint8_t", [PM_U16] = "uint16_t", [PM_U32] = "uint32_t",
    [PM_U64] = "uint64_t", [PM_F32] = "float",  [PM_F64] = "double",   [PM_INDEX] = "int64_t",
};

static const char *const least[PM_N_SCALARS] = {
    [PM_I1] = "0",          [PM_I8] = "INT8_MIN",
    [PM_I16] = "INT16_MIN", [PM_I32] = "INT32_MIN",
    [PM_I64] = "INT64_MIN", [PM_U8] = "0",
    [PM_U16] = "0",         [PM_U32] = "0",
    [PM_U64] = "0",         [PM_INDEX] = "INT64_MIN",
};

static const char *const greatest[PM_N_SCALARS] = {
    [PM_I1] = "1",           [PM_I8] = "INT8_MAX",     [PM_I16] = "INT16_MAX",  [PM_I32] = "INT32_MAX",
    [PM_I64] = "INT64_MAX",  [PM_U8] = "UINT8_MAX",    [PM_U16] = "UINT16_MAX", [PM_U32] = "UINT32_MAX",
    [PM_U64] = "UINT64_MAX", [PM_INDEX] = "INT64_MAX",
};

const c_language c_language_of_c = {
    .words = &c_words_of_c,
    .types = types,
    .least = least,
    .greatest = greatest,
    .long_number = "INT64_C(%)",
    .unsigned_long_number = "UINT64_C(%)",
    .from_single = "(double)",
    .function = "static inline",
    .constant = "static const",
    .single_math = true,
    .statements = c_statements_of_c,
    .vector_op = c_vector_op,
    .vector_constant = c_vector_constant,
    .vector_type = c_vector_type,
    .vector_as = c_vector_as,
    .threads = c_use_threads,
    .thread = c_use_thread,
    .before_loop = c_before_loop,
    .streaming = c_streaming,
    .end_region = c_free_region,
};

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
    .doc = "one self-contained C11 file with OpenMP pragmas, and a header",
    .schedule = "schedule",
    .lower = "lower",
    .finish = "loop.func(narrow-integers{all=false}),lower-memref,loop.func(narrow-lookups),order-ops,"
              "place-memory,lower-abi",
    .machine = NULL,
    .has = PM_TARGET_THREADS | PM_TARGET_HEAP | PM_TARGET_STACK | PM_TARGET_THREAD_MEMORY,
    .forms = forms,
    .files = files,
    .emit = c_emit,
    .compile = c_compile,
    .opens = "so",
    .open = c_open_file,
    .close = c_close_file,
    .put_versions = c_put_versions,
};
