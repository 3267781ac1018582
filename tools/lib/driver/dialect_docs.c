#include "tools/lib/driver/dialect_docs.h"

#include "tools/lib/driver/frontend_options.h"

#include "frontends/frontend.h"
#include "ir/attributes.h"
#include "ir/op_desc.h"
#include "ir/pass.h"

#include <ctype.h>

static const struct {
  uint32_t trait;
  const char *name;
} trait_names[] = {{PM_PURE, "PURE"},
                   {PM_COMMUTES, "COMMUTES"},
                   {PM_SAME_TYPE, "SAME_TYPE"},
                   {PM_TERMINATOR, "TERMINATOR"},
                   {PM_SYMBOL, "SYMBOL"},
                   {PM_CONSTANT, "CONSTANT"},
                   {PM_ISOLATED, "ISOLATED"},
                   {PM_READS, "READS"},
                   {PM_WRITES, "WRITES"},
                   {PM_ALLOCATES, "ALLOCATES"},
                   {PM_SAME_OPERANDS, "SAME_OPERANDS"},
                   {PM_RECURSIVE_EFFECTS, "RECURSIVE_EFFECTS"}};

static const char *type_constraint_name(int constraint) {
  static const char *const names[] = {
      [T_ANY] = "any type",
      [T_INT_LIKE] = "integer or index, scalar or vector",
      [T_FLOAT_LIKE] = "float, scalar or vector",
      [T_NUM_LIKE] = "number, scalar or vector",
      [T_BOOL_LIKE] = "i1, scalar or vector",
      [T_INDEX] = "index",
      [T_AFFINE] = "scalar integer or index",
      [T_SCALAR] = "scalar",
      [T_VECTOR] = "vector",
      [T_MEMREF] = "memref",
      [T_VALUE] = "anything but a memref",
      [T_ELEMENT] = "scalar, or type of a dialect",
      [T_CUSTOM] = "type of a dialect",
  };
  return names[constraint];
}

static const char *attr_constraint_name(int constraint) {
  static const char *const names[] = {
      [A_ANY] = "any attribute",
      [A_UNIT] = "unit",
      [A_INT] = "integer",
      [A_BOOL] = "bool",
      [A_FLOAT] = "float",
      [A_NUMBER] = "number",
      [A_STRING] = "string",
      [A_SYMBOL] = "symbol",
      [A_TYPE] = "type",
      [A_ARRAY] = "array",
      [A_INTS] = "array of integers",
      [A_DICT] = "dictionary",
      [A_MAP] = "affine map",
      [A_DENSE] = "dense numbers",
      [A_CUSTOM] = "attribute of a dialect",
  };
  return names[constraint];
}

static const char *constraint_name(const pm_row *row) {
  if (row->kind == PM_ROW_ATTR) return attr_constraint_name(row->constraint);
  if (row->kind == PM_ROW_REGION) return row->constraint == R_GRAPH ? "graph" : "sequence";
  return type_constraint_name(row->constraint);
}

static const char *kind_name(const pm_row *row) {
  static const char *const names[] = {[PM_ROW_ARG] = "operand",
                                      [PM_ROW_RES] = "result",
                                      [PM_ROW_ATTR] = "attribute",
                                      [PM_ROW_REGION] = "region"};
  return names[row->kind];
}

static const char *number_name(const pm_row *row) {
  return row->variadic ? "s" : row->optional ? " (optional)" : "";
}

/* Text inside a table: '|' would end the cell. */
static void put_cell(pm_buf *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|') pm_buf_putc(out, '\\');
    pm_buf_putc(out, *text);
  }
}

/* A row's text as a paragraph. */
static void put_sentence(pm_buf *out, const char *text) {
  pm_buf_putc(out, (char)toupper((unsigned char)*text));
  pm_buf_printf(out, "%s.\n\n", *text ? text + 1 : "");
}

