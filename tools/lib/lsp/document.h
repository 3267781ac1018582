/* The documents that an editor has open, and what is known of them. */
#ifndef PM_TOOLS_LSP_DOCUMENT_H
#define PM_TOOLS_LSP_DOCUMENT_H

#include "tools/lib/lsp/analysis.h"
#include "tools/lib/lsp/places.h"

typedef struct pm_document {
  char *uri, *path;    /* the path is the URI when it is no file's */
  pm_document_text as; /* what a child reads: borrows the rest */
  char *text;
  pm_lines lines;
  json_t *version; /* NULL: there is none */
  bool stale;      /* `found` is of another text */
  json_t *found;   /* pm_take_analysis; NULL: not yet */
} pm_document;

/* Takes nothing over. The frontend is that of the path, else of the language; NULL: nothing is known of it.
 */
pm_document *pm_document_new(pm_context *ctx, pm_frontend_values *values, const char *uri,
                             const char *language);
void pm_document_free(pm_document *document);
void pm_document_set(pm_document *document, pm_str text, json_t *version);

/* A name of IR. */
typedef struct pm_found_name {
  size_t begin, end;
  json_int_t meaning;
  bool defines;
} pm_found_name;
size_t pm_document_count_names(const pm_document *document);
pm_found_name pm_document_name(const pm_document *document, size_t i);
/* The name that has the offset, or ends there; false: none. */
bool pm_document_find_name(const pm_document *document, size_t offset, pm_found_name *name);
const json_t *pm_document_meaning(const pm_document *document, json_int_t meaning);

/* The words about what stands at an offset, in Markdown; nothing: there is none. */
void pm_put_hover(const pm_document *document, size_t offset, pm_buf *out, size_t *begin, size_t *end);
/* CompletionItems for what is written up to the offset: names of ops, or %values or @symbols behind that
 * sign. */
json_t *pm_complete(const pm_document *document, size_t offset);
/* A CodeAction for a Diagnostic that says "did you mean"; NULL: it does not. */
json_t *pm_correction_of(const pm_document *document, json_t *diagnostic);

#endif
