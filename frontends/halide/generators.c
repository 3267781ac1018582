/* Generators: their inputs, outputs and parameters, and what runs them. */
#include "frontends/halide/interp.h"

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

typedef struct h_port {
  h_interp *in;
  pm_loc loc;
  const cx_node *type; /* Input<…> */
  const cx_node *of;   /* its argument, or NULL */
  hv *args;            /* behind the name */
  const pm_loc *locs;
  unsigned n_args;
  const char *name, *whole; /* or NULL; whole: of an item of an array, the name of that */
} port;

/* --- what the command line says --- */

static const char *given_constant(h_interp *in, const char *name) {
  const char *text = NULL;
  for (size_t i = 0; name && i < in->n_consts; i++)
    if (strcmp(in->consts[i].name, name) == 0) {
      in->consts[i].used = true;
      text = in->consts[i].text;
    }
  return text;
}

/* Of `--const NAME.type=…`; NULL: nothing is said. */
static const char *given_of(const port *p, const char *what) {
  pm_buf name = {0};
  if (!p->whole) return NULL;
  pm_buf_printf(&name, "%s.%s", p->whole, what);
  const char *text = given_constant(p->in, name.data);
  pm_buf_free(&name);
  return text;
}

static hv wrong_constant(const port *p, const char *text, const char *should) {
  return h_fail(p->in, p->loc, "--const %s=%s: %s should be given", p->name ? p->name : "", text, should);
}

static hv type_of_text(const port *p, const char *text) {
  for (int type = 0; type < PM_INDEX; type++)
    if (strcmp(hx_type_name((pm_scalar)type), text) == 0 ||
        (type == PM_F32 && strcmp(text, "float32") == 0) || (type == PM_F64 && strcmp(text, "float64") == 0))
      return (hv){.kind = HV_TYPE, .scalar = (uint8_t)type};
  return wrong_constant(p, text, "a type, as uint8,");
}

/* "uint8,float32": Types. */
static hv types_of_text(const port *p, const char *text) {
  hv list = hv_new_list(p->in, HV_LIST);
  for (;;) {
    size_t len = strcspn(text, ",");
    hv type = type_of_text(p, pm_arena_strndup(p->in->arena, text, len));
    if (type.kind == HV_POISON) return type;
    hv_append(p->in, list, type);
    if (!text[len]) return list;
    text += len + 1;
  }
}

static bool given_number(const port *p, const char *what, int64_t *out) {
  const char *text = given_of(p, what);
  char *end = NULL;
  if (!text) return false;
  *out = strtoll(text, &end, 10);
  if (*text && !*end && *out >= 0 && *out <= H_MAX_ITEMS) return true;
  wrong_constant(p, text, "a number");
  return false;
}

static const cx_node *argument_of(const cx_node *type, unsigned i) {
  return type && i < type->n_items ? type->items[i] : NULL;
}

/* What is known of a port so far. */
typedef struct shape {
  unsigned n_types;
  uint8_t types[HX_MAX_ELEMENTS];
  int64_t rank; /* -1: not known */
} shape;

/* A Type, or a list of them for values of several elements. */
static bool take_types(const port *p, pm_loc loc, hv v, shape *out) {
  uint32_t n = v.kind == HV_LIST ? v.list->items.len : 1;
  if (n == 0 || n > HX_MAX_ELEMENTS) {
    h_fail(p->in, loc, "%u types are here, 1 to %d should be", n, HX_MAX_ELEMENTS);
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    hv type = v.kind == HV_LIST ? v.list->items.data[i]->value : v;
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
    if (p->args[i].kind == HV_TYPE || p->args[i].kind == HV_LIST) {
      if (!take_types(p, p->locs[i], p->args[i], out)) return false;
    } else if (p->args[i].kind == HV_INT) {
      out->rank = p->args[i].i;
    } else {
      h_fail(p->in, p->locs[i], "this is %s, a Type or a number of dimensions should be here",
             hv_describe(p->args[i]));
      return false;
    }
  }
  return true;
}

