/* How long each group of stages takes. The program is compiled once more, with a parameter that says how many
 * of its parts a call computes (the option `until` of lower-poly): a group takes what a call with it takes
 * more than one that ends before it. */
#include "tools/lib/measuring/groups.h"

#include "tools/lib/driver/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNTIL "pm_until"

void pm_profile_free(pm_profile *p) {
  for (size_t i = 0; i < p->groups.len; i++) free(p->groups.data[i].name);
  PM_VEC_FREE(p->groups);
  PM_VEC_FREE(p->parts);
  pm_native_free(p->native);
  stage_signature_free(&p->sig);
  if (p->module) pm_module_free(p->module);
  pm_remark_list_free(&p->remarks);
  *p = (pm_profile){0};
}

/* --- the program with the parameter --- */

bool pm_profile_extend(pm_op *pipeline, pm_buf *error) {
  pm_context *ctx = pm_op_context(pipeline);
  pm_region *body = pm_region_at(pipeline, stage_pipeline_body);
  if (pm_lookup_symbol(body, pm_get_cstring(ctx, UNTIL)))
    return pm_failf(error, "--profile needs the name '%s', which the program has", UNTIL);
  pm_op *last = NULL;
  PM_FOR_OPS(op, body)
  if (pm_is(op, &stage_param)) last = op;
  pm_builder b = pm_builder_at_end(pm_module_of(pipeline), body, pipeline->loc);
  b.before = last ? last->next : body->first;
  stage_build_param(&b, pm_get_cstring(ctx, UNTIL), pm_get_scalar(ctx, PM_I32));
  return true;
}

const char *pm_profile_setting(void) {
  return "lower-poly{until=" UNTIL "}";
}

/* --- from remarks to groups --- */

/* The name, with its @, is one of the text. */
static bool has_name(const char *text, pm_str name) {
  for (const char *at = strchr(text, '@'); at; at = strchr(at + 1, '@')) {
    size_t len = strcspn(at, ", ");
    if (len == name.len && memcmp(at, name.ptr, len) == 0) return true;
  }
  return false;
}

static bool is_of_group(const pm_kept_remark *remark, const char *key) {
  double value;
  return strcmp(remark->pass, "group") == 0 && pm_number_in(remark, key, &value);
}

/* The remark on the group whose last stage the part has; or, with the key of remarks on members, which come
 * behind that on their group, one of whose members it has. NULL: there is none. */
static const pm_kept_remark *group_with(const pm_remark_list *remarks, const pm_kept_remark *part,
                                        const char *key) {
  const pm_kept_remark *group = NULL;
  for (size_t i = 0; i < remarks->all.len; i++) {
    const pm_kept_remark *r = &remarks->all.data[i];
    if (is_of_group(r, "stages")) group = r;
    if (is_of_group(r, key) && has_name(part->message, pm_first_name(r->message))) return group;
  }
  return NULL;
}

/* What the pass `group` says of the part. That of a group's borders may lack its last stage. */
static const pm_kept_remark *group_of(const pm_remark_list *remarks, const pm_kept_remark *part) {
  const pm_kept_remark *group = group_with(remarks, part, "stages");
  return group ? group : group_with(remarks, part, "share");
}

static double number_of(const pm_kept_remark *remark, const char *key) {
  double value = 0;
  pm_number_in(remark, key, &value);
  return value;
}

static void add_group(pm_profile *p, pm_str name, const pm_kept_remark *remark) {
  PM_VEC_PUSH(p->groups, ((pm_group_sample){.name = pm_xstrndup(name.ptr + 1, name.len - 1),
                                            .stages = number_of(remark, "stages"),
                                            .predicted_seconds = pm_group_seconds(remark),
                                            .bytes = number_of(remark, "bytes"),
                                            .operations = number_of(remark, "operations")}));
}

/* A group may have several parts: its borders are computed apart. */
static size_t find_or_add_group(pm_profile *p, const pm_kept_remark *part) {
  const pm_kept_remark *remark = group_of(&p->remarks, part);
  pm_str name = pm_first_name(remark ? remark->message : part->message);
  for (size_t i = 0; i < p->groups.len; i++) {
    const char *known = p->groups.data[i].name;
    if (strlen(known) + 1 == name.len && memcmp(known, name.ptr + 1, name.len - 1) == 0) return i;
  }
  add_group(p, name, remark);
  return p->groups.len - 1;
}

void pm_profile_find_groups(pm_profile *p) {
  double number;
  for (size_t i = 0; i < p->remarks.all.len; i++) {
    const pm_kept_remark *r = &p->remarks.all.data[i];
    if (strcmp(r->pass, "lower-poly") == 0 && pm_number_in(r, "part", &number))
      PM_VEC_PUSH(p->parts, find_or_add_group(p, r));
  }
}

/* --- measuring --- */

static int call_there(pm_native *native, const pm_call *call) {
  int code = pm_native_call_there(native, call);
  return code ? code : pm_native_wait(native);
}

/* Each timed call follows one of the whole program, which leaves in the caches what calls usually find there.
 */
static int timed_call(const pm_profile *p, const pm_call *call, pm_lane *last, size_t until,
                      double *seconds) {
  last->i = (int64_t)p->parts.len;
  int code = call_there(p->native, call);
  last->i = (int64_t)until;
  double begin = pm_clock_seconds();
  if (!code) code = call_there(p->native, call);
  *seconds = fmin(*seconds, pm_clock_seconds() - begin);
  return code;
}

static int one_round(const pm_profile *p, const pm_call *call, pm_lane *last, double *least) {
  int code = 0;
  for (size_t i = 0; !code && i <= p->parts.len; i++) code = timed_call(p, call, last, i, &least[i]);
  return code;
}

static int all_rounds(const pm_profile *p, const pm_call *call, pm_lane *last, double *least, size_t rounds,
                      double seconds) {
  enum { MIN_ROUNDS = 5, MAX_ROUNDS = 1000 };
  size_t at_least = rounds ? rounds : MIN_ROUNDS, at_most = rounds ? rounds : MAX_ROUNDS;
  double end = pm_clock_seconds() + seconds;
  int code = 0;
  for (size_t i = 0; i <= p->parts.len; i++) least[i] = HUGE_VAL;
  for (size_t r = 0; !code && r < at_most && (r < at_least || pm_clock_seconds() < end); r++)
    code = one_round(p, call, last, least);
  return code;
}

int pm_profile_measure(pm_profile *p, const pm_call *given, size_t rounds, double seconds) {
  pm_call call = *given;
  double *least = pm_xcalloc(p->parts.len + 1, sizeof *least);
  pm_lane *params = pm_xcalloc(given->n_params + 1, sizeof *params);
  if (given->n_params) memcpy(params, given->params, given->n_params * sizeof *params);
  call.params = params;
  call.n_params++;
  int code = all_rounds(p, &call, &params[given->n_params], least, rounds, seconds);
  p->rest = least[0];
  for (size_t i = 0; i < p->parts.len; i++) {
    least[i + 1] = fmax(least[i + 1], least[i]);
    p->groups.data[p->parts.data[i]].seconds += least[i + 1] - least[i];
  }
  free(params);
  free(least);
  return code;
}
