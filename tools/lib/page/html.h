/* A pipeline as one page of HTML that needs nothing beside it: the graph of its stages, and what is known of
 * each stage. */
#ifndef PM_TOOLS_PAGE_HTML_H
#define PM_TOOLS_PAGE_HTML_H

#include "ir/ir.h"
#include "tools/lib/driver/remarks.h"

/* Stages with their cases, accesses and readers, and, when the pipeline is scheduled that far, groups, tiles
 * and storage. A remark stands with the stages that it names (@f), else with those at its place, else with
 * the pipeline. The loops of a schedule stand beside `code`, the C that becomes of it; NULL: there is none.
 * The same pipeline, remarks and code give the same bytes. False after a diagnostic. */
bool pm_put_html(pm_buf *out, pm_op *pipeline, const pm_remark_list *remarks, const char *code) PM_MUST_USE;

#endif
