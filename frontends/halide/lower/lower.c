/* The pipeline's ops: parameters, inputs, stages with their cases and updates, outputs. */
#include "frontends/halide/lower/lower.h"
#include "frontends/halide/lower/placing.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/budget.h"
#include "ir/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOWER_MAX_CASES = 16, LOWER_MAX_PARTS = 16, LOWER_MAX_TESTED = 1 << 20, MAX_INDEX_NODES = 256 };

/* isl's operations for the points that a case leaves. */
static const unsigned long OPERATIONS = 200000;

/* --- what is needed --- */

static void need(h_lowering *l, h_symbol *s);

static void note_reader(h_symbol *s, const h_symbol *reader) {
  s->has_readers |= s->reader && s->reader != reader;
  s->reader = reader;
}

/* Marks the parameters of the index whose values an int may not hold: sums and multiples of them are affine
 * for calls where it does. */
static void mark_params(const hx *e, int *budget) {
  if (e->type != PM_I32 || --*budget < 0) return;
  const hx *from = e->op == HX_CAST ? e->args[0] : e;
  pm_scalar type = (pm_scalar)from->type;
  switch (e->op) {
  case HX_CAST:
    if (from->op == HX_PARAM && (type == PM_U32 || type == PM_I64 || type == PM_U64))
      from->symbol->is_index = true;
    break;
  case HX_ADD:
  case HX_SUB:
  case HX_MUL:
  case HX_DIV:
  case HX_MOD:
    mark_params(e->args[0], budget);
    mark_params(e->args[1], budget);
    break;
  default:
    break;
  }
}

static void mark_params_of(const hx *e) {
  int budget = MAX_INDEX_NODES;
  mark_params(e, &budget);
}

/* What `reader` reads. */
static void need_of(h_lowering *l, hx *e, const h_symbol *reader, uint32_t stamp) {
  if (e->stamp == stamp) return;
  e->stamp = stamp;
  if (e->op == HX_CALL) note_reader(e->symbol, reader);
  if (e->is_clamp && e->args[1]->is_of_params && e->args[0]->args[1]->is_of_params)
    CX_PUSH(l->program->arena, l->program->clamps, e);
  if (e->op == HX_CALL || e->op == HX_PARAM) need(l, e->symbol);
  for (unsigned i = 0; i < e->n_args; i++) {
    if (e->op == HX_CALL) mark_params_of(e->args[i]);
    need_of(l, e->args[i], reader, stamp);
  }
}

static void need_definition(h_lowering *l, const h_symbol *s, const h_definition *d) {
  uint32_t stamp = ++l->program->next_stamp;
  for (unsigned i = 0; i < s->n_dims; i++) {
    mark_params_of(d->args[i]);
    need_of(l, d->args[i], s, stamp);
  }
  for (unsigned i = 0; i < s->n_elements; i++) need_of(l, d->values[i], s, stamp);
  for (unsigned i = 0; d->rdom && i < d->rdom->n_dims; i++) {
    mark_params_of(d->rdom->min[i]);
    mark_params_of(d->rdom->extent[i]);
    need_of(l, d->rdom->min[i], s, stamp);
    need_of(l, d->rdom->extent[i], s, stamp);
  }
  for (uint32_t i = 0; d->rdom && i < d->rdom->predicates.len; i++)
    need_of(l, d->rdom->predicates.data[i], s, stamp);
}

/* Walks of what is read stand on a stack of their own: chains of Funcs may be long. */
static void need(h_lowering *l, h_symbol *s) {
  if (s->needed) return;
  s->needed = true;
  if (s->kind == H_FUNC) CX_PUSH(l->program->arena, l->program->pending, s);
}

static void find_needed(h_lowering *l) {
  h_program *p = l->program;
  for (uint32_t i = 0; i < p->outputs.len; i++) need(l, p->outputs.data[i]);
  for (uint32_t i = 0; i < p->pending.len; i++) {
    const h_symbol *s = p->pending.data[i];
    need_definition(l, s, &s->pure);
    for (uint32_t k = 0; k < s->updates.len; k++) need_definition(l, s, &s->updates.data[k]);
  }
  p->pending.len = 0;
}

/* The same again, once Funcs have become parts of others. */
static void find_needed_again(h_lowering *l) {
  h_program *p = l->program;
  for (uint32_t i = 0; i < p->funcs.len; i++) {
    h_symbol *s = p->funcs.data[i];
    s->needed = s->has_readers = false;
    s->reader = NULL;
  }
  for (uint32_t i = 0; i < p->tables.len; i++) p->tables.data[i]->needed = false;
  p->clamps.len = 0;
  find_needed(l);
}

