/* The core without text: interning, affine maps, use lists, regions, cloning, walking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "dialects/loop/loop.h"
#include "ir/builder.h"
#include "ir/verify.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_context(void **state) {
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  *state = ctx;
  return 0;
}

static int drop_context(void **state) {
  pm_context_free(*state);
  return 0;
}

static void check_interning(void **state) {
  pm_context *ctx = *state;
  assert_ptr_equal(pm_get_cstring(ctx, "x"), pm_get_string(ctx, PM_STR("x")));
  assert_ptr_equal(pm_get_int(pm_get_scalar(ctx, PM_I8), 257), pm_get_int(pm_get_scalar(ctx, PM_I8), 1));
  assert_ptr_not_equal(pm_get_int(pm_get_scalar(ctx, PM_U8), 255),
                       pm_get_int(pm_get_scalar(ctx, PM_I8), 255));
  assert_true(pm_get_int(pm_get_scalar(ctx, PM_I8), 255)->i == -1);
  assert_true(pm_get_int(pm_get_scalar(ctx, PM_U8), -1)->i == 255);
  assert_ptr_not_equal(pm_get_float(pm_get_scalar(ctx, PM_F32), 0.0),
                       pm_get_float(pm_get_scalar(ctx, PM_F32), -0.0));
  int64_t dims[] = {4, PM_DYNAMIC};
  pm_type f32 = pm_get_scalar(ctx, PM_F32);
  assert_ptr_equal(pm_get_memref(f32, 2, dims, PM_SPACE_NONE), pm_get_memref(f32, 2, dims, PM_SPACE_NONE));
  const int64_t strides[] = {64, 1}, others[] = {PM_DYNAMIC, 1};
  pm_type dense = pm_get_memref(f32, 2, dims, PM_SPACE_HEAP), rows = pm_get_strided(dense, strides);
  assert_ptr_equal(rows, pm_get_strided(dense, strides));
  assert_ptr_not_equal(rows, dense);
  assert_ptr_not_equal(rows, pm_get_strided(dense, others));
  assert_ptr_equal(pm_get_strided(rows, NULL), dense);
  assert_ptr_not_equal(pm_get_memref(f32, 2, dims, PM_SPACE_NONE),
                       pm_get_memref(f32, 2, dims, PM_SPACE_HEAP));
}

static void check_printing(void **state) {
  static const struct {
    double value;
    pm_scalar scalar;
    const char *text;
  } rows[] = {
      {0.1, PM_F32, "0.1 : f32"},
      {0.1, PM_F64, "0.1 : f64"},
      {1, PM_F32, "1.0 : f32"},
      {1e30, PM_F32, "1e+30 : f32"},
      {-0.0, PM_F64, "-0.0 : f64"},
      {1.0 / 12, PM_F32, "0.083333336 : f32"},
      {65520, PM_F16, "0x7F800000 : f16"},
      {1.0000001, PM_BF16, "1.0 : bf16"},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf out = {0};
    pm_print_attr(&out, pm_get_float(pm_get_scalar(*state, rows[i].scalar), rows[i].value));
    assert_string_equal(out.data, rows[i].text);
    pm_buf_free(&out);
  }
}

/* (4x + y + c) by 2 in the ways of dividing: without what 2 divides, the same values. */
static void check_divided(void **state) {
  pm_context *ctx = *state;
  pm_affine_expr x = pm_affine_dim(ctx, 0), y = pm_affine_dim(ctx, 1), two = pm_affine_const(ctx, 2);
  pm_affine_expr four_x = pm_affine_mul(x, pm_affine_const(ctx, 4));
  for (int kind = PM_AFFINE_FLOORDIV; kind <= PM_AFFINE_MOD; kind++)
    for (int64_t c = -3; c <= 3; c++) {
      pm_affine_expr sum = pm_affine_addc(pm_affine_add(four_x, y), c);
      pm_affine_expr before = pm_affine_binary((pm_affine_kind)kind, sum, two);
      pm_affine_expr after = pm_affine_divide_out(before);
      assert_ptr_not_equal(before, after);
      for (int64_t i = -2; i <= 2; i++)
        for (int64_t j = -2; j <= 2; j++)
          assert_int_equal(pm_affine_eval(before, (int64_t[]){i, j}, NULL),
                           pm_affine_eval(after, (int64_t[]){i, j}, NULL));
    }
  assert_ptr_equal(pm_affine_divide_out(pm_affine_binary(PM_AFFINE_FLOORDIV, four_x, two)),
                   pm_affine_mul(x, two));
}

