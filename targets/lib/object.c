#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "targets/lib/object.h"

#include "ir/fault.h"
#include "targets/lib/debuggers.h"
#include "targets/lib/relocate.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is open: the handle of pm_loaded. The memory has sections by what may be done with them, each kind
 * from a page on: code and then stubs, one for each symbol; constants; data. */
typedef struct object {
  const pm_relocator *relocator;
  char *memory; /* NULL: none yet */
  size_t bytes;
  PM_VEC(char *) names;    /* of the symbols; "" for those of sections and files */
  uint64_t *addresses;     /* of the symbols; 0: it is in no section that is loaded, and unknown */
  const char *destructors; /* in the memory: their addresses */
  size_t n_destructors;
  void *debug;
} object;

/* The file while it is read, all of whose places have been checked. */
typedef struct reader {
  object *o;
  const char *file;
  size_t len;
  Elf64_Ehdr head;
  const Elf64_Shdr *sections;
  const Elf64_Sym *symbols;
  size_t n_symbols, stubs; /* the offset of the stubs in the memory */
  size_t *places;          /* of each section in the memory, or NOT_LOADED */
  pm_buf *error;
} reader;

#define NOT_LOADED SIZE_MAX

static bool malformed(const reader *r) {
  return pm_failf(r->error, "the object file is malformed: this is a bug");
}

/* --- the tables of the file --- */

/* `count` things of that size from an offset on, aligned; NULL: the file does not have them. */
static const void *part(const reader *r, uint64_t offset, uint64_t count, size_t size) {
  bool is = offset <= r->len && count <= (r->len - offset) / size && offset % 8 == 0;
  return is ? r->file + offset : NULL;
}

static const char *text_at(const reader *r, const Elf64_Shdr *texts, uint32_t at) {
  const char *all = r->file + texts->sh_offset;
  return at < texts->sh_size && memchr(all + at, 0, texts->sh_size - at) ? all + at : NULL;
}

static bool is_inside(const reader *r, const Elf64_Shdr *s) {
  return s->sh_type == SHT_NOBITS || (s->sh_offset <= r->len && s->sh_size <= r->len - s->sh_offset);
}

static bool read_head(reader *r) {
  if (r->len < sizeof r->head) return malformed(r);
  memcpy(&r->head, r->file, sizeof r->head);
  if (memcmp(r->head.e_ident, ELFMAG, SELFMAG) != 0 || r->head.e_type != ET_REL ||
      r->head.e_ident[EI_CLASS] != ELFCLASS64)
    return malformed(r);
  r->o->relocator = r->head.e_machine == pm_process_machine() ? pm_find_relocator(r->head.e_machine) : NULL;
  if (!r->o->relocator)
    return pm_failf(r->error, "programs are loaded without a linker on x86-64 and AArch64 alone");
  r->sections = part(r, r->head.e_shoff, r->head.e_shnum, sizeof *r->sections);
  if (!r->sections || r->head.e_shentsize != sizeof *r->sections) return malformed(r);
  for (unsigned i = 0; i < r->head.e_shnum; i++)
    if (!is_inside(r, &r->sections[i])) return malformed(r);
  return true;
}

static bool read_symbols(reader *r) {
  const Elf64_Shdr *table = NULL;
  for (unsigned i = 0; i < r->head.e_shnum; i++)
    if (r->sections[i].sh_type == SHT_SYMTAB) table = &r->sections[i];
  if (!table || table->sh_link >= r->head.e_shnum || r->sections[table->sh_link].sh_type != SHT_STRTAB)
    return malformed(r);
  r->n_symbols = table->sh_size / sizeof *r->symbols;
  r->symbols = part(r, table->sh_offset, r->n_symbols, sizeof *r->symbols);
  if (!r->symbols) return malformed(r);
  for (size_t i = 0; i < r->n_symbols; i++) {
    const char *name = text_at(r, &r->sections[table->sh_link], r->symbols[i].st_name);
    if (!name) return malformed(r);
    PM_VEC_PUSH(r->o->names, pm_xstrdup(ELF64_ST_TYPE(r->symbols[i].st_info) == STT_FILE ? "" : name));
  }
  return true;
}

