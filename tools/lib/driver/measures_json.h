/* --timing=json and --statistics=json. */
#ifndef PM_TOOLS_DRIVER_MEASURES_JSON_H
#define PM_TOOLS_DRIVER_MEASURES_JSON_H

#include "ir/pass.h"

/* One object and a newline, in seconds of the processor: {"timing": {"total": 0.3, "passes": [{"pass": "cse",
 * "on": "loop.func", "runs": 2, "seconds": 0.1, "analyses": 0.02, "verifier": 0.01}]}} */
void pm_put_timing_json(const pm_pass_manager *pm, pm_buf *out);
/* {"statistics": [{"pass": "dce", "on": "loop.func", "runs": 1, "changed": 1, "counts": {"ops erased": 3}}]}
 */
void pm_put_statistics_json(const pm_pass_manager *pm, pm_buf *out);

#endif
