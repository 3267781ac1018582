/* Printing of modules and ops. */
#include "ir/src/printer.h"

#include "ir/lexer.h"

#include <stdlib.h>
#include <string.h>

/* --- pieces --- */

void pm_p(pm_printer *p, const char *fmt, ...) {
  if (!strchr(fmt, '%')) {
    pm_buf_puts(p->out, fmt);
    return;
  }
  va_list args;
  va_start(args, fmt);
  pm_vformat(p->out, fmt, args);
  va_end(args);
}

void pm_p_value(pm_printer *p, const pm_value *value) {
  pm_namer_print(&p->namer, p->out, value);
}

void pm_p_values(pm_printer *p, const pm_use *operands, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (i) pm_buf_put(p->out, ", ", 2);
    pm_p_value(p, operands[i].value);
  }
}

/* The names of the map's operands, symbols as `symbol(%s)`, one after the other in `text`, each with its NUL;
 * the array is the caller's. */
static const char **operand_names(pm_printer *p, pm_affine_map map, const pm_use *operands, pm_buf *text) {
  uint32_t n = map->n_dims + map->n_syms;
  size_t *offsets = pm_xmalloc((n + 1) * sizeof *offsets);
  const char **names = pm_xmalloc((n + 1) * sizeof *names);
  for (uint32_t i = 0; i < n; i++) {
    offsets[i] = text->len;
    if (i >= map->n_dims) pm_buf_puts(text, "symbol(");
    pm_namer_print(&p->namer, text, operands[i].value);
    if (i >= map->n_dims) pm_buf_putc(text, ')');
    pm_buf_putc(text, '\0');
  }
  for (uint32_t i = 0; i < n; i++) names[i] = text->data + offsets[i];
  free(offsets);
  return names;
}

void pm_p_map(pm_printer *p, pm_affine_map map, const pm_use *operands) {
  pm_buf text = {0};
  const char **names = operand_names(p, map, operands, &text);
  for (uint32_t i = 0; i < map->n_results; i++) {
    if (i) pm_buf_put(p->out, ", ", 2);
    pm_print_affine_expr(p->out, map->results[i], names, names + map->n_dims);
  }
  free(names);
  pm_buf_free(&text);
}

static void print_quoted(pm_printer *p, pm_str text) {
  pm_print_attr(p->out, pm_get_string_attr(p->namer.ctx, text));
}

void pm_p_symbol(pm_printer *p, pm_string name) {
  pm_buf_putc(p->out, '@');
  pm_str text = {name->text, name->len};
  if (pm_is_plain_word(text))
    pm_buf_put(p->out, name->text, name->len);
  else
    print_quoted(p, text);
}

void pm_p_newline(pm_printer *p, int extra_indent) {
  if (p->counts) p->out->len = 0;
  pm_buf_putc(p->out, '\n');
  for (int i = 0; i < p->indent + extra_indent; i++) pm_buf_put(p->out, "  ", 2);
}

/* --- attributes --- */

static void print_item(pm_printer *p, pm_str name, pm_attr attr) {
  if (pm_is_plain_word(name))
    pm_buf_put(p->out, name.ptr, name.len);
  else
    print_quoted(p, name);
  if (attr->cls == PM_ATTR_UNIT) return;
  pm_buf_put(p->out, " = ", 3);
  pm_p_attr(p, attr);
}

static void print_parts(pm_printer *p, pm_attr attr) {
  bool dict = attr->cls == PM_ATTR_DICT;
  pm_buf_putc(p->out, dict ? '{' : '[');
  for (uint32_t i = 0; i < attr->len; i++) {
    if (i) pm_buf_put(p->out, ", ", 2);
    if (dict)
      print_item(p, (pm_str){attr->names[i]->text, attr->names[i]->len}, attr->items[i]);
    else
      pm_p_attr(p, attr->items[i]);
  }
  pm_buf_putc(p->out, dict ? '}' : ']');
}

/* NULL for a string, too: hooks read it without one. */
static pm_string alias_of(const pm_printer *p, pm_attr attr) {
  return p->alias_of && attr->cls != PM_ATTR_STRING ? pm_map_get(p->alias_of, attr) : NULL;
}

void pm_p_attr(pm_printer *p, pm_attr attr) {
  pm_string alias = alias_of(p, attr);
  bool has_parts = attr->cls == PM_ATTR_ARRAY || attr->cls == PM_ATTR_DICT;
  if (p->counts) {
    pm_count_attr(p->counts, attr);
  } else if (alias) {
    pm_buf_putc(p->out, '#');
    pm_buf_put(p->out, alias->text, alias->len);
  } else if (has_parts && p->alias_of) {
    print_parts(p, attr);
  } else {
    pm_print_attr(p->out, attr);
  }
}

