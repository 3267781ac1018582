/* What a context says of some of its params. A long context, as one with derived params has, would make each
 * set and relation of the pipeline as long; of most of its params a set says nothing. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_FACTS_H
#define PM_DIALECTS_STAGE_ANALYSES_FACTS_H

#include "dialects/isl/isl_dialect.h"

typedef struct stage_facts stage_facts;

/* Of the context, which is borrowed. */
stage_facts *stage_facts_new(__isl_keep isl_set *context);
void stage_facts_free(stage_facts *facts);
/* The params of the context. Sets and relations have those alone of which they say something; expressions
 * whose symbols are params count them in this order. */
__isl_give isl_space *stage_facts_params(const stage_facts *facts);

/* What the context says of the params that the set has: the constraints of these alone, and the least and the
 * greatest that each may be; all of the context where that is short. Both are borrowed. */
isl_set *stage_facts_of(stage_facts *facts, isl_set *set);
/* The same of the params of the space (taken), with these alone in the order of the context; all of the
 * context where that is short. */
__isl_give isl_set *stage_facts_of_params(stage_facts *facts, __isl_take isl_space *params);
/* The set (taken) within that. */
__isl_give isl_set *stage_facts_around(stage_facts *facts, __isl_take isl_set *set);
/* The same of what such a set was mapped to, which may have other params besides. */
__isl_give isl_set *stage_facts_beside(stage_facts *facts, __isl_take isl_set *set);
/* A relation (taken) from such a set, within what the context says of the params of both sides. */
__isl_give isl_map *stage_facts_between(stage_facts *facts, __isl_take isl_map *map,
                                        __isl_keep isl_set *range);
/* The set (taken) within what the context says of its params and of those of the function (borrowed). */
__isl_give isl_set *stage_facts_around_both(stage_facts *facts, __isl_take isl_set *set,
                                            __isl_keep isl_pw_aff *function);
/* All that the context says of the params of the set (borrowed) and of those that these depend on, with these
 * alone; all of the context where that is short. */
__isl_give isl_set *stage_facts_all_of(stage_facts *facts, __isl_keep isl_set *set);
/* isl_set_gist of one context by another, part by part. */
__isl_give isl_set *stage_facts_gist(stage_facts *facts, stage_facts *known);

/* Questions about sets and relations within such facts: they are asked within what the context says of all
 * params at hand, and where that does not do, within all of it. Where isl does not answer (budget.h), they
 * say no, and nothing is subtracted. */
__isl_give isl_map *stage_subtract(stage_facts *facts, __isl_take isl_map *a, __isl_take isl_map *b);
__isl_give isl_map *stage_subtract_range(stage_facts *facts, __isl_take isl_map *a,
                                         __isl_take isl_set *range);
/* Within all that the context says of the params of the map (taken) and of those that these depend on: its
 * points are for params that there may be. */
__isl_give isl_map *stage_in_context(stage_facts *facts, __isl_take isl_map *map);
/* The same with the params of which anything is said alone: for a message. */
__isl_give isl_map *stage_possible(stage_facts *facts, __isl_take isl_map *map);
bool stage_is_subset(stage_facts *facts, __isl_take isl_map *a, __isl_take isl_map *b);
bool stage_is_empty(stage_facts *facts, __isl_keep isl_map *map);
bool stage_take_is_empty(stage_facts *facts, __isl_take isl_map *map);

#endif
