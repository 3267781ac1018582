/* Types, and names with template arguments. */
#include "frontends/cxx/syntax/parse.h"

#include <stdlib.h>
#include <string.h>

enum { CX_MAX_ANGLES = 32 };

/* --- the variables of a scope --- */

static void count_variable(cx_parser *p, pm_string name, intptr_t more) {
  intptr_t n = (intptr_t)pm_map_get(p->n_variables, name) + more;
  pm_map_set(p->n_variables, name, (void *)n);
}

void cx_declare_variable(cx_parser *p, pm_string name) {
  if (!name || p->trying) return;
  PM_VEC_PUSH(p->variables, name);
  count_variable(p, name, 1);
}

bool cx_is_variable(const cx_parser *p, pm_string name) {
  return pm_map_get(p->n_variables, name) != NULL;
}

size_t cx_begin_scope(const cx_parser *p) {
  return p->variables.len;
}

void cx_end_scope(cx_parser *p, size_t begin) {
  while (p->variables.len > begin) count_variable(p, PM_VEC_POP(p->variables), -1);
}

/* --- built-in types --- */

static const struct {
  const char *name, *meaning;
} basic_names[] = {
    {"int8_t", "int8_t"},      {"int16_t", "int16_t"},   {"int32_t", "int"},       {"int64_t", "int64_t"},
    {"uint8_t", "uint8_t"},    {"uint16_t", "uint16_t"}, {"uint32_t", "uint32_t"}, {"uint64_t", "uint64_t"},
    {"size_t", "size_t"},      {"ssize_t", "int64_t"},   {"ptrdiff_t", "int64_t"}, {"intptr_t", "int64_t"},
    {"uintptr_t", "uint64_t"},
};

/* What a name of a built-in type means, or NULL. */
static const char *basic_meaning(pm_string name) {
  for (size_t i = 0; i < PM_COUNT(basic_names); i++)
    if (strcmp(name->text, basic_names[i].name) == 0) return basic_names[i].meaning;
  return NULL;
}

static bool is_among(const cx_names *names, pm_string name) {
  for (size_t i = 0; i < names->len; i++)
    if (names->data[i] == name) return true;
  return false;
}

static bool is_type_parameter(const cx_parser *p, pm_string name) {
  return is_among(&p->type_parameters, name);
}

static bool is_dropped(const cx_parser *p, pm_string name) {
  return is_among(&p->dropped, name);
}

bool cx_begins_basic_type(const cx_parser *p, const cx_token *t) {
  while (t->kind == TOK_CONST) t++;
  if (cx_is_basic(t->kind)) return true;
  if (t->kind == TOK_SCOPE) t++;
  while (t->kind == TOK_NAME && t[1].kind == TOK_SCOPE && is_dropped(p, t->name)) t += 2;
  return t->kind == TOK_NAME && t[1].kind != TOK_SCOPE && basic_meaning(t->name);
}

bool cx_is_basic_path(const cx_parser *p, const cx_node *path) {
  return path->n_items == 0 && (basic_meaning(path->name) || is_type_parameter(p, path->name));
}

/* The words of a built-in type. */
typedef struct basic_words {
  cx_tok word; /* what is not in the counts, or INT */
  unsigned n_short, n_long, n_signed, n_unsigned;
} basic_words;

static const char *integer_meaning(const basic_words *w) {
  static const char *const names[2][3] = {{"int", "int16_t", "int64_t"},
                                          {"uint32_t", "uint16_t", "uint64_t"}};
  return names[w->n_unsigned > 0][w->n_short > 0 ? 1 : w->n_long > 0 ? 2 : 0];
}

static const char *meaning_of_words(const basic_words *w) {
  switch (w->word) {
  case TOK_AUTO:
    return "auto";
  case TOK_VOID:
    return "void";
  case TOK_BOOL:
    return "bool";
  case TOK_FLOAT:
    return "float";
  case TOK_DOUBLE:
    return "double";
  case TOK_CHAR:
    return w->n_unsigned > 0 ? "uint8_t" : w->n_signed > 0 ? "int8_t" : "char";
  default:
    return integer_meaning(w);
  }
}

