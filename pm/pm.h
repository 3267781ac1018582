/* pm as a library: from the text of a pipeline to a function of this process (docs/embedding.md).
 *
 *   pm_program *program;
 *   pm_function *blur;
 *   pm_program_read("blur.py", text, strlen(text), NULL, &program);
 *   pm_program_compile(program, &blur);
 *   pm_function_call(blur, (pm_argument[]){{480}, {640}}, 2, (const pm_buffer *[]){&in, &out}, 2);
 *   pm_function_free(blur);
 *   pm_program_free(program);
 *
 * Nothing here exits, aborts, prints, or changes handlers of signals. What fails returns a status. A call
 * that runs out of memory, or finds a bug of ours, gives back all that it took, and leaves its objects as
 * usable as before.
 *
 * A program is used by one thread at a time; several programs by as many threads as there are. A function may
 * be called by several threads at a time, lives on when its program is freed, and is freed by one of them.
 *
 * A NULL pointer that the comments do not allow is an error, not a crash: of programs PM_DIAGNOSED after a
 * message, of functions PM_CALL_NULL, 0, -1 or "". */
#ifndef PM_H
#define PM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pm_status {
  PM_OK = 0,
  PM_DIAGNOSED, /* the program or the options are wrong: the handler has been told */
  PM_REFUSED,   /* the system gives no compiler, no file, no room on a disk, or a compiler does not know its
                   flags or its processor: the handler has been told, and so has pm_program_error */
  PM_NO_MEMORY, /* of the system, or more than pm_options.memory */
  PM_BUG        /* ours: pm_program_reproducer says how to repeat it */
} pm_status;

/* "ok", "diagnosed" …; "unknown status" of others */
const char *pm_status_name(pm_status status);

/* --- messages --- */

typedef enum pm_message_kind {
  PM_MESSAGE_ERROR,
  PM_MESSAGE_WARNING,
  PM_MESSAGE_REMARK,
  PM_MESSAGE_NOTE
} pm_message_kind;

/* All is borrowed for the call. */
typedef struct pm_message {
  pm_message_kind kind;  /* a note belongs to the message before it */
  const char *file;      /* NULL: there is no place in a text */
  unsigned line, column; /* from 1; 0: unknown. Columns are bytes of the line, not characters */
  const char *source;    /* the text of that line, or NULL */
  const char *text;      /* one line without an end; of what a compiler printed each line is a note */
  const char *pass;      /* of a remark, else NULL */
} pm_message;

/* Called in the thread that called the library, while its call lasts. It may take memory, but not call the
 * library; it must return. */
typedef void (*pm_message_handler)(void *user, const pm_message *message);

/* --- programs --- */

/* An option of the program's language: {"const", "radius=3"}, {"range", "gain=0:4"}. */
typedef struct pm_named_option {
  const char *name, *text;
} pm_named_option;

/* Zero is the usual choice of every field. All is copied. Texts are those of the tools' options of the same
 * name (pmc --help). */
typedef struct pm_options {
  pm_message_handler handler; /* NULL: messages are dropped */
  void *user;
  int remarks;      /* whether the handler gets remarks */
  size_t memory;    /* the most bytes that a program takes from the system, and each function of it; 0: any
                       number. What a call takes, and what compilers do, is not counted */
  int exact_memory; /* counts each block, in place of the large pieces that blocks are of: slower */
  const char *language; /* "polymage", "halide", "hipacc", "imagecl", "pmir"; NULL: by the end of the name */
  const char *target;   /* NULL: the first that makes functions of this process */
  const char *fp;       /* "strict", "contract", "fast" */
  const char *machine;  /* a name of `pm-machine --list` or a file; NULL: that of `cpu` */
  const char *vector;   /* "avx2" … */
  const char *passes;   /* what --pass-pipeline takes; NULL: the pipeline of the target */
  const char *schedule; /* a file or "none" */
  const char *parallel; /* "pool", the usual choice of this library, or "openmp", whose runtime ends the
                           process when there is no thread */
  int threads;          /* of parallel loops, at most 4096; 0: as the program decides */
  int regions;          /* whether the functions compute boxes, too: pm_function_region */
  /* LLVM makes machine code in this process, in place of a child: faster, but LLVM ends the process that it
   * is in when memory runs out there. With `cpu` or `features` it is a child all the same: LLVM ends its
   * process for some of them, too. Of targets that run a compiler it changes nothing. */
  int in_process;
  /* Whether what was compiled is kept for later processes, and found: in $PM_CACHE_DIR, which may be empty:
   * none; else $XDG_CACHE_HOME/pm, else ~/.cache/pm. A program whose text was read before without a warning
   * is read when more of it is wanted. Remarks that passes give are those of a compilation alone. */
  int cache;
  const char *compiler, *flags; /* of the target c: "cc", and what it takes by itself */
  /* That code is made for, by LLVM's name; NULL or "native": this processor. Groups and tiles are for it with
   * every target, where `machine` says no other; machine code is for it with the target llvm. Compilers of
   * other targets get `flags`. */
  const char *cpu, *features;
  const pm_named_option *language_options;
  size_t n_language_options;
  const char *const *estimates; /* "R=2560" */
  size_t n_estimates;           /* values that the program allows */
  const char *const *settings;  /* "tile{own=false}" */
  size_t n_settings;
} pm_options;

