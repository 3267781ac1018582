/* Funcs: their calls and their definitions. */
#include "frontends/halide/evaluate/evaluate.h"
#include "frontends/halide/program/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- calls --- */

static bool is_placeholder(cv v) {
  return v.kind == HV_VAR && strcmp(h_var_of(v)->name->text, "_") == 0;
}

/* Of a Func that is defined, or whose type was declared. */
static bool has_shape(const h_symbol *s) {
  return s->kind != H_FUNC || s->is_defined || s->is_declared;
}

/* The arguments one after the other: a vector of them counts as its items. */
static bool spread(cx_interp *in, h_ref *ref, cv v, pm_loc loc) {
  if (v.kind == CV_LIST || v.kind == HV_TUPLE) {
    for (uint32_t i = 0; i < v.list->items.len; i++)
      if (!spread(in, ref, v.list->items.data[i]->value, loc)) return false;
    return true;
  }
  if (is_placeholder(v) && ref->placeholder < 0) {
    ref->placeholder = (int)ref->n_args;
    return true;
  }
  hx *e = h_to_expr(in, loc, v);
  if (!e) return false;
  if (ref->n_args == HX_MAX_DIMS) {
    cx_fail(in, loc, "%s has more than %d arguments here", ref->symbol->name->text, HX_MAX_DIMS);
    return false;
  }
  if (cx_is_float((pm_scalar)e->type)) {
    cx_fail(in, loc, "an index of %s has type %s, it should be an integer; cast<int>(…) makes one",
            ref->symbol->name->text, hx_type_name((pm_scalar)e->type));
    return false;
  }
  ref->args[ref->n_args++] = e;
  return true;
}

cv h_call_symbol(cx_interp *in, pm_loc loc, h_symbol *symbol, const cv *args, const pm_loc *locs,
                 unsigned n_args) {
  h_ref *ref = pm_arena_alloc(in->arena, sizeof(*ref));
  ref->symbol = symbol;
  ref->loc = loc;
  ref->placeholder = -1;
  ref->is_host = symbol->table && n_args > 0;
  for (unsigned i = 0; i < n_args; i++) ref->is_host &= args[i].kind == CV_INT;
  for (unsigned i = 0; i < n_args; i++)
    if (!spread(in, ref, args[i], locs[i])) return cv_poison;
  return hv_ref(ref);
}

bool h_check_ready(cx_interp *in, pm_loc loc, const h_symbol *symbol) {
  if (has_shape(symbol)) return true;
  if (!symbol->is_wrong) cx_fail(in, loc, "%s is read before it is defined", symbol->name->text);
  return false;
}

/* `_` stands for the dimensions that the others leave: those of the Func that is read are numbered from its
 * own. */
const h_var *h_implicit_var(h_program *p, unsigned i) {
  char name[16];
  snprintf(name, sizeof(name), "_%u", i);
  return h_get_var(p, pm_get_cstring(p->ctx, name));
}

/* Puts _0, _1 … where `_` stands, `n` of them. */
static void expand_placeholder(cx_interp *in, h_ref *ref, unsigned n) {
  unsigned at = (unsigned)ref->placeholder;
  memmove(ref->args + at + n, ref->args + at, (ref->n_args - at) * sizeof(*ref->args));
  for (unsigned i = 0; i < n; i++)
    ref->args[at + i] = hx_var(h_program_of(in), ref->loc, h_implicit_var(h_program_of(in), i));
  ref->n_args += n;
  ref->placeholder = -1;
}

/* The elements of buffers are kept from 0 on. */
static hx *from_min(h_program *p, hx *index, const h_symbol *s, unsigned d) {
  int64_t min = h_min(s, d);
  if (s->table) s->table->is_read = true;
  return min == 0 ? index : hx_binary(p, index->loc, HX_SUB, index, hx_int(p, index->loc, PM_I32, min));
}

