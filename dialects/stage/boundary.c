#include "dialects/stage/boundary.h"

#include "ir/text.h"

#include <string.h>

enum { NEAREST_MODE_LIMIT = 4 };

static const char *const mode_words[] = {
    [STAGE_NONE] = "none",     [STAGE_CLAMP] = "clamp",         [STAGE_REPEAT] = "repeat",
    [STAGE_MIRROR] = "mirror", [STAGE_MIRROR101] = "mirror101", [STAGE_CONSTANT] = "constant"};

const char *stage_mode_name(stage_mode mode) {
  return mode_words[mode];
}

/* --- as an attribute --- */

static bool is_number(pm_attr attr) {
  return attr->cls == PM_ATTR_INT || attr->cls == PM_ATTR_FLOAT;
}

/* The mode of one word or number; false when it is none. A constant has its number as value. */
static bool mode_of(pm_attr attr, stage_mode *mode, pm_attr *value) {
  *value = is_number(attr) ? attr : NULL;
  *mode = STAGE_CONSTANT;
  if (*value) return true;
  for (int m = STAGE_NONE; attr->cls == PM_ATTR_STRING && m < STAGE_CONSTANT; m++)
    if (strcmp(attr->s->text, mode_words[m]) == 0) {
      *mode = (stage_mode)m;
      return true;
    }
  return false;
}

bool stage_boundary_of_attr(pm_attr attr, unsigned rank, stage_boundary *out) {
  bool is_array = attr->cls == PM_ATTR_ARRAY;
  *out = (stage_boundary){0};
  if (rank > PM_MAX_RANK || (is_array && attr->len != rank)) return false;
  for (unsigned d = 0; d < rank; d++)
    if (!mode_of(is_array ? attr->items[d] : attr, &out->modes[d], &out->values[d])) return false;
  return true;
}

static bool error_unknown_mode(const pm_op *op, pm_attr attr) {
  static const char list[] = "none, clamp, repeat, mirror, mirror101 or constant(number)";
  if (attr->cls != PM_ATTR_STRING)
    return pm_op_error(op, "has the boundary mode %pA; it should be %s", (const void *)attr, list);
  const char *nearest = NULL;
  unsigned best = NEAREST_MODE_LIMIT;
  for (size_t m = 0; m < PM_COUNT(mode_words); m++) {
    pm_str given = {attr->s->text, attr->s->len};
    unsigned distance = pm_edit_distance(given, pm_str_of(mode_words[m]), best);
    if (distance >= best || distance >= given.len) continue;
    nearest = mode_words[m];
    best = distance;
  }
  if (nearest)
    return pm_op_error(op, "has the boundary mode %s, which does not exist; did you mean %s?", attr->s->text,
                       nearest);
  return pm_op_error(op, "has the boundary mode %s; it should be %s", attr->s->text, list);
}

static bool verify_mode(const pm_op *op, pm_attr attr, pm_type type) {
  stage_mode mode;
  pm_attr value;
  if (!mode_of(attr, &mode, &value)) return error_unknown_mode(op, attr);
  if (!value || value->t == type) return true;
  if (!type)
    return pm_op_error(op, "has the boundary value %pA; a tuple should have none", (const void *)value);
  return pm_op_error(op, "has the boundary value %pA; it should be of type %pT", (const void *)value,
                     (const void *)type);
}

bool stage_boundary_verify(const pm_op *op, pm_attr attr, unsigned rank, pm_type type) {
  if (attr->cls != PM_ATTR_ARRAY) return verify_mode(op, attr, type);
  if (attr->len != rank)
    return pm_op_error(op, "has %u boundary mode%s for %u dimension%s; there should be one a dimension",
                       attr->len, attr->len == 1 ? "" : "s", rank, rank == 1 ? "" : "s");
  for (uint32_t i = 0; i < attr->len; i++)
    if (!verify_mode(op, attr->items[i], type)) return false;
  return true;
}

