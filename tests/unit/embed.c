/* pm.h as a program has it that uses the library (docs/embedding.md): what runs out of memory is an error,
 * and the next call works. The program has a malloc of its own, which fails when it is told to. */
#include "ir/diag.h"
#include "tests/unit/embed.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

/* --- a malloc that fails --- */

#ifndef SANITIZED
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static _Thread_local long left = -1; /* calls that succeed from here on; -1: all */
static _Thread_local bool once;      /* the one behind them fails alone */
static _Thread_local long failures;

static bool gives_memory(void) {
  if (left < 0) return true;
  if (left > 0) {
    left--;
    return true;
  }
  failures++;
  if (once) left = -1;
  errno = ENOMEM;
  return false;
}

void *malloc(size_t bytes) {
  return gives_memory() ? __libc_malloc(bytes) : NULL;
}

void *calloc(size_t count, size_t bytes) {
  return gives_memory() ? __libc_calloc(count, bytes) : NULL;
}

void *realloc(void *p, size_t bytes) {
  return gives_memory() ? __libc_realloc(p, bytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  return gives_memory() ? __libc_memalign(alignment, bytes) : NULL;
}
#endif

/* --- functions --- */

static void five_calls_make_a_function(void **state) {
  (void)state;
  assert_works(&quick);
}

#ifdef PM_WITH_LLVM
static void llvm_is_in_a_child_or_here(void **state) {
  (void)state;
  assert_works(&apart);
  assert_works(&inside);
  assert_works(&apart);
}

static void llvm_may_not_know_the_processor(void **state) {
  (void)state;
  pm_options options = apart;
  pm_program *program;
  pm_function *f;
  options.cpu = "no-such-cpu";
  assert_int_equal(read_blur(&options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &f), PM_REFUSED);
  assert_non_null(strstr(pm_program_error(program), "no-such-cpu"));
  pm_program_free(program);
}
#endif

static void a_program_makes_several_functions(void **state) {
  (void)state;
  pm_program *program;
  pm_function *first, *second;
  char *text;
  assert_int_equal(read_blur(&quick, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &first), PM_OK);
  assert_int_equal(pm_program_compile(program, &second), PM_OK);
  assert_string_equal(pm_program_error(program), "");
  assert_int_equal(pm_program_emit(program, &text), PM_OK);
  assert_non_null(strstr(text, "int sum3("));
  assert_true(pm_program_bytes(program) > 0);
  assert_string_equal(pm_program_error(program), "");
  pm_text_free(text);
  pm_program_free(program);
  assert_blurs(second);
  pm_function_free(second);
  assert_blurs(first);
  pm_function_free(first);
}

static void functions_say_what_they_take(void **state) {
  (void)state;
  static const pm_parameter want[] = {{PM_SCALAR, "R", PM_TYPE_I32, 0},
                                      {PM_SCALAR, "C", PM_TYPE_I32, 0},
                                      {PM_INPUT, "img", PM_TYPE_F32, 2},
                                      {PM_OUTPUT, "sum3", PM_TYPE_F32, 2}};
  pm_function *f;
  pm_parameter got;
  assert_int_equal(compile_blur(&quick, &f), PM_OK);
  assert_string_equal(pm_function_name(f), "sum3");
  assert_int_equal(pm_function_parameters(f), 4);
  for (size_t i = 0; i < 4; i++) {
    assert_true(pm_function_parameter(f, i, &got));
    assert_int_equal(got.kind, want[i].kind);
    assert_string_equal(got.name, want[i].name);
    assert_int_equal(got.type, want[i].type);
    assert_int_equal(got.dimensions, want[i].dimensions);
  }
  assert_false(pm_function_parameter(f, 4, &got));
  const pm_argument sizes[] = {{7}, {9}};
  assert_int_equal(pm_function_extent(f, sizes, 0, 0), 7);
  assert_int_equal(pm_function_extent(f, sizes, 0, 1), 11);
  assert_int_equal(pm_function_extent(f, sizes, 1, 1), 9);
  assert_int_equal(pm_function_extent(f, sizes, 2, 0), -1);
  assert_int_equal(pm_function_extent(f, sizes, 1, 2), -1);
  pm_function_free(f);
}

/* Columns that lie one after the other, and rows that go upwards. */
static void buffers_have_any_layout(void **state) {
  (void)state;
  pm_function *f;
  float in[COLUMNS + 2][ROWS], out[ROWS][COLUMNS + 1];
  for (int j = 0; j < COLUMNS + 2; j++)
    for (int i = 0; i < ROWS; i++) in[j][i] = (float)(10 * i + j);
  const pm_buffer img = {in, PM_TYPE_F32, 2, {{0, ROWS, 1}, {0, COLUMNS + 2, ROWS}}};
  const pm_buffer sum = {out[ROWS - 1], PM_TYPE_F32, 2, {{0, ROWS, -(COLUMNS + 1)}, {0, COLUMNS, 1}}};
  assert_int_equal(compile_blur(&quick, &f), PM_OK);
  const pm_buffer *arrays[] = {&img, &sum};
  assert_int_equal(pm_function_call(f, (pm_argument[]){{ROWS}, {COLUMNS}}, 2, arrays, 2), 0);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) assert_true(out[ROWS - 1 - i][j] == (float)(30 * i + 3 * j + 3));
  pm_function_free(f);
}

