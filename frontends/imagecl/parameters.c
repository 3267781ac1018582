/* Kernels and their parameters: Images, arrays and numbers, which kernels of one program share by their
 * names; sizes; and the arguments of the call. */
#include "frontends/cxx/types/types.h"
#include "frontends/imagecl/imagecl.h"

#include <string.h>

/* --- sizes --- */

ic_size *ic_new_size(cx_interp *in, pm_string of, pm_loc loc) {
  ic_size size = {.of = of, .loc = loc, .number = ic_state_of(in)->n_sizes++};
  return pm_arena_memdup(in->arena, &size, sizeof size);
}

ic_size *ic_size_of(ic_size *size) {
  while (size->same) size = size->same;
  return size;
}

bool ic_join_sizes(cx_interp *in, pm_loc loc, ic_size *a, ic_size *b) {
  a = ic_size_of(a);
  b = ic_size_of(b);
  if (a == b) return true;
  if (a->is_constant && b->is_constant && (a->n[0] != b->n[0] || a->n[1] != b->n[1]))
    return cx_fail(in, loc, "this Image has %lld x %lld pixels, and %lld x %lld by another grid",
                   (long long)a->n[0], (long long)a->n[1], (long long)b->n[0], (long long)b->n[1]),
           false;
  bool b_counts = a->is_constant == b->is_constant ? b->number < a->number : b->is_constant;
  (b_counts ? a : b)->same = b_counts ? b : a;
  return true;
}

/* --- parameters --- */

ic_parameter *ic_find_parameter(const ic_kernel *k, pm_string name) {
  for (uint32_t i = 0; i < k->params.len; i++)
    if (k->params.data[i].node->name == name) return &k->params.data[i];
  return NULL;
}

static ic_array *find_array(const ic_state *s, pm_string name) {
  for (uint32_t i = 0; i < s->arrays.len; i++)
    if (s->arrays.data[i]->name == name) return s->arrays.data[i];
  return NULL;
}

static ic_scalar *find_scalar(const ic_state *s, pm_string name) {
  for (uint32_t i = 0; i < s->scalars.len; i++)
    if (s->scalars.data[i]->name == name) return s->scalars.data[i];
  return NULL;
}

/* Equal names of several kernels are equal things. */
static bool differs(cx_interp *in, const cx_node *param, pm_loc other) {
  cx_fail(in, param->loc, "'%s' is of another kind or type in an earlier kernel, it should be the same there",
          param->name->text);
  pm_note(in->ctx, other, "it is this one");
  return false;
}

static bool add_array(cx_interp *in, ic_parameter *p, const ic_array *array) {
  ic_state *s = ic_state_of(in);
  const ic_scalar *scalar = find_scalar(s, array->name);
  if (scalar) return differs(in, p->node, scalar->loc);
  ic_array *known = find_array(s, array->name);
  if (known &&
      (known->is_image != array->is_image || known->type != array->type || known->n_dims != array->n_dims ||
       memcmp(known->extents, array->extents, sizeof known->extents) != 0))
    return differs(in, p->node, known->loc);
  p->array = known ? known : pm_arena_memdup(in->arena, array, sizeof *array);
  if (known) return true;
  if (array->is_image) p->array->size = ic_new_size(in, array->name, array->loc);
  CX_PUSH(in->arena, s->arrays, p->array);
  return true;
}

static bool add_scalar(cx_interp *in, ic_parameter *p, pm_scalar type) {
  ic_state *s = ic_state_of(in);
  const ic_array *array = find_array(s, p->node->name);
  ic_scalar *known = find_scalar(s, p->node->name);
  if (array || (known && known->type != type)) return differs(in, p->node, array ? array->loc : known->loc);
  if (!known) {
    ic_scalar scalar = {.name = p->node->name, .type = type, .loc = p->node->loc};
    known = pm_arena_memdup(in->arena, &scalar, sizeof scalar);
    CX_PUSH(in->arena, s->scalars, known);
  }
  p->scalar = known;
  return true;
}

/* Image<T>, Image<Pixel>, Image */
static bool add_image(cx_interp *in, ic_kernel *k, uint32_t after, ic_parameter *p) {
  const cx_node *pixel = cx_argument_of(p->node->a, 0);
  ic_array array = {.name = p->node->name, .loc = p->node->loc, .is_image = true, .n_dims = 2};
  array.type = ic_pixel_type(in, k->node, after, array.name);
  bool is_plain = !pixel || (pixel->name && strcmp(pixel->name->text, "Pixel") == 0);
  if (!is_plain && !cx_scalar_of(in, pixel, &array.type))
    return cx_fail(in, pixel->loc, "an Image of '%s' is not supported, one of numbers is, as Image<float>",
                   pixel->name ? pixel->name->text : "this type"),
           false;
  return add_array(in, p, &array);
}

