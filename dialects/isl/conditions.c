/* Rewrites the text that isl gives: `-5 + 2C` becomes `2*C - 5`. Of a union, looks for what lies between its
 * parts. */
#include "dialects/isl/conditions.h"

#include <ctype.h>
#include <isl/constraint.h>
#include <stdlib.h>
#include <string.h>

/* The text from `text` on up to the character behind the last digit. */
static const char *skip_digits(const char *text) {
  while (isdigit((unsigned char)*text)) text++;
  return text;
}

static const char *skip_name(const char *text) {
  while (isalnum((unsigned char)*text) || *text == '_' || *text == '\'') text++;
  return text;
}

static bool begins_name(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

/* `2C`, a number before a name, or a name alone; NULL when it is something else. */
static const char *end_of_term(const char *text) {
  const char *name = skip_digits(text);
  return begins_name(*name) ? skip_name(name) : NULL;
}

static void put_term(pm_buf *out, const char *text, const char *end) {
  const char *name = skip_digits(text);
  if (name > text) pm_buf_printf(out, "%.*s*", (int)(name - text), text);
  pm_buf_put(out, name, (size_t)(end - name));
}

/* A constant, ` + ` and a term at `text`, which begins an expression: the term first. The end of them, or
 * NULL when something else is there. */
static const char *put_turned(pm_buf *out, const char *text) {
  bool negative = *text == '-';
  const char *digits = text + negative, *end = skip_digits(digits);
  if (end == digits || strncmp(end, " + ", 3) != 0) return NULL;
  const char *term = end + 3, *term_end = end_of_term(term);
  if (!term_end) return NULL;
  put_term(out, term, term_end);
  pm_buf_printf(out, " %c %.*s", negative ? '-' : '+', (int)(end - digits), digits);
  return term_end;
}

/* What comes before is no operand. */
static bool begins_expression(const pm_buf *out, size_t first) {
  size_t at = out->len;
  while (at > first && out->data[at - 1] == ' ') at--;
  if (at == first || strchr("<>=(,:", out->data[at - 1])) return true;
  return at >= first + 3 &&
         (memcmp(&out->data[at - 3], "and", 3) == 0 || memcmp(&out->data[at - 2], "or", 2) == 0);
}

/* `(R)` at `text`, which is no argument: the end of it, with the name put; else NULL. */
static const char *put_bare(pm_buf *out, const char *text) {
  bool argument =
      out->len && (isalnum((unsigned char)out->data[out->len - 1]) || out->data[out->len - 1] == '_');
  if (*text != '(' || argument || !begins_name(text[1])) return NULL;
  const char *end = skip_name(text + 1);
  if (*end != ')') return NULL;
  pm_buf_put(out, text + 1, (size_t)(end - text - 1));
  return end + 1;
}

static void put_rewritten(pm_buf *out, const char *text, const char *end) {
  size_t first = out->len;
  while (text < end) {
    const char *next = begins_expression(out, first) ? put_turned(out, text) : NULL;
    if (!next) next = put_bare(out, text);
    bool term = !next && (isdigit((unsigned char)*text) || begins_name(*text));
    if (term) {
      next = end_of_term(text);
      if (next)
        put_term(out, text, next);
      else
        pm_buf_put(out, text, (size_t)((next = skip_digits(text)) - text));
    }
    if (!next) pm_buf_putc(out, *text++);
    if (next) text = next;
  }
}

/* The conditions of `[R] -> { : … }`. */
static void put_between(pm_buf *out, const char *text) {
  const char *begin = strchr(text, '{'), *end = strrchr(text, '}');
  const char *colon = begin ? strchr(begin, ':') : NULL, *first = colon ? colon + 1 : end;
  while (first < end && *first == ' ') first++;
  while (first < end && end[-1] == ' ') end--;
  if (first < end)
    put_rewritten(out, first, end);
  else
    pm_buf_puts(out, "anything");
}

/* Dimensions become parameters: isl would put what holds of them into the tuple. */
static isl_set *without_tuple(const isl_set *set, const pm_string *names) {
  isl_set *all = isl_set_reset_tuple_id(isl_set_copy((isl_set *)set));
  unsigned n = (unsigned)isl_set_dim(all, isl_dim_set), first = (unsigned)isl_set_dim(all, isl_dim_param);
  all = isl_set_move_dims(all, isl_dim_param, first, isl_dim_set, 0, n);
  for (unsigned d = 0; d < n; d++) all = isl_set_set_dim_name(all, isl_dim_param, first + d, names[d]->text);
  return isl_set_params(all);
}

static void put_set(pm_buf *out, const isl_set *set) {
  char *text = isl_set_to_str((isl_set *)set);
  put_between(out, text ? text : "");
  free(text);
}

/* --- unions --- */

enum { MOST_PARTS = 8 /* of a union that is looked at */ };

/* Basic sets, as sets. */
typedef struct parts {
  isl_set *data[MOST_PARTS];
  unsigned n;
} parts;

static void free_parts(parts *p) {
  for (unsigned i = 0; i < p->n; i++) isl_set_free(p->data[i]);
}

/* Those of the list, which is borrowed, but number `left_out`. */
static __isl_give isl_set *set_of(__isl_take isl_space *space, isl_constraint_list *all, int left_out) {
  isl_basic_set *set = isl_basic_set_universe(space);
  for (int i = 0; i < isl_constraint_list_n_constraint(all); i++)
    if (i != left_out) set = isl_basic_set_add_constraint(set, isl_constraint_list_get_constraint(all, i));
  return isl_set_from_basic_set(set);
}

/* The part (taken) without the conditions that it does not need to stay within the set. */
static __isl_give isl_set *widen(__isl_take isl_basic_set *part, isl_set *within) {
  isl_constraint_list *left = isl_basic_set_get_constraint_list(part);
  isl_space *space = isl_basic_set_get_space(part);
  for (int i = 0; i < isl_constraint_list_n_constraint(left);) {
    isl_set *wider = set_of(isl_space_copy(space), left, i);
    if (isl_set_is_subset(wider, within) == isl_bool_true)
      left = isl_constraint_list_drop(left, (unsigned)i, 1);
    else
      i++;
    isl_set_free(wider);
  }
  isl_set *wide = set_of(space, left, -1);
  isl_constraint_list_free(left);
  isl_basic_set_free(part);
  return wide;
}

typedef struct widening {
  isl_set *within; /* borrowed */
  parts found;
} widening;

static isl_stat add_widened(__isl_take isl_basic_set *part, void *user) {
  widening *w = user;
  w->found.data[w->found.n++] = widen(part, w->within);
  return isl_stat_ok;
}

static __isl_give isl_set *union_of(const parts *p, isl_space *space, unsigned but) {
  isl_set *all = isl_set_empty(isl_space_copy(space));
  for (unsigned i = 0; i < p->n; i++)
    if (i != but) all = isl_set_union(all, isl_set_copy(p->data[i]));
  return all;
}

static void drop_covered(parts *p) {
  for (unsigned i = p->n; i-- > 0;) {
    isl_space *space = isl_set_get_space(p->data[i]);
    isl_set *others = union_of(p, space, i);
    if (isl_set_is_subset(p->data[i], others) == isl_bool_true) {
      isl_set_free(p->data[i]);
      p->data[i] = p->data[--p->n];
    }
    isl_set_free(others);
    isl_space_free(space);
  }
}

/* Few parts with few conditions, which have all points of the set (taken) and others of `within` (taken).
 * False when the set has too many parts. */
static bool find_parts(__isl_take isl_set *set, __isl_take isl_set *within, parts *out) {
  widening w = {.within = within};
  set = isl_set_coalesce(set);
  bool few = isl_set_n_basic_set(set) <= MOST_PARTS;
  if (few) isl_set_foreach_basic_set(set, add_widened, &w);
  drop_covered(&w.found);
  isl_set_free(set);
  isl_set_free(within);
  *out = w.found;
  return few;
}

/* `H, but not A and not B` */
static void put_with_gaps(pm_buf *out, const isl_set *hull, const parts *gaps) {
  put_set(out, hull);
  for (unsigned i = 0; i < gaps->n; i++) {
    pm_buf text = {0};
    put_set(&text, gaps->data[i]);
    bool joined = strstr(text.data, " and ") != NULL;
    pm_buf_printf(out, "%s%s%s%s", i ? " and not " : ", but not ", joined ? "(" : "", text.data,
                  joined ? ")" : "");
    pm_buf_free(&text);
  }
}

/* `of` are the parts of the set, which is taken. */
static void put_union(pm_buf *out, __isl_take isl_set *set, const parts *of) {
  isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(set)));
  isl_set *between = isl_set_subtract(isl_set_copy(hull), isl_set_copy(set));
  parts gaps;
  bool few = find_parts(between, isl_set_complement(set), &gaps);
  isl_space *space = isl_set_get_space(hull);
  isl_set *simple = union_of(of, space, of->n);
  if (few && gaps.n < of->n)
    put_with_gaps(out, hull, &gaps);
  else
    put_set(out, simple);
  free_parts(&gaps);
  isl_space_free(space);
  isl_set_free(simple);
  isl_set_free(hull);
}

