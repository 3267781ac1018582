#include "targets/lib/checks.h"

#include "dialects/loop/buf.h"
#include "dialects/loop/forms.h"
#include "dialects/loop/loop.h"

typedef struct checks {
  const char *target;
  bool (*has_type)(pm_scalar scalar);
  bool ok;
} checks;

static bool check_type(const checks *c, const pm_op *op, pm_type type) {
  if (c->has_type(type->scalar)) return true;
  return pm_op_error(op, "has a value of type %pT, which the target '%s' lacks", (const void *)type,
                     c->target);
}

static bool check_align(const checks *c, const pm_op *op) {
  pm_attr align = pm_is(op, &buf_alloc) ? pm_attr_at(op, buf_alloc_align) : NULL;
  if (!align || align->i <= PM_MEMORY_ALIGN) return true;
  return pm_op_error(op, "has align = %lld, but the target '%s' aligns memory to %d bytes",
                     (long long)align->i, c->target, PM_MEMORY_ALIGN);
}

/* What a function is of has the same parameters, and is looked at by itself. */
static pm_walk check_op(void *user, pm_op *op) {
  checks *c = user;
  if (pm_is(op, &loop_func) && pm_attr_at(op, loop_func_of)) return PM_WALK_SKIP;
  if (!check_align(c, op)) c->ok = false;
  for (unsigned i = 0; i < op->n_results; i++)
    if (!check_type(c, op, pm_res(op, i)->type)) c->ok = false;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (unsigned i = 0; i < pm_region_at(op, r)->n_args; i++)
      if (!check_type(c, op, pm_region_at(op, r)->args[i]->type)) c->ok = false;
  return PM_WALK_ON;
}

bool pm_check_form(pm_module *module, const pm_form *form, const char *target) {
  const pm_op *op = pm_find_lack(pm_module_op(module), form);
  if (!op) return true;
  pm_buf user = {0};
  pm_buf_printf(&user, "the target '%s'", target);
  pm_report_lack(op, form, user.data);
  pm_buf_free(&user);
  return false;
}

/* What the texts of all targets stand on. */
static const pm_form *const wanted[] = {&loop_numbers_form, &loop_joined_form, &loop_one_index_form,
                                        &loop_abi_form};

bool pm_check_emittable(pm_module *module, const char *target, bool (*has_type)(pm_scalar scalar)) {
  checks c = {.target = target, .has_type = has_type, .ok = true};
  for (size_t i = 0; i < PM_COUNT(wanted); i++)
    if (!pm_check_form(module, wanted[i], target)) c.ok = false;
  (void)pm_walk_pre(pm_module_op(module), check_op, &c);
  return c.ok;
}
