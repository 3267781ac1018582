#include "dialects/machine/machine.h"

#include "dialects/machine/processor.h"
#include "ir/diag.h"
#include "ir/fault.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One row a field: its name, its least value. A file must have the first; where it has none of the others
 * they are as usual. */
#define FIELDS(FIRST, USUAL)                                                                                 \
  FIRST(cores, 1)                                                                                            \
  FIRST(vector_bytes, 1)                                                                                     \
  FIRST(l1_bytes, 1)                                                                                         \
  FIRST(l2_bytes, 1)                                                                                         \
  FIRST(l3_bytes, 0)                                                                                         \
  USUAL(vector_mops, 1, 7000)                                                                                \
  USUAL(l2_mbytes, 1, 100000)                                                                                \
  USUAL(l3_mbytes, 1, 40000)                                                                                 \
  USUAL(dram_mbytes, 1, 20000)                                                                               \
  USUAL(shared_mbytes, 1, 40000)                                                                             \
  USUAL(fresh_mbytes, 1, 7000)                                                                               \
  USUAL(divide_ops, 1, 16)                                                                                   \
  USUAL(call_ops, 1, 16)                                                                                     \
  USUAL(strided_ops, 1, 1)                                                                                   \
  USUAL(gather_ops, 1, 2)                                                                                    \
  USUAL(line_bytes, 1, PM_LINE_BYTES)                                                                        \
  USUAL(page_bytes, 1, PM_PAGE_BYTES)                                                                        \
  USUAL(tlb_pages, 0, 1024)                                                                                  \
  USUAL(page_ns, 0, 25)                                                                                      \
  USUAL(loop_ns, 0, 5)                                                                                       \
  USUAL(tile_ns, 0, 100)                                                                                     \
  USUAL(parallel_ns, 0, 2000)                                                                                \
  USUAL(items, 1, 1)                                                                                         \
  USUAL(item_bytes, 0, 0)                                                                                    \
  USUAL(group_bytes, 0, 0)                                                                                   \
  USUAL(vector_registers, 1, PM_VECTOR_REGISTERS)                                                            \
  USUAL(size, 1, 1024)

static const struct {
  const char *name;
  size_t offset;
  int64_t least, usual; /* usual < 0: it is said */
} fields[] = {
#define FIRST(name, least) {#name, offsetof(pm_machine, name), least, -1},
#define USUAL(name, least, usual) {#name, offsetof(pm_machine, name), least, usual},
    FIELDS(FIRST, USUAL)
#undef FIRST
#undef USUAL
};

static int64_t *field_at(pm_machine *machine, size_t i) {
  return (int64_t *)((char *)machine + fields[i].offset);
}

static int64_t system_value(int name, int64_t unknown) {
  long value = sysconf(name);
  return value > 0 ? value : unknown;
}

int64_t pm_last_cache(const pm_machine *machine) {
  return machine->l3_bytes ? machine->l3_bytes : machine->l2_bytes;
}

/* A file of the system; NULL: there is none. */
static FILE *open_text(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file && errno == ENOMEM) pm_out_of_memory();
  return file;
}

/* The cache of the third level that the first core reaches: sysconf adds up all of them in a socket on
 * processors that have several. Linux says it in kilobytes; -1: it does not say. */
