/* Parsing of modules and ops. */
#include "ir/src/parser.h"

#include "ir/builtin.h"
#include "ir/src/context_private.h"
#include "ir/verify.h"

#include <stdlib.h>
#include <string.h>

/* --- tokens --- */

void pm_parser_advance(pm_parser *p) {
  if (pm_parser_at_punct(p, '{')) p->braces++;
  if (pm_parser_at_punct(p, '}')) p->braces--;
  pm_lex(&p->lexer, &p->tok);
}

/* Told once: what is open at the end is open in all that is around it. */
static bool ends_early(pm_parser *p, const char *what) {
  if (!p->end_is_told) pm_q_error(p, p->tok.loc, "found the end of the text, but expected %s", what);
  p->end_is_told = true;
  return false;
}

bool pm_parser_expected(pm_parser *p, const char *what) {
  if (p->tok.kind == PM_TOK_ERROR) return pm_q_error(p, p->tok.loc, "%s", p->tok.message);
  if (p->tok.kind == PM_TOK_EOF) return ends_early(p, what);
  size_t len = (size_t)(p->lexer.cur - p->tok.start);
  return pm_q_error(p, p->tok.loc, "found '%.*s%s', but expected %s", (int)(len < 40 ? len : 40),
                    p->tok.start, len < 40 ? "" : "…", what);
}

bool pm_parser_enter(pm_parser *p) {
  if (p->depth == PM_MAX_NESTING) {
    p->end_is_told = true;
    return pm_q_error(p, p->tok.loc, "nesting deeper than %d levels", (int)PM_MAX_NESTING);
  }
  p->depth++;
  return true;
}

void pm_parser_leave(pm_parser *p) {
  p->depth--;
}

pm_str pm_parser_text(pm_parser *p) {
  if (!p->tok.quoted || !memchr(p->tok.text.ptr, '\\', p->tok.text.len)) return p->tok.text;
  p->scratch.len = 0;
  pm_unescape(&p->scratch, p->tok.text);
  return (pm_str){p->scratch.data, p->scratch.len};
}

/* --- frames --- */

pm_frame *pm_parser_frame(pm_parser *p) {
  return p->frames.data[p->n_frames - 1];
}

static pm_frame *push_frame(pm_parser *p) {
  if (p->n_frames == p->frames.len) PM_VEC_PUSH(p->frames, pm_xcalloc(1, sizeof(pm_frame)));
  pm_frame *f = p->frames.data[p->n_frames++];
  f->state.operands.len = f->state.results.len = f->state.result_names.len = 0;
  f->state.attr_names.len = f->state.attrs.len = 0;
  f->state.n_regions = 0;
  f->groups.len = f->refs.len = f->types.len = 0;
  f->n_named = 0;
  return f;
}

static void free_frame(pm_frame *f) {
  pm_op_state_free(&f->state);
  for (size_t i = 0; i < f->regions.len; i++) free(f->regions.data[i]);
  PM_VEC_FREE(f->regions);
  PM_VEC_FREE(f->groups);
  PM_VEC_FREE(f->refs);
  PM_VEC_FREE(f->types);
  free(f);
}

/* --- results --- */

static bool parse_group_count(pm_parser *p, pm_result_group *group) {
  int64_t count = 0;
  pm_loc loc = p->tok.loc;
  if (!pm_q_int(p, &count)) return false;
  if (count < 1 || count > UINT16_MAX)
    return pm_q_error(p, loc, "%lld results, but an op has at most %d", (long long)count, UINT16_MAX);
  group->count = (uint32_t)count;
  return true;
}

/* `%a, %b:2 =` before the op's name, or nothing. */
static bool parse_result_groups(pm_parser *p, pm_frame *f) {
  if (p->tok.kind != PM_TOK_VALUE) return true;
  do {
    if (p->tok.kind != PM_TOK_VALUE) return pm_parser_expected(p, "a value");
    pm_result_group group = {p->tok.text, 1, p->tok.loc};
    pm_parser_advance(p);
    if (pm_q_opt_punct(p, ":") && !parse_group_count(p, &group)) return false;
    PM_VEC_PUSH(f->groups, group);
    f->n_named += group.count;
  } while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, "=");
}

static void name_results(pm_parser *p, pm_frame *f) {
  if (f->n_named > UINT16_MAX) return;
  for (size_t i = 0; i < f->groups.len; i++) {
    pm_string name = pm_kept_name(p, f->groups.data[i].name);
    for (uint32_t n = 0; n < f->groups.data[i].count; n++) PM_VEC_PUSH(f->state.result_names, name);
  }
}

