#include "tools/lib/lsp/names.h"

#include "ir/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { NO_MEANING = -1, MOST_LINKS = 4 };

/* %value or @symbol. */
typedef struct name {
  size_t begin, end;
  pm_string symbol; /* NULL: a value */
  int64_t meaning;
  int64_t link; /* the name that means the same, or -1 */
  bool defines;
} name;

typedef struct definition { /* of values */
  size_t begin;
  const pm_op_desc *op; /* NULL: it did not parse */
  char *types;
  int result;
} definition;

typedef struct use {
  size_t begin, other;
} use;

typedef struct named_op {
  size_t begin, end;
  const pm_op_desc *desc;
  pm_string symbol;     /* that it defines or names, or NULL */
  size_t scope, behind; /* of what is around: begin and end */
  size_t before;        /* another of that symbol: number + 1, or 0 */
} named_op;

struct pm_name_index {
  pm_context *ctx;
  const pm_lines *lines;
  PM_VEC(name) names;
  PM_VEC(size_t) ends; /* of all tokens */
  PM_VEC(definition) definitions;
  PM_VEC(use) uses;
  PM_VEC(named_op) ops;
  pm_map *of_symbol; /* pm_string -> number of an op + 1 */
  json_t *meanings;
};

/* --- while the parser reads --- */

static bool is_definition(const named_op *op) {
  return op->symbol && (op->desc->traits & PM_SYMBOL);
}

/* The first attribute that is a symbol: of ops with the trait SYMBOL their own. */
static pm_string symbol_of(const pm_op *op) {
  for (unsigned i = 0; i < op->desc->n_attrs; i++) {
    pm_attr attr = pm_attr_at(op, i);
    if (attr && attr->cls == PM_ATTR_SYMBOL) return attr->s;
  }
  return NULL;
}

static void on_op(void *user, const pm_op *op, const char *begin, const char *end) {
  pm_name_index *x = user;
  const char *text = x->lines->text.ptr;
  PM_VEC_PUSH(x->ops, ((named_op){.begin = (size_t)(begin - text),
                                  .end = (size_t)(end - text),
                                  .desc = op->desc,
                                  .symbol = symbol_of(op)}));
}

static char *types_of(const pm_value *first, uint32_t count) {
  pm_buf text = {0};
  for (uint32_t i = 0; i < count; i++) pm_format(&text, "%s%pT", i ? ", " : "", (const void *)first[i].type);
  return pm_buf_take(&text);
}

static void on_define(void *user, pm_loc loc, const pm_value *first, uint32_t count) {
  pm_name_index *x = user;
  definition made = {.begin = pm_offset_of_loc(x->lines, loc), .result = -1};
  if (first) {
    made.op = pm_is_arg(first) ? pm_value_region(first)->op->desc : pm_def(first)->desc;
    made.types = types_of(first, count);
    if (!pm_is_arg(first)) made.result = (int)pm_value_index(first);
  }
  PM_VEC_PUSH(x->definitions, made);
}

static void on_use(void *user, pm_loc loc, pm_loc other) {
  pm_name_index *x = user;
  PM_VEC_PUSH(x->uses, ((use){pm_offset_of_loc(x->lines, loc), pm_offset_of_loc(x->lines, other)}));
}

pm_name_index *pm_name_index_new(pm_context *ctx, const pm_lines *lines) {
  pm_name_index *x = pm_xcalloc(1, sizeof *x);
  *x = (pm_name_index){.ctx = ctx, .lines = lines, .of_symbol = pm_map_new()};
  return x;
}

void pm_name_index_free(pm_name_index *x) {
  for (size_t i = 0; i < x->definitions.len; i++) free(x->definitions.data[i].types);
  PM_VEC_FREE(x->names);
  PM_VEC_FREE(x->ends);
  PM_VEC_FREE(x->definitions);
  PM_VEC_FREE(x->uses);
  PM_VEC_FREE(x->ops);
  pm_map_free(x->of_symbol);
  free(x);
}

pm_parse_listener pm_name_index_listener(pm_name_index *x) {
  return (pm_parse_listener){x, on_op, on_define, on_use};
}

/* --- tokens --- */

