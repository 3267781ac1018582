/* Ports of generators: their inputs, outputs and parameters. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/types/types.h"
#include "frontends/halide/evaluate/evaluate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_called(const cx_node *n, const char *name) {
  return n && n->name && strcmp(n->name->text, name) == 0;
}

bool h_is_port(pm_string name) {
  static const char *const names[] = {"Input",           "Output",     "GeneratorParam", "GeneratorInput",
                                      "GeneratorOutput", "ImageParam", "Param"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strcmp(names[i], name->text) == 0) return true;
  return false;
}

/* --- ports --- */

typedef struct port {
  cx_interp *in;
  pm_loc loc;
  const cx_node *type; /* Input<…> */
  const cx_node *of;   /* its argument, or NULL */
  cv *args;            /* behind the name */
  const pm_loc *locs;
  unsigned n_args;
  const char *name, *whole; /* or NULL; whole: of an item of an array, the name of that */
} port;

/* --- what the command line says --- */

const char *h_given_constant(cx_interp *in, const char *name) {
  h_state *state = h_state_of(in);
  const char *text = NULL;
  for (size_t i = 0; name && i < state->n_consts; i++)
    if (strcmp(state->consts[i].name, name) == 0) {
      state->consts[i].used = true;
      text = state->consts[i].text;
    }
  return text;
}

void h_add_constant(cx_interp *in, pm_loc loc, const char *name, const char *text) {
  h_state *state = h_state_of(in);
  for (size_t i = 0; i < state->n_consts; i++)
    if (strcmp(state->consts[i].name, name) == 0) return;
  h_const_use *all = pm_arena_alloc(in->arena, (state->n_consts + 1) * sizeof(*all));
  memcpy(all, state->consts, state->n_consts * sizeof(*all));
  all[state->n_consts++] = (h_const_use){name, text, loc, false};
  state->consts = all;
}

/* Of `--const NAME.type=…`; NULL: nothing is said. */
static const char *given_of(const port *p, const char *what) {
  pm_buf name = {0};
  if (!p->whole) return NULL;
  pm_buf_printf(&name, "%s.%s", p->whole, what);
  const char *text = h_given_constant(p->in, name.data);
  pm_buf_free(&name);
  return text;
}

static cv wrong_constant(const port *p, const char *text, const char *should) {
  return cx_fail(p->in, p->loc, "--const %s=%s: %s should be given", p->name ? p->name : "", text, should);
}

static cv type_of_text(const port *p, const char *text) {
  for (int type = 0; type < PM_INDEX; type++)
    if (strcmp(hx_type_name((pm_scalar)type), text) == 0 ||
        (type == PM_F32 && strcmp(text, "float32") == 0) || (type == PM_F64 && strcmp(text, "float64") == 0))
      return hv_type((pm_scalar)type);
  return wrong_constant(p, text, "a type, as uint8,");
}

/* "uint8,float32": Types. */
static cv types_of_text(const port *p, const char *text) {
  cv list = cx_new_list(p->in, CV_LIST);
  for (;;) {
    size_t len = strcspn(text, ",");
    cv type = type_of_text(p, pm_arena_strndup(p->in->arena, text, len));
    if (type.kind == CV_POISON) return type;
    cx_append(p->in, list, type);
    if (!text[len]) return list;
    text += len + 1;
  }
}

static bool given_number(const port *p, const char *what, int64_t *out) {
  const char *text = given_of(p, what);
  char *end = NULL;
  if (!text) return false;
  *out = strtoll(text, &end, 10);
  if (*text && !*end && *out >= 0 && *out <= CX_MAX_ITEMS) return true;
  wrong_constant(p, text, "a number");
  return false;
}

/* What is known of a port so far. */
typedef struct shape {
  unsigned n_types;
  uint8_t types[HX_MAX_ELEMENTS];
  int64_t rank; /* -1: not known */
} shape;

/* A Type, or a list of them for values of several elements. */
static bool take_types(const port *p, pm_loc loc, cv v, shape *out) {
  uint32_t n = v.kind == CV_LIST ? v.list->items.len : 1;
  if (n == 0 || n > HX_MAX_ELEMENTS) {
    cx_fail(p->in, loc, "%u types are here, 1 to %d should be", n, HX_MAX_ELEMENTS);
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    cv type = v.kind == CV_LIST ? v.list->items.data[i]->value : v;
    pm_scalar scalar;
    if (!h_to_type(p->in, loc, type, &scalar)) return false;
    out->types[i] = (uint8_t)scalar;
  }
  out->n_types = n;
  return true;
}

