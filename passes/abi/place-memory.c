/* place-memory: the heap and thread memory of a call becomes places in one workspace.
 *
 *                                                 |  %w = buf.workspace %total : memref<?xi8, heap>
 *   %a = buf.alloc(%n) : memref<?xf32, heap>      |  %a = buf.alloc(%n) at %w[%0] : memref<?xf32, heap>
 *   loop.parallel %i = … {                        |  loop.parallel %i = … {
 *                                                 |    %t = loop.thread : () -> index
 *                                                 |    %o = … %t * 256 + …
 *     %b = buf.alloc() : memref<64xf32, thread>   |    %b = buf.alloc() at %w[%o] : memref<64xf32, thread>
 *   }                                             |  }
 *
 * A region's memory lies behind that of the regions around it, in the order of its ops; what is alive at
 * different times, in neighbouring regions, lies at the same place. A loop on several threads has an area for
 * each. Every place is a multiple of 64 bytes. Sizes that depend on more than the scalar arguments keep
 * memory of their own, and so do private functions. */
#include "passes/options.h"

#include "dialects/arith/arith.h"
#include "dialects/arith/range.h"
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

/* MOST bytes are too many; sums of less, and their rounding, never reach the largest number. */
static const int64_t ALIGN = 64, MOST = (int64_t)1 << 62;

/* --- amounts of bytes: a number and, if it is not NULL, a value --- */

typedef struct amount {
  int64_t fixed;
  pm_value *open;
} amount;

static int64_t sum(int64_t a, int64_t b) {
  int64_t out;
  return arith_checked_add(a, b, &out) ? out : INT64_MAX;
}

static pm_value *value_of(pm_builder *b, amount a) {
  if (!a.open) return arith_build_index(b, a.fixed);
  return a.fixed ? pm_build_binary(b, &arith_addsat, a.open, arith_build_index(b, a.fixed)) : a.open;
}

static amount add(pm_builder *b, amount a, amount c) {
  pm_value *open = a.open && c.open ? pm_build_binary(b, &arith_addsat, a.open, c.open)
                   : a.open         ? a.open
                                    : c.open;
  return (amount){sum(a.fixed, c.fixed), open};
}

static bool is_zero(amount a) {
  return !a.fixed && !a.open;
}

static amount larger(pm_builder *b, amount a, amount c) {
  if (is_zero(a) || is_zero(c)) return is_zero(a) ? c : a;
  if (a.open == c.open) return (amount){a.fixed > c.fixed ? a.fixed : c.fixed, a.open};
  return (amount){0, pm_build_binary(b, &arith_maxi, value_of(b, a), value_of(b, c))};
}

static amount of_all_threads(pm_builder *b, amount a) {
  if (is_zero(a)) return a;
  return (amount){0, pm_build_binary(b, &arith_mulsat, value_of(b, a), loop_build_threads(b))};
}