static void wrong_arguments_are_codes(void **state) {
  (void)state;
  pm_function *f;
  float in[ROWS][COLUMNS + 2] = {0}, out[ROWS][COLUMNS];
  const pm_buffer img = {in, PM_TYPE_F32, 2, {{0, ROWS, COLUMNS + 2}, {0, COLUMNS + 2, 1}}};
  const pm_buffer sum = {out, PM_TYPE_F32, 2, {{0, ROWS, COLUMNS}, {0, COLUMNS, 1}}};
  const pm_buffer none = {NULL, PM_TYPE_F32, 2, {{0, ROWS, COLUMNS}, {0, COLUMNS, 1}}};
  const pm_buffer type = {in, PM_TYPE_I32, 2, {{0, ROWS, COLUMNS + 2}, {0, COLUMNS + 2, 1}}};
  const pm_buffer rank = {in, PM_TYPE_F32, 1, {{0, ROWS, COLUMNS + 2}}};
  const pm_argument sizes[] = {{ROWS}, {COLUMNS}}, larger[] = {{ROWS}, {COLUMNS + 1}},
                    wide[] = {{INT64_C(1) << 40}, {COLUMNS}};
  const struct {
    const pm_argument *scalars;
    size_t n_scalars;
    const pm_buffer *arrays[2];
    size_t n_arrays;
    int code;
    const char *why;
  } rows[] = {
      {sizes, 2, {&img, &sum}, 2, 0, "no error"},
      {sizes, 1, {&img, &sum}, 2, 8, "the call has 1 scalars and 2 arrays, but 'sum3' has 2 and 2"},
      {sizes, 2, {&img}, 1, 8, "the call has 2 scalars and 1 arrays, but 'sum3' has 2 and 2"},
      {NULL, 2, {&img, &sum}, 2, 10, "the function, or what is no array, is a null pointer"},
      {sizes, 2, {NULL, &sum}, 2, 1, "array 'img' is a null pointer"},
      {sizes, 2, {&img, &none}, 2, 1, "array 'sum3' has no host"},
      {sizes, 2, {&type, &sum}, 2, 5, "array 'img' has elements of i32, but should have f32"},
      {sizes, 2, {&rank, &sum}, 2, 5, "array 'img' has 1 dimensions, but should have 2"},
      {larger, 2, {&img, &sum}, 2, 5, "dimension 1 of array 'img' has the indices 0:7, but should have 0:8"},
      {wide, 2, {&img, &sum}, 2, 9, "scalar 'R' is 1099511627776, which i32 does not have"}};
  assert_int_equal(compile_blur(&quick, &f), PM_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int code = pm_function_call(f, rows[i].scalars, rows[i].n_scalars, rows[i].arrays, rows[i].n_arrays);
    if (code != rows[i].code) fail_msg("row %zu: %d", i, code);
    char why[200];
    pm_function_explain(f, rows[i].scalars, rows[i].n_scalars, NULL, rows[i].arrays, rows[i].n_arrays, code,
                        why, sizeof why);
    assert_string_equal(why, rows[i].why);
    pm_function_explain(f, rows[i].scalars, rows[i].n_scalars, NULL, rows[i].arrays, rows[i].n_arrays, code,
                        why, 5);
    assert_int_equal(strlen(why), 4);
  }
  static const char *const texts[] = {
      [0] = "no error",
      [1] = "an array argument is a null pointer",
      [5] = "a buffer has another type or number of dimensions, or lacks indices",
      [8] = "the call has fewer or more scalars or arrays than the function",
      [9] = "the type of a scalar does not have its value",
      [10] = "the function, or what is no array, is a null pointer",
      [15] = "unknown error",
      [16] = "an argument is outside of what the function was made for: R > 0"};
  for (int i = 0; i <= 16; i++)
    if (texts[i]) assert_int_equal(strncmp(pm_function_strerror(f, i), texts[i], strlen(texts[i])), 0);
  pm_function_free(f);
}

