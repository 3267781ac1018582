/* Copies of Funcs become stages once the program has its own, with domains: the copy has the points of the
 * Func, and infer-domains leaves those that its readers need.
 *
 *   f.clone_in(g)    stage.func @f_clone_in_g is a copy of @f      stage.func @g … stage.read @f_clone_in_g
 *   f.in(g)          stage.func @f_in_g { stage.case { stage.read @f[%x, %y] } }
 */
#include "frontends/halide/lower/placing.h"

#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"

#include <stdlib.h>
#include <string.h>

/* --- those that are computed again --- */

bool h_computes_again(const h_program *p, const h_symbol *s, const h_symbol *reader) {
  for (uint32_t i = 0; i < p->copies.len; i++) {
    const struct h_copy *copy = p->copies.data[i]->copy;
    if (copy->of == s && copy->is_again && h_has_reader(copy, reader)) return true;
  }
  return false;
}

typedef struct read_list {
  pm_string stage;
  PM_VEC(pm_op *) reads;
} read_list;

static pm_walk list_read(void *user, pm_op *op) {
  read_list *list = user;
  if (pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == list->stage) PM_VEC_PUSH(list->reads, op);
  return PM_WALK_ON;
}

static pm_op *func_of(const h_placing *l, const h_symbol *s) {
  return s->needed ? pm_map_get(l->funcs, h_stage_of(s)) : NULL;
}

/* The caller frees them. */
static read_list reads_by(const h_placing *l, const h_symbol *reader, const h_symbol *of) {
  read_list list = {.stage = h_stage_of(of)};
  pm_op *func = func_of(l, reader);
  if (func) pm_walk_pre(func, list_read, &list);
  return list;
}

static bool reads_in_cases(const h_placing *l, const h_symbol *reader, const h_symbol *of) {
  read_list list = reads_by(l, reader, of);
  bool all = true;
  for (size_t i = 0; i < list.reads.len; i++)
    all = all && pm_is(stage_body_of(list.reads.data[i]), &stage_case);
  PM_VEC_FREE(list.reads);
  return all;
}

static bool reads_directly(const h_placing *l, const h_symbol *reader, const h_symbol *of) {
  read_list list = reads_by(l, reader, of);
  bool any = list.reads.len > 0;
  PM_VEC_FREE(list.reads);
  return any;
}

/* Also behind Funcs that may be inlined. */
static bool reads_somehow(const h_placing *l, const h_symbol *reader, const h_symbol *of, pm_map *seen) {
  const h_program *p = l->program;
  if (pm_map_has(seen, of)) return false;
  pm_map_set(seen, of, (void *)of);
  for (uint32_t i = 0; i < p->funcs.len; i++) {
    const h_symbol *s = p->funcs.data[i];
    if (s == of || !s->needed || !reads_directly(l, s, of)) continue;
    if (s == reader || (h_may_be_inlined(s) && reads_somehow(l, reader, s, seen))) return true;
  }
  return false;
}

/* In a schedule of stages, what is computed tile by tile for others and inlined in readers elsewhere, in
 * their cases, becomes a part of them once all else is decided, as the pass group does it by itself:
 * domains and cases are those of the stage. Elsewhere it is a copy, which is inlined before. */
static bool is_again(const h_placing *l, const h_symbol *s) {
  const struct h_copy *copy = s->copy;
  bool again = l->program->is_schedule && copy->is_clone && h_compute_level(s)->kind == H_INLINE &&
               h_func_around(copy->of) && copy->of->updates.len == 0;
  for (uint32_t i = 0; i < copy->readers.len && again; i++) {
    pm_map *seen = pm_map_new();
    again = reads_somehow(l, copy->readers.data[i], copy->of, seen) &&
            reads_in_cases(l, copy->readers.data[i], copy->of);
    pm_map_free(seen);
  }
  return again;
}

/* --- stages --- */

static bool is_name_taken(const h_placing *l, pm_string name) {
  PM_FOR_OPS(op, pm_region_at(l->pipeline, stage_pipeline_body)) {
    pm_attr sym = pm_attr_named(op, "sym");
    if (sym && sym->s == name) return true;
  }
  return false;
}

static void set_name(const h_placing *l, h_symbol *s) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%s", h_stage_of(s->copy->of)->text, h_word_of(s->copy));
  if (s->copy->readers.len > 0) pm_buf_printf(&text, "_%s", s->copy->readers.data[0]->name->text);
  size_t len = text.len;
  s->name = pm_get_string(l->ctx, (pm_str){text.data, text.len});
  for (unsigned i = 1; is_name_taken(l, s->name); i++) {
    text.len = len;
    pm_buf_printf(&text, "_%u", i);
    s->name = pm_get_string(l->ctx, (pm_str){text.data, text.len});
  }
  pm_buf_free(&text);
}

