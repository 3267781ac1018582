/* C++ that is evaluated while a program is compiled: what all rooms share. docs/cxx.md has the rooms.
 *
 * A frontend whose programs are written in C++ gives a table, `cx_library` (library.h), of what its library
 * brings: types, functions, operators. Everything here knows the language and no library. All memory is of
 * the arena of the evaluation. */
#ifndef PM_FRONTENDS_CXX_CXX_H
#define PM_FRONTENDS_CXX_CXX_H

#include "frontends/cxx/syntax/syntax.h"
#include "ir/attributes.h"
#include "ir/types.h"

enum {
  CX_MAX_STEPS = 20000000,
  CX_MAX_CALLS = 200,
  CX_MAX_NESTING = 4000,
  CX_MAX_ITEMS = 100000,
  CX_MAX_TEXT = 1 << 16, /* characters of a string that the program makes */
  CX_MAX_FAILURES = 1000,
  CX_MAX_BYTES = 1 << 30
};

/* --- growing arrays in an arena --- */

#define CX_VEC(T)                                                                                            \
  struct {                                                                                                   \
    T *data;                                                                                                 \
    uint32_t len, cap;                                                                                       \
  }
#define CX_PUSH(arena, v, item)                                                                              \
  do {                                                                                                       \
    if ((v).len == (v).cap) (v).data = cx_grow(arena, (v).data, (v).len, &(v).cap, sizeof(*(v).data));       \
    (v).data[(v).len++] = (item);                                                                            \
  } while (0)
void *cx_grow(pm_arena *arena, const void *data, uint32_t len, uint32_t *cap, size_t item_bytes);

/* --- values --- */

typedef enum cv_kind {
  CV_POISON,   /* of what was reported; nothing more is said about it */
  CV_VOID,     /* what has no value */
  CV_INT,      /* i, of the type `scalar`; true and false are of PM_I1 */
  CV_FLOAT,    /* f, PM_F32 or PM_F64 */
  CV_STRING,   /* text */
  CV_LIST,     /* list: a vector, an array, what stands in braces, a pair */
  CV_MAP,      /* list, of LISTs of two, in the order of the keys' insertion */
  CV_OBJECT,   /* object */
  CV_FUNCTION, /* function: of the program, or a lambda */
  CV_CLASS,    /* node: a class of the program, as a name */
  CV_IGNORED,  /* of what has no meaning here: std::cout */
  CV_POINTER,  /* cell: an address; NULL: nullptr */
  CV_ITERATOR, /* list, number: of an item of it, or of its end */
  CV_LIBRARY   /* own: the first kind of the library's, which numbers its kinds from here on */
} cv_kind;

typedef struct cx_cell cx_cell;
typedef struct cx_list cx_list;
typedef struct cx_object cx_object;
typedef struct cx_function cx_function;
typedef struct cx_scope cx_scope;
typedef struct cx_library cx_library;

typedef struct cv {
  uint16_t kind;  /* cv_kind, or a kind of the library */
  uint8_t scalar; /* pm_scalar */
  uint32_t number;
  union {
    int64_t i;
    double f;
    pm_string text;
    cx_list *list;
    cx_object *object;
    cx_function *function;
    const cx_node *node;
    cx_cell *cell;
    void *own; /* of the library */
  };
} cv;

extern const cv cv_poison, cv_void;
static inline bool cv_is_number(cv v) {
  return v.kind == CV_INT || v.kind == CV_FLOAT;
}

/* Where a value is kept. */
struct cx_cell {
  cv value;
  const cx_node *type; /* that the values assigned are converted to; NULL: whatever the first was */
  bool is_const;
};

struct cx_list {
  const cx_node *of; /* the type of the items of a vector, of the values of a map; or NULL */
  const void *own;   /* what the library makes new items of; or NULL */
  CX_VEC(cx_cell *) items;
};

typedef struct cx_binding {
  pm_string name;
  cx_cell *cell;
  pm_loc loc; /* where it is declared, of variables */
} cx_binding;

struct cx_scope {
  cx_scope *outer;
  cx_object *object; /* whose members these are, or NULL */
  CX_VEC(cx_binding) names;
  pm_map *cells; /* name -> cell, of the globals, which may be many; else NULL */
};

struct cx_object {
  const cx_node *node; /* its class */
  cx_scope *members;
  bool is_of_library; /* the class derives from one of the library: the object is no value that is copied */
};

struct cx_function {
  const cx_node *node; /* FUNCTION or LAMBDA */
  cx_scope *scope;     /* around it */
};

/* --- the evaluation --- */

/* Errors, each of which is said once: loops come to a place again and again. */
typedef struct cx_reports {
  pm_context *ctx;
  pm_map *known; /* place and text, as a pm_string */
  bool ended;    /* after the last one nothing more is evaluated */
} cx_reports;

typedef struct cx_interp {
  pm_context *ctx;
  pm_arena *arena;
  const cx_library *library;
  void *user; /* the library's */
  cx_reports reports;
  cx_scope *globals, *scope;
  CX_VEC(const cx_node *) classes; /* of the program, in their order */
  CX_VEC(const cx_node *) refused; /* declarations that were not understood */
  const char *const *folders;      /* where headers are looked for that are not beside the file; borrowed */
  size_t n_folders;
  CX_VEC(pm_string) given; /* the program's file and others that are not included by name */
  CX_VEC(pm_string) included;
  pm_map *namespaces; /* of the files that were read */
  cv result;          /* of the return at work */
  unsigned depth, nesting;
  uint64_t steps;
  unsigned failures;
  size_t text_bytes; /* of strings that the program has made */
  bool stopped;      /* a limit was reached */
} cx_interp;

/* Reports an error, once. */
void cx_report(cx_reports *reports, pm_loc loc, const char *text);
/* Reports, and gives poison. */
cv cx_fail(cx_interp *in, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
/* One step more; false when the program runs too long or has too much, which is reported once. */
bool cx_may_go_on(cx_interp *in, pm_loc loc);
/* False where statements and expressions, in all calls that run, are nested too deep, which is reported. */
bool cx_may_nest(cx_interp *in, pm_loc loc, const char *what);

/* The nearest of the names that are looked at, of those that are near: `best`, or NULL. */
typedef struct cx_nearest {
  pm_string name;
  const char *best;
  unsigned distance;
} cx_nearest;
cx_nearest cx_begin_nearest(pm_string name);
void cx_look_at(cx_nearest *nearest, const char *name);

#endif
