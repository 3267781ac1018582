/* Macros, by D. Prosser's algorithm, which the standard describes: each token carries the names of the macros
 * that it comes from, and these are not replaced in it again. */
#include "frontends/cxx/syntax/macros.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TOKENS = 1 << 20, MAX_DEPTH = 100 };

typedef struct macro {
  const cx_token *body;
  size_t len;
  bool takes_arguments, is_variadic;
  pm_string *params; /* the last one of a variadic macro has all arguments that are left */
  size_t n_params;
} macro;

/* The macros that a token comes from. */
typedef struct hidden {
  pm_string name;
  const struct hidden *rest;
} hidden;

typedef struct item {
  cx_token token;
  const hidden *hidden;
} item;
typedef PM_VEC(item) items;

struct cx_macros {
  pm_context *ctx;
  pm_arena *arena;
  pm_map *by_name;
  size_t n_made;  /* tokens that macros have made */
  unsigned depth; /* of arguments in arguments */
};

cx_macros *cx_new_macros(pm_context *ctx, pm_arena *arena) {
  cx_macros m = {.ctx = ctx, .arena = arena, .by_name = pm_map_new()};
  return pm_arena_memdup(arena, &m, sizeof(m));
}

void cx_free_macros(cx_macros *m) {
  pm_map_free(m->by_name);
}

bool cx_has_name(const cx_token *t) {
  return t->kind == TOK_NAME || (t->kind >= TOK_AUTO && t->kind <= TOK_STATIC_ASSERT);
}

/* --- definitions --- */

/* Behind '(': up to ')', where *t is then. False: names with ',' between are not there. */
static bool read_params(cx_macros *m, macro *defined, const cx_token **t, const cx_token *end) {
  PM_VEC(pm_string) names = {0};
  bool more = *t < end && (*t)->kind != TOK_RPAREN, ok = true;
  for (; ok && more && *t < end && !defined->is_variadic; *t += more) {
    bool has_name = cx_has_name(*t);
    pm_string name = has_name ? (*t)->name : pm_get_cstring(m->ctx, "__VA_ARGS__");
    const cx_token *last = has_name && *t + 1 < end && (*t)[1].kind == TOK_ELLIPSIS ? *t + 1 : *t;
    defined->is_variadic = last->kind == TOK_ELLIPSIS;
    ok = has_name || defined->is_variadic;
    PM_VEC_PUSH(names, name);
    *t = last + 1;
    more = *t < end && (*t)->kind == TOK_COMMA;
  }
  defined->n_params = names.len;
  defined->params =
      names.len > 0 ? pm_arena_memdup(m->arena, names.data, names.len * sizeof(pm_string)) : NULL;
  PM_VEC_FREE(names);
  return ok && *t < end && (*t)->kind == TOK_RPAREN;
}

const char *cx_define(cx_macros *m, const cx_token *t, const cx_token *end) {
  macro defined = {.takes_arguments = t + 1 < end && t[1].kind == TOK_LPAREN && !t[1].after_space};
  if (t >= end || !cx_has_name(t)) return "a name should follow this directive";
  pm_string name = t->name;
  t += defined.takes_arguments ? 2 : 1;
  if (defined.takes_arguments && !read_params(m, &defined, &t, end))
    return pm_arena_printf(m->arena, "the parameters of the macro '%s' cannot be read, they should be names",
                           name->text);
  defined.body = t + defined.takes_arguments;
  defined.len = (size_t)(end - defined.body);
  if (defined.len > 0) defined.body = pm_arena_memdup(m->arena, defined.body, defined.len * sizeof(cx_token));
  pm_map_set(m->by_name, name, pm_arena_memdup(m->arena, &defined, sizeof(defined)));
  return NULL;
}

void cx_undefine(cx_macros *m, pm_string name) {
  pm_map_remove(m->by_name, name);
}

bool cx_is_defined(const cx_macros *m, pm_string name) {
  return pm_map_has(m->by_name, name);
}

/* --- hidden names --- */

static bool is_hidden(const hidden *set, pm_string name) {
  while (set && set->name != name) set = set->rest;
  return set;
}

static const hidden *hide(cx_macros *m, const hidden *set, pm_string name) {
  hidden more = {name, set};
  return is_hidden(set, name) ? set : pm_arena_memdup(m->arena, &more, sizeof(more));
}

static const hidden *in_both(cx_macros *m, const hidden *a, const hidden *b) {
  const hidden *both = NULL;
  for (; a; a = a->rest)
    if (is_hidden(b, a->name)) both = hide(m, both, a->name);
  return both;
}

static const hidden *in_any(cx_macros *m, const hidden *a, const hidden *b) {
  for (; b; b = b->rest) a = hide(m, a, b->name);
  return a;
}

