#include "tools/lib/semantics/law_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEFINITIONS = 4 };

typedef struct definition {
  pm_string name;
  pm_term *is;
} definition;

typedef struct reader {
  pm_context *ctx;
  pm_arena *arena;
  const char *at;
  const char *reason; /* NULL: all was well */
  definition definitions[MOST_DEFINITIONS];
  unsigned n_definitions;
} reader;

static pm_term *read_side(reader *r);

static pm_term *fail(reader *r, const char *reason) {
  if (!r->reason) r->reason = reason;
  return NULL;
}

static void skip_spaces(reader *r) {
  while (*r->at == ' ') r->at++;
}

static bool accept(reader *r, char c) {
  skip_spaces(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static pm_term *term_of(reader *r, pm_term_kind kind, pm_string name) {
  pm_term *t = pm_arena_alloc(r->arena, sizeof *t);
  t->kind = kind;
  t->name = name;
  return t;
}

static pm_term *infix(reader *r, char sign, pm_term *left, pm_term *right) {
  if (!left || !right) return NULL;
  pm_term *t = term_of(r, sign == '<' ? PM_TERM_LESS : PM_TERM_OP, NULL);
  t->infix = sign;
  t->args[0] = left;
  t->args[1] = right;
  t->n_args = 2;
  return t;
}

static pm_string read_name(reader *r) {
  skip_spaces(r);
  const char *from = r->at;
  while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
  return pm_get_string(r->ctx, (pm_str){from, (size_t)(r->at - from)});
}

/* Behind the name and the bracket. */
static pm_term *read_arguments(reader *r, pm_string name) {
  pm_term *t = term_of(r, PM_TERM_OP, name);
  do {
    if (t->n_args == PM_TERM_MOST) return fail(r, "an op of it has more than three operands");
    pm_term *arg = read_side(r);
    if (!arg) return NULL;
    t->args[t->n_args++] = arg;
  } while (accept(r, ','));
  return accept(r, ')') ? t : fail(r, "a bracket of it is not closed by ')'");
}

static bool is_constant_name(pm_string name) {
  return strcmp(name->text, "c") == 0 || strcmp(name->text, "d") == 0;
}

static pm_term *read_number(reader *r) {
  char *end;
  pm_term *t = term_of(r, PM_TERM_NUMBER, NULL);
  t->number = strtoll(r->at, &end, 10);
  r->at = end;
  return t;
}

static pm_term *named(reader *r, pm_string name) {
  for (unsigned i = 0; i < r->n_definitions; i++)
    if (r->definitions[i].name == name) return r->definitions[i].is;
  return term_of(r, is_constant_name(name) ? PM_TERM_CONSTANT : PM_TERM_VALUE, name);
}

static pm_term *read_primary(reader *r) {
  skip_spaces(r);
  if (isdigit((unsigned char)*r->at)) return read_number(r);
  if (accept(r, '-')) {
    pm_term *zero = term_of(r, PM_TERM_NUMBER, NULL);
    return infix(r, '-', zero, read_primary(r));
  }
  if (accept(r, '(')) {
    pm_term *t = read_side(r);
    return t && !accept(r, ')') ? fail(r, "a bracket of it is not closed by ')'") : t;
  }
  if (!isalpha((unsigned char)*r->at)) return fail(r, "it has what is no op, name or number");
  pm_string name = read_name(r);
  if (accept(r, '(')) return read_arguments(r, name);
  bool single = name->len == 1;
  return single ? named(r, name) : fail(r, "it has a word in place of a name of one letter");
}

static pm_term *read_product(reader *r) {
  pm_term *t = read_primary(r);
  while (t && accept(r, '*')) t = infix(r, '*', t, read_primary(r));
  return t;
}

static pm_term *read_sum(reader *r) {
  pm_term *t = read_product(r);
  for (;;) {
    if (t && accept(r, '+'))
      t = infix(r, '+', t, read_product(r));
    else if (t && accept(r, '-'))
      t = infix(r, '-', t, read_product(r));
    else
      return t;
  }
}

static pm_term *read_side(reader *r) {
  pm_term *t = read_sum(r);
  return t && accept(r, '<') ? infix(r, '<', t, read_sum(r)) : t;
}

/* Clauses `, d = side` from the first arrow on; they are read ahead of the sides, which have the names. */
static bool read_definitions(reader *r, const char *text) {
  const char *arrow = strstr(text, "=>");
  int depth = 0;
  for (const char *c = arrow ? arrow + 2 : text; *c; c++) {
    depth += (*c == '(') - (*c == ')');
    if (*c != ',' || depth) continue;
    r->at = c + 1;
    pm_string name = read_name(r);
    if (name->len != 1 || !accept(r, '=')) continue; /* a condition in words */
    if (r->n_definitions == MOST_DEFINITIONS) return fail(r, "it defines more than four names");
    pm_term *is = read_side(r);
    if (!is) return false;
    r->definitions[r->n_definitions++] = (definition){name, is};
  }
  return true;
}

bool pm_parse_law(pm_context *ctx, pm_arena *arena, const char *text, pm_law *out, const char **reason) {
  reader r = {.ctx = ctx, .arena = arena, .at = text};
  *out = (pm_law){0};
  if (read_definitions(&r, text)) {
    r.at = text;
    out->left = read_side(&r);
    if (out->left && !(accept(&r, '=') && accept(&r, '>'))) fail(&r, "its left side does not end at '=>'");
    if (!r.reason) out->right = read_side(&r);
    skip_spaces(&r);
    if (!r.reason && *r.at && *r.at != ',') {
      fail(&r, "its right side does not end at a comma");
    }
  }
  *reason = r.reason;
  return !r.reason;
}
