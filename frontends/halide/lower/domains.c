/* The points of each Func: the least box around what its readers need, from the outputs back. The pipeline
 * has been made with Funcs that have no bounds, so that the relations of its reads are known for all points;
 * here they are followed from the domains of the readers. What inputs lack for that, no call may ask for. */
#include "frontends/halide/lower/inference.h"
#include "frontends/halide/lower/intervals.h"
#include "frontends/halide/lower/lower.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/graph.h"

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/set.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_PARTS = 8,
  FEW_PARTS = 3, /* of a domain or the context, with which all passes work well */
  /* Of coordinates before domains are known: they are int32 in Halide, and a few times that here. Sums and
   * products of them that are divided, as (3 * x + y) / 4, do not wrap then. */
  COORDINATE_BITS = 40,
  MANY_NUMBERS = 1 << 12, /* of an index: more than small pictures suggest */
  SMALL_TABLE = 1 << 17,  /* points that are few, whatever is read of them */
};

/* isl's operations for all Funcs: some, and as many again for each of them. */
static const unsigned long EXACT_OPERATIONS = 1000000, EXACT_OPERATIONS_OF_A_FUNC = 5000;
static const unsigned long OPERATIONS = 16000000, OPERATIONS_OF_A_FUNC = 80000;

/* With one frame there would be no others. */
static const int extents[H_N_EXTENTS] = {[H_SMALL] = 2, [H_USUAL] = H_USUAL_EXTENT};

/* The origins of the outputs as parameters of isl, where they are looked for. */
static void put_origin_name(pm_buf *out, const h_symbol *s, unsigned h) {
  pm_buf_printf(out, "%s_origin_%u", s->name->text, h);
}

static h_symbol *output_of(const h_inference *f, const stage_node *node) {
  const h_program *p = f->l->program;
  for (uint32_t i = 0; i < p->outputs.len; i++)
    if (p->outputs.data[i]->name == node->name) return p->outputs.data[i];
  return NULL;
}

static isl_set *named_as(isl_set *set, const stage_node *node) {
  return isl_set_set_tuple_id(set, isl_set_get_tuple_id(node->domain));
}

