---Waits until a file of any type exists. Or, with FileGone, until it does not.
---
---    bide run file path=/run/app.pid --max-wait 30s
---    bide run file path=/var/log/app.log expect=ready --max-wait 1m
---    bide run file path=upload.tar stable=5 --max-wait 10m
---    bide run file FileGone path=/run/lock/upgrade --max-wait 10m
---
---expect is a text that the file must contain; stable is the number of seconds for which the file must
---not have been written to.

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
