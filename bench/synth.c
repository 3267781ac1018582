/* synth: the synthetic pictures that the check values of the benchmark pipelines belong to.
 *
 *   hash(c,x,y): h = x*73856093 ^ y*19349663 ^ c*83492791; h ^= h>>13; h *= 0x5bd1e995; h ^= h>>15
 *   pix(c,x,y) = (((x + 2y + 64c) >> 3) + (hash & 31)) & 255
 *
 * in 32 bits; x is the row, y the column.
 */
#include "tools/lib/images/image_format.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "synth"

typedef struct synth_options {
  bool zero; /* kind */
  pm_scalar scalar;
  int64_t channel, planes, rows, cols, ring; /* planes 0: rank 2 */
  bool scale255;
  const char *output;
} synth_options;

enum { OPT_KIND = 0x100, OPT_CHANNEL, OPT_PLANES, OPT_ROWS, OPT_COLS, OPT_TYPE, OPT_SCALE255, OPT_RING };

static const struct argp_option option_rows[] = {
    {"kind", OPT_KIND, "pix|zero", 0, "the picture (default: pix)", 0},
    {"channel", OPT_CHANNEL, "C", 0, "the first channel (default: 0)", 0},
    {"planes", OPT_PLANES, "N", 0, "N channels, [N][rows][cols] in a .npy, interleaved in others", 0},
    {"rows", OPT_ROWS, "R", 0, "", 0},
    {"cols", OPT_COLS, "C", 0, "", 0},
    {"type", OPT_TYPE, "u8|u16|f32|f64", 0, "(default: u8)", 0},
    {"scale255", OPT_SCALE255, 0, 0, "floats are divided by 255", 0},
    {"ring", OPT_RING, "N", 0, "N zeros around the rows x cols elements of every channel", 0},
    {"output", 'o', "FILE", 0, ".npy, .pgm, .png, .pfm …", 0},
    {0}};

static pm_scalar parse_type(const char *arg, struct argp_state *state) {
  static const pm_scalar scalars[] = {PM_U8, PM_U16, PM_F32, PM_F64};
  for (size_t i = 0; i < PM_COUNT(scalars); i++)
    if (strcmp(arg, pm_get_scalar_info(scalars[i])->name) == 0) return scalars[i];
  argp_error(state, "--type is '%s', but must be u8, u16, f32 or f64", arg);
  return PM_U8;
}

static int64_t parse_count(const char *arg, struct argp_state *state) {
  char *end;
  long long value = strtoll(arg, &end, 10);
  if (end == arg || *end || value < 0 || value > INT32_MAX) argp_error(state, "'%s' is no count", arg);
  return value;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  synth_options *o = state->input;
  switch (key) {
  case OPT_KIND:
    o->zero = strcmp(arg, "zero") == 0;
    if (!o->zero && strcmp(arg, "pix") != 0)
      argp_error(state, "--kind is '%s', but must be pix or zero", arg);
    break;
  case OPT_CHANNEL:
    o->channel = parse_count(arg, state);
    break;
  case OPT_PLANES:
    o->planes = parse_count(arg, state);
    break;
  case OPT_ROWS:
    o->rows = parse_count(arg, state);
    break;
  case OPT_COLS:
    o->cols = parse_count(arg, state);
    break;
  case OPT_TYPE:
    o->scalar = parse_type(arg, state);
    break;
  case OPT_SCALE255:
    o->scale255 = true;
    break;
  case OPT_RING:
    o->ring = parse_count(arg, state);
    break;
  case 'o':
    o->output = arg;
    break;
  case ARGP_KEY_END:
    if (!o->output || o->rows < 0 || o->cols < 0) argp_error(state, "--rows, --cols and -o are needed");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp synth_argp = {option_rows, parse_option, 0, "Write a synthetic picture.", 0, 0, 0};

static uint32_t pix(uint32_t c, uint32_t x, uint32_t y) {
  uint32_t h = x * 73856093u ^ y * 19349663u ^ c * 83492791u;
  h ^= h >> 13;
  h *= 0x5bd1e995u;
  h ^= h >> 15;
  return (((x + 2 * y + 64 * c) >> 3) + (h & 31)) & 255;
}

static void put_element(pm_array *array, int64_t at, uint32_t value, bool scale) {
  switch (array->scalar) {
  case PM_U8:
    ((uint8_t *)array->data)[at] = (uint8_t)value;
    break;
  case PM_U16:
    ((uint16_t *)array->data)[at] = (uint16_t)value;
    break;
  case PM_F32:
    ((float *)array->data)[at] = scale ? (float)value / 255.0f : (float)value;
    break;
  default:
    ((double *)array->data)[at] = scale ? (double)value / 255.0 : (double)value;
  }
}

static void fill_plane(const synth_options *o, pm_array *array, int64_t plane) {
  int64_t rows = o->rows + 2 * o->ring, cols = o->cols + 2 * o->ring;
  for (int64_t x = 0; x < o->rows; x++)
    for (int64_t y = 0; y < o->cols; y++)
      put_element(array, (plane * rows + x + o->ring) * cols + y + o->ring,
                  pix((uint32_t)(o->channel + plane), (uint32_t)x, (uint32_t)y), o->scale255);
}

static bool make(const synth_options *o, pm_array *array, pm_buf *error) {
  int64_t rows = o->rows + 2 * o->ring, cols = o->cols + 2 * o->ring;
  *array = (pm_array){.scalar = o->scalar, .rank = 2, .extents = {rows, cols}};
  if (o->planes) *array = (pm_array){.scalar = o->scalar, .rank = 3, .extents = {o->planes, rows, cols}};
  if (!pm_array_allocate(array, error)) return false;
  for (int64_t plane = 0; !o->zero && plane < (o->planes ? o->planes : 1); plane++)
    fill_plane(o, array, plane);
  return true;
}

static bool write_picture(const synth_options *o, const pm_array *array, pm_buf *error) {
  pm_array interleaved;
  const pm_image_format *format = pm_image_format_of(o->output);
  if (array->rank == 2 || (format && format->content == PM_IMAGE_NUMBERS))
    return pm_image_write(o->output, array, error);
  if (!pm_to_interleaved(array, &interleaved, error)) return false;
  bool ok = pm_image_write(o->output, &interleaved, error);
  pm_array_release(&interleaved);
  return ok;
}

int main(int argc, char **argv) {
  synth_options options = {.scalar = PM_U8, .rows = -1, .cols = -1};
  pm_array array = {0};
  pm_buf error = {0};
  argp_err_exit_status = PM_EXIT_USAGE;
  argp_parse(&synth_argp, argc, argv, 0, NULL, &options);
  bool ok = make(&options, &array, &error) && write_picture(&options, &array, &error);
  pm_array_release(&array);
  if (!ok) pm_print_error(TOOL, &error);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
