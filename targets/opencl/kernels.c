/* Kernels in OpenCL C 1.2. The counters of the launch come from the number of the group, the iterations of
 * loops of items are distributed over the items of the group.
 */
#include <stdlib.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/items.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "targets/opencl/opencl_emit.h"

/* An argument of a kernel, and the name under which the call gives it. */
typedef struct given_scalar {
  const pm_value *value;
  const char *name;
} given_scalar;

/* The row and the column of an item in a layout. */
typedef struct item_place {
  unsigned rows, columns;
  const char *column, *row; /* variables */
} item_place;

/* One kernel that is printed. */
typedef struct kernel_text {
  const opencl_launch *launch;
  PM_VEC(item_place *) places; /* of the layouts of loops */
  pm_map *placed;              /* loops with a layout -> item_place */
  const char *item;            /* the variable with the item's number, where there are such places */
  const item_place *place;     /* in the loops of items around what is printed, or NULL */
  PM_VEC(given_scalar) given;  /* arguments that become variables of the type of places */
  unsigned free;   /* dimensions of the group that no loop around what is printed deals out: those below */
  int64_t spilled; /* bytes of global memory of a group that have a use */
  bool waits;      /* a barrier has been printed */
} kernel_text;

static kernel_text *text_of(c_emitter *e) {
  return e->own;
}

static unsigned all_items(c_emitter *e) {
  return opencl_group_items(text_of(e)->launch);
}

/* The items along the dimensions [low, high) of a group: in places, of the inner loop or of the outer one. */
static unsigned items_along(c_emitter *e, unsigned low, unsigned high) {
  const item_place *place = text_of(e)->place;
  unsigned items = 1;
  if (place && low < high) return low == 0 ? place->columns : place->rows;
  for (unsigned d = low; d < high; d++) items *= text_of(e)->launch->items[d];
  return items;
}

/* --- types --- */

static const char *const types[PM_N_SCALARS] = {
    [PM_I1] = "bool",   [PM_I8] = "char",   [PM_I16] = "short",  [PM_I32] = "int",
    [PM_I64] = "long",  [PM_U8] = "uchar",  [PM_U16] = "ushort", [PM_U32] = "uint",
    [PM_U64] = "ulong", [PM_F32] = "float", [PM_F64] = "double", [PM_INDEX] = "long",
};

static const char *const least[PM_N_SCALARS] = {
    [PM_I1] = "0",         [PM_I8] = "SCHAR_MIN",   [PM_I16] = "SHRT_MIN", [PM_I32] = "INT_MIN",
    [PM_I64] = "LONG_MIN", [PM_U8] = "0",           [PM_U16] = "0",        [PM_U32] = "0",
    [PM_U64] = "0",        [PM_INDEX] = "LONG_MIN",
};

static const char *const greatest[PM_N_SCALARS] = {
    [PM_I1] = "1",          [PM_I8] = "SCHAR_MAX",   [PM_I16] = "SHRT_MAX",  [PM_I32] = "INT_MAX",
    [PM_I64] = "LONG_MAX",  [PM_U8] = "UCHAR_MAX",   [PM_U16] = "USHRT_MAX", [PM_U32] = "UINT_MAX",
    [PM_U64] = "ULONG_MAX", [PM_INDEX] = "LONG_MAX",
};

/* In memory, and of arguments: there is no bool. */
static const char *memory_type(pm_type type) {
  pm_scalar scalar = (pm_scalar)type->scalar;
  return types[scalar == PM_I1 ? PM_U8 : scalar];
}

/* --- memory --- */

/* An array, or the bytes that several share. */
static pm_str memory_name(const pm_op *alloc) {
  return alloc->n_results > 1 ? PM_STR("pool") : c_array_name(pm_res(alloc, 0));
}

static c_var *memory_of(c_emitter *e, const pm_op *alloc) {
  return alloc->n_results > 1 ? c_pool_of(e, alloc) : c_var_of(e, pm_res(alloc, 0));
}

