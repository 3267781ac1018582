#include "pm/messages.h"

#include "ir/fault.h"

#include <stdlib.h>

void pm_tell(const pm_options *options, const pm_message *message) {
  if (!options->handler) return;
  pm_heap *left = pm_heap_leave();
  options->handler(options->user, message);
  pm_heap_return(left);
}

void pm_tell_diagnostic(const pm_options *options, const pm_context *ctx, const pm_diag *diag) {
  static const pm_message_kind kinds[] = {[PM_ERROR] = PM_MESSAGE_ERROR,
                                          [PM_WARNING] = PM_MESSAGE_WARNING,
                                          [PM_REMARK] = PM_MESSAGE_REMARK,
                                          [PM_NOTE] = PM_MESSAGE_NOTE};
  pm_str line = pm_source_line(ctx, diag->loc);
  char *source = line.len ? pm_xstrndup(line.ptr, line.len) : NULL;
  pm_tell(options, &(pm_message){.kind = kinds[diag->severity],
                                 .file = diag->loc.file ? pm_source_name(ctx, diag->loc.file) : NULL,
                                 .line = diag->loc.line,
                                 .column = diag->loc.col,
                                 .source = source,
                                 .text = diag->message,
                                 .pass = diag->severity == PM_REMARK ? diag->pass : NULL});
  free(source);
}
