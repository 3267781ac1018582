/* Functions: signature, checks of arguments, error texts, and their declarations in the header. */
#include <string.h>

#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "targets/c/c_emit.h"

enum { MAX_DOC_SIZE = 24 };

/* That of a function which says something about another one begins with the name of that one in C. */
const char *c_func_name(c_emitter *e, const pm_op *func) {
  pm_string sym = pm_sym_at(func, loop_func_sym), of = pm_sym_at(func, loop_func_of);
  if (!of) return c_function_identifier(&e->names, (pm_str){sym->text, sym->len});
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s", c_function_identifier(&e->names, (pm_str){of->text, of->len}),
                sym->text + of->len);
  pm_string name = pm_get_string(e->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return name->text;
}

static const pm_op_desc *const argument_kinds[] = {&loop_param, &buf_input, &buf_output, &buf_argument};

void c_name_arguments(c_emitter *e, const pm_op *func) {
  for (size_t k = 0; k < PM_COUNT(argument_kinds); k++) PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
      if (op->desc != argument_kinds[k]) continue;
      pm_string sym = op->attrs[0]->s;
      c_var_of(e, pm_res(op, 0))->name = c_new_name(&e->names, (pm_str){sym->text, sym->len});
    }
  if (c_workspace_of(func)) c_name_workspace(e);
}

static void put_parameter(c_emitter *e, const pm_op *op, unsigned kind) {
  const pm_value *v = pm_res(op, 0);
  const char *name = c_var_of(e, v)->name;
  if (pm_is(op, &loop_param)) {
    c_put(e, "%s %s", c_type_name(e, v->type), name);
    return;
  }
  bool read = pm_is(op, &buf_input) || (pm_is(op, &buf_argument) && pm_attr_at(op, buf_argument_read));
  c_put(e, "%s%s *%s%s", read ? "const " : "", c_type_name(e, pm_elem_type(v->type)),
        kind == C_DEFINED ? "restrict " : "", name);
}

void c_parameters(c_emitter *e, const pm_op *func, unsigned kind) {
  const c_workspace *w = &c_program_of(e)->workspace;
  unsigned n = kind & C_WITH_WORKSPACE;
  c_put(e, "(");
  if (n) c_put(e, "void *%s, int64_t %s", w->given, w->bytes);
  kind &= ~(unsigned)C_WITH_WORKSPACE;
  for (size_t k = 0; k < (kind == C_SCALARS_ONLY ? 1 : PM_COUNT(argument_kinds)); k++)
    PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
      if (op->desc != argument_kinds[k]) continue;
      if (n++) c_put(e, ", ");
      put_parameter(e, op, kind);
    }
  c_put(e, n ? ")" : "void)");
}

/* `, R, img` */
static void put_arguments(c_emitter *e, const pm_op *func) {
  for (size_t k = 0; k < PM_COUNT(argument_kinds); k++) PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (op->desc == argument_kinds[k]) c_put(e, ", %s", c_var_of(e, pm_res(op, 0))->name);
}

void c_forward(c_emitter *e, const pm_op *func, const char *before, const char *behind) {
  const char *name = c_func_name(e, func);
  c_begin(e);
  c_put(e, "int %s", name);
  c_parameters(e, func, C_DEFINED);
  c_end(e);
  c_line(e, "{");
  e->indent++;
  c_begin(e);
  c_put(e, "return %s%s%s", before, name, behind);
  put_arguments(e, func);
  c_put(e, ");");
  c_end(e);
  e->indent--;
  c_line(e, "}");
}

static void remark_name(c_emitter *e, const pm_op *op, const char *what, const char *symbol,
                        const char *name) {
  if (strcmp(symbol, name) != 0)
    pm_remark(e->ctx, op->loc, PM_REMARK_ANALYSIS, "c", NULL, 0,
              "the %s %s is named %s: '%s' has a meaning in C already", what, symbol, name, symbol);
}

void c_remark_names(c_emitter *e, const pm_op *func) {
  remark_name(e, func, "function", pm_sym_at(func, loop_func_sym)->text, c_func_name(e, func));
  for (size_t k = 0; k < PM_COUNT(argument_kinds); k++) PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (op->desc == argument_kinds[k])
    remark_name(e, op, "argument", op->attrs[0]->s->text, c_var_of(e, pm_res(op, 0))->name);
}

/* --- the body --- */

/* No warning about scalars that nothing depends on. */
static void discard_unused(c_emitter *e, const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param) && pm_unused(pm_res(op, 0)))
    c_line(e, "(void)%s;", c_var_of(e, pm_res(op, 0))->name);
}