static const char *element_of(const pm_op *alloc) {
  return alloc->n_results > 1 ? "uchar" : memory_type(pm_res(alloc, 0)->type);
}

/* Memory of its own, in the space. */
static void declare_memory(c_emitter *e, const pm_op *alloc, const char *space) {
  int64_t cells = loop_constant_alloc_bytes(alloc);
  if (alloc->n_results == 1) (void)loop_constant_cells(pm_res(alloc, 0)->type, &cells);
  c_line(e, "%s%s %s[%lld] __attribute__((aligned(64)));", space, element_of(alloc),
         memory_of(e, alloc)->name, (long long)(cells > 0 ? cells : 1));
}

/* The arrays that share the memory. */
static void declare_arrays(c_emitter *e, const pm_op *alloc, const char *space) {
  for (unsigned i = 0; alloc->n_results > 1 && i < alloc->n_results; i++) {
    const pm_value *buffer = pm_res(alloc, i);
    c_line(e, "%s%s *const %s = (%s%s *)%s;", space, memory_type(buffer->type), c_var_of(e, buffer)->name,
           space, memory_type(buffer->type), c_pool_of(e, alloc)->name);
  }
}

static void name_memory(c_emitter *e, const pm_op *alloc) {
  for (unsigned i = 0; i < alloc->n_results; i++)
    c_var_of(e, pm_res(alloc, i))->name = c_new_name(&e->names, c_array_name(pm_res(alloc, i)));
  if (alloc->n_results > 1) c_pool_of(e, alloc)->name = c_new_name(&e->names, memory_name(alloc));
}

/* --- local memory: declared at the beginning of a kernel --- */

static pm_walk name_local(void *user, pm_op *op) {
  if (pm_is(op, &buf_alloc) && !loop_is_in_items(op)) name_memory(user, op);
  return PM_WALK_ON;
}

static pm_walk declare_local(void *user, pm_op *op) {
  if (!pm_is(op, &buf_alloc) || loop_is_in_items(op)) return PM_WALK_ON;
  declare_memory(user, op, "__local ");
  declare_arrays(user, op, "__local ");
  return PM_WALK_ON;
}

/* A part of global memory that is the group's. */
static pm_walk declare_spilled(void *user, pm_op *op) {
  c_emitter *e = user;
  if (!pm_is(op, &buf_alloc) || loop_is_in_items(op)) return PM_WALK_ON;
  c_line(e, "__global %s *PM_RESTRICT const %s = (__global %s *)(pm_spill + pm_group * %lld + %lld);",
         element_of(op), memory_of(e, op)->name, element_of(op), (long long)text_of(e)->launch->spill,
         (long long)text_of(e)->spilled);
  text_of(e)->spilled += opencl_local_bytes(op);
  declare_arrays(e, op, "__global ");
  return PM_WALK_ON;
}

static void declare_locals(c_emitter *e) {
  const opencl_launch *l = text_of(e)->launch;
  (void)pm_walk_pre(l->kernel, name_local, e);
  if (l->spill) c_put(e, "#if PM_LOCAL_BYTES >= %lld\n", (long long)l->spill);
  (void)pm_walk_pre(l->kernel, declare_local, e);
  if (!l->spill) return;
  c_put(e, "#else\n");
  c_line(
      e,
      "const size_t pm_group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * "
      "get_group_id(2));");
  (void)pm_walk_pre(l->kernel, declare_spilled, e);
  c_put(e, "#endif\n");
}

static void emit_alloc(c_emitter *e, const pm_op *op) {
  if (!loop_is_in_items(op)) return;
  name_memory(e, op);
  declare_memory(e, op, "");
  declare_arrays(e, op, "");
}

/* --- items --- */

/* What one item runs has its comment inside of the condition on the item. */
static void emit_barrier(c_emitter *e, const pm_op *op) {
  if (op->next && loop_is_of_items(op->next)) c_comment_location(e, op);
  c_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
  text_of(e)->waits = true;
}

