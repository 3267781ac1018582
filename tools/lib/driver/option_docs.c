#include "tools/lib/driver/option_docs.h"

#include "dialects/machine/machine.h"
#include "pm/compile.h"
#include "frontends/frontend.h"
#include "tools/lib/message.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the tables: an option, or a heading with neither a name nor a letter. */
typedef struct row {
  const char *name, *arg, *doc;
  char letter; /* 0: none */
  bool may_lack_arg;
  bool only_says; /* what an option means, and is none */
  bool again;     /* an option that is there already, of another frontend */
  char *words;    /* that may be its value, each with a space behind it; NULL: there is no such list */
} row;

typedef struct tables {
  const char *tool;
  const struct argp *argp;
  PM_VEC(row) rows;
} tables;

static bool is_heading(const row *r) {
  return !r->name && !r->letter;
}

static bool is_option(const row *r) {
  return !is_heading(r) && !r->only_says && !r->again;
}

/* --- reading the tables --- */

static bool is_known(const tables *t, const struct argp_option *option) {
  for (size_t i = 0; i < t->rows.len && option->name; i++)
    if (t->rows.data[i].name && strcmp(t->rows.data[i].name, option->name) == 0) return true;
  return false;
}

/* What two frontends have is one option of the shells. An alias has what the option above it has. */
static void take_option(tables *t, const struct argp_option *option) {
  bool alias = option->flags & OPTION_ALIAS;
  char letter = option->key > 0 && option->key < 128 && isprint(option->key) ? (char)option->key : 0;
  if (option->flags & OPTION_HIDDEN) return;
  row r = alias && t->rows.len ? PM_VEC_LAST(t->rows) : (row){.arg = option->arg, .doc = option->doc};
  r.name = option->name;
  r.letter = letter;
  r.may_lack_arg = r.may_lack_arg || option->flags & OPTION_ARG_OPTIONAL;
  r.only_says = option->flags & OPTION_DOC;
  r.again = is_known(t, option);
  PM_VEC_PUSH(t->rows, r);
}

static void take_tables(tables *t, const struct argp *argp) {
  const struct argp_option *o = argp->options;
  for (; o && (o->name || o->key || o->doc); o++)
    if (o->name || o->key)
      take_option(t, o);
    else
      PM_VEC_PUSH(t->rows, ((row){.doc = o->doc}));
  for (const struct argp_child *c = argp->children; c && c->argp; c++) {
    if (c->header) PM_VEC_PUSH(t->rows, ((row){.doc = c->header}));
    take_tables(t, c->argp);
  }
}

/* --- parts of texts --- */

/* The text with a backslash before each of these characters. */
static void put_escaped(pm_buf *out, const char *text, size_t len, const char *special) {
  for (size_t i = 0; i < len; i++) {
    if (strchr(special, text[i])) pm_buf_puts(out, "\\");
    pm_buf_put(out, text + i, 1);
  }
}

/* --- values --- */

static void put_word(pm_buf *words, const char *word, size_t len) {
  pm_buf_put(words, word, len);
  pm_buf_puts(words, " ");
}

/* "strict" and so on of "strict|contract|fast"; of "zero|edge|mirror=N" those before the number; nothing of
 * what stands for a value, as FILE does. */
static void put_words_of(pm_buf *words, const char *arg) {
  while (arg && *arg) {
    size_t len = strcspn(arg, "|"), n = 0;
    while (n < len && (islower((unsigned char)arg[n]) || isdigit((unsigned char)arg[n]) || arg[n] == '-'))
      n++;
    if (n > 0 && (n == len || (arg[n] == '=' && isupper((unsigned char)arg[n + 1])))) put_word(words, arg, n);
    arg += len + (arg[len] == '|');
  }
}

static void put_machines(pm_buf *words) {
  const char *name;
  pm_buf_puts(words, "host ");
  for (size_t i = 0; (name = pm_machine_name_at(i)); i++) put_word(words, name, strlen(name));
}

/* What the library has of the names that an option takes. */
static void put_names(pm_buf *words, const pm_context *ctx, const char *option) {
  bool targets = strcmp(option, "target") == 0 || strcmp(option, "to") == 0;
  for (size_t i = 0; targets && i < pm_target_count(ctx); i++)
    put_word(words, pm_target_at(ctx, i)->name, strlen(pm_target_at(ctx, i)->name));
  for (size_t i = 0; strcmp(option, "from") == 0 && i < pm_frontend_count(ctx); i++)
    put_word(words, pm_frontend_at(ctx, i)->name, strlen(pm_frontend_at(ctx, i)->name));
  if (strcmp(option, "machine") == 0) put_machines(words);
}

