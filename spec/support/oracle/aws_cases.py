"""Prints random cases of AWS's protocols and what botocore makes of them, in the form of the conformance data.

    aws_cases.py KIND SEED COUNT FOLDER [waited]

KIND is requests, answers, signatures, endpoints, or rules: those of all services that the endpoints name. The data of the services that the cases name are put into FOLDER.
With "waited" the operations are those that waiters call, of all services that have some.
They are those of the botocore that is imported. What its releases do in different ways is left out: numbers that are
not finite, lists and booleans in headers, payloads that are texts.
"""

import base64
import calendar
import gzip
import json
import os
import random
import sys
from datetime import datetime, timezone
from urllib.parse import quote
from xml.sax.saxutils import escape

import botocore
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest, HeadersDict
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.endpoint_provider import EndpointProvider
from botocore.exceptions import EndpointProviderError
from botocore.model import ServiceModel
from botocore.parsers import create_parser
from botocore.serialize import create_serializer

DATA = os.path.join(os.path.dirname(botocore.__file__), "data")
SERVICES = "acm dynamodb ecs lambda eks appconfig iam cloudformation autoscaling route53 cloudfront s3".split()
RULES = "acm dynamodb ecs lambda iam cloudfront route53 s3 kinesis sts".split()
TEXTS = [
    "a", "foo bar", "é", "😀", '"q"', "x/y&z=1", "10%", "<t>", "a,b", "a+b", "it's", "~-._", "a:b", "]]>", "tab\tx",
    "日本",
]
DEEPEST = 5
AMBIGUOUS = "GetBucketNotification"  # two members of its output have one name on the wire


def read(service, name):
    """Returns the text of a service's file, of its latest version."""
    for version in sorted(os.listdir(os.path.join(DATA, service)), reverse=True):
        path = os.path.join(DATA, service, version, name)
        for found, open_file in ((path, open), (path + ".gz", gzip.open)):
            if os.path.exists(found):
                with open_file(found, "rt", encoding="utf-8") as file:
                    return file.read()
    raise FileNotFoundError(service + "/" + name)


class Models:
    """The models of services, and their files for bide."""

    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def get(self, service, name="service-2.json"):
        path = os.path.join(self.folder, service + "-" + name)
        if path not in self.known:
            self.known[path] = json.loads(read(service, name))
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.known[path], file)
        return path, self.known[path]


# ---- values


def text(place):
    return random.choice(TEXTS[:2] if place in ("header", "headers") else TEXTS)


def members(shape, depth):
    """Returns the members of a structure that a value of it has.

    Idempotency tokens are among them: bide gives those a value that have none.
    """
    if shape.is_tagged_union:
        return random.sample(sorted(shape.members), 1)
    needed = set(shape.required_members) | {
        name for name, one in shape.members.items() if one.metadata.get("idempotencyToken")
    }
    return [
        name for name in shape.members if name in needed or depth <= DEEPEST and random.random() < 0.5 / (depth + 1)
    ]


def value(shape, depth=0, place=None):
    kind = shape.type_name
    if kind == "structure":
        return {
            name: value(shape.members[name], depth + 1, shape.members[name].serialization.get("location"))
            for name in members(shape, depth)
        }
    if kind == "list":
        return [value(shape.member, depth + 1, place) for _ in range(random.randint(0, 2) if depth < DEEPEST else 0)]
    if kind == "map":
        return {
            key: value(shape.value, depth + 1, place)
            for key in sorted(random.sample(["k", "Key-2", "x1"], random.randint(0, 2)))
        }
    if kind == "timestamp":
        return datetime.fromtimestamp(random.randint(0, 2**31), timezone.utc)
    return {
        "string": lambda: text(place), "character": lambda: "x", "boolean": lambda: random.random() < 0.5,
        "integer": lambda: random.choice([0, 1, -5, 2**31 - 1]),
        "long": lambda: random.choice([0, -1, 2**53 + 1, 2**63 - 1]), "float": lambda: random.choice([0.5, -2.25]),
        "double": lambda: random.choice([0.5, 1.0, 12345.125]),
        "blob": lambda: bytes(random.randrange(256) for _ in range(random.randint(1, 5))),
    }[kind]()


def as_data(shape, given):
    """Returns a value as bide has it: Base64 for bytes, seconds for times."""
    kind = shape.type_name
    if kind == "structure":
        return {name: as_data(shape.members[name], one) for name, one in given.items() if name in shape.members}
    if kind == "list":
        return [as_data(shape.member, one) for one in given]
    if kind == "map":
        return {key: as_data(shape.value, one) for key, one in given.items()}
    if kind == "timestamp":
        return calendar.timegm(given.utctimetuple())
    return base64.b64encode(given).decode() if kind == "blob" else given


# ---- operations


