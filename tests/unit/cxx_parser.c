/* The syntax of C++: what becomes of each piece of it, what is refused and how, and that no text
 * makes the parser crash. */
#include "frontends/cxx/syntax/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Namespaces of a library. */
static const char *const dropped[] = {"Halide", "Internal", NULL};

/* --- the tree as text --- */

static void dump(pm_buf *out, const cx_node *n);

static void dump_list(pm_buf *out, const char *begin, const cx_node *n, const char *between,
                      const char *end) {
  pm_buf_puts(out, begin);
  for (uint32_t i = 0; i < n->n_items; i++) {
    if (i > 0) pm_buf_puts(out, between);
    dump(out, n->items[i]);
  }
  pm_buf_puts(out, end);
}

static void dump_name(pm_buf *out, const cx_node *n) {
  pm_buf_puts(out, n->name ? n->name->text : "-");
  if (n->n_items > 0) dump_list(out, "<", n, ", ", ">");
}

static void dump_type(pm_buf *out, const cx_node *n) {
  pm_buf_puts(out, n->is_const ? ":const " : ":");
  dump_name(out, n);
  if (n->is_pointer) pm_buf_putc(out, '*');
  if (n->is_reference) pm_buf_putc(out, '&');
}

static void dump_number(pm_buf *out, const cx_node *n) {
  if (n->kind == CX_FLOAT) {
    pm_buf_put_double(out, n->f, false);
    pm_buf_puts(out, n->is_single ? "f" : "");
  } else {
    pm_buf_printf(out, n->kind == CX_CHAR ? "'%lld'" : "%lld", (long long)n->i);
    pm_buf_printf(out, "%s%s", n->is_unsigned ? "u" : "", n->is_long ? "l" : "");
  }
}

/* (head a b c items…) without what is not there. */
static void dump_parts(pm_buf *out, const char *head, const cx_node *n) {
  const cx_node *parts[] = {n->a, n->b, n->c};
  pm_buf_printf(out, "(%s", head);
  for (size_t i = 0; i < 3; i++) {
    if (!parts[i]) continue;
    pm_buf_putc(out, ' ');
    dump(out, parts[i]);
  }
  for (uint32_t i = 0; i < n->n_items; i++) {
    pm_buf_putc(out, ' ');
    dump(out, n->items[i]);
  }
  pm_buf_putc(out, ')');
}

/* name[extent]=value */
static void dump_declarator(pm_buf *out, const cx_node *n) {
  if (n->name)
    pm_buf_puts(out, n->name->text);
  else
    dump_list(out, "[", n, " ", "]");
  for (uint32_t i = 0; n->name && i < n->n_items; i++) {
    pm_buf_putc(out, '[');
    if (n->items[i]) dump(out, n->items[i]);
    pm_buf_putc(out, ']');
  }
  if (!n->b) return;
  pm_buf_putc(out, '=');
  dump(out, n->b);
}

static void dump_param(pm_buf *out, const cx_node *n) {
  dump(out, n->a);
  if (n->name) pm_buf_printf(out, " %s", n->name->text);
  if (!n->b) return;
  pm_buf_putc(out, '=');
  dump(out, n->b);
}

/* (fn result name (parameters) body member-values) */
static void dump_function(pm_buf *out, const cx_node *n) {
  pm_buf_printf(out, n->is_static ? "(static-fn " : "(fn ");
  if (n->a) {
    dump(out, n->a);
    pm_buf_putc(out, ' ');
  }
  pm_buf_puts(out, n->name ? n->name->text : "-");
  dump_list(out, " (", n, ", ", ")");
  for (int i = 0; i < 2; i++) {
    const cx_node *part = i ? n->b : n->c;
    if (!part) continue;
    pm_buf_putc(out, ' ');
    dump(out, part);
  }
  pm_buf_putc(out, ')');
}

static void dump_for(pm_buf *out, const cx_node *n) {
  const cx_node *parts[] = {n->items[0], n->a, n->b, n->c};
  pm_buf_puts(out, "(for");
  for (size_t i = 0; i < 4; i++) {
    pm_buf_putc(out, ' ');
    if (parts[i])
      dump(out, parts[i]);
    else
      pm_buf_putc(out, '-');
  }
  pm_buf_putc(out, ')');
}

static void dump_lambda(pm_buf *out, const cx_node *n) {
  dump_list(out, "(lambda (", n, ", ", ") ");
  if (n->a) {
    dump(out, n->a);
    pm_buf_putc(out, ' ');
  }
  dump(out, n->b);
  pm_buf_putc(out, ')');
}

static void dump_text(pm_buf *out, const cx_node *n, const char *head) {
  const char *name = n->kind == CX_REFUSED && n->name ? n->name->text : "";
  pm_buf_printf(out, "(%s%s%s \"%.*s\")", head, *name ? " " : "", name, (int)n->text.len, n->text.ptr);
}

/* Where the node's operator or name is part of the head. */
static void dump_named(pm_buf *out, const cx_node *n, const char *before, const char *behind) {
  pm_buf head = {0};
  pm_buf_printf(&head, "%s%s%s", before,
                n->name                         ? n->name->text
                : n->op || n->kind == CX_ASSIGN ? cx_op_text(n->op)
                                                : "-",
                behind);
  dump_parts(out, head.data, n);
  pm_buf_free(&head);
}

static void dump_alias(pm_buf *out, const cx_node *n) {
  pm_buf_printf(out, "(using %s ", n->name->text);
  if (n->a)
    dump(out, n->a);
  else
    pm_buf_put(out, n->text.ptr, n->text.len);
  pm_buf_putc(out, ')');
}

