/* Vectors. Every operation is a call of a function that is emitted once for each type (c_vector_types.c).
 *
 * A mask (a vector of i1) is a vector of signed integers, 0 or -1; their width is that of what was compared,
 * so that a select needs no conversion, and is converted where another one is needed. */
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "targets/c/c_vector.h"
#include "targets/target.h"

static const char *list_text(c_emitter *e, uint32_t n, bool numbers) {
  pm_buf text = {0};
  for (uint32_t i = 0; i < n; i++)
    if (numbers)
      pm_buf_printf(&text, "%s%u", i ? ", " : "", i);
    else
      pm_buf_printf(&text, "%sx", i ? ", " : "");
  return c_keep_text(e, &text)->text;
}

/* --- operands --- */

static const char *use_splat(c_emitter *e, pm_scalar scalar, uint32_t lanes) {
  static const c_template splat = {"$R", "$e x", "  return ($R){$x};\n", "{0}", "$r = x"};
  const c_shape s = {e, scalar, scalar, scalar, scalar, lanes, 1, list_text(e, lanes, false)};
  return c_define_by_one(&s, "splat", scalar, &splat);
}

static const char *use_conversion(c_emitter *e, pm_scalar from, pm_scalar to, uint32_t lanes) {
  static const c_template cast = {"$R", "$A a", "  return __builtin_convertvector(a, $R);\n", "{0}",
                                  "$r = ($e)$a"};
  const c_shape s = {e, to, from, from, from, lanes, 1, NULL};
  return c_define_by_two(&s, "cast", from, to, &cast);
}

static void put_splat(c_emitter *e, pm_attr constant, pm_scalar scalar, uint32_t lanes) {
  c_put(e, "%s(", use_splat(e, scalar, lanes));
  if (pm_is_bool(constant->t))
    c_put(e, constant->i ? "-1" : "0");
  else
    c_number(e, constant, C_TERNARY);
  c_put(e, ")");
}

void c_put_mask(c_emitter *e, const pm_value *v, pm_scalar want) {
  pm_attr constant = pm_constant_value(v);
  pm_scalar have = c_lane_scalar(e, v);
  if (constant) {
    put_splat(e, constant, want, v->type->lanes);
    return;
  }
  if (have != want) c_put(e, "%s(", use_conversion(e, have, want, v->type->lanes));
  c_expr(e, v, C_TERNARY);
  if (have != want) c_put(e, ")");
}

void c_put_lanes(c_emitter *e, const pm_value *v, pm_scalar want) {
  if (c_is_mask(v))
    c_put_mask(e, v, want);
  else
    c_expr(e, v, C_TERNARY);
}

void c_vector_constant(c_emitter *e, const pm_value *v) {
  put_splat(e, pm_constant_value(v), c_lane_scalar(e, v), v->type->lanes);
}

void c_vector_as(c_emitter *e, const pm_value *v, const pm_value *like) {
  if (c_is_mask(v))
    c_put_mask(e, v, c_lane_scalar(e, like));
  else
    c_expr(e, v, C_ANY);
}

/* --- arithmetic --- */

static c_template binary_function(const char *native, const char *lane) {
  return (c_template){"$A", "$A a, $A b", native, "{0}", lane};
}

typedef struct binary_form {
  const pm_op_desc *desc;
  const char *native, *lane;                   /* of signed integers and floats */
  const char *unsigned_native, *unsigned_lane; /* NULL: the same */
} binary_form;

static const binary_form binaries[] = {
#define BINARY(op, ...) {&op, __VA_ARGS__},
#include "targets/c/vectors.def"
};

static const struct mask_form {
  const pm_op_desc *desc;
  const char *name, *native, *lane;
} mask_forms[] = {
#define LOGIC(op, name, native, lane) {&op, name, native, lane},
#include "targets/c/vectors.def"
};

static const struct division_form {
  const pm_op_desc *desc;
  c_helper helper;
} divisions[] = {
#define DIVISION(op, helper) {&op, helper},
#include "targets/c/vectors.def"
};

static const char *op_word(const pm_op *op) {
  return strchr(op->desc->name, '.') + 1;
}

static c_shape shape_of(c_emitter *e, const pm_op *op) {
  const pm_value *r = pm_res(op, 0), *a = pm_arg(op, 0);
  pm_scalar first = c_lane_scalar(e, a);
  return (c_shape){e, c_lane_scalar(e, r), first, first, first, a->type->lanes, 1, NULL};
}

