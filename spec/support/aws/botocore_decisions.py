"""Prints how botocore decides on answers.

Without an argument, prints the folder of botocore's data. With a file of JSON Lines, prints a line for each case: the
state, and the position of the acceptor from 1 or "-". A line of the file is a list of acceptors, those of the cases after
it, or a case: {"output": ..., "status": N} or {"error": CODE, "status": N}. An expression that raises an error does not
match: botocore itself would leave the waiter.
"""

import json
import os
import sys

import botocore
from botocore.waiter import AcceptorConfig, is_valid_waiter_error
from jmespath.exceptions import JMESPathError


def response_of(case):
    response = {"ResponseMetadata": {"HTTPStatusCode": case["status"]}}
    if "error" in case:
        response["Error"] = {"Code": case["error"], "Message": "-"}
    else:
        response.update(case["output"])
    return response


def matches(acceptor, response):
    try:
        return acceptor.matcher_func(response)
    except JMESPathError:
        return False


def decide(acceptors, response):
    for position, acceptor in enumerate(acceptors, 1):
        if matches(acceptor, response):
            return "%s %d" % (acceptor.state, position)
    return "failure -" if is_valid_waiter_error(response) else "retry -"


def main(path):
    acceptors, lines = [], []
    with open(path, encoding="utf-8") as cases:
        for line in cases:
            case = json.loads(line)
            if isinstance(case, list):
                acceptors = [AcceptorConfig(given) for given in case]
            else:
                lines.append(decide(acceptors, response_of(case)))
    print("\n".join(lines))


if len(sys.argv) > 1:
    main(sys.argv[1])
else:
    print(os.path.join(os.path.dirname(botocore.__file__), "data"))
