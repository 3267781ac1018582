#include "ir/ir.h"

#include "ir/builtin.h"
#include "ir/src/context_private.h"
#include "ir/src/ir_private.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* --- memory of a module --- */

static size_t size_class(size_t bytes) {
  return (bytes + 7) / 8;
}

void *pm_module_alloc(pm_module *module, size_t bytes) {
  size_t cls = size_class(bytes);
  if (cls >= PM_SIZE_CLASSES || !module->free_blocks[cls]) return pm_arena_alloc(module->arena, bytes);
  void *block = module->free_blocks[cls];
  memcpy(&module->free_blocks[cls], block, sizeof(void *));
  memset(block, 0, cls * 8);
  return block;
}

void pm_module_release(pm_module *module, void *block, size_t bytes) {
  size_t cls = size_class(bytes);
  if (!block || cls == 0 || cls >= PM_SIZE_CLASSES) return;
  memcpy(block, &module->free_blocks[cls], sizeof(void *));
  module->free_blocks[cls] = block;
}

pm_module *pm_module_new(pm_context *ctx, pm_loc loc) {
  pm_module *module = pm_xcalloc(1, sizeof *module);
  module->ctx = ctx;
  module->arena = pm_arena_new();
  pm_op_state state = {.desc = &builtin_module, .loc = loc, .n_regions = 1};
  module->op = pm_op_new(module, &state);
  pm_region_begin(pm_region_at(module->op, 0));
  return module;
}

void pm_module_free(pm_module *module) {
  if (!module) return;
  PM_VEC_FREE(module->aliases);
  pm_map_free(module->extras);
  pm_arena_free(module->arena);
  free(module);
}

pm_op *pm_module_op(pm_module *module) {
  return module->op;
}
pm_context *pm_module_context(const pm_module *module) {
  return module->ctx;
}
pm_region *pm_module_body(pm_module *module) {
  return pm_region_at(module->op, 0);
}
size_t pm_module_bytes(const pm_module *module) {
  return pm_arena_bytes(module->arena);
}

void pm_module_add_alias(pm_module *module, pm_string name, pm_attr attr) {
  PM_VEC_PUSH(module->aliases, ((pm_alias){name, attr}));
}

pm_module *pm_module_clone(pm_module *module) {
  pm_module *copy = pm_module_new(module->ctx, module->op->loc);
  for (size_t i = 0; i < module->aliases.len; i++) PM_VEC_PUSH(copy->aliases, module->aliases.data[i]);
  pm_set_extra(copy->op, pm_extra(module->op));
  pm_map *mapping = pm_map_new();
  PM_FOR_OPS(op, pm_module_body(module)) pm_insert(pm_module_body(copy), NULL, pm_clone(copy, op, mapping));
  pm_map_free(mapping);
  return copy;
}

/* --- reading --- */

pm_context *pm_op_context(const pm_op *op) {
  return pm_module_of(op)->ctx;
}

static int slot_named(const pm_op *op, const char *name) {
  for (unsigned i = 0; i < op->desc->n_attrs; i++)
    if (strcmp(op->desc->attrs[i].name, name) == 0) return (int)i;
  return -1;
}

pm_attr pm_attr_named(const pm_op *op, const char *name) {
  int slot = slot_named(op, name);
  return slot >= 0 ? pm_attr_at(op, (unsigned)slot) : pm_dict_get(pm_extra(op), name);
}

int64_t pm_int_at(const pm_op *op, unsigned slot) {
  return pm_attr_at(op, slot)->i;
}

pm_string pm_sym_at(const pm_op *op, unsigned slot) {
  pm_attr attr = pm_attr_at(op, slot);
  return attr ? attr->s : NULL;
}

pm_op *pm_parent_of(const pm_op *op, const pm_op_desc *desc) {
  pm_op *parent = pm_parent(op);
  while (parent && parent->desc != desc) parent = pm_parent(parent);
  return parent;
}

bool pm_is_ancestor(const pm_op *ancestor, const pm_op *op) {
  while (op && op != ancestor) op = pm_parent(op);
  return op != NULL;
}

unsigned pm_operand_number(const pm_use *use) {
  return (unsigned)(use - pm_operands(pm_user(use)));
}

