/* What host code declares: images and memory, accessors and their borders, spaces, masks and domains. */
#include "frontends/cxx/types/types.h"
#include "frontends/hipacc/hipacc.h"

#include <string.h>

static void *new_of(cx_interp *in, const void *from, size_t bytes) {
  return pm_arena_memdup(in->arena, from, bytes);
}

static cv value_of(hp_kind kind, const void *own) {
  return (cv){.kind = (uint16_t)kind, .own = (void *)own};
}

/* --- types --- */

static const struct {
  const char *name;
  hp_kind kind;
} types[] = {{"Image", HP_IMAGE},       {"BoundaryCondition", HP_BOUNDARY},
             {"Accessor", HP_ACCESSOR}, {"IterationSpace", HP_SPACE},
             {"Mask", HP_WINDOW},       {"Domain", HP_WINDOW},
             {"Kernel", HP_KERNEL},     {"Pyramid", HP_PYRAMID}};

static const char *const integers[][2] = {
    {"uchar", "uint8_t"}, {"ushort", "uint16_t"}, {"uint", "uint32_t"}, {"ulong", "uint64_t"}};

bool hp_is_type(pm_string name) {
  pm_scalar lane;
  for (size_t i = 0; i < PM_COUNT(integers); i++)
    if (strcmp(integers[i][0], name->text) == 0) return true;
  for (size_t i = 0; i < PM_COUNT(types); i++)
    if (strcmp(types[i].name, name->text) == 0) return true;
  return px_vector_type(name->text, &lane);
}

const cx_node *hp_meant(cx_interp *in, const cx_node *type) {
  for (size_t i = 0; type->name && i < PM_COUNT(integers); i++) {
    if (strcmp(type->name->text, integers[i][0]) != 0) continue;
    cx_node *meant = pm_arena_memdup(in->arena, type, sizeof *type);
    meant->name = pm_get_cstring(in->ctx, integers[i][1]);
    return meant;
  }
  return NULL;
}

/* The T of Image<T>. */
static bool element_of(cx_interp *in, pm_loc loc, const cx_node *type, unsigned number, pm_scalar *scalar,
                       unsigned *lanes) {
  const cx_node *t = cx_argument_of(type, number);
  *lanes = 1;
  if (t && cx_scalar_of(in, t, scalar)) return true;
  t = t ? cx_resolve(in, t) : NULL;
  *lanes = PX_LANES;
  if (t && t->name && px_vector_type(t->name->text, scalar)) return true;
  cx_fail(in, loc, "%s should have the type of its pixels, as %s<uchar>", type->name->text, type->name->text);
  return false;
}

/* T4 of Accessor<T4>, or of another type that is made of an image, is the type of its pixels. */
static bool has_type_of(cx_interp *in, pm_loc loc, const cx_node *type, const hp_image *image) {
  pm_scalar scalar;
  unsigned lanes;
  if (!element_of(in, loc, type, 0, &scalar, &lanes)) return false;
  if (scalar == image->type && lanes == image->lanes) return true;
  cx_fail(in, loc, "the Image '%s' is of %s%s, the %s should be of its type", image->name->text,
          px_type_name(image->type), image->lanes > 1 ? "4" : "", type->name->text);
  return false;
}

/* --- what is made --- */

/* Arguments of a making, from `from` on. */
static bool take_sizes(const cx_making *m, unsigned from, unsigned n, hp_size *out) {
  for (unsigned i = 0; i < n; i++)
    if (!hp_to_size(m->in, m->locs[from + i], m->args[from + i], &out[i])) return false;
  return true;
}

/* What the image has from the memory; NULL after a diagnostic. */
static const hp_version *version_of_memory(cx_interp *in, pm_loc loc, hp_memory *memory, hp_image *image);

