/* The buf dialect: text forms and verification of arrays, loads and stores. */
#include "dialects/loop/buf.h"

#include <stdlib.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"

#define PM_DIALECT buf
#define PM_DIALECT_DEF "dialects/loop/buf.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect buf_dialect = {
    .name = "buf",
    .ops = buf_op_table,
    .doc = "arrays in memory, their loads and stores",
};

/* --- arrays --- */

static bool parse_index(pm_parser *p, pm_op_state *state) {
  return pm_q_inline(p, pm_get_index(pm_q_context(p)), state);
}

/* `%n, %m) : memref<…>` with operands of type index, after the opening parenthesis. */
static bool parse_extents(pm_parser *p, pm_op_state *state) {
  return pm_q_opt_punct(p, ")") ||
         (pm_q_inlines(p, pm_get_index(pm_q_context(p)), state) && pm_q_punct(p, ")"));
}

static bool parse_array_type(pm_parser *p, pm_op_state *state) {
  pm_type type = NULL;
  if (!pm_q_opt_attr_dict(p, state) || !pm_q_punct(p, ":") || !pm_q_type(p, &type)) return false;
  PM_VEC_PUSH(state->results, type);
  return true;
}

static bool parse_named_array(pm_parser *p, pm_op_state *state) {
  pm_string name = NULL;
  if (!pm_q_symbol(p, &name)) return false;
  pm_state_attr(pm_q_context(p), state, "sym", pm_get_symbol(pm_q_context(p), name));
  if (pm_q_opt_punct(p, "(") && !parse_extents(p, state)) return false;
  return parse_array_type(p, state);
}

/* ` bytes %s`, ` at %w[%o]`, where the buf.alloc has them. */
static void print_memory(pm_printer *p, const pm_op *op) {
  if (buf_alloc_bytes(op)) {
    pm_p(p, " bytes ");
    pm_p_inline(p, buf_alloc_bytes(op));
  }
  if (!buf_alloc_workspace(op)) return;
  pm_p(p, " at ");
  pm_p_value(p, buf_alloc_workspace(op));
  pm_p(p, "[");
  pm_p_inline(p, buf_alloc_offset(op));
  pm_p(p, "]");
}

static void print_array(pm_printer *p, const pm_op *op, const char *const *but) {
  unsigned open = buf_first_extent(op, op->n_results);
  if (open > op->n_operands) open = op->n_operands;
  pm_p(p, "(");
  pm_p_inlines(p, pm_operands(op), open);
  pm_p(p, ")");
  if (pm_is(op, &buf_alloc)) print_memory(p, op);
  pm_p_attr_dict(p, op, but);
  for (unsigned i = 0; i < op->n_results; i++)
    pm_p(p, "%s%pT", i ? ", " : " : ", (const void *)pm_res(op, i)->type);
}

static void print_named_array(pm_printer *p, const pm_op *op, unsigned sym) {
  static const char *const shown[] = {"sym", NULL};
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, sym));
  print_array(p, op, shown);
}

unsigned buf_open_sizes(pm_type type) {
  unsigned open = 0;
  for (unsigned i = 0; i < type->rank; i++) {
    open += type->dims[i] == PM_DYNAMIC;
    open += type->strides && type->strides[i] == PM_DYNAMIC;
  }
  return open;
}

unsigned buf_first_extent(const pm_op *alloc, unsigned i) {
  unsigned first = 0;
  while (i-- > 0) first += buf_open_sizes(pm_res(alloc, i)->type);
  return first;
}

/* As far as the type says: no two cells are one, and rows follow one another. One index is the place. */
static bool verify_strides(const pm_op *op, pm_type type) {
  if (type->strides && type->rank == 1 && type->strides[0] != 1)
    return pm_op_error(op, "has the type %pT of rank 1, whose stride should be 1", (const void *)type);
  for (unsigned k = type->rank; type->strides && k-- > 0;) {
    int64_t least = 1, stride = type->strides[k];
    if (stride == PM_DYNAMIC) continue;
    bool known =
        k + 1 == type->rank || (type->strides[k + 1] != PM_DYNAMIC && type->dims[k + 1] != PM_DYNAMIC);
    if (known && k + 1 < type->rank &&
        __builtin_mul_overflow(type->strides[k + 1], type->dims[k + 1], &least))
      least = INT64_MAX;
    if (known && stride < least)
      return pm_op_error(op, "has the type %pT, whose stride of dimension %u should be %lld or more",
                         (const void *)type, k, (long long)least);
  }
  return true;
}

