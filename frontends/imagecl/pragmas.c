/* Pragmas: their text, and what they say of the kernel behind them. */
#include "frontends/cxx/types/types.h"
#include "frontends/imagecl/imagecl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- text --- */

typedef struct scanner {
  cx_interp *in;
  const char *start, *at, *end;
  pm_loc loc; /* of `start` */
} scanner;

static pm_loc place_of(const scanner *s) {
  pm_loc loc = s->loc;
  loc.col += (uint32_t)(s->at - s->start);
  return loc;
}

static void skip_blanks(scanner *s) {
  while (s->at < s->end && isspace((unsigned char)*s->at)) s->at++;
}

/* Letters, digits and `_`; NULL: there is none. */
static pm_string take_word(scanner *s) {
  const char *from = (skip_blanks(s), s->at);
  while (s->at < s->end && (isalnum((unsigned char)*s->at) || *s->at == '_')) s->at++;
  return s->at > from ? pm_get_string(s->in->ctx, (pm_str){from, (size_t)(s->at - from)}) : NULL;
}

static bool take(scanner *s, char c) {
  skip_blanks(s);
  if (s->at == s->end || *s->at != c) return false;
  s->at++;
  return true;
}

/* What is at hand, for messages. */
static const char *found(const scanner *s) {
  return s->at < s->end ? pm_arena_printf(s->in->arena, "'%c' is here", *s->at) : "the line ends here";
}

static bool take_type_words(scanner *s, ic_word *w) {
  pm_string second = strcmp(w->value->text, "unsigned") == 0 ? take_word(s) : NULL;
  if (second) w->value = pm_get_cstring(s->in->ctx, pm_arena_printf(s->in->arena, "u%s", second->text));
  return true;
}

/* a, b:v, … up to the bracket. */
static bool take_words(scanner *s, ic_pragma *pragma) {
  do {
    ic_word w = {.loc = (skip_blanks(s), place_of(s))};
    if (!(w.name = take_word(s))) return cx_fail(s->in, place_of(s), "%s, a name should be", found(s)), false;
    if (take(s, ':')) {
      w.value_loc = (skip_blanks(s), place_of(s));
      if (!(w.value = take_word(s)))
        return cx_fail(s->in, place_of(s), "%s, a word should be", found(s)), false;
      take_type_words(s, &w);
    }
    CX_PUSH(s->in->arena, pragma->words, w);
  } while (take(s, ','));
  if (take(s, ')')) return true;
  return cx_fail(s->in, place_of(s), "%s, ',' or ')' should be", found(s)), false;
}

static bool take_option(scanner *s) {
  ic_pragma pragma = {.loc = place_of(s)};
  if (!(pragma.option = take_word(s)))
    return cx_fail(s->in, place_of(s), "%s, an option should be, as grid(input) is", found(s)), false;
  if (!take(s, '('))
    return cx_fail(s->in, place_of(s), "%s, '(' should follow '%s'", found(s), pragma.option->text), false;
  if (!take_words(s, &pragma)) return false;
  CX_PUSH(s->in->arena, ic_state_of(s->in)->pragmas, pragma);
  return true;
}

void ic_run_pragma(cx_interp *in, pm_loc loc, pm_str text) {
  scanner s = {in, text.ptr, text.ptr, text.ptr + text.len, loc};
  pm_string first = take_word(&s);
  if (!first || (strcmp(first->text, "imcl") != 0 && strcmp(first->text, "clite") != 0)) return;
  do skip_blanks(&s);
  while (take_option(&s) && (skip_blanks(&s), s.at < s.end));
}

/* --- words --- */

bool ic_scalar_of(cx_interp *in, pm_string name, pm_scalar *out) {
  cx_node type = {.kind = CX_TYPE, .name = name};
  return cx_scalar_of(in, &type, out);
}

bool ic_rule_of(const char *word, ic_rule *out) {
  *out = strcmp(word, "clamped") == 0 ? IC_CLAMPED : IC_CONSTANT;
  return *out == IC_CLAMPED || strcmp(word, "constant") == 0;
}

/* --- what they say --- */

