---Waits until the checks of a commit have passed, at GitHub or GitLab, also those that have not begun yet.
---The service is far, and counts requests: the delays are 5 s to 30 s.
---
---    bide run commit_checks acme/shop 3f1c2ab build,test bearer=@env:TOKEN --max-wait 30m
---    bide run commit_checks acme/shop main test least=4 ignore=deploy bearer=@env:TOKEN --max-wait 30m
---    bide run commit_checks acme/shop 3f1c2ab test provider=gitlab url=https://gitlab.example/api/v4 --max-wait 30m
---
---A service lists a check once it has begun, so a list of passed checks says nothing about others: `names` are those
---that must pass, and `least` may say how many there are. Every other check that is listed must pass, or be skipped, unless
---`ignore` or GitLab's allow_failure excepts it. One that has failed, was cancelled or, at GitHub, waits for an action of a
---person fails the wait at once. Of a check that ran several times, the last run counts; of several checks of one name, the
---worst. In a job of the same commit, `ignore` names that job.
---
---A branch or a tag is asked for anew by each attempt: `commit` of the output is the one whose checks have passed.
---GitHub's check runs and commit statuses both count. When the quota of requests is used up, bide asks again after the time
---that GitHub names.

local acceptor = require "bide.acceptor"
local http = require "bide.http"
local json = require("bide").json
local service = require "bide.service"

local PAGE, MOST_PAGES = 100, 10

---The verdicts of the words by which the services say the state of a check; other words mean that it is not over.
local verdicts = {
  success = "passed", neutral = "passed", skipped = "passed",
  failure = "failed", failed = "failed", error = "failed", cancelled = "failed", canceled = "failed", timed_out = "failed",
  action_required = "failed", startup_failure = "failed", stale = "failed",
}

---Encodes a text as a part of a path.
local function encode(text)
  return (text:gsub("[^%w._~-]", function(byte) return ("%%%02X"):format(byte:byte()) end))
end

---Raises what GitHub says with a 403 or 429 when the quota is used up, with the time until there are requests again.
local function check_quota(response)
  if response:header "x-ratelimit-remaining" ~= "0" or response.status ~= 403 and response.status ~= 429 then return end
  local reset = tonumber(response:header "x-ratelimit-reset")
  error {
    type = "RateLimitExceeded", message = "the quota of requests is used up",
    retryAfter = reset and math.max(reset - os.time(), 1) or nil,
  }
end

local function refuse(name, why)
  error({ type = "InvalidAnswer", message = ("this is not an answer of %s: %s"):format(name, why) }, 0)
end

---Refuses a page with anything but checks, or with those of an earlier one, as where a proxy leaves out the query.
---@param known table<integer, true> the checks of the pages before; gets those of this one
local function check_page(found, name, known)
  for _, check in ipairs(found.list) do
    if type(check.name) ~= "string" or type(check.word) ~= "string" then refuse(name, "a check lacks its name or state") end
    local id = math.type(check.id) and check.id
    if known[id] then error({ type = "IncompleteAnswer", message = "a check is listed twice: " .. check.name }, 0) end
    if id then known[id] = true end
  end
  if #found.list ~= found.count then refuse(name, "the list has more than checks") end
  if math.type(found.total) and found.total < found.count then refuse(name, "the list has more checks than there are") end
end

