/* Schedules in files: read by the evaluator of programs, with a Func for each stage. */
#include "frontends/halide/schedule_file.h"

#include "dialects/isl/isl_dialect.h"
#include "dialects/poly/poly.h"
#include "dialects/poly/tiling/footprint.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/halide/evaluate/evaluate.h"
#include "frontends/halide/lower/lower.h"
#include "frontends/halide/lower/placing.h"
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

static void declare_stage(cx_interp *in, const pm_op *pipeline, pm_op *func) {
  h_program *p = h_program_of(in);
  pm_string name = pm_sym_at(func, stage_func_sym);
  h_symbol *s = h_new_symbol(p, H_FUNC, func->loc, name->text);
  s->is_defined = s->needed = true;
  s->is_output = is_output(pipeline, name);
  s->n_dims = rank_of(func);
  for (unsigned d = 0; d < s->n_dims && d < HX_MAX_DIMS; d++)
    s->pure.args[d] = hx_var(p, func->loc, h_get_var(p, dim_name(in->ctx, func, d)));
  cx_declare(in, in->globals, name, hv_symbol(s));
}

/* What reads it can read a copy: `input.in(f)`. */
static void declare_input(cx_interp *in, const pm_op *input) {
  pm_string name = stage_name_of(input);
  h_symbol *s = h_new_symbol(h_program_of(in), H_BUFFER, input->loc, name->text);
  s->needed = true;
  s->n_dims = rank_of(input);
  cx_declare(in, in->globals, name, hv_symbol(s));
}

/* Names of dimensions that are not those of stages. */
static void declare_vars(cx_interp *in) {
  for (uint32_t i = 0; i < h_program_of(in)->funcs.len; i++) {
    const h_symbol *s = h_program_of(in)->funcs.data[i];
    for (unsigned d = 0; d < s->n_dims; d++) {
      const h_var *var = s->pure.args[d]->var;
      if (!cx_find(in, in->globals, var->name)) cx_declare(in, in->globals, var->name, hv_var(var));
    }
  }
}

/* What was said before: demands, or a tree of a schedule. */
static void drop_schedule(pm_op *pipeline) {
  pm_op *next = NULL;
  for (pm_op *op = pm_region_at(pipeline, stage_pipeline_body)->first; op; op = next) {
    next = op->next;
    if (pm_is(op, &poly_demand) || pm_is(op, &poly_schedule)) pm_op_erase(op);
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

static bool apply(cx_interp *in, pm_op *pipeline, const char *path, const char *text, size_t len) {
  unsigned errors = pm_error_count(in->ctx);
  h_program_of(in)->is_schedule = true;
  uint16_t file = pm_add_source(in->ctx, path, text, len);
  cx_node *block = cx_parse(in->ctx, in->arena, &(cx_file){.number = file, .path = "", .text = {text, len}},
                            halide_library.namespaces, NULL);
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_func))
    declare_stage(in, pipeline, op);
  else if (stage_is_array(op))
    declare_input(in, op);
  declare_vars(in);
  check_hash(in->ctx, pipeline, text, (pm_loc){1, 1, file});
  drop_schedule(pipeline);
  if (block) cx_run_items(in, block);
  return block && pm_error_count(in->ctx) == errors && h_lower_schedules(h_program_of(in), pipeline);
}

bool halide_apply_schedule(pm_op *pipeline, const char *path, bool has_groups) {
  pm_context *ctx = pm_module_context(pm_module_of(pipeline));
  size_t len = 0;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!text) return pm_error(ctx, PM_NO_LOC, "the schedule '%s' cannot be read: %s", path, strerror(errno));
  halide_options options = {.has_groups = has_groups};
  cx_interp in;
  h_state state;
  h_begin(&in, &state, ctx, &options, path);
  bool ok = apply(&in, pipeline, path, text, len);
  h_end(&in);
  free(text);
  return ok;
}

/* --- writing --- */

typedef struct writing {
  pm_buf *out;
  pm_context *ctx;
  pm_op *pipeline, *scheduled;
  const stage_graph *before, *graph; /* of the pipeline, and of the scheduled one */
  CX_VEC(pm_string) vars;            /* loops that splits make */
  pm_arena *arena;
} writing;

/* What is said of a dimension of the root: points of a tile and of a step, 0: nothing. */
typedef struct written_dim {
  int64_t tile, step;
} written_dim;