/* What a copy for some readers has is what the Func has. */
hx *h_read(cx_interp *in, pm_loc loc, const h_ref *given, unsigned element) {
  h_ref ref = *given;
  h_symbol *s = ref.symbol->copy ? ref.symbol->copy->of : ref.symbol;
  if (!h_check_ready(in, loc, s)) return NULL;
  if (ref.placeholder >= 0 && ref.n_args <= s->n_dims) expand_placeholder(in, &ref, s->n_dims - ref.n_args);
  if (ref.n_args != s->n_dims) {
    cx_fail(in, loc, "%s is called with %u %s, it has %u", s->name->text, ref.n_args,
            ref.n_args == 1 ? "argument" : "arguments", s->n_dims);
    return NULL;
  }
  if (element >= s->n_elements) {
    cx_fail(in, loc, "%s has %u %s, element %u is asked for", s->name->text, s->n_elements,
            s->n_elements == 1 ? "element" : "elements", element);
    return NULL;
  }
  for (unsigned i = 0; i < ref.n_args; i++) {
    ref.args[i] = hx_cast(h_program_of(in), ref.args[i]->loc, PM_I32, ref.args[i]);
    if (s->kind == H_BUFFER) ref.args[i] = from_min(h_program_of(in), ref.args[i], s, i);
  }
  return hx_call(h_program_of(in), loc, s, ref.args, ref.n_args, element);
}

/* --- what a definition uses --- */

typedef struct uses {
  cx_interp *in;
  h_rdom *rdom;
  const hx *wrong; /* an RVar of another RDom, or a Var that is not on the left */
  const h_definition *pure;
  unsigned n_dims, largest_implicit;
  uint32_t stamp; /* of the nodes that were looked at: they are shared */
} uses;

bool h_is_implicit(pm_string var, unsigned *number) {
  const char *name = var->text;
  size_t n = name[0] == '_' ? strspn(name + 1, "0123456789") : 0;
  if (n == 0 || n > 2 || name[1 + n]) return false;
  *number = (unsigned)atoi(name + 1);
  return true;
}

static void count_implicit(uses *u, hx *e) {
  unsigned number;
  if (e->stamp == u->stamp) return;
  e->stamp = u->stamp;
  if (e->op == HX_VAR && h_is_implicit(e->var->name, &number) && number + 1 > u->largest_implicit)
    u->largest_implicit = number + 1;
  for (unsigned i = 0; i < e->n_args; i++) count_implicit(u, e->args[i]);
}

static bool is_on_the_left(const uses *u, const h_var *var) {
  for (unsigned d = 0; d < u->n_dims; d++)
    if (u->pure->args[d]->op == HX_VAR && u->pure->args[d]->var == var) return true;
  return false;
}

static void find_uses(uses *u, hx *e) {
  if (e->stamp == u->stamp) return;
  e->stamp = u->stamp;
  if (e->op == HX_RVAR) {
    if (!u->rdom) u->rdom = e->var->rdom;
    if (u->rdom != e->var->rdom && !u->wrong) u->wrong = e;
  }
  if (e->op == HX_VAR && !u->wrong && !is_on_the_left(u, e->var)) u->wrong = e;
  for (unsigned i = 0; i < e->n_args; i++) find_uses(u, e->args[i]);
}

/* The Vars of the values are on the left, the RVars are of one RDom, whose predicates count too. */
static bool check_uses(cx_interp *in, const h_symbol *s, h_definition *d, bool is_pure) {
  uses u = {.in = in, .pure = d, .n_dims = s->n_dims, .stamp = ++h_program_of(in)->next_stamp};
  for (unsigned i = 0; i < s->n_dims; i++) find_uses(&u, d->args[i]);
  for (unsigned i = 0; i < s->n_elements; i++) find_uses(&u, d->values[i]);
  for (uint32_t i = 0; u.rdom && i < u.rdom->predicates.len; i++) find_uses(&u, u.rdom->predicates.data[i]);
  if (u.wrong && u.wrong->op == HX_VAR) {
    cx_fail(in, u.wrong->loc, "the Var %s is used in the definition of %s, but is none of its arguments",
            u.wrong->var->name->text, s->name->text);
    return false;
  }
  if (u.wrong) {
    cx_fail(in, u.wrong->loc, "the definition uses two RDoms, %s and %s, it should use one",
            u.rdom->name->text, u.wrong->var->rdom->name->text);
    return false;
  }
  d->rdom = u.rdom;
  if (!is_pure || !u.rdom) return true;
  bool on_the_left = false;
  for (unsigned i = 0; i < s->n_dims; i++) on_the_left = on_the_left || d->args[i]->op != HX_VAR;
  if (!on_the_left)
    cx_fail(
        in, d->loc,
        "the first definition of %s has the RDom %s, it should be pure: a sum over an RDom is sum(…), or an "
        "update behind it",
        s->name->text, u.rdom->name->text);
  else
    cx_fail(
        in, d->loc,
        "%s is defined with the RDom %s before it has a value to begin with, a pure definition should come "
        "first",
        s->name->text, u.rdom->name->text);
  return false;
}

