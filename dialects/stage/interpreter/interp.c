/* The reference interpreter: checks the call, then computes stage after stage in topological order. */
#include "dialects/stage/interpreter/interp.h"

#include "dialects/stage/interpreter/body.h"
#include "dialects/isl/take.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/stage.h"

#include <isl/ilp.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = UINT16_MAX - 1 };

typedef struct interp {
  pm_op *pipeline;
  pm_context *ctx;
  const pm_call *call;
  stage_watch_fn see;
  void *user;
  stage_graph *graph;
  stage_signature sig;
  int64_t *params;       /* in the order of sig.params */
  pm_map *param_lanes;   /* value of a stage.param -> const pm_lane */
  int64_t *numbers;      /* by param of the graph */
  pm_lane *derived;      /* the same of derived ones */
  pm_map *memory;        /* name -> stage_memory */
  stage_memory *cells;   /* one per node */
  unsigned *last_reader; /* index of the last node that reads a node, or its own */
} interp;

/* --- the call --- */

static bool check_count(const interp *in, const char *what, size_t given, size_t wanted) {
  if (given == wanted) return true;
  return pm_op_error(in->pipeline, "@%pS is called with %zu %s; it has %zu", (const void *)in->sig.name,
                     given, what, wanted);
}

static bool check_counts(const interp *in) {
  return check_count(in, "params", in->call->n_params, in->sig.params.len) &&
         check_count(in, "inputs", in->call->n_inputs, in->sig.inputs.len) &&
         check_count(in, "outputs", in->call->n_outputs, in->sig.outputs.len);
}

static void take_params(interp *in) {
  in->params = pm_xcalloc(in->sig.params.len + 1, sizeof *in->params);
  for (size_t i = 0; i < in->sig.params.len; i++) {
    const stage_arg *param = &in->sig.params.data[i];
    const pm_lane *lane = &in->call->params[i];
    if (pm_is_int_or_index(param->type)) in->params[i] = lane->i;
    pm_map_set(in->param_lanes, pm_res(param->op, 0), (void *)(uintptr_t)lane);
  }
}

/* The set (taken) for the call's params: without params and without a name. */
static isl_set *at_params(const interp *in, isl_set *set) {
  for (size_t i = 0; i < in->graph->params.len; i++) {
    const pm_op *param = in->graph->params.data[i];
    int at = isl_set_find_dim_by_name(set, isl_dim_param, pm_sym_at(param, stage_param_sym)->text);
    bool is_wide = pm_res(param, 0)->type->scalar == PM_U64;
    isl_val *value = is_wide ? isl_val_int_from_ui(in->graph->isl, (unsigned long)in->numbers[i])
                             : isl_val_int_from_si(in->graph->isl, (long)in->numbers[i]);
    if (at >= 0)
      set = isl_set_fix_val(set, isl_dim_param, (unsigned)at, value);
    else
      isl_val_free(value);
  }
  set = isl_set_project_out(set, isl_dim_param, 0, (unsigned)isl_set_dim(set, isl_dim_param));
  return isl_set_is_params(set) == isl_bool_true ? set : isl_set_reset_tuple_id(set);
}

static void print_params(const interp *in, pm_buf *out) {
  for (size_t i = 0; i < in->sig.params.len; i++)
    if (pm_is_int_or_index(in->sig.params.data[i].type))
      pm_buf_printf(out, "%s%s = %lld", out->len ? ", " : "", in->sig.params.data[i].name->text,
                    (long long)in->params[i]);
}

/* False after a diagnostic. */
static bool derive_params(interp *in) {
  size_t n = in->graph->params.len, passed = 0;
  in->numbers = pm_xcalloc(n + 1, sizeof *in->numbers);
  in->derived = pm_xcalloc(n + 1, sizeof *in->derived);
  for (size_t i = 0; i < n; i++) {
    pm_op *param = in->graph->params.data[i];
    int64_t *number = &in->numbers[i];
    if (!pm_attr_at(param, stage_param_derived)) {
      *number = in->params[passed++];
      continue;
    }
    if (!stage_derive(param, in->numbers, number) || *number != (int32_t)*number)
      return pm_op_error(param, "is no integer of 32 bits for these params");
    in->derived[i].i = *number;
    pm_map_set(in->param_lanes, pm_res(param, 0), &in->derived[i]);
  }
  return true;
}