/* The last Func that is defined, or what stands for the program as a whole. */
static pm_loc place_of_result(const h_lowering *l) {
  const h_program *p = l->program;
  for (uint32_t i = p->funcs.len; i-- > 0;)
    if (p->funcs.data[i]->is_defined && p->funcs.data[i]->pure.loc.line) return p->funcs.data[i]->pure.loc;
  return l->builder.loc;
}

static bool check_outputs(const h_lowering *l) {
  bool ok = l->program->outputs.len > 0;
  if (!ok)
    pm_error(l->ctx, place_of_result(l),
             "the program has no output, an Output<…> or output(f) should say what it computes");
  for (uint32_t i = 0; i < l->program->outputs.len; i++) {
    const h_symbol *s = l->program->outputs.data[i];
    if (!s->is_defined) ok = pm_error(l->ctx, s->loc, "the output %pS is not defined", (const void *)s->name);
  }
  return ok;
}

/* --- names --- */

static void set_name(kit_names *names, h_symbol *s) {
  s->name = kit_names_find(names, s->name->text);
  kit_names_take(names, s->name);
}

static void name_extents(h_lowering *l, kit_names *names, h_symbol *s) {
  for (unsigned d = 0; d < s->n_dims; d++) {
    h_extent(l->program, s->loc, s, d);
    set_name(names, s->extents[d]);
  }
}

/* What a caller sees comes first: it keeps its names. */
static void name_all(h_lowering *l) {
  h_program *p = l->program;
  kit_names names;
  kit_names_init(&names, l->ctx);
  for (uint32_t i = 0; i < p->inputs.len; i++) set_name(&names, p->inputs.data[i]);
  for (uint32_t i = 0; i < p->outputs.len; i++) set_name(&names, p->outputs.data[i]);
  for (uint32_t i = 0; i < p->inputs.len; i++)
    if (p->inputs.data[i]->kind == H_BUFFER) name_extents(l, &names, p->inputs.data[i]);
  for (uint32_t i = 0; i < p->outputs.len; i++) name_extents(l, &names, p->outputs.data[i]);
  for (uint32_t i = 0; i < p->tables.len; i++)
    if (p->tables.data[i]->needed) set_name(&names, p->tables.data[i]);
  for (uint32_t i = 0; i < p->funcs.len; i++)
    if (p->funcs.data[i]->needed && !p->funcs.data[i]->is_output) set_name(&names, p->funcs.data[i]);
  for (uint32_t i = 0; i < p->outputs.len; i++)
    if (p->outputs.data[i]->is_apart) {
      pm_buf text = {0};
      pm_buf_printf(&text, "%s_whole", p->outputs.data[i]->name->text);
      p->outputs.data[i]->whole_name = kit_names_find(&names, text.data);
      kit_names_take(&names, p->outputs.data[i]->whole_name);
      pm_buf_free(&text);
    }
  kit_names_free(&names);
}

/* --- parameters and the context --- */

static void add_extents(h_lowering *l, const h_symbol *s) {
  for (unsigned d = 0; d < s->n_dims; d++)
    kit_add_param(&l->kit, s->extents[d]->name, pm_get_scalar(l->ctx, PM_I32));
}

/* A condition on the calls; false if it is not affine. */
static bool require_affine(h_lowering *l, const hx *condition, const char *what) {
  kit_exprs x = h_lower_exprs(l);
  kit_refusal no;
  pm_buf text = {0};
  bool ok = kit_put_condition(&x, condition, &text, &no) && kit_require(&l->kit, &x, condition, what);
  pm_buf_free(&text);
  return ok;
}

static bool has_param(const hx *e, const h_symbol *param) {
  if (e->op == HX_PARAM && e->symbol == param) return true;
  for (unsigned i = 0; i < e->n_args; i++)
    if (has_param(e->args[i], param)) return true;
  return false;
}

/* What the program promises of an extent. One in terms of itself, as (w / 32) * 32, is about remainders
 * alone: it is left to the caller. */
