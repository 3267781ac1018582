/* Files of pm-tune: what was measured of programs, by key; and --tuned, which takes the options of such a
 * file. docs/pm-tune.md has the form. */
#ifndef PM_TOOLS_DRIVER_TUNED_H
#define PM_TOOLS_DRIVER_TUNED_H

#include "tools/lib/driver/driver.h"

#include <jansson.h>

/* What an entry is for. Sizes are the integer params. */
typedef struct pm_tuned_key {
  json_t *words; /* program, pipeline, target, compiler, device */
  json_t *sizes; /* by the name of the param; null: not known */
  int threads;   /* 0: as the program decides */
} pm_tuned_key;

/* Appends what runs the target's programs: it may be loaded into this process for that. False after a
 * message. */
bool pm_tuned_device(const pm_target *target, const pm_driver_options *options, pm_buf *device) PM_MUST_USE;
/* `text` is the pipeline without what is tuned. `params` has the values of a call; NULL: sizes are estimates.
 */
void pm_tuned_key_make(pm_tuned_key *key, pm_module *module, pm_op *pipeline, const pm_params *params,
                       const char *text, const pm_target *target, const pm_driver_options *options,
                       const char *device, int threads);
void pm_tuned_key_free(pm_tuned_key *key);

/* The file of a program where none is named: harris.tuned.json for harris.py; to be freed. */
char *pm_tuned_path(const char *program);
/* The entries of a file, a new reference; NULL with a message when it cannot be read or is none of ours. */
json_t *pm_tuned_read(const char *path, pm_buf *error) PM_MUST_USE;
/* Whether an entry is for exactly that key. */
bool pm_tuned_is_of(const json_t *entry, const pm_tuned_key *key);
/* Gives an entry the key. */
void pm_tuned_set_key(json_t *entry, const pm_tuned_key *key);
/* Writes the file, which may not be there yet, with the entry in place of that of the same key, by a rename.
 */
bool pm_tuned_write(const char *path, json_t *entry, const pm_tuned_key *key, pm_buf *error) PM_MUST_USE;

/* --tuned as a child of a tool's argp; its input is a pm_driver_options. */
extern const struct argp pm_tuned_argp;
/* After --tuned: the options get the settings of the nearest entry that fits, which a remark says, and
 * integer params without an estimate the sizes that it is for; where none fits, a warning says why. False
 * after a message: the file is not there, or damaged. Without --tuned nothing happens. */
bool pm_take_tuned(pm_driver_options *options, const pm_target *target, pm_module *module,
                   const pm_params *params, int threads) PM_MUST_USE;

#endif
