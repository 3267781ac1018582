from __init__ import *
import sys
sys.path.insert(0, ROOT)
from cpp_compiler import c_compile
from polymage_weighted import weighted
from compiler import *
from constructs import *


def build_weighted(app_data, tile_sizes=None):
    pipe_data = app_data['pipe_data']
    out, inlines = weighted(app_data)
    options = []
    if app_data['early_free']:
        options += ['early_free']
    pipe = buildPipeline([out], param_estimates=[(pipe_data['R'], app_data['rows'] - 2)],
                         inline_directives=inlines, options=options, pipe_name=app_data['app'])
    c_compile(pipe, app_data)
    return pipe
