/* Host code that computes on pixels, as references and drawings do: it is passed over, and what it changes is
 * not known from then on. It is an error where that reaches an image. */
#include "frontends/hipacc/hipacc.h"

#include <string.h>

/* What is looked for in a loop or a function. */
typedef struct search {
  cx_interp *in;
  bool has_elements; /* of memory are read or written */
  bool has_images;   /* images and kernels are used */
  bool of_function;  /* any element counts */
} search;

static hp_memory *memory_of(cx_interp *in, const cx_node *n) {
  const cx_cell *cell = n && n->kind == CX_NAME && n->name ? cx_find(in, in->scope, n->name) : NULL;
  return cell && cell->value.kind == HP_MEMORY ? cell->value.own : NULL;
}

static bool is_image_word(const char *name) {
  static const char *const words[] = {
      "execute",        "data",   "reduced_data", "binned_data",       "traverse", "Image", "Accessor",
      "IterationSpace", "Kernel", "Pyramid",      "BoundaryCondition", "Mask",     "Domain"};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (strcmp(words[i], name) == 0) return true;
  return false;
}

/* Calls `visit` for the node and all below. */
static void walk(const cx_node *n, void (*visit)(void *user, const cx_node *n), void *user) {
  if (!n) return;
  visit(user, n);
  walk(n->a, visit, user);
  walk(n->b, visit, user);
  walk(n->c, visit, user);
  for (uint32_t i = 0; i < n->n_items; i++) walk(n->items[i], visit, user);
}

/* The operand of an element, `a` of a[i] and *a. */
static const cx_node *array_of(const cx_node *n) {
  bool points = n->kind == CX_INDEX || (n->kind == CX_UNARY && n->op == CX_OP_MUL);
  return points ? n->a : NULL;
}

static void look_at(void *user, const cx_node *n) {
  search *s = user;
  bool is_named = n->kind == CX_MEMBER || n->kind == CX_TYPE || n->kind == CX_NAME;
  const cx_node *array = array_of(n);
  s->has_images = s->has_images || (is_named && n->name && is_image_word(n->name->text));
  s->has_elements = s->has_elements || (array && (s->of_function || memory_of(s->in, array)));
}

static cv unknown(void) {
  return (cv){.kind = PX_UNKNOWN};
}

/* What is assigned to, and memory that is handed over, is not known from here on. */
static void forget(void *user, const cx_node *n) {
  cx_interp *in = user;
  bool steps = (n->kind == CX_UNARY || n->kind == CX_POSTFIX) && (n->op == CX_OP_INC || n->op == CX_OP_DEC);
  const cx_node *to = n->kind == CX_ASSIGN || steps ? n->a : NULL;
  while (to && array_of(to)) to = array_of(to);
  hp_memory *memory = memory_of(in, to);
  cx_cell *cell = to && to->kind == CX_NAME ? cx_find(in, in->scope, to->name) : NULL;
  if (memory)
    memory->changed_at = n->loc;
  else if (cell && cv_is_number(cell->value))
    cell->value = unknown();
  for (uint32_t i = 0; n->kind == CX_CALL && i < n->n_items; i++) {
    memory = memory_of(in, n->items[i]);
    if (memory) memory->changed_at = n->loc;
  }
}

/* Memory that the function may write. */
static void forget_arguments(cx_interp *in, const cx_node *function, const cx_arguments *args) {
  (void)in;
  for (uint32_t i = 0; i < args->n; i++) {
    const cx_node *param = i < function->n_items ? function->items[i] : NULL;
    bool reads = param && param->a && param->a->is_const;
    if (args->values[i].kind == HP_MEMORY && !reads)
      ((hp_memory *)args->values[i].own)->changed_at = args->locs[i];
  }
}

/* --- loops that compute each element of itself --- */