static cv make_image(const cx_making *m) {
  hp_image image = {.name = m->hint ? m->hint : pm_get_cstring(m->in->ctx, "image"), .loc = m->loc};
  static const hp_version zeros = {0};
  hp_state *s = hp_state_of(m->in);
  hp_size size[2], one = hp_size_of(s, 1);
  int64_t known[2];
  if (!hp_is_reached(m->in, m->loc)) return cv_poison;
  if (m->n_args < 2 || m->n_args > 3)
    return cx_fail(m->in, m->loc, "an Image is made from its width and height, and maybe memory");
  if (!element_of(m->in, m->loc, m->type, 0, &image.type, &image.lanes) || !take_sizes(m, 0, 2, size))
    return cv_poison;
  bool is_known = hp_is_known(size[0], &known[0]) && hp_is_known(size[1], &known[1]),
       has_pixels = hp_require(s, hp_minus(size[0], one)) && hp_require(s, hp_minus(size[1], one));
  if (!has_pixels || (is_known && known[0] * known[1] > HP_MOST_PIXELS))
    return cx_fail(m->in, m->loc, "the image has %s x %s pixels, it should have 1 to 2^30",
                   hp_text(s, size[0]), hp_text(s, size[1]));
  image.width = size[0];
  image.height = size[1];
  image.now = &zeros;
  hp_image *made = new_of(m->in, &image, sizeof image);
  CX_PUSH(m->in->arena, s->images, made);
  if (m->n_args == 2) return value_of(HP_IMAGE, made);
  if (m->args[2].kind != HP_MEMORY)
    return cx_fail(m->in, m->locs[2], "this is %s, memory should be here", cv_describe(m->in, m->args[2]));
  made->now = version_of_memory(m->in, m->locs[2], m->args[2].own, made);
  return made->now ? value_of(HP_IMAGE, made) : cv_poison;
}

static const hp_version *version_of_memory(cx_interp *in, pm_loc loc, hp_memory *memory, hp_image *image) {
  if (memory->changed_at.line) {
    cx_fail(in, loc, "the host computes what this memory has, kernels should");
    pm_note(in->ctx, memory->changed_at, "it does so here");
    return NULL;
  }
  if (memory->of) return memory->version;
  if (memory->bins) return hp_bins_as_image(in, loc, memory, image);
  if (!memory->input) memory->input = hp_new_input(in, image);
  if (!memory->loop || !memory->input) return memory->input;
  const hp_state *s = hp_state_of(in);
  bool all = memory->count == pm_affine_normalize(pm_affine_mul(image->width, image->height)) ||
             memory->count == pm_affine_normalize(pm_affine_mul(image->height, image->width));
  if (!all || image->lanes > 1) {
    cx_fail(in, loc, "the host computes %s elements of this memory, the image has %s x %s%s",
            hp_text(s, memory->count), hp_text(s, image->width), hp_text(s, image->height),
            image->lanes > 1 ? " x 4" : "");
    return NULL;
  }
  memory->input = hp_point_stage(in, loc, image, memory->input, hp_compute_element, memory);
  memory->loop = NULL;
  return memory->input;
}

static hp_image *image_of(cx_interp *in, pm_loc loc, cv v) {
  if (v.kind == HP_IMAGE) return v.own;
  cx_fail(in, loc, "this is %s, an Image should be here", cv_describe(in, v));
  return NULL;
}

static bool is_word(cv v, const char *word) {
  return v.kind == HP_WORD && strcmp(v.text->text, word) == 0;
}

/* BoundaryCondition<T>(img, sx, sy, mode[, v]), (img, s, mode[, v]), (img, window, mode[, v]) */
static cv make_boundary(const cx_making *m) {
  static const char *const names[] = {"Boundary::UNDEFINED", "Boundary::CLAMP", "Boundary::MIRROR",
                                      "Boundary::REPEAT", "Boundary::CONSTANT"};
  hp_accessor a = {0};
  unsigned mode = 0, rule = 0;
  if (m->n_args < 2 || !(a.image = image_of(m->in, m->locs[0], m->args[0])))
    return m->n_args < 2 ? cx_fail(m->in, m->loc, "a BoundaryCondition has an Image, a size and a mode")
                         : cv_poison;
  while (mode < m->n_args && m->args[mode].kind != HP_WORD) mode++;
  while (mode < m->n_args && rule < PM_COUNT(names) && !is_word(m->args[mode], names[rule])) rule++;
  if (mode == m->n_args)
    return cx_fail(m->in, m->loc,
                   "a BoundaryCondition has a mode: Boundary::CLAMP, MIRROR, REPEAT, CONSTANT or "
                   "UNDEFINED");
  if (rule == PM_COUNT(names))
    return cx_fail(m->in, m->locs[mode],
                   "the mode is '%s', it should be Boundary::CLAMP, MIRROR, REPEAT, CONSTANT or UNDEFINED",
                   m->args[mode].text->text);
  bool has_value = mode + 2 == m->n_args;
  a.rule = (hp_rule)rule;
  if (!has_type_of(m->in, m->locs[0], m->type, a.image)) return cv_poison;
  if ((a.rule == HP_CONSTANT) != has_value || mode + 2 < m->n_args)
    return cx_fail(m->in, m->loc,
                   has_value ? "a value is for Boundary::CONSTANT alone"
                             : "Boundary::CONSTANT has a value, which should follow it");
  a.region = hp_all_of(a.image);
  if (has_value) a.constant = m->args[mode + 1];
  return value_of(HP_BOUNDARY, new_of(m->in, &a, sizeof a));
}

