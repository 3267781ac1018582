/* IR text as a program. */
#include "frontends/frontend.h"

#include "ir/text.h"

static pm_module *read_ir(pm_context *ctx, const pm_frontend_input *input) {
  return pm_parse_module(ctx, input->file, input->text, input->len, true);
}

static const char *const extensions[] = {"pmir", NULL};
static const pm_frontend_option no_options[] = {{0}};

const pm_frontend pmir_frontend = {.name = "pmir",
                                   .language = "IR",
                                   .extensions = extensions,
                                   .doc = "IR text, as pm-opt prints it",
                                   .options = no_options,
                                   .read = read_ir};