static void put_rows(const pm_row *rows, pm_buf *out) {
  for (; rows->kind != PM_ROW_END; rows++) {
    pm_buf_printf(out, "| %s%s | `%s` | %s | ", kind_name(rows), number_name(rows), rows->name,
                  constraint_name(rows));
    put_cell(out, rows->doc);
    pm_buf_puts(out, " |\n");
  }
}

static void put_traits(uint32_t traits, pm_buf *out) {
  const char *separator = "Traits: ";
  for (size_t i = 0; i < PM_COUNT(trait_names); i++) {
    if (!(traits & trait_names[i].trait)) continue;
    pm_buf_printf(out, "%s%s", separator, trait_names[i].name);
    separator = ", ";
  }
  if (traits) pm_buf_puts(out, ".\n\n");
}

static void put_rules(const pm_rule *rules, pm_buf *out) {
  if (!rules || !rules->name) return;
  pm_buf_puts(out, "Rules:\n\n");
  for (; rules->name; rules++) pm_buf_printf(out, "- `%s`: `%s`\n", rules->name, rules->law);
  pm_buf_putc(out, '\n');
}

static void put_inline_form(const pm_inline_form *form, pm_buf *out) {
  switch (form->kind) {
  case PM_INLINE_CALL:
    pm_buf_printf(out, "`%s(a, b)`", form->spelling);
    break;
  case PM_INLINE_CAST:
    pm_buf_printf(out, "`%s(%%a: i32)`", form->spelling);
    break;
  case PM_INLINE_NUMBER:
    pm_buf_puts(out, "`4`");
    break;
  case PM_INLINE_QUOTIENT:
    pm_buf_printf(out, "`a %s 4`", form->spelling);
    break;
  default:
    pm_buf_printf(out, "`a %s b`", form->spelling);
  }
}

/* How it is written inside another op, and which of its operands are. */
static void put_inline(const pm_op_desc *op, pm_buf *out) {
  const pm_inline_form *form = op->inline_forms;
  if (form && form->kind) pm_buf_puts(out, "Inside the op that uses it: ");
  for (bool first = true; form && form->kind; form++, first = false) {
    if (!first) pm_buf_puts(out, ", ");
    put_inline_form(form, out);
  }
  if (form && form != op->inline_forms) pm_buf_puts(out, ".\n\n");
  if (op->inline_operands == PM_ALL_OPERANDS) pm_buf_puts(out, "Inside it: what computes its operands.\n\n");
  if (op->inline_operands == 1) pm_buf_puts(out, "Inside it: what computes its first operand.\n\n");
  if (op->inline_operands > 1 && op->inline_operands < PM_ALL_OPERANDS)
    pm_buf_printf(out, "Inside it: what computes its first %u operands.\n\n", (unsigned)op->inline_operands);
}

static const char table_head[] = "| | name | constraint | meaning |\n|---|---|---|---|\n";

static void put_params(const pm_row *params, pm_buf *out) {
  if (!params || params->kind == PM_ROW_END) return;
  pm_buf_puts(out, table_head);
  put_rows(params, out);
  pm_buf_putc(out, '\n');
}

void pm_put_op_docs(const pm_op_desc *op, pm_buf *out) {
  put_sentence(out, op->doc);
  put_traits(op->traits, out);
  put_inline(op, out);
  if (op->n_args + op->n_results + op->n_attrs + op->n_regions) {
    pm_buf_puts(out, table_head);
    put_rows(op->args, out);
    put_rows(op->attrs, out);
    put_rows(op->regions, out);
    put_rows(op->results, out);
    pm_buf_putc(out, '\n');
  }
  put_rules(op->rules, out);
}

static void put_attr_kinds(const pm_attr_kind *const *kinds, pm_buf *out) {
  for (; kinds && *kinds; kinds++) {
    pm_buf_printf(out, "### #%s\n\n", (*kinds)->name);
    put_sentence(out, (*kinds)->doc);
    put_params((*kinds)->params, out);
  }
}

