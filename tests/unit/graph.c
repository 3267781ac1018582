/* The stage graph: relations of reads compared as relations, order, cycles, signatures and boxes; points of
 * sets. */
#include "dialects/dialects.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/work.h"
#include "ir/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%u:%s\n", diag->loc.line, diag->message);
}

/* One pipeline, its context and what was reported. */
typedef struct fixture {
  pm_context *ctx;
  pm_module *module;
  pm_op *pipeline;
  pm_buf log;
} fixture;

static void open_text(fixture *f, const char *text, bool verify) {
  *f = (fixture){.ctx = pm_context_new()};
  pm_register_all_dialects(f->ctx);
  pm_set_diag_handler(f->ctx, remember, &f->log);
  f->module = pm_parse_module(f->ctx, "test", text, strlen(text), verify);
  if (!f->module) fail_msg("%s", f->log.data);
  f->pipeline = pm_module_body(f->module)->first;
}

static void close_fixture(fixture *f) {
  pm_module_free(f->module);
  pm_context_free(f->ctx);
  pm_buf_free(&f->log);
}

/* --- relations --- */

static void check_relation(const char *index, const char *want, bool affine) {
  pm_buf text = {0};
  pm_buf_printf(&text,
                "stage.pipeline @p context #isl.set<\"[R] -> { : R >= 4 }\"> {\n"
                "  %%R = stage.param @R : i32\n"
                "  stage.input @g : i32 on #isl.set<\"[R] -> { [i, j] : 0 <= i < R and 0 <= j < R }\">\n"
                "  stage.func @f : f32 on #isl.set<\"[R] -> { [x, y] : 0 <= x < R and 0 <= y < R }\"> {\n"
                "    stage.case(%%x, %%y) on #isl.set<\"[R] -> { [x, y] : 1 <= x < R and 0 <= y < R }\"> {\n"
                "      %%v = stage.read @g[%%x, %%y] : i32\n"
                "      %%w = stage.read @g[%s] : i32\n"
                "      %%z = arith.cast %%w : (i32) -> f32\n"
                "      stage.yield %%z : f32\n"
                "    }\n  }\n  stage.output @f\n}\n",
                index);
  fixture f;
  open_text(&f, text.data, true);
  stage_graph *graph = stage_graph_new(f.pipeline);
  assert_non_null(graph);
  assert_int_equal(graph->accesses.len, 2);
  const stage_access *access = graph->accesses.data[1];
  assert_int_equal(access->affine, affine);
  isl_map *expected = isl_map_read_from_str(graph->isl, want);
  if (isl_map_is_equal(access->relation, expected) != isl_bool_true) {
    char *got = isl_map_to_str(access->relation);
    fail_msg("%s gives %s, not %s", index, got, want);
  }
  bool alone_affine;
  isl_map *alone = stage_read_relation(access->read, &alone_affine);
  assert_int_equal(alone_affine, affine);
  assert_int_equal(isl_map_is_subset(access->relation, alone), isl_bool_true);
  isl_map_free(alone);
  isl_map_free(expected);
  stage_graph_free(graph);
  close_fixture(&f);
  pm_buf_free(&text);
}

#define ON_CASE " : R >= 4 and 1 <= x < R and 0 <= y < R"

static void reads_become_relations(void **state) {
  (void)state;
  static const struct {
    const char *index, *relation;
    bool affine;
  } rows[] = {
      {"%x, %y", "[R] -> { f[x, y] -> g[x, y]" ON_CASE " }", true},
      {"%y - 1, %x * 3 + 2", "[R] -> { f[x, y] -> g[y - 1, 3x + 2]" ON_CASE " }", true},
      {"%R - %x, 7", "[R] -> { f[x, y] -> g[R - x, 7]" ON_CASE " }", true},
      {"%x floordiv 2, %x ceildiv 2", "[R] -> { f[x, y] -> g[floor(x/2), ceil(x/2)]" ON_CASE " }", true},
      {"(%x - 5) mod 4, (%x - 5) floordiv 4",
       "[R] -> { f[x, y] -> g[(x - 5) mod 4, floor((x - 5)/4)]" ON_CASE " }", true},
      {"(%x * 2 + %R) floordiv 3 - 1, 0", "[R] -> { f[x, y] -> g[floor((2x + R)/3) - 1, 0]" ON_CASE " }",
       true},
      {"%v, %y", "[R] -> { f[x, y] -> g[a, y]" ON_CASE " }", false},
      {"%x, %v + %x", "[R] -> { f[x, y] -> g[x, a]" ON_CASE " }", false},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) check_relation(rows[i].index, rows[i].relation, rows[i].affine);
}

