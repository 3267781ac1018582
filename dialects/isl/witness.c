#include "dialects/isl/witness.h"

#include "dialects/isl/budget.h"

#include <stdlib.h>

__isl_give isl_point *isl_witness(__isl_take isl_map *relation) {
  isl_ctx *isl = isl_map_get_ctx(relation);
  isl_set *set = isl_set_flatten(isl_map_wrap(relation));
  set = isl_set_move_dims(set, isl_dim_set, 0, isl_dim_param, 0, (unsigned)isl_set_dim(set, isl_dim_param));
  isl_ask(isl);
  isl_set *smallest = isl_set_lexmin(isl_set_copy(set));
  isl_point *point = isl_set_sample_point(smallest ? isl_set_copy(smallest) : isl_set_copy(set));
  (void)isl_answered(isl);
  isl_ctx_reset_error(isl);
  isl_set_free(smallest);
  isl_set_free(set);
  return point;
}

void isl_put_coordinate(pm_buf *out, isl_point *point, unsigned at) {
  isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, (int)at);
  char *text = isl_val_to_str(value);
  pm_buf_puts(out, text ? text : "?");
  free(text);
  isl_val_free(value);
}

static void put_between(pm_buf *out, const char *brackets, isl_point *point, unsigned first, unsigned n) {
  pm_buf_putc(out, brackets[0]);
  for (unsigned i = 0; i < n; i++) {
    if (i > 0) pm_buf_puts(out, ", ");
    isl_put_coordinate(out, point, first + i);
  }
  pm_buf_putc(out, brackets[1]);
}

void isl_put_tuple(pm_buf *out, isl_point *point, unsigned first, unsigned n) {
  put_between(out, "[]", point, first, n);
}

void isl_put_indices(pm_buf *out, isl_point *point, unsigned first, unsigned n) {
  put_between(out, "()", point, first, n);
}

void isl_put_binding(pm_buf *out, const char *name, isl_point *point, unsigned at) {
  if (out->len > 0) pm_buf_puts(out, ", ");
  if (name)
    pm_buf_printf(out, "%s = ", name);
  else
    pm_buf_printf(out, "d%u = ", at);
  isl_put_coordinate(out, point, at);
}

void isl_put_params(pm_buf *out, isl_space *space, isl_point *point) {
  unsigned n = (unsigned)isl_space_dim(space, isl_dim_param);
  for (unsigned i = 0; i < n; i++)
    isl_put_binding(out, isl_space_get_dim_name(space, isl_dim_param, i), point, i);
}
