/* my-pass: products by two become sums.
 *
 *   %two = arith.constant 2.0 : f32     |  %two = arith.constant 2.0 : f32
 *   %0 = arith.mulf %x, %two : f32      |  %0 = arith.addf %x, %x : f32
 */
#include <pm/tools/plugin.h>

#include <stdint.h>

/* Rows of options: their order is that of the indices. `my-pass{most=3}` sets one. */
enum { OPT_MOST };
static const pm_opt_desc options[] = {
    [OPT_MOST] = {"most", PM_OPT_INT, "1000", "0..1000000", "changes at most so many products"}, {0}};

typedef struct products {
  pm_pass *pass;
  int64_t changed;
} products;

static bool is_two(const pm_value *value) {
  pm_attr number = pm_constant_value(value);
  if (!number) return false;
  return number->cls == PM_ATTR_INT ? number->i == 2 : number->cls == PM_ATTR_FLOAT && number->f == 2;
}

/* The op that adds where `op` multiplies, or NULL. */
static const pm_op_desc *sum_of(const pm_op *op) {
  if (pm_is(op, &arith_mulf)) return &arith_addf;
  return pm_is(op, &arith_muli) ? &arith_addi : NULL;
}

static pm_walk change_product(void *user, pm_op *op) {
  products *p = user;
  const pm_op_desc *sum = sum_of(op);
  if (!sum || !is_two(pm_arg(op, 1)) || p->changed == pm_opt_int(p->pass, OPT_MOST)) return PM_WALK_ON;
  pm_value *x = pm_arg(op, 0);
  pm_builder b = pm_builder_before(op);
  pm_value *made = pm_build_binary(&b, sum, x, x);
  pm_replace_op(op, &made);
  p->changed++;
  return PM_WALK_ON;
}

static pm_result run(pm_pass *pass) {
  products p = {.pass = pass};
  pm_op *func = pm_pass_root(pass);
  pm_walk_post(func, change_product, &p);
  pm_pass_stat(pass, "products changed", p.changed);
  if (!p.changed) return PM_UNCHANGED;
  pm_remark_arg n = {"products", (double)p.changed};
  pm_pass_remark(pass, func->loc, PM_REMARK_PASSED, &n, 1, "%d products became sums", (int)p.changed);
  return PM_CHANGED;
}

static const pm_pass_desc desc = {.name = "my-pass",
                                  .anchor = "loop.func",
                                  .doc = "products by two become sums",
                                  .opts = options,
                                  .run = run};

static void register_all(pm_context *ctx) {
  (void)pm_register_pass(ctx, &desc);
}

PM_PLUGIN("my-pass", register_all)
