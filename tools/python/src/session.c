/* pm._pm.Session: programs made by calls (pm/session.h). Values are Python's own numbers, texts, lists and
 * tuples, and items of the session, which are of the type Item. */
#include "tools/python/src/module.h"

#include "pm/session.h"

#include <stdlib.h>
#include <string.h>

typedef struct item_object {
  PyObject_HEAD PyObject *session;
  int64_t number;
} item_object;

/* What conversions take, and whose items they accept. */
typedef struct scratch {
  PyObject *session;
  void **blocks;
  size_t n;
} scratch;

typedef struct session_object {
  PyObject_HEAD pm_session *session;
  PyObject *messages; /* a list, of tuples */
  scratch options;    /* texts that the session borrows */
} session_object;

/* One per process: the extension has no state that sub-interpreters would not share. */
static PyTypeObject *item_type, *session_type;

/* --- messages --- */

static PyObject *text_or_none(const char *text) {
  return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

static PyObject *message_of(const pm_message *m) {
  static const char *const kinds[] = {"error", "warning", "remark", "note"};
  return Py_BuildValue("(sNIINNN)", kinds[m->kind], text_or_none(m->file), m->line, m->column,
                       text_or_none(m->source), text_or_none(m->text), text_or_none(m->pass));
}

static void note(void *user, const pm_message *m) {
  PyObject *message = message_of(m);
  if (!message || PyList_Append(((session_object *)user)->messages, message) < 0) PyErr_Clear();
  Py_XDECREF(message);
}

/* Raises what pm.refusals makes of the status and the messages, which are gone then. */
static PyObject *fail(session_object *self, pm_status status) {
  PyObject *words = PyImport_ImportModule("pm.refusals"), *messages = self->messages, *error = NULL;
  self->messages = PyList_New(0);
  if (words && self->messages)
    error = PyObject_CallMethod(words, "not_made", "sOsO", pm_status_name(status), messages,
                                pm_session_error(self->session), Py_None);
  if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(words);
  Py_DECREF(messages);
  return NULL;
}

/* --- values --- */

static void free_scratch(scratch *s) {
  for (size_t i = 0; i < s->n; i++) free(s->blocks[i]);
  free(s->blocks);
}

static void *take(scratch *s, size_t count, size_t size) {
  void **more = realloc(s->blocks, (s->n + 1) * sizeof *more);
  if (!more) return PyErr_NoMemory();
  s->blocks = more;
  s->blocks[s->n] = calloc(count + 1, size);
  return s->blocks[s->n] ? s->blocks[s->n++] : PyErr_NoMemory();
}

static int to_value(scratch *s, PyObject *object, pm_host_value *v);

static int to_sequence(scratch *s, PyObject *object, pm_host_value *v) {
  Py_ssize_t n = PySequence_Size(object);
  pm_host_value *items = n < 0 ? NULL : take(s, (size_t)n, sizeof *items);
  if (!items) return -1;
  v->kind = PyTuple_Check(object) ? PM_HOST_TUPLE : PM_HOST_LIST;
  v->items = items;
  v->len = (size_t)n;
  if (Py_EnterRecursiveCall(" in a list")) return -1;
  int code = 0;
  for (Py_ssize_t i = 0; i < n && !code; i++) {
    PyObject *item = PySequence_GetItem(object, i);
    code = item ? to_value(s, item, &items[i]) : -1;
    Py_XDECREF(item);
  }
  Py_LeaveRecursiveCall();
  return code;
}

static int to_integer(PyObject *object, pm_host_value *v) {
  int overflow = 0;
  v->kind = PM_HOST_INT;
  v->i = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow)
    PyErr_Format(PyExc_OverflowError, "%R does not fit 64 bits, integers should be smaller", object);
  return overflow || PyErr_Occurred() ? -1 : 0;
}