static bool require_bound(h_lowering *l, h_symbol *s, unsigned d) {
  hx *bound = s->bound[d];
  int64_t from, n;
  if (!bound) return true;
  if (!hx_is_int(s->bound_min[d], &from) || from != h_min(s, d))
    return pm_error(l->ctx, bound->loc, "the bounds of %s do not begin at %lld, they should", s->name->text,
                    (long long)h_min(s, d));
  hx *extent = h_extent(l->program, bound->loc, s, d);
  if (hx_is_int(bound, &n)) s->extents[d]->has_estimate = true, s->extents[d]->estimate = n;
  if (bound->is_of_params && !has_param(bound, s->extents[d]))
    require_affine(l, hx_binary(l->program, bound->loc, HX_EQ, extent, bound), "the bounds");
  return true;
}

static bool require_extents(h_lowering *l, h_symbol *s) {
  kit_exprs x = h_lower_exprs(l);
  for (unsigned d = 0; d < s->n_dims; d++) {
    hx *extent = h_extent(l->program, s->loc, s, d);
    if (!kit_require_extent(&l->kit, &x, extent, "an extent") || !require_bound(l, s, d)) return false;
  }
  return true;
}

static int64_t int32_near(double f) {
  return f > INT32_MAX ? INT32_MAX : f > INT32_MIN ? (int64_t)f : INT32_MIN;
}

/* What a parameter of few bits may be is said in the context: the types of others are too wide to be of use.
 */
static void limit_by_type(h_symbol *s) {
  pm_scalar type = (pm_scalar)s->types[0];
  int bits = (int)pm_get_scalar_info(type)->bits;
  if (bits != 8 && bits != 16) return;
  double low = cx_is_unsigned(type) ? 0 : -ldexp(1, bits - 1), high = low + ldexp(1, bits) - 1;
  s->low = s->has_low ? fmax(s->low, low) : low;
  s->high = s->has_high ? fmin(s->high, high) : high;
  s->has_low = s->has_high = true;
}

static bool require_range(h_lowering *l, h_symbol *s) {
  kit_exprs x = h_lower_exprs(l);
  hx *value = hx_param(l->program, s->loc, s);
  if (cx_is_float((pm_scalar)s->types[0])) return true;
  value = hx_cast(l->program, s->loc, PM_I32, value);
  if (!hx_param_of(value)) return true;
  limit_by_type(s);
  if (s->is_index) {
    s->low = s->has_low ? fmax(s->low, INT32_MIN) : cx_is_unsigned((pm_scalar)s->types[0]) ? 0 : INT32_MIN;
    s->high = s->has_high ? fmin(s->high, INT32_MAX) : INT32_MAX;
    s->has_low = s->has_high = true;
  }
  for (int side = 0; side < 2; side++) {
    if (!(side ? s->has_high : s->has_low)) continue;
    hx *bound = hx_int(l->program, s->loc, PM_I32, int32_near(side ? s->high : s->low));
    hx *holds = hx_binary(l->program, s->loc, side ? HX_LE : HX_GE, value, bound);
    if (!kit_require(&l->kit, &x, holds, "the range")) return false;
  }
  return true;
}

/* The bounds of a clamp are in order. Those that are not affine stay as they are. */
static void require_order(h_lowering *l, const hx *clamp) {
  require_affine(l, hx_binary(l->program, clamp->loc, HX_LE, clamp->args[1], clamp->args[0]->args[1]),
                 "the bounds of the clamp");
}

/* What add_requirement says. Its remark is made once, however often lowering begins anew. */
static void require_all(h_lowering *l) {
  for (uint32_t i = 0; i < l->program->requirements.len; i++) {
    const hx **condition = &l->program->requirements.data[i];
    if (!*condition || require_affine(l, *condition, "the requirement")) continue;
    pm_remark(l->ctx, (*condition)->loc, PM_REMARK_MISSED, "halide", NULL, 0,
              "calls are not checked for this requirement, which is not affine in int parameters");
    *condition = NULL;
  }
}

static bool build_context(h_lowering *l) {
  h_program *p = l->program;
  for (uint32_t i = 0; i < p->inputs.len; i++) {
    h_symbol *s = p->inputs.data[i];
    if (s->kind == H_BUFFER)
      add_extents(l, s);
    else
      kit_add_param(&l->kit, s->name, pm_get_scalar(l->ctx, (pm_scalar)s->types[0]));
  }
  for (uint32_t i = 0; i < p->outputs.len; i++) add_extents(l, p->outputs.data[i]);
  bool ok = true;
  for (uint32_t i = 0; i < p->inputs.len && ok; i++)
    ok = p->inputs.data[i]->kind == H_BUFFER ? require_extents(l, p->inputs.data[i])
                                             : require_range(l, p->inputs.data[i]);
  for (uint32_t i = 0; i < p->outputs.len && ok; i++) ok = require_extents(l, p->outputs.data[i]);
  for (uint32_t i = 0; i < p->clamps.len; i++) require_order(l, p->clamps.data[i]);
  require_all(l);
  return ok && kit_end_context(&l->kit, l->builder.loc);
}

