import numpy as np
from PIL import Image
from arg_parser import parse_args
from polymage_weighted import set_vars


def init_images(app_data):
    image = np.array(Image.open(app_data['app_args'].img_file).convert('L'))
    app_data['rows'], app_data['cols'] = image.shape


def init_all(app_data):
    app_data['pipe_data'] = {}
    app_data['app_args'] = parse_args()
    app_data['L'] = int(app_data['app_args'].L)
    app_data['early_free'] = bool(app_data['app_args'].early_free)
    w = np.zeros((3), np.float64)
    w[0] = w[2] = 1.0 / 4
    w[1] = 1.0 / 2
    app_data['weights'] = w
    set_vars(app_data)
    init_images(app_data)
