/* dispatch-versions: the versions of a function become branches of it.
 *
 *   loop.func @f {                              |  loop.func @f {
 *     %R = loop.param @R : i32                  |    %R = loop.param @R : i32
 *     loop.require %0, "R > 0"                  |    loop.require %0, "R > 0"
 *     …                                         |    loop.if %1 {
 *   }                                           |      … of @f_0
 *   loop.func @f_0 version @f {                 |    } else {
 *     %R = loop.param @R : i32                  |      … of @f
 *     loop.require %1, "R > 0 and R <= 640"     |    }
 *     …                                         |  }
 *   }                                           |
 *
 * What a version requires is when it is run; the first is asked first. Arguments and arrays of numbers are
 * those of the function. */
#include "dialects/arith/arith.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct joining {
  pm_op *func, *version;
  pm_map *stays; /* the ops that stay ahead of the branches */
  pm_op *last;   /* of them: what goes ahead of the branches comes behind it */
  pm_value *condition;
} joining;

static pm_region *body_of(const pm_op *func) {
  return pm_region_at(func, loop_func_body);
}

/* --- what comes ahead --- */

typedef struct use_search {
  joining *j;
  const pm_op *user;
  void (*found)(joining *j, pm_op *def);
} use_search;

static pm_walk find_used(void *user, pm_op *op) {
  const use_search *u = user;
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_op *def = pm_def(pm_arg(op, i));
    if (def && def->region == u->user->region) u->found(u->j, def);
  }
  return PM_WALK_ON;
}

/* Calls `found` with each op beside it that the op, or what is inside, uses. */
static void find_uses(joining *j, pm_op *op, void (*found)(joining *j, pm_op *def)) {
  use_search u = {j, op, found};
  (void)pm_walk_pre(op, find_used, &u);
}

/* With all that it is computed of. */
static void add_staying(joining *j, pm_op *op) {
  if (pm_map_has(j->stays, op)) return;
  pm_map_set(j->stays, op, NULL);
  find_uses(j, op, add_staying);
}

static bool is_declaration(const pm_op *op) {
  return pm_has_trait(op, PM_SYMBOL) || pm_is(op, &loop_require);
}

/* The op ahead of which the next one comes; NULL: there is none. */
static pm_op *next_op(const joining *j) {
  return j->last ? j->last->next : body_of(j->func)->first;
}

static void find_staying(joining *j) {
  PM_FOR_OPS(op, body_of(j->func))
  if (is_declaration(op)) add_staying(j, op);
  PM_FOR_OPS(op, body_of(j->func))
  if (pm_map_has(j->stays, op)) {
    pm_move_before(op, body_of(j->func), next_op(j));
    j->last = op;
  }
}

static void move_ahead(joining *j, pm_op *op) {
  if (op->region == body_of(j->func)) return;
  find_uses(j, op, move_ahead);
  pm_move_before(op, body_of(j->func), next_op(j));
  j->last = op;
}

/* --- the version --- */

static bool takes_place_of(const pm_op *own, const pm_op *op) {
  if (own->desc != op->desc || own->n_results != op->n_results) return false;
  for (unsigned i = 0; i < op->desc->n_attrs && !pm_is(op, &loop_param); i++)
    if (pm_attr_at(own, i) != pm_attr_at(op, i)) return false;
  for (unsigned i = 0; i < op->n_results; i++)
    if (pm_res(own, i)->type != pm_res(op, i)->type) return false;
  return true;
}

/* An argument or an array of numbers: the function's, which may lack the array. False after a diagnostic. */
static bool join_symbol(joining *j, pm_op *op) {
  pm_string name = pm_attr_named(op, "sym")->s;
  pm_op *own = pm_lookup_symbol(body_of(j->func), name);
  if (!own && pm_has_trait(op, PM_PURE)) {
    move_ahead(j, op);
    return true;
  }
  if (!own || !takes_place_of(own, op))
    return pm_op_error(j->version, "takes @%pS otherwise than @%pS, which it is a version of",
                       (const void *)name, (const void *)pm_sym_at(j->func, loop_func_sym));
  pm_value **values = pm_xcalloc(op->n_results + 1, sizeof *values);
  for (unsigned i = 0; i < op->n_results; i++) values[i] = pm_res(own, i);
  pm_replace_op(op, values);
  free(values);
  return true;
}

