#include "tools/lib/driver/call_options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPT_IN = 0x400,
  OPT_PARAM,
  OPT_PAD,
  OPT_PICTURE_LIMIT,
  OPT_GRAY,
  OPT_RGB,
  OPT_RGBA,
  OPT_BGR,
  OPT_SCALE_IN,
  OPT_RAW,
  OPT_RANDOM,
  OPT_THREADS,
  OPT_PROGRESS
};

static const struct argp_option option_rows[] = {
    {0, 0, 0, 0, "Arguments of the pipeline:", -3},
    {"in", OPT_IN, "NAME=FILE", 0,
     "an input: PNG, PNM, PFM, TIFF, JPEG, OpenEXR, NPY, or text of numbers (.txt .csv); NAME= may be left "
     "out if "
     "there is "
     "one, r,g,b=FILE gives three inputs a channel each",
     -3},
    {"raw", OPT_RAW, "NAME=ROWSxCOLS:TYPE", 0,
     "the file of an input is raw samples, as 1968x2592:u16; u16be has the high byte first, +N skips a "
     "header",
     -3},
    {"param", OPT_PARAM, "NAME=VALUE", 0, "a scalar; sizes are found from the inputs", -3},
    {"gray", OPT_GRAY, 0, 0, "colour pictures become gray where gray is wanted: .299 R + .587 G + .114 B",
     -3},
    {"rgb", OPT_RGB, 0, 0,
     "gray pictures become three equal channels where three are wanted; alpha is dropped", -3},
    {"rgba", OPT_RGBA, 0, 0, "pictures get an opaque alpha channel where four are wanted", -3},
    {"bgr", OPT_BGR, 0, 0, "the program has blue first, in inputs and outputs", -3},
    {"scale-in", OPT_SCALE_IN, "unit|none|full|NUMBER", 0,
     "samples of pictures: 'unit' to 0..1 in floats (default), 'none' as they are, 'full' to the whole range "
     "of integers, too, or a number, which is 1",
     -3},
    {"pad", OPT_PAD, "zero=N|edge=N|mirror=N", 0, "a ring of N elements around every input picture", -3},
    {"picture-limit", OPT_PICTURE_LIMIT, "MB", 0,
     "memory that a compressed picture may take, if that is more than 64 times its file (default: 256)", -3},
    {"random", OPT_RANDOM, "SEED", OPTION_ARG_OPTIONAL,
     "inputs without --in have random numbers, and sizes that nothing determines are chosen", -3},
    {"threads", OPT_THREADS, "N", 0, "threads that a call may use", -2},
    {"progress", OPT_PROGRESS, "auto|always|never", 0,
     "a line about long work on stderr: when that is a terminal (auto), always, never", -2},
    {0}};

/* --- values --- */

void pm_argp_named(pm_named_list *list, char *arg, bool needs_name, const char *flag, const char *form,
                   struct argp_state *state) {
  char *equals = strchr(arg, '=');
  if ((needs_name && !equals) || equals == arg || (equals && !equals[1]) || !*arg)
    argp_error(state, "%s '%s' is not %s", flag, arg, form);
  if (equals) *equals = 0;
  PM_VEC_PUSH(*list, ((pm_named){.name = equals ? arg : NULL, .value = equals ? equals + 1 : arg}));
}

long pm_argp_count(const char *text, long min, long max, const char *flag, struct argp_state *state) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end || errno == ERANGE || value < min || value > max)
    argp_error(state, "%s is '%s', but must be an integer in %ld..%ld", flag, text, min, max);
  return value;
}

