---A peer that closes while something is written to it raises SIGPIPE, whose default
---ended the whole process without a word.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local uv = require "luv"

require "bide"

describe("a write to a peer that has closed", function()
  local directory = Directory.of_each()

  it("fails, and nothing else does", function()
    local pair = uv.pipe()
    local reader, writer = uv.new_pipe(false), uv.new_pipe(false)
    reader:open(pair.read)
    writer:open(pair.write)
    reader:close()
    local failure
    writer:write("anybody there?", function(mistake) failure = mistake end)
    uv.run("nowait")
    writer:close()
    uv.run("nowait")
    assert.equal("EPIPE", failure)
  end)

  it("leaves the signal as it was for programs that are started", function()
    local script = directory:write("script.lua",
      'os.execute("yes | head -1 >/dev/null") print(require("bide").exec({ "sh", "-c", "kill -PIPE $$" }).code)')
    local done = process.run { process.bide, "exec", script }
    assert.same({ 0, "141\n", "" }, { done.code, done.stdout, done.stderr })
  end)
end)
