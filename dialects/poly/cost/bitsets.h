/* Sets of small numbers, and tables of different sets. */
#ifndef PM_DIALECTS_POLY_COST_BITSETS_H
#define PM_DIALECTS_POLY_COST_BITSETS_H

#include "ir/support.h"

static inline bool poly_bit(const uint64_t *set, size_t i) {
  return set[i / 64] >> (i % 64) & 1;
}
static inline void poly_set_bit(uint64_t *set, size_t i) {
  set[i / 64] |= UINT64_C(1) << (i % 64);
}
bool poly_bits_meet(const uint64_t *a, const uint64_t *b, size_t n_words);

/* Sets of n_words words each, numbered from 0 as they are added. Start with {.n_words = n}. */
typedef struct poly_bit_table {
  size_t n_words, len;
  PM_VEC(uint64_t) words;
  size_t *slots; /* number + 1, or 0 */
  size_t n_slots;
} poly_bit_table;

/* The number of the set, which is copied when it is new; *added says whether it was. */
size_t poly_bit_table_add(poly_bit_table *table, const uint64_t *set, bool *added);
/* Borrowed until the next one is added. */
const uint64_t *poly_bit_table_at(const poly_bit_table *table, size_t number);
void poly_bit_table_clear(poly_bit_table *table);
void poly_bit_table_free(poly_bit_table *table);

#endif
