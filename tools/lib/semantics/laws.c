#include "tools/lib/semantics/laws.h"

#include "dialects/arith/arith.h"
#include "dialects/arith/call.h"
#include "dialects/loop/loop.h"
#include "ir/diag.h"
#include "ir/lanes.h"
#include "ir/rewrite.h"
#include "ir/verify.h"
#include "tools/lib/semantics/law_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEAVES = 6, MOST_CHOICES = 16, MOST_SAMPLES = 8, N_LANES = 65536, N_FEW = 4096 };

/* One of several scalar types, each in its turn. */
typedef struct choice {
  unsigned at, n;
} choice;

/* A name of the law, and its value in the typing at hand. */
typedef struct leaf {
  pm_string name;
  bool is_constant;
  pm_value *value;
  pm_attr number;  /* of a constant */
  unsigned sample; /* its number */
} leaf;

typedef struct checker {
  pm_context *ctx;
  const pm_op_desc *on;
  const pm_rule *rule;
  pm_law law;
  /* the typing at hand */
  choice choices[MOST_CHOICES];
  unsigned n_choices, next_choice;
  bool is_done; /* no typing is left */
  leaf leaves[MOST_LEAVES];
  unsigned n_leaves;
  pm_module *module; /* of the law */
  pm_op *func;
  pm_builder b;
  pm_map *built; /* pm_term -> its pm_value */
  pm_op *yield;  /* uses the left side */
  /* results */
  int64_t typings, rights; /* in which the rule applied; of these, in which the right side was built */
  bool failed;
} checker;

/* --- choices: all combinations, the last one first --- */

static unsigned choose(checker *c, unsigned n) {
  if (c->next_choice == MOST_CHOICES) return 0;
  choice *now = &c->choices[c->next_choice++];
  if (c->next_choice > c->n_choices) {
    *now = (choice){0, n};
    c->n_choices++;
  }
  return now->at;
}

static void go_on(checker *c) {
  c->n_choices = c->next_choice;
  while (c->n_choices && c->choices[c->n_choices - 1].at + 1 >= c->choices[c->n_choices - 1].n)
    c->n_choices--;
  if (c->n_choices)
    c->choices[c->n_choices - 1].at++;
  else
    c->is_done = true;
}

/* --- building a side --- */

static pm_value *build(checker *c, const pm_term *t, pm_type wanted);

static leaf *find_leaf(checker *c, const pm_term *t) {
  for (unsigned i = 0; i < c->n_leaves; i++)
    if (c->leaves[i].name == t->name) return &c->leaves[i];
  if (c->n_leaves == MOST_LEAVES) return NULL;
  c->leaves[c->n_leaves] = (leaf){.name = t->name, .is_constant = t->kind == PM_TERM_CONSTANT};
  return &c->leaves[c->n_leaves++];
}

static pm_attr number_attr(pm_type type, int64_t number) {
  pm_lane lane = {.i = 0};
  pm_scalar scalar = (pm_scalar)type->scalar;
  if (scalar == PM_F64)
    lane.d = (double)number;
  else if (pm_get_scalar_info(scalar)->is_float)
    lane.f = (float)number;
  else
    lane.i = number;
  return pm_attr_of_lane(type, lane);
}

/* The same few numbers in every type, with its ends. */
static pm_attr sample_attr(pm_type type, unsigned sample) {
  const pm_scalar_info *info = pm_get_scalar_info((pm_scalar)type->scalar);
  static const int64_t numbers[MOST_SAMPLES] = {0, 1, 2, -1, 7, -100, 0, 0};
  if (sample < 6 && (info->is_signed || info->is_float || numbers[sample] >= 0))
    return number_attr(type, info->bits == 1 ? numbers[sample] & 1 : numbers[sample]);
  if (info->is_float) return number_attr(type, sample & 1 ? 1000 : -3);
  int64_t most =
      info->bits >= 64 ? INT64_MAX : (int64_t)(((uint64_t)1 << (info->bits - info->is_signed)) - 1);
  return number_attr(type, sample & 1 || !info->is_signed ? most : -most - 1);
}

static pm_value *build_constant(checker *c, pm_attr attr) {
  return arith_build_constant(&c->b, attr);
}

