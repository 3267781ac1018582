/* The stage dialect: descriptors and the text forms of its ops. The checks are in verify.c. */
#include "dialects/stage/stage.h"

#include "dialects/arith/arith.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/words.h"
#include "ir/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PM_DIALECT stage
#define PM_DIALECT_DEF "dialects/stage/stage.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect stage_dialect = {.name = "stage",
                                  .ops = stage_op_table,
                                  .new_data = stage_new_data,
                                  .free_data = free,
                                  .doc = "pipelines as graphs of pure functions over integer domains"};

/* --- shared pieces of the forms --- */

static void print_symbol(struct pm_printer *p, const pm_op *op, unsigned slot) {
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, slot));
}

static bool parse_symbol(struct pm_parser *p, struct pm_op_state *state, const char *attr) {
  pm_string name;
  if (!pm_q_symbol(p, &name)) return false;
  pm_context *ctx = pm_q_context(p);
  pm_state_attr(ctx, state, attr, pm_get_symbol(ctx, name));
  return true;
}

/* `word attr`, the attribute being called `attr`. */
static bool parse_clause(struct pm_parser *p, struct pm_op_state *state, const char *word, const char *attr,
                         pm_type hint) {
  return pm_q_word(p, word) && pm_q_attr_into(p, state, attr, hint);
}

/* Attributes that have no clause, in front of a region: ` attributes {…}`. */
static void print_other_attrs(struct pm_printer *p, const pm_op *op, const char *const *known) {
  if (!pm_extra(op)) return;
  pm_p(p, " attributes");
  pm_p_attr_dict(p, op, known);
}

static bool parse_other_attrs(struct pm_parser *p, struct pm_op_state *state) {
  return !pm_q_opt_word(p, "attributes") || pm_q_opt_attr_dict(p, state);
}

/* ` : f32` of inputs and funcs. */
static void print_values_type(struct pm_printer *p, pm_attr type) {
  pm_p(p, " : %pT", (const void *)type->t);
}

static bool parse_values_type(struct pm_parser *p, struct pm_op_state *state, pm_type *type) {
  if (!pm_q_punct(p, ":") || !pm_q_type_or_tuple(p, type)) return false;
  pm_state_attr(pm_q_context(p), state, "type", pm_get_type_attr(*type));
  return true;
}

/* ` on #isl.set<…>` of inputs and funcs. */
static void print_domain(struct pm_printer *p, pm_attr domain) {
  pm_p(p, " on ");
  pm_p_attr(p, domain);
}

static bool parse_domain(struct pm_parser *p, struct pm_op_state *state) {
  return parse_clause(p, state, "on", "domain", NULL);
}

/* ` boundary mirror`, where it may be missing; *attr is NULL then. */
static bool parse_boundary(struct pm_parser *p, pm_attr *attr) {
  *attr = NULL;
  return !pm_q_opt_word(p, "boundary") || stage_boundary_parse(p, attr);
}

static void set_boundary(struct pm_parser *p, struct pm_op_state *state, pm_attr boundary, pm_type type) {
  if (boundary) pm_state_attr(pm_q_context(p), state, "boundary", stage_boundary_typed(boundary, type));
}

/* --- pipeline: ` @name version @other context #isl.set<…> fp "strict" {…}` --- */

void stage_pipeline_print(struct pm_printer *p, const pm_op *op) {
  print_symbol(p, op, stage_pipeline_sym);
  if (pm_attr_at(op, stage_pipeline_version)) {
    pm_p(p, " version");
    print_symbol(p, op, stage_pipeline_version);
  }
  if (pm_attr_at(op, stage_pipeline_boxes)) pm_p(p, " boxes");
  if (pm_attr_at(op, stage_pipeline_region)) {
    pm_p(p, " region");
    print_symbol(p, op, stage_pipeline_region);
  }
  if (pm_attr_at(op, stage_pipeline_context)) {
    pm_p(p, " context ");
    pm_p_attr(p, pm_attr_at(op, stage_pipeline_context));
  }
  if (pm_attr_at(op, stage_pipeline_fp)) {
    pm_p(p, " fp ");
    pm_p_attr(p, pm_attr_at(op, stage_pipeline_fp));
  }
  print_other_attrs(p, op, (const char *const[]){"sym", "version", "boxes", "region", "context", "fp", NULL});
  pm_p(p, " ");
  pm_p_region(p, pm_region_at(op, stage_pipeline_body), true);
}

