"""Prints `passed failed` of a results file that lit wrote with --output.

A missing or empty file counts as one failure, and so does an exit status of lit that no listed test explains.
"""
import json
import os
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "EXCLUDED", "SKIPPED"}


def count(path):
    if not os.path.exists(path):
        return 0, 0
    with open(path, encoding="utf-8") as file:
        codes = [test["code"] for test in json.load(file)["tests"]]
    passed = sum(code in PASSED for code in codes)
    return passed, len(codes) - passed - sum(code in SKIPPED for code in codes)


def main():
    path, status = sys.argv[1], int(sys.argv[2])
    passed, failed = count(path)
    if failed == 0 and (status != 0 or passed == 0):
        failed = 1
    print(passed, failed)


main()