unsigned pm_argp_word(const char *arg, const char *const *words, unsigned n, const char *option,
                      struct argp_state *state) {
  pm_buf all = {0};
  for (unsigned i = 0; i < n; i++) {
    if (strcmp(arg, words[i]) == 0) {
      pm_buf_free(&all);
      return i;
    }
    pm_buf_printf(&all, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", words[i]);
  }
  argp_error(state, "%s is '%s', but must be %s", option, arg, all.data);
  return 0;
}

unsigned pm_argp_scale(const char *arg, const char *const *words, unsigned n, double *white,
                       const char *option, struct argp_state *state) {
  pm_buf all = {0};
  char *end;
  *white = strtod(arg, &end);
  if (end != arg && !*end && *white > 0 && isfinite(*white)) return n;
  for (unsigned i = 0; i < n; i++) {
    if (strcmp(arg, words[i]) == 0) {
      pm_buf_free(&all);
      return i;
    }
    pm_buf_printf(&all, "%s, ", words[i]);
  }
  argp_error(state, "%s is '%s', but must be %sor a number above 0", option, arg, all.data);
  return 0;
}

static void parse_pad(pm_picture_options *picture, const char *arg, struct argp_state *state) {
  static const char *const modes[] = {
      [PM_PAD_ZERO] = "zero", [PM_PAD_EDGE] = "edge", [PM_PAD_MIRROR] = "mirror"};
  const char *equals = strchr(arg, '=');
  for (size_t i = 0; equals && i < PM_COUNT(modes); i++) {
    if (!pm_str_is((pm_str){arg, (size_t)(equals - arg)}, modes[i])) continue;
    picture->pad = (pm_pad_mode)i;
    picture->pad_width = pm_argp_count(equals + 1, 0, INT32_MAX, "--pad", state);
    return;
  }
  argp_error(state, "--pad is '%s', but must be zero=N, edge=N or mirror=N", arg);
}

static pm_scale_in parse_scale_in(const char *arg, struct argp_state *state) {
  static const char *const words[] = {
      [PM_SCALE_IN_UNIT] = "unit", [PM_SCALE_IN_NONE] = "none", [PM_SCALE_IN_FULL] = "full"};
  pm_scale_in scale;
  scale.kind =
      (pm_scale_in_kind)pm_argp_scale(arg, words, PM_SCALE_IN_WHITE, &scale.white, "--scale-in", state);
  return scale;
}

static pm_progress_mode parse_progress(const char *arg, struct argp_state *state) {
  static const char *const words[] = {
      [PM_PROGRESS_AUTO] = "auto", [PM_PROGRESS_ALWAYS] = "always", [PM_PROGRESS_NEVER] = "never"};
  return (pm_progress_mode)pm_argp_word(arg, words, PM_COUNT(words), "--progress", state);
}

/* --- the target --- */

/* The first target that can open programs, and compiles them in this process or not; NULL: there is none. */
static const pm_target *first_target(const pm_context *ctx, bool in_process) {
  for (size_t i = 0; i < pm_target_count(ctx); i++) {
    const pm_target *target = pm_target_at(ctx, i);
    bool is_there = !target->is_there || target->is_there();
    if (target->open && target->in_process == in_process && is_there) return target;
  }
  return NULL;
}

void pm_choose_run_target(pm_driver_options *o, struct argp_state *state) {
  bool compiler = o->cc || o->cflags;
  if (!o->target && !compiler) o->target = first_target(o->ctx, true);
  if (!o->target) o->target = first_target(o->ctx, false);
  if (!o->target) argp_error(state, "there is no target that can run programs in this process");
  if (!o->target->open)
    argp_error(state, "--target is '%s', which emits text, but cannot run it in this process",
               o->target->name);
}

void pm_check_threads(const pm_call_options *o, const pm_target *target, struct argp_state *state) {
  if (o->threads && !(target->has & PM_TARGET_THREADS))
    argp_error(state, "--threads is %d, but the target '%s' has no threads", o->threads, target->name);
}

/* --- parsing --- */

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  pm_call_options *o = state->input;
  switch (key) {
  case OPT_IN:
    pm_argp_named(&o->bind.inputs, arg, false, "--in", "NAME=FILE", state);
    break;
  case OPT_PARAM:
    pm_argp_named(&o->bind.params, arg, true, "--param", "NAME=VALUE", state);
    break;
  case OPT_GRAY:
    o->bind.picture.channels = PM_CHANNELS_GRAY;
    break;
  case OPT_RGB:
    o->bind.picture.channels = PM_CHANNELS_RGB;
    break;
  case OPT_RGBA:
    o->bind.picture.channels = PM_CHANNELS_RGBA;
    break;
  case OPT_BGR:
    o->bind.picture.bgr = true;
    break;
  case OPT_SCALE_IN:
    o->bind.picture.scale = parse_scale_in(arg, state);
    break;
  case OPT_RAW:
    pm_argp_named(&o->bind.raws, arg, false, "--raw", "NAME=LAYOUT", state);
    break;
  case OPT_PAD:
    parse_pad(&o->bind.picture, arg, state);
    break;
  case OPT_PICTURE_LIMIT:
    o->bind.picture.limit_mb = pm_argp_count(arg, 1, 1 << 30, "--picture-limit", state);
    break;
  case OPT_PROGRESS:
    o->progress = parse_progress(arg, state);
    break;
  case OPT_RANDOM:
    o->bind.random = true;
    o->bind.seed = arg ? (uint64_t)pm_argp_count(arg, 0, LONG_MAX, "--random", state) : 0;
    break;
  case OPT_THREADS:
    o->threads = (int)pm_argp_count(arg, 1, 4096, "--threads", state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

const struct argp pm_call_argp = {option_rows, parse_option, 0, 0, 0, 0, 0};

void pm_call_options_free(pm_call_options *options) {
  PM_VEC_FREE(options->bind.params);
  PM_VEC_FREE(options->bind.inputs);
  PM_VEC_FREE(options->bind.raws);
}
