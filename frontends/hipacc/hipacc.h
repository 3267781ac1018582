/* Programs of HIPAcc: kernels as classes of C++, and the host code around them. Their language is that of
 * docs/hipacc.md. frontends/cxx evaluates the host code; each execution of a kernel becomes a stage, whose
 * body is what kernel() computes of numbers that are not known (Membarth et al., HIPAcc: A Domain-Specific
 * Language and Compiler for Image Processing, TPDS 27(1), 2016). */
#ifndef PM_FRONTENDS_HIPACC_H
#define PM_FRONTENDS_HIPACC_H

#include "frontends/pixel/pixel.h"

#include <isl/set.h>

enum { HP_MOST_PIXELS = 1 << 30, HP_MOST_WINDOW = 1 << 12, HP_MOST_STAGES = 5000 };

/* Kinds of values (cv). */
typedef enum hp_kind {
  HP_MEMORY = PX_LAST, /* own: hp_memory */
  HP_IMAGE,
  HP_PYRAMID,  /* own: hp_pyramid */
  HP_BOUNDARY, /* own: hp_accessor, whose image and rule count */
  HP_ACCESSOR,
  HP_SPACE,  /* own: hp_accessor, whose image and region count */
  HP_WINDOW, /* own: hp_window: a Mask or a Domain */
  HP_POINT,  /* own: hp_place, a point of a Domain that is set: dom(0, 0) = 0 */
  HP_KERNEL,
  HP_PLACE, /* own: hp_place: a pixel that kernel() reads or assigns to */
  HP_WORD,  /* text: an enumerator */
  HP_LAST
} hp_kind;

/* What an image has at a time: elements of a stage from `first` on, one for each lane. */
typedef struct hp_version {
  pm_string stage;            /* NULL: zeros */
  bool is_input;              /* lanes are the last dimension */
  unsigned first, n_elements; /* of the stage's tuple */
} hp_version;

/* A size or an offset, in pixels: an affine expression of what the call decides, interned and normalized. */
typedef pm_affine_expr hp_size;

typedef struct hp_image {
  pm_string name;
  pm_loc loc;
  pm_scalar type;
  unsigned lanes; /* 1 or 4 */
  hp_size width, height;
  const hp_version *now;
  const hp_version *given; /* of the last data(), or NULL */
} hp_image;

/* Memory of the host, whose numbers are not known. */
typedef struct hp_memory {
  hp_image *of;              /* data() of it; NULL: a file's, or new */
  const hp_version *version; /* with it */
  const hp_version *input;   /* what it is as an input, once it is one */
  pm_loc changed_at;         /* where the host has changed it; line 0: nowhere */
  /* Of bins and reduced values. */
  pm_string bins; /* the stage; NULL: it is no such */
  pm_scalar type;
  unsigned lanes;
  int64_t n; /* 0: one value, without a dimension */
  /* A loop of the host that computes each element of itself: a FOR, and how many; in its scope. NULL: none.
   */
  const cx_node *loop;
  cx_scope *scope;
  pm_affine_expr count;
} hp_memory;

typedef struct hp_rect {
  hp_size x, y, width, height;
} hp_rect;

typedef enum hp_rule { HP_NONE, HP_CLAMP, HP_MIRROR, HP_REPEAT, HP_CONSTANT } hp_rule;

typedef struct hp_accessor {
  hp_image *image;
  hp_rect region;
  hp_rule rule;
  cv constant;
  char interpolation; /* 0, N, L, C or 3 */
} hp_accessor;

typedef struct hp_window {
  bool is_mask;
  int64_t width, height;
  cv *values; /* of a mask; of a domain the points that count are not 0 */
} hp_window;

/* A window that a lambda is called for, and where it is. */
typedef struct hp_position {
  const hp_window *window;
  int64_t x, y; /* from its corner */
  const struct hp_position *outer;
} hp_position;

typedef struct hp_place {
  const hp_accessor *accessor; /* NULL: output() */
  cv dx, dy;
  bool at_pixel; /* pixel_at */
  bool is_bin;   /* number dx */
  hp_window *window;
  int64_t point; /* of a Domain */
} hp_place;

/* An execution of a kernel. */
typedef struct hp_output {
  const hp_accessor *accessor;
  cx_cell *cell;
} hp_output;

/* bin(index) = value, where `path` holds. */
typedef struct hp_binned {
  cv path, index, value;
} hp_binned;

