/* Schedules in files: read by the evaluator of programs, with a Func for each stage. */
#include "frontends/halide/schedule_file.h"

#include "dialects/isl/isl_dialect.h"
#include "dialects/poly/poly.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "frontends/halide/schedule.h"
#include "ir/text.h"

#include <errno.h>
#include <inttypes.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* --- the hash --- */

static bool is_of_algorithm(const pm_op *op) {
  return strncmp(op->desc->name, "stage.", 6) == 0;
}

uint64_t halide_hash_of(pm_op *pipeline) {
  uint64_t hash = 0;
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    pm_buf text = {0};
    if (!is_of_algorithm(op)) continue;
    pm_print_op(&text, op, (pm_print_options){0});
    hash = pm_hash_bytes(text.data, text.len, hash);
    pm_buf_free(&text);
  }
  return hash;
}

/* --- reading --- */

static unsigned rank_of(const pm_op *func) {
  return (unsigned)isl_set_dim(isl_peek_set(stage_domain_of(func)), isl_dim_set);
}

/* The name of dimension `d` of a stage, the last one first. */
static pm_string dim_name(pm_context *ctx, const pm_op *func, unsigned d) {
  isl_set *domain = isl_peek_set(stage_domain_of(func));
  unsigned at = rank_of(func) - 1 - d;
  const char *name = isl_set_get_dim_name(domain, isl_dim_set, at);
  char numbered[16];
  snprintf(numbered, sizeof(numbered), "d%u", d);
  return pm_get_cstring(ctx, name ? name : numbered);
}

static bool is_output(const pm_op *pipeline, pm_string name) {
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == name) return true;
  return false;
}

static void declare_stage(h_interp *in, const pm_op *pipeline, pm_op *func) {
  h_program *p = &in->program;
  pm_string name = pm_sym_at(func, stage_func_sym);
  h_symbol *s = h_new_symbol(p, H_FUNC, func->loc, name->text);
  s->is_defined = s->needed = true;
  s->is_output = is_output(pipeline, name);
  s->n_dims = rank_of(func);
  for (unsigned d = 0; d < s->n_dims && d < HX_MAX_DIMS; d++)
    s->pure.args[d] = hx_var(p, func->loc, h_get_var(p, dim_name(in->ctx, func, d)));
  hv_declare(in, in->globals, name, hv_symbol(s));
}

/* Names of dimensions that are not those of stages. */
static void declare_vars(h_interp *in) {
  for (uint32_t i = 0; i < in->program.funcs.len; i++) {
    const h_symbol *s = in->program.funcs.data[i];
    for (unsigned d = 0; d < s->n_dims; d++) {
      const h_var *var = s->pure.args[d]->var;
      if (!hv_find(in->globals, var->name))
        hv_declare(in, in->globals, var->name, (hv){.kind = HV_VAR, .var = var});
    }
  }
}

static void drop_demands(pm_op *pipeline) {
  pm_op *next = NULL;
  for (pm_op *op = pm_region_at(pipeline, stage_pipeline_body)->first; op; op = next) {
    next = op->next;
    if (pm_is(op, &poly_demand)) pm_op_erase(op);
  }
}

static const char algorithm[] = "// algorithm ";

static void check_hash(pm_context *ctx, pm_op *pipeline, const char *text, pm_loc loc) {
  const char *said = strstr(text, algorithm);
  if (!said) return;
  uint64_t hash = strtoull(said + strlen(algorithm), NULL, 16);
  if (hash != halide_hash_of(pipeline))
    pm_warning(ctx, loc,
               "the schedule was made for another version of the program, algorithm %016" PRIx64
               ", this one is %016" PRIx64,
               hash, halide_hash_of(pipeline));
}

static bool apply(h_interp *in, pm_op *pipeline, const char *path, const char *text, size_t len) {
  unsigned errors = pm_error_count(in->ctx);
  uint16_t file = pm_add_source(in->ctx, path, text, len);
  hl_node *block = hl_parse(in->ctx, in->arena, file, (pm_str){text, len});
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_func)) declare_stage(in, pipeline, op);
  declare_vars(in);
  check_hash(in->ctx, pipeline, text, (pm_loc){1, 1, file});
  drop_demands(pipeline);
  if (block) h_run(in, block);
  return block && pm_error_count(in->ctx) == errors && h_lower_schedules(&in->program, pipeline);
}

