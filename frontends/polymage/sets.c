/* Domains and conditions, as the kit sees them. */
#include "frontends/polymage/lower.h"

static bool is_float_param(const dsl_symbol *s) {
  return s->type == PM_F32 || s->type == PM_F64;
}

static kit_node other(const dsl_expr *e, const char *why) {
  return (kit_node){.kind = KIT_OTHER, .loc = e->loc, .why = why};
}

static kit_node other_named(const lower_view *view, const dsl_expr *e, const char *before, pm_string name,
                            const char *behind) {
  pm_buf why = {0};
  pm_buf_printf(&why, "%s %s%s", before, name->text, behind);
  kit_node node = other(e, pm_arena_strndup(view->l->program->arena, why.data, why.len));
  pm_buf_free(&why);
  return node;
}

static kit_node name(const dsl_expr *e, pm_string text) {
  return (kit_node){.kind = KIT_NAME, .loc = e->loc, .name = text->text};
}

static kit_node show_symbol(const lower_view *view, const dsl_expr *e) {
  const dsl_symbol *s = e->symbol;
  if (s->kind == DSL_PARAMETER && is_float_param(s))
    return other_named(view, e, "the parameter", s->name, ", which is no integer");
  if (s->kind == DSL_PARAMETER) return name(e, s->name);
  if (!view->has_variables) return other_named(view, e, "the variable", s->name, "");
  const dsl_domain *domain = view->l->domain;
  for (unsigned d = 0; d < domain->n_dims; d++)
    if (domain->variables[d] == s) return name(e, view->l->dims.names[d]);
  return other_named(view, e, "the variable", s->name, " of another stage");
}

/* A shift by a known amount and a mask of the lowest bits are affine. */
static kit_node show_bits(const dsl_expr *e) {
  if (!e->power) return other(e, "an operation on bits");
  kit_kind kind = e->op == DSL_SHL ? KIT_MUL : e->op == DSL_SHR ? KIT_DIV : KIT_MOD;
  return (kit_node){.kind = kind, .loc = e->loc, .args = {e->args[0], e->power}};
}

static kit_node show(const void *user, const void *expr) {
  static const kit_kind kinds[] = {
      [DSL_ADD] = KIT_ADD, [DSL_SUB] = KIT_SUB,       [DSL_NEG] = KIT_NEG, [DSL_MUL] = KIT_MUL,
      [DSL_DIV] = KIT_DIV, [DSL_FLOOR_DIV] = KIT_DIV, [DSL_MOD] = KIT_MOD, [DSL_EQ] = KIT_EQ,
      [DSL_NE] = KIT_NE,   [DSL_LT] = KIT_LT,         [DSL_LE] = KIT_LE,   [DSL_GT] = KIT_GT,
      [DSL_GE] = KIT_GE,   [DSL_AND] = KIT_AND,       [DSL_OR] = KIT_OR};
  const dsl_expr *e = expr;
  if (e->op == DSL_INT) return (kit_node){.kind = KIT_INT, .loc = e->loc, .value = e->i};
  if (e->op == DSL_SYMBOL) return show_symbol(user, e);
  if (e->op == DSL_REAL) return other(e, "a number that is not an integer");
  if (e->op == DSL_READ) return other_named(user, e, "a value of", e->symbol->name, "");
  if (e->op == DSL_ELEMENT) return other(e, "a value of a stage");
  if (e->op >= DSL_BIT_AND && e->op <= DSL_SHR) return show_bits(e);
  if (!kinds[e->op]) return other(e, "a function of values");
  return (kit_node){
      .kind = kinds[e->op], .loc = e->loc, .args = {e->args[0], e->n_args > 1 ? e->args[1] : NULL}};
}

kit_exprs lower_bounds(const lowering *l) {
  return (kit_exprs){show, &l->bounds};
}

kit_exprs lower_body(const lowering *l) {
  return (kit_exprs){show, &l->body};
}

/* --- domains --- */

