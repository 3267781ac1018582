/* The targets of the tree, and what all targets share. */
#include "targets/target.h"

#include "dialects/loop/buf.h"
#include "ir/registry.h"

#include <string.h>

#define TARGET(name) extern const pm_target name##_target;
#include "targets/targets.def"
#undef TARGET

static const pm_target *const targets[] = {
#define TARGET(name) &name##_target,
#include "targets/targets.def"
#undef TARGET
};

static const pm_registry_kind target_kind = {"target"};

/* --- the targets of a context --- */

static bool has_hooks(pm_context *ctx, const pm_target *target) {
  for (const pm_target_file *file = target->files; file->extension; file++)
    if (file->kind == PM_FILE_COMPILED && !target->compile)
      return pm_error(ctx, PM_NO_LOC, "the target '%s' has files .%s, but should have a hook to compile them",
                      target->name, file->extension);
  unsigned n = (target->opens != NULL) + (target->open != NULL) + (target->close != NULL);
  if (n != 0 && n != 3)
    return pm_error(ctx, PM_NO_LOC,
                    "the target '%s' has some of 'opens', open and close, but should have all or none",
                    target->name);
  return !n || target->compile ||
         pm_error(ctx, PM_NO_LOC, "the target '%s' opens files .%s, but should have a hook to compile them",
                  target->name, target->opens);
}

bool pm_register_target(pm_context *ctx, const pm_target *target) {
  return has_hooks(ctx, target) && pm_register_entry(ctx, &target_kind, target->name, target);
}

void pm_register_all_targets(pm_context *ctx) {
  for (size_t i = 0; i < PM_COUNT(targets); i++)
    if (!pm_register_target(ctx, targets[i])) pm_panic(NULL, "a target of the tree cannot be registered");
}

const pm_target *pm_find_target(const pm_context *ctx, const char *name) {
  return pm_find_entry(ctx, &target_kind, name);
}

size_t pm_target_count(const pm_context *ctx) {
  return pm_entry_count(ctx, &target_kind);
}

const pm_target *pm_target_at(const pm_context *ctx, size_t i) {
  return pm_entry_at(ctx, &target_kind, i);
}

const pm_target_file *pm_target_find_file(const pm_target *target, const char *extension) {
  for (const pm_target_file *file = target->files; file->extension; file++)
    if (strcmp(file->extension, extension) == 0) return file;
  return NULL;
}

/* --- forms --- */

static unsigned class_of(pm_type type) {
  if (type->cls != PM_TYPE_VECTOR) return PM_FORM_SCALAR;
  return pm_is_bool(type) ? PM_FORM_MASK : PM_FORM_VECTOR;
}

unsigned pm_op_class(const pm_op *op) {
  unsigned found = PM_FORM_SCALAR;
  for (unsigned i = 0; i < op->n_results && found == PM_FORM_SCALAR; i++)
    found = class_of(pm_res(op, i)->type);
  for (unsigned i = 0; i < op->n_operands && found == PM_FORM_SCALAR; i++)
    found = class_of(pm_arg(op, i)->type);
  return found;
}

unsigned pm_target_classes(const pm_target *target, const pm_op_desc *op) {
  unsigned classes = 0;
  for (const pm_target_form *form = target->forms; form->op; form++)
    if (form->op == op) classes |= form->classes;
  return classes;
}

typedef struct op_check {
  const pm_target *target;
  pm_map *classes; /* pm_op_desc -> its classes, plus 1 */
  bool ok;
} op_check;

static unsigned classes_of(const op_check *check, const pm_op_desc *op) {
  uintptr_t known = (uintptr_t)pm_map_get(check->classes, op);
  if (!known) {
    known = pm_target_classes(check->target, op) + 1u;
    pm_map_set(check->classes, op, (void *)known);
  }
  return (unsigned)known - 1u;
}

static bool check_form(const op_check *check, const pm_op *op) {
  static const char *const words[] = {
      [PM_FORM_SCALAR] = "scalars", [PM_FORM_VECTOR] = "vectors", [PM_FORM_MASK] = "masks (vectors of i1)"};
  unsigned classes = classes_of(check, op->desc), class = pm_op_class(op);
  if (!classes) return pm_op_error(op, "is not an op that the target '%s' knows", check->target->name);
  return (classes & class) || pm_op_error(op, "is an op that the target '%s' has no form of for %s",
                                          check->target->name, words[class]);
}

static bool check_space(const op_check *check, const pm_op *op) {
  static const struct {
    pm_space space;
    unsigned needs;
  } rows[] = {{PM_SPACE_HEAP, PM_TARGET_HEAP},
              {PM_SPACE_STACK, PM_TARGET_STACK},
              {PM_SPACE_THREAD, PM_TARGET_THREAD_MEMORY}};
  pm_space space = (pm_space)pm_res(op, 0)->type->space;
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (rows[i].space == space && (check->target->has & rows[i].needs)) return true;
  return pm_op_error(op, "is memory in the space '%s', which the target '%s' lacks",
                     pm_get_space_info(space)->name, check->target->name);
}

static pm_walk check_op(void *user, pm_op *op) {
  op_check *check = user;
  check->ok &= check_form(check, op) && (!pm_is(op, &buf_alloc) || check_space(check, op));
  return PM_WALK_ON;
}

bool pm_target_check(const pm_target *target, pm_op *root) {
  op_check check = {target, pm_map_new(), true};
  (void)pm_walk_pre(root, check_op, &check);
  pm_map_free(check.classes);
  return check.ok;
}

/* --- parallel loops --- */

static const char parallel_name[] = "parallel";

bool pm_set_parallel(const pm_target *target, pm_module *module, const char *parallel) {
  pm_context *ctx = pm_module_context(module);
  if (!parallel) return true;
  if (!target || !target->parallel)
    return pm_error(ctx, PM_NO_LOC,
                    "--parallel is '%s', but the target '%s' has one way to run parallel loops", parallel,
                    target ? target->name : "null");
  pm_set_attr_named(pm_module_op(module), parallel_name, pm_get_string_attr(ctx, pm_str_of(parallel)));
  return true;
}

bool pm_uses_pool(const pm_target *target, const pm_module *module) {
  pm_attr said = pm_attr_named(pm_module_op((pm_module *)module), parallel_name);
  const char *parallel = said && said->cls == PM_ATTR_STRING ? said->s->text : target->parallel;
  return parallel && strcmp(parallel, "pool") == 0;
}

/* --- emission --- */

bool pm_emit(const pm_target *target, pm_module *module, const char *header_name, pm_target_output *out) {
  return pm_target_check(target, pm_module_op(module)) && target->emit(module, header_name, out);
}

void pm_target_output_free(pm_target_output *out) {
  pm_buf_free(&out->source);
  pm_buf_free(&out->header);
  pm_buf_free(&out->entry);
}
