#include "dialects/poly/lower/statements.h"

#include "dialects/poly/check/well_formed.h"

#include <isl/id.h>
#include <isl/schedule_node.h>
#include <stdlib.h>
#include <string.h>

/* --- the table --- */

static pm_string unique_name(const poly_statements *s, const stage_node *node, unsigned number) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%u", node->name->text, number);
  pm_string name = pm_get_cstring(s->graph->ctx, text.data);
  while (stage_graph_find(s->graph, name) || pm_map_has(s->by_name, name)) {
    pm_buf_putc(&text, '_');
    name = pm_get_cstring(s->graph->ctx, text.data);
  }
  pm_buf_free(&text);
  return name;
}

static bool has_guard(const pm_op *body) {
  PM_FOR_OPS(op, pm_region_at(body, stage_case_body))
  if (pm_is(op, &stage_guard)) return true;
  return false;
}

static bool any_guard(const stage_node *node) {
  for (size_t i = 0; i < node->cases.len; i++)
    if (has_guard(node->cases.data[i].op)) return true;
  return false;
}

static void add_statement(poly_statements *s, const stage_node *node, pm_op *body, isl_set *set,
                          pm_string name) {
  set = isl_set_set_tuple_name(isl_set_copy(set), name->text);
  bool update = pm_is(body, &stage_update);
  PM_VEC_PUSH(s->list, ((poly_statement){node, body, set, name, any_guard(node), update, false, false}));
  pm_map_set(s->by_name, name, (void *)(uintptr_t)s->list.len);
  if (!pm_map_has(s->first_of, node)) pm_map_set(s->first_of, node, (void *)(uintptr_t)s->list.len);
}

/* The points that no unguarded case covers. */
static __isl_give isl_set *default_points(const stage_node *node) {
  isl_set *rest = isl_set_copy(node->domain);
  for (size_t i = 0; i < node->cases.len; i++)
    if (!has_guard(node->cases.data[i].op))
      rest = isl_set_subtract(rest, isl_set_copy(node->cases.data[i].set));
  return isl_set_coalesce(rest);
}

/* All values between the least and the greatest that dimension `dim` has, as a set of one dimension. */
static __isl_give isl_set *range_of(__isl_keep isl_set *domain, unsigned dim) {
  unsigned n = (unsigned)isl_set_dim(domain, isl_dim_set);
  isl_set *set = isl_set_project_out(isl_set_copy(domain), isl_dim_set, dim + 1, n - dim - 1);
  set = isl_set_reset_tuple_id(isl_set_project_out(set, isl_dim_set, 0, dim));
  isl_set *above = isl_set_apply(isl_set_copy(set), isl_map_lex_le(isl_set_get_space(set)));
  isl_set *below = isl_set_apply(isl_set_copy(set), isl_map_lex_ge(isl_set_get_space(set)));
  isl_set_free(set);
  return isl_set_intersect(above, below);
}

/* The cells of the box of the domain that are not in it. */
static __isl_give isl_set *outside_points(const stage_node *node) {
  isl_set *box = isl_set_universe(isl_space_set_alloc(isl_set_get_ctx(node->domain), 0, 0));
  for (unsigned d = 0; d < node->n_dims; d++) box = isl_set_flat_product(box, range_of(node->domain, d));
  box = isl_set_set_tuple_name(box, node->name->text);
  return isl_set_coalesce(isl_set_subtract(box, isl_set_copy(node->domain)));
}

/* Adds the cells outside of an output's domain; true when there are any. */
static bool add_outside(poly_statements *s, const stage_node *node) {
  isl_set *outside = node->is_output && node->n_dims ? outside_points(node) : NULL;
  bool any = outside && isl_set_is_empty(outside) == isl_bool_false;
  if (any) {
    add_statement(s, node, NULL, outside, unique_name(s, node, 0));
    PM_VEC_LAST(s->list).outside = true;
  }
  isl_set_free(outside);
  return any;
}