/* At a word of a built-in type: takes all of them. */
static cx_node *basic_type(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_TYPE, p->t->loc);
  basic_words words = {.word = TOK_INT};
  for (;; cx_advance(p)) {
    cx_tok kind = p->t->kind;
    if (kind == TOK_SHORT)
      words.n_short++;
    else if (kind == TOK_LONG)
      words.n_long++;
    else if (kind == TOK_SIGNED)
      words.n_signed++;
    else if (kind == TOK_UNSIGNED)
      words.n_unsigned++;
    else if (kind == TOK_CONST)
      n->is_const = true;
    else if (cx_is_basic(kind))
      words.word = kind;
    else if (kind != TOK_VOLATILE)
      break;
  }
  n->name = pm_get_cstring(p->ctx, meaning_of_words(&words));
  return n;
}

/* --- template arguments --- */

cx_node *cx_function_type(cx_parser *p, cx_node *result) {
  cx_node *n = cx_new_node(p, CX_FUNCTION, p->t->loc);
  size_t scope = cx_begin_scope(p);
  n->a = result;
  cx_parameters(p, n);
  cx_end_scope(p, scope);
  return n;
}

/* `T[]`, `T[3]` */
static cx_node *array_type(cx_parser *p, cx_node *element) {
  cx_node *n = cx_new_node(p, CX_INDEX, p->t->loc);
  n->a = element;
  cx_advance(p);
  if (p->t->kind != TOK_RBRACKET) n->b = cx_expression(p);
  cx_expect(p, TOK_RBRACKET);
  return n;
}

static bool ends_argument(const cx_parser *p) {
  return p->t->kind == TOK_COMMA || p->t->kind == TOK_GREATER || p->t->kind == TOK_ELLIPSIS;
}

static bool is_plain_variable(const cx_parser *p, const cx_node *type) {
  return type->n_items == 0 && !type->is_const && !type->is_reference && !type->is_pointer && type->name &&
         cx_is_variable(p, type->name);
}

cx_node *cx_template_argument(cx_parser *p) {
  const cx_token *begin = p->t;
  cx_node *n = cx_type(p);
  bool is_type = !p->failed && !is_plain_variable(p, n);
  if (is_type && p->t->kind == TOK_LPAREN) n = cx_function_type(p, n);
  if (is_type && p->t->kind == TOK_LBRACKET) n = array_type(p, n);
  if (is_type && !p->failed && ends_argument(p)) return n;
  p->failed = false;
  p->t = begin;
  return cx_constant_argument(p);
}

static void read_angle(cx_parser *p, cx_angle *angle) {
  cx_nodes items = {0};
  cx_node list = {0};
  cx_advance(p);
  while (!p->failed && p->t->kind != TOK_GREATER) {
    PM_VEC_PUSH(items, cx_expansion(p, cx_template_argument(p)));
    if (p->failed || !cx_accept(p, TOK_COMMA)) break;
  }
  cx_expect(p, TOK_GREATER);
  cx_take_items(p, &list, &items);
  angle->ok = !p->failed;
  angle->end = p->t;
  angle->items = list.items;
  angle->n_items = list.n_items;
}

/* What stands at '<', as template arguments; NULL when it reads as none. Each place is tried once. */
static const cx_angle *angle_at(cx_parser *p) {
  cx_angle **memo = &p->angles[p->t - p->tokens];
  if (*memo) return (*memo)->ok ? *memo : NULL;
  if (p->angle_depth >= CX_MAX_ANGLES) return NULL;
  cx_angle *angle = pm_arena_alloc(p->arena, sizeof(*angle));
  cx_state state = cx_try(p);
  p->angle_depth++;
  read_angle(p, angle);
  p->angle_depth--;
  cx_go_back(p, state);
  *memo = angle;
  return angle->ok ? angle : NULL;
}