static void renumber(pm_region *region) {
  uint32_t order = 0;
  for (pm_op *op = region->first; op; op = op->next) op->order = order++;
  region->order_valid = true;
}

bool pm_op_is_before(const pm_op *a, const pm_op *b) {
  if (!a->region->order_valid) renumber(a->region);
  return a->order < b->order;
}

/* The ancestor of `op` (or itself) that stands directly in `region`, or NULL. */
static const pm_op *ancestor_in(const pm_region *region, const pm_op *op) {
  while (op && op->region != region) op = pm_parent(op);
  return op;
}

pm_region_kind pm_kind_of_region(const pm_region *region) {
  const pm_op_desc *desc = region->op->desc;
  size_t number = (size_t)(region - pm_regions(region->op));
  return number < desc->n_regions ? (pm_region_kind)desc->regions[number].constraint : R_GRAPH;
}

bool pm_dominates(const pm_value *value, const pm_op *op) {
  const pm_op *user = ancestor_in(pm_value_region(value), op);
  if (!user) return false;
  if (pm_is_arg(value)) return true;
  const pm_op *def = pm_def(value);
  return pm_kind_of_region(def->region) == R_GRAPH ? def != user || user != op
                                                   : def != user && pm_op_is_before(def, user);
}

pm_op *pm_terminator(const pm_region *region) {
  return region->last && pm_has_trait(region->last, PM_TERMINATOR) ? region->last : NULL;
}

pm_op *pm_lookup_symbol(const pm_region *region, pm_string name) {
  for (pm_op *op = region->first; op; op = op->next) {
    if (!pm_has_trait(op, PM_SYMBOL)) continue;
    pm_attr sym = pm_attr_named(op, "sym");
    if (sym && sym->s == name) return op;
  }
  return NULL;
}

pm_attr pm_constant_value(const pm_value *value) {
  const pm_op *def = pm_def(value);
  return def && pm_has_trait(def, PM_CONSTANT) ? pm_attr_named(def, "value") : NULL;
}

/* --- use lists --- */

/* Of a word with bits beside the address. */
static uintptr_t with_address(uintptr_t word, uintptr_t address) {
  return (word & PM_LINK_BITS) | address;
}

static void set_word(uintptr_t at, uintptr_t address) {
  uintptr_t *word = (uintptr_t *)(at & ~(uintptr_t)PM_LINK_BITS);
  *word = with_address(*word, address);
}

static void set_link(pm_use *use, uintptr_t *word) {
  use->link = with_address(use->link, (uintptr_t)word);
}

static void link_use(pm_use *use, pm_value *value) {
  use->value = value;
  use->next = (uintptr_t)pm_uses(value);
  if (use->next) set_link(pm_next_use(use), &use->next);
  value->use_list = with_address(value->use_list, (uintptr_t)use);
  set_link(use, &value->use_list);
}

static void unlink_use(pm_use *use) {
  set_word(use->link, use->next);
  if (use->next)
    pm_next_use(use)->link = with_address(pm_next_use(use)->link, use->link & ~(uintptr_t)PM_LINK_BITS);
  use->value = NULL;
}

static void move_use(pm_use *to, const pm_use *from) {
  to->value = from->value;
  to->next = from->next;
  to->link = with_address(to->link, from->link & ~(uintptr_t)PM_LINK_BITS);
  set_word(to->link, (uintptr_t)to);
  if (to->next) set_link(pm_next_use(to), &to->next);
}

void pm_set_operand(pm_op *op, unsigned i, pm_value *value) {
  pm_use *use = &pm_operands(op)[i];
  unlink_use(use);
  link_use(use, value);
}

/* --- operands: their slots, and what pm_user finds behind the last --- */

static void number_slots(pm_use *slots, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    unsigned behind = n - 1 - i;
    slots[i].link = behind < PM_FAR_OPERAND ? behind : PM_FAR_OPERAND;
  }
}

/* Operands that have moved: their number of slots, these, and the op's address and 1. */
typedef struct moved_operands {
  uintptr_t n_slots;
  pm_use slots[];
} moved_operands;

static moved_operands *moved_of(const pm_op *op) {
  return (moved_operands *)((char *)pm_operands(op) - offsetof(moved_operands, slots));
}