static void put_type_kinds(const pm_type_kind *const *kinds, pm_buf *out) {
  for (; kinds && *kinds; kinds++) {
    pm_buf_printf(out, "### !%s\n\n", (*kinds)->name);
    put_sentence(out, (*kinds)->doc);
    put_params((*kinds)->params, out);
  }
}

void pm_print_dialect_docs(pm_context *ctx, pm_buf *out) {
  pm_buf_puts(out, "# Dialects\n\nMade from the rows by `pm-opt --print-dialect-docs`.\n\n");
  for (size_t i = 0; i < pm_dialect_count(ctx); i++) {
    const pm_dialect *dialect = pm_dialect_at(ctx, i);
    pm_buf_printf(out, "## %s\n\n", dialect->name);
    put_sentence(out, dialect->doc);
    put_attr_kinds(dialect->attr_kinds, out);
    put_type_kinds(dialect->type_kinds, out);
    for (const pm_op_desc *const *op = dialect->ops; *op; op++) {
      pm_buf_printf(out, "### %s\n\n", (*op)->name);
      pm_put_op_docs(*op, out);
    }
  }
}

void pm_list_dialects(pm_context *ctx, pm_buf *out) {
  for (size_t i = 0; i < pm_dialect_count(ctx); i++) {
    const pm_dialect *dialect = pm_dialect_at(ctx, i);
    size_t n = 0;
    while (dialect->ops[n]) n++;
    pm_buf_printf(out, "%-8s %2zu ops  %s\n", dialect->name, n, dialect->doc);
  }
}

void pm_list_frontends(const pm_context *ctx, pm_buf *out) {
  for (size_t i = 0; i < pm_frontend_count(ctx); i++) {
    const pm_frontend *frontend = pm_frontend_at(ctx, i);
    pm_buf_printf(out, "%s (", frontend->name);
    for (const char *const *e = frontend->extensions; *e; e++)
      pm_buf_printf(out, "%s.%s", e == frontend->extensions ? "" : " ", *e);
    pm_buf_printf(out, "): %s\n", frontend->doc);
    for (const pm_frontend_option *o = frontend->options; o->name; o++)
      pm_buf_printf(out, "  %s%s%s%s  %s\n", pm_option_dashes(o->name), o->name, o->name[1] ? "=" : " ",
                    o->form, o->doc);
  }
}

/* "wants a, b"; nothing for no forms. */
static void put_forms(pm_buf *out, const char *verb, const pm_form *const *forms, bool *any) {
  if (!forms) return;
  pm_buf_printf(out, "%s%s", *any ? "; " : "  ", verb);
  for (size_t i = 0; forms[i]; i++) pm_buf_printf(out, "%s %s", i ? "," : "", forms[i]->name);
  *any = true;
}

static void put_all_forms(pm_buf *out, const pm_pass_desc *pass) {
  bool any = false;
  put_forms(out, "wants", pass->wants, &any);
  put_forms(out, "gives", pass->gives, &any);
  put_forms(out, "ends", pass->ends, &any);
  if (pass->any_ops) pm_buf_printf(out, "%stakes ops of dialects that are not loaded", any ? "; " : "  ");
  if (any || pass->any_ops) pm_buf_putc(out, '\n');
}

void pm_list_passes(pm_context *ctx, pm_buf *out) {
  for (size_t i = 0; i < pm_pass_count(ctx); i++) {
    const pm_pass_desc *pass = pm_pass_at(ctx, i);
    pm_buf_printf(out, "%s (on %s): %s\n", pass->name, pass->anchor, pass->doc);
    put_all_forms(out, pass);
    for (const pm_opt_desc *opt = pass->opts; opt && opt->name; opt++)
      pm_buf_printf(out, "  %s=%s%s%s  %s\n", opt->name, opt->fallback, *opt->values ? "  in " : "",
                    opt->values, opt->doc);
  }
}