/* Up to a multiple of ALIGN. */
static int64_t round_number_up(int64_t bytes) {
  return bytes >= MOST ? MOST : (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static amount round_up(pm_builder *b, pm_value *bytes) {
  pm_attr known = pm_constant_value(bytes);
  if (known) return (amount){round_number_up(known->i), NULL};
  pm_value *align = arith_build_index(b, ALIGN);
  pm_value *up = pm_build_binary(b, &arith_addsat, bytes, arith_build_index(b, ALIGN - 1));
  return (amount){0, pm_build_binary(b, &arith_mulsat, pm_build_binary(b, &arith_divi, up, align), align)};
}

/* --- the plan --- */

typedef struct place {
  pm_op *alloc;
  pm_op *threads; /* the loop on several threads around it, or NULL */
  amount at;      /* in the area of the thread, or in the workspace */
} place;

typedef struct area {
  amount at, bytes; /* of the first thread; of each */
} area;

typedef struct planning {
  pm_arena *arena; /* of areas */
  pm_builder b;    /* all amounts are built here, ahead of the first op with memory */
  pm_map *ahead;   /* the ops of the function that stand there already */
  pm_map *areas;   /* loop on several threads -> area */
  PM_VEC(place) places;
} planning;

static bool has_known_size(const pm_op *alloc) {
  for (unsigned i = 0; i < alloc->n_operands; i++)
    if (!loop_depends_on_arguments(pm_arg(alloc, i))) return false;
  return true;
}

static bool wants_place(const pm_op *op) {
  return pm_is(op, &buf_alloc) && loop_owner_of(op) != LOOP_OWNER_NONE && has_known_size(op);
}

/* What the value is computed from stands ahead, too. */
static void bring_ahead(planning *p, const pm_value *v) {
  pm_op *op = pm_def(v);
  if (pm_map_has(p->ahead, op)) return;
  for (unsigned i = 0; i < op->n_operands; i++) bring_ahead(p, pm_arg(op, i));
  pm_move_before(op, p->b.region, p->b.before);
  pm_map_set(p->ahead, op, op);
}

static amount bytes_of(planning *p, const pm_op *alloc) {
  if (!alloc->n_operands) return (amount){round_number_up(loop_constant_alloc_bytes(alloc)), NULL};
  for (unsigned i = 0; i < alloc->n_operands; i++) bring_ahead(p, pm_arg(alloc, i));
  pm_value *bytes = buf_alloc_bytes(alloc);
  return round_up(&p->b, bytes ? bytes : loop_build_alloc_bytes(&p->b, alloc));
}

static amount plan_region(planning *p, pm_region *region, pm_op *threads, amount at);

/* What the regions of the op need from `at` on. */
static amount plan_inside(planning *p, pm_op *op, pm_op *threads, amount at) {
  amount most = {0, NULL};
  bool begins = loop_runs_on_threads(op);
  for (unsigned i = 0; i < op->n_regions; i++) {
    pm_region *inner = pm_region_at(op, i);
    amount need = begins ? plan_region(p, inner, op, (amount){0, NULL}) : plan_region(p, inner, threads, at);
    most = larger(&p->b, most, need);
  }
  if (!begins) return most;
  area *a = pm_arena_alloc(p->arena, sizeof *a);
  *a = (area){at, most};
  pm_map_set(p->areas, op, a);
  return of_all_threads(&p->b, most);
}

/* The bytes that the memory of the region, which begins at `at`, takes: at any time its own so far, and
 * what a region below has. */
static amount plan_region(planning *p, pm_region *region, pm_op *threads, amount at) {
  amount own = {0, NULL}, most = {0, NULL}, below = {0, NULL};
  for (pm_op *op = region->first, *next; op; op = next) {
    next = op->next;
    if (wants_place(op)) {
      if (!is_zero(below)) most = larger(&p->b, most, add(&p->b, own, below));
      below = (amount){0, NULL};
      amount bytes = bytes_of(p, op);
      PM_VEC_PUSH(p->places, ((place){op, threads, add(&p->b, at, own)}));
      own = add(&p->b, own, bytes);
    } else if (op->n_regions) {
      below = larger(&p->b, below, plan_inside(p, op, threads, add(&p->b, at, own)));
    }
  }
  return larger(&p->b, most, add(&p->b, own, below));
}

/* --- places --- */

static pm_value *build_workspace(pm_builder *b, amount need) {
  /* A caller's memory may begin anywhere: its first multiple of ALIGN is at most that far. Targets keep
   * there what they note of blocks of their own. */
  pm_value *bytes = value_of(b, add(b, need, (amount){ALIGN, NULL}));
  loop_build_check(b, arith_build_cmp(b, ARITH_LT, bytes, arith_build_index(b, MOST)), LOOP_TOO_LARGE);
  pm_value *workspace = buf_build_workspace(b, bytes);
  loop_build_check(b, buf_build_nonnull(b, workspace), LOOP_OUT_OF_MEMORY);
  return workspace;
}

/* Where the area of the thread begins, at the beginning of the loop: each has it once. */
static pm_value *begin_of_area(planning *p, pm_op *loop, pm_map *begins) {
  pm_value *begin = pm_map_get(begins, loop);
  if (begin) return begin;
  const area *a = pm_map_get(p->areas, loop);
  pm_value *bytes = value_of(&p->b, a->bytes), *at = value_of(&p->b, a->at);
  pm_builder b = loop_inside(loop);
  b.before = b.region->first;
  begin =
      pm_build_binary(&b, &arith_addi, at, pm_build_binary(&b, &arith_muli, loop_build_thread(&b), bytes));
  pm_map_set(begins, loop, begin);
  return begin;
}

static void give_places(planning *p, pm_value *workspace) {
  pm_map *begins = pm_map_new();
  for (size_t i = 0; i < p->places.len; i++) {
    const place *at = &p->places.data[i];
    pm_value *offset = value_of(&p->b, at->at);
    if (at->threads) {
      pm_value *begin = begin_of_area(p, at->threads, begins);
      pm_builder b = pm_builder_before(at->alloc);
      if (!pm_constant_value(offset) || pm_constant_value(offset)->i)
        begin = pm_build_binary(&b, &arith_addi, begin, offset);
      offset = begin;
    }
    buf_place(at->alloc, workspace, offset);
  }
  pm_map_free(begins);
}

/* --- functions --- */

static pm_walk stop_at_wanting(void *user, pm_op *op) {
  (void)user;
  return wants_place(op) ? PM_WALK_STOP : PM_WALK_ON;
}

static bool is_argument(const pm_op *op) {
  return pm_is(op, &loop_param) || pm_is(op, &buf_input) || pm_is(op, &buf_output) ||
         (pm_is(op, &loop_require) && pm_attr_at(op, loop_require_message));
}

/* The first op with memory, behind all that the caller gives; NULL when there is none or the function is not
 * of that form. */
static pm_op *find_first(planning *p, const pm_op *func) {
  pm_op *first = NULL;
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (pm_is(op, &buf_workspace)) return NULL;
    if (!first && !pm_walk_pre(op, stop_at_wanting, NULL)) first = op;
    if (!first)
      pm_map_set(p->ahead, op, op);
    else if (is_argument(op))
      return NULL;
  }
  return first;
}

static void explain(pm_pass *pass, const pm_op *func, size_t places, amount need) {
  pm_buf bytes = {0};
  pm_buf_puts(&bytes, "");
  if (!need.open) pm_buf_printf(&bytes, " of %lld bytes", (long long)need.fixed);
  pm_pass_remark(pass, func->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"allocations", (double)places}}, 1,
                 "%zu allocation%s of a call %s in one workspace%s, which the next call reuses", places,
                 places == 1 ? "" : "s", places == 1 ? "is" : "are", bytes.data);
  pm_buf_free(&bytes);
}

