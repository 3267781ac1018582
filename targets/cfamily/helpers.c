/* The small functions that the emitted text calls: only those it uses are emitted. The templates
 * are in forms.def. */
#include "targets/cfamily/cfamily.h"

typedef struct helper_text {
  const char *name;
  unsigned params;
  const char *doc;
  const char *signed_body, *unsigned_body; /* of integers; floats use the signed one */
} helper_text;

static const helper_text helpers[C_N_HELPERS] = {
#define HELPER(id, word, params, doc, signed_text, unsigned_text)                                            \
  [C_##id] = {word, params, doc, signed_text, unsigned_text},
#include "targets/cfamily/forms.def"
};

/* The unsigned type of at least that many bits. */
static const char *unsigned_of(const c_emitter *e, unsigned bits) {
  return e->language->types[bits <= 8 ? PM_U8 : bits == 16 ? PM_U16 : bits == 32 ? PM_U32 : PM_U64];
}

static const char *type_of(const c_emitter *e, pm_scalar scalar) {
  return scalar == PM_INDEX && e->language->place ? e->language->place : e->language->types[scalar];
}

static void expand(c_emitter *e, const char *text, pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  pm_buf *out = e->out;
  for (; *text; text++) {
    if (*text != '$') {
      pm_buf_putc(out, *text);
      continue;
    }
    switch (*++text) {
    case 'T':
      pm_buf_puts(out, type_of(e, scalar));
      break;
    case 'U':
      pm_buf_puts(out, unsigned_of(e, info->bits));
      break;
    case 'W':
      pm_buf_puts(out, unsigned_of(e, info->bits < 32 ? 32 : info->bits));
      break;
    case 'l':
      pm_buf_puts(out, e->language->least[scalar]);
      break;
    case 'h':
      pm_buf_puts(out, e->language->greatest[scalar]);
      break;
    case 's':
      pm_buf_puts(out, info->name);
      break;
    default:
      pm_buf_printf(out, "%u", info->bits);
    }
  }
}

static const char *keep(c_emitter *e, pm_buf *text) {
  pm_string kept = pm_get_string(e->ctx, (pm_str){text->data, text->len});
  pm_buf_free(text);
  return kept->text;
}

const char *c_use_helper(c_emitter *e, c_helper helper, pm_scalar scalar) {
  pm_buf name = {0};
  e->helpers[helper][scalar] = true;
  pm_buf_printf(&name, "pm_%s_%s", helpers[helper].name, pm_get_scalar_info(scalar)->name);
  return keep(e, &name);
}

const char *c_use_saturate(c_emitter *e, pm_scalar from, pm_scalar to) {
  pm_buf name = {0};
  e->saturates[from][to] = true;
  pm_buf_printf(&name, "pm_sat_%s_%s", pm_get_scalar_info(from)->name, pm_get_scalar_info(to)->name);
  return keep(e, &name);
}

const char *c_use_bitcast(c_emitter *e, pm_scalar from, pm_scalar to) {
  pm_buf name = {0};
  if (e->language->bits) {
    pm_buf_printf(&name, "%s%s", e->language->bits, e->language->types[to]);
    return keep(e, &name);
  }
  e->bitcasts[from][to] = e->uses_copy = true;
  pm_buf_printf(&name, "pm_bits_%s_%s", pm_get_scalar_info(from)->name, pm_get_scalar_info(to)->name);
  return keep(e, &name);
}

static void emit_helper(c_emitter *e, const helper_text *h, pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  bool natural = !info->is_signed && !info->is_float && h->unsigned_body;
  pm_buf_printf(e->out, "/* %s */\n", h->doc);
  pm_buf_printf(e->out, "%s ", e->language->function);
  expand(e, "$T pm_", scalar);
  pm_buf_puts(e->out, h->name);
  expand(e, "_$s(", scalar);
  for (unsigned i = 0; i < h->params; i++) {
    expand(e, i ? ", $T " : "$T ", scalar);
    pm_buf_putc(e->out, (char)('a' + i));
  }
  pm_buf_puts(e->out, ")\n{\n");
  expand(e, natural ? h->unsigned_body : h->signed_body, scalar);
  pm_buf_puts(e->out, "}\n\n");
}

/* The first float above the type's range: 2^k. */
static void put_float_bound(c_emitter *e, pm_scalar scalar, bool single) {
  const pm_scalar_info *to = pm_get_scalar_info(scalar);
  unsigned bits = to->is_signed ? to->bits - 1u : to->bits;
  pm_buf_printf(e->out, "0x1p%u%s", bits, single ? "f" : "");
}

static void saturate_float(c_emitter *e, pm_scalar from, pm_scalar to) {
  bool single = from == PM_F32;
  if (to == PM_I1) {
    pm_buf_puts(e->out, "  return x >= 1;\n");
    return;
  }
  pm_buf_puts(e->out, "  if (!(x > ");
  pm_buf_puts(e->out, e->language->least[to]);
  pm_buf_puts(e->out, ")) return x != x ? 0 : ");
  pm_buf_puts(e->out, e->language->least[to]);
  pm_buf_puts(e->out, ";\n  return x >= ");
  put_float_bound(e, to, single);
  pm_buf_puts(e->out, " ? ");
  pm_buf_puts(e->out, e->language->greatest[to]);
  pm_buf_printf(e->out, " : (%s)x;\n", e->language->types[to]);
}

static void saturate_integer(c_emitter *e, pm_scalar from, pm_scalar to) {
  const pm_scalar_info *f = pm_get_scalar_info(from), *t = pm_get_scalar_info(to);
  bool low = f->is_signed && (!t->is_signed || t->bits < f->bits);
  bool high = f->bits - f->is_signed > t->bits - t->is_signed;
  if (low) {
    pm_buf_puts(e->out, "  if (x < ");
    pm_buf_puts(e->out, e->language->least[to]);
    pm_buf_puts(e->out, ") return ");
    pm_buf_puts(e->out, e->language->least[to]);
    pm_buf_puts(e->out, ";\n");
  }
  if (high) {
    pm_buf_puts(e->out, "  if (x > ");
    pm_buf_puts(e->out, e->language->greatest[to]);
    pm_buf_puts(e->out, ") return ");
    pm_buf_puts(e->out, e->language->greatest[to]);
    pm_buf_puts(e->out, ";\n");
  }
  pm_buf_printf(e->out, "  return (%s)x;\n", e->language->types[to]);
}

static void emit_saturate(c_emitter *e, pm_scalar from, pm_scalar to) {
  pm_buf_puts(e->out, "/* x brought into the range of the result; 0 for NaN */\n");
  pm_buf_printf(e->out, "%s %s pm_sat_%s_%s(%s x)\n{\n", e->language->function, e->language->types[to],
                pm_get_scalar_info(from)->name, pm_get_scalar_info(to)->name, e->language->types[from]);
  if (pm_get_scalar_info(from)->is_float)
    saturate_float(e, from, to);
  else
    saturate_integer(e, from, to);
  pm_buf_puts(e->out, "}\n\n");
}

static void emit_bitcast(c_emitter *e, pm_scalar from, pm_scalar to) {
  const char *result = e->language->types[to];
  pm_buf_puts(e->out, "/* the number with the bits of x */\n");
  pm_buf_printf(e->out, "%s %s pm_bits_%s_%s(%s x)\n{\n", e->language->function, result,
                pm_get_scalar_info(from)->name, pm_get_scalar_info(to)->name, e->language->types[from]);
  pm_buf_printf(e->out, "  %s r;\n  memcpy(&r, &x, sizeof r);\n  return r;\n}\n\n", result);
}

void c_emit_helpers(c_emitter *e) {
  for (unsigned h = 0; h < C_N_HELPERS; h++)
    for (unsigned s = 0; s < PM_N_SCALARS; s++)
      if (e->helpers[h][s]) emit_helper(e, &helpers[h], (pm_scalar)s);
  for (unsigned from = 0; from < PM_N_SCALARS; from++)
    for (unsigned to = 0; to < PM_N_SCALARS; to++)
      if (e->saturates[from][to]) emit_saturate(e, (pm_scalar)from, (pm_scalar)to);
  for (unsigned from = 0; from < PM_N_SCALARS; from++)
    for (unsigned to = 0; to < PM_N_SCALARS; to++)
      if (e->bitcasts[from][to]) emit_bitcast(e, (pm_scalar)from, (pm_scalar)to);
}
