#include "tools/lib/lsp/places.h"

#include "tools/lib/utf8.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

pm_lines pm_lines_of(pm_str text) {
  pm_lines lines = {.text = text};
  PM_VEC_PUSH(lines.begins, 0);
  for (size_t i = 0; i < text.len; i++)
    if (text.ptr[i] == '\n') PM_VEC_PUSH(lines.begins, i + 1);
  return lines;
}

void pm_lines_free(pm_lines *lines) {
  PM_VEC_FREE(lines->begins);
}

size_t pm_lines_find(const pm_lines *lines, size_t offset) {
  size_t low = 0, high = lines->begins.len;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (lines->begins.data[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

pm_str pm_lines_text(const pm_lines *lines, size_t line) {
  if (line >= lines->begins.len) return (pm_str){lines->text.ptr + lines->text.len, 0};
  size_t begin = lines->begins.data[line];
  size_t end = line + 1 < lines->begins.len ? lines->begins.data[line + 1] - 1 : lines->text.len;
  if (end > begin && lines->text.ptr[end - 1] == '\r') end--;
  return (pm_str){lines->text.ptr + begin, end - begin};
}

size_t pm_offset_of_loc(const pm_lines *lines, pm_loc loc) {
  pm_str line = pm_lines_text(lines, loc.line ? loc.line - 1 : 0);
  size_t col = loc.col ? loc.col - 1u : 0;
  return (size_t)(line.ptr - lines->text.ptr) + (col < line.len ? col : line.len);
}

/* --- UTF-16 --- */

/* The bytes of the character at the beginning, and its units. */
static size_t take_character(pm_str text, size_t *units) {
  size_t n = pm_utf8_length(text);
  *units = n == 4 ? 2 : 1;
  return n ? n : 1;
}

static size_t count_units(pm_str text) {
  size_t sum = 0;
  for (size_t n, units; text.len; text.ptr += n, text.len -= n, sum += units)
    n = take_character(text, &units);
  return sum;
}

/* The bytes ahead of unit number `column`, or all. */
static size_t bytes_before(pm_str text, json_int_t column) {
  const char *begin = text.ptr;
  json_int_t sum = 0;
  while (text.len && sum < column) {
    size_t units, n = take_character(text, &units);
    text.ptr += n;
    text.len -= n;
    sum += (json_int_t)units;
  }
  return (size_t)(text.ptr - begin);
}

size_t pm_column_of(const pm_lines *lines, size_t offset) {
  size_t begin = lines->begins.data[pm_lines_find(lines, offset)];
  return count_units((pm_str){lines->text.ptr + begin, offset - begin});
}

bool pm_offset_of_position(const pm_lines *lines, const json_t *position, size_t *offset) {
  const json_t *line = json_object_get(position, "line"), *column = json_object_get(position, "character");
  if (!json_is_integer(line) || !json_is_integer(column)) return false;
  json_int_t number = json_integer_value(line);
  pm_str text = pm_lines_text(lines, number < 0 ? 0 : (size_t)number);
  *offset = (size_t)(text.ptr - lines->text.ptr) + bytes_before(text, json_integer_value(column));
  return true;
}

static json_t *position_of(const pm_lines *lines, size_t offset) {
  return json_pack("{s:I, s:I}", "line", (json_int_t)pm_lines_find(lines, offset), "character",
                   (json_int_t)pm_column_of(lines, offset));
}

json_t *pm_range_of(const pm_lines *lines, size_t begin, size_t end) {
  return json_pack("{s:o, s:o}", "start", position_of(lines, begin), "end", position_of(lines, end));
}

json_t *pm_json_text(pm_str text) {
  pm_buf clean = {0};
  pm_buf_puts(&clean, "");
  for (size_t n; text.len; text.ptr += n, text.len -= n) {
    n = pm_utf8_length(text);
    pm_buf_put(&clean, n ? text.ptr : "\xef\xbf\xbd", n ? n : 3);
    n = n ? n : 1;
  }
  json_t *string = json_stringn(clean.data, clean.len);
  pm_buf_free(&clean);
  return string;
}

/* --- URIs of files: RFC 8089 --- */

static const char scheme[] = "file://";

static int hex_value(char c) {
  static const char digits[] = "0123456789abcdef";
  const char *found = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
  return found ? (int)(found - digits) : -1;
}

char *pm_path_of_uri(const char *uri) {
  if (strncmp(uri, scheme, sizeof scheme - 1) != 0) return NULL;
  const char *at = strchr(uri + sizeof scheme - 1, '/');
  pm_buf path = {0};
  for (; at && *at; at++) {
    int high = *at == '%' ? hex_value(at[1]) : -1, low = high < 0 ? -1 : hex_value(at[2]);
    pm_buf_putc(&path, low < 0 ? *at : (char)(high * 16 + low));
    at += low < 0 ? 0 : 2;
  }
  return path.len ? pm_buf_take(&path) : NULL;
}

char *pm_uri_of_path(const char *path) {
  pm_buf uri = {0};
  pm_buf_puts(&uri, scheme);
  for (; *path; path++) {
    bool plain = isalnum((unsigned char)*path) || strchr("/-._~", *path);
    if (plain)
      pm_buf_putc(&uri, *path);
    else
      pm_buf_printf(&uri, "%%%02X", (unsigned)(unsigned char)*path);
  }
  return pm_buf_take(&uri);
}
