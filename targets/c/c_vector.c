/* Vectors. Every operation is a call of a function that is emitted once for each type: with the vector
 * extensions of gcc and clang where they are there, and as a loop over the lanes of a struct everywhere else.
 * A vector whose number of lanes is no power of two, or above 256, is always a struct.
 *
 * A mask (a vector of i1) is a vector of signed integers, 0 or -1; their width is that of what was compared,
 * so that a select needs no conversion, and is converted where another one is needed. */
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "targets/c/c_emit.h"
#include "targets/target.h"

enum {
  MEMORY_MASK_BITS = 8, /* of masks that no comparison made */
  MAX_NATIVE_LANES = 256
};

static bool is_vector(const pm_value *v) {
  return v->type->cls == PM_TYPE_VECTOR;
}
static bool is_mask(const pm_value *v) {
  return is_vector(v) && pm_is_bool(v->type);
}

bool c_is_vector_op(const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (is_vector(pm_arg(op, i))) return true;
  return op->n_results && is_vector(pm_res(op, 0));
}

static unsigned bits_of(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->bits;
}

static pm_scalar mask_scalar(unsigned bits) {
  return bits <= 8 ? PM_I8 : bits == 16 ? PM_I16 : bits == 32 ? PM_I32 : PM_I64;
}

static pm_scalar unsigned_scalar(unsigned bits) {
  return bits <= 8 ? PM_U8 : bits == 16 ? PM_U16 : bits == 32 ? PM_U32 : PM_U64;
}

static unsigned mask_bits(c_emitter *e, const pm_value *v) {
  unsigned bits = c_var_of(e, v)->mask_bits;
  return bits ? bits : MEMORY_MASK_BITS;
}

/* The elements that a value has in C. */
static pm_scalar element_of(c_emitter *e, const pm_value *v) {
  if (is_mask(v)) return mask_scalar(mask_bits(e, v));
  return v->type->scalar == PM_INDEX ? PM_I64 : (pm_scalar)v->type->scalar;
}

/* --- types --- */

static bool is_native(uint32_t lanes) {
  return lanes > 1 && lanes <= MAX_NATIVE_LANES && (lanes & (lanes - 1)) == 0;
}

static pm_string keep(c_emitter *e, pm_buf *text) {
  pm_string kept = pm_get_string(e->ctx, (pm_str){text->data, text->len});
  pm_buf_free(text);
  return kept;
}

/* False when the name was defined before. */
static bool is_new(c_emitter *e, pm_string name) {
  if (pm_map_has(e->vector_names, name)) return false;
  pm_map_set(e->vector_names, name, NULL);
  return true;
}

static void define_type(c_emitter *e, const char *name, const pm_scalar_info *info, uint32_t lanes) {
  pm_buf *out = &e->vectors;
  if (is_native(lanes))
    pm_buf_printf(out,
                  "#ifdef PM_VECTOR_EXTENSIONS\ntypedef %s %s __attribute__((vector_size(%u)));\n#else\n",
                  info->c_name, name, lanes * (info->bits / 8u));
  pm_buf_printf(out, "typedef struct { %s v[%u]; } %s;\n", info->c_name, lanes, name);
  pm_buf_puts(out, is_native(lanes) ? "#endif\n\n" : "\n");
}

/* `pm_f32x8`, which will be defined. */
static const char *use_type(c_emitter *e, pm_scalar scalar, uint32_t lanes) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  pm_buf text = {0};
  pm_buf_printf(&text, "pm_%sx%u", info->name, lanes);
  pm_string name = keep(e, &text);
  if (is_new(e, name)) define_type(e, name->text, info, lanes);
  return name->text;
}

const char *c_value_type(c_emitter *e, const pm_value *v) {
  return is_vector(v) ? use_type(e, element_of(e, v), v->type->lanes) : c_type_name(v->type);
}

/* --- functions --- */

/* What the templates stand for. $R: the result's vector type, $A $B $C those of the parameters a, b, c; $e
 * and $t: the elements of R and of A; $a $b $c $r: lane k; $U $M: A with unsigned, with signed integers; $u:
 * the unsigned element of A, $W at least 32 bits of it, $w its width; $n: the number of lanes; $x: extra. */
typedef struct shape {
  c_emitter *e;
  pm_scalar r, a, b, c;
  uint32_t lanes;
  const char *extra;
} shape;

static void put_lane(const shape *s, pm_buf *out, char vector) {
  pm_buf_printf(out, is_native(s->lanes) ? "PM_LANE(%c, k)" : "%c.v[k]", vector);
}

static const char *c_name_of(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->c_name;
}