/* --- memory --- */

static bool is_loaded(const Elf64_Shdr *s) {
  return (s->sh_flags & SHF_ALLOC) && s->sh_size;
}

/* Of code, constants and data. */
static int protection_of(const Elf64_Shdr *s) {
  return s->sh_flags & SHF_EXECINSTR ? PROT_READ | PROT_EXEC
         : s->sh_flags & SHF_WRITE   ? PROT_READ | PROT_WRITE
                                     : PROT_READ;
}

static size_t round_up(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

enum { MOST_BYTES = 1 << 30, N_KINDS = 3 };
static const int kinds[N_KINDS] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};

static bool place_section(reader *r, unsigned number) {
  const Elf64_Shdr *s = &r->sections[number];
  uint64_t align = s->sh_addralign ? s->sh_addralign : 1, page = (uint64_t)sysconf(_SC_PAGESIZE);
  if (s->sh_flags & SHF_TLS || s->sh_type == SHT_INIT_ARRAY)
    return pm_failf(r->error, "the object file has constructors or memory of threads: this is a bug");
  if (align > page || page % align || s->sh_size > MOST_BYTES) return malformed(r);
  r->places[number] = round_up(r->o->bytes, align);
  r->o->bytes = r->places[number] + s->sh_size;
  return r->o->bytes <= MOST_BYTES || pm_failf(r->error, "the program has more than a gigabyte");
}

/* LLVM writes one section. */
static void find_destructors(const reader *r) {
  for (unsigned i = 0; i < r->head.e_shnum; i++) {
    if (r->places[i] == NOT_LOADED || r->sections[i].sh_type != SHT_FINI_ARRAY) continue;
    r->o->destructors = r->o->memory + r->places[i];
    r->o->n_destructors = r->sections[i].sh_size / sizeof(char *);
  }
}

/* Where all begins and ends; `ends` of each kind. */
static bool place_all(reader *r, size_t ends[N_KINDS]) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  r->places = pm_xcalloc(r->head.e_shnum, sizeof *r->places);
  for (unsigned i = 0; i < r->head.e_shnum; i++) r->places[i] = NOT_LOADED;
  for (size_t k = 0; k < N_KINDS; k++) {
    for (unsigned i = 0; i < r->head.e_shnum; i++)
      if (is_loaded(&r->sections[i]) && protection_of(&r->sections[i]) == kinds[k] && !place_section(r, i))
        return false;
    if (k == 0) {
      r->stubs = round_up(r->o->bytes, PM_STUB_BYTES);
      r->o->bytes = r->stubs + r->n_symbols * PM_STUB_BYTES;
    }
    ends[k] = r->o->bytes = round_up(r->o->bytes, page);
  }
  return true;
}

static bool fill_memory(reader *r) {
  object *o = r->o;
  void *memory = mmap(NULL, o->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED && errno == ENOMEM) pm_out_of_memory();
  if (memory == MAP_FAILED)
    return pm_failf(r->error, "there is no memory for the program: %s", strerror(errno));
  o->memory = memory;
  for (unsigned i = 0; i < r->head.e_shnum; i++)
    if (r->places[i] != NOT_LOADED && r->sections[i].sh_type != SHT_NOBITS)
      memcpy(o->memory + r->places[i], r->file + r->sections[i].sh_offset, r->sections[i].sh_size);
  return true;
}

static bool protect(const reader *r, const size_t ends[N_KINDS]) {
  size_t begin = 0;
  __builtin___clear_cache(r->o->memory, r->o->memory + ends[0]);
  for (size_t k = 0; k < N_KINDS; k++) {
    if (ends[k] > begin && mprotect(r->o->memory + begin, ends[k] - begin, kinds[k]))
      return pm_failf(r->error, "the system does not let the program be run: %s", strerror(errno));
    begin = ends[k];
  }
  return true;
}

