#include "passes/schedule/mark-prefetch/rows.h"

#include "dialects/isl/take.h"
#include "dialects/poly/tree.h"

#include <stdlib.h>

/* --- expressions --- */

bool row_mentions(pm_affine_expr expr, uint32_t dim) {
  if (expr->kind == PM_AFFINE_DIM) return expr->value == dim;
  return expr->lhs && (row_mentions(expr->lhs, dim) || row_mentions(expr->rhs, dim));
}

static uint32_t dims_in(pm_affine_expr expr) {
  if (expr->kind == PM_AFFINE_DIM) return (uint32_t)expr->value + 1;
  if (!expr->lhs) return 0;
  uint32_t left = dims_in(expr->lhs), right = dims_in(expr->rhs);
  return left > right ? left : right;
}

bool row_find_factor(pm_affine_expr expr, uint32_t dim, int64_t *factor) {
  uint32_t n = dims_in(expr);
  int64_t *terms = pm_xcalloc((size_t)n + 1, sizeof *terms);
  bool linear = pm_affine_dim_coeffs(expr, terms, n);
  *factor = linear && dim < n ? terms[dim] : 0;
  free(terms);
  return linear;
}

int64_t row_joint_period(int64_t a, int64_t b, int64_t most) {
  int64_t lcm = a && b ? a / pm_gcd(a, b) * b : 0;
  return lcm > most ? 0 : lcm;
}

int64_t row_period(pm_affine_expr expr, uint32_t dim, int64_t step, int64_t most) {
  int64_t factor;
  if (!row_mentions(expr, dim) || expr->kind == PM_AFFINE_DIM) return 1;
  if (expr->kind == PM_AFFINE_ADD || expr->kind == PM_AFFINE_MUL)
    return row_joint_period(row_period(expr->lhs, dim, step, most), row_period(expr->rhs, dim, step, most),
                            most);
  if (!row_find_factor(expr->lhs, dim, &factor) || expr->rhs->kind != PM_AFFINE_CONST) return 0;
  int64_t divisor = expr->rhs->value / pm_gcd(expr->rhs->value, factor);
  return row_joint_period(1, divisor / pm_gcd(divisor, step), most);
}

static pm_affine_expr moved(pm_affine_expr e, uint32_t dim, int64_t more) {
  if (e->kind == PM_AFFINE_DIM) return e->value == (int64_t)dim ? pm_affine_addc(e, more) : e;
  return e->lhs ? pm_affine_binary(e->kind, moved(e->lhs, dim, more), moved(e->rhs, dim, more)) : e;
}

pm_affine_expr row_ahead(pm_affine_expr expr, uint32_t dim, int64_t more) {
  return pm_affine_divide_out(moved(expr, dim, more));
}

bool row_find_distance(pm_affine_expr from, pm_affine_expr to, int64_t *distance) {
  pm_affine_expr minus = pm_affine_mul(from, pm_affine_const(from->ctx, -1));
  pm_affine_expr difference = pm_affine_divide_out(pm_affine_add(to, minus));
  *distance = difference->kind == PM_AFFINE_CONST ? difference->value : 0;
  return difference->kind == PM_AFFINE_CONST;
}

/* --- the loops around a statement --- */

static uint32_t symbol_of(row_analysis *rows, row_symbol symbol) {
  for (size_t i = 0; i < rows->symbols.len; i++) {
    const row_symbol *s = &rows->symbols.data[i];
    if (s->band == symbol.band && s->member == symbol.member && s->plane == symbol.plane) return (uint32_t)i;
  }
  PM_VEC_PUSH(rows->symbols, symbol);
  return (uint32_t)rows->symbols.len - 1;
}

static void find_loops(row_analysis *rows, row_statement *s) {
  unsigned at = s->at->depth;
  s->loops = pm_arena_alloc(rows->arena, (at + 1) * sizeof *s->loops);
  for (const pm_op *op = s->at->bands->band; op; op = pm_parent(op)) {
    if (!pm_is(op, &poly_band)) continue;
    for (unsigned member = poly_band_members(op); member-- > 0;) {
      uint32_t symbol = symbol_of(rows, (row_symbol){op, member, 0});
      s->loops[--at] = (row_loop){op, member, symbol, 1, 0};
    }
  }
}

/* The mark of the loop, or NULL. */
static const pm_op *mark_of(const row_loop *loop, poly_mark_kind kind) {
  for (const pm_op *up = pm_parent(loop->band); loop->member == 0 && pm_is(up, &poly_mark);
       up = pm_parent(up))
    if (poly_is_mark(up, kind)) return up;
  return NULL;
}

/* All iterations of the loop become one. */
static bool is_unrolled(const row_loop *loop) {
  const pm_op *mark = mark_of(loop, POLY_MARK_unroll);
  return mark && pm_int_at(mark, poly_mark_times) == 0;
}