static void build_param(h_lowering *l, h_symbol *s) {
  l->builder.loc = s->loc;
  s->value = stage_build_param(&l->builder, s->name, pm_get_scalar(l->ctx, (pm_scalar)s->types[0]));
  if (s->has_estimate && s->types[0] == PM_I32)
    pm_set_attr(pm_def(s->value), stage_param_estimate,
                pm_get_int(pm_get_scalar(l->ctx, PM_I64), s->estimate));
}

static void build_extents(h_lowering *l, const h_symbol *s) {
  for (unsigned d = 0; d < s->n_dims; d++) build_param(l, s->extents[d]);
}

/* --- boxes --- */

static kit_dims box_dims(const h_lowering *l, const h_symbol *s) {
  pm_string names[KIT_MAX_DIMS];
  if (s->kind == H_BUFFER) return kit_array_dims(&l->kit, s->n_dims);
  for (unsigned d = 0; d < s->n_dims; d++)
    names[d] = kit_identifier(l->ctx, s->pure.args[s->n_dims - 1 - d]->var->name->text);
  return kit_name_dims(&l->kit, names, s->n_dims);
}

static pm_attr input_box(h_lowering *l, const h_symbol *s) {
  pm_buf text = {0};
  kit_dims dims = box_dims(l, s);
  kit_begin_set(&l->kit, &text, &dims);
  for (unsigned d = 0; d < s->n_dims; d++)
    pm_buf_printf(&text, "%s0 <= %s < %s", d > 0 ? " and " : "", dims.names[d]->text,
                  s->extents[s->n_dims - 1 - d]->name->text);
  return kit_end_set(&l->kit, s->loc, &text, true);
}

/* Of a Func, before its domain is known. */
static pm_attr all_points(h_lowering *l, const h_symbol *s) {
  pm_buf text = {0};
  kit_dims dims = box_dims(l, s);
  kit_begin_set(&l->kit, &text, &dims);
  return kit_end_set(&l->kit, s->loc, &text, true);
}

/* --- bodies --- */

static void enter_body(h_lowering *l, pm_op *op) {
  l->body = stage_begin_body(op, l->dims.names, l->dims.n);
  l->builder = pm_builder_at_end(l->module, l->body, op->loc);
  l->stamp = ++l->program->next_stamp;
}

static bool emit_guards(h_lowering *l, const kit_guards *guards) {
  for (size_t i = 0; i < guards->len; i++) {
    hx *guard = (hx *)guards->data[i];
    pm_value *v = h_lower_value(l, guard);
    if (!v) return false;
    l->builder.loc = guard->loc;
    stage_build_guard(&l->builder, v);
  }
  return true;
}

static bool emit_values(h_lowering *l, const h_symbol *s, hx *const *values, h_operands *out) {
  for (unsigned i = 0; i < s->n_elements; i++) {
    pm_value *v = h_lower_typed(l, values[i]);
    if (!v) return false;
    PM_VEC_PUSH(*out, v);
  }
  return true;
}

static bool build_case(h_lowering *l, pm_op *func, const h_symbol *s, pm_attr set, hx *const *values) {
  h_operands out = {0};
  enter_body(l, stage_build_case(func, s->pure.loc, set));
  bool ok = emit_values(l, s, values, &out);
  l->builder.loc = s->pure.loc;
  if (ok) stage_build_yield(&l->builder, out.data, (unsigned)out.len);
  PM_VEC_FREE(out);
  return ok;
}

/* --- cases of selects --- */

/* The first select of the values whose condition is affine in coordinates; -1: none. */
static int choice_of(h_lowering *l, const h_symbol *s, hx *const *values) {
  kit_exprs x = h_lower_exprs(l);
  for (unsigned i = 0; i < s->n_elements; i++) {
    kit_refusal no;
    pm_buf text = {0};
    bool affine = values[i]->op == HX_SELECT && values[i]->args[0]->is_coordinate &&
                  kit_put_condition(&x, values[i]->args[0], &text, &no);
    pm_buf_free(&text);
    if (affine) return (int)i;
  }
  return -1;
}

