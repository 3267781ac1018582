#include "tools/lib/page/accesses.h"

#include "dialects/stage/boundary.h"

#include <stdlib.h>
#include <string.h>

static void take_accesses(pm_access_list *out, const stage_access *access, const stage_node *producer,
                          const pm_op *body) {
  if (access->producer == producer && (!body || pm_is_ancestor(body, access->read)))
    PM_VEC_PUSH(*out, access);
}

void pm_collect_accesses(pm_access_list *out, const stage_node *consumer, const stage_node *producer,
                         const pm_op *body) {
  out->len = 0;
  for (size_t i = 0; i < consumer->reads.len; i++)
    take_accesses(out, consumer->reads.data[i], producer, body);
  for (size_t i = 0; i < consumer->self_reads.len; i++)
    take_accesses(out, consumer->self_reads.data[i], producer, body);
}

static bool is_computed(const stage_access *access) {
  const pm_op *read = access->read;
  for (unsigned i = 0; i < read->n_operands; i++) {
    const pm_value *value = pm_arg(read, i);
    if (!pm_is_arg(value) && !pm_is(pm_def(value), &stage_param)) return true;
  }
  return false;
}

bool pm_accesses_are_computed(const pm_access_list *accesses) {
  for (size_t i = 0; i < accesses->len; i++)
    if (is_computed(accesses->data[i])) return true;
  return false;
}

/* --- single indices --- */

static pm_affine_expr index_of(const stage_access *access, unsigned dim) {
  return pm_affine_normalize(pm_attr_at(access->read, stage_read_map)->map->results[dim]);
}

/* The constant part, and the expression without it (NULL for a constant). */
static int64_t split_constant(pm_affine_expr expr, pm_affine_expr *base) {
  *base = NULL;
  if (expr->kind == PM_AFFINE_CONST) return expr->value;
  *base = expr;
  if (expr->kind != PM_AFFINE_ADD || expr->rhs->kind != PM_AFFINE_CONST) return 0;
  *base = expr->lhs;
  return expr->rhs->value;
}

/* Dimension `dim` of the point around the read. */
static bool is_dimension(const stage_access *access, pm_affine_expr expr, unsigned dim) {
  if (!expr || expr->kind != PM_AFFINE_DIM) return false;
  const pm_value *value = pm_arg(access->read, (unsigned)expr->value);
  return pm_is_arg(value) && pm_value_index(value) == dim &&
         pm_value_region(value) == pm_region_at(stage_body_of(access->read), 0);
}

static unsigned rank_of(const stage_access *access) {
  return pm_attr_at(access->read, stage_read_map)->map->n_results;
}

static unsigned rank_of_point(const stage_access *access) {
  return pm_region_at(stage_body_of(access->read), 0)->n_args;
}

/* Each index is that of its dimension and a constant. */
static bool is_offset(const stage_access *access) {
  pm_affine_expr base;
  bool is = rank_of(access) == rank_of_point(access);
  for (unsigned d = 0; is && d < rank_of(access); d++) {
    split_constant(index_of(access, d), &base);
    is = is_dimension(access, base, d);
  }
  return is;
}

static bool are_offsets(const pm_access_list *accesses) {
  for (size_t i = 0; i < accesses->len; i++)
    if (!is_offset(accesses->data[i])) return false;
  return true;
}

/* --- ranges --- */

/* The reads of one index expression that differ by constants: `base` + low .. `base` + high; base "" for
 * constants. */
typedef struct offset_range {
  char *base;
  int64_t low, high;
} offset_range;
typedef PM_VEC(offset_range) offset_ranges;

static const char *operand_name(const pm_value *value) {
  if (pm_is_arg(value)) return value->name ? value->name->text : "?";
  return pm_is(pm_def(value), &stage_param) ? pm_sym_at(pm_def(value), stage_param_sym)->text : "·";
}

static char *expr_text(pm_affine_expr expr, const pm_op *read) {
  if (!expr) return pm_xstrdup("");
  const char **names = pm_xcalloc(read->n_operands + 1u, sizeof *names);
  for (unsigned i = 0; i < read->n_operands; i++) names[i] = operand_name(pm_arg(read, i));
  pm_buf text = {0};
  pm_print_affine_expr(&text, expr, names, NULL);
  free(names);
  return pm_buf_take(&text);
}

/* Takes the text. */
static void add_range(offset_ranges *ranges, char *base, int64_t offset) {
  for (size_t i = 0; i < ranges->len; i++) {
    offset_range *range = &ranges->data[i];
    if (strcmp(range->base, base) != 0) continue;
    range->low = offset < range->low ? offset : range->low;
    range->high = offset > range->high ? offset : range->high;
    free(base);
    return;
  }
  PM_VEC_PUSH(*ranges, ((offset_range){base, offset, offset}));
}

