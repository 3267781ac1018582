/* Statements that end early at some points and go on at others: the rest of a block or a loop runs under the
 * condition that it is reached. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/values/values.h"

/* --- exits --- */

static bool is_never(cv condition) {
  return condition.kind == CV_INT && !condition.i;
}

/* Those of a flow, relative to where it was reached. */
static cx_exits exits_of(const cx_interp *in, cx_flow f) {
  if (f == CX_FLOW_SPLIT) return in->exits;
  return (cx_exits){cv_bool(f == CX_FLOW_BREAK), cv_bool(f == CX_FLOW_CONTINUE),
                    cv_bool(f == CX_FLOW_RETURN)};
}

static cv ends(cx_interp *in, pm_loc loc, const cx_exits *e) {
  return cx_or(in, loc, cx_or(in, loc, e->by_break, e->by_continue), e->by_return);
}

/* Those of the rest, where it is reached, added to others. */
static cx_exits add_exits(cx_interp *in, pm_loc loc, const cx_exits *e, cv reached, const cx_exits *more) {
  return (cx_exits){cx_or(in, loc, e->by_break, cx_and(in, loc, reached, more->by_break)),
                    cx_or(in, loc, e->by_continue, cx_and(in, loc, reached, more->by_continue)),
                    cx_or(in, loc, e->by_return, cx_and(in, loc, reached, more->by_return))};
}

static cx_flow flow_of(cx_interp *in, const cx_exits *e) {
  bool none = is_never(e->by_break) && is_never(e->by_continue) && is_never(e->by_return);
  in->exits = *e;
  return none ? CX_FLOW_NEXT : CX_FLOW_SPLIT;
}

/* What is returned: `first` where that was, else `second`. */
static cv join_results(cx_interp *in, pm_loc loc, cv returns, cv first, cv second) {
  return is_never(returns) ? second : cx_choose_value(in, loc, returns, first, second);
}

/* --- both branches --- */

static cx_flow run_branch(cx_interp *in, const cx_node *n, pm_loc loc, cv condition, cx_changes *changes,
                          cx_exits *exits, cv *result) {
  cx_branch branch = cx_begin_branch(in, loc, condition);
  in->result = cv_void;
  cx_flow f = n ? cx_run(in, n) : CX_FLOW_NEXT;
  *exits = exits_of(in, f);
  *result = in->result;
  *changes = cx_end_branch(in, &branch);
  return f;
}

cx_flow cx_run_both(cx_interp *in, const cx_node *n, cv condition) {
  cx_changes yes, no;
  cx_exits a, b;
  cv first, second, other = cx_not(in, n->loc, condition), before = in->result;
  cx_flow f = run_branch(in, n->b, n->loc, condition, &yes, &a, &first);
  cx_flow g = run_branch(in, n->c, n->loc, other, &no, &b, &second);
  cx_join(in, n->loc, condition, &yes, &no);
  bool returns = !is_never(a.by_return) || !is_never(b.by_return);
  in->result = returns ? cx_choose_value(in, n->loc, condition, first, second) : before;
  in->result_cell = NULL;
  if (f == g && f != CX_FLOW_SPLIT) return f;
  cx_exits none = {cv_bool(false), cv_bool(false), cv_bool(false)};
  none = add_exits(in, n->loc, &none, condition, &a);
  none = add_exits(in, n->loc, &none, other, &b);
  return flow_of(in, &none);
}

/* --- what follows --- */

/* The rest under the condition that it is reached; `e` are the exits before it. */
static cx_flow run_reached(cx_interp *in, const cx_node *n, uint32_t at, cx_rest *rest, const cx_exits *e,
                           cv ended) {
  if (in->n_reached == CX_MAX_REACHED) {
    cx_fail(in, n->loc, "the loop goes on for more than %d rounds in which a pixel may leave it",
            CX_MAX_REACHED);
    in->stopped = true;
    return CX_FLOW_NEXT;
  }
  in->n_reached++;
  cv first = in->result, reached = cx_not(in, n->loc, ended);
  cx_branch branch = cx_begin_branch(in, n->loc, reached);
  in->result = cv_void;
  in->nesting++;
  cx_flow f = rest(in, n, at);
  in->nesting--;
  cx_exits more = exits_of(in, f);
  cv second = in->result;
  cx_changes changes = cx_end_branch(in, &branch);
  in->n_reached--;
  cx_join(in, n->loc, reached, &changes, NULL);
  in->result = join_results(in, n->loc, e->by_return, first, second);
  in->result_cell = NULL;
  bool only_returns = is_never(e->by_break) && is_never(e->by_continue);
  if (f == CX_FLOW_RETURN && only_returns) return f;
  cx_exits all = add_exits(in, n->loc, e, reached, &more);
  return flow_of(in, &all);
}

cx_flow cx_run_rest(cx_interp *in, const cx_node *n, uint32_t at, cx_rest *rest) {
  cx_exits e = in->exits;
  return run_reached(in, n, at, rest, &e, ends(in, n->loc, &e));
}

cx_flow cx_without_breaks(cx_interp *in) {
  cx_exits e = in->exits;
  e.by_break = cv_bool(false);
  return flow_of(in, &e);
}

cx_flow cx_run_rounds(cx_interp *in, const cx_node *n, cx_rest *rest) {
  cx_exits e = in->exits;
  cv ended = cx_or(in, n->loc, e.by_break, e.by_return);
  e.by_break = e.by_continue = cv_bool(false);
  if (is_never(ended)) return rest(in, n, 1);
  if (in->nesting > CX_MAX_NESTING / 2) {
    cx_fail(in, n->loc, "the loop goes on at some points after %u rounds, it should have a known end",
            in->nesting);
    in->stopped = true;
    return CX_FLOW_RETURN;
  }
  return run_reached(in, n, 1, rest, &e, ended);
}
