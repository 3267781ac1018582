/* Opens a library with `harris` again and again, and calls it: no thread is left when it is closed, and the
 * process ends while one is open. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 200, CELLS = (ROWS + 2) * (ROWS + 2), CALLS = 9, TIMES = 20 };

static int n_threads(void) {
  int n = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (const struct dirent *at; tasks && (at = readdir(tasks));) n += at->d_name[0] != '.';
  if (tasks) closedir(tasks);
  return n;
}

int main(int argc, char **argv) {
  float *in = calloc(CELLS, sizeof *in), *out = calloc(CELLS, sizeof *out);
  int bad = !in || !out || argc < 2;
  for (int i = 0; i < TIMES && !bad; i++) {
    int (*harris)(int, int, const float *, float *) = NULL;
    void *library = dlopen(argv[1], RTLD_NOW);
    *(void **)&harris = library ? dlsym(library, "harris") : NULL;
    for (int k = 0; k < CALLS && !bad; k++) bad = !harris || harris(ROWS, ROWS, in, out);
    if (n_threads() < 3) bad = printf("it has %d threads\n", n_threads());
    if (library && i < TIMES - 1) dlclose(library);
    if (i < TIMES - 1 && n_threads() > 1) bad = printf("%d threads are left\n", n_threads());
  }
  free(in);
  free(out);
  return bad != 0;
}
