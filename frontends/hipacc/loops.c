/* What px_run_loop asks of a kernel. */
#include "dialects/stage/stage.h"
#include "frontends/hipacc/hipacc.h"

/* What the call decides, an affine expression of sizes. */
static const char *bound_of(cx_interp *in, const cx_node *n) {
  cv v = cx_eval(in, n);
  const px_number *number = v.kind == PX_NUMBER ? v.own : NULL;
  bool is = number && number->affine && !px_has_dims(number->affine) && hp_is_affine(number->affine);
  return is ? hp_text(hp_state_of(in), number->affine) : NULL;
}

static bool points(cx_interp *in, pm_loc loc, const px_rounds *rounds, px_points *out) {
  const hp_state *s = hp_state_of(in);
  pm_buf rest = {0};
  (void)loc;
  *out = (px_points){
      .dims = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x"), pm_get_cstring(s->ctx, "n")},
      .n = rounds ? 3 : 2};
  if (rounds)
    pm_buf_printf(&rest, " and %lld <= n <= %s%s(%lld)", (long long)rounds->first,
                  rounds->bound ? rounds->bound : "", rounds->bound ? " + " : "", (long long)rounds->last);
  out->set = hp_box(s, s->run->space->region, rounds ? ", n" : "", rounds ? rest.data : "");
  pm_buf_free(&rest);
  return true;
}

static pm_op *new_stage(cx_interp *in, pm_loc loc, pm_type type, pm_attr set) {
  hp_state *s = hp_state_of(in);
  pm_string name = hp_new_stage(in, pm_get_cstring(s->ctx, "loop"));
  uint32_t number = s->stages.len - 1;
  s->b.loc = loc;
  return s->stages.data[number].op = stage_build_func(&s->b, name, type, set, NULL);
}

static void *enter(cx_interp *in, px_body body) {
  hp_state *s = hp_state_of(in);
  hp_run *outer = s->run, *run = pm_arena_memdup(in->arena, outer, sizeof *outer);
  run->body = body;
  hp_set_run(s, run);
  return outer;
}

static void leave(cx_interp *in, void *outer) {
  hp_end_run(hp_state_of(in), outer);
}

static bool is_output(const cx_interp *in, const cx_cell *cell) {
  const hp_run *run = hp_state_of(in)->run;
  for (uint32_t i = 0; i < run->outputs.len; i++)
    if (run->outputs.data[i].cell == cell) return true;
  return false;
}

static unsigned n_writes(const cx_interp *in) {
  return hp_state_of(in)->run->binned.len;
}

const px_loops hp_loops = {bound_of, points, new_stage, enter, leave, is_output, n_writes};