/* The region behind the first argument; `last` is behind it. */
static bool take_region(const cx_making *m, unsigned last, hp_accessor *a) {
  hp_state *s = hp_state_of(m->in);
  if (!hp_is_reached(m->in, m->loc)) return false;
  a->region = hp_all_of(a->image);
  hp_size n[4] = {a->region.width, a->region.height, a->region.x, a->region.y}, one = hp_size_of(s, 1);
  unsigned count = last - 1;
  if (count != 0 && count != 2 && count != 4) {
    cx_fail(m->in, m->loc, "a region has a width and a height, and maybe an offset of x and of y");
    return false;
  }
  if (!take_sizes(m, 1, count, n)) return false;
  a->region = (hp_rect){n[2], n[3], n[0], n[1]};
  bool inside = hp_require(s, hp_minus(n[0], one)) && hp_require(s, hp_minus(n[1], one)) &&
                hp_require(s, n[2]) && hp_require(s, n[3]) &&
                hp_require(s, hp_minus(a->image->width, hp_plus(n[2], n[0]))) &&
                hp_require(s, hp_minus(a->image->height, hp_plus(n[3], n[1])));
  if (!inside)
    cx_fail(m->in, m->loc, "the region of %s x %s pixels at %s, %s is not inside of the image of %s x %s",
            hp_text(s, n[0]), hp_text(s, n[1]), hp_text(s, n[2]), hp_text(s, n[3]),
            hp_text(s, a->image->width), hp_text(s, a->image->height));
  return inside;
}

/* Of an Accessor or IterationSpace itself. */
static cv same_type(const cx_making *m) {
  const hp_accessor *a = m->args[0].own;
  return has_type_of(m->in, m->locs[0], m->type, a->image) ? m->args[0] : cv_poison;
}

/* Accessor<T>(img | bc [, w, h, ox, oy] [, mode]) */
static cv make_accessor(const cx_making *m) {
  static const char *const names[] = {"Interpolate::NO", "Interpolate::NN", "Interpolate::LF",
                                      "Interpolate::CF", "Interpolate::L3"};
  hp_accessor a = {0};
  unsigned last = m->n_args, mode = 0;
  if (m->n_args == 1 && m->args[0].kind == HP_ACCESSOR) return same_type(m);
  if (m->n_args < 1)
    return cx_fail(m->in, m->loc, "an Accessor is made from an Image or a BoundaryCondition");
  if (m->args[0].kind == HP_BOUNDARY)
    a = *(const hp_accessor *)m->args[0].own;
  else
    a.image = image_of(m->in, m->locs[0], m->args[0]);
  if (!a.image || !has_type_of(m->in, m->locs[0], m->type, a.image)) return cv_poison;
  if (m->args[last - 1].kind == HP_WORD) {
    last--;
    while (mode < PM_COUNT(names) && !is_word(m->args[last], names[mode])) mode++;
    if (mode == PM_COUNT(names))
      return cx_fail(m->in, m->locs[last], "the interpolation is '%s', it should be NO, NN, LF, CF or L3",
                     m->args[last].text->text);
    a.interpolation = "\0NLC3"[mode];
  }
  if (!take_region(m, last, &a)) return cv_poison;
  return value_of(HP_ACCESSOR, new_of(m->in, &a, sizeof a));
}

static cv make_space(const cx_making *m) {
  hp_accessor a = {0};
  if (m->n_args == 1 && m->args[0].kind == HP_SPACE) return same_type(m);
  if (m->n_args < 1) return cx_fail(m->in, m->loc, "an IterationSpace is made from an Image");
  a.image = image_of(m->in, m->locs[0], m->args[0]);
  if (!a.image || !has_type_of(m->in, m->locs[0], m->type, a.image) || !take_region(m, m->n_args, &a))
    return cv_poison;
  return value_of(HP_SPACE, new_of(m->in, &a, sizeof a));
}

/* --- masks and domains --- */

