/* Indices of accesses, by a value among their operands. */
#include "dialects/loop/analyses/indices.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

bool loop_index_mentions(const loop_access *access, pm_affine_expr index, const pm_value *value) {
  if (!index) return false;
  if (index->kind == PM_AFFINE_DIM) return access->indices[index->value].value == value;
  if (index->kind == PM_AFFINE_SYM) return access->indices[access->map->n_dims + index->value].value == value;
  return loop_index_mentions(access, index->lhs, value) || loop_index_mentions(access, index->rhs, value);
}

bool loop_find_factor(const loop_access *access, pm_affine_expr index, const pm_value *value,
                      int64_t *factor) {
  uint32_t n = access->map->n_dims;
  int64_t *terms = pm_xcalloc(n + 1, sizeof *terms);
  bool linear = pm_affine_dim_coeffs(index, terms, n);
  for (uint32_t i = 0; i < access->map->n_syms; i++) linear &= access->indices[n + i].value != value;
  *factor = 0;
  for (uint32_t i = 0; i < n && linear; i++)
    if (access->indices[i].value == value) *factor += terms[i];
  free(terms);
  return linear;
}

/* What the value is multiplied by, in a sum of its products with constants and of what does not mention it.
 */
static bool find_part(const loop_access *access, pm_affine_expr index, const pm_value *value,
                      int64_t *factor) {
  *factor = 0;
  if (!loop_index_mentions(access, index, value)) return true;
  *factor = 1;
  if (index->kind == PM_AFFINE_DIM || index->kind == PM_AFFINE_SYM) return true;
  bool sum = index->kind == PM_AFFINE_ADD;
  if (!sum && (index->kind != PM_AFFINE_MUL || index->rhs->kind != PM_AFFINE_CONST)) return false;
  int64_t left, right = 0;
  bool found =
      find_part(access, index->lhs, value, &left) && (!sum || find_part(access, index->rhs, value, &right));
  *factor = sum ? left + right : left * index->rhs->value;
  return found;
}

bool loop_goes_along(const loop_access *access, const pm_value *counter) {
  const pm_affine_map map = access->map;
  int64_t factor;
  for (uint32_t i = 0; i < map->n_results; i++) {
    bool last = i + 1 == map->n_results;
    if (!find_part(access, map->results[i], counter, &factor) || factor != (last ? 1 : 0)) return false;
  }
  return map->n_results > 0;
}

bool loop_share_memory(const pm_value *a, const pm_value *b) {
  return a == b || (pm_def(a) && pm_def(a) == pm_def(b));
}

int64_t loop_joint_period(int64_t a, int64_t b, int64_t most) {
  if (a == 0 || b == 0) return 0;
  int64_t lcm = a / pm_gcd(a, b) * b;
  return lcm > most ? 0 : lcm;
}

int64_t loop_index_period(const loop_access *access, pm_affine_expr index, const pm_value *value,
                          int64_t step, int64_t most) {
  int64_t factor;
  if (!loop_index_mentions(access, index, value) || index->kind == PM_AFFINE_DIM) return 1;
  if (index->kind == PM_AFFINE_ADD || index->kind == PM_AFFINE_MUL)
    return loop_joint_period(loop_index_period(access, index->lhs, value, step, most),
                             loop_index_period(access, index->rhs, value, step, most), most);
  if (!loop_find_factor(access, index->lhs, value, &factor) || index->rhs->kind != PM_AFFINE_CONST) return 0;
  int64_t divisor = index->rhs->value / pm_gcd(index->rhs->value, factor);
  return loop_joint_period(1, divisor / pm_gcd(divisor, step), most);
}

static int64_t find_remainder(const pm_value *value, int64_t period, unsigned depth);

/* A counter has the remainder of its first value in each iteration. */
static int64_t remainder_of_counter(const pm_value *value, int64_t period, unsigned depth) {
  const pm_op *loop = pm_value_region(value)->op;
  bool counts = pm_is(loop, &loop_for) && value == loop_counter_of(loop);
  if (!counts || pm_int_at(loop, loop_for_step) % period != 0) return -1;
  return find_remainder(pm_arg(loop, loop_for_lb), period, depth - 1);
}

/* `depth`: so many ops, one the operand of the other, are looked at. */
static int64_t find_remainder(const pm_value *value, int64_t period, unsigned depth) {
  pm_attr constant = pm_constant_value(value);
  if (constant) return pm_floor_mod(constant->i, period);
  if (!depth) return -1;
  if (pm_is_arg(value)) return remainder_of_counter(value, period, depth);
  const pm_op *op = pm_def(value);
  if (op->n_operands != 2) return -1;
  int64_t l = find_remainder(pm_arg(op, 0), period, depth - 1);
  int64_t r = find_remainder(pm_arg(op, 1), period, depth - 1);
  if (pm_is(op, &arith_muli) && (l == 0 || r == 0)) return 0;
  if (l < 0 || r < 0) return -1;
  if (pm_is(op, &arith_addi)) return (l + r) % period;
  if (pm_is(op, &arith_subi)) return pm_floor_mod(l - r, period);
  return (pm_is(op, &arith_mini) || pm_is(op, &arith_maxi)) && l == r ? l : -1;
}

int64_t loop_find_remainder(const pm_value *value, int64_t period) {
  enum { DEPTH = 10 };
  return find_remainder(value, period, DEPTH);
}