/* --- order --- */

static void put_func(pm_buf *text, const char *name, const char *reads) {
  pm_buf_printf(text,
                "  stage.func @%s : i32 on #isl.set<\"{ [x] : 0 <= x < 9 }\"> {\n"
                "    stage.case(%%x) on #isl.set<\"{ [x] : 0 <= x < 9 }\"> {\n"
                "      %%0 = arith.constant 0 : i32\n",
                name);
  for (const char *c = reads; *c; c++)
    pm_buf_printf(text, "      %%r%d = stage.read @%c[%%x] : i32\n", (int)(c - reads), *c);
  pm_buf_puts(text, "      stage.yield %0 : i32\n    }\n  }\n");
}

static char *names_in_order(const stage_graph *graph) {
  pm_buf names = {0};
  for (size_t i = 0; i < graph->nodes.len; i++) {
    assert_int_equal(graph->nodes.data[i]->index, i);
    pm_buf_puts(&names, graph->nodes.data[i]->name->text);
  }
  return pm_buf_take(&names);
}

static void producers_come_first(void **state) {
  (void)state;
  pm_buf text = {0};
  pm_buf_puts(&text, "stage.pipeline @p {\n");
  put_func(&text, "d", "cb");
  put_func(&text, "a", "");
  put_func(&text, "c", "aa");
  put_func(&text, "b", "");
  pm_buf_puts(&text, "  stage.output @d\n  stage.output @a\n}\n");
  fixture f;
  open_text(&f, text.data, true);
  stage_graph *graph = stage_graph_new(f.pipeline);
  char *names = names_in_order(graph);
  assert_string_equal(names, "acbd");
  assert_int_equal(graph->outputs.len, 2);
  assert_string_equal(graph->outputs.data[0]->name->text, "d");
  const stage_node *c = stage_graph_find(graph, pm_get_cstring(f.ctx, "c"));
  assert_int_equal(c->reads.len, 2);
  assert_int_equal(c->readers.len, 1);
  assert_false(c->is_output);
  assert_null(stage_graph_find(graph, pm_get_cstring(f.ctx, "none")));
  stage_graph *again = stage_graph_new(f.pipeline);
  assert_true(stage_graph_analysis.equal(graph, again));
  stage_graph_free(again);
  stage_graph_free(graph);
  free(names);
  close_fixture(&f);
  pm_buf_free(&text);
}

static void cycles_are_named(void **state) {
  (void)state;
  pm_buf text = {0};
  pm_buf_puts(&text, "stage.pipeline @p {\n");
  put_func(&text, "a", "b");
  put_func(&text, "b", "c");
  put_func(&text, "c", "eb");
  put_func(&text, "e", "");
  pm_buf_puts(&text, "  stage.output @a\n}\n");
  fixture f;
  open_text(&f, text.data, false);
  assert_null(stage_graph_new(f.pipeline));
  assert_non_null(strstr(f.log.data, "'stage.read' closes a cycle"));
  assert_true(strstr(f.log.data, "@b -> @c -> @b") || strstr(f.log.data, "@c -> @b -> @c"));
  close_fixture(&f);
  pm_buf_free(&text);
}