static const char *const heads[] = {
    [CX_IF] = "if",         [CX_RANGE_FOR] = "each",    [CX_SWITCH] = "switch",   [CX_LABEL] = "case",
    [CX_BREAK] = "break",   [CX_CONTINUE] = "continue", [CX_RETURN] = "return",   [CX_BLOCK] = "do-all",
    [CX_TERNARY] = "?",     [CX_CAST] = "cast",         [CX_SIZEOF] = "sizeof",   [CX_NEW] = "new",
    [CX_DELETE] = "delete", [CX_INDEX] = "index",       [CX_NULLPTR] = "nullptr", [CX_THIS] = "this"};

static void dump_statement(pm_buf *out, const cx_node *n) {
  switch (n->kind) {
  case CX_DECLARE:
    dump_parts(out, n->is_static ? "static-var" : "var", n);
    break;
  case CX_EXPRESSION:
    dump(out, n->a);
    break;
  case CX_FOR:
    dump_for(out, n);
    break;
  case CX_WHILE:
    dump_parts(out, n->is_do ? "do" : "while", n);
    break;
  case CX_FUNCTION:
    dump_function(out, n);
    break;
  case CX_CLASS:
    dump_named(out, n, "class ", "");
    break;
  case CX_ENUM:
    dump_named(out, n, n->is_scoped ? "enum-class " : "enum ", "");
    break;
  case CX_ALIAS:
    dump_alias(out, n);
    break;
  case CX_USING:
    dump_parts(out, n->name ? "using" : "using-namespace", n);
    break;
  case CX_NAMESPACE:
    dump_named(out, n, "namespace ", "");
    break;
  case CX_MACRO:
    dump_named(out, n, "macro ", "");
    break;
  case CX_REFUSED:
    dump_text(out, n, "refused");
    break;
  default:
    dump_parts(out, heads[n->kind], n);
  }
}

static void dump_member(pm_buf *out, const cx_node *n) {
  pm_buf_puts(out, "(. ");
  dump(out, n->a);
  pm_buf_putc(out, ' ');
  dump_name(out, n);
  pm_buf_putc(out, ')');
}

static void dump_compound(pm_buf *out, const cx_node *n) {
  switch (n->kind) {
  case CX_MEMBER:
    dump_member(out, n);
    break;
  case CX_CALL:
    dump_parts(out, n->is_braced ? "call{}" : "call", n);
    break;
  case CX_CONSTRUCT:
    dump_parts(out, n->is_braced ? "make{}" : "make", n);
    break;
  case CX_LIST:
    dump_list(out, "{", n, " ", "}");
    break;
  case CX_EXPANSION:
    dump_parts(out, "...", n);
    break;
  case CX_UNARY:
  case CX_BINARY:
  case CX_FOLD:
    dump_named(out, n, n->kind == CX_FOLD ? "fold" : "", "");
    break;
  case CX_POSTFIX:
    dump_named(out, n, "post", "");
    break;
  case CX_ASSIGN:
    dump_named(out, n, "", n->op == CX_OP_NONE ? "" : "=");
    break;
  case CX_LAMBDA:
    dump_lambda(out, n);
    break;
  default:
    dump_statement(out, n);
  }
}

static void dump(pm_buf *out, const cx_node *n) {
  switch (n->kind) {
  case CX_NAME:
    dump_name(out, n);
    break;
  case CX_TYPE:
    dump_type(out, n);
    break;
  case CX_INT:
  case CX_FLOAT:
  case CX_CHAR:
    dump_number(out, n);
    break;
  case CX_BOOL:
    pm_buf_puts(out, n->i ? "true" : "false");
    break;
  case CX_STRING:
    pm_buf_printf(out, "\"%.*s\"", (int)n->text.len, n->text.ptr);
    break;
  case CX_DECLARATOR:
    dump_declarator(out, n);
    break;
  case CX_PARAM:
    dump_param(out, n);
    break;
  default:
    dump_compound(out, n);
  }
}

/* --- running it --- */

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%u:%u: %s\n", (unsigned)diag->loc.line, (unsigned)diag->loc.col, diag->message);
}

/* Headers: "name.h" has `int name;` and, where it is of a, a macro; none.h is not there. */
static bool open_header(void *user, const char *from, pm_str name, bool is_local, cx_file *out,
                        const char **wrong) {
  static const char *const texts[][2] = {{"a.h", "int a_h;\n#define A_H 1\n#undef U\n"},
                                         {"b/c.h", "int c_h;\n"},
                                         {"once.h", "#pragma once\nint once_h;\n"},
                                         {"item.h", "int ITEM;\n"},
                                         {"self.h", "#include \"self.h\"\nint self_h;\n"}};
  assert_string_equal(from, pm_str_is(name, "self.h") && strcmp(from, "self.h") == 0 ? "self.h" : "main.cpp");
  for (size_t i = 0; i < PM_COUNT(texts); i++) {
    if (!pm_str_is(name, texts[i][0])) continue;
    *out = (cx_file){1, texts[i][0], pm_get_cstring(user, texts[i][0]), pm_str_of(texts[i][1]), false};
    return true;
  }
  *wrong = is_local ? "no such header" : NULL;
  return false;
}

/* The items of the file with a blank between, or what is reported. To be freed. */
static char *parsed(const char *text, size_t len) {
  pm_context *ctx = pm_context_new();
  pm_arena *arena = pm_arena_new();
  pm_buf out = {0};
  pm_set_diag_handler(ctx, remember, &out);
  char *exact = malloc(len + 1);
  assert_non_null(exact);
  memcpy(exact, text, len);
  const cx_includer includer = {.open = open_header, .user = ctx};
  const cx_node *file =
      cx_parse(ctx, arena, &(cx_file){.path = "main.cpp", .text = {exact, len}}, dropped, &includer);
  free(exact);
  if (file) dump_list(&out, "", file, " ", "");
  pm_arena_free(arena);
  pm_context_free(ctx);
  return pm_buf_take(&out);
}

typedef struct row {
  const char *text, *expected;
} row;