static bool check_context(const interp *in) {
  isl_set *set = at_params(in, isl_set_copy(in->graph->context));
  bool holds = isl_set_is_empty(set) == isl_bool_false;
  isl_set_free(set);
  if (holds) return true;
  pm_buf values = {0};
  print_params(in, &values);
  pm_op_error(in->pipeline, "@%pS is called with %s; its context is %pA", (const void *)in->sig.name,
              values.data, (const void *)pm_attr_at(in->pipeline, stage_pipeline_context));
  pm_buf_free(&values);
  return false;
}

static void print_shape(pm_buf *out, pm_scalar scalar, unsigned rank, const int64_t *extents) {
  for (unsigned d = 0; d < rank; d++) pm_buf_printf(out, "%lldx", (long long)extents[d]);
  pm_buf_puts(out, pm_get_scalar_info(scalar)->name);
}

static bool same_shape(const pm_array *a, const pm_array *b) {
  if (a->scalar != b->scalar || a->rank != b->rank) return false;
  return a->rank == 0 || memcmp(a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}

/* An array of the call against the one that the pipeline asks for. */
static bool check_array(const stage_arg *arg, const pm_array *given, const pm_array *wanted,
                        const char *verb) {
  if (same_shape(given, wanted)) {
    if (given->data || pm_array_count(given) == 0) return true;
    return pm_op_error(arg->op, "is %s without memory", verb);
  }
  pm_buf has = {0}, should = {0};
  print_shape(&has, given->scalar, given->rank < PM_MAX_RANK ? given->rank : PM_MAX_RANK, given->extents);
  print_shape(&should, wanted->scalar, wanted->rank, wanted->extents);
  pm_op_error(arg->op, "@%pS is %s as %s; it should be %s", (const void *)arg->name, verb, has.data,
              should.data);
  pm_buf_free(&has);
  pm_buf_free(&should);
  return false;
}

/* --- memory --- */

static stage_memory *memory_of(const interp *in, const stage_node *node) {
  return &in->cells[node->index];
}

/* The shape of a node's array for the call's params. */
static bool find_shape(const interp *in, const stage_node *node) {
  stage_memory *m = memory_of(in, node);
  if (node->n_dims > PM_MAX_RANK)
    return pm_op_error(node->op, "has %u dimensions; there should be at most %d", node->n_dims, PM_MAX_RANK);
  pm_array shape = {.rank = node->n_dims};
  if (!stage_box_at(in->pipeline, node->op, in->params, m->extents, m->lower)) return false;
  for (unsigned d = 0; d < node->n_dims; d++) shape.extents[d] = m->extents[stage_dim_of(node->order, d)];
  m->stage = node->op;
  m->n_arrays = pm_tuple_len(node->type);
  m->arrays = pm_xcalloc(m->n_arrays, sizeof *m->arrays);
  for (unsigned i = 0; i < m->n_arrays; i++) {
    m->arrays[i] = shape;
    m->arrays[i].scalar = (pm_scalar)pm_tuple_at(node->type, i)->scalar;
  }
  int64_t stride = 1;
  for (unsigned d = node->n_dims; d-- > 0;) {
    m->strides[stage_dim_of(node->order, d)] = stride;
    stride = (int64_t)((uint64_t)stride * (uint64_t)shape.extents[d]);
  }
  int64_t count = pm_array_count(&shape);
  if (count >= 0 && count <= INT64_MAX / 16) return true;
  return pm_op_error(node->op, "has more elements than 62 bits can count");
}

static bool find_shapes(const interp *in) {
  for (size_t i = 0; i < in->graph->nodes.len; i++)
    if (!find_shape(in, in->graph->nodes.data[i])) return false;
  return true;
}

static pm_array *array_of(const interp *in, const stage_arg *arg) {
  return &memory_of(in, stage_graph_find(in->graph, stage_name_of(arg->op)))->arrays[arg->element];
}

/* Gives the arrays of the call to their nodes. */
static bool bind(const interp *in, const stage_arg *args, const pm_array *arrays, size_t n,
                 const char *verb) {
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    pm_array *array = array_of(in, &args[i]);
    if (check_array(&args[i], &arrays[i], array, verb))
      array->data = arrays[i].data;
    else
      ok = false;
  }
  return ok;
}

static bool error_memory(const stage_node *node, int64_t bytes) {
  return pm_op_error(node->op, "needs %lld bytes, which there are not", (long long)bytes);
}