/* How many operands the buf.alloc has behind the extents: one if it has bytes, and two if it has a place. */
static unsigned memory_operands(const pm_op *alloc) {
  unsigned open = buf_first_extent(alloc, alloc->n_results);
  return alloc->n_operands > open ? alloc->n_operands - open : 0;
}

pm_value *buf_alloc_bytes(const pm_op *alloc) {
  unsigned open = buf_first_extent(alloc, alloc->n_results);
  return memory_operands(alloc) & 1 ? pm_arg(alloc, open) : NULL;
}

pm_value *buf_alloc_workspace(const pm_op *alloc) {
  return memory_operands(alloc) & 2 ? pm_arg(alloc, alloc->n_operands - 2) : NULL;
}

pm_value *buf_alloc_offset(const pm_op *alloc) {
  return memory_operands(alloc) & 2 ? pm_arg(alloc, alloc->n_operands - 1) : NULL;
}

void buf_place(pm_op *alloc, pm_value *workspace, pm_value *offset) {
  pm_add_operand(alloc, workspace);
  pm_add_operand(alloc, offset);
}

static bool verify_extents(const pm_op *op) {
  unsigned open = buf_first_extent(op, op->n_results);
  bool has_memory = pm_is(op, &buf_alloc) && op->n_operands > open && op->n_operands <= open + 3;
  for (unsigned i = 0; i < op->n_results; i++)
    if (!verify_strides(op, pm_res(op, i)->type)) return false;
  if (open == op->n_operands || has_memory) return true;
  if (op->n_results > 1)
    return pm_op_error(op, "has %u extents, but its types leave %u open", op->n_operands, open);
  return pm_op_error(op, "has %u extents, but its type %pT leaves %u open", op->n_operands,
                     (const void *)pm_res(op, 0)->type, open);
}

static bool verify_named_array(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  if (!pm_is(pm_parent(op), &loop_func))
    return pm_op_error(op, "is inside %s, but belongs directly in a loop.func",
                       pm_parent(op) ? pm_parent(op)->desc->name : "nothing");
  if (loop_is_private(pm_parent(op)))
    return pm_op_error(op, "is inside a private loop.func, where arrays are buf.argument ops");
  if (type->strides && type->rank > 0 && type->strides[type->rank - 1] != 1)
    return pm_op_error(op, "has the type %pT, but the last stride of an array of the caller is 1",
                       (const void *)type);
  if (type->space)
    return pm_op_error(op, "has the memory space '%s', but arrays of the caller have none",
                       pm_get_space_info(type->space)->name);
  return verify_extents(op);
}

bool buf_input_verify(const pm_op *op) {
  return verify_named_array(op);
}
void buf_input_print(pm_printer *p, const pm_op *op) {
  print_named_array(p, op, buf_input_sym);
}
bool buf_input_parse(pm_parser *p, pm_op_state *state) {
  return parse_named_array(p, state);
}

bool buf_output_verify(const pm_op *op) {
  return verify_named_array(op);
}
void buf_output_print(pm_printer *p, const pm_op *op) {
  print_named_array(p, op, buf_output_sym);
}
bool buf_output_parse(pm_parser *p, pm_op_state *state) {
  return parse_named_array(p, state);
}

bool buf_argument_verify(const pm_op *op) {
  const pm_op *func = pm_parent(op);
  if (!pm_is(func, &loop_func) || !loop_is_private(func))
    return pm_op_error(op, "is inside %s, but belongs directly in a private loop.func",
                       func ? func->desc->name : "nothing");
  return verify_extents(op);
}
void buf_argument_print(pm_printer *p, const pm_op *op) {
  print_named_array(p, op, buf_argument_sym);
}
bool buf_argument_parse(pm_parser *p, pm_op_state *state) {
  return parse_named_array(p, state);
}

unsigned buf_channels(const pm_value *extent) {
  pm_attr number = pm_constant_value(extent);
  return number && number->i > 0 && number->i <= BUF_MOST_CHANNELS ? (unsigned)number->i : 0;
}

unsigned buf_pixel_of(const pm_op *array) {
  pm_type type = pm_res((pm_op *)array, 0)->type;
  unsigned last = type->rank - 1u, open = 0;
  if (type->rank < 2) return 0;
  if (type->dims[last] != PM_DYNAMIC)
    return type->dims[last] <= BUF_MOST_CHANNELS ? (unsigned)type->dims[last] : 0;
  for (unsigned d = 0; d < last; d++) open += type->dims[d] == PM_DYNAMIC;
  return buf_channels(pm_arg(array, open));
}

