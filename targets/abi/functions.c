/* Functions: names, arguments, signatures, what explains error codes. */
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "targets/abi/abi.h"

#include <string.h>

const pm_op_desc *const abi_argument_kinds[ABI_N_ARGUMENT_KINDS] = {&loop_param, &buf_input, &buf_output,
                                                                    &buf_argument};

const pm_op *abi_workspace_of(const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &buf_workspace)) return op;
  return NULL;
}

/* --- names --- */

/* That of a function which says something about another one begins with the name of that one in C. */
const char *abi_func_name(c_emitter *e, const pm_op *func) {
  pm_string sym = pm_sym_at(func, loop_func_sym), of = pm_sym_at(func, loop_func_of),
            region = pm_sym_at(func, loop_func_region);
  if (region && strncmp(sym->text, region->text, region->len) == 0) of = region;
  if (!of) return c_function_identifier(&e->names, (pm_str){sym->text, sym->len});
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s", c_function_identifier(&e->names, (pm_str){of->text, of->len}),
                sym->text + of->len);
  pm_string name = pm_get_string(e->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return name->text;
}

const char *abi_symbol_of(const pm_op *func) {
  c_emitter e;
  c_emitter_init(&e, pm_op_context(func), &abi_language, NULL);
  const char *name = abi_func_name(&e, func);
  c_emitter_free(&e);
  return name;
}

bool abi_check_names(c_emitter *e) {
  pm_map *seen = pm_map_new();
  bool ok = true;
  PM_FOR_OPS(op, pm_module_body(abi_program_of(e)->module)) {
    if (!pm_is(op, &loop_func)) continue;
    const char *name = abi_func_name(e, op);
    if (pm_map_has(seen, name))
      ok = pm_op_error(op, "has the name %s in C, which another function has", name);
    pm_map_set(seen, name, NULL);
  }
  pm_map_free(seen);
  return ok;
}

static void name_workspace(c_emitter *e) {
  abi_workspace *w = &abi_program_of(e)->workspace;
  w->given = c_new_name(&e->names, PM_STR("workspace"));
  w->bytes = c_new_name(&e->names, PM_STR("workspace_bytes"));
  w->kept = c_new_name(&e->names, PM_STR("block"));
}

void abi_name_arguments(c_emitter *e, const pm_op *func) {
  ABI_FOR_ARGUMENTS(op, func) {
    pm_string sym = pm_attr_at(op, 0)->s;
    c_var_of(e, pm_res(op, 0))->name = c_new_name(&e->names, (pm_str){sym->text, sym->len});
  }
  if (abi_workspace_of(func)) name_workspace(e);
}

void abi_keep_visible(c_emitter *e, const pm_op *func, const char *name) {
  ABI_FOR_ARGUMENTS(op, func) {
    c_var *v = c_var_of(e, pm_res(op, 0));
    if (strcmp(v->name, name) == 0) v->name = c_new_name(&e->names, pm_str_of(name));
  }
}

/* --- signatures --- */

bool abi_is_read(const pm_op *argument) {
  return pm_is(argument, &buf_input) ||
         (pm_is(argument, &buf_argument) && pm_attr_at(argument, buf_argument_read));
}

static void put_parameter(c_emitter *e, const pm_op *op, unsigned kind) {
  const pm_value *v = pm_res(op, 0);
  const char *name = c_var_of(e, v)->name;
  if (pm_is(op, &loop_param)) {
    c_put(e, "%s %s", c_type_name(e, v->type), name);
    return;
  }
  c_put(e, "%s%s *%s%s", abi_is_read(op) ? "const " : "", c_type_name(e, pm_elem_type(v->type)),
        kind == ABI_DEFINED ? "restrict " : "", name);
}

void abi_parameters(c_emitter *e, const pm_op *func, unsigned kind) {
  const abi_workspace *w = &abi_program_of(e)->workspace;
  unsigned n = kind & ABI_WITH_WORKSPACE;
  c_put(e, "(");
  if (n) c_put(e, "void *%s, int64_t %s", w->given, w->bytes);
  kind &= ~(unsigned)ABI_WITH_WORKSPACE;
  ABI_FOR_ARGUMENTS(op, func) {
    if (kind == ABI_SCALARS_ONLY && !pm_is(op, &loop_param)) continue;
    if (n++) c_put(e, ", ");
    put_parameter(e, op, kind);
  }
  c_put(e, n ? ")" : "void)");
}

/* `, R, img` */
static void put_arguments(c_emitter *e, const pm_op *func) {
  ABI_FOR_ARGUMENTS(op, func)
  c_put(e, ", %s", c_var_of(e, pm_res(op, 0))->name);
}

void abi_forward(c_emitter *e, const pm_op *func, const char *before, const char *behind) {
  const char *name = abi_func_name(e, func);
  c_begin(e);
  c_put(e, "int %s", name);
  abi_parameters(e, func, ABI_DEFINED);
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

void abi_discard_unused(c_emitter *e, const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param) && pm_unused(pm_res(op, 0)))
    c_line(e, "(void)%s;", c_var_of(e, pm_res(op, 0))->name);
}

/* --- errors --- */

const char *abi_require_text(const pm_op *require) {
  if (!pm_attr_at(require, loop_require_message)) return NULL;
  pm_buf text = {0};
  pm_buf_printf(&text, "%s: %s", loop_code_text(LOOP_BAD_ARGUMENT),
                pm_sym_at(require, loop_require_message)->text);
  pm_string kept = pm_get_string(pm_op_context(require), (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return kept->text;
}

static void put_requires(c_emitter *e, const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    const char *text = pm_is(op, &loop_require) ? abi_require_text(op) : NULL;
    if (!text) continue;
    c_begin(e);
    c_put(e, "case %lld: return \"", (long long)pm_int_at(op, loop_require_code));
    c_string_text(e, text);
    c_put(e, "\";\n");
  }
}

void abi_strerror(c_emitter *e, const pm_op *func, const char *rows) {
  c_line(e, "const char *%s_strerror(int code)", abi_func_name(e, func));
  c_line(e, "{");
  e->indent++;
  c_line(e, "switch (code) {");
  c_line(e, "case 0: return \"no error\";");
  for (int code = 1; code < LOOP_FIRST_REQUIRE; code++)
    if (loop_may_give(func, code)) c_line(e, "case %d: return \"%s\";", code, loop_code_text(code));
  if (rows) c_line(e, "%s", rows);
  put_requires(e, func);
  c_line(e, "default: return \"unknown error\";");
  c_line(e, "}");
  e->indent--;
  c_line(e, "}");
}

/* --- functions that give a number --- */

static void put_result_signature(c_emitter *e, const pm_op *func, const char *end) {
  c_begin(e);
  c_put(e, "%s %s", c_type_name(e, loop_result_of(func)), abi_func_name(e, func));
  abi_parameters(e, func, ABI_SCALARS_ONLY);
  c_put(e, "%s", end);
  c_end(e);
}

void abi_result_prototype(c_emitter *e, const pm_op *func) {
  pm_string doc = pm_sym_at(func, loop_func_doc);
  if (doc) {
    c_put(e, "/* ");
    c_comment_text(e, doc->text);
    c_put(e, " */\n");
  }
  put_result_signature(e, func, ";");
}

void abi_result_func(c_emitter *e, const pm_op *func) {
  put_result_signature(e, func, "");
  c_line(e, "{");
  e->indent++;
  abi_discard_unused(e, func);
  c_region(e, pm_region_at(func, loop_func_body));
  e->indent--;
  c_line(e, "}");
}
