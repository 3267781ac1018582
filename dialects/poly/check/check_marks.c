#include "dialects/poly/check/check_marks.h"

#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/lower/loop_bounds.h"
#include "dialects/poly/tree.h"

#include <stdlib.h>

/* The nearest mark of the kind around, or NULL. */
static pm_op *mark_around(const pm_op *op, poly_mark_kind kind) {
  pm_op *up = pm_parent(op);
  while (up && !poly_is_mark(up, kind)) up = pm_parent(up);
  return up;
}

static const char *word_of(const pm_op *mark) {
  return poly_get_mark_info(poly_mark_kind_of(mark))->word;
}

/* The band whose loop the mark is of, or NULL. */
static const pm_op *band_of(const pm_op *mark) {
  const pm_op *op = poly_child(mark);
  while (op && pm_is(op, &poly_mark)) op = poly_child(op);
  return op && pm_is(op, &poly_band) ? op : NULL;
}

/* The mark with another that it stands right below. */
static bool agree(const pm_op *mark, const pm_op *other) {
  poly_mark_kind one = poly_mark_kind_of(mark), two = poly_mark_kind_of(other);
  if (one == two) return pm_op_error(mark, "\"%s\" is there twice for one loop", word_of(mark));
  if (poly_get_mark_info(one)->loops & poly_get_mark_info(two)->loops) return true;
  pm_op_error(mark, "\"%s\" contradicts the mark \"%s\" of the same loop", word_of(mark), word_of(other));
  pm_note(pm_op_context(mark), other->loc, "the other mark is here");
  return false;
}

/* Between loops of items is nothing but the one loop of the outer. */
static bool check_item(const pm_op *mark) {
  const pm_op *outer = mark_around(mark, POLY_MARK_item), *up = pm_parent(mark);
  while (up != outer && pm_is(up, &poly_mark)) up = pm_parent(up);
  if (!outer || (up == band_of(outer) && poly_band_members(up) == 1)) return true;
  pm_op_error(mark, "\"item\" is inside another, but not directly: nothing can wait for its items there");
  pm_note(pm_op_context(mark), outer->loc, "the other mark is here");
  return false;
}

/* --- rows that are prefetched --- */

/* Of the statement, or of its stage as a whole; of a stage, also of one of its statements. */
static bool has_instances(const stage_statements *statements, const pm_op *band, pm_string name,
                          const stage_node *stage) {
  poly_names names = {0};
  bool has = false;
  poly_band_names(band, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_statement *s = stage_find_statement(statements, names.data[i]);
    has |= names.data[i] == name || names.data[i] == stage->name;
    has |= name == stage->name && s && s->node == stage && s->kind != STAGE_UPDATE;
  }
  PM_VEC_FREE(names);
  return has;
}

/* The stage of the elements that the relation gives; NULL after a diagnostic. */
static const stage_node *stage_of_elements(const stage_graph *graph, const pm_op *mark, isl_map *relation) {
  const char *name = isl_map_get_tuple_name(relation, isl_dim_out);
  const stage_node *stage = name ? stage_graph_find(graph, pm_get_cstring(graph->ctx, name)) : NULL;
  unsigned n = (unsigned)isl_map_dim(relation, isl_dim_out);
  if (stage && stage->n_dims == n) return stage;
  if (stage)
    pm_op_error(mark, "\"prefetch\" has elements of @%s with %u coordinates, which should be %u", name, n,
                stage->n_dims);
  else
    pm_op_error(mark, "\"prefetch\" has elements of @%s, which should be a stage or an input",
                name ? name : "");
  return NULL;
}

/* An affine function, of all instances. */
static bool is_function(const stage_graph *graph, isl_map *relation, const stage_node *stage) {
  pm_affine_expr *exprs = pm_xcalloc(stage->n_dims + 1, sizeof *exprs);
  isl_set *domain = isl_map_domain(isl_map_copy(relation));
  isl_set *all = isl_set_universe(isl_set_get_space(domain));
  bool is = isl_map_n_basic_map(relation) == 1 && isl_set_is_equal(domain, all) == isl_bool_true &&
            poly_affine_of_map(graph->ctx, relation, exprs);
  isl_set_free(domain);
  isl_set_free(all);
  free(exprs);
  return is;
}

static bool check_row(const stage_statements *statements, const pm_op *mark, isl_map *relation) {
  const stage_statement *statement = NULL;
  const stage_graph *graph = stage_statements_graph(statements);
  if (!poly_check_params(graph, mark, isl_map_get_space(relation))) return false;
  isl_space *from = isl_space_domain(isl_map_get_space(relation));
  const stage_node *of = poly_check_instances(statements, mark, from, &statement);
  if (!of) return false;
  pm_string name = pm_get_cstring(graph->ctx, isl_map_get_tuple_name(relation, isl_dim_in));
  if (!has_instances(statements, band_of(mark), name, of))
    return pm_op_error(mark, "\"prefetch\" has rows for %s, of which the loop has no instances", name->text);
  const stage_node *stage = stage_of_elements(graph, mark, relation);
  if (!stage) return false;
  return is_function(graph, relation, stage) ||
         pm_op_error(mark,
                     "\"prefetch\" has elements of @%s that should be an affine function of all instances of "
                     "%s, with numbers of 31 bits",
                     stage->name->text, name->text);
}