static void check_affine(void **state) {
  pm_context *ctx = *state;
  pm_affine_expr x = pm_affine_dim(ctx, 0), y = pm_affine_dim(ctx, 1), c32 = pm_affine_const(ctx, 32);
  pm_affine_expr tile = pm_affine_mul(y, c32);
  pm_affine_expr difference =
      pm_affine_add(pm_affine_add(tile, x), pm_affine_mul(tile, pm_affine_const(ctx, -1)));
  assert_ptr_equal(pm_affine_normalize(difference), x);
  pm_affine_expr e = pm_affine_addc(pm_affine_binary(PM_AFFINE_FLOORDIV, x, c32), -1);
  assert_true(pm_affine_eval(e, (int64_t[]){-1}, NULL) == -2);
  assert_true(pm_affine_eval(pm_affine_binary(PM_AFFINE_MOD, x, c32), (int64_t[]){-1}, NULL) == 31);
  pm_buf out = {0};
  pm_print_affine_map(
      &out, pm_get_affine_map(ctx, 2, 0, (pm_affine_expr[]){e, pm_affine_mul(pm_affine_add(x, y), c32)}, 2));
  assert_string_equal(out.data, "affine_map<(d0, d1) -> (d0 floordiv 32 - 1, (d0 + d1) * 32)>");
  pm_buf_free(&out);
  int64_t coeffs[2];
  assert_true(pm_affine_dim_coeffs(difference, coeffs, 2));
  assert_true(coeffs[0] == 1 && coeffs[1] == 0);
  assert_false(pm_affine_dim_coeffs(e, coeffs, 2));
}

/* loop.func { %i loop { c = i + i } } */
static pm_op *small_func(pm_module *module) {
  pm_context *ctx = pm_module_context(module);
  pm_builder b = pm_builder_at_end(module, pm_module_body(module), PM_NO_LOC);
  pm_op *func = pm_build(&b, &loop_func, NULL, 0, NULL, 0,
                         (pm_attr[loop_func_N_ATTRS]){pm_get_symbol(ctx, pm_get_cstring(ctx, "f"))});
  b = pm_builder_at_end(module, pm_region_at(func, 0), PM_NO_LOC);
  pm_value *bounds[] = {arith_build_index(&b, 0), arith_build_index(&b, 9)};
  pm_op *loop =
      pm_build(&b, &loop_for, bounds, 2, NULL, 0, (pm_attr[loop_for_N_ATTRS]){pm_get_index_attr(ctx, 1)});
  pm_value *i = pm_add_arg(pm_region_at(loop, 0), pm_get_index(ctx), NULL);
  b = pm_builder_at_end(module, pm_region_at(loop, 0), PM_NO_LOC);
  pm_build_binary(&b, &arith_addi, i, i);
  return func;
}

static pm_walk count_op(void *user, pm_op *op) {
  (void)op;
  ++*(int *)user;
  return PM_WALK_ON;
}

static void check_arguments(void **state) {
  pm_module *module = pm_module_new(*state, PM_NO_LOC);
  pm_op *func = small_func(module);
  pm_region *body = pm_region_at(pm_region_at(func, 0)->last, 0);
  pm_value *i = body->args[0], *j = pm_add_arg(body, pm_get_i1(*state), NULL);
  pm_value *k = pm_add_arg(body, pm_get_index(*state), NULL);
  pm_replace_uses(i, k);
  pm_remove_arg(body, 0);
  assert_int_equal(body->n_args, 2);
  assert_true(body->args[0] == j && pm_value_index(j) == 0);
  assert_true(body->args[1] == k && pm_value_index(k) == 1);
  pm_module_free(module);
}

