#include "dialects/isl/linear_memo.h"

#include "ir/support.h"

#include <stdlib.h>
#include <string.h>

/* A shelf has systems whose sums are alike, the last that was asked for first. */
enum { SHELVES = 2048, SHELF = 4 };

typedef struct kept_system {
  uint64_t sum;
  isl_mat *equalities, *inequalities;
  linear_system *system;
} kept_system;

struct linear_memo {
  bool used; /* a short program looks at none of its pages */
  kept_system shelves[SHELVES][SHELF];
};

linear_memo *linear_memo_new(void) {
  return pm_xcalloc(1, sizeof(linear_memo));
}

static void free_kept(kept_system *kept) {
  isl_mat_free(kept->equalities);
  isl_mat_free(kept->inequalities);
  linear_system_free(kept->system);
}

void linear_memo_free(linear_memo *memo) {
  for (size_t i = 0; memo && memo->used && i < SHELVES; i++)
    for (size_t k = 0; k < SHELF; k++) free_kept(&memo->shelves[i][k]);
  free(memo);
}

static uint64_t mix(uint64_t sum, int64_t more) {
  sum = (sum ^ (uint64_t)more) * UINT64_C(0x9e3779b97f4a7c15);
  return sum ^ sum >> 32;
}

/* Of the sizes and some cells: the last rows say most of a set, since what is known of params comes first. */
static uint64_t sum_of(isl_mat *equalities, isl_mat *inequalities) {
  enum { MOST_ROWS = 4 };
  int rows = (int)isl_mat_rows(inequalities), columns = (int)isl_mat_cols(inequalities);
  uint64_t sum = mix(mix(mix(0, isl_mat_rows(equalities)), rows), columns);
  for (int i = rows > MOST_ROWS ? rows - MOST_ROWS : 0; i < rows; i++) {
    int64_t constant = 0, last = 0;
    (void)linear_read_cell(inequalities, i, 0, &constant);
    (void)linear_read_cell(inequalities, i, columns - 1, &last);
    sum = mix(mix(sum, constant), last);
  }
  return sum;
}

static void move_to_front(kept_system *shelf, unsigned i) {
  kept_system kept = shelf[i];
  memmove(shelf + 1, shelf, i * sizeof *shelf);
  shelf[0] = kept;
}

const linear_system *linear_memo_find(linear_memo *memo, isl_mat *equalities, isl_mat *inequalities) {
  uint64_t sum = sum_of(equalities, inequalities);
  kept_system *shelf = memo->shelves[sum % SHELVES];
  for (unsigned i = 0; i < SHELF && shelf[i].system; i++) {
    if (shelf[i].sum != sum || isl_mat_is_equal(shelf[i].inequalities, inequalities) != isl_bool_true ||
        isl_mat_is_equal(shelf[i].equalities, equalities) != isl_bool_true)
      continue;
    move_to_front(shelf, i);
    return shelf[0].system;
  }
  return NULL;
}

void linear_memo_add(linear_memo *memo, isl_mat *equalities, isl_mat *inequalities, linear_system *system) {
  uint64_t sum = sum_of(equalities, inequalities);
  kept_system *shelf = memo->shelves[sum % SHELVES];
  memo->used = true;
  free_kept(&shelf[SHELF - 1]);
  shelf[SHELF - 1] = (kept_system){sum, equalities, inequalities, system};
  move_to_front(shelf, SHELF - 1);
}
