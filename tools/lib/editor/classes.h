/* Classes of tokens of IR, for colours. */
#ifndef PM_TOOLS_EDITOR_CLASSES_H
#define PM_TOOLS_EDITOR_CLASSES_H

#include "ir/lexer.h"

typedef enum pm_text_class {
#define CLASS(name, ...) PM_CLASS_##name,
#define KNOWN(...)
#define RULE(...)
#include "tools/lib/editor/classes.def"
  PM_N_CLASSES
} pm_text_class;

typedef struct pm_class_info {
  const char *word;                             /* "op" */
  const char *pygments, *textmate, *vim, *kate; /* what editors call it */
  const char *light, *dark;                     /* colours of pages */
} pm_class_info;

const pm_class_info *pm_class_info_of(pm_text_class class_);

/* Words that the text form has, and that the dialects of a context bring. */
typedef struct pm_word_set pm_word_set;
pm_word_set *pm_word_set_new(pm_context *ctx);
void pm_word_set_free(pm_word_set *words);
/* Those of a class as alternatives of a regular expression: "arith\.(?:addf|addi)|…". */
void pm_put_alternatives(const pm_word_set *words, pm_text_class class_, pm_buf *out);

/* The next piece of a text that has one class: blanks and whole comments are pieces, too. */
typedef struct pm_piece {
  pm_str text;
  bool blank; /* has no class */
  pm_text_class class_;
} pm_piece;
/* False at the end. Takes the piece from the text. */
bool pm_take_piece(const pm_word_set *words, pm_str *text, pm_piece *piece);

#endif
