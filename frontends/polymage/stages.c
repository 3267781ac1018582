/* The pipeline's ops: parameters, inputs, stages with their cases, outputs. */
#include "frontends/polymage/lower.h"

#include <isl/map.h>
#include <isl/set.h>
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/analyses/graph.h"
#include "ir/verify.h"

static void lower_params(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind != DSL_PARAMETER) continue;
    l->builder.loc = s->loc;
    pm_value *value = stage_build_param(&l->builder, s->name, pm_get_scalar(l->ctx, s->type));
    if (s->has_estimate)
      pm_set_attr(pm_def(value), stage_param_estimate,
                  pm_get_int(pm_get_scalar(l->ctx, PM_I64), s->estimate));
    pm_map_set(l->params, s, value);
  }
}

static void lower_inputs(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind != DSL_IMAGE || (s->values && !s->needed)) continue;
    l->builder.loc = s->loc;
    if (s->values) {
      stage_build_constant(&l->builder, s->name, s->values, lower_boundary(l, s));
      continue;
    }
    pm_attr domain = lower_image_domain(l, s);
    l->failed |= !domain;
    if (domain)
      stage_build_input(&l->builder, s->name, pm_get_scalar(l->ctx, s->type), domain, lower_boundary(l, s));
  }
}

static bool emit_guards(lowering *l, const kit_guards *guards) {
  for (size_t i = 0; i < guards->len; i++) {
    dsl_expr *guard = (dsl_expr *)guards->data[i];
    pm_value *condition = lower_condition(l, guard);
    if (!condition) return false;
    l->builder.loc = guard->loc;
    stage_build_guard(&l->builder, condition);
  }
  return true;
}

/* Makes the op the body at work; the builder that was is the result. */
static pm_builder enter_body(lowering *l, pm_op *op) {
  pm_builder outside = l->builder;
  l->case_body = stage_begin_body(op, l->dims.names, l->dims.n);
  l->case_stamp++;
  l->builder = pm_builder_at_end(l->module, l->case_body, op->loc);
  return outside;
}

static void yield(lowering *l, pm_loc loc, pm_value *const *values, unsigned n) {
  l->builder.loc = loc;
  stage_build_yield(&l->builder, values, n);
}

/* Appends the value, of a tuple each element, in the type of the stage; false after a diagnostic. */
static bool lower_elements(lowering *l, dsl_expr *value, lower_values *out) {
  pm_type type = lower_type(l, l->stage);
  for (unsigned i = 0; i < pm_tuple_len(type); i++) {
    dsl_expr *element = value->op == DSL_TUPLE ? value->args[i] : value;
    pm_value *v = lower_value(l, element, pm_tuple_at(type, i));
    if (!v) return false;
    PM_VEC_PUSH(*out, v);
  }
  return true;
}

static bool lower_value_of(lowering *l, const dsl_case *branch, const kit_guards *guards) {
  if (!emit_guards(l, guards)) return false;
  lower_values values = {0};
  bool ok = lower_elements(l, branch->value, &values);
  if (ok) yield(l, branch->loc, values.data, (unsigned)values.len);
  PM_VEC_FREE(values);
  return ok;
}

/* The case's op; *set becomes its set, or NULL when a test at each point cuts it further. */
static pm_op *lower_case(lowering *l, pm_op *func, pm_attr domain, const dsl_case *branch, pm_attr *set) {
  kit_guards guards = {0};
  pm_op *op = NULL;
  bool ok = false;
  kit_exprs body = lower_body(l);
  *set = kit_case_set(&l->kit, &body, domain, branch->loc, branch->condition, &guards);
  if (*set) {
    op = stage_build_case(func, branch->loc, *set);
    pm_builder outside = enter_body(l, op);
    ok = lower_value_of(l, branch, &guards);
    l->builder = outside;
    pm_map_set(l->cases, op, (void *)branch);
  }
  if (guards.len > 0) *set = NULL;
  PM_VEC_FREE(guards);
  return ok ? op : NULL;
}

