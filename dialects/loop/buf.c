/* The buf dialect: text forms and verification of arrays, loads and stores. */
#include "dialects/loop/buf.h"

#include <stdlib.h>

#include "dialects/loop/loop.h"
#include "ir/text.h"

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

/* `%n, %m) : memref<…>` with operands of type index, after the opening parenthesis. */
static bool parse_extents(pm_parser *p, pm_op_state *state) {
  pm_operand_refs refs = {0};
  bool ok = pm_q_opt_punct(p, ")") || (pm_q_operands(p, &refs) && pm_q_punct(p, ")"));
  for (size_t i = 0; ok && i < refs.len; i++)
    ok = pm_q_resolve(p, &refs.data[i], pm_get_index(pm_q_context(p)), state);
  PM_VEC_FREE(refs);
  return ok;
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

static void print_array(pm_printer *p, const pm_op *op, const char *const *but) {
  pm_p(p, "(");
  pm_p_values(p, op->operands, op->n_operands);
  pm_p(p, ")");
  pm_p_attr_dict(p, op, but);
  pm_p(p, " : %pT", (const void *)pm_res(op, 0)->type);
}

static void print_named_array(pm_printer *p, const pm_op *op, unsigned sym) {
  static const char *const shown[] = {"sym", NULL};
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, sym));
  print_array(p, op, shown);
}

static bool verify_extents(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  unsigned open = 0;
  for (unsigned i = 0; i < type->rank; i++) open += type->dims[i] == PM_DYNAMIC;
  if (open == op->n_operands) return true;
  return pm_op_error(op, "has %u extents, but its type %pT leaves %u open", op->n_operands,
                     (const void *)type, open);
}

static bool verify_named_array(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  if (!pm_is(pm_parent(op), &loop_func))
    return pm_op_error(op, "stands inside %s, but belongs directly in a loop.func",
                       pm_parent(op) ? pm_parent(op)->desc->name : "nothing");
  if (type->space)
    return pm_op_error(op, "has the memory space '%s', but arrays of the caller have none",
                       type->space->text);
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

bool buf_alloc_verify(const pm_op *op) {
  pm_type type = pm_res(op, buf_alloc_buffer)->type;
  const char *space = type->space ? type->space->text : "";
  pm_str s = pm_str_of(space);
  bool heap = pm_str_is(s, "heap"), thread = pm_str_is(s, "thread");
  if (!heap && !thread && !pm_str_is(s, "stack"))
    return pm_op_error(op, "has the memory space '%s', which should be heap, stack or thread", space);
  if (!heap && op->n_operands)
    return pm_op_error(op, "has the type %pT, but memory space '%s' needs constant extents",
                       (const void *)type, space);
  if (thread && !pm_is(pm_parent(op), &loop_parallel))
    return pm_op_error(op, "has the memory space 'thread' inside %s, but belongs directly in a loop.parallel",
                       pm_parent(op) ? pm_parent(op)->desc->name : "nothing");
  return verify_extents(op);
}

void buf_alloc_print(pm_printer *p, const pm_op *op) {
  print_array(p, op, NULL);
}

bool buf_alloc_parse(pm_parser *p, pm_op_state *state) {
  return pm_q_punct(p, "(") && parse_extents(p, state) && parse_array_type(p, state);
}

/* --- accesses --- */

/* The element and index operands of an access of `buffer` fit its type. */
static bool verify_access(const pm_op *op, pm_attr map_attr, pm_type buffer, pm_type element,
                          unsigned n_indices) {
  pm_affine_map map = map_attr->map;
  if (map->n_results != buffer->rank)
    return pm_op_error(op, "has %u indices, but %pT has rank %u", map->n_results, (const void *)buffer,
                       buffer->rank);
  if (map->n_dims != n_indices || map->n_syms)
    return pm_op_error(op, "has %u index operands, but its map has %u dimensions and %u symbols", n_indices,
                       map->n_dims, map->n_syms);
  if (pm_elem_type(buffer) != element)
    return pm_op_error(op, "has an element of type %pT, but the buffer is %pT", (const void *)element,
                       (const void *)buffer);
  return true;
}

static void print_access(pm_printer *p, const pm_op *op, unsigned buffer, pm_attr map) {
  static const char *const shown[] = {"map", NULL};
  pm_p_value(p, pm_arg(op, buffer));
  pm_p(p, "[");
  pm_p_map(p, map->map, &op->operands[buffer + 1]);
  pm_p(p, "]");
  pm_p_attr_dict(p, op, shown);
  pm_p(p, " : %pT", (const void *)pm_arg(op, buffer)->type);
}

typedef struct access_text {
  pm_operand_ref buffer;
  pm_operand_refs indices;
  pm_affine_map map;
  pm_type type;
} access_text;

/* `%b[…] {…} : memref<…>`; `a->indices` is the caller's to free. */
static bool parse_access(pm_parser *p, pm_op_state *state, access_text *a) {
  pm_context *ctx = pm_q_context(p);
  if (!pm_q_operand(p, &a->buffer) || !pm_q_punct(p, "[")) return false;
  if (pm_q_opt_punct(p, "]"))
    a->map = pm_get_affine_map(ctx, 0, 0, NULL, 0);
  else if (!pm_q_map(p, &a->map, &a->indices) || !pm_q_punct(p, "]"))
    return false;
  pm_state_attr(ctx, state, "map", pm_get_map_attr(a->map));
  if (!pm_q_opt_attr_dict(p, state) || !pm_q_punct(p, ":")) return false;
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_type(p, &a->type)) return false;
  if (pm_is_memref(a->type)) return true;
  pm_buf text = {0};
  pm_print_type(&text, a->type);
  pm_q_error(p, loc, "the type %s of the buffer should be a memref", text.data);
  pm_buf_free(&text);
  return false;
}

