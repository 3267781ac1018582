#include "dialects/isl/isl_dialect.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/linear_memo.h"
#include "dialects/isl/refusal.h"

#include <isl/arg.h>
#include <isl/options.h>
#include <isl/stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef PM_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

typedef struct kept_object {
  void *object;
  void (*free_object)(void *object);
} kept_object;

typedef struct isl_data {
  isl_ctx *isl;
  pm_map *facts;   /* pm_string */
  pm_map *kept_at; /* pm_string -> its object */
  PM_VEC(kept_object) kept;
} isl_data;

/* What is beside an isl_ctx of ours: isl has its options there. */
typedef struct beside {
  struct isl_options *isl;
  linear_memo *memo;
} beside;

static struct isl_arg beside_list[] = {
    ISL_ARG_CHILD(beside, isl, NULL, &isl_options_args, NULL){.type = isl_arg_end},
};
static struct isl_args beside_args = {sizeof(beside), beside_list};

linear_memo *linear_memo_of(isl_ctx *isl) {
  beside *b = isl_ctx_peek_options(isl, &beside_args);
  return b ? b->memo : NULL;
}

static isl_ctx *new_isl(void) {
  beside *b = pm_xcalloc(1, sizeof *b); /* isl frees it */
  isl_args_set_defaults(&beside_args, b);
  isl_ctx *isl = isl_ctx_alloc_with_options(&beside_args, b);
  if (!isl) pm_out_of_memory();
  b->memo = linear_memo_new();
  isl_options_set_on_error(isl, ISL_ON_ERROR_CONTINUE);
  return isl;
}

static void *isl_new_data(pm_context *ctx) {
  (void)ctx;
  isl_data *data = pm_xcalloc(1, sizeof *data);
  isl_count_numbers(); /* before any other thread has numbers */
  data->isl = new_isl();
  data->facts = pm_map_new();
  data->kept_at = pm_map_new();
  return data;
}

static void isl_free_data(void *user) {
  isl_data *data = user;
  for (size_t i = 0; i < data->kept.len; i++) data->kept.data[i].free_object(data->kept.data[i].object);
  PM_VEC_FREE(data->kept);
  linear_memo_free(linear_memo_of(data->isl));
  isl_ctx_free(data->isl);
  pm_map_free(data->kept_at);
  pm_map_free(data->facts);
  free(data);
}

static isl_data *data_of(pm_context *ctx) {
  return pm_dialect_data(ctx, &isl_dialect);
}

isl_ctx *pm_isl_ctx(pm_context *ctx) {
  return data_of(ctx)->isl;
}

/* The word, then the addresses of attributes, which are never freed before the context. */
static pm_string name_of_fact(pm_context *ctx, isl_fact fact) {
  char text[96];
  const void *about[] = {fact.a, fact.b, fact.within};
  size_t n = strlen(fact.what);
  if (n > sizeof text - sizeof about) n = sizeof text - sizeof about;
  memcpy(text, fact.what, n);
  memcpy(text + n, about, sizeof about);
  return pm_get_string(ctx, (pm_str){text, n + sizeof about});
}

bool isl_fact_is_known(pm_context *ctx, isl_fact fact) {
  return pm_map_has(data_of(ctx)->facts, name_of_fact(ctx, fact));
}

void isl_fact_note(pm_context *ctx, isl_fact fact) {
  pm_map_set(data_of(ctx)->facts, name_of_fact(ctx, fact), NULL);
}

void *isl_find_kept(pm_context *ctx, pm_string key) {
  return pm_map_get(data_of(ctx)->kept_at, key);
}

void isl_keep(pm_context *ctx, pm_string key, void *object, void (*free_object)(void *object)) {
  isl_data *data = data_of(ctx);
  pm_map_set(data->kept_at, key, object);
  PM_VEC_PUSH(data->kept, ((kept_object){object, free_object}));
}

