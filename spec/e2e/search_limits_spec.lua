---No search of an expression, however it was made, hangs or exhausts the machine.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local many = string.rep

local numbers = {}
for i = 1, 2000 do numbers[i] = i end
local list = core.json.encode(numbers)
local literal = "`" .. list .. "`"
local doubled = "@" .. many(" | [@, @]", 40)

local STEPS, MEMORY = "the search takes more than 100000000 steps", "the search takes more than 256 MiB"

---An expression, its document, and the limit that it meets.
local cases = {
  ["a sort over a product of projections"] = {
    "[*].{a: @, b: " .. literal .. "}[].b[].{c: @, d: " .. literal .. "}[].d[] | sort(@)", list, MEMORY },
  ["a sum over a map of maps"] = { "map(&sum(map(&sum(" .. literal .. "), " .. literal .. ")), @)", list, STEPS },
  ["a long condition over many elements"] = {
    "[*].[" .. literal .. "[?a" .. many(" && a", 2000) .. many(" || b", 2000) .. "]]", list, STEPS },
  ["a long expression over a map of maps"] = {
    "map(&map(&(a" .. many(" || a", 2000) .. "), " .. literal .. "), @)", list, STEPS },
  ["a row of multi-selects that are flattened at once"] = {
    many("[!a, !a, !a, !a, !a, !a, !a, !a, !a, !a][][].", 12) .. "[!a]", "{}", "the search takes more than" },
  ["values that double, forty times"] = { doubled, "1", "the result holds more than 10000000 values" },
  ["the text of values that double"] = {
    doubled .. " | to_string(@)", "1", "to_string() would make too long a text; a search is limited to 256 MiB" },
  ["equality of values that double"] = { "[" .. doubled .. ", " .. doubled .. "] | [0] == [1]", "1", STEPS },
  ["flattening values that double"] = { doubled .. many("[]", 40), "1", MEMORY },
  ["joining strings that double"] = { "@" .. many(" | join(@, [@, @, @])", 25), '"aaaa"',
    "join() would make a string of 976562500 bytes; a search is limited to 256 MiB" },
}

describe("a search", function()
  local workspace = Workspace.of_block()

  for name, case in pairs(cases) do
    it("of " .. name .. " ends at its limit", function()
      local done = workspace:bide({ "query", case[1] }, { stdin = case[2] })
      assert.same({ 1, "" }, { done.code, done.stdout }, done.stderr)
      assert.equal("limit: " .. case[3], done.stderr:match("limit: [^\n]*"):sub(1, #case[3] + 7))
    end)
  end
end)
