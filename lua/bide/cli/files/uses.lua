---The files of a command line have one use each: of two reports into one file the first is lost, and a report into the
---journal, or into the list of waits, destroys that. All is looked at before the first file is opened.

local luv = require "luv"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"

local M = {}

---The most links that a name may have before its file.
local MOST_LINKS <const> = 40

---Follows the links of a name whose file is not there yet.
---@param name string
---@return string
local function follow(name)
  for _ = 1, MOST_LINKS do
    local target = luv.fs_readlink(name)
    if not target then break end
    name = target:find "^/" and target or (name:match "^.*/" or "") .. target
  end
  return name
end

---The file of a name or a descriptor: `id` is the same for all names of a file, whether or not it exists.
---@class bide.cli.FileOfName
---@field id string
---@field is_shared boolean whether it takes several writers: a device, a pipe, a socket
---@field is_device boolean

---@param stat table
---@return bide.cli.FileOfName
local function existing(stat)
  local is_device = stat.type == "char" or stat.type == "block"
  return { id = ("%d:%d"):format(stat.dev, stat.ino), is_shared = stat.type ~= "file", is_device = is_device }
end

---@param name string
---@return bide.cli.FileOfName? nil if there can be no such file
local function file_of(name)
  local stat = luv.fs_stat(name)
  if stat then return existing(stat) end
  local folder, last = follow(name):match "^(.-)([^/]+)$"
  local real = folder and luv.fs_realpath(folder == "" and "." or folder)
  return real and { id = real .. "/" .. last, is_shared = false, is_device = false } or nil
end

---@param options table of the command line
---@return { [1]: string, [2]: string }[] written the option of each file that bide writes, and the file's name
local function written_files(options)
  local journal, list = options.journal or os.getenv "BIDE_JOURNAL", {}
  local url = (options.store or {})[1] or os.getenv "BIDE_STORE"
  local store = url and require("bide.record.store.open").file(url)
  for _, pair in ipairs {
    { "--events", options.events }, { "--record", options.record }, { "--metrics-file", options.metrics_file },
    { "--start-log", options.start_log }, { "--journal", journal }, { "--store", store },
  } do
    if pair[2] and pair[2] ~= "" then list[#list + 1] = pair end
  end
  for _, given in ipairs(options.output) do
    local is_url = given.file and given.format == "otlp" and given.file:find "^https?://"
    if given.file and not is_url then list[#list + 1] = { "--output " .. given.format, given.file } end
  end
  return list
end

---Returns what is printed on standard output, apart from what a person reads; nil if nothing is.
local function printed(options)
  if options.command then return "COMMAND's standard output" end
  if options.events == "-" then return "--events" end
  for _, given in ipairs(options.output) do
    if not given.file and given.format ~= "text" then return "--output " .. given.format end
  end
end

---@param given { recipes: string[], files: string[]? }? what the command loads and reads
---@return table<string, string> uses the use of each file that is read
local function read_files(given)
  local uses = {}
  local function add(name)
    local file = file_of(name)
    if file and not file.is_shared then uses[file.id] = "to be read" end
  end
  for _, name in ipairs(given and given.files or {}) do add(name) end
  for _, name in ipairs(given and given.recipes or {}) do
    if name:find "[./]" then add(name) end
  end
  return uses
end

---Returns what is wrong with the files of a command line.
---@param options table of the command line
---@param given { recipes: string[], files: string[]? }? what the command loads and reads
---@return string? mistake
function M.mistake(options, given)
  local known, print = read_files(given), printed(options)
  local output = print and luv.fs_fstat(1)
  local standard_output = output and existing(output)
  for _, pair in ipairs(written_files(options)) do
    local use, name = pair[1], pair[2]
    local is_dash = name == "-"
    if is_dash and use ~= "--events" then return ("%s: expected a file, found -; ./- is one of that name"):format(use) end
    local file = not is_dash and file_of(name) or nil
    local other = file and not file.is_shared and known[file.id]
    if file and standard_output and file.id == standard_output.id and not file.is_device
      and (options.command or not file.is_shared) then other = "for " .. print end
    if other then return ("%s: %s is given twice: %s, and for %s"):format(use:match "^%S+", shown.line(name), other, use) end
    if file then known[file.id] = "for " .. use end
  end
end

---Ends the process if a file has two uses.
---@param options table of the command line
---@param given { recipes: string[], files: string[]? }? what the command loads and reads
function M.check(options, given)
  local mistake = M.mistake(options, given)
  if mistake then parser.fail(mistake) end
end

return M