static void null_functions_are_errors(void **state) {
  (void)state;
  pm_parameter parameter;
  int64_t lo[2], hi[2], box[4] = {0};
  const pm_argument sizes[] = {{ROWS}, {COLUMNS}};
  pm_function_free(NULL);
  assert_string_equal(pm_function_name(NULL), "");
  assert_int_equal(pm_function_parameters(NULL), 0);
  assert_false(pm_function_parameter(NULL, 0, &parameter));
  assert_int_equal(pm_function_extent(NULL, sizes, 0, 0), -1);
  assert_int_equal(pm_function_call(NULL, sizes, 2, NULL, 0), 10);
  assert_int_equal(pm_function_box(NULL), 0);
  assert_int_equal(pm_function_needs(NULL, sizes, box, 0, lo, hi), 10);
  assert_int_equal(pm_function_region(NULL, sizes, 2, box, NULL, 0), 10);
  assert_true(strlen(pm_function_strerror(NULL, 10)) > 0);
  assert_true(strlen(pm_function_region_strerror(NULL, 11)) > 0);
  pm_function *f;
  assert_int_equal(compile_blur(&quick, &f), PM_OK);
  assert_int_equal(pm_function_call(f, sizes, 2, NULL, 2), 10);
  assert_int_equal(pm_function_extent(f, NULL, 0, 0), -1);
  assert_int_equal(pm_function_needs(f, sizes, box, 0, lo, hi), 11);
  pm_function_free(f);
}

/* --- messages --- */

typedef struct log {
  char text[2000];
  int panic; /* at the first remark */
} log;

static void note(void *user, const pm_message *m) {
  log *l = user;
  size_t n = strlen(l->text);
  if (l->panic && m->kind == PM_MESSAGE_REMARK) pm_panic(NULL, "the handler is a pass gone mad");
  if (m->kind == PM_MESSAGE_REMARK) return;
  (void)snprintf(l->text + n, sizeof l->text - n, "%d %s:%u:%u: %s [%s]\n", (int)m->kind,
                 m->file ? m->file : "", m->line, m->column, m->text, m->source ? m->source : "");
}

