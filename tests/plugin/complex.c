/* A plugin with complex numbers, and a pass that makes pairs of them: of values two, of arrays a last
 * dimension of two. */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "ir/convert.h"
#include "ir/diag.h"
#include "tools/plugin.h"

#include <string.h>

#define PM_DIALECT complex
#define PM_DIALECT_DEF "tests/plugin/complex.def"
#include "ir/declare_ops.h"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

static const pm_dialect complex_dialect = {.name = "complex",
                                           .ops = complex_op_table,
                                           .type_kinds = complex_type_table,
                                           .attr_kinds = complex_attr_table,
                                           .doc = "complex numbers"};

bool complex_number_verify(pm_type type, pm_loc loc) {
  pm_type element = type->params->items[complex_number_element]->t;
  return (element->cls == PM_TYPE_SCALAR && (element->scalar == PM_F32 || element->scalar == PM_F64)) ||
         pm_error(type->ctx, loc, "the parts of a complex number are f32 or f64, not %pT",
                  (const void *)element);
}

/* --- to pairs --- */

enum { MOST_DIMS = 16 };

static unsigned pair_types(pm_type type, pm_type *parts) {
  parts[0] = type;
  if (pm_is_custom(type, &complex_number_type)) {
    parts[0] = parts[1] = type->params->items[complex_number_element]->t;
    return 2;
  }
  if (!pm_is_memref(type) || !pm_is_custom(pm_elem_type(type), &complex_number_type)) return 1;
  int64_t dims[MOST_DIMS + 1];
  if (type->rank >= MOST_DIMS || type->strides) return 0;
  memcpy(dims, type->dims, type->rank * sizeof *dims);
  dims[type->rank] = 2;
  pm_type element = pm_elem_type(type)->params->items[complex_number_element]->t;
  parts[0] = pm_get_memref(element, (uint16_t)(type->rank + 1), dims, (pm_space)type->space);
  return 1;
}

static bool convert_constant(pm_converter *c, pm_op *op) {
  pm_attr number = pm_attr_at(op, complex_constant_number);
  pm_type parts[2];
  pair_types(pm_res(op, 0)->type, parts);
  pm_cv_replace(
      c, op,
      (pm_value *[]){arith_build_float(pm_cv_builder(c), parts[0], number->items[complex_value_re]->f),
                     arith_build_float(pm_cv_builder(c), parts[1], number->items[complex_value_im]->f)});
  return true;
}

static bool convert_create(pm_converter *c, pm_op *op) {
  pm_cv_replace(c, op, (pm_value *[]){pm_arg(op, complex_create_re), pm_arg(op, complex_create_im)});
  return true;
}

static bool convert_part(pm_converter *c, pm_op *op) {
  pm_value *part = pm_cv_part(c, pm_arg(op, 0), pm_is(op, &complex_im));
  pm_cv_replace(c, op, &part);
  return true;
}

static pm_value *binary(pm_converter *c, const pm_op_desc *desc, pm_value *a, pm_value *b) {
  return pm_build_binary(pm_cv_builder(c), desc, a, b);
}

static bool convert_add(pm_converter *c, pm_op *op) {
  pm_parts x = pm_cv_parts(c, pm_arg(op, 0)), y = pm_cv_parts(c, pm_arg(op, 1));
  pm_cv_replace(c, op,
                (pm_value *[]){binary(c, &arith_addf, x.values[0], y.values[0]),
                               binary(c, &arith_addf, x.values[1], y.values[1])});
  return true;
}

static bool convert_mul(pm_converter *c, pm_op *op) {
  pm_parts x = pm_cv_parts(c, pm_arg(op, 0)), y = pm_cv_parts(c, pm_arg(op, 1));
  pm_value *products[4];
  for (unsigned i = 0; i < 4; i++) products[i] = binary(c, &arith_mulf, x.values[i / 2], y.values[i % 2]);
  pm_cv_replace(c, op,
                (pm_value *[]){binary(c, &arith_subf, products[0], products[3]),
                               binary(c, &arith_addf, products[1], products[2])});
  return true;
}

/* The map of the access, with one more index. */
static pm_affine_map map_of_part(const loop_access *access, unsigned part) {
  pm_affine_expr results[MOST_DIMS + 1];
  pm_affine_map map = access->map;
  for (uint32_t i = 0; i < map->n_results; i++) results[i] = map->results[i];
  results[map->n_results] = pm_affine_const(map->ctx, part);
  return pm_get_affine_map(map->ctx, map->n_dims, map->n_syms, results, map->n_results + 1);
}

static bool convert_access(pm_converter *c, pm_op *op) {
  loop_access access;
  pm_value *indices[64], *parts[2];
  if (!loop_find_access(op, &access) || loop_n_indices(&access) > 64) return false;
  for (uint32_t i = 0; i < loop_n_indices(&access); i++) indices[i] = access.indices[i].value;
  pm_value *array = pm_cv_part(c, access.buffer, 0);
  for (unsigned k = 0; k < 2; k++)
    if (access.reads)
      parts[k] = buf_build_load(pm_cv_builder(c), array, map_of_part(&access, k), indices);
    else
      buf_build_store(pm_cv_builder(c), pm_cv_part(c, pm_arg(op, buf_store_value), k), array,
                      map_of_part(&access, k), indices);
  pm_cv_replace(c, op, parts);
  return true;
}

static const pm_conversion_rule rules[] = {
    {&complex_constant, "constant (re, im) => re, im", convert_constant},
    {&complex_create, "create(x, y) => x, y", convert_create},
    {&complex_re, "re(create(x, y)) => x", convert_part},
    {&complex_im, "im(create(x, y)) => y", convert_part},
    {&complex_add, "add(x, y) => re x + re y, im x + im y", convert_add},
    {&complex_mul, "mul(x, y) => re x re y - im x im y, re x im y + im x re y", convert_mul},
    {&buf_load, "load b[i] => load b[i, 0], load b[i, 1]", convert_access},
    {&buf_store, "store z, b[i] => store re z, b[i, 0]; store im z, b[i, 1]", convert_access},
    {NULL, NULL, NULL}};

/* --- complex.show stays --- */

static pm_legality legality(const pm_op *op) {
  return pm_is(op, &complex_show) ? PM_LEGAL : PM_LEGAL_TYPES;
}

static pm_value *join(pm_builder *b, pm_type type, pm_parts parts) {
  return pm_res(pm_build(b, &complex_create, parts.values, parts.n, &type, 1, NULL), 0);
}

static void split(pm_builder *b, pm_value *value, pm_value **parts) {
  pm_type element = value->type->params->items[complex_number_element]->t;
  parts[0] = pm_res(pm_build(b, &complex_re, &value, 1, &element, 1, NULL), 0);
  parts[1] = pm_res(pm_build(b, &complex_im, &value, 1, &element, 1, NULL), 0);
}

static pm_result run_complex_to_pairs(pm_pass *p) {
  static const pm_conversion how = {rules, pair_types, legality, join, split};
  int64_t converted;
  if (!pm_convert_ops(pm_pass_root(p), &how, &converted)) return PM_FAILED;
  pm_pass_stat(p, "ops converted", converted);
  return converted ? PM_CHANGED : PM_UNCHANGED;
}

static const pm_pass_desc complex_to_pairs = {.name = "complex-to-pairs",
                                              .anchor = "any",
                                              .doc = "complex numbers as pairs of floats",
                                              .run = run_complex_to_pairs};

static void register_complex(pm_context *ctx) {
  pm_register_dialect(ctx, &complex_dialect);
  pm_register_pass(ctx, &complex_to_pairs);
}

PM_PLUGIN("complex", register_complex)
