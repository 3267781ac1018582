# What is imported from a file that is not there.
# RUN: pm-translate %s --verify-diagnostics --to=pmir 
from helpers import blur
from numpy import fft, where
import filters
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, 9)]), Float, "f")
# expected-error@+1:10 {{'blur' of the module helpers is not part of the language (docs/polymage.md), and the program's folder has no such file: a def should replace it}}
f.defn = blur(x)
# expected-error@+1:10 {{'fft' of the module numpy is not part of the language (docs/polymage.md), and the program's folder has no such file: a def should replace it}}
f.defn = fft(x)
# expected-error@+1:10 {{'where' is not part of the language, Select(condition, a, b) is}}
f.defn = where(x > 1, 1, 0)
# expected-error@+1:18 {{'sharpen' of the module filters is not part of the language (docs/polymage.md), and the program's folder has no such file: a def should replace it}}
f.defn = filters.sharpen(x)
# expected-error@+1:10 {{'other' is not defined, a def or an import should define it}}
f.defn = other.sharpen(x)