/* --- constants --- */

pm_attr buf_known_values(const pm_value *buffer) {
  const pm_op *def = pm_def(buffer);
  return pm_is(def, &buf_constant) ? pm_attr_at(def, buf_constant_values) : NULL;
}

bool buf_is_read_only(const pm_op *array) {
  return pm_is(array, &buf_input) || pm_is(array, &buf_constant) ||
         (pm_is(array, &buf_argument) && pm_attr_at(array, buf_argument_read));
}

bool buf_constant_verify(const pm_op *op) {
  pm_type type = pm_res(op, buf_constant_buffer)->type, values = pm_attr_at(op, buf_constant_values)->t;
  if (!pm_is(pm_parent(op), &loop_func))
    return pm_op_error(op, "is inside %s, but belongs directly in a loop.func",
                       pm_parent(op) ? pm_parent(op)->desc->name : "nothing");
  return type == values || pm_op_error(op, "has the type %pT, but its numbers have the type %pT",
                                       (const void *)type, (const void *)values);
}

void buf_constant_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, buf_constant_sym));
  pm_p(p, " ");
  pm_p_attr(p, pm_attr_at(op, buf_constant_values));
  pm_p_attr_dict(p, op, (const char *const[]){"sym", "values", NULL});
}

bool buf_constant_parse(pm_parser *p, pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  pm_string name = NULL;
  pm_attr values = NULL;
  if (!pm_q_symbol(p, &name)) return false;
  pm_state_attr(ctx, state, "sym", pm_get_symbol(ctx, name));
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_attr(p, NULL, &values)) return false;
  if (values->cls != PM_ATTR_DENSE) return pm_q_error(p, loc, "the values should be dense<…> numbers");
  pm_state_attr(ctx, state, "values", values);
  PM_VEC_PUSH(state->results, values->t);
  return pm_q_opt_attr_dict(p, state);
}

/* --- memory --- */

static bool verify_one_space(const pm_op *op) {
  if (op->n_results == 0) return pm_op_error(op, "has no result, but should have an array");
  for (unsigned i = 1; i < op->n_results; i++)
    if (pm_res(op, i)->type->space != pm_res(op, 0)->type->space)
      return pm_op_error(op, "has arrays of the types %pT and %pT, which should be in one memory space",
                         (const void *)pm_res(op, 0)->type, (const void *)pm_res(op, i)->type);
  return true;
}

static bool no_space(const pm_op *op) {
  pm_buf spaces = {0};
  pm_put_spaces(&spaces, ~0u, "");
  pm_op_error(op, "has no memory space, which should be %s", spaces.data);
  pm_buf_free(&spaces);
  return false;
}

pm_type buf_workspace_type(pm_context *ctx) {
  int64_t extent = PM_DYNAMIC;
  return pm_get_memref(pm_get_scalar(ctx, PM_I8), 1, &extent, PM_SPACE_HEAP);
}

bool buf_workspace_verify(const pm_op *op) {
  const pm_op *func = pm_parent(op);
  pm_type type = buf_workspace_type(pm_op_context(op));
  if (pm_res(op, 0)->type != type)
    return pm_op_error(op, "has the type %pT, which should be %pT", (const void *)pm_res(op, 0)->type,
                       (const void *)type);
  if (!pm_is(func, &loop_func) || loop_is_private(func))
    return pm_op_error(op, "is inside %s, but belongs directly in a public loop.func",
                       !func                     ? "nothing"
                       : pm_is(func, &loop_func) ? "a private loop.func"
                                                 : func->desc->name);
  for (const pm_op *before = pm_prev(op); before; before = pm_prev(before))
    if (pm_is(before, &buf_workspace)) return pm_op_error(op, "is the second workspace of the function");
  PM_FOR_USES(use, pm_res(op, 0)) {
    bool placed = pm_is(pm_user(use), &buf_alloc) && buf_alloc_workspace(pm_user(use)) == pm_res(op, 0);
    if (!placed && !pm_is(pm_user(use), &buf_nonnull))
      return pm_op_error(op, "is used by %s, but only buf.alloc and buf.nonnull may use it",
                         pm_user(use)->desc->name);
  }
  return true;
}

void buf_workspace_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_inline(p, pm_arg(op, buf_workspace_bytes));
  pm_p_attr_dict(p, op, NULL);
  pm_p(p, " : %pT", (const void *)pm_res(op, 0)->type);
}

bool buf_workspace_parse(pm_parser *p, pm_op_state *state) {
  return parse_index(p, state) && parse_array_type(p, state);
}