/* T *a, T a[N], T a[N][M] */
static bool add_plain_array(cx_interp *in, ic_parameter *p, pm_scalar type) {
  const cx_node *n = p->node;
  ic_array array = {.name = n->name, .loc = n->loc, .type = type, .n_dims = n->n_items ? n->n_items : 1};
  if (n->n_items > IC_MOST_DIMS)
    return cx_fail(in, n->loc, "the array has %u dimensions, it should have at most %d", n->n_items,
                   IC_MOST_DIMS),
           false;
  for (uint32_t i = 0; i < n->n_items; i++) {
    if (!n->items[i] && i == 0) continue;
    if (!n->items[i]) return cx_fail(in, n->loc, "only the first length of an array may be left out"), false;
    if (!cx_to_int(in, n->items[i]->loc, cx_eval(in, n->items[i]), &array.extents[i],
                   "the length of the array"))
      return false;
    if (array.extents[i] < 1 || array.extents[i] > IC_MOST_PIXELS)
      return cx_fail(in, n->items[i]->loc, "the length of the array is %lld, it should be 1 to %d",
                     (long long)array.extents[i], IC_MOST_PIXELS),
             false;
  }
  return add_array(in, p, &array);
}

static bool add_parameter(cx_interp *in, ic_kernel *k, uint32_t after, const cx_node *n) {
  ic_parameter p = {.node = n, .rule = ic_state_of(in)->rule};
  pm_scalar type;
  if (!n->name) return cx_fail(in, n->loc, "the parameter has no name, it should have one"), false;
  if (ic_find_parameter(k, n->name))
    return cx_fail(in, n->loc, "'%s' has two parameters '%s'", k->node->name->text, n->name->text), false;
  const cx_node *t = n->a;
  bool ok;
  if (t && t->name && strcmp(t->name->text, "Image") == 0 && !t->is_pointer) {
    ok = add_image(in, k, after, &p);
  } else if (!t || !cx_scalar_of(in, cx_bare_type(in, t), &type)) {
    cx_fail(in, n->loc, "a parameter of the type '%s' is not supported, Images, arrays and numbers are",
            t && t->name ? t->name->text : "");
    return false;
  } else {
    ok = t->is_pointer ? add_plain_array(in, &p, type) : add_scalar(in, &p, type);
  }
  if (ok) CX_PUSH(in->arena, k->params, p);
  return ok;
}

/* --- what a body names and writes --- */

static bool is_name(const cx_node *n, const char *name) {
  return n && n->kind == CX_NAME && n->name && strcmp(n->name->text, name) == 0;
}

/* a[…] that is written: an Image at the point's own pixel has the size of the grid. */
static bool note_write(cx_interp *in, ic_kernel *k, const cx_node *n) {
  const cx_node *base = n;
  unsigned n_indices = 0;
  for (; base && base->kind == CX_INDEX; base = base->a) n_indices++;
  if (!base || base == n || base->kind != CX_NAME) return true;
  ic_parameter *p = ic_find_parameter(k, base->name);
  if (!p || !p->array) return true;
  if (n_indices != p->array->n_dims) return ic_say_indices(in, n->loc, p->array, n_indices), false;
  bool is_own = p->array->is_image && n->a->kind == CX_INDEX && n->a->a == base && is_name(n->a->b, "idx") &&
                is_name(n->b, "idy");
  p->is_written |= is_own;
  p->is_scattered |= !is_own;
  if (p->is_written && p->is_scattered)
    return cx_fail(in, n->loc, "'%s' is written at its own pixel and at others, it should be one of these",
                   base->name->text),
           false;
  return !is_own || ic_join_sizes(in, n->loc, k->grid, p->array->size);
}

static bool note_uses(cx_interp *in, ic_kernel *k, const cx_node *n) {
  if (!n) return true;
  if (n->kind == CX_REFUSED) return cx_fail(in, n->loc, "%.*s", (int)n->text.len, n->text.ptr), false;
  const ic_parameter *p = n->kind == CX_NAME && n->name ? ic_find_parameter(k, n->name) : NULL;
  bool is_step = (n->kind == CX_UNARY || n->kind == CX_POSTFIX) && (n->op == CX_OP_INC || n->op == CX_OP_DEC);
  if (p && p->array) p->array->is_used = true;
  if ((n->kind == CX_ASSIGN || is_step) && !note_write(in, k, n->a)) return false;
  bool ok = note_uses(in, k, n->a) && note_uses(in, k, n->b) && note_uses(in, k, n->c);
  for (uint32_t i = 0; i < n->n_items && ok; i++) ok = note_uses(in, k, n->items[i]);
  return ok;
}

