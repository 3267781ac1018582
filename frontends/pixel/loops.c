/* Loops whose condition is not known: the variables that a round changes become a tuple stage, the rounds an
 * update of it over a dimension of their own, with the condition as its guard. A conjunct `n < P` bounds the
 * rounds. A round that is not reached changes nothing. */
#include "dialects/stage/stage.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/pixel/pixel.h"

enum { MOST_VARIABLES = 16, MOST_ROUNDS = 1 << 20 };

typedef struct loop {
  cx_interp *in;
  px_state *s;
  const cx_node *node;
  cx_cell *cells[MOST_VARIABLES]; /* that a round changes */
  pm_type types[MOST_VARIABLES], whole;
  unsigned n;
  cx_cell *counter; /* that the condition bounds */
  px_rounds rounds; /* its values */
  pm_op *func;
} loop;

static cv fail(const loop *l, const char *text) {
  return cx_fail(l->in, l->node->loc, "%s", text);
}

/* --- the bound --- */

/* `n < P` or `n <= P` of a condition, n being a number that is known ahead of the loop. */
static bool find_bound(loop *l, const cx_node *n) {
  if (n->kind != CX_BINARY) return false;
  if (n->op == CX_OP_AND) return find_bound(l, n->a) || find_bound(l, n->b);
  if ((n->op != CX_OP_LT && n->op != CX_OP_LE) || n->a->kind != CX_NAME) return false;
  cx_cell *cell = cx_find(l->in, l->in->scope, n->a->name);
  if (!cell || cell->value.kind != CV_INT) return false;
  l->rounds.bound = l->s->loops->bound_of(l->in, n->b);
  cv end = l->rounds.bound ? cv_int(PM_I32, 0) : cx_eval(l->in, n->b);
  if (end.kind != CV_INT) return false;
  l->counter = cell;
  l->rounds.first = cell->value.i;
  l->rounds.last = end.i - (n->op == CX_OP_LT);
  return true;
}

/* --- variables --- */

static bool is_never(cv condition) {
  return condition.kind == CV_INT && !condition.i;
}

/* A round: the body, and what a `for` does behind it. */
static bool run_round(const loop *l) {
  unsigned n_writes = l->s->loops->n_writes(l->in);
  cx_flow f = cx_run(l->in, l->node->c);
  cx_exits exits = l->in->exits;
  if (l->node->kind == CX_FOR && l->node->b) cx_eval(l->in, l->node->b);
  bool only_continues = f == CX_FLOW_SPLIT && is_never(exits.by_break) && is_never(exits.by_return);
  if (f != CX_FLOW_NEXT && f != CX_FLOW_CONTINUE && !only_continues)
    return fail(l, "a loop that ends by its condition at each pixel has 'break' or 'return', too"), false;
  if (l->s->loops->n_writes(l->in) > n_writes)
    return fail(l, "a loop whose end is not known writes elsewhere than at its own pixel"), false;
  return true;
}

static bool is_outside(const loop *l, const cx_cell *cell) {
  return l->s->loops->is_output(l->in, cell) || px_is_in_scope(l->in, cell);
}

/* What a round changes of what is there ahead of the loop; items of arrays have cells of their own. */
static bool find_variables(loop *l) {
  cx_branch branch = cx_begin_branch(l->in, l->node->loc, cv_bool(true));
  bool ok = run_round(l);
  cx_changes changes = cx_end_branch(l->in, &branch);
  for (uint32_t i = 0; ok && i < changes.len; i++) {
    cx_cell *cell = changes.data[i].cell;
    if (!is_outside(l, cell)) continue;
    if (!px_is_number(cell->value) || l->n == MOST_VARIABLES) {
      cx_fail(l->in, l->node->loc,
              "a loop whose end is not known changes %s, it should change at most %d numbers",
              cv_describe(l->in, cell->value), MOST_VARIABLES);
      return false;
    }
    l->types[l->n] = pm_get_scalar(l->in->ctx, px_type_of(cell->value));
    l->cells[l->n++] = cell;
  }
  if (ok && !l->n) fail(l, "the condition of the loop never changes");
  return ok && l->n;
}

/* --- the stage --- */

/* Gives the variables what the stage has at the pixel. */
static void read_variables(const loop *l) {
  px_body *body = l->s->body;
  pm_value *at[] = {body->y, body->x};
  body->b.loc = l->node->loc;
  pm_value *first =
      stage_build_read(&body->b, stage_name_of(l->func), l->whole, stage_own_point(l->in->ctx, 2), at, NULL);
  for (unsigned i = 0; i < l->n; i++) {
    cx_note_change(l->in, l->cells[i]);
    l->cells[i]->value = px_number_of(l->in, (pm_scalar)l->types[i]->scalar, pm_res(pm_def(first), i));
  }
}

