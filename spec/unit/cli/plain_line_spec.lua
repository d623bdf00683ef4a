---Plain command lines are read without argparse, and as argparse reads them: a line in which it finds a mistake is not plain.

local commands = require "bide.cli.commands"
local parser = require "bide.cli.words.parser"
local plain_line = require "bide.cli.words.plain_line"

local LINES = tonumber(os.getenv "CASES") or 60

local texts = { "5", "5s", "1m", "none", "5/s", "x", "a=b", "a:=1", "things.lua", "json", "text=/tmp/x", "NAME=status", "USR1",
  "", " ", "-", "-5", "--", "-q", "-qv", "+", "WARNING", "list", "10%", "zsh", "@env:HOME", "[1]", "5,max=1s" }

local function one_of(list) return list[math.random(#list)] end

---The names of the options of a command, but for those that change what bide shows.
local function option_names(command)
  local names = {}
  for name in pairs(command.options) do
    if name ~= "--show-secrets" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function random_line(command)
  local words, names = {}, option_names(command)
  for _ = 1, math.random(0, 6) do
    local name = #names > 0 and one_of(names) or "x"
    local forms = { { name }, { name, one_of(texts) }, { name .. "=" .. one_of(texts) }, { one_of(texts) } }
    local form = one_of(forms)
    table.move(form, 1, #form, #words + 1, words)
  end
  return words
end

local function parsers()
  local list = {}
  for _, name in ipairs(commands) do
    local module = commands.module(name)
    for _, new_parser in pairs(module.help_parsers or { module.new_parser }) do list[#list + 1] = new_parser end
  end
  return list
end

---Reads a line in both ways.
---@return table? plain, table? whole, string? mistake
local function read_twice(new_parser, words)
  local command = new_parser()
  local normal = command:normalize(words)
  local plain = plain_line.read(command, normal) and new_parser():parse(words)
  local whole, mistake = parser.attempt(function() return new_parser():parse_whole(normal) end)
  return plain, whole, mistake
end

describe("a plain command line", function()
  it("is read as argparse reads it, by each command", function()
    local plain_ones = 0
    for _, new_parser in ipairs(parsers()) do
      for _ = 1, LINES do
        local words = random_line(new_parser())
        local plain, whole, mistake = read_twice(new_parser, words)
        if plain then
          assert.is_nil(mistake, table.concat(words, " "))
          assert.same(whole, plain, table.concat(words, " "))
          plain_ones = plain_ones + 1
        end
      end
    end
    assert.is_true(plain_ones > LINES)
  end)

  it("has options with their arguments, flags, and other words", function()
    local new_parser = commands.module("run").new_parser
    for _, line in ipairs { "things.lua ThingExists name=foo --max-wait 5m", "--max-wait=5m -q http :8080 --until a --until b",
      "http url=/ --explain --verbose --max-wait 1s --interval 2s --rate none --output json", "--each -", "" } do
      local words = {}
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      local plain, whole = read_twice(new_parser, words)
      assert.is_table(plain, line)
      assert.same(whole, plain, line)
    end
  end)

  it("is not one in which argparse finds a mistake, or that asks for help", function()
    local new_parser = commands.module("run").new_parser
    for _, line in ipairs { "--max-wait", "--max-wait -q", "--max-wait= x", "--max-wait x", "--max-wait 5s --max-wait 5s",
      "--no-such x", "--explain=yes", "-qv", "--help", "-h", "--sandbox x", "-- x", "--max-attempts 0" } do
      local words = {}
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      assert.is_nil(plain_line.read(new_parser(), words), line)
    end
  end)
end)
