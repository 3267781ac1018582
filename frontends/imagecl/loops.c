/* What px_run_loop asks of a kernel. */
#include "frontends/imagecl/imagecl.h"

#include <string.h>

/* An integer parameter of the call. */
static const char *bound_of(cx_interp *in, const cx_node *n) {
  const ic_parameter *p =
      n->kind == CX_NAME ? ic_find_parameter(ic_state_of(in)->run->kernel, n->name) : NULL;
  const cx_cell *cell = p && p->scalar ? cx_find(in, in->scope, n->name) : NULL;
  const px_number *value = cell && cell->value.kind == PX_NUMBER ? cell->value.own : NULL;
  bool is = value && value->value == p->scalar->value && !cx_is_float(p->scalar->type);
  return is ? p->scalar->name->text : NULL;
}

/* Points of the grid, and of the counter's values. */
static bool points(cx_interp *in, pm_loc loc, const px_rounds *rounds, px_points *out) {
  ic_state *s = ic_state_of(in);
  pm_string wanted[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x"),
                        pm_get_cstring(s->ctx, "n")};
  pm_buf text = {0};
  out->n = rounds ? 3 : 2;
  kit_dims dims = kit_name_dims(&s->kit, wanted, out->n);
  kit_begin_set(&s->kit, &text, &dims);
  ic_put_grid(s->run->kernel, &dims, &text);
  if (rounds)
    pm_buf_printf(&text, " and %lld <= %s <= %s%s(%lld)", (long long)rounds->first, dims.names[2]->text,
                  rounds->bound ? rounds->bound : "", rounds->bound ? " + " : "", (long long)rounds->last);
  out->set = kit_end_set(&s->kit, loc, &text, true);
  memcpy(out->dims, dims.names, out->n * sizeof *out->dims);
  return out->set;
}

static pm_op *new_stage(cx_interp *in, pm_loc loc, pm_type type, pm_attr set) {
  ic_state *s = ic_state_of(in);
  pm_string name = ic_new_stage(in, pm_get_cstring(in->ctx, "loop"));
  uint32_t number = s->stages.len - 1;
  s->b.loc = loc;
  return s->stages.data[number].op = stage_build_func(&s->b, name, type, set, NULL);
}

static void *enter(cx_interp *in, px_body body) {
  ic_state *s = ic_state_of(in);
  ic_run *outer = s->run, *run = pm_arena_memdup(in->arena, outer, sizeof *outer);
  run->body = body;
  ic_set_run(s, run);
  return outer;
}

static void leave(cx_interp *in, void *outer) {
  ic_end_run(ic_state_of(in), outer);
}

static bool is_output(const cx_interp *in, const cx_cell *cell) {
  const ic_run *run = ic_state_of(in)->run;
  for (uint32_t i = 0; i < run->outputs.len; i++)
    if (run->outputs.data[i].cell == cell) return true;
  return false;
}

static unsigned n_writes(const cx_interp *in) {
  return ic_state_of(in)->run->writes.len;
}

const px_loops ic_loops = {bound_of, points, new_stage, enter, leave, is_output, n_writes};
