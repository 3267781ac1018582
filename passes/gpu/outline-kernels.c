/* outline-kernels: what computes something becomes private functions, kernels, which the host calls once for
 * each group of work-items.
 *
 *   loop.func @f {                                |  loop.func @f {
 *     …                                           |    …
 *     loop.parallel %t = %c0 to %n step 32 {      |    loop.parallel %t = %c0 to %n step 32 {
 *       loop.parallel %u = %c0 to %m step 64 {    |      loop.parallel %u = %c0 to %m step 64 {
 *         …                                       |        loop.call @f_0(%t, %u, %n, %m, %a, %b) : …
 *       }                                         |      }
 *     }                                           |    }
 *   }                                             |  }
 *                                                 |  loop.func private @f_0 {
 *                                                 |    %t = loop.param @t : index
 *                                                 |    …
 *                                                 |  }
 *
 * A launch is such a nest: parallel loops right inside each other, whose bounds are known before the
 * outermost begins, around a call and nothing else. Up to `grid` loops make a nest; parallel loops further
 * inside stay in the kernel. Loops and conditions with launches inside stay on the host. Everything else that
 * touches arrays is a launch of one group. The host itself reads no array: what depends on a cell is in a
 * kernel.
 *
 * A loop of items that is all that a nest does, with bounds that are known before, is dealt out to many
 * groups: as many of its iterations as a group has items are a group's.
 *
 * Prefetches, non-temporal stores and fences are dropped. Memory that a kernel allocates is of constant size
 * and on its stack; whole arrays of the host are on the heap.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_GRID = 3 };

typedef PM_VEC(pm_op *) op_list;

typedef struct outlining {
  pm_pass *pass;
  pm_op *func;    /* of the host */
  pm_op *last;    /* the function behind which the next kernel stands */
  unsigned n;     /* kernels so far */
  op_list run;    /* neighbours that become one launch of one group */
  pm_map *in_run; /* the same as a set */
  bool ok;
} outlining;

/* --- memory --- */

static pm_type in_space(pm_type type, pm_space space) {
  pm_context *ctx = type->ctx;
  pm_type moved = pm_get_memref(pm_get_scalar(ctx, (pm_scalar)type->scalar), type->rank, type->dims, space);
  return type->strides ? pm_get_strided(moved, type->strides) : moved;
}

/* The same allocation in another space. */
static void move_alloc(pm_op *alloc, pm_space space) {
  if (pm_res(alloc, 0)->type->space == space) return;
  pm_builder b = pm_builder_before(alloc);
  pm_value **operands = pm_xcalloc(alloc->n_operands + 1, sizeof *operands);
  pm_value **results = pm_xcalloc(alloc->n_results, sizeof *results);
  pm_type *types = pm_xcalloc(alloc->n_results, sizeof *types);
  for (unsigned i = 0; i < alloc->n_operands; i++) operands[i] = pm_arg(alloc, i);
  for (unsigned i = 0; i < alloc->n_results; i++) types[i] = in_space(pm_res(alloc, i)->type, space);
  pm_op *moved =
      pm_build(&b, &buf_alloc, operands, alloc->n_operands, types, alloc->n_results, pm_attrs(alloc));
  for (unsigned i = 0; i < alloc->n_results; i++) {
    results[i] = pm_res(moved, i);
    results[i]->name = pm_res(alloc, i)->name;
  }
  pm_replace_op(alloc, results);
  free(operands);
  free(results);
  free(types);
}

