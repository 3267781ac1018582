#include "dialects/stage/analyses/certainty.h"

#include "dialects/arith/arith.h"
#include "dialects/stage/analyses/read_relation.h"

/* Values of bodies are a graph; those that were met are not looked at again. */
typedef struct search {
  pm_map *met; /* -> what is not NULL where it depends on elements of arrays */
  const pm_op *pipeline;
  stage_certainty found;
} search;

static bool is_leaf(const pm_value *value) {
  const pm_op *op = pm_def(value);
  return !op || pm_is(op, &stage_param) || pm_is(op, &arith_constant);
}

/* Not more than one operand varies, or the op gives each number between those of its operands. */
static bool keeps_numbers(const pm_op *op) {
  static const pm_op_desc *const kinds[] = {&arith_addi, &arith_subi, &arith_mini, &arith_maxi, &arith_cast};
  unsigned varying = 0;
  for (unsigned i = 0; i < op->n_operands; i++) varying += !pm_constant_value(pm_arg(op, i));
  for (size_t i = 0; i < PM_COUNT(kinds); i++)
    if (op->desc == kinds[i]) return true;
  return varying <= 1;
}

/* What a stage gives may have gaps; elements of inputs and tables may be any of theirs. */
static bool is_of_array(const search *s, const pm_op *read) {
  const pm_op *stage =
      pm_lookup_symbol(pm_region_at(s->pipeline, stage_pipeline_body), pm_sym_at(read, stage_read_stage));
  return stage && !pm_is(stage, &stage_func);
}

/* Whether it depends on elements of arrays; two uses of such a value go together. */
static bool look_at(search *s, const pm_value *value) {
  const pm_op *op = pm_def(value);
  if (is_leaf(value)) return false;
  if (pm_map_has(s->met, value)) {
    bool depends = pm_map_get(s->met, value) != NULL;
    s->found.exact = s->found.exact && !depends;
    return depends;
  }
  bool depends = pm_is(op, &stage_read);
  if (depends)
    s->found.exact = s->found.exact && is_of_array(s, op);
  else if (!keeps_numbers(op)) {
    s->found.exact = false;
    if (pm_is(op, &arith_muli) && !s->found.product) s->found.product = value;
  }
  for (unsigned i = 0; i < op->n_operands && !pm_is(op, &stage_read); i++)
    depends = look_at(s, pm_arg(op, i)) || depends;
  pm_map_set(s->met, value, depends ? s : NULL);
  return depends;
}

stage_certainty stage_find_certainty(const pm_op *access) {
  search s = {pm_map_new(), pm_parent_of(access, &stage_pipeline), {true, NULL}};
  for (unsigned i = stage_index_operand(access); i < access->n_operands; i++) look_at(&s, pm_arg(access, i));
  pm_map_free(s.met);
  return s.found;
}

/* --- how messages name it --- */

static const pm_value *behind_casts(const pm_value *value) {
  while (pm_def(value) && pm_is(pm_def(value), &arith_cast)) value = pm_arg(pm_def(value), 0);
  return value;
}

/* The user's name of a variable, a parameter or what is read, or NULL. */
static const char *name_of(const pm_value *value) {
  const pm_op *op = pm_def(value);
  if (!op) return value->name ? value->name->text : NULL;
  if (pm_is(op, &stage_param)) return pm_sym_at(op, stage_param_sym)->text;
  return NULL;
}

void stage_put_product(pm_buf *out, const pm_value *product) {
  const char *a = name_of(behind_casts(pm_arg(pm_def(product), 0)));
  const char *b = name_of(behind_casts(pm_arg(pm_def(product), 1)));
  if (a && b)
    pm_buf_printf(out, "%s * %s", a, b);
  else if (a || b)
    pm_buf_printf(out, "of %s and a computed value", a ? a : b);
  else
    pm_buf_puts(out, "of two computed values");
}
