/* Stages: the body of a kernel runs once for each Image that it writes. */
#include "dialects/arith/arith.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/imagecl/imagecl.h"
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VISITS = 100000, MOST_KNOWN = 256 };

/* --- what is left of a pixel that nothing is written to --- */

/* Conditions that hold, or do not, where a value is looked at. */
typedef struct known {
  const pm_value *conditions[MOST_KNOWN];
  bool values[MOST_KNOWN];
  unsigned n;
} known;

typedef struct keeping {
  const ic_array *array;
  pm_map *uses_kept; /* values that are computed of the pixel as it was */
  known known;
  unsigned visits;
} keeping;

static const pm_value *negated(const pm_value *c) {
  const pm_op *op = pm_def(c);
  return pm_is(op, &arith_xori) && pm_constant_value(pm_arg(op, 1)) ? pm_arg(op, 0) : NULL;
}

/* -1: not known. */
static int look_up(const known *k, const pm_value *c) {
  for (unsigned i = 0; i < k->n; i++)
    if (k->conditions[i] == c) return k->values[i];
  const pm_op *op = pm_def(c);
  bool is_and = pm_is(op, &arith_andi);
  int one = negated(c) ? look_up(k, negated(c)) : -1;
  if (negated(c)) return one < 0 ? -1 : !one;
  if (!is_and && !pm_is(op, &arith_ori)) return -1;
  int a = look_up(k, pm_arg(op, 0)), b = look_up(k, pm_arg(op, 1));
  if (a == !is_and || b == !is_and) return !is_and;
  return a < 0 || b < 0 ? -1 : is_and;
}

static void assume(known *k, const pm_value *c, bool value) {
  const pm_op *op = pm_def(c);
  if (k->n == MOST_KNOWN) return;
  k->conditions[k->n] = c;
  k->values[k->n++] = value;
  if (negated(c)) assume(k, negated(c), !value);
  if (pm_is(op, value ? &arith_andi : &arith_ori)) {
    assume(k, pm_arg(op, 0), value);
    assume(k, pm_arg(op, 1), value);
  }
}

/* A read of the array at the point's own pixel. */
static bool is_kept(const pm_op *op, const ic_array *a) {
  return pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == a->now &&
         !pm_attr_at(op, stage_read_boundary);
}

static bool reaches(keeping *s, const pm_value *v);

static bool reaches_if(keeping *s, const pm_value *c, bool value, const pm_value *v) {
  unsigned n = s->known.n;
  assume(&s->known, c, value);
  bool result = reaches(s, v);
  s->known.n = n;
  return result;
}

/* The value depends on the pixel as it was: where conditions choose another one it does not. */
static bool reaches(keeping *s, const pm_value *v) {
  const pm_op *op = pm_def(v);
  if (!pm_map_has(s->uses_kept, v)) return false;
  if (++s->visits > MOST_VISITS || is_kept(op, s->array)) return true;
  if (pm_is(op, &arith_select)) {
    const pm_value *c = pm_arg(op, 0);
    int holds = look_up(&s->known, c);
    if (reaches(s, c)) return true;
    if (holds >= 0) return reaches(s, pm_arg(op, holds ? 1 : 2));
    return reaches_if(s, c, true, pm_arg(op, 1)) || reaches_if(s, c, false, pm_arg(op, 2));
  }
  for (unsigned i = 0; i < op->n_operands; i++)
    if (reaches(s, pm_arg(op, i))) return true;
  return false;
}

static bool depends(const keeping *s, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_map_has(s->uses_kept, pm_arg(op, i))) return true;
  return false;
}

/* Reads of the pixel as it was that no result depends on become zeros: the array is no input then. */
static void drop_kept(pm_region *body, const ic_array *a) {
  keeping s = {.array = a, .uses_kept = pm_map_new()};
  PM_FOR_OPS(op, body) {
    bool is = is_kept(op, a);
    if (op->n_results == 1 && (is || depends(&s, op))) pm_map_set(s.uses_kept, pm_res(op, 0), op);
  }
  bool needs = reaches(&s, pm_arg(pm_terminator(body), 0));
  pm_map_free(s.uses_kept);
  if (needs) return;
  PM_FOR_OPS(op, body) {
    if (!is_kept(op, a)) continue;
    pm_builder b = pm_builder_before(op);
    pm_type type = pm_res(op, 0)->type;
    pm_value *zero = pm_is_int_or_index(type) ? arith_build_int(&b, type, 0) : arith_build_float(&b, type, 0);
    pm_replace_op(op, &zero);
  }
}

