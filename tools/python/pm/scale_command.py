"""python -m pm scale: large pictures from the command line (docs/scale.md)."""
import argparse
import os
import re
import sys

from pm import errors, plans, scale, stores


def _pair(text):
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def _tile(text):
    if not re.fullmatch(r"-?\d+(x-?\d+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number, as 1024, and no numbers, as 512x-1")
    numbers = tuple(int(part) for part in text.split("x"))
    return numbers[0] if len(numbers) == 1 else numbers


def _steps(text):
    name, steps = _pair(text)
    if not re.fullmatch("[1-9][0-9]*", steps):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=N, a number from 1 on")
    return name, int(steps)


def _scalars(pipeline, pairs):
    names = [p.name for p in pipeline.parameters if p.kind == "scalar"]
    for name, _ in pairs:
        if name not in names:
            raise TypeError(f"there is no scalar {name!r}; there is {', '.join(names) or 'none'}")
    return {name: _number(value) for name, value in pairs}


def _arguments():
    parser = argparse.ArgumentParser("python -m pm scale", description="Compute a large picture from stores to stores, tile by tile.")
    parser.add_argument("input", help="a path, .zarr, .tif or .npy; or NAME=PATH,NAME=PATH of several inputs")
    parser.add_argument("program", help="a file of PolyMage's language, Halide's, ImageCL or PMIR")
    parser.add_argument("output", help="a path; or NAME=PATH,… of several outputs")
    parser.add_argument("--memory", metavar="4GB", help="of all workers together (half of what is available)")
    parser.add_argument("--tile", type=_tile, metavar="N|RxC", help="its side, or one number for each axis, -1: all (as memory allows)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one for each processor)")
    parser.add_argument("--param", type=_pair, action="append", default=[], metavar="NAME=VALUE", help="a scalar")
    parser.add_argument("--const", type=_pair, action="append", default=[], metavar="NAME=VALUE", help="a constant of the program")
    parser.add_argument("--live-out", metavar="NAME,NAME", help="stages that are outputs (those that no stage reads)")
    parser.add_argument("--steps", type=_steps, metavar="NAME=N", help="of the program, whose constant NAME is how many steps it has")
    parser.add_argument("--iterates", metavar="INPUT", help="that is the output of the steps before")
    parser.add_argument("--fp", choices=("strict", "contract", "fast"), help="strict: bits do not depend on tiles")
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a scheduler of Dask: its workers compute")
    parser.add_argument("--overwrite", action="store_true", help="begin anew, also over an output that is there")
    parser.add_argument("--explain", action="store_true", help="only say what it would cost")
    parser.add_argument("--quiet", action="store_true", help="draw no progress")
    return parser


def _stores(text):
    """A path, or paths by name. A path with = is written as ./a=b.npy."""
    parts = text.split(",")
    if not all(re.match(r"\w+=", part) for part in parts):
        return os.path.expanduser(text)
    return {name: os.path.expanduser(path) for name, path in map(_pair, parts)}


def _in_words_of_the_command(text):
    """Options as they are written here, of a message for Python."""
    text = re.sub(r"(?<= )tile=\(([-\d, ]+)\)", lambda m: "--tile " + "x".join(re.findall(r"-?\d+", m[1])), text)
    text = re.sub(r"Give (\w+)=…, or out= of .*", r"Give --param \1=…", text)
    text = re.sub(r"several (\w+) are a dict: .*", r"several \1 are NAME=PATH,NAME=PATH", text)
    return re.sub(r"(?<= )(fp|tile|memory|workers|overwrite|iterates|steps)=(True\b)?", r"--\1", f" {text}")[1:]


def main(arguments):
    """The exit status is 1 after an error, which is one line."""
    import pm

    # What begins with a minus would be another option.
    arguments = re.sub(r"(^|\0)--tile\0-", r"\1--tile=-", "\0".join(arguments)).split("\0")
    o = _arguments().parse_args(arguments)
    client = None
    try:
        name, steps = o.steps or (None, None)
        make = lambda k: pm.load(o.program, const={**dict(o.const), **({name: k} if name else {})}, fp=o.fp,
                                 **({"live_out": o.live_out.split(",")} if o.live_out else {}))
        if o.cluster:
            client = stores.needs_module("distributed", "--cluster").Client(o.cluster)
        if os.path.splitext(o.program)[1] in stores.SUFFIXES:
            raise errors.ArgumentError(f"'{o.program}' is no program: it is between the input and the output")
        one = make(1)
        for warning in one.warnings:
            print(f"pm scale: {warning}", file=sys.stderr)
        how = dict(overwrite=o.overwrite, tile=o.tile, memory=o.memory, workers=o.workers, client=client, steps=steps, iterates=o.iterates)
        arrays, scalars = (make if name else one, _stores(o.input), _stores(o.output)), _scalars(one, o.param)
        plans.check_names(one)
        print(scale.explain(*arrays, **how, **scalars) if o.explain else
              scale.run(*arrays, progress=False if o.quiet else None, **how, **scalars))
        return 0
    except KeyboardInterrupt:
        print("pm scale: stopped; the same command goes on from there", file=sys.stderr)
        return 130
    except (errors.Error, OSError, TypeError, ValueError, MemoryError) as error:
        notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        print(f"pm scale: {_in_words_of_the_command(str(error))}{notes}", file=sys.stderr)
        return 1
    finally:
        if client:
            client.close()
