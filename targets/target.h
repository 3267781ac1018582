/* A target turns a module of loop.func ops into text. It is one struct in one directory and one line in
 * targets.c; targets/null is the skeleton to copy (docs/add-a-target.md). */
#ifndef PM_TARGETS_TARGET_H
#define PM_TARGETS_TARGET_H

#include "ir/ir.h"

typedef struct pm_target_output {
  pm_buf source; /* the program */
  pm_buf header; /* its declarations; empty when the target has none */
  pm_buf entry;  /* the name that its first function has there; empty when the target makes no functions */
} pm_target_output;

typedef struct pm_target {
  const char *name;      /* "c" */
  const char *extension; /* by which pm-translate finds it: "c" for x.c */
  const char *doc;
  const char *lowering;         /* pipeline text to run after the default one, or "" */
  const pm_op_desc *const *ops; /* what it accepts, NULL-terminated */
  /* Prints the module, whose ops are all accepted. `header_name` is how the source includes the header. False
   * after a diagnostic. */
  bool (*emit)(pm_module *module, const char *header_name, pm_target_output *out);
} pm_target;

extern const pm_target c_target, null_target;

/* NULL when unknown. */
const pm_target *pm_find_target(const char *name);
size_t pm_target_count(void);
const pm_target *pm_target_at(size_t i);
/* Checks first that the target accepts every op (an error names the op, the target and the place), then
 * emits. */
bool pm_emit(const pm_target *target, pm_module *module, const char *header_name,
             pm_target_output *out) PM_MUST_USE;
void pm_target_output_free(pm_target_output *out);

#endif
