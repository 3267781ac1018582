/* Aliases of attributes: those of the text, and those made for what is long and used often. */
#include "ir/src/printer.h"

#include <stdlib.h>
#include <string.h>

enum { PM_LONG_ATTR = 80 /* characters */ };

/* --- counting: the module is printed to nowhere --- */

static bool can_have_alias(pm_attr attr) {
  return attr->cls == PM_ATTR_CUSTOM || attr->cls == PM_ATTR_DENSE || attr->cls == PM_ATTR_MAP ||
         attr->cls == PM_ATTR_DICT;
}

static bool is_long(pm_attr attr) {
  pm_buf text = {0};
  if (!can_have_alias(attr)) return false;
  pm_print_attr(&text, attr);
  bool over = text.len > PM_LONG_ATTR;
  pm_buf_free(&text);
  return over;
}

static bool has_parts(pm_attr attr) {
  return attr->cls == PM_ATTR_ARRAY || attr->cls == PM_ATTR_DICT;
}

/* One with an alias counts those inside it once: where it is defined. */
void pm_count_attr(pm_attr_counts *c, pm_attr attr) {
  size_t at = (size_t)(uintptr_t)pm_map_get(c->numbers, attr);
  if (at) c->all.data[at - 1].uses++;
  if (at && (c->all.data[at - 1].is_long || pm_map_has(c->of_text, attr))) return;
  for (uint32_t i = 0; has_parts(attr) && i < attr->len; i++) pm_count_attr(c, attr->items[i]);
  if (at) return;
  PM_VEC_PUSH(c->all, ((pm_attr_count){attr, 1, is_long(attr)}));
  pm_map_set(c->numbers, attr, (void *)(uintptr_t)c->all.len);
}

static pm_attr_counts new_counts(const pm_module *module) {
  pm_attr_counts counts = {.numbers = pm_map_new(), .of_text = pm_map_new()};
  for (size_t i = 0; i < module->aliases.len; i++)
    pm_map_set(counts.of_text, module->aliases.data[i].attr, module->aliases.data);
  return counts;
}

static void free_counts(pm_attr_counts *counts) {
  pm_map_free(counts->numbers);
  pm_map_free(counts->of_text);
  PM_VEC_FREE(counts->all);
}

static void drop_text(void *user, const char *text, size_t len) {
  (void)user;
  (void)text;
  (void)len;
}

static pm_attr_counts count_printed(pm_module *module, pm_print_options options) {
  pm_attr_counts counts = new_counts(module);
  pm_buf nowhere = {0};
  pm_printer p = {.out = &nowhere, .options = options, .counts = &counts, .put = drop_text};
  pm_print_module_op(&p, module);
  pm_buf_free(&nowhere);
  return counts;
}

static pm_walk count_of_op(void *user, pm_op *op) {
  for (unsigned i = 0; i < op->desc->n_attrs; i++)
    if (pm_attr_at(op, i)) pm_count_attr(user, pm_attr_at(op, i));
  if (pm_extra(op)) pm_count_attr(user, pm_extra(op));
  return PM_WALK_ON;
}

/* Ops have a long attribute twice: only then it is worth to see what is printed. */
static bool has_repeated(pm_module *module) {
  pm_attr_counts counts = new_counts(module);
  pm_walk_pre(module->op, count_of_op, &counts);
  bool found = false;
  for (size_t i = 0; i < counts.all.len && !found; i++)
    found = counts.all.data[i].uses > 1 && counts.all.data[i].is_long;
  free_counts(&counts);
  return found;
}

/* --- names --- */

static const char *base_name(pm_attr attr) {
  if (attr->cls == PM_ATTR_CUSTOM) {
    const char *dot = strchr(attr->kind->name, '.');
    return attr->kind->alias ? attr->kind->alias : dot ? dot + 1 : attr->kind->name;
  }
  return attr->cls == PM_ATTR_DENSE ? "numbers" : attr->cls == PM_ATTR_MAP ? "map" : "dict";
}

/* `set`, then `set1`, `set2` …, but none that the text gives another attribute. */
static pm_string new_name(const pm_module *module, pm_map *next, pm_map *taken, const char *base) {
  pm_string first = pm_get_string(module->ctx, pm_str_of(base)), name = first;
  uintptr_t number = (uintptr_t)pm_map_get(next, first);
  pm_buf text = {0};
  do {
    text.len = 0;
    pm_buf_puts(&text, base);
    if (number) pm_buf_printf(&text, "%u", (unsigned)number);
    name = pm_get_string(module->ctx, (pm_str){text.data, text.len});
    number++;
  } while (pm_map_has(taken, name));
  pm_buf_free(&text);
  pm_map_set(next, first, (void *)number);
  return name;
}

/* --- the list --- */

/* The first of two that mean the same is the one used. */
static void add_alias(pm_alias_list *list, pm_map *known, pm_string name, pm_attr attr) {
  PM_VEC_PUSH(*list, ((pm_alias){name, attr}));
  if (!pm_map_has(known, attr)) pm_map_set(known, attr, (void *)name);
}

static void add_new(pm_alias_list *list, pm_module *module, const pm_attr_counts *counts, pm_map *known) {
  pm_map *next = pm_map_new(), *taken = pm_map_new();
  for (size_t i = 0; i < module->aliases.len; i++)
    pm_map_set(taken, module->aliases.data[i].name, module->aliases.data);
  for (size_t i = 0; i < counts->all.len; i++) {
    const pm_attr_count *count = &counts->all.data[i];
    if (count->uses > 1 && count->is_long && !pm_map_has(known, count->attr))
      add_alias(list, known, new_name(module, next, taken, base_name(count->attr)), count->attr);
  }
  pm_map_free(next);
  pm_map_free(taken);
}

pm_alias_list pm_aliases_of(pm_module *module, pm_print_options options) {
  pm_alias_list list = {0};
  pm_map *known = pm_map_new();
  pm_attr_counts counts = {0};
  bool makes = options.aliases && !options.generic && (module->aliases.len || has_repeated(module));
  if (makes) counts = count_printed(module, options);
  for (size_t i = 0; i < module->aliases.len; i++) {
    const pm_alias *alias = &module->aliases.data[i];
    if (!makes || pm_map_has(counts.numbers, alias->attr)) add_alias(&list, known, alias->name, alias->attr);
  }
  if (makes) add_new(&list, module, &counts, known);
  free_counts(&counts);
  pm_map_free(known);
  return list;
}