/* --- what the program calls --- */

typedef struct pm_loop pm_loop;
void pm_parallel(void (*body)(void *given, int64_t thread, pm_loop *loop), void *given, int64_t iterations,
                 int dynamic, const char *stages);
_Bool pm_next(pm_loop *loop, int64_t *range);
int pm_get_threads(void);
void pm_set_threads(int n);
void pm_end_threads(void);
void pm_begin_call(void *room, int threads, pm_loop_tell *tell, void *user);
void pm_end_call(void *room);

typedef void any_function(void);
/* Of pool.c, which is compiled into the library. */
static const struct {
  const char *name;
  any_function *function;
} pool[] = {{"pm_parallel", (any_function *)pm_parallel},
            {"pm_next", (any_function *)pm_next},
            {"pm_get_threads", (any_function *)pm_get_threads},
            {"pm_set_threads", (any_function *)pm_set_threads},
            {"pm_end_threads", pm_end_threads},
            {"pm_begin_call", (any_function *)pm_begin_call},
            {"pm_end_call", (any_function *)pm_end_call}};

static uint64_t in_pool(const char *name) {
  for (size_t i = 0; i < PM_COUNT(pool); i++)
    if (strcmp(pool[i].name, name) == 0) return (uint64_t)(uintptr_t)pool[i].function;
  return 0;
}

static bool begins(const char *name, const char *start) {
  return strncmp(name, start, strlen(start)) == 0;
}

/* The library that has a function. The C library's parts are those of glibc. */
static const char *library_of(const char *name) {
  if (begins(name, "GOMP_") || begins(name, "omp_")) return "libgomp.so.1";
  return begins(name, "_ZGV") ? "libmvec.so.1" : "libc.so.6";
}

/* 0 with a line in `error`. Libraries stay: threads of OpenMP live on. */
static uint64_t in_library(const char *library, const char *name, pm_buf *error) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) pm_failf(error, "the program needs a library that cannot be loaded: %s", dlerror());
  void *address = handle ? dlsym(handle, name) : NULL;
  if (handle) dlclose(handle);
  return (uint64_t)(uintptr_t)address;
}

/* 0 with a line in `error`. */
static uint64_t find_outside(const char *name, pm_buf *error) {
  uint64_t address = in_pool(name);
  if (!address) address = in_library(library_of(name), name, error);
  if (!address && !error->len) address = in_library("libm.so.6", name, error);
  if (!address && !error->len) pm_failf(error, "the program calls '%s', which no library has", name);
  return address;
}

/* Where a symbol of the file is; 0 of others, and of those in sections that are not loaded. */
static bool place_symbol(const reader *r, size_t number) {
  const Elf64_Sym *s = &r->symbols[number];
  uint64_t *address = &r->o->addresses[number];
  if (s->st_shndx == SHN_ABS) *address = s->st_value;
  if (s->st_shndx == SHN_ABS || s->st_shndx == SHN_UNDEF) return true;
  if (s->st_shndx >= r->head.e_shnum) return malformed(r);
  size_t place = r->places[s->st_shndx];
  if (place == NOT_LOADED) return true;
  if (s->st_value > r->sections[s->st_shndx].sh_size) return malformed(r);
  *address = (uint64_t)(uintptr_t)(r->o->memory + place) + s->st_value;
  return true;
}

static bool place_symbols(const reader *r) {
  r->o->addresses = pm_xcalloc(r->n_symbols, sizeof *r->o->addresses);
  for (size_t i = 0; i < r->n_symbols; i++)
    if (!place_symbol(r, i)) return false;
  return true;
}