/* A group of the schedule, as the pass `group` leaves it. */
typedef struct written_group {
  const pm_op *mark;
  CX_VEC(const stage_node *)
  members;                       /* in the order of their reads */
  const stage_node *root;        /* the last that leaves the group and that sizes can be said of */
  written_dim dims[HX_MAX_DIMS]; /* of the root, the last first; n_tiled of them have tiles */
  unsigned n_tiled, n_stepped;
  int64_t items[HX_MAX_DIMS]; /* along the dimensions, 0: not said */
  bool has_words, has_blocks;
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

static void read_members(writing *w, written_group *g) {
  poly_ops filters = {0};
  poly_names all = {0};
  poly_collect((pm_op *)g->mark, &poly_filter, &filters);
  for (size_t i = 0; i < filters.len; i++) {
    poly_names more = {0};
    poly_stage_names(w->ctx, isl_peek_union_set(pm_attr_at(filters.data[i], poly_filter_instances)), &more);
    for (size_t k = 0; k < more.len; k++) PM_VEC_PUSH(all, more.data[k]);
    PM_VEC_FREE(more);
  }
  for (size_t i = 0; i < w->graph->nodes.len; i++) {
    const stage_node *node = w->graph->nodes.data[i];
    if (!node->is_input && has_name(&all, node->name) && find_func(w->pipeline, node->name))
      CX_PUSH(w->arena, g->members, node);
  }
  PM_VEC_FREE(filters);
  PM_VEC_FREE(all);
}

static bool is_member(const written_group *g, pm_string name) {
  for (uint32_t i = 0; i < g->members.len; i++)
    if (g->members.data[i]->name == name) return true;
  return false;
}

/* Its values are needed outside of the group, or nowhere in it. */
static bool leaves(const written_group *g, const stage_node *node) {
  bool inside = false;
  for (size_t i = 0; i < node->readers.len; i++) {
    if (!is_member(g, node->readers.data[i]->consumer->name)) return true;
    inside = true;
  }
  return node->is_output || !inside;
}

/* Stage[…] -> common space; NULL: it has no band of its own. */
static isl_map *schedule_of(const written_group *g, const stage_node *node) {
  poly_ops bands = {0};
  isl_map *map = NULL;
  poly_collect((pm_op *)g->mark, &poly_band, &bands);
  for (size_t i = 0; i < bands.len && !map; i++) map = poly_band_map(bands.data[i], node->name);
  PM_VEC_FREE(bands);
  return map;
}

/* The dimension of the stage that the common dimension `at` is, times what; -1: none, or no number of times.
 */
static int dim_at(isl_map *schedule, unsigned at, int64_t *scale) {
  isl_pw_multi_aff *all = isl_pw_multi_aff_from_map(isl_map_copy(schedule));
  isl_pw_aff *one = isl_pw_multi_aff_get_pw_aff(all, (int)at);
  isl_aff *aff = isl_pw_aff_n_piece(one) == 1 ? isl_pw_aff_as_aff(isl_pw_aff_copy(one)) : NULL;
  int found = -1, n = aff && isl_aff_dim(aff, isl_dim_div) == 0 ? (int)isl_aff_dim(aff, isl_dim_in) : 0;
  for (int d = 0; d < n; d++) {
    isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_in, d);
    if (isl_val_is_pos(v) == isl_bool_true && isl_val_is_int(v) == isl_bool_true) {
      *scale = isl_val_get_num_si(v);
      found = d;
    }
    isl_val_free(v);
  }
  isl_aff_free(aff);
  isl_pw_aff_free(one);
  isl_pw_multi_aff_free(all);
  return found;
}

/* As align-scale reads it: what would be too large is not scaled. 0: it is no number of points. */
static int64_t points_of(int64_t size, int64_t scale) {
  if (size % scale == 0) return size / scale;
  return size > INT32_MAX / scale ? size : 0;
}

static bool any_has(const written_group *g, unsigned at) {
  bool any = false;
  for (uint32_t i = 0; i < g->members.len && !any; i++) {
    int64_t scale;
    isl_map *schedule = schedule_of(g, g->members.data[i]);
    any = !schedule || dim_at(schedule, at, &scale) >= 0;
    isl_map_free(schedule);
  }
  return any;
}