pm_string isl_key_of(pm_context *ctx, const char *question, isl_set *set, isl_map *map) {
  pm_buf text = {0};
  char *points = set ? isl_set_to_str(set) : NULL, *pairs = map ? isl_map_to_str(map) : NULL;
  pm_string key = NULL;
  if ((points || !set) && (pairs || !map)) {
    pm_buf_printf(&text, "%s: %s, %s", question, points ? points : "", pairs ? pairs : "");
    key = pm_get_string(ctx, (pm_str){text.data, text.len});
  }
  pm_buf_free(&text);
  free(points);
  free(pairs);
  return key;
}

const char *pm_isl_error(pm_context *ctx) {
  isl_ctx *isl = pm_isl_ctx(ctx);
  const char *message = isl_ctx_last_error_msg(isl);
  isl_ctx_reset_error(isl);
  return message ? message : "unknown error";
}

/* --- from text --- */

static void *read_set(isl_stream *s) {
  return isl_stream_read_set(s);
}

static void *read_union_set(isl_stream *s) {
  return isl_stream_read_union_set(s);
}

static void *read_map(isl_stream *s) {
  return isl_stream_read_map(s);
}

static void *read_union_map(isl_stream *s) {
  return isl_stream_read_union_map(s);
}

static void free_set(void *object) {
  isl_set_free(object);
}

static void free_union_set(void *object) {
  isl_union_set_free(object);
}

static void free_map(void *object) {
  isl_map_free(object);
}

static void free_union_map(void *object) {
  isl_union_map_free(object);
}

static void free_mupa(void *object) {
  isl_multi_union_pw_aff_free(object);
}

/* The object that `read` makes of the whole text, or NULL. */
static void *read_whole(isl_ctx *isl, const char *text, void *(*read)(isl_stream *),
                        void (*release)(void *)) {
  isl_stream *stream = isl_stream_new_str(isl, text);
  if (!stream && isl_ctx_last_error(isl) != isl_error_quota) pm_out_of_memory();
  if (!stream) return NULL; /* a budget has ended */
  void *object = read(stream);
  bool too_long = object && !isl_stream_is_empty(stream);
  isl_stream_free(stream);
  if (!too_long) return object;
  release(object);
  isl_ctx_reset_error(isl);
  return NULL;
}

static void *set_of(isl_ctx *isl, const char *text) {
  return read_whole(isl, text, read_set, free_set);
}

static void *union_set_of(isl_ctx *isl, const char *text) {
  return read_whole(isl, text, read_union_set, free_union_set);
}

static void *map_of(isl_ctx *isl, const char *text) {
  return read_whole(isl, text, read_map, free_map);
}

static void *union_map_of(isl_ctx *isl, const char *text) {
  return read_whole(isl, text, read_union_map, free_union_map);
}

static void *mupa_of(isl_ctx *isl, const char *text) {
  return isl_multi_union_pw_aff_read_from_str(isl, text);
}

static const isl_notation set_notation = {"set", set_of, free_set},
                          union_set_notation = {"union set", union_set_of, free_union_set},
                          map_notation = {"map", map_of, free_map},
                          union_map_notation = {"union map", union_map_of, free_union_map},
                          mupa_notation = {"multi union piecewise affine function", mupa_of, free_mupa};

/* isl leaks a token of some texts that it refuses: what is tried is not looked at for leaks. */
static void begin_tries(void) {
#ifdef PM_SANITIZED
  __lsan_disable();
#endif
}

static void end_tries(void) {
#ifdef PM_SANITIZED
  __lsan_enable();
#endif
}

/* With sanitizers only, which would take the leaks of a refused text for ours. */
static bool is_refused(isl_ctx *isl, const char *text, const isl_notation *notation) {
#ifdef PM_SANITIZED
  begin_tries();
  void *object = notation->read(isl, text);
  if (object) notation->release(object);
  end_tries();
  return !object;
#else
  (void)isl, (void)text, (void)notation;
  return false;
#endif
}

