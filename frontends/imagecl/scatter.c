/* Writes elsewhere than at the point's own pixel: updates in row order. */
#include "dialects/arith/arith.h"
#include "frontends/imagecl/imagecl.h"
#include "ir/rewrite.h"

#include <string.h>

/* --- where and whether something is written --- */

static cv number(int64_t n) {
  return cv_int(PM_I32, n);
}

/* Of dimension d of the memory. */
static cv extent_of(cx_interp *in, const ic_array *a, unsigned d) {
  const ic_size *size = a->is_image ? ic_size_of(a->size) : NULL;
  pm_string param = size ? size->params[1 - d] : d == 0 ? a->length : NULL;
  if (!param) return number(size ? size->n[1 - d] : a->extents[d]);
  return px_number_of(in, PM_I32, pm_res(pm_lookup_symbol(ic_state_of(in)->b.region, param), 0));
}

typedef struct target {
  pm_value *operands[2 + IC_MOST_DIMS];
  pm_affine_expr results[IC_MOST_DIMS];
  unsigned n;
  cv holds; /* where the write happens */
} target;

/* An index that may be outside, where nothing is written, becomes one that is inside. */
static bool put_clamped(cx_interp *in, const ic_write *w, unsigned d, target *out) {
  const ic_array *a = w->element->of->array;
  cv i = px_convert(in, w->loc, PM_I32, w->element->indices[a->is_image ? 1 - d : d]),
     n = extent_of(in, a, d);
  cv inside = cx_and(in, w->loc, px_operate(in, w->loc, CX_OP_GE, i, number(0)),
                     px_operate(in, w->loc, CX_OP_LT, i, n));
  cv last = px_operate(in, w->loc, CX_OP_SUB, n, number(1));
  cv near = px_extreme(in, w->loc, true, px_extreme(in, w->loc, false, i, last), number(0));
  pm_value *value = px_value_of(in, w->loc, near, PM_I32);
  if (!value) return false;
  out->holds = cx_and(in, w->loc, out->holds, inside);
  out->results[d] = pm_affine_dim(in->ctx, out->n);
  out->operands[out->n++] = value;
  return true;
}

static bool find_target(cx_interp *in, const ic_write *w, target *out) {
  const ic_array *a = w->element->of->array;
  const ic_run *run = ic_state_of(in)->run;
  bool may_be_outside = a->is_image || w->path.kind != CV_INT;
  *out = (target){.operands = {run->body.y, run->body.x}, .n = 2, .holds = w->path};
  for (unsigned d = 0; d < a->n_dims; d++) {
    if (may_be_outside ? !put_clamped(in, w, d, out)
                       : !(out->results[d] = ic_put_index(in, w->element, d, out->operands, &out->n)))
      return false;
  }
  return true;
}

/* --- what is written --- */

/* The combination that does what `op` does: the array and the value have one type of arithmetic; NULL: none.
 */
static const char *combination_of(const ic_write *w, pm_scalar type) {
  pm_scalar own = px_type_of(w->value);
  bool fits =
      cx_is_float(type) ? own == type || (!cx_is_float(own) && cx_bits(type) == 64) : !cx_is_float(own);
  if (!fits) return NULL;
  switch (w->op) {
  case CX_OP_ADD:
  case CX_OP_SUB:
    return "sum";
  case CX_OP_MUL:
    return "product";
  case CX_OP_BIT_AND:
    return "and";
  case CX_OP_BIT_OR:
    return "or";
  default:
    return NULL;
  }
}

static bool build_combine(cx_interp *in, const ic_write *w, pm_string stage) {
  ic_run *run = ic_state_of(in)->run;
  const ic_array *a = w->element->of->array;
  pm_value *args[3 + IC_MOST_DIMS];
  target to;
  cv value = w->value;
  run->body.b.loc = w->loc;
  if (!find_target(in, w, &to)) return false;
  pm_affine_map map = pm_get_affine_map(in->ctx, to.n, 0, to.results, a->n_dims);
  const char *how = w->op == CX_OP_NONE ? "assign" : combination_of(w, a->type);
  if (!how) { /* of what the element has now */
    pm_type type = pm_get_scalar(in->ctx, a->type);
    pm_value *old = stage_build_read(&run->body.b, stage, type, map, to.operands, NULL);
    value = px_operate(in, w->loc, w->op, px_number_of(in, a->type, old), value);
    how = "assign";
  } else if (w->op == CX_OP_SUB) {
    value = px_operate(in, w->loc, CX_OP_SUB, cv_int(PM_I32, 0), px_convert(in, w->loc, a->type, value));
  }
  args[0] = px_value_of(in, w->loc, px_convert(in, w->loc, a->type, value), a->type);
  if (!args[0]) return false;
  if (to.holds.kind != CV_INT) {
    pm_value *holds = px_value_of(in, w->loc, to.holds, PM_I1);
    if (!holds) return false;
    stage_build_guard(&run->body.b, holds);
  }
  memcpy(args + 1, to.operands, to.n * sizeof *args);
  return stage_build_combine(&run->body.b, how, map, args, 1 + to.n);
}

/* --- stages --- */

/* The array as it was. */
static bool build_initial(cx_interp *in, pm_op *func, const ic_array *a, pm_attr domain,
                          const kit_dims *dims) {
  ic_state *s = ic_state_of(in);
  pm_type type = pm_get_scalar(s->ctx, a->type);
  pm_region *body = stage_begin_body(stage_build_case(func, a->loc, domain), dims->names, a->n_dims);
  pm_builder b = pm_builder_at_end(s->module, body, a->loc);
  pm_value *value = stage_build_read(&b, a->now, type, stage_own_point(s->ctx, a->n_dims), body->args, NULL);
  stage_build_yield(&b, &value, 1);
  return true;
}

/* The write of that number to the array, of those that the run has come to; NULL: there are fewer. */
static const ic_write *find_write(const ic_run *run, const ic_array *a, unsigned number) {
  for (uint32_t i = 0; i < run->writes.len; i++)
    if (run->writes.data[i].element->of->array == a && number-- == 0) return &run->writes.data[i];
  return NULL;
}

pm_op *ic_build_scattered(cx_interp *in, const ic_kernel *k, const ic_parameter *p, pm_string name) {
  ic_state *s = ic_state_of(in);
  const ic_array *a = p->array;
  kit_dims own, grid;
  pm_attr domain = ic_domain_of(in, a, &own), points = ic_grid_set(in, k, &grid);
  if (!domain || !points) return NULL;
  pm_op *func = stage_build_func(&s->b, name, pm_get_scalar(s->ctx, a->type), domain, NULL);
  build_initial(in, func, a, domain, &own);
  for (unsigned i = 0;; i++) {
    pm_op *update = stage_build_update(func, k->node->loc, points);
    pm_region *body = stage_begin_body(update, grid.names, 2);
    ic_run *run = ic_run_body(in, k, body);
    if (!run) return NULL;
    const ic_write *w = find_write(run, a, i);
    if (!w && i == 0) {
      cx_fail(in, k->node->loc, "'%s' never comes to where it writes '%s'", k->node->name->text,
              a->name->text);
      return NULL;
    }
    if (!w) return pm_op_erase(update), func;
    if (!build_combine(in, w, name)) return NULL;
    pm_merge_equal_ops(update);
    ic_drop_unused(body);
  }
}
