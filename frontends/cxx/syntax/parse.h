/* The parser's parts: statements in parser.c, variables and functions in parse_declarations.c, classes and
 * other names of types in parse_classes.c, types and names in parse_types.c, expressions in
 * parse_expressions.c. */
#ifndef PM_FRONTENDS_CXX_SYNTAX_PARSE_H
#define PM_FRONTENDS_CXX_SYNTAX_PARSE_H

#include "frontends/cxx/syntax/lexer.h"

typedef PM_VEC(cx_node *) cx_nodes;
typedef PM_VEC(pm_string) cx_names;

/* What stands at a '<', read as template arguments. */
typedef struct cx_angle {
  bool ok;
  uint32_t n_items;
  const cx_token *end; /* behind the '>' */
  cx_node **items;
} cx_angle;

typedef struct cx_parser {
  pm_context *ctx;
  pm_arena *arena;
  const cx_token *tokens, *t; /* t: the next one; the last one is END */
  cx_angle **angles;          /* by the number of the '<'; NULL: not tried */
  unsigned nesting;
  unsigned trying; /* what is read may be read again as something else; errors are not worded */
  unsigned angle_depth;
  bool failed; /* in this statement */
  pm_loc refusal_loc;
  const char *refusal;
  pm_string declares; /* by the statement that is read, or NULL */
  pm_string class_name;
  cx_names variables;       /* that are declared here, the innermost last */
  pm_map *n_variables;      /* how many there are of a name */
  cx_names type_parameters; /* of templates */
  cx_names dropped;         /* namespaces that names are written without */
} cx_parser;

typedef enum cx_place { CX_AT_TOP, CX_IN_CLASS, CX_IN_BLOCK } cx_place;

/* --- nodes and tokens (parser.c) --- */
cx_node *cx_new_node(cx_parser *p, cx_kind kind, pm_loc loc);
/* The list becomes the node's items, and is freed. */
void cx_take_items(cx_parser *p, cx_node *n, cx_nodes *items);
void cx_advance(cx_parser *p);
bool cx_accept(cx_parser *p, cx_tok kind);
bool cx_expect(cx_parser *p, cx_tok kind);
/* Only the first error of a statement counts. The result is NULL. */
cx_node *cx_refuse(cx_parser *p, const char *what);
cx_node *cx_refuse_with(cx_parser *p, pm_loc loc, const char *message);
/* At a word whose statement or expression is not read: fails and says so. False where it is none such. */
bool cx_refuse_unsupported(cx_parser *p);
/* One level of nesting more; false after a failure. cx_leave follows in any case. */
bool cx_enter(cx_parser *p);
void cx_leave(cx_parser *p);
const cx_token *cx_partner(const cx_parser *p, const cx_token *bracket);

/* Reading goes on here when what follows was only tried. */
typedef struct cx_state {
  const cx_token *t;
} cx_state;
cx_state cx_try(cx_parser *p);
/* Goes back. Whether what was tried did not fail. */
bool cx_go_back(cx_parser *p, cx_state state);

/* --- statements (parser.c) --- */
void cx_statement(cx_parser *p, cx_place place, cx_nodes *out);
/* At '{'. */
cx_node *cx_block(cx_parser *p);
/* Behind what cannot be read and begins at `begin`: its ';' or its last block. */
void cx_recover(cx_parser *p, const cx_token *begin);

/* --- types and names (parse_types.c) --- */
void cx_declare_variable(cx_parser *p, pm_string name);
bool cx_is_variable(const cx_parser *p, pm_string name);
/* The variables declared since then are forgotten. */
size_t cx_begin_scope(const cx_parser *p);
void cx_end_scope(cx_parser *p, size_t begin);

/* A name with its template arguments, as a NAME; in an expression '<' is only taken for the begin of
 * arguments where what follows looks like it. */
