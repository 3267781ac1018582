/* The entry for arrays of any layout, in the header, where all targets with this ABI have it: `f_buffers`
 * takes descriptors, and gives f the arrays that are dense where they are, copies of others. */
#include <stdlib.h>
#include <string.h>

#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "targets/abi/abi.h"

enum { MAX_RANK = 8 };

/* --- what all headers have --- */

extern const char abi_buffer_types[]; /* targets/abi/buffer_types.inc */

/* --- the arguments --- */

static const pm_op_desc *const array_kinds[] = {&buf_input, &buf_output};

abi_arrays abi_arrays_of(const pm_op *func) {
  abi_arrays list = {0};
  for (size_t k = 0; k < PM_COUNT(array_kinds); k++) PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (op->desc == array_kinds[k]) PM_VEC_PUSH(list, op);
  return list;
}

static pm_type type_of(const pm_op *array) {
  return pm_res(array, 0)->type;
}

static bool is_named(const pm_op *op, pm_string name, const char *end) {
  pm_string own = pm_sym_at(op, loop_func_sym);
  return own->len == name->len + strlen(end) && strncmp(own->text, name->text, name->len) == 0 &&
         strcmp(own->text + name->len, end) == 0;
}

const pm_op *abi_companion_of(const pm_op *func, const char *end) {
  PM_FOR_OPS(op, func->region)
  if (pm_is(op, &loop_func) && loop_result_of(op) && is_named(op, pm_sym_at(func, loop_func_sym), end))
    return op;
  return NULL;
}

bool abi_fit_buffers(const abi_arrays *arrays) {
  for (size_t i = 0; i < arrays->len; i++)
    if (type_of(arrays->data[i])->rank > MAX_RANK) return false;
  return true;
}

/* The function beside it that gives the extents of its arrays; NULL: these are not known ahead of a call. */
static const pm_op *extent_of(const pm_op *func) {
  return abi_companion_of(func, "_extent");
}

static bool has_buffers(const pm_op *func) {
  abi_arrays arrays = abi_arrays_of(func);
  bool has = arrays.len > 0 && extent_of(func) && abi_fit_buffers(&arrays);
  PM_VEC_FREE(arrays);
  return has;
}

static bool is_public(const pm_op *op) {
  return pm_is(op, &loop_func) && !loop_is_private(op) && !loop_result_of(op);
}

bool abi_has_buffers(pm_module *module) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (is_public(op) && (has_buffers(op) || abi_has_region(op))) return true;
  return false;
}

/* --- the entry --- */

static void put_parameters(c_emitter *e, const pm_op *func, const abi_arrays *arrays) {
  unsigned n = 0;
  c_put(e, "(");
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param))
    c_put(e, "%s%s %s", n++ ? ", " : "", c_type_name(e, pm_res(op, 0)->type),
          c_var_of(e, pm_res(op, 0))->name);
  for (size_t i = 0; i < arrays->len; i++)
    c_put(e, "%sconst pm_buffer *%s", n++ ? ", " : "", c_var_of(e, pm_res(arrays->data[i], 0))->name);
  c_put(e, ")");
}

/* `R, C, ` */
static void put_scalars(c_emitter *e, const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param)) c_put(e, "%s, ", c_var_of(e, pm_res(op, 0))->name);
}