static bool is_option(const ic_pragma *p, const char *name) {
  return strcmp(p->option->text, name) == 0;
}

/* It stands between line `after` and the kernel. */
static bool is_of(const ic_pragma *p, const cx_node *kernel, uint32_t after) {
  return p->loc.file == kernel->loc.file && p->loc.line > after && p->loc.line <= kernel->loc.line;
}

/* The parameter that a word names, an Image or an array; NULL after a diagnostic. */
static ic_parameter *named(cx_interp *in, ic_kernel *k, const ic_pragma *p, const ic_word *w, bool is_image) {
  ic_parameter *found = ic_find_parameter(k, w->name);
  if (found && found->array && found->array->is_image == is_image) return found;
  const char *what = is_image ? "an Image" : "an array";
  cx_nearest nearest = cx_begin_nearest(w->name);
  if (found) {
    cx_fail(in, w->loc, "'%s' is %s, %s has the name of %s", w->name->text,
            !found->array            ? "a number"
            : found->array->is_image ? "an Image"
                                     : "an array",
            p->option->text, what);
    return NULL;
  }
  for (uint32_t i = 0; i < k->params.len; i++) {
    const ic_array *a = k->params.data[i].array;
    if (a && a->is_image == is_image) cx_look_at(&nearest, a->name->text);
  }
  if (nearest.best)
    cx_fail(in, w->loc, "'%s' is no parameter of '%s', '%s' is the nearest one", w->name->text,
            k->node->name->text, nearest.best);
  else
    cx_fail(in, w->loc, "'%s' is no parameter of '%s', %s should be", w->name->text, k->node->name->text,
            what);
  return NULL;
}

static bool apply_grid(cx_interp *in, ic_kernel *k, const ic_pragma *p) {
  for (uint32_t i = 0; i < p->words.len; i++) {
    const ic_word *w = &p->words.data[i];
    const ic_parameter *image = named(in, k, p, w, true);
    if (!image) return false;
    if (!k->grid) k->grid = image->array->size;
    if (!ic_join_sizes(in, w->loc, k->grid, image->array->size)) return false;
  }
  return true;
}

static bool size_of_word(cx_interp *in, const ic_word *w, int64_t *out) {
  char *end;
  *out = strtoll(w->name->text, &end, 10);
  if (!*end && *out >= 1 && *out <= IC_MOST_PIXELS) return true;
  cx_fail(in, w->loc, "the size is '%s', it should be a number from 1 to %d", w->name->text, IC_MOST_PIXELS);
  return false;
}

static bool apply_grid_size(cx_interp *in, ic_kernel *k, const ic_pragma *p) {
  ic_size *size = ic_new_size(in, p->option, p->loc);
  if (k->grid) {
    pm_warning(in->ctx, p->loc, "grid_size is ignored beside grid");
    return true;
  }
  if (p->words.len != 2)
    return cx_fail(in, p->loc, "grid_size has %u numbers, it should have a width and a height", p->words.len),
           false;
  size->is_constant = true;
  if (!size_of_word(in, &p->words.data[0], &size->n[0]) || !size_of_word(in, &p->words.data[1], &size->n[1]))
    return false;
  k->grid = size;
  return true;
}

static bool apply_rule(cx_interp *in, ic_kernel *k, const ic_pragma *p) {
  for (uint32_t i = 0; i < p->words.len; i++) {
    const ic_word *w = &p->words.data[i];
    ic_parameter *image = named(in, k, p, w, true);
    if (!image) return false;
    if (!w->value)
      return cx_fail(in, w->loc, "'%s' has no mode, clamped or constant should follow it, as in %s:clamped",
                     w->name->text, w->name->text),
             false;
    if (!ic_rule_of(w->value->text, &image->rule))
      return cx_fail(in, w->value_loc, "the mode is '%s', it should be clamped or constant", w->value->text),
             false;
    image->has_rule = true;
  }
  return true;
}