static void check_clone(void **state) {
  pm_module *module = pm_module_new(*state, PM_NO_LOC);
  pm_op *func = small_func(module);
  pm_op *copy = pm_clone(module, func, NULL);
  pm_set_attr(copy, loop_func_sym, pm_get_symbol(*state, pm_get_cstring(*state, "g")));
  pm_insert(pm_module_body(module), NULL, copy);
  assert_true(pm_verify_module(module));
  int n = 0;
  pm_walk_pre(pm_module_op(module), count_op, &n);
  assert_int_equal(n, 1 + 2 * 5);
  pm_op_erase(func);
  assert_true(pm_verify_module(module));
  pm_module *other = pm_module_clone(module);
  assert_true(pm_verify_module(other));
  pm_module_free(module);
  n = 0;
  pm_walk_post(pm_module_op(other), count_op, &n);
  assert_int_equal(n, 1 + 5);
  pm_module_free(other);
}

static void check_uses(void **state) {
  pm_module *module = pm_module_new(*state, PM_NO_LOC);
  pm_op *func = small_func(module);
  pm_op *loop = pm_region_at(func, 0)->last;
  pm_op *add = pm_region_at(loop, 0)->first;
  pm_value *lb = pm_arg(loop, loop_for_lb), *i = pm_region_at(loop, 0)->args[0];
  pm_replace_uses(i, lb);
  assert_true(pm_unused(i));
  int n = 0;
  PM_FOR_USES(use, lb) n++;
  assert_int_equal(n, 3);
  pm_set_operand(add, 1, i);
  assert_true(pm_has_one_use(i));
  assert_true(pm_dominates(lb, add));
  assert_false(pm_dominates(pm_res(add, 0), loop));
  for (unsigned k = 0; k < 9; k++) pm_add_operand(add, i);
  for (unsigned k = 0; k < 9; k++) pm_remove_operand(add, 1);
  assert_int_equal(add->n_operands, 2);
  assert_true(pm_verify_module(module));
  pm_module_free(module);
}

/* Erased ops are recycled: rewriting does not let the module grow. */
static void check_recycling(void **state) {
  pm_module *module = pm_module_new(*state, PM_NO_LOC);
  pm_op_erase(small_func(module));
  size_t before = pm_module_bytes(module);
  for (int k = 0; k < 1000; k++) pm_op_erase(small_func(module));
  assert_true(pm_module_bytes(module) <= before + 100000);
  pm_module_free(module);
}

/* How many bytes the module takes for each of many ops `%c = arith.addi %a, %b : i32`. */
static size_t bytes_of_sum(pm_module *module) {
  enum { N = 1 << 16 };
  pm_builder b = pm_builder_at_end(module, pm_module_body(module), PM_NO_LOC);
  pm_value *sums[2] = {arith_build_index(&b, 0), arith_build_index(&b, 1)};
  for (int i = 0; i < N; i++) sums[i & 1] = pm_build_binary(&b, &arith_addi, sums[0], sums[1]);
  size_t before = pm_module_bytes(module);
  for (int i = 0; i < N; i++) sums[i & 1] = pm_build_binary(&b, &arith_addi, sums[0], sums[1]);
  return (pm_module_bytes(module) - before + N - 1) / N;
}

static void check_bytes(void **state) {
  pm_module *module = pm_module_new(*state, PM_NO_LOC);
  assert_in_range(bytes_of_sum(module), 1, 130);
  pm_module_free(module);
}

/* Operands that move, and numbers of results and operands that bits beside addresses do not hold. */
static void check_many_operands(void **state) {
  enum { N = 40 };
  pm_module *module = pm_module_new(*state, PM_NO_LOC);
  pm_builder b = pm_builder_at_end(module, pm_module_body(module), PM_NO_LOC);
  pm_value *a = arith_build_index(&b, 0);
  pm_op *op = pm_def(pm_build_binary(&b, &arith_addi, a, a));
  for (unsigned n = 3; n <= N; n++) {
    pm_add_operand(op, a);
    PM_FOR_USES(use, a) assert_ptr_equal(pm_user(use), op);
    PM_FOR_USES(use, a) assert_ptr_equal(&pm_operands(op)[pm_operand_number(use)], use);
  }
  pm_op_state state_of_many = {.desc = &loop_if};
  for (unsigned i = 0; i < N; i++) PM_VEC_PUSH(state_of_many.results, a->type);
  pm_op *many = pm_op_new(module, &state_of_many);
  for (unsigned i = 0; i < N; i++) {
    assert_int_equal(pm_value_index(pm_res(many, i)), i);
    assert_ptr_equal(pm_def(pm_res(many, i)), many);
  }
  pm_op_state_free(&state_of_many);
  pm_op_erase(many);
  pm_op_erase(op);
  assert_true(pm_unused(a));
  pm_module_free(module);
}

