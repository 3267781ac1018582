/* Machines by name: the rows of machines.def. */
#include "dialects/machine/machine.h"

#include <string.h>

#define KB 1024LL
#define MB (1024LL * KB)

typedef struct machine_row {
  const char *name, *text;
  pm_machine machine; /* 0: as usual */
} machine_row;

static const machine_row rows[] = {
#define MACHINE(name, text, ...) {name, text, {__VA_ARGS__}},
#define SAME_AS(name, row)
#define NEAR(cpu, row)
#define GENERIC(arch, row)
#include "dialects/machine/machines.def"
};

typedef struct pair {
  const char *name, *row;
} pair;

static const pair other_names[] = {
#define MACHINE(name, text, ...)
#define SAME_AS(name, row) {name, row},
#define NEAR(cpu, row)
#define GENERIC(arch, row)
#include "dialects/machine/machines.def"
};

static const pair neighbours[] = {
#define MACHINE(name, text, ...)
#define SAME_AS(name, row)
#define NEAR(cpu, row) {cpu, row},
#define GENERIC(arch, row)
#include "dialects/machine/machines.def"
};

static const pair generics[] = {
#define MACHINE(name, text, ...)
#define SAME_AS(name, row)
#define NEAR(cpu, row)
#define GENERIC(arch, row) {arch, row},
#include "dialects/machine/machines.def"
};

#if defined(__x86_64__)
static const char own_arch[] = "x86_64";
#elif defined(__aarch64__)
static const char own_arch[] = "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
static const char own_arch[] = "riscv64";
#else
static const char own_arch[] = "unknown";
#endif

/* NULL: there is none. */
static const char *paired_with(const pair *pairs, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(pairs[i].name, name) == 0) return pairs[i].row;
  return NULL;
}

static const machine_row *find_row(const char *name) {
  const char *row = paired_with(other_names, PM_COUNT(other_names), name);
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (strcmp(rows[i].name, row ? row : name) == 0) return &rows[i];
  return NULL;
}

static bool begins(const char *text, const char *begin) {
  return strncmp(text, begin, strlen(begin)) == 0;
}

const pm_machine *pm_find_machine(const char *name) {
  const machine_row *row = find_row(name);
  return row ? &row->machine : NULL;
}

const char *pm_machine_name_at(size_t i) {
  if (i < PM_COUNT(rows)) return rows[i].name;
  i -= PM_COUNT(rows);
  return i < PM_COUNT(other_names) ? other_names[i].name : NULL;
}

void pm_put_machine_names(pm_buf *out) {
  pm_buf_printf(out, "%-16s  %s\n", "host", "this computer");
  for (size_t i = 0; i < PM_COUNT(rows); i++) pm_buf_printf(out, "%-16s  %s\n", rows[i].name, rows[i].text);
  for (size_t i = 0; i < PM_COUNT(other_names); i++)
    pm_buf_printf(out, "%-16s  the same as %s\n", other_names[i].name, other_names[i].row);
}

static const char *nearest_in_spelling(const char *wanted) {
  const char *best = NULL, *name;
  unsigned least = (unsigned)strlen(wanted) / 3 + 1;
  for (size_t i = 0; (name = pm_machine_name_at(i)); i++) {
    unsigned distance = pm_edit_distance(pm_str_of(name), pm_str_of(wanted), least);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

const char *pm_nearest_machine(const char *wanted) {
  const char *near = paired_with(neighbours, PM_COUNT(neighbours), wanted);
  return near ? near : nearest_in_spelling(wanted);
}

/* --- of a processor --- */

const char *pm_generic_machine(const char *triple) {
  size_t i = 0;
  while (!begins(triple ? triple : own_arch, generics[i].name)) i++;
  return generics[i].row;
}

static bool is_named(const char *cpu) {
  return cpu && strcmp(cpu, "generic") != 0 && strcmp(cpu, "native") != 0;
}

/* The last one of a list: a wide vector becomes several narrower ones. */
static const char *last_of(const char *cpu) {
  const char *comma = strrchr(cpu, ',');
  return comma ? comma + 1 : cpu;
}

bool pm_is_own_processor(const char *triple, const char *cpu) {
  bool own_triple = !triple || (begins(triple, own_arch) && strstr(triple, "linux"));
  return own_triple && (!cpu || strcmp(cpu, "native") == 0);
}

const char *pm_machine_of_processor(const char *triple, const char *cpu, bool *exact) {
  *exact = true;
  if (pm_is_own_processor(triple, cpu)) return NULL;
  if (is_named(cpu) && find_row(last_of(cpu))) return last_of(cpu);
  *exact = false;
  const char *near = is_named(cpu) ? paired_with(neighbours, PM_COUNT(neighbours), last_of(cpu)) : NULL;
  return near ? near : pm_generic_machine(triple);
}
