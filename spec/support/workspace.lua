---A folder in which a spec writes recipes and answers, and runs bide on them. Its end is that of each bide that it started.
---
---    local workspace = Workspace.make()
---    workspace:write("things.lua", "return { … }")
---    local outcome, done = workspace:outcome { "run", "things.lua", "--max-wait", "5s" }

local uv = require "luv"
local json = require("bide.core").json
local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local words_of = require "spec.support.words"

local bide = assert(uv.fs_realpath(process.bide), "build/bide is missing: run make")

---@class spec.Workspace : spec.Directory
---@field private started table<spec.Process, true> those that are still referred to
local Workspace = {}
Workspace.__index = Workspace
for name, method in pairs(Directory) do
  if type(method) == "function" then Workspace[name] = method end
end

local function new(directory)
  directory.started = setmetatable({}, { __mode = "k" })
  return setmetatable(directory, Workspace)
end

---@return spec.Workspace
function Workspace.make() return new(Directory.make()) end

---Returns one for a block of specs, which is a new folder in each.
---@param files? table<string, string> texts by the names of the files that it begins with
---@return spec.Workspace
function Workspace.of_each(files)
  return Directory.of_each(Workspace, files) --[[@as spec.Workspace]]
end

---Returns one for a block of specs, which is the same folder in all.
---@param files? table<string, string>
---@return spec.Workspace
function Workspace.of_block(files)
  return Directory.of_block(Workspace, files) --[[@as spec.Workspace]]
end

---@return spec.Workspace
function Workspace.make_in_memory() return new(Directory.make_in_memory()) end

local function command_of(words)
  words = words_of(words)
  return table.move(words, 1, #words, 2, { bide })
end

---Starts bide in the folder. An option overrides the same one before it, so that a spec may have defaults.
---@param words string[]
---@param options? spec.ProcessOptions
---@return spec.Process
function Workspace:start(words, options)
  options = options or {}
  options.cwd = options.cwd or self.path
  local started = process.start(command_of(words), options)
  self.started[started] = true
  return started
end

function Workspace:remove()
  for started in pairs(self.started) do
    if not started.code then
      started:kill "sigkill"
      started:wait()
    end
  end
  Directory.remove(self)
end

---Runs bide in the folder to its end.
---@param words string[]
---@param options? spec.ProcessOptions
---@return spec.Process
function Workspace:bide(words, options)
  return self:start(words, options):wait()
end

---Runs a line of shell in the folder; "$BIDE" is the binary.
---@param line string
---@param longest? number seconds, as of processes
---@return spec.Process
function Workspace:shell(line, longest)
  return process.run({ "/bin/sh", "-c", line }, { cwd = self.path, env = { BIDE = bide }, longest = longest })
end

---Runs a wait and returns the outcome that it prints as JSON.
---@param words string[]
---@param options? spec.ProcessOptions
---@return table outcome
---@return spec.Process done
function Workspace:outcome(words, options)
  local all = table.move(words, 1, #words, 1, {})
  table.move({ "--output", "json", "--quiet" }, 1, 3, #all + 1, all)
  local done = self:bide(all, options)
  local outcome, mistake = json.decode(done.stdout)
  if mistake then
    error(("exit %d, no outcome: %s\n%s%s"):format(done.code, tostring(mistake), done.stdout, done.stderr), 2)
  end
  return outcome, done
end

---Runs a wait with its events on standard output and returns them.
---@param words string[]
---@return table[] events
---@return spec.Process done
function Workspace:events(words)
  local all = table.move(words, 1, #words, 1, {})
  table.move({ "--events", "-", "--quiet" }, 1, 3, #all + 1, all)
  local done = self:bide(all)
  return Workspace.decode_lines(done.stdout), done
end

---@param text string JSON Lines
---@return any[]
function Workspace.decode_lines(text)
  local values = {}
  for line in text:gmatch("[^\n]+") do
    local value, mistake = json.decode(line)
    if mistake then error(("%s in %s"):format(tostring(mistake), line), 2) end
    values[#values + 1] = value
  end
  return values
end

---Writes a bare trait value with one waiter, `Waiter`, and its answers; returns the words that replay it.
---@param acceptors table[]|string as JSON where it is a string
---@param answers string[] a line each
---@param ... string further words; --max-wait among them
---@return string[] words
function Workspace:replay_of(acceptors, answers, ...)
  if type(acceptors) == "table" then acceptors = assert(json.encode(acceptors)) end
  self:write("trait.json", ('{"Waiter": {"acceptors": %s}}'):format(acceptors))
  self:write("answers.jsonl", table.concat(answers, "\n") .. "\n")
  return { "replay", "trait.json", "Waiter", "answers.jsonl", ... }
end

return Workspace