static pm_walk list_alloc(void *user, pm_op *op) {
  op_list *list = user;
  if (pm_is(op, &buf_alloc)) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

/* Memory of a kernel. */
static void move_inside(outlining *o, pm_op *kernel) {
  op_list allocs = {0};
  (void)pm_walk_pre(kernel, list_alloc, &allocs);
  for (size_t i = 0; i < allocs.len; i++) {
    if (allocs.data[i]->n_operands)
      o->ok = pm_op_error(allocs.data[i], "is in a kernel, where memory should be of constant size");
    else
      move_alloc(allocs.data[i], PM_SPACE_STACK);
  }
  PM_VEC_FREE(allocs);
}

/* --- kernels --- */

typedef struct kernel {
  outlining *o;
  pm_op *func;
  pm_op *first;    /* of the body that was moved: arguments stand ahead of it */
  pm_map *inside;  /* a value of the host -> the same in the kernel */
  pm_builder call; /* where the call will stand */
  PM_VEC(pm_value *) given;
} kernel;

static bool is_outside(const kernel *k, const pm_value *v) {
  const pm_op *around = pm_value_region(v)->op;
  return around != k->func && !pm_is_ancestor(k->func, around);
}

static pm_builder at_head(const kernel *k) {
  pm_builder b =
      pm_builder_at_end(pm_module_of(k->func), pm_region_at(k->func, loop_func_body), k->func->loc);
  b.before = k->first;
  return b;
}

/* `wanted`, or with a number behind it, which no symbol of the region has. */
static pm_string free_symbol(pm_context *ctx, const pm_region *region, pm_str wanted) {
  pm_string name = pm_get_string(ctx, wanted);
  for (unsigned i = 0; pm_lookup_symbol(region, name); i++) {
    pm_buf text = {0};
    pm_buf_printf(&text, "%.*s_%u", (int)wanted.len, wanted.ptr, i);
    name = pm_get_string(ctx, (pm_str){text.data, text.len});
    pm_buf_free(&text);
  }
  return name;
}

static pm_string argument_name(const kernel *k, pm_str wanted) {
  return free_symbol(pm_op_context(k->func), pm_region_at(k->func, loop_func_body), wanted);
}

static pm_str name_of_scalar(const pm_value *v) {
  const pm_op *def = pm_def(v);
  if (v->name) return (pm_str){v->name->text, v->name->len};
  pm_string sym = def && pm_is(def, &loop_param) ? pm_sym_at(def, loop_param_sym) : NULL;
  return sym ? (pm_str){sym->text, sym->len} : PM_STR("n");
}

static pm_str name_of_array(const pm_value *v) {
  const pm_op *def = pm_def(v);
  pm_string name = pm_is(def, &buf_alloc) ? pm_sym_at(def, buf_alloc_stage) : pm_attr_named(def, "sym")->s;
  if (v->name) name = v->name;
  return name ? (pm_str){name->text, name->len} : PM_STR("tmp");
}

static bool is_written(const kernel *k, const pm_value *array) {
  loop_access access;
  PM_FOR_USES(use, array)
  if (pm_is_ancestor(k->func, pm_user(use)) && (!loop_find_access(pm_user(use), &access) || !access.reads))
    return true;
  return false;
}

static pm_value *bring(kernel *k, pm_value *v);

static pm_value *bring_array(kernel *k, pm_value *v) {
  const pm_op *def = pm_def(v);
  unsigned n = buf_open_sizes(v->type);
  unsigned from = pm_is(def, &buf_alloc) ? buf_first_extent(def, (unsigned)(v - pm_results(def))) : 0;
  pm_value **extents = pm_xcalloc(n + 1, sizeof *extents);
  for (unsigned i = 0; i < n; i++) extents[i] = bring(k, pm_arg(def, from + i));
  pm_context *ctx = pm_op_context(k->func);
  pm_attr attrs[buf_argument_N_ATTRS] = {[buf_argument_sym] =
                                             pm_get_symbol(ctx, argument_name(k, name_of_array(v))),
                                         [buf_argument_read] = is_written(k, v) ? NULL : pm_get_unit(ctx)};
  pm_builder b = at_head(k);
  pm_value *made = pm_res(pm_build(&b, &buf_argument, extents, n, &v->type, 1, attrs), 0);
  made->name = pm_attr_at(pm_def(made), buf_argument_sym)->s;
  free(extents);
  return made;
}

/* The value, of the host, in the kernel: an argument, or a constant again. */
static pm_value *bring(kernel *k, pm_value *v) {
  pm_value *known = pm_map_get(k->inside, v);
  if (known) return known;
  pm_op *def = pm_def(v);
  pm_builder b = at_head(k);
  if (def && (pm_constant_value(v) || pm_is(def, &buf_constant))) {
    pm_op *copy = pm_clone(pm_module_of(k->func), def, NULL);
    if (pm_is(def, &buf_constant))
      pm_set_attr(copy, buf_constant_sym,
                  pm_get_symbol(pm_op_context(def), argument_name(k, name_of_array(v))));
    pm_insert(b.region, b.before, copy);
    known = pm_res(copy, 0);
  } else {
    known = pm_is_memref(v->type) ? bring_array(k, v)
                                  : loop_build_param(&b, argument_name(k, name_of_scalar(v)), v->type);
    PM_VEC_PUSH(k->given, v);
  }
  pm_map_set(k->inside, v, known);
  return known;
}

static pm_walk bring_operands(void *user, pm_op *op) {
  kernel *k = user;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (is_outside(k, pm_arg(op, i))) pm_set_operand(op, i, bring(k, pm_arg(op, i)));
  return PM_WALK_ON;
}

static pm_op *build_function(outlining *o, pm_loc loc) {
  pm_context *ctx = pm_op_context(o->func);
  pm_string host = pm_sym_at(o->func, loop_func_sym), fp = pm_sym_at(o->func, loop_func_fp);
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%u", host->text, o->n++);
  pm_builder b = pm_builder_at_end(pm_module_of(o->func), o->func->region, loc);
  b.before = o->last->next;
  pm_op *made = loop_build_func(&b, free_symbol(ctx, o->func->region, (pm_str){text.data, text.len}),
                                fp ? fp->text : NULL);
  pm_buf_free(&text);
  pm_set_attr(made, loop_func_private, pm_get_unit(ctx));
  o->last = made;
  return made;
}

/* The body of the innermost loop of a nest becomes a kernel, and the call of it. */
static void outline(outlining *o, pm_op *const *nest, unsigned n) {
  pm_region *body = pm_region_at(nest[n - 1], 0);
  pm_op *end = pm_terminator(body);
  if (end) pm_op_erase(end);
  if (!body->first) return;
  kernel k = {.o = o,
              .func = build_function(o, body->first->loc),
              .first = body->first,
              .inside = pm_map_new(),
              .call = pm_builder_at_end(pm_module_of(o->func), body, body->first->loc)};
  pm_splice(pm_region_at(k.func, loop_func_body), body);
  for (unsigned i = 0; i < n; i++) (void)bring(&k, pm_region_at(nest[i], 0)->args[0]);
  move_inside(o, k.func);
  k.first = NULL;
  PM_FOR_OPS(op, pm_region_at(k.func, loop_func_body))
  if (!k.first && !loop_is_argument(op)) k.first = op;
  (void)pm_walk_pre(k.func, bring_operands, &k);
  pm_build(&k.call, &loop_call, k.given.data, (unsigned)k.given.len, NULL, 0,
           (pm_attr[loop_call_N_ATTRS]){
               [loop_call_callee] = pm_get_symbol(pm_op_context(k.func), pm_sym_at(k.func, loop_func_sym))});
  PM_VEC_FREE(k.given);
  pm_map_free(k.inside);
}

/* --- launches --- */

/* The one loop in the body of the loop, of items or not, that may be the next one of the nest, with pure ops
 * beside it. */
static pm_op *next_of_nest(const pm_op *outermost, const pm_op *loop, bool of_items) {
  pm_op *next = NULL;
  PM_FOR_OPS(op, pm_region_at(loop, 0)) {
    if (pm_has_trait(op, PM_PURE) || pm_is(op, &loop_yield)) continue;
    if (next || !pm_is(op, &loop_parallel) || loop_is_of_items(op) != of_items) return NULL;
    next = op;
  }
  for (unsigned i = 0; next && i < 2; i++)
    if (loop_changes_in(pm_arg(next, i), outermost)) return NULL;
  return next;
}

/* As many iterations of a loop of items as a group has items are a group's. The outermost loop of the nest,
 * NULL: the new one, says how many. */
static pm_op *deal_to_groups(outlining *o, pm_op *items, pm_op *outermost) {
  int64_t n = pm_opt_int(o->pass, outline_kernels_opt_items), step = pm_int_at(items, loop_parallel_step);
  int64_t of_group = step * n;
  pm_builder b = pm_builder_before(items);
  pm_value *end = pm_arg(items, loop_parallel_ub);
  pm_op *groups = loop_build_parallel(&b, pm_arg(items, loop_parallel_lb), end, of_group, NULL);
  pm_region *body = pm_region_at(groups, loop_parallel_body);
  pm_move_before(items, body, NULL);
  b = pm_builder_before(items);
  pm_value *first = body->args[0];
  pm_value *behind = pm_build_binary(&b, &arith_addi, first, arith_build_index(&b, of_group));
  pm_set_operand(items, loop_parallel_lb, first);
  pm_set_operand(items, loop_parallel_ub, pm_build_binary(&b, &arith_mini, behind, end));
  pm_set_attr(outermost ? outermost : groups, loop_parallel_group,
              pm_get_index_array(pm_op_context(items), &n, 1));
  return groups;
}

static void outline_nest(outlining *o, pm_op *loop) {
  if (loop_is_of_items(loop)) loop = deal_to_groups(o, loop, NULL);
  pm_op *nest[MOST_GRID] = {loop}, *items;
  unsigned n = 1, most = (unsigned)pm_opt_int(o->pass, outline_kernels_opt_grid);
  while (n < most && (nest[n] = next_of_nest(loop, nest[n - 1], false))) n++;
  if (n < most && (items = next_of_nest(loop, nest[n - 1], true))) nest[n++] = deal_to_groups(o, items, loop);
  pm_region *inner = pm_region_at(nest[n - 1], 0);
  pm_op *first = inner->first;
  for (unsigned i = 0; i + 1 < n; i++) PM_FOR_OPS(op, pm_region_at(nest[i], 0))
  if (op != nest[i + 1] && !pm_is(op, &loop_yield)) pm_move_before(op, inner, first);
  outline(o, nest, n);
}

/* --- what one group does --- */

static pm_walk stop_at_use_outside(void *user, pm_op *op) {
  const outlining *o = user;
  for (unsigned i = 0; i < op->n_results; i++) PM_FOR_USES(use, pm_res(op, i)) {
      const pm_op *user_op = pm_user(use);
      while (user_op && user_op->region != o->run.data[0]->region) user_op = pm_parent(user_op);
      if (!pm_map_has(o->in_run, user_op)) return PM_WALK_STOP;
    }
  return PM_WALK_ON;
}

/* What it computes is used by nothing behind it. */
static bool is_closed(outlining *o) {
  for (size_t i = 0; i < o->run.len; i++)
    if (!pm_walk_pre(o->run.data[i], stop_at_use_outside, o)) return false;
  return true;
}

static void end_run(outlining *o) {
  if (!o->run.len) return;
  pm_builder b = pm_builder_before(o->run.data[0]);
  pm_value *from = arith_build_index(&b, 0), *to = arith_build_index(&b, 1);
  pm_op *loop = loop_build_parallel(&b, from, to, 1, NULL);
  for (size_t i = 0; i < o->run.len; i++) pm_move_before(o->run.data[i], pm_region_at(loop, 0), NULL);
  o->run.len = 0;
  pm_map_free(o->in_run);
  o->in_run = pm_map_new();
  outline(o, &loop, 1);
}

static void add_to_run(outlining *o, pm_op *op) {
  PM_VEC_PUSH(o->run, op);
  pm_map_set(o->in_run, op, op);
}

/* An operand is what the run computes. */
static pm_walk stop_at_dependence(void *user, pm_op *op) {
  const outlining *o = user;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!pm_is_arg(pm_arg(op, i)) && pm_map_has(o->in_run, pm_def(pm_arg(op, i)))) return PM_WALK_STOP;
  return PM_WALK_ON;
}