static pm_value *build_leaf(checker *c, const pm_term *t, pm_type wanted) {
  leaf *l = find_leaf(c, t);
  if (!l) return NULL;
  if (l->value) return l->value;
  if (l->is_constant) {
    if (!wanted) return NULL;
    l->number = sample_attr(wanted, l->sample);
    return l->value = build_constant(c, l->number);
  }
  pm_type type = wanted ? wanted : pm_get_scalar(c->ctx, (pm_scalar)choose(c, PM_N_SCALARS));
  return l->value = loop_build_param(&c->b, t->name, type);
}

static const pm_op_desc *desc_named(checker *c, pm_string name) {
  pm_buf full = {0};
  const char *dot = strchr(c->on->name, '.');
  pm_buf_printf(&full, "%.*s.%s", (int)(dot - c->on->name), c->on->name, name->text);
  const pm_op_desc *desc = pm_find_op_desc(c->ctx, pm_str_of(full.data));
  full.len = 0;
  pm_buf_printf(&full, "arith.%s", name->text);
  if (!desc) desc = pm_find_op_desc(c->ctx, pm_str_of(full.data));
  pm_buf_free(&full);
  return desc;
}

static const pm_op_desc *desc_of(checker *c, const pm_term *t, pm_type operand) {
  static const char signs[] = "+-*";
  static const pm_op_desc *const ops[][2] = {
      {&arith_addi, &arith_addf}, {&arith_subi, &arith_subf}, {&arith_muli, &arith_mulf}};
  return t->infix ? ops[strchr(signs, t->infix) - signs][pm_is_float(operand)] : desc_named(c, t->name);
}

/* Constants get their types from the others. */
static bool is_typed(const pm_term *t) {
  return t->kind != PM_TERM_CONSTANT && t->kind != PM_TERM_NUMBER;
}

static bool is_of_one_type(const pm_term *t, const pm_op_desc *desc) {
  return t->infix || (desc->traits & (PM_SAME_TYPE | PM_SAME_OPERANDS));
}

/* The operands that have types of their own first. */
static bool build_args(checker *c, const pm_term *t, bool one_type, pm_type wanted, pm_value **args) {
  for (unsigned round = 0; round < 2; round++)
    for (unsigned i = 0; i < t->n_args; i++) {
      if (is_typed(t->args[i]) == (round == 1)) continue;
      if (!(args[i] = build(c, t->args[i], one_type ? wanted : NULL))) return false;
      wanted = args[i]->type;
    }
  return true;
}

/* One of the result types with which the op verifies; NULL: there is none. */
static pm_op *build_choice(checker *c, const pm_op_desc *desc, pm_value *const *args, unsigned n_args) {
  pm_op *ops[PM_N_SCALARS];
  unsigned n = 0;
  for (unsigned scalar = 0; scalar < PM_N_SCALARS; scalar++) {
    pm_type result = pm_get_scalar(c->ctx, (pm_scalar)scalar);
    pm_op *op = pm_build(&c->b, desc, args, n_args, &result, 1, NULL);
    if (pm_verify(op))
      ops[n++] = op;
    else
      pm_op_erase(op);
  }
  unsigned chosen = n > 1 ? choose(c, n) : 0;
  for (unsigned i = 0; i < n; i++)
    if (i != chosen) pm_op_erase(ops[i]);
  return n ? ops[chosen] : NULL;
}

static pm_value *build_op(checker *c, const pm_term *t, pm_type wanted) {
  const pm_op_desc *known = t->infix ? NULL : desc_named(c, t->name);
  pm_value *args[PM_TERM_MOST];
  if (!t->infix && (!known || known->n_results != 1 || !known->kernel)) return NULL;
  bool less = t->kind == PM_TERM_LESS, same = !less && (t->infix || (known->traits & PM_SAME_TYPE));
  if (!build_args(c, t, is_of_one_type(t, known), same ? wanted : NULL, args)) return NULL;
  if (less) return arith_build_cmp(&c->b, ARITH_LT, args[0], args[1]);
  const pm_op_desc *desc = desc_of(c, t, args[0]->type);
  pm_type result = same ? args[0]->type : wanted;
  pm_op *op = result ? pm_build(&c->b, desc, args, t->n_args, &result, 1, NULL)
                     : build_choice(c, desc, args, t->n_args);
  return op && (!result || pm_verify(op)) ? pm_res(op, 0) : NULL;
}

