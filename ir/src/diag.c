#include "ir/diag.h"
#include "ir/fault.h"
#include "ir/ir.h"
#include "ir/src/context_private.h"
#include "ir/text.h"

#include <stdio.h>
#include <stdlib.h>

static const char *severity_name(pm_severity severity) {
  static const char *const names[] = {"error", "warning", "remark", "note"};
  return names[severity];
}

static const char *remark_kind_name(pm_remark_kind kind) {
  static const char *const names[] = {"passed", "missed", "analysis"};
  return names[kind];
}

static void put_place(const pm_context *ctx, pm_loc loc, pm_buf *out) {
  if (!loc.file) return;
  if (!loc.line)
    pm_buf_printf(out, "%s: ", pm_source_name(ctx, loc.file));
  else
    pm_buf_printf(out, "%s:%u:%u: ", pm_source_name(ctx, loc.file), (unsigned)loc.line, (unsigned)loc.col);
}

enum { WIDEST_LINE = 240, CARET_AT = 120 };

/* The part of a very long line that is shown; `col` becomes the caret's place in it. */
static pm_str window(pm_str line, unsigned *col) {
  if (line.len <= WIDEST_LINE) return line;
  size_t from = *col > CARET_AT ? *col - CARET_AT : 0;
  size_t rest = line.len - from;
  *col -= (unsigned)from;
  return (pm_str){line.ptr + from, rest < WIDEST_LINE ? rest : WIDEST_LINE};
}

static bool is_inside_character(char c) {
  return ((unsigned char)c & 0xC0) == 0x80;
}

/* The caret stands under the column whatever a tab's width is and however many bytes a character has. */
static void put_caret(pm_str line, unsigned col, pm_buf *out) {
  for (unsigned i = 0; i + 1 < col; i++) {
    if (i < line.len && is_inside_character(line.ptr[i])) continue;
    pm_buf_putc(out, i < line.len && line.ptr[i] == '\t' ? '\t' : ' ');
  }
  pm_buf_puts(out, "^\n");
}

static void put_source_line(const pm_context *ctx, pm_loc loc, pm_buf *out) {
  if (!loc.file || !loc.line || !loc.col) return;
  pm_str line = pm_source_line(ctx, loc);
  unsigned col = loc.col;
  if (!line.len || col > line.len + 1) return;
  line = window(line, &col);
  pm_buf_put(out, line.ptr, line.len);
  pm_buf_putc(out, '\n');
  put_caret(line, col, out);
}

void pm_print_diag(pm_context *ctx, const pm_diag *diag, pm_buf *out) {
  put_place(ctx, diag->loc, out);
  pm_buf_printf(out, "%s: ", severity_name(diag->severity));
  if (diag->severity == PM_REMARK) pm_buf_printf(out, "[%s] %s: ", diag->pass, remark_kind_name(diag->kind));
  pm_buf_printf(out, "%s\n", diag->message);
  put_source_line(ctx, diag->loc, out);
}

static void print_to_stderr(pm_context *ctx, const pm_diag *diag) {
  pm_buf text = {0};
  pm_print_diag(ctx, diag, &text);
  fwrite(text.data, 1, text.len, stderr);
  pm_buf_free(&text);
}

void pm_drop_diag(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)user, (void)ctx, (void)diag;
}

pm_diag_scope pm_begin_diag_scope(pm_context *ctx, pm_diag_handler handler, void *user) {
  pm_diag_state *now = &ctx->diag;
  pm_diag_scope outer = {now->handler, now->user, now->max_errors, now->n_errors, now->n_warnings};
  pm_set_diag_handler(ctx, handler, user);
  pm_set_max_errors(ctx, 0);
  return outer;
}

void pm_end_diag_scope(pm_context *ctx, pm_diag_scope scope) {
  pm_set_diag_handler(ctx, scope.handler, scope.user);
  pm_set_max_errors(ctx, scope.max_errors);
  ctx->diag.n_errors = scope.n_errors;
  ctx->diag.n_warnings = scope.n_warnings;
  ctx->diag.suppressing = false;
}

void pm_set_diag_handler(pm_context *ctx, pm_diag_handler handler, void *user) {
  ctx->diag.handler = handler;
  ctx->diag.user = user;
}

