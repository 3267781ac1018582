/* Parsing of affine expressions: of maps, where dimensions have names, and of lists of operands, where values
 * are the dimensions. */
#include "ir/src/parser.h"

#include <stdlib.h>

typedef PM_VEC(pm_str) words;

typedef struct affine {
  pm_parser *p;
  const words *dims, *syms; /* NULL when values are meant */
  pm_operand_refs *refs, *symbols;
  unsigned n_operators;
} affine;

static bool parse_sum(affine *a, pm_affine_expr *expr);

static bool find_word(const words *list, pm_str word, uint32_t *position) {
  for (size_t i = 0; i < list->len; i++)
    if (pm_str_eq(list->data[i], word)) return *position = (uint32_t)i, true;
  return false;
}

static bool parse_dim_name(affine *a, pm_affine_expr *expr) {
  pm_parser *p = a->p;
  uint32_t position;
  pm_str word = p->tok.text;
  if (find_word(a->dims, word, &position))
    *expr = pm_affine_dim(p->ctx, position);
  else if (find_word(a->syms, word, &position))
    *expr = pm_affine_sym(p->ctx, position);
  else
    return pm_q_error(p, p->tok.loc, "'%.*s' is no dimension or symbol of the map", (int)word.len, word.ptr);
  pm_parser_advance(p);
  return true;
}

/* The number of the value that is read among `refs`, where it is entered. */
static bool parse_ref(affine *a, pm_operand_refs *refs, uint32_t *number) {
  pm_operand_ref ref;
  if (!pm_q_operand(a->p, &ref)) return false;
  uint32_t i = 0;
  while (i < refs->len && !(refs->data[i].number == ref.number && pm_str_eq(refs->data[i].name, ref.name)))
    i++;
  if (a->refs->len + a->symbols->len == UINT16_MAX)
    return pm_q_error(a->p, ref.loc, "more than %d values", UINT16_MAX);
  if (i == refs->len)
    PM_VEC_PUSH(*refs, ref);
  else
    pm_parser_tell_use(a->p, ref.loc, refs->data[i].loc);
  *number = i;
  return true;
}

static bool parse_value(affine *a, pm_affine_expr *expr) {
  uint32_t i;
  if (!parse_ref(a, a->refs, &i)) return false;
  *expr = pm_affine_dim(a->p->ctx, i);
  return true;
}

/* What follows the word `symbol`. */
static bool parse_symbol(affine *a, pm_affine_expr *expr) {
  uint32_t i;
  if (!pm_q_punct(a->p, "(") || !parse_ref(a, a->symbols, &i)) return false;
  *expr = pm_affine_sym(a->p->ctx, i);
  return pm_q_punct(a->p, ")");
}

/* `negated` allows the one value that has no positive counterpart. */
static bool parse_literal(affine *a, bool negated, pm_affine_expr *expr) {
  pm_parser *p = a->p;
  int64_t value;
  if (negated && pm_str_is(p->tok.text, "9223372036854775808")) {
    pm_parser_advance(p);
    value = INT64_MIN;
  } else if (!pm_q_int(p, &value)) {
    return false;
  }
  *expr = pm_affine_const(p->ctx, value);
  return true;
}

static bool parse_primary(affine *a, bool negated, pm_affine_expr *expr) {
  pm_parser *p = a->p;
  if (p->tok.kind == PM_TOK_INT) return parse_literal(a, negated, expr);
  if (p->tok.kind == PM_TOK_VALUE && a->refs) return parse_value(a, expr);
  if (a->refs && pm_q_opt_word(p, "symbol")) return parse_symbol(a, expr);
  if (p->tok.kind == PM_TOK_WORD && a->dims) return parse_dim_name(a, expr);
  if (!pm_q_opt_punct(p, "(")) return pm_parser_expected(p, "an affine expression");
  if (!pm_parser_enter(p)) return false;
  bool ok = parse_sum(a, expr) && pm_q_punct(p, ")");
  pm_parser_leave(p);
  return ok;
}

static bool parse_unary(affine *a, bool negated, pm_affine_expr *expr) {
  bool minus = false;
  while (pm_q_opt_punct(a->p, "-")) {
    minus = !minus;
    negated = true;
  }
  if (!parse_primary(a, negated, expr)) return false;
  if (minus) *expr = pm_affine_mul(*expr, pm_affine_const((*expr)->ctx, -1));
  return true;
}

/* Bounds the depth of the expression, which later code walks recursively. */
static bool count_operator(affine *a) {
  if (++a->n_operators <= PM_MAX_AFFINE_OPERATORS) return true;
  return pm_q_error(a->p, a->p->tok.loc, "more than %d operators in affine expressions",
                    (int)PM_MAX_AFFINE_OPERATORS);
}

static bool has_dims(pm_affine_expr e) {
  if (e->kind == PM_AFFINE_DIM) return true;
  return e->lhs && (has_dims(e->lhs) || has_dims(e->rhs));
}