static bool resolve_access(pm_parser *p, pm_op_state *state, const access_text *a) {
  return pm_q_resolve(p, &a->buffer, a->type, state) && pm_q_resolve_affine(p, &a->indices, state);
}

bool buf_load_verify(const pm_op *op) {
  return verify_access(op, pm_attr_at(op, buf_load_map), pm_arg(op, buf_load_buffer)->type,
                       pm_res(op, 0)->type, op->n_operands - buf_load_indices);
}

void buf_load_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  print_access(p, op, buf_load_buffer, pm_attr_at(op, buf_load_map));
}

bool buf_load_parse(pm_parser *p, pm_op_state *state) {
  access_text a = {0};
  bool ok = parse_access(p, state, &a) && resolve_access(p, state, &a);
  if (ok) PM_VEC_PUSH(state->results, pm_elem_type(a.type));
  PM_VEC_FREE(a.indices);
  return ok;
}

bool buf_store_verify(const pm_op *op) {
  const pm_op *array = pm_def(pm_arg(op, buf_store_buffer));
  if (pm_is(array, &buf_input)) {
    pm_op_error(op, "writes to %pO, which is only read", (const void *)array);
    pm_note(pm_op_context(op), array->loc, "the array is declared here");
    return false;
  }
  return verify_access(op, pm_attr_at(op, buf_store_map), pm_arg(op, buf_store_buffer)->type,
                       pm_arg(op, buf_store_value)->type, op->n_operands - buf_store_indices);
}

void buf_store_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_value(p, pm_arg(op, buf_store_value));
  pm_p(p, ", ");
  print_access(p, op, buf_store_buffer, pm_attr_at(op, buf_store_map));
}

bool buf_store_parse(pm_parser *p, pm_op_state *state) {
  access_text a = {0};
  pm_operand_ref value;
  bool ok = pm_q_operand(p, &value) && pm_q_punct(p, ",") && parse_access(p, state, &a) &&
            pm_q_resolve(p, &value, pm_elem_type(a.type), state) && resolve_access(p, state, &a);
  PM_VEC_FREE(a.indices);
  return ok;
}