/* --- kernels --- */

static bool is_kernel(cv v) {
  if (v.kind != CV_FUNCTION || v.function->node->kind != CX_FUNCTION || !v.function->node->b) return false;
  const cx_node *type = v.function->node->a;
  return type && !type->is_pointer && cx_is_named(type, "void");
}

static bool add_kernel(cx_interp *in, const cx_node *node, uint32_t after) {
  ic_kernel kernel = {.node = node}, *k = pm_arena_memdup(in->arena, &kernel, sizeof kernel);
  for (uint32_t i = 0; i < node->n_items; i++)
    if (!add_parameter(in, k, after, node->items[i])) return false;
  if (!ic_apply_pragmas(in, k, after) || !note_uses(in, k, node->b)) return false;
  CX_PUSH(in->arena, ic_state_of(in)->kernels, k);
  return true;
}

/* What was not understood is wrong, since the whole text is the program. */
static bool report_refused(cx_interp *in) {
  for (uint32_t i = 0; i < in->refused.len; i++)
    cx_fail(in, in->refused.data[i]->loc, "%.*s", (int)in->refused.data[i]->text.len,
            in->refused.data[i]->text.ptr);
  return in->refused.len == 0;
}

bool ic_find_kernels(cx_interp *in, pm_loc loc) {
  ic_state *s = ic_state_of(in);
  uint32_t after = 0;
  bool ok = report_refused(in);
  for (uint32_t i = 0; i < in->globals->names.len && ok; i++) {
    cv v = in->globals->names.data[i].cell->value;
    if (!is_kernel(v)) continue;
    ok = add_kernel(in, v.function->node, after);
    after = v.function->node->loc.line;
  }
  for (uint32_t i = 0; i < s->pragmas.len && ok; i++)
    if (s->pragmas.data[i].loc.file == loc.file && s->pragmas.data[i].loc.line > after && s->kernels.len)
      ok = (cx_fail(in, s->pragmas.data[i].loc, "no kernel follows this pragma, it should be before one"),
            false);
  if (!ok || s->kernels.len) return ok;
  return pm_error(in->ctx, loc, "the program has no kernel, a void function with '#pragma imcl grid(…)'");
}

/* --- the arguments of the call --- */

static kit_node show(const void *user, const void *expr) {
  (void)user;
  return *(const kit_node *)expr;
}

static bool require_extent(ic_state *s, pm_loc loc, pm_string param, const char *what) {
  static const kit_exprs exprs = {show, NULL};
  kit_node name = {.kind = KIT_NAME, .loc = loc, .name = param->text};
  return kit_require_extent(&s->kit, &exprs, &name, what);
}

static pm_string take_name(ic_state *s, const char *base, const char *end) {
  pm_buf wanted = {0};
  pm_buf_printf(&wanted, "%s%s", base, end);
  pm_string name = kit_names_find(&s->names, wanted.data);
  kit_names_take(&s->names, name);
  pm_buf_free(&wanted);
  return name;
}

/* Parameters of sizes are integers of the call. */
static bool declare_size(cx_interp *in, ic_size *size) {
  ic_state *s = ic_state_of(in);
  static const char *const ends[] = {"_width", "_height"};
  size = ic_size_of(size);
  if (size->is_constant || size->is_declared) return true;
  size->is_declared = true;
  for (unsigned d = 0; d < 2; d++) {
    size->params[d] = take_name(s, size->of->text, ends[d]);
    kit_add_param(&s->kit, size->params[d], pm_get_scalar(s->ctx, PM_I32));
    if (!require_extent(s, size->loc, size->params[d], "the size of an Image")) return false;
  }
  return true;
}

static bool declare_array(cx_interp *in, ic_array *a) {
  ic_state *s = ic_state_of(in);
  if (a->is_image) return declare_size(in, a->size);
  if (a->extents[0] || a->length) return true;
  a->length = take_name(s, a->name->text, "_length");
  kit_add_param(&s->kit, a->length, pm_get_scalar(s->ctx, PM_I32));
  return require_extent(s, a->loc, a->length, "the length of an array");
}