/* Buffer<uint8_t, 2> */
static bool take_buffer(const port *p, shape *out) {
  pm_scalar type;
  const cx_node *of = p->of ? h_resolve(p->in, p->of) : NULL;
  if (!is_called(of, "Buffer")) return true;
  if (argument_of(of, 0) && h_scalar_of(p->in, argument_of(of, 0), &type)) {
    out->types[0] = (uint8_t)type;
    out->n_types = 1;
  }
  return !argument_of(of, 1) ||
         h_to_int(p->in, p->loc, h_eval(p->in, argument_of(of, 1)), &out->rank, "the number of dimensions");
}

/* The types and the rank, by the declaration, or by the command line where this says nothing. False where
 * they are not known, which may be reported. */
static bool read_shape(const port *p, h_symbol *s) {
  shape all = {.rank = -1};
  if (!take_buffer(p, &all) || !take_arguments(p, &all)) return false;
  const char *types = given_of(p, "type");
  if (types && all.n_types == 0) {
    hv list = types_of_text(p, types);
    if (list.kind == HV_POISON || !take_types(p, p->loc, list, &all)) return false;
  }
  if (all.rank < 0) (void)given_number(p, "dim", &all.rank);
  if (all.rank > HX_MAX_DIMS) {
    h_fail(p->in, p->loc, "%s has %lld dimensions, it should have at most %d",
           p->name ? p->name : "the buffer", (long long)all.rank, HX_MAX_DIMS);
    return false;
  }
  if (all.n_types > 1 && s->kind == H_BUFFER) {
    h_fail(p->in, p->loc, "the input has %u types, it should have one", all.n_types);
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
  h_symbol *s = h_new_symbol(&p->in->program, kind, p->loc, p->name);
  s->is_input = is_input;
  return s;
}

static bool is_in_object(const h_interp *in) {
  for (const hv_scope *s = in->scope; s; s = s->outer)
    if (s->object) return true;
  return false;
}

/* At the top level the ports are those of the call; those of a class are when it is run. */
static hv registered(h_interp *in, h_symbol *s) {
  if (is_in_object(in)) return hv_symbol(s);
  if (s->is_input)
    H_PUSH(in->arena, in->program.inputs, s);
  else
    H_PUSH(in->arena, in->program.outputs, s);
  return hv_symbol(s);
}

static hv incomplete(const port *p) {
  return h_fail(
      p->in, p->loc,
      "the type and the number of dimensions of %s are not known, <Buffer<uint8_t, 2>> says them, or "
      "--const %s.type=uint8 and %s.dim=2",
      p->name ? p->name : "the buffer", p->whole ? p->whole : "NAME", p->whole ? p->whole : "NAME");
}

static void set_range(const port *p, h_symbol *s) {
  for (unsigned i = 1; i < 3 && i < p->n_args; i++) {
    if (!hv_is_number(p->args[i])) continue;
    double value = p->args[i].kind == HV_INT ? (double)p->args[i].i : p->args[i].f;
    if (i == 1)
      s->has_low = true, s->low = value;
    else
      s->has_high = true, s->high = value;
  }
  for (size_t i = 0; i < p->in->options->n_ranges; i++) {
    const halide_range *range = &p->in->options->ranges[i];
    if (strcmp(range->name, s->name->text) != 0) continue;
    s->has_low = s->has_high = true;
    s->low = range->low;
    s->high = range->high;
  }
}

static hv new_scalar(const port *p, pm_scalar type) {
  h_symbol *s = new_port(p, H_PARAM, true);
  s->types[0] = (uint8_t)type;
  s->is_declared = true;
  set_range(p, s);
  return registered(p->in, s);
}

static hv new_input(const port *p) {
  pm_scalar type;
  if (p->of && h_scalar_of(p->in, p->of, &type)) return new_scalar(p, type);
  h_symbol *s = new_port(p, H_BUFFER, true);
  p->in->program.n_definitions++; /* Halide makes a Func of it */
  unsigned errors = pm_error_count(p->in->ctx);
  if (read_shape(p, s)) return registered(p->in, s);
  if (pm_error_count(p->in->ctx) == errors && is_in_object(p->in))
    return hv_symbol(s); /* configure() may say */
  return pm_error_count(p->in->ctx) > errors ? hv_poison : incomplete(p);
}

static hv new_output(const port *p) {
  h_symbol *s = new_port(p, H_FUNC, false);
  s->is_output = true;
  unsigned errors = pm_error_count(p->in->ctx);
  read_shape(p, s);
  return pm_error_count(p->in->ctx) > errors ? hv_poison : registered(p->in, s);
}

/* --- GeneratorParams --- */

static hv number_of_text(const port *p, pm_scalar type, const char *text) {
  char *end;
  errno = 0;
  if (type == PM_I1 && strcmp(text, "true") == 0) return hv_bool(true);
  if (type == PM_I1 && strcmp(text, "false") == 0) return hv_bool(false);
  double f = strtod(text, &end);
  bool is_number = *text && !*end && errno == 0;
  if (!is_number) return wrong_constant(p, text, type == PM_I1 ? "true or false" : "a number");
  if (hx_is_float_type(type)) return hv_float(type, f);
  long long i = strtoll(text, &end, 10);
  if (*end || errno) return wrong_constant(p, text, "an integer");
  return hv_int(type, i).i == i ? hv_int(type, i) : wrong_constant(p, text, "a number of its type");
}

/* One of the words of the map. */
static hv word_of_text(const port *p, hv map, const char *text) {
  for (uint32_t i = 0; i < map.list->items.len; i++) {
    hv pair = map.list->items.data[i]->value;
    hv key = pair.kind == HV_LIST && pair.list->items.len == 2 ? pair.list->items.data[0]->value : hv_poison;
    if (key.kind == HV_STRING && strcmp(key.text->text, text) == 0) return pair.list->items.data[1]->value;
  }
  return wrong_constant(p, text, "one of the words of the GeneratorParam");
}

static hv new_generator_param(const port *p) {
  pm_scalar type;
  const char *text = given_constant(p->in, p->name);
  hv value = p->n_args > 0 ? p->args[0] : hv_void;
  bool is_scalar = p->of && h_scalar_of(p->in, p->of, &type);
  if (is_called(p->of, "LoopLevel")) return h_new_level(p->in, p->loc, NULL, 0);
  for (unsigned i = 0; text && i < p->n_args; i++)
    if (p->args[i].kind == HV_MAP || (p->args[i].kind == HV_LIST && !is_scalar))
      return word_of_text(p, p->args[i], text);
  if (text && is_scalar) return number_of_text(p, type, text);
  if (text && is_called(p->of, "Type")) return type_of_text(p, text);
  if (text) return hv_text(p->in->ctx, text, strlen(text));
  return p->n_args > 0 && p->of ? h_convert(p->in, p->locs[0], p->of, value) : value;
}

static hv make_port(const port *p) {
  if (is_called(p->type, "GeneratorParam")) return new_generator_param(p);
  if (is_called(p->type, "Output") || is_called(p->type, "GeneratorOutput")) return new_output(p);
  if (is_called(p->type, "Param") && !p->of) return incomplete(p);
  return new_input(p);
}

/* --- arrays of ports --- */

hv h_new_port_item(h_interp *in, const hv_list *list) {
  port p = *list->port;
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_%u", p.whole ? p.whole : "port", list->items.len);
  p.name = pm_arena_strndup(in->arena, name.data, name.len);
  pm_buf_free(&name);
  return make_port(&p);
}

/* Input<Buffer<uint8_t, 2>[3]>; without a number as many as `--const NAME.size=3` or resize(3) says. */
static hv new_array(const port *p) {
  port item = *p;
  int64_t n = 0;
  hv list = hv_new_list(p->in, HV_LIST);
  item.of = p->of->a;
  list.list->port = pm_arena_memdup(p->in->arena, &item, sizeof(item));
  if (p->of->b && !h_to_int(p->in, p->loc, h_eval(p->in, p->of->b), &n, "the length of the array"))
    return hv_poison;
  if (!p->of->b) (void)given_number(p, "size", &n);
  if (n < 0 || n > H_MAX_ITEMS)
    return h_fail(p->in, p->loc, "the length of the array is %lld, it should be 0 to %d", (long long)n,
                  H_MAX_ITEMS);
  for (int64_t i = 0; i < n && h_may_go_on(p->in, p->loc); i++) {
    hv one = h_new_port_item(p->in, list.list);
    if (one.kind == HV_POISON) return one;
    hv_append(p->in, list, one);
  }
  return list;
}

hv h_new_port(h_interp *in, pm_loc loc, const cx_node *type, hv *args, const pm_loc *locs, unsigned n_args,
              pm_string hint) {
  port p = {in, loc, type, argument_of(type, 0), args, locs, n_args, hint ? hint->text : NULL, NULL};
  if (n_args > 0 && args[0].kind == HV_STRING) {
    p.name = args[0].text->text;
    p.args++;
    p.locs++;
    p.n_args--;
  } else if (n_args > 0 && args[n_args - 1].kind == HV_STRING) { /* ImageParam(type, rank, name) */
    p.name = args[n_args - 1].text->text;
    p.n_args--;
  }
  p.whole = p.name;
  return p.of && p.of->kind == CX_INDEX ? new_array(&p) : make_port(&p);
}

/* --- generators --- */

bool h_is_generator(h_interp *in, const cx_node *class_node) {
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    const cx_node *base = class_node->c->items[i], *node = h_find_class(in, base->name);
    if (is_called(base, "Generator")) return true;
    if (node && node != class_node && h_is_generator(in, node)) return true;
  }
  return false;
}

