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

bool py_find_const(const py_interp *py, const char *name, py_value *value) {
  for (size_t i = 0; i < py->options->n_consts; i++) {
    const polymage_const *c = &py->options->consts[i];
    if (strcmp(c->name, name) != 0) continue;
    *value = c->text ? value_of_text(py, c->text) : py_int(c->value);
    return true;
  }
  return false;
}
