/* What the passes that restructure loops and mark them ask of a band, and do to it. Statements are those of
 * the pipeline; `member` is a number below poly_band_members(band). */
#ifndef PM_DIALECTS_POLY_BANDS_H
#define PM_DIALECTS_POLY_BANDS_H

#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/statements.h"

/* --- of the band alone --- */
/* The loop of the member carries no dependence. */
bool poly_member_is_coincident(const pm_op *band, unsigned member);
/* The first such member, or the number of members when there is none. */
unsigned poly_first_coincident(const pm_op *band);
/* Nothing is below but statements. */
bool poly_is_innermost(const pm_op *band);
/* Innermost, without tiles, inside of another band, and its loops may run in any order. */
bool poly_is_free_nest(const pm_op *band);
/* The dimension that the member is, up to a factor, of the instances of that name; -1: none. */
int poly_dim_of_member(const pm_op *band, unsigned member, pm_string name);

/* --- of what runs in it --- */
/* The statement that alone runs in the band, or NULL. */
const stage_statement *poly_only_statement(const stage_statements *statements, const pm_op *band);
/* The stage whose cases alone run in the band, if it reads itself; else NULL. */
const stage_node *poly_only_recurrence(const stage_statements *statements, const pm_op *band);
/* All that run in the band go along the contiguous dimension of their stages with the member. */
bool poly_runs_along_rows(const stage_statements *statements, const pm_op *band, unsigned member);
/* A row of the stage or statement has PM_SHORT_ROW points, as far as constants say. */
bool poly_has_long_rows(const stage_statements *statements, pm_string name);
/* The last member may be a vector loop: it carries no dependence, goes along rows, and no mark is against it.
 */
bool poly_may_be_vector(const stage_statements *statements, const pm_op *band);

/* --- changes --- */
/* What a pass does to a band, if it does: it may erase the band, and put others around it. */
typedef bool poly_change(const stage_statements *statements, pm_op *band);
/* The whole of a pass that needs stage_statements_analysis: offers all bands of the schedule to the change,
 * in pre-order. The statistic says how many it changed. */
pm_result poly_change_bands(pm_pass *pass, poly_change *change, const char *statistic) PM_MUST_USE;
/* The member becomes the last; the others keep their order. */
void poly_move_last(pm_op *band, unsigned member);
/* floor(member / length): the number of the strip of so many values that a point is in. */
__isl_give isl_union_pw_aff *poly_strip_of(const pm_op *band, unsigned member, int64_t length);
/* Puts a band of one member around the band. `coincident`: its loop carries no dependence; `tile`: the values
 * of a strip, if it is a loop over tiles, or NULL. */
void poly_add_around(pm_op *band, __isl_take isl_union_pw_aff *member, bool coincident, const int64_t *tile);
/* A coincident band over strips of the member, around the band; no loop over tiles. */
void poly_add_strips(pm_op *band, unsigned member, int64_t length);
/* Right around the band is one of a single member, over such strips. */
bool poly_has_strips(const pm_op *band, unsigned member, int64_t length);

/* --- loops of threads --- */
/* The outermost bands that have a coincident member, inside of no loop of threads or vectors, and whose first
 * such member may be marked "parallel"; the array is the caller's. */
void poly_collect_free_bands(pm_op *schedule, poly_ops *out);
/* Marks the member "parallel", as poly_mark_member does. Iterations that are nests of loops differ in cost
 * and are few, so that their schedule is dynamic. Returns the mark. */
pm_op *poly_mark_parallel(const stage_statements *statements, pm_op *band, unsigned member);

#endif