static bool has_symbol(hv v) {
  return v.kind == HV_FUNC || v.kind == HV_BUFFER || v.kind == HV_PARAM;
}

static void register_port(h_interp *in, hv v, bool inputs) {
  for (uint32_t i = 0; v.kind == HV_LIST && v.list->port && i < v.list->items.len; i++)
    register_port(in, v.list->items.data[i]->value, inputs);
  if (!has_symbol(v)) return;
  if (inputs && v.symbol->is_input) H_PUSH(in->arena, in->program.inputs, v.symbol);
  if (!inputs && v.symbol->is_output) H_PUSH(in->arena, in->program.outputs, v.symbol);
  if (inputs && v.symbol->is_input && v.kind == HV_BUFFER && !v.symbol->is_declared)
    h_fail(in, v.symbol->loc,
           "the %s of %s is not known, <Buffer<uint8_t, 2>> says it, or --const %s.type=uint8 and %s.dim=2",
           v.symbol->has_types  ? "number of dimensions"
           : v.symbol->has_rank ? "type"
                                : "type and number of dimensions",
           v.symbol->name->text, v.symbol->name->text, v.symbol->name->text);
}

static void register_ports(h_interp *in, const hv_object *object, bool inputs) {
  for (uint32_t i = 0; i < object->members->names.len; i++)
    register_port(in, object->members->names.data[i].cell->value, inputs);
}

