/* narrow-integers: in vector loops, integers are computed in as few bits as they need.
 *
 *   %a = buf.load %x[%i] : memref<?xu8>          |  %a = buf.load %x[%i] : memref<?xu8>
 *   %b = arith.cast %a : (u8) -> i32             |  %b = arith.cast %a : (u8) -> i16
 *   %c = arith.muli %b, %seven : i32             |  %c = arith.muli %b, %0 : i16
 *   %d = arith.cast %c : (i32) -> f32            |  %d = arith.cast %c : (i16) -> f32
 *
 * A vector of 16 bits has twice the lanes of one of 32, and programs say `int` where they read bytes. An op
 * is narrowed when a smaller type holds its result and its operands, by loop_ranges, and its operands can be
 * had in that type for less than in their own: they are constants, the same in all iterations, narrowed
 * themselves, or converted from a type that is as small. So no value is made smaller that was large before;
 * conversions to larger types move from the operands of sums to their results.
 *
 * A product of more bits that is shifted right, by 5 say, is the high half of a product of 16 bits, whose
 * factors are shifted left by 11 bits together, where 16 bits have room for them. Processors have an
 * operation for it. Half of a sum of 17 bits is computed in 16 of them: (a & b) + ((a ^ b) >> 1), rounded
 * down. Where `all` is false, such products and sums are narrowed, and what is computed of them:
 * other sums, and (a + b + 1) >> 1 of values without sign, are narrowed behind the IR, too.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/ranges.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct narrower {
  const loop_ranges *ranges;
  pm_op *loop;
  pm_map *types;        /* pm_op -> pm_type, of those that are narrowed */
  pm_map *of_wide;      /* halves of products and sums, and ops that these have a part in */
  pm_map *low;          /* ops of whose results all uses in the loop want the low 16 bits only */
  bool all;             /* others are narrowed, too */
  PM_VEC(pm_op *) ops;  /* the keys, in the order of the text */
  PM_VEC(pm_op *) dead; /* what halves replace: erased when the ranges are not asked any more */
  int64_t changed;
} narrower;

/* --- which --- */

static unsigned bits_of(pm_type type) {
  return pm_get_scalar_info((pm_scalar)type->scalar)->bits;
}

/* Bits that vectors have the op for; 0: it is not narrowed. */
static unsigned least_bits(const pm_op *op) {
  static const pm_op_desc *const of_bytes[] = {&arith_addi, &arith_subi, &arith_mini,
                                               &arith_maxi, &arith_andi, &arith_ori,
                                               &arith_xori, &arith_cmp,  &arith_select};
  static const pm_op_desc *const of_words[] = {&arith_muli,      &arith_divi, &arith_remi, &arith_trunc_div,
                                               &arith_trunc_rem, &arith_shli, &arith_shri};
  for (size_t i = 0; i < PM_COUNT(of_bytes); i++)
    if (pm_is(op, of_bytes[i])) return 8;
  for (size_t i = 0; i < PM_COUNT(of_words); i++)
    if (pm_is(op, of_words[i])) return 16;
  return 0;
}

/* The operands that are narrowed with the result: not the condition of a select. */
static unsigned first_operand(const pm_op *op) {
  return pm_is(op, &arith_select) ? (unsigned)arith_select_a : 0;
}

static pm_type type_of(const pm_op *op) {
  return pm_arg(op, first_operand(op))->type;
}

/* What the value is converted from, when that is an integer; else NULL. */
static pm_value *source_of(const pm_value *value) {
  const pm_op *cast = pm_def(value);
  return pm_is(cast, &arith_cast) && pm_is_int(pm_arg(cast, 0)->type) ? pm_arg(cast, 0) : NULL;
}

static bool fits(const narrower *n, const pm_value *value, pm_scalar scalar) {
  return arith_range_fits(loop_range_of(n->ranges, value), scalar);
}

static bool is_constant_in(const narrower *n, const pm_value *value) {
  return pm_constant_value(value) || !loop_changes_in(value, n->loop);
}

/* It can be had in a type of so many bits without being made smaller. */
static bool is_available(const narrower *n, const pm_value *value, unsigned bits) {
  if (is_constant_in(n, value)) return true;
  pm_type narrowed = pm_map_get(n->types, pm_def(value));
  const pm_value *source = narrowed ? NULL : source_of(value);
  /* The conversion keeps all bits and the sign. */
  bool kept = source && fits(n, source, (pm_scalar)value->type->scalar);
  if (source) return kept && bits_of(source->type) <= bits && bits_of(source->type) > 1;
  return narrowed && bits_of(narrowed) <= bits;
}

