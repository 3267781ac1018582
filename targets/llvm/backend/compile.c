/* From the text of a module to machine code. */
#include "targets/lib/work_dir.h"
#include "ir/fault.h"
#include "targets/llvm/backend/backend.h"

#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

void ll_put_message(pm_buf *error, const char *what, char *message) {
  pm_buf_printf(error, "%s: %.*s", what, (int)strcspn(message, "\n"), message);
  LLVMDisposeMessage(message);
}

void ll_put_error(pm_buf *error, const char *what, LLVMErrorRef failure) {
  char *message = LLVMGetErrorMessage(failure);
  pm_buf_printf(error, "%s: %s", what, message);
  LLVMDisposeErrorMessage(message);
}

/* --- reading --- */

/* Errors are told; that a loop did not become vectors, and the like, is not. */
static void hear(LLVMDiagnosticInfoRef info, void *user) {
  pm_buf *error = user;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || error->len) return;
  char *text = LLVMGetDiagInfoDescription(info);
  pm_buf_printf(error, "LLVM: %s", text);
  LLVMDisposeMessage(text);
}

/* A file of the user may be anything that LLVM reads; what we emit has been verified. */
static bool verify_given(const ll_program *p, const pm_build_options *options, pm_buf *error) {
  char *message = NULL;
  if (!options->source_file) return true;
  if (LLVMVerifyModule(p->module, LLVMReturnStatusAction, &message)) {
    ll_put_message(error, "LLVM refuses the program", message);
    return false;
  }
  LLVMDisposeMessage(message);
  return true;
}

static bool read_module(ll_program *p, const pm_buf *text, pm_buf *error) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text->data, text->len, "pipeline");
  char *message = NULL;
  if (!LLVMParseIRInContext(p->ctx, buffer, &p->module, &message)) return true;
  ll_put_message(error, "LLVM does not read the program", message);
  p->module = NULL;
  return false;
}

/* The only flag that there is keeps the lines of the program. */
static bool check_flags(const pm_build_options *options, pm_buf *error) {
  if (!options->flags || !strcmp(options->flags, "-g")) return true;
  pm_buf_printf(error, "the target 'llvm' takes no --cflags but -g");
  return false;
}

/* Its text has numbers of Linux. */
static bool check_pool(const ll_program *p, pm_buf *error) {
  LLVMValueRef parallel = LLVMGetNamedFunction(p->module, "pm_parallel");
  char *triple = LLVMGetTargetMachineTriple(p->machine);
  bool ok = !parallel || LLVMIsDeclaration(parallel) || strstr(triple, "linux");
  if (!ok)
    pm_buf_printf(error, "the pool of threads is for Linux, not for '%s': --parallel=openmp has OpenMP's",
                  triple);
  LLVMDisposeMessage(triple);
  return ok;
}

bool ll_read_program(ll_program *p, const pm_buf *text, const pm_build_options *options, pm_buf *error) {
  *p = (ll_program){.ctx = LLVMContextCreate()};
  if (!check_flags(options, error)) return false;
  LLVMContextSetDiagnosticHandler(p->ctx, hear, error);
  p->machine = ll_machine(options, error);
  if (!p->machine || !read_module(p, text, error) || !verify_given(p, options, error) ||
      !check_pool(p, error))
    return false;
  if (!options->flags) (void)LLVMStripModuleDebugInfo(p->module);
  ll_set_machine(p->module, p->machine);
  return true;
}

void ll_free_program(ll_program *p) {
  if (p->module) LLVMDisposeModule(p->module);
  if (p->machine) LLVMDisposeTargetMachine(p->machine);
  if (p->ctx) LLVMContextDispose(p->ctx);
  *p = (ll_program){0};
}

/* --- passes --- */

/* Chosen by measurement (docs/llvm.md): what the passes before have cleaned up is not cleaned up again, and
 * loops become vectors as they are marked. What LLVM does beyond that takes most of its time, and more of it
 * than a C compiler's where loops are deep, and the code is no faster. Globals are looked at last: variants
 * of functions on vectors are unused before. */
#define COMBINE "instcombine<no-verify-fixpoint>"
static const char passes[] =
    "cgscc(inline),"
    "function(sroa,early-cse<memssa>,simplifycfg," COMBINE ",loop-simplify,lcssa,loop-mssa(licm),"
    "loop-vectorize," COMBINE ",simplifycfg,loop-mssa(licm),loop-unroll<O2>,early-cse<memssa>," COMBINE
    "),globaldce";
#undef COMBINE

