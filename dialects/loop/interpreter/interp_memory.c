/* Cells and their shadow: bounds, reads of what nobody wrote, races.
 *
 * Races: each iteration of an unordered loop takes the next number when it begins. An access of number a made
 * earlier and one made now are in two iterations of the same running loop exactly when, at some level, first
 * <= a < current: numbers from `current` on were given inside this very iteration, numbers below `first`
 * before the loop began. A cell keeps its last writer, which finds every conflict with a write; of its
 * readers, and of those that join values into it, it keeps the first of the outermost loop and the last, so
 * that every conflict between iterations of the outermost loop is found, and nearly every one of nested
 * loops. */
#include <stdlib.h>

#include "dialects/loop/buf.h"
#include "dialects/loop/interpreter/interp_private.h"
#include "dialects/loop/loop.h"

static const int64_t max_cells = (int64_t)1 << 40;

/* --- buffers --- */

static bool has_strides(const interp_buffer *buffer) {
  return buffer->value->type->strides != NULL;
}

static bool is_empty(const interp_buffer *buffer) {
  for (unsigned k = 0; k < buffer->rank; k++)
    if (!buffer->extents[k]) return true;
  return false;
}

/* Finds extents, strides and how many places there are; false when these are too many, or strides are less
 * than what is behind them. */
static bool count_places(interp_buffer *buffer, const int64_t *extents, const int64_t *strides) {
  for (unsigned k = 0; k < buffer->rank; k++) {
    buffer->extents[k] = extents[k] < 0 ? 0 : extents[k];
    buffer->strides[k] = strides ? strides[k] : 1;
  }
  buffer->count = !is_empty(buffer);
  for (unsigned k = buffer->rank; buffer->count && k-- > 0;) {
    if (!strides) buffer->strides[k] = buffer->count;
    if (buffer->strides[k] < buffer->count || buffer->strides[k] > max_cells) return false;
    if (buffer->extents[k] && buffer->strides[k] > max_cells / buffer->extents[k]) return false;
    buffer->count = buffer->strides[k] * buffer->extents[k];
  }
  return true;
}

static bool set_sizes(interp_buffer *buffer, const interp_sizes *sizes) {
  return count_places(buffer, sizes->extents, has_strides(buffer) ? sizes->strides : NULL);
}

static bool grow_shadow(interp_buffer *buffer) {
  size_t n = (size_t)buffer->count;
  free(buffer->shadow);
  buffer->shadow = calloc(n ? n : 1, sizeof(*buffer->shadow));
  return buffer->shadow != NULL;
}

/* Memory whose first cell is at an odd multiple of `align`: no wider alignment holds by chance. */
static bool grow_data(interp_buffer *buffer, size_t align) {
  size_t step = 2 * (align < sizeof(void *) ? sizeof(void *) : align);
  size_t bytes = align + (size_t)buffer->count * buffer->cell_bytes, whole = (bytes / step + 1) * step;
  free(buffer->block);
  buffer->block = aligned_alloc(step, whole);
  if (!buffer->block) return false;
  buffer->data = (unsigned char *)buffer->block + align;
  return true;
}

static bool grow(interp_buffer *buffer, size_t align) {
  if (buffer->shadow && buffer->count <= buffer->capacity) return true;
  buffer->capacity = buffer->count;
  return grow_data(buffer, align) && grow_shadow(buffer);
}

/* In bytes; an element is aligned by itself in any case. */
static size_t alignment_of(const interp_buffer *buffer, const pm_op *alloc) {
  pm_attr align = pm_attr_at(alloc, buf_alloc_align);
  return align && (size_t)align->i > buffer->cell_bytes ? (size_t)align->i : buffer->cell_bytes;
}