static bool verify_place(const pm_op *op) {
  const pm_value *workspace = buf_alloc_workspace(op);
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_arg(op, i) != workspace && !pm_is_index(pm_arg(op, i)->type))
      return pm_op_error(op, "has an operand of type %pT, which should be index",
                         (const void *)pm_arg(op, i)->type);
  if (!workspace) return true;
  if (!pm_is(pm_def(workspace), &buf_workspace))
    return pm_op_error(op, "has an offset in %pV, which should be a buf.workspace", (const void *)workspace);
  return pm_res(op, 0)->type->space != PM_SPACE_STACK ||
         pm_op_error(op, "is on the stack, but has an offset in a workspace");
}

bool buf_alloc_verify(const pm_op *op) {
  if (!verify_place(op) || !verify_one_space(op) || !loop_verify_align(op, buf_alloc_align)) return false;
  pm_type type = pm_res(op, buf_alloc_buffers)->type;
  if (!type->space) return no_space(op);
  const pm_space_info *space = pm_get_space_info(type->space);
  if (!(space->flags & PM_SPACE_OPEN) && op->n_operands != memory_operands(op))
    return pm_op_error(op, "has the type %pT, but memory space '%s' needs constant extents",
                       (const void *)type, space->name);
  if ((space->flags & PM_SPACE_IN_PARALLEL) && !pm_is(pm_parent(op), &loop_parallel))
    return pm_op_error(op, "has the memory space '%s' inside %s, but belongs directly in a loop.parallel",
                       space->name, pm_parent(op) ? pm_parent(op)->desc->name : "nothing");
  return verify_extents(op);
}

void buf_alloc_print(pm_printer *p, const pm_op *op) {
  print_array(p, op, NULL);
}

static bool parse_place(pm_parser *p, pm_op_state *state) {
  pm_operand_ref ref;
  return pm_q_operand(p, &ref) && pm_q_resolve(p, &ref, buf_workspace_type(pm_q_context(p)), state) &&
         pm_q_punct(p, "[") && parse_index(p, state) && pm_q_punct(p, "]");
}

static bool parse_memory(pm_parser *p, pm_op_state *state) {
  return (!pm_q_opt_word(p, "bytes") || parse_index(p, state)) &&
         (!pm_q_opt_word(p, "at") || parse_place(p, state));
}

bool buf_alloc_parse(pm_parser *p, pm_op_state *state) {
  if (!pm_q_punct(p, "(") || !parse_extents(p, state) || !parse_memory(p, state) ||
      !parse_array_type(p, state))
    return false;
  pm_type type = NULL;
  while (pm_q_opt_punct(p, ",")) {
    if (!pm_q_type(p, &type)) return false;
    PM_VEC_PUSH(state->results, type);
  }
  return true;
}

bool buf_nonnull_verify(const pm_op *op) {
  pm_type type = pm_res(op, buf_nonnull_exists)->type;
  return type->cls == PM_TYPE_SCALAR ||
         pm_op_error(op, "has a result of type %pT, which should be i1", (const void *)type);
}

/* --- accesses --- */

/* A number of a constant, where the place is known. */
bool buf_load_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_attr values = buf_known_values(pm_arg(op, buf_load_buffer));
  if (values)
    out->attr = pm_dense_read(values, pm_attr_at(op, buf_load_map)->map, operands + buf_load_indices);
  return out->attr != NULL;
}

/* ` {…} : memref<…>` */
static void print_access_type(pm_printer *p, const pm_op *op, pm_type type) {
  static const char *const shown[] = {"map", NULL};
  pm_p_attr_dict(p, op, shown);
  pm_p(p, " : %pT", (const void *)type);
}

static bool resolve_access(pm_parser *p, pm_op_state *state, const loop_place *place) {
  return pm_q_resolve(p, &place->buffer, place->type, state) &&
         pm_q_resolve_affine(p, &place->indices, state);
}

bool buf_load_verify(const pm_op *op) {
  return loop_verify_access(op, buf_load_map, buf_load_buffer, buf_load_indices, pm_res(op, 0)->type);
}

void buf_load_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  loop_print_place(p, op, buf_load_map, buf_load_buffer, buf_load_indices);
  print_access_type(p, op, pm_arg(op, buf_load_buffer)->type);
}

bool buf_load_parse(pm_parser *p, pm_op_state *state) {
  loop_place place = {0};
  bool ok = loop_parse_place(p, state, &place) && loop_parse_memref(p, state, &place) &&
            resolve_access(p, state, &place);
  if (ok) PM_VEC_PUSH(state->results, pm_elem_type(place.type));
  PM_VEC_FREE(place.indices);
  return ok;
}

