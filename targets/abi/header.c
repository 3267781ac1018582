/* The header: prototypes with their comments, and its frame. */
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "targets/abi/abi.h"

#include <string.h>

/* Ops in the text of an extent: a longer one is "(computed)". */
enum { MAX_DOC_SIZE = 24 };

/* --- the frame --- */

static void put_guard(pm_buf *out, const char *header_name) {
  pm_buf_puts(out, "PM_");
  for (const char *c = header_name; *c; c++) {
    bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    pm_buf_putc(out, !letter ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
  }
}

void abi_begin_header(pm_buf *out, const char *header_name, pm_module *module, bool pool) {
  pm_buf_puts(out, "#ifndef ");
  put_guard(out, header_name);
  pm_buf_puts(out, "\n#define ");
  put_guard(out, header_name);
  pm_buf_puts(out, "\n\n#include <stdbool.h>\n#include <stdint.h>\n");
  if (abi_has_buffers(module)) pm_buf_puts(out, "#include <stdlib.h>\n#include <string.h>\n");
  pm_buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  if (pool)
    pm_buf_puts(out,
                "/* Threads that a parallel loop has, of all programs that are linked together: those of\n"
                " * OMP_NUM_THREADS, else one for each processor, unless this says so between calls. */\n"
                "void pm_set_threads(int n);\n\n");
}

void abi_end_header(pm_buf *out) {
  pm_buf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* --- prototypes --- */

/* Ops in the expression of the value when nothing but arguments has a name, at most limit + 1; limit + 1 as
 * well when there is something that is no expression of the arguments. */
static unsigned doc_size(const pm_value *v, unsigned limit) {
  const pm_op *def = pm_def(v);
  unsigned size = 1;
  if (!def || (!pm_has_trait(def, PM_PURE) && !pm_is(def, &loop_param))) return limit + 1;
  for (unsigned i = 0; i < def->n_operands && size <= limit; i++)
    size += doc_size(pm_arg(def, i), limit - size);
  return size;
}

static void put_extents(c_emitter *e, const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  unsigned n = 0;
  e->plain = true;
  for (unsigned k = 0; k < type->rank; k++) {
    c_put(e, "%s", k ? " x " : "");
    if (type->dims[k] != PM_DYNAMIC)
      c_put(e, "%lld", (long long)type->dims[k]);
    else if (doc_size(pm_arg(op, n++), MAX_DOC_SIZE) > MAX_DOC_SIZE)
      c_put(e, "(computed)");
    else
      c_expr(e, pm_arg(op, n - 1), C_PRIMARY);
  }
  e->plain = false;
}

static void put_argument_doc(c_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  const char *name = c_var_of(e, v)->name;
  if (pm_is(op, &loop_param)) {
    c_put(e, " *   %s: scalar", name);
    if (pm_attr_at(op, loop_param_estimate))
      c_put(e, ", estimated as %lld", (long long)pm_int_at(op, loop_param_estimate));
    c_put(e, "\n");
    return;
  }
  c_put(e, " *   %s: ", name);
  put_extents(e, op);
  c_put(e, "%sof %s, row-major, %s", v->type->rank ? " " : "one element ",
        c_type_name(e, pm_elem_type(v->type)),
        pm_is(op, &buf_input) ? "read" : "written; overlaps no other array");
  pm_string stage = pm_is(op, &buf_output) ? pm_sym_at(op, buf_output_stage) : NULL;
  if (stage) {
    c_put(e, "; an element of the tuples of ");
    c_comment_text(e, stage->text);
  }
  c_put(e, "\n");
}

static void put_requires_doc(c_emitter *e, const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (!pm_is(op, &loop_require) || !pm_attr_at(op, loop_require_message)) continue;
    c_put(e, " *   requires ");
    c_comment_text(e, pm_sym_at(op, loop_require_message)->text);
    c_put(e, "\n");
  }
}

static void put_workspace_prototypes(c_emitter *e, const pm_op *func) {
  const char *name = abi_func_name(e, func);
  c_put(e,
        "/* The same with memory of the caller for intermediates: %s bytes, at least those that\n"
        " * %s_scratch_bytes gives, else the call is out of memory. %s itself, or NULL as memory, takes what "
        "a\n"
        " * call before has left, or new memory, and leaves it for the next one. */\n",
        abi_program_of(e)->workspace.bytes, name, name);
  c_begin(e);
  c_put(e, "int %s_ws", name);
  abi_parameters(e, func, ABI_DECLARED | ABI_WITH_WORKSPACE);
  c_put(e, ";");
  c_end(e);
  c_put(e, "/* Gives back the memory that calls of %s have left; others may run. */\n", name);
  c_put(e, "void %s_release(void);\n", name);
}

static void put_prototypes(c_emitter *e, const pm_op *func) {
  const char *name = abi_func_name(e, func);
  c_put(e, "/* %s\n", name);
  ABI_FOR_ARGUMENTS(op, func)
  put_argument_doc(e, op);
  put_requires_doc(e, func);
  c_put(e,
        " * Returns 0, or an error code that %s_strerror explains; nothing was written when arguments are "
        "wrong. */\n",
        name);
  c_begin(e);
  c_put(e, "int %s", name);
  abi_parameters(e, func, ABI_DECLARED);
  c_put(e, ";");
  c_end(e);
  c_put(e, "const char *%s_strerror(int code);\n", name);
  if (abi_workspace_of(func)) put_workspace_prototypes(e, func);
}

static void remark_name(c_emitter *e, const pm_op *op, const char *what, const char *symbol,
                        const char *name) {
  if (strcmp(symbol, name) != 0)
    pm_remark(e->ctx, op->loc, PM_REMARK_ANALYSIS, "c", NULL, 0,
              "the %s %s is named %s: '%s' has a meaning in C already", what, symbol, name, symbol);
}

/* Where names are not symbols. */
static void remark_names(c_emitter *e, const pm_op *func) {
  remark_name(e, func, "function", pm_sym_at(func, loop_func_sym)->text, abi_func_name(e, func));
  ABI_FOR_ARGUMENTS(op, func)

  remark_name(e, op, "argument", pm_attr_at(op, 0)->s->text, c_var_of(e, pm_res(op, 0))->name);
}

/* --- all of it --- */

void abi_declare_function(c_emitter *e, const pm_op *func, pm_target_output *out,
                          void (*more)(c_emitter *e, const pm_op *func)) {
  pm_buf *body = e->out;
  e->out = &out->header;
  if (loop_result_of(func)) {
    abi_result_prototype(e, func);
  } else {
    if (!out->entry.len) pm_buf_puts(&out->entry, abi_func_name(e, func));
    put_prototypes(e, func);
    if (more) more(e, func);
    remark_names(e, func);
  }
  e->out = body;
}

static void declare(c_emitter *e, const pm_op *func, pm_target_output *out,
                    void (*more)(c_emitter *e, const pm_op *func)) {
  size_t scope = c_open_scope(&e->names);
  c_begin_function(e, func);
  abi_name_arguments(e, func);
  abi_declare_function(e, func, out, more);
  c_end_function(e);
  c_close_scope(&e->names, scope);
}

bool abi_declare_functions(pm_module *module, const char *header_name, bool pool, pm_target_output *out,
                           void (*more)(c_emitter *e, const pm_op *func)) {
  abi_program program = {.module = module};
  c_emitter e;
  c_emitter_init(&e, pm_module_context(module), &abi_language, &program);
  e.out = &out->header;
  bool ok = abi_check_names(&e);
  if (ok) abi_begin_header(&out->header, header_name, module, pool);
  PM_FOR_OPS(op, pm_module_body(module))
  if (ok && pm_is(op, &loop_func) && !loop_is_private(op)) declare(&e, op, out, more);
  if (ok) abi_buffers(&e, module);
  if (ok) abi_end_header(&out->header);
  c_emitter_free(&e);
  return ok;
}