static void check_map(void **state) {
  (void)state;
  pm_map *map = pm_map_new();
  static char keys[1000];
  for (size_t i = 0; i < sizeof keys; i++) pm_map_set(map, &keys[i], &keys[i]);
  for (size_t i = 0; i < sizeof keys; i += 3) pm_map_remove(map, &keys[i]);
  for (size_t i = 0; i < sizeof keys; i++) assert_true(pm_map_has(map, &keys[i]) == (i % 3 != 0));
  assert_int_equal(pm_map_size(map), 666);
  pm_map_free(map);
}

static void check_distance(void **state) {
  (void)state;
  assert_int_equal(pm_edit_distance(PM_STR("kitten"), PM_STR("sitting"), 5), 3);
  assert_int_equal(pm_edit_distance(PM_STR("kitten"), PM_STR("sitting"), 2), 3);
  assert_int_equal(pm_edit_distance(PM_STR(""), PM_STR("ab"), 5), 2);
}

/* The table written out, for short words. */
static unsigned whole_distance(const char *a, const char *b) {
  if (!*a || !*b) return (unsigned)(strlen(a) + strlen(b));
  unsigned least = whole_distance(a + 1, b + 1) + (*a != *b);
  unsigned without_a = whole_distance(a + 1, b) + 1, without_b = whole_distance(a, b + 1) + 1;
  if (without_a < least) least = without_a;
  return without_b < least ? without_b : least;
}

static void check_distance_of_all_short_words(void **state) {
  (void)state;
  static const char *const words[] = {"",   "a",   "b",   "ab",   "ba",   "aab",  "bab",  "abba",
                                      "ca", "abc", "cba", "aabb", "baab", "abcb", "ccab", "bcab"};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    for (size_t j = 0; j < PM_COUNT(words); j++)
      for (unsigned limit = 0; limit < 6; limit++) {
        unsigned want = whole_distance(words[i], words[j]);
        assert_int_equal(pm_edit_distance(pm_str_of(words[i]), pm_str_of(words[j]), limit),
                         want <= limit ? want : limit + 1);
      }
}

/* --- files --- */

/* A disk on which files of 1000 bytes at most have room. */
static void files_are_written_all_or_none(void **state) {
  (void)state;
  char folder[] = "/tmp/pm-unit-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pm_buf first = {0}, second = {0}, large = {0};
  pm_buf_printf(&first, "%s/a", folder);
  pm_buf_printf(&second, "%s/b", folder);
  for (unsigned i = 0; i < 2000; i++) pm_buf_putc(&large, 'x');
  pm_file files[] = {{first.data, "small", 5}, {second.data, large.data, large.len}};
  struct rlimit before;
  size_t failed = 77;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max}), 0);
  bool ok = pm_write_files(files, 2, &failed);
  int error = errno;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_false(ok);
  assert_int_equal(error, EFBIG);
  assert_int_equal(failed, 1);
  assert_int_equal(rmdir(folder), 0);
  assert_int_equal(mkdir(folder, 0700), 0);
  assert_true(pm_write_files(files, 2, &failed));
  assert_int_equal(unlink(first.data) + unlink(second.data) + rmdir(folder), 0);
  pm_buf_free(&first);
  pm_buf_free(&second);
  pm_buf_free(&large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(check_interning, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_printing, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_affine, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_divided, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_arguments, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_clone, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_uses, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_recycling, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_bytes, make_context, drop_context),
      cmocka_unit_test_setup_teardown(check_many_operands, make_context, drop_context),
      cmocka_unit_test(check_map),
      cmocka_unit_test(check_distance),
      cmocka_unit_test(files_are_written_all_or_none),
      cmocka_unit_test(check_distance_of_all_short_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