int64_t row_jammed_rows(const row_loop *loop) {
  const pm_op *mark = mark_of(loop, POLY_MARK_jam);
  return mark ? pm_int_at(mark, poly_mark_rows) : 1;
}

static bool has_one_value(const row_loop *loop) {
  return loop->trips == 1;
}

/* The next serial loop outside, of which there is more than one iteration; NO_LOOP when there is none before
 * one of threads. */
static int next_around(row_statement *s, int loop) {
  for (int l = loop - 1; l >= 0; l--) {
    if (s->at->loops[l] != POLY_LOOP_SERIAL && s->at->loops[l] != POLY_LOOP_JAMMED) return NO_LOOP;
    s->loops[l].trips = poly_most_trips(s->at, (unsigned)l, s->values);
    if (!has_one_value(&s->loops[l])) return l;
  }
  return NO_LOOP;
}

static bool goes_over_planes(const row_statement *s, int loop, int64_t most_planes) {
  int64_t trips = s->loops[loop].trips;
  return (trips && trips <= most_planes) || is_unrolled(&s->loops[loop]);
}

static void find_vector(row_statement *s) {
  s->vector = s->around = NO_LOOP;
  for (int l = 0; l < (int)s->at->depth && s->vector < 0; l++)
    if (s->at->loops[l] == POLY_LOOP_VECTOR) s->vector = l;
}

static void find_around(row_statement *s, int64_t most_planes) {
  if (s->vector < 0) return;
  s->around = next_around(s, s->vector);
  while (s->around >= 0 && goes_over_planes(s, s->around, most_planes)) {
    int next = next_around(s, s->around);
    if (next < 0) return;
    s->around = next;
  }
}

/* Loops inside of `around` that are alike are one symbol. */
static void share_symbols(row_analysis *rows, row_statement *s) {
  int64_t planes = 0;
  if (s->around < 0) return;
  const row_loop *around = &s->loops[s->around];
  for (int l = s->around + 1; l < s->vector; l++) {
    row_loop *loop = &s->loops[l];
    if (has_one_value(loop)) continue;
    int64_t plane = ++planes * INT32_MAX + loop->trips;
    loop->symbol = symbol_of(rows, (row_symbol){around->band, around->member, plane});
  }
  s->loops[s->vector].symbol = symbol_of(rows, (row_symbol){around->band, around->member, -1});
}

/* --- coordinates --- */

/* The value of a loop over those of loops that have several. */
static pm_affine_expr value_of(const row_analysis *rows, const row_statement *s, int loop) {
  pm_affine_expr itself = pm_affine_dim(rows->ctx, s->loops[loop].symbol);
  bool inside = s->around >= 0 && loop > s->around && loop < s->vector;
  pm_affine_expr only =
      inside && has_one_value(&s->loops[loop]) ? poly_only_value(s->at, (unsigned)loop) : NULL;
  if (!only) return itself;
  pm_affine_expr *dims = pm_arena_alloc(rows->arena, ((size_t)loop + 1) * sizeof *dims);
  for (int l = 0; l < loop; l++) dims[l] = value_of(rows, s, l);
  return pm_affine_divide_out(pm_affine_substitute(only, dims, NULL));
}

/* The one coordinate that the linear function gives when the known ones are taken off; NO_LOOP: none. */
static int counted_coord(const row_statement *s, const int64_t *factors, unsigned n) {
  int counted = NO_LOOP;
  for (unsigned k = 0; k < n; k++) {
    if (!factors[k] || s->coords[k]) continue;
    if (counted >= 0) return NO_LOOP;
    counted = (int)k;
  }
  return counted >= 0 && factors[counted] > 0 ? counted : NO_LOOP;
}

/* The points of the statement are so far apart along a coordinate: those of every second row, say. */
static int64_t stride_along(const row_statement *s, int coord) {
  int64_t stride = 1;
  isl_take_int_below(isl_set_get_stride(s->statement->set, coord), INT32_MAX, &stride);
  return stride;
}

