/* The loop dialect: text forms and verification of functions, loops and conditions. */
#include "dialects/loop/loop.h"

#include <stdlib.h>
#include <string.h>

#include "dialects/loop/analyses/items.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "ir/text.h"

#define PM_DIALECT loop
#define PM_DIALECT_DEF "dialects/loop/loop.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect loop_dialect = {
    .name = "loop",
    .ops = loop_op_table,
    .doc = "functions, loops and conditions: what the targets read",
};

/* --- shared by the hooks --- */

/* ` attributes {…}`: what the descriptor does not know; nothing when there is none. */
static void print_extra(pm_printer *p, const pm_op *op, const char *const *but) {
  if (!pm_extra(op)) return;
  pm_p(p, " attributes");
  pm_p_attr_dict(p, op, but);
}

static bool parse_extra(pm_parser *p, pm_op_state *state) {
  return !pm_q_opt_word(p, "attributes") || pm_q_opt_attr_dict(p, state);
}

static bool parse_sym(pm_parser *p, pm_op_state *state) {
  pm_string name = NULL;
  if (!pm_q_symbol(p, &name)) return false;
  pm_state_attr(pm_q_context(p), state, "sym", pm_get_symbol(pm_q_context(p), name));
  return true;
}

static bool parse_condition(pm_parser *p, pm_op_state *state) {
  return pm_q_inline(p, pm_get_i1(pm_q_context(p)), state);
}

static bool verify_scalar_condition(const pm_op *op, const pm_value *condition) {
  if (condition->type->cls == PM_TYPE_SCALAR && pm_is_bool(condition->type)) return true;
  return pm_op_error(op, "has a condition of type %pT, which should be i1", (const void *)condition->type);
}

static bool verify_in_func(const pm_op *op) {
  if (pm_is(pm_parent(op), &loop_func)) return true;
  return pm_op_error(op, "is inside %s, but belongs directly in a loop.func",
                     pm_parent(op) ? pm_parent(op)->desc->name : "nothing");
}

/* The region ends with a loop.yield of one value a result of `op`, and with none when there are no results.
 */
static bool verify_yield(const pm_op *op, const pm_region *region, const char *which) {
  const pm_op *yield = pm_terminator(region);
  if (!op->n_results)
    return !yield || pm_op_error(yield, "is in a %s of %s that has no results, where it should not be", which,
                                 op->desc->name);
  if (!pm_is(yield, &loop_yield))
    return pm_op_error(op, "has a %s that ends without loop.yield, but it has %u results", which,
                       op->n_results);
  if (yield->n_operands != op->n_results)
    return pm_op_error(yield, "has %u values, but %s around it has %u results", yield->n_operands,
                       op->desc->name, op->n_results);
  for (unsigned i = 0; i < op->n_results; i++)
    if (pm_arg(yield, i)->type != pm_res(op, i)->type)
      return pm_op_error(yield, "has value %u of type %pT, but result %u of %s is %pT", i,
                         (const void *)pm_arg(yield, i)->type, i, op->desc->name,
                         (const void *)pm_res(op, i)->type);
  return true;
}

static bool verify_counter(const pm_op *op, const pm_region *body, unsigned n_args) {
  if (body->n_args != n_args)
    return pm_op_error(op, "has a body of %u arguments, which should be %u", body->n_args, n_args);
  if (!pm_is_index(body->args[0]->type))
    return pm_op_error(op, "has a counter of type %pT, which should be index",
                       (const void *)body->args[0]->type);
  return true;
}

static bool verify_step(const pm_op *op, unsigned slot) {
  if (pm_int_at(op, slot) > 0) return true;
  return pm_op_error(op, "has step %lld, which should be greater than 0", (long long)pm_int_at(op, slot));
}

/* ` %i = %lb to %ub step 1` */
static void print_header(pm_printer *p, const pm_op *op, const pm_region *body, unsigned step) {
  pm_p(p, " ");
  pm_p_value(p, body->args[0]);
  pm_p(p, " = ");
  pm_p_inline(p, pm_arg(op, 0));
  pm_p(p, " to ");
  pm_p_inline(p, pm_arg(op, 1));
  pm_p(p, " step %lld", (long long)pm_int_at(op, step));
}