static void add_stage(poly_statements *s, const stage_node *node) {
  isl_set *rest = default_points(node);
  bool has_default = isl_set_is_empty(rest) != isl_bool_true;
  bool alone = node->cases.len + has_default == 1;
  unsigned number = add_outside(s, node);
  if (has_default) add_statement(s, node, NULL, rest, alone ? node->name : unique_name(s, node, number++));
  for (size_t i = 0; i < node->cases.len; i++) {
    const stage_case_info *c = &node->cases.data[i];
    add_statement(s, node, c->op, c->set, alone ? node->name : unique_name(s, node, number++));
  }
  for (size_t i = 0; i < node->updates.len; i++)
    add_statement(s, node, node->updates.data[i].op, node->updates.data[i].set, node->updates.data[i].name);
  isl_set_free(rest);
}

poly_statements *poly_statements_new(const stage_graph *graph) {
  poly_statements *s = pm_xcalloc(1, sizeof *s);
  *s = (poly_statements){.graph = graph, .by_name = pm_map_new(), .first_of = pm_map_new()};
  for (size_t i = 0; i < graph->nodes.len; i++)
    if (!graph->nodes.data[i]->is_input) add_stage(s, graph->nodes.data[i]);
  return s;
}

void poly_statements_free(poly_statements *s) {
  if (!s) return;
  for (size_t i = 0; i < s->list.len; i++) isl_set_free(s->list.data[i].set);
  PM_VEC_FREE(s->list);
  pm_map_free(s->by_name);
  pm_map_free(s->first_of);
  free(s);
}

const poly_statement *poly_find_statement(const poly_statements *s, pm_string name) {
  size_t index = (size_t)(uintptr_t)pm_map_get(s->by_name, name);
  return index ? &s->list.data[index - 1] : NULL;
}

pm_string poly_statement_tuple(const poly_statement *s) {
  return s->update ? s->name : s->node->name;
}

/* --- what is ahead of the tree --- */

typedef struct part_finder {
  pm_context *ctx;
  /* pm_string of the stages that are not, or not only, a whole array of their own that the domain fills */
  pm_map *stages;
} part_finder;

/* The instances that an extension brings. */
static __isl_give isl_union_set *brought_by(const pm_op *extension) {
  isl_union_map *map = isl_union_map_copy(isl_peek_union_map(extension->attrs[poly_extension_map]));
  return isl_union_map_range(map);
}

static void add_names(pm_context *ctx, pm_map *names, __isl_take isl_union_set *instances) {
  poly_names found = {0};
  poly_stage_names(ctx, instances, &found);
  for (size_t i = 0; i < found.len; i++) pm_map_set(names, found.data[i], NULL);
  PM_VEC_FREE(found);
  isl_union_set_free(instances);
}

static pm_walk find_part(void *user, pm_op *op) {
  part_finder *p = user;
  if (pm_is(op, &poly_alloc) && (poly_alloc_has_box(op) || pm_attr_at(op, poly_alloc_turn)))
    pm_map_set(p->stages, pm_sym_at(op, poly_alloc_stage), NULL);
  if (pm_is(op, &poly_extension)) add_names(p->ctx, p->stages, brought_by(op));
  return PM_WALK_ON;
}

static bool is_ahead(const part_finder *parts, isl_union_set *domain, const poly_statement *s) {
  if (s->outside) return true;
  if (s->body || s->guarded || !s->node->n_dims || pm_map_has(parts->stages, s->node->name)) return false;
  isl_set *whole = isl_union_set_extract_set(domain, isl_set_get_space(s->node->domain));
  bool ahead = isl_set_plain_is_empty(whole) == isl_bool_false;
  isl_set_free(whole);
  return ahead;
}

