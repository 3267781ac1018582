/* The points of each Func: the least box around what its readers need, from the outputs back. The pipeline
 * has been made with Funcs that have no bounds, so that the relations of its reads are known for all points;
 * here they are followed from the domains of the readers. What inputs lack for that, no call may ask for. */
#include "frontends/halide/lower/lower.h"

#include "dialects/isl/budget.h"
#include "dialects/stage/analyses/certainty.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/graph.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/set.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_PARTS = 8,
  /* Of coordinates before domains are known: they are int32 in Halide, and a few times that here. Sums and
   * products of them that are divided, as (3 * x + y) / 4, do not wrap then. */
  COORDINATE_BITS = 40,
  SMALL_EXTENT = 2, /* with one frame there would be no others */
  USUAL_EXTENT = 1000,
  MANY_NUMBERS = 1 << 12,  /* of an index: more than small pictures suggest */
  MOST_IN_FLOAT = 1 << 21, /* integers whose eighths a float holds */
  MOST_IN_A_ROW = 1 << 19, /* coordinates of which a float holds some times */
  SMALL_TABLE = 1 << 17,   /* points that are few, whatever is read of them */
  MUCH_MEMORY = 100000000  /* bytes that no picture needs */
};

/* isl's operations for all Funcs: some, and as many again for each of them. */
static const unsigned long OPERATIONS = 4000000, OPERATIONS_OF_A_FUNC = 20000;

typedef struct inference {
  h_lowering *l;
  stage_graph *graph;
  isl_set **needed;  /* by node and dimension: what readers need along it, or NULL */
  isl_set **domains; /* by node; tuples as the nodes' */
  bool *waits;       /* by node: a reader, or one of its readers, becomes a part of others */
  isl_set *context;
  int max_parts; /* of an interval around points */
  pm_map *funcs; /* name of a node -> its symbol */
  /* at which isl's operations came to their end, or NULL */
  const stage_node *costly;
  const stage_access *costly_read;
  PM_VEC(const stage_access *) left_out; /* reads of inputs that all calls that are taken do without */
} inference;

/* The origins of the outputs as parameters of isl, where they are looked for. */
static void put_origin_name(pm_buf *out, const h_symbol *s, unsigned h) {
  pm_buf_printf(out, "%s_origin_%u", s->name->text, h);
}

static h_symbol *output_of(const inference *f, const stage_node *node) {
  const h_program *p = f->l->program;
  for (uint32_t i = 0; i < p->outputs.len; i++)
    if (p->outputs.data[i]->name == node->name) return p->outputs.data[i];
  return NULL;
}

static isl_set *named_as(isl_set *set, const stage_node *node) {
  return isl_set_set_tuple_id(set, isl_set_get_tuple_id(node->domain));
}

/* The box of an output, whose first point is that of its origin, or with `search` any. */
static isl_set *output_box(const inference *f, const stage_node *node, const h_symbol *s, bool search) {
  pm_buf text = {0};
  const char *comma = "";
  pm_buf_puts(&text, "[");
  for (unsigned h = 0; h < s->n_dims; h++, comma = ", ") {
    pm_buf_printf(&text, "%s%s, ", comma, s->extents[h]->name->text);
    put_origin_name(&text, s, h);
  }
  pm_buf_puts(&text, "] -> { [");
  for (unsigned d = 0; d < s->n_dims; d++) pm_buf_printf(&text, "%sd%u", d ? ", " : "", d);
  pm_buf_puts(&text, "]");
  for (unsigned d = 0; d < s->n_dims; d++) {
    unsigned h = s->n_dims - 1 - d;
    pm_buf origin = {0};
    put_origin_name(&origin, s, h);
    pm_buf_printf(&text, "%s %s <= d%u < %s + %s", d ? " and" : " :", origin.data, d, origin.data,
                  s->extents[h]->name->text);
    if (!search) pm_buf_printf(&text, " and %s = %lld", origin.data, (long long)s->origin[h]);
    pm_buf_free(&origin);
  }
  pm_buf_puts(&text, " }");
  isl_set *box = isl_set_read_from_str(f->graph->isl, text.data);
  pm_buf_free(&text);
  if (!search)
    for (unsigned h = 0; h < s->n_dims; h++) {
      pm_buf origin = {0};
      put_origin_name(&origin, s, h);
      int at = isl_set_find_dim_by_name(box, isl_dim_param, origin.data);
      box = isl_set_project_out(box, isl_dim_param, (unsigned)at, 1);
      pm_buf_free(&origin);
    }
  return named_as(box, node);
}

/* --- from readers to what they read --- */

static isl_set **needed_along(const inference *f, const stage_node *node, unsigned d) {
  return &f->needed[node->index * KIT_MAX_DIMS + d];
}

/* The points along one dimension; divisions are left out. */
static isl_set *along(isl_set *points, unsigned d) {
  unsigned n = (unsigned)isl_set_dim(points, isl_dim_set);
  isl_set *line = isl_set_project_out(isl_set_copy(points), isl_dim_set, d + 1, n - d - 1);
  line = isl_set_project_out(line, isl_dim_set, 0, d);
  return isl_set_coalesce(isl_set_remove_divs(isl_set_reset_tuple_id(line)));
}

