/* Places in the program's text, as debug information of lines: a breakpoint at a line of it, the line in a
 * profile. The text of a module always has them; compile.c takes them out unless they are asked for. */
#include "targets/llvm/backend/emit.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { DWARF_VERSION_OF_METADATA = 3 };

static LLVMMetadataRef file_of(ll_emitter *e, pm_loc loc) {
  while (e->debug.files.len <= loc.file) PM_VEC_PUSH(e->debug.files, NULL);
  LLVMMetadataRef *file = &e->debug.files.data[loc.file];
  const char *name = loc.file ? pm_source_name(e->pm, loc.file) : "";
  if (!*file) *file = LLVMDIBuilderCreateFile(e->debug.builder, name, strlen(name), "", 0);
  return *file;
}

void ll_begin_debug(ll_emitter *e) {
  static const char version[] = "Debug Info Version";
  LLVMMetadataRef number = LLVMValueAsMetadata(ll_int(e->i32, DWARF_VERSION_OF_METADATA));
  LLVMAddModuleFlag(e->module, LLVMModuleFlagBehaviorWarning, version, sizeof version - 1, number);
  e->debug.builder = LLVMCreateDIBuilder(e->module);
}

void ll_end_debug(ll_emitter *e) {
  LLVMDIBuilderFinalize(e->debug.builder);
  LLVMDisposeDIBuilder(e->debug.builder);
  PM_VEC_FREE(e->debug.files);
}

/* One for all files: that of the first function. */
static void need_unit(ll_emitter *e, pm_loc loc) {
  if (e->debug.unit) return;
  e->debug.unit = LLVMDIBuilderCreateCompileUnit(
      e->debug.builder, LLVMDWARFSourceLanguageC11, file_of(e, loc), "pm", 2, true, "", 0, 0, "", 0,
      LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0, "", 0);
}

void ll_debug_function(ll_emitter *e, LLVMValueRef function) {
  size_t len;
  const char *name = LLVMGetValueName2(function, &len);
  pm_loc loc = e->func->loc;
  need_unit(e, loc);
  LLVMMetadataRef file = file_of(e, loc);
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(e->debug.builder, file, NULL, 0, LLVMDIFlagZero);
  e->body.debug_scope =
      LLVMDIBuilderCreateFunction(e->debug.builder, file, name, len, name, len, file, loc.line, type, true,
                                  true, loc.line, LLVMDIFlagZero, true);
  LLVMSetSubprogram(function, e->body.debug_scope);
  e->body.debug_file = loc.file;
  ll_debug_op(e, e->func);
}

/* What has no place of its own is of no line. */
void ll_debug_op(ll_emitter *e, const pm_op *op) {
  LLVMMetadataRef scope = e->body.debug_scope;
  if (op->loc.file && op->loc.file != e->body.debug_file)
    scope = LLVMDIBuilderCreateLexicalBlockFile(e->debug.builder, scope, file_of(e, op->loc), 0);
  LLVMSetCurrentDebugLocation2(
      e->builder, LLVMDIBuilderCreateDebugLocation(e->ctx, op->loc.line, op->loc.col, scope, NULL));
}

void ll_debug_nothing(ll_emitter *e) {
  LLVMSetCurrentDebugLocation2(e->builder, NULL);
}
