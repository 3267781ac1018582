# Names that nothing defines, in one error: they may be meant as constants. What is called is none.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
x = Variable(Int, "x")
# expected-error@+1:38 {{'N' and 'T' are not defined, assignments or --const N=<value> --const T=<value> should define them; the program also asks for --const K=<value>}}
f = Function(([x], [Interval(Int, 0, N)]), Float, "f")
f.defn = 1
# expected-note@+1:16 {{'T' is asked for here}}
for t in range(T):
    g = Function(([x], [Interval(Int, 0, N)]), Float)
# expected-note@+1:23 {{'K' is asked for here}}
    g.defn = Case(x > K, f(x))
    f = g
h = Function(([x], [Interval(Int, 0, 9)]), Float, "h")
# expected-error@+1:10 {{'smooth' is not defined, a def or an import should define it}}
h.defn = smooth(f, 3)