/* The counter becomes the first of `args`. */
static bool parse_header(pm_parser *p, pm_op_state *state, pm_arg_specs *args) {
  pm_context *ctx = pm_q_context(p);
  pm_type index = pm_get_index(ctx);
  pm_operand_ref counter;
  int64_t step = 0;
  if (!pm_q_operand(p, &counter) || !pm_q_punct(p, "=") || !pm_q_inline(p, index, state) ||
      !pm_q_word(p, "to") || !pm_q_inline(p, index, state) || !pm_q_word(p, "step") || !pm_q_int(p, &step))
    return false;
  pm_state_attr(ctx, state, "step", pm_get_index_attr(ctx, step));
  pm_arg_spec spec = {counter.name, index, counter.loc};
  PM_VEC_PUSH(*args, spec);
  return true;
}

/* `(t, t)` into the results of the state. */
static bool parse_result_types(pm_parser *p, pm_op_state *state) {
  if (!pm_q_punct(p, "(")) return false;
  do {
    pm_type type = NULL;
    if (!pm_q_type(p, &type)) return false;
    PM_VEC_PUSH(state->results, type);
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, ")");
}

static void print_result_types(pm_printer *p, const pm_op *op) {
  pm_p(p, " : (");
  for (unsigned i = 0; i < op->n_results; i++)
    pm_p(p, "%s%pT", i ? ", " : "", (const void *)pm_res(op, i)->type);
  pm_p(p, ")");
}

/* --- loop.func --- */

static bool verify_pure(const pm_op *op) {
  if (pm_is(op, &loop_param) || pm_is(op, &loop_yield) || pm_has_trait(op, PM_PURE)) return true;
  return pm_op_error(op, "is in a loop.func with a result, where all ops should be pure");
}

/* A loop.yield of the result at the end, and nothing with an effect before it. */
static bool verify_result(const pm_op *op, const pm_region *body, pm_type result) {
  const pm_op *yield = pm_terminator(body);
  if (result->cls != PM_TYPE_SCALAR)
    return pm_op_error(op, "has a result of type %pT, which should be a scalar", (const void *)result);
  if (loop_is_private(op)) return pm_op_error(op, "is private, but has a result");
  if (!pm_is(yield, &loop_yield) || yield->n_operands != 1 || pm_arg(yield, 0)->type != result)
    return pm_op_error(op, "should end with a loop.yield of one value of type %pT", (const void *)result);
  PM_FOR_OPS(inner, body)
  if (!verify_pure(inner)) return false;
  return true;
}

static bool verify_of(const pm_op *op) {
  pm_string of = pm_sym_at(op, loop_func_of), name = pm_sym_at(op, loop_func_sym);
  if (!of || strncmp(name->text, of->text, of->len) == 0) return true;
  return pm_op_error(op, "describes @%pS, so its name should begin with that name", (const void *)of);
}

bool loop_func_verify(const pm_op *op) {
  pm_string fp = pm_sym_at(op, loop_func_fp);
  if (fp && strcmp(fp->text, "strict") && strcmp(fp->text, "contract") && strcmp(fp->text, "fast"))
    return pm_op_error(op, "has fp = \"%s\", which should be strict, contract or fast", fp->text);
  const pm_region *body = pm_region_at(op, loop_func_body);
  if (body->n_args) return pm_op_error(op, "has a body of %u arguments, which should be 0", body->n_args);
  pm_type result = loop_result_of(op);
  if (!verify_of(op)) return false;
  return result ? verify_result(op, body, result) : verify_yield(op, body, "body");
}

/* ` of @f`, if it is there. */
static void print_relation(pm_printer *p, const pm_op *op, const char *word, unsigned slot) {
  if (!pm_attr_at(op, slot)) return;
  pm_p(p, " %s ", word);
  pm_p_symbol(p, pm_sym_at(op, slot));
}

void loop_func_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"sym",    "of",  "version", "region", "fp",
                                      "result", "doc", "private", NULL};
  pm_p(p, loop_is_private(op) ? " private " : " ");
  pm_p_symbol(p, pm_sym_at(op, loop_func_sym));
  print_relation(p, op, "of", loop_func_of);
  print_relation(p, op, "version", loop_func_version);
  print_relation(p, op, "region", loop_func_region);
  if (pm_attr_at(op, loop_func_fp)) {
    pm_p(p, " fp ");
    pm_p_attr(p, pm_attr_at(op, loop_func_fp));
  }
  if (loop_result_of(op)) pm_p(p, " -> %pT", (const void *)loop_result_of(op));
  if (pm_attr_at(op, loop_func_doc)) {
    pm_p(p, " doc ");
    pm_p_attr(p, pm_attr_at(op, loop_func_doc));
  }
  print_extra(p, op, shown);
  pm_p(p, " ");
  pm_p_region(p, pm_region_at(op, loop_func_body), false);
}

