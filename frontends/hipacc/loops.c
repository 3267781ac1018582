/* Loops of a kernel that end by pixels: the variables that change become a tuple stage, the rounds an update
 * of it over a dimension of their own, with the condition as its guard. A round that is not reached changes
 * nothing. */
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/stage.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/hipacc/hipacc.h"

enum { MOST_VARIABLES = 16, MOST_ROUNDS = 1 << 20 };

typedef struct loop {
  cx_interp *in;
  const cx_node *node;
  cx_cell *cells[MOST_VARIABLES]; /* that a round changes */
  pm_type types[MOST_VARIABLES], whole;
  unsigned n;
  cx_cell *counter; /* that the condition bounds */
  int64_t rounds;
  pm_string stage;
  pm_op *func;
} loop;

/* --- the bound --- */

/* `n < C` or `n <= C` of a condition, n being a number that is known ahead of the loop. */
static bool find_bound(loop *l, const cx_node *n) {
  if (n->kind != CX_BINARY) return false;
  if (n->op == CX_OP_AND) return find_bound(l, n->a) || find_bound(l, n->b);
  if ((n->op != CX_OP_LT && n->op != CX_OP_LE) || n->a->kind != CX_NAME) return false;
  cx_cell *cell = cx_find(l->in, l->in->scope, n->a->name);
  cv end = cell && cell->value.kind == CV_INT ? cx_eval(l->in, n->b) : cv_void;
  if (end.kind != CV_INT) return false;
  l->counter = cell;
  l->rounds = end.i - cell->value.i + (n->op == CX_OP_LE);
  return true;
}

/* --- variables --- */

/* A round: the body, and what a `for` does behind it. */
static bool run_round(const loop *l) {
  cx_flow f = cx_run(l->in, l->node->c);
  if (l->node->kind == CX_FOR && l->node->b) cx_eval(l->in, l->node->b);
  if (f == CX_FLOW_NEXT || f == CX_FLOW_CONTINUE) return true;
  cx_fail(l->in, l->node->loc,
          "a loop that ends by its condition at each pixel has 'break' or 'return', too");
  return false;
}

/* What a round changes of what is there ahead of the loop. */
static bool find_variables(loop *l) {
  cx_branch branch = cx_begin_branch(l->in, l->node->loc, cv_bool(true));
  bool ok = run_round(l);
  cx_changes changes = cx_end_branch(l->in, &branch);
  for (uint32_t i = 0; ok && i < changes.len; i++) {
    cx_cell *cell = changes.data[i].cell;
    if (!px_is_in_scope(l->in, cell)) continue;
    if (!px_is_number(cell->value) || l->n == MOST_VARIABLES) {
      cx_fail(l->in, l->node->loc,
              "a loop that ends by pixels changes %s, it should change at most %d numbers",
              cv_describe(l->in, cell->value), MOST_VARIABLES);
      return false;
    }
    l->types[l->n] = pm_get_scalar(l->in->ctx, px_type_of(cell->value));
    l->cells[l->n++] = cell;
  }
  if (ok && !l->n) cx_fail(l->in, l->node->loc, "the condition of the loop never changes");
  return ok && l->n;
}

/* --- the stage --- */

