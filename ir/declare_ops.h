/* Include with PM_DIALECT (a word) and PM_DIALECT_DEF (the .def file) defined, in a dialect's header:
 * declares the descriptors, the index enumerations and the prototypes of hooks and rules. The includer
 * undefines both afterwards. */
#include "ir/ir.h"

#ifndef PM_CAT3
#define PM_CAT3_(a, b, c) a##b##c
#define PM_CAT3(a, b, c) PM_CAT3_(a, b, c)
#define PM_CAT5_(a, b, c, d, e) a##b##c##d##e
#define PM_CAT5(a, b, c, d, e) PM_CAT5_(a, b, c, d, e)
#endif
#define PM_D(op) PM_CAT3(PM_DIALECT, _, op)
#define PM_DN(op, name) PM_CAT5(PM_DIALECT, _, op, _, name)

/* A row may begin an array or an enumeration that another row ends. */
/* clang-format off */
#define OP(op, traits, doc) enum {
#define ARG(op, name, c, doc) PM_DN(op, name),
#define ARGS(op, name, c, doc) PM_DN(op, name),
#define END(op) PM_DN(op, N_ARGS) };
#include "ir/op_rows.h"
#define OP(op, traits, doc) enum {
#define RES(op, name, c, doc) PM_DN(op, name),
#define RESS(op, name, c, doc) PM_DN(op, name),
#define END(op) PM_DN(op, N_RESULTS) };
#include "ir/op_rows.h"
#define OP(op, traits, doc) enum {
#define ATTR(op, name, c, doc) PM_DN(op, name),
#define OPT_ATTR(op, name, c, doc) PM_DN(op, name),
#define END(op) PM_DN(op, N_ATTRS) };
#include "ir/op_rows.h"
#define OP(op, traits, doc) enum {
#define REGION(op, name, c, doc) PM_DN(op, name),
#define OPT_REGION(op, name, c, doc) PM_DN(op, name),
#define END(op) PM_DN(op, N_REGIONS) };
#include "ir/op_rows.h"

#define TYPE(type, doc) enum {
#define PARAM(kind, name, c, doc) PM_DN(kind, name),
#define END_TYPE(type) PM_DN(type, N_PARAMS) };
#define ATTRIBUTE(attr, doc) enum {
#define END_ATTRIBUTE(attr) PM_DN(attr, N_PARAMS) };
#include "ir/op_rows.h"

#ifdef __cplusplus
extern "C" {
#endif
#define TYPE(kind, doc) extern const pm_type_kind PM_DN(kind, type);
#define ATTRIBUTE(kind, doc) extern const pm_attr_kind PM_DN(kind, attr);
#define TYPE_HOOK(kind, hook) bool PM_DN(kind, hook)(pm_type type, pm_loc loc);
#define DIALECT(name) extern const pm_dialect name##_dialect;
#define OP(op, traits, doc) extern const pm_op_desc PM_D(op);
#define HOOK(op, hook) PM_HOOK_##hook(PM_DN(op, hook))
#define PM_HOOK_fold(fn) bool fn(pm_op *op, const pm_attr *operands, pm_fold_result *out);
#define PM_HOOK_verify(fn) bool fn(const pm_op *op);
#define PM_HOOK_print(fn) void fn(struct pm_printer *p, const pm_op *op);
#define PM_HOOK_parse(fn) bool fn(struct pm_parser *p, struct pm_op_state *state);
#define PM_HOOK_range(fn) pm_range fn(const pm_op *op, const pm_range *operands);
#define PM_HOOK_interpret(fn) bool fn(struct pm_interpreter *in, const pm_op *op);
#define PM_HOOK_writes(fn) bool fn(const pm_op *op, unsigned operand);
#define INTERFACE(op, interface) extern const pm_##interface PM_DN(op, interface);
#define LANES(op, cost) pm_kernel PM_DN(op, kernel)(const pm_op *op, pm_scalar scalar);
#define RULE(op, name, law) bool PM_DN(op, name)(struct pm_rewriter * rw, pm_op * op);
#include "ir/op_rows.h"
#ifdef __cplusplus
}
#endif
#undef PM_HOOK_fold
#undef PM_HOOK_verify
#undef PM_HOOK_print
#undef PM_HOOK_parse
#undef PM_HOOK_range
#undef PM_HOOK_interpret
#undef PM_HOOK_writes
