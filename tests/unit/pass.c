/* Diagnostics, pipeline texts, and the pass manager's own promises: which ops a pass runs on, what is cached
 * how long, what stops a run. */
#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "ir/diag.h"
#include "ir/fault.h"
#include "ir/pass.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "tools/lib/driver/remarks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- a context that remembers its diagnostics --- */

typedef struct diag_log {
  pm_buf text; /* "error:line:col:message\n" … */
  unsigned n;
} diag_log;

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  static const char *const names[] = {"error", "warning", "remark", "note"};
  diag_log *l = user;
  (void)ctx;
  l->n++;
  pm_buf_printf(&l->text, "%s:%u:%u:%s\n", names[diag->severity], (unsigned)diag->loc.line,
                (unsigned)diag->loc.col, diag->message);
}

static pm_context *new_context(diag_log *l) {
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_set_diag_handler(ctx, remember, l);
  return ctx;
}

static void assert_contains(const char *text, const char *part) {
  if (!text || !strstr(text, part)) fail_msg("'%s' is not in '%s'", part, text ? text : "(nothing)");
}

/* --- formats --- */

static void formats_like_printf(void **state) {
  (void)state;
  pm_buf got = {0};
  char want[200];
  long double big = 1.5L;
  pm_format(&got, "%d|%5d|%-5d|%05d|%+d|%hhd|%ld|%lld|%zu|%x|%#X|%c|%s|%.2s|%*d|%.*f|%g|%Lg|%%|%jd|%td", 1, 2,
            3, 4, 5, (signed char)-1, 6L, 7LL, (size_t)8, 255u, 255u, 'c', "text", "cut", 4, 9, 2, 3.14159,
            1e30, big, (intmax_t)10, (ptrdiff_t)-11);
  snprintf(want, sizeof want,
           "%d|%5d|%-5d|%05d|%+d|%hhd|%ld|%lld|%zu|%x|%#X|%c|%s|%.2s|%*d|%.*f|%g|%Lg|%%|%jd|%td", 1, 2, 3, 4,
           5, (signed char)-1, 6L, 7LL, (size_t)8, 255u, 255u, 'c', "text", "cut", 4, 9, 2, 3.14159, 1e30,
           big, (intmax_t)10, (ptrdiff_t)-11);
  assert_string_equal(got.data, want);
  pm_buf_free(&got);
}

static void formats_ir_objects(void **state) {
  (void)state;
  diag_log l = {0};
  pm_context *ctx = new_context(&l);
  pm_buf got = {0};
  pm_type i32 = pm_get_scalar(ctx, PM_I32);
  pm_format(&got, "%d %pT %pA %pS %s", 1, (const void *)i32, (const void *)pm_get_int(i32, 3),
            (const void *)pm_get_cstring(ctx, "word"), "end");
  assert_string_equal(got.data, "1 i32 3 : i32 word end");
  pm_buf_free(&got);
  pm_context_free(ctx);
}

static void caret_keeps_tabs(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  uint16_t file = pm_add_source(ctx, "a.txt", "first\n\t\xc3\xa4 cd\n", 13);
  pm_buf got = {0};
  pm_diag diag = {.severity = PM_WARNING, .loc = {2, 5, file}, .message = "text"};
  pm_print_diag(ctx, &diag, &got);
  assert_string_equal(got.data, "a.txt:2:5: warning: text\n\t\xc3\xa4 cd\n\t  ^\n");
  pm_buf_free(&got);
  pm_context_free(ctx);
}

static void long_lines_are_cut(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_buf line = {0}, got = {0};
  for (int i = 0; i < 1000; i++) pm_buf_putc(&line, (char)('a' + i % 26));
  pm_diag diag = {.loc = {1, 500, pm_add_source(ctx, "a", line.data, line.len)}, .message = "m"};
  pm_print_diag(ctx, &diag, &got);
  char *caret = strchr(got.data, '^'), *shown = strchr(got.data, '\n') + 1;
  assert_non_null(caret);
  size_t width = (size_t)(strchr(shown, '\n') - shown);
  assert_true(width < 300);
  assert_int_equal(*(caret - width - 1), line.data[499]);
  pm_buf_free(&line);
  pm_buf_free(&got);
  pm_context_free(ctx);
}

