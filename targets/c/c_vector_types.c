/* The types of vectors and the functions of them, each emitted once: with the vector extensions of gcc and
 * clang where they are there, and as a loop over the lanes of a struct everywhere else. A vector whose number
 * of lanes is no power of two, or above 256, is always a struct. */
#include "targets/c/c_vector.h"

#include <string.h>

enum { MAX_NATIVE_LANES = 256 };

bool c_is_vector(const pm_value *v) {
  return v->type->cls == PM_TYPE_VECTOR;
}

bool c_is_mask(const pm_value *v) {
  return c_is_vector(v) && pm_is_bool(v->type);
}

unsigned c_bits_of(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->bits;
}

pm_scalar c_mask_scalar(unsigned bits) {
  return bits <= 8 ? PM_I8 : bits == 16 ? PM_I16 : bits == 32 ? PM_I32 : PM_I64;
}

static pm_scalar unsigned_scalar(unsigned bits) {
  return bits <= 8 ? PM_U8 : bits == 16 ? PM_U16 : bits == 32 ? PM_U32 : PM_U64;
}

pm_scalar c_lane_scalar(c_emitter *e, const pm_value *v) {
  if (c_is_mask(v)) return c_mask_scalar(c_mask_bits(e, v));
  return v->type->scalar == PM_INDEX ? PM_I64 : (pm_scalar)v->type->scalar;
}

const char *c_lane_word(const pm_value *vector, const char *numbers, const char *masks) {
  return c_is_mask(vector) ? masks : numbers;
}

/* --- types --- */

bool c_is_native(uint32_t lanes) {
  return lanes > 1 && lanes <= MAX_NATIVE_LANES && (lanes & (lanes - 1)) == 0;
}

pm_string c_keep_text(c_emitter *e, pm_buf *text) {
  pm_string kept = pm_get_string(e->ctx, (pm_str){text->data, text->len});
  pm_buf_free(text);
  return kept;
}

/* False when the name was defined before. */
static bool is_new(c_emitter *e, pm_string name) {
  if (pm_map_has(c_program_of(e)->vector_names, name)) return false;
  pm_map_set(c_program_of(e)->vector_names, name, NULL);
  return true;
}

static void define_type(c_emitter *e, const char *name, pm_scalar scalar, uint32_t lanes) {
  const char *type = abi_language.types[scalar];
  pm_buf *out = &c_program_of(e)->vectors;
  if (c_is_native(lanes))
    pm_buf_printf(out,
                  "#ifdef PM_VECTOR_EXTENSIONS\ntypedef %s %s __attribute__((vector_size(%u)));\n#else\n",
                  type, name, lanes * (c_bits_of(scalar) / 8u));
  pm_buf_printf(out, "typedef struct { %s v[%u]; } %s;\n", type, lanes, name);
  pm_buf_puts(out, c_is_native(lanes) ? "#endif\n\n" : "\n");
}

const char *c_use_vector_type(c_emitter *e, pm_scalar scalar, uint32_t lanes) {
  pm_buf text = {0};
  pm_buf_printf(&text, "pm_%sx%u", pm_get_scalar_info(scalar)->name, lanes);
  pm_string name = c_keep_text(e, &text);
  if (is_new(e, name)) define_type(e, name->text, scalar, lanes);
  return name->text;
}

const char *c_vector_type(c_emitter *e, const pm_value *v) {
  return c_use_vector_type(e, c_lane_scalar(e, v), v->type->lanes);
}

/* --- functions --- */

/* Of b, which a gather may have fewer lanes of. */
static uint32_t lanes_of_b(const c_shape *s) {
  return s->lanes / s->run;
}

static void put_lane(const c_shape *s, pm_buf *out, char vector) {
  uint32_t run = vector == 'b' ? s->run : 1;
  pm_buf_printf(out, c_is_native(s->lanes / run) ? "PM_LANE(%c, k" : "%c.v[k", vector);
  if (run > 1) pm_buf_printf(out, " / %u", run);
  pm_buf_puts(out, c_is_native(s->lanes / run) ? ")" : "]");
}

