/* Inside the analysis of values: what is kept of one value, and what an op makes of those of its operands. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_VALUES_PRIVATE_H
#define PM_DIALECTS_STAGE_ANALYSES_VALUES_PRIVATE_H

#include "dialects/arith/range.h"
#include "dialects/math/float_range.h"
#include "dialects/stage/analyses/facts.h"
#include "dialects/stage/analyses/values.h"

typedef enum exactness { NOT_ASKED, INEXACT, EXACT } exactness;

/* One value: a relation when it is an integer, else an interval. */
typedef struct value_state {
  isl_map *relation;
  const pm_value *source; /* of an unbounded side, if there is one */
  bool wraps;             /* any number somewhere, because the result may leave the type */
  bool of_reads;          /* it follows from what is read of a stage */
  exactness exact;        /* the relation is a function */
  arith_range span;       /* of the relation at the assumed instances: what is seen without isl */
  float_range range;
  isl_map *around; /* of a float: see value_floats.c; NULL before it is asked for */
} value_state;

/* What some values are together, as indices. */
typedef struct tuple_state {
  PM_VEC(pm_value *) values;
  isl_map *relation;
  bool exact;
} tuple_state;

typedef struct body_instances {
  isl_set *all;     /* NULL until they are asked for */
  isl_set *around;  /* those, or one basic set around them: the domain of relations */
  isl_set *assumed; /* those there may be: params are of their types, coordinates are small */
} body_instances;

typedef struct body_state {
  stage_values *values;
  const pm_op *body;
  pm_string key; /* of all that its instances and the rules of its values follow from; NULL: it has none */
  pm_map *keys;  /* pm_value -> the pm_string of how it is computed, or NULL: it depends on unbounded integers
                    of a stage */
  unsigned n_keyed_reads, n_of_reads;
  struct body_instances *at; /* values_instances_of asks for them */
  pm_map *states;            /* pm_value -> value_state */
  PM_VEC(pm_value *) known;  /* the keys of states */
  PM_VEC(tuple_state) tuples;
} body_state;

struct stage_values {
  pm_op *pipeline;
  isl_ctx *isl;
  stage_facts *typed; /* what params may be by their types; NULL before it is asked for */
  stage_facts *facts; /* of the context */
  float_mode mode;
  unsigned coordinate_bits;
  pm_string key; /* of params and rules; NULL: not yet asked for */
  unsigned depth;
  const pm_op *input; /* that is taken to have values of this range, or NULL */
  float_range input_range;
  pm_map *bodies; /* pm_op -> body_state */
  pm_map *funcs;  /* pm_op, func or constant -> func_state */
  PM_VEC(body_state *) all_bodies;
  PM_VEC(struct func_state *) all_funcs;
};

/* A name for `what` about the value, or about some, and `which`: equal where all is computed the same way in
 * a body that has the same instances, of this stage or another. NULL: there is none. */
pm_string values_key(body_state *b, const char *what, const void *which, pm_value *const *values, size_t n);
/* Params of 64 bits are bounded by the domains of all stages. */
bool values_depend_on_domains(const stage_values *v);
/* Sets the key of a body whose values and body are known. */
void values_begin_keys(body_state *b);

const body_instances *values_instances_of(const body_state *b);
/* What is known of a value of the body. */
value_state *values_look_at(body_state *b, pm_value *value);
/* NULL: not known yet. */
value_state *values_state_of(const body_state *b, const pm_value *value);

/* Sets of [v]: the numbers of the type; those from `low` to `high`, which are taken. */
isl_set *values_of_type(pm_type type);
isl_set *values_between(const stage_values *v, isl_val *low, isl_val *high);
float_range values_range_of_number(double number);

/* At every instance any number of the set (taken). */
isl_map *values_everywhere(const body_state *b, isl_set *numbers);
/* The relation (taken), or one that holds it and has few pieces. */
/* Of any number of the integer type, where that has fewer than 64 bits. */
arith_range values_span_of_type(pm_type type);
isl_map *values_simplify(isl_map *relation);
/* A basic relation around it (taken), without existential variables. */
isl_map *values_without_divisions(isl_map *relation);
/* The relation has many constraints or existential variables, as long chains of operations make them. */
bool values_is_long(isl_map *relation);

/* value_floats.c: what a float that is not NaN is toward zero, by instance, or more numbers. The value and
 * its operands have their states. The caller's. */
isl_map *values_truncated(const body_state *b, const pm_value *value);
/* Values (taken) at such instances, with what is known of their params. */
isl_set *values_with_params(const body_state *b, isl_set *image);
/* What the relation (taken) gives at the instances that there may be, with params of their types. */
isl_set *values_of_relation(const body_state *b, isl_map *relation);
/* Such numbers are some of the type, where coordinates and params are so small that floats hold them. */
bool values_fit_if_small(const body_state *b, isl_map *numbers, pm_type from, pm_type to);

/* What is known of `value` by its type. */
value_state values_any(const body_state *b, const pm_value *value);
/* What is known of the result of the op, which is no read and no param; its operands have their states. */
value_state values_of_op(const body_state *b, const pm_op *op);

#endif