static void define_results(pm_parser *p, pm_frame *f, pm_op *op) {
  pm_value *next = op ? pm_results(op) : NULL;
  for (size_t i = 0; i < f->groups.len; i++) {
    const pm_result_group *group = &f->groups.data[i];
    pm_define(p, group->name, next, group->count, group->loc);
    if (next) next += group->count;
  }
}

/* --- names of ops --- */

/* How an op of a dialect that is not there can be kept. */
static const char *hint(const pm_parser *p) {
  if (!p->ctx->allows_unregistered) return "; pm-opt --allow-unregistered keeps such ops in the generic form";
  return p->tok.kind == PM_TOK_STRING ? "" : ", which is kept in the generic form only";
}

static bool unknown_dialect(pm_parser *p, pm_str prefix, pm_str name) {
  const char *nearest = NULL;
  unsigned best = pm_typo_limit(prefix.len);
  for (size_t i = 0; i < pm_dialect_count(p->ctx); i++) {
    const char *dialect = pm_dialect_at(p->ctx, i)->name;
    unsigned distance = pm_edit_distance(pm_str_of(dialect), prefix, best);
    if (distance < best) best = distance, nearest = dialect;
  }
  if (!nearest)
    return pm_q_error(p, p->tok.loc, "unknown dialect '%.*s' of '%.*s'%s", (int)prefix.len, prefix.ptr,
                      (int)name.len, name.ptr, hint(p));
  return pm_q_error(p, p->tok.loc, "unknown dialect '%.*s' of '%.*s'; did you mean '%s'?", (int)prefix.len,
                    prefix.ptr, (int)name.len, name.ptr, nearest);
}

static bool unknown_op_of(pm_parser *p, const pm_dialect *dialect, pm_str name) {
  const char *nearest = NULL;
  unsigned best = pm_typo_limit(name.len - strlen(dialect->name));
  for (const pm_op_desc *const *op = dialect->ops; op && *op; op++) {
    unsigned distance = pm_edit_distance(pm_str_of((*op)->name), name, best);
    if (distance < best) best = distance, nearest = (*op)->name;
  }
  if (!nearest) return pm_q_error(p, p->tok.loc, "unknown op '%.*s'", (int)name.len, name.ptr);
  return pm_q_error(p, p->tok.loc, "unknown op '%.*s'; did you mean '%s'?", (int)name.len, name.ptr, nearest);
}

static const pm_dialect *find_dialect(const pm_context *ctx, pm_str prefix) {
  for (size_t i = 0; i < pm_dialect_count(ctx); i++)
    if (pm_str_is(prefix, pm_dialect_at(ctx, i)->name)) return pm_dialect_at(ctx, i);
  return NULL;
}

/* What stands before the first dot; len 0: there is no name of a dialect. */
static pm_str prefix_of(pm_str name) {
  const char *dot = name.len ? memchr(name.ptr, '.', name.len) : NULL;
  return (pm_str){name.ptr, dot ? (size_t)(dot - name.ptr) : 0};
}

static bool unknown_op(pm_parser *p, pm_str name) {
  pm_str prefix = prefix_of(name);
  if (!prefix.len) return pm_parser_expected(p, "an op");
  const pm_dialect *dialect = find_dialect(p->ctx, prefix);
  return dialect ? unknown_op_of(p, dialect, name) : unknown_dialect(p, prefix, name);
}

/* NULL when there is no such op. */
static const pm_op_desc *desc_of(pm_parser *p, pm_str name, bool generic) {
  const pm_op_desc *desc = pm_find_op_desc(p->ctx, name);
  if (desc || !generic || !p->ctx->allows_unregistered) return desc;
  pm_str prefix = prefix_of(name);
  return prefix.len && !find_dialect(p->ctx, prefix) ? pm_get_unregistered_op(p->ctx, name) : NULL;
}

static bool parse_op_name(pm_parser *p, pm_frame *f, bool *generic) {
  *generic = p->tok.kind == PM_TOK_STRING;
  if (!*generic && p->tok.kind != PM_TOK_WORD) return pm_parser_expected(p, "an op");
  pm_str name = pm_parser_text(p);
  f->state.desc = desc_of(p, name, *generic);
  f->state.loc = p->tok.loc;
  if (!f->state.desc) return unknown_op(p, name);
  f->carrier = (pm_op){.desc = f->state.desc, .home = p->module, .loc = p->tok.loc};
  pm_parser_advance(p);
  return true;
}

/* --- types of operands and results --- */