/* The box of an output, whose first point is that of its origin, or with `search` any. */
static isl_set *output_box(const h_inference *f, const stage_node *node, const h_symbol *s, bool search) {
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

static isl_set **needed_along(const h_inference *f, const stage_node *node, unsigned d) {
  return &f->needed[node->index * KIT_MAX_DIMS + d];
}

/* The points along one dimension. */
isl_set *h_line_along(isl_set *points, unsigned d) {
  unsigned n = (unsigned)isl_set_dim(points, isl_dim_set);
  isl_set *line = isl_set_project_out(isl_set_copy(points), isl_dim_set, d + 1, n - d - 1);
  return isl_set_reset_tuple_id(isl_set_project_out(line, isl_dim_set, 0, d));
}

/* The points along one dimension; divisions are left out. */
static isl_set *along(isl_set *points, unsigned d) {
  return isl_set_coalesce(isl_set_remove_divs(h_line_along(points, d)));
}

/* The points of the relation (borrowed) from the instances (taken); without divisions. */
static isl_set *image(isl_set *instances, isl_map *relation) {
  return isl_set_remove_divs(isl_set_apply(instances, isl_map_remove_divs(isl_map_copy(relation))));
}

/* isl_set_coalesce, which takes no NULL: what isl gives beyond its operations. */
static isl_set *coalesced(isl_set *set) {
  return set ? isl_set_coalesce(set) : NULL;
}

/* Adds the line (taken) to what is needed along the dimension. */
static void add_line(const h_inference *f, const stage_node *node, unsigned d, isl_set *line) {
  isl_set **needed = needed_along(f, node, d);
  if (f->bounds == H_ENDS)
    *needed = h_with_parts(*needed, line);
  else
    *needed = coalesced(*needed ? isl_set_union(*needed, line) : line);
}

/* Of a line the part in the interval (both taken), which is the line itself as a rule. */
static isl_set *tighter(isl_set *line, isl_set *interval) {
  if (!line || !linear_set_is_subset(line, interval)) return isl_set_intersect(line, interval);
  isl_set_free(interval);
  return line;
}

/* Adds what the access reads at the instances (taken). Without isl where a box will do; of divisions the
 * interval knows more than a relation without them. */
static void add_need(h_inference *f, const stage_access *a, isl_set *instances) {
  isl_set *lines[KIT_MAX_DIMS];
  bool takes_lines = f->bounds == H_ENDS && h_take_facts(&f->facts, f->context) &&
                     h_image(a, instances, f->l->kit.values, &f->facts, lines);
  bool has_lines = takes_lines || h_affine_image(a, instances, lines);
  isl_set *points = takes_lines ? NULL : image(isl_set_copy(instances), a->relation);
  for (unsigned d = 0; d < a->producer->n_dims; d++) {
    isl_set *line = takes_lines ? lines[d] : isl_set_remove_divs(h_line_along(points, d));
    if (has_lines && !takes_lines) line = tighter(line, lines[d]);
    add_line(f, a->producer, d, f->bounds == H_ENDS ? line : coalesced(line));
  }
  isl_set_free(points);
  isl_set_free(instances);
}

static bool is_bounded(const isl_set *line) {
  return isl_set_dim_has_lower_bound((isl_set *)line, isl_dim_set, 0) == isl_bool_true &&
         isl_set_dim_has_upper_bound((isl_set *)line, isl_dim_set, 0) == isl_bool_true;
}

/* The numbers between two of the line (taken). */
static isl_set *between(const h_inference *f, isl_set *line) {
  isl_map *up = isl_map_read_from_str(f->graph->isl, "{ [v] -> [w] : w >= v }");
  isl_map *down = isl_map_read_from_str(f->graph->isl, "{ [v] -> [w] : w <= v }");
  isl_set *above = isl_set_apply(isl_set_copy(line), up);
  return isl_set_coalesce(isl_set_intersect(above, isl_set_apply(line, down)));
}

/* The hull (borrowed) has at most one point more than the line, on each side. */
static bool is_near(const h_inference *f, isl_set *hull, isl_set *line) {
  isl_map *next = isl_map_read_from_str(f->graph->isl, "{ [v] -> [w] : v - 1 <= w <= v + 1 }");
  isl_set *near = isl_set_apply(isl_set_copy(line), next);
  isl_set *possible = isl_set_intersect_params(isl_set_copy(hull), isl_set_copy(f->context));
  bool is = isl_set_is_subset(possible, near) == isl_bool_true;
  isl_set_free(possible);
  isl_set_free(near);
  return is;
}

/* --- bounds of several parts --- */

static bool is_name_taken(const h_inference *f, pm_string name) {
  for (size_t i = 0; i < f->ends.len; i++)
    if (f->ends.data[i].name == name) return true;
  return pm_lookup_symbol(pm_region_at(f->l->pipeline, stage_pipeline_body), name);
}

static pm_string name_of_end(const h_inference *f, const stage_node *node, unsigned d, bool is_last) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%s_%u", node->name->text, is_last ? "last" : "first", node->n_dims - 1 - d);
  while (is_name_taken(f, pm_get_cstring(f->graph->ctx, text.data))) pm_buf_putc(&text, '_');
  pm_string name = pm_get_cstring(f->graph->ctx, text.data);
  pm_buf_free(&text);
  return name;
}

/* The number of a line as a param, in sets of params. */
static isl_set *renamed_to(isl_set *line, const char *name) {
  unsigned n = (unsigned)isl_set_dim(line, isl_dim_param);
  line = isl_set_move_dims(line, isl_dim_param, n, isl_dim_set, 0, 1);
  return isl_set_params(isl_set_set_dim_name(line, isl_dim_param, n, name));
}

