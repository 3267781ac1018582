/* The parser's parts: statements in parser.c, variables and functions in parse_declarations.c, classes and
 * other names of types in parse_classes.c, types and names in parse_types.c, expressions in
 * parse_expressions.c. */
#ifndef PM_FRONTENDS_HALIDE_PARSE_H
#define PM_FRONTENDS_HALIDE_PARSE_H

#include "frontends/halide/lexer.h"

typedef PM_VEC(hl_node *) hl_nodes;
typedef PM_VEC(pm_string) hl_names;

/* What stands at a '<', read as template arguments. */
typedef struct hl_angle {
  bool ok;
  uint32_t n_items;
  const hl_token *end; /* behind the '>' */
  hl_node **items;
} hl_angle;

typedef struct hl_parser {
  pm_context *ctx;
  pm_arena *arena;
  const hl_token *tokens, *t; /* t: the next one; the last one is END */
  hl_angle **angles;          /* by the number of the '<'; NULL: not tried */
  unsigned nesting;
  unsigned trying; /* what is read may be read again as something else; errors are not worded */
  unsigned angle_depth;
  bool failed; /* in this statement */
  pm_loc refusal_loc;
  const char *refusal;
  pm_string declares; /* by the statement that is read, or NULL */
  pm_string class_name;
  hl_names variables;             /* that are declared here, the innermost last */
  pm_map *n_variables;            /* how many there are of a name */
  hl_names type_parameters;       /* of functions: `auto` in their place */
  hl_names class_type_parameters; /* of classes */
  hl_names dropped;               /* namespaces that names are written without */
  pm_map *namespaces;             /* those of all files, or NULL */
  const hl_include *includes, *last_include;
} hl_parser;

typedef enum hl_place { HL_AT_TOP, HL_IN_CLASS, HL_IN_BLOCK } hl_place;

/* --- nodes and tokens (parser.c) --- */
hl_node *hl_new_node(hl_parser *p, hl_kind kind, pm_loc loc);
/* The list becomes the node's items, and is freed. */
void hl_take_items(hl_parser *p, hl_node *n, hl_nodes *items);
void hl_advance(hl_parser *p);
bool hl_accept(hl_parser *p, hl_tok kind);
bool hl_expect(hl_parser *p, hl_tok kind);
/* Only the first error of a statement counts. The result is NULL. */
hl_node *hl_fail(hl_parser *p, const char *what);
hl_node *hl_fail_with(hl_parser *p, pm_loc loc, const char *message);
/* At a word whose statement or expression is not read: fails and says so. False where it is none such. */
bool hl_fail_unsupported(hl_parser *p);
/* One level of nesting more; false after a failure. hl_leave follows in any case. */
bool hl_enter(hl_parser *p);
void hl_leave(hl_parser *p);
const hl_token *hl_partner(const hl_parser *p, const hl_token *bracket);

/* Reading goes on here when what follows was only tried. */
typedef struct hl_state {
  const hl_token *t;
} hl_state;
hl_state hl_try(hl_parser *p);
/* Goes back. Whether what was tried did not fail. */
bool hl_go_back(hl_parser *p, hl_state state);

/* --- statements (parser.c) --- */
void hl_statement(hl_parser *p, hl_place place, hl_nodes *out);
/* At '{'. */
hl_node *hl_block(hl_parser *p);
/* Behind what cannot be read and begins at `begin`: its ';' or its last block. */
void hl_recover(hl_parser *p, const hl_token *begin);

/* --- types and names (parse_types.c) --- */
void hl_declare_variable(hl_parser *p, pm_string name);
bool hl_is_variable(const hl_parser *p, pm_string name);
/* The variables declared since then are forgotten. */
size_t hl_begin_scope(const hl_parser *p);
void hl_end_scope(hl_parser *p, size_t begin);

/* A name with its template arguments, as a NAME; in an expression '<' is only taken for the begin of
 * arguments where what follows looks like it. */
hl_node *hl_path(hl_parser *p, bool in_expression);
/* At '<' behind a name in an expression: takes template arguments into `n` where these are some. */
bool hl_take_arguments(hl_parser *p, hl_node *n, bool is_variable);
bool hl_begins_basic_type(const hl_parser *p, const hl_token *t);
/* The NAME as a TYPE. */
hl_node *hl_type_of_path(hl_parser *p, hl_node *path);
bool hl_is_basic_path(const hl_parser *p, const hl_node *path);
/* Without '*' and '&' behind it. */
hl_node *hl_type_without_pointers(hl_parser *p);
void hl_pointers(hl_parser *p, hl_node *type);
hl_node *hl_type(hl_parser *p);
/* At '(' behind the type of its result: `int(float)` as a FUNCTION without a name. */
hl_node *hl_function_type(hl_parser *p, hl_node *result);
/* `(*f)` or `(&a)` behind a type, before '(' or '['. */
bool hl_begins_wrapped_name(const hl_token *t);
/* There: the type of f, or that of a's elements, and its name. */
hl_node *hl_wrapped_name(hl_parser *p, hl_node *type, pm_string *name);
/* A word in capitals, as macros are. */
bool hl_is_capital(const hl_token *t);
/* Past attributes [[…]], __attribute__((…)), alignas(…). */
void hl_skip_attributes(hl_parser *p);

/* --- declarations (parse_declarations.c) --- */
bool hl_begins_declaration(hl_parser *p);
/* A declaration that begins here and ends with one of ';' '=' '{': `if (int i = …)`. */
bool hl_begins_condition_declaration(hl_parser *p);
/* `for (A b : …)`. */
bool hl_begins_range(hl_parser *p);
void hl_declaration(hl_parser *p, hl_place place, hl_nodes *out);
/* Type and declarators without the ';'. */
hl_node *hl_variables(hl_parser *p);
/* Type and one name without a value. */
hl_node *hl_range_variable(hl_parser *p);
/* At '(': past ')', into the node's items. */
void hl_parameters(hl_parser *p, hl_node *function);
bool hl_begins_constructor(const hl_parser *p, hl_place place);

/* What stands before the type. */
typedef struct hl_specifiers {
  pm_loc loc;
  bool is_static, is_const;
} hl_specifiers;
/* Behind the type: the declarators. */
hl_node *hl_variables_of(hl_parser *p, const hl_specifiers *s, hl_node *type);

/* --- classes and other names of types (parse_classes.c) --- */
bool hl_begins_class(const hl_token *t);
bool hl_begins_enum(const hl_token *t);
void hl_class_definition(hl_parser *p, const hl_specifiers *s, hl_nodes *out);
void hl_enum_definition(hl_parser *p, const hl_specifiers *s, hl_nodes *out);
void hl_using_declaration(hl_parser *p, hl_nodes *out);
hl_node *hl_typedef_declaration(hl_parser *p);
void hl_template_declaration(hl_parser *p, hl_place place, hl_nodes *out);

/* --- expressions (parse_expressions.c) --- */
hl_node *hl_expression(hl_parser *p);
/* An expression or {…}. */
hl_node *hl_initializer(hl_parser *p);
/* At an opening bracket: initializers with ',' between, past the closing one. */
void hl_initializers(hl_parser *p, hl_node *n);
/* A constant as a template argument: no comparison is in it outside brackets. */
hl_node *hl_constant_argument(hl_parser *p);

#endif
