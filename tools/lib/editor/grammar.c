#include "tools/lib/editor/grammar.h"

#include "tools/lib/page/markup.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef enum context { ROOT, TEXT } context;

typedef struct rule {
  context where;
  pm_text_class class_;
  const char *regex;
} rule;

static const rule rules[] = {
#define CLASS(...)
#define KNOWN(...)
#define RULE(where, class_, regex) {where, PM_CLASS_##class_, regex},
#include "tools/lib/editor/classes.def"
};

#define MADE "Made by pm-opt of tools/lib/editor/classes.def."
/* What begins a TEXT, in groups: the attribute, '<' and '"'. */
#define TEXT_BEGIN "(#[A-Za-z0-9_$.]+)(<)(\")"

/* The class that stands in braces at the beginning, as {op}; PM_N_CLASSES: none does. */
static pm_text_class class_in_braces(const char *at) {
  int c = 0;
  for (; c < PM_N_CLASSES; c++) {
    size_t n = strlen(pm_class_info_of((pm_text_class)c)->word);
    if (*at == '{' && strncmp(at + 1, pm_class_info_of((pm_text_class)c)->word, n) == 0 && at[n + 1] == '}')
      break;
  }
  return (pm_text_class)c;
}

/* The expression with the words of the classes in it: to be freed. */
static char *expand(const pm_word_set *words, const char *regex) {
  pm_buf out = {0};
  for (; *regex; regex++) {
    pm_text_class class_ = class_in_braces(regex);
    if (class_ == PM_N_CLASSES)
      pm_buf_putc(&out, *regex);
    else
      pm_put_alternatives(words, class_, &out);
    if (class_ != PM_N_CLASSES) regex = strchr(regex, '}');
  }
  return pm_buf_take(&out);
}

/* --- TextMate, which VS Code and others read --- */

static json_t *scope_of(pm_text_class class_) {
  return json_sprintf("%s.pmir", pm_class_info_of(class_)->textmate);
}

static json_t *patterns_of(const pm_word_set *words, context where);

static json_t *text_pattern(const pm_word_set *words) {
  return json_pack("{s:s, s:{s:{s:o}, s:{s:o}, s:{s:o}}, s:s, s:{s:{s:o}}, s:o}", "begin", TEXT_BEGIN,
                   "beginCaptures", "1", "name", scope_of(PM_CLASS_ATTRIBUTE), "2", "name",
                   scope_of(PM_CLASS_PUNCTUATION), "3", "name", scope_of(PM_CLASS_STRING), "end", "\"|$",
                   "endCaptures", "0", "name", scope_of(PM_CLASS_STRING), "patterns",
                   patterns_of(words, TEXT));
}

static json_t *patterns_of(const pm_word_set *words, context where) {
  json_t *patterns = json_array();
  if (where == ROOT) json_array_append_new(patterns, text_pattern(words));
  for (size_t i = 0; i < PM_COUNT(rules); i++) {
    if (rules[i].where != where) continue;
    char *regex = expand(words, rules[i].regex);
    json_array_append_new(patterns,
                          json_pack("{s:s, s:o}", "match", regex, "name", scope_of(rules[i].class_)));
    free(regex);
  }
  return patterns;
}

static void put_textmate(const pm_word_set *words, pm_buf *out) {
  json_t *grammar = json_pack("{s:s, s:s, s:s, s:[s], s:o}", "comment", MADE, "name", "PMIR", "scopeName",
                              "source.pmir", "fileTypes", "pmir", "patterns", patterns_of(words, ROOT));
  char *text = json_dumps(grammar, JSON_INDENT(2));
  json_decref(grammar);
  if (!text) pm_out_of_memory();
  pm_buf_printf(out, "%s\n", text);
  free(text);
}

/* --- Pygments --- */

/* The same in JSON and in Python. */
static void put_string(const char *text, pm_buf *out) {
  json_t *string = json_string(text);
  char *quoted = json_dumps(string, JSON_ENCODE_ANY);
  json_decref(string);
  if (!quoted) pm_out_of_memory();
  pm_buf_puts(out, quoted);
  free(quoted);
}

static void put_pygments_rules(const pm_word_set *words, context where, pm_buf *out) {
  for (size_t i = 0; i < PM_COUNT(rules); i++) {
    if (rules[i].where != where) continue;
    char *regex = expand(words, rules[i].regex);
    pm_buf_puts(out, "            (");
    put_string(regex, out);
    pm_buf_printf(out, ", token.%s),\n", pm_class_info_of(rules[i].class_)->pygments);
    free(regex);
  }
}

