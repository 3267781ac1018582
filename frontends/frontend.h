/* A frontend turns the text of a program into a module. It is one struct in one directory and one line in
 * frontends.def, or a plugin registers it (docs/add-a-frontend.md). The tools know none by name. */
#ifndef PM_FRONTENDS_FRONTEND_H
#define PM_FRONTENDS_FRONTEND_H

#include "ir/ir.h"
#include "ir/registry.h"

/* What the user may write behind `--name=`. */
typedef enum pm_frontend_value_kind {
  PM_FRONTEND_TEXT,  /* any text; the last one given counts */
  PM_FRONTEND_WORDS, /* words with commas between them, one value a word */
  PM_FRONTEND_INT,   /* NAME=INTEGER */
  PM_FRONTEND_CONST, /* NAME=INTEGER, or NAME=TEXT: numbers and words with commas between */
  PM_FRONTEND_RANGE  /* NAME=LOW:HIGH, two finite numbers, the lower first */
} pm_frontend_value_kind;

/* An option of the tools that read programs: --name=FORM, -I FORM where the name is one letter. Frontends may
 * have options of the same name. */
typedef struct pm_frontend_option {
  const char *name; /* "const"; NULL ends a list */
  pm_frontend_value_kind kind;
  const char *form; /* "NAME=INTEGER", for --help and messages */
  const char *doc;
} pm_frontend_option;

typedef struct pm_frontend_value {
  const pm_frontend_option *option; /* one of the frontend's */
  const char *text;                 /* TEXT and WORDS: the text or the word; else what stands before '=' */
  int64_t number;                   /* INT, CONST */
  const char *constant;             /* CONST: the text of one that is no integer, or NULL */
  double low, high;                 /* RANGE */
} pm_frontend_value;

/* What a frontend reads. Everything is borrowed, until `read` returns. */
typedef struct pm_frontend_input {
  const char *file; /* for locations */
  const char *text; /* has a 0 behind it */
  size_t len;
  const char *fp;   /* the rules for floating point that the user asks for, or NULL: what the program says */
  bool has_groups;  /* the target computes tiles by groups of work-items: GPUs */
  bool no_schedule; /* what the program says of its schedule is left out */
  const pm_frontend_value *values; /* in the order given */
  size_t n_values;
} pm_frontend_input;

/* --- programs made by calls --- */

/* A value that a host hands over or gets: a number of a session's own item, or what both know. */
typedef enum pm_host_kind {
  PM_HOST_NONE,
  PM_HOST_BOOL,
  PM_HOST_INT,
  PM_HOST_FLOAT,
  PM_HOST_TEXT,
  PM_HOST_LIST,
  PM_HOST_TUPLE,
  PM_HOST_ITEM
} pm_host_kind;

typedef struct pm_host_value {
  pm_host_kind kind;
  int64_t i;                         /* BOOL, INT, ITEM */
  double f;                          /* FLOAT */
  const char *text;                  /* TEXT, with a 0 behind it */
  const struct pm_host_value *items; /* LIST, TUPLE */
  size_t len;                        /* of text or items */
} pm_host_value;

typedef struct pm_host_argument {
  const char *keyword; /* or NULL */
  pm_host_value value;
} pm_host_argument;

/* What a language offers to hosts that are languages themselves, as Python is: its statements one by one. All
 * but `open` and `close` return false after diagnostics, and then leave *result; `close` comes before the
 * context is freed. What they are given is borrowed for the call. */
typedef struct pm_session_hooks {
  void *(*open)(pm_context *ctx, const pm_frontend_input *input); /* without a text */
  void (*close)(void *session);
  /* A name of the language: a function, a type. */
  bool (*find)(void *session, pm_loc loc, const char *name, pm_host_value *result);
  /* callee(args…); a callee that is a tuple, of an object and a name, is that method */
  bool (*call)(void *session, pm_loc loc, const pm_host_value *callee, const pm_host_argument *args, size_t n,
               pm_host_value *result);
  /* `word` is an operator as the language writes it, "[]" indexes, "len" says how many values one has. */
  bool (*apply)(void *session, pm_loc loc, const char *word, const pm_host_value *operands, size_t n,
                pm_host_value *result);
  /* object.name = value */
  bool (*set)(void *session, pm_loc loc, const pm_host_value *object, const char *name,
              const pm_host_value *value);
  /* Names an item that has no name, as what it was assigned to. */
  void (*name)(void *session, const pm_host_value *item, const char *name);
  /* The module of these outputs: verified. Nothing but `close` may follow. NULL after diagnostics. */
  pm_module *(*finish)(void *session, pm_loc loc, const pm_host_value *outputs, const char *name);
} pm_session_hooks;

typedef struct pm_frontend {
  const char *name;              /* "polymage", for --from */
  const char *language;          /* "PolyMage", in "--const is for PolyMage programs" */
  const char *const *extensions; /* "py", "pm"; NULL-terminated */
  const char *doc;
  const pm_frontend_option *options; /* ends with a NULL name; NULL: none */
  /* A verified module, or NULL after diagnostics. */
  pm_module *(*read)(pm_context *ctx, const pm_frontend_input *input);
  const pm_session_hooks *session; /* NULL: its programs are texts */
} pm_frontend;

/* False after a diagnostic when the name or an extension is taken. */
bool pm_register_frontend(pm_context *ctx, const pm_frontend *frontend);
/* Those of frontends.def. */
void pm_register_all_frontends(pm_context *ctx);

size_t pm_frontend_count(const pm_context *ctx);
const pm_frontend *pm_frontend_at(const pm_context *ctx, size_t i);
/* NULL when unknown. */
const pm_frontend *pm_find_frontend(const pm_context *ctx, const char *name);
/* The frontend for the file, by the end of its name; NULL when none has that extension. */
const pm_frontend *pm_frontend_of_file(const pm_context *ctx, const char *file);
/* NULL when the frontend has no such option. */
const pm_frontend_option *pm_find_frontend_option(const pm_frontend *frontend, const char *name);

#endif