static void put_word(const shape *s, pm_buf *out, char word) {
  unsigned bits = bits_of(s->a);
  switch (word) {
  case 'R':
    pm_buf_puts(out, use_type(s->e, s->r, s->lanes));
    break;
  case 'A':
    pm_buf_puts(out, use_type(s->e, s->a, s->lanes));
    break;
  case 'B':
    pm_buf_puts(out, use_type(s->e, s->b, s->lanes));
    break;
  case 'C':
    pm_buf_puts(out, use_type(s->e, s->c, s->lanes));
    break;
  case 'U':
    pm_buf_puts(out, use_type(s->e, unsigned_scalar(bits), s->lanes));
    break;
  case 'M':
    pm_buf_puts(out, use_type(s->e, mask_scalar(bits), s->lanes));
    break;
  case 'e':
    pm_buf_puts(out, c_name_of(s->r));
    break;
  case 't':
    pm_buf_puts(out, c_name_of(s->a));
    break;
  case 'u':
    pm_buf_puts(out, c_name_of(unsigned_scalar(bits)));
    break;
  case 'W':
    pm_buf_puts(out, c_name_of(unsigned_scalar(bits < 32 ? 32 : bits)));
    break;
  case 'w':
    pm_buf_printf(out, "%u", bits);
    break;
  case 'n':
    pm_buf_printf(out, "%u", s->lanes);
    break;
  case 'x':
    pm_buf_puts(out, s->extra);
    break;
  default:
    put_lane(s, out, word);
  }
}

static void expand(const shape *s, pm_buf *out, const char *text) {
  for (; *text; text++)
    if (*text == '$')
      put_word(s, out, *++text);
    else
      pm_buf_putc(out, *text);
}

typedef struct function {
  const char *result, *params;
  const char *native; /* the body with vector extensions, or NULL: the same loop */
  const char *start;  /* first value of r */
  const char *lane;   /* what happens to lane k */
} function;

static void put_loop(const shape *s, pm_buf *out, const function *f) {
  if (f->start) {
    expand(s, out, "  $R r = ");
    expand(s, out, f->start);
    pm_buf_puts(out, ";\n");
  }
  expand(s, out, "  for (int k = 0; k < $n; k++) ");
  expand(s, out, f->lane);
  pm_buf_puts(out, f->start ? ";\n  return r;\n" : ";\n");
}

/* Emits the function unless one of that name was. Returns the name. */
static const char *define(const shape *s, pm_buf *name_text, const function *f) {
  pm_string name = keep(s->e, name_text);
  if (!is_new(s->e, name)) return name->text;
  pm_buf text = {0};
  bool native = f->native && is_native(s->lanes);
  expand(s, &text, "PM_INLINE ");
  expand(s, &text, f->result);
  pm_buf_printf(&text, "%s%s(", f->result[strlen(f->result) - 1] == '*' ? "" : " ", name->text);
  expand(s, &text, f->params);
  pm_buf_puts(&text, ")\n{\n");
  if (native) {
    pm_buf_puts(&text, "#ifdef PM_VECTOR_EXTENSIONS\n");
    expand(s, &text, f->native);
    pm_buf_puts(&text, "#else\n");
  }
  if (f->lane)
    put_loop(s, &text, f);
  else
    expand(s, &text, f->start);
  pm_buf_puts(&text, native ? "#endif\n}\n\n" : "}\n\n");
  pm_buf_put(&s->e->vectors, text.data, text.len);
  pm_buf_free(&text);
  return name->text;
}

static void put_type_suffix(pm_buf *name, pm_scalar scalar, uint32_t lanes) {
  pm_buf_printf(name, "_%sx%u", pm_get_scalar_info(scalar)->name, lanes);
}

/* `pm_<what>_f32x8`, for functions that the type of one operand determines. */
static const char *define_by_one(const shape *s, const char *what, pm_scalar scalar, const function *f) {
  pm_buf name = {0};
  pm_buf_printf(&name, "pm_%s", what);
  put_type_suffix(&name, scalar, s->lanes);
  return define(s, &name, f);
}

static const char *define_by_two(const shape *s, const char *what, pm_scalar first, pm_scalar second,
                                 const function *f) {
  pm_buf name = {0};
  pm_buf_printf(&name, "pm_%s", what);
  put_type_suffix(&name, first, s->lanes);
  put_type_suffix(&name, second, s->lanes);
  return define(s, &name, f);
}

static const char *list_text(c_emitter *e, uint32_t n, bool numbers) {
  pm_buf text = {0};
  for (uint32_t i = 0; i < n; i++)
    if (numbers)
      pm_buf_printf(&text, "%s%u", i ? ", " : "", i);
    else
      pm_buf_printf(&text, "%sx", i ? ", " : "");
  return keep(e, &text)->text;
}

/* --- operands --- */

static const char *use_splat(c_emitter *e, pm_scalar scalar, uint32_t lanes) {
  static const function splat = {"$R", "$e x", "  return ($R){$x};\n", "{0}", "$r = x"};
  const shape s = {e, scalar, scalar, scalar, scalar, lanes, list_text(e, lanes, false)};
  return define_by_one(&s, "splat", scalar, &splat);
}

