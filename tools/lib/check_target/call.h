/* Calls of a program that a target has compiled: arrays between guards, and what the interpreter gives. */
#ifndef PM_TOOLS_CHECK_TARGET_CALL_H
#define PM_TOOLS_CHECK_TARGET_CALL_H

#include "pm/native.h"
#include "tools/lib/check_target/program.h"
#include "tools/lib/semantics/call.h"

/* An array of the caller's: its first element is aligned as an element is, and no better. */
typedef struct pm_guarded {
  char *block, *data;
  size_t bytes;
} pm_guarded;

struct pm_check_call {
  const pm_check_program *program;
  const char *sizes; /* "n=5" */
  pm_native *native;
  pm_trial trial;    /* its outputs are what the interpreter gives, unless the program is quiet */
  pm_guarded *given; /* inputs, then outputs, which hold a pattern */
  void **values;     /* addresses of all arguments, with room for two ahead and two behind */
  int64_t *scalars;  /* what the first of them point to */
  void **pointers;   /* what the others point to, which a check may change */
  pm_buf *why;       /* one line, of what is wrong */
};

/* False with a message: the sizes or memory. What the interpreter says is a diagnostic. `call` has the
 * program, sizes, native and why, and is to be ended in any case. */
bool pm_check_call_begin(pm_check_call *call, pm_op *op) PM_MUST_USE;
void pm_check_call_end(pm_check_call *call);

/* A line in call->why; always false. */
bool pm_check_wrong(pm_check_call *call, const char *fmt, ...) PM_PRINTF(2, 3);
/* Each of these is false with what is wrong. */
/* Calls it, which gives `code`. */
bool pm_check_code(pm_check_call *call, int code);
/* Inputs and what is around the arrays are as they were. */
bool pm_check_kept(pm_check_call *call);
/* Nothing was written at all. */
bool pm_check_untouched(pm_check_call *call);
/* The outputs are those of the interpreter, bit by bit, but for the units that the program may differ by. */
bool pm_check_outputs(pm_check_call *call);
/* Puts the pattern into the outputs again. */
void pm_check_again(pm_check_call *call);
/* A call that succeeds, writes all outputs as the interpreter does, and nothing else. */
bool pm_check_same(pm_check_call *call);

#endif