pm_op *lower_part_of_case(lowering *l, pm_op *func, pm_attr part, const dsl_case *branch) {
  pm_attr set;
  return lower_case(l, func, part, branch, &set);
}

/* The constant that a case is everywhere, or NULL. */
static pm_attr constant_of_case(const pm_op *op) {
  const pm_op *yield = pm_terminator(pm_region_at(op, stage_case_body));
  return yield ? pm_constant_value(pm_arg(yield, 0)) : NULL;
}

/* Borders of published programs meet in the corners with one value: the later case gives way. */
static bool give_way(lowering *l, const pm_op *a, pm_attr set_a, pm_op *b, pm_attr *set_b) {
  pm_attr value = constant_of_case(a);
  if (!value || value != constant_of_case(b) || !set_a || !*set_b) return false;
  isl_set *rest = isl_set_subtract(isl_set_copy(isl_peek_set(*set_b)), isl_set_copy(isl_peek_set(set_a)));
  *set_b = isl_attr_of_set(l->ctx, isl_set_coalesce(rest));
  pm_set_attr(b, stage_case_set, *set_b);
  return true;
}

static bool check_overlap(lowering *l, const dsl_symbol *stage, pm_op *const *ops, pm_attr *sets,
                          size_t earlier, size_t later) {
  kit_case a = {sets[earlier], stage->cases.data[earlier]->loc};
  kit_case b = {sets[later], stage->cases.data[later]->loc};
  return kit_is_disjoint(&l->kit, &a, &b) ||
         give_way(l, ops[earlier], sets[earlier], ops[later], &sets[later]) ||
         kit_check_disjoint(&l->kit, stage->name, &a, &b);
}

/* Most cases are bands or borders, whose boxes tell that they have no point in common. */
static bool check_overlaps(lowering *l, const dsl_symbol *stage, pm_op *const *ops, pm_attr *sets) {
  size_t n = stage->cases.len;
  linear_box *boxes = pm_xcalloc(n + 1, sizeof *boxes);
  bool ok = true;
  for (size_t later = 0; later < n; later++) {
    if (!sets[later]) continue;
    boxes[later] = linear_box_of(isl_peek_set(sets[later]));
    for (size_t earlier = 0; earlier < later && ok; earlier++)
      ok = !sets[earlier] || linear_are_apart(&boxes[earlier], &boxes[later]) ||
           check_overlap(l, stage, ops, sets, earlier, later);
  }
  for (size_t i = 0; i < n; i++) linear_box_free(boxes[i]);
  free(boxes);
  return ok;
}

static void warn_of_no_points(lowering *l, const dsl_symbol *stage, const pm_op *op) {
  pm_attr set = pm_attr_at(op, stage_case_set);
  if (kit_find_points(&l->kit, set) == KIT_NO_POINTS)
    pm_warning(l->ctx, op->loc,
               "the case applies to no point of %pS: its condition holds nowhere in the domain",
               (const void *)stage->name);
}

static bool lower_cases(lowering *l, const dsl_symbol *stage, pm_op *func, pm_attr domain) {
  pm_attr *sets = pm_xcalloc(stage->cases.len + 1, sizeof(*sets));
  pm_op **ops = pm_xcalloc(stage->cases.len + 1, sizeof(pm_op *));
  bool ok = true;
  for (size_t i = 0; i < stage->cases.len; i++) {
    ops[i] = lower_case(l, func, domain, stage->cases.data[i], &sets[i]);
    if (ops[i]) warn_of_no_points(l, stage, ops[i]);
    ok = ok && ops[i];
  }
  ok = ok && check_overlaps(l, stage, ops, sets);
  free(sets);
  free(ops);
  return ok;
}

/* --- updates --- */

static const char *word_of(const dsl_case *update, unsigned i) {
  return update->combine[update->n_combine > 1 ? i : 0];
}