/* The sizes of the mark in points of the stage; false: they have no words. */
static bool read_sizes(written_group *g, const stage_node *node) {
  pm_attr tile = pm_attr_at(g->mark, poly_mark_tile), inner = pm_attr_at(g->mark, poly_mark_inner);
  isl_map *schedule = schedule_of(g, node);
  unsigned n = schedule ? (unsigned)isl_map_dim(schedule, isl_dim_out) : 0;
  bool ok = schedule && tile && tile->len <= n && node->n_dims <= HX_MAX_DIMS;
  g->n_tiled = g->n_stepped = 0;
  memset(g->dims, 0, sizeof(g->dims));
  for (unsigned i = 0; ok && i < tile->len; i++) {
    int64_t scale = 1, size = tile->items[i]->i, step = inner && i < inner->len ? inner->items[i]->i : size;
    unsigned at = n - (unsigned)tile->len + i;
    int d = dim_at(schedule, at, &scale);
    if ((d < 0 && size == 1 && !any_has(g, at)) || size == POLY_UNTILED) continue;
    if (!(ok = d >= 0 && size > 0)) continue;
    written_dim *of = &g->dims[node->n_dims - 1 - (unsigned)d];
    *of = (written_dim){points_of(size, scale), step < size ? (step == 1 ? 1 : points_of(step, scale)) : 0};
    ok = of->tile > 0 && (step >= size || of->step > 0);
    g->n_tiled++;
    g->n_stepped += of->step > 0;
  }
  isl_map_free(schedule);
  return ok;
}

/* The items along each dimension; false: they have no words, or are no part of a tile. */
static bool read_items(written_group *g) {
  pm_attr items = pm_attr_at(g->mark, poly_mark_items);
  bool ok = true;
  memset(g->items, 0, sizeof(g->items));
  g->has_blocks = poly_has_worker(g->mark, "group");
  for (unsigned i = 0; ok && items && i < items->len; i++) {
    const written_dim *of = &g->dims[items->len - 1 - i];
    int64_t size = of->step ? of->step : of->tile, n = items->items[i]->i;
    ok = n == 1 || (items->len - 1 - i < g->root->n_dims && n <= size);
    g->items[items->len - 1 - i] = n > 1 ? n : 0;
  }
  return ok;
}

static written_group read_group(writing *w, const pm_op *mark) {
  written_group g = {.mark = mark};
  read_members(w, &g);
  for (uint32_t i = g.members.len; i > 0 && !g.has_words; i--) {
    const stage_node *node = g.members.data[i - 1];
    if (!leaves(&g, node)) continue;
    const stage_node *before = g.root;
    g.root = node;
    g.has_words = read_sizes(&g, node) && read_items(&g);
    if (!g.has_words && before) g.root = before;
  }
  return g;
}

/* `dim_o`: noted, to be declared. */
static const char *loop_name(writing *w, const written_group *g, unsigned dim, const char *suffix) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s", dim_name(w->ctx, g->root->op, dim)->text, suffix);
  pm_string name = pm_get_string(w->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  if (!*suffix) return name->text;
  for (uint32_t i = 0; i < w->vars.len; i++)
    if (w->vars.data[i] == name) return name->text;
  CX_PUSH(w->arena, w->vars, name);
  return name->text;
}

/* The loop over steps; a step of one point is an iteration inside of the tile. */
static const char *step_name(writing *w, const written_group *g, unsigned d) {
  return loop_name(w, g, d, g->dims[d].step > 1 ? "_s" : "_i");
}

/* The points of a tile, or of a step, one after the other. */
static const char *points_name(writing *w, const written_group *g, unsigned d) {
  return loop_name(w, g, d, g->dims[d].step > 1 ? "_r" : "_i");
}

/* Items take turns: a loop of them is inside of that of their turns. */
static bool has_turns(const written_group *g, unsigned d) {
  const written_dim *of = &g->dims[d];
  return g->items[d] > 0 && g->items[d] < (of->step ? of->step : of->tile);
}

static const char *thread_name(writing *w, const written_group *g, unsigned d) {
  return has_turns(g, d) ? loop_name(w, g, d, "_t") : points_name(w, g, d);
}

