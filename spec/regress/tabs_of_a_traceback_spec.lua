---The tabs of a traceback, which a mistake of a script has, were shown by bide check as \x09.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"

describe("a traceback in bide check", function()
  local directory = Directory.of_each()

  it("is shown without escapes", function()
    local file = directory:write("quux.lua", [[require("bide.service") { port = 79, urll = {} }]])
    local done = process.run { process.bide, "check", file }
    done:prints(1, 'urll: unknown option, did you mean "url"?', "\n    [C]: in function 'error'\n")
  end)
end)