static bool fits_op(const narrower *n, const pm_op *op, pm_scalar scalar) {
  bool result = pm_is(op, &arith_cmp) || fits(n, pm_res(op, 0), scalar);
  bool shifts = pm_is(op, &arith_shli) || pm_is(op, &arith_shri);
  for (unsigned i = first_operand(op); i < op->n_operands; i++)
    result = result && fits(n, pm_arg(op, i), scalar) &&
             is_available(n, pm_arg(op, i), pm_get_scalar_info(scalar)->bits);
  if (!result || !shifts) return result;
  arith_range amount = loop_range_of(n->ranges, pm_arg(op, 1));
  return amount.known && amount.lo >= 0 && amount.hi < (int64_t)pm_get_scalar_info(scalar)->bits;
}

/* The low bits of its result come from the low bits of the operands. */
static bool is_modular(const pm_op *op) {
  static const pm_op_desc *const of_low_bits[] = {&arith_addi, &arith_subi, &arith_muli,  &arith_andi,
                                                  &arith_ori,  &arith_xori, &arith_select};
  for (size_t i = 0; i < PM_COUNT(of_low_bits); i++)
    if (pm_is(op, of_low_bits[i])) return true;
  return false;
}

static bool wants_low_bits(const narrower *n, const pm_use *use) {
  if (pm_map_has(n->low, pm_user(use))) return pm_operand_number(use) >= first_operand(pm_user(use));
  if (!pm_is(pm_user(use), &arith_cast) || !pm_is_int(pm_res(pm_user(use), 0)->type)) return false;
  unsigned bits = bits_of(pm_res(pm_user(use), 0)->type);
  return bits > 1 && bits <= 16;
}

/* Later ones first: what reads an op is known. */
static void find_low(narrower *n) {
  for (pm_op *op = pm_region_at(n->loop, loop_for_body)->last; op; op = pm_prev(op)) {
    bool low = is_modular(op) && pm_res(op, 0)->type->cls == PM_TYPE_SCALAR && pm_uses(pm_res(op, 0)) &&
               pm_is_int(pm_res(op, 0)->type) && bits_of(pm_res(op, 0)->type) > 16;
    if (!low) continue;
    PM_FOR_USES(use, pm_res(op, 0))
    low = low && wants_low_bits(n, use);
    if (low) pm_map_set(n->low, op, op);
  }
}

/* It can be had in 16 bits, though larger values lose theirs. */
static bool is_low_available(const narrower *n, const pm_value *value) {
  if (is_constant_in(n, value)) return true;
  pm_type narrowed = pm_map_get(n->types, pm_def(value));
  const pm_value *source = narrowed ? NULL : source_of(value);
  unsigned bits = narrowed ? bits_of(narrowed) : source ? bits_of(source->type) : 0;
  return bits > 1 && bits <= 16;
}

static bool is_low(const narrower *n, const pm_op *op) {
  if (!pm_map_has(n->low, op)) return false;
  for (unsigned i = first_operand(op); i < op->n_operands; i++)
    if (!is_low_available(n, pm_arg(op, i))) return false;
  return true;
}

static bool varies(const narrower *n, const pm_op *op) {
  for (unsigned i = first_operand(op); i < op->n_operands; i++)
    if (!is_constant_in(n, pm_arg(op, i))) return true;
  return false;
}

static bool is_of_wide(narrower *n, pm_op *op) {
  bool found = pm_map_has(n->of_wide, op);
  for (unsigned i = 0; i < op->n_operands && !found; i++)
    found = pm_map_has(n->of_wide, pm_def(pm_arg(op, i)));
  if (found) pm_map_set(n->of_wide, op, op);
  return found;
}

static pm_walk choose(void *user, pm_op *op) {
  static const pm_scalar scalars[] = {PM_U8, PM_I8, PM_I16, PM_U16, PM_I32, PM_U32};
  narrower *n = user;
  if (!is_of_wide(n, op) && !n->all) return PM_WALK_ON;
  unsigned least = least_bits(op);
  bool scalar = least && type_of(op)->cls == PM_TYPE_SCALAR && pm_is_int(type_of(op));
  if (!scalar || !varies(n, op)) return PM_WALK_ON;
  for (size_t i = 0; i < PM_COUNT(scalars); i++) {
    unsigned bits = pm_get_scalar_info(scalars[i])->bits;
    bool low = scalars[i] == PM_I16 && is_low(n, op);
    if (bits < least || bits >= bits_of(type_of(op)) || (!low && !fits_op(n, op, scalars[i]))) continue;
    pm_map_set(n->types, op, (void *)pm_get_scalar(pm_op_context(op), scalars[i]));
    PM_VEC_PUSH(n->ops, op);
    return PM_WALK_ON;
  }
  return PM_WALK_ON;
}