/* `(get_local_id(0) + get_local_id(1) * 32)`: the number of the item along [low, high), as the device counts.
 */
static void put_local_id(c_emitter *e, unsigned low, unsigned high) {
  unsigned items = 1, n = 0;
  for (unsigned d = low; d < high; d++) n += text_of(e)->launch->items[d] > 1;
  const char *before = n > 1 ? "(" : "";
  for (unsigned d = low; d < high; items *= text_of(e)->launch->items[d++]) {
    if (text_of(e)->launch->items[d] == 1) continue;
    c_put(e, "%sget_local_id(%u)", before, d);
    if (items > 1) c_put(e, " * %u", items);
    before = " + ";
  }
  if (n > 1) c_put(e, ")");
}

/* The number of the item among those along [low, high). */
static void put_item(c_emitter *e, unsigned low, unsigned high) {
  const item_place *place = text_of(e)->place;
  if (place)
    c_put(e, "%s", low == 0 ? place->column : place->row);
  else
    put_local_id(e, low, high);
}

static item_place *place_in_layout(c_emitter *e, unsigned rows, unsigned columns) {
  for (size_t i = 0; i < text_of(e)->places.len; i++) {
    item_place *place = text_of(e)->places.data[i];
    if (place->rows == rows && place->columns == columns) return place;
  }
  return NULL;
}

/* `const uint column = item % 18, row = item / 18;` */
static item_place *declare_place(c_emitter *e, unsigned rows, unsigned columns) {
  kernel_text *text = text_of(e);
  if (!text->item) {
    text->item = c_new_name(&e->names, PM_STR("item"));
    c_begin(e);
    c_put(e, "const uint %s = ", text->item);
    put_local_id(e, 0, OPENCL_DIMS);
    c_put(e, ";");
    c_end(e);
  }
  item_place *place = pm_xcalloc(1, sizeof *place);
  *place = (item_place){rows, columns, c_new_name(&e->names, PM_STR("column")),
                        c_new_name(&e->names, PM_STR("row"))};
  c_line(e, "const uint %s = %s %% %u, %s = %s / %u;", place->column, text->item, columns, place->row,
         text->item, columns);
  PM_VEC_PUSH(text->places, place);
  return place;
}

/* Notes the places of the items in a loop with a layout. */
static pm_walk find_place(void *user, pm_op *op) {
  c_emitter *e = user;
  pm_attr layout = pm_is(op, &loop_parallel) ? pm_attr_at(op, loop_parallel_layout) : NULL;
  if (!layout) return PM_WALK_ON;
  unsigned rows = (unsigned)layout->items[0]->i, columns = (unsigned)layout->items[1]->i;
  item_place *place = place_in_layout(e, rows, columns);
  pm_map_set(text_of(e)->placed, op, place ? place : declare_place(e, rows, columns));
  return PM_WALK_ON;
}

static void free_places(kernel_text *text) {
  for (size_t i = 0; i < text->places.len; i++) free(text->places.data[i]);
  PM_VEC_FREE(text->places);
  pm_map_free(text->placed);
}

/* The iterations begin with the number of the item and go on by as many as there are along [low, high). */
static void open_items(c_emitter *e, const pm_op *op, const char *end, unsigned low, unsigned high) {
  int64_t step = pm_int_at(op, loop_parallel_step);
  const pm_value *value = pm_region_at(op, 0)->args[0];
  const char *counter = c_name_value(e, value, "i"), *type = c_value_type(e, value);
  c_begin(e);
  c_put(e, "for (%s %s = ", type, counter);
  c_expr(e, pm_arg(op, 0), C_SUM);
  c_put(e, " + (%s)", type);
  put_item(e, low, high);
  if (step != 1) c_put(e, " * %lld", (long long)step);
  c_put(e, "; %s < ", counter);
  if (end)
    c_put(e, "%s", end);
  else
    c_expr(e, pm_arg(op, 1), C_SUM);
  c_put(e, "; %s += %lld) {", counter, (long long)(step * items_along(e, low, high)));
  c_end(e);
  e->indent++;
}

