/* pm-run --repeat: calls of a pipeline one after the other, in which outputs of a call are inputs of the
 * next. */
#ifndef PM_TOOLS_IMAGES_ITERATE_H
#define PM_TOOLS_IMAGES_ITERATE_H

#include "tools/lib/images/bind.h"

/* Positions in the signature: this output of a call is that input of the next. */
typedef struct pm_feed {
  size_t output, input;
} pm_feed;
typedef PM_VEC(pm_feed) pm_feed_list;

/* The pairs OUT=IN that were given (name: the output, value: the input); without any, the only pair of an
 * output and an input that agree. False with a message when a name is unknown, when types or sizes of a pair
 * differ, when an input is fed twice, or when none is given and not exactly one is possible. */
bool pm_resolve_feeds(pm_op *callable, const pm_named_list *given, const stage_signature *sig,
                      const pm_arguments *args, pm_feed_list *out, pm_buf *error) PM_MUST_USE;

/* The state of a run of calls. `call` is what to pass next, or what was passed last; its outputs belong to
 * the iteration. The first call reads the arguments' own inputs, which are never written. */
typedef struct pm_iteration {
  pm_call call;
  const pm_arguments *args;  /* borrowed */
  const pm_feed_list *feeds; /* borrowed */
  pm_array *inputs;          /* what the next call reads; owns no data */
  pm_array *outputs,
      *spare; /* the other array of an output that is fed; without data for those that are not */
  size_t n_outputs;
} pm_iteration;

/* Zeroed outputs of the right sizes. False with a message for want of memory. */
bool pm_iteration_init(pm_iteration *it, pm_op *callable, const stage_signature *sig,
                       const pm_arguments *args, const pm_feed_list *feeds, pm_buf *error) PM_MUST_USE;
void pm_iteration_free(pm_iteration *it);
/* The next call is the first one again. */
void pm_iteration_restart(pm_iteration *it);
/* The next call reads what the last one wrote. */
void pm_iteration_advance(pm_iteration *it);

#endif