/* `name(operands…)`, masks with elements `want`. */
static void put_call(c_emitter *e, const char *name, const pm_op *op, pm_scalar want) {
  c_put(e, "%s(", name);
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (i) c_put(e, ", ");
    c_put_lanes(e, pm_arg(op, i), want);
  }
  c_put(e, ")");
}

static void write_logic(c_emitter *e, const pm_op *op, int min) {
  pm_scalar scalar = c_lane_scalar(e, pm_res(op, 0));
  const c_shape s = {e, scalar, scalar, scalar, scalar, pm_res(op, 0)->type->lanes, 1, NULL};
  size_t i = 0;
  (void)min;
  while (mask_forms[i].desc != op->desc) i++;
  const c_template f = binary_function(mask_forms[i].native, mask_forms[i].lane);
  put_call(e, c_define_by_one(&s, mask_forms[i].name, scalar, &f), op, scalar);
}

static void write_binary(c_emitter *e, const pm_op *op, int min) {
  c_shape s = shape_of(e, op);
  const pm_scalar_info *info = pm_get_scalar_info(s.a);
  const binary_form *b = binaries;
  (void)min;
  while (b->desc != op->desc) b++;
  bool other = b->unsigned_native && !info->is_signed && !info->is_float;
  const c_template f =
      binary_function(other ? b->unsigned_native : b->native, other ? b->unsigned_lane : b->lane);
  put_call(e, c_define_by_one(&s, op_word(op), s.a, &f), op, s.a);
}

static void write_negation(c_emitter *e, const pm_op *op, int min) {
  static const c_template negf = {"$A", "$A a", "  return -a;\n", "{0}", "$r = -$a"};
  const c_shape s = shape_of(e, op);
  (void)min;
  put_call(e, c_define_by_one(&s, "negf", s.a, &negf), op, s.a);
}

/* Lane by lane with a function of scalars. */
static void put_lanewise(c_emitter *e, const pm_op *op, const char *scalar_name) {
  static const c_template by_operands[] = {
      {"$A", "$A a", NULL, "{0}", "$r = $x($a)"},
      {"$A", "$A a, $A b", NULL, "{0}", "$r = $x($a, $b)"},
      {"$A", "$A a, $A b, $A c", NULL, "{0}", "$r = $x($a, $b, $c)"},
  };
  c_shape s = shape_of(e, op);
  s.extra = scalar_name;
  put_call(e, c_define_by_one(&s, op_word(op), s.a, &by_operands[op->n_operands - 1]), op, s.a);
}

/* The same of masks, whose lanes are -1 and 0. */
static void put_mask_lanewise(c_emitter *e, const pm_op *op, const char *scalar_name) {
  static const c_template by_operands[] = {
      {"$A", "$A a", NULL, "{0}", "$r = ($t)-$x($a != 0)"},
      {"$A", "$A a, $A b", NULL, "{0}", "$r = ($t)-$x($a != 0, $b != 0)"},
      {"$A", "$A a, $A b, $A c", NULL, "{0}", "$r = ($t)-$x($a != 0, $b != 0, $c != 0)"},
  };
  pm_scalar scalar = c_lane_scalar(e, pm_res(op, 0));
  const c_shape s = {e, scalar, scalar, scalar, scalar, pm_res(op, 0)->type->lanes, 1, scalar_name};
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_mask", op_word(op));
  put_call(e, c_define_by_one(&s, c_keep_text(e, &name)->text, scalar, &by_operands[op->n_operands - 1]), op,
           scalar);
}

static const char *need_scalar_function(c_emitter *e, const pm_op *op, pm_scalar scalar) {
  const char *name = c_scalar_function(e, op, scalar);
  if (!name) pm_panic(op, "the C target has no form for this op on vectors");
  return name;
}

static void write_function(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  put_lanewise(e, op, need_scalar_function(e, op, c_lane_scalar(e, pm_res(op, 0))));
}

static void write_mask_function(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  put_mask_lanewise(e, op, need_scalar_function(e, op, PM_I1));
}

static void write_division(c_emitter *e, const pm_op *op, int min) {
  const struct division_form *form = divisions;
  (void)min;
  while (form->desc != op->desc) form++;
  put_lanewise(e, op, c_use_helper(e, form->helper, c_lane_scalar(e, pm_res(op, 0))));
}