/* The points of the relation (borrowed) from the instances (taken); without divisions. */
static isl_set *image(isl_set *instances, isl_map *relation) {
  return isl_set_remove_divs(isl_set_apply(instances, isl_map_remove_divs(isl_map_copy(relation))));
}

static void add_need(const inference *f, const stage_node *node, isl_set *points) {
  for (unsigned d = 0; d < node->n_dims; d++) {
    isl_set **needed = needed_along(f, node, d), *more = along(points, d);
    *needed = isl_set_coalesce(*needed ? isl_set_union(*needed, more) : more);
  }
  isl_set_free(points);
}

static bool is_bounded(const isl_set *line) {
  return isl_set_dim_has_lower_bound((isl_set *)line, isl_dim_set, 0) == isl_bool_true &&
         isl_set_dim_has_upper_bound((isl_set *)line, isl_dim_set, 0) == isl_bool_true;
}

/* The numbers between two of the line (taken). */
static isl_set *between(const inference *f, isl_set *line) {
  isl_map *up = isl_map_read_from_str(f->graph->isl, "{ [v] -> [w] : w >= v }");
  isl_map *down = isl_map_read_from_str(f->graph->isl, "{ [v] -> [w] : w <= v }");
  isl_set *above = isl_set_apply(isl_set_copy(line), up);
  return isl_set_coalesce(isl_set_intersect(above, isl_set_apply(line, down)));
}

/* The hull (borrowed) has at most one point more than the line, on each side. */
static bool is_near(const inference *f, isl_set *hull, isl_set *line) {
  isl_map *next = isl_map_read_from_str(f->graph->isl, "{ [v] -> [w] : v - 1 <= w <= v + 1 }");
  isl_set *near = isl_set_apply(isl_set_copy(line), next);
  isl_set *possible = isl_set_intersect_params(isl_set_copy(hull), isl_set_copy(f->context));
  bool is = isl_set_is_subset(possible, near) == isl_bool_true;
  isl_set_free(possible);
  isl_set_free(near);
  return is;
}

/* One interval around the points of a line (taken): with the least and greatest of the bounds of its parts
 * or, where these are many, with bounds that hold for all parts. */
static isl_set *interval_around(const inference *f, isl_set *line) {
  line = isl_set_intersect_params(line, isl_set_copy(f->context));
  if (isl_set_n_basic_set(line) > 1) line = isl_set_coalesce(isl_set_remove_divs(between(f, line)));
  if (isl_set_n_basic_set(line) > f->max_parts) {
    isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(line)));
    bool takes = is_bounded(hull) && (isl_set_n_basic_set(line) > MAX_PARTS || is_near(f, hull, line));
    isl_set_free(takes ? line : hull);
    if (takes) line = hull;
  }
  return isl_set_coalesce(isl_set_gist_params(isl_set_remove_divs(line), isl_set_copy(f->context)));
}

/* The box around what readers need, and around `more` points (taken) unless it is NULL. */
static isl_set *needed_box(const inference *f, const stage_node *node, isl_set *more) {
  isl_set *box = isl_set_universe(isl_space_set_from_params(isl_set_get_space(f->context)));
  for (unsigned d = 0; d < node->n_dims; d++) {
    isl_set *line = isl_set_copy(*needed_along(f, node, d));
    isl_set *added = more ? along(more, d) : NULL;
    if (added) line = line ? isl_set_union(line, added) : added;
    box = isl_set_flat_product(box, interval_around(f, line));
  }
  isl_set_free(more);
  return named_as(box, node);
}

/* Any number, as a set of one dimension. */
static isl_set *any_number(const inference *f) {
  isl_space *space = isl_space_set_alloc(f->graph->isl, 0, 1);
  return isl_set_align_params(isl_set_universe(space), isl_set_get_space(f->context));
}

/* The instances of an update of a Func with that domain: its Vars, which come first, go over the domain. */
static isl_set *update_instances(const inference *f, const h_symbol *s, size_t number,
                                 const stage_update_info *u, isl_set *domain) {
  const h_definition *definition = &s->updates.data[number];
  unsigned n = (unsigned)isl_set_dim(u->set, isl_dim_set), n_vars = 0;
  isl_set *box = isl_set_universe(isl_space_set_from_params(isl_set_get_space(f->context)));
  for (unsigned d = 0; d < s->n_dims; d++) {
    if (definition->args[s->n_dims - 1 - d]->op != HX_VAR) continue;
    box = isl_set_flat_product(box, along(domain, d));
    n_vars++;
  }
  for (unsigned i = n_vars; i < n; i++) box = isl_set_flat_product(box, any_number(f));
  box = isl_set_set_tuple_id(box, isl_set_get_tuple_id(u->set));
  return isl_set_intersect(box, isl_set_copy(u->set));
}