static bool is_whole(const dsl_case *update) {
  return dsl_is_whole_combination(update->combine[0]);
}

/* And and Or are of integers. */
static bool check_words(lowering *l, const dsl_case *update) {
  pm_type type = lower_type(l, l->stage);
  for (unsigned i = 0; i < pm_tuple_len(type); i++) {
    const char *word = word_of(update, i);
    bool is_logical = strcmp(word, "and") == 0 || strcmp(word, "or") == 0;
    if (is_logical && pm_is_float(pm_tuple_at(type, i)))
      return pm_error(l->ctx, update->loc,
                      "the operation '%s' is one of integers, the type of %pS should be one: Int, UChar …",
                      word, (const void *)l->stage->name);
  }
  return true;
}

static void build_combine(lowering *l, const dsl_case *update, pm_affine_map map, const lower_values *args) {
  PM_VEC(pm_attr) words = {0};
  for (unsigned i = 0; i < l->stage->n_elems; i++) {
    const char *word = is_whole(update) && i > 0 ? "with" : word_of(update, i);
    PM_VEC_PUSH(words, pm_get_string_attr(l->ctx, pm_str_of(word)));
  }
  pm_op *op = stage_build_combine(&l->builder, update->combine[0], map, args->data, (unsigned)args->len);
  if (words.len > 0) pm_set_attr(op, stage_combine_kind, pm_get_array(l->ctx, words.data, words.len));
  PM_VEC_FREE(words);
}

static bool lower_update_body(lowering *l, const dsl_case *update, const kit_guards *guards) {
  lower_values args = {0};
  pm_affine_map map;
  if (!emit_guards(l, guards)) return false;
  bool ok = lower_elements(l, update->value, &args) && lower_indices(l, update->target, &map, &args);
  l->builder.loc = update->loc;
  if (ok) build_combine(l, update, map, &args);
  PM_VEC_FREE(args);
  return ok;
}

static bool lower_update(lowering *l, pm_op *func, pm_attr domain, const dsl_case *update) {
  kit_guards guards = {0};
  if (!check_words(l, update)) return false;
  kit_exprs body = lower_body(l);
  pm_attr set = kit_case_set(&l->kit, &body, domain, update->loc, update->condition, &guards);
  bool ok = set != NULL;
  if (ok) {
    pm_builder outside = enter_body(l, stage_build_update(func, update->loc, set));
    ok = lower_update_body(l, update, &guards);
    l->builder = outside;
  }
  PM_VEC_FREE(guards);
  return ok;
}

/* In an update of f(0, …) a variable of the first dimension stands for 0, unless the reduction goes through
 * it. */
static dsl_expr *index_of_target(const void *user, dsl_expr *e) {
  const dsl_case *update = user;
  const dsl_symbol *stage = update->target->symbol;
  if (e->op != DSL_SYMBOL || e->symbol->kind != DSL_VARIABLE) return NULL;
  for (unsigned d = 0; d < stage->reduction.n_dims; d++)
    if (stage->reduction.variables[d] == e->symbol) return NULL;
  for (unsigned d = 0; d < stage->n_dims && d < update->target->n_args; d++)
    if (stage->domain.variables[d] == e->symbol && update->target->args[d]->op == DSL_INT)
      return update->target->args[d];
  return NULL;
}

static dsl_case at_target(lowering *l, const dsl_case *update) {
  dsl_case result = *update;
  result.condition = dsl_substitute(l->program, update->condition, index_of_target, update);
  result.value = dsl_substitute(l->program, update->value, index_of_target, update);
  return result;
}

static bool lower_updates(lowering *l, const dsl_symbol *stage, pm_op *func) {
  if (stage->updates.len == 0) return true;
  pm_attr domain = lower_domain(l, stage->loc, &stage->reduction);
  bool ok = domain && lower_check_points(l, stage->loc, &stage->reduction, domain);
  for (size_t i = 0; i < stage->updates.len && domain; i++) {
    dsl_case update = at_target(l, stage->updates.data[i]);
    ok &= lower_update(l, func, domain, &update);
  }
  return ok;
}