static void mistakes_go_to_the_handler(void **state) {
  (void)state;
  static const char wrong[] = "R = Parameter(Int, \"R\")\nimg = Image(Float, \"img\", [R, S])\n";
  static const char *const bad_settings[] = {"tile"}, *const bad_estimates[] = {"C=9", "R=-3"},
                           *const nothing[] = {NULL};
  const struct {
    const char *name, *text;
    pm_options options;
    const char *log;
  } rows[] = {
      {"a.py", wrong, {0}, "0 a.py:2:31: 'S' is not defined"},
      {"a.txt", blur, {0}, "0 :0:0: the name 'a.txt' does not tell the language of the program []\n"},
      {"a.py", blur, {.language = "latin"}, "0 :0:0: there is no language 'latin' []\n"},
      {"a.py", blur, {.target = "abacus"}, "0 :0:0: there is no target 'abacus' []\n"},
      {"a.py", blur, {.fp = "loose"}, "0 :0:0: fp is 'loose', it should be strict, contract or fast []\n"},
      {"a.py", blur, {.parallel = "no"}, "0 :0:0: parallel is 'no', it should be pool|openmp []\n"},
      {"a.py", blur, {.vector = "mmx"}, "0 :0:0: there are no vectors 'mmx' []\n"},
      {NULL, blur, {0}, "0 :0:0: the name of the program is NULL []\n"},
      {"a.py", NULL, {0}, "0 :0:0: the text of the program is NULL []\n"},
      {"a.py", blur, {.n_settings = 2}, "0 :0:0: 'settings' is NULL, but has 2 elements []\n"},
      {"a.py",
       blur,
       {.estimates = nothing, .n_estimates = 1},
       "0 :0:0: element 0 of 'estimates' is NULL []\n"},
      {"a.py",
       blur,
       {.language_options = &(pm_named_option){"const", NULL}, .n_language_options = 1},
       "0 :0:0: element 0 of 'language_options' has no name or no text: it is NULL []\n"},
      {"a.py", blur, {.threads = -3}, "0 :0:0: threads is -3, it should be 0 or as many as 4096 []\n"},
      {"a.py",
       blur,
       {.estimates = bad_estimates, .n_estimates = 2},
       "0 :0:0: --estimate R=-3: the program requires R > 0"},
      {"a.py",
       blur,
       {.settings = bad_settings, .n_settings = 1},
       "0 :0:0: the setting 'tile' is not PASS{OPTION=VALUE} []\n"},
      {"a.py",
       blur,
       {.language_options = &(pm_named_option){"const", "S"}, .n_language_options = 1},
       "0 :0:0: --const 'S' is not NAME=VALUE, the value a number or a word"},
      {"a.py",
       blur,
       {.language_options = &(pm_named_option){"colour", "S"}, .n_language_options = 1},
       "0 :0:0: no language has an option 'colour' []\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    log l = {.text = ""};
    pm_options options = rows[i].options;
    pm_program *program;
    options.handler = note;
    options.user = &l;
    assert_int_equal(pm_program_read(rows[i].name, rows[i].text, rows[i].text ? strlen(rows[i].text) : 0,
                                     &options, &program),
                     PM_DIAGNOSED);
    if (strncmp(l.text, rows[i].log, strlen(rows[i].log)) != 0) fail_msg("row %zu: %s", i, l.text);
    pm_program_free(program);
  }
}

static void what_cannot_be_called_is_told(void **state) {
  (void)state;
  log l = {.text = ""};
  pm_options options = {.handler = note, .user = &l, .target = "null"};
  pm_function *f;
  assert_int_equal(compile_blur(&options, &f), PM_DIAGNOSED);
  assert_string_equal(l.text, "0 :0:0: the target 'null' makes no functions of this process []\n");
  l.text[0] = 0;
  options = (pm_options){.handler = note, .user = &l, .passes = "no-such-pass"};
  assert_int_equal(compile_blur(&options, &f), PM_DIAGNOSED);
  assert_non_null(strstr(l.text, "no-such-pass"));
}

static void null_programs_are_errors(void **state) {
  (void)state;
  log l = {.text = ""};
  pm_options options = {.handler = note, .user = &l};
  pm_program *program;
  pm_function *f;
  char *text;
  assert_int_equal(read_blur(&options, NULL), PM_DIAGNOSED);
  assert_string_equal(l.text, "0 :0:0: 'program' is NULL: there is no place for the program []\n");
  assert_int_equal(pm_program_read("a.py", blur, strlen(blur), NULL, NULL), PM_DIAGNOSED);
  assert_int_equal(pm_program_compile(NULL, &f), PM_NO_MEMORY);
  assert_null(f);
  assert_int_equal(pm_program_emit(NULL, &text), PM_NO_MEMORY);
  assert_null(text);
  assert_null(pm_program_reproducer(NULL));
  assert_int_equal(pm_program_bytes(NULL), 0);
  assert_string_equal(pm_program_error(NULL), "out of memory");
  assert_string_equal(pm_status_name((pm_status)99), "unknown status");
  assert_int_equal(read_blur(&options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, NULL), PM_DIAGNOSED);
  assert_int_equal(pm_program_emit(program, NULL), PM_DIAGNOSED);
  pm_program_free(program);
}

/* What the compiler prints is told line by line, behind the error. */
static void wrong_flags_are_told(void **state) {
  (void)state;
  log l = {.text = ""};
  pm_options options = {.handler = note, .user = &l, .flags = "-fnonsense"};
  pm_function *f;
  assert_int_equal(compile_blur(&options, &f), PM_REFUSED);
  static const char begin[] =
      "0 :0:0: the C compiler 'cc' refuses the emitted program: does it know the --cflags? []\n3 :0:0: ";
  assert_int_equal(strncmp(l.text, begin, strlen(begin)), 0);
  assert_non_null(strstr(l.text, "-fnonsense"));
  for (const char *at = l.text; *at; at = strchr(at, '\n') + 1)
    assert_true(at == l.text || strncmp(at, "3 :0:0: ", 8) == 0);
}

static void flags_may_hide_the_function(void **state) {
  (void)state;
  pm_options options = {.flags = "-O0 -fvisibility=hidden"};
  pm_program *program;
  pm_function *f;
  assert_int_equal(read_blur(&options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &f), PM_REFUSED);
  assert_non_null(strstr(pm_program_error(program), "has no function 'sum3': do the --cflags hide it?"));
  pm_program_free(program);
}

static void wrong_settings_are_shown_alone(void **state) {
  (void)state;
  static const char *const settings[] = {"tile{own=false}", "tile{sizes=abc}"};
  log l = {.text = ""};
  pm_options options = {.handler = note, .user = &l, .settings = settings, .n_settings = 2};
  pm_function *f;
  assert_int_equal(compile_blur(&options, &f), PM_DIAGNOSED);
  assert_string_equal(l.text,
                      "0 --set:1:12: option 'sizes' is 'abc', but takes integers with x between them, as "
                      "32x256, or nothing [tile{sizes=abc}]\n");
}

static void a_system_without_a_compiler_refuses(void **state) {
  (void)state;
  pm_options options = {.compiler = "no-such-compiler"};
  pm_program *program;
  pm_function *f;
  assert_int_equal(read_blur(&options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &f), PM_REFUSED);
  assert_null(f);
  assert_non_null(strstr(pm_program_error(program), "cannot run the C compiler 'no-such-compiler'"));
  pm_program_free(program);
  options.compiler = " ";
  assert_int_equal(read_blur(&options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &f), PM_REFUSED);
  assert_non_null(strstr(pm_program_error(program), "cannot run the C compiler ''"));
  pm_program_free(program);
}

/* The handler stands for a pass that finds a bug: it is called while one runs. */
static void bugs_have_reproducers(void **state) {
  (void)state;
  log l = {.panic = 1};
  pm_options options = {.handler = note, .user = &l, .remarks = 1, .flags = "-O0"};
  pm_program *program;
  pm_function *f;
  assert_int_equal(read_blur(&options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &f), PM_BUG);
  assert_null(f);
  assert_non_null(strstr(pm_program_error(program), "the handler is a pass gone mad, in pass '"));
  assert_non_null(pm_program_reproducer(program));
  assert_non_null(strstr(pm_program_reproducer(program), "// configuration: --pass-pipeline='"));
  assert_non_null(strstr(pm_program_reproducer(program), "stage.pipeline @sum3"));
  l.panic = 0;
  assert_int_equal(pm_program_compile(program, &f), PM_OK);
  assert_blurs(f);
  assert_null(pm_program_reproducer(program));
  pm_function_free(f);
  pm_program_free(program);
}

/* --- memory that runs out --- */

/* Each limit that is too small is an error; so is one for the function alone, which comes last. */
static void a_limit_is_an_error(void **state) {
  (void)state;
  pm_options options = quick;
  options.exact_memory = 1;
  size_t step = is_long() ? 1000 : 100000, errors = 0;
  for (bool done = false; !done; options.memory += step) {
    pm_function *f;
    if (!options.memory) continue;
    pm_status status = compile_blur(&options, &f);
    done = status == PM_OK;
    errors += !done;
    assert_true(done || status == PM_NO_MEMORY);
    if (f) assert_blurs(f);
    pm_function_free(f);
  }
  assert_true(errors >= 5);
  assert_works(&quick);
}

static void a_fault_leaves_the_program(void **state) {
  (void)state;
  pm_options options = quick;
  options.exact_memory = 1;
  pm_program *program = NULL;
  pm_function *f;
  do {
    pm_program_free(program);
    options.memory += 10000;
  } while (read_blur(&options, &program) != PM_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(pm_program_compile(program, &f), PM_NO_MEMORY);
    assert_null(f);
    assert_string_equal(pm_program_error(program), "out of memory");
    assert_null(pm_program_reproducer(program));
  }
  pm_program_free(program);
}

#ifndef SANITIZED
/* The five calls, where malloc fails at the n-th call, and unless `alone` at all that follow. What the C
 * library does without is no error: then the function computes what it should. */
static bool fails_at(const pm_options *options, long n, bool alone) {
  pm_function *f;
  left = n;
  once = alone;
  failures = 0;
  pm_status status = compile_blur(options, &f);
  left = -1;
  bool failed = failures > 0;
  if (status == PM_OK)
    assert_blurs(f);
  else
    assert_null(f);
  assert_true(status == PM_OK || status == PM_NO_MEMORY || status == PM_REFUSED);
  pm_function_free(f);
  return failed;
}

/* Every call of malloc that there is: blocks of a heap without a limit come from few. */
static void each_malloc_may_fail(void **state) {
  (void)state;
  for (int alone = 0; alone < 2; alone++) {
    long n = 0;
    long step = is_long() || !alone ? 1 : 7;
    while (fails_at(&quick, n, alone)) assert_true((n += step) < 100000);
    assert_true(n > 100);
  }
  assert_works(&quick);
}

#ifdef PM_WITH_LLVM
/* On this side of a child. */
static void each_malloc_may_fail_beside_llvm(void **state) {
  (void)state;
  long n = 0;
  while (fails_at(&apart, n, false)) assert_true((n += is_long() ? 1 : 20) < 100000);
  assert_true(n > 100);
  assert_works(&apart);
}
#endif

/* Of an exact heap every block is a call. */
static void each_block_may_fail(void **state) {
  (void)state;
  pm_options exact = quick;
  exact.exact_memory = 1;
  long n = 0;
  while (n < 2000) assert_true(fails_at(&exact, n++, false));
  for (long step = is_long() ? 10 : 1000; fails_at(&exact, n, false); n += step) {
  }
  assert_true(n > 10000);
  assert_works(&quick);
}

/* Where an earlier process has compiled it: what is open is closed when memory runs out. */
static void what_is_kept_may_have_no_memory(void **state) {
  (void)state;
  char folder[] = "/tmp/pm-kept-XXXXXX", command[64];
  pm_options kept = quick;
  kept.cache = 1;
  assert_non_null(mkdtemp(folder));
  setenv("PM_CACHE_DIR", folder, 1);
  for (int alone = 0; alone < 2; alone++) {
    long n = 0;
    assert_works(&kept);
    while (fails_at(&kept, n, alone)) assert_true(n++ < 100000);
    assert_true(n > 20);
  }
  kept.exact_memory = 1;
  for (long n = 0, step = is_long() ? 7 : 500; fails_at(&kept, n, false); n += step) assert_true(n < 1000000);
  assert_works(&kept);
  setenv("PM_CACHE_DIR", "", 1);
  (void)snprintf(command, sizeof command, "rm %s/pm-* && rmdir %s", folder, folder);
  assert_int_equal(system(command), 0);
}

/* The compiler that is run has the limit, too. */
static void address_space_may_end(void **state) {
  (void)state;
  struct rlimit usual, small;
  getrlimit(RLIMIT_AS, &usual);
  size_t errors = 0;
  for (size_t more = 0; more < 3000000; more += more < 131072 ? 4096 : is_long() ? 16384 : 65536) {
    pm_function *f;
    small = usual;
    small.rlim_cur = (rlim_t)(bytes_now(0) + more);
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    pm_status status = compile_blur(&quick, &f);
    assert_int_equal(setrlimit(RLIMIT_AS, &usual), 0);
    errors += status != PM_OK;
    assert_true(status == PM_OK || status == PM_NO_MEMORY || status == PM_REFUSED);
    if (f) assert_blurs(f);
    pm_function_free(f);
  }
  assert_true(errors >= 5);
  assert_works(&quick);
}

/* What the first ones leave is there once. */
static void memory_stays_flat(void **state) {
  (void)state;
  int texts = is_long() ? 1000 : 100, functions = is_long() ? 1000 : 15, first = 10;
  size_t before[2] = {0};
  for (int i = 0; i < texts; i++) {
    pm_program *program;
    char *text;
    assert_int_equal(read_blur(NULL, &program), PM_OK);
    assert_int_equal(pm_program_emit(program, &text), PM_OK);
    pm_text_free(text);
    pm_program_free(program);
    if (i < functions) assert_works(&quick);
    for (int k = 0; k < 2 && i == first; k++) before[k] = bytes_now(k);
  }
  for (int k = 0; k < 2; k++) {
    size_t now = bytes_now(k);
    print_message("%s memory: %zu kB, after %d programs %zu kB\n", k ? "resident" : "virtual",
                  before[k] / 1024, texts, now / 1024);
    assert_true(now < before[k] + 1000000);
  }
}
#endif

/* --- threads --- */

static void threads_compile_at_the_same_time(void **state) {
  (void)state;
  pthread_t threads[2];
  pm_options limited = quick;
  limited.memory = (size_t)1 << 40;
  assert_int_equal(pthread_create(&threads[0], NULL, compile_often, (void *)&quick), 0);
  assert_int_equal(pthread_create(&threads[1], NULL, compile_often, &limited), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(five_calls_make_a_function),
      cmocka_unit_test(a_program_makes_several_functions),
      cmocka_unit_test(functions_say_what_they_take),
      cmocka_unit_test(buffers_have_any_layout),
      cmocka_unit_test(wrong_arguments_are_codes),
      cmocka_unit_test(null_functions_are_errors),
      cmocka_unit_test(mistakes_go_to_the_handler),
      cmocka_unit_test(what_cannot_be_called_is_told),
      cmocka_unit_test(null_programs_are_errors),
      cmocka_unit_test(wrong_flags_are_told),
      cmocka_unit_test(flags_may_hide_the_function),
      cmocka_unit_test(wrong_settings_are_shown_alone),
      cmocka_unit_test(a_system_without_a_compiler_refuses),
      cmocka_unit_test(bugs_have_reproducers),
      cmocka_unit_test(a_limit_is_an_error),
      cmocka_unit_test(a_fault_leaves_the_program),
#ifndef SANITIZED
      cmocka_unit_test(each_malloc_may_fail),
#ifdef PM_WITH_LLVM
      cmocka_unit_test(each_malloc_may_fail_beside_llvm),
#endif
      cmocka_unit_test(each_block_may_fail),
      cmocka_unit_test(what_is_kept_may_have_no_memory),
      cmocka_unit_test(address_space_may_end),
      cmocka_unit_test(memory_stays_flat),
#endif
#ifdef PM_WITH_LLVM
      cmocka_unit_test(llvm_may_not_know_the_processor),
      cmocka_unit_test(llvm_is_in_a_child_or_here),
#endif
      cmocka_unit_test(threads_compile_at_the_same_time),
      cmocka_unit_test(nothing_is_left),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
