/* C++ that is evaluated without any language that stands on it: with what C++ itself brings, and with a
 * library of one class. */
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/program.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* --- a library: Pixel(n) is a number of its own kind, p + q, p.next(), p(i), p[i], Pixel::black --- */

enum { PIXEL = CV_LIBRARY };

static cv pixel(uint32_t n) {
  return (cv){.kind = PIXEL, .number = n};
}

static cv next_pixel(const cx_call *c) {
  return cx_takes(c, 0, 0) ? pixel(c->self.number + 1) : cv_poison;
}

static cv call_pixel(const cx_call *c) {
  return pixel(c->self.number + 10 * c->n_args);
}

static cv index_pixel(cx_interp *in, pm_loc loc, cv self, cv index) {
  int64_t i;
  return cx_to_int(in, loc, index, &i, "the index") ? cv_int(PM_I32, self.number + i) : cv_poison;
}

static cv do_mix(const cx_call *c) {
  return cx_takes(c, 2, 2) ? pixel(c->args[0].number * c->args[1].number) : cv_poison;
}

/* --- and stored[i], an element that the library keeps; `#pragma store 7` is the first of them --- */

enum { STORED = PIXEL + 1, ELEMENT };
static int64_t stored[4];

static cv index_stored(cx_interp *in, pm_loc loc, cv self, cv index) {
  int64_t i;
  (void)self;
  return cx_to_int(in, loc, index, &i, "the index") ? (cv){.kind = ELEMENT, .number = (uint32_t)i & 3}
                                                    : cv_poison;
}

static cv load(cx_interp *in, cv self) {
  (void)in;
  return cv_int(PM_I32, stored[self.number]);
}

static void assign(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right) {
  cv value = op == CX_OP_NONE ? right : cx_binary(in, loc, op, load(in, left), right);
  if (value.kind == CV_INT) stored[left.number] = value.i;
}

static void run_pragma(cx_interp *in, pm_loc loc, pm_str text) {
  (void)in;
  if (text.len > 6 && strncmp(text.ptr, "store ", 6) == 0) stored[0] = text.ptr[6] - '0' + 100 * loc.col;
}

static bool find_name(cx_interp *in, const cx_node *n, cv *out) {
  (void)in;
  *out = (cv){.kind = STORED};
  if (strcmp(n->name->text, "stored") == 0) return true;
  *out = pixel(0);
  return strcmp(n->name->text, "Pixel::black") == 0;
}

static bool is_type(pm_string name) {
  return strcmp(name->text, "Pixel") == 0;
}

static bool construct(const cx_making *m, cv *out) {
  int64_t n = 0;
  if (m->n_args == 1 && m->args[0].kind == PIXEL) return *out = m->args[0], is_type(m->type->name);
  if (m->n_args > 0 && !cx_to_int(m->in, m->locs[0], m->args[0], &n, "the pixel"))
    return *out = cv_poison, true;
  *out = pixel((uint32_t)n);
  return is_type(m->type->name);
}

static bool convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v, cv *out) {
  *out = v.kind == PIXEL ? v : cx_fail(in, loc, "this is %s, a pixel should be here", cv_describe(in, v));
  return is_type(type->name);
}

static bool binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out) {
  (void)in, (void)loc;
  *out = pixel(a.number + b.number);
  return op == CX_OP_ADD && a.kind == PIXEL && b.kind == PIXEL;
}

static const cx_row pixel_rows[] = {{"next", next_pixel}, {NULL, NULL}};
static const cx_row functions[] = {{"mix", do_mix}, {"max", do_mix}, {NULL, NULL}};
static const cx_class classes[] = {
    {.what = "a pixel", .call = call_pixel, .index = index_pixel},
    {.what = "what is stored", .index = index_stored},
    {.what = "an element", .is_element = true, .load = load, .assign = assign}};

static const cx_row *methods(unsigned kind) {
  return kind == PIXEL ? pixel_rows : NULL;
}

static const char *const namespaces[] = {"px", NULL};

static const cx_library pixels = {.base = &cx_std,
                                  .namespaces = namespaces,
                                  .functions = functions,
                                  .find_name = find_name,
                                  .run_pragma = run_pragma,
                                  .is_type = is_type,
                                  .convert = convert,
                                  .construct = construct,
                                  .classes = classes,
                                  .methods = methods,
                                  .binary = binary};