static void errors_over_the_limit_are_silent(void **state) {
  (void)state;
  diag_log l = {0};
  pm_context *ctx = new_context(&l);
  pm_set_max_errors(ctx, 2);
  for (int i = 0; i < 4; i++) {
    pm_error(ctx, PM_NO_LOC, "error %d", i);
    pm_note(ctx, PM_NO_LOC, "note %d", i);
  }
  pm_warning(ctx, PM_NO_LOC, "a warning");
  pm_note(ctx, PM_NO_LOC, "its note");
  assert_int_equal(pm_error_count(ctx), 4);
  assert_string_equal(l.text.data, "error:0:0:error 0\nnote:0:0:note 0\nerror:0:0:error 1\nnote:0:0:note 1\n"
                                   "warning:0:0:a warning\nnote:0:0:its note\n");
  pm_buf_free(&l.text);
  pm_context_free(ctx);
}

static void remarks_become_json(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  uint16_t file = pm_add_source(ctx, "a \"b\".pmir", NULL, 0);
  pm_buf got = {0};
  pm_remark_arg args[] = {{"bytes", 3}, {"share", 0.5}, {"none", (double)INFINITY}};
  pm_diag diag = {.severity = PM_REMARK,
                  .loc = {2, 5, file},
                  .message = "a\tb",
                  .kind = PM_REMARK_MISSED,
                  .pass = "group",
                  .args = args,
                  .n_args = 3};
  pm_put_remark_json(ctx, &diag, &got);
  assert_string_equal(
      got.data, "{\"kind\": \"missed\", \"pass\": \"group\", \"file\": \"a \\\"b\\\".pmir\", \"line\": 2, "
                "\"column\": 5, \"message\": \"a\\tb\", \"args\": {\"bytes\": 3, \"share\": 0.5, "
                "\"none\": null}}\n");
  pm_buf_free(&got);
  pm_context_free(ctx);
}

/* A remark of @f, @g, …, that costs so many ns; none for 0. */
static void say(pm_context *ctx, const char *format, char stage, double time) {
  pm_remark(ctx, PM_NO_LOC, PM_REMARK_MISSED, "group", (pm_remark_arg[]){{"time", time}}, time > 0, format,
            stage, time);
}

/* By the cost of a kind, then in order; of a kind the costliest, and the others by their names. */
static void costliest_remarks_come_first(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_remark_list list = {.show = PM_SHOW_COSTLIEST};
  pm_buf got = {0};
  pm_keep_remarks(ctx, &list);
  say(ctx, "@%c is { [x] : x > %.0f }", 'p', 0);
  say(ctx, "@%c stays", 'f', 2e6);
  say(ctx, "@%c is in 4x%.0f tiles", 'g', 1.5e6);
  say(ctx, "@%c stays", 'h', 3e6);
  say(ctx, "3 stages are one, the last is @%c", 'i', 4e6);
  say(ctx, "@%c stays", 'f', 1e6);
  say(ctx, "1 stage is one, the last is @%c", 'j', 5e6);
  say(ctx, "@%c is { [x] : 7 <= 3x }", 'q', 0);
  pm_put_costliest(ctx, &list, &got);
  assert_string_equal(got.data, "remark: [group] missed: 1 stage is one, the last is @j\n"
                                "  … and 1 more like it, 9 ms with it: @i\n"
                                "remark: [group] missed: @h stays\n"
                                "  … and 2 more like it, 6 ms with it: @f\n"
                                "remark: [group] missed: @g is in 4x1500000 tiles\n"
                                "remark: [group] missed: @p is { [x] : x > 0 }\n"
                                "  … and 1 more like it: @q\n"
                                "4 more: --remarks=all\n");
  pm_remark_list_free(&list);
  pm_buf_free(&got);
  pm_context_free(ctx);
}

/* Ten kinds, and eight names of each. */
static void few_remarks_are_shown(void **state) {
  (void)state;
  static const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  pm_context *ctx = pm_context_new();
  pm_remark_list list = {.show = PM_SHOW_COSTLIEST};
  pm_buf got = {0};
  pm_keep_remarks(ctx, &list);
  pm_put_costliest(ctx, &list, &got);
  assert_null(got.data);
  for (char stage = 'a'; stage <= 'j'; stage++) say(ctx, "@%c stays", stage, 0);
  pm_put_costliest(ctx, &list, &got);
  assert_contains(got.data, "@a stays\n  … and 9 more like it: @b, @c, @d, @e, @f, @g, @h, @i, …\n");
  for (size_t i = 0; i < PM_COUNT(words); i++)
    pm_remark(ctx, PM_NO_LOC, PM_REMARK_PASSED, "tile", NULL, 0, "%s", words[i]);
  got.len = 0;
  pm_put_costliest(ctx, &list, &got);
  assert_contains(got.data, "[tile] passed: i\n12 more: --remarks=all\n");
  pm_remark_list_free(&list);
  pm_buf_free(&got);
  pm_context_free(ctx);
}

/* --- pipelines as text --- */