static int to_text(scratch *s, PyObject *object, pm_host_value *v) {
  Py_ssize_t n = 0;
  const char *text = PyUnicode_AsUTF8AndSize(object, &n);
  char *copy = text ? take(s, (size_t)n, 1) : NULL;
  if (!copy) return -1;
  memcpy(copy, text, (size_t)n);
  *v = (pm_host_value){.kind = PM_HOST_TEXT, .text = copy, .len = (size_t)n};
  return 0;
}

static int to_value(scratch *s, PyObject *object, pm_host_value *v) {
  *v = (pm_host_value){.kind = PM_HOST_NONE};
  if (object == Py_None) return 0;
  if (Py_TYPE(object) == item_type) {
    if (((item_object *)object)->session != s->session)
      return PyErr_SetString(PyExc_ValueError, "an item of another session"), -1;
    *v = (pm_host_value){.kind = PM_HOST_ITEM, .i = ((item_object *)object)->number};
    return 0;
  }
  if (PyBool_Check(object)) return *v = (pm_host_value){.kind = PM_HOST_BOOL, .i = object == Py_True}, 0;
  if (PyLong_Check(object)) return to_integer(object, v);
  if (PyFloat_Check(object))
    return *v = (pm_host_value){.kind = PM_HOST_FLOAT, .f = PyFloat_AsDouble(object)}, 0;
  if (PyUnicode_Check(object)) return to_text(s, object, v);
  if (PyList_Check(object) || PyTuple_Check(object)) return to_sequence(s, object, v);
  PyErr_Format(PyExc_TypeError, "%R is no value of a pipeline", object);
  return -1;
}

static PyObject *new_item(session_object *self, int64_t number) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(item_type, Py_tp_alloc);
  item_object *item = (item_object *)alloc(item_type, 0);
  if (!item) return NULL;
  item->session = Py_NewRef((PyObject *)self);
  item->number = number;
  return (PyObject *)item;
}

static PyObject *of_value(session_object *self, const pm_host_value *v) {
  switch (v->kind) {
  case PM_HOST_BOOL:
    return PyBool_FromLong((long)v->i);
  case PM_HOST_INT:
    return PyLong_FromLongLong(v->i);
  case PM_HOST_FLOAT:
    return PyFloat_FromDouble(v->f);
  case PM_HOST_ITEM:
    return new_item(self, v->i);
  case PM_HOST_TEXT:
    return PyUnicode_DecodeUTF8(v->text, (Py_ssize_t)v->len, "replace");
  default:
    return Py_NewRef(Py_None);
  }
}

static PyObject *answer(session_object *self, pm_status status, const pm_host_value *v) {
  return status == PM_OK ? of_value(self, v) : fail(self, status);
}

/* (file, line, column) */
static int to_place(PyObject *object, pm_place *place) {
  *place = (pm_place){0};
  return PyArg_ParseTuple(object, "III;a place", &place->file, &place->line, &place->column) ? 0 : -1;
}

/* --- methods --- */

static PyObject *session_file(PyObject *object, PyObject *args) {
  session_object *self = (session_object *)object;
  const char *name, *text;
  Py_ssize_t len;
  unsigned file = 0;
  if (!PyArg_ParseTuple(args, "sz#", &name, &text, &len)) return NULL;
  pm_status status = pm_session_file(self->session, name, text, (size_t)len, &file);
  return status == PM_OK ? PyLong_FromUnsignedLong(file) : fail(self, status);
}

static PyObject *session_find(PyObject *object, PyObject *args) {
  session_object *self = (session_object *)object;
  const char *name;
  PyObject *where;
  pm_place place;
  pm_host_value result;
  if (!PyArg_ParseTuple(args, "sO", &name, &where) || to_place(where, &place)) return NULL;
  return answer(self, pm_session_find(self->session, place, name, &result), &result);
}

