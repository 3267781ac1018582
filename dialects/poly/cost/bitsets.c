#include "dialects/poly/cost/bitsets.h"

#include <stdlib.h>
#include <string.h>

bool poly_bits_meet(const uint64_t *a, const uint64_t *b, size_t n_words) {
  for (size_t i = 0; i < n_words; i++)
    if (a[i] & b[i]) return true;
  return false;
}

const uint64_t *poly_bit_table_at(const poly_bit_table *table, size_t number) {
  return table->words.data + number * table->n_words;
}

/* Where the set is, or the free slot for it. */
static size_t *slot_of(const poly_bit_table *table, const uint64_t *set) {
  size_t bytes = table->n_words * sizeof *set;
  for (size_t i = pm_hash_bytes(set, bytes, 0);; i++) {
    size_t *slot = &table->slots[i & (table->n_slots - 1)];
    if (!*slot || memcmp(poly_bit_table_at(table, *slot - 1), set, bytes) == 0) return slot;
  }
}

static void grow(poly_bit_table *table) {
  free(table->slots);
  table->n_slots = table->n_slots ? 2 * table->n_slots : 16;
  table->slots = pm_xcalloc(table->n_slots, sizeof *table->slots);
  for (size_t i = 0; i < table->len; i++) *slot_of(table, poly_bit_table_at(table, i)) = i + 1;
}

size_t poly_bit_table_add(poly_bit_table *table, const uint64_t *set, bool *added) {
  if (2 * table->len >= table->n_slots) grow(table);
  size_t *slot = slot_of(table, set);
  *added = !*slot;
  if (!*added) return *slot - 1;
  for (size_t i = 0; i < table->n_words; i++) PM_VEC_PUSH(table->words, set[i]);
  *slot = ++table->len;
  return table->len - 1;
}

void poly_bit_table_clear(poly_bit_table *table) {
  table->len = table->words.len = 0;
  if (table->n_slots) memset(table->slots, 0, table->n_slots * sizeof *table->slots);
}

void poly_bit_table_free(poly_bit_table *table) {
  PM_VEC_FREE(table->words);
  free(table->slots);
  *table = (poly_bit_table){0};
}
