/* Names of values at printing. */
#include "ir/src/printer.h"

#include "ir/lexer.h"

#include <stdlib.h>
#include <string.h>

void pm_namer_free(pm_namer *n) {
  pm_map_free(n->labels);
  free(n->taken);
  PM_VEC_FREE(n->undo);
  PM_VEC_FREE(n->scopes);
  pm_buf_free(&n->scratch);
}

/* --- the label of each value --- */

enum { LABEL_NUMBER = 1, LABEL_PACKED = 2 };

static void set_label(pm_namer *n, const pm_value *value, uintptr_t label) {
  if (!n->labels) n->labels = pm_map_new();
  pm_map_set(n->labels, value, (void *)label);
}

/* The name of most values is their label, and they have none in the map. */
static uintptr_t label_of(const pm_namer *n, const pm_value *value) {
  uintptr_t label = n->labels ? (uintptr_t)pm_map_get(n->labels, value) : 0;
  return label ? label : (uintptr_t)value->name;
}

/* --- texts that are taken --- */

static pm_taken_name *taken_slot(const pm_namer *n, pm_string text) {
  size_t i = text->hash & (n->taken_cap - 1);
  while (n->taken[i].text && n->taken[i].text != text) i = (i + 1) & (n->taken_cap - 1);
  return &n->taken[i];
}

static void grow_taken(pm_namer *n) {
  pm_taken_name *old = n->taken;
  size_t old_cap = n->taken_cap;
  n->taken_cap = old_cap ? old_cap * 2 : 64;
  n->taken = pm_xcalloc(n->taken_cap, sizeof *n->taken);
  for (size_t i = 0; i < old_cap; i++)
    if (old[i].text) *taken_slot(n, old[i].text) = old[i];
  free(old);
}

static pm_taken_name *find_taken(pm_namer *n, pm_string text) {
  if (2 * (n->n_taken + 1) > n->taken_cap) grow_taken(n);
  pm_taken_name *slot = taken_slot(n, text);
  if (!slot->text) {
    slot->text = text;
    n->n_taken++;
  }
  return slot;
}

static bool take_text(pm_namer *n, pm_string text) {
  pm_taken_name *slot = find_taken(n, text);
  if (slot->closure == n->closure) return false;
  PM_VEC_PUSH(n->undo, *slot);
  slot->closure = n->closure;
  slot->next_suffix = 0;
  return true;
}

/* `base` followed by _0, _1 … until it is free. */
static pm_string take_suffixed(pm_namer *n, pm_string base) {
  PM_VEC_PUSH(n->undo, *find_taken(n, base));
  for (;;) {
    n->scratch.len = 0;
    pm_buf_printf(&n->scratch, "%s_%u", base->text, find_taken(n, base)->next_suffix++);
    pm_string text = pm_get_string(n->ctx, (pm_str){n->scratch.data, n->scratch.len});
    if (take_text(n, text)) return text;
  }
}

static bool all_digits(pm_string text) {
  for (uint32_t i = 0; i < text->len; i++)
    if (text->text[i] < '0' || text->text[i] > '9') return false;
  return true;
}

/* A name that the lexer reads as one: other characters become '_'. */
static pm_string printable(pm_namer *n, pm_string name) {
  if (pm_is_plain_word((pm_str){name->text, name->len})) return name;
  n->scratch.len = 0;
  for (uint32_t i = 0; i < name->len; i++) {
    char c = name->text[i];
    pm_buf_putc(&n->scratch, c == '_' || pm_is_plain_word((pm_str){(char[]){'a', c}, 2}) ? c : '_');
  }
  return pm_get_string(n->ctx, (pm_str){n->scratch.data, n->scratch.len});
}

bool pm_namer_keeps(const pm_value *value) {
  return value->name && !all_digits(value->name);
}

void pm_namer_name(pm_namer *n, const pm_value *value) {
  if (!pm_namer_keeps(value)) {
    set_label(n, value, (uintptr_t)n->next_number++ * 2 + LABEL_NUMBER);
    return;
  }
  pm_string text = printable(n, value->name);
  if (!take_text(n, text)) text = take_suffixed(n, text);
  if ((uintptr_t)text != label_of(n, value)) set_label(n, value, (uintptr_t)text);
}

/* The results were given one name together: `%r:2`. */
static bool is_packed(const pm_op *op) {
  if (op->n_results < 2 || !pm_namer_keeps(pm_res(op, 0))) return false;
  for (unsigned i = 1; i < op->n_results; i++)
    if (pm_res(op, i)->name != pm_res(op, 0)->name) return false;
  return true;
}

