/* What LLVM is told beside the operations: which accesses cannot overlap, and which loops have iterations
 * that may run at once. */
#include "targets/llvm/backend/emit.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

extern const char llvm_runtime[], llvm_pool[]; /* runtime.ll, pool.ll */

/* --- nodes --- */

static LLVMMetadataRef string_node(const ll_emitter *e, const char *text) {
  return LLVMMDStringInContext2(e->ctx, text, strlen(text));
}

static LLVMMetadataRef number_node(LLVMValueRef number) {
  return LLVMValueAsMetadata(number);
}

static LLVMMetadataRef node(const ll_emitter *e, LLVMMetadataRef *items, size_t n) {
  return LLVMMDNodeInContext2(e->ctx, items, n);
}

/* One that has itself as its first item, and so is no other: items[0] is free for it. */
static LLVMMetadataRef own_node(const ll_emitter *e, LLVMMetadataRef *items, size_t n) {
  items[0] = LLVMTemporaryMDNode(e->ctx, NULL, 0);
  LLVMMetadataRef made = node(e, items, n);
  LLVMMetadataReplaceAllUsesWith(items[0], made);
  return made;
}

static void attach(const ll_emitter *e, LLVMValueRef instruction, const char *kind,
                   LLVMMetadataRef metadata) {
  unsigned id = LLVMGetMDKindIDInContext(e->ctx, kind, (unsigned)strlen(kind));
  LLVMSetMetadata(instruction, id, LLVMMetadataAsValue(e->ctx, metadata));
}

/* --- the module --- */

static LLVMModuleRef parse(ll_emitter *e, const char *text, size_t len, const char *name) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, len, name);
  LLVMModuleRef module = NULL;
  char *message = NULL;
  if (LLVMParseIRInContext(e->ctx, buffer, &module, &message))
    pm_panic(NULL, "LLVM does not read '%s': %s", name, message);
  return module;
}

/* An access group is a node without items that is no other, which LLVM's C interface makes from text only.
 * Nodes belong to the context, not to the module that they were read with. */
static void read_groups(ll_emitter *e) {
  pm_buf text = {0};
  pm_buf_puts(&text, "!groups = !{");
  for (unsigned i = 0; i < e->n_groups; i++) pm_buf_printf(&text, "%s!%u", i ? ", " : "", i);
  pm_buf_puts(&text, "}\n");
  for (unsigned i = 0; i < e->n_groups; i++) pm_buf_printf(&text, "!%u = distinct !{}\n", i);
  LLVMModuleRef module = parse(e, text.data, text.len, "groups");
  e->groups = pm_xcalloc(e->n_groups, sizeof(LLVMValueRef));
  LLVMGetNamedMetadataOperands(module, "groups", e->groups);
  LLVMDisposeModule(module);
  pm_buf_free(&text);
}

void ll_make_module(ll_emitter *e, unsigned n_groups) {
  e->n_groups = n_groups;
  if (n_groups) read_groups(e);
  e->module = parse(e, llvm_runtime, strlen(llvm_runtime), "pipeline");
  if (e->pool && LLVMLinkModules2(e->module, parse(e, llvm_pool, strlen(llvm_pool), "pool")))
    pm_panic(NULL, "LLVM does not join its own texts");
}

/* --- aliases --- */

/* Accesses of a nest of loops: what memory they touch. Memory of other nests is far away. */
typedef struct ll_nest {
  PM_VEC(const pm_op *) memories;
  pm_map *without; /* memory -> LLVMMetadataRef: the scopes of those that it does not overlap */
} ll_nest;

void ll_begin_aliases(ll_emitter *e) {
  LLVMMetadataRef domain[] = {string_node(e, e->name)};
  e->domain = node(e, domain, 1);
  e->scopes = pm_map_new();
  e->memories = pm_map_new();
}

static pm_walk free_nest(void *user, pm_op *op) {
  ll_nest *nest = pm_map_get(user, op);
  if (!nest) return PM_WALK_ON;
  PM_VEC_FREE(nest->memories);
  pm_map_free(nest->without);
  return PM_WALK_ON;
}

void ll_end_aliases(ll_emitter *e) {
  (void)pm_walk_pre((pm_op *)e->func, free_nest, e->memories);
  pm_map_free(e->memories);
  pm_map_free(e->scopes);
}

/* The loop on several threads around the op, else the outermost loop, else the function. */
static const pm_op *nest_of(const ll_emitter *e, const pm_op *op) {
  const pm_op *nest = e->func;
  for (const pm_op *up = pm_parent(op); up && up != e->func; up = pm_parent(up))
    if (pm_is(up, &loop_for) || pm_is(up, &loop_parallel)) nest = up;
  return nest;
}

static pm_walk add_memory(void *user, pm_op *op) {
  ll_nest *nest = user;
  loop_access access;
  if (!loop_find_access(op, &access)) return PM_WALK_ON;
  const pm_op *memory = pm_def(access.buffer);
  for (size_t i = 0; i < nest->memories.len; i++)
    if (nest->memories.data[i] == memory) return PM_WALK_ON;
  if (!pm_is(memory, &buf_constant)) PM_VEC_PUSH(nest->memories, memory);
  return PM_WALK_ON;
}

static ll_nest *get_nest(ll_emitter *e, const pm_op *op) {
  ll_nest *nest = pm_map_get(e->memories, op);
  if (nest) return nest;
  nest = pm_arena_alloc(e->arena, sizeof *nest);
  nest->without = pm_map_new();
  pm_map_set(e->memories, op, nest);
  (void)pm_walk_pre((pm_op *)op, add_memory, nest);
  return nest;
}