typedef struct pm_program pm_program;
typedef struct pm_function pm_function;

/* Reads the text, which is copied, of len bytes. The name is for messages; imports are looked for beside it.
 * *program is set, and to be freed, also when the status is not PM_OK, unless there is no memory for it: then
 * it is NULL. `options` may be NULL. A program without a name or a text is PM_DIAGNOSED. */
pm_status pm_program_read(const char *name, const char *text, size_t len, const pm_options *options,
                          pm_program **program);
/* Makes a function of the one pipeline of the program, as often as one likes; each is the caller's. What a
 * fault has taken from the program is read anew. *function is NULL unless the status is PM_OK. A program that
 * is NULL, as there was no memory for it, is PM_NO_MEMORY, here and in pm_program_emit. */
pm_status pm_program_compile(pm_program *program, pm_function **function);
/* The text that the target makes of it (C, LLVM's IR): to be freed by pm_text_free. */
pm_status pm_program_emit(pm_program *program, char **text);
void pm_text_free(char *text);
/* Why the last call of this program failed, in one line, for PM_REFUSED, PM_NO_MEMORY and PM_BUG; else "".
 * The program's, until its next call. NULL, which is all that there was memory for, is allowed. */
const char *pm_program_error(const pm_program *program);
/* After PM_BUG: what pm-opt --run-reproducer takes as a file; NULL where the bug is in no pass. */
const char *pm_program_reproducer(const pm_program *program);
/* Bytes that it has from the system. */
size_t pm_program_bytes(const pm_program *program);
/* NULL is allowed. */
void pm_program_free(pm_program *program);

/* --- functions --- */

#ifndef PM_BUFFER_TYPES
#define PM_BUFFER_TYPES
/* An array of any layout. Its dimensions, the outermost first, have the indices min to min + extent - 1,
 * `stride` elements apart; host is where the element of the least indices is. */
typedef struct pm_dimension {
  int64_t min, extent, stride;
} pm_dimension;

typedef struct pm_buffer {
  void *host;
  int32_t type; /* PM_TYPE_F32 and so on */
  int32_t dimensions;
  pm_dimension dim[8];
} pm_buffer;

enum {
  PM_TYPE_I1,
  PM_TYPE_I8,
  PM_TYPE_I16,
  PM_TYPE_I32,
  PM_TYPE_I64,
  PM_TYPE_U8,
  PM_TYPE_U16,
  PM_TYPE_U32,
  PM_TYPE_U64,
  PM_TYPE_F16,
  PM_TYPE_BF16,
  PM_TYPE_F32,
  PM_TYPE_F64,
  PM_TYPE_INDEX
};
#endif

/* A scalar: `i` for integers, of u64 those below 2^63; `f` for floats. */
typedef union pm_argument {
  int64_t i;
  double f;
} pm_argument;

typedef enum pm_parameter_kind { PM_SCALAR, PM_INPUT, PM_OUTPUT } pm_parameter_kind;

typedef struct pm_parameter {
  pm_parameter_kind kind;
  const char *name; /* the function's */
  int32_t type;     /* PM_TYPE_… */
  int32_t dimensions;
} pm_parameter;