/* Numbers have their own names, sizes those that are left. */
static bool declare_all(cx_interp *in) {
  ic_state *s = ic_state_of(in);
  for (uint32_t i = 0; i < s->scalars.len; i++) {
    ic_scalar *one = s->scalars.data[i];
    one->name = take_name(s, one->name->text, "");
    kit_add_param(&s->kit, one->name, pm_get_scalar(s->ctx, one->type));
  }
  for (uint32_t i = 0; i < s->arrays.len; i++)
    kit_names_take(&s->names, kit_identifier(s->ctx, s->arrays.data[i]->name->text));
  for (uint32_t i = 0; i < s->kernels.len; i++) {
    const ic_kernel *k = s->kernels.data[i];
    if (!declare_size(in, k->grid)) return false;
    for (uint32_t n = 0; n < k->params.len; n++)
      if (k->params.data[n].array && k->params.data[n].array->is_used &&
          !declare_array(in, k->params.data[n].array))
        return false;
  }
  return true;
}

/* 0 <= i < extent, for each dimension. */
pm_attr ic_domain_of(cx_interp *in, const ic_array *a, kit_dims *dims) {
  ic_state *s = ic_state_of(in);
  *dims = kit_array_dims(&s->kit, a->n_dims);
  const ic_size *size = a->is_image ? ic_size_of(a->size) : NULL;
  pm_buf text = {0};
  kit_begin_set(&s->kit, &text, dims);
  for (unsigned d = 0; d < a->n_dims; d++) {
    int64_t n = size ? size->n[1 - d] : a->extents[d];
    pm_string param = size ? size->params[1 - d] : d == 0 ? a->length : NULL;
    pm_buf_printf(&text, "%s0 <= %s < ", d > 0 ? " and " : "", dims->names[d]->text);
    if (param)
      pm_buf_puts(&text, param->text);
    else
      pm_buf_printf(&text, "%lld", (long long)n);
  }
  return kit_end_set(&s->kit, a->loc, &text, true);
}

static bool build_input(cx_interp *in, ic_array *a) {
  ic_state *s = ic_state_of(in);
  if (a->is_declared || !a->is_used) return true;
  a->is_declared = true;
  kit_dims dims;
  pm_attr domain = ic_domain_of(in, a, &dims);
  if (!domain) return false;
  a->now = ic_new_stage(in, a->name);
  s->b.loc = a->loc;
  s->stages.data[s->stages.len - 1].op =
      stage_build_input(&s->b, a->now, pm_get_scalar(s->ctx, a->type), domain, NULL);
  return true;
}

static void build_param(ic_state *s, pm_string name) {
  if (name && !pm_lookup_symbol(s->b.region, name))
    (void)stage_build_param(&s->b, name, pm_get_scalar(s->ctx, PM_I32));
}

static bool build_arguments(cx_interp *in) {
  ic_state *s = ic_state_of(in);
  for (uint32_t i = 0; i < s->kernels.len; i++) {
    const ic_kernel *k = s->kernels.data[i];
    for (unsigned d = 0; d < 2; d++) build_param(s, ic_size_of(k->grid)->params[d]);
    for (uint32_t n = 0; n < k->params.len; n++) {
      const ic_array *a = k->params.data[n].array;
      for (unsigned d = 0; d < 2 && a && a->is_image; d++) build_param(s, ic_size_of(a->size)->params[d]);
      if (a) build_param(s, a->length);
    }
  }
  for (uint32_t i = 0; i < s->kernels.len; i++) {
    const ic_kernel *k = s->kernels.data[i];
    for (uint32_t n = 0; n < k->params.len; n++) {
      ic_scalar *one = k->params.data[n].scalar;
      if (one && !one->value)
        one->value = stage_build_param(&s->b, one->name, pm_get_scalar(s->ctx, one->type));
      if (!one && !build_input(in, k->params.data[n].array)) return false;
    }
  }
  return true;
}

bool ic_begin_pipeline(cx_interp *in, pm_loc loc, const char *name, const char *fp) {
  ic_state *s = ic_state_of(in);
  pm_builder top = pm_builder_at_end(s->module, pm_module_body(s->module), loc);
  if (!declare_all(in)) return false;
  s->pipeline = stage_build_pipeline(&top, kit_identifier(s->ctx, name), NULL, fp);
  s->b = pm_builder_at_end(s->module, pm_region_at(s->pipeline, stage_pipeline_body), loc);
  return build_arguments(in);
}
