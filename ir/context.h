/* The context owns what is interned (strings, types, attributes), the registries of dialects and passes, the
 * source texts for diagnostics, and the diagnostics handler. Nothing mutable lives outside a context: two
 * contexts may be used in two threads at the same time; one context is used by one thread at a time. */
#ifndef PM_IR_CONTEXT_H
#define PM_IR_CONTEXT_H

#include "ir/support.h"

typedef struct pm_context pm_context;
typedef struct pm_op pm_op;
typedef struct pm_op_desc pm_op_desc;

/* An interned string: equal text <=> equal pointer. Lives as long as the context. */
struct pm_string_storage {
  uint32_t len;
  uint32_t hash;
  __extension__ char text[]; /* of C, and of no C++ */
};
typedef const struct pm_string_storage *pm_string;

pm_context *pm_context_new(void);
void pm_context_free(pm_context *ctx);

pm_string pm_get_string(pm_context *ctx, pm_str text);
pm_string pm_get_cstring(pm_context *ctx, const char *text);

/* --- locations: file (an interned number, 0 = unknown), line and column from 1 --- */
typedef struct pm_loc {
  uint32_t line;
  uint16_t col;
  uint16_t file;
} pm_loc;
#ifdef __cplusplus
#define PM_NO_LOC (pm_loc{0, 0, 0})
#else
#define PM_NO_LOC ((pm_loc){0, 0, 0})
#endif

/* Registers a source text for diagnostics (copied; text may be NULL when only the name is known) and returns
 * its number; a name seen before keeps its number and takes the new text when one is given. */
uint16_t pm_add_source(pm_context *ctx, const char *name, const char *text, size_t len);
/* The same for a text of malloc's, which becomes the context's. To parse it without a copy, give the parser
 * what pm_source_text says. 0, and the text is freed, when there are too many sources. */
uint16_t pm_take_source(pm_context *ctx, const char *name, char *text, size_t len);
const char *pm_source_name(const pm_context *ctx, uint16_t file);
/* Sources have the numbers 1 .. that many. */
uint16_t pm_source_count(const pm_context *ctx);
/* Reading has looked for a file at the path, where there was none. The path is kept as it is. */
void pm_note_absent(pm_context *ctx, const char *path);
size_t pm_absent_count(const pm_context *ctx);
const char *pm_absent_at(const pm_context *ctx, size_t i);
/* The text, borrowed; ptr NULL when only the name is known. */
pm_str pm_source_text(const pm_context *ctx, uint16_t file);
/* The text of a line, without its end; len 0 when unknown. */
pm_str pm_source_line(const pm_context *ctx, pm_loc loc);
/* Drops every registered text (the names stay); for measurements of memory. */
void pm_drop_source_texts(pm_context *ctx);

/* --- dialects --- */
typedef struct pm_dialect pm_dialect;
struct pm_attr_kind;
/* A dialect: the prefix of its ops ("arith"), its ops (NULL-terminated), kinds of attributes, and data of its
 * own kept in the context. Static and immutable. */
struct pm_dialect {
  const char *name;
  const pm_op_desc *const *ops;
  const struct pm_attr_kind *const *attr_kinds; /* NULL or NULL-terminated */
  const struct pm_type_kind *const *type_kinds; /* the same */
  void *(*new_data)(pm_context *ctx);           /* NULL or called once at registration */
  void (*free_data)(void *data);                /* called after all attributes were freed */
  const char *doc;
};
/* False after a diagnostic, with nothing changed, when the name or that of an op is taken by another. */
bool pm_register_dialect(pm_context *ctx, const pm_dialect *dialect);
void *pm_dialect_data(pm_context *ctx, const pm_dialect *dialect);
/* By full name ("arith.addi"); NULL when unknown. */
const pm_op_desc *pm_find_op_desc(pm_context *ctx, pm_str name);
/* From then on, the parser keeps ops of dialects that the context lacks, in the generic form. They have the
 * trait PM_UNREGISTERED. */
void pm_allow_unregistered(pm_context *ctx);
/* Whether it has read one. */
bool pm_has_unregistered(const pm_context *ctx);
size_t pm_dialect_count(const pm_context *ctx);
const pm_dialect *pm_dialect_at(const pm_context *ctx, size_t i);

/* Ops are numbered from 1 in the order in which they are made, which is the same in every run. Raises SIGTRAP
 * when that one was made, for a debugger to stop there (docs/debugging.md); 0: never. */
void pm_stop_at_serial(pm_context *ctx, uint32_t serial);

#endif
