/* Macros of the preprocessor: their definitions, and what names of them in a text become. */
#ifndef PM_FRONTENDS_CXX_SYNTAX_MACROS_H
#define PM_FRONTENDS_CXX_SYNTAX_MACROS_H

#include "frontends/cxx/syntax/lexer.h"

typedef struct cx_macros cx_macros;

/* Texts of errors and tokens that are put together are in the arena. */
cx_macros *cx_new_macros(pm_context *ctx, pm_arena *arena);
void cx_free_macros(cx_macros *macros);
/* At the name behind #define; `end` is behind the line. NULL, or what is wrong with the definition. */
const char *cx_define(cx_macros *macros, const cx_token *t, const cx_token *end);
void cx_undefine(cx_macros *macros, pm_string name);
bool cx_is_defined(const cx_macros *macros, pm_string name);
/* Appends the tokens from t to `end`, with macros replaced. What cannot be replaced is an ERROR. Tokens of a
 * macro have the place of its use, those of its arguments their own. */
void cx_replace_macros(cx_macros *macros, const cx_token *t, const cx_token *end, cx_tokens *out);
/* The token has a name, as keywords have. */
bool cx_has_name(const cx_token *t);

#endif
