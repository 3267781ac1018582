#include "dialects/stage/interpreter/index_expr.h"

#include <stdlib.h>

static const int64_t MAX_STEP = INT64_C(1) << 40;

static int64_t apply(const index_node *node, int64_t a, int64_t b) {
  switch (node->kind) {
  case INDEX_ADD:
    return pm_wrap_add(a, b);
  case INDEX_MUL:
    return pm_wrap_mul(a, b);
  case INDEX_FLOORDIV:
    return pm_floor_div(a, b);
  case INDEX_CEILDIV:
    return pm_ceil_div(a, b);
  default:
    return pm_floor_mod(a, b);
  }
}

static bool is_push(const index_node *node) {
  return node->kind <= INDEX_PUSH_LANES;
}

/* --- making --- */

static index_node leaf(pm_affine_expr expr, const index_operand *operands) {
  if (expr->kind != PM_AFFINE_DIM) return (index_node){INDEX_PUSH_CONSTANT, expr->value};
  const index_operand *operand = &operands[expr->value];
  if (operand->kind == INDEX_CONSTANT) return (index_node){INDEX_PUSH_CONSTANT, operand->number};
  return (index_node){operand->kind == INDEX_DIM ? INDEX_PUSH_DIM : INDEX_PUSH_LANES, operand->number};
}

static index_node operation(pm_affine_expr expr) {
  static const index_node nodes[] = {[PM_AFFINE_ADD] = {INDEX_ADD, 0},
                                     [PM_AFFINE_MUL] = {INDEX_MUL, 0},
                                     [PM_AFFINE_FLOORDIV] = {INDEX_FLOORDIV, 0},
                                     [PM_AFFINE_CEILDIV] = {INDEX_CEILDIV, 0},
                                     [PM_AFFINE_MOD] = {INDEX_MOD, 0}};
  return nodes[expr->kind];
}

/* Postfix order with a stack of expressions: each inner one is met twice, before and after its operands. */
static void flatten(index_expr *e, pm_affine_expr expr, const index_operand *operands) {
  typedef struct visit {
    pm_affine_expr expr;
    bool done;
  } visit;
  PM_VEC(visit) todo = {0};
  PM_VEC_PUSH(todo, ((visit){expr, false}));
  while (todo.len) {
    visit v = PM_VEC_POP(todo);
    bool inner = v.expr->kind >= PM_AFFINE_ADD;
    if (!inner || v.done) {
      PM_VEC_PUSH(e->nodes, inner ? operation(v.expr) : leaf(v.expr, operands));
      continue;
    }
    PM_VEC_PUSH(todo, ((visit){v.expr, true}));
    PM_VEC_PUSH(todo, ((visit){v.expr->rhs, false}));
    PM_VEC_PUSH(todo, ((visit){v.expr->lhs, false}));
  }
  PM_VEC_FREE(todo);
}

static void measure(index_expr *e) {
  unsigned depth = 0;
  for (size_t i = 0; i < e->nodes.len; i++) {
    depth = is_push(&e->nodes.data[i]) ? depth + 1 : depth - 1;
    if (depth > e->depth) e->depth = depth;
    if (e->nodes.data[i].kind == INDEX_PUSH_DIM) e->dims |= UINT32_C(1) << e->nodes.data[i].number;
  }
}

/* How a part of an expression changes along a row. */
typedef struct slope {
  bool linear, constant; /* constant: one number at all points */
  int64_t step, value;
} slope;

static slope slope_of_leaf(const index_node *node, unsigned last_dim) {
  if (node->kind == INDEX_PUSH_LANES) return (slope){0};
  if (node->kind == INDEX_PUSH_CONSTANT) return (slope){true, true, 0, node->number};
  return (slope){true, false, node->number == last_dim, 0};
}