typedef struct hp_run {
  const hp_accessor *space;
  px_body body;
  CX_VEC(hp_output) outputs; /* the first is that of the space */
  const hp_position *position;
  int64_t n_bins; /* of the method binning at work */
  CX_VEC(hp_binned) binned;
} hp_run;

typedef struct hp_kernel {
  cx_object *object;
  const hp_accessor *space;
  pm_scalar bin_type; /* the second argument of Kernel, else its first */
  unsigned bin_lanes;
  bool has_run;
} hp_kernel;

enum { HP_MOST_PYRAMIDS = 5 };

typedef struct hp_pyramid {
  unsigned depth, level; /* the present one */
  hp_image **levels;
} hp_pyramid;

typedef struct hp_traversal {
  hp_pyramid *pyramids[HP_MOST_PYRAMIDS];
  uint32_t n;
  unsigned depth, level;
  cv run;
  struct hp_traversal *outer;
} hp_traversal;

/* A stage or input, and what it is called after. */
typedef struct hp_stage {
  pm_op *op;
  pm_string name;
} hp_stage;

/* A macro or constant that is a parameter of the call: its name in the program, and in the pipeline. */
typedef struct hp_parameter {
  pm_string given, name;
} hp_parameter;

typedef struct hp_state {
  px_state px;
  pm_context *ctx;
  pm_module *module;
  pm_op *pipeline;
  pm_builder b; /* at its end */
  CX_VEC(hp_parameter) sizes;
  CX_VEC(pm_value *) values; /* of these */
  isl_set *context;          /* what the program demands of them */
  pm_op *host;               /* a func whose body has what host code computes of them and of reduced values */
  px_body host_body;
  hp_run *run; /* NULL: host code */
  CX_VEC(hp_image *) images;
  CX_VEC(hp_stage) stages;
  CX_VEC(hp_memory *) reduced;
  hp_traversal *traversal; /* at work, or NULL */
  const hp_memory *point;  /* whose elements are numbers of the pixel at work; or NULL */
  cv pixel;
} hp_state;

static inline hp_state *hp_state_of(const cx_interp *in) {
  return in->user;
}

static inline void hp_set_run(hp_state *s, hp_run *run) {
  s->run = run;
  s->px.body = run ? &run->body : &s->host_body;
}

/* The body that was built is whole; `outer` is built on, or host code goes on. */
static inline void hp_end_run(hp_state *s, hp_run *outer) {
  if (s->run) px_end_body(&s->run->body);
  hp_set_run(s, outer);
}

/* --- sizes.c --- */
hp_size hp_size_of(const hp_state *s, int64_t n);
/* The size is a number. */
bool hp_is_known(hp_size size, int64_t *n);
hp_size hp_plus(hp_size a, hp_size b);
hp_size hp_minus(hp_size a, hp_size b);
hp_size hp_times(hp_size a, int64_t n);
/* Rounds down; n > 0. */
hp_size hp_over(hp_size a, int64_t n);
/* The region that the image is. */
hp_rect hp_all_of(const hp_image *image);
/* A known number as the argument `what` of type int. False after a diagnostic. */
bool hp_to_int(cx_interp *in, pm_loc loc, cv v, int64_t *out, const char *what);
/* False after a diagnostic. */
bool hp_to_size(cx_interp *in, pm_loc loc, cv v, hp_size *out);
/* The expression may stand in a set or a map: no parameter is a factor of another. */
bool hp_is_affine(pm_affine_expr e);
/* In isl's notation, for sets and messages; interned. */
const char *hp_text(const hp_state *s, hp_size size);
/* "{ [i] : … }" with the parameters before it. */
pm_attr hp_set(const hp_state *s, const char *text);
/* "from <= dim < from + n" */
void hp_put_interval(const hp_state *s, pm_buf *out, const char *dim, hp_size from, hp_size n);
/* The points of the box, of the dims y and x and what `dims` (", c") and conditions `rest` (" and 0 <= c <
 * 4") add. */
pm_attr hp_box(const hp_state *s, hp_rect box, const char *dims, const char *rest);
/* Equal for all sizes that the program allows. */
bool hp_is_same(const hp_state *s, hp_size a, hp_size b);
bool hp_is_same_region(const hp_state *s, hp_rect a, hp_rect b);
bool hp_is_same_size(const hp_state *s, hp_rect a, hp_rect b);
/* The call is only for sizes for which this is at least 0; false: there are none. */
bool hp_require(hp_state *s, hp_size at_least_zero);
/* As floats the numbers up to the size are exact. */
bool hp_require_exact(hp_state *s, hp_size size);
/* Parameters for what is given without a value, ahead of all stages. */
void hp_begin_sizes(cx_interp *in, const cx_given *given, size_t n);
bool hp_find_parameter(cx_interp *in, pm_string name, cv *out);
/* Gives the pipeline its context, and the parameters as estimates what the program has in place of them;
 * once.
 */
