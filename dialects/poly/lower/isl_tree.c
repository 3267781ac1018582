#include "dialects/poly/lower/isl_tree.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/well_formed.h"

#include <stdlib.h>

/* --- the tree as isl's text --- */

typedef struct writer {
  const stage_statements *statements;
  isl_union_set *domain;
  isl_union_map *inside; /* tuples of the tree -> all statements at and below the node */
  poly_sites *sites;
  pm_buf text;
  pm_context *ctx;
  bool ok;
  bool strided; /* statements that share a band go through it in strides */
  bool wide;    /* sets of statements are given without their strides */
} writer;

/* What holds at a node. The maps are borrowed. */
typedef struct scope {
  isl_union_map *expansion; /* tuples of the tree here -> the statements that are scheduled */
  isl_union_map *prefix;    /* statement instances of the domain -> outer schedule dimensions */
  isl_union_map *brought;   /* the same of the instances that extensions around have brought */
  unsigned depth;           /* number of these dimensions */
  bool marked;              /* the next band has marks of its loop */
} scope;

/* A set around it that has no strides; where bounds are floors of something, the hull in their place. */
static __isl_give isl_set *without_strides(isl_set *set) {
  isl_ctx *isl = isl_set_get_ctx(set);
  isl_set *wide = isl_set_remove_divs(isl_set_copy(set)), *hull = NULL;
  isl_ask(isl);
  if (isl_set_is_bounded(wide) == isl_bool_false)
    hull = isl_set_from_basic_set(isl_set_polyhedral_hull(isl_set_copy(set)));
  bool found = isl_answered(isl) && hull;
  isl_set_free(found ? wide : hull);
  return found ? hull : wide;
}

/* Its instances as isl shall see them. */
static __isl_give isl_set *instances_of(const stage_statement *s, bool wide) {
  return wide ? without_strides(s->set) : isl_set_copy(s->set);
}

/* Instances of a tuple -> those of the statement at the same points. */
static __isl_give isl_map *to_statement(const stage_statement *s, pm_string tuple, bool wide) {
  return isl_map_set_tuple_name(isl_set_identity(instances_of(s, wide)), isl_dim_in, tuple->text);
}

/* Takes the names and adds statements that these are. */
static __isl_give isl_union_map *add_statements(const writer *w, __isl_take isl_union_map *all,
                                                const poly_names *names) {
  for (size_t i = 0; i < names->len; i++) {
    const stage_statement *s = stage_find_statement(w->statements, names->data[i]);
    if (s) all = isl_union_map_add_map(all, to_statement(s, s->name, w->wide));
  }
  return all;
}

typedef struct expanded_finder {
  const writer *w;
  isl_union_map *all;
} expanded_finder;

static isl_stat add_expanded(__isl_take isl_map *map, void *user) {
  expanded_finder *f = user;
  const stage_statement *s = stage_find_statement(
      f->w->statements, pm_get_cstring(f->w->ctx, isl_map_get_tuple_name(map, isl_dim_out)));
  isl_map_free(map);
  if (s && s->kind != STAGE_UPDATE)
    f->all = isl_union_map_add_map(f->all, to_statement(s, s->node->name, f->w->wide));
  return isl_stat_ok;
}

/* Adds the statements that an extension brings or an expansion gives. */
static pm_walk find_statements(void *user, pm_op *op) {
  expanded_finder *f = user;
  if (pm_is(op, &poly_expansion))
    isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(op, poly_expansion_map)), add_expanded, f);
  if (!pm_is(op, &poly_extension)) return PM_WALK_ON;
  poly_names names = {0};
  isl_union_set *brought = poly_instances_of(op);
  poly_stage_names(f->w->ctx, brought, &names);
  f->all = add_statements(f->w, f->all, &names);
  isl_union_set_free(brought);
  PM_VEC_FREE(names);
  return PM_WALK_ON;
}

/* Of the domain and of all that is below the node. */
static __isl_give isl_union_map *to_statements(const writer *w, pm_op *node) {
  poly_names names = {0};
  poly_stage_names(w->ctx, w->domain, &names);
  expanded_finder f = {
      w, isl_union_map_empty(isl_set_get_space(stage_statements_graph(w->statements)->context))};
  f.all = add_statements(w, f.all, &names);
  PM_VEC_FREE(names);
  pm_walk_pre(node, find_statements, &f);
  return f.all;
}

/* Takes the text. */
static void put_quoted(writer *w, const char *key, char *text) {
  pm_buf_printf(&w->text, "%s: \"%s\"", key, text ? text : "");
  free(text);
}