/* `b` is allocated while `a` lives: behind it, in its region or below. */
static bool lives_at(const pm_op *a, const pm_op *b) {
  const pm_op *up = b;
  while (up && up->region != a->region) up = pm_parent(up);
  return up && pm_op_is_before(a, up);
}

/* Places in a workspace of what does not live at the same time may be the same. */
static bool may_overlap(const pm_op *a, const pm_op *b) {
  if (a == b) return true;
  bool placed =
      pm_is(a, &buf_alloc) && pm_is(b, &buf_alloc) && buf_alloc_workspace(a) && buf_alloc_workspace(b);
  return placed && !lives_at(a, b) && !lives_at(b, a);
}

static LLVMMetadataRef scope_of(ll_emitter *e, const pm_op *memory) {
  LLVMMetadataRef scope = pm_map_get(e->scopes, memory);
  if (scope) return scope;
  pm_buf name = {0};
  pm_buf_printf(&name, "%s.%zu", e->name, pm_map_size(e->scopes));
  LLVMMetadataRef items[] = {string_node(e, name.data), e->domain};
  scope = node(e, items, 2);
  pm_buf_free(&name);
  pm_map_set(e->scopes, memory, scope);
  return scope;
}

/* NULL when it overlaps all of them. */
static LLVMMetadataRef scopes_without(ll_emitter *e, ll_nest *nest, const pm_op *memory) {
  if (pm_map_has(nest->without, memory)) return pm_map_get(nest->without, memory);
  ll_metadata_list list = {0};
  for (size_t i = 0; i < nest->memories.len; i++)
    if (!may_overlap(memory, nest->memories.data[i])) PM_VEC_PUSH(list, scope_of(e, nest->memories.data[i]));
  LLVMMetadataRef scopes = list.len ? node(e, list.data, list.len) : NULL;
  PM_VEC_FREE(list);
  pm_map_set(nest->without, memory, scopes);
  return scopes;
}

static void mark_aliases(ll_emitter *e, LLVMValueRef instruction, const pm_op *op, const pm_op *memory) {
  LLVMMetadataRef others = scopes_without(e, get_nest(e, nest_of(e, op)), memory), own = scope_of(e, memory);
  if (!others) return;
  attach(e, instruction, "alias.scope", node(e, &own, 1));
  attach(e, instruction, "noalias", others);
}

void ll_mark_access(ll_emitter *e, LLVMValueRef instruction, const pm_op *op, const pm_value *buffer) {
  const pm_op *memory = pm_def(buffer);
  if (!LLVMIsAInstruction(instruction)) return;
  if (!pm_is(memory, &buf_constant)) mark_aliases(e, instruction, op, memory);
  if (!e->inside.len) return;
  attach(e, instruction, "llvm.access.group",
         e->inside.len == 1 ? e->inside.data[0] : node(e, e->inside.data, e->inside.len));
}

/* --- loops --- */

/* What iterations of a vector loop may not have: failures, threads, memory that they would share. */
static pm_walk stop_at_shared(void *user, pm_op *op) {
  (void)user;
  bool stops =
      pm_is(op, &buf_alloc) || pm_is(op, &loop_call) || pm_is(op, &loop_require) || pm_is(op, &loop_parallel);
  return stops ? PM_WALK_STOP : PM_WALK_ON;
}

bool ll_is_vector_loop(const pm_op *op) {
  bool simd = pm_is(op, &loop_for) && pm_attr_at(op, loop_for_simd) && !op->n_results;
  return simd && pm_walk_pre((pm_op *)op, stop_at_shared, NULL);
}

void ll_enter_vector_loop(ll_emitter *e) {
  PM_VEC_PUSH(e->inside, LLVMValueAsMetadata(e->groups[e->next_group++]));
}

void ll_leave_vector_loop(ll_emitter *e) {
  (void)PM_VEC_POP(e->inside);
}

static LLVMMetadataRef property(ll_emitter *e, const char *name, LLVMMetadataRef value) {
  LLVMMetadataRef items[] = {string_node(e, name), value};
  return node(e, items, value ? 2 : 1);
}

static void add_vectorize(ll_emitter *e, bool enable, ll_metadata_list *list) {
  PM_VEC_PUSH(*list, property(e, "llvm.loop.vectorize.enable", number_node(ll_int(e->i1, enable))));
}

static void add_vector_properties(ll_emitter *e, const pm_op *loop, ll_metadata_list *list) {
  pm_attr width = pm_attr_at(loop, loop_for_width);
  PM_VEC_PUSH(*list, property(e, "llvm.loop.parallel_accesses", PM_VEC_LAST(e->inside)));
  add_vectorize(e, true, list);
  if (width)
    PM_VEC_PUSH(*list, property(e, "llvm.loop.vectorize.width", number_node(ll_int(e->i32, width->i))));
}

static bool is_not_unrolled(const pm_op *loop) {
  pm_attr times = pm_is(loop, &loop_for) ? pm_attr_at(loop, loop_for_unroll) : NULL;
  return times && times->i == 1;
}

/* A loop that is not marked, and carries nothing, is so for a reason, as look-ups in tables are. Of what
 * carries values, sums of integers and the like, LLVM is asked to judge. */
void ll_mark_loop(ll_emitter *e, LLVMValueRef jump, const pm_op *loop) {
  ll_metadata_list list = {0};
  if (loop->n_results) return;
  PM_VEC_PUSH(list, NULL);
  if (ll_is_vector_loop(loop))
    add_vector_properties(e, loop, &list);
  else
    add_vectorize(e, false, &list);
  if (is_not_unrolled(loop)) PM_VEC_PUSH(list, property(e, "llvm.loop.unroll.disable", NULL));
  attach(e, jump, "llvm.loop", own_node(e, list.data, list.len));
  PM_VEC_FREE(list);
}