/* What the updates write and read of their own Func. */
static isl_set *touched_by_updates(const inference *f, const h_symbol *s, const stage_node *node,
                                   isl_set *domain) {
  isl_set *touched = isl_set_empty(isl_set_get_space(domain));
  for (size_t k = 0; k < node->updates.len; k++) {
    const stage_update_info *u = &node->updates.data[k];
    isl_set *instances = update_instances(f, s, k, u, domain);
    touched = isl_set_union(touched, image(isl_set_copy(instances), u->target));
    for (size_t i = 0; i < node->self_reads.len; i++)
      if (node->self_reads.data[i]->update_index == (int)k)
        touched = isl_set_union(touched, image(isl_set_copy(instances), node->self_reads.data[i]->relation));
    isl_set_free(instances);
  }
  return isl_set_coalesce(touched);
}

static bool is_inside(const inference *f, isl_set *points, isl_set *domain) {
  isl_set *possible = isl_set_intersect_params(isl_set_copy(points), isl_set_copy(f->context));
  bool inside = isl_set_is_subset(possible, domain) != isl_bool_false;
  isl_set_free(possible);
  return inside;
}

/* The domain (taken) with what the updates touch. */
static isl_set *with_updates(const inference *f, const h_symbol *s, const stage_node *node, isl_set *domain) {
  for (unsigned round = 0; node->updates.len > 0 && round <= node->n_dims; round++) {
    isl_set *touched = touched_by_updates(f, s, node, domain);
    if (is_inside(f, touched, domain)) {
      isl_set_free(touched);
      break;
    }
    domain = needed_box(f, node, isl_set_union(domain, touched));
  }
  return domain;
}

static void follow_reads(inference *f, const h_symbol *s, const stage_node *node, isl_set *domain) {
  for (size_t i = 0; i < node->reads.len; i++) {
    const stage_access *a = node->reads.data[i];
    if (a->producer->is_input) continue;
    isl_set *instances = a->update_index < 0 ? isl_set_copy(domain)
                                             : update_instances(f, s, (size_t)a->update_index,
                                                                &node->updates.data[a->update_index], domain);
    add_need(f, a->producer, image(instances, a->relation));
  }
}

/* --- bounds --- */

/* The first read that goes to points without a bound along the dimension. */
static const stage_access *unbounded_read(const inference *f, const stage_node *node, unsigned d) {
  for (size_t i = 0; i < node->readers.len; i++) {
    const stage_access *a = node->readers.data[i];
    isl_set *domain = f->domains[a->consumer->index];
    if (!domain || a->update_index >= 0) continue;
    isl_set *points = image(isl_set_copy(domain), a->relation);
    bool bounded = isl_set_dim_has_lower_bound(points, isl_dim_set, d) == isl_bool_true &&
                   isl_set_dim_has_upper_bound(points, isl_dim_set, d) == isl_bool_true;
    isl_set_free(points);
    if (!bounded) return a;
  }
  return node->readers.len > 0 ? node->readers.data[0] : NULL;
}

/* The user's name of a Func: what computes it may have another. */
static pm_string shown_name(const inference *f, const stage_node *node) {
  const h_symbol *s = pm_map_get(f->funcs, node->name);
  return s ? s->name : node->name;
}

static bool check_bounded(const inference *f, const stage_node *node, isl_set *domain) {
  for (unsigned d = 0; d < node->n_dims; d++) {
    if (isl_set_dim_has_lower_bound(domain, isl_dim_set, d) != isl_bool_false &&
        isl_set_dim_has_upper_bound(domain, isl_dim_set, d) != isl_bool_false)
      continue;
    const stage_access *a = unbounded_read(f, node, d);
    return pm_error(
        f->graph->ctx, a ? a->read->loc : node->op->loc,
        "dimension %u of %pS has no bounds: an index may be any number here; clamp(…) gives bounds, or "
        "--range=NAME=LOW:HIGH those of a parameter",
        node->n_dims - 1 - d, (const void *)shown_name(f, node));
  }
  return true;
}

/* --- all Funcs --- */

static h_symbol *func_of(const inference *f, const stage_node *node) {
  return pm_map_get(f->funcs, node->name);
}

static pm_map *map_of_funcs(const h_program *p) {
  pm_map *funcs = pm_map_new();
  for (uint32_t i = 0; i < p->funcs.len; i++) {
    h_symbol *s = p->funcs.data[i];
    if (s->needed) pm_map_set(funcs, s->is_apart ? s->whole_name : s->name, s);
  }
  return funcs;
}

static void set_domain(inference *f, const stage_node *node, isl_set *domain) {
  isl_set_free(f->domains[node->index]);
  f->domains[node->index] = domain;
}

/* An output has the points that the call asks for, and no others. */
static bool is_enough(const inference *f, const h_symbol *s, const stage_node *node, isl_set *box) {
  isl_set *touched = s ? touched_by_updates(f, s, node, box) : isl_set_empty(isl_set_get_space(box));
  bool enough = is_inside(f, touched, box);
  for (unsigned d = 0; d < node->n_dims && enough; d++) {
    isl_set *needed = *needed_along(f, node, d), *line = along(box, d);
    enough = !needed || is_inside(f, needed, line);
    isl_set_free(line);
  }
  isl_set_free(touched);
  return enough;
}

