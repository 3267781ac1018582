/* A target turns a module of loop.func ops into text, and may compile the text and load it into this process.
 * It is one struct: built-in ones have a folder each and one line in targets.def, a plugin registers its own
 * with pm_register_target. Tools find targets in the context and know none by name. targets/null is the
 * skeleton to copy (docs/add-a-target.md). Nothing here prints: messages go to the context or to a report. */
#ifndef PM_TARGETS_TARGET_H
#define PM_TARGETS_TARGET_H

#include "ir/pass.h"

/* --- what a target has forms for --- */

/* The class of an op is that of its first vector, results before operands; an op without one is scalar. */
enum {
  PM_FORM_SCALAR = 1 << 0, /* no vector */
  PM_FORM_VECTOR = 1 << 1, /* a vector of numbers */
  PM_FORM_MASK = 1 << 2,   /* a vector of i1 */
  PM_FORM_ANY = PM_FORM_SCALAR | PM_FORM_VECTOR | PM_FORM_MASK
};

/* A row of a target's table: it can write the op when it is of one of the classes. An op may have several. */
typedef struct pm_target_form {
  const pm_op_desc *op;
  unsigned classes;
} pm_target_form;

/* What emitted programs may use. A row stands here because something reads it: a program that has what its
 * target lacks is refused before anything is emitted. */
enum {
  PM_TARGET_THREADS = 1 << 0,       /* iterations of loop.parallel run on several threads: pm-run --threads */
  PM_TARGET_HEAP = 1 << 1,          /* buf.alloc in the space heap */
  PM_TARGET_STACK = 1 << 2,         /* in the space stack */
  PM_TARGET_THREAD_MEMORY = 1 << 3, /* in the space thread */
  PM_TARGET_GROUPS = 1 << 4,        /* it computes tiles by groups of work-items: schedules say which */
  PM_TARGET_PROCESSORS = 1 << 5     /* it compiles for the processor of --cpu and the system of --triple */
};

/* What may run the iterations of loop.parallel (--parallel): the threads of targets/lib/pool.c, which are
 * part of the program, or those of OpenMP. */
#define PM_PARALLEL "pool|openmp"

/* --- what a target makes --- */

typedef struct pm_target_output {
  pm_buf source; /* the program */
  pm_buf header; /* its declarations; empty when the target has none */
  pm_buf entry;  /* the name that its first function has there; empty when the target makes no functions */
} pm_target_output;

/* A sort of file: the source as it is emitted, its header, or what the hook `compile` makes of both. */
typedef enum pm_file_kind { PM_FILE_SOURCE, PM_FILE_HEADER, PM_FILE_COMPILED } pm_file_kind;
typedef struct pm_target_file {
  const char *extension; /* "so", by which pmc finds the target */
  pm_file_kind kind;
  bool with_header; /* who uses the file needs the header beside it */
} pm_target_file;

/* How to compile; what a target has no use for it ignores. */
typedef struct pm_build_options {
  const char *base;                    /* names files that are made on the way: "pipeline" */
  const char *compiler, *flags;        /* --cc and --cflags; NULL: the target's choice */
  const char *triple, *cpu, *features; /* --triple, --cpu, --features; NULL: this computer's */
  const char *fp;          /* strict, contract or fast: the strictest rules of the program's pipelines */
  const char *source_file; /* of the user, which the text is from and is compiled in its place, so that
                            * it finds what it includes; what is wrong with it is no bug. NULL: none */
  int threads;             /* of a loaded program; 0: as it decides */
  bool owns_process;   /* of a tool: signals that end it wait until nothing is left behind. Else the process
                        * is somebody else's, and nothing of it is changed */
  const char *kept_by; /* a tool: files on the way stay, and a line on stderr says where; NULL: they go */
} pm_build_options;

typedef enum pm_outcome {
  PM_OUTCOME_OK,
  PM_OUTCOME_REFUSED, /* the fault of options, of the system, or of a signal that ends the process */
  PM_OUTCOME_BUG      /* ours */
} pm_outcome;

