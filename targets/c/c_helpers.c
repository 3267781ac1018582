/* The small functions that the emitted text calls: only those it uses are emitted. The templates
 * are in forms.def. */
#include "targets/c/c_emit.h"

typedef struct helper_text {
  const char *name;
  unsigned params;
  const char *doc;
  const char *signed_body, *unsigned_body; /* of integers; floats use the signed one */
} helper_text;

static const helper_text helpers[C_N_HELPERS] = {
#define HELPER(id, word, params, doc, signed_text, unsigned_text)                                            \
  [C_##id] = {word, params, doc, signed_text, unsigned_text},
#include "targets/c/forms.def"
};

static const char *unsigned_of(unsigned bits) {
  return bits <= 8 ? "uint8_t" : bits == 16 ? "uint16_t" : bits == 32 ? "uint32_t" : "uint64_t";
}

static void expand(pm_buf *out, const char *text, const pm_scalar_info *info) {
  for (; *text; text++) {
    if (*text != '$') {
      pm_buf_putc(out, *text);
      continue;
    }
    switch (*++text) {
    case 'T':
      pm_buf_puts(out, info->c_name);
      break;
    case 'U':
      pm_buf_puts(out, unsigned_of(info->bits));
      break;
    case 'W':
      pm_buf_puts(out, unsigned_of(info->bits < 32 ? 32 : info->bits));
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

const char *c_use_prefetch(c_emitter *e, bool write) {
  e->uses_prefetch[write] = true;
  return write ? "pm_prefetch_write" : "pm_prefetch";
}

static void emit_helper(c_emitter *e, const helper_text *h, const pm_scalar_info *info) {
  bool natural = !info->is_signed && !info->is_float && h->unsigned_body;
  pm_buf_printf(e->out, "/* %s */\n", h->doc);
  expand(e->out, "static inline $T pm_", info);
  pm_buf_puts(e->out, h->name);
  expand(e->out, "_$s(", info);
  for (unsigned i = 0; i < h->params; i++) {
    expand(e->out, i ? ", $T " : "$T ", info);
    pm_buf_putc(e->out, (char)('a' + i));
  }
  pm_buf_puts(e->out, ")\n{\n");
  expand(e->out, natural ? h->unsigned_body : h->signed_body, info);
  pm_buf_puts(e->out, "}\n\n");
}

/* The limits of an integer type as text: "INT8_MIN" or, for unsigned types, "0". */
static void put_limit(c_emitter *e, const pm_scalar_info *info, bool upper) {
  unsigned bits = info->bits;
  if (bits == 1)
    pm_buf_puts(e->out, upper ? "1" : "0");
  else if (!upper && !info->is_signed)
    pm_buf_puts(e->out, "0");
  else
    pm_buf_printf(e->out, "%sINT%u_%s", info->is_signed ? "" : "U", bits, upper ? "MAX" : "MIN");
}

/* The first float above the type's range: 2^k. */
static void put_float_bound(c_emitter *e, const pm_scalar_info *to, bool single) {
  unsigned bits = to->is_signed ? to->bits - 1u : to->bits;
  pm_buf_printf(e->out, "0x1p%u%s", bits, single ? "f" : "");
}

static void saturate_float(c_emitter *e, const pm_scalar_info *from, const pm_scalar_info *to) {
  bool single = from->bits == 32;
  if (to->bits == 1) {
    pm_buf_puts(e->out, "  return x >= 1;\n");
    return;
  }
  pm_buf_puts(e->out, "  if (!(x > ");
  put_limit(e, to, false);
  pm_buf_puts(e->out, ")) return x != x ? 0 : ");
  put_limit(e, to, false);
  pm_buf_puts(e->out, ";\n  return x >= ");
  put_float_bound(e, to, single);
  pm_buf_puts(e->out, " ? ");
  put_limit(e, to, true);
  pm_buf_printf(e->out, " : (%s)x;\n", to->c_name);
}

static void saturate_integer(c_emitter *e, const pm_scalar_info *from, const pm_scalar_info *to) {
  unsigned from_bits = from->bits - from->is_signed, to_bits = to->bits - to->is_signed;
  bool low = from->is_signed && (!to->is_signed || to->bits < from->bits), high = from_bits > to_bits;
  if (low) {
    pm_buf_puts(e->out, "  if (x < ");
    put_limit(e, to, false);
    pm_buf_puts(e->out, ") return ");
    put_limit(e, to, false);
    pm_buf_puts(e->out, ";\n");
  }
  if (high) {
    pm_buf_puts(e->out, "  if (x > ");
    put_limit(e, to, true);
    pm_buf_puts(e->out, ") return ");
    put_limit(e, to, true);
    pm_buf_puts(e->out, ";\n");
  }
  pm_buf_printf(e->out, "  return (%s)x;\n", to->c_name);
}

static void emit_saturate(c_emitter *e, const pm_scalar_info *from, const pm_scalar_info *to) {
  pm_buf_puts(e->out, "/* x brought into the range of the result; 0 for NaN */\n");
  pm_buf_printf(e->out, "static inline %s pm_sat_%s_%s(%s x)\n{\n", to->c_name, from->name, to->name,
                from->c_name);
  if (from->is_float)
    saturate_float(e, from, to);
  else
    saturate_integer(e, from, to);
  pm_buf_puts(e->out, "}\n\n");
}

static void emit_size(c_emitter *e) {
  pm_buf_puts(e->out,
              "/* bytes * extent, a negative extent counting as 0; INT64_MAX when it does not fit */\n"
              "static inline int64_t pm_size(int64_t bytes, int64_t extent)\n"
              "{\n"
              "  if (extent <= 0) return 0;\n"
              "  return bytes > INT64_MAX / extent ? INT64_MAX : bytes * extent;\n"
              "}\n\n");
}

static void emit_total(c_emitter *e) {
  pm_buf_puts(e->out, "/* a + b, neither negative; INT64_MAX when it does not fit */\n"
                      "static inline int64_t pm_total(int64_t a, int64_t b)\n"
                      "{\n"
                      "  return a > INT64_MAX - b ? INT64_MAX : a + b;\n"
                      "}\n\n");
}

/* Large blocks are asked for in huge pages: each call allocates, and faults of small pages take longer than
 * the work. madvise is declared where the system's own functions are, with _DEFAULT_SOURCE. */
static void emit_alloc(c_emitter *e) {
  pm_buf_puts(
      e->out,
      "/* Memory at a multiple of 64 bytes, to be freed; NULL when there is none. Large blocks come in\n"
      " * huge pages where the system has them on request. */\n"
      "static inline void *pm_alloc(int64_t bytes)\n"
      "{\n"
      "  if ((uint64_t)bytes > SIZE_MAX / 2) return NULL;\n"
      "#if defined MADV_HUGEPAGE && !defined PM_SMALL_PAGES\n"
      "  const size_t page = (size_t)1 << 21, whole = ((size_t)bytes + page - 1) / page * page;\n"
      "  if (whole >= 2 * page) {\n"
      "    void *block = aligned_alloc(page, whole);\n"
      "    if (block != NULL) (void)madvise(block, whole, MADV_HUGEPAGE);\n"
      "    return block;\n"
      "  }\n"
      "#endif\n"
      "  return aligned_alloc(64, ((size_t)bytes / 64 + 1) * 64);\n"
      "}\n\n");
}

static void emit_threads(c_emitter *e) {
  pm_buf_puts(e->out, "/* How many threads a parallel loop has */\n"
                      "static inline int64_t pm_threads(void)\n"
                      "{\n"
                      "#ifdef _OPENMP\n"
                      "  return omp_get_max_threads();\n"
                      "#else\n"
                      "  return 1;\n"
                      "#endif\n"
                      "}\n\n");
}

/* The address is computed as a number, since a pointer must not leave its array. */
static void emit_prefetch(c_emitter *e, bool write) {
  pm_buf_printf(e->out,
                "/* Asks for memory that may soon be %s, and need not be there */\n"
                "static inline void pm_prefetch%s(const void *array, uint64_t offset)\n"
                "{\n"
                "#ifdef __GNUC__\n"
                "  __builtin_prefetch((const void *)((uintptr_t)array + (uintptr_t)offset), %d);\n"
                "#else\n"
                "  (void)array, (void)offset;\n"
                "#endif\n"
                "}\n\n",
                write ? "written" : "read", write ? "_write" : "", write);
}

void c_emit_helpers(c_emitter *e) {
  for (int write = 0; write <= 1; write++)
    if (e->uses_prefetch[write]) emit_prefetch(e, write);
  if (e->uses_size) emit_size(e);
  if (e->uses_total) emit_total(e);
  if (e->uses_alloc) emit_alloc(e);
  if (e->uses_threads) emit_threads(e);
  for (unsigned h = 0; h < C_N_HELPERS; h++)
    for (unsigned s = 0; s < PM_N_SCALARS; s++)
      if (e->helpers[h][s]) emit_helper(e, &helpers[h], pm_get_scalar_info((pm_scalar)s));
  for (unsigned from = 0; from < PM_N_SCALARS; from++)
    for (unsigned to = 0; to < PM_N_SCALARS; to++)
      if (e->saturates[from][to])
        emit_saturate(e, pm_get_scalar_info((pm_scalar)from), pm_get_scalar_info((pm_scalar)to));
}
