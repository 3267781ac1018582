#include "tools/lib/semantics/program.h"

#include "dialects/machine/machine.h"
#include "ir/text.h"
#include "tools/lib/driver/call_options.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_PASS_PIPELINE = 0x1000, OPT_MACHINE, OPT_SIZE };

static const struct argp_option rows[] = {
    {"pass-pipeline", OPT_PASS_PIPELINE, "TEXT", 0, "the passes", 0},
    {"machine", OPT_MACHINE, "NAME|FILE", 0, "the machine that passes decide for (default: host)", 0},
    {"size", OPT_SIZE, "N", 0, "what integer parameters without an estimate usually are there", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  pm_program *p = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = p->ctx;
    break;
  case OPT_PASS_PIPELINE:
    p->pipeline = arg;
    break;
  case OPT_MACHINE:
    p->machine = arg;
    break;
  case OPT_SIZE:
    p->size = pm_argp_count(arg, 1, 1000000000, "--size", state);
    break;
  case ARGP_KEY_ARG:
    if (p->file) argp_error(state, "more than one program: '%s' and '%s'", p->file, arg);
    p->file = arg;
    break;
  case ARGP_KEY_END:
    if (!p->file) argp_error(state, "no program is given");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&pm_plugin_argp, 0, NULL, 0}, {0}};
const struct argp pm_program_argp = {.options = rows, .parser = parse_option, .children = children};

pm_module *pm_read_ir(const pm_program *p, pm_buf *error) {
  size_t len;
  char *text = pm_read_file(p->file, PM_MAX_TEXT, &len);
  if (!text) {
    pm_failf(error, "cannot open '%s': %s", p->file, strerror(errno));
    return NULL;
  }
  pm_module *module = pm_parse_module(p->ctx, p->file, text, len, true);
  free(text);
  if (module) pm_set_machine(module, p->machine, p->size);
  return module;
}

void pm_add_named(pm_named_list *list, char *arg, struct argp_state *state) {
  char *equals = strchr(arg, '=');
  if (!equals || equals == arg || !equals[1]) argp_error(state, "'%s' is not NAME=VALUE", arg);
  *equals = 0;
  for (size_t i = 0; i < list->len; i++)
    if (strcmp(list->data[i].name, arg) == 0) argp_error(state, "'%s' is given twice", arg);
  PM_VEC_PUSH(*list, ((pm_named){.name = arg, .value = equals + 1}));
}

void pm_add_all_named(pm_named_list *list, char *arg, struct argp_state *state) {
  for (char *word = arg ? strtok(arg, ",") : NULL; word; word = strtok(NULL, ","))
    pm_add_named(list, word, state);
}