static void check_rows(const row *rows, size_t n) {
  unsigned failures = 0;
  for (size_t i = 0; i < n; i++) {
    char *found = parsed(rows[i].text, strlen(rows[i].text));
    if (strcmp(found, rows[i].expected) != 0) {
      print_message("%s\n  is    %s\n  not   %s\n", rows[i].text, found, rows[i].expected);
      failures++;
    }
    free(found);
  }
  assert_int_equal(failures, 0);
}

/* --- tables --- */

static const row expression_rows[] = {
    {"f(x, y) = x + y * 2 - 1;", "(= (call f x y) (- (+ x (* y 2)) 1))"},
    {"f(x, _) += g(x - 1, y) / 3.f;", "(+= (call f x _) (/ (call g (- x 1) y) 3.0f))"},
    {"a = b = c;", "(= a (= b c))"},
    {"i < n;", "(< i n)"},
    {"f(a < b && c > d);", "(call f (&& (< a b) (> c d)))"},
    {"f(a < b, c);", "(call f (< a b) c)"},
    {"x << 2 >> y;", "(>> (<< x 2) y)"},
    {"a >>= b;", "(>>= a b)"},
    {"a <= b == c >= d;", "(== (<= a b) (>= c d))"},
    {"a | b ^ c & d;", "(| a (^ b (& c d)))"},
    {"!a || ~b && -c;", "(|| (! a) (&& (~ b) (- c)))"},
    {"*p++ = &q->r[1];", "(= (* (post++ p)) (& (index (. q r) 1)))"},
    {"--i;", "(-- i)"},
    {"a ? b : c ? d : e;", "(? a b (? c d e))"},
    {"cast<float>(x);", "(call cast<:float> x)"},
    {"Halide::Internal::foo<3>(std::vector<Expr>{a, b});", "(call foo<3> (make{} :vector<:Expr> a b))"},
    {"foo<std::vector<std::pair<int, Func>>>(x);", "(call foo<:vector<:pair<:int, :Func>>> x)"},
    {"f.realize<uint8_t>({8, 8});", "(call (. f realize<:uint8_t>) {8 8})"},
    {"a.b < c;", "(< (. a b) c)"},
    {"Var x; x < (y) > (z);", "(var :Var x) (> (< x y) z)"},
    {"foo<(1 > 0), N + 1>(x);", "(call foo<(> 1 0), (+ N 1)> x)"},
    {"float(x) + uint8_t(y) + std::size_t{3};",
     "(+ (+ (make :float x) (make :uint8_t y)) (make{} :size_t 3))"},
    {"(int)x + (unsigned char)(a + b);", "(+ (cast :int x) (cast :uint8_t (+ a b)))"},
    {"(a)(b);", "(call a b)"},
    {"(Type)t.bits();", "(cast :Type (call (. t bits)))"},
    {"(const Foo *)p;", "(cast :const Foo* p)"},
    {"(x) - y;", "(- x y)"},
    {"static_cast<int>(x) + sizeof(int) + sizeof x;", "(+ (+ (cast :int x) (sizeof :int)) (sizeof x))"},
    {"[=](Expr a, const Func &f) -> Expr { return f(a); }(b, g);",
     "(call (lambda (:Expr a, :const Func& f) :Expr (do-all (return (call f a)))) b g)"},
    {"f([&] { x++; });", "(call f (lambda () (do-all (post++ x))))"},
    {"[] () mutable {};", "(lambda () (do-all))"},
    {"std::cout << x << \"\\n\";", "(<< (<< cout x) \"\n\")"},
    {"printf(\"%d\" \" %d\\n\", a, nullptr);", "(call printf \"%d %d\n\" a (nullptr))"},
    {"this->x = true;", "(= (. (this) x) true)"},
    {"1 + 1u + 1ULL + 0x1f + 0b11 + 017 + 1'000 + 0xffffffff + 4294967296 + 0xffffffffffffffff;",
     "(+ (+ (+ (+ (+ (+ (+ (+ (+ 1 1u) 1ul) 31) 3) 15) 1000) 4294967295u) 4294967296l) -1ul)"},
    {"1.0f + .5 + 1e-3 + 2.f + 0x1p4 + 1.5L + 0.1f;",
     "(+ (+ (+ (+ (+ (+ 1.0f 0.5) 0.001) 2.0f) 16.0) 1.5) 0.10000000149011612f)"},
    {"'a' + '\\n' + '\\x41' + '\\\\' + '\\0';", "(+ (+ (+ (+ '97' '10') '65') '92') '0')"},
    {"f(\"a\\tb\\\"\\101\\u00e9\", R\"x(a\\n)\")x\", u8\"q\");",
     "(call f \"a\011b\"A\303\251\" \"a\\n)\"\" \"q\")"},
    {"f({{\"a\", 1}, {}}, Foo{1});", "(call f {{\"a\" 1} {}} (make{} :Foo 1))"},
    {"m[\"k\"][{1, 2}] = {3,};", "(= (index (index m \"k\") {1 2}) {3})"},
    {"f()(x).g()[1]->h();", "(call (. (index (call (. (call (call f) x) g)) 1) h))"},
    {"a and b or not c;", "(|| (&& a b) (! c))"},
    {"::foo(::Halide::bar);", "(call foo bar)"},
    {"A::b<int>::c(d);", "(call A::b::c<:int> d)"},
    {"f(Foo<int>, x);", "(call f Foo<:int> x)"},
};

