/* region-entries: beside each pipeline stands one that computes a box of each of its outputs.
 *
 *   stage.pipeline @f context #isl.set<"[R] -> { : R >= 1 }"> { … stage.output @by }
 *   =>  the same, and behind it
 *   stage.pipeline @f_region_at boxes region @f
 *       context #isl.set<"[R, by_lo0, by_hi0] -> { : R >= 1 and 0 <= by_lo0 < by_hi0 <= R }"> {
 *     … %by_lo0 = stage.param @by_lo0 : i32   %by_hi0 = stage.param @by_hi0 : i32 …
 *     stage.func @by on #isl.set<"[by_lo0, by_hi0] -> { [x] : by_lo0 <= x < by_hi0 }"> { … } … }
 *
 * The bounds count the elements of the whole output, from 0 on. Outputs with the same elements, whatever
 * their first coordinates, have one box, which callers make of several: bounds of unrelated boxes would leave
 * no hull for what both need. Dimensions of few elements, the planes of a picture, have none: they are
 * computed together, as their loops are unrolled and share what they read. Coordinates and sizes stay those
 * of the whole picture, so that borders, parities and conditions of the program mean what they meant.
 * infer-domains shrinks the stages before, and lower-poly makes the function that gives the boxes of the
 * inputs. (Halide's cropped outputs and bounds queries.)
 *
 * An output that stages read, itself included, or that has updates, is computed as before in memory of its
 * own, and the box is copied. What a schedule says of the stages is not said of the boxes. */
#include "dialects/isl/isl_dialect.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/arith/call.h"
#include "passes/options.h"

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/space.h>

/* The bounds of an output's box. */
typedef struct bounds {
  isl_id *ends[PM_MAX_RANK][2]; /* NULL of planes */
} bounds;

typedef struct region {
  pm_pass *pass;
  const stage_graph *graph; /* of the pipeline */
  pm_op *made;              /* the pipeline beside it */
  pm_builder params;        /* behind the other params */
  pm_type type;             /* of bounds: of 64 bits, they would be one more case wherever sizes are */
  isl_set *context;         /* of `made`, as far as it is known */
  bounds *bounds;           /* of each output */
  size_t *firsts;           /* of each output: the one ahead of it, or itself, that gives both their box */
  unsigned n_boxes;         /* that differ */
} region;

/* --- bounds --- */

/* A parameter, and its name as isl knows it (the caller's). */
static isl_id *add_bound(region *r, const stage_node *output, const char *end, unsigned d, int64_t estimate) {
  pm_context *ctx = r->graph->ctx;
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%u", end, d);
  pm_string name = stage_unused_name(pm_lookup_symbol(r->params.region, output->name), text.data);
  pm_buf_free(&text);
  pm_op *param = pm_def(stage_build_param(&r->params, name, r->type));
  pm_set_attr(param, stage_param_estimate, pm_get_int(pm_get_scalar(ctx, PM_I64), estimate));
  return isl_id_alloc(r->graph->isl, name->text, NULL);
}

static isl_pw_aff *param_on(isl_space *space, isl_id *id) {
  return isl_pw_aff_param_on_domain_id(isl_set_universe(space), id);
}

/* 0 <= lo < hi <= extent; of several boxes, of which some may be empty, lo <= hi */
static void require_inside(region *r, isl_id *lo, isl_id *hi, isl_pw_aff *extent) {
  isl_space *params = isl_space_params_alloc(r->graph->isl, 0);
  isl_pw_aff *from = param_on(isl_space_copy(params), isl_id_copy(lo)),
             *to = param_on(isl_space_copy(params), isl_id_copy(hi));
  isl_set *inside = isl_pw_aff_nonneg_set(isl_pw_aff_copy(from));
  isl_set *filled = r->n_boxes > 1 ? isl_pw_aff_le_set(from, isl_pw_aff_copy(to))
                                   : isl_pw_aff_lt_set(from, isl_pw_aff_copy(to));
  inside = isl_set_intersect(inside, filled);
  inside = isl_set_intersect(inside, isl_pw_aff_le_set(to, extent));
  isl_space_free(params);
  r->context = isl_set_intersect(r->context, inside);
}

/* The points whose element is one of lo to hi - 1 along the dimension, where that of `first` is element 0.
 * Takes what is given but the domain. */