/* NULL: it has no such type. */
static pm_value *build(checker *c, const pm_term *t, pm_type wanted) {
  pm_value *value = NULL;
  switch (t->kind) {
  case PM_TERM_VALUE:
  case PM_TERM_CONSTANT:
    value = build_leaf(c, t, wanted);
    break;
  case PM_TERM_NUMBER:
    value = wanted ? build_constant(c, number_attr(wanted, t->number)) : NULL;
    break;
  default:
    value = pm_map_get(c->built, t);
    if (!value) value = build_op(c, t, wanted);
    if (value) pm_map_set(c->built, t, value);
  }
  return value && (!wanted || value->type == wanted) ? value : NULL;
}

/* --- computing --- */

/* The lanes of values, each computed once. */
typedef struct lanes {
  pm_arena *arena;
  pm_map *of; /* pm_value -> pm_lane *, n of them */
  size_t n;
} lanes;

/* Value number `i` of leaf number `k` of `n`: all of a type of 8 bits in turn, else something of that type.
 */
static pm_lane sample_lane(pm_type type, size_t i, unsigned k) {
  pm_scalar scalar = (pm_scalar)type->scalar;
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  uint64_t key[2] = {i, k}, random = pm_hash_bytes(key, sizeof key, 0);
  uint64_t digits = info->bits <= 8 ? i >> (8 * (k & 1)) : i % 16 < 4 ? random & 7 : random;
  if (info->is_float) return pm_lane_of_attr(number_attr(type, (int64_t)(digits % 2001) - 1000));
  pm_lane lane = {.i = (int64_t)digits};
  unsigned unused = 64 - info->bits;
  if (unused)
    lane.i = info->is_signed ? (int64_t)(digits << unused) >> unused : (int64_t)(digits << unused >> unused);
  return lane;
}

static pm_lane *new_lanes(lanes *l, const pm_value *value) {
  pm_lane *of = pm_arena_alloc(l->arena, l->n * sizeof *of);
  pm_map_set(l->of, value, of);
  return of;
}

static const pm_lane *lanes_of(lanes *l, pm_value *value) {
  pm_lane *known = pm_map_get(l->of, value);
  if (known) return known;
  pm_op *op = pm_def(value);
  const pm_lane *args[PM_TERM_MOST];
  pm_attr constant = pm_constant_value(value);
  for (unsigned i = 0; !constant && i < op->n_operands && i < PM_TERM_MOST; i++)
    args[i] = lanes_of(l, pm_arg(op, i));
  pm_lane *of = new_lanes(l, value);
  if (!constant) {
    pm_eval_lanes(op, args, of, l->n);
    return of;
  }
  for (size_t i = 0; i < l->n; i++) of[i] = pm_lane_of_attr(constant);
  return of;
}

static void free_lanes(lanes *l) {
  pm_map_free(l->of);
  pm_arena_free(l->arena);
}

/* `copies` has the values of the leaves in a copy, or is NULL. */
static lanes begin_lanes(const checker *c, const pm_map *copies) {
  lanes l = {.arena = pm_arena_new(), .of = pm_map_new(), .n = N_FEW};
  unsigned n_values = 0, n_narrow = 0;
  for (unsigned k = 0; k < c->n_leaves; k++) {
    if (c->leaves[k].is_constant) continue;
    n_values++;
    n_narrow += pm_get_scalar_info((pm_scalar)c->leaves[k].value->type->scalar)->bits <= 8;
  }
  if (n_narrow == n_values) l.n = n_values == 1 ? 256 : N_LANES;
  for (unsigned k = 0; k < c->n_leaves; k++) {
    if (c->leaves[k].is_constant) continue;
    const pm_value *value = c->leaves[k].value;
    pm_lane *of = new_lanes(&l, copies ? pm_map_get(copies, value) : value);
    for (size_t i = 0; i < l.n; i++) of[i] = sample_lane(c->leaves[k].value->type, i, k);
  }
  return l;
}

static bool is_nan(pm_type type, pm_lane lane) {
  pm_scalar scalar = (pm_scalar)type->scalar;
  return scalar == PM_F64 ? isnan(lane.d) : pm_get_scalar_info(scalar)->is_float && isnan(lane.f);
}

/* NaNs are equal; zeros of both signs are not. */
static bool is_same(pm_type type, pm_lane a, pm_lane b) {
  pm_scalar scalar = (pm_scalar)type->scalar;
  if (is_nan(type, a) && is_nan(type, b)) return true;
  if (scalar == PM_F64) return memcmp(&a.d, &b.d, sizeof a.d) == 0;
  return pm_get_scalar_info(scalar)->is_float ? memcmp(&a.f, &b.f, sizeof a.f) == 0 : a.i == b.i;
}

