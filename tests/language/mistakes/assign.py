# What cannot be assigned to.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:1 {{this cannot be assigned to, a name, an attribute or an indexed value should be left of '='}}
1 = 2
# expected-error@+1:1 {{a call cannot be assigned to, f.defn = … should define a stage}}
f(x) = 3
# expected-error@+1:3 {{this cannot be assigned to, a name, an attribute or an indexed value should be left of '='}}
a + b = 4
