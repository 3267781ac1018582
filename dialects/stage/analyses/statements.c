#include "dialects/stage/analyses/statements.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/stage/boundary.h"

#include <stdlib.h>

struct stage_statements {
  const stage_graph *graph;
  PM_VEC(stage_statement) list;
  pm_map *by_name;  /* pm_string -> index + 1 */
  pm_map *first_of; /* stage_node -> index + 1 of its first statement */
};

/* --- points --- */

static bool any_guard(const stage_node *node) {
  for (size_t i = 0; i < node->cases.len; i++)
    if (stage_has_guard(node->cases.data[i].op)) return true;
  return false;
}

/* The points that no unguarded case covers, coalesced. */
static __isl_give isl_set *default_points(const stage_node *node) {
  isl_set *rest = isl_set_copy(node->domain);
  for (size_t i = 0; i < node->cases.len; i++)
    if (!stage_has_guard(node->cases.data[i].op))
      rest = linear_set_subtract(rest, isl_set_copy(node->cases.data[i].set));
  return isl_coalesce(isl_with_used_params(rest));
}

/* The cells of the box of the domain that are not in it, coalesced; no stage but an output has any that
 * matter. */
static __isl_give isl_set *outside_points(const stage_node *node) {
  if (!node->is_output || !node->n_dims) return isl_set_empty(isl_set_get_space(node->domain));
  isl_set *box = isl_set_set_tuple_name(stage_box_around(node->domain), node->name->text);
  return isl_coalesce(linear_set_subtract(box, isl_set_copy(node->domain)));
}

/* --- the table --- */

static pm_string unique_name(const stage_statements *s, const char *text) {
  pm_buf buf = {0};
  pm_buf_puts(&buf, text);
  pm_string name = pm_get_cstring(s->graph->ctx, text);
  size_t number;
  while (stage_graph_find(s->graph, name) || stage_graph_find_update(s->graph, name, &number) ||
         pm_map_has(s->by_name, name)) {
    pm_buf_putc(&buf, '_');
    name = pm_get_cstring(s->graph->ctx, buf.data);
  }
  pm_buf_free(&buf);
  return name;
}

/* Takes the set. */
static void add_statement(stage_statements *s, stage_statement like, __isl_take isl_set *set,
                          pm_string name) {
  like.name = name;
  like.set = isl_set_set_tuple_name(set, name->text);
  PM_VEC_PUSH(s->list, like);
  pm_map_set(s->by_name, name, (void *)(uintptr_t)s->list.len);
  if (!pm_map_has(s->first_of, like.node)) pm_map_set(s->first_of, like.node, (void *)(uintptr_t)s->list.len);
}

enum { MAX_WHAT = 32 };

/* What the points of a statement that is no update are, for its name: `what` has MAX_WHAT bytes. */
static void put_what(char *what, const stage_statement *s) {
  if (s->kind == STAGE_CASE)
    snprintf(what, MAX_WHAT, "case%u", s->number);
  else
    snprintf(what, MAX_WHAT, "%s", s->kind == STAGE_OUTSIDE ? "outside" : "default");
}

/* Piece number `n` of the points of a stage that `what` says. */
static pm_string piece_name(const stage_statements *s, const stage_node *node, const char *what, unsigned n) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%s", node->name->text, what);
  if (n) pm_buf_printf(&text, "_%u", n);
  pm_string name = unique_name(s, text.data);
  pm_buf_free(&text);
  return name;
}

typedef struct piecing {
  stage_statements *table;
  stage_statement like;
  const char *what;
  unsigned n;
} piecing;

static isl_stat add_piece(__isl_take isl_basic_set *piece, void *user) {
  piecing *p = user;
  pm_string name = piece_name(p->table, p->like.node, p->what, p->n++);
  add_statement(p->table, p->like, isl_set_from_basic_set(piece), name);
  return isl_stat_ok;
}

/* Convex parts without common points; takes the set, which is coalesced. */
static __isl_give isl_set *apart(__isl_take isl_set *set) {
  return isl_set_n_basic_set(set) > 1 ? isl_set_make_disjoint(set) : set;
}

/* Adds the pieces of the points (taken), which are coalesced. */
static void add_pieces(stage_statements *s, stage_statement like, __isl_take isl_set *points) {
  char what[MAX_WHAT];
  put_what(what, &like);
  if (like.node->self_reads.len) {
    add_statement(s, like, points, piece_name(s, like.node, what, 0));
  } else {
    points = apart(points);
    isl_set_foreach_basic_set(points, add_piece, &(piecing){s, like, what, 0});
    isl_set_free(points);
  }
}

/* The one case, or the default, is all of the stage; takes the default's points. */
static bool add_whole(stage_statements *s, const stage_node *node, isl_set *rest, bool has_rest) {
  if (node->cases.len + has_rest != 1) return false;
  const stage_case_info *only = has_rest ? NULL : &node->cases.data[0];
  isl_set *points = only ? only->set : rest;
  if (!node->self_reads.len && isl_set_n_basic_set(points) != 1) return false;
  stage_statement like = {
      .kind = only ? STAGE_CASE : STAGE_DEFAULT, .node = node, .body = only ? only->op : NULL};
  add_statement(s, like, isl_set_copy(points), node->name);
  return true;
}

static void add_cases(stage_statements *s, const stage_node *node) {
  for (size_t i = 0; i < node->cases.len; i++) {
    stage_statement like = {
        .kind = STAGE_CASE, .number = (unsigned)i, .node = node, .body = node->cases.data[i].op};
    isl_set *points = isl_set_copy(node->cases.data[i].set);
    add_pieces(s, like, isl_set_n_basic_set(points) > 1 ? isl_coalesce(points) : points);
  }
}

