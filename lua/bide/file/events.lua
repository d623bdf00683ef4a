---Hears of what happens to files, for the `watch` of an operation: it wakes the wait when a path appears, goes, or is
---written to. The folders of the path need not exist yet, and may be replaced; links are followed, and the path may be a
---pattern of bide.file.glob.
---
---    local events = require "bide.file.events"
---    return { Look = { call = look, watch = function(input, wake) events.watch(input.path, wake) end, waitable = { … } } }
---
---It never calls `wake.healthy`, so polls stay as frequent as without it: looking at a file is cheap, and the kernel says
---nothing of what other machines write to a folder that is shared with them.

local await = require "bide.task.await"
local core = require "bide.core"
local glob = require "bide.file.glob"
local system = require "bide.probe.file.system"
local uv = require "luv"

local M = {}

---The most folders that are watched: one for each part of a path, and more for a pattern.
local MOST = 256

---The most events of one turn of the loop, which libuv does not leave while there are more, and the milliseconds without
---watching after that.
local MOST_EVENTS, REST = 500, 100

---The most links on the way to a file, as the kernel has it.
local MOST_LINKS = 40

---A folder whose names are watched.
---@class bide.file.WatchedFolder
---@field handle userdata of luv
---@field identity string device and inode: a folder of the same name may be another one
---@field is_gone boolean? whether it was deleted or moved, or its watch was stopped; a new one may have its identity
---@field names fun(name: string): boolean

---@class bide.file.Events
---@field path string
---@field folders table<string, bide.file.WatchedFolder>
---@field waker bide.Waker? fired by the next event
---@field has_event boolean?
---@field turn integer by which the last event came: libuv's time, which is one for all of a turn
---@field count integer of events that this turn has brought
---@field is_flooded boolean? whether these were too many
---@field is_rearranged boolean? whether a name came or went, so that other folders may be meant now
local Events = {}
Events.__index = Events

Events.__close = core.task.whole(function(events)
  for _, folder in pairs(events.folders) do folder.handle:close() end
  events.folders = {}
end)

-- ---- which folders ------------------------------------------------------------------------------

---@param wanted table<string, table<string, fun(name: string): boolean>> the folders, with what may happen in them
local function want(wanted, folder, text, fits)
  wanted[folder] = wanted[folder] or {}
  wanted[folder][text] = fits
end

---Returns the paths that a part of a path means in a folder.
local function paths_in(folder, text, fits)
  if not glob.is_pattern(text) then return { folder .. text } end
  local paths = {}
  for _, name in ipairs(system.list(folder) or {}) do
    if fits(name) then paths[#paths + 1] = folder .. name end
  end
  return paths
end

---Adds the folders on the way to a path, and on the ways of the links that it leads over.
---@param links integer how many it has led over
local function walk(wanted, folder, path, links)
  local text, rest = path:match "^/*([^/]+)/*(.*)$"
  if not text or links > MOST_LINKS then return end
  local fits = glob.fitting(text)
  want(wanted, folder, text, fits)
  for _, found in ipairs(paths_in(folder, text, fits)) do
    local target = system.target(found)
    if target then
      walk(wanted, target:find "^/" and "/" or folder, target, links + 1)
    end
    if rest ~= "" then walk(wanted, found .. "/", rest, links) end
  end
end

local function wanted_folders(path)
  local wanted = {}
  walk(wanted, path:match "^/" or "./", path, 0)
  return wanted
end

---Returns a function that reports whether a name in a folder matters.
local function any_of(tests)
  return function(name)
    for _, fits in pairs(tests) do
      if fits(name) then return true end
    end
    return false
  end
end

-- ---- watching -----------------------------------------------------------------------------------

local function note(events, is_rearranged)
  events.has_event, events.is_rearranged = true, events.is_rearranged or is_rearranged
  if events.waker then events.waker() end
end

---Counts an event. If there are too many, stops the watch that brings them: the loop would not get to anything else.
local function count_event(events, watched)
  local now = uv.now()
  events.count = now == events.turn and events.count + 1 or 1
  events.turn = now
  if events.count <= MOST_EVENTS then return end
  watched.handle:stop()
  watched.is_gone, events.is_flooded = true, true
  note(events, true)
end

local start = core.task.whole(function(events, folder, names, identity)
  local handle = assert(uv.new_fs_event())
  local watched = { handle = handle, names = names, identity = identity }
  local ok, failure = handle:start(folder, {}, function(failed, name, what)
    count_event(events, watched)
    watched.is_gone = watched.is_gone or name == "" and what.rename -- the folder itself has no name
    if watched.is_gone or failed or not name then
      note(events, true)
    elseif watched.names(name) then
      note(events, what.rename)
    end
  end)
  if ok then
    events.folders[folder] = watched
  else
    handle:close()
  end
  return failure
end)

local stop = core.task.whole(function(events, folder)
  events.folders[folder].handle:close()
  events.folders[folder] = nil
end)

---@return string? identity nil if there is no such folder
local function identity_of(folder)
  local result, _, attributes = system.inspect(folder)
  return result and result.type == "directory" and ("%d %d"):format(attributes.dev, attributes.ino) or nil
end

---Watches a folder, if there is one.
---@return boolean is_new
local function watch_folder(events, folder, tests)
  local identity, watched = identity_of(folder), events.folders[folder]
  if watched and (watched.identity ~= identity or watched.is_gone) then
    stop(events, folder)
    watched = nil
  end
  if watched then watched.names = any_of(tests) end
  if watched or not identity then return false end
  local failure = start(events, folder, any_of(tests), identity)
  if failure and not system.is_missing(failure) then system.fail(folder, failure) end
  return true
end

---Watches the folders that are on the way now, until no other ones appear meanwhile.
---@return boolean has_new whether it watches another folder than before
local function arrange(events)
  local has_new, is_new = false
  repeat
    is_new, events.is_rearranged = false, false
    local wanted, count = wanted_folders(events.path), 0
    for folder in pairs(events.folders) do
      if not wanted[folder] then stop(events, folder) end
    end
    for folder, tests in pairs(wanted) do
      count = count + 1
      if count > MOST then
        system.refuse("FileFailure", events.path, ("the pattern leads over more than %d folders"):format(MOST))
      end
      is_new = watch_folder(events, folder, tests) or is_new
    end
    has_new = has_new or is_new
  until not is_new
  return has_new
end

local function wait_for_event(events)
  if not events.has_event then
    events.waker = core.task.waker()
    core.task.pause(events.waker)
    events.waker = nil
  end
  events.has_event = false
end

---Wakes the wait at each event that concerns a path. Runs until it is ended, or raises an operation error of bide.file if
---the system gives no more watches.
---@param path string
---@param wake bide.Wake
function M.watch(path, wake)
  system.check(path)
  local events <close> = setmetatable({ path = path, folders = {}, is_rearranged = true, turn = 0, count = 0 }, Events)
  arrange(events)
  wake()
  while true do
    wait_for_event(events)
    wake()
    if events.is_flooded then
      events.is_flooded = false
      await(core.loop.update() + REST)
    end
    if events.is_rearranged and arrange(events) then wake() end
  end
end

return M