static hp_window *new_window(cx_interp *in, pm_loc loc, bool is_mask, int64_t width, int64_t height) {
  hp_window w = {.is_mask = is_mask, .width = width, .height = height};
  if (width < 1 || height < 1 || width > HP_MOST_WINDOW || height > HP_MOST_WINDOW ||
      width * height > HP_MOST_WINDOW) {
    cx_fail(in, loc, "the window has %lld x %lld points, it should have 1 to %d", (long long)width,
            (long long)height, HP_MOST_WINDOW);
    return NULL;
  }
  w.values = pm_arena_alloc(in->arena, (size_t)(width * height) * sizeof *w.values);
  for (int64_t i = 0; i < width * height; i++) w.values[i] = cv_int(PM_I32, 1);
  return new_of(in, &w, sizeof w);
}

/* Of an array of rows; NULL after a diagnostic. */
static hp_window *window_of_array(cx_interp *in, pm_loc loc, bool is_mask, cv array) {
  cv first = array.kind == CV_LIST && array.list->items.len ? array.list->items.data[0]->value : cv_void;
  if (first.kind != CV_LIST) {
    cx_fail(in, loc, "this is %s, an array of rows should be here", cv_describe(in, array));
    return NULL;
  }
  hp_window *w = new_window(in, loc, is_mask, first.list->items.len, array.list->items.len);
  for (int64_t i = 0; w && i < w->width * w->height; i++) {
    cv row = array.list->items.data[i / w->width]->value;
    bool ok = row.kind == CV_LIST && row.list->items.len == w->width;
    cv v = ok ? row.list->items.data[i % w->width]->value : cv_poison;
    if (!cv_is_number(v) && (!is_mask || !px_is_number(v))) {
      cx_fail(in, loc, "row %lld of the array is not of known numbers", (long long)(i / w->width));
      return NULL;
    }
    w->values[i] = v;
  }
  return w;
}

static hp_window *window_of(cx_interp *in, pm_loc loc, bool is_mask, cv v) {
  if (v.kind != HP_WINDOW) return window_of_array(in, loc, is_mask, v);
  const hp_window *from = v.own;
  hp_window *w = new_window(in, loc, is_mask, from->width, from->height);
  for (int64_t i = 0; w && i < w->width * w->height; i++)
    if (is_mask || cv_is_number(from->values[i])) {
      w->values[i] = is_mask ? from->values[i] : cv_int(PM_I32, cv_as_double(from->values[i]) != 0);
    } else {
      cx_fail(in, loc, "the Mask has values that the call decides, those of a Domain should be known");
      return NULL;
    }
  return w;
}

static cv make_window(const cx_making *m) {
  bool is_mask = strcmp(m->type->name->text, "Mask") == 0;
  int64_t size[2];
  hp_window *w = NULL;
  if (m->n_args == 1) {
    w = window_of(m->in, m->locs[0], is_mask, m->args[0]);
  } else if (m->n_args == 2 && !is_mask) {
    bool known = cx_to_int(m->in, m->locs[0], m->args[0], &size[0], "a size") &&
                 cx_to_int(m->in, m->locs[1], m->args[1], &size[1], "a size");
    if (known) w = new_window(m->in, m->loc, false, size[0], size[1]);
  } else {
    return cx_fail(m->in, m->loc,
                   is_mask ? "a Mask is made from an array of rows"
                           : "a Domain is made from its width and height, an array or a Mask");
  }
  pm_scalar type = PM_F32;
  unsigned lanes;
  if (w && is_mask && element_of(m->in, m->loc, m->type, 0, &type, &lanes))
    for (int64_t i = 0; i < w->width * w->height; i++)
      w->values[i] = px_convert(m->in, m->loc, type, w->values[i]);
  return w ? value_of(HP_WINDOW, w) : cv_poison;
}

void hp_assign_point(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right) {
  const hp_place *place = left.own;
  int64_t value;
  if (op != CX_OP_NONE || !cx_to_int(in, loc, right, &value, "the point of a Domain")) {
    if (op != CX_OP_NONE) cx_fail(in, loc, "a point of a Domain is set by '=' alone");
    return;
  }
  if (!hp_is_reached(in, loc)) return;
  place->window->values[place->point] = cv_int(PM_I32, value != 0);
}

/* --- kernels --- */