void abi_put_row(c_emitter *e, const pm_op *array) {
  pm_type type = type_of(array);
  c_put(e, "{PM_TYPE_");
  for (const char *c = pm_get_scalar_info((pm_scalar)type->scalar)->name; *c; c++)
    pm_buf_putc(e->out, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
  c_put(e, ", %u, %u, %d, %u}", (unsigned)type->rank, (unsigned)pm_scalar_bytes((pm_scalar)type->scalar),
        pm_is(array, &buf_input), buf_pixel_of(array));
}

static void put_rows(c_emitter *e, const abi_arrays *arrays) {
  for (size_t i = 0; i < arrays->len; i++) {
    c_put(e, "%s", i ? ", " : "");
    abi_put_row(e, arrays->data[i]);
  }
}

typedef struct local_names {
  const char *rows, *buffers, *extents, *data, *copies, *status, *a, *d;
} local_names;

const char *abi_local(c_emitter *e, const char *wanted) {
  return c_new_name(&e->names, pm_str_of(wanted));
}

static void put_call(c_emitter *e, const pm_op *func, const abi_arrays *arrays, const local_names *n) {
  c_begin(e);
  c_put(e, "if (%s == 0) %s = %s(", n->status, n->status, abi_func_name(e, func));
  put_scalars(e, func);
  for (size_t i = 0; i < arrays->len; i++)
    c_put(e, "%s(%s%s *)%s[%zu]", i ? ", " : "", pm_is(arrays->data[i], &buf_input) ? "const " : "",
          c_type_name(e, pm_elem_type(type_of(arrays->data[i]))), n->data, i);
  c_put(e, ");");
  c_end(e);
}

static void put_body(c_emitter *e, const pm_op *func, const abi_arrays *arrays) {
  local_names n = {abi_local(e, "pm_rows"), abi_local(e, "pm_buffers"), abi_local(e, "pm_extents"),
                   abi_local(e, "pm_data"), abi_local(e, "pm_copies"),  abi_local(e, "pm_status"),
                   abi_local(e, "pm_a"),    abi_local(e, "pm_d")};
  size_t n_arrays = arrays->len;
  c_begin(e);
  c_put(e, "static const int32_t %s[%zu][5] = {", n.rows, n_arrays);
  put_rows(e, arrays);
  c_put(e, "};");
  c_end(e);
  c_begin(e);
  c_put(e, "const pm_buffer *const %s[%zu] = {", n.buffers, n_arrays);
  for (size_t i = 0; i < n_arrays; i++)
    c_put(e, "%s%s", i ? ", " : "", c_var_of(e, pm_res(arrays->data[i], 0))->name);
  c_put(e, "};");
  c_end(e);
  c_line(e, "int64_t %s[%zu][8];", n.extents, n_arrays);
  c_line(e, "void *%s[%zu] = {0}, *%s[%zu] = {0};", n.data, n_arrays, n.copies, n_arrays);
  c_line(e, "int %s = 0;", n.status);
  c_line(e, "for (int32_t %s = 0; %s < %zu && %s == 0; %s++) {", n.a, n.a, n_arrays, n.status, n.a);
  e->indent++;
  c_begin(e);
  c_put(e, "for (int32_t %s = 0; %s < %s[%s][1]; %s++) %s[%s][%s] = %s(", n.d, n.d, n.rows, n.a, n.d,
        n.extents, n.a, n.d, abi_func_name(e, extent_of(func)));
  put_scalars(e, func);
  c_put(e, "%s, %s);", n.a, n.d);
  c_end(e);
  c_begin(e);
  c_put(e, "%s = pm_buffer_begin(%s[%s], %s[%s][0], %s[%s][2], ", n.status, n.buffers, n.a, n.rows, n.a,
        n.rows, n.a);
  c_put(e, "%s[%s][1], %s[%s], %s[%s][3], &%s[%s], &%s[%s]);", n.rows, n.a, n.extents, n.a, n.rows, n.a,
        n.data, n.a, n.copies, n.a);
  c_end(e);
  e->indent--;
  c_line(e, "}");
  put_call(e, func, arrays, &n);
  c_line(e, "for (int32_t %s = 0; %s < %zu; %s++) {", n.a, n.a, n_arrays, n.a);
  e->indent++;
  c_line(e, "if (%s == 0 && %s[%s] != NULL && !%s[%s][3])", n.status, n.copies, n.a, n.rows, n.a);
  e->indent++;
  c_line(e, "pm_buffer_copy(%s[%s], %s[%s], %s[%s][2], (char *)%s[%s], 1);", n.buffers, n.a, n.extents, n.a,
         n.rows, n.a, n.copies, n.a);
  e->indent--;
  c_line(e, "free(%s[%s]);", n.copies, n.a);
  e->indent--;
  c_line(e, "}");
  c_line(e, "return %s;", n.status);
}

static void put_entry(c_emitter *e, const pm_op *func) {
  abi_arrays arrays = abi_arrays_of(func);
  const char *name = abi_func_name(e, func);
  c_put(
      e,
      "/* %s with arrays of any layout: those that are not dense and row-major are copied before and after. "
      "Index\n"
      " * 0 is where an array of %s begins; there may be indices around those that it needs. */\n",
      name, name);
  c_begin(e);
  c_put(e, "PM_BUFFER_ENTRY int %s_buffers", name);
  put_parameters(e, func, &arrays);
  c_end(e);
  c_line(e, "{");
  e->indent++;
  put_body(e, func, &arrays);
  e->indent--;
  c_line(e, "}");
  PM_VEC_FREE(arrays);
}

static bool has_regions(pm_module *module) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (is_public(op) && abi_has_region(op)) return true;
  return false;
}

void abi_buffers(c_emitter *e, pm_module *module) {
  if (!abi_has_buffers(module)) return;
  c_put(e, "\n%s\n", abi_buffer_types);
  if (has_regions(module)) abi_put_window_types(e);
  PM_FOR_OPS(op, pm_module_body(module)) {
    if (!is_public(op) || !(has_buffers(op) || abi_has_region(op))) continue;
    size_t scope = c_open_scope(&e->names);
    c_begin_function(e, op);
    abi_name_arguments(e, op);
    if (abi_has_region(op)) {
      abi_put_region(e, op);
    } else {
      abi_keep_visible(e, op, abi_func_name(e, op));
      abi_keep_visible(e, op, abi_func_name(e, extent_of(op)));
      put_entry(e, op);
    }
    c_end_function(e);
    c_close_scope(&e->names, scope);
  }
}