static void put_pygments(const pm_word_set *words, pm_buf *out) {
  const char *string = pm_class_info_of(PM_CLASS_STRING)->pygments;
  pm_buf_puts(
      out,
      "\"\"\"The compiler's IR for Pygments, which colours notebooks and documentation: pygmentize -l pmir "
      "program.pmir\n\n" MADE "\n\"\"\"\nfrom pygments import token\nfrom pygments.lexer import "
      "RegexLexer, bygroups\n\n\nclass PmirLexer(RegexLexer):\n"
      "    \"\"\"PMIR, the text of the compiler's IR (ir/text.h).\"\"\"\n\n"
      "    name = \"PMIR\"\n    aliases = [\"pmir\"]\n    filenames = [\"*.pmir\"]\n\n"
      "    tokens = {\n        \"root\": [\n            (r\"\\s+\", token.Whitespace),\n            (");
  put_string(TEXT_BEGIN, out);
  pm_buf_printf(out, ", bygroups(token.%s, token.%s, token.%s), \"text\"),\n",
                pm_class_info_of(PM_CLASS_ATTRIBUTE)->pygments,
                pm_class_info_of(PM_CLASS_PUNCTUATION)->pygments, string);
  put_pygments_rules(words, ROOT, out);
  pm_buf_printf(
      out,
      "        ],\n        \"text\": [\n            (r'\"', token.%s, \"#pop\"),\n"
      "            (r\"\\n\", token.Whitespace, \"#pop\"),\n            (r\"\\s+\", token.Whitespace),\n",
      string);
  put_pygments_rules(words, TEXT, out);
  pm_buf_puts(out, "        ],\n    }\n");
}

/* --- Vim --- */

/* An expression in Vim's very magic form: there (?:a) is %(a), and (?!a) is %(a)@!. */
static void put_vim_regex(const char *at, pm_buf *out) {
  PM_VEC(bool) negative = {0}; /* of the groups that are open */
  bool inside = false;         /* of [ ] */
  pm_buf_puts(out, "\\v");
  for (; *at; at++) {
    if (*at == '\\') {
      pm_buf_put(out, at++, 2);
    } else if (inside || *at == '[') {
      pm_buf_putc(out, *at);
      inside = *at != ']';
    } else if (*at == '(') {
      PM_VEC_PUSH(negative, at[2] == '!');
      pm_buf_puts(out, "%(");
      at += 2;
    } else if (*at == ')') {
      pm_buf_puts(out, PM_VEC_POP(negative) ? ")@!" : ")");
    } else {
      pm_buf_printf(out, "%s%c", strchr("%@<>=&~{", *at) ? "\\" : "", *at);
    }
  }
  PM_VEC_FREE(negative);
}

static const char *vim_prefix(context where) {
  return where == TEXT ? "pmirText" : "pmir";
}

/* Vim has no names with small letters only: pmirOp, pmirTextNumber. */
static void put_vim_group(context where, pm_text_class class_, pm_buf *out) {
  const char *word = pm_class_info_of(class_)->word;
  pm_buf_printf(out, "%s%c%s", vim_prefix(where), *word - 'a' + 'A', word + 1);
}

static void put_vim_rule(const pm_word_set *words, const rule *r, pm_buf *out) {
  char *regex = expand(words, r->regex);
  pm_buf_puts(out, "syntax match ");
  put_vim_group(r->where, r->class_, out);
  pm_buf_puts(out, " ;");
  put_vim_regex(regex, out);
  pm_buf_puts(out, r->where == TEXT                  ? "; contained\n"
                   : r->class_ == PM_CLASS_ATTRIBUTE ? "; nextgroup=pmirOpen\n"
                                                     : ";\n");
  free(regex);
}

/* A group that several rules have is linked once for each, which does no harm. */
static void put_vim_link(const rule *r, pm_buf *out) {
  pm_buf_puts(out, "highlight default link ");
  put_vim_group(r->where, r->class_, out);
  pm_buf_printf(out, " %s\n", pm_class_info_of(r->class_)->vim);
}

