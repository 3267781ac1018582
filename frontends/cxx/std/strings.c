/* Strings, their iterators, and functions of them. A string is a value; what changes one changes the variable
 * that has it. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Argument `i` as a string, or a character as one; NULL after a diagnostic. */
static pm_string text_at(const cx_call *c, unsigned i) {
  cv v = c->args[i];
  if (v.kind == CV_STRING) return v.text;
  if (v.kind == CV_INT && v.scalar == PM_I8) return cv_text(c->in->ctx, &(char){(char)v.i}, 1).text;
  cx_fail(c->in, c->locs[i], "this is %s, a string should be here", cv_describe(c->in, v));
  return NULL;
}

/* --- what is asked of one --- */

static cv size(const cx_call *c) {
  size_t n = c->self.text->len;
  return std_is_called(c, "empty") ? cv_bool(n == 0) : cv_int(PM_U64, (int64_t)n);
}

static cv substr(const cx_call *c) {
  int64_t from = 0, n = (int64_t)c->self.text->len;
  if (c->n_args > 0 && !cx_to_int(c->in, c->locs[0], c->args[0], &from, "the first character"))
    return cv_poison;
  if (c->n_args > 1 && !cx_to_int(c->in, c->locs[1], c->args[1], &n, "the length")) return cv_poison;
  if (from < 0 || from > (int64_t)c->self.text->len)
    return cx_fail(c->in, c->loc, "the string has %u characters, %lld is outside",
                   (unsigned)c->self.text->len, (long long)from);
  if (n < 0 || n > (int64_t)c->self.text->len - from) n = (int64_t)c->self.text->len - from; /* npos */
  c->in->text_bytes += (size_t)n;
  return cv_text(c->in->ctx, c->self.text->text + from, (size_t)n);
}

/* Where the other string begins in it, the first or the last place; npos: nowhere. */
static cv find(const cx_call *c) {
  pm_string what = cx_takes(c, 1, 2) ? text_at(c, 0) : NULL, in = c->self.text;
  bool last = std_is_called(c, "rfind");
  int64_t from = last ? (int64_t)in->len : 0;
  if (!what || (c->n_args > 1 && !cx_to_int(c->in, c->locs[1], c->args[1], &from, "the place")))
    return cv_poison;
  int64_t most = (int64_t)in->len - (int64_t)what->len, step = last ? -1 : 1;
  if (last && (from < 0 || from > most)) from = most;
  c->in->steps += in->len;
  for (int64_t i = from; i >= 0 && i <= most; i += step)
    if (memcmp(in->text + i, what->text, what->len) == 0) return cv_int(PM_U64, i);
  return cv_int(PM_U64, -1);
}

static cv end_of(const cx_call *c) {
  size_t n = c->self.text->len;
  if (n == 0) return cx_fail(c->in, c->loc, "the string is empty");
  return cv_int(PM_I8, c->self.text->text[std_is_called(c, "back") ? n - 1 : 0]);
}

static cv itself(const cx_call *c) {
  return c->self;
}

static cv compare(const cx_call *c) {
  pm_string other = cx_takes(c, 1, 1) ? text_at(c, 0) : NULL;
  return other ? cv_int(PM_I32, strcmp(c->self.text->text, other->text)) : cv_poison;
}

/* --- what changes one --- */

/* The variable that has it; NULL after a diagnostic. */
static cx_cell *variable(const cx_call *c) {
  const cx_node *self = c->at ? c->at->a : NULL;
  bool is_simple = self && (self->kind == CX_NAME || (self->kind == CX_MEMBER && self->a->kind == CX_NAME));
  cx_cell *cell = is_simple && cx_is_place(self) ? cx_place(c->in, self) : NULL;
  if (cell && cell->value.kind == CV_STRING && cell->value.text == c->self.text) return cell;
  cx_fail(c->in, c->loc, "%s is called of a string that is no variable, it should be one", c->name->text);
  return NULL;
}

static cv append(const cx_call *c) {
  pm_string more = cx_takes(c, 1, 1) ? text_at(c, 0) : NULL;
  cx_cell *cell = more ? variable(c) : NULL;
  if (!cell) return cv_poison;
  if (cell->is_const) return cx_fail(c->in, c->loc, "the string is constant");
  c->in->result_cell = cell;
  cx_set_cell(c->in, cell,
              cx_binary(c->in, c->loc, CX_OP_ADD, c->self, (cv){.kind = CV_STRING, .text = more}));
  return cell->value;
}

