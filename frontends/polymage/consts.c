/* What --const gives: integers, numbers, words, lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/polymage/interp.h"

static py_value value_of_word(const py_interp *py, const char *text, size_t len) {
  static const struct {
    const char *word;
    py_value value;
  } words[] = {
      {"True", {.type = VAL_BOOL, .b = true}}, {"False", {.type = VAL_BOOL}}, {"None", {.type = VAL_NONE}}};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (len == strlen(words[i].word) && strncmp(text, words[i].word, len) == 0) return words[i].value;
  return py_string(py->arena, text, len);
}

/* An integer, a number, or a word. */
static py_value value_of_item(const py_interp *py, const char *text, size_t len) {
  char *item = pm_xstrndup(text, len), *end;
  errno = 0;
  py_value value = py_int(strtoll(item, &end, 0));
  if (len == 0 || *end || errno) value = py_float(strtod(item, &end));
  if (len == 0 || *end) value = value_of_word(py, text, len);
  free(item);
  return value;
}

static py_value value_of_text(const py_interp *py, const char *text) {
  const char *comma = strchr(text, ',');
  if (!comma) return value_of_item(py, text, strlen(text));
  py_value list = py_new_seq(py->arena, VAL_LIST, 0);
  for (; comma; comma = strchr(text, ',')) {
    py_seq_push(py->arena, list.seq, value_of_item(py, text, (size_t)(comma - text)));
    text = comma + 1;
  }
  if (*text) py_seq_push(py->arena, list.seq, value_of_item(py, text, strlen(text)));
  return list;
}

py_value py_const_value(const py_interp *py, size_t i) {
  const polymage_const *c = &py->options->consts[i];
  return c->text ? value_of_text(py, c->text) : py_int(c->value);
}

static size_t position_of(const py_interp *py, const char *name) {
  size_t i = 0;
  while (i < py->options->n_consts && strcmp(py->options->consts[i].name, name) != 0) i++;
  return i;
}

bool py_find_const(const py_interp *py, const char *name, py_value *value) {
  size_t i = position_of(py, name);
  if (i == py->options->n_consts) return false;
  *value = py_const_value(py, i);
  py->const_uses[i].asked = true;
  return true;
}

void py_note_use(const py_interp *py, const char *name) {
  if (py->options->n_consts == 0) return;
  size_t i = position_of(py, name);
  if (i < py->options->n_consts) py->const_uses[i].used = true;
}

void py_note_assignment(const py_interp *py, const char *name, py_value value) {
  if (py->options->n_consts == 0) return;
  size_t i = position_of(py, name);
  if (i == py->options->n_consts) return;
  if (py->const_uses[i].used) return;
  py->const_uses[i].set = true;
  py->const_uses[i].is_parameter = value.type == VAL_SYMBOL && value.symbol->kind == DSL_PARAMETER;
}

void py_warn_unused_consts(const py_interp *py, pm_loc file) {
  for (size_t i = 0; i < py->options->n_consts; i++) {
    const char *name = py->options->consts[i].name;
    const py_const_use *use = &py->const_uses[i];
    if (position_of(py, name) < i || use->asked) continue;
    if (use->set)
      pm_warning(py->ctx, file, "--const %s has no effect, the program sets %s itself%s", name, name,
                 use->is_parameter ? ", as a parameter: a call gives its value" : "");
    else if (!use->used)
      pm_warning(py->ctx, file, "--const %s has no effect, the program does not ask for that name", name);
  }
}