static isl_set *box_of(const stage_memory *m, isl_space *space) {
  isl_set *box = isl_set_universe(space);
  for (unsigned d = 0; d < m->arrays->rank; d++) {
    isl_ctx *isl = isl_set_get_ctx(box);
    isl_val *first = isl_val_int_from_si(isl, (long)m->lower[d]);
    isl_val *last = isl_val_int_from_si(isl, (long)(m->lower[d] + m->extents[d] - 1));
    box = isl_set_lower_bound_val(box, isl_dim_set, d, first);
    box = isl_set_upper_bound_val(box, isl_dim_set, d, last);
  }
  return box;
}

/* Cells of a stage's box that are marked with 1. */
typedef struct cell_marks {
  const stage_memory *memory;
  uint8_t *cells;
} cell_marks;

static bool mark_cells(void *user, const stage_points *points) {
  const cell_marks *marks = user;
  for (size_t k = 0; k < points->n; k++) marks->cells[stage_cell_of(marks->memory, points, k)] = 1;
  return true;
}

static bool error_points(const pm_op *op) {
  return pm_op_error(op, "has a set whose points cannot be counted in 64 bits");
}

/* For a domain that is not a box: notes which cells of the box belong to it. */
static bool mark_domain(const interp *in, const stage_node *node) {
  stage_memory *m = memory_of(in, node);
  int64_t count = pm_array_count(m->arrays);
  isl_set *domain = at_params(in, isl_set_copy(node->domain));
  isl_set *box = box_of(m, isl_set_get_space(domain));
  bool whole = count == 0 || isl_set_is_subset(box, domain) == isl_bool_true;
  isl_set_free(box);
  if (whole) {
    isl_set_free(domain);
    return true;
  }
  m->inside = calloc((size_t)count, 1);
  bool ok = m->inside || error_memory(node, count);
  cell_marks marks = {m, m->inside};
  if (ok && stage_each_point(&domain, 1, mark_cells, &marks) != STAGE_POINTS_DONE)
    ok = error_points(node->op);
  isl_set_free(domain);
  return ok;
}

static bool allocate(const interp *in, const stage_node *node) {
  stage_memory *m = memory_of(in, node);
  m->owned = pm_is(node->op, &stage_constant) || (!node->is_input && !node->is_output);
  for (unsigned i = 0; i < m->n_arrays && m->owned; i++) {
    int64_t bytes = pm_array_count(&m->arrays[i]) * (int64_t)pm_scalar_bytes(m->arrays[i].scalar);
    m->arrays[i].data = calloc((size_t)bytes + 1, 1);
    if (!m->arrays[i].data) return error_memory(node, bytes);
  }
  return mark_domain(in, node);
}

static void release(stage_memory *m) {
  for (unsigned i = 0; i < m->n_arrays; i++) {
    if (m->owned) free(m->arrays[i].data);
    m->arrays[i].data = NULL;
  }
  free(m->inside);
  m->inside = NULL;
  m->owned = false;
}

/* --- stages --- */

static void fill_with(const pm_array *array, pm_attr value) {
  size_t count = (size_t)pm_array_count(array), bytes = pm_scalar_bytes(array->scalar);
  pm_lane lane = pm_lane_of_attr(value), lanes[STAGE_CHUNK];
  for (size_t k = 0; k < STAGE_CHUNK; k++) lanes[k] = lane;
  for (size_t k = 0; k < count; k += STAGE_CHUNK) {
    size_t n = count - k < STAGE_CHUNK ? count - k : STAGE_CHUNK;
    arith_store_lanes(array->scalar, lanes, (char *)array->data + k * bytes, 1, n);
  }
}

/* What the interpreter allocates is 0 already. */
static void fill_default(const interp *in, const stage_node *node) {
  const stage_memory *m = memory_of(in, node);
  if (m->owned && !pm_attr_at(node->op, stage_func_default)) return;
  for (unsigned i = 0; i < m->n_arrays; i++) fill_with(&m->arrays[i], stage_default_at(node->op, i));
}

/* One stage while it is computed. */
typedef struct stage_run {
  const interp *in;
  const stage_node *node;
  isl_set **sets; /* of the cases, at the params */
  pm_op **cases;
  uint8_t *covered; /* see stage_body_env */
  uint16_t *writer;
} stage_run;