/* --- replacing --- */

/* The input is a stack: its last item comes next. */
static void push_all(items *stack, const items *from) {
  for (size_t i = from->len; i > 0; i--) PM_VEC_PUSH(*stack, from->data[i - 1]);
}

static void put_error(items *out, const cx_token *at, const char *message) {
  item error = {.token = *at};
  error.token.kind = TOK_ERROR;
  error.token.is_fatal = error.token.is_directive = false;
  error.token.message = message;
  PM_VEC_PUSH(*out, error);
}

static void replace(cx_macros *m, items *stack, items *out);

typedef struct arguments {
  items *given; /* by the parameter */
  size_t n;
} arguments;

static size_t param_of(const macro *d, const cx_token *t) {
  size_t i = 0;
  while (cx_has_name(t) && i < d->n_params && d->params[i] != t->name) i++;
  return cx_has_name(t) ? i : d->n_params;
}

/* The text of an argument as a string. */
static cx_token stringized(cx_macros *m, const cx_token *at, const items *argument) {
  pm_buf text = {0};
  for (size_t i = 0; i < argument->len; i++) {
    const cx_token *t = &argument->data[i].token;
    if (i > 0 && (t->after_space || t->starts_line)) pm_buf_putc(&text, ' ');
    pm_buf_put(&text, t->source.ptr, t->source.len);
  }
  cx_token string = *at;
  string.kind = TOK_STRING;
  string.text = (pm_str){pm_arena_strndup(m->arena, text.data ? text.data : "", text.len), text.len};
  string.source = (pm_str){pm_arena_printf(m->arena, "\"%s\"", string.text.ptr), text.len + 2};
  pm_buf_free(&text);
  return string;
}

/* The last item of `out` becomes one token with t. */
static void paste(cx_macros *m, items *out, const item *right) {
  item *left = &PM_VEC_LAST(*out);
  cx_tokens scanned = {0};
  const char *text =
      pm_arena_printf(m->arena, "%.*s%.*s", (int)left->token.source.len, left->token.source.ptr,
                      (int)right->token.source.len, right->token.source.ptr);
  cx_scan(m->ctx, m->arena, left->token.loc.file, pm_str_of(text), &scanned);
  pm_loc loc = left->token.loc;
  if (scanned.len == 2) { /* with END */
    left->token = scanned.data[0];
    left->token.loc = loc;
  } else {
    put_error(out, &right->token,
              pm_arena_printf(m->arena, "'##' makes '%s' here, it should make one token", text));
  }
  PM_VEC_FREE(scanned);
}

static bool is_paste(const macro *d, size_t i) {
  return i + 1 < d->len && d->body[i].kind == TOK_HASH && d->body[i + 1].kind == TOK_HASH &&
         !d->body[i + 1].after_space;
}

/* The argument with its own macros replaced. */
static void put_replaced(cx_macros *m, const items *argument, items *out) {
  items stack = {0};
  push_all(&stack, argument);
  replace(m, &stack, out);
  PM_VEC_FREE(stack);
}

/* `, ##__VA_ARGS__`: without arguments the comma goes, and it is not put together with them. */
static bool follows_comma(const macro *d, const items *made, size_t param) {
  return d->is_variadic && param + 1 == d->n_params && made->len > 0 &&
         PM_VEC_LAST(*made).token.kind == TOK_COMMA;
}

/* What the token of the body at *i becomes. */
static void put_operand(cx_macros *m, const macro *d, const arguments *args, size_t *i, const cx_token *use,
                        bool is_pasted, items *out) {
  item one = {.token = d->body[*i]};
  size_t param = args ? param_of(d, &d->body[*i]) : d->n_params;
  size_t before = out->len;
  bool is_string =
      args && one.token.kind == TOK_HASH && *i + 1 < d->len && param_of(d, &d->body[*i + 1]) < d->n_params;
  one.token.loc = use->loc;
  one.token.starts_line = false;
  if (is_string) one.token = stringized(m, &one.token, &args->given[param_of(d, &d->body[++*i])]);
  if (is_string || param == d->n_params)
    PM_VEC_PUSH(*out, one);
  else if (!is_pasted)
    put_replaced(m, &args->given[param], out);
  else
    for (size_t k = 0; k < args->given[param].len; k++) PM_VEC_PUSH(*out, args->given[param].data[k]);
  if (out->len > before) out->data[before].token.after_space = d->body[*i].after_space;
}

