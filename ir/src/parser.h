/* The parser's own state, shared by parser.c (modules and ops), parser_names.c (values), parser_attrs.c
 * (types, attributes, affine expressions) and parser_hooks.c (what parse hooks call).
 *
 * An op is made only after all of its text was read, but its regions come before that: they are filled as
 * regions of the frame's `carrier` and move to the op when it exists. Names of values are found by their
 * text, hashed once; a use before its definition gets a placeholder that the definition replaces.
 */
#ifndef PM_IR_SRC_PARSER_H
#define PM_IR_SRC_PARSER_H

#include "ir/src/ir_private.h"
#include "ir/lexer.h"
#include "ir/text.h"

enum { PM_MAX_NESTING = 512, PM_MAX_AFFINE_OPERATORS = 2048, PM_MAX_REGION_ARGS = 1024 };

/* What a name stands for now: `count` values from `first` on; count 0 for nothing; first NULL when the op
 * that would have defined it did not parse, so that its uses are no errors. */
typedef struct pm_binding {
  pm_value *first;
  pm_loc loc;
  uint16_t count;
  uint16_t depth; /* of the scope */
} pm_binding;

typedef struct pm_name {
  pm_value *first; /* this to `depth`: its pm_binding */
  pm_loc loc;
  uint16_t count, depth;
  uint32_t at; /* where it stands in the source first */
} pm_name;

/* A use before its definition. Their depths never decrease along the list. */
typedef struct pm_pending {
  pm_value *placeholder; /* NULL once resolved */
  uint32_t name, number;
  uint32_t depth;
  uint32_t before; /* of the same name: index + 1, or 0 */
  pm_loc loc;
} pm_pending;

typedef struct pm_undo {
  uint32_t name : 31;
  uint32_t hides : 1; /* what it stood for before is the last of `hidden` */
} pm_undo;

typedef struct pm_scope {
  size_t undo_start;
  uint32_t base; /* the outermost depth whose names are seen */
  bool isolated;
} pm_scope;

enum { PM_NAMES_A_PAGE = 1024 };

typedef struct pm_names {
  const char *source, *source_end;
  uint32_t *table; /* number of a name + 1 */
  size_t cap;
  PM_VEC(pm_name *) pages; /* of PM_NAMES_A_PAGE names each */
  uint32_t n_names;
  PM_VEC(pm_undo) undo;
  PM_VEC(pm_binding) hidden; /* of the outside of isolated ops */
  PM_VEC(pm_pending) pending;
  PM_VEC(uint32_t) last_pending; /* of the names up to the last one that has had any: index + 1, or 0 */
  PM_VEC(pm_scope) scopes;
} pm_names;

/* `%name:count` before an op. */
typedef struct pm_result_group {
  pm_str name;
  uint32_t count;
  pm_loc loc;
} pm_result_group;

/* What is known of an op while its text is read. `state` comes first: hooks hand it back. */
typedef struct pm_frame {
  pm_op_state state;
  pm_op carrier;
  PM_VEC(pm_region *) regions; /* made once, used again by later ops */
  PM_VEC(pm_result_group) groups;
  uint64_t n_named;
  pm_operand_refs refs;
  PM_VEC(pm_type) types;
} pm_frame;

/* A way to write an op inside another. */
typedef struct pm_inline_entry {
  const pm_op_desc *desc;
  const pm_inline_form *form;
} pm_inline_entry;

struct pm_parser {
  pm_context *ctx;
  pm_module *module; /* NULL when only a type or an attribute is read */
  pm_region *region; /* where ops go */
  pm_lexer lexer;
  pm_token tok;
  bool failed;
  bool end_is_told; /* that the text ends too early; or it is not to be, behind what is nested too deep */
  int64_t braces;   /* '{' less '}' consumed so far */
  unsigned depth;
  pm_names names;
  PM_VEC(pm_frame *) frames;
  size_t n_frames;
  pm_map *aliases; /* pm_string -> pm_attr */
  pm_buf scratch;
  pm_arena *arena;                 /* placeholders */
  PM_VEC(pm_inline_entry) inlines; /* of all dialects, collected when the first is looked for */
  unsigned inline_depth;
  pm_parse_listener listener;
};

/* --- parser.c --- */
void pm_parser_advance(pm_parser *p);
bool pm_parser_expected(pm_parser *p, const char *what);
bool pm_parser_enter(pm_parser *p); /* one level deeper; false after a diagnostic, and then not deeper */
void pm_parser_leave(pm_parser *p);
static inline bool pm_parser_at_punct(const pm_parser *p, char c) {
  return p->tok.kind == PM_TOK_PUNCT && p->tok.text.len == 1 && *p->tok.text.ptr == c;
}
static inline bool pm_parser_at_word(const pm_parser *p, const char *word) {
  return p->tok.kind == PM_TOK_WORD && pm_str_is(p->tok.text, word);
}
/* One more than the edit distance at which another word is still worth suggesting for one of `len`
 * characters. */
static inline unsigned pm_typo_limit(size_t len) {
  return (unsigned)(len < 90 ? len / 3 : 30) + 1;
}
/* The token's text with escapes resolved; valid until the next call. */
pm_str pm_parser_text(pm_parser *p);
/* Ops up to '}' or the end of the text, into p->region. */
void pm_parser_ops(pm_parser *p);
pm_frame *pm_parser_frame(pm_parser *p);

static inline void pm_parser_tell_use(pm_parser *p, pm_loc loc, pm_loc other) {
  if (p->listener.use) p->listener.use(p->listener.user, loc, other);
}

/* --- parser_names.c --- */
void pm_names_free(pm_names *names);
void pm_scope_push(pm_parser *p, bool isolated);
/* Uses that are not defined yet become the business of the scope around it, or errors if there is none to be
 * seen. */
void pm_scope_pop(pm_parser *p);
/* Binds a name in the innermost scope; false after a diagnostic when it is bound already. */
bool pm_define(pm_parser *p, pm_str name, pm_value *first, uint32_t count, pm_loc loc);
/* The value of a reference when it is defined already, else NULL. `poisoned`: its definition did not parse.
 */
pm_value *pm_find_value(pm_parser *p, const pm_operand_ref *ref, bool *poisoned);
/* The value, or a placeholder of `type`; NULL after a diagnostic. */
pm_value *pm_use_value(pm_parser *p, const pm_operand_ref *ref, pm_type type);
/* Reports a use of something that is not defined, naming the nearest name that is; false. */
bool pm_undefined_value(pm_parser *p, const pm_operand_ref *ref);
/* NULL for names that are only digits: these are not kept. */
pm_string pm_kept_name(pm_parser *p, pm_str name);

/* --- parser_attrs.c --- */
/* `{name = attr, unit}` appended to the two lists. */
typedef struct pm_attr_list {
  PM_VEC(pm_string) names;
  PM_VEC(pm_attr) items;
} pm_attr_list;
bool pm_parser_attr_dict(pm_parser *p, pm_attr_list *list);
bool pm_has_duplicate_names(const pm_string *names, size_t n);
bool pm_parser_alias(pm_parser *p);

/* --- parser_affine.c --- */
bool pm_parser_affine_map(pm_parser *p, pm_affine_map *map);

#endif
