/* Places in a document, as we and as the Language Server Protocol count them: ours are offsets in bytes, the
 * protocol's are lines from 0 and units of UTF-16. */
#ifndef PM_TOOLS_LSP_PLACES_H
#define PM_TOOLS_LSP_PLACES_H

#include "ir/context.h"

#include <jansson.h>

/* The lines of a text, which is borrowed. */
typedef struct pm_lines {
  pm_str text;
  PM_VEC(size_t) begins;
} pm_lines;

pm_lines pm_lines_of(pm_str text);
void pm_lines_free(pm_lines *lines);
/* The line that has the offset, from 0. */
size_t pm_lines_find(const pm_lines *lines, size_t offset);
/* Without its end; empty behind the last line. */
pm_str pm_lines_text(const pm_lines *lines, size_t line);

/* The offset of line and column, at most the end of the line. */
size_t pm_offset_of_loc(const pm_lines *lines, pm_loc loc);
/* The same of a Position; false when it is none. */
bool pm_offset_of_position(const pm_lines *lines, const json_t *position, size_t *offset) PM_MUST_USE;
/* Units of UTF-16 from the beginning of the line. */
size_t pm_column_of(const pm_lines *lines, size_t offset);
/* A Range. */
json_t *pm_range_of(const pm_lines *lines, size_t begin, size_t end);

/* A string of any bytes: what is no UTF-8 becomes U+FFFD. */
json_t *pm_json_text(pm_str text);

/* The path of a file's URI, to be freed; NULL: it is another URI. */
char *pm_path_of_uri(const char *uri);
/* The URI of a file, to be freed. */
char *pm_uri_of_path(const char *path);

#endif
