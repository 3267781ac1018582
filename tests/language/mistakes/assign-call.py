# A point of a stage is assigned, and a slice is read.
# RUN: pm-translate %s --verify-diagnostics --to=pmir 
# expected-error@+1:1 {{a call cannot be assigned to, f.defn = … should define a stage}}
f(x, y) = img(x, y)
# expected-error@+1:13 {{a slice is not supported, one index is}}
g = img(x, 0:3)
# expected-error@+1:10 {{a slice is not supported, a list comprehension over range() is}}
h = img[0:3]
# expected-error@+1:8 {{'(' is never closed, ')' should follow}}
k = img(x,
m = 1
