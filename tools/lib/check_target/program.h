/* What pm-check-target tries a target with: programs, and calls of them. */
#ifndef PM_TOOLS_CHECK_TARGET_PROGRAM_H
#define PM_TOOLS_CHECK_TARGET_PROGRAM_H

#include "ir/support.h"
#include "ir/types.h"

/* What a program's inputs hold. */
typedef enum pm_check_data {
  PM_DATA_PLAIN, /* what pm_trial_begin gives */
  PM_DATA_HARD,  /* numbers that are hard on operations; the first two inputs have each pair of them */
  PM_DATA_TAME   /* the same, but floats are in 0..100: conversions of others to integers are unspecified */
} pm_check_data;

/* A call of a program with its sizes, which a target has compiled (call.h). */
typedef struct pm_check_call pm_check_call;

/* A loop.func or stage.pipeline, what it calls, and its calls. */
typedef struct pm_check_program {
  const char *subject;      /* "arith.shri", "null pointers": of several that fail one is shown; borrowed */
  char *name;               /* "arith.shri on i32, 4 lanes" */
  char *symbol, *text;      /* "f12", and its IR, of which no other program has a name */
  const char *const *calls; /* "n=5,a=3", ends with NULL; borrowed */
  pm_check_data data;
  unsigned ulps;                    /* that floats may differ by, in units in the last place */
  int threads;                      /* that it may run on; 0: one */
  bool is_quiet;                    /* the interpreter is not run: some calls are to fail */
  bool (*check)(pm_check_call *of); /* of one call; NULL: pm_check_same */
} pm_check_program;

typedef PM_VEC(pm_check_program) pm_check_programs;

/* Which programs there are. */
typedef struct pm_check_choice {
  bool types[PM_N_SCALARS];
  PM_VEC(unsigned) lanes; /* of vectors, and how many of them a type is tried with: the next ones each */
  size_t lanes_each;      /* time */
  PM_VEC(const char *) filters; /* names of ops or dialects; none: all */
  unsigned ulps;                /* that functions of math may differ by */
  uint64_t seed;
  unsigned pipelines; /* random ones */
} pm_check_choice;

/* Adds a program of which all else is zero. Takes name and text from the buffers; the text has the symbol
 * that pm_check_next_symbol gave. */
pm_check_program *pm_check_add(pm_check_programs *programs, const char *subject, pm_buf *name, pm_buf *text);
/* The symbol of the program that is added next: "f12", to be freed. */
char *pm_check_next_symbol(const pm_check_programs *programs);
void pm_check_programs_free(pm_check_programs *programs);

#endif
