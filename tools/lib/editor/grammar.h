/* The table of classes in the languages of editors. */
#ifndef PM_TOOLS_EDITOR_GRAMMAR_H
#define PM_TOOLS_EDITOR_GRAMMAR_H

#include "tools/lib/editor/classes.h"

typedef struct pm_grammar_form {
  const char *name; /* "textmate" */
  void (*put)(const pm_word_set *words, pm_buf *out);
} pm_grammar_form;

/* textmate: JSON. pygments: a module of Python with PmirLexer. vim: a syntax file. kate: XML. css: the
 * colours of pages, for spans of the classes `t-op` and so on inside `.ir`. Ops are those of the words. */
/* NULL: there is none of that name. */
const pm_grammar_form *pm_find_grammar_form(const char *name);

#endif
