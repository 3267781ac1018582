/* The archives of isl and GMP are compiled for programs, and reach `stderr` in a way that a shared library
 * cannot have. So libpm.so is linked with --wrap=stderr: its objects take the variable below, which has the
 * same stream. */
#include <stdio.h>

extern FILE *__real_stderr;
FILE *__wrap_stderr;

__attribute__((constructor(101))) static void take_stderr(void) {
  __wrap_stderr = __real_stderr;
}
