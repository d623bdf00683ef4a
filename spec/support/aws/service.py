"""A service of AWS that answers as a spec wants it to: it checks each signature with botocore's own signer, and writes
its answers with moto's serializers, by botocore's own data. All are other hands than bide's.

    service.py          prints its port

POST /case {"service", "waiter", "acceptor"} chooses what it answers from then on: an answer that this acceptor of the
waiter is the first to match, by botocore's matchers; after one to be tried again, an answer that succeeds. It returns
{"input", "state", "is_sent_again"}, or {"none": reason} where no answer was found.
"""
import http.server
import json
import random
import re
import urllib.parse

import jmespath
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.loaders import Loader
from botocore.waiter import AcceptorConfig
from moto.core.exceptions import ServiceException
from moto.core.model import ServiceModel
from moto.core.serialize import get_serializer_class

SECRET = Credentials("AKIDEXAMPLE", "the-key-of-the-spec", "the-token-of-the-spec")
TRIES = 3000


class Data:
    """botocore's services, read when they are asked for."""

    def __init__(self):
        self.loader, self.services = Loader(), {}

    def get(self, name):
        if name not in self.services:
            waiters = self.loader.load_service_model(name, "waiters-2")["waiters"]
            self.services[name] = waiters, ServiceModel(self.loader.load_service_model(name, "service-2"), name)
        return self.services[name]


# ---- inputs and outputs ------------------------------------------------------------------------

def input_of(shape, depth=0):
    """The least that a shape takes."""
    if shape is None:
        return {}
    kind = shape.type_name
    if kind == "structure":
        return {name: input_of(shape.members[name], depth + 1) for name in shape.required_members}
    if kind == "list":
        return [input_of(shape.member, depth + 1)]
    if kind == "map":
        return {"key": input_of(shape.value, depth + 1)}
    if kind == "string":
        return shape.enum[0] if shape.enum else "a" * max(shape.metadata.get("min", 1), 1)
    if kind == "boolean":
        return True
    if kind in ("integer", "long", "float", "double"):
        return max(shape.metadata.get("min", 1), 1)
    return 0 if kind == "timestamp" else ""


def names_in(node, found):
    """The members that an expression names, and its literals."""
    if node["type"] == "field":
        found[0].add(node["value"])
    if node["type"] == "literal":
        found[1].append(node["value"])
    for child in node["children"]:
        if isinstance(child, dict):
            names_in(child, found)
    return found


class Outputs:
    """Random outputs of a shape, of the members that the acceptors of a waiter look at."""

    def __init__(self, acceptors):
        self.names, self.texts, self.numbers = set(), ["other"], [0, 1, 2]
        for acceptor in acceptors:
            if acceptor["matcher"].startswith("path"):
                names, literals = names_in(jmespath.compile(acceptor["argument"]).parsed, (set(), []))
                self.names |= names
                for value in literals + [acceptor["expected"]]:
                    if isinstance(value, str):
                        self.texts.append(value)
                    elif not isinstance(value, bool):
                        self.numbers.append(value)

    def make(self, shape, depth=0):
        kind = shape.type_name if shape is not None else None
        if kind == "structure":
            members = {name: member for name, member in shape.members.items() if name in self.names}
            if not members:
                return self.make_any(shape, depth)
            return {name: self.make(member, depth + 1) for name, member in members.items() if random.random() < 0.9}
        if kind == "list":
            return [self.make(shape.member, depth + 1) for _ in range(random.choice((0, 1, 1, 1, 2)))]
        if kind == "map":
            return {"one": self.make(shape.value, depth + 1)}
        if kind == "string":
            return random.choice(self.texts)
        if kind == "boolean":
            return random.random() < 0.5
        if kind in ("integer", "long"):
            return int(random.choice(self.numbers))
        return 1 if kind else {}

    def make_any(self, shape, depth):
        """Members of a structure of which no acceptor looks at one. An element without members would not be written, and
        services give no answer without members."""
        kinds = ("string", "list", "structure") if depth == 0 else ("string",)
        members = {name: member for name, member in shape.members.items() if member.type_name in kinds}
        return {name: self.make(member, depth + 1) for name, member in members.items()}


# ---- answers -----------------------------------------------------------------------------------

class Answer:
    """An output, or an error by its code on the wire, and a status in place of the usual one."""

    def __init__(self, output=None, code=None, status=None):
        self.output, self.code, self.status = output, code, status

    def parsed(self, usual):
        """What botocore's matchers look at."""
        seen = dict(self.output or {})
        seen["ResponseMetadata"] = {"HTTPStatusCode": self.status or (400 if self.code else usual)}
        if self.code:
            seen["Error"] = {"Code": self.code, "Message": "said by the spec"}
        return seen


def code_of(model, operation, expected):
    """The word on the wire for an error that an acceptor names by its shape or by its code."""
    for shape in operation.error_shapes:
        if shape.name == expected:
            return shape.metadata.get("error", {}).get("code", shape.name)
    return expected


def candidates(model, operation, acceptors, acceptor):
    """Answers that may match an acceptor."""
    kind, expected = acceptor["matcher"], acceptor["expected"]
    if kind == "error" and expected is not False:
        codes = [code_of(model, operation, expected)] if expected is not True else ["SomeError"]
        for code in codes:
            yield Answer(code=code)
        return
    if kind == "status" and expected >= 300:
        yield Answer(code="Refused", status=expected)
        return
    outputs = Outputs(acceptors)
    for _ in range(TRIES):
        output = outputs.make(operation.output_shape)
        yield Answer(output=output, status=expected if kind == "status" else None)