static void long_chains_are_no_problem(void **state) {
  (void)state;
  enum { N = 10000 };
  pm_buf text = {0};
  pm_buf_puts(&text, "stage.pipeline @p {\n  stage.input @s0 : i32 on #isl.set<\"{ [x] : 0 <= x < 9 }\">\n");
  for (int i = N; i > 0; i--)
    pm_buf_printf(&text,
                  "  stage.func @s%d : i32 on #isl.set<\"{ [x] : 0 <= x < 9 }\"> {\n"
                  "    stage.case(%%x) on #isl.set<\"{ [x] : 0 <= x < 9 }\"> {\n"
                  "      %%0 = stage.read @s%d[%%x] : i32\n"
                  "      stage.yield %%0 : i32\n    }\n  }\n",
                  i, i - 1);
  pm_buf_printf(&text, "  stage.output @s%d\n}\n", N);
  fixture f;
  open_text(&f, text.data, false);
  stage_graph *graph = stage_graph_new(f.pipeline);
  assert_non_null(graph);
  assert_int_equal(graph->nodes.len, N + 1);
  assert_string_equal(graph->nodes.data[0]->name->text, "s0");
  assert_string_equal(graph->nodes.data[N]->name->text, "s10000");
  stage_graph_free(graph);
  close_fixture(&f);
  pm_buf_free(&text);
}

/* --- the call --- */

static const char call_text[] =
    "stage.pipeline @p {\n"
    "  %w = stage.param @w : f32\n"
    "  %R = stage.param @R : i32\n"
    "  stage.input @b : u8 on #isl.set<\"[R, N] -> { [i, j] : 0 <= i < R and 0 <= j < N }\">\n"
    "  %N = stage.param @N : u64\n"
    "  stage.input @a : u8 on #isl.set<\"{ [] : }\">\n"
    "  stage.func @f : f32 on #isl.set<\"[R] -> { [x, y] : -R <= x < 2R and x = 3y }\"> {\n  }\n"
    "  stage.func @wild : f32 on #isl.set<\"{ [x] : x > 3 }\"> {\n  }\n"
    "  stage.func @huge : f32 on #isl.set<\"[R] -> { [x] : -4611686018427387904 <= x < 4611686018427387904 "
    "}\"> {\n  }\n"
    "  stage.output @f\n}\n";

static void signatures_follow_the_text(void **state) {
  (void)state;
  fixture f;
  open_text(&f, call_text, false);
  stage_signature sig;
  stage_signature_get(f.pipeline, &sig);
  assert_string_equal(sig.name->text, "p");
  assert_int_equal(sig.params.len, 3);
  assert_string_equal(sig.params.data[0].name->text, "w");
  assert_string_equal(sig.params.data[2].name->text, "N");
  assert_int_equal(sig.inputs.len, 2);
  assert_string_equal(sig.inputs.data[0].name->text, "b");
  assert_int_equal(sig.inputs.data[0].n_dims, 2);
  assert_int_equal(sig.inputs.data[1].n_dims, 0);
  assert_int_equal(sig.outputs.len, 1);
  assert_ptr_equal(sig.outputs.data[0].type, pm_get_scalar(f.ctx, PM_F32));
  stage_signature_free(&sig);
  close_fixture(&f);
}

/* An array for each element, by names that no other stage has. */
static void tuples_are_several_arguments(void **state) {
  (void)state;
  static const char *const names[] = {"t_0_", "t_1", "t_2"};
  static const pm_scalar scalars[] = {PM_F32, PM_U8, PM_I64};
  fixture f;
  open_text(
      &f,
      "stage.pipeline @p {\n"
      "  stage.func @t : (f32, u8, i64) on #isl.set<\"{ [x, y] : 0 <= x < 4 and 2 <= y < 9 }\"> {\n  }\n"
      "  stage.func @t_0 : u8 on #isl.set<\"{ [] }\"> {\n  }\n"
      "  stage.output @t\n  stage.output @t_0\n}\n",
      true);
  stage_signature sig;
  stage_signature_get(f.pipeline, &sig);
  assert_int_equal(sig.outputs.len, 4);
  for (unsigned i = 0; i < 3; i++) {
    const stage_arg *arg = &sig.outputs.data[i];
    assert_string_equal(arg->name->text, names[i]);
    assert_ptr_equal(arg->type, pm_get_scalar(f.ctx, scalars[i]));
    assert_int_equal(arg->element, i);
    assert_int_equal(arg->n_dims, 2);
  }
  assert_string_equal(sig.outputs.data[3].name->text, "t_0");
  assert_int_equal(pm_element_bytes(stage_type_of(sig.outputs.data[0].op)), 4 + 1 + 8);
  stage_signature_free(&sig);
  close_fixture(&f);
}

