#include "tools/lib/semantics/sizes.h"

#include "dialects/arith/arith.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST_BORDER = 2,
  MOST_BORDER = 4096,
  MOST_BORDERS = 8,
  NEAR = 3,
  MOST_SIZES = 4000,
  MOST_MOVED = 1000
};

/* --- borders --- */

static bool has_number(const int64_t *list, size_t n, int64_t number) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == number) return true;
  return false;
}

static void add_number(pm_numbers *list, int64_t number) {
  if (!has_number(list->data, list->len, number)) PM_VEC_PUSH(*list, number);
}

static bool is_border(int64_t number) {
  return number >= LEAST_BORDER && number <= MOST_BORDER;
}

/* Those that stand in a text by themselves: not in names, and not beside a point. */
static void add_text(pm_borders *b, const char *text) {
  for (const char *at = text; *at;) {
    if (isalpha((unsigned char)*at) || *at == '_' || *at == '.') {
      while (isalnum((unsigned char)*at) || *at == '_' || *at == '.') at++;
    } else if (isdigit((unsigned char)*at)) {
      char *end;
      long long number = strtoll(at, &end, 10);
      if (is_border(number) && *end != '.') add_number(&b->others, number);
      at = end;
    } else {
      at++;
    }
  }
}

/* Attributes are interned. */
static void add_array(pm_borders *b, pm_attr attr) {
  for (uint32_t i = 0; i < attr->len; i++)
    if (attr->items[i]->cls != PM_ATTR_INT) return;
  for (size_t i = 0; i < b->arrays.len; i++)
    if (b->arrays.data[i] == attr) return;
  PM_VEC_PUSH(b->arrays, attr);
}

static void add_attr(pm_borders *b, const pm_op *op, pm_attr attr) {
  if (attr->cls == PM_ATTR_CUSTOM) add_text(b, attr->s->text);
  if (attr->cls == PM_ATTR_ARRAY && attr->len) add_array(b, attr);
  if (attr->cls == PM_ATTR_ARRAY)
    for (uint32_t i = 0; i < attr->len; i++) add_attr(b, op, attr->items[i]);
  if (attr->cls != PM_ATTR_INT || !is_border(attr->i)) return;
  if (!pm_has_trait(op, PM_CONSTANT))
    add_number(&b->tiles, attr->i);
  else if (attr->t->scalar == PM_INDEX)
    add_number(&b->others, attr->i);
}

static pm_walk add_op(void *user, pm_op *op) {
  for (unsigned i = 0; i < op->desc->n_attrs; i++)
    if (pm_attr_at(op, i)) add_attr(user, op, pm_attr_at(op, i));
  return PM_WALK_ON;
}

void pm_borders_add(pm_borders *b, pm_module *module) {
  pm_walk_pre(pm_module_op(module), add_op, b);
}