/* Of what a relocation names, with its stub. */
static bool find_symbol(const reader *r, size_t number) {
  uint64_t *address = &r->o->addresses[number];
  char *stub = r->o->memory + r->stubs + number * PM_STUB_BYTES;
  if (r->symbols[number].st_shndx == SHN_UNDEF && !*address)
    *address = find_outside(r->o->names.data[number], r->error);
  else if (!*address)
    return malformed(r);
  memcpy(stub, r->o->relocator->jump, PM_STUB_ADDRESS);
  memcpy(stub + PM_STUB_ADDRESS, address, sizeof *address);
  return !r->error->len;
}

/* --- addresses in the code --- */

static bool relocate(const reader *r, unsigned number, const Elf64_Rela *rela) {
  const Elf64_Shdr *section = &r->sections[number];
  size_t symbol = ELF64_R_SYM(rela->r_info);
  uint32_t type = (uint32_t)ELF64_R_TYPE(rela->r_info);
  size_t bytes = r->o->relocator->bytes(type);
  if (!bytes) return pm_failf(r->error, "the object file has a relocation of type %u: this is a bug", type);
  if (symbol >= r->n_symbols || bytes > section->sh_size || rela->r_offset > section->sh_size - bytes)
    return malformed(r);
  if (!find_symbol(r, symbol)) return false;
  char *at = r->o->memory + r->places[number] + rela->r_offset;
  pm_relocation made = {.type = type,
                        .at = (unsigned char *)at,
                        .symbol = r->o->addresses[symbol],
                        .addend = rela->r_addend,
                        .stub = (uint64_t)(uintptr_t)(r->o->memory + r->stubs + symbol * PM_STUB_BYTES)};
  return r->o->relocator->relocate(&made) == PM_RELOCATED ||
         pm_failf(r->error, "'%s' is too far from the program: this is a bug", r->o->names.data[symbol]);
}

/* Of sections that are loaded; those of debug information are the debugger's. */
static bool relocate_all(const reader *r) {
  for (unsigned i = 0; i < r->head.e_shnum; i++) {
    const Elf64_Shdr *s = &r->sections[i];
    if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL) continue;
    if (s->sh_info >= r->head.e_shnum) return malformed(r);
    if (r->places[s->sh_info] == NOT_LOADED) continue;
    size_t n = s->sh_size / sizeof(Elf64_Rela);
    const Elf64_Rela *all = s->sh_type == SHT_RELA ? part(r, s->sh_offset, n, sizeof *all) : NULL;
    if (!all) return malformed(r);
    for (size_t j = 0; j < n; j++)
      if (!relocate(r, s->sh_info, &all[j])) return false;
  }
  return true;
}

/* A copy of the file in which sections have their addresses, which debuggers read. */
static void tell_debuggers(const reader *r) {
  char *copy = pm_xcalloc(r->len, 1);
  memcpy(copy, r->file, r->len);
  for (unsigned i = 0; i < r->head.e_shnum; i++) {
    if (r->places[i] == NOT_LOADED) continue;
    uint64_t address = (uint64_t)(uintptr_t)(r->o->memory + r->places[i]);
    memcpy(copy + r->head.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr), &address,
           sizeof address);
  }
  r->o->debug = pm_debug_add(copy, r->len);
  free(copy);
}

/* --- opening --- */

static void free_object(void *user) {
  object *o = user;
  if (o->debug) pm_debug_remove(o->debug);
  if (o->memory) munmap(o->memory, o->bytes);
  for (size_t i = 0; i < o->names.len; i++) free(o->names.data[i]);
  PM_VEC_FREE(o->names);
  free(o->addresses);
  free(o);
}

static bool load(reader *r, bool debug) {
  size_t ends[N_KINDS];
  if (!read_head(r) || !read_symbols(r) || !place_all(r, ends) || !fill_memory(r) || !place_symbols(r) ||
      !relocate_all(r) || !protect(r, ends))
    return false;
  find_destructors(r);
  if (debug) tell_debuggers(r);
  return true;
}

static void *find_function(const object *o, const char *name) {
  for (size_t i = 0; i < o->names.len; i++)
    if (strcmp(o->names.data[i], name) == 0) return (void *)(uintptr_t)o->addresses[i];
  return NULL;
}

