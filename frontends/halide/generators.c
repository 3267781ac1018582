/* Generators: their inputs, outputs and parameters, and what runs them. */
#include "frontends/halide/interp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_called(const hl_node *n, const char *name) {
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
  h_interp *in;
  pm_loc loc;
  const hl_node *type; /* Input<…> */
  const hl_node *of;   /* its argument, or NULL */
  hv *args;            /* behind the name */
  const pm_loc *locs;
  unsigned n_args;
  const char *name; /* or NULL */
} port;

static const hl_node *argument_of(const hl_node *type, unsigned i) {
  return type && i < type->n_items ? type->items[i] : NULL;
}

/* The type and rank of Buffer<uint8_t, 2>, Func, or of what the arguments say: UInt(8), 2. */
static bool read_shape(const port *p, h_symbol *s) {
  pm_scalar type;
  int64_t rank = -1;
  bool has_type = p->of && is_called(p->of, "Buffer") && argument_of(p->of, 0) &&
                  h_scalar_of(p->in, argument_of(p->of, 0), &type);
  if (p->of && is_called(p->of, "Buffer") && argument_of(p->of, 1) &&
      !h_to_int(p->in, p->loc, h_eval(p->in, argument_of(p->of, 1)), &rank, "the number of dimensions"))
    return false;
  for (unsigned i = 0; i < p->n_args; i++) {
    if (p->args[i].kind == HV_TYPE) {
      type = (pm_scalar)p->args[i].scalar;
      has_type = true;
    } else if (p->args[i].kind == HV_INT) {
      rank = p->args[i].i;
    } else {
      h_fail(p->in, p->locs[i], "this is %s, a Type or a number of dimensions should be here",
             hv_describe(p->args[i]));
      return false;
    }
  }
  if (!has_type || rank < 0) return false;
  if (rank > HX_MAX_DIMS) {
    h_fail(p->in, p->loc, "%s has %lld dimensions, it should have at most %d",
           p->name ? p->name : "the buffer", (long long)rank, HX_MAX_DIMS);
    return false;
  }
  s->types[0] = (uint8_t)type;
  s->n_dims = (unsigned)rank;
  s->is_declared = true;
  return true;
}

static h_symbol *new_port(const port *p, h_symbol_kind kind, bool is_input) {
  h_symbol *s = h_new_symbol(&p->in->program, kind, p->loc, p->name);
  s->is_input = is_input;
  return s;
}

/* At the top level the ports are those of the call; those of a class are when it is run. */
static hv registered(h_interp *in, h_symbol *s) {
  if (in->scope->object) return hv_symbol(s);
  if (s->is_input)
    H_PUSH(in->arena, in->program.inputs, s);
  else
    H_PUSH(in->arena, in->program.outputs, s);
  return hv_symbol(s);
}

