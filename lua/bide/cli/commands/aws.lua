---bide aws: the services of AWS by their names. `bide aws SERVICE …` is `bide run aws:SERVICE …`, and nothing more.

local data = require "bide.model.aws.data"
local exit_code = require "bide.cli.ending.exit_code"
local luv = require "luv"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local M = { summary = "list the waiters of AWS's services, and wait for them" }

-- ---- packing ----------------------------------------------------------------------------------

---@return table parser of `bide aws pack`
function M.new_pack_parser()
  local command = parser.new("aws pack", "Pack the data of AWS's services, so that bide has newer ones than its own: of each "
    .. "service, the waiters and what they need.", "bide aws pack /usr/lib/python3/dist-packages/botocore/data")
  command:argument("FOLDER", "The folder data of a botocore: it has SERVICE/VERSION/waiters-2.json.")
  command:usage "Usage: bide aws pack FOLDER [--smithy FOLDER] [-o FOLDER]"
  command:option("--smithy", "Take the waiters that botocore has not from the Smithy models in FOLDER, a copy of the "
    .. "repository aws/api-models-aws. Default: those that bide has."):argname("FOLDER")
  command:option("-o --output-folder", ("Write into FOLDER. Default: %s, which comes before bide's own data where it is newer.")
    :format(data.user_folder() or "none, since HOME is not set")):argname("FOLDER"):target "out"
  return command
end

---Makes a folder, and those above it.
local function make_folder(path)
  if luv.fs_stat(path) then return end
  local above = path:match "^(.+)/[^/]+$"
  if above then make_folder(above) end
  luv.fs_mkdir(path, 493) -- rwxr-xr-x
end

---Removes the services of earlier data, which its index names.
local function remove_others(path, texts)
  local before = require("bide.model.aws.folder").open(path)
  for _, service in ipairs(before and before.text and before:services() or {}) do
    local name = service .. ".json"
    if service:find "^[%w_-]+$" and not texts[name] then os.remove(("%s/%s"):format(path, name)) end
  end
end

---Writes the files of packed data, the index last.
---@return string? mistake
local function write_files(path, texts)
  local replace_file, names = require "bide.record.replace_file", require("bide.text.option").sorted_names(texts)
  make_folder(path)
  remove_others(path, texts)
  table.sort(names, function(a, b)
    if (a == "index.json") ~= (b == "index.json") then return b == "index.json" end
    return a < b
  end)
  for _, name in ipairs(names) do
    local done, mistake = replace_file(("%s/%s"):format(path, name), texts[name])
    if not done then return mistake end
  end
end

---Packs a folder of botocore's data, with the waiters that only Smithy's models have.
---@param path string
---@param models string? the folder of those models
---@return table<string, string>? texts
---@return string|integer mistake or the number of services
local function pack_folder(path, models)
  local smithy, mistake = require "bide.model.aws.smithy", nil
  local waiters = smithy.of_packed(data.own_path)
  if models then waiters, mistake = smithy.of_folder(models) end
  if not waiters then return nil, mistake --[[@as string]] end
  return require("bide.model.aws.pack").folder(path, waiters)
end

---@param arguments string[]
---@return integer code
local function pack(arguments)
  local options = M.new_pack_parser():parse(arguments)
  local path = options.out or data.user_folder() or parser.fail "-o is missing, and HOME is not set"
  local texts, found = pack_folder(options.FOLDER, options.smithy)
  if not texts then parser.fail(found) end
  local mistake = write_files(path, texts)
  if mistake then
    shown.complain(mistake)
    return exit_code.FAILURE
  end
  shown.print(("%d services packed into %s"):format(found, path))
  return exit_code.SUCCESS
end

-- ---- services ---------------------------------------------------------------------------------

---The options are those of `bide run`; this adds the words in front of them.
function M.new_parser()
  return require("bide.cli.commands.run").new_parser()
end

local function new_help_parser()
  local command = parser.new("aws", "Without a SERVICE, list the services of AWS that have waiters. With one, list its waiters "
    .. "and their inputs. With a WAITER, wait: it is bide run aws:SERVICE WAITER, and nothing more, so that "
    .. "bide run --help explains the options.",
    "bide aws cloudformation stack-create-complete StackName=web --max-wait 30m")
  command:argument("SERVICE", "A service by the name that AWS's own tools have for it: rds, cloudformation."):args "?"
  command:argument("WAITER, KEY=VALUE", "The waiter, as DBInstanceAvailable, db-instance-available or db_instance_available, "
    .. "and the inputs. bide aws SERVICE WAITER --help lists them."):args "*"
  command:usage("Usage: bide aws [SERVICE [WAITER [KEY=VALUE ...] --max-wait DURATION [options]]]\n"
    .. "       bide aws pack FOLDER [--smithy FOLDER] [-o FOLDER]")
  return command
end

---The parsers whose help explains the command.
M.help_parsers = { new_help_parser, M.new_pack_parser }

---Finds the service among the words, behind options of `bide run` and their arguments.
---@param command table
---@param words string[]
---@return integer? position
local function position_of_service(command, words)
  local position = 1
  while words[position] do
    local known = command.options[words[position]]
    if words[position]:sub(1, 1) ~= "-" then return position end
    position = position + (known and known.takes_argument and 2 or 1)
  end
end

---Reports whether words have an option, before COMMAND.
---@param words string[]
---@param ... string its names
local function has(words, ...)
  local names = { ... }
  for _, word in ipairs(words) do
    if word == "--" then return false end
    if tables.has(names, word) then return true end
  end
  return false
end

---Reports whether words are a service, with at most the form of a list.
---@param words string[]
local function are_service(words)
  return #words == 1 or #words == 3 and has(words, "--output") or #words == 2 and words[2]:find "^%-%-output=" ~= nil
end

function M.main(arguments)
  if arguments[1] == "pack" then return pack(table.move(arguments, 2, #arguments, 1, {})) end
  local command = M.new_parser()
  local words = command:normalize(arguments)
  local position = position_of_service(command, words)
  if not position and has(words, "--help", "-h") then return new_help_parser():parse { "--help" } end
  if not position then return require("bide.cli.commands.list").main { "aws:", table.unpack(words) } end
  words[position] = "aws:" .. words[position]
  if words[position + 1] == "wait" then table.remove(words, position + 1) end -- as the AWS CLI has it
  if are_service(words) then return require("bide.cli.commands.list").main(words) end
  return require("bide.cli.commands.run").main(words, command)
end

return M
