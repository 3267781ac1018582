/* Whether each pass of a pipeline finds what it wants: the forms of the IR, and ops to run on. */
#include "ir/src/pass_private.h"

#include <stdlib.h>

bool pm_has_form(const pm_form *const *list, const pm_form *form) {
  for (; list && *list; list++)
    if (*list == form) return true;
  return false;
}

/* --- the order of a pipeline --- */

typedef PM_VEC(const pm_pass_item *) pass_list;

static void list_passes(const pm_pipeline *pipeline, size_t from, pass_list *list) {
  for (size_t i = from; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    if (entry.pass)
      PM_VEC_PUSH(*list, entry.pass);
    else
      list_passes(entry.nested, 0, list);
  }
}

/* The last pass before number `n` that gives or ends the form, or NULL. */
static const pm_pass_item *last_about(const pass_list *list, size_t n, const pm_form *form) {
  while (n-- > 0) {
    const pm_pass_desc *desc = list->data[n]->desc;
    if (pm_has_form(desc->gives, form) || pm_has_form(desc->ends, form)) return list->data[n];
  }
  return NULL;
}

/* The first pass after number `n` that gives the form, or NULL. */
static const pm_pass_item *first_giver(const pass_list *list, size_t n, const pm_form *form) {
  while (++n < list->len)
    if (pm_has_form(list->data[n]->desc->gives, form)) return list->data[n];
  return NULL;
}

static bool refuse(pm_context *ctx, const pm_pass_item *item, const pm_form *form, const pm_pass_item *other,
                   const char *what, const char *where) {
  pm_error(ctx, item->loc, "pass '%s' wants the form '%s', which '%s' %s", item->desc->name, form->name,
           other->desc->name, what);
  pm_note(ctx, other->loc, "'%s' should come %s '%s'", other->desc->name, where, item->desc->name);
  return false;
}

static bool check_form(pm_context *ctx, const pass_list *list, size_t n, const pm_form *form) {
  const pm_pass_item *item = list->data[n], *last = last_about(list, n, form);
  const pm_pass_item *later = last ? NULL : first_giver(list, n, form);
  if (last && !pm_has_form(last->desc->gives, form))
    return refuse(ctx, item, form, last, "has ended", "after");
  return !later || refuse(ctx, item, form, later, "gives only later", "before");
}

bool pm_check_order(const pm_pass_manager *pm, size_t from) {
  pass_list list = {0};
  size_t known;
  bool ok = true;
  list_passes(pm->top, from, &list);
  known = list.len;
  list.len = 0;
  list_passes(pm->top, 0, &list);
  for (size_t i = list.len - known; ok && i < list.len; i++)
    for (const pm_form *const *form = list.data[i]->desc->wants; ok && form && *form; form++)
      ok = check_form(pm->ctx, &list, i, *form);
  PM_VEC_FREE(list);
  return ok;
}

/* --- the IR --- */

typedef struct lack_search {
  const pm_form *form;
  pm_op *found;
} lack_search;

static pm_walk stop_at_lack(void *user, pm_op *op) {
  lack_search *search = user;
  if (!search->form->lacks(op)) return PM_WALK_ON;
  search->found = op;
  return PM_WALK_STOP;
}

pm_op *pm_find_lack(pm_op *root, const pm_form *form) {
  lack_search search = {form, NULL};
  if (form->lacks) (void)pm_walk_pre(root, stop_at_lack, &search);
  return search.found;
}

static pm_walk stop_at_sign(void *user, pm_op *op) {
  const pm_form *form = user;
  return form->shows(op) ? PM_WALK_STOP : PM_WALK_ON;
}

bool pm_shows_form(pm_op *root, const pm_form *form) {
  return form->shows && !pm_walk_pre(root, stop_at_sign, (void *)form);
}

/* "tile", "a or b"; nothing when no pass gives the form. */
static void put_givers(const pm_context *ctx, const pm_form *form, pm_buf *out) {
  for (size_t i = 0; i < pm_pass_count(ctx); i++)
    if (pm_has_form(pm_pass_at(ctx, i)->gives, form))
      pm_buf_printf(out, "%s%s", out->len ? " or " : "", pm_pass_at(ctx, i)->name);
}