static size_t moved_bytes(size_t n_slots) {
  return sizeof(moved_operands) + n_slots * sizeof(pm_use) + sizeof(uintptr_t);
}

static unsigned slots_of(const pm_op *op) {
  return op->has_moved_operands ? (unsigned)moved_of(op)->n_slots : op->room;
}

static pm_use *new_slots(pm_op *op, unsigned n) {
  moved_operands *moved = pm_module_alloc(pm_module_of(op), moved_bytes(n));
  moved->n_slots = n;
  number_slots(moved->slots, n);
  *(uintptr_t *)(moved->slots + n) = (uintptr_t)op | 1;
  return moved->slots;
}

static void release_moved(pm_op *op) {
  if (op->has_moved_operands) pm_module_release(pm_module_of(op), moved_of(op), moved_bytes(slots_of(op)));
}

static void grow_operands(pm_op *op) {
  unsigned n = slots_of(op) < 2 ? 4 : slots_of(op) * 2;
  pm_use *from = pm_operands(op), *to = new_slots(op, n < UINT16_MAX ? n : UINT16_MAX);
  for (unsigned i = 0; i < op->n_operands; i++) move_use(&to[i], &from[i]);
  release_moved(op);
  op->has_moved_operands = true;
  ((pm_use **)op)[-1] = to;
}

void pm_add_operand(pm_op *op, pm_value *value) {
  if (op->n_operands == slots_of(op)) grow_operands(op);
  link_use(&pm_operands(op)[op->n_operands++], value);
}

void pm_remove_operand(pm_op *op, unsigned i) {
  pm_use *operands = pm_operands(op);
  unlink_use(&operands[i]);
  for (unsigned j = i + 1; j < op->n_operands; j++) move_use(&operands[j - 1], &operands[j]);
  op->n_operands--;
}

void pm_replace_uses(pm_value *from, pm_value *to) {
  if (from == to) return;
  while (!pm_unused(from)) {
    pm_use *use = pm_uses(from);
    unlink_use(use);
    link_use(use, to);
  }
}

/* --- making ops --- */

/* What stands before the op: its operands, or the address of those that move later. */
static size_t bytes_before(unsigned room) {
  return room ? room * sizeof(pm_use) : sizeof(pm_use *);
}

static size_t op_bytes(unsigned room, unsigned n_results, unsigned n_attrs, unsigned n_regions) {
  return bytes_before(room) + sizeof(pm_op) + n_results * sizeof(pm_value) + n_regions * sizeof(pm_region) +
         n_attrs * sizeof(pm_attr);
}

static void set_out(pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    pm_res(op, i)->use_list = i < PM_FAR_RESULT ? i : PM_FAR_RESULT;
  for (unsigned i = 0; i < op->n_regions; i++)
    *pm_region_at(op, i) = (pm_region){.op = op, .module = op->home};
  number_slots((pm_use *)op - op->room, op->room);
}

static pm_op *alloc_op(pm_module *module, const pm_op_desc *desc, unsigned n_operands, unsigned n_results,
                       unsigned n_regions) {
  char *block = pm_module_alloc(module, op_bytes(n_operands, n_results, desc->n_attrs, n_regions));
  pm_op *op = (pm_op *)(block + bytes_before(n_operands));
  op->desc = desc;
  op->home = module;
  op->n_results = (uint16_t)n_results;
  op->n_regions = (uint16_t)n_regions;
  op->room = (uint16_t)n_operands;
  op->serial = ++module->ctx->next_serial;
  set_out(op);
  return op;
}

/* For pm_stop_at_serial; `op` has all that it is made with. */
static pm_op *made(pm_op *op) {
  if (op->serial == op->home->ctx->stop_serial) raise(SIGTRAP);
  return op;
}

pm_attr pm_kept_extra(const pm_op *op) {
  return pm_map_get(pm_module_of(op)->extras, op);
}

void pm_set_extra(pm_op *op, pm_attr dict) {
  if (!dict && !op->has_extra) return;
  pm_module *module = pm_module_of(op);
  if (!module->extras) module->extras = pm_map_new();
  if (dict)
    pm_map_set(module->extras, op, (void *)dict);
  else
    pm_map_remove(module->extras, op);
  op->has_extra = dict != NULL;
}

