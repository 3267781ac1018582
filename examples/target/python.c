/* The target python: each loop.func becomes a function of Python, which takes numbers and flat lists and
 * returns the outputs. It needs nothing but Python, so it shows what a pipeline does, and runs where no
 * compiler is.
 *
 * Numbers are f64, which is Python's float, so that results are those of C. Other types of elements are
 * refused. */
#include <pm/tools/plugin.h>

#include <pm/ir/builtin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- names and values --- */

typedef struct printer {
  pm_buf *out;
  const pm_region *body; /* of the function */
  pm_map *names;         /* value -> its name, interned */
  int n_values, depth;
} printer;

static bool is_reserved(const char *name) {
  static const char *const words[] = {
      "False",    "None",  "True",   "and",     "as",     "assert",   "async",     "await", "class", "def",
      "del",      "elif",  "except", "finally", "from",   "global",   "import",    "in",    "is",    "lambda",
      "nonlocal", "not",   "or",     "pass",    "raise",  "try",      "with",      "yield", "math",  "max",
      "min",      "range", "float",  "abs",     "divide", "quotient", "ValueError"};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (strcmp(words[i], name) == 0) return true;
  return false;
}

/* The name of an op, with underscores behind it until it is free in Python. */
static pm_string python_name(const printer *p, pm_string name) {
  pm_context *ctx = pm_op_context(p->body->op);
  pm_buf text = {0};
  pm_buf_puts(&text, name->text);
  while (is_reserved(text.data) ||
         (strcmp(text.data, name->text) != 0 && pm_lookup_symbol(p->body, pm_get_cstring(ctx, text.data))))
    pm_buf_putc(&text, '_');
  pm_string found = pm_get_cstring(ctx, text.data);
  pm_buf_free(&text);
  return found;
}

/* v1, v2 …: what no argument has. */
static const char *new_name(printer *p, const pm_value *value) {
  pm_context *ctx = pm_op_context(p->body->op);
  pm_buf text = {0};
  do {
    pm_buf_free(&text);
    pm_buf_printf(&text, "v%d", ++p->n_values);
  } while (pm_lookup_symbol(p->body, pm_get_cstring(ctx, text.data)));
  const char *name = pm_get_cstring(ctx, text.data)->text;
  pm_buf_free(&text);
  pm_map_set(p->names, value, (void *)name);
  return name;
}

static void put_number(pm_buf *out, pm_attr number) {
  if (number->cls == PM_ATTR_INT && pm_is_bool(number->t))
    pm_buf_puts(out, number->i ? "True" : "False");
  else if (number->cls == PM_ATTR_INT)
    pm_buf_printf(out, "%lld", (long long)number->i);
  else if (isnan(number->f))
    pm_buf_puts(out, "math.nan");
  else if (isinf(number->f))
    pm_buf_puts(out, number->f < 0 ? "-math.inf" : "math.inf");
  else
    pm_buf_put_double(out, number->f, false);
}

static void put_value(const printer *p, const pm_value *value) {
  pm_attr number = pm_constant_value(value);
  if (number)
    put_number(p->out, number);
  else
    pm_buf_puts(p->out, pm_map_get(p->names, value));
}

static void begin_line(const printer *p) {
  pm_buf_printf(p->out, "%*s", 4 * p->depth, "");
}

/* --- memory --- */

/* Sums and products are all that lower-memref leaves. `operands` are the dimensions of the map, then its
 * symbols. */
static void put_affine(const printer *p, pm_affine_expr e, const pm_use *operands, uint32_t n_dims,
                       bool in_product) {
  bool brackets = in_product && e->kind == PM_AFFINE_ADD;
  if (e->kind == PM_AFFINE_CONST)
    pm_buf_printf(p->out, "%lld", (long long)e->value);
  else if (e->kind == PM_AFFINE_DIM)
    put_value(p, operands[e->value].value);
  else if (e->kind == PM_AFFINE_SYM)
    put_value(p, operands[n_dims + e->value].value);
  else {
    pm_buf_puts(p->out, brackets ? "(" : "");
    put_affine(p, e->lhs, operands, n_dims, e->kind == PM_AFFINE_MUL);
    pm_buf_puts(p->out, e->kind == PM_AFFINE_MUL ? " * " : " + ");
    put_affine(p, e->rhs, operands, n_dims, e->kind == PM_AFFINE_MUL);
    pm_buf_puts(p->out, brackets ? ")" : "");
  }
}