void pm_set_diag_gate(pm_context *ctx, pm_diag_gate is_open, void *user) {
  ctx->diag.is_open = is_open;
  ctx->diag.gate_user = user;
}

void pm_enable_remarks(pm_context *ctx, bool on) {
  ctx->diag.remarks = on;
}

bool pm_wants_remarks(const pm_context *ctx) {
  return ctx->diag.remarks;
}
void pm_set_max_errors(pm_context *ctx, unsigned max) {
  ctx->diag.max_errors = max;
}
unsigned pm_warning_count(const pm_context *ctx) {
  return ctx->diag.n_warnings;
}

unsigned pm_error_count(const pm_context *ctx) {
  return ctx->diag.n_errors;
}

static void report(pm_context *ctx, const pm_diag *diag) {
  if (ctx->diag.handler)
    ctx->diag.handler(ctx->diag.user, ctx, diag);
  else
    print_to_stderr(ctx, diag);
}

/* Counts an error, and says whether the diagnostic is shown: errors over the limit and their notes are not.
 */
static bool admit(pm_diag_state *state, pm_severity severity) {
  if (state->is_open && !state->is_open(state->gate_user)) return false;
  if (severity == PM_NOTE) return !state->suppressing;
  if (severity == PM_ERROR) state->n_errors++;
  if (severity == PM_WARNING) state->n_warnings++;
  state->suppressing = severity == PM_ERROR && state->max_errors && state->n_errors > state->max_errors;
  return !state->suppressing;
}

/* Fills in the message of `diag` (after `prefix_op`'s name, if given) and reports it. */
static void vreport(pm_context *ctx, pm_diag *diag, const pm_op *prefix_op, const char *fmt, va_list args) {
  if (!admit(&ctx->diag, diag->severity)) return;
  pm_buf text = {0};
  pm_buf_puts(&text, "");
  if (prefix_op) pm_format(&text, "%pO ", (const void *)prefix_op);
  pm_vformat(&text, fmt, args);
  diag->message = text.data;
  report(ctx, diag);
  pm_buf_free(&text);
}

bool pm_error(pm_context *ctx, pm_loc loc, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vreport(ctx, &(pm_diag){.severity = PM_ERROR, .loc = loc}, NULL, fmt, args);
  va_end(args);
  return false;
}

void pm_warning(pm_context *ctx, pm_loc loc, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vreport(ctx, &(pm_diag){.severity = PM_WARNING, .loc = loc}, NULL, fmt, args);
  va_end(args);
}

void pm_note(pm_context *ctx, pm_loc loc, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vreport(ctx, &(pm_diag){.severity = PM_NOTE, .loc = loc}, NULL, fmt, args);
  va_end(args);
}

bool pm_op_error(const pm_op *op, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vreport(pm_op_context(op), &(pm_diag){.severity = PM_ERROR, .loc = op->loc}, op, fmt, args);
  va_end(args);
  return false;
}

void pm_vremark(pm_context *ctx, pm_diag *diag, const char *fmt, va_list args) {
  if (!ctx->diag.remarks) return;
  diag->severity = PM_REMARK;
  vreport(ctx, diag, NULL, fmt, args);
}

void pm_remark(pm_context *ctx, pm_loc loc, pm_remark_kind kind, const char *pass, const pm_remark_arg *args,
               size_t n_args, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  pm_vremark(ctx, &(pm_diag){.loc = loc, .kind = kind, .pass = pass, .args = args, .n_args = n_args}, fmt,
             list);
  va_end(list);
}

void pm_set_crash_hook(pm_context *ctx, void (*hook)(void *user), void *user) {
  ctx->diag.crash_hook = hook;
  ctx->diag.crash_user = user;
}

void pm_run_crash_hook(pm_context *ctx) {
  void (*hook)(void *) = ctx->diag.crash_hook;
  ctx->diag.crash_hook = NULL;
  if (hook) hook(ctx->diag.crash_user);
}

PM_NORETURN void pm_panic(const pm_op *op, const char *fmt, ...) {
  pm_fault fault = {.kind = PM_FAULT_BUG, .op = op};
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  (void)snprintf(fault.message, sizeof fault.message, "%s", text.data ? text.data : "");
  pm_buf_free(&text);
  pm_raise(&fault);
}
