/* The IR: modules, ops, values with use lists, regions.
 *
 * An op has operands, results, attributes, regions and a location, and a descriptor that says what these are.
 * Control flow is structured and there are no successors, so a region holds exactly one block; the two are
 * one struct here. In a sequence region order matters and a value must be defined before its use; in a graph
 * region order does not matter. A region sees the values of the regions around it unless its op is ISOLATED.
 *
 * Ownership: everything lives in its module's arena. `pm_op_new` and `pm_clone` give detached ops (attach
 * them by insertion); `pm_op_erase` recycles their memory. Pointers to attributes and types are the
 * context's.
 */
#ifndef PM_IR_IR_H
#define PM_IR_IR_H

#include "ir/attributes.h"
#include "ir/diag.h"
#include "ir/op_desc.h"

#include <string.h>

typedef struct pm_module pm_module;
typedef struct pm_value pm_value;
typedef struct pm_use pm_use;
typedef struct pm_region pm_region;

/* A value and its number among the results or arguments: that is in the low bits of the list of uses, as
 * pm_value_index has it. */
struct pm_value {
  pm_type type;
  uintptr_t use_list; /* the first use, in no particular order; and three bits: pm_value_index */
  pm_string name;     /* the user's name without '%', or NULL */
};

/* An argument of a region, which has no op to be found from. */
typedef struct pm_arg_value {
  pm_region *region;
  uint32_t index;
  pm_value value;
} pm_arg_value;

/* One operand slot. */
struct pm_use {
  pm_value *value;
  uintptr_t next; /* of the uses of the value: pm_next_use */
  uintptr_t
      link; /* the address of the word that says where it is, `next` or use_list; and three bits: pm_user */
};

/* In memory an op has its operands before it, and behind it its results, regions and attributes. */
struct pm_op {
  const pm_op_desc *desc;
  pm_region *region; /* the region it stands in, NULL when detached or the module */
  union {
    pm_op *before;   /* pm_prev, of an op that stands in a region */
    pm_module *home; /* of one that does not */
  };
  pm_op *next;
  pm_loc loc;
  uint32_t serial;
  uint32_t order : 30; /* position in the region, kept lazily: use pm_op_is_before */
  uint32_t has_moved_operands : 1, has_extra : 1;
  uint16_t n_operands, n_results, n_regions;
  uint16_t room; /* for operands, before the op */
};

struct pm_region {
  pm_op *op; /* the op it belongs to */
  pm_op *first, *last;
  pm_value **args;
  pm_module *module;
  uint32_t n_args;
  bool order_valid;
  bool present; /* an absent region prints nothing and has no ops; `{}` is present and empty */
};

/* --- modules --- */
/* An empty builtin.module. */
pm_module *pm_module_new(pm_context *ctx, pm_loc loc);
void pm_module_free(pm_module *module);
pm_op *pm_module_op(pm_module *module);
pm_context *pm_module_context(const pm_module *module);
pm_region *pm_module_body(pm_module *module);
/* A copy in the same context. */
pm_module *pm_module_clone(pm_module *module);
size_t pm_module_bytes(const pm_module *module);
/* Interned-alias table of the text it came from: `#name = attr` kept for printing. Called by the parser. */
void pm_module_add_alias(pm_module *module, pm_string name, pm_attr attr);

