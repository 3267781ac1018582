/* The process that pm.h is in: what it limits, has closed, or does in other threads. */
#include "tests/unit/embed.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#ifndef SANITIZED
#ifdef PM_WITH_LLVM
/* In the child, too: LLVM ends it there. */
static void llvm_may_have_no_memory(void **state) {
  (void)state;
  struct rlimit usual, small;
  size_t errors = 0, step = (size_t)(is_long() ? 1 : 12) << 20;
  getrlimit(RLIMIT_AS, &usual);
  pm_status status = PM_BUG;
  for (size_t more = step; status != PM_OK && more < (size_t)1 << 30; more += step) {
    pm_function *f;
    small = usual;
    small.rlim_cur = (rlim_t)(bytes_now(0) + more);
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    status = compile_blur(&apart, &f);
    assert_int_equal(setrlimit(RLIMIT_AS, &usual), 0);
    errors += status != PM_OK;
    assert_true(status == PM_OK || status == PM_NO_MEMORY || status == PM_REFUSED);
    pm_function_free(f);
  }
  assert_int_equal(status, PM_OK);
  assert_true(errors > 5);
}

/* What LLVM has and what is ours goes, whichever block is the last. */
static void llvm_may_fault_here(void **state) {
  (void)state;
  pm_options options = inside;
  options.exact_memory = 1;
  size_t step = is_long() ? 1000 : 15000, errors = 0;
  pm_status status = PM_BUG;
  for (options.memory = 300000; status != PM_OK; options.memory += step) {
    pm_function *f;
    status = compile_blur(&options, &f);
    errors += status != PM_OK;
    assert_true(status == PM_OK || status == PM_NO_MEMORY);
    pm_function_free(f);
  }
  assert_true(errors > 5);
}
#endif

/* Then the threads that there are compute all. */
static void there_may_be_no_more_threads(void **state) {
  (void)state;
  enum { R = 2000, C = 64 };
  pm_options options = quick;
  pm_function *f;
  struct rlimit usual, small;
  float *in = calloc((size_t)R * (C + 2), sizeof *in), *out = calloc((size_t)R * C, sizeof *out);
  assert_true(in && out);
  for (int i = 0; i < R * (C + 2); i++) in[i] = (float)(i % 7);
  const pm_buffer img = {in, PM_TYPE_F32, 2, {{0, R, C + 2}, {0, C + 2, 1}}};
  const pm_buffer sum = {out, PM_TYPE_F32, 2, {{0, R, C}, {0, C, 1}}};
  options.threads = 100;
  assert_int_equal(compile_blur(&options, &f), PM_OK);
  getrlimit(RLIMIT_AS, &usual);
  small = usual;
  small.rlim_cur = (rlim_t)(bytes_now(0) + 1000000);
  assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
  int code = pm_function_call(f, (pm_argument[]){{R}, {C}}, 2, (const pm_buffer *[]){&img, &sum}, 2);
  assert_int_equal(setrlimit(RLIMIT_AS, &usual), 0);
  assert_int_equal(code, 0);
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      const float *at = in + (ptrdiff_t)i * (C + 2) + j;
      assert_true(out[i * C + j] == at[0] + at[1] + at[2]);
    }
  pm_function_free(f);
  free(in);
  free(out);
}

#endif

/* Without some of the standard files: the status of what it compiles. */
static pm_status compile_without(unsigned closed, const pm_options *options) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    pm_function *f;
    for (int fd = 0; fd < 3; fd++)
      if (closed & 1u << fd) close(fd);
    _exit((int)compile_blur(options, &f));
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return (pm_status)WEXITSTATUS(status);
}

static void standard_files_may_be_closed(void **state) {
  (void)state;
  static const unsigned sets[] = {5, 6, 7};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    assert_int_equal(compile_without(sets[i], &quick), PM_OK);
#ifdef PM_WITH_LLVM
    assert_int_equal(compile_without(sets[i], &apart), PM_OK);
#endif
  }
}