static cv shorten(const cx_call *c) {
  size_t n = c->self.text->len;
  cx_cell *cell = variable(c);
  if (!cell) return cv_poison;
  if (cell->is_const) return cx_fail(c->in, c->loc, "the string is constant");
  if (n == 0 && std_is_called(c, "pop_back")) return cx_fail(c->in, c->loc, "the string is empty");
  cx_set_cell(c->in, cell, cv_text(c->in->ctx, c->self.text->text, std_is_called(c, "pop_back") ? n - 1 : 0));
  return cv_void;
}

/* --- iterators --- */

/* Of the characters, which are kept with the variable while its value stays. */
static cv iterator(const cx_call *c) {
  cx_cell *cell = variable(c);
  pm_string text = c->self.text;
  if (!cell) return cv_poison;
  if (!cell->characters || cell->characters->characters_of != text) {
    const cx_node *type = cx_type_of_value(c->in, cv_int(PM_I8, 0));
    cell->characters = cx_characters(c->in, c->self).list;
    cell->characters->text = cell;
    cell->characters->characters_of = text;
    for (uint32_t i = 0; i < cell->characters->items.len; i++) cell->characters->items.data[i]->type = type;
  }
  bool is_end = std_is_called(c, "end");
  return (cv){
      .kind = CV_ITERATOR, .list = cell->characters, .number = is_end ? cell->characters->items.len : 0};
}

static pm_string text_of(cx_interp *in, const cx_list *list, uint32_t from, uint32_t to) {
  pm_buf text = {0};
  for (uint32_t i = from; i < to; i++) pm_buf_putc(&text, (char)list->items.data[i]->value.i);
  in->text_bytes += text.len;
  pm_string result = pm_get_string(in->ctx, (pm_str){text.data ? text.data : "", text.len});
  pm_buf_free(&text);
  return result;
}

void std_changed(const cx_call *c, cx_list *list) {
  if (!list->text) return;
  if (list->text->is_const || list->text->value.text != list->characters_of) {
    cx_fail(c->in, c->loc, "%s changes a string that is constant, or another one by now", c->name->text);
    return;
  }
  list->characters_of = text_of(c->in, list, 0, list->items.len);
  cx_set_cell(c->in, list->text, (cv){.kind = CV_STRING, .text = list->characters_of});
}

/* --- streams of text: lists of one string --- */

bool std_is_stream_type(const cx_node *type) {
  return cx_is_named(type, "stringstream") || cx_is_named(type, "ostringstream");
}

static bool is_stream(cv v) {
  return v.kind == CV_LIST && v.list->of && std_is_stream_type(v.list->of) && v.list->items.len == 1;
}

cv std_make_stream(const cx_making *m) {
  if (m->n_args > 0) return cx_fail(m->in, m->loc, "a stream that begins with a text is not supported");
  cv stream = cx_new_list(m->in, CV_LIST);
  stream.list->of = m->type;
  cx_append(m->in, stream, cv_text(m->in->ctx, "", 0));
  return stream;
}

/* What `<<` writes of a value; false: it writes none such. */
static bool written(cx_interp *in, cv v, cv *out) {
  char text[64];
  bool is_character = v.kind == CV_INT && cx_bits((pm_scalar)v.scalar) == 8;
  if (is_character)
    snprintf(text, sizeof(text), "%c", (int)v.i);
  else if (v.kind == CV_INT && cx_is_unsigned((pm_scalar)v.scalar))
    snprintf(text, sizeof(text), "%llu", (unsigned long long)v.i);
  else if (v.kind == CV_INT)
    snprintf(text, sizeof(text), "%lld", (long long)v.i);
  else if (v.kind == CV_FLOAT)
    snprintf(text, sizeof(text), "%g", v.f);
  *out = v.kind == CV_STRING ? v : cv_text(in->ctx, text, is_character ? 1 : strlen(text));
  return v.kind == CV_STRING || cv_is_number(v);
}

bool std_write(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out) {
  cv text;
  if (op != CX_OP_SHL || !is_stream(a)) return false;
  cx_cell *cell = a.list->items.data[0];
  *out = a;
  if (b.kind == CV_IGNORED) b = cv_text(in->ctx, "\n", 1); /* std::endl */
  if (!written(in, b, &text))
    *out = cx_fail(in, loc, "%s is written here, a number or a text should be", cv_describe(in, b));
  else
    cx_set_cell(in, cell, cx_binary(in, loc, CX_OP_ADD, cell->value, text));
  return true;
}

cv std_written(const cx_call *c) {
  if (!is_stream(c->self))
    return cx_fail(c->in, c->loc, "%s has no member 'str'", cv_describe(c->in, c->self));
  return cx_takes(c, 0, 0) ? c->self.list->items.data[0]->value : cv_poison;
}