---Returns the checks on all pages of a list. A service may give shorter pages than it is asked for.
---@param find string a JMESPath of a page: its `list`, the `count` of that and, where the service says it, the `total`; null
---for another program
---@param name string of the service
---@return table[] checks
---@return string? commit that the last page names itself
local function read_pages(input, path, find, name)
  local all, known = {}, {}
  for page = 1, MOST_PAGES do
    local response = http.request(http.request_of(input, path, { per_page = PAGE, page = page }))
    check_quota(response)
    local found = http.find(response, find, name)
    check_page(found, name, known)
    for _, check in ipairs(found.list) do check.commit = check.commit or found.commit end
    table.move(found.list, 1, #found.list, #all + 1, all)
    local total = math.type(found.total) and found.total or #all
    local has_next = (response:header "link" or ""):find('rel="next"', 1, true)
    if #found.list < PAGE and #all >= total and not has_next then return all, found.commit end
    if #found.list == 0 then
      error { type = "IncompleteAnswer", message = ("%d of %d checks are listed"):format(#all, math.max(total, #all + 1)) }
    end
  end
  error { type = "InvalidAnswer", message = ("more than %d checks"):format(PAGE * MOST_PAGES) }
end

local rank = { passed = 1, running = 2, failed = 3 }

---Adds the verdict on a check. Of several that have one name, the worst counts. One that may fail, or that a person may start,
---only counts if it is named.
---@param named table<string, true>
local function add(checks, check, named)
  local verdict = verdicts[check.word] or "running"
  local holds_up = verdict == "failed" or check.word == "manual"
  if check.is_excepted and holds_up and not named[check.name] then verdict = "passed" end
  local name = check.name
  if not checks[name] or rank[verdict] > rank[checks[name]] then checks[name] = verdict end
end

---Reports whether a text is a hash, whole or cut. A branch or a tag may have hexadecimal digits alone, such as 20240101.
local function is_hash(text)
  local is_cut = #text >= 7 and text:find "%d" and text:find "%a"
  return (#text >= 40 or is_cut) and text:find "^%x+$"
end

---Refuses checks of another commit than the one that is asked for. A branch may have got a new one between two answers.
---@param known string? the commit of a list that has no checks
---@return string? commit of all of them
local function check_commit(list, known, commit, name)
  local has_hash = is_hash(commit)
  for _, check in ipairs(list) do
    local of = type(check.commit) == "string" and check.commit or has_hash and refuse(name, "a check lacks its commit") or known
    if known and of ~= known then
      error({ type = "IncompleteAnswer", message = ("the checks are of two commits, %s and %s"):format(known, of) }, 0)
    end
    known = of
  end
  if known and has_hash and known:sub(1, #commit):lower() ~= commit:lower() then
    refuse(name, ("the checks are of %s (write heads/%s for a branch)"):format(known, commit))
  end
  return known
end

local CHECK_RUNS = "type(total_count) == 'number' && type(check_runs) == 'array' && { list: check_runs[*].{ id: id, name: name, "
  .. "word: status == 'completed' && conclusion || status, commit: head_sha }, count: length(check_runs), total: total_count }"

local STATUSES = "type(state) == 'string' && type(statuses) == 'array' && { list: statuses[*].{ id: id, name: context, "
  .. "word: state }, count: length(statuses), total: total_count, commit: sha }"

local function read_github(input)
  local path = ("/repos/%s/commits/%s"):format(input.repository:gsub("[^/]+", encode), encode(input.commit))
  local list = read_pages(input, path .. "/check-runs", CHECK_RUNS, "GitHub")
  local statuses, commit = read_pages(input, path .. "/status", STATUSES, "GitHub")
  return table.move(statuses, 1, #statuses, #list + 1, list), "GitHub", commit
end

local GITLAB = "type(@) == 'array' && { list: [*].{ id: id, name: name, word: status, commit: sha, "
  .. "is_excepted: allow_failure == `true` }, count: length(@) }"

local function read_gitlab(input)
  local path = ("/projects/%s/repository/commits/%s/statuses"):format(encode(input.repository), encode(input.commit))
  return (read_pages(input, path, GITLAB, "GitLab")), "GitLab"
end

local readers = { github = read_github, gitlab = read_gitlab }
local addresses = { github = "https://api.github.com", gitlab = "https://gitlab.com/api/v4" }

local function set_of(list)
  local set = {}
  for _, name in ipairs(list or {}) do set[name] = true end
  return set
end

---Returns the names of each verdict, sorted; of `names`, those that are not listed are missing.
local function judge(checks, input, commit)
  local ignored, names = set_of(input.ignore), { passed = {}, failed = {}, running = {}, missing = {} }
  local count = 0
  for name, verdict in pairs(checks) do
    if not ignored[name] then
      count = count + 1
      table.insert(names[verdict], name)
    end
  end
  for _, name in ipairs(input.names) do
    if not checks[name] then table.insert(names.missing, name) end
  end
  for _, list in pairs(names) do table.sort(list) end
  local is_whole = #names.missing == 0 and count >= input.least
  local state = #names.failed > 0 and "failed" or is_whole and #names.running == 0 and "passed" or "pending"
  local output = { state = state, count = count, commit = commit }
  for verdict, list in pairs(names) do output[verdict] = json.array(list) end
  return output
end

local function prepare(input)
  local request = {}
  for name, value in pairs(input) do request[name] = value end
  if input.url == addresses.github then request.url = addresses[input.provider] end
  local named = set_of(input.names)
  return function()
    local list, name, of = readers[input.provider](request)
    local commit = check_commit(list, type(of) == "string" and of or nil, input.commit, name)
    local checks = {}
    for _, check in ipairs(list) do add(checks, check, named) end
    return judge(checks, input, commit)
  end
end

local function check(input)
  local ignored = set_of(input.ignore)
  for _, name in ipairs(input.names) do
    if ignored[name] then return ("ignore: expected names that are not in names, found %s in both"):format(json.encode(name)) end
  end
end

local operation = service {
  http = addresses.github,
  inputs = { url = {
    type = "string", origin = true, default = addresses.github, example = "https://github.example/api/v3",
    documentation = "The address of the API; with provider=gitlab, that of gitlab.com by default.",
  } },
  transient = { "RateLimitExceeded", "UnprocessableContent", "IncompleteAnswer" },
}

return {
  ReadChecks = operation {
    prepare = prepare,
    check = check,
    output = {
      state = { type = "string" },
      count = { type = "integer" },
      commit = { type = "string" },
      passed = { type = "list" },
      failed = { type = "list" },
      running = { type = "list" },
      missing = { type = "list" },
    },
    inputs = {
      repository = {
        type = "string", required = true, positional = 1, pattern = "^[^/%s]+/[^%s]+$", expected = "OWNER/NAME",
        example = "acme/shop", documentation = "The repository, OWNER/NAME.",
      },
      commit = {
        type = "string", required = true, positional = 2, example = "3f1c2ab",
        documentation = "The commit: a hash, whole or cut; a branch, a tag, or heads/BRANCH where it looks like a hash.",
      },
      names = {
        type = "list", of = { type = "string" }, asks = true, required = true, positional = 3, example = { "build", "test" },
        documentation = "The checks that must pass, also if they have not begun.",
      },
      least = { type = "integer", asks = true, minimum = 1, default = 1, documentation = "How many checks there are at least." },
      ignore = { type = "list", of = { type = "string" }, example = { "deploy" }, documentation = "Checks that do not count." },
      provider = {
        type = "string", values = { "github", "gitlab" }, default = "github", documentation = "Whose API it is.",
      },
    },
    waitable = {
      ChecksPassed = {
        documentation = "Waits until the checks of a commit have passed.",
        countsAsReady = "each of names is listed, there are at least `least` checks, and all have passed or were skipped",
        minDelay = 5, maxDelay = 30,
        acceptors = {
          acceptor.output("failure", "state", "failed", "join(', ', failed)"),
          acceptor.output("success", "state", "passed"),
        },
      },
    },
  },
}