bool pm_report_lack(const pm_op *op, const pm_form *form, const char *user) {
  pm_buf givers = {0};
  put_givers(pm_op_context(op), form, &givers);
  if (givers.len)
    pm_op_error(op, "%s; the pass %s should run before %s", form->lack, givers.data, user);
  else
    pm_op_error(op, "%s, but %s wants the form '%s'", form->lack, user, form->name);
  pm_buf_free(&givers);
  return false;
}

static bool is_given_before(const pm_pass_manager *pm, const pm_pass_item *item, const pm_form *form) {
  pass_list list = {0};
  size_t n = 0;
  list_passes(pm->top, 0, &list);
  while (list.data[n] != item) n++;
  const pm_pass_item *last = last_about(&list, n, form);
  PM_VEC_FREE(list);
  return last && last->runs;
}

static bool check_root(const pm_pass_manager *pm, const pm_pass_item *item, pm_op *root,
                       const pm_form *form) {
  const pm_op *op = form->lacks && !is_given_before(pm, item, form) ? pm_find_lack(root, form) : NULL;
  if (!op) return true;
  pm_buf user = {0};
  pm_buf_printf(&user, "'%s'", item->desc->name);
  pm_report_lack(op, form, user.data);
  pm_buf_free(&user);
  return false;
}

static bool check_registered(const pm_pass_item *item, pm_op *root) {
  const pm_op *op = item->desc->any_ops ? NULL : pm_find_unregistered(root);
  return !op || pm_op_error(op, "is of a dialect that is not loaded, and the pass '%s' has to know all ops",
                            item->desc->name);
}

bool pm_check_wanted(const pm_pass_manager *pm, const pm_pass_item *item, pm_op *root) {
  if (!check_registered(item, root)) return false;
  for (const pm_form *const *form = item->desc->wants; form && *form; form++)
    if (!check_root(pm, item, root, *form)) return false;
  return true;
}

void pm_check_given(const pm_pass_item *item, pm_op *root) {
  for (const pm_form *const *form = item->desc->gives; form && *form; form++) {
    const pm_op *op = pm_find_lack(root, *form);
    if (op) pm_panic(op, "pass '%s' gives '%s', but this %s", item->desc->name, (*form)->name, (*form)->lack);
  }
}

/* --- passes without ops --- */

enum { MAX_NAMED = 4 };

/* The passes for ops of the kind that have not run: "the passes 'a' and 'b'", "…, 'd' and 31 others". */
static void put_idle(const pass_list *list, const pm_op_desc *anchor, pm_buf *out) {
  unsigned n = 0, at = 0;
  for (size_t i = 0; i < list->len; i++) n += list->data[i]->anchor == anchor && !list->data[i]->runs;
  unsigned named = n > MAX_NAMED + 1 ? MAX_NAMED : n;
  pm_buf_puts(out, n > 1 ? "the passes " : "the pass ");
  for (size_t i = 0; i < list->len && at < named; i++) {
    if (list->data[i]->anchor != anchor || list->data[i]->runs) continue;
    pm_buf_printf(out, "%s'%s'", at == 0 ? "" : at + 1 < n ? ", " : " and ", list->data[i]->desc->name);
    at++;
  }
  if (named < n) pm_buf_printf(out, " and %u others", n - named);
}

void pm_warn_idle(const pm_pass_manager *pm) {
  pass_list list = {0};
  pm_map *said = pm_map_new();
  list_passes(pm->top, 0, &list);
  for (size_t i = 0; i < list.len; i++) {
    const pm_pass_item *item = list.data[i];
    if (item->runs || pm_map_has(said, item->anchor)) continue;
    pm_buf names = {0};
    put_idle(&list, item->anchor, &names);
    pm_warning(pm->ctx, item->loc, "%s found no %s to run on", names.data, item->anchor->name);
    pm_buf_free(&names);
    pm_map_set(said, item->anchor, (void *)item);
  }
  pm_map_free(said);
  PM_VEC_FREE(list);
}
