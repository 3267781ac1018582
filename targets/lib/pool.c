/* Parallel loops of emitted programs: threads that this file starts, in place of OpenMP's.
 *
 * The caller of a loop works, too, and waits for no thread but those that work on the loop already: where all
 * processors have other work, it is done before another thread has begun. Loops may be called by several
 * threads at a time, and inside each other; whoever is idle joins the newest. A forked child starts threads
 * of its own.
 *
 * The target c prints this text ahead of a program that asks for it. Of the target llvm, pool.ll is the same
 * text as LLVM's IR (tools/refresh-runtime), and what it runs in its own process shares one copy. Therefore
 * nothing here depends on the processor, and what is shared is of Linux with 64 bits. The functions are weak,
 * so all programs that are linked together share the threads. Another meaning of one needs another name. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __GNUC__
#define PM_SHARED __attribute__((weak))
#define PM_AT_END __attribute__((destructor))
#define PM_RARE __attribute__((noinline))
#else
#define PM_SHARED
#define PM_AT_END
#define PM_RARE
#endif

/* A loop, or what a thread did at once of it. */
typedef struct pm_loop_event {
  const char *stages;        /* that the loop computes, `a, b`, its last stage at the end */
  int64_t loop, iterations;  /* its number in the call, from 0 on, and how many iterations it has */
  int64_t first, end;        /* those from first on and before end */
  int64_t begun_at, done_at; /* nanoseconds of CLOCK_MONOTONIC */
  int whole;                 /* the loop with all that its caller waited for, after its parts */
} pm_loop_event;
typedef void pm_loop_tell(void *user, const pm_loop_event *event);

/* A thread whose loops are limited, or told of: the caller of a program, and who joins its loops meanwhile.
 */
typedef struct pm_caller pm_caller;
struct pm_caller {
  pthread_t thread;
  int64_t threads;    /* that its loops have at most; 0: any number */
  pm_loop_tell *tell; /* may be NULL */
  void *user;
  pm_caller *first, *next; /* the caller of the program; of the list of all */
  int64_t loops;           /* of the first: how many there were; of the lock */
};

enum { PM_CALLER_BYTES = 128 };
_Static_assert(sizeof(pm_caller) <= PM_CALLER_BYTES, "who calls pm_begin_call has no room for it");

/* A loop that runs, on the stack of its caller. */
typedef struct pm_loop pm_loop;
typedef void pm_body(void *given, int64_t thread, pm_loop *loop);
struct pm_loop {
  pm_body *body;
  void *given;
  int64_t iterations, threads; /* at most so many of each */
  int dynamic;
  int is_told;                     /* it is the first of a pm_told */
  pm_caller *caller;               /* NULL: nothing is known of it */
  pm_loop_event *event;            /* of the whole loop; NULL: nobody is told */
  int64_t joined;                  /* threads so far, the caller among them; of the lock */
  pm_loop *next;                   /* of the list of loops that threads may join */
  _Atomic int64_t in;              /* how many of those that joined have not left */
  _Alignas(64) _Atomic int64_t at; /* the first iteration that no thread has taken */
};

/* In place of a loop, for one of its threads, where somebody is told what that does. Without iterations, so
 * that pm_next gets here. */
typedef struct pm_told {
  pm_loop it;
  pm_loop *loop;
  pm_loop_event part; /* without an end: none is under way */
} pm_told;

/* With room for those of other processors. */
typedef union pm_mutex {
  pthread_mutex_t it;
  char room[64];
} pm_mutex;
typedef union pm_condition {
  pthread_cond_t it;
  char room[64];
} pm_condition;

enum { PM_MOST_THREADS = 4096 };

static struct {
  _Alignas(64) pm_mutex lock;
  pm_condition work, left;            /* a loop has begun; the last thread has left one */
  _Atomic int64_t begun;              /* loops so far */
  _Alignas(64) pm_loop *loops;        /* that threads may join, the newest first */
  pthread_t workers[PM_MOST_THREADS]; /* that there are beside callers */
  int64_t n_workers, wanted;          /* how many, and how many were asked for */
  int64_t sleepers;                   /* callers that sleep until the last thread has left */
  int ending;
  _Atomic int64_t process;   /* to which all of this belongs; negative while that is about to change */
  _Atomic int64_t threads;   /* of a loop; 0: not known yet */
  _Atomic int64_t n_callers; /* in the list */
  pm_caller *callers;        /* the newest first; of the lock */
} pm_pool;

/* --- how many threads --- */

#if defined __linux__ && defined __GNUC__
extern int pm_get_affinity(int process, size_t bytes, void *set) __asm__("sched_getaffinity");