/* `word "…"`, if it is there. */
static bool parse_text(pm_parser *p, pm_op_state *state, const char *word) {
  pm_string text = NULL;
  if (!pm_q_opt_word(p, word)) return true;
  if (!pm_q_string(p, &text)) return false;
  pm_state_attr(pm_q_context(p), state, word,
                pm_get_string_attr(pm_q_context(p), (pm_str){text->text, text->len}));
  return true;
}

/* `word @f`, if it is there. */
static bool parse_relation(pm_parser *p, pm_op_state *state, const char *word) {
  pm_string name = NULL;
  if (!pm_q_opt_word(p, word)) return true;
  if (!pm_q_symbol(p, &name)) return false;
  pm_state_attr(pm_q_context(p), state, word, pm_get_symbol(pm_q_context(p), name));
  return true;
}

/* `-> type`, if it is there. */
static bool parse_result(pm_parser *p, pm_op_state *state) {
  pm_type type = NULL;
  if (!pm_q_opt_punct(p, "->")) return true;
  if (!pm_q_type(p, &type)) return false;
  pm_state_attr(pm_q_context(p), state, "result", pm_get_type_attr(type));
  return true;
}

bool loop_func_parse(pm_parser *p, pm_op_state *state) {
  if (pm_q_opt_word(p, "private"))
    pm_state_attr(pm_q_context(p), state, "private", pm_get_unit(pm_q_context(p)));
  return parse_sym(p, state) && parse_relation(p, state, "of") && parse_relation(p, state, "version") &&
         parse_relation(p, state, "region") && parse_text(p, state, "fp") && parse_result(p, state) &&
         parse_text(p, state, "doc") && parse_extra(p, state) && pm_q_region(p, state, loop_func_body, NULL);
}

/* --- loop.param --- */

bool loop_param_verify(const pm_op *op) {
  return verify_in_func(op);
}

void loop_param_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"sym", NULL};
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, loop_param_sym));
  pm_p_attr_dict(p, op, shown);
  pm_p(p, " : %pT", (const void *)pm_res(op, 0)->type);
}

bool loop_param_parse(pm_parser *p, pm_op_state *state) {
  pm_type type = NULL;
  if (!parse_sym(p, state) || !pm_q_opt_attr_dict(p, state) || !pm_q_punct(p, ":") || !pm_q_type(p, &type))
    return false;
  PM_VEC_PUSH(state->results, type);
  return true;
}

/* --- loop.require --- */

static pm_walk stop_at_write(void *user, pm_op *op) {
  (void)user;
  return pm_has_trait(op, PM_WRITES) ? PM_WALK_STOP : PM_WALK_ON;
}

const char *loop_code_text(int64_t code) {
  switch (code) {
  case LOOP_NULL_POINTER:
    return "an array argument is a null pointer";
  case LOOP_BAD_ARGUMENT:
    return "an argument is outside of what the function was made for";
  case LOOP_OUT_OF_MEMORY:
    return "out of memory";
  case LOOP_TOO_LARGE:
    return "the size of an array does not fit 64 bits";
  case LOOP_BAD_BUFFER:
    return "a buffer has another type or number of dimensions, or lacks indices";
  case LOOP_SMALL_WINDOW:
    return "an array lacks elements that the boxes need";
  case LOOP_BAD_BOX:
    return "a box is not inside of its output";
  default:
    return NULL;
  }
}

bool loop_may_give(const pm_op *func, int64_t code) {
  bool of_regions = code == LOOP_SMALL_WINDOW || code == LOOP_BAD_BOX;
  return loop_code_text(code) && (!of_regions || pm_attr_at(func, loop_func_region));
}

