// A plugin in C++: a pass that counts.
#include "tools/plugin.h"

#include <cstdlib>
#include <string>

namespace {

using std::free;

pm_result count_ops(pm_pass *p) {
  PM_VEC(pm_op *) ops = {};
  PM_FOR_OPS(op, pm_region_at(pm_pass_root(p), loop_func_body)) PM_VEC_PUSH(ops, op);
  std::string name = "ops";
  pm_pass_stat(p, name.c_str(), static_cast<int64_t>(ops.len));
  PM_VEC_FREE(ops);
  return PM_UNCHANGED;
}

const pm_pass_desc pass = {"count-ops", "loop.func", "counts the ops of a function",
                           nullptr,     nullptr,     count_ops,
                           nullptr,     nullptr,     nullptr,
                           nullptr,     false};

void register_counting(pm_context *ctx) {
  pm_register_pass(ctx, &pass);
}

} // namespace

PM_PLUGIN("counting", register_counting)