#define GROUP(strategy, size, tile, overlap)                                                                 \
  "group{strategy=" strategy " max-size=" size " tile=" tile " overlap=" overlap " seed=0"                   \
  " cost=\"roofline\" inner=true jam=false again=true appraise=false blocks=false states=1000}"

static void pipelines_print_what_reparses(void **state) {
  (void)state;
  static const struct {
    const char *text, *printed;
  } rows[] = {
      {"", ""},
      {" cse , dce ", "cse,dce"},
      {"stage.pipeline(group)", "stage.pipeline(" GROUP("dp", "32", "32x256", "40") ")"},
      {"group{max-size=3, strategy=all\ttile=}", GROUP("all", "3", "", "40")},
      {"group{tile=8}{", NULL},
      {"stage.pipeline( ),cse", "stage.pipeline(),cse"},
      {"builtin.module(loop.func(cse,licm),dce)", "builtin.module(loop.func(cse,licm{loads=true}),dce)"},
      {"loop.func(loop.func(dce)),tile{sizes=1x2x3}",
       "loop.func(loop.func(dce)),tile{sizes=1x2x3 shape=overlapped inner= worker=group own=true}"},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    diag_log l = {0};
    pm_context *ctx = new_context(&l);
    const char *text = rows[i].text;
    for (int again = 0; again < 2; again++) {
      pm_pass_manager *pm = pm_pass_manager_new(ctx);
      pm_buf got = {0};
      bool ok = pm_parse_pipeline(pm, "test", text);
      assert_int_equal(ok, rows[i].printed != NULL);
      pm_print_pipeline(pm, &got);
      assert_string_equal(got.data, ok ? rows[i].printed : "");
      pm_buf_free(&got);
      pm_pass_manager_free(pm);
      text = rows[i].printed ? rows[i].printed : text;
    }
    pm_buf_free(&l.text);
    pm_context_free(ctx);
  }
}

static void wrong_pipelines_get_a_caret(void **state) {
  (void)state;
  static const struct {
    const char *text;
    unsigned col;
    const char *message;
  } rows[] = {
      {"canonicalise", 1, "unknown pass 'canonicalise'; did you mean 'canonicalize'?"},
      {"cse,quux", 5, "unknown pass 'quux'"},
      {"stage.pipelin(cse)", 1, "unknown op 'stage.pipelin'; did you mean 'stage.pipeline'?"},
      {"loop.func", 1, "'loop.func' is an op, not a pass"},
      {"cse(dce)", 1, "'cse' is a pass"},
      {"group{max-siz=3}", 7, "unknown option 'max-siz'; did you mean 'max-size'?"},
      {"cse{a=1}", 5, "unknown option 'a' of pass 'cse': it has none"},
      {"group{max-size=x}", 16, "option 'max-size' is 'x', but takes an integer in 1..100000"},
      {"group{max-size=0}", 16, "but takes an integer in 1..100000"},
      {"group{max-size=100001}", 16, "but takes an integer in 1..100000"},
      {"group{max-size}", 15, "option 'max-size' needs a value"},
      {"group{strategy=best}", 16, "but takes one of none|all|greedy"},
      {"group{tile=3xx4}", 12, "but takes integers with x between them"},
      {"group{tile=3x}", 12, "but takes integers with x between them"},
      {"group{max-size=3 max-size=3}", 18, "option 'max-size' of pass 'group' is given twice"},
      {"group{max-size=3", 6, "this '{' is not closed"},
      {"loop.func(cse", 14, "found the end, expected ')' for 'loop.func('"},
      {"cse)", 4, "this ')' closes nothing"},
      {"cse dce", 5, "found 'd', expected ',' between passes"},
      {"cse,", 5, "found the end, expected the name of a pass or op"},
      {"cse,,dce", 5, "found ',', expected the name of a pass or op"},
      {"stage.pipeline(lower-poly)", 16,
       "pass 'lower-poly' runs on 'builtin.module', but is in a pipeline of 'stage.pipeline'"},
      {"loop.func(group)", 11, "pass 'group' runs on 'stage.pipeline', but is in a pipeline of 'loop.func'"},
      {"group{strategy=\"gre}", 16, "this quote is not closed"},
      {"cse,\n dce,\n bad!", 2, "unknown pass 'bad!'"},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    diag_log l = {0};
    pm_context *ctx = new_context(&l);
    pm_pass_manager *pm = pm_pass_manager_new(ctx);
    assert_false(pm_parse_pipeline(pm, "test", rows[i].text));
    unsigned line, col;
    assert_int_equal(l.n, 1);
    assert_int_equal(sscanf(l.text.data, "error:%u:%u:", &line, &col), 2);
    if (col != rows[i].col) fail_msg("'%s': column %u, expected %u", rows[i].text, col, rows[i].col);
    assert_contains(l.text.data, rows[i].message);
    pm_pass_manager_free(pm);
    pm_buf_free(&l.text);
    pm_context_free(ctx);
  }
}

