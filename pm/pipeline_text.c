#include "pm/pipeline_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A word of a pipeline text with the options behind it: text[name, name_end) and, when there are braces,
 * text[open] == '{' and text[end - 1] == '}'. */
typedef struct item {
  size_t name, name_end, open, end;
  bool has_options;
} item;

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* Just after what begins at `at`: a quoted string or one character. */
static size_t skip_char_or_string(const char *text, size_t at) {
  if (text[at] != '"') return at + 1;
  for (at++; text[at] && text[at] != '"'; at++)
    if (text[at] == '\\' && text[at + 1]) at++;
  return text[at] ? at + 1 : at;
}

static size_t skip_braces(const char *text, size_t at) {
  unsigned depth = 0;
  do {
    if (text[at] == '{') depth++;
    if (text[at] == '}') depth--;
    at = skip_char_or_string(text, at);
  } while (depth && text[at]);
  return at;
}

/* The first word at or after `from`. */
static bool next_item(const char *text, size_t from, item *out) {
  while (text[from] && !is_name_char(text[from])) from = skip_char_or_string(text, from);
  if (!text[from]) return false;
  *out = (item){.name = from};
  while (is_name_char(text[from])) from++;
  out->name_end = out->end = from;
  while (isspace((unsigned char)text[from])) from++;
  if (text[from] != '{') return true;
  out->has_options = true;
  out->open = from;
  out->end = skip_braces(text, from);
  return true;
}

static bool is_pass(const char *text, const item *it, const char *pass) {
  return pm_str_is((pm_str){text + it->name, it->name_end - it->name}, pass);
}

bool pm_pipeline_has(const char *text, const char *pass) {
  item it;
  for (size_t at = 0; next_item(text, at, &it); at = it.end)
    if (is_pass(text, &it, pass)) return true;
  return false;
}

char *pm_pipeline_item(const char *text, const char *pass) {
  item it;
  for (size_t at = 0; next_item(text, at, &it); at = it.end)
    if (is_pass(text, &it, pass)) return pm_xstrndup(text + it.name, it.end - it.name);
  return NULL;
}

/* The end of the option that begins at `at`: white space or the closing brace outside strings. */
static size_t option_end(const char *text, size_t at, size_t end) {
  while (at < end && !isspace((unsigned char)text[at])) at = skip_char_or_string(text, at);
  return at < end ? at : end;
}

static bool is_option(const char *text, size_t begin, size_t end, const char *option) {
  size_t n = strlen(option);
  return end - begin >= n && memcmp(text + begin, option, n) == 0 &&
         (end - begin == n || text[begin + n] == '=');
}

/* The options of `it` but `option`, each followed by a space. */
static void put_other_options(pm_buf *out, const char *text, const item *it, const char *option) {
  size_t at = it->open + 1, end = it->end - 1;
  while (it->has_options && at < end) {
    if (isspace((unsigned char)text[at])) {
      at++;
      continue;
    }
    size_t stop = option_end(text, at, end);
    if (!is_option(text, at, stop, option)) {
      pm_buf_put(out, text + at, stop - at);
      pm_buf_putc(out, ' ');
    }
    at = stop;
  }
}

/* The text of a value, which may be quoted: to be freed. */
static char *value_text(const char *text, size_t begin, size_t end) {
  if (end - begin < 2 || text[begin] != '"') return pm_xstrndup(text + begin, end - begin);
  pm_buf out = {0};
  for (size_t at = begin + 1; at < end - 1; at++) {
    if (text[at] == '\\' && at + 1 < end - 1) at++;
    pm_buf_putc(&out, text[at]);
  }
  pm_buf_puts(&out, "");
  return pm_buf_take(&out);
}

char *pm_pipeline_get(const char *text, const char *pass, const char *option) {
  item it;
  for (size_t at = 0; next_item(text, at, &it); at = it.end) {
    if (!it.has_options || !is_pass(text, &it, pass)) continue;
    for (size_t from = it.open + 1, stop; from < it.end - 1; from = stop + 1) {
      stop = option_end(text, from, it.end - 1);
      if (is_option(text, from, stop, option) && text[from + strlen(option)] == '=')
        return value_text(text, from + strlen(option) + 1, stop);
    }
  }
  return NULL;
}

