/* mark-vector: which innermost loops become vectors.
 *
 *   band "[{ by -> x }, { by -> y }]" coincident [1, 1]
 *   =>
 *   band "[{ by -> x }]" coincident [1] { mark "vector" { band "[{ by -> y }]" coincident [1] } }
 *
 * It marks innermost loops that carry no dependence and go along the contiguous dimension of their stages.
 * For an update that is the dimension of its target (Kennedy, Allen, "Optimizing Compilers for Modern
 * Architectures", 2002, 5). A loop inside that is unrolled as a whole is straight code. Remarks explain why
 * other innermost loops have no vectors, and why some vectors are slow. A marked loop is left alone.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/bands.h"
#include "dialects/stage/analyses/work.h"
#include "passes/options.h"

#include <string.h>

/* Nothing is below but statements, and a loop around them that is unrolled as a whole. */
static bool is_innermost_but_unrolled(const pm_op *band) {
  const pm_op *mark = poly_child(band);
  if (!poly_is_mark(mark, POLY_MARK_unroll) || pm_int_at(mark, poly_mark_times) != 0)
    return poly_is_innermost(band);
  const pm_op *unrolled = poly_child(mark);
  return pm_is(unrolled, &poly_band) && poly_is_innermost(unrolled);
}

static bool mark_last(const stage_statements *statements, pm_op *band) {
  if (!is_innermost_but_unrolled(band) || !poly_may_be_vector(statements, band)) return false;
  poly_mark_member(band, poly_band_members(band) - 1, POLY_MARK_vector);
  return true;
}

/* --- remarks: loops without vectors, or with slow ones --- */

typedef struct explanation {
  pm_pass *pass;
  const stage_statements *statements;
  const stage_graph *graph;
} explanation;

static void add_reason(pm_buf *reasons, const char *fmt, ...) PM_PRINTF(2, 3);
static void add_reason(pm_buf *reasons, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  pm_buf_puts(reasons, reasons->len ? ", " : "");
  pm_vformat(reasons, fmt, args);
  va_end(args);
}

static void add_accesses(pm_buf *reasons, double n, const char *how) {
  if (n > 0) add_reason(reasons, "it reads or writes %.0f time%s a point %s", n, n > 1 ? "s" : "", how);
}

/* Accesses that are not next to one another for neighbours. */
static void add_scattered(pm_buf *reasons, const stage_work *w) {
  add_accesses(reasons, w->gathers, "at computed indices");
  add_accesses(reasons, w->strided, "with a stride other than 1");
}

static bool is_strict(const stage_graph *graph) {
  pm_string fp = pm_sym_at(graph->pipeline, stage_pipeline_fp);
  return fp && strcmp(fp->text, "strict") == 0;
}

/* Why a loop is not marked. That of an update may become vectors later, where nothing stands against it. */
static void add_obstacles(const explanation *e, const pm_op *band, const stage_statement *s,
                          const stage_work *w, pm_buf *reasons) {
  unsigned last = poly_band_members(band) - 1;
  bool waits = !poly_member_is_coincident(band, last), reads_itself = s->node->self_reads.len > 0;
  if (s->kind == STAGE_UPDATE) {
    add_scattered(reasons, w);
    if (w->chained > 0) add_reason(reasons, "it sums floats into one element, in order");
    if (w->calls > 0) add_reason(reasons, "it calls functions");
  } else if (waits || (reads_itself && poly_is_inside(band, POLY_MARK_unroll))) {
    add_reason(reasons, reads_itself ? "it reads what earlier iterations compute"
                                     : "its iterations depend on one another");
  } else if (!poly_runs_along_rows(e->statements, band, last)) {
    add_reason(reasons, "it does not run along rows");
  } else {
    add_reason(reasons, "a mark around it forbids them");
  }
}

/* Why a marked loop is slow. */
static void add_slow(const explanation *e, const stage_statement *s, const stage_work *w, pm_buf *reasons) {
  add_scattered(reasons, w);
  if (stage_has_guard(s->body)) add_reason(reasons, "a condition that is not affine decides what is stored");
  if (!poly_has_long_rows(e->statements, s->name))
    add_reason(reasons, "rows have fewer than %d points", PM_SHORT_ROW);
  if (w->calls > 0 && is_strict(e->graph))
    add_reason(reasons, "it calls functions, under strict floating point");
}

/* The statement's part of the time that is predicted for its stage; 0: none is. */
static double time_of(const explanation *e, const stage_statement *s) {
  int64_t usual = pm_usual_size(pm_pass_root(e->pass));
  const stage_node *node = s->node;
  double points = 0;
  if (!pm_attr_at(node->op, stage_func_time)) return 0;
  double time = (double)pm_int_at(node->op, stage_func_time);
  if (s->kind == STAGE_UPDATE) return time;
  for (size_t i = 0; i < node->cases.len; i++)
    points += stage_points_in(e->graph, node->cases.data[i].set, usual);
  return points > 0 ? time * stage_points_in(e->graph, s->set, usual) / points : 0;
}

static void remark_vectors(const explanation *e, const stage_statement *s, const char *which,
                           pm_buf *reasons) {
  double time = time_of(e, s);
  if (time > 0) pm_buf_printf(reasons, "; it takes %.3g ms", time / 1e6);
  pm_pass_remark(e->pass, s->body->loc, PM_REMARK_MISSED, (pm_remark_arg[]){{"time", time}}, time > 0,
                 "the innermost loop of @%pS has %s vectors: %s", (const void *)s->node->name, which,
                 reasons->data);
}

static void explain_statement(const explanation *e, const pm_op *band, const stage_statement *s,
                              bool marked) {
  pm_buf reasons = {0};
  stage_work w = stage_work_in(s->body, s->set);
  if (marked)
    add_slow(e, s, &w, &reasons);
  else
    add_obstacles(e, band, s, &w, &reasons);
  if (reasons.len) remark_vectors(e, s, marked ? "slow" : "no", &reasons);
  pm_buf_free(&reasons);
}

/* The instances are of a statement, or of all cases of a stage that has its statements below. */
static void explain_instances(const explanation *e, const pm_op *band, pm_string name) {
  bool marked = poly_is_inside(band, POLY_MARK_vector);
  const stage_statement *only = stage_find_statement(e->statements, name), *all = only;
  const stage_node *node = only ? only->node : stage_graph_find(e->graph, name);
  size_t n = node ? 1 : 0;
  if (node && !only) all = stage_statements_of(e->statements, node, &n);
  for (size_t i = 0; i < n; i++)
    if (all[i].body && (only || all[i].kind == STAGE_CASE)) explain_statement(e, band, &all[i], marked);
}

static void explain_band(const explanation *e, const pm_op *band) {
  poly_names names = {0};
  if (!poly_is_innermost(band) || !poly_band_members(band)) return;
  poly_band_names(band, &names);
  for (size_t k = 0; k < names.len; k++) explain_instances(e, band, names.data[k]);
  PM_VEC_FREE(names);
}

static void explain_all(pm_pass *pass) {
  explanation e = {pass, STAGE_STATEMENTS(pass), stage_statements_graph(STAGE_STATEMENTS(pass))};
  poly_ops bands = {0};
  poly_collect(poly_find_schedule(pm_pass_root(pass)), &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++) explain_band(&e, bands.data[i]);
  PM_VEC_FREE(bands);
}

pm_result pass_mark_vector(pm_pass *pass) {
  pm_result result = poly_change_bands(pass, mark_last, "vector loops");
  if (result != PM_FAILED && pm_wants_remarks(pm_pass_context(pass))) explain_all(pass);
  return result;
}