static cv make_kernel(const cx_making *m) {
  hp_kernel k = {.object = cx_current_object(m->in)};
  if (m->n_args != 1 || m->args[0].kind != HP_SPACE || !k.object)
    return cx_fail(m->in, m->loc, "a Kernel is made from its IterationSpace, by the constructor of a class");
  k.space = m->args[0].own;
  if (!has_type_of(m->in, m->locs[0], m->type, k.space->image)) return cv_poison;
  bool has_bins = cx_argument_of(m->type, 1);
  k.bin_type = k.space->image->type;
  k.bin_lanes = k.space->image->lanes;
  if (has_bins && !element_of(m->in, m->loc, m->type, 1, &k.bin_type, &k.bin_lanes)) return cv_poison;
  return value_of(HP_KERNEL, new_of(m->in, &k, sizeof k));
}

/* --- vectors --- */

static cv make_vector(const cx_making *m, pm_scalar lane) {
  cv lanes[PX_LANES];
  cv list = m->n_args == 1 && m->args[0].kind == CV_LIST ? m->args[0] : cv_void;
  unsigned n = list.kind == CV_LIST ? list.list->items.len : m->n_args;
  if (m->n_args == 1 && m->args[0].kind == PX_VECTOR)
    return px_type_of(m->args[0]) == lane
               ? cx_copy(m->in, m->args[0])
               : cx_fail(m->in, m->loc, "the vector has lanes of another type, convert_%s makes them these",
                         m->type->name->text);
  if (n != 0 && n != PX_LANES)
    return cx_fail(m->in, m->loc, "%s has 4 lanes, %u values are given", m->type->name->text, n);
  for (unsigned i = 0; i < PX_LANES; i++) {
    cv v = n == 0 ? cv_int(PM_I32, 0) : list.kind == CV_LIST ? list.list->items.data[i]->value : m->args[i];
    lanes[i] = px_convert(m->in, m->loc, lane, v);
    if (lanes[i].kind == CV_POISON) return cv_poison;
  }
  return px_vector(m->in, lane, lanes);
}

bool hp_construct(const cx_making *m, cv *out) {
  static cv (*const makers[])(const cx_making *m) = {
      [HP_IMAGE - CV_LIBRARY] = make_image,       [HP_PYRAMID - CV_LIBRARY] = hp_make_pyramid,
      [HP_BOUNDARY - CV_LIBRARY] = make_boundary, [HP_ACCESSOR - CV_LIBRARY] = make_accessor,
      [HP_SPACE - CV_LIBRARY] = make_space,       [HP_WINDOW - CV_LIBRARY] = make_window,
      [HP_KERNEL - CV_LIBRARY] = make_kernel};
  pm_scalar lane;
  if (px_vector_type(m->type->name->text, &lane)) return *out = make_vector(m, lane), true;
  for (size_t i = 0; i < PM_COUNT(types); i++)
    if (strcmp(types[i].name, m->type->name->text) == 0)
      return *out = makers[types[i].kind - CV_LIBRARY](m), true;
  return false;
}

/* What is of an image has the type of its pixels. */
static bool has_its_type(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  bool is_of_image = v.kind == HP_BOUNDARY || v.kind == HP_ACCESSOR || v.kind == HP_SPACE;
  const hp_image *image = v.kind == HP_IMAGE ? v.own
                          : is_of_image      ? ((const hp_accessor *)v.own)->image
                                             : NULL;
  return !image || has_type_of(in, loc, type, image);
}

bool hp_convert_value(cx_interp *in, pm_loc loc, const cx_node *type, cv v, cv *out) {
  cx_making m = {.in = in, .loc = loc, .type = type, .args = &v, .locs = &loc, .n_args = 1};
  pm_scalar lane;
  if (!hp_is_type(type->name)) return false;
  if (px_vector_type(type->name->text, &lane)) return *out = make_vector(&m, lane), true;
  for (size_t i = 0; i < PM_COUNT(types); i++)
    if (strcmp(types[i].name, type->name->text) == 0 && types[i].kind == (hp_kind)v.kind)
      return *out = has_its_type(in, loc, type, v) ? v : cv_poison, true;
  *out = cx_fail(in, loc, "this is %s, %s should be here", cv_describe(in, v), type->name->text);
  return true;
}

/* --- images that are assigned to --- */

static bool may_assign(cx_interp *in, pm_loc loc, cx_op op) {
  if (op != CX_OP_NONE) cx_fail(in, loc, "an Image is assigned to by '=' alone");
  if (hp_state_of(in)->run) cx_fail(in, loc, "an Image is assigned to in a kernel");
  return op == CX_OP_NONE && !hp_state_of(in)->run && hp_is_reached(in, loc);
}