/* --- the default --- */

static bool has_case_everywhere(const dsl_symbol *stage) {
  for (size_t i = 0; i < stage->cases.len; i++)
    if (!stage->cases.data[i]->condition) return true;
  return false;
}

static const pm_op *combine_of(const pm_op *update) {
  return pm_terminator(pm_region_at(update, stage_update_body));
}

/* 0, of a tuple all of them. */
static bool is_zero(pm_attr number) {
  if (number->cls != PM_ATTR_ARRAY) return number->cls == PM_ATTR_FLOAT ? number->f == 0 : number->i == 0;
  for (size_t i = 0; i < number->len; i++)
    if (!is_zero(number->items[i])) return false;
  return true;
}

/* What changes no value that element `i` is combined with. Sums of floats begin with 0, not with -0. */
static pm_attr neutral_element(const pm_op *combine, unsigned i) {
  pm_type type = pm_arg(combine, i)->type;
  pm_attr number = stage_combine_identity(combine, i);
  return is_zero(number) && pm_is_float(type) ? pm_get_float(type, 0) : number;
}

/* What a stage with this update alone begins with: a number, of a tuple an array of them. */
static pm_attr neutral_of(lowering *l, const pm_op *op) {
  PM_VEC(pm_attr) items = {0};
  for (unsigned i = 0; i < pm_tuple_len(lower_type(l, l->stage)); i++)
    PM_VEC_PUSH(items, neutral_element(combine_of(op), i));
  pm_attr all = items.len > 1 ? pm_get_array(l->ctx, items.data, items.len) : items.data[0];
  PM_VEC_FREE(items);
  return all;
}

typedef struct beginning {
  const pm_op *update;
  pm_attr number;
  isl_set *cells; /* that the update writes; NULL where that is not looked at, or not known */
} beginning;

typedef PM_VEC(beginning) beginnings;

/* Of an update whose conditions and indices are affine, else NULL. */
static isl_set *cells_of_update(const pm_op *op) {
  bool affine;
  PM_FOR_OPS(inner, pm_region_at(op, stage_update_body))
  if (pm_is(inner, &stage_guard)) return NULL;
  isl_set *cells = isl_map_range(stage_read_relation((pm_op *)combine_of(op), &affine));
  if (affine) return isl_set_reset_tuple_id(cells);
  isl_set_free(cells);
  return NULL;
}

static bool may_meet(const beginning *a, const beginning *b) {
  return !a->cells || !b->cells || isl_set_is_disjoint(a->cells, b->cells) != isl_bool_true;
}

static bool different_operations(lowering *l, const dsl_symbol *stage, const beginning *later,
                                 const beginning *earlier) {
  const void *name = stage->name;
  pm_error(l->ctx, later->update->loc,
           "this update of %pS starts from another number than an earlier one of the same elements, "
           "%pS.default should give that number",
           name, name);
  pm_note(l->ctx, earlier->update->loc, "the update before it");
  return false;
}

/* No cell has updates that begin with different numbers, and none has a case. */
static bool check_apart(lowering *l, const dsl_symbol *stage, const beginnings *all) {
  for (size_t later = 1; later < all->len; later++)
    for (size_t earlier = 0; earlier < later; earlier++) {
      const beginning *a = &all->data[earlier], *b = &all->data[later];
      if (a->number == b->number || (!may_meet(a, b) && stage->cases.len == 0)) continue;
      return different_operations(l, stage, b, a);
    }
  return true;
}

