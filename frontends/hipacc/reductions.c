/* Reductions of an image to a value, and to bins. */
#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/stage.h"
#include "frontends/hipacc/hipacc.h"

#include <string.h>

/* What is reduced to: the stage, of no dimension or one, and its elements. */
typedef struct reduction {
  const cx_call *call;
  const hp_kernel *kernel;
  pm_scalar type;
  unsigned lanes;
  int64_t n; /* bins; 0: one value */
  pm_string stage;
  pm_op *func;
  pm_type types[PX_LANES], whole;
  hp_run run;
} reduction;

static pm_attr set_of(const reduction *r, const char *text) {
  return hp_set(hp_state_of(r->call->in), text);
}

static void begin_reduction(reduction *r) {
  cx_interp *in = r->call->in;
  hp_state *s = hp_state_of(in);
  pm_buf text = {0};
  for (unsigned i = 0; i < r->lanes; i++) r->types[i] = pm_get_scalar(s->ctx, r->type);
  r->whole = r->lanes > 1 ? pm_get_tuple(r->types, (uint16_t)r->lanes) : r->types[0];
  if (r->n)
    pm_buf_printf(&text, "{ [i] : 0 <= i < %lld }", (long long)r->n);
  else
    pm_buf_puts(&text, "{ [] }");
  pm_attr domain = set_of(r, text.data);
  pm_buf_free(&text);
  r->stage = hp_new_stage(in, in->declared ? in->declared : pm_get_cstring(s->ctx, "reduced"));
  s->b.loc = r->call->loc;
  r->func = stage_build_func(&s->b, r->stage, r->whole, domain, NULL);
  s->stages.data[s->stages.len - 1].op = r->func;
  r->run = (hp_run){.space = r->kernel->space};
}

