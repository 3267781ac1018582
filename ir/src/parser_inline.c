/* Parsing of ops inside the text of those that use them. */
#include "ir/src/inline.h"
#include "ir/src/parser.h"

#include <stdlib.h>
#include <string.h>

/* An expression that was read. */
typedef struct expression {
  pm_loc loc;
  pm_value *value;    /* NULL: */
  pm_operand_ref ref; /* a value whose type what is around says */
} expression;

static bool parse_at(pm_parser *p, pm_inline_level least, expression *e);

/* --- forms --- */

static void add_forms(pm_parser *p, const pm_op_desc *desc) {
  for (const pm_inline_form *form = desc->inline_forms; form && form->kind; form++)
    PM_VEC_PUSH(p->inlines, ((pm_inline_entry){desc, form}));
}

static void collect_forms(pm_parser *p) {
  for (size_t i = 0; !p->inlines.len && i < pm_dialect_count(p->ctx); i++)
    for (const pm_op_desc *const *op = pm_dialect_at(p->ctx, i)->ops; op && *op; op++) add_forms(p, *op);
}

/* The text at the token is that word, or begins with those signs, which no '=' makes others. */
static bool is_spelled(const pm_parser *p, const char *spelling) {
  size_t n = strlen(spelling), left = (size_t)(p->lexer.end - p->tok.start);
  if (p->tok.kind == PM_TOK_WORD || p->tok.text.len > n) return pm_str_is(p->tok.text, spelling);
  if (p->tok.kind != PM_TOK_PUNCT || left < n || memcmp(p->tok.start, spelling, n) != 0) return false;
  return left == n || p->tok.start[n] != '=';
}

static const pm_inline_entry *form_at_token(pm_parser *p, bool infix) {
  collect_forms(p);
  for (size_t i = 0; i < p->inlines.len; i++) {
    const pm_inline_entry *entry = &p->inlines.data[i];
    bool primary = pm_inline_level_of(entry->form->kind) == PM_LEVEL_PRIMARY;
    if (primary != infix && entry->form->spelling && is_spelled(p, entry->form->spelling)) return entry;
  }
  return NULL;
}

static const pm_inline_entry *form_of_numbers(pm_parser *p) {
  collect_forms(p);
  for (size_t i = 0; i < p->inlines.len; i++)
    if (p->inlines.data[i].form->kind == PM_INLINE_NUMBER) return &p->inlines.data[i];
  return NULL;
}

static void skip_spelling(pm_parser *p, const char *spelling) {
  for (const char *end = p->tok.start + strlen(spelling); p->tok.start < end;) pm_parser_advance(p);
}

/* "max(…), …" */
static bool expected_primary(pm_parser *p) {
  pm_buf what = {0};
  pm_buf_puts(&what, "a value");
  for (size_t i = 0; p->tok.kind == PM_TOK_WORD && i < p->inlines.len; i++) {
    const pm_inline_form *form = p->inlines.data[i].form;
    if (form->kind == PM_INLINE_CALL || form->kind == PM_INLINE_CAST)
      pm_buf_printf(&what, ", %s(…)", form->spelling);
  }
  if (p->tok.kind == PM_TOK_WORD) pm_buf_puts(&what, " or a number");
  pm_parser_expected(p, what.data);
  pm_buf_free(&what);
  return false;
}

/* --- ops --- */

/* Of the operands in `state`, at the end of the region. */
static pm_value *make_op(pm_parser *p, pm_op_state *state, const pm_inline_form *form, pm_attr attr) {
  PM_VEC_PUSH(state->results, pm_get_scalar(p->ctx, pm_inline_gives(form->kind)));
  if (form->value) attr = pm_get_string_attr(p->ctx, pm_str_of(form->value));
  if (attr) pm_state_attr(p->ctx, state, state->desc->attrs[0].name, attr);
  pm_op *op = pm_op_new(p->module, state);
  pm_insert(p->region, NULL, op);
  return pm_res(op, 0);
}

static bool wrong_type(pm_parser *p, const expression *e, pm_type type) {
  return pm_q_error(p, e->loc, "the expression has type %pT, but is used with type %pT",
                    (const void *)e->value->type, (const void *)type);
}

/* The expression is an operand of that type. */
static bool resolve(pm_parser *p, const expression *e, pm_type type, pm_op_state *state) {
  if (!e->value) return pm_q_resolve(p, &e->ref, type, state);
  if (e->value->type != type) return wrong_type(p, e, type);
  PM_VEC_PUSH(state->operands, e->value);
  return true;
}

/* --- what is not infix --- */