static const pm_named_pipeline clean = {"clean", "cse,dce", ""},
                               both = {"both", "loop.func(clean),clean,dce", ""},
                               ring = {"ring", "cse,rung", ""}, rung = {"rung", "dce,ring", ""},
                               broken = {"broken", "cse,\n no-such-pass", ""},
                               open = {"open", "loop.func(cse", ""}, shut = {"shut", "cse)", ""};

static void named_pipelines_stand_for_their_passes(void **state) {
  (void)state;
  static const struct {
    const char *text, *printed; /* NULL: refused with */
    const char *message;
  } rows[] = {
      {"clean", "cse,dce", NULL},
      {"clean,dce", "cse,dce,dce", NULL},
      {"loop.func(clean)", "loop.func(cse,dce)", NULL},
      {"both", "loop.func(cse,dce),cse,dce,dce", NULL},
      {"licm,ring", NULL,
       "error:1:5:pipeline 'ring' contains itself\nnote:1:5:the pipeline 'rung' is named here\n"
       "note:1:6:the pipeline 'ring' is named here\n"},
      {"broken", NULL,
       "error:2:2:unknown pass 'no-such-pass'\nnote:1:1:the pipeline 'broken' is named here\n"},
      {"cse,open,dce)", NULL, "error:1:14:found the end, expected ')' for 'loop.func('\n"},
      {"loop.func(shut", NULL, "error:1:4:this ')' closes nothing\n"},
      {"clean{a=1}", NULL, "error:1:1:'clean' is a pipeline: it takes no options\n"},
      {"cleen", NULL, "error:1:1:unknown pass 'cleen'; did you mean 'clean'?\n"},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    diag_log l = {0};
    pm_buf got = {0};
    pm_context *ctx = new_context(&l);
    const pm_named_pipeline *const all[] = {&clean, &both, &ring, &rung, &broken, &open, &shut};
    for (size_t k = 0; k < PM_COUNT(all); k++) assert_true(pm_register_pipeline(ctx, all[k]));
    pm_pass_manager *pm = pm_pass_manager_new(ctx);
    assert_int_equal(pm_parse_pipeline(pm, "test", rows[i].text), rows[i].printed != NULL);
    pm_print_pipeline(pm, &got);
    assert_string_equal(got.data, rows[i].printed ? rows[i].printed : "");
    if (rows[i].message) assert_contains(l.text.data, rows[i].message);
    pm_pass_manager_free(pm);
    pm_buf_free(&got);
    pm_buf_free(&l.text);
    pm_context_free(ctx);
  }
}

static void given_options_alone_are_printed(void **state) {
  (void)state;
  diag_log l = {0};
  pm_buf got = {0};
  pm_context *ctx = new_context(&l);
  pm_pass_manager *pm = pm_pass_manager_new(ctx);
  assert_true(pm_parse_pipeline(pm, "test", "stage.pipeline(group{states=7 strategy=all},tile{sizes=}),cse"));
  pm_print_given_pipeline(pm, &got);
  assert_string_equal(got.data, "stage.pipeline(group{strategy=all states=7},tile{sizes=}),cse");
  pm_pass_manager_free(pm);
  pm_buf_free(&got);
  pm_buf_free(&l.text);
  pm_context_free(ctx);
}

static pm_result do_nothing(pm_pass *p) {
  (void)p;
  return PM_UNCHANGED;
}

static void what_is_taken_is_an_error(void **state) {
  (void)state;
  static const pm_op_desc *const ops[] = {&arith_addi, NULL};
  static const pm_op_desc *const none[] = {NULL};
  static const pm_dialect arith = {.name = "arith", .ops = none}, thief = {.name = "thief", .ops = ops};
  static const pm_pass_desc cse = {.name = "cse", .anchor = "any", .doc = "", .run = do_nothing},
                            named_clean = {.name = "clean", .anchor = "any", .doc = "", .run = do_nothing};
  static const pm_named_pipeline again = {"clean", "", ""}, named_dce = {"dce", "", ""};
  diag_log l = {0};
  pm_context *ctx = new_context(&l);
  assert_true(pm_register_pipeline(ctx, &clean));
  assert_false(pm_register_pass(ctx, &cse));
  assert_false(pm_register_pass(ctx, &named_clean));
  assert_false(pm_register_pipeline(ctx, &again));
  assert_false(pm_register_pipeline(ctx, &named_dce));
  assert_false(pm_register_dialect(ctx, &arith));
  assert_false(pm_register_dialect(ctx, &thief));
  assert_string_equal(l.text.data,
                      "error:0:0:there is a pass 'cse' already\n"
                      "error:0:0:a pass is called 'clean', as is a pipeline\n"
                      "error:0:0:there is a pipeline 'clean' already\n"
                      "error:0:0:a pipeline is called 'dce', as is a pass\n"
                      "error:0:0:there is a dialect 'arith' already\n"
                      "error:0:0:the dialect 'thief' has an op 'arith.addi' that exists already\n");
  pm_buf_free(&l.text);
  pm_context_free(ctx);
}

