/* The functions for callers, in C: they check their arguments, and launch the kernels. What fails is noted in
 * the call, in which everything is done behind that is left out. */
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/scratch.h"
#include "targets/opencl/opencl_emit.h"

static opencl_program *program_of(c_emitter *e) {
  return e->own;
}

static const char *device_array(c_emitter *e, const pm_value *array) {
  return pm_map_get(program_of(e)->arrays, array);
}

/* `pm_cl_array *const img_device = `, and the name is that of the array from now on. */
static void begin_array(c_emitter *e, const pm_value *array) {
  pm_str base = c_array_name(array);
  pm_buf hint = {0};
  pm_buf_printf(&hint, "%.*s_device", (int)base.len, base.ptr);
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  pm_map_set(program_of(e)->arrays, array, (void *)name);
  c_begin(e);
  c_put(e, "pm_cl_array *const %s = ", name);
}

/* --- arrays --- */

/* The extents of an array of a caller, which is dense. */
static void put_bytes(c_emitter *e, const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  unsigned open = 0;
  c_put(e, "pm_cl_bytes(sizeof(%s), %u, ", c_type_name(e, pm_elem_type(type)), type->rank);
  if (!type->rank) c_put(e, "NULL");
  for (unsigned d = 0; d < type->rank; d++) {
    c_put(e, d ? ", " : "(const int64_t[]){");
    if (type->dims[d] == PM_DYNAMIC)
      c_expr(e, pm_arg(op, open++), C_TERNARY);
    else
      c_put(e, "%lld", (long long)type->dims[d]);
  }
  c_put(e, type->rank ? "})" : ")");
}

static void emit_given(c_emitter *e, const pm_op *op) {
  const pm_value *array = pm_res(op, 0);
  begin_array(e, array);
  c_put(e, "pm_cl_add(&pm_call, %s, (void *)%s, ", pm_is(op, &buf_input) ? "PM_CL_INPUT" : "PM_CL_OUTPUT",
        c_var_of(e, array)->name);
  put_bytes(e, op);
  c_put(e, ");");
  c_end(e);
  c_line(e, "if (%s == NULL) goto done;", device_array(e, array));
}

static void emit_alloc(c_emitter *e, const pm_op *op) {
  const pm_value *array = pm_res(op, 0), *bytes = buf_alloc_bytes(op);
  c_comment_location(e, op);
  begin_array(e, array);
  c_var_of(e, array)->name = device_array(e, array);
  c_put(e, "pm_cl_temporary(&pm_call, ");
  if (bytes)
    c_expr(e, bytes, C_TERNARY);
  else
    c_put(e, "INT64_C(%lld)", (long long)loop_constant_alloc_bytes(op));
  c_put(e, ");");
  c_end(e);
}

/* Memory of a loop or condition is given back with it. */
static void end_region(c_emitter *e, const pm_region *region) {
  if (pm_is(region->op, &loop_func)) return;
  PM_FOR_OPS(op, region)
  if (pm_is(op, &buf_alloc)) c_line(e, "pm_cl_drop(%s);", device_array(e, pm_res(op, 0)));
}

static void emit_require(c_emitter *e, const pm_op *op) {
  c_begin(e);
  c_put(e, "if (");
  c_negation(e, pm_arg(op, loop_require_condition), C_ANY);
  c_put(e, ") { pm_cl_fail(&pm_call, %lld); goto done; }", (long long)pm_int_at(op, loop_require_code));
  c_end(e);
}

/* --- launches --- */

static const char *element_of(const c_emitter *e, const pm_value *array) {
  return c_type_name(e, pm_elem_type(array->type));
}

static void put_scalar(c_emitter *e, const pm_value *v) {
  const char *type = pm_is_bool(v->type) ? "unsigned char" : c_type_name(e, v->type);
  c_put(e, "{&(const %s){", type);
  c_expr(e, v, C_TERNARY);
  c_put(e, "}, sizeof(%s), NULL}", type);
}

/* The number of dimensions: those of the groups, and those of their items. */
static unsigned put_ranges(c_emitter *e, const opencl_launch *l) {
  unsigned n = l->n_dims;
  for (unsigned d = n; d < OPENCL_DIMS; d++)
    if (l->items[d] > 1) n = d + 1;
  for (unsigned d = 0; d < n; d++) {
    const pm_op *loop = d < l->n_dims ? l->nest[l->n_dims - 1 - d] : NULL;
    c_put(e, d ? ", {" : "{");
    if (loop) {
      c_expr(e, pm_arg(loop, 0), C_TERNARY);
      c_put(e, ", ");
      c_expr(e, pm_arg(loop, 1), C_TERNARY);
      c_put(e, ", %lld, %u}", (long long)pm_int_at(loop, loop_parallel_step), l->items[d]);
    } else {
      c_put(e, "0, 1, 1, %u}", l->items[d]);
    }
  }
  return n;
}