/* The last one wins there. */
static void put_vim(const pm_word_set *words, pm_buf *out) {
  pm_buf_puts(out, "\" " MADE "\nif exists(\"b:current_syntax\")\n  finish\nendif\n");
  for (size_t i = PM_COUNT(rules); i-- > 0;) put_vim_rule(words, &rules[i], out);
  pm_buf_puts(out, "syntax match pmirOpen ;<; contained nextgroup=pmirText\n"
                   "syntax region pmirText matchgroup=pmirString start=;\"; end=;\"; contained oneline "
                   "contains=pmirText.\\+\n");
  for (size_t i = 0; i < PM_COUNT(rules); i++) put_vim_link(&rules[i], out);
  pm_buf_printf(out, "highlight default link pmirOpen %s\nlet b:current_syntax = \"pmir\"\n",
                pm_class_info_of(PM_CLASS_PUNCTUATION)->vim);
}

/* --- Kate --- */

static void put_kate_rules(const pm_word_set *words, context where, pm_buf *out) {
  for (size_t i = 0; i < PM_COUNT(rules); i++) {
    if (rules[i].where != where) continue;
    char *regex = expand(words, rules[i].regex);
    pm_buf_puts(out, "        <RegExpr String=\"");
    pm_puts_markup(out, regex);
    pm_buf_printf(out, "\" attribute=\"%s\" context=\"%s\"/>\n", pm_class_info_of(rules[i].class_)->word,
                  where == ROOT && rules[i].class_ == PM_CLASS_ATTRIBUTE ? "Open" : "#stay");
    free(regex);
  }
}

/* Behind an attribute `<"` begins a text; anything else ends the wait for it. */
static void put_kate(const pm_word_set *words, pm_buf *out) {
  pm_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- " MADE " -->\n"
                   "<language name=\"PMIR\" version=\"1\" kateversion=\"5.0\" section=\"Sources\" "
                   "extensions=\"*.pmir\">\n  <highlighting>\n    <contexts>\n"
                   "      <context name=\"Normal\" attribute=\"plain\" lineEndContext=\"#stay\">\n");
  put_kate_rules(words, ROOT, out);
  pm_buf_puts(out,
              "      </context>\n      <context name=\"Open\" attribute=\"plain\" lineEndContext=\"#pop\" "
              "fallthroughContext=\"#pop\">\n"
              "        <RegExpr String=\"&lt;(?=&quot;)\" attribute=\"punctuation\" context=\"#stay\"/>\n"
              "        <DetectChar char=\"&quot;\" attribute=\"string\" context=\"#pop!Text\"/>\n"
              "      </context>\n      <context name=\"Text\" attribute=\"plain\" lineEndContext=\"#pop\">\n"
              "        <DetectChar char=\"&quot;\" attribute=\"string\" context=\"#pop\"/>\n");
  put_kate_rules(words, TEXT, out);
  pm_buf_puts(out, "      </context>\n    </contexts>\n    <itemDatas>\n"
                   "      <itemData name=\"plain\" defStyleNum=\"dsNormal\"/>\n");
  for (int c = 0; c < PM_N_CLASSES; c++)
    pm_buf_printf(out, "      <itemData name=\"%s\" defStyleNum=\"%s\"/>\n",
                  pm_class_info_of((pm_text_class)c)->word, pm_class_info_of((pm_text_class)c)->kate);
  pm_buf_puts(out, "    </itemDatas>\n  </highlighting>\n</language>\n");
}

/* --- pages --- */

static void put_css_rules(bool dark, const char *indent, pm_buf *out) {
  for (int c = 0; c < PM_N_CLASSES; c++) {
    const pm_class_info *info = pm_class_info_of((pm_text_class)c);
    pm_buf_printf(out, "%s.ir .t-%s { color: %s; }\n", indent, info->word, dark ? info->dark : info->light);
  }
}

static void put_css(const pm_word_set *words, pm_buf *out) {
  (void)words;
  put_css_rules(false, "", out);
  pm_buf_puts(out, "@media (prefers-color-scheme: dark) {\n");
  put_css_rules(true, "  ", out);
  pm_buf_puts(out, "}\n");
}

const pm_grammar_form *pm_find_grammar_form(const char *name) {
  static const pm_grammar_form forms[] = {{"textmate", put_textmate},
                                          {"pygments", put_pygments},
                                          {"vim", put_vim},
                                          {"kate", put_kate},
                                          {"css", put_css}};
  for (size_t i = 0; i < PM_COUNT(forms); i++)
    if (strcmp(forms[i].name, name) == 0) return &forms[i];
  return NULL;
}
