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
  CX_MAX_NESTING = 2000,
  CX_MAX_REACHED = 2000,
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
  CV_BUILTIN,  /* text: a function of the library, by its name */
  CV_CLASS, /* node: a class, an enumeration or another name of a type (a TYPE, or the ALIAS of a template) */
  CV_NAMESPACE, /* scope: of the program */
  CV_IGNORED,   /* of what has no meaning here: std::cout */
  CV_POINTER,   /* cell: an address; NULL: nullptr */
  CV_ITERATOR,  /* list, number: of an item of it, or of its end */
  CV_PACK,      /* list: of what the parameters of a pack are, classes those of a template */
  CV_LIBRARY    /* own: the first kind of the library's, which numbers its kinds from here on */
} cv_kind;

typedef struct cx_cell cx_cell;
typedef struct cx_list cx_list;
typedef struct cx_object cx_object;
typedef struct cx_function cx_function;
typedef struct cx_scope cx_scope;
typedef struct cx_instance cx_instance;
typedef struct cx_library cx_library;

typedef struct cv {
  uint16_t kind;  /* cv_kind, or a kind of the library */
  uint8_t scalar; /* pm_scalar; of a STRING 1: a literal */
  /* ITERATOR: of the item. INT: its enumeration by in->enums, from 1 on. OBJECT, POINTER: the base of the
   * object that it is taken for, from 1 on. The library's own for its kinds. */
  uint32_t number;
  union {
    int64_t i;
    double f;
    pm_string text;
    cx_list *list;
    cx_object *object;
    cx_function *function;
    const cx_node *node;
    cx_scope *scope;
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
  bool is_static;   /* a static variable of a function */
  bool is_captured; /* by value: a lambda's own */
  const cx_node
      *pending;    /* the DECLARE of a static member that is not evaluated yet; `value.number`: which one */
  cx_scope *scope; /* where it is evaluated */
  cx_list *characters; /* of a string: what its iterators are of; or NULL */
};

struct cx_list {
  uint64_t number;   /* in the order in which lists are made */
  const cx_node *of; /* the type of the items of a vector, of the values of a map; or NULL */
  const void *own;   /* what the library makes new items of; or NULL */
  bool is_sorted;    /* a map or set in the order of its keys */
  bool is_set;
  cx_cell *text;           /* the variable whose characters the items are; or NULL */
  pm_string characters_of; /* what it has then */
  CX_VEC(cx_cell *) items;
};

typedef struct cx_binding {
  pm_string name;
  cx_cell *cell;
  pm_loc loc;               /* where it is declared, of variables */
  const cx_instance *owner; /* of a member of an object: the class that declares it */
} cx_binding;

struct cx_scope {
  cx_scope *outer;
  const cx_instance *instance; /* the class whose names these are; what is declared here is its `names`, or
                                  the object's members */
  cx_object *object;           /* with `instance`: the object, or NULL */
  bool is_local;               /* of a function or a block: lambdas capture what is here */
  bool has_arguments;          /* its names are the parameters of a function template */
  CX_VEC(cx_binding) names;
  CX_VEC(cx_scope *) used; /* namespaces whose names are here, too */
  pm_map *cells;           /* name -> cell, of the globals, which may be many; else NULL */
};

/* A class, and a class template with arguments. */
struct cx_instance {
  const cx_node *node;         /* CLASS or ENUM */
  const cx_node *type;         /* closed (types/types.h) */
  cx_scope *names;             /* static members, types in it, arguments of the template */
  CX_VEC(cx_instance *) bases; /* of the program */
  bool is_of_library;          /* it derives from a class of the library that only the library makes */
  /* The class of the library that it derives from, closed; or NULL. Its objects have a value of it, the inner
   * one, in a member that has this name and is made before the base of that number. */
  const cx_node *inner_type;
  pm_string inner_name;
  uint32_t inner_at;
};

/* A class, an enumeration or a template as it is declared. */
typedef struct cx_class_info {
  const cx_node *node;
  cx_scope *scope; /* around it */
  CX_VEC(cx_instance *) instances;
  CX_VEC(const cx_node *) outside; /* functions of it that are defined outside of it */
  CX_VEC(const cx_node *) special; /* special cases of the template */
} cx_class_info;

struct cx_object {
  const cx_instance *instance;
  cx_scope *members;         /* those of bases first */
  const cx_instance *making; /* the class whose constructor is at work; NULL: none */
  CX_VEC(cx_scope *) parts;  /* how the object looks from its class and from each base, the class first */
};

struct cx_function {
  const cx_node *node; /* FUNCTION or LAMBDA */
  cx_scope *scope;     /* around it */
};

/* --- the evaluation --- */

/* What a cell had before it was changed. */
typedef struct cx_change {
  cx_cell *cell;
  cv before;
} cx_change;

/* Where a statement ends early at some points only, as a `return` under a condition does that is not known
 * (expressions/branches.c): when it does so, each a bool or a condition of the library. */
typedef struct cx_exits {
  cv by_break, by_continue, by_return;
} cx_exits;

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
  const char *const *macros; /* that are defined ahead of it; borrowed */
  size_t n_macros;
  cx_given *consts; /* what macros and constants of the program are; borrowed */
  size_t n_consts;
  CX_VEC(pm_string) given;       /* the program's file and others that are not included by name */
  CX_VEC(pm_string) included;    /* files that earlier programs have read */
  CX_VEC(pm_string) reading;     /* those that this program has read */
  cx_scope *extension;           /* what the program declares in the library's namespaces */
  CX_VEC(const cx_node *) enums; /* that values are of */
  pm_map *infos;                 /* node of a class or a template -> cx_class_info */
  pm_map *statics;               /* DECLARATOR of a static variable in a function -> those of its instances */
  pm_map *used_names;            /* LAMBDA -> the names in it, a BLOCK */
  pm_string declared;            /* the variable whose value is evaluated; or NULL */
  cv result;                     /* of the return at work */
  cx_cell *result_cell;          /* with it, where a reference is returned; or NULL */
  bool returns_place;            /* the function at work returns a reference */
  bool in_const_function;        /* it is a const function of an object */
  unsigned is_trial;             /* an expression is evaluated for its type alone: nothing is reported; one
                                    more for each call at work of a function that does not say its type */
  unsigned branches;             /* at work, of conditions that are not known */
  CX_VEC(cx_change) changes;     /* in these */
  uint64_t n_lists, branch_from; /* lists that were made, and those ahead of the innermost of these */
  cv path;                       /* what holds in these; a bool: true outside of them */
  cx_exits exits;                /* of the statement that has just ended so */
  unsigned depth, nesting, n_reached; /* calls, expressions, rests of blocks under a condition */
  uint64_t steps;
  unsigned failures;
  size_t text_bytes; /* of strings that the program has made */
  bool stopped;      /* a limit was reached */
  /* Calls to rooms above, set by cx_begin. */
  cv (*eval)(struct cx_interp *in, const cx_node *n);
  void (*evaluate_member)(struct cx_interp *in, cx_cell *cell); /* of one that is pending */
  /* A copy of the object, or of the base that is this part of it. */
  cv (*copy_object)(struct cx_interp *in, cv object, uint32_t part);
  cx_instance *(*instantiate)(struct cx_interp *in, pm_loc loc, const cx_node *node, const cx_node *type);
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