void poly_find_ahead(poly_statements *s, pm_op *schedule) {
  part_finder parts = {pm_op_context(schedule), pm_map_new()};
  isl_union_set *domain = isl_peek_union_set(poly_child(schedule)->attrs[poly_domain_instances]);
  pm_walk_pre(schedule, find_part, &parts);
  for (size_t i = 0; i < s->list.len; i++) s->list.data[i].ahead = is_ahead(&parts, domain, &s->list.data[i]);
  pm_map_free(parts.stages);
}

__isl_give isl_schedule *poly_statement_schedule(const poly_statement *s) {
  unsigned n = s->node->n_dims;
  isl_multi_aff *all = isl_multi_aff_identity_on_domain_space(isl_set_get_space(s->set));
  isl_multi_union_pw_aff *last =
      isl_multi_union_pw_aff_from_multi_aff(isl_multi_aff_reset_tuple_id(all, isl_dim_out));
  isl_multi_union_pw_aff *outer = isl_multi_union_pw_aff_copy(last);
  outer = isl_multi_union_pw_aff_drop_dims(outer, isl_dim_set, n - 1, 1);
  last = isl_multi_union_pw_aff_drop_dims(last, isl_dim_set, 0, n - 1);
  isl_schedule *schedule = isl_schedule_from_domain(isl_union_set_from_set(isl_set_copy(s->set)));
  isl_id *mark = isl_id_alloc(isl_set_get_ctx(s->set), "vector", NULL);
  isl_schedule_node *node = isl_schedule_node_first_child(isl_schedule_get_root(schedule));
  isl_schedule_free(schedule);
  node = isl_schedule_node_insert_partial_schedule(node, last);
  node = isl_schedule_node_insert_mark(node, mark);
  if (n > 1)
    node = isl_schedule_node_insert_partial_schedule(node, outer);
  else
    isl_multi_union_pw_aff_free(outer);
  schedule = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return schedule;
}

/* --- the tree as isl's text --- */

typedef struct writer {
  const poly_statements *statements;
  isl_union_set *domain;
  isl_union_map *inside; /* Stage[…] -> all statements below the node that are not ahead of the tree */
  poly_sites *sites;
  pm_buf text;
  pm_context *ctx;
  bool ok;
  bool strided; /* statements that share a band go through it in strides */
  bool wide;    /* sets of statements are given without their strides */
} writer;

/* What holds at a node. The maps are borrowed. */
typedef struct scope {
  isl_union_map *expansion; /* Stage[…] -> the statements that are scheduled here */
  isl_union_map *prefix;    /* statement instances of the domain -> outer schedule dimensions */
  isl_union_map *brought;   /* the same of the instances that extensions around have brought */
  unsigned depth;           /* number of these dimensions */
  bool marked;              /* the next band is parallel or a vector loop */
} scope;

/* The number of its first statement + 1, 0: it has none. */
static size_t first_of(const poly_statements *s, const stage_node *node) {
  return node ? (size_t)(uintptr_t)pm_map_get(s->first_of, node) : 0;
}

/* A set around it that has no strides; where bounds are floors of something, the hull in their place. */
static __isl_give isl_set *without_strides(isl_set *set) {
  isl_set *wide = isl_set_remove_divs(isl_set_copy(set));
  if (isl_set_is_bounded(wide) != isl_bool_false) return wide;
  isl_set_free(wide);
  return isl_set_from_basic_set(isl_set_polyhedral_hull(isl_set_copy(set)));
}

/* Its instances as isl shall see them. */
static __isl_give isl_set *instances_of(const poly_statement *s, bool wide) {
  return wide ? without_strides(s->set) : isl_set_copy(s->set);
}

static __isl_give isl_map *to_statement(const poly_statement *s, bool wide) {
  isl_map *map = isl_set_identity(instances_of(s, wide));
  return isl_map_set_tuple_name(map, isl_dim_in, poly_statement_tuple(s)->text);
}

