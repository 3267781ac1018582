/* Directives of schedules: checked and noted where they stand. */
#include "frontends/halide/evaluate/evaluate.h"
#include "frontends/halide/program/schedule.h"

#include <math.h>
#include <string.h>

enum { MAX_LOOPS = 64 }; /* of a nest */

/* --- nests --- */

static void add_loop(cx_interp *in, struct h_nest *nest, const h_var *var, unsigned dim) {
  h_loop loop = {.var = var, .dim = dim, .step = 1};
  CX_PUSH(in->arena, nest->loops, loop);
}

/* The loops of a definition before any directive: the RDom inside, then the Vars, the first innermost. */
static void begin_nest(cx_interp *in, struct h_nest *nest, const h_symbol *s, const h_definition *d) {
  for (unsigned i = 0; d->rdom && i < d->rdom->n_dims; i++)
    add_loop(in, nest, &d->rdom->vars[i], s->n_dims + i);
  for (unsigned i = 0; i < s->n_dims; i++)
    if (d->args[i]->op == HX_VAR) add_loop(in, nest, d->args[i]->var, i);
}

/* A Func that is not defined yet has no loops. */
static struct h_schedule *schedule_of(cx_interp *in, h_symbol *s) {
  if (!s->schedule) s->schedule = pm_arena_alloc(in->arena, sizeof(*s->schedule));
  if (s->is_defined && !s->schedule->is_begun) {
    begin_nest(in, &s->schedule->pure, s, &s->pure);
    s->schedule->is_begun = true;
  }
  for (uint32_t i = s->schedule->updates.len; i < s->updates.len; i++) {
    struct h_nest nest = {0};
    begin_nest(in, &nest, s, &s->updates.data[i]);
    CX_PUSH(in->arena, s->schedule->updates, nest);
  }
  return s->schedule;
}

void h_begin_loops(cx_interp *in, h_symbol *s) {
  if (s->schedule) schedule_of(in, s);
}

static struct h_nest *nest_of(const cx_call *c) {
  struct h_schedule *schedule = schedule_of(c->in, h_symbol_of(c->self));
  if (c->self.kind != HV_STAGE) return &schedule->pure;
  return &schedule->updates.data[c->self.number - 1];
}

static const h_definition *definition_of(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  return c->self.kind == HV_STAGE ? &s->updates.data[c->self.number - 1] : &s->pure;
}

/* A loop that is fused with the one outside has no name of its own. */
static int find_loop(const struct h_nest *nest, const h_var *var) {
  for (uint32_t i = 0; i < nest->loops.len; i++)
    if (nest->loops.data[i].var == var && !nest->loops.data[i].is_fused) return (int)i;
  return -1;
}

static cv no_loop(const cx_call *c, pm_loc loc, const h_var *var, const h_symbol *s,
                  const struct h_nest *nest) {
  pm_buf loops = {0};
  h_put_loops(&loops, nest);
  cx_fail(c->in, loc, "%s is no loop of %s, whose loops are, from the outside: %s", var->name->text,
          s->name->text, loops.data);
  pm_buf_free(&loops);
  return cv_poison;
}

/* A Var, or the dimension of an RDom of one; NULL: it is none. */
static const h_var *peek_var(cv v) {
  if (v.kind == HV_RDOM && h_rdom_of(v) && h_rdom_of(v)->n_dims == 1) return &h_rdom_of(v)->vars[0];
  return v.kind == HV_VAR ? h_var_of(v) : NULL;
}

static const h_var *var_at(const cx_call *c, unsigned i) {
  const h_var *var = i < c->n_args ? peek_var(c->args[i]) : NULL;
  if (!var)
    cx_fail(c->in, i < c->n_args ? c->locs[i] : c->loc, "%s has %s as argument %u, a Var should be there",
            c->name->text, i < c->n_args ? cv_describe(c->in, c->args[i]) : "nothing", i + 1);
  return var;
}

/* The loop that argument `i` names; -1 after a diagnostic. */
static int loop_at(const cx_call *c, unsigned i) {
  const h_var *var = var_at(c, i);
  int at = var ? find_loop(nest_of(c), var) : -1;
  if (var && at < 0) no_loop(c, c->locs[i], var, h_symbol_of(c->self), nest_of(c));
  return at;
}

static void not_followed(const cx_call *c, const char *why) {
  pm_remark(c->in->ctx, c->loc, PM_REMARK_MISSED, "halide", NULL, 0, "%s of %s is not followed: %s",
            c->name->text, h_symbol_of(c->self)->name->text, why);
}

/* --- numbers --- */

