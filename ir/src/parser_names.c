/* Names of values: scopes, uses before definitions, suggestions. */
#include "ir/src/parser.h"

#include <stdlib.h>
#include <string.h>

void pm_names_free(pm_names *names) {
  free(names->table);
  PM_VEC_FREE(names->all);
  PM_VEC_FREE(names->undo);
  PM_VEC_FREE(names->hidden);
  PM_VEC_FREE(names->pending);
  PM_VEC_FREE(names->scopes);
}

/* --- the table --- */

/* Numbers that follow one another share cache lines of the table. */
static uint32_t hash_number(uint32_t number) {
  uint32_t mixed = (number >> 4) * 0x9E3779B1u;
  return (mixed ^ mixed >> 15) << 4 | (number & 15);
}

/* FNV-1a: names are short, and a call costs more than the loop. */
static uint32_t hash_word(pm_str name) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < name.len; i++) hash = (hash ^ (unsigned char)name.ptr[i]) * 16777619u;
  return hash ^ (hash >> 15);
}

static uint32_t hash_name(pm_str name) {
  uint32_t number = 0;
  for (size_t i = 0; i < name.len; i++) {
    if (name.ptr[i] < '0' || name.ptr[i] > '9') return hash_word(name);
    number = number * 10 + (uint32_t)(name.ptr[i] - '0');
  }
  return hash_number(number);
}

static void grow_table(pm_names *names) {
  free(names->table);
  names->cap = names->cap ? names->cap * 2 : 256;
  names->table = pm_xcalloc(names->cap, sizeof *names->table);
  for (size_t i = 0; i < names->all.len; i++) {
    size_t slot = names->all.data[i].hash & (names->cap - 1);
    while (names->table[slot]) slot = (slot + 1) & (names->cap - 1);
    names->table[slot] = (uint32_t)i + 1;
  }
}

/* The index of a name, which is added when it is new. */
static uint32_t intern_name(pm_names *names, pm_str text) {
  if (2 * (names->all.len + 1) > names->cap) grow_table(names);
  uint32_t hash = hash_name(text);
  size_t slot = hash & (names->cap - 1);
  for (; names->table[slot]; slot = (slot + 1) & (names->cap - 1)) {
    const pm_name *name = &names->all.data[names->table[slot] - 1];
    if (name->hash == hash && pm_str_eq(name->text, text)) return names->table[slot] - 1;
  }
  PM_VEC_PUSH(names->all, ((pm_name){.text = text, .hash = hash}));
  names->table[slot] = (uint32_t)names->all.len;
  return (uint32_t)names->all.len - 1;
}

/* Valid until another name is added. */
static pm_name *get_name(pm_names *names, pm_str text) {
  uint32_t index = intern_name(names, text);
  return &names->all.data[index];
}

static uint32_t depth_now(const pm_parser *p) {
  return (uint32_t)p->names.scopes.len;
}

static bool is_visible(const pm_parser *p, const pm_binding *bound) {
  return bound->count && bound->depth >= PM_VEC_LAST(p->names.scopes).base;
}

/* --- errors --- */

/* The visible name nearest to `text`, within a third of its length; NULL when there is none. */
static const pm_name *nearest_name(const pm_parser *p, pm_str text) {
  unsigned best = pm_typo_limit(text.len);
  const pm_name *nearest = NULL;
  for (size_t i = 0; i < p->names.all.len; i++) {
    const pm_name *name = &p->names.all.data[i];
    if (!is_visible(p, &name->bound)) continue;
    unsigned distance = pm_edit_distance(name->text, text, best);
    if (distance < best) best = distance, nearest = name;
  }
  return nearest;
}