const cx_row std_text_rows[] = {
    {"size", size},        {"length", size},    {"empty", size},   {"substr", substr}, {"c_str", itself},
    {"data", itself},      {"find", find},      {"rfind", find},   {"front", end_of},  {"back", end_of},
    {"compare", compare},  {"begin", iterator}, {"end", iterator}, {"append", append}, {"push_back", append},
    {"pop_back", shorten}, {"clear", shorten},  {NULL, NULL}};

/* --- conversions --- */

bool std_are_characters(cv v) {
  bool are = v.kind == CV_LIST && !v.list->of && v.list->items.len > 0;
  for (uint32_t i = 0; are && i < v.list->items.len; i++) are = v.list->items.data[i]->value.kind == CV_INT;
  return are;
}

cv std_to_text(cx_interp *in, pm_loc loc, cv v) {
  if (std_are_characters(v))
    return (cv){.kind = CV_STRING, .text = text_of(in, v.list, 0, v.list->items.len)};
  if (v.kind == CV_LIST && v.list->items.len == 1) v = v.list->items.data[0]->value;
  v.scalar = v.kind == CV_STRING ? 0 : v.scalar; /* no literal any more */
  return v.kind == CV_STRING ? v
                             : cx_fail(in, loc, "this is %s, a string should be here", cv_describe(in, v));
}

/* string(), string(text), string(n, character), string(first, last) */
cv std_make_text(const cx_making *m) {
  cx_interp *in = m->in;
  if (m->n_args == 0) return cv_text(in->ctx, "", 0);
  cv all = m->is_braced ? cx_list_of_args(m) : cv_void;
  if (std_are_characters(all)) return std_to_text(in, m->loc, all);
  if (m->n_args == 1) return std_to_text(in, m->loc, m->args[0]);
  cv a = m->args[0], b = m->args[1];
  if (m->n_args == 2 && a.kind == CV_ITERATOR && b.kind == CV_ITERATOR) {
    cv list = std_copy_range(in, m->loc, a, b);
    if (list.kind == CV_POISON) return list;
    return (cv){.kind = CV_STRING, .text = text_of(in, list.list, 0, list.list->items.len)};
  }
  int64_t n;
  if (m->n_args != 2 || b.kind != CV_INT)
    return cx_fail(in, m->loc, "a string is made of a string, a number of characters, or two iterators");
  if (!cx_to_int(in, m->locs[0], a, &n, "the length")) return cv_poison;
  if (n < 0 || n > CX_MAX_TEXT)
    return cx_fail(in, m->loc, "the length is %lld, it should be 0 to %d", (long long)n, CX_MAX_TEXT);
  char *text = pm_arena_alloc(in->arena, (size_t)n + 1);
  memset(text, (int)b.i, (size_t)n);
  return cv_text(in->ctx, text, (size_t)n);
}

/* stoi, stol, stoll, stof, stod: what stands at the beginning. */
cv std_to_number(const cx_call *c) {
  pm_string text = cx_takes(c, 1, 1) ? text_at(c, 0) : NULL;
  if (!text) return cv_poison;
  char *end = NULL, last = c->name->text[3];
  bool is_float = last == 'f' || last == 'd';
  double f = strtod(text->text, &end);
  if (is_float && end != text->text)
    return cv_float(last == 'f' ? PM_F32 : PM_F64, last == 'f' ? (float)f : f);
  long long i = strtoll(text->text, &end, 10);
  pm_scalar type = last == 'i' ? PM_I32 : PM_I64;
  bool fits = last != 'i' || (i >= INT32_MIN && i <= INT32_MAX);
  if (!is_float && end != text->text && fits) return cv_int(type, i);
  return cx_fail(c->in, c->loc, "%s of '%s': no number begins it", c->name->text, text->text);
}

/* tolower, toupper, isdigit …: int, of the "C" locale */
cv std_of_character(const cx_call *c) {
  static const struct {
    const char *name;
    int (*function)(int);
  } rows[] = {{"tolower", tolower}, {"toupper", toupper}, {"isdigit", isdigit},
              {"isalpha", isalpha}, {"isalnum", isalnum}, {"isspace", isspace}};
  int64_t i;
  if (!cx_takes(c, 1, 1) || !cx_to_int(c->in, c->locs[0], c->args[0], &i, "the character")) return cv_poison;
  for (size_t k = 0; k < PM_COUNT(rows); k++)
    if (std_is_called(c, rows[k].name))
      return cv_int(PM_I32, i >= 0 && i < 256 ? rows[k].function((int)i) : i);
  return cv_poison;
}