/* The element of a flat list at the place that the map gives. */
static void put_element(const printer *p, const pm_value *buffer, pm_affine_map map, const pm_use *operands) {
  put_value(p, buffer);
  pm_buf_puts(p->out, "[");
  put_affine(p, map->results[0], operands, map->n_dims, false);
  pm_buf_puts(p->out, "]");
}

/* A list for each result; the operands are the open extents of all. */
static void print_lists(printer *p, const pm_op *op) {
  unsigned n_extents = 0;
  for (unsigned i = 0; i < op->n_results; i++) {
    pm_type type = pm_res(op, i)->type;
    begin_line(p);
    pm_buf_printf(p->out, "%s = [0.0]", new_name(p, pm_res(op, i)));
    for (unsigned d = 0; d < type->rank; d++) {
      pm_buf_puts(p->out, " * ");
      if (type->dims[d] == PM_DYNAMIC)
        put_value(p, pm_arg(op, n_extents++));
      else
        pm_buf_printf(p->out, "%lld", (long long)type->dims[d]);
    }
    pm_buf_puts(p->out, "\n");
  }
}

/* --- ops whose result is an expression --- */

/* The op, the type of its result (PM_N_SCALARS: any), and its text with $0, $1 and $2 for the operands. */
#define EXPRESSIONS(X)                                                                                       \
  X(arith_addi, PM_INDEX, "$0 + $1")                                                                         \
  X(arith_subi, PM_INDEX, "$0 - $1")                                                                         \
  X(arith_muli, PM_INDEX, "$0 * $1")                                                                         \
  X(arith_divi, PM_INDEX, "quotient($0, $1)")                                                                \
  X(arith_remi, PM_INDEX, "$0 % abs($1) if $1 else 0")                                                       \
  X(arith_mini, PM_INDEX, "min($0, $1)")                                                                     \
  X(arith_maxi, PM_INDEX, "max($0, $1)")                                                                     \
  X(arith_andi, PM_I1, "$0 and $1")                                                                          \
  X(arith_ori, PM_I1, "$0 or $1")                                                                            \
  X(arith_addf, PM_F64, "$0 + $1")                                                                           \
  X(arith_subf, PM_F64, "$0 - $1")                                                                           \
  X(arith_mulf, PM_F64, "$0 * $1")                                                                           \
  X(arith_divf, PM_F64, "divide($0, $1)")                                                                    \
  X(arith_negf, PM_F64, "-$0")                                                                               \
  X(arith_minf, PM_F64, "$0 if $0 < $1 else $1")                                                             \
  X(arith_maxf, PM_F64, "$1 if $0 < $1 else $0")                                                             \
  X(arith_select, PM_N_SCALARS, "$1 if $0 else $2")                                                          \
  X(math_abs, PM_F64, "abs($0)")                                                                             \
  X(math_sqrt, PM_F64, "math.sqrt($0) if $0 >= 0 else math.nan")

typedef struct expression {
  const pm_op_desc *op;
  pm_scalar scalar;
  const char *text;
} expression;

#define EXPRESSION(op, scalar, text) {&op, scalar, text},
static const expression expressions[] = {EXPRESSIONS(EXPRESSION)};

/* NULL: the op has no row. */
static const expression *find_expression(const pm_op *op) {
  for (size_t i = 0; i < PM_COUNT(expressions); i++)
    if (pm_is(op, expressions[i].op)) return &expressions[i];
  return NULL;
}

static const char prelude[] = "import math\n"
                              "\n"
                              "\n"
                              "def divide(a, b):\n"
                              "    if b:\n"
                              "        return a / b\n"
                              "    return a * math.copysign(math.inf, b) if a else math.nan\n"
                              "\n"
                              "\n"
                              "def quotient(a, b):\n"
                              "    if b == 0:\n"
                              "        return 0\n"
                              "    return a // b if b > 0 else -(a // -b)\n";

static const char *text_of(const pm_op *op) {
  static const char *const compare[] = {"$0 == $1", "$0 != $1", "$0 < $1", "$0 <= $1", "$0 > $1", "$0 >= $1"};
  if (pm_is(op, &arith_cmp)) return compare[arith_cmp_pred(op)];
  if (pm_is(op, &arith_cast)) return pm_is_float(pm_res(op, 0)->type) ? "float($0)" : "$0";
  return find_expression(op)->text;
}