/* --- reading --- */
pm_context *pm_op_context(const pm_op *op);
/* What pm_extra reads of an op that has one. */
pm_attr pm_kept_extra(const pm_op *op);
static inline bool pm_is(const pm_op *op, const pm_op_desc *desc) {
  return op && op->desc == desc;
}
static inline bool pm_has_trait(const pm_op *op, uint32_t trait) {
  return (op->desc->traits & trait) != 0;
}
/* The op writes the memory of that operand, which is a memref. */
static inline bool pm_writes_operand(const pm_op *op, unsigned i) {
  return pm_has_trait(op, PM_WRITES) && (!op->desc->writes || op->desc->writes(op, i));
}
static inline pm_module *pm_module_of(const pm_op *op) {
  return op->region ? op->region->module : op->home;
}
/* The op before it in its region, or NULL. */
static inline pm_op *pm_prev(const pm_op *op) {
  return op->region ? op->before : NULL;
}
/* n_operands of them. Those that outgrow their room move, and their address takes its place. */
static inline pm_use *pm_operands(const pm_op *op) {
  return op->has_moved_operands ? ((pm_use *const *)op)[-1] : (pm_use *)op - op->room;
}
/* n_results of them. */
static inline pm_value *pm_results(const pm_op *op) {
  return (pm_value *)(op + 1);
}
/* n_regions of them. */
static inline pm_region *pm_regions(const pm_op *op) {
  return (pm_region *)(pm_results(op) + op->n_results);
}
/* desc->n_attrs slots, NULL when absent. */
static inline pm_attr *pm_attrs(const pm_op *op) {
  return (pm_attr *)(pm_regions(op) + op->n_regions);
}
static inline pm_value *pm_arg(const pm_op *op, unsigned i) {
  return pm_operands(op)[i].value;
}
static inline pm_value *pm_res(const pm_op *op, unsigned i) {
  return &pm_results(op)[i];
}
static inline pm_attr pm_attr_at(const pm_op *op, unsigned slot) {
  return pm_attrs(op)[slot];
}
static inline pm_region *pm_region_at(const pm_op *op, unsigned i) {
  return &pm_regions(op)[i];
}
/* The dictionary of attributes that the descriptor does not know, or NULL. */
static inline pm_attr pm_extra(const pm_op *op) {
  return op->has_extra ? pm_kept_extra(op) : NULL;
}
/* By name, in the slots and then among the extra ones; NULL when absent. */
pm_attr pm_attr_named(const pm_op *op, const char *name);
int64_t pm_int_at(const pm_op *op, unsigned slot);   /* of an INT attribute that is present */
pm_string pm_sym_at(const pm_op *op, unsigned slot); /* of a SYMBOL or STRING attribute, NULL when absent */
/* The op around it, NULL for the module or a detached op. */
static inline pm_op *pm_parent(const pm_op *op) {
  return op->region ? op->region->op : NULL;
}
pm_op *pm_parent_of(const pm_op *op, const pm_op_desc *desc); /* nearest ancestor (not itself) of that kind */
bool pm_is_ancestor(const pm_op *ancestor, const pm_op *op);  /* true also for equal */
enum { PM_LINK_BITS = 7, PM_FAR_RESULT = 6, PM_ARGUMENT = 7, PM_FAR_OPERAND = 7 };
static inline bool pm_is_arg(const pm_value *v) {
  return (v->use_list & PM_LINK_BITS) == PM_ARGUMENT;
}
static inline pm_arg_value *pm_as_arg(const pm_value *arg) {
  return (pm_arg_value *)((char *)arg - offsetof(pm_arg_value, value));
}
/* Among the results or arguments. The bits are the number of a result, PM_FAR_RESULT when it is that or more:
 * then so many values before it there is the one to ask. */
static inline uint32_t pm_value_index(const pm_value *v) {
  if (pm_is_arg(v)) return pm_as_arg(v)->index;
  uint32_t passed = 0;
  for (; (v->use_list & PM_LINK_BITS) == PM_FAR_RESULT; v -= PM_FAR_RESULT) passed += PM_FAR_RESULT;
  return passed + (uint32_t)(v->use_list & PM_LINK_BITS);
}
/* The defining op, NULL for an argument. */
static inline pm_op *pm_def(const pm_value *v) {
  return pm_is_arg(v) ? NULL : (pm_op *)(v - pm_value_index(v)) - 1;
}
static inline pm_region *pm_value_region(const pm_value *v) {
  return pm_is_arg(v) ? pm_as_arg(v)->region : pm_def(v)->region;
}
/* The first use, NULL when there is none. */
static inline pm_use *pm_uses(const pm_value *v) {
  return (pm_use *)(v->use_list & ~(uintptr_t)PM_LINK_BITS);
}
static inline pm_use *pm_next_use(const pm_use *use) {
  return (pm_use *)use->next;
}
static inline bool pm_unused(const pm_value *v) {
  return v->use_list <= PM_LINK_BITS;
}
static inline bool pm_has_one_use(const pm_value *v) {
  return !pm_unused(v) && !pm_uses(v)->next;
}
/* The op that has the operand. The bits say how many slots stand behind it, PM_FAR_OPERAND when so many or
 * more. Behind the last slot is the op, or its address and 1 when its operands have moved. */