/* --- running --- */

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%u:%u: %s\n", (unsigned)diag->loc.line, (unsigned)diag->loc.col, diag->message);
}

/* The value of the global `r` as text, or the diagnostics. The caller frees it. */
static char *result_of(const cx_library *library, const char *text) {
  pm_buf log = {0}, out = {0};
  pm_context *ctx = pm_context_new();
  cx_interp in;
  pm_buf_puts(&log, "");
  pm_set_diag_handler(ctx, remember, &log);
  cx_begin(&in, ctx, library, NULL, "test.cpp");
  cx_run_text(&in, pm_add_source(ctx, "test.cpp", text, strlen(text)), "test.cpp", pm_str_of(text));
  const cx_cell *cell = cx_find(&in, in.globals, pm_get_cstring(ctx, "r"));
  cv v = cell ? cell->value : cv_void;
  if (log.len > 0)
    pm_buf_puts(&out, log.data);
  else if (v.kind == CV_INT)
    pm_buf_printf(&out, "%lld", (long long)v.i);
  else if (v.kind == CV_FLOAT)
    pm_buf_printf(&out, "%g", v.f);
  else if (v.kind == CV_STRING)
    pm_buf_puts(&out, v.text->text);
  else
    pm_buf_printf(&out, "%s %u", cv_describe(&in, v), v.number);
  cx_end(&in);
  pm_context_free(ctx);
  pm_buf_free(&log);
  return pm_buf_take(&out);
}

typedef struct row {
  const char *text, *result;
} row;

static void check(const cx_library *library, const row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char *result = result_of(library, rows[i].text);
    if (strcmp(result, rows[i].result) != 0) print_message("of: %s\n", rows[i].text);
    assert_string_equal(result, rows[i].result);
    free(result);
  }
}

/* --- tests --- */

static void the_language_needs_no_library(void **state) {
  (void)state;
  static const row rows[] = {
      {"int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int r = f(10);", "55"},
      {"struct A { int a = 2; int twice() { return 2 * a; } }; A a{21}; int r = a.twice();", "42"},
      {"enum class E { a = 3, b }; int r = E::b;", "4"},
      {"template <typename T> struct P { T x, y; }; P<int> p{1, 2}; int r = p.x + p.y;", "3"},
      {"int g(float x) { return 1; } int g(int x) { return 2; } int r = g(1.5f);", "1"},
      {"int f() { int x = 1; auto add = [](int &y) { y += 5; }; add(x); return x; } int r = f();", "6"},
      {"uint8_t r = 300;", "44"},
      {"int a[2] = {1, 2}; int r = a[2];", "1:29: the index is 2, it should be 0 to 1\n"},
      {"int value = 1; int r = valuo;", "1:24: the name 'valuo' is not known, 'value' is the nearest one\n"},
      {"int r = Pixel(3);", "1:9: the function 'Pixel' is not known here\n"},
      {"template <typename... T> int f(T... x) { return x; } int r = f(1);",
       "1:49: 'x' is a pack, '...' should follow what has it\n"},
      {"int g(int x) { return x; } int y = 1; int r = g(y...);",
       "1:50: '...' is here, what it follows should have a pack\n"},
      {"int g(int a, int b) { return a; } template <typename... T> int f(T... x) { return sizeof...(y); } "
       "int r = f(1);",
       "1:93: 'y' is no pack, sizeof... should have one\n"},
      {"template <typename... T> int f(T... x) { return (x + ...); } int r = f();",
       "1:52: the pack is empty, '+' should have an operand\n"},
      {"template <typename... T> int f(T... x) { auto g = [&](auto... y) { return ((x * y) + ...); }; "
       "return g(1, 2, 3); } int r = f(1, 2);",
       "1:84: the pack 'x' has 2 parameters and 'y' 3, they should have as many\n"},
      {"template <typename... T> int f(T... x) { return 1; } template <> int f<int>(int x) { return 2; } "
       "int r = f(1);",
       "1:70: a special case of a function with a pack is not supported, a function beside it is\n"},
      {"class C; int r = 1(2);", "1:19: this is an integer, a function should be called\n"},
  };
  check(&(cx_library){.base = NULL}, rows, PM_COUNT(rows));
}

