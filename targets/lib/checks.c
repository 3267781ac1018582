#include "targets/lib/checks.h"

#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
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

/* What lower-abi has not been at. */
static bool check_abi(const checks *c, const pm_op *op) {
  const char *lacks = NULL;
  bool sized = !pm_is(op, &buf_alloc) || !op->n_operands || buf_alloc_bytes(op) || buf_alloc_workspace(op);
  if (!sized) lacks = "size in bytes";
  if (pm_is(op, &loop_require) && !pm_attr_at(op, loop_require_code)) lacks = "code";
  if (!lacks) return true;
  return pm_op_error(op, "has no %s, which the target '%s' wants: run lower-abi before", lacks, c->target);
}

/* What join-versions has not been at: the function would not call it. */
static bool check_version(const checks *c, const pm_op *op) {
  if (!pm_is(op, &loop_func) || !pm_attr_at(op, loop_func_version)) return true;
  return pm_op_error(op,
                     "is a version of another function, which the target '%s' lacks: run join-versions "
                     "behind lower-poly",
                     c->target);
}

static bool has_division(pm_affine_expr e) {
  return e->lhs && (e->kind >= PM_AFFINE_FLOORDIV || has_division(e->lhs) || has_division(e->rhs));
}

/* What lower-memref has not been at. */
static bool check_access(const checks *c, const pm_op *op) {
  loop_access access;
  if (!loop_find_place(op, &access) || !access.map->n_results) return true;
  if (access.map->n_results == 1 && !has_division(access.map->results[0])) return true;
  return pm_op_error(op, "has an index that the target '%s' lacks; the pass lower-memref should run first",
                     c->target);
}

/* What a function is of has the same parameters, and is looked at by itself. */
static pm_walk check_op(void *user, pm_op *op) {
  checks *c = user;
  if (pm_is(op, &loop_func) && pm_attr_at(op, loop_func_of)) return PM_WALK_SKIP;
  if (!check_version(c, op) || !check_align(c, op) || !check_abi(c, op) || !check_access(c, op))
    c->ok = false;
  for (unsigned i = 0; i < op->n_results; i++)
    if (!check_type(c, op, pm_res(op, i)->type)) c->ok = false;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (unsigned i = 0; i < pm_region_at(op, r)->n_args; i++)
      if (!check_type(c, op, pm_region_at(op, r)->args[i]->type)) c->ok = false;
  return PM_WALK_ON;
}

bool pm_check_emittable(pm_module *module, const char *target, bool (*has_type)(pm_scalar scalar)) {
  checks c = {.target = target, .has_type = has_type, .ok = true};
  (void)pm_walk_pre(pm_module_op(module), check_op, &c);
  return c.ok;
}
