/* Which private functions are kernels: those that nests of parallel loops call. */
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/items.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "targets/opencl/opencl_emit.h"

/* The work-items of a group, the innermost dimension last. */
static void take_items(opencl_launch *l, pm_attr group) {
  for (unsigned d = 0; d < OPENCL_DIMS; d++)
    l->items[d] = d < group->len ? (unsigned)group->items[group->len - 1 - d]->i : 1;
}

unsigned opencl_group_items(const opencl_launch *launch) {
  unsigned items = 1;
  for (unsigned d = 0; d < OPENCL_DIMS; d++) items *= launch->items[d];
  return items;
}

/* Every device has 32 KB of local memory. */
enum { LEAST_LOCAL = 32 << 10 };

int64_t opencl_local_bytes(const pm_op *alloc) {
  int64_t bytes = loop_constant_alloc_bytes(alloc);
  return bytes > INT64_MAX - 63 ? bytes : (bytes + 63) / 64 * 64;
}

static pm_walk add_local(void *user, pm_op *op) {
  int64_t *sum = user, bytes = pm_is(op, &buf_alloc) && !loop_is_in_items(op) ? opencl_local_bytes(op) : 0;
  *sum = *sum > INT64_MAX - bytes ? INT64_MAX : *sum + bytes;
  return PM_WALK_ON;
}

static int64_t spill_of(pm_op *kernel) {
  int64_t bytes = 0;
  (void)pm_walk_pre(kernel, add_local, &bytes);
  return bytes > LEAST_LOCAL ? bytes : 0;
}

const opencl_launch *opencl_launch_at(const opencl_program *program, const pm_op *loop) {
  for (size_t i = 0; i < program->launches.len; i++)
    if (program->launches.data[i].nest[0] == loop) return &program->launches.data[i];
  return NULL;
}

int opencl_counter_of(const opencl_launch *launch, unsigned argument) {
  for (unsigned d = 0; d < launch->n_dims; d++)
    if (pm_arg(launch->call, argument) == pm_region_at(launch->nest[d], 0)->args[0]) return (int)d;
  return -1;
}

/* The only op of the body of the loop, a loop.yield aside. */
static pm_op *only_op(const pm_op *loop) {
  pm_op *first = pm_region_at(loop, 0)->first;
  return first && (!first->next || pm_is(first->next, &loop_yield)) ? first : NULL;
}

typedef struct search {
  opencl_program *program;
  const opencl_launch *launch; /* of the kernel that is checked */
  bool ok;
} search;

static bool is_launched(const opencl_program *program, const pm_op *kernel) {
  for (size_t i = 0; i < program->launches.len; i++)
    if (program->launches.data[i].kernel == kernel) return true;
  return false;
}

static bool add_launch(search *s, pm_op *loop) {
  opencl_launch l = {.nest = {loop}, .n_dims = 1};
  pm_op *inside = only_op(loop);
  for (; pm_is(inside, &loop_parallel) && l.n_dims < OPENCL_DIMS; inside = only_op(inside))
    l.nest[l.n_dims++] = inside;
  if (!pm_is(inside, &loop_call))
    return pm_op_error(loop, "is no launch for the target 'opencl': run outline-kernels before");
  l.call = inside;
  l.kernel = loop_find_callee(inside);
  l.number = (unsigned)s->program->launches.len;
  if (is_launched(s->program, l.kernel))
    return pm_op_error(inside, "calls a kernel a second time, which the target 'opencl' lacks");
  l.spill = spill_of(l.kernel);
  take_items(&l, pm_attr_at(loop, loop_parallel_group));
  PM_VEC_PUSH(s->program->launches, l);
  return true;
}

static pm_walk find_launch(void *user, pm_op *op) {
  search *s = user;
  if (pm_is(op, &loop_parallel)) {
    s->ok = add_launch(s, op) && s->ok;
    return PM_WALK_SKIP;
  }
  if (pm_is(op, &buf_alloc) && op->n_results > 1)
    s->ok = pm_op_error(op, "makes arrays that share memory, which the target 'opencl' lacks");
  bool computes =
      pm_is(op, &buf_load) || pm_is(op, &buf_store) || pm_is(op, &buf_atomic) || pm_is(op, &loop_call);
  if (computes) s->ok = pm_op_error(op, "is on the host, where the target 'opencl' has no arrays");
  if (pm_is(op, &loop_barrier)) s->ok = pm_op_error(op, "is on the host, where there are no work-items");
  return PM_WALK_ON;
}

