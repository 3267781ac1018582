/* Names for what is known of values. Stages of a pipeline compute much the same: clamped coordinates around
 * each pixel, in domains that are the same. What follows from coordinates and params alone is found once. */
#include "dialects/stage/analyses/values_private.h"

#include <stdlib.h>

static void put_pointer(pm_buf *text, const void *pointer) {
  pm_buf_put(text, (const char *)&pointer, sizeof pointer);
}

/* Takes the text. */
static pm_string intern(const body_state *b, pm_buf *text) {
  pm_string key = pm_get_string(pm_op_context(b->body), (pm_str){text->data, text->len});
  pm_buf_free(text);
  return key;
}

/* Of the params, and of the rules for floats. */
static void put_pipeline(pm_buf *text, const stage_values *v) {
  put_pointer(text, pm_attr_at(v->pipeline, stage_pipeline_context));
  pm_buf_printf(text, "%d %u", (int)v->mode, v->coordinate_bits);
  PM_FOR_OPS(op, pm_region_at(v->pipeline, stage_pipeline_body)) {
    if (!pm_is(op, &stage_param)) continue;
    put_pointer(text, pm_sym_at(op, stage_param_sym));
    put_pointer(text, pm_res(op, 0)->type);
  }
}

static pm_string key_of_pipeline(const body_state *b) {
  pm_buf text = {0};
  stage_values *v = b->values;
  if (v->key) return v->key;
  put_pipeline(&text, v);
  return v->key = intern(b, &text);
}

void values_begin_keys(body_state *b) {
  pm_buf text = {0};
  unsigned set = pm_is(b->body, &stage_case) ? (unsigned)stage_case_set : (unsigned)stage_update_set;
  b->keys = pm_map_new();
  if (values_depend_on_domains(b->values)) return;
  put_pointer(&text, pm_attr_at(b->body, set));
  put_pointer(&text, key_of_pipeline(b));
  b->key = intern(b, &text);
}

/* --- values --- */

static bool has_key(const body_state *b, const pm_value *value) {
  return pm_map_has(b->keys, value);
}

/* Nothing but its operands and attributes says what it computes. */
static bool is_plain_op(const pm_op *op) {
  return op && !pm_is(op, &stage_read) && op->n_regions == 0;
}

/* NULL when that of an operand is. */
static pm_string key_of_op(const body_state *b, const pm_value *value) {
  const pm_op *op = pm_def(value);
  pm_buf text = {0};
  put_pointer(&text, op->desc);
  put_pointer(&text, value->type);
  put_pointer(&text, pm_extra(op));
  pm_buf_printf(&text, "%u", pm_value_index(value));
  for (unsigned i = 0; i < op->desc->n_attrs; i++)
    put_pointer(&text, pm_attrs(op) ? pm_attr_at(op, i) : NULL);
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_string operand = pm_map_get(b->keys, pm_arg(op, i));
    if (!operand) {
      pm_buf_free(&text);
      return NULL;
    }
    put_pointer(&text, operand);
  }
  return intern(b, &text);
}

/* Which numbers, and which read of them in the body: values of two reads are not related. */
static void put_integers(pm_buf *text, body_state *b, const value_state *state) {
  isl_set *numbers = isl_map_range(isl_map_copy(state->relation));
  char *written = isl_set_to_str(numbers);
  pm_buf_printf(text, "read %u of %s", b->n_keyed_reads++, written ? written : "");
  pm_buf_printf(text, " in %d %lld %lld", state->span.known, (long long)state->span.lo,
                (long long)state->span.hi);
  free(written);
  isl_set_free(numbers);
}

/* Of what is read nothing matters but its numbers; NULL when they have no bounds. */
static pm_string key_of_read(body_state *b, pm_value *value) {
  pm_buf text = {0};
  const value_state *state = values_look_at(b, value);
  if (state->source) return NULL;
  put_pointer(&text, value->type);
  if (state->relation) {
    put_integers(&text, b, state);
    return intern(b, &text);
  }
  pm_buf_put(&text, (const char *)&state->range.low, sizeof state->range.low);
  pm_buf_put(&text, (const char *)&state->range.high, sizeof state->range.high);
  pm_buf_puts(&text, state->range.nan ? "read or NaN" : "read");
  return intern(b, &text);
}

static pm_string key_of_leaf(body_state *b, pm_value *value) {
  pm_buf text = {0};
  if (!pm_is_arg(value)) return pm_is(pm_def(value), &stage_read) ? key_of_read(b, value) : NULL;
  pm_buf_printf(&text, "argument %u", pm_value_index(value));
  return intern(b, &text);
}

static pm_string key_of(body_state *b, pm_value *value) {
  PM_VEC(pm_value *) todo = {0};
  PM_VEC_PUSH(todo, value);
  while (todo.len > 0) {
    pm_value *next = PM_VEC_LAST(todo);
    const pm_op *op = pm_def(next);
    size_t before = todo.len;
    for (unsigned i = 0; is_plain_op(op) && !has_key(b, next) && i < op->n_operands; i++)
      if (!has_key(b, pm_arg(op, i))) PM_VEC_PUSH(todo, pm_arg(op, i));
    if (todo.len > before) continue;
    if (!has_key(b, next))
      pm_map_set(b->keys, next, (void *)(is_plain_op(op) ? key_of_op(b, next) : key_of_leaf(b, next)));
    todo.len--;
  }
  PM_VEC_FREE(todo);
  return pm_map_get(b->keys, value);
}

pm_string values_key(body_state *b, const char *what, const void *which, pm_value *const *values, size_t n) {
  pm_buf text = {0};
  if (!b->key) return NULL;
  pm_buf_puts(&text, what);
  put_pointer(&text, b->key);
  put_pointer(&text, which);
  for (size_t i = 0; i < n; i++) {
    pm_string key = key_of(b, values[i]);
    if (!key) {
      pm_buf_free(&text);
      return NULL;
    }
    put_pointer(&text, key);
  }
  return intern(b, &text);
}