static void put_items(c_emitter *e, const pm_op *op, unsigned low, unsigned high) {
  if (items_along(e, low, high) == 1) {
    c_sequential(e, op);
    return;
  }
  const char *end = c_declare_bound(e, op);
  size_t scope = c_open_scope(&e->names);
  open_items(e, op, end, low, high);
  c_region(e, pm_region_at(op, 0));
  c_close_block(e);
  c_close_scope(&e->names, scope);
}

/* The loop takes the dimensions that are free and that the loops inside leave. Items beside a layout do
 * nothing. */
static void emit_items(c_emitter *e, const pm_op *op) {
  kernel_text *text = text_of(e);
  unsigned high = text->free, low = loop_item_depth(op) - 1;
  if (low > high) low = high;
  c_comment_location(e, op);
  text->free = low;
  const item_place *place = pm_map_get(text->placed, op);
  unsigned taken = place ? place->rows * place->columns : 0;
  bool some = place && taken < all_items(e);
  if (place) text->place = place;
  if (some) {
    c_line(e, "if (%s < %u) {", text->item, taken);
    e->indent++;
  }
  put_items(e, op, low, high);
  if (some) c_close_block(e);
  if (place) text->place = NULL;
  text->free = high;
}

/* --- what no loop of items deals out --- */

static void emit_vector_store(c_emitter *e, const pm_op *op);

/* The functions of OpenCL C for the cell and the value, by the op that joins them. */
static const struct atomic_function {
  const pm_op_desc *join;
  const char *name;
} atomic_functions[] = {{&arith_addi, "atomic_add"},
                        {&arith_mini, "atomic_min"},
                        {&arith_maxi, "atomic_max"},
                        {&arith_andi, "atomic_and"},
                        {&arith_ori, "atomic_or"}};

/* `atomic_add(&hist[v], 1);` */
static void emit_atomic(c_emitter *e, const pm_op *op) {
  loop_access access;
  unsigned i = 0;
  (void)loop_find_access(op, &access);
  while (atomic_functions[i].join != buf_atomic_join(op)) i++;
  c_comment_location(e, op);
  c_begin(e);
  c_put(e, "%s(&", atomic_functions[i].name);
  c_element(e, &access);
  c_put(e, ", ");
  c_expr(e, pm_arg(op, buf_atomic_value), C_TERNARY);
  c_put(e, ");");
  c_end(e);
}

/* One item along the free dimensions does it, and all of what is inside. */
static void emit_for_one(c_emitter *e, const pm_op *op) {
  unsigned high = text_of(e)->free;
  bool one = items_along(e, 0, high) > 1 && loop_is_for_one(op);
  if (one) {
    c_begin(e);
    c_put(e, "if (");
    put_item(e, 0, high);
    c_put(e, " == 0) {");
    c_end(e);
    e->indent++;
    text_of(e)->free = 0;
  }
  if (pm_is(op, &loop_parallel))
    c_sequential(e, op);
  else if (pm_is(op, &vec_store))
    emit_vector_store(e, op);
  else if (pm_is(op, &buf_atomic))
    emit_atomic(e, op);
  else
    c_usual_statement(e, op);
  if (!one) return;
  text_of(e)->free = high;
  c_close_block(e);
}

static void emit_parallel(c_emitter *e, const pm_op *op) {
  if (loop_is_of_items(op))
    emit_items(e, op);
  else
    emit_for_one(e, op);
}

static pm_walk unnest(void *user, pm_op *op) {
  if (c_is_vector_op(op)) c_plan_of(user, op)->nested = false;
  return PM_WALK_ON;
}

