/* The machine that code is made for. */
#define _GNU_SOURCE /* pipe2 */
#include "targets/llvm/backend/backend.h"

#include "dialects/machine/machine.h"

#include <fcntl.h>
#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the options name, else what this computer has. */
typedef struct machine_words {
  const char *triple, *cpu, *features;
  char *own_triple, *own_cpu; /* LLVM's messages */
  char *own_features;
} machine_words;

/* On processors with this vulnerability gathers wait for its remedy. */
static bool gathers_wait(void) {
  char text[32] = "";
  FILE *file = fopen("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling", "re");
  if (!file) return false;
  bool read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  return read && strcmp(text, "Not affected\n") != 0;
}

/* Processors of AMD before AVX-512 gather no faster than they load one by one. */
static bool gathers_slowly(const char *cpu, const char *has) {
  return !strncmp(cpu, "znver", 5) && !strstr(has, "+avx512f");
}

/* What this processor has, and what it had better not do. To be freed. Without fast-gather LLVM would compute
 * the places of look-ups, and all that leads to them, one by one, too. */
static char *host_features(const char *cpu) {
  char *has = LLVMGetHostCPUFeatures();
  pm_buf features = {0};
  pm_buf_puts(&features, has);
  if (strstr(has, "+avx2") && (gathers_wait() || gathers_slowly(cpu, has)))
    pm_buf_puts(&features, ",+fast-gather,+prefer-no-gather,+prefer-no-scatter");
  LLVMDisposeMessage(has);
  return pm_buf_take(&features);
}

/* Where a system's ABI wants more of a processor than LLVM's generic one has, as the psABIs of RISC-V and
 * LoongArch say, and 32-bit integers in registers extended by their sign, whatever their type. */
typedef struct system_abi {
  const char *arch, *features;
} system_abi;

static const system_abi abis[] = {
    {"riscv64", "+m,+a,+f,+d,+c"},
    {"loongarch64", "+f,+d"},
};

/* NULL: the generic processor has what the ABI wants, and does with integers what LLVM does. */
static const system_abi *abi_of(const char *triple) {
  for (size_t i = 0; i < PM_COUNT(abis); i++)
    if (!strncmp(triple, abis[i].arch, strlen(abis[i].arch)) && strstr(triple, "linux")) return &abis[i];
  return NULL;
}

/* The features that are named, for a processor that is not, behind those of the ABI. To be freed. */
static char *features_of_abi(const char *triple, const char *named) {
  const system_abi *abi = abi_of(triple);
  pm_buf features = {0};
  pm_buf_printf(&features, "%s%s%s", abi ? abi->features : "", abi && *named ? "," : "", named);
  return pm_buf_take(&features);
}

/* What LLVM does not say of a processor that is named. Its third level of the psABI is tuned as if nothing
 * gathered: the places of look-ups would be computed one by one. */
static const char *features_of_named(const char *cpu) {
  return strcmp(cpu, "x86-64-v3") ? "" : "+fast-gather";
}

static bool is_native(const pm_build_options *o) {
  return o->cpu && strcmp(o->cpu, "native") == 0;
}

static machine_words words_of(const pm_build_options *o) {
  /* `x86_64-linux-gnu` lacks the vendor: LLVM would take linux for that. */
  machine_words w = {.own_triple =
                         o->triple ? LLVMNormalizeTargetTriple(o->triple) : LLVMGetDefaultTargetTriple()};
  bool native = is_native(o), here = native || (!o->triple && !o->cpu), named = o->cpu && !native;
  if (here) w.own_cpu = LLVMGetHostCPUName();
  if (here) w.own_features = host_features(w.own_cpu);
  w.triple = w.own_triple;
  w.cpu = named ? o->cpu : here ? w.own_cpu : "generic";
  if (!named && !here) w.own_features = features_of_abi(w.triple, o->features ? o->features : "");
  w.features = w.own_features ? w.own_features : features_of_named(w.cpu);
  if (o->features && (named || here)) w.features = o->features;
  return w;
}

static void free_words(machine_words *w) {
  LLVMDisposeMessage(w->own_triple);
  if (w->own_cpu) LLVMDisposeMessage(w->own_cpu);
  free(w->own_features);
}

/* Passes of LLVM's code generator that are left out. Loop strength reduction takes minutes for deep loops,
 * and most of the time for others; addresses of base, index and offset need none of it. Domain reassignment
 * moves integers to mask registers, which these programs have no use for. Both are options of the process, as
 * all of LLVM's are that have no other way in. */
static void leave_passes_out(void) {
  static const char *const words[] = {"pm", "-disable-lsr", "-disable-x86-domain-reassignment"};
  LLVMParseCommandLineOptions((int)PM_COUNT(words), words, "");
}

/* Builds of one LLVM have other targets than that of which the headers are: what is missing is not called. */
#define LLVM_TARGET(name)                                                                                    \
  __attribute__((weak)) void LLVMInitialize##name##TargetInfo(void);                                         \
  __attribute__((weak)) void LLVMInitialize##name##Target(void);                                             \
  __attribute__((weak)) void LLVMInitialize##name##TargetMC(void);