static inline pm_op *pm_user(const pm_use *use) {
  while ((use->link & PM_LINK_BITS) == PM_FAR_OPERAND) use += PM_FAR_OPERAND;
  const pm_use *end = use + (use->link & PM_LINK_BITS) + 1;
  uintptr_t word;
  memcpy(&word, end, sizeof word);
  return word & 1 ? (pm_op *)(word - 1) : (pm_op *)end;
}
unsigned pm_operand_number(const pm_use *use);
/* Both in one region: a stands before b. Renumbers the region when needed; amortised O(1). */
bool pm_op_is_before(const pm_op *a, const pm_op *b);
/* `value` may be used at `op`: defined before it in its region or in a region around it. */
bool pm_dominates(const pm_value *value, const pm_op *op);
/* The last op of a region if it is a terminator, else NULL. */
pm_op *pm_terminator(const pm_region *region);
/* The op with trait SYMBOL and that name directly in `region`, or NULL; linear. */
pm_op *pm_lookup_symbol(const pm_region *region, pm_string name);
#define PM_FOR_OPS(op, region)                                                                               \
  for (pm_op *op = (region)->first, *op##_next_; op && (op##_next_ = op->next, true); op = op##_next_)
#define PM_FOR_USES(use, value)                                                                              \
  for (pm_use *use = pm_uses(value), *use##_next_; use && (use##_next_ = pm_next_use(use), true);            \
       use = use##_next_)
/* `value` is the result of a CONSTANT op: its attribute "value", else NULL. */
pm_attr pm_constant_value(const pm_value *value);

/* --- walking: every op below (and with) root; the callback may erase or replace the op it is given after its
 * own subtree was visited (post) or before it is entered (pre: return PM_WALK_SKIP then) --- */
typedef enum pm_walk { PM_WALK_ON, PM_WALK_SKIP, PM_WALK_STOP } pm_walk;
typedef pm_walk (*pm_walk_fn)(void *user, pm_op *op);
/* True when it went to the end. Neither uses the C stack for the depth of nesting. */
bool pm_walk_pre(pm_op *root, pm_walk_fn fn, void *user);
bool pm_walk_post(pm_op *root, pm_walk_fn fn, void *user);
/* The op and those inside it. */
int64_t pm_count_ops(pm_op *root);
/* The first op from `root` down that has PM_UNREGISTERED, or NULL; at once where the context has none. */
pm_op *pm_find_unregistered(pm_op *root);

/* --- changing (passes with rules go through the rewriter, which calls these) --- */
typedef struct pm_op_state {
  const pm_op_desc *desc;
  pm_loc loc;
  PM_VEC(pm_value *) operands;
  PM_VEC(pm_type) results;
  PM_VEC(pm_string) result_names; /* may be shorter than results */
  PM_VEC(pm_string) attr_names;
  PM_VEC(pm_attr) attrs; /* parallel to attr_names */
  unsigned n_regions;    /* as many as pm_op_new makes, all absent until pm_region_begin */
} pm_op_state;
/* Makes a detached op; the state's arrays stay the caller's (pm_op_state_free). */
pm_op *pm_op_new(pm_module *module, const pm_op_state *state);
void pm_op_state_free(pm_op_state *state);
void pm_state_attr(pm_context *ctx, pm_op_state *state, const char *name, pm_attr attr);

/* Marks the region present. */
pm_region *pm_region_begin(pm_region *region);
pm_value *pm_add_arg(pm_region *region, pm_type type, pm_string name);
/* The argument must be unused. */
void pm_remove_arg(pm_region *region, unsigned i);
/* Before `before`, or at the end when it is NULL. The op must be detached. */
void pm_insert(pm_region *region, pm_op *before, pm_op *op);
void pm_detach(pm_op *op);
void pm_move_before(pm_op *op, pm_region *region, pm_op *before);
/* Moves all ops of `from` to the end of `to`. */
void pm_splice(pm_region *to, pm_region *from);
/* Erases the op and what is inside; its results must be unused (a use panics). */
void pm_op_erase(pm_op *op);
void pm_set_operand(pm_op *op, unsigned i, pm_value *value);
void pm_add_operand(pm_op *op, pm_value *value);
void pm_remove_operand(pm_op *op, unsigned i);
void pm_set_attr(pm_op *op, unsigned slot, pm_attr attr);
/* A slot's name sets the slot; NULL removes. */
void pm_set_attr_named(pm_op *op, const char *name, pm_attr attr);
/* All that the descriptor does not know: a dictionary, or NULL. */
void pm_set_extra(pm_op *op, pm_attr dict);
void pm_replace_uses(pm_value *from, pm_value *to);
/* Erases `op` after replacing its results by `values` (n_results of them). */
void pm_replace_op(pm_op *op, pm_value *const *values);
/* A deep copy, detached, in `module`; values defined outside keep pointing outside unless `mapping` (value ->
 * value, may be NULL) maps them; the copies of results and arguments are added to `mapping`. */
pm_op *pm_clone(pm_module *module, const pm_op *op, pm_map *mapping);

#endif
