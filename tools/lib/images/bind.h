/* From files to the arguments of a call: which picture is which input, layouts and types, sizes. */
#ifndef PM_TOOLS_IMAGES_BIND_H
#define PM_TOOLS_IMAGES_BIND_H

#include "tools/lib/images/picture.h"
#include "tools/lib/images/sizes.h"

typedef struct pm_bind_options {
  pm_named_list params, inputs;
  pm_named_list raws; /* layouts of inputs whose files are raw */
  pm_picture_options picture;
  bool random; /* inputs without a file have random numbers, and sizes that nothing determines are chosen */
  uint64_t seed;
  pm_size_choice choice;
} pm_bind_options;

/* What a call reads. */
typedef struct pm_arguments {
  pm_params params;
  pm_array *inputs;
  size_t n_inputs;
} pm_arguments;

/* Reads the inputs' files, finds the params, and makes up what is to be random. */
bool pm_bind(pm_op *callable, const stage_signature *sig, const pm_bind_options *options, pm_arguments *out,
             pm_buf *error) PM_MUST_USE;
void pm_arguments_free(pm_arguments *args);
/* Zeroed arrays of the outputs' sizes for those params. */
bool pm_new_outputs(pm_op *callable, const stage_signature *sig, const pm_params *params, pm_array **out,
                    pm_buf *error) PM_MUST_USE;
void pm_arrays_free(pm_array *arrays, size_t n);

/* The entry of an input or output, NULL without one. */
const pm_named *pm_named_entry(const pm_named_list *list, pm_string name);
/* The file named for an input or output (`list` is one of the options' lists), NULL without one. */
const char *pm_named_file(const pm_named_list *list, pm_string name);
/* The position of the argument of that name; false with a message that names those there are. `flag` is
 * "--in", `kind` "input". */
bool pm_find_arg(const char *flag, const char *name, const char *kind, const stage_arg *args, size_t n,
                 size_t *position, pm_buf *error) PM_MUST_USE;
/* An entry `r,g,b=FILE` becomes three, of one channel each. The texts are split in place. */
void pm_split_channels(pm_named_list *list);
/* Gives the entries without a name the only name there is, and refuses unknown and repeated ones. `flag` and
 * `kind` as above. */
bool pm_resolve_names(pm_named_list *list, const char *flag, const char *kind, const stage_arg *args,
                      size_t n, pm_buf *error) PM_MUST_USE;

#endif
