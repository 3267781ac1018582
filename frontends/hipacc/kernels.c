/* The execution of a kernel: a stage, whose body is what kernel() computes at a pixel. */
#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/stage.h"
#include "frontends/hipacc/hipacc.h"

#include <string.h>

/* --- sets and stages --- */

/* Names of the program are given at the end. */
pm_string hp_new_stage(cx_interp *in, pm_string name) {
  hp_state *s = hp_state_of(in);
  pm_buf text = {0};
  if (s->stages.len == HP_MOST_STAGES && !in->stopped) {
    pm_error(in->ctx, s->b.loc,
             "the program executes kernels more than %d times, its loops should end before", HP_MOST_STAGES);
    in->stopped = true;
  }
  pm_buf_printf(&text, "stage.%u", s->stages.len);
  pm_string own = pm_get_string(s->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  CX_PUSH(in->arena, s->stages, ((hp_stage){NULL, name}));
  return own;
}

const hp_version *hp_new_input(cx_interp *in, const hp_image *image) {
  hp_state *s = hp_state_of(in);
  hp_version version = {.is_input = true, .n_elements = 1};
  bool has_lanes = image->lanes > 1;
  pm_attr domain = hp_box(s, hp_all_of(image), has_lanes ? ", c" : "", has_lanes ? " and 0 <= c < 4" : "");
  version.stage = hp_new_stage(in, image->name);
  s->b.loc = image->loc;
  s->stages.data[s->stages.len - 1].op =
      stage_build_input(&s->b, version.stage, pm_get_scalar(s->ctx, image->type), domain, NULL);
  return pm_arena_memdup(in->arena, &version, sizeof version);
}

/* --- reads --- */

enum { MOST_OPERANDS = 16 };

/* Indices of a read: an affine map of the pixel, of parameters and of numbers that are computed. */
typedef struct indices {
  pm_affine_expr results[3];
  unsigned n_results, n_operands;
  pm_value *operands[MOST_OPERANDS];
} indices;

static pm_affine_expr dim_of(cx_interp *in, pm_value *value, indices *out) {
  unsigned i = 0;
  while (i < out->n_operands && out->operands[i] != value) i++;
  if (i == out->n_operands) out->operands[out->n_operands++] = value;
  return pm_affine_dim(in->ctx, i);
}

/* The expression with operands in place of its parameters; NULL: it has too many. */
static pm_affine_expr with_operands(cx_interp *in, pm_affine_expr e, indices *out) {
  if (e->kind == PM_AFFINE_SYM && out->n_operands + 2 >= MOST_OPERANDS) return NULL;
  if (e->kind == PM_AFFINE_SYM) return dim_of(in, hp_state_of(in)->values.data[e->value], out);
  if (!e->lhs) return e;
  pm_affine_expr l = with_operands(in, e->lhs, out), r = with_operands(in, e->rhs, out);
  return l && r ? pm_affine_binary(e->kind, l, r) : NULL;
}

static bool add_index(cx_interp *in, pm_loc loc, cv v, indices *out) {
  pm_affine_expr affine = v.kind == PX_NUMBER ? ((const px_number *)v.own)->affine : NULL;
  pm_affine_expr e = v.kind == CV_INT                 ? pm_affine_const(in->ctx, v.i)
                     : affine && hp_is_affine(affine) ? with_operands(in, affine, out)
                                                      : NULL;
  if (!e) {
    pm_value *value = px_value_of(in, loc, v, PM_I32);
    if (!value) return false;
    e = dim_of(in, value, out);
  }
  out->results[out->n_results++] = e;
  return true;
}

/* The value of the version at the pixel; `mode` of both dimensions, a word, or NULL: there it is inside. */
static cv read_version(cx_interp *in, pm_loc loc, const hp_image *image, const hp_version *version, cv row,
                       cv column, const char *mode) {
  hp_run *run = hp_state_of(in)->run;
  cv lanes[PX_LANES];
  indices at = {.operands = {run->body.y, run->body.x}, .n_operands = run->body.y ? 2 : 0};
  pm_type type = pm_get_scalar(in->ctx, image->type);
  pm_attr modes[3] = {0}, boundary = NULL;
  if (row.kind == CV_POISON || column.kind == CV_POISON) return cv_poison;
  if (!version->stage) {
    for (unsigned i = 0; i < PX_LANES; i++) lanes[i] = px_convert(in, loc, image->type, cv_int(PM_I32, 0));
    return image->lanes > 1 ? px_vector(in, image->type, lanes) : lanes[0];
  }
  if (!add_index(in, loc, row, &at) || !add_index(in, loc, column, &at)) return cv_poison;
  px_count_read(in, loc, &run->body);
  bool by_channel = version->is_input && image->lanes > 1;
  for (unsigned i = 0; i < 3; i++)
    modes[i] = pm_get_string_attr(in->ctx, pm_str_of(mode && i < 2 ? mode : "none"));
  if (mode) boundary = pm_get_array(in->ctx, modes, by_channel ? 3 : 2);
  run->body.b.loc = loc;
  pm_type whole = type;
  if (!version->is_input && version->n_elements > 1) {
    pm_type elements[PX_LANES * 4];
    for (unsigned i = 0; i < version->n_elements; i++)
      elements[i] =
          pm_tuple_at(stage_type_of(pm_lookup_symbol(hp_state_of(in)->b.region, version->stage)), i);
    whole = pm_get_tuple(elements, (uint16_t)version->n_elements);
  }
  for (unsigned i = 0; i < image->lanes; i++) {
    pm_affine_expr results[3] = {at.results[0], at.results[1], pm_affine_const(in->ctx, i)};
    pm_affine_map map = pm_get_affine_map(in->ctx, at.n_operands, 0, results, by_channel ? 3 : 2);
    pm_value *first = stage_build_read(&run->body.b, version->stage, whole, map, at.operands, boundary);
    pm_op *read = pm_def(first);
    if (by_channel) {
      lanes[i] = px_number_of(in, image->type, first);
      continue;
    }
    for (unsigned k = 0; k < image->lanes; k++)
      lanes[k] = px_number_of(in, image->type, pm_res(read, version->first + k));
    break;
  }
  return image->lanes > 1 ? px_vector(in, image->type, lanes) : lanes[0];
}

/* --- accessors --- */

static cv add(cx_interp *in, pm_loc loc, cv a, cv b) {
  return px_operate(in, loc, CX_OP_ADD, a, b);
}

static cv number(int64_t n) {
  return cv_int(PM_I32, n);
}

static cv size(cx_interp *in, hp_size s) {
  return px_affine(in, s);
}

/* The pixel of the space, from 0. */
static cv position_of(cx_interp *in, bool is_x) {
  const hp_run *run = hp_state_of(in)->run;
  pm_affine_expr e = pm_affine_dim(in->ctx, is_x);
  return px_affine(in, hp_minus(e, is_x ? run->space->region.x : run->space->region.y));
}

/* The index by the accessor's rule around its region, where that is not the image. */
static cv ruled(cx_interp *in, pm_loc loc, hp_rule rule, cv i, hp_size lo, hp_size n) {
  hp_size end = hp_plus(lo, n), minus_1 = hp_size_of(hp_state_of(in), -1);
  cv first = size(in, lo), last = size(in, hp_plus(end, minus_1)), count = size(in, n);
  if (rule == HP_CLAMP) return px_extreme(in, loc, true, px_extreme(in, loc, false, i, last), first);
  if (rule == HP_MIRROR) {
    cv below = px_operate(in, loc, CX_OP_LT, i, first), above = px_operate(in, loc, CX_OP_GT, i, last);
    cv at_end = size(in, hp_plus(hp_times(end, 2), minus_1)),
       at_start = size(in, hp_plus(hp_times(lo, 2), minus_1));
    cv high = cx_choose_value(in, loc, above, px_operate(in, loc, CX_OP_SUB, at_end, i), i);
    return cx_choose_value(in, loc, below, px_operate(in, loc, CX_OP_SUB, at_start, i), high);
  }
  if (rule != HP_REPEAT) return i;
  cv rest = px_operate(in, loc, CX_OP_MOD, px_operate(in, loc, CX_OP_SUB, i, first), count);
  rest = px_operate(in, loc, CX_OP_MOD, add(in, loc, rest, count), count);
  return add(in, loc, rest, first);
}

static cv is_inside(cx_interp *in, pm_loc loc, cv i, hp_size lo, hp_size n) {
  return cx_and(in, loc, px_operate(in, loc, CX_OP_GE, i, size(in, lo)),
                px_operate(in, loc, CX_OP_LT, i, size(in, hp_plus(lo, n))));
}

static bool is_whole(const hp_state *s, const hp_accessor *a) {
  return hp_is_same_region(s, a->region, hp_all_of(a->image));
}

/* The constant of a rule as a pixel of the image. */
static cv constant_of(cx_interp *in, pm_loc loc, const hp_accessor *a) {
  cv lanes[PX_LANES];
  for (unsigned i = 0; i < PX_LANES; i++)
    lanes[i] =
        px_convert(in, loc, a->image->type,
                   a->constant.kind == PX_VECTOR ? a->constant.list->items.data[i]->value : a->constant);
  return a->image->lanes > 1 ? px_vector(in, a->image->type, lanes) : lanes[0];
}

/* Row and column of the image, by the rule. */
static cv read_ruled(cx_interp *in, pm_loc loc, const hp_accessor *a, cv row, cv column) {
  static const char *const modes[] = {"clamp", "clamp", "mirror", "repeat", "clamp"};
  const hp_rect *r = &a->region;
  const hp_version *now = a->image->now;
  if (a->rule == HP_CONSTANT) {
    cv inside =
        cx_and(in, loc, is_inside(in, loc, row, r->y, r->height), is_inside(in, loc, column, r->x, r->width));
    cv pixel = read_version(in, loc, a->image, now, row, column, "clamp");
    return cx_choose_value(in, loc, inside, pixel, constant_of(in, loc, a));
  }
  if (a->rule == HP_NONE || is_whole(hp_state_of(in), a))
    return read_version(in, loc, a->image, now, row, column, modes[a->rule]);
  return read_version(in, loc, a->image, now, ruled(in, loc, a->rule, row, r->y, r->height),
                      ruled(in, loc, a->rule, column, r->x, r->width), "clamp");
}

static cv load_pixel(cx_interp *in, pm_loc loc, const hp_place *p) {
  const hp_accessor *a = p->accessor;
  const hp_run *run = hp_state_of(in)->run;
  cv row = size(in, a->region.y), column = size(in, a->region.x);
  if (p->at_pixel)
    return read_version(in, loc, a->image, a->image->now, add(in, loc, row, p->dy),
                        add(in, loc, column, p->dx), "clamp");
  bool scales = !hp_is_same_size(hp_state_of(in), a->region, run->space->region);
  if (a->interpolation && scales) return hp_interpolate(in, loc, a, p->dx, p->dy);
  row = add(in, loc, add(in, loc, row, position_of(in, false)), p->dy);
  column = add(in, loc, add(in, loc, column, position_of(in, true)), p->dx);
  return read_ruled(in, loc, a, row, column);
}

cv hp_read_region(cx_interp *in, pm_loc loc, const hp_accessor *a, cv row, cv column, bool clamps) {
  hp_accessor own = *a;
  if (clamps) own.rule = HP_CLAMP;
  return read_ruled(in, loc, &own, add(in, loc, row, size(in, a->region.y)),
                    add(in, loc, column, size(in, a->region.x)));
}

cv hp_position_in(cx_interp *in, bool is_x) {
  return position_of(in, is_x);
}

/* --- windows --- */

static const hp_position *position_in(cx_interp *in, pm_loc loc, const hp_window *w) {
  const hp_run *run = hp_state_of(in)->run;
  for (const hp_position *p = run ? run->position : NULL; p; p = p->outer)
    if (p->window == w) return p;
  cx_fail(in, loc, "the %s has no position here, outside of the lambda that is called for its points",
          w->is_mask ? "Mask" : "Domain");
  return NULL;
}

static cv value_at(cx_interp *in, pm_loc loc, const hp_window *w, int64_t x, int64_t y) {
  if (x >= 0 && y >= 0 && x < w->width && y < w->height) return w->values[y * w->width + x];
  return cx_fail(in, loc, "the point %lld, %lld is outside of the window of %lld x %lld",
                 (long long)(x - w->width / 2), (long long)(y - w->height / 2), (long long)w->width,
                 (long long)w->height);
}

/* Of a window: what it is at its present position, at that of another one, or at an offset; outside of
 * kernels a point of a Domain that is set. */
cv hp_call_window(const cx_call *c) {
  hp_window *w = c->self.own;
  int64_t x, y;
  if (!cx_takes(c, 0, 2)) return cv_poison;
  if (c->n_args < 2) {
    const hp_window *other = c->n_args ? c->args[0].own : w;
    if (c->n_args && c->args[0].kind != HP_WINDOW)
      return cx_fail(c->in, c->loc, "this is %s, a Mask or a Domain should be here",
                     cv_describe(c->in, c->args[0]));
    if (other->width != w->width || other->height != w->height)
      return cx_fail(
          c->in, c->loc, "the windows have %lld x %lld and %lld x %lld points, they should be equal",
          (long long)w->width, (long long)w->height, (long long)other->width, (long long)other->height);
    const hp_position *p = position_in(c->in, c->loc, other);
    return p ? value_at(c->in, c->loc, w, p->x, p->y) : cv_poison;
  }
  if (!hp_to_int(c->in, c->locs[0], c->args[0], &x, "the offset") ||
      !hp_to_int(c->in, c->locs[1], c->args[1], &y, "the offset"))
    return cv_poison;
  x += w->width / 2;
  y += w->height / 2;
  cv value = value_at(c->in, c->loc, w, x, y);
  if (value.kind == CV_POISON || hp_state_of(c->in)->run || w->is_mask) return value;
  hp_place place = {.window = w, .point = y * w->width + x};
  return (cv){.kind = HP_POINT, .own = pm_arena_memdup(c->in->arena, &place, sizeof place)};
}

static cv do_window_position(const cx_call *c) {
  const hp_position *p = position_in(c->in, c->loc, c->self.own);
  bool is_x = strcmp(c->name->text, "x") == 0;
  return !p ? cv_poison : number(is_x ? p->x - p->window->width / 2 : p->y - p->window->height / 2);
}

static cv do_window_size(const cx_call *c) {
  const hp_window *w = c->self.own;
  return number(strcmp(c->name->text, "size_x") == 0 ? w->width : w->height);
}

const cx_row hp_window_rows[] = {{"x", do_window_position},
                                 {"y", do_window_position},
                                 {"size_x", do_window_size},
                                 {"size_y", do_window_size},
                                 {NULL, NULL}};

/* `r` and one value more, in the type of r. */
static cv combine(const cx_call *c, const char *how, cv r, cv v) {
  cv args[] = {r, v}, out;
  cx_call extreme = *c;
  bool is_min = strcmp(how, "Reduce::MIN") == 0, is_max = strcmp(how, "Reduce::MAX") == 0;
  if (r.kind == CV_POISON || v.kind == CV_POISON) return cv_poison;
  if (r.kind != PX_VECTOR) args[1] = px_convert(c->in, c->loc, px_type_of(r), v);
  if (is_min || is_max) { /* min(v, r) */
    cv swapped[] = {args[1], args[0]};
    extreme.name = pm_get_cstring(c->in->ctx, is_min ? "min" : "max");
    extreme.args = swapped;
    extreme.n_args = 2;
    return px_math(c->in, extreme.name)(&extreme);
  }
  cx_op op = strcmp(how, "Reduce::SUM") == 0 ? CX_OP_ADD : CX_OP_MUL;
  bool are_known = cv_is_number(args[0]) && cv_is_number(args[1]);
  if (are_known)
    out = cx_binary(c->in, c->loc, op, args[0], args[1]);
  else if (!px_binary(c->in, c->loc, op, args[0], args[1], &out))
    return cx_fail(c->in, c->loc, "the lambda gives %s and %s, numbers should be here", cv_describe(c->in, r),
                   cv_describe(c->in, v));
  return out.kind == PX_VECTOR ? out : px_convert(c->in, c->loc, px_type_of(r), out);
}

bool hp_captures_by_copy(cx_interp *in, cv lambda) {
  const cx_node *n = lambda.kind == CV_FUNCTION ? lambda.function->node : NULL;
  bool copies = n && n->kind == CX_LAMBDA && n->c->op == CX_OP_NE;
  for (uint32_t i = 0; n && n->kind == CX_LAMBDA && i < n->c->n_items; i++)
    copies = copies || (n->c->items[i]->kind == CX_NAME && !n->c->items[i]->is_reference);
  if (copies) cx_fail(in, n->loc, "the lambda captures by copy, it should capture by reference: [&]");
  return copies;
}

/* convolve(mask, Reduce::M, lambda), reduce(dom, Reduce::M, lambda), iterate(dom, lambda) */
cv hp_reduce(const cx_call *c) {
  static const char *const known[] = {"Reduce::SUM", "Reduce::PROD", "Reduce::MIN", "Reduce::MAX"};
  bool iterates = strcmp(c->name->text, "iterate") == 0, of_mask = strcmp(c->name->text, "convolve") == 0;
  hp_run *run = hp_state_of(c->in)->run;
  cv result = cv_void;
  size_t i = 0;
  if (!cx_takes(c, iterates ? 2 : 3, iterates ? 2 : 3)) return cv_poison;
  const hp_window *w = c->args[0].kind == HP_WINDOW ? c->args[0].own : NULL;
  if (!run) return cx_fail(c->in, c->loc, "%s is for kernels, this is host code", c->name->text);
  if (!w || w->is_mask != of_mask)
    return cx_fail(c->in, c->locs[0], "this is %s, %s should be here",
                   w ? (w->is_mask ? "a Mask" : "a Domain") : cv_describe(c->in, c->args[0]),
                   of_mask ? "a Mask" : "a Domain");
  if (!iterates) {
    while (i < PM_COUNT(known) &&
           (c->args[1].kind != HP_WORD || strcmp(c->args[1].text->text, known[i]) != 0))
      i++;
    if (i == PM_COUNT(known))
      return cx_fail(c->in, c->locs[1], "the reduction is %s, it should be Reduce::SUM, PROD, MIN or MAX",
                     c->args[1].kind == HP_WORD ? c->args[1].text->text : cv_describe(c->in, c->args[1]));
  }
  if (hp_captures_by_copy(c->in, c->args[c->n_args - 1])) return cv_poison;
  for (const hp_position *p = run->position; p && of_mask; p = p->outer)
    if (p->window->is_mask)
      return cx_fail(c->in, c->loc, "convolve is in the lambda of another one, it should be outside");
  hp_position at = {.window = w, .outer = run->position};
  run->position = &at;
  for (at.y = 0; at.y < w->height; at.y++)
    for (at.x = 0; at.x < w->width; at.x++) {
      if (!of_mask && !w->values[at.y * w->width + at.x].i) continue;
      cv v = cx_call_with(c, c->args[c->n_args - 1], NULL, 0);
      if (v.kind == CV_POISON) {
        run->position = at.outer;
        return v;
      }
      if (!iterates) result = result.kind == CV_VOID ? v : combine(c, known[i], result, v);
    }
  run->position = at.outer;
  return result;
}

/* --- what kernel() reads and writes --- */

static cv new_place(cx_interp *in, hp_place place) {
  return (cv){.kind = HP_PLACE, .own = pm_arena_memdup(in->arena, &place, sizeof place)};
}

static bool needs_run(const cx_call *c) {
  if (!hp_state_of(c->in)->run) cx_fail(c->in, c->loc, "this is for kernels, here is host code");
  return hp_state_of(c->in)->run;
}

/* a(), a(dx, dy), a(window) */
cv hp_call_accessor(const cx_call *c) {
  hp_place place = {.accessor = c->self.own, .dx = number(0), .dy = number(0)};
  if (!cx_takes(c, 0, 2) || !needs_run(c)) return cv_poison;
  if (c->n_args == 1) {
    const hp_position *p = c->args[0].kind == HP_WINDOW ? position_in(c->in, c->loc, c->args[0].own) : NULL;
    if (!p && c->args[0].kind != HP_WINDOW)
      return cx_fail(c->in, c->locs[0], "this is %s, a Mask or a Domain should be here",
                     cv_describe(c->in, c->args[0]));
    if (!p) return cv_poison;
    place.dx = number(p->x - p->window->width / 2);
    place.dy = number(p->y - p->window->height / 2);
  } else if (c->n_args == 2) {
    place.dx = px_convert(c->in, c->locs[0], PM_I32, c->args[0]);
    place.dy = px_convert(c->in, c->locs[1], PM_I32, c->args[1]);
  }
  return new_place(c->in, place);
}

static cv do_pixel_at(const cx_call *c) {
  if (!cx_takes(c, 2, 2) || !needs_run(c)) return cv_poison;
  return new_place(c->in, (hp_place){.accessor = c->self.own,
                                     .at_pixel = true,
                                     .dx = px_convert(c->in, c->locs[0], PM_I32, c->args[0]),
                                     .dy = px_convert(c->in, c->locs[1], PM_I32, c->args[1])});
}

static cv do_position(const cx_call *c) {
  return needs_run(c) ? position_of(c->in, strcmp(c->name->text, "x") == 0) : cv_poison;
}

static cv do_accessor_size(const cx_call *c) {
  const hp_accessor *a = c->self.own;
  return size(c->in, strcmp(c->name->text, "width") == 0 ? a->region.width : a->region.height);
}

const cx_row hp_accessor_rows[] = {{"pixel_at", do_pixel_at},    {"x", do_position},
                                   {"y", do_position},           {"width", do_accessor_size},
                                   {"height", do_accessor_size}, {NULL, NULL}};

static bool is_at(cv v, cv position) {
  const px_number *a = v.kind == PX_NUMBER ? v.own : NULL,
                  *b = position.kind == PX_NUMBER ? position.own : NULL;
  return a && b && a->affine && a->affine == b->affine;
}

static cv do_output(const cx_call *c) {
  bool at = strcmp(c->name->text, "output_at") == 0;
  if (!cx_takes(c, at ? 2 : 0, at ? 2 : 0) || !needs_run(c)) return cv_poison;
  if (at && (!is_at(c->args[0], position_of(c->in, true)) || !is_at(c->args[1], position_of(c->in, false))))
    return cx_fail(c->in, c->loc, "a kernel writes another pixel than its own, it should write output()");
  return new_place(c->in, (hp_place){0});
}

static cv old_value(cx_interp *in, pm_loc loc, const hp_accessor *a) {
  cv row = add(in, loc, position_of(in, false), size(in, a->region.y)),
     column = add(in, loc, position_of(in, true), size(in, a->region.x));
  return read_version(in, loc, a->image, a->image->now, row, column, NULL);
}

cv hp_own_pixel(cx_interp *in, pm_loc loc, const hp_accessor *space) {
  return old_value(in, loc, space);
}

cv hp_pixel(cx_interp *in, pm_loc loc, const hp_image *image, hp_size x, hp_size y) {
  return read_version(in, loc, image, image->now, size(in, y), size(in, x), NULL);
}

static cx_cell *add_output(cx_interp *in, pm_loc loc, const hp_accessor *a) {
  hp_run *run = hp_state_of(in)->run;
  cx_cell *cell = cx_new_cell(in, old_value(in, loc, a));
  CX_PUSH(in->arena, run->outputs, ((hp_output){a, cell}));
  return cell;
}

/* The output that the place is, NULL: none so far. */
static cx_cell *output_cell(cx_interp *in, const hp_place *p) {
  const hp_run *run = hp_state_of(in)->run;
  if (!p->accessor) return run->outputs.data[0].cell;
  for (uint32_t i = 1; i < run->outputs.len; i++)
    if (run->outputs.data[i].accessor == p->accessor) return run->outputs.data[i].cell;
  return NULL;
}

cv hp_load_place(cx_interp *in, cv self) {
  const hp_place *p = self.own;
  if (p->is_bin) return cv_void;
  if (!p->accessor) return cx_copy(in, output_cell(in, p)->value);
  return load_pixel(in, hp_state_of(in)->run->body.b.loc, p);
}

static cv as_pixel(cx_interp *in, pm_loc loc, const hp_image *image, cv v) {
  if (image->lanes == 1) return px_convert(in, loc, image->type, v);
  if (v.kind == PX_VECTOR && px_type_of(v) == image->type) return cx_copy(in, v);
  return v.kind == CV_POISON ? v
                             : cx_fail(in, loc, "this is %s, a vector of the image's type should be here",
                                       cv_describe(in, v));
}

void hp_assign_place(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right) {
  const hp_place *p = left.own;
  hp_run *run = hp_state_of(in)->run;
  if (p->is_bin) {
    hp_assign_bin(in, loc, p, op, right);
    return;
  }
  bool is_own = cv_is_number(p->dx) && cv_is_number(p->dy) && !p->dx.i && !p->dy.i && !p->at_pixel;
  if (p->accessor && !is_own) {
    cx_fail(in, loc, "a kernel writes another pixel than its own, it should write its own");
    return;
  }
  const hp_accessor *a = p->accessor ? p->accessor : run->space;
  const hp_state *s = hp_state_of(in);
  if (!hp_is_same_region(s, a->region, run->space->region) ||
      !hp_is_same_size(s, hp_all_of(a->image), hp_all_of(run->space->image))) {
    cx_fail(in, loc, "the image that is written has another region than the space, they should be equal");
    return;
  }
  cx_cell *cell = output_cell(in, p);
  if (!cell) cell = add_output(in, loc, a);
  cv value = op == CX_OP_NONE ? right : px_operate(in, loc, op, cell->value, right);
  cx_note_change(in, cell);
  cell->value = as_pixel(in, loc, a->image, value);
}

/* --- executions --- */

/* The elements of the stage that the outputs are. */
static unsigned put_yield(cx_interp *in, pm_loc loc, const hp_run *run, pm_builder *b, pm_type *types) {
  pm_value *values[PX_LANES * 4];
  unsigned n = 0;
  for (uint32_t i = 0; i < run->outputs.len && n + PX_LANES <= PM_COUNT(values); i++) {
    const hp_image *image = run->outputs.data[i].accessor->image;
    cv v = run->outputs.data[i].cell->value;
    for (unsigned k = 0; k < image->lanes; k++) {
      cv lane = v.kind == PX_VECTOR ? v.list->items.data[k]->value : v;
      values[n] = px_value_of(in, loc, lane, image->type);
      if (!values[n]) return 0;
      types[n++] = pm_get_scalar(in->ctx, image->type);
    }
  }
  stage_build_yield(b, values, n);
  return n;
}

static void begin_case(cx_interp *in, pm_loc loc, pm_op *func, pm_attr set, hp_run *run) {
  hp_state *s = hp_state_of(in);
  pm_string names[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x")};
  pm_region *body = stage_begin_body(stage_build_case(func, loc, set), names, 2);
  run->body.b = pm_builder_at_end(s->module, body, loc);
  run->body.y = body->args[0];
  run->body.x = body->args[1];
}

/* Pixels outside of the space keep what they have. */
static bool keep_rest(cx_interp *in, pm_loc loc, pm_op *func, const hp_run *run) {
  hp_state *s = hp_state_of(in);
  const hp_accessor *space = run->space;
  bool any = false;
  pm_type types[PX_LANES * 4];
  isl_set *rest = isl_set_subtract(isl_set_copy(isl_peek_set(hp_box(s, hp_all_of(space->image), "", ""))),
                                   isl_set_copy(isl_peek_set(hp_box(s, space->region, "", ""))));
  isl_set *there = isl_set_intersect_params(isl_set_copy(rest), isl_set_copy(s->context));
  for (uint32_t i = 0; i < run->outputs.len; i++)
    any = any || run->outputs.data[i].accessor->image->now->stage;
  bool is_empty = isl_set_is_empty(there) == isl_bool_true;
  isl_set_free(there);
  if (is_empty || !any) {
    isl_set_free(rest);
    return true;
  }
  hp_run own = {.space = space}, *outer = s->run;
  begin_case(in, loc, func, isl_attr_of_set(s->ctx, rest), &own);
  hp_set_run(s, &own);
  for (uint32_t i = 0; i < run->outputs.len; i++) (void)add_output(in, loc, run->outputs.data[i].accessor);
  bool ok = put_yield(in, loc, &own, &own.body.b, types);
  hp_end_run(s, outer);
  return ok;
}

/* The images have what the stage has. */
static void set_versions(cx_interp *in, pm_string stage, const hp_run *run, unsigned n) {
  unsigned first = 0;
  for (uint32_t i = 0; i < run->outputs.len; i++) {
    hp_image *image = run->outputs.data[i].accessor->image;
    hp_version version = {.stage = stage, .first = first, .n_elements = n};
    image->now = pm_arena_memdup(in->arena, &version, sizeof version);
    first += image->lanes;
  }
}

/* A stage with one output, whose value at a pixel is what is left in its cell. */
static bool finish_stage(cx_interp *in, pm_loc loc, pm_op *func, pm_string name, hp_run *run) {
  pm_type types[PX_LANES * 4];
  unsigned n = put_yield(in, loc, run, &run->body.b, types);
  if (n > 1) pm_set_attr(func, stage_func_type, pm_get_type_attr(pm_get_tuple(types, (uint16_t)n)));
  bool ok = n && keep_rest(in, loc, func, run);
  hp_end_run(hp_state_of(in), NULL);
  if (ok) set_versions(in, name, run, n);
  return ok;
}

static pm_op *begin_stage(cx_interp *in, pm_loc loc, const hp_accessor *space, pm_string *name, hp_run *run) {
  hp_state *s = hp_state_of(in);
  const hp_image *image = space->image;
  *name = hp_new_stage(in, image->name);
  uint32_t number_of_stage = s->stages.len - 1;
  s->b.loc = loc;
  pm_op *func = stage_build_func(&s->b, *name, pm_get_scalar(s->ctx, image->type),
                                 hp_box(s, hp_all_of(image), "", ""), NULL);
  s->stages.data[number_of_stage].op = func;
  *run = (hp_run){.space = space};
  begin_case(in, loc, func, hp_box(s, space->region, "", ""), run);
  hp_set_run(s, run);
  (void)add_output(in, loc, space);
  return func;
}

static bool run_kernel(cx_interp *in, pm_loc loc, const hp_kernel *k) {
  hp_run run;
  pm_string name;
  unsigned errors = pm_error_count(in->ctx);
  pm_op *func = begin_stage(in, loc, k->space, &name, &run);
  cv self = {.kind = CV_OBJECT, .object = k->object}, result = cv_poison;
  if (!cx_call_own(in, loc, self, "kernel", &cx_no_arguments, &result))
    cx_fail(in, loc, "the class '%s' has no method 'kernel'", k->object->instance->node->name->text);
  if (result.kind != CV_POISON && pm_error_count(in->ctx) == errors)
    return finish_stage(in, loc, func, name, &run);
  hp_end_run(hp_state_of(in), NULL);
  return false;
}

const hp_version *hp_point_stage(cx_interp *in, pm_loc loc, const hp_image *image, const hp_version *from,
                                 cv (*compute)(cx_interp *in, pm_loc loc, void *user, cv pixel), void *user) {
  hp_image own = *image;
  own.now = from;
  hp_accessor space = {.image = pm_arena_memdup(in->arena, &own, sizeof own), .region = hp_all_of(image)};
  hp_run run;
  pm_string name;
  pm_op *func = begin_stage(in, loc, pm_arena_memdup(in->arena, &space, sizeof space), &name, &run);
  cv pixel = compute(in, loc, user, run.outputs.data[0].cell->value);
  if (pixel.kind != CV_POISON) run.outputs.data[0].cell->value = as_pixel(in, loc, image, pixel);
  bool ok = pixel.kind != CV_POISON && finish_stage(in, loc, func, name, &run);
  hp_end_run(hp_state_of(in), NULL);
  return ok ? space.image->now : NULL;
}

/* Copies a region to one of its size; borders and interpolation do not matter. */
void hp_assign_accessor(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right) {
  const hp_accessor *to = left.own, *from = right.kind == HP_ACCESSOR ? right.own : NULL;
  const hp_state *s = hp_state_of(in);
  hp_image *image = right.kind == HP_IMAGE ? right.own : NULL;
  hp_accessor of_image = {.image = image};
  hp_run run;
  pm_string name;
  if (image) of_image.region = hp_all_of(image), from = &of_image;
  if (op != CX_OP_NONE || hp_state_of(in)->run || !from) {
    cx_fail(in, loc,
            from ? "regions are copied by '=' alone, in host code"
                 : "this is no Image or Accessor, one should be here");
    return;
  }
  if (!hp_is_reached(in, loc)) return;
  if (!hp_is_same_size(s, to->region, from->region) || to->image->type != from->image->type ||
      to->image->lanes != from->image->lanes) {
    cx_fail(in, loc, "the regions have %s x %s and %s x %s pixels, or other types: they should be equal",
            hp_text(s, to->region.width), hp_text(s, to->region.height), hp_text(s, from->region.width),
            hp_text(s, from->region.height));
    return;
  }
  pm_op *func = begin_stage(in, loc, to, &name, &run);
  cv row = add(in, loc, position_of(in, false), size(in, from->region.y)),
     column = add(in, loc, position_of(in, true), size(in, from->region.x));
  run.outputs.data[0].cell->value = read_version(in, loc, from->image, from->image->now, row, column, NULL);
  (void)finish_stage(in, loc, func, name, &run);
}

cv hp_execute(const cx_call *c) {
  if (hp_state_of(c->in)->run)
    return cx_fail(c->in, c->loc, "a kernel executes another one, host code should");
  if (!hp_is_reached(c->in, c->loc)) return cv_poison;
  ((hp_kernel *)c->self.own)->has_run = true;
  return run_kernel(c->in, c->loc, c->self.own) ? cv_void : cv_poison;
}

static cv do_ignored(const cx_call *c) {
  (void)c;
  return cv_void;
}

const cx_row hp_kernel_rows[] = {{"execute", hp_execute},
                                 {"output", do_output},
                                 {"output_at", do_output},
                                 {"x", do_position},
                                 {"y", do_position},
                                 {"add_accessor", do_ignored},
                                 {"reduced_data", hp_reduced_data},
                                 {"binned_data", hp_binned_data},
                                 {"bin", hp_bin},
                                 {"num_bins", hp_num_bins},
                                 {NULL, NULL}};
