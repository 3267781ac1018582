/* The stage graph as data: what the passes over stage.pipeline look at. All isl objects are owned by the
 * graph; the passes copy. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_GRAPH_H
#define PM_DIALECTS_STAGE_ANALYSES_GRAPH_H

#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/analyses/facts.h"
#include "dialects/stage/stage.h"
#include "ir/pass.h"

typedef struct stage_node stage_node;
typedef struct stage_access stage_access;
struct stage_values;

typedef struct stage_case_info {
  pm_op *op;
  isl_set *set; /* within the domain and the context; tuple named after the stage */
} stage_case_info;

/* One stage.update. */
typedef struct stage_update_info {
  pm_op *op;
  pm_string name;  /* tuple of its instances: stage_update_name */
  isl_set *set;    /* within the context; tuple `name` */
  isl_map *target; /* instances -> points of the stage, on the set; see `relation` of stage_access */
  bool affine;     /* target is a function */
  struct stage_index *indices; /* by dimension of the stage: see stage_update_index */
} stage_update_info;

/* One stage.read. */
struct stage_access {
  pm_op *read;
  stage_node *consumer, *producer;
  int case_index;   /* in consumer->cases, -1: it stands in an update */
  int update_index; /* in consumer->updates, -1: it stands in a case */
  /* Instances of the case (tuple of the consumer) or of the update -> producer points, on their set; not
   * restricted to the producer's domain. A dimension whose index is computed covers all that the index may be
   * (stage_value_relation), one with a boundary mode what stage_boundary_relation says. */
  isl_map *relation;
  bool affine; /* relation is a function */
};

struct stage_node {
  pm_op *op; /* stage.func, stage.input or stage.constant */
  pm_string name;
  pm_type type;       /* a scalar, or a tuple of these */
  isl_set *domain;    /* within the context; tuple named after the stage */
  stage_facts *facts; /* the graph's; borrowed */
  unsigned n_dims;
  unsigned index; /* in graph->nodes */
  bool is_input;  /* of the caller, or a constant: it is there before anything runs */
  bool is_output;
  pm_attr order; /* of an output: see stage.output; NULL: the array has the stage's */
  PM_VEC(stage_case_info) cases;
  PM_VEC(stage_update_info) updates; /* in the order in which they run, after the cases */
  struct stage_targets *targets;     /* by dimension: see stage_update_dim_is_affine */
  PM_VEC(stage_access *) reads;      /* made by this stage, of others */
  PM_VEC(stage_access *) readers;    /* of this stage, by others */
  PM_VEC(stage_access *) self_reads; /* of this stage by itself: recurrences, and reads in updates */
};

/* What params are taken for where they have no estimate: those known for one usual size. */
struct stage_estimates {
  int64_t usual;
  size_t n; /* of the params, the first ones */
  int64_t *values;
};

typedef struct stage_graph {
  pm_context *ctx;
  isl_ctx *isl;
  pm_op *pipeline;
  isl_set *context;       /* parameter set; the universe when the pipeline gives none */
  stage_facts *facts;     /* of the context: what sets and relations above are within. They have the
                           * params alone of which they say something, in any order */
  PM_VEC(pm_op *) params; /* derived ones, too */
  struct stage_estimates *estimates; /* estimates.h asks for them */
  PM_VEC(stage_node *) nodes;        /* topological: producers first; among equals in the order of the text */
  PM_VEC(stage_node *) outputs;      /* in the order of stage.output */
  PM_VEC(stage_access *) accesses;   /* all, self_reads too */
  pm_map *by_name;                   /* pm_string -> stage_node */
  pm_map *by_update;                 /* pm_string, name of an update -> stage_node */
} stage_graph;

/* The set of the case or update in which the access is made; borrowed. */
isl_set *stage_access_instances(const stage_access *access);
/* NULL after a diagnostic (a cycle, an unknown name: what the verifier reports too). */
stage_graph *stage_graph_new(pm_op *pipeline);
/* The same with what is known of values already, which grows. */
stage_graph *stage_graph_new_from(pm_op *pipeline, struct stage_values *values);
void stage_graph_free(stage_graph *graph);
stage_node *stage_graph_find(const stage_graph *graph, pm_string name);
/* The stage whose update has instances of that name, and the update's number; NULL when there is none. */
stage_node *stage_graph_find_update(const stage_graph *graph, pm_string name, size_t *number);
extern const pm_analysis_desc stage_graph_analysis;
#define STAGE_GRAPH(pass) ((const stage_graph *)pm_pass_analysis(pass, &stage_graph_analysis))
/* Index `k` of an update's combine as one quasi-affine function on its set, or NULL; found once. Borrowed
 * from the graph. */
isl_aff *stage_update_index(const stage_update_info *update, unsigned k);
/* All updates reach dimension `k` of the stage at an index that is a quasi-affine function of their points.
 */
