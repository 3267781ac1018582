/* What the page of a pipeline says of its groups; see html.h. */
#ifndef PM_TOOLS_PAGE_HTML_GROUP_H
#define PM_TOOLS_PAGE_HTML_GROUP_H

#include "tools/lib/page/facts.h"
#include "tools/lib/page/groups.h"

/* Of a group: what is predicted, and its tile, drawn and as a table; `remarks` by node. */
void pm_put_html_group(pm_buf *out, const pm_groups *groups, size_t group, const pm_remark_refs *remarks);
/* All groups as a table, a line each. */
void pm_put_html_groups(pm_buf *out, const pm_groups *groups, const pm_remark_refs *remarks);
/* <dt> and <dd> of a prediction; nothing when it is not known. It takes that many percent of the time of
 * `whole`. */
void pm_put_html_prediction(pm_buf *out, const pm_prediction *p, double share, const char *whole);
/* The sum over the groups, in ns; 0: none is known. */
double pm_predicted_time(const pm_groups *groups, const pm_remark_refs *remarks);
/* Of the group of a stage. */
pm_prediction pm_prediction_of_group(const pm_groups *groups, size_t group, const pm_remark_refs *remarks);

#endif