/* C has no cast from object to function pointers, POSIX lets the bits be copied. */
static void set_function(void *function, void *address) {
  *(void **)function = address;
}

static bool find_functions(const object *o, const char *entry, pm_loaded *loaded, pm_buf *error) {
  static const struct {
    const char *end;
    size_t offset;
  } rows[] = {{"", offsetof(pm_loaded, entry)},
              {"_scratch_bytes", offsetof(pm_loaded, scratch_bytes)},
              {"_extent", offsetof(pm_loaded, extent)},
              {"_strerror", offsetof(pm_loaded, describe)},
              {"_region_at", offsetof(pm_loaded, region)},
              {"_region_at_strerror", offsetof(pm_loaded, describe_region)},
              {"_needs_at", offsetof(pm_loaded, needs)},
              {"_ws", offsetof(pm_loaded, entry_ws)},
              {"_region_at_ws", offsetof(pm_loaded, region_ws)},
              {"_region_at_scratch_bytes", offsetof(pm_loaded, region_scratch_bytes)},
              {"_release", offsetof(pm_loaded, release)},
              {"_region_at_release", offsetof(pm_loaded, release_region)}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf name = {0};
    pm_buf_printf(&name, "%s%s", entry, rows[i].end);
    set_function((char *)loaded + rows[i].offset, find_function(o, name.data));
    pm_buf_free(&name);
  }
  /* A pipeline may be called `f_release`. */
  if (!loaded->entry_ws) loaded->release = NULL;
  if (!loaded->region_ws) loaded->release_region = NULL;
  return loaded->entry || pm_failf(error, "the program has no function '%s'", entry);
}

static void set_threads(const object *o, int threads, pm_loaded *loaded) {
  void (*set)(int) = NULL;
  pm_buf error = {0};
  if (find_function(o, "pm_parallel") || find_function(o, "pm_get_threads")) {
    loaded->max_threads = pm_get_threads;
    loaded->begin_call = pm_begin_call;
    loaded->end_call = pm_end_call;
    set = pm_set_threads;
  } else if (find_function(o, "GOMP_parallel") || find_function(o, "omp_get_max_threads")) {
    set_function(&loaded->max_threads, (void *)(uintptr_t)find_outside("omp_get_max_threads", &error));
    set_function(&loaded->set_threads, (void *)(uintptr_t)find_outside("omp_set_num_threads", &error));
    set = loaded->set_threads;
  }
  pm_buf_free(&error);
  if (threads > 0 && set) set(threads);
}

pm_outcome pm_object_open(const pm_buf *file, const char *entry, const pm_build_options *options,
                          pm_loaded *loaded, pm_report *report) {
  object *o = pm_xcalloc(1, sizeof *o);
  reader r = {.o = o, .file = file->data, .len = file->len, .error = &report->error};
  pm_cleanup freeing;
  *loaded = (pm_loaded){0};
  pm_cleanup_add(&freeing, free_object, o);
  bool ok = load(&r, options->flags) && find_functions(o, entry, loaded, &report->error);
  free(r.places);
  if (ok) set_threads(o, options->threads, loaded);
  pm_cleanup_remove(&freeing);
  if (!ok) return free_object(o), PM_OUTCOME_REFUSED;
  loaded->handle = o;
  return PM_OUTCOME_OK;
}

/* --- the end --- */

/* The destructors of the program, the last one first. Those that are not its own are the process's. */
void pm_object_close(const pm_loaded *loaded) {
  object *o = loaded->handle;
  for (size_t i = o->n_destructors; i-- > 0;) {
    void (*destructor)(void) = NULL;
    uintptr_t at;
    memcpy(&at, o->destructors + i * sizeof at, sizeof at);
    if (at - (uintptr_t)o->memory >= o->bytes) continue;
    memcpy(&destructor, &at, sizeof destructor);
    destructor();
  }
  free_object(o);
}