/* The body of a case, or of an update over pixels. */
static void begin_body(reduction *r, pm_op *part, bool of_pixels) {
  hp_state *s = hp_state_of(r->call->in);
  pm_string pixel[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x")},
            bin[] = {pm_get_cstring(s->ctx, "i")};
  pm_region *body = stage_begin_body(part, of_pixels ? pixel : bin, of_pixels ? 2 : r->n ? 1 : 0);
  r->run.body.b = pm_builder_at_end(s->module, body, r->call->loc);
  if (of_pixels) r->run.body.y = body->args[0], r->run.body.x = body->args[1];
  hp_set_run(s, &r->run);
}

static cv lane(cv v, unsigned i) {
  return v.kind == PX_VECTOR ? v.list->items.data[i]->value : v;
}

/* The lanes of a pixel or of what reduce() gives; false after a diagnostic. */
static bool values_of(const reduction *r, cv v, pm_value **out) {
  cx_interp *in = r->call->in;
  bool fits = r->lanes == 1 || (v.kind == PX_VECTOR && px_type_of(v) == r->type);
  if (v.kind != CV_POISON && !fits)
    cx_fail(in, r->call->loc, "this is %s, a vector of the reduction's type should be here",
            cv_describe(in, v));
  for (unsigned i = 0; i < r->lanes; i++)
    if (!fits || !(out[i] = px_value_of(in, r->call->loc, lane(v, i), r->type))) return false;
  return true;
}

/* Cells begin with zeros, or with `first`. */
static bool build_first(reduction *r, cv first) {
  pm_value *values[PX_LANES];
  cx_interp *in = r->call->in;
  for (unsigned i = 0; first.kind == CV_VOID && i < r->lanes; i++)
    values[i] = px_value_of(in, r->call->loc, cv_int(PM_I32, 0), r->type);
  if (first.kind != CV_VOID && !values_of(r, first, values)) return false;
  stage_build_yield(&r->run.body.b, values, r->lanes);
  return true;
}

/* The cell as it is: at bin `i`, which may be NULL. */
static cv read_cell(const reduction *r, pm_value *i) {
  cx_interp *in = r->call->in;
  cv lanes[PX_LANES];
  pm_affine_expr at = pm_affine_dim(in->ctx, 0);
  pm_affine_map map = pm_get_affine_map(in->ctx, i ? 1 : 0, 0, &at, i ? 1 : 0);
  pm_value *first = stage_build_read((pm_builder *)&r->run.body.b, r->stage, r->whole, map, &i, NULL);
  for (unsigned k = 0; k < r->lanes; k++) lanes[k] = px_number_of(in, r->type, pm_res(pm_def(first), k));
  return r->lanes > 1 ? px_vector(in, r->type, lanes) : lanes[0];
}

/* --- reduce() --- */

static bool are_operands(const pm_op *op, const pm_value *a, const pm_value *b) {
  return (pm_arg(op, 0) == a && pm_arg(op, 1) == b) || (pm_arg(op, 0) == b && pm_arg(op, 1) == a);
}

/* The word of a stage.combine for what reduce() does with the cell and the value; NULL: it does something
 * else. */
static const char *word_of(const pm_value *result, const pm_value *cell, const pm_value *value) {
  static const struct {
    const pm_op_desc *op;
    const char *word;
  } words[] = {{&arith_addi, "sum"}, {&arith_addf, "sum"}, {&arith_muli, "product"}, {&arith_mulf, "product"},
               {&arith_mini, "min"}, {&arith_maxi, "max"}, {&arith_minf, "min"},     {&arith_maxf, "max"}};
  const pm_op *op = pm_is_arg(result) ? NULL : pm_def((pm_value *)result);
  for (size_t i = 0; op && i < PM_COUNT(words); i++)
    if (pm_is(op, words[i].op) && are_operands(op, cell, value)) return words[i].word;
  if (!op || !pm_is(op, &arith_select) || pm_is_arg(pm_arg(op, 0))) return NULL;
  const pm_op *cmp = pm_def(pm_arg(op, 0));
  if (!pm_is(cmp, &arith_cmp) || !are_operands(cmp, cell, value)) return NULL;
  arith_pred pred = arith_cmp_pred(cmp);
  bool greater = pred == ARITH_GT || pred == ARITH_GE, less = pred == ARITH_LT || pred == ARITH_LE;
  bool takes_left = pm_arg(op, 1) == pm_arg(cmp, 0) && pm_arg(op, 2) == pm_arg(cmp, 1);
  bool takes_right = pm_arg(op, 1) == pm_arg(cmp, 1) && pm_arg(op, 2) == pm_arg(cmp, 0);
  if ((!greater && !less) || (!takes_left && !takes_right)) return NULL;
  return greater == takes_left ? "max" : "min";
}

/* Combines the value into the cell: as a reduction that is known, in any order, else pixel by pixel. `known`
 * is only asked for where the cell need not be read. */
static bool combine_with(reduction *r, cv value, pm_value *i) {
  cx_interp *in = r->call->in;
  pm_value *args[PX_LANES + 1], *values[PX_LANES];
  cv self = {.kind = CV_OBJECT, .object = r->kernel->object}, result;
  if (!values_of(r, value, values)) return false;
  for (unsigned k = 0; k < r->lanes; k++)
    if (r->lanes == 1) value = px_number_of(in, r->type, values[k]);
  cv cell = read_cell(r, i);
  pm_op *read = r->run.body.b.region->last, *before = pm_prev(read);
  cv both[] = {cell, value};
  cx_arguments a = cx_values_as_arguments(in, r->call->loc, both, 2);
  if (!cx_call_own(in, r->call->loc, self, "reduce", &a, &result))
    return cx_fail(in, r->call->loc, "the kernel has no method 'reduce' of two values"), false;
  if (!values_of(r, result, args)) return false;
  const char *word = r->lanes == 1 ? word_of(args[0], pm_res(read, 0), values[0]) : NULL;
  while (word && r->run.body.b.region->last != before) pm_op_erase(r->run.body.b.region->last);
  for (unsigned k = 0; word && k < r->lanes; k++) args[k] = values[k];
  args[r->lanes] = i;
  pm_affine_expr at = pm_affine_dim(in->ctx, 0);
  pm_affine_map map = pm_get_affine_map(in->ctx, i ? 1 : 0, 0, &at, i ? 1 : 0);
  pm_op *combine =
      stage_build_combine(&r->run.body.b, word ? word : "assign", map, args, r->lanes + (i != NULL));
  pm_attr assign[PX_LANES];
  for (unsigned k = 0; k < r->lanes; k++) assign[k] = pm_get_string_attr(in->ctx, pm_str_of("assign"));
  if (r->lanes > 1) pm_set_attr(combine, stage_combine_kind, pm_get_array(in->ctx, assign, r->lanes));
  if (word) pm_set_attr(combine, stage_combine_associative, pm_get_unit(in->ctx));
  return true;
}

/* --- one value --- */

static cv pixel_of_space(const reduction *r) {
  return hp_own_pixel(r->call->in, r->call->loc, r->kernel->space);
}

/* Begins with the first pixel; the others follow, row by row. */
static bool reduce_all(reduction *r) {
  const hp_state *state = hp_state_of(r->call->in);
  hp_rect s = r->kernel->space->region;
  pm_buf text = {0};
  begin_body(r, stage_build_case(r->func, r->call->loc, set_of(r, "{ [] }")), false);
  cv first = hp_pixel(r->call->in, r->call->loc, r->kernel->space->image, s.x, s.y);
  if (!build_first(r, first)) return false;
  pm_buf_printf(&text, " and (y > %s or x > %s)", hp_text(state, s.y), hp_text(state, s.x));
  begin_body(r, stage_build_update(r->func, r->call->loc, hp_box(state, s, "", text.data)), true);
  pm_buf_free(&text);
  return combine_with(r, pixel_of_space(r), NULL);
}

/* Makes the reduction's stage; its values are those of kernel(), which runs first if it never did. */
static bool begin(const cx_call *c, reduction *r, int64_t n) {
  hp_kernel *k = c->self.own;
  *r = (reduction){.call = c, .kernel = k, .type = k->bin_type, .lanes = k->bin_lanes, .n = n};
  if (hp_state_of(c->in)->run)
    return cx_fail(c->in, c->loc, "this is for host code, here is a kernel"), false;
  if (!hp_is_reached(c->in, c->loc)) return false;
  if (!k->has_run && hp_execute(c).kind == CV_POISON) return false;
  if (!n) r->type = k->space->image->type, r->lanes = k->space->image->lanes;
  begin_reduction(r);
  return true;
}

/* The value, of host code. */
static cv read_result(cx_interp *in, const reduction *r) {
  px_body *body = hp_state_of(in)->px.body;
  pm_affine_map map = pm_get_affine_map(in->ctx, 0, 0, NULL, 0);
  cv lanes[PX_LANES];
  body->b.loc = r->call->loc;
  pm_value *first = stage_build_read(&body->b, r->stage, r->whole, map, NULL, NULL);
  for (unsigned k = 0; k < r->lanes; k++) lanes[k] = px_number_of(in, r->type, pm_res(pm_def(first), k));
  return r->lanes > 1 ? px_vector(in, r->type, lanes) : lanes[0];
}

static cv end(reduction *r, bool ok) {
  cx_interp *in = r->call->in;
  hp_state *s = hp_state_of(in);
  hp_memory memory = {.bins = r->stage, .type = r->type, .lanes = r->lanes, .n = r->n};
  hp_end_run(s, NULL);
  if (!ok) return cv_poison;
  hp_memory *made = pm_arena_memdup(in->arena, &memory, sizeof memory);
  CX_PUSH(in->arena, s->reduced, made);
  return r->n ? (cv){.kind = HP_MEMORY, .own = made} : read_result(in, r);
}

cv hp_reduced_data(const cx_call *c) {
  reduction r;
  if (!cx_takes(c, 0, 0) || !begin(c, &r, 0)) return cv_poison;
  return end(&r, reduce_all(&r));
}

/* --- bins --- */

/* bin(i) */
cv hp_bin(const cx_call *c) {
  hp_place place = {.is_bin = true};
  const hp_run *run = hp_state_of(c->in)->run;
  if (!cx_takes(c, 1, 1)) return cv_poison;
  if (!run || !run->n_bins) return cx_fail(c->in, c->loc, "bin() is for the method 'binning'");
  place.dx = px_convert(c->in, c->locs[0], PM_U32, c->args[0]);
  if (place.dx.kind == CV_POISON) return place.dx;
  return (cv){.kind = HP_PLACE, .own = pm_arena_memdup(c->in->arena, &place, sizeof place)};
}

cv hp_num_bins(const cx_call *c) {
  const hp_run *run = hp_state_of(c->in)->run;
  return run && run->n_bins ? cv_int(PM_U32, run->n_bins)
                            : cx_fail(c->in, c->loc, "num_bins() is for the method 'binning'");
}

void hp_assign_bin(cx_interp *in, pm_loc loc, const hp_place *place, cx_op op, cv right) {
  hp_run *run = hp_state_of(in)->run;
  if (op != CX_OP_NONE) cx_fail(in, loc, "a bin is given a value by '=' alone, reduce() adds it");
  CX_PUSH(in->arena, run->binned, ((hp_binned){in->path, place->dx, cx_copy(in, right)}));
}

/* What the pixel gives: an index, a value, and whether it gives any. */
static hp_binned all_binned(const reduction *r) {
  cx_interp *in = r->call->in;
  const hp_run *run = &r->run;
  hp_binned all = run->binned.data[0];
  for (uint32_t i = 1; i < run->binned.len; i++) {
    const hp_binned *b = &run->binned.data[i];
    all.index = cx_choose_value(in, r->call->loc, b->path, b->index, all.index);
    all.value = cx_choose_value(in, r->call->loc, b->path, b->value, all.value);
    all.path = cx_or(in, r->call->loc, all.path, b->path);
  }
  return all;
}

static bool bin_all(reduction *r) {
  cx_interp *in = r->call->in;
  cv self = {.kind = CV_OBJECT, .object = r->kernel->object}, result;
  pm_buf text = {0};
  pm_buf_printf(&text, "{ [i] : 0 <= i < %lld }", (long long)r->n);
  begin_body(r, stage_build_case(r->func, r->call->loc, set_of(r, text.data)), false);
  pm_buf_free(&text);
  if (!build_first(r, cv_void)) return false;
  pm_attr all = hp_box(hp_state_of(in), r->kernel->space->region, "", "");
  begin_body(r, stage_build_update(r->func, r->call->loc, all), true);
  r->run.n_bins = r->n;
  cv args[] = {px_convert(in, r->call->loc, PM_U32, hp_position_in(in, true)),
               px_convert(in, r->call->loc, PM_U32, hp_position_in(in, false)), pixel_of_space(r)};
  cx_arguments a = cx_values_as_arguments(in, r->call->loc, args, 3);
  if (!cx_call_own(in, r->call->loc, self, "binning", &a, &result))
    return cx_fail(in, r->call->loc, "the kernel has no method 'binning' of a position and a pixel"), false;
  if (result.kind == CV_POISON) return false;
  if (!r->run.binned.len)
    return cx_fail(in, r->call->loc, "the method 'binning' gives no bin a value"), false;
  hp_binned b = all_binned(r);
  pm_value *i = px_value_of(in, r->call->loc, b.index, PM_U32);
  pm_value *path = px_value_of(in, r->call->loc, b.path, PM_I1);
  if (!i || !path) return false;
  pm_value *n = arith_build_int(&r->run.body.b, i->type, r->n);
  pm_value *inside = arith_build_cmp(&r->run.body.b, ARITH_LT, i, n);
  stage_build_guard(&r->run.body.b, pm_build_binary(&r->run.body.b, &arith_andi, path, inside));
  i = pm_build_binary(&r->run.body.b, &arith_mini, i, arith_build_int(&r->run.body.b, i->type, r->n - 1));
  return combine_with(r, b.value, i);
}

cv hp_binned_data(const cx_call *c) {
  reduction r;
  int64_t n;
  if (!cx_takes(c, 1, 1) || !hp_to_int(c->in, c->locs[0], c->args[0], &n, "the number of bins"))
    return cv_poison;
  if (n < 1 || n > HP_MOST_PIXELS)
    return cx_fail(c->in, c->locs[0], "there are %lld bins, there should be 1 to 2^30", (long long)n);
  if (!begin(c, &r, n)) return cv_poison;
  return end(&r, bin_all(&r));
}

/* --- where they are used --- */

bool hp_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out) {
  bool is_null = (a.kind == HP_MEMORY && b.kind == CV_POINTER && !b.cell) ||
                 (b.kind == HP_MEMORY && a.kind == CV_POINTER && !a.cell);
  if (is_null && (op == CX_OP_EQ || op == CX_OP_NE)) return *out = cv_bool(op == CX_OP_NE), true;
  return px_binary(in, loc, op, a, b, out);
}

