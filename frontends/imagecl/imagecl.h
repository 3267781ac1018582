/* ImageCL: kernels in C with Images and pragmas (Falch and Elster, ImageCL: An image processing language for
 * performance portability on heterogeneous systems, HPCS 2016). docs/imagecl.md has what of it is read.
 * frontends/cxx runs the body of a kernel once for each of its outputs, with numbers that differ from pixel
 * to pixel (frontends/pixel). All memory is of the arena of the evaluation. */
#ifndef PM_FRONTENDS_IMAGECL_H
#define PM_FRONTENDS_IMAGECL_H

#include "frontends/kit/kit.h"
#include "frontends/pixel/pixel.h"

enum { IC_MOST_DIMS = 4, IC_MOST_PIXELS = 1 << 30, IC_MOST_STEPS = 1000000 };

/* Kinds of values (cv). */
typedef enum ic_kind {
  IC_ARRAY = PX_LAST, /* own: ic_element without indices: an Image or an array */
  IC_ROW,             /* own: ic_element with some indices, not all */
  IC_ELEMENT,         /* own: ic_element */
  IC_LAST
} ic_kind;

/* A word of a pragma: `name`, or `name:value`. */
typedef struct ic_word {
  pm_string name, value; /* value: or NULL */
  pm_loc loc, value_loc;
} ic_word;

typedef struct ic_pragma {
  pm_loc loc; /* of the option's name */
  pm_string option;
  CX_VEC(ic_word) words;
} ic_pragma;

/* The size of Images, which several may share: the root of `same` counts. */
typedef struct ic_size {
  struct ic_size *same;
  unsigned number; /* in their order: the first one of those that are equal is the root */
  pm_string of;    /* the Image that parameters are named after */
  bool is_constant, is_declared;
  int64_t n[2];        /* width and height, where they are constant */
  pm_string params[2]; /* else their parameters */
  pm_loc loc;
} ic_size;

typedef enum ic_rule { IC_CONSTANT, IC_CLAMPED } ic_rule;

/* An Image or an array: one for each name of the program. */
typedef struct ic_array {
  pm_string name;
  pm_loc loc;
  bool is_image;
  pm_scalar type;
  ic_size *size;                 /* of an Image */
  unsigned n_dims;               /* 2 of an Image */
  int64_t extents[IC_MOST_DIMS]; /* of an array; 0: the first one is not known */
  pm_string length;              /* its parameter then */
  bool is_used;                  /* a body has its name */
  bool is_declared;              /* its parameters and the input are there */
  pm_string now;                 /* the stage or input that has its values */
  bool is_stage;                 /* a kernel has written `now` */
} ic_array;

typedef struct ic_scalar {
  pm_string name;
  pm_scalar type;
  pm_loc loc;
  pm_value *value; /* of the stage.param */
} ic_scalar;

typedef struct ic_parameter {
  const cx_node *node;
  ic_array *array;   /* NULL: a scalar */
  ic_scalar *scalar; /* NULL: an array */
  ic_rule rule;
  bool has_rule;
  bool is_written;   /* at the point's own pixel */
  bool is_scattered; /* elsewhere */
} ic_parameter;

typedef struct ic_kernel {
  const cx_node *node; /* FUNCTION */
  ic_size *grid;
  CX_VEC(ic_parameter) params;
} ic_kernel;

/* An element, with the first of its indices: those of an Image are the column and then the row. */
typedef struct ic_element {
  const ic_parameter *of;
  pm_loc loc;
  unsigned n;
  cv indices[IC_MOST_DIMS];
} ic_element;

typedef struct ic_output {
  ic_array *array;
  cx_cell *cell;
} ic_output;

/* A write that is not to the point's own pixel, where `path` holds. */
typedef struct ic_write {
  const ic_element *element;
  pm_loc loc;
  cx_op op; /* NONE: an assignment */
  cv path, value;
} ic_write;

/* A run of a kernel's body, in the body of a stage. */
typedef struct ic_run {
  const ic_kernel *kernel;
  px_body body;
  CX_VEC(ic_output) outputs;
  CX_VEC(ic_write) writes;
} ic_run;

/* A stage or input, and what it is called after; at the end its name. */
typedef struct ic_stage {
  pm_op *op; /* NULL: nothing needs it */
  pm_string name;
  const ic_kernel *kernel; /* of an Image that it writes at the point's own pixel; else NULL */
} ic_stage;

/* Of a tuner: points of a work-group and of each work-item. All are 0 where there is none. */
typedef enum ic_config_size { IC_LOCAL_X, IC_LOCAL_Y, IC_EACH_X, IC_EACH_Y, IC_SIZES } ic_config_size;
typedef struct ic_config {
  pm_loc loc;
  int64_t sizes[IC_SIZES];
} ic_config;