bool interp_allocate(interp *in, interp_buffer *buffer, const pm_op *op, const interp_sizes *sizes) {
  buffer->epoch++;
  if (buffer->shared) *buffer->shared = (interp_shared){0};
  if (set_sizes(buffer, sizes) && grow(buffer, alignment_of(buffer, op))) return true;
  pm_op_error(op, has_strides(buffer)
                      ? "has strides that let elements overlap, or more elements than there is memory for"
                      : "has more elements than there is memory for");
  interp_note_loops(in, op);
  return false;
}

/* Memory lives until the end of the region that it stands in. */
static bool is_alive(const pm_op *alloc, const pm_op *now) {
  for (const pm_op *op = now; op; op = pm_parent(op))
    if (op->region == alloc->region) return alloc != now;
  return false;
}

static bool trap_place(interp *in, const interp_place *place, const char *rest) {
  pm_op_error(place->alloc, "is at bytes %lld to %lld of the workspace, %s", (long long)place->begin,
              (long long)place->end, rest);
  interp_note_loops(in, place->alloc);
  return false;
}

bool interp_find_place(interp *in, const interp_inst *inst) {
  interp_place place = {.alloc = inst->op, .begin = inst->args[inst->n_args - 1]->i};
  int64_t most = 0;
  for (unsigned i = 0; i < inst->op->n_results; i++) {
    int64_t bytes = inst->allocated[i]->count * (int64_t)inst->allocated[i]->cell_bytes;
    if (bytes > most) most = bytes;
  }
  place.end = place.begin + most;
  if (place.begin % 64) return trap_place(in, &place, "which should be a multiple of 64");
  if (place.begin < 0 || place.end > in->workspace) return trap_place(in, &place, "which is smaller");
  size_t n = 0;
  for (size_t i = 0; i < in->places.len; i++) {
    const interp_place other = in->places.data[i];
    if (!is_alive(other.alloc, inst->op)) continue;
    in->places.data[n++] = other;
    if (other.begin >= place.end || place.begin >= other.end) continue;
    trap_place(in, &place, "where memory is in use");
    pm_note(pm_op_context(inst->op), other.alloc->loc, "it is this, at bytes %lld to %lld",
            (long long)other.begin, (long long)other.end);
    return false;
  }
  in->places.len = n;
  PM_VEC_PUSH(in->places, place);
  return true;
}

/* An array without elements makes a buffer without cells, whatever the extents are: those of a box around no
 * points are anybody's choice, and each access is outside. */
bool interp_adopt(interp_buffer *buffer, const pm_op *op, const pm_array *array, const interp_sizes *sizes) {
  bool empty = !pm_array_count(array);
  if (!count_places(buffer, empty ? array->extents : sizes->extents, NULL))
    return pm_op_error(op, "has more elements than there is memory for");
  for (unsigned k = 0; k < buffer->rank && !empty; k++)
    if (array->extents[k] != buffer->extents[k])
      return pm_op_error(op, "has extent %lld in dimension %u, but the array given for it has %lld",
                         (long long)buffer->extents[k], k, (long long)array->extents[k]);
  buffer->data = array->data;
  buffer->epoch = 1;
  return true;
}

bool interp_hold(interp_buffer *buffer, const pm_op *op) {
  if (buffer->block) return true;
  if (!count_places(buffer, buffer->value->type->dims, NULL) || !grow_data(buffer, buffer->cell_bytes))
    return pm_op_error(op, "has more elements than there is memory for");
  arith_store_dense(pm_attr_at(op, buf_constant_values), buffer->data);
  buffer->epoch = 1;
  return true;
}

bool interp_match(const interp_buffer *buffer, const pm_op *op, const interp_sizes *sizes) {
  for (unsigned k = 0; k < buffer->rank; k++) {
    int64_t extent = sizes->extents[k] < 0 ? 0 : sizes->extents[k];
    if (buffer->extents[k] != extent)
      return pm_op_error(op, "has extent %lld in dimension %u, but the call gives %pV with %lld",
                         (long long)extent, k, (const void *)buffer->value, (long long)buffer->extents[k]);
    if (has_strides(buffer) && buffer->strides[k] != sizes->strides[k])
      return pm_op_error(op, "has stride %lld in dimension %u, but the call gives %pV with %lld",
                         (long long)sizes->strides[k], k, (const void *)buffer->value,
                         (long long)buffer->strides[k]);
  }
  return true;
}