static unsigned put_arguments(c_emitter *e, const opencl_launch *l) {
  unsigned n = 0;
  for (; n < l->n_dims; n++) {
    if (n) c_put(e, ", ");
    put_scalar(e, pm_arg(l->nest[n], 0));
  }
  for (unsigned i = 0; i < l->call->n_operands; i++) {
    const pm_value *v = pm_arg(l->call, i);
    if (opencl_counter_of(l, i) >= 0) continue;
    c_put(e, ", ");
    if (pm_is_memref(v->type))
      c_put(e, "{NULL, sizeof(%s), %s}", element_of(e, v), device_array(e, v));
    else
      put_scalar(e, v);
    n++;
  }
  return n;
}

static void emit_launch(c_emitter *e, const pm_op *op) {
  const opencl_launch *l = opencl_launch_at(program_of(e), op);
  c_comment_location(e, op);
  c_line(e, "{ /* %s */", opencl_kernel_name(l));
  e->indent++;
  c_begin(e);
  c_put(e, "const pm_cl_range pm_ranges[] = {");
  unsigned n_dims = put_ranges(e, l);
  c_put(e, "};");
  c_end(e);
  c_begin(e);
  c_put(e, "const pm_cl_argument pm_arguments[] = {");
  unsigned n = put_arguments(e, l);
  c_put(e, "};");
  c_end(e);
  c_line(e, "pm_cl_launch(&pm_call, %u, %u, pm_ranges, %u, pm_arguments, %lld);", l->number, n_dims, n,
         (long long)l->spill);
  c_close_block(e);
}

static void emit_nothing(c_emitter *e, const pm_op *op) {
  (void)e;
  (void)op;
}

static const c_statement_row statements[] = {
    {&loop_require, emit_require},
    {&loop_parallel, emit_launch},
    {&buf_input, emit_given},
    {&buf_output, emit_given},
    {&buf_constant, emit_nothing},
    {&buf_alloc, emit_alloc},
    {NULL, NULL},
};

/* --- functions --- */

/* `R >= -32000 && R <= 32000 && …`: the sizes are those of a small call. */
static void put_smallness(c_emitter *e, const pm_op *func) {
  const opencl_program *program = program_of(e);
  bool any = false;
  for (size_t i = 0; i < program->sizes.len; i++) {
    const pm_value *size = program->sizes.data[i].value;
    if (pm_value_region(size) != pm_region_at(func, loop_func_body)) continue;
    const char *name = c_var_of(e, size)->name;
    c_put(e, any ? " && " : "");
    if (pm_get_scalar_info((pm_scalar)size->type->scalar)->is_signed)
      c_put(e, "%s >= -%d && ", name, C_SMALL_SIZE);
    c_put(e, "%s <= %d", name, C_SMALL_SIZE);
    any = true;
  }
  if (!any) c_put(e, "1");
}

void opencl_host_func(c_emitter *e, const pm_op *func) {
  const char *name = c_func_name(e, func);
  c_begin(e);
  c_put(e, "int %s", name);
  c_parameters(e, func, C_DEFINED);
  c_end(e);
  c_line(e, "{");
  e->indent++;
  c_begin(e);
  c_put(e, "pm_cl_call pm_call = {.is_small = ");
  put_smallness(e, func);
  c_put(e, "};");
  c_end(e);
  c_region(e, pm_region_at(func, loop_func_body));
  e->indent--;
  c_line(e, "done:");
  e->indent++;
  c_line(e, "return pm_cl_end(&pm_call);");
  e->indent--;
  c_line(e, "}");
  c_put(e, "\n");
  c_strerror(e, func, "case 6:\ncase 7: return pm_cl.message;");
  c_put(e, "\n");
  c_line(e, "void %s_release(void)", name);
  c_line(e, "{");
  e->indent++;
  c_line(e, "pm_cl_release();");
  e->indent--;
  c_line(e, "}");
}

c_language opencl_host_language(void) {
  c_language host = c_language_of_c;
  host.statements = statements;
  host.before_loop = NULL;
  host.end_region = end_region;
  host.thread = host.threads = NULL;
  return host;
}

void opencl_declare_release(c_emitter *e, const pm_op *func) {
  c_put(e,
        "/* Gives back what calls have left on the device, and the device itself, unless one is running; "
        "it is that of\n * all functions of this file. */\n"
        "void %s_release(void);\n",
        c_func_name(e, func));
}
