---libuv reads events of files until there are no more: four writers that were faster than bide held it for 5 s, with a
---deadline of 2 s. Now a watch that brings more than 500 events in one turn is stopped for a moment. They were counted by the
---millisecond once, so that a busy machine, which handles fewer than 500 in one, was held all the same.

local bide = require "bide"
local Workspace = require "spec.support.workspace"
local events = require "bide.file.events"
local glob = require "bide.file.glob"
local uv = require "luv"

describe("events of files without a pause", function()
  local fitting = glob.fitting
  local workspace = Workspace.of_each()

  after_each(function() glob.fitting = fitting end)

  ---Writes 600 times beside a watched file before the loop turns.
  local function flood()
    local files, wakes = {}, 0
    for number = 1, 2 do files[number] = assert(uv.fs_open(workspace.path .. "/other" .. number, "w", 438)) end
    local watch = bide.spawn(events.watch, workspace.path .. "/wanted", function() wakes = wakes + 1 end)
    while wakes < 1 do bide.sleep(0.01) end
    for number = 1, 600 do uv.fs_fchmod(files[number % 2 + 1], 420) end -- two equal events in a row would be one
    bide.timeout(10, function()
      while wakes < 3 do bide.sleep(0.01) end -- it was stopped, and watches again
    end)
    workspace:write("wanted", "")
    while wakes < 4 do bide.sleep(0.01) end
    watch:cancel()
    for _, file in ipairs(files) do uv.fs_close(file) end
  end

  it("stop the watch that brings them, for a moment", flood)

  it("stop it on a busy machine as well", function()
    function glob.fitting(text)
      local fits = fitting(text)
      return function(name)
        local free = uv.hrtime() + 20000
        while uv.hrtime() < free do end
        return fits(name)
      end
    end
    flood()
  end)
end)
