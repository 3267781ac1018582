/* What the core's own files know of the context. */
#ifndef PM_IR_SRC_CONTEXT_PRIVATE_H
#define PM_IR_SRC_CONTEXT_PRIVATE_H

#include "ir/attributes.h"
#include "ir/src/diag_state.h"
#include "ir/src/intern.h"
#include "ir/src/pass_state.h"
#include "ir/src/rewrite_state.h"

typedef struct pm_source {
  char *name;
  char *text; /* NULL when unknown */
  size_t len;
  PM_VEC(uint32_t) lines; /* offset of each line, made on demand */
} pm_source;

typedef struct pm_dialect_entry {
  const pm_dialect *dialect;
  void *data;
} pm_dialect_entry;

typedef struct pm_registry_entry {
  const struct pm_registry_kind *kind;
  const char *name;
  const void *entry;
} pm_registry_entry;

/* Of types and attributes of a dialect that is not there: with any list of parameters. */
typedef struct pm_unregistered_kind {
  pm_type_kind type;
  pm_attr_kind attr;
} pm_unregistered_kind;

struct pm_context {
  pm_arena *arena;    /* of everything interned */
  pm_string *strings; /* open addressing by the hash that each has; NULL: a free slot */
  size_t strings_cap, n_strings;
  pm_intern types, attrs, exprs, maps, ops;
  pm_intern unregistered; /* descriptors of ops of dialects that are not there */
  PM_VEC(pm_unregistered_kind *) unregistered_kinds;
  bool allows_unregistered;
  PM_VEC(pm_dialect_entry) dialects;
  PM_VEC(pm_source) sources;    /* file number - 1 */
  PM_VEC(char *) absent;        /* paths where reading has looked for a file */
  PM_VEC(pm_attr) custom_attrs; /* those whose object must be freed */
  pm_type scalars[PM_N_SCALARS];
  pm_diag_state diag;
  pm_pass_registry passes;
  PM_VEC(pm_registry_entry) entries; /* in the order of registration, all kinds together */
  pm_op *pass_root;                  /* what the running pass runs on, or NULL: it may not be erased */
  uint32_t next_serial, stop_serial;
  pm_rewrite_state rewrites;
};

/* The descriptor of an op of a dialect that the context lacks, made when it is asked for first. */
const pm_op_desc *pm_get_unregistered_op(pm_context *ctx, pm_str name);
/* The same of types and attributes, whose `params` are pm_any_params. */
const pm_unregistered_kind *pm_get_unregistered_kind(pm_context *ctx, pm_str name);
void pm_types_init(pm_context *ctx);
void pm_attributes_free(pm_context *ctx);

#endif
