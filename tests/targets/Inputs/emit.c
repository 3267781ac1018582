/* emit TARGET FILE: what the target makes of a .pmir file, with no passes. */
#include <stdio.h>
#include <stdlib.h>

#include "dialects/dialects.h"
#include "ir/text.h"
#include "targets/target.h"

static bool emit_text(pm_context *ctx, const pm_target *target, const char *name, const char *text,
                      size_t len) {
  pm_module *module = pm_parse_module(ctx, name, text, len, true);
  pm_target_output out = {0};
  bool ok = module && pm_emit(target, module, "program.h", &out);
  if (ok) fputs(out.source.data, stdout);
  pm_target_output_free(&out);
  if (module) pm_module_free(module);
  return ok;
}

int main(int argc, char **argv) {
  size_t len;
  char *text = argc == 3 ? pm_read_file(argv[2], &len) : NULL;
  if (!text) return 2;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_targets(ctx);
  const pm_target *target = pm_find_target(ctx, argv[1]);
  if (!target) return 2;
  bool ok = emit_text(ctx, target, argv[2], text, len);
  pm_context_free(ctx);
  free(text);
  return ok ? 0 : 1;
}