static void note_reads(uses *u, hx *e, h_symbol *user) {
  if (e->stamp == u->stamp) return;
  e->stamp = u->stamp;
  if (e->op == HX_CALL && e->symbol != user && !e->symbol->user) {
    e->symbol->user = user;
    e->symbol->use = e->loc;
  }
  for (unsigned i = 0; i < e->n_args; i++) note_reads(u, e->args[i], user);
}

/* What a definition reads has no more updates, as in Halide. */
static void note_all_reads(cx_interp *in, h_symbol *s, const h_definition *d) {
  uses u = {.stamp = ++h_program_of(in)->next_stamp};
  for (unsigned i = 0; i < s->n_dims; i++) note_reads(&u, d->args[i], s);
  for (unsigned i = 0; i < s->n_elements; i++) note_reads(&u, d->values[i], s);
  for (uint32_t i = 0; d->rdom && i < d->rdom->predicates.len; i++)
    note_reads(&u, d->rdom->predicates.data[i], s);
}

static bool check_unused(cx_interp *in, pm_loc loc, const h_symbol *s) {
  if (!s->user) return true;
  cx_fail(in, loc, "%s is updated after the definition of %s has read it, the update should come before",
          s->name->text, s->user->name->text);
  pm_note(in->ctx, s->use, "it is read here");
  return false;
}

/* --- definitions --- */

/* The values on the right as Exprs; their number, 0 after a diagnostic. */
static unsigned values_of(cx_interp *in, pm_loc loc, cv value, hx **out) {
  if (value.kind == HV_REF && !h_ref_of(value)->has_element) {
    h_symbol *s = h_ref_of(value)->symbol;
    if (!h_check_ready(in, loc, s)) return 0;
    for (unsigned i = 0; i < s->n_elements; i++)
      if (!(out[i] = h_read(in, h_ref_of(value)->loc, h_ref_of(value), i))) return 0;
    return s->n_elements;
  }
  if (value.kind == HV_TUPLE || value.kind == CV_LIST) {
    uint32_t n = value.list->items.len;
    if (n == 0 || n > HX_MAX_ELEMENTS) {
      cx_fail(in, loc, "%u values are here, 1 to %d should be", n, HX_MAX_ELEMENTS);
      return 0;
    }
    for (uint32_t i = 0; i < n; i++)
      if (!(out[i] = h_to_expr(in, loc, value.list->items.data[i]->value))) return 0;
    return n;
  }
  return (out[0] = h_to_expr(in, loc, value)) ? 1 : 0;
}

static bool check_pure_args(cx_interp *in, const h_ref *ref) {
  for (unsigned i = 0; i < ref->n_args; i++) {
    if (ref->args[i]->op != HX_VAR) {
      cx_fail(in, ref->args[i]->loc,
              "an argument of the first definition of %s is no Var, each should be one; an update may have "
              "others",
              ref->symbol->name->text);
      return false;
    }
    for (unsigned k = 0; k < i; k++)
      if (ref->args[k]->var == ref->args[i]->var) {
        cx_fail(in, ref->args[i]->loc, "the Var %s is twice among the arguments of %s",
                ref->args[i]->var->name->text, ref->symbol->name->text);
        return false;
      }
  }
  return true;
}

static bool check_declared(cx_interp *in, pm_loc loc, h_symbol *s, unsigned n_args, hx **values,
                           unsigned n_values) {
  if (!s->is_declared) return true;
  if (s->n_dims != n_args) {
    cx_fail(in, loc, "%s is defined with %u %s, it is declared with %u", s->name->text, n_args,
            n_args == 1 ? "dimension" : "dimensions", s->n_dims);
    return false;
  }
  if (s->n_elements != n_values) {
    cx_fail(in, loc, "%s is defined with %u values, it is declared with %u", s->name->text, n_values,
            s->n_elements);
    return false;
  }
  for (unsigned i = 0; i < n_values; i++)
    if (values[i]->type != s->types[i]) {
      cx_fail(in, loc,
              "%s is defined with a value of type %s, it is declared with %s; a cast should make it so",
              s->name->text, hx_type_name((pm_scalar)values[i]->type), hx_type_name((pm_scalar)s->types[i]));
      return false;
    }
  return true;
}