/* --- stages of equal sets --- */

static bool have_equal_cases(const stage_node *a, const stage_node *b) {
  bool equal = a->cases.len == b->cases.len;
  for (size_t i = 0; equal && i < a->cases.len; i++) {
    const pm_op *one = a->cases.data[i].op, *two = b->cases.data[i].op;
    equal = pm_attr_at(one, stage_case_set) == pm_attr_at(two, stage_case_set) &&
            stage_has_guard(one) == stage_has_guard(two);
  }
  return equal;
}

/* A stage that is in the table and has equal sets; neither reads itself. NULL: there is none. */
static const stage_node *find_twin(const stage_statements *s, const stage_node *node) {
  pm_attr domain = pm_attr_at(node->op, stage_func_domain);
  for (size_t i = 0; i < node->index && !node->self_reads.len; i++) {
    const stage_node *other = s->graph->nodes.data[i];
    if (other->is_input || pm_attr_at(other->op, stage_func_domain) != domain) continue;
    bool alike = !other->self_reads.len && other->is_output == node->is_output;
    if (alike && pm_map_has(s->first_of, other) && have_equal_cases(node, other)) return other;
  }
  return NULL;
}

/* The statements of the other stage, but for updates, with the name and the bodies of this one. */
static void add_like(stage_statements *s, const stage_node *node, const stage_node *twin) {
  size_t first = (size_t)(uintptr_t)pm_map_get(s->first_of, twin) - 1;
  unsigned n = 0;
  for (size_t i = first; i < s->list.len && s->list.data[i].node == twin; i++) {
    stage_statement like = s->list.data[i];
    if (like.kind == STAGE_UPDATE) return;
    bool next =
        i > first && s->list.data[i - 1].kind == like.kind && s->list.data[i - 1].number == like.number;
    n = next ? n + 1 : 0;
    char what[MAX_WHAT];
    put_what(what, &like);
    pm_string name = stage_is_whole_stage(&like) ? node->name : piece_name(s, node, what, n);
    like.node = node;
    if (like.body) like.body = node->cases.data[like.number].op;
    add_statement(s, like, isl_set_copy(like.set), name);
  }
}

/* --- stages --- */

static void add_points(stage_statements *s, const stage_node *node) {
  isl_set *outside = outside_points(node), *rest = default_points(node);
  bool has_rest = isl_set_is_empty(rest) != isl_bool_true;
  if (isl_set_is_empty(outside) == isl_bool_false)
    add_pieces(s, (stage_statement){.kind = STAGE_OUTSIDE, .node = node}, isl_set_copy(outside));
  if (!add_whole(s, node, rest, has_rest)) {
    stage_statement like = {.kind = STAGE_DEFAULT, .node = node, .overwritten = any_guard(node)};
    if (has_rest) add_pieces(s, like, isl_set_copy(rest));
    add_cases(s, node);
  }
  isl_set_free(outside);
  isl_set_free(rest);
}

static void add_stage(stage_statements *s, const stage_node *node) {
  const stage_node *twin = find_twin(s, node);
  if (twin)
    add_like(s, node, twin);
  else
    add_points(s, node);
  for (size_t i = 0; i < node->updates.len; i++) {
    const stage_update_info *u = &node->updates.data[i];
    stage_statement like = {.kind = STAGE_UPDATE, .number = (unsigned)i, .node = node, .body = u->op};
    add_statement(s, like, isl_set_copy(u->set), u->name);
  }
}

static void *new_statements(pm_op *root, const void *base) {
  (void)root;
  stage_statements *s = pm_xcalloc(1, sizeof *s);
  *s = (stage_statements){.graph = base, .by_name = pm_map_new(), .first_of = pm_map_new()};
  for (size_t i = 0; i < s->graph->nodes.len; i++)
    if (!s->graph->nodes.data[i]->is_input) add_stage(s, s->graph->nodes.data[i]);
  return s;
}

static void free_statements(void *result) {
  stage_statements *s = result;
  for (size_t i = 0; i < s->list.len; i++) isl_set_free(s->list.data[i].set);
  PM_VEC_FREE(s->list);
  pm_map_free(s->by_name);
  pm_map_free(s->first_of);
  free(s);
}

const pm_analysis_desc stage_statements_analysis = {"statements", new_statements, free_statements, NULL,
                                                    &stage_graph_analysis};

const stage_graph *stage_statements_graph(const stage_statements *s) {
  return s->graph;
}

const stage_statement *stage_find_statement(const stage_statements *s, pm_string name) {
  size_t index = (size_t)(uintptr_t)pm_map_get(s->by_name, name);
  return index ? &s->list.data[index - 1] : NULL;
}

const stage_statement *stage_statements_of(const stage_statements *s, const stage_node *node, size_t *n) {
  size_t first = (size_t)(uintptr_t)pm_map_get(s->first_of, node), last = first;
  while (first && last <= s->list.len && s->list.data[last - 1].node == node) last++;
  *n = last - first;
  return first ? &s->list.data[first - 1] : NULL;
}

const stage_statement *stage_all_statements(const stage_statements *s, size_t *n) {
  *n = s->list.len;
  return s->list.data;
}

bool stage_is_whole_stage(const stage_statement *s) {
  return s->name == s->node->name;
}

__isl_give isl_set *stage_statement_points(const stage_statement *s) {
  return isl_set_set_tuple_name(isl_set_copy(s->set), s->node->name->text);
}
