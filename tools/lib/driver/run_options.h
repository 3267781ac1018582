/* The command line of pm-run. */
#ifndef PM_TOOLS_DRIVER_RUN_OPTIONS_H
#define PM_TOOLS_DRIVER_RUN_OPTIONS_H

#include "tools/lib/driver/call_options.h"
#include "tools/lib/driver/boxes.h"
#include "tools/lib/images/output.h"

/* --against: the program, optimized in another way, or a file with a function that computes the same. */
typedef enum pm_against { PM_AGAINST_OPTIONS, PM_AGAINST_SOURCE, PM_AGAINST_LIBRARY } pm_against;
typedef struct pm_run_variant {
  const char *text; /* the path of the file */
  pm_against kind;
  pm_driver_options driver; /* texts and lists that are not about optimizing are the program's */
} pm_run_variant;

typedef struct pm_run_options {
  pm_driver_options driver; /* its target can load programs */
  pm_call_options call;
  pm_named_list outputs, feeds; /* feeds: name is the output, value the input */
  pm_boxes region;              /* of --region: boxes of the outputs, in place of all of them */
  bool needs;
  pm_output_options output;
  bool check, bench, keep, no_cache;
  PM_VEC(pm_run_variant) against;
  double epsilon, tolerance; /* of --check: within which floats are equal; the share that may differ */
  size_t repeat;             /* calls, 1 without --repeat */
  bool numbered;             /* --repeat is given: names of files may have the number of the call */
  size_t bench_rounds;       /* 0: for about bench_seconds */
  double bench_seconds;
  bool profile;
  const char *dump_source, *bench_json;
} pm_run_options;

/* Usage errors exit with PM_EXIT_USAGE. The lists' texts point into argv, which is changed. */
void pm_run_options_parse(pm_run_options *options, int argc, char **argv);
void pm_run_options_free(pm_run_options *options);

#endif