/* --- what gains nothing --- */

/* One operand varies, which is converted for the op: not the result of one that is narrowed. */
static bool is_single(const narrower *n, const pm_op *op) {
  unsigned count = 0;
  for (unsigned i = first_operand(op); i < op->n_operands; i++) {
    if (is_constant_in(n, pm_arg(op, i))) continue;
    if (pm_map_get(n->types, pm_def(pm_arg(op, i)))) return false;
    count++;
  }
  return count < 2;
}

/* The result is wanted by one that is narrowed, or in no more bits. */
static bool stays_narrow(const narrower *n, const pm_op *op) {
  unsigned bits = bits_of(pm_map_get(n->types, op));
  if (pm_is(op, &arith_cmp)) return true;
  PM_FOR_USES(use, pm_res(op, 0)) {
    bool converted = pm_is(pm_user(use), &arith_cast) && pm_is_int(pm_res(pm_user(use), 0)->type);
    if (pm_map_has(n->types, pm_user(use))) return true;
    if (converted && bits_of(pm_res(pm_user(use), 0)->type) <= bits) return true;
  }
  return false;
}

/* An op of one value that is wanted large would have two conversions in place of one. Later ones first: what
 * reads them is known. */
static void leave_single(narrower *n) {
  for (size_t i = n->ops.len; i-- > 0;)
    if (is_single(n, n->ops.data[i]) && !stays_narrow(n, n->ops.data[i]))
      pm_map_remove(n->types, n->ops.data[i]);
}

/* --- the ops --- */

static pm_value *in_type(const narrower *n, pm_builder *b, pm_value *value, pm_type type) {
  pm_attr constant = pm_constant_value(value);
  pm_value *source = source_of(value);
  if (constant) return arith_build_int(b, type, constant->i);
  bool taken = source && loop_changes_in(value, n->loop);
  return arith_build_cast(b, taken ? source : value, type);
}

static void narrow(narrower *n, pm_op *op, pm_type type) {
  pm_value *operands[3];
  pm_builder b = pm_builder_before(op);
  unsigned first = first_operand(op);
  for (unsigned i = 0; i < op->n_operands; i++)
    operands[i] = i < first ? pm_arg(op, i) : in_type(n, &b, pm_arg(op, i), type);
  pm_type result = pm_is(op, &arith_cmp) ? pm_res(op, 0)->type : type;
  pm_op *made = pm_build(&b, op->desc, operands, op->n_operands, &result, 1, pm_attrs(op));
  pm_value *replaced = arith_build_cast(&b, pm_res(made, 0), pm_res(op, 0)->type);
  pm_map_remove(n->of_wide, op);
  pm_replace_op(op, &replaced);
  n->changed++;
}

/* --- products --- */

/* Another value takes the place of the op's. The op stays, since ranges are kept by addresses, which new ops
 * would have again. */
static void retire(narrower *n, pm_op *op, pm_value *replaced) {
  pm_map_set(n->of_wide, pm_def(replaced), n->loop);
  pm_replace_uses(pm_res(op, 0), replaced);
  PM_VEC_PUSH(n->dead, op);
}

/* With the products and sums that nothing else reads. */
static void erase_dead(narrower *n) {
  while (n->dead.len > 0) {
    pm_op *op = PM_VEC_POP(n->dead), *of[2] = {NULL, NULL};
    for (unsigned i = 0; i < op->n_operands && i < PM_COUNT(of); i++) of[i] = pm_def(pm_arg(op, i));
    pm_op_erase(op);
    for (unsigned i = 0; i < PM_COUNT(of); i++) {
      bool sums = pm_is(of[i], &arith_muli) || pm_is(of[i], &arith_addi);
      if (sums && !pm_uses(pm_res(of[i], 0)) && !(i && of[i] == of[0])) PM_VEC_PUSH(n->dead, of[i]);
    }
  }
  PM_VEC_FREE(n->dead);
}

/* By how many bits, 16 at most, the op shifts to the right, as quotients by powers of two do; 0: it does not.
 */
static int64_t shift_of(const pm_op *op) {
  bool divides = pm_is(op, &arith_divi);
  pm_attr by = divides || pm_is(op, &arith_shri) ? pm_constant_value(pm_arg(op, 1)) : NULL;
  if (!by || !divides) return by && by->i > 0 && by->i <= 16 ? by->i : 0;
  for (int64_t bits = 1; bits <= 16; bits++)
    if (by->i == INT64_C(1) << bits) return bits;
  return 0;
}