/* The number over the cells of the updates that begin with it. */
static void begin_cells(lowering *l, const dsl_symbol *stage, pm_op *func, const beginnings *all, size_t k) {
  pm_attr number = all->data[k].number, domain = lower_domain(l, stage->loc, &stage->domain);
  isl_set *cells = isl_set_empty(isl_set_get_space(isl_peek_set(domain)));
  for (size_t i = k; i < all->len; i++)
    if (all->data[i].number == number) cells = isl_set_union(cells, isl_set_copy(all->data[i].cells));
  cells = isl_set_coalesce(isl_set_intersect(isl_set_copy(isl_peek_set(domain)), cells));
  pm_op *op = stage_build_case(func, all->data[k].update->loc, isl_attr_of_set(l->ctx, cells));
  pm_move_before(op, pm_region_at(func, stage_func_cases), (pm_op *)all->data[0].update);
  pm_builder outside = enter_body(l, op);
  lower_values values = {0};
  for (unsigned i = 0; i < pm_tuple_len(lower_type(l, stage)); i++)
    PM_VEC_PUSH(values, arith_build_constant(&l->builder, stage->n_elems ? number->items[i] : number));
  yield(l, op->loc, values.data, (unsigned)values.len);
  l->builder = outside;
  PM_VEC_FREE(values);
}

static bool is_first_with_number(const beginnings *all, size_t k) {
  for (size_t i = 0; i < k; i++)
    if (all->data[i].number == all->data[k].number) return false;
  return true;
}

/* Each cell begins with the number of its updates, the others with that of the first. */
static bool begin_apart(lowering *l, const dsl_symbol *stage, pm_op *func, beginnings *all) {
  for (size_t i = 0; i < all->len; i++) all->data[i].cells = cells_of_update(all->data[i].update);
  bool ok = check_apart(l, stage, all);
  for (size_t i = 1; i < all->len && ok; i++)
    if (is_first_with_number(all, i)) begin_cells(l, stage, func, all, i);
  for (size_t i = 0; i < all->len; i++) isl_set_free(all->data[i].cells);
  return ok;
}

/* The value before the updates when the program gives none: what changes no value it is combined with, so
 * that an element is what its updates alone give. */
static bool set_neutral_default(lowering *l, const dsl_symbol *stage, pm_op *func) {
  beginnings all = {0};
  bool ok = true, same = true;
  if (!py_is_poison(stage->default_value) || has_case_everywhere(stage)) return true;
  PM_FOR_OPS(op, pm_region_at(func, stage_func_cases)) {
    if (!pm_is(op, &stage_update)) continue;
    PM_VEC_PUSH(all, ((beginning){op, neutral_of(l, op), NULL}));
    same = same && all.data[all.len - 1].number == all.data[0].number;
  }
  if (!same) ok = begin_apart(l, stage, func, &all);
  if (all.len > 0 && !is_zero(all.data[0].number)) pm_set_attr(func, stage_func_default, all.data[0].number);
  PM_VEC_FREE(all);
  return ok;
}

/* --- one step of a TStencil --- */

/* Where the read goes, by its boundary modes too; without the names of tuples. */
static isl_map *relation_of_step_read(pm_op *read, isl_set *whole) {
  bool affine;
  stage_boundary boundary;
  pm_op *before =
      pm_lookup_symbol(pm_parent_of(read, &stage_func)->region, pm_sym_at(read, stage_read_stage));
  isl_map *relation = stage_read_relation(read, &affine);
  relation = isl_map_reset_tuple_id(isl_map_reset_tuple_id(relation, isl_dim_in), isl_dim_out);
  if (!stage_boundary_of_read(read, before, &boundary)) return relation;
  return stage_boundary_relation(relation, &boundary, whole);
}

