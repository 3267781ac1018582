/* Builders of loop, buf and vec, and of stage: what they make verifies and reads as written here. */
#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/stage/stage.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
  pm_context *ctx;
  pm_module *module;
  pm_builder b; /* at the end of the module */
} fixture;

static void begin(fixture *f) {
  f->ctx = pm_context_new();
  pm_register_all_dialects(f->ctx);
  f->module = pm_module_new(f->ctx, PM_NO_LOC);
  f->b = pm_builder_at_end(f->module, pm_module_body(f->module), PM_NO_LOC);
}

static void end(fixture *f, const char *want) {
  pm_buf got = {0};
  assert_true(pm_verify_module(f->module));
  pm_print_module(&got, f->module, (pm_print_options){0});
  assert_string_equal(got.data, want);
  pm_buf_free(&got);
  pm_module_free(f->module);
  pm_context_free(f->ctx);
}

static pm_string name(const fixture *f, const char *text) {
  return pm_get_cstring(f->ctx, text);
}

/* (d0) -> (d0 + c) */
static pm_affine_map shifted(const fixture *f, int64_t c) {
  pm_affine_expr place = pm_affine_addc(pm_affine_dim(f->ctx, 0), c);
  return pm_get_affine_map(f->ctx, 1, 0, &place, 1);
}

static pm_type array(const fixture *f, pm_space space) {
  int64_t open = PM_DYNAMIC;
  return pm_get_memref(pm_get_scalar(f->ctx, PM_F32), 1, &open, space);
}

static void loops_are_built(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  pm_op *func = loop_build_func(&f.b, name(&f, "f"), "strict");
  pm_builder b = pm_builder_at_end(f.module, pm_region_at(func, loop_func_body), PM_NO_LOC);
  pm_value *n = loop_build_param(&b, name(&f, "n"), pm_get_index(f.ctx));
  pm_value *zero = arith_build_index(&b, 0);
  loop_build_require(&b, arith_build_cmp(&b, ARITH_GT, n, zero), "n > 0");
  pm_value *in = buf_build_input(&b, name(&f, "in"), array(&f, PM_SPACE_NONE), &n);
  pm_value *out = buf_build_output(&b, name(&f, "out"), array(&f, PM_SPACE_NONE), &n);
  pm_value *row = buf_build_alloc(&b, array(&f, PM_SPACE_HEAP), &n, name(&f, "s"));
  pm_op *par = loop_build_parallel(&b, zero, n, 4, name(&f, "i"));
  pm_builder body = loop_inside(par);
  pm_value *i = pm_region_at(par, loop_parallel_body)->args[0];
  pm_value *v = buf_build_load(&body, in, shifted(&f, 0), &i);
  buf_build_store(&body, v, row, shifted(&f, 0), &i);
  buf_build_prefetch(&body, in, shifted(&f, 8), &i, true);
  pm_op *sum = loop_build_for(&b, zero, n, &(loop_spec){.step = 1, .inits = &v, .n_inits = 0, .simd = true});
  pm_builder at = loop_inside(sum);
  pm_value *j = pm_region_at(sum, loop_for_body)->args[0];
  pm_value *start = buf_build_load(&at, row, shifted(&f, 0), &j);
  pm_op *carried = loop_build_for(
      &at, zero, n, &(loop_spec){.step = 2, .counter = name(&f, "k"), .inits = &start, .n_inits = 1});
  pm_builder last = loop_inside(carried);
  loop_build_yield(&last, pm_region_at(carried, loop_for_body)->args + 1, 1);
  pm_op *like = loop_build_for(&at, zero, n, &(loop_spec){.like = carried});
  assert_int_equal(pm_attr_at(like, loop_for_step)->i, 2);
  buf_build_store(&at, pm_res(carried, 0), out, shifted(&f, 0), &j);
  end(&f, "builtin.module {\n"
          "  loop.func @f fp \"strict\" {\n"
          "    %n = loop.param @n : index\n"
          "    %0 = arith.constant 0 : index\n"
          "    %1 = arith.cmp gt, %n, %0 : index\n"
          "    loop.require %1, \"n > 0\"\n"
          "    %2 = buf.input @in(%n) : memref<?xf32>\n"
          "    %3 = buf.output @out(%n) : memref<?xf32>\n"
          "    %4 = buf.alloc(%n) {stage = @s} : memref<?xf32, heap>\n"
          "    loop.parallel %i = %0 to %n step 4 {\n"
          "      %5 = buf.load %2[%i] : memref<?xf32>\n"
          "      buf.store %5, %4[%i] : memref<?xf32, heap>\n"
          "      buf.prefetch %2[%i + 8] {write} : memref<?xf32>\n"
          "    }\n"
          "    loop.for %5 = %0 to %n step 1 simd {\n"
          "      %6 = buf.load %4[%5] : memref<?xf32, heap>\n"
          "      %7 = loop.for %k = %0 to %n step 2 carry(%8 = %6) : (f32) {\n"
          "        loop.yield %8 : f32\n"
          "      }\n"
          "      loop.for %8 = %0 to %n step 2 {\n"
          "      }\n"
          "      buf.store %7, %3[%5] : memref<?xf32>\n"
          "    }\n"
          "  }\n"
          "}\n");
}