static void set_extra_named(pm_op *op, pm_string name, pm_attr attr) {
  pm_attr old = pm_extra(op);
  size_t n = old ? old->len : 0, kept = 0;
  pm_string *names = pm_xmalloc((n + 1) * sizeof *names);
  pm_attr *items = pm_xmalloc((n + 1) * sizeof *items);
  for (size_t i = 0; i < n; i++) {
    if (old->names[i] == name) continue;
    names[kept] = old->names[i];
    items[kept++] = old->items[i];
  }
  if (attr) names[kept] = name, items[kept++] = attr;
  pm_set_extra(op, kept ? pm_get_dict(pm_op_context(op), names, items, kept) : NULL);
  free(names);
  free(items);
}

void pm_set_attr(pm_op *op, unsigned slot, pm_attr attr) {
  pm_attrs(op)[slot] = attr;
}

void pm_set_attr_named(pm_op *op, const char *name, pm_attr attr) {
  int slot = slot_named(op, name);
  if (slot >= 0)
    pm_attrs(op)[slot] = attr;
  else
    set_extra_named(op, pm_get_cstring(pm_op_context(op), name), attr);
}

pm_op *pm_op_new(pm_module *module, const pm_op_state *s) {
  pm_op *op = alloc_op(module, s->desc, (unsigned)s->operands.len, (unsigned)s->results.len, s->n_regions);
  op->loc = s->loc;
  for (size_t i = 0; i < s->operands.len; i++) pm_add_operand(op, s->operands.data[i]);
  for (size_t i = 0; i < s->results.len; i++) pm_res(op, (unsigned)i)->type = s->results.data[i];
  for (size_t i = 0; i < s->result_names.len && i < s->results.len; i++)
    pm_res(op, (unsigned)i)->name = s->result_names.data[i];
  for (size_t i = 0; i < s->attrs.len; i++)
    pm_set_attr_named(op, s->attr_names.data[i]->text, s->attrs.data[i]);
  return made(op);
}

void pm_op_state_free(pm_op_state *state) {
  PM_VEC_FREE(state->operands);
  PM_VEC_FREE(state->results);
  PM_VEC_FREE(state->result_names);
  PM_VEC_FREE(state->attr_names);
  PM_VEC_FREE(state->attrs);
}

void pm_state_attr(pm_context *ctx, pm_op_state *state, const char *name, pm_attr attr) {
  PM_VEC_PUSH(state->attr_names, pm_get_cstring(ctx, name));
  PM_VEC_PUSH(state->attrs, attr);
}

/* --- regions --- */

pm_region *pm_region_begin(pm_region *region) {
  region->present = true;
  return region;
}

/* Arguments are few and never freed one by one: the array is made anew, the values stay where they are. */
static void resize_args(pm_region *region, uint32_t n) {
  pm_module *module = region->module;
  pm_value **args = pm_module_alloc(module, (n ? n : 1) * sizeof *args);
  uint32_t kept = n < region->n_args ? n : region->n_args;
  if (kept) memcpy(args, region->args, kept * sizeof *args);
  region->args = args;
  region->n_args = n;
}

pm_value *pm_add_arg(pm_region *region, pm_type type, pm_string name) {
  pm_arg_value *arg = pm_module_alloc(region->module, sizeof *arg);
  *arg = (pm_arg_value){region, region->n_args, {.type = type, .use_list = PM_ARGUMENT, .name = name}};
  resize_args(region, region->n_args + 1);
  region->args[region->n_args - 1] = &arg->value;
  return &arg->value;
}

void pm_remove_arg(pm_region *region, unsigned i) {
  if (!pm_unused(region->args[i])) pm_panic(region->op, "removing an argument that is used");
  for (uint32_t j = i + 1; j < region->n_args; j++) {
    region->args[j - 1] = region->args[j];
    pm_as_arg(region->args[j - 1])->index = j - 1;
  }
  region->n_args--;
}

void pm_insert(pm_region *region, pm_op *before, pm_op *op) {
  if (op->region) pm_panic(op, "inserting an op that is in a region already");
  bool append_keeps_order = !before && region->order_valid && region->last;
  op->region = region;
  op->next = before;
  op->before = before ? before->before : region->last;
  *(op->before ? &op->before->next : &region->first) = op;
  *(before ? &before->before : &region->last) = op;
  if (append_keeps_order)
    op->order = op->before->order + 1;
  else
    region->order_valid = false;
}