/* Processors that this process may use; the header has the function only with _GNU_SOURCE. */
static int64_t pm_processors(void) {
  uint64_t set[128] = {0};
  int64_t n = 0;
  if (pm_get_affinity(0, sizeof set, set) != 0) return sysconf(_SC_NPROCESSORS_ONLN);
  for (int i = 0; i < 128; i++)
    for (; set[i] != 0; set[i] &= set[i] - 1) n++;
  return n;
}
#else
static int64_t pm_processors(void) {
  return sysconf(_SC_NPROCESSORS_ONLN);
}
#endif

/* What there is: those of pm_set_threads, else of OMP_NUM_THREADS, else one for each processor. */
static int64_t pm_all_threads(void) {
  int64_t n = atomic_load_explicit(&pm_pool.threads, memory_order_relaxed), none = 0;
  if (n > 0) return n;
  const char *said = getenv("OMP_NUM_THREADS");
  n = said != NULL ? strtol(said, NULL, 10) : 0;
  if (n < 1 || n > PM_MOST_THREADS) n = pm_processors();
  if (n < 1) n = 1;
  return atomic_compare_exchange_strong(&pm_pool.threads, &none, n) ? n : none;
}

/* Between calls of programs, which have memory for each thread. */
PM_SHARED void pm_set_threads(int n) {
  if (n > 0) atomic_store(&pm_pool.threads, n);
}

/* --- waiting --- */

/* Nobody has the lock for long, so a thread that finds it taken first tries again. */
static void pm_lock(void) {
  for (int i = 0; i < 100; i++)
    if (pthread_mutex_trylock(&pm_pool.lock.it) == 0) return;
  pthread_mutex_lock(&pm_pool.lock.it);
}

static void pm_unlock(void) {
  pthread_mutex_unlock(&pm_pool.lock.it);
}

/* Until the number is `value` (or no longer is), for as long as it takes to wake a thread. While this one has
 * no processor, next to nothing of that goes by. */
static void pm_wait_briefly(const _Atomic int64_t *number, int64_t value, int equal) {
  enum { BRIEF = 50000, LONGEST_STEP = 2000 }; /* nanoseconds */
  struct timespec before, now;
  int64_t spent = 0;
  (void)clock_gettime(CLOCK_MONOTONIC, &before);
  while (spent < BRIEF && (atomic_load_explicit(number, memory_order_acquire) == value) != equal) {
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t step = (int64_t)(now.tv_sec - before.tv_sec) * 1000000000 + (now.tv_nsec - before.tv_nsec);
    spent += step < LONGEST_STEP ? step : LONGEST_STEP;
    before = now;
  }
}

/* --- whose memory it is --- */

/* Ahead of all else. A child has none of its parent's threads, and may have a lock that one of them held. */
static void pm_own(void) {
  int64_t own = getpid(), other = atomic_load(&pm_pool.process);
  while (other != own) {
    if (other != -own && atomic_compare_exchange_strong(&pm_pool.process, &other, -own)) {
      (void)pthread_mutex_init(&pm_pool.lock.it, NULL);
      (void)pthread_cond_init(&pm_pool.work.it, NULL);
      (void)pthread_cond_init(&pm_pool.left.it, NULL);
      pm_pool.loops = NULL;
      pm_pool.callers = NULL;
      atomic_store(&pm_pool.n_callers, 0);
      pm_pool.n_workers = pm_pool.wanted = pm_pool.sleepers = pm_pool.ending = 0;
      atomic_store(&pm_pool.process, own);
    }
    other = atomic_load(&pm_pool.process);
  }
}

/* --- callers --- */

/* Under the lock. */
static void pm_list_caller(pm_caller *caller) {
  caller->thread = pthread_self();
  caller->next = pm_pool.callers;
  pm_pool.callers = caller;
  atomic_fetch_add(&pm_pool.n_callers, 1);
}

static void pm_unlist_caller(const pm_caller *caller) {
  for (pm_caller **at = &pm_pool.callers; *at != NULL; at = &(*at)->next)
    if (*at == caller) {
      *at = caller->next;
      atomic_fetch_sub(&pm_pool.n_callers, 1);
      return;
    }
}

/* Most often nobody is in the list. */
static int pm_has_callers(void) {
  return atomic_load_explicit(&pm_pool.n_callers, memory_order_relaxed) != 0;
}

/* What is known of this thread; NULL: nothing. */
PM_RARE static pm_caller *pm_find_caller(void) {
  pm_own();
  pm_lock();
  pm_caller *caller = pm_pool.callers;
  while (caller != NULL && !pthread_equal(caller->thread, pthread_self())) caller = caller->next;
  pm_unlock();
  return caller;
}

