#include "dialects/poly/check/instance_text.h"

#include "dialects/isl/linear.h"

void poly_put_for_params(pm_buf *out, isl_space *space, isl_point *point) {
  pm_buf params = {0};
  isl_put_params(&params, space, point);
  if (params.len > 0) pm_buf_printf(out, " for %s", params.data);
  pm_buf_free(&params);
}

void poly_put_point(pm_buf *out, const stage_node *node, isl_point *point, unsigned first) {
  pm_buf_puts(out, node->name->text);
  isl_put_tuple(out, point, first, node->n_dims);
}

unsigned poly_put_instance(pm_buf *out, const poly_occurrence *o, isl_point *point, unsigned first) {
  unsigned n = poly_occurrence_dims(o);
  pm_buf_puts(out, poly_occurrence_name(o));
  isl_put_tuple(out, point, first, n);
  return first + n;
}

/* A tuple of n coordinates in the range of `map`, which is taken; NULL when that is empty. */
static char *sample(const stage_node *node, const char *name, unsigned n, __isl_take isl_map *map) {
  if (stage_is_empty(node->facts, map)) {
    isl_map_free(map);
    return NULL;
  }
  map = stage_possible(node->facts, map);
  isl_space *space = isl_map_get_space(map);
  unsigned first = (unsigned)(isl_space_dim(space, isl_dim_param) + isl_space_dim(space, isl_dim_in));
  isl_point *point = isl_witness(map);
  pm_buf text = {0};
  pm_buf_puts(&text, name);
  isl_put_tuple(&text, point, first, n);
  poly_put_for_params(&text, space, point);
  isl_point_free(point);
  isl_space_free(space);
  return pm_buf_take(&text);
}

char *poly_sample_point(const stage_node *node, __isl_take isl_map *map) {
  return sample(node, node->name->text, node->n_dims, map);
}

char *poly_sample_instance(const poly_occurrence *o, __isl_take isl_map *map) {
  return sample(o->node, poly_occurrence_name(o), poly_occurrence_dims(o), map);
}