/* The values of the array, at each point. */
static pm_op *build_between(const pm_op *of, pm_string name, pm_loc loc) {
  pm_context *ctx = pm_module_context(pm_module_of(of));
  pm_builder b = pm_builder_at_end(pm_module_of(of), of->region, loc);
  pm_attr domain = stage_domain_of(of);
  pm_type type = stage_type_of(of);
  pm_op *func = stage_build_func(&b, name, type, domain, NULL);
  pm_op *branch = stage_build_case(func, loc, domain);
  unsigned n = (unsigned)isl_set_dim(isl_peek_set(domain), isl_dim_set);
  pm_string names[HX_MAX_DIMS];
  pm_affine_expr exprs[HX_MAX_DIMS];
  for (unsigned d = 0; d < n; d++) {
    const char *dim = isl_set_get_dim_name(isl_peek_set(domain), isl_dim_set, d);
    names[d] = pm_get_cstring(ctx, dim ? dim : "i");
    exprs[d] = pm_affine_dim(ctx, d);
  }
  pm_region *body = stage_begin_body(branch, names, n);
  b = pm_builder_at_end(pm_module_of(of), body, loc);
  pm_value *v =
      stage_build_read(&b, stage_name_of(of), type, pm_get_affine_map(ctx, n, 0, exprs, n), body->args, NULL);
  pm_value *values[HX_MAX_ELEMENTS];
  for (unsigned i = 0; i < pm_tuple_len(type); i++) values[i] = pm_res(pm_def(v), i);
  stage_build_yield(&b, values, pm_tuple_len(type));
  return func;
}

static pm_op *build_clone(pm_op *of, pm_string name) {
  pm_op *func = pm_clone(pm_module_of(of), of, NULL);
  read_list own = {.stage = stage_name_of(of)};
  pm_insert(of->region, NULL, func);
  pm_set_attr(func, stage_func_sym, pm_get_symbol(pm_module_context(pm_module_of(of)), name));
  pm_walk_pre(func, list_read, &own);
  for (size_t i = 0; i < own.reads.len; i++)
    pm_set_attr(own.reads.data[i], stage_read_stage,
                pm_get_symbol(pm_module_context(pm_module_of(of)), name));
  PM_VEC_FREE(own.reads);
  return func;
}

static pm_op *array_of(const h_placing *l, const h_symbol *s) {
  PM_FOR_OPS(op, pm_region_at(l->pipeline, stage_pipeline_body))
  if (stage_is_array(op) && stage_name_of(op) == h_stage_of(s)) return op;
  return NULL;
}

/* Copies of the same Func read that Func itself. */
static bool is_reader(const h_symbol *s, const h_symbol *reader) {
  const struct h_copy *copy = s->copy;
  if (reader == s || reader == copy->of || !reader->needed) return false;
  if (copy->readers.len > 0) return h_has_reader(copy, reader);
  return !reader->copy || reader->copy->of != copy->of;
}

static size_t redirect(const h_placing *l, const h_symbol *s, const h_symbol *reader) {
  read_list list = reads_by(l, reader, s->copy->of);
  size_t n = list.reads.len;
  for (size_t i = 0; i < n; i++)
    pm_set_attr(list.reads.data[i], stage_read_stage, pm_get_symbol(l->ctx, s->name));
  PM_VEC_FREE(list.reads);
  return n;
}

static bool is_read(const h_placing *l, const h_symbol *s) {
  const h_program *p = l->program;
  for (uint32_t i = 0; i < p->funcs.len; i++)
    if (is_reader(s, p->funcs.data[i]) && reads_directly(l, p->funcs.data[i], s->copy->of)) return true;
  return false;
}

static bool check_reads(const h_placing *l, const h_symbol *s) {
  const struct h_copy *copy = s->copy;
  for (uint32_t i = 0; i < copy->readers.len; i++) {
    const h_symbol *reader = copy->readers.data[i];
    if (!reader->needed || reads_directly(l, reader, copy->of)) continue;
    return pm_error(l->ctx, copy->loc, "%s does not read %s, so it cannot read a copy in its place",
                    reader->name->text, copy->of->name->text);
  }
  return true;
}

static bool place_copy(h_placing *l, h_symbol *s) {
  struct h_copy *copy = s->copy;
  pm_op *of = array_of(l, copy->of);
  if (!of || !copy->of->needed) return true;
  copy->is_again = is_again(l, s);
  if (copy->is_again) return true;
  if (!check_reads(l, s)) return false;
  if (!is_read(l, s)) return true;
  set_name(l, s);
  for (uint32_t i = 0; i < l->program->funcs.len; i++)
    if (is_reader(s, l->program->funcs.data[i])) redirect(l, s, l->program->funcs.data[i]);
  pm_map_set(l->funcs, s->name,
             copy->is_clone ? build_clone(of, s->name) : build_between(of, s->name, copy->loc));
  s->needed = true;
  return true;
}

/* Those for some readers first: the others have what is left. */
bool h_place_copies(h_placing *l) {
  const h_program *p = l->program;
  bool ok = true;
  for (int all = 0; all <= 1; all++)
    for (uint32_t i = 0; i < p->copies.len; i++)
      if ((p->copies.data[i]->copy->readers.len == 0) == all) ok &= place_copy(l, p->copies.data[i]);
  return ok;
}