/* --- vectors, which are loaded, stored, and taken apart --- */

static const char *lane_name(int64_t lane) {
  static const char *const names[OPENCL_MOST_LANES] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                                       "s8", "s9", "sa", "sb", "sc", "sd", "se", "sf"};
  return names[lane];
}

static void put_vector_type(c_emitter *e, pm_type type) {
  c_put(e, "%s%u", memory_type(pm_elem_type(type)), type->lanes);
}

/* `float4 v = `. */
static void begin_vector(c_emitter *e, const pm_value *v) {
  const char *name = c_name_value(e, v, "v");
  c_begin(e);
  put_vector_type(e, v->type);
  c_put(e, " %s = ", name);
}

/* The cells as a vector, where they stand at a multiple of its size. */
static void put_aligned(c_emitter *e, const loop_access *access, pm_type type) {
  c_put(e, "*(__global %s", access->reads ? "const " : "");
  put_vector_type(e, type);
  c_put(e, " *)&");
  c_element(e, access);
}

/* Tables have the alignment of their numbers, whatever the op says, and a space of their own. */
static bool is_aligned(const loop_access *access, pm_attr align, pm_type type) {
  bool is_table = pm_is(pm_def(access->buffer), &buf_constant);
  return align && !is_table && align->i >= (int64_t)(type->lanes * pm_element_bytes(pm_elem_type(type)));
}

static void emit_vector_load(c_emitter *e, const pm_op *op) {
  loop_access access;
  pm_type type = pm_res(op, 0)->type;
  (void)loop_find_access(op, &access);
  begin_vector(e, pm_res(op, 0));
  if (is_aligned(&access, pm_attr_at(op, vec_load_align), type)) {
    put_aligned(e, &access, type);
  } else {
    c_put(e, "vload%u(0, &", type->lanes);
    c_element(e, &access);
    c_put(e, ")");
  }
  c_put(e, ";");
  c_end(e);
}

static void emit_vector_store(c_emitter *e, const pm_op *op) {
  loop_access access;
  const pm_value *value = pm_arg(op, vec_store_value);
  (void)loop_find_access(op, &access);
  c_comment_location(e, op);
  c_begin(e);
  if (is_aligned(&access, pm_attr_at(op, vec_store_align), value->type)) {
    put_aligned(e, &access, value->type);
    c_put(e, " = %s;", c_var_of(e, value)->name);
  } else {
    c_put(e, "vstore%u(%s, 0, &", value->type->lanes, c_var_of(e, value)->name);
    c_element(e, &access);
    c_put(e, ");");
  }
  c_end(e);
}

static void begin_elements(c_emitter *e, pm_type type) {
  c_put(e, "(");
  put_vector_type(e, type);
  c_put(e, ")(");
}

static void emit_splat(c_emitter *e, const pm_op *op) {
  begin_vector(e, pm_res(op, 0));
  begin_elements(e, pm_res(op, 0)->type);
  c_expr(e, pm_arg(op, vec_splat_operand), C_TERNARY);
  c_put(e, ");");
  c_end(e);
}

static void emit_elements(c_emitter *e, const pm_op *op) {
  begin_vector(e, pm_res(op, 0));
  begin_elements(e, pm_res(op, 0)->type);
  for (unsigned i = 0; i < op->n_operands; i++) {
    c_put(e, "%s", i ? ", " : "");
    c_expr(e, pm_arg(op, i), C_TERNARY);
  }
  c_put(e, ");");
  c_end(e);
}

static void put_vector_constant(c_emitter *e, const pm_value *v) {
  begin_elements(e, v->type);
  c_number(e, pm_constant_value(v), C_TERNARY);
  c_put(e, ")");
}

static void emit_extract(c_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  const char *from = c_var_of(e, pm_arg(op, vec_extract_source))->name, *name = c_name_value(e, v, "x");
  c_line(e, "const %s %s = %s.%s;", c_value_type(e, v), name, from,
         lane_name(pm_int_at(op, vec_extract_lane)));
}