static void deep_pipelines_are_refused(void **state) {
  (void)state;
  diag_log l = {0};
  pm_context *ctx = new_context(&l);
  pm_pass_manager *pm = pm_pass_manager_new(ctx);
  pm_buf text = {0};
  for (int i = 0; i < 100000; i++) pm_buf_puts(&text, "loop.func(");
  assert_false(pm_parse_pipeline(pm, "test", text.data));
  assert_contains(l.text.data, "nested more than 64 deep");
  pm_buf_free(&text);
  pm_pass_manager_free(pm);
  pm_buf_free(&l.text);
  pm_context_free(ctx);
}

/* --- running --- */

/* What the passes below did; set to zero by each test. */
static struct {
  unsigned computed, derived, freed, seen;
  pm_buf trail;
} world;

static void *compute_serial(pm_op *root, const void *base) {
  (void)base;
  world.computed++;
  uint32_t *n = pm_xmalloc(sizeof *n);
  *n = root->n_operands + (pm_attr_named(root, "mark") ? 1 : 0);
  return n;
}

static void free_serial(void *result) {
  world.freed++;
  free(result);
}

static bool equal_serial(const void *a, const void *b) {
  return *(const uint32_t *)a == *(const uint32_t *)b;
}

static const pm_analysis_desc serial_analysis = {"serial", compute_serial, free_serial, equal_serial, NULL};
static const pm_analysis_desc *const serial_only[] = {&serial_analysis, NULL};

/* Computed from the one above, of which it knows no more than the number. */
static void *compute_twice(pm_op *root, const void *base) {
  (void)root;
  world.derived++;
  uint32_t *n = pm_xmalloc(sizeof *n);
  *n = 2 * *(const uint32_t *)base;
  return n;
}

static const pm_analysis_desc twice_analysis = {"twice", compute_twice, free_serial, equal_serial,
                                                &serial_analysis};
static const pm_analysis_desc *const twice_only[] = {&twice_analysis, NULL};

static pm_result run_look_twice(pm_pass *p) {
  return pm_pass_analysis(p, &twice_analysis) ? PM_UNCHANGED : PM_FAILED;
}

static pm_result run_look(pm_pass *p) {
  if (!pm_pass_analysis(p, &serial_analysis)) return PM_FAILED;
  world.seen++;
  pm_format(&world.trail, "%pO;", (const void *)pm_pass_root(p));
  return PM_UNCHANGED;
}

/* Looks, and looks once more after what it knew was dropped. */
static pm_result run_look_again(pm_pass *p) {
  if (run_look(p) == PM_FAILED) return PM_FAILED;
  pm_pass_invalidate(p);
  return run_look(p);
}

/* What is computed from what was dropped is computed again. */
static pm_result run_look_twice_again(pm_pass *p) {
  if (run_look_twice(p) == PM_FAILED) return PM_FAILED;
  pm_pass_drop_analysis(p, &serial_analysis);
  return run_look_twice(p);
}

/* What another is computed from stays. */
static pm_result run_look_once_again(pm_pass *p) {
  if (run_look_twice(p) == PM_FAILED) return PM_FAILED;
  pm_pass_drop_analysis(p, &twice_analysis);
  return run_look_twice(p);
}

/* The analysis of the first op inside. */
static pm_result run_look_inside(pm_pass *p) {
  pm_op *first = pm_region_at(pm_pass_root(p), 0)->first;
  return pm_pass_analysis_of(p, first, &serial_analysis) ? PM_UNCHANGED : PM_FAILED;
}

static const pm_opt_desc word_options[] = {{"loud", PM_OPT_BOOL, "false", "", "in capitals"},
                                           {"word", PM_OPT_STR, "none", "", "what to say"},
                                           {NULL, PM_OPT_INT, NULL, NULL, NULL}};

static pm_result run_say(pm_pass *p) {
  pm_format(&world.trail, "%s%s;", pm_opt_str(p, 1), pm_opt_bool(p, 0) ? "!" : "");
  return PM_UNCHANGED;
}

static pm_result run_change(pm_pass *p) {
  (void)p;
  return PM_CHANGED;
}