static bool parse_type_list(pm_parser *p, pm_frame *f) {
  do {
    pm_type type;
    if (!pm_q_type(p, &type)) return false;
    PM_VEC_PUSH(f->types, type);
  } while (pm_q_opt_punct(p, ","));
  return true;
}

static bool parse_result_types(pm_parser *p, pm_frame *f) {
  bool several = pm_q_opt_punct(p, "(");
  if (several && pm_q_opt_punct(p, ")")) return true;
  do {
    pm_type type;
    if (!pm_q_type(p, &type)) return false;
    PM_VEC_PUSH(f->state.results, type);
  } while (several && pm_q_opt_punct(p, ","));
  return !several || pm_q_punct(p, ")");
}

/* What follows '(' of `(t, t) -> t`. */
static bool parse_function_type(pm_parser *p, pm_frame *f) {
  if (!pm_q_opt_punct(p, ")") && !(parse_type_list(p, f) && pm_q_punct(p, ")"))) return false;
  return pm_q_punct(p, "->") && parse_result_types(p, f);
}

static bool resolve_operands(pm_parser *p, pm_frame *f, pm_loc loc) {
  if (f->refs.len != f->types.len)
    return pm_q_error(p, loc, "%zu operand types, but '%s' has %zu operands here", f->types.len,
                      f->state.desc->name, f->refs.len);
  for (size_t i = 0; i < f->refs.len; i++)
    if (!pm_q_resolve(p, &f->refs.data[i], f->types.data[i], &f->state)) return false;
  return true;
}

/* --- the generic form --- */

static bool parse_generic_regions(pm_parser *p, pm_frame *f) {
  unsigned i = 0;
  do
    if (!pm_q_region(p, &f->state, i++, NULL)) return false;
  while (pm_q_opt_punct(p, ","));
  return pm_q_punct(p, ")");
}

/* What follows the quoted name. */
static bool parse_generic(pm_parser *p, pm_frame *f) {
  if (!pm_q_punct(p, "(") || !pm_q_operands(p, &f->refs) || !pm_q_punct(p, ")")) return false;
  if (!pm_q_opt_attr_dict(p, &f->state)) return false;
  if (pm_q_opt_punct(p, "(") && !parse_generic_regions(p, f)) return false;
  pm_loc loc = p->tok.loc;
  return pm_q_punct(p, ":") && pm_q_punct(p, "(") && parse_function_type(p, f) && resolve_operands(p, f, loc);
}

/* --- the short form --- */

/* SAME_TYPE ops print their type once. */
static void spread_type(pm_frame *f) {
  pm_type type = f->types.data[0];
  while (f->types.len < f->refs.len) PM_VEC_PUSH(f->types, type);
  f->types.len = f->refs.len;
  size_t named = f->n_named <= UINT16_MAX ? (size_t)f->n_named : 0;
  size_t n = f->state.desc->variadic_result < 0 ? f->state.desc->n_results : named;
  for (size_t i = 0; i < n; i++) PM_VEC_PUSH(f->state.results, type);
}

static bool parse_short_types(pm_parser *p, pm_frame *f) {
  const pm_op_desc *desc = f->state.desc;
  if (!f->refs.len && !desc->n_results) return true;
  if (!pm_q_punct(p, ":")) return false;
  if (pm_q_opt_punct(p, "(")) return parse_function_type(p, f);
  if (!(desc->traits & PM_SAME_TYPE) && desc->n_results) return pm_parser_expected(p, "'('");
  if (!parse_type_list(p, f)) return false;
  if (desc->traits & PM_SAME_TYPE && f->types.len == 1) spread_type(f);
  return true;
}

/* A value on the next line is not an operand but the result of the next op. */
static bool parse_short(pm_parser *p, pm_frame *f) {
  const pm_op_desc *desc = f->state.desc;
  if (desc->n_regions)
    return pm_q_error(p, f->state.loc, "'%s' has no short form; it is written \"%s\"(…)", desc->name,
                      desc->name);
  if (desc->n_args && !p->tok.first_on_line && !pm_q_operands(p, &f->refs)) return false;
  if (!pm_q_opt_attr_dict(p, &f->state)) return false;
  pm_loc loc = p->tok.loc;
  return parse_short_types(p, f) && resolve_operands(p, f, loc);
}

/* --- locations --- */

static bool parse_position(pm_parser *p, uint32_t *value, uint32_t most) {
  int64_t number;
  if (!pm_q_punct(p, ":") || !pm_q_int(p, &number)) return false;
  *value = number < 0 ? 0 : number > most ? most : (uint32_t)number;
  return true;
}

