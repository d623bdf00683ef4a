"""moto in this process, with resources for a spec to wait for.

    python3 server.py cloudformation ec2

prints one line of JSON: the address, the cases of waits for each service, what could not be made, the folder of
botocore's data, and what `machines.others` says. Then it serves until it is ended. Without services it makes all that
it knows.
"""

import json
import logging
import os
import sys
import threading
import traceback

import botocore
import data
import machines
import making
import management
import media
from moto.server import ThreadedMotoServer

assert data and machines and management and media  # they register what they make

BOTOCORE = os.path.join(os.path.dirname(botocore.__file__), "data")


def cases_of(services):
    cases, mistakes = {}, []
    for service in services:
        cases[service] = []
        for make in making.MAKERS[service]:
            try:
                cases[service].extend(make())
            except Exception:
                mistakes.append(f"{service}: {make.__name__}: {traceback.format_exc()}")
    return cases, mistakes


def main():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    making.connect(url)
    cases, mistakes = cases_of(sys.argv[1:] or making.MAKERS)
    print(json.dumps({"url": url, "cases": cases, "mistakes": mistakes, "botocore": BOTOCORE, **machines.others()}), flush=True)
    threading.Event().wait()


main()