/* Its readers, which come first, have points. */
static bool is_read(const inference *f, const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    if (f->domains[node->readers.data[i]->consumer->index]) return true;
  return false;
}

/* --- Funcs that are better a part of their readers --- */

/* The points of the box around the set, when pictures have the extent. */
static double points_at(isl_set *set, int extent) {
  double points = 1;
  set = isl_set_copy(set);
  for (unsigned i = 0; i < (unsigned)isl_set_dim(set, isl_dim_param); i++)
    set = isl_set_fix_si(set, isl_dim_param, i, extent);
  set = isl_set_project_out_all_params(set);
  for (unsigned d = 0; d < (unsigned)isl_set_dim(set, isl_dim_set); d++)
    points *= fmax(stage_extent(set, d), 1);
  isl_set_free(set);
  return points;
}

static isl_set *instances_of(const inference *f, const stage_access *a) {
  const stage_node *node = a->consumer;
  isl_set *domain = f->domains[node->index];
  if (a->update_index < 0) return isl_set_copy(domain);
  return update_instances(f, func_of(f, node), (size_t)a->update_index, &node->updates.data[a->update_index],
                          domain);
}

static bool has_computed_reader(const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    if (stage_has_computed_index(node->readers.data[i]->read)) return true;
  return false;
}

/* It is read at computed indices, which may be many numbers whatever the pictures are, and has more points
 * than are read: most would be computed for nothing. */
static bool has_too_many_points(const inference *f, const stage_node *node, isl_set *domain) {
  if (!has_computed_reader(node) || points_at(domain, SMALL_EXTENT) <= MANY_NUMBERS) return false;
  double points = points_at(domain, USUAL_EXTENT), read = 0;
  for (size_t i = 0; i < node->readers.len; i++) {
    if (!f->domains[node->readers.data[i]->consumer->index]) continue;
    isl_set *instances = instances_of(f, node->readers.data[i]);
    read += points_at(instances, USUAL_EXTENT);
    isl_set_free(instances);
  }
  return points > SMALL_TABLE && points > read;
}

static bool has_bounds(const stage_node *node, isl_set *domain) {
  for (unsigned d = 0; d < node->n_dims; d++)
    if (isl_set_dim_has_lower_bound(domain, isl_dim_set, d) == isl_bool_false ||
        isl_set_dim_has_upper_bound(domain, isl_dim_set, d) == isl_bool_false)
      return false;
  return true;
}

/* A boundary condition costs its readers little: a domain of many parts would cost more. */
static bool is_better_inlined(const inference *f, const h_symbol *s, const stage_node *node,
                              isl_set *domain) {
  if (!s || !h_is_inlinable(f->l->program, s)) return false;
  bool has_many_parts = s->has_boundary && isl_set_n_basic_set(domain) > MAX_PARTS / 2;
  return has_many_parts || !has_bounds(node, domain) || has_too_many_points(f, node, domain);
}

static bool waits_for_readers(const inference *f, const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    if (f->waits[node->readers.data[i]->consumer->index]) return true;
  return false;
}

static bool infer_node(inference *f, const stage_node *node, bool search, bool *again) {
  h_symbol *output = output_of(f, node), *s = func_of(f, node);
  isl_set *domain;
  f->waits[node->index] = waits_for_readers(f, node);
  if (f->waits[node->index]) return true;
  if (output) {
    domain = output_box(f, node, output, search);
    if (!output->is_apart && !is_enough(f, s, node, domain)) {
      output->is_apart = f->waits[node->index] = *again = true;
      isl_set_free(domain);
      return true;
    }
  } else if (is_read(f, node)) {
    domain = with_updates(f, s, node, needed_box(f, node, NULL));
  } else {
    domain = isl_set_empty(isl_set_get_space(node->domain));
  }
  if (!output && !search && is_better_inlined(f, s, node, domain)) {
    s->is_inlined = f->waits[node->index] = *again = true;
    isl_set_free(domain);
    return true;
  }
  if (!check_bounded(f, node, domain)) {
    isl_set_free(domain);
    return false;
  }
  follow_reads(f, s, node, domain);
  set_domain(f, node, domain);
  if (isl_budget_is_spent(f->graph->isl)) f->costly = node;
  return !f->costly;
}

/* Consumers first. */
static bool infer_all(inference *f, bool search, bool *again) {
  for (size_t i = 0; i < f->graph->nodes.len; i++) set_domain(f, f->graph->nodes.data[i], NULL);
  for (size_t i = 0; i < f->graph->nodes.len * KIT_MAX_DIMS; i++) {
    isl_set_free(f->needed[i]);
    f->needed[i] = NULL;
  }
  for (size_t i = f->graph->nodes.len; i > 0; i--) {
    const stage_node *node = f->graph->nodes.data[i - 1];
    if (!node->is_input && !infer_node(f, node, search, again)) return false;
  }
  return true;
}

/* --- inputs --- */

/* The parameters for which a read of an input leaves it. */
static isl_set *sizes_outside(const inference *f, const stage_access *a) {
  isl_set *points = isl_set_apply(instances_of(f, a), isl_map_copy(a->relation));
  return isl_set_params(isl_set_subtract(points, isl_set_copy(a->producer->domain)));
}