/* The points of the set that are not inside; NULL where they have many parts: what follows would be slow. */
static isl_set *points_outside(pm_attr set, pm_attr inside) {
  isl_ctx *isl = isl_set_get_ctx(isl_peek_set(set));
  isl_budget_begin(isl, OPERATIONS);
  isl_set *rest = isl_set_subtract(isl_set_copy(isl_peek_set(set)), isl_set_copy(isl_peek_set(inside)));
  rest = isl_set_coalesce(rest);
  bool costly = isl_budget_end(isl);
  if (!costly && isl_set_n_basic_set(rest) <= LOWER_MAX_PARTS &&
      isl_set_n_basic_set(isl_peek_set(inside)) <= LOWER_MAX_PARTS)
    return rest;
  isl_set_free(rest);
  return NULL;
}

/* Splits the set at selects of coordinates: each arm is a case of its own, up to a number of them. */
static bool build_cases(h_lowering *l, pm_op *func, const h_symbol *s, pm_attr set, hx *const *values,
                        unsigned *n_cases) {
  kit_guards guards = {0};
  kit_exprs x = h_lower_exprs(l);
  int i = *n_cases < LOWER_MAX_CASES ? choice_of(l, s, values) : -1;
  if (i < 0) return build_case(l, func, s, set, values);
  hx *condition = values[i]->args[0], *yes[HX_MAX_ELEMENTS], *no[HX_MAX_ELEMENTS];
  pm_attr inside = kit_case_set(&l->kit, &x, set, condition->loc, condition, &guards);
  bool affine = inside && guards.len == 0;
  PM_VEC_FREE(guards);
  if (!inside) return false;
  isl_set *rest = affine ? points_outside(set, inside) : NULL;
  if (!rest) return build_case(l, func, s, set, values);
  for (unsigned k = 0; k < s->n_elements; k++) {
    bool same = values[k]->op == HX_SELECT && hx_same(values[k]->args[0], condition);
    yes[k] = same ? values[k]->args[1] : values[k];
    no[k] = same ? values[k]->args[2] : values[k];
  }
  ++*n_cases;
  bool has_rest = isl_set_is_empty(rest) != isl_bool_true,
       has_inside = isl_set_is_empty(isl_peek_set(inside)) != isl_bool_true;
  pm_attr outside = isl_attr_of_set(l->ctx, rest);
  return (!has_inside || build_cases(l, func, s, inside, yes, n_cases)) &&
         (!has_rest || build_cases(l, func, s, outside, no, n_cases));
}

/* --- updates --- */

static bool is_self_read(const h_symbol *s, const h_definition *d, const hx *e, unsigned element) {
  if (e->op != HX_CALL || e->symbol != s || e->element != element) return false;
  for (unsigned i = 0; i < s->n_dims; i++)
    if (!hx_same(e->args[i], d->args[i])) return false;
  return true;
}

static bool reads(hx *e, const h_symbol *s, uint32_t stamp) {
  if (e->stamp == stamp) return false;
  e->stamp = stamp;
  if (e->op == HX_CALL && e->symbol == s) return true;
  for (unsigned i = 0; i < e->n_args; i++)
    if (reads(e->args[i], s, stamp)) return true;
  return false;
}

/* f(i) = f(i) op value: a combination with what the element has. The other operand must not read the Func. */
static const char *combination(h_lowering *l, const h_symbol *s, const h_definition *d, unsigned element,
                               hx **value) {
  hx *e = d->values[element];
  const char *how = e->op == HX_ADD   ? "sum"
                    : e->op == HX_MUL ? "product"
                    : e->op == HX_MIN ? "min"
                    : e->op == HX_MAX ? "max"
                                      : NULL;
  if (!how) return NULL;
  bool is_float = cx_is_float((pm_scalar)e->type), commutes = !is_float || e->op == HX_ADD || e->op == HX_MUL;
  unsigned self = is_self_read(s, d, e->args[0], element) ? 0 : 1;
  if (self == 1 && (!commutes || !is_self_read(s, d, e->args[1], element))) return NULL;
  if (reads(e->args[1 - self], s, ++l->program->next_stamp)) return NULL;
  *value = e->args[1 - self];
  return how;
}