/* A vector that nothing else uses, of the same region, is changed in place. */
static void emit_insert(c_emitter *e, const pm_op *op) {
  const pm_value *dest = pm_arg(op, vec_insert_dest), *scalar = pm_arg(op, vec_insert_source);
  bool is_made = !pm_is_arg(dest) && !pm_constant_value(dest) && pm_def(dest)->region == op->region;
  if (is_made && pm_has_one_use(dest)) {
    c_var_of(e, pm_res(op, 0))->name = c_var_of(e, dest)->name;
  } else {
    begin_vector(e, pm_res(op, 0));
    c_expr(e, dest, C_ANY);
    c_put(e, ";");
    c_end(e);
  }
  c_begin(e);
  c_put(e, "%s.%s = ", c_var_of(e, pm_res(op, 0))->name, lane_name(pm_int_at(op, vec_insert_lane)));
  c_expr(e, scalar, C_ANY);
  c_put(e, ";");
  c_end(e);
}

/* Functions take vectors under the same names. */
static void emit_call(c_emitter *e, const pm_op *op) {
  if (!c_is_vector_op(op)) {
    c_usual_statement(e, op);
    return;
  }
  pm_type type = pm_res(op, 0)->type;
  begin_vector(e, pm_res(op, 0));
  c_put(e, "%s(", c_scalar_function(e, op, pm_elem_type(type)->scalar));
  for (unsigned i = 0; i < op->n_operands; i++) {
    c_put(e, "%s", i ? ", " : "");
    c_expr(e, pm_arg(op, i), C_TERNARY);
  }
  c_put(e, ");");
  c_end(e);
}

static const c_statement_row statements[] = {
#define FORM(op, writer)
#define CALL(op) {&op, emit_call},
#include "targets/cfamily/forms.def"
    {&loop_parallel, emit_parallel}, {&loop_for, emit_for_one},       {&loop_if, emit_for_one},
    {&buf_alloc, emit_alloc},        {&buf_store, emit_for_one},      {&buf_atomic, emit_for_one},
    {&loop_barrier, emit_barrier},   {&buf_argument, c_no_statement}, {&vec_load, emit_vector_load},
    {&vec_store, emit_for_one},      {&vec_splat, emit_splat},        {&vec_from_elements, emit_elements},
    {&vec_extract, emit_extract},    {&vec_insert, emit_insert},      {NULL, NULL},
};

/* --- names --- */

/* Keywords, types, and the functions and macros of OpenCL C that programs name things after. */
static const char *const reserved[] = {
    "auto",      "break",    "case",      "char",     "const",     "continue",   "default",    "do",
    "double",    "else",     "enum",      "extern",   "float",     "for",        "goto",       "if",
    "inline",    "int",      "long",      "register", "restrict",  "return",     "short",      "signed",
    "sizeof",    "static",   "struct",    "switch",   "typedef",   "typeof",     "union",      "unsigned",
    "void",      "volatile", "while",     "bool",     "half",      "uchar",      "ushort",     "uint",
    "ulong",     "size_t",   "kernel",    "global",   "local",     "constant",   "private",    "generic",
    "pipe",      "complex",  "imaginary", "quad",     "read_only", "write_only", "read_write", "uniform",
    "true",      "false",    "NULL",      "NAN",      "INFINITY",  "MAXFLOAT",   "HUGE_VAL",   "HUGE_VALF",
    "barrier",   "sin",      "cos",       "tan",      "exp",       "log",        "pow",        "sqrt",
    "floor",     "ceil",     "round",     "asin",     "acos",      "atan",       "atan2",      "sinh",
    "cosh",      "tanh",     "asinh",     "acosh",    "atanh",     "trunc",      "rint",       "fma",
    "fabs",      "abs",      "min",       "max",      "clamp",     "mix",        "step",       "sign",
    "dot",       "cross",    "length",    "distance", "normalize", "select",     "shuffle",    "printf",
    "prefetch",  "any",      "all",       "rotate",   "hadd",      "rhadd",      "degrees",    "radians",
    "mem_fence", "asm",      "main",      "this",     "class",     "new",        "delete",     "template",
    NULL};
