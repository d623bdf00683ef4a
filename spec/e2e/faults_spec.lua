---What comes of a service that fails, fault by fault (spec/support/faults.lua): once, after it has recovered, and with
---the recipe `http`. A fault never lasts longer than the request's timeout; the bounds leave room for a loaded machine.

local json = require("bide.core").json
local FaultServer = require "spec.support.fault_server"
local Workspace = require "spec.support.workspace"

---Seconds: the timeout of a request to a service that hangs, and of another one; the most that an attempt may take, and
---how far a wait may end behind its deadline.
local SHORT, LONG, LONGEST, LATEST = 0.5, 30, 10, 2

local recipe = [[
local acceptor, http = require "bide.acceptor", require "bide.http"
local function get(input) return http.get(input.url, { timeout = input.timeout }) end
local good = acceptor.output("success", "status", "success")
local function waiter(...) return { minDelay = 0.01, maxDelay = 0.02, acceptors = { good, ... } } end
return { Get = { call = get, waitable = { Once = waiter(), Recovered = waiter(acceptor.transient()) } } }
]]

local SUCCESS, UNMATCHED, USED_UP = 0, 3, 4

---The row of a fault: the exit code of one attempt, and the type of its error; what its message or its note says, a Lua
---pattern; how many attempts it takes where the service recovers after two, nil where the first error is the end; and
---whether `bide run http` takes the answer for one of a healthy service.
local function row(fault, code, kind, says, attempts, healthy)
  return { fault = fault, code = code, type = kind, says = says, attempts = attempts, healthy = healthy or false }
end

local function hangs(fault)
  local wanted = row(fault, UNMATCHED, "RequestTimeout", nil, 3)
  wanted.timeout = SHORT
  return wanted
end

local function passes(fault, kind, says) return row(fault, UNMATCHED, kind, says, 3) end
local function cut(fault) return passes(fault, "InvalidResponse", "the body is cut: its compressed data do not end") end
local function final(fault, kind, says) return row(fault, UNMATCHED, kind, says, nil) end
local function fine(fault, note) return row(fault, SUCCESS, nil, note, 1, true) end

---A success whose output is {}.
local function without_output(fault, note) return row(fault, USED_UP, nil, note, 3, true) end

---Healthy to those who ask for the status only.
local function broken(fault, says) return row(fault, UNMATCHED, "InvalidResponse", says, 3, true) end