/* Behind the name stand a Type and a number of dimensions, or one of them. */
static bool take_arguments(const port *p, shape *out) {
  for (unsigned i = 0; i < p->n_args; i++) {
    if (p->args[i].kind == HV_TYPE || p->args[i].kind == CV_LIST) {
      if (!take_types(p, p->locs[i], p->args[i], out)) return false;
    } else if (p->args[i].kind == CV_INT) {
      out->rank = p->args[i].i;
    } else {
      cx_fail(p->in, p->locs[i], "this is %s, a Type or a number of dimensions should be here",
              cv_describe(p->in, p->args[i]));
      return false;
    }
  }
  return true;
}

/* Buffer<uint8_t, 2> */
static bool take_buffer(const port *p, shape *out) {
  pm_scalar type;
  const cx_node *of = p->of ? cx_resolve(p->in, p->of) : NULL;
  if (!is_called(of, "Buffer")) return true;
  if (cx_argument_of(of, 0) && cx_scalar_of(p->in, cx_argument_of(of, 0), &type)) {
    out->types[0] = (uint8_t)type;
    out->n_types = 1;
  }
  return !cx_argument_of(of, 1) || cx_to_int(p->in, p->loc, cx_eval(p->in, cx_argument_of(of, 1)), &out->rank,
                                             "the number of dimensions");
}

/* The types and the rank, by the declaration, or by the command line where this says nothing. False where
 * they are not known, which may be reported. */
static bool read_shape(const port *p, h_symbol *s) {
  shape all = {.rank = -1};
  if (!take_buffer(p, &all) || !take_arguments(p, &all)) return false;
  const char *types = given_of(p, "type");
  if (types && all.n_types == 0) {
    cv list = types_of_text(p, types);
    if (list.kind == CV_POISON || !take_types(p, p->loc, list, &all)) return false;
  }
  if (all.rank < 0) (void)given_number(p, "dim", &all.rank);
  if (all.rank > HX_MAX_DIMS) {
    cx_fail(p->in, p->loc, "%s has %lld dimensions, it should have at most %d",
            p->name ? p->name : "the buffer", (long long)all.rank, HX_MAX_DIMS);
    return false;
  }
  if (all.n_types > 1 && s->kind == H_BUFFER) {
    cx_fail(p->in, p->loc, "the input has %u types, it should have one", all.n_types);
    return false;
  }
  s->has_types = all.n_types > 0;
  s->has_rank = all.rank >= 0;
  s->is_declared = s->has_types && s->has_rank;
  if (s->has_types) memcpy(s->types, all.types, sizeof(all.types));
  if (s->has_types) s->n_elements = all.n_types;
  if (s->has_rank) s->n_dims = (unsigned)all.rank;
  return s->is_declared;
}

static h_symbol *new_port(const port *p, h_symbol_kind kind, bool is_input) {
  h_symbol *s = h_new_symbol(h_program_of(p->in), kind, p->loc, p->name);
  s->is_input = is_input;
  return s;
}

/* At the top level the ports are those of the call; those of a class are when it is run. */
static cv registered(cx_interp *in, h_symbol *s) {
  if (cx_current_object(in)) return hv_symbol(s);
  if (s->is_input)
    CX_PUSH(in->arena, h_program_of(in)->inputs, s);
  else
    CX_PUSH(in->arena, h_program_of(in)->outputs, s);
  return hv_symbol(s);
}

static cv incomplete(const port *p) {
  return cx_fail(
      p->in, p->loc,
      "the type and the number of dimensions of %s are not known, <Buffer<uint8_t, 2>> says them, or "
      "--const %s.type=uint8 and %s.dim=2",
      p->name ? p->name : "the buffer", p->whole ? p->whole : "NAME", p->whole ? p->whole : "NAME");
}

static void set_range(const port *p, h_symbol *s) {
  if (p->n_args > 0 && cv_is_number(p->args[0])) s->initial = cv_as_double(p->args[0]);
  for (unsigned i = 1; i < 3 && i < p->n_args; i++) {
    if (!cv_is_number(p->args[i])) continue;
    double value = p->args[i].kind == CV_INT ? (double)p->args[i].i : p->args[i].f;
    if (i == 1)
      s->has_low = true, s->low = value;
    else
      s->has_high = true, s->high = value;
  }
  const halide_options *options = h_state_of(p->in)->options;
  for (size_t i = 0; i < options->n_ranges; i++) {
    const halide_range *range = &options->ranges[i];
    if (strcmp(range->name, s->name->text) != 0) continue;
    s->has_low = s->has_high = true;
    s->low = range->low;
    s->high = range->high;
  }
}

static cv new_scalar(const port *p, pm_scalar type) {
  h_symbol *s = new_port(p, H_PARAM, true);
  s->types[0] = (uint8_t)type;
  s->is_declared = true;
  set_range(p, s);
  return registered(p->in, s);
}

