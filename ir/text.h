/* The text form: parsing and printing of modules, and the toolkits that print and parse hooks are written
 * with.
 *
 * Generic form, which every op has; regions at the end that are absent are left out:
 *   %r:2 = "dialect.op"(%a, %b) {attr = 1 : i32, unit} ({ ^bb(%x: index): … }, { … })
 *       : (i32, i32) -> (i32, i32) loc(…)
 *
 * Short form of ops without a print hook and without regions:
 *   %r = arith.addi %a, %b {extra} : i32      (SAME_TYPE)
 *   %r = arith.cast %a : (i32) -> f32         (others)
 *   loop.yield %a, %b : i32, f32              (others without results; no types when no operands)
 *
 * Ops inside others: an op that computes a bound, an extent or a condition may be written where it is used,
 *   loop.for %i = max(index(%R: i32), 2) to index(%R: i32) + 2 step 1 { … }
 *
 * in place of
 *   %0 = arith.cast %R : (i32) -> index
 *   %1 = arith.constant 2 : index
 *   %2 = arith.maxi %0, %1 : index
 *   …
 *   loop.for %i = %2 to %5 step 1 { … }
 *
 * The parser makes these ops, in the order of the text, operands first, right before the op around them. The
 * printer writes so (pm_print_options.inlines) what it finds in exactly that place and order: ops that have
 * an INLINE_FORM row, no other attributes, and a result without a name, of one use, which is an
 * INLINE_OPERANDS of the op or inside. Numbers of values count the hidden ones. So one text is one IR, and
 * the same numbers are in all its forms. From the loosest on: `or`; `and`; == != < <= > >=; + -; * floordiv
 * mod. The last two have a number from 1 on to their right.
 *
 * Ops with regions and no hook print in the generic form. Several results are named one by one, `%r, %s = …`,
 * or together, `%r:2 = …` (used as %r#0, %r#1). `// comments`, alias definitions `#name = attr` and
 * `loc("file":1:2)` as in MLIR. A module may be written with or without its `builtin.module { }` around it;
 * it is printed with.
 */
#ifndef PM_IR_TEXT_H
#define PM_IR_TEXT_H

#include "ir/ir.h"

typedef struct pm_parser pm_parser;
typedef struct pm_printer pm_printer;

/* --- whole modules --- */
/* NULL after diagnostics; a parse goes on after an error at the next op, so several may be reported. `name`
 * is the file's name in locations. The result is verified unless `verify` is false. */
pm_module *pm_parse_module(pm_context *ctx, const char *name, const char *text, size_t len, bool verify);
/* What a parse finds, told while it reads, also of a text with errors. Each may be NULL. What they are given
 * is still being made: it may be read, and kept only where it is the context's. */
typedef struct pm_parse_listener {
  void *user;
  /* The op was made of the text from `begin` on; the next token begins at `end`. Those inside come first. */
  void (*op)(void *user, const pm_op *op, const char *begin, const char *end);
  /* The name at `loc` means `count` values from `first` on; NULL: their op did not parse. */
  void (*define)(void *user, pm_loc loc, const pm_value *first, uint32_t count);
  /* The name at `loc` means what that at `other` means: a definition, or a use in the same op. */
  void (*use)(void *user, pm_loc loc, pm_loc other);
} pm_parse_listener;
/* The same with a listener. */
pm_module *pm_parse_module_for(pm_context *ctx, const char *name, const char *text, size_t len, bool verify,
                               const pm_parse_listener *listener);
typedef struct pm_print_options {
  bool generic; /* no custom forms */
  bool locs;    /* print loc(…) */
  bool inlines; /* ops inside others, unless in the generic form or with locations */
  bool aliases; /* of what is long and printed twice or more, unless in the generic form */
} pm_print_options;
#define PM_PRINT_READABLE ((pm_print_options){.inlines = true, .aliases = true})
void pm_print_module(pm_buf *out, pm_module *module, pm_print_options options);
/* The same text in pieces, each of some whole ops. */
void pm_print_module_in_pieces(pm_module *module, pm_print_options options,
                               void (*put)(void *user, const char *text, size_t len), void *user);
/* One op with what is inside, without a newline at the end and without aliases; values defined outside print
 * with their names. An op that does not verify should be printed in the generic form: print hooks rely on
 * what verify hooks check. */
void pm_print_op(pm_buf *out, const pm_op *op, pm_print_options options);
void pm_print_value(pm_buf *out, const pm_value *value);
/* A type or attribute from text; NULL after a diagnostic. */
pm_type pm_parse_type_text(pm_context *ctx, pm_str text);
pm_attr pm_parse_attr_text(pm_context *ctx, pm_str text);

/* --- for print hooks: called after `%r = dialect.op` was printed; they print what follows, the leading space
 * included. Hooks print types themselves; results are named by the printer. --- */