static int64_t third_cache_bytes(void) {
  char text[96];
  int level = 0;
  int64_t kilobytes = -1;
  for (int i = 0; i < 8 && level != 3; i++) {
    (void)snprintf(text, sizeof text, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
    FILE *file = open_text(text);
    if (!file) return -1;
    level = fgets(text, sizeof text, file) ? (int)strtol(text, NULL, 10) : 0;
    (void)fclose(file);
    (void)snprintf(text, sizeof text, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
    file = level == 3 ? open_text(text) : NULL;
    if (!file) continue;
    char *end = text;
    if (fgets(text, sizeof text, file)) kilobytes = strtoll(text, &end, 10);
    (void)fclose(file);
    if (*end != 'K' || kilobytes > INT64_MAX >> 10) kilobytes = -1;
  }
  return kilobytes > 0 ? kilobytes << 10 : -1;
}

static int64_t host_vector_bytes(void) {
  const pm_processor *host = pm_host_processor();
  return host->has_avx512f ? 64 : host->has_avx ? 32 : 16;
}

static int64_t host_vector_registers(void) {
#if defined(__aarch64__)
  return 32;
#else
  return pm_host_processor()->has_avx512f ? 32 : PM_VECTOR_REGISTERS;
#endif
}

typedef struct vector_set {
  const char *name;
  int64_t bytes, registers; /* registers: 0, the machine's */
} vector_set;

static const vector_set vector_sets[] = {
    {"sse4.1", 16, 16}, {"avx2", 32, 16}, {"avx512", 64, 32}, {"neon", 16, 32}, {"sve256", 32, 32},
    {"rvv256", 32, 32}, {"16", 16, 0},    {"32", 32, 0},      {"64", 64, 0},
};

static pm_machine usual_machine(void) {
  pm_machine machine = {0};
  for (size_t i = 0; i < PM_COUNT(fields); i++)
    if (fields[i].usual >= 0) *field_at(&machine, i) = fields[i].usual;
  return machine;
}

/* Of one core. A virtual machine of few cores shows the cache of the whole socket, which others fill, too. */
static const int64_t most_l3_bytes = 16 << 20;

pm_machine pm_host_machine(void) {
  pm_machine host = usual_machine();
  host.cores = system_value(_SC_NPROCESSORS_ONLN, 1);
  host.vector_bytes = host_vector_bytes();
  host.vector_registers = host_vector_registers();
  host.l1_bytes = system_value(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  host.l2_bytes = system_value(_SC_LEVEL2_CACHE_SIZE, 256 << 10);
  host.l3_bytes = third_cache_bytes();
  if (host.l3_bytes < 0) host.l3_bytes = system_value(_SC_LEVEL3_CACHE_SIZE, 0);
  if (host.l3_bytes / most_l3_bytes > host.cores) host.l3_bytes = host.cores * most_l3_bytes;
  return host;
}

/* False: there is none. What its row does not say is as usual. */
static bool find_machine(const char *name, pm_machine *out) {
  const pm_machine *row = pm_find_machine(name);
  if (!row) return false;
  pm_machine said = *row;
  *out = usual_machine();
  for (size_t i = 0; i < PM_COUNT(fields); i++)
    if (fields[i].usual < 0 || *field_at(&said, i)) *field_at(out, i) = *field_at(&said, i);
  return true;
}

bool pm_machine_set_vector(pm_machine *machine, const char *set) {
  pm_machine named;
  for (size_t i = 0; i < PM_COUNT(vector_sets); i++) {
    if (strcmp(vector_sets[i].name, set) != 0) continue;
    machine->vector_bytes = vector_sets[i].bytes;
    if (vector_sets[i].registers) machine->vector_registers = vector_sets[i].registers;
    return true;
  }
  if (!find_machine(set, &named)) return false;
  machine->vector_bytes = named.vector_bytes;
  machine->vector_registers = named.vector_registers;
  return true;
}

/* Where the text of a machine has an error that is not of its syntax: its start. */
static pm_loc start_of(uint16_t file) {
  return (pm_loc){.line = 1, .col = 1, .file = file};
}

static bool read_field(pm_context *ctx, uint16_t file, const json_t *object, size_t i, pm_machine *out) {
  const json_t *value = json_object_get(object, fields[i].name);
  if (!value && fields[i].usual >= 0) return true;
  if (!value) return pm_error(ctx, start_of(file), "the machine has no '%s'", fields[i].name);
  if (!json_is_integer(value) || json_integer_value(value) < fields[i].least)
    return pm_error(ctx, start_of(file), "the machine's '%s' should be an integer of at least %lld",
                    fields[i].name, (long long)fields[i].least);
  *field_at(out, i) = json_integer_value(value);
  return true;
}

static bool only_known_fields(pm_context *ctx, uint16_t file, json_t *object) {
  for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it)) {
    bool known = false;
    for (size_t i = 0; i < PM_COUNT(fields); i++)
      known = known || strcmp(json_object_iter_key(it), fields[i].name) == 0;
    if (!known) return pm_error(ctx, start_of(file), "a machine has no field '%s'", json_object_iter_key(it));
  }
  return true;
}

static void release_json(void *object) {
  json_decref(object);
}

static bool read_machine(pm_context *ctx, const char *path, const char *text, size_t len, pm_machine *out) {
  uint16_t file = pm_add_source(ctx, path, text, len);
  json_error_t error;
  json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
  if (!object && json_error_code(&error) == json_error_out_of_memory) pm_out_of_memory();
  if (!object)
    return pm_error(ctx,
                    (pm_loc){.line = (uint32_t)error.line,
                             .col = (uint16_t)(error.column > 0 ? error.column : 1),
                             .file = file},
                    "the machine is not JSON: %s", error.text);
  pm_cleanup releasing;
  pm_cleanup_add(&releasing, release_json, object);
  *out = usual_machine();
  bool ok = json_is_object(object) || pm_error(ctx, start_of(file), "the machine should be a JSON object");
  ok = ok && only_known_fields(ctx, file, object);
  for (size_t i = 0; ok && i < PM_COUNT(fields); i++) ok = read_field(ctx, file, object, i, out);
  pm_cleanup_remove(&releasing);
  json_decref(object);
  return ok;
}

/* A word that is no path is a name that is wrong. */
static bool refuse_path(pm_context *ctx, const char *path, int why) {
  const char *near = pm_nearest_machine(path);
  if (why != ENOENT || strpbrk(path, "/."))
    return pm_error(ctx, PM_NO_LOC, "the machine cannot be read from '%s': %s", path, strerror(why));
  if (near)
    return pm_error(ctx, PM_NO_LOC, "there is no machine '%s', and no file of that name; did you mean '%s'?",
                    path, near);
  return pm_error(ctx, PM_NO_LOC,
                  "there is no machine '%s', and no file of that name; pm-machine --list has the names",
                  path);
}

static bool read_machine_file(pm_context *ctx, const char *path, pm_machine *out) {
  size_t len;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!text) return refuse_path(ctx, path, errno);
  bool ok = read_machine(ctx, path, text, len, out);
  free(text);
  return ok;
}

