/* Classes of the program: what they and their bases have. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"

#include <string.h>

cx_class_info *cx_info(const cx_interp *in, const cx_node *node) {
  return pm_map_get(in->infos, node);
}

cx_class_info *cx_new_info(cx_interp *in, const cx_node *node) {
  cx_class_info info = {.node = node, .scope = in->scope};
  cx_class_info *kept = pm_arena_memdup(in->arena, &info, sizeof(info));
  pm_map_set(in->infos, node, kept);
  return kept;
}

uint32_t cx_enum_number(cx_interp *in, const cx_node *node) {
  for (uint32_t i = 0; i < in->enums.len; i++)
    if (in->enums.data[i] == node) return i + 1;
  CX_PUSH(in->arena, in->enums, node);
  return in->enums.len;
}

const cx_node *cx_find_class(cx_interp *in, pm_string name) {
  cx_found found;
  bool is = cx_look_up(in, &(cx_node){.kind = CX_NAME, .name = name}, &found) && found.cell &&
            found.cell->value.kind == CV_CLASS;
  return is ? found.cell->value.node : NULL;
}

unsigned cx_least_arguments(const cx_node *function) {
  unsigned n = 0;
  for (uint32_t i = 0; i < function->n_items; i++)
    if (!function->items[i]->b && !function->items[i]->is_long) n = i + 1;
  return n;
}

bool cx_has_pack(const cx_node *function) {
  return function->n_items > 0 && function->items[function->n_items - 1]->is_long;
}

bool cx_takes_arguments(const cx_node *f, unsigned n_args) {
  return (n_args <= f->n_items || cx_has_pack(f)) && n_args >= cx_least_arguments(f);
}

/* --- bases --- */

static void put_line(cx_interp *in, const cx_instance *instance, unsigned depth, cx_line *line) {
  if (depth > 20) return;
  CX_PUSH(in->arena, line->items, instance);
  for (uint32_t i = 0; i < instance->bases.len; i++) put_line(in, instance->bases.data[i], depth + 1, line);
}

cx_line cx_line_of(cx_interp *in, const cx_instance *instance) {
  cx_line line = {0};
  put_line(in, instance, 0, &line);
  return line;
}

bool cx_derives(const cx_instance *instance, const cx_node *base) {
  if (instance->node == base) return true;
  for (uint32_t i = 0; i < instance->bases.len; i++)
    if (cx_derives(instance->bases.data[i], base)) return true;
  return false;
}

bool cx_is_base(const cx_instance *base, const cx_instance *derived) {
  if (base == derived) return true;
  for (uint32_t i = 0; i < derived->bases.len; i++)
    if (cx_is_base(base, derived->bases.data[i])) return true;
  return false;
}

bool cx_is_of_library(const cx_interp *in, const cx_node *class_node) {
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    pm_string name = class_node->c->items[i]->name;
    if (name && in->library->is_base && in->library->is_base(name)) return true;
  }
  const cx_class_info *info = cx_info(in, class_node);
  for (uint32_t i = 0; info && i < info->instances.len; i++)
    if (info->instances.data[i]->is_of_library) return true;
  return false;
}

/* --- members --- */

cx_scope *cx_part(const cx_object *object, const cx_instance *instance) {
  for (uint32_t i = 0; i < object->parts.len; i++)
    if (object->parts.data[i]->instance == instance) return object->parts.data[i];
  return object->parts.data[0];
}

static bool has_function(const cx_instance *instance, pm_string name) {
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_FUNCTION && m->name == name && m->a && !m->is_friend) return true;
  }
  return false;
}

static cx_cell *member_of(const cx_object *object, const cx_instance *owner, pm_string name) {
  const cx_scope *s = object->members;
  for (uint32_t i = s->names.len; i > 0; i--)
    if (s->names.data[i - 1].name == name && s->names.data[i - 1].owner == owner)
      return s->names.data[i - 1].cell;
  return NULL;
}

/* --- values of the library in objects --- */

const cx_instance *cx_inner_owner(const cx_instance *instance) {
  if (instance->inner_type) return instance;
  const cx_instance *found = NULL;
  for (uint32_t i = 0; i < instance->bases.len && !found; i++)
    found = cx_inner_owner(instance->bases.data[i]);
  return found;
}

static cx_cell *inner_of(const cx_object *object, const cx_instance *as) {
  const cx_instance *owner = cx_inner_owner(as);
  return owner ? member_of(object, owner, owner->inner_name) : NULL;
}

cx_cell *cx_inner_cell(cv v) {
  if (v.kind != CV_OBJECT) return NULL;
  bool is_base = v.number > 0 && v.number <= v.object->parts.len;
  return inner_of(v.object, is_base ? v.object->parts.data[v.number - 1]->instance : v.object->instance);
}

cv cx_inner(cv v) {
  const cx_cell *cell = cx_inner_cell(v);
  return cell ? cell->value : v;
}

cx_cell *cx_nearer_inner(const cx_interp *in, const cx_found *found) {
  const cx_scope *s = in->scope, *has = found ? found->scope : NULL;
  for (; s && !s->instance; s = s->outer)
    if (s == has) return NULL;
  if (!s || !s->object) return NULL;
  const cx_instance *of = !found ? NULL : found->instance ? found->instance : has ? has->instance : NULL;
  return of && cx_is_base(of, s->instance) ? NULL : inner_of(s->object, s->instance);
}

bool cx_uses_name(const cx_instance *instance, pm_string name) {
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_USING && m->name == name && m->a) return true;
  }
  return false;
}

/* --- what a name is --- */

static bool find_here(const cx_instance *instance, cx_object *object, pm_string name, cx_found *out) {
  const cx_scope *names = instance->names;
  *out = (cx_found){.object = object, .scope = instance->names};
  out->cell = object ? member_of(object, instance, name) : NULL;
  for (uint32_t i = names->names.len; i > 0 && !out->cell; i--)
    if (names->names.data[i - 1].name == name) out->cell = names->names.data[i - 1].cell;
  if (!out->cell && has_function(instance, name)) out->instance = instance;
  return out->cell || out->instance;
}

static bool find_in(const cx_instance *instance, cx_object *object, pm_string name, unsigned depth,
                    cx_found *out) {
  if (depth > 20) return false;
  if (find_here(instance, object, name, out)) return true;
  for (uint32_t i = 0; i < instance->bases.len; i++)
    if (find_in(instance->bases.data[i], object, name, depth + 1, out)) return true;
  return false;
}

bool cx_find_in_class(cx_interp *in, const cx_instance *instance, cx_object *object, pm_string name,
                      cx_found *out) {
  enum {
    NAMES_A_STEP = 32
  }; /* an object may have more members than its class declares, which are looked through */
  if (object) in->steps += object->members->names.len / NAMES_A_STEP;
  return find_in(instance, object, name, 0, out);
}