/* What a hook says when it fails. */
typedef struct pm_report {
  pm_buf log;   /* what a program that it ran printed */
  pm_buf error; /* one line without an end; empty when a signal is about to end the process */
} pm_report;

/* What all launches of a kernel have taken: in seconds until they were with the device, until they began
 * there, and until they ended. `bytes` are those of the arrays that they had. */
typedef struct pm_kernel_times {
  const char *name;
  int64_t launches, bytes;
  double queued_seconds, waiting_seconds, seconds;
} pm_kernel_times;

/* The same program for arrays that stay on its device (docs/opencl.md): NAME_device, whose first argument is
 * a queue or NULL, and whose arrays are of `array`. What gives an int gives 0 or a code for
 * pm_loaded.describe. */
typedef struct pm_device_calls {
  void (*entry)(void);
  void *(*array)(size_t bytes); /* NULL: it failed with the code PM_DEVICE_FAILED */
  void (*free)(void *array);
  int (*write)(void *array, const void *from, size_t bytes);
  int (*read)(void *array, void *to, size_t bytes);
  int (*wait)(void);
  int (*profile)(int on);
  int (*times)(int number, pm_kernel_times *times); /* 0: there is no such kernel */
} pm_device_calls;

/* What threads do of a parallel loop, as targets/lib/pool.c has it. */
typedef struct pm_loop_event {
  const char *stages;
  int64_t loop, iterations, first, end, begun_at, done_at;
  int whole;
} pm_loop_event;
typedef void pm_loop_tell(void *user, const pm_loop_event *event);
enum { PM_CALLER_BYTES = 128 };

enum { PM_DEVICE_FAILED = 7 };
/* How a child process ends that does not do its work; EXIT_FAILURE: the system or an option is to blame. */
enum { PM_CHILD_WITHOUT_MEMORY = 3, PM_CHILD_BUG = 4 };

/* A program in this process, see docs/design.md, "ABI": int entry(scalars…, inputs…, outputs…), int64_t
 * scratch_bytes(scalars…) and int64_t extent(scalars…, array, dimension), which may be NULL. */
typedef struct pm_loaded {
  void *handle; /* the target's */
  void (*entry)(void), (*scratch_bytes)(void);
  const char *(*describe)(int code); /* of what `entry` returned, if not 0; may be NULL */
  int (*max_threads)(void);          /* NULL: one */
  pm_device_calls device;            /* whose entry may be NULL: arrays are the host's */
  void (*extent)(void);
  void (*region)(void), (*needs)(void); /* entry_region_at and entry_needs_at; NULL: it has none */
  const char *(*describe_region)(int code);
  /* The same with the caller's memory, entry_ws and entry_region_at_ws, the bytes that the latter takes, and
   * what gives back the memory that calls have left. NULL: there are no intermediates in memory. */
  void (*entry_ws)(void), (*region_ws)(void), (*region_scratch_bytes)(void);
  void (*release)(void), (*release_region)(void);
  /* Of the pool that runs its loops: around a call whose loops have at most so many threads, or of which
   * somebody is told. NULL: it has no such loops. */
  void (*begin_call)(void *room, int threads, pm_loop_tell *tell, void *user);
  void (*end_call)(void *room);
  void (*set_threads)(int threads); /* of OpenMP, for loops of this thread; NULL: it does not run them */
} pm_loaded;

