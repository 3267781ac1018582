/* Frames: what gives memory back, and where a failure goes. A frame is the body of a function, or an
 * iteration of a loop.parallel that runs on several threads, which nothing but its end may leave. Memory that
 * is allocated in a frame is given back by it, at the latest at its end. A loop.require that does not hold
 * ends it with its code, and a call that fails with the code of that; when an iteration has failed, the loop
 * ends the frame around it, with the code of one that did. lower-abi has made all of this explicit: what
 * finds no memory fails by the loop.require behind it. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_FRAMES_H
#define PM_DIALECTS_LOOP_ANALYSES_FRAMES_H

#include "ir/ir.h"

/* Who gives the memory of a buf.alloc or a buf.workspace back. */
typedef enum loop_owner {
  LOOP_OWNER_NONE,   /* nobody: it is on the stack, or a place in a workspace */
  LOOP_OWNER_THREAD, /* the thread, behind the loop: each has it once for all its iterations */
  LOOP_OWNER_FRAME
} loop_owner;
loop_owner loop_owner_of(const pm_op *alloc);

/* The op is a loop.parallel that runs on several threads: it is in no other. Its iterations are frames. */
bool loop_runs_on_threads(const pm_op *op);
/* Something from `root` down runs on several threads, or asks how many there are. */
bool loop_has_threads(const pm_op *root);

typedef PM_VEC(const pm_op *) loop_allocs;
/* Appends the allocations that the frame gives back, in order; those of frames inside are not among them. */
void loop_list_frame_allocs(const pm_region *frame, loop_allocs *list);
/* Appends those that each thread has once. */
void loop_list_thread_allocs(const pm_op *parallel, loop_allocs *list);

/* Something in the op, or in what it calls, may fail. */
bool loop_may_fail(const pm_op *op);
/* The frame itself has something that may fail: not only a frame inside. */
bool loop_frame_may_fail(const pm_region *frame);

#endif
