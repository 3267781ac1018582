/* Names of values: scopes, uses before definitions, suggestions. */
#include "ir/src/parser.h"

#include <stdlib.h>
#include <string.h>

void pm_names_free(pm_names *names) {
  free(names->table);
  for (size_t i = 0; i < names->pages.len; i++) free(names->pages.data[i]);
  PM_VEC_FREE(names->pages);
  PM_VEC_FREE(names->undo);
  PM_VEC_FREE(names->hidden);
  PM_VEC_FREE(names->pending);
  PM_VEC_FREE(names->last_pending);
  PM_VEC_FREE(names->scopes);
}

/* --- the table --- */

static pm_name *name_at(const pm_names *names, uint32_t number) {
  return &names->pages.data[number / PM_NAMES_A_PAGE][number % PM_NAMES_A_PAGE];
}

static void add_name(pm_names *names, pm_str text) {
  if (names->n_names % PM_NAMES_A_PAGE == 0)
    PM_VEC_PUSH(names->pages, pm_xmalloc(PM_NAMES_A_PAGE * sizeof(pm_name)));
  *name_at(names, names->n_names++) = (pm_name){.at = (uint32_t)(text.ptr - names->source)};
}

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

static pm_str text_of(const pm_names *names, const pm_name *name) {
  const char *begin = names->source + name->at;
  return (pm_str){begin, pm_word_length(begin, names->source_end)};
}

static void grow_table(pm_names *names) {
  free(names->table);
  names->cap = names->cap ? names->cap * 2 : 256;
  names->table = pm_xcalloc(names->cap, sizeof *names->table);
  for (uint32_t i = 0; i < names->n_names; i++) {
    size_t slot = hash_name(text_of(names, name_at(names, i))) & (names->cap - 1);
    while (names->table[slot]) slot = (slot + 1) & (names->cap - 1);
    names->table[slot] = i + 1;
  }
}

static bool has_text(const pm_names *names, const pm_name *name, pm_str text) {
  const char *begin = names->source + name->at;
  return (size_t)(names->source_end - begin) >= text.len && memcmp(begin, text.ptr, text.len) == 0 &&
         pm_word_length(begin + text.len, names->source_end) == 0;
}

/* The index of a name, which is added when it is new. */
static uint32_t intern_name(pm_names *names, pm_str text) {
  if (2 * ((size_t)names->n_names + 1) > names->cap) grow_table(names);
  size_t slot = hash_name(text) & (names->cap - 1);
  for (; names->table[slot]; slot = (slot + 1) & (names->cap - 1))
    if (has_text(names, name_at(names, names->table[slot] - 1), text)) return names->table[slot] - 1;
  add_name(names, text);
  names->table[slot] = names->n_names;
  return names->n_names - 1;
}

static pm_name *get_name(pm_names *names, pm_str text) {
  uint32_t index = intern_name(names, text);
  return name_at(names, index);
}

static uint32_t depth_now(const pm_parser *p) {
  return (uint32_t)p->names.scopes.len;
}

static bool is_visible(const pm_parser *p, const pm_name *name) {
  return name->count && name->depth >= PM_VEC_LAST(p->names.scopes).base;
}

/* --- errors --- */

/* The visible name nearest to `text`, within a third of its length; NULL when there is none. */
static const pm_name *nearest_name(const pm_parser *p, pm_str text) {
  unsigned best = pm_typo_limit(text.len);
  const pm_name *nearest = NULL;
  for (uint32_t i = 0; i < p->names.n_names; i++) {
    const pm_name *name = name_at(&p->names, i);
    if (!is_visible(p, name)) continue;
    unsigned distance = pm_edit_distance(text_of(&p->names, name), text, best);
    if (distance < best) best = distance, nearest = name;
  }
  return nearest;
}

bool pm_undefined_value(pm_parser *p, const pm_operand_ref *ref) {
  const pm_name *name = get_name(&p->names, ref->name);
  bool hidden = name->count != 0 && !is_visible(p, name);
  const pm_name *nearest = hidden ? NULL : nearest_name(p, ref->name);
  pm_str near = nearest ? text_of(&p->names, nearest) : (pm_str){0};
  if (nearest)
    return pm_q_error(p, ref->loc, "use of undefined value '%%%.*s'; did you mean '%%%.*s'?",
                      (int)ref->name.len, ref->name.ptr, (int)near.len, near.ptr);
  pm_q_error(p, ref->loc, "use of undefined value '%%%.*s'", (int)ref->name.len, ref->name.ptr);
  if (hidden)
    pm_note(p->ctx, name->loc, "this one is outside of an op whose regions see no values of the outside");
  return false;
}

static bool wrong_number(pm_parser *p, const pm_name *name, uint32_t number, pm_loc loc) {
  pm_str text = text_of(&p->names, name);
  pm_q_error(p, loc, "'%%%.*s' has %u result%s, but #%u is used", (int)text.len, text.ptr,
             (unsigned)name->count, name->count == 1 ? "" : "s", number);
  pm_note(p->ctx, name->loc, "defined here");
  return false;
}