static void boxes_follow_the_parameters(void **state) {
  (void)state;
  fixture f;
  open_text(&f, call_text, false);
  pm_region *body = pm_region_at(f.pipeline, stage_pipeline_body);
  pm_op *b = pm_lookup_symbol(body, pm_get_cstring(f.ctx, "b"));
  pm_op *a = pm_lookup_symbol(body, pm_get_cstring(f.ctx, "a"));
  pm_op *func = pm_lookup_symbol(body, pm_get_cstring(f.ctx, "f"));
  pm_op *wild = pm_lookup_symbol(body, pm_get_cstring(f.ctx, "wild"));
  pm_op *huge = pm_lookup_symbol(body, pm_get_cstring(f.ctx, "huge"));
  int64_t extents[2], lower[2];
  assert_true(stage_box_at(f.pipeline, b, (int64_t[]){99, 5, 7}, extents, NULL));
  assert_int_equal(extents[0], 5);
  assert_int_equal(extents[1], 7);
  assert_true(stage_box_at(f.pipeline, b, (int64_t[]){99, 0, 7}, extents, lower));
  assert_int_equal(extents[0], 0);
  assert_int_equal(extents[1], 0);
  assert_true(stage_box_at(f.pipeline, a, (int64_t[]){99, 0, 7}, extents, lower));
  assert_true(stage_box_at(f.pipeline, func, (int64_t[]){99, 4, 7}, extents, lower));
  assert_int_equal(lower[0], -3);
  assert_int_equal(extents[0], 10);
  assert_int_equal(lower[1], -1);
  assert_int_equal(extents[1], 4);
  assert_int_equal(f.log.len, 0);
  assert_false(stage_box_at(f.pipeline, wild, (int64_t[]){99, 4, 7}, extents, lower));
  assert_false(stage_box_at(f.pipeline, huge, (int64_t[]){99, 4, 7}, extents, lower));
  assert_false(stage_box_at(f.pipeline, b, (int64_t[]){99, 5, -1}, extents, lower));
  close_fixture(&f);
}

/* --- orders of combination --- */

/* A choice is of tuples of two. */
static void check_order(const char *fp, const char *kind, const char *mark, const char *type, bool any) {
  pm_buf text = {0}, types = {0};
  bool pair = strchr(kind, ',') != NULL;
  pm_buf_printf(&types, pair ? "%s, %s" : "%s", type, type);
  pm_buf_printf(&text,
                "stage.pipeline @p%s {\n"
                "  %%w = stage.param @w : %s\n"
                "  stage.func @f : %s%s%s on #isl.set<\"{ [] }\"> {\n"
                "    stage.update(%%i) on #isl.set<\"{ [i] : 0 <= i < 9 }\"> {\n"
                "      stage.combine %s, %%w into []%s : %s\n"
                "    }\n  }\n  stage.output @f\n}\n",
                fp, type, pair ? "(" : "", types.data, pair ? ")" : "", kind, mark, types.data);
  pm_buf_free(&types);
  fixture f;
  open_text(&f, text.data, true);
  stage_graph *graph = stage_graph_new(f.pipeline);
  const pm_op *combine = pm_terminator(pm_region_at(graph->nodes.data[0]->updates.data[0].op, 0));
  if (stage_combine_any_order(combine) != any) fail_msg("%s", text.data);
  stage_graph_free(graph);
  close_fixture(&f);
  pm_buf_free(&text);
}

