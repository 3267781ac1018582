/* The loops of a schedule as nested lists, for the page of a pipeline. */
#ifndef PM_TOOLS_PAGE_HTML_LOOPS_H
#define PM_TOOLS_PAGE_HTML_LOOPS_H

#include "dialects/stage/analyses/graph.h"
#include "tools/lib/page/groups.h"

/* What runs in which loops, from the poly.schedule of the graph's pipeline, with memory where it is
 * allocated. Stages and groups are links to #s and #g with their numbers, loops items #l of their own.
 * Nothing without a schedule. */
void pm_put_html_loops(pm_buf *out, const stage_graph *graph, const pm_groups *groups);

#endif