void pm_borders_free(pm_borders *b) {
  PM_VEC_FREE(b->tiles);
  PM_VEC_FREE(b->others);
  PM_VEC_FREE(b->arrays);
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Tiles first, then the least of the others. */
static void choose_borders(const pm_borders *b, pm_numbers *chosen) {
  pm_numbers others = {0};
  for (size_t i = 0; i < b->tiles.len && chosen->len < MOST_BORDERS; i++)
    PM_VEC_PUSH(*chosen, b->tiles.data[i]);
  for (size_t i = 0; i < b->others.len; i++)
    if (!has_number(b->tiles.data, b->tiles.len, b->others.data[i])) PM_VEC_PUSH(others, b->others.data[i]);
  if (others.len) qsort(others.data, others.len, sizeof *others.data, by_value);
  for (size_t i = 0; i < others.len && chosen->len < MOST_BORDERS; i++) PM_VEC_PUSH(*chosen, others.data[i]);
  PM_VEC_FREE(others);
}

/* --- sizes --- */

typedef struct sizing {
  pm_sizes *sizes;
  pm_op *op;
  stage_signature sig; /* without inputs: sizes come from the params alone */
  unsigned n_ints;
  double ops;
  unsigned rank; /* of the outputs, where one param alone makes their sizes; else 1 */
} sizing;

static bool is_size(const sizing *s, size_t param) {
  return pm_is_int_or_index(s->sig.params.data[param].type);
}

static double cost_of(const sizing *s, const int64_t *values) {
  double cost = s->ops;
  for (size_t i = 0; i < s->sig.params.len; i++)
    for (unsigned k = 0; is_size(s, i) && k < s->rank; k++) cost *= (double)values[i];
  return cost;
}

static bool has_size(const sizing *s, size_t n_sizes, const int64_t *values) {
  for (size_t i = 0; i < n_sizes; i++)
    if (memcmp(s->sizes->all.data[i].values, values, s->sig.params.len * sizeof *values) == 0) return true;
  return false;
}

/* `value` for the param number `param`, `other` for all other integers. */
static void add_size(sizing *s, size_t param, int64_t value, int64_t other) {
  size_t n = s->sig.params.len;
  if (value < 1 || s->sizes->all.len >= MOST_SIZES) return;
  int64_t *values = pm_arena_alloc(s->sizes->arena, (n + 1) * sizeof *values);
  for (size_t i = 0; i < n; i++) values[i] = !is_size(s, i) ? 0 : i == param ? value : other;
  if (!has_size(s, s->sizes->all.len, values))
    PM_VEC_PUSH(s->sizes->all, ((pm_size){.values = values, .cost = cost_of(s, values)}));
}

/* Two tiles and one point, in the order of the integer params, which is that of the last dimensions as a
 * rule. */
static void add_tiles(sizing *s, pm_attr tile) {
  if (tile->len < s->n_ints) return;
  const pm_attr *items = tile->items + (tile->len - s->n_ints);
  for (unsigned d = 0; d < s->n_ints; d++)
    if (!is_border(items[d]->i)) return;
  int64_t *values = pm_arena_alloc(s->sizes->arena, (s->sig.params.len + 1) * sizeof *values);
  for (size_t i = 0, d = 0; i < s->sig.params.len; i++) values[i] = is_size(s, i) ? 2 * items[d++]->i + 1 : 0;
  PM_VEC_PUSH(s->sizes->all, ((pm_size){values, cost_of(s, values), true}));
}

static void add_near(sizing *s, size_t param, int64_t border, int64_t other) {
  for (int64_t at = -NEAR; at < NEAR; at++) {
    add_size(s, param, border + at, other);
    add_size(s, param, 2 * border + at, other);
  }
}

static void add_sizes(sizing *s, const pm_borders *all, const pm_numbers *borders) {
  static const int64_t small[] = {1, 2, 3, 5};
  for (size_t i = 0; i < all->arrays.len; i++) add_tiles(s, all->arrays.data[i]);
  for (size_t param = 0; param < s->sig.params.len; param++) {
    if (!is_size(s, param)) continue;
    for (size_t i = 0; i < PM_COUNT(small); i++)
      for (size_t k = 0; k < PM_COUNT(small); k++) add_size(s, param, small[i], small[k]);
    for (size_t i = 0; i < borders->len; i++) {
      add_near(s, param, borders->data[i], small[2]);
      for (size_t k = 0; k < borders->len && s->n_ints > 1; k++)
        add_near(s, param, borders->data[i], borders->data[k] + NEAR);
    }
  }
  if (!s->n_ints) add_size(s, SIZE_MAX, 1, 1);
}

static int by_cost(const void *a, const void *b) {
  double x = ((const pm_size *)a)->cost, y = ((const pm_size *)b)->cost;
  return (x > y) - (x < y);
}

static int tiles_first(const void *a, const void *b) {
  const pm_size *x = a, *y = b;
  return x->has_tiles != y->has_tiles ? y->has_tiles - x->has_tiles : by_cost(a, b);
}

/* --- those that the program has --- */

void pm_name_size(const stage_signature *sig, const int64_t *values, pm_arena *arena, pm_named_list *out) {
  for (size_t i = 0; i < sig->params.len; i++) {
    const stage_arg *p = &sig->params.data[i];
    bool is_int = pm_is_int_or_index(p->type);
    const char *value = is_int ? pm_arena_printf(arena, "%lld", (long long)values[i]) : "0.75";
    PM_VEC_PUSH(*out, ((pm_named){.name = p->name->text, .value = value}));
  }
}

static bool solve(const sizing *s, const pm_named_list *given, const pm_size_choice *choice, pm_params *out) {
  pm_buf error = {0};
  bool ok = pm_solve_sizes(s->op, &s->sig, given, NULL, choice, out, &error);
  pm_buf_free(&error);
  return ok;
}

static bool is_allowed(const sizing *s, const int64_t *values) {
  pm_arena *arena = pm_arena_new();
  pm_named_list given = {0};
  pm_params params = {0};
  pm_name_size(&s->sig, values, arena, &given);
  bool ok = solve(s, &given, NULL, &params);
  pm_params_free(&params);
  PM_VEC_FREE(given);
  pm_arena_free(arena);
  return ok;
}

/* The next size that the context allows; as it is, when there is none. */
static void move(const sizing *s, pm_size *size) {
  const pm_size_choice choice = {.wanted = size->values};
  const pm_named_list none = {0};
  pm_params params = {0};
  size_t n = s->sig.params.len;
  if (!solve(s, &none, &choice, &params)) return;
  int64_t *values = pm_arena_alloc(s->sizes->arena, (n + 1) * sizeof *values);
  if (n) memcpy(values, params.values, n * sizeof *values);
  *size = (pm_size){values, cost_of(s, values), size->has_tiles};
  pm_params_free(&params);
}

/* Keeps the cheapest that the context allows, or that are next to those that it does not. */
static void choose_sizes(sizing *s, double most) {
  pm_sizes *sizes = s->sizes;
  double cost = 0;
  size_t n = 0, moved = 0;
  if (sizes->all.len) qsort(sizes->all.data, sizes->all.len, sizeof *sizes->all.data, tiles_first);
  for (size_t i = 0; i < sizes->all.len && moved < MOST_MOVED; i++) {
    pm_size size = sizes->all.data[i];
    bool stays = is_allowed(s, size.values);
    if (!stays) move(s, &size);
    moved += !stays;
    bool is_dear = cost + size.cost > (size.has_tiles ? most / 3 : most) && (n || size.has_tiles);
    if (is_dear && stays && !size.has_tiles) break;
    if (is_dear || has_size(s, n, size.values)) continue;
    cost += size.cost;
    sizes->all.data[n++] = size;
  }
  sizes->all.len = n;
  if (n) qsort(sizes->all.data, n, sizeof *sizes->all.data, by_cost);
}

pm_sizes pm_sizes_at_borders(pm_op *op, const pm_borders *borders, double most) {
  pm_sizes sizes = {.arena = pm_arena_new()};
  sizing s = {.sizes = &sizes, .op = op};
  pm_numbers chosen = {0};
  pm_callable_signature(op, &s.sig);
  PM_VEC_FREE(s.sig.inputs);
  s.ops = (double)pm_count_ops(op);
  s.rank = 1;
  for (size_t i = 0; i < s.sig.params.len; i++) s.n_ints += is_size(&s, i);
  for (size_t i = 0; i < s.sig.outputs.len && s.n_ints == 1; i++)
    if (s.sig.outputs.data[i].n_dims > s.rank) s.rank = s.sig.outputs.data[i].n_dims;
  choose_borders(borders, &chosen);
  add_sizes(&s, borders, &chosen);
  choose_sizes(&s, most);
  PM_VEC_FREE(chosen);
  stage_signature_free(&s.sig);
  return sizes;
}

void pm_sizes_free(pm_sizes *sizes) {
  PM_VEC_FREE(sizes->all);
  pm_arena_free(sizes->arena);
}
