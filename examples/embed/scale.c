/* scale GAIN: compiles a pipeline with that gain, and calls it. */
#include <pm/pm.h>

#include <stdio.h>
#include <string.h>

static const char text[] =
    "R, C = Parameter(Int, 'R'), Parameter(Int, 'C')\n"
    "img = Image(Float, 'img', [R, C])\n"
    "x, y = Variable(Int, 'x'), Variable(Int, 'y')\n"
    "scaled = Function(([x, y], [Interval(Int, 0, R-1), Interval(Int, 0, C-1)]), Float, 'scaled')\n"
    "scaled.defn = [GAIN * img(x, y) + 1]\n";

static void tell(void *user, const pm_message *m) {
  (void)user;
  fprintf(stderr, "%s:%u:%u: %s\n", m->file ? m->file : "options", m->line, m->column, m->text);
}

/* NULL after a message. */
static pm_function *compile(const char *gain) {
  char constant[64];
  snprintf(constant, sizeof constant, "GAIN=%s", gain);
  const pm_named_option constants[] = {{"const", constant}};
  const pm_options options = {.handler = tell, .language_options = constants, .n_language_options = 1};
  pm_program *program;
  pm_function *function = NULL;
  pm_status status = pm_program_read("scale.py", text, strlen(text), &options, &program);
  if (status == PM_OK) status = pm_program_compile(program, &function);
  if (status != PM_OK && status != PM_DIAGNOSED)
    fprintf(stderr, "%s: %s\n", pm_status_name(status), program ? pm_program_error(program) : "");
  pm_program_free(program);
  return function;
}

/* The input is every other column of an array. */
static int call(const pm_function *scale) {
  float in[2][6] = {{1, 0, 2, 0, 3, 0}, {4, 0, 5, 0, 6, 0}}, out[2][3];
  const pm_buffer img = {in, PM_TYPE_F32, 2, {{0, 2, 6}, {0, 3, 2}}};
  const pm_buffer scaled = {out, PM_TYPE_F32, 2, {{0, 2, 3}, {0, 3, 1}}};
  const pm_argument sizes[] = {{.i = 2}, {.i = 3}};
  int code = pm_function_call(scale, sizes, 2, (const pm_buffer *[]){&img, &scaled}, 2);
  if (code != 0) {
    fprintf(stderr, "%s\n", pm_function_strerror(scale, code));
    return 1;
  }
  for (int i = 0; i < 2; i++) printf("%g %g %g\n", (double)out[i][0], (double)out[i][1], (double)out[i][2]);
  return 0;
}

int main(int argc, char **argv) {
  pm_function *scale = compile(argc > 1 ? argv[1] : "2");
  int status = scale ? call(scale) : 1;
  pm_function_free(scale);
  return status;
}
