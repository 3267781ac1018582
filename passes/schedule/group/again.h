/* Stages that are made again: what is cheap to compute is not stored for readers elsewhere that read few
 * points of it. */
#ifndef PM_PASSES_GROUP_AGAIN_H
#define PM_PASSES_GROUP_AGAIN_H

#include "dialects/poly/cost/pricing.h"
#include "dialects/poly/tiling/units.h"
#include "ir/pass.h"

/* Sets `made_again` of the stages of which storing takes longer than to compute them in all readers that can.
 * In the arena of the plans. */
void group_find_made_again(const poly_units *units, const poly_pricing *pricing);
/* Sets it for those of which a demand says so, which goes. */
void group_take_demanded_again(poly_plans *plans);
/* Inlines the stages that are made again into their readers in other groups, once all groups are settled.
 * What is known of stages does not hold any more then; false: nothing was inlined. */
bool group_make_again(pm_pass *pass, const poly_plans *plans);

#endif