/* Adds the statements of a stage or update that are not ahead. */
static __isl_give isl_union_map *add_statements(const writer *w, __isl_take isl_union_map *all,
                                                pm_string tuple) {
  const poly_statements *s = w->statements;
  size_t number;
  const stage_node *node = stage_graph_find(s->graph, tuple);
  if (!node) node = stage_graph_find_update(s->graph, tuple, &number);
  for (size_t at = first_of(s, node); at && at <= s->list.len && s->list.data[at - 1].node == node; at++) {
    const poly_statement *statement = &s->list.data[at - 1];
    if (poly_statement_tuple(statement) == tuple && !statement->ahead)
      all = isl_union_map_add_map(all, to_statement(statement, w->wide));
  }
  return all;
}

typedef struct name_finder {
  pm_context *ctx;
  poly_names names;
} name_finder;

static pm_walk find_brought(void *user, pm_op *op) {
  name_finder *f = user;
  if (!pm_is(op, &poly_extension)) return PM_WALK_ON;
  isl_union_set *brought = brought_by(op);
  poly_stage_names(f->ctx, brought, &f->names);
  isl_union_set_free(brought);
  return PM_WALK_ON;
}

/* Stage[…] -> its statements that are not ahead, of the stages and updates in the domain and those that
 * extensions below the node bring. */
static __isl_give isl_union_map *to_statements(const writer *w, pm_op *node) {
  name_finder f = {.ctx = w->ctx};
  poly_stage_names(w->ctx, w->domain, &f.names);
  pm_walk_pre(node, find_brought, &f);
  pm_map *seen = pm_map_new();
  isl_union_map *all = isl_union_map_empty(isl_set_get_space(w->statements->graph->context));
  for (size_t i = 0; i < f.names.len; i++) {
    if (pm_map_has(seen, f.names.data[i])) continue;
    pm_map_set(seen, f.names.data[i], NULL);
    all = add_statements(w, all, f.names.data[i]);
  }
  pm_map_free(seen);
  PM_VEC_FREE(f.names);
  return all;
}

/* Takes the text. */
static void put_quoted(writer *w, const char *key, char *text) {
  pm_buf_printf(&w->text, "%s: \"%s\"", key, text ? text : "");
  free(text);
}

/* Whether any statement is there: isl accepts no band without instances, so what is below may only follow
 * then.
 */
static bool put_set(writer *w, const char *key, __isl_take isl_union_set *set, isl_union_map *expansion) {
  set = isl_union_set_apply(set, isl_union_map_copy(expansion));
  put_quoted(w, key, isl_union_set_to_str(set));
  bool any = isl_union_set_is_empty(set) == isl_bool_false;
  isl_union_set_free(set);
  return any;
}

static void put_node(writer *w, pm_op *node, scope in);

static void put_alloc(writer *w, pm_op *alloc, scope in) {
  if (!poly_alloc_has_box(alloc)) return;
  pm_buf_printf(&w->text, ", child: { mark: \"alloc:%zu\"", w->sites->len);
  PM_VEC_PUSH(*w->sites, ((poly_site){alloc, isl_union_map_copy(in.prefix)}));
}

static bool is_here(const poly_statement *s, isl_union_map *expansion) {
  isl_space *statement = isl_set_get_space(s->set);
  isl_space *stage =
      isl_space_set_tuple_name(isl_space_copy(statement), isl_dim_set, poly_statement_tuple(s)->text);
  isl_map *map = isl_union_map_extract_map(expansion, isl_space_map_from_domain_and_range(stage, statement));
  bool here = isl_map_plain_is_empty(map) == isl_bool_false;
  isl_map_free(map);
  return here;
}

/* `, child: …` of a leaf: its statements one after the other, in the order of the table, since the guarded
 * cases of a stage overwrite its default. */
static void put_leaf(writer *w, scope in) {
  pm_buf_puts(&w->text, ", child: { sequence: [ ");
  bool first = true;
  for (size_t i = 0; i < w->statements->list.len; i++) {
    const poly_statement *s = &w->statements->list.data[i];
    if (!is_here(s, in.expansion)) continue;
    isl_set *set = instances_of(s, w->wide);
    put_quoted(w, first ? "{ filter" : ", { filter", isl_set_to_str(set));
    isl_set_free(set);
    pm_buf_puts(&w->text, " }");
    first = false;
  }
  pm_buf_puts(&w->text, " ] }");
}

