/* The parser's two halves: statements in parser.c, expressions in parse_expressions.c. */
#ifndef PM_FRONTENDS_POLYMAGE_PARSE_H
#define PM_FRONTENDS_POLYMAGE_PARSE_H

#include "frontends/polymage/syntax.h"

/* A statement that the language has not, in a file that is imported: an error where it is run. */
typedef struct parse_refusal {
  pm_loc loc;
  const char *message; /* NULL: none */
} parse_refusal;

typedef struct parser {
  pm_context *ctx;
  pm_arena *arena;
  const py_token *t; /* the next token; the last one is END */
  unsigned nesting;
  bool failed; /* in this statement */
  unsigned n_failures;
  bool after_failure; /* the statement before this one failed */
  bool after_class;   /* it was a class, whose body is left out */
  bool imported;      /* refusals are kept in the tree */
  bool true_division; /* the file has `from __future__ import division` */
  parse_refusal refusal;
} parser;

typedef PM_VEC(py_node *) parse_nodes;

py_node *parse_node(parser *p, py_kind kind, pm_loc loc);
/* The list becomes the node's items, and is freed. */
void parse_take_items(parser *p, py_node *n, parse_nodes *items);
void parse_advance(parser *p);
/* The operator that a token is in this file. */
py_tok parse_operator(const parser *p, py_tok kind);
bool parse_accept(parser *p, py_tok kind);
bool parse_expect(parser *p, py_tok kind);
/* Only the first error of a statement is reported, and none at what the lexer reported. */
py_node *parse_fail(parser *p, const char *what);
py_node *parse_fail_with(parser *p, pm_loc loc, const char *message);
/* One level of nesting more; false after a diagnostic. parse_leave follows in any case. */
bool parse_enter(parser *p);
void parse_leave(parser *p);

py_node *parse_expression(parser *p);
/* One expression, or a tuple without parentheses. */
py_node *parse_expression_list(parser *p);
bool parse_ends_list(py_tok kind);
py_node *parse_name(parser *p);
py_node *parse_binary(parser *p, py_kind kind, py_tok op, pm_loc loc, py_node *a, py_node *b);
/* A name, an attribute, an index, or a tuple or list of such. */
bool parse_is_target(const py_node *n);
/* The targets of a `for`, up to `in`. */
py_node *parse_targets(parser *p);
/* Up to `close`, which is not taken, into the function's items. */
py_node *parse_parameters(parser *p, py_tok close, py_node *function);

#endif