/* Forces of memory: `why` they have no effect, or NULL. */
static bool apply_memory(cx_interp *in, ic_kernel *k, const ic_pragma *p, bool of_images, const char *why) {
  for (uint32_t i = 0; i < p->words.len; i++)
    if (!named(in, k, p, &p->words.data[i], of_images)) return false;
  if (why)
    pm_remark(in->ctx, p->loc, PM_REMARK_MISSED, "imagecl", NULL, 0, "%s is not followed: %s",
              p->option->text, why);
  return true;
}

/* The types were needed before (ic_pixel_type); here they are checked. */
static bool apply_pixel(cx_interp *in, ic_kernel *k, const ic_pragma *p) {
  pm_scalar type;
  for (uint32_t i = 0; i < p->words.len; i++) {
    const ic_word *w = &p->words.data[i];
    if (!named(in, k, p, w, true)) return false;
    if (!w->value || !ic_scalar_of(in, w->value, &type))
      return cx_fail(in, w->value ? w->value_loc : w->loc,
                     "'%s' is no type of pixels, a type should be here, as in %s:float",
                     w->value ? w->value->text : w->name->text, w->name->text),
             false;
  }
  return true;
}

static bool apply(cx_interp *in, ic_kernel *k, const ic_pragma *p) {
  static const char *const options[] = {"grid",      "grid_size", "boundary_cond", "pixel",
                                        "image_mem", "local_mem", "constant_mem",  "constant_mem_cand"};
  cx_nearest nearest = cx_begin_nearest(p->option);
  if (is_option(p, "grid") || is_option(p, "grid_size")) return true; /* before all others */
  if (is_option(p, "boundary_cond")) return apply_rule(in, k, p);
  if (is_option(p, "pixel")) return apply_pixel(in, k, p);
  if (is_option(p, "image_mem")) return apply_memory(in, k, p, true, "there are no images of OpenCL here");
  if (is_option(p, "local_mem"))
    return apply_memory(in, k, p, true, "the target decides what a group loads first");
  if (is_option(p, "constant_mem"))
    return apply_memory(in, k, p, false, "arrays of known numbers are constants anyway");
  if (is_option(p, "constant_mem_cand")) return apply_memory(in, k, p, false, NULL);
  for (size_t i = 0; i < PM_COUNT(options); i++) cx_look_at(&nearest, options[i]);
  return cx_fail(in, p->loc, "'%s' is no option of a pragma%s%s%s", p->option->text,
                 nearest.best ? ", '" : ": grid, grid_size, boundary_cond, pixel and those of memory are",
                 nearest.best ? nearest.best : "", nearest.best ? "' is the nearest one" : ""),
         false;
}

bool ic_apply_pragmas(cx_interp *in, ic_kernel *k, uint32_t after) {
  const ic_state *s = ic_state_of(in);
  bool ok = true;
  for (unsigned sized = 0; sized < 2; sized++)
    for (uint32_t i = 0; i < s->pragmas.len && ok; i++) {
      const ic_pragma *p = &s->pragmas.data[i];
      if (!is_of(p, k->node, after)) continue;
      if (!sized && is_option(p, "grid")) ok = apply_grid(in, k, p);
      if (sized && is_option(p, "grid_size")) ok = apply_grid_size(in, k, p);
    }
  for (uint32_t i = 0; i < s->pragmas.len && ok; i++)
    if (is_of(&s->pragmas.data[i], k->node, after)) ok = apply(in, k, &s->pragmas.data[i]);
  if (ok && !k->grid)
    ok = (cx_fail(in, k->node->loc, "'%s' has no grid, '#pragma imcl grid(…)' should be before it",
                  k->node->name->text),
          false);
  return ok;
}

pm_scalar ic_pixel_type(cx_interp *in, const cx_node *kernel, uint32_t after, pm_string image) {
  const ic_state *s = ic_state_of(in);
  pm_scalar type = s->pixel, own;
  for (uint32_t i = 0; i < s->pragmas.len; i++) {
    const ic_pragma *p = &s->pragmas.data[i];
    if (!is_of(p, kernel, after) || !is_option(p, "pixel")) continue;
    for (uint32_t k = 0; k < p->words.len; k++)
      if (p->words.data[k].name == image && p->words.data[k].value &&
          ic_scalar_of(in, p->words.data[k].value, &own))
        type = own;
  }
  return type;
}
