/* The functions for callers, in C: they check their arguments, and launch the kernels. What fails is noted in
 * the call, in which everything is done behind that is left out. */
#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "targets/opencl/opencl_emit.h"

#define QUEUE_PARAMETER "struct _cl_command_queue *pm_queue"

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
  if (pm_is(op, &buf_alloc)) c_line(e, "pm_cl_drop(&pm_call, %s);", device_array(e, pm_res(op, 0)));
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

static const c_statement_row statements[] = {
    {&loop_require, emit_require},
    {&loop_parallel, emit_launch},
    {&buf_input, emit_given},
    {&buf_output, emit_given},
    {&buf_constant, c_no_statement},
    {&buf_alloc, emit_alloc},
    {NULL, NULL},
};

/* --- functions --- */

enum { ON_HOST, ON_DEVICE };

static void put_parameter(c_emitter *e, const pm_op *op, int where) {
  const pm_value *v = pm_res(op, 0);
  if (pm_is(op, &loop_param))
    c_put(e, "%s %s", c_type_name(e, v->type), c_var_of(e, v)->name);
  else if (where == ON_DEVICE)
    c_put(e, "struct _cl_mem *%s", c_var_of(e, v)->name);
  else
    c_put(e, "%s%s *%s", pm_is(op, &buf_input) ? "const " : "", c_type_name(e, pm_elem_type(v->type)),
          c_var_of(e, v)->name);
}

/* `(struct _cl_command_queue *queue, int32_t R, struct _cl_mem *img)`, where this is `first`. */
static void put_parameters(c_emitter *e, const pm_op *func, const char *first, int where) {
  c_put(e, "(%s", first);
  ABI_FOR_ARGUMENTS(op, func) {
    c_put(e, ", ");
    put_parameter(e, op, where);
  }
  c_put(e, ")");
}

/* Arrays of the device go by as pointers, which nobody follows. */
static void put_device_arguments(c_emitter *e, const pm_op *func) {
  ABI_FOR_ARGUMENTS(op, func) {
    const pm_value *v = pm_res(op, 0);
    c_put(e, ", ");
    if (!pm_is(op, &loop_param))
      c_put(e, "(%s%s *)", pm_is(op, &buf_input) ? "const " : "", c_type_name(e, pm_elem_type(v->type)));
    c_put(e, "%s", c_var_of(e, v)->name);
  }
}

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

/* What both ways to call it have in common. */
static void put_run(c_emitter *e, const pm_op *func, const char *name) {
  c_begin(e);
  c_put(e, "static int pm_run_%s", name);
  put_parameters(e, func, "pm_cl_call pm_call", ON_HOST);
  c_end(e);
  c_line(e, "{");
  e->indent++;
  c_begin(e);
  c_put(e, "pm_call.is_small = ");
  put_smallness(e, func);
  c_put(e, ";");
  c_end(e);
  c_region(e, pm_region_at(func, loop_func_body));
  e->indent--;
  c_line(e, "done:");
  e->indent++;
  c_line(e, "return pm_cl_end(&pm_call);");
  e->indent--;
  c_line(e, "}");
  c_put(e, "\n");
}

static void put_entries(c_emitter *e, const pm_op *func, const char *name) {
  abi_forward(e, func, "pm_run_", "((pm_cl_call){0}");
  c_put(e, "\n");
  c_begin(e);
  c_put(e, "int %s_device", name);
  put_parameters(e, func, QUEUE_PARAMETER, ON_DEVICE);
  c_end(e);
  c_line(e, "{");
  e->indent++;
  c_begin(e);
  c_put(e, "return pm_run_%s((pm_cl_call){.on_device = 1, .queue = pm_queue}", name);
  put_device_arguments(e, func);
  c_put(e, ");");
  c_end(e);
  e->indent--;
  c_line(e, "}");
  c_put(e, "\n");
}

/* What a file has beside each of its functions, so that names of several files differ: the type, what stands
 * behind the name, parameters, the body, and what the header says ahead of it. */
typedef struct companion {
  const char *type, *suffix, *parameters, *body, *doc;
} companion;