/* The parameters for which all that is read of the inputs is in them. */
static isl_set *sizes_with_inputs(inference *f) {
  isl_set *sizes = isl_set_copy(f->context);
  for (size_t i = 0; i < f->graph->accesses.len; i++) {
    const stage_access *a = f->graph->accesses.data[i];
    if (!a->producer->is_input || !f->domains[a->consumer->index]) continue;
    sizes = isl_set_coalesce(isl_set_subtract(sizes, sizes_outside(f, a)));
    if (!f->costly_read && isl_budget_is_spent(f->graph->isl)) f->costly_read = a;
  }
  return isl_set_coalesce(isl_set_remove_redundancies(sizes));
}

/* The first read of an input that no sizes allow, alone or with those before it, or NULL. */
static const stage_access *find_outside(const inference *f, bool alone) {
  isl_set *sizes = isl_set_copy(f->context);
  const stage_access *found = NULL;
  for (size_t i = 0; i < f->graph->accesses.len && !found; i++) {
    const stage_access *a = f->graph->accesses.data[i];
    if (!a->producer->is_input || !f->domains[a->consumer->index]) continue;
    if (alone) {
      isl_set_free(sizes);
      sizes = isl_set_copy(f->context);
    }
    sizes = isl_set_subtract(sizes, sizes_outside(f, a));
    if (isl_set_is_empty(sizes) == isl_bool_true) found = a;
  }
  isl_set_free(sizes);
  return found;
}

/* What is wrong with the index of a read. */
static void put_wrong_index(pm_buf *where, const stage_access *a) {
  const char *name = a->producer->name->text;
  stage_certainty certainty = stage_find_certainty(a->read);
  bool is_table = pm_is(a->producer->op, &stage_constant);
  if (certainty.product) {
    pm_buf_printf(where, "%s is read at an index with the product ", name);
    stage_put_product(where, certainty.product);
    pm_buf_puts(where, ", which is not known to stay inside");
  } else if (!certainty.exact || is_table) {
    pm_buf_printf(where, "%s is read at an index that is not known to stay inside", name);
  } else {
    pm_buf_printf(where, "%s is read outside of it, whatever its size is", name);
  }
}

static bool report_read(const inference *f, const stage_access *a) {
  pm_buf where = {0};
  put_wrong_index(&where, a);
  pm_error(f->graph->ctx, a->read->loc, "%s; clamp(…) or a boundary condition keeps it inside", where.data);
  pm_buf_free(&where);
  return false;
}

/* Of domains that begin at 0. */
static bool report_input(const inference *f) {
  const stage_access *a = find_outside(f, true);
  if (a) return report_read(f, a);
  a = find_outside(f, false);
  return pm_error(
      f->graph->ctx, a ? a->read->loc : f->l->pipeline->loc,
      "no sizes of the inputs allow all that is read of them, and the bounds that the program gives");
}

/* A call of the context comes to the read. */
static bool has_calls(const inference *f, const stage_access *a, isl_set *context) {
  isl_set *instances = isl_set_intersect(instances_of(f, a), isl_map_domain(isl_map_copy(a->relation)));
  instances = isl_set_intersect_params(instances, isl_set_copy(context));
  bool none = isl_set_is_empty(instances) == isl_bool_true;
  isl_set_free(instances);
  return !none;
}

static bool is_left_out(const inference *f, const stage_node *input) {
  for (size_t i = 0; i < f->left_out.len; i++)
    if (f->left_out.data[i]->producer == input) return true;
  return false;
}

/* Reads that no call comes to: the sizes lack those for which it would, because of what they read. The first
 * one of each input. */
static void find_left_out(inference *f, isl_set *sizes) {
  for (size_t i = 0; i < f->graph->accesses.len; i++) {
    const stage_access *a = f->graph->accesses.data[i];
    if (!a->producer->is_input || !f->domains[a->consumer->index] || is_left_out(f, a->producer)) continue;
    if (!has_calls(f, a, sizes) && has_calls(f, a, f->context)) PM_VEC_PUSH(f->left_out, a);
  }
}

static void warn_of_left_out(const inference *f) {
  for (size_t i = 0; i < f->left_out.len; i++) {
    const stage_access *a = f->left_out.data[i];
    pm_buf where = {0};
    put_wrong_index(&where, a);
    pm_warning(f->graph->ctx, a->read->loc,
               "%s; calls that come to it are refused, clamp(…) or a boundary condition keeps it inside",
               where.data);
    pm_buf_free(&where);
  }
}

/* The least numbers that the origins of the outputs can be: where the inputs begin at 0, an output may not.
 */
