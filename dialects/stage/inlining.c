#include "dialects/stage/inlining.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/index_function.h"

#include <stdlib.h>
#include <string.h>

/* --- may it be --- */

bool stage_reads_own_point(const pm_op *read) {
  const pm_region *body = pm_region_at(pm_parent_of(read, &stage_case), stage_case_body);
  pm_affine_map map = pm_attr_at(read, stage_read_map)->map;
  if (map->n_results != body->n_args) return false;
  for (uint32_t i = 0; i < map->n_results; i++) {
    if (map->results[i]->kind != PM_AFFINE_DIM) return false;
    if (pm_arg(read, (unsigned)map->results[i]->value) != body->args[i]) return false;
  }
  return true;
}

static bool is_disjoint_from_cases(const stage_node *producer, isl_set *image) {
  for (size_t i = 0; i < producer->cases.len; i++)
    if (isl_set_is_disjoint(image, producer->cases.data[i].set) != isl_bool_true) return false;
  return linear_decide_subset(image, producer->domain);
}

bool stage_find_source(const stage_node *producer, isl_set *image, const stage_case_info **source) {
  for (size_t i = 0; i < producer->cases.len; i++) {
    *source = &producer->cases.data[i];
    if (!stage_has_guard((*source)->op) && linear_decide_subset(image, (*source)->set)) return true;
  }
  *source = NULL;
  return is_disjoint_from_cases(producer, image);
}

bool stage_source_of(const stage_access *access, const stage_case_info **source) {
  isl_set *points = isl_set_copy(access->consumer->cases.data[access->case_index].set);
  points = isl_set_apply(points, isl_map_copy(access->relation));
  bool found = access->affine && stage_find_source(access->producer, points, source);
  isl_set_free(points);
  return found;
}

bool stage_same_point(const pm_op *a, const pm_op *b) {
  if (pm_attr_at(a, stage_read_map) != pm_attr_at(b, stage_read_map) || a->n_operands != b->n_operands)
    return false;
  for (unsigned i = 0; i < a->n_operands; i++)
    if (pm_arg(a, i) != pm_arg(b, i)) return false;
  return true;
}

/* Of the stage's readers, those before number `i` in the same case read the same point. */
static bool is_repeated(const stage_node *stage, size_t i) {
  const stage_access *access = stage->readers.data[i];
  for (size_t k = 0; k < i; k++) {
    const stage_access *before = stage->readers.data[k];
    if (before->consumer == access->consumer && before->case_index == access->case_index &&
        stage_same_point(before->read, access->read))
      return true;
  }
  return false;
}

static unsigned points_in_case(const stage_node *stage, const stage_node *reader, int case_index) {
  unsigned n = 0;
  for (size_t i = 0; i < stage->readers.len; i++) {
    const stage_access *access = stage->readers.data[i];
    n += access->consumer == reader && access->case_index == case_index && !is_repeated(stage, i);
  }
  return n;
}

unsigned stage_points_made_again(const stage_node *stage, const stage_node *reader) {
  unsigned most = 0;
  if (stage->is_input || stage->updates.len || stage->self_reads.len) return 0;
  for (size_t i = 0; i < stage->readers.len; i++) {
    const stage_access *access = stage->readers.data[i];
    const stage_case_info *source;
    if (access->consumer != reader) continue;
    if (access->case_index < 0 || !stage_source_of(access, &source)) return 0;
  }
  for (size_t i = 0; i < reader->cases.len; i++) {
    unsigned n = points_in_case(stage, reader, (int)i);
    most = n > most ? n : most;
  }
  return most;
}

/* --- substitution --- */

/* The expression of one case in place of one read. */
typedef struct substitution {
  pm_builder builder; /* before the read */
  const pm_op *read;
  pm_region *from; /* the body of the producer's case */
  pm_map *mapping; /* values of `from` -> values of the consumer; arguments once they were made */
} substitution;

static bool is_argument_of(const pm_value *value, const pm_region *region) {
  return pm_is_arg(value) && pm_value_region(value) == region;
}

static pm_affine_expr index_of_argument(const substitution *s, const pm_value *argument) {
  return pm_attr_at(s->read, stage_read_map)->map->results[pm_value_index(argument)];
}

/* The value of an affine expression over the operands of the read, as an index. */
static pm_value *build_affine(substitution *s, pm_affine_expr expr) {
  pm_builder *b = &s->builder;
  if (expr->kind == PM_AFFINE_CONST) return arith_build_index(b, expr->value);
  if (expr->kind == PM_AFFINE_DIM)
    return arith_build_cast(b, pm_arg(s->read, (unsigned)expr->value), pm_get_index(expr->ctx));
  pm_value *lhs = build_affine(s, expr->lhs), *rhs = build_affine(s, expr->rhs);
  switch (expr->kind) {
  case PM_AFFINE_ADD:
    return pm_build_binary(b, &arith_addi, lhs, rhs);
  case PM_AFFINE_MUL:
    return pm_build_binary(b, &arith_muli, lhs, rhs);
  case PM_AFFINE_FLOORDIV:
    return pm_build_binary(b, &arith_divi, lhs, rhs);
  case PM_AFFINE_CEILDIV:
    lhs = pm_build_binary(b, &arith_addi, lhs, arith_build_index(b, expr->rhs->value - 1));
    return pm_build_binary(b, &arith_divi, lhs, rhs);
  default:
    return pm_build_binary(b, &arith_remi, lhs, rhs);
  }
}