static pm_string intern_symbol(pm_context *ctx, const pm_token *token) {
  pm_buf text = {0};
  if (!token->quoted) return pm_get_string(ctx, token->text);
  pm_unescape(&text, token->text);
  pm_string symbol = pm_get_string(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return symbol;
}

static void add_token(pm_name_index *x, const pm_token *token, size_t end) {
  PM_VEC_PUSH(x->ends, end);
  if (token->kind != PM_TOK_VALUE && token->kind != PM_TOK_SYMBOL) return;
  pm_string symbol = token->kind == PM_TOK_SYMBOL ? intern_symbol(x->ctx, token) : NULL;
  size_t begin = (size_t)(token->start - x->lines->text.ptr);
  PM_VEC_PUSH(x->names, ((name){begin, end, symbol, NO_MEANING, -1, false}));
}

static void lex(pm_name_index *x) {
  pm_lexer lexer;
  pm_token token;
  pm_lexer_init(&lexer, x->lines->text.ptr, x->lines->text.len, 0);
  for (pm_lex(&lexer, &token); token.kind != PM_TOK_EOF; pm_lex(&lexer, &token))
    add_token(x, &token, (size_t)(lexer.cur - x->lines->text.ptr));
}

/* The end of the last token that ends at or before the offset. */
static size_t end_before(const pm_name_index *x, size_t offset) {
  size_t low = 0, high = x->ends.len;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (x->ends.data[middle] <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? x->ends.data[low - 1] : 0;
}

/* The first name that begins at or behind the offset. */
static size_t first_name(const pm_name_index *x, size_t offset) {
  size_t low = 0, high = x->names.len;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (x->names.data[middle].begin < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* NULL: none begins there, as in columns that locations cannot have. */
static name *name_at(pm_name_index *x, size_t offset) {
  size_t i = first_name(x, offset);
  return i < x->names.len && x->names.data[i].begin == offset ? &x->names.data[i] : NULL;
}

/* --- values --- */

static void add_meaning(pm_name_index *x, name *at, const char *op, const char *types, int result) {
  json_t *meaning = json_pack("{s:I, s:I, s:s}", "begin", (json_int_t)at->begin, "end", (json_int_t)at->end,
                              "op", op ? op : "");
  if (types) json_object_set_new(meaning, "types", json_string(types));
  if (types) json_object_set_new(meaning, "result", json_integer(result));
  at->meaning = (int64_t)json_array_size(x->meanings);
  at->defines = true;
  json_array_append_new(x->meanings, meaning);
}

static void define_values(pm_name_index *x) {
  for (size_t i = 0; i < x->definitions.len; i++) {
    const definition *d = &x->definitions.data[i];
    name *at = name_at(x, d->begin);
    if (at) add_meaning(x, at, d->op ? d->op->name : NULL, d->types ? d->types : "", d->result);
  }
}

static void link_uses(pm_name_index *x) {
  for (size_t i = 0; i < x->uses.len; i++) {
    name *at = name_at(x, x->uses.data[i].begin), *other = name_at(x, x->uses.data[i].other);
    if (at && other && !at->defines) at->link = other - x->names.data;
  }
}

static int64_t meaning_of(const pm_name_index *x, const name *at) {
  for (int i = 0; i < MOST_LINKS && at->meaning == NO_MEANING && at->link >= 0; i++)
    at = &x->names.data[at->link];
  return at->meaning;
}

/* --- ops with names --- */

static int compare_begins(const void *a, const void *b) {
  const named_op *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool is_graph(const pm_op_desc *desc) {
  return desc->n_regions && desc->regions[0].constraint == R_GRAPH;
}

/* What has a symbol of its own, and what the ops of a graph name: outputs. */
static bool is_shown(const named_op *op, const named_op *around) {
  return op->symbol && (is_definition(op) || (around && is_graph(around->desc) && !op->desc->n_results));
}

/* SymbolKind: module, function, variable, field, property. */
static int kind_of(const named_op *op, const json_t *inside) {
  enum { MODULE = 2, PROPERTY = 7, FIELD = 8, FUNCTION = 12, VARIABLE = 13 };
  if (!is_definition(op)) return PROPERTY;
  if (op->desc->n_regions) return is_graph(op->desc) && json_array_size(inside) ? MODULE : FUNCTION;
  return op->desc->n_results ? VARIABLE : FIELD;
}

/* The name of the op in its text. */
static name *own_name(pm_name_index *x, const named_op *op) {
  for (size_t i = first_name(x, op->begin); i < x->names.len && x->names.data[i].begin < op->end; i++)
    if (x->names.data[i].symbol == op->symbol) return &x->names.data[i];
  return NULL;
}

static json_t *document_symbol(pm_name_index *x, const named_op *op, json_t *inside) {
  const name *at = own_name(x, op);
  size_t begin = at ? at->begin : op->begin, end = at ? at->end : op->begin;
  pm_str text = {op->symbol->text, op->symbol->len};
  return json_pack("{s:o, s:s, s:i, s:o, s:o, s:o}", "name", pm_json_text(text.len ? text : PM_STR("@")),
                   "detail", op->desc->name, "kind", kind_of(op, inside), "range",
                   pm_range_of(x->lines, op->begin, op->end), "selectionRange",
                   pm_range_of(x->lines, begin, end), "children", inside);
}

static void enter_symbol(pm_name_index *x, size_t number) {
  named_op *op = &x->ops.data[number];
  if (!is_definition(op)) return;
  op->before = (size_t)(uintptr_t)pm_map_get(x->of_symbol, op->symbol);
  pm_map_set(x->of_symbol, op->symbol, (void *)(uintptr_t)(number + 1));
}

/* The symbols of the ops from number *next on that end before `end`, which are inside `around`. */
static json_t *outline(pm_name_index *x, size_t *next, const named_op *around) {
  json_t *all = json_array();
  while (*next < x->ops.len && (!around || x->ops.data[*next].begin < around->end)) {
    size_t number = (*next)++;
    named_op *op = &x->ops.data[number];
    op->end = end_before(x, op->end);
    op->scope = around ? around->begin : 0;
    op->behind = around ? around->end : x->lines->text.len;
    enter_symbol(x, number);
    json_t *inside = outline(x, next, op);
    if (is_shown(op, around)) {
      json_array_append_new(all, document_symbol(x, op, inside));
    } else {
      json_array_extend(all, inside);
      json_decref(inside);
    }
  }
  return all;
}

static void define_symbols(pm_name_index *x) {
  for (size_t i = 0; i < x->ops.len; i++) {
    name *at = is_definition(&x->ops.data[i]) ? own_name(x, &x->ops.data[i]) : NULL;
    if (at && !at->defines) add_meaning(x, at, x->ops.data[i].desc->name, NULL, 0);
  }
}

/* The definition in the innermost scope around the name. */
static const named_op *find_symbol(const pm_name_index *x, const name *at) {
  const named_op *best = NULL;
  size_t number = (size_t)(uintptr_t)pm_map_get(x->of_symbol, at->symbol);
  for (; number; number = x->ops.data[number - 1].before) {
    const named_op *op = &x->ops.data[number - 1];
    bool is_around = op->scope <= at->begin && at->begin < op->behind;
    if (is_around && (!best || op->scope >= best->scope)) best = op;
  }
  return best;
}

static void link_symbols(pm_name_index *x) {
  for (size_t i = 0; i < x->names.len; i++) {
    name *at = &x->names.data[i];
    const named_op *op = at->symbol && !at->defines ? find_symbol(x, at) : NULL;
    const name *other = op ? own_name(x, op) : NULL;
    if (other) at->link = other - x->names.data;
  }
}

/* --- the whole --- */

static json_t *list_names(const pm_name_index *x) {
  json_t *list = json_array();
  for (size_t i = 0; i < x->names.len; i++) {
    const name *at = &x->names.data[i];
    int64_t meaning = meaning_of(x, at);
    if (meaning == NO_MEANING) continue;
    json_array_append_new(list, json_integer((json_int_t)at->begin));
    json_array_append_new(list, json_integer((json_int_t)at->end));
    json_array_append_new(list, json_integer(meaning));
    json_array_append_new(list, json_integer(at->defines));
  }
  return list;
}

void pm_name_index_put(pm_name_index *x, json_t *found) {
  size_t next = 0;
  x->meanings = json_array();
  lex(x);
  if (x->ops.len) qsort(x->ops.data, x->ops.len, sizeof *x->ops.data, compare_begins);
  json_object_set_new(found, "symbols", outline(x, &next, NULL));
  define_values(x);
  define_symbols(x);
  link_uses(x);
  link_symbols(x);
  json_object_set_new(found, "names", list_names(x));
  json_object_set_new(found, "meanings", x->meanings);
}