void hp_end_sizes(hp_state *s, const cx_given *given, size_t n);
/* In host code: this happens in every call; else a diagnostic. */
bool hp_is_reached(cx_interp *in, pm_loc loc);

/* --- images.c --- */
bool hp_is_type(pm_string name);
const cx_node *hp_meant(cx_interp *in, const cx_node *type);
bool hp_construct(const cx_making *m, cv *out);
bool hp_convert_value(cx_interp *in, pm_loc loc, const cx_node *type, cv v, cv *out);
void hp_assign_image(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right);
void hp_assign_accessor(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right);
bool hp_new_array(cx_interp *in, pm_loc loc, const cx_node *type, cv n, cv *out);
extern const cx_row hp_functions[];
const cx_row *hp_methods(unsigned kind);
void hp_assign_point(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right);

/* --- pyramids.c --- */
cv hp_make_pyramid(const cx_making *m);
cv hp_call_pyramid(const cx_call *c);
cv hp_traverse(const cx_call *c);
extern const cx_row hp_pyramid_rows[];

/* --- host.c --- */
bool hp_passes_over(cx_interp *in, const cx_node *n, const cx_arguments *args, cv *result);
/* What the loop of the memory, `user`, makes of an element. */
cv hp_compute_element(cx_interp *in, pm_loc loc, void *user, cv pixel);
cv hp_index_memory(cx_interp *in, pm_loc loc, cv self, cv index);

/* --- kernels.c --- */
/* A version that is an input of the program, which is named after the image. */
const hp_version *hp_new_input(cx_interp *in, const hp_image *image);
cv hp_execute(const cx_call *c);
/* A stage of all pixels of the image: of each it is what `compute` makes of the version; NULL after a
 * diagnostic. */
const hp_version *hp_point_stage(cx_interp *in, pm_loc loc, const hp_image *image, const hp_version *from,
                                 cv (*compute)(cx_interp *in, pm_loc loc, void *user, cv pixel), void *user);
cv hp_call_accessor(const cx_call *c);
cv hp_load_place(cx_interp *in, cv self);
void hp_assign_place(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right);
cv hp_call_window(const cx_call *c);
cv hp_reduce(const cx_call *c);
/* With a diagnostic. */
bool hp_captures_by_copy(cx_interp *in, cv lambda);
/* The pixel at a row and a column of the region, by its rule, or clamped. */
cv hp_read_region(cx_interp *in, pm_loc loc, const hp_accessor *a, cv row, cv column, bool clamps);
/* x() or y(). */
cv hp_position_in(cx_interp *in, bool is_x);
extern const cx_row hp_kernel_rows[], hp_accessor_rows[], hp_window_rows[];
/* The name of a new stage, as other ops know it until all have their names. */
pm_string hp_new_stage(cx_interp *in, pm_string name);
/* The pixel of the space, and one at known coordinates. */
cv hp_own_pixel(cx_interp *in, pm_loc loc, const hp_accessor *space);
cv hp_pixel(cx_interp *in, pm_loc loc, const hp_image *image, hp_size x, hp_size y);

/* --- reductions.c --- */
cv hp_reduced_data(const cx_call *c);
cv hp_binned_data(const cx_call *c);
cv hp_bin(const cx_call *c);
cv hp_num_bins(const cx_call *c);
void hp_assign_bin(cx_interp *in, pm_loc loc, const hp_place *place, cx_op op, cv right);

bool hp_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out);
/* The bins as a version of the image, which has as many pixels; NULL after a diagnostic. */
const hp_version *hp_bins_as_image(cx_interp *in, pm_loc loc, hp_memory *bins, const hp_image *image);

/* --- loops.c --- */
extern const px_loops hp_loops;

/* --- interpolate.c --- */
/* The pixel of an accessor whose region has another size than the space. */
cv hp_interpolate(cx_interp *in, pm_loc loc, const hp_accessor *a, cv dx, cv dy);

extern const cx_library hipacc_library;

#endif
