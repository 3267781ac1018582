/* What pm-run --bench measures and prints. */
#ifndef PM_TOOLS_MEASURING_MEASURE_H
#define PM_TOOLS_MEASURING_MEASURE_H

#include "tools/lib/images/iterate.h"
#include "tools/lib/driver/hooks.h"
#include "tools/lib/driver/progress.h"
#include "tools/lib/driver/remarks.h"

typedef struct pm_times {
  double first, min, median; /* seconds: of the first call, then of a round of `repeat` calls */
  double processor;          /* of all threads, the middle of the rounds: the system counts in ticks */
  size_t n;                  /* rounds after the first call */
} pm_times;

/* The middle of some rounds, of a call: seconds of a kernel, and until it began. */
typedef struct pm_kernel_sample {
  const char *name; /* the program's */
  double launches, bytes, seconds, queued_seconds, waiting_seconds;
} pm_kernel_sample;

/* The program, optimized in one way, or a file that computes the same. */
typedef struct pm_variant pm_variant;
struct pm_variant {
  const char *text; /* how: of --against; NULL for the program itself, which is the first */
  bool given;       /* a file of the user, whose path is `text` */
  pm_native *native;
  char *source; /* what the target emitted, or the text of the file; NULL: a shared object */
  const pm_target *target;
  const char *fp, *cc, *cflags, *cpu, *features;
  pm_variant
      *same; /* an earlier one of the same source, which has the native function and the times; or NULL */
  double lower_seconds, build_seconds; /* of processors: passes and emission; what the target compiles */
  PM_VEC(pm_kernel_sample) kernels;    /* of a device; empty: it has none */
  pm_times times;                      /* one whose `first` is 0 gets a first call */
  int64_t differing;                   /* elements of all outputs that are not the first variant's */
};

typedef struct pm_profile pm_profile; /* groups.h */

typedef struct pm_bench {
  pm_op *callable; /* a stage.pipeline or a loop.func */
  pm_variant *variants;
  size_t n_variants; /* at least 1 */
  pm_iteration *it;
  pm_iteration *kept; /* where the first variant's outputs stay while the others are compared */
  size_t repeat;      /* calls of a round */
  double read_seconds;
  const pm_remark_list *remarks; /* of the first variant: the prediction is in them */
  bool exact; /* outputs of variants are compared bit by bit, else floats within `tolerance` */
  double tolerance;
  const pm_profile *profile; /* of --profile; NULL: it is not asked for */
  const pm_variant *failed;  /* whose call failed, set with the code */
} pm_bench;

/* Which of n variants a round calls k-th. What one leaves in the caches is there for several calls, so that
 * over n rounds, 2 n when n is odd, each comes as often after any other (E. J. Williams, Experimental designs
 * balanced for the estimation of residual effects of treatments, 1949). */
size_t pm_kth_of_round(size_t k, size_t n, size_t round);
/* A round of calls from the original inputs on, waited for; the code that one failed with, else 0. */
int pm_timed_round(pm_bench *bench, const pm_variant *variant, pm_iteration *it, size_t repeat,
                   double *seconds);
/* Sorts the samples; the middle one. */
double pm_median(double *samples, size_t n);
/* Runs the variants in turn, in that order: `rounds` times, or for about `seconds` each when that
 * is 0. The code that a call failed with, else 0 and the times are set. */
int pm_measure(pm_bench *bench, size_t rounds, double seconds, pm_progress *progress);
/* Calls each variant with a device some times more, and sets its kernels. The code that a call failed with,
 * else 0. */
int pm_measure_kernels(pm_bench *bench); /* kernels.c */
/* Seconds of all kernels in a call. */
double pm_kernel_seconds(const pm_variant *variant);
/* Prints the kernels of the first variant. */
void pm_print_kernels(const pm_bench *bench);
/* Of a remark on a group the seconds that it predicts, without the first touch of memory, which calls keep
 * for the next; 0 of others, and of NULL. */
double pm_group_seconds(const pm_kept_remark *remark);
/* Seconds that the pass group predicts for a call of the first variant that has its memory already; 0: none,
 * or there are versions for several sizes. */
double pm_predicted_seconds(const pm_bench *bench);
/* The same of remarks, in which `group` may have spoken of several partitions, each with the sum behind it:
 * of the last. */
double pm_last_prediction(const pm_remark_list *remarks);
/* Runs every variant once more and sets what differs. The code that a call failed with, else 0. */
int pm_compare_variants(pm_bench *bench);
/* Bytes that any program must move in a call: the inputs read and the outputs written once. */
double pm_compulsory_bytes(const pm_call *call);
/* Bytes of all stages but the outputs, each stored whole; -1 after a diagnostic. */
double pm_intermediate_bytes(pm_op *pipeline, const pm_params *params);
/* Prints them to stdout, before anything that stderr says later. */
void pm_print_bench(const pm_bench *bench);
/* One row of it. */
void pm_put_bench_row(const char *name, const char *text);
/* The same for programs: one object. */
void pm_put_bench_json(const pm_bench *bench, pm_buf *out); /* measure_json.c */

#endif
