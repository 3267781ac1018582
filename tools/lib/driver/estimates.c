#include "tools/lib/driver/estimates.h"

#include "dialects/stage/stage.h"
#include "tools/lib/message.h"

#include <math.h>

static bool is_far(int64_t a, int64_t b) {
  enum { FAR = 4 };
  double low = fmin((double)a, (double)b), high = fmax((double)a, (double)b);
  return high >= FAR * fmax(low, 1);
}

void pm_warn_of_estimates(const char *tool, const stage_signature *sig, const pm_params *params,
                          const pm_estimate_list *given) {
  pm_buf estimates = {0}, values = {0};
  for (size_t i = 0; i < sig->params.len; i++) {
    pm_op *param = sig->params.data[i].op;
    const char *name = sig->params.data[i].name->text;
    int64_t value = params->values[i];
    if (!pm_is(param, &stage_param) || !pm_attr_at(param, stage_param_estimate) ||
        pm_has_estimate(given, name) || !is_far(pm_int_at(param, stage_param_estimate), value))
      continue;
    pm_buf_printf(&estimates, "%s%s = %lld", estimates.len ? ", " : "", name,
                  (long long)pm_int_at(param, stage_param_estimate));
    pm_buf_printf(&values, " --estimate %s=%lld", name, (long long)value);
  }
  if (estimates.len) {
    pm_buf_printf(&estimates,
                  " is what the program estimates, far from this call;%s chooses groups and tiles for it",
                  values.data);
    pm_print_warning(tool, &estimates);
  }
  pm_buf_free(&values);
}

void pm_set_called_estimates(const stage_signature *sig, const pm_params *params) {
  for (size_t i = 0; i < sig->params.len; i++) {
    pm_op *param = sig->params.data[i].op;
    if (!pm_is(param, &stage_param) || !pm_is_int(sig->params.data[i].type) ||
        pm_attr_at(param, stage_param_estimate))
      continue;
    pm_set_estimate(param, params->values[i]);
  }
}