bool ll_optimize(ll_program *p, pm_buf *error) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  ll_hide_library(p);
  LLVMErrorRef failure = LLVMRunPasses(p->module, passes, p->machine, options);
  ll_show_library(p->module);
  LLVMDisposePassBuilderOptions(options);
  if (!failure) return !error->len;
  ll_put_error(error, "LLVM's passes do not run", failure);
  return false;
}

/* --- code --- */

LLVMMemoryBufferRef ll_generate(ll_program *p, LLVMCodeGenFileType kind, pm_buf *error) {
  LLVMMemoryBufferRef code = NULL;
  char *message = NULL;
  bool failed = LLVMTargetMachineEmitToMemoryBuffer(p->machine, p->module, kind, &message, &code);
  if (!failed && !error->len) return code;
  if (failed && error->len)
    LLVMDisposeMessage(message);
  else if (failed)
    ll_put_message(error, "LLVM makes no code", message);
  if (code) LLVMDisposeMemoryBuffer(code);
  return NULL;
}

/* --- the hook --- */

/* Without what this process has. */
static bool read_for(const char *extension, ll_program *p, const pm_buf *text,
                     const pm_build_options *options, pm_buf *error) {
  if (!ll_read_program(p, text, options, error)) return false;
  return strcmp(extension, LLVM_JIT_EXTENSION) != 0 || ll_drop_pool(p, error);
}

/* Optimized. */
static bool make_module(ll_program *p, const char *extension, const pm_buf *text,
                        const pm_build_options *options, pm_buf *error) {
  if (ll_wants_versions(options)) return ll_read_versions(p, text, options, error);
  return read_for(extension, p, text, options, error) && ll_optimize(p, error);
}

static LLVMMemoryBufferRef make_file(ll_program *p, const char *extension, pm_buf *error) {
  if (strcmp(extension, "bc") == 0) return LLVMWriteBitcodeToMemoryBuffer(p->module);
  ll_use_fini_array(p->module);
  return ll_generate(p, strcmp(extension, "s") == 0 ? LLVMAssemblyFile : LLVMObjectFile, error);
}

/* A file of that extension in the folder. */
static bool keep_file(const pm_work_dir *dir, const char *base, const char *extension, const char *bytes,
                      size_t len, pm_buf *error) {
  char *path = pm_work_dir_file(dir, base, extension);
  bool ok = pm_write_file(path, bytes, len);
  if (!ok) pm_buf_printf(error, "cannot write '%s': %s", path, strerror(errno));
  free(path);
  return ok;
}

/* The text and the object, where the user wants to see what is on the way. */
static bool keep_files(const pm_target_output *text, const pm_buf *code, const pm_build_options *options,
                       pm_buf *error) {
  pm_work_dir dir;
  if (!options->kept_by) return true;
  if (!pm_work_dir_init(&dir, options->owns_process, error)) return false;
  bool ok = keep_file(&dir, options->base, "ll", text->source.data, text->source.len, error) &&
            keep_file(&dir, options->base, "o", code->data, code->len, error);
  pm_work_dir_free(&dir, options->kept_by);
  return ok;
}

static void free_program(void *program) {
  ll_free_program(program);
}

static void free_buffer(void *buffer) {
  LLVMDisposeMemoryBuffer(buffer);
}

/* To the file, even if that takes more memory than there is. */
static void take_buffer(LLVMMemoryBufferRef made, pm_buf *file) {
  pm_cleanup freeing;
  pm_cleanup_add(&freeing, free_buffer, made);
  pm_buf_put(file, LLVMGetBufferStart(made), LLVMGetBufferSize(made));
  pm_cleanup_remove(&freeing);
  LLVMDisposeMemoryBuffer(made);
}

pm_outcome ll_compile(const pm_target_output *text, const char *extension, const pm_build_options *options,
                      pm_buf *file, pm_report *report) {
  ll_program program = {0};
  LLVMMemoryBufferRef made = NULL;
  pm_cleanup freeing;
  pm_cleanup_add(&freeing, free_program, &program);
  if (make_module(&program, extension, &text->source, options, &report->error))
    made = make_file(&program, extension, &report->error);
  bool ok = made != NULL;
  if (ok) take_buffer(made, file);
  pm_cleanup_remove(&freeing);
  ll_free_program(&program);
  if (ok && ll_is_linked(extension)) {
    pm_buf object = *file;
    *file = (pm_buf){0};
    ok = ll_link(&object, extension, options, file, report);
    pm_buf_free(&object);
  }
  ok = ok && keep_files(text, file, options, &report->error);
  return ok ? PM_OUTCOME_OK : PM_OUTCOME_REFUSED;
}
