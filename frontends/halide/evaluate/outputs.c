/* Outputs that a Func is assigned to. */
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

void h_add_output(cx_interp *in, h_symbol *s) {
  if (!s->is_output) CX_PUSH(in->arena, h_program_of(in)->outputs, s);
  s->is_output = true;
}

static bool is_of_type_of(const h_symbol *f, const h_symbol *output) {
  if (!output->is_declared) return true;
  if (f->n_dims != output->n_dims || f->n_elements != output->n_elements) return false;
  return memcmp(f->types, output->types, f->n_elements * sizeof(*f->types)) == 0;
}

/* output = f: f is the output. What was said of the output is said of it, where nothing else was. */
static cv become_output(cx_interp *in, h_symbol *f, const h_symbol *output) {
  for (uint32_t i = 0; i < h_program_of(in)->outputs.len; i++)
    if (h_program_of(in)->outputs.data[i] == output) h_program_of(in)->outputs.data[i] = f;
  f->is_output = f->is_declared = true;
  f->is_named = output->is_named;
  f->name = output->name;
  for (unsigned d = 0; d < f->n_dims; d++) {
    f->extents[d] = output->extents[d];
    if (!output->bound[d]) continue;
    f->bound_min[d] = output->bound_min[d];
    f->bound[d] = output->bound[d];
  }
  return hv_symbol(f);
}

/* output = f, where f is an output already, a buffer, or of another type, which is an error: a copy. */
static cv define_output(cx_interp *in, pm_loc loc, h_symbol *output, cv func) {
  const h_symbol *f = h_symbol_of(func);
  cv vars[HX_MAX_DIMS];
  pm_loc locs[HX_MAX_DIMS];
  if (!h_check_ready(in, loc, f)) return cv_poison;
  for (unsigned d = 0; d < f->n_dims; d++) {
    vars[d] = hv_var(f->is_defined ? f->pure.args[d]->var : h_implicit_var(h_program_of(in), d));
    locs[d] = loc;
  }
  cv left = h_call_symbol(in, loc, output, vars, locs, f->n_dims);
  cv right = h_call_symbol(in, loc, h_symbol_of(func), vars, locs, f->n_dims);
  int64_t definitions = h_program_of(in)->n_definitions; /* Halide makes none here */
  bool ok = h_define(in, loc, h_ref_of(left), CX_OP_NONE, right);
  h_program_of(in)->n_definitions = definitions;
  return ok ? hv_symbol(output) : cv_poison;
}

bool h_assign_output(cx_interp *in, pm_loc loc, cx_cell *cell, cv value, cv *result) {
  h_symbol *output = h_symbol_of(cell->value), *f = h_symbol_of(value);
  bool is_func = value.kind == HV_FUNC || value.kind == HV_BUFFER;
  if (!output->is_output || !is_func) return false;
  bool may_be = f->is_defined && !f->is_output && !f->has_boundary && !output->is_defined;
  if (!may_be || !is_of_type_of(f, output))
    *result = define_output(in, loc, output, value);
  else
    *result = cell->value = become_output(in, f, output);
  return true;
}
