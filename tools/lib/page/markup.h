/* Text inside HTML, XML and graphviz. */
#ifndef PM_TOOLS_PAGE_MARKUP_H
#define PM_TOOLS_PAGE_MARKUP_H

#include "tools/lib/editor/classes.h"

/* Any bytes as text or as an attribute's value in quotes: < > & " ' become entities; what is no UTF-8, and
 * control characters other than tab and newline, become U+FFFD. */
void pm_put_markup(pm_buf *out, pm_str text);
void pm_puts_markup(pm_buf *out, const char *text);
/* IR inside an element of the class `ir`: the tokens are spans of the classes `t-op` and so on. */
void pm_put_ir_markup(pm_buf *out, const pm_word_set *words, pm_str text);
/* Inside a string in quotes of graphviz's language whose text is read as HTML's entities: a label, a name. */
void pm_puts_dot_string(pm_buf *out, const char *text);

#endif