static bool cases_may_overlap(const stage_run *run) {
  for (size_t i = 0; i < run->node->cases.len; i++)
    for (size_t j = 0; j < i; j++)
      if (isl_set_is_disjoint(run->sets[i], run->sets[j]) != isl_bool_true) return true;
  return false;
}

/* Cells are marked by their writer only when two cases share points. */
static bool prepare_overlap_check(stage_run *run) {
  if (!cases_may_overlap(run)) return true;
  if (run->node->cases.len > MAX_CASES)
    return pm_op_error(run->node->op, "has %zu cases that may overlap; there should be at most %d",
                       run->node->cases.len, MAX_CASES);
  int64_t count = pm_array_count(memory_of(run->in, run->node)->arrays);
  run->writer = calloc((size_t)count + 1, sizeof *run->writer);
  return run->writer || error_memory(run->node, count * (int64_t)sizeof *run->writer);
}

static bool is_recurrence(const stage_node *node) {
  for (size_t i = 0; i < node->self_reads.len; i++)
    if (node->self_reads.data[i]->case_index >= 0) return true;
  return false;
}

/* Marks what the cases of a recurrence compute. */
static bool find_covered(stage_run *run) {
  const stage_memory *m = memory_of(run->in, run->node);
  int64_t count = pm_array_count(m->arrays);
  run->covered = calloc((size_t)count + 1, 1);
  if (!run->covered) return error_memory(run->node, count);
  cell_marks marks = {m, run->covered};
  return stage_each_point(run->sets, run->node->cases.len, mark_cells, &marks) == STAGE_POINTS_DONE ||
         error_points(run->node->op);
}

static stage_body *new_case_body(const stage_run *run, size_t i) {
  stage_body_env env = {.op = run->cases[i],
                        .params = run->in->param_lanes,
                        .memory = run->in->memory,
                        .target = memory_of(run->in, run->node),
                        .covered = run->covered,
                        .writer = run->writer,
                        .case_index = (uint16_t)i,
                        .cases = run->cases};
  return stage_body_new(&env);
}

/* Evaluates points with the body of their case. */
static bool run_points(void *user, const stage_points *points) {
  stage_body *const *bodies = user;
  return stage_body_run(bodies[points->set], points);
}

/* `n` cases from number `first`, their points together in lexicographic order. */
static bool run_together(const stage_run *run, size_t first, size_t n) {
  stage_body **bodies = pm_xcalloc(n + 1, sizeof *bodies);
  stage_points_result result = STAGE_POINTS_DONE;
  for (size_t i = 0; i < n && result == STAGE_POINTS_DONE; i++) {
    bodies[i] = new_case_body(run, first + i);
    if (!bodies[i]) result = STAGE_POINTS_STOPPED;
  }
  if (result == STAGE_POINTS_DONE) result = stage_each_point(run->sets + first, n, run_points, bodies);
  if (result == STAGE_POINTS_FAILED) error_points(run->cases[first]);
  for (size_t i = 0; i < n; i++) stage_body_free(bodies[i]);
  free(bodies);
  return result == STAGE_POINTS_DONE;
}

static void find_case_sets(stage_run *run) {
  const stage_node *node = run->node;
  isl_set *domain = at_params(run->in, isl_set_copy(node->domain));
  for (size_t i = 0; i < node->cases.len; i++) {
    run->cases[i] = node->cases.data[i].op;
    isl_set *set = at_params(run->in, isl_set_copy(node->cases.data[i].set));
    run->sets[i] = isl_set_intersect(set, isl_set_copy(domain));
  }
  isl_set_free(domain);
}

static bool run_cases(stage_run *run) {
  size_t n = run->node->cases.len;
  find_case_sets(run);
  bool ok = prepare_overlap_check(run);
  if (is_recurrence(run->node)) return ok && find_covered(run) && run_together(run, 0, n);
  for (size_t i = 0; i < n && ok; i++) ok = run_together(run, i, 1);
  return ok;
}

static bool compute_cases(const interp *in, const stage_node *node) {
  stage_run run = {.in = in, .node = node};
  run.sets = pm_xcalloc(node->cases.len + 1, sizeof *run.sets);
  run.cases = pm_xcalloc(node->cases.len + 1, sizeof *run.cases);
  bool ok = run_cases(&run);
  for (size_t i = 0; i < node->cases.len; i++) isl_set_free(run.sets[i]);
  free(run.sets);
  free(run.cases);
  free(run.covered);
  free(run.writer);
  return ok;
}