def is_plain(shape, with_payload=False):
    """Reports whether a shape is without what releases of botocore write and read in different ways."""
    payload = shape.members.get(shape.serialization.get("payload"))
    if payload is not None and (not with_payload or payload.type_name != "structure"):
        return False
    for member in shape.members.values():
        location = member.serialization.get("location")
        if member.serialization.get("eventstream"):
            return False
        if location in ("header", "querystring") and member.type_name not in ("string", "integer", "timestamp"):
            return False
    return True


def waited_operations():
    """Returns the names of the operations that waiters call, by service."""
    waited = {}
    for service in sorted(os.listdir(DATA)):
        try:
            waiters = json.loads(read(service, "waiters-2.json"))["waiters"]
        except (FileNotFoundError, NotADirectoryError):
            continue
        if waiters:
            waited[service] = sorted({waiter["operation"] for waiter in waiters.values()})
    return waited


def operations(models, count, side):
    """Returns random operations, each with its service."""
    waited = waited_operations() if "waited" in sys.argv else None
    for _ in range(count):
        while True:
            service = random.choice(sorted(waited) if waited else SERVICES)
            path, document = models.get(service)
            model = ServiceModel(document, service)
            operation = model.operation_model(random.choice(waited[service] if waited else model.operation_names))
            shape = getattr(operation, side)
            if (
                shape is not None
                and operation.metadata["protocol"] in ("json", "rest-json", "rest-xml", "query", "ec2")
                and operation.name != AMBIGUOUS
                and is_plain(shape, with_payload=side == "input_shape")
            ):
                yield path, operation, shape
                break


def requests(models, count):
    for path, operation, shape in operations(models, count, "input_shape"):
        given, protocol = value(shape), operation.metadata["protocol"]
        wire = create_serializer(protocol, include_validation=False).serialize_to_request(given, operation)
        body, headers = wire["body"], {name: str(one) for name, one in wire["headers"].items()}
        query = [[name, str(one)] for name, one in (wire["query_string"] or {}).items()]
        if protocol.startswith("rest"):
            constant = operation.http["requestUri"].partition("?")[2]
            query += [part.partition("=")[::2] for part in constant.split("&") if part]
        if protocol == "rest-xml" and body:
            headers["Content-Type"] = "application/xml"  # botocore leaves it to its HTTP client
        form = isinstance(body, dict) and {"form": [[name, str(one)] for name, one in body.items()]}
        yield {
            "kind": "request", "service": operation.service_model.service_name, "model": path, "op": operation.name, "params": as_data(shape, given),
            "method": wire["method"], "path": wire["url_path"].partition("?")[0], "query": query, "headers": headers,
            "body": form or {"text": body if isinstance(body, str) else body.decode()},
        }


# ---- answers


def word(shape, given):
    if shape.type_name == "timestamp":
        return given.strftime("%Y-%m-%dT%H:%M:%SZ")
    if shape.type_name == "blob":
        return base64.b64encode(given).decode()
    return str(given).lower() if shape.type_name == "boolean" else str(given)


def element(name, shape, given):
    """Returns a value as an element of XML, or as several where it is flattened."""
    kind, serialization = shape.type_name, shape.serialization
    if kind == "list":
        own = shape.member.serialization.get("name")
        if serialization.get("flattened"):
            return "".join(element(own or name, shape.member, one) for one in given)
        return "<%s>%s</%s>" % (name, "".join(element(own or "member", shape.member, one) for one in given), name)
    if kind == "map":
        names = [part.serialization.get("name", usual) for part, usual in ((shape.key, "key"), (shape.value, "value"))]
        entry = name if serialization.get("flattened") else "entry"
        inner = "".join(
            "<%s>%s%s</%s>" % (entry, element(names[0], shape.key, key), element(names[1], shape.value, one), entry)
            for key, one in given.items()
        )
        return inner if serialization.get("flattened") else "<%s>%s</%s>" % (name, inner, name)
    return "<%s>%s</%s>" % (name, inner_xml(shape, given) if kind == "structure" else escape(word(shape, given)), name)


def inner_xml(shape, given):
    return "".join(
        element(shape.members[name].serialization.get("name", name), shape.members[name], one)
        for name, one in given.items()
        if not shape.members[name].serialization.get("xmlAttribute")
    )


def as_json(shape, given):
    kind = shape.type_name
    if kind == "structure":
        return {
            shape.members[name].serialization.get("name", name): as_json(shape.members[name], one)
            for name, one in given.items()
        }
    if kind == "list":
        return [as_json(shape.member, one) for one in given]
    if kind == "map":
        return {key: as_json(shape.value, one) for key, one in given.items()}
    if kind == "timestamp" and random.random() < 0.5:
        return calendar.timegm(given.utctimetuple())
    return word(shape, given) if kind in ("timestamp", "blob") else given


def body_of(operation, shape, given):
    protocol = operation.metadata["protocol"]
    if protocol in ("json", "rest-json"):
        return json.dumps(as_json(shape, given))
    inner = inner_xml(shape, given)
    if protocol == "query":
        wrapper = shape.serialization["resultWrapper"]
        inner = "<%s>%s</%s>" % (wrapper, inner, wrapper)
    root = operation.name + "Response"
    return '<?xml version="1.0"?>\n<%s xmlns="https://example.com/">%s</%s>' % (root, inner, root)