const char *pm_function_name(const pm_function *function);
/* In the order of a call: scalars, inputs, outputs. Beyond the last one 0. */
size_t pm_function_parameters(const pm_function *function);
int pm_function_parameter(const pm_function *function, size_t number, pm_parameter *parameter);
/* The extent along a dimension of an array for these scalars; arrays are counted from 0, inputs first. -1: it
 * has no such array, or the program does not say. */
int64_t pm_function_extent(const pm_function *function, const pm_argument *scalars, size_t array,
                           size_t dimension);
/* That extent as text, `R + 2`: the function's; NULL: it has no such array. */
const char *pm_function_extent_text(const pm_function *function, size_t array, size_t dimension);
/* That extent as a sum: a factor for each scalar, 0 for those of floats, and behind them a constant. The
 * function's; NULL: it is no such sum. With it, sizes of arrays give the scalars. */
const int64_t *pm_function_extent_sum(const pm_function *function, size_t array, size_t dimension);
/* Bytes of memory that a call with these scalars takes for intermediates, at most; 0: the target does not
 * say. -1: there is no memory to ask. */
int64_t pm_function_scratch_bytes(const pm_function *function, const pm_argument *scalars);

/* Codes of the calls below. Those from 16 on are the conditions of the program, in order. */
typedef enum pm_call_code {
  PM_CALL_OK = 0,
  PM_CALL_NO_ARRAY = 1,     /* an array, or its host, is NULL */
  PM_CALL_BAD_ARGUMENT = 2, /* what the function was not made for */
  PM_CALL_NO_MEMORY = 3,    /* for a copy or for intermediates */
  PM_CALL_TOO_LARGE = 4,    /* an array that 64 bits cannot count */
  PM_CALL_BAD_BUFFER = 5,   /* an array of another type or rank, or without an index that it should have */
  PM_CALL_SMALL_WINDOW = 6, /* an array lacks what the boxes need */
  PM_CALL_BAD_BOX = 7,      /* it is not inside of its output */
  PM_CALL_WRONG_COUNT =
      8, /* fewer or more scalars or arrays than the function has, or no array of that number */
  PM_CALL_BAD_SCALAR = 9,        /* its type does not have the value */
  PM_CALL_NULL = 10,             /* the function, the scalars, the box, or the list of arrays is NULL */
  PM_CALL_NO_BOXES = 11,         /* the function computes none */
  PM_CALL_WORKSPACE_IN_USE = 12, /* by another call */
  PM_CALL_BAD_THREADS = 13,      /* fewer than none */
  PM_CALL_NO_EVENTS = 14         /* loops on OpenMP's threads tell nothing */
} pm_call_code;
/* Elements of PM_TYPE_I1 are bytes that are 0 or 1: with others results are not defined.
 *
 * Calls it: 0, or an error code, of which pm_function_strerror has the text. Arrays with the strides of a
 * dense one are used in place, others are copied, which takes memory that pm_options.memory does not limit.
 * An output overlaps no other array: what it computes is else undefined, also where an input is the same
 * array. */
int pm_function_call(const pm_function *function, const pm_argument *scalars, size_t n_scalars,
                     const pm_buffer *const *arrays, size_t n_arrays);
const char *pm_function_strerror(const pm_function *function, int code);

/* --- how a call runs --- */

/* Memory for the intermediates of calls, of any functions, one call at a time. A call enlarges it where it
 * has to. Copies of arrays are not in it. */
typedef struct pm_workspace pm_workspace;
pm_workspace *pm_workspace_new(void); /* NULL: there is no memory */
/* As large as it is now; not while a call uses it. */
size_t pm_workspace_bytes(const pm_workspace *workspace);
/* Gives its memory back; the next call takes some anew. 0: a call uses it. */
int pm_workspace_release(pm_workspace *workspace);
void pm_workspace_free(pm_workspace *workspace); /* NULL is allowed. No call may use it */

/* What a thread has done in a call. The iterations of a parallel loop are tiles, or rows. A thread takes some
 * of them at a time, a chunk. The last event of a loop is the loop as a whole. */
