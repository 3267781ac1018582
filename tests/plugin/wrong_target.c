/* A plugin with targets that are the target c with one fault each, for tests/tools/check-target.test: in the
 * text that is emitted, something stands in place of something else. */
#include "tools/plugin.h"

#include <stdlib.h>
#include <string.h>

/* FAULT(id, name, instead of this, that) */
#define FAULTS                                                                                               \
  FAULT(shift, "wrong-shift", "(uint32_t)b >= 32 ? (a < 0 ? -1 : 0) : a >> b", "a >> (b & 31)")              \
  FAULT(end, "wrong-end", "x < n; x", "x <= n; x")                                                           \
  FAULT(crash, "wrong-crash", "sqrtf(", "*(volatile float *)8 + (")                                          \
  FAULT(hang, "wrong-hang", "sqrtf(", "({ extern int pause(void); pause(); }) + (")                          \
  FAULT(syntax, "wrong-syntax", "sqrt(", "sqrt)(")                                                           \
  FAULT(null, "wrong-null", "a == NULL || ", "")                                                             \
  FAULT(order, "wrong-order", "return 16;", "{ o[0] = 1; return 16; }")                                      \
  FAULT(border, "wrong-border", "pm_min_index(int64_t a, int64_t b)\n{\n  return a < b ? a : b",             \
        "pm_min_index(int64_t a, int64_t b)\n{\n  return a < b ? a : b - (b > 3)")

static const pm_target *target_c(pm_context *ctx) {
  return pm_find_target(ctx, "c");
}

static void replace(pm_buf *text, const char *from, const char *to) {
  pm_buf made = {0};
  for (const char *at = text->data; *at;) {
    const char *next = strstr(at, from);
    pm_buf_put(&made, at, next ? (size_t)(next - at) : strlen(at));
    at = next ? next + strlen(from) : "";
    if (next) pm_buf_puts(&made, to);
  }
  pm_buf_free(text);
  *text = made;
}

static bool emit(pm_module *module, const char *header_name, pm_target_output *out, const char *from,
                 const char *to) {
  if (!target_c(pm_module_context(module))->emit(module, header_name, out)) return false;
  replace(&out->source, from, to);
  return true;
}

#define FAULT(id, name, from, to)                                                                            \
  static bool emit_##id(pm_module *module, const char *header_name, pm_target_output *out) {                 \
    return emit(module, header_name, out, from, to);                                                         \
  }
FAULTS
#undef FAULT

static pm_target targets[] = {
#define FAULT(id, text, from, to) {.name = text, .emit = emit_##id},
    FAULTS
#undef FAULT
};

static void register_targets(pm_context *ctx) {
  for (size_t i = 0; i < PM_COUNT(targets); i++) {
    pm_target made = *target_c(ctx);
    made.name = targets[i].name;
    made.emit = targets[i].emit;
    made.only_by_name = true;
    targets[i] = made;
    if (!pm_register_target(ctx, &targets[i])) return;
  }
}

PM_PLUGIN("wrong_target", register_targets)