/* The loop's value is `function`: finds the coordinate that the loop counts. */
static void find_coord(row_analysis *rows, row_statement *s, int loop, pm_affine_expr function) {
  unsigned n = poly_occurrence_dims(s->at);
  int64_t *factors = pm_arena_alloc(rows->arena, (n + 1) * sizeof *factors);
  pm_affine_expr *dims = pm_arena_alloc(rows->arena, (n + 1) * sizeof *dims), zero;
  int counted = pm_affine_dim_coeffs(function, factors, n) ? counted_coord(s, factors, n) : NO_LOOP;
  if (counted < 0) return;
  zero = pm_affine_const(rows->ctx, 0);
  for (unsigned k = 0; k < n; k++) dims[k] = s->coords[k] ? s->coords[k] : zero;
  pm_affine_expr rest =
      pm_affine_mul(pm_affine_substitute(function, dims, NULL), pm_affine_const(rows->ctx, -1));
  pm_affine_expr value = pm_affine_normalize(pm_affine_add(value_of(rows, s, loop), rest));
  int64_t by = factors[counted];
  int64_t step = stride_along(s, counted), stride = by * step;
  s->loops[loop].stride = stride;
  if (s->loops[loop].trips) s->loops[loop].trips = (s->loops[loop].trips - 1) / stride + 1;
  if (by > 1) value = pm_affine_binary(PM_AFFINE_FLOORDIV, value, pm_affine_const(rows->ctx, by));
  s->coords[counted] = pm_affine_divide_out(value);
  if (loop != s->vector) return;
  s->along = counted;
  s->step = step;
}

int64_t row_points(const row_statement *s) {
  int64_t values = poly_most_trips(s->at, (unsigned)s->vector, s->values);
  return values ? (values - 1) / s->loops[s->vector].stride + 1 : 0;
}

static void find_coords(row_analysis *rows, row_statement *s) {
  unsigned n = poly_occurrence_dims(s->at);
  s->coords = pm_arena_alloc(rows->arena, (n + 1) * sizeof *s->coords);
  s->along = NO_LOOP;
  for (int l = 0; l < (int)s->at->depth; l++) {
    if (s->values[l]) find_coord(rows, s, l, s->values[l]);
  }
}

/* --- accesses --- */

static bool places_are_known(const row_statement *s, pm_affine_expr index) {
  if (index->kind == PM_AFFINE_DIM) return s->coords[index->value] != NULL;
  return !index->lhs || (places_are_known(s, index->lhs) && places_are_known(s, index->rhs));
}

static void find_place(const row_analysis *rows, row_access *a) {
  unsigned n = a->stage->n_dims;
  pm_affine_expr *place = pm_arena_alloc(rows->arena, (n + 1) * sizeof *place);
  for (unsigned d = 0; d < n; d++) {
    if (!places_are_known(a->by, a->index[d])) return;
    place[d] = pm_affine_divide_out(pm_affine_substitute(a->index[d], a->by->coords, NULL));
  }
  a->place = place;
  a->row = row_unique(rows, place, n ? n - 1 : 0);
}

pm_affine_map row_unique(const row_analysis *rows, const pm_affine_expr *place, unsigned n) {
  return pm_get_affine_map(rows->ctx, 0, 0, place, n);
}

/* Not the memory of one thread, which caches hold. */
static bool is_array(const row_access *a) {
  if (!a->memory) return a->stage->is_input;
  pm_space space = poly_space_of(a->memory->alloc);
  return space == PM_SPACE_NONE ||
         (space == PM_SPACE_HEAP && !poly_is_inside(a->memory->alloc, POLY_MARK_parallel));
}

size_t row_last_access(const row_analysis *rows, const void *array_or_row) {
  return (size_t)(uintptr_t)pm_map_get(rows->last, array_or_row);
}

static void add_access(row_analysis *rows, row_access a) {
  if (!is_array(&a)) return;
  if (a.memory) a.array = poly_first_of_turn(a.memory->alloc);
  a.before = row_last_access(rows, a.array);
  PM_VEC_PUSH(rows->accesses, a);
  pm_map_set(rows->last, a.array, (void *)(uintptr_t)rows->accesses.len);
}

/* A value that an index is made of; NULL: no coordinate and no param. */
static pm_affine_expr operand_of(const row_analysis *rows, const pm_value *value) {
  if (pm_is_arg(value)) return pm_affine_dim(rows->ctx, pm_value_index(value));
  if (!pm_is(pm_def(value), &stage_param)) return NULL;
  isl_space *space = isl_set_get_space(stage_statements_graph(rows->statements)->context);
  int k = isl_space_find_dim_by_name(space, isl_dim_param, pm_sym_at(pm_def(value), stage_param_sym)->text);
  isl_space_free(space);
  return k < 0 ? NULL : pm_affine_sym(rows->ctx, (uint32_t)k);
}

/* The indices of a stage.read or stage.combine; NULL: one of them is computed otherwise. */
static const pm_affine_expr *indices_of(const row_analysis *rows, const pm_op *op) {
  pm_affine_map map = stage_index_map(op);
  unsigned first = stage_index_operand(op);
  pm_affine_expr *dims = pm_arena_alloc(rows->arena, (map->n_dims + 1u) * sizeof *dims);
  pm_affine_expr *index = pm_arena_alloc(rows->arena, (map->n_results + 1u) * sizeof *index);
  for (uint32_t i = 0; i < map->n_dims; i++)
    if (!(dims[i] = operand_of(rows, pm_arg(op, first + i)))) return NULL;
  for (uint32_t d = 0; d < map->n_results; d++) index[d] = pm_affine_substitute(map->results[d], dims, NULL);
  return index;
}