static bool find_origins(inference *f) {
  const h_program *p = f->l->program;
  bool again = false;
  if (!infer_all(f, true, &again) || again) return false;
  isl_set *sizes = sizes_with_inputs(f);
  unsigned n = 0;
  isl_set *points = isl_set_from_params(sizes);
  for (uint32_t i = 0; i < p->outputs.len; i++)
    for (unsigned h = 0; h < p->outputs.data[i]->n_dims; h++) {
      pm_buf name = {0};
      put_origin_name(&name, p->outputs.data[i], h);
      int at = isl_set_find_dim_by_name(points, isl_dim_param, name.data);
      pm_buf_free(&name);
      if (at < 0) {
        isl_set_free(points);
        return false;
      }
      points = isl_set_move_dims(points, isl_dim_set, n++, isl_dim_param, (unsigned)at, 1);
      points = isl_set_lower_bound_si(points, isl_dim_set, n - 1, 0);
    }
  points = isl_set_project_out(points, isl_dim_param, 0, (unsigned)isl_set_dim(points, isl_dim_param));
  isl_point *least = isl_set_sample_point(isl_set_lexmin(points));
  bool found = isl_point_is_void(least) == isl_bool_false;
  n = 0;
  for (uint32_t i = 0; found && i < p->outputs.len; i++)
    for (unsigned h = 0; h < p->outputs.data[i]->n_dims; h++) {
      isl_val *v = isl_point_get_coordinate_val(least, isl_dim_set, (int)n++);
      p->outputs.data[i]->origin[h] = isl_val_get_num_si(v);
      isl_val_free(v);
    }
  isl_point_free(least);
  return found;
}

static void remark_origins(const inference *f) {
  const h_program *p = f->l->program;
  for (uint32_t i = 0; i < p->outputs.len; i++) {
    const h_symbol *s = p->outputs.data[i];
    pm_buf text = {0};
    for (unsigned h = 0; h < s->n_dims; h++)
      pm_buf_printf(&text, "%s%lld", h ? ", " : "", (long long)s->origin[h]);
    pm_remark(f->graph->ctx, s->loc, PM_REMARK_ANALYSIS, "halide", NULL, 0,
              "the first point of %pS is (%s): before it an input would be read at negative coordinates",
              (const void *)s->name, text.data);
    pm_buf_free(&text);
  }
}

/* --- the module --- */

static pm_attr attr_of(const inference *f, isl_set *set, pm_attr like) {
  return stage_set_attr(f->graph, set, like);
}

/* Writes the domain, and the sets of cases and updates within it. */
static void write_node(const inference *f, const stage_node *node) {
  const h_symbol *s = func_of(f, node);
  isl_set *domain = f->domains[node->index];
  pm_attr written = attr_of(f, isl_set_copy(domain), stage_domain_of(node->op));
  pm_attr all = stage_domain_of(node->op);
  for (size_t k = 0; k < node->cases.len; k++) {
    pm_op *op = node->cases.data[k].op;
    pm_attr set = pm_attr_at(op, stage_case_set);
    isl_set *part = isl_set_intersect(isl_set_copy(domain), isl_set_copy(node->cases.data[k].set));
    pm_set_attr(op, stage_case_set, set == all ? written : attr_of(f, part, set));
    if (set == all) isl_set_free(part);
  }
  for (size_t k = 0; s && k < node->updates.len; k++) {
    const stage_update_info *u = &node->updates.data[k];
    pm_attr set = pm_attr_at(u->op, stage_update_set);
    pm_set_attr(u->op, stage_update_set, attr_of(f, update_instances(f, s, k, u, domain), set));
  }
  pm_set_attr(node->op, stage_func_domain, written);
}

/* Funcs that no call needs leave the module. */
static void write_all(inference *f) {
  for (size_t i = 0; i < f->graph->nodes.len; i++) {
    const stage_node *node = f->graph->nodes.data[i];
    if (!node->is_input && f->domains[i]) write_node(f, node);
  }
}

static bool has_parts(const inference *f) {
  for (size_t i = 0; i < f->graph->nodes.len; i++)
    if (f->domains[i] && isl_set_n_basic_set(f->domains[i]) > 1) return true;
  return false;
}

/* Domains of fewer parts: with what the inputs ask for, one of two bounds is often the greater; and bounds
 * that hold for all parts are as good, if no input has to be larger for them. */
static bool infer_simpler(inference *f, bool *again) {
  f->max_parts = 1;
  if (!infer_all(f, false, again)) return false;
  isl_set *sizes = sizes_with_inputs(f);
  bool as_good = isl_set_is_subset(f->context, sizes) == isl_bool_true;
  isl_set_free(sizes);
  f->max_parts = MAX_PARTS;
  return as_good || infer_all(f, false, again);
}

/* Finds domains and context. */
static bool infer(inference *f, bool *again) {
  if (!infer_all(f, false, again) || *again) return *again;
  isl_set *sizes = sizes_with_inputs(f);
  if (isl_set_is_empty(sizes) == isl_bool_true) {
    isl_set_free(sizes);
    bool found = find_origins(f);
    if (!found && isl_budget_is_spent(f->graph->isl)) return true;
    if (!infer_all(f, false, again)) return false;
    if (!found) return report_input(f);
    remark_origins(f);
    sizes = sizes_with_inputs(f);
  }
  find_left_out(f, sizes);
  isl_set_free(f->context);
  f->context = sizes;
  return !has_parts(f) || infer_simpler(f, again);
}

