def build(app_data):
    x = Variable(Int, "x")
    f = Function(([x], [Interval(Int, 0, app_data['length'])]), Int, "f")
    f.defn = x + app_data['letter'] + app_data['block']
    g = Function(([x], [Interval(Int, 0, app_data['length'])]), Int, "g")
    g.defn = x + app_data['text']
    return f, g
