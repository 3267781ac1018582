"""Types of arguments that the benchmarks share."""
import argparse
import re


def pattern(text):
    """A regular expression."""
    try:
        return re.compile(text)
    except re.error as why:
        raise argparse.ArgumentTypeError(f"'{text}' is no regular expression: {why}") from why