bool buf_store_verify(const pm_op *op) {
  return loop_verify_access(op, buf_store_map, buf_store_buffer, buf_store_indices,
                            pm_arg(op, buf_store_value)->type);
}

void buf_store_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_value(p, pm_arg(op, buf_store_value));
  pm_p(p, ", ");
  loop_print_place(p, op, buf_store_map, buf_store_buffer, buf_store_indices);
  print_access_type(p, op, pm_arg(op, buf_store_buffer)->type);
}

bool buf_store_parse(pm_parser *p, pm_op_state *state) {
  loop_place place = {0};
  pm_operand_ref value;
  bool ok = pm_q_operand(p, &value) && pm_q_punct(p, ",") && loop_parse_place(p, state, &place) &&
            loop_parse_memref(p, state, &place) && pm_q_resolve(p, &value, pm_elem_type(place.type), state) &&
            resolve_access(p, state, &place);
  PM_VEC_FREE(place.indices);
  return ok;
}

const pm_op_desc *buf_atomic_join(const pm_op *atomic) {
  return vec_op_named(pm_sym_at(atomic, buf_atomic_kind));
}

bool buf_atomic_verify(const pm_op *op) {
  const pm_op_desc *join = buf_atomic_join(op);
  pm_type type = pm_arg(op, buf_atomic_value)->type;
  if (!join || join == &arith_muli)
    return pm_op_error(op, "has the kind '%s', which should be add, min, max, and or or",
                       pm_sym_at(op, buf_atomic_kind)->text);
  if (!pm_is_int(type) || pm_is_bool(type))
    return pm_op_error(op, "has a value of type %pT, which should be an integer of 8 bits or more",
                       (const void *)type);
  return loop_verify_access(op, buf_atomic_map, buf_atomic_buffer, buf_atomic_indices, type);
}

void buf_atomic_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"kind", "map", NULL};
  pm_p(p, " %pS, ", (const void *)pm_sym_at(op, buf_atomic_kind));
  pm_p_value(p, pm_arg(op, buf_atomic_value));
  pm_p(p, ", ");
  loop_print_place(p, op, buf_atomic_map, buf_atomic_buffer, buf_atomic_indices);
  pm_p_attr_dict(p, op, shown);
  pm_p(p, " : %pT", (const void *)pm_arg(op, buf_atomic_buffer)->type);
}

bool buf_atomic_parse(pm_parser *p, pm_op_state *state) {
  loop_place place = {0};
  pm_operand_ref value;
  pm_string kind = NULL;
  if (!pm_q_name(p, &kind) || !pm_q_punct(p, ",")) return false;
  pm_state_attr(pm_q_context(p), state, "kind",
                pm_get_string_attr(pm_q_context(p), (pm_str){kind->text, kind->len}));
  bool ok = pm_q_operand(p, &value) && pm_q_punct(p, ",") && loop_parse_place(p, state, &place) &&
            loop_parse_memref(p, state, &place) && pm_q_resolve(p, &value, pm_elem_type(place.type), state) &&
            resolve_access(p, state, &place);
  PM_VEC_FREE(place.indices);
  return ok;
}

void buf_fence_print(pm_printer *p, const pm_op *op) {
  (void)p, (void)op;
}

bool buf_fence_parse(pm_parser *p, pm_op_state *state) {
  (void)p, (void)state;
  return true;
}

bool buf_prefetch_verify(const pm_op *op) {
  return loop_verify_access(op, buf_prefetch_map, buf_prefetch_buffer, buf_prefetch_indices,
                            pm_elem_type(pm_arg(op, buf_prefetch_buffer)->type));
}

void buf_prefetch_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  loop_print_place(p, op, buf_prefetch_map, buf_prefetch_buffer, buf_prefetch_indices);
  print_access_type(p, op, pm_arg(op, buf_prefetch_buffer)->type);
}

bool buf_prefetch_parse(pm_parser *p, pm_op_state *state) {
  loop_place place = {0};
  bool ok = loop_parse_place(p, state, &place) && loop_parse_memref(p, state, &place) &&
            resolve_access(p, state, &place);
  PM_VEC_FREE(place.indices);
  return ok;
}

pm_string buf_stage_of(const pm_op *access) {
  if (pm_is(access, &buf_load)) return pm_sym_at(access, buf_load_stage);
  return pm_is(access, &buf_store) ? pm_sym_at(access, buf_store_stage) : NULL;
}