static int to_arguments(scratch *s, PyObject *positional, PyObject *named, pm_host_argument **args,
                        size_t *n) {
  Py_ssize_t n_positional = PyTuple_Size(positional), n_named = PyDict_Size(named), at = 0;
  PyObject *key, *value;
  if (n_positional < 0 || n_named < 0) return -1;
  *n = (size_t)(n_positional + n_named);
  *args = take(s, *n, sizeof **args);
  if (!*args) return -1;
  for (Py_ssize_t i = 0; i < n_positional; i++)
    if (to_value(s, PyTuple_GetItem(positional, i), &(*args)[i].value)) return -1;
  for (size_t i = (size_t)n_positional; PyDict_Next(named, &at, &key, &value); i++) {
    pm_host_value text;
    if (to_text(s, key, &text) || to_value(s, value, &(*args)[i].value)) return -1;
    (*args)[i].keyword = text.text;
  }
  return 0;
}

static PyObject *session_call(PyObject *object, PyObject *args) {
  session_object *self = (session_object *)object;
  PyObject *callee, *positional, *named, *where;
  scratch s = {.session = object};
  pm_place place;
  pm_host_value function, result;
  pm_host_argument *given;
  size_t n;
  if (!PyArg_ParseTuple(args, "OO!O!O", &callee, &PyTuple_Type, &positional, &PyDict_Type, &named, &where) ||
      to_place(where, &place))
    return NULL;
  int code = to_value(&s, callee, &function) || to_arguments(&s, positional, named, &given, &n);
  pm_status status = code ? PM_OK : pm_session_call(self->session, place, &function, given, n, &result);
  free_scratch(&s);
  return code ? NULL : answer(self, status, &result);
}

static PyObject *session_apply(PyObject *object, PyObject *args) {
  session_object *self = (session_object *)object;
  const char *word;
  PyObject *operands, *where;
  scratch s = {.session = object};
  pm_place place;
  pm_host_value all, result;
  if (!PyArg_ParseTuple(args, "sO!O", &word, &PyTuple_Type, &operands, &where) || to_place(where, &place))
    return NULL;
  int code = to_value(&s, operands, &all);
  pm_status status = code ? PM_OK : pm_session_apply(self->session, place, word, all.items, all.len, &result);
  free_scratch(&s);
  return code ? NULL : answer(self, status, &result);
}

static PyObject *session_set(PyObject *object, PyObject *args) {
  session_object *self = (session_object *)object;
  const char *name;
  PyObject *target, *value, *where;
  scratch s = {.session = object};
  pm_place place;
  pm_host_value first, second;
  const pm_host_value none = {.kind = PM_HOST_NONE};
  if (!PyArg_ParseTuple(args, "OsOO", &target, &name, &value, &where) || to_place(where, &place)) return NULL;
  int code = to_value(&s, target, &first) || to_value(&s, value, &second);
  pm_status status = code ? PM_OK : pm_session_set(self->session, place, &first, name, &second);
  free_scratch(&s);
  return code ? NULL : answer(self, status, &none);
}

static PyObject *session_name(PyObject *object, PyObject *args) {
  session_object *self = (session_object *)object;
  const char *name;
  PyObject *target;
  scratch s = {.session = object};
  pm_host_value item;
  const pm_host_value none = {.kind = PM_HOST_NONE};
  if (!PyArg_ParseTuple(args, "Os", &target, &name) || to_value(&s, target, &item)) return NULL;
  return answer(self, pm_session_name(self->session, &item, name), &none);
}

static PyObject *session_finish(PyObject *object, PyObject *args) {
  session_object *self = (session_object *)object;
  const char *name;
  char *pmir = NULL;
  PyObject *outputs, *where;
  scratch s = {.session = object};
  pm_place place;
  pm_host_value all;
  if (!PyArg_ParseTuple(args, "OzO", &outputs, &name, &where) || to_place(where, &place)) return NULL;
  int code = to_value(&s, outputs, &all);
  pm_status status = code ? PM_OK : pm_session_finish(self->session, place, &all, name, &pmir);
  free_scratch(&s);
  if (code) return NULL;
  if (status != PM_OK) return fail(self, status);
  PyObject *text = PyUnicode_FromString(pmir);
  pm_text_free(pmir);
  return text;
}

/* The messages since the last one that took them. */
static PyObject *session_messages(PyObject *object, PyObject *unused) {
  session_object *self = (session_object *)object;
  (void)unused;
  PyObject *messages = self->messages, *none = PyList_New(0);
  if (!none) return NULL;
  self->messages = none;
  return messages;
}

