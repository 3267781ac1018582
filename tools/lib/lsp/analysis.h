/* What is known of the text of a document: its diagnostics, and what its names mean. It is found in a process
 * of its own, since a program may loop and a front end may fail. */
#ifndef PM_TOOLS_LSP_ANALYSIS_H
#define PM_TOOLS_LSP_ANALYSIS_H

#include "pm/frontend_values.h"
#include "tools/lib/driver/child.h"

#include <jansson.h>

/* All is borrowed. */
typedef struct pm_document_text {
  pm_context *ctx;
  const pm_frontend *frontend;
  pm_frontend_values *values; /* as given on the command line */
  const char *uri, *path;     /* what locations are of; the path is that of a file, or another name */
  pm_str text;                /* has a 0 behind it */
} pm_document_text;

/* The text is IR, whose names are known. */
bool pm_is_ir(const pm_document_text *document);

/* Work for a child: `user` is a pm_document_text, which is read here and not changed in the caller. The
 * answer is an object with `diagnostics`, and of IR with what pm_name_index_put sets. */
void pm_analyze_text(void *user, pm_buf *answer);
/* The object that a child's answer gives, the caller's. A child that did not answer gives one with a
 * diagnostic at the first line, which says so. */
json_t *pm_take_analysis(const pm_child_result *result, double seconds);

#endif
