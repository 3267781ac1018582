#include "tools/lib/images/image_format.h"

#include "tools/lib/images/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *code;
  pm_scalar scalar;
} type_codes[] = {{"b1", PM_I1},  {"i1", PM_I8},  {"u1", PM_U8},  {"i2", PM_I16},
                  {"u2", PM_U16}, {"i4", PM_I32}, {"u4", PM_U32}, {"i8", PM_I64},
                  {"u8", PM_U64}, {"f2", PM_F16}, {"f4", PM_F32}, {"f8", PM_F64}};

static const char *type_code(pm_scalar scalar) {
  if (scalar == PM_INDEX) scalar = PM_I64;
  for (size_t i = 0; i < PM_COUNT(type_codes); i++)
    if (type_codes[i].scalar == scalar) return type_codes[i].code;
  return NULL;
}

/* What the header says of the elements behind it, and which entries it has. */
typedef struct npy_header {
  pm_array *array;
  bool big_endian, columns_first;
  bool has_descr, has_order, has_shape;
} npy_header;

static bool type_of_descr(pm_str descr, npy_header *out, pm_buf *error) {
  if (descr.len != 3)
    return pm_failf(error, "its type '%.*s' is not a plain number", (int)descr.len, descr.ptr);
  for (size_t i = 0; i < PM_COUNT(type_codes); i++) {
    if (memcmp(type_codes[i].code, descr.ptr + 1, 2) != 0) continue;
    out->big_endian = descr.ptr[0] == '>';
    out->array->scalar = type_codes[i].scalar;
    return true;
  }
  return pm_failf(error, "its type '%.*s' is none of b1, i1..i8, u1..u8, f2, f4, f8", (int)descr.len,
                  descr.ptr);
}

/* --- the header, a Python dictionary --- */

static void skip_blank(pm_bytes *in) {
  while (in->pos < in->len && strchr(" \t\n", in->data[in->pos]) && in->data[in->pos]) in->pos++;
}

static bool opt_char(pm_bytes *in, char c) {
  skip_blank(in);
  if (in->pos >= in->len || in->data[in->pos] != (unsigned char)c) return false;
  in->pos++;
  return true;
}

static bool opt_word(pm_bytes *in, const char *word) {
  skip_blank(in);
  size_t n = strlen(word);
  if (pm_bytes_left(in) < n || memcmp(in->data + in->pos, word, n) != 0) return false;
  in->pos += n;
  return true;
}

static bool opt_string(pm_bytes *in, pm_str *out) {
  skip_blank(in);
  if (in->pos >= in->len || (in->data[in->pos] != '\'' && in->data[in->pos] != '"')) return false;
  unsigned char quote = in->data[in->pos++];
  size_t begin = in->pos;
  while (in->pos < in->len && in->data[in->pos] != quote) in->pos++;
  if (in->pos >= in->len) return false;
  *out = (pm_str){(const char *)in->data + begin, in->pos - begin};
  in->pos++;
  return true;
}

static bool opt_extent(pm_bytes *in, int64_t *out) {
  skip_blank(in);
  size_t begin = in->pos;
  *out = 0;
  while (in->pos < in->len && in->data[in->pos] >= '0' && in->data[in->pos] <= '9') {
    if (*out > (INT64_MAX >> 2) / 10) return false;
    *out = *out * 10 + (in->data[in->pos++] - '0');
  }
  return in->pos > begin;
}

static bool read_shape(pm_bytes *in, pm_array *out, pm_buf *error) {
  if (!opt_char(in, '(')) return pm_failf(error, "its shape is not a tuple");
  out->rank = 0;
  while (!opt_char(in, ')')) {
    if (out->rank == PM_MAX_RANK) return pm_failf(error, "it has more than %d dimensions", PM_MAX_RANK);
    if (!opt_extent(in, &out->extents[out->rank]))
      return pm_failf(error, "its shape has an extent that is no number below 2^61");
    out->rank++;
    opt_char(in, ',');
  }
  return true;
}

/* False, and the entry is seen, the first time. */
static bool is_twice(bool *seen) {
  bool before = *seen;
  *seen = true;
  return before;
}

static bool has_twice(pm_str key, pm_buf *error) {
  return pm_failf(error, "its header has %.*s twice", (int)key.len, key.ptr);
}

static bool read_entry(pm_bytes *in, pm_str key, npy_header *out, pm_buf *error) {
  pm_str descr;
  if (pm_str_is(key, "shape"))
    return is_twice(&out->has_shape) ? has_twice(key, error) : read_shape(in, out->array, error);
  if (pm_str_is(key, "fortran_order")) {
    if (is_twice(&out->has_order)) return has_twice(key, error);
    out->columns_first = opt_word(in, "True");
    return out->columns_first || opt_word(in, "False") ||
           pm_failf(error, "its fortran_order is neither True nor False");
  }
  if (!pm_str_is(key, "descr"))
    return pm_failf(error, "its header has an unknown entry '%.*s'", (int)key.len, key.ptr);
  if (is_twice(&out->has_descr)) return has_twice(key, error);
  if (!opt_string(in, &descr)) return pm_failf(error, "it holds records, not plain numbers");
  return type_of_descr(descr, out, error);
}