static bool define_pure(cx_interp *in, pm_loc loc, h_ref *ref, hx **values, unsigned n_values) {
  h_symbol *s = ref->symbol;
  if (ref->placeholder >= 0) {
    uses u = {.in = in, .stamp = ++h_program_of(in)->next_stamp};
    for (unsigned i = 0; i < n_values; i++) count_implicit(&u, values[i]);
    if (ref->n_args + u.largest_implicit > HX_MAX_DIMS) {
      cx_fail(in, loc, "%s has more than %d dimensions", s->name->text, HX_MAX_DIMS);
      return false;
    }
    expand_placeholder(in, ref, u.largest_implicit);
  }
  if (!check_pure_args(in, ref) || !check_declared(in, loc, s, ref->n_args, values, n_values)) return false;
  h_definition d = {.loc = loc};
  memcpy(d.args, ref->args, sizeof(d.args));
  memcpy(d.values, values, n_values * sizeof(*values));
  s->n_dims = ref->n_args;
  s->n_elements = n_values;
  for (unsigned i = 0; i < n_values; i++) s->types[i] = values[i]->type;
  h_lower_random(in, s, &d);
  if (!check_uses(in, s, &d, true)) return false;
  note_all_reads(in, s, &d);
  s->pure = d;
  s->is_defined = true;
  h_begin_loops(in, s);
  if (!s->is_declared) s->loc = loc;
  return true;
}

/* In an update a Var stands where the first definition has it, or is no pure one. */
static bool check_update_vars(cx_interp *in, const h_symbol *s, const h_definition *d) {
  for (unsigned i = 0; i < s->n_dims; i++) {
    const hx *arg = d->args[i];
    if (arg->op == HX_VAR && arg->var != s->pure.args[i]->var) {
      cx_fail(in, arg->loc, "the Var %s is at the position of %s in this update of %s, it should be that one",
              arg->var->name->text, s->pure.args[i]->var->name->text, s->name->text);
      return false;
    }
  }
  return true;
}

static bool define_update(cx_interp *in, pm_loc loc, h_ref *ref, hx **values, unsigned n_values) {
  h_symbol *s = ref->symbol;
  if (s->has_boundary) {
    cx_fail(in, loc, "%s is a boundary condition, it should not be updated", s->name->text);
    return false;
  }
  if (ref->placeholder >= 0 && ref->n_args <= s->n_dims) {
    /* the dimensions of the first definition */
    unsigned at = (unsigned)ref->placeholder, n = s->n_dims - ref->n_args;
    expand_placeholder(in, ref, n);
    for (unsigned i = 0; i < n; i++) ref->args[at + i] = s->pure.args[at + i];
  }
  if (ref->n_args != s->n_dims || n_values != s->n_elements) {
    cx_fail(in, loc, "this update of %s has %u arguments and %u values, its first definition has %u and %u",
            s->name->text, ref->n_args, n_values, s->n_dims, s->n_elements);
    return false;
  }
  for (unsigned i = 0; i < n_values; i++)
    if (values[i]->type != s->types[i]) {
      cx_fail(
          in, loc,
          "this update of %s has a value of type %s, its first definition has %s; a cast should make it so",
          s->name->text, hx_type_name((pm_scalar)values[i]->type), hx_type_name((pm_scalar)s->types[i]));
      return false;
    }
  h_definition d = {.loc = loc};
  for (unsigned i = 0; i < ref->n_args; i++)
    d.args[i] = hx_cast(h_program_of(in), ref->args[i]->loc, PM_I32, ref->args[i]);
  memcpy(d.values, values, n_values * sizeof(*values));
  if (!check_update_vars(in, s, &d) || !check_uses(in, s, &d, false)) return false;
  h_lower_random(in, s, &d);
  note_all_reads(in, s, &d);
  CX_PUSH(in->arena, s->updates, d);
  return true;
}