/* Until pm_end_call the loops that programs run in this thread have at most so many threads, where that is
 * not 0, and `tell`, which may be NULL, is told what each thread does of them, by that thread. `room` has
 * PM_CALLER_BYTES bytes, aligned as pointers are. */
PM_SHARED void pm_begin_call(void *room, int threads, pm_loop_tell *tell, void *user) {
  pm_caller *caller = room;
  *caller = (pm_caller){.threads = threads, .tell = tell, .user = user, .first = caller};
  pm_own();
  pm_lock();
  pm_list_caller(caller);
  pm_unlock();
}

PM_SHARED void pm_end_call(void *room) {
  pm_own();
  pm_lock();
  pm_unlist_caller(room);
  pm_unlock();
}

/* Threads that a loop of this thread runs on at most. */
PM_SHARED int pm_get_threads(void) {
  const int64_t n = pm_all_threads();
  const pm_caller *caller = pm_has_callers() ? pm_find_caller() : NULL;
  return (int)(caller != NULL && caller->threads > 0 && caller->threads < n ? caller->threads : n);
}

/* --- what threads do --- */

static int64_t pm_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void pm_end_part(pm_told *told) {
  if (told->part.end == 0) return;
  told->part.done_at = pm_now();
  told->loop->caller->tell(told->loop->caller->user, &told->part);
  told->part.end = 0;
}

PM_RARE static void pm_run_told(pm_loop *loop, int64_t thread) {
  pm_told told = {.it = {.is_told = 1}, .loop = loop, .part = *loop->event};
  loop->body(loop->given, thread, &told.it);
  pm_end_part(&told);
}

static void pm_run_body(pm_loop *loop, int64_t thread) {
  if (loop->event == NULL)
    loop->body(loop->given, thread, loop);
  else
    pm_run_told(loop, thread);
}

/* --- loops --- */

static int pm_has_work(pm_loop *loop) {
  return atomic_load_explicit(&loop->at, memory_order_relaxed) < loop->iterations;
}

/* Under the lock: NULL where there is none that needs a thread. */
static pm_loop *pm_find_loop(void) {
  pm_loop *loop = pm_pool.loops;
  while (loop != NULL && !pm_has_work(loop)) loop = loop->next;
  return loop;
}

/* Under the lock. */
static void pm_unlist(pm_loop *loop) {
  for (pm_loop **at = &pm_pool.loops; *at != NULL; at = &(*at)->next)
    if (*at == loop) {
      *at = loop->next;
      return;
    }
}

/* Under the lock, which is free meanwhile. The loop is its caller's once the last thread has left, which it
 * waits for in sleep or not. */
static void pm_join(pm_loop *loop) {
  int64_t thread = loop->joined++;
  if (loop->joined == loop->threads) pm_unlist(loop);
  pm_caller here = {0};
  int is_known = loop->caller != NULL;
  if (is_known) here = *loop->caller;
  if (is_known) pm_list_caller(&here);
  atomic_fetch_add(&loop->in, 1);
  pm_unlock();
  pm_run_body(loop, thread);
  int last = atomic_fetch_sub(&loop->in, 1) == 1;
  pm_lock();
  if (is_known) pm_unlist_caller(&here);
  if (last && pm_pool.sleepers > 0) pthread_cond_broadcast(&pm_pool.left.it);
}

/* Under the lock, which is free meanwhile: until a loop begins, or for no reason. */
static void pm_rest(void) {
  int64_t seen = atomic_load(&pm_pool.begun);
  pm_unlock();
  pm_wait_briefly(&pm_pool.begun, seen, 0);
  pm_lock();
  if (pm_find_loop() == NULL && !pm_pool.ending) pthread_cond_wait(&pm_pool.work.it, &pm_pool.lock.it);
}

static void *pm_work(void *none) {
  pm_lock();
  while (!pm_pool.ending) {
    pm_loop *loop = pm_find_loop();
    if (loop != NULL)
      pm_join(loop);
    else
      pm_rest();
  }
  pm_unlock();
  return none;
}

/* --- threads --- */

/* Under the lock: as many threads as there may be beside the caller. Signals are for other threads. What the
 * system does not give is not asked for again. */
static void pm_add_workers(int64_t n) {
  sigset_t all, before;
  if (pm_pool.wanted >= n || pm_pool.ending) return;
  pm_pool.wanted = n;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pm_pool.n_workers < n && pm_pool.n_workers < PM_MOST_THREADS &&
         pthread_create(&pm_pool.workers[pm_pool.n_workers], NULL, pm_work, NULL) == 0)
    pm_pool.n_workers++;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* When the program is unloaded, or the process ends: threads leave when they have done what they took. */
