/* What a tuner has chosen, in a file of lines NAME:VALUE: the tiles of each kernel, and groups of work-items.
 */
#include "dialects/poly/poly.h"
#include "frontends/imagecl/imagecl.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1 << 12 };

static bool wrong(cx_interp *in, pm_loc loc, const char *name, const char *value) {
  return pm_error(in->ctx, loc, "%s is '%s', it should be a number from 1 to %d", name, value, MOST_POINTS);
}

static void ignore(cx_interp *in, pm_loc loc, const char *name, const char *why) {
  pm_remark(in->ctx, loc, PM_REMARK_MISSED, "imagecl", NULL, 0, "%s is not followed: %s", name, why);
}

/* LOOP and the number of a line. */
static bool is_loop(const char *name) {
  return strncmp(name, "LOOP", 4) == 0 && name[4] && strspn(name + 4, "0123456789") == strlen(name + 4);
}

static bool take_line(cx_interp *in, pm_loc loc, const char *name, const char *value) {
  static const char *const sizes[] = {"LOCAL_SIZE_X", "LOCAL_SIZE_Y", "ELEMENTS_PER_THREAD_X",
                                      "ELEMENTS_PER_THREAD_Y"};
  static const char *const depths[] = {"LOCAL_SIZE_Z", "ELEMENTS_PER_THREAD_Z"};
  static const char *const memories[][2] = {
      {"IMAGE_MEMORY", "there are no images of OpenCL here"},
      {"LOCAL_MEMORY", "the target decides what a group loads first"},
      {"CONSTANT_MEMORY", "arrays of known numbers are constants anyway"}};
  ic_config *c = &ic_state_of(in)->config;
  char *end;
  long n = strtol(value, &end, 10);
  bool is_number = *value && !*end && n >= 1 && n <= MOST_POINTS;
  for (size_t i = 0; i < PM_COUNT(sizes); i++) {
    if (strcmp(sizes[i], name) != 0) continue;
    if (!is_number) return wrong(in, loc, name, value);
    c->sizes[i] = n;
    return true;
  }
  for (size_t i = 0; i < PM_COUNT(depths); i++)
    if (strcmp(depths[i], name) == 0)
      return is_number && n == 1
                 ? true
                 : pm_error(in->ctx, loc, "%s is '%s', it should be 1: a grid has two dimensions", name,
                            value);
  for (size_t i = 0; i < PM_COUNT(memories); i++) {
    if (strcmp(memories[i][0], name) != 0) continue;
    if (*value) ignore(in, loc, name, memories[i][1]);
    return true;
  }
  if (strcmp(name, "INTERLEAVED") == 0) {
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
      return pm_error(in->ctx, loc, "INTERLEAVED is '%s', it should be 0 or 1", value);
    if (*value == '0') ignore(in, loc, name, "adjacent points are those of adjacent work-items");
    return true;
  }
  if (is_loop(name)) return true; /* loops of known bounds are unrolled */
  return pm_error(in->ctx, loc, "'%s' is no parameter of a tuner, as LOCAL_SIZE_X is", name);
}

/* Cuts blanks off both ends. */
static char *trimmed(char *text) {
  size_t n;
  text += strspn(text, " \t\r");
  for (n = strlen(text); n > 0 && strchr(" \t\r", text[n - 1]); n--) text[n - 1] = '\0';
  return text;
}

static bool take_lines(cx_interp *in, char *text, uint16_t file) {
  uint32_t number = 0;
  for (char *line = text, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    pm_loc loc = {++number, 1, file};
    char *colon = strchr(line, ':');
    if (colon) *colon++ = '\0';
    if (!colon && *trimmed(line)) return pm_error(in->ctx, loc, "the line should be NAME:VALUE");
    if (colon && !take_line(in, loc, trimmed(line), trimmed(colon))) return false;
  }
  return true;
}

bool ic_read_config(cx_interp *in, pm_loc loc, const char *path) {
  size_t len;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!text) return pm_error(in->ctx, loc, "--config: the file '%s' cannot be read", path);
  ic_config *c = &ic_state_of(in)->config;
  for (unsigned i = 0; i < IC_SIZES; i++) c->sizes[i] = 1;
  c->loc = (pm_loc){1, 1, pm_add_source(in->ctx, path, text, len)};
  bool ok = take_lines(in, text, c->loc.file);
  free(text);
  return ok;
}

/* The stages over the grid that one kernel has: a group computes a tile of them. */
static void demand_kernel(cx_interp *in, const ic_kernel *k) {
  ic_state *s = ic_state_of(in);
  const int64_t *n = s->config.sizes;
  const int64_t tile[] = {n[IC_LOCAL_Y] * n[IC_EACH_Y], n[IC_LOCAL_X] * n[IC_EACH_X]};
  const int64_t items[] = {n[IC_LOCAL_Y], n[IC_LOCAL_X]};
  CX_VEC(pm_string) stages = {0};
  for (uint32_t i = 0; i < s->stages.len; i++)
    if (s->stages.data[i].op && s->stages.data[i].kernel == k)
      CX_PUSH(in->arena, stages, s->stages.data[i].name);
  if (!stages.len) return;
  s->b.loc = s->config.loc;
  pm_op *demand = poly_add_demand(&s->b, "together", stages.data, stages.len, tile, 2, NULL, 0);
  if (s->has_groups) pm_set_attr(demand, poly_demand_items, pm_get_index_array(in->ctx, items, 2));
}

void ic_demand_tiles(cx_interp *in) {
  ic_state *s = ic_state_of(in);
  bool any = false;
  for (unsigned i = 0; i < IC_SIZES; i++) any = any || s->config.sizes[i] > 1;
  for (uint32_t i = 0; i < s->kernels.len && any; i++) demand_kernel(in, s->kernels.data[i]);
}
