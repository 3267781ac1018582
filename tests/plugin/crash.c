/* A plugin whose passes go wrong, each in its way: most crash, and the tools leave a reproducer and exit with
 * 70. Its language has a word for each way in which reading may end: endless, read-null, fill-stack, panic.
 */
#include "tools/plugin.h"

#include "ir/pass.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pm_result run_read_null(pm_pass *p) {
  const volatile int *volatile nowhere = NULL;
  (void)p;
  return *nowhere ? PM_CHANGED : PM_UNCHANGED;
}

static int deeper(volatile int *n) {
  volatile char room[4096] = {0};
  *n += 1;
  return *n > 0 ? deeper(n) + room[*n % 7] : 0;
}

static pm_result run_fill_stack(pm_pass *p) {
  volatile int n = 1;
  (void)p;
  return deeper(&n) ? PM_CHANGED : PM_UNCHANGED;
}

static pm_result run_abort(pm_pass *p) {
  (void)p;
  abort();
}

static pm_result run_panic(pm_pass *p) {
  pm_panic(pm_pass_root(p), "the pass gives up");
}

static pm_result run_panic_without_op(pm_pass *p) {
  (void)p;
  pm_panic(NULL, "the pass gives up");
}

/* Erases what may be erased and denies it. */
static pm_result run_lie(pm_pass *p) {
  pm_region *region = pm_region_at(pm_pass_root(p), 0);
  if (region->first) pm_op_erase(region->first);
  return PM_UNCHANGED;
}

static pm_result run_erase_root(pm_pass *p) {
  pm_op_erase(pm_pass_root(p));
  return PM_CHANGED;
}

static pm_result run_erase_parent(pm_pass *p) {
  pm_op_erase(pm_parent(pm_pass_root(p)));
  return PM_CHANGED;
}

/* The last op of the first function comes before what it uses. */
static pm_result run_break(pm_pass *p) {
  pm_region *body = pm_region_at(pm_region_at(pm_pass_root(p), 0)->first, 0);
  pm_move_before(body->last, body, body->first);
  return PM_CHANGED;
}

static pm_result run_endless(pm_pass *p) {
  volatile bool more = pm_pass_root(p) != NULL;
  while (more) continue;
  return PM_UNCHANGED;
}

static const pm_pass_desc passes[] = {
    {.name = "break", .anchor = "any", .doc = "leaves what does not verify", .run = run_break},
    {.name = "endless", .anchor = "any", .doc = "never ends", .run = run_endless},
    {.name = "erase-root", .anchor = "loop.func", .doc = "erases what it runs on", .run = run_erase_root},
    {.name = "erase-parent", .anchor = "any", .doc = "erases what is around it", .run = run_erase_parent},
    {.name = "read-null", .anchor = "any", .doc = "reads from nowhere", .run = run_read_null},
    {.name = "fill-stack", .anchor = "any", .doc = "recurses until the stack is full", .run = run_fill_stack},
    {.name = "abort", .anchor = "any", .doc = "aborts", .run = run_abort},
    {.name = "panic", .anchor = "any", .doc = "panics at an op", .run = run_panic},
    {.name = "panic-without-op", .anchor = "any", .doc = "panics", .run = run_panic_without_op},
    {.name = "lie", .anchor = "any", .doc = "changes something and denies it", .run = run_lie}};

static pm_module *read_word(pm_context *ctx, const pm_frontend_input *input) {
  volatile bool goes_on = strncmp(input->text, "endless", 7) == 0;
  while (goes_on) pause();
  if (strncmp(input->text, "read-null", 9) == 0) run_read_null(NULL);
  if (strncmp(input->text, "fill-stack", 10) == 0) run_fill_stack(NULL);
  if (strncmp(input->text, "panic", 5) == 0) pm_panic(NULL, "the frontend gives up");
  pm_error(ctx, (pm_loc){1, 1, pm_add_source(ctx, input->file, input->text, input->len)},
           "it is none of its words");
  return NULL;
}

static const char *const extensions[] = {"crash", NULL};
static const pm_frontend_option no_options[] = {{0}};
static const pm_frontend frontend = {.name = "crash",
                                     .language = "Crash",
                                     .extensions = extensions,
                                     .doc = "ways in which reading may end",
                                     .options = no_options,
                                     .read = read_word};

static void register_crash(pm_context *ctx) {
  pm_register_frontend(ctx, &frontend);
  for (size_t i = 0; i < PM_COUNT(passes); i++) pm_register_pass(ctx, &passes[i]);
}

PM_PLUGIN("crash", register_crash)
