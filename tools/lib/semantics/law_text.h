/* The text of a law as a tree: see laws.h. */
#ifndef PM_TOOLS_SEMANTICS_LAW_TEXT_H
#define PM_TOOLS_SEMANTICS_LAW_TEXT_H

#include "ir/context.h"

typedef enum pm_term_kind {
  PM_TERM_OP,
  PM_TERM_LESS,
  PM_TERM_VALUE,
  PM_TERM_CONSTANT,
  PM_TERM_NUMBER
} pm_term_kind;
enum { PM_TERM_MOST = 3 };

typedef struct pm_term pm_term;
struct pm_term {
  pm_term_kind kind;
  pm_string name; /* of an OP without its dialect, or a VALUE or CONSTANT; the word of + - * */
  char infix;     /* OP: + - *, else 0 */
  int64_t number;
  pm_term *args[PM_TERM_MOST];
  unsigned n_args;
};

typedef struct pm_law {
  const pm_term *left, *right;
} pm_law;

/* In the arena. False with a reason, a literal, when the text is no such law. */
bool pm_parse_law(pm_context *ctx, pm_arena *arena, const char *text, pm_law *out, const char **reason);

#endif
