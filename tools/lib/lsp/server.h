/* The Language Server Protocol, 3.17: one editor, its documents, and one child that reads a text at a time.
 */
#ifndef PM_TOOLS_LSP_SERVER_H
#define PM_TOOLS_LSP_SERVER_H

#include "pm/frontend_values.h"

#include <stdio.h>

typedef struct pm_server_options {
  pm_context *ctx;
  const pm_frontend *from;   /* of all documents that are no IR; NULL: by their names */
  pm_frontend_values values; /* given; read for the language of each document */
  double seconds;            /* that reading a text may take */
  const char *tool;
} pm_server_options;

/* Serves until the editor says exit, the input ends or a signal asks to stop. The exit code of the tool: 0 if
 * and only if a request for shutdown came first. */
int pm_serve(const pm_server_options *options, int in, FILE *out);

#endif