static pm_result run_mark(pm_pass *p) {
  pm_set_attr_named(pm_pass_root(p), "mark", pm_get_unit(pm_pass_context(p)));
  return PM_CHANGED;
}

static pm_result run_fail(pm_pass *p) {
  (void)p;
  return PM_FAILED;
}

static pm_result run_break(pm_pass *p) {
  pm_region *body = pm_region_at(pm_pass_root(p), 0);
  pm_op *first = body->first;
  pm_move_before(first, body, NULL);
  return PM_CHANGED;
}

static pm_result run_panic(pm_pass *p) {
  pm_panic(pm_pass_root(p), "broken");
}

static const pm_pass_desc test_passes[] = {
    {.name = "look", .anchor = "any", .doc = "asks for the analysis", .run = run_look, .needs = serial_only},
    {.name = "look-func", .anchor = "loop.func", .doc = "the same", .run = run_look, .needs = serial_only},
    {.name = "look-again", .anchor = "any", .doc = "asks twice", .run = run_look_again, .needs = serial_only},
    {.name = "look-inside",
     .anchor = "builtin.module",
     .doc = "asks for that of the first op inside",
     .run = run_look_inside,
     .needs = serial_only},
    {.name = "say", .anchor = "any", .doc = "says a word", .opts = word_options, .run = run_say},
    {.name = "change", .anchor = "any", .doc = "says it changed", .run = run_change},
    {.name = "change-keeping",
     .anchor = "any",
     .doc = "the same, but keeps",
     .keeps = serial_only,
     .run = run_change},
    {.name = "mark", .anchor = "any", .doc = "changes", .run = run_mark},
    {.name = "mark-keeping",
     .anchor = "any",
     .doc = "changes what it says it keeps",
     .keeps = serial_only,
     .run = run_mark},
    {.name = "look-undeclared", .anchor = "any", .doc = "asks for what it does not declare", .run = run_look},
    {.name = "look-derived",
     .anchor = "any",
     .doc = "asks for what is computed from the analysis",
     .run = run_look_twice,
     .needs = twice_only},
    {.name = "look-derived-again",
     .anchor = "any",
     .doc = "drops the analysis in between",
     .run = run_look_twice_again,
     .needs = twice_only},
    {.name = "look-derived-once",
     .anchor = "any",
     .doc = "drops what is computed from it in between",
     .run = run_look_once_again,
     .needs = twice_only},
    {.name = "look-base",
     .anchor = "any",
     .doc = "asks for the base of what it declares",
     .run = run_look,
     .needs = twice_only},
    {.name = "change-derived",
     .anchor = "any",
     .doc = "changes, but keeps what is computed from it",
     .keeps = twice_only,
     .run = run_change},
    {.name = "fail", .anchor = "any", .doc = "fails without a word", .run = run_fail},
    {.name = "break", .anchor = "loop.func", .doc = "moves the first op behind its uses", .run = run_break},
    {.name = "panic", .anchor = "any", .doc = "panics", .run = run_panic},
};

static const char two_funcs[] = "loop.func @f {\n"
                                "  %x = loop.param @x : i32\n"
                                "  %y = arith.addi %x, %x : i32\n"
                                "}\n"
                                "loop.func @g {\n"
                                "  %x = loop.param @x : i32\n"
                                "  %y = arith.addi %x, %x : i32\n"
                                "}\n";

typedef struct run {
  pm_context *ctx;
  pm_module *module;
  pm_run_config config;
  diag_log log;
  pm_buf report;
} run;

static void begin(run *r) {
  memset(&world, 0, sizeof world);
  *r = (run){0};
  r->ctx = new_context(&r->log);
  for (size_t i = 0; i < PM_COUNT(test_passes); i++) pm_register_pass(r->ctx, &test_passes[i]);
  r->module = pm_parse_module(r->ctx, "test.pmir", two_funcs, sizeof two_funcs - 1, true);
  assert_non_null(r->module);
  r->config = pm_default_run_config();
  r->config.check_kept = false;
  r->config.report = &r->report;
}

static bool run_text(run *r, const char *pipeline) {
  pm_pass_manager *pm = pm_pass_manager_new(r->ctx);
  bool parsed = pm_parse_pipeline(pm, "test", pipeline);
  assert_true(parsed);
  bool ok = pm_run_passes(pm, r->module, &r->config);
  pm_pass_manager_free(pm);
  return ok;
}

static void end(run *r) {
  assert_int_equal(world.computed + world.derived, world.freed);
  pm_module_free(r->module);
  pm_context_free(r->ctx);
  pm_buf_free(&r->log.text);
  pm_buf_free(&r->report);
  pm_buf_free(&world.trail);
}

