"""Serves as a service of AWS that verifies signatures (Signature Version 4), by code that shares nothing with bide's.

Prints its port. Its argument is JSON:

    keys     {ACCESS_KEY: {"secret": ..., "token": ... or absent}}
    service  the signing name
    region   the region that is signed for
    clock    seconds by which its clock is ahead; 0 otherwise
    expired  access keys that have expired
    answers  [{"status": ..., "headers": {...}, "body": ...}] for signed requests, the last one for all later ones

It prints a line of JSON for each request: method, target, headers, body, and "refused", the reason if it refused it.
"""

import calendar
import hashlib
import hmac
import json
import sys
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote_plus

UNRESERVED = "-._~"
LONGEST = 300


class Refused(Exception):
    pass


def digest(data):
    return hashlib.sha256(data).hexdigest()


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def canonical_path(path, service):
    if service == "s3":
        return path
    parts = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(quote(part, safe=UNRESERVED))
    end = "/" if parts and path.endswith("/") else ""
    return "/" + "/".join(parts) + end


def canonical_query(query):
    pairs = []
    for one in query.split("&") if query else []:
        name, _, value = one.partition("=")
        pairs.append([quote(unquote_plus(text), safe=UNRESERVED) for text in (name, value)])
    return "&".join("=".join(pair) for pair in sorted(pairs))


def signature_of(request, body, names, stamp, secret, config):
    """The signature that a request should have, by what has arrived of it."""
    path, _, query = request.path.partition("?")
    headers = ""
    for name in names:
        if request.headers.get(name) is None:
            raise Refused("the signed header %s did not arrive" % name)
        headers += "%s:%s\n" % (name, " ".join(request.headers[name].split()))
    payload = request.headers.get("x-amz-content-sha256") or digest(body)
    canonical = "\n".join([request.command, canonical_path(path, config["service"]), canonical_query(query), headers,
                           ";".join(names), payload])
    scope = [stamp[:8], config["region"], config["service"], "aws4_request"]
    key = ("AWS4" + secret).encode()
    for part in scope:
        key = mac(key, part)
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, "/".join(scope), digest(canonical.encode())])
    return mac(key, text).hex()


def fields_of(header):
    kind, _, rest = header.partition(" ")
    if kind != "AWS4-HMAC-SHA256":
        raise Refused("MissingAuthenticationToken")
    return dict(part.strip().split("=", 1) for part in rest.split(","))


def verify(request, body, config):
    fields = fields_of(request.headers.get("authorization") or "")
    access_key, _, scope = fields["Credential"].partition("/")
    stamp, names = request.headers["x-amz-date"], fields["SignedHeaders"].split(";")
    if access_key not in config["keys"]:
        raise Refused("UnrecognizedClientException")
    if scope != "%s/%s/%s/aws4_request" % (stamp[:8], config["region"], config["service"]):
        raise Refused("the scope is %s" % scope)
    known = config["keys"][access_key]
    if request.headers.get("x-amz-security-token") != known.get("token"):
        raise Refused("UnrecognizedClientException")
    for needed in ["host", "x-amz-date"] + (["x-amz-security-token"] if "token" in known else []):
        if needed not in names:
            raise Refused("the header %s is not signed" % needed)
    if config["service"] == "s3" and request.headers.get("x-amz-content-sha256") != digest(body):
        raise Refused("XAmzContentSHA256Mismatch")
    if signature_of(request, body, names, stamp, known["secret"], config) != fields["Signature"]:
        raise Refused("SignatureDoesNotMatch")
    at = calendar.timegm(time.strptime(stamp, "%Y%m%dT%H%M%SZ"))
    if abs(at - time.time() - config["clock"]) > LONGEST:
        raise Refused("RequestTimeTooSkewed")
    if access_key in config["expired"]:
        raise Refused("ExpiredTokenException")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self):
        config = self.server.config
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        entry = {"method": self.command, "target": self.path, "body": body.decode("latin-1"), "refused": None,
                 "headers": {name.lower(): value for name, value in self.headers.items()}}
        try:
            verify(self, body, config)
            answers = config["answers"]
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        except Refused as refusal:
            entry["refused"] = str(refusal)
            answer = {"status": 403, "body": json.dumps({"__type": str(refusal), "message": "refused"})}
        print(json.dumps(entry), flush=True)
        self.answer(answer, config["clock"])

    def answer(self, answer, clock):
        body = answer.get("body", "").encode()
        self.send_response_only(answer.get("status", 200))
        self.send_header("Date", formatdate(time.time() + clock, usegmt=True))
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.get("headers", {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = respond

    def log_message(self, *arguments):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.config = dict({"clock": 0, "expired": []}, **json.loads(sys.argv[1]))
    print(server.server_port, flush=True)
    server.serve_forever()


main()
