#include "passes/stage/check-bounds/advice.h"

#include "dialects/isl/conditions.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/words.h"
#include "passes/stage/check-bounds/ranges.h"

#include <math.h>

/* The values of one dimension. */
static isl_set *shadow(isl_set *set, unsigned d) {
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  set = isl_set_project_out(isl_set_reset_tuple_id(isl_set_copy(set)), isl_dim_set, d + 1, n - d - 1);
  return isl_set_project_out(set, isl_dim_set, 0, d);
}

static bool leaves_in(isl_set *reached, isl_set *domain, unsigned d) {
  isl_set *values = shadow(reached, d), *inside = shadow(domain, d);
  bool leaves = !linear_decide_subset(values, inside);
  isl_set_free(values);
  isl_set_free(inside);
  return leaves;
}

/* Number of an index that leaves the domain. */
static unsigned leaving_dim(isl_map *relation, isl_set *domain) {
  isl_set *reached = isl_map_range(isl_map_copy(relation));
  unsigned d = 0, last = (unsigned)isl_set_dim(domain, isl_dim_set) - 1;
  while (d < last && !leaves_in(reached, domain, d)) d++;
  isl_set_free(reached);
  return d;
}

static isl_stat put_piece(__isl_take isl_set *where, __isl_take isl_aff *function, void *user) {
  bool ok = isl_put_sum(user, function);
  isl_set_free(where);
  isl_aff_free(function);
  return ok ? isl_stat_ok : isl_stat_error;
}

/* `R - 1` of a function (taken) of the params; false when it is no sum of them. */
static bool put_function(pm_buf *out, __isl_take isl_pw_aff *function) {
  bool ok =
      isl_pw_aff_n_piece(function) == 1 && isl_pw_aff_foreach_piece(function, put_piece, out) == isl_stat_ok;
  isl_pw_aff_free(function);
  return ok;
}

static void put_clamp(pm_buf *out, const stage_words *words, isl_set *domain, unsigned d) {
  pm_buf low = {0}, high = {0};
  bool sums = put_function(&low, isl_set_dim_min(isl_set_copy(domain), (int)d)) &&
              put_function(&high, isl_set_dim_max(isl_set_copy(domain), (int)d));
  pm_buf_puts(out, "clamp it, ");
  words->put_clamp(out, sums ? low.data : "lo", sums ? high.data : "hi");
  pm_buf_free(&low);
  pm_buf_free(&high);
}

static void put_number(pm_buf *out, double number) {
  pm_buf_printf(out, "%.*g", fabs(number) < 1e15 && floor(number) == number ? 15 : 6, number);
}

void bounds_put_advice(pm_buf *out, pm_op *access, isl_map *relation, const stage_node *producer,
                       isl_set *types) {
  found_range range;
  put_clamp(out, stage_words_of(pm_op_context(access)), producer->domain,
            leaving_dim(relation, producer->domain));
  if (!bounds_find_range(access, producer, types, &range)) return;
  pm_buf_printf(out, ", or declare what %s contains, --range %s=", range.input, range.input);
  put_number(out, range.low);
  pm_buf_putc(out, ':');
  put_number(out, range.high);
}