/* 0 <= dim < extent for each dimension; false after a diagnostic. */
static bool put_extents(lowering *l, pm_buf *text, const kit_dims *dims, const dsl_symbol *image) {
  kit_exprs bounds = lower_bounds(l);
  for (unsigned d = 0; d < image->n_dims; d++) {
    if (d > 0) pm_buf_puts(text, " and ");
    if (!kit_put_extent(&l->kit, text, dims->names[d], &bounds, image->extents[d])) return false;
  }
  return true;
}

static bool put_intervals(lowering *l, pm_buf *text, const kit_dims *dims, const dsl_domain *domain) {
  kit_exprs bounds = lower_bounds(l);
  for (unsigned d = 0; d < domain->n_dims; d++) {
    const dsl_interval *i = domain->intervals[d];
    if (d > 0) pm_buf_puts(text, " and ");
    if (!kit_put_interval(&l->kit, text, dims->names[d], &bounds, i->lower, i->upper, i->step)) return false;
  }
  return true;
}

pm_attr lower_image_domain(lowering *l, const dsl_symbol *image) {
  pm_buf text = {0};
  kit_dims dims = kit_array_dims(&l->kit, image->n_dims);
  kit_begin_set(&l->kit, &text, &dims);
  bool ok = put_extents(l, &text, &dims, image);
  return kit_end_set(&l->kit, image->loc, &text, ok);
}

pm_attr lower_domain(lowering *l, pm_loc loc, const dsl_domain *domain) {
  pm_string names[KIT_MAX_DIMS];
  pm_buf text = {0};
  for (unsigned d = 0; d < domain->n_dims; d++) names[d] = domain->variables[d]->name;
  l->domain = domain;
  l->dims = kit_name_dims(&l->kit, names, domain->n_dims);
  kit_begin_set(&l->kit, &text, &l->dims);
  bool ok = put_intervals(l, &text, &l->dims, domain);
  return kit_end_set(&l->kit, loc, &text, ok);
}

bool lower_check_points(lowering *l, pm_loc loc, const dsl_domain *domain, pm_attr set) {
  kit_points points = kit_find_points(&l->kit, set);
  kit_exprs bounds = lower_bounds(l);
  unsigned errors = pm_error_count(l->ctx);
  for (unsigned d = 0; d < domain->n_dims && points != KIT_POINTS; d++) {
    const dsl_interval *i = domain->intervals[d];
    kit_check_interval(&l->kit, i->loc, domain->variables[d]->name, &bounds, i->lower, i->upper);
  }
  if (points != KIT_NO_POINTS) return true;
  if (pm_error_count(l->ctx) == errors)
    pm_error(l->ctx, loc, "the domain %pA has no points for any sizes, it should have some",
             (const void *)set);
  return false;
}

pm_attr lower_shape(lowering *l, const dsl_symbol *shape) {
  pm_buf text = {0};
  kit_dims dims = l->dims;
  dims.n = shape->n_dims;
  kit_begin_set(&l->kit, &text, &dims);
  bool ok = shape->kind == DSL_IMAGE ? put_extents(l, &text, &dims, shape)
                                     : put_intervals(l, &text, &dims, &shape->domain);
  return kit_end_set(&l->kit, shape->loc, &text, ok);
}

/* --- context: the extents of images, and what the program asserts --- */

static void lower_params(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind == DSL_PARAMETER) kit_add_param(&l->kit, s->name, pm_get_scalar(l->ctx, s->type));
  }
}

/* Where an empty context is reported: at the last constraint, else at the first image. */
static pm_loc last_constraint(const dsl_program *program) {
  return program->constraints.len > 0 ? PM_VEC_LAST(program->constraints)->loc : PM_NO_LOC;
}

void lower_context(lowering *l) {
  kit_exprs bounds = lower_bounds(l);
  pm_loc loc = last_constraint(l->program);
  lower_params(l);
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (!dsl_is_input(s)) continue;
    loc = loc.line ? loc : s->loc;
    for (unsigned d = 0; d < s->n_dims; d++)
      l->failed |= !kit_require_extent(&l->kit, &bounds, s->extents[d], "the extent of an image");
  }
  for (size_t i = 0; i < l->program->constraints.len; i++)
    l->failed |= !kit_require(&l->kit, &bounds, l->program->constraints.data[i], "the constraint");
  l->failed = l->failed || !kit_end_context(&l->kit, loc);
}