/* The part of the set where all that the case reads of the step before is among `whole`. */
static isl_set *applicable(pm_op *branch, const dsl_symbol *before, pm_attr set, pm_attr whole) {
  isl_set *result = isl_set_copy(isl_peek_set(set));
  isl_set *inside = isl_set_reset_tuple_id(isl_set_copy(isl_peek_set(whole)));
  PM_FOR_OPS(op, pm_region_at(branch, stage_case_body)) {
    if (!pm_is(op, &stage_read) || pm_sym_at(op, stage_read_stage) != before->name) continue;
    isl_map *wrong = linear_subtract_range(relation_of_step_read(op, inside), isl_set_copy(inside));
    isl_set *from = isl_map_domain(wrong);
    if (isl_set_plain_is_empty(from) == isl_bool_true)
      isl_set_free(from);
    else
      result = isl_set_subtract(result, from);
  }
  isl_set_free(inside);
  return result;
}

/* An error of the condition is reported for the last step only, since all have it. NULL after it. */
static pm_op *lower_step_case(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr within, pm_attr whole,
                              const dsl_case *branch, isl_set **rest) {
  pm_attr set;
  pm_op *op = lower_case(l, func, within, branch, &set);
  if (!op) return NULL;
  if (!set && step->is_last_step)
    pm_error(l->ctx, branch->loc, "the condition of a TStencil is not affine, it should be");
  if (!set) return NULL;
  isl_set *here = isl_set_coalesce(applicable(op, step->time_before, set, whole));
  *rest = isl_set_subtract(*rest, isl_set_copy(here));
  pm_set_attr(op, stage_case_set, isl_attr_of_set(l->ctx, here));
  return op;
}

/* The cases of a step in their order; those of the last one exclude each other. */
static bool lower_step_cases(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr within, pm_attr whole,
                             isl_set **rest) {
  pm_attr *sets = pm_xcalloc(step->cases.len + 1, sizeof(*sets));
  pm_op **ops = pm_xcalloc(step->cases.len + 1, sizeof(pm_op *));
  bool ok = true;
  for (size_t i = 0; i < step->cases.len && ok; i++) {
    ops[i] = lower_step_case(l, step, func, within, whole, step->cases.data[i], rest);
    ok = ops[i] != NULL;
    if (ok) sets[i] = pm_attr_at(ops[i], stage_case_set);
  }
  if (ok && step->is_last_step) ok = check_overlaps(l, step, ops, sets);
  free(sets);
  free(ops);
  return ok;
}

static pm_affine_map identity(pm_context *ctx, unsigned n_dims) {
  pm_affine_expr exprs[KIT_MAX_DIMS];
  for (unsigned d = 0; d < n_dims; d++) exprs[d] = pm_affine_dim(ctx, d);
  return pm_get_affine_map(ctx, n_dims, 0, exprs, n_dims);
}

/* Where the definition says nothing, the value before stays. */
static void lower_ghosts(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr set) {
  const dsl_symbol *before = step->time_before;
  pm_op *op = stage_build_case(func, step->loc, set);
  pm_builder outside = enter_body(l, op);
  pm_type type = pm_get_scalar(l->ctx, before->type);
  pm_value *read = stage_build_read(&l->builder, before->name, type, identity(l->ctx, step->n_dims),
                                    l->case_body->args, NULL);
  pm_value *value = lower_in_range(l, before, read);
  value = arith_build_cast(&l->builder, value, pm_get_scalar(l->ctx, step->type));
  yield(l, step->loc, &value, 1);
  l->builder = outside;
}

static bool lower_step(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr own, pm_attr whole) {
  isl_set *both = isl_set_intersect(isl_set_copy(isl_peek_set(own)), isl_set_copy(isl_peek_set(whole)));
  isl_set *rest = step->is_last_step ? isl_set_copy(both) : isl_set_copy(isl_peek_set(whole));
  pm_attr within = isl_attr_of_set(l->ctx, isl_set_remove_redundancies(both));
  bool ok = lower_step_cases(l, step, func, within, whole, &rest);
  rest = isl_set_coalesce(rest);
  if (ok && !isl_set_is_empty(rest))
    lower_ghosts(l, step, func, isl_attr_of_set(l->ctx, rest));
  else
    isl_set_free(rest);
  return ok;
}