bool pm_undefined_value(pm_parser *p, const pm_operand_ref *ref) {
  const pm_name *name = get_name(&p->names, ref->name);
  bool hidden = name->bound.count != 0 && !is_visible(p, &name->bound);
  const pm_name *nearest = hidden ? NULL : nearest_name(p, ref->name);
  if (nearest)
    return pm_q_error(p, ref->loc, "use of undefined value '%%%.*s'; did you mean '%%%.*s'?",
                      (int)ref->name.len, ref->name.ptr, (int)nearest->text.len, nearest->text.ptr);
  pm_q_error(p, ref->loc, "use of undefined value '%%%.*s'", (int)ref->name.len, ref->name.ptr);
  if (hidden)
    pm_note(p->ctx, name->bound.loc,
            "this one is outside of an op whose regions see no values of the outside");
  return false;
}

static bool wrong_number(pm_parser *p, const pm_name *name, uint32_t number, pm_loc loc) {
  pm_q_error(p, loc, "'%%%.*s' has %u result%s, but #%u is used", (int)name->text.len, name->text.ptr,
             name->bound.count, name->bound.count == 1 ? "" : "s", number);
  pm_note(p->ctx, name->bound.loc, "defined here");
  return false;
}

static bool wrong_type(pm_parser *p, const pm_name *name, pm_type has, pm_type used, pm_loc loc) {
  pm_q_error(p, loc, "'%%%.*s' has type %pT, but is used with type %pT", (int)name->text.len, name->text.ptr,
             (const void *)has, (const void *)used);
  pm_note(p->ctx, name->bound.loc, "defined here");
  return false;
}

/* --- scopes --- */

void pm_scope_push(pm_parser *p, bool isolated) {
  pm_names *names = &p->names;
  bool closed = isolated || !names->scopes.len;
  uint32_t base = closed ? (uint32_t)names->scopes.len + 1 : PM_VEC_LAST(names->scopes).base;
  PM_VEC_PUSH(names->scopes, ((pm_scope){names->undo.len, base, closed}));
}

static void report_pending(pm_parser *p, const pm_pending *use) {
  pm_operand_ref ref = {p->names.all.data[use->name].text, use->number, use->loc};
  pm_undefined_value(p, &ref);
}

static size_t first_pending_at(const pm_names *names, uint32_t depth) {
  size_t i = names->pending.len;
  while (i > 0 && names->pending.data[i - 1].depth >= depth) i--;
  return i;
}

static void drop_resolved(pm_names *names) {
  while (names->pending.len && !PM_VEC_LAST(names->pending).placeholder) names->pending.len--;
}

/* Takes the uses from number `from` on out of the lists of their names. */
static void forget_pending(pm_names *names, size_t from) {
  for (size_t i = names->pending.len; i-- > from;) {
    pm_pending *use = &names->pending.data[i];
    if (use->placeholder) names->all.data[use->name].pending = use->before;
  }
  names->pending.len = from;
}

static void close_pending(pm_parser *p) {
  pm_names *names = &p->names;
  uint32_t depth = depth_now(p);
  bool closed = PM_VEC_LAST(names->scopes).isolated;
  size_t from = first_pending_at(names, depth);
  for (size_t i = from; i < names->pending.len; i++) {
    pm_pending *use = &names->pending.data[i];
    if (closed && use->placeholder) report_pending(p, use);
    use->depth = depth - 1;
  }
  if (closed) forget_pending(names, from);
  drop_resolved(names);
}

void pm_scope_pop(pm_parser *p) {
  pm_names *names = &p->names;
  close_pending(p);
  size_t start = PM_VEC_LAST(names->scopes).undo_start;
  while (names->undo.len > start) {
    pm_undo last = PM_VEC_POP(names->undo);
    names->all.data[last.name].bound = last.hides ? PM_VEC_POP(names->hidden) : (pm_binding){0};
  }
  names->scopes.len--;
}

/* --- definitions and uses --- */