static bool parse_file_loc(pm_parser *p, pm_loc *loc) {
  pm_string file;
  uint32_t line, col;
  if (!pm_q_string(p, &file)) return false;
  if (!parse_position(p, &line, UINT32_MAX) || !parse_position(p, &col, UINT16_MAX)) return false;
  *loc = (pm_loc){line, (uint16_t)col, pm_add_source(p->ctx, file->text, NULL, 0)};
  return true;
}

/* `loc("file":1:2)`, `loc(unknown)` or nothing. */
static bool parse_opt_loc(pm_parser *p, pm_loc *loc) {
  if (!pm_parser_at_word(p, "loc")) return true;
  pm_parser_advance(p);
  if (!pm_q_punct(p, "(")) return false;
  if (pm_q_opt_word(p, "unknown"))
    *loc = PM_NO_LOC;
  else if (!parse_file_loc(p, loc))
    return false;
  return pm_q_punct(p, ")");
}

/* --- ops --- */

static void move_region(pm_region *to, pm_region *from) {
  *to = (pm_region){.op = to->op,
                    .module = to->module,
                    .first = from->first,
                    .last = from->last,
                    .args = from->args,
                    .n_args = from->n_args,
                    .present = from->present};
  for (pm_op *op = to->first; op; op = op->next) op->region = to;
  for (uint32_t i = 0; i < to->n_args; i++) pm_as_arg(to->args[i])->region = to;
}

static bool check_counts(pm_parser *p, const pm_frame *f) {
  const pm_op_state *s = &f->state;
  if (s->operands.len > UINT16_MAX || s->results.len > UINT16_MAX || s->n_regions > UINT16_MAX)
    return pm_q_error(p, s->loc, "more than %d operands, results or regions", UINT16_MAX);
  if (f->groups.len && f->n_named != s->results.len)
    return pm_q_error(p, f->groups.data[0].loc, "'%s' has %zu result%s here, but %llu %s named",
                      s->desc->name, s->results.len, s->results.len == 1 ? "" : "s",
                      (unsigned long long)f->n_named, f->n_named == 1 ? "is" : "are");
  if (pm_has_duplicate_names(s->attr_names.data, s->attr_names.len))
    return pm_q_error(p, s->loc, "'%s' has an attribute twice", s->desc->name);
  return true;
}

static pm_op *make_op(pm_parser *p, pm_frame *f) {
  unsigned n_parsed = f->state.n_regions;
  if (n_parsed < f->state.desc->n_regions) f->state.n_regions = f->state.desc->n_regions;
  pm_op *op = pm_op_new(p->module, &f->state);
  for (unsigned i = 0; i < n_parsed; i++) move_region(pm_region_at(op, i), f->regions.data[i]);
  pm_insert(p->region, NULL, op);
  return op;
}

static bool parse_body(pm_parser *p, pm_frame *f) {
  bool generic;
  if (!parse_op_name(p, f, &generic)) return false;
  name_results(p, f);
  bool ok = generic                ? parse_generic(p, f)
            : f->state.desc->parse ? f->state.desc->parse(p, &f->state)
                                   : parse_short(p, f);
  return ok && parse_opt_loc(p, &f->state.loc) && check_counts(p, f);
}

static bool parse_op_in_frame(pm_parser *p) {
  pm_frame *f = push_frame(p);
  const char *begin = p->tok.start;
  bool ok = parse_result_groups(p, f) && parse_body(p, f);
  pm_op *op = ok ? make_op(p, f) : NULL;
  define_results(p, f, op);
  if (op && p->listener.op) p->listener.op(p->listener.user, op, begin, p->tok.start);
  p->n_frames--;
  return ok;
}

static bool parse_op(pm_parser *p) {
  if (!pm_parser_enter(p)) return false;
  bool ok = parse_op_in_frame(p);
  pm_parser_leave(p);
  return ok;
}

/* --- lists of ops, and going on after an error --- */

static bool begins_op(const pm_token *tok) {
  if (!tok->first_on_line) return false;
  bool has_dot = memchr(tok->text.ptr ? tok->text.ptr : "", '.', tok->text.len) != NULL;
  return tok->kind == PM_TOK_VALUE || ((tok->kind == PM_TOK_WORD || tok->kind == PM_TOK_STRING) && has_dot);
}

/* To the next op, or to the brace that closes the region, after an error in an op that began at `start` when
 * `braces` were open. */
