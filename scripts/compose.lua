---Waits until all containers of a project of Docker Compose are ready: they run and are healthy if they have a health
---check, or have exited with 0. Or, with ProjectGone, until there are none, those of docker compose run included; with
---LineFound, until the log of a service's container gets a line.
---Docker says when something happens to a container of the project, and all are looked at then. Beside that, since Docker is
---near, and a poll asks for each container, the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run compose shop --max-wait 2m
---    bide run compose shop services=db,web socket=/run/podman/podman.sock --max-wait 2m
---    bide run compose LineFound shop db 'ready to accept' failed=FATAL --max-wait 2m
---
---A container that is unhealthy, cannot be started, or has exited with another code, is a failure. One that Docker has
---restarted must run for 10 s if it has no health check. Without services, those count that have containers. ProjectGone
---warns of a service that has had no container while others of the project have one: Docker does not know the names that
---are in the compose file.

local acceptor = require "bide.acceptor"
local compose = require "bide.compose"
local docker = require "bide.docker"
local expect = require "bide.expect"

---A daemon that is about to start passes, and a container that was removed while the others were inspected.
local transient = acceptor.transient "NotFound"

local project = { type = "string", required = true, positional = 1, example = "shop", documentation = "Its name." }
local socket = {
  type = "string", example = "/var/run/docker.sock",
  documentation = "The socket of the API. Default: that of DOCKER_HOST, of Docker's context, or /var/run/docker.sock.",
}

local line_inputs = docker.line_inputs {
  project = project,
  service = { type = "string", required = true, positional = 2, example = "db", documentation = "The service." },
  index = { type = "integer", default = 1, minimum = 1, documentation = "Which container of a service that has several." },
  socket = socket,
  timeout = { type = "duration", default = 10, documentation = "The time for one request, and until the log begins." },
}
line_inputs.matches.positional = 3

return {
  Inspect = {
    place = "local",
    prepare = compose.prepare,
    output = {
      project = { type = "string" },
      containers = { type = "list" },
      count = { type = "integer" },
      left = { type = "string" },
      state = { type = "string" },
      failed = { type = "list" },
    },
    watch = compose.watch,
    watch_key = compose.watch_key,
    input = {
      project = project,
      services = {
        type = "list", of = { type = "string" }, example = { "db", "web" },
        documentation = "The services that must be ready; each must have a container. Default: all that have one.",
      },
      socket = socket,
      timeout = { type = "duration", default = 10, documentation = "The time for one request." },
    },
    default = "ProjectReady",
    waitable = {
      ProjectReady = {
        documentation = "Waits until all containers of a project are ready.",
        countsAsReady = "the API says of each container of the project that it is running and healthy, if it has a health "
          .. "check, or has exited with 0; each service that is named has one",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          transient,
          acceptor.output("failure", "state", "failed", "join('; ', failed)"),
          acceptor.output("success", "state", "ready"),
        },
      },
      ProjectGone = {
        documentation = "Waits until a project has no containers.",
        countsAsGone = "the API, which names its version, gives an empty list of containers with the project's label, "
          .. "those of docker compose run included",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          transient,
          acceptor.output("success", "left", "none"),
        },
      },
    },
  },
  Follow = {
    place = "local",
    prepare = compose.prepare_follow,
    check = expect.mistake_of_needed_matches,
    fact = "line",
    input = line_inputs,
    waitable = {
      LineFound = {
        documentation = "Waits until the log of a service's container gets a line.",
        countsAsReady = "a line matches that has ended, and is of the run which the container is in; and the container still "
          .. "runs then, or has exited with 0",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          acceptor.success(),
          acceptor.error("failure", "FailedLine"),
          acceptor.error("failure", "MatchLimit"),
          acceptor.error("failure", "ContainerEnded"),
          acceptor.error("failure", "LogUnreadable"),
          acceptor.error("retry", "NotFound"),
          acceptor.transient "Conflict",
        },
      },
    },
  },
}