#include <llvm/Config/Targets.def>
#define LLVM_ASM_PRINTER(name) __attribute__((weak)) void LLVMInitialize##name##AsmPrinter(void);
#include <llvm/Config/AsmPrinters.def>
#define LLVM_ASM_PARSER(name) __attribute__((weak)) void LLVMInitialize##name##AsmParser(void);
#include <llvm/Config/AsmParsers.def>

static void initialize_all(void) {
  static void (*const parts[])(void) = {
#define LLVM_TARGET(name)                                                                                    \
  LLVMInitialize##name##TargetInfo, LLVMInitialize##name##Target, LLVMInitialize##name##TargetMC,
#include <llvm/Config/Targets.def>
#define LLVM_ASM_PRINTER(name) LLVMInitialize##name##AsmPrinter,
#include <llvm/Config/AsmPrinters.def>
#define LLVM_ASM_PARSER(name) LLVMInitialize##name##AsmParser,
#include <llvm/Config/AsmParsers.def>
  };
  for (size_t i = 0; i < PM_COUNT(parts); i++)
    if (parts[i]) parts[i]();
}

/* Other machines than this are only looked for when they are asked for. */
static void initialize(const pm_build_options *options) {
  if (options->triple) {
    initialize_all();
  } else {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
  }
}

/* --- words that LLVM does not know --- */

/* It tells of a processor or a feature that was asked for on standard error alone, and goes on without. */
typedef struct hearing {
  int console; /* what standard error was; below 0: there is none */
  int heard;   /* what is told meanwhile; below 0: nothing can be */
} hearing;

static hearing begin_hearing(bool wanted) {
  int ends[2];
  hearing h = {wanted ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1, -1};
  if (h.console < 0) return h;
  if (pipe2(ends, O_CLOEXEC) == 0) {
    h.heard = ends[0];
    (void)dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
  }
  return h;
}

/* True, with the first line in `error`, when something was told. */
static bool end_hearing(hearing h, pm_buf *error) {
  char line[256] = "";
  if (h.console < 0) return false;
  (void)dup2(h.console, STDERR_FILENO);
  close(h.console);
  ssize_t len = read(h.heard, line, sizeof line - 1);
  close(h.heard);
  if (len <= 0) return false;
  char *end = line + strcspn(line, "(\n");
  while (end > line && end[-1] == ' ') end--;
  pm_buf_printf(error, "LLVM: %.*s", (int)(end - line), line);
  return true;
}

/* A processor that LLVM knows may still not be one that code of the triple runs on. */
static void give_up(const char *reason) {
  fprintf(stderr, "error: LLVM makes no code for this machine: %s\n", reason);
  _exit(EXIT_FAILURE);
}

/* Offsets have 64 bits, and so have the arguments that are sizes. */
static bool has_wide_pointers(LLVMTargetMachineRef machine, const char *triple, pm_buf *error) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  unsigned bits = 8 * LLVMPointerSize(layout);
  LLVMDisposeTargetData(layout);
  if (bits == 64) return true;
  pm_buf_printf(error, "the target 'llvm' makes 64-bit code only, but pointers of %s have %u bits", triple,
                bits);
  return false;
}

/* Functions of C++, which LLVM's interface for C lacks. */
extern void (*set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");
extern void
set_bad_alloc_handler(void (*handler)(void *user, const char *reason, bool crash),
                      void *user) __asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

static void end_without_memory(void) {
  _exit(PM_CHILD_WITHOUT_MEMORY);
}

static void end_by_bad_alloc(void *user, const char *reason, bool crash) {
  (void)user, (void)reason, (void)crash;
  end_without_memory();
}

void ll_enter_child(void) {
  set_new_handler(end_without_memory);
  set_bad_alloc_handler(end_by_bad_alloc, NULL);
}

static LLVMTargetMachineRef create(const machine_words *w, bool asked, pm_buf *error) {
  LLVMTargetRef target = NULL;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(w->triple, &target, &message)) {
    ll_put_message(error, "LLVM makes no code for this machine", message);
    return NULL;
  }
  hearing h = begin_hearing(asked);
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
      target, w->triple, w->cpu, w->features, LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  if (!end_hearing(h, error) && has_wide_pointers(machine, w->triple, error)) return machine;
  LLVMDisposeTargetMachine(machine);
  return NULL;
}

/* A triple of another architecture than this computer's has no processor of this computer. */
static bool may_be_native(const pm_build_options *options, pm_buf *error) {
  if (!options->triple || !is_native(options)) return true;
  char *own = LLVMGetDefaultTargetTriple();
  size_t len = strcspn(own, "-");
  bool ok = strncmp(own, options->triple, len) == 0 && options->triple[len] == '-';
  LLVMDisposeMessage(own);
  return ok ||
         pm_failf(error, "--cpu=native is this computer's processor, which '%s' is not for", options->triple);
}