void ic_drop_unused(pm_region *body) {
  for (pm_op *op = body->last, *before; op; op = before) {
    before = pm_prev(op);
    bool unused = pm_has_trait(op, PM_PURE) || pm_is(op, &stage_read);
    for (unsigned i = 0; i < op->n_results && unused; i++) unused = pm_unused(pm_res(op, i));
    if (unused) pm_op_erase(op);
  }
}

/* --- the body --- */

void ic_set_run(ic_state *s, ic_run *run) {
  s->run = run;
  s->px.body = run ? &run->body : NULL;
}

void ic_end_run(ic_state *s, ic_run *outer) {
  if (s->run) px_end_body(&s->run->body);
  ic_set_run(s, outer);
}

static void bind(cx_interp *in, cx_scope *scope, pm_string name, cv value, bool is_const) {
  cx_cell *cell = cx_declare(in, scope, name, value);
  cell->type = px_is_number(value) ? cx_type_of_value(in, value) : NULL;
  cell->is_const = is_const;
}

static void bind_parameters(cx_interp *in, cx_scope *scope, const ic_kernel *k) {
  for (unsigned d = 0; d < 2; d++)
    bind(in, scope, pm_get_cstring(in->ctx, d ? "idx" : "idy"), px_affine(in, pm_affine_dim(in->ctx, d)),
         true);
  for (uint32_t i = 0; i < k->params.len; i++) {
    const ic_parameter *p = &k->params.data[i];
    ic_element e = {.of = p, .loc = p->node->loc};
    cv array = {.kind = IC_ARRAY, .own = pm_arena_memdup(in->arena, &e, sizeof e)};
    if (p->array)
      bind(in, scope, p->node->name, array, true);
    else
      bind(in, scope, p->node->name, px_number_of(in, p->scalar->type, p->scalar->value), false);
  }
}

ic_run *ic_run_body(cx_interp *in, const ic_kernel *k, pm_region *region) {
  ic_state *s = ic_state_of(in);
  cx_scope *outside = in->scope;
  unsigned errors = pm_error_count(in->ctx);
  ic_run first = {.kernel = k, .body.b = pm_builder_at_end(s->module, region, k->node->loc)};
  first.body.y = region->args[0];
  first.body.x = region->args[1];
  ic_run *run = pm_arena_memdup(in->arena, &first, sizeof first);
  ic_end_run(s, run);
  in->steps = CX_MAX_STEPS - IC_MOST_STEPS;
  in->scope = cx_push_local_scope(in, in->globals);
  bind_parameters(in, in->scope, k);
  (void)cx_run(in, k->node->b);
  in->scope = outside;
  return !in->stopped && pm_error_count(in->ctx) == errors ? run : NULL;
}

/* --- stages --- */