static bool combine(affine *a, pm_affine_kind kind, pm_loc loc, pm_affine_expr *l, pm_affine_expr r) {
  if (kind == PM_AFFINE_MUL && has_dims(r)) {
    if (has_dims(*l))
      return pm_q_error(a->p, loc, "a product of two dimensions, but one factor should have none");
    pm_affine_expr swapped = *l;
    *l = r;
    r = swapped;
  }
  if (kind >= PM_AFFINE_FLOORDIV && (r->kind != PM_AFFINE_CONST || r->value <= 0))
    return pm_q_error(a->p, loc, "the divisor should be a constant above 0");
  *l = pm_affine_binary(kind, *l, r);
  return true;
}

static bool product_operator(pm_parser *p, pm_affine_kind *kind) {
  if (pm_q_opt_punct(p, "*")) return *kind = PM_AFFINE_MUL, true;
  if (pm_q_opt_word(p, "floordiv")) return *kind = PM_AFFINE_FLOORDIV, true;
  if (pm_q_opt_word(p, "ceildiv")) return *kind = PM_AFFINE_CEILDIV, true;
  if (pm_q_opt_word(p, "mod")) return *kind = PM_AFFINE_MOD, true;
  return false;
}

static bool parse_product(affine *a, bool negated, pm_affine_expr *expr) {
  if (!parse_unary(a, negated, expr)) return false;
  pm_loc loc = a->p->tok.loc;
  for (pm_affine_kind kind; product_operator(a->p, &kind); loc = a->p->tok.loc) {
    pm_affine_expr right;
    if (!count_operator(a) || !parse_unary(a, false, &right) || !combine(a, kind, loc, expr, right))
      return false;
  }
  return true;
}

static bool parse_sum(affine *a, pm_affine_expr *expr) {
  if (!parse_product(a, false, expr)) return false;
  for (;;) {
    bool minus = pm_q_opt_punct(a->p, "-");
    if (!minus && !pm_q_opt_punct(a->p, "+")) return true;
    pm_affine_expr right;
    if (!count_operator(a) || !parse_product(a, minus, &right)) return false;
    if (minus) right = pm_affine_mul(right, pm_affine_const(right->ctx, -1));
    *expr = pm_affine_add(*expr, right);
  }
}

static bool begins_expr(const affine *a) {
  const pm_token *tok = &a->p->tok;
  return tok->kind == PM_TOK_INT || (tok->kind == PM_TOK_VALUE && a->refs) ||
         (tok->kind == PM_TOK_WORD && (a->dims || pm_str_is(tok->text, "symbol"))) ||
         pm_parser_at_punct(a->p, '(') || pm_parser_at_punct(a->p, '-');
}

typedef PM_VEC(pm_affine_expr) exprs;

static bool parse_exprs(affine *a, exprs *results) {
  if (!begins_expr(a)) return true;
  do {
    pm_affine_expr expr;
    if (!parse_sum(a, &expr)) return false;
    PM_VEC_PUSH(*results, expr);
  } while (pm_q_opt_punct(a->p, ","));
  return true;
}

bool pm_q_map(pm_parser *p, pm_affine_map *map, pm_operand_refs *refs) {
  exprs results = {0};
  pm_operand_refs symbols = {0};
  affine a = {.p = p, .refs = refs, .symbols = &symbols};
  bool ok = parse_exprs(&a, &results);
  if (ok)
    *map = pm_get_affine_map(p->ctx, (uint32_t)refs->len, (uint32_t)symbols.len, results.data,
                             (uint32_t)results.len);
  for (size_t i = 0; i < symbols.len; i++) PM_VEC_PUSH(*refs, symbols.data[i]);
  PM_VEC_FREE(symbols);
  PM_VEC_FREE(results);
  return ok;
}

/* `d0, d1` up to the punctuation that closes. */
static bool parse_names(pm_parser *p, words *list, const words *taken, const char *close) {
  if (pm_q_opt_punct(p, close)) return true;
  do {
    uint32_t position;
    if (p->tok.kind != PM_TOK_WORD) return pm_parser_expected(p, "the name of a dimension or symbol");
    if (find_word(list, p->tok.text, &position) || find_word(taken, p->tok.text, &position))
      return pm_q_error(p, p->tok.loc, "'%.*s' is named twice", (int)p->tok.text.len, p->tok.text.ptr);
    PM_VEC_PUSH(*list, p->tok.text);
    pm_parser_advance(p);
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, close);
}

static bool parse_map(affine *a, words *dims, words *syms, exprs *results) {
  pm_parser *p = a->p;
  if (!pm_q_punct(p, "<") || !pm_q_punct(p, "(") || !parse_names(p, dims, syms, ")")) return false;
  if (pm_q_opt_punct(p, "[") && !parse_names(p, syms, dims, "]")) return false;
  return pm_q_punct(p, "->") && pm_q_punct(p, "(") && parse_exprs(a, results) && pm_q_punct(p, ")") &&
         pm_q_punct(p, ">");
}

bool pm_parser_affine_map(pm_parser *p, pm_affine_map *map) {
  words dims = {0}, syms = {0};
  exprs results = {0};
  affine a = {.p = p, .dims = &dims, .syms = &syms};
  bool ok = parse_map(&a, &dims, &syms, &results);
  if (ok)
    *map = pm_get_affine_map(p->ctx, (uint32_t)dims.len, (uint32_t)syms.len, results.data,
                             (uint32_t)results.len);
  PM_VEC_FREE(dims);
  PM_VEC_FREE(syms);
  PM_VEC_FREE(results);
  return ok;
}
