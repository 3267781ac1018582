#include "tools/lib/driver/remarks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 10, MOST_NAMES = 8 };

/* Remarks that differ in names, numbers and sets only. */
typedef struct kind {
  double time; /* of all */
  size_t number;
  PM_VEC(const pm_kept_remark *) remarks;
} kind;

typedef PM_VEC(kind) kinds;

static double time_of(const pm_kept_remark *remark) {
  double time = 0;
  pm_number_in(remark, "time", &time);
  return time;
}

/* --- what a text has for a name, a number or a set --- */

static bool is_name_part(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_name(const char *at) {
  while (is_name_part(*at)) at++;
  return at;
}

/* To behind the brace that closes the one at `at`. */
static const char *skip_set(const char *at) {
  for (unsigned open = 0; *at; at++) {
    open += *at == '{';
    open -= *at == '}';
    if (!open) return at + 1;
  }
  return at;
}

/* To behind `1.5e+06` or `32x256`. */
static const char *skip_number(const char *at) {
  char *end;
  (void)strtod(at, &end);
  return *end == 'x' && isdigit((unsigned char)end[1]) ? skip_number(end + 1) : end;
}

/* One and several are said alike: `stages are` is `stage is`. */
static void put_word(pm_str word, pm_buf *out) {
  if (pm_str_is(word, "are")) word = PM_STR("is");
  pm_buf_put(out, word.ptr, word.len > 2 && word.ptr[word.len - 1] == 's' ? word.len - 1 : word.len);
}

/* A name, a number or a set becomes one character. */
static void put_form(const char *at, pm_buf *out) {
  while (*at) {
    const char *from = at;
    bool is_number = isdigit((unsigned char)*at), is_word = !is_number && is_name_part(*at);
    at = *at == '@'   ? skip_name(at + 1)
         : *at == '{' ? skip_set(at)
         : is_number  ? skip_number(at)
         : is_word    ? skip_name(at)
                      : at + 1;
    if (is_word)
      put_word((pm_str){from, (size_t)(at - from)}, out);
    else
      pm_buf_putc(out, is_number ? '0' : *from);
  }
}

/* --- kinds --- */

static pm_string form_of(pm_context *ctx, const pm_kept_remark *remark) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s %u ", remark->pass, (unsigned)remark->kind);
  put_form(remark->message, &text);
  pm_string form = pm_get_cstring(ctx, text.data);
  pm_buf_free(&text);
  return form;
}

static int by_time(const void *a, const void *b) {
  const kind *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? 1 : -1;
  return x->number < y->number ? -1 : 1;
}

/* Costliest first, and so are the remarks of each; those that cost the same are in the order in which they
 * came. */
static void find_kinds(pm_context *ctx, const pm_remark_list *list, kinds *out) {
  pm_map *numbers = pm_map_new(); /* form -> number of the kind + 1 */
  for (size_t i = 0; i < list->all.len; i++) {
    const pm_kept_remark *remark = &list->all.data[i];
    pm_string form = form_of(ctx, remark);
    uintptr_t number = (uintptr_t)pm_map_get(numbers, form);
    if (!number) {
      number = out->len + 1;
      PM_VEC_PUSH(*out, ((kind){.number = out->len}));
      pm_map_set(numbers, form, (void *)number);
    }
    kind *k = &out->data[number - 1];
    k->time += time_of(remark);
    PM_VEC_PUSH(k->remarks, remark);
    for (size_t at = k->remarks.len - 1; at && time_of(k->remarks.data[at - 1]) < time_of(remark); at--) {
      k->remarks.data[at] = k->remarks.data[at - 1];
      k->remarks.data[at - 1] = remark;
    }
  }
  pm_map_free(numbers);
  if (out->len) qsort(out->data, out->len, sizeof *out->data, by_time);
}

static void free_kinds(kinds *all) {
  for (size_t i = 0; i < all->len; i++) PM_VEC_FREE(all->data[i].remarks);
  PM_VEC_FREE(*all);
}

/* --- printing --- */

/* `: @a, @b, …` of the remarks behind the first, each name once. */
static void put_names(pm_context *ctx, const kind *k, pm_buf *out) {
  pm_map *seen = pm_map_new();
  size_t n = 0;
  for (size_t i = 0; i < k->remarks.len && n <= MOST_NAMES; i++) {
    pm_string name = pm_get_string(ctx, pm_first_name(k->remarks.data[i]->message));
    bool known = !*name->text || pm_map_has(seen, name);
    pm_map_set(seen, name, (void *)name);
    if (known || i == 0) continue;
    pm_buf_printf(out, "%s%s", n ? ", " : ": ", n < MOST_NAMES ? name->text : "…");
    n++;
  }
  pm_map_free(seen);
}

static void put_kind(pm_context *ctx, const kind *k, pm_buf *out) {
  const pm_kept_remark *first = k->remarks.data[0];
  pm_diag diag = {.severity = PM_REMARK,
                  .loc = first->loc,
                  .message = first->message,
                  .kind = first->kind,
                  .pass = first->pass};
  pm_print_diag(ctx, &diag, out);
  if (k->remarks.len == 1) return;
  pm_buf_printf(out, "  … and %zu more like it", k->remarks.len - 1);
  if (k->time > 0) pm_buf_printf(out, ", %.3g ms with it", k->time / 1e6);
  put_names(ctx, k, out);
  pm_buf_putc(out, '\n');
}

void pm_put_costliest(pm_context *ctx, const pm_remark_list *list, pm_buf *out) {
  kinds all = {0};
  find_kinds(ctx, list, &all);
  size_t n = all.len < MOST_KINDS ? all.len : MOST_KINDS;
  for (size_t i = 0; i < n; i++) put_kind(ctx, &all.data[i], out);
  if (list->all.len > n) pm_buf_printf(out, "%zu more: --remarks=all\n", list->all.len - n);
  free_kinds(&all);
}

void pm_say_costliest(pm_context *ctx, pm_remark_list *list) {
  pm_buf text = {0};
  if (list->show == PM_SHOW_COSTLIEST) {
    pm_put_costliest(ctx, list, &text);
    fputs(text.len ? text.data : "", stderr);
    list->show = PM_SHOW_NONE;
  }
  pm_buf_free(&text);
}