def first_match(matchers, answer, usual):
    seen = answer.parsed(usual)
    for position, matches in enumerate(matchers):
        try:
            if matches(seen):
                return position
        except jmespath.exceptions.JMESPathError:
            pass  # a path that raises does not match
    return None


def answer_for(model, operation, acceptors, position):
    usual = operation.http.get("responseCode", 200)
    # botocore's parsers give an error the name on the wire, which its waiters expect.
    on_wire = [dict(one, expected=code_of(model, operation, one["expected"])) if one["matcher"] == "error"
               and isinstance(one["expected"], str) else one for one in acceptors]
    matchers = [AcceptorConfig(one).matcher_func for one in on_wire]
    for answer in candidates(model, operation, on_wire, on_wire[position]):
        if first_match(matchers, answer, usual) == position:
            return answer
    return None


def protocol_of(model):
    metadata = model.metadata
    usual = metadata["protocol"]
    others = [one for one in metadata.get("protocols", [usual]) if one != "smithy-rpc-v2-cbor"]
    return usual if usual != "smithy-rpc-v2-cbor" else others[0]


class SpecError(ServiceException):
    """An error of no service of moto's."""


def written(service, model, operation, answer):
    serializer = get_serializer_class(service, protocol_of(model))(operation)
    if answer.code:
        response = serializer.serialize(SpecError(answer.code, "said by the spec"))
    else:
        response = serializer.serialize(answer.output or {})
    return answer.status or response["status_code"], response["headers"], response["body"]


# ---- the case ----------------------------------------------------------------------------------

class Case:
    def __init__(self, data, service, waiter, position):
        waiters, self.model = data.get(service)
        self.service, config = service, waiters[waiter]
        self.operation = self.model.operation_model(config["operation"])
        acceptors = config["acceptors"]
        random.seed(f"{service} {waiter} {position}")
        self.state = acceptors[position]["state"]
        self.answers = [answer_for(self.model, self.operation, acceptors, position)]
        if self.state == "retry":
            successes = [at for at, one in enumerate(acceptors) if one["state"] == "success"]
            found = [answer_for(self.model, self.operation, acceptors, at) for at in successes]
            self.answers.append(next((one for one in found if one), None))

    def describe(self):
        if None in self.answers:
            return {"none": "no answer matches this acceptor first"}
        status = written(self.service, self.model, self.operation, self.answers[0])[0]
        return {"input": input_of(self.operation.input_shape), "state": self.state,
                "is_sent_again": status == 429 or status >= 500}  # within an attempt, as botocore does

    def next(self):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def mistake_of_signature(request, body):
    """Signs a request again as botocore does."""
    found = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/([^/]+)/aws4_request, "
                     r"SignedHeaders=([^,]+), Signature=(\w+)$", request.headers.get("Authorization", ""))
    if not found:
        return "there is no signature"
    key, _, region, name, signed, signature = found.groups()
    headers = {one: request.headers[one] for one in signed.split(";") if one != "host"}
    url = f"http://{request.headers['Host']}{request.path}"
    again = AWSRequest(method=request.command, url=url, headers=headers, data=body)
    again.context["timestamp"] = request.headers["X-Amz-Date"]
    signer = (S3SigV4Auth if name == "s3" else SigV4Auth)(SECRET, name, region)
    expected = signer.signature(signer.string_to_sign(again, signer.canonical_request(again)), again)
    if key != SECRET.access_key or request.headers.get("X-Amz-Security-Token") != SECRET.token:
        return "the key or the token is another one"
    return None if signature == expected else "the signature is wrong"


def mistake_of_operation(case, request, body):
    """Compares a request with the operation that the waiter calls."""
    operation, kind = case.operation, protocol_of(case.model)
    if request.command != operation.http["method"]:
        return f"the method is {request.command}"
    if kind == "json":
        target = f"{case.model.metadata['targetPrefix']}.{operation.name}"
        return None if request.headers.get("X-Amz-Target") == target else "X-Amz-Target is another one"
    if kind in ("query", "ec2"):
        form = urllib.parse.parse_qs(body.decode())
        fits = form.get("Action") == [operation.name] and form.get("Version") == [case.model.api_version]
        return None if fits else "the Action is another one"
    pattern = re.sub(r"\\\{[^}]*\\\}", "[^?]+", re.escape(operation.http["requestUri"].split("?")[0]))
    path = request.path.split("?")[0]
    return None if case.service == "s3" or re.fullmatch(pattern, path) else f"the path is {path}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm, wbufsize = "HTTP/1.1", True, -1
    case = data = None

    def log_message(self, *_):
        pass

    def send(self, status, headers, body):
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() != "content-length":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/case":
            wanted = json.loads(body)
            Handler.case = Case(self.data, wanted["service"], wanted["waiter"], wanted["acceptor"])
            return self.send(200, {"Content-Type": "application/json"}, json.dumps(self.case.describe()))
        mistake = mistake_of_signature(self, body) or mistake_of_operation(self.case, self, body)
        if mistake:
            return self.send(418, {"Content-Type": "text/plain", "x-amzn-errortype": "Mistake"}, mistake)
        return self.send(*written(self.case.service, self.case.model, self.case.operation, self.case.next()))

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = answer


if __name__ == "__main__":
    Handler.data = Data()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
