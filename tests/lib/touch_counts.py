"""touch_counts.py [--kept] SCRATCH PAGE…: does in one copy of the tree what pages of docs/ say, and prints what each addition
changes.

The blocks of pages are those of follow_page.py. The copy lies in SCRATCH and is configured and built as the tree is, with
gcc, from kept objects of the tree's own build where nothing differs. Then the commands of the pages and the RUN lines of
their tests run with its tools. Then pm-check-target tries every op of the dialects that have new ones on the interpreters and
in C. Of every addition is printed, in the order of the pages,
  KIND: PATH +LINES, PATH +LINES…
what it changes of the files that the tree has; files of its own, tests and pages do not count. With --kept at most a third of
the objects may be compiled: the others are ccache's, which has those of the tree.
"""
import os
import re
import shutil
import sys

from follow_page import Follower, run

COPIED = ("ir", "dialects", "passes", "frontends", "targets", "pm", "tools", "packaging", "CMakeLists.txt",
          "pyproject.toml", "CHANGELOG.md", "LICENSE",
          "tests/unit/boxes.c", "tests/unit/embed.c", "tests/unit/embed.h", "tests/unit/embed_host.c",
          "tests/lib/cxx_run.c", "tests/lib/image_files.c")
PROGRAMS = ("pm-opt", "pm-translate", "pmc", "pm-check-target")


def copy(root, scratch):
    for path in COPIED:
        source, target = os.path.join(root, path), os.path.join(scratch, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)


def build(scratch):
    """With the compiler that tests find first, as tests/run builds, as deep below: compiled is only what differs."""
    folder = os.path.join(scratch, "build", "gcc")
    environment = dict(os.environ, CCACHE_BASEDIR=scratch, CCACHE_DEPEND="1", CCACHE_STATSLOG=log_of(scratch))
    options = ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_BUILD_TYPE=Release"]
    run(["cmake", "-G", "Ninja", "-S", scratch, "-B", folder] + options, env=environment)
    run(["ninja", "-C", folder, *PROGRAMS], env=environment)
    return folder


def log_of(scratch):
    return os.path.join(scratch, "ccache.log")


def check_kept(scratch):
    with open(log_of(scratch), encoding="utf-8") as file:
        log = file.read()
    kept, compiled = (len(re.findall(f"^{word}$", log, re.MULTILINE)) for word in ("(?:direct|preprocessed)_cache_hit", "cache_miss"))
    if compiled * 3 > kept + compiled:
        sys.exit(f"touch_counts.py: ccache had {kept} objects, and {compiled} were compiled")


def dialects_of(pages):
    """Those of the tree whose tables have new rows."""
    files = {path for page in pages for kind, path, _ in page.added if kind == "op"}
    return sorted(os.path.basename(path).removesuffix(".def") for path in files if path.startswith("dialects/"))


def check_forms(tool, scratch, dialects):
    how = ["--target=c", "--section=forms", "--cflags=-O0", "--types=i1,i32,f32,f64", "--lanes=4", f"--reproducers={scratch}"]
    run([tool, *how, *(f"--filter={dialect}" for dialect in dialects)], cwd=scratch)


def print_additions(pages):
    for page in pages:
        lines = {}
        for kind, path, count in page.added:
            of_kind = lines.setdefault(kind, {})
            of_kind[path] = of_kind.get(path, 0) + count
        for kind, changes in lines.items():
            print(f"{kind}: " + ", ".join(f"{path} +{count}" for path, count in changes.items()))


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--kept"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    scratch = os.path.abspath(arguments[0])
    pages = [Follower(os.path.abspath(page), None, scratch) for page in arguments[1:]]
    copy(pages[0].root, scratch)
    for page in pages:
        page.read_page()
    folder = build(scratch)
    if "--kept" in sys.argv:
        check_kept(scratch)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
    for page in pages:
        page.check()
    check_forms(os.path.join(folder, "pm-check-target"), scratch, dialects_of(pages))
    print_additions(pages)


main()
