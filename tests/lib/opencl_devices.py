#!/usr/bin/env python3
"""The OpenCL devices of the tests, as environments: PoCL (Debian's pocl-opencl-icd) and Oclgrind, a simulator that checks.

  opencl_devices.py oclgrind COMMAND…   with Oclgrind as the only device; fails if it has something to say
"""
import os
import subprocess
import sys
import tempfile

OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
POCL = "/etc/OpenCL/vendors/pocl.icd"


def has_oclgrind():
    return os.path.exists(OCLGRIND)


def installed():
    return has_oclgrind() and os.path.exists(POCL)


def pocl(cache):
    """The folder is for what it compiles: its own cache is the user's."""
    return {"OCL_ICD_VENDORS": POCL, "PM_OPENCL_DEVICE": "", "POCL_CACHE_DIR": cache}


def counting(optimize):
    """Oclgrind, which writes on standard output how many instructions each kernel has executed. Kernels that are kept
    may have been built with other options of its own: they are built anew."""
    options = {} if optimize else {"OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable"}
    return {"OCL_ICD_VENDORS": OCLGRIND, "PM_OPENCL_DEVICE": "", "OCLGRIND_INST_COUNTS": "1",
            "OCLGRIND_LOCAL_MEM_SIZE": str(1 << 20), "PM_CACHE_DIR": "", **options}


class Oclgrind:
    """`with Oclgrind() as device`: device.environment, and device.said() once commands have run with it. Races are those of
    local and of global memory."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = os.path.join(self.folder.name, "log")
        self.environment = {
            "OCL_ICD_VENDORS": OCLGRIND, "PM_OPENCL_DEVICE": "", "OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": self.log,
            "OCLGRIND_UNIFORM_WRITES": "1", "OCLGRIND_CHECK_API": "1",
            "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable",  # it lacks what LLVM makes of some code
            "PM_CACHE_DIR": "",  # kept kernels may have been built with other options
            "OCLGRIND_LOCAL_MEM_SIZE": str(1 << 20),  # it adds up what all kernels of a program take
        }
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def said(self):
        if not os.path.exists(self.log):
            return ""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()


def main():
    if len(sys.argv) < 3 or sys.argv[1] != "oclgrind":
        sys.exit(__doc__)
    with Oclgrind() as device:
        status = subprocess.run(sys.argv[2:], env={**os.environ, **device.environment}, check=False).returncode
        said = device.said()
    sys.stderr.write(said)
    sys.exit(status or (1 if said else 0))


if __name__ == "__main__":
    main()
