/* Classes, enumerations, other names of types, templates. */
#include "frontends/halide/parse.h"

#include <stdlib.h>
#include <string.h>

/* --- classes --- */

/* Behind the name of a class: a definition or declaration of the class, not of a variable. */
static bool defines(const hl_token *t) {
  return t->kind == TOK_LBRACE || t->kind == TOK_COLON || t->kind == TOK_SEMICOLON || hl_is_name(t, "final");
}

/* `class MACRO Name {`: behind the macro. `struct A b` is a variable. */
static void skip_export_macro(hl_parser *p) {
  if (p->t->kind == TOK_NAME && p->t[1].kind == TOK_NAME && defines(&p->t[2]) && !defines(&p->t[1]))
    hl_advance(p);
}

static bool declares_variable(const hl_token *t) {
  return t[1].kind == TOK_NAME && t[2].kind == TOK_NAME && !hl_is_name(t + 2, "final") &&
         t[3].kind != TOK_LBRACE && t[3].kind != TOK_COLON;
}

bool hl_begins_class(const hl_token *t) {
  if (t->kind != TOK_CLASS && t->kind != TOK_STRUCT) return false;
  if (declares_variable(t)) return false;
  t++;
  return t->kind == TOK_LBRACE || t->kind == TOK_LBRACKET || t->kind == TOK_ALIGNAS ||
         (t->kind == TOK_NAME && (defines(t + 1) || t[1].kind == TOK_LESS || t[1].kind == TOK_NAME));
}

static hl_node *bases(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_BLOCK, p->t->loc);
  hl_nodes items = {0};
  do {
    while (hl_accept(p, TOK_VIRTUAL) || hl_accept(p, TOK_PUBLIC) || hl_accept(p, TOK_PROTECTED) ||
           hl_accept(p, TOK_PRIVATE))
      ;
    PM_VEC_PUSH(items, hl_type_without_pointers(p));
    if (!p->failed) hl_accept(p, TOK_ELLIPSIS);
  } while (!p->failed && hl_accept(p, TOK_COMMA));
  hl_take_items(p, n, &items);
  return n;
}

static bool may_stand_before_name(hl_tok kind) {
  return kind == TOK_NAME || hl_is_basic(kind) || kind == TOK_GREATER || kind == TOK_COMMA ||
         kind == TOK_STAR || kind == TOK_AMP;
}

static bool may_stand_behind_name(hl_tok kind) {
  return kind == TOK_SEMICOLON || kind == TOK_COMMA || kind == TOK_ASSIGN || kind == TOK_LBRACE ||
         kind == TOK_LBRACKET;
}

/* Methods know the members that are declared behind them: what looks like one is declared. */
static void declare_members(hl_parser *p, const hl_token *open) {
  const hl_token *close = hl_partner(p, open);
  unsigned angles = 0;
  for (const hl_token *t = open + 1; t < close; t++) {
    if (t->kind == TOK_NAME && angles == 0 && may_stand_before_name(t[-1].kind) &&
        may_stand_behind_name(t[1].kind))
      hl_declare_variable(p, t->name);
    else if (t->kind == TOK_LESS)
      angles++;
    else if (t->kind == TOK_GREATER && angles > 0)
      angles--;
    else if (t->kind == TOK_SEMICOLON)
      angles = 0;
    else if (t->kind == TOK_LPAREN || t->kind == TOK_LBRACKET || t->kind == TOK_LBRACE)
      t = hl_partner(p, t);
  }
}

/* At '{'. */
static void members(hl_parser *p, hl_node *n) {
  const hl_token *close = hl_partner(p, p->t);
  pm_string outer = p->class_name;
  size_t scope = hl_begin_scope(p);
  hl_nodes items = {0};
  p->class_name = n->name;
  declare_members(p, p->t);
  hl_advance(p);
  while (p->t < close) hl_statement(p, HL_IN_CLASS, &items);
  hl_advance(p);
  hl_take_items(p, n, &items);
  hl_end_scope(p, scope);
  p->class_name = outer;
}

/* Behind '}' of a class or enumeration: variables of this type, and ';'. */
static void variables_behind(hl_parser *p, const hl_specifiers *s, const hl_node *definition, hl_nodes *out) {
  if (!p->failed && p->t->kind != TOK_SEMICOLON) {
    hl_node *type = hl_new_node(p, HL_TYPE, definition->loc);
    type->name = definition->name;
    type->is_const = s->is_const;
    PM_VEC_PUSH(*out, hl_variables_of(p, s, type));
  }
  hl_expect(p, TOK_SEMICOLON);
}

