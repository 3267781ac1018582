/* Programs of the target opencl in several threads, whose first calls are at the same time. */
#include "pm/pm.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 6, N = 5 };

static const char text[] = "N = Parameter(Int, 'N')\n"
                           "img = Image(Float, 'img', [N])\n"
                           "x = Variable(Int, 'x')\n"
                           "twice = Function(([x], [Interval(Int, 0, N - 1)]), Float, 'twice')\n"
                           "twice.defn = [img(x) * 2]\n";

static pthread_barrier_t start;

static int call(const pm_function *f) {
  float in[N] = {1, 2, 3, 4, 5}, out[N] = {0};
  const pm_buffer img = {in, PM_TYPE_F32, 1, {{0, N, 1}}}, twice = {out, PM_TYPE_F32, 1, {{0, N, 1}}};
  int code = pm_function_call(f, (pm_argument[]){{N}}, 1, (const pm_buffer *[]){&img, &twice}, 2);
  if (code) printf("%d: %s\n", code, pm_function_strerror(f, code));
  for (int i = 0; i < N; i++) code |= out[i] != 2 * in[i];
  return code;
}

static void *work(void *wrong) {
  const pm_options options = {.target = "opencl", .flags = "-O0"};
  pm_program *program;
  pm_function *f = NULL;
  pm_status status = pm_program_read("twice.py", text, strlen(text), &options, &program);
  if (status == PM_OK) status = pm_program_compile(program, &f);
  pm_program_free(program);
  (void)pthread_barrier_wait(&start);
  *(int *)wrong = status != PM_OK || call(f);
  pm_function_free(f);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int wrong[THREADS], all = 0;
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, &wrong[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) all += wrong[i];
  printf("%d wrong\n", all);
  return all;
}