local rows = {
  passes("close", "ConnectionReset"),
  hangs "hang",
  hangs "hangheaders",
  hangs "hangbody",
  hangs "drip",
  passes("rst", "ConnectionReset"),
  passes("rstbody", "ConnectionReset"),

  passes("midstatus", "ConnectionReset"),
  passes("afterstatus", "InvalidResponse", "within its headers"),
  passes("midheaders", "InvalidResponse", "within its headers"),
  passes("midvalue", "InvalidResponse", "within its headers"),
  passes("afterheader", "InvalidResponse", "within its headers"),
  passes("midblank", "InvalidResponse", "within its headers"),
  passes("errorcut", "InvalidResponse", "within its headers"),
  passes("continuecut", "InvalidResponse", "within its headers"),
  passes("garbagestatus", "InvalidResponse"),
  passes("binary", "InvalidResponse"),
  passes("ssh", "InvalidResponse"),
  passes("status99", "InvalidResponse"),
  passes("status1000", "InvalidResponse"),
  passes("http09", "InvalidResponse"),
  fine "feeds",
  passes("nocolon", "InvalidResponse"),
  fine "http10",
  passes("hugeheader", "InvalidResponse", "a header line is larger than 100 KiB"),
  passes("hugestatus", "InvalidResponse", "the status line is larger than 100 KiB"),
  passes("hugetrailer", "InvalidResponse", "a header line behind the body is larger than 4 KiB"),
  passes("manyheaders", "InvalidResponse", "the headers are larger than 256 KiB"),

  fine "100",
  passes("100only", "ConnectionReset"),
  fine "103",
  hangs "upgrade",
  without_output "204body",
  without_output "205",
  row("206", SUCCESS, nil, nil, 1), -- a part that nobody asked for is not the page
  final("304", "NotModified"),

  passes("midbody", "ConnectionReset"),
  broken("clshort", "line 1, column 6"),
  passes("cllong", "ConnectionReset"),
  passes("clneg", "InvalidResponse"),
  passes("clgarbage", "InvalidResponse"),
  passes("cltwo", "InvalidResponse", "two values of Content%-Length, 20 and 5"),
  passes("cltwofirst", "InvalidResponse", "two values of Content%-Length, 5 and 20"),
  fine "cltwosame",
  fine "cllist",
  passes("cllisttwo", "InvalidResponse", "two values of Content%-Length, 20 and 5"),
  passes("cltail", "InvalidResponse", 'Content%-Length is "20abc", which is not a number of bytes'),
  passes("clnone", "InvalidResponse"),
  final("clhuge", "BodyTooLarge"),
  fine "clchunks",
  passes("clchunkstwo", "InvalidResponse", "Content%-Length is 5, and the body has 20 bytes"),
  passes("tegzip", "InvalidResponse", 'Transfer%-Encoding has "gzip", which bide did not ask for'),
  passes("tegzipcut", "InvalidResponse", 'Transfer%-Encoding has "gzip"'),
  passes("techunkedtwice", "InvalidResponse", 'Transfer%-Encoding has "chunked"'),
  passes("teunknown", "InvalidResponse"),
  fine "extra",
  passes("chunktrunc", "ConnectionReset"),
  passes("chunknoend", "ConnectionReset"),
  passes("chunklastcut", "ConnectionReset"),
  passes("chunkneg", "InvalidResponse"),
  passes("chunkhuge", "InvalidResponse"),
  passes("chunkshort", "InvalidResponse"),
  passes("chunkbad", "InvalidResponse"),
  passes("trailercut", "ConnectionReset"),
  final("endless", "BodyTooLarge"),

  without_output "empty",
  broken("blank", "application/json"),
  broken("badjson", "line 1, column 12"),
  broken("cutjson", "line 1, column 16"),
  without_output("html", "^the body is not JSON %(text/html%)$"),
  broken("htmlasjson", "application/json.*found '<'.*line 1, column 1"),
  without_output("xml", "^the body is not JSON %(application/xml%)$"),
  without_output("brokentext", "^the body is not JSON %(text/plain%)$"),
  broken("brokenproblem", "application/problem%+json.*line 1, column 2"),
  broken("brokenamz", "application/x%-amz%-json%-1%.1.*line 1, column 2"),
  broken("brokentextjson", "text/json.*line 1, column 2"),
  without_output("untyped", "^the body is not JSON %(no content type%)$"),
  without_output("oddtype", "^the body is not JSON %(no content type%)$"),
  fine "jsonastext",
  fine "jsonuntyped",
  broken("bom", "found a byte order mark, which JSON does not allow, at line 1, column 1"),
  broken("utf16", "found UTF%-16 where UTF%-8 should be, at line 1, column 1"),
  broken("latin1", "not UTF%-8, at line 1, column 16"),
  broken("dupkey", "status is there twice in the answer, with different values"),
  broken("deep", "nested too deeply, beyond %d+ levels, at line 1, column %d+$"),
  row("nul", USED_UP, nil, nil, 3, true),
  broken("nan", "line 1, column 28"),
  fine("surrogate", "1 lone surrogate was read as U%+FFFD"),
  fine("hugenumber", "1 number beyond a double was read as the largest double of its sign"),
  fine "tinynumber",

  fine "gzipok",
  passes("gzipbad", "InvalidResponse", "the body is not in its coding: incorrect header check"),
  cut "gziptrunc",
  passes("gziptail", "InvalidResponse", "bytes follow its end"),
  passes("gzipcrc", "InvalidResponse", "incorrect data check"),
  fine "gzipmembers",
  without_output "gzipempty",
  cut "gzipnothing",
  cut "gzipclose",
  fine "gzipchunks",
  cut "gzipchunkscut",
  fine "gziptwice",
  cut "gziptwicecut",
  passes("gzipinnercut", "InvalidResponse", "incorrect header check"),
  fine "xgzip",
  fine "deflate",
  fine "deflateraw",
  cut "deflatecut",
  cut "deflaterawcut",
  final("gzipbomb", "BodyTooLarge"),
  final("gzipbombtwice", "BodyTooLarge"),
  passes("br", "InvalidResponse", 'bide cannot decode the body\'s coding "br"'),
  passes("zstd", "InvalidResponse", 'bide cannot decode the body\'s coding "zstd"'),
  passes("unkenc", "InvalidResponse", 'bide cannot decode the body\'s coding "rot13"'),

  final("301loop", "TooManyRedirects"),
  final("301none", "MovedPermanently"),
  final("302bad", "InvalidUrl"),
  final("302file", "InvalidUrl"),

  passes("textof503", "ServiceUnavailable"),
  final("s400", "BadRequest"),
  final("s401", "Unauthorized"),
  final("s403", "Forbidden"),
  final("s404", "NotFound"),
  passes("s408", "RequestTimeout"),
  passes("s429", "TooManyRequests"),
  passes("s429:1", "TooManyRequests"),
  passes("s429:-5", "TooManyRequests"),
  passes("s429:99999999999999999999", "TooManyRequests"),
  passes("s429:abc", "TooManyRequests"),
  passes("s429:Wed, 21 Oct 2099 07:28:00 GMT", "TooManyRequests"),
  passes("s429:Wed, 21 Oct 2015 07:28:00 GMT", "TooManyRequests"),
  passes("s500", "InternalServerError"),
  passes("s502", "BadGateway"),
  passes("s503", "ServiceUnavailable"),
  passes("s503:1.5", "ServiceUnavailable"),
  passes("s503:0", "ServiceUnavailable"),
  passes("s504", "GatewayTimeout"),
}