static void the_standard_library_is_one(void **state) {
  (void)state;
  static const row rows[] = {
      {"std::vector<int> v(3, 7); v.push_back(1); int r = v.size();", "4"},
      {"std::map<std::string, int> m; m[\"a\"] = 3; int r = m.count(\"a\") + m[\"a\"];", "4"},
      {"std::string r = std::to_string(1 + 2) + \"px\";", "3px"},
      {"std::pair<int, float> p = std::make_pair(1, 2); float r = std::sqrt(p.second + 7.0f);", "3"},
      {"int r = std::max(1, 4);", "4"},
      {"int r = std::max(\"a\", 4);",
       "1:9: the operands of '<' are a string and an integer, which it does not take\n"},
      {"int r = lruond(1.5);", "1:9: the function 'lruond' is not known, 'lround' is the nearest one\n"},
  };
  check(&cx_std, rows, PM_COUNT(rows));
}

static void a_library_brings_its_own(void **state) {
  (void)state;
  static const row rows[] = {
      {"px::Pixel p(3); auto r = p.next();", "a pixel 4"},
      {"using namespace px; Pixel p(3), q(4); Pixel r = p + q;", "a pixel 7"},
      {"auto r = mix(Pixel(3), Pixel(4));", "a pixel 12"},
      {"auto r = max(Pixel(3), Pixel(4));", "a pixel 12"},
      {"auto r = max(3, 4);", "4"},
      {"Pixel p(3); auto r = p(1, 2);", "a pixel 23"},
      {"Pixel p(3); int r = p[2];", "5"},
      {"auto r = Pixel::black.next();", "a pixel 1"},
      {"std::vector<Pixel> v; v.emplace_back(5); Pixel r = v[0];", "a pixel 5"},
      {"Pixel r = 3;", "1:11: this is an integer, a pixel should be here\n"},
      {"Pixel p(3); auto r = p - p;",
       "1:24: the operands of '-' are a pixel and a pixel, which it does not take\n"},
      {"Pixel p(3); auto r = p.nexst();", "1:24: a pixel has no member 'nexst', 'next' is the nearest one\n"},
      {"Pixel p(3); if (p) {} int r = 0;",
       "1:17: the condition is a pixel, it should be known while the program is compiled\n"},
      {"struct Pixel { int n = 8; }; Pixel p; int r = p.n;", "8"},
  };
  check(&pixels, rows, PM_COUNT(rows));
}

/* Dot is a Pixel with a number of its own. */
#define DOT                                                                                                  \
  "int f(Pixel p) { return 1; } int f(int n) { return 2; } int g(Pixel &p) { p = p.next(); return 0; } "     \
  "struct Dot : public px::Pixel { int n = 7; Dot() {} Dot(int k) : Pixel(k + 1), n(k) {} "                  \
  "int own() { return n; } auto later() { return next(); } auto at(int i) { return (*this)[i]; } "           \
  "auto all() { return Pixel::operator()(1, 2); } auto even() { return this->Pixel::next(); } "              \
  "auto outer() { return next() + black(); } Pixel black() { return Pixel::black; } }; "