/* `, child: …` for what is inside a node, its allocations as marks around. */
static void put_child(writer *w, pm_op *node, scope in) {
  size_t before = w->sites->len;
  PM_FOR_OPS(op, pm_region_at(node, 0))
  if (pm_is(op, &poly_alloc)) put_alloc(w, op, in);
  size_t open = w->sites->len - before;
  pm_op *child = poly_child(node);
  if (child) {
    pm_buf_puts(&w->text, ", child: ");
    put_node(w, child, in);
  } else if (isl_union_map_n_map(in.expansion) > 1 || open > 0) {
    put_leaf(w, in);
  }
  while (open--) pm_buf_puts(&w->text, " }");
}

static __isl_give isl_multi_union_pw_aff *schedule_of(pm_op *band, isl_union_map *expansion) {
  isl_union_map *contraction = isl_union_map_reverse(isl_union_map_copy(expansion));
  return isl_multi_union_pw_aff_pullback_union_pw_multi_aff(
      isl_multi_union_pw_aff_copy(isl_peek_mupa(band->attrs[poly_band_schedule])),
      isl_union_pw_multi_aff_from_union_map(contraction));
}

static isl_stat find_stride(__isl_take isl_basic_set *part, void *user) {
  bool *strided = user;
  isl_set *set = isl_set_from_basic_set(part);
  for (int d = 0; !*strided && d < (int)isl_set_dim(set, isl_dim_set); d++) {
    isl_val *stride = isl_set_get_stride(set, d);
    *strided = isl_val_is_one(stride) != isl_bool_true;
    isl_val_free(stride);
  }
  isl_set_free(set);
  return isl_stat_ok;
}

static isl_stat find_strides(__isl_take isl_map *map, void *user) {
  isl_set *image = isl_map_range(map);
  isl_stat status = isl_set_foreach_basic_set(image, find_stride, user);
  isl_set_free(image);
  return status;
}

/* There are several statements, and one of them has no instances at every second value of a member, say. */
static bool has_strides(isl_multi_union_pw_aff *schedule, isl_union_map *expansion) {
  bool strided = false;
  if (isl_union_map_n_map(expansion) < 2) return false;
  isl_union_map *map = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(schedule));
  map = isl_union_map_intersect_domain(map, isl_union_map_range(isl_union_map_copy(expansion)));
  isl_union_map_foreach_map(map, find_strides, &strided);
  isl_union_map_free(map);
  return strided;
}

/* Loops over tiles, and those around several stages, are not cut where a statement begins or ends: what is
 * inside them is generated once. Cut, they would be as many as there are orders of those places. */
static bool is_uncut(const pm_op *band) {
  return pm_attr_at(band, poly_band_tile) || poly_has_filters(poly_child(band));
}

static void put_band(writer *w, pm_op *band, scope in) {
  isl_multi_union_pw_aff *schedule = schedule_of(band, in.expansion);
  put_quoted(w, "{ schedule", isl_multi_union_pw_aff_to_str(schedule));
  w->strided = w->strided || has_strides(schedule, in.expansion);
  isl_union_map *members = isl_union_map_from_multi_union_pw_aff(schedule);
  scope inner = {.expansion = in.expansion, .depth = in.depth + poly_band_members(band)};
  inner.brought =
      isl_union_map_flat_range_product(isl_union_map_copy(in.brought), isl_union_map_copy(members));
  inner.prefix = isl_union_map_flat_range_product(isl_union_map_copy(in.prefix), members);
  if (is_uncut(band)) pm_buf_puts(&w->text, ", options: \"{ atomic[x] }\"");
  bool end_mark = in.marked && poly_child(band);
  if (end_mark) pm_buf_puts(&w->text, ", child: { mark: \"end\"");
  put_child(w, band, inner);
  if (end_mark) pm_buf_puts(&w->text, " }");
  pm_buf_puts(&w->text, " }");
  isl_union_map_free(inner.prefix);
  isl_union_map_free(inner.brought);
}