void interp_free_buffer(interp_buffer *buffer) {
  free(buffer->block);
  free(buffer->shadow);
}

/* --- messages --- */

void interp_note_loops(interp *in, const pm_op *op) {
  if (!in->loops.len) return;
  pm_buf text = {0};
  for (size_t i = 0; i < in->loops.len; i++) {
    const interp_inst *loop = in->loops.data[i];
    pm_format(&text, "%s%pV = %lld", i ? ", " : "", (const void *)pm_region_at(loop->op, 0)->args[0],
              (long long)loop->region_args[0]->i);
  }
  pm_note(pm_op_context(op), op->loc, "in the iteration %s", text.data);
  pm_buf_free(&text);
}

static void put_cell(pm_buf *out, const interp_inst *inst, const int64_t *cell) {
  pm_format(out, "%pV[", (const void *)inst->buffer->value);
  for (unsigned k = 0; k < inst->n_indices; k++)
    pm_buf_printf(out, "%s%lld", k ? ", " : "", (long long)cell[k]);
  pm_buf_putc(out, ']');
}

/* `'buf.load' <verb> %b[1, 2] <rest>`; always NULL. */
static void *trap(interp *in, const interp_inst *inst, const int64_t *cell, const char *verb,
                  const char *rest) {
  pm_buf text = {0};
  put_cell(&text, inst, cell);
  pm_op_error(inst->op, "%s %s%s", verb, text.data, rest);
  interp_note_loops(in, inst->op);
  pm_buf_free(&text);
  return NULL;
}

static void *trap_bounds(interp *in, const interp_inst *inst, const int64_t *cell, const char *verb) {
  pm_buf rest = {0};
  pm_buf_puts(&rest, ", but its extents are ");
  for (unsigned k = 0; k < inst->buffer->rank; k++)
    pm_buf_printf(&rest, "%s%lld", k ? " x " : "", (long long)inst->buffer->extents[k]);
  trap(in, inst, cell, verb, rest.data);
  pm_buf_free(&rest);
  if (in->options.outside) *in->options.outside = true;
  return NULL;
}

static const char *word_of(const pm_op *loop) {
  return pm_is(loop, &loop_parallel) ? "parallel" : pm_attr_at(loop, loop_for_simd) ? "simd" : "jammed";
}

static void *trap_race(interp *in, const interp_inst *inst, const int64_t *cell, const interp_level *level,
                       const char *verb, const char *other) {
  const char *word = word_of(level->loop);
  pm_buf rest = {0};
  pm_buf_printf(&rest, ", which another iteration of the %s loop %s", word, other);
  trap(in, inst, cell, verb, rest.data);
  pm_note(pm_op_context(inst->op), level->loop->loc, "the %s loop is here", word);
  pm_buf_free(&rest);
  return NULL;
}

bool interp_check_align(interp *in, const interp_inst *inst, const int64_t *cell, const void *data) {
  if ((uintptr_t)data % (uintptr_t)inst->align == 0) return true;
  pm_buf rest = {0};
  pm_buf_printf(&rest, ", whose address is not a multiple of %lld bytes", (long long)inst->align);
  trap(in, inst, cell, pm_has_trait(inst->op, PM_READS) ? "reads" : "writes", rest.data);
  pm_buf_free(&rest);
  return false;
}

/* --- cells --- */

static int64_t eval_index(const interp_index *index, const interp_inst *inst) {
  unsigned first = inst->first_index, n = inst->n_args - first;
  int64_t operands[64];
  if (index->coeffs) {
    uint64_t sum = (uint64_t)index->constant;
    for (unsigned i = 0; i < n; i++) sum += (uint64_t)index->coeffs[i] * (uint64_t)inst->args[first + i]->i;
    return (int64_t)sum;
  }
  for (unsigned i = 0; i < n && i < PM_COUNT(operands); i++) operands[i] = inst->args[first + i]->i;
  return pm_affine_eval(index->expr, operands, operands + inst->n_dims);
}

