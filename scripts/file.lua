---Waits until a file exists, of whatever kind. Or, with FileGone, until it does not.
---
---    bide run file path=/run/app.pid --max-wait 30s
---    bide run file path=/var/log/app.log expect=ready --max-wait 1m
---    bide run file path=upload.tar stable=5 --max-wait 10m
---    bide run file FileGone path=/run/lock/upgrade --max-wait 10m
---
---With expect also until that text is in it; with stable also until nobody has written to it for
---that many seconds.

local acceptor = require "bide.acceptor"
local expect = require "bide.expect"
local file = require "bide.file"
local check = require "bide.input" { required = { "path" }, seconds = { "stable" }, values = { "expect" } }

local function look(input)
  check(input)
  local found = file(input.path, { content = input.expect ~= nil, stable = input.stable })
  if input.expect then expect(found.content, nil, input.expect) end
  found.content = nil
  return found
end

---A file that may not be read is no file to wait for.
local function waiter(documentation, there, missing)
  return { documentation = documentation, minDelay = 0.25, maxDelay = 5, acceptors = {
    acceptor.success(there), acceptor.error(missing, "NotFound"), acceptor.error("retry", "NotStable"),
    acceptor.error("retry", "UnexpectedValue"),
  } }
end

return { Look = { call = look, default = "FileExists", waitable = {
  FileExists = waiter("Waits until a file exists.", "success", "retry"),
  FileGone = waiter("Waits until there is no such file.", "retry", "success"),
} } }
