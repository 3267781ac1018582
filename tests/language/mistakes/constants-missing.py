# All values that the program asks for in vain are in one error, those too that stand in what is left out.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
def build(app_data):
    x, y = Variable(Int, "x"), Variable(Int, "y")
# expected-note@+1:26 {{'app_data["R"]' is asked for here}}
    r = Interval(Int, 0, app_data['R'])
# expected-note@+1:48 {{'app_data["C"]' is asked for here}}
    f = Function(([x, y], [r, Interval(Int, 0, app_data['C'])]), Float, "f")
# expected-error@+1:28 {{'app_data["w"]' and 'app_data["L"]' have no values, --const app_data.w=<value> --const app_data.L=<value> should give them; the program also asks for --const app_data.R=<value> --const app_data.C=<value> --const app_data.mode=<value> --const app_data.most=<value>}}
    f.defn = app_data['w'] * x
# expected-note@+1:20 {{'app_data["L"]' is asked for here}}
    for l in range(app_data['L']):
        g = Function(([x, y], [r, r]), Float, "g" + str(l))
# expected-note@+1:29 {{'app_data["mode"]' is asked for here}}
        if app_data['mode'] == 'max':
# expected-note@+1:35 {{'app_data["most"]' is asked for here}}
            g.defn = Max(f(x, y), app_data['most'])
        f = g
    return f