static pm_attr word(const h_lowering *l, const char *text) {
  return pm_get_string_attr(l->ctx, pm_str_of(text));
}

static bool emit_combine(h_lowering *l, const h_symbol *s, const h_definition *d) {
  h_operands args = {0};
  pm_attr words[HX_MAX_ELEMENTS];
  hx *values[HX_MAX_ELEMENTS];
  for (unsigned i = 0; i < s->n_elements; i++) {
    values[i] = d->values[i];
    const char *how = combination(l, s, d, i, &values[i]);
    words[i] = word(l, how ? how : "assign");
  }
  l->stamp = ++l->program->next_stamp; /* of walks above that came to nodes of this body */
  pm_affine_map map;
  bool ok = emit_values(l, s, values, &args) && h_lower_indices(l, d->args, s->n_dims, &map, &args);
  l->builder.loc = d->loc;
  if (ok) {
    pm_op *op = stage_build_combine(&l->builder, "assign", map, args.data, (unsigned)args.len);
    pm_set_attr(op, stage_combine_kind,
                s->n_elements > 1 ? pm_get_array(l->ctx, words, s->n_elements) : words[0]);
  }
  PM_VEC_FREE(args);
  return ok;
}

/* Its loops, from the outside: Vars from the last to the first, then the RDom. */
static void set_update_vars(h_lowering *l, const h_symbol *s, const h_definition *d) {
  pm_string names[KIT_MAX_DIMS];
  unsigned n = 0;
  for (unsigned i = s->n_dims; i > 0; i--)
    if (d->args[i - 1]->op == HX_VAR) l->vars[n++] = d->args[i - 1]->var;
  for (unsigned i = d->rdom ? d->rdom->n_dims : 0; i > 0 && n < KIT_MAX_DIMS; i--)
    l->vars[n++] = &d->rdom->vars[i - 1];
  for (unsigned i = 0; i < n; i++) names[i] = kit_identifier(l->ctx, l->vars[i]->name->text);
  l->dims = kit_name_dims(&l->kit, names, n);
}

static unsigned count_update_dims(const h_symbol *s, const h_definition *d) {
  unsigned n = d->rdom ? d->rdom->n_dims : 0;
  for (unsigned i = 0; i < s->n_dims; i++) n += d->args[i]->op == HX_VAR;
  return n;
}

typedef struct rdom_bounds {
  hx *low, *high; /* the last point */
  bool is_tested; /* they are not affine: the points of `from` to `to` are tested */
  int64_t from, to;
} rdom_bounds;

static bool is_affine(const h_lowering *l, const hx *e) {
  kit_exprs x = h_lower_bounds(l);
  kit_refusal no;
  pm_buf text = {0};
  bool affine = kit_put_affine(&x, e, &text, &no);
  pm_buf_free(&text);
  return affine;
}

/* low + extent - 1; of the extent `high - low + 1` that is high. */
static hx *last_point(h_lowering *l, pm_loc loc, hx *low, hx *extent) {
  int64_t one;
  bool is_sum = extent->op == HX_ADD && hx_is_int(extent->args[1], &one) && one == 1,
       is_length = is_sum && extent->args[0]->op == HX_SUB && hx_same(extent->args[0]->args[1], low);
  if (is_length) return extent->args[0]->args[0];
  hx *end = hx_binary(l->program, loc, HX_ADD, low, extent);
  return hx_binary(l->program, loc, HX_SUB, end, hx_int(l->program, loc, PM_I32, 1));
}

static rdom_bounds bounds_of(h_lowering *l, const h_rdom *r, unsigned i) {
  h_program *p = l->program;
  rdom_bounds b = {.low = hx_cast(p, r->loc, PM_I32, r->min[i])};
  hx *extent = hx_cast(p, r->loc, PM_I32, r->extent[i]);
  b.high = last_point(l, r->loc, b.low, extent);
  if (is_affine(l, b.low) && is_affine(l, b.high)) return b;
  hx_range low = hx_range_of(b.low), size = hx_range_of(extent);
  double to = low.high + size.high - 1;
  b.is_tested = low.low > INT32_MIN && to < INT32_MAX && to - low.low < LOWER_MAX_TESTED;
  b.from = b.is_tested ? (int64_t)low.low : 0;
  b.to = b.is_tested ? (int64_t)to : 0;
  return b;
}

