/* Classes, enumerations, other names of types, templates. */
#include "frontends/cxx/syntax/parse.h"

#include <stdlib.h>
#include <string.h>

/* --- classes --- */

/* Behind the name of a class: a definition or declaration of the class, not of a variable. */
static bool defines(const cx_token *t) {
  return t->kind == TOK_LBRACE || t->kind == TOK_COLON || t->kind == TOK_SEMICOLON || cx_is_name(t, "final");
}

/* `class MACRO Name {`: behind the macro. `struct A b` is a variable. */
static void skip_export_macro(cx_parser *p) {
  if (p->t->kind == TOK_NAME && p->t[1].kind == TOK_NAME && defines(&p->t[2]) && !defines(&p->t[1]))
    cx_advance(p);
}

static bool declares_variable(const cx_token *t) {
  return t[1].kind == TOK_NAME && t[2].kind == TOK_NAME && !cx_is_name(t + 2, "final") &&
         t[3].kind != TOK_LBRACE && t[3].kind != TOK_COLON;
}

bool cx_begins_class(const cx_token *t) {
  if (t->kind != TOK_CLASS && t->kind != TOK_STRUCT) return false;
  if (declares_variable(t)) return false;
  t++;
  return t->kind == TOK_LBRACE || t->kind == TOK_LBRACKET || t->kind == TOK_ALIGNAS ||
         (t->kind == TOK_NAME && (defines(t + 1) || t[1].kind == TOK_LESS || t[1].kind == TOK_NAME));
}

static cx_node *bases(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_BLOCK, p->t->loc);
  cx_nodes items = {0};
  do {
    while (cx_accept(p, TOK_VIRTUAL) || cx_accept(p, TOK_PUBLIC) || cx_accept(p, TOK_PROTECTED) ||
           cx_accept(p, TOK_PRIVATE))
      ;
    PM_VEC_PUSH(items, cx_expansion(p, cx_type_without_pointers(p)));
  } while (!p->failed && cx_accept(p, TOK_COMMA));
  cx_take_items(p, n, &items);
  return n;
}

static bool may_stand_before_name(cx_tok kind) {
  return kind == TOK_NAME || cx_is_basic(kind) || kind == TOK_GREATER || kind == TOK_COMMA ||
         kind == TOK_STAR || kind == TOK_AMP;
}

static bool may_stand_behind_name(cx_tok kind) {
  return kind == TOK_SEMICOLON || kind == TOK_COMMA || kind == TOK_ASSIGN || kind == TOK_LBRACE ||
         kind == TOK_LBRACKET;
}

/* Methods know the members that are declared behind them: what looks like one is declared. */
static void declare_members(cx_parser *p, const cx_token *open) {
  const cx_token *close = cx_partner(p, open);
  unsigned angles = 0;
  for (const cx_token *t = open + 1; t < close; t++) {
    if (t->kind == TOK_NAME && angles == 0 && may_stand_before_name(t[-1].kind) &&
        may_stand_behind_name(t[1].kind))
      cx_declare_variable(p, t->name);
    else if (t->kind == TOK_LESS)
      angles++;
    else if (t->kind == TOK_GREATER && angles > 0)
      angles--;
    else if (t->kind == TOK_SEMICOLON)
      angles = 0;
    else if (t->kind == TOK_LPAREN || t->kind == TOK_LBRACKET || t->kind == TOK_LBRACE)
      t = cx_partner(p, t);
  }
}

/* At '{'. */
static void members(cx_parser *p, cx_node *n) {
  const cx_token *close = cx_partner(p, p->t);
  pm_string outer = p->class_name;
  size_t scope = cx_begin_scope(p);
  cx_nodes items = {0};
  p->class_name = n->name;
  declare_members(p, p->t);
  cx_advance(p);
  while (p->t < close) cx_statement(p, CX_IN_CLASS, &items);
  cx_advance(p);
  cx_take_items(p, n, &items);
  cx_end_scope(p, scope);
  p->class_name = outer;
}

/* Behind '}' of a class or enumeration: variables of this type, or with typedef a name of it, and ';'. */
static void variables_behind(cx_parser *p, const cx_specifiers *s, const cx_node *definition, cx_nodes *out) {
  if (!p->failed && !s) {
    cx_node *type = cx_new_node(p, CX_TYPE, definition->loc), *alias = cx_new_node(p, CX_ALIAS, p->t->loc);
    type->name = definition->name;
    cx_pointers(p, type);
    alias->a = type;
    alias->name = p->t->kind == TOK_NAME ? p->t->name : NULL;
    if (cx_expect(p, TOK_NAME) && alias->name != type->name) PM_VEC_PUSH(*out, alias);
  } else if (!p->failed && p->t->kind != TOK_SEMICOLON) {
    cx_node *type = cx_new_node(p, CX_TYPE, definition->loc);
    type->name = definition->name;
    type->is_const = s->is_const;
    cx_variables_of(p, s, type, out);
  }
  cx_expect(p, TOK_SEMICOLON);
}