static void write_absolute(c_emitter *e, const pm_op *op, int min) {
  static const c_template abs32 = {"$A", "$A a", "  return ($A)(($M)a & INT32_MAX);\n", "{0}",
                                   "$r = fabsf($a)"};
  static const c_template abs64 = {"$A", "$A a", "  return ($A)(($M)a & INT64_MAX);\n", "{0}",
                                   "$r = fabs($a)"};
  const c_shape s = shape_of(e, op);
  (void)min;
  e->uses_math = true;
  put_call(e, c_define_by_one(&s, "abs", s.a, s.a == PM_F32 ? &abs32 : &abs64), op, s.a);
}

static void write_comparison(c_emitter *e, const pm_op *op, int min) {
  static const char *const text[] = {"==", "!=", "<", "<=", ">", ">="};
  static const c_template numbers = {"$R", "$A a, $A b", "  return ($R)(a $x b);\n", "{0}",
                                     "$r = ($e)-($a $x $b)"};
  static const c_template masks = {"$R", "$A a, $A b", "  return ($R)(($U)a $x ($U)b);\n", "{0}",
                                   "$r = ($e)-(($u)$a $x ($u)$b)"};
  bool mask = c_is_mask(pm_arg(op, 0));
  arith_pred pred = arith_cmp_pred(op);
  c_shape s = shape_of(e, op);
  pm_buf what = {0};
  (void)min;
  s.extra = text[pred];
  s.a = s.b = mask ? s.r : s.a;
  pm_buf_printf(&what, "%s%s", mask ? "mask_" : "", arith_pred_name(pred));
  put_call(e, c_define_by_one(&s, what.data, s.a, mask ? &masks : &numbers), op, s.a);
  pm_buf_free(&what);
}

/* --- choices and conversions --- */

static void write_selection(c_emitter *e, const pm_op *op, int min) {
  static const c_template blend = {"$R", "$A a, $B b, $B c", "  return ($R)((($A)b & a) | (($A)c & ~a));\n",
                                   "{0}", "$r = $a ? $b : $c"};
  const pm_value *condition = pm_arg(op, arith_select_condition);
  pm_scalar scalar = c_lane_scalar(e, pm_res(op, 0));
  if (c_is_vector(condition)) {
    pm_scalar mask = c_mask_scalar(c_bits_of(scalar));
    const c_shape s = {e, scalar, mask, scalar, scalar, condition->type->lanes, 1, NULL};
    c_put(e, "%s(", c_define_by_one(&s, "select", scalar, &blend));
    c_put_mask(e, condition, mask);
    c_put(e, ", ");
    c_put_lanes(e, pm_arg(op, arith_select_a), scalar);
    c_put(e, ", ");
    c_put_lanes(e, pm_arg(op, arith_select_b), scalar);
    c_put(e, ")");
    return;
  }
  bool open = c_open(e, C_TERNARY, min);
  c_expr(e, condition, C_LOGIC_OR);
  c_put(e, " ? ");
  c_put_lanes(e, pm_arg(op, arith_select_a), scalar);
  c_put(e, " : ");
  c_put_lanes(e, pm_arg(op, arith_select_b), scalar);
  c_close(e, open);
}

/* True, and the operand is printed, when the conversion is none. */
static bool put_unconverted(c_emitter *e, const pm_op *op) {
  if (pm_arg(op, 0)->type != pm_res(op, 0)->type) return false;
  c_put_lanes(e, pm_arg(op, 0), c_lane_scalar(e, pm_res(op, 0)));
  return true;
}

static void write_conversion(c_emitter *e, const pm_op *op, int min) {
  static const c_template from_mask = {"$R", "$A a", "  return __builtin_convertvector(a & ($t)1, $R);\n",
                                       "{0}", "$r = ($e)($a != 0)"};
  static const c_template to_mask = {"$R", "$A a", "  return ($R)(a != ($A){0});\n", "{0}",
                                     "$r = ($e)-($a != 0)"};
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  const c_shape s = shape_of(e, op);
  (void)min;
  if (put_unconverted(e, op)) return;
  const char *name = c_is_mask(from) ? c_define_by_two(&s, "number", s.a, s.r, &from_mask)
                     : c_is_mask(to) ? c_define_by_one(&s, "nonzero", s.a, &to_mask)
                                     : use_conversion(e, s.a, s.r, s.lanes);
  put_call(e, name, op, s.a);
}