/* The integer that an expression of constants is. */
static bool constant_of(const hx *e, int64_t *out) {
  int64_t a, b;
  if (e->op == HX_INT) return *out = e->i, true;
  if (e->op == HX_CAST) return constant_of(e->args[0], out);
  if (e->n_args != 2 || !constant_of(e->args[0], &a) || !constant_of(e->args[1], &b)) return false;
  switch (e->op) {
  case HX_ADD:
    return *out = pm_wrap_add(a, b), true;
  case HX_SUB:
    return *out = pm_wrap_add(a, -b), true;
  case HX_MUL:
    return *out = pm_wrap_mul(a, b), true;
  case HX_DIV:
    return b > 0 && (*out = pm_floor_div(a, b), true);
  case HX_MOD:
    return b > 0 && (*out = pm_floor_mod(a, b), true);
  default:
    return false;
  }
}

/* A factor; 0 where it is known at run time only. False after a diagnostic. */
static bool factor_at(const cx_call *c, unsigned i, int64_t *out) {
  cv v = i < c->n_args ? c->args[i] : cv_void;
  bool known = cv_is_number(v), open = v.kind == HV_PARAM || v.kind == HV_EXPR;
  if (known && !cv_as_int(v, out)) {
    cx_fail(c->in, c->locs[i], "the factor is %g, it should be near an integer", v.f == v.f ? v.f : NAN);
    return false;
  }
  if (v.kind == HV_EXPR && h_expr_of(v) && constant_of(h_expr_of(v), out)) known = true;
  if (known && (*out < 1 || *out > INT32_MAX)) {
    cx_fail(c->in, c->locs[i], "the factor is %lld, it should be 1 or more", (long long)*out);
    return false;
  }
  if (known) return true;
  *out = 0;
  if (!open)
    cx_fail(c->in, i < c->n_args ? c->locs[i] : c->loc, "%s has %s as argument %u, a number should be there",
            c->name->text, i < c->n_args ? cv_describe(c->in, v) : "nothing", i + 1);
  return open;
}

static bool is_factor(const cx_call *c, unsigned i) {
  return i < c->n_args &&
         (cv_is_number(c->args[i]) || c->args[i].kind == HV_EXPR || c->args[i].kind == HV_PARAM);
}

/* --- loops --- */

/* A new loop may not have the name of another. */
static bool is_new(const cx_call *c, pm_loc loc, const h_var *var, int besides) {
  int at = find_loop(nest_of(c), var);
  if (at < 0 || at == besides) return true;
  pm_buf loops = {0};
  h_put_loops(&loops, nest_of(c));
  cx_fail(c->in, loc, "%s is a loop of %s already, whose loops are, from the outside: %s", var->name->text,
          h_symbol_of(c->self)->name->text, loops.data);
  pm_buf_free(&loops);
  return false;
}

/* Loop number `at` becomes an outer one of factor times its step, and an inner one, which blocks and threads
 * have no part in. False after a diagnostic. */
static bool split_loop(const cx_call *c, int at, const h_var *outer, const h_var *inner, int64_t factor) {
  cx_interp *in = c->in;
  struct h_nest *nest = nest_of(c);
  h_loop whole = nest->loops.data[at], inside = whole;
  if (nest->loops.len >= MAX_LOOPS) {
    cx_fail(in, c->loc, "%s has %u loops, it should not get more", h_symbol_of(c->self)->name->text,
            nest->loops.len);
    return false;
  }
  inside.var = inner;
  whole.var = outer;
  whole.step = factor > INT32_MAX / (whole.step ? whole.step : 1) ? INT32_MAX : whole.step * factor;
  whole.is_fused = inside.is_fused = false;
  if (inside.kind == H_BLOCK || inside.kind == H_THREAD) {
    inside.kind = H_SERIAL;
    for (int i = h_innermost_fused(nest, at); i < at; i++) nest->loops.data[i].kind = H_SERIAL;
  }
  CX_PUSH(in->arena, nest->loops, whole);
  for (int i = (int)nest->loops.len - 1; i > at + 1; i--) nest->loops.data[i] = nest->loops.data[i - 1];
  nest->loops.data[at + 1] = whole;
  nest->loops.data[at] = inside;
  return true;
}

static bool split_at(const cx_call *c, unsigned old, unsigned outer, unsigned inner, unsigned factor) {
  int64_t n;
  int at = loop_at(c, old);
  const h_var *o = at >= 0 ? var_at(c, outer) : NULL, *i = o ? var_at(c, inner) : NULL;
  if (!i || !factor_at(c, factor, &n)) return false;
  if (!is_new(c, c->locs[outer], o, at) || !is_new(c, c->locs[inner], i, at)) return false;
  if (o == i) {
    cx_fail(c->in, c->locs[inner], "both loops of the split are called %s", o->name->text);
    return false;
  }
  return split_loop(c, at, o, i, n);
}

static cv do_split(const cx_call *c) {
  return split_at(c, 0, 1, 2, 3) ? c->self : cv_poison;
}