bool stage_update_dim_is_affine(const stage_node *node, unsigned k);

/* The point that the indices of a stage.read or stage.combine give, as an isl map from the instances of the
 * case or update around it, in its set and the context; *affine says whether it is exact. */
__isl_give isl_map *stage_read_relation(pm_op *read_or_combine, bool *affine);
/* The same with what is known of values already: `*values` is made when it is needed and NULL. */
__isl_give isl_map *stage_read_relation_in(struct stage_values **values, pm_op *read_or_combine,
                                           bool *affine);
/* Of index number `i` alone: instances -> [index], all that it may be; without the cases of the others. */
__isl_give isl_map *stage_index_relation(struct stage_values **values, pm_op *read_or_combine, unsigned i);
/* Whether a sum or product inside of index number `i` may leave 64 bits at some instance. Then it wraps. */
bool stage_index_may_wrap(struct stage_values *values, pm_op *read_or_combine, unsigned i);
/* The same of sums and products that are divided; of others the index of 64 bits is right although they wrap.
 */
bool stage_dividend_may_wrap(struct stage_values *values, pm_op *read_or_combine, unsigned i);
/* Whether an operand of the indices is neither an argument of the body nor a param. Of such indices the
 * relations above know that a dividend may wrap. */
bool stage_has_computed_index(const pm_op *read_or_combine);
/* A combination of a cell at computed indices, so that nobody knows which points come to it, that a processor
 * makes in one step. */
bool stage_may_be_atomic(const pm_op *combine);
/* The case or update around an op of its body. */
pm_op *stage_body_of(const pm_op *op);
/* The set of a case or update as it is written, with the tuple of its instances. */
__isl_give isl_set *stage_instances(const pm_op *body);
/* The attribute of a set (taken) whose dimensions are called as those of `like`, without the context's
 * constraints and the tuple. */
pm_attr stage_set_attr(const stage_graph *graph, __isl_take isl_set *set, pm_attr like);
/* The tuple of an update's instances: the func's name, `_u` and the update's number, made different from
 * every stage's name. */
pm_string stage_update_name(const pm_op *update);
/* The name of the array of element number `i`: the stage's name, of a tuple that with `_i`, made different
 * from every symbol of the pipeline. */
pm_string stage_element_name(const pm_op *array, unsigned i);

/* What a caller passes: sizes and order of the emitted function's arguments. A tuple is one array an element.
 */
typedef struct stage_arg {
  pm_op *op; /* stage.param, stage.input or the stage.func that is output */
  pm_string name;
  pm_type type;     /* a scalar: of the param, or of the array's elements */
  unsigned element; /* of the tuples of the op that the array holds; 0 when its values are scalars */
  unsigned n_dims;
  pm_attr order; /* of an output: see stage.output */
} stage_arg;
typedef struct stage_signature {
  pm_string name;
  PM_VEC(stage_arg) params, inputs, outputs;
} stage_signature;
void stage_signature_get(pm_op *pipeline, stage_signature *out);
void stage_signature_free(stage_signature *sig);
/* The dimension of the domain that dimension `d` of an array is which has that order. */
unsigned stage_dim_of(pm_attr order, unsigned d);
/* What a derived param is: its relation to the params that it is derived from, as a set of params; NULL: the
 * caller passes it. To be freed. */
__isl_give isl_set *stage_param_function(const pm_op *param);
/* It is one number for the params before it, which the symbols (pm_string -> pm_op) are of; false after a
 * diagnostic. */
bool stage_check_derived(const pm_op *param, const pm_map *symbols);
/* The number that a derived param is where all params before it, in the order of the pipeline, are `before`;
 * false: it is no coordinate. */
bool stage_derive(const pm_op *param, const int64_t *before, int64_t *value);
/* The set with those params in the place of derived ones that the caller passes. */
__isl_give isl_set *stage_without_derived(const pm_op *pipeline, __isl_take isl_set *set);
/* Coordinates are numbers of at most this many bits and a sign, so that extents and their doubles fit 64. */
enum { STAGE_COORDINATE_BITS = 61 };
/* The dimension has few coordinates, the same ones for all params: a box of an output has all of them, so
 * that what planes share is computed once. */
enum { STAGE_MOST_PLANES = 4 };
bool stage_is_of_planes(__isl_keep isl_set *domain, unsigned d);
/* Of a pipeline that computes boxes: the output whose bounds are those of this one, too: itself, or one ahead
 * of it. */
pm_string stage_box_of(const pm_op *pipeline, pm_string output);
/* Extents (n_dims of them, 0 for an empty box) and first point of the box of a domain, for given values of
 * the integer params (in the order of sig->params; others are ignored). False with a diagnostic when the box
 * is not bounded or a coordinate has too many bits. `lower` may be NULL. */
bool stage_box_at(pm_op *pipeline, pm_op *array, const int64_t *params, int64_t *extents, int64_t *lower);

#endif