/* f(args) op= value of a Func without a definition: it begins with 0, of products with 1. */
static bool define_beginning(cx_interp *in, pm_loc loc, const h_ref *ref, cx_op op, hx **values,
                             unsigned n_values) {
  h_ref begin = *ref;
  hx *numbers[HX_MAX_ELEMENTS];
  int64_t number = op == CX_OP_MUL || op == CX_OP_DIV ? 1 : 0;
  for (unsigned i = 0; i < n_values; i++)
    numbers[i] = hx_int(h_program_of(in), loc, (pm_scalar)values[i]->type, number);
  for (unsigned i = 0; i < begin.n_args; i++)
    if (begin.args[i]->op != HX_VAR) {
      h_var *var = pm_arena_alloc(in->arena, sizeof(*var));
      var->name = h_unique_name(h_program_of(in), "v");
      begin.args[i] = hx_var(h_program_of(in), loc, var);
    }
  return define_pure(in, loc, &begin, numbers, n_values);
}

static bool is_read_only(cx_interp *in, pm_loc loc, const h_symbol *s) {
  if (s->kind == H_FUNC && !s->is_input) return false;
  if (s->table) {
    cx_fail(in, loc, "%s is a Buffer, its elements are at numbers, as %s(0)", s->name->text, s->name->text);
    return true;
  }
  cx_fail(in, loc, "%s is an input, it should not be defined", s->name->text);
  return true;
}

static hx *combined(cx_interp *in, pm_loc loc, const h_ref *ref, cx_op op, hx *value, unsigned element) {
  hx *old = h_read(in, loc, ref, element);
  if (!old) return NULL;
  cv sum = cx_binary(in, loc, op, hv_expr(old), hv_expr(value));
  return sum.kind == HV_EXPR ? h_expr_of(sum) : NULL;
}

static bool define(cx_interp *in, pm_loc loc, h_ref *ref, cx_op op, cv value) {
  hx *values[HX_MAX_ELEMENTS];
  h_symbol *s = ref->symbol;
  if (value.kind == CV_POISON || is_read_only(in, loc, s)) return false;
  if (value.kind == CV_LIST && value.list->items.len == 1) value = value.list->items.data[0]->value;
  unsigned n = values_of(in, loc, value, values);
  if (n == 0) return false;
  if (op != CX_OP_NONE && !s->is_defined && !define_beginning(in, loc, ref, op, values, n)) return false;
  if (ref->has_element && s->is_defined) {
    /* f(x)[i] = value: the other elements stay */
    hx *one = values[0];
    if (op != CX_OP_NONE && !(one = combined(in, loc, ref, op, one, ref->element))) return false;
    for (unsigned i = 0; i < s->n_elements; i++)
      if (!(values[i] = i == ref->element ? one : h_read(in, loc, ref, i))) return false;
    n = s->n_elements;
  } else if (op != CX_OP_NONE) {
    for (unsigned i = 0; i < n; i++)
      if (!(values[i] = combined(in, loc, ref, op, values[i], i))) return false;
  }
  return s->is_defined ? define_update(in, loc, ref, values, n) : define_pure(in, loc, ref, values, n);
}

bool h_define(cx_interp *in, pm_loc loc, h_ref *ref, cx_op op, cv value) {
  h_symbol *s = ref->symbol;
  if (ref->is_host) return h_set_table_value(in, loc, ref, op, value).kind != CV_POISON;
  if (s->is_wrong && !s->is_defined) return false; /* it would be taken for the first definition */
  if (s->copy) {
    cx_fail(in, loc, "%s is a copy of %s for some of its readers, it should not be defined", s->name->text,
            s->copy->of->name->text);
    return false;
  }
  bool ok = check_unused(in, loc, s) && define(in, loc, ref, op, value);
  s->is_wrong |= !ok;
  return ok;
}

cv h_new_func(cx_interp *in, pm_loc loc, const char *name, const h_var *const *vars, unsigned n_vars,
              hx *const *values, unsigned n_values) {
  h_symbol *s = h_new_symbol(h_program_of(in), H_FUNC, loc, name);
  h_ref ref = {.symbol = s, .loc = loc, .n_args = n_vars, .placeholder = n_vars == 0 ? 0 : -1};
  hx *copy[HX_MAX_ELEMENTS];
  for (unsigned i = 0; i < n_vars; i++) ref.args[i] = hx_var(h_program_of(in), loc, vars[i]);
  memcpy(copy, values, n_values * sizeof(*values));
  return define_pure(in, loc, &ref, copy, n_values) ? hv_symbol(s) : cv_poison;
}
