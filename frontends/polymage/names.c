/* Final names: unique among parameters, images and stages. */
#include "frontends/polymage/lower.h"

static const char *fallback(const dsl_symbol *symbol) {
  switch (symbol->kind) {
  case DSL_PARAMETER:
    return "param";
  case DSL_VARIABLE:
    return "x";
  case DSL_IMAGE:
    return symbol->values ? "table" : "img";
  case DSL_FUNCTION:
    return "f";
  }
  return "s";
}

static void name_symbol(dsl_symbol *symbol, kit_names *names) {
  const char *given = symbol->given && symbol->given->len > 0 ? symbol->given->text : fallback(symbol);
  symbol->name = kit_names_find(names, given);
  if (symbol->kind != DSL_VARIABLE) kit_names_take(names, symbol->name);
}

/* Explicit names are kept before derived ones; variables need only differ from parameters. */
void lower_names(dsl_program *program) {
  kit_names all, params;
  kit_names_init(&all, program->ctx);
  kit_names_init(&params, program->ctx);
  for (int derived = 0; derived < 2; derived++)
    for (size_t i = 0; i < program->symbols.len; i++) {
      dsl_symbol *symbol = program->symbols.data[i];
      if (symbol->kind == DSL_VARIABLE || symbol->explicit_name == (derived != 0)) continue;
      name_symbol(symbol, &all);
      if (symbol->kind == DSL_PARAMETER) kit_names_take(&params, symbol->name);
    }
  for (size_t i = 0; i < program->symbols.len; i++)
    if (program->symbols.data[i]->kind == DSL_VARIABLE) name_symbol(program->symbols.data[i], &params);
  kit_names_free(&all);
  kit_names_free(&params);
}

/* A symbol that callers name. */
static void warn_renamed(const dsl_program *program, const dsl_symbol *symbol) {
  const char *why = symbol->given && symbol->given->len ? kit_why_renamed(symbol->given->text) : NULL;
  if (!why) return;
  pm_buf text = {0};
  dsl_put_symbol(&text, symbol);
  pm_warning(program->ctx, symbol->loc, "%s is named %pS for callers: '%pS' %s", text.data,
             (const void *)symbol->name, (const void *)symbol->given, why);
  pm_buf_free(&text);
}

void lower_warn_names(const dsl_program *program, const dsl_symbols *live_outs) {
  for (size_t i = 0; i < program->symbols.len; i++) {
    const dsl_symbol *symbol = program->symbols.data[i];
    if (symbol->kind == DSL_PARAMETER || symbol->kind == DSL_IMAGE) warn_renamed(program, symbol);
  }
  for (size_t i = 0; i < live_outs->len; i++) warn_renamed(program, live_outs->data[i]);
}

bool lower_same_place(pm_loc a, pm_loc b) {
  return a.file == b.file && a.line == b.line && a.col == b.col;
}

static bool report_clash(const dsl_program *program, const dsl_symbol *first, const dsl_symbol *again) {
  pm_error(program->ctx, again->loc,
           "%s is named '%pS', which is the name of %s already: names should differ", dsl_describe(again),
           (const void *)again->given, dsl_describe(first));
  if (lower_same_place(first->loc, again->loc))
    pm_note(
        program->ctx, first->loc,
        "it is made here more than once, as by code that runs again: what has the earlier one should be made "
        "anew, too");
  else
    pm_note(program->ctx, first->loc, "%s of that name", dsl_describe(first));
  return false;
}

/* One place of the text may make several stages of one name, by a function that is called more than once.
 * Parameters and images are named by who calls the pipeline. A name that was reported has NULL in the map: a
 * loop may make thousands of it. */
bool lower_check_names(const dsl_program *program) {
  pm_map *named = pm_map_new();
  bool ok = true;
  for (size_t i = 0; i < program->symbols.len; i++) {
    dsl_symbol *symbol = program->symbols.data[i];
    if (symbol->kind == DSL_VARIABLE || !symbol->explicit_name || symbol->given->len == 0) continue;
    const dsl_symbol *first = pm_map_get(named, symbol->given);
    if (first && symbol->kind == DSL_FUNCTION && lower_same_place(first->loc, symbol->loc)) continue;
    if (first) ok = report_clash(program, first, symbol);
    if (first || !pm_map_has(named, symbol->given)) pm_map_set(named, symbol->given, first ? NULL : symbol);
  }
  pm_map_free(named);
  return ok;
}