/* The root: whether any statement is there. isl accepts no band without instances, so what is below may only
 * follow then. */
static bool put_domain(writer *w) {
  isl_union_set *set = isl_union_set_apply(isl_union_set_copy(w->domain), isl_union_map_copy(w->inside));
  put_quoted(w, "{ domain", isl_union_set_to_str(set));
  bool any = isl_union_set_is_empty(set) == isl_bool_false;
  isl_union_set_free(set);
  return any;
}

/* The same of a filter, of instances (taken): what holds of them beyond what holds of all of their
 * statements. */
static bool put_instances(writer *w, __isl_take isl_union_set *set, isl_union_map *expansion) {
  set = isl_union_set_apply(set, isl_union_map_copy(expansion));
  bool any = isl_union_set_is_empty(set) == isl_bool_false;
  if (any) set = isl_union_set_gist(set, isl_union_map_range(isl_union_map_copy(expansion)));
  put_quoted(w, "{ filter", isl_union_set_to_str(set));
  isl_union_set_free(set);
  return any;
}

static void put_node(writer *w, pm_op *node, scope in);

static void put_alloc(writer *w, pm_op *alloc, scope in) {
  if (!poly_alloc_has_box(alloc)) return;
  pm_buf_printf(&w->text, ", child: { mark: \"alloc:%zu\"", w->sites->len);
  PM_VEC_PUSH(*w->sites, ((poly_site){alloc, isl_union_map_copy(in.prefix)}));
}

typedef struct leaf_writer {
  writer *w;
  bool first;
} leaf_writer;

static isl_stat put_leaf_statement(__isl_take isl_map *map, void *user) {
  leaf_writer *l = user;
  put_quoted(l->w, l->first ? "{ filter" : ", { filter", isl_set_to_str(isl_map_range(isl_map_copy(map))));
  pm_buf_puts(&l->w->text, " }");
  isl_map_free(map);
  l->first = false;
  return isl_stat_ok;
}

/* `, child: …` of a leaf below an allocation, which isl wants to have a node inside. */
static void put_leaf(writer *w, scope in) {
  leaf_writer l = {w, true};
  pm_buf_puts(&w->text, ", child: { sequence: [ ");
  isl_union_map_foreach_map(in.expansion, put_leaf_statement, &l);
  pm_buf_puts(&w->text, " ] }");
}

/* The statements below an expansion, by their own names and by those of updates. */
static __isl_give isl_union_map *statements_given(const writer *w, const pm_op *expansion, scope in) {
  poly_names names = {0};
  isl_union_set *given = poly_instances_of(expansion);
  poly_stage_names(w->ctx, given, &names);
  isl_union_set_free(given);
  isl_union_map *all = isl_union_map_empty(isl_union_map_get_space(in.expansion));
  all = add_statements(w, all, &names);
  PM_VEC_FREE(names);
  return all;
}

/* `, child: …` for what is inside a node, its allocations as marks around. An expansion is no node of isl's
 * tree, in which all instances are those of statements. */
static void put_child(writer *w, pm_op *node, scope in) {
  size_t before = w->sites->len;
  PM_FOR_OPS(op, pm_region_at(node, 0))
  if (pm_is(op, &poly_alloc)) put_alloc(w, op, in);
  size_t open = w->sites->len - before;
  pm_op *child = poly_child(node);
  isl_union_map *expanded = NULL;
  if (child && pm_is(child, &poly_expansion)) {
    in.expansion = expanded = statements_given(w, child, in);
    child = poly_child(child);
  }
  if (child) {
    pm_buf_puts(&w->text, ", child: ");
    put_node(w, child, in);
  } else if (open > 0) {
    put_leaf(w, in);
  }
  isl_union_map_free(expanded);
  while (open--) pm_buf_puts(&w->text, " }");
}

/* Of statements at any point: those that are there are told by the filters around, and isl takes long to read
 * conditions. */
static __isl_give isl_multi_union_pw_aff *schedule_of(pm_op *band, isl_union_map *expansion) {
  isl_union_set *statements = isl_union_map_range(isl_union_map_copy(expansion));
  isl_union_map *contraction = isl_union_map_reverse(isl_union_map_copy(expansion));
  contraction = isl_union_map_gist_domain(contraction, statements);
  return isl_multi_union_pw_aff_pullback_union_pw_multi_aff(
      isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(band, poly_band_schedule))),
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
  isl_ctx *isl = isl_union_map_get_ctx(expansion);
  isl_union_map *map = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(schedule));
  map = isl_union_map_intersect_domain(map, isl_union_map_range(isl_union_map_copy(expansion)));
  isl_ask(isl);
  isl_union_map_foreach_map(map, find_strides, &strided);
  strided = isl_answered(isl) && strided;
  isl_union_map_free(map);
  return strided;
}