static void print_expression(printer *p, const pm_op *op) {
  begin_line(p);
  pm_buf_printf(p->out, "%s = ", new_name(p, pm_res(op, 0)));
  for (const char *text = text_of(op); *text; text++) {
    if (*text == '$')
      put_value(p, pm_arg(op, (unsigned)(*++text - '0')));
    else
      pm_buf_putc(p->out, *text);
  }
  pm_buf_puts(p->out, "\n");
}

/* --- statements --- */

static void print_body(printer *p, const pm_region *body);

static void print_loop(printer *p, const pm_op *op) {
  const pm_region *body = pm_region_at(op, 0);
  begin_line(p);
  pm_buf_printf(p->out, "for %s in range(", new_name(p, body->args[0]));
  put_value(p, pm_arg(op, 0));
  pm_buf_puts(p->out, ", ");
  put_value(p, pm_arg(op, 1));
  pm_buf_printf(p->out, ", %lld):\n", (long long)pm_attr_named(op, "step")->i);
  print_body(p, body);
}

static void print_if(printer *p, const pm_op *op) {
  begin_line(p);
  pm_buf_puts(p->out, "if ");
  put_value(p, pm_arg(op, loop_if_condition));
  pm_buf_puts(p->out, ":\n");
  print_body(p, pm_region_at(op, loop_if_then));
  if (!pm_region_at(op, loop_if_else)->present) return;
  begin_line(p);
  pm_buf_puts(p->out, "else:\n");
  print_body(p, pm_region_at(op, loop_if_else));
}

static void print_require(printer *p, const pm_op *op) {
  begin_line(p);
  pm_buf_puts(p->out, "if not ");
  put_value(p, pm_arg(op, loop_require_condition));
  pm_buf_puts(p->out, ":\n");
  begin_line(p);
  pm_buf_puts(p->out, "    raise ValueError(");
  pm_print_attr(p->out, pm_attr_at(op, loop_require_message));
  pm_buf_puts(p->out, ")\n");
}

static void print_load(printer *p, const pm_op *op) {
  begin_line(p);
  pm_buf_printf(p->out, "%s = ", new_name(p, pm_res(op, 0)));
  put_element(p, pm_arg(op, buf_load_buffer), pm_attr_at(op, buf_load_map)->map,
              &pm_operands(op)[buf_load_indices]);
  pm_buf_puts(p->out, "\n");
}

static void print_store(printer *p, const pm_op *op) {
  begin_line(p);
  put_element(p, pm_arg(op, buf_store_buffer), pm_attr_at(op, buf_store_map)->map,
              &pm_operands(op)[buf_store_indices]);
  pm_buf_puts(p->out, " = ");
  put_value(p, pm_arg(op, buf_store_value));
  pm_buf_puts(p->out, "\n");
}

static void print_op(printer *p, const pm_op *op) {
  if (pm_is(op, &loop_for) || pm_is(op, &loop_parallel))
    print_loop(p, op);
  else if (pm_is(op, &loop_if))
    print_if(p, op);
  else if (pm_is(op, &loop_require))
    print_require(p, op);
  else if (pm_is(op, &buf_output) || pm_is(op, &buf_alloc))
    print_lists(p, op);
  else if (pm_is(op, &buf_load))
    print_load(p, op);
  else if (pm_is(op, &buf_store))
    print_store(p, op);
  else if (!pm_is(op, &loop_param) && !pm_is(op, &buf_input) && !pm_is(op, &arith_constant))
    print_expression(p, op);
}

static void print_body(printer *p, const pm_region *body) {
  size_t before = p->out->len;
  p->depth++;
  PM_FOR_OPS(op, body) print_op(p, op);
  if (p->out->len == before) pm_buf_printf(p->out, "%*spass\n", 4 * p->depth, "");
  p->depth--;
}

/* --- functions --- */

/* The ops of that kind, in order, with commas between them. */
static void put_list(printer *p, const pm_op_desc *kind, const char **comma) {
  PM_FOR_OPS(op, p->body) {
    if (!pm_is(op, kind)) continue;
    pm_buf_printf(p->out, "%s%s", *comma, (const char *)pm_map_get(p->names, pm_res(op, 0)));
    *comma = ", ";
  }
}

static void name_arguments(printer *p) {
  PM_FOR_OPS(op, p->body)
  if (pm_is(op, &loop_param) || pm_is(op, &buf_input))
    pm_map_set(p->names, pm_res(op, 0), (void *)python_name(p, pm_attr_named(op, "sym")->s)->text);
}