static bool infer_within_budget(inference *f, bool *again) {
  unsigned long operations = OPERATIONS + OPERATIONS_OF_A_FUNC * f->graph->nodes.len;
  isl_budget_begin(f->graph->isl, operations);
  bool ok = infer(f, again);
  if (!isl_budget_end(f->graph->isl)) return ok;
  *again = false;
  if (f->costly)
    return pm_error(f->graph->ctx, f->costly->op->loc,
                    "what %pS reads takes more than %lu operations of isl, its indices or those of its "
                    "readers should be simpler",
                    (const void *)shown_name(f, f->costly), operations);
  return pm_error(
      f->graph->ctx, f->costly_read ? f->costly_read->read->loc : f->l->pipeline->loc,
      "the sizes of inputs for which this is inside of them take more than %lu operations of isl, "
      "the indices of reads should be simpler",
      operations);
}

/* --- estimates --- */

static isl_set *with_value(isl_set *sizes, const char *param, int64_t value) {
  int at = isl_set_find_dim_by_name(sizes, isl_dim_param, param);
  return at < 0 ? sizes : isl_set_fix_si(sizes, isl_dim_param, (unsigned)at, (int)value);
}

/* The greatest value of the parameter, at most `limit` unless that is 0; 0: there is none, or no greatest. */
static int64_t greatest_of(isl_set *sizes, const char *param, int64_t limit) {
  int at = isl_set_find_dim_by_name(sizes, isl_dim_param, param);
  if (at < 0) return 0;
  isl_set *values = isl_set_from_params(isl_set_copy(sizes));
  if (limit > 0) values = isl_set_upper_bound_si(values, isl_dim_param, (unsigned)at, (int)limit);
  values = isl_set_move_dims(values, isl_dim_set, 0, isl_dim_param, (unsigned)at, 1);
  values = isl_set_project_out(values, isl_dim_param, 0, (unsigned)isl_set_dim(values, isl_dim_param));
  isl_local_space *line = isl_local_space_from_space(isl_set_get_space(values));
  isl_aff *self = isl_aff_var_on_domain(line, isl_dim_set, 0);
  isl_val *most = isl_set_max_val(values, self);
  int64_t value = most && isl_val_is_int(most) == isl_bool_true ? isl_val_get_num_si(most) : 0;
  isl_val_free(most);
  isl_aff_free(self);
  isl_set_free(values);
  return value;
}

static bool is_estimate(const h_symbol *s) {
  return s->has_estimate && s->types[0] == PM_I32 && s->estimate > 0 && s->estimate <= INT32_MAX;
}

static isl_set *with_estimate(isl_set *sizes, const h_symbol *s) {
  return is_estimate(s) ? with_value(sizes, s->name->text, s->estimate) : sizes;
}

/* The sizes with the estimates of the inputs; NULL: there are none. */
static isl_set *sizes_of_inputs(const inference *f) {
  const h_program *p = f->l->program;
  isl_set *sizes = isl_set_copy(f->context);
  bool any = false;
  for (uint32_t i = 0; i < p->inputs.len; i++) {
    const h_symbol *s = p->inputs.data[i];
    if (s->kind == H_PARAM) sizes = with_estimate(sizes, s);
    for (unsigned d = 0; s->kind == H_BUFFER && d < s->n_dims; d++) {
      any |= is_estimate(s->extents[d]);
      sizes = with_estimate(sizes, s->extents[d]);
    }
  }
  if (any) return sizes;
  isl_set_free(sizes);
  return NULL;
}

/* The estimates of extents of outputs fit those of the inputs: they are the greatest that the context allows,
 * or what the program says, if that is less. Those stay that take isl too many operations. */
static void fit_estimates(const inference *f) {
  const h_program *p = f->l->program;
  pm_type type = pm_get_scalar(f->graph->ctx, PM_I64);
  isl_budget_begin(f->graph->isl, OPERATIONS);
  isl_set *sizes = sizes_of_inputs(f);
  for (uint32_t i = 0; sizes && i < p->outputs.len; i++)
    for (unsigned d = 0; d < p->outputs.data[i]->n_dims; d++) {
      h_symbol *extent = p->outputs.data[i]->extents[d];
      int64_t value = greatest_of(sizes, extent->name->text, is_estimate(extent) ? extent->estimate : 0);
      if (value <= 0 || value > INT32_MAX) continue;
      pm_set_attr(pm_def(extent->value), stage_param_estimate, pm_get_int(type, value));
      sizes = with_value(sizes, extent->name->text, value);
    }
  isl_set_free(sizes);
  (void)isl_budget_end(f->graph->isl);
}

/* --- floats in indices --- */

/* Where sums may be ordered anew, their errors should be small, too. */
static int64_t exact_here(const inference *f, int64_t most) {
  return f->l->options->fp && strcmp(f->l->options->fp, "fast") == 0 ? most >> 4 : most;
}

