"""python -m pm run|compile|opt|… [ARGUMENTS]    the tool pm-run, pmc, pm-opt, …
python -m pm scale IN PROGRAM OUT [OPTIONS]   a picture larger than memory, tile by tile: docs/scale.md
python -m pm doctor                           where the parts are that make machine code; 1 when none can
python -m pm cmake-dir                        the folder of pm-config.cmake, for -Dpm_DIR=…
"""
import os
import sys

PACKAGE = os.path.dirname(os.path.abspath(__file__))
COMMANDS = {"compile": "pmc"}
COMMANDS.update((name, f"pm-{name}") for name in ("interp", "machine", "opt", "run", "translate", "tune"))


def start(name, arguments):
    """Becomes the tool of the package."""
    path = os.path.join(PACKAGE, "bin", name)
    sys.stdout.flush()
    try:
        os.execv(path, [name, *arguments])
    except OSError as error:
        sys.exit(f"pm: cannot run '{path}': {error.strerror}")


def tool():
    """The console script that has a tool's name."""
    start(os.path.basename(sys.argv[0]), sys.argv[1:])


def cmake_dir():
    folder = os.path.join(PACKAGE, "share", "cmake", "pm")
    if not os.path.isdir(folder):
        sys.exit(f"pm: there is no '{folder}': only a package that pip has installed has the files of CMake")
    print(folder)


def main(arguments):
    command, rest = (arguments or [""])[0], arguments[1:]
    if command in COMMANDS:
        start(COMMANDS[command], rest)
    elif command == "doctor" and not rest:
        from pm import doctor

        sys.exit(doctor.main())
    elif command == "scale":
        from pm import scale_command

        sys.exit(scale_command.main(rest))
    elif command == "cmake-dir" and not rest:
        cmake_dir()
    elif command in ("-h", "--help") and not rest:
        print(__doc__, end="")
    else:
        sys.exit(f"pm: what is '{' '.join(arguments)}'?\n{__doc__.rstrip()}" if arguments else __doc__.rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