local function path_of(fault)
  return "/" .. fault:gsub("[ :,]", function(byte) return ("%%%02X"):format(byte:byte()) end)
end

describe("a service that fails", function()
  local workspace = Workspace.of_block()
  local faults

  setup(function()
    faults = FaultServer.start()
    workspace:write("faults.lua", recipe)
  end)

  teardown(function() faults:stop() end)

  for _, wanted in ipairs(rows) do
    it(("by %s: exit %d, %s"):format(wanted.fault, wanted.code, wanted.type or wanted.says or "an output"), function()
      local outcome, done = workspace:outcome { "run", "faults.lua", "Once", "url=" .. faults.url .. path_of(wanted.fault),
        "timeout:=" .. (wanted.timeout or LONG), "--max-wait", "50s", "--max-attempts", "1" }
      local failure, entry = outcome.error or {}, outcome.history[1]
      assert.same({ wanted.code, wanted.type }, { done.code, failure.type })
      assert.truthy(entry.duration <= LONGEST, ("it took %s s"):format(entry.duration))
      if wanted.code == SUCCESS then assert.equal("success", outcome.output.status) end
      if wanted.says then
        local said = failure.message or entry.note or ""
        assert.truthy(said:find(wanted.says), ("expected %q, found %q"):format(said, wanted.says))
      else
        assert.is_nil(entry.note)
      end
    end)
  end

  ---The outcomes of a wait for each of the rows, by fault.
  local function outcomes_of(chosen, words, max_wait, input_of)
    local lines, by_fault = {}, {}
    for i, wanted in ipairs(chosen) do lines[i] = json.encode(input_of(wanted, i)) end
    workspace:write("rows.jsonl", table.concat(lines, "\n") .. "\n")
    local options = { "--each", "rows.jsonl", "--jobs", "8", "--max-wait", max_wait, "--output", "json", "--quiet" }
    local done = workspace:bide(table.move(options, 1, #options, #words + 1, words))
    for i, outcome in ipairs(json.decode(done.stdout).outcomes or {}) do by_fault[chosen[i].fault] = outcome end
    return by_fault
  end

  it("and recovers is waited for where its faults pass", function()
    local words = { "run", "faults.lua", "Recovered", "--retry-after-cap", "20ms" }
    local outcomes = outcomes_of(rows, words, "50s", function(wanted, i)
      return { url = ("%s%s/2/%d"):format(faults.url, path_of(wanted.fault), i), timeout = wanted.timeout or LONG }
    end)
    for _, wanted in ipairs(rows) do
      local outcome = outcomes[wanted.fault]
      assert.same({ wanted.fault, wanted.attempts and "success" or "failure", wanted.attempts or 1 },
        { wanted.fault, outcome.state, outcome.attempts })
    end
  end)

  it("ends no wait later than its deadline, whatever hangs", function()
    local hanging = {}
    for _, wanted in ipairs(rows) do hanging[#hanging + 1] = wanted.timeout and wanted end
    local outcomes = outcomes_of(hanging, { "run", "faults.lua", "Once" }, ("%gs"):format(SHORT), function(wanted)
      return { url = faults.url .. path_of(wanted.fault), timeout = LONG }
    end)
    for _, wanted in ipairs(hanging) do
      local outcome = outcomes[wanted.fault]
      assert.same({ wanted.fault, "maxWait", 1 }, { wanted.fault, outcome.reason, outcome.attempts })
      assert.truthy(outcome.elapsed <= SHORT + LATEST, ("%s took %g s"):format(wanted.fault, outcome.elapsed))
    end
  end)

  it("is healthy to the recipe http only where it answers", function()
    local words = { "run", "http", "ServiceHealthy", "--max-attempts", "2", "--min-delay", "10ms",
      "--retry-after-cap", "20ms" }
    local outcomes = outcomes_of(rows, words, "50s", function(wanted)
      return { url = faults.url .. path_of(wanted.fault), timeout = wanted.timeout or LONG }
    end)
    for _, wanted in ipairs(rows) do
      local outcome = outcomes[wanted.fault]
      assert.same({ wanted.fault, wanted.healthy }, { wanted.fault, outcome.state == "success" })
    end
  end)
end)