void hp_assign_image(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right) {
  hp_image *to = left.own;
  if (!may_assign(in, loc, op) || right.kind == CV_POISON) return;
  if (right.kind == HP_ACCESSOR) {
    hp_accessor whole_image = {.image = to, .region = hp_all_of(to)};
    hp_assign_accessor(in, loc, value_of(HP_ACCESSOR, new_of(in, &whole_image, sizeof whole_image)), op,
                       right);
    return;
  }
  hp_memory *memory = right.kind == HP_MEMORY ? right.own : NULL;
  const hp_image *from = right.kind == HP_IMAGE ? right.own : memory ? memory->of : NULL;
  const hp_state *s = hp_state_of(in);
  bool fits = !from || (hp_is_same_size(s, hp_all_of(from), hp_all_of(to)) && from->type == to->type &&
                        from->lanes == to->lanes);
  const hp_version *now = NULL;
  if (!fits)
    cx_fail(in, loc, "the images '%s' and '%s' have %s x %s %s%s and %s x %s %s%s, they should be equal",
            to->name->text, from->name->text, hp_text(s, to->width), hp_text(s, to->height),
            px_type_name(to->type), to->lanes > 1 ? "4" : "", hp_text(s, from->width),
            hp_text(s, from->height), px_type_name(from->type), from->lanes > 1 ? "4" : "");
  else if (right.kind == HP_IMAGE)
    now = from->now;
  else if (memory)
    now = version_of_memory(in, loc, memory, to);
  else
    cx_fail(in, loc, "this is %s, an Image or memory should be here", cv_describe(in, right));
  if (now) to->now = now;
}

/* --- members and functions --- */

static cv do_data(const cx_call *c) {
  hp_image *image = c->self.own;
  hp_memory memory = {.of = image, .version = image->now};
  if (!cx_takes(c, 0, 0) || !hp_is_reached(c->in, c->loc)) return cv_poison;
  image->given = image->now;
  return value_of(HP_MEMORY, new_of(c->in, &memory, sizeof memory));
}

static cv do_size(const cx_call *c) {
  const hp_image *image = c->self.own;
  if (!cx_takes(c, 0, 0)) return cv_poison;
  return px_affine(c->in, strcmp(c->name->text, "width") == 0 ? image->width : image->height);
}

static const cx_row image_rows[] = {{"data", do_data}, {"width", do_size}, {"height", do_size}, {NULL, NULL}};

const cx_row *hp_methods(unsigned kind) {
  return kind == HP_IMAGE      ? image_rows
         : kind == HP_ACCESSOR ? hp_accessor_rows
         : kind == HP_PYRAMID  ? hp_pyramid_rows
         : kind == HP_WINDOW   ? hp_window_rows
         : kind == HP_KERNEL   ? hp_kernel_rows
                               : NULL;
}

static cv new_memory(cx_interp *in) {
  hp_memory memory = {0};
  return value_of(HP_MEMORY, new_of(in, &memory, sizeof memory));
}

bool hp_new_array(cx_interp *in, pm_loc loc, const cx_node *type, cv n, cv *out) {
  (void)loc, (void)type, (void)n;
  *out = new_memory(in);
  return true;
}

static cv do_load(const cx_call *c) {
  return new_memory(c->in);
}

static cv do_nothing(const cx_call *c) {
  (void)c;
  return cv_void;
}

static cv do_show(const cx_call *c) {
  (void)c;
  return cv_bool(true);
}

static cv do_time(const cx_call *c) {
  return strcmp(c->name->text, "hipacc_last_kernel_timing") == 0 ? cv_float(PM_F32, 0) : cv_int(PM_I64, 0);
}

static cv do_exit(const cx_call *c) {
  return cx_fail(c->in, c->loc, "the program ends here, before it has computed its images");
}

const cx_row hp_functions[] = {{"load_data", do_load},
                               {"malloc", do_load},
                               {"calloc", do_load},
                               {"save_data", do_nothing},
                               {"show_data", do_show},
                               {"compare_results", do_nothing},
                               {"free", do_nothing},
                               {"hipacc_last_kernel_timing", do_time},
                               {"hipacc_time_micro", do_time},
                               {"time_ms", do_time},
                               {"exit", do_exit},
                               {"convolve", hp_reduce},
                               {"reduce", hp_reduce},
                               {"iterate", hp_reduce},
                               {"traverse", hp_traverse},
                               {NULL, NULL}};
