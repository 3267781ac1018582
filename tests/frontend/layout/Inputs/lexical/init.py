# Python 2 writes more than the language has: only lines that the pipeline needs matter.
def init_all(app_data):
    app_data['length'] = 3
    print "Größe: %d" % 3, `3`
    app_data['letter'] = 1
    app_data['letter'] = ü + 1
    app_data['octal'] = 0777x
    if app_data['length'] > 2
        app_data['block'] = 4
    text = 'open
    app_data['text'] = f"{text}"
    app_data['after'] = 5
