/* The table of targets, and what all of them share. */
#include <string.h>

#include "targets/target.h"

static const pm_target *const targets[] = {
    &c_target,
    &null_target,
};

size_t pm_target_count(void) {
  return PM_COUNT(targets);
}

const pm_target *pm_target_at(size_t i) {
  return targets[i];
}

const pm_target *pm_find_target(const char *name) {
  for (size_t i = 0; i < PM_COUNT(targets); i++)
    if (!strcmp(targets[i]->name, name)) return targets[i];
  return NULL;
}

typedef struct op_check {
  const pm_target *target;
  bool ok;
} op_check;

static pm_walk check_op(void *user, pm_op *op) {
  op_check *check = user;
  for (const pm_op_desc *const *desc = check->target->ops; *desc; desc++)
    if (op->desc == *desc) return PM_WALK_ON;
  check->ok = pm_op_error(op, "is not an op that the target '%s' knows", check->target->name);
  return PM_WALK_ON;
}

bool pm_emit(const pm_target *target, pm_module *module, const char *header_name, pm_target_output *out) {
  op_check check = {target, true};
  (void)pm_walk_pre(pm_module_op(module), check_op, &check);
  return check.ok && target->emit(module, header_name, out);
}

void pm_target_output_free(pm_target_output *out) {
  pm_buf_free(&out->source);
  pm_buf_free(&out->header);
  pm_buf_free(&out->entry);
}