void pm_detach(pm_op *op) {
  pm_region *region = op->region;
  *(op->before ? &op->before->next : &region->first) = op->next;
  *(op->next ? &op->next->before : &region->last) = op->before;
  op->next = NULL;
  op->region = NULL;
  op->home = region->module;
}

void pm_move_before(pm_op *op, pm_region *region, pm_op *before) {
  if (op == before) return;
  pm_detach(op);
  pm_insert(region, before, op);
}

void pm_splice(pm_region *to, pm_region *from) {
  while (from->first) pm_move_before(from->first, to, NULL);
}

static void release_op(pm_op *op) {
  pm_module *module = op->home;
  pm_set_extra(op, NULL);
  release_moved(op);
  pm_module_release(module, (char *)op - bytes_before(op->room),
                    op_bytes(op->room, op->n_results, op->desc->n_attrs, op->n_regions));
}

static void drop_operands(pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) unlink_use(&pm_operands(op)[i]);
  op->n_operands = 0;
}

static pm_walk drop_operands_of(void *user, pm_op *op) {
  (void)user;
  drop_operands(op);
  return PM_WALK_ON;
}

static pm_walk release_inner(void *root, pm_op *op) {
  if (op == root) return PM_WALK_ON;
  pm_detach(op);
  release_op(op);
  return PM_WALK_ON;
}

/* The running pass stands on its root, and the pass manager returns to it. */
static void check_not_pass_root(const pm_op *op) {
  const pm_op *root = pm_op_context(op)->pass_root;
  if (root && (op == root || pm_is_ancestor(op, root)))
    pm_panic(op, "erased by a pass that runs on %s: a pass may erase only what is below its root",
             op == root ? "it" : "an op inside it");
}

void pm_op_erase(pm_op *op) {
  if (op->n_regions) check_not_pass_root(op);
  for (unsigned i = 0; i < op->n_results; i++)
    if (!pm_unused(pm_res(op, i))) pm_panic(op, "erasing an op whose result is used");
  if (op->n_regions) {
    pm_walk_post(op, drop_operands_of, NULL);
    pm_walk_post(op, release_inner, op);
  }
  drop_operands(op);
  if (op->region) pm_detach(op);
  release_op(op);
}

void pm_replace_op(pm_op *op, pm_value *const *values) {
  for (unsigned i = 0; i < op->n_results; i++) pm_replace_uses(pm_res(op, i), values[i]);
  pm_op_erase(op);
}

/* --- walking --- */

/* The first op of the first region, from number `from` on, that has one. */
static pm_op *first_inside(const pm_op *op, unsigned from) {
  for (unsigned i = from; i < op->n_regions; i++)
    if (pm_region_at(op, i)->first) return pm_region_at(op, i)->first;
  return NULL;
}

static unsigned region_number(const pm_op *op) {
  return (unsigned)(op->region - pm_regions(op->region->op));
}

/* What comes after `op` and all that is inside it, below `root`: taken before the callback, which may erase
 * `op`. */
typedef struct walk_place {
  pm_op *next; /* to enter next, or NULL: leave `parent` */
  pm_op *parent;
} walk_place;

static walk_place place_after(const pm_op *op) {
  if (op->next) return (walk_place){op->next, op->region->op};
  return (walk_place){first_inside(op->region->op, region_number(op) + 1), op->region->op};
}

bool pm_walk_pre(pm_op *root, pm_walk_fn fn, void *user) {
  pm_op *op = root;
  while (op) {
    walk_place after = op == root ? (walk_place){NULL, NULL} : place_after(op);
    pm_walk answer = fn(user, op);
    if (answer == PM_WALK_STOP) return false;
    pm_op *inside = answer == PM_WALK_SKIP ? NULL : first_inside(op, 0);
    op = inside ? inside : after.next;
    while (!op && after.parent && after.parent != root) {
      after = place_after(after.parent);
      op = after.next;
    }
  }
  return true;
}