static void put_children(writer *w, pm_op *node, const char *key, scope in) {
  pm_buf_printf(&w->text, "{ %s: [ ", key);
  PM_FOR_OPS(filter, pm_region_at(node, 0)) {
    if (filter->prev) pm_buf_puts(&w->text, ", ");
    put_node(w, filter, in);
  }
  pm_buf_puts(&w->text, " ] }");
}

static pm_walk is_inner_node(void *root, pm_op *op) {
  bool inner = op != root && (pm_is(op, &poly_filter) || pm_is(op, &poly_extension));
  return inner ? PM_WALK_STOP : PM_WALK_ON;
}

/* The statements of an innermost filter that lets one stage through, without what is ahead; 0 for other
 * filters. */
static unsigned statements_of(const writer *w, pm_op *filter, const poly_statement **first) {
  if (!pm_walk_pre(filter, is_inner_node, filter)) return 0;
  poly_names names = {0};
  poly_stage_names(w->ctx, isl_peek_union_set(filter->attrs[poly_filter_instances]), &names);
  const poly_statements *s = w->statements;
  const stage_node *node = names.len == 1 ? stage_graph_find(s->graph, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  size_t at = first_of(s, node);
  if (!at) return 0;
  while (at <= s->list.len && s->list.data[at - 1].ahead) at++;
  *first = s->list.data + at - 1;
  unsigned n = 0;
  while (at - 1 + n < s->list.len && s->list.data[at - 1 + n].node == node &&
         !s->list.data[at - 1 + n].update)
    n++;
  return n;
}

/* One after the other, each with the loops that stand in the filter. */
static void put_statements(writer *w, pm_op *filter, const poly_statement *first, unsigned n, scope in) {
  pm_buf_puts(&w->text, ", child: { sequence: [ ");
  for (unsigned i = 0; i < n; i++) {
    isl_union_map *one = isl_union_map_from_map(to_statement(&first[i], w->wide));
    isl_union_set *instances = isl_union_set_copy(isl_peek_union_set(filter->attrs[poly_filter_instances]));
    if (put_set(w, i ? ", { filter" : "{ filter", instances, one))
      put_child(w, filter, (scope){one, in.prefix, in.brought, in.depth, in.marked});
    pm_buf_puts(&w->text, " }");
    isl_union_map_free(one);
  }
  pm_buf_puts(&w->text, " ] }");
}

/* Adds what `all` has in the space of `like`, which is taken. */
static __isl_give isl_union_map *add_part(__isl_take isl_union_map *part, isl_union_map *all,
                                          __isl_take isl_space *like) {
  isl_map *map = isl_union_map_extract_map(all, like);
  if (isl_map_plain_is_empty(map) == isl_bool_false) return isl_union_map_add_map(part, map);
  isl_map_free(map);
  return part;
}

/* How stages get from one scope into another. */
typedef struct passing {
  writer *w;
  const pm_op *op;
  scope from, to;
} passing;

/* The statements of the stage that are in the one scope are in the other. */
static isl_stat pass_stage(__isl_take isl_set *set, void *user) {
  passing *n = user;
  const poly_statements *s = n->w->statements;
  const stage_update_info *update = NULL;
  const stage_node *node = poly_check_instances(s->graph, n->op, isl_set_get_space(set), &update);
  isl_set_free(set);
  n->w->ok = n->w->ok && node;
  size_t at = first_of(s, node);
  pm_string tuple = update ? update->name : node ? node->name : NULL;
  for (; at && at <= s->list.len && s->list.data[at - 1].node == node; at++) {
    if (poly_statement_tuple(&s->list.data[at - 1]) != tuple) continue;
    isl_space *statement = isl_set_get_space(s->list.data[at - 1].set);
    isl_space *stage = isl_space_set_tuple_name(isl_space_copy(statement), isl_dim_set, tuple->text);
    isl_space *outer =
        isl_space_add_dims(isl_space_from_domain(isl_space_copy(statement)), isl_dim_out, n->from.depth);
    n->to.expansion =
        add_part(n->to.expansion, n->from.expansion, isl_space_map_from_domain_and_range(stage, statement));
    n->to.prefix = add_part(n->to.prefix, n->from.prefix, isl_space_copy(outer));
    n->to.brought = add_part(n->to.brought, n->from.brought, outer);
  }
  return isl_stat_ok;
}

/* The scope for the statements of the stages that the filter names; its maps are the caller's. */
static scope narrowed(writer *w, const pm_op *filter, scope in) {
  isl_space *params = isl_set_get_space(w->statements->graph->context);
  passing n = {w, filter, in, in};
  n.to.expansion = isl_union_map_empty(isl_space_copy(params));
  n.to.prefix = isl_union_map_empty(isl_space_copy(params));
  n.to.brought = isl_union_map_empty(params);
  isl_union_set_foreach_set(isl_peek_union_set(filter->attrs[poly_filter_instances]), pass_stage, &n);
  return n.to;
}

/* Cases get loops of their own, but not those of a recurrence: they need each other's points in between. */
static void put_filter(writer *w, pm_op *filter, scope outside) {
  const poly_statement *first;
  scope in = narrowed(w, filter, outside);
  unsigned n = statements_of(w, filter, &first);
  isl_union_set *instances = isl_peek_union_set(filter->attrs[poly_filter_instances]);
  bool any = put_set(w, "{ filter", isl_union_set_copy(instances), in.expansion);
  if (any && n > 1 && !first->node->self_reads.len)
    put_statements(w, filter, first, n, in);
  else if (any)
    put_child(w, filter, in);
  pm_buf_puts(&w->text, " }");
  isl_union_map_free(in.expansion);
  isl_union_map_free(in.prefix);
  isl_union_map_free(in.brought);
}

/* The iterations of the loops around that have an instance of a statement, where they are not convex; NULL
 * where they are. */
static __isl_give isl_set *find_gaps(const writer *w, scope in) {
  isl_union_map *around = isl_union_map_union(isl_union_map_copy(in.prefix), isl_union_map_copy(in.brought));
  isl_space *space = isl_space_set_from_params(isl_set_get_space(w->statements->graph->context));
  isl_union_set *iterations = isl_union_map_range(around);
  isl_set *reached = isl_union_set_extract_set(iterations, isl_space_add_dims(space, isl_dim_set, in.depth));
  isl_union_set_free(iterations);
  reached = isl_set_coalesce(isl_set_intersect_params(reached, isl_set_copy(w->statements->graph->context)));
  isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_remove_divs(isl_set_copy(reached))));
  bool convex = isl_set_is_subset(hull, reached) == isl_bool_true;
  isl_set_free(hull);
  if (!convex) return reached;
  isl_set_free(reached);
  return NULL;
}

