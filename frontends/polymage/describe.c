/* Values as messages name them. */
#include <stdarg.h>
#include <string.h>

#include "frontends/polymage/interp.h"

enum { WIDEST = 32 /* bytes of the text of a value, after which it is cut */ };

const char *py_kind_name(py_value v) {
  switch (v.type) {
  case VAL_POISON:
    return "an erroneous value";
  case VAL_NONE:
    return "None";
  case VAL_BOOL:
    return "a truth value";
  case VAL_INT:
    return "an integer";
  case VAL_FLOAT:
    return "a number";
  case VAL_STR:
    return "a string";
  case VAL_LIST:
    return "a list";
  case VAL_TUPLE:
    return "a tuple";
  case VAL_DICT:
    return v.dict->open && v.dict->len == 0 ? v.dict->description : "a dictionary";
  case VAL_RANGE:
    return "a range";
  case VAL_FUNCTION:
  case VAL_BUILTIN:
    return "a function";
  case VAL_METHOD:
    return "a method";
  case VAL_MODULE:
  case VAL_FILE:
    return "a module";
  case VAL_TYPE:
    return "a type";
  case VAL_SYMBOL:
    return dsl_describe(v.symbol);
  case VAL_EXPR:
    return "an expression";
  case VAL_COND:
    return "a condition";
  case VAL_INTERVAL:
    return "an interval";
  case VAL_CASE:
    return v.branch->target ? "an update" : "a case";
  case VAL_DEFINITION:
    return "the definition of a stage";
  }
  return "a value";
}

/* The beginning of the text, not cut inside a character, without line ends. */
static void put_shortened(pm_buf *out, const char *text, size_t len) {
  size_t n = len < WIDEST ? len : WIDEST;
  while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
  for (size_t i = 0; i < n; i++) pm_buf_putc(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
  if (n < len) pm_buf_puts(out, "…");
}

static void put_quoted(pm_buf *out, const py_str *s) {
  pm_buf_putc(out, '\'');
  put_shortened(out, s->text, s->len);
  pm_buf_putc(out, '\'');
}

/* A value without its kind, as a program would write it where that is short. `end` is how long `out` may get,
 * but for what closes brackets. */
static void put_value(pm_buf *out, py_value v, size_t end) {
  switch (v.type) {
  case VAL_STR:
    put_quoted(out, v.str);
    break;
  case VAL_LIST:
  case VAL_TUPLE:
    pm_buf_putc(out, v.type == VAL_LIST ? '[' : '(');
    for (size_t i = 0; i < v.seq->len; i++) {
      if (i > 0) pm_buf_puts(out, ", ");
      if (out->len >= end) {
        pm_buf_puts(out, "…");
        break;
      }
      put_value(out, v.seq->items[i], end);
    }
    pm_buf_putc(out, v.type == VAL_LIST ? ']' : ')');
    break;
  default:
    py_put_str(out, v);
  }
}

/* "the list " and [1, 2] */
static void put_described(pm_buf *out, const char *kind, py_value v) {
  pm_buf_printf(out, "the %s ", kind);
  put_value(out, v, out->len + WIDEST);
}

static void put_function(pm_buf *out, const py_node *function) {
  if (function->kind == NODE_LAMBDA)
    pm_buf_puts(out, "a lambda function");
  else
    pm_buf_printf(out, "the function %s", function->name->text);
}

static void put_call(pm_buf *out, const py_node *function) {
  pm_buf_printf(out, "%s(", function->kind == NODE_LAMBDA ? "f" : function->name->text);
  for (uint32_t i = 0; i < function->n_items; i++)
    pm_buf_printf(out, "%s%s", i ? ", " : "", function->items[i]->name->text);
  pm_buf_putc(out, ')');
}

/* The value of a read is what the program speaks of. */
static void put_expression(pm_buf *out, const dsl_expr *e) {
  pm_string name = e->op == DSL_READ ? e->symbol->given : NULL;
  if (name)
    pm_buf_printf(out, "a value of %s", name->text);
  else
    pm_buf_puts(out, "an expression");
}

static void put_description(pm_buf *out, py_value v) {
  switch (v.type) {
  case VAL_BOOL:
    py_put_str(out, v);
    break;
  case VAL_INT:
    put_described(out, "integer", v);
    break;
  case VAL_FLOAT:
    put_described(out, "number", v);
    break;
  case VAL_STR:
    put_described(out, "string", v);
    break;
  case VAL_LIST:
    put_described(out, "list", v);
    break;
  case VAL_TUPLE:
    put_described(out, "tuple", v);
    break;
  case VAL_TYPE:
    put_described(out, "type", v);
    break;
  case VAL_FUNCTION:
    put_function(out, v.function->node);
    break;
  case VAL_BUILTIN:
    pm_buf_printf(out, "the function %s", v.builtin->name);
    break;
  case VAL_MODULE:
    pm_buf_printf(out, "the module %s", v.module->text);
    break;
  case VAL_FILE:
    pm_buf_printf(out, "the module %s", v.file->path->text);
    break;
  case VAL_SYMBOL:
    dsl_put_symbol(out, v.symbol);
    break;
  case VAL_EXPR:
    put_expression(out, v.expr);
    break;
  default:
    pm_buf_puts(out, py_kind_name(v));
  }
}

/* Frees the text. */
static const char *keep(const py_interp *py, pm_buf *text) {
  const char *kept = pm_arena_strndup(py->arena, text->data, text->len);
  pm_buf_free(text);
  return kept;
}

const char *py_format(const py_interp *py, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  return keep(py, &text);
}

const char *py_describe(const py_interp *py, py_value v) {
  pm_buf text = {0};
  put_description(&text, v);
  return keep(py, &text);
}

const char *py_function_text(const py_interp *py, const py_node *function, bool called) {
  pm_buf text = {0};
  if (called)
    put_call(&text, function);
  else
    put_function(&text, function);
  return keep(py, &text);
}