static void join_requirement(joining *j, pm_op *require) {
  pm_value *holds = pm_arg(require, loop_require_condition);
  pm_op *def = pm_def(holds);
  pm_op_erase(require);
  move_ahead(j, def);
  pm_builder b = {pm_module_of(j->func), body_of(j->func), next_op(j), def->loc};
  j->condition = j->condition ? pm_build_binary(&b, &arith_andi, j->condition, holds) : holds;
  if (pm_def(j->condition) != def) j->last = pm_def(j->condition);
}

/* False after a diagnostic. */
static bool join_declarations(joining *j) {
  PM_FOR_OPS(op, body_of(j->version))
  if (pm_has_trait(op, PM_SYMBOL) && !join_symbol(j, op)) return false;
  PM_FOR_OPS(op, body_of(j->version))
  if (pm_is(op, &loop_require)) join_requirement(j, op);
  return j->condition || pm_op_error(j->version,
                                     "requires nothing, so @%pS, which it is a version of, would "
                                     "never run",
                                     (const void *)pm_sym_at(j->func, loop_func_sym));
}

/* The rest of both goes into the branches. */
static void branch(joining *j) {
  pm_builder b = {pm_module_of(j->func), body_of(j->func), next_op(j), j->version->loc};
  pm_op *either = loop_build_if(&b, j->condition);
  pm_splice(pm_region_begin(pm_region_at(either, loop_if_then)), body_of(j->version));
  pm_region *rest = pm_region_begin(pm_region_at(either, loop_if_else));
  while (either->next) pm_move_before(either->next, rest, NULL);
}

static bool join(pm_op *func, pm_op *version) {
  joining j = {.func = func, .version = version, .stays = pm_map_new()};
  find_staying(&j);
  bool ok = join_declarations(&j);
  if (ok) {
    branch(&j);
    pm_op_erase(version);
  }
  pm_map_free(j.stays);
  return ok;
}

/* --- */

static pm_op *function_of(const pm_op *version) {
  pm_op *func = pm_lookup_symbol(version->region, pm_sym_at(version, loop_func_version));
  const char *why = NULL;
  if (!pm_is(func, &loop_func) || pm_attr_at(func, loop_func_version))
    why = "which is no function beside it, or a version itself";
  else if (loop_result_of(func) || loop_result_of(version) || loop_is_private(func) ||
           loop_is_private(version))
    why = "and one of them is private or has a result";
  else if (pm_attr_at(func, loop_func_fp) != pm_attr_at(version, loop_func_fp))
    why = "which has other rules for floats";
  if (!why) return func;
  pm_op_error(version, "is a version of @%pS, %s", (const void *)pm_sym_at(version, loop_func_version), why);
  return NULL;
}

/* From the last to the first, so that the first is asked first. */
pm_result pass_dispatch_versions(pm_pass *pass) {
  PM_VEC(pm_op *) versions = {0};
  bool ok = true;
  PM_FOR_OPS(op, pm_region_at(pm_pass_root(pass), 0))
  if (pm_is(op, &loop_func) && pm_attr_at(op, loop_func_version)) PM_VEC_PUSH(versions, op);
  size_t n = versions.len;
  for (size_t i = n; i-- > 0 && ok;) {
    pm_op *func = function_of(versions.data[i]);
    ok = func && join(func, versions.data[i]);
  }
  pm_pass_stat(pass, "versions joined", (int64_t)n);
  PM_VEC_FREE(versions);
  return !ok ? PM_FAILED : n ? PM_CHANGED : PM_UNCHANGED;
}
