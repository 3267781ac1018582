/* Built programs that are kept on disk, each in a file found by a hash of all that it depends on. A file
 * appears by a rename, and has its whole key and a checksum, so there are no locks: what is half written,
 * damaged, another program's or not to be had is not there. What cannot be kept is not kept, without a word.
 * The text of targets/lib/cache_folder.h stands ahead of this one. */

/* Bytes that grow. */
typedef struct pm_cl_data {
  char *bytes;
  size_t n, room;
  int lost; /* there was no memory */
} pm_cl_data;

static int pm_cl_reserve(pm_cl_data *data, size_t n) {
  size_t room = data->n + n;
  if (data->lost || room < n) return 0;
  if (room <= data->room) return 1;
  if (room < 2 * data->room) room = 2 * data->room;
  char *bytes = realloc(data->bytes, room);
  if (!bytes) data->lost = 1;
  if (!bytes) return 0;
  data->bytes = bytes;
  data->room = room;
  return 1;
}

static void pm_cl_put(pm_cl_data *data, const void *bytes, size_t n) {
  if (!n || !pm_cl_reserve(data, n)) return;
  memcpy(data->bytes + data->n, bytes, n);
  data->n += n;
}

/* FNV-1a. A file that another key has found by it is told by its key. */
static uint64_t pm_cl_hash(const char *bytes, size_t n) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* The folder "opencl" of the folder of all that is kept; -1: nothing is. */
static int pm_cl_cache_folder(void) {
  const char *fault;
  char *path = pm_folder_path();
  int all = path ? pm_folder_open(AT_FDCWD, path, &fault) : -1;
  int folder = all < 0 ? -1 : pm_folder_open(all, "opencl", &fault);
  if (all >= 0) close(all);
  free(path);
  return folder;
}

/* --- files --- */

/* A file is this, the key, the binary, and the hash of all before. */
typedef struct pm_cl_file_head {
  char magic[8];
  uint64_t key, binary;
} pm_cl_file_head;

static const char pm_cl_magic[8] = "pmcl0001";

static void pm_cl_file_name(const pm_cl_data *key, char name[PM_FOLDER_NAME]) {
  snprintf(name, PM_FOLDER_NAME, "pm-%016llx", (unsigned long long)pm_cl_hash(key->bytes, key->n));
}

/* The binary in such a file, into `binary`; false: it is none of this key. */
static int pm_cl_open_file(const pm_cl_data *file, const pm_cl_data *key, pm_cl_data *binary) {
  pm_cl_file_head head;
  uint64_t hash;
  if (file->n < sizeof head + key->n + sizeof hash) return 0;
  const char *at = file->bytes + sizeof head, *end = file->bytes + file->n - sizeof hash;
  memcpy(&head, file->bytes, sizeof head);
  memcpy(&hash, end, sizeof hash);
  if (memcmp(head.magic, pm_cl_magic, sizeof head.magic) || head.key != key->n ||
      memcmp(at, key->bytes, key->n) || head.binary != (uint64_t)(end - at) - head.key ||
      hash != pm_cl_hash(file->bytes, file->n - sizeof hash))
    return 0;
  pm_cl_put(binary, at + key->n, (size_t)head.binary);
  return binary->n > 0;
}

/* What was kept for the key; false: nothing. */
static int pm_cl_cache_find(int folder, const pm_cl_data *key, pm_cl_data *binary) {
  char name[PM_FOLDER_NAME];
  pm_cl_data file = {0};
  if (key->lost) return 0;
  pm_cl_file_name(key, name);
  file.bytes = pm_folder_read(folder, name, &file.n);
  int found = file.bytes && pm_cl_open_file(&file, key, binary);
  free(file.bytes);
  return found;
}

/* Keeps it in the place of what was there. */
static void pm_cl_cache_keep(int folder, const pm_cl_data *key, const pm_cl_data *binary) {
  char name[PM_FOLDER_NAME];
  const char *wrong;
  pm_cl_file_head head = {.key = key->n, .binary = binary->n};
  pm_cl_data file = {0};
  memcpy(head.magic, pm_cl_magic, sizeof head.magic);
  pm_cl_file_name(key, name);
  pm_cl_put(&file, &head, sizeof head);
  pm_cl_put(&file, key->bytes, key->n);
  pm_cl_put(&file, binary->bytes, binary->n);
  uint64_t hash = pm_cl_hash(file.bytes, file.n);
  pm_cl_put(&file, &hash, sizeof hash);
  if (!key->lost && !file.lost) pm_folder_keep(folder, name, file.bytes, file.n, pm_folder_limit(&wrong));
  free(file.bytes);
}