bool stage_boundary_of_read(const pm_op *read, const pm_op *stage, stage_boundary *out) {
  unsigned rank = pm_attr_at(read, stage_read_map)->map->n_results;
  pm_attr attr = pm_attr_at(read, stage_read_boundary);
  if (!attr && pm_is(stage, &stage_input)) attr = pm_attr_at(stage, stage_input_boundary);
  if (!attr && pm_is(stage, &stage_constant)) attr = pm_attr_at(stage, stage_constant_boundary);
  if (!attr || !stage_boundary_of_attr(attr, rank, out)) *out = (stage_boundary){0};
  for (unsigned d = 0; d < PM_MAX_RANK; d++)
    if (out->modes[d] != STAGE_NONE) return true;
  return false;
}

/* --- as text --- */

static void print_mode(struct pm_printer *p, pm_attr attr) {
  if (is_number(attr))
    pm_p(p, "constant(%pA)", (const void *)attr);
  else
    pm_p(p, "%s", attr->s->text);
}

void stage_boundary_print(struct pm_printer *p, pm_attr attr) {
  if (!attr) return;
  pm_p(p, " boundary ");
  if (attr->cls != PM_ATTR_ARRAY) {
    print_mode(p, attr);
    return;
  }
  for (uint32_t i = 0; i < attr->len; i++) {
    pm_p(p, i == 0 ? "[" : ", ");
    print_mode(p, attr->items[i]);
  }
  pm_p(p, attr->len ? "]" : "[]");
}

static bool parse_mode(struct pm_parser *p, pm_attr *attr) {
  pm_string word;
  if (pm_q_opt_word(p, mode_words[STAGE_CONSTANT]))
    return pm_q_punct(p, "(") && pm_q_attr(p, NULL, attr) && pm_q_punct(p, ")");
  if (!pm_q_name(p, &word)) return false;
  *attr = pm_get_string_attr(pm_q_context(p), (pm_str){word->text, word->len});
  return true;
}

bool stage_boundary_parse(struct pm_parser *p, pm_attr *attr) {
  if (!pm_q_opt_punct(p, "[")) return parse_mode(p, attr);
  PM_VEC(pm_attr) modes = {0};
  bool ok = true;
  do {
    pm_attr mode = NULL;
    ok = parse_mode(p, &mode);
    PM_VEC_PUSH(modes, mode);
  } while (ok && pm_q_opt_punct(p, ","));
  ok = ok && pm_q_punct(p, "]");
  if (ok) *attr = pm_get_array(pm_q_context(p), modes.data, modes.len);
  PM_VEC_FREE(modes);
  return ok;
}

/* The number as one of the type; itself when the type does not hold it. */
static pm_attr typed_number(pm_attr number, pm_type type) {
  bool is_float = number->cls == PM_ATTR_FLOAT;
  if (number->t->scalar != PM_I64 && number->t->scalar != PM_F64) return number;
  if (pm_is_float(type)) return pm_get_float(type, is_float ? number->f : (double)number->i);
  if (is_float || !pm_is_int_or_index(type)) return number;
  pm_attr cut = pm_get_int(type, number->i);
  return cut->i == number->i && (type->scalar != PM_U64 || number->i >= 0) ? cut : number;
}

pm_attr stage_boundary_typed(pm_attr attr, pm_type type) {
  if (is_number(attr)) return typed_number(attr, type);
  if (attr->cls != PM_ATTR_ARRAY) return attr;
  PM_VEC(pm_attr) items = {0};
  for (uint32_t i = 0; i < attr->len; i++) {
    pm_attr item = attr->items[i];
    PM_VEC_PUSH(items, is_number(item) ? typed_number(item, type) : item);
  }
  attr = pm_get_array(attr->ctx, items.data, items.len);
  PM_VEC_FREE(items);
  return attr;
}

/* --- indices --- */

static int64_t clamped(int64_t index, int64_t lower, int64_t upper) {
  return index < lower ? lower : index > upper ? upper : index;
}

