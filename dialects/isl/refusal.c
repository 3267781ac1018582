#include "dialects/isl/refusal.h"

#include "dialects/isl/budget.h"

#include <ctype.h>
#include <string.h>

enum { MAX_LENGTH = 4000, MAX_OPERATIONS = 10000000 };

typedef PM_VEC(pm_str) words;

typedef struct search {
  isl_ctx *isl;
  const isl_notation *notation;
  words all;
  pm_buf text; /* of the try */
} search;

/* --- words and signs --- */

static size_t name_length(const char *at) {
  size_t n = 0;
  while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '\'') n++;
  return n;
}

static size_t sign_length(const char *at) {
  static const char *const signs[] = {
      "<<=", ">>=", "->", "<=", ">=", "<<", ">>", "!=", "=>", "==", ":=", "//", "/\\", "\\/", "&&", "||"};
  for (size_t i = 0; i < PM_COUNT(signs); i++)
    if (strncmp(at, signs[i], strlen(signs[i])) == 0) return strlen(signs[i]);
  return 1;
}

static size_t word_length(const char *at) {
  if (isdigit((unsigned char)*at)) return strspn(at, "0123456789");
  if (*at == '"') return strcspn(at + 1, "\"") + (strchr(at + 1, '"') ? 2 : 1);
  return name_length(at) ? name_length(at) : sign_length(at);
}

static void split(const char *text, words *out) {
  for (const char *at = text + strspn(text, " \t\n\r"); *at; at += strspn(at, " \t\n\r")) {
    size_t n = word_length(at);
    PM_VEC_PUSH(*out, ((pm_str){at, n}));
    at += n;
  }
}

static bool is_name(pm_str word) {
  return isalpha((unsigned char)*word.ptr) || *word.ptr == '_';
}

/* --- tries --- */

/* Puts what closes the first `n` words, the innermost bracket first; false when one of them closes nothing.
 */
static bool put_closing(const search *s, size_t n, pm_buf *out) {
  pm_buf open = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    char c = *s->all.data[i].ptr;
    if (strchr("([{", c)) pm_buf_putc(&open, c == '(' ? ')' : c == '[' ? ']' : '}');
    if (strchr(")]}", c)) ok = open.len && open.data[--open.len] == c;
  }
  while (ok && open.len) pm_buf_putc(out, open.data[--open.len]);
  pm_buf_free(&open);
  return ok;
}

static bool is_read(search *s) {
  void *object = s->notation->read(s->isl, s->text.data);
  if (object) s->notation->release(object);
  return object != NULL;
}

/* The words, an end of what the innermost bracket has, some of the brackets, an end of what is around. */
static bool try_end(search *s, pm_str beginning, const char *inner, pm_str closing, size_t split_at,
                    const char *outer) {
  s->text.len = 0;
  pm_buf_put(&s->text, beginning.ptr, beginning.len);
  pm_buf_printf(&s->text, " %s%.*s %s%.*s", inner, (int)split_at, closing.ptr, outer,
                (int)(closing.len - split_at), closing.ptr + split_at);
  return is_read(s);
}

/* With these ends, the beginnings of all texts are read that the notation has. */
static const char *const inner_ends[] = {"",
                                         "1",
                                         "1 = 1",
                                         ": 1 = 1",
                                         "z_",
                                         "z_ : 1 = 1",
                                         "(1)",
                                         ", 1",
                                         "[]",
                                         "-> []",
                                         "[] -> []",
                                         "[(1)]",
                                         "-> [(1)]",
                                         "[] -> [(1)]",
                                         "{ [] }",
                                         "-> { [] }",
                                         "{ [] -> [] }",
                                         "-> { [] -> [] }",
                                         "{ [] -> [(1)] }",
                                         "[{ [] -> [(1)] }]",
                                         "-> [{ [] -> [(1)] }]"};
static const char *const outer_ends[] = {
    "", "= 1", "-> []", "-> [(1)]", "-> { [] }", "-> { [] -> [] }", "-> [{ [] -> [(1)] }]"};

static bool try_outer_ends(search *s, pm_str beginning, const char *inner, pm_str closing) {
  for (size_t n = 0; n <= closing.len && n <= 2; n++)
    for (size_t i = 0; i < PM_COUNT(outer_ends); i++)
      if (try_end(s, beginning, inner, closing, n, outer_ends[i])) return true;
  return false;
}

/* A text may begin with the first `n` words, and `more`. */
static bool may_begin(search *s, size_t n, const char *more) {
  pm_buf closing = {0}, beginning = {0};
  bool ok = put_closing(s, n, &closing), found = false;
  if (n)
    pm_buf_put(&beginning, s->all.data[0].ptr,
               (size_t)(s->all.data[n - 1].ptr + s->all.data[n - 1].len - s->all.data[0].ptr));
  pm_buf_printf(&beginning, " %s", more);
  for (size_t i = 0; ok && !found && i < PM_COUNT(inner_ends); i++)
    found = try_outer_ends(s, (pm_str){beginning.data, beginning.len}, inner_ends[i],
                           (pm_str){closing.data ? closing.data : "", closing.len});
  pm_buf_free(&closing);
  pm_buf_free(&beginning);
  return found;
}

/* --- the search --- */

/* How many words a text may begin with. */
static size_t longest_beginning(search *s) {
  size_t good = 0, bad = s->all.len + 1;
  while (good + 1 < bad) {
    size_t middle = good + (bad - good) / 2;
    *(may_begin(s, middle, "") ? &good : &bad) = middle;
  }
  return good;
}

static bool stands_before(const words *all, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (pm_str_eq(all->data[i], all->data[n])) return true;
  return false;
}

static isl_refusal find(search *s, const char *text) {
  size_t n = longest_beginning(s);
  if (n == s->all.len) return (isl_refusal){strlen(text), 0, false};
  pm_str word = s->all.data[n];
  bool is_new = is_name(word) && !stands_before(&s->all, n) && may_begin(s, n, "1");
  return (isl_refusal){(size_t)(word.ptr - text), word.len, is_new};
}

bool isl_find_refusal(isl_ctx *isl, const isl_notation *notation, const char *text, isl_refusal *out) {
  search s = {.isl = isl, .notation = notation};
  if (strlen(text) > MAX_LENGTH) return false;
  split(text, &s.all);
  isl_budget_begin(isl, MAX_OPERATIONS);
  *out = find(&s, text);
  bool found = !isl_budget_end(isl);
  PM_VEC_FREE(s.all);
  pm_buf_free(&s.text);
  return found;
}