/* The tokens of the body with the arguments in it. */
static void put_body(cx_macros *m, const macro *d, const arguments *args, const cx_token *use, items *made) {
  bool pastes = false, is_empty = true; /* '##' is before it; nothing is what is before that */
  for (size_t i = 0; i < d->len && m->n_made < MAX_TOKENS; i++) {
    if (is_paste(d, i) && i > 0) {
      pastes = true;
      i++;
      continue;
    }
    items here = {0};
    size_t k = 0, param = args ? param_of(d, &d->body[i]) : d->n_params;
    put_operand(m, d, args, &i, use, pastes || is_paste(d, i + 1), &here);
    if (pastes && follows_comma(d, made, param)) {
      if (here.len == 0) (void)PM_VEC_POP(*made);
    } else if (pastes && !is_empty && here.len > 0) {
      paste(m, made, &here.data[k++]);
    }
    is_empty = here.len == 0 && (!pastes || is_empty);
    for (; k < here.len; k++) PM_VEC_PUSH(*made, here.data[k]);
    m->n_made += here.len + 1;
    pastes = false;
    PM_VEC_FREE(here);
  }
}

/* At '(' on the stack: takes the arguments off it, and *close. NULL, or what is wrong. */
static const char *take_arguments(cx_macros *m, const macro *d, pm_string name, items *stack, arguments *args,
                                  item *close) {
  unsigned depth = 0;
  args->given = pm_arena_alloc(m->arena, (d->n_params + 1) * sizeof(items));
  args->n = 1;
  (void)PM_VEC_POP(*stack);
  while (stack->len > 0) {
    *close = PM_VEC_POP(*stack);
    cx_tok kind = close->token.kind;
    if (kind == TOK_RPAREN && depth == 0) {
      if (d->n_params == 0 && args->given[0].len == 0) args->n = 0;
      if (args->n + 1 == d->n_params && d->is_variadic) args->n++;
      return args->n == d->n_params
                 ? NULL
                 : pm_arena_printf(m->arena, "the macro '%s' has %zu %s, it should have %zu", name->text,
                                   args->n, args->n == 1 ? "argument" : "arguments", d->n_params);
    }
    bool ends = kind == TOK_COMMA && depth == 0 && !(d->is_variadic && args->n == d->n_params);
    if (kind == TOK_LPAREN) depth++;
    if (kind == TOK_RPAREN) depth--;
    size_t at = args->n - 1 < d->n_params ? args->n - 1 : d->n_params;
    if (ends)
      args->n++;
    else
      PM_VEC_PUSH(args->given[at], *close);
  }
  return pm_arena_printf(m->arena, "the arguments of the macro '%s' do not end, ')' should follow",
                         name->text);
}

static void replace_one(cx_macros *m, const macro *d, const item *use, items *stack, items *out) {
  arguments args = {0};
  item close = *use;
  items made = {0};
  const char *wrong = d->takes_arguments ? take_arguments(m, d, use->token.name, stack, &args, &close) : NULL;
  const hidden *set = d->takes_arguments ? in_both(m, use->hidden, close.hidden) : use->hidden;
  if (!wrong) put_body(m, d, d->takes_arguments ? &args : NULL, &use->token, &made);
  if (!wrong && m->n_made >= MAX_TOKENS)
    wrong = pm_arena_printf(m->arena, "'%s' is a macro of macros, too large, it should be written out",
                            use->token.name->text);
  set = hide(m, set, use->token.name);
  for (size_t i = 0; i < made.len; i++) made.data[i].hidden = in_any(m, set, made.data[i].hidden);
  if (wrong)
    put_error(out, &use->token, wrong);
  else
    push_all(stack, &made);
  for (size_t i = 0; i <= d->n_params && args.given; i++) PM_VEC_FREE(args.given[i]);
  PM_VEC_FREE(made);
}

static void replace(cx_macros *m, items *stack, items *out) {
  m->depth++;
  while (stack->len > 0) {
    item one = PM_VEC_POP(*stack);
    bool may = cx_has_name(&one.token) && !is_hidden(one.hidden, one.token.name) && m->depth < MAX_DEPTH;
    const macro *d = may ? pm_map_get(m->by_name, one.token.name) : NULL;
    bool is_called = stack->len > 0 && PM_VEC_LAST(*stack).token.kind == TOK_LPAREN;
    if (!d || (d->takes_arguments && !is_called))
      PM_VEC_PUSH(*out, one);
    else
      replace_one(m, d, &one, stack, out);
  }
  m->depth--;
}

void cx_replace_macros(cx_macros *m, const cx_token *t, const cx_token *end, cx_tokens *out) {
  items stack = {0}, made = {0};
  for (const cx_token *p = end; p > t; p--) {
    item one = {.token = p[-1]};
    PM_VEC_PUSH(stack, one);
  }
  replace(m, &stack, &made);
  for (size_t i = 0; i < made.len; i++) PM_VEC_PUSH(*out, made.data[i].token);
  PM_VEC_FREE(stack);
  PM_VEC_FREE(made);
}
