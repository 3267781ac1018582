/* Sizes at which a wrong pass shows: next to the borders of tiles, steps and vectors that the IR has. */
#ifndef PM_TOOLS_SEMANTICS_SIZES_H
#define PM_TOOLS_SEMANTICS_SIZES_H

#include "tools/lib/semantics/call.h"

typedef PM_VEC(int64_t) pm_numbers;

/* Numbers of IR that may be borders, each once. */
typedef struct pm_borders {
  pm_numbers tiles;       /* sizes of tiles and steps of loops: of attributes that are numbers */
  pm_numbers others;      /* of sets and maps, and constants */
  PM_VEC(pm_attr) arrays; /* of tiles of several dimensions */
} pm_borders;
void pm_borders_add(pm_borders *borders, pm_module *module);
void pm_borders_free(pm_borders *borders);

/* Values of the integer params of a call. */
typedef struct pm_size {
  const int64_t *values; /* one for each of the signature's params; 0 for floats */
  double cost;           /* ops of the program, each at as many points as the params make */
  bool has_tiles;        /* each param is that of two whole tiles */
} pm_size;
typedef struct pm_sizes {
  pm_arena *arena;
  PM_VEC(pm_size) all; /* the cheapest first */
} pm_sizes;

/* Two whole tiles of an array, and one point, where that is a size for each param: a tile in the middle is a
 * case of its own. They take a third of the points at most. With t a border: 1, 2, 3, 5, t - 3 … t + 2 and 2
 * t - 3 … 2 t + 2 for each param, beside small ones and whole tiles for the others. Where the program's
 * context excludes a size, the next one that it allows is there instead (pm_size_choice). At most `most`
 * points are computed at all sizes together, and one size is there. */
pm_sizes pm_sizes_at_borders(pm_op *op, const pm_borders *borders, double most);
void pm_sizes_free(pm_sizes *sizes);
/* The same as NAME=VALUE, with 0.75 for floats; the texts are in the arena. */
void pm_name_size(const stage_signature *sig, const int64_t *values, pm_arena *arena, pm_named_list *out);

#endif