/* Moves the loops that are named, the innermost first, into that order among their places. */
static bool reorder_loops(const cx_call *c, const h_var *const *vars, unsigned n) {
  struct h_nest *nest = nest_of(c);
  int places[4 * HX_MAX_DIMS];
  h_loop loops[4 * HX_MAX_DIMS];
  for (unsigned i = 0; i < n; i++) {
    places[i] = find_loop(nest, vars[i]);
    loops[i] = nest->loops.data[places[i]];
    for (unsigned k = 0; k < i; k++)
      if (vars[k] == vars[i]) {
        cx_fail(c->in, c->loc, "%s is named twice", vars[i]->name->text);
        return false;
      }
  }
  for (unsigned i = 1; i < n; i++)
    for (unsigned k = i; k > 0 && places[k - 1] > places[k]; k--) {
      int swap = places[k];
      places[k] = places[k - 1];
      places[k - 1] = swap;
    }
  for (unsigned i = 0; i < n; i++) nest->loops.data[places[i]] = loops[i];
  return true;
}

static bool is_list(const cx_call *c, unsigned i) {
  return i < c->n_args && c->args[i].kind == CV_LIST;
}

/* The call with the items of its lists as arguments one after the other. */
static cx_call spread_lists(const cx_call *c) {
  cx_call all = *c;
  unsigned n = 0;
  for (unsigned i = 0; i < c->n_args; i++) n += is_list(c, i) ? c->args[i].list->items.len : 1;
  cv *args = pm_arena_alloc(c->in->arena, (n + 1) * sizeof(*args));
  pm_loc *locs = pm_arena_alloc(c->in->arena, (n + 1) * sizeof(*locs));
  all.n_args = 0;
  for (unsigned i = 0; i < c->n_args; i++)
    for (uint32_t k = 0; k < (is_list(c, i) ? c->args[i].list->items.len : 1); k++) {
      args[all.n_args] = is_list(c, i) ? c->args[i].list->items.data[k]->value : c->args[i];
      locs[all.n_args++] = c->locs[i];
    }
  all.args = args;
  all.locs = locs;
  return all;
}

/* tile({x, y}, {xo, yo}, {xi, yi}, {fx, fy}) of any number of loops, and without the outer ones. */
static cv tile_lists(const cx_call *c) {
  unsigned n_lists = 0;
  while (is_list(c, n_lists)) n_lists++;
  cx_call all = spread_lists(c);
  bool has_factors =
      n_lists >= 3 && c->args[2].list->items.len > 0 && !peek_var(c->args[2].list->items.data[0]->value);
  unsigned n = c->args[0].list->items.len, outer = has_factors ? 0 : n, inner = has_factors ? n : 2 * n;
  const h_var *order[2 * HX_MAX_DIMS];
  bool fits = n_lists >= (has_factors ? 3 : 4) && n > 0 && n <= HX_MAX_DIMS;
  for (unsigned i = 0; fits && i < (has_factors ? 3 : 4); i++) fits = c->args[i].list->items.len == n;
  if (!fits)
    return cx_fail(c->in, c->loc,
                   "the lists of %s should be as long as each other: loops, outer ones, inner ones, "
                   "and factors",
                   c->name->text);
  for (unsigned i = 0; i < n; i++) {
    if (!split_at(&all, i, outer + i, inner + i, inner + n + i)) return cv_poison;
    order[i] = peek_var(all.args[inner + i]);
    order[n + i] = peek_var(all.args[outer + i]);
  }
  return reorder_loops(c, order, 2 * n) ? c->self : cv_poison;
}

/* tile(x, y, xo, yo, xi, yi, fx, fy) and tile(x, y, xi, yi, fx, fy), where the outer loops keep the names. */
static cv do_tile(const cx_call *c) {
  bool six = c->n_args > 4 && is_factor(c, 4);
  if (is_list(c, 0)) return tile_lists(c);
  unsigned xo = six ? 0 : 2, yo = six ? 1 : 3, xi = six ? 2 : 4, yi = six ? 3 : 5, fx = six ? 4 : 6,
           fy = fx + 1;
  if (!split_at(c, 0, xo, xi, fx) || !split_at(c, 1, yo, yi, fy)) return cv_poison;
  const h_var *order[] = {peek_var(c->args[xi]), peek_var(c->args[yi]), peek_var(c->args[xo]),
                          peek_var(c->args[yo])};
  return reorder_loops(c, order, 4) ? c->self : cv_poison;
}