typedef struct ic_state {
  px_state px;
  kit kit;
  kit_names names;
  pm_context *ctx;
  pm_module *module;
  pm_op *pipeline;
  pm_builder b; /* at its end */
  ic_run *run;  /* NULL: no kernel runs */
  ic_rule rule; /* of Images that no pragma names */
  pm_scalar pixel;
  CX_VEC(ic_pragma) pragmas;
  CX_VEC(ic_kernel *) kernels;
  CX_VEC(ic_array *) arrays;
  CX_VEC(ic_scalar *) scalars;
  CX_VEC(ic_stage) stages;
  unsigned n_sizes;
  ic_config config;
  bool has_groups; /* the target has work-groups */
} ic_state;

static inline ic_state *ic_state_of(const cx_interp *in) {
  return in->user;
}

/* --- pragmas.c --- */
/* `imcl …` and `clite …`; others are ignored. */
void ic_run_pragma(cx_interp *in, pm_loc loc, pm_str text);
/* "float", "uchar": false for what is no type of numbers. */
bool ic_scalar_of(cx_interp *in, pm_string name, pm_scalar *out);
/* "clamped" or "constant". */
bool ic_rule_of(const char *word, ic_rule *out);
/* Does what the pragmas before the kernel say; those behind line `after` count. False after a diagnostic. */
bool ic_apply_pragmas(cx_interp *in, ic_kernel *kernel, uint32_t after);
/* The type of a plain Image's pixels. */
pm_scalar ic_pixel_type(cx_interp *in, const cx_node *kernel, uint32_t after, pm_string image);

/* --- parameters.c --- */
ic_size *ic_new_size(cx_interp *in, pm_string of, pm_loc loc);
ic_size *ic_size_of(ic_size *size);
/* False after a diagnostic: they are two constants. */
bool ic_join_sizes(cx_interp *in, pm_loc loc, ic_size *a, ic_size *b);
ic_parameter *ic_find_parameter(const ic_kernel *kernel, pm_string name);
/* The kernels of the program that has run; false after a diagnostic. */
bool ic_find_kernels(cx_interp *in, pm_loc loc);
/* The elements of an array. */
pm_attr ic_domain_of(cx_interp *in, const ic_array *a, kit_dims *dims);
/* The pipeline with its parameters and inputs; false after a diagnostic. */
bool ic_begin_pipeline(cx_interp *in, pm_loc loc, const char *name, const char *fp);

/* --- elements.c --- */
cv ic_index(cx_interp *in, pm_loc loc, cv self, cv index);
cv ic_load(cx_interp *in, cv self);
void ic_assign(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right);
const char *ic_describe(cv self);
bool ic_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out);
bool ic_to_scalar(cx_interp *in, pm_loc loc, pm_scalar type, cv v, cv *out);
/* The array has so many indices, which is an error. */
cv ic_say_indices(cx_interp *in, pm_loc loc, const ic_array *a, unsigned n);
/* Dimension d of the memory as an affine expression of the operands, *n so far; NULL after a diagnostic. */
pm_affine_expr ic_put_index(cx_interp *in, const ic_element *e, unsigned d, pm_value **operands, unsigned *n);

/* --- stages.c --- */
/* "stage.7", until all have their names. */
pm_string ic_new_stage(cx_interp *in, pm_string name);
/* The stages of the kernels in their order, and the outputs; false after a diagnostic. */
bool ic_build_kernels(cx_interp *in, pm_loc loc);
/* --- scatter.c --- */
/* A stage of an array that is written elsewhere than at the point's own pixel: NULL after a diagnostic. */
pm_op *ic_build_scattered(cx_interp *in, const ic_kernel *k, const ic_parameter *p, pm_string name);
/* Runs the body of the kernel at the points of `region`, whose arguments are y and x: the run, which is the
 * one at work until the next one or ic_end_run; NULL after a diagnostic. */
ic_run *ic_run_body(cx_interp *in, const ic_kernel *k, pm_region *region);
/* The points of the grid; as conditions of the first two dimensions of a set. */
pm_attr ic_grid_set(cx_interp *in, const ic_kernel *k, kit_dims *dims);
void ic_put_grid(const ic_kernel *k, const kit_dims *dims, pm_buf *text);
void ic_set_run(ic_state *s, ic_run *run);
/* Goes back to the run around the one at work, or to NULL. */
void ic_end_run(ic_state *s, ic_run *outer);
/* Erases what nothing uses. */
void ic_drop_unused(pm_region *body);

/* --- loops.c --- */
extern const px_loops ic_loops;

/* --- config.c --- */
/* False after a diagnostic. */
bool ic_read_config(cx_interp *in, pm_loc loc, const char *path);
/* Once all stages have their names. */
void ic_demand_tiles(cx_interp *in);

/* --- functions.c --- */
bool ic_is_type(pm_string name);
const cx_node *ic_meant(cx_interp *in, const cx_node *type);
cx_handler ic_math(const cx_interp *in, pm_string name);

extern const cx_library imagecl_library;

#endif