static PyMethodDef session_methods[] = {
    {"file", session_file, METH_VARARGS, "file(name, text or None) -> number, for places"},
    {"find", session_find, METH_VARARGS, "find(name, place) -> value: a function or type of the language"},
    {"call", session_call, METH_VARARGS, "call(callee, args, named, place) -> value"},
    {"apply", session_apply, METH_VARARGS, "apply(operator, operands, place) -> value"},
    {"set", session_set, METH_VARARGS, "set(object, name, value, place)"},
    {"name", session_name, METH_VARARGS, "name(item, name): unless it has one"},
    {"finish", session_finish, METH_VARARGS,
     "finish(outputs, name or None, place) -> PMIR; ends the session"},
    {"messages", session_messages, METH_NOARGS, "messages() -> those that no error has taken"},
    {NULL, NULL, 0, NULL}};

/* --- types --- */

/* [("const", "T=4"), …] as options, which live as long as the scratch. */
static int to_options(scratch *s, PyObject *list, pm_options *options) {
  Py_ssize_t n = PyList_Size(list);
  pm_named_option *named = n < 0 ? NULL : take(s, (size_t)n, sizeof *named);
  if (!named) return -1;
  for (Py_ssize_t i = 0; i < n; i++) {
    pm_host_value pair;
    if (to_value(s, PyList_GetItem(list, i), &pair)) return -1;
    if (pair.len != 2 || pair.items[0].kind != PM_HOST_TEXT || pair.items[1].kind != PM_HOST_TEXT)
      return PyErr_SetString(PyExc_TypeError, "an option is a pair of texts"), -1;
    named[i] = (pm_named_option){pair.items[0].text, pair.items[1].text};
  }
  options->language_options = named;
  options->n_language_options = (size_t)n;
  return 0;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *named) {
  static char *keywords[] = {"language", "options", NULL};
  const char *language;
  PyObject *given;
  if (!PyArg_ParseTupleAndKeywords(args, named, "sO!", keywords, &language, &PyList_Type, &given))
    return NULL;
  session_object *self = (session_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) return NULL;
  pm_options options = {.handler = note, .user = self};
  self->messages = PyList_New(0);
  int code = !self->messages || to_options(&self->options, given, &options);
  pm_status status = code ? PM_OK : pm_session_open(language, &options, &self->session);
  if (!code && status != PM_OK) fail(self, status);
  if (code || status != PM_OK) return Py_DECREF(self), NULL;
  return (PyObject *)self;
}

static void free_object(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static void session_dealloc(PyObject *object) {
  session_object *self = (session_object *)object;
  pm_session_free(self->session);
  free_scratch(&self->options);
  Py_CLEAR(self->messages);
  free_object(object);
}

static void item_dealloc(PyObject *object) {
  Py_CLEAR(((item_object *)object)->session);
  free_object(object);
}

int pm_add_session_types(PyObject *module) {
  static PyType_Slot session_slots[] = {{Py_tp_new, session_new},
                                        {Py_tp_dealloc, session_dealloc},
                                        {Py_tp_methods, session_methods},
                                        {Py_tp_doc, "A program that is made by calls."},
                                        {0, NULL}};
  static PyType_Slot item_slots[] = {
      {Py_tp_dealloc, item_dealloc}, {Py_tp_doc, "What a session has made."}, {0, NULL}};
  static PyType_Spec session_spec = {"pm._pm.Session", sizeof(session_object), 0, Py_TPFLAGS_DEFAULT,
                                     session_slots},
                     item_spec = {"pm._pm.Item", sizeof(item_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, item_slots};
  if (!session_type) session_type = (PyTypeObject *)PyType_FromSpec(&session_spec);
  if (!item_type) item_type = (PyTypeObject *)PyType_FromSpec(&item_spec);
  return session_type && item_type && PyModule_AddType(module, session_type) == 0 &&
                 PyModule_AddType(module, item_type) == 0
             ? 0
             : -1;
}
