# Words of Halide.
# RUN: pm-translate %s --verify-diagnostics --to=pmir 
# expected-error@+1:5 {{'Var' is not part of the language, Variable is}}
x = Var("x")
# expected-error@+1:5 {{'Param' is not part of the language, Parameter is}}
R = Param(Int, "R")
# expected-error@+1:7 {{'ImageParam' is not part of the language, Image is}}
img = ImageParam(Float, "img", [R])
x = Variable(Int, "x")
# expected-error@+1:5 {{'Func' is not part of the language, Function is}}
f = Func("f")
g = Function(([x], [Interval(Int, 0, 9)]), Float, "g")
# expected-error@+2:10 {{'select' is not part of the language, Select(condition, a, b) is}}
# expected-error@+1:24 {{'clamp' is not part of the language, Min(Max(value, low), high) is}}
g.defn = select(x > 1, clamp(x, 0, 4), 0)
# expected-error@+1:5 {{'RDom' is not part of the language, the domain of a Reduction is}}
r = RDom(0, 10)
# expected-error@+1:3 {{the stage g has no attribute 'compute_root', it should be 'defn', 'default', 'boundary', 'varDom' or 'redDom', or a long name of these}}
g.compute_root()
