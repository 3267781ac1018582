/* The options of tools that call a program: its arguments, threads, a line about long work; and what such
 * options are made of. Usage errors exit with PM_EXIT_USAGE. */
#ifndef PM_TOOLS_DRIVER_CALL_OPTIONS_H
#define PM_TOOLS_DRIVER_CALL_OPTIONS_H

#include "tools/lib/images/bind.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/progress.h"

typedef struct pm_call_options {
  pm_bind_options bind;
  int threads; /* 0: as the program decides */
  pm_progress_mode progress;
} pm_call_options;

/* A child of a tool's argp, whose input is a pm_call_options. The lists' texts point into argv, which is
 * changed. */
extern const struct argp pm_call_argp;
void pm_call_options_free(pm_call_options *options);

/* The target that is given, which must be able to run programs; else the fastest to compile, unless a
 * compiler is given. */
void pm_choose_run_target(pm_driver_options *options, struct argp_state *state);
/* Threads are given only where the target has them. */
void pm_check_threads(const pm_call_options *options, const pm_target *target, struct argp_state *state);

/* NAME=VALUE, written as in `form`; a text without '=' has no name, when that is allowed. The text is split
 * in place. */
void pm_argp_named(pm_named_list *list, char *arg, bool needs_name, const char *flag, const char *form,
                   struct argp_state *state);
long pm_argp_count(const char *text, long min, long max, const char *flag, struct argp_state *state);
/* One of the words of an option, by its number. */
unsigned pm_argp_word(const char *arg, const char *const *words, unsigned n, const char *option,
                      struct argp_state *state);
/* The same, or a value that counts as white: then `n`. */
unsigned pm_argp_scale(const char *arg, const char *const *words, unsigned n, double *white,
                       const char *option, struct argp_state *state);

#endif
