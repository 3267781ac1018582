#include "passes/passes.h"

#include "dialects/loop/analyses/ranges.h"
#include "dialects/loop/forms.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/forms.h"
#include "dialects/poly/tiling/footprint.h"
#include "dialects/poly/tiling/group_members.h"
#include "dialects/poly/tiling/units.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/forms.h"
#include "passes/options.h"

#define NEEDS(...) ((const pm_analysis_desc *const[]){__VA_ARGS__, NULL})
#define NEEDS_NOTHING NULL
#define KEEPS(...) NEEDS(__VA_ARGS__)
#define KEEPS_NOTHING NULL
#define FORMS(...) ((const pm_form *const[]){__VA_ARGS__, NULL})
#define WANTS(...) .wants = FORMS(__VA_ARGS__),
#define GIVES(...) .gives = FORMS(__VA_ARGS__),
#define ENDS(...) .ends = FORMS(__VA_ARGS__),
#define ANY_OPS .any_ops = true,
#define NO_FORMS .wants = NULL,

/* clang-format off */
#define PASS(id, name, anchor, needs, keeps, forms, doc) static const pm_opt_desc id##_options[] = {
#define OPT(pass, kind, id, name, fallback, values, doc) {name, kind, fallback, values, doc},
#define END(id) {NULL, PM_OPT_INT, NULL, NULL, NULL}};
/* clang-format on */
#include "passes/passes.def"
#undef PASS
#undef OPT
#undef END

#define PASS(id, name, anchor, needs, keeps, forms, doc)                                                     \
  static const pm_pass_desc id##_pass = {name, anchor, doc, keeps, id##_options, pass_##id, needs, forms};
#define OPT(pass, kind, id, name, fallback, values, doc)
#define END(id)
#include "passes/passes.def"
#undef PASS
#undef END

void pm_register_all_passes(pm_context *ctx) {
#define PASS(id, name, anchor, needs, keeps, forms, doc) pm_register_pass(ctx, &id##_pass);
#define END(id)
#include "passes/passes.def"
#undef PASS
#undef OPT
#undef END
}
