/* Classes of the program: their functions, bases and constant members. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"

#include <string.h>

const cx_node *cx_find_class(const cx_interp *in, pm_string name) {
  const cx_cell *cell = cx_find(in->globals, name);
  return cell && cell->value.kind == CV_CLASS ? cell->value.node : NULL;
}

/* --- functions --- */

unsigned cx_least_arguments(const cx_node *function) {
  unsigned n = 0;
  for (uint32_t i = 0; i < function->n_items; i++)
    if (!function->items[i]->b) n = i + 1;
  return n;
}

bool cx_takes_arguments(const cx_node *f, unsigned n_args) {
  return n_args <= f->n_items && n_args >= cx_least_arguments(f);
}

/* The body may stand outside of the class. */
static const cx_node *definition_outside(cx_interp *in, const cx_node *class_node, const cx_node *declared) {
  pm_buf name = {0};
  pm_buf_printf(&name, "%s::%s", class_node->name->text, declared->name->text);
  const cx_cell *cell = cx_find(in->globals, pm_get_string(in->ctx, (pm_str){name.data, name.len}));
  pm_buf_free(&name);
  return cell && cell->value.kind == CV_FUNCTION ? cell->value.function->node : declared;
}

const cx_node *cx_find_method(cx_interp *in, const cx_node *class_node, pm_string name, unsigned n_args) {
  const cx_node *any = NULL;
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    if (m->kind != CX_FUNCTION || m->name != name || !m->a) continue;
    if (!any || (cx_takes_arguments(m, n_args) && !cx_takes_arguments(any, n_args))) any = m;
  }
  if (any) return any->b ? any : definition_outside(in, class_node, any);
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    const cx_node *base = cx_find_class(in, class_node->c->items[i]->name);
    if (base && base != class_node && (any = cx_find_method(in, base, name, n_args))) return any;
  }
  return NULL;
}

const cx_node *cx_find_constructor(const cx_node *class_node, unsigned n_args) {
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    if (m->kind == CX_FUNCTION && !m->a && cx_takes_arguments(m, n_args)) return m;
  }
  return NULL;
}

/* --- bases --- */

bool cx_is_of_library(const cx_interp *in, const cx_node *class_node) {
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    pm_string name = class_node->c->items[i]->name;
    const cx_node *node = cx_find_class(in, name);
    if (name && in->library->is_base && in->library->is_base(name)) return true;
    if (node && node != class_node && cx_is_of_library(in, node)) return true;
  }
  return false;
}

/* --- A::b --- */

/* The part before the last `::`, or NULL. */
static pm_string scope_of(pm_context *ctx, pm_string name) {
  const char *last = NULL;
  for (const char *p = name->text; (p = strstr(p, "::")); p += 2) last = p;
  return last ? pm_get_string(ctx, (pm_str){name->text, (size_t)(last - name->text)}) : NULL;
}

static pm_string last_part(pm_context *ctx, pm_string name) {
  const char *last = name->text;
  for (const char *p = name->text; (p = strstr(p, "::")); p += 2) last = p + 2;
  return pm_get_cstring(ctx, last);
}

static bool find_item(const cx_node *node, pm_string name, cx_qualified *out) {
  for (uint32_t i = 0; i < node->n_items; i++) {
    if (node->items[i]->name != name) continue;
    *out = (cx_qualified){node, i};
    return node->kind == CX_ENUM || node->items[i]->b;
  }
  return false;
}

/* An enumerator of a class, or a member that is static or constant. */
static bool find_constant(const cx_node *class_node, pm_string name, cx_qualified *out) {
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    bool holds =
        (m->kind == CX_ENUM && !m->is_scoped) || (m->kind == CX_DECLARE && (m->is_static || m->a->is_const));
    if (holds && find_item(m, name, out)) return true;
  }
  return false;
}

bool cx_find_qualified(cx_interp *in, pm_string name, cx_qualified *out) {
  pm_string outer = scope_of(in->ctx, name);
  const cx_cell *cell = outer ? cx_find(in->scope, outer) : NULL;
  if (!cell || cell->value.kind != CV_CLASS) return false;
  const cx_node *node = cell->value.node;
  pm_string member = last_part(in->ctx, name);
  if (node->kind == CX_ENUM) return find_item(node, member, out);
  return node->kind == CX_CLASS && find_constant(node, member, out);
}