void isl_put_conditions(pm_buf *out, const isl_set *set, const pm_string *names) {
  bool has_tuple = isl_set_is_params((isl_set *)set) != isl_bool_true;
  isl_set *all = has_tuple ? without_tuple(set, names) : isl_set_copy((isl_set *)set);
  parts of = {0};
  if (isl_set_is_empty(all) == isl_bool_true)
    pm_buf_puts(out, "nothing");
  else if (isl_set_n_basic_set(all) == 1 || !find_parts(isl_set_copy(all), isl_set_copy(all), &of))
    put_set(out, all);
  else if (of.n == 1)
    put_set(out, of.data[0]);
  else
    put_union(out, isl_set_copy(all), &of);
  free_parts(&of);
  isl_set_free(all);
}

/* --- sums --- */

/* Takes the number; whether it is an integer of 64 bits, which it then is put into. */
static bool is_small_int(__isl_take isl_val *val, int64_t *out) {
  bool ok = val && isl_val_is_int(val) == isl_bool_true && isl_val_n_abs_num_chunks(val, 8) == 1;
  if (ok) *out = isl_val_get_num_si(val);
  isl_val_free(val);
  return ok;
}

/* "+ 2" or "- C" behind something, "2" or "-C" at the beginning; `name` NULL for a constant. */
static void put_addend(pm_buf *out, bool first, int64_t coefficient, const char *name) {
  int64_t magnitude = coefficient < 0 ? -coefficient : coefficient;
  if (coefficient == 0 && (name || !first)) return;
  pm_buf_puts(out, first ? (coefficient < 0 ? "-" : "") : coefficient < 0 ? " - " : " + ");
  if (magnitude != 1 || !name) pm_buf_printf(out, "%lld", (long long)magnitude);
  if (name) pm_buf_puts(out, name);
}

bool isl_put_sum(pm_buf *out, __isl_keep isl_aff *aff) {
  int64_t value;
  size_t begin = out->len;
  if (isl_aff_dim(aff, isl_dim_div) > 0) return false;
  for (int i = 0; i < isl_aff_dim(aff, isl_dim_param); i++) {
    if (!is_small_int(isl_aff_get_coefficient_val(aff, isl_dim_param, i), &value)) return false;
    put_addend(out, out->len == begin, value, isl_aff_get_dim_name(aff, isl_dim_param, (unsigned)i));
  }
  if (!is_small_int(isl_aff_get_constant_val(aff), &value)) return false;
  put_addend(out, out->len == begin, value, NULL);
  return true;
}