static cv new_input(const port *p) {
  pm_scalar type;
  if (p->of && cx_scalar_of(p->in, p->of, &type)) return new_scalar(p, type);
  if (p->of && p->of->is_pointer)
    return cx_fail(p->in, p->loc, "%s is a pointer, a number or a buffer should be an input",
                   p->name ? p->name : "the input");
  if (is_called(p->of, "Expr") && p->n_args == 1 && p->args[0].kind == HV_TYPE) { /* add_input<Expr> */
    port untyped = *p;
    untyped.n_args = 0;
    return new_scalar(&untyped, (pm_scalar)p->args[0].scalar);
  }
  h_symbol *s = new_port(p, H_BUFFER, true);
  h_program_of(p->in)->n_definitions++; /* Halide makes a Func of it */
  unsigned errors = pm_error_count(p->in->ctx);
  if (read_shape(p, s)) return registered(p->in, s);
  if (pm_error_count(p->in->ctx) == errors && cx_current_object(p->in))
    return hv_symbol(s); /* configure() may say */
  return pm_error_count(p->in->ctx) > errors ? cv_poison : incomplete(p);
}

static cv new_output(const port *p) {
  h_symbol *s = new_port(p, H_FUNC, false);
  s->is_output = true;
  unsigned errors = pm_error_count(p->in->ctx);
  read_shape(p, s);
  return pm_error_count(p->in->ctx) > errors ? cv_poison : registered(p->in, s);
}

/* --- GeneratorParams --- */

static cv number_of_text(const port *p, pm_scalar type, const char *text) {
  char *end;
  errno = 0;
  if (type == PM_I1 && strcmp(text, "true") == 0) return cv_bool(true);
  if (type == PM_I1 && strcmp(text, "false") == 0) return cv_bool(false);
  double f = strtod(text, &end);
  bool is_number = *text && !*end && errno == 0;
  if (!is_number) return wrong_constant(p, text, type == PM_I1 ? "true or false" : "a number");
  if (cx_is_float(type)) return cv_float(type, f);
  long long i = strtoll(text, &end, 10);
  if (*end || errno) return wrong_constant(p, text, "an integer");
  return cv_int(type, i).i == i ? cv_int(type, i) : wrong_constant(p, text, "a number of its type");
}

/* One of the words of the map. */
static cv word_of_text(const port *p, cv map, const char *text) {
  for (uint32_t i = 0; i < map.list->items.len; i++) {
    cv pair = map.list->items.data[i]->value;
    cv key = pair.kind == CV_LIST && pair.list->items.len == 2 ? pair.list->items.data[0]->value : cv_poison;
    if (key.kind == CV_STRING && strcmp(key.text->text, text) == 0) return pair.list->items.data[1]->value;
  }
  return wrong_constant(p, text, "one of the words of the GeneratorParam");
}

static cv new_generator_param(const port *p) {
  pm_scalar type;
  const char *text = h_given_constant(p->in, p->name);
  cv value = p->n_args > 0 ? p->args[0] : cv_void;
  bool is_scalar = p->of && cx_scalar_of(p->in, p->of, &type);
  if (is_called(p->of, "LoopLevel")) return h_new_level(p->in, p->loc, NULL, 0);
  for (unsigned i = 0; text && i < p->n_args; i++)
    if (p->args[i].kind == CV_MAP || (p->args[i].kind == CV_LIST && !is_scalar))
      return word_of_text(p, p->args[i], text);
  if (text && is_scalar) return number_of_text(p, type, text);
  if (text && is_called(p->of, "Type")) return type_of_text(p, text);
  if (text) return cv_text(p->in->ctx, text, strlen(text));
  return p->n_args > 0 && p->of ? cx_convert(p->in, p->locs[0], p->of, value) : value;
}

static cv make_port(const port *p) {
  if (is_called(p->type, "GeneratorParam")) return new_generator_param(p);
  if (is_called(p->type, "Output") || is_called(p->type, "GeneratorOutput")) return new_output(p);
  if (is_called(p->type, "Param") && !p->of) return incomplete(p);
  return new_input(p);
}

/* --- arrays of ports --- */

cv h_new_port_item(cx_interp *in, const cx_list *list) {
  port p = *(const port *)list->own;
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_%u", p.whole ? p.whole : "port", list->items.len);
  p.name = pm_arena_strndup(in->arena, name.data, name.len);
  pm_buf_free(&name);
  return make_port(&p);
}

