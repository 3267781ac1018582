/* Numbers as text: a row is a line, numbers stand between blanks or commas, `#` begins a comment. */
#ifndef PM_TOOLS_IMAGES_MATRIX_TEXT_H
#define PM_TOOLS_IMAGES_MATRIX_TEXT_H

#include "tools/lib/images/array.h"

/* The file as an array of that type and rank: 2 [rows][columns]; 1 one row or one column; 0 one number. Each
 * number must be a value of the type; floats are rounded once, from what is written. False with a message,
 * which has file:line:column where there is a place: a word that is no such number, rows of different
 * lengths, an empty file. */
bool pm_matrix_text_read(const char *path, pm_scalar scalar, unsigned rank, pm_array *out,
                         pm_buf *error) PM_MUST_USE;
/* The value of a number's text: decimal, or hexadecimal behind 0x. False when it is none, or not of the type.
 */
bool pm_parse_number(const char *text, pm_scalar scalar, pm_lane *lane);

#endif