/* What stands for a value of the producer's body in the consumer. */
static pm_value *mapped_value(substitution *s, pm_value *value) {
  if (pm_map_has(s->mapping, value)) return pm_map_get(s->mapping, value);
  if (!is_argument_of(value, s->from)) return value;
  pm_value *made = build_affine(s, index_of_argument(s, value));
  pm_map_set(s->mapping, value, made);
  return made;
}

typedef struct composed_read {
  PM_VEC(pm_value *) values; /* of the dims of `results` */
  PM_VEC(pm_affine_expr) results;
} composed_read;

/* The index functions of `inner` over the read's operands and the other values that `inner` uses. */
static void compose(substitution *s, const pm_op *inner, composed_read *out) {
  pm_affine_map map = pm_attr_at(inner, stage_read_map)->map;
  pm_affine_expr *dims = pm_xcalloc(inner->n_operands + 1u, sizeof(pm_affine_expr));
  for (unsigned i = 0; i < s->read->n_operands; i++) PM_VEC_PUSH(out->values, pm_arg(s->read, i));
  for (unsigned i = 0; i < inner->n_operands; i++) {
    pm_value *operand = pm_arg(inner, i);
    if (is_argument_of(operand, s->from)) {
      dims[i] = index_of_argument(s, operand);
      continue;
    }
    dims[i] = pm_affine_dim(map->ctx, (uint32_t)out->values.len);
    PM_VEC_PUSH(out->values, mapped_value(s, operand));
  }
  for (uint32_t i = 0; i < map->n_results; i++)
    PM_VEC_PUSH(out->results, pm_affine_normalize(pm_affine_substitute(map->results[i], dims, NULL)));
  free(dims);
}

/* Equal values are one dim in the sums. */
static void merge_equal_values(pm_context *ctx, composed_read *c) {
  pm_affine_expr *first = pm_xcalloc(c->values.len + 1, sizeof(pm_affine_expr));
  for (size_t i = 0; i < c->values.len; i++) {
    size_t k = 0;
    while (c->values.data[k] != c->values.data[i]) k++;
    first[i] = pm_affine_dim(ctx, (uint32_t)k);
  }
  for (size_t i = 0; i < c->results.len; i++)
    c->results.data[i] = pm_affine_normalize(pm_affine_substitute(c->results.data[i], first, NULL));
  free(first);
}

/* With the results of `inner`. */
static pm_op *build_read_of_type(substitution *s, const pm_op *inner, pm_value *const *operands, unsigned n,
                                 pm_attr *attrs) {
  pm_type *types = pm_xcalloc(inner->n_results + 1u, sizeof *types);
  for (unsigned i = 0; i < inner->n_results; i++) types[i] = pm_res(inner, i)->type;
  pm_op *read = pm_build(&s->builder, &stage_read, operands, n, types, inner->n_results, attrs);
  pm_set_extra(read, pm_extra(inner));
  read->loc = inner->loc;
  for (unsigned i = 0; i < inner->n_results; i++) pm_res(read, i)->name = pm_res(inner, i)->name;
  free(types);
  return read;
}

static pm_op *build_read(substitution *s, const pm_op *inner, composed_read *c) {
  pm_context *ctx = pm_op_context(inner);
  merge_equal_values(ctx, c);
  stage_operands operands = {0};
  pm_affine_map map = stage_map_over(ctx, c->values.data, c->values.len, c->results.data,
                                     (unsigned)c->results.len, &operands);
  pm_attr attrs[stage_read_N_ATTRS];
  memcpy(attrs, pm_attrs(inner), sizeof(attrs));
  attrs[stage_read_map] = pm_get_map_attr(map);
  pm_op *read = build_read_of_type(s, inner, operands.data, (unsigned)operands.len, attrs);
  PM_VEC_FREE(operands);
  return read;
}

static void substitute_read(substitution *s, pm_op *inner) {
  composed_read composed = {0};
  compose(s, inner, &composed);
  const pm_op *read = build_read(s, inner, &composed);
  for (unsigned i = 0; i < inner->n_results; i++) pm_map_set(s->mapping, pm_res(inner, i), pm_res(read, i));
  PM_VEC_FREE(composed.values);
  PM_VEC_FREE(composed.results);
}