static const row declaration_rows[] = {
    {"Func f; Var x, y;", "(var :Func f) (var :Var x y)"},
    {"Buffer<int> b = f.realize({8, 8});", "(var :Buffer<:int> b=(call (. f realize) {8 8}))"},
    {"RDom r(0, 3);", "(var :RDom r=(call 0 3))"},
    {"Input<Buffer<uint16_t, 2>> in{\"in\"};", "(var :Input<:Buffer<:uint16_t, 2>> in={\"in\"})"},
    {"Func f(x);", "(var :Func f=(call x))"},
    {"Func f(\"f\"), g(\"g\"); Expr e[3][N];",
     "(var :Func f=(call \"f\") g=(call \"g\")) (var :Expr e[3][N])"},
    {"const std::vector<Func> &fs = all;", "(var :const vector<:Func>& fs=all)"},
    {"const A *b = &c, *const d = e;", "(var :const A* b=(& c)) (var :const A* d=e)"},
    {"auto [a, b] = f();", "(var :auto [a b]=(call f))"},
    {"const auto &[a, b] = f();", "(var :const auto& [a b]=(call f))"},
    {"unsigned char c; unsigned u; long long l; unsigned long ul; short s; signed char d; long double e; "
     "char const *p;",
     "(var :uint8_t c) (var :uint32_t u) (var :int64_t l) (var :uint64_t ul) (var :int16_t s) (var :int8_t "
     "d) (var :double e) (var :const char* p)"},
    {"std::int32_t a; uint8_t b; size_t c; int64_t d;",
     "(var :int a) (var :uint8_t b) (var :size_t c) (var :int64_t d)"},
    {"static constexpr int n = 3;", "(static-var :const int n=3)"},
    {"int a{1}, b = {2}, c(3);", "(var :int a={1} b={2} c=(call 3))"},
    {"int v[] = {1, 2};", "(var :int v[]={1 2})"},
    {"a * b;", "(var :a* b)"},
    {"int a; a * b;", "(var :int a) (* a b)"},
    {"void f() { Expr e(a * b), g(c & d); RDom r(in); Var x(Var::outermost()); Buffer<float> b(W, int(h)); }",
     "(fn :void f () (do-all (var :Expr e=(call (* a b)) g=(call (& c d))) (var :RDom r=(call in)) (var :Var "
     "x=(call (call Var::outermost))) (var :Buffer<:float> b=(call W (make :int h)))))"},
    {"A && b = c;", "(var :A& b=c)"},
    {"std::function<Func(Func, int)> f = g;", "(var :function<(fn :Func - (:Func, :int))> f=g)"},
    {"Input<Func[3]> a; Output<int[]> b;", "(var :Input<(index :Func 3)> a) (var :Output<(index :int)> b)"},
    {"A<B<>> c;", "(var :A<:B> c)"},
    {"Expr avg(Expr a, Expr b) { return (a + b) / 2; }",
     "(fn :Expr avg (:Expr a, :Expr b) (do-all (return (/ (+ a b) 2))))"},
    {"int main(int argc, char **argv) { return 0; }",
     "(fn :int main (:int argc, :char* argv) (do-all (return 0)))"},
    {"void f(); int g(int); Func h(Func f, const Expr &e = 0);",
     "(fn :void f ()) (fn :int g (:int)) (fn :Func h (:Func f, :const Expr& e=0))"},
    {"Func make(const std::vector<Func> &fs);", "(fn :Func make (:const vector<:Func>& fs))"},
    {"auto f() -> Expr { return 1; }", "(fn :Expr f () (do-all (return 1)))"},
    {"Func CameraPipe::sharpen(Func in) { return in; }",
     "(fn :Func CameraPipe::sharpen (:Func in) (do-all (return in)))"},
    {"static inline int f(void) noexcept { return 1; }", "(static-fn :int f () (do-all (return 1)))"},
    {"extern \"C\" { int f(int x); }", "(fn :int f (:int x))"},
    {"f(args...);", "(call f (... args))"},
    {"x = {1, g(args)...};", "(= x {1 (... (call g args))})"},
    {"(args + ...);", "(fold+ args)"},
    {"(... && args);", "(fold&& args)"},
    {"(1 - ... - f(args));", "(fold- 1 (call f args))"},
    {"(f(args), ...);", "(fold, (call f args))"},
    {"x = sizeof...(args);", "(= x (sizeof args))"},
    {"extern \"C\" EXPORT int f(int x, ...);", "(fn :int f (:int x))"},
    {"template<typename T, int N> T f(T a) { return cast<T>(a) + T(1) + (T)2; }",
     "(fn :T f (:T a) (do-all (return (+ (+ (call cast<:T> a) (make :T 1)) (cast :T 2)))))"},
    {"template<class T> struct A { T x; };", "(class A (var :T x))"},
    {"class A; struct B {}; struct C { int x, y = 3; } c;",
     "(class A) (class B) (class C (var :int x y=3)) (var :C c)"},
    {"class A final : public Generator<A>, private virtual B { public: int x; private: A() : x(1), y{2, 3} "
     "{} ~A() {} A(const A &) = default; };",
     "(class A (do-all :Generator<:A> :B) (var :int x) (fn A () (do-all (call x 1) (call{} y 2 3)) "
     "(do-all)))"},
    {"struct A { explicit A(int x); virtual void f() const override final { g(); } virtual int h() = 0; A "
     "&operator=(const A &) = delete; Expr operator()(int i) const { return e[i]; } operator Expr() const; "
     "};",
     "(class A (fn A (:int x)) (fn :void f () (do-all (call g))) (fn :int h ()) (fn :A& operator= (:const "
     "A&)) (fn :Expr operator() (:int "
     "i) (do-all (return (index e i)))) (fn :Expr operator ()))"},
    {"A::A(int x) : B(x) { } A::~A() { }", "(fn A::A (:int x) (do-all (call B x)) (do-all))"},
    {"struct { int a; } s;", "(class type at 1:1 (var :int a)) (var :type at 1:1 s)"},
    {"struct A b = c;", "(var :A b=c)"},
    {"struct K { Expr (*kernel)(Expr); static int n; };",
     "(class K (var (fn :Expr - (:Expr)) kernel) (static-var :int n))"},
    {"enum A { B, C = 1 << 2, };", "(enum A B C=(<< 1 2))"},
    {"enum class A : uint8_t { B }; enum { X, Y };", "(enum-class A B) (enum - X Y)"},
    {"enum A a;", "(var :A a)"},
    {"enum class A { B } a = A::B;", "(enum-class A B) (var :A a=A::B)"},
    {"using A = std::vector<int>; using std::vector; using Halide::ConciseCasts::u8; using namespace Halide; "
     "using F = int(float);",
     "(using A :vector<:int>) (using vector) (using ConciseCasts::u8) (using-namespace Halide) (using F (fn "
     ":int - "
     "(:float)))"},
    {"typedef unsigned int uint; typedef int (*fp)(int);",
     "(using uint :uint32_t) (using fp (fn :int - (:int)))"},
    {"namespace a { namespace { int x; } } namespace b::c { int y; } inline namespace d {}",
     "(namespace a (var :int x)) (namespace b (namespace c (var :int y)))"},
    {"namespace H = Halide; H::Func f;", "(var :Func f)"},
    {"static_assert(sizeof(int) == 4, \"x\"); struct A { friend class B; friend int f() { return 1; } int x; "
     "};",
     "(class A (fn :int f () (do-all (return 1))) (var :int x))"},
    {"[[nodiscard]] int f(); alignas(8) int x [[maybe_unused]] = 1;", "(fn :int f ()) (var :int x=1)"},
    {"class A { void f() { g(x < 1, y > (z)); } Var x, y; B<c, d> e; };",
     "(class A (fn :void f () (do-all (call g (< x 1) (> y z)))) (var :Var x y) (var :B<:c, :d> e))"},
    {"HALIDE_REGISTER_GENERATOR(Blur, blur) HALIDE_REGISTER_GENERATOR_ALIAS(a, Blur<float>, {{\"x\", "
     "\"1\"}});",
     "(macro HALIDE_REGISTER_GENERATOR Blur blur) (macro HALIDE_REGISTER_GENERATOR_ALIAS a Blur<:float> "
     "{{\"x\" \"1\"}})"},
    {"class A { MACRO(x) int y; MACRO(z); };", "(class A (macro MACRO x) (var :int y) (macro MACRO z))"},
    {"HalideExtern_2(int, f, int, float);", "(macro HalideExtern_2 :int f :int :float)"},
    {"f(x); F(x);", "(call f x) (macro F x)"},
    {"int f(int (*g)(int), int a[3]); decltype(x) y = x;",
     "(fn :int f ((fn :int - (:int)) g, :int* a)) (var :auto y=x)"},
    {"int operator+(A a, A b) { return 1; }", "(fn :int operator+ (:A a, :A b) (do-all (return 1)))"},
};