cx_node *cx_path(cx_parser *p, bool in_expression);
/* At '<' behind a name in an expression: takes template arguments into `n` where these are some. */
bool cx_take_arguments(cx_parser *p, cx_node *n, bool is_variable);
/* One template argument: a TYPE or a constant. */
cx_node *cx_template_argument(cx_parser *p);
/* At '<' behind the name of a special case of a template: its arguments as a BLOCK. */
cx_node *cx_special_case(cx_parser *p);
bool cx_begins_basic_type(const cx_parser *p, const cx_token *t);
/* The NAME as a TYPE. */
cx_node *cx_type_of_path(cx_parser *p, cx_node *path);
bool cx_is_basic_path(const cx_parser *p, const cx_node *path);
/* Without '*' and '&' behind it. */
cx_node *cx_type_without_pointers(cx_parser *p);
void cx_pointers(cx_parser *p, cx_node *type);
cx_node *cx_type(cx_parser *p);
/* At '(' behind the type of its result: `int(float)` as a FUNCTION without a name. */
cx_node *cx_function_type(cx_parser *p, cx_node *result);
/* `(*f)` or `(&a)` behind a type, before '(' or '['. */
bool cx_begins_wrapped_name(const cx_token *t);
/* There: the type of f, or that of a's elements, and its name; the extents of `(*f[2])`, NULL for `[]`, are
 * added to the list, which is the caller's. */
cx_node *cx_wrapped_name(cx_parser *p, cx_node *type, pm_string *name, cx_nodes *extents);
/* A word in capitals, as macros are. */
bool cx_is_capital(const cx_token *t);
/* Past attributes [[…]], __attribute__((…)), alignas(…). */
void cx_skip_attributes(cx_parser *p);

/* The pattern, or an EXPANSION of it where `...` is behind it. */
cx_node *cx_expansion(cx_parser *p, cx_node *pattern);

/* --- declarations (parse_declarations.c) --- */
bool cx_begins_declaration(cx_parser *p);
/* A declaration that begins here and ends with one of ';' '=' '{': `if (int i = …)`. */
bool cx_begins_condition_declaration(cx_parser *p);
/* `for (A b : …)`. */
bool cx_begins_range(cx_parser *p);
void cx_declaration(cx_parser *p, cx_place place, cx_nodes *out);
/* Type and declarators without the ';'. */
cx_node *cx_variables(cx_parser *p);
/* Type and one name without a value. */
cx_node *cx_range_variable(cx_parser *p);
/* At '(': past ')', into the node's items. */
void cx_parameters(cx_parser *p, cx_node *function);
/* `::operator` */
bool cx_begins_operator(const cx_token *t);
/* There: "::operator+" becomes part of the name. */
void cx_take_operator(cx_parser *p, cx_node *name);
/* At `operator`: "operator+", or "operator" where a type follows, to which it converts. */
cx_node *cx_operator_name(cx_parser *p);
bool cx_begins_constructor(const cx_parser *p, cx_place place);

/* What stands before the type. */
typedef struct cx_specifiers {
  pm_loc loc;
  bool is_static, is_const, is_virtual, is_friend, is_explicit, is_extern;
} cx_specifiers;
/* Behind the type: the declarators, a DECLARE for those of one type. */
void cx_variables_of(cx_parser *p, const cx_specifiers *s, cx_node *type, cx_nodes *out);

/* --- classes and other names of types (parse_classes.c) --- */
bool cx_begins_class(const cx_token *t);
bool cx_begins_enum(const cx_token *t);
void cx_class_definition(cx_parser *p, const cx_specifiers *s, cx_nodes *out);
void cx_enum_definition(cx_parser *p, const cx_specifiers *s, cx_nodes *out);
void cx_using_declaration(cx_parser *p, cx_nodes *out);
void cx_typedef_declaration(cx_parser *p, cx_nodes *out);
void cx_template_declaration(cx_parser *p, cx_place place, cx_nodes *out);

/* --- expressions (parse_expressions.c) --- */
cx_node *cx_expression(cx_parser *p);
/* Expressions with ',' between. */
cx_node *cx_comma_expression(cx_parser *p);
/* An expression or {…}. */
cx_node *cx_initializer(cx_parser *p);
/* At an opening bracket: initializers with ',' between, past the closing one. */
void cx_initializers(cx_parser *p, cx_node *n);
/* A constant as a template argument: no comparison is in it outside brackets. */
cx_node *cx_constant_argument(cx_parser *p);

#endif
