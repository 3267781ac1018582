/* Elements of Images and arrays: what an index leads to, reads by the rule of an Image, and writes. */
#include "dialects/arith/arith.h"
#include "frontends/cxx/types/types.h"
#include "frontends/imagecl/imagecl.h"

/* --- indices --- */

const char *ic_describe(cv self) {
  const ic_element *e = self.own;
  if (!e->of->array->is_image) return e->n ? "an array with too few indices" : "an array";
  return e->n ? "an Image with one index" : "an Image";
}

static cv new_element(cx_interp *in, const ic_element *e) {
  const ic_array *a = e->of->array;
  ic_kind kind = e->n == 0 ? IC_ARRAY : e->n < a->n_dims ? IC_ROW : IC_ELEMENT;
  return (cv){.kind = (uint16_t)kind, .own = pm_arena_memdup(in->arena, e, sizeof *e)};
}

cv ic_index(cx_interp *in, pm_loc loc, cv self, cv index) {
  ic_element e = *(const ic_element *)self.own;
  if (index.kind == IC_ARRAY || index.kind == IC_ROW || !px_is_number(index) ||
      cx_is_float(px_type_of(index)))
    return cx_fail(in, loc, "the index is %s, it should be an integer",
                   px_is_number(index) ? "a float" : cv_describe(in, index));
  e.loc = loc;
  e.indices[e.n++] = index;
  return new_element(in, &e);
}

static bool is_incomplete(cv v) {
  return v.kind == IC_ARRAY || v.kind == IC_ROW;
}

cv ic_say_indices(cx_interp *in, pm_loc loc, const ic_array *a, unsigned n) {
  if (a->is_image)
    return cx_fail(in, loc, "the Image '%s' has %s here, it should have two: %s[x][y]", a->name->text,
                   n == 1   ? "one index"
                   : n == 0 ? "no index"
                            : "more than two indices",
                   a->name->text);
  return cx_fail(in, loc, "the array '%s' has %u %s here, it should have %u", a->name->text, n,
                 n == 1 ? "index" : "indices", a->n_dims);
}

static cv say_incomplete(cx_interp *in, pm_loc loc, cv v) {
  const ic_element *e = v.own;
  return ic_say_indices(in, loc, e->of->array, e->n);
}

bool ic_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out) {
  if (!is_incomplete(a) && !is_incomplete(b)) return px_binary(in, loc, op, a, b, out);
  return *out = say_incomplete(in, loc, is_incomplete(a) ? a : b), true;
}

bool ic_to_scalar(cx_interp *in, pm_loc loc, pm_scalar type, cv v, cv *out) {
  if (!is_incomplete(v)) return px_to_scalar(in, loc, type, v, out);
  return *out = say_incomplete(in, loc, v), true;
}

/* --- reads --- */

static pm_affine_expr affine_of(const cx_interp *in, cv index) {
  if (index.kind == CV_INT) return pm_affine_const(in->ctx, index.i);
  return index.kind == PX_NUMBER ? ((const px_number *)index.own)->affine : NULL;
}

/* The pixel of the point, in an Image of the grid's size. */
static bool is_own(const cx_interp *in, const ic_element *e) {
  const ic_array *a = e->of->array;
  return a->is_image && ic_size_of(a->size) == ic_size_of(ic_state_of(in)->run->kernel->grid) &&
         affine_of(in, e->indices[0]) == pm_affine_dim(in->ctx, 1) &&
         affine_of(in, e->indices[1]) == pm_affine_dim(in->ctx, 0);
}

/* Integers of more than 32 bits, and unsigned ones, do not fit i32. */
static pm_scalar index_type(cv index) {
  pm_scalar type = px_type_of(index);
  return type == PM_U32 || cx_bits(type) > 32 ? PM_I64 : PM_I32;
}