/* The name that stands here, or one made of the place. */
static pm_string type_name(cx_parser *p, pm_loc loc) {
  pm_string name = p->t->kind == TOK_NAME ? p->t->name : NULL;
  pm_buf text = {0};
  if (name) {
    cx_advance(p);
  } else {
    pm_buf_printf(&text, "type at %u:%u", (unsigned)loc.line, (unsigned)loc.col);
    name = pm_get_string(p->ctx, (pm_str){text.data, text.len});
  }
  pm_buf_free(&text);
  p->declares = name;
  return name;
}

void cx_class_definition(cx_parser *p, const cx_specifiers *s, cx_nodes *out) {
  cx_node *n = cx_new_node(p, CX_CLASS, p->t->loc);
  cx_advance(p);
  cx_skip_attributes(p);
  skip_export_macro(p);
  n->name = type_name(p, n->loc);
  if (p->t->kind == TOK_LESS) n->s = cx_special_case(p);
  if (p->failed) return;
  if (cx_is_name(p->t, "final")) cx_advance(p);
  if (cx_accept(p, TOK_SEMICOLON)) {
    n->is_incomplete = true;
    PM_VEC_PUSH(*out, n);
    return;
  }
  if (cx_accept(p, TOK_COLON)) n->c = bases(p);
  if (!p->failed && p->t->kind != TOK_LBRACE) cx_refuse(p, cx_tok_text(TOK_LBRACE));
  if (p->failed) return;
  members(p, n);
  PM_VEC_PUSH(*out, n);
  variables_behind(p, s, n, out);
}

/* --- enumerations and other names --- */

bool cx_begins_enum(const cx_token *t) {
  if (t->kind != TOK_ENUM) return false;
  if (t[1].kind == TOK_CLASS || t[1].kind == TOK_STRUCT) t++;
  return t[1].kind == TOK_LBRACE || t[1].kind == TOK_COLON || (t[1].kind == TOK_NAME && defines(&t[2]));
}

static void enumerators(cx_parser *p, cx_node *n) {
  cx_nodes items = {0};
  cx_advance(p);
  while (!p->failed && p->t->kind == TOK_NAME) {
    cx_node *item = cx_new_node(p, CX_DECLARATOR, p->t->loc);
    item->name = p->t->name;
    cx_advance(p);
    cx_skip_attributes(p);
    if (cx_accept(p, TOK_ASSIGN)) item->b = cx_expression(p);
    PM_VEC_PUSH(items, item);
    if (p->failed || !cx_accept(p, TOK_COMMA)) break;
  }
  cx_expect(p, TOK_RBRACE);
  cx_take_items(p, n, &items);
}

void cx_enum_definition(cx_parser *p, const cx_specifiers *s, cx_nodes *out) {
  cx_node *n = cx_new_node(p, CX_ENUM, p->t->loc);
  cx_advance(p);
  n->is_scoped = cx_accept(p, TOK_CLASS) || cx_accept(p, TOK_STRUCT);
  if (p->t->kind == TOK_NAME) n->name = type_name(p, n->loc);
  if (cx_accept(p, TOK_COLON)) cx_type(p);
  if (!p->failed && cx_accept(p, TOK_SEMICOLON)) return;
  if (!p->failed && p->t->kind != TOK_LBRACE) cx_refuse(p, cx_tok_text(TOK_LBRACE));
  if (p->failed) return;
  enumerators(p, n);
  PM_VEC_PUSH(*out, n);
  bool is_named = !p->failed && !n->name && p->t->kind != TOK_SEMICOLON;
  if (is_named) n->name = type_name(p, n->loc);
  if (is_named && !s) { /* typedef enum {…} name; */
    cx_expect(p, TOK_SEMICOLON);
    return;
  }
  variables_behind(p, s, n, out);
}

static pm_string last_part(cx_parser *p, pm_string name) {
  const char *text = name->text, *next;
  while ((next = strstr(text, "::"))) text = next + 2;
  return pm_get_cstring(p->ctx, text);
}

/* The type of an alias, which may be that of a function. */
static cx_node *aliased_type(cx_parser *p) {
  cx_node *type = cx_type(p);
  return p->failed || p->t->kind != TOK_LPAREN ? type : cx_function_type(p, type);
}

