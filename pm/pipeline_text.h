/* Edits of pipeline texts: how --tile, --strategy, --inline and --set change the one text that is run.
 *
 * Every function but the first gives a new text, to be freed by the caller; passes are found at any depth of
 * nesting, by whole name.
 */
#ifndef PM_PM_PIPELINE_TEXT_H
#define PM_PM_PIPELINE_TEXT_H

#include "ir/support.h"

bool pm_pipeline_has(const char *text, const char *pass);
/* The value of an option of the first `pass` that has it, without quotes, or NULL. */
char *pm_pipeline_get(const char *text, const char *pass, const char *option);
/* Every `pass` gets option=value: in place of the option where it is given, behind the others where not. */
char *pm_pipeline_set(const char *text, const char *pass, const char *option, const char *value);
/* Whether a text is PASS{OPTION=VALUE …}. */
bool pm_pipeline_is_setting(const char *setting);
/* Every pass of that name gets the options of a setting; NULL when there is none. */
char *pm_pipeline_merge(const char *text, const char *setting);
/* Without every `pass`. */
char *pm_pipeline_drop(const char *text, const char *pass);
/* Up to the first `pass`, which is the last of it; all of the text when there is none. */
char *pm_pipeline_until(const char *text, const char *pass);
/* The first `pass` with its options, or NULL. */
char *pm_pipeline_item(const char *text, const char *pass);

#endif
