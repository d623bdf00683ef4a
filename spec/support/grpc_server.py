"""A gRPC server with the health service of grpcio-health-checking, for spec/e2e/recipe_grpc_spec.lua.

    python3 grpc_server.py PORT SERVICE=STATUS,... [KEY CERTIFICATE]

Without any SERVICE=STATUS it has no health service. USR1 makes all of them SERVING.
"""

import signal
import sys
from concurrent import futures

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc


def listen(server, address, files):
    if not files:
        server.add_insecure_port(address)
        return
    key, certificate = (open(file, "rb").read() for file in files)
    server.add_secure_port(address, grpc.ssl_server_credentials([(key, certificate)]))


def add_health(server, statuses):
    servicer = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    for name, status in statuses.items():
        servicer.set(name, health_pb2.HealthCheckResponse.ServingStatus.Value(status))
    return servicer


def main(port, statuses="", *files):
    # It is waited for, since a handler would run only once pause() returns, and a signal just before that does not end it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    server = grpc.server(futures.ThreadPoolExecutor(2))
    statuses = dict(pair.split("=") for pair in statuses.split(",") if pair)
    if statuses:
        servicer = add_health(server, statuses)
    listen(server, "127.0.0.1:" + port, files)
    server.start()
    while True:
        signal.sigwait({signal.SIGUSR1})
        for name in statuses:
            servicer.set(name, health_pb2.HealthCheckResponse.SERVING)


main(*sys.argv[1:])
