---An expression that every text matches was a yes to any answer: `matches="$STATE|done"` is one where STATE is unset.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("matches", function()
  local workspace = Workspace.of_block()

  local server = Server.of_block(function() return { body = "starting" } end)
  setup(function() workspace:write("log", "starting\n") end)

  local function run(recipe, text, input)
    local given = ("%s=%s"):format(input or "matches", text)
    local words = recipe == "http" and { "http", server.url, given } or { "file", "LineFound", "log", given, "from=start" }
    for _, word in ipairs { "--max-wait", "0.4s", "--interval", "50ms", "--quiet" } do words[#words + 1] = word end
    return workspace:bide(words)
  end

  for _, recipe in ipairs { "http", "file" } do
    for _, text in ipairs { "|done", "done|", "x*", "^", "(done)?", ".*", "(?s).*", "$", "a|b|", [[\b|\B]], "(?i)done|" } do
      it(("of %s is refused if it is %s"):format(recipe, text), function()
        run(recipe, text):says(2, "every text matches it")
        assert.same({}, server.requests)
      end)
    end

    for text, code in pairs { [".-"] = 2, ["%s*"] = 2, ["^"] = 2, ["x?"] = 2, ["^.*$"] = 2, ["done"] = 124,
      ["^[^#]*$"] = 0, ["t+"] = 0, ["^%s*$"] = 124 } do
      it(("_lua of %s may be %s: %d"):format(recipe, text, code), function()
        local done = run(recipe, text, "matches_lua")
        assert.equal(code, done.code, done.stdout .. done.stderr)
        assert.equal(code == 2, done.stderr:find("every text matches it", 1, true) ~= nil)
        server.requests = {}
      end)
    end

    it(("of %s takes what says that it wants any text"):format(recipe), function()
      local words = recipe == "http" and { "http", server.url } or { "file", "LineFound", "log", "from=start" }
      for _, word in ipairs { 'matches:=""', "--max-wait", "5s", "--quiet" } do words[#words + 1] = word end
      workspace:bide(words):ends(0)
      server.requests = {}
    end)

    for text, code in pairs { ["start|done"] = 0, ["."] = 0, ["(?!.*failed)^"] = 0, ["^(?!.*start)"] = 124, ["^[^#]*$"] = 0,
      ["^.{0,20}$"] = 0, [ [[^\s*$]] ] = 124, ["^$"] = 124, ["done?$"] = 124, ["(?<!s)$"] = 0, [ [[(.*)*\x00|start]] ] = 0 } do
      it(("of %s may be %s: %d"):format(recipe, text, code), function()
        run(recipe, text):ends(code)
        server.requests = {}
      end)
    end
  end
end)