/* The least (or greatest) number of the integer type, as text in C. */
static void put_limit(pm_buf *out, const pm_scalar_info *info, bool upper) {
  if (!upper && !info->is_signed)
    pm_buf_puts(out, "0");
  else
    pm_buf_printf(out, "%sINT%u_%s", info->is_signed ? "" : "U", info->bits, upper ? "MAX" : "MIN");
}

/* Some numbers of the first type lie below (above) those of the second. */
static bool reaches_below(const pm_scalar_info *from, const pm_scalar_info *to) {
  return from->is_signed && (!to->is_signed || to->bits < from->bits);
}
static bool reaches_above(const pm_scalar_info *from, const pm_scalar_info *to) {
  return from->bits - from->is_signed > to->bits - to->is_signed;
}

/* What happens to lane k where there are no vector extensions. */
static void saturate_lane(pm_buf *out, pm_scalar from, pm_scalar to) {
  const pm_scalar_info *f = pm_get_scalar_info(from), *t = pm_get_scalar_info(to);
  pm_buf_puts(out, "$r = ");
  if (reaches_below(f, t)) {
    pm_buf_puts(out, "$a < ");
    put_limit(out, t, false);
    pm_buf_puts(out, " ? ");
    put_limit(out, t, false);
    pm_buf_puts(out, " : ");
  }
  if (reaches_above(f, t)) {
    pm_buf_puts(out, "$a > ");
    put_limit(out, t, true);
    pm_buf_puts(out, " ? ");
    put_limit(out, t, true);
    pm_buf_puts(out, " : ");
  }
  pm_buf_puts(out, "($e)$a");
}

/* `const $A high = …; a = …`: what is above (below) the limit becomes it. */
static void put_clamp(pm_buf *out, const pm_scalar_info *to, bool upper) {
  const char *name = upper ? "high" : "low";
  pm_buf_printf(out, "  const $A %s = ($A)(a %s ($t)", name, upper ? ">" : "<");
  put_limit(out, to, upper);
  pm_buf_printf(out, ");\n  a = (a & ~%s) | (%s & ($t)", name, name);
  put_limit(out, to, upper);
  pm_buf_puts(out, ");\n");
}

/* a brought between the limits of the result that lie inside its own type, and converted. */
static char *saturation_body(pm_scalar from, pm_scalar to) {
  const pm_scalar_info *f = pm_get_scalar_info(from), *t = pm_get_scalar_info(to);
  pm_buf body = {0};
  if (reaches_below(f, t)) put_clamp(&body, t, false);
  if (reaches_above(f, t)) put_clamp(&body, t, true);
  pm_buf_puts(&body, "  return __builtin_convertvector(a, $R);\n");
  return pm_buf_take(&body);
}

/* Between integers, that are no masks, of different types. */
static const char *use_integer_saturation(const c_shape *s) {
  pm_buf lane = {0};
  char *native = saturation_body(s->a, s->r);
  saturate_lane(&lane, s->a, s->r);
  const c_template f = {"$R", "$A a", native, "{0}", lane.data};
  const char *name = c_define_by_two(s, "sat", s->a, s->r, &f);
  pm_buf_free(&lane);
  free(native);
  return name;
}

static void write_saturation(c_emitter *e, const pm_op *op, int min) {
  static const c_template numbers = {"$R", "$A a", NULL, "{0}", "$r = $x($a)"};
  static const c_template from_mask = {"$R", "$A a", NULL, "{0}", "$r = $x($a != 0)"};
  static const c_template to_mask = {"$R", "$A a", NULL, "{0}", "$r = ($e)-$x($a)"};
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  c_shape s = shape_of(e, op);
  bool mask = c_is_mask(from);
  (void)min;
  if (put_unconverted(e, op)) return;
  if (!mask && !c_is_mask(to) && !pm_is_float(from->type)) {
    put_call(e, use_integer_saturation(&s), op, s.a);
    return;
  }
  s.extra = c_use_saturate(e, mask ? PM_I1 : s.a, c_is_mask(to) ? PM_I1 : s.r);
  const char *name = mask            ? c_define_by_two(&s, "sat_number", s.a, s.r, &from_mask)
                     : c_is_mask(to) ? c_define_by_one(&s, "sat_mask", s.a, &to_mask)
                                     : c_define_by_two(&s, "sat", s.a, s.r, &numbers);
  put_call(e, name, op, s.a);
}

