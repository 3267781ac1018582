#include "dialects/loop/forms.h"

#include "dialects/loop/access.h"
#include "dialects/loop/analyses/barriers.h"
#include "dialects/loop/analyses/items.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"

static bool is_version(const pm_op *op) {
  return pm_is(op, &loop_func) && pm_attr_at(op, loop_func_version);
}

static bool has_division(pm_affine_expr e) {
  return e->lhs && (e->kind >= PM_AFFINE_FLOORDIV || has_division(e->lhs) || has_division(e->rhs));
}

static bool has_other_index(const pm_op *op) {
  loop_access access;
  if (!loop_find_place(op, &access) || !access.map->n_results) return false;
  return access.map->n_results > 1 || has_division(access.map->results[0]);
}

static bool has_no_abi(const pm_op *op) {
  bool sized = !pm_is(op, &buf_alloc) || !op->n_operands || buf_alloc_bytes(op) || buf_alloc_workspace(op);
  return !sized || (pm_is(op, &loop_require) && !pm_attr_at(op, loop_require_code));
}

static bool has_no_group(const pm_op *op) {
  const pm_op *launch = pm_is(op, &loop_call) ? loop_find_launch(op) : NULL;
  return launch && !loop_has_group(launch);
}

static bool has_no_barrier(const pm_op *op) {
  if (!pm_is(op, &loop_call) || !loop_has_several_items(loop_find_launch(op))) return false;
  pm_map *missing = loop_find_missing_barriers(loop_find_callee(op));
  bool lacks = pm_map_size(missing) > 0;
  pm_map_free(missing);
  return lacks;
}

static bool is_of_dialect(pm_type type) {
  return pm_elem_type(type)->cls == PM_TYPE_CUSTOM;
}

static bool has_custom_type(const pm_op *op) {
  bool found = false;
  for (unsigned i = 0; i < op->n_operands && !found; i++) found = is_of_dialect(pm_arg(op, i)->type);
  for (unsigned i = 0; i < op->n_results && !found; i++) found = is_of_dialect(pm_res(op, i)->type);
  return found;
}

static bool is_func(const pm_op *op) {
  return pm_is(op, &loop_func);
}

static bool has_folded_index(const pm_op *op) {
  loop_access access;
  return loop_find_place(op, &access) && access.map->n_results == 1 && access.buffer->type->rank > 1;
}

static bool is_launch(const pm_op *op) {
  return pm_is(op, &loop_call) && loop_find_launch(op);
}

static bool is_launch_of_groups(const pm_op *op) {
  return is_launch(op) && loop_has_group(loop_find_launch(op));
}

static bool is_workspace(const pm_op *op) {
  return pm_is(op, &buf_workspace);
}

const pm_form loop_loops_form = {"loops", "pipelines are loops", NULL, NULL, is_func};
const pm_form loop_numbers_form = {"numbers", "values are numbers and memory of numbers", has_custom_type,
                                   "has a value of a dialect's type", NULL};
const pm_form loop_joined_form = {"joined", "no function is a version of another one", is_version,
                                  "is a version of another function", NULL};
const pm_form loop_inline_form = {"inline", "kernels are in the function that launches them", NULL, NULL,
                                  NULL};
const pm_form loop_kernels_form = {"kernels", "launches call kernels", NULL, NULL, is_launch};
const pm_form loop_groups_form = {"groups", "launches have the work-items of their groups", has_no_group,
                                  "is launched in groups whose work-items are not known",
                                  is_launch_of_groups};
const pm_form loop_barriers_form = {"barriers", "barriers are between accesses of work-items that conflict",
                                    has_no_barrier,
                                    "launches a kernel that lacks a barrier between its work-items", NULL};
const pm_form loop_dimensions_form = {"dimensions", "accesses have an index for each dimension", NULL, NULL,
                                      NULL};
const pm_form loop_one_index_form = {"one-index", "accesses have one index, without divisions",
                                     has_other_index, "has several indices, or one that divides",
                                     has_folded_index};
const pm_form loop_workspace_form = {"workspace", "memory of a call is in one workspace", NULL, NULL,
                                     is_workspace};
const pm_form loop_abi_form = {"abi", "what may fail has a code, and memory its size in bytes", has_no_abi,
                               "has no code, or no size in bytes", NULL};