def answers(models, count):
    for path, operation, shape in operations(models, count, "output_shape"):
        given = {name: one for name, one in value(shape).items() if "location" not in shape.members[name].serialization}
        body = body_of(operation, shape, given)
        parsed = create_parser(operation.metadata["protocol"]).parse(
            {"status_code": 200, "headers": HeadersDict(), "body": body.encode()}, shape
        )
        yield {
            "kind": "response", "service": operation.service_model.service_name, "model": path, "op": operation.name, "status": 200, "headers": {}, "body": body,
            "want": as_data(shape, parsed),
        }


# ---- signatures and endpoints


def escaped(most, letters):
    return quote("".join(random.choice(letters) for _ in range(random.randint(0, most))), safe="")


def signatures(_, count):
    letters = "abZ09-._~ /:@!$&'()*+,;=%?#[]{}|\\^`<>\"é😀"
    for _ in range(count):
        is_s3, body = random.random() < 0.5, bytes(random.randrange(256) for _ in range(random.choice([0, 1, 40])))
        path = "".join(
            "/" + (escaped(4, letters) or random.choice(["", "a", "..", "b.c", "."]))
            for _ in range(random.randint(1, 4))
        )
        if path.endswith("/.") and not is_s3:
            path += "x"  # botocore drops the slash of such a path, RFC 3986 keeps it
        query = "&".join(escaped(3, letters) + "=" + escaped(3, letters) for _ in range(random.randint(0, 4)))
        headers = [
            "host", "host.example.com", "X-Custom", random.choice(["a", " b  c ", '"q  q"', ""]), "x-custom", "2",
        ]
        request = AWSRequest(
            method=random.choice(["GET", "PUT", "HEAD"]), url="https://host.example.com" + path + "?" + query, data=body
        )
        for name, one in zip(headers[::2], headers[1::2]):
            request.headers.add_header(name, one)
        request.context.update(payload_signing_enabled=True, client_config=Config(s3={"payload_signing_enabled": True}))
        token = random.choice([None, "tok/en+=="])
        signer = (S3SigV4Auth if is_s3 else SigV4Auth)(
            Credentials("AK", "SK", token), "s3" if is_s3 else "svc", "eu-west-1"
        )
        signer.add_auth(request)
        yield {
            "method": request.method, "path": path, "query": query, "body": body.hex(), "headers": headers,
            "token": token, "s3": is_s3, "time": request.context["timestamp"],
            "auth": request.headers["Authorization"],
        }


REGIONS = [
    "us-east-1", "eu-west-1", "us-west-2", "cn-north-1", "us-gov-west-1", "us-iso-east-1", "aws-global", "eu-new-9",
    "xx",
]
ARNS = [
    "arn:aws:s3:us-west-2:123456789012:accesspoint/ap", "arn:aws:s3:us-west-2:123456789012:accesspoint:ap",
    "arn:aws:s3:::b", "arn:aws:s3-object-lambda:us-east-1:123456789012:accesspoint/ap",
    "arn:aws:kinesis:us-east-1:123456789012:stream/s", "arn:aws:dynamodb:us-east-1:123456789012:table/t",
    "arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-0123/accesspoint/a",
]
WORDS = {
    "Region": REGIONS,
    "Endpoint": ["http://127.0.0.1:5055/x", "https://example.com", "http://localhost:4566"],
    "Bucket": ["bucket", "a.b.c", "My_Bucket", "192.168.1.1", "ab"] + ARNS,
    "AccountId": ["123456789012", "a b"],
}


def parameter(name, kind):
    if kind.lower() == "boolean":
        return random.random() < 0.3
    return [random.choice(ARNS)] if kind == "stringArray" else random.choice(WORDS.get(name, ["abc"] + ARNS))


def endpoints(models, count):
    path_of_partitions = os.path.join(DATA, "partitions.json")
    with open(path_of_partitions, encoding="utf-8") as file:
        partitions = json.load(file)
    for _ in range(count):
        service = random.choice(RULES)
        path, rules = models.get(service, "endpoint-rule-set-1.json")
        kw = {
            name: parameter(name, one["type"])
            for name, one in rules["parameters"].items()
            if random.random() < {"Region": 1, "Endpoint": 0.2}.get(name, 0.7)
        }
        case = {"s": service, "rules": path, "partitions": path_of_partitions, "kw": kw}
        try:
            found = EndpointProvider(rules, partitions).resolve_endpoint(**kw)
            yield dict(case, url=found.url, props=found.properties)
        except EndpointProviderError:
            yield dict(case, error=True)


def rules(models, _):
    yield {service: models.get(service, "endpoint-rule-set-1.json")[1] for service in RULES}


def main(kind, seed, count, folder):
    random.seed(int(seed))
    for case in globals()[kind](Models(folder), int(count)):
        print(json.dumps(case))


main(*sys.argv[1:5])
