---Waits until a file exists, of whatever kind.
---
---    bide run file path=/run/app.pid --max-wait 30s
---    bide run file path=/var/log/app.log expect=ready --max-wait 1m
---    bide run file path=upload.tar stable=5 --max-wait 10m
---
---With expect also until that text is in it; with stable also until nobody has written to it for
---that many seconds.

local expect = require "bide.expect"
local file = require "bide.file"

local check = require "bide.input" { required = { "path" }, optional = { "expect" }, numbers = { "stable" } }

local function look(input)
  check(input)
  local found = file(input.path, { content = input.expect ~= nil })
  if input.expect then expect(found.content, nil, input.expect) end
  if found.age < (input.stable or 0) then
    error { type = "FileUnstable", message = ("%s was written to %.1f s ago"):format(input.path, found.age) }
  end
  found.content = nil
  return found
end

---A file that may not be read is no file to wait for.
local acceptors = {
  { state = "success", matcher = { success = true } },
  { state = "retry", matcher = { errorType = "NotFound" } },
  { state = "retry", matcher = { errorType = "UnexpectedValue" } },
  { state = "retry", matcher = { errorType = "FileUnstable" } },
}

return { Look = { call = look, waitable = { FileExists = {
  documentation = "Waits until a file exists.", minDelay = 0.25, maxDelay = 5, acceptors = acceptors,
} } } }