static isl_set *between(isl_set *domain, unsigned d, isl_pw_aff *first, isl_id *lo, isl_id *hi) {
  isl_space *space = isl_set_get_space(domain);
  isl_pw_aff *element =
      isl_pw_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)), isl_dim_set, d);
  element = isl_pw_aff_sub(element, isl_pw_aff_insert_domain(first, isl_space_copy(space)));
  isl_set *from = isl_pw_aff_ge_set(isl_pw_aff_copy(element), param_on(isl_space_copy(space), lo));
  return isl_set_intersect(from, isl_pw_aff_lt_set(element, param_on(space, hi)));
}

/* New parameters. */
static void add_bounds(region *r, const stage_node *output, bounds *made) {
  int64_t usual = pm_usual_size(r->graph->pipeline);
  isl_set *typical = stage_at_estimates(r->graph, isl_set_copy(output->domain), usual);
  for (unsigned d = 0; d < output->n_dims; d++) {
    if (stage_is_of_planes(output->domain, d)) continue;
    double extent = stage_extent(typical, d);
    isl_id *lo = made->ends[d][0] = add_bound(r, output, "lo", d, 0),
           *hi = made->ends[d][1] =
               add_bound(r, output, "hi", d, extent >= 1 && extent <= 1e9 ? (int64_t)extent : 1);
    isl_pw_aff *first = isl_set_dim_min(isl_set_copy(output->domain), (int)d),
               *last = isl_set_dim_max(isl_set_copy(output->domain), (int)d);
    isl_pw_aff *n = isl_pw_aff_sub(last, first);
    require_inside(r, lo, hi, isl_pw_aff_add_constant_val(n, isl_val_one(r->graph->isl)));
  }
  isl_set_free(typical);
}

/* The indices of the output's elements, from 0 on. */
static isl_set *elements_of(const stage_node *output) {
  isl_set *points = isl_set_reset_tuple_id(isl_set_copy(output->domain));
  isl_set *first = isl_set_from_multi_pw_aff(isl_set_min_multi_pw_aff(isl_set_copy(points)));
  return isl_map_deltas(isl_map_from_domain_and_range(first, points));
}

static bool have_same_elements(const stage_node *a, const stage_node *b) {
  if (a->n_dims != b->n_dims) return false;
  isl_set *one = elements_of(a), *other = elements_of(b);
  bool same = isl_set_is_equal(one, other) == isl_bool_true;
  isl_set_free(one);
  isl_set_free(other);
  return same;
}

static size_t find_first(const region *r, size_t number) {
  for (size_t i = 0; i < number && pm_opt_bool(r->pass, region_entries_opt_share); i++)
    if (r->firsts[i] == i && have_same_elements(r->graph->outputs.data[i], r->graph->outputs.data[number]))
      return i;
  return number;
}

static void find_boxes(region *r) {
  r->firsts = pm_arena_alloc(pm_pass_arena(r->pass), r->graph->outputs.len * sizeof *r->firsts);
  for (size_t i = 0; i < r->graph->outputs.len; i++) {
    r->firsts[i] = find_first(r, i);
    r->n_boxes += r->firsts[i] == i;
  }
}

/* The points of the output's box. */
static isl_set *box_of(const stage_node *output, const bounds *given) {
  isl_set *box = isl_set_universe(isl_set_get_space(output->domain));
  for (unsigned d = 0; d < output->n_dims; d++) {
    if (!given->ends[d][0]) continue;
    isl_pw_aff *first = isl_set_dim_min(isl_set_copy(output->domain), (int)d);
    box = isl_set_intersect(box, between(output->domain, d, first, isl_id_copy(given->ends[d][0]),
                                         isl_id_copy(given->ends[d][1])));
  }
  return box;
}

/* --- outputs --- */

static bool is_box(isl_set *domain) {
  isl_set *box = isl_set_universe(isl_set_get_space(domain));
  for (int d = 0; d < (int)isl_set_dim(domain, isl_dim_set); d++) {
    isl_space *space = isl_set_get_space(domain);
    isl_pw_aff *x =
        isl_pw_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)), isl_dim_set, (unsigned)d);
    isl_pw_aff *first =
                   isl_pw_aff_insert_domain(isl_set_dim_min(isl_set_copy(domain), d), isl_space_copy(space)),
               *last = isl_pw_aff_insert_domain(isl_set_dim_max(isl_set_copy(domain), d), space);
    box = isl_set_intersect(box, isl_pw_aff_ge_set(isl_pw_aff_copy(x), first));
    box = isl_set_intersect(box, isl_pw_aff_le_set(x, last));
  }
  bool is = isl_set_is_subset(box, domain) == isl_bool_true;
  isl_set_free(box);
  return is;
}