static void put_split(writing *w, const written_group *g, unsigned d, pm_buf *out) {
  const written_dim *of = &g->dims[d];
  if (of->tile == 0) return;
  pm_buf_printf(out, ".split(%s, %s, %s, %lld)", loop_name(w, g, d, ""), loop_name(w, g, d, "_o"),
                loop_name(w, g, d, "_i"), (long long)of->tile);
  if (of->step > 1)
    pm_buf_printf(out, ".split(%s, %s, %s, %lld)", loop_name(w, g, d, "_i"), loop_name(w, g, d, "_s"),
                  loop_name(w, g, d, "_r"), (long long)of->step);
  if (has_turns(g, d))
    pm_buf_printf(out, ".split(%s, %s, %s, %lld)", points_name(w, g, d), loop_name(w, g, d, "_k"),
                  thread_name(w, g, d), (long long)g->items[d]);
}

/* The loops from the inside: of a step, of dimensions without tiles, of steps, of tiles. */
static void put_order(writing *w, const written_group *g, pm_buf *out) {
  unsigned n = g->root->n_dims;
  pm_buf order = {0};
  for (unsigned d = 0; d < n; d++)
    if (g->dims[d].tile > 0 && g->dims[d].step != 1) pm_buf_printf(&order, ", %s", thread_name(w, g, d));
  for (unsigned d = 0; d < n; d++)
    if (has_turns(g, d)) pm_buf_printf(&order, ", %s", loop_name(w, g, d, "_k"));
  for (unsigned d = 0; d < n; d++)
    if (g->dims[d].tile == 0) pm_buf_printf(&order, ", %s", loop_name(w, g, d, ""));
  for (unsigned d = 0; d < n; d++)
    if (g->dims[d].step > 0) pm_buf_printf(&order, ", %s", step_name(w, g, d));
  for (unsigned d = 0; d < n; d++)
    if (g->dims[d].tile > 0) pm_buf_printf(&order, ", %s", loop_name(w, g, d, "_o"));
  if (n > 1 || g->n_stepped > 0) pm_buf_printf(out, ".reorder(%s)", order.data + 2);
  pm_buf_free(&order);
}

/* Loops of blocks are those over tiles. */
static void put_blocks(writing *w, const written_group *g, pm_buf *out) {
  unsigned n = 0, threads = 0;
  for (unsigned d = 0; d < g->root->n_dims; d++)
    if (g->dims[d].tile > 0)
      pm_buf_printf(out, "%s%s",
                    n++ % 3 ? ", "
                    : n > 1 ? ").gpu_blocks("
                            : ".gpu_blocks(",
                    loop_name(w, g, d, "_o"));
  pm_buf_puts(out, ")");
  for (unsigned d = 0; d < g->root->n_dims; d++)
    if (g->items[d]) pm_buf_printf(out, "%s%s", threads++ ? ", " : ".gpu_threads(", thread_name(w, g, d));
  if (threads) pm_buf_puts(out, ")");
}

/* The innermost loop over tiles, and over steps, if there are any. */
static void put_member(writing *w, const written_group *g, const stage_node *node, pm_buf *out) {
  unsigned store = 0, step = 0;
  while (g->dims[store].tile == 0) store++;
  while (g->n_stepped > 0 && g->dims[step].step == 0) step++;
  const char *outer = loop_name(w, g, store, "_o"), *name = node->name->text, *root = g->root->name->text,
             *compute = g->n_stepped > 0 ? step_name(w, g, step) : outer;
  if (leaves(g, node))
    pm_buf_printf(out, "%s.compute_with(%s, %s);\n", name, root, compute);
  else if (g->n_stepped > 0)
    pm_buf_printf(out, "%s.store_at(%s, %s).compute_at(%s, %s);\n", name, root, outer, root, compute);
  else
    pm_buf_printf(out, "%s.compute_at(%s, %s);\n", name, root, compute);
}

static bool is_gone(const writing *w, const stage_node *before) {
  return !before->is_input && !find_func(w->scheduled, before->name);
}

/* A member that stages of other groups read in the program, themselves or behind stages that were inlined,
 * but not any more. */