static const char *const starts[] = {"pm_",   "_",        "M_",    "CL_",        "CLK_",        "cl_",
                                     "as_",   "convert_", "get_",  "native_",    "half_",       "atomic_",
                                     "vload", "vstore",   "image", "read_image", "write_image", NULL};
static const char *const ends[] = {"_t", "_MAX", "_MIN", "_EXT", NULL};
static const c_words words = {.reserved = reserved, .starts = starts, .ends = ends};

static const c_language language = {
    .words = &words,
    .types = types,
    .place = "pm_index",
    .least = least,
    .greatest = greatest,
    .long_number = "%L",
    .unsigned_long_number = "%UL",
    .from_single = "(double)",
    .function = "static",
    .constant = "__constant",
    .bits = "as_",
    .named_arms = true,
    .statements = statements,
    .vector_constant = put_vector_constant,
};

const char *opencl_kernel_name(const opencl_launch *launch) {
  const pm_string sym = pm_sym_at(launch->kernel, loop_func_sym);
  c_names names;
  c_names_init(&names, pm_op_context(launch->kernel), &words);
  const char *name = c_function_identifier(&names, (pm_str){sym->text, sym->len});
  c_names_free(&names);
  return name;
}

/* --- a kernel --- */

/* The name that the call gives 64 bits to; the variable of the type of places has the argument's own. */
static const char *name_given(c_emitter *e, const pm_value *v) {
  pm_buf hint = {0};
  pm_buf_printf(&hint, "%s_given", c_var_of(e, v)->name);
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  PM_VEC_PUSH(text_of(e)->given, ((given_scalar){v, name}));
  return name;
}

static void put_argument(c_emitter *e, const pm_op *argument) {
  const pm_value *v = pm_res(argument, 0);
  pm_string sym = pm_attr_at(argument, 0)->s;
  const char *name = c_var_of(e, v)->name = c_new_name(&e->names, (pm_str){sym->text, sym->len});
  if (c_variable_width(e, v) == C_PLACE) name = name_given(e, v);
  if (pm_is(argument, &loop_param))
    c_put(e, "const %s %s", memory_type(v->type), name);
  else
    c_put(e, "__global %s%s *PM_RESTRICT %s", pm_attr_at(argument, buf_argument_read) ? "const " : "",
          memory_type(v->type), name);
}

/* `long t_first` for each dimension, then what the call gives. */
static void put_arguments(c_emitter *e, const char **first) {
  const opencl_launch *l = text_of(e)->launch;
  unsigned i = 0;
  for (unsigned d = 0; d < l->n_dims; d++) {
    first[d] = c_new_name(&e->names, PM_STR("first"));
    c_put(e, "%sconst long %s", d ? ", " : "", first[d]);
  }
  for (const pm_op *a = loop_first_argument(l->kernel); a; a = loop_next_argument(a), i++) {
    if (opencl_counter_of(l, i) >= 0) continue;
    c_put(e, ", ");
    put_argument(e, a);
  }
  if (l->spill) c_put(e, ", __global uchar *PM_RESTRICT pm_spill");
}

static void declare_given(c_emitter *e) {
  for (size_t i = 0; i < text_of(e)->given.len; i++) {
    given_scalar given = text_of(e)->given.data[i];
    if (c_is_used(e, given.value))
      c_line(e, "const %s %s = %s;", e->language->place, c_var_of(e, given.value)->name, given.name);
  }
}

