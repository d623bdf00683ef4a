---The modules that a wait loads: to load them is most of what a wait costs that succeeds at once.

local uv = require "luv"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local STACKS = "<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>web</StackName>"
  .. "<StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>"

---What is needed only once something failed, was asked for by an option, or waits for an event.
local LATE = {
  "bide.base64", "bide.cli.waits.each", "bide.error_class", "bide.model.aws.partition", "bide.model.botocore.data_file",
  "bide.model.protocol.shapes", "bide.probe.asking.strategy", "bide.probe.asking.xml_error", "bide.recipe.file.places",
  "bide.recipe.input.patterns", "bide.record.report", "bide.text.documentation", "bide.text.json_hint", "bide.text.registry",
  "bide.text.rounded", "bide.wait.asking", "bide.wait.wakes", "bide.wait.watch",
}

---The most modules that such a wait loads. Before a higher number, look whether the new ones can be required where they are
---needed.
local MOST = 165

describe("a wait for a service of AWS that succeeds at once", function()
  local server = Server.of_block(function() return { body = STACKS, headers = { ["Content-Type"] = "text/xml" } } end)
  local workspace = Workspace.of_block {
    ["listed.lua"] = [[
      KEPT = setmetatable({}, { __gc = function()
        local file <close> = assert(io.open(os.getenv "LISTED", "w"))
        for name in pairs(package.loaded) do file:write(name, "\n") end
      end })
      return {}
    ]],
  }

  it("loads nothing that only others need, and no more modules than before", function()
    local done = workspace:bide({ "aws", "cloudformation", "StackCreateComplete", "StackName=web", "--endpoint", server.url,
      "--with", "listed.lua", "--max-wait", "50s", "--quiet" }, { env = {
        AWS_ACCESS_KEY_ID = "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY = "example", AWS_REGION = "eu-west-1", HOME = workspace.path,
        BIDE_AWS_MODELS = uv.fs_realpath "scripts/aws", LISTED = workspace.path .. "/listed",
      } })
    assert.equal(0, done.code, done.stderr)
    local loaded, count = {}, 0
    for name in workspace:read("listed"):gmatch "[^\n]+" do
      loaded[name] = true
      if name:find "^bide" then count = count + 1 end
    end
    local early = {}
    for _, name in ipairs(LATE) do early[#early + 1] = loaded[name] and name or nil end
    assert.same({}, early)
    assert.is_true(loaded["bide.wait.run"] and count <= MOST, ("%d modules"):format(count))
  end)
end)
