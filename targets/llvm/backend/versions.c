/* Several versions of a program in one object, each for a level of x86-64 (psABI): --cpu=x86-64-v2,x86-64-v4.
 * A function of the program is one that asks for the processor's level, the first time by cpuid
 * (versions.ll), and goes on in the best version that it can run. */
#include "targets/llvm/backend/backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

extern const char llvm_versions[]; /* versions.ll */

enum { MOST_VERSIONS = 4 };

/* In the order of their levels, from 1 on. */
static const char *const levels[MOST_VERSIONS] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

typedef struct version {
  unsigned level;
  LLVMModuleRef module; /* of the first: the program's */
  LLVMTargetMachineRef machine;
} version;

typedef struct versions {
  version list[MOST_VERSIONS];
  unsigned n;
  PM_VEC(char *) names; /* of the program's functions */
} versions;

/* --- the processors --- */

bool ll_wants_versions(const pm_build_options *options) {
  return options->cpu && strchr(options->cpu, ',');
}

/* 0: it is no level. */
static unsigned level_of(const char *name, size_t len) {
  for (unsigned i = 0; i < MOST_VERSIONS; i++)
    if (strlen(levels[i]) == len && strncmp(levels[i], name, len) == 0) return i + 1;
  return 0;
}

/* Ascending; false with a line in `error`. */
static bool read_levels(versions *v, const char *text, pm_buf *error) {
  for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    unsigned level = level_of(at, strcspn(at, ","));
    if (!level || v->n == MOST_VERSIONS || (v->n && level <= v->list[v->n - 1].level)) {
      pm_buf_printf(error,
                    "--cpu is '%s', but several processors may only be x86-64, x86-64-v2, x86-64-v3 and "
                    "x86-64-v4, in this order",
                    text);
      return false;
    }
    v->list[v->n++].level = level;
  }
  return true;
}

static pm_build_options options_for(const pm_build_options *options, const version *v) {
  pm_build_options own = *options;
  own.cpu = levels[v->level - 1];
  return own;
}

static bool is_x86(const pm_build_options *options, pm_buf *error) {
  char *own = LLVMGetDefaultTargetTriple();
  const char *triple = options->triple ? options->triple : own;
  bool is = strncmp(triple, "x86_64", strlen("x86_64")) == 0;
  if (!is)
    pm_buf_printf(error,
                  "there is one version of code for '%s': several processors in --cpu are levels of x86-64",
                  triple);
  LLVMDisposeMessage(own);
  return is;
}

/* --- the versions --- */

static bool is_public(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && LLVMGetLinkage(function) == LLVMExternalLinkage;
}

static void list_functions(versions *v, LLVMModuleRef module) {
  size_t len;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (is_public(f)) PM_VEC_PUSH(v->names, pm_xstrdup(LLVMGetValueName2(f, &len)));
}

/* `harris.x86-64-v3`; to be freed. */
static char *name_in(const version *v, const char *name) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s.%s", name, levels[v->level - 1]);
  return pm_buf_take(&text);
}

static void rename_functions(const versions *v, const version *own) {
  for (size_t i = 0; i < v->names.len; i++) {
    char *name = name_in(own, v->names.data[i]);
    LLVMSetValueName2(LLVMGetNamedFunction(own->module, v->names.data[i]), name, strlen(name));
    free(name);
  }
}

static bool make_version(ll_program *p, const versions *v, version *own, const pm_build_options *options,
                         pm_buf *error) {
  pm_build_options named = options_for(options, own);
  if (!own->machine) own->machine = ll_machine(&named, error);
  if (!own->machine) return false;
  ll_set_machine(own->module, own->machine);
  rename_functions(v, own);
  ll_program one = {p->ctx, own->module, own->machine};
  return ll_optimize(&one, error);
}

/* Moves the module into the program's. */
static bool join(ll_program *p, LLVMModuleRef *module, pm_buf *error) {
  bool failed = LLVMLinkModules2(p->module, *module);
  *module = NULL;
  if (failed && !error->len) pm_buf_puts(error, "LLVM does not join the versions of the program");
  return !failed;
}

/* --- the choice --- */

static LLVMTypeRef type_of(const ll_program *p, const version *v, const char *name) {
  char *in = name_in(v, name);
  LLVMTypeRef type = LLVMGlobalGetValueType(LLVMGetNamedFunction(p->module, in));
  free(in);
  return type;
}