static void put_at_most(const inference *f, pm_buf *text, hx *e, int64_t most) {
  kit_exprs x = h_lower_exprs(f->l);
  kit_refusal no;
  h_program *p = f->l->program;
  pm_buf condition = {0};
  hx *limit = hx_int(p, e->loc, PM_I32, exact_here(f, most));
  if (kit_put_condition(&x, hx_binary(p, e->loc, HX_LE, e, limit), &condition, &no))
    pm_buf_printf(text, " and (%s)", condition.data);
  pm_buf_free(&condition);
}

static void put_small_extents(const inference *f, pm_buf *text, h_symbol *s) {
  for (unsigned d = 0; d < s->n_dims; d++)
    put_at_most(f, text, h_extent(f->l->program, s->loc, s, d), MOST_IN_A_ROW);
}

/* What floats in indices are of is so small that they are exact: other calls are refused. */
static void put_float_limits(const inference *f, pm_buf *text) {
  h_program *p = f->l->program;
  h_exprs params = {0};
  bool has_coordinates = false;
  h_find_floats(p, &params, &has_coordinates);
  for (size_t i = 0; i < params.len; i++) {
    put_at_most(f, text, params.data[i], MOST_IN_FLOAT);
    put_at_most(f, text, hx_negate(p, params.data[i]->loc, params.data[i]), MOST_IN_FLOAT);
  }
  for (uint32_t i = 0; i < p->inputs.len && has_coordinates; i++)
    if (p->inputs.data[i]->kind == H_BUFFER) put_small_extents(f, text, p->inputs.data[i]);
  for (uint32_t i = 0; i < p->outputs.len && has_coordinates; i++)
    put_small_extents(f, text, p->outputs.data[i]);
  PM_VEC_FREE(params);
}

static isl_set *with_float_limits(const inference *f, isl_set *context) {
  pm_buf text = {0};
  pm_buf_puts(&text, "[");
  for (unsigned i = 0; i < (unsigned)isl_set_dim(context, isl_dim_param); i++)
    pm_buf_printf(&text, "%s%s", i ? ", " : "", isl_set_get_dim_name(context, isl_dim_param, i));
  pm_buf_puts(&text, "] -> { : 0 = 0");
  put_float_limits(f, &text);
  pm_buf_puts(&text, " }");
  context = isl_set_intersect(context, isl_set_read_from_str(f->graph->isl, text.data));
  pm_buf_free(&text);
  return isl_set_coalesce(context);
}

/* --- memory --- */

/* Funcs that are read at computed indices are stored whole. */
static void warn_of_memory(const inference *f) {
  for (size_t i = 0; i < f->graph->nodes.len; i++) {
    const stage_node *node = f->graph->nodes.data[i];
    if (node->is_input || node->is_output || !f->domains[i] || !has_computed_reader(node)) continue;
    double bytes = 0;
    for (unsigned k = 0; k < pm_tuple_len(node->type); k++)
      bytes += (double)pm_scalar_bytes((pm_scalar)pm_tuple_at(node->type, k)->scalar);
    bytes *= points_at(f->domains[i], SMALL_EXTENT);
    if (bytes < MUCH_MEMORY) continue;
    pm_warning(f->graph->ctx, node->op->loc,
               "%pS takes %.0f MB for the smallest pictures: it is read at indices that may be many numbers; "
               "clamp(…) "
               "gives closer bounds",
               (const void *)node->name, bytes / 1e6);
  }
}

bool h_lower_domains(h_lowering *l, bool *again) {
  kit_assume_coordinates(&l->kit, l->pipeline, COORDINATE_BITS);
  inference f = {.l = l, .graph = kit_graph(&l->kit, l->pipeline), .max_parts = MAX_PARTS};
  if (!f.graph) return false;
  size_t n = f.graph->nodes.len;
  f.needed = pm_xcalloc(n * KIT_MAX_DIMS + 1, sizeof(isl_set *));
  f.domains = pm_xcalloc(n + 1, sizeof(isl_set *));
  f.waits = pm_xcalloc(n + 1, sizeof(bool));
  f.context = isl_set_copy(f.graph->context);
  f.funcs = map_of_funcs(l->program);
  bool ok = infer_within_budget(&f, again);
  if (ok && !*again) {
    f.context = with_float_limits(&f, f.context);
    if (isl_set_is_empty(f.context) == isl_bool_true)
      ok = pm_error(
          f.graph->ctx, l->pipeline->loc,
          "an index is a float of what no call has so small that the float is exact: parameters of at "
          "most 2^21, pictures of at most 2^19 points along a dimension");
    l->kit.context = isl_attr_of_set(f.graph->ctx, isl_set_copy(f.context));
    pm_set_attr(l->pipeline, stage_pipeline_context, l->kit.context);
    fit_estimates(&f);
    warn_of_memory(&f);
    warn_of_left_out(&f);
    write_all(&f);
  }
  for (size_t i = 0; i < n; i++) isl_set_free(f.domains[i]);
  for (size_t i = 0; i < n * KIT_MAX_DIMS; i++) isl_set_free(f.needed[i]);
  PM_VEC_FREE(f.left_out);
  free(f.needed);
  free(f.domains);
  free(f.waits);
  isl_set_free(f.context);
  pm_map_free(f.funcs);
  stage_graph_free(f.graph);
  return ok;
}
