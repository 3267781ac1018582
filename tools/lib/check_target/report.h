/* What pm-check-target says of the programs of a section. */
#ifndef PM_TOOLS_CHECK_TARGET_REPORT_H
#define PM_TOOLS_CHECK_TARGET_REPORT_H

#include "tools/lib/check_target/run.h"

/* `forms: 870 passed, 1 failed, 60 refused`; then what is refused although it has a form, by message; then
 * for each subject the first program that fails, with a reproducer in the folder (NULL: that of temporary
 * files), and the names of others. Returns how many fail. */
size_t pm_check_report(const pm_check_options *options, const char *section, const char *folder,
                       const pm_check_programs *programs, const pm_check_result *results);

#endif