bool halide_apply_schedule(pm_op *pipeline, const char *path) {
  pm_context *ctx = pm_module_context(pipeline->module);
  size_t len = 0;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!text) return pm_error(ctx, PM_NO_LOC, "the schedule '%s' cannot be read: %s", path, strerror(errno));
  halide_options options = {0};
  h_interp in;
  h_interp_init(&in, ctx, &options);
  bool ok = apply(&in, pipeline, path, text, len);
  h_interp_free(&in);
  free(text);
  return ok;
}

/* --- writing --- */

typedef struct writing {
  pm_buf *out;
  pm_context *ctx;
  pm_op *pipeline, *scheduled;
  const stage_graph *graph; /* of the scheduled pipeline */
  H_VEC(pm_string) vars;    /* loops that splits make */
  pm_arena *arena;
} writing;

/* A group of the schedule. */
typedef struct written_group {
  const pm_op *mark;
  H_VEC(const stage_node *)
  members; /* in the order of their reads; the root is the last that leaves the group */
  const stage_node *root;
  pm_attr tile, inner;
} written_group;

static const pm_op *find_func(const pm_op *pipeline, pm_string name) {
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_func) && pm_sym_at(op, stage_func_sym) == name) return op;
  return NULL;
}

static bool has_name(const poly_names *names, pm_string name) {
  for (size_t i = 0; i < names->len; i++)
    if (names->data[i] == name) return true;
  return false;
}

static void add_names(const writing *w, isl_union_set *instances, poly_names *names) {
  poly_names more = {0};
  poly_stage_names(w->ctx, instances, &more);
  for (size_t i = 0; i < more.len; i++) PM_VEC_PUSH(*names, more.data[i]);
  PM_VEC_FREE(more);
}

/* What is below: by filters, and brought by extensions. */
static void collect_names(const writing *w, const pm_op *mark, poly_names *all, poly_names *brought) {
  poly_ops filters = {0}, extensions = {0};
  poly_collect((pm_op *)mark, &poly_filter, &filters);
  poly_collect((pm_op *)mark, &poly_extension, &extensions);
  for (const pm_op *op = pm_parent(mark); op; op = pm_is(op, &poly_filter) ? NULL : pm_parent(op))
    if (pm_is(op, &poly_filter)) add_names(w, isl_peek_union_set(pm_attr_at(op, poly_filter_instances)), all);
  for (size_t i = 0; i < filters.len; i++)
    add_names(w, isl_peek_union_set(pm_attr_at(filters.data[i], poly_filter_instances)), all);
  for (size_t i = 0; i < extensions.len; i++) {
    isl_union_set *instances = poly_instances_of(extensions.data[i]);
    add_names(w, instances, all);
    add_names(w, instances, brought);
    isl_union_set_free(instances);
  }
  PM_VEC_FREE(filters);
  PM_VEC_FREE(extensions);
}

static written_group read_group(writing *w, const pm_op *mark) {
  written_group g = {
      .mark = mark, .tile = pm_attr_at(mark, poly_mark_tile), .inner = pm_attr_at(mark, poly_mark_inner)};
  poly_names all = {0}, brought = {0};
  collect_names(w, mark, &all, &brought);
  for (size_t i = 0; i < w->graph->nodes.len; i++) {
    const stage_node *node = w->graph->nodes.data[i];
    if (node->is_input || !has_name(&all, node->name) || !find_func(w->pipeline, node->name)) continue;
    H_PUSH(w->arena, g.members, node);
    if (!has_name(&brought, node->name)) g.root = node;
  }
  PM_VEC_FREE(all);
  PM_VEC_FREE(brought);
  return g;
}

/* `dim_o`: noted, to be declared. */
static pm_string loop_name(writing *w, const written_group *g, unsigned dim, const char *suffix) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s", dim_name(w->ctx, g->root->op, dim)->text, suffix);
  pm_string name = pm_get_string(w->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  if (!*suffix) return name;
  for (uint32_t i = 0; i < w->vars.len; i++)
    if (w->vars.data[i] == name) return name;
  H_PUSH(w->arena, w->vars, name);
  return name;
}