/* isl (0.25 at least) goes through what an extension brings in all iterations of the loops around, whether
 * one of them has an instance or not, while it takes for granted in expressions that it has. */
static void put_extension(writer *w, pm_op *op, scope in) {
  isl_union_map *map = isl_union_map_copy(isl_peek_union_map(op->attrs[poly_extension_map]));
  isl_set *reached = find_gaps(w, in);
  if (reached) map = isl_union_map_intersect_domain(map, isl_union_set_from_set(reached));
  map = isl_union_map_apply_range(map, isl_union_map_copy(w->inside));
  isl_union_set *brought = brought_by(op);
  passing p = {w, op, {w->inside, in.prefix, in.brought, in.depth, in.marked}, in};
  p.to.expansion = isl_union_map_copy(in.expansion);
  p.to.prefix = isl_union_map_copy(in.prefix);
  p.to.brought =
      isl_union_map_union(isl_union_map_copy(in.brought), isl_union_map_reverse(isl_union_map_copy(map)));
  isl_union_set_foreach_set(brought, pass_stage, &p);
  put_quoted(w, "{ extension", isl_union_map_to_str(map));
  put_child(w, op, p.to);
  pm_buf_puts(&w->text, " }");
  isl_union_map_free(map);
  isl_union_map_free(p.to.expansion);
  isl_union_map_free(p.to.prefix);
  isl_union_map_free(p.to.brought);
  isl_union_set_free(brought);
}