char *pm_pipeline_set(const char *text, const char *pass, const char *option, const char *value) {
  pm_buf out = {0};
  item it;
  size_t at = 0;
  while (next_item(text, at, &it)) {
    if (is_pass(text, &it, pass)) {
      pm_buf_put(&out, text + at, it.name_end - at);
      pm_buf_putc(&out, '{');
      put_other_options(&out, text, &it, option);
      pm_buf_printf(&out, "%s=%s}", option, value);
    } else {
      pm_buf_put(&out, text + at, it.end - at);
    }
    at = it.end;
  }
  pm_buf_puts(&out, text + at);
  return pm_buf_take(&out);
}

/* --- PASS{OPTION=VALUE …} --- */

typedef struct setting_option {
  size_t begin, equals, end;
} setting_option;

/* The option at or after `at`, which must be before `end`; false when there is none. `equals` is `end` of an
 * option without a value. */
static bool next_option(const char *text, size_t at, size_t end, setting_option *out) {
  while (at < end && isspace((unsigned char)text[at])) at++;
  if (at >= end) return false;
  out->begin = out->equals = at;
  out->end = option_end(text, at, end);
  while (out->equals < out->end && text[out->equals] != '=') out->equals++;
  return true;
}

bool pm_pipeline_is_setting(const char *setting) {
  item it;
  setting_option o;
  size_t n = 0;
  if (!next_item(setting, 0, &it) || it.name || !it.has_options || setting[it.end] ||
      setting[it.end - 1] != '}')
    return false;
  for (size_t at = it.open + 1; next_option(setting, at, it.end - 1, &o); at = o.end, n++)
    if (o.equals == o.begin || o.equals + 1 >= o.end) return false;
  return n > 0;
}

char *pm_pipeline_merge(const char *text, const char *setting) {
  item it;
  setting_option o;
  if (!next_item(setting, 0, &it)) return NULL;
  char *pass = pm_xstrndup(setting + it.name, it.name_end - it.name), *result = NULL;
  if (pm_pipeline_has(text, pass)) result = pm_xstrdup(text);
  for (size_t at = it.open + 1; result && next_option(setting, at, it.end - 1, &o); at = o.end) {
    char *option = pm_xstrndup(setting + o.begin, o.equals - o.begin);
    char *value = pm_xstrndup(setting + o.equals + 1, o.end - o.equals - 1);
    char *next = pm_pipeline_set(result, pass, option, value);
    free(result);
    free(option);
    free(value);
    result = next;
  }
  free(pass);
  return result;
}

/* Where the text goes on after a dropped item: behind the comma after it, if there is one. */
static size_t after_comma(const char *text, size_t at) {
  size_t next = at;
  while (isspace((unsigned char)text[next])) next++;
  return text[next] == ',' ? next + 1 : at;
}

static void drop_last_comma(pm_buf *out) {
  while (out->len && isspace((unsigned char)out->data[out->len - 1])) out->len--;
  if (out->len && out->data[out->len - 1] == ',') out->len--;
}

char *pm_pipeline_drop(const char *text, const char *pass) {
  pm_buf out = {0};
  item it;
  size_t at = 0;
  while (next_item(text, at, &it)) {
    bool dropped = is_pass(text, &it, pass);
    pm_buf_put(&out, text + at, (dropped ? it.name : it.end) - at);
    at = dropped ? after_comma(text, it.end) : it.end;
    if (dropped && at == it.end) drop_last_comma(&out);
  }
  pm_buf_puts(&out, text + at);
  return pm_buf_take(&out);
}

/* The parentheses that are open at `end`, outside strings and options. */
static unsigned depth_at(const char *text, size_t end) {
  unsigned depth = 0;
  for (size_t at = 0; at < end; at = text[at] == '{' ? skip_braces(text, at) : skip_char_or_string(text, at))
    if (text[at] == '(')
      depth++;
    else if (text[at] == ')' && depth)
      depth--;
  return depth;
}

char *pm_pipeline_until(const char *text, const char *pass) {
  pm_buf out = {0};
  item it;
  size_t end = strlen(text);
  for (size_t at = 0; next_item(text, at, &it); at = it.end)
    if (is_pass(text, &it, pass)) {
      end = it.end;
      break;
    }
  pm_buf_put(&out, text, end);
  for (unsigned depth = depth_at(text, end); depth > 0; depth--) pm_buf_putc(&out, ')');
  pm_buf_puts(&out, "");
  return pm_buf_take(&out);
}