static void append_angle(cx_parser *p, cx_node *n, const cx_angle *angle) {
  cx_nodes all = {0};
  for (uint32_t i = 0; i < n->n_items; i++) PM_VEC_PUSH(all, n->items[i]);
  for (uint32_t i = 0; i < angle->n_items; i++) PM_VEC_PUSH(all, angle->items[i]);
  cx_take_items(p, n, &all);
  n->n_last = angle->n_items;
  n->is_braced = true;
  p->t = angle->end;
}

/* Whether no right operand of '>' can begin there. */
static bool ends_template_name(cx_tok kind) {
  switch (kind) {
  case TOK_LBRACE:
  case TOK_RBRACE:
  case TOK_SCOPE:
  case TOK_GREATER:
  case TOK_COMMA:
  case TOK_RPAREN:
  case TOK_SEMICOLON:
  case TOK_RBRACKET:
  case TOK_LBRACKET:
  case TOK_ELLIPSIS:
    return true;
  default:
    return false;
  }
}

bool cx_take_arguments(cx_parser *p, cx_node *n, bool is_variable) {
  const cx_angle *angle = angle_at(p);
  if (!angle) return false;
  cx_tok next = angle->end->kind;
  if (!ends_template_name(next) && (next != TOK_LPAREN || is_variable)) return false;
  append_angle(p, n, angle);
  return true;
}

cx_node *cx_special_case(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_BLOCK, p->t->loc);
  const cx_angle *angle = angle_at(p);
  if (!angle) return cx_refuse(p, "arguments of a template");
  append_angle(p, n, angle);
  return n;
}

/* --- names --- */

/* At a name behind '::' or none. */
static void path_part(cx_parser *p, cx_node *n, pm_buf *text, bool in_expression) {
  bool is_variable = text->len == 0 && cx_is_variable(p, p->t->name);
  n->n_last = 0;
  if (text->len > 0) pm_buf_puts(text, "::");
  pm_buf_puts(text, p->t->name->text);
  cx_advance(p);
  if (p->t->kind != TOK_LESS) return;
  if (in_expression) {
    cx_take_arguments(p, n, is_variable);
    return;
  }
  const cx_angle *angle = angle_at(p);
  if (angle) append_angle(p, n, angle);
}

cx_node *cx_path(cx_parser *p, bool in_expression) {
  cx_node *n = cx_new_node(p, CX_NAME, p->t->loc);
  pm_buf text = {0};
  unsigned outer = p->nesting;
  n->is_global = cx_accept(p, TOK_SCOPE);
  while (cx_enter(p)) {
    cx_accept(p, TOK_TEMPLATE);
    if (p->t->kind != TOK_NAME) break;
    if (text.len == 0 && p->t[1].kind == TOK_SCOPE && is_dropped(p, p->t->name))
      n->is_of_library = true, n->is_global = false, cx_advance(p);
    else
      path_part(p, n, &text, in_expression);
    bool goes_on = p->t->kind == TOK_SCOPE && (p->t[1].kind == TOK_NAME || p->t[1].kind == TOK_TEMPLATE);
    if (!goes_on) break;
    cx_advance(p);
  }
  p->nesting = outer;
  if (text.len > 0) n->name = pm_get_string(p->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  if (!n->name) return cx_refuse(p, cx_tok_text(TOK_NAME));
  return n;
}

cx_node *cx_type_of_path(cx_parser *p, cx_node *path) {
  const char *meaning = path->n_items == 0 ? basic_meaning(path->name) : NULL;
  path->kind = CX_TYPE;
  if (meaning) path->name = pm_get_cstring(p->ctx, meaning);
  return path;
}

/* --- types --- */

static void skip_brackets(cx_parser *p) {
  if (p->t->kind == TOK_LPAREN || p->t->kind == TOK_LBRACKET) p->t = cx_partner(p, p->t) + 1;
}

void cx_skip_attributes(cx_parser *p) {
  for (;;) {
    if (cx_accept(p, TOK_ATTRIBUTE) || cx_accept(p, TOK_ALIGNAS))
      skip_brackets(p);
    else if (p->t->kind == TOK_LBRACKET && p->t[1].kind == TOK_LBRACKET)
      skip_brackets(p);
    else
      return;
  }
}

/* decltype(…) is auto. */
static cx_node *decltype_type(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_TYPE, p->t->loc);
  cx_advance(p);
  skip_brackets(p);
  n->name = pm_get_cstring(p->ctx, "auto");
  return n;
}