/* The name that stands here, or one made of the place. */
static pm_string type_name(hl_parser *p, pm_loc loc) {
  pm_string name = p->t->kind == TOK_NAME ? p->t->name : NULL;
  pm_buf text = {0};
  if (name) {
    hl_advance(p);
  } else {
    pm_buf_printf(&text, "type at %u:%u", (unsigned)loc.line, (unsigned)loc.col);
    name = pm_get_string(p->ctx, (pm_str){text.data, text.len});
  }
  pm_buf_free(&text);
  p->declares = name;
  return name;
}

void hl_class_definition(hl_parser *p, const hl_specifiers *s, hl_nodes *out) {
  hl_node *n = hl_new_node(p, HL_CLASS, p->t->loc);
  hl_advance(p);
  hl_skip_attributes(p);
  skip_export_macro(p);
  n->name = type_name(p, n->loc);
  if (p->t->kind == TOK_LESS) {
    hl_fail_with(p, p->t->loc, "a template's special case is not supported, a class of its own is");
    return;
  }
  if (hl_is_name(p->t, "final")) hl_advance(p);
  if (hl_accept(p, TOK_SEMICOLON)) return;
  if (hl_accept(p, TOK_COLON)) n->c = bases(p);
  if (!p->failed && p->t->kind != TOK_LBRACE) hl_fail(p, hl_tok_text(TOK_LBRACE));
  if (p->failed) return;
  members(p, n);
  PM_VEC_PUSH(*out, n);
  variables_behind(p, s, n, out);
}

/* --- enumerations and other names --- */

bool hl_begins_enum(const hl_token *t) {
  if (t->kind != TOK_ENUM) return false;
  if (t[1].kind == TOK_CLASS || t[1].kind == TOK_STRUCT) t++;
  return t[1].kind == TOK_LBRACE || t[1].kind == TOK_COLON || (t[1].kind == TOK_NAME && defines(&t[2]));
}

static void enumerators(hl_parser *p, hl_node *n) {
  hl_nodes items = {0};
  hl_advance(p);
  while (!p->failed && p->t->kind == TOK_NAME) {
    hl_node *item = hl_new_node(p, HL_DECLARATOR, p->t->loc);
    item->name = p->t->name;
    hl_advance(p);
    hl_skip_attributes(p);
    if (hl_accept(p, TOK_ASSIGN)) item->b = hl_expression(p);
    PM_VEC_PUSH(items, item);
    if (p->failed || !hl_accept(p, TOK_COMMA)) break;
  }
  hl_expect(p, TOK_RBRACE);
  hl_take_items(p, n, &items);
}

void hl_enum_definition(hl_parser *p, const hl_specifiers *s, hl_nodes *out) {
  hl_node *n = hl_new_node(p, HL_ENUM, p->t->loc);
  hl_advance(p);
  n->is_scoped = hl_accept(p, TOK_CLASS) || hl_accept(p, TOK_STRUCT);
  if (p->t->kind == TOK_NAME) n->name = type_name(p, n->loc);
  if (hl_accept(p, TOK_COLON)) hl_type(p);
  if (!p->failed && hl_accept(p, TOK_SEMICOLON)) return;
  if (!p->failed && p->t->kind != TOK_LBRACE) hl_fail(p, hl_tok_text(TOK_LBRACE));
  if (p->failed) return;
  enumerators(p, n);
  PM_VEC_PUSH(*out, n);
  if (!p->failed && !n->name && p->t->kind != TOK_SEMICOLON) n->name = type_name(p, n->loc);
  variables_behind(p, s, n, out);
}

static pm_string last_part(hl_parser *p, pm_string name) {
  const char *text = name->text, *next;
  while ((next = strstr(text, "::"))) text = next + 2;
  return pm_get_cstring(p->ctx, text);
}

/* The type of an alias, which may be that of a function. */
static hl_node *aliased_type(hl_parser *p) {
  hl_node *type = hl_type(p);
  return p->failed || p->t->kind != TOK_LPAREN ? type : hl_function_type(p, type);
}

/* using namespace A; using A = type; using A::b. Of `using A = B::A`, as templates name what they inherit,
 * nothing is left. */