/* --- what is said --- */

static void put_lane(pm_buf *out, pm_type type, pm_lane lane) {
  pm_format(out, "%pA", (const void *)pm_attr_of_lane(type, lane));
}

/* What the left side computes. */
typedef struct expected {
  pm_type type;
  const pm_lane *lanes;
  const bool *open; /* by lane: it has the bits of a NaN, which may be any */
} expected;

/* The values at which the sides differ. */
static void refute(checker *c, lanes *l, size_t i, const char *who, const expected *left, pm_lane got) {
  pm_buf text = {0};
  for (unsigned k = 0; k < c->n_leaves; k++) {
    const leaf *of = &c->leaves[k];
    if (!of->value) continue;
    pm_buf_printf(&text, "%s%s = ", k ? ", " : "", of->name->text);
    put_lane(&text, of->value->type,
             of->is_constant ? pm_lane_of_attr(of->number) : lanes_of(l, of->value)[i]);
  }
  pm_buf_puts(&text, " the left side is ");
  put_lane(&text, left->type, left->lanes[i]);
  pm_buf_printf(&text, ", and %s ", who);
  put_lane(&text, left->type, got);
  c->failed = true;
  pm_error(c->ctx, PM_NO_LOC, "the law of the rule '%s' of '%s', %s, does not hold: for %s", c->rule->name,
           c->on->name, c->rule->law, text.data);
  pm_buf_free(&text);
}

/* The first lane that differs; l->n: none. */
static size_t find_difference(const lanes *l, const expected *left, const pm_lane *other) {
  for (size_t i = 0; i < l->n; i++)
    if (!is_same(left->type, left->lanes[i], other[i]) && !left->open[i]) return i;
  return l->n;
}

/* --- one typing --- */

/* The right side in some typing computes the same; a typing that only the rule's code knows is any. */
static void check_right(checker *c, lanes *l, const expected *left) {
  choice outer[MOST_CHOICES];
  unsigned n_outer = c->n_choices, next = c->next_choice;
  memcpy(outer, c->choices, sizeof outer);
  const pm_lane *last = NULL;
  size_t at = 0;
  c->n_choices = 0;
  for (c->is_done = false; !c->is_done && at < l->n; go_on(c)) {
    c->next_choice = 0;
    pm_map_clear(c->built);
    pm_value *right = build(c, c->law.right, left->type);
    if (!right) continue;
    last = lanes_of(l, right);
    at = find_difference(l, left, last);
  }
  memcpy(c->choices, outer, sizeof outer);
  c->n_choices = n_outer;
  c->next_choice = next;
  c->is_done = false;
  c->rights += last != NULL;
  if (last && at < l->n) refute(c, l, at, "the right side", left, last[at]);
}

/* Those that the left side has used alone are gone. */
static void renew_constants(checker *c) {
  c->b.before = NULL;
  for (unsigned k = 0; k < c->n_leaves; k++)
    if (c->leaves[k].is_constant && c->leaves[k].value)
      c->leaves[k].value = build_constant(c, c->leaves[k].number);
}

/* Lanes at which the bits of a NaN are read. */
static const bool *find_open(lanes *l, const pm_op *func) {
  bool *open = pm_arena_alloc(l->arena, l->n * sizeof *open);
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (!pm_is(op, &arith_bitcast) || !pm_map_has(l->of, pm_arg(op, 0))) continue;
    const pm_lane *of = lanes_of(l, pm_arg(op, 0));
    for (size_t i = 0; i < l->n; i++) open[i] = open[i] || is_nan(pm_arg(op, 0)->type, of[i]);
  }
  return open;
}

/* The rewritten function beside the left side, which a copy of it has. */
static void compare_sides(checker *c, const pm_op *copy, pm_value *left, const pm_map *copies) {
  lanes before = begin_lanes(c, copies);
  expected want = {.type = left->type, .lanes = lanes_of(&before, left)};
  want.open = find_open(&before, copy);
  renew_constants(c);
  lanes l = begin_lanes(c, NULL);
  const pm_lane *made = lanes_of(&l, pm_arg(c->yield, 0));
  size_t at = find_difference(&l, &want, made);
  if (at < l.n)
    refute(c, &l, at, "the rule makes", &want, made[at]);
  else
    check_right(c, &l, &want);
  free_lanes(&l);
  free_lanes(&before);
}