static void vectors_are_built(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  pm_op *func = loop_build_func(&f.b, name(&f, "f"), NULL);
  pm_builder b = pm_builder_at_end(f.module, pm_region_at(func, loop_func_body), PM_NO_LOC);
  pm_value *n = loop_build_param(&b, name(&f, "n"), pm_get_index(f.ctx));
  pm_value *in = buf_build_input(&b, name(&f, "in"), array(&f, PM_SPACE_NONE), &n);
  pm_value *out = buf_build_output(&b, name(&f, "out"), array(&f, PM_SPACE_NONE), &n);
  pm_type words = pm_get_vector(pm_get_scalar(f.ctx, PM_I32), 4);
  pm_type floats = pm_get_vector(pm_get_scalar(f.ctx, PM_F32), 4);
  int64_t lanes[] = {0, 4, 1, 5};
  pm_affine_map at = shifted(&f, 0);
  pm_value *v = vec_build_load(&b, floats, in, at, &n);
  pm_value *steps = vec_build_step(&b, words);
  pm_value *g = vec_build_gather(&b, floats, steps, in, at, &n);
  pm_value *mask = arith_build_cmp(&b, ARITH_GT, v, g);
  pm_value *m = vec_build_maskedload(&b, mask, v, in, at, &n);
  pm_value *h = vec_build_maskedgather(&b, steps, mask, m, in, at, &n);
  pm_value *s = vec_build_shuffle(&b, m, h, lanes, 4);
  pm_value *one = vec_build_extract(&b, s, 2);
  pm_value *t = vec_build_insert(&b, one, vec_build_splat(&b, one, 4), 3);
  t = vec_build_from_elements(&b, (pm_value *[]){one, one, vec_build_extract(&b, t, 0), one}, 4);
  vec_build_store(&b, t, out, at, &n);
  vec_build_maskedstore(&b, mask, t, out, shifted(&f, 4), &n);
  end(&f, "builtin.module {\n"
          "  loop.func @f {\n"
          "    %n = loop.param @n : index\n"
          "    %0 = buf.input @in(%n) : memref<?xf32>\n"
          "    %1 = buf.output @out(%n) : memref<?xf32>\n"
          "    %2 = vec.load %0[%n] : memref<?xf32>, vector<4xf32>\n"
          "    %3 = vec.step : vector<4xi32>\n"
          "    %4 = vec.gather %0[%n] [%3] : memref<?xf32>, vector<4xi32> into vector<4xf32>\n"
          "    %5 = arith.cmp gt, %2, %4 : vector<4xf32>\n"
          "    %6 = vec.maskedload %0[%n], %5, %2 : memref<?xf32>, vector<4xi1>, vector<4xf32> into "
          "vector<4xf32>\n"
          "    %7 = vec.maskedgather %0[%n] [%3], %5, %6 : memref<?xf32>, vector<4xi32>, vector<4xi1>, "
          "vector<4xf32> into vector<4xf32>\n"
          "    %8 = vec.shuffle %6, %7 [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>\n"
          "    %9 = vec.extract %8[2] : f32 from vector<4xf32>\n"
          "    %10 = vec.splat %9 : (f32) -> vector<4xf32>\n"
          "    %11 = vec.insert %9, %10[3] : f32 into vector<4xf32>\n"
          "    %12 = vec.extract %11[0] : f32 from vector<4xf32>\n"
          "    %13 = vec.from_elements %9, %9, %12, %9 : (f32, f32, f32, f32) -> vector<4xf32>\n"
          "    vec.store %13, %1[%n] : memref<?xf32>, vector<4xf32>\n"
          "    vec.maskedstore %1[%n + 4], %5, %13 : memref<?xf32>, vector<4xi1>, vector<4xf32>\n"
          "  }\n"
          "}\n");
}