static const row statement_rows[] = {
    {"if (a) b(); else if (c) { d(); } else e();", "(if a (call b) (if c (do-all (call d)) (call e)))"},
    {"if (int i = f(); i > 2) g();", "(if (> i 2) (call g) (var :int i=(call f)))"},
    {"if (auto p = f()) g(p);", "(if p (call g p) (var :auto p=(call f)))"},
    {"if (a && b) c();", "(if (&& a b) (call c))"},
    {"if (a * b) c();", "(if (* a b) (call c))"},
    {"if (a & b == c) d();", "(if (& a (== b c)) (call d))"},
    {"for (int i = 0; i < n; i++) f(i);", "(for (var :int i=0) (< i n) (post++ i) (call f i))"},
    {"for (;;) {}", "(for - - - (do-all))"},
    {"for (i = 0, j = 1; i < 2; i++) f();\nint x;",
     "(for (, (= i 0) (= j 1)) (< i 2) (post++ i) (call f)) (var :int x)"},
    {"for (const auto &f : fs) f.g();", "(each fs (call (. f g)) (var :const auto& f))"},
    {"for (auto [k, v] : m) {}", "(each m (do-all) (var :auto [k v]))"},
    {"for (int i : {1, 2}) ;", "(each {1 2} (do-all) (var :int i))"},
    {"for (Var v : {x, y}) { a(); }", "(each {x y} (do-all (call a)) (var :Var v))"},
    {"while (i > 0) i--;", "(while (> i 0) (post-- i))"},
    {"do { x++; } while (x < 3);", "(do (< x 3) (do-all (post++ x)))"},
    {"switch (x) { case A::B: case 2: { f(); break; } default: continue; }",
     "(switch x (do-all (case A::B) (case 2) (do-all (call f) (break)) (case) (continue)))"},
    {"void f() { return; } int g() { return {1, 2}; }",
     "(fn :void f () (do-all (return))) (fn :int g () (do-all (return {1 2})))"},
    {"{ ; ; a(); }", "(do-all (call a))"},
    {"if constexpr (x) y();", "(if x (call y))"},
    {"for (int i = 0, j = 1; i < j; i += 2) ;", "(for (var :int i=0 j=1) (< i j) (+= i 2) (do-all))"},
};

