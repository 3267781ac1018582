#include "dialects/poly/marks.h"

#include "dialects/loop/limits.h"
#include "dialects/poly/tree.h"

#include <string.h>

enum { SUBTREE = 0, SERIAL = POLY_SERIAL, VECTOR = POLY_VECTOR, THREADS = POLY_THREADS };

static const poly_mark_info infos[] = {
#define MARK(id, loops, doc) {#id, loops, doc},
#include "dialects/poly/marks.def"
};

typedef struct value_row {
  poly_mark_kind mark;
  unsigned slot; /* of poly.mark */
  enum { INTEGERS, WORDS, SYMBOL, RELATIONS } kind;
  bool needed;
  int64_t least, most; /* of integers */
  const char *words;
} value_row;

static const value_row value_rows[] = {
#define INTS(mark, name, least, doc)                                                                         \
  {POLY_MARK_##mark, poly_mark_##name, INTEGERS, false, least, INT32_MAX, NULL},
#define INT(mark, name, least, most, doc)                                                                    \
  {POLY_MARK_##mark, poly_mark_##name, INTEGERS, false, least, most, NULL},
#define NEED(mark, name, least, most, doc)                                                                   \
  {POLY_MARK_##mark, poly_mark_##name, INTEGERS, true, least, most, NULL},
#define WORD(mark, name, words, doc) {POLY_MARK_##mark, poly_mark_##name, WORDS, false, 0, 0, words},
#define NAME(mark, name, doc) {POLY_MARK_##mark, poly_mark_##name, SYMBOL, true, 0, 0, NULL},
#define MAPS(mark, name, doc) {POLY_MARK_##mark, poly_mark_##name, RELATIONS, false, 0, 0, NULL},
#include "dialects/poly/marks.def"
};

const poly_mark_info *poly_get_mark_info(poly_mark_kind kind) {
  return &infos[kind];
}

static poly_mark_kind kind_of_word(const char *word) {
  int kind = 0;
  while (kind < POLY_N_MARKS && strcmp(infos[kind].word, word) != 0) kind++;
  return (poly_mark_kind)kind;
}

poly_mark_kind poly_mark_kind_of(const pm_op *mark) {
  return kind_of_word(pm_attr_at(mark, poly_mark_name)->s->text);
}

bool poly_is_mark(const pm_op *op, poly_mark_kind kind) {
  return op && pm_is(op, &poly_mark) && poly_mark_kind_of(op) == kind;
}

bool poly_is_inside(const pm_op *op, poly_mark_kind kind) {
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up))
    if (poly_is_mark(up, kind)) return true;
  return false;
}

pm_builder poly_add_mark(pm_builder *b, poly_mark_kind kind) {
  pm_attr attrs[poly_mark_N_ATTRS] = {NULL};
  attrs[poly_mark_name] = pm_get_string_attr(pm_module_context(b->module), pm_str_of(infos[kind].word));
  pm_op *mark = pm_build(b, &poly_mark, NULL, 0, NULL, 0, attrs);
  return pm_builder_at_end(b->module, pm_region_at(mark, 0), b->loc);
}

bool poly_may_mark(const pm_op *band, unsigned member, poly_mark_kind kind) {
  bool may = true;
  for (const pm_op *up = pm_parent(band); !member && may && up && pm_is(up, &poly_mark); up = pm_parent(up)) {
    unsigned loops = infos[poly_mark_kind_of(up)].loops;
    may = !poly_is_mark(up, kind) && (!loops || (loops & infos[kind].loops));
  }
  return may;
}

static pm_attr slice(pm_context *ctx, pm_attr list, unsigned first, unsigned n) {
  return list ? pm_get_array(ctx, list->items + first, n) : NULL;
}

/* A band of members first .. first + n - 1 of `band`, at `b`. */
static pm_builder add_part(pm_builder *b, const pm_op *band, unsigned first, unsigned n) {
  pm_context *ctx = pm_module_context(b->module);
  unsigned all = poly_band_members(band);
  isl_multi_union_pw_aff *m =
      isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(band, poly_band_schedule)));
  m = isl_multi_union_pw_aff_drop_dims(m, isl_dim_set, first + n, all - first - n);
  m = isl_multi_union_pw_aff_drop_dims(m, isl_dim_set, 0, first);
  pm_builder inside =
      poly_add_band(b, m, (poly_band_info){.permutable = pm_attr_at(band, poly_band_permutable)});
  pm_set_attr(inside.region->op, poly_band_coincident,
              slice(ctx, pm_attr_at(band, poly_band_coincident), first, n));
  pm_set_attr(inside.region->op, poly_band_tile, slice(ctx, pm_attr_at(band, poly_band_tile), first, n));
  return inside;
}