/* `fp "strict"` */
static bool parse_fp(struct pm_parser *p, struct pm_op_state *state) {
  pm_string mode;
  if (!pm_q_string(p, &mode)) return false;
  pm_context *ctx = pm_q_context(p);
  pm_state_attr(ctx, state, "fp", pm_get_string_attr(ctx, (pm_str){mode->text, mode->len}));
  return true;
}

bool stage_pipeline_parse(struct pm_parser *p, struct pm_op_state *state) {
  if (!parse_symbol(p, state, "sym")) return false;
  if (pm_q_opt_word(p, "version") && !parse_symbol(p, state, "version")) return false;
  if (pm_q_opt_word(p, "boxes")) pm_state_attr(pm_q_context(p), state, "boxes", pm_get_unit(pm_q_context(p)));
  if (pm_q_opt_word(p, "region") && !parse_symbol(p, state, "region")) return false;
  if (pm_q_opt_word(p, "context") && !pm_q_attr_into(p, state, "context", NULL)) return false;
  if (pm_q_opt_word(p, "fp") && !parse_fp(p, state)) return false;
  return parse_other_attrs(p, state) && pm_q_region(p, state, stage_pipeline_body, NULL);
}

/* --- param: ` @R : i32 {estimate = 2560}`, ` @end : i32 derived #isl.set<…>` --- */

void stage_param_print(struct pm_printer *p, const pm_op *op) {
  print_symbol(p, op, stage_param_sym);
  pm_p(p, " : %pT", (const void *)pm_res(op, stage_param_value)->type);
  if (pm_attr_at(op, stage_param_derived)) {
    pm_p(p, " derived ");
    pm_p_attr(p, pm_attr_at(op, stage_param_derived));
  }
  pm_p_attr_dict(p, op, (const char *const[]){"sym", "derived", NULL});
}

bool stage_param_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_type type;
  if (!parse_symbol(p, state, "sym") || !pm_q_punct(p, ":") || !pm_q_type(p, &type)) return false;
  PM_VEC_PUSH(state->results, type);
  if (pm_q_opt_word(p, "derived") && !pm_q_attr_into(p, state, "derived", NULL)) return false;
  return pm_q_opt_attr_dict(p, state);
}

/* --- input: ` @img : f32 boundary clamp on #isl.set<…>` --- */

void stage_input_print(struct pm_printer *p, const pm_op *op) {
  print_symbol(p, op, stage_input_sym);
  print_values_type(p, pm_attr_at(op, stage_input_type));
  stage_boundary_print(p, pm_attr_at(op, stage_input_boundary));
  print_domain(p, pm_attr_at(op, stage_input_domain));
  pm_p_attr_dict(p, op, (const char *const[]){"sym", "type", "domain", "boundary", NULL});
}

bool stage_input_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_type type;
  pm_attr boundary;
  if (!parse_symbol(p, state, "sym") || !parse_values_type(p, state, &type)) return false;
  if (!parse_boundary(p, &boundary)) return false;
  set_boundary(p, state, boundary, type);
  return parse_domain(p, state) && pm_q_opt_attr_dict(p, state);
}

/* `f32, i32` */
static void print_value_type(struct pm_printer *p, const pm_value *value, bool first) {
  pm_p(p, "%s%pT", first ? "" : ", ", (const void *)value->type);
}

typedef PM_VEC(pm_type) type_list;
typedef PM_VEC(pm_attr) attr_list;

static bool parse_types(struct pm_parser *p, type_list *types) {
  do {
    pm_type type;
    if (!pm_q_type(p, &type)) return false;
    PM_VEC_PUSH(*types, type);
  } while (pm_q_opt_punct(p, ","));
  return true;
}

/* --- func: ` @f : f32 on #isl.set<…> default 1.0 : f32 time 5000 {…}`, of a tuple
 * ` @f : (f32, i32) on #isl.set<…> default [1.0 : f32, 0 : i32] {…}` --- */