/* Masks have no other type to become. */
static void write_bitcast(c_emitter *e, const pm_op *op, int min) {
  static const c_template bits = {"$R", "$A a", "  return ($R)a;\n",
                                  "  $R r;\n  memcpy(&r, &a, sizeof r);\n  return r;\n", NULL};
  const c_shape s = shape_of(e, op);
  (void)min;
  if (put_unconverted(e, op)) return;
  e->uses_copy = true;
  put_call(e, c_define_by_two(&s, "bits", s.a, s.r, &bits), op, s.a);
}

/* --- lanes --- */

/* A scalar that becomes a lane. */
static void put_element(c_emitter *e, const pm_value *v) {
  bool mask = pm_is_bool(v->type);
  pm_attr constant = pm_constant_value(v);
  if (mask && constant)
    c_put(e, constant->i ? "-1" : "0");
  else {
    if (mask) c_put(e, "-");
    c_expr(e, v, mask ? C_PRIMARY : C_TERNARY);
  }
}

static void write_splat(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  c_put(e, "%s(", use_splat(e, c_lane_scalar(e, pm_res(op, 0)), pm_res(op, 0)->type->lanes));
  put_element(e, pm_arg(op, 0));
  c_put(e, ")");
}

/* A function of as many parameters. gcc inserts bytes faster one by one than in pairs that it joins, but
 * through memory where there is no instruction for it. */
static void write_elements(c_emitter *e, const pm_op *op, int min) {
  pm_scalar scalar = c_lane_scalar(e, pm_res(op, 0));
  pm_buf params = {0}, list = {0}, native = {0};
  bool bytes = c_bits_of(scalar) == 8;
  if (bytes) pm_buf_puts(&native, "#if defined __SSE4_1__ || !defined __SSE2__\n  $R r = {x0};\n");
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_buf_printf(&params, "%s$e x%u", i ? ", " : "", i);
    pm_buf_printf(&list, "%sx%u", i ? ", " : "", i);
    if (bytes && i) pm_buf_printf(&native, "  r[%u] = x%u;\n", i, i);
  }
  if (bytes) pm_buf_puts(&native, "  return r;\n#else\n");
  pm_buf_printf(&native, "  return ($R){$x};\n%s", bytes ? "#endif\n" : "");
  const c_template elements = {"$R", c_keep_text(e, &params)->text, c_keep_text(e, &native)->text,
                               "  return ($R){{$x}};\n", NULL};
  const c_shape s = {e, scalar, scalar, scalar, scalar, op->n_operands, 1, c_keep_text(e, &list)->text};
  (void)min;
  c_put(e, "%s(", c_define_by_one(&s, "elements", scalar, &elements));
  for (unsigned i = 0; i < op->n_operands; i++) {
    c_put(e, "%s", i ? ", " : "");
    put_element(e, pm_arg(op, i));
  }
  c_put(e, ")");
}

static void write_step(c_emitter *e, const pm_op *op, int min) {
  static const c_template step = {"$R", "void", "  return ($R){$x};\n", "{0}", "$r = ($e)k"};
  pm_scalar scalar = c_lane_scalar(e, pm_res(op, 0));
  uint32_t lanes = pm_res(op, 0)->type->lanes;
  const c_shape s = {e, scalar, scalar, scalar, scalar, lanes, 1, list_text(e, lanes, true)};
  (void)min;
  c_put(e, "%s()", c_define_by_one(&s, "step", scalar, &step));
}

static void write_extract(c_emitter *e, const pm_op *op, int min) {
  static const c_template extract = {"$t", "$A a, int k", NULL, "  return $a;\n", NULL};
  static const c_template extract_mask = {"bool", "$A a, int k", NULL, "  return $a != 0;\n", NULL};
  const pm_value *v = pm_arg(op, vec_extract_source);
  pm_scalar scalar = c_lane_scalar(e, v);
  const c_shape s = {e, scalar, scalar, scalar, scalar, v->type->lanes, 1, NULL};
  (void)min;
  c_put(e, "%s(",
        c_define_by_one(&s, c_lane_word(v, "extract", "extract_mask"), scalar,
                        c_is_mask(v) ? &extract_mask : &extract));
  c_put_lanes(e, v, scalar);
  c_put(e, ", %lld)", (long long)pm_int_at(op, vec_extract_lane));
}

