/* Plugins: shared objects that bring passes, dialects, frontends, targets and named pipelines to a tool
 * (--load-plugin=x.so). A plugin has, once:
 *
 *   static void register_mine(pm_context *ctx) { … }
 *   PM_PLUGIN("mine", register_mine)
 *
 * It may be written in C or in C++; there, further headers of the tree are included inside extern "C" { }.
 * See docs/plugins.md.
 */
#ifndef PM_TOOLS_PLUGIN_H
#define PM_TOOLS_PLUGIN_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/stage.h"
#include "frontends/frontend.h"
#include "ir/builder.h"
#include "ir/diag.h"
#include "ir/pass.h"
#include "ir/rewrite.h"
#include "targets/target.h"

#ifdef __cplusplus
}
#endif

/* Of the struct below: grows when that changes. */
#define PM_PLUGIN_ABI 3u
#define PM_PLUGIN_SYMBOL "pm_plugin_info"

typedef struct pm_plugin {
  uint32_t abi;
  const char *name;
  /* Registers what the plugin brings; called once a context. What is taken is a diagnostic of the functions
   * that register, after which the plugin is refused. */
  void (*register_in)(pm_context *ctx);
  uint64_t (*layout)(void); /* pm_plugin_layout as the plugin was compiled */
} pm_plugin;

#ifdef __cplusplus
extern "C" const pm_plugin pm_plugin_info;
#else
extern const pm_plugin pm_plugin_info;
#endif

#define PM_PLUGIN(plugin_name, register_function)                                                            \
  const pm_plugin pm_plugin_info = {PM_PLUGIN_ABI, plugin_name, register_function, pm_plugin_layout};

/* A number for the rows of the tree's dialects: what the enumerations of indices were made of. */
/* clang-format off */
static inline uint64_t pm_plugin_rows(void) {
  static const char *const rows[] = {
#define DIALECT(name) "DIALECT " #name,
#define OP(op, traits, doc) "OP " #op, #traits,
#define ARG(op, name, c, doc) "ARG " #name, #c,
#define ARGS(op, name, c, doc) "ARGS " #name, #c,
#define RES(op, name, c, doc) "RES " #name, #c,
#define RESS(op, name, c, doc) "RESS " #name, #c,
#define ATTR(op, name, c, doc) "ATTR " #name, #c,
#define OPT_ATTR(op, name, c, doc) "OPT_ATTR " #name, #c,
#define REGION(op, name, c, doc) "REGION " #name, #c,
#define OPT_REGION(op, name, c, doc) "OPT_REGION " #name, #c,
#define LANES(op, cost) "LANES " #op, #cost,
#define PM_DIALECT_DEF "dialects/dialects.def"
#include "ir/op_rows.h"
#undef PM_DIALECT_DEF
  };
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) hash = pm_hash_bytes(rows[i], strlen(rows[i]) + 1, hash);
  return hash;
}
/* clang-format on */

/* A number for everything that is compiled into a plugin and into a tool alike: the rows of all dialects,
 * which number operands and attributes, and the layout of the structs of public headers. A plugin of another
 * number is refused. */
static inline uint64_t pm_plugin_layout(void) {
  const size_t layout[] = {
      sizeof(pm_op),
      offsetof(pm_op, desc),
      offsetof(pm_op, n_operands),
      offsetof(pm_op, loc),
      sizeof(pm_value),
      sizeof(pm_arg_value),
      sizeof(pm_use),
      sizeof(pm_region),
      sizeof(pm_builder),
      sizeof(*(pm_type)0),
      sizeof(*(pm_attr)0),
      sizeof(pm_loc),
      sizeof(pm_buf),
      sizeof(pm_op_desc),
      offsetof(pm_op_desc, fold),
      offsetof(pm_op_desc, rules),
      sizeof(pm_row),
      sizeof(pm_attr_kind),
      sizeof(pm_type_kind),
      sizeof(pm_loop_like),
      sizeof(pm_form),
      sizeof(pm_rule),
      sizeof(pm_dialect),
      sizeof(pm_pass_desc),
      offsetof(pm_pass_desc, run),
      sizeof(pm_opt_desc),
      sizeof(pm_analysis_desc),
      sizeof(pm_named_pipeline),
      sizeof(pm_run_config),
      sizeof(pm_greedy_config),
      sizeof(pm_greedy_result),
      sizeof(pm_diag),
      sizeof(pm_frontend),
      sizeof(pm_frontend_option),
      sizeof(pm_frontend_value),
      sizeof(pm_frontend_input),
      sizeof(pm_target),
      sizeof(pm_target_output),
      PM_N_SCALARS,
      T_CUSTOM,
      A_CUSTOM,
      R_GRAPH,
  };
  return pm_hash_bytes(layout, sizeof layout, pm_plugin_rows());
}

#endif