/* Returns what the version's function does. */
static void go_on(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef from, LLVMTypeRef type,
                  const version *v, const char *name) {
  char *in = name_in(v, name);
  unsigned n = LLVMCountParams(from);
  LLVMValueRef *args = pm_xcalloc(n + 1u, sizeof *args);
  LLVMGetParams(from, args);
  LLVMValueRef call = LLVMBuildCall2(b, type, LLVMAddFunction(module, in, type), args, n, "");
  LLVMSetTailCall(call, true);
  if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(b);
  else
    LLVMBuildRet(b, call);
  free(args);
  free(in);
}

static void add_choice(const ll_program *p, const versions *v, LLVMModuleRef module, const char *name) {
  LLVMTypeRef type = type_of(p, &v->list[0], name);
  LLVMValueRef choice = LLVMAddFunction(module, name, type), level = LLVMGetNamedFunction(module, "pm.level");
  LLVMBuilderRef b = LLVMCreateBuilderInContext(p->ctx);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(p->ctx);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(p->ctx, choice, ""));
  LLVMValueRef is = LLVMBuildCall2(b, LLVMGlobalGetValueType(level), level, NULL, 0, "");
  for (unsigned i = v->n; i-- > 1;) {
    LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(p->ctx, choice, ""),
                      no = LLVMAppendBasicBlockInContext(p->ctx, choice, "");
    LLVMValueRef least = LLVMConstInt(i32, v->list[i].level, false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGE, is, least, ""), yes, no);
    LLVMPositionBuilderAtEnd(b, yes);
    go_on(b, module, choice, type, &v->list[i], name);
    LLVMPositionBuilderAtEnd(b, no);
  }
  go_on(b, module, choice, type, &v->list[0], name);
  LLVMDisposeBuilder(b);
}

/* The functions that choose, in a module of their own; NULL with a line in `error`. */
static LLVMModuleRef choices(const ll_program *p, const versions *v, pm_buf *error) {
  LLVMMemoryBufferRef text =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(llvm_versions, strlen(llvm_versions), "versions");
  LLVMModuleRef module = NULL;
  char *message = NULL;
  if (LLVMParseIRInContext(p->ctx, text, &module, &message)) {
    ll_put_message(error, "LLVM does not read its own text", message);
    return NULL;
  }
  for (size_t i = 0; i < v->names.len; i++) add_choice(p, v, module, v->names.data[i]);
  ll_set_machine(module, p->machine);
  LLVMSetLinkage(LLVMGetNamedFunction(module, "pm.level"), LLVMExternalLinkage);
  return module;
}

static void hide(const ll_program *p, const char *name) {
  LLVMValueRef function = LLVMGetNamedFunction(p->module, name);
  if (function) LLVMSetLinkage(function, LLVMInternalLinkage);
}

static void hide_versions(const ll_program *p, const versions *v) {
  hide(p, "pm.level");
  for (unsigned k = 0; k < v->n; k++)
    for (size_t i = 0; i < v->names.len; i++) {
      char *name = name_in(&v->list[k], v->names.data[i]);
      hide(p, name);
      free(name);
    }
}

/* --- the whole --- */

static bool make_versions(ll_program *p, versions *v, const pm_build_options *options, pm_buf *error) {
  list_functions(v, p->module);
  for (unsigned k = 1; k < v->n; k++) v->list[k].module = LLVMCloneModule(p->module);
  v->list[0].module = p->module;
  v->list[0].machine = p->machine;
  for (unsigned k = 0; k < v->n; k++)
    if (!make_version(p, v, &v->list[k], options, error)) return false;
  for (unsigned k = 1; k < v->n; k++)
    if (!join(p, &v->list[k].module, error)) return false;
  LLVMModuleRef chosen = choices(p, v, error);
  if (!chosen || !join(p, &chosen, error)) return false;
  hide_versions(p, v);
  return true;
}

static void free_versions(versions *v) {
  for (unsigned k = 1; k < v->n; k++) {
    if (v->list[k].module) LLVMDisposeModule(v->list[k].module);
    if (v->list[k].machine) LLVMDisposeTargetMachine(v->list[k].machine);
  }
  for (size_t i = 0; i < v->names.len; i++) free(v->names.data[i]);
  PM_VEC_FREE(v->names);
}

bool ll_read_versions(ll_program *p, const pm_buf *text, const pm_build_options *options, pm_buf *error) {
  versions v = {.n = 0};
  *p = (ll_program){.ctx = NULL};
  if (!read_levels(&v, options->cpu, error) || !is_x86(options, error)) return false;
  pm_build_options first = options_for(options, &v.list[0]);
  bool ok = ll_read_program(p, text, &first, error) && make_versions(p, &v, options, error);
  free_versions(&v);
  return ok;
}
