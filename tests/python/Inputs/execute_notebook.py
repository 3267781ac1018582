"""execute_notebook.py NOTEBOOK OUT: executes all cells in a kernel, and writes the notebook with what they show. Ends with the error
of a cell."""
import os
import sys

import nbclient
import nbformat

given, out = sys.argv[1:]
notebook = nbformat.read(given, as_version=4)
client = nbclient.NotebookClient(
    notebook, timeout=120, kernel_name="python3", record_timing=False, resources={"metadata": {"path": os.path.dirname(given)}})
client.execute()
nbformat.write(notebook, out)
