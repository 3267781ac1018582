/* The folder of what is kept for later processes: the way to it, and what is done in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ir/support.h"
#include "targets/lib/cache_folder.h"

enum { OTHER_USER = 12345 };

static const char no_folder[] = "it should be a folder of yours that nobody else can write to";
static const char is_link[] = "it is a link";
static const char foreign_link[] = "a folder above it is a link of another user";

/* An empty folder of each test, where it works. */
static int enter_folder(void **state) {
  static char path[64];
  strcpy(path, P_tmpdir "/pm-unit-XXXXXX");
  if (!mkdtemp(path) || chdir(path) != 0) return -1;
  *state = path;
  return 0;
}

static int leave_folder(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
  return seteuid(getuid()) != 0 || chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

/* --- the environment --- */

static void set(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

static bool is_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static void path_is_of_the_environment(void **state) {
  (void)state;
  static const struct {
    const char *own, *all, *home, *path;
  } rows[] = {{"a/b", "/x", "/h", "a/b"},
              {"", "/x", "/h", NULL},
              {NULL, "/x", "/h", "/x/pm"},
              {NULL, "x", "/h", "/h/.cache/pm"},
              {NULL, NULL, "/h", "/h/.cache/pm"},
              {NULL, "", "", NULL},
              {NULL, NULL, NULL, NULL}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    set("PM_CACHE_DIR", rows[i].own);
    set("XDG_CACHE_HOME", rows[i].all);
    set("HOME", rows[i].home);
    char *path = pm_folder_path();
    assert_true(is_text(path, rows[i].path));
    free(path);
  }
}

static void limit_is_of_the_environment(void **state) {
  (void)state;
  static const struct {
    const char *text;
    long long bytes;
    bool wrong;
  } rows[] = {{NULL, 512000000, false},
              {"", 512000000, false},
              {"0", 0, false},
              {"20", 20000000, false},
              {"-1", 512000000, true},
              {"2x", 512000000, true},
              {"many", 512000000, true},
              {"1e3", 512000000, true},
              {"9223372036854775808", 512000000, true},
              {"9223372036855", 512000000, true},
              {"9223372036854", 9223372036854000000, false}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    const char *wrong;
    set("PM_CACHE_MB", rows[i].text);
    assert_int_equal(pm_folder_limit(&wrong), rows[i].bytes);
    assert_int_equal(wrong != NULL, rows[i].wrong);
  }
}

/* --- the way to it --- */

/* What leads to the folder `real`, of this user alone, and what does not. */
static void make_ways(const char *here) {
  char absolute[128];
  snprintf(absolute, sizeof absolute, "%s/real", here);
  assert_int_equal(mkdir("real", 0700) | mkdir("open", 0700) | chmod("open", 0770) | mkdir("loose", 0700), 0);
  assert_int_equal(chmod("loose", 0702) | close(open("file", O_WRONLY | O_CREAT, 0600)), 0);
  assert_int_equal(symlink("real", "link") | symlink(absolute, "absolute") | symlink("link/../link", "chain"),
                   0);
  assert_int_equal(symlink("loop", "loop") | symlink("not-yet", "dangling"), 0);
}

static bool is_same(int folder, const char *path) {
  struct stat a, b;
  return fstat(folder, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Opening `path` finds the folder `found`, or has the fault or the error. */
typedef struct way {
  const char *path, *found, *fault;
  int error;
} way;

static void try_ways(const way *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const way *row = &rows[i];
    const char *fault = "none";
    int folder = pm_folder_open(AT_FDCWD, row->path, &fault), error = errno;
    bool ok = is_text(fault, row->fault) && (folder >= 0) == (row->found != NULL);
    if (row->found) ok = ok && is_same(folder, row->found);
    if (row->error) ok = ok && error == row->error;
    if (folder >= 0) close(folder);
    if (!ok) fail_msg("%s: %d, %s, %s", row->path, folder, fault ? fault : "no fault", strerror(error));
  }
}

static void links_above_are_followed(void **state) {
  static const way rows[] = {
      {"real", "real", NULL, 0},
      {"real/", "real", NULL, 0},
      {"./real//", "real", NULL, 0},
      {"real/a/b", "real/a/b", NULL, 0},
      {"link/c", "real/c", NULL, 0},
      {"absolute/d", "real/d", NULL, 0},
      {"chain/e/../f", "real/f", NULL, 0},
      {"dangling/g", "not-yet/g", NULL, 0},
      {"link", NULL, is_link, 0},
      {"link//", NULL, is_link, 0},
      {"absolute", NULL, is_link, 0},
      {"loop", NULL, is_link, 0},
      {"real/../chain", NULL, is_link, 0},
      {"loop/a", NULL, NULL, ELOOP},
      {"file/a", NULL, NULL, ENOTDIR},
      {"file", NULL, NULL, ENOTDIR},
      {"", NULL, NULL, ENOENT},
      {"open", NULL, no_folder, 0},
      {"loose", NULL, no_folder, 0},
      {"open/h", "open/h", NULL, 0},
  };
  make_ways(*state);
  try_ways(rows, PM_COUNT(rows));
}

static void paths_may_be_too_long(void **state) {
  (void)state;
  char *path = pm_xmalloc(2 * PM_FOLDER_PATH);
  memset(path, '/', 2 * PM_FOLDER_PATH - 1);
  path[2 * PM_FOLDER_PATH - 1] = '\0';
  try_ways(&(way){path, NULL, NULL, ENAMETOOLONG}, 1);
  free(path);
}

static void folders_are_found_in_folders(void **state) {
  const char *fault;
  make_ways(*state);
  int real = pm_folder_open(AT_FDCWD, "real", &fault), inside = pm_folder_open(real, "opencl", &fault);
  assert_true(is_same(inside, "real/opencl"));
  assert_int_equal(rename("real", "moved") | symlink("open", "real"), 0);
  pm_folder_keep(real, "pm-0", "x", 1, 9);
  assert_int_equal(access("moved/pm-0", F_OK), 0);
  assert_int_not_equal(access("open/pm-0", F_OK), 0);
  close(inside);
  close(real);
}

/* --- two users, which only root can be --- */

static void links_of_others_are_not_followed(void **state) {
  static const way rows[] = {
      {"link/a", NULL, foreign_link, 0}, {"chain/a", NULL, foreign_link, 0},
      {"absolute/a", "real/a", NULL, 0}, {"link", NULL, is_link, 0},
      {"theirs", NULL, no_folder, 0},    {"theirs/b", "theirs/b", NULL, 0},
  };
  if (geteuid() != 0) skip();
  make_ways(*state);
  assert_int_equal(mkdir("theirs", 0700) | lchown("theirs", OTHER_USER, OTHER_USER), 0);
  assert_int_equal(lchown("link", OTHER_USER, OTHER_USER), 0);
  try_ways(rows, PM_COUNT(rows));
}

/* But where whom a folder belongs to has put a link into it, and nobody else can. */
static void links_of_an_owner_are_followed(void **state) {
  static const way closed[] = {{"theirs/link/a", "real/a", NULL, 0}},
                   open[] = {{"theirs/link/a", NULL, foreign_link, 0}};
  if (geteuid() != 0) skip();
  make_ways(*state);
  assert_int_equal(mkdir("theirs", 0755) | symlink("../real", "theirs/link"), 0);
  assert_int_equal(lchown("theirs", OTHER_USER, OTHER_USER) | lchown("theirs/link", OTHER_USER, OTHER_USER),
                   0);
  try_ways(closed, 1);
  assert_int_equal(chmod("theirs", 01777), 0);
  try_ways(open, 1);
}

/* From a folder that the user cannot search. */
static void absolute_paths_need_no_folder(void **state) {
  char path[128];
  if (geteuid() != 0) skip();
  snprintf(path, sizeof path, "%s/own/a", (const char *)*state);
  assert_int_equal(chmod(*state, 0711) | mkdir("own", 0700) | mkdir("closed", 0700), 0);
  assert_int_equal(lchown("own", OTHER_USER, OTHER_USER) | chdir("closed") | seteuid(OTHER_USER), 0);
  try_ways(&(way){path, path, NULL, 0}, 1);
}

/* By a user who can only search the folder `hidden`. */
static void links_of_root_are_followed(void **state) {
  static const way rows[] = {
      {"hidden/own", "hidden/own", NULL, 0}, {"root/c", "hidden/own/c", NULL, 0},
      {"mine/d", "hidden/own/d", NULL, 0},   {"others/e", NULL, foreign_link, 0},
      {"hidden/new", NULL, NULL, EACCES},    {"hidden/root", NULL, no_folder, 0},
  };
  if (geteuid() != 0) skip();
  assert_int_equal(chmod(*state, 0711) | mkdir("hidden", 0711) | mkdir("hidden/own", 0700), 0);
  assert_int_equal(lchown("hidden/own", OTHER_USER, OTHER_USER) | mkdir("hidden/root", 0755), 0);
  for (int i = 0; i < 3; i++) {
    const char *link = (const char *const[]){"root", "mine", "others"}[i];
    uid_t owner = (const uid_t[]){0, OTHER_USER, OTHER_USER + 1}[i];
    assert_int_equal(symlink("hidden/own", link) | lchown(link, owner, owner), 0);
  }
  assert_int_equal(seteuid(OTHER_USER), 0);
  try_ways(rows, PM_COUNT(rows));
}

/* --- entries --- */

static int open_here(void) {
  const char *fault;
  int folder = pm_folder_open(AT_FDCWD, "kept", &fault);
  assert_true(folder >= 0);
  return folder;
}

static void keep(int folder, const char *name, size_t n, long long limit) {
  char *bytes = pm_xcalloc(n + 1, 1);
  if (n) bytes[n - 1] = 'x';
  pm_folder_keep(folder, name, bytes, n, limit);
  free(bytes);
}

/* The bytes of an entry that `keep` has made; -1: there is none. */
static int bytes_of(int folder, const char *name) {
  size_t n = 0;
  char *bytes = pm_folder_read(folder, name, &n);
  if (bytes && n) assert_int_equal(bytes[n - 1], 'x');
  free(bytes);
  return bytes ? (int)n : -1;
}

static void set_age(int folder, const char *name, time_t seconds) {
  struct timespec then = {.tv_sec = time(NULL) - seconds};
  assert_int_equal(utimensat(folder, name, (struct timespec[]){then, then}, AT_SYMLINK_NOFOLLOW), 0);
}

static void entries_are_replaced(void **state) {
  (void)state;
  int folder = open_here();
  assert_int_equal(bytes_of(folder, "pm-0a"), -1);
  for (int n = 0; n < 200; n += 99) {
    keep(folder, "pm-0a", (size_t)n, 1000);
    assert_int_equal(bytes_of(folder, "pm-0a"), n);
  }
  keep(folder, "pm-0a", 1001, 1000);
  assert_int_equal(bytes_of(folder, "pm-0a"), 198);
  close(folder);
}

static void least_used_go_first(void **state) {
  (void)state;
  static const char *const names[] = {"pm-00", "pm-01", "pm-02", "pm-03", "pm-04"};
  int folder = open_here();
  for (int i = 0; i < 5; i++) {
    keep(folder, names[i], 200, 1000);
    set_age(folder, names[i], 5000 - i);
  }
  assert_int_equal(bytes_of(folder, names[0]), 200);
  keep(folder, "pm-05", 10, 1000);
  for (int i = 0; i < 5; i++) assert_int_equal(bytes_of(folder, names[i]), i == 1 || i == 2 ? -1 : 200);
  keep(folder, "pm-06", 900, 1000);
  assert_int_equal(bytes_of(folder, "pm-06"), 900);
  for (int i = 0; i < 5; i++) assert_int_equal(bytes_of(folder, names[i]), -1);
  close(folder);
}

/* A link, a pipe and a folder that are named like entries are none, and stay. */
static void only_files_are_entries(void **state) {
  (void)state;
  struct stat s;
  int folder = open_here();
  assert_true(pm_folder_write(folder, "other", "x", 1));
  assert_int_equal(symlink("other", "kept/pm-00") | mkfifo("kept/pm-01", 0600) | mkdir("kept/pm-02", 0700),
                   0);
  set_age(folder, "other", 5000);
  for (int i = 0; i < 3; i++) {
    const char *name = (const char *const[]){"pm-00", "pm-01", "pm-02"}[i];
    set_age(folder, name, 5000);
    assert_int_equal(bytes_of(folder, name), -1);
    keep(folder, name, 7, 1000);
    keep(folder, "pm-03", 1000, 1000);
    assert_true(pm_folder_look(folder, name, &s) && !S_ISREG(s.st_mode));
  }
  assert_int_equal(bytes_of(folder, "other"), 1);
  close(folder);
}

/* What others can write to, by this name or by another one, and what is too long, is not read. It is
 * replaced. */
static void only_safe_files_are_read(void **state) {
  (void)state;
  int folder = open_here();
  for (int i = 0; i < 4; i++) {
    keep(folder, "pm-00", 9, 1000);
    assert_int_equal(bytes_of(folder, "pm-00"), 9);
    int made = i == 0   ? chmod("kept/pm-00", 0620)
               : i == 1 ? chmod("kept/pm-00", 0602)
               : i == 2 ? link("kept/pm-00", "other")
                        : truncate("kept/pm-00", PM_FOLDER_MOST_BYTES + 1L);
    assert_int_equal(made, 0);
    assert_int_equal(bytes_of(folder, "pm-00"), -1);
  }
  keep(folder, "pm-00", 7, 1000);
  assert_int_equal(bytes_of(folder, "pm-00"), 7);
  close(folder);
}

static void files_of_others_are_no_entries(void **state) {
  (void)state;
  struct stat s;
  if (geteuid() != 0) skip();
  int folder = open_here();
  keep(folder, "pm-00", 900, 1000);
  assert_int_equal(lchown("kept/pm-00", OTHER_USER, OTHER_USER), 0);
  set_age(folder, "pm-00", 5000);
  assert_int_equal(bytes_of(folder, "pm-00"), -1);
  keep(folder, "pm-00", 7, 1000);
  keep(folder, "pm-01", 900, 1000);
  assert_true(pm_folder_look(folder, "pm-00", &s) && s.st_size == 900);
  assert_int_equal(bytes_of(folder, "pm-01"), 900);
  close(folder);
}

static void old_leftovers_are_removed(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int age;
    bool stays;
  } rows[] = {{"pm-00.aB3xyZ", 3700, false}, {"pm-0f.000000", 3700, false}, {"pm-00.aB3xyZ", 3500, true},
              {"pm-00.aB3xy", 3700, true},   {"pm-00.aB3xyZ0", 3700, true}, {"pm-00.aB3xy_", 3700, true},
              {"pm-000.aB3xyZ", 3700, true}, {"pm-0.aB3xyZ", 3700, true},   {"pm-0F.aB3xyZ", 3700, true},
              {"00.aB3xyZ", 3700, true},     {"pm-00-aB3xyZ", 3700, true},  {"thesis", 99999, true}};
  struct stat s;
  int folder = open_here();
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_folder_write(folder, rows[i].name, "x", 1);
    set_age(folder, rows[i].name, rows[i].age);
    keep(folder, "pm-11", 7, 1000);
    assert_int_equal(pm_folder_look(folder, rows[i].name, &s), rows[i].stays);
  }
  close(folder);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, enter_folder, leave_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(path_is_of_the_environment),
      cmocka_unit_test(limit_is_of_the_environment),
      TEST(links_above_are_followed),
      TEST(paths_may_be_too_long),
      TEST(folders_are_found_in_folders),
      TEST(links_of_others_are_not_followed),
      TEST(links_of_an_owner_are_followed),
      TEST(absolute_paths_need_no_folder),
      TEST(links_of_root_are_followed),
      TEST(entries_are_replaced),
      TEST(least_used_go_first),
      TEST(only_files_are_entries),
      TEST(only_safe_files_are_read),
      TEST(files_of_others_are_no_entries),
      TEST(old_leftovers_are_removed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
