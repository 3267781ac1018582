/* The values of the Python subset and of PolyMage's DSL. All live in the interpreter's arena. */
#ifndef PM_FRONTENDS_POLYMAGE_VALUE_H
#define PM_FRONTENDS_POLYMAGE_VALUE_H

#include "frontends/polymage/syntax.h"
#include "ir/types.h"

typedef struct py_interp py_interp;
typedef struct py_env py_env;
typedef struct py_call py_call;
typedef struct py_dict py_dict;

typedef enum py_type {
  VAL_POISON, /* the value of what failed, or of what is not known: see unknown.h */
  VAL_NONE,
  VAL_BOOL,
  VAL_INT,
  VAL_FLOAT,
  VAL_STR,
  VAL_LIST,
  VAL_TUPLE,
  VAL_DICT,
  VAL_RANGE,
  VAL_FUNCTION,
  VAL_BUILTIN,
  VAL_METHOD,
  VAL_MODULE, /* that is no file of the program */
  VAL_FILE,   /* a module that is one */
  VAL_TYPE,   /* Float */
  VAL_SYMBOL, /* a parameter, variable, image or stage */
  VAL_EXPR,   /* an expression over them */
  VAL_COND,   /* a condition over them */
  VAL_INTERVAL,
  VAL_CASE,
  VAL_DEFINITION /* the cases of a stage, to which more may be appended */
} py_type;

typedef struct py_str {
  size_t len;
  char text[];
} py_str;

typedef struct py_value py_value;

typedef struct py_seq {
  py_value *items;
  size_t len, cap;
  const struct py_unknown *unknown; /* why the items and their number are not known, or NULL */
} py_seq;

typedef struct py_range {
  int64_t start, stop, step;
} py_range;

typedef struct py_function {
  const py_node *node; /* DEF or LAMBDA */
  py_env *env;         /* around it */
  py_value *defaults;  /* one a parameter, POISON where there is none */
} py_function;

typedef struct py_builtin {
  const char *name;
  py_value (*call)(py_interp *py, const py_call *call);
} py_builtin;

/* A value that --const should give. */
typedef struct py_constant {
  pm_loc loc;       /* where it is asked for */
  const char *path; /* as the program writes it, `app_data["L"]` */
  const char *name; /* as --const names it, `app_data.L` */
  bool undefined;   /* a name that the program might define itself */
} py_constant;

/* Why a value is not known. */
typedef struct py_unknown {
  pm_loc loc;
  const char *text;
  const py_constant *constant; /* that is missing, or NULL: something else */
} py_unknown;

typedef struct py_method {
  const struct py_value *self;
  const struct py_method_row *row;
} py_method;

typedef struct py_file py_file;
typedef struct dsl_symbol dsl_symbol;
typedef struct dsl_expr dsl_expr;
typedef struct dsl_interval dsl_interval;
typedef struct dsl_case dsl_case;

struct py_value {
  py_type type;
  union {
    bool b;
    int64_t i;
    double f;
    const py_str *str;
    py_seq *seq; /* LIST and TUPLE */
    py_dict *dict;
    const py_range *range;
    const py_function *function;
    const py_builtin *builtin;
    const py_method *method;
    const py_unknown *unknown; /* POISON; NULL: an error was reported */
    pm_string module;
    const py_file *file;
    pm_scalar scalar;
    dsl_symbol *symbol; /* SYMBOL and DEFINITION */
    dsl_expr *expr;     /* EXPR and COND */
    dsl_interval *interval;
    dsl_case *branch;
  };
};

#define PY_POISON ((py_value){.type = VAL_POISON})
#define PY_NONE ((py_value){.type = VAL_NONE})
static inline py_value py_int(int64_t i) {
  return (py_value){.type = VAL_INT, .i = i};
}
static inline py_value py_float(double f) {
  return (py_value){.type = VAL_FLOAT, .f = f};
}
static inline py_value py_bool(bool b) {
  return (py_value){.type = VAL_BOOL, .b = b};
}
static inline bool py_is_poison(py_value v) {
  return v.type == VAL_POISON;
}
static inline bool py_is_int(py_value v) {
  return v.type == VAL_INT || v.type == VAL_BOOL;
}
static inline bool py_is_number(py_value v) {
  return py_is_int(v) || v.type == VAL_FLOAT;
}
static inline bool py_is_seq(py_value v) {
  return v.type == VAL_LIST || v.type == VAL_TUPLE;
}
static inline int64_t py_as_int(py_value v) {
  return v.type == VAL_BOOL ? v.b : v.i;
}
static inline double py_as_float(py_value v) {
  return v.type == VAL_FLOAT ? v.f : (double)py_as_int(v);
}

/* Looking into values: lists in lists are looked into so far (a list may contain itself), and at so many
 * items, because a list that is small in memory may be doubled by each that contains it. */
enum { PY_MAX_CONTAINED = 64, PY_MAX_LOOKED_AT = 20000000 };

typedef struct py_look {
  size_t work;   /* items, and 64 bytes of text each, that were looked at */
  bool too_deep; /* stopped: the result says nothing; so it is with work above the maximum */
} py_look;

/* Insertion-ordered; keys are None, bools, numbers, strings, tuples of such, and DSL objects by identity. */
struct py_dict {
  struct py_entry {
    py_value key, value;
    uint64_t hash;
  } * entries;
  size_t len, cap;
  uint32_t *slots; /* entry + 1, 0 when free; n_slots is a power of two */
  size_t n_slots;
  bool open;        /* an argument from outside: a key that is missing is a dictionary again, or a --const */
  const char *path; /* of an open one: how the program reached it, `app_data["x"]` */
  const char *dotted;        /* of an open one: how --const names it, `app_data.x` */
  const py_unknown *unknown; /* why a key may be missing, or NULL */
  const char *description;   /* of an open one, for messages while it is empty */
};

/* False when the key cannot be one, or was not looked at to its end. Adds to `look`. */
bool py_hash(py_value key, uint64_t *hash, py_look *look);
/* The value of a key that py_hash accepts; NULL when absent. Valid until the next py_dict_set. */
py_value *py_dict_get(const py_dict *dict, py_value key, uint64_t hash);
void py_dict_set(pm_arena *arena, py_dict *dict, py_value key, uint64_t hash, py_value value);
py_value *py_dict_get_name(const py_dict *dict, pm_string name);
void py_dict_set_name(pm_arena *arena, py_dict *dict, pm_string name, py_value value);

py_value py_string(pm_arena *arena, const char *text, size_t len);
py_value py_new_seq(pm_arena *arena, py_type type, size_t cap);
/* An open dictionary; copies the texts. */
py_value py_new_open_dict(pm_arena *arena, const char *path, const char *dotted);
void py_seq_push(pm_arena *arena, py_seq *seq, py_value item);
int64_t py_range_len(const py_range *range);

/* Python's ==, between values that it can tell apart without the DSL; DSL objects by identity. Adds to
 * `look`. */
bool py_equal(py_value a, py_value b, py_look *look);
/* "an integer", "a list", "a stage": for messages. In describe.c. */
const char *py_kind_name(py_value v);
/* What str() gives. */
void py_put_str(pm_buf *out, py_value v);

#endif