static hv incomplete(const port *p) {
  return h_fail(p->in, p->loc,
                "the type and the number of dimensions of %s are not known, <Buffer<uint8_t, 2>> says them",
                p->name ? p->name : "the buffer");
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
  bool is_func = is_called(p->of, "Func");
  h_symbol *s = new_port(p, H_BUFFER, true);
  unsigned errors = pm_error_count(p->in->ctx);
  if (read_shape(p, s) || (is_func && p->in->scope->object)) return registered(p->in, s);
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

static const char *given_constant(h_interp *in, const char *name) {
  const char *text = NULL;
  for (size_t i = 0; name && i < in->n_consts; i++)
    if (strcmp(in->consts[i].name, name) == 0) {
      in->consts[i].used = true;
      text = in->consts[i].text;
    }
  return text;
}

static hv wrong_constant(const port *p, const char *text, const char *should) {
  return h_fail(p->in, p->loc, "--const %s=%s: %s should be given", p->name, text, should);
}

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

static hv type_of_text(const port *p, const char *text) {
  for (int type = 0; type < PM_INDEX; type++)
    if (strcmp(hx_type_name((pm_scalar)type), text) == 0 ||
        (type == PM_F32 && strcmp(text, "float32") == 0) || (type == PM_F64 && strcmp(text, "float64") == 0))
      return (hv){.kind = HV_TYPE, .scalar = (uint8_t)type};
  return wrong_constant(p, text, "a type, as uint8,");
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

hv h_new_port(h_interp *in, pm_loc loc, const hl_node *type, hv *args, const pm_loc *locs, unsigned n_args,
              pm_string hint) {
  port p = {in, loc, type, argument_of(type, 0), args, locs, n_args, hint ? hint->text : NULL};
  if (n_args > 0 && args[0].kind == HV_STRING) {
    p.name = args[0].text->text;
    p.args++;
    p.locs++;
    p.n_args--;
  } else if (n_args > 0 && args[n_args - 1].kind == HV_STRING) { /* ImageParam(type, rank, name) */
    p.name = args[n_args - 1].text->text;
    p.n_args--;
  }
  if (is_called(type, "GeneratorParam")) return new_generator_param(&p);
  if (is_called(type, "Output") || is_called(type, "GeneratorOutput")) return new_output(&p);
  if (is_called(type, "Param") && !p.of) return incomplete(&p);
  return new_input(&p);
}

/* --- generators --- */

bool h_is_generator(h_interp *in, const hl_node *class_node) {
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    const hl_node *base = class_node->c->items[i], *node = h_find_class(in, base->name);
    if (is_called(base, "Generator")) return true;
    if (node && node != class_node && h_is_generator(in, node)) return true;
  }
  return false;
}

static void register_ports(h_interp *in, const hv_object *object) {
  for (uint32_t i = 0; i < object->members->names.len; i++) {
    hv v = object->members->names.data[i].cell->value;
    bool has_symbol = v.kind == HV_FUNC || v.kind == HV_BUFFER || v.kind == HV_PARAM;
    if (has_symbol && v.symbol->is_input) H_PUSH(in->arena, in->program.inputs, v.symbol);
    if (has_symbol && v.symbol->is_output) H_PUSH(in->arena, in->program.outputs, v.symbol);
    if (v.kind == HV_BUFFER && !v.symbol->is_declared)
      h_fail(in, v.symbol->loc, "the type and the number of dimensions of %s are not known",
             v.symbol->name->text);
  }
}

static void run_object(h_interp *in, pm_loc loc, hv_object *object) {
  h_call_member(in, loc, object, "configure");
  h_call_member(in, loc, object, "generate");
  h_call_member(in, loc, object, "schedule");
}

/* The class that a generator program without HALIDE_REGISTER_GENERATOR has. */
static const hl_node *only_generator(h_interp *in) {
  const hl_node *found = NULL;
  for (uint32_t i = 0; i < in->classes.len; i++)
    if (h_is_generator(in, in->classes.data[i])) found = in->classes.data[i];
  return found;
}

void h_run_generator(h_interp *in, pm_loc loc) {
  const char *wanted = in->options->generator;
  const hl_node *node = in->generator ? in->generator : only_generator(in);
  if (wanted && !in->generator) {
    pm_error(in->ctx, loc, "--generator %s: no generator of the program is named so", wanted);
    return;
  }
  if (!node) return;
  if (!in->generator_name) in->generator_name = node->name;
  hv object = h_new_object(in, node->loc, node, NULL, NULL, 0, false);
  if (object.kind != HV_OBJECT) return;
  register_ports(in, object.object);
  run_object(in, node->loc, object.object);
}

hv h_create_generator(h_interp *in, pm_loc loc, const hl_node *class_node) {
  hv object = h_new_object(in, loc, class_node, NULL, NULL, 0, false);
  for (uint32_t i = 0; object.kind == HV_OBJECT && i < object.object->members->names.len; i++) {
    hv v = object.object->members->names.data[i].cell->value;
    if (v.kind == HV_FUNC) v.symbol->is_output = v.symbol->is_declared = false;
  }
  return object;
}

/* generator->apply(inputs…): in the order of its Inputs. */
hv h_apply_generator(const h_call *c) {
  hv_object *object = c->self.object;
  unsigned n = 0;
  if (!object->is_generator) return h_fail(c->in, c->loc, "apply is of generators");
  for (uint32_t i = 0; i < object->members->names.len && n < c->n_args; i++) {
    hv_cell *cell = object->members->names.data[i].cell;
    bool is_input =
        (cell->value.kind == HV_BUFFER || cell->value.kind == HV_PARAM) && cell->value.symbol->is_input;
    if (is_input) cell->value = c->args[n++];
  }
  if (n < c->n_args) return h_fail(c->in, c->loc, "the generator has %u inputs, %u are given", n, c->n_args);
  run_object(c->in, c->loc, object);
  return hv_void;
}