static bool is_read(const stage_node *output) {
  return output->readers.len > 0 || output->self_reads.len > 0;
}

/* Those of the points that are in the box. Sets keep bounds that the box implies by the context: passes that
 * compare sets need not know that. */
static pm_attr cut(const region *r, isl_set *points, isl_set *box, pm_attr like) {
  return stage_set_attr(r->graph, isl_set_intersect(isl_set_copy(points), isl_set_copy(box)), like);
}

/* The func of the output has the points of the box alone. */
static void cut_func(const region *r, const stage_node *output, pm_op *func, isl_set *box) {
  size_t i = 0;
  pm_set_attr(func, stage_func_domain, cut(r, output->domain, box, pm_attr_at(func, stage_func_domain)));
  PM_FOR_OPS(op, pm_region_at(func, stage_func_cases)) {
    pm_set_attr(op, stage_case_set, cut(r, output->cases.data[i].set, box, pm_attr_at(op, stage_case_set)));
    i++;
  }
}

typedef struct renaming {
  pm_string from;
  pm_attr to;
} renaming;

static pm_walk rename_read(void *user, pm_op *op) {
  const renaming *n = user;
  if (pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == n->from)
    pm_set_attr(op, stage_read_stage, n->to);
  return PM_WALK_ON;
}

static const pm_string *names_of(pm_arena *arena, pm_context *ctx, isl_set *domain) {
  unsigned n = (unsigned)isl_set_dim(domain, isl_dim_set);
  pm_string *names = pm_arena_alloc(arena, (n + 1) * sizeof *names);
  for (unsigned d = 0; d < n; d++) {
    const char *name = isl_set_get_dim_name(domain, isl_dim_set, d);
    names[d] = name ? pm_get_cstring(ctx, name) : NULL;
  }
  return names;
}

/* The func gets another name, and one of its name copies the box. */
static void copy_func(const region *r, const stage_node *output, pm_op *func, isl_set *box) {
  pm_context *ctx = r->graph->ctx;
  pm_attr whole = pm_get_symbol(ctx, stage_unused_name(func, "whole"));
  pm_attr domain = pm_attr_at(func, stage_func_domain);
  pm_set_attr(func, stage_func_sym, whole);
  pm_walk_pre(r->made, rename_read, &(renaming){output->name, whole});
  pm_builder b = pm_builder_before(func->next);
  b.loc = func->loc;
  pm_attr points = cut(r, output->domain, box, domain);
  pm_op *made = stage_build_func(&b, output->name, output->type, points, NULL);
  pm_op *only = stage_build_case(made, func->loc, points);
  pm_region *body =
      stage_begin_body(only, names_of(pm_pass_arena(r->pass), ctx, isl_peek_set(domain)), output->n_dims);
  b = pm_builder_at_end(pm_module_of(func), body, func->loc);
  unsigned n = pm_tuple_len(output->type);
  pm_value *first =
      stage_build_read(&b, whole->s, output->type, stage_own_point(ctx, output->n_dims), body->args, NULL);
  pm_value **values = pm_arena_alloc(pm_pass_arena(r->pass), n * sizeof *values);
  for (unsigned i = 0; i < n; i++) values[i] = pm_res(pm_def(first), i);
  stage_build_yield(&b, values, n);
}

static pm_op *output_op(const region *r, pm_string name) {
  PM_FOR_OPS(op, pm_region_at(r->made, stage_pipeline_body))
  if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == name) return op;
  return NULL;
}

static isl_set *add_box(region *r, size_t number) {
  const stage_node *output = r->graph->outputs.data[number];
  size_t first = r->firsts[number];
  if (first == number)
    add_bounds(r, output, &r->bounds[number]);
  else
    pm_set_attr(output_op(r, output->name), stage_output_box,
                pm_get_symbol(r->graph->ctx, r->graph->outputs.data[first]->name));
  return box_of(output, &r->bounds[first]);
}

/* Bounds are those of the stage's dimensions, in their order, without those of planes. */
static bool keeps_rows(const stage_node *output) {
  unsigned before = 0;
  for (unsigned d = 0; d < output->n_dims; d++) {
    unsigned of = stage_dim_of(output->order, d);
    if (stage_is_of_planes(output->domain, of)) continue;
    if (of < before) return false;
    before = of;
  }
  return true;
}