static int64_t place_all(pm_pass *pass, pm_op *func) {
  planning p = {.arena = pm_pass_arena(pass), .ahead = pm_map_new(), .areas = pm_map_new()};
  pm_op *first = find_first(&p, func);
  if (first) {
    p.b = pm_builder_before(first);
    amount need = plan_region(&p, pm_region_at(func, loop_func_body), NULL, (amount){0, NULL});
    give_places(&p, build_workspace(&p.b, need));
    explain(pass, func, p.places.len, need);
  }
  int64_t n = (int64_t)p.places.len;
  pm_map_free(p.ahead);
  pm_map_free(p.areas);
  PM_VEC_FREE(p.places);
  return n;
}

typedef PM_VEC(pm_op *) op_list;

static pm_walk add_func(void *funcs, pm_op *op) {
  op_list *list = funcs;
  if (!pm_is(op, &loop_func)) return PM_WALK_ON;
  if (!loop_is_private(op) && !loop_result_of(op)) PM_VEC_PUSH(*list, op);
  return PM_WALK_SKIP;
}

pm_result pass_place_memory(pm_pass *pass) {
  int64_t placed = 0;
  op_list funcs = {0};
  (void)pm_walk_pre(pm_pass_root(pass), add_func, &funcs);
  for (size_t i = 0; i < funcs.len; i++) placed += place_all(pass, funcs.data[i]);
  PM_VEC_FREE(funcs);
  pm_pass_stat(pass, "allocations", placed);
  return placed ? PM_CHANGED : PM_UNCHANGED;
}