static void find_words(tables *t) {
  pm_context *ctx = pm_library_context();
  for (size_t i = 0; i < t->rows.len; i++) {
    row *r = &t->rows.data[i];
    pm_buf words = {0};
    if (!is_option(r)) continue;
    put_words_of(&words, r->arg);
    if (r->name) put_names(&words, ctx, r->name);
    if (words.len) r->words = pm_buf_take(&words);
  }
  pm_context_free(ctx);
}

static bool takes_path(const row *r) {
  return r->arg && (strstr(r->arg, "FILE") || strstr(r->arg, "DIR"));
}

/* --- man --- */

static const char groff_special[] = "\\-";

/* A line that begins with a dot or a quote is a request; a terminal may have no ellipsis. */
static void put_man_text(pm_buf *out, const char *text, size_t len) {
  static const char ellipsis[] = "\u2026";
  const char *end = text + len, *found;
  if (len && (*text == '.' || *text == '\'')) pm_buf_puts(out, "\\&");
  for (; (found = strstr(text, ellipsis)) && found < end; text = found + strlen(ellipsis)) {
    put_escaped(out, text, (size_t)(found - text), groff_special);
    pm_buf_puts(out, "...");
  }
  put_escaped(out, text, (size_t)(end - text), groff_special);
}

static void put_man_option(pm_buf *out, const row *r) {
  pm_buf_puts(out, ".TP\n");
  if (r->only_says) {
    put_man_text(out, r->name, strlen(r->name));
    pm_buf_puts(out, "\n");
    put_man_text(out, r->doc, strlen(r->doc));
    pm_buf_puts(out, "\n");
    return;
  }
  if (r->letter) pm_buf_printf(out, "\\fB\\-%c\\fR", r->letter);
  if (r->letter && r->name) pm_buf_puts(out, ", ");
  if (r->name) {
    pm_buf_puts(out, "\\fB\\-\\-");
    put_man_text(out, r->name, strlen(r->name));
    pm_buf_puts(out, "\\fR");
  }
  if (r->arg) {
    pm_buf_puts(out, r->may_lack_arg ? "[" : "");
    pm_buf_puts(out, r->name ? "=\\fI" : " \\fI");
    put_man_text(out, r->arg, strlen(r->arg));
    pm_buf_puts(out, r->may_lack_arg ? "\\fR]" : "\\fR");
  }
  pm_buf_puts(out, "\n");
  put_man_text(out, r->doc, strlen(r->doc));
  pm_buf_puts(out, "\n");
}

static void put_man_heading(pm_buf *out, const row *r) {
  size_t len = strlen(r->doc);
  pm_buf_puts(out, ".SS ");
  put_man_text(out, r->doc, len && r->doc[len - 1] == ':' ? len - 1 : len);
  pm_buf_puts(out, "\n");
}

/* The first sentence is the tool's name line, without its capital and its full stop. */
static void put_man_name(pm_buf *out, const tables *t) {
  const char *doc = t->argp->doc;
  size_t len = strcspn(doc, ".\v");
  char first[] = {(char)tolower((unsigned char)*doc), '\0'};
  pm_buf_printf(out, ".SH NAME\n%s \\- ", t->tool);
  put_man_text(out, first, 1);
  put_man_text(out, doc + 1, len - 1);
  pm_buf_puts(out, "\n");
}

/* What argp and pm_argp_parse add. */
static const row help_rows[] = {{.letter = '?', .name = "help", .doc = "Print the options, and exit."},
                                {.name = "usage", .doc = "Print a short list of the options, and exit."},
                                {.letter = 'V', .name = "version", .doc = "Print the version, and exit."},
                                {.name = "help-as",
                                 .arg = "man|bash|zsh|fish",
                                 .doc = "Print this page, or the completions of a shell, and exit."}};

/* What tools read beside their options; tools by their names. */
static const struct {
  const char *tools, *name, *doc;
} variables[] = {
    {"pm-run", "PM_CACHE_DIR",
     "The folder of compiled programs; empty: none are kept. Default: pm in XDG_CACHE_HOME, or ~/.cache/pm."},
    {"pm-run", "PM_CACHE_MB", "How large that folder may become, in MB. Default: 512."},
    {"pm-run pm-tune", "OMP_NUM_THREADS",
     "Threads of parallel loops, where --threads does not say. Default: one for each processor."},
    {"pm-run pm-tune", "PM_OPENCL_DEVICE", "A part of the name of the device that the target opencl uses."},
    {"pm-run pm-tune pmc", "TMPDIR", "Where files are made for a compiler that runs. Default: /tmp."}};