static bool depends_on_run(outlining *o, pm_op *op) {
  return o->run.len && !pm_walk_pre(op, stop_at_dependence, o);
}

static bool stays_on_host(const pm_op *op) {
  return pm_has_trait(op, PM_PURE) || pm_has_trait(op, PM_ALLOCATES) || loop_is_argument(op) ||
         pm_is(op, &buf_input) || pm_is(op, &buf_output) || pm_is(op, &buf_constant) ||
         pm_is(op, &loop_require) || pm_is(op, &loop_yield);
}

static pm_walk stop_at_launch(void *user, pm_op *op) {
  const bool *of_items = user;
  bool launch = pm_is(op, &loop_parallel) && (*of_items || !loop_is_of_items(op));
  return launch ? PM_WALK_STOP : PM_WALK_ON;
}

/* A loop or a condition around launches, which yields nothing. A loop of items alone is one in a condition,
 * while a loop goes on faster with all that it does in one group. */
static bool has_launches(pm_op *op) {
  bool of_items = pm_is(op, &loop_if);
  return (pm_is(op, &loop_for) || pm_is(op, &loop_if)) && !op->n_results &&
         !pm_walk_pre(op, stop_at_launch, &of_items);
}

static void outline_region(outlining *o, pm_region *region);

static void outline_op(outlining *o, pm_op *op) {
  bool launch = pm_is(op, &loop_parallel);
  bool depends = depends_on_run(o, op);
  if (stays_on_host(op) && !depends) {
    if (pm_is(op, &buf_alloc)) {
      if (o->run.len) pm_move_before(op, op->region, o->run.data[0]);
      move_alloc(op, PM_SPACE_HEAP);
    } else if (o->run.len && !pm_is(op, &loop_yield)) {
      pm_move_before(op, op->region, o->run.data[0]);
    }
  } else if ((launch || has_launches(op)) && !depends && is_closed(o)) {
    end_run(o);
    if (launch) outline_nest(o, op);
    for (unsigned r = 0; !launch && r < op->n_regions; r++) outline_region(o, pm_region_at(op, r));
  } else {
    add_to_run(o, op);
  }
}