/* Of the numbers 0 .. period - 1, the second half of which goes back, `last` being the one before 0. */
static int64_t reflected(int64_t distance, int64_t period, int64_t last) {
  int64_t at = period ? pm_floor_mod(distance, period) : 0;
  return at < last - at ? at : last - at;
}

int64_t stage_boundary_index(stage_mode mode, int64_t index, int64_t lower, int64_t extent) {
  int64_t distance = (int64_t)((uint64_t)index - (uint64_t)lower);
  if (extent <= 0) return index;
  switch (mode) {
  case STAGE_NONE:
    return index;
  case STAGE_REPEAT:
    return lower + pm_floor_mod(distance, extent);
  case STAGE_MIRROR:
    return lower + reflected(distance, 2 * extent, 2 * extent - 1);
  case STAGE_MIRROR101:
    return lower + reflected(distance, 2 * extent - 2, 2 * extent - 2);
  default:
    return clamped(index, lower, lower + extent - 1);
  }
}

/* --- sets --- */

__isl_give isl_set *stage_interval(isl_set *set, unsigned d) {
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  set = isl_set_project_out(isl_set_copy(set), isl_dim_set, d + 1, n - d - 1);
  set = isl_set_reset_tuple_id(isl_set_project_out(set, isl_dim_set, 0, d));
  isl_set *above = isl_set_apply(isl_set_copy(set), isl_map_lex_le(isl_set_get_space(set)));
  isl_set *below = isl_set_apply(isl_set_copy(set), isl_map_lex_ge(isl_set_get_space(set)));
  isl_set_free(set);
  return isl_set_coalesce(isl_set_intersect(above, below));
}

__isl_give isl_set *stage_box_around(isl_set *set) {
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  isl_set *box = isl_set_from_params(isl_set_params(isl_set_copy(set)));
  for (unsigned d = 0; d < n; d++) box = isl_set_flat_product(box, stage_interval(set, d));
  return box;
}

pm_attr stage_boundary_attr(pm_context *ctx, const stage_boundary *boundary, unsigned rank) {
  pm_attr modes[PM_MAX_RANK];
  bool has = false;
  for (unsigned d = 0; d < rank; d++) {
    stage_mode mode = boundary->modes[d];
    has = has || mode != STAGE_NONE;
    modes[d] = mode == STAGE_CONSTANT ? boundary->values[d]
                                      : pm_get_string_attr(ctx, pm_str_of(stage_mode_name(mode)));
  }
  return has ? pm_get_array(ctx, modes, rank) : NULL;
}

__isl_give isl_set *stage_bounds_and_indices(isl_map *relation, isl_set *domain, unsigned d) {
  unsigned n = (unsigned)isl_map_dim(relation, isl_dim_out);
  isl_set *range = isl_map_range(isl_map_copy(relation)), *dim = stage_interval(domain, d);
  range = isl_set_project_out(range, isl_dim_set, d + 1, n - d - 1);
  range = isl_set_reset_tuple_id(isl_set_project_out(range, isl_dim_set, 0, d));
  isl_set *lower = isl_set_lexmin(isl_set_copy(dim)), *upper = isl_set_lexmax(dim);
  isl_set *bounds = isl_set_flat_product(lower, upper);
  return isl_set_flat_product(bounds, range);
}

__isl_give isl_map *stage_boundary_relation(__isl_take isl_map *relation, const stage_boundary *boundary,
                                            isl_set *domain) {
  isl_set *inside = isl_set_copy(domain);
  unsigned n = (unsigned)isl_set_dim(domain, isl_dim_set);
  for (unsigned d = 0; d < n; d++) {
    stage_mode mode = boundary->modes[d];
    if (mode == STAGE_NONE) inside = isl_set_eliminate(inside, isl_dim_set, d, 1);
    if (mode != STAGE_NONE && mode != STAGE_CONSTANT)
      relation = isl_map_eliminate(relation, isl_dim_out, d, 1);
  }
  return isl_map_intersect_range(relation, inside);
}
