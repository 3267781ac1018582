/* Compiled programs that are kept for later processes, each in a file of a folder, found by a hash of all
 * that it was made from. A file appears by a rename, is read as a whole and has a checksum, so there are no
 * locks: what is half written, damaged, or removed by somebody else is not there. What cannot be kept is not
 * kept, without a word. */
#ifndef PM_PM_CACHE_H
#define PM_PM_CACHE_H

#include "ir/fault.h"
#include "ir/support.h"

typedef struct pm_cache {
  bool is_open;  /* else nothing is kept */
  int folder;    /* its descriptor: its path may lead elsewhere by now */
  int64_t limit; /* bytes of all files */
  pm_cleanup closing;
} pm_cache;

/* What was kept, or is to be. */
typedef struct pm_cached {
  pm_buf file;  /* the compiled program */
  pm_buf entry; /* the name of its function */
} pm_cached;

/* The folder is $PM_CACHE_DIR, which may be empty: none; else $XDG_CACHE_HOME/pm, else ~/.cache/pm. It has at
 * most $PM_CACHE_MB megabytes, 512 unless set. A folder that others may write to, a link in its place, or a
 * wrong number, is a warning, a line without an end. Other files in it are left alone
 * (targets/lib/cache_folder.h). The struct stays where it is until it is closed, which a fault does, too. */
void pm_cache_open(pm_cache *cache, pm_buf *limit_warning, pm_buf *folder_warning);
void pm_cache_close(pm_cache *cache);
/* What was kept for the key, which may be of any length; false: nothing. */
bool pm_cache_find(const pm_cache *cache, const pm_buf *key, pm_cached *out);
/* Keeps it, and removes what was used least lately when there is too much. */
void pm_cache_keep(const pm_cache *cache, const pm_buf *key, const pm_cached *made);
void pm_cached_free(pm_cached *cached);

#endif
