/* The printer's own state, shared by printer.c (ops) and printer_names.c (names of values). */
#ifndef PM_IR_SRC_PRINTER_H
#define PM_IR_SRC_PRINTER_H

#include "ir/src/ir_private.h"
#include "ir/text.h"

/* A text that values may be named after. `closure` is the isolated part in which it is taken, 0 for none. */
typedef struct pm_taken_name {
  pm_string text;
  uint32_t closure;
  uint32_t next_suffix;
} pm_taken_name;

typedef struct pm_name_scope {
  size_t undo_start;
  uint32_t closure;
  uint32_t next_number;
} pm_name_scope;

/* How values print. Entering a scope names its values before anything inside is printed, so that values of
 * nested regions give way to those around them, wherever these stand. */
typedef struct pm_namer {
  pm_context *ctx;
  pm_map *labels; /* pm_value -> its label, when that is not its name: a pm_string, with bit 1 set when all
                     results of the op go by it, or 2 * number + 1 as an integer; NULL: none yet */
  pm_taken_name *taken; /* open addressing by text */
  size_t taken_cap, n_taken;
  PM_VEC(pm_taken_name) undo; /* entries as they were */
  PM_VEC(pm_name_scope) scopes;
  uint32_t closure, n_closures, next_number;
  pm_buf scratch;
} pm_namer;

void pm_namer_free(pm_namer *namer);
/* The value has a name of the user's, which is printed and parsed; numbers are no such names. */
bool pm_namer_keeps(const pm_value *value);
/* A scope inside the present one; an isolated one sees no names of the outside. */
void pm_namer_push(pm_namer *namer, bool isolated);
void pm_namer_pop(pm_namer *namer);
void pm_namer_name(pm_namer *namer, const pm_value *value);
void pm_namer_name_args(pm_namer *namer, const pm_op *op);
void pm_namer_name_results(pm_namer *namer, const pm_region *region);
/* Names what can be seen at `op`: the scopes around it up to an isolated one, and its own results. */
void pm_namer_enter_around(pm_namer *namer, const pm_op *op);
/* `%name`, `%name#1` or `%3`; of a value that was not named, its own name, or `%<unknown>` when it has none.
 */
void pm_namer_print(pm_namer *namer, pm_buf *out, const pm_value *value);
/* `%name`, `%a, %3`, or `%name:2` for results that have one name. */
void pm_namer_print_results(pm_namer *namer, pm_buf *out, const pm_op *op);

/* How often attributes are printed, those inside others too; each is after those inside it. */
typedef struct pm_attr_count {
  pm_attr attr;
  uint32_t uses;
  bool is_long; /* enough for an alias */
} pm_attr_count;

typedef struct pm_attr_counts {
  PM_VEC(pm_attr_count) all;
  pm_map *numbers; /* pm_attr -> index + 1 */
  pm_map *of_text; /* those with an alias in the text */
} pm_attr_counts;

struct pm_printer {
  pm_buf *out;
  pm_print_options options;
  pm_namer namer;
  pm_map *alias_of;       /* pm_attr -> pm_string, or NULL when there are none */
  pm_map *hidden;         /* ops that are printed inside others -> pm_inline_form, or NULL */
  pm_attr_counts *counts; /* NULL, or attributes are counted and the text is of no use */
  int indent;
  void (*put)(void *user, const char *text, size_t len); /* takes what `out` has, or NULL: it stays there */
  void *put_user;
};

/* --- printer.c --- */
void pm_print_module_op(pm_printer *p, pm_module *module);

/* --- printer_aliases.c --- */
void pm_count_attr(pm_attr_counts *counts, pm_attr attr);
/* What is to be printed ahead of the module, in that order; the caller frees the list. */
pm_alias_list pm_aliases_of(pm_module *module, pm_print_options options);

/* --- printer_inline.c --- */
/* Those before the op that are printed inside it are hidden. */
void pm_printer_hide_inside(pm_printer *p, const pm_op *op);
static inline bool pm_printer_hides(const pm_printer *p, const pm_op *op) {
  return p->hidden && pm_map_has(p->hidden, op);
}

#endif