/* A limit of the system's is an error, and neither a signal nor the program's fault. */
static pm_status compile_within(int resource, rlim_t limit, const pm_options *options) {
  struct rlimit usual, small;
  pm_function *f;
  sigset_t pending;
  getrlimit(resource, &usual);
  small = usual;
  small.rlim_cur = limit;
  assert_int_equal(setrlimit(resource, &small), 0);
  pm_status status = compile_blur(options, &f);
  assert_int_equal(setrlimit(resource, &usual), 0);
  sigpending(&pending);
  assert_int_equal(sigismember(&pending, SIGXFSZ), 0);
  pm_function_free(f);
  return status;
}

static void limits_are_errors(void **state) {
  (void)state;
  assert_int_equal(compile_within(RLIMIT_FSIZE, 100, &quick), PM_REFUSED);
#ifdef PM_WITH_LLVM
  assert_int_equal(compile_within(RLIMIT_FSIZE, 100, &apart), PM_REFUSED);
  for (rlim_t files = 3; files < 12; files++) {
    pm_status status = compile_within(RLIMIT_NOFILE, files, &apart);
    assert_true(status == PM_OK || status == PM_REFUSED || status == PM_NO_MEMORY);
  }
#endif
}

/* A name that would be an option is none where it stands in a path. */
static void files_may_be_in_any_folder(void **state) {
  (void)state;
  char was[PATH_MAX], *usual = strdup(getenv("TMPDIR"));
  assert_non_null(getcwd(was, sizeof was));
  assert_int_equal(chdir(usual), 0);
  assert_int_equal(mkdir("-dash x", 0700), 0);
  setenv("TMPDIR", "-dash x", 1);
  assert_works(&quick);
#ifdef PM_WITH_LLVM
  assert_works(&apart);
#endif
  setenv("TMPDIR", usual, 1);
  assert_int_equal(rmdir("-dash x"), 0);
  assert_int_equal(chdir(was), 0);
  free(usual);
}

#ifdef PM_WITH_LLVM
/* Where LLVM would end the process it is in a child, whatever is asked for. */
static void llvm_may_not_make_such_code(void **state) {
  (void)state;
  pm_options options = inside;
  pm_program *program;
  pm_function *f;
  options.features = "-64bit";
  assert_int_equal(read_blur(&options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &f), PM_REFUSED);
  assert_true(strlen(pm_program_error(program)) > 0);
  pm_program_free(program);
}

#endif

#ifdef PM_WITH_LLVM
static volatile int stop;

/* Has the lock of the dynamic linker as often as not. */
static void *load_often(void *user) {
  while (!stop) {
    void *library = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
    if (library) dlclose(library);
  }
  return user;
}

static void other_threads_may_load_libraries(void **state) {
  (void)state;
  pthread_t threads[3];
  stop = 0;
  assert_int_equal(pthread_create(&threads[0], NULL, load_often, NULL), 0);
  assert_int_equal(pthread_create(&threads[1], NULL, compile_often, (void *)&apart), 0);
  assert_int_equal(pthread_create(&threads[2], NULL, compile_often, (void *)&inside), 0);
  for (int i = 1; i < 3; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  stop = 1;
  assert_int_equal(pthread_join(threads[0], NULL), 0);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifndef SANITIZED
#ifdef PM_WITH_LLVM
      cmocka_unit_test(llvm_may_have_no_memory),
      cmocka_unit_test(llvm_may_fault_here),
#endif
      cmocka_unit_test(there_may_be_no_more_threads),
#endif
      cmocka_unit_test(standard_files_may_be_closed),
      cmocka_unit_test(limits_are_errors),
      cmocka_unit_test(files_may_be_in_any_folder),
#ifdef PM_WITH_LLVM
      cmocka_unit_test(llvm_may_not_make_such_code),
      cmocka_unit_test(other_threads_may_load_libraries),
#endif
      cmocka_unit_test(nothing_is_left),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
