/* Messages of the tools that have no place in a source text: `pm-run: error: cannot open 'x.png': …`.
 * They come from functions that put one line without an end into a pm_buf (pm_failf). */
#ifndef PM_TOOLS_MESSAGE_H
#define PM_TOOLS_MESSAGE_H

#include "ir/support.h"

/* Exit codes of every tool. */
enum { PM_EXIT_OK = 0, PM_EXIT_INPUT = 1, PM_EXIT_USAGE = 2, PM_EXIT_BUG = 70 };

/* Prints `tool: error: text` to stderr and frees the text. */
void pm_print_error(const char *tool, pm_buf *error);
/* `tool: warning: text`, likewise. */
void pm_print_warning(const char *tool, pm_buf *warning);
/* Bytes for people: "12 bytes", "3.4 MB" (powers of ten). */
void pm_put_bytes(pm_buf *out, double bytes);

#endif