static void order_of_combinations_counts(void **state) {
  (void)state;
  static const struct {
    const char *fp, *kind, *mark, *type;
    bool any;
  } rows[] = {
      {"", "sum", "", "i32", true},
      {" fp \"strict\"", "product", "", "u8", true},
      {"", "sum", "", "f32", false},
      {"", "product", "", "f64", false},
      {" fp \"contract\"", "sum", "", "f32", false},
      {" fp \"contract\"", "min", "", "f32", true},
      {"", "max", "", "f32", true},
      {" fp \"strict\"", "max", "", "f32", false},
      {" fp \"fast\"", "sum", "", "f32", true},
      {" fp \"strict\"", "sum", " associative", "f32", true},
      {"", "product", " associative", "f32", true},
      {"", "assign", "", "i32", false},
      {" fp \"fast\"", "assign", "", "f32", false},
      {" fp \"strict\"", "argmin, %w, with", "", "i32", true},
      {"", "argmax, %w, with", "", "f32", true},
      {" fp \"strict\"", "argmax, %w, with", "", "f32", false},
      {" fp \"strict\"", "argmax, %w, with", " associative", "f32", true},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    check_order(rows[i].fp, rows[i].kind, rows[i].mark, rows[i].type, rows[i].any);
}

/* --- points --- */

static const struct points_row {
  const char *set;
  double want;
} points_rows[] = {
    {"[R] -> { [x, y] : 0 <= x < R and 0 <= y < 3 }", 300},
    {"[R] -> { [x, y] : 0 <= x < R and 0 <= y < 3 and x mod 4 = 1 }", 75},
    {"{ [i, x, y] : 0 <= i < 16 and 0 <= x < 64 and 0 <= y < 5 and (x - i) mod 16 = 0 }", 320},
    {"{ [x, i] : 0 <= i < 16 and 0 <= x < 64 and (x - i) mod 16 = 0 }", 64},
    {"{ [i, b, x] : 0 <= i < 16 and 0 <= x < 128 and 2b <= x < 2b + 2 and (b - i) mod 16 = 0 }", 128},
    {"{ [i, x] : 0 <= i < 16 and i <= x < 64 and x mod 16 = i and x >= 0 }", 64},
    {"{ [x, y] : 0 <= x < 8 and 0 <= y < 8 and (x + y) mod 2 = 0 and x mod 4 = 0 }", 8},
    {"{ [x] : 0 <= x < 8 and x mod 2 = 0; [x] : 0 <= x < 8 and x mod 2 = 1 }", 8},
    {"{ [x] : 1 = 0 }", 0},
    {"{ [] }", 1},
};

/* With R = 100, as the pipeline has it by `usual`. */
static void points_of_sets(void **state) {
  (void)state;
  fixture f;
  open_text(&f, "stage.pipeline @p {\n  %R = stage.param @R : i32\n}\n", false);
  stage_graph *graph = stage_graph_new(f.pipeline);
  assert_non_null(graph);
  for (size_t i = 0; i < PM_COUNT(points_rows); i++) {
    isl_set *set = isl_set_read_from_str(graph->isl, points_rows[i].set);
    double points = stage_points_in(graph, set, 100);
    if (points < points_rows[i].want * 0.9 || points > points_rows[i].want * 1.15)
      fail_msg("%s has %g points, not about %g", points_rows[i].set, points, points_rows[i].want);
    isl_set_free(set);
  }
  stage_graph_free(graph);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_become_relations),
      cmocka_unit_test(producers_come_first),
      cmocka_unit_test(cycles_are_named),
      cmocka_unit_test(long_chains_are_no_problem),
      cmocka_unit_test(signatures_follow_the_text),
      cmocka_unit_test(boxes_follow_the_parameters),
      cmocka_unit_test(order_of_combinations_counts),
      cmocka_unit_test(tuples_are_several_arguments),
      cmocka_unit_test(points_of_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