/* Each value of the update combines what was there with another, in any order. */
static bool is_combination(const h_symbol *s, const h_definition *d) {
  for (unsigned i = 0; i < s->n_elements; i++) {
    const hx *e = d->values[i];
    bool keeps = e->op == HX_ADD || e->op == HX_MUL || e->op == HX_MIN || e->op == HX_MAX;
    if (!keeps || cx_is_float((pm_scalar)e->type)) return false;
    bool self = false;
    for (unsigned k = 0; k < 2; k++) self |= e->args[k]->op == HX_CALL && e->args[k]->symbol == s;
    if (!self) return false;
  }
  return true;
}

static bool check_rvar_order(const cx_call *c, const h_var *const *vars, unsigned n) {
  const h_definition *d = definition_of(c);
  const h_var *last = NULL;
  for (unsigned i = 0; i < n; i++) {
    if (!vars[i]->rdom || h_writes_apart(h_symbol_of(c->self), d, vars[i])) continue;
    if (last && vars[i]->rdom == last->rdom && vars[i]->dim < last->dim &&
        !is_combination(h_symbol_of(c->self), d)) {
      cx_fail(c->in, c->loc,
              "%s would run inside of %s, but the order in which this update of %s comes to an element "
              "counts",
              last->name->text, vars[i]->name->text, h_symbol_of(c->self)->name->text);
      pm_note(c->in->ctx, d->loc, "the update");
      return false;
    }
    last = vars[i];
  }
  return true;
}

/* reorder(x, y, …), reorder({x, y, …}) */
static cv do_reorder(const cx_call *given) {
  const h_var *vars[4 * HX_MAX_DIMS];
  const cx_call all = spread_lists(given), *c = &all;
  unsigned n = 0;
  for (unsigned i = 0; i < c->n_args; i++) {
    if (n == PM_COUNT(vars)) return cx_fail(c->in, c->loc, "%u loops are named", c->n_args);
    if (loop_at(c, i) < 0) return cv_poison;
    vars[n++] = peek_var(c->args[i]);
  }
  if (!check_rvar_order(c, vars, n)) return cv_poison;
  return reorder_loops(c, vars, n) ? c->self : cv_poison;
}

/* Moves the loop, with those that are fused with it, right outside of the inner one; its place then. */
static int move_outside(struct h_nest *nest, int outer, int inner) {
  h_loop moved[MAX_LOOPS + 1];
  int first = h_innermost_fused(nest, outer), n = outer - first + 1, len = (int)nest->loops.len;
  h_loop *loops = nest->loops.data;
  memcpy(moved, loops + first, (size_t)n * sizeof(*loops));
  memmove(loops + first, loops + outer + 1, (size_t)(len - outer - 1) * sizeof(*loops));
  if (inner > outer) inner -= n;
  memmove(loops + inner + 1 + n, loops + inner + 1, (size_t)(len - n - inner - 1) * sizeof(*loops));
  memcpy(loops + inner + 1, moved, (size_t)n * sizeof(*loops));
  return inner + n;
}

/* The order of all loops. */
static bool check_order(const cx_call *c) {
  const struct h_nest *nest = nest_of(c);
  const h_var *vars[MAX_LOOPS + 1];
  for (uint32_t i = 0; i < nest->loops.len; i++) vars[i] = nest->loops.data[i].var;
  return check_rvar_order(c, vars, nest->loops.len);
}

/* fuse(inner, outer, fused): the loop is where the inner one was. */
static cv do_fuse(const cx_call *c) {
  int inner = loop_at(c, 0), outer = inner < 0 ? -1 : loop_at(c, 1);
  const h_var *fused = outer < 0 ? NULL : var_at(c, 2);
  struct h_nest *nest = nest_of(c);
  if (!fused) return cv_poison;
  if (inner == outer) return cx_fail(c->in, c->loc, "%s is named twice", peek_var(c->args[0])->name->text);
  if (find_loop(nest, fused) != outer && !is_new(c, c->locs[2], fused, inner)) return cv_poison;
  bool is_moved = h_innermost_fused(nest, outer) != inner + 1;
  if (is_moved) outer = move_outside(nest, outer, inner);
  if (is_moved && !check_order(c)) return cv_poison;
  nest->loops.data[h_innermost_fused(nest, outer) - 1].is_fused = true;
  nest->loops.data[outer].var = fused;
  return c->self;
}

/* --- kinds of loops --- */

static bool check_race(const cx_call *c, const h_var *var, const char *what) {
  const h_definition *d = definition_of(c);
  const h_symbol *s = h_symbol_of(c->self);
  if (!var->rdom || h_writes_apart(s, d, var) || is_combination(s, d)) return true;
  cx_fail(
      c->in, c->loc,
      "the iterations of %s cannot be %s: this update of %s may write the same elements in several of them, "
      "in an order that counts",
      var->name->text, what, s->name->text);
  pm_note(c->in->ctx, d->loc, "the update");
  return false;
}

