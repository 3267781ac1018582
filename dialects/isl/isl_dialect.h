/* isl objects as attributes: #isl.set<"…">, #isl.union_set<"…">, #isl.map<"…">, #isl.union_map<"…">,
 * #isl.multi_union_pw_aff<"…">, in isl's own notation. There are no ops. Objects inside attributes are
 * borrowed: copy (isl_set_copy) before giving them to an isl function that takes. isl's parameters are named
 * after the symbols of stage.param.
 */
#ifndef PM_DIALECTS_ISL_H
#define PM_DIALECTS_ISL_H

#include "ir/ir.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

extern const pm_dialect isl_dialect;

extern const pm_attr_kind isl_set_kind, isl_union_set_kind, isl_map_kind, isl_union_map_kind, isl_mupa_kind;

/* The context's isl_ctx, with errors kept silent: a failing isl function returns NULL. */
isl_ctx *pm_isl_ctx(pm_context *ctx);
/* The last error of isl as text, and forgets it. */
const char *pm_isl_error(pm_context *ctx);

/* What was found out about attributes: that `a` (and `b`) is `what` within a context, each of which may be
 * NULL. It holds as long as the context lives, since attributes never change. */
typedef struct isl_fact {
  const char *what;
  pm_attr a, b, within;
} isl_fact;
bool isl_fact_is_known(pm_context *ctx, isl_fact fact);
void isl_fact_note(pm_context *ctx, isl_fact fact);

/* What was computed from attributes alone, which a key names: an object that lives as long as the context,
 * and is then freed. NULL: there is none yet. */
void *isl_find_kept(pm_context *ctx, pm_string key);
void isl_keep(pm_context *ctx, pm_string key, void *object, void (*free_object)(void *object));

/* A key for a question about a set or a map, or both, by their texts; either may be NULL. NULL: isl gives no
 * text. */
pm_string isl_key_of(pm_context *ctx, const char *question, __isl_keep isl_set *set, __isl_keep isl_map *map);

/* Attributes from objects (taken). The text is isl's own, which is parsed by the same attribute. */
pm_attr isl_attr_of_set(pm_context *ctx, __isl_take isl_set *set);
pm_attr isl_attr_of_union_set(pm_context *ctx, __isl_take isl_union_set *set);
pm_attr isl_attr_of_map(pm_context *ctx, __isl_take isl_map *map);
pm_attr isl_attr_of_union_map(pm_context *ctx, __isl_take isl_union_map *map);
pm_attr isl_attr_of_mupa(pm_context *ctx, __isl_take isl_multi_union_pw_aff *mupa);
/* Borrowed objects; NULL when the attribute is absent or of another kind. */
isl_set *isl_peek_set(pm_attr attr);
isl_union_set *isl_peek_union_set(pm_attr attr);
isl_map *isl_peek_map(pm_attr attr);
isl_union_map *isl_peek_union_map(pm_attr attr);
isl_multi_union_pw_aff *isl_peek_mupa(pm_attr attr);

#endif