/* The scale of dimension `d` in the band of tiles: the coefficient in floor((scale * x + shift) / size). */
static isl_val *slope_in(isl_map *map, unsigned d, pm_attr tile) {
  isl_pw_multi_aff *pma = isl_pw_multi_aff_from_map(isl_map_copy(map));
  isl_val *scale = NULL;
  for (unsigned m = 0; pma && m < tile->len && !scale; m++) {
    isl_pw_aff *pa = isl_pw_multi_aff_get_pw_aff(pma, (int)m);
    isl_aff *aff = isl_pw_aff_n_piece(pa) == 1 ? isl_pw_aff_as_aff(isl_pw_aff_copy(pa)) : NULL;
    isl_pw_aff_free(pa);
    if (aff && isl_aff_dim(aff, isl_dim_div) == 1) {
      isl_aff *div = isl_aff_get_div(aff, 0);
      isl_aff_free(aff);
      aff = div;
    }
    /* isl divides where it can: floor((8x + 8) / 8) is x + 1 */
    if (aff) aff = isl_aff_scale_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), tile->items[m]->i));
    if (aff && isl_aff_involves_dims(aff, isl_dim_in, d, 1) == isl_bool_true)
      scale = isl_aff_get_coefficient_val(aff, isl_dim_in, (int)d);
    isl_aff_free(aff);
  }
  isl_pw_multi_aff_free(pma);
  return scale;
}

/* The scale of the root's dimension in the common space, the last but `k`; NULL: it is not found. */
static isl_val *scale_of_root(const written_group *g, unsigned k) {
  poly_ops bands = {0};
  isl_val *scale = NULL;
  unsigned d = g->root->n_dims - 1 - k;
  poly_collect((pm_op *)g->mark, &poly_band, &bands);
  for (size_t i = 0; i < bands.len && !scale; i++) {
    isl_map *map =
        pm_attr_at(bands.data[i], poly_band_tile) ? poly_band_map(bands.data[i], g->root->name) : NULL;
    scale = map ? slope_in(map, d, pm_attr_at(bands.data[i], poly_band_tile)) : NULL;
    isl_map_free(map);
  }
  PM_VEC_FREE(bands);
  return scale;
}

/* The size in points of the root; 0: it is no number of points. */
static int64_t points_at(const written_group *g, pm_attr sizes, size_t i) {
  int64_t size = sizes->items[i]->i;
  isl_val *scale = scale_of_root(g, (unsigned)(g->tile->len - 1 - i));
  if (!scale) return size;
  isl_val *points = isl_val_div(isl_val_int_from_si(isl_val_get_ctx(scale), size), isl_val_copy(scale));
  int64_t n = isl_val_is_int(points) == isl_bool_true ? isl_val_get_num_si(points) : 0;
  isl_val_free(points);
  isl_val_free(scale);
  return n;
}

/* Steps of one are such of the root, too. */
static int64_t step_at(const written_group *g, size_t i) {
  return g->inner->items[i]->i == 1 ? 1 : points_at(g, g->inner, i);
}

static bool has_words(const written_group *g) {
  bool all = g->tile && g->tile->len <= g->root->n_dims;
  for (size_t i = 0; all && i < g->tile->len; i++) all = points_at(g, g->tile, i) > 0;
  for (size_t i = 0; all && g->inner && i < g->inner->len; i++) all = step_at(g, i) > 0;
  return all;
}

/* Splits of the tiled dimensions, then those of the steps, and the loops in their order. */
static void put_splits(writing *w, const written_group *g, pm_buf *out) {
  size_t n = g->tile->len, m = g->inner ? g->inner->len : 0;
  pm_buf order = {0};
  for (size_t k = 0; k < n; k++) {
    unsigned d = (unsigned)(n - 1 - k);
    pm_buf_printf(out, ".split(%s, %s, %s, %lld)", loop_name(w, g, d, "")->text,
                  loop_name(w, g, d, "_o")->text, loop_name(w, g, d, "_i")->text,
                  (long long)points_at(g, g->tile, k));
    if (k < m && step_at(g, k) > 1)
      pm_buf_printf(out, ".split(%s, %s, %s, %lld)", loop_name(w, g, d, "_i")->text,
                    loop_name(w, g, d, "_s")->text, loop_name(w, g, d, "_r")->text, (long long)step_at(g, k));
  }
  for (size_t k = n; k > 0; k--) {
    unsigned d = (unsigned)(n - k);
    if (k > m) pm_buf_printf(&order, "%s, ", loop_name(w, g, d, "_i")->text);
    if (k <= m && step_at(g, k - 1) > 1) pm_buf_printf(&order, "%s, ", loop_name(w, g, d, "_r")->text);
  }
  for (unsigned d = (unsigned)n; d < g->root->n_dims; d++) /* inside: they are not tiled */
    pm_buf_printf(&order, "%s, ", loop_name(w, g, d, "")->text);
  for (size_t k = m; k > 0; k--)
    pm_buf_printf(&order, "%s, ",
                  loop_name(w, g, (unsigned)(n - k), step_at(g, k - 1) > 1 ? "_s" : "_i")->text);
  for (size_t k = n; k > 0; k--)
    pm_buf_printf(&order, "%s, ", loop_name(w, g, (unsigned)(n - k), "_o")->text);
  if (order.len > 2 && n + m > 1) pm_buf_printf(out, ".reorder(%.*s)", (int)order.len - 2, order.data);
  pm_buf_free(&order);
}