void stage_func_print(struct pm_printer *p, const pm_op *op) {
  print_symbol(p, op, stage_func_sym);
  print_values_type(p, pm_attr_at(op, stage_func_type));
  print_domain(p, pm_attr_at(op, stage_func_domain));
  if (pm_attr_at(op, stage_func_default)) {
    pm_p(p, " default ");
    pm_p_attr(p, pm_attr_at(op, stage_func_default));
  }
  if (pm_attr_at(op, stage_func_time)) pm_p(p, " time %lld", (long long)pm_int_at(op, stage_func_time));
  print_other_attrs(p, op, (const char *const[]){"sym", "type", "domain", "default", "time", NULL});
  pm_p(p, " ");
  pm_p_region(p, pm_region_at(op, stage_func_cases), true);
}

/* What follows '['. */
static bool parse_numbers(struct pm_parser *p, pm_type type, attr_list *numbers) {
  do {
    pm_attr number;
    pm_type hint = numbers->len < pm_tuple_len(type) ? pm_tuple_at(type, (unsigned)numbers->len) : NULL;
    if (!pm_q_attr(p, hint, &number)) return false;
    PM_VEC_PUSH(*numbers, number);
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, "]");
}

/* A number, or `[1.0, 0]`. */
static bool parse_default(struct pm_parser *p, struct pm_op_state *state, pm_type type) {
  if (!pm_q_opt_punct(p, "[")) return pm_q_attr_into(p, state, "default", pm_tuple_at(type, 0));
  attr_list numbers = {0};
  bool ok = parse_numbers(p, type, &numbers);
  pm_context *ctx = pm_q_context(p);
  if (ok) pm_state_attr(ctx, state, "default", pm_get_array(ctx, numbers.data, numbers.len));
  PM_VEC_FREE(numbers);
  return ok;
}

static bool parse_time(struct pm_parser *p, struct pm_op_state *state) {
  return pm_q_attr_into(p, state, "time", pm_get_scalar(pm_q_context(p), PM_I64));
}

bool stage_func_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_type type;
  if (!parse_symbol(p, state, "sym") || !parse_values_type(p, state, &type) || !parse_domain(p, state))
    return false;
  if (pm_q_opt_word(p, "default") && !parse_default(p, state, type)) return false;
  if (pm_q_opt_word(p, "time") && !parse_time(p, state)) return false;
  return parse_other_attrs(p, state) && pm_q_region(p, state, stage_func_cases, NULL);
}

/* --- case and update: `(%x, %y) on #isl.set<…> {…}` --- */

static void print_body(struct pm_printer *p, const pm_op *op, pm_attr set) {
  const pm_region *body = pm_region_at(op, 0);
  pm_p_args(p, body, false);
  pm_p(p, " on ");
  pm_p_attr(p, set);
  print_other_attrs(p, op, (const char *const[]){"set", NULL});
  pm_p(p, " ");
  pm_p_region(p, body, false);
}

static bool parse_body(struct pm_parser *p, struct pm_op_state *state) {
  pm_arg_specs args = {0};
  bool ok = pm_q_args(p, pm_get_index(pm_q_context(p)), &args) && parse_clause(p, state, "on", "set", NULL) &&
            parse_other_attrs(p, state) && pm_q_region(p, state, 0, &args);
  PM_VEC_FREE(args);
  return ok;
}

void stage_case_print(struct pm_printer *p, const pm_op *op) {
  print_body(p, op, pm_attr_at(op, stage_case_set));
}

bool stage_case_parse(struct pm_parser *p, struct pm_op_state *state) {
  return parse_body(p, state);
}

void stage_update_print(struct pm_printer *p, const pm_op *op) {
  print_body(p, op, pm_attr_at(op, stage_update_set));
}

bool stage_update_parse(struct pm_parser *p, struct pm_op_state *state) {
  return parse_body(p, state);
}

/* --- read: ` @f[%x - 1, %y * 2] boundary clamp : f32` --- */

void stage_read_print(struct pm_printer *p, const pm_op *op) {
  print_symbol(p, op, stage_read_stage);
  pm_p(p, "[");
  pm_p_map(p, pm_attr_at(op, stage_read_map)->map, pm_operands(op));
  pm_p(p, "]");
  stage_boundary_print(p, pm_attr_at(op, stage_read_boundary));
  pm_p_attr_dict(p, op, (const char *const[]){"stage", "map", "boundary", NULL});
  pm_p(p, " : ");
  for (unsigned i = 0; i < op->n_results; i++) print_value_type(p, pm_res(op, i), i == 0);
}

