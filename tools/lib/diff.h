/* What differs between two texts, by lines, in the unified form of diff(1). */
#ifndef PM_TOOLS_DIFF_H
#define PM_TOOLS_DIFF_H

#include "ir/support.h"

/* A line that is put out: ' ' is in both texts, '-' in the first, '+' in the second; '@' is the head of a
 * hunk,
 * "@@ -1,4 +1,5 @@". The text is borrowed for the call, and without the end of its line. */
typedef void (*pm_diff_put)(void *user, char kind, pm_str line);

/* Puts the hunks, each with up to three lines of both texts around it; nothing when no line differs. The
 * lines are the fewest in most cases: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986,
 * section 4b, where parts with more than 512 differences are split where they went furthest. */
void pm_diff(pm_str before, pm_str after, pm_diff_put put, void *user);

#endif