static bool parse_number(pm_parser *p, expression *e, int64_t least) {
  const pm_inline_entry *entry = form_of_numbers(p);
  int64_t number = 0;
  pm_op_state state = {.desc = entry ? entry->desc : NULL, .loc = p->tok.loc};
  if (!entry) return pm_parser_expected(p, "a value");
  if (!pm_q_int(p, &number)) return false;
  if (number < least)
    return pm_q_error(p, state.loc, "the divisor is %lld, but should be a number from 1 on",
                      (long long)number);
  e->value = make_op(p, &state, entry->form, pm_get_index_attr(p->ctx, number));
  pm_op_state_free(&state);
  return true;
}

static bool parse_cast_operand(pm_parser *p, pm_op_state *state) {
  pm_operand_ref ref;
  pm_type type = NULL;
  return pm_q_operand(p, &ref) && pm_q_punct(p, ":") && pm_q_type(p, &type) &&
         pm_q_resolve(p, &ref, type, state);
}

static bool parse_call_operands(pm_parser *p, pm_op_state *state) {
  for (unsigned i = 0; i < state->desc->n_args; i++) {
    expression e;
    if ((i && !pm_q_punct(p, ",")) || !parse_at(p, PM_LEVEL_ANY, &e) ||
        !resolve(p, &e, pm_get_index(p->ctx), state))
      return false;
  }
  return true;
}

static bool parse_call(pm_parser *p, const pm_inline_entry *entry, expression *e) {
  pm_op_state state = {.desc = entry->desc, .loc = p->tok.loc};
  pm_parser_advance(p);
  bool is_cast = entry->form->kind == PM_INLINE_CAST;
  bool ok = pm_q_punct(p, "(") &&
            (is_cast ? parse_cast_operand(p, &state) : parse_call_operands(p, &state)) && pm_q_punct(p, ")");
  if (ok) e->value = make_op(p, &state, entry->form, NULL);
  pm_op_state_free(&state);
  return ok;
}

static bool parse_primary(pm_parser *p, expression *e) {
  *e = (expression){.loc = p->tok.loc};
  if (p->tok.kind == PM_TOK_VALUE) return pm_q_operand(p, &e->ref);
  if (p->tok.kind == PM_TOK_INT || pm_parser_at_punct(p, '-')) return parse_number(p, e, INT64_MIN);
  if (pm_q_opt_punct(p, "(")) return parse_at(p, PM_LEVEL_ANY, e) && pm_q_punct(p, ")");
  const pm_inline_entry *entry = p->tok.kind == PM_TOK_WORD ? form_at_token(p, false) : NULL;
  return entry ? parse_call(p, entry, e) : expected_primary(p);
}

static bool parse_nested(pm_parser *p, expression *e) {
  if (p->inline_depth == PM_MOST_INLINE_NESTING)
    return pm_q_error(p, p->tok.loc, "the expression is nested deeper than %d levels",
                      (int)PM_MOST_INLINE_NESTING);
  p->inline_depth++;
  bool ok = parse_primary(p, e);
  p->inline_depth--;
  return ok;
}

/* --- infix --- */

static bool parse_right(pm_parser *p, const pm_inline_form *form, expression *e) {
  if (form->kind != PM_INLINE_QUOTIENT) return parse_at(p, pm_inline_level_of(form->kind) + 1, e);
  *e = (expression){.loc = p->tok.loc};
  if (p->tok.kind == PM_TOK_INT || pm_parser_at_punct(p, '-')) return parse_number(p, e, 1);
  return pm_parser_expected(p, "a number, the divisor");
}

/* `e` is the left operand, then the whole; it is made before what is to its right. */
static bool parse_rest(pm_parser *p, const pm_inline_entry *entry, expression *e) {
  const pm_inline_form *form = entry->form;
  pm_op_state state = {.desc = entry->desc, .loc = e->loc};
  pm_type type = pm_get_scalar(p->ctx, pm_inline_takes(form->kind));
  expression right;
  skip_spelling(p, form->spelling);
  bool ok = resolve(p, e, type, &state) && parse_right(p, form, &right) && resolve(p, &right, type, &state);
  if (ok) e->value = make_op(p, &state, form, NULL);
  pm_op_state_free(&state);
  return ok;
}

static bool parse_at(pm_parser *p, pm_inline_level least, expression *e) {
  if (!parse_nested(p, e)) return false;
  for (;;) {
    const pm_inline_entry *entry = form_at_token(p, true);
    if (!entry || pm_inline_level_of(entry->form->kind) < least) return true;
    if (!parse_rest(p, entry, e)) return false;
  }
}

bool pm_q_inline(pm_parser *p, pm_type type, pm_op_state *state) {
  expression e;
  return parse_at(p, PM_LEVEL_ANY, &e) && resolve(p, &e, type, state);
}

bool pm_q_inlines(pm_parser *p, pm_type type, pm_op_state *state) {
  do
    if (!pm_q_inline(p, type, state)) return false;
  while (pm_q_opt_punct(p, ","));
  return true;
}
