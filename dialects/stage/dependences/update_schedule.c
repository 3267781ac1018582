#include "dialects/stage/dependences/update_schedule.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "dialects/stage/dependences/update_loops.h"

#include <isl/ilp.h>
#include <isl/val.h>

/* The coordinates that the set's points have in one dimension. */
static __isl_give isl_set *along(isl_set *set, unsigned d) {
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  set = isl_set_project_out(isl_set_copy(set), isl_dim_set, d + 1, n - d - 1);
  return isl_set_reset_tuple_id(isl_set_project_out(set, isl_dim_set, 0, d));
}

/* By isl. */
static int64_t asked_span(isl_set *set, unsigned d) {
  isl_set *values = along(set, d);
  isl_map *pairs = isl_map_from_domain_and_range(isl_set_copy(values), values);
  isl_set *distances = isl_set_project_out_all_params(isl_map_deltas(pairs));
  int64_t most = -1;
  isl_take_int_below(isl_set_dim_max_val(distances, 0), INT32_MAX, &most);
  return most + 1;
}

/* The values of one coordinate of the points in the set, from the first to the last, for all parameters; 0:
 * not bounded. */
static int64_t span_of(isl_set *set, unsigned d) {
  int64_t most = 0;
  linear_answer answer = linear_greatest_difference(set, d, &most);
  if (answer == LINEAR_UNKNOWN) return asked_span(set, d);
  return answer == LINEAR_FOUND && most < INT32_MAX ? most + 1 : 0;
}

/* Of stages of any name. */
static pm_string key_of_span(pm_context *ctx, isl_map *schedule, isl_set *domain, unsigned d) {
  char question[32];
  snprintf(question, sizeof question, "span along %u", d);
  isl_set *points = isl_set_reset_tuple_id(isl_set_copy(domain));
  isl_map *times = isl_map_reset_tuple_id(isl_map_copy(schedule), isl_dim_in);
  pm_string key = isl_key_of(ctx, question, points, times);
  isl_set_free(points);
  isl_map_free(times);
  return key;
}

/* Stages of equal domains are scheduled alike, and analyses ask the same again. */
int64_t stage_span_along(pm_context *ctx, isl_map *schedule, isl_set *domain, unsigned d) {
  pm_string key = key_of_span(ctx, schedule, domain, d);
  const int64_t *known = key ? isl_find_kept(ctx, key) : NULL;
  if (known) return *known;
  isl_set *points = isl_set_apply(isl_set_copy(domain), isl_map_copy(schedule));
  int64_t span = span_of(points, d);
  isl_set_free(points);
  if (!key) return span;
  int64_t *kept = pm_xmalloc(sizeof *kept);
  *kept = span;
  isl_keep(ctx, key, kept, free);
  return span;
}

static const char *why_recurrence_is_whole(const stage_node *node) {
  for (unsigned k = 0; k < node->n_dims && !node->updates.len; k++)
    if (stage_is_free(node, k)) return NULL;
  return node->updates.len ? "it has updates and reads itself" : "it reads itself along all its dimensions";
}

const char *stage_why_whole(const stage_node *node) {
  bool any = false;
  if (node->self_reads.len) return why_recurrence_is_whole(node);
  if (!node->updates.len) return NULL;
  for (unsigned k = 0; k < node->n_dims; k++) {
    if (stage_update_dim_is_affine(node, k))
      any = true;
    else if (!span_of(node->domain, k))
      return "its updates may reach any element along an unbounded dimension";
  }
  return any ? NULL : "the targets of its updates are not affine";
}

bool stage_schedule_involves(isl_map *schedule, unsigned d, unsigned k) {
  unsigned n = (unsigned)isl_map_dim(schedule, isl_dim_out);
  isl_map *along = isl_map_project_out(isl_map_copy(schedule), isl_dim_out, d + 1, n - d - 1);
  along = isl_map_project_out(along, isl_dim_out, 0, d);
  bool involves = isl_map_involves_dims(along, isl_dim_in, k, 1) == isl_bool_true;
  isl_map_free(along);
  return involves;
}

void stage_find_whole(const stage_node *node, isl_map *schedule, unsigned n, bool *whole) {
  for (unsigned d = 0; d < n; d++) whole[d] = false;
  for (unsigned k = 0; k < node->n_dims; k++) {
    if (stage_update_dim_is_affine(node, k)) continue;
    for (unsigned d = 0; d < n; d++) whole[d] = whole[d] || stage_schedule_involves(schedule, d, k);
  }
}

/* Instances -> cells, with 0 for the indices that do not follow from the place. */
static __isl_give isl_map *known_target(const stage_node *node, size_t number) {
  const stage_update_info *update = &node->updates.data[number];
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(update->set));
  isl_aff_list *indices = isl_aff_list_alloc(isl_set_get_ctx(update->set), (int)node->n_dims);
  for (unsigned k = 0; k < node->n_dims; k++) {
    isl_aff *index = stage_update_dim_is_affine(node, k) ? stage_update_index(update, k) : NULL;
    isl_aff *known = index ? isl_aff_copy(index) : isl_aff_zero_on_domain(isl_local_space_copy(local));
    indices = isl_aff_list_add(indices, known);
  }
  isl_local_space_free(local);
  isl_space *space = isl_map_get_space(update->target);
  return isl_map_from_multi_aff(isl_multi_aff_from_aff_list(space, indices));
}

__isl_give isl_map *stage_update_schedule(const stage_node *node, size_t number, isl_map *schedule) {
  return isl_map_apply_range(known_target(node, number), isl_map_copy(schedule));
}

__isl_give isl_map *stage_update_instances(const stage_node *node, size_t number, isl_map *cells) {
  isl_map *known = isl_map_copy(cells), *target = known_target(node, number);
  for (unsigned k = 0; k < node->n_dims; k++) {
    if (stage_update_dim_is_affine(node, k)) continue;
    known = isl_map_fix_si(isl_map_drop_constraints_involving_dims(known, isl_dim_out, k, 1), isl_dim_out,
                           (int)k, 0);
  }
  known = isl_map_apply_range(known, isl_map_reverse(target));
  known = isl_map_intersect_range(known, isl_set_copy(node->updates.data[number].set));
  return isl_map_coalesce(isl_map_detect_equalities(isl_map_remove_redundancies(known)));
}