static bool wrong_type(pm_parser *p, const pm_name *name, pm_type has, pm_type used, pm_loc loc) {
  pm_str text = text_of(&p->names, name);
  pm_q_error(p, loc, "'%%%.*s' has type %pT, but is used with type %pT", (int)text.len, text.ptr,
             (const void *)has, (const void *)used);
  pm_note(p->ctx, name->loc, "defined here");
  return false;
}

/* --- scopes --- */

static pm_binding binding_of(const pm_name *name) {
  return (pm_binding){name->first, name->loc, name->count, name->depth};
}

static void bind(pm_name *name, pm_binding to) {
  name->first = to.first;
  name->loc = to.loc;
  name->count = to.count;
  name->depth = to.depth;
}

void pm_scope_push(pm_parser *p, bool isolated) {
  pm_names *names = &p->names;
  bool closed = isolated || !names->scopes.len;
  uint32_t base = closed ? (uint32_t)names->scopes.len + 1 : PM_VEC_LAST(names->scopes).base;
  PM_VEC_PUSH(names->scopes, ((pm_scope){names->undo.len, base, closed}));
}

static void report_pending(pm_parser *p, const pm_pending *use) {
  pm_operand_ref ref = {text_of(&p->names, name_at(&p->names, use->name)), use->number, use->loc};
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
    if (use->placeholder) names->last_pending.data[use->name] = use->before;
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
    bind(name_at(names, last.name), last.hides ? PM_VEC_POP(names->hidden) : (pm_binding){0});
  }
  names->scopes.len--;
}

/* --- definitions and uses --- */

static void resolve_one(pm_parser *p, const pm_name *name, pm_pending *use) {
  pm_value *placeholder = use->placeholder;
  use->placeholder = NULL;
  pm_parser_tell_use(p, use->loc, name->loc);
  if (use->number >= name->count)
    wrong_number(p, name, use->number, use->loc);
  else if (name->first && name->first[use->number].type != placeholder->type)
    wrong_type(p, name, name->first[use->number].type, placeholder->type, use->loc);
  else if (name->first)
    pm_replace_uses(placeholder, &name->first[use->number]);
}

/* Those used in the scope of the definition, or in scopes inside it that were closed since. */
static void resolve_pending(pm_parser *p, uint32_t index) {
  uint32_t *last = &p->names.last_pending.data[index];
  while (*last) {
    pm_pending *use = &p->names.pending.data[*last - 1];
    if (use->depth < depth_now(p)) return;
    *last = use->before;
    resolve_one(p, name_at(&p->names, index), use);
  }
  drop_resolved(&p->names);
}

bool pm_define(pm_parser *p, pm_str text, pm_value *first, uint32_t count, pm_loc loc) {
  pm_names *names = &p->names;
  uint32_t index = intern_name(names, text);
  pm_name *name = name_at(names, index);
  if (is_visible(p, name)) {
    pm_q_error(p, loc, "'%%%.*s' is defined twice", (int)text.len, text.ptr);
    pm_note(p->ctx, name->loc, "first defined here");
    return false;
  }
  if (name->count) PM_VEC_PUSH(names->hidden, binding_of(name));
  PM_VEC_PUSH(names->undo, ((pm_undo){index, name->count != 0}));
  bind(name, (pm_binding){first, loc, (uint16_t)count, (uint16_t)depth_now(p)});
  if (p->listener.define) p->listener.define(p->listener.user, loc, first, count);
  if (index < names->last_pending.len) resolve_pending(p, index);
  return true;
}

pm_value *pm_find_value(pm_parser *p, const pm_operand_ref *ref, bool *poisoned) {
  const pm_name *name = get_name(&p->names, ref->name);
  *poisoned = is_visible(p, name) && !name->first;
  if (!is_visible(p, name) || *poisoned || ref->number >= name->count) return NULL;
  return &name->first[ref->number];
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
  while (names->last_pending.len <= index) PM_VEC_PUSH(names->last_pending, 0);
  uint32_t *last = &names->last_pending.data[index];
  PM_VEC_PUSH(names->pending, ((pm_pending){value, index, ref->number, depth_now(p), *last, ref->loc}));
  *last = (uint32_t)names->pending.len;
  return value;
}

pm_value *pm_use_value(pm_parser *p, const pm_operand_ref *ref, pm_type type) {
  uint32_t index = intern_name(&p->names, ref->name);
  const pm_name *name = name_at(&p->names, index);
  if (!is_visible(p, name)) return add_pending(p, index, ref, type);
  pm_parser_tell_use(p, ref->loc, name->loc);
  if (ref->number >= name->count) return wrong_number(p, name, ref->number, ref->loc), NULL;
  if (!name->first) return new_placeholder(p, type);
  pm_value *value = &name->first[ref->number];
  if (value->type != type) return wrong_type(p, name, value->type, type, ref->loc), NULL;
  return value;
}

pm_string pm_kept_name(pm_parser *p, pm_str name) {
  size_t digits = 0;
  while (digits < name.len && name.ptr[digits] >= '0' && name.ptr[digits] <= '9') digits++;
  return digits == name.len ? NULL : pm_get_string(p->ctx, name);
}