const pm_registry_kind pm_machine_kind = {"machine"};

bool pm_machine_named(pm_context *ctx, const char *name_or_file, pm_machine *out) {
  const pm_machine *entry = pm_find_entry(ctx, &pm_machine_kind, name_or_file);
  if (entry)
    *out = *entry;
  else if (strcmp(name_or_file, "host") == 0)
    *out = pm_host_machine();
  else
    return find_machine(name_or_file, out) || read_machine_file(ctx, name_or_file, out);
  return true;
}

/* --- of a module --- */

static const char machine_name[] = "machine", size_name[] = "size", vector_name[] = "vector";

void pm_set_machine(pm_module *module, const char *name_or_file, int64_t size) {
  pm_context *ctx = pm_module_context(module);
  pm_op *op = pm_module_op(module);
  if (name_or_file) pm_set_attr_named(op, machine_name, pm_get_string_attr(ctx, pm_str_of(name_or_file)));
  if (size) pm_set_attr_named(op, size_name, pm_get_index_attr(ctx, size));
}

void pm_set_vector(pm_module *module, const char *set) {
  pm_context *ctx = pm_module_context(module);
  pm_set_attr_named(pm_module_op(module), vector_name, pm_get_string_attr(ctx, pm_str_of(set)));
}

static pm_attr attr_of_module(const pm_op *op, const char *name, pm_attr_class cls) {
  pm_attr attr = pm_attr_named(pm_module_op(pm_module_of(op)), name);
  return attr && attr->cls == cls ? attr : NULL;
}

bool pm_machine_of(const pm_op *op, pm_machine *out) {
  pm_attr name = attr_of_module(op, machine_name, PM_ATTR_STRING);
  pm_attr size = attr_of_module(op, size_name, PM_ATTR_INT);
  if (!pm_machine_named(pm_op_context(op), name ? name->s->text : "host", out)) return false;
  if (size && size->i > 0) out->size = size->i;
  return true;
}

bool pm_code_machine_of(const pm_op *op, pm_machine *out) {
  if (!pm_machine_of(op, out)) return false;
  pm_attr vector = attr_of_module(op, vector_name, PM_ATTR_STRING);
  if (!vector || pm_machine_set_vector(out, vector->s->text)) return true;
  return pm_op_error(pm_module_op(pm_module_of(op)),
                     "has the vectors '%s', which should be of " PM_VECTOR_SETS, vector->s->text);
}

int64_t pm_usual_size(const pm_op *op) {
  pm_attr size = attr_of_module(op, size_name, PM_ATTR_INT);
  pm_machine machine = usual_machine();
  if (size && size->i > 0) return size->i;
  if (attr_of_module(op, machine_name, PM_ATTR_STRING) && !pm_machine_of(op, &machine))
    return usual_machine().size;
  return machine.size;
}

void pm_put_machine(const pm_machine *machine, pm_buf *out) {
  pm_machine copy = *machine;
  for (size_t i = 0; i < PM_COUNT(fields); i++)
    pm_buf_printf(out, "%s\"%s\": %lld", i ? ",\n  " : "{ ", fields[i].name, (long long)*field_at(&copy, i));
  pm_buf_puts(out, " }\n");
}