/* using namespace A; using A = type; using A::b. Of `using A = B::A`, as templates name what they inherit,
 * nothing is left. */
void cx_using_declaration(cx_parser *p, cx_nodes *out) {
  cx_node *n = cx_new_node(p, CX_USING, p->t->loc);
  cx_advance(p);
  bool of_namespace = cx_accept(p, TOK_NAMESPACE);
  cx_accept(p, TOK_TYPENAME);
  cx_node *path = cx_path(p, false);
  if (p->failed) return;
  if (!of_namespace && cx_begins_operator(p->t)) cx_take_operator(p, path);
  n->a = path;
  if (!of_namespace) n->name = p->declares = last_part(p, path->name);
  cx_skip_attributes(p);
  if (!of_namespace && cx_accept(p, TOK_ASSIGN)) {
    n->kind = CX_ALIAS;
    n->a = aliased_type(p);
  }
  cx_expect(p, TOK_SEMICOLON);
  bool is_inherited = !p->failed && n->kind == CX_ALIAS && n->a->name && n->a->name != n->name &&
                      last_part(p, n->a->name) == n->name;
  if (!is_inherited) PM_VEC_PUSH(*out, n);
}

void cx_typedef_declaration(cx_parser *p, cx_nodes *out) {
  cx_node *n = cx_new_node(p, CX_ALIAS, p->t->loc);
  cx_advance(p);
  if (cx_begins_class(p->t) || cx_begins_enum(p->t)) {
    if (cx_begins_class(p->t))
      cx_class_definition(p, NULL, out);
    else
      cx_enum_definition(p, NULL, out);
    return;
  }
  n->a = cx_type(p);
  if (!p->failed && cx_begins_wrapped_name(p->t)) {
    cx_nodes extents = {0};
    n->a = cx_wrapped_name(p, n->a, &n->name, &extents);
    if (!p->failed && extents.len) cx_refuse(p, cx_tok_text(TOK_RPAREN));
    PM_VEC_FREE(extents);
  } else {
    n->name = p->t->kind == TOK_NAME ? p->t->name : NULL;
    cx_expect(p, TOK_NAME);
  }
  cx_expect(p, TOK_SEMICOLON);
  PM_VEC_PUSH(*out, n);
}

/* --- templates --- */

/* typename T = int, int n = 3 */
static cx_node *template_parameter(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_PARAM, p->t->loc);
  bool is_type = p->t[1].kind != TOK_SCOPE &&
                 (p->t->kind == TOK_CLASS ||
                  (p->t->kind == TOK_TYPENAME && (p->t[2].kind == TOK_COMMA || p->t[2].kind == TOK_GREATER ||
                                                  p->t[2].kind == TOK_ASSIGN || p->t[1].kind != TOK_NAME)));
  if (p->t->kind == TOK_TEMPLATE)
    return cx_refuse_with(p, p->t->loc, "a template as an argument of a template is not supported");
  if (is_type)
    cx_advance(p);
  else
    n->a = cx_type(p);
  if (p->failed) return NULL;
  if (cx_accept(p, TOK_ELLIPSIS)) n->is_long = true;
  n->name = p->t->kind == TOK_NAME ? p->t->name : NULL;
  if (n->name) cx_advance(p);
  if (is_type && n->name) PM_VEC_PUSH(p->type_parameters, n->name);
  if (!is_type) cx_declare_variable(p, n->name);
  if (cx_accept(p, TOK_ASSIGN)) n->b = cx_template_argument(p);
  return n;
}

/* At '<': the parameters as a BLOCK. */
static cx_node *template_parameters(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_BLOCK, p->t->loc);
  cx_nodes items = {0};
  cx_expect(p, TOK_LESS);
  while (!p->failed && p->t->kind != TOK_GREATER) {
    PM_VEC_PUSH(items, template_parameter(p));
    if (p->failed || !cx_accept(p, TOK_COMMA)) break;
  }
  cx_expect(p, TOK_GREATER);
  cx_take_items(p, n, &items);
  return n;
}

void cx_template_declaration(cx_parser *p, cx_place place, cx_nodes *out) {
  size_t before = out->len, n_types = p->type_parameters.len, scope = cx_begin_scope(p);
  cx_advance(p);
  cx_node *params = template_parameters(p);
  if (cx_enter(p) && !p->failed) cx_declaration(p, place, out);
  cx_leave(p);
  if (!p->failed && out->len > before && !out->data[before]->t) out->data[before]->t = params;
  p->type_parameters.len = n_types;
  cx_end_scope(p, scope);
}