/* `for (int p = 0; p < n; ++p) a[p] = …;`: a and the assignment; false: the loop is another one. */
static bool is_of_elements(cx_interp *in, const cx_node *n, hp_memory **memory, const cx_node **assignment) {
  const cx_node *first = n->kind == CX_FOR && n->n_items ? n->items[0] : NULL, *body = n->c;
  const cx_node *counter = first && first->kind == CX_DECLARE && first->n_items == 1 ? first->items[0] : NULL;
  if (!counter || !counter->b || counter->b->kind != CX_INT || counter->b->i || !n->a || !n->b) return false;
  bool bounded = n->a->kind == CX_BINARY && n->a->op == CX_OP_LT && n->a->a->kind == CX_NAME &&
                 n->a->a->name == counter->name;
  bool steps = (n->b->kind == CX_UNARY || n->b->kind == CX_POSTFIX) && n->b->op == CX_OP_INC &&
               n->b->a->kind == CX_NAME && n->b->a->name == counter->name;
  while (body && body->kind == CX_BLOCK && body->n_items == 1) body = body->items[0];
  if (body && body->kind == CX_EXPRESSION) body = body->a;
  bool assigns = body && body->kind == CX_ASSIGN && body->a->kind == CX_INDEX &&
                 body->a->b->kind == CX_NAME && body->a->b->name == counter->name;
  *memory = assigns ? memory_of(in, body->a->a) : NULL;
  *assignment = body;
  return bounded && steps && *memory;
}

static bool take_loop(cx_interp *in, const cx_node *n) {
  hp_memory *memory;
  const cx_node *assignment;
  int64_t count;
  if (!is_of_elements(in, n, &memory, &assignment)) return false;
  if (memory->of || memory->bins || memory->loop || memory->changed_at.line) return false;
  cv end = cx_eval(in, n->a->b);
  const px_number *number = end.kind == PX_NUMBER ? end.own : NULL;
  pm_affine_expr affine = number ? number->affine : NULL;
  if (!affine && !cx_to_int(in, n->a->b->loc, end, &count, "the number of elements")) return false;
  memory->loop = n;
  memory->scope = in->scope;
  memory->count = affine ? affine : hp_size_of(hp_state_of(in), count);
  return true;
}

bool hp_passes_over(cx_interp *in, const cx_node *n, const cx_arguments *args, cv *result) {
  search s = {.in = in, .of_function = args};
  bool has_memory = !args;
  if (hp_state_of(in)->run) return false;
  for (uint32_t i = 0; args && i < args->n; i++) has_memory = has_memory || args->values[i].kind == HP_MEMORY;
  if (!has_memory) return false;
  if (args) {
    walk(n->b, look_at, &s);
  } else {
    walk(n, look_at, &s);
  }
  if (!s.has_elements || s.has_images) return false;
  if (args)
    forget_arguments(in, n, args);
  else if (!take_loop(in, n))
    walk(n, forget, in);
  *result = unknown();
  return true;
}

cv hp_compute_element(cx_interp *in, pm_loc loc, void *user, cv pixel) {
  hp_memory *memory = user;
  hp_state *s = hp_state_of(in);
  cx_scope *outside = in->scope;
  hp_memory *of;
  const cx_node *n;
  (void)loc;
  in->scope = cx_push_local_scope(in, memory->scope);
  (void)is_of_elements(in, memory->loop, &of, &n);
  cx_declare(in, in->scope, memory->loop->items[0]->items[0]->name, unknown());
  s->point = memory;
  s->pixel = pixel;
  cv value = cx_eval(in, n->b);
  if (n->op != CX_OP_NONE && value.kind != CV_POISON) {
    cv all;
    value = px_binary(in, n->loc, n->op, pixel, value, &all) ? all : cv_poison;
  }
  s->point = NULL;
  in->scope = outside;
  return value;
}

cv hp_index_memory(cx_interp *in, pm_loc loc, cv self, cv index) {
  const hp_state *s = hp_state_of(in);
  (void)loc;
  return s->point == self.own && index.kind == PX_UNKNOWN ? s->pixel : unknown();
}
