#include "dialects/poly/cost/cost.h"
#include "ir/diag.h"

#include <math.h>
#include <string.h>

static const poly_cost_function functions[] = {
    {"jb", poly_cost_jb, .wants_reuse = true},
    {"roofline", poly_cost_roofline, .wants_reuse = false},
    {"device", poly_cost_device, .has_items = true},
};

const poly_cost_function *poly_cost_named(pm_context *ctx, const char *name) {
  pm_buf known = {0};
  for (size_t i = 0; i < PM_COUNT(functions); i++) {
    if (strcmp(functions[i].name, name) == 0) {
      pm_buf_free(&known);
      return &functions[i];
    }
    pm_buf_printf(&known, "%s'%s'", i ? ", " : "", functions[i].name);
  }
  pm_error(ctx, PM_NO_LOC, "there is no cost function '%s'; there is %s", name, known.data);
  pm_buf_free(&known);
  return NULL;
}

double poly_group_span(const poly_cost_group *g, unsigned d) {
  double most = 1;
  for (size_t i = 0; i < g->n_members; i++)
    most = fmax(most, g->members[i].shape->extent[d] * g->members[i].shape->stride[d]);
  return most;
}

double poly_greatest_stride(const poly_cost_group *g) {
  double most = 1;
  for (size_t i = 0; i < g->n_members; i++)
    for (unsigned d = 0; d < g->n_dims; d++) most = fmax(most, g->members[i].shape->stride[d]);
  return most;
}

/* A tile needs a part of it along the dimension: it has it, and no halo there. */
static bool is_cut(const poly_cost_member *m, unsigned d) {
  const bool *together = m->shape->together;
  return m->shape->has[d] && !m->halo_lo[d] && !m->halo_hi[d] && !(together && together[d]);
}

bool poly_is_untiled(const poly_cost_group *g, unsigned d) {
  return g->untiled && g->untiled[d];
}

bool poly_all_are_cut(const poly_cost_group *g, unsigned d) {
  if (poly_is_untiled(g, d)) return false;
  for (size_t i = 0; i < g->n_members; i++)
    if (!is_cut(&g->members[i], d)) return false;
  return true;
}
