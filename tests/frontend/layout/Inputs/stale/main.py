def build(app_data):
    x = Variable(Int, "x")
    fs = []

    def make(name, value):
        f = Function(([x], [Interval(Int, 0, 1)]), Int, name)
        f.defn = x + value
        fs.append(f)

    make('sliced', app_data['sliced'] + 0)
    make('filled', app_data['filled'] + 0)
    make('passed', app_data['passed'] + 0)
    make('added', app_data['added'] + 0)
    make('alias', app_data['alias'] + 0)
    make('number', app_data['number'] + 0)
    make('looped', app_data['looped'] + 0)
    make('chosen', app_data['chosen'] + 0)
    make('either', app_data['either'] + 0)
    make('kept', app_data['kept'] + 0)
    return fs