static bool run_update(const interp *in, const stage_node *node, const stage_update_info *update) {
  stage_body_env env = {
      .op = update->op, .params = in->param_lanes, .memory = in->memory, .target = memory_of(in, node)};
  stage_body *body = stage_body_new(&env);
  if (!body) return false;
  isl_set *set = at_params(in, isl_set_copy(update->set));
  stage_points_result result = stage_each_point(&set, 1, stage_body_run, body);
  isl_set_free(set);
  stage_body_free(body);
  return result == STAGE_POINTS_DONE || (result == STAGE_POINTS_FAILED && error_points(update->op));
}

static bool run_stage(const interp *in, const stage_node *node) {
  fill_default(in, node);
  bool ok = pm_array_count(memory_of(in, node)->arrays) == 0 || compute_cases(in, node);
  for (size_t i = 0; i < node->updates.len && ok; i++) ok = run_update(in, node, &node->updates.data[i]);
  return ok;
}

/* --- the pipeline --- */

static void find_last_readers(interp *in) {
  in->last_reader = pm_xcalloc(in->graph->nodes.len + 1, sizeof *in->last_reader);
  for (size_t i = 0; i < in->graph->nodes.len; i++) {
    const stage_node *node = in->graph->nodes.data[i];
    in->last_reader[i] = node->index;
    for (size_t r = 0; r < node->readers.len; r++)
      if (node->readers.data[r]->consumer->index > in->last_reader[i])
        in->last_reader[i] = node->readers.data[r]->consumer->index;
  }
}

/* Frees what node number `i` was the last to need. */
static void release_after(const interp *in, const stage_node *node) {
  if (in->last_reader[node->index] == node->index) release(memory_of(in, node));
  for (size_t r = 0; r < node->reads.len; r++) {
    const stage_node *producer = node->reads.data[r]->producer;
    if (in->last_reader[producer->index] == node->index) release(memory_of(in, producer));
  }
}

static bool run_node(const interp *in, const stage_node *node) {
  stage_memory *m = memory_of(in, node);
  if (!allocate(in, node)) return false;
  pm_map_set(in->memory, node->name, m);
  if (pm_is(node->op, &stage_constant))
    arith_store_dense(pm_attr_at(node->op, stage_constant_values), m->arrays->data);
  if (node->is_input) return true;
  if (!run_stage(in, node)) return false;
  if (in->see) in->see(in->user, node->op, m->arrays);
  release_after(in, node);
  return true;
}

static bool run_pipeline(interp *in) {
  take_params(in);
  if (!derive_params(in) || !check_context(in)) return false;
  in->cells = pm_xcalloc(in->graph->nodes.len + 1, sizeof *in->cells);
  if (!find_shapes(in)) return false;
  bool inputs = bind(in, in->sig.inputs.data, in->call->inputs, in->call->n_inputs, "given");
  bool outputs = bind(in, in->sig.outputs.data, in->call->outputs, in->call->n_outputs, "asked for");
  if (!inputs || !outputs) return false;
  find_last_readers(in);
  for (size_t i = 0; i < in->graph->nodes.len; i++)
    if (!run_node(in, in->graph->nodes.data[i])) return false;
  return true;
}

static void free_interp(interp *in) {
  for (size_t i = 0; in->cells && i < in->graph->nodes.len; i++) {
    release(&in->cells[i]);
    free(in->cells[i].arrays);
  }
  free(in->cells);
  free(in->params);
  free(in->derived);
  free(in->numbers);
  free(in->last_reader);
  pm_map_free(in->param_lanes);
  pm_map_free(in->memory);
  stage_signature_free(&in->sig);
  stage_graph_free(in->graph);
}

bool stage_interpret_watched(pm_op *pipeline, const pm_call *call, stage_watch_fn see, void *user) {
  stage_graph *graph = stage_graph_new(pipeline);
  if (!graph) return false;
  interp in = {.pipeline = pipeline,
               .ctx = pm_op_context(pipeline),
               .call = call,
               .see = see,
               .user = user,
               .graph = graph};
  in.param_lanes = pm_map_new();
  in.memory = pm_map_new();
  stage_signature_get(pipeline, &in.sig);
  bool ok = check_counts(&in) && run_pipeline(&in);
  free_interp(&in);
  return ok;
}

bool stage_interpret(pm_op *pipeline, const pm_call *call) {
  return stage_interpret_watched(pipeline, call, NULL, NULL);
}
