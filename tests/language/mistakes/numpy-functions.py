# Functions of NumPy and of Python on values of stages.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
import numpy as np
import math
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:13 {{'where' is not part of the language, Select(condition, a, b) is}}
f.defn = np.where(x > 1, img(x, y), 0)
# expected-error@+1:13 {{'clip' is not part of the language, Min(Max(value, low), high) is}}
f.defn = np.clip(img(x, y), 0, 1)
# expected-error@+1:18 {{sqrt() is given a value of img, it should be given a number; Sqrt is for values of stages}}
f.defn = np.sqrt(img(x, y))
# expected-error@+1:13 {{'minimum' is not part of the language, Min(a, b) is}}
f.defn = np.minimum(img(x, y), 1)
# expected-error@+1:21 {{floor() is given a value of img, it should be given a number; Cast(Int, …) is for values of stages}}
f.defn = math.floor(img(x, y))
# expected-error@+1:13 {{'mean' of the module numpy is not part of the language (docs/polymage.md), and the program's folder has no such file: a def should replace it}}
f.defn = np.mean(img)
# expected-error@+1:10 {{abs() is given a value of img, it should be given a number; Abs is for values of stages}}
f.defn = abs(img(x, y))
# expected-error@+1:10 {{max() is given a value of img, it should be given numbers; Max is for values of stages}}
f.defn = max(img(x, y), 0)
# expected-error@+1:10 {{the image img is gone through item by item, a list, a tuple, a dictionary or a range should be; a stage is computed at all points of its intervals without a loop}}
f.defn = sum(img)
# expected-error@+1:10 {{int() is given a value of img, it should be given a number; Cast(Int, …) converts values of stages}}
f.defn = int(img(x, y))
# expected-error@+1:10 {{float() is given the variable x, it should be given a number; Cast(Float, …) converts values of stages}}
f.defn = float(x)
# expected-error@+1:5 {{len() is given the image img, it should be given a list, a tuple, a dictionary or a string}}
n = len(img)
# expected-error@+1:8 {{'array' is not part of the language, a list, or Table(type, [values]), is}}
a = np.array([1, 2])
