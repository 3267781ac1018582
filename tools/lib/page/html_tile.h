/* A tile of a group, drawn. */
#ifndef PM_TOOLS_PAGE_HTML_TILE_H
#define PM_TOOLS_PAGE_HTML_TILE_H

#include "tools/lib/page/facts.h"
#include "tools/lib/page/groups.h"

/* A <figure> with the box of each stage in a tile, in the last two dimensions and in the coordinates of the
 * tile, once whole and once a corner, where the boxes are hard to tell apart; what is kept of stages while
 * steps go over the tile. Nothing when no remark of the pass tile is about the group. `remarks` by node. */
void pm_put_html_tile(pm_buf *out, const pm_groups *groups, size_t group, const pm_remark_refs *remarks);

#endif