/* Bits that the value can be shifted to the left by in 16 bits; -1: it has more. */
static int64_t room_of(const narrower *n, const pm_value *value) {
  arith_range range = loop_range_of(n->ranges, value);
  int64_t room = -1;
  while (room < 15 && arith_range_fits(range, PM_I16)) {
    room++;
    range = arith_range_mul(range, (arith_range){true, 2, 2});
  }
  return room;
}

static pm_value *shifted(narrower *n, pm_op *before, pm_value *value, int64_t bits) {
  bool varies = loop_changes_in(value, n->loop);
  pm_builder b = pm_builder_before(varies ? before : n->loop);
  pm_type words = pm_get_scalar(pm_op_context(before), PM_I16);
  value = in_type(n, &b, value, words);
  return bits ? pm_build_binary(&b, &arith_shli, value, arith_build_int(&b, words, bits)) : value;
}

/* The product of what was shifted to the left before is shifted to the right by a word: its high half. */
static void narrow_product(narrower *n, pm_op *op, pm_op *product, int64_t bits[2]) {
  pm_context *ctx = pm_op_context(op);
  pm_type words = pm_get_scalar(ctx, PM_I16), wide = pm_get_scalar(ctx, PM_I32);
  pm_builder b = pm_builder_before(op);
  pm_value *factors[2];
  for (unsigned i = 0; i < 2; i++)
    factors[i] = arith_build_cast(&b, shifted(n, op, pm_arg(product, i), bits[i]), wide);
  pm_value *high = pm_build_binary(&b, &arith_muli, factors[0], factors[1]);
  high = pm_build_binary(&b, &arith_shri, high, arith_build_int(&b, wide, 16));
  pm_value *replaced = arith_build_cast(&b, arith_build_cast(&b, high, words), pm_res(op, 0)->type);
  retire(n, op, replaced);
}

/* The product has more than 16 bits, its factors have fewer, and what is left of it has 16. */
static bool is_high_half(const narrower *n, const pm_op *op, pm_op **product, int64_t bits[2]) {
  int64_t shift = shift_of(op);
  *product = shift ? pm_def(pm_arg(op, 0)) : NULL;
  if (!pm_is(*product, &arith_muli) || pm_is_index(pm_res(*product, 0)->type) ||
      pm_res(*product, 0)->type->cls != PM_TYPE_SCALAR)
    return false;
  if (!loop_changes_in(pm_res(*product, 0), n->loop) || !loop_is_exact(n->ranges, pm_res(*product, 0)) ||
      fits(n, pm_res(*product, 0), PM_I16) || fits(n, pm_res(*product, 0), PM_U16))
    return false;
  int64_t first = room_of(n, pm_arg(*product, 0)), second = room_of(n, pm_arg(*product, 1));
  if (first < 0 || second < 0 || first + second < 16 - shift) return false;
  bits[0] = first < 16 - shift ? first : 16 - shift;
  bits[1] = 16 - shift - bits[0];
  return true;
}

/* --- halves of sums --- */

typedef struct half {
  pm_op *sum;
  pm_value *of[2];
  pm_type type;
  bool plus_one;  /* of a sum that is larger by one */
  bool truncates; /* and may be negative */
} half;

static bool halves(const pm_op *op) {
  pm_attr by = pm_is(op, &arith_trunc_div) ? pm_constant_value(pm_arg(op, 1)) : NULL;
  return by ? by->i == 2 : shift_of(op) == 1;
}

/* A sum in the loop that never wraps; else NULL. */
static pm_op *sum_of(const narrower *n, const pm_value *value) {
  pm_op *sum = pm_def(value);
  bool scalar = pm_is(sum, &arith_addi) && value->type->cls == PM_TYPE_SCALAR && !pm_is_index(value->type);
  return scalar && loop_changes_in(value, n->loop) && loop_is_exact(n->ranges, value) ? sum : NULL;
}

/* It is what the type of 16 bits holds, and can be had in it. */
static bool is_word(const narrower *n, const pm_value *value, pm_scalar scalar) {
  if (is_constant_in(n, value)) return fits(n, value, scalar);
  const pm_value *source = source_of(value);
  return source && fits(n, source, (pm_scalar)value->type->scalar) && fits(n, source, scalar);
}