static const row preprocessor_rows[] = {
    {"#include \"a.h\"\n#include <b/c.h>\nvoid f() {\n#include \"d.h\"\n}\n#pragma once\n",
     "(var :int a_h) (var :int c_h) (fn :void f () (do-all (refused \"no such header\")))"},
    {"#define N 3\n#define M (N + 1)\nint x[M];\n#undef N\nint y = N;",
     "(var :int x[(+ 3 1)]) (var :int y=N)"},
    {"#define a a + b\na;", "(+ a b)"},
    {"#define F(x, y) x - y * 2\nF(a, (b, c));\nF(d,);", "(- a (* (, b c) 2)) (- d (* 2))"},
    {"#define F(x, ...) f(x, ##__VA_ARGS__)\nF(1); F(1, 2, 3);", "(call f 1) (call f 1 2 3)"},
    {"#define S(x) #x\n#define J(x, y) x##y\nS(a + \"b\"); J(n, 3) = J(1, 2);", "\"a + \"b\"\" (= n3 12)"},
    {"#define F(x) x + 1\n#define G F\nF; G(2); F(F(3));", "F (+ 2 1) (+ (+ 3 1) 1)"},
    {"#define F(x) x\nF(1;\n", "(refused \"the arguments of the macro 'F' do not end, ')' should follow\")"},
    {"#define F(x, y) x\nF(1);", "(refused \"the macro 'F' has 1 argument, it should have 2\")"},
    {"#define J(x) x##+\nJ(1);", "(refused \"'##' makes '1+' here, it should make one token\")"},
    {"#define F(1) x\ny;",
     "(refused \"the parameters of the macro 'F' cannot be read, they should be names\") y"},
    {"#define U 1\n#include \"a.h\"\n#ifdef A_H\nint x;\n#endif\n#ifdef U\nint y;\n#endif",
     "(var :int a_h) (var :int x)"},
    {"#include \"once.h\"\n#include \"once.h\"\n#include \"self.h\"", "(var :int once_h) (var :int self_h)"},
    {"#define ITEM a\n#include \"item.h\"\n#undef ITEM\n#define ITEM b\n#include \"item.h\"",
     "(var :int a) (var :int b)"},
    {"#define a b\n#define b a\na;", "a"},
    {"#define E\nE int x; E", "(var :int x)"},
    {"#ifdef A\nint a;\n#else\nint b;\n#endif\n#ifndef A\nint c;\n#endif", "(var :int b) (var :int c)"},
    {"#define V 2\n#if V == 1\n1;\n#elif V > 1 && defined(V) && !defined W\n2;\n#elif "
     "1\n3;\n#else\n4;\n#endif",
     "2"},
    {"#if 0\ndon't \"read\n#if 1\nx;\n#else\ny;\n#endif\n#endif\nz;", "z"},
    {"#if __has_include(<x>) || (1 << 3) / 2 % 3 != 1 ? 0 : 1\nx;\n#endif", "x"},
    {"#define L 1 + \\\n 2\nL;", "(+ 1 2)"},
    {"a /* b \n c */ + d; // e \\\n f\ng;", "(+ a d) g"},
    {"# define X 1\n#line 3\n#warning \"x\"\nX;", "1"},
    {"#define F(x) x\nF;\nint F = 1;", "F (var :int F=1)"},
    {"#define S \"a\"\nf(S S);", "(call f \"aa\")"},
    {"p = new int[n + 1];\ndelete[] p;", "(= p (new :int (+ n 1))) (delete p)"},
};

static const row refused_rows[] = {
    {"a = ;\nb;", "(refused \"';' is here, an expression should be\") b"},
    {"try { a(); } catch (...) { b(); }\ny;", "(refused \"'try' is not supported, plain statements are\") y"},
    {"throw x;", "(refused \"'throw' is not supported, a plain 'if' is\")"},
    {"goto l;", "(refused \"'goto' is not supported, loops and 'break' are\")"},
    {"l: x;", "(refused \"a label is not supported, loops and 'break' are\")"},
    {"asm(\"x\");", "(refused \"'asm' is not supported, plain statements are\")"},
    {"union A { int x; };", "(refused \"'union' is not supported, 'struct' is\")"},
    {"f(a) b;\nc;", "(refused \"'b' is here, ';' should be\") c"},
    {"int 3;", "(refused \"an integer is here, a name should be\")"},
    {"x = 99999999999999999999;\ny;",
     "(refused \"'99999999999999999999' is too large, an integer should fit 64 bits\") y"},
    {"x = 1.5q;", "(refused \"'1.5q' is here, a number should be\")"},
    {"x = 12ab;", "(refused \"'12ab' is here, a number should be\")"},
    {"x = 'ab';", "(refused \"2 characters are between the quotes, one should be\")"},
    {"x = @;", "(refused \"'@' is here, it should be only in strings and comments\")"},
    {"x = @ + 1;\nint y;",
     "(refused \"'@' is here, it should be only in strings and comments\") (var :int y)"},
    {"#define F(x) x\nF(1)\nint y;\nz = F(2);", "(refused \"'int' is here, ';' should be\") (= z 2)"},
    {"#define F(x) x\nvoid f() { a; b = F(1); c; }", "(fn :void f () (do-all a (= b 1) c))"},
    {"#error no\nint x;", "(refused \"this #error is reached, its condition should be false\") (var :int x)"},
    {"#if 1 +\n#endif\nint x;",
     "(refused \"the condition of this directive cannot be read, it should be a constant\") (var :int x)"},
    {"TEST(a, b) { c; }\nd;",
     "(refused \"a macro that begins a function is not supported, a function is\") d"},
    {"a, b;", "(, a b)"},
    {"f((a, b));", "(call f (, a b))"},
    {"else x;", "(refused \"'else' is here, an 'if' should be before it\")"},
    {"class A { int x = ; int y; void f() { a b c; d; } };",
     "(class A (refused x \"';' is here, an expression should be\") (var :int y) (fn :void f () (do-all "
     "(refused \"'b' is here, ';' should be\") d)))"},
    {"void f() { int x = ; if (y) { z = ; } g(); }",
     "(fn :void f () (do-all (refused x \"';' is here, an expression should be\") (if y (do-all (refused "
     "\"';' is here, an expression should be\"))) (call g)))"},
    {"auto f = [&](int x) { y = ; z; };",
     "(var :auto f=(lambda (:int x) (do-all (refused \"';' is here, an expression should be\") z)))"},
    {"struct A { int x : 3; int y; };", "(class A (refused x \"':' is here, ';' should be\") (var :int y))"},
    {"template<> struct A<int> {};\nint x;", "(class A) (var :int x)"},
    {"x = [args...] { return 1; };", "(refused \"a pack of arguments is not supported, a list is\")"},
    {"for (int i = 0; i < 3; i++, j++) { a(); }\nb;",
     "(for (var :int i=0) (< i 3) (, (post++ i) (post++ j)) (do-all (call a))) b"},
    {"namespace p = q;\nx;", "(namespace p q) x"},
    {"int x = {1 2};", "(refused x \"an integer is here, '}' should be\")"},
    {"Func f(x) g;", "(refused f \"'g' is here, ';' should be\")"},
    {"if (x) ; else else x;", "(if x (do-all) (refused \"'else' is here, an 'if' should be before it\"))"},
    {"int f() { return 1 }\nx;", "(fn :int f () (do-all (refused \"'}' is here, ';' should be\"))) x"},
    {"#x\na # b;",
     "(refused \"'#x' is here, a directive should be\") (refused \"'#' is here, it should begin a line\")"},
    {"\"a\" u8\"b\" L\"c\";", "(refused \"'L' is here, ';' should be\")"},
    {"int x = 3 y;", "(refused x \"'y' is here, ';' should be\")"},
    {"switch (x) y;", "(refused \"'y' is here, '{' should be\")"},
    {"operator+(a);", "(refused \"an operator is here, the type of its result should be before it\")"},
    {"#include x\ny;",
     "(refused \"the path of this #include cannot be read, it should be in quotes or in <>\") y"},
};

