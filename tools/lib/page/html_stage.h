/* What the page of a pipeline says of one stage; see html.h. */
#ifndef PM_TOOLS_PAGE_HTML_STAGE_H
#define PM_TOOLS_PAGE_HTML_STAGE_H

#include "tools/lib/editor/classes.h"
#include "tools/lib/page/facts.h"
#include "tools/lib/page/groups.h"

/* An <article id="s3">, which the page's script makes a box of the graph from. */
void pm_put_html_stage(pm_buf *out, const stage_node *node, const pm_groups *groups,
                       const pm_remark_refs *remarks, const pm_word_set *words);
/* <li>s */
void pm_put_html_remarks(pm_buf *out, const pm_remark_refs *remarks);
/* `file:line:column` and the line itself; nothing without a place. */
void pm_put_html_place(pm_buf *out, pm_context *ctx, pm_loc loc);

#endif
