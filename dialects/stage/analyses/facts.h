/* What a context says of some of its params. A long context, as one with derived params has, would make each
 * set and relation of the pipeline as long; of most of its params a set says nothing. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_FACTS_H
#define PM_DIALECTS_STAGE_ANALYSES_FACTS_H

#include "dialects/isl/isl_dialect.h"

typedef struct stage_facts stage_facts;

/* Of the context, which is borrowed. */
stage_facts *stage_facts_new(__isl_keep isl_set *context);
void stage_facts_free(stage_facts *facts);

/* The set (taken) within what the context says of the params that it has: the constraints of these alone, and
 * the least that each may be; within all of the context where that is short. */
__isl_give isl_set *stage_facts_around(stage_facts *facts, __isl_take isl_set *set);
/* A relation (taken) from such a set, within what the context says of the params of both sides. */
__isl_give isl_map *stage_facts_between(stage_facts *facts, __isl_take isl_map *map,
                                        __isl_keep isl_set *range);

#endif