void hl_using_declaration(hl_parser *p, hl_nodes *out) {
  hl_advance(p);
  if (hl_accept(p, TOK_NAMESPACE)) {
    hl_path(p, false);
    hl_expect(p, TOK_SEMICOLON);
    return;
  }
  hl_accept(p, TOK_TYPENAME);
  hl_node *n = hl_path(p, false);
  if (p->failed) return;
  n->kind = HL_ALIAS;
  n->n_items = 0;
  n->text = (pm_str){n->name->text, n->name->len};
  n->name = p->declares = last_part(p, n->name);
  hl_skip_attributes(p);
  if (hl_accept(p, TOK_ASSIGN)) n->a = aliased_type(p);
  hl_expect(p, TOK_SEMICOLON);
  bool is_inherited = !p->failed && n->a && n->a->name && last_part(p, n->a->name) == n->name;
  if (!is_inherited) PM_VEC_PUSH(*out, n);
}

hl_node *hl_typedef_declaration(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_ALIAS, p->t->loc);
  hl_advance(p);
  n->a = hl_type(p);
  if (!p->failed && hl_begins_wrapped_name(p->t)) {
    n->a = hl_wrapped_name(p, n->a, &n->name);
  } else {
    n->name = p->t->kind == TOK_NAME ? p->t->name : NULL;
    hl_expect(p, TOK_NAME);
  }
  hl_expect(p, TOK_SEMICOLON);
  return n;
}

/* Past the '<' of a template's parameters: remembers the types and goes behind the '>'. */
static void template_parameters(hl_parser *p, hl_names *types) {
  unsigned depth = 1;
  while (!p->failed) {
    bool is_type = p->t->kind == TOK_TYPENAME || p->t->kind == TOK_CLASS;
    if (p->t->kind == TOK_LESS) depth++;
    if (p->t->kind == TOK_GREATER && --depth == 0) break;
    if (p->t->kind == TOK_END || p->t->kind == TOK_SEMICOLON || p->t->kind == TOK_RBRACE) {
      hl_fail(p, hl_tok_text(TOK_GREATER));
    } else if (p->t->kind == TOK_LPAREN || p->t->kind == TOK_LBRACKET || p->t->kind == TOK_LBRACE) {
      p->t = hl_partner(p, p->t) + 1;
    } else {
      hl_advance(p);
      if (is_type) hl_accept(p, TOK_ELLIPSIS);
      if (is_type && depth == 1 && p->t->kind == TOK_NAME) PM_VEC_PUSH(*types, p->t->name);
    }
  }
  hl_expect(p, TOK_GREATER);
}

/* At '<': whether the parameters, which are skipped, are those of a class. */
static bool is_of_class(hl_parser *p) {
  hl_names unused = {0};
  hl_state state = hl_try(p);
  hl_advance(p);
  template_parameters(p, &unused);
  bool is = !p->failed && hl_begins_class(p->t);
  hl_go_back(p, state);
  PM_VEC_FREE(unused);
  return is;
}

/* The names of the types from `before` on, as a BLOCK of NAMEs. */
static hl_node *named_types(hl_parser *p, pm_loc loc, size_t before) {
  hl_node *n = hl_new_node(p, HL_BLOCK, loc);
  hl_nodes items = {0};
  for (size_t i = before; i < p->class_type_parameters.len; i++) {
    hl_node *item = hl_new_node(p, HL_NAME, loc);
    item->name = p->class_type_parameters.data[i];
    PM_VEC_PUSH(items, item);
  }
  hl_take_items(p, n, &items);
  return n;
}

void hl_template_declaration(hl_parser *p, hl_place place, hl_nodes *out) {
  size_t before = out->len;
  hl_advance(p);
  bool of_class = p->t->kind == TOK_LESS && is_of_class(p);
  hl_names *types = of_class ? &p->class_type_parameters : &p->type_parameters;
  size_t n_types = types->len;
  pm_loc loc = p->t->loc;
  if (hl_expect(p, TOK_LESS)) template_parameters(p, types);
  if (hl_enter(p) && !p->failed) hl_declaration(p, place, out);
  hl_leave(p);
  if (of_class && out->len > before && out->data[before]->kind == HL_CLASS)
    out->data[before]->a = named_types(p, loc, n_types);
  types->len = n_types;
}