static const char *use_conversion(c_emitter *e, pm_scalar from, pm_scalar to, uint32_t lanes) {
  static const function cast = {"$R", "$A a", "  return __builtin_convertvector(a, $R);\n", "{0}",
                                "$r = ($e)$a"};
  const shape s = {e, to, from, from, from, lanes, NULL};
  return define_by_two(&s, "cast", from, to, &cast);
}

static void put_splat(c_emitter *e, pm_attr constant, pm_scalar scalar, uint32_t lanes) {
  c_put(e, "%s(", use_splat(e, scalar, lanes));
  if (pm_is_bool(constant->t))
    c_put(e, constant->i ? "-1" : "0");
  else
    c_number(e, constant, C_TERNARY);
  c_put(e, ")");
}

/* The mask with lanes of that width. */
static void put_mask(c_emitter *e, const pm_value *v, pm_scalar want) {
  pm_attr constant = pm_constant_value(v);
  pm_scalar have = element_of(e, v);
  if (constant) {
    put_splat(e, constant, want, v->type->lanes);
    return;
  }
  if (have != want) c_put(e, "%s(", use_conversion(e, have, want, v->type->lanes));
  c_expr(e, v, C_TERNARY);
  if (have != want) c_put(e, ")");
}

/* A value whose elements in C are to be `want`: only masks are converted. */
static void put_operand(c_emitter *e, const pm_value *v, pm_scalar want) {
  if (is_mask(v))
    put_mask(e, v, want);
  else
    c_expr(e, v, C_TERNARY);
}

void c_vector_constant(c_emitter *e, const pm_value *v) {
  put_splat(e, pm_constant_value(v), element_of(e, v), v->type->lanes);
}

void c_expr_as(c_emitter *e, const pm_value *v, const pm_value *like) {
  if (is_mask(v))
    put_mask(e, v, element_of(e, like));
  else
    c_expr(e, v, C_ANY);
}

/* --- arithmetic --- */

static function binary_function(const char *native, const char *lane) {
  return (function){"$A", "$A a, $A b", native, "{0}", lane};
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

static shape shape_of(c_emitter *e, const pm_op *op) {
  const pm_value *r = pm_res(op, 0), *a = pm_arg(op, 0);
  pm_scalar first = element_of(e, a);
  return (shape){e, element_of(e, r), first, first, first, a->type->lanes, NULL};
}

/* `name(operands…)`, masks with elements `want`. */
static void put_call(c_emitter *e, const char *name, const pm_op *op, pm_scalar want) {
  c_put(e, "%s(", name);
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (i) c_put(e, ", ");
    put_operand(e, pm_arg(op, i), want);
  }
  c_put(e, ")");
}

static void write_logic(c_emitter *e, const pm_op *op, int min) {
  pm_scalar scalar = element_of(e, pm_res(op, 0));
  const shape s = {e, scalar, scalar, scalar, scalar, pm_res(op, 0)->type->lanes, NULL};
  size_t i = 0;
  (void)min;
  while (mask_forms[i].desc != op->desc) i++;
  const function f = binary_function(mask_forms[i].native, mask_forms[i].lane);
  put_call(e, define_by_one(&s, mask_forms[i].name, scalar, &f), op, scalar);
}

static void write_binary(c_emitter *e, const pm_op *op, int min) {
  shape s = shape_of(e, op);
  const pm_scalar_info *info = pm_get_scalar_info(s.a);
  const binary_form *b = binaries;
  (void)min;
  while (b->desc != op->desc) b++;
  bool other = b->unsigned_native && !info->is_signed && !info->is_float;
  const function f =
      binary_function(other ? b->unsigned_native : b->native, other ? b->unsigned_lane : b->lane);
  put_call(e, define_by_one(&s, op_word(op), s.a, &f), op, s.a);
}

static void write_negation(c_emitter *e, const pm_op *op, int min) {
  static const function negf = {"$A", "$A a", "  return -a;\n", "{0}", "$r = -$a"};
  const shape s = shape_of(e, op);
  (void)min;
  put_call(e, define_by_one(&s, "negf", s.a, &negf), op, s.a);
}

/* Lane by lane with a function of scalars. */
static void put_lanewise(c_emitter *e, const pm_op *op, const char *scalar_name) {
  static const function by_operands[] = {
      {"$A", "$A a", NULL, "{0}", "$r = $x($a)"},
      {"$A", "$A a, $A b", NULL, "{0}", "$r = $x($a, $b)"},
      {"$A", "$A a, $A b, $A c", NULL, "{0}", "$r = $x($a, $b, $c)"},
  };
  shape s = shape_of(e, op);
  s.extra = scalar_name;
  put_call(e, define_by_one(&s, op_word(op), s.a, &by_operands[op->n_operands - 1]), op, s.a);
}