static void print_func(pm_buf *out, pm_op *func) {
  printer p = {.out = out, .body = pm_region_at(func, loop_func_body), .names = pm_map_new()};
  const char *comma = "";
  name_arguments(&p);
  pm_buf_printf(out, "\n\ndef %s(", python_name(&p, pm_sym_at(func, loop_func_sym))->text);
  put_list(&p, &loop_param, &comma);
  put_list(&p, &buf_input, &comma);
  pm_buf_puts(out, "):\n");
  p.depth = 1;
  PM_FOR_OPS(op, p.body) print_op(&p, op);
  pm_buf_puts(out, "    return ");
  comma = "";
  put_list(&p, &buf_output, &comma);
  pm_buf_puts(out, "\n");
  pm_map_free(p.names);
}

/* --- what is refused --- */

static bool lacks(const pm_op *op, pm_type type) {
  return pm_op_error(op, "has the type %pT, which the target 'python' lacks", (const void *)type);
}

/* Python's integers have no width: they serve as indices, and as parameters, which are converted to indices.
 */
static bool check_type(const pm_op *op, pm_type type) {
  const expression *e = find_expression(op);
  pm_scalar scalar = (pm_scalar)type->scalar;
  if (pm_is_memref(type)) return (scalar == PM_F64 && !type->strides) || lacks(op, type);
  if (e && e->scalar != PM_N_SCALARS) return scalar == e->scalar || lacks(op, type);
  if (pm_is(op, &loop_param) && scalar == PM_I32) return true;
  return scalar == PM_F64 || scalar == PM_INDEX || scalar == PM_I1 || lacks(op, type);
}

static pm_walk check_op(void *user, pm_op *op) {
  (void)user;
  bool ok = true;
  for (unsigned i = 0; i < op->n_results && ok; i++) ok = check_type(op, pm_res(op, i)->type);
  if (ok && op->n_regions && op->n_results)
    ok = pm_op_error(op, "carries values, which the target 'python' lacks");
  if (ok && pm_is(op, &arith_cast) && pm_is_float(pm_arg(op, 0)->type) && !pm_is_float(pm_res(op, 0)->type))
    ok = pm_op_error(op, "makes an integer of a float, which the target 'python' lacks");
  return ok ? PM_WALK_ON : PM_WALK_STOP;
}

/* --- the target --- */

static bool python_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  (void)header_name;
  if (!pm_walk_pre(pm_module_op(module), check_op, NULL)) return false;
  pm_buf_puts(&out->source, prelude);
  PM_FOR_OPS(func, pm_module_body(module)) print_func(&out->source, func);
  return true;
}

#define FORM(op, scalar, text) {&op, PM_FORM_SCALAR},
static const pm_target_form forms[] = {EXPRESSIONS(FORM){&arith_constant, PM_FORM_SCALAR},
                                       {&arith_cmp, PM_FORM_SCALAR},
                                       {&arith_cast, PM_FORM_SCALAR},
                                       {&builtin_module, PM_FORM_SCALAR},
                                       {&loop_func, PM_FORM_SCALAR},
                                       {&loop_param, PM_FORM_SCALAR},
                                       {&loop_require, PM_FORM_SCALAR},
                                       {&loop_for, PM_FORM_SCALAR},
                                       {&loop_parallel, PM_FORM_SCALAR},
                                       {&loop_if, PM_FORM_SCALAR},
                                       {&buf_input, PM_FORM_SCALAR},
                                       {&buf_output, PM_FORM_SCALAR},
                                       {&buf_alloc, PM_FORM_SCALAR},
                                       {&buf_load, PM_FORM_SCALAR},
                                       {&buf_store, PM_FORM_SCALAR},
                                       {NULL, 0}};

static const pm_target_file files[] = {{"py", PM_FILE_SOURCE, false}, {NULL, PM_FILE_SOURCE, false}};

/* Each stage in a list of its own, one after the other: nothing is fused, tiled or padded. */
static const pm_target python = {
    .name = "python",
    .doc = "functions of Python, on flat lists",
    .schedule =
        "stage.pipeline(check-bounds,expand-boundaries,infer-domains,align-scale,group{strategy=none},"
        "tile{sizes= own=false},storage{row-align=1},expand-statements,verify-schedule)",
    .lower = "lower-poly,dispatch-versions,canonicalize,cse,licm,dce",
    .finish = "lower-memref",
    .has = PM_TARGET_HEAP | PM_TARGET_STACK,
    .forms = forms,
    .files = files,
    .emit = python_emit,
};

static void register_python(pm_context *ctx) {
  if (!pm_register_target(ctx, &python)) return;
}

PM_PLUGIN("python", register_python)