static void write_insert(c_emitter *e, const pm_op *op, int min) {
  static const c_template insert = {"$A", "$t x, $A a, int k", NULL, "  $a = x;\n  return a;\n", NULL};
  pm_scalar scalar = c_lane_scalar(e, pm_res(op, 0));
  const c_shape s = {e, scalar, scalar, scalar, scalar, pm_res(op, 0)->type->lanes, 1, NULL};
  (void)min;
  c_put(e, "%s(", c_define_by_one(&s, "insert", scalar, &insert));
  put_element(e, pm_arg(op, vec_insert_source));
  c_put(e, ", ");
  c_put_lanes(e, pm_arg(op, vec_insert_dest), scalar);
  c_put(e, ", %lld)", (long long)pm_int_at(op, vec_insert_lane));
}

/* Joins lane k to r: of integers, of floats, of masks, whose lanes are -1 and 0. */
static const struct reduce_form {
  const char *ints, *floats, *masks;
} reduce_forms[VEC_N_KINDS] = {
    [VEC_REDUCE_ADD] = {"r = ($t)(($W)r + ($W)$a)", "r = r + $a", "r = ($t)(r ^ $a)"},
    [VEC_REDUCE_MUL] = {"r = ($t)(($W)r * ($W)$a)", "r = r * $a", "r = ($t)(r & $a)"},
    [VEC_REDUCE_MIN] = {"r = r < $a ? r : $a", "r = r < $a ? r : $a", "r = ($t)(r & $a)"},
    [VEC_REDUCE_MAX] = {"r = r > $a ? r : $a", "r = r > $a ? r : $a", "r = ($t)(r | $a)"},
    [VEC_REDUCE_AND] = {"r = ($t)(r & $a)", NULL, "r = ($t)(r & $a)"},
    [VEC_REDUCE_OR] = {"r = ($t)(r | $a)", NULL, "r = ($t)(r | $a)"},
};

static void write_reduce(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  const pm_value *v = pm_arg(op, vec_reduce_source);
  const struct reduce_form *form = &reduce_forms[vec_kind_of(op)];
  bool mask = c_is_mask(v);
  const char *join = mask ? form->masks : pm_is_float(v->type) ? form->floats : form->ints;
  pm_scalar scalar = c_lane_scalar(e, v);
  const c_shape s = {e, scalar, scalar, scalar, scalar, v->type->lanes, 1, NULL};
  pm_buf name = {0}, body = {0};
  pm_buf_printf(&name, "reduce_%s%s", pm_sym_at(op, vec_reduce_kind)->text, mask ? "_mask" : "");
  pm_buf_printf(&body, "  int k = 0;\n  $t r = $a;\n  for (k = 1; k < $n; k++) %s;\n  return r%s;\n", join,
                mask ? " != 0" : "");
  const c_template reduce = {mask ? "bool" : "$t", "$A a", NULL, body.data, NULL};
  c_put(e, "%s(", c_define_by_one(&s, c_keep_text(e, &name)->text, scalar, &reduce));
  c_put_lanes(e, v, scalar);
  c_put(e, ")");
  pm_buf_free(&body);
}

static void put_lane_text(pm_buf *out, char vector, uint32_t lanes, int64_t k) {
  pm_buf_printf(out, c_is_native(lanes) ? "PM_LANE(%c, %lld)" : "%c.v[%lld]", vector, (long long)k);
}

/* The body that names every lane. */
static void put_moves(pm_buf *out, const pm_op *op, const char *result) {
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  uint32_t n = pm_arg(op, vec_shuffle_a)->type->lanes, m = pm_arg(op, vec_shuffle_b)->type->lanes;
  pm_buf_printf(out, "  %s r = {0};\n  (void)a;\n  (void)b;\n", result);
  for (uint32_t i = 0; i < lanes->len; i++) {
    int64_t from = lanes->items[i]->i;
    pm_buf_puts(out, "  ");
    put_lane_text(out, 'r', lanes->len, i);
    pm_buf_puts(out, " = ");
    put_lane_text(out, from < n ? 'a' : 'b', from < n ? n : m, from < n ? from : from - n);
    pm_buf_puts(out, ";\n");
  }
  pm_buf_puts(out, "  return r;\n");
}

