/* Loops whose condition is not known: the variables that a round changes become a tuple stage, the rounds an
 * update of it over a dimension of their own, with the condition as its guard. A conjunct `n < P` bounds the
 * rounds, P a number or an integer parameter of the call. A round that is not reached changes nothing. */
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/imagecl/imagecl.h"

#include <string.h>

enum { MOST_VARIABLES = 16, MOST_ROUNDS = 1 << 20 };

typedef struct loop {
  cx_interp *in;
  const cx_node *node;
  cx_cell *cells[MOST_VARIABLES]; /* that a round changes */
  pm_type types[MOST_VARIABLES], whole;
  unsigned n;
  cx_cell *counter;    /* that the condition bounds */
  int64_t first, last; /* what it has ahead of the loop; with a parameter `last` is added to that */
  pm_string param;     /* or NULL */
  pm_string stage;
  pm_op *func;
} loop;

static cv fail(const loop *l, const char *text) {
  return cx_fail(l->in, l->node->loc, "%s", text);
}

/* --- the bound --- */

/* The parameter of the call that the expression is, or NULL. */
static pm_string param_of(const loop *l, const cx_node *n) {
  const ic_parameter *p =
      n->kind == CX_NAME ? ic_find_parameter(ic_state_of(l->in)->run->kernel, n->name) : NULL;
  const cx_cell *cell = p && p->scalar ? cx_find(l->in, l->in->scope, n->name) : NULL;
  const px_number *value = cell && cell->value.kind == PX_NUMBER ? cell->value.own : NULL;
  bool is = value && value->value == p->scalar->value && !cx_is_float(p->scalar->type);
  return is ? p->scalar->name : NULL;
}

/* `n < P` or `n <= P` of a condition, n being a number that is known ahead of the loop. */
static bool find_bound(loop *l, const cx_node *n) {
  if (n->kind != CX_BINARY) return false;
  if (n->op == CX_OP_AND) return find_bound(l, n->a) || find_bound(l, n->b);
  if ((n->op != CX_OP_LT && n->op != CX_OP_LE) || n->a->kind != CX_NAME) return false;
  cx_cell *cell = cx_find(l->in, l->in->scope, n->a->name);
  if (!cell || cell->value.kind != CV_INT) return false;
  l->param = param_of(l, n->b);
  cv end = l->param ? cv_int(PM_I32, 0) : cx_eval(l->in, n->b);
  if (end.kind != CV_INT) return false;
  l->counter = cell;
  l->first = cell->value.i;
  l->last = end.i - (n->op == CX_OP_LT);
  return true;
}

/* --- variables --- */

static bool is_outside(const cx_interp *in, const cx_cell *cell) {
  const ic_run *run = ic_state_of(in)->run;
  for (uint32_t i = 0; i < run->outputs.len; i++)
    if (run->outputs.data[i].cell == cell) return true;
  return px_is_in_scope(in, cell);
}

static bool is_never(cv condition) {
  return condition.kind == CV_INT && !condition.i;
}

/* A round: the body, and what a `for` does behind it. */
static bool run_round(const loop *l) {
  uint32_t n_writes = ic_state_of(l->in)->run->writes.len;
  cx_flow f = cx_run(l->in, l->node->c);
  cx_exits exits = l->in->exits;
  if (l->node->kind == CX_FOR && l->node->b) cx_eval(l->in, l->node->b);
  bool only_continues = f == CX_FLOW_SPLIT && is_never(exits.by_break) && is_never(exits.by_return);
  if (f != CX_FLOW_NEXT && f != CX_FLOW_CONTINUE && !only_continues)
    return fail(l, "a loop that ends by its condition at each pixel has 'break' or 'return', too"), false;
  if (ic_state_of(l->in)->run->writes.len > n_writes)
    return fail(l, "a loop whose end is not known writes elsewhere than at its own pixel"), false;
  return true;
}

