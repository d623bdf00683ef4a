"""Serves every address of 127.0.0.0/8, and writes down what it receives, and where it was meant to go.

    python3 server.py FOLDER

FOLDER has server.pem and server.key. Prints a line of JSON with its ports: plain, plain_other, plain_80, tls, tls_other,
tls_443. Answers as FOLDER/plan.json says, {"answers": [{"status", "headers", "body"}]}, in order, the last one for all
later requests. Each request is a line of JSON in FOLDER/requests, written before it is answered: the address and the port
to which it was sent, whether over TLS, its line, its headers as they came, and its body.

It closes a connection to the port "settle" once it has handled all connections that were made before.
"""

import json
import os
import socket
import ssl
import sys
import threading

folder = sys.argv[1]
lock = threading.Lock()
idle = threading.Condition()
handled = set()  # the clients of the connections under way
NAMES = ["plain", "plain_other", "plain_80", "tls", "tls_other", "tls_443"]

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/server.pem", folder + "/server.key")


def next_answer():
    with open(folder + "/plan.json") as file:
        answers = json.load(file)["answers"]
    count = 0
    if os.path.exists(folder + "/requests"):
        with open(folder + "/requests") as file:
            count = sum(1 for _ in file)
    return answers[min(count, len(answers) - 1)]


def read_request(stream):
    line = stream.readline(65537)
    headers = []
    while True:
        header = stream.readline(65537)
        if not header or header in (b"\r\n", b"\n"):
            break
        headers.append(header)
    length = 0
    for header in headers:
        name, _, value = header.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    return line, headers, stream.read(min(length, 1 << 20)) if length else b""


def serve(connection, name):
    address, port = connection.getsockname()[:2]
    is_tls = name.startswith("tls")
    connection.settimeout(5)
    try:
        if is_tls:
            connection = context.wrap_socket(connection, server_side=True)
        stream = connection.makefile("rb")
        while True:
            line, headers, body = read_request(stream)
            if not line:
                return
            port_meant = {"plain_80": 80, "tls_443": 443}.get(name, port)
            record = {"address": address, "port": port_meant, "tls": is_tls, "line": line.decode("latin-1"),
                      "headers": b"".join(headers).decode("latin-1"), "body": body.decode("latin-1")}
            with lock:
                answer = next_answer()
                with open(folder + "/requests", "a") as file:
                    file.write(json.dumps(record) + "\n")
            content = answer.get("body", "{}").encode()
            head = "HTTP/1.1 %d Answer\r\nContent-Length: %d\r\n" % (answer["status"], len(content))
            for header, value in answer.get("headers", {}).items():
                head += "%s: %s\r\n" % (header, value)
            connection.sendall(head.encode("latin-1") + b"\r\n" + content)
    except (OSError, ValueError):
        pass
    finally:
        connection.close()


def handle(connection, client, name):
    try:
        serve(connection, name)
    finally:
        with idle:
            handled.discard(client)
            idle.notify_all()


def listen(name, listener):
    while True:
        connection, client = listener.accept()
        with idle:
            handled.add(client)
            idle.notify_all()
        threading.Thread(target=handle, args=(connection, client, name), daemon=True).start()


def settle(listener):
    """A connection to each port comes behind all that were made before."""
    while True:
        waiting, _ = listener.accept()
        for name in NAMES:
            last = socket.create_connection(("127.0.0.1", ports[name]))
            with idle:
                idle.wait_for(lambda: last.getsockname() in handled, 30)
            last.close()
        with idle:
            idle.wait_for(lambda: not handled, 30)
        waiting.close()


def open_listener():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", 0))
    listener.listen(64)
    return listener


ports = {}
for name in NAMES:
    listener = open_listener()
    ports[name] = listener.getsockname()[1]
    threading.Thread(target=listen, args=(name, listener), daemon=True).start()
listener = open_listener()
ports["settle"] = listener.getsockname()[1]
threading.Thread(target=settle, args=(listener,), daemon=True).start()
print(json.dumps(ports), flush=True)
sys.stdin.read()
threading.Event().wait()
