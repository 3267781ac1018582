#include "tools/lib/semantics/command.h"

#include "ir/text.h"
#include "tools/lib/driver/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(const char *tool, const char *command, const char *path) {
  int status = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, tool, path, (char *)NULL);
    _exit(127);
  }
  bool ended = child > 0 && waitpid(child, &status, 0) == child;
  return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int pm_run_on_ir(const char *tool, const char *command, pm_module *module) {
  char *path = pm_temporary_path("%s-XXXXXX", tool);
  int file = mkstemp(path), status = -1;
  pm_buf text = {0};
  pm_print_module(&text, module, (pm_print_options){0});
  if (file >= 0) {
    close(file);
    if (pm_write_file(path, text.data, text.len)) status = run(tool, command, path);
    unlink(path);
  }
  pm_buf_free(&text);
  free(path);
  return status;
}