static const row reported_rows[] = {
    {"f(x;\n", "1:2: '(' is never closed, ')' should follow\n"},
    {"f(x};", "1:4: '}' is here, ')' should be\n1:2: it would close this '('\n"},
    {"f(x));", "1:5: ')' closes nothing, '(' should be before it\n"},
    {"/* a\nb", "1:1: the comment is not closed, '*/' should end it\n"},
    {"int x; \"abc\ny", "1:8: the string is not closed, its quote should end it\n"},
    {"R\"x(abc)\" )\"", "1:1: the string is not closed, ')\"' should end it\n"},
    {"#if 1\n", "1:1: the conditional is not closed, #endif should end it\n"},
    {"#endif\n", "1:1: this belongs to no #if, one should be before it\n"},
    {"#else\n", "1:1: this belongs to no #if, one should be before it\n"},
    {"x = 'a", "1:5: the character is not closed, its quote should end it\n"},
    {"#define X /* a", "1:11: the comment is not closed, '*/' should end it\n"},
    {"{ [ ) }", "1:5: ')' is here, ']' should be\n1:3: it would close this '['\n"},
    {"(((", "1:3: '(' is never closed, ')' should follow\n"},
    {"#ifdef A\n#elif\n", "1:1: the conditional is not closed, #endif should end it\n"},
};

static void expressions_become_trees(void **state) {
  (void)state;
  check_rows(expression_rows, PM_COUNT(expression_rows));
}

static void declarations_become_trees(void **state) {
  (void)state;
  check_rows(declaration_rows, PM_COUNT(declaration_rows));
}

static void statements_become_trees(void **state) {
  (void)state;
  check_rows(statement_rows, PM_COUNT(statement_rows));
}

static void directives_are_followed(void **state) {
  (void)state;
  check_rows(preprocessor_rows, PM_COUNT(preprocessor_rows));
}

static void what_is_not_understood_is_refused(void **state) {
  (void)state;
  check_rows(refused_rows, PM_COUNT(refused_rows));
}

static void broken_files_are_reported(void **state) {
  (void)state;
  check_rows(reported_rows, PM_COUNT(reported_rows));
}

/* --- places --- */

static void check_loc(const cx_node *n, cx_kind kind, unsigned line, unsigned col) {
  assert_int_equal(n->kind, kind);
  assert_int_equal(n->loc.line, line);
  assert_int_equal(n->loc.col, col);
}

static void operators_have_their_places(void **state) {
  (void)state;
  static const char text[] = "f(x, y) =\n  a[1] + b.c;\n";
  pm_context *ctx = pm_context_new();
  pm_arena *arena = pm_arena_new();
  const cx_node *file =
      cx_parse(ctx, arena, &(cx_file){.number = 7, .path = "", .text = pm_str_of(text)}, dropped, NULL);
  assert_non_null(file);
  const cx_node *assign = file->items[0]->a;
  check_loc(assign, CX_ASSIGN, 1, 9);
  check_loc(assign->a, CX_CALL, 1, 2);
  check_loc(assign->b, CX_BINARY, 2, 8);
  check_loc(assign->b->a, CX_INDEX, 2, 4);
  check_loc(assign->b->b, CX_MEMBER, 2, 12);
  assert_int_equal(assign->loc.file, 7);
  pm_arena_free(arena);
  pm_context_free(ctx);
}

/* --- size --- */

/* `begin` n times, `middle`, `end` n times. */
static char *parsed_nest(unsigned n, const char *begin, const char *middle, const char *end) {
  pm_buf text = {0};
  for (unsigned i = 0; i < n; i++) pm_buf_puts(&text, begin);
  pm_buf_puts(&text, middle);
  for (unsigned i = 0; i < n; i++) pm_buf_puts(&text, end);
  char *found = parsed(text.data, text.len);
  pm_buf_free(&text);
  return found;
}

static void brackets_nest_200_deep(void **state) {
  (void)state;
  char *found = parsed_nest(190, "(", "x", ")");
  assert_null(strstr(found, "nested"));
  free(found);
  found = parsed_nest(201, "(", "x", ")");
  assert_string_equal(found, "1:201: this is nested more than 200 deep, parts of it should get names\n");
  free(found);
}