static void put_member(writing *w, const written_group *g, const stage_node *node, bool leaves, pm_buf *out) {
  size_t n = g->tile->len, m = g->inner ? g->inner->len : 0;
  pm_string store = loop_name(w, g, 0, "_o"), compute = store;
  if (m > 0) compute = loop_name(w, g, (unsigned)(n - m), step_at(g, m - 1) > 1 ? "_s" : "_i");
  const char *name = node->name->text, *root = g->root->name->text;
  if (leaves)
    pm_buf_printf(out, "%s.compute_with(%s, %s);\n", name, root, compute->text);
  else if (m > 0)
    pm_buf_printf(out, "%s.store_at(%s, %s).compute_at(%s, %s);\n", name, root, store->text, root,
                  compute->text);
  else
    pm_buf_printf(out, "%s.compute_at(%s, %s);\n", name, root, compute->text);
}

static void put_group(writing *w, const written_group *g, pm_buf *out) {
  poly_names all = {0}, brought = {0};
  if (!g->root || (!g->tile && g->members.len == 1)) return; /* a part of another, or one that stays alone */
  if (!has_words(g)) {
    pm_buf_printf(out, "// no words: the group of %s\n", g->root->name->text);
    return;
  }
  pm_buf_printf(out, "%s", g->root->name->text);
  if (!g->root->is_output || g->tile->len == 0) pm_buf_puts(out, ".compute_root()");
  if (g->tile->len > 0) put_splits(w, g, out);
  pm_buf_puts(out, ";\n");
  collect_names(w, g->mark, &all, &brought);
  for (uint32_t i = 0; i < g->members.len && g->tile->len > 0; i++)
    if (g->members.data[i] != g->root)
      put_member(w, g, g->members.data[i], !has_name(&brought, g->members.data[i]->name), out);
  PM_VEC_FREE(all);
  PM_VEC_FREE(brought);
}

static void put_inlined(const writing *w, pm_buf *out) {
  PM_FOR_OPS(op, pm_region_at(w->pipeline, stage_pipeline_body)) {
    if (!pm_is(op, &stage_func)) continue;
    pm_string name = pm_sym_at(op, stage_func_sym);
    if (!find_func(w->scheduled, name)) pm_buf_printf(out, "%s.compute_inline();\n", name->text);
  }
}

static void put_all(writing *w) {
  poly_ops marks = {0};
  pm_buf text = {0};
  poly_collect(poly_find_schedule(w->scheduled), &poly_mark, &marks);
  put_inlined(w, &text);
  for (size_t i = 0; i < marks.len; i++) {
    if (!poly_is_mark(marks.data[i], POLY_MARK_group)) continue;
    written_group g = read_group(w, marks.data[i]);
    put_group(w, &g, &text);
  }
  pm_buf_printf(w->out, "// schedule of %s\n%s%016" PRIx64 "\n",
                pm_sym_at(w->pipeline, stage_pipeline_sym)->text, algorithm, halide_hash_of(w->pipeline));
  for (uint32_t i = 0; i < w->vars.len; i++)
    pm_buf_printf(w->out, "%s%s(\"%s\")%s", i ? "" : "Var ", w->vars.data[i]->text, w->vars.data[i]->text,
                  i + 1 < w->vars.len ? ", " : ";\n");
  if (text.len) pm_buf_put(w->out, text.data, text.len);
  pm_buf_free(&text);
  PM_VEC_FREE(marks);
}

bool halide_put_schedule(pm_buf *out, pm_op *pipeline, pm_op *scheduled) {
  stage_graph *graph = stage_graph_new(scheduled);
  if (!graph || !poly_find_schedule(scheduled)) {
    stage_graph_free(graph);
    return pm_op_error(scheduled, "has no schedule, the passes up to verify-schedule make one");
  }
  writing w = {out, pm_module_context(pipeline->module), pipeline, scheduled, graph, {0}, pm_arena_new()};
  put_all(&w);
  pm_arena_free(w.arena);
  stage_graph_free(graph);
  return true;
}