/* Loops over tiles, and those around several stages, are not cut where a statement begins or ends: what is
 * inside them is generated once. Cut, they would be as many as there are orders of those places. */
static bool is_uncut(const pm_op *band) {
  return pm_attr_at(band, poly_band_tile) || poly_has_filters(poly_child(band));
}

/* Some node of isl's tree is inside; expansions are none. */
static bool has_node_inside(const pm_op *node) {
  const pm_op *child = poly_child(node);
  return child && (!pm_is(child, &poly_expansion) || poly_child(child));
}

static void put_members(writer *w, pm_op *band, scope in) {
  isl_multi_union_pw_aff *schedule = schedule_of(band, in.expansion);
  put_quoted(w, "{ schedule", isl_multi_union_pw_aff_to_str(schedule));
  w->strided = w->strided || has_strides(schedule, in.expansion);
  isl_union_map *members = isl_union_map_from_multi_union_pw_aff(schedule);
  scope inner = {.expansion = in.expansion, .depth = in.depth + poly_band_members(band)};
  inner.brought =
      isl_union_map_flat_range_product(isl_union_map_copy(in.brought), isl_union_map_copy(members));
  inner.prefix = isl_union_map_flat_range_product(isl_union_map_copy(in.prefix), members);
  if (is_uncut(band)) pm_buf_puts(&w->text, ", options: \"{ atomic[x] }\"");
  bool end_mark = in.marked && has_node_inside(band);
  if (end_mark) pm_buf_puts(&w->text, ", child: { mark: \"end\"");
  put_child(w, band, inner);
  if (end_mark) pm_buf_puts(&w->text, " }");
  pm_buf_puts(&w->text, " }");
  isl_union_map_free(inner.prefix);
  isl_union_map_free(inner.brought);
}

/* Instances without a schedule end at the band, which isl takes from a filter only. */
static void put_band(writer *w, pm_op *band, scope in) {
  isl_union_set *scheduled = isl_multi_union_pw_aff_domain(
      isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(band, poly_band_schedule))));
  isl_union_set *all = isl_union_map_domain(isl_union_map_copy(in.expansion));
  isl_ask(isl_union_set_get_ctx(all));
  bool total = isl_union_set_is_subset(all, scheduled) == isl_bool_true;
  total = isl_answered(isl_union_set_get_ctx(all)) && total;
  isl_union_set_free(all);
  if (total) {
    isl_union_set_free(scheduled);
    put_members(w, band, in);
    return;
  }
  if (put_instances(w, scheduled, in.expansion)) {
    pm_buf_puts(&w->text, ", child: ");
    put_members(w, band, in);
  }
  pm_buf_puts(&w->text, " }");
}

static void put_children(writer *w, pm_op *node, const char *key, scope in) {
  pm_buf_printf(&w->text, "{ %s: [ ", key);
  PM_FOR_OPS(filter, pm_region_at(node, 0)) {
    if (pm_prev(filter)) pm_buf_puts(&w->text, ", ");
    put_node(w, filter, in);
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

/* Lets the statement through, if the scope has it under the name of the tuple. */
static void pass_statement(passing *n, const stage_statement *s, pm_string tuple) {
  isl_space *instances = isl_set_get_space(s->set);
  isl_space *named = isl_space_set_tuple_name(isl_space_copy(instances), isl_dim_set, tuple->text);
  isl_space *outer =
      isl_space_add_dims(isl_space_from_domain(isl_space_copy(instances)), isl_dim_out, n->from.depth);
  isl_map *there =
      isl_union_map_extract_map(n->from.expansion, isl_space_map_from_domain_and_range(named, instances));
  if (isl_map_plain_is_empty(there) == isl_bool_false) {
    n->to.expansion = isl_union_map_add_map(n->to.expansion, isl_map_copy(there));
    n->to.prefix = add_part(n->to.prefix, n->from.prefix, isl_space_copy(outer));
    n->to.brought = add_part(n->to.brought, n->from.brought, isl_space_copy(outer));
  }
  isl_map_free(there);
  isl_space_free(outer);
}

/* The statements of the tuple that are in the one scope are in the other. */
static isl_stat pass_stage(__isl_take isl_set *set, void *user) {
  passing *n = user;
  const stage_statements *s = n->w->statements;
  const stage_statement *named;
  size_t count = 0;
  pm_string tuple = pm_get_cstring(n->w->ctx, isl_set_get_tuple_name(set));
  const stage_node *node = poly_check_instances(s, n->op, isl_set_get_space(set), &named);
  isl_set_free(set);
  n->w->ok = n->w->ok && node;
  if (node && named) pass_statement(n, named, tuple);
  const stage_statement *all = node && !named ? stage_statements_of(s, node, &count) : NULL;
  for (size_t i = 0; i < count; i++) pass_statement(n, &all[i], tuple);
  return isl_stat_ok;
}

/* The scope for the statements of the stages that the filter names; its maps are the caller's. */
static scope narrowed(writer *w, const pm_op *filter, scope in) {
  isl_space *params = isl_set_get_space(stage_statements_graph(w->statements)->context);
  passing n = {w, filter, in, in};
  n.to.expansion = isl_union_map_empty(isl_space_copy(params));
  n.to.prefix = isl_union_map_empty(isl_space_copy(params));
  n.to.brought = isl_union_map_empty(params);
  isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), pass_stage, &n);
  return n.to;
}

