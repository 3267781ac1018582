#include "tools/lib/images/codec_library.h"

#include "tools/lib/message.h"

#include <dlfcn.h>
#include <string.h>

bool pm_open_codec_library(const char *file, const char *const *names, size_t n, void *functions,
                           pm_buf *error) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) return pm_failf(error, "this format needs a library: %s", dlerror());
  for (size_t i = 0; i < n; i++) {
    void *function = dlsym(library, names[i]);
    if (!function) return pm_failf(error, "the library of this format lacks a function: %s", dlerror());
    memcpy((char *)functions + i * sizeof function, &function, sizeof function);
  }
  return true;
}
