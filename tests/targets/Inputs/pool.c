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
void pm_parallel(pm_body *body, void *given, int64_t iterations, int dynamic, const char *stages);
typedef struct pm_loop_event {
  const char *stages;
  int64_t loop, iterations, first, end, begun_at, done_at;
  int whole;
} pm_loop_event;
typedef void pm_loop_tell(void *user, const pm_loop_event *event);
enum { PM_CALLER_BYTES = 128 };
void pm_begin_call(void *room, int threads, pm_loop_tell *tell, void *user);
void pm_end_call(void *room);
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
  pm_parallel(mark, &s, n, dynamic, "s");
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
  pm_parallel(nest, &s, 300, 1, "all");
  for (int64_t i = 0; i < 300; i++) assert(s.done[i] == 1);
}

/* --- calls with fewer threads, and calls that are told of --- */

static void *call(void *none);

enum { LOOPS = 301 };

typedef struct told {
  pthread_mutex_t lock;
  int64_t done[LOOPS], wholes, parts; /* iterations that chunks had, of each loop */
  pthread_t threads[THREADS]; /* of the loop that runs: each has its own, but no more than that at a time */
  int n_threads, most, nested;
} told;

static void note_thread(told *t) {
  for (int i = 0; i < t->n_threads; i++)
    if (pthread_equal(t->threads[i], pthread_self())) return;
  assert(t->n_threads < THREADS);
  t->threads[t->n_threads++] = pthread_self();
}

static void note(void *user, const pm_loop_event *e) {
  told *t = user;
  assert(pthread_mutex_lock(&t->lock) == 0);
  assert(0 <= e->loop && e->loop < LOOPS && e->begun_at > 0 && e->begun_at <= e->done_at);
  assert(e->stages[0] == 's' || e->iterations == LOOPS - 1);
  assert(0 <= e->first && (e->first < e->end || e->whole) && e->end <= e->iterations);
  if (e->whole) {
    assert(e->first == 0 && e->end == e->iterations && t->done[e->loop] == e->iterations);
    assert(t->nested || t->n_threads <= t->most);
    t->n_threads = 0;
    t->wholes++;
  } else {
    t->done[e->loop] += e->end - e->first;
    t->parts++;
    note_thread(t);
  }
  assert(pthread_mutex_unlock(&t->lock) == 0);
}

/* Loops of a call that has at most so many threads; each iteration is told once. */
static void check_told(int threads) {
  _Alignas(16) char room[PM_CALLER_BYTES], inside[PM_CALLER_BYTES];
  const int all = pm_get_threads(), most = threads > 0 && threads < all ? threads : all;
  told t = {.lock = PTHREAD_MUTEX_INITIALIZER, .most = most};
  pm_begin_call(room, threads, note, &t);
  assert(pm_get_threads() == most);
  check(MOST, 0);
  check(1000, 1);
  check(0, 1);
  pm_begin_call(inside, 1, NULL, NULL);
  assert(pm_get_threads() == 1);
  check(7, 1);
  pm_end_call(inside);
  check(1, 0);
  pm_end_call(room);
  assert(t.wholes == 4 && t.parts >= 1002);
  assert(pm_get_threads() == all);
  check(1000, 1);
  assert(t.wholes == 4);
}

/* Loops inside loops have the limit, too, whoever runs them. */
static void nest_few(void *given, int64_t thread, pm_loop *loop) {
  sums *s = given;
  int64_t range[2];
  assert(thread < 2);
  while (pm_next(loop, range))
    for (int64_t i = range[0]; i < range[1]; i++) {
      assert(pm_get_threads() <= 2);
      check(s->inner, i % 2 == 0);
      s->done[i]++;
    }
}

static void check_told_nested(void) {
  _Alignas(16) char room[PM_CALLER_BYTES];
  told t = {.lock = PTHREAD_MUTEX_INITIALIZER, .nested = 1};
  sums s = {.inner = 40};
  pm_begin_call(room, 2, note, &t);
  pm_parallel(nest_few, &s, LOOPS - 1, 1, "all");
  pm_end_call(room);
  assert(t.wholes == LOOPS);
  for (int64_t i = 0; i + 1 < LOOPS; i++) assert(s.done[i] == 1);
}

static void check_limits(void) {
  for (int threads = 0; threads <= THREADS + 1; threads++) check_told(threads);
  check_told_nested();
}

static void *call_limited(void *none) {
  check_limits();
  return none;
}

/* Callers with other limits at the same time know nothing of each other. */
static void check_limited_callers(void) {
  pthread_t callers[4];
  for (int i = 0; i < 4; i++)
    assert(pthread_create(&callers[i], NULL, i % 2 ? call_limited : call, NULL) == 0);
  for (int i = 0; i < 4; i++) assert(pthread_join(callers[i], NULL) == 0);
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
    check_limits();
    if (depth > 0) check_fork(depth - 1);
    exit(0);
  }
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static _Atomic int calling;

static void *call_on(void *none) {
  while (atomic_load(&calling)) {
    check(1000, 1);
    check_told(2);
  }
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
  check_limits();
  check_limited_callers();
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