/* Instances -> the schedule dimensions around the tree, which are none. */
static __isl_give isl_union_map *empty_prefix(isl_union_map *expansion) {
  isl_space *none = isl_space_set_alloc(isl_union_map_get_ctx(expansion), 0, 0);
  isl_union_set *all = isl_union_map_range(isl_union_map_copy(expansion));
  return isl_union_map_from_domain_and_range(all, isl_union_set_from_set(isl_set_universe(none)));
}

static void put_root(writer *w, pm_op *node) {
  scope in = {w->inside, empty_prefix(w->inside), isl_union_map_empty(isl_union_map_get_space(w->inside)), 0,
              false};
  if (put_set(w, "{ domain", isl_union_set_copy(w->domain), w->inside)) {
    bool filter = pm_is(node, &poly_filter);
    if (filter) pm_buf_puts(&w->text, ", child: { sequence: [ ");
    if (filter)
      put_filter(w, node, in);
    else
      put_child(w, node, in);
    if (filter) pm_buf_puts(&w->text, " ] }");
  }
  pm_buf_puts(&w->text, " }");
  isl_union_map_free(in.prefix);
  isl_union_map_free(in.brought);
}

static void put_mark(writer *w, pm_op *op, scope in) {
  pm_buf_printf(&w->text, "{ mark: \"%s\"", op->attrs[poly_mark_name]->s->text);
  in.marked = in.marked || poly_is_mark(op, "parallel") || poly_is_mark(op, "vector");
  put_child(w, op, in);
  pm_buf_puts(&w->text, " }");
}

static void put_node(writer *w, pm_op *node, scope in) {
  if (pm_is(node, &poly_band))
    put_band(w, node, in);
  else if (pm_is(node, &poly_filter))
    put_filter(w, node, in);
  else if (pm_is(node, &poly_extension))
    put_extension(w, node, in);
  else if (pm_is(node, &poly_mark))
    put_mark(w, node, in);
  else
    put_children(w, node, pm_is(node, &poly_sequence) ? "sequence" : "set", in);
}

static void write_tree(writer *w, pm_op *node) {
  w->inside = to_statements(w, node);
  put_root(w, node);
  isl_union_map_free(w->inside);
}

__isl_give isl_schedule *poly_to_isl_schedule(pm_op *node, isl_union_set *domain,
                                              const poly_statements *statements, poly_sites *sites,
                                              bool *wide) {
  writer w = {
      .statements = statements, .sites = sites, .ctx = pm_op_context(node), .domain = domain, .ok = true};
  size_t n_sites = sites->len;
  write_tree(&w, node);
  if (w.ok && w.strided) {
    w.wide = true;
    pm_buf_free(&w.text);
    while (sites->len > n_sites) isl_union_map_free(PM_VEC_POP(*sites).prefix);
    write_tree(&w, node);
  }
  *wide = w.wide;
  isl_schedule *result = w.ok ? isl_schedule_read_from_str(statements->graph->isl, w.text.data) : NULL;
  if (w.ok && !result) pm_op_error(node, "is not a schedule that isl accepts: %s", pm_isl_error(w.ctx));
  pm_buf_free(&w.text);
  return result;
}

void poly_sites_free(poly_sites *sites) {
  for (size_t i = 0; i < sites->len; i++) isl_union_map_free(sites->data[i].prefix);
  PM_VEC_FREE(*sites);
}