static bool verify_code(const pm_op *op) {
  int64_t code = pm_int_at(op, loop_require_code);
  if (code < 1 || code > INT32_MAX)
    return pm_op_error(op, "has code %lld, which should be in 1..%d", (long long)code, INT32_MAX);
  return pm_attr_at(op, loop_require_message) || loop_code_text(code) ||
         pm_op_error(op, "has code %lld, which means nothing by itself, but no message", (long long)code);
}

bool loop_require_verify(const pm_op *op) {
  if (!verify_scalar_condition(op, pm_arg(op, loop_require_condition))) return false;
  if (pm_attr_at(op, loop_require_code)) return verify_code(op);
  if (!pm_attr_at(op, loop_require_message)) return pm_op_error(op, "has neither a message nor a code");
  if (!verify_in_func(op)) return false;
  if (loop_is_private(pm_parent(op)))
    return pm_op_error(op, "is inside a private loop.func, which no caller outside can break");
  for (pm_op *before = pm_prev(op); before; before = pm_prev(before))
    if (!pm_walk_pre(before, stop_at_write, NULL)) {
      pm_op_error(op, "is after a write, but should be before all writes");
      pm_note(pm_op_context(op), before->loc, "the write is here");
      return false;
    }
  return true;
}

void loop_require_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"message", "code", NULL};
  pm_p(p, " ");
  pm_p_inline(p, pm_arg(op, loop_require_condition));
  if (pm_attr_at(op, loop_require_message)) {
    pm_p(p, ", ");
    pm_p_attr(p, pm_attr_at(op, loop_require_message));
  }
  pm_p_word_attrs(p, op, loop_require_code, 1);
  pm_p_attr_dict(p, op, shown);
}

bool loop_require_parse(pm_parser *p, pm_op_state *state) {
  pm_string text = NULL;
  if (!parse_condition(p, state)) return false;
  if (pm_q_opt_punct(p, ",")) {
    if (!pm_q_string(p, &text)) return false;
    pm_state_attr(pm_q_context(p), state, "message",
                  pm_get_string_attr(pm_q_context(p), (pm_str){text->text, text->len}));
  }
  return pm_q_opt_word_attrs(p, state, loop_require_code, 1) && pm_q_opt_attr_dict(p, state);
}

/* --- loop.barrier --- */

bool loop_barrier_verify(const pm_op *op) {
  return !loop_is_in_items(op) ||
         pm_op_error(op, "is in a loop of items, which the work-items of a group do not run equally often");
}

void loop_barrier_print(pm_printer *p, const pm_op *op) {
  pm_p_attr_dict(p, op, NULL);
}

bool loop_barrier_parse(pm_parser *p, pm_op_state *state) {
  return pm_q_opt_attr_dict(p, state);
}

/* --- loop.for --- */

enum {
  N_FOR_WORDS = loop_for_N_ATTRS - loop_for_simd,
  N_PARALLEL_WORDS = loop_parallel_N_ATTRS - loop_parallel_schedule
};

static bool verify_from(const pm_op *op, unsigned slot, int64_t least, int64_t most) {
  pm_attr value = pm_attr_at(op, slot);
  if (!value || (value->i >= least && value->i <= most)) return true;
  return pm_op_error(op, "has %lld as its %s, which should be in %lld..%lld", (long long)value->i,
                     op->desc->attrs[slot].name, (long long)least, (long long)most);
}

/* What only simd loops have, and what none of them has. */
static bool verify_hints(const pm_op *op) {
  bool simd = pm_attr_at(op, loop_for_simd);
  static const struct {
    unsigned slot;
    bool simd;
  } rows[] = {
      {loop_for_width, true}, {loop_for_unroll, false}, {loop_for_jam, false}, {loop_for_prefetch, true}};
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (pm_attr_at(op, rows[i].slot) && rows[i].simd != simd)
      return pm_op_error(op, "has '%s', but only a loop with%s simd should have that",
                         op->desc->attrs[rows[i].slot].name, simd ? "out" : "");
  return verify_from(op, loop_for_width, 2, INT32_MAX) &&
         verify_from(op, loop_for_unroll, 0, LOOP_MOST_UNROLL) &&
         verify_from(op, loop_for_jam, 2, LOOP_MOST_UNROLL) &&
         verify_from(op, loop_for_prefetch, 1, LOOP_MOST_PREFETCH);
}

