/* Shared libraries that are opened when a file needs them. Linked to the tools, libtiff would load ten more
 * libraries and add 1.0 ms to the 1.2 ms that a tool takes to start; libjpeg and OpenEXRCore 0.05 ms each. */
#ifndef PM_TOOLS_IMAGES_CODEC_LIBRARY_H
#define PM_TOOLS_IMAGES_CODEC_LIBRARY_H

#include "ir/support.h"

/* Opens the library `file`, as "libtiff.so.6", and puts the addresses of its `n` functions `names` into
 * `functions`, an array or struct of function pointers. It stays loaded. False with a message when the
 * library or a function is not there. */
bool pm_open_codec_library(const char *file, const char *const *names, size_t n, void *functions,
                           pm_buf *error) PM_MUST_USE;

/* A list FUNCTIONS(F) of `F(name)` gives the struct of pointers and the names:
 *   typedef struct calls { FUNCTIONS(PM_CODEC_POINTER) } calls;
 *   static const char *const names[] = {FUNCTIONS(PM_CODEC_NAME)}; */
#define PM_CODEC_POINTER(function) __typeof__(function) *function;
#define PM_CODEC_NAME(function) #function,

#endif
