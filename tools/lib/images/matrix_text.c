#include "tools/lib/images/matrix_text.h"

#include "dialects/arith/kernels.h"
#include "tools/lib/images/image_format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one number --- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool parse_integer(const char *text, const pm_scalar_info *info, pm_lane *lane) {
  char *end;
  const char *digits = text + strspn(text, "+-");
  int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
  errno = 0;
  lane->i = info->is_signed ? (int64_t)strtoll(text, &end, base) : (int64_t)strtoull(text, &end, base);
  if (end == text || *end || errno || is_blank(*text) || (!info->is_signed && *text == '-')) return false;
  if (info->bits >= 64) return true;
  int64_t high = (int64_t)1 << (info->bits - (info->is_signed ? 1 : 0)), low = info->is_signed ? -high : 0;
  return lane->i >= low && lane->i < high;
}

static double parse_float(const char *text, pm_scalar scalar, char **end, pm_lane *lane) {
  double value = scalar == PM_F32 ? (double)strtof(text, end) : strtod(text, end);
  bool finite = isfinite(value);
  if (scalar == PM_F64) return lane->d = value;
  lane->f = scalar == PM_F16    ? arith_round_f16(value)
            : scalar == PM_BF16 ? arith_round_bf16(value)
                                : (float)value;
  if (finite && isinf(lane->f)) errno = ERANGE;
  return (double)lane->f;
}

/* A number that is too large is no value, `inf` is one. */
bool pm_parse_number(const char *text, pm_scalar scalar, pm_lane *lane) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  char *end;
  if (!info->is_float) return parse_integer(text, info, lane);
  errno = 0;
  double value = parse_float(text, scalar, &end, lane);
  return end != text && !is_blank(*text) && !*end && !(errno == ERANGE && isinf(value));
}

/* --- reading --- */

typedef struct matrix_reader {
  const char *path, *text, *at, *line;
  size_t line_number, rows, columns;
  pm_scalar scalar;
  PM_VEC(pm_lane) numbers;
  pm_buf *error;
} matrix_reader;

static bool fail_at(const matrix_reader *r, const char *at, const char *message) {
  return pm_failf(r->error, "%s:%zu:%zu: %s", r->path, r->line_number, (size_t)(at - r->line) + 1, message);
}

static bool at_line_end(const matrix_reader *r) {
  return *r->at == 0 || *r->at == '\n' || *r->at == '#';
}

static void skip_blanks(matrix_reader *r) {
  while (is_blank(*r->at)) r->at++;
}

static bool read_number(matrix_reader *r) {
  const char *begin = r->at;
  pm_lane lane = {0};
  while (!at_line_end(r) && !is_blank(*r->at) && *r->at != ',') r->at++;
  if (r->at == begin)
    return fail_at(r, begin,
                   *begin == ',' ? "a number is missing before ','" : "a number is missing after ','");
  char *word = pm_xstrndup(begin, (size_t)(r->at - begin));
  bool ok = pm_parse_number(word, r->scalar, &lane);
  if (!ok) {
    pm_buf message = {0};
    pm_buf_printf(&message, "'%s' is not a value of type %s", word, pm_get_scalar_info(r->scalar)->name);
    fail_at(r, begin, message.data);
    pm_buf_free(&message);
  }
  free(word);
  PM_VEC_PUSH(r->numbers, lane);
  return ok;
}

/* The numbers of a line, up to its end or comment. */
static bool read_row(matrix_reader *r, size_t *count) {
  *count = 0;
  skip_blanks(r);
  bool more = !at_line_end(r);
  while (more) {
    if (!read_number(r)) return false;
    ++*count;
    skip_blanks(r);
    bool comma = *r->at == ',';
    r->at += comma;
    skip_blanks(r);
    more = comma || !at_line_end(r);
  }
  return true;
}

static bool take_row(matrix_reader *r, size_t count) {
  if (count == 0) return true;
  if (r->rows++ == 0) r->columns = count;
  if (count == r->columns) return true;
  pm_buf message = {0};
  pm_buf_printf(&message, "the numbers of this row are %zu, but %zu in those before", count, r->columns);
  fail_at(r, r->line, message.data);
  pm_buf_free(&message);
  return false;
}