typedef struct pm_event {
  const char *stages;           /* whose values the loop stores, "Ix, Iy, harris": last those that live on */
  int64_t loop;                 /* its number in the call, from 0 on */
  int64_t iterations;           /* of the loop */
  int64_t first, end;           /* of the chunk: its first iteration, and the one behind its last */
  int64_t begin_time, end_time; /* nanoseconds of CLOCK_MONOTONIC */
  int whole;                    /* it is the loop, with the wait for its last chunk */
} pm_event;

/* Called by the thread that has done it, by several at a time. The event is borrowed for the call, but the
 * text is the function's. It may not call the library, and it must return. */
typedef void (*pm_event_handler)(void *user, const pm_event *event);

/* Zero is the usual choice of every field. */
typedef struct pm_call_options {
  int threads;              /* that work on a loop of the call at most, the caller among them; 0, or more than
                               the process has for loops: all of these */
  pm_workspace *workspace;  /* NULL: the function's own memory, which it keeps for its next call */
  pm_event_handler handler; /* NULL: nobody is told */
  void *user;
} pm_call_options;

/* pm_function_call and pm_function_region with options, which may be NULL. No value depends on them. */
int pm_function_call_with(const pm_function *function, const pm_call_options *options,
                          const pm_argument *scalars, size_t n_scalars, const pm_buffer *const *arrays,
                          size_t n_arrays);
int pm_function_region_with(const pm_function *function, const pm_call_options *options,
                            const pm_argument *scalars, size_t n_scalars, const int64_t *box,
                            const pm_buffer *const *arrays, size_t n_arrays);
/* Gives back the memory that the function keeps: a block for each call that ran at the same time, at most
 * eight. Calls may be under way. */
void pm_function_release(const pm_function *function);

/* --- boxes of the outputs (docs/regions.md) --- */

/* A box has, for each output in turn, of each dimension the first index and the one behind the last. Outputs
 * that are elements of one tuple have one box together. Sizes and indices are those of whole arrays. */

/* How many numbers a box has. 0: pm_options.regions was not set, the target makes no such functions, or an
 * output is not of the shape of a box. Then the two below return PM_CALL_NO_BOXES. */
size_t pm_function_box(const pm_function *function);
/* Where in a box the numbers of an array begin, counted from 0, inputs first; -1: it has none there. */
int pm_function_box_place(const pm_function *function, size_t array);
/* The elements of an array that the box needs, or stores: of each dimension those from lo on and before hi,
 * none where these are equal, as they are 0 of an input where all boxes are empty. Arrays are counted from 0,
 * inputs first. Returns 0 or a code. */
int pm_function_needs(const pm_function *function, const pm_argument *scalars, const int64_t *box,
                      size_t array, int64_t *lo, int64_t *hi);
/* Bytes of memory that a call for the box takes for intermediates, at most; 0: the target does not say. Below
 * 0: a code, negated. */
int64_t pm_function_region_bytes(const pm_function *function, const pm_argument *scalars, const int64_t *box);
/* Points of all stages that the call computes, where each stage that is stored is a box; what is computed
 * where it is read counts as part of its readers. 0: the setting lower-poly{points=true} was not given. Below
 * 0: a code, negated. */
int64_t pm_function_region_points(const pm_function *function, const pm_argument *scalars,
                                  const int64_t *box);
/* Computes the box. Each array is a window of the whole one, which has the elements that are needed, and may
 * have more: others are not touched. Windows with rows of adjacent elements are used in place, others are
 * copied. A box with an empty dimension is empty: nothing of its output is stored, whose array is still
 * given. Outputs overlap no other array. Codes are those of pm_function_region_strerror. */
int pm_function_region(const pm_function *function, const pm_argument *scalars, size_t n_scalars,
                       const int64_t *box, const pm_buffer *const *arrays, size_t n_arrays);
const char *pm_function_region_strerror(const pm_function *function, int code);

/* Why a call with these arguments returned the code: one line that names the array or the scalar which is at
 * fault, else the text of the code. At most size - 1 bytes are put into `text`, and a 0. `box` is NULL of
 * pm_function_call. */
void pm_function_explain(const pm_function *function, const pm_argument *scalars, size_t n_scalars,
                         const int64_t *box, const pm_buffer *const *arrays, size_t n_arrays, int code,
                         char *text, size_t size);

/* NULL is allowed. No call may be under way. */
void pm_function_free(pm_function *function);

#ifdef __cplusplus
}
#endif

#endif
