"""slowest_folders.py RESULTS…: the four folders of tests that took most processor time, of files that lit wrote with --output."""
import collections
import json
import os
import sys


def folder_of(name):
    """Of `asan :: passes/poly/tile.pmir`: asan/passes"""
    config, path = name.split(" :: ")
    return f"{config}/{path.split('/')[0]}"


def main():
    seconds = collections.Counter()
    for path in filter(os.path.exists, sys.argv[1:]):
        with open(path, encoding="utf-8") as file:
            for test in json.load(file)["tests"]:
                seconds[folder_of(test["name"])] += test.get("metrics", {}).get("cpu", 0)
    if seconds:
        print("slowest: " + ", ".join(f"{folder} {total:.0f} s" for folder, total in seconds.most_common(4)))


main()
