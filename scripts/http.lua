---Waits until a service is healthy: it answers with a status of 200 to 299, or one of `status`. Or, with ServiceDown,
---until it does not answer: the connection is refused, or a gateway answers with a status of `down`.
---The service is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---On this machine, bide notices at once that the port opens.
---
---    bide run http localhost:8080/health --max-wait 30s
---    bide http https://api/jobs/1 ca=ca.pem bearer=@env:TOKEN path=state expect=done failed=failed message=reason --max-wait 5m
---    bide http api/build method=POST json:='{"dry":true}' status=200,409 --until "state=done" --max-wait 5m
---    bide http status.example/page xpath="//span[@id='state']" expect=up --max-wait 5m
---    bide http ServiceDown api/health down=502,503 --max-wait 5m
---
---The output is the JSON of the answer, or {} if it has none. A good answer must also satisfy path, xpath, expect and matches.
---path is a JMESPath whose value must be `expect`; without `expect` true, or a list or an object that is not empty. An
---answer without JSON has no such value. Without path, `expect` is a text that the body must contain.
---
---Caches are asked for a fresh answer (`Cache-Control: no-cache`, unless `headers` says otherwise), and a warning says how old
---the answer of a success is, by its header `Age`, if a cache gave it. The status 206, of a part, counts only if it is named.
---
---Behind a redirect to another page, as one of login, the page that was asked for has not answered: such an answer counts
---only with a condition (`path`, `xpath`, `expect`, `matches`, `--until`), or `follow=true`. The same page may be at `www.`,
---over TLS, or with a slash at its end.
---
---A status may be that of a proxy, a gateway or a page of login in front of the service, which bide does not know: `path`, or a
---text in `expect` that only the service writes, asks for the service's own answer.
---
---A proxy that cannot be reached says nothing of the service, and every status is an answer: the service itself may send
---a 503. Only `down` says that a status comes from a gateway in front of a service that does not answer. A proxy of the
---environment is such a gateway too, and its 502 or 503 may be about a name that is misspelt: give `proxy=` for none.

local acceptor = require "bide.acceptor"
local error_class = require "bide.error_class"
local expect = require "bide.expect"
local http = require "bide.http"

---@return fun(response: bide.http.Response): any
local function output_for(input)
  local output_of = http.output_of(input)
  if not expect.asks_text(input) then return output_of end
  return function(response)
    return expect.text(response.body, input, output_of(response), response:header "content-type")
  end
end

---A gateway at one address may reach the service that the one at another does not.
local function prepare_down(input, request, output)
  return http.until_found(request, function(at)
    request.address = at
    return http.prepare(request, output)
  end, function(found)
    if type(found) ~= "table" or found.redirected then return false end
    return found.type == "ConnectionRefused" or error_class.has_status(found.status or 0, input.down)
  end)
end

---Reports whether an input, or --until, says what the page to which a redirect leads has to be.
local function asks(input, wait)
  return input.path or input.xpath or input.expect ~= nil or input.matches or input.matches_lua or wait and not wait.own_success
end

---@param wait bide.OperationWait?
local function prepare(input, wait)
  local request, output = http.request_of(input), output_for(input)
  if input.down then return prepare_down(input, request, output) end
  if input.follow == nil and not asks(input, wait) then request.redirects = "page" end
  return http.prepare(request, output)
end

---Returns the first status that is good, and means that the service is down.
local function find_contradiction(input)
  for status = 100, input.down and 599 or 0 do
    if error_class.has_status(status, input.status) and error_class.has_status(status, input.down) then return status end
  end
end

local function check(input)
  local mistake = http.mistake(input) or expect.mistake(input)
  if mistake then return mistake end
  local status = find_contradiction(input)
  return status and ("down: expected statuses that are not in status, found %d in both"):format(status) or nil
end

---Waiting does not change the other statuses from 400 on, nor a bad certificate or URL. A service that starts may lead to a
---page that says so.
local transient = acceptor.transient("TooEarly", "UnexpectedStatus", "UnexpectedValue", "MatchLimit", "RedirectRefused")

return { Get = {
  prepare = prepare,
  check = check,
  input = expect.inputs(http.inputs {
    follow = {
      type = "boolean",
      documentation = "true: follow redirects, wherever they lead; false: follow none. Default: follow them, and to the same "
        .. "page only if nothing is asked of the answer.",
    },
    down = {
      type = "list", of = { type = "string", pattern = "^[1-9][%dxX][%dxX]$", expected = "a status such as 502 or 5xx" },
      example = { "502", "503" },
      documentation = "Of ServiceDown: the statuses by which a gateway says that the service does not answer. Default: none.",
    },
  }),
  default = "ServiceHealthy",
  waitable = {
    ServiceHealthy = {
      documentation = "Waits until a service is healthy.",
      countsAsReady = "an answer with one of the statuses, which has what path, expect and matches ask for; after a redirect to "
        .. "another page only with one of these, or follow=true",
      opposite = "ServiceDown",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { expect.failure(), expect.success(), { state = "retry", matcher = { status = 404 } }, transient },
    },
    ServiceDown = {
      documentation = "Waits until a service does not answer.",
      countsAsGone = "every address of the URL's host refuses the connection, or answers with a status of down",
      opposite = "ServiceHealthy",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        expect.failure(),
        expect.success "retry",
        acceptor.refused("success", "ENOENT"),
        acceptor.status_of("success", "down"),
        { state = "retry", matcher = { status = 404 } },
        transient,
      },
    },
  },
} }
