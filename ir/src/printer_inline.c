/* Printing of ops inside the text of those that use them. */
#include "ir/src/inline.h"
#include "ir/src/printer.h"

#include <inttypes.h>
#include <string.h>

/* --- which ones --- */

static bool is_scalar_of(const pm_value *value, pm_scalar scalar) {
  return value->type->cls == PM_TYPE_SCALAR && value->type->scalar == scalar;
}

static bool has_operands_for(const pm_op *op, pm_inline_kind kind) {
  if (op->n_operands != op->desc->n_args) return false;
  if (kind == PM_INLINE_CAST) return op->n_operands == 1 && pm_arg(op, 0)->type->cls == PM_TYPE_SCALAR;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!is_scalar_of(pm_arg(op, i), pm_inline_takes(kind))) return false;
  return true;
}

/* All its attributes are in the text. */
static bool has_attrs_for(const pm_op *op, const pm_inline_form *form) {
  unsigned n = 0;
  for (unsigned i = 0; i < op->desc->n_attrs; i++) n += pm_attr_at(op, i) != NULL;
  if (pm_extra(op) || n != (form->value || form->kind == PM_INLINE_NUMBER)) return false;
  pm_attr attr = n ? pm_attr_at(op, 0) : NULL;
  if (form->value) return attr && attr->cls == PM_ATTR_STRING && strcmp(attr->s->text, form->value) == 0;
  return !n || (attr && attr->cls == PM_ATTR_INT && pm_is_index(attr->t));
}

/* The form of an op whose result has no name and one use, or NULL. */
static const pm_inline_form *form_of(const pm_op *op) {
  const pm_inline_form *form = op->desc->inline_forms;
  if (!form || op->n_results != 1 || op->n_regions) return NULL;
  const pm_value *result = pm_res(op, 0);
  if (pm_namer_keeps(result) || !pm_has_one_use(result)) return NULL;
  while (form->kind && !has_attrs_for(op, form)) form++;
  if (!form->kind || !is_scalar_of(result, pm_inline_gives(form->kind))) return NULL;
  return has_operands_for(op, form->kind) ? form : NULL;
}

/* The divisor is a number from 1 on that will be inside too. */
static bool divides_by_number(const pm_op *op) {
  const pm_op *divisor = op->n_operands == 2 ? pm_def(pm_arg(op, 1)) : NULL;
  const pm_inline_form *form = divisor && divisor == pm_prev(op) ? form_of(divisor) : NULL;
  return form && form->kind == PM_INLINE_NUMBER && pm_attr_at(divisor, 0)->i > 0;
}

/* Hides what `value` is computed by, as far as it ends right before `*next`, in the order in which the parser
 * makes it; what comes before that is then next. */
static void hide(pm_printer *p, const pm_value *value, const pm_op **next, unsigned depth) {
  const pm_op *op = pm_def(value);
  if (!op || op != *next || depth == PM_MOST_INLINE) return;
  const pm_inline_form *form = form_of(op);
  if (!form || (form->kind == PM_INLINE_QUOTIENT && (depth + 1 == PM_MOST_INLINE || !divides_by_number(op))))
    return;
  if (!p->hidden) p->hidden = pm_map_new();
  pm_map_set(p->hidden, op, (void *)form);
  *next = pm_prev(op);
  for (unsigned i = form->kind == PM_INLINE_CAST ? 0 : op->n_operands; i-- > 0;)
    hide(p, pm_arg(op, i), next, depth + 1);
}

void pm_printer_hide_inside(pm_printer *p, const pm_op *op) {
  if (!p->options.inlines || p->options.generic || p->options.locs || !op->region) return;
  const pm_op *next = pm_prev(op);
  unsigned n = op->desc->inline_operands < op->n_operands ? op->desc->inline_operands : op->n_operands;
  while (n-- > 0) hide(p, pm_arg(op, n), &next, 0);
}

/* --- their text --- */

static void print_at(pm_printer *p, const pm_value *value, pm_inline_level least);

static void print_infix(pm_printer *p, const pm_op *op, const pm_inline_form *form) {
  pm_inline_level level = pm_inline_level_of(form->kind);
  print_at(p, pm_arg(op, 0), level);
  pm_p(p, " %s ", form->spelling);
  print_at(p, pm_arg(op, 1), level + 1);
}

static void print_call(pm_printer *p, const pm_op *op, const pm_inline_form *form) {
  pm_p(p, "%s(", form->spelling);
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (i) pm_p(p, ", ");
    print_at(p, pm_arg(op, i), PM_LEVEL_ANY);
  }
  if (form->kind == PM_INLINE_CAST) pm_p(p, ": %pT", (const void *)pm_arg(op, 0)->type);
  pm_p(p, ")");
}

static void print_form(pm_printer *p, const pm_op *op, const pm_inline_form *form) {
  if (form->kind == PM_INLINE_NUMBER)
    pm_p(p, "%" PRId64, pm_attr_at(op, 0)->i);
  else if (form->kind == PM_INLINE_CALL || form->kind == PM_INLINE_CAST)
    print_call(p, op, form);
  else
    print_infix(p, op, form);
}

/* In parentheses when it binds less tightly than `least`. */
static void print_at(pm_printer *p, const pm_value *value, pm_inline_level least) {
  const pm_op *op = pm_def(value);
  const pm_inline_form *form = p->hidden && op ? pm_map_get(p->hidden, op) : NULL;
  if (!form) {
    pm_p_value(p, value);
    return;
  }
  bool enclosed = pm_inline_level_of(form->kind) < least;
  if (enclosed) pm_p(p, "(");
  print_form(p, op, form);
  if (enclosed) pm_p(p, ")");
}

void pm_p_inline(pm_printer *p, const pm_value *value) {
  print_at(p, value, PM_LEVEL_ANY);
}

void pm_p_inlines(pm_printer *p, const pm_use *operands, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (i) pm_p(p, ", ");
    pm_p_inline(p, operands[i].value);
  }
}