static void put_again(const writing *w, const written_group *g, const stage_node *node, pm_buf *out) {
  const stage_graph *before = w->before;
  const stage_node *own = stage_graph_find(before, node->name);
  bool *reads = pm_arena_alloc(w->arena, before->nodes.len * sizeof *reads);
  pm_buf readers = {0};
  unsigned n = 0;
  for (size_t i = own->index; i < before->nodes.len; i++) {
    const stage_node *reader = before->nodes.data[i];
    for (size_t k = 0; k < reader->reads.len; k++) {
      const stage_node *read = reader->reads.data[k]->producer;
      bool passes = read == own || (reads[read->index] && is_gone(w, read));
      reads[i] = reads[i] || (passes && reader->reads.data[k]->update_index < 0);
    }
    if (!reads[i] || is_gone(w, reader) || is_member(g, reader->name)) continue;
    pm_buf_printf(&readers, "%s%s", n++ ? ", " : "", reader->name->text);
  }
  if (n > 0)
    pm_buf_printf(out,
                  n > 1 ? "%s.clone_in({%s}).compute_inline();\n" : "%s.clone_in(%s).compute_inline();\n",
                  node->name->text, readers.data);
  pm_buf_free(&readers);
}

static void put_group(writing *w, const written_group *g, pm_buf *out) {
  if (!g->root || (!pm_attr_at(g->mark, poly_mark_tile) && g->members.len == 1)) return;
  if (!g->has_words) {
    pm_buf_printf(out, "// no words: the group of %s\n", g->root->name->text);
    return;
  }
  pm_buf_printf(out, "%s", g->root->name->text);
  if (!g->root->is_output || g->n_tiled == 0 || g->members.len == 1) pm_buf_puts(out, ".compute_root()");
  for (unsigned d = 0; d < g->root->n_dims; d++) put_split(w, g, d, out);
  if (g->n_tiled > 0) put_order(w, g, out);
  if (g->n_tiled > 0 && g->has_blocks) put_blocks(w, g, out);
  pm_buf_puts(out, ";\n");
  for (uint32_t i = 0; i < g->members.len && g->n_tiled > 0; i++) {
    const stage_node *node = g->members.data[i];
    if (node == g->root) continue;
    put_member(w, g, node, out);
    if (!leaves(g, node)) put_again(w, g, node, out);
  }
}

static bool has_updates(const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, stage_func_cases))
  if (pm_is(op, &stage_update)) return true;
  return false;
}

/* Stages that are not there any more: join-reductions has made one of some that have updates, which are never
 * inlined. */
static void put_gone(const writing *w, pm_buf *out) {
  PM_FOR_OPS(op, pm_region_at(w->pipeline, stage_pipeline_body)) {
    pm_string name = pm_is(op, &stage_func) ? pm_sym_at(op, stage_func_sym) : NULL;
    if (!name || find_func(w->scheduled, name)) continue;
    if (has_updates(op))
      pm_buf_printf(out, "// no words: the stage %s, which is computed together with others\n", name->text);
    else
      pm_buf_printf(out, "%s.compute_inline();\n", name->text);
  }
}

/* Stages that a pass has made of what others compute. */
static void put_made(const writing *w, pm_buf *out) {
  PM_FOR_OPS(op, pm_region_at(w->scheduled, stage_pipeline_body)) {
    pm_string name = pm_is(op, &stage_func) ? pm_sym_at(op, stage_func_sym) : NULL;
    const pm_op *first = name ? pm_region_at(op, stage_func_cases)->first : NULL;
    if (first && pm_is(first, &stage_case) && !find_func(w->pipeline, name))
      pm_buf_printf(out, "// no words: the stage %s, which the program does not have\n", name->text);
  }
}

static void put_all(writing *w) {
  poly_ops marks = {0};
  pm_buf text = {0};
  poly_collect(poly_find_schedule(w->scheduled), &poly_mark, &marks);
  put_gone(w, &text);
  put_made(w, &text);
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
  if (!poly_find_schedule(scheduled))
    return pm_op_error(scheduled, "has no schedule, the passes up to group make one");
  stage_graph *before = stage_graph_new(pipeline), *graph = before ? stage_graph_new(scheduled) : NULL;
  writing w = {.out = out,
               .ctx = pm_module_context(pm_module_of(pipeline)),
               .pipeline = pipeline,
               .scheduled = scheduled,
               .before = before,
               .graph = graph,
               .arena = pm_arena_new()};
  if (graph) put_all(&w);
  pm_arena_free(w.arena);
  stage_graph_free(graph);
  stage_graph_free(before);
  return graph != NULL;
}