static void refute_type(checker *c, pm_type left, pm_type made) {
  c->failed = true;
  pm_error(c->ctx, PM_NO_LOC, "the rule '%s' of '%s', %s, makes a value of type %pT of one of type %pT",
           c->rule->name, c->on->name, c->rule->law, (const void *)made, (const void *)left);
}

/* The rule applied to the left side; it may leave it alone. */
static void check_typing(checker *c, pm_value *left) {
  const pm_greedy_config config = {.materialize = arith_materialize, .rules = true, .only = c->rule};
  c->yield = pm_build(&c->b, &loop_yield, &left, 1, NULL, 0, NULL);
  pm_map *copies = pm_map_new();
  pm_op *copy = pm_clone(c->module, c->func, copies);
  pm_insert(c->func->region, NULL, copy);
  if (pm_greedy(c->func, &config).applied) {
    const pm_value *made = pm_arg(c->yield, 0), *was = pm_map_get(copies, left);
    c->typings++;
    if (made->type == was->type)
      compare_sides(c, copy, pm_map_get(copies, left), copies);
    else
      refute_type(c, was->type, made->type);
  }
  pm_map_free(copies);
  pm_op_erase(copy);
}

/* --- one law --- */

static void begin_typing(checker *c) {
  pm_builder top = pm_builder_at_end(c->module, pm_module_body(c->module), PM_NO_LOC);
  c->func = loop_build_func(&top, pm_get_cstring(c->ctx, "law"), "strict");
  c->b = pm_builder_at_end(c->module, pm_region_at(c->func, loop_func_body), PM_NO_LOC);
  for (unsigned k = 0; k < c->n_leaves; k++) c->leaves[k].value = NULL;
  pm_map_clear(c->built);
  c->next_choice = 0;
}

/* All samples of its constants. */
static void check_samples(checker *c) {
  pm_diag_scope outer = pm_begin_diag_scope(c->ctx, pm_drop_diag, NULL);
  begin_typing(c);
  pm_value *left = build(c, c->law.left, NULL);
  pm_end_diag_scope(c->ctx, outer);
  if (left && pm_is(pm_def(left), c->on)) check_typing(c, left);
  pm_op_erase(c->func);
}

static bool next_sample(checker *c) {
  for (unsigned k = 0; k < c->n_leaves; k++) {
    if (!c->leaves[k].is_constant) continue;
    if (++c->leaves[k].sample < MOST_SAMPLES) return true;
    c->leaves[k].sample = 0;
  }
  return false;
}

/* The samples of constants of one typing come before the next typing. */
static void check_law(checker *c) {
  c->module = pm_module_new(c->ctx, PM_NO_LOC);
  c->built = pm_map_new();
  for (c->is_done = false; !c->is_done && !c->failed; go_on(c)) {
    do check_samples(c);
    while (!c->failed && next_sample(c));
  }
  pm_map_free(c->built);
  pm_module_free(c->module);
}

/* --- all laws --- */

static void check_rule(pm_context *ctx, const pm_op_desc *on, const pm_rule *rule, pm_laws_checked *count,
                       pm_buf *report) {
  checker c = {.ctx = ctx, .on = on, .rule = rule};
  pm_arena *arena = pm_arena_new();
  const char *reason;
  bool is_read = pm_parse_law(ctx, arena, rule->law, &c.law, &reason);
  if (is_read) check_law(&c);
  if (is_read && !c.typings) reason = "the rule applies to no scalars of it";
  if (is_read && c.typings && !c.rights && !c.failed) reason = "its right side has no op or type";
  if (reason) {
    pm_buf_printf(report, "not checked: '%s' of '%s', %s: %s\n", rule->name, on->name, rule->law, reason);
    count->left++;
  } else if (c.failed) {
    count->failed++;
  } else {
    count->held++;
    count->typings += c.typings;
  }
  pm_arena_free(arena);
}

bool pm_check_laws(pm_context *ctx, pm_laws_checked *count, pm_buf *report) {
  *count = (pm_laws_checked){0};
  for (size_t i = 0; i < pm_dialect_count(ctx); i++)
    for (const pm_op_desc *const *op = pm_dialect_at(ctx, i)->ops; *op; op++)
      for (const pm_rule *rule = (*op)->rules; rule && rule->name; rule++)
        check_rule(ctx, *op, rule, count, report);
  return count->failed == 0;
}
