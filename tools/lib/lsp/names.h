/* What the names in a text of IR mean, and its ops that have names, from what the parser tells. */
#ifndef PM_TOOLS_LSP_NAMES_H
#define PM_TOOLS_LSP_NAMES_H

#include "ir/text.h"
#include "tools/lib/lsp/places.h"

typedef struct pm_name_index pm_name_index;

/* The lines are borrowed, and of the text that is parsed. */
pm_name_index *pm_name_index_new(pm_context *ctx, const pm_lines *lines);
void pm_name_index_free(pm_name_index *index);
/* For pm_parse_module_for. */
pm_parse_listener pm_name_index_listener(pm_name_index *index);

/* After the parse, whatever came of it. Sets three arrays in `found`. `names` has four integers for each
 * %value and @symbol that is defined, in the order of the text: begin and end as offsets, the number of its
 * meaning, and 1 for a definition, else 0. `meanings` has objects: `begin` and `end` of the definition's
 * name, `op`, and of values `types` and `result`, the number of the first, or -1 for arguments of regions.
 * `symbols` has DocumentSymbols. */
void pm_name_index_put(pm_name_index *index, json_t *found);

#endif
