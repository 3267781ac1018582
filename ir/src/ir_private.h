/* The module's storage, for ir.c, the parser and the printer. */
#ifndef PM_IR_SRC_IR_PRIVATE_H
#define PM_IR_SRC_IR_PRIVATE_H

#include "ir/ir.h"

typedef struct pm_alias {
  pm_string name; /* without '#' */
  pm_attr attr;
} pm_alias;
typedef PM_VEC(pm_alias) pm_alias_list;

enum { PM_SIZE_CLASSES = 64 }; /* of 8 bytes each: blocks up to 512 bytes are recycled */

struct pm_module {
  pm_context *ctx;
  pm_arena *arena;
  pm_op *op;
  void *free_blocks[PM_SIZE_CLASSES]; /* singly linked through the first word */
  pm_map *extras;        /* pm_op -> pm_attr, of ops that has_extra tells of; NULL: there are none yet */
  pm_alias_list aliases; /* in the order of the text */
};

/* R_GRAPH also for a region that the descriptor does not know, as of an unregistered op. */
pm_region_kind pm_kind_of_region(const pm_region *region);
/* Zeroed memory of the module; give it back with the same size. */
void *pm_module_alloc(pm_module *module, size_t bytes);
void pm_module_release(pm_module *module, void *block, size_t bytes);

#endif