/* isl reads brackets by recursion. */
enum { MAX_BRACKETS = 200 };

static bool is_nested_too_deep(pm_str text) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (strchr("([{", text.ptr[i]) && text.ptr[i] && ++depth > MAX_BRACKETS) return true;
    if (strchr(")]}", text.ptr[i]) && text.ptr[i] && depth > 0) depth--;
  }
  return false;
}

static void report_text(pm_context *ctx, pm_loc loc, const isl_notation *notation, pm_str text,
                        const char *complaint) {
  int shown = text.len > 200 ? 200 : (int)text.len;
  pm_error(ctx, loc, "'%.*s' should be an isl %s: %s", shown, text.ptr, notation->what, complaint);
  isl_ctx_reset_error(pm_isl_ctx(ctx));
}

/* The place of a character of the text, which is a string without escapes at `loc`; else `loc`. */
static pm_loc place_of(pm_context *ctx, pm_loc loc, pm_str text, size_t at) {
  pm_str line = pm_source_line(ctx, loc);
  size_t col = loc.col + 1 + at;
  if (!loc.col || loc.col + text.len > line.len || memcmp(line.ptr + loc.col, text.ptr, text.len) != 0)
    return loc;
  if (col <= UINT16_MAX) loc.col = (uint16_t)col;
  return loc;
}

/* A refused text that isl has no object of another kind for. */
static void report_refusal(pm_context *ctx, pm_loc loc, const isl_notation *notation, pm_str text,
                           const char *copy) {
  isl_refusal refusal;
  pm_buf complaint = {0};
  begin_tries();
  bool found = isl_find_refusal(pm_isl_ctx(ctx), notation, copy, &refusal);
  end_tries();
  if (!found)
    pm_buf_puts(&complaint, "syntax error");
  else if (!refusal.len)
    pm_buf_puts(&complaint, "it ends too early");
  else
    pm_buf_printf(&complaint, "%s '%.*s'", refusal.is_name ? "unknown name" : "unexpected", (int)refusal.len,
                  text.ptr + refusal.at);
  report_text(ctx, found ? place_of(ctx, loc, text, refusal.at) : loc, notation, text, complaint.data);
  pm_buf_free(&complaint);
}

/* isl's failed assertions mean that another kind was read. */
static bool is_of_other_kind(isl_ctx *isl) {
  const char *message = isl_ctx_last_error_msg(isl);
  return message && strncmp(message, "Assertion", strlen("Assertion")) == 0;
}

/* The object that the whole text is, or NULL after a diagnostic. */
static void *parse_text(pm_context *ctx, pm_loc loc, pm_str text, const isl_notation *notation) {
  isl_ctx *isl = pm_isl_ctx(ctx);
  isl_ctx_reset_error(isl);
  if (is_nested_too_deep(text))
    return report_text(ctx, loc, notation, text, "its brackets are nested too deep"), NULL;
  char *copy = pm_xstrndup(text.ptr, text.len);
  void *object = is_refused(isl, copy, notation) ? NULL : notation->read(isl, copy);
  if (!object && is_of_other_kind(isl))
    report_text(ctx, loc, notation, text, "its kind differs");
  else if (!object && isl_ctx_last_error(isl) == isl_error_quota)
    report_text(ctx, loc, notation, text, isl_ctx_last_error_msg(isl));
  else if (!object)
    report_refusal(ctx, loc, notation, text, copy);
  free(copy);
  return object;
}

static void *parse_set(pm_context *ctx, pm_loc loc, pm_str text) {
  return parse_text(ctx, loc, text, &set_notation);
}

static void *parse_union_set(pm_context *ctx, pm_loc loc, pm_str text) {
  return parse_text(ctx, loc, text, &union_set_notation);
}

static void *parse_map(pm_context *ctx, pm_loc loc, pm_str text) {
  return parse_text(ctx, loc, text, &map_notation);
}

