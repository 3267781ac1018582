import sys
sys.path.insert(0, '../')
from compiler import *
from constructs import *

R = Parameter(Int, "R")
x = Variable(Int, "x")
row = Interval(Int, 0, R - 1)


def double(img):
    f = Function(([x], [row]), Int, "double")
    f.defn = [2 * img(x)]
    return f


def test_double():
    pipeline = buildPipeline([double(Image(Int, "img", [R]))], grouping=[[]], pipe_name="twice")
    g = pipeline.pipeline_graph
    g.write("twice.dot")


def test_triple():
    img = Image(Int, "img", [R])
    f = Function(([x], [row]), Int, "triple")
    f.defn = [3 * img(x)]
    assert f.name == "triple"
    buildPipeline(outputs=[f], param_constraints=[Condition(R, '>=', 2), Condition(R, '<=', 9)])


def test_wrong():
    f = double(Image(Int, "img", [R]))
    buildPipeline([f], param_constraints=[Condition(R * R, '==', 4)])


def test_classes():
    assert R.typ == Int
    N = R.name