LLVMTargetMachineRef ll_machine(const pm_build_options *options, pm_buf *error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!may_be_native(options, error)) return NULL;
  (void)pthread_once(&once, leave_passes_out);
  initialize(options);
  LLVMResetFatalErrorHandler();
  bool asked = options->cpu || options->features;
  if (asked) LLVMInstallFatalErrorHandler(give_up);
  machine_words w = words_of(options);
  LLVMTargetMachineRef machine = create(&w, asked, error);
  free_words(&w);
  return machine;
}

/* --- what runs at the end --- */

static LLVMValueRef add_array(LLVMModuleRef module, LLVMValueRef *items, unsigned n, const char *name,
                              const char *section) {
  LLVMValueRef array = LLVMConstArray2(LLVMTypeOf(items[0]), items, n);
  LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(array), name);
  LLVMSetInitializer(global, array);
  LLVMSetSection(global, section);
  return global;
}

void ll_use_fini_array(LLVMModuleRef module) {
  LLVMValueRef all = LLVMGetNamedGlobal(module, "llvm.global_dtors");
  if (!all || !strstr(LLVMGetTarget(module), "linux")) return;
  LLVMValueRef rows = LLVMGetInitializer(all);
  PM_VEC(LLVMValueRef) functions = {0};
  unsigned n = (unsigned)LLVMGetArrayLength2(LLVMTypeOf(rows));
  for (unsigned i = 0; i < n; i++)
    PM_VEC_PUSH(functions, LLVMGetAggregateElement(LLVMGetAggregateElement(rows, i), 1));
  LLVMDeleteGlobal(all);
  LLVMValueRef ends = add_array(module, functions.data, n, "pm.ends", ".fini_array");
  LLVMSetLinkage(ends, LLVMInternalLinkage);
  LLVMSetAlignment(ends, sizeof(void *)); /* padding would be called */
  LLVMSetGlobalConstant(ends, true);
  LLVMSetLinkage(add_array(module, &ends, 1, "llvm.used", "llvm.metadata"), LLVMAppendingLinkage);
  PM_VEC_FREE(functions);
}

/* --- attributes --- */

static void add_string(LLVMValueRef function, const char *key, const char *value) {
  LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(ctx, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

static LLVMAttributeRef sign_extended(LLVMContextRef ctx) {
  return LLVMCreateEnumAttribute(ctx, LLVMGetEnumAttributeKindForName("signext", strlen("signext")), 0);
}

static bool is_int32(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
}

/* Adds the attribute to integers of 32 bits that a function, or a call of one, takes and gives. */
static void extend_integers(LLVMValueRef at, LLVMTypeRef signature,
                            void (*add)(LLVMValueRef, LLVMAttributeIndex, LLVMAttributeRef)) {
  LLVMAttributeRef extended = sign_extended(LLVMGetTypeContext(signature));
  unsigned n = LLVMCountParamTypes(signature);
  LLVMTypeRef *types = pm_xcalloc(n + 1, sizeof *types);
  LLVMGetParamTypes(signature, types);
  types[n] = LLVMGetReturnType(signature);
  if (is_int32(types[n])) add(at, LLVMAttributeReturnIndex, extended);
  for (unsigned i = 0; i < n; i++)
    if (is_int32(types[i])) add(at, i + 1, extended);
  free(types);
}

static void extend_calls(LLVMValueRef function) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef op = LLVMGetFirstInstruction(b); op; op = LLVMGetNextInstruction(op))
      if (LLVMGetInstructionOpcode(op) == LLVMCall)
        extend_integers(op, LLVMGetCalledFunctionType(op), LLVMAddCallSiteAttribute);
}

/* As the ABI wants them in registers: else the upper halves are anything. */
static void extend_all_integers(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMGetIntrinsicID(f)) continue;
    extend_integers(f, LLVMGlobalGetValueType(f), LLVMAddAttributeAtIndex);
    extend_calls(f);
  }
}

/* Without this LLVM takes the registers of SVE for as short as they may be, and uses those of Neon. */
static void say_sve_length(LLVMValueRef function, const char *triple, const char *cpu) {
  const pm_machine *named = strncmp(triple, "aarch64", 7) == 0 ? pm_find_machine(cpu) : NULL;
  uint64_t least = named ? (uint64_t)named->vector_bytes / PM_SVE_STEP_BYTES : 0;
  if (least < 2) return;
  unsigned kind = LLVMGetEnumAttributeKindForName("vscale_range", strlen("vscale_range"));
  LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateEnumAttribute(ctx, kind, least << 32 | PM_SVE_MOST_BYTES / PM_SVE_STEP_BYTES));
}

/* LLVM keeps to half of a vector of 512 bits on processors that gain by whole ones. */
void ll_set_machine(LLVMModuleRef module, LLVMTargetMachineRef machine) {
  char *triple = LLVMGetTargetMachineTriple(machine), *cpu = LLVMGetTargetMachineCPU(machine);
  char *features = LLVMGetTargetMachineFeatureString(machine);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetTarget(module, triple);
  LLVMSetModuleDataLayout(module, layout);
  if (abi_of(triple)) extend_all_integers(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) continue;
    add_string(f, "target-cpu", cpu);
    add_string(f, "target-features", features);
    add_string(f, "prefer-vector-width", "512");
    say_sve_length(f, triple, cpu);
  }
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
}