static void name_results(pm_namer *n, const pm_op *op) {
  if (!is_packed(op)) {
    for (unsigned i = 0; i < op->n_results; i++) pm_namer_name(n, pm_res(op, i));
    return;
  }
  pm_namer_name(n, pm_res(op, 0));
  uintptr_t label = label_of(n, pm_res(op, 0)) | LABEL_PACKED;
  for (unsigned i = 0; i < op->n_results; i++) set_label(n, pm_res(op, i), label);
}

/* --- scopes --- */

void pm_namer_push(pm_namer *n, bool isolated) {
  PM_VEC_PUSH(n->scopes, ((pm_name_scope){n->undo.len, n->closure, n->next_number}));
  if (!isolated && n->closure) return;
  n->closure = ++n->n_closures;
  n->next_number = 0;
}

void pm_namer_pop(pm_namer *n) {
  pm_name_scope scope = PM_VEC_POP(n->scopes);
  while (n->undo.len > scope.undo_start) {
    pm_taken_name before = PM_VEC_POP(n->undo);
    *taken_slot(n, before.text) = before;
  }
  n->closure = scope.closure;
  n->next_number = scope.next_number;
}

void pm_namer_name_args(pm_namer *n, const pm_op *op) {
  for (unsigned i = 0; i < op->n_regions; i++)
    for (uint32_t j = 0; j < pm_region_at(op, i)->n_args; j++) pm_namer_name(n, pm_region_at(op, i)->args[j]);
}

void pm_namer_name_results(pm_namer *n, const pm_region *region) {
  for (const pm_op *op = region->first; op; op = op->next) name_results(n, op);
}

static bool is_isolated(const pm_op *op) {
  return pm_has_trait(op, PM_ISOLATED);
}

void pm_namer_enter_around(pm_namer *n, const pm_op *op) {
  PM_VEC(const pm_op *) around = {0};
  for (const pm_op *at = op; at; at = is_isolated(at) && at != op ? NULL : pm_parent(at))
    PM_VEC_PUSH(around, at);
  pm_namer_push(n, true);
  for (size_t i = around.len; i-- > 1;) {
    pm_namer_name_args(n, around.data[i]);
    pm_namer_name_results(n, around.data[i - 1]->region);
  }
  if (!op->region) name_results(n, op);
  PM_VEC_FREE(around);
}

static void print_number(pm_buf *out, uint64_t number) {
  char digits[24];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  pm_buf_put(out, digits + at, sizeof digits - at);
}

/* Without the number of a packed result. */
static void print_label(pm_buf *out, uintptr_t label) {
  pm_buf_putc(out, '%');
  if (!label) {
    pm_buf_puts(out, "<unknown>");
  } else if (label & LABEL_NUMBER) {
    print_number(out, label / 2);
  } else {
    pm_string text = (pm_string)(label & ~(uintptr_t)LABEL_PACKED);
    pm_buf_put(out, text->text, text->len);
  }
}

static bool is_packed_label(uintptr_t label) {
  return (label & (LABEL_NUMBER | LABEL_PACKED)) == LABEL_PACKED;
}

void pm_namer_print(pm_namer *n, pm_buf *out, const pm_value *value) {
  uintptr_t label = label_of(n, value);
  print_label(out, label);
  if (!is_packed_label(label)) return;
  pm_buf_putc(out, '#');
  print_number(out, pm_value_index(value));
}

void pm_namer_print_results(pm_namer *n, pm_buf *out, const pm_op *op) {
  uintptr_t label = label_of(n, pm_res(op, 0));
  if (is_packed_label(label)) {
    print_label(out, label);
    pm_buf_putc(out, ':');
    print_number(out, op->n_results);
    return;
  }
  for (unsigned i = 0; i < op->n_results; i++) {
    if (i) pm_buf_put(out, ", ", 2);
    pm_namer_print(n, out, pm_res(op, i));
  }
}

void pm_print_value(pm_buf *out, const pm_value *value) {
  const pm_region *region = pm_value_region(value);
  if (!region && pm_is_arg(value)) {
    pm_buf_printf(out, "%%%s", value->name ? value->name->text : "<unknown>");
    return;
  }
  const pm_op *op = pm_is_arg(value) ? region->op : pm_def(value);
  pm_namer namer = {.ctx = pm_op_context(op)};
  pm_namer_enter_around(&namer, op);
  if (pm_is_arg(value)) pm_namer_name_args(&namer, op);
  pm_namer_print(&namer, out, value);
  pm_namer_free(&namer);
}