static bool is_listed(const char *name, const char *const *list) {
  for (; list && *list; list++)
    if (strcmp(name, *list) == 0) return true;
  return false;
}

static void print_dict_item(pm_printer *p, const char *name, pm_attr attr, unsigned *n) {
  pm_buf_puts(p->out, (*n)++ ? ", " : " {");
  print_item(p, pm_str_of(name), attr);
}

void pm_p_attr_dict(pm_printer *p, const pm_op *op, const char *const *but) {
  unsigned n = 0;
  for (unsigned i = 0; i < op->desc->n_attrs; i++)
    if (pm_attr_at(op, i) && !is_listed(op->desc->attrs[i].name, but))
      print_dict_item(p, op->desc->attrs[i].name, pm_attr_at(op, i), &n);
  for (uint32_t i = 0; pm_extra(op) && i < pm_extra(op)->len; i++)
    if (!is_listed(pm_extra(op)->names[i]->text, but))
      print_dict_item(p, pm_extra(op)->names[i]->text, pm_extra(op)->items[i], &n);
  if (n) pm_buf_putc(p->out, '}');
}

/* --- types --- */

static void print_operand_types(pm_printer *p, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (i) pm_buf_put(p->out, ", ", 2);
    pm_print_type(p->out, pm_arg(op, i)->type);
  }
}

static void print_function_type(pm_printer *p, const pm_op *op) {
  pm_buf_putc(p->out, '(');
  print_operand_types(p, op);
  pm_buf_puts(p->out, op->n_results == 1 ? ") -> " : ") -> (");
  for (unsigned i = 0; i < op->n_results; i++) {
    if (i) pm_buf_put(p->out, ", ", 2);
    pm_print_type(p->out, pm_res(op, i)->type);
  }
  if (op->n_results != 1) pm_buf_putc(p->out, ')');
}

/* The type of all operands and results, or NULL. */
static pm_type single_type(const pm_op *op) {
  pm_type type = op->n_results ? pm_res(op, 0)->type : op->n_operands ? pm_arg(op, 0)->type : NULL;
  for (unsigned i = 0; i < op->n_results; i++)
    if (pm_res(op, i)->type != type) return NULL;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_arg(op, i)->type != type) return NULL;
  return type;
}

/* --- regions --- */

enum { LEAST_PIECE = 1 << 16 };

static void print_op(pm_printer *p, const pm_op *op);

void pm_p_args(pm_printer *p, const pm_region *region, bool types) {
  pm_buf_putc(p->out, '(');
  for (uint32_t i = 0; i < region->n_args; i++) {
    if (i) pm_buf_put(p->out, ", ", 2);
    pm_p_value(p, region->args[i]);
    if (!types) continue;
    pm_buf_put(p->out, ": ", 2);
    pm_print_type(p->out, region->args[i]->type);
  }
  pm_buf_putc(p->out, ')');
}

static void hand_over(pm_printer *p, size_t least) {
  if (!p->put || p->out->len < least) return;
  p->put(p->put_user, p->out->data, p->out->len);
  p->out->len = 0;
}

void pm_p_region(pm_printer *p, const pm_region *region, bool print_args) {
  pm_namer_push(&p->namer, false);
  pm_namer_name_results(&p->namer, region);
  pm_buf_putc(p->out, '{');
  if (print_args && region->n_args) {
    pm_p_newline(p, 0);
    pm_buf_puts(p->out, "^bb");
    pm_p_args(p, region, true);
    pm_buf_putc(p->out, ':');
  }
  p->indent++;
  for (const pm_op *op = region->first; op; op = op->next) pm_printer_hide_inside(p, op);
  for (const pm_op *op = region->first; op; op = op->next) {
    if (pm_printer_hides(p, op)) continue;
    pm_p_newline(p, 0);
    print_op(p, op);
    hand_over(p, LEAST_PIECE);
  }
  p->indent--;
  pm_p_newline(p, 0);
  pm_buf_putc(p->out, '}');
  pm_namer_pop(&p->namer);
}

/* --- ops --- */

static void print_generic_regions(pm_printer *p, const pm_op *op) {
  unsigned n = op->n_regions;
  while (n && !pm_region_at(op, n - 1)->present) n--;
  if (!n) return;
  pm_buf_put(p->out, " (", 2);
  for (unsigned i = 0; i < n; i++) {
    if (i) pm_buf_put(p->out, ", ", 2);
    pm_p_region(p, pm_region_at(op, i), true);
  }
  pm_buf_putc(p->out, ')');
}

static void print_generic(pm_printer *p, const pm_op *op) {
  pm_buf_putc(p->out, '"');
  pm_buf_puts(p->out, op->desc->name);
  pm_buf_put(p->out, "\"(", 2);
  pm_p_values(p, pm_operands(op), op->n_operands);
  pm_buf_putc(p->out, ')');
  pm_p_attr_dict(p, op, NULL);
  print_generic_regions(p, op);
  pm_buf_put(p->out, " : ", 3);
  print_function_type(p, op);
}