static bool set_kind(const cx_call *c, int at, h_loop_kind kind) {
  static const char *const words[] = {[H_PARALLEL] = "parallel",
                                      [H_VECTOR] = "a vector",
                                      [H_UNROLLED] = "unrolled",
                                      [H_BLOCK] = "over blocks",
                                      [H_THREAD] = "over threads"};
  h_loop *loop = &nest_of(c)->loops.data[at];
  if (kind != H_SERIAL && kind != H_UNROLLED && !check_race(c, loop->var, words[kind])) return false;
  loop->kind = kind;
  return true;
}

/* The loop inside of one that keeps its name; an RVar's stays one of its RDom. */
static const h_var *new_inner(const cx_call *c, const h_var *old) {
  h_var *inner = pm_arena_alloc(c->in->arena, sizeof(*inner));
  *inner = *old;
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_inside", old->name->text);
  inner->name = pm_get_string(c->in->ctx, (pm_str){name.data, name.len});
  pm_buf_free(&name);
  return inner;
}

/* vectorize(x), vectorize(x, n): of the second the inner one of two loops. */
static cv do_kind(const cx_call *c, h_loop_kind kind) {
  int at = loop_at(c, 0);
  int64_t n;
  if (at < 0) return cv_poison;
  if (!is_factor(c, 1)) return set_kind(c, at, kind) ? c->self : cv_poison;
  if (!factor_at(c, 1, &n)) return cv_poison;
  const h_var *old = peek_var(c->args[0]);
  if (!split_loop(c, at, old, new_inner(c, old), n)) return cv_poison;
  return set_kind(c, kind == H_PARALLEL ? at + 1 : at, kind) ? c->self : cv_poison;
}

static cv do_vectorize(const cx_call *c) {
  return do_kind(c, H_VECTOR);
}

static cv do_unroll(const cx_call *c) {
  return do_kind(c, H_UNROLLED);
}

static cv do_parallel(const cx_call *c) {
  return do_kind(c, H_PARALLEL);
}

static cv do_serial(const cx_call *c) {
  not_followed(c, "what may run in parallel does");
  return do_kind(c, H_SERIAL);
}

/* --- groups of work-items --- */

/* False after a remark: the loops stay as they are. */
static bool has_groups(const cx_call *c) {
  if (h_program_of(c->in)->has_groups) return true;
  not_followed(c, "the target has no groups of work-items, its loops are loops as others are");
  return false;
}

/* The arguments that are Vars, ahead of all others. */
static unsigned count_vars(const cx_call *c) {
  unsigned n = 0;
  while (n < c->n_args && peek_var(c->args[n])) n++;
  return n;
}

/* The loop is of the kind, and those that are fused with it. */
static bool set_var(const cx_call *c, pm_loc loc, const h_var *var, h_loop_kind kind) {
  int at = find_loop(nest_of(c), var);
  if (at < 0) no_loop(c, loc, var, h_symbol_of(c->self), nest_of(c));
  schedule_of(c->in, h_symbol_of(c->self))->groups_loc = c->loc;
  bool ok = at >= 0;
  for (int inner = ok ? h_innermost_fused(nest_of(c), at) : 0; inner <= at && ok; inner++)
    ok = set_kind(c, inner, kind);
  return ok;
}

/* Arguments [first, end) are loops of the kind. */
static bool set_kinds(const cx_call *c, unsigned first, unsigned end, h_loop_kind kind) {
  bool ok = true;
  for (unsigned i = first; i < end && ok; i++) ok = set_var(c, c->locs[i], peek_var(c->args[i]), kind);
  return ok;
}

static cv do_of_group(const cx_call *c, h_loop_kind kind) {
  if (!var_at(c, 0)) return cv_poison;
  return !has_groups(c) || set_kinds(c, 0, count_vars(c), kind) ? c->self : cv_poison;
}

static cv do_gpu_blocks(const cx_call *c) {
  return do_of_group(c, H_BLOCK);
}

static cv do_gpu_threads(const cx_call *c) {
  return do_of_group(c, H_THREAD);
}

static cv do_gpu_lanes(const cx_call *c) {
  if (h_program_of(c->in)->has_groups)
    pm_remark(c->in->ctx, c->loc, PM_REMARK_MISSED, "halide", NULL, 0,
              "the lanes of %s are items as others are: they exchange no values",
              h_symbol_of(c->self)->name->text);
  return do_of_group(c, H_THREAD);
}

static cv do_gpu_single_thread(const cx_call *c) {
  not_followed(c, "what may run in parallel does");
  return c->self;
}

/* gpu(bx, tx), gpu(bx, by, tx, ty) … */
static cv do_gpu(const cx_call *c) {
  unsigned n = count_vars(c);
  if (n == 0 || n % 2)
    return cx_fail(c->in, c->loc, "gpu has %u Vars, it should have those of blocks and as many of threads",
                   n);
  if (!has_groups(c)) return c->self;
  return set_kinds(c, 0, n / 2, H_BLOCK) && set_kinds(c, n / 2, n, H_THREAD) ? c->self : cv_poison;
}

