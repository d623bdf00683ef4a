---A script that followed the log of a container, or a file, and gave no pattern, took the first line for the one that it
---waited for.

local Directory = require "spec.support.directory"
local compose = require "bide.compose"
local docker = require "bide.docker"
local follow = require "bide.file.follow"

local NOTHING = "matches: expected a regular expression, found nothing"

describe("a log that is followed without a pattern", function()
  local directory = Directory.of_block()

  it("is refused", function()
    assert.same({ nil, NOTHING }, { docker.prepare_follow { container = "db", socket = "/nowhere" } })
    assert.same({ nil, NOTHING }, { compose.prepare_follow { project = "shop", service = "db", socket = "/nowhere" } })
    local ok, mistake = pcall(follow.line, { path = directory:write("a.log", "a\n"), from = "start" })
    assert.is_false(ok)
    assert.matches("file.follow: " .. NOTHING .. "$", mistake)
  end)
end)