static void put_shuffle_body(pm_buf *out, const pm_op *op, const char *result) {
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  uint32_t n = pm_arg(op, vec_shuffle_a)->type->lanes;
  bool native = c_is_native(n) && c_is_native(lanes->len) && pm_arg(op, vec_shuffle_b)->type->lanes == n;
  if (native) {
    pm_buf_puts(out, "#ifdef PM_SHUFFLE\n  return __builtin_shufflevector(a, b");
    for (uint32_t i = 0; i < lanes->len; i++) pm_buf_printf(out, ", %lld", (long long)lanes->items[i]->i);
    pm_buf_puts(out, ");\n#else\n");
  }
  put_moves(out, op, result);
  if (native) pm_buf_puts(out, "#endif\n");
}

/* The same shuffle of the same types is one function: `key`, which is no C text, is its meaning. */
static const char *use_shuffle(c_emitter *e, const pm_op *op, const char *a, const char *b, const char *r) {
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  pm_buf text = {0}, key_text = {0}, name_text = {0};
  pm_buf_printf(&key_text, "shuffle %s %s", a, b);
  for (uint32_t i = 0; i < lanes->len; i++) pm_buf_printf(&key_text, " %lld", (long long)lanes->items[i]->i);
  pm_string key = c_keep_text(e, &key_text);
  pm_string known = pm_map_get(c_program_of(e)->vector_names, key);
  if (known) return known->text;
  pm_buf_printf(&name_text, "pm_shuffle%u_%s", c_program_of(e)->shuffles++, r + strlen("pm_"));
  pm_string name = c_keep_text(e, &name_text);
  pm_map_set(c_program_of(e)->vector_names, key, (void *)name);
  pm_buf_printf(&text, "PM_INLINE %s %s(%s a, %s b)\n{\n", r, name->text, a, b);
  put_shuffle_body(&text, op, r);
  pm_buf_printf(&c_program_of(e)->vectors, "%s}\n\n", text.data);
  pm_buf_free(&text);
  return name->text;
}

static void write_shuffle(c_emitter *e, const pm_op *op, int min) {
  const pm_value *a = pm_arg(op, vec_shuffle_a), *b = pm_arg(op, vec_shuffle_b), *r = pm_res(op, 0);
  pm_scalar scalar = c_lane_scalar(e, r);
  const char *a_type = c_use_vector_type(e, scalar, a->type->lanes),
             *b_type = c_use_vector_type(e, scalar, b->type->lanes);
  (void)min;
  put_call(e, use_shuffle(e, op, a_type, b_type, c_use_vector_type(e, scalar, r->type->lanes)), op, scalar);
}

/* --- ops --- */

static void write_access(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  c_vector_access(e, op);
}

static void write_constant(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  c_vector_constant(e, pm_res(op, 0));
}

static const struct vector_form {
  const pm_op_desc *desc;
  unsigned class;
  void (*write)(c_emitter *e, const pm_op *op, int min);
} vector_forms[] = {
#define BINARY(op, ...) {&op, PM_FORM_VECTOR, write_binary},
#define LOGIC(op, name, native, lane) {&op, PM_FORM_MASK, write_logic},
#define DIVISION(op, helper) {&op, PM_FORM_VECTOR, write_division},
#define VECTOR(op, writer) {&op, PM_FORM_VECTOR, write_##writer},
#define MASK(op, writer) {&op, PM_FORM_MASK, write_##writer},
#include "targets/c/vectors.def"
#define CALL(op) {&op, PM_FORM_VECTOR, write_function},
#define FUNCTION(op, helper) {&op, PM_FORM_VECTOR, write_function}, {&op, PM_FORM_MASK, write_mask_function},
#include "targets/cfamily/forms.def"
};

void c_vector_op(c_emitter *e, const pm_op *op, int min) {
  unsigned class = pm_op_class(op);
  for (size_t i = 0; i < PM_COUNT(vector_forms); i++)
    if (vector_forms[i].desc == op->desc && vector_forms[i].class == class) {
      vector_forms[i].write(e, op, min);
      return;
    }
  pm_panic(op, "the C target has no form for this op on vectors");
}