/* One loop of gpu_tile: number i of n, of which the outer ones may have names, and the inner ones may, too.
 */
static bool split_for_group(const cx_call *c, unsigned i, unsigned n, unsigned n_vars, const h_var **outer,
                            const h_var **inner) {
  int64_t factor;
  int at = loop_at(c, i);
  unsigned o = n_vars == 3 * n ? n + i : i;
  if (at < 0) return false;
  *outer = peek_var(c->args[o]);
  *inner = n_vars > n ? peek_var(c->args[n_vars - n + i]) : new_inner(c, *outer);
  if (n_vars > n) return split_at(c, i, o, n_vars - n + i, n_vars + i);
  return factor_at(c, n_vars + i, &factor) && split_loop(c, at, *outer, *inner, factor);
}

/* gpu_tile(x, tx, w), gpu_tile(x, bx, tx, w), gpu_tile(x, y, tx, ty, w, h) …, and gpuTile(x, y, w, h) of
 * 2012. */
static cv do_gpu_tile(const cx_call *c) {
  unsigned n_vars = count_vars(c), n = 0;
  const h_var *order[2 * HX_MAX_DIMS];
  while (n_vars + n < c->n_args && is_factor(c, n_vars + n)) n++;
  if (n == 0 || n > 3 || (n_vars != n && n_vars != 2 * n && n_vars != 3 * n))
    return cx_fail(
        c->in, c->loc,
        "%s has %u Vars and %u sizes, it should have one to three sizes; each needs its loop and the inner "
        "one, with or without the outer one between",
        c->name->text, n_vars, n);
  for (unsigned i = 0; i < n; i++)
    if (!split_for_group(c, i, n, n_vars, &order[n + i], &order[i])) return cv_poison;
  bool ok = reorder_loops(c, order, 2 * n);
  if (!ok || !has_groups(c)) return ok ? c->self : cv_poison;
  for (unsigned i = 0; i < 2 * n && ok; i++) ok = set_var(c, c->loc, order[i], i < n ? H_THREAD : H_BLOCK);
  return ok ? c->self : cv_poison;
}

/* --- places --- */

static bool set_level(const cx_call *c, h_level *level, h_level new_level) {
  if (c->self.kind == HV_STAGE) {
    cx_fail(c->in, c->loc, "%s takes a Func, not one of its updates", c->name->text);
    return false;
  }
  new_level.loc = c->loc;
  *level = new_level;
  return true;
}

/* A Func and a loop of it, as two values or a list of them; false: it is neither. */
static bool read_level(const cv *args, unsigned n, h_level *out) {
  cv pair[2];
  if (n == 1 && args[0].kind == CV_LIST && args[0].list->items.len == 2) {
    for (unsigned i = 0; i < 2; i++) pair[i] = args[0].list->items.data[i]->value;
    args = pair;
    n = 2;
  }
  if (n < 2 || (args[0].kind != HV_FUNC && args[0].kind != HV_STAGE) || !peek_var(args[1])) return false;
  *out = (h_level){.kind = H_AT, .func = h_symbol_of(args[0]), .var = peek_var(args[1])};
  return true;
}

cv h_new_level(cx_interp *in, pm_loc loc, const cv *args, unsigned n_args) {
  h_level *level = pm_arena_alloc(in->arena, sizeof(*level));
  if (n_args == 1 && args[0].kind == HV_LEVEL) return args[0];
  if (n_args > 0 && !read_level(args, n_args, level))
    return cx_fail(in, loc, "a LoopLevel should be of a Func and a loop of it");
  level->loc = loc;
  return hv_level(level);
}

cv h_root_level(cx_interp *in) {
  cv v = h_new_level(in, PM_NO_LOC, NULL, 0);
  h_level_of(v)->kind = H_ROOT;
  return v;
}

/* level.set({f, x}), level.set(other) */
cv h_set_level(const cx_call *c) {
  h_level *level = h_level_of(c->self);
  if (c->n_args == 1 && c->args[0].kind == HV_LEVEL)
    *level = *h_level_of(c->args[0]);
  else if (!read_level(c->args, c->n_args, level))
    return cx_fail(c->in, c->loc, "set takes a LoopLevel, or a Func and a loop of it");
  level->loc = c->loc;
  return cv_void;
}

/* compute_at(f, x), compute_at({f, x}), compute_at(level). */
static cv do_at(const cx_call *c, h_level *level, const h_level **from) {
  h_level at;
  if (c->n_args == 1 && c->args[0].kind == HV_LEVEL && from) {
    *from = h_level_of(c->args[0]);
    return c->self;
  }
  if (c->n_args > 0 && c->args[0].kind == CV_IGNORED) {
    not_followed(c, "what it is computed at is not known here");
    return c->self;
  }
  if (!read_level(c->args, c->n_args, &at))
    return cx_fail(c->in, c->loc, "%s takes a Func and a loop of it", c->name->text);
  return set_level(c, level, at) ? c->self : cv_poison;
}

