# A value that nothing sets, as a key, as a variable, as a stage.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
def build(app_data, l):
    x = Variable(Int, "x")
    sizes = {1: 4}
# expected-error@+1:42 {{'l' has no value, --const l=<value> should give it}}
    f = Function(([x], [Interval(Int, 0, sizes[l])]), Float, "f")
    f.defn = 1
# expected-error@+1:18 {{dimension 0 of the domain is named by 'app_data["y"]' (which has no value), it should be by a variable: ([variables], [intervals])}}
    g = Function(([app_data['y']], [Interval(Int, 0, 3)]), Float, "g")
# expected-error@+1:14 {{'app_data["F"]' (which has no value) is called, a stage, an image or a function should be}}
    g.defn = app_data['F'](0)
    return f, g