/* `[…]`, which may be empty. */
static bool parse_indices(struct pm_parser *p, struct pm_op_state *state, pm_operand_refs *refs) {
  pm_context *ctx = pm_q_context(p);
  pm_affine_map map = pm_get_affine_map(ctx, 0, 0, NULL, 0);
  if (!pm_q_punct(p, "[")) return false;
  if (!pm_q_opt_punct(p, "]") && !(pm_q_map(p, &map, refs) && pm_q_punct(p, "]"))) return false;
  pm_state_attr(ctx, state, "map", pm_get_map_attr(map));
  return pm_q_resolve_affine(p, refs, state);
}

bool stage_read_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_operand_refs refs = {0};
  type_list types = {0};
  pm_attr boundary = NULL;
  bool ok = parse_symbol(p, state, "stage") && parse_indices(p, state, &refs) &&
            parse_boundary(p, &boundary) && pm_q_opt_attr_dict(p, state) && pm_q_punct(p, ":") &&
            parse_types(p, &types);
  if (ok) set_boundary(p, state, boundary, types.data[0]);
  for (size_t i = 0; i < types.len; i++) PM_VEC_PUSH(state->results, types.data[i]);
  PM_VEC_FREE(refs);
  PM_VEC_FREE(types);
  return ok;
}

/* --- combine: ` sum, %v into [%i, %x floordiv 8] associative : f32`, of a tuple
 * ` min, %v, assign, %w into [] : f32, i32` or ` argmax, %v, with, %w into [] : f32, i32` --- */

static const char *const combine_words[] = {
    [STAGE_SUM] = "sum",       [STAGE_PRODUCT] = "product", [STAGE_MIN] = "min",
    [STAGE_MAX] = "max",       [STAGE_AND] = "and",         [STAGE_OR] = "or",
    [STAGE_ASSIGN] = "assign", [STAGE_ARGMIN] = "argmin",   [STAGE_ARGMAX] = "argmax",
    [STAGE_WITH] = "with"};

unsigned stage_combine_len(const pm_op *combine) {
  unsigned n_dims = pm_attr_at(combine, stage_combine_map)->map->n_dims;
  return combine->n_operands > n_dims ? combine->n_operands - n_dims : 0;
}

/* The word of element number `i`, or NULL. */
static const char *kind_word(const pm_op *combine, unsigned i) {
  pm_attr kind = pm_attr_at(combine, stage_combine_kind);
  if (kind->cls == PM_ATTR_ARRAY)
    kind = i < kind->len ? kind->items[i] : kind;
  else if (i > 0)
    return NULL;
  return kind->cls == PM_ATTR_STRING ? kind->s->text : NULL;
}

bool stage_combine_op_of(const pm_op *combine, unsigned i, stage_combine_op *out) {
  const char *word = kind_word(combine, i);
  for (size_t k = 0; word && k < PM_COUNT(combine_words); k++)
    if (strcmp(word, combine_words[k]) == 0) {
      *out = (stage_combine_op)k;
      return true;
    }
  return false;
}

static stage_combine_op known_op(const pm_op *combine, unsigned i) {
  stage_combine_op op = STAGE_SUM;
  if (!stage_combine_op_of(combine, i, &op)) pm_panic(combine, "an unknown kind of combination");
  return op;
}

const pm_op_desc *stage_combine_desc(const pm_op *combine, unsigned i) {
  static const pm_op_desc *const ints[PM_COUNT(combine_words)] = {&arith_addi, &arith_muli, &arith_mini,
                                                                  &arith_maxi, &arith_andi, &arith_ori};
  static const pm_op_desc *const floats[PM_COUNT(combine_words)] = {&arith_addf, &arith_mulf, &arith_minf,
                                                                    &arith_maxf};
  return (pm_is_float(pm_arg(combine, i)->type) ? floats : ints)[known_op(combine, i)];
}

bool stage_combine_is_choice(const pm_op *combine) {
  stage_combine_op op = known_op(combine, 0);
  return op == STAGE_ARGMIN || op == STAGE_ARGMAX;
}

static bool element_any_order(const pm_op *combine, unsigned i) {
  stage_combine_op op = known_op(combine, i);
  if (op == STAGE_ASSIGN) return false;
  if (!pm_is_float(pm_arg(combine, i)->type)) return true;
  pm_string fp = pm_sym_at(pm_parent_of(combine, &stage_pipeline), stage_pipeline_fp);
  bool strict = fp && strcmp(fp->text, "strict") == 0, fast = fp && strcmp(fp->text, "fast") == 0;
  return fast || (!strict && op != STAGE_SUM && op != STAGE_PRODUCT);
}