bool loop_for_verify(const pm_op *op) {
  const pm_region *body = pm_region_at(op, loop_for_body);
  unsigned n = op->n_operands - loop_for_inits;
  if (!verify_step(op, loop_for_step) || !verify_hints(op) || !verify_counter(op, body, n + 1)) return false;
  if (op->n_results != n)
    return pm_op_error(op, "has %u results for %u carried values, which should be equal", op->n_results, n);
  for (unsigned i = 0; i < n; i++) {
    pm_type init = pm_arg(op, loop_for_inits + i)->type;
    if (init != body->args[i + 1]->type || init != pm_res(op, i)->type)
      return pm_op_error(op, "carries value %u as %pT in the body and gives %pT, but it begins as %pT", i,
                         (const void *)body->args[i + 1]->type, (const void *)pm_res(op, i)->type,
                         (const void *)init);
  }
  return verify_yield(op, body, "body");
}

static void print_carry(pm_printer *p, const pm_op *op, const pm_region *body) {
  pm_p(p, " carry(");
  for (unsigned i = 0; i < op->n_results; i++) {
    pm_p(p, "%s", i ? ", " : "");
    pm_p_value(p, body->args[i + 1]);
    pm_p(p, " = ");
    pm_p_value(p, pm_arg(op, loop_for_inits + i));
  }
  pm_p(p, ")");
  print_result_types(p, op);
}

void loop_for_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"step", "simd", "width", "unroll", "jam", "prefetch", NULL};
  const pm_region *body = pm_region_at(op, loop_for_body);
  print_header(p, op, body, loop_for_step);
  pm_p_word_attrs(p, op, loop_for_simd, N_FOR_WORDS);
  if (op->n_results) print_carry(p, op, body);
  print_extra(p, op, shown);
  pm_p(p, " ");
  pm_p_region(p, body, false);
}

/* `carry(%a = %x, …) : (t, …)`, without the word: region arguments, operands, results. */
static bool parse_carry(pm_parser *p, pm_op_state *state, pm_arg_specs *args, pm_operand_refs *inits) {
  if (!pm_q_punct(p, "(")) return false;
  do {
    pm_operand_ref name, init;
    if (!pm_q_operand(p, &name) || !pm_q_punct(p, "=") || !pm_q_operand(p, &init)) return false;
    pm_arg_spec spec = {name.name, NULL, name.loc};
    PM_VEC_PUSH(*args, spec);
    PM_VEC_PUSH(*inits, init);
  } while (pm_q_opt_punct(p, ","));
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_punct(p, ")") || !pm_q_punct(p, ":") || !parse_result_types(p, state)) return false;
  if (state->results.len != inits->len)
    return pm_q_error(p, loc, "%zu values are carried, but %zu types are given", inits->len,
                      state->results.len);
  for (size_t i = 0; i < inits->len; i++) {
    args->data[i + 1].type = state->results.data[i];
    if (!pm_q_resolve(p, &inits->data[i], state->results.data[i], state)) return false;
  }
  return true;
}

static bool parse_for(pm_parser *p, pm_op_state *state, pm_arg_specs *args, pm_operand_refs *inits) {
  if (!parse_header(p, state, args) || !pm_q_opt_word_attrs(p, state, loop_for_simd, N_FOR_WORDS))
    return false;
  if (pm_q_opt_word(p, "carry") && !parse_carry(p, state, args, inits)) return false;
  return parse_extra(p, state) && pm_q_region(p, state, loop_for_body, args);
}

bool loop_for_parse(pm_parser *p, pm_op_state *state) {
  pm_arg_specs args = {0};
  pm_operand_refs inits = {0};
  bool ok = parse_for(p, state, &args, &inits);
  PM_VEC_FREE(args);
  PM_VEC_FREE(inits);
  return ok;
}

/* --- loop.parallel --- */

static bool verify_group(const pm_op *op) {
  pm_attr group = pm_attr_at(op, loop_parallel_group);
  if (group && group->len > 3)
    return pm_op_error(op, "has groups of %u dimensions, which should be three at most", group->len);
  for (size_t i = 0; group && i < group->len; i++)
    if (group->items[i]->i < 1 || group->items[i]->i > INT32_MAX)
      return pm_op_error(op, "has %lld items along a dimension of its groups, which should be in 1..%d",
                         (long long)group->items[i]->i, INT32_MAX);
  return true;
}