static void classes_derive_from_those_of_the_library(void **state) {
  (void)state;
  static const row rows[] = {
      {DOT "Dot d(3); auto r = d.next();", "a pixel 5"},
      {DOT "Dot d; auto r = d.next();", "a pixel 1"},
      {DOT "Dot d(3); int r = d.own();", "3"},
      {DOT "Dot d(3); auto r = d.later();", "a pixel 5"},
      {DOT "Dot d(3); int r = d.at(2);", "6"},
      {DOT "Dot d(3); auto r = d(1, 2, 3);", "a pixel 34"},
      {DOT "Dot d(3); auto r = d.all();", "a pixel 24"},
      {DOT "Dot d(3); auto r = d.even();", "a pixel 5"},
      {DOT "Dot d(3); auto r = d.outer();", "a pixel 5"},
      {DOT "Dot d(3); int r = d[2];", "6"},
      {DOT "Dot d(3), e(4); auto r = d + e;", "a pixel 9"},
      {DOT "Dot d(3); d += Pixel(2); auto r = d.next();", "a pixel 7"},
      {DOT "Dot d(3); Pixel r = d;", "a pixel 4"},
      {DOT "Dot d(3); auto r = static_cast<Pixel>(d);", "a pixel 4"},
      {DOT "Dot d(3); auto r = mix(d, d);", "a pixel 16"},
      {DOT "Dot d(3); int r = f(d);", "1"},
      {DOT "Dot d(3); g(d); auto r = d.next();", "a pixel 6"},
      {DOT "Dot d(3), e = d; g(e); auto r = d.next();", "a pixel 5"},
      {DOT "Dot d(3); Pixel &p = d; p = Pixel(8); auto r = d.next();", "a pixel 9"},
      {DOT "Dot d(3); Pixel *p = &d; *p = Pixel(8); auto r = d.next();", "a pixel 9"},
      {DOT "std::vector<Pixel> v; v.push_back(Dot(3)); auto r = v[0];", "a pixel 4"},
      {DOT "std::vector<Dot> v; v.push_back(Dot(3)); int r = v[0].own();", "3"},
      {DOT "int f(const Dot &d) { return 3; } Dot d(3); int r = f(d);", "3"},
      {DOT "struct Two : Dot { Two() : Dot(5) {} }; Two t; auto r = t.next();", "a pixel 7"},
      {"struct Same : Pixel { using Pixel::Pixel; }; Same s(6); auto r = s.next();", "a pixel 7"},
      {"struct Own : Pixel { int next() { return 9; } int k() { return next(); } }; Own o; int r = o.k();",
       "9"},
      {"struct Own : Pixel { int operator()(int) { return 9; } using Pixel::operator(); }; Own o; "
       "auto r = o(1, 2);",
       "a pixel 20"},
      {"template <class T> struct Of : T { Of(int k) : T(k) {} }; Of<Pixel> o(2); auto r = o.next();",
       "a pixel 3"},
      {"struct Own : Pixel { Own() : Pixxel(3) {} }; Own o; int r = 0;",
       "1:36: Own has no member or base 'Pixxel'\n"},
      {"struct Own : Pixel, std::string { }; Own o; int r = 0;",
       "1:21: the class derives from Pixel and string, it should derive from one of them\n"},
      {"struct Own : Pixel { }; Own o; auto r = o.nexst();",
       "1:43: a pixel has no member 'nexst', 'next' is the nearest one\n"},
  };
  check(&pixels, rows, PM_COUNT(rows));
}

static void elements_are_the_library_s(void **state) {
  (void)state;
  static const row rows[] = {
      {"int f() { stored[1] = 4; stored[1] += 2; return stored[1]; } int r = f();", "6"},
      {"int f() { stored[1] = 4; int a = stored[1]++ * 10 + ++stored[1]; return a * 100 + stored[1]; } "
       "int r = f();",
       "4606"},
      {"int f() { int a = (stored[2] = stored[3] = 5); return a + stored[2] * 10 + max(stored[3], 1); } "
       "int r = f();",
       "60"},
      {"int g(int a, int b) { return a - b; } int f() { stored[0] = 9; return g(stored[0], 2); } int r = "
       "f();",
       "7"},
      {"#if 0\n#pragma store 3\n#endif\n#pragma store 7\nint r = stored[0];", "907"},
      {"/*\n#pragma store 3\n*/ #define S 1\n#pragma   store 5\n#pragma unroll\nint r = stored[0];", "1105"},
  };
  check(&pixels, rows, PM_COUNT(rows));
}

static void parameters_may_be_arrays(void **state) {
  (void)state;
  static const row rows[] = {
      {"int f(int n, float w[2 * 3][4]) { return n; } float w[6][4]; int r = f(3, w);", "3"},
  };
  check(&pixels, rows, PM_COUNT(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_language_needs_no_library),
                                     cmocka_unit_test(the_standard_library_is_one),
                                     cmocka_unit_test(a_library_brings_its_own),
                                     cmocka_unit_test(elements_are_the_library_s),
                                     cmocka_unit_test(parameters_may_be_arrays),
                                     cmocka_unit_test(classes_derive_from_those_of_the_library)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
