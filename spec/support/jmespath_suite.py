"""Runs the suite of JMESPath over bide.py and, where it is installed, over jmespath of Python.

    jmespath_suite.py FILE.json …

Prints each case that differs from the suite, and ends with "N passed, N failed".
"""

import json
import sys

import bide

# The suite's names of errors, by the library's.
KINDS = {
    "syntax": "syntax",
    "invalid-arity": "invalid-arity",
    "invalid-type": "invalid-type",
    "invalid-value": "invalid-value",
    "unknown-function": "unknown-function",
}


def outcome(expression, given):
    try:
        return ("result", bide.search(expression, given))
    except bide.JMESPathError as error:
        return ("error", KINDS.get(error.kind, error.kind))


def strict(value):
    """Python holds True for 1 and 1 for 1.0; JSON tells the first two apart."""
    return json.dumps(value, sort_keys=True).replace(".0", "")


def holds(case, kind, value):
    if "error" in case:
        return kind == "error" and value == case["error"]
    return "result" not in case or (kind == "result" and strict(value) == strict(case["result"]))


def main(files):
    passed = failed = 0
    for name in files:
        with open(name, encoding="utf-8") as file:
            groups = json.load(file)
        for group in groups:
            for case in group["cases"]:
                kind, value = outcome(case["expression"], group["given"])
                if holds(case, kind, value):
                    passed += 1
                else:
                    failed += 1
                    print(f"{name}: {case['expression']}: {kind} {value!r}, expected {case}")
    print(f"{passed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