static isl_set *with_number(isl_set *set, const char *param, int64_t number) {
  int at = isl_set_find_dim_by_name(set, isl_dim_param, param);
  isl_val *value = isl_val_int_from_si(isl_set_get_ctx(set), (long)number);
  if (at >= 0) return isl_set_fix_val(set, isl_dim_param, (unsigned)at, value);
  isl_val_free(value);
  return set;
}

/* The set (taken) where params are of that extent, and ends what they are for it. */
static isl_set *at_extent(const h_inference *f, isl_set *set, h_pictures pictures) {
  for (size_t i = 0; i < f->ends.len; i++)
    set = with_number(set, f->ends.data[i].name->text, f->ends.data[i].usual[pictures]);
  for (int i = 0; i < (int)isl_set_dim(set, isl_dim_param); i++)
    set = isl_set_fix_si(set, isl_dim_param, (unsigned)i, extents[pictures]);
  return isl_set_project_out_all_params(set);
}

static int64_t number_at(const h_inference *f, isl_set *end, h_pictures pictures) {
  isl_set *set = at_extent(f, isl_set_copy(end), pictures);
  int64_t number = 0;
  (void)isl_take_int_below(isl_set_dim_max_val(set, 0), INT32_MAX, &number);
  return number;
}

/* The half line up to a new param, or from it on, which is the furthest number of the half lines (taken),
 * each of one bound. */
static isl_set *longest_half_line(h_inference *f, const stage_node *node, unsigned d, isl_set *halves,
                                  bool below) {
  if (isl_set_n_basic_set(halves) <= 1) return halves;
  pm_string name = name_of_end(f, node, d, below);
  f->context = h_meet(f->context, renamed_to(h_beyond(halves), name->text));
  isl_set *end = below ? isl_set_lexmax(halves) : isl_set_lexmin(halves);
  h_end added = {.name = name,
                 .loc = node->op->loc,
                 .node = node,
                 .dim = node->n_dims - 1 - d,
                 .function = isl_set_coalesce(end)};
  for (int i = 0; i < H_N_EXTENTS; i++) added.usual[i] = number_at(f, added.function, (h_pictures)i);
  PM_VEC_PUSH(f->ends, added);
  pm_buf text = {0};
  pm_buf_printf(&text, "[%s] -> { [v] : v %s %s }", name->text, below ? "<=" : ">=", name->text);
  isl_set *half = isl_set_read_from_str(f->graph->isl, text.data);
  pm_buf_free(&text);
  return isl_set_align_params(half, isl_set_get_space(f->context));
}

/* One interval from the least to the greatest of the bounds of the line's parts (taken). */
static isl_set *interval_of_ends(h_inference *f, const stage_node *node, unsigned d, isl_set *line) {
  isl_set *upper = longest_half_line(f, node, d, h_half_lines(line, f->sizes, true), true);
  isl_set *lower = longest_half_line(f, node, d, h_half_lines(line, f->sizes, false), false);
  isl_set_free(line);
  return h_meet(lower, upper);
}

/* With bounds that hold for all parts where these are many. The line (taken) is within the context. */
static isl_set *interval_of_parts(h_inference *f, isl_set *line) {
  if (isl_set_n_basic_set(line) > 1) line = isl_set_coalesce(isl_set_remove_divs(between(f, line)));
  if (isl_set_n_basic_set(line) > (f->bounds == H_HULLS ? 1 : MAX_PARTS)) {
    isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(line)));
    bool takes = is_bounded(hull) && (isl_set_n_basic_set(line) > MAX_PARTS || is_near(f, hull, line));
    isl_set_free(takes ? line : hull);
    if (takes) line = hull;
  }
  return isl_set_coalesce(isl_set_gist_params(isl_set_remove_divs(line), isl_set_copy(f->context)));
}

/* One interval around the points of a line (taken), from the least to the greatest of the bounds of its
 * parts. */