/* The same of masks, whose lanes are -1 and 0. */
static void put_mask_lanewise(c_emitter *e, const pm_op *op, const char *scalar_name) {
  static const function by_operands[] = {
      {"$A", "$A a", NULL, "{0}", "$r = ($t)-$x($a != 0)"},
      {"$A", "$A a, $A b", NULL, "{0}", "$r = ($t)-$x($a != 0, $b != 0)"},
      {"$A", "$A a, $A b, $A c", NULL, "{0}", "$r = ($t)-$x($a != 0, $b != 0, $c != 0)"},
  };
  pm_scalar scalar = element_of(e, pm_res(op, 0));
  const shape s = {e, scalar, scalar, scalar, scalar, pm_res(op, 0)->type->lanes, scalar_name};
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_mask", op_word(op));
  put_call(e, define_by_one(&s, keep(e, &name)->text, scalar, &by_operands[op->n_operands - 1]), op, scalar);
}

static const char *need_scalar_function(c_emitter *e, const pm_op *op, pm_scalar scalar) {
  const char *name = c_scalar_function(e, op, scalar);
  if (!name) pm_panic(op, "the C target has no form for this op on vectors");
  return name;
}

static void write_function(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  put_lanewise(e, op, need_scalar_function(e, op, element_of(e, pm_res(op, 0))));
}

static void write_mask_function(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  put_mask_lanewise(e, op, need_scalar_function(e, op, PM_I1));
}

static void write_division(c_emitter *e, const pm_op *op, int min) {
  const struct division_form *form = divisions;
  (void)min;
  while (form->desc != op->desc) form++;
  put_lanewise(e, op, c_use_helper(e, form->helper, element_of(e, pm_res(op, 0))));
}

static void write_absolute(c_emitter *e, const pm_op *op, int min) {
  static const function abs32 = {"$A", "$A a", "  return ($A)(($M)a & INT32_MAX);\n", "{0}",
                                 "$r = fabsf($a)"};
  static const function abs64 = {"$A", "$A a", "  return ($A)(($M)a & INT64_MAX);\n", "{0}", "$r = fabs($a)"};
  const shape s = shape_of(e, op);
  (void)min;
  e->uses_math = true;
  put_call(e, define_by_one(&s, "abs", s.a, s.a == PM_F32 ? &abs32 : &abs64), op, s.a);
}

static void write_comparison(c_emitter *e, const pm_op *op, int min) {
  static const char *const text[] = {"==", "!=", "<", "<=", ">", ">="};
  static const function numbers = {"$R", "$A a, $A b", "  return ($R)(a $x b);\n", "{0}",
                                   "$r = ($e)-($a $x $b)"};
  static const function masks = {"$R", "$A a, $A b", "  return ($R)(($U)a $x ($U)b);\n", "{0}",
                                 "$r = ($e)-(($u)$a $x ($u)$b)"};
  bool mask = is_mask(pm_arg(op, 0));
  arith_pred pred = arith_cmp_pred(op);
  shape s = shape_of(e, op);
  pm_buf name = {0};
  (void)min;
  s.extra = text[pred];
  s.a = s.b = mask ? s.r : s.a;
  pm_buf_printf(&name, "pm_%s%s", mask ? "mask_" : "", arith_pred_name(pred));
  put_type_suffix(&name, s.a, s.lanes);
  put_call(e, define(&s, &name, mask ? &masks : &numbers), op, s.a);
}

/* --- choices and conversions --- */

static void write_selection(c_emitter *e, const pm_op *op, int min) {
  static const function blend = {"$R", "$A a, $B b, $B c", "  return ($R)((($A)b & a) | (($A)c & ~a));\n",
                                 "{0}", "$r = $a ? $b : $c"};
  const pm_value *condition = pm_arg(op, arith_select_condition);
  pm_scalar scalar = element_of(e, pm_res(op, 0));
  if (is_vector(condition)) {
    pm_scalar mask = mask_scalar(bits_of(scalar));
    const shape s = {e, scalar, mask, scalar, scalar, condition->type->lanes, NULL};
    c_put(e, "%s(", define_by_one(&s, "select", scalar, &blend));
    put_mask(e, condition, mask);
    c_put(e, ", ");
    put_operand(e, pm_arg(op, arith_select_a), scalar);
    c_put(e, ", ");
    put_operand(e, pm_arg(op, arith_select_b), scalar);
    c_put(e, ")");
    return;
  }
  bool open = c_open(e, C_TERNARY, min);
  c_expr(e, condition, C_LOGIC_OR);
  c_put(e, " ? ");
  put_operand(e, pm_arg(op, arith_select_a), scalar);
  c_put(e, " : ");
  put_operand(e, pm_arg(op, arith_select_b), scalar);
  c_close(e, open);
}