static void put_man_environment(pm_buf *out, const tables *t) {
  size_t len = strlen(t->tool);
  bool any = false;
  for (size_t i = 0; i < PM_COUNT(variables); i++) {
    const char *at = strstr(variables[i].tools, t->tool);
    if (!at || (at[len] && at[len] != ' ')) continue;
    pm_buf_printf(out, "%s.TP\n.B %s\n", any ? "" : ".SH ENVIRONMENT\n", variables[i].name);
    put_man_text(out, variables[i].doc, strlen(variables[i].doc));
    pm_buf_puts(out, "\n");
    any = true;
  }
}

static void put_man(pm_buf *out, const tables *t) {
  const char *doc = t->argp->doc, *args = t->argp->args_doc, *after = strchr(doc, '\v');
  pm_buf_printf(out, ".TH %s 1 \"\" \"%s\" \"User Commands\"\n", t->tool, argp_program_version);
  put_man_name(out, t);
  pm_buf_printf(out, ".SH SYNOPSIS\n.B %s\n[\\fIOPTION\\fR...]", t->tool);
  pm_buf_printf(out, args ? " \\fI%s\\fR\n.SH DESCRIPTION\n" : "%s\n.SH DESCRIPTION\n", args ? args : "");
  put_man_text(out, doc, after ? (size_t)(after - doc) : strlen(doc));
  pm_buf_puts(out, "\n.SH OPTIONS\n");
  for (size_t i = 0; i < t->rows.len; i++)
    if (is_heading(&t->rows.data[i]))
      put_man_heading(out, &t->rows.data[i]);
    else
      put_man_option(out, &t->rows.data[i]);
  pm_buf_puts(out, ".SS Help\n");
  for (size_t i = 0; i < PM_COUNT(help_rows); i++) put_man_option(out, &help_rows[i]);
  put_man_environment(out, t);
  pm_buf_printf(
      out,
      ".SH EXIT STATUS\n%d, when all went well; %d, when the input is at fault; %d, for wrong "
      "options; %d, for an error of the compiler.\n.SH SEE ALSO\nThe pages in "
      "share/doc/pm of the folder that pm is installed in, which is /usr for Debian's package pm\\-doc.\n",
      PM_EXIT_OK, PM_EXIT_INPUT, PM_EXIT_USAGE, PM_EXIT_BUG);
}

/* --- shells --- */

/* Of a value that is neither a word nor a file nothing is offered. */
static void put_bash_case(pm_buf *out, const row *r) {
  if (!is_option(r) || !r->arg) return;
  pm_buf_puts(out, "    ");
  if (r->name) pm_buf_printf(out, "--%s=", r->name);
  if (r->name && !r->may_lack_arg) pm_buf_printf(out, "|--%s", r->name);
  if (r->letter) pm_buf_printf(out, "%s-%c", r->name ? "|" : "", r->letter);
  pm_buf_puts(out, ")");
  if (takes_path(r)) pm_buf_puts(out, " compopt -o filenames;");
  if (!takes_path(r) && !r->words) {
    pm_buf_puts(out, " return ;;\n");
    return;
  }
  pm_buf_printf(out, " COMPREPLY=($(compgen%s", takes_path(r) ? " -f" : "");
  if (r->words) pm_buf_printf(out, " -W '%s'", r->words);
  pm_buf_puts(out, " -- \"$word\")); return ;;\n");
}