static void resolve_one(pm_parser *p, const pm_name *name, pm_pending *use) {
  const pm_binding *bound = &name->bound;
  pm_value *placeholder = use->placeholder;
  use->placeholder = NULL;
  pm_parser_tell_use(p, use->loc, bound->loc);
  if (use->number >= bound->count)
    wrong_number(p, name, use->number, use->loc);
  else if (bound->first && bound->first[use->number].type != placeholder->type)
    wrong_type(p, name, bound->first[use->number].type, placeholder->type, use->loc);
  else if (bound->first)
    pm_replace_uses(placeholder, &bound->first[use->number]);
}

/* Those used in the scope of the definition, or in scopes inside it that were closed since. */
static void resolve_pending(pm_parser *p, pm_name *name) {
  while (name->pending) {
    pm_pending *use = &p->names.pending.data[name->pending - 1];
    if (use->depth < depth_now(p)) return;
    name->pending = use->before;
    resolve_one(p, name, use);
  }
  drop_resolved(&p->names);
}

bool pm_define(pm_parser *p, pm_str text, pm_value *first, uint32_t count, pm_loc loc) {
  pm_names *names = &p->names;
  uint32_t index = intern_name(names, text);
  pm_name *name = &names->all.data[index];
  if (is_visible(p, &name->bound)) {
    pm_q_error(p, loc, "'%%%.*s' is defined twice", (int)text.len, text.ptr);
    pm_note(p->ctx, name->bound.loc, "first defined here");
    return false;
  }
  if (name->bound.count) PM_VEC_PUSH(names->hidden, name->bound);
  PM_VEC_PUSH(names->undo, ((pm_undo){index, name->bound.count != 0}));
  name->bound = (pm_binding){first, count, depth_now(p), loc};
  if (p->listener.define) p->listener.define(p->listener.user, loc, first, count);
  if (name->pending) resolve_pending(p, name);
  return true;
}

pm_value *pm_find_value(pm_parser *p, const pm_operand_ref *ref, bool *poisoned) {
  const pm_name *name = get_name(&p->names, ref->name);
  *poisoned = is_visible(p, &name->bound) && !name->bound.first;
  if (!is_visible(p, &name->bound) || *poisoned || ref->number >= name->bound.count) return NULL;
  return &name->bound.first[ref->number];
}

/* An argument of no region. */
static pm_value *new_placeholder(pm_parser *p, pm_type type) {
  pm_arg_value *arg = pm_arena_alloc(p->arena, sizeof *arg);
  arg->value = (pm_value){.type = type, .use_list = PM_ARGUMENT};
  return &arg->value;
}

static pm_value *add_pending(pm_parser *p, uint32_t index, const pm_operand_ref *ref, pm_type type) {
  pm_names *names = &p->names;
  pm_value *value = new_placeholder(p, type);
  PM_VEC_PUSH(names->pending, ((pm_pending){value, index, ref->number, depth_now(p),
                                            names->all.data[index].pending, ref->loc}));
  names->all.data[index].pending = (uint32_t)names->pending.len;
  return value;
}

pm_value *pm_use_value(pm_parser *p, const pm_operand_ref *ref, pm_type type) {
  uint32_t index = intern_name(&p->names, ref->name);
  const pm_name *name = &p->names.all.data[index];
  const pm_binding *bound = &name->bound;
  if (!is_visible(p, bound)) return add_pending(p, index, ref, type);
  pm_parser_tell_use(p, ref->loc, bound->loc);
  if (ref->number >= bound->count) return wrong_number(p, name, ref->number, ref->loc), NULL;
  if (!bound->first) return new_placeholder(p, type);
  pm_value *value = &bound->first[ref->number];
  if (value->type != type) return wrong_type(p, name, value->type, type, ref->loc), NULL;
  return value;
}

pm_string pm_kept_name(pm_parser *p, pm_str name) {
  size_t digits = 0;
  while (digits < name.len && name.ptr[digits] >= '0' && name.ptr[digits] <= '9') digits++;
  return digits == name.len ? NULL : pm_get_string(p->ctx, name);
}
