/* Include once in one .c file of a dialect, after its header, with PM_DIALECT and PM_DIALECT_DEF defined (and
 * undefined afterwards): defines the descriptors and the table <dialect>_op_table (NULL-terminated). */
/* A row may begin an array or an enumeration that another row ends. */
/* clang-format off */
#define OP(op, traits, doc) static const pm_row PM_DN(op, arg_rows)[] = {
#define ARG(op, name, c, doc) {PM_ROW_ARG, #name, c, false, false, doc},
#define ARGS(op, name, c, doc) {PM_ROW_ARG, #name, c, true, false, doc},
#define END(op) {PM_ROW_END, NULL, 0, false, false, NULL}};
#include "ir/op_rows.h"
#define OP(op, traits, doc) static const pm_row PM_DN(op, result_rows)[] = {
#define RES(op, name, c, doc) {PM_ROW_RES, #name, c, false, false, doc},
#define RESS(op, name, c, doc) {PM_ROW_RES, #name, c, true, false, doc},
#define END(op) {PM_ROW_END, NULL, 0, false, false, NULL}};
#include "ir/op_rows.h"
#define OP(op, traits, doc) static const pm_row PM_DN(op, attr_rows)[] = {
#define ATTR(op, name, c, doc) {PM_ROW_ATTR, #name, c, false, false, doc},
#define OPT_ATTR(op, name, c, doc) {PM_ROW_ATTR, #name, c, false, true, doc},
#define END(op) {PM_ROW_END, NULL, 0, false, false, NULL}};
#include "ir/op_rows.h"
#define OP(op, traits, doc) static const pm_row PM_DN(op, region_rows)[] = {
#define REGION(op, name, c, doc) {PM_ROW_REGION, #name, c, false, false, doc},
#define OPT_REGION(op, name, c, doc) {PM_ROW_REGION, #name, c, false, true, doc},
#define END(op) {PM_ROW_END, NULL, 0, false, false, NULL}};
#include "ir/op_rows.h"
#define OP(op, traits, doc) static const pm_rule PM_DN(op, rules)[] = {
#define RULE(op, name, law) {#name, law, PM_DN(op, name)},
#define END(op) {NULL, NULL, NULL}};
#include "ir/op_rows.h"
#define OP(op, traits, doc) static const pm_inline_form PM_DN(op, inline_forms)[] = {
#define INLINE_FORM(op, kind, spelling, value) {kind, spelling, value},
#define END(op) {PM_INLINE_NONE, NULL, NULL}};
#include "ir/op_rows.h"
/* -1 plus row + 1 of the single variadic row */
#define OP(op, traits, doc) enum { PM_DN(op, variadic_arg_) = -1
#define ARGS(op, name, c, doc) + PM_DN(op, name) + 1
#define END(op) };
#include "ir/op_rows.h"
#define OP(op, traits, doc) enum { PM_DN(op, variadic_result_) = -1
#define RESS(op, name, c, doc) + PM_DN(op, name) + 1
#define END(op) };
#include "ir/op_rows.h"

#define OP(op, op_traits, op_doc)                                                                            \
  const pm_op_desc PM_D(op) = {                                                                              \
      .name = PM_STRINGIFY(PM_DIALECT) "." #op,                                                              \
      .doc = op_doc,                                                                                         \
      .traits = op_traits,                                                                                   \
      .args = PM_DN(op, arg_rows),                                                                           \
      .results = PM_DN(op, result_rows),                                                                     \
      .attrs = PM_DN(op, attr_rows),                                                                         \
      .regions = PM_DN(op, region_rows),                                                                     \
      .n_args = PM_DN(op, N_ARGS),                                                                           \
      .n_results = PM_DN(op, N_RESULTS),                                                                     \
      .n_attrs = PM_DN(op, N_ATTRS),                                                                         \
      .n_regions = PM_DN(op, N_REGIONS),                                                                     \
      .variadic_arg = PM_DN(op, variadic_arg_),                                                              \
      .variadic_result = PM_DN(op, variadic_result_),                                                        \
      .rules = PM_DN(op, rules),                                                                             \
      .inline_forms = PM_DN(op, inline_forms),
#define INLINE_OPERANDS(op, n) .inline_operands = n,
#define HOOK(op, hook) .hook = PM_DN(op, hook),
#define INTERFACE(op, interface) .interface = &PM_DN(op, interface),
#define COST(op, op_cost) .cost = op_cost,
#define LANES(op, lane_cost) .cost = lane_cost, .kernel = PM_DN(op, kernel),
#define END(op) };
#include "ir/op_rows.h"

#define TYPE(type, doc) static const pm_row PM_DN(type, param_rows)[] = {
#define ATTRIBUTE(attr, doc) static const pm_row PM_DN(attr, param_rows)[] = {
#define PARAM(kind, name, c, doc) {PM_ROW_ATTR, #name, c, false, false, doc},
#define END_TYPE(type) {PM_ROW_END, NULL, 0, false, false, NULL}};
#define END_ATTRIBUTE(attr) {PM_ROW_END, NULL, 0, false, false, NULL}};
#include "ir/op_rows.h"
#define TYPE(kind, kind_doc)                                                                                 \
  const pm_type_kind PM_DN(kind, type) = {                                                                   \
      .name = PM_STRINGIFY(PM_DIALECT) "." #kind, .doc = kind_doc, .params = PM_DN(kind, param_rows),
#define TYPE_HOOK(kind, hook) .hook = PM_DN(kind, hook),
#define END_TYPE(type) };
#define ATTRIBUTE(kind, kind_doc)                                                                            \
  const pm_attr_kind PM_DN(kind, attr) = {                                                                   \
      .name = PM_STRINGIFY(PM_DIALECT) "." #kind, .doc = kind_doc, .params = PM_DN(kind, param_rows)};
#include "ir/op_rows.h"

static const pm_type_kind *const PM_CAT3(PM_DIALECT, _, type_table)[] PM_MAYBE_UNUSED = {
#define TYPE(kind, doc) &PM_DN(kind, type),
#include "ir/op_rows.h"
    NULL};
static const pm_attr_kind *const PM_CAT3(PM_DIALECT, _, attr_table)[] PM_MAYBE_UNUSED = {
#define ATTRIBUTE(kind, doc) &PM_DN(kind, attr),
#include "ir/op_rows.h"
    NULL};

static const pm_op_desc *const PM_CAT3(PM_DIALECT, _, op_table)[] = {
#define OP(op, traits, doc) &PM_D(op),
#include "ir/op_rows.h"
    NULL};