static pm_op *deepest_first(pm_op *op) {
  for (pm_op *inside; (inside = first_inside(op, 0));) op = inside;
  return op;
}

bool pm_walk_post(pm_op *root, pm_walk_fn fn, void *user) {
  for (pm_op *op = deepest_first(root);;) {
    bool last = op == root;
    walk_place after = last ? (walk_place){NULL, NULL} : place_after(op);
    if (fn(user, op) == PM_WALK_STOP) return false;
    if (last) return true;
    op = after.next ? deepest_first(after.next) : after.parent;
  }
}

/* --- cloning --- */

static pm_value *mapped(pm_map *mapping, pm_value *value) {
  pm_value *to = pm_map_get(mapping, value);
  return to ? to : value;
}

static void clone_args(pm_region *to, const pm_region *from, pm_map *mapping) {
  for (uint32_t i = 0; i < from->n_args; i++)
    pm_map_set(mapping, from->args[i], pm_add_arg(to, from->args[i]->type, from->args[i]->name));
}

/* Without what is in the regions; operands still name the old values. */
static pm_op *clone_shallow(pm_module *module, const pm_op *op, pm_map *mapping) {
  pm_op *copy = alloc_op(module, op->desc, op->n_operands, op->n_results, op->n_regions);
  copy->loc = op->loc;
  pm_set_extra(copy, pm_extra(op));
  for (unsigned i = 0; i < op->desc->n_attrs; i++) pm_attrs(copy)[i] = pm_attr_at(op, i);
  for (unsigned i = 0; i < op->n_operands; i++) pm_add_operand(copy, pm_arg(op, i));
  for (unsigned i = 0; i < op->n_results; i++) {
    pm_res(copy, i)->type = pm_res(op, i)->type;
    pm_res(copy, i)->name = pm_res(op, i)->name;
    pm_map_set(mapping, pm_res(op, i), pm_res(copy, i));
  }
  for (unsigned i = 0; i < op->n_regions; i++) {
    pm_region_at(copy, i)->present = pm_region_at(op, i)->present;
    clone_args(pm_region_at(copy, i), pm_region_at(op, i), mapping);
  }
  return made(copy);
}

typedef struct cloning {
  pm_module *module;
  pm_map *mapping; /* values */
  pm_map *ops;     /* original -> copy */
  const pm_op *root;
} cloning;

static pm_walk clone_one(void *user, pm_op *op) {
  cloning *c = user;
  pm_op *copy = clone_shallow(c->module, op, c->mapping);
  pm_map_set(c->ops, op, copy);
  if (op == c->root) return PM_WALK_ON;
  pm_op *parent = pm_map_get(c->ops, op->region->op);
  pm_insert(pm_region_at(parent, region_number(op)), NULL, copy);
  return PM_WALK_ON;
}

static pm_walk remap_one(void *mapping, pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_value *to = mapped(mapping, pm_arg(op, i));
    if (to != pm_arg(op, i)) pm_set_operand(op, i, to);
  }
  return PM_WALK_ON;
}

pm_op *pm_clone(pm_module *module, const pm_op *op, pm_map *mapping) {
  cloning c = {module, mapping ? mapping : pm_map_new(), pm_map_new(), op};
  pm_walk_pre((pm_op *)op, clone_one, &c);
  pm_op *copy = pm_map_get(c.ops, op);
  pm_walk_pre(copy, remap_one, c.mapping);
  pm_map_free(c.ops);
  if (!mapping) pm_map_free(c.mapping);
  return copy;
}

static pm_walk count_op(void *user, pm_op *op) {
  (void)op;
  ++*(int64_t *)user;
  return PM_WALK_ON;
}

int64_t pm_count_ops(pm_op *root) {
  int64_t n = 0;
  pm_walk_pre(root, count_op, &n);
  return n;
}

static pm_walk stop_at_unregistered(void *user, pm_op *op) {
  if (!pm_has_trait(op, PM_UNREGISTERED)) return PM_WALK_ON;
  *(pm_op **)user = op;
  return PM_WALK_STOP;
}

pm_op *pm_find_unregistered(pm_op *root) {
  pm_op *found = NULL;
  if (pm_has_unregistered(pm_op_context(root))) (void)pm_walk_pre(root, stop_at_unregistered, &found);
  return found;
}
