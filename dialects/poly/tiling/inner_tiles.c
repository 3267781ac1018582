#include "dialects/poly/tiling/inner_tiles.h"

const char *poly_why_no_steps(const stage_node *node, bool has_dimensions) {
  if (node->updates.len) return "has updates";
  return has_dimensions ? NULL : "lacks the dimension of the steps";
}