static isl_set *interval_around(h_inference *f, const stage_node *node, unsigned d, isl_set *line) {
  if (f->bounds == H_ENDS) return interval_of_ends(f, node, d, line);
  line = linear_intersect_params(line, isl_set_copy(f->context));
  h_interval of = {h_text_of(f->graph->ctx, line), f->context, f->bounds, NULL};
  of.around = h_find_interval(&f->intervals, of);
  if (of.around) {
    isl_set_free(line);
    return of.around;
  }
  of.around = interval_of_parts(f, line);
  h_keep_interval(&f->intervals, of);
  return of.around;
}

/* The line (taken) as dimension `d` of a box of n dimensions. */
static isl_set *across(isl_set *line, unsigned d, unsigned n) {
  return isl_set_insert_dims(isl_set_insert_dims(line, isl_dim_set, 1, n - d - 1), isl_dim_set, 0, d);
}

/* The box around what readers need, and around `more` points (taken) unless it is NULL. */
static isl_set *needed_box(h_inference *f, const stage_node *node, isl_set *more) {
  unsigned n = node->n_dims;
  isl_set *box = isl_set_universe(
      isl_space_add_dims(isl_space_set_from_params(isl_set_get_space(f->context)), isl_dim_set, n));
  for (unsigned d = 0; d < n; d++) {
    isl_set *line = isl_set_copy(*needed_along(f, node, d));
    isl_set *added = more ? along(more, d) : NULL;
    if (added) line = line ? isl_set_union(line, added) : added;
    box = h_meet(box, across(interval_around(f, node, d, line), d, n));
  }
  isl_set_free(more);
  return named_as(box, node);
}

/* Any number, as a set of one dimension. */
static isl_set *any_number(const h_inference *f) {
  isl_space *space = isl_space_set_alloc(f->graph->isl, 0, 1);
  return isl_set_align_params(isl_set_universe(space), isl_set_get_space(f->context));
}