static bool verify_layout(const pm_op *op) {
  pm_attr layout = pm_attr_at(op, loop_parallel_layout);
  if (!layout) return true;
  if (layout->len != 2 || layout->items[0]->i < 1 || layout->items[1]->i < 1)
    return pm_op_error(op, "has a layout that should be a number of rows and one of columns, from 1");
  if (loop_is_of_items(op) && !loop_is_in_items(op) && loop_item_depth(op) == 2) return true;
  return pm_op_error(op, "has a layout, but only the outer of two nested loops of items should have that");
}

bool loop_parallel_verify(const pm_op *op) {
  const pm_region *body = pm_region_at(op, loop_parallel_body);
  pm_string schedule = pm_sym_at(op, loop_parallel_schedule);
  if (schedule && strcmp(schedule->text, "static") && strcmp(schedule->text, "dynamic"))
    return pm_op_error(op, "has \"%s\" as its schedule, which should be static or dynamic", schedule->text);
  return verify_group(op) && verify_layout(op) && verify_step(op, loop_parallel_step) &&
         verify_counter(op, body, 1) && verify_yield(op, body, "body");
}

void loop_parallel_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"step", "schedule", "group", "items", "layout", NULL};
  const pm_region *body = pm_region_at(op, loop_parallel_body);
  print_header(p, op, body, loop_parallel_step);
  pm_p_word_attrs(p, op, loop_parallel_schedule, N_PARALLEL_WORDS);
  print_extra(p, op, shown);
  pm_p(p, " ");
  pm_p_region(p, body, false);
}

bool loop_parallel_parse(pm_parser *p, pm_op_state *state) {
  pm_arg_specs args = {0};
  bool ok = parse_header(p, state, &args) &&
            pm_q_opt_word_attrs(p, state, loop_parallel_schedule, N_PARALLEL_WORDS) &&
            parse_extra(p, state) && pm_q_region(p, state, loop_parallel_body, &args);
  PM_VEC_FREE(args);
  return ok;
}

/* --- loop.if --- */

bool loop_if_verify(const pm_op *op) {
  const pm_region *then = pm_region_at(op, loop_if_then), *other = pm_region_at(op, loop_if_else);
  if (!verify_scalar_condition(op, pm_arg(op, loop_if_condition))) return false;
  if (then->n_args || other->n_args)
    return pm_op_error(op, "has regions with arguments, which should have none");
  if (op->n_results && !other->present)
    return pm_op_error(op, "has %u results but no else, which should be there", op->n_results);
  return verify_yield(op, then, "then") && (!other->present || verify_yield(op, other, "else"));
}

void loop_if_print(pm_printer *p, const pm_op *op) {
  const pm_region *other = pm_region_at(op, loop_if_else);
  pm_p(p, " ");
  pm_p_inline(p, pm_arg(op, loop_if_condition));
  if (op->n_results) print_result_types(p, op);
  print_extra(p, op, NULL);
  pm_p(p, " ");
  pm_p_region(p, pm_region_at(op, loop_if_then), false);
  if (!other->present) return;
  pm_p(p, " else ");
  pm_p_region(p, other, false);
}

bool loop_if_parse(pm_parser *p, pm_op_state *state) {
  if (!parse_condition(p, state)) return false;
  if (pm_q_opt_punct(p, ":") && !parse_result_types(p, state)) return false;
  if (!parse_extra(p, state) || !pm_q_region(p, state, loop_if_then, NULL)) return false;
  return !pm_q_opt_word(p, "else") || pm_q_region(p, state, loop_if_else, NULL);
}

/* --- building --- */

pm_op *loop_build_if(pm_builder *b, pm_value *condition) {
  return loop_build_if_of(b, condition, NULL, 0);
}

pm_op *loop_build_if_of(pm_builder *b, pm_value *condition, const pm_type *results, unsigned n) {
  pm_op_state state = {.desc = &loop_if, .loc = b->loc, .n_regions = loop_if_N_REGIONS};
  PM_VEC_PUSH(state.operands, condition);
  for (unsigned i = 0; i < n; i++) PM_VEC_PUSH(state.results, results[i]);
  pm_op *op = pm_op_new(b->module, &state);
  pm_op_state_free(&state);
  pm_insert(b->region, b->before, op);
  return op;
}