static pm_attr rdom_set(h_lowering *l, const h_definition *d) {
  h_program *p = l->program;
  pm_buf text = {0};
  kit_exprs x = h_lower_bounds(l);
  bool ok = true;
  kit_begin_set(&l->kit, &text, &l->dims);
  for (unsigned i = 0; d->rdom && i < d->rdom->n_dims && ok; i++) {
    rdom_bounds b = bounds_of(l, d->rdom, i);
    hx *low = b.is_tested ? hx_int(p, d->rdom->loc, PM_I32, b.from) : b.low,
       *high = b.is_tested ? hx_int(p, d->rdom->loc, PM_I32, b.to) : b.high;
    if (i > 0) pm_buf_puts(&text, " and ");
    ok = kit_put_interval(&l->kit, &text, l->dims.names[l->dims.n - 1 - i], &x, low, high, 1);
  }
  return kit_end_set(&l->kit, d->loc, &text, ok);
}

static hx *both(h_lowering *l, hx *a, hx *b) {
  return a ? hx_binary(l->program, b->loc, HX_BIT_AND, a, b) : b;
}

/* What is tested at each point: bounds that are not affine, then the predicates. */
static hx *predicate_of(h_lowering *l, const h_definition *d) {
  h_program *p = l->program;
  hx *all = NULL;
  for (unsigned i = 0; d->rdom && i < d->rdom->n_dims; i++) {
    rdom_bounds b = bounds_of(l, d->rdom, i);
    hx *var = hx_var(p, d->rdom->loc, &d->rdom->vars[i]);
    if (!b.is_tested) continue;
    all = both(l, all, hx_binary(p, d->rdom->loc, HX_GE, var, b.low));
    all = both(l, all, hx_binary(p, d->rdom->loc, HX_LE, var, b.high));
  }
  for (uint32_t i = 0; d->rdom && i < d->rdom->predicates.len; i++)
    all = both(l, all, d->rdom->predicates.data[i]);
  return all;
}

static bool build_update(h_lowering *l, pm_op *func, const h_symbol *s, const h_definition *d) {
  kit_guards guards = {0};
  kit_exprs x = h_lower_exprs(l);
  if (count_update_dims(s, d) > KIT_MAX_DIMS)
    return pm_error(l->ctx, d->loc, "the update has %u loops, at most %d are supported",
                    count_update_dims(s, d), KIT_MAX_DIMS);
  set_update_vars(l, s, d);
  pm_attr set = rdom_set(l, d);
  hx *predicate = predicate_of(l, d);
  if (set && predicate) set = kit_case_set(&l->kit, &x, set, d->loc, predicate, &guards);
  bool ok = set != NULL;
  if (ok) {
    enter_body(l, stage_build_update(func, d->loc, set));
    ok = emit_guards(l, &guards) && emit_combine(l, s, d);
  }
  PM_VEC_FREE(guards);
  return ok;
}

/* --- stages --- */

static bool build_func(h_lowering *l, h_symbol *s, pm_builder at) {
  unsigned n_cases = 1;
  at.loc = s->loc;
  pm_attr domain = all_points(l, s);
  pm_op *func =
      stage_build_func(&at, s->is_apart ? s->whole_name : s->name, h_lower_type(l, s), domain, NULL);
  for (unsigned d = 0; d < s->n_dims; d++) l->vars[d] = s->pure.args[s->n_dims - 1 - d]->var;
  l->dims = box_dims(l, s);
  l->self = s;
  bool ok = build_cases(l, func, s, domain, s->pure.values, &n_cases);
  l->self = NULL;
  for (uint32_t i = 0; i < s->updates.len && ok; i++) ok = build_update(l, func, s, &s->updates.data[i]);
  return ok;
}

/* The output reads a Func that has more points than it. */
static void build_apart(h_lowering *l, const h_symbol *s, pm_builder at) {
  at.loc = s->loc;
  pm_attr domain = all_points(l, s);
  pm_affine_expr exprs[KIT_MAX_DIMS];
  pm_op *func = stage_build_func(&at, s->name, h_lower_type(l, s), domain, NULL);
  pm_op *branch = stage_build_case(func, s->loc, domain);
  l->dims = box_dims(l, s);
  enter_body(l, branch);
  for (unsigned d = 0; d < s->n_dims; d++) exprs[d] = pm_affine_dim(l->ctx, d);
  pm_affine_map identity = pm_get_affine_map(l->ctx, s->n_dims, 0, exprs, s->n_dims);
  pm_value *v =
      stage_build_read(&l->builder, s->whole_name, h_lower_type(l, s), identity, l->body->args, NULL);
  pm_value *values[HX_MAX_ELEMENTS];
  for (unsigned i = 0; i < s->n_elements; i++) values[i] = pm_res(pm_def(v), i);
  stage_build_yield(&l->builder, values, s->n_elements);
}