static void *parse_union_map(pm_context *ctx, pm_loc loc, pm_str text) {
  return parse_text(ctx, loc, text, &union_map_notation);
}

static void *parse_mupa(pm_context *ctx, pm_loc loc, pm_str text) {
  return parse_text(ctx, loc, text, &mupa_notation);
}

#define KIND(kind, called, meaning)                                                                          \
  const pm_attr_kind isl_##kind##_kind = {                                                                   \
      .name = "isl." #kind, .parse = parse_##kind, .free = free_##kind, .doc = meaning, .alias = called}
KIND(set, "set", "a set of integer points, isl_set");
KIND(union_set, "sets", "sets of several tuples, isl_union_set");
KIND(map, "map", "a relation of integer points, isl_map");
KIND(union_map, "maps", "relations of several tuples, isl_union_map");
KIND(mupa, "schedule", "a partial schedule, isl_multi_union_pw_aff");

static const pm_op_desc *const isl_op_table[] = {NULL};
static const pm_attr_kind *const isl_attr_kinds[] = {&isl_set_kind,       &isl_union_set_kind, &isl_map_kind,
                                                     &isl_union_map_kind, &isl_mupa_kind,      NULL};

const pm_dialect isl_dialect = {
    .name = "isl",
    .ops = isl_op_table,
    .attr_kinds = isl_attr_kinds,
    .new_data = isl_new_data,
    .free_data = isl_free_data,
    .doc = "integer sets, relations and schedules as attributes, in the notation of isl",
};

/* --- from objects --- */

/* Takes `text` (from malloc) and `object`; a NULL of either is a failed isl call of ours. */
static pm_attr make_attr(pm_context *ctx, const pm_attr_kind *kind, char *text, void *object) {
  if (!text || !object)
    pm_panic(NULL, "isl could not make a value of kind %s: %s", kind->name, pm_isl_error(ctx));
  pm_attr attr = pm_get_custom_object(ctx, kind, pm_str_of(text), object);
  free(text);
  return attr;
}

pm_attr isl_attr_of_set(pm_context *ctx, __isl_take isl_set *set) {
  return make_attr(ctx, &isl_set_kind, isl_set_to_str(set), set);
}

pm_attr isl_attr_of_union_set(pm_context *ctx, __isl_take isl_union_set *set) {
  return make_attr(ctx, &isl_union_set_kind, isl_union_set_to_str(set), set);
}

pm_attr isl_attr_of_map(pm_context *ctx, __isl_take isl_map *map) {
  return make_attr(ctx, &isl_map_kind, isl_map_to_str(map), map);
}

pm_attr isl_attr_of_union_map(pm_context *ctx, __isl_take isl_union_map *map) {
  return make_attr(ctx, &isl_union_map_kind, isl_union_map_to_str(map), map);
}

pm_attr isl_attr_of_mupa(pm_context *ctx, __isl_take isl_multi_union_pw_aff *mupa) {
  return make_attr(ctx, &isl_mupa_kind, isl_multi_union_pw_aff_to_str(mupa), mupa);
}

/* --- reading --- */

static void *peek(pm_attr attr, const pm_attr_kind *kind) {
  return attr && attr->cls == PM_ATTR_CUSTOM && attr->kind == kind ? attr->object : NULL;
}

isl_set *isl_peek_set(pm_attr attr) {
  return peek(attr, &isl_set_kind);
}

isl_union_set *isl_peek_union_set(pm_attr attr) {
  return peek(attr, &isl_union_set_kind);
}

isl_map *isl_peek_map(pm_attr attr) {
  return peek(attr, &isl_map_kind);
}

isl_union_map *isl_peek_union_map(pm_attr attr) {
  return peek(attr, &isl_union_map_kind);
}

isl_multi_union_pw_aff *isl_peek_mupa(pm_attr attr) {
  return peek(attr, &isl_mupa_kind);
}
