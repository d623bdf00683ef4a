---The peers of the bench, which do jobs that do nothing: graphile-worker and pg-boss from npm, River by Go. They are put into
---BUILD/store; one that cannot be had is a line that says so.

local core = require "bide.core"
local process = require "spec.support.process"
local uv = require "luv"

local M = {}

local here = "spec/bench/store/peers/"

---The versions, so that two runs of the bench compare with the same.
local NPM <const> = "graphile-worker@0.17.3 pg-boss@10.4.2 pg@8.23.1"
local RIVER <const> = "v0.51.0"

---The seconds in which packages are to be there.
local LONGEST <const> = 240

local function path_of(file)
  return assert(uv.fs_realpath(file))
end

---@return boolean done
local function shell(folder, line)
  return process.run({ "/bin/sh", "-c", line }, { tool = true, cwd = folder, longest = LONGEST }).code == 0
end

---Returns what runs a program in the folder of npm's packages.
local function from_npm(build, program)
  local folder = build .. "/store/npm"
  uv.fs_mkdir(folder, 493)
  if not uv.fs_stat(folder .. "/node_modules/pg-boss") and not shell(folder,
      "npm install --silent --no-fund --no-audit --prefix . " .. NPM) then
    return nil
  end
  program = path_of(here .. program)
  return function(dsn, jobs) return { "node", program, dsn, tostring(jobs) }, folder end
end

local function by_go(build)
  local folder = build .. "/store/river"
  uv.fs_mkdir(folder, 493)
  local source = path_of(here .. "river/main.go")
  local is_built = uv.fs_stat(folder .. "/river") or shell(folder, ([[
PATH=$PATH:/usr/local/go/bin; export GOFLAGS=-mod=mod; cp %s main.go && rm -f go.mod go.sum && go mod init river &&
go get github.com/riverqueue/river@%s github.com/riverqueue/river/riverdriver/riverpgxv5@%s && go build -o river .]])
    :format(source, RIVER, RIVER))
  if not is_built then return nil end
  local program = path_of(folder .. "/river")
  return function(dsn, jobs) return { program, dsn, tostring(jobs) }, folder end
end

---Returns the commands of the peers that could be had, by name, and a line about each other one.
---@param build string
---@return table<string, fun(dsn: string, jobs: integer): string[], string>
---@return table[] lines
function M.find(build)
  local found = {
    ["graphile-worker"] = from_npm(build, "graphile.mjs") or false, ["pg-boss"] = from_npm(build, "pg_boss.mjs") or false,
    river = by_go(build) or false,
  }
  local peers, lines = {}, {}
  for name, command in pairs(found) do
    if command then
      peers[name] = command
    else
      lines[#lines + 1] = { bench = name, skipped = "its packages cannot be fetched or built" }
    end
  end
  return peers, lines
end

---Has a peer do jobs that do nothing, and returns their rate.
---@return { rate: number }
function M.measure(command, dsn, jobs)
  local words, folder = command(dsn, jobs)
  local done = process.run(words, { tool = true, cwd = folder, longest = 120 })
  assert(done.code == 0, done.stderr)
  local made = core.json.decode(done.stdout)
  return { rate = made.attempts / made.seconds }
end

return M
