// RUN: %python %lib/halide_values.py %s
// Classes of Halide are what templates deduce, and what special cases are of.
// in: in = 5 i32: 1 9 3 8 2
// param: by = 1000
// extents: out = 4
// expect: out = 4 i32: 123456 3072 3054 3069
Input<Buffer<int, 1>> in{"in"};
Input<int> by{"by"};
Output<Buffer<int, 1>> out{"out"};
template <class T> struct Which { static const int number = 0; };
template <> struct Which<Expr> { static const int number = 1; };
template <> struct Which<Func> { static const int number = 2; };
template <> struct Which<int> { static const int number = 3; };
template <> struct Which<FuncRef> { static const int number = 4; };
template <> struct Which<Tuple> { static const int number = 5; };
template <> struct Which<RDom> { static const int number = 6; };
template <class T> int which(const T &v) { return Which<T>::number; }
template <class T> T copied(T v) { T w = v; return w; }
Var x("x");
Func f("f");
f(x) = in(x);
RDom r(0, 3);
Expr e = x + 1;
out(x) = 0;
out(x) += copied(f)(copied(e)) + copied(in)(x) + copied(by) + copied(r).x + copied(f(x)) + copied(x)+ copied(r.x);
int n = which(e) * 100000 + which(f) * 10000 + which(1) * 1000 + which(f(x)) * 100 + which(Tuple(e, e)) * 10 + which(r);
out(0) = n;
