"""gallery.py FOLDER OPTION… compares the programs of docs/gallery with the interpreter, on tiny pictures of noise. Options are
those of pm-run."""
import importlib
import os
import re
import subprocess
import sys

import numpy

folder, *options = sys.argv[1:]
for name in ("bilateral_grid", "canny", "clahe", "demosaic", "guided_filter", "local_laplacian", "median",
             "nonlocal_means", "optical_flow", "unsharp_mask"):
    module = importlib.import_module(name)
    program = os.path.join(folder, f"{name}.pmir")
    text = getattr(module, name)._text
    with open(program, "w") as written:
        written.write(text)
    photo = numpy.random.default_rng(3).integers(0, 256, (17, 23, 3), "uint8")
    given = []
    for image, array in zip(re.findall(r"stage\.input @(\w+)", text), module.inputs(photo), strict=True):
        file = os.path.join(folder, f"{name}.{image}.npy")
        numpy.save(file, array)
        given += ["--in", f"{image}={file}"]
    subprocess.run(["pm-run", program, *given, "--fp=strict", "--check", *options], check=True)