/* The memory that the read goes to. */
static const poly_memory *memory_read(const poly_occurrence *o, const stage_node *stage) {
  if (stage == o->node) return o->writes;
  for (size_t i = 0; i < o->node->reads.len; i++)
    if (o->node->reads.data[i]->producer == stage) return o->reads[i];
  return NULL;
}

static void add_accesses(row_analysis *rows, const row_statement *s) {
  const poly_occurrence *o = s->at;
  const stage_graph *graph = stage_statements_graph(rows->statements);
  pm_affine_expr *own = pm_arena_alloc(rows->arena, (o->node->n_dims + 1) * sizeof *own);
  row_access store = {.by = s, .stage = o->node, .array = o->node->op, .memory = o->writes, .writes = true};
  for (unsigned d = 0; d < o->node->n_dims; d++) own[d] = pm_affine_dim(rows->ctx, d);
  store.index = own;
  if (s->statement->kind != STAGE_UPDATE) add_access(rows, store);
  if (!s->statement->body) return;
  PM_FOR_OPS(op, pm_region_at(s->statement->body, 0)) {
    bool reads = pm_is(op, &stage_read);
    if (!reads && !pm_is(op, &stage_combine)) continue;
    row_access a = store;
    if (reads) {
      a.stage = stage_graph_find(graph, pm_sym_at(op, stage_read_stage));
      a.array = a.stage->op;
      a.memory = memory_read(o, a.stage);
      a.writes = false;
    }
    a.index = indices_of(rows, op);
    if (a.index) add_access(rows, a);
  }
}

void row_locate(row_analysis *rows, row_statement *s) {
  if (s->located) return;
  s->located = true;
  s->values = pm_arena_alloc(rows->arena, (s->at->depth + 1) * sizeof *s->values);
  poly_values_at(s->at, s->values);
  find_around(s, rows->most_planes);
  share_symbols(rows, s);
  find_coords(rows, s);
}

const row_leaves *row_leaves_in(const row_analysis *rows, const row_loop *loop) {
  return pm_map_get(rows->inside, loop->band);
}

static void add_leaf(row_analysis *rows, row_statement *s) {
  PM_VEC_PUSH(rows->leaves, s);
  for (unsigned l = 0; l < s->at->depth; l++) {
    if (l > 0 && s->loops[l].band == s->loops[l - 1].band) continue;
    row_leaves *inside = pm_map_get(rows->inside, s->loops[l].band);
    if (!inside) {
      inside = pm_xcalloc(1, sizeof *inside);
      pm_map_set(rows->inside, s->loops[l].band, inside);
    }
    PM_VEC_PUSH(*inside, s);
  }
}

static void free_leaves(row_analysis *rows) {
  for (size_t i = 0; i < rows->leaves.len; i++) {
    const row_statement *s = rows->leaves.data[i];
    for (unsigned l = 0; l < s->at->depth; l++) {
      row_leaves *inside = pm_map_get(rows->inside, s->loops[l].band);
      if (!inside) continue;
      pm_map_set(rows->inside, s->loops[l].band, NULL);
      PM_VEC_FREE(*inside);
      free(inside);
    }
  }
}

void row_analyse(row_analysis *rows, const poly_occurrences *all) {
  rows->last = pm_map_new();
  rows->inside = pm_map_new();
  for (size_t i = 0; i < all->all.len; i++) {
    const poly_occurrence *o = all->all.data[i];
    row_statement *s = pm_arena_alloc(rows->arena, sizeof *s);
    *s = (row_statement){.at = o};
    s->statement = stage_find_statement(rows->statements, pm_get_cstring(rows->ctx, poly_occurrence_name(o)));
    if (!s->statement || !o->bands) continue;
    find_loops(rows, s);
    find_vector(s);
    add_leaf(rows, s);
    s->first = rows->accesses.len;
    add_accesses(rows, s);
    s->end = rows->accesses.len;
    if (s->end > s->first) row_locate(rows, s);
    for (size_t k = s->first; k < s->end; k++) {
      row_access *a = &rows->accesses.data[k];
      find_place(rows, a);
      if (!a->row) continue;
      a->same_before = row_last_access(rows, a->row);
      pm_map_set(rows->last, a->row, (void *)(uintptr_t)(k + 1));
    }
  }
}

void row_analysis_free(row_analysis *rows) {
  free_leaves(rows);
  PM_VEC_FREE(rows->symbols);
  PM_VEC_FREE(rows->leaves);
  PM_VEC_FREE(rows->accesses);
  if (rows->last) pm_map_free(rows->last);
  if (rows->inside) pm_map_free(rows->inside);
}
