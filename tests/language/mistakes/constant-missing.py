# A key of the builder's dictionary without a value.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
def build(app_data):
    x = Variable(Int, "x")
# expected-error@+1:56 {{'app_data["L"]' has no value, --const app_data.L=<value> should give it}}
    f = Function(([x], [Interval(Int, 0, app_data['L'] + 1)]), Float, "f")
    f.defn = 1
    return f