/* Gives the variables what the stage has at the pixel. */
static void read_variables(const loop *l) {
  px_body *body = hp_state_of(l->in)->px.body;
  pm_value *at[] = {body->y, body->x};
  body->b.loc = l->node->loc;
  pm_value *first = stage_build_read(&body->b, l->stage, l->whole, stage_own_point(l->in->ctx, 2), at, NULL);
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

static pm_attr rounds_of(const loop *l) {
  const hp_rect *r = &hp_state_of(l->in)->run->space->region;
  pm_buf text = {0};
  pm_buf_printf(&text, "{ [y, x, t] : %lld <= y < %lld and %lld <= x < %lld and 0 <= t < %lld }",
                (long long)r->y, (long long)(r->y + r->height), (long long)r->x, (long long)(r->x + r->width),
                (long long)l->rounds);
  isl_set *set = isl_set_read_from_str(pm_isl_ctx(l->in->ctx), text.data);
  pm_buf_free(&text);
  return isl_attr_of_set(l->in->ctx, set);
}

static void begin_part(const loop *l, pm_op *part, unsigned n_dims, hp_run *run) {
  hp_state *s = hp_state_of(l->in);
  pm_string names[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x"), pm_get_cstring(s->ctx, "t")};
  pm_region *body = stage_begin_body(part, names, n_dims);
  const hp_run *outer = s->run;
  *run = (hp_run){.space = outer->space, .position = outer->position, .outputs = outer->outputs};
  run->body = (px_body){
      .b = pm_builder_at_end(s->module, body, l->node->loc), .y = body->args[0], .x = body->args[1]};
  hp_set_run(s, run);
}

static bool build_first(const loop *l) {
  pm_value *values[MOST_VARIABLES];
  hp_state *s = hp_state_of(l->in);
  hp_run run, *outer = s->run;
  begin_part(l, stage_build_case(l->func, l->node->loc, hp_box(s, outer->space->region)), 2, &run);
  bool ok = put_values(l, values);
  if (ok) stage_build_yield(&run.body.b, values, l->n);
  hp_end_run(s, outer);
  return ok;
}

/* The counter is one more behind a round: else the bound is none. */
static bool counts(const loop *l, const pm_value *before, const pm_value *after) {
  bool is = before && after && !after->is_arg && px_is_one_more(pm_def((pm_value *)after), before);
  if (!is)
    cx_fail(l->in, l->node->loc,
            "the loop has no known end: what bounds it should be one more after each round");
  return is;
}

static bool build_rounds(const loop *l) {
  pm_value *values[MOST_VARIABLES + 2], *before = NULL;
  pm_attr assign[MOST_VARIABLES];
  hp_state *s = hp_state_of(l->in);
  hp_run run, *outer = s->run;
  cx_branch branch = cx_begin_branch(l->in, l->node->loc, cv_bool(true));
  begin_part(l, stage_build_update(l->func, l->node->loc, rounds_of(l)), 3, &run);
  read_variables(l);
  for (unsigned i = 0; i < l->n; i++)
    if (l->cells[i] == l->counter) before = ((const px_number *)l->cells[i]->value.own)->value;
  pm_value *holds = px_value_of(l->in, l->node->loc, cx_eval_condition(l->in, l->node->a), PM_I1);
  if (holds) stage_build_guard(&run.body.b, holds);
  bool ok = holds && run_round(l) && put_values(l, values);
  const pm_value *after = NULL;
  for (unsigned i = 0; ok && i < l->n; i++)
    if (l->cells[i] == l->counter) after = values[i];
  ok = ok && counts(l, before, after);
  values[l->n] = run.body.y;
  values[l->n + 1] = run.body.x;
  for (unsigned i = 0; i < l->n; i++) assign[i] = pm_get_string_attr(l->in->ctx, pm_str_of("assign"));
  if (ok) {
    pm_op *combine =
        stage_build_combine(&run.body.b, "assign", stage_own_point(l->in->ctx, 2), values, l->n + 2);
    if (l->n > 1) pm_set_attr(combine, stage_combine_kind, pm_get_array(l->in->ctx, assign, l->n));
  }
  hp_end_run(s, outer);
  (void)cx_end_branch(l->in, &branch);
  return ok;
}

static void build_loop(loop *l) {
  cx_interp *in = l->in;
  hp_state *s = hp_state_of(in);
  if (!find_variables(l)) return;
  l->whole = l->n > 1 ? pm_get_tuple(l->types, (uint16_t)l->n) : l->types[0];
  l->stage = hp_new_stage(in, pm_get_cstring(in->ctx, "loop"));
  uint32_t number = s->stages.len - 1;
  s->b.loc = l->node->loc;
  l->func = stage_build_func(&s->b, l->stage, l->whole, hp_box(s, s->run->space->region), NULL);
  s->stages.data[number].op = l->func;
  if (build_first(l) && build_rounds(l)) read_variables(l);
}

bool hp_run_loop(cx_interp *in, const cx_node *n) {
  hp_state *s = hp_state_of(in);
  loop l = {.in = in, .node = n};
  if (!s->run) return false;
  if (s->in_loop) return cx_fail(in, n->loc, "a loop that ends by pixels is inside of another one"), true;
  if (n->is_do || !find_bound(&l, n->a))
    return cx_fail(in, n->loc,
                   "the loop has no known end: a conjunct of its condition should be 'n < C', with a "
                   "number n that is known ahead of it"),
           true;
  if (l.rounds < 0) l.rounds = 0;
  if (l.rounds > MOST_ROUNDS)
    return cx_fail(in, n->loc, "the loop has %lld rounds, it should have at most %d", (long long)l.rounds,
                   MOST_ROUNDS),
           true;
  if (!l.rounds) return true;
  s->in_loop = true;
  build_loop(&l);
  s->in_loop = false;
  return true;
}
