from __init__ import *
import sys
import subprocess
from loader import load_lib
from polymage_smooth import smooth
from compiler import *
from constructs import *


def codegen(pipe, name):
    text = pipe.generate_code()
    file = open(name, 'w')
    file.write(str(text))
    file.close()


def build_smooth(app_data, tile_size=None):
    pipe_data = app_data['pipe_data']
    out = smooth(app_data)
    n = pipe_data['n']
    options = []
    if app_data['naive']:
        options += ['naive']
    pipe = buildPipeline([out],
                         param_estimates=[(n, app_data['n'])],
                         param_constraints=[Condition(n, "==", app_data['n'])],
                         tile_sizes=tile_size,
                         options=options,
                         pipe_name="smooth_" + app_data['kind'])
    codegen(pipe, "smooth.cpp")
    subprocess.check_output("dot -Tpng smooth.dot", shell=True)
    return pipe


def create_lib(build_func, app_data):
    load_lib(build_func(app_data), app_data)
