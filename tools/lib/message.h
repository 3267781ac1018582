/* Messages of the tools that have no place in a source text: `pm-run: error: cannot open 'x.png': …`.
 * Functions that may fail for the user's reasons put one line without an end into a pm_buf and return false.
 */
#ifndef PM_TOOLS_MESSAGE_H
#define PM_TOOLS_MESSAGE_H

#include "ir/support.h"

/* Exit codes of every tool. */
enum { PM_EXIT_OK = 0, PM_EXIT_INPUT = 1, PM_EXIT_USAGE = 2, PM_EXIT_BUG = 70 };

/* Replaces the text of `error` by the message; always false. */
bool pm_failf(pm_buf *error, const char *fmt, ...) PM_PRINTF(2, 3);
/* Prints `tool: error: text` to stderr and frees the text. */
void pm_print_error(const char *tool, pm_buf *error);
/* `tool: warning: text`, likewise. */
void pm_print_warning(const char *tool, pm_buf *warning);
/* Bytes for people: "12 bytes", "3.4 MB" (powers of ten). */
void pm_put_bytes(pm_buf *out, double bytes);

#endif