/* --- stages --- */

/* NULL when the program gives none. */
static pm_attr given_default(const dsl_symbol *stage, pm_type type) {
  py_value v = stage->default_value;
  PM_VEC(pm_attr) items = {0};
  if (py_is_poison(v)) return NULL;
  if (!stage->n_elems) return lower_number(v, type);
  for (unsigned i = 0; i < stage->n_elems; i++)
    PM_VEC_PUSH(items, lower_number(v.seq->items[i], pm_tuple_at(type, i)));
  pm_attr all = pm_get_array(type->ctx, items.data, items.len);
  PM_VEC_FREE(items);
  return all;
}

static bool lower_stage(lowering *l, const dsl_symbol *stage) {
  l->stage = stage;
  pm_type type = lower_type(l, stage);
  pm_attr own = lower_domain(l, stage->loc, &stage->domain), domain = own, whole = NULL;
  if (own && stage->time_input) {
    whole = lower_shape(l, stage->time_input);
    if (!stage->is_last_step) domain = whole;
  }
  if (!domain || !lower_check_points(l, stage->loc, &stage->domain, own)) return false;
  l->builder.loc = stage->loc;
  pm_op *func = stage_build_func(&l->builder, stage->name, type, domain, given_default(stage, type));
  if (whole) return lower_step(l, stage, func, own, whole);
  return lower_cases(l, stage, func, domain) && lower_updates(l, stage, func) &&
         set_neutral_default(l, stage, func);
}

static void lower_stages(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind == DSL_FUNCTION && s->needed) l->failed |= !lower_stage(l, s);
  }
}

static void lower_outputs(lowering *l, const dsl_symbols *live_outs) {
  for (size_t i = 0; i < live_outs->len; i++) {
    l->builder.loc = live_outs->data[i]->loc;
    stage_build_output(&l->builder, live_outs->data[i]->name);
  }
}

static void lower_all(lowering *l, pm_loc loc, const dsl_symbols *live_outs) {
  const char *wanted = l->options->pipeline_name;
  pm_builder top = pm_builder_at_end(l->module, pm_module_body(l->module), loc);
  lower_context(l);
  pm_string name = wanted ? kit_identifier(l->ctx, wanted) : live_outs->data[0]->name;
  const char *why = wanted ? kit_why_renamed(wanted) : NULL;
  if (why)
    pm_warning(l->ctx, (pm_loc){.file = loc.file}, "the function is named %pS: '%s' %s", (const void *)name,
               wanted, why);
  pm_op *pipeline = stage_build_pipeline(&top, name, l->kit.context, l->options->fp);
  l->builder = pm_builder_at_end(l->module, pm_region_at(pipeline, stage_pipeline_body), loc);
  lower_params(l);
  if (!l->failed) lower_inputs(l);
  lower_stages(l);
  lower_outputs(l, live_outs);
  if (!l->failed) kit_narrow_boundaries(&l->kit, pipeline);
  l->failed = l->failed || !pm_verify_module(l->module) || !lower_choices(l, pipeline);
  if (!l->failed) kit_narrow_reads(&l->kit, pipeline);
}

pm_module *lower_program(dsl_program *program, const polymage_options *options, pm_loc loc,
                         const dsl_symbols *live_outs) {
  lowering l = {.ctx = program->ctx, .program = program, .options = options};
  l.bounds = (lower_view){&l, false};
  l.body = (lower_view){&l, true};
  l.module = pm_module_new(l.ctx, loc);
  l.params = pm_map_new();
  l.cases = pm_map_new();
  kit_init(&l.kit, l.ctx);
  lower_all(&l, loc, live_outs);
  pm_map_free(l.params);
  pm_map_free(l.cases);
  kit_free(&l.kit);
  if (!l.failed) return l.module;
  pm_module_free(l.module);
  return NULL;
}
