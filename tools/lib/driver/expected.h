/* Diagnostics that a test file announces, as in MLIR:
 *
 *   %0 = …  // expected-error {{text that the message contains}}
 *   // expected-warning@+1 {{…}}      @-N, @+N: lines from here; @above, @below: one line
 *   // expected-note@above 2 {{…}}    that many times
 *   // expected-error@below:7 {{…}}   in that column
 *   // expected-error@unknown {{…}}   without a place in the file
 *   // expected-error-re {{'{{[0-9]+}}' is}}  with extended regular expressions of POSIX; so for the others
 *
 * Each announcement matches one diagnostic of that severity on that line. */
#ifndef PM_TOOLS_DRIVER_EXPECTED_H
#define PM_TOOLS_DRIVER_EXPECTED_H

#include "ir/diag.h"

typedef struct pm_expected pm_expected;
/* Reads the announcements of a text, which is registered in the context under `name`. False, and a line in
 * `error`, when one is malformed. */
bool pm_expected_new(pm_expected **out, const char *name, const char *text, pm_buf *error) PM_MUST_USE;
void pm_expected_free(pm_expected *expected);
/* A pm_diag_handler; the user is the pm_expected. */
void pm_expected_handler(void *user, pm_context *ctx, const pm_diag *diag);
/* True when everything announced came and nothing else; else `report` says what did not. */
bool pm_expected_check(const pm_expected *expected, pm_buf *report) PM_MUST_USE;

#endif
