"""What an expression of JMESPath costs in Python: over libbide by docs/examples/python/bide.py, over jmespath, and
over rjmespath if it is there. Prints one JSON object a line, in microseconds: from JSON text to a Python value, and
from a Python value to one. Each expression is compiled once; the figure is the least of five repetitions."""

import json
import timeit

import bide
import jmespath

try:
    import rjmespath
except ImportError:
    rjmespath = None

REPETITIONS = 5


def pods(count):
    conditions = [{"type": "Ready", "status": "True"}, {"type": "Scheduled", "status": "False"}]
    return {
        "items": [
            {
                "name": f"pod-{i}",
                "status": {"phase": "Running" if i % 3 else "Pending", "conditions": conditions},
                "labels": {"app": "b", "number": i},
            }
            for i in range(count)
        ]
    }


CASES = [
    ("a member of a small value", {"foo": {"bar": "baz"}}, "foo.bar"),
    ("a filter", pods(100), "items[?status.phase=='Pending'].name"),
    ("a filter of a large value", pods(1000), "items[?status.phase=='Pending'].name"),
    ("a nested filter", pods(100), "length(items[?status.conditions[?type=='Ready' && status=='True']])"),
    ("a sort", pods(100), "sort_by(items, &labels.number)[*].name"),
    ("a member of a large value", pods(100), "items[0].name"),
]


def microseconds(call):
    timer = timeit.Timer(call)
    count, _ = timer.autorange()
    return round(min(timer.repeat(REPETITIONS, count)) / count * 1e6, 2)


def measure(name, value, expression):
    text = json.dumps(value).encode()
    ours, theirs = bide.compile(expression), jmespath.compile(expression)
    assert ours.search(value) == ours.search_text(text) == theirs.search(value), expression
    row = {
        "bench": "library",
        "case": name,
        "bytes": len(text),
        "text_bide": microseconds(lambda: ours.search_text(text)),
        "text_jmespath": microseconds(lambda: theirs.search(json.loads(text))),
        "value_bide": microseconds(lambda: ours.search(value)),
        "value_jmespath": microseconds(lambda: theirs.search(value)),
    }
    if rjmespath:
        compiled, given = rjmespath.compile(expression), text.decode()
        row["text_rjmespath"] = microseconds(lambda: compiled.search(given))
    print(json.dumps(row), flush=True)


for case in CASES:
    measure(*case)