static pm_attr int_identity(stage_combine_op op, pm_type type) {
  static const pm_op_desc *const joins[] = {
      [STAGE_SUM] = &arith_addi,    [STAGE_PRODUCT] = &arith_muli, [STAGE_MIN] = &arith_mini,
      [STAGE_MAX] = &arith_maxi,    [STAGE_AND] = &arith_andi,     [STAGE_OR] = &arith_ori,
      [STAGE_ASSIGN] = &arith_addi, [STAGE_ARGMIN] = &arith_mini,  [STAGE_ARGMAX] = &arith_maxi,
      [STAGE_WITH] = &arith_mini};
  return arith_int_identity(joins[op], type);
}

static pm_attr float_identity(stage_combine_op op, pm_type type) {
  switch (op) {
  case STAGE_PRODUCT:
    return pm_get_float(type, 1.0);
  case STAGE_MIN:
  case STAGE_ARGMIN:
  case STAGE_WITH:
    return pm_get_float(type, INFINITY);
  case STAGE_MAX:
  case STAGE_ARGMAX:
    return pm_get_float(type, -INFINITY);
  default:
    return pm_get_float(type, -0.0);
  }
}

pm_attr stage_combine_identity(const pm_op *combine, unsigned i) {
  pm_type type = pm_arg(combine, i)->type;
  stage_combine_op op = known_op(combine, i);
  return pm_is_float(type) ? float_identity(op, type) : int_identity(op, type);
}

bool stage_combine_any_order(const pm_op *combine) {
  bool any = true;
  for (unsigned i = 0; i < stage_combine_len(combine); i++) any = any && element_any_order(combine, i);
  return any || pm_attr_at(combine, stage_combine_associative);
}

bool stage_combine_assigns(const pm_op *combine) {
  for (unsigned i = 0; i < stage_combine_len(combine); i++)
    if (known_op(combine, i) == STAGE_ASSIGN) return true;
  return false;
}

bool stage_has_guard(const pm_op *case_or_update) {
  PM_FOR_OPS(op, pm_region_at(case_or_update, 0))
  if (pm_is(op, &stage_guard)) return true;
  return false;
}

bool stage_combine_is_atomic(const pm_op *combine) {
  pm_type type = pm_arg(combine, 0)->type;
  stage_combine_op op = known_op(combine, 0);
  return stage_combine_len(combine) == 1 && (type->scalar == PM_I32 || type->scalar == PM_U32) &&
         stage_combine_desc(combine, 0) && op != STAGE_PRODUCT;
}

void stage_combine_print(struct pm_printer *p, const pm_op *op) {
  unsigned n = stage_combine_len(op);
  for (unsigned i = 0; i < n; i++) {
    pm_p(p, "%s %s, ", i ? "," : "", kind_word(op, i));
    pm_p_value(p, pm_arg(op, i));
  }
  pm_p(p, " into [");
  pm_p_map(p, pm_attr_at(op, stage_combine_map)->map, pm_operands(op) + n);
  pm_p(p, "]%s", pm_attr_at(op, stage_combine_associative) ? " associative" : "");
  pm_p_attr_dict(p, op, (const char *const[]){"kind", "map", "associative", NULL});
  pm_p(p, " : ");
  for (unsigned i = 0; i < n; i++) print_value_type(p, pm_arg(op, i), i == 0);
}

/* What a combine has in its text. */
typedef struct combine_text {
  attr_list kinds;
  pm_operand_refs values, dims;
  type_list types;
} combine_text;

/* `min, %v, assign, %w` */
static bool parse_contributions(struct pm_parser *p, combine_text *text) {
  do {
    pm_string kind;
    pm_operand_ref value;
    if (!pm_q_name(p, &kind) || !pm_q_punct(p, ",") || !pm_q_operand(p, &value)) return false;
    PM_VEC_PUSH(text->kinds, pm_get_string_attr(pm_q_context(p), (pm_str){kind->text, kind->len}));
    PM_VEC_PUSH(text->values, value);
  } while (pm_q_opt_punct(p, ","));
  return true;
}