static void outline_region(outlining *o, pm_region *region) {
  if (!region->present) return;
  PM_FOR_OPS(op, region) outline_op(o, op);
  end_run(o);
}

/* It has kernels already. */
static pm_walk stop_at_call(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &loop_call) ? PM_WALK_STOP : PM_WALK_ON;
}

/* Devices have no such stores, and nothing that prefetches: their items hide the latency. */
static pm_walk drop_hint(void *user, pm_op *op) {
  bool *dropped = user, hint = pm_is(op, &buf_prefetch) || pm_is(op, &buf_fence);
  *dropped |= hint;
  if (pm_is(op, &loop_for)) pm_set_attr(op, loop_for_prefetch, NULL);
  if (pm_is(op, &buf_store)) pm_set_attr(op, buf_store_nontemporal, NULL);
  if (hint) pm_op_erase(op);
  return PM_WALK_ON;
}

pm_result pass_outline_kernels(pm_pass *pass) {
  pm_op *root = pm_pass_root(pass);
  unsigned made = 0;
  bool ok = true, dropped = false;
  PM_FOR_OPS(func, pm_region_at(root, 0)) {
    if (!pm_is(func, &loop_func) || loop_is_private(func) || loop_result_of(func)) continue;
    if (!pm_walk_pre(func, stop_at_call, NULL)) continue;
    pm_walk_post(func, drop_hint, &dropped);
    outlining o = {.pass = pass, .func = func, .last = func, .in_run = pm_map_new(), .ok = true};
    outline_region(&o, pm_region_at(func, loop_func_body));
    made += o.n;
    ok = ok && o.ok;
    PM_VEC_FREE(o.run);
    pm_map_free(o.in_run);
  }
  pm_pass_stat(pass, "kernels", made);
  return !ok ? PM_FAILED : made || dropped ? PM_CHANGED : PM_UNCHANGED;
}