static void put_filter(writer *w, pm_op *filter, scope outside) {
  scope in = narrowed(w, filter, outside);
  isl_union_set *instances = isl_peek_union_set(pm_attr_at(filter, poly_filter_instances));
  if (put_instances(w, isl_union_set_copy(instances), in.expansion)) put_child(w, filter, in);
  pm_buf_puts(&w->text, " }");
  isl_union_map_free(in.expansion);
  isl_union_map_free(in.prefix);
  isl_union_map_free(in.brought);
}

/* The iterations of the loops around that have an instance of a statement, where they are not convex; NULL
 * where they are. */
static __isl_give isl_set *find_gaps(const writer *w, scope in) {
  isl_union_map *around = isl_union_map_union(isl_union_map_copy(in.prefix), isl_union_map_copy(in.brought));
  isl_space *space =
      isl_space_set_from_params(isl_set_get_space(stage_statements_graph(w->statements)->context));
  isl_union_set *iterations = isl_union_map_range(around);
  isl_set *reached = isl_union_set_extract_set(iterations, isl_space_add_dims(space, isl_dim_set, in.depth));
  isl_union_set_free(iterations);
  reached = isl_coalesce(
      isl_set_intersect_params(reached, isl_set_copy(stage_statements_graph(w->statements)->context)));
  isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_remove_divs(isl_set_copy(reached))));
  bool convex = isl_take_is_subset(isl_map_from_range(hull), isl_map_from_range(isl_set_copy(reached)));
  if (!convex) return reached;
  isl_set_free(reached);
  return NULL;
}

/* isl (0.25 at least) goes through what an extension brings in all iterations of the loops around, whether
 * one of them has an instance or not, while it takes for granted in expressions that it has. */
static void put_extension(writer *w, pm_op *op, scope in) {
  isl_union_map *map = isl_union_map_copy(isl_peek_union_map(pm_attr_at(op, poly_extension_map)));
  isl_set *reached = find_gaps(w, in);
  if (reached) map = isl_union_map_intersect_domain(map, isl_union_set_from_set(reached));
  map = isl_union_map_apply_range(map, isl_union_map_copy(w->inside));
  isl_union_set *brought = poly_instances_of(op);
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
  if (put_domain(w)) {
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
  const poly_mark_info *info = poly_get_mark_info(poly_mark_kind_of(op));
  in.marked = in.marked || info->loops;
  pm_buf_printf(&w->text, "{ mark: \"mark:%zu\"", w->sites->len);
  PM_VEC_PUSH(*w->sites, ((poly_site){op, NULL}));
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
                                              const stage_statements *statements, poly_sites *sites,
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
  isl_ctx *isl = stage_statements_graph(statements)->isl;
  isl_schedule *result = w.ok ? isl_schedule_read_from_str(isl, w.text.data) : NULL;
  if (w.ok && !result) pm_op_error(node, "is not a schedule that isl accepts: %s", pm_isl_error(w.ctx));
  pm_buf_free(&w.text);
  return result;
}

void poly_sites_free(poly_sites *sites) {
  for (size_t i = 0; i < sites->len; i++) isl_union_map_free(sites->data[i].prefix);
  PM_VEC_FREE(*sites);
}