static void declare_counters(c_emitter *e, const char *const *first) {
  const opencl_launch *l = text_of(e)->launch;
  unsigned i = 0;
  for (const pm_op *a = loop_first_argument(l->kernel); a; a = loop_next_argument(a), i++) {
    int d = opencl_counter_of(l, i);
    if (d < 0) continue;
    pm_string sym = pm_attr_at(a, 0)->s;
    const char *name = c_var_of(e, pm_res(a, 0))->name = c_new_name(&e->names, (pm_str){sym->text, sym->len});
    if (pm_unused(pm_res(a, 0))) continue;
    c_line(e, "const %s %s = %s + (long)get_group_id(%u) * %lld;", c_value_type(e, pm_res(a, 0)), name,
           first[d], l->n_dims - 1 - (unsigned)d, (long long)pm_int_at(l->nest[d], loop_parallel_step));
  }
}

static void put_kernel(c_emitter *e, const opencl_program *program) {
  const opencl_launch *l = text_of(e)->launch;
  const char *first[OPENCL_DIMS];
  size_t scope = c_open_scope(&e->names);
  c_begin_function(e, l->kernel);
  e->small = loop_find_called_ranges(l->kernel, program->sizes.data, program->sizes.len);
  (void)pm_walk_pre(l->kernel, unnest, e);
  c_line(e, "__kernel __attribute__((reqd_work_group_size(%u, %u, %u)))", l->items[0], l->items[1],
         l->items[2]);
  c_begin(e);
  c_put(e, "void %s(", opencl_kernel_name(l));
  put_arguments(e, first);
  c_put(e, ")");
  c_end(e);
  c_line(e, "{");
  e->indent++;
  declare_locals(e);
  declare_given(e);
  declare_counters(e, first);
  text_of(e)->placed = pm_map_new();
  (void)pm_walk_pre(l->kernel, find_place, e);
  c_region(e, pm_region_at(l->kernel, loop_func_body));
  e->indent--;
  c_line(e, "}");
  c_put(e, "\n");
  PM_VEC_FREE(text_of(e)->given);
  free_places(text_of(e));
  c_end_function(e);
  c_close_scope(&e->names, scope);
}

/* --- all of them --- */

static pm_walk stop_at_double(void *user, pm_op *op) {
  (void)user;
  for (unsigned i = 0; i < op->n_results; i++)
    if (pm_res(op, i)->type->scalar == PM_F64) return PM_WALK_STOP;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_arg(op, i)->type->scalar == PM_F64) return PM_WALK_STOP;
  return PM_WALK_ON;
}

static void put_pragmas(const opencl_program *program, pm_buf *out) {
  bool doubles = false;
  for (size_t i = 0; i < program->launches.len; i++)
    doubles |= !pm_walk_pre(program->launches.data[i].kernel, stop_at_double, NULL);
  if (doubles) pm_buf_puts(out, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  if (program->strict) pm_buf_puts(out, "#pragma OPENCL FP_CONTRACT OFF\n");
}

void opencl_put_kernels(opencl_program *program, pm_module *module, pm_buf *out) {
  c_emitter e;
  pm_buf kernels = {0};
  put_pragmas(program, out);
  c_emitter_init(&e, pm_module_context(module), &language, NULL);
  e.out = &kernels;
  for (size_t i = 0; i < program->launches.len; i++) {
    kernel_text text = {.launch = &program->launches.data[i], .free = OPENCL_DIMS};
    e.own = &text;
    put_kernel(&e, program);
    program->waits |= text.waits;
  }
  e.out = out;
  pm_buf_puts(out, "#ifdef PM_SMALL\ntypedef int pm_index;\n#else\ntypedef long pm_index;\n#endif\n\n");
  pm_buf_puts(out, "#ifdef PM_UNSURE\n#define PM_RESTRICT\n#else\n#define PM_RESTRICT restrict\n#endif\n\n");
  c_emit_helpers(&e);
  pm_buf_put(out, kernels.data, kernels.len);
  c_emitter_free(&e);
  pm_buf_free(&kernels);
}
