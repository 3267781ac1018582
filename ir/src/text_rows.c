/* Attributes as words behind an op, as their rows say. */
#include "ir/text.h"

#include <stdlib.h>

static void print_ints(pm_printer *p, pm_attr ints) {
  pm_p(p, " [");
  for (uint32_t i = 0; i < ints->len; i++) pm_p(p, "%s%lld", i > 0 ? ", " : "", (long long)ints->items[i]->i);
  pm_p(p, "]");
}

void pm_p_word_attrs(pm_printer *p, const pm_op *op, unsigned first, unsigned n) {
  for (unsigned i = first; i < first + n; i++) {
    const pm_row *row = &op->desc->attrs[i];
    pm_attr value = pm_attr_at(op, i);
    if (!value) continue;
    pm_p(p, " %s", row->name);
    if (row->constraint == A_INTS) {
      print_ints(p, value);
    } else if (row->constraint == A_INT) {
      pm_p(p, " %lld", (long long)value->i);
    } else if (row->constraint != A_UNIT) {
      pm_p(p, " ");
      pm_p_attr(p, value);
    }
  }
}

static bool parse_ints(pm_parser *p, pm_op_state *state, const char *name) {
  PM_VEC(int64_t) ints = {0};
  bool ok = pm_q_punct(p, "[");
  if (ok && !pm_q_opt_punct(p, "]")) {
    do {
      int64_t value = 0;
      ok = pm_q_int(p, &value);
      PM_VEC_PUSH(ints, value);
    } while (ok && pm_q_opt_punct(p, ","));
    ok = ok && pm_q_punct(p, "]");
  }
  if (ok)
    pm_state_attr(pm_q_context(p), state, name, pm_get_index_array(pm_q_context(p), ints.data, ints.len));
  PM_VEC_FREE(ints);
  return ok;
}

static bool parse_value(pm_parser *p, pm_op_state *state, const pm_row *row) {
  pm_context *ctx = pm_q_context(p);
  int64_t value;
  if (row->constraint == A_INTS) return parse_ints(p, state, row->name);
  if (row->constraint == A_UNIT) {
    pm_state_attr(ctx, state, row->name, pm_get_unit(ctx));
    return true;
  }
  if (row->constraint != A_INT) return pm_q_attr_into(p, state, row->name, NULL);
  if (!pm_q_int(p, &value)) return false;
  pm_state_attr(ctx, state, row->name, pm_get_index_attr(ctx, value));
  return true;
}

bool pm_q_opt_word_attrs(pm_parser *p, pm_op_state *state, unsigned first, unsigned n) {
  for (unsigned i = first; i < first + n; i++) {
    const pm_row *row = &state->desc->attrs[i];
    if (pm_q_opt_word(p, row->name) && !parse_value(p, state, row)) return false;
  }
  return true;
}