static void passes_find_their_ops(void **state) {
  (void)state;
  static const struct {
    const char *pipeline, *trail;
  } rows[] = {
      {"look", "'builtin.module';"},
      {"builtin.module(look)", "'builtin.module';"},
      {"look-func", "'loop.func' @f;'loop.func' @g;"},
      {"loop.func(look)", "'loop.func' @f;'loop.func' @g;"},
      {"loop.func(look-func)", "'loop.func' @f;'loop.func' @g;"},
      {"builtin.module(loop.func(look),look)", "'loop.func' @f;'loop.func' @g;'builtin.module';"},
      {"stage.pipeline(look)", ""},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    run r;
    begin(&r);
    assert_true(run_text(&r, rows[i].pipeline));
    assert_string_equal(world.trail.data ? world.trail.data : "", rows[i].trail);
    end(&r);
  }
}

static void passes_get_their_options(void **state) {
  (void)state;
  run r;
  begin(&r);
  assert_true(run_text(&r, "say,say{loud},say{loud=false word=a},say{word=\"b c\" loud=true}"));
  assert_string_equal(world.trail.data, "none;none!;a;b c!;");
  end(&r);
}

static void analyses_are_kept_as_long_as_they_hold(void **state) {
  (void)state;
  static const struct {
    const char *pipeline;
    unsigned computed;
  } rows[] = {
      {"look,look", 1},
      {"look,look-again,look", 2},
      {"loop.func(look,look)", 2},
      {"look,change,look", 2},
      {"look,change-keeping,look", 1},
      {"look,loop.func(change),look", 2},
      {"look,loop.func(change-keeping),look", 1},
      {"loop.func(look),change,loop.func(look)", 4},
      {"loop.func(look),look-inside", 2},
      {"look-inside,loop.func(look)", 2},
      {"loop.func(look),change,look-inside,change,look-inside", 4},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    run r;
    begin(&r);
    assert_true(run_text(&r, rows[i].pipeline));
    if (world.computed != rows[i].computed)
      fail_msg("'%s': computed %u times, expected %u", rows[i].pipeline, world.computed, rows[i].computed);
    end(&r);
  }
}

/* What is computed from another analysis goes with it, and keeping it keeps both. */
static void derived_analyses_go_with_their_base(void **state) {
  (void)state;
  static const struct {
    const char *pipeline;
    unsigned computed, derived;
  } rows[] = {
      {"look,look-derived", 1, 1},
      {"look-derived,look-base,look-derived", 1, 1},
      {"look-derived-again", 2, 2},
      {"look-derived-once", 1, 2},
      {"look-derived,change,look-derived", 2, 2},
      {"look-derived,change-derived,look-derived,look", 1, 1},
      {"look-derived,change-keeping,look,look-derived", 1, 2},
      {"loop.func(look-derived),change,loop.func(look-derived)", 4, 4},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    run r;
    begin(&r);
    assert_true(run_text(&r, rows[i].pipeline));
    if (world.computed != rows[i].computed || world.derived != rows[i].derived)
      fail_msg("'%s': computed %u and %u times, expected %u and %u", rows[i].pipeline, world.computed,
               world.derived, rows[i].computed, rows[i].derived);
    end(&r);
  }
}

typedef enum ended { DONE, FAILED, PANICKED } ended;

typedef struct attempt {
  const char *pipeline, *reproducer;
  run r;
  bool ok;
} attempt;

static void make_attempt(void *user) {
  attempt *a = user;
  begin(&a->r);
  a->r.config.check_kept = true;
  a->r.config.reproducer = a->reproducer;
  a->ok = run_text(&a->r, a->pipeline);
  end(&a->r);
}

static void leave_reproducer(void *user, const pm_fault *fault) {
  attempt *a = user;
  assert_int_equal(fault->kind, PM_FAULT_BUG);
  pm_run_crash_hook(a->r.ctx);
}

/* What a panic leaves behind goes with its heap. */
static ended end_of(const char *pipeline, const char *reproducer) {
  attempt a = {.pipeline = pipeline, .reproducer = reproducer};
  pm_fault fault;
  pm_heap *heap = pm_heap_new(0, false);
  bool whole = pm_protect(heap, make_attempt, leave_reproducer, &a, &fault);
  pm_heap_free(heap);
  if (!whole) memset(&world, 0, sizeof world);
  return !whole ? PANICKED : a.ok ? DONE : FAILED;
}

static void kept_analyses_are_checked(void **state) {
  (void)state;
  assert_int_equal(end_of("look,change-keeping,look", NULL), DONE);
  assert_int_equal(end_of("look,mark", NULL), DONE);
  assert_int_equal(end_of("look,mark-keeping", NULL), PANICKED);
}