static void build_table(h_lowering *l, const h_symbol *s) {
  int64_t extents[HX_MAX_DIMS];
  for (unsigned d = 0; d < s->n_dims; d++) extents[d] = s->table->extents[s->n_dims - 1 - d];
  pm_type type = pm_get_memref(pm_get_scalar(l->ctx, (pm_scalar)s->types[0]), (uint16_t)s->n_dims, extents,
                               PM_SPACE_NONE);
  l->builder.loc = s->loc;
  stage_build_constant(&l->builder, s->name, pm_get_dense(type, s->table->numbers), NULL);
}

static bool build_all(h_lowering *l, pm_loc loc, const char *wanted) {
  h_program *p = l->program;
  pm_builder top = pm_builder_at_end(l->module, pm_module_body(l->module), loc);
  pm_string name = kit_identifier(l->ctx, wanted ? wanted : p->outputs.data[0]->name->text);
  l->pipeline = stage_build_pipeline(&top, name, l->kit.context, l->options->fp);
  pm_builder at = pm_builder_at_end(l->module, pm_region_at(l->pipeline, stage_pipeline_body), loc);
  l->builder = at;
  for (uint32_t i = 0; i < p->inputs.len; i++)
    if (p->inputs.data[i]->kind == H_BUFFER)
      build_extents(l, p->inputs.data[i]);
    else
      build_param(l, p->inputs.data[i]);
  for (uint32_t i = 0; i < p->outputs.len; i++) build_extents(l, p->outputs.data[i]);
  for (uint32_t i = 0; i < p->inputs.len; i++) {
    h_symbol *s = p->inputs.data[i];
    if (s->kind != H_BUFFER) continue;
    l->builder.loc = s->loc;
    stage_build_input(&l->builder, s->name, pm_get_scalar(l->ctx, (pm_scalar)s->types[0]), input_box(l, s),
                      NULL);
  }
  for (uint32_t i = 0; i < p->tables.len; i++)
    if (p->tables.data[i]->needed) build_table(l, p->tables.data[i]);
  bool ok = true;
  for (uint32_t i = 0; i < p->funcs.len && ok; i++)
    if (p->funcs.data[i]->needed && !h_is_mode(p->funcs.data[i])) ok = build_func(l, p->funcs.data[i], at);
  for (uint32_t i = 0; i < p->outputs.len && ok; i++)
    if (p->outputs.data[i]->is_apart) build_apart(l, p->outputs.data[i], at);
  for (uint32_t i = 0; i < p->outputs.len && ok; i++) {
    at.loc = p->outputs.data[i]->loc;
    stage_build_output(&at, p->outputs.data[i]->name);
  }
  return ok;
}

static pm_module *try_lowering(h_lowering *l, pm_loc loc, const char *name, bool *again) {
  l->module = pm_module_new(l->ctx, loc);
  l->builder.loc = loc;
  kit_init(&l->kit, l->ctx);
  bool ok = build_context(l) && build_all(l, loc, name) && h_lower_domains(l, again) && !*again &&
            h_lower_schedules(l->program, l->pipeline) && pm_verify_module(l->module);
  kit_free(&l->kit);
  if (ok) return l->module;
  pm_module_free(l->module);
  return NULL;
}

pm_module *lower_halide(h_program *program, const halide_options *options, pm_loc loc, const char *name) {
  h_lowering l = {.ctx = program->ctx, .program = program, .options = options};
  pm_module *module = NULL;
  l.builder.loc = loc;
  if (!check_outputs(&l)) return NULL;
  if (program->outputs.data[0]->loc.line) loc = program->outputs.data[0]->loc;
  find_needed(&l);
  bool inlined = false, again = h_inline_coordinates(program, &inlined);
  if (again && program->has_undef) {
    again = h_settle_undef(program);
    inlined = true;
  }
  if (inlined) find_needed_again(&l);
  name_all(&l);
  while (again) {
    again = false;
    module = try_lowering(&l, loc, name, &again);
    if (!again) break;
    again = h_inline_marked(program);
    find_needed_again(&l);
    name_all(&l);
  }
  return module;
}