PM_SHARED PM_AT_END void pm_end_threads(void) {
  if (atomic_load(&pm_pool.process) != getpid()) return;
  pm_lock();
  int first = !pm_pool.ending;
  pm_pool.ending = 1;
  pthread_cond_broadcast(&pm_pool.work.it);
  pm_unlock();
  if (!first) return;
  for (int64_t i = 0; i < pm_pool.n_workers; i++) pthread_join(pm_pool.workers[i], NULL);
  pm_lock();
  pm_pool.n_workers = pm_pool.wanted = pm_pool.ending = 0;
  pm_unlock();
}

/* --- what programs call --- */

static void pm_begin(pm_loop *loop) {
  pm_own();
  pm_lock();
  pm_add_workers(loop->threads - 1);
  loop->next = pm_pool.loops;
  pm_pool.loops = loop;
  int all = loop->threads > pm_pool.n_workers;
  pm_unlock();
  atomic_fetch_add(&pm_pool.begun, 1);
  if (all)
    pthread_cond_broadcast(&pm_pool.work.it);
  else
    for (int64_t i = 1; i < loop->threads; i++) pthread_cond_signal(&pm_pool.work.it);
}

static void pm_finish(pm_loop *loop) {
  pm_lock();
  pm_unlist(loop);
  pm_unlock();
  pm_wait_briefly(&loop->in, 0, 1);
  if (atomic_load(&loop->in) == 0) return;
  pm_lock();
  pm_pool.sleepers++;
  while (atomic_load(&loop->in) > 0) pthread_cond_wait(&pm_pool.left.it, &pm_pool.lock.it);
  pm_pool.sleepers--;
  pm_unlock();
}

static void pm_run_loop(pm_loop *loop) {
  if (loop->threads > 1) pm_begin(loop);
  pm_run_body(loop, 0);
  if (loop->threads > 1) pm_finish(loop);
}

static int64_t pm_next_loop(pm_caller *caller) {
  pm_lock();
  int64_t number = caller->first->loops++;
  pm_unlock();
  return number;
}

/* Of a caller of which something is known. */
PM_RARE static void pm_run_known(pm_loop *loop, pm_caller *caller, const char *stages) {
  pm_loop_event event = {.stages = stages, .iterations = loop->iterations, .begun_at = pm_now()};
  if (caller->threads > 0 && caller->threads < loop->threads) loop->threads = caller->threads;
  loop->caller = caller;
  if (caller->tell != NULL) {
    event.loop = pm_next_loop(caller);
    loop->event = &event;
  }
  pm_run_loop(loop);
  if (loop->event == NULL) return;
  event.end = loop->iterations;
  event.whole = 1;
  event.done_at = pm_now();
  caller->tell(caller->user, &event);
}

/* Runs `body` on this thread, whose number is 0, and on others; it takes iterations by pm_next until there
 * are none. All are done when this returns. `dynamic`: a thread takes one when it is free, else a part of
 * those that are left. `stages` are those of pm_loop_event. */
PM_SHARED void pm_parallel(pm_body *body, void *given, int64_t iterations, int dynamic, const char *stages) {
  int64_t most = pm_all_threads();
  pm_caller *caller = pm_has_callers() ? pm_find_caller() : NULL;
  pm_loop loop = {.body = body,
                  .given = given,
                  .iterations = iterations,
                  .threads = iterations < most ? iterations : most,
                  .dynamic = dynamic,
                  .joined = 1};
  if (caller == NULL)
    pm_run_loop(&loop);
  else
    pm_run_known(&loop, caller, stages);
}

static int pm_take_part(pm_loop *loop, int64_t *range) {
  int64_t at = atomic_load_explicit(&loop->at, memory_order_relaxed), n;
  do {
    if (at >= loop->iterations) return 0;
    n = loop->dynamic ? 1 : (loop->iterations - at - 1) / (2 * loop->threads) + 1;
  } while (!atomic_compare_exchange_weak_explicit(&loop->at, &at, at + n, memory_order_relaxed,
                                                  memory_order_relaxed));
  range[0] = at;
  range[1] = at + n;
  return 1;
}

PM_RARE static int pm_take_told_part(pm_told *told, int64_t *range) {
  pm_end_part(told);
  if (!pm_take_part(told->loop, range)) return 0;
  told->part.first = range[0];
  told->part.end = range[1];
  told->part.begun_at = pm_now();
  return 1;
}

/* The next iterations for a thread, from range[0] to range[1] - 1; false when all are taken. */
PM_SHARED _Bool pm_next(pm_loop *loop, int64_t *range) {
  if (pm_take_part(loop, range)) return 1;
  return loop->is_told && pm_take_told_part((pm_told *)(void *)loop, range);
}