static const companion companions[] = {
    {"void ", "_release", "void", "pm_cl_release();",
     "/* Gives back what calls have left on the device, and the device itself, unless one is running; it is "
     "that\n"
     " * of all functions of this file. */\n"},
    {"struct _cl_command_queue *", "_device_queue", "void", "return pm_cl_queue();",
     "/* The queue of this file, for functions of other files. It is there until the release. NULL: it "
     "failed, as\n"
     " * strerror explains for the code 7. */\n"},
    {"struct _cl_mem *", "_device_array", "size_t bytes", "return pm_cl_new_array(bytes);",
     "/* A new array for that queue, which the caller frees; NULL: it failed likewise. */\n"},
    {"void ", "_device_free", "struct _cl_mem *array", "pm_cl_free_array(array);", ""},
    {"int ", "_device_write", "struct _cl_mem *array, const void *from, size_t bytes",
     "return pm_cl_move(array, from, NULL, bytes);",
     "/* From and to memory of the host, behind all that the queue has; these wait until it is done. 0 or an "
     "error\n"
     " * code. */\n"},
    {"int ", "_device_read", "struct _cl_mem *array, void *to, size_t bytes",
     "return pm_cl_move(array, NULL, to, bytes);", ""},
    {"int ", "_device_wait", "void", "return pm_cl_wait();", ""},
    {"int ", "_profile", "int on", "return pm_cl_profile(on);",
     "/* Begins (1) or ends (0) to time the kernels of this file, while callers have neither its queue nor "
     "arrays:\n"
     " * 0, or an error code. Then what kernel `number`, from 0, has taken since; 0 behind the last one. "
     "Where the\n"
     " * queue notes no times they are the host's, and each launch is waited for. */\n"},
    {"int ", "_kernel_times", "int number, pm_kernel_times *times", "return pm_cl_times_of(number, times);",
     ""},
};

void opencl_host_func(c_emitter *e, const pm_op *func) {
  const char *name = abi_func_name(e, func);
  put_run(e, func, name);
  put_entries(e, func, name);
  abi_strerror(e, func, "case 6:\ncase 7: return pm_cl_message;");
  for (size_t i = 0; i < PM_COUNT(companions); i++) {
    const companion *c = &companions[i];
    c_put(e, "\n");
    c_line(e, "%s%s%s(%s)", c->type, name, c->suffix, c->parameters);
    c_line(e, "{");
    e->indent++;
    c_line(e, "%s", c->body);
    e->indent--;
    c_line(e, "}");
  }
}

c_language opencl_host_language(void) {
  c_language host = abi_language;
  host.statements = statements;
  host.end_region = end_region;
  return host;
}

const char opencl_times_type[] =
    "\n#ifndef PM_KERNEL_TIMES\n"
    "#define PM_KERNEL_TIMES\n"
    "/* What all launches of a kernel have taken together: from the call until they were with the device, "
    "there\n"
    " * until they began, and until they ended. `bytes` are those of the arrays that they had. */\n"
    "typedef struct pm_kernel_times {\n"
    "  const char *name;\n"
    "  int64_t launches, bytes;\n"
    "  double queued_seconds, waiting_seconds, seconds;\n"
    "} pm_kernel_times;\n\n"
    "struct _cl_command_queue;\n"
    "struct _cl_mem;\n"
    "#endif\n\n";

static const char device_doc[] =
    " with arrays that are on the device, where they stay: none is copied, and nothing is waited for.\n"
    " * `pm_queue` is the caller's queue of OpenCL (cl_command_queue), which runs commands in order, or "
    "NULL: that\n"
    " * of this file. The arrays (cl_mem) are of its context, dense, as large as those above or larger. "
    "What\n"
    " * functions of several files that are given one queue write, the next ones may read. */\n";

static void declare_device(c_emitter *e, const pm_op *func, const char *name) {
  c_put(e, "%s/* %s%s", opencl_times_type, name, device_doc);
  c_begin(e);
  c_put(e, "int %s_device", name);
  put_parameters(e, func, QUEUE_PARAMETER, ON_DEVICE);
  c_put(e, ";");
  c_end(e);
}

void opencl_declare_device(c_emitter *e, const pm_op *func) {
  const char *name = abi_func_name(e, func);
  declare_device(e, func, name);
  for (size_t i = 0; i < PM_COUNT(companions); i++) {
    const companion *c = &companions[i];
    c_put(e, "%s%s%s%s(%s);\n", c->doc, c->type, name, c->suffix, c->parameters);
  }
}