/* Each is read in time in proportion to its length, or given up. */
static void hostile_texts_are_read_soon(void **state) {
  (void)state;
  static const struct {
    const char *begin, *middle, *end;
  } rows[] = {
      {"a < ", "b;", ""},
      {"a<", "b", ">"},
      {"f(a<", "b", ">(c))"},
      {"a < (", "b", ")"},
      {"- ", "x;", ""},
      {"if (a) ", ";", ""},
      {"a = ", "b;", ""},
      {"a ? b : ", "c;", ""},
      {"if (a) {} else ", ";", ""},
      {"f(a < 1, ", "2", ")"},
      {"a.b<c>().", "d;", ""},
      {"A<B, ", "C", ">"},
      {"[] { ", "return x;", "};"},
      {"class A { ", "", "};"},
      {"A b(", "", ");"},
      {"template<class T> ", "int x;", ""},
      {"#if 1\n", "", "#endif\n"},
      {"namespace a {", "", "}"},
      {"x + ", "y;", ""},
      {"(int)", "x;", ""},
      {"sizeof ", "x;", ""},
      {"if (a) ; else ", ";", ""},
      {"A<(a < ", "b", ")>(c)"},
      {"a<b>(c) < ", "d;", ""},
      {"{", "", "}"},
      {"auto a = b<c, ", "d;", ""},
  };
  static const unsigned counts[] = {100, 199, 2000};
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    for (size_t k = 0; k < PM_COUNT(counts); k++)
      free(parsed_nest(counts[k], rows[i].begin, rows[i].middle, rows[i].end));
}

/* Each macro is two of the next one. */
static void macros_do_not_explode(void **state) {
  (void)state;
  pm_buf text = {0};
  for (int i = 0; i < 60; i++) pm_buf_printf(&text, "#define a%d a%d a%d\n", i, i + 1, i + 1);
  pm_buf_puts(&text, "a0;\nint x;\n");
  char *found = parsed(text.data, text.len);
  assert_non_null(strstr(found, "refused"));
  free(found);
  pm_buf_free(&text);
}

/* --- random texts --- */

static const char sample[] =
    "#include \"Halide.h\"\n"
    "#define N 3\n"
    "namespace {\n"
    "enum class Mode { A, B = 2 };\n"
    "Expr avg(Expr a, Expr b) { return cast<uint8_t>((cast<uint16_t>(a) + b + 1) / 2); }\n"
    "class G : public Halide::Generator<G> {\n"
    "public:\n"
    "  GeneratorParam<int> n{\"n\", N};\n"
    "  Input<Buffer<uint16_t, 2>> in{\"in\"};\n"
    "  void generate() {\n"
    "    Func f(\"f\"); Var x, y; RDom r(0, 3);\n"
    "    f(x, y) = select(x < y && x > 0, in(x, y), 1.5f);\n"
    "    for (int i = 0; i < n; i++) { f(x, _) += f(r.x, i >> 1); }\n"
    "    auto g = [=](Expr e, const Func &h) -> Expr { return h(e); };\n"
    "    std::vector<Func> fs = {f}; for (const auto &k : fs) k.compute_root();\n"
    "    if (int j = g(1); j > 2) f.vectorize(x, 8); else switch (j) { case 1: break; default: return; }\n"
    "  }\n"
    "  G() : n(3), in{\"x\"} {}\n"
    "#if defined(N) && N > 2\n"
    "  int (*call)(int), a[3];\n"
    "#else\n"
    "  int operator()(int i) const { return R\"(x)\"[i]; }\n"
    "#endif\n"
    "};\n"
    "}\n"
    "template<typename T> T id(T t = (T)1) { static_assert(true); return static_cast<T>(t); }\n"
    "HALIDE_REGISTER_GENERATOR(G, g)\n";

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void cut_texts_do_not_crash(void **state) {
  (void)state;
  for (size_t len = 0; len < sizeof(sample); len++) free(parsed(sample, len));
  for (size_t begin = 0; begin < sizeof(sample); begin++)
    free(parsed(sample + begin, sizeof(sample) - 1 - begin));
}

/* One change: a byte, a piece left out, or a piece from elsewhere. */
static void mutate(char *text, size_t *len, size_t most, uint32_t *random) {
  static const char bytes[] = "(){}[]<>;:,.=+-*&#\"'\\ \n0xaR/!?~";
  size_t at = next_random(random) % *len, n = next_random(random) % 20,
         from = next_random(random) % sizeof(sample);
  switch (next_random(random) % 3) {
  case 0:
    text[at] = bytes[next_random(random) % (sizeof(bytes) - 1)];
    break;
  case 1:
    if (n > *len - at) n = *len - at;
    if (n == *len) return;
    memmove(text + at, text + at + n, *len - at - n);
    *len -= n;
    break;
  default:
    if (n > sizeof(sample) - 1 - from || *len + n > most) return;
    memmove(text + at + n, text + at, *len - at);
    memcpy(text + at, sample + from, n);
    *len += n;
  }
}

static void changed_texts_do_not_crash(void **state) {
  (void)state;
  uint32_t random = 1;
  char text[2 * sizeof(sample)];
  for (int round = 0; round < 4000; round++) {
    size_t len = sizeof(sample) - 1;
    memcpy(text, sample, len);
    for (unsigned i = next_random(&random) % 8; i < 8; i++) mutate(text, &len, sizeof(text), &random);
    free(parsed(text, len));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_become_trees),
      cmocka_unit_test(declarations_become_trees),
      cmocka_unit_test(statements_become_trees),
      cmocka_unit_test(directives_are_followed),
      cmocka_unit_test(what_is_not_understood_is_refused),
      cmocka_unit_test(broken_files_are_reported),
      cmocka_unit_test(operators_have_their_places),
      cmocka_unit_test(brackets_nest_200_deep),
      cmocka_unit_test(hostile_texts_are_read_soon),
      cmocka_unit_test(macros_do_not_explode),
      cmocka_unit_test(cut_texts_do_not_crash),
      cmocka_unit_test(changed_texts_do_not_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
