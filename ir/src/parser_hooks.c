/* What parse hooks call. */
#include "ir/src/parser.h"

#include <stdlib.h>
#include <string.h>

pm_context *pm_q_context(pm_parser *p) {
  return p->ctx;
}

pm_loc pm_q_loc(pm_parser *p) {
  return p->tok.loc;
}

bool pm_q_error(pm_parser *p, pm_loc loc, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  p->failed = true;
  pm_error(p->ctx, loc, "%s", text.data ? text.data : "");
  pm_buf_free(&text);
  return false;
}

/* --- tokens --- */

bool pm_q_opt_punct(pm_parser *p, const char *punct) {
  if (p->tok.kind != PM_TOK_PUNCT || *p->tok.text.ptr != *punct || !pm_str_is(p->tok.text, punct))
    return false;
  pm_parser_advance(p);
  return true;
}

bool pm_q_punct(pm_parser *p, const char *punct) {
  if (pm_q_opt_punct(p, punct)) return true;
  char what[16] = "'";
  strncat(what, punct, 8);
  return pm_parser_expected(p, strcat(what, "'"));
}

bool pm_q_opt_word(pm_parser *p, const char *word) {
  if (!pm_parser_at_word(p, word)) return false;
  pm_parser_advance(p);
  return true;
}

bool pm_q_word(pm_parser *p, const char *word) {
  if (pm_q_opt_word(p, word)) return true;
  char what[64] = "'";
  strncat(what, word, 60);
  return pm_parser_expected(p, strcat(what, "'"));
}

static bool take_text(pm_parser *p, pm_token_kind kind, const char *what, pm_string *text) {
  if (p->tok.kind != kind) return pm_parser_expected(p, what);
  *text = pm_get_string(p->ctx, pm_parser_text(p));
  pm_parser_advance(p);
  return true;
}

bool pm_q_name(pm_parser *p, pm_string *name) {
  return take_text(p, PM_TOK_WORD, "a word", name);
}

bool pm_q_string(pm_parser *p, pm_string *text) {
  return take_text(p, PM_TOK_STRING, "a string", text);
}

bool pm_q_symbol(pm_parser *p, pm_string *name) {
  return take_text(p, PM_TOK_SYMBOL, "a symbol such as @name", name);
}

/* --- attributes --- */

bool pm_q_attr_into(pm_parser *p, pm_op_state *state, const char *name, pm_type hint) {
  pm_attr attr;
  if (!pm_q_attr(p, hint, &attr)) return false;
  pm_state_attr(p->ctx, state, name, attr);
  return true;
}

bool pm_q_opt_attr_dict(pm_parser *p, pm_op_state *state) {
  if (!pm_parser_at_punct(p, '{')) return true;
  pm_attr_list list = {0};
  bool ok = pm_parser_attr_dict(p, &list);
  for (size_t i = 0; ok && i < list.names.len; i++) {
    PM_VEC_PUSH(state->attr_names, list.names.data[i]);
    PM_VEC_PUSH(state->attrs, list.items.data[i]);
  }
  PM_VEC_FREE(list.names);
  PM_VEC_FREE(list.items);
  return ok;
}

/* --- operands --- */

bool pm_q_operand(pm_parser *p, pm_operand_ref *ref) {
  if (p->tok.kind != PM_TOK_VALUE) return pm_parser_expected(p, "a value");
  *ref = (pm_operand_ref){p->tok.text, p->tok.number, p->tok.loc};
  pm_parser_advance(p);
  return true;
}

bool pm_q_operands(pm_parser *p, pm_operand_refs *refs) {
  if (p->tok.kind != PM_TOK_VALUE) return true;
  do {
    pm_operand_ref ref;
    if (!pm_q_operand(p, &ref)) return false;
    PM_VEC_PUSH(*refs, ref);
  } while (pm_q_opt_punct(p, ","));
  return true;
}

