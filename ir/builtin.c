#include "ir/builtin.h"

#include "ir/text.h"

#define PM_DIALECT builtin
#define PM_DIALECT_DEF "ir/builtin.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect builtin_dialect = {.name = "builtin", .ops = builtin_op_table, .doc = "the module"};

/* ` attributes {…} { ops }` */
void builtin_module_print(struct pm_printer *p, const pm_op *op) {
  if (pm_extra(op)) {
    pm_p(p, " attributes");
    pm_p_attr_dict(p, op, NULL);
  }
  pm_p(p, " ");
  pm_p_region(p, pm_region_at(op, builtin_module_body), true);
}

bool builtin_module_parse(struct pm_parser *p, struct pm_op_state *state) {
  if (pm_q_opt_word(p, "attributes") && !pm_q_opt_attr_dict(p, state)) return false;
  return pm_q_region(p, state, builtin_module_body, NULL);
}
