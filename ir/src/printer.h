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
  pm_map *labels; /* pm_value -> its label: a pm_string, with bit 1 set when all results of the op go by it,
                     or 2 * number + 1 as an integer; NULL: none yet */
  pm_taken_name *taken; /* open addressing by text */
  size_t taken_cap, n_taken;
  PM_VEC(pm_taken_name) undo; /* entries as they were */
  PM_VEC(pm_name_scope) scopes;
  uint32_t closure, n_closures, next_number;
  pm_buf scratch;
} pm_namer;

void pm_namer_free(pm_namer *namer);
/* A scope inside the present one; an isolated one sees no names of the outside. */
void pm_namer_push(pm_namer *namer, bool isolated);
void pm_namer_pop(pm_namer *namer);
void pm_namer_name(pm_namer *namer, const pm_value *value);
void pm_namer_name_args(pm_namer *namer, const pm_op *op);
void pm_namer_name_results(pm_namer *namer, const pm_region *region);
/* Names what can be seen at `op`: the scopes around it up to an isolated one, and its own results. */
void pm_namer_enter_around(pm_namer *namer, const pm_op *op);
/* `%name`, `%name#1`, `%3`, or `%<unknown>` for a value that was not named. */
void pm_namer_print(pm_namer *namer, pm_buf *out, const pm_value *value);
/* `%name`, `%a, %3`, or `%name:2` for results that have one name. */
void pm_namer_print_results(pm_namer *namer, pm_buf *out, const pm_op *op);

struct pm_printer {
  pm_buf *out;
  pm_print_options options;
  pm_namer namer;
  pm_map *alias_of; /* pm_attr -> pm_string, or NULL when there are none */
  int indent;
};

#endif