static bool parse_target(struct pm_parser *p, struct pm_op_state *state, combine_text *text) {
  pm_context *ctx = pm_q_context(p);
  pm_affine_map map = pm_get_affine_map(ctx, 0, 0, NULL, 0);
  if (!pm_q_word(p, "into") || !pm_q_punct(p, "[")) return false;
  if (!pm_q_opt_punct(p, "]") && !(pm_q_map(p, &map, &text->dims) && pm_q_punct(p, "]"))) return false;
  pm_state_attr(ctx, state, "map", pm_get_map_attr(map));
  if (pm_q_opt_word(p, "associative")) pm_state_attr(ctx, state, "associative", pm_get_unit(ctx));
  return pm_q_opt_attr_dict(p, state);
}

/* `: f32, i32`, which gives the values their types. */
static bool parse_value_types(struct pm_parser *p, struct pm_op_state *state, combine_text *text) {
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_punct(p, ":") || !parse_types(p, &text->types)) return false;
  if (text->types.len != text->values.len)
    return pm_q_error(p, loc, "%zu type%s for %zu value%s; there should be as many", text->types.len,
                      text->types.len == 1 ? "" : "s", text->values.len, text->values.len == 1 ? "" : "s");
  for (size_t i = 0; i < text->values.len; i++)
    if (!pm_q_resolve(p, &text->values.data[i], text->types.data[i], state)) return false;
  return pm_q_resolve_affine(p, &text->dims, state);
}

bool stage_combine_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  combine_text text = {0};
  bool ok =
      parse_contributions(p, &text) && parse_target(p, state, &text) && parse_value_types(p, state, &text);
  if (ok)
    pm_state_attr(ctx, state, "kind",
                  text.kinds.len == 1 ? text.kinds.data[0]
                                      : pm_get_array(ctx, text.kinds.data, text.kinds.len));
  PM_VEC_FREE(text.kinds);
  PM_VEC_FREE(text.values);
  PM_VEC_FREE(text.dims);
  PM_VEC_FREE(text.types);
  return ok;
}

/* --- output: ` @f`, ` @f order [1, 2, 0]` --- */

void stage_output_print(struct pm_printer *p, const pm_op *op) {
  print_symbol(p, op, stage_output_stage);
  pm_p_word_attrs(p, op, stage_output_order, 1);
  pm_p_attr_dict(p, op, (const char *const[]){"stage", "order", NULL});
}

bool stage_output_parse(struct pm_parser *p, struct pm_op_state *state) {
  return parse_symbol(p, state, "stage") && pm_q_opt_word_attrs(p, state, stage_output_order, 1) &&
         pm_q_opt_attr_dict(p, state);
}

/* --- indices --- */

pm_affine_map stage_index_map(const pm_op *op) {
  return pm_attr_at(op, pm_is(op, &stage_read) ? (unsigned)stage_read_map : (unsigned)stage_combine_map)->map;
}

unsigned stage_index_operand(const pm_op *op) {
  return pm_is(op, &stage_read) ? (unsigned)stage_read_operands : stage_combine_len(op);
}

/* --- what has values at points --- */

bool stage_is_array(const pm_op *op) {
  return pm_is(op, &stage_func) || pm_is(op, &stage_input) || pm_is(op, &stage_constant);
}

pm_string stage_name_of(const pm_op *op) {
  if (pm_is(op, &stage_constant)) return pm_sym_at(op, stage_constant_sym);
  return pm_sym_at(op, pm_is(op, &stage_input) ? (unsigned)stage_input_sym : (unsigned)stage_func_sym);
}

pm_attr stage_domain_of(const pm_op *op) {
  if (pm_is(op, &stage_constant)) return stage_constant_domain(op);
  return pm_attr_at(op, pm_is(op, &stage_input) ? (unsigned)stage_input_domain : (unsigned)stage_func_domain);
}

pm_type stage_type_of(const pm_op *op) {
  if (pm_is(op, &stage_constant)) return pm_elem_type(pm_attr_at(op, stage_constant_values)->t);
  return pm_attr_at(op, pm_is(op, &stage_input) ? (unsigned)stage_input_type : (unsigned)stage_func_type)->t;
}

pm_attr stage_default_at(const pm_op *func, unsigned i) {
  pm_attr given = pm_attr_at(func, stage_func_default);
  if (given) return given->cls == PM_ATTR_ARRAY ? given->items[i] : given;
  pm_type type = pm_tuple_at(stage_type_of(func), i);
  return pm_is_float(type) ? pm_get_float(type, 0) : pm_get_int(type, 0);
}