pm_op *poly_mark_member(pm_op *band, unsigned member, poly_mark_kind kind) {
  unsigned n = poly_band_members(band);
  pm_builder b = pm_builder_before(band);
  if (member) b = add_part(&b, band, 0, member);
  b = poly_add_mark(&b, kind);
  pm_op *mark = b.region->op;
  b = add_part(&b, band, member, 1);
  if (n > member + 1) b = add_part(&b, band, member + 1, n - member - 1);
  pm_splice(b.region, pm_region_at(band, poly_band_child));
  pm_op_erase(band);
  return mark;
}

pm_op *poly_split_band(pm_op *band, unsigned member) {
  if (!member) return band;
  pm_builder b = pm_builder_before(band);
  b = add_part(&b, band, 0, member);
  b = add_part(&b, band, member, poly_band_members(band) - member);
  pm_splice(b.region, pm_region_at(band, poly_band_child));
  pm_op_erase(band);
  return b.region->op;
}

void poly_take_mark(poly_loop_marks *marks, const pm_op *mark) {
  marks->of[poly_mark_kind_of(mark)] = mark;
}

poly_loop_marks poly_marks_inside(const poly_loop_marks *marks) {
  poly_loop_marks inside = *marks;
  for (unsigned i = 0; i < POLY_N_MARKS; i++)
    if (infos[i].loops) inside.of[i] = NULL;
  return inside;
}

/* --- verification --- */

static bool verify_name(const pm_op *op) {
  const char *name = pm_attr_at(op, poly_mark_name)->s->text;
  pm_buf list = {0};
  if (kind_of_word(name) < POLY_N_MARKS) return true;
  for (unsigned i = 0; i < POLY_N_MARKS; i++) pm_buf_printf(&list, "%s\"%s\"", i ? ", " : "", infos[i].word);
  pm_op_error(op, "has \"%s\" as its name, but should have one of %s", name, list.data);
  pm_buf_free(&list);
  return false;
}

static bool is_one_of(const char *word, const char *words) {
  size_t n = strlen(word);
  if (strchr(word, '|')) return false;
  for (const char *at = words; at; at = strchr(at, '|'), at = at ? at + 1 : NULL)
    if (strncmp(at, word, n) == 0 && (at[n] == '|' || at[n] == '\0')) return true;
  return false;
}

static bool verify_integer(const pm_op *op, const value_row *row, int64_t value) {
  if (value >= row->least && value <= row->most) return true;
  bool list = pm_attr_at(op, row->slot)->cls == PM_ATTR_ARRAY;
  return pm_op_error(op, "has %lld in '%s', %s should be in %lld..%lld", (long long)value,
                     op->desc->attrs[row->slot].name, list ? "but entries" : "which", (long long)row->least,
                     (long long)row->most);
}

static bool verify_relations(const pm_op *op, const value_row *row, pm_attr list) {
  for (uint32_t i = 0; i < list->len; i++)
    if (!isl_peek_map(list->items[i]))
      return pm_op_error(op, "has an entry in '%s' that is no isl.map", op->desc->attrs[row->slot].name);
  return true;
}

static bool verify_value(const pm_op *op, const value_row *row, pm_attr value) {
  const char *name = op->desc->attrs[row->slot].name;
  if (row->kind == SYMBOL) return true;
  if (row->kind == RELATIONS) return verify_relations(op, row, value);
  if (row->kind == WORDS)
    return is_one_of(value->s->text, row->words) ||
           pm_op_error(op, "has \"%s\" as its %s, but should have one of %s", value->s->text, name,
                       row->words);
  if (value->cls != PM_ATTR_ARRAY) return verify_integer(op, row, value->i);
  for (uint32_t i = 0; i < value->len; i++)
    if (!verify_integer(op, row, value->items[i]->i)) return false;
  return true;
}

static bool verify_row(const pm_op *op, const value_row *row) {
  pm_attr value = pm_attr_at(op, row->slot);
  const char *name = op->desc->attrs[row->slot].name, *word = infos[row->mark].word;
  bool is_of = row->mark == poly_mark_kind_of(op);
  if (value && !is_of) return pm_op_error(op, "has '%s', but only a mark \"%s\" has that", name, word);
  if (!value && is_of && row->needed)
    return pm_op_error(op, "has no '%s', which a mark \"%s\" should have", name, word);
  return !value || verify_value(op, row, value);
}

bool poly_verify_mark(const pm_op *mark) {
  bool ok = verify_name(mark);
  for (size_t i = 0; i < PM_COUNT(value_rows) && ok; i++) ok = verify_row(mark, &value_rows[i]);
  return ok;
}