void interp_find_indices(const interp_inst *inst, int64_t *cell) {
  for (unsigned k = 0; k < inst->n_indices; k++) cell[k] = eval_index(&inst->indices[k], inst);
}

/* The row-major position of the cell; -1 when it is outside. */
static int64_t find_position(const interp_inst *inst, const int64_t *cell) {
  const interp_buffer *buffer = inst->buffer;
  int64_t position = 0;
  if (inst->n_indices < buffer->rank) return cell[0] < 0 || cell[0] >= buffer->count ? -1 : cell[0];
  for (unsigned k = 0; k < buffer->rank; k++) {
    if (cell[k] < 0 || cell[k] >= buffer->extents[k]) return -1;
    position += cell[k] * buffer->strides[k];
  }
  return position;
}

/* The level at which access number `a` was made by another iteration, or NULL. */
static const interp_level *conflict(const interp *in, int64_t a) {
  for (unsigned i = 0; i < in->n_levels; i++) {
    const interp_level *level = &in->levels[i];
    if (a < level->first) return NULL;
    if (a < level->current) return level;
  }
  return NULL;
}

static int64_t present_number(const interp *in) {
  return in->n_levels ? in->levels[in->n_levels - 1].current : 0;
}

/* First and last within the present outermost unordered loop. */
static void note(const interp *in, int64_t *first, int64_t *last) {
  int64_t now = present_number(in);
  if (!in->n_levels) return;
  if (*first < in->levels[0].first) *first = now;
  *last = now;
}

/* The level at which another iteration did what the first and last of these numbers are of, or NULL. */
static const interp_level *either_conflict(const interp *in, int64_t first, int64_t last) {
  const interp_level *level = conflict(in, first);
  return level ? level : conflict(in, last);
}

/* --- shared memory --- */

/* The level at which another iteration uses the memory, or NULL. */
static const interp_level *user_conflict(const interp *in, const interp_shared *shared) {
  return either_conflict(in, shared->first_user, shared->last_user);
}

static void note_user(const interp *in, interp_shared *shared) {
  note(in, &shared->first_user, &shared->last_user);
}

static void *trap_lost(interp *in, const interp_inst *inst, const int64_t *cell) {
  pm_buf rest = {0};
  pm_format(&rest, ", whose memory %pV has overwritten", (const void *)inst->buffer->shared->holder->value);
  trap(in, inst, cell, "reads", rest.data);
  pm_buf_free(&rest);
  return NULL;
}

/* False after a diagnostic: the buffer does not hold the memory. */
static bool keep_memory(interp *in, const interp_inst *inst, const int64_t *cell) {
  interp_shared *shared = inst->buffer->shared;
  if (!shared) return true;
  if (shared->holder && shared->holder != inst->buffer) return trap_lost(in, inst, cell);
  note_user(in, shared);
  return true;
}

/* The buffer has the memory from now on; what others had in it is lost. False after a diagnostic: another
 * iteration of an unordered loop uses it. */
static bool take_memory(interp *in, const interp_inst *inst, const int64_t *cell) {
  interp_shared *shared = inst->buffer->shared;
  if (!shared) return true;
  if (shared->holder != inst->buffer) {
    const interp_level *level = user_conflict(in, shared);
    if (level) return trap_race(in, inst, cell, level, "writes", "uses for another array");
    inst->buffer->epoch++;
    shared->holder = inst->buffer;
  }
  note_user(in, shared);
  return true;
}