static bool read_rows(matrix_reader *r) {
  static const char byte_order_mark[] = "\xEF\xBB\xBF";
  if (strncmp(r->at, byte_order_mark, sizeof byte_order_mark - 1) == 0) r->at += sizeof byte_order_mark - 1;
  for (bool more = true; more;) {
    size_t count;
    r->line = r->at;
    r->line_number++;
    if (!read_row(r, &count) || !take_row(r, count)) return false;
    r->at += strcspn(r->at, "\n");
    more = *r->at == '\n';
    r->at += more;
  }
  return r->rows > 0 || pm_failf(r->error, "'%s' has no numbers", r->path);
}

static bool has_rank(const matrix_reader *r, unsigned rank) {
  return rank <= 2 ||
         pm_failf(r->error, "'%s' has rows and columns of text, but %u dimensions are needed; give a .npy",
                  r->path, rank);
}

static bool set_extents(const matrix_reader *r, unsigned rank, pm_array *out) {
  *out = (pm_array){.scalar = r->scalar, .rank = rank, .extents = {(int64_t)r->rows, (int64_t)r->columns}};
  if (rank == 2) return true;
  if (rank == 1) out->extents[0] = (int64_t)r->numbers.len;
  if (r->numbers.len == 1 || (rank == 1 && (r->rows == 1 || r->columns == 1))) return true;
  return pm_failf(r->error, "'%s' is %zu rows by %zu columns, but %s is needed", r->path, r->rows, r->columns,
                  rank ? "one row or one column" : "one number");
}

bool pm_matrix_text_read(const char *path, pm_scalar scalar, unsigned rank, pm_array *out, pm_buf *error) {
  size_t len = 0;
  char *text = pm_read_samples(path, &len, error);
  if (!text) return false;
  matrix_reader r = {.path = path, .text = text, .at = text, .scalar = scalar, .error = error};
  bool ok = strlen(text) == len || pm_failf(error, "'%s' is no text: it has a zero byte", path);
  ok = ok && has_rank(&r, rank) && read_rows(&r) && set_extents(&r, rank, out) &&
       pm_array_allocate(out, error);
  if (ok) arith_store_lanes(scalar, r.numbers.data, out->data, 1, r.numbers.len);
  PM_VEC_FREE(r.numbers);
  free(text);
  return ok;
}

/* --- writing --- */

static void put_float(pm_buf *out, double value, bool single) {
  if (isnan(value))
    pm_buf_puts(out, "nan");
  else if (isinf(value))
    pm_buf_puts(out, value < 0 ? "-inf" : "inf");
  else
    pm_buf_put_double(out, value, single);
}

static void put_number(pm_buf *out, pm_scalar scalar, pm_lane lane) {
  if (scalar == PM_F64)
    put_float(out, lane.d, false);
  else if (pm_get_scalar_info(scalar)->is_float)
    put_float(out, (double)lane.f, true);
  else if (scalar == PM_U64)
    pm_buf_printf(out, "%llu", (unsigned long long)lane.i);
  else
    pm_buf_printf(out, "%lld", (long long)lane.i);
}

/* Appends the array's text, rank 1 as a column, with `separator` between the numbers of a row. Each number
 * reads back to the same value. False with a message above rank 2. */
static bool text_write(const pm_array *a, char separator, pm_buf *bytes, pm_buf *error) {
  if (a->rank > 2)
    return pm_failf(error, "text has rows and columns, not %u dimensions; a .npy has any", a->rank);
  int64_t count = pm_array_count(a), columns = a->rank == 2 ? a->extents[1] : 1;
  size_t step = pm_scalar_bytes(a->scalar);
  for (int64_t i = 0; i < count; i++) {
    pm_lane lane;
    arith_load_lanes(a->scalar, (const char *)a->data + (size_t)i * step, 1, &lane, 1);
    put_number(bytes, a->scalar, lane);
    pm_buf_putc(bytes, (i + 1) % columns ? separator : '\n');
  }
  return true;
}

static bool txt_write(const pm_array *a, pm_buf *bytes, pm_buf *error) {
  return text_write(a, ' ', bytes, error);
}

static bool csv_write(const pm_array *a, pm_buf *bytes, pm_buf *error) {
  return text_write(a, ',', bytes, error);
}

const pm_image_format pm_format_txt = {
    .name = "text", .content = PM_IMAGE_TEXT, .ends = {".txt"}, .write = txt_write};
const pm_image_format pm_format_csv = {
    .name = "text with commas", .content = PM_IMAGE_TEXT, .ends = {".csv"}, .write = csv_write};
