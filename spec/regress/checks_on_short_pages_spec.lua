---The checks of a commit had passed when the first page of them had: a service that gave shorter pages than it was asked for
---had more of them, some of which had failed.

local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

---Answers with one check a page.
---@param of_page fun(page: integer): table? check the next one
---@param how { total: integer?, links: boolean?, gitlab: boolean? }
local function answers(of_page, how)
  return function(request)
    local page = math.tointeger(tonumber(request.query:match "%f[%w]page=(%d+)"))
    local is_status = request.path:find "/status$"
    local check = not is_status and of_page(page)
    local list = json.array(check and { check } or {})
    local has_next = how.links and not is_status and of_page(page + 1)
    local link = has_next and '<http://x/?page=9>; rel="next", <http://x/>; rel="last"' or nil
    local body = how.gitlab and list or is_status and { state = "pending", statuses = list, total_count = 0 }
      or { total_count = how.total or 1, check_runs = list }
    return { headers = { ["Content-Type"] = "application/json", Link = link }, body = json.encode(body) }
  end
end

local COMMIT <const> = "3f1c2ab" .. ("0"):rep(33)

local function run(name, conclusion) return { name = name, status = "completed", conclusion = conclusion, head_sha = COMMIT } end
local function status(name, word) return { name = name, status = word, sha = COMMIT } end

local broken = { run("build", "success"), run("test", "failure") }
local passed = { run("build", "success"), run("test", "success") }
local of_gitlab = { status("build", "success"), status("test", "failed") }

---What it is, the checks by their pages, what the service says of them, words, the exit code.
local rows = {
  { "by their number", broken, { total = 2 }, {}, 1 },
  { "by their number, all passed", passed, { total = 2 }, {}, 0 },
  { "by a link", broken, { links = true }, {}, 1 },
  { "by a link of GitLab", of_gitlab, { links = true, gitlab = true }, { "provider=gitlab" }, 1 },
  { "that are never listed", passed, { total = 3 }, {}, 124 },
  { "on one page", { passed[1] }, { total = 1 }, {}, 0 },
}

describe("the checks of a commit on further pages", function()
  for _, row in ipairs(rows) do
    local name, checks, how, words, code = table.unpack(row)
    it(("are read: %s: %d"):format(name, code), function()
      local server = Server.start(answers(function(page) return checks[page] end, how))
      local done = process.run { process.bide, "commit_checks", "acme/shop", "3f1c2ab", "build", "url=" .. server.url,
        "--interval", "50ms", "--quiet", "--max-wait", code == 124 and "1s" or "20s", table.unpack(words) }
      server:close()
      assert.equal(code, done.code, done.stdout .. done.stderr)
      if code == 124 then assert.matches("2 of 3 checks are listed", done.stdout .. done.stderr, 1, true) end
    end)
  end
end)
