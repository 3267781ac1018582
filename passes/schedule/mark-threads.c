/* mark-threads: which loops run on several threads.
 *
 *   mark "group" { band "[{ by -> floor(x/32) }, { by -> floor(y/256) }]" coincident [1, 1] { … } }
 *   =>
 *   mark "group" { mark "parallel" schedule "dynamic" { band "[{ by -> floor(x/32) }]" coincident [1] {
 *     band "[{ by -> floor(y/256) }]" coincident [1] { … } } } }
 *
 * It takes the outermost band with a loop that carries no dependence, and the first such loop: in a group
 * over tiles, else of each stage or update. A loop of vectors has no threads. Few default values are stored
 * by one thread. A second run finds no more.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/bands.h"
#include "dialects/stage/analyses/work.h"
#include "passes/options.h"

/* The band stores default values only, too few for several threads. */
static bool stores_few_defaults(pm_pass *pass, const pm_op *band) {
  const stage_statement *s = poly_only_statement(STAGE_STATEMENTS(pass), band);
  return s && !s->body &&
         stage_points_in(stage_statements_graph(STAGE_STATEMENTS(pass)), s->set,
                         pm_usual_size(pm_pass_root(pass))) <
             (double)pm_opt_int(pass, mark_threads_opt_least_cells);
}

pm_result pass_mark_threads(pm_pass *pass) {
  const stage_statements *statements = STAGE_STATEMENTS(pass);
  if (!statements) return PM_FAILED;
  int64_t marked = 0;
  poly_ops bands = {0};
  poly_collect_free_bands(poly_find_schedule(pm_pass_root(pass)), &bands);
  for (size_t i = 0; i < bands.len; i++) {
    if (stores_few_defaults(pass, bands.data[i])) continue;
    poly_mark_parallel(statements, bands.data[i], poly_first_coincident(bands.data[i]));
    marked++;
  }
  PM_VEC_FREE(bands);
  pm_pass_stat(pass, "parallel loops", marked);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