static cv do_compute_at(const cx_call *c) {
  struct h_schedule *schedule = schedule_of(c->in, h_symbol_of(c->self));
  return do_at(c, &schedule->compute, &schedule->compute_from);
}

static cv do_store_at(const cx_call *c) {
  struct h_schedule *schedule = schedule_of(c->in, h_symbol_of(c->self));
  return do_at(c, &schedule->store, &schedule->store_from);
}

static cv do_compute_with(const cx_call *c) {
  h_level at;
  if (c->self.kind == HV_STAGE && read_level(c->args, c->n_args, &at)) {
    not_followed(c, "updates that may share loops do");
    return c->self;
  }
  return do_at(c, &schedule_of(c->in, h_symbol_of(c->self))->with, NULL);
}

static cv do_compute_root(const cx_call *c) {
  return set_level(c, &schedule_of(c->in, h_symbol_of(c->self))->compute, (h_level){.kind = H_ROOT})
             ? c->self
             : cv_poison;
}

static cv do_store_root(const cx_call *c) {
  return set_level(c, &schedule_of(c->in, h_symbol_of(c->self))->store, (h_level){.kind = H_ROOT})
             ? c->self
             : cv_poison;
}

static cv do_inline(const cx_call *c) {
  if (c->self.kind == HV_FUNC && h_symbol_of(c->self)->updates.len > 0) {
    cx_fail(c->in, c->loc, "%s has updates, it cannot be inlined", h_symbol_of(c->self)->name->text);
    pm_note(c->in->ctx, h_symbol_of(c->self)->updates.data[0].loc, "the first one");
    return cv_poison;
  }
  return set_level(c, &schedule_of(c->in, h_symbol_of(c->self))->compute, (h_level){.kind = H_INLINE})
             ? c->self
             : cv_poison;
}

/* --- what has no meaning here, or none yet --- */

static cv do_of_storage(const cx_call *c) {
  not_followed(c, "the optimizer decides layouts and folds rows by itself");
  return c->self;
}

static cv do_of_loops(const cx_call *c) {
  not_followed(c, "the optimizer splits borders off, prefetches and shares loops by itself");
  return c->self;
}

static cv do_of_devices(const cx_call *c) {
  not_followed(c, "there is no such target");
  return c->self;
}

/* Memory is said ahead of places: it is checked when all is said. */
static cv do_store_in(const cx_call *c) {
  bool is_word = c->n_args > 0 && c->args[0].kind == HV_WORD;
  if (!is_word || !h_program_of(c->in)->has_groups) return do_of_storage(c);
  struct h_schedule *schedule = schedule_of(c->in, h_symbol_of(c->self));
  schedule->memory = c->args[0].text->text;
  schedule->memory_loc = c->loc;
  return c->self;
}

static cv do_of_threads(const cx_call *c) {
  not_followed(c, "Funcs are computed by the threads of their loops");
  return c->self;
}

static cv do_wrapper(const cx_call *c) {
  return h_make_copy(c, false);
}

static cv do_clone(const cx_call *c) {
  return h_make_copy(c, true);
}

static cv do_specialize(const cx_call *c) {
  not_followed(c, "there are no versions by conditions");
  return (cv){.kind = CV_IGNORED};
}

static cv do_rfactor(const cx_call *c) {
  const h_definition *d = definition_of(c);
  if (!is_combination(h_symbol_of(c->self), d)) {
    cx_fail(c->in, c->loc, "this update of %s cannot be factored: its order counts",
            h_symbol_of(c->self)->name->text);
    pm_note(c->in->ctx, d->loc, "the update");
    return cv_poison;
  }
  not_followed(c, "the optimizer makes partial results by itself");
  nest_of(c)->is_factored = true;
  return (cv){.kind = CV_IGNORED};
}

static cv do_ignored(const cx_call *c) {
  return c->self;
}

/* --- the table --- */

