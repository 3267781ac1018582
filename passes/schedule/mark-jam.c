/* mark-jam: vector loops that compute points of several rows.
 *
 *   band "[{ by -> x }]" coincident [1] { mark "vector" { band "[{ by -> y }]" } }
 *   =>
 *   mark "jam" rows 4 { band "[{ by -> x }]" coincident [1] { mark "vector" { band "[{ by -> y }]" } } }
 *
 * It is unroll-and-jam (Callahan, Carr, Kennedy, "Improving register allocation for subscripted variables",
 * 1990). Rows of a stencil read the same elements, which one loop over several rows loads once. The loop has
 * as many streams to memory as rows, where a loop over one row waits for its few. No row depends on another.
 */
#include "dialects/poly/bands.h"
#include "dialects/poly/trips.h"
#include "dialects/stage/analyses/work.h"
#include "passes/options.h"

typedef struct marking {
  pm_pass *pass;
  const stage_statements *statements;
  pm_op *schedule;
  bool found, failed; /* `all`, which only some schedules ask for */
  poly_occurrences all;
} marking;

/* All that run in the band are cases whose rows the member goes over. */
static bool goes_over_rows(const marking *m, const pm_op *band, unsigned member, const poly_names *names) {
  for (size_t i = 0; i < names->len; i++) {
    const stage_statement *s = stage_find_statement(m->statements, names->data[i]);
    if (!s || s->kind != STAGE_CASE || !s->body) return false;
    if (poly_dim_of_member(band, member, s->name) != (int)s->node->n_dims - 2) return false;
  }
  return names->len > 0;
}

/* Of the bytes that the statements load, those that several rows load, in percent; 0 where calls take the
 * time. */
static double shared_percent(const marking *m, const poly_names *names) {
  double shared = 0, all = 0;
  for (size_t i = 0; i < names->len; i++) {
    const stage_statement *s = stage_find_statement(m->statements, names->data[i]);
    stage_work w = stage_work_in(s->body, s->set);
    if (w.calls > 0) return 0;
    shared += w.shared_bytes;
    all += w.load_bytes;
  }
  return all > 0 ? 100 * shared / all : 0;
}

/* 0: none. */
static double percent_in_common(const marking *m, const pm_op *band, unsigned member) {
  poly_names names = {0};
  poly_band_names(band, &names);
  double percent = goes_over_rows(m, band, member, &names) ? shared_percent(m, &names) : 0;
  PM_VEC_FREE(names);
  return percent >= (double)pm_opt_int(m->pass, mark_jam_opt_least) ? percent : 0;
}

/* Loops around the band, with its own. */
static unsigned loops_of(const pm_op *band) {
  unsigned n = 0;
  for (const pm_op *up = band; up; up = pm_parent(up)) n += pm_is(up, &poly_band) ? poly_band_members(up) : 0;
  return n;
}

static bool find_all(marking *m) {
  if (!m->found)
    m->failed =
        !poly_find_occurrences(pm_pass_arena(m->pass), m->statements, m->schedule, POLY_MARKED, &m->all);
  m->found = true;
  return !m->failed;
}

/* Most iterations of the loop of the last member; 0: not known. `vector` is inside. */
static int64_t most_rows(const marking *m, const pm_op *band, const pm_op *vector) {
  for (size_t i = 0; i < m->all.all.len; i++) {
    const poly_occurrence *o = m->all.all.data[i];
    if (!o->bands || !pm_is_ancestor(vector, o->bands->band)) continue;
    pm_affine_expr *values = pm_arena_alloc(pm_pass_arena(m->pass), o->depth * sizeof *values);
    poly_values_at(o, values);
    return poly_most_trips(o, loops_of(band) - 1, values);
  }
  return 0;
}

/* Few rows are left over. */
static bool has_enough(marking *m, const pm_op *band, const pm_op *vector, int64_t rows) {
  if (!find_all(m)) return false;
  int64_t most = most_rows(m, band, vector);
  return !most || most >= 2 * rows || most % rows == 0;
}

/* Of the loop right around a vector loop. */
static bool mark_rows(marking *m, const pm_op *vector) {
  pm_op *band = pm_parent(vector);
  int64_t rows = pm_opt_int(m->pass, mark_jam_opt_rows);
  if (!pm_is(band, &poly_band) || poly_goes_over_pieces(band)) return false;
  unsigned last = poly_band_members(band) - 1;
  if (!poly_member_is_coincident(band, last) || !poly_may_mark(band, last, POLY_MARK_jam)) return false;
  double percent = percent_in_common(m, band, last);
  if (percent <= 0 || !has_enough(m, band, vector, rows)) return false;
  pm_pass_remark(m->pass, band->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"percent", percent}}, 1,
                 "a vector loop computes %lld rows, which share %.0f%% of what they load", (long long)rows,
                 percent);
  pm_op *mark = poly_mark_member(band, last, POLY_MARK_jam);
  pm_set_attr(mark, poly_mark_rows, pm_get_index_attr(pm_op_context(mark), rows));
  return true;
}

pm_result pass_mark_jam(pm_pass *pass) {
  poly_ops marks = {0};
  int64_t marked = 0;
  marking m = {
      .pass = pass, .statements = STAGE_STATEMENTS(pass), .schedule = poly_find_schedule(pm_pass_root(pass))};
  if (!m.statements) return PM_FAILED;
  if (pm_opt_int(pass, mark_jam_opt_rows) == 1) return PM_UNCHANGED;
  poly_collect(m.schedule, &poly_mark, &marks);
  for (size_t i = 0; i < marks.len; i++)
    marked += poly_is_mark(marks.data[i], POLY_MARK_vector) && mark_rows(&m, marks.data[i]);
  PM_VEC_FREE(marks);
  if (m.found) poly_free_occurrences(&m.all);
  pm_pass_stat(pass, "loops over rows jammed", marked);
  return m.failed ? PM_FAILED : marked ? PM_CHANGED : PM_UNCHANGED;
}