typedef struct pm_target {
  const char *name, *doc;
  /* Its whole pipeline is schedule,lower: passes as --pass-pipeline takes them, or the name of a named
   * pipeline. `schedule` works on stages and decides; `lower` makes of decided stages what `emit` takes. */
  const char *schedule, *lower;
  /* Passes that run behind any pipeline, also one that the user gives: what `emit` cannot do without. NULL:
   * none. */
  const char *finish;
  /* The machine that its programs are made for, where the user names none: one of the context
   * (pm_machine_kind) or a file; NULL: this computer. It is an attribute of the module, so that dumps and
   * reproducers have it. */
  const char *machine;
  unsigned has;                /* PM_TARGET_… */
  const char *parallel;        /* what runs loop.parallel, of PM_PARALLEL; NULL: there is no choice */
  const pm_target_form *forms; /* ends with a NULL op */
  const pm_target_file *files; /* the source first; ends with a NULL extension */
  bool only_by_name;           /* --target names it; the extension of a file does not choose it */
  /* Prints the module, which pm_target_check has accepted. `header_name` is how the source includes the
   * header. False after a diagnostic. */
  bool (*emit)(pm_module *module, const char *header_name, pm_target_output *out);
  /* NULL when no file is PM_FILE_COMPILED: the contents of the file with that extension, put into `file`. */
  pm_outcome (*compile)(const pm_target_output *text, const char *extension, const pm_build_options *options,
                        pm_buf *file, pm_report *report);
  /* All NULL, or: the extension of what `compile` makes for this process, of which there need not be a row;
   * takes the contents of such a file, made now or kept from an earlier run, and finds `entry` in it;
   * releases what was opened. */
  const char *opens;
  pm_outcome (*open)(const pm_buf *file, const char *entry, const pm_build_options *options,
                     pm_loaded *loaded, pm_report *report);
  void (*close)(const pm_loaded *loaded);
  /* `compile` runs no other program, so that it takes little time: tools that run programs prefer the target
   * where it is there. `is_there` NULL: it always is. */
  bool in_process;
  bool (*is_there)(void);
  /* NULL, or: begins to load what the other hooks need while the tool does something else, and, called again
   * before the process ends, waits until that is done. What fails is the other hooks' to say. */
  void (*load)(bool wait);
  /* NULL, or: loads that, false with a line in `error` when the system does not give it. Hosts call it ahead
   * of `emit`, to tell a mistake of theirs from what the system lacks. */
  bool (*is_ready)(pm_buf *error);
  /* NULL, or: called first in a child process that is there for `emit` and `compile` alone. Foreign code ends
   * it with PM_CHILD_WITHOUT_MEMORY when memory runs out. */
  void (*enter_child)(void);
  /* Appends what such a file depends on besides text and options: the compiler, the processor that code is
   * for. NULL: files are not kept. */
  void (*put_versions)(const pm_build_options *options, pm_buf *out);
  /* Appends the name of the device that runs what is opened; NULL: it is this computer's processor. */
  pm_outcome (*put_device)(const pm_build_options *options, pm_buf *name, pm_report *report);
} pm_target;

/* --- the targets of a context --- */

/* Those of the tree, by targets.def; call once a context. */
void pm_register_all_targets(pm_context *ctx);
/* The target is borrowed for the life of the context. False after a diagnostic: the name is taken, or a hook
 * is missing that its files need. */
bool pm_register_target(pm_context *ctx, const pm_target *target) PM_MUST_USE;
/* NULL when unknown. */
const pm_target *pm_find_target(const pm_context *ctx, const char *name);
/* In the order of registration; the first is what tools use where nothing is said. */
size_t pm_target_count(const pm_context *ctx);
const pm_target *pm_target_at(const pm_context *ctx, size_t i);
/* The row of `files` with that extension, or NULL. */
const pm_target_file *pm_target_find_file(const pm_target *target, const char *extension);

/* --- emission --- */

/* PM_FORM_SCALAR, PM_FORM_VECTOR or PM_FORM_MASK. */
unsigned pm_op_class(const pm_op *op);
/* The classes for which the target has a form. */
unsigned pm_target_classes(const pm_target *target, const pm_op_desc *op);
/* Whether it has a form for each op from `root` down, and the memory that they ask for. False after a
 * diagnostic for each that it lacks. */
bool pm_target_check(const pm_target *target, pm_op *root) PM_MUST_USE;
/* What the user says of PM_PARALLEL, as an attribute of the module; NULL: nothing. False after a diagnostic:
 * the target has no choice. */
bool pm_set_parallel(const pm_target *target, pm_module *module, const char *parallel) PM_MUST_USE;
/* Parallel loops run on the pool: the user, or else the target, says so. */
bool pm_uses_pool(const pm_target *target, const pm_module *module);
/* Checks the module, then emits it. */
bool pm_emit(const pm_target *target, pm_module *module, const char *header_name,
             pm_target_output *out) PM_MUST_USE;
void pm_target_output_free(pm_target_output *out);

#endif