static const cx_row rows[] = {{"compute_root", do_compute_root},
                              {"root", do_compute_root},
                              {"compute_at", do_compute_at},
                              {"chunk", do_compute_at},
                              {"compute_inline", do_inline},
                              {"inline_", do_inline},
                              {"store_root", do_store_root},
                              {"store_at", do_store_at},
                              {"split", do_split},
                              {"tile", do_tile},
                              {"reorder", do_reorder},
                              {"transpose", do_reorder},
                              {"fuse", do_fuse},
                              {"vectorize", do_vectorize},
                              {"vectorized", do_vectorize},
                              {"unroll", do_unroll},
                              {"parallel", do_parallel},
                              {"serial", do_serial},
                              {"compute_with", do_compute_with},
                              {"prefetch", do_of_loops},
                              {"partition", do_of_loops},
                              {"never_partition", do_of_loops},
                              {"never_partition_all", do_of_loops},
                              {"always_partition", do_of_loops},
                              {"always_partition_all", do_of_loops},
                              {"fold_storage", do_of_storage},
                              {"align_storage", do_of_storage},
                              {"reorder_storage", do_of_storage},
                              {"hoist_storage", do_of_storage},
                              {"hoist_storage_root", do_of_storage},
                              {"store_in", do_store_in},
                              {"bound_storage", do_of_storage},
                              {"bound_extent", do_of_storage},
                              {"align_bounds", do_of_storage},
                              {"align_extent", do_of_storage},
                              {"set_host_alignment", do_of_storage},
                              {"memoize", do_of_storage},
                              {"async", do_of_threads},
                              {"ring_buffer", do_of_threads},
                              {"atomic", do_of_threads},
                              {"in", do_wrapper},
                              {"clone_in", do_clone},
                              {"specialize", do_specialize},
                              {"specialize_fail", do_specialize},
                              {"rfactor", do_rfactor},
                              {"gpu_tile", do_gpu_tile},
                              {"gpu_blocks", do_gpu_blocks},
                              {"gpu_threads", do_gpu_threads},
                              {"gpu_lanes", do_gpu_lanes},
                              {"gpu_single_thread", do_gpu_single_thread},
                              {"gpu", do_gpu},
                              {"gpuTile", do_gpu_tile},
                              {"hexagon", do_of_devices},
                              {"copy_to_device", do_of_devices},
                              {"copy_to_host", do_of_devices},
                              {"allow_race_conditions", do_ignored},
                              {"unscheduled", do_ignored},
                              {"no_profiling", do_ignored},
                              {"trace_loads", do_ignored},
                              {"trace_stores", do_ignored},
                              {"trace_realizations", do_ignored}};

static const cx_row *find_directive(pm_string name) {
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (strcmp(rows[i].name, name->text) == 0) return &rows[i];
  return NULL;
}

/* TailStrategy::RoundUp and its like, beside a factor. */
static void note_tails(const cx_call *c) {
  for (unsigned i = 0; i < c->n_args; i++) {
    const char *word = c->args[i].kind == HV_WORD ? c->args[i].text->text : "";
    if (strncmp(word, "TailStrategy::", 14) != 0 || strcmp(word, "TailStrategy::Auto") == 0) continue;
    pm_remark(c->in->ctx, c->locs[i], PM_REMARK_MISSED, "halide", NULL, 0,
              "%s of %s is not followed: the last iterations are the points that are left", word,
              h_symbol_of(c->self)->name->text);
  }
}

/* Where a Func is computed may be said before it is defined. */
static bool is_place(const cx_row *row) {
  return row->call == do_compute_root || row->call == do_compute_at || row->call == do_store_root ||
         row->call == do_store_at || row->call == do_inline;
}

static cv direct(const cx_call *call) {
  const cx_row *row = find_directive(call->name);
  h_symbol *s = h_symbol_of(call->self);
  bool is_of_buffer = call->self.kind == HV_BUFFER,
       is_copy = row->call == do_wrapper || row->call == do_clone;
  if (h_state_of(call->in)->options->no_schedule || (is_of_buffer && !is_copy))
    return is_copy || row->call == do_specialize || row->call == do_rfactor ? (cv){.kind = CV_IGNORED}
                                                                            : call->self;
  if (is_of_buffer) return row->call(call);
  if (!s->is_defined && s->is_wrong) return cv_poison;
  if (!s->is_defined && !is_place(row))
    return cx_fail(call->in, call->loc, "%s is scheduled before it is defined", s->name->text);
  schedule_of(call->in, s)->has_loops |=
      row->call == do_split || row->call == do_tile || row->call == do_gpu_tile;
  if (nest_of(call)->is_factored) {
    not_followed(call, "it needs the loops that rfactor would have left");
    return call->self;
  }
  note_tails(call);
  return row->call(call);
}

static bool has_directives(unsigned kind) {
  return kind == HV_FUNC || kind == HV_BUFFER || kind == HV_STAGE;
}

cx_handler h_directive(const cx_call *call) {
  return has_directives(call->self.kind) && find_directive(call->name) ? direct : NULL;
}

const char *h_nearest_directive(unsigned kind, pm_string name) {
  cx_nearest nearest = {.name = name, .distance = 3};
  for (size_t i = 0; has_directives(kind) && i < PM_COUNT(rows); i++) cx_look_at(&nearest, rows[i].name);
  return nearest.best;
}