static bool has_lanes(pm_type type) {
  unsigned lanes = type->cls == PM_TYPE_VECTOR ? type->lanes : 2;
  return lanes >= 2 && lanes <= OPENCL_MOST_LANES && !(lanes & (lanes - 1));
}

/* Vectors are those of arrays of the host. */
static bool check_vector(const pm_op *op) {
  loop_access access;
  bool is_access = (pm_is(op, &vec_load) || pm_is(op, &vec_store)) && loop_find_access(op, &access);
  if (is_access && pm_is(pm_def(access.buffer), &buf_alloc))
    return pm_op_error(op, "accesses memory of a kernel, of which the target 'opencl' has no vectors");
  for (unsigned i = 0; i < op->n_results; i++)
    if (!has_lanes(pm_res(op, i)->type))
      return pm_op_error(op, "has a vector of type %pT, but those of OpenCL have 2, 4, 8 or 16 elements",
                         (const void *)pm_res(op, i)->type);
  return true;
}

/* There are as many items in a group. */
static bool check_layout(const pm_op *op, const opencl_launch *launch) {
  pm_attr layout = pm_is(op, &loop_parallel) ? pm_attr_at(op, loop_parallel_layout) : NULL;
  int64_t items = opencl_group_items(launch);
  if (!layout || layout->items[0]->i <= items / layout->items[1]->i) return true;
  return pm_op_error(op, "has a layout of %lld rows of %lld work-items, but a group has %lld",
                     (long long)layout->items[0]->i, (long long)layout->items[1]->i, (long long)items);
}

/* What only the host has. */
static pm_walk check_kernel(void *user, pm_op *op) {
  search *s = user;
  if (pm_is(op, &buf_atomic) && pm_element_bytes(pm_arg(op, buf_atomic_value)->type) != 4)
    s->ok = pm_op_error(op, "joins values of type %pT, but OpenCL C 1.2 has functions for 32 bits",
                        (const void *)pm_arg(op, buf_atomic_value)->type);
  if (pm_is(op, &loop_call) || pm_is(op, &loop_require))
    s->ok = pm_op_error(op, "is in a kernel, where the target 'opencl' lacks it");
  if (pm_is(op, &buf_alloc) && pm_res(op, 0)->type->space != PM_SPACE_STACK)
    s->ok = pm_op_error(op, "is in a kernel, where memory should be on the stack");
  if (pm_is(op, &buf_alloc) && loop_is_in_items(op) &&
      loop_item_depth(pm_parent(op)) > loop_is_of_items(pm_parent(op)))
    s->ok = pm_op_error(op, "is memory of one item, but a loop of items is beside it");
  s->ok = check_vector(op) && check_layout(op, s->launch) && s->ok;
  return PM_WALK_ON;
}

/* It is an index, or converted to one, and may be large. */
static bool becomes_index(const pm_value *scalar) {
  if (!pm_is_int_or_index(scalar->type) || pm_get_scalar_info((pm_scalar)scalar->type->scalar)->bits < 16)
    return false;
  if (pm_is_index(scalar->type)) return true;
  PM_FOR_USES(use, scalar)
  if (pm_is(pm_user(use), &arith_cast) && pm_is_index(pm_res(pm_user(use), 0)->type)) return true;
  return false;
}

static void find_sizes(opencl_program *program, const pm_op *func) {
  const arith_range small = {true, -C_SMALL_SIZE, C_SMALL_SIZE};
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param) && becomes_index(pm_res(op, 0)))
    PM_VEC_PUSH(program->sizes, ((loop_known_range){pm_res(op, 0), small}));
}

static void find_floating_point(opencl_program *program) {
  program->strict = false;
  program->fast = true;
  for (size_t i = 0; i < program->launches.len; i++) {
    pm_string fp = pm_sym_at(program->launches.data[i].kernel, loop_func_fp);
    program->strict |= fp && !strcmp(fp->text, "strict");
    program->fast &= fp && !strcmp(fp->text, "fast");
  }
}

bool opencl_find_launches(opencl_program *program, pm_module *module) {
  search s = {.program = program, .ok = true};
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &loop_func) && !loop_is_private(op) && !loop_result_of(op)) {
    size_t before = program->launches.len;
    find_sizes(program, op);
    (void)pm_walk_pre(op, find_launch, &s);
    if (s.ok && program->launches.len == before)
      s.ok = pm_op_error(op, "launches no kernel, and the target 'opencl' has nothing else");
  }
  for (size_t i = 0; i < program->launches.len; i++) {
    s.launch = &program->launches.data[i];
    (void)pm_walk_pre(s.launch->kernel, check_kernel, &s);
  }
  find_floating_point(program);
  return s.ok;
}