/* The class that a generator program without HALIDE_REGISTER_GENERATOR has. */
static const cx_node *only_generator(h_interp *in) {
  const cx_node *found = NULL;
  for (uint32_t i = 0; i < in->classes.len; i++)
    if (h_is_generator(in, in->classes.data[i])) found = in->classes.data[i];
  return found;
}

void h_run_generator(h_interp *in, pm_loc loc) {
  const char *wanted = in->options->generator;
  const cx_node *node = in->generator ? h_find_class(in, in->generator->name) : only_generator(in);
  if (wanted && !in->generator) {
    pm_error(in->ctx, loc, "--generator %s: no generator of the program is named so", wanted);
    return;
  }
  if (!node) return;
  if (!in->generator_name) in->generator_name = node->name;
  hv object = h_new_object(in, node->loc, node, in->generator, NULL, NULL, 0, false);
  if (object.kind != HV_OBJECT) return;
  h_call_member(in, node->loc, object.object, "configure");
  register_ports(in, object.object, true);
  h_call_member(in, node->loc, object.object, "generate");
  h_call_member(in, node->loc, object.object, "schedule");
  register_ports(in, object.object, false);
}

/* --- generators that others make --- */

static void make_local(hv v) {
  for (uint32_t i = 0; v.kind == HV_LIST && v.list->port && i < v.list->items.len; i++)
    make_local(v.list->items.data[i]->value);
  if (v.kind == HV_FUNC) v.symbol->is_output = v.symbol->is_declared = false;
}

