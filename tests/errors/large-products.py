# Products in conditions, bounds and domains that do not fit 64 bits for some sizes, by the types of these: Int has 32 bits, Long 40 as a size.
# RUN: pm-translate %s --verify-diagnostics
# RUN: exits-with 1 pmc %s -o %t.c 2>&1 | FileCheck %s
# CHECK: large-products.py:13:12: error: a case of f has bounds or conditions with products of 62 bits or more for some parameter values, but they should have less; coefficients should be smaller, or the types of parameters
R, S, T = Parameter(Int, "R"), Parameter(Int, "S"), Parameter(Long, "T")
im = Image(Float, "im", [R])
x = Variable(Int, "x")
row = Interval(Int, 0, R-1)
f, g, h, k = [Function(([x], [row]), Float, name) for name in ["f", "g", "h", "k"]]
fine = Function(([x], [row]), Float, "fine")

# expected-error@+1 {{a case of f has bounds or conditions with products of 62 bits or more for some parameter values}}
f.defn = [ Case(Condition(x, '<', 16777216*T), im(x)+1) ]
# expected-error@+1 {{a case of g has bounds or conditions with products of 62 bits}}
g.defn = [ Case(Condition(x, '<', 8589934592*S), im(x)+1) ]
# expected-error@+1 {{a case of h has bounds or conditions with products of 62 bits}}
h.defn = [ Case(Condition(4000000000000000003*x, '<', 3000000000000000001*R), im(x)+1) ]
# expected-error@+1 {{a case of k has bounds or conditions with products of 62 bits}}
k.defn = [ Case(Condition(400000000000003*x, '<', 300000000000001*R), im(x)+1) ]
fine.defn = [ Case(Condition(1048577*x, '<', 1048576*R) & Condition(x, '<', 1000000*T), im(x)+1) ]
