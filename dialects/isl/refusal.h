/* Where isl refuses a text. isl says it on stderr only, with the place, and to its caller without. */
#ifndef PM_DIALECTS_ISL_REFUSAL_H
#define PM_DIALECTS_ISL_REFUSAL_H

#include "dialects/isl/isl_dialect.h"

/* What an object is read from. */
typedef struct isl_notation {
  const char *what; /* "set" */
  /* The object that is the whole text, or NULL. */
  void *(*read)(isl_ctx *isl, const char *text);
  void (*release)(void *object);
} isl_notation;

/* The first word or sign that no text of the notation may have after what stands before it. */
typedef struct isl_refusal {
  size_t at, len; /* in the text; len 0: the text ends too early */
  bool is_name;   /* of nothing that the text has before, where a name may stand */
} isl_refusal;
/* Finds it by reading beginnings of the text, each with several ends. False when the text is longer than 4000
 * characters, or isl would work too long. */
bool isl_find_refusal(isl_ctx *isl, const isl_notation *notation, const char *text, isl_refusal *out);

#endif