/* The largest number of the narrowest unsigned integer that the value was; -1: of more than 16 bits. */
static int64_t most_of(pm_context *ctx, const pm_value *v) {
  int64_t most = -1;
  for (;;) {
    if (v->type == pm_get_scalar(ctx, PM_U16) && most < 0) most = UINT16_MAX;
    if (v->type == pm_get_scalar(ctx, PM_U8)) most = UINT8_MAX;
    const pm_op *op = pm_def(v);
    if (!pm_is(op, &arith_cast)) return most;
    v = pm_arg(op, 0);
  }
}

static kit_node show(const void *user, const void *expr) {
  (void)user;
  return *(const kit_node *)expr;
}

static const kit_node *new_node(cx_interp *in, kit_node node) {
  return pm_arena_memdup(in->arena, &node, sizeof node);
}

/* `from` less the coefficient times the last coordinate. */
static const kit_node *less_last(cx_interp *in, pm_loc loc, const kit_node *from, int64_t factor,
                                 const ic_size *grid, unsigned dim) {
  if (factor <= 0) return from;
  const kit_node *one = new_node(in, (kit_node){.kind = KIT_INT, .loc = loc, .value = 1}), *last;
  if (grid->is_constant)
    last = new_node(in, (kit_node){.kind = KIT_INT, .loc = loc, .value = grid->n[dim]});
  else
    last = new_node(in, (kit_node){.kind = KIT_NAME, .loc = loc, .name = grid->params[dim]->text});
  last = new_node(in, (kit_node){.kind = KIT_SUB, .loc = loc, .args = {last, one}});
  const kit_node *by = new_node(in, (kit_node){.kind = KIT_INT, .loc = loc, .value = factor});
  last = new_node(in, (kit_node){.kind = KIT_MUL, .loc = loc, .args = {by, last}});
  return new_node(in, (kit_node){.kind = KIT_SUB, .loc = loc, .args = {from, last}});
}

/* The array of a length that is a parameter is long enough for the index, where that is known. */
static void require_length(cx_interp *in, pm_loc loc, const ic_array *a, pm_affine_expr e, int64_t most) {
  static const kit_exprs exprs = {show, NULL};
  ic_state *s = ic_state_of(in);
  const ic_size *grid = ic_size_of(s->run->kernel->grid);
  const int64_t zeros[2] = {0};
  int64_t factors[2] = {0};
  if (e && !pm_affine_dim_coeffs(e, factors, 2)) return;
  if (e) most = pm_affine_eval(e, zeros, NULL);
  const kit_node *rest = new_node(in, (kit_node){.kind = KIT_NAME, .loc = loc, .name = a->length->text});
  const kit_node *number = new_node(in, (kit_node){.kind = KIT_INT, .loc = loc, .value = most});
  rest = less_last(in, loc, rest, factors[1], grid, 0);
  rest = less_last(in, loc, rest, factors[0], grid, 1);
  if (most) rest = new_node(in, (kit_node){.kind = KIT_SUB, .loc = loc, .args = {rest, number}});
  (void)kit_require_extent(&s->kit, &exprs, rest, "the length of an array");
}

/* Where other points do something else the read happens nevertheless, so its index may be outside. */
static bool is_conditional(const cx_interp *in) {
  return in->path.kind != CV_INT;
}

static bool is_inside(cx_interp *in, const ic_element *e, unsigned d) {
  const ic_array *a = e->of->array;
  cv i = e->indices[d];
  int64_t n = a->extents[d];
  if (i.kind != CV_INT || is_conditional(in) || (i.i >= 0 && (!n || i.i < n))) return true;
  if (n)
    cx_fail(in, e->loc, "the index is %lld, the array '%s' has %lld elements there", (long long)i.i,
            a->name->text, (long long)n);
  else
    cx_fail(in, e->loc, "the index is %lld, it should not be negative", (long long)i.i);
  return false;
}

pm_affine_expr ic_put_index(cx_interp *in, const ic_element *e, unsigned d, pm_value **operands,
                            unsigned *n) {
  const ic_array *a = e->of->array;
  cv index = e->indices[a->is_image ? 1 - d : d];
  pm_affine_expr affine = affine_of(in, index);
  pm_value *value = affine ? NULL : px_value_of(in, e->loc, index, index_type(index));
  if (!affine && !value) return NULL;
  bool has_length = a->length && d == 0 && !is_conditional(in);
  int64_t most = affine ? 0 : most_of(in->ctx, value);
  if (has_length && most >= 0) require_length(in, e->loc, a, affine, most);
  if (affine) return affine;
  operands[*n] = value;
  return pm_affine_dim(in->ctx, (*n)++);
}