/* What a round changes of what is there ahead of the loop; items of arrays have cells of their own. */
static bool find_variables(loop *l) {
  cx_branch branch = cx_begin_branch(l->in, l->node->loc, cv_bool(true));
  bool ok = run_round(l);
  cx_changes changes = cx_end_branch(l->in, &branch);
  for (uint32_t i = 0; ok && i < changes.len; i++) {
    cx_cell *cell = changes.data[i].cell;
    if (!is_outside(l->in, cell)) continue;
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
  px_body *body = ic_state_of(l->in)->px.body;
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

/* Points of the grid and of the counter's values. */
static pm_attr rounds_of(const loop *l, kit_dims *dims) {
  ic_state *s = ic_state_of(l->in);
  pm_string wanted[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x"),
                        pm_get_cstring(s->ctx, "n")};
  pm_buf text = {0};
  *dims = kit_name_dims(&s->kit, wanted, 3);
  kit_begin_set(&s->kit, &text, dims);
  ic_put_grid(s->run->kernel, dims, &text);
  pm_buf_printf(&text, " and %lld <= %s <= ", (long long)l->first, dims->names[2]->text);
  if (l->param) pm_buf_printf(&text, "%s + ", l->param->text);
  pm_buf_printf(&text, "(%lld)", (long long)l->last);
  return kit_end_set(&s->kit, l->node->loc, &text, true);
}

static void begin_part(const loop *l, pm_op *part, const kit_dims *dims, ic_run *run) {
  ic_state *s = ic_state_of(l->in);
  pm_region *body = stage_begin_body(part, dims->names, dims->n);
  *run = (ic_run){.kernel = s->run->kernel, .outputs = s->run->outputs, .writes = s->run->writes};
  run->body = (px_body){
      .b = pm_builder_at_end(s->module, body, l->node->loc), .y = body->args[0], .x = body->args[1]};
  ic_set_run(s, run);
}

static bool build_first(const loop *l, pm_attr grid, const kit_dims *dims) {
  pm_value *values[MOST_VARIABLES];
  ic_state *s = ic_state_of(l->in);
  ic_run run, *outer = s->run;
  begin_part(l, stage_build_case(l->func, l->node->loc, grid), dims, &run);
  bool ok = put_values(l, values);
  if (ok) stage_build_yield(&run.body.b, values, l->n);
  ic_end_run(s, outer);
  return ok;
}

/* The counter is one more behind a round: else the bound is none. */
static bool counts(const loop *l, const pm_value *before, const pm_value *after) {
  bool is = before && !after->is_arg && px_is_one_more(pm_def((pm_value *)after), before);
  if (!is) fail(l, "the loop has no known end: what bounds it should be one more after each round");
  return is;
}

static bool build_rounds(const loop *l) {
  pm_value *values[MOST_VARIABLES + 2], *before = NULL;
  pm_attr assign[MOST_VARIABLES];
  ic_state *s = ic_state_of(l->in);
  ic_run run, *outer = s->run;
  kit_dims dims;
  pm_attr points = rounds_of(l, &dims);
  if (!points) return false;
  cx_branch branch = cx_begin_branch(l->in, l->node->loc, cv_bool(true));
  begin_part(l, stage_build_update(l->func, l->node->loc, points), &dims, &run);
  read_variables(l);
  for (unsigned i = 0; i < l->n; i++)
    if (l->cells[i] == l->counter) before = ((const px_number *)l->cells[i]->value.own)->value;
  pm_value *holds = px_value_of(l->in, l->node->loc, cx_eval_condition(l->in, l->node->a), PM_I1);
  if (holds) stage_build_guard(&run.body.b, holds);
  bool ok = holds && run_round(l) && put_values(l, values);
  bool has_counter = false;
  for (unsigned i = 0; ok && i < l->n; i++) {
    if (l->cells[i] != l->counter) continue;
    has_counter = true;
    ok = counts(l, before, values[i]);
  }
  if (ok && !has_counter) ok = (fail(l, "what bounds the loop never changes"), false);
  values[l->n] = run.body.y;
  values[l->n + 1] = run.body.x;
  for (unsigned i = 0; i < l->n; i++) assign[i] = pm_get_string_attr(l->in->ctx, pm_str_of("assign"));
  if (ok) {
    pm_op *combine =
        stage_build_combine(&run.body.b, "assign", stage_own_point(l->in->ctx, 2), values, l->n + 2);
    if (l->n > 1) pm_set_attr(combine, stage_combine_kind, pm_get_array(l->in->ctx, assign, l->n));
  }
  ic_end_run(s, outer);
  (void)cx_end_branch(l->in, &branch);
  return ok;
}

static void build_loop(loop *l) {
  cx_interp *in = l->in;
  ic_state *s = ic_state_of(in);
  kit_dims dims;
  pm_attr grid = find_variables(l) ? ic_grid_set(in, s->run->kernel, &dims) : NULL;
  if (!grid) return;
  l->whole = l->n > 1 ? pm_get_tuple(l->types, (uint16_t)l->n) : l->types[0];
  l->stage = ic_new_stage(in, pm_get_cstring(in->ctx, "loop"));
  uint32_t number = s->stages.len - 1;
  s->b.loc = l->node->loc;
  l->func = stage_build_func(&s->b, l->stage, l->whole, grid, NULL);
  s->stages.data[number].op = l->func;
  if (build_first(l, grid, &dims) && build_rounds(l)) read_variables(l);
}

bool ic_run_loop(cx_interp *in, const cx_node *n) {
  ic_state *s = ic_state_of(in);
  loop l = {.in = in, .node = n};
  if (!s->run) return false;
  if (s->in_loop) return fail(&l, "a loop whose end is not known is inside of another one"), true;
  if (n->is_do || !find_bound(&l, n->a))
    return fail(&l,
                "the loop has no known end: a conjunct of its condition should be 'n < P', with a number n "
                "that is known ahead of it, and P a number or an integer parameter"),
           true;
  if (!l.param && l.last - l.first >= MOST_ROUNDS)
    return cx_fail(in, n->loc, "the loop has %lld rounds, it should have at most %d",
                   (long long)(l.last - l.first + 1), MOST_ROUNDS),
           true;
  if (!l.param && l.last < l.first) return true;
  s->in_loop = true;
  build_loop(&l);
  s->in_loop = false;
  return true;
}
