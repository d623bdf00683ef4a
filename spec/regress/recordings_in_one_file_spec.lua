---A second `--record` into one file emptied the recording of the first, and cut its lines.

local uv = require "luv"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local words = { "http", "--until", "state == 'done'", "--interval", "20ms", "--max-wait", "30s" }

describe("two recordings into one file", function()
  local workspace = Workspace.of_block()
  local body, count

  local server = Server.of_block(function()
    count = count + 1
    return { headers = { ["Content-Type"] = "application/json" }, body = body }
  end)
  before_each(function() body, count = '{"state":"queued"}', 0 end)

  ---@param file string
  local function words_for(file)
    local list = { words[1], server.url, table.unpack(words, 2) }
    return table.move({ "--record", file }, 1, 2, #list + 1, list)
  end

  it("refuse the second, and keep the first whole", function()
    local first = workspace:start(words_for "rec.jsonl")
    while count < 5 do uv.run "once" end
    workspace:bide(words_for "rec.jsonl"):says(2, "--record: rec.jsonl: another process is recording into it")
    body = '{"state":"done"}'
    assert.equal(0, first:wait().code)
    local lines = Workspace.decode_lines(workspace:read "rec.jsonl")
    assert.equal("done", lines[#lines].output.state)
    for position, line in ipairs(lines) do assert.equal(position, line.attempt) end
  end)

  it("let the next one begin once the first was killed", function()
    local first = workspace:start(words_for "killed.jsonl")
    while count < 3 do uv.run "once" end
    first:kill "sigkill"
    first:wait()
    body = '{"state":"done"}'
    assert.equal(0, workspace:bide(words_for "killed.jsonl").code)
    assert.equal(1, #Workspace.decode_lines(workspace:read "killed.jsonl"))
  end)

  it("write through a link, and into what is no file", function()
    body = '{"state":"done"}'
    workspace:write("target.jsonl", "old\n")
    assert(uv.fs_symlink("target.jsonl", workspace.path .. "/link.jsonl"))
    assert.equal(0, workspace:bide(words_for "link.jsonl").code)
    assert.equal(1, #Workspace.decode_lines(workspace:read "target.jsonl"))
    assert.equal(0, workspace:bide(words_for "/dev/null").code)
  end)
end)
