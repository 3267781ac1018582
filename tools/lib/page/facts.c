#include "tools/lib/page/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const pm_kept_remark *pm_find_remark(const pm_remark_refs *remarks, const char *pass, const char *key) {
  double value;
  for (size_t i = remarks->len; i-- > 0;) {
    const pm_kept_remark *remark = remarks->data[i];
    if (strcmp(remark->pass, pass) == 0 && pm_number_in(remark, key, &value)) return remark;
  }
  return NULL;
}

static pm_prediction prediction_in(const pm_kept_remark *remark) {
  pm_prediction p = {0};
  p.known = pm_number_in(remark, "time", &p.time) && pm_number_in(remark, "compute", &p.compute) &&
            pm_number_in(remark, "traffic", &p.traffic) && pm_number_in(remark, "pages", &p.pages) &&
            pm_number_in(remark, "start", &p.start) && pm_number_in(remark, "least", &p.least) &&
            pm_number_in(remark, "bytes", &p.bytes) && pm_number_in(remark, "tasks", &p.tasks) &&
            pm_number_in(remark, "recomputation", &p.recomputation);
  return p;
}

pm_prediction pm_group_prediction(const pm_remark_refs *remarks) {
  return prediction_in(pm_find_remark(remarks, "group", "stages"));
}

pm_prediction pm_stage_prediction(const pm_remark_refs *remarks) {
  return prediction_in(pm_find_remark(remarks, "group", "whole"));
}

static void add_to_stretch(pm_tile_part *part, const pm_remark_arg *arg) {
  char word[16];
  unsigned d;
  if (sscanf(arg->key, "%15s %u", word, &d) != 2) return;
  while (part->along.len <= d) PM_VEC_PUSH(part->along, (pm_tile_stretch){0});
  pm_tile_stretch *s = &part->along.data[d];
  s->has = true;
  if (strcmp(word, "points") == 0) s->points = arg->value;
  if (strcmp(word, "from") == 0) s->from = arg->value;
  if (strcmp(word, "to") == 0) s->to = arg->value;
  if (strcmp(word, "ahead") == 0) s->ahead = arg->value;
}

pm_tile_part pm_tile_part_of(const pm_remark_refs *remarks) {
  pm_tile_part part = {0};
  const pm_kept_remark *footprint = pm_find_remark(remarks, "tile", "dims"),
                       *ring = pm_find_remark(remarks, "storage", "alive");
  for (size_t i = 0; footprint && i < footprint->n_args; i++) add_to_stretch(&part, &footprint->args[i]);
  pm_number_in(ring, "slices", &part.slices);
  pm_number_in(ring, "alive", &part.alive);
  return part;
}

void pm_tile_part_free(pm_tile_part *part) {
  PM_VEC_FREE(part->along);
}

double pm_stretch_stride(const pm_tile_stretch *s) {
  return s->points > 1 ? (s->to - s->from) / (s->points - 1) : 1;
}