static void needs_are_checked(void **state) {
  (void)state;
  assert_int_equal(end_of("look", NULL), DONE);
  assert_int_equal(end_of("look-undeclared", NULL), PANICKED);
  assert_int_equal(end_of("look,look-undeclared", NULL), PANICKED);
}

static void failures_and_panics_leave_a_reproducer(void **state) {
  (void)state;
  static const char *const bad[] = {"fail", "panic"};
  for (size_t i = 0; i < PM_COUNT(bad); i++) {
    char path[] = "/tmp/pm-unit-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    pm_buf pipeline = {0};
    pm_buf_printf(&pipeline, "cse,loop.func(look,%s,dce),licm", bad[i]);
    assert_int_equal(end_of(pipeline.data, path), i ? PANICKED : FAILED);
    size_t len;
    char *text = pm_read_file(path, PM_MAX_TEXT, &len);
    pm_buf want = {0};
    pm_buf_printf(&want, "// configuration: --pass-pipeline='loop.func(%s,dce),licm{loads=true}'\n", bad[i]);
    assert_contains(text, want.data);
    assert_contains(text, "loop.func @g");
    free(text);
    pm_buf_free(&want);
    pm_buf_free(&pipeline);
    unlink(path);
  }
}

static void failures_name_the_pass(void **state) {
  (void)state;
  static const struct {
    const char *pipeline, *message;
  } rows[] = {
      {"look,fail,look", "pass 'fail' failed on 'builtin.module'"},
      {"break", "'loop.func' @f does not verify after pass 'break'"},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    run r;
    begin(&r);
    assert_false(run_text(&r, rows[i].pipeline));
    assert_contains(r.log.text.data, rows[i].message);
    end(&r);
  }
}

static void bisection_stops_after_n(void **state) {
  (void)state;
  run r;
  begin(&r);
  r.config.bisect_limit = 1;
  assert_true(run_text(&r, "loop.func(look)"));
  assert_int_equal(world.seen, 1);
  assert_string_equal(r.report.data, "bisect: running pass (1) look on 'loop.func' @f\n"
                                     "bisect: not running pass (2) look on 'loop.func' @g\n");
  end(&r);
}

static void reports_say_what_was_asked(void **state) {
  (void)state;
  run r;
  begin(&r);
  r.config.print_changed = true;
  r.config.print_before = "look";
  r.config.statistics = r.config.timing = true;
  assert_true(run_text(&r, "loop.func(change),look,cse"));
  assert_contains(r.report.data, "// IR after 'change' on 'loop.func' @f\n");
  assert_contains(r.report.data, "// IR before 'look' on 'builtin.module'\n");
  assert_null(strstr(r.report.data, "IR after 'cse'"));
  assert_contains(r.report.data, "change: 2 runs, 2 changed something\n");
  assert_contains(r.report.data, "pure ops merged");
  assert_contains(r.report.data, "loop.func\n");
  assert_contains(r.report.data, "total\n");
  end(&r);
  begin(&r);
  r.config.print_after = "cse,lok";
  assert_false(run_text(&r, "look"));
  assert_contains(r.log.text.data, "--print-after: unknown pass 'lok'; did you mean 'look'?");
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_like_printf),
      cmocka_unit_test(formats_ir_objects),
      cmocka_unit_test(caret_keeps_tabs),
      cmocka_unit_test(long_lines_are_cut),
      cmocka_unit_test(errors_over_the_limit_are_silent),
      cmocka_unit_test(remarks_become_json),
      cmocka_unit_test(costliest_remarks_come_first),
      cmocka_unit_test(few_remarks_are_shown),
      cmocka_unit_test(pipelines_print_what_reparses),
      cmocka_unit_test(wrong_pipelines_get_a_caret),
      cmocka_unit_test(named_pipelines_stand_for_their_passes),
      cmocka_unit_test(given_options_alone_are_printed),
      cmocka_unit_test(what_is_taken_is_an_error),
      cmocka_unit_test(deep_pipelines_are_refused),
      cmocka_unit_test(passes_find_their_ops),
      cmocka_unit_test(passes_get_their_options),
      cmocka_unit_test(analyses_are_kept_as_long_as_they_hold),
      cmocka_unit_test(derived_analyses_go_with_their_base),
      cmocka_unit_test(kept_analyses_are_checked),
      cmocka_unit_test(needs_are_checked),
      cmocka_unit_test(failures_and_panics_leave_a_reproducer),
      cmocka_unit_test(failures_name_the_pass),
      cmocka_unit_test(bisection_stops_after_n),
      cmocka_unit_test(reports_say_what_was_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