void pm_p(pm_printer *p, const char *fmt, ...) PM_PRINTF(2, 3); /* with %pT %pA %pS of diag.h */
void pm_p_value(pm_printer *p, const pm_value *value);
void pm_p_values(pm_printer *p, const pm_use *operands, unsigned n); /* %a, %b */
/* One of the op's INLINE_OPERANDS: what computes it, if that is printed inside, else its name. */
void pm_p_inline(pm_printer *p, const pm_value *value);
void pm_p_inlines(pm_printer *p, const pm_use *operands, unsigned n); /* max(%a, 1), %b + 2 */
/* Map results over operands: [%x - 1, %y + 2]; brackets are the hook's. */
void pm_p_map(pm_printer *p, pm_affine_map map, const pm_use *operands);
/* An attribute, by its alias when the module gives it one. */
void pm_p_attr(pm_printer *p, pm_attr attr);
void pm_p_symbol(pm_printer *p, pm_string name); /* @name, quoted when needed */
/* ` {…}`: all attributes but those named; nothing when none is left. `but` may be NULL, else NULL-terminated.
 */
void pm_p_attr_dict(pm_printer *p, const pm_op *op, const char *const *but);
/* ` name`, ` name 4`, ` name [1, 2]` or ` name "x"` for each of the n attributes from row `first` on that the
 * op has: as rows say that they are units, integers or arrays of integers, which are of type index, or
 * others. */
void pm_p_word_attrs(pm_printer *p, const pm_op *op, unsigned first, unsigned n);
/* `{` newline ops `}`; the arguments are printed as ^bb(%x: t): unless the hook did so itself with pm_p_args.
 */
void pm_p_region(pm_printer *p, const pm_region *region, bool print_args);
void pm_p_args(pm_printer *p, const pm_region *region, bool types); /* (%x: index, %y: index) or (%x, %y) */
/* A fresh line inside the current indentation, for clauses that would make a line too long. */
void pm_p_newline(pm_printer *p, int extra_indent);

/* --- for parse hooks: called after `%r = dialect.op`; they fill `state` (desc, loc, and result names are
 * set; regions through pm_q_region). All return false after a diagnostic, unless they begin with pm_q_opt.
 * --- */
typedef struct pm_operand_ref { /* a use whose type is not known yet */
  pm_str name;
  unsigned number; /* the n of %name#n */
  pm_loc loc;
} pm_operand_ref;
typedef PM_VEC(pm_operand_ref) pm_operand_refs;
pm_context *pm_q_context(pm_parser *p);
pm_loc pm_q_loc(pm_parser *p); /* of the next token */
bool pm_q_error(pm_parser *p, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
bool pm_q_opt_punct(pm_parser *p, const char *punct); /* ( ) [ ] { } < > , : = -> */
bool pm_q_punct(pm_parser *p, const char *punct);
bool pm_q_opt_word(pm_parser *p, const char *word);
bool pm_q_word(pm_parser *p, const char *word);
bool pm_q_name(pm_parser *p, pm_string *name); /* any bare word */
bool pm_q_int(pm_parser *p, int64_t *value);   /* with sign */
bool pm_q_string(pm_parser *p, pm_string *text);
bool pm_q_symbol(pm_parser *p, pm_string *name); /* @name */
bool pm_q_type(pm_parser *p, pm_type *type);
bool pm_q_type_or_tuple(pm_parser *p, pm_type *type); /* also `(f32, i32)` */
/* hint: type of a bare number, or NULL. With a hint, a `: type` after the number is read only when it is that
 * type. */
bool pm_q_attr(pm_parser *p, pm_type hint, pm_attr *attr);
bool pm_q_attr_into(pm_parser *p, pm_op_state *state, const char *name, pm_type hint);
bool pm_q_opt_attr_dict(pm_parser *p, pm_op_state *state);
/* What pm_p_word_attrs prints, in the order of the rows. False after a diagnostic; true also when none is
 * there. */
bool pm_q_opt_word_attrs(pm_parser *p, pm_op_state *state, unsigned first, unsigned n);
bool pm_q_operand(pm_parser *p, pm_operand_ref *ref);
bool pm_q_operands(pm_parser *p, pm_operand_refs *refs); /* %a, %b up to what cannot be one */
bool pm_q_resolve(pm_parser *p, const pm_operand_ref *ref, pm_type type,
                  pm_op_state *state); /* appends an operand */
/* What pm_p_inline prints, of that type: appends an operand. Its ops go before the one being made. */
bool pm_q_inline(pm_parser *p, pm_type type, pm_op_state *state);
bool pm_q_inlines(pm_parser *p, pm_type type, pm_op_state *state); /* one or more, separated by commas */
/* Comma-separated affine expressions over %values and integers, up to what cannot go on; distinct values
 * become dims in order of appearance. Those in `symbol(%v)` become symbols; in `refs` they follow the dims.
 */
bool pm_q_map(pm_parser *p, pm_affine_map *map, pm_operand_refs *refs);
/* Like pm_q_resolve for operands of an affine map: takes each value with the type it was defined with (which
 * must be known already: no forward references there). */
bool pm_q_resolve_affine(pm_parser *p, const pm_operand_refs *refs, pm_op_state *state);
/* `{ ops }` into region number `i` of the op being made; `args` (n_args names with types) become its
 * arguments, or, with args NULL, `^bb(%x: t):` is read if it is there. */
typedef struct pm_arg_spec {
  pm_str name;
  pm_type type;
  pm_loc loc;
} pm_arg_spec;
typedef PM_VEC(pm_arg_spec) pm_arg_specs;
bool pm_q_region(pm_parser *p, pm_op_state *state, unsigned i, const pm_arg_specs *args);
/* (%x: index, %y: index), or (%x, %y) with all of `type` when that is given. */
bool pm_q_args(pm_parser *p, pm_type type, pm_arg_specs *args);

#endif
