/* pm-lsp: a language server. Editors talk to it on standard input and output, by the Language Server Protocol
 * (docs/editors.md). */
#include "tools/lib/driver/child.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/lsp/server.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define TOOL "pm-lsp"
enum { DEFAULT_SECONDS = 10, MOST_SECONDS = 100000, KEY_TIMEOUT = 256, KEY_STDIO, KEY_FROM };

typedef struct options {
  pm_server_options server;
  pm_frontend_argp *frontends;
} options;

static const struct argp_option option_rows[] = {
    {"from", KEY_FROM, "FRONTEND", 0, "the language of all that is no IR, see below (default: by the name)",
     0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "a text that takes longer to read gets a diagnostic (default: 10)",
     0},
    {"stdio", KEY_STDIO, NULL, 0, "does nothing: editors give it, and there is no other way", 0},
    {0}};

static double seconds_of(const char *arg, struct argp_state *state) {
  char *end;
  double value = strtod(arg, &end);
  if (end == arg || *end || !(value > 0) || value > MOST_SECONDS)
    argp_error(state, "--timeout is '%s', but should be a number above 0, at most %d", arg,
               (int)MOST_SECONDS);
  return value;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  size_t n = pm_frontend_count(o->server.ctx);
  switch (key) {
  case ARGP_KEY_INIT:
    for (size_t i = 0; i < n; i++) state->child_inputs[i] = &o->frontends[i];
    state->child_inputs[n] = o->server.ctx;
    break;
  case KEY_TIMEOUT:
    o->server.seconds = seconds_of(arg, state);
    break;
  case KEY_FROM:
    o->server.from = pm_frontend_named(o->server.ctx, arg, state);
    break;
  case KEY_STDIO:
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

/* One child for each frontend, then plugins. */
static struct argp_child *new_children(const options *o) {
  size_t n = pm_frontend_count(o->server.ctx);
  struct argp_child *children = pm_xcalloc(n + 2, sizeof *children);
  for (size_t i = 0; i < n; i++)
    children[i] = (struct argp_child){&o->frontends[i].argp, 0, o->frontends[i].heading, 1};
  children[n] = (struct argp_child){&pm_plugin_argp, 0, NULL, 0};
  return children;
}

int main(int argc, char **argv) {
  options o = {.server = {.tool = TOOL, .seconds = DEFAULT_SECONDS}};
  pm_tool_begin();
  o.server.ctx = pm_driver_context_of(TOOL, argc, argv);
  o.frontends = pm_frontend_argps_new(o.server.ctx, &o.server.values);
  struct argp_child *children = new_children(&o);
  const struct argp lsp_argp = {
      .options = option_rows,
      .parser = parse_option,
      .doc =
          "Tell an editor what is wrong in a program or in IR, and what names in IR mean. It is started by "
          "editors and speaks the Language Server Protocol on standard input and output.",
      .children = children};
  pm_argp_parse(TOOL, &lsp_argp, argc, argv, 0, &o);
  pm_catch_stops();
  signal(SIGPIPE, SIG_IGN);
  int status = pm_serve(&o.server, STDIN_FILENO, stdout);
  pm_frontend_argps_free(o.frontends, pm_frontend_count(o.server.ctx));
  pm_frontend_values_free(&o.server.values);
  pm_context_free(o.server.ctx);
  free(children);
  return status;
}
