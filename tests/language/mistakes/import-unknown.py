# A name that no module of the language has.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
import dsl
a = dsl.Variable()
# expected-error@+1:9 {{'Blur' of the module dsl is not part of the language (docs/polymage.md), and the program's folder has no such file: a def should replace it}}
b = dsl.Blur(a)
# expected-error@+1:9 {{'Intervall' is not part of the language, 'Interval' is}}
d = dsl.Intervall(0, 1)