static void print_short(pm_printer *p, const pm_op *op) {
  pm_buf_puts(p->out, op->desc->name);
  if (op->n_operands) pm_buf_putc(p->out, ' ');
  pm_p_values(p, pm_operands(op), op->n_operands);
  pm_p_attr_dict(p, op, NULL);
  if (!op->n_operands && !op->n_results) return;
  pm_buf_put(p->out, " : ", 3);
  pm_type type = pm_has_trait(op, PM_SAME_TYPE) ? single_type(op) : NULL;
  if (type)
    pm_print_type(p->out, type);
  else if (op->n_results)
    print_function_type(p, op);
  else
    print_operand_types(p, op);
}

static void print_results(pm_printer *p, const pm_op *op) {
  if (!op->n_results) return;
  pm_namer_print_results(&p->namer, p->out, op);
  pm_buf_put(p->out, " = ", 3);
}

static bool has_short_form(const pm_printer *p, const pm_op *op) {
  return !p->options.generic && !op->desc->n_regions && !op->n_regions && !pm_has_trait(op, PM_UNREGISTERED);
}

static void print_body(pm_printer *p, const pm_op *op) {
  bool hook = op->desc->print && !p->options.generic;
  if (hook) {
    pm_buf_puts(p->out, op->desc->name);
    op->desc->print(p, op);
  } else if (has_short_form(p, op)) {
    print_short(p, op);
  } else {
    print_generic(p, op);
  }
}

static void print_loc(pm_printer *p, pm_loc loc) {
  if (!loc.file) {
    pm_buf_puts(p->out, " loc(unknown)");
    return;
  }
  pm_buf_puts(p->out, " loc(");
  print_quoted(p, pm_str_of(pm_source_name(p->namer.ctx, loc.file)));
  pm_buf_printf(p->out, ":%u:%u)", (unsigned)loc.line, (unsigned)loc.col);
}

static void print_op(pm_printer *p, const pm_op *op) {
  print_results(p, op);
  if (op->n_regions) {
    pm_namer_push(&p->namer, pm_has_trait(op, PM_ISOLATED));
    pm_namer_name_args(&p->namer, op);
  }
  print_body(p, op);
  if (op->n_regions) pm_namer_pop(&p->namer);
  if (p->options.locs) print_loc(p, op->loc);
}

static void free_printer(pm_printer *p) {
  pm_namer_free(&p->namer);
  pm_map_free(p->alias_of);
  pm_map_free(p->hidden);
}

void pm_print_op(pm_buf *out, const pm_op *op, pm_print_options options) {
  pm_printer p = {.out = out, .options = options, .namer = {.ctx = pm_op_context(op)}};
  pm_namer_enter_around(&p.namer, op);
  pm_printer_hide_inside(&p, op);
  print_op(&p, op);
  free_printer(&p);
}

/* --- modules --- */

/* An alias prints with those before it; the first of two that mean the same is the one used. */
static void print_aliases(pm_printer *p, const pm_alias_list *list) {
  for (size_t i = 0; i < list->len; i++) {
    const pm_alias *alias = &list->data[i];
    pm_buf_putc(p->out, '#');
    pm_buf_put(p->out, alias->name->text, alias->name->len);
    pm_buf_put(p->out, " = ", 3);
    pm_p_attr(p, alias->attr);
    pm_buf_putc(p->out, '\n');
    if (!pm_map_has(p->alias_of, alias->attr)) pm_map_set(p->alias_of, alias->attr, (void *)alias->name);
  }
}

void pm_print_module_op(pm_printer *p, pm_module *module) {
  p->namer.ctx = module->ctx;
  pm_namer_enter_around(&p->namer, module->op);
  print_op(p, module->op);
  pm_buf_putc(p->out, '\n');
  hand_over(p, 0);
  free_printer(p);
}

static void print_module(pm_printer *p, pm_module *module) {
  pm_alias_list list = pm_aliases_of(module, p->options);
  if (list.len) p->alias_of = pm_map_new();
  print_aliases(p, &list);
  pm_print_module_op(p, module);
  PM_VEC_FREE(list);
}

void pm_print_module(pm_buf *out, pm_module *module, pm_print_options options) {
  pm_printer p = {.out = out, .options = options};
  print_module(&p, module);
}

void pm_print_module_in_pieces(pm_module *module, pm_print_options options,
                               void (*put)(void *user, const char *text, size_t len), void *user) {
  pm_buf out = {0};
  pm_printer p = {.out = &out, .options = options, .put = put, .put_user = user};
  print_module(&p, module);
  pm_buf_free(&out);
}