static bool read_header(pm_bytes *in, npy_header *out, pm_buf *error) {
  if (!opt_char(in, '{')) return pm_failf(error, "its header is not a dictionary");
  while (!opt_char(in, '}')) {
    pm_str key;
    if (!opt_string(in, &key) || !opt_char(in, ':')) return pm_failf(error, "its header is malformed");
    if (!read_entry(in, key, out, error)) return false;
    opt_char(in, ',');
  }
  return (out->has_descr && out->has_order && out->has_shape) ||
         pm_failf(error, "its header lacks one of descr, fortran_order and shape");
}

/* Magic, version, length: v1 has 2 bytes of length, v2 and v3 four. */
static bool split_header(pm_bytes *in, pm_bytes *header, pm_buf *error) {
  if (in->len < 12) return pm_failf(error, "truncated: the file ends in its header");
  unsigned version = in->data[6];
  if (version < 1 || version > 3)
    return pm_failf(error, "its format version is %u; 1 to 3 are known", version);
  const unsigned char *p = in->data + 8;
  size_t n = (size_t)p[0] | (size_t)p[1] << 8;
  if (version > 1) n |= (size_t)p[2] << 16 | (size_t)p[3] << 24;
  in->pos = version > 1 ? 12 : 10;
  if (n > pm_bytes_left(in)) return pm_failf(error, "truncated: the file ends in its header");
  *header = (pm_bytes){.data = in->data + in->pos, .len = n};
  in->pos += n;
  return true;
}

/* Copies elements whose first index varies fastest into the array, where the last one does. */
static void copy_columns_first(const unsigned char *in, pm_array *out) {
  size_t bytes = pm_scalar_bytes(out->scalar);
  int64_t count = pm_array_count(out), index[PM_MAX_RANK] = {0};
  for (int64_t at = 0; at < count; at++) {
    int64_t from = 0;
    for (unsigned d = out->rank; d-- > 0;) from = from * out->extents[d] + index[d];
    memcpy((char *)out->data + (size_t)at * bytes, in + (size_t)from * bytes, bytes);
    for (unsigned d = out->rank; d-- > 0 && ++index[d] == out->extents[d];) index[d] = 0;
  }
}

static bool npy_read(pm_bytes in, pm_array *out, pm_buf *error) {
  pm_bytes text;
  npy_header header = {.array = out};
  *out = (pm_array){0};
  if (!split_header(&in, &text, error) || !read_header(&text, &header, error)) return false;
  if (!pm_has_bytes(&in, out, error) || !pm_array_allocate(out, error)) return false;
  if (header.columns_first)
    copy_columns_first(in.data + in.pos, out);
  else
    memcpy(out->data, in.data + in.pos, (size_t)pm_array_bytes(out));
  if (header.big_endian) pm_swap_bytes(out);
  return true;
}

static void put_shape(pm_buf *text, const pm_array *array) {
  pm_buf_putc(text, '(');
  for (unsigned i = 0; i < array->rank; i++)
    pm_buf_printf(text, "%s%lld", i ? ", " : "", (long long)array->extents[i]);
  pm_buf_puts(text, array->rank == 1 ? ",)" : ")");
}

/* The header is padded so that the data begin at a multiple of 64. */
static bool npy_write(const pm_array *array, pm_buf *bytes, pm_buf *error) {
  const char *code = type_code(array->scalar);
  if (!code) return pm_failf(error, "an NPY cannot hold %s", pm_get_scalar_info(array->scalar)->name);
  pm_buf text = {0};
  pm_buf_printf(&text, "{'descr': '%c%s', 'fortran_order': False, 'shape': ", code[1] == '1' ? '|' : '<',
                code);
  put_shape(&text, array);
  pm_buf_puts(&text, ", }");
  while ((10 + text.len + 1) % 64) pm_buf_putc(&text, ' ');
  pm_buf_putc(&text, '\n');
  pm_buf_put(bytes, "\x93NUMPY\x01\x00", 8);
  pm_buf_put(bytes, (const char[]){(char)(text.len & 255), (char)(text.len >> 8)}, 2);
  pm_buf_put(bytes, text.data, text.len);
  pm_buf_free(&text);
  pm_buf_put(bytes, array->data, (size_t)pm_array_bytes(array));
  return true;
}

const pm_image_format pm_format_npy = {.name = "NPY",
                                       .content = PM_IMAGE_NUMBERS,
                                       .ends = {".npy"},
                                       .magics = {PM_MAGIC("\x93NUMPY")},
                                       .read = npy_read,
                                       .write = npy_write};