hv h_create_generator(h_interp *in, pm_loc loc, const cx_node *type) {
  const cx_node *class_node = h_find_class(in, type->name);
  if (!class_node) return h_fail(in, loc, "the class '%s' is not known here", type->name->text);
  hv object = h_new_object(in, loc, class_node, type, NULL, NULL, 0, false);
  for (uint32_t i = 0; object.kind == HV_OBJECT && i < object.object->members->names.len; i++)
    make_local(object.object->members->names.data[i].cell->value);
  return object;
}

static bool is_input(hv v) {
  if (v.kind == HV_LIST) return v.list->port && !is_called(v.list->port->type, "Output");
  return (v.kind == HV_BUFFER || v.kind == HV_PARAM) && v.symbol->is_input;
}

/* Gives the Inputs their values, in their order, and runs the generator. */
static hv apply(h_interp *in, pm_loc loc, hv_object *object, const hv *args, unsigned n_args) {
  unsigned n = 0;
  for (uint32_t i = 0; i < object->members->names.len && n < n_args; i++) {
    hv_cell *cell = object->members->names.data[i].cell;
    if (is_input(cell->value)) cell->value = args[n++];
  }
  if (n < n_args) return h_fail(in, loc, "the generator has %u inputs, %u are given", n, n_args);
  h_call_member(in, loc, object, "configure");
  h_call_member(in, loc, object, "generate");
  h_call_member(in, loc, object, "schedule");
  return hv_void;
}

/* generator->apply(inputs…) */
hv h_apply_generator(const h_call *c) {
  if (!c->self.object->is_generator) return h_fail(c->in, c->loc, "apply is of generators");
  return apply(c->in, c->loc, c->self.object, c->args, c->n_args);
}

/* The generator whose stub has the function `name::end`; NULL: there is none. */
static const cx_node *stub_of(const h_interp *in, pm_string function, const char *end) {
  for (uint32_t i = 0; i < in->generators.len; i++) {
    pm_string name = in->generators.data[i].name;
    if (strncmp(function->text, name->text, name->len) == 0 && strcmp(function->text + name->len, end) == 0)
      return in->generators.data[i].type;
  }
  return NULL;
}

/* The output, where it is one; else the object, whose members they are. */
static hv outputs_of(hv object) {
  hv one = hv_void;
  unsigned n = 0;
  for (uint32_t i = 0; i < object.object->members->names.len; i++) {
    const hv_cell *cell = object.object->members->names.data[i].cell;
    bool is_output =
        cell->type && (is_called(cell->type, "Output") || is_called(cell->type, "GeneratorOutput"));
    if (is_output && n++ == 0) one = cell->value;
  }
  return n == 1 ? one : object;
}

hv h_call_stub(const h_call *c, bool *found) {
  const cx_node *type = stub_of(c->in, c->name, "::generate");
  *found = type != NULL;
  if (!type) return hv_poison;
  if (c->n_args != 2 || c->args[1].kind != HV_LIST)
    return h_fail(c->in, c->loc, "%s takes the generator that calls it and the inputs in {}", c->name->text);
  hv object = h_create_generator(c->in, c->loc, type);
  if (object.kind != HV_OBJECT) return hv_poison;
  const hv_list *list = c->args[1].list;
  hv *args = pm_arena_alloc(c->in->arena, (list->items.len + 1) * sizeof(hv));
  for (uint32_t i = 0; i < list->items.len; i++) args[i] = list->items.data[i]->value;
  hv result = apply(c->in, c->loc, object.object, args, list->items.len);
  return result.kind == HV_POISON ? result : outputs_of(object);
}