/* Bash splits --fp=strict into three words; --fp strict are two. */
static void put_bash(pm_buf *out, const tables *t) {
  pm_buf_printf(out, "# bash completion of %s, made of its options\n_pm_complete_%s() {\n", t->tool, t->tool);
  pm_buf_puts(out, "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                   "  if [ \"$word\" = = ]; then\n    before+== word=\n"
                   "  elif [ \"$before\" = = ]; then\n    before=${COMP_WORDS[COMP_CWORD - 2]}=\n  fi\n"
                   "  case $before in\n");
  for (size_t i = 0; i < t->rows.len; i++) put_bash_case(out, &t->rows.data[i]);
  pm_buf_puts(out, "  esac\n  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W '");
  for (size_t i = 0; i < t->rows.len; i++) {
    const row *r = &t->rows.data[i];
    if (is_option(r) && r->name)
      pm_buf_printf(out, "--%s%s ", r->name, r->arg && !r->may_lack_arg ? "=" : "");
  }
  pm_buf_puts(out, "--help --usage --version' -- \"$word\"))\n"
                   "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
                   "  else\n    compopt -o filenames\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n");
  pm_buf_printf(out, "complete -F _pm_complete_%s %s\n", t->tool, t->tool);
}

/* Inside of quotes, where _arguments ends parts with brackets and colons. */
static void put_zsh_text(pm_buf *out, const char *text) {
  for (; *text; text++)
    if (*text == '\'')
      pm_buf_puts(out, "'\\''");
    else
      put_escaped(out, text, 1, "[]:\\");
}

static void put_zsh_option(pm_buf *out, const row *r, bool is_letter) {
  pm_buf_puts(out, "  '*");
  if (is_letter)
    pm_buf_printf(out, "-%c%s", r->letter, r->arg ? "+" : "");
  else
    pm_buf_printf(out, "--%s%s", r->name, !r->arg ? "" : r->may_lack_arg ? "=-" : "=");
  pm_buf_puts(out, "[");
  put_zsh_text(out, r->doc);
  pm_buf_puts(out, "]");
  if (r->arg) {
    pm_buf_puts(out, r->may_lack_arg ? "::" : ":");
    put_zsh_text(out, r->arg);
    if (takes_path(r))
      pm_buf_puts(out, ":_files");
    else if (r->words)
      pm_buf_printf(out, ":(%s)", r->words);
    else
      pm_buf_puts(out, ":");
  }
  pm_buf_puts(out, "' \\\n");
}

static void put_zsh(pm_buf *out, const tables *t) {
  pm_buf_printf(out, "#compdef %s\n# zsh completion of %s, made of its options\n_arguments -s \\\n", t->tool,
                t->tool);
  for (size_t i = 0; i < t->rows.len; i++) {
    const row *r = &t->rows.data[i];
    if (is_option(r) && r->name) put_zsh_option(out, r, false);
    if (is_option(r) && r->letter) put_zsh_option(out, r, true);
  }
  pm_buf_puts(out, "  '--help' '--usage' '--version' '*:file:_files'\n");
}

static void put_fish_option(pm_buf *out, const tables *t, const row *r) {
  pm_buf_printf(out, "complete -c %s", t->tool);
  if (r->name) pm_buf_printf(out, " -l %s", r->name);
  if (r->letter) pm_buf_printf(out, " -s %c", r->letter);
  if (r->arg && !r->may_lack_arg) pm_buf_puts(out, takes_path(r) ? " -r" : " -x");
  if (r->words) pm_buf_printf(out, " -a '%s'", r->words);
  pm_buf_puts(out, " -d '");
  put_escaped(out, r->doc, strlen(r->doc), "\\'");
  pm_buf_puts(out, "'\n");
}

static void put_fish(pm_buf *out, const tables *t) {
  pm_buf_printf(out, "# fish completion of %s, made of its options\n", t->tool);
  for (size_t i = 0; i < t->rows.len; i++)
    if (is_option(&t->rows.data[i])) put_fish_option(out, t, &t->rows.data[i]);
  pm_buf_printf(out, "complete -c %s -l help -d 'Give this help list'\n", t->tool);
  pm_buf_printf(out, "complete -c %s -l version -d 'Print program version'\n", t->tool);
}

/* --- the argument --- */

static const struct {
  const char *word;
  void (*put)(pm_buf *out, const tables *t);
} forms[] = {{"man", put_man}, {"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};

static void print_as(const char *tool, const struct argp *argp, const char *form) {
  for (size_t i = 0; i < PM_COUNT(forms); i++) {
    if (strcmp(forms[i].word, form) != 0) continue;
    tables t = {.tool = tool, .argp = argp};
    pm_buf text = {0};
    take_tables(&t, argp);
    find_words(&t);
    forms[i].put(&text, &t);
    bool ok = fwrite(text.data, 1, text.len, stdout) == text.len && fflush(stdout) == 0;
    pm_buf_free(&text);
    for (size_t k = 0; k < t.rows.len; k++) free(t.rows.data[k].words);
    PM_VEC_FREE(t.rows);
    exit(ok ? PM_EXIT_OK : PM_EXIT_INPUT);
  }
  pm_buf error = {0};
  pm_failf(&error, "--help-as is '%s', but must be man|bash|zsh|fish", form);
  pm_print_error(tool, &error);
  exit(PM_EXIT_USAGE);
}

void pm_argp_parse(const char *tool, const struct argp *argp, int argc, char **argv, unsigned flags,
                   void *input) {
  static const char option[] = "--help-as=";
  if (argc == 2 && strncmp(argv[1], option, strlen(option)) == 0)
    print_as(tool, argp, argv[1] + strlen(option));
  argp_parse(argp, argc, argv, flags, NULL, input);
}
