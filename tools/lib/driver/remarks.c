#include "tools/lib/driver/remarks.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers stay whole: 3, not 3.0. JSON has no infinities and no NaN: those become null. */
static json_t *number(double value) {
  if (!isfinite(value)) return json_null();
  if (value == floor(value) && fabs(value) < 9e15) return json_integer((json_int_t)value);
  return json_real(value);
}

static json_t *args_of(const pm_diag *remark) {
  json_t *args = json_object();
  for (size_t i = 0; i < remark->n_args; i++)
    json_object_set_new(args, remark->args[i].key, number(remark->args[i].value));
  return args;
}

static void set_text(json_t *object, const char *key, const char *text) {
  json_t *string = json_string(text);
  json_object_set_new(object, key, string ? string : json_null());
}

static void set_place(pm_context *ctx, json_t *object, pm_loc loc) {
  if (!loc.file) return;
  set_text(object, "file", pm_source_name(ctx, loc.file));
  json_object_set_new(object, "line", json_integer(loc.line));
  json_object_set_new(object, "column", json_integer(loc.col));
}

void pm_put_remark_json(pm_context *ctx, const pm_diag *remark, pm_buf *out) {
  static const char *const kinds[] = {"passed", "missed", "analysis"};
  json_t *object = json_object();
  set_text(object, "kind", kinds[remark->kind]);
  set_text(object, "pass", remark->pass);
  set_place(ctx, object, remark->loc);
  set_text(object, "message", remark->message);
  json_object_set_new(object, "args", args_of(remark));
  char *text = json_dumps(object, JSON_PRESERVE_ORDER);
  json_decref(object);
  if (!text) pm_out_of_memory();
  pm_buf_printf(out, "%s\n", text);
  free(text);
}

/* --- the list --- */

static void keep_remark(pm_remark_list *list, const pm_diag *diag) {
  pm_kept_remark kept = {.kind = diag->kind,
                         .loc = diag->loc,
                         .pass = pm_xstrdup(diag->pass ? diag->pass : ""),
                         .message = pm_xstrdup(diag->message),
                         .args = pm_xcalloc(diag->n_args + 1, sizeof *kept.args),
                         .n_args = diag->n_args};
  for (size_t i = 0; i < diag->n_args; i++) kept.args[i] = diag->args[i];
  PM_VEC_PUSH(list->all, kept);
}

static void keep_or_print(void *user, pm_context *ctx, const pm_diag *diag) {
  pm_remark_list *list = user;
  bool is_remark = diag->severity == PM_REMARK, is_note = diag->severity == PM_NOTE;
  if (is_remark) keep_remark(list, diag);
  list->silent = is_remark ? list->show != PM_SHOW_ALL : is_note && list->silent;
  if (list->silent) return;
  pm_buf text = {0};
  pm_print_diag(ctx, diag, &text);
  fputs(text.data, stderr);
  pm_buf_free(&text);
}

void pm_keep_remarks(pm_context *ctx, pm_remark_list *list) {
  pm_enable_remarks(ctx, true);
  pm_set_diag_handler(ctx, keep_or_print, list);
}

bool pm_number_in(const pm_kept_remark *remark, const char *key, double *value) {
  for (size_t i = 0; remark && i < remark->n_args; i++) {
    if (strcmp(remark->args[i].key, key) != 0) continue;
    *value = remark->args[i].value;
    return true;
  }
  return false;
}

pm_str pm_first_name(const char *message) {
  const char *at = strchr(message, '@');
  size_t len = 1;
  while (at && (isalnum((unsigned char)at[len]) || at[len] == '_')) len++;
  return at ? (pm_str){at, len} : PM_STR("");
}

void pm_remark_list_free(pm_remark_list *list) {
  for (size_t i = 0; i < list->all.len; i++) {
    free(list->all.data[i].pass);
    free(list->all.data[i].message);
    free(list->all.data[i].args);
  }
  PM_VEC_FREE(list->all);
}
