/* The threads of emitted programs (targets/lib/pool.c), by themselves: POOL is the text, or none where it is
 * linked. With CREATED, the system gives so many threads and no more. */
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CALLS
#define CALLS 10 /* of all loops, by each of several threads */
#endif

#ifdef CREATED
static _Atomic int created;
static int create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *given) {
  return atomic_fetch_add(&created, 1) < CREATED ? pthread_create(thread, how, start, given) : 11;
}
#define pthread_create create
#endif

#ifdef POOL
#include POOL
#else
typedef struct pm_loop pm_loop;
typedef void pm_body(void *given, int64_t thread, pm_loop *loop);
int pm_get_threads(void);
void pm_set_threads(int n);
void pm_end_threads(void);
void pm_parallel(pm_body *body, void *given, int64_t iterations, int dynamic);
_Bool pm_next(pm_loop *loop, int64_t *range);
#endif
#undef pthread_create

enum { MOST = 20000, THREADS = 4 };

typedef struct sums {
  unsigned char done[MOST];
  _Atomic int64_t of_thread[THREADS]; /* calls with that number */
  int64_t inner, dynamic;
} sums;

static void mark(void *given, int64_t thread, pm_loop *loop) {
  sums *s = given;
  int64_t range[2];
  assert(0 <= thread && thread < THREADS);
  atomic_fetch_add(&s->of_thread[thread], 1);
  while (pm_next(loop, range)) {
    assert(range[0] < range[1] && (!s->dynamic || range[1] == range[0] + 1));
    for (int64_t i = range[0]; i < range[1]; i++) s->done[i]++;
  }
}

/* Each iteration is done once; no number of a thread is given twice. */
static void check(int64_t n, int dynamic) {
  sums s = {.dynamic = dynamic};
  pm_parallel(mark, &s, n, dynamic);
  for (int64_t i = 0; i < n; i++) assert(s.done[i] == 1);
  for (int i = 0; i < THREADS; i++) assert(s.of_thread[i] <= 1);
  assert(s.of_thread[0] == 1);
}

static void check_all(void) {
  static const int64_t numbers[] = {0, 1, 2, 3, 7, 64, 1000, MOST};
  for (int dynamic = 0; dynamic < 2; dynamic++)
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
      for (int again = 0; again < 20; again++) check(numbers[i], dynamic);
}

static void nest(void *given, int64_t thread, pm_loop *loop) {
  sums *s = given;
  int64_t range[2];
  (void)thread;
  while (pm_next(loop, range))
    for (int64_t i = range[0]; i < range[1]; i++) {
      check(s->inner, i % 2 == 0);
      s->done[i]++;
    }
}

static void check_nested(void) {
  sums s = {.inner = 100};
  pm_parallel(nest, &s, 300, 1);
  for (int64_t i = 0; i < 300; i++) assert(s.done[i] == 1);
}

static void *call(void *none) {
  for (int i = 0; i < CALLS; i++) check_all();
  return none;
}

static void check_callers(int n) {
  pthread_t callers[8];
  for (int i = 0; i < n; i++) assert(pthread_create(&callers[i], NULL, call, NULL) == 0);
  check_nested();
  for (int i = 0; i < n; i++) assert(pthread_join(callers[i], NULL) == 0);
}

/* Children, some of them while other threads are in the pool, and one of a child. */
static void check_fork(int depth) {
  int status = 0;
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    alarm(20);
    check_all();
    if (depth > 0) check_fork(depth - 1);
    exit(0);
  }
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static _Atomic int calling;

static void *call_on(void *none) {
  while (atomic_load(&calling)) check(1000, 1);
  return none;
}

static void check_fork_among_callers(void) {
  pthread_t other;
  atomic_store(&calling, 1);
  assert(pthread_create(&other, NULL, call_on, NULL) == 0);
  for (int i = 0; i < 10; i++) check_fork(0);
  atomic_store(&calling, 0);
  assert(pthread_join(other, NULL) == 0);
}

static int n_threads(void) {
  int n = 0;
  DIR *tasks = opendir("/proc/self/task");
  assert(tasks != NULL);
  for (const struct dirent *at; (at = readdir(tasks)) != NULL;) n += at->d_name[0] != '.';
  closedir(tasks);
  return n;
}

/* At most one thread more than it had, when the others have gone, and as many again when they are wanted. */
static void check_end(int workers) {
  assert(n_threads() >= workers + 1);
  pm_end_threads();
  assert(n_threads() < workers + 1 || workers == 0);
  pm_end_threads();
  check_all();
  assert(n_threads() >= workers + 1);
}

int main(int argc, char **argv) {
  int wanted = argc > 1 ? atoi(argv[1]) : THREADS, workers = wanted - 1;
#ifdef CREATED
  workers = CREATED;
#endif
  if (argc > 1) assert(pm_get_threads() == wanted);
  pm_set_threads(wanted);
  assert(pm_get_threads() == wanted);
  check_all();
  check_nested();
  check_callers(4);
#ifndef CREATED
  check_end(workers);
#else
  (void)check_end, (void)workers;
#endif
#ifndef NO_FORK
  check_fork(1);
  check_fork_among_callers();
#else
  (void)check_fork_among_callers;
#endif
  check_all();
  puts("all well");
  return 0;
}