static pm_attr boundary_of(cx_interp *in, const ic_element *e) {
  const ic_array *a = e->of->array;
  pm_attr modes[IC_MOST_DIMS];
  pm_type type = pm_get_scalar(in->ctx, a->type);
  if (is_own(in, e) || (!a->is_image && !is_conditional(in))) return NULL;
  pm_attr mode = a->is_image && e->of->rule == IC_CONSTANT
                     ? (cx_is_float(a->type) ? pm_get_float(type, 0) : pm_get_int(type, 0))
                     : pm_get_string_attr(in->ctx, pm_str_of("clamp"));
  for (unsigned d = 0; d < a->n_dims; d++) modes[d] = mode;
  return pm_get_array(in->ctx, modes, a->n_dims);
}

static cv read_element(cx_interp *in, const ic_element *e) {
  ic_array *a = e->of->array;
  ic_run *run = ic_state_of(in)->run;
  pm_value *operands[2 + IC_MOST_DIMS] = {run->body.y, run->body.x};
  unsigned n = run->body.y ? 2 : 0;
  px_count_read(in, e->loc, &run->body);
  pm_affine_expr results[IC_MOST_DIMS];
  for (unsigned d = 0; d < a->n_dims; d++)
    if ((!a->is_image && !is_inside(in, e, d)) || !(results[d] = ic_put_index(in, e, d, operands, &n)))
      return cv_poison;
  run->body.b.loc = e->loc;
  pm_affine_map map = pm_get_affine_map(in->ctx, n, 0, results, a->n_dims);
  return px_number_of(in, a->type,
                      stage_build_read(&run->body.b, a->now, pm_get_scalar(in->ctx, a->type), map, operands,
                                       boundary_of(in, e)));
}

/* --- writes --- */

static ic_output *find_output(const ic_run *run, const ic_array *a) {
  for (uint32_t i = 0; i < run->outputs.len; i++)
    if (run->outputs.data[i].array == a) return &run->outputs.data[i];
  return NULL;
}

cv ic_load(cx_interp *in, cv self) {
  const ic_element *e = self.own;
  const ic_output *own = is_own(in, e) ? find_output(ic_state_of(in)->run, e->of->array) : NULL;
  return own ? own->cell->value : read_element(in, e);
}

/* Until it is written to the pixel has what it had. */
static cx_cell *add_output(cx_interp *in, const ic_element *e) {
  ic_run *run = ic_state_of(in)->run;
  cx_cell *cell = cx_new_cell(in, read_element(in, e));
  CX_PUSH(in->arena, run->outputs, ((ic_output){e->of->array, cell}));
  return cell;
}

void ic_assign(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right) {
  const ic_element *e = left.own;
  const ic_array *a = e->of->array;
  ic_run *run = ic_state_of(in)->run;
  if (right.kind == CV_POISON) return;
  if (is_incomplete(left)) {
    say_incomplete(in, loc, left);
    return;
  }
  if (!px_is_number(right)) {
    if (is_incomplete(right))
      say_incomplete(in, loc, right);
    else
      cx_fail(in, loc, "this is %s, a number should be here", cv_describe(in, right));
    return;
  }
  if (!is_own(in, e)) {
    ic_write write = {.element = e, .loc = loc, .op = op, .path = in->path, .value = right};
    CX_PUSH(in->arena, run->writes, write);
    return;
  }
  ic_output *own = find_output(run, a);
  cx_cell *cell = own ? own->cell : add_output(in, e);
  cv value = op == CX_OP_NONE ? right : px_operate(in, loc, op, cell->value, right);
  cx_note_change(in, cell);
  cell->value = px_convert(in, loc, a->type, value);
}