/* True, and the operand is printed, when the conversion is none. */
static bool put_unconverted(c_emitter *e, const pm_op *op) {
  if (pm_arg(op, 0)->type != pm_res(op, 0)->type) return false;
  put_operand(e, pm_arg(op, 0), element_of(e, pm_res(op, 0)));
  return true;
}

static void write_conversion(c_emitter *e, const pm_op *op, int min) {
  static const function from_mask = {"$R", "$A a", "  return __builtin_convertvector(a & ($t)1, $R);\n",
                                     "{0}", "$r = ($e)($a != 0)"};
  static const function to_mask = {"$R", "$A a", "  return ($R)(a != ($A){0});\n", "{0}",
                                   "$r = ($e)-($a != 0)"};
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  const shape s = shape_of(e, op);
  (void)min;
  if (put_unconverted(e, op)) return;
  const char *name = is_mask(from) ? define_by_two(&s, "number", s.a, s.r, &from_mask)
                     : is_mask(to) ? define_by_one(&s, "nonzero", s.a, &to_mask)
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
static const char *use_integer_saturation(const shape *s) {
  pm_buf lane = {0};
  char *native = saturation_body(s->a, s->r);
  saturate_lane(&lane, s->a, s->r);
  const function f = {"$R", "$A a", native, "{0}", lane.data};
  const char *name = define_by_two(s, "sat", s->a, s->r, &f);
  pm_buf_free(&lane);
  free(native);
  return name;
}

static void write_saturation(c_emitter *e, const pm_op *op, int min) {
  static const function numbers = {"$R", "$A a", NULL, "{0}", "$r = $x($a)"};
  static const function from_mask = {"$R", "$A a", NULL, "{0}", "$r = $x($a != 0)"};
  static const function to_mask = {"$R", "$A a", NULL, "{0}", "$r = ($e)-$x($a)"};
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  shape s = shape_of(e, op);
  bool mask = is_mask(from);
  (void)min;
  if (put_unconverted(e, op)) return;
  if (!mask && !is_mask(to) && !pm_is_float(from->type)) {
    put_call(e, use_integer_saturation(&s), op, s.a);
    return;
  }
  s.extra = c_use_saturate(e, mask ? PM_I1 : s.a, is_mask(to) ? PM_I1 : s.r);
  const char *name = mask          ? define_by_two(&s, "sat_number", s.a, s.r, &from_mask)
                     : is_mask(to) ? define_by_one(&s, "sat_mask", s.a, &to_mask)
                                   : define_by_two(&s, "sat", s.a, s.r, &numbers);
  put_call(e, name, op, s.a);
}

/* --- memory --- */

/* The shape of an access: $A and $R the vector, $B the mask or the offsets. */
static shape access_shape(c_emitter *e, const pm_value *vector, pm_scalar b) {
  pm_scalar scalar = is_mask(vector) ? mask_scalar(MEMORY_MASK_BITS) : element_of(e, vector);
  const char *cell = c_type_name(pm_elem_type(vector->type));
  return (shape){e, scalar, scalar, b, b, vector->type->lanes, cell};
}

/* Of lane 0, which is aligned as the attribute says, if it is there. */
static void put_address(c_emitter *e, const loop_access *access, pm_attr align) {
  c_put(e, align ? "PM_ALIGNED(&" : "&");
  c_element(e, access->buffer, access->map, access->indices);
  if (align) c_put(e, ", %lld)", (long long)align->i);
  e->uses_aligned = e->uses_aligned || align;
}

/* `buffer, index`: no address is made of what may lie outside. */
static void put_place(c_emitter *e, const loop_access *access) {
  c_put(e, "%s, ", c_var_of(e, access->buffer)->name);
  c_flat_index(e, access->buffer, access->map, access->indices);
}

static loop_access access_of(const pm_op *op) {
  loop_access access;
  if (!loop_find_access(op, &access)) pm_panic(op, "is no access");
  return access;
}

static const char *memory_word(const pm_value *vector, const char *numbers, const char *masks) {
  return is_mask(vector) ? masks : numbers;
}

static void write_load(c_emitter *e, const pm_op *op, int min) {
  static const function load = {"$R", "const $x *p", NULL,
                                "  $R r;\n  memcpy(&r, p, sizeof r);\n  return r;\n", NULL};
  static const function load_mask = {"$R", "const $x *p", NULL, "{0}", "$r = ($e)-p[k]"};
  const loop_access access = access_of(op);
  const pm_value *vector = pm_res(op, 0);
  const shape s = access_shape(e, vector, PM_I8);
  (void)min;
  e->uses_copy = true;
  c_put(
      e, "%s(",
      define_by_one(&s, memory_word(vector, "load", "load_mask"), s.r, is_mask(vector) ? &load_mask : &load));
  put_address(e, &access, pm_attr_at(op, vec_load_align));
  c_put(e, ")");
}

static void write_maskedload(c_emitter *e, const pm_op *op, int min) {
  static const function load = {"$R", "const $x *p, int64_t at, $B b, $R c", NULL, "c",
                                "if ($b) $r = p[at + k]"};
  static const function load_mask = {"$R", "const $x *p, int64_t at, $B b, $R c", NULL, "c",
                                     "if ($b) $r = ($e)-p[at + k]"};
  const loop_access access = access_of(op);
  const pm_value *vector = pm_res(op, 0);
  shape s = access_shape(e, vector, PM_I8);
  (void)min;
  s.b = mask_scalar(bits_of(s.r));
  c_put(e, "%s(",
        define_by_one(&s, memory_word(vector, "maskedload", "maskedload_mask"), s.r,
                      is_mask(vector) ? &load_mask : &load));
  put_place(e, &access);
  c_put(e, ", ");
  put_mask(e, pm_arg(op, vec_maskedload_mask), s.b);
  c_put(e, ", ");
  put_operand(e, pm_arg(op, vec_maskedload_pass_thru), s.r);
  c_put(e, ")");
}

static void write_gather(c_emitter *e, const pm_op *op, int min) {
  static const function gather = {"$R", "const $x *p, int64_t at, $B b", NULL, "{0}",
                                  "$r = p[at + (int64_t)$b]"};
  static const function gather_mask = {"$R", "const $x *p, int64_t at, $B b", NULL, "{0}",
                                       "$r = ($e)-p[at + (int64_t)$b]"};
  const loop_access access = access_of(op);
  const pm_value *vector = pm_res(op, 0), *offsets = pm_arg(op, vec_gather_offsets);
  const shape s = access_shape(e, vector, element_of(e, offsets));
  (void)min;
  c_put(e, "%s(",
        define_by_two(&s, memory_word(vector, "gather", "gather_mask"), s.r, s.b,
                      is_mask(vector) ? &gather_mask : &gather));
  put_place(e, &access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ")");
}

static void write_maskedgather(c_emitter *e, const pm_op *op, int min) {
  static const function gather = {"$R", "const $x *p, int64_t at, $B b, $C c, $R d", NULL, "d",
                                  "if ($c) $r = p[at + (int64_t)$b]"};
  static const function gather_mask = {"$R", "const $x *p, int64_t at, $B b, $C c, $R d", NULL, "d",
                                       "if ($c) $r = ($e)-p[at + (int64_t)$b]"};
  const loop_access access = access_of(op);
  const pm_value *vector = pm_res(op, 0), *offsets = pm_arg(op, vec_maskedgather_offsets);
  shape s = access_shape(e, vector, element_of(e, offsets));
  (void)min;
  s.c = mask_scalar(bits_of(s.r));
  c_put(e, "%s(",
        define_by_two(&s, memory_word(vector, "maskedgather", "maskedgather_mask"), s.r, s.b,
                      is_mask(vector) ? &gather_mask : &gather));
  put_place(e, &access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ", ");
  put_mask(e, pm_arg(op, vec_maskedgather_mask), s.c);
  c_put(e, ", ");
  put_operand(e, pm_arg(op, vec_maskedgather_pass_thru), s.r);
  c_put(e, ")");
}

static void put_store(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const function store = {"void", "$x *p, $A a", NULL, "  memcpy(p, &a, sizeof a);\n", NULL};
  static const function store_mask = {"void", "$x *p, $A a", NULL, NULL, "p[k] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_store_value);
  const shape s = access_shape(e, vector, PM_I8);
  e->uses_copy = true;
  c_put(e, "%s(",
        define_by_one(&s, memory_word(vector, "store", "store_mask"), s.a,
                      is_mask(vector) ? &store_mask : &store));
  put_address(e, access, pm_attr_at(op, vec_store_align));
  c_put(e, ", ");
  put_operand(e, vector, s.a);
  c_put(e, ")");
}

static void put_maskedstore(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const function store = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                 "if ($b) p[at + k] = $a"};
  static const function store_mask = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                      "if ($b) p[at + k] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_maskedstore_value);
  shape s = access_shape(e, vector, PM_I8);
  s.b = mask_scalar(bits_of(s.a));
  c_put(e, "%s(",
        define_by_one(&s, memory_word(vector, "maskedstore", "maskedstore_mask"), s.a,
                      is_mask(vector) ? &store_mask : &store));
  put_place(e, access);
  c_put(e, ", ");
  put_mask(e, pm_arg(op, vec_maskedstore_mask), s.b);
  c_put(e, ", ");
  put_operand(e, vector, s.a);
  c_put(e, ")");
}

static void put_scatter(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const function scatter = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                   "p[at + (int64_t)$b] = $a"};
  static const function scatter_mask = {"void", "$x *p, int64_t at, $B b, $A a", NULL, NULL,
                                        "p[at + (int64_t)$b] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_scatter_value), *offsets = pm_arg(op, vec_scatter_offsets);
  const shape s = access_shape(e, vector, element_of(e, offsets));
  c_put(e, "%s(",
        define_by_two(&s, memory_word(vector, "scatter", "scatter_mask"), s.a, s.b,
                      is_mask(vector) ? &scatter_mask : &scatter));
  put_place(e, access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ", ");
  put_operand(e, vector, s.a);
  c_put(e, ")");
}

static void put_maskedscatter(c_emitter *e, const pm_op *op, const loop_access *access) {
  static const function scatter = {"void", "$x *p, int64_t at, $B b, $C c, $A a", NULL, NULL,
                                   "if ($c) p[at + (int64_t)$b] = $a"};
  static const function scatter_mask = {"void", "$x *p, int64_t at, $B b, $C c, $A a", NULL, NULL,
                                        "if ($c) p[at + (int64_t)$b] = $a != 0"};
  const pm_value *vector = pm_arg(op, vec_maskedscatter_value);
  const pm_value *offsets = pm_arg(op, vec_maskedscatter_offsets);
  shape s = access_shape(e, vector, element_of(e, offsets));
  s.c = mask_scalar(bits_of(s.a));
  c_put(e, "%s(",
        define_by_two(&s, memory_word(vector, "maskedscatter", "maskedscatter_mask"), s.a, s.b,
                      is_mask(vector) ? &scatter_mask : &scatter));
  put_place(e, access);
  c_put(e, ", ");
  c_expr(e, offsets, C_TERNARY);
  c_put(e, ", ");
  put_mask(e, pm_arg(op, vec_maskedscatter_mask), s.c);
  c_put(e, ", ");
  put_operand(e, vector, s.a);
  c_put(e, ")");
}

void c_vector_store(c_emitter *e, const pm_op *op) {
  static const struct {
    const pm_op_desc *desc;
    void (*put)(c_emitter *e, const pm_op *op, const loop_access *access);
  } rows[] = {
      {&vec_store, put_store},
      {&vec_maskedstore, put_maskedstore},
      {&vec_scatter, put_scatter},
      {&vec_maskedscatter, put_maskedscatter},
  };
  const loop_access access = access_of(op);
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (rows[i].desc == op->desc) rows[i].put(e, op, &access);
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
  c_put(e, "%s(", use_splat(e, element_of(e, pm_res(op, 0)), pm_res(op, 0)->type->lanes));
  put_element(e, pm_arg(op, 0));
  c_put(e, ")");
}

static void write_step(c_emitter *e, const pm_op *op, int min) {
  static const function step = {"$R", "void", "  return ($R){$x};\n", "{0}", "$r = ($e)k"};
  pm_scalar scalar = element_of(e, pm_res(op, 0));
  uint32_t lanes = pm_res(op, 0)->type->lanes;
  const shape s = {e, scalar, scalar, scalar, scalar, lanes, list_text(e, lanes, true)};
  (void)min;
  c_put(e, "%s()", define_by_one(&s, "step", scalar, &step));
}

static void write_extract(c_emitter *e, const pm_op *op, int min) {
  static const function extract = {"$t", "$A a, int k", NULL, "  return $a;\n", NULL};
  static const function extract_mask = {"bool", "$A a, int k", NULL, "  return $a != 0;\n", NULL};
  const pm_value *v = pm_arg(op, vec_extract_source);
  pm_scalar scalar = element_of(e, v);
  const shape s = {e, scalar, scalar, scalar, scalar, v->type->lanes, NULL};
  (void)min;
  c_put(e, "%s(",
        define_by_one(&s, memory_word(v, "extract", "extract_mask"), scalar,
                      is_mask(v) ? &extract_mask : &extract));
  put_operand(e, v, scalar);
  c_put(e, ", %lld)", (long long)pm_int_at(op, vec_extract_lane));
}

static void write_insert(c_emitter *e, const pm_op *op, int min) {
  static const function insert = {"$A", "$t x, $A a, int k", NULL, "  $a = x;\n  return a;\n", NULL};
  pm_scalar scalar = element_of(e, pm_res(op, 0));
  const shape s = {e, scalar, scalar, scalar, scalar, pm_res(op, 0)->type->lanes, NULL};
  (void)min;
  c_put(e, "%s(", define_by_one(&s, "insert", scalar, &insert));
  put_element(e, pm_arg(op, vec_insert_source));
  c_put(e, ", ");
  put_operand(e, pm_arg(op, vec_insert_dest), scalar);
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
  bool mask = is_mask(v);
  const char *join = mask ? form->masks : pm_is_float(v->type) ? form->floats : form->ints;
  pm_scalar scalar = element_of(e, v);
  const shape s = {e, scalar, scalar, scalar, scalar, v->type->lanes, NULL};
  pm_buf name = {0}, body = {0};
  pm_buf_printf(&name, "reduce_%s%s", pm_sym_at(op, vec_reduce_kind)->text, mask ? "_mask" : "");
  pm_buf_printf(&body, "  int k = 0;\n  $t r = $a;\n  for (k = 1; k < $n; k++) %s;\n  return r%s;\n", join,
                mask ? " != 0" : "");
  const function reduce = {mask ? "bool" : "$t", "$A a", NULL, body.data, NULL};
  c_put(e, "%s(", define_by_one(&s, keep(e, &name)->text, scalar, &reduce));
  put_operand(e, v, scalar);
  c_put(e, ")");
  pm_buf_free(&body);
}

static void put_lane_text(pm_buf *out, char vector, uint32_t lanes, int64_t k) {
  pm_buf_printf(out, is_native(lanes) ? "PM_LANE(%c, %lld)" : "%c.v[%lld]", vector, (long long)k);
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
  bool native = is_native(n) && is_native(lanes->len) && pm_arg(op, vec_shuffle_b)->type->lanes == n;
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
  pm_string key = keep(e, &key_text);
  pm_string known = pm_map_get(e->vector_names, key);
  if (known) return known->text;
  pm_buf_printf(&name_text, "pm_shuffle%u_%s", e->shuffles++, r + strlen("pm_"));
  pm_string name = keep(e, &name_text);
  pm_map_set(e->vector_names, key, (void *)name);
  pm_buf_printf(&text, "PM_INLINE %s %s(%s a, %s b)\n{\n", r, name->text, a, b);
  put_shuffle_body(&text, op, r);
  pm_buf_printf(&e->vectors, "%s}\n\n", text.data);
  pm_buf_free(&text);
  return name->text;
}

static void write_shuffle(c_emitter *e, const pm_op *op, int min) {
  const pm_value *a = pm_arg(op, vec_shuffle_a), *b = pm_arg(op, vec_shuffle_b), *r = pm_res(op, 0);
  pm_scalar scalar = element_of(e, r);
  const char *a_type = use_type(e, scalar, a->type->lanes), *b_type = use_type(e, scalar, b->type->lanes);
  (void)min;
  put_call(e, use_shuffle(e, op, a_type, b_type, use_type(e, scalar, r->type->lanes)), op, scalar);
}

/* --- ops --- */

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
#include "targets/c/forms.def"
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

/* --- the width of masks --- */

/* What the operand gives; 0 for a constant mask, which takes any width, and for what is no vector. */
static unsigned width_from(c_emitter *e, const pm_value *v) {
  if (!is_vector(v)) return 0;
  if (!is_mask(v)) return bits_of((pm_scalar)v->type->scalar);
  return pm_constant_value(v) ? 0 : mask_bits(e, v);
}

static unsigned find_width(c_emitter *e, const pm_op *op) {
  loop_access access;
  unsigned width = 0;
  if (op->n_regions || loop_find_access(op, &access)) return MEMORY_MASK_BITS;
  for (unsigned i = pm_is(op, &arith_select) ? 1 : 0; i < op->n_operands && !width; i++)
    width = width_from(e, pm_arg(op, i));
  return width;
}

static pm_walk visit(void *user, pm_op *op) {
  c_emitter *e = user;
  for (unsigned i = 0; i < op->n_results; i++)
    if (is_mask(pm_res(op, i))) c_var_of(e, pm_res(op, i))->mask_bits = find_width(e, op);
  return PM_WALK_ON;
}

void c_find_mask_widths(c_emitter *e, const pm_op *func) {
  (void)pm_walk_pre((pm_op *)func, visit, e);
}

/* --- the file --- */

void c_emit_vectors(c_emitter *e) {
  if (!e->vectors.len) return;
  c_put(e,
        "/* Vectors: those of gcc and clang, or structs. A mask has lanes of 0 and -1. */\n"
        "#if (defined __clang__ || (defined __GNUC__ && __GNUC__ >= 9)) && !defined PM_NO_VECTOR_EXTENSIONS\n"
        "#define PM_VECTOR_EXTENSIONS\n"
        "#define PM_INLINE static inline __attribute__((always_inline))\n"
        "#define PM_LANE(x, k) (x)[k]\n"
        "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
        "#ifdef __has_builtin\n"
        "#if __has_builtin(__builtin_shufflevector)\n"
        "#define PM_SHUFFLE\n"
        "#endif\n"
        "#endif\n"
        "#else\n"
        "#define PM_INLINE static inline\n"
        "#define PM_LANE(x, k) (x).v[k]\n"
        "#endif\n\n");
  if (e->uses_aligned)
    c_put(e, "/* p, which is a multiple of n bytes */\n"
             "#ifdef __GNUC__\n"
             "#define PM_ALIGNED(p, n) __builtin_assume_aligned(p, n)\n"
             "#else\n"
             "#define PM_ALIGNED(p, n) (p)\n"
             "#endif\n\n");
  pm_buf_put(e->out, e->vectors.data, e->vectors.len);
}