/* Element y * width + x. */
const hp_version *hp_bins_as_image(cx_interp *in, pm_loc loc, hp_memory *bins, const hp_image *image) {
  hp_state *s = hp_state_of(in);
  hp_version version = {.n_elements = bins->lanes};
  int64_t width, height;
  if (!hp_is_known(image->width, &width) || !hp_is_known(image->height, &height)) {
    cx_fail(in, loc, "the image has %s x %s pixels, one that bins are assigned to should have a known size",
            hp_text(s, image->width), hp_text(s, image->height));
    return NULL;
  }
  if (bins->n != width * height || bins->type != image->type || bins->lanes != image->lanes) {
    cx_fail(in, loc, "there are %lld bins, the image has %lld pixels, or another type", (long long)bins->n,
            (long long)(width * height));
    return NULL;
  }
  version.stage = hp_new_stage(in, image->name);
  pm_op *from = pm_lookup_symbol(s->b.region, bins->bins);
  pm_attr domain = hp_box(s, hp_all_of(image), "", "");
  pm_string names[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x")};
  s->b.loc = loc;
  pm_op *func = stage_build_func(&s->b, version.stage, stage_type_of(from), domain, NULL);
  s->stages.data[s->stages.len - 1].op = func;
  pm_region *body = stage_begin_body(stage_build_case(func, loc, domain), names, 2);
  pm_builder b = pm_builder_at_end(s->module, body, loc);
  pm_affine_expr at =
      pm_affine_add(pm_affine_mul(pm_affine_dim(s->ctx, 0), image->width), pm_affine_dim(s->ctx, 1));
  pm_value *first = stage_build_read(&b, bins->bins, stage_type_of(from),
                                     pm_get_affine_map(s->ctx, 2, 0, &at, 1), body->args, NULL);
  pm_value *values[PX_LANES];
  for (unsigned i = 0; i < bins->lanes; i++) values[i] = pm_res(pm_def(first), i);
  stage_build_yield(&b, values, bins->lanes);
  return pm_arena_memdup(in->arena, &version, sizeof version);
}