static bool accept_elaboration(cx_parser *p) {
  bool is_class = p->t->kind == TOK_STRUCT || p->t->kind == TOK_CLASS || p->t->kind == TOK_ENUM;
  if (!is_class && p->t->kind != TOK_TYPENAME) return false;
  cx_advance(p);
  return true;
}

cx_node *cx_type_without_pointers(cx_parser *p) {
  bool is_const = false;
  cx_node *n;
  for (;;) {
    if (cx_accept(p, TOK_CONST))
      is_const = true;
    else if (!cx_accept(p, TOK_VOLATILE) && !accept_elaboration(p))
      break;
  }
  if (cx_is_basic(p->t->kind)) {
    n = basic_type(p);
  } else if (p->t->kind == TOK_DECLTYPE) {
    n = decltype_type(p);
  } else if (p->t->kind == TOK_NAME || p->t->kind == TOK_SCOPE) {
    n = cx_path(p, false);
    if (n) n = cx_type_of_path(p, n);
  } else {
    n = cx_refuse(p, "a type");
  }
  if (!n) return NULL;
  while (!p->failed && cx_accept(p, TOK_CONST)) is_const = true;
  n->is_const |= is_const;
  return n;
}

void cx_pointers(cx_parser *p, cx_node *type) {
  for (;; cx_advance(p)) {
    if (p->t->kind == TOK_STAR)
      type->is_pointer = true;
    else if (p->t->kind == TOK_AMP || p->t->kind == TOK_AND)
      type->is_reference = true, type->is_rvalue = p->t->kind == TOK_AND;
    else if (p->t->kind != TOK_CONST)
      return;
  }
}

bool cx_begins_wrapped_name(const cx_token *t) {
  bool points = t->kind == TOK_LPAREN && (t[1].kind == TOK_STAR || t[1].kind == TOK_AMP);
  return points && t[2].kind == TOK_NAME && (t[3].kind == TOK_RPAREN || t[3].kind == TOK_LBRACKET);
}

cx_node *cx_wrapped_name(cx_parser *p, cx_node *type, pm_string *name, cx_nodes *extents) {
  cx_node pointers = {0};
  cx_advance(p);
  cx_pointers(p, &pointers);
  *name = p->t->name;
  cx_advance(p);
  while (!p->failed && cx_accept(p, TOK_LBRACKET)) {
    PM_VEC_PUSH(*extents, p->t->kind == TOK_RBRACKET ? NULL : cx_expression(p));
    cx_expect(p, TOK_RBRACKET);
  }
  cx_expect(p, TOK_RPAREN);
  bool is_function = !p->failed && p->t->kind == TOK_LPAREN;
  if (!is_function && p->t->kind != TOK_LBRACKET) cx_refuse(p, cx_tok_text(TOK_LPAREN));
  if (p->failed) return NULL;
  if (is_function)
    type = cx_function_type(p, type);
  else
    skip_brackets(p);
  type->is_pointer = pointers.is_pointer || !is_function;
  type->is_reference = pointers.is_reference;
  return type;
}

cx_node *cx_type(cx_parser *p) {
  if (!cx_enter(p)) {
    cx_leave(p);
    return NULL;
  }
  cx_node *n = cx_type_without_pointers(p);
  if (!p->failed) cx_pointers(p, n);
  cx_leave(p);
  return n;
}