static bool put_values(const loop *l, pm_value **out) {
  for (unsigned i = 0; i < l->n; i++) {
    out[i] = px_value_of(l->in, l->node->loc, l->cells[i]->value, (pm_scalar)l->types[i]->scalar);
    if (!out[i]) return false;
  }
  return true;
}

/* In the body of a part of the stage: what was at work before, for px_loops.leave. */
static void *enter(const loop *l, pm_op *part, const px_points *points) {
  pm_region *region = stage_begin_body(part, points->dims, points->n);
  px_body body = {.b = pm_builder_at_end(l->s->body->b.module, region, l->node->loc),
                  .y = region->args[0],
                  .x = region->args[1]};
  return l->s->loops->enter(l->in, body);
}

static bool build_first(const loop *l, const px_points *points) {
  pm_value *values[MOST_VARIABLES];
  void *outer = enter(l, stage_build_case(l->func, l->node->loc, points->set), points);
  bool ok = put_values(l, values);
  if (ok) stage_build_yield(&l->s->body->b, values, l->n);
  l->s->loops->leave(l->in, outer);
  return ok;
}

/* The counter is one more behind a round: else the bound is none. */
static bool counts(const loop *l, const pm_value *before, const pm_value *after) {
  bool is = before && after && !pm_is_arg(after) && px_is_one_more(pm_def((pm_value *)after), before);
  if (!is) fail(l, "the loop has no known end: what bounds it should be one more after each round");
  return is;
}

static bool build_rounds(const loop *l) {
  pm_value *values[MOST_VARIABLES + 2], *before = NULL;
  const pm_value *after = NULL;
  pm_attr assign[MOST_VARIABLES];
  px_points points;
  if (!l->s->loops->points(l->in, l->node->loc, &l->rounds, &points)) return false;
  cx_branch branch = cx_begin_branch(l->in, l->node->loc, cv_bool(true));
  void *outer = enter(l, stage_build_update(l->func, l->node->loc, points.set), &points);
  px_body *body = l->s->body;
  read_variables(l);
  for (unsigned i = 0; i < l->n; i++)
    if (l->cells[i] == l->counter) before = ((const px_number *)l->cells[i]->value.own)->value;
  pm_value *holds = px_value_of(l->in, l->node->loc, cx_eval_condition(l->in, l->node->a), PM_I1);
  if (holds) stage_build_guard(&body->b, holds);
  bool ok = holds && run_round(l) && put_values(l, values);
  for (unsigned i = 0; ok && i < l->n; i++)
    if (l->cells[i] == l->counter) after = values[i];
  ok = ok && counts(l, before, after);
  values[l->n] = body->y;
  values[l->n + 1] = body->x;
  for (unsigned i = 0; i < l->n; i++) assign[i] = pm_get_string_attr(l->in->ctx, pm_str_of("assign"));
  if (ok) {
    pm_op *combine =
        stage_build_combine(&body->b, "assign", stage_own_point(l->in->ctx, 2), values, l->n + 2);
    if (l->n > 1) pm_set_attr(combine, stage_combine_kind, pm_get_array(l->in->ctx, assign, l->n));
  }
  l->s->loops->leave(l->in, outer);
  (void)cx_end_branch(l->in, &branch);
  return ok;
}

static void build_loop(loop *l) {
  px_points points;
  if (!find_variables(l) || !l->s->loops->points(l->in, l->node->loc, NULL, &points)) return;
  l->whole = l->n > 1 ? pm_get_tuple(l->types, (uint16_t)l->n) : l->types[0];
  l->func = l->s->loops->new_stage(l->in, l->node->loc, l->whole, points.set);
  if (build_first(l, &points) && build_rounds(l)) read_variables(l);
}

bool px_run_loop(cx_interp *in, const cx_node *n) {
  px_state *s = in->user;
  loop l = {.in = in, .s = s, .node = n};
  if (!s->body || !s->body->y) return false;
  if (s->in_loop) return fail(&l, "a loop whose end is not known is inside of another one"), true;
  if (n->is_do || !find_bound(&l, n->a))
    return fail(&l,
                "the loop has no known end: a conjunct of its condition should be 'n < P', with a number n "
                "that is known ahead of it, and P a number or an integer parameter"),
           true;
  if (!l.rounds.bound && l.rounds.last - l.rounds.first >= MOST_ROUNDS)
    return cx_fail(in, n->loc, "the loop has %lld rounds, it should have at most %d",
                   (long long)(l.rounds.last - l.rounds.first + 1), MOST_ROUNDS),
           true;
  if (!l.rounds.bound && l.rounds.last < l.rounds.first) return true;
  s->in_loop = true;
  build_loop(&l);
  s->in_loop = false;
  return true;
}