static pm_attr set(const fixture *f, const char *text) {
  return pm_get_custom(f->ctx, &isl_set_kind, PM_NO_LOC, pm_str_of(text));
}

static void stages_are_built(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  pm_type f32 = pm_get_scalar(f.ctx, PM_F32);
  pm_string x = name(&f, "x");
  pm_op *pipeline = stage_build_pipeline(&f.b, name(&f, "p"), set(&f, "[R] -> {  : R >= 3 }"), "fast");
  pm_builder b = pm_builder_at_end(f.module, pm_region_at(pipeline, stage_pipeline_body), PM_NO_LOC);
  stage_build_param(&b, name(&f, "R"), pm_get_scalar(f.ctx, PM_I32));
  stage_build_input(&b, name(&f, "img"), f32, set(&f, "[R] -> { [i] : 0 <= i < R }"),
                    pm_get_string_attr(f.ctx, pm_str_of("clamp")));
  pm_attr domain = set(&f, "[R] -> { [x] : 0 <= x < R }");
  pm_op *func = stage_build_func(&b, name(&f, "f"), f32, domain, pm_get_float(f32, 2));
  pm_op *branch = stage_build_case(func, PM_NO_LOC, set(&f, "[R] -> { [x] : 1 <= x < R }"));
  pm_region *body = stage_begin_body(branch, &x, 1);
  pm_builder in = pm_builder_at_end(f.module, body, PM_NO_LOC);
  pm_value *v = stage_build_read(&in, name(&f, "img"), f32, shifted(&f, -1), body->args, NULL);
  stage_build_guard(&in, arith_build_cmp(&in, ARITH_GT, v, arith_build_float(&in, f32, 0)));
  stage_build_yield(&in, &v, 1);
  pm_op *update = stage_build_update(func, PM_NO_LOC, domain);
  body = stage_begin_body(update, &x, 1);
  in = pm_builder_at_end(f.module, body, PM_NO_LOC);
  v = stage_build_read(&in, name(&f, "img"), f32, shifted(&f, 0), body->args, NULL);
  stage_build_combine(&in, "sum", shifted(&f, 0), (pm_value *[]){v, body->args[0]}, 2);
  stage_build_output(&b, name(&f, "f"));
  end(&f, "builtin.module {\n"
          "  stage.pipeline @p context #isl.set<\"[R] -> {  : R >= 3 }\"> fp \"fast\" {\n"
          "    %R = stage.param @R : i32\n"
          "    stage.input @img : f32 boundary clamp on #isl.set<\"[R] -> { [i] : 0 <= i < R }\">\n"
          "    stage.func @f : f32 on #isl.set<\"[R] -> { [x] : 0 <= x < R }\"> default 2.0 : f32 {\n"
          "      stage.case(%x) on #isl.set<\"[R] -> { [x] : 1 <= x < R }\"> {\n"
          "        %0 = stage.read @img[%x - 1] : f32\n"
          "        %1 = arith.constant 0.0 : f32\n"
          "        %2 = arith.cmp gt, %0, %1 : f32\n"
          "        stage.guard %2 : i1\n"
          "        stage.yield %0 : f32\n"
          "      }\n"
          "      stage.update(%x) on #isl.set<\"[R] -> { [x] : 0 <= x < R }\"> {\n"
          "        %0 = stage.read @img[%x] : f32\n"
          "        stage.combine sum, %0 into [%x] : f32\n"
          "      }\n"
          "    }\n"
          "    stage.output @f\n"
          "  }\n"
          "}\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_are_built),
      cmocka_unit_test(vectors_are_built),
      cmocka_unit_test(stages_are_built),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