static void collect_ranges(offset_ranges *ranges, const pm_access_list *accesses, unsigned dim,
                           bool only_offsets) {
  for (size_t i = 0; i < accesses->len; i++) {
    pm_affine_expr base;
    int64_t offset = split_constant(index_of(accesses->data[i], dim), &base);
    add_range(ranges, expr_text(only_offsets ? NULL : base, accesses->data[i]->read), offset);
  }
}

static void put_range(pm_buf *out, const offset_range *range) {
  pm_buf_puts(out, range->base);
  if (*range->base && range->low == 0 && range->high == 0) return;
  if (*range->base && range->low == range->high) {
    pm_buf_printf(out, "%+lld", (long long)range->low);
    return;
  }
  pm_buf_printf(out, "%s%lld", *range->base ? " + " : "", (long long)range->low);
  if (range->low != range->high) pm_buf_printf(out, "..%lld", (long long)range->high);
}

static void put_dimension(pm_buf *out, const pm_access_list *accesses, unsigned dim, bool only_offsets) {
  enum { SHOWN = 2 };
  offset_ranges ranges = {0};
  collect_ranges(&ranges, accesses, dim, only_offsets);
  for (size_t i = 0; i < ranges.len && i < SHOWN; i++) {
    if (i) pm_buf_puts(out, " | ");
    put_range(out, &ranges.data[i]);
  }
  if (ranges.len > SHOWN) pm_buf_puts(out, " | …");
  for (size_t i = 0; i < ranges.len; i++) free(ranges.data[i].base);
  PM_VEC_FREE(ranges);
}

void pm_put_accesses(pm_buf *out, const pm_access_list *accesses) {
  bool only_offsets = are_offsets(accesses);
  pm_buf_putc(out, '(');
  for (unsigned d = 0; accesses->len && d < rank_of(accesses->data[0]); d++) {
    if (d) pm_buf_puts(out, ", ");
    put_dimension(out, accesses, d, only_offsets);
  }
  pm_buf_putc(out, ')');
}

/* --- kinds --- */

enum { POINT = 1, STENCIL = 2, STRIDED = 4, COMPUTED = 8, AFFINE = 16 };

static bool has_stride(pm_affine_expr expr) {
  switch (expr->kind) {
  case PM_AFFINE_ADD:
    return has_stride(expr->lhs) || has_stride(expr->rhs);
  case PM_AFFINE_MUL:
    return expr->rhs->kind != PM_AFFINE_CONST || (expr->rhs->value != 1 && expr->rhs->value != -1);
  case PM_AFFINE_FLOORDIV:
  case PM_AFFINE_CEILDIV:
  case PM_AFFINE_MOD:
    return true;
  default:
    return false;
  }
}

static unsigned kind_of(const stage_access *access) {
  bool strided = false, shifted = false;
  for (unsigned d = 0; d < rank_of(access); d++) {
    pm_affine_expr base, expr = index_of(access, d);
    shifted = split_constant(expr, &base) != 0 || shifted;
    strided = strided || has_stride(expr);
  }
  if (is_computed(access)) return COMPUTED;
  if (is_offset(access)) return shifted ? STENCIL : POINT;
  return strided ? STRIDED : AFFINE;
}

/* The modes other than STAGE_NONE, as bits. */
static unsigned modes_of(const stage_access *access) {
  stage_boundary boundary;
  unsigned modes = 0;
  if (!stage_boundary_of_read(access->read, access->producer->op, &boundary)) return 0;
  for (unsigned d = 0; d < rank_of(access); d++) modes |= 1u << boundary.modes[d];
  return modes & ~(1u << STAGE_NONE);
}

static void put_modes(pm_buf *out, const pm_access_list *accesses) {
  unsigned modes = 0;
  for (size_t i = 0; i < accesses->len; i++) modes |= modes_of(accesses->data[i]);
  for (unsigned m = 0; m <= STAGE_CONSTANT; m++)
    if (modes >> m & 1) pm_buf_printf(out, ", boundary %s", stage_mode_name((stage_mode)m));
}

void pm_put_access_kinds(pm_buf *out, const pm_access_list *accesses) {
  static const char *const words[] = {"point", "stencil", "strided", "computed", "affine"};
  unsigned kinds = 0;
  const char *between = "";
  for (size_t i = 0; i < accesses->len; i++) kinds |= kind_of(accesses->data[i]);
  if (kinds & STENCIL) kinds &= ~(unsigned)POINT;
  for (unsigned k = 0; k < PM_COUNT(words); k++) {
    if (!(kinds >> k & 1)) continue;
    pm_buf_printf(out, "%s%s", between, words[k]);
    between = ", ";
  }
  put_modes(out, accesses);
}
