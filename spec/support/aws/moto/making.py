"""How resources of AWS are made in moto, and the cases of waits for them.

A function that is registered by `makes` makes resources of one service by boto3 and yields cases: the waiter, its
input, and what the wait comes to. moto never fails by itself: `poke` sets states that no request leads to in moto's own
objects.
"""

import os

import boto3
from moto.backends import get_backend

ACCOUNT, REGION = "123456789012", "us-east-1"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/any"
MAKERS = {}
_clients, _url = {}, None


def connect(url):
    global _url
    _url = url
    os.environ.update(AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_DEFAULT_REGION=REGION)


def client(service):
    if service not in _clients:
        _clients[service] = boto3.client(service, endpoint_url=_url, region_name=REGION)
    return _clients[service]


def makes(service):
    """The function makes resources of the service."""

    def register(function):
        MAKERS.setdefault(service, []).append(function)
        return function

    return register


def ok(waiter, **given):
    return {"waiter": waiter, "input": given, "expected": "success"}


def fails(waiter, **given):
    return {"waiter": waiter, "input": given, "expected": "failure"}


def backend(service, region=REGION):
    return get_backend(service)[ACCOUNT][region]


def _objects(value, depth, seen):
    if depth == 0 or id(value) in seen or isinstance(value, (str, bytes, int, float, type(None))):
        return
    seen.add(id(value))
    if isinstance(value, dict):
        for inner in list(value.values()):
            yield from _objects(inner, depth - 1, seen)
    elif isinstance(value, (list, tuple, set)):
        for inner in list(value):
            yield from _objects(inner, depth - 1, seen)
    elif type(value).__module__.startswith("moto."):
        yield value
        yield from _objects(vars(value), depth - 1, seen)


def set_attributes(thing, attributes):
    kind = type(thing)
    fixed = {name: value for name, value in attributes.items() if isinstance(getattr(kind, name, None), property)}
    if fixed:
        thing.__class__ = type(kind.__name__, (kind,), fixed | {"__module__": kind.__module__})
    for name in attributes.keys() - fixed.keys():
        setattr(thing, name, attributes[name])


def in_state(service, kind, **usual):
    """The function makes a resource of a name; it may be called with a state as well.

    It returns what cases call the resource by, unless that is the name. `usual` is the attribute of moto's class `kind`
    that has the state, and the state without one; None is that in which moto makes it.
    """
    ((attribute, well),) = usual.items()

    def decorate(make):
        def made(name, state=well):
            known = make(name) or name
            if state is not None:
                poke(service, kind, known, **{attribute: state})
            return known

        return made

    return decorate


def poke(service, kind, name, region=REGION, **attributes):
    """Sets attributes of the object of moto's class `kind` that has an attribute with the value `name`."""
    found = [
        thing
        for thing in _objects(vars(backend(service, region)), 7, set())
        if type(thing).__name__ == kind and any(isinstance(v, str) and v == name for v in vars(thing).values())
    ]
    if not found:
        raise LookupError(f"moto has no {kind} {name}")
    for thing in found:
        set_attributes(thing, attributes)