bool pm_q_resolve(pm_parser *p, const pm_operand_ref *ref, pm_type type, pm_op_state *state) {
  pm_value *value = pm_use_value(p, ref, type);
  if (!value) return false;
  PM_VEC_PUSH(state->operands, value);
  return true;
}

static bool resolve_known(pm_parser *p, const pm_operand_ref *ref, pm_op_state *state) {
  bool poisoned;
  pm_value *value = pm_find_value(p, ref, &poisoned);
  if (!value && !poisoned) return pm_undefined_value(p, ref);
  return pm_q_resolve(p, ref, value ? value->type : pm_get_index(p->ctx), state);
}

bool pm_q_resolve_affine(pm_parser *p, const pm_operand_refs *refs, pm_op_state *state) {
  for (size_t i = 0; i < refs->len; i++)
    if (!resolve_known(p, &refs->data[i], state)) return false;
  return true;
}

/* --- regions --- */

static bool parse_arg(pm_parser *p, pm_type type, pm_arg_specs *args) {
  pm_arg_spec arg = {p->tok.text, type, p->tok.loc};
  if (p->tok.kind != PM_TOK_VALUE) return pm_parser_expected(p, "the name of an argument");
  pm_parser_advance(p);
  if (!type && (!pm_q_punct(p, ":") || !pm_q_type(p, &arg.type))) return false;
  PM_VEC_PUSH(*args, arg);
  return true;
}

bool pm_q_args(pm_parser *p, pm_type type, pm_arg_specs *args) {
  if (!pm_q_punct(p, "(")) return false;
  if (pm_q_opt_punct(p, ")")) return true;
  do {
    if (args->len == PM_MAX_REGION_ARGS)
      return pm_q_error(p, p->tok.loc, "more than %d arguments", (int)PM_MAX_REGION_ARGS);
    if (!parse_arg(p, type, args)) return false;
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, ")");
}

static void add_args(pm_parser *p, pm_region *region, const pm_arg_specs *args) {
  for (size_t i = 0; args && i < args->len; i++) {
    const pm_arg_spec *arg = &args->data[i];
    pm_value *value = pm_add_arg(region, arg->type, pm_kept_name(p, arg->name));
    pm_define(p, arg->name, value, 1, arg->loc);
  }
}

/* `^bb(%x: t):` at the beginning of a region, or nothing. */
static bool parse_label(pm_parser *p, pm_region *region) {
  if (p->tok.kind != PM_TOK_LABEL) return true;
  pm_arg_specs args = {0};
  pm_parser_advance(p);
  bool ok = (!pm_parser_at_punct(p, '(') || pm_q_args(p, NULL, &args)) && pm_q_punct(p, ":");
  if (ok) add_args(p, region, &args);
  PM_VEC_FREE(args);
  return ok;
}

static bool parse_region_body(pm_parser *p, pm_region *region, const pm_arg_specs *args) {
  if (!pm_q_punct(p, "{")) return false;
  add_args(p, region, args);
  if (!args && !parse_label(p, region)) return false;
  pm_parser_ops(p);
  return pm_q_punct(p, "}");
}

/* Region `i` of the frame's carrier, empty and present; those before it that were skipped are absent. */
static pm_region *begin_region(pm_parser *p, pm_op_state *state, unsigned i) {
  pm_frame *f = pm_parser_frame(p);
  while (f->regions.len <= i) PM_VEC_PUSH(f->regions, pm_xcalloc(1, sizeof(pm_region)));
  for (; state->n_regions <= i; state->n_regions++)
    *f->regions.data[state->n_regions] = (pm_region){.op = &f->carrier, .module = p->module};
  return pm_region_begin(f->regions.data[i]);
}

bool pm_q_region(pm_parser *p, pm_op_state *state, unsigned i, const pm_arg_specs *args) {
  pm_region *outer = p->region, *region = begin_region(p, state, i);
  p->region = region;
  pm_scope_push(p, (state->desc->traits & PM_ISOLATED) != 0);
  bool ok = parse_region_body(p, region, args);
  pm_scope_pop(p);
  p->region = outer;
  return ok;
}