/* The first lines of a body whose floating point is strict. */
static void put_fp_pragma(c_emitter *e, const pm_op *func) {
  pm_string fp = pm_sym_at(func, loop_func_fp);
  if (!fp || strcmp(fp->text, "strict")) return;
  c_put(e, "#ifdef __clang__\n"
           "#pragma STDC FP_CONTRACT OFF\n"
           "#endif\n");
  c_line(e, "/* Floating point is strict: gcc needs -ffp-contract=off, the default with -std=c11. */");
}

void c_func(c_emitter *e, const pm_op *func) {
  const pm_region *body = pm_region_at(func, loop_func_body);
  const pm_op *workspace = c_workspace_of(func);
  if (workspace) c_workspace_before(e, func);
  c_begin(e);
  c_put(e, "%sint %s%s", loop_is_private(func) ? "static " : "", c_func_name(e, func),
        workspace ? "_ws" : "");
  c_parameters(e, func, C_DEFINED | (workspace ? C_WITH_WORKSPACE : 0));
  c_end(e);
  c_line(e, "{");
  e->indent++;
  put_fp_pragma(e, func);
  c_program_of(e)->frame = (c_frame){.region = body};
  if (c_needs_status(func)) c_line(e, "int status = 0;");
  c_frame_begin(e);
  discard_unused(e, func);
  c_region(e, body);
  c_frame_end(e);
  c_line(e, "return %s;", c_program_of(e)->frame.cleans ? "status" : "0");
  e->indent--;
  c_line(e, "}");
  c_put(e, "\n");
  if (workspace) c_workspace_after(e, func);
}

/* --- errors --- */

static void put_requires(c_emitter *e, const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (!pm_is(op, &loop_require) || !pm_attr_at(op, loop_require_message)) continue;
    c_begin(e);
    c_put(e, "case %lld: return \"%s: ", (long long)pm_int_at(op, loop_require_code),
          loop_code_text(LOOP_BAD_ARGUMENT));
    c_string_text(e, pm_sym_at(op, loop_require_message)->text);
    c_put(e, "\";\n");
  }
}

void c_strerror(c_emitter *e, const pm_op *func, const char *rows) {
  c_line(e, "const char *%s_strerror(int code)", c_func_name(e, func));
  c_line(e, "{");
  e->indent++;
  c_line(e, "switch (code) {");
  c_line(e, "case 0: return \"no error\";");
  for (int code = 1; code < LOOP_FIRST_REQUIRE; code++)
    if (loop_code_text(code)) c_line(e, "case %d: return \"%s\";", code, loop_code_text(code));
  if (rows) c_line(e, "%s", rows);
  put_requires(e, func);
  c_line(e, "default: return \"unknown error\";");
  c_line(e, "}");
  e->indent--;
  c_line(e, "}");
}

/* --- the header --- */

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

void c_prototypes(c_emitter *e, const pm_op *func) {
  const char *name = c_func_name(e, func);
  c_put(e, "/* %s\n", name);
  for (size_t k = 0; k < PM_COUNT(argument_kinds); k++) PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (op->desc == argument_kinds[k]) put_argument_doc(e, op);
  put_requires_doc(e, func);
  c_put(e,
        " * Returns 0, or an error code that %s_strerror explains; nothing was written when arguments are "
        "wrong. */\n",
        name);
  c_begin(e);
  c_put(e, "int %s", name);
  c_parameters(e, func, C_DECLARED);
  c_put(e, ";");
  c_end(e);
  c_put(e, "const char *%s_strerror(int code);\n", name);
  if (c_workspace_of(func)) c_workspace_prototypes(e, func);
}

/* --- functions that give a number --- */

static void put_result_signature(c_emitter *e, const pm_op *func, const char *end) {
  c_begin(e);
  c_put(e, "%s %s", c_type_name(e, loop_result_of(func)), c_func_name(e, func));
  c_parameters(e, func, C_SCALARS_ONLY);
  c_put(e, "%s", end);
  c_end(e);
}

void c_result_prototype(c_emitter *e, const pm_op *func) {
  pm_string doc = pm_sym_at(func, loop_func_doc);
  if (doc) {
    c_put(e, "/* ");
    c_comment_text(e, doc->text);
    c_put(e, " */\n");
  }
  put_result_signature(e, func, ";");
}

void c_result_func(c_emitter *e, const pm_op *func) {
  put_result_signature(e, func, "");
  c_line(e, "{");
  e->indent++;
  discard_unused(e, func);
  c_region(e, pm_region_at(func, loop_func_body));
  e->indent--;
  c_line(e, "}");
}