/* Input<Buffer<uint8_t, 2>[3]>; without a number as many as `--const NAME.size=3` or resize(3) says. */
static cv new_array(const port *p) {
  port item = *p;
  int64_t n = 0;
  cv list = cx_new_list(p->in, CV_LIST);
  item.of = p->of->a;
  list.list->own = pm_arena_memdup(p->in->arena, &item, sizeof(item));
  if (p->of->b && !cx_to_int(p->in, p->loc, cx_eval(p->in, p->of->b), &n, "the length of the array"))
    return cv_poison;
  if (!p->of->b) (void)given_number(p, "size", &n);
  if (n < 0 || n > CX_MAX_ITEMS)
    return cx_fail(p->in, p->loc, "the length of the array is %lld, it should be 0 to %d", (long long)n,
                   CX_MAX_ITEMS);
  for (int64_t i = 0; i < n && cx_may_go_on(p->in, p->loc); i++) {
    cv one = h_new_port_item(p->in, list.list);
    if (one.kind == CV_POISON) return one;
    cx_append(p->in, list, one);
  }
  return list;
}

cv h_new_port(const cx_making *m) {
  const cv *args = m->args;
  unsigned n_args = m->n_args;
  port p = {m->in,   m->loc,  m->type, cx_argument_of(m->type, 0),
            m->args, m->locs, n_args,  m->hint ? m->hint->text : NULL,
            NULL};
  if (n_args > 0 && args[0].kind == CV_STRING) {
    p.name = args[0].text->text;
    p.args++;
    p.locs++;
    p.n_args--;
  } else if (n_args > 0 && args[n_args - 1].kind == CV_STRING) { /* ImageParam(type, rank, name) */
    p.name = args[n_args - 1].text->text;
    p.n_args--;
  }
  p.whole = p.name;
  return p.of && p.of->kind == CX_INDEX ? new_array(&p) : make_port(&p);
}

/* --- what configure() adds, and what another generator sets --- */

/* A name that no member can have. */
static pm_string name_of_added(const cx_call *c, pm_string name) {
  pm_buf text = {0};
  pm_buf_printf(&text, "added %s", name->text);
  pm_string result = pm_get_string(c->in->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return result;
}

cv h_add_port(const cx_call *c) {
  bool is_input = strcmp(c->name->text, "add_input") == 0;
  cx_object *object = cx_current_object(c->in);
  if (!object || !object->instance->is_of_library)
    return cx_fail(c->in, c->loc, "%s is for configure() of a generator", c->name->text);
  if (!c->at || c->at->n_items == 0 || c->n_args == 0 || c->args[0].kind != CV_STRING)
    return cx_fail(c->in, c->loc, "%s should have a type in <> and a name, as %s<Buffer<uint8_t, 2>>(\"a\")",
                   c->name->text, c->name->text);
  cx_node *type = pm_arena_alloc(c->in->arena, sizeof(*type));
  *type = (cx_node){.kind = CX_TYPE,
                    .loc = c->loc,
                    .name = pm_get_cstring(c->in->ctx, is_input ? "Input" : "Output"),
                    .items = c->at->items,
                    .n_items = 1};
  cv port = h_new_port(&(cx_making){c->in, c->loc, type, c->args, c->locs, c->n_args, NULL, false, NULL});
  if (port.kind == CV_POISON) return port;
  cx_cell *cell = cx_new_cell(c->in, port);
  cell->type = type;
  cx_bind(c->in, object->members, name_of_added(c, c->args[0].text), cell, PM_NO_LOC);
  return (cv){.kind = CV_POINTER, .cell = cell};
}

cv h_set_param(const cx_call *c) {
  bool is_place = c->at && c->at->kind == CX_MEMBER && cx_is_place(c->at->a);
  cx_cell *cell = is_place ? cx_place(c->in, c->at->a) : NULL;
  if (!cell || !cell->type || !is_called(cell->type, "GeneratorParam"))
    return cx_fail(c->in, c->loc, "%s has no member 'set'", cv_describe(c->in, c->self));
  if (!cx_takes(c, 1, 1)) return cv_poison;
  const cx_node *of = cx_argument_of(cell->type, 0);
  cell->value = of ? cx_convert(c->in, c->locs[0], of, c->args[0]) : c->args[0];
  return cv_void;
}

bool h_is_port_of_outputs(const cx_list *list) {
  const port *p = list->own;
  return p && is_called(p->type, "Output");
}

/* --- where they are declared --- */

/* Of a function of a class, not of the class. */
static bool is_in_member_function(const cx_interp *in) {
  return !in->scope->object && cx_current_object(in);
}

bool h_may_declare(cx_interp *in, const cx_node *type, const cx_node *d) {
  bool is_port = h_is_port(type->name) && !type->is_pointer && !type->is_reference;
  if (!is_port || !is_in_member_function(in)) return true;
  cx_fail(in, d->loc, "%s %s is declared in a function, but should be a member of the generator",
          type->name->text, d->name->text);
  return false;
}
