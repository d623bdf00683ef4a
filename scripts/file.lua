---Waits until a file of any type exists. Or, with FileGone, until it does not.
---A file is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run file /run/app.pid --max-wait 30s
---    bide run file /var/log/app.log expect=ready --max-wait 1m
---    bide run file upload.tar stable=5s --max-wait 10m
---    bide run file FileGone /run/lock/upgrade --max-wait 10m

local acceptor = require "bide.acceptor"
local expect = require "bide.expect"
local file = require "bide.file"

local function look(input)
  local found = file(input.path, { content = input.expect ~= nil, stable = input.stable })
  if input.expect then expect(found.content, nil, input.expect) end
  found.content = nil
  return found
end

---A file that may not be read is a failure: waiting does not help.
local function waiter(documentation, opposite, there, missing)
  return { documentation = documentation, opposite = opposite, minDelay = 0.05, maxDelay = 0.25, acceptors = {
    acceptor.success(there), acceptor.error(missing, "NotFound"), acceptor.error("retry", "NotStable"),
    acceptor.error("retry", "UnexpectedValue"),
  } }
end

return { Look = { call = look, input = {
  path = { type = "string", required = true, positional = 1, example = "/run/app.pid", documentation = "The file." },
  expect = { type = "string", documentation = "A text that the file must contain." },
  stable = { type = "duration", documentation = "How long the file must have stayed unchanged." },
}, default = "FileExists", waitable = {
  FileExists = waiter("Waits until a file exists.", "FileGone", "success", "retry"),
  FileGone = waiter("Waits until there is no such file.", "FileExists", "retry", "success"),
} } }