pm_string ic_new_stage(cx_interp *in, pm_string name) {
  ic_state *s = ic_state_of(in);
  pm_buf text = {0};
  pm_buf_printf(&text, "stage.%u", s->stages.len);
  pm_string own = pm_get_string(s->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  CX_PUSH(in->arena, s->stages, ((ic_stage){NULL, name, NULL}));
  return own;
}

void ic_put_grid(const ic_kernel *k, const kit_dims *dims, pm_buf *text) {
  const ic_size *size = ic_size_of(k->grid);
  for (unsigned d = 0; d < 2; d++) {
    pm_buf_printf(text, "%s0 <= %s < ", d ? " and " : "", dims->names[d]->text);
    if (size->is_constant)
      pm_buf_printf(text, "%lld", (long long)size->n[1 - d]);
    else
      pm_buf_puts(text, size->params[1 - d]->text);
  }
}

pm_attr ic_grid_set(cx_interp *in, const ic_kernel *k, kit_dims *dims) {
  ic_state *s = ic_state_of(in);
  pm_string wanted[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x")};
  pm_buf text = {0};
  *dims = kit_name_dims(&s->kit, wanted, 2);
  kit_begin_set(&s->kit, &text, dims);
  ic_put_grid(k, dims, &text);
  return kit_end_set(&s->kit, k->node->loc, &text, true);
}

/* NULL after a diagnostic. */
static pm_op *build_own(cx_interp *in, const ic_kernel *k, const ic_parameter *p, pm_string name) {
  ic_state *s = ic_state_of(in);
  const ic_array *a = p->array;
  kit_dims dims;
  pm_attr set = ic_grid_set(in, k, &dims);
  if (!set) return NULL;
  pm_op *func = stage_build_func(&s->b, name, pm_get_scalar(s->ctx, a->type), set, NULL);
  pm_region *body = stage_begin_body(stage_build_case(func, k->node->loc, set), dims.names, 2);
  ic_run *run = ic_run_body(in, k, body);
  cv value = cv_void;
  if (!run) return NULL;
  for (uint32_t i = 0; i < run->outputs.len; i++)
    if (run->outputs.data[i].array == a) value = run->outputs.data[i].cell->value;
  if (value.kind == CV_VOID) {
    cx_fail(in, k->node->loc, "'%s' never comes to where it writes '%s'", k->node->name->text, a->name->text);
    return NULL;
  }
  pm_value *result = px_value_of(in, k->node->loc, value, a->type);
  if (!result) return NULL;
  stage_build_yield(&run->body.b, &result, 1);
  pm_merge_equal_ops(func);
  ic_drop_unused(body);
  drop_kept(body, a);
  ic_drop_unused(body);
  return func;
}

static bool build_stage(cx_interp *in, const ic_kernel *k, const ic_parameter *p, pm_string *name) {
  ic_state *s = ic_state_of(in);
  *name = ic_new_stage(in, p->array->name);
  uint32_t number = s->stages.len - 1;
  s->b.loc = k->node->loc;
  pm_op *func = p->is_scattered ? ic_build_scattered(in, k, p, *name) : build_own(in, k, p, *name);
  ic_end_run(s, NULL);
  s->stages.data[number].op = func;
  s->stages.data[number].kernel = p->is_scattered ? NULL : k;
  return func;
}

/* What a kernel writes is there for the next one. */
static bool build_kernel(cx_interp *in, const ic_kernel *k) {
  pm_string *names = pm_arena_alloc(in->arena, (k->params.len + 1) * sizeof *names);
  bool any = false;
  for (uint32_t i = 0; i < k->params.len; i++) {
    const ic_parameter *p = &k->params.data[i];
    if (!p->is_written && !p->is_scattered) continue;
    any = true;
    if (!build_stage(in, k, p, &names[i])) return false;
  }
  if (!any)
    return cx_fail(in, k->node->loc, "'%s' writes no Image and no array, it should", k->node->name->text),
           false;
  for (uint32_t i = 0; i < k->params.len; i++) {
    const ic_parameter *p = &k->params.data[i];
    if (!p->is_written && !p->is_scattered) continue;
    p->array->now = names[i];
    p->array->is_stage = true;
  }
  return true;
}

/* --- outputs --- */

typedef struct search {
  pm_string stage;
  const pm_op *except; /* its own func */
} search;

static pm_walk find_read(void *user, pm_op *op) {
  const search *s = user;
  if (op == s->except) return PM_WALK_SKIP;
  bool is = pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == s->stage;
  return is ? PM_WALK_STOP : PM_WALK_ON;
}

static bool is_read(const ic_state *s, pm_string stage) {
  search one = {stage, pm_lookup_symbol(s->b.region, stage)};
  return !pm_walk_pre(s->pipeline, find_read, &one);
}

static bool is_output(const ic_state *s, pm_string stage) {
  PM_FOR_OPS(op, s->b.region)
  if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == stage) return true;
  return false;
}

static bool add_outputs(cx_interp *in, pm_loc loc) {
  ic_state *s = ic_state_of(in);
  bool any = false;
  for (uint32_t i = 0; i < s->arrays.len; i++) {
    const ic_array *a = s->arrays.data[i];
    if (!a->is_stage || is_read(s, a->now)) continue;
    s->b.loc = a->loc;
    stage_build_output(&s->b, a->now);
    any = true;
  }
  return any ||
         pm_error(in->ctx, loc, "each Image that is written is read by a later kernel, so none is an output");
}

/* Inputs and stages that nothing reads are none. */
static void drop_unneeded(ic_state *s) {
  bool again = true;
  while (again) {
    again = false;
    for (uint32_t i = 0; i < s->stages.len; i++) {
      pm_op *op = s->stages.data[i].op;
      if (!op || is_output(s, stage_name_of(op)) || is_read(s, stage_name_of(op))) continue;
      pm_op_erase(op);
      s->stages.data[i].op = NULL;
      again = true;
    }
  }
}

bool ic_build_kernels(cx_interp *in, pm_loc loc) {
  ic_state *s = ic_state_of(in);
  for (uint32_t i = 0; i < s->kernels.len; i++)
    if (!build_kernel(in, s->kernels.data[i])) return false;
  if (!add_outputs(in, loc)) return false;
  drop_unneeded(s);
  return true;
}