static void put_word(const c_shape *s, pm_buf *out, char word) {
  unsigned bits = c_bits_of(s->a);
  switch (word) {
  case 'R':
    pm_buf_puts(out, c_use_vector_type(s->e, s->r, s->lanes));
    break;
  case 'A':
    pm_buf_puts(out, c_use_vector_type(s->e, s->a, s->lanes));
    break;
  case 'B':
    pm_buf_puts(out, c_use_vector_type(s->e, s->b, lanes_of_b(s)));
    break;
  case 'C':
    pm_buf_puts(out, c_use_vector_type(s->e, s->c, s->lanes));
    break;
  case 'U':
    pm_buf_puts(out, c_use_vector_type(s->e, unsigned_scalar(bits), s->lanes));
    break;
  case 'M':
    pm_buf_puts(out, c_use_vector_type(s->e, c_mask_scalar(bits), s->lanes));
    break;
  case 'e':
    pm_buf_puts(out, abi_language.types[s->r]);
    break;
  case 't':
    pm_buf_puts(out, abi_language.types[s->a]);
    break;
  case 'u':
    pm_buf_puts(out, abi_language.types[unsigned_scalar(bits)]);
    break;
  case 'W':
    pm_buf_puts(out, abi_language.types[unsigned_scalar(bits < 32 ? 32 : bits)]);
    break;
  case 'w':
    pm_buf_printf(out, "%u", bits);
    break;
  case 'n':
    pm_buf_printf(out, "%u", s->lanes);
    break;
  case 'd':
    if (s->run > 1) pm_buf_printf(out, " + k %% %u", s->run);
    break;
  case 'x':
    pm_buf_puts(out, s->extra);
    break;
  default:
    put_lane(s, out, word);
  }
}

static void expand(const c_shape *s, pm_buf *out, const char *text) {
  for (; *text; text++)
    if (*text == '$')
      put_word(s, out, *++text);
    else
      pm_buf_putc(out, *text);
}

static void put_loop(const c_shape *s, pm_buf *out, const c_template *f) {
  if (f->start) {
    expand(s, out, "  $R r = ");
    expand(s, out, f->start);
    pm_buf_puts(out, ";\n");
  }
  expand(s, out, "  for (int k = 0; k < $n; k++) ");
  expand(s, out, f->lane);
  pm_buf_puts(out, f->start ? ";\n  return r;\n" : ";\n");
}

/* Emits the function unless one of that name was. Returns the name. */
static const char *define(const c_shape *s, pm_buf *name_text, const c_template *f) {
  pm_string name = c_keep_text(s->e, name_text);
  if (!is_new(s->e, name)) return name->text;
  pm_buf text = {0};
  bool native = f->native && c_is_native(s->lanes);
  expand(s, &text, "PM_INLINE ");
  expand(s, &text, f->result);
  pm_buf_printf(&text, "%s%s(", f->result[strlen(f->result) - 1] == '*' ? "" : " ", name->text);
  expand(s, &text, f->params);
  pm_buf_puts(&text, ")\n{\n");
  if (native) {
    pm_buf_puts(&text, "#ifdef PM_VECTOR_EXTENSIONS\n");
    expand(s, &text, f->native);
    pm_buf_puts(&text, "#else\n");
  }
  if (f->lane)
    put_loop(s, &text, f);
  else
    expand(s, &text, f->start);
  pm_buf_puts(&text, native ? "#endif\n}\n\n" : "}\n\n");
  pm_buf_put(&c_program_of(s->e)->vectors, text.data, text.len);
  pm_buf_free(&text);
  return name->text;
}

static void put_type_suffix(pm_buf *name, pm_scalar scalar, uint32_t lanes) {
  pm_buf_printf(name, "_%sx%u", pm_get_scalar_info(scalar)->name, lanes);
}

const char *c_define_by_one(const c_shape *s, const char *what, pm_scalar scalar, const c_template *f) {
  pm_buf name = {0};
  pm_buf_printf(&name, "pm_%s", what);
  put_type_suffix(&name, scalar, s->lanes);
  return define(s, &name, f);
}

const char *c_define_by_two(const c_shape *s, const char *what, pm_scalar first, pm_scalar second,
                            const c_template *f) {
  pm_buf name = {0};
  pm_buf_printf(&name, "pm_%s", what);
  put_type_suffix(&name, first, s->lanes);
  put_type_suffix(&name, second, lanes_of_b(s));
  return define(s, &name, f);
}