static bool check_rows(const stage_statements *statements, const pm_op *mark) {
  if (!pm_attr_at(mark, poly_mark_read) && !pm_attr_at(mark, poly_mark_write))
    return pm_op_error(mark, "\"prefetch\" has nothing to read or write");
  const unsigned slots[] = {poly_mark_read, poly_mark_write};
  for (size_t i = 0; i < PM_COUNT(slots); i++) {
    pm_attr list = pm_attr_at(mark, slots[i]);
    for (uint32_t k = 0; list && k < list->len; k++)
      if (!check_row(statements, mark, isl_peek_map(list->items[k]))) return false;
  }
  return true;
}

/* --- results that go past the caches --- */

typedef struct use_of_array {
  pm_string name;
  bool stored, read;
} use_of_array;

static void add_use(use_of_array *use, const stage_statement *s) {
  use->stored |= s->node->name == use->name;
  if (!s->body) return;
  PM_FOR_OPS(op, pm_region_at(s->body, 0)) {
    use->read |= pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == use->name;
    use->read |= pm_is(op, &stage_combine) && s->node->name == use->name;
  }
}

/* What the statements of a band do with the array of a stage. */
static use_of_array use_in(const stage_statements *statements, const pm_op *band, pm_string name) {
  use_of_array use = {name, false, false};
  poly_names names = {0};
  poly_band_names(band, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_statement *s = stage_find_statement(statements, names.data[i]);
    const stage_node *node = stage_graph_find(stage_statements_graph(statements), names.data[i]);
    size_t n = s ? 1 : 0;
    if (!s && node) s = stage_statements_of(statements, node, &n);
    for (size_t k = 0; k < n; k++) add_use(&use, &s[k]);
  }
  PM_VEC_FREE(names);
  return use;
}

static bool check_nontemporal(const stage_statements *statements, const pm_op *mark) {
  pm_string name = pm_sym_at(mark, poly_mark_array);
  const stage_node *node = stage_graph_find(stage_statements_graph(statements), name);
  if (!node || !node->is_output)
    return pm_op_error(mark, "\"nontemporal\" is of @%s, which is no output", name->text);
  use_of_array use = use_in(statements, band_of(mark), name);
  if (!use.stored)
    return pm_op_error(mark, "\"nontemporal\" is of @%s, which the loop does not store", name->text);
  return !use.read || pm_op_error(mark, "\"nontemporal\" is of @%s, which the loop reads", name->text);
}

/* One of the marks of the same loop. */
static bool is_of_vector_loop(const pm_op *mark) {
  const pm_op *vector = mark_around(band_of(mark), POLY_MARK_vector);
  return vector && band_of(vector) == band_of(mark);
}

static bool check_values(const stage_statements *statements, const pm_op *mark) {
  bool of_vectors = poly_is_mark(mark, POLY_MARK_prefetch) || poly_is_mark(mark, POLY_MARK_nontemporal);
  if (of_vectors && !is_of_vector_loop(mark))
    return pm_op_error(mark, "\"%s\" is of a loop without the mark \"vector\"", word_of(mark));
  if (poly_is_mark(mark, POLY_MARK_prefetch)) return check_rows(statements, mark);
  return !poly_is_mark(mark, POLY_MARK_nontemporal) || check_nontemporal(statements, mark);
}

static bool check_mark(const stage_statements *statements, const pm_op *mark) {
  if (!poly_child(mark))
    return pm_op_error(mark, "\"%s\" has nothing below it, but should be above a node", word_of(mark));
  if (!poly_get_mark_info(poly_mark_kind_of(mark))->loops) return true;
  if (!band_of(mark))
    return pm_op_error(mark, "\"%s\" marks no loop, but should be directly above a band", word_of(mark));
  for (const pm_op *up = pm_parent(mark); pm_is(up, &poly_mark); up = pm_parent(up))
    if (poly_get_mark_info(poly_mark_kind_of(up))->loops && !agree(mark, up)) return false;
  if (poly_is_mark(mark, POLY_MARK_item) && !check_item(mark)) return false;
  if (!check_values(statements, mark)) return false;
  bool threads = poly_is_mark(mark, POLY_MARK_parallel) || poly_is_mark(mark, POLY_MARK_item);
  const pm_op *vector = threads ? mark_around(mark, POLY_MARK_vector) : NULL;
  if (!vector || band_of(vector) == band_of(mark)) return true;
  pm_op_error(mark, "\"%s\" is inside a vector loop, whose iterations have no threads", word_of(mark));
  pm_note(pm_op_context(mark), vector->loc, "the vector loop is here");
  return false;
}

static bool check_alloc(const pm_op *alloc) {
  if (poly_space_of(alloc) != PM_SPACE_THREAD || mark_around(alloc, POLY_MARK_parallel)) return true;
  return pm_op_error(
      alloc, "of @%s is in \"thread\", but no parallel loop is around it; \"heap\" is for all threads",
      pm_sym_at(alloc, poly_alloc_stage)->text);
}

typedef struct checking {
  const stage_statements *statements;
  bool ok;
} checking;

static pm_walk check(void *user, pm_op *op) {
  checking *c = user;
  if (pm_is(op, &poly_mark)) c->ok = check_mark(c->statements, op) && c->ok;
  if (pm_is(op, &poly_alloc)) c->ok = check_alloc(op) && c->ok;
  return PM_WALK_ON;
}

bool poly_check_marks(const stage_statements *statements, pm_op *schedule) {
  checking c = {statements, true};
  pm_walk_pre(schedule, check, &c);
  return c.ok;
}