/* False after a diagnostic: the cell does not have the value of the stage that is read. */
static bool keep_value(interp *in, const interp_inst *inst, const int64_t *cell,
                       const interp_shadow *shadow) {
  if (!inst->stage || inst->stage == shadow->stage) return true;
  pm_buf rest = {0};
  pm_buf_printf(&rest, " for the value of @%s, but it holds ", inst->stage->text);
  if (shadow->stage) pm_buf_printf(&rest, "the value of @%s", shadow->stage->text);
  if (!shadow->stage) pm_buf_puts(&rest, "the value of no stage");
  trap(in, inst, cell, "reads", rest.data);
  pm_buf_free(&rest);
  return false;
}

/* Of those that store to the cell or join values into it. */
static const interp_level *writer_conflict(const interp *in, const interp_shadow *shadow) {
  const interp_level *level = conflict(in, shadow->writer);
  return level ? level : either_conflict(in, shadow->first_joiner, shadow->last_joiner);
}

void *interp_read_cell(interp *in, const interp_inst *inst, const int64_t *cell) {
  interp_buffer *buffer = inst->buffer;
  int64_t position = find_position(inst, cell);
  if (position < 0) return trap_bounds(in, inst, cell, "reads");
  void *data = buffer->data + (size_t)position * buffer->cell_bytes;
  if (!buffer->shadow) return data;
  if (!keep_memory(in, inst, cell)) return NULL;
  interp_shadow *shadow = &buffer->shadow[position];
  if (shadow->epoch != buffer->epoch) return trap(in, inst, cell, "reads", ", which was not written");
  const interp_level *level = writer_conflict(in, shadow);
  if (level) return trap_race(in, inst, cell, level, "reads", "wrote");
  if (!keep_value(in, inst, cell, shadow)) return NULL;
  note(in, &shadow->first_reader, &shadow->last_reader);
  return data;
}

static void *written(const interp *in, const interp_inst *inst, int64_t position) {
  void *data = inst->buffer->data + (size_t)position * inst->buffer->cell_bytes;
  if (data == in->options.watched) *in->options.writer = inst->op;
  return data;
}

void *interp_write_cell(interp *in, const interp_inst *inst, const int64_t *cell) {
  interp_buffer *buffer = inst->buffer;
  int64_t position = find_position(inst, cell);
  if (position < 0) return trap_bounds(in, inst, cell, "writes");
  if (!buffer->shadow) return trap(in, inst, cell, "writes", ", which is only read");
  if (!take_memory(in, inst, cell)) return NULL;
  interp_shadow *shadow = &buffer->shadow[position];
  if (shadow->epoch == buffer->epoch) {
    const interp_level *level = writer_conflict(in, shadow);
    if (level) return trap_race(in, inst, cell, level, "writes", "wrote");
    level = either_conflict(in, shadow->first_reader, shadow->last_reader);
    if (level) return trap_race(in, inst, cell, level, "writes", "read");
  } else
    *shadow = (interp_shadow){.epoch = buffer->epoch};
  shadow->writer = present_number(in);
  shadow->stage = inst->stage;
  return written(in, inst, position);
}

void *interp_join_cell(interp *in, const interp_inst *inst, const int64_t *cell) {
  interp_buffer *buffer = inst->buffer;
  int64_t position = find_position(inst, cell);
  if (position < 0) return trap_bounds(in, inst, cell, "writes");
  if (!buffer->shadow) return trap(in, inst, cell, "writes", ", which is only read");
  if (!keep_memory(in, inst, cell)) return NULL;
  interp_shadow *shadow = &buffer->shadow[position];
  if (shadow->epoch != buffer->epoch) return trap(in, inst, cell, "reads", ", which was not written");
  const pm_op_desc *join = buf_atomic_join(inst->op);
  bool other = shadow->join && shadow->join != join;
  const interp_level *level = other ? writer_conflict(in, shadow) : conflict(in, shadow->writer);
  if (level) return trap_race(in, inst, cell, level, "reads", "wrote");
  level = either_conflict(in, shadow->first_reader, shadow->last_reader);
  if (level) return trap_race(in, inst, cell, level, "writes", "read");
  note(in, &shadow->first_joiner, &shadow->last_joiner);
  shadow->join = join;
  return written(in, inst, position);
}