static bool add_output(region *r, size_t number) {
  const stage_node *output = r->graph->outputs.data[number];
  if (isl_set_is_empty(output->domain) == isl_bool_true)
    return pm_op_error(output->op, "is an output of which no box can be computed: it has no elements");
  if (!is_box(output->domain))
    return pm_op_error(output->op, "is an output of which no box can be computed: its own domain is no box");
  if (!keeps_rows(output))
    return pm_op_error(output->op,
                       "is an output of which no box can be computed: the dimensions of its array, but for "
                       "those of planes, are in another order");
  pm_op *func = pm_lookup_symbol(pm_region_at(r->made, stage_pipeline_body), output->name);
  isl_set *box = add_box(r, number);
  if (is_read(output) || output->updates.len)
    copy_func(r, output, func, box);
  else
    cut_func(r, output, func, box);
  isl_set_free(box);
  return true;
}

/* --- the pipeline --- */

static pm_builder behind_params(pm_op *pipeline) {
  pm_region *body = pm_region_at(pipeline, stage_pipeline_body);
  pm_op *before = body->first;
  PM_FOR_OPS(op, body)
  if (pm_is(op, &stage_param)) before = op->next;
  pm_builder b = pm_builder_at_end(pm_module_of(pipeline), body, pipeline->loc);
  b.before = before;
  return b;
}

static void drop_schedule(const region *r) {
  PM_FOR_OPS(op, pm_region_at(r->made, stage_pipeline_body)) {
    if (!pm_is(op, &poly_schedule) && !pm_is(op, &poly_demand)) continue;
    pm_pass_remark(r->pass, op->loc, PM_REMARK_MISSED, NULL, 0,
                   "the schedule of @%s is not that of its boxes, which have one of their own",
                   pm_sym_at(r->graph->pipeline, stage_pipeline_sym)->text);
    pm_op_erase(op);
  }
}

static void free_bounds(region *r) {
  for (size_t i = 0; i < r->graph->outputs.len; i++)
    for (unsigned k = 0; k < 2 * PM_MAX_RANK; k++) isl_id_free(r->bounds[i].ends[k / 2][k % 2]);
}

static bool add_region(pm_pass *pass, pm_op *pipeline) {
  pm_context *ctx = pm_op_context(pipeline);
  pm_string sym = pm_sym_at(pipeline, stage_pipeline_sym);
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_region_at", sym->text);
  pm_string name = pm_get_string(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  if (pm_lookup_symbol(pipeline->region, name))
    return pm_op_error(pipeline, "has no name for what computes boxes of it: @%s is there already",
                       name->text);
  const stage_graph *graph = pm_pass_analysis_of(pass, pipeline, &stage_graph_analysis);
  if (!graph) return false;
  region r = {.pass = pass, .graph = graph, .made = pm_clone(pm_module_of(pipeline), pipeline, NULL)};
  pm_set_attr(r.made, stage_pipeline_sym, pm_get_symbol(ctx, name));
  pm_set_attr(r.made, stage_pipeline_region, pm_attr_at(pipeline, stage_pipeline_sym));
  pm_set_attr(r.made, stage_pipeline_boxes, pm_get_unit(ctx));
  r.params = behind_params(r.made);
  r.type = pm_get_scalar(ctx, PM_I32);
  isl_set *stated = isl_peek_set(pm_attr_at(pipeline, stage_pipeline_context));
  r.context = stated ? isl_set_copy(stated) : isl_set_universe(isl_space_params_alloc(graph->isl, 0));
  drop_schedule(&r);
  r.bounds = pm_arena_alloc(pm_pass_arena(pass), graph->outputs.len * sizeof *r.bounds);
  find_boxes(&r);
  bool ok = true;
  for (size_t i = 0; ok && i < graph->outputs.len; i++) ok = add_output(&r, i);
  free_bounds(&r);
  pm_set_attr(r.made, stage_pipeline_context, isl_attr_of_set(ctx, r.context));
  pm_insert(pipeline->region, pipeline->next, r.made);
  return ok;
}

pm_result pass_region_entries(pm_pass *pass) {
  PM_VEC(pm_op *) pipelines = {0};
  PM_FOR_OPS(op, pm_region_at(pm_pass_root(pass), 0))
  if (pm_is(op, &stage_pipeline) && !pm_attr_at(op, stage_pipeline_version) &&
      !pm_attr_at(op, stage_pipeline_boxes))
    PM_VEC_PUSH(pipelines, op);
  bool ok = true, changed = pipelines.len > 0;
  for (size_t i = 0; ok && i < pipelines.len; i++) ok = add_region(pass, pipelines.data[i]);
  PM_VEC_FREE(pipelines);
  return !ok ? PM_FAILED : changed ? PM_CHANGED : PM_UNCHANGED;
}