static void recover(pm_parser *p, const char *start, int64_t braces) {
  p->failed = true;
  if (p->tok.start == start) pm_parser_advance(p);
  while (p->tok.kind != PM_TOK_EOF) {
    if (p->braces <= braces && (pm_parser_at_punct(p, '}') || begins_op(&p->tok))) return;
    pm_parser_advance(p);
  }
}

static bool parse_item(pm_parser *p) {
  return p->tok.kind == PM_TOK_HASH && p->n_frames == 0 ? pm_parser_alias(p) : parse_op(p);
}

void pm_parser_ops(pm_parser *p) {
  int64_t braces = p->braces;
  while (p->tok.kind != PM_TOK_EOF && !pm_parser_at_punct(p, '}')) {
    const char *start = p->tok.start;
    if (!parse_item(p)) recover(p, start, braces);
  }
}

/* --- modules --- */

static void free_parser(pm_parser *p) {
  for (size_t i = 0; i < p->frames.len; i++) free_frame(p->frames.data[i]);
  PM_VEC_FREE(p->frames);
  pm_names_free(&p->names);
  pm_map_free(p->aliases);
  pm_buf_free(&p->scratch);
  PM_VEC_FREE(p->inlines);
  pm_arena_free(p->arena);
}

static void init_parser(pm_parser *p, pm_context *ctx, const char *text, size_t len, uint16_t file) {
  *p = (pm_parser){.ctx = ctx, .aliases = pm_map_new(), .arena = pm_arena_new()};
  p->names.source = text;
  p->names.source_end = text + len;
  pm_lexer_init(&p->lexer, text, len, file);
  pm_lex(&p->lexer, &p->tok);
}

static void parse_top(pm_parser *p) {
  pm_scope_push(p, true);
  pm_parser_ops(p);
  while (p->tok.kind != PM_TOK_EOF) {
    pm_q_error(p, p->tok.loc, "a '}' that closes nothing");
    pm_parser_advance(p);
    pm_parser_ops(p);
  }
  pm_scope_pop(p);
}

/* A text with a builtin.module around it gives that module, not one inside another. */
static void unwrap(pm_module *module) {
  pm_region *body = pm_module_body(module);
  pm_op *inner = body->first;
  if (!inner || inner->next || !pm_is(inner, &builtin_module)) return;
  if (inner->n_operands || inner->n_results || inner->n_regions != 1 || !pm_region_at(inner, 0)->present)
    return;
  if (pm_region_at(inner, 0)->n_args) return;
  pm_set_extra(module->op, pm_extra(inner));
  module->op->loc = inner->loc;
  pm_splice(body, pm_region_at(inner, 0));
  pm_op_erase(inner);
}

pm_module *pm_parse_module(pm_context *ctx, const char *name, const char *text, size_t len, bool verify) {
  return pm_parse_module_for(ctx, name, text, len, verify, &(pm_parse_listener){0});
}

pm_module *pm_parse_module_for(pm_context *ctx, const char *name, const char *text, size_t len, bool verify,
                               const pm_parse_listener *listener) {
  pm_parser p;
  uint16_t file = pm_add_source(ctx, name, text, len);
  init_parser(&p, ctx, text, len, file);
  p.listener = *listener;
  pm_module *module = pm_module_new(ctx, (pm_loc){1, 1, file});
  p.module = module;
  p.region = pm_module_body(module);
  parse_top(&p);
  bool ok = !p.failed;
  if (ok) unwrap(module);
  free_parser(&p);
  if (ok && (!verify || pm_verify_module(module))) return module;
  pm_module_free(module);
  return NULL;
}

/* --- single types and attributes --- */

static bool at_end(pm_parser *p) {
  return p->tok.kind == PM_TOK_EOF || pm_parser_expected(p, "the end of the text");
}

pm_type pm_parse_type_text(pm_context *ctx, pm_str text) {
  pm_parser p;
  pm_type type = NULL;
  init_parser(&p, ctx, text.ptr, text.len, pm_add_source(ctx, "<type>", text.ptr, text.len));
  bool ok = pm_q_type(&p, &type) && at_end(&p);
  free_parser(&p);
  return ok ? type : NULL;
}

pm_attr pm_parse_attr_text(pm_context *ctx, pm_str text) {
  pm_parser p;
  pm_attr attr = NULL;
  init_parser(&p, ctx, text.ptr, text.len, pm_add_source(ctx, "<attribute>", text.ptr, text.len));
  bool ok = pm_q_attr(&p, NULL, &attr) && at_end(&p);
  free_parser(&p);
  return ok ? attr : NULL;
}