static slope combine(const index_node *node, slope a, slope b) {
  slope s = {a.linear && b.linear, a.constant && b.constant, 0, 0};
  if (s.constant)
    s.value = apply(node, a.value, b.value);
  else if (node->kind == INDEX_ADD)
    s.step = pm_wrap_add(a.step, b.step);
  else if (node->kind == INDEX_MUL && b.constant)
    s.step = pm_wrap_mul(a.step, b.value);
  else
    s.linear = s.linear && a.step == 0 && b.step == 0;
  s.linear = s.linear && s.step < MAX_STEP && s.step > -MAX_STEP;
  return s;
}

static void find_slope(index_expr *e, unsigned last_dim) {
  PM_VEC(slope) stack = {0};
  for (size_t i = 0; i < e->nodes.len; i++) {
    const index_node *node = &e->nodes.data[i];
    slope s;
    if (is_push(node))
      s = slope_of_leaf(node, last_dim);
    else {
      slope b = PM_VEC_POP(stack), a = PM_VEC_POP(stack);
      s = combine(node, a, b);
    }
    PM_VEC_PUSH(stack, s);
  }
  e->linear = stack.data[0].linear;
  e->step = stack.data[0].step;
  PM_VEC_FREE(stack);
}

void index_expr_init(index_expr *e, pm_affine_expr expr, const index_operand *operands, unsigned last_dim) {
  *e = (index_expr){0};
  flatten(e, expr, operands);
  measure(e);
  find_slope(e, last_dim);
}

void index_expr_free(index_expr *e) {
  PM_VEC_FREE(e->nodes);
}

/* --- evaluation --- */

int64_t index_expr_at(const index_expr *e, const int64_t *point, int64_t *stack) {
  size_t top = 0;
  for (size_t i = 0; i < e->nodes.len; i++) {
    const index_node *node = &e->nodes.data[i];
    if (is_push(node))
      stack[top++] = node->kind == INDEX_PUSH_DIM ? point[node->number] : node->number;
    else {
      top--;
      stack[top - 1] = apply(node, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

static void push_lanes(const index_node *node, const pm_lane *slots, size_t n, int64_t *to) {
  if (node->kind == INDEX_PUSH_CONSTANT) {
    for (size_t k = 0; k < n; k++) to[k] = node->number;
    return;
  }
  const pm_lane *lanes = slots + (size_t)node->number * STAGE_CHUNK;
  for (size_t k = 0; k < n; k++) to[k] = lanes[k].i;
}

static bool is_power_of_two(int64_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

/* The three divisions by a constant; a shift or a mask when it is a power of two. */
static void divide_lanes(const index_node *node, int64_t *a, int64_t divisor, size_t n) {
  bool shifts = is_power_of_two(divisor);
  int shift = 0;
  while (shifts && INT64_C(1) << shift < divisor) shift++;
  if (shifts && node->kind == INDEX_FLOORDIV)
    for (size_t k = 0; k < n; k++) a[k] = a[k] < 0 ? ~(~a[k] >> shift) : a[k] >> shift;
  else if (shifts && node->kind == INDEX_MOD)
    for (size_t k = 0; k < n; k++) a[k] = (int64_t)((uint64_t)a[k] & (uint64_t)(divisor - 1));
  else
    for (size_t k = 0; k < n; k++) a[k] = apply(node, a[k], divisor);
}

static void apply_lanes(const index_node *node, int64_t *a, const int64_t *b, size_t n) {
  if (node->kind == INDEX_ADD)
    for (size_t k = 0; k < n; k++) a[k] = pm_wrap_add(a[k], b[k]);
  else if (node->kind == INDEX_MUL)
    for (size_t k = 0; k < n; k++) a[k] = pm_wrap_mul(a[k], b[k]);
  else if (n)
    divide_lanes(node, a, b[0], n);
}

void index_expr_lanes(const index_expr *e, const pm_lane *slots, size_t n, int64_t *stack) {
  size_t top = 0;
  for (size_t i = 0; i < e->nodes.len; i++) {
    const index_node *node = &e->nodes.data[i];
    if (is_push(node))
      push_lanes(node, slots, n, stack + top++ * STAGE_CHUNK);
    else {
      top--;
      apply_lanes(node, stack + (top - 1) * STAGE_CHUNK, stack + top * STAGE_CHUNK, n);
    }
  }
}