/* The instances of an update of a Func with that domain: its Vars, which come first, go over the domain. */
static isl_set *update_instances(const h_inference *f, const h_symbol *s, size_t number,
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
static isl_set *touched_by_updates(const h_inference *f, const h_symbol *s, const stage_node *node,
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

static bool is_inside(const h_inference *f, isl_set *points, isl_set *domain) {
  if (linear_set_is_subset(points, domain)) return true;
  isl_set *possible = linear_intersect_params(isl_set_copy(points), isl_set_copy(f->context));
  bool inside =
      linear_set_is_subset(possible, domain) || isl_set_is_subset(possible, domain) != isl_bool_false;
  isl_set_free(possible);
  return inside;
}

/* The domain (taken) with what the updates touch. */
static isl_set *with_updates(h_inference *f, const h_symbol *s, const stage_node *node, isl_set *domain) {
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

static void follow_reads(h_inference *f, const h_symbol *s, const stage_node *node, isl_set *domain) {
  for (size_t i = 0; i < node->reads.len; i++) {
    const stage_access *a = node->reads.data[i];
    if (a->producer->is_input) continue;
    isl_set *instances = a->update_index < 0 ? isl_set_copy(domain)
                                             : update_instances(f, s, (size_t)a->update_index,
                                                                &node->updates.data[a->update_index], domain);
    add_need(f, a, instances);
  }
}

/* --- bounds --- */

/* The first read that goes to points without a bound along the dimension. */
static const stage_access *unbounded_read(const h_inference *f, const stage_node *node, unsigned d) {
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
static pm_string shown_name(const h_inference *f, const stage_node *node) {
  const h_symbol *s = pm_map_get(f->funcs, node->name);
  return s ? s->name : node->name;
}

static bool check_bounded(const h_inference *f, const stage_node *node, isl_set *domain) {
  for (unsigned d = 0; d < node->n_dims; d++) {
    if (isl_set_dim_has_lower_bound(domain, isl_dim_set, d) != isl_bool_false &&
        isl_set_dim_has_upper_bound(domain, isl_dim_set, d) != isl_bool_false)
      continue;
    if (f->is_trial) return false;
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

static h_symbol *func_of(const h_inference *f, const stage_node *node) {
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

static void set_domain(h_inference *f, const stage_node *node, isl_set *domain) {
  isl_set_free(f->domains[node->index]);
  f->domains[node->index] = domain;
}

/* An output has the points that the call asks for, and no others. */
static bool is_enough(const h_inference *f, const h_symbol *s, const stage_node *node, isl_set *box) {
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
static bool is_read(const h_inference *f, const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    if (f->domains[node->readers.data[i]->consumer->index]) return true;
  return false;
}

/* --- Funcs that are better a part of their readers --- */

/* The points of the box around the set, when pictures have the extent. */
double h_points_at(const h_inference *f, isl_set *set, h_pictures pictures) {
  double points = 1;
  set = at_extent(f, isl_set_copy(set), pictures);
  for (int d = 0; d < (int)isl_set_dim(set, isl_dim_set); d++)
    points *= fmax(stage_extent(set, (unsigned)d), 1);
  isl_set_free(set);
  return points;
}

isl_set *h_instances_of(const h_inference *f, const stage_access *a) {
  const stage_node *node = a->consumer;
  isl_set *domain = f->domains[node->index];
  if (a->update_index < 0) return isl_set_copy(domain);
  return update_instances(f, func_of(f, node), (size_t)a->update_index, &node->updates.data[a->update_index],
                          domain);
}

bool h_has_computed_reader(const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    if (stage_has_computed_index(node->readers.data[i]->read)) return true;
  return false;
}

/* It is read at computed indices, which may be many numbers whatever the pictures are, and has more points
 * than are read: most would be computed for nothing. */
static bool has_too_many_points(const h_inference *f, const stage_node *node, isl_set *domain) {
  if (!h_has_computed_reader(node) || h_points_at(f, domain, H_SMALL) <= MANY_NUMBERS) return false;
  double points = h_points_at(f, domain, H_USUAL), read = 0;
  for (size_t i = 0; i < node->readers.len; i++) {
    if (!f->domains[node->readers.data[i]->consumer->index]) continue;
    isl_set *instances = h_instances_of(f, node->readers.data[i]);
    read += h_points_at(f, instances, H_USUAL);
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
static bool is_better_inlined(const h_inference *f, const h_symbol *s, const stage_node *node,
                              isl_set *domain) {
  if (!s || !h_is_inlinable(f->l->program, s)) return false;
  bool has_many_parts = s->has_boundary && isl_set_n_basic_set(domain) > MAX_PARTS / 2;
  return has_many_parts || !has_bounds(node, domain) || has_too_many_points(f, node, domain);
}

static bool waits_for_readers(const h_inference *f, const stage_node *node) {
  for (size_t i = 0; i < node->readers.len; i++)
    if (f->waits[node->readers.data[i]->consumer->index]) return true;
  return false;
}

static bool infer_node(h_inference *f, const stage_node *node, bool search, bool *again) {
  h_symbol *output = output_of(f, node), *s = func_of(f, node);
  isl_set *domain;
  f->waits[node->index] = waits_for_readers(f, node);
  if (f->waits[node->index]) return true;
  if (output) {
    domain = output_box(f, node, output, search);
    if (!output->is_apart && !is_enough(f, s, node, domain)) { /* goes on with what it will be */
      output->is_apart = *again = true;
      domain = with_updates(f, s, node, needed_box(f, node, domain));
    }
  } else if (is_read(f, node)) {
    domain = with_updates(f, s, node, needed_box(f, node, NULL));
  } else {
    domain = isl_set_empty(isl_set_get_space(node->domain));
  }
  bool is_inlined = !output && !search && is_better_inlined(f, s, node, domain);
  if (isl_budget_is_spent(f->graph->isl)) {
    isl_set_free(domain);
    f->costly = node;
    return false;
  }
  if (is_inlined) s->is_inlined = *again = true;
  if (is_inlined || (*again && !has_bounds(node, domain))) {
    f->waits[node->index] = true;
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

static isl_stat add_bound(isl_constraint *c, void *user) {
  isl_set **bounds = user;
  isl_space *space = isl_constraint_get_space(c);
  unsigned n = 0;
  for (unsigned i = 0; i < (unsigned)isl_space_dim(space, isl_dim_param); i++)
    n += isl_constraint_involves_dims(c, isl_dim_param, i, 1) == isl_bool_true;
  isl_space_free(space);
  if (n == 1)
    *bounds = isl_set_intersect(*bounds, isl_set_from_basic_set(isl_basic_set_from_constraint(c)));
  else
    isl_constraint_free(c);
  return isl_stat_ok;
}

/* The constraints of one param. Takes the set. */
static isl_set *only_bounds(isl_set *params) {
  isl_set *bounds = isl_set_universe(isl_set_get_space(params));
  isl_basic_set *all = isl_set_simple_hull(params);
  isl_basic_set_foreach_constraint(all, add_bound, &bounds);
  isl_basic_set_free(all);
  return bounds;
}

/* The params (taken) that the call passes. */
static isl_set *without_ends(const h_inference *f, isl_set *params) {
  for (size_t i = 0; i < f->ends.len; i++) {
    int at = isl_set_find_dim_by_name(params, isl_dim_param, f->ends.data[i].name->text);
    if (at >= 0) params = isl_set_project_out(params, isl_dim_param, (unsigned)at, 1);
  }
  return params;
}

static void free_ends(h_inference *f) {
  for (size_t i = 0; i < f->ends.len; i++) isl_set_free(f->ends.data[i].function);
  f->ends.len = 0;
}

/* Consumers first. */
static bool infer_all(h_inference *f, bool search, bool *again) {
  f->context = without_ends(f, f->context);
  free_ends(f);
  isl_set_free(f->sizes);
  f->sizes = only_bounds(isl_set_copy(f->context));
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

/* --- where outputs begin --- */

/* The least numbers that the origins of the outputs can be: where the inputs begin at 0, an output may not.
 */
static bool find_origins(h_inference *f) {
  const h_program *p = f->l->program;
  bool again = false;
  if (!infer_all(f, true, &again) || again) return false;
  isl_set *sizes = h_sizes_with_inputs(f);
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

static void remark_origins(const h_inference *f) {
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

static pm_attr attr_of(const h_inference *f, isl_set *set, pm_attr like) {
  return stage_set_attr(f->graph, set, like);
}

/* Writes the domain, and the sets of cases and updates within it. */
static void write_node(const h_inference *f, const stage_node *node) {
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

/* The params behind the others. */
static void write_ends(const h_inference *f) {
  pm_region *body = pm_region_at(f->l->pipeline, stage_pipeline_body);
  pm_op *last = NULL;
  PM_FOR_OPS(op, body)
  if (pm_is(op, &stage_param)) last = op;
  pm_builder at = f->l->builder;
  at.region = body;
  at.before = last ? last->next : body->first;
  for (size_t i = 0; i < f->ends.len; i++) {
    const h_end *end = &f->ends.data[i];
    at.loc = end->loc;
    pm_remark(f->graph->ctx, end->loc, PM_REMARK_ANALYSIS, "halide", NULL, 0,
              "%pS, which each call computes, is the furthest point of %pS that some reader needs along "
              "dimension %u",
              (const void *)end->name, (const void *)shown_name(f, end->node), end->dim);
    pm_value *param = stage_build_param(&at, end->name, pm_get_scalar(f->graph->ctx, PM_I32));
    pm_set_attr(pm_def(param), stage_param_derived,
                isl_attr_of_set(f->graph->ctx, isl_set_copy(end->function)));
  }
}

/* Funcs that no call needs leave the module. */
static void write_all(h_inference *f) {
  for (size_t i = 0; i < f->graph->nodes.len; i++) {
    const stage_node *node = f->graph->nodes.data[i];
    if (!node->is_input && f->domains[i]) write_node(f, node);
  }
}

/* The most of any domain. */
static int count_parts(const h_inference *f) {
  int most = 0;
  for (size_t i = 0; i < f->graph->nodes.len; i++) {
    int n = f->domains[i] ? (int)isl_set_n_basic_set(f->domains[i]) : 0;
    if (n > most) most = n;
  }
  return most;
}

/* Finds domains and context. */
static bool infer(h_inference *f, bool *again) {
  if (!infer_all(f, false, again) || *again) return *again;
  isl_set *sizes = h_sizes_with_inputs(f);
  if (isl_set_is_empty(sizes) == isl_bool_true) {
    isl_set_free(sizes);
    if (f->l->program->has_origins) return h_report_input(f);
    isl_set *given = without_ends(f, isl_set_copy(f->context)); /* has no params of the search */
    bool found = find_origins(f);
    isl_set_free(f->context);
    f->context = given;
    if (!found && isl_budget_is_spent(f->graph->isl)) return true;
    if (!infer_all(f, false, again)) return false;
    if (!found) return h_report_input(f);
    remark_origins(f);
    sizes = h_sizes_with_inputs(f);
  }
  h_find_left_out(f, sizes);
  isl_set_free(f->context);
  f->context = sizes;
  return true;
}

/* The same by such bounds; false after a diagnostic. *spent: isl has come to the end of its operations, and
 * nothing is known, but what becomes a part of others. */
static bool infer_within(h_inference *f, h_bounds bounds, unsigned long operations, bool *again,
                         bool *spent) {
  isl_set *given = isl_set_copy(f->context);
  f->bounds = bounds;
  f->costly = NULL;
  f->costly_read = NULL;
  isl_budget_begin(f->graph->isl, operations);
  bool ok = infer(f, again);
  *spent = isl_budget_end(f->graph->isl) && !*again;
  if (!*spent) {
    isl_set_free(given);
    return ok || *again;
  }
  isl_set_free(f->context);
  f->context = given;
  f->left_out.len = 0;
  free_ends(f);
  return true;
}

static isl_set **copy_domains(const h_inference *f) {
  size_t n = f->graph->nodes.len;
  isl_set **copy = pm_xcalloc(n + 1, sizeof(isl_set *));
  for (size_t i = 0; i < n; i++) copy[i] = isl_set_copy(f->domains[i]);
  return copy;
}

static void free_domains(const h_inference *f, isl_set **domains) {
  for (size_t i = 0; i < f->graph->nodes.len; i++) isl_set_free(domains[i]);
  free(domains);
}

static void take_domains(h_inference *f, isl_set **domains) {
  free_domains(f, f->domains);
  free_ends(f);
  f->domains = domains;
}

/* Domains by such bounds for calls of the context, which is borrowed, if inputs need not be larger for them;
 * `larger`: also where they do. */
static bool infer_other(h_inference *f, h_bounds bounds, isl_set *context, unsigned long operations,
                        bool larger, bool *again) {
  isl_set *given = f->context;
  f->context = isl_set_copy(context);
  f->bounds = bounds;
  f->costly = NULL;
  f->costly_read = NULL;
  f->is_trial = true;
  isl_budget_begin(f->graph->isl, operations);
  bool ok = infer_all(f, false, again);
  f->is_trial = false;
  isl_set *sizes = ok ? h_sizes_with_inputs(f) : NULL;
  isl_set *passed = without_ends(f, isl_set_copy(sizes));
  ok = isl_set_is_subset(given, passed) == isl_bool_true ||
       (larger && isl_set_is_empty(passed) == isl_bool_false);
  isl_set_free(passed);
  ok = !isl_budget_end(f->graph->isl) && ok;
  bool takes = ok && bounds == H_ENDS;
  isl_set_free(f->context);
  f->context = takes ? sizes : given;
  isl_set_free(takes ? given : sizes);
  return ok;
}

static bool report_spent(const h_inference *f) {
  if (f->costly)
    return pm_error(f->graph->ctx, f->costly->op->loc,
                    "the bounds of what %pS reads take too much work: its indices or those of its readers "
                    "should be simpler",
                    (const void *)shown_name(f, f->costly));
  return pm_error(f->graph->ctx, f->costly_read ? f->costly_read->read->loc : f->l->pipeline->loc,
                  "the sizes of inputs for which this is inside of them take too much work: the indices of "
                  "reads should be simpler");
}

/* Exact domains where these are boxes. Otherwise boxes around them, unless inputs have to be larger for these
 * and the parts are few. */
static bool infer_domains(h_inference *f, bool *again) {
  unsigned long few = EXACT_OPERATIONS + EXACT_OPERATIONS_OF_A_FUNC * f->graph->nodes.len;
  unsigned long many = OPERATIONS + OPERATIONS_OF_A_FUNC * f->graph->nodes.len;
  bool spent = f->l->exact_is_costly, ok = spent || infer_within(f, H_PARTS, few, again, &spent);
  if (spent) {
    f->l->exact_is_costly = true;
    ok = infer_within(f, H_ENDS, many, again, &spent);
    return ok && (!spent || report_spent(f));
  }
  int n_parts = count_parts(f), n_cases = (int)isl_set_n_basic_set(f->context);
  if (!ok || *again || (n_parts <= 1 && n_cases <= FEW_PARTS)) return ok;
  isl_set **exact = copy_domains(f);
  bool done = infer_other(f, H_HULLS, f->context, few, false, again);
  if (done && !*again && count_parts(f) > 1) {
    free_domains(f, exact);
    exact = copy_domains(f);
    done = false;
  }
  if (!done && !*again)
    done = infer_other(f, H_ENDS, f->graph->context, many, n_parts > FEW_PARTS || n_cases > FEW_PARTS, again);
  if (done || *again)
    free_domains(f, exact);
  else
    take_domains(f, exact);
  return true;
}

bool h_lower_domains(h_lowering *l, bool *again) {
  kit_assume_coordinates(&l->kit, l->pipeline, COORDINATE_BITS);
  h_inference f = {.l = l, .graph = kit_graph(&l->kit, l->pipeline)};
  if (!f.graph) return false;
  size_t n = f.graph->nodes.len;
  f.needed = pm_xcalloc(n * KIT_MAX_DIMS + 1, sizeof(isl_set *));
  f.domains = pm_xcalloc(n + 1, sizeof(isl_set *));
  f.waits = pm_xcalloc(n + 1, sizeof(bool));
  f.context = isl_set_copy(f.graph->context);
  f.funcs = map_of_funcs(l->program);
  bool ok = infer_domains(&f, again);
  if (ok && !*again) {
    f.context = h_with_float_limits(&f, f.context);
    if (isl_set_is_empty(f.context) == isl_bool_true)
      ok = pm_error(
          f.graph->ctx, l->pipeline->loc,
          "an index is a float of what no call has so small that the float is exact: parameters of at "
          "most 2^21, pictures of at most 2^19 points along a dimension");
    l->kit.context = isl_attr_of_set(f.graph->ctx, isl_set_copy(f.context));
    pm_set_attr(l->pipeline, stage_pipeline_context, l->kit.context);
    write_ends(&f);
    h_fit_estimates(&f);
    h_warn_of_memory(&f);
    h_warn_of_left_out(&f);
    write_all(&f);
  }
  free_domains(&f, f.domains);
  for (size_t i = 0; i < n * KIT_MAX_DIMS; i++) isl_set_free(f.needed[i]);
  PM_VEC_FREE(f.left_out);
  free(f.needed);
  free(f.waits);
  free_ends(&f);
  h_free_facts(&f.facts);
  PM_VEC_FREE(f.ends);
  h_free_intervals(&f.intervals);
  isl_set_free(f.sizes);
  isl_set_free(f.context);
  pm_map_free(f.funcs);
  stage_graph_free(f.graph);
  return ok;
}