static void substitute_op(substitution *s, pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) mapped_value(s, pm_arg(op, i));
  pm_insert(s->builder.region, s->builder.before, pm_clone(pm_module_of(op), op, s->mapping));
}

/* Gives what the case yields. */
static void substitute_body(substitution *s, pm_value **values) {
  PM_FOR_OPS(op, s->from) {
    if (pm_is(op, &stage_read))
      substitute_read(s, op);
    else if (!pm_is(op, &stage_yield))
      substitute_op(s, op);
  }
  const pm_op *yield = pm_terminator(s->from);
  for (unsigned i = 0; i < yield->n_operands; i++) values[i] = mapped_value(s, pm_arg(yield, i));
}

static void build_default(pm_builder *b, const stage_node *producer, pm_value **values) {
  for (unsigned i = 0; i < pm_tuple_len(producer->type); i++)
    values[i] = arith_build_constant(b, stage_default_at(producer->op, i));
}

void stage_inline_read(pm_op *read, const stage_node *producer, const stage_case_info *source) {
  substitution s = {pm_builder_before(read), read, NULL, pm_map_new()};
  pm_value **values = pm_xcalloc(pm_tuple_len(producer->type), sizeof *values);
  if (source) {
    s.from = pm_region_at(source->op, stage_case_body);
    substitute_body(&s, values);
  } else {
    build_default(&s.builder, producer, values);
  }
  pm_map_free(s.mapping);
  pm_replace_op(read, values);
  free(values);
}

/* --- equal ops of a body --- */

typedef PM_VEC(const void *) op_key;

/* Pure for the purposes of one case: stages do not change while a point is computed. */
static bool is_pure(const pm_op *op) {
  return op->n_regions == 0 && op->n_results > 0 && (pm_has_trait(op, PM_PURE) || pm_is(op, &stage_read));
}

static void put_operands(op_key *key, const pm_op *op) {
  size_t first = key->len;
  for (unsigned i = 0; i < op->n_operands; i++) PM_VEC_PUSH(*key, (const void *)pm_arg(op, i));
  if (!pm_has_trait(op, PM_COMMUTES) || (uintptr_t)key->data[first] <= (uintptr_t)key->data[first + 1])
    return;
  const void *swapped = key->data[first];
  key->data[first] = key->data[first + 1];
  key->data[first + 1] = swapped;
}

/* Ops with equal keys compute the same. */
static void make_key(const pm_op *op, op_key *key) {
  key->len = 0;
  PM_VEC_PUSH(*key, (const void *)op->desc);
  PM_VEC_PUSH(*key, (const void *)pm_extra(op));
  for (unsigned i = 0; i < op->desc->n_attrs; i++) PM_VEC_PUSH(*key, (const void *)pm_attr_at(op, i));
  for (unsigned i = 0; i < op->n_results; i++) PM_VEC_PUSH(*key, (const void *)pm_res(op, i)->type);
  put_operands(key, op);
}

typedef struct op_table {
  pm_op **slots;
  size_t mask;
  op_key key, other;
} op_table;

/* An equal op that was seen before, or NULL, and then `op` is entered. */
static pm_op *find_or_enter(op_table *table, pm_op *op) {
  make_key(op, &table->key);
  size_t bytes = table->key.len * sizeof(const void *);
  size_t at = (size_t)pm_hash_bytes(table->key.data, bytes, 0) & table->mask;
  for (; table->slots[at]; at = (at + 1) & table->mask) {
    make_key(table->slots[at], &table->other);
    if (table->other.len == table->key.len && memcmp(table->other.data, table->key.data, bytes) == 0)
      return table->slots[at];
  }
  table->slots[at] = op;
  return NULL;
}

static void merge_equal_ops(pm_region *body) {
  size_t n = 0, size = 16;
  PM_FOR_OPS(op, body) n++;
  while (size < 2 * n) size *= 2;
  op_table table = {pm_xcalloc(size, sizeof(pm_op *)), size - 1, {0}, {0}};
  PM_FOR_OPS(op, body) {
    pm_op *equal = is_pure(op) ? find_or_enter(&table, op) : NULL;
    if (!equal) continue;
    for (unsigned i = 0; i < op->n_results; i++) pm_replace_uses(pm_res(op, i), pm_res(equal, i));
    pm_op_erase(op);
  }
  free(table.slots);
  PM_VEC_FREE(table.key);
  PM_VEC_FREE(table.other);
}

static void erase_unused_ops(pm_region *body) {
  for (pm_op *op = body->last, *before; op; op = before) {
    before = pm_prev(op);
    bool used = !is_pure(op);
    for (unsigned i = 0; i < op->n_results; i++) used = used || !pm_unused(pm_res(op, i));
    if (!used) pm_op_erase(op);
  }
}

void stage_tidy_body(pm_region *body) {
  merge_equal_ops(body);
  erase_unused_ops(body);
}
