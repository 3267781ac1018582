"""lit's configuration. tests/run gives -Dbuild=DIR -Dconfig=gcc|clang|asan -Dlong=0|1;
-Dsame_c_as=DIR where tools of another build, whose C has been run, should make the same C; -Dkept=1 where the objects of the
build are in the cache of ccache; -Dnamed='TEST…' where of what sanitized.py leaves out these tests alone run.

Tests name the tools by their bare names. Features: the name of the configuration, `long` under tests/run --all, and
`llvm` where the build has that target, `opencl` in gcc's where the devices of the tests are installed, `node` where it is
installed, `python` where the build has the package, `gdb` where it can call functions of a program, and `kept-objects`.
A test that would take longer than a few seconds with sanitizers says `UNSUPPORTED: asan`. What compiled pipelines compute
(pipelines/, programs/) does not depend on what compiled the tools, so clang's build only makes the same C (matrix/).
"""
import os
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
sys.path.insert(0, os.path.join(here, "lib"))
sys.dont_write_bytecode = True

import counted_format
import opencl_devices
import sanitized

build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build", "gcc")))
kind = lit_config.params.get("config", "gcc")

config.name = kind
config.build = build
config.same_c_as = lit_config.params.get("same_c_as")
config.test_source_root = here
config.test_exec_root = os.path.join(build, "lit")
config.test_format = counted_format.Script(execute_external=True)
config.suffixes = [".pmir", ".test", ".py", ".cpp"]
config.excludes = ["lib", "data", "Inputs", "lit.cfg.py"]

config.available_features.add(kind)
if lit_config.params.get("long", "0") == "1":
    config.available_features.add("long")
if "kept" in lit_config.params:
    config.available_features.add("kept-objects")
if os.path.exists(os.path.join(build, "pm-llvm.so")):
    config.available_features.add("llvm")
if kind == "gcc" and opencl_devices.installed():
    config.available_features.add("opencl")
if shutil.which("node"):
    config.available_features.add("node")
if os.path.exists(os.path.join(build, "python", "pm", "_pm.abi3.so")):
    config.available_features.add("python")


def gdb_calls_functions():
    """A call needs all registers written back, which a gdb older than the processor may be unable to do."""
    command = ["gdb", "-nx", "-q", "-batch", "-ex", "starti", "-ex", "print $xmm0.uint128 = 1", "/bin/true"]
    tried = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return "Couldn't write" not in tried.stderr + tried.stdout


if kind == "asan" and shutil.which("gdb") and gdb_calls_functions():
    config.available_features.add("gdb")

config.coverage = lit_config.params.get("coverage")
config.left_out = set()
if "named" in lit_config.params:
    config.left_out = sanitized.left_out() - set(lit_config.params["named"].split())

path = [os.path.join(here, "lib", "bin"), build, "/usr/lib/llvm-19/bin", config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["PYTHONCOERCECLOCALE"] = "0"  # else scripts have another language than shells, and ccache other objects
config.environment["PM_TEST_CONFIG"] = kind
config.environment["PM_TEST_BUILD"] = build
config.environment["PM_TEST_LONG"] = lit_config.params.get("long", "0")
config.environment["PM_CACHE_DIR"] = ""  # what is tested is compiled
config.environment["PM_TEST_OPENCL"] = "1" if "opencl" in config.available_features else ""
config.environment.update(opencl_devices.pocl(os.path.join(config.build, "lit", "pocl")))
config.environment["CCACHE_DIR"] = os.path.join(os.path.dirname(build), "ccache")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%build", build))
config.substitutions.append(("%root", root))
config.substitutions.append(("%pipelines", os.path.join(root, "bench", "pipelines")))
config.substitutions.append(("%data", os.path.join(here, "data")))
config.substitutions.append(("%python", "/usr/bin/python3"))
config.substitutions.append(("%lib", os.path.join(here, "lib")))
