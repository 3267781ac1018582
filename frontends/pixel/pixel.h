/* Numbers that differ from pixel to pixel, for languages of kernels that stand on frontends/cxx: C's
 * arithmetic on them becomes ops of a stage's body. The `user` of the evaluation begins with a px_state. */
#ifndef PM_FRONTENDS_PIXEL_H
#define PM_FRONTENDS_PIXEL_H

#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/values/values.h"
#include "ir/affine.h"
#include "ir/builder.h"

enum { PX_LANES = 4 };

/* Kinds of values (cv); those of a language follow. */
enum {
  PX_NUMBER = CV_LIBRARY, /* own: px_number, of the type `scalar` */
  PX_VECTOR,              /* list: four numbers of the type `scalar` */
  PX_UNKNOWN,             /* a number that the host computes of pixels */
  PX_LAST
};

enum { PX_MOST_READS = 1 << 14 };

/* The body of the stage that is built. */
typedef struct px_body {
  pm_builder b;
  pm_value *y, *x; /* of the point; NULL: it has none */
  pm_map *copies;  /* of values of other bodies, by these; or NULL */
  unsigned n_reads;
} px_body;
/* Frees what it has of its own. */
void px_end_body(px_body *body);
/* One more read of a pixel; ends the run after a diagnostic when these are too many. */
void px_count_read(cx_interp *in, pm_loc loc, px_body *body);
/* The op adds 1 to the value. */
bool px_is_one_more(const pm_op *add, const pm_value *value);
/* The cell is that of a name in scope, or of an item of its array. */
bool px_is_in_scope(const cx_interp *in, const cx_cell *cell);

/* Points of a stage: a set, and the names of its dims y, x and maybe n. */
typedef struct px_points {
  pm_attr set;
  pm_string dims[3];
  unsigned n;
} px_points;

/* Values of the counter of a loop: from `first` to `last`, or to `bound + last`. */
typedef struct px_rounds {
  int64_t first, last;
  const char *bound; /* integer parameters of the call, in isl's notation; NULL: none */
} px_rounds;

/* What a language says of loops whose end is not known, which px_run_loop makes stages of. */
typedef struct px_loops {
  /* The expression as a bound by parameters of the call; NULL: it is none. */
  const char *(*bound_of)(cx_interp *in, const cx_node *n);
  /* Those of the body at work; with `rounds` (or NULL) the dimension n, too. False after a diagnostic. */
  bool (*points)(cx_interp *in, pm_loc loc, const px_rounds *rounds, px_points *out);
  /* A func of these points, which is named after loops. */
  pm_op *(*new_stage)(cx_interp *in, pm_loc loc, pm_type type, pm_attr set);
  /* The run at work goes on in another body: what `leave` goes back to. */
  void *(*enter)(cx_interp *in, px_body body);
  void (*leave)(cx_interp *in, void *outer);
  /* The cell is that of an output of the pixel at work. */
  bool (*is_output)(const cx_interp *in, const cx_cell *cell);
  /* Writes so far to others than the pixel at work. */
  unsigned (*n_writes)(const cx_interp *in);
} px_loops;

typedef struct px_state {
  px_body *body; /* NULL: host code, which computes with known numbers alone */
  /* Integer parameters of the call that affine expressions have as symbols. */
  pm_value **params;
  /* The expression of parameters alone is a number of the type for all of their values; NULL: there are none.
   */
  bool (*fits)(cx_interp *in, pm_affine_expr e, pm_scalar type);
  const px_loops *loops;
  bool in_loop; /* in a round of a loop whose end is not known */
} px_state;

/* A number of each pixel. */
typedef struct px_number {
  pm_affine_expr affine; /* of the dims y, x and of parameters, which may be factors of each other; or NULL */
  bool of_host;          /* no body of pixels has made it */
  pm_value *value;       /* NULL: only affine so far */
} px_number;

cv px_number_of(cx_interp *in, pm_scalar type, pm_value *value);
cv px_affine(cx_interp *in, pm_affine_expr expr);
/* Dims y and x: that of each pixel. */
bool px_has_dims(pm_affine_expr e);
/* The number, known or not, as a value of the type; NULL after a diagnostic. */
pm_value *px_value_of(cx_interp *in, pm_loc loc, cv v, pm_scalar type);
/* A known number, or one of each pixel. */
bool px_is_number(cv v);
pm_scalar px_type_of(cv v);
/* "uchar", as kernels name it. */
const char *px_type_name(pm_scalar type);
/* "a uchar of each pixel" */
const char *px_describe(cv v);
/* The same as one of that type, as C converts. */
cv px_convert(cx_interp *in, pm_loc loc, pm_scalar type, cv v);
bool px_unary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv *out);
bool px_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out);
/* The same of numbers alone, known or not; poison after a diagnostic. */
cv px_operate(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b);
cv px_select(cx_interp *in, pm_loc loc, cv condition, cv a, cv b);
bool px_to_scalar(cx_interp *in, pm_loc loc, pm_scalar type, cv v, cv *out);
/* a < b ? a : b, or a > b ? a : b, of two numbers of one type. */
cv px_extreme(cx_interp *in, pm_loc loc, bool is_max, cv a, cv b);
/* "uchar4": its lane; false: it is no such name. */
bool px_vector_type(const char *name, pm_scalar *lane);
cv px_vector(cx_interp *in, pm_scalar lane, const cv *lanes);
cx_cell *px_lane_cell(cv self, pm_string name);
cx_handler px_math(const cx_interp *in, pm_string name);

/* A loop whose condition is not known, ahead of a round; false: in host code. */
bool px_run_loop(cx_interp *in, const cx_node *n);

/* Stages are called `stage.N` until all of them are there: the number of that name. */
uint32_t px_stage_number(pm_string own);
/* There is a stage.output of the stage of that number in the pipeline's body. */
bool px_is_output(const pm_region *pipeline, uint32_t number);
/* Funcs, inputs, reads and outputs get the name that their number has in `names`. */
void px_rename_stages(pm_op *pipeline, pm_string *names);

/* For the classes of a library. */
#define PX_CLASSES                                                                                           \
  [PX_NUMBER - CV_LIBRARY] = {.describe = px_describe},                                                      \
               [PX_VECTOR - CV_LIBRARY] = {.what = "a vector", .is_list = true},                             \
               [PX_UNKNOWN - CV_LIBRARY] = {.what = "a number that the host computes of pixels"}
bool px_is_unknown(cv v);

#endif