static bool is_half_of_words(const narrower *n, const pm_op *op, half *h) {
  *h = (half){.sum = halves(op) ? sum_of(n, pm_arg(op, 0)) : NULL};
  if (!h->sum || fits(n, pm_res(h->sum, 0), PM_I16) || fits(n, pm_res(h->sum, 0), PM_U16)) return false;
  h->truncates = pm_is(op, &arith_trunc_div) && loop_range_of(n->ranges, pm_res(h->sum, 0)).lo < 0;
  pm_attr one = pm_constant_value(pm_arg(h->sum, 1));
  pm_op *other = one && one->i == 1 ? sum_of(n, pm_arg(h->sum, 0)) : NULL;
  h->plus_one = other != NULL;
  for (unsigned i = 0; i < 2; i++) h->of[i] = pm_arg(other ? other : h->sum, i);
  bool signs = is_word(n, h->of[0], PM_I16) && is_word(n, h->of[1], PM_I16);
  bool plain = !h->plus_one && is_word(n, h->of[0], PM_U16) && is_word(n, h->of[1], PM_U16);
  h->type = pm_get_scalar(pm_op_context(op), signs ? PM_I16 : PM_U16);
  return signs || plain;
}

/* H. S. Warren, Hacker's Delight, 2-5: a + b is 2 (a & b) + (a ^ b), and 2 (a | b) - (a ^ b). */
static void narrow_half(narrower *n, pm_op *op, const half *h) {
  pm_builder b = pm_builder_before(op);
  pm_value *first = in_type(n, &b, h->of[0], h->type), *second = in_type(n, &b, h->of[1], h->type);
  pm_value *differs = pm_build_binary(&b, &arith_xori, first, second);
  pm_value *both = pm_build_binary(&b, h->plus_one ? &arith_ori : &arith_andi, first, second);
  pm_value *rest = pm_build_binary(&b, &arith_shri, differs, arith_build_int(&b, h->type, 1));
  pm_value *down = pm_build_binary(&b, h->plus_one ? &arith_subi : &arith_addi, both, rest);
  if (h->truncates) { /* one more where it is negative and the sum was odd */
    pm_type plain = pm_get_scalar(pm_op_context(op), PM_U16);
    pm_value *odd = differs, *sign = arith_build_cast(&b, down, plain);
    if (h->plus_one) odd = pm_build_binary(&b, &arith_xori, odd, arith_build_int(&b, h->type, -1));
    sign = pm_build_binary(&b, &arith_shri, sign, arith_build_int(&b, plain, 15));
    sign = pm_build_binary(&b, &arith_andi, sign, arith_build_cast(&b, odd, plain));
    down = pm_build_binary(&b, &arith_addi, down, arith_build_cast(&b, sign, h->type));
  }
  pm_value *replaced = arith_build_cast(&b, down, pm_res(op, 0)->type);
  retire(n, op, replaced);
}

static void narrow_wide(narrower *n) {
  int64_t bits[2];
  half h;
  pm_region *body = pm_region_at(n->loop, loop_for_body);
  for (pm_op *op = body->first, *next, *product; op; op = next) {
    next = op->next;
    bool is_product = is_high_half(n, op, &product, bits);
    if (is_product)
      narrow_product(n, op, product, bits);
    else if (is_half_of_words(n, op, &h))
      narrow_half(n, op, &h);
    else
      continue;
    n->changed++;
  }
}

static void narrow_loop(narrower *n) {
  n->types = pm_map_new();
  n->low = pm_map_new();
  find_low(n);
  pm_walk_pre(n->loop, choose, n);
  leave_single(n);
  for (size_t i = 0; i < n->ops.len; i++) {
    pm_type type = pm_map_get(n->types, n->ops.data[i]);
    if (type) narrow(n, n->ops.data[i], type);
  }
  pm_map_free(n->types);
  pm_map_free(n->low);
  PM_VEC_FREE(n->ops);
}

pm_result pass_narrow_integers(pm_pass *pass) {
  narrower n = {.ranges = pm_pass_analysis(pass, &loop_ranges_analysis),
                .of_wide = pm_map_new(),
                .all = pm_opt_bool(pass, narrow_integers_opt_all)};
  loop_list loops = {0};
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) {
    n.loop = loops.data[i];
    narrow_wide(&n);
  }
  erase_dead(&n);
  loop_ranges *found = n.changed ? loop_find_ranges(pm_pass_root(pass), NULL, 0) : NULL;
  if (found) n.ranges = found;
  for (size_t i = 0; i < loops.len && (n.all || found); i++) {
    n.loop = loops.data[i];
    narrow_loop(&n);
  }
  loop_ranges_free(found);
  pm_map_free(n.of_wide);
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "integers narrowed", n.changed);
  return n.changed ? PM_CHANGED : PM_UNCHANGED;
}
